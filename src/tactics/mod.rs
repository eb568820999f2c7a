//! Local knowledge about stones: 3x3 patterns, vital points, ladders, unconditional life.

mod benson;
mod ladder;
mod nakade;
mod patterns;

pub use benson::{Enclosure, Unconditional, unconditional};
pub use ladder::{LadderSearch, Plies, capturing_plays};
pub use nakade::vital_point;
pub use patterns::Patterns;
