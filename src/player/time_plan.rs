//! The time manager: measured costs of moves in this game, and deadlines of the next move.

use super::{Budget, Engine, TimeControl};
use crate::analysis::Deadline;
use crate::types::Color;
use std::time::{Duration, Instant};

/// Measured costs of the game's moves beyond the planned time. They reflect a busy machine,
/// a slow network and a distant controller.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Costs {
    /// Longest time to choose a move after its search.
    pub choosing: Duration,
    /// Time from stopping a search until it has ended.
    stopping: Cost,
    /// Time of answers beyond their deadline.
    overrun: Cost,
}

/// A measured cost.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    /// Expected value.
    expected: Duration,
    /// Last measurement.
    last: Duration,
}

/// Limit on a cost measured only once: a longer one was a system suspend and does not predict
/// the next move.
const LONGEST: Duration = Duration::from_secs(2);

impl Cost {
    /// Add a measurement. It counts in full and then decays with each move.
    fn update(&mut self, measured: Duration) {
        let usual = measured.min(LONGEST.max(self.last));
        self.expected = usual.max(self.expected * 7 / 8);
        self.last = measured;
    }
}

impl Costs {
    /// Record how late a search ended.
    pub fn stopped(&mut self, late: Duration) {
        self.stopping.update(late);
    }

    /// Record how late a move was answered.
    pub fn answered(&mut self, late: Duration) {
        self.overrun.update(late);
    }
}

/// Assumed time to judge a board, per point, until it is measured: 0.18 s on 19x19.
const CHOOSING_PER_POINT: Duration = Duration::from_micros(500);

/// Minimum time for which a search is worthwhile.
const LEAST: Duration = Duration::from_millis(5);

/// Minimum and maximum time of an immediate move when the time runs out.
const AT_ONCE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

/// Times of the current move.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimePlan {
    pub begun: Instant,
    /// Thinking time; with `None` only the search's own limits apply.
    pub budget: Option<Budget>,
    /// Deadline of the answer; `None` if a late answer loses nothing.
    pub last: Option<Instant>,
    /// Deadline of an immediate move, if too little time is left for a search.
    pub at_once: Option<Instant>,
    /// Expected time of a judgement.
    judging: Duration,
}

impl TimePlan {
    /// No time limit.
    pub fn unhurried() -> TimePlan {
        TimePlan {
            begun: Instant::now(),
            budget: None,
            last: None,
            at_once: None,
            judging: Duration::ZERO,
        }
    }

    /// Is too little time left for a judgement?
    pub fn is_hurried(&self) -> bool {
        let late = |last: Instant| Instant::now() + self.judging > last;
        self.last.is_some_and(late)
    }

    /// Deadlines of the move's parts.
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
    /// Plan the time of a move that begins now: as the clock allows, but at most the time per
    /// move in the settings.
    pub(super) fn plan(&self, c: Color) -> TimePlan {
        let begun = Instant::now();
        let n = self.moves_left();
        let choosing = self.choosing_time();
        let stopping = self.costs.stopping.expected;
        let overrun = self.costs.overrun.expected;
        // A past stall must not use up the time of later moves.
        let bearable = self.clock.in_hand(c) / 2;
        let lag = self.settings.lag + overrun.min(bearable);
        let Some(budget) = self.clock.budget(c, n, lag, choosing) else {
            return TimePlan {
                budget: self.settings.time_a_move().map(Budget::fixed),
                ..TimePlan::unhurried()
            };
        };
        let last = budget.last.unwrap_or(budget.maximum);
        let sudden = matches!(self.clock.control(), TimeControl::Absolute(_));
        let at_once = match self.clock.left(c).filter(|_| sudden) {
            Some(left) => (left.time / (8 * n)).clamp(AT_ONCE.0, AT_ONCE.1),
            None => (last / 2).max(AT_ONCE.0),
        };
        // Reserve time to choose after the search, but leave some for the search.
        let thinking = last.saturating_sub(stopping + choosing).max(last / 4);
        let set = self.settings.move_time.unwrap_or(Duration::MAX);
        let maximum = budget.maximum.min(thinking).min(set);
        TimePlan {
            begun,
            budget: Some(Budget {
                optimum: budget.optimum.min(maximum),
                maximum,
                ..budget
            }),
            // One judgement must not use up an absolute time.
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

    /// Expected number of the player's remaining moves: not all empty points will be played,
    /// but a long endgame must be possible.
    fn moves_left(&self) -> u32 {
        let area = self.position.size().area() as u32;
        let empty = self.position.board().empty_points().len() as u32;
        (empty * 2 / 5).max(area / 10).max(6)
    }

    /// Expected time to choose a move after the search: zero until the board is half full or
    /// someone has passed, since no judgement is needed before.
    fn choosing_time(&self) -> Duration {
        let area = self.position.size().area();
        let empty = self.position.board().empty_points().len();
        if empty * 2 > area && self.position.consecutive_passes() == 0 {
            return Duration::ZERO;
        }
        self.judging_time()
    }

    /// Expected time to choose a move with a judgement.
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
    fn time_per_move_limits_moves_on_a_clock() {
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
            engine.plan(Color::Black).budget.unwrap().maximum
        };
        assert!(maximum(None) > s(3));
        assert_eq!(maximum(Some(s(2))), s(2));
    }

    #[test]
    fn measured_costs_decay_slowly() {
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
    fn single_stall_is_capped_and_repeated_one_is_not() {
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
