//! The JSON form of a ruleset: KataGo's keys and Ponnuki's own.

use super::{
    HandicapBonus, KoRule, LongCycle, PRESETS, Resumption, Ruleset, Scoring, Settlement,
    SuicideRule, Tax, preset, presets,
};
use crate::types::Komi;
use serde_json::{Map, Value, json};
use std::fmt;

/// The reason that a text is not a ruleset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RulesError {
    /// No preset of this name.
    UnknownName(String),
    /// The text starts like JSON but is invalid, with the parser's message.
    Syntax(String),
    /// No rule of this name.
    UnknownKey(String),
    /// The rule exists but cannot have this value.
    BadValue {
        /// The rule.
        key: String,
        /// The value given.
        value: String,
        /// The values accepted.
        expected: &'static str,
    },
}

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RulesError::UnknownName(name) => {
                write!(f, "unknown rules '{name}'; known: ")?;
                let names: Vec<_> = PRESETS.iter().map(|p| p.name).collect();
                f.write_str(&names.join(", "))
            }
            RulesError::Syntax(e) => write!(f, "rules are not valid JSON: {e}"),
            RulesError::UnknownKey(k) => {
                write!(f, "unknown rule '{k}'; known: ")?;
                let names: Vec<_> = FIELDS.iter().map(|f| f.key).collect();
                f.write_str(&names.join(", "))
            }
            RulesError::BadValue {
                key,
                value,
                expected,
            } => write!(f, "rule '{key}' cannot be '{value}'; expected {expected}"),
        }
    }
}

impl std::error::Error for RulesError {}

/// One rule of the JSON form, with its writer and reader.
struct Field {
    key: &'static str,
    expected: &'static str,
    get: fn(&Ruleset) -> Value,
    set: fn(&mut Ruleset, &Value) -> Option<()>,
}

impl Field {
    /// Change this rule. If the value is invalid, `rules` is unchanged and the error cites `key`,
    /// the name in the input.
    fn apply(&self, rules: &mut Ruleset, key: &str, value: &Value) -> Result<(), RulesError> {
        let mut changed = *rules;
        (self.set)(&mut changed, value).ok_or_else(|| bad_value(key, value, self.expected))?;
        *rules = changed;
        Ok(())
    }
}

fn text(v: &Value) -> Option<String> {
    v.as_str().map(str::to_ascii_uppercase)
}

fn boolean(v: &Value) -> Option<bool> {
    match v {
        Value::Bool(b) => Some(*b),
        Value::String(s) if s.eq_ignore_ascii_case("true") => Some(true),
        Value::String(s) if s.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

fn komi(v: &Value) -> Option<Komi> {
    let points = match v {
        Value::Number(n) => n.as_f64()?,
        Value::String(s) => s.parse().ok()?,
        _ => return None,
    };
    Komi::new(points).ok()
}

/// All rules, in the order of `kata-get-rules`.
const FIELDS: &[Field] = &[
    Field {
        key: "ko",
        expected: "SIMPLE, POSITIONAL, SITUATIONAL, OWN_MOVES or SPIGHT",
        get: |r| {
            json!(match r.ko {
                KoRule::Simple => "SIMPLE",
                KoRule::Positional => "POSITIONAL",
                KoRule::Situational => "SITUATIONAL",
                KoRule::OwnMoves => "OWN_MOVES",
                KoRule::Spight => "SPIGHT",
            })
        },
        set: |r, v| {
            r.ko = match text(v)?.as_str() {
                "SIMPLE" => KoRule::Simple,
                "POSITIONAL" => KoRule::Positional,
                "SITUATIONAL" => KoRule::Situational,
                "OWN_MOVES" => KoRule::OwnMoves,
                "SPIGHT" => KoRule::Spight,
                _ => return None,
            };
            r.long_cycle = match r.ko {
                KoRule::Simple => LongCycle::NoResult,
                _ => LongCycle::PlaysOn,
            };
            Some(())
        },
    },
    Field {
        key: "scoring",
        expected: "AREA or TERRITORY",
        get: |r| {
            json!(match r.scoring {
                Scoring::Area => "AREA",
                Scoring::Territory => "TERRITORY",
            })
        },
        set: |r, v| {
            r.scoring = match text(v)?.as_str() {
                "AREA" => Scoring::Area,
                "TERRITORY" => Scoring::Territory,
                _ => return None,
            };
            // Playing out costs points under territory scoring, so the settlement
            // follows the scoring unless it is set explicitly.
            match (r.scoring, r.settlement) {
                (Scoring::Territory, Settlement::PlayOut) => {
                    r.settlement = Settlement::Confirmation;
                    r.resumption = Resumption::OpponentFirst;
                }
                (Scoring::Area, Settlement::Confirmation) => {
                    r.settlement = Settlement::Agreement;
                    r.resumption = Resumption::Alternation;
                }
                _ => {}
            }
            Some(())
        },
    },
    Field {
        key: "tax",
        expected: "NONE, SEKI or ALL",
        get: |r| {
            json!(match r.tax {
                Tax::None => "NONE",
                Tax::Seki => "SEKI",
                Tax::All => "ALL",
            })
        },
        set: |r, v| {
            r.tax = match text(v)?.as_str() {
                "NONE" => Tax::None,
                "SEKI" => Tax::Seki,
                "ALL" => Tax::All,
                _ => return None,
            };
            Some(())
        },
    },
    Field {
        key: "suicide",
        expected: "true (several stones) or false",
        get: |r| json!(r.suicide != SuicideRule::Forbidden),
        set: |r, v| {
            r.suicide = match (boolean(v)?, r.suicide) {
                (false, _) => SuicideRule::Forbidden,
                (true, SuicideRule::Any) => SuicideRule::Any,
                (true, _) => SuicideRule::SeveralStones,
            };
            Some(())
        },
    },
    Field {
        key: "singleStoneSuicide",
        expected: "true or false",
        get: |r| json!(r.suicide == SuicideRule::Any),
        set: |r, v| {
            r.suicide = match (boolean(v)?, r.suicide) {
                (true, _) => SuicideRule::Any,
                (false, SuicideRule::Any) => SuicideRule::SeveralStones,
                (false, other) => other,
            };
            Some(())
        },
    },
    Field {
        key: "whiteHandicapBonus",
        expected: "0, N-1 or N",
        get: |r| {
            json!(match r.handicap_bonus {
                HandicapBonus::Zero => "0",
                HandicapBonus::N => "N",
                HandicapBonus::NMinusOne => "N-1",
            })
        },
        set: |r, v| {
            let v = if v.as_u64() == Some(0) {
                json!("0")
            } else {
                v.clone()
            };
            r.handicap_bonus = match text(&v)?.as_str() {
                "0" => HandicapBonus::Zero,
                "N" => HandicapBonus::N,
                "N-1" => HandicapBonus::NMinusOne,
                _ => return None,
            };
            Some(())
        },
    },
    Field {
        // As in KataGo, where it applies to area scoring only.
        key: "friendlyPassOk",
        expected: "true or false",
        get: |r| json!(r.settlement != Settlement::PlayOut),
        set: |r, v| {
            r.settlement = match (boolean(v)?, r.scoring, r.settlement) {
                (false, Scoring::Area, _) => Settlement::PlayOut,
                (true, _, Settlement::PlayOut) => Settlement::Agreement,
                (_, _, other) => other,
            };
            Some(())
        },
    },
    Field {
        key: "passCostsStone",
        expected: "true or false",
        get: |r| json!(r.pass_costs_stone),
        set: |r, v| {
            r.pass_costs_stone = boolean(v)?;
            Some(())
        },
    },
    Field {
        key: "whitePassesLast",
        expected: "true or false",
        get: |r| json!(r.white_passes_last),
        set: |r, v| {
            r.white_passes_last = boolean(v)?;
            Some(())
        },
    },
    Field {
        key: "hasButton",
        expected: "true or false",
        get: |r| json!(r.button),
        set: |r, v| {
            r.button = boolean(v)?;
            Some(())
        },
    },
    Field {
        key: "handicapByPasses",
        expected: "true or false",
        get: |r| json!(r.handicap_by_passes),
        set: |r, v| {
            r.handicap_by_passes = boolean(v)?;
            Some(())
        },
    },
    Field {
        key: "longCycle",
        expected: "NO_RESULT or PLAYS_ON",
        get: |r| {
            json!(match r.long_cycle {
                LongCycle::NoResult => "NO_RESULT",
                LongCycle::PlaysOn => "PLAYS_ON",
            })
        },
        set: |r, v| {
            r.long_cycle = match text(v)?.as_str() {
                "NO_RESULT" => LongCycle::NoResult,
                "PLAYS_ON" => LongCycle::PlaysOn,
                _ => return None,
            };
            Some(())
        },
    },
    Field {
        key: "deadStones",
        expected: "PLAY_OUT, AGREEMENT or CONFIRMATION",
        get: |r| {
            json!(match r.settlement {
                Settlement::PlayOut => "PLAY_OUT",
                Settlement::Agreement => "AGREEMENT",
                Settlement::Confirmation => "CONFIRMATION",
            })
        },
        set: |r, v| {
            r.settlement = match text(v)?.as_str() {
                "PLAY_OUT" => Settlement::PlayOut,
                "AGREEMENT" => Settlement::Agreement,
                "CONFIRMATION" => Settlement::Confirmation,
                _ => return None,
            };
            Some(())
        },
    },
    Field {
        key: "resumption",
        expected: "ALTERNATION, OPPONENT_FIRST or BY_AGREEMENT",
        get: |r| {
            json!(match r.resumption {
                Resumption::Alternation => "ALTERNATION",
                Resumption::OpponentFirst => "OPPONENT_FIRST",
                Resumption::ByAgreement => "BY_AGREEMENT",
            })
        },
        set: |r, v| {
            r.resumption = match text(v)?.as_str() {
                "ALTERNATION" => Resumption::Alternation,
                "OPPONENT_FIRST" => Resumption::OpponentFirst,
                "BY_AGREEMENT" => Resumption::ByAgreement,
                _ => return None,
            };
            Some(())
        },
    },
    Field {
        key: "komi",
        expected: "a number of points",
        get: |r| json!(r.komi.points()),
        set: |r, v| {
            r.komi = komi(v)?;
            r.handicap_komi = r.komi;
            Some(())
        },
    },
];

impl Ruleset {
    /// Parse a preset name, or a JSON object as KataGo reads it. KataGo's compact form
    /// of such an object is accepted too.
    ///
    /// Missing fields default to Tromp–Taylor rules, but territory scoring defaults to
    /// the seki tax, Article 7's confirmation and a komi of 6.5, and the button to a komi
    /// of 7.
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
        // In the order of the table, where a field comes after those that set its
        // default.
        for f in FIELDS {
            for (key, value) in object.iter().filter(|(k, _)| full_name(k) == f.key) {
                f.apply(&mut rules, key, value)?;
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
        field.apply(self, key, &Value::String(value.trim().to_owned()))
    }

    /// The value of one rule, as [`Ruleset::set`] accepts it; `None` if the key is unknown.
    pub fn get(&self, key: &str) -> Option<String> {
        field(key).map(|f| as_text(&(f.get)(self)))
    }

    /// One line of JSON with all fields except komi, which front ends report separately.
    pub fn to_json(&self) -> String {
        self.json_of(|key| key != "komi")
    }

    /// One line of JSON with only KataGo's keys, because KataGo refuses others, and without komi;
    /// `None` if they cannot express these rules.
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
        let value = match (*key, value.trim()) {
            ("suicide" | "hasButton" | "friendlyPassOk", "0") => json!(false),
            ("suicide" | "hasButton" | "friendlyPassOk", "1") => json!(true),
            (_, other) => json!(other),
        };
        object.insert((*key).to_owned(), value);
        rest = next;
    }
    Ok((!object.is_empty()).then_some(object))
}

/// Expand `score`, which KataGo accepts for `scoring`.
fn full_name(key: &str) -> &str {
    if key == "score" { "scoring" } else { key }
}

fn field(key: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|f| f.key == full_name(key))
}

fn bad_value(key: &str, value: &Value, expected: &'static str) -> RulesError {
    RulesError::BadValue {
        key: key.to_owned(),
        value: as_text(value),
        expected,
    }
}

fn as_text(value: &Value) -> String {
    let text = value.as_str().map(str::to_owned);
    text.unwrap_or_else(|| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

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
