//! The basic types that every other layer uses: colours, points, moves, board
//! sizes, komi and the random generator. No rules of the game are here.

mod color;
mod input;
mod komi;
mod lock;
mod moves;
mod point;
mod rng;
mod room;
mod similar;
mod size;
mod truth;

pub use color::{Color, InvalidColor, PointState};
pub use input::{open_regular, read_line, read_up_to};
pub use komi::{InvalidKomi, Komi};
pub use lock::locked;
pub use moves::{InvalidVertex, Move};
pub use point::{POINTS, Point, STRIDE};
pub use rng::{GOLDEN, Generator, splitmix};
pub use room::Room;
pub use similar::similar;
pub use size::{BoardSize, InvalidSize};
pub use truth::truth;
