//! Keeping to the clock: what moves really cost in this game, and by when each part of
//! the next one must be done.

use super::{Budget, Engine, TimeControl};
use crate::analysis::Deadline;
use crate::types::Color;
use std::time::{Duration, Instant};

/// What the moves of a game have cost beyond the time that was planned for them. A busy
/// machine, a slow network and a controller far away show here and nowhere else.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Costs {
    /// The longest that it took to choose once a search had ended.
    pub choosing: Duration,
    /// From the moment at which a search is told to end until it has.
    stopping: Cost,
    /// Beyond the last moment for an answer.
    overrun: Cost,
}

/// A cost as it was seen so far.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    /// What is to be expected.
    expected: Duration,
    /// The last time.
    last: Duration,
}

/// No cost that was seen once is longer: that was a machine that slept, and says nothing of the
/// next move.
const LONGEST: Duration = Duration::from_secs(2);

impl Cost {
    /// What has been seen counts in full, and then at each move by so much less.
    fn follow(&mut self, seen: Duration) {
        let usual = seen.min(LONGEST.max(self.last));
        self.expected = usual.max(self.expected * 7 / 8);
        self.last = seen;
    }
}

impl Costs {
    /// A search has ended so long after it was to.
    pub fn stopped(&mut self, late: Duration) {
        self.stopping.follow(late);
    }

    /// A move was answered so long after its last moment.
    pub fn answered(&mut self, late: Duration) {
        self.overrun.follow(late);
    }
}

/// Time to judge a board, by the point, before it has been measured: 0.18 s on
/// 19x19.
const CHOOSING_PER_POINT: Duration = Duration::from_micros(500);

/// No search is worth its while in less.
const LEAST: Duration = Duration::from_millis(5);

/// The longest and the shortest that a move at once takes where a clock runs out.
const AT_ONCE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

/// A move under way, and how much time it has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub begun: Instant,
    /// `None`: as long as the limits of the search let it.
    pub budget: Option<Budget>,
    /// By when the answer must be given; `None` if nothing is lost later.
    pub last: Option<Instant>,
    /// Too little is left for a search: move at once, by then.
    pub at_once: Option<Instant>,
    /// What a judgement takes.
    judging: Duration,
}

impl Pace {
    /// For a move that takes what it takes.
    pub fn unhurried() -> Pace {
        Pace {
            begun: Instant::now(),
            budget: None,
            last: None,
            at_once: None,
            judging: Duration::ZERO,
        }
    }

    /// Is there too little time now for a judgement?
    pub fn is_hurried(&self) -> bool {
        let late = |last: Instant| Instant::now() + self.judging > last;
        self.last.is_some_and(late)
    }

    /// By when the parts of the move must be done.
    pub fn deadline(&self) -> Deadline {
        let network = self.last.zip(self.budget).map(|(last, budget)| {
            let left = last.saturating_duration_since(self.begun);
            self.begun + (budget.maximum / 2).max(left / 16)
        });
        Deadline {
            network,
            answer: self.last,
        }
    }
}

impl Engine {
    /// How long to think about a move that is asked for now: as the clock allows, but no
    /// longer than the time a move that was set.
    pub(super) fn pace(&self, c: Color) -> Pace {
        let begun = Instant::now();
        let n = self.moves_left();
        let choosing = self.choosing_time();
        let stopping = self.costs.stopping.expected;
        let overrun = self.costs.overrun.expected;
        // A stall takes no more than a part of the moves after it.
        let bearable = self.clock.in_hand(c) / 2;
        let lag = self.settings.lag + overrun.min(bearable);
        let Some(budget) = self.clock.budget(c, n, lag, choosing) else {
            return Pace {
                budget: self.settings.time_a_move().map(Budget::fixed),
                ..Pace::unhurried()
            };
        };
        let last = budget.last.unwrap_or(budget.maximum);
        let sudden = matches!(self.clock.control(), TimeControl::Absolute(_));
        let at_once = match self.clock.left(c).filter(|_| sudden) {
            Some(left) => (left.time / (8 * n)).clamp(AT_ONCE.0, AT_ONCE.1),
            None => (last / 2).max(AT_ONCE.0),
        };
        // What is left after the thinking is for the choice; thinking itself needs some.
        let thinking = last.saturating_sub(stopping + choosing).max(last / 4);
        let set = self.settings.move_time.unwrap_or(Duration::MAX);
        let maximum = budget.maximum.min(thinking).min(set);
        Pace {
            begun,
            budget: Some(Budget {
                optimum: budget.optimum.min(maximum),
                maximum,
                ..budget
            }),
            // The time for a game must not go into the judgement of one board.
            last: Some(
                begun
                    + if sudden {
                        last.min(maximum + last / 8)
                    } else {
                        last
                    },
            ),
            at_once: (last < stopping + LEAST).then_some(begun + at_once),
            judging: self.judging_time(),
        }
    }

    /// How many more moves the player may make: not all empty points will be played on,
    /// but a long endgame must still be fed.
    fn moves_left(&self) -> u32 {
        let area = self.position.size().area() as u32;
        let empty = self.position.board().empty_points().len() as u32;
        (empty * 2 / 5).max(area / 10).max(6)
    }

    /// How long it may take to choose a move once the search has ended: nothing
    /// until half the board is full and a judgement may be asked for.
    fn choosing_time(&self) -> Duration {
        let area = self.position.size().area();
        let empty = self.position.board().empty_points().len();
        if empty * 2 > area && self.position.consecutive_passes() == 0 {
            return Duration::ZERO;
        }
        self.judging_time()
    }

    /// How long it may take to choose a move where the board must be judged for it.
    fn judging_time(&self) -> Duration {
        let area = self.position.size().area() as u32;
        self.costs.choosing.max(CHOOSING_PER_POINT * area)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::Settings;

    #[test]
    fn no_move_takes_longer_than_the_time_that_was_set_whatever_the_clock_allows() {
        let s = Duration::from_secs;
        let maximum = |move_time| {
            let mut engine = Engine::new(Settings {
                move_time,
                threads: 1,
                ..Settings::default()
            })
            .unwrap();
            engine
                .clock_mut()
                .set_control(TimeControl::Absolute(s(3600)));
            engine.pace(Color::Black).budget.unwrap().maximum
        };
        assert!(maximum(None) > s(3));
        assert_eq!(maximum(Some(s(2))), s(2));
    }

    #[test]
    fn a_cost_that_was_seen_once_is_forgotten_slowly() {
        let ms = Duration::from_millis;
        let mut costs = Costs::default();
        costs.stopped(ms(80));
        assert_eq!(costs.stopping.expected, ms(80));
        costs.stopped(ms(0));
        assert_eq!(costs.stopping.expected, ms(70));
        costs.stopped(ms(75));
        assert_eq!(costs.stopping.expected, ms(75));
        for _ in 0..40 {
            costs.stopped(ms(0));
        }
        assert!(costs.stopping.expected < ms(1));
    }

    #[test]
    fn a_stall_is_no_rule_and_what_comes_twice_is() {
        let s = Duration::from_secs;
        let mut costs = Costs::default();
        costs.answered(s(15));
        assert_eq!(costs.overrun.expected, s(2));
        costs.answered(s(6));
        assert_eq!(costs.overrun.expected, s(6));
        costs.answered(s(0));
        costs.answered(s(9));
        assert!(costs.overrun.expected < s(6));
    }
}
