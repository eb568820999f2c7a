/// The names whose Jaro–Winkler similarity to a word is above `least` (0 to 1), most similar
/// first.
pub fn similar<'a>(word: &str, names: impl Iterator<Item = &'a str>, least: f64) -> Vec<&'a str> {
    let mut found: Vec<(f64, &str)> = names
        .map(|name| (strsim::jaro_winkler(name, word), name))
        .filter(|(similarity, _)| *similarity > least)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().map(|(_, name)| name).collect()
}
