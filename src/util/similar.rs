/// Jaro–Winkler similarity, from 0 to 1, above which a name may be the one that was meant.
const SIMILAR: f64 = 0.75;

/// The names that a mistyped word may stand for, most similar first.
pub fn similar<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found: Vec<(f64, &str)> = names
        .map(|name| (strsim::jaro_winkler(name, word), name))
        .filter(|(similarity, _)| *similarity > SIMILAR)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().map(|(_, name)| name).collect()
}
