//! The clock of a game, and the time budget of a move.

use crate::types::Color;
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
    pub stones: u32,
}

/// Time budget of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Thinking time after which to stop if the choice is clear.
    pub optimum: Duration,
    /// Thinking time after which to stop in any case.
    pub maximum: Duration,
    /// Latest time for the answer, even if work is unfinished; `None` if a late answer
    /// loses nothing.
    pub last: Option<Duration>,
    /// Time that does not carry over, so the search may use all of it: the whole move where
    /// the period is renewed, time above the limit of a player's time, or the rest of the
    /// main time before an overtime.
    pub free: Duration,
}

impl Budget {
    /// A budget of exactly this time.
    pub const fn fixed(time: Duration) -> Budget {
        Budget {
            optimum: time,
            maximum: time,
            last: None,
            // No clock runs, but the user may be waiting.
            free: Duration::ZERO,
        }
    }
}

/// The clock of a game: the time system and each player's remaining time.
///
/// It counts the engine's own time, so that a controller may send `time_left` always,
/// sometimes or never.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    control: TimeControl,
    /// Was a time system set, even "none"?
    is_set: bool,
    left: [Option<TimeLeft>; 2],
    reported: [Option<Reported>; 2],
}

/// Times reported by a controller, from which the per-move overhead is estimated.
#[derive(Clone, Copy, Debug)]
struct Reported {
    /// The first reported time plus increments since, less the time that the engine counted.
    expected: Duration,
    /// Moves since the first report.
    moves: u32,
    /// Per-move overhead.
    delay: Duration,
}

/// Per-move overhead if the controller does not report the remaining time.
const UNREPORTED_DELAY: Duration = Duration::from_millis(4);

/// Maximum rounding error of controllers that send whole seconds.
const WHOLE: Duration = Duration::from_secs(1);

/// Maximum time of a move, as a multiple of an even share of the remaining time.
const STRETCH: f64 = 3.0;

/// Minimum planned time of a move: some playouts must happen, and clocks tick.
const LEAST: Duration = Duration::from_millis(5);

/// An absolute time keeps 1/`RESERVE_SHARE` of itself, but at most [`RESERVE`], for a game
/// that is longer than expected.
const RESERVE_SHARE: u32 = 8;

/// Time of an immediate move, without delays.
const AT_ONCE: Duration = Duration::from_millis(4);

/// Maximum reserve kept by [`RESERVE_SHARE`]: about two hundred immediate moves.
const RESERVE: Duration = Duration::from_millis(1500);

impl Clock {
    /// The time system in force.
    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// Set the time system and give both players their full time.
    pub fn set_control(&mut self, control: TimeControl) {
        self.control = control;
        self.is_set = true;
        self.reset();
    }

    /// Set a player's remaining time as reported by the controller. `stones` is 0 in main
    /// time, and the number of periods left in byo-yomi. If no time system is set, a fitting
    /// one is assumed until one is set or the game ends.
    pub fn set_left(&mut self, c: Color, time: Duration, stones: u32) {
        if !self.is_set {
            self.control = match stones {
                0 => TimeControl::Absolute(time),
                _ => TimeControl::Canadian {
                    main: Duration::ZERO,
                    period: time,
                    stones,
                },
            };
        }
        self.left[c.index()] = Some(TimeLeft { time, stones });
        // A period that each move renews says nothing about delays.
        if stones > 0 {
            self.reported[c.index()] = None;
            return;
        }
        let first = Reported {
            expected: time,
            moves: 0,
            delay: Duration::ZERO,
        };
        let reported = self.reported[c.index()].get_or_insert(first);
        if time > reported.expected + WHOLE {
            // Time was given, or moves were taken back.
            *reported = first;
        }
        let gone = reported.expected.saturating_sub(time);
        let whole = time.subsec_nanos() == 0;
        let sure = gone.saturating_sub(if whole { WHOLE } else { Duration::ZERO });
        reported.delay = sure / reported.moves.max(1);
    }

    /// Estimated per-move overhead of a player, on the way to the controller and back: the
    /// time that the controller counts and the engine does not.
    pub fn delay(&self, c: Color) -> Duration {
        self.reported[c.index()].map_or(Duration::ZERO, |reported| reported.delay)
    }

    /// Start a new game with full time for both players.
    pub fn reset(&mut self) {
        if !self.is_set {
            self.control = TimeControl::Unlimited;
        }
        self.left = [None; 2];
        self.reported = [None; 2];
    }

    /// A player's remaining time; `None` without a limit.
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

    /// Time within which a player's next move must be made; zero without a limit.
    pub fn in_hand(&self, c: Color) -> Duration {
        let left = self.left(c);
        let overtime = match (self.control, left.map(|left| left.stones)) {
            (
                TimeControl::Canadian { period, .. } | TimeControl::ByoYomi { period, .. },
                Some(0),
            ) => period,
            _ => Duration::ZERO,
        };
        left.map_or(Duration::ZERO, |left| left.time + overtime)
    }

    /// Subtract the time that a player used for a move.
    pub fn spend(&mut self, c: Color, used: Duration) {
        let Some(left) = self.left(c) else { return };
        // A controller that never reports the time left also counts its delays.
        let unreported = match self.reported[c.index()] {
            Some(_) => Duration::ZERO,
            None => UNREPORTED_DELAY,
        };
        if let Some(reported) = &mut self.reported[c.index()] {
            reported.moves += 1;
            reported.expected = reported.expected.saturating_sub(used);
            if let TimeControl::Fischer { increment, .. } = self.control {
                reported.expected += increment;
            }
        }
        let after = match self.control {
            TimeControl::Unlimited => return,
            TimeControl::Absolute(_) => TimeLeft {
                time: left.time.saturating_sub(used + unreported),
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
                // Complete periods are lost; the last one begun is renewed.
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
                // This move may end the main time.
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

    /// Compute the time budget of a player's next move; `None` without a limit.
    ///
    /// `moves_left` is the expected number of that player's remaining moves. `lag` is reserved
    /// for delays on the way to the controller, whose clock runs while answers travel: once per
    /// move from a period, and once per move from an absolute time as long as that is plenty.
    /// `after` is the time needed to answer once the thinking has stopped.
    pub fn budget(
        &self,
        c: Color,
        moves_left: u32,
        lag: Duration,
        after: Duration,
    ) -> Option<Budget> {
        let left = self.left(c)?;
        let n = moves_left.max(1);
        let kept = lag + after;
        let in_time = left.time.saturating_sub(lag);
        let time = left.time.saturating_sub(kept);
        let (optimum, maximum, last) = match (self.control, left.stones) {
            (TimeControl::Canadian { .. }, stones @ 1..) => {
                // Reserve the delay for each stone of the period.
                let share = time.saturating_sub(kept * (stones - 1)) / stones;
                let maximum = if stones == 1 {
                    share
                } else {
                    share.mul_f64(1.5).min(time)
                };
                // The other stones need their share.
                let even = in_time.saturating_sub(lag * (stones - 1)) / stones;
                let most = if stones == 1 { even } else { even * 2 };
                (share, maximum, most.max(left.time / stones / 2))
            }
            // The move renews the period, so it may use all of it.
            (TimeControl::ByoYomi { .. }, 1..) => (time, time, in_time),
            (
                control @ (TimeControl::Canadian { period, .. }
                | TimeControl::ByoYomi { period, .. }),
                0,
            ) => {
                // In main time. A move need not be faster than in the overtime. Main time below
                // the overtime's share goes into the first overtime move. A controller that
                // counts whole seconds reports 0 before the overtime begins.
                let stones = match control {
                    TimeControl::Canadian { stones, .. } => stones.max(1),
                    _ => 1,
                };
                let overtime = |kept| period.saturating_sub(kept) / stones;
                let share = match left.time <= overtime(kept) {
                    true => left.time + overtime(kept),
                    false => (left.time / n).max(overtime(kept)),
                };
                let most = (left.time + overtime(kept)).saturating_sub(kept);
                let last = (left.time + overtime(lag)).saturating_sub(lag);
                (share, share.mul_f64(STRETCH).min(most), last)
            }
            (
                TimeControl::Fischer {
                    increment, longest, ..
                },
                _,
            ) => {
                let gain = increment.saturating_sub(kept);
                let share = (time / n + gain).min(time);
                let most = |time: Duration, kept| {
                    longest.map_or(time, |l| time.min(l.saturating_sub(kept)))
                };
                let stretched = share.mul_f64(STRETCH).min((time / 4).max(share));
                (share, stretched.min(most(time, kept)), most(in_time, lag))
            }
            (control, _) => {
                let reserve = match control {
                    TimeControl::Absolute(all) => self.reserve(c, all, n),
                    _ => Duration::ZERO,
                };
                let share = time.saturating_sub(reserve) / n;
                let share = share.saturating_sub(kept.min(share / 2));
                let maximum = share.mul_f64(STRETCH).min(left.time / 4);
                (share, maximum, in_time.saturating_sub(reserve))
            }
        };
        let free = match (self.control, left.stones) {
            (TimeControl::ByoYomi { .. }, 1..) | (TimeControl::Canadian { .. }, 1) => maximum,
            (
                TimeControl::ByoYomi { period, .. }
                | TimeControl::Canadian {
                    period, stones: 1, ..
                },
                0,
            ) if left.time < period => maximum,
            (TimeControl::Canadian { .. }, 0) if optimum > left.time => left.time,
            (
                TimeControl::Fischer {
                    increment,
                    limit: Some(most),
                    ..
                },
                _,
            ) => (left.time + increment).saturating_sub(most.max(increment)),
            _ => Duration::ZERO,
        };
        Some(Budget {
            optimum: optimum.min(maximum).max(LEAST),
            maximum: maximum.max(LEAST),
            last: Some(last),
            free,
        })
    }

    /// Reserve of an absolute time for immediate moves: enough for a usual game, or for
    /// `moves_left` moves with their delays.
    fn reserve(&self, c: Color, all: Duration, moves_left: u32) -> Duration {
        let usual = (all / RESERVE_SHARE).min(RESERVE);
        let delayed = (self.delay(c) + AT_ONCE) * moves_left;
        usual.max(delayed.min(all / 4))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: fn(u64) -> Duration = Duration::from_secs;
    const LAG: Duration = Duration::from_millis(100);

    #[test]
    fn unlimited_time_has_no_budget() {
        assert_eq!(
            Clock::default().budget(Color::Black, 30, LAG, Duration::ZERO),
            None
        );
    }

    #[test]
    fn absolute_time_is_never_used_up() {
        let mut clock = Clock::default();
        clock.set_control(TimeControl::Absolute(S(10)));
        let mut used = Duration::ZERO;
        for m in 0..200u32 {
            let b = clock
                .budget(
                    Color::White,
                    30u32.saturating_sub(m).max(8),
                    LAG,
                    Duration::ZERO,
                )
                .unwrap();
            let move_time = b.maximum + Duration::from_millis(2);
            used += move_time;
            clock.spend(Color::White, move_time);
        }
        assert!(used < S(10), "{used:?}");
        assert_eq!(clock.left(Color::Black).unwrap().time, S(10));
    }

    #[test]
    fn any_stone_count_has_a_budget() {
        let mut clock = Clock::default();
        for stones in [1, 1 << 31, u32::MAX] {
            clock.set_control(TimeControl::Canadian {
                main: S(0),
                period: S(30),
                stones,
            });
            let budget = clock.budget(Color::Black, 30, LAG, Duration::ZERO);
            assert!(budget.unwrap().maximum <= S(30), "{stones}");
        }
    }

    #[test]
    fn canadian_periods_restart() {
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
        let b = clock.budget(Color::Black, 50, LAG, Duration::ZERO).unwrap();
        assert!(b.optimum * 3 < S(30) && b.maximum < S(16));
    }

    #[test]
    fn byo_yomi_periods_are_renewed_unless_used_up() {
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
        // The rest of the main time and part of the first period.
        clock.spend(Color::White, S(4));
        assert_eq!(left(&clock), (S(5), 3));
        let b = clock.budget(Color::White, 50, LAG, Duration::ZERO).unwrap();
        assert_eq!((b.optimum, b.maximum), (S(5) - LAG, S(5) - LAG));
        assert_eq!(b.last, Some(S(5) - LAG));
        clock.spend(Color::White, S(4));
        assert_eq!(left(&clock), (S(5), 3));
        clock.spend(Color::White, S(11));
        assert_eq!(left(&clock), (S(5), 1));
        clock.set_left(Color::White, S(3), 2);
        assert_eq!(left(&clock), (S(3), 2));
        let b = clock.budget(Color::White, 50, LAG, Duration::ZERO).unwrap();
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
            let b = clock.budget(Color::Black, 8, LAG, Duration::ZERO).unwrap();
            let left = clock.left(Color::Black).unwrap().time;
            assert!(b.maximum + LAG <= left && b.maximum + LAG <= S(6), "{b:?}");
            // At least nearly the increment.
            assert!(b.maximum > S(1), "{b:?} of {left:?}");
            clock.spend(Color::Black, b.maximum + LAG);
        }
    }

    #[test]
    fn period_of_one_stone_is_mostly_used() {
        let mut clock = Clock::default();
        clock.set_control(TimeControl::Canadian {
            main: S(0),
            period: S(1),
            stones: 1,
        });
        let b = clock.budget(Color::Black, 50, LAG, Duration::ZERO).unwrap();
        assert_eq!(b.optimum, Duration::from_millis(900));
        assert_eq!(b.maximum, b.optimum);
    }

    #[test]
    fn time_that_does_not_carry_over_is_free() {
        let canadian = |stones| TimeControl::Canadian {
            main: S(5),
            period: S(10),
            stones,
        };
        let byo_yomi = TimeControl::ByoYomi {
            main: S(5),
            period: S(10),
            periods: 3,
        };
        let fischer = TimeControl::Fischer {
            main: S(5),
            increment: S(10),
            limit: None,
            longest: None,
        };
        let capped = |most| TimeControl::Fischer {
            main: S(5),
            increment: S(10),
            limit: Some(S(most)),
            longest: None,
        };
        let (all, none) = (None, Some(0));
        for (control, stones, free) in [
            (canadian(1), 0, all),
            (canadian(1), 1, all),
            (canadian(5), 5, none),
            (canadian(5), 1, all),
            // The next period is for several moves.
            (canadian(3), 0, none),
            (byo_yomi, 0, all),
            (byo_yomi, 3, all),
            (byo_yomi, 1, all),
            (fischer, 0, none),
            (capped(15), 0, none),
            (capped(12), 0, Some(3)),
            (TimeControl::Absolute(S(5)), 0, none),
        ] {
            let mut clock = Clock::default();
            clock.set_control(control);
            clock.set_left(Color::White, S(5), stones);
            let b = clock.budget(Color::White, 50, LAG, Duration::ZERO).unwrap();
            let free = free.map_or(b.maximum, S);
            assert_eq!(b.free, free, "{control:?}, {stones} stones");
        }
    }

    /// Servers round the time left down, so they report 0 before the overtime begins.
    #[test]
    fn end_of_main_time_borrows_from_the_overtime() {
        let (main, period) = (S(60), S(10));
        for control in [
            TimeControl::ByoYomi {
                main,
                period,
                periods: 5,
            },
            TimeControl::Canadian {
                main,
                period,
                stones: 5,
            },
        ] {
            let overtime = match control {
                TimeControl::Canadian { .. } => S(2),
                _ => S(10),
            };
            for left in [0, 300, 900, 1500] {
                let left = Duration::from_millis(left);
                let mut clock = Clock::default();
                clock.set_control(control);
                clock.set_left(Color::Black, left, 0);
                let b = clock.budget(Color::Black, 50, LAG, Duration::ZERO).unwrap();
                assert!(b.optimum + LAG * 2 >= left + overtime, "{control:?}: {b:?}");
                assert!(b.last.unwrap() < left + period);
                assert!(b.optimum <= b.maximum && b.maximum <= b.last.unwrap());
            }
        }
    }

    #[test]
    fn time_left_works_without_time_settings() {
        for (stones, optimum) in [(0, S(1)), (5, S(3))] {
            let mut clock = Clock::default();
            clock.set_left(Color::Black, S(10), stones);
            let b = clock.budget(Color::Black, 50, LAG, Duration::ZERO).unwrap();
            assert!(b.optimum < optimum && b.last.unwrap() < S(10));
            // A later overtime report sets another budget; the next game has none.
            clock.set_left(Color::Black, S(40), 5);
            let b = clock.budget(Color::Black, 50, LAG, Duration::ZERO).unwrap();
            assert!(b.optimum > S(7), "{b:?}");
            clock.reset();
            assert_eq!(clock.budget(Color::Black, 50, LAG, Duration::ZERO), None);
            // An explicit "no limit" overrides the reports.
            clock.set_control(TimeControl::Unlimited);
            clock.set_left(Color::Black, S(10), stones);
            assert_eq!(clock.budget(Color::Black, 50, LAG, Duration::ZERO), None);
        }
    }

    #[test]
    fn delay_is_learned_from_the_controller() {
        let mut clock = Clock::default();
        clock.set_control(TimeControl::Absolute(S(20)));
        let ms = Duration::from_millis;
        let mut left = S(20);
        for _ in 0..10 {
            clock.set_left(Color::Black, left, 0);
            clock.spend(Color::Black, ms(100));
            left -= ms(137);
        }
        clock.set_left(Color::Black, left, 0);
        assert_eq!(clock.delay(Color::Black), ms(37));
        assert_eq!(clock.delay(Color::White), Duration::ZERO);
        // More remaining moves need a larger reserve for delays.
        let budget = |n| clock.budget(Color::Black, n, ms(0), ms(0)).unwrap();
        assert!(budget(100).last < budget(10).last);
        // Added time restarts the estimate.
        clock.set_left(Color::Black, S(60), 0);
        assert_eq!(clock.delay(Color::Black), Duration::ZERO);
    }

    #[test]
    fn rounding_to_whole_seconds_is_not_a_delay() {
        let mut clock = Clock::default();
        clock.set_control(TimeControl::Absolute(S(20)));
        let mut left = S(20);
        for _ in 0..30 {
            clock.set_left(Color::White, S(left.as_secs()), 0);
            clock.spend(Color::White, Duration::from_millis(300));
            left -= Duration::from_millis(300);
            assert!(clock.delay(Color::White) < Duration::from_millis(40));
        }
    }

    #[test]
    fn no_time_is_planned_when_none_is_left() {
        for control in [
            TimeControl::Absolute(S(10)),
            TimeControl::Fischer {
                main: S(10),
                increment: S(1),
                limit: None,
                longest: None,
            },
            TimeControl::ByoYomi {
                main: S(0),
                period: S(10),
                periods: 3,
            },
        ] {
            let mut clock = Clock::default();
            clock.set_control(control);
            let stones = u32::from(matches!(control, TimeControl::ByoYomi { .. }));
            clock.set_left(Color::Black, LAG, stones);
            let budget = clock.budget(Color::Black, 30, LAG, Duration::ZERO).unwrap();
            assert_eq!(budget.last, Some(Duration::ZERO), "{control:?}");
        }
    }
}
