//! The configuration file: parameters by name.

use crate::configuration::{Configuration, ParameterError};
use crate::katago::{self, Open, in_order};
use crate::util::read_up_to;
use std::fs::File;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Settings from a configuration file of these bytes: TOML, or KataGo's format, where `@include`
/// reads the same bytes again.
///
/// # Errors
/// A message that says what is wrong with the file, and where.
pub fn configured(bytes: &[u8], katago: bool) -> Result<Configuration, String> {
    let open = |_: &Path| Ok(bytes.to_vec());
    let path = Path::new("configuration");
    let mut configuration = Configuration::default();
    if katago {
        katago::apply(&katago::read(path, &open)?, &mut configuration)?;
    } else {
        read(path, &mut configuration, &open)?;
    }
    Ok(configuration)
}

/// What a configuration file sets, apart from the values of parameters.
#[derive(Default)]
pub(super) struct ConfigFile {
    /// Names of the parameters it sets.
    pub names: Vec<String>,
    /// Log file of all traffic (`log`).
    pub log: Option<PathBuf>,
}

/// Set the parameters in a file. Returns their names and the log file.
///
/// # Errors
/// A message that says what is wrong with the file, and where.
pub(super) fn read(
    path: &Path,
    configuration: &mut Configuration,
    open: Open<'_>,
) -> Result<ConfigFile, String> {
    let name = path.display();
    let text = String::from_utf8(open(path)?).map_err(|e| {
        let line = line_of(e.as_bytes(), e.utf8_error().valid_up_to());
        format!("{name}, line {line}: not UTF-8")
    })?;
    let table: Table = text.parse().map_err(|e: toml::de::Error| {
        let line = e.span().map_or(1, |s| line_of(text.as_bytes(), s.start));
        let hint = match text.lines().nth(line - 1) {
            Some(line) if line.contains('\\') => PATHS,
            _ => "",
        };
        format!("{name}, line {line}: {}{hint}", e.message())
    })?;
    let mut file = ConfigFile::default();
    for (key, value) in in_order(&table, |(key, _)| key) {
        let line = line_of_key(&text, key);
        let wrong = |e: ParameterError| format!("{name}, line {line}: {key}: {e}");
        let same = |other: &&String| other.replace('-', "_") == key.replace('-', "_");
        if let Some(other) = file.names.iter().find(same) {
            let what = format!("this parameter is set twice, also as {other}");
            return Err(wrong(ParameterError::Value(what)));
        }
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
        // `\n` or `\t` in a path was meant as a backslash before a letter.
        let is_path = matches!(key.as_str(), "log" | "net");
        if is_path && value.contains(char::is_control) {
            let what = format!("{value:?} has a control character{PATHS}");
            return Err(wrong(ParameterError::Value(what)));
        }
        if key == "log" {
            file.log = Some(PathBuf::from(value));
            continue;
        }
        katago::set(configuration, key, &value).map_err(wrong)?;
        file.names.push(key.clone());
    }
    Ok(file)
}

/// How to write a path with backslashes.
const PATHS: &str = "; write a path with \\ in single quotes, or with / instead";

/// Longest configuration file, in bytes.
const LONGEST: u64 = 1 << 24;

/// Read a configuration file. It may be a pipe (`--config <(…)`), but must end.
///
/// # Errors
/// A message if it cannot be read or is longer than 16 MiB.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    let cannot = |e: &dyn std::fmt::Display| format!("cannot read {}: {e}", path.display());
    let file = File::open(path).map_err(|e| cannot(&e))?;
    let bytes = read_up_to(file, LONGEST).map_err(|e| cannot(&e))?;
    bytes.ok_or_else(|| cannot(&"longer than 16 MiB"))
}

fn line_of(text: &[u8], at: usize) -> usize {
    1 + text.iter().take(at).filter(|&&b| b == b'\n').count()
}

/// Number of the line that sets a key, from 1.
fn line_of_key(text: &str, key: &str) -> usize {
    let sets = |line: &str| {
        let (name, _) = line.split_once('=').unwrap_or((line, ""));
        name.trim().trim_matches(['"', '\'', '[', ']']) == key
    };
    1 + text.lines().position(sets).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::configured;

    #[test]
    fn two_spellings_of_a_key_are_an_error() {
        let read = configured(b"resign-below = 5\n\nresign_below = 6\n", false);
        let why = read.unwrap_err();
        assert!(
            why.contains("line 3: resign_below: this parameter is set twice, also as resign-below"),
            "{why}"
        );
    }

    #[test]
    fn key_order_does_not_matter_and_the_last_value_counts() {
        let below = |text: &str| {
            configured(text.as_bytes(), true)
                .unwrap()
                .engine
                .resign_below
        };
        assert_eq!(
            below("allowResignation = false\nresignThreshold = -0.9\n"),
            None
        );
        assert_eq!(
            below("resignThreshold = -0.9\nallowResignation = false\n"),
            None
        );
        let ours = |text: &str| configured(text.as_bytes(), false).unwrap();
        let below_in_ours = ours("allowResignation = false\nresignThreshold = -0.9\n");
        assert_eq!(below_in_ours.engine.resign_below, None);
        // Single rules modify the ruleset, even if the file names the ruleset later.
        let button = ours("hasButton = true\nrules = \"aga\"\n").engine.rules;
        assert!(button.button && button.scoring == crate::rules::Scoring::Area);
        let again = below("allowResignation=false\nresignThreshold=-0.9\nallowResignation=true\n");
        assert!((again.unwrap() - 0.05).abs() < 1e-6);
    }
}
