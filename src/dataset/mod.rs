//! Training positions for a network: games as lists of moves, and a teacher's labels.
//!
//! A [`SelfPlay`] plays games by the raw policy of a network or by a small search, with all
//! the variety that a search will meet: sizes, rulesets, komi, handicap, random openings, bad
//! moves, positions after the last dame. A [`Game`] is a list of moves. A [`Shard`] holds the
//! features of the positions and the labels of a teacher network, in the format of
//! `training/DATA.md`.

mod game;
mod generate;
mod shard;

pub use game::{Branch, Game, GameError, Kind};
pub use generate::SelfPlay;
pub use shard::{Labeller, Shard};

use crate::net::Network;
use crate::search::{NetworkEvaluator, PoolError, Puct, PuctParams, Search};
use std::sync::Arc;

/// Create a search with one thread and a tree of `memory` bytes. It has no cache, so that its
/// results do not depend on earlier positions.
fn search_with(network: Arc<Network>, memory: usize) -> Result<Search<Puct>, PoolError> {
    let evaluator = Arc::new(NetworkEvaluator::new(network, 0));
    Search::new(1, memory, Puct::new(evaluator, PuctParams::default()))
}
