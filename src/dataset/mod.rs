//! Positions to train a network on: games of moves, and what a teacher says of them.
//!
//! A [`SelfPlay`] plays games by the raw policy of a network,
//! with all the variety that a search will meet: sizes, rulesets, komi, handicap,
//! random openings, bad moves, positions after the last dame. [`Game`] keeps them as
//! lists of moves. A [`Shard`] holds the features of their positions and the labels
//! of a teacher network, in the form that `training/DATA.md` describes.

mod game;
mod generate;
mod shard;

pub use game::{Branch, Game, GameError, Kind};
pub use generate::SelfPlay;
pub use shard::{Labeller, Shard};

use crate::net::Network;
use crate::search::{NetworkEvaluator, PoolError, Puct, Search, SearchParams};
use std::sync::Arc;

/// A search of one thread with a network and a tree of this many bytes, without a cache, so
/// that what it finds does not depend on earlier positions.
fn search_with(network: Arc<Network>, memory: usize) -> Result<Search<Puct>, PoolError> {
    let evaluator = Arc::new(NetworkEvaluator::new(network, 0));
    Search::new(1, memory, Puct::new(evaluator, SearchParams::default()))
}
