use super::fields::{FIELDS, Field};
use crate::rules::PRESETS;
use crate::util::json_text;
use serde_json::Value;
use thiserror::Error;

/// The reason that a text is not a ruleset.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RulesError {
    /// No preset of this name.
    #[error("unknown rules '{0}'; known: {known}", known = listed(PRESETS.iter().map(|p| p.name)))]
    UnknownName(String),
    /// The text starts like JSON but is invalid, with the parser's message.
    #[error("rules are not valid JSON: {0}")]
    Syntax(String),
    /// No rule of this name.
    #[error("unknown rule '{0}'; known: {known}", known = listed(FIELDS.iter().map(|f| f.key)))]
    UnknownKey(String),
    /// The rule exists but cannot have this value.
    #[error("rule '{key}' cannot be '{value}'; expected {expected}")]
    BadValue {
        /// The rule.
        key: String,
        /// The value given.
        value: String,
        /// The values accepted.
        expected: &'static str,
    },
}

impl RulesError {
    /// [`RulesError::BadValue`] for a field that the input calls `key`.
    pub(super) fn bad_value(field: &Field, key: &str, value: &Value) -> RulesError {
        RulesError::BadValue {
            key: key.to_owned(),
            value: json_text(value),
            expected: field.expected,
        }
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
