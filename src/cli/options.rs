//! The flags, from which `--help`, the settings and the README's list derive.

use super::score::{Rules, Score};
use crate::engine::Settings;
use crate::rules::Ruleset;
use crate::search::SearchParams;
use crate::types::{BoardSize, Komi};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// A play engine for the game of Go. Without a command it speaks the Go Text
/// Protocol on standard input and output.
#[derive(Debug, Parser)]
#[command(name = "ponnuki", version, max_term_width = 100)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub play: Play,
    /// Was `--rules` given?
    #[arg(skip)]
    pub rules_are_chosen: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Speak the Go Text Protocol (the default).
    Gtp,
    /// Measure the search on fixed positions and print its signature.
    Bench,
    /// List the rulesets.
    Rules,
    /// Score a recorded game: life and death, territory and the result.
    Score(Score),
}

#[derive(Debug, Args)]
pub(super) struct Play {
    /// Ruleset: a name (see `ponnuki rules`) or JSON as kata-set-rules takes it; for score also `all`
    #[arg(long, global = true, value_name = "NAME", value_parser = rules, default_value = "new-zealand")]
    pub rules: Rules,
    /// Komi; the ruleset's own if not given
    #[arg(long, global = true, value_name = "POINTS", value_parser = komi, allow_negative_numbers = true)]
    pub komi: Option<Komi>,
    /// Size of the first board: N or COLUMNSxROWS, from 2 to 25; the ruleset's own if not given (uk 13, others 19)
    #[arg(long, global = true, value_name = "SIZE", value_parser = size)]
    pub size: Option<BoardSize>,
    /// Search threads; all processors if not given
    #[arg(long, global = true, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// Most playouts a move; replaces the time a move when no clock runs
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub playouts: Option<u64>,
    /// Most visits of the position, those kept from earlier moves included
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub visits: Option<u64>,
    /// Seconds a move when no clock runs
    #[arg(long, global = true, value_name = "SECONDS", value_parser = seconds, default_value = "5")]
    pub time: Duration,
    /// Milliseconds kept free on a clock for delays on the way
    #[arg(long, global = true, value_name = "MS", default_value = "100", value_parser = clap::value_parser!(u64).range(0..60_000))]
    pub lag: u64,
    /// Memory for the search tree, in megabytes
    #[arg(long, global = true, value_name = "MB", default_value = "512", value_parser = clap::value_parser!(u64).range(1..1_000_000))]
    pub memory: u64,
    /// Seed of all random choices; with one thread and --playouts, games repeat
    #[arg(long, global = true, value_name = "N")]
    pub seed: Option<u64>,
    /// Go on searching while the opponent thinks
    #[arg(long, global = true)]
    pub ponder: bool,
    /// Resign when the win rate is below so many percent, or `off`
    #[arg(long, global = true, value_name = "PERCENT", value_parser = resignation, default_value = "8")]
    pub resign_below: Resignation,
    /// … at so many own moves in a row
    #[arg(long, global = true, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u32).range(1..))]
    pub resign_moves: u32,
    /// … and not before this turn of the game
    #[arg(long, global = true, value_name = "N", default_value = "20")]
    pub resign_after: u32,
    /// Set a number of the search; may be given several times
    #[arg(long, global = true, value_name = "NAME=VALUE", value_parser = param)]
    pub param: Vec<(String, f32)>,
    /// Write all traffic to this file, with times
    #[arg(long, global = true, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

/// A threshold as a share from 0 to 1; `None` is off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resignation(Option<f32>);

impl Arguments {
    /// What these arguments say.
    ///
    /// # Errors
    /// If they make no sense; so does a flag that its command does not heed.
    pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Arguments, clap::Error> {
        let mut command = Arguments::command();
        let matches = command.try_get_matches_from_mut(arguments)?;
        let mut read = Arguments::from_arg_matches(&matches)?;
        let chosen = matches.value_source("rules") == Some(ValueSource::CommandLine);
        let (name, heeded): (_, &[&str]) = match read.command {
            None | Some(Command::Gtp) => {
                if let Rules::All = read.play.rules {
                    let message = "a game is played by one ruleset, not all";
                    return Err(command.error(ErrorKind::InvalidValue, message));
                }
                return Ok(read);
            }
            Some(Command::Bench) => ("bench", &["threads"]),
            Some(Command::Rules) => ("rules", &[]),
            Some(Command::Score(_)) => ("score", &["rules"]),
        };
        let given = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let flags: Vec<&str> = command
            .get_arguments()
            .filter_map(|a| a.get_long())
            .filter(|long| !heeded.contains(long) && !matches!(*long, "help" | "version"))
            .collect();
        match flags
            .iter()
            .find(|flag| given(&flag.replace('-', "_").as_str()))
        {
            Some(flag) => Err(command.error(
                ErrorKind::ArgumentConflict,
                format!("{name} does not heed --{flag}"),
            )),
            None => {
                read.rules_are_chosen = chosen;
                Ok(read)
            }
        }
    }
}

impl Play {
    /// What the flags say.
    pub fn settings(&self) -> Settings {
        let default = Settings::default();
        let mut params = SearchParams::default();
        for (name, value) in &self.param {
            params.set(name, *value);
        }
        let rules = match self.rules {
            Rules::These(rules) => rules,
            Rules::All => Ruleset::default(),
        };
        let own_size = rules
            .preset()
            .map_or(default.size, |p| BoardSize::square(p.board));
        Settings {
            size: self.size.unwrap_or(own_size),
            rules,
            komi: self.komi,
            threads: self.threads.unwrap_or(default.threads),
            playouts: self.playouts,
            visits: self.visits,
            move_time: self.time,
            lag: Duration::from_millis(self.lag),
            memory: (self.memory as usize) << 20,
            seed: self.seed.unwrap_or(default.seed),
            params,
            ponder: self.ponder,
            resign_below: self.resign_below.0,
            resign_moves: self.resign_moves,
            resign_after: self.resign_after,
        }
    }
}

fn rules(text: &str) -> Result<Rules, String> {
    if text.eq_ignore_ascii_case("all") {
        return Ok(Rules::All);
    }
    let rules = Ruleset::parse(text).map_err(|e| e.to_string())?;
    Ok(Rules::These(rules))
}

fn komi(text: &str) -> Result<Komi, String> {
    let points = text.parse().map_err(|_| "not a number".to_owned())?;
    Komi::new(points).map_err(|e| e.to_string())
}

fn size(text: &str) -> Result<BoardSize, String> {
    let bad = || "expected N or COLUMNSxROWS, each from 2 to 25".to_owned();
    let (w, h) = text.split_once('x').unwrap_or((text, text));
    let side = |t: &str| {
        t.parse()
            .ok()
            .filter(|n| (2..=25).contains(n))
            .ok_or_else(bad)
    };
    BoardSize::new(side(w)?, side(h)?).map_err(|e| e.to_string())
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n @ 1..=256) => Ok(n),
        _ => Err("expected a number of threads from 1 to 256".to_owned()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let bad = || "expected a number of seconds above 0 and up to 86400".to_owned();
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && s <= 86_400.0 => Duration::try_from_secs_f64(s).map_err(|_| bad()),
        _ => Err(bad()),
    }
}

fn resignation(text: &str) -> Result<Resignation, String> {
    if text.eq_ignore_ascii_case("off") {
        return Ok(Resignation(None));
    }
    match text.trim_end_matches('%').parse::<f32>() {
        Ok(p) if (0.0..=100.0).contains(&p) => Ok(Resignation(Some(p / 100.0))),
        _ => Err("expected a percentage from 0 to 100, or off".to_owned()),
    }
}

fn param(text: &str) -> Result<(String, f32), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    let known = SearchParams::LIST.iter().find(|p| p.name == name);
    let info = known.ok_or_else(|| {
        let names: Vec<_> = SearchParams::LIST.iter().map(|p| p.name).collect();
        format!("no such number; there are {}", names.join(", "))
    })?;
    let value = value
        .parse()
        .map_err(|_| format!("'{value}' is not a number"))?;
    if SearchParams::default().set(name, value) {
        Ok((name.to_owned(), value))
    } else {
        let (least, most) = info.range;
        Err(format!("{name} is from {least} to {most}"))
    }
}

/// The list of options for the README.
pub fn options_markdown() -> String {
    let mut text = String::from("| option | meaning | default |\n|---|---|---|\n");
    for arg in Arguments::command().get_arguments() {
        let Some(long) = arg.get_long() else { continue };
        if matches!(long, "help" | "version") {
            continue;
        }
        let takes_value = arg.get_action().takes_values();
        let value = match arg.get_value_names().and_then(|n| n.first()) {
            Some(name) if takes_value => format!(" {name}"),
            _ => String::new(),
        };
        let default: Vec<_> = arg
            .get_default_values()
            .iter()
            .map(|v| v.to_string_lossy().into_owned())
            .collect();
        let default = if takes_value {
            default.join(" ")
        } else {
            String::new()
        };
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        text.push_str(&format!("| `--{long}{value}` | {help} | {default} |\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }
}
