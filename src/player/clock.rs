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
    /// Answer by then, whatever is left undone; `None` if nothing is lost later.
    pub last: Option<Duration>,
    /// So much is lost if it is not used now, and may be thought through to its end: all
    /// where a period is whole again after the move, what goes beyond the most that a player
    /// may have, the rest of the main time before an overtime.
    pub free: Duration,
}

impl Budget {
    /// Exactly so long.
    pub const fn fixed(time: Duration) -> Budget {
        Budget {
            optimum: time,
            maximum: time,
            last: None,
            // Nobody's clock runs, but somebody may be waiting.
            free: Duration::ZERO,
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
    /// Has a time system been set, be it that there is none?
    is_set: bool,
    left: [Option<TimeLeft>; 2],
    told: [Option<Told>; 2],
}

/// What a controller has said, from which follows how much goes by between it and the
/// engine at each move.
#[derive(Clone, Copy, Debug)]
struct Told {
    /// What it said first, and all that was added since, less what the engine counted.
    expected: Duration,
    /// Moves since.
    moves: u32,
    /// What goes by at a move.
    delay: Duration,
}

/// What goes by at a move between the engine and a controller that says nothing of it.
const UNTOLD: Duration = Duration::from_millis(4);

/// Controllers that send whole seconds may be wrong by so much.
const WHOLE: Duration = Duration::from_secs(1);

/// The longest that a move may exceed an even share of the time left.
const STRETCH: f64 = 3.0;

/// No move is planned with less: some playouts must happen, and clocks tick.
const LEAST: Duration = Duration::from_millis(5);

/// Kept of an absolute time for a game that goes on longer than anybody thought:
/// this share of it, but no more than [`RESERVE`].
const RESERVE_SHARE: u32 = 8;

/// What a move at once takes, delays not counted.
const AT_ONCE: Duration = Duration::from_millis(4);

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
        self.is_set = true;
        self.reset();
    }

    /// What a controller says is left; `stones` is 0 in main time, and the number
    /// of periods left in byo-yomi. One that has set no time system means, until it says
    /// otherwise or the game ends, one in which this can be left.
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
        // Where a period is full again after each move nothing can be learned.
        if stones > 0 {
            self.told[c.index()] = None;
            return;
        }
        let first = Told {
            expected: time,
            moves: 0,
            delay: Duration::ZERO,
        };
        let told = self.told[c.index()].get_or_insert(first);
        if time > told.expected + WHOLE {
            // Time was given, or moves were taken back.
            *told = first;
        }
        let gone = told.expected.saturating_sub(time);
        let whole = time.subsec_nanos() == 0;
        let sure = gone.saturating_sub(if whole { WHOLE } else { Duration::ZERO });
        told.delay = sure / told.moves.max(1);
    }

    /// What goes by at each of a player's moves that the engine does not count itself, on
    /// the way to the controller and back, as far as the controller's own clock shows it.
    pub fn delay(&self, c: Color) -> Duration {
        self.told[c.index()].map_or(Duration::ZERO, |told| told.delay)
    }

    /// A new game: full time for both.
    pub fn reset(&mut self) {
        if !self.is_set {
            self.control = TimeControl::Unlimited;
        }
        self.left = [None; 2];
        self.told = [None; 2];
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

    /// By when a player's next move must be made; nothing without a limit.
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

    /// A move of this player took so long.
    pub fn spend(&mut self, c: Color, used: Duration) {
        let Some(left) = self.left(c) else { return };
        // A controller that never says what is left counts the way there and back too.
        let untold = match self.told[c.index()] {
            Some(_) => Duration::ZERO,
            None => UNTOLD,
        };
        if let Some(told) = &mut self.told[c.index()] {
            told.moves += 1;
            told.expected = told.expected.saturating_sub(used);
            if let TimeControl::Fischer { increment, .. } = self.control {
                told.expected += increment;
            }
        }
        let after = match self.control {
            TimeControl::Unlimited => return,
            TimeControl::Absolute(_) => TimeLeft {
                time: left.time.saturating_sub(used + untold),
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
    /// plenty, as the controller's clock runs while answers travel. `after` is what it
    /// takes to answer once the thinking has stopped.
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
                // Each stone of the period will suffer the delay.
                let share = time.saturating_sub(kept * (stones - 1)) / stones;
                let maximum = if stones == 1 {
                    share
                } else {
                    share.mul_f64(1.5).min(time)
                };
                // The others need theirs.
                let even = in_time.saturating_sub(lag * (stones - 1)) / stones;
                let most = if stones == 1 { even } else { even * 2 };
                (share, maximum, most.max(left.time / stones / 2))
            }
            // A period is whole again after the move: all of it is for this one.
            (TimeControl::ByoYomi { .. }, 1..) => (time, time, in_time),
            (
                control @ (TimeControl::Canadian { period, .. }
                | TimeControl::ByoYomi { period, .. }),
                0,
            ) => {
                // In main time; no move need be quicker than the overtime allows, and what
                // is less than its share goes into the first move of the overtime. A
                // controller that counts whole seconds says 0 before it begins.
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

    /// What is kept of an absolute time to play on with at once: for a usual game, or for
    /// these moves with the delay that each of them suffers.
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
    fn no_limit_has_no_budget() {
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
    fn any_number_of_stones_has_a_budget() {
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
        let b = clock.budget(Color::Black, 50, LAG, Duration::ZERO).unwrap();
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
        let b = clock.budget(Color::Black, 50, LAG, Duration::ZERO).unwrap();
        assert_eq!(b.optimum, Duration::from_millis(900));
        assert_eq!(b.maximum, b.optimum);
    }

    #[test]
    fn what_nobody_can_keep_is_used() {
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
            // The period is still for five moves.
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

    /// Servers floor what is left: 0 is what they say before the overtime begins.
    #[test]
    fn the_end_of_the_main_time_leads_into_the_overtime() {
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
    fn what_is_left_says_that_there_is_a_clock() {
        for (stones, optimum) in [(0, S(1)), (5, S(3))] {
            let mut clock = Clock::default();
            clock.set_left(Color::Black, S(10), stones);
            let b = clock.budget(Color::Black, 50, LAG, Duration::ZERO).unwrap();
            assert!(b.optimum < optimum && b.last.unwrap() < S(10));
            // In the overtime after it there is another, in the next game none.
            clock.set_left(Color::Black, S(40), 5);
            let b = clock.budget(Color::Black, 50, LAG, Duration::ZERO).unwrap();
            assert!(b.optimum > S(7), "{b:?}");
            clock.reset();
            assert_eq!(clock.budget(Color::Black, 50, LAG, Duration::ZERO), None);
            // Unless it has been said that there is none.
            clock.set_control(TimeControl::Unlimited);
            clock.set_left(Color::Black, S(10), stones);
            assert_eq!(clock.budget(Color::Black, 50, LAG, Duration::ZERO), None);
        }
    }

    #[test]
    fn what_goes_by_on_the_way_is_learned_from_the_controller() {
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
        // The more moves may come, the more is kept for their delays.
        let budget = |n| clock.budget(Color::Black, n, ms(0), ms(0)).unwrap();
        assert!(budget(100).last < budget(10).last);
        // Given time starts the account again.
        clock.set_left(Color::Black, S(60), 0);
        assert_eq!(clock.delay(Color::Black), Duration::ZERO);
    }

    #[test]
    fn a_controller_that_counts_whole_seconds_is_no_delay() {
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
    fn with_nothing_left_nothing_is_planned() {
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
