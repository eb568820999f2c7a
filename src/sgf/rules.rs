//! The spelling of rulesets in records.

use crate::rules::{Preset, Ruleset, preset};
use crate::util::spaced;

/// Pairs of a spelling in records and a preset. The first row of a preset is the
/// spelling written; presets without a row are written by their own name. The values
/// defined by SGF are `AGA`, `GOE`, `Japanese` and `NZ`.
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

/// Parse a RU text: anything that [`Ruleset::parse`] reads, a spelling above, or words that
/// begin with a spelling or a preset, such as `AGA 1991` and `Japanese rules`. A year before
/// them is skipped.
pub(super) fn read(text: &str) -> Option<Ruleset> {
    let text = spaced(text.split_whitespace());
    let whole = Ruleset::parse(&text);
    if whole.is_ok() || text.starts_with('{') {
        return whole.ok();
    }
    let text = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let named = |name: &str| {
        let row = SPELLINGS.iter().find(|s| s.0.eq_ignore_ascii_case(name));
        preset(row.map_or(name, |s| s.1)).map(|p| p.rules)
    };
    // A name can have several words, as in `New Zealand rules`, but not many.
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

/// The RU text of a ruleset: `original`, the text of the record, if its meaning is unknown;
/// otherwise the name, or JSON with all rules if there is no name.
pub(super) fn write(rules: &Ruleset, original: Option<&str>) -> String {
    if let Some(text) = original.filter(|text| read(text).is_none()) {
        return text.to_owned();
    }
    in_words(rules, original).unwrap_or_else(|| rules.to_json())
}

/// The name of a ruleset: `original`, the text of the record, if it means the same rules,
/// otherwise the preset's name, if there is one.
pub(crate) fn in_words(rules: &Ruleset, original: Option<&str>) -> Option<String> {
    if let Some(text) = original
        && read(text).is_some_and(|r| r == *rules)
    {
        return Some(text.to_owned());
    }
    // KataGo's rules of the same name may differ.
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
    fn rule_texts_of_records_are_recognized() {
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
