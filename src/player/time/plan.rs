//! The time of a move.

use super::{Clock, TimeControl, TimeLeft};
use crate::analysis::Deadline;
use crate::types::Color;
use std::time::{Duration, Instant};

/// Times of a move, measured from its beginning. [`Clock::plan`] sets what the clock allows; the
/// time manager subtracts measured costs and applies the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::player) struct TimePlan {
    pub begun: Instant,
    /// Thinking time after which to stop if the choice is clear; `Duration::MAX` without a limit.
    pub optimum: Duration,
    /// Thinking time after which to stop in any case; `Duration::MAX` without a limit.
    pub maximum: Duration,
    /// Latest time for the answer, even if work is unfinished; `None` if a late answer loses
    /// nothing.
    pub latest_answer: Option<Duration>,
    /// Time that does not carry over, so the search may use all of it: the whole time if the move
    /// renews the period, the excess over a Fischer limit, or the rest of the main time before
    /// Canadian overtime.
    pub free: Duration,
    /// Latest time for an immediate move, if too little is left for a search.
    pub immediate_by: Option<Duration>,
    /// Expected time of a judgement.
    pub judging: Duration,
}

impl TimePlan {
    /// Create the plan of a move without a clock: exactly this time, or no limit.
    pub fn without_clock(time: Option<Duration>) -> TimePlan {
        let time = time.unwrap_or(Duration::MAX);
        TimePlan {
            begun: Instant::now(),
            optimum: time,
            maximum: time,
            latest_answer: None,
            // The user may be waiting.
            free: Duration::ZERO,
            immediate_by: None,
            judging: Duration::ZERO,
        }
    }

    /// Time limit of a search that begins `waited` after the move.
    pub fn search_time(&self, waited: Duration) -> Option<Duration> {
        (self.maximum < Duration::MAX).then(|| self.maximum.saturating_sub(waited))
    }

    /// When to answer at the latest; `None` if a late answer loses nothing.
    pub fn answer_by(&self) -> Option<Instant> {
        self.latest_answer.map(|last| self.begun + last)
    }

    /// Is too little time left for a judgement?
    pub fn is_hurried(&self) -> bool {
        let late = |last: Instant| Instant::now() + self.judging > last;
        self.answer_by().is_some_and(late)
    }

    /// Deadlines of the move's parts.
    pub fn deadline(&self) -> Deadline {
        let network = |last: Duration| self.begun + (self.maximum / 2).max(last / 16);
        Deadline {
            network: self.latest_answer.map(network),
            answer: self.answer_by(),
        }
    }
}

/// Minimum time of a useful search: it must finish some playouts, and timers are coarse.
pub(super) const SHORTEST_SEARCH: Duration = Duration::from_millis(5);

/// Usual time of an immediate move, without delays.
const IMMEDIATE: Duration = Duration::from_millis(4);

/// Maximum time of a move, as a multiple of its even share of the remaining time.
const STRETCH: f64 = 3.0;

/// 1/`RESERVE_SHARE` of an absolute time, at most [`RESERVE`], is kept for a game that is longer
/// than expected.
const RESERVE_SHARE: u32 = 8;

/// Maximum reserve kept by [`RESERVE_SHARE`]: about two hundred immediate moves with their delays.
const RESERVE: Duration = Duration::from_millis(1500);

impl Clock {
    /// Plan a player's next move, which begins now, as the clock allows; `None` without a limit.
    ///
    /// `moves_left` is the expected number of that player's remaining moves. `lag` is reserved per
    /// move for delays on the way to the controller, whose clock runs while answers travel. `after`
    /// is the time needed to answer once the thinking has stopped. Under an absolute time, `lag`
    /// and `after` together take at most half of a move's share.
    pub(super) fn plan(
        &self,
        c: Color,
        moves_left: u32,
        lag: Duration,
        after: Duration,
    ) -> Option<TimePlan> {
        let left = self.left(c)?;
        let n = moves_left.max(1);
        let shares = TimeShares {
            left: left.time,
            lag,
            kept: lag + after,
        };
        let control = self.control();
        let (optimum, maximum, last) = match (control, left.stones_or_periods) {
            (TimeControl::Canadian { .. }, stones @ 1..) => shares.of_period(stones),
            (TimeControl::ByoYomi { .. }, 1..) => shares.whole(),
            (TimeControl::Canadian { period, stones, .. }, 0) => {
                shares.before_overtime(period, stones.max(1), n)
            }
            (TimeControl::ByoYomi { period, .. }, 0) => shares.before_overtime(period, 1, n),
            (
                TimeControl::Fischer {
                    increment, longest, ..
                },
                _,
            ) => shares.with_increment(increment, longest, n),
            (TimeControl::Absolute(all), _) => shares.of_game(self.reserve(c, all, n), n),
            (TimeControl::Unlimited, _) => shares.of_game(Duration::ZERO, n),
        };
        Some(TimePlan {
            optimum: optimum.min(maximum).max(SHORTEST_SEARCH),
            maximum: maximum.max(SHORTEST_SEARCH),
            latest_answer: Some(last),
            free: free(control, left, optimum, maximum),
            ..TimePlan::without_clock(None)
        })
    }

    /// Reserve of an absolute time for immediate moves: enough for a usual game, or for
    /// `moves_left` moves with their delays.
    fn reserve(&self, c: Color, all: Duration, moves_left: u32) -> Duration {
        let usual = (all / RESERVE_SHARE).min(RESERVE);
        let delayed = (self.delay(c) + IMMEDIATE) * moves_left;
        usual.max(delayed.min(all / 4))
    }
}

/// The part of the time of a move that does not carry over ([`TimePlan::free`]).
fn free(control: TimeControl, left: TimeLeft, optimum: Duration, maximum: Duration) -> Duration {
    match (control, left.stones_or_periods) {
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
    }
}

/// Time for a move: [`TimePlan::optimum`], [`TimePlan::maximum`] and [`TimePlan::latest_answer`].
type MoveTimes = (Duration, Duration, Duration);

/// Shares of the time left, by time system.
#[derive(Clone, Copy, Debug)]
struct TimeShares {
    /// Time left in the main time or the current period.
    left: Duration,
    /// Reserve per move for delays.
    lag: Duration,
    /// `lag` plus the time to answer once the thinking has stopped.
    kept: Duration,
}

impl TimeShares {
    /// Time left for thinking.
    fn thinking_time(self) -> Duration {
        self.left.saturating_sub(self.kept)
    }

    /// Time left until the answer must be sent.
    fn answer_time(self) -> Duration {
        self.left.saturating_sub(self.lag)
    }

    /// All of the period, which the move renews.
    fn whole(self) -> MoveTimes {
        (
            self.thinking_time(),
            self.thinking_time(),
            self.answer_time(),
        )
    }

    /// A share of a period with stones to play. Each of them needs its reserve.
    fn of_period(self, stones: u32) -> MoveTimes {
        let time = self.thinking_time();
        let share = time.saturating_sub(self.kept * (stones - 1)) / stones;
        let even = self.answer_time().saturating_sub(self.lag * (stones - 1)) / stones;
        let (maximum, most) = match stones {
            1 => (share, even),
            _ => (share.mul_f64(1.5).min(time), even * 2),
        };
        (share, maximum, most.max(self.left / stones / 2))
    }

    /// A share of the main time before an overtime, with `moves` to play: at least what a move gets
    /// in the overtime. If less main time is left, it is added to the first overtime move. A
    /// controller that counts whole seconds reports 0 before the overtime begins, so 0 does not
    /// mean that the main time is over.
    fn before_overtime(self, period: Duration, stones: u32, moves: u32) -> MoveTimes {
        let TimeShares { left, lag, kept } = self;
        let overtime = |kept| period.saturating_sub(kept) / stones;
        let share = match left <= overtime(kept) {
            true => left + overtime(kept),
            false => (left / moves).max(overtime(kept)),
        };
        let most = (left + overtime(kept)).saturating_sub(kept);
        let last = (left + overtime(lag)).saturating_sub(lag);
        (share, share.mul_f64(STRETCH).min(most), last)
    }

    /// A share of a time that grows by an increment, with `moves` to play.
    fn with_increment(
        self,
        increment: Duration,
        longest: Option<Duration>,
        moves: u32,
    ) -> MoveTimes {
        let time = self.thinking_time();
        let gain = increment.saturating_sub(self.kept);
        let share = (time / moves + gain).min(time);
        let most =
            |time: Duration, kept| longest.map_or(time, |l| time.min(l.saturating_sub(kept)));
        let stretched = share.mul_f64(STRETCH).min((time / 4).max(share));
        let maximum = stretched.min(most(time, self.kept));
        (share, maximum, most(self.answer_time(), self.lag))
    }

    /// A share of the time for the whole game, less a reserve, with `moves` to play.
    fn of_game(self, reserve: Duration, moves: u32) -> MoveTimes {
        let share = self.thinking_time().saturating_sub(reserve) / moves;
        let share = share.saturating_sub(self.kept.min(share / 2));
        let maximum = share.mul_f64(STRETCH).min(self.left / 4);
        (share, maximum, self.answer_time().saturating_sub(reserve))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: fn(u64) -> Duration = Duration::from_secs;
    const LAG: Duration = Duration::from_millis(100);
    const ZERO: Duration = Duration::ZERO;

    #[test]
    fn unlimited_time_has_no_plan() {
        assert_eq!(Clock::default().plan(Color::Black, 30, LAG, ZERO), None);
    }

    #[test]
    fn absolute_time_is_never_used_up() {
        let mut clock = Clock::default();
        clock.set_control(TimeControl::Absolute(S(10)));
        let mut used = ZERO;
        for m in 0..200u32 {
            let b = clock
                .plan(Color::White, 30u32.saturating_sub(m).max(8), LAG, ZERO)
                .unwrap();
            let move_time = b.maximum + Duration::from_millis(2);
            used += move_time;
            clock.spend(Color::White, move_time);
        }
        assert!(used < S(10), "{used:?}");
        assert_eq!(clock.left(Color::Black).unwrap().time, S(10));
    }

    #[test]
    fn any_stone_count_has_a_plan() {
        let mut clock = Clock::default();
        for stones in [1, 1 << 31, u32::MAX] {
            clock.set_control(TimeControl::Canadian {
                main: S(0),
                period: S(30),
                stones,
            });
            let plan = clock.plan(Color::Black, 30, LAG, ZERO);
            assert!(plan.unwrap().maximum <= S(30), "{stones}");
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
        let b = clock.plan(Color::Black, 50, LAG, ZERO).unwrap();
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
            let b = clock.plan(Color::White, 50, LAG, ZERO).unwrap();
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
                let b = clock.plan(Color::Black, 50, LAG, ZERO).unwrap();
                assert!(b.optimum + LAG * 2 >= left + overtime, "{control:?}: {b:?}");
                assert!(b.latest_answer.unwrap() < left + period);
                assert!(b.optimum <= b.maximum && b.maximum <= b.latest_answer.unwrap());
            }
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
            let plan = clock.plan(Color::Black, 30, LAG, ZERO).unwrap();
            assert_eq!(plan.latest_answer, Some(ZERO), "{control:?}");
        }
    }
}
