//! Visual output: a board as SVG, and HTML pages of an analysed game, a scored game and a
//! problem, and of `ponnuki serve`.
//!
//! A page is self-contained: it includes style, script and data, loads nothing, and has a content
//! security policy that forbids loading. Only the pages of `ponnuki serve` send requests, to the
//! program that served them. Where a function takes `served`, that is `None` for a page in a file.
//!
//! Rust computes how each move changes the board; the script draws shapes that the SVG defines. Of
//! the rules, the script knows only captures and simple ko, for moves that a reader tries.

mod html;
mod play;
mod problem;
mod review;
mod start;
mod steps;
mod svg;
mod verdict;

pub use html::{Served, players};
pub use play::GamePage;
pub use problem::ProblemPage;
pub use review::{Candidate, MoveNote, PositionNote, Review};
pub use start::{Listed, Start, missing, play_on, progress};
pub use steps::line;
pub use svg::{Diagram, Mark};
pub use verdict::{Chain, Ending, Verdict, marks};
