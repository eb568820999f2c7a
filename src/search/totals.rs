//! Sums over a whole search, kept per worker.

use super::policy::LeafValue;
use crate::playout::Ownership;

/// Sums over playouts, or over evaluations by a network.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    /// Number of playouts.
    pub playouts: u64,
    /// Sum of Black's leads, in points.
    pub lead: f64,
    /// Sum of Black's expected margins at the end of the game.
    pub score: f64,
    /// Sum of the expected squares of these margins.
    pub squares: f64,
    /// Sum of the probabilities that the game ends without result.
    pub no_result: f64,
}

impl Sums {
    fn add(&mut self, value: &LeafValue) {
        let (score, deviation) = (f64::from(value.score), f64::from(value.deviation));
        self.playouts += 1;
        self.lead += f64::from(value.lead);
        self.score += score;
        self.squares += score * score + deviation * deviation;
        self.no_result += f64::from(value.no_result);
    }
}

impl std::ops::AddAssign for Sums {
    fn add_assign(&mut self, other: Sums) {
        self.playouts += other.playouts;
        self.lead += other.lead;
        self.score += other.score;
        self.squares += other.squares;
        self.no_result += other.no_result;
    }
}

/// Sums over the playouts that began with one root move.
#[derive(Clone, Debug, Default)]
pub struct MoveTotals {
    /// Sums of the playouts.
    pub sums: Sums,
    /// Final ownership, if the [`super::Focus`] asks for it.
    pub ownership: Option<Box<Ownership>>,
}

impl MoveTotals {
    /// Turn these sums into the tally of the position after the move.
    pub(super) fn take(&mut self) -> Tally {
        Tally {
            sums: self.sums,
            ownership: self.ownership.take().map(|o| *o).unwrap_or_default(),
            ..Tally::default()
        }
    }
}

/// Sums over searches, or over one worker's part of a search.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Final ownership.
    pub ownership: Ownership,
    /// Sums over all playouts, except those counted in `known`.
    pub sums: Sums,
    /// Playouts that ended at a node whose results, from other paths, were already known.
    pub known: u64,
    /// Moves played in the tree and in playouts.
    pub moves: u64,
    /// Sums by the playout's first move, in the order of the root's children.
    pub by_move: Vec<MoveTotals>,
}

impl Tally {
    /// Number of all playouts.
    pub fn playouts(&self) -> u64 {
        self.sums.playouts + self.known
    }

    /// Count a playout that made `turns` turns in the tree, beginning with a child of the
    /// root. Without a value, the playout ended at results known from other paths.
    pub(super) fn add(&mut self, value: Option<&LeafValue>, turns: usize, child: Option<usize>) {
        let Some(value) = value else {
            self.known += 1;
            self.moves += turns as u64;
            return;
        };
        self.sums.add(value);
        self.moves += turns as u64 + u64::from(value.moves);
        if let Some(at) = child {
            self.of_move(at).sums.add(value);
        }
    }

    /// The sums of a child of the root.
    pub(super) fn of_move(&mut self, at: usize) -> &mut MoveTotals {
        if self.by_move.len() <= at {
            self.by_move.resize_with(at + 1, MoveTotals::default);
        }
        &mut self.by_move[at]
    }

    /// Is the ownership of any root move known?
    pub(super) fn has_move_ownership(&self) -> bool {
        self.by_move
            .iter()
            .any(|of_move| of_move.ownership.is_some())
    }

    /// Add another tally.
    pub(super) fn merge(&mut self, other: &Tally) {
        self.ownership.merge(&other.ownership);
        self.sums += other.sums;
        self.known += other.known;
        self.moves += other.moves;
        let known = self.by_move.len().max(other.by_move.len());
        self.by_move.resize_with(known, MoveTotals::default);
        for (sum, part) in self.by_move.iter_mut().zip(&other.by_move) {
            sum.sums += part.sums;
            if let Some(ownership) = &part.ownership {
                sum.ownership.get_or_insert_default().merge(ownership);
            }
        }
    }
}
