//! Life and death after the game has stopped.
//!
//! - [`Safe`]: the chains beyond capture, proved by eyes, by known `shape`s or by a search of the
//!   room that they enclose.
//! - [`Walls`]: the chains that bound hypothetical play.
//! - `region`: a part of the board, bounded by walls, that contains the hypothetical play.
//! - `play`: the moves of hypothetical play.
//! - `alive`: the stones beyond capture in a region; `room`: how much room life needs.
//! - `goal`: the goals of the players; `pursuit`: the moves that can matter for a goal.
//! - `solve`: the proof-number search.
//! - `superko`: the positions that superko forbids.
//! - `finding`: the status of a chain, and the procedure that decides it.
//! - `questions`: the questions of Article 7 of the Japanese rules of 1989 about each chain.
//! - `line`: play that shows why an answer is right.
//! - [`confirm`]: the questions and answers for a whole board.
//! - [`Problem`]: the moves that save or kill one group in a game that goes on.
//! - [`divide`]: the territory that results; `independent`: groups that need no dame to live.

mod alive;
mod confirm;
mod finding;
mod goal;
mod independent;
mod line;
mod play;
mod problem;
mod pursuit;
mod questions;
mod region;
mod room;
mod safe;
mod shape;
mod solve;
mod superko;
mod territory;
mod walls;

pub use confirm::{Effort, confirm};
pub use finding::{Finding, First, Hypothetical, Life, Procedure};
pub use line::End;
pub use play::{Conduct, Retake};
pub use problem::{Bounds, Problem, ProblemResult, Reach};
pub use safe::{Proof, Safe};
pub use solve::Cutoff;
pub use territory::{Dame, Territory, divide};
pub use walls::Walls;
