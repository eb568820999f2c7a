//! KataGo's configuration files.

use super::values::{Applied, apply_key, in_order};
use crate::configuration::Configuration;
use crate::util::unquoted;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// How to read a file.
pub type Open<'a> = &'a dyn Fn(&Path) -> Result<Vec<u8>, String>;

/// Apply the settings in the files, then those in `KEY=VALUE,…`. Returns a note about the keys
/// without effect and one about the unknown keys, if there are any.
///
/// # Errors
/// A message with the place of an unreadable file, a malformed line or an invalid value.
pub fn configure(
    files: &[PathBuf],
    overrides: &[String],
    open: Open<'_>,
    configuration: &mut Configuration,
) -> Result<Vec<String>, String> {
    let mut pairs = Vec::new();
    for path in files {
        pairs.extend(read(path, open)?);
    }
    for text in overrides {
        for part in text.split(',').filter(|p| !p.trim().is_empty()) {
            let pair = part.split_once('=');
            let (key, value) =
                pair.ok_or_else(|| format!("-override-config: '{part}' is not KEY=VALUE"))?;
            pairs.push(Pair {
                key: key.trim().to_owned(),
                value: value.trim().to_owned(),
                place: "-override-config".to_owned(),
            });
        }
    }
    let (without_effect, unknown) = apply(&pairs, configuration)?;
    let mut notes = Vec::new();
    for (what, mut keys) in [
        (
            "keys without effect here (docs/katago.md says why)",
            without_effect,
        ),
        ("unknown keys", unknown),
    ] {
        let mut named = HashSet::new();
        keys.retain(|key| named.insert(*key));
        if !keys.is_empty() {
            notes.push(format!("{what}: {}", keys.join(", ")));
        }
    }
    Ok(notes)
}

/// Apply these settings. Returns the keys without effect and the unknown keys.
///
/// # Errors
/// A message with the place of an invalid value.
pub fn apply<'a>(
    pairs: &'a [Pair],
    configuration: &mut Configuration,
) -> Result<(Vec<&'a str>, Vec<&'a str>), String> {
    let (mut without_effect, mut unknown) = (Vec::new(), Vec::new());
    for Pair { key, value, place } in in_order(pairs, |p| &p.key) {
        match apply_key(configuration, key, value) {
            Ok(Applied::Done) => {}
            Ok(Applied::NoEffect(_)) => without_effect.push(key.as_str()),
            Ok(Applied::Unknown) => unknown.push(key.as_str()),
            Err(e) => return Err(format!("{place}: {key}: {e}")),
        }
    }
    Ok((without_effect, unknown))
}

/// A setting, and the place it was read from.
pub struct Pair {
    key: String,
    value: String,
    place: String,
}

/// Deepest nesting of included files.
const DEEPEST: usize = 20;

/// Maximum number of files read in total: repeated inclusion could multiply them.
const MOST_FILES: usize = 1000;

/// Read the settings of a file, one per line. Outside double quotes `#` begins a comment.
/// `@include FILE` includes another file.
///
/// # Errors
/// A message with the place of an unreadable file or a malformed line.
pub fn read(path: &Path, open: Open<'_>) -> Result<Vec<Pair>, String> {
    let mut reader = Reader {
        open,
        files: 0,
        including: Vec::new(),
        pairs: Vec::new(),
    };
    reader.read(path)?;
    Ok(reader.pairs)
}

struct Reader<'a> {
    open: Open<'a>,
    files: usize,
    /// The file being read, after those that include it.
    including: Vec<PathBuf>,
    pairs: Vec<Pair>,
}

impl Reader<'_> {
    fn read(&mut self, path: &Path) -> Result<(), String> {
        let name = path.display();
        if self.including.iter().any(|file| file == path) {
            return Err(format!("{name} includes itself"));
        }
        // The same file may have several names.
        if self.including.len() > DEEPEST {
            return Err(format!(
                "{name}: files include each other more than {DEEPEST} deep"
            ));
        }
        self.files += 1;
        if self.files > MOST_FILES {
            return Err(format!("{name}: more than {MOST_FILES} files are included"));
        }
        let bytes = (self.open)(path)?;
        self.including.push(path.to_owned());
        let text = String::from_utf8_lossy(&bytes);
        for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = line.trim();
            let place = format!("{name}, line {}", number + 1);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(other) = line.strip_prefix("@include") {
                let other = path.with_file_name(unquoted(without_comment(other)));
                let read = self.read(&other);
                read.map_err(|e| format!("{place}: {e}"))?;
                continue;
            }
            let malformed = || format!("{place}: expected KEY = VALUE, not '{line}'");
            let (key, text) = line.split_once('=').ok_or_else(malformed)?;
            let value = value(text).filter(|_| !key.contains('#'));
            self.pairs.push(Pair {
                key: key.trim().to_owned(),
                value: value.ok_or_else(malformed)?,
                place,
            });
        }
        self.including.pop();
        Ok(())
    }
}

/// The text up to a comment.
fn without_comment(text: &str) -> &str {
    text.split('#').next().unwrap_or_default()
}

/// Parse a value. In double quotes, `#` does not begin a comment, and a backslash escapes a quote
/// or a backslash. Returns `None` if the closing quote is missing or more than a comment follows it.
fn value(text: &str) -> Option<String> {
    let Some(quoted) = text.trim_start().strip_prefix('"') else {
        return Some(without_comment(text).trim().to_owned());
    };
    let mut value = String::new();
    let mut chars = quoted.chars();
    loop {
        match chars.next()? {
            '"' => break,
            '\\' if chars.as_str().starts_with(['"', '\\']) => value.extend(chars.next()),
            c => value.push(c),
        }
    }
    without_comment(chars.as_str())
        .trim()
        .is_empty()
        .then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_in_quotes_does_not_begin_a_comment() {
        for (text, expected) in [
            (r##""games #2.log" # log"##, Some("games #2.log")),
            ("5 # five", Some("5")),
            ("# none", Some("")),
            (r#" "" "#, Some("")),
            (r#""{\"ko\":\"SIMPLE\"}""#, Some(r#"{"ko":"SIMPLE"}"#)),
            (r#"{"ko":"SIMPLE"} # rules"#, Some(r#"{"ko":"SIMPLE"}"#)),
            (r#""C:\nets\\b6.gz""#, Some(r"C:\nets\b6.gz")),
            (r#""open # comment"#, None),
            (r#""a" b"#, None),
        ] {
            assert_eq!(value(text).as_deref(), expected, "{text}");
        }
    }
}
