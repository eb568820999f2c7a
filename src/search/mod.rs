//! Tree search on a tree shared by worker threads.
//!
//! The tree (arena, visits, virtual loss, publication of children) and its workers
//! know the rules of the game and nothing else about Go. A [`Policy`] decides which
//! moves to try, evaluates leaves and defines what a node stores: [`Rave`] uses playouts,
//! AMAF and hand-made priors, [`Puct`] uses a network.
//!
//! [`Search`] owns the tree and a pool of threads. A search runs in the background
//! from [`TreeSearch::start`] to [`TreeSearch::finish`]. The caller may read its results
//! while it runs and decides when to stop. With one thread, a seed and a limit of playouts
//! it is deterministic.
//!
//! ```
//! use ponnuki::position::Position;
//! use ponnuki::rules::Ruleset;
//! use ponnuki::search::{Rave, RaveParams, Search, TreeSearch};
//! use ponnuki::types::BoardSize;
//!
//! let position = Position::new(BoardSize::square(9), Ruleset::default());
//! let mut search = Search::new(1, 1 << 20, Rave::new(RaveParams::default()))?;
//! search.run(&position, 100, 1);
//! let moves = search.root_moves();
//! assert!(moves[0].visits >= moves[1].visits);
//! assert_eq!(search.playouts(), 100);
//! # Ok::<(), ponnuki::search::PoolError>(())
//! ```

mod focus;
mod node;
mod parameter;
mod params;
mod policy;
mod pool;
mod puct;
mod rave;
mod root;
mod sync;
mod totals;
mod tree;
mod tree_search;
mod worker;

#[cfg(test)]
pub(crate) use {pool::REFUSED, worker::FAULT};

pub use focus::{Focus, Restriction, forbids};
pub use node::{Node, NodeId, Prior, Statistics};
pub use parameter::ParamInfo;
pub use params::SearchParams;
pub use policy::{LeafValue, Policy, RootMove, RootValue, RootView, Visit};
pub use pool::{MAX_VARIATION, PoolError, Search};
pub use puct::{Count, NetworkEvaluator, Puct, PuctParams, Utility};
pub use rave::{Rave, RaveParams};
pub use totals::{MoveTotals, Sums, Tally};
pub use tree::{NewChild, ROOT, Tree};
pub use tree_search::{Snapshot, Standing, TreeSearch};
