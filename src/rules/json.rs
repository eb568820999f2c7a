//! The JSON form of a ruleset: KataGo's keys, and our own fields beside them.

use super::{
    HandicapBonus, KoRule, LongCycle, PRESETS, Ruleset, Scoring, Settlement, SuicideRule, Tax,
    preset,
};
use crate::types::Komi;
use serde_json::{Map, Value, json};
use std::fmt;

/// Why a text is no ruleset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RulesError {
    /// No preset of this name.
    UnknownName(String),
    /// The text starts like JSON but is none; with the parser's words.
    Syntax(String),
    /// No rule of this name.
    UnknownKey(String),
    /// The rule exists, the value does not; with the values that do.
    BadValue {
        /// The rule.
        key: String,
        /// What was given.
        value: String,
        /// What is accepted.
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

/// One rule of the JSON form: how it is written and how it is read.
struct Field {
    key: &'static str,
    expected: &'static str,
    get: fn(&Ruleset) -> Value,
    set: fn(&mut Ruleset, &Value) -> Option<()>,
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

/// Every rule, in the order in which `kata-get-rules` prints them.
const FIELDS: &[Field] = &[
    Field {
        key: "ko",
        expected: "SIMPLE, POSITIONAL, SITUATIONAL or OWN_MOVES",
        get: |r| {
            json!(match r.ko {
                KoRule::Simple => "SIMPLE",
                KoRule::Positional => "POSITIONAL",
                KoRule::Situational => "SITUATIONAL",
                KoRule::OwnMoves => "OWN_MOVES",
            })
        },
        set: |r, v| {
            r.ko = match text(v)?.as_str() {
                "SIMPLE" => KoRule::Simple,
                "POSITIONAL" => KoRule::Positional,
                "SITUATIONAL" => KoRule::Situational,
                "OWN_MOVES" => KoRule::OwnMoves,
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
        key: "friendlyPassOk",
        expected: "true or false",
        get: |r| json!(r.settlement != Settlement::PlayOut),
        set: |r, v| {
            r.settlement = match (boolean(v)?, r.settlement) {
                (false, _) => Settlement::PlayOut,
                (true, Settlement::PlayOut) => Settlement::Agreement,
                (true, other) => other,
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
    /// The ruleset of a preset name, or of a JSON object whose missing fields are
    /// those of Tromp–Taylor, as KataGo reads it.
    ///
    /// # Errors
    /// Says which name, key or value is unknown, and what would be accepted.
    pub fn parse(text: &str) -> Result<Ruleset, RulesError> {
        let text = text.trim();
        if !text.starts_with('{') {
            return preset(text)
                .map(|p| p.rules)
                .ok_or_else(|| RulesError::UnknownName(text.to_owned()));
        }
        let object: Map<String, Value> =
            serde_json::from_str(text).map_err(|e| RulesError::Syntax(e.to_string()))?;
        let mut rules = Ruleset::from_tromp_taylor();
        for (key, value) in &object {
            rules.set_value(key, value)?;
        }
        Ok(rules)
    }

    fn from_tromp_taylor() -> Ruleset {
        preset("tromp-taylor").map(|p| p.rules).unwrap_or_default()
    }

    /// Change one rule, as `kata-set-rule` does.
    ///
    /// # Errors
    /// As [`Ruleset::parse`]; the ruleset is then unchanged.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), RulesError> {
        self.set_value(key, &Value::String(value.trim().to_owned()))
    }

    fn set_value(&mut self, key: &str, value: &Value) -> Result<(), RulesError> {
        // Other spellings of keys that KataGo reads, and its button, which no
        // preset here has.
        let name = match key {
            "score" => "scoring",
            other => other,
        };
        if name == "hasButton" {
            return match boolean(value) {
                Some(false) => Ok(()),
                _ => Err(bad_value(key, value, "false: the button is not supported")),
            };
        }
        let field = FIELDS
            .iter()
            .find(|f| f.key == name)
            .ok_or_else(|| RulesError::UnknownKey(key.to_owned()))?;
        let mut changed = *self;
        (field.set)(&mut changed, value).ok_or_else(|| bad_value(key, value, field.expected))?;
        *self = changed;
        Ok(())
    }

    /// One line of JSON: every field but komi, which a front end answers for itself.
    pub fn to_json(&self) -> String {
        let mut object = Map::new();
        object.insert("hasButton".into(), json!(false));
        for field in FIELDS.iter().filter(|f| f.key != "komi") {
            object.insert(field.key.into(), (field.get)(self));
        }
        Value::Object(object).to_string()
    }
}

fn bad_value(key: &str, value: &Value, expected: &'static str) -> RulesError {
    RulesError::BadValue {
        key: key.to_owned(),
        value: value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned),
        expected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_of_every_preset_reads_back() {
        for p in PRESETS {
            let back = Ruleset::parse(&p.rules.to_json()).expect(p.name);
            let same = Ruleset {
                komi: p.rules.komi,
                handicap_komi: p.rules.handicap_komi,
                ..back
            };
            assert_eq!(same, p.rules, "{}", p.name);
            assert_eq!(p.rules.name(), Some(p.name));
        }
    }

    #[test]
    fn a_bad_field_changes_nothing() {
        let mut r = Ruleset::default();
        let before = r;
        assert!(r.set("ko", "sometimes").is_err());
        assert!(r.set("nonsense", "1").is_err());
        assert!(Ruleset::parse("{\"ko\":").is_err());
        assert!(Ruleset::parse("klingon").is_err());
        assert_eq!(r, before);
    }
}
