//! The definition of the command line: the commands, an option for each parameter, and which command
//! uses which option.

use super::Arguments;
use crate::configuration::{Configuration, PARAMETERS, Parameter};
use crate::rules::PRESETS;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, CommandFactory};
use std::ffi::OsStr;

/// The name and the options of a command that does not use all of them. Its help lists only these,
/// and others are refused.
pub(super) fn options_of(command: &str) -> Option<(&'static str, Vec<&'static str>)> {
    const SEARCH: &[&str] = &[
        "threads",
        "playouts",
        "visits",
        "time",
        "memory",
        "seed",
        "param",
        "config",
        "net",
        "net-cache",
    ];
    const OPTIONS: &[(&str, &[&[&str]])] = &[
        (
            "analysis",
            &[
                SEARCH,
                &["analysis-threads", "perspective", "variation"],
                &["warn-unused", "katago-config", "override-config"],
            ],
        ),
        (
            "play",
            &[SEARCH, &["rules", "komi", "size", "level", "ponder"]],
        ),
        ("bench", &[&["threads", "net"]]),
        ("rules", &[]),
        ("analyze", &[SEARCH, &["rules"]]),
        ("match", &[&["rules", "komi", "size", "seed", "config"]]),
        ("score", &[&["rules", "net"]]),
        ("solve", &[SEARCH]),
        ("serve", &[SEARCH, &["rules", "komi", "size", "level"]]),
        ("man", &[]),
        ("completions", &[]),
        ("selfplay", &[&["net", "seed", "size", "threads", "visits"]]),
        ("label", &[&["net", "seed", "threads"]]),
    ];
    let of_command = OPTIONS.iter().find(|(name, _)| *name == command);
    of_command.map(|(name, lists)| (*name, lists.concat()))
}

/// Marks a help text that states the default itself.
const DEFAULT: &str = "Default:";

/// Help of an option that has another meaning for a command.
fn own_help(command: &str, option: &str) -> Option<&'static str> {
    Some(match (command, option) {
        ("score", "rules") => {
            "Ruleset: a name that `ponnuki rules` lists, JSON as kata-set-rules takes it, or `all`. \
             Default: the record's rules"
        }
        ("analyze", "rules") => {
            "Ruleset: a name that `ponnuki rules` lists, or JSON as kata-set-rules takes it. \
             Default: the record's rules"
        }
        ("analyze", "visits") => {
            "Maximum visits per position, or `off`. Default: 1000 if nothing else limits the search"
        }
        ("analysis", "visits") => {
            "Maximum visits per position, or `off`. Default: 500 if nothing else limits the search"
        }
        ("analyze" | "analysis", "time") => "Maximum seconds per position. Default: no limit",
        ("solve", "time") => "Maximum seconds per problem. Default: 5",
        ("bench", "threads") => {
            "Threads, from 1 to 256. Default: 1 with playouts; with a network, 1 and one for each \
             processor"
        }
        ("serve", "size") => {
            "Size of the board that the form starts with: N or COLUMNSxROWS, from 2 to 25. Default: 9"
        }
        ("selfplay", "size") => {
            "Board size: N or COLUMNSxROWS, from 2 to 25. Default: a mix of sizes"
        }
        ("label", "net") => {
            "Network that labels the positions: a KataGo file (.bin.gz, .txt.gz) or `built-in`. \
             Default: none, which writes only features"
        }
        _ => return None,
    })
}

/// Parser of a parameter's value; completions offer its usual values.
#[derive(Clone)]
struct ValueOf(&'static Parameter);

impl TypedValueParser for ValueOf {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        let check = |text: &str| -> Result<String, String> {
            if self.0.name != "rules" || !text.eq_ignore_ascii_case("all") {
                let set = self.0.set(&mut Configuration::default(), text);
                set.map_err(|e| e.to_string())?;
            }
            Ok(text.to_owned())
        };
        check.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values: Vec<&str> = match self.0.name {
            "rules" => PRESETS.iter().map(|preset| preset.name).collect(),
            "level" => vec!["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "off"],
            "size" => vec!["9", "13", "19"],
            "perspective" => vec!["BLACK", "WHITE", "SIDETOMOVE"],
            _ if self.0.is_bool() => vec!["true", "false"],
            _ => return None,
        };
        Some(Box::new(values.into_iter().map(PossibleValue::new)))
    }
}

/// The command line: the commands, and an option for each parameter.
pub fn command() -> clap::Command {
    let defaults = Configuration::default();
    // Their defaults depend on the machine and the command.
    let varying = ["threads", "seed"];
    let whole = PARAMETERS.iter().fold(Arguments::command(), |command, p| {
        let mut arg = Arg::new(p.name)
            .long(p.name.replace('_', "-"))
            .help(p.doc)
            .help_heading(p.group)
            .global(true)
            .allow_negative_numbers(true)
            .hide_possible_values(true)
            .hide_default_value(p.doc.contains(DEFAULT))
            .value_parser(ValueOf(p));
        let default = p.get(&defaults);
        if p.is_bool() {
            arg = arg
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("true")
                .value_name("BOOL");
        } else {
            arg = arg.value_name(p.value);
        }
        if !default.is_empty() && !p.is_bool() && !varying.contains(&p.name) {
            arg = arg.default_value(default);
        }
        command.arg(arg)
    });
    let global = whole.get_arguments().filter(|a| a.is_global_set());
    let options: Vec<Arg> = global.cloned().collect();
    // A command's own copy of an option takes precedence over the global one.
    whole.mut_subcommands(|command| {
        let Some((_, used)) = options_of(command.get_name()) else {
            return command;
        };
        let name = command.get_name().to_owned();
        let own = options.iter().filter_map(|a| {
            let long = a.get_long()?;
            match own_help(&name, long) {
                Some(help) => Some(
                    a.clone()
                        .help(help)
                        .hide_default_value(help.contains(DEFAULT)),
                ),
                None if used.contains(&long) => None,
                None => Some(a.clone().hide(true)),
            }
        });
        command.args(own.collect::<Vec<_>>())
    })
}
