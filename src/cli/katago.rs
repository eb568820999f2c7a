//! KataGo's command lines and configuration files, so that a client set up for KataGo
//! needs only another path.

use super::config::{self, Open};
use crate::gtp::note;
use crate::player::{Settings, Taken, in_order};
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// KataGo's options, which begin with one dash, and Ponnuki's; `None` if the option and its
/// value are ignored.
const OPTIONS: &[(&str, Option<&str>)] = &[
    ("-model", Some("--net")),
    ("-config", Some("--katago-config")),
    ("-override-config", Some("--override-config")),
    ("-analysis-threads", Some("--analysis-threads")),
    ("-quit-without-waiting", Some("--quit-without-waiting")),
    ("-human-model", None),
    ("-visits", None),
    ("-numpositions", None),
    ("-time", None),
];

/// KataGo's commands and Ponnuki's.
const COMMANDS: &[(&str, &str)] = &[
    ("gtp", "gtp"),
    ("analysis", "analysis"),
    ("benchmark", "bench"),
    ("version", "--version"),
];

/// Is this KataGo's command line for GTP?
pub(super) fn starts_its_gtp(arguments: &[OsString]) -> bool {
    let is = |i: usize, word: &str| arguments.get(i).is_some_and(|a| a == word);
    let is_given = |(name, _): &(&str, _)| arguments.iter().skip(2).any(|a| a == *name);
    is(1, "gtp") && OPTIONS.iter().any(is_given)
}

/// Translate KataGo's arguments to Ponnuki's; leave others unchanged. Options without
/// effect here are dropped and named on standard error.
pub(super) fn double_dashes(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let given: Vec<OsString> = arguments.into_iter().collect();
    let word = |i: usize| given.get(i).and_then(|a: &OsString| a.to_str());
    let command = COMMANDS.iter().find(|(name, _)| word(1) == Some(name));
    let Some((_, ours)) = command else {
        return given;
    };
    let bench = *ours == "bench";
    let mut taken: Vec<OsString> = given.iter().take(1).cloned().collect();
    taken.push(ours.into());
    let mut rest = given.iter().skip(2);
    while let Some(argument) = rest.next() {
        let option = OPTIONS
            .iter()
            .find(|(name, _)| argument.to_str() == Some(name));
        match option {
            // The benchmark has its own parameters.
            Some((name @ ("-config" | "-override-config"), _)) if bench => {
                ignore(name, rest.next())
            }
            Some((_, Some(ours))) => taken.push(ours.into()),
            Some((name, None)) => ignore(name, rest.next()),
            None => taken.push(argument.clone()),
        }
    }
    taken
}

fn ignore(name: &str, value: Option<&OsString>) {
    let value = value.map(|v| v.to_string_lossy()).unwrap_or_default();
    note(format_args!("ponnuki: {name} {value} has no effect here"));
}

/// Apply the settings in the files, then those in `KEY=VALUE,…`. Keys without effect are
/// listed on one line of standard error, unknown keys on another.
///
/// # Errors
/// A message with the place of an unreadable file, a malformed line or an invalid value.
pub(super) fn configure(
    files: &[PathBuf],
    overrides: &[String],
    settings: &mut Settings,
) -> Result<(), String> {
    let mut pairs = Vec::new();
    for path in files {
        pairs.extend(read(path, &config::bytes)?);
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
    let (idle, unknown) = apply(&pairs, settings)?;
    for (what, mut keys) in [
        ("keys without effect here (docs/katago.md says why)", idle),
        ("unknown keys", unknown),
    ] {
        let mut named = HashSet::new();
        keys.retain(|key| named.insert(*key));
        if !keys.is_empty() {
            note(format_args!("ponnuki: {what}: {}", keys.join(", ")));
        }
    }
    Ok(())
}

/// Apply these settings. Returns the keys without effect and the unknown keys.
///
/// # Errors
/// A message with the place of an invalid value.
pub(super) fn apply<'a>(
    pairs: &'a [Pair],
    settings: &mut Settings,
) -> Result<(Vec<&'a str>, Vec<&'a str>), String> {
    let (mut idle, mut unknown) = (Vec::new(), Vec::new());
    for Pair { key, value, place } in in_order(pairs, |p| &p.key) {
        match settings.set_katago(key, value) {
            Ok(Taken::Done) => {}
            Ok(Taken::NoEffect(_)) => idle.push(key.as_str()),
            Ok(Taken::Unknown) => unknown.push(key.as_str()),
            Err(e) => return Err(format!("{place}: {key}: {e}")),
        }
    }
    Ok((idle, unknown))
}

/// A setting and its place.
pub(super) struct Pair {
    key: String,
    value: String,
    place: String,
}

/// Deepest nesting of included files.
const DEEPEST: usize = 20;

/// Most files read in all: files that include others twice multiply.
const MOST_FILES: usize = 1000;

/// Read the settings of a file, one per line. `#` begins a comment, and `@include FILE`
/// includes another file.
///
/// # Errors
/// A message with the place of an unreadable file or a malformed line.
pub(super) fn read(path: &Path, open: Open<'_>) -> Result<Vec<Pair>, String> {
    let mut reader = Reader {
        open,
        files: 0,
        pairs: Vec::new(),
    };
    reader.read(path, 0)?;
    Ok(reader.pairs)
}

struct Reader<'a> {
    open: Open<'a>,
    files: usize,
    pairs: Vec<Pair>,
}

impl Reader<'_> {
    fn read(&mut self, path: &Path, depth: usize) -> Result<(), String> {
        let name = path.display();
        if depth > DEEPEST {
            return Err(format!(
                "{name}: files include each other more than {DEEPEST} deep"
            ));
        }
        self.files += 1;
        if self.files > MOST_FILES {
            return Err(format!("{name}: more than {MOST_FILES} files are included"));
        }
        let bytes = (self.open)(path)?;
        let text = String::from_utf8_lossy(&bytes);
        for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = line.split('#').next().unwrap_or("").trim();
            let place = format!("{name}, line {}", number + 1);
            if line.is_empty() {
                continue;
            }
            if let Some(other) = line.strip_prefix("@include") {
                let other = path.with_file_name(unquoted(other));
                let read = self.read(&other, depth + 1);
                read.map_err(|e| format!("{place}: {e}"))?;
                continue;
            }
            let pair = line.split_once('=');
            let (key, value) =
                pair.ok_or_else(|| format!("{place}: expected KEY = VALUE, not '{line}'"))?;
            self.pairs.push(Pair {
                key: key.trim().to_owned(),
                value: unquoted(value).to_owned(),
                place,
            });
        }
        Ok(())
    }
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    inside.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use crate::cli::configured;

    #[test]
    fn key_order_does_not_matter_and_the_last_value_counts() {
        let below = |text: &str| configured(text.as_bytes(), true).unwrap().resign_below;
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
        assert_eq!(below_in_ours.resign_below, None);
        // Single rules modify the ruleset, even if it is named after them.
        let button = ours("hasButton = true\nrules = \"aga\"\n").rules;
        assert!(button.button && button.scoring == crate::rules::Scoring::Area);
        let again = below("allowResignation=false\nresignThreshold=-0.9\nallowResignation=true\n");
        assert!((again.unwrap() - 0.05).abs() < 1e-6);
    }
}
