//! Monte Carlo tree search.

mod clock;

pub use clock::{Clock, TimeControl};
