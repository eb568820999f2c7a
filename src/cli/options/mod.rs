//! Command-line options, from which `--help`, the settings and `docs/options.md` derive.

mod definition;
mod documents;

pub use definition::command;
pub(super) use documents::{completions, man};

use super::analysis::Analysis;
use super::analyze::Analyze;
use super::arena::Match;
use super::bench::Bench;
use super::config::{self, ConfigFile};
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
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, FromArgMatches, Parser, Subcommand};
use definition::options_of;
use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
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
    /// Set any parameter by name, including search parameters; may be repeated
    #[arg(long, global = true, value_name = "NAME=VALUE", value_parser = param)]
    pub param: Vec<(String, String)>,
    /// Configuration file (TOML) with parameters by name; options override it; may be repeated
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Vec<PathBuf>,
    /// KataGo's configuration file (.cfg); may be repeated
    #[arg(long, global = true, value_name = "FILE")]
    pub katago_config: Vec<PathBuf>,
    /// Settings by KataGo's names, applied after its configuration files; may be repeated
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
    /// Review recorded games: write win rates, leads and the best variations into copies of them.
    #[command(
        after_help = "Examples:\n  ponnuki analyze game.sgf --html\n  ponnuki analyze games --out reviewed --visits 100"
    )]
    Analyze(Analyze),
    /// Play games between two engines, with Ponnuki as referee.
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
    #[command(after_help = "Examples:\n  ponnuki man > ponnuki.6")]
    Man,
    /// Write the completions of a shell.
    #[command(
        after_help = "Examples:\n  ponnuki completions bash > ~/.local/share/bash-completion/completions/ponnuki"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Settings of a run, apart from the command's own options.
#[derive(Debug)]
pub(super) struct RunSettings {
    /// Settings from the options and the configuration files.
    pub configuration: Configuration,
    /// The ruleset, if given.
    pub rules: Option<Rules>,
    /// Names of the parameters set by options or TOML configuration files.
    pub given: Vec<&'static str>,
    /// File for all protocol traffic.
    pub log: Option<PathBuf>,
    /// Was it started with KataGo's command line for GTP?
    pub as_katago: bool,
}

impl Arguments {
    /// Read the command and settings from arguments, which override configuration files.
    ///
    /// # Errors
    /// If an argument or a file is invalid, or the command does not use an option.
    pub fn read(
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Result<(Option<Command>, RunSettings), clap::Error> {
        let mut command = command();
        let arguments: Vec<OsString> = arguments.into_iter().collect();
        let as_katago = katago::is_gtp_command_line(&arguments);
        let (arguments, mut notes) = katago::translate_arguments(arguments);
        let matches = command.try_get_matches_from_mut(arguments)?;
        let read = Arguments::from_arg_matches(&matches)?;
        Arguments::refuse_unused(&mut command, &matches)?;
        let mut configuration = Configuration::default();
        if matches!(
            read.command,
            None | Some(Command::Gtp | Command::Play(_) | Command::Serve(_))
        ) {
            // A random seed, so that a person who has won cannot win again by the same moves.
            configuration.engine.seed = RandomState::new().hash_one(());
        }
        let mut file = ConfigFile::default();
        for path in &read.config {
            let later = config::read(path, &mut configuration, &config::bytes)
                .map_err(|e| command.error(ErrorKind::ValueValidation, e))?;
            file.names.extend(later.names);
            file.log = later.log.or(file.log);
        }
        let (files, overrides) = (&read.katago_config, &read.override_config);
        let more = katago::configure(files, overrides, &config::bytes, &mut configuration);
        notes.extend(more.map_err(|e| command.error(ErrorKind::ValueValidation, e))?);
        for text in notes {
            note(format_args!("ponnuki: {text}"));
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
        // Commands without rules have refused the option already.
        if matches!(rules, Some(Rules::All)) && !matches!(read.command, Some(Command::Score(_))) {
            let message = "this command uses one ruleset, not all";
            return Err(command.error(ErrorKind::InvalidValue, message));
        }
        for (name, value) in in_order(&read.param, |(name, _)| name) {
            let set = katago::set(&mut configuration, name, value);
            set.map_err(|e| command.error(ErrorKind::ValueValidation, e))?;
        }
        let named = read.param.iter().map(|(name, _)| name).chain(&file.names);
        let named = named.filter_map(|name| Parameter::named(katago::own_name(name)));
        let run = RunSettings {
            configuration,
            rules,
            given: given.into_iter().chain(named).map(|p| p.name).collect(),
            log: read.log.or(file.log),
            as_katago,
        };
        Ok((read.command, run))
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

fn param(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    let set = katago::set(&mut Configuration::default(), name, value);
    set.map_err(|e| e.to_string())?;
    Ok((name.to_owned(), value.to_owned()))
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
