//! A query: a game, the turns to analyse, and the search options.

use super::fields::{self, Diagnostic, Fields};
use super::game::QueriedGame;
use crate::adjudicate::Problem;
use crate::analysis::{Limits, Perspective, ReportOptions};
use crate::configuration::{Configuration, FrontEnd};
use crate::katago::{Applied, apply_key, in_order};
use crate::player::Settings;
use crate::search::{Restriction, SearchParams};
use crate::types::{BoardSize, Move, Point};
use crate::util::json_text;
use serde_json::Value;
use std::collections::HashSet;
use std::time::Duration;

/// A request to analyse turns of a game.
#[derive(Clone, Debug)]
pub struct Query {
    /// Echoed in every answer.
    pub id: String,
    /// The game.
    pub game: QueriedGame,
    /// The turns to analyse, each with its priority.
    pub turns: Vec<(usize, i64)>,
    /// Limits of each search.
    pub limits: Limits,
    /// Search parameters.
    pub params: SearchParams,
    /// Moves to avoid, or the only ones to allow.
    pub restrictions: Vec<Restriction>,
    /// Contents of the answers.
    pub options: ReportOptions,
    /// Maximum length of a variation in an answer.
    pub variation: usize,
    /// Do answers show the policy?
    pub policy: bool,
    /// Interval of reports during a search, and time of the first one; `None` disables them.
    pub reports: Option<(Duration, Duration)>,
    /// For a question about a group, a point of each of its chains, empty for the enclosed group;
    /// `None` for an analysis.
    pub chains: Option<Vec<Point>>,
}

/// Fields of every query.
const FIELDS: &[&str] = &[
    "id",
    "action",
    "analyzeTurns",
    "boardXSize",
    "boardYSize",
    "initialPlayer",
    "initialStones",
    "komi",
    "maxVisits",
    "moves",
    "overrideSettings",
    "priorities",
    "priority",
    "reportDuringSearchEvery",
    "rules",
    "whiteHandicapBonus",
];

/// Further fields of an analysis.
const FIELDS_TO_ANALYZE: &[&str] = &[
    "allowMoves",
    "analysisPVLen",
    "avoidMoves",
    "firstReportDuringSearchAfter",
    "includeMovesOwnership",
    "includeMovesOwnershipStdev",
    "includeNoResultValue",
    "includeOwnership",
    "includeOwnershipStdev",
    "includePVVisits",
    "includePolicy",
    "rootFpuReductionMax",
    "rootPolicyTemperature",
];

/// Further fields of a question about a group.
const FIELDS_TO_SOLVE: &[&str] = &["chains"];

/// The action that asks about a group.
pub const SOLVE: &str = "ponnuki_solve";

/// Longest interval between reports, in seconds.
const INTERVAL: f64 = 1e6;

impl Query {
    /// Read a query. The settings apply where the query says nothing. `warn` receives
    /// warnings, which do not stop the query.
    ///
    /// # Errors
    /// A [`Diagnostic`] about the first wrong field.
    pub fn read(
        f: &Fields<'_>,
        settings: &Configuration,
        warn: &mut dyn FnMut(Diagnostic),
    ) -> Result<Query, Diagnostic> {
        let mut settings = settings.clone();
        let game = QueriedGame::read(f)?;
        let size = game.size;
        settings.engine.rules = game.rules;
        let turns = turns(f, game.last_turn())?;
        override_settings(f, &mut settings, warn)?;
        // KataGo does not count the first move of a variation.
        let length = f.optional("analysisPVLen", |v| fields::integer(v, 1, 1000))?;
        let options = options(f, settings.front_end.perspective)?;
        let policy = f.truth("includePolicy")?;
        let read = |v: &Value| fields::float(v, 0.001, INTERVAL).map(Duration::from_secs_f64);
        let every = f.optional("reportDuringSearchEvery", read)?;
        let after = f.optional("firstReportDuringSearchAfter", read)?;
        let long = Duration::from_secs_f64(INTERVAL);
        let reports = match (every, after) {
            (None, None) => None,
            _ => Some((every.unwrap_or(long), after.or(every).unwrap_or(long))),
        };
        let solves = f.get("action").and_then(Value::as_str) == Some(SOLVE);
        let more = if solves {
            FIELDS_TO_SOLVE
        } else {
            FIELDS_TO_ANALYZE
        };
        let is_known = |key: &&String| [FIELDS, more].iter().any(|all| all.contains(&key.as_str()));
        if settings.front_end.warn_unused {
            for key in f.object().keys().filter(|k| !is_known(k)) {
                warn(f.diagnose(key, "Unexpected or unused field, do you have a typo?"));
            }
        }
        let query = Query {
            id: f.id.to_owned(),
            game,
            turns,
            limits: settings.engine.limits,
            params: settings.engine.params,
            restrictions: restrictions(f, size)?,
            options,
            variation: length.map_or(settings.front_end.variation, |n| n as usize + 1),
            policy,
            reports,
            chains: match solves {
                true => Some(chains(f, size)?),
                false => None,
            },
        };
        query.expect_groups(f)?;
        Ok(query)
    }

    /// Refuse a question about a group if there is no such group at one of the turns.
    fn expect_groups(&self, f: &Fields<'_>) -> Result<(), Diagnostic> {
        let Some(chains) = &self.chains else {
            return Ok(());
        };
        for &(turn, _) in &self.turns {
            let position = self.game.position(turn);
            let board = position.board();
            let owner = |p: &Point| board.at(*p).color();
            let first = chains.first().and_then(owner);
            for p in chains {
                let wrong = match owner(p) {
                    None => format!("{p} is empty at turn {turn}"),
                    Some(c) if Some(c) != first => {
                        format!("{p} is {c}'s at turn {turn}; name chains of one player")
                    }
                    Some(_) => continue,
                };
                return Err(f.diagnose("chains", wrong));
            }
            if Problem::find(board, position.to_move(), chains).is_none() {
                let why = format!("There is no group to solve at turn {turn}");
                return Err(f.diagnose("chains", why));
            }
        }
        Ok(())
    }
}

/// Read the chains of a question about a group.
fn chains(f: &Fields<'_>, size: BoardSize) -> Result<Vec<Point>, Diagnostic> {
    let what = || "Must be an array of GTP board vertices".to_owned();
    let chain = |v: &Value| fields::vertex(v, size)?.point().ok_or_else(what);
    let read = |v: &Value| v.as_array().ok_or_else(what)?.iter().map(chain).collect();
    Ok(f.optional("chains", read)?.unwrap_or_default())
}

/// Read the turns to analyse, each once, with their priorities.
fn turns(f: &Fields<'_>, last: usize) -> Result<Vec<(usize, i64)>, Diagnostic> {
    let read = |v: &Value| fields::integers(v, 0, last as i64);
    let asked = f.optional("analyzeTurns", read)?;
    if asked.as_ref().is_some_and(Vec::is_empty) {
        return Err(f.diagnose("analyzeTurns", "Must name at least one turn"));
    }
    let priorities = f.optional("priorities", |v| fields::integers(v, i64::MIN, i64::MAX))?;
    let priority = f.optional("priority", |v| fields::integer(v, i64::MIN, i64::MAX))?;
    match (&priorities, &asked) {
        (Some(_), None) => {
            let why = "Can only specify when also specifying analyzeTurns";
            return Err(f.diagnose("priorities", why));
        }
        (Some(_), _) if priority.is_some() => {
            let why = "Cannot specify both priority and priorities";
            return Err(f.diagnose("priority", why));
        }
        (Some(p), Some(turns)) if p.len() != turns.len() => {
            let why = "Must be of matching length to analyzeTurns";
            return Err(f.diagnose("priorities", why));
        }
        _ => {}
    }
    let asked = asked.unwrap_or_else(|| vec![last as i64]);
    let each = std::iter::repeat(priority.unwrap_or(0));
    let priorities = priorities.into_iter().flatten().chain(each);
    let mut seen = HashSet::new();
    let turns = asked.into_iter().zip(priorities);
    let turns = turns.map(|(turn, priority)| (turn as usize, priority));
    Ok(turns.filter(|&(turn, _)| seen.insert(turn)).collect())
}

/// Do these settings differ in anything that a query may not set?
fn changes_server_settings(before: &Configuration, after: &Configuration) -> bool {
    let same_for_a_query = Configuration {
        engine: Settings {
            limits: after.engine.limits,
            params: after.engine.params.clone(),
            ..before.engine.clone()
        },
        front_end: FrontEnd {
            perspective: after.front_end.perspective,
            variation: after.front_end.variation,
            warn_unused: after.front_end.warn_unused,
            ..before.front_end.clone()
        },
    };
    same_for_a_query != *after
}

/// Apply the query's own settings.
fn override_settings(
    f: &Fields<'_>,
    settings: &mut Configuration,
    warn: &mut dyn FnMut(Diagnostic),
) -> Result<(), Diagnostic> {
    let overrides = f.optional("overrideSettings", |v| {
        v.as_object().ok_or_else(|| "Must be an object".to_owned())
    })?;
    let (mut unknown, mut ignored) = (Vec::new(), Vec::new());
    for (key, value) in in_order(overrides.into_iter().flatten(), |(key, _)| key) {
        let before = settings.clone();
        match apply_key(settings, key, &json_text(value)) {
            Ok(Applied::Done) if changes_server_settings(&before, settings) => {
                *settings = before;
                ignored.push(key.as_str());
            }
            Ok(Applied::Done) => {}
            Ok(Applied::NoEffect(_)) => ignored.push(key.as_str()),
            Ok(Applied::Unknown) => unknown.push(key.as_str()),
            Err(e) => {
                let why = format!("Could not set settings: {key}: {e}");
                return Err(f.diagnose("overrideSettings", why));
            }
        }
    }
    for (what, keys) in [
        ("Unknown config params", unknown),
        ("Config params without effect here", ignored),
    ] {
        if !keys.is_empty() {
            let why = format!("{what}: {}", keys.join(","));
            warn(f.diagnose("overrideSettings", why));
        }
    }
    for (field, name) in [
        ("maxVisits", "visits"),
        ("rootPolicyTemperature", "root_policy_temperature"),
        ("rootFpuReductionMax", "root_fpu_reduction"),
    ] {
        f.optional(field, |v| {
            let number = v.as_f64().ok_or("Must be a number")?;
            settings
                .set(name, &number.to_string())
                .map_err(|e| e.to_string())
        })?;
    }
    Ok(())
}

fn options(f: &Fields<'_>, perspective: Perspective) -> Result<ReportOptions, Diagnostic> {
    Ok(ReportOptions {
        perspective,
        ownership: f.truth("includeOwnership")?,
        ownership_deviation: f.truth("includeOwnershipStdev")?,
        moves_ownership: f.truth("includeMovesOwnership")?,
        moves_ownership_deviation: f.truth("includeMovesOwnershipStdev")?,
        pv_visits: f.truth("includePVVisits")?,
        no_result: f.truth("includeNoResultValue")?,
    })
}

/// Read `avoidMoves` or `allowMoves`.
fn restrictions(f: &Fields<'_>, size: BoardSize) -> Result<Vec<Restriction>, Diagnostic> {
    let read = |all_but: bool| {
        move |v: &Value| {
            let what = "Must be a list of dicts with subfields 'player', 'moves', 'untilDepth'";
            let list = v.as_array().ok_or(what)?;
            list.iter().map(|d| restriction(d, all_but, size)).collect()
        }
    };
    let avoid: Option<Vec<Restriction>> = f.optional("avoidMoves", read(false))?;
    let allow: Option<Vec<Restriction>> = f.optional("allowMoves", read(true))?;
    if avoid.is_some() && allow.is_some() {
        let why = "Cannot specify both allowMoves and avoidMoves";
        return Err(f.diagnose("allowMoves", why));
    }
    let mut players = HashSet::new();
    if !allow.iter().flatten().all(|r| players.insert(r.player)) {
        let why = "Cannot specify allowMoves more than once for the same player";
        return Err(f.diagnose("allowMoves", why));
    }
    Ok(avoid.or(allow).unwrap_or_default())
}

fn restriction(v: &Value, all_but: bool, size: BoardSize) -> Result<Restriction, String> {
    let part = |key: &str| v.get(key).ok_or_else(|| format!("'{key}' is missing"));
    let moves = part("moves")?
        .as_array()
        .ok_or("Must be an array of GTP board vertices")?;
    let moves: Result<Vec<Move>, String> = moves.iter().map(|m| fields::vertex(m, size)).collect();
    Ok(Restriction {
        player: fields::player(part("player")?)?,
        moves: moves?,
        all_but,
        until_depth: fields::integer(part("untilDepth")?, 1, i64::from(u32::MAX))? as usize,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_small() {
        assert!(size_of::<Query>() < 2048, "{}", size_of::<Query>());
    }
}
