//! Time: systems, the clock of a game, the plan of a move, and the manager that makes it.

mod clock;
mod control;
mod manager;
mod plan;

pub use clock::Clock;
pub use control::{TimeControl, TimeLeft};

pub(super) use manager::{TimeManager, is_early};
pub(super) use plan::TimePlan;
