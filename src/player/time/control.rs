//! Time systems.

use std::time::Duration;

/// A time system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TimeControl {
    /// No limit.
    #[default]
    Unlimited,
    /// A fixed time for the whole game.
    Absolute(Duration),
    /// Main time, then overtime periods with a fixed number of stones in each.
    Canadian {
        /// Main time.
        main: Duration,
        /// Length of an overtime period.
        period: Duration,
        /// Stones to play in each period; at least 1.
        stones: u32,
    },
    /// Main time, then a number of periods; a move within a period renews it.
    ByoYomi {
        /// Main time.
        main: Duration,
        /// Length of a period.
        period: Duration,
        /// Number of periods; at least 1.
        periods: u32,
    },
    /// A time that grows by an increment after each move.
    Fischer {
        /// Time at the start.
        main: Duration,
        /// Time added after each move.
        increment: Duration,
        /// Maximum time that a player may accumulate.
        limit: Option<Duration>,
        /// Maximum time for a move.
        longest: Option<Duration>,
    },
}

/// A player's remaining time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLeft {
    /// Time left in the main time or the current period.
    pub time: Duration,
    /// Stones still to play in the current period, or byo-yomi periods left; 0 in main time.
    pub stones_or_periods: u32,
}

impl TimeLeft {
    /// This much main time.
    const fn main(time: Duration) -> TimeLeft {
        TimeLeft {
            time,
            stones_or_periods: 0,
        }
    }
}

impl TimeControl {
    /// A player's time at the start; `None` without a limit.
    pub(super) fn full(self) -> Option<TimeLeft> {
        match self {
            TimeControl::Unlimited => None,
            TimeControl::Absolute(time) | TimeControl::Fischer { main: time, .. } => {
                Some(TimeLeft::main(time))
            }
            TimeControl::Canadian {
                main,
                period,
                stones,
            }
            | TimeControl::ByoYomi {
                main,
                period,
                periods: stones,
            } => Some(match main.is_zero() {
                true => TimeLeft {
                    time: period,
                    stones_or_periods: stones,
                },
                false => TimeLeft::main(main),
            }),
        }
    }

    /// A player's time after a move that took `used`.
    pub(super) fn after(self, left: TimeLeft, used: Duration) -> TimeLeft {
        match self {
            TimeControl::Unlimited => left,
            TimeControl::Absolute(_) => TimeLeft::main(left.time.saturating_sub(used)),
            TimeControl::Fischer {
                increment, limit, ..
            } => {
                let time = left.time.saturating_sub(used) + increment;
                TimeLeft::main(limit.map_or(time, |most| time.min(most.max(increment))))
            }
            // Still in the main time.
            TimeControl::ByoYomi { .. } | TimeControl::Canadian { .. }
                if left.stones_or_periods == 0 && used < left.time =>
            {
                TimeLeft::main(left.time - used)
            }
            TimeControl::ByoYomi {
                period, periods, ..
            } => {
                // Complete periods are lost; the last one begun is renewed.
                let (over, had) = match left.stones_or_periods {
                    0 => (used - left.time, periods),
                    n => (used, n),
                };
                let gone = over.as_nanos() / period.as_nanos().max(1);
                let gone = u32::try_from(gone).unwrap_or(u32::MAX);
                TimeLeft {
                    time: period,
                    stones_or_periods: had.saturating_sub(gone).max(1),
                }
            }
            TimeControl::Canadian { period, stones, .. } => {
                // This move may end the main time.
                let (time, todo) = match left.stones_or_periods {
                    0 => ((left.time + period).saturating_sub(used), stones),
                    n => (left.time.saturating_sub(used), n),
                };
                match todo {
                    0 | 1 => TimeLeft {
                        time: period,
                        stones_or_periods: stones,
                    },
                    n => TimeLeft {
                        time,
                        stones_or_periods: n - 1,
                    },
                }
            }
        }
    }
}
