//! Visual output: a board as SVG, and an analysed game, a scored game or a problem as one HTML page.
//!
//! A page is self-contained: it includes style, script and data, loads nothing, and has a
//! content security policy that forbids loading. Rust computes how each move changes the
//! board; the script draws shapes that the SVG defines. Of the rules, the script knows only
//! captures and simple ko, for moves that a reader tries.

mod html;
mod problem;
mod review;
mod steps;
mod svg;
mod verdict;

pub use problem::ProblemPage;
pub use review::{Candidate, Loss, PositionNote, Review};
pub use svg::{Diagram, Mark};
pub use verdict::{Act, Chain, Ending, Verdict};
