//! Table of the settings. The command line, the configuration file and the protocol's parameter
//! commands derive from it.

use super::{Configuration, ParameterError};
use crate::analysis::{EvaluatorChoice, UnknownPerspective};
use crate::net::Model;
use crate::player::MAX_THREADS;
use crate::rules::Ruleset;
use crate::search::MAX_VARIATION;
use crate::types::{BoardSize, Komi};
use crate::util::truth;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// When a parameter may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Only when the program starts. Some have a command that changes them later.
    Start,
    /// At any time.
    Always,
}

/// A setting by name.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name, with words joined by `_`, or by `-` on the command line.
    pub name: &'static str,
    /// Heading in help texts.
    pub group: &'static str,
    /// Placeholder of the value in help texts; `BOOL` for true or false.
    pub value: &'static str,
    /// Help text.
    pub doc: &'static str,
    /// When it may be changed.
    pub scope: Scope,
    get: fn(&Configuration) -> String,
    set: fn(&mut Configuration, &str) -> Result<(), String>,
}

impl Parameter {
    /// Find a parameter by name; dashes count as underscores.
    pub fn named(name: &str) -> Option<&'static Parameter> {
        let name = name.replace('-', "_");
        PARAMETERS.iter().find(|p| p.name == name)
    }

    /// The value in the format of [`Parameter::set`]; empty if it is unset.
    pub fn get(&self, settings: &Configuration) -> String {
        (self.get)(settings)
    }

    /// Set the value.
    ///
    /// # Errors
    /// [`ParameterError::Value`] if the text is invalid; nothing has changed then.
    pub fn set(&self, settings: &mut Configuration, text: &str) -> Result<(), ParameterError> {
        (self.set)(settings, text.trim()).map_err(ParameterError::Value)
    }

    /// Is the value true or false?
    pub fn is_bool(&self) -> bool {
        self.value == "BOOL"
    }
}

macro_rules! parameters {
    ($($group:literal {
        $($name:literal $value:literal $scope:ident, $get:expr, $set:expr, $doc:literal;)*
    })*) => {
        &[$($(Parameter {
            name: $name,
            group: $group,
            value: $value,
            doc: $doc,
            scope: Scope::$scope,
            get: $get,
            set: $set,
        },)*)*]
    };
}

/// Every setting except the parameters of the searches, which are in
/// [`SearchParams::list`](crate::search::SearchParams::list).
pub const PARAMETERS: &[Parameter] = parameters! {
    "Game" {
        "rules" "NAME" Start,
            |s| s.engine.rules.name().map_or_else(|| s.engine.rules.to_json(), str::to_owned),
            |s, text| Ruleset::parse(text).map(|x| s.engine.rules = x).map_err(|e| e.to_string()),
            "Ruleset: a name that `ponnuki rules` lists, or JSON as kata-set-rules takes it";
        "komi" "POINTS" Start,
            |s| optional(s.engine.komi),
            |s, text| {
                let points = text.parse().map_err(|_| "not a number".to_owned())?;
                s.engine.komi = Some(Komi::new(points).map_err(|e| e.to_string())?);
                Ok(())
            },
            "Komi. Default: the ruleset's own";
        "size" "SIZE" Start,
            |s| optional(s.engine.size),
            |s, text| size(text).map(|size| s.engine.size = Some(size)),
            "Size of the first board: N or COLUMNSxROWS, from 2 to 25. Default: 13 under `uk`, otherwise 19";
        "resign_below" "PERCENT" Always,
            |s| match s.engine.resign_below {
                Some(share) => format!("{}", (f64::from(share) * 1e6).round() / 1e4),
                None => "off".to_owned(),
            },
            |s, text| or_off(text, percentage).map(|x| s.engine.resign_below = x),
            "Resign when the win rate, in percent, is below this, or `off`";
        "resign_moves" "N" Always,
            |s| s.engine.resign_moves.to_string(),
            |s, text| whole(text, 1, 1000).map(|n| s.engine.resign_moves = n as u32),
            "Resign only after this many moves in a row below that win rate";
        "resign_after" "N" Always,
            |s| s.engine.resign_after.to_string(),
            |s, text| whole(text, 0, 100_000).map(|n| s.engine.resign_after = n as u32),
            "Do not resign before this turn of the game";
        "level" "N" Always,
            |s| s.engine.level.map_or_else(|| "off".to_owned(), |l| l.to_string()),
            |s, text| {
                s.engine.level = or_off(text, |t| whole_number(t, 1, 10))?.map(|n| n as u8);
                Ok(())
            },
            "Strength of play, from 1 (beginner) to 10 (full strength, as `off`)";
        "play_to_end" "BOOL" Always,
            |s| s.engine.play_to_end.to_string(),
            |s, text| switch(text).map(|x| s.engine.play_to_end = x),
            "Count all stones left at the end as alive, under any rules, and capture the dead stones that decide the game before passing (for CGOS)";
    }
    "Time" {
        "time" "SECONDS" Always,
            |s| s.engine.limits.time.map_or_else(|| "off".to_owned(), |t| t.as_secs_f64().to_string()),
            |s, text| {
                s.engine.limits.time = or_off(text, seconds)?;
                Ok(())
            },
            "Seconds of search per move; with a clock, the maximum. Default: 5 without a clock, or unlimited if visits or playouts are capped";
        "lag" "MS" Always,
            |s| s.engine.lag.as_millis().to_string(),
            |s, text| whole(text, 0, 60_000).map(|n| s.engine.lag = Duration::from_millis(n)),
            "Milliseconds kept in reserve at each move of a timed game, for network and client delays";
        "ponder" "BOOL" Always,
            |s| s.engine.ponder.to_string(),
            |s, text| switch(text).map(|x| s.engine.ponder = x),
            "Keep searching during the opponent's time, within the caps on playouts and visits (not at levels 1 to 9)";
    }
    "Search" {
        "threads" "N" Always,
            |s| s.engine.threads.to_string(),
            |s, text| whole(text, 1, MAX_THREADS as u64).map(|n| s.engine.threads = n as usize),
            "Search threads, from 1 to 256. Default: one for each processor";
        "playouts" "N" Always,
            |s| show_cap(s.engine.limits.playouts),
            |s, text| read_cap(text).map(|x| s.engine.limits.playouts = x),
            "Maximum playouts per move, or `off`";
        "visits" "N" Always,
            |s| show_cap(s.engine.limits.visits),
            |s, text| read_cap(text).map(|x| s.engine.limits.visits = x),
            "Maximum visits of the position, including those kept from earlier moves, or `off`";
        "memory" "MB" Always,
            |s| (s.engine.memory >> 20).to_string(),
            |s, text| whole(text, 1, 1_000_000).map(|n| s.engine.memory = (n as usize) << 20),
            "Memory for the search tree, in megabytes";
        "seed" "N" Always,
            |s| s.engine.seed.to_string(),
            |s, text| whole(text, 0, u64::MAX).map(|x| s.engine.seed = x),
            "Seed of all random choices. With a seed, one thread and a fixed number of playouts, games repeat. Default: a random one over GTP, in `play` and in `serve`, otherwise a fixed one";
    }
    "Network" {
        "net" "FILE" Start,
            |s| s.engine.evaluator.to_string(),
            |s, text| {
                s.engine.evaluator = match text.to_ascii_lowercase().as_str() {
                    "built-in" => EvaluatorChoice::Embedded,
                    "off" => EvaluatorChoice::Playouts,
                    _ => network_file(text)?,
                };
                Ok(())
            },
            "Network: a KataGo file (.bin.gz, .txt.gz), `built-in` for the embedded networks, or `off` for playouts instead";
        "net_cache" "MB" Always,
            |s| (s.engine.net_cache >> 20).to_string(),
            |s, text| whole(text, 0, 1_000_000).map(|n| s.engine.net_cache = (n as usize) << 20),
            "Memory for cached evaluations of the network, in megabytes";
    }
    "Analysis" {
        "analysis_threads" "N" Start,
            |s| optional(s.front_end.analysis_threads),
            |s, text| whole(text, 1, 16_384).map(|n| s.front_end.analysis_threads = Some(n as usize)),
            "Positions that `analysis` searches at once. Default: four per search thread with a large network, otherwise one per search thread";
        "perspective" "PLAYER" Always,
            |s| s.front_end.perspective.to_string(),
            |s, text| text.parse().map(|x| s.front_end.perspective = x).map_err(|e: UnknownPerspective| e.to_string()),
            "Point of view of reported win rates, leads and ownership: `BLACK`, `WHITE` or `SIDETOMOVE`";
        "variation" "N" Always,
            |s| s.front_end.variation.to_string(),
            |s, text| whole(text, 1, MAX_VARIATION as u64).map(|n| s.front_end.variation = n as usize),
            "Maximum length of the variations that `ponnuki analysis` reports, from 1 to 30 moves";
        "warn_unused" "BOOL" Always,
            |s| s.front_end.warn_unused.to_string(),
            |s, text| switch(text).map(|x| s.front_end.warn_unused = x),
            "Warn about unknown fields of queries in `analysis` (default: true)";
    }
    "Clients" {
        "live_gfx" "BOOL" Always,
            |s| s.front_end.live_gfx.to_string(),
            |s, text| switch(text).map(|x| s.front_end.live_gfx = x),
            "Write live graphics for GoGui to standard error during genmove";
        "ogs_chat" "BOOL" Always,
            |s| s.front_end.ogs_chat.to_string(),
            |s, text| switch(text).map(|x| s.front_end.ogs_chat = x),
            "Write a line with visits, win rate, lead and variation to standard error after each move, for the chat of OGS";
        "kgs_chat" "BOOL" Start,
            |s| s.front_end.kgs_chat.to_string(),
            |s, text| switch(text).map(|x| s.front_end.kgs_chat = x),
            "List and answer kgs-chat; some versions of kgsGtp crash if it is listed";
    }
};

/// The evaluator with the network in a file, after a check that the file starts like one.
fn network_file(text: &str) -> Result<EvaluatorChoice, String> {
    let path = PathBuf::from(text);
    Model::check(&path).map_err(|e| format!("network {text}: {e}"))?;
    Ok(EvaluatorChoice::File(path))
}

/// Write a value that may be unset.
fn optional<T: fmt::Display>(value: Option<T>) -> String {
    value.map_or_else(String::new, |v| v.to_string())
}

/// Write a limit as [`read_cap`] reads it.
fn show_cap(n: Option<u64>) -> String {
    n.map_or_else(|| "off".to_owned(), |n| n.to_string())
}

/// Read a limit: a number from 1, or `None` for `off`.
fn read_cap(text: &str) -> Result<Option<u64>, String> {
    or_off(text, |t| whole_number(t, 1, u64::MAX))
}

/// The message about a text that is not what was expected.
fn unexpected(expected: &str, text: &str) -> String {
    format!("expected {expected}, not '{text}'")
}

/// Read a value with `read`, whose error says what it expects, or `None` for `off` in upper or lower
/// case.
fn or_off<T>(
    text: &str,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Option<T>, String> {
    if text.eq_ignore_ascii_case("off") {
        return Ok(None);
    }
    let value = read(text).map_err(|expected| unexpected(&format!("{expected}, or off"), text))?;
    Ok(Some(value))
}

/// Read an integer from `least` to `most`.
fn whole(text: &str, least: u64, most: u64) -> Result<u64, String> {
    whole_number(text, least, most).map_err(|expected| unexpected(&expected, text))
}

/// Read an integer from `least` to `most`. The error says what is expected.
fn whole_number(text: &str, least: u64, most: u64) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(n) if (least..=most).contains(&n) => Ok(n),
        _ if most == u64::MAX => Err(format!("a whole number from {least}")),
        _ => Err(format!("a whole number from {least} to {most}")),
    }
}

/// Read a truth value.
///
/// # Errors
/// If the text is something else.
pub fn switch(text: &str) -> Result<bool, String> {
    truth(text).ok_or_else(|| unexpected("true or false", text))
}

fn size(text: &str) -> Result<BoardSize, String> {
    let bad = || unexpected("N or COLUMNSxROWS, each from 2 to 25", text);
    let (w, h) = text.split_once('x').unwrap_or((text, text));
    let side = |t: &str| whole(t, 2, u64::from(BoardSize::MAX)).map_err(|_| bad());
    BoardSize::new(side(w)? as u32, side(h)? as u32).map_err(|e| e.to_string())
}

/// Read a time. The error says what is expected.
fn seconds(text: &str) -> Result<Duration, String> {
    let bad = || "a number of seconds above 0 and up to 86400".to_owned();
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && s <= 86_400.0 => Duration::try_from_secs_f64(s).map_err(|_| bad()),
        _ => Err(bad()),
    }
}

/// Read a percentage as a share from 0 to 1. The error says what is expected.
fn percentage(text: &str) -> Result<f32, String> {
    match text.trim_end_matches('%').parse::<f32>() {
        Ok(p) if (0.0..=100.0).contains(&p) => Ok(p / 100.0),
        _ => Err("a percentage from 0 to 100".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_can_be_set_again() {
        let mut settings = Configuration::default();
        for p in PARAMETERS {
            let text = p.get(&settings);
            if !text.is_empty() {
                assert_eq!(p.set(&mut settings, &text), Ok(()), "{}", p.name);
                assert_eq!(p.get(&settings), text, "{}", p.name);
            }
            assert!(p.set(&mut settings, "no such value").is_err(), "{}", p.name);
            assert_eq!(p.get(&settings), text, "{}", p.name);
        }
    }

    /// Only `resign_below` and parameters that are true or false took capitals.
    #[test]
    fn off_is_read_in_capitals_wherever_it_is_read() {
        let mut settings = Configuration::default();
        let mut read = Vec::new();
        for p in PARAMETERS.iter().filter(|p| !p.is_bool()) {
            let result = p.set(&mut settings, "off");
            let in_capitals = p.set(&mut settings, "OFF");
            assert_eq!(in_capitals.is_ok(), result.is_ok(), "{}", p.name);
            if result.is_ok() {
                assert_eq!(p.get(&settings), "off", "{}", p.name);
                read.push(p.name);
            }
        }
        let expected = ["resign_below", "level", "time", "playouts", "visits", "net"];
        assert_eq!(read, expected);
    }
}
