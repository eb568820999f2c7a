//! What is not about Go: reading input, locks, names and truth values in words.

mod input;
mod lock;
mod room;
mod similar;
mod truth;

pub use input::{open_regular, read_line, read_up_to};
pub use lock::locked;
pub use room::Room;
pub use similar::similar;
pub use truth::truth;
