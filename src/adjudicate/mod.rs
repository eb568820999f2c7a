//! Life and death after the game has stopped.
//!
//! A region (`region`) is what hypothetical play about some chains can touch, cut
//! out along chains that are safe; `play` is that play, `solve` searches it, and
//! [`confirm`] asks of each chain what Article 7 of the Japanese rules of 1989
//! asks. [`divide`] then draws the territory.

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
