//! Visual output: a board as SVG; an analysed game, a scored game or a problem as one HTML page;
//! and the pages of `ponnuki serve`.
//!
//! A page is self-contained: it includes style, script and data, loads nothing, and has a
//! content security policy that forbids loading; only the pages on which a game is played or
//! chosen ask the program that has sent them. Rust computes how each move changes the
//! board; the script draws shapes that the SVG defines. Of the rules, the script knows only
//! captures and simple ko, for moves that a reader tries.

mod html;
mod play;
mod problem;
mod review;
mod start;
mod steps;
mod svg;
mod verdict;

pub use html::players;
pub use play::Play;
pub use problem::ProblemPage;
pub use review::{Candidate, MoveNote, PositionNote, Review};
pub use start::{Listed, Start};
pub use steps::line;
pub use svg::{Diagram, Mark};
pub use verdict::{Chain, Ending, Verdict, marks};
