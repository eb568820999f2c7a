//! The clock of a game, and how much of it a move may take.

use crate::types::Color;
use std::time::Duration;

/// A time system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TimeControl {
    /// No limit.
    #[default]
    Unlimited,
    /// So much for the whole game.
    Absolute(Duration),
    /// Main time, then so many stones in each period, again and again.
    Canadian {
        /// Main time.
        main: Duration,
        /// Length of an overtime period.
        period: Duration,
        /// Stones to be played in each; at least 1.
        stones: u32,
    },
    /// Main time, then a number of periods; a move within one leaves it whole.
    ByoYomi {
        /// Main time.
        main: Duration,
        /// Length of a period.
        period: Duration,
        /// How many; at least 1.
        periods: u32,
    },
    /// A time to which each move adds.
    Fischer {
        /// Time at the start.
        main: Duration,
        /// Added after each move.
        increment: Duration,
        /// Most that a player may have.
        limit: Option<Duration>,
        /// Most that a move may take.
        longest: Option<Duration>,
    },
}

/// What is left to a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLeft {
    /// Time left in the main time or the present period.
    pub time: Duration,
    /// Stones still to be played in the present period, or with byo-yomi periods
    /// left; 0 in main time.
    pub stones: u32,
}

/// How long to think about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Stop here if the choice is clear.
    pub optimum: Duration,
    /// Stop here whatever happens.
    pub maximum: Duration,
}

impl Budget {
    /// Exactly so long.
    pub const fn fixed(time: Duration) -> Budget {
        Budget {
            optimum: time,
            maximum: time,
        }
    }
}

/// The clock of a game: the time system and what is left to each player.
///
/// It counts for itself what the engine uses, so that a controller may send
/// `time_left` always, sometimes or never.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    control: TimeControl,
    left: [Option<TimeLeft>; 2],
}

/// The longest that a move may exceed an even share of the time left.
const STRETCH: f64 = 3.0;

/// No move is planned with less: some playouts must happen, and clocks tick.
const LEAST: Duration = Duration::from_millis(5);

/// Kept of an absolute time for a game that goes on longer than anybody thought:
/// this share of it, but no more than [`RESERVE`].
const RESERVE_SHARE: u32 = 8;

/// The most that is kept by [`RESERVE_SHARE`]: some two hundred moves at once.
const RESERVE: Duration = Duration::from_millis(1500);

impl Clock {
    /// The time system in force.
    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// Set the time system and give both players their full time.
    pub fn set_control(&mut self, control: TimeControl) {
        self.control = control;
        self.left = [None; 2];
    }

    /// What a controller says is left; `stones` is 0 in main time, and the number
    /// of periods left in byo-yomi.
    pub fn set_left(&mut self, c: Color, time: Duration, stones: u32) {
        self.left[c.index()] = Some(TimeLeft { time, stones });
    }

    /// A new game: full time for both.
    pub fn reset(&mut self) {
        self.left = [None; 2];
    }

    /// What is left to a player; `None` without a limit.
    pub fn left(&self, c: Color) -> Option<TimeLeft> {
        let full = match self.control {
            TimeControl::Unlimited => return None,
            TimeControl::Absolute(time) | TimeControl::Fischer { main: time, .. } => {
                TimeLeft { time, stones: 0 }
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
            } => {
                if main.is_zero() {
                    TimeLeft {
                        time: period,
                        stones,
                    }
                } else {
                    TimeLeft {
                        time: main,
                        stones: 0,
                    }
                }
            }
        };
        Some(self.left[c.index()].unwrap_or(full))
    }

    /// A move of this player took so long.
    pub fn spend(&mut self, c: Color, used: Duration) {
        let Some(left) = self.left(c) else { return };
        let after = match self.control {
            TimeControl::Unlimited => return,
            TimeControl::Absolute(_) => TimeLeft {
                time: left.time.saturating_sub(used),
                stones: 0,
            },
            TimeControl::Fischer {
                increment, limit, ..
            } => {
                let time = left.time.saturating_sub(used) + increment;
                TimeLeft {
                    time: limit.map_or(time, |most| time.min(most.max(increment))),
                    stones: 0,
                }
            }
            // Still in the main time.
            TimeControl::ByoYomi { .. } | TimeControl::Canadian { .. }
                if left.stones == 0 && used < left.time =>
            {
                TimeLeft {
                    time: left.time - used,
                    stones: 0,
                }
            }
            TimeControl::ByoYomi {
                period, periods, ..
            } => {
                // Whole periods are gone for good, the last one begun is not.
                let (over, had) = match left.stones {
                    0 => (used - left.time, periods),
                    n => (used, n),
                };
                let gone = over.as_nanos() / period.as_nanos().max(1);
                let gone = u32::try_from(gone).unwrap_or(u32::MAX);
                TimeLeft {
                    time: period,
                    stones: had.saturating_sub(gone).max(1),
                }
            }
            TimeControl::Canadian { period, stones, .. } => {
                // The move may be the one that ends the main time.
                let (time, todo) = match left.stones {
                    0 => ((left.time + period).saturating_sub(used), stones),
                    n => (left.time.saturating_sub(used), n),
                };
                match todo {
                    0 | 1 => TimeLeft {
                        time: period,
                        stones,
                    },
                    n => TimeLeft {
                        time,
                        stones: n - 1,
                    },
                }
            }
        };
        self.left[c.index()] = Some(after);
    }

    /// How long a player may think about the next move; `None` without a limit.
    ///
    /// `moves_left` is how many more moves that player may make. `lag` is
    /// kept in hand for delays on the way to the controller: from a period, once
    /// a move; from the time for the game, once a move too as long as there is
    /// plenty, as the controller's clock runs while answers travel.
    pub fn budget(&self, c: Color, moves_left: u32, lag: Duration) -> Option<Budget> {
        let left = self.left(c)?;
        let n = moves_left.max(1);
        let budget = match (self.control, left.stones) {
            (TimeControl::Canadian { .. }, stones @ 1..) => {
                let time = left.time.saturating_sub(lag);
                // Each stone of the period will suffer the delay.
                let share = time.saturating_sub(lag * (stones - 1)) / stones;
                Budget {
                    optimum: share,
                    maximum: if stones == 1 {
                        share
                    } else {
                        share.mul_f64(1.5).min(time)
                    },
                }
            }
            // A period is whole again after the move: all of it is for this one.
            (TimeControl::ByoYomi { .. }, 1..) => Budget::fixed(left.time.saturating_sub(lag)),
            (
                control @ (TimeControl::Canadian { period, .. }
                | TimeControl::ByoYomi { period, .. }),
                0,
            ) => {
                // In main time; no move need be quicker than the overtime allows.
                let stones = match control {
                    TimeControl::Canadian { stones, .. } => stones.max(1),
                    _ => 1,
                };
                let overtime = period.saturating_sub(lag) / stones;
                let share = (left.time / n).max(overtime.min(left.time));
                Budget {
                    optimum: share,
                    maximum: share
                        .mul_f64(STRETCH)
                        .min((left.time + overtime).saturating_sub(lag)),
                }
            }
            (
                TimeControl::Fischer {
                    increment, longest, ..
                },
                _,
            ) => {
                let time = left.time.saturating_sub(lag);
                let gain = increment.saturating_sub(lag);
                let share = (time / n + gain).min(time);
                let most = longest.map_or(time, |l| time.min(l.saturating_sub(lag)));
                Budget {
                    optimum: share,
                    maximum: share.mul_f64(STRETCH).min((time / 4).max(share)).min(most),
                }
            }
            (control, _) => {
                let reserve = match control {
                    TimeControl::Absolute(all) => (all / RESERVE_SHARE).min(RESERVE),
                    _ => Duration::ZERO,
                };
                let share = left.time.saturating_sub(lag + reserve) / n;
                let share = share.saturating_sub(lag.min(share / 2));
                Budget {
                    optimum: share,
                    maximum: share.mul_f64(STRETCH).min(left.time / 4),
                }
            }
        };
        Some(Budget {
            optimum: budget.optimum.min(budget.maximum).max(LEAST),
            maximum: budget.maximum.max(LEAST),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: fn(u64) -> Duration = Duration::from_secs;
    const LAG: Duration = Duration::from_millis(100);

    #[test]
    fn no_limit_has_no_budget() {
        assert_eq!(Clock::default().budget(Color::Black, 30, LAG), None);
    }

    #[test]
    fn absolute_time_is_never_used_up() {
        let mut clock = Clock::default();
        clock.set_control(TimeControl::Absolute(S(10)));
        let mut used = Duration::ZERO;
        for m in 0..200u32 {
            let b = clock
                .budget(Color::White, 30u32.saturating_sub(m).max(8), LAG)
                .unwrap();
            let move_time = b.maximum + Duration::from_millis(2);
            used += move_time;
            clock.spend(Color::White, move_time);
        }
        assert!(used < S(10), "{used:?}");
        assert_eq!(clock.left(Color::Black).unwrap().time, S(10));
    }

    #[test]
    fn canadian_periods_start_again() {
        let mut clock = Clock::default();
        clock.set_control(TimeControl::Canadian {
            main: S(10),
            period: S(30),
            stones: 3,
        });
        let left = |clock: &Clock| clock.left(Color::Black).unwrap();
        assert_eq!(left(&clock).stones, 0);
        clock.spend(Color::Black, S(4));
        assert_eq!(
            left(&clock),
            TimeLeft {
                time: S(6),
                stones: 0
            }
        );
        // 6 s of main time and 2 s of the first period.
        clock.spend(Color::Black, S(8));
        assert_eq!(
            left(&clock),
            TimeLeft {
                time: S(28),
                stones: 2
            }
        );
        clock.spend(Color::Black, S(20));
        assert_eq!(
            left(&clock),
            TimeLeft {
                time: S(8),
                stones: 1
            }
        );
        clock.spend(Color::Black, S(7));
        assert_eq!(
            left(&clock),
            TimeLeft {
                time: S(30),
                stones: 3
            }
        );
        let b = clock.budget(Color::Black, 50, LAG).unwrap();
        assert!(b.optimum * 3 < S(30) && b.maximum < S(16));
    }

    #[test]
    fn byo_yomi_periods_come_back_unless_they_are_used_up() {
        let mut clock = Clock::default();
        clock.set_control(TimeControl::ByoYomi {
            main: S(10),
            period: S(5),
            periods: 3,
        });
        let left = |clock: &Clock| {
            let left = clock.left(Color::White).unwrap();
            (left.time, left.stones)
        };
        assert_eq!(left(&clock), (S(10), 0));
        clock.spend(Color::White, S(8));
        assert_eq!(left(&clock), (S(2), 0));
        // The end of the main time and a part of the first period.
        clock.spend(Color::White, S(4));
        assert_eq!(left(&clock), (S(5), 3));
        let b = clock.budget(Color::White, 50, LAG).unwrap();
        assert_eq!(b, Budget::fixed(S(5) - LAG));
        clock.spend(Color::White, S(4));
        assert_eq!(left(&clock), (S(5), 3));
        clock.spend(Color::White, S(11));
        assert_eq!(left(&clock), (S(5), 1));
        clock.set_left(Color::White, S(3), 2);
        assert_eq!(left(&clock), (S(3), 2));
        let b = clock.budget(Color::White, 50, LAG).unwrap();
        assert!(b.maximum <= S(3) - LAG);
    }

    #[test]
    fn fischer_time_grows_and_is_never_used_up() {
        let mut clock = Clock::default();
        clock.set_control(TimeControl::Fischer {
            main: S(20),
            increment: S(2),
            limit: Some(S(25)),
            longest: Some(S(6)),
        });
        clock.spend(Color::Black, Duration::ZERO);
        assert_eq!(clock.left(Color::Black).unwrap().time, S(22));
        for _ in 0..3 {
            clock.spend(Color::Black, Duration::ZERO);
        }
        assert_eq!(clock.left(Color::Black).unwrap().time, S(25));
        for _ in 0..400 {
            let b = clock.budget(Color::Black, 8, LAG).unwrap();
            let left = clock.left(Color::Black).unwrap().time;
            assert!(b.maximum + LAG <= left && b.maximum + LAG <= S(6), "{b:?}");
            // Nearly the increment at least.
            assert!(b.maximum > S(1), "{b:?} of {left:?}");
            clock.spend(Color::Black, b.maximum + LAG);
        }
    }

    #[test]
    fn one_stone_a_period_uses_most_of_it() {
        let mut clock = Clock::default();
        clock.set_control(TimeControl::Canadian {
            main: S(0),
            period: S(1),
            stones: 1,
        });
        let b = clock.budget(Color::Black, 50, LAG).unwrap();
        assert_eq!(b, Budget::fixed(Duration::from_millis(900)));
    }
}
