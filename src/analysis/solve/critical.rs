//! The points on which the life of an unsettled group depends.

use super::answer::{choice, right};
use crate::adjudicate::{Bounds, Cutoff, Problem, Reach};
use crate::position::Position;
use crate::types::{Color, Point, PointSet};
use std::time::{Duration, Instant};

/// The moves that decide the life of an unsettled group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Critical {
    /// Owner of the group.
    pub owner: Color,
    /// Its owner lives by playing here.
    pub saves: Point,
    /// The opponent kills by playing here.
    pub kills: Point,
    /// Are both proved, if the chains around the group hold?
    pub proved: bool,
}

/// Limits of the search for the critical points of a chain: states, time, and bytes.
const CRITICAL: u64 = 200_000;
const CRITICAL_TIME: Duration = Duration::from_secs(2);
const CRITICAL_MEMORY: usize = 256 << 20;

impl Critical {
    /// Find the critical points of the chain at `p`. `None` unless the chain is unsettled: it lives
    /// if its owner moves first, and dies if the opponent does. Stones that `hold` bound the
    /// region. `memory` (in bytes) and `cutoff` limit the search.
    pub fn of(
        position: &Position,
        p: Point,
        hold: &PointSet,
        memory: usize,
        cutoff: &Cutoff,
    ) -> Option<Critical> {
        let board = position.board();
        let owner = board.at(p).color()?;
        let problem = Problem::within(board, owner, &[p], hold)?;
        let begun = Instant::now();
        let bounds = |share: f64| {
            let until = begun + CRITICAL_TIME.mul_f64(share);
            Bounds {
                nodes: CRITICAL,
                memory: memory.min(CRITICAL_MEMORY),
                cutoff: Cutoff {
                    until: Some(cutoff.until.map_or(until, |t| t.min(until))),
                    stop: cutoff.stop.clone(),
                },
            }
        };
        let outright = |first: Color, found_by: f64, proved_by: f64| {
            let mut found = problem.solve(first, &bounds(found_by));
            problem.prove(first, &mut found, &bounds(proved_by));
            let needed = found.pass_works == Some(false);
            let reached = found.reach == Some(Reach::Outright) && needed;
            let proved = !found.proved.is_empty();
            let moves = choice(&found);
            (reached && !moves.is_empty()).then_some((moves, right(&found).to_vec(), proved))
        };
        let (saving, all_saving, saved) = outright(owner, 0.3, 0.5)?;
        let (killing, all_killing, killed) = outright(owner.opponent(), 0.8, 1.0)?;
        // Prefer one point for both.
        let same = all_saving.iter().find(|p| all_killing.contains(p));
        let saves = *same.or(saving.first())?;
        let kills = *same.or(killing.first())?;
        Some(Critical {
            owner,
            saves,
            kills,
            proved: saved && killed,
        })
    }
}

/// `lives if Black plays D19, dies if White does`
impl std::fmt::Display for Critical {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (owner, other) = (self.owner, self.owner.opponent());
        write!(f, "lives if {owner} plays {}, dies if {other} ", self.saves)?;
        match self.saves == self.kills {
            true => f.write_str("does"),
            false => write!(f, "plays {}", self.kills),
        }
    }
}
