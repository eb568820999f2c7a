//! Time: systems, the clock of a game, the budget of a move, and the manager that plans it.

mod budget;
mod clock;
mod control;
mod manager;

pub use clock::Clock;
pub use control::{TimeControl, TimeLeft};

use budget::Budget;
pub(super) use manager::{TimeManager, TimePlan};
use std::time::Duration;

/// Minimum time for which a search is worthwhile: some playouts must happen, and clocks tick.
const SHORTEST_SEARCH: Duration = Duration::from_millis(5);

/// Usual time of an immediate move, without delays.
const IMMEDIATE: Duration = Duration::from_millis(4);

/// Minimum and maximum time of an immediate move when the time runs out.
const IMMEDIATE_RANGE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));
