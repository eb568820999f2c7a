//! Command-line options, from which `--help`, the settings and `docs/options.md` derive.

use super::analysis::Analysis;
use super::analyze::Analyze;
use super::arena::Match;
use super::bench::Bench;
use super::config;
use super::label::Label;
use super::play::PlayArgs;
use super::score::{Rules, Score};
use super::selfplay::Selfplay;
use super::serve::Serve;
use super::solve::Solve;
use crate::configuration::{Configuration, PARAMETERS, Parameter};
use crate::gtp::note;
use crate::katago::{self, in_order};
use crate::player::version;
use crate::rules::PRESETS;
use crate::search::SearchParams;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, CommandFactory, FromArgMatches, Id, Parser, Subcommand};
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::PathBuf;

/// A play engine for the game of Go. Without a command it speaks the Go Text
/// Protocol on standard input and output.
#[derive(Debug, Parser)]
#[command(
    name = "ponnuki",
    version = version(),
    max_term_width = 100,
    args_override_self = true
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Set any parameter by name, also one of the search; may be repeated
    #[arg(long, global = true, value_name = "NAME=VALUE", value_parser = param)]
    pub param: Vec<(String, String)>,
    /// Configuration file (TOML) with parameters by name; options override it; may be repeated
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Vec<PathBuf>,
    /// KataGo's configuration file (.cfg); may be repeated
    #[arg(long, global = true, value_name = "FILE")]
    pub katago_config: Vec<PathBuf>,
    /// Keys of KataGo's configuration, after its files; may be repeated
    #[arg(long, global = true, value_name = "KEY=VALUE,…")]
    pub override_config: Vec<String>,
    /// Write all protocol traffic to this file, with times
    #[arg(long, global = true, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Speak the Go Text Protocol (the default).
    #[command(
        after_help = "Examples:\n  ponnuki gtp --time 2 --level 5\n  ponnuki gtp --rules japanese --size 13 --log game.log"
    )]
    Gtp,
    /// Play a game against the engine at the terminal.
    #[command(
        after_help = "Examples:\n  ponnuki play --size 9 --color black --level 3\n  ponnuki play game.sgf"
    )]
    Play(PlayArgs),
    /// Answer queries in KataGo's JSON analysis protocol.
    #[command(after_help = "Examples:\n  ponnuki analysis --visits 200 --param analysis_threads=2")]
    Analysis(Analysis),
    /// Measure the search on fixed positions and print its signature.
    #[command(after_help = "Examples:\n  ponnuki bench\n  ponnuki bench --net off --threads 1")]
    Bench(Bench),
    /// List the rulesets.
    Rules,
    /// Write a recorded game with win rates, leads and the best variations.
    #[command(
        after_help = "Examples:\n  ponnuki analyze game.sgf --html\n  ponnuki analyze games --out reviewed --visits 100"
    )]
    Analyze(Analyze),
    /// Play games between two engines, with these rules as referee.
    #[command(
        after_help = "Examples:\n  ponnuki match --a 'ponnuki gtp' --b 'gnugo --mode gtp' --games 20 --size 9 --seconds 1"
    )]
    Match(Match),
    /// Score a recorded game: life and death, territory and the result.
    #[command(
        after_help = "Examples:\n  ponnuki score game.sgf --explain\n  ponnuki score game.sgf --rules all\n  ponnuki score game.sgf --move 120 --html"
    )]
    Score(Score),
    /// Solve problems of life and death: does a group live, what kills it, what saves it.
    #[command(
        after_help = "Examples:\n  ponnuki solve problem.sgf --time 5\n  ponnuki solve game.sgf --move 61"
    )]
    Solve(Solve),
    /// Play, review and score games in a browser, on this machine alone.
    #[command(after_help = "Examples:\n  ponnuki serve\n  ponnuki serve --port 9000 --level 5")]
    Serve(Serve),
    /// Play training games by a network's raw policy or a small search.
    #[command(
        after_help = "Examples:\n  ponnuki selfplay --out games.gz --games 1000 --visits 100"
    )]
    Selfplay(Selfplay),
    /// Write features of training games, and a teacher network's labels.
    #[command(
        after_help = "Examples:\n  ponnuki label --games games.gz --net teacher.bin.gz --out shards"
    )]
    Label(Label),
    /// Write the manual page.
    #[command(after_help = "Examples:\n  ponnuki man > ponnuki.1")]
    Man,
    /// Write the completions of a shell.
    #[command(
        after_help = "Examples:\n  ponnuki completions bash > ~/.local/share/bash-completion/completions/ponnuki"
    )]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

/// Settings of a run.
#[derive(Debug)]
pub(super) struct Play {
    /// Settings from the options and the configuration files.
    pub configuration: Configuration,
    /// The ruleset, if given.
    pub rules: Option<Rules>,
    /// Names of the parameters set by options or TOML configuration files.
    pub given: Vec<&'static str>,
    /// File for all protocol traffic.
    pub log: Option<PathBuf>,
    /// Stand in for KataGo?
    pub as_katago: bool,
}

impl Arguments {
    /// Read the command and settings from arguments, which override configuration files.
    ///
    /// # Errors
    /// If an argument or a file is invalid, or the command does not use an option.
    pub fn read(
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Result<(Option<Command>, Play), clap::Error> {
        let mut command = command();
        let arguments: Vec<OsString> = arguments.into_iter().collect();
        let as_katago = katago::starts_its_gtp(&arguments);
        let (arguments, mut notes) = katago::double_dashes(arguments);
        let matches = command.try_get_matches_from_mut(arguments)?;
        let read = Arguments::from_arg_matches(&matches)?;
        Arguments::refuse_unused(&mut command, &matches)?;
        let mut configuration = Configuration::default();
        if matches!(
            read.command,
            None | Some(Command::Gtp | Command::Play(_) | Command::Serve(_))
        ) {
            // A random seed: the same game must not be won twice.
            configuration.engine.seed = RandomState::new().hash_one(std::process::id());
        }
        let mut file = config::Said::default();
        for path in &read.config {
            let said = config::read(path, &mut configuration, &config::bytes)
                .map_err(|e| command.error(ErrorKind::ValueValidation, e))?;
            file.names.extend(said.names);
            file.log = said.log.or(file.log);
        }
        let (files, overrides) = (&read.katago_config, &read.override_config);
        let taken = katago::configure(files, overrides, &config::bytes, &mut configuration);
        notes.extend(taken.map_err(|e| command.error(ErrorKind::ValueValidation, e))?);
        for what in notes {
            note(format_args!("ponnuki: {what}"));
        }
        let given = |name: &str| matches.value_source(name) == Some(ValueSource::CommandLine);
        let given: Vec<&Parameter> = PARAMETERS.iter().filter(|p| given(p.name)).collect();
        let mut rules = None;
        for p in &given {
            let text = matches.get_one::<String>(p.name).map_or("", String::as_str);
            if p.name == "rules" && text.eq_ignore_ascii_case("all") {
                rules = Some(Rules::All);
                continue;
            }
            let set = p.set(&mut configuration, text);
            set.map_err(|e| command.error(ErrorKind::ValueValidation, e))?;
            if p.name == "rules" {
                rules = Some(Rules::These(configuration.engine.rules));
            }
        }
        if let (
            Some(Rules::All),
            None
            | Some(
                Command::Gtp
                | Command::Play(_)
                | Command::Serve(_)
                | Command::Analysis(_)
                | Command::Analyze(_)
                | Command::Match(_),
            ),
        ) = (&rules, &read.command)
        {
            let message = "a game is played by one ruleset, not all";
            return Err(command.error(ErrorKind::InvalidValue, message));
        }
        for (name, value) in in_order(&read.param, |(name, _)| name) {
            let set = katago::set(&mut configuration, name, value);
            set.map_err(|e| command.error(ErrorKind::ValueValidation, e))?;
        }
        let named = read.param.iter().map(|(name, _)| name).chain(&file.names);
        let named = named.filter_map(|name| Parameter::named(&katago::own_name(name)));
        let play = Play {
            configuration,
            rules,
            given: given.into_iter().chain(named).map(|p| p.name).collect(),
            log: read.log.or(file.log),
            as_katago,
        };
        Ok((read.command, play))
    }

    /// Refuse options that the command does not use.
    fn refuse_unused(
        command: &mut clap::Command,
        matches: &clap::ArgMatches,
    ) -> Result<(), clap::Error> {
        let Some((name, used)) = matches.subcommand_name().and_then(options_of) else {
            return Ok(());
        };
        let given = |id: &str| {
            matches.try_get_raw(id).is_ok()
                && matches.value_source(id) == Some(ValueSource::CommandLine)
        };
        let unused = command
            .get_arguments()
            .filter(|a| given(a.get_id().as_str()))
            .filter_map(Arg::get_long)
            .find(|long| !used.contains(long))
            .map(str::to_owned);
        match unused {
            Some(long) => Err(command.error(
                ErrorKind::ArgumentConflict,
                format!("{name} does not use --{long}"),
            )),
            None => Ok(()),
        }
    }
}

/// The name and the options of a command that does not use all of them. Its help lists only these,
/// and others are refused.
fn options_of(command: &str) -> Option<(&'static str, Vec<&'static str>)> {
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

/// Headings of the help and the documents, in order.
const HEADINGS: [&str; 7] = [
    "Game", "Time", "Search", "Network", "Analysis", "Clients", FILES,
];

/// Heading of options that are not parameters.
const FILES: &str = "Files and parameters";

/// Heading of a parameter in the help.
fn heading(name: &str) -> &'static str {
    match name {
        "rules" | "komi" | "size" | "level" | "play_to_end" | "resign_below" | "resign_moves"
        | "resign_after" => "Game",
        "time" | "lag" | "ponder" => "Time",
        "net" | "net_cache" => "Network",
        "analysis_threads" | "perspective" | "variation" | "warn_unused" => "Analysis",
        "live_gfx" | "ogs_chat" | "kgs_chat" => "Clients",
        _ => "Search",
    }
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
fn command() -> clap::Command {
    let defaults = Configuration::default();
    let unset = ["threads", "seed"];
    let whole = PARAMETERS.iter().fold(Arguments::command(), |command, p| {
        let mut arg = Arg::new(p.name)
            .long(p.name.replace('_', "-"))
            .help(p.doc)
            .help_heading(heading(p.name))
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
        if !default.is_empty() && !p.is_bool() && !unset.contains(&p.name) {
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

/// The command line with each option only at the commands that use it, for generators that do not
/// know hidden options.
fn without_globals() -> clap::Command {
    let whole = command();
    let global = whole.get_arguments().filter(|a| a.is_global_set());
    let global: Vec<Arg> = global.map(|a| a.clone().global(false)).collect();
    let whole = Arguments::command().mut_args(|a| a.global(false));
    let its_own: Vec<Id> = whole.get_arguments().map(|a| a.get_id().clone()).collect();
    let missing = global.iter().filter(|a| !its_own.contains(a.get_id()));
    whole.args(missing.cloned()).mut_subcommands(|command| {
        let used = options_of(command.get_name()).map(|(_, used)| used);
        let uses = |a: &&Arg| {
            a.get_long()
                .is_some_and(|long| used.as_ref().is_none_or(|used| used.contains(&long)))
        };
        command.args(global.iter().filter(uses).cloned())
    })
}

/// Write the manual page, with a section for each command.
///
/// # Errors
/// If it cannot be written.
pub(super) fn man(out: &mut impl Write) -> io::Result<()> {
    let mut whole = without_globals();
    whole.build();
    let page = clap_mangen::Man::new(whole.clone()).section("6");
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    for command in whole.get_subcommands().filter(|c| !c.is_hide_set()) {
        let name = command.get_name();
        let about = command.get_about().map(ToString::to_string);
        writeln!(out, ".SH \"PONNUKI {}\"", name.to_uppercase())?;
        writeln!(out, "{}", about.unwrap_or_default())?;
        let mut options = Vec::new();
        clap_mangen::Man::new(command.clone()).render_options_section(&mut options)?;
        // Drop the heading, which is that of the page's own options.
        let options = String::from_utf8_lossy(&options).replacen(".SH OPTIONS\n", "", 1);
        out.write_all(options.as_bytes())?;
    }
    page.render_version_section(out)
}

/// Write the completions for a shell.
///
/// # Errors
/// If they cannot be written.
pub(super) fn completions(shell: clap_complete::Shell, out: &mut impl Write) -> io::Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut without_globals(), "ponnuki", &mut text);
    out.write_all(&text)
}

fn param(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    let set = katago::set(&mut Configuration::default(), name, value);
    set.map_err(|e| e.to_string())?;
    Ok((name.to_owned(), value.to_owned()))
}

/// The options of `docs/options.md` as a table under each heading.
pub fn options_markdown() -> String {
    let command = command();
    let shown = |a: &&Arg| {
        a.get_long()
            .is_some_and(|l| !matches!(l, "help" | "version"))
    };
    let mut text = String::new();
    for heading in HEADINGS {
        text.push_str(&format!(
            "\n### {heading}\n\n| option | meaning | default |\n|---|---|---|\n"
        ));
        let under = |a: &&Arg| a.get_help_heading().unwrap_or(FILES) == heading;
        for arg in command.get_arguments().filter(shown).filter(under) {
            text.push_str(&row(arg));
        }
    }
    text.push('\n');
    text
}

/// The table row of an option.
fn row(arg: &Arg) -> String {
    let long = arg.get_long().unwrap_or_default();
    let takes_value = arg.get_action().takes_values() && !arg.is_require_equals_set();
    let value = match arg.get_value_names().and_then(|n| n.first()) {
        Some(name) if takes_value => format!(" {name}"),
        _ => String::new(),
    };
    let defaults = arg.get_default_values().iter().filter(|_| takes_value);
    let defaults: Vec<_> = defaults.map(|v| v.to_string_lossy()).collect();
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    format!("| `--{long}{value}` | {help} | {} |\n", defaults.join(" "))
}

/// The sample configuration of `docs/ponnuki.toml`: each setting commented out, with its help and its
/// default, or an example if the default varies.
pub fn sample_configuration() -> String {
    let mut text = String::from(
        "# Settings of Ponnuki: ponnuki --config ponnuki.toml\n\
         #\n\
         # To change one, remove the # before its name. Command-line options override this file.\n",
    );
    let defaults = Configuration::default();
    let mut add = |name: &str, doc: &str, value: &str| {
        let bare = value.parse::<f64>().is_ok() || matches!(value, "true" | "false");
        let value = if bare {
            value.to_owned()
        } else {
            format!("{value:?}")
        };
        text.push_str(&format!("\n{}#{name} = {value}\n", comment(doc)));
    };
    for heading in HEADINGS {
        for p in PARAMETERS
            .iter()
            .filter(|p| self::heading(p.name) == heading)
        {
            let default = p.get(&defaults);
            let value = match p.name {
                "komi" => "6.5",
                "size" => "13",
                "threads" | "analysis_threads" => "2",
                "seed" => "1",
                _ => &default,
            };
            add(&p.name.replace('_', "-"), p.doc, value);
        }
    }
    for p in SearchParams::list() {
        add(p.name, p.doc, &defaults.get(p.name).unwrap_or_default());
    }
    text
}

/// Format a sentence as a TOML comment.
fn comment(sentence: &str) -> String {
    let mut lines = vec![String::from("#")];
    for word in sentence.trim_end_matches('.').split(' ') {
        if lines
            .last()
            .is_some_and(|line| line.len() + word.len() > 90)
        {
            lines.push(String::from("#"));
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n") + ".\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn the_examples_of_the_help_are_valid() {
        let mut examples = 0;
        for command in command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string);
            let help = help.unwrap_or_default();
            for line in help.lines().filter_map(|l| l.strip_prefix("  ")) {
                let (line, _) = line.split_once(" > ").unwrap_or((line, ""));
                // Networks are opened while options are read.
                let line = line.replace("teacher.bin.gz", "built-in");
                let words = shlex::split(&line).unwrap();
                let read = Arguments::read(words.into_iter().map(OsString::from));
                assert!(read.is_ok(), "{line}: {}", read.unwrap_err());
                examples += 1;
            }
            let name = command.get_name();
            assert!(!help.is_empty() || name == "rules", "{name}");
        }
        assert!(examples > 10);
    }
}
