//! Reading and writing small texts.

use serde_json::Value;
use std::fmt::Display;

/// Read a truth value: `true`, `1`, `yes` or `on`, or the opposites, in upper or lower case.
pub fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// Write things one after another, separated by blanks: `D4 pass`.
pub fn spaced<T: Display>(all: impl IntoIterator<Item = T>) -> String {
    let texts: Vec<String> = all.into_iter().map(|one| one.to_string()).collect();
    texts.join(" ")
}

/// Strip blanks and a pair of quotes around a text.
pub fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    inner.unwrap_or(text)
}

/// Write a JSON value as text; a string without its quotes.
pub fn json_text(value: &Value) -> String {
    let text = value.as_str().map(str::to_owned);
    text.unwrap_or_else(|| value.to_string())
}
