use super::fields::FIELDS;
use crate::rules::PRESETS;
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
