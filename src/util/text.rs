//! Reading and writing small texts.

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
