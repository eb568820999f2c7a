//! The JSON form of a ruleset: KataGo's keys and Ponnuki's own.

mod error;
mod fields;

pub use error::RulesError;

use super::{KoRule, Ruleset, Scoring, Tax, preset, presets};
use crate::types::Komi;
use crate::util::json_text;
use fields::{FIELDS, field, full_name};
use serde_json::{Map, Value};

impl Ruleset {
    /// Parse a preset name, or a JSON object as KataGo reads it. KataGo's compact form
    /// of such an object is accepted too.
    ///
    /// Missing fields are those of the Tromp–Taylor rules, with three exceptions. Under territory
    /// scoring they are the seki tax, the confirmation and resumption of Articles 7 and 9.3 of the
    /// Japanese rules, and a komi of 6.5. Under area scoring with a button the komi is 7. Where
    /// simple ko is given, a long cycle ends the game without result.
    ///
    /// # Errors
    /// [`RulesError`] names the unknown name, key or value, and what is accepted.
    ///
    /// ```
    /// use ponnuki::rules::{KoRule, Ruleset};
    ///
    /// let compact = Ruleset::parse("koSIMPLEscoreAREAtaxNONEsui0whbN")?;
    /// let json = r#"{"ko":"SIMPLE","suicide":false,"whiteHandicapBonus":"N"}"#;
    /// assert_eq!(compact, Ruleset::parse(json)?);
    /// # Ok::<(), ponnuki::rules::RulesError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Ruleset, RulesError> {
        let text = text.trim();
        if text.starts_with('{') {
            let object = serde_json::from_str(text);
            return Ruleset::of_object(&object.map_err(|e| RulesError::Syntax(e.to_string()))?);
        }
        if let Some(p) = preset(text) {
            return Ok(p.rules);
        }
        match compact(text)? {
            Some(object) => Ruleset::of_object(&object),
            None => Err(RulesError::UnknownName(text.to_owned())),
        }
    }

    /// Parse rules as [`Ruleset::parse`] does, but give preset names the meaning they have in
    /// KataGo.
    ///
    /// # Errors
    /// Those of [`Ruleset::parse`].
    pub fn parse_for_katago(text: &str) -> Result<Ruleset, RulesError> {
        match preset(text).and_then(|p| p.katago) {
            Some(rules) => Ok(rules),
            None => Ruleset::parse(text),
        }
    }

    fn of_object(object: &Map<String, Value>) -> Result<Ruleset, RulesError> {
        let mut rules = presets::TROMP_TAYLOR;
        if let Some(key) = object.keys().find(|k| field(k).is_none()) {
            return Err(RulesError::UnknownKey(key.clone()));
        }
        // In the order of the table, where a field comes after those that set its default.
        for f in FIELDS {
            for (key, value) in object.iter().filter(|(k, _)| full_name(k) == f.key) {
                let changed = f.changed(rules, value);
                rules = changed.ok_or_else(|| RulesError::bad_value(f, key, value))?;
            }
        }
        let given = |name: &str| object.keys().any(|k| full_name(k) == name);
        if rules.scoring == Scoring::Territory && !given("tax") {
            rules.tax = Tax::Seki;
        }
        if !given("komi") {
            let half_points = match rules.scoring {
                Scoring::Territory => 13,
                Scoring::Area if rules.button => 14,
                Scoring::Area => 15,
            };
            rules.komi = Komi::half_points(half_points);
            rules.handicap_komi = rules.komi;
        }
        Ok(rules)
    }

    /// Change one rule, as `kata-set-rule` does.
    ///
    /// # Errors
    /// If the key or the value is unknown; the ruleset is then unchanged.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), RulesError> {
        let field = field(key).ok_or_else(|| RulesError::UnknownKey(key.to_owned()))?;
        let value = Value::String(value.trim().to_owned());
        let changed = field.changed(*self, &value);
        *self = changed.ok_or_else(|| RulesError::bad_value(field, key, &value))?;
        Ok(())
    }

    /// The value of one rule, as [`Ruleset::set`] accepts it; `None` if the key is unknown.
    pub fn get(&self, key: &str) -> Option<String> {
        field(key).map(|f| json_text(&(f.get)(self)))
    }

    /// One line of JSON with all fields except komi, which front ends report separately.
    pub fn to_json(&self) -> String {
        self.json_of(|key| key != "komi")
    }

    /// One line of JSON without komi and with KataGo's keys only, since KataGo refuses others.
    /// `None` if these keys cannot express the rules.
    pub fn to_katago_json(&self) -> Option<String> {
        let text = self.json_of(|key| COMPACT.iter().any(|c| c.1 == key) && key != "komi");
        let is_complete = |r: Ruleset| r.equals_but_for_komi(self) && r.ko != KoRule::OwnMoves;
        Ruleset::parse(&text).is_ok_and(is_complete).then_some(text)
    }

    fn json_of(&self, wanted: impl Fn(&str) -> bool) -> String {
        let mut object = Map::new();
        for field in FIELDS.iter().filter(|f| wanted(f.key)) {
            object.insert(field.key.into(), (field.get)(self));
        }
        Value::Object(object).to_string()
    }
}

/// KataGo's rule keys: in its compact form, and in JSON.
const COMPACT: [(&str, &str); 9] = [
    ("ko", "ko"),
    ("score", "scoring"),
    ("scoring", "scoring"),
    ("tax", "tax"),
    ("sui", "suicide"),
    ("button", "hasButton"),
    ("whb", "whiteHandicapBonus"),
    ("fpok", "friendlyPassOk"),
    ("komi", "komi"),
];

/// Parse rules in the compact form of KataGo's records, `koPOSITIONALscoreAREAtaxNONEsui1`:
/// lower-case keys, each followed by its value. `None` if the text does not start with a key.
///
/// # Errors
/// [`RulesError::UnknownKey`] for an unknown key after the first.
fn compact(text: &str) -> Result<Option<Map<String, Value>>, RulesError> {
    let mut object = Map::new();
    let mut rest = text;
    while !rest.is_empty() {
        let lower = |c: char| c.is_ascii_lowercase();
        let (short, after) = rest.split_at(rest.find(|c| !lower(c)).unwrap_or(rest.len()));
        let Some((_, key)) = COMPACT.iter().find(|c| c.0 == short) else {
            return match object.is_empty() {
                true => Ok(None),
                false => Err(RulesError::UnknownKey(rest.to_owned())),
            };
        };
        let (value, next) = after.split_at(after.find(lower).unwrap_or(after.len()));
        object.insert((*key).to_owned(), value.trim().into());
        rest = next;
    }
    Ok((!object.is_empty()).then_some(object))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{PRESETS, Settlement, SuicideRule};
    use serde_json::json;

    #[test]
    fn json_of_every_preset_reads_back() {
        for p in PRESETS {
            for rules in [Some(p.rules), p.katago].into_iter().flatten() {
                let back = Ruleset::parse(&rules.to_json()).expect(p.name);
                let same = Ruleset {
                    komi: rules.komi,
                    handicap_komi: rules.handicap_komi,
                    ..back
                };
                assert_eq!(same, rules, "{}", p.name);
            }
            // Presets with the same fields keep their names.
            assert_eq!(p.rules.name(), Some(p.name));
        }
    }

    /// The rules in KataGo's documentation of `kata-set-rules`.
    #[test]
    fn katago_names_match_its_documentation() {
        for (name, json) in [
            (
                "tromp-taylor",
                r#"{"hasButton":false,"ko":"POSITIONAL","scoring":"AREA","suicide":true,"tax":"NONE","whiteHandicapBonus":"0","friendlyPassOk":false}"#,
            ),
            (
                "chinese",
                r#"{"hasButton":false,"ko":"SIMPLE","scoring":"AREA","suicide":false,"tax":"NONE","whiteHandicapBonus":"N","friendlyPassOk":true}"#,
            ),
            (
                "chinese-ogs",
                r#"{"hasButton":false,"ko":"POSITIONAL","scoring":"AREA","suicide":false,"tax":"NONE","whiteHandicapBonus":"N","friendlyPassOk":true}"#,
            ),
            (
                "chinese-kgs",
                r#"{"hasButton":false,"ko":"POSITIONAL","scoring":"AREA","suicide":false,"tax":"NONE","whiteHandicapBonus":"N","friendlyPassOk":true}"#,
            ),
            (
                "japanese",
                r#"{"hasButton":false,"ko":"SIMPLE","scoring":"TERRITORY","suicide":false,"tax":"SEKI","whiteHandicapBonus":"0","friendlyPassOk":true}"#,
            ),
            (
                "korean",
                r#"{"hasButton":false,"ko":"SIMPLE","scoring":"TERRITORY","suicide":false,"tax":"SEKI","whiteHandicapBonus":"0","friendlyPassOk":true}"#,
            ),
            (
                "stone-scoring",
                r#"{"hasButton":false,"ko":"SIMPLE","scoring":"AREA","suicide":false,"tax":"ALL","whiteHandicapBonus":"0","friendlyPassOk":true}"#,
            ),
            (
                "aga",
                r#"{"hasButton":false,"ko":"SITUATIONAL","scoring":"AREA","suicide":false,"tax":"NONE","whiteHandicapBonus":"N-1","friendlyPassOk":true}"#,
            ),
            (
                "bga",
                r#"{"hasButton":false,"ko":"SITUATIONAL","scoring":"AREA","suicide":false,"tax":"NONE","whiteHandicapBonus":"N-1","friendlyPassOk":true}"#,
            ),
            (
                "new-zealand",
                r#"{"hasButton":false,"ko":"SITUATIONAL","scoring":"AREA","suicide":true,"tax":"NONE","whiteHandicapBonus":"0","friendlyPassOk":true}"#,
            ),
            (
                "aga-button",
                r#"{"hasButton":true,"ko":"SITUATIONAL","scoring":"AREA","suicide":false,"tax":"NONE","whiteHandicapBonus":"N-1","friendlyPassOk":true}"#,
            ),
        ] {
            let by_name = Ruleset::parse_for_katago(name).expect(name);
            let stated: Map<String, Value> = serde_json::from_str(json).expect(name);
            let found: Map<String, Value> = serde_json::from_str(&by_name.to_json()).expect(name);
            for (key, value) in &stated {
                assert_eq!(found.get(key), Some(value), "{name} {key}");
            }
            assert_eq!(found["singleStoneSuicide"], json!(false), "{name}");
            // The JSON alone gives the same play, apart from Ponnuki's own fields.
            let by_json = Ruleset::parse(json).expect(name);
            assert_eq!(by_json.ko, by_name.ko, "{name}");
            assert_eq!(by_json.settlement, by_name.settlement, "{name}");
            assert_eq!(by_json.long_cycle, by_name.long_cycle, "{name}");
            assert_eq!(
                by_json.komi,
                Komi::half_points(match name {
                    "japanese" | "korean" => 13,
                    "aga-button" => 14,
                    _ => 15,
                }),
                "{name}"
            );
        }
        // The rule text of the same name differs, and has its own field.
        let text = Ruleset::parse("new-zealand").unwrap();
        assert_eq!(
            (text.ko, text.suicide),
            (KoRule::OwnMoves, SuicideRule::Any)
        );
        let mut katago = Ruleset::parse_for_katago("nz").unwrap();
        assert_eq!(katago.name(), Some("new-zealand"));
        katago.set("singleStoneSuicide", "true").unwrap();
        assert_eq!(katago.suicide, SuicideRule::Any);
    }

    #[test]
    fn names_need_no_separators() {
        for (spelt, name) in [
            ("chineseogs", "chinese-ogs"),
            ("ChineseKGS", "chinese-kgs"),
            ("stonescoring", "stone-scoring"),
            ("aga_button", "aga-button"),
            ("tromptaylor", "tromp-taylor"),
            ("Tromp–Taylor", "tromp-taylor"),
            ("New Zealand", "new-zealand"),
            ("french", "aga"),
        ] {
            let rules = Ruleset::parse_for_katago(spelt).expect(spelt);
            assert_eq!(rules.name(), Some(name), "{spelt}");
        }
    }

    #[test]
    fn defaults_depend_on_the_scoring() {
        let r = Ruleset::parse(r#"{"scoring":"TERRITORY","komi":0.5}"#).unwrap();
        assert_eq!((r.tax, r.komi), (Tax::Seki, Komi::half_points(1)));
        let r = Ruleset::parse(r#"{"score":"territory","tax":"none"}"#).unwrap();
        assert_eq!((r.tax, r.settlement), (Tax::None, Settlement::Confirmation));
        let r = Ruleset::parse(r#"{"scoring":"TERRITORY","deadStones":"PLAY_OUT"}"#).unwrap();
        assert_eq!(r.settlement, Settlement::PlayOut);
        let mut r = presets::TROMP_TAYLOR;
        r.set("scoring", "TERRITORY").unwrap();
        assert_eq!(r.settlement, Settlement::Confirmation);
        r.set("scoring", "AREA").unwrap();
        assert_eq!(r.settlement, Settlement::Agreement);
        r.set("ko", "SPIGHT").unwrap();
        assert_eq!(r.ko, KoRule::Spight);
    }

    /// The output of KataGo's `Rules::toString`.
    #[test]
    fn katago_compact_rules_are_read() {
        for (compact, name) in [
            ("koPOSITIONALscoreAREAtaxNONEsui1", "tromp-taylor"),
            ("koSIMPLEscoreAREAtaxNONEsui0whbNfpok1", "chinese"),
            (
                "koPOSITIONALscoreAREAtaxNONEsui0whbNfpok1komi7.5",
                "chinese-kgs",
            ),
            ("koSITUATIONALscoreAREAtaxNONEsui0whbN-1fpok1", "aga"),
            (
                "koSITUATIONALscoreAREAtaxNONEsui0button1whbN-1fpok1",
                "aga-button",
            ),
            ("koSIMPLEscoreTERRITORYtaxSEKIsui0", "japanese"),
            (
                " ko SIMPLE scoring AREA tax ALL sui 0 fpok 1 ",
                "stone-scoring",
            ),
        ] {
            let rules = Ruleset::parse(compact).expect(compact);
            let named = Ruleset::parse(name).expect(name);
            assert!(rules.equals_but_for_komi(&named), "{compact}: {rules:?}");
        }
        let komi = |text| Ruleset::parse(text).map(|r| r.komi.points());
        assert_eq!(komi("koSIMPLEkomi-3.5"), Ok(-3.5));
        assert_eq!(komi("scoreTERRITORY"), Ok(6.5));
        assert_eq!(komi("button1"), Ok(7.0));
        for (wrong, what) in [
            ("koSIMPLEscoreAREAcolourRED", "unknown rule 'colourRED'"),
            ("koHEXAGONAL", "rule 'ko' cannot be 'HEXAGONAL'"),
            ("sui2", "rule 'suicide' cannot be '2'"),
            ("ko", "rule 'ko' cannot be ''"),
            ("koreans", "unknown rules 'koreans'"),
            ("", "unknown rules ''"),
        ] {
            let why = Ruleset::parse(wrong).expect_err(wrong).to_string();
            assert!(why.starts_with(what), "{wrong}: {why}");
        }
    }

    #[test]
    fn katago_json_has_only_keys_of_katago() {
        for p in PRESETS {
            let ours = ["new-zealand", "uk", "egf-japanese"].contains(&p.name);
            let json = p.rules.to_katago_json();
            assert_eq!(json.is_none(), ours, "{} {json:?}", p.name);
            let keys = json.unwrap_or_default();
            assert!(
                !keys.contains("deadStones") && !keys.contains("komi"),
                "{keys}"
            );
        }
        let own = Ruleset::parse(r#"{"ko":"OWN_MOVES"}"#).unwrap();
        assert_eq!(own.to_katago_json(), None);
    }

    #[test]
    fn invalid_input_leaves_rules_unchanged() {
        let mut r = Ruleset::default();
        let before = r;
        assert!(r.set("ko", "sometimes").is_err());
        assert!(r.set("nonsense", "1").is_err());
        assert!(Ruleset::parse("{\"ko\":").is_err());
        assert!(Ruleset::parse("klingon").is_err());
        assert_eq!(r, before);
    }
}
