//! Pictures and pages for people who would rather look than read: a board as SVG, an
//! analysed game and a scored game as one HTML page each.
//!
//! A page stands alone: style, script and data lie in it, nothing is loaded, and a policy
//! in its head forbids it. What a move changes on the board is worked out here, and what the
//! script draws are shapes that the SVG defines. Of the rules the script knows captures and
//! simple ko, for moves that a reader tries out.

mod html;
mod review;
mod steps;
mod svg;
mod verdict;

pub use review::{Candidate, Loss, PositionNote, Review};
pub use svg::{Diagram, Mark};
pub use verdict::{Act, Chain, Ending, Verdict};
