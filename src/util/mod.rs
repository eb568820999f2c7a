//! Helpers that do not concern Go: input, locks, queue limits, similar names, the system, texts.

mod input;
mod lock;
mod queue_limit;
mod similar;
mod system;
mod text;

pub use input::{open_regular, read_line, read_up_to};
pub use lock::locked;
pub use queue_limit::QueueLimit;
pub use similar::similar;
pub use system::{HAS_THREADS, on_interrupt, processor_time};
pub use text::{json_text, spaced, truth, unquoted};
