//! Helpers that do not concern Go: reading input, locks, similar names, truth values, lists in words.

mod input;
mod lock;
mod room;
mod similar;
mod spaced;
mod truth;

pub use input::{open_regular, read_line, read_up_to};
pub use lock::locked;
pub use room::Room;
pub use similar::similar;
pub use spaced::spaced;
pub use truth::truth;
