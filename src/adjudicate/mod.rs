//! Life and death after the game has stopped.
//!
//! `region` cuts out of the board, along safe chains, what hypothetical play about
//! some chains can touch; `play` has the moves of that play, `solve` searches it, and
//! [`confirm`] asks of each chain what Article 7 of the Japanese rules of 1989
//! asks. [`divide`] then works out the territory.

mod confirm;
mod play;
mod region;
mod safe;
mod solve;
mod territory;

pub use confirm::{Effort, Finding, First, Hypothetical, Life, Procedure, confirm};
pub use play::Retake;
pub use safe::safe_chains;
pub use territory::{Dame, Territory, divide};
