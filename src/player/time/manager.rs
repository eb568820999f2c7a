//! The time manager of a game: the clock, the measured costs of moves, and the plan of each move.

use super::plan::SHORTEST_SEARCH;
use super::{Clock, TimeControl, TimePlan};
use crate::player::Settings;
use crate::position::Position;
use crate::types::Color;
use std::time::{Duration, Instant};

/// The clock of a game, and the measured costs of its moves beyond the planned time. They
/// reflect a busy machine, a slow network and a distant controller.
#[derive(Clone, Debug, Default)]
pub(in crate::player) struct TimeManager {
    pub clock: Clock,
    /// Longest time to choose a move after its search.
    choosing: Cost,
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
    /// Add a measurement. The expected cost decays with each move.
    fn update(&mut self, measured: Duration) {
        self.expected = self.usual(measured).max(self.expected * 7 / 8);
    }

    /// Add a measurement of a cost that few moves have, and of which the longest is expected.
    fn raise(&mut self, measured: Duration) {
        self.expected = self.usual(measured).max(self.expected);
    }

    /// A new measurement, capped at the larger of [`LONGEST`] and the previous one.
    fn usual(&mut self, measured: Duration) -> Duration {
        let last = std::mem::replace(&mut self.last, measured);
        measured.min(LONGEST.max(last))
    }
}

/// Assumed time to judge a board, per point, until it is measured: 0.18 s on 19x19.
const CHOOSING_PER_POINT: Duration = Duration::from_micros(500);

/// Minimum and maximum time of an immediate move when the time runs out.
const IMMEDIATE_RANGE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

impl TimeManager {
    /// Record how late a search ended.
    pub fn stopped(&mut self, late: Duration) {
        self.stopping.update(late);
    }

    /// Record a move: how long it took to choose after the search, how late it was answered,
    /// and the time that it used.
    pub fn answered(&mut self, c: Color, searched: Instant, plan: &TimePlan) {
        self.choosing.raise(searched.elapsed());
        if let Some(last) = plan.answer_by() {
            let late = Instant::now().saturating_duration_since(last);
            self.overrun.update(late);
        }
        self.clock.spend(c, plan.begun.elapsed());
    }

    /// Forget the costs; the clock goes on.
    pub fn forget_costs(&mut self) {
        *self = TimeManager {
            clock: std::mem::take(&mut self.clock),
            ..TimeManager::default()
        };
    }

    /// Plan the time of a move that begins now: as the clock allows, but at most the time per
    /// move in the settings.
    pub fn plan(&self, c: Color, position: &Position, settings: &Settings) -> TimePlan {
        let n = moves_left(position);
        // A past stall must not use up the time of later moves.
        let bearable = self.clock.in_hand(c) / 2;
        let choosing = self.choosing_time(position).min(bearable);
        let stopping = self.stopping.expected;
        let lag = settings.lag + self.overrun.expected.min(bearable);
        let Some(plan) = self.clock.plan(c, n, lag, choosing) else {
            return TimePlan::without_clock(settings.time_per_move());
        };
        let last = plan.latest_answer.unwrap_or(plan.maximum);
        let sudden = matches!(self.clock.control(), TimeControl::Absolute(_));
        let (shortest, longest) = IMMEDIATE_RANGE;
        let immediate_by = match self.clock.left(c).filter(|_| sudden) {
            Some(left) => (left.time / (8 * n)).clamp(shortest, longest),
            None => (last / 2).max(shortest),
        };
        // Reserve time to choose after the search, but leave some for the search.
        let thinking = last.saturating_sub(stopping + choosing).max(last / 4);
        let set = settings.limits.time.unwrap_or(Duration::MAX);
        let maximum = plan.maximum.min(thinking).min(set);
        TimePlan {
            optimum: plan.optimum.min(maximum),
            maximum,
            latest_answer: Some(match sudden {
                // One judgement must not use up an absolute time.
                true => last.min(maximum + last / 8),
                false => last,
            }),
            immediate_by: (last < stopping + SHORTEST_SEARCH).then_some(immediate_by),
            judging: self.judging_time(position),
            ..plan
        }
    }

    /// Expected time to choose a move after the search: zero while no judgement is needed.
    fn choosing_time(&self, position: &Position) -> Duration {
        match is_early(position) {
            true => Duration::ZERO,
            false => self.judging_time(position),
        }
    }

    /// Expected time to choose a move with a judgement.
    fn judging_time(&self, position: &Position) -> Duration {
        let area = position.size().area() as u32;
        self.choosing.expected.max(CHOOSING_PER_POINT * area)
    }
}

/// Expected number of the player's remaining moves: not all empty points will be played,
/// but a long endgame must be possible.
fn moves_left(position: &Position) -> u32 {
    let area = position.size().area() as u32;
    let empty = position.board().empty_points().len() as u32;
    (empty * 2 / 5).max(area / 10).max(6)
}

/// Is it too early in the game for a judgement: more than half of the board is empty, and the last
/// turn was no pass?
pub(in crate::player) fn is_early(position: &Position) -> bool {
    let empty = position.board().empty_points().len();
    2 * empty > position.size().area() && position.consecutive_passes() == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;
    use crate::types::{BoardSize, Move};

    #[test]
    fn time_per_move_limits_moves_on_a_clock() {
        let s = Duration::from_secs;
        let maximum = |time| {
            let mut settings = Settings::default();
            settings.limits.time = time;
            let position = Position::new(BoardSize::square(19), Ruleset::default());
            let mut time = TimeManager::default();
            time.clock.set_control(TimeControl::Absolute(s(3600)));
            let plan = time.plan(Color::Black, &position, &settings);
            plan.maximum
        };
        assert!(maximum(None) > s(3));
        assert_eq!(maximum(Some(s(2))), s(2));
    }

    /// Judgements that take longer than a period leave half of it to the search.
    #[test]
    fn slow_choices_leave_time_to_search() {
        let s = Duration::from_secs;
        let mut position = Position::new(BoardSize::square(9), Ruleset::default());
        position.play_unchecked(Color::Black, Move::Pass);
        let mut time = TimeManager::default();
        let (main, period, periods) = (s(0), s(5), 3);
        let control = TimeControl::ByoYomi {
            main,
            period,
            periods,
        };
        time.clock.set_control(control);
        for _ in 0..3 {
            time.choosing.raise(s(30));
        }
        let plan = time.plan(Color::White, &position, &Settings::default());
        assert!(plan.maximum > s(1), "{plan:?}");
    }

    #[test]
    fn measured_costs_decay_slowly() {
        let ms = Duration::from_millis;
        let mut cost = Cost::default();
        for (measured, expected) in [(80, 80), (0, 70), (75, 75)] {
            cost.update(ms(measured));
            assert_eq!(cost.expected, ms(expected));
        }
        for _ in 0..40 {
            cost.update(ms(0));
        }
        assert!(cost.expected < ms(1));
    }

    #[test]
    fn single_stall_is_capped_and_repeated_one_is_not() {
        let s = Duration::from_secs;
        let mut cost = Cost::default();
        for (measured, expected) in [(15, 2), (6, 6)] {
            cost.update(s(measured));
            assert_eq!(cost.expected, s(expected));
        }
        cost.update(s(0));
        cost.update(s(9));
        assert!(cost.expected < s(6));
    }
}
