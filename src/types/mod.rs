//! The basic types that every other layer uses: colours, points and sets of points, moves,
//! board sizes, komi and the random generator. No rules of the game are here.

mod color;
mod komi;
mod moves;
mod point;
mod point_set;
mod rng;
mod size;

pub use color::{Color, InvalidColor, PointState};
pub use komi::{InvalidKomi, Komi};
pub use moves::{InvalidVertex, Move};
pub use point::{POINTS, Point, STRIDE};
pub use point_set::PointSet;
pub use rng::{GOLDEN, Generator, splitmix};
pub use size::{BoardSize, InvalidSize};
