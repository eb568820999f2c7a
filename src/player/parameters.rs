//! Table of all settings, from which the command line, the configuration file and the
//! protocol's parameter commands derive.

use super::settings::MOST_THREADS;
use super::{Settings, katago};
use crate::analysis::{EvaluatorChoice, UnknownPerspective};
use crate::net;
use crate::rules::Ruleset;
use crate::search::SearchParams;
use crate::types::{BoardSize, Komi, similar, truth};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// When a parameter may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Only before the first game: the protocol has separate commands for it, or it is fixed at the
    /// start.
    Start,
    /// At any time.
    Always,
}

/// A setting by name.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name, with words joined by `_`, or by `-` on the command line.
    pub name: &'static str,
    /// Placeholder of the value in help texts; `BOOL` for true or false.
    pub value: &'static str,
    /// Help text.
    pub doc: &'static str,
    /// When it may be changed.
    pub scope: Scope,
    get: fn(&Settings) -> String,
    set: fn(&mut Settings, &str) -> Result<(), String>,
}

impl Parameter {
    /// Find a parameter by its name or KataGo's; dashes count as underscores.
    pub fn named(name: &str) -> Option<&'static Parameter> {
        let name = own_name(name);
        PARAMETERS.iter().find(|p| p.name == name)
    }

    /// The value in the format of [`Parameter::set`]; empty if it is unset.
    pub fn get(&self, settings: &Settings) -> String {
        (self.get)(settings)
    }

    /// Set the value.
    ///
    /// # Errors
    /// [`ParameterError::Value`] if the text is invalid; nothing has changed then.
    pub fn set(&self, settings: &mut Settings, text: &str) -> Result<(), ParameterError> {
        (self.set)(settings, text.trim()).map_err(ParameterError::Value)
    }

    /// Is the value true or false?
    pub fn is_bool(&self) -> bool {
        self.value == "BOOL"
    }
}

macro_rules! parameters {
    ($($name:literal $value:literal $scope:ident, $get:expr, $set:expr, $doc:literal;)*) => {
        &[$(Parameter {
            name: $name,
            value: $value,
            doc: $doc,
            scope: Scope::$scope,
            get: $get,
            set: $set,
        },)*]
    };
}

/// All parameters except those of the search, which are in [`SearchParams::LIST`].
pub const PARAMETERS: &[Parameter] = parameters! {
    "rules" "NAME" Start,
        |s| s.rules.name().map_or_else(|| s.rules.to_json(), str::to_owned),
        |s, text| put(&mut s.rules, Ruleset::parse(text).map_err(|e| e.to_string())),
        "Ruleset: a name that `ponnuki rules` lists, or JSON as kata-set-rules takes it";
    "komi" "POINTS" Start,
        |s| optional(s.komi),
        |s, text| {
            let points = text.parse().map_err(|_| "not a number".to_owned())?;
            s.komi = Some(Komi::new(points).map_err(|e| e.to_string())?);
            Ok(())
        },
        "Komi. Default: the ruleset's own";
    "size" "SIZE" Start,
        |s| optional(s.size),
        |s, text| {
            s.size = Some(size(text)?);
            Ok(())
        },
        "Size of the first board: N or COLUMNSxROWS, from 2 to 25. Default: 13 under `uk`, otherwise 19";
    "threads" "N" Always,
        |s| s.threads.to_string(),
        |s, text| put(&mut s.threads, whole(text, 1, MOST_THREADS as u64).map(|n| n as usize)),
        "Search threads, from 1 to 256. Default: one for each processor";
    "playouts" "N" Always,
        |s| cap(s.playouts),
        |s, text| put(&mut s.playouts, capped(text)),
        "Maximum playouts per move, or `off`";
    "visits" "N" Always,
        |s| cap(s.visits),
        |s, text| put(&mut s.visits, capped(text)),
        "Maximum visits of the position, including those kept from earlier moves, or `off`";
    "time" "SECONDS" Always,
        |s| s.move_time.map_or_else(|| "off".to_owned(), |t| t.as_secs_f64().to_string()),
        |s, text| {
            s.move_time = match text {
                "off" => None,
                _ => Some(seconds(text).map_err(|e| format!("{e}, or off"))?),
            };
            Ok(())
        },
        "Seconds per move; with a clock, the maximum. Default: 5 without a clock, or unlimited if visits or playouts are capped";
    "lag" "MS" Always,
        |s| s.lag.as_millis().to_string(),
        |s, text| {
            s.lag = Duration::from_millis(whole(text, 0, 60_000)?);
            Ok(())
        },
        "Milliseconds kept in reserve at each move of a timed game, for network and client delays";
    "memory" "MB" Always,
        |s| (s.memory >> 20).to_string(),
        |s, text| {
            s.memory = (whole(text, 1, 1_000_000)? as usize) << 20;
            Ok(())
        },
        "Memory for the search tree, in megabytes";
    "net" "FILE" Start,
        |s| s.evaluator.to_string(),
        |s, text| {
            s.evaluator = match text {
                "built-in" => EvaluatorChoice::Embedded,
                "off" => EvaluatorChoice::Playouts,
                _ => network_file(text)?,
            };
            Ok(())
        },
        "Network: a KataGo file (.bin.gz, .txt.gz), `built-in` for the embedded one, or `off` for playouts instead";
    "net_cache" "MB" Always,
        |s| (s.net_cache >> 20).to_string(),
        |s, text| {
            s.net_cache = (whole(text, 0, 1_000_000)? as usize) << 20;
            Ok(())
        },
        "Memory for cached evaluations of the network, in megabytes";
    "analysis_threads" "N" Start,
        |s| optional(s.analysis_threads),
        |s, text| {
            s.analysis_threads = Some(whole(text, 1, 16_384)? as usize);
            Ok(())
        },
        "Positions that `analysis` searches at once. Default: four per search thread with a large network, otherwise one";
    "perspective" "PLAYER" Always,
        |s| s.perspective.to_string(),
        |s, text| put(&mut s.perspective, text.parse().map_err(|e: UnknownPerspective| e.to_string())),
        "Point of view of reported win rates, leads and ownership: `BLACK`, `WHITE` or `SIDETOMOVE`";
    "variation" "N" Always,
        |s| s.variation.to_string(),
        |s, text| put(&mut s.variation, whole(text, 1, 1001).map(|n| n as usize)),
        "Maximum length of the variations that `analysis` reports, in moves";
    "warn_unused" "BOOL" Always,
        |s| s.warn_unused.to_string(),
        |s, text| put(&mut s.warn_unused, switch(text)),
        "Warn about unknown fields of queries in `analysis` (default: true)";
    "seed" "N" Always,
        |s| s.seed.to_string(),
        |s, text| put(&mut s.seed, whole(text, 0, u64::MAX)),
        "Seed of all random choices. With a seed, one thread and a fixed number of playouts, games repeat. Default: a random one in games over GTP, otherwise a fixed one";
    "ponder" "BOOL" Always,
        |s| s.ponder.to_string(),
        |s, text| put(&mut s.ponder, switch(text)),
        "Keep searching during the opponent's time, within the caps on playouts and visits";
    "resign_below" "PERCENT" Always,
        |s| match s.resign_below {
            Some(share) => format!("{}", (f64::from(share) * 1e6).round() / 1e4),
            None => "off".to_owned(),
        },
        |s, text| put(&mut s.resign_below, share(text)),
        "Resign when the win rate, in percent, is below this, or `off`";
    "resign_moves" "N" Always,
        |s| s.resign_moves.to_string(),
        |s, text| put(&mut s.resign_moves, whole(text, 1, 1000).map(|n| n as u32)),
        "Consecutive moves with such a win rate before resigning";
    "resign_after" "N" Always,
        |s| s.resign_after.to_string(),
        |s, text| put(&mut s.resign_after, whole(text, 0, 100_000).map(|n| n as u32)),
        "Do not resign before this turn of the game";
    "level" "N" Always,
        |s| s.level.map_or_else(|| "off".to_owned(), |l| l.to_string()),
        |s, text| {
            s.level = match text {
                "off" => None,
                _ => Some(whole(text, 1, 10).map_err(|e| format!("{e}, or off"))? as u8),
            };
            Ok(())
        },
        "Strength of play, from 1 (beginner) to 10, or `off` for full strength";
    "play_to_end" "BOOL" Always,
        |s| s.play_to_end.to_string(),
        |s, text| put(&mut s.play_to_end, switch(text)),
        "Play as if all stones left on the board at the end count as alive, whatever the rules say: capture dead stones before passing if they are needed to win (for CGOS)";
    "live_gfx" "BOOL" Always,
        |s| s.live_gfx.to_string(),
        |s, text| put(&mut s.live_gfx, switch(text)),
        "Write live graphics for GoGui to standard error during genmove";
    "ogs_chat" "BOOL" Always,
        |s| s.ogs_chat.to_string(),
        |s, text| put(&mut s.ogs_chat, switch(text)),
        "Write a line with visits, win rate, lead and variation to standard error after each move, for the chat of OGS";
    "kgs_chat" "BOOL" Start,
        |s| s.kgs_chat.to_string(),
        |s, text| put(&mut s.kgs_chat, switch(text)),
        "List and answer kgs-chat; some versions of kgsGtp crash if it is listed";
};

/// Ponnuki's name for a parameter that may have KataGo's name; dashes become underscores.
fn own_name(name: &str) -> String {
    katago::own_name(name).map_or_else(|| name.replace('-', "_"), str::to_owned)
}

/// Why a parameter could not be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterError {
    /// There is no such parameter.
    Unknown {
        /// The unknown name.
        name: String,
        /// Similar names, most similar first.
        near: Vec<&'static str>,
    },
    /// KataGo's parameter of this name has no effect here, for this reason.
    NoEffect(String, &'static str),
    /// The value is invalid; the message says what was expected.
    Value(String),
    /// The parameter is set by another command, or only when the program starts.
    TooLate(&'static str),
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParameterError::Unknown { name, near } => {
                write!(f, "there is no parameter '{name}'")?;
                if !near.is_empty() {
                    write!(f, "; did you mean {}?", near.join(" or "))?;
                }
                Ok(())
            }
            ParameterError::NoEffect(name, why) => {
                write!(f, "KataGo's parameter '{name}' has no effect here: {why}")
            }
            ParameterError::Value(what) => f.write_str(what),
            ParameterError::TooLate(name) => {
                let command = COMMANDS.iter().find(|(of, _)| of == name);
                match command {
                    Some((_, command)) => write!(f, "{name} is set by the command {command}"),
                    None => write!(f, "{name} is set when the program starts"),
                }
            }
        }
    }
}

impl std::error::Error for ParameterError {}

/// The protocol's commands for parameters that the parameter commands do not set.
const COMMANDS: [(&str, &str); 3] = [
    ("rules", "kata-set-rules"),
    ("komi", "komi"),
    ("size", "boardsize"),
];

/// Least similarity of a suggested name, from 0 to 1.
const SIMILAR: f64 = 0.75;

impl Settings {
    /// The names of all parameters that may be changed at any time, including those of the search.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let changing = PARAMETERS.iter().filter(|p| p.scope == Scope::Always);
        let search = SearchParams::LIST.iter().map(|p| p.name);
        changing.map(|p| p.name).chain(search)
    }

    /// The names of all parameters.
    pub(super) fn all_names() -> impl Iterator<Item = &'static str> {
        let search = SearchParams::LIST.iter().map(|p| p.name);
        PARAMETERS.iter().map(|p| p.name).chain(search)
    }

    /// The value of a parameter by its name or KataGo's.
    ///
    /// # Errors
    /// If there is no such parameter.
    pub fn get(&self, name: &str) -> Result<String, ParameterError> {
        if let Some(p) = Parameter::named(name) {
            return Ok(p.get(self));
        }
        let number = self.params.get(&own_name(name));
        let found = number.or_else(|| self.get_by_katago(name));
        found.ok_or_else(|| unknown(name))
    }

    /// Set a parameter by its name or KataGo's.
    ///
    /// # Errors
    /// If there is no such parameter, or the value is invalid; nothing has changed then.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), ParameterError> {
        if let Some(p) = Parameter::named(name) {
            return p.set(self, text);
        }
        if let Some(done) = self.set_by_katago(name, text) {
            return done;
        }
        let own = own_name(name);
        let known = SearchParams::LIST.iter().find(|p| p.name == own);
        let info = known.ok_or_else(|| unknown(name))?;
        let (least, most) = info.range;
        if self.params.set(&own, text) {
            Ok(())
        } else {
            let why = format!("expected a number from {least} to {most}, not '{text}'");
            Err(ParameterError::Value(why))
        }
    }

    /// Set a parameter while the program runs.
    ///
    /// # Errors
    /// As for [`Settings::set`], and [`ParameterError::TooLate`] for a parameter that is not set
    /// this way.
    pub fn change(&mut self, name: &str, text: &str) -> Result<(), ParameterError> {
        match Parameter::named(name) {
            Some(p) if p.scope == Scope::Start => Err(ParameterError::TooLate(p.name)),
            _ => {
                let mut changed = self.clone();
                changed.set(name, text)?;
                // KataGo's parameters for single rules change them too.
                if changed.rules != self.rules {
                    return Err(ParameterError::TooLate("rules"));
                }
                *self = changed;
                Ok(())
            }
        }
    }
}

/// Store a value that was read without error.
fn put<T>(place: &mut T, read: Result<T, String>) -> Result<(), String> {
    *place = read?;
    Ok(())
}

fn unknown(name: &str) -> ParameterError {
    if let Some(e) = katago::refusal(name) {
        return e;
    }
    let mut near = similar(&name.replace('-', "_"), Settings::all_names(), SIMILAR);
    near.truncate(3);
    ParameterError::Unknown {
        name: name.to_owned(),
        near,
    }
}

/// Check that a file starts like a network.
fn network_file(text: &str) -> Result<EvaluatorChoice, String> {
    let path = PathBuf::from(text);
    net::check(&path).map_err(|e| format!("network {text}: {e}"))?;
    Ok(EvaluatorChoice::File(path))
}

fn optional<T: fmt::Display>(value: Option<T>) -> String {
    value.map_or_else(String::new, |v| v.to_string())
}

fn cap(n: Option<u64>) -> String {
    n.map_or_else(|| "off".to_owned(), |n| n.to_string())
}

fn capped(text: &str) -> Result<Option<u64>, String> {
    match text {
        "off" => Ok(None),
        _ => match whole(text, 1, u64::MAX) {
            Ok(n) => Ok(Some(n)),
            Err(_) => Err(format!(
                "expected a whole number from 1, or off, not '{text}'"
            )),
        },
    }
}

fn whole(text: &str, least: u64, most: u64) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(n) if (least..=most).contains(&n) => Ok(n),
        _ if most == u64::MAX => Err(format!(
            "expected a whole number from {least}, not '{text}'"
        )),
        _ => Err(format!(
            "expected a whole number from {least} to {most}, not '{text}'"
        )),
    }
}

pub(super) fn switch(text: &str) -> Result<bool, String> {
    truth(text).ok_or_else(|| format!("expected true or false, not '{text}'"))
}

fn size(text: &str) -> Result<BoardSize, String> {
    let bad = || format!("expected N or COLUMNSxROWS, each from 2 to 25, not '{text}'");
    let (w, h) = text.split_once('x').unwrap_or((text, text));
    let side = |t: &str| whole(t, 2, u64::from(BoardSize::MAX)).map_err(|_| bad());
    BoardSize::new(side(w)? as u32, side(h)? as u32).map_err(|e| e.to_string())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let bad = || format!("expected a number of seconds above 0 and up to 86400, not '{text}'");
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && s <= 86_400.0 => Duration::try_from_secs_f64(s).map_err(|_| bad()),
        _ => Err(bad()),
    }
}

fn share(text: &str) -> Result<Option<f32>, String> {
    if text.eq_ignore_ascii_case("off") {
        return Ok(None);
    }
    match text.trim_end_matches('%').parse::<f32>() {
        Ok(p) if (0.0..=100.0).contains(&p) => Ok(Some(p / 100.0)),
        _ => Err(format!(
            "expected a percentage from 0 to 100, or off, not '{text}'"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_taken_back() {
        let mut settings = Settings::default();
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

    #[test]
    fn names_are_found_in_every_spelling_and_near_ones_are_offered() {
        let mut s = Settings::default();
        assert_eq!(s.set("resign-below", "off"), Ok(()));
        assert_eq!(s.get("resign_below"), Ok("off".to_owned()));
        assert_eq!(s.set("maxVisits", "100"), Ok(()));
        assert_eq!(s.visits, Some(100));
        assert_eq!(s.set("rootPolicyTemperature", "1.2"), Ok(()));
        assert_eq!(s.get("root-policy-temperature"), Ok("1.2".to_owned()));
        assert_eq!(s.set("rave_equivalent", "1000"), Ok(()));
        assert_eq!(s.get("rave_equivalent"), Ok("1000".to_owned()));
        let Err(ParameterError::Unknown { near, .. }) = s.set("visit", "1") else {
            panic!("known");
        };
        assert_eq!(near[0], "visits");
        assert!(matches!(
            s.set("threads", "0"),
            Err(ParameterError::Value(_))
        ));
        assert_eq!(
            s.change("rules", "japanese"),
            Err(ParameterError::TooLate("rules"))
        );
        assert_eq!(s.set("rules", "japanese"), Ok(()));
        assert!(s.set("expand_visits", "-1").is_err());
    }
}
