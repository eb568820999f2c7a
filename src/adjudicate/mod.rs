//! Life and death after the game has stopped.
//!
//! [`Safe`] finds the chains that are beyond capture, by eyes, by `shape`s around which
//! none falls and by searches of rooms. `region` cuts out of the board, along such chains,
//! what hypothetical play about the others can touch; `play` has the moves of that play,
//! `alive` what stands whatever is played, `goal` what the players try to reach. `solve`
//! searches, `superko` decides where positions may not come again and an answer rests on
//! that they do, `settle` asks of each chain what Article 7 of the Japanese rules of 1989
//! asks, `line` shows the play that answers it, and [`confirm`] does so for a board.
//! [`Problem`] asks about one group of a game that goes on what saves and what kills it.
//! [`divide`] then works out the territory.

mod alive;
mod confirm;
mod goal;
mod line;
mod play;
mod problem;
mod region;
mod safe;
mod settle;
mod shape;
mod solve;
mod superko;
mod territory;

pub use confirm::{Effort, Finding, First, Hypothetical, Life, Procedure, Walls, confirm};
pub use line::End;
pub use play::{Conduct, Retake};
pub use problem::{Bounds, Findings, Problem, Reach};
pub use safe::{Ground, Safe};
pub use solve::Cutoff;
pub use territory::{Dame, Territory, divide};
