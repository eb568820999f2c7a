//! KataGo's command lines: a client set up for KataGo needs only Ponnuki's path.

use std::ffi::OsString;

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
pub fn is_gtp_command_line(arguments: &[OsString]) -> bool {
    let is = |i: usize, word: &str| arguments.get(i).is_some_and(|a| a == word);
    let is_given = |(name, _): &(&str, _)| arguments.iter().skip(2).any(|a| a == *name);
    is(1, "gtp") && OPTIONS.iter().any(is_given)
}

/// Translate KataGo's arguments to Ponnuki's; leave others unchanged. Options without
/// effect here are dropped and returned as notes.
pub fn translate_arguments(
    arguments: impl IntoIterator<Item = OsString>,
) -> (Vec<OsString>, Vec<String>) {
    let given: Vec<OsString> = arguments.into_iter().collect();
    let word = |i: usize| given.get(i).and_then(|a: &OsString| a.to_str());
    let command = COMMANDS.iter().find(|(name, _)| word(1) == Some(name));
    let Some((_, ours)) = command else {
        return (given, Vec::new());
    };
    let bench = *ours == "bench";
    let mut translated: Vec<OsString> = given.iter().take(1).cloned().collect();
    translated.push(ours.into());
    let mut notes = Vec::new();
    let mut ignore = |name: &str, value: Option<&OsString>| {
        let value = value.map(|v| v.to_string_lossy()).unwrap_or_default();
        notes.push(format!("{name} {value} has no effect here"));
    };
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
            Some((_, Some(ours))) => translated.push(ours.into()),
            Some((name, None)) => ignore(name, rest.next()),
            None => translated.push(argument.clone()),
        }
    }
    (translated, notes)
}
