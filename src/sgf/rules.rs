//! How records spell rulesets.

use crate::rules::{Preset, Ruleset, preset};

/// Spelling in a record and preset. The first row of a preset is how it is
/// written; presets without a row are written by their own name. The format's own
/// words are `AGA`, `GOE`, `Japanese` and `NZ`.
const SPELLINGS: [(&str, &str); 18] = [
    ("NZ", "new-zealand"),
    ("Japanese", "japanese"),
    ("Korean", "korean"),
    ("Chinese", "chinese"),
    ("AGA", "aga"),
    ("BGA", "bga"),
    ("British", "bga"),
    ("GOE", "ing"),
    ("Ing", "ing"),
    ("Tromp-Taylor", "tromp-taylor"),
    ("Tromp/Taylor", "tromp-taylor"),
    ("Jap", "japanese"),
    ("日本", "japanese"),
    ("kr", "korean"),
    ("stone-scoring", "stone-scoring"),
    ("Old Chinese", "stone-scoring"),
    ("中国", "chinese"),
    ("中國", "chinese"),
];

/// The rules of a RU text: what [`Ruleset::parse`] reads, a spelling above, or words
/// that begin with a spelling or a preset, such as `AGA 1991` and `Japanese rules`, a year
/// before them aside.
pub(super) fn read(text: &str) -> Option<Ruleset> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let whole = Ruleset::parse(&text);
    if whole.is_ok() || text.starts_with('{') {
        return whole.ok();
    }
    let text = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let named = |name: &str| {
        let row = SPELLINGS.iter().find(|s| s.0.eq_ignore_ascii_case(name));
        preset(row.map_or(name, |s| s.1)).map(|p| p.rules)
    };
    // `New Zealand rules`: the name is more than one word, but no essay.
    let end = text.char_indices().nth(40).map_or(text.len(), |(i, _)| i);
    let mut words = text.get(..end)?;
    loop {
        if let Some(rules) = named(words) {
            return Some(rules);
        }
        let end = words.rfind(|c: char| !c.is_ascii_alphanumeric())?;
        words = words.get(..end)?;
    }
}

/// The RU text of a ruleset: the one that it came with if nobody knows what that means, in
/// words, or every one of its rules as JSON.
pub(super) fn write(rules: &Ruleset, came_with: Option<&str>) -> String {
    if let Some(text) = came_with.filter(|text| read(text).is_none()) {
        return text.to_owned();
    }
    in_words(rules, came_with).unwrap_or_else(|| rules.to_json())
}

/// What a ruleset is called: as in the record it came with if that means just this, or by
/// its name if it has one.
pub(crate) fn in_words(rules: &Ruleset, came_with: Option<&str>) -> Option<String> {
    if let Some(text) = came_with
        && read(text).is_some_and(|r| r == *rules)
    {
        return Some(text.to_owned());
    }
    // KataGo's rules of a name may be others than ours.
    let ours = |p: &&Preset| rules.equals_but_for_komi(&p.rules);
    let preset = rules.preset().filter(ours)?;
    let spelling = SPELLINGS.iter().find(|s| s.1 == preset.name);
    Some(spelling.map_or(preset.name, |s| s.0).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::PRESETS;

    #[test]
    fn spellings_name_presets() {
        for (spelling, name) in SPELLINGS {
            assert_eq!(read(spelling), preset(name).map(|p| p.rules), "{spelling}");
        }
        for p in PRESETS {
            assert_eq!(read(&write(&p.rules, None)), Some(p.rules));
        }
        let korean = read("Korean").unwrap();
        assert_eq!(write(&korean, Some("Korean")), "Korean");
        assert_eq!(write(&korean, Some("AGA 1991")), "Korean");
        let aga = read("AGA 1991").unwrap();
        assert_eq!(write(&aga, Some("AGA 1991")), "AGA 1991");
        assert_eq!(write(&aga, Some("House rules")), "House rules");
    }

    #[test]
    fn found_in_records() {
        for (text, name) in [
            (" new  zealand", Some("new-zealand")),
            ("New Zealand rules", Some("new-zealand")),
            ("nz", Some("new-zealand")),
            ("JAPANESE", Some("japanese")),
            ("Japanese Rules (1989)", Some("japanese")),
            ("AGA 1991", Some("aga")),
            ("korean", Some("korean")),
            ("goe", Some("ing")),
            ("GOE Ing", Some("ing")),
            ("BGA", Some("bga")),
            ("Chinese-KGS", Some("chinese-kgs")),
            ("Chinese\n", Some("chinese")),
            ("2002 Chinese", Some("chinese")),
            ("koPOSITIONALscoreAREAtaxNONEsui1", Some("tromp-taylor")),
            ("koSIMPLEscoreTERRITORYtaxSEKIsui0komi6.5", Some("japanese")),
            ("Jap.", Some("japanese")),
            ("kr", Some("korean")),
            ("日本ルール", Some("japanese")),
            ("中国规则", Some("chinese")),
            ("Old Chinese", Some("stone-scoring")),
            ("old chinese rules", Some("stone-scoring")),
            ("Tromp/Taylor", Some("tromp-taylor")),
            ("House rules", None),
            ("2002", None),
            ("", None),
            ("6.5", None),
            ("é é", None),
            ("{\"ko\":", None),
            ("koPOSITIONALscoreAREAcolourRED", None),
        ] {
            assert_eq!(read(text).and_then(|r| r.name()), name, "{text:?}");
        }
    }

    #[test]
    fn rules_without_a_name_are_kept() {
        let katago = Ruleset::parse_for_katago("new-zealand").unwrap();
        assert_eq!(katago.name(), Some("new-zealand"));
        let back = read(&write(&katago, None)).unwrap();
        assert_eq!((back.ko, back.suicide), (katago.ko, katago.suicide));
        let mut rules = Ruleset::default();
        rules.set("ko", "SIMPLE").unwrap();
        assert_eq!(rules.name(), None);
        let back = read(&write(&rules, None)).unwrap();
        assert_eq!((back.ko, back.suicide), (rules.ko, rules.suicide));
    }
}
