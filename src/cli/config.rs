//! The configuration file: parameters by name.

use crate::player::{ParameterError, Settings};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Set what the file says, and return where it wants all traffic written (`log`).
///
/// # Errors
/// What is wrong with the file, and where.
pub(super) fn read(path: &Path, settings: &mut Settings) -> Result<Option<PathBuf>, String> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|e| format!("cannot read {name}: {e}"))?;
    let table: Table = text.parse().map_err(|e: toml::de::Error| {
        let line = e.span().map_or(1, |s| line_of(&text, s.start));
        format!("{name}, line {line}: {}", e.message())
    })?;
    let mut log = None;
    for (key, value) in &table {
        let line = line_of_key(&text, key);
        let wrong = |e: ParameterError| format!("{name}, line {line}: {key}: {e}");
        let value = match value {
            Value::String(s) => s.clone(),
            Value::Integer(n) => n.to_string(),
            Value::Float(x) => x.to_string(),
            Value::Boolean(b) => b.to_string(),
            Value::Datetime(_) | Value::Array(_) | Value::Table(_) => {
                let what = "expected a number, a text, true or false";
                return Err(wrong(ParameterError::Value(what.to_owned())));
            }
        };
        if key == "log" {
            log = Some(PathBuf::from(value));
            continue;
        }
        settings.set(key, &value).map_err(wrong)?;
    }
    Ok(log)
}

fn line_of(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|&b| b == b'\n').count()
}

/// The line that sets a key, from 1.
fn line_of_key(text: &str, key: &str) -> usize {
    let sets = |line: &str| {
        let (name, _) = line.split_once('=').unwrap_or((line, ""));
        name.trim().trim_matches(['"', '\'', '[', ']']) == key
    };
    1 + text.lines().position(sets).unwrap_or(0)
}
