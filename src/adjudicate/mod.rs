//! Life and death after the game has stopped.
//!
//! - [`Safe`]: the chains that are beyond capture, by eyes, by known `shape`s or by a search
//!   of the room that they enclose.
//! - `region`: a part of the board, bounded by such chains, that hypothetical play can touch.
//! - `play`: the moves of hypothetical play.
//! - `alive`: unconditional life; `room`: room enough to live in.
//! - `goal`: the goals of the players; `pursuit`: the moves that can matter for one.
//! - `solve`: the search.
//! - `superko`: the positions that superko forbids.
//! - `finding`: what is asked about a chain, and what is found.
//! - `questions`: the questions of Article 7 of the Japanese rules of 1989 about each chain.
//! - `line`: the play that shows an answer.
//! - [`confirm`]: these questions and answers for a whole board.
//! - [`Problem`]: the moves that save or kill one group in a game that goes on.
//! - [`divide`]: the territory that follows; `independent`: groups that need no dame to live.

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

pub use confirm::{Effort, Walls, confirm};
pub use finding::{Finding, First, Hypothetical, Life, Procedure};
pub use line::End;
pub use play::{Conduct, Retake};
pub use problem::{Bounds, Findings, Problem, Reach};
pub use safe::{Proof, Safe};
pub use solve::Cutoff;
pub use territory::{Dame, Territory, divide};
