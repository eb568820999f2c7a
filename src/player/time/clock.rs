//! The clock of a game.

use super::{TimeControl, TimeLeft};
use crate::types::Color;
use std::time::Duration;

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

    /// Set a player's remaining time as reported by the controller. `stones_or_periods` is 0 in main
    /// time; otherwise the number of stones (Canadian) or periods (byo-yomi) left. If no time system
    /// is set, a fitting one is assumed until one is set or the game ends.
    pub fn set_left(&mut self, c: Color, time: Duration, stones_or_periods: u32) {
        if !self.is_set {
            self.control = match stones_or_periods {
                0 => TimeControl::Absolute(time),
                _ => TimeControl::Canadian {
                    main: Duration::ZERO,
                    period: time,
                    stones: stones_or_periods,
                },
            };
        }
        self.left[c.index()] = Some(TimeLeft {
            time,
            stones_or_periods,
        });
        // Overtime periods are renewed, so they say nothing about delays.
        if stones_or_periods > 0 {
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
            // The controller added time, or moves were taken back.
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
        let full = self.control.full()?;
        Some(self.left[c.index()].unwrap_or(full))
    }

    /// Time within which a player's next move must be made; zero without a limit.
    pub(super) fn in_hand(&self, c: Color) -> Duration {
        let left = self.left(c);
        let overtime = match (self.control, left.map(|left| left.stones_or_periods)) {
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
        let mut counted = used;
        match &mut self.reported[c.index()] {
            Some(reported) => {
                reported.moves += 1;
                reported.expected = reported.expected.saturating_sub(used);
                if let TimeControl::Fischer { increment, .. } = self.control {
                    reported.expected += increment;
                }
            }
            // Even a controller that never reports the time left counts delays.
            None if matches!(self.control, TimeControl::Absolute(_)) => {
                counted += UNREPORTED_DELAY;
            }
            None => {}
        }
        self.left[c.index()] = Some(self.control.after(left, counted));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: fn(u64) -> Duration = Duration::from_secs;
    const LAG: Duration = Duration::from_millis(100);
    const ZERO: Duration = Duration::ZERO;

    fn left(clock: &Clock, c: Color) -> (Duration, u32) {
        let left = clock.left(c).unwrap();
        (left.time, left.stones_or_periods)
    }

    #[test]
    fn canadian_periods_restart() {
        let mut clock = Clock::default();
        clock.set_control(TimeControl::Canadian {
            main: S(10),
            period: S(30),
            stones: 3,
        });
        assert_eq!(left(&clock, Color::Black), (S(10), 0));
        // The second move takes 6 s of main time and 2 s of the first period.
        for (used, expected) in [(4, (6, 0)), (8, (28, 2)), (20, (8, 1)), (7, (30, 3))] {
            clock.spend(Color::Black, S(used));
            assert_eq!(left(&clock, Color::Black), (S(expected.0), expected.1));
        }
        let b = clock.plan(Color::Black, 50, LAG, ZERO).unwrap();
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
        assert_eq!(left(&clock, Color::White), (S(10), 0));
        clock.spend(Color::White, S(8));
        assert_eq!(left(&clock, Color::White), (S(2), 0));
        // The rest of the main time and part of the first period.
        clock.spend(Color::White, S(4));
        assert_eq!(left(&clock, Color::White), (S(5), 3));
        let b = clock.plan(Color::White, 50, LAG, ZERO).unwrap();
        assert_eq!((b.optimum, b.maximum), (S(5) - LAG, S(5) - LAG));
        assert_eq!(b.latest_answer, Some(S(5) - LAG));
        clock.spend(Color::White, S(4));
        assert_eq!(left(&clock, Color::White), (S(5), 3));
        clock.spend(Color::White, S(11));
        assert_eq!(left(&clock, Color::White), (S(5), 1));
        clock.set_left(Color::White, S(3), 2);
        assert_eq!(left(&clock, Color::White), (S(3), 2));
        let b = clock.plan(Color::White, 50, LAG, ZERO).unwrap();
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
        clock.spend(Color::Black, ZERO);
        assert_eq!(clock.left(Color::Black).unwrap().time, S(22));
        for _ in 0..3 {
            clock.spend(Color::Black, ZERO);
        }
        assert_eq!(clock.left(Color::Black).unwrap().time, S(25));
        for _ in 0..400 {
            let b = clock.plan(Color::Black, 8, LAG, ZERO).unwrap();
            let (left, _) = left(&clock, Color::Black);
            assert!(b.maximum + LAG <= left && b.maximum + LAG <= S(6), "{b:?}");
            // At least nearly the increment.
            assert!(b.maximum > S(1), "{b:?} of {left:?}");
            clock.spend(Color::Black, b.maximum + LAG);
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
        assert_eq!(clock.delay(Color::White), ZERO);
        // More remaining moves need a larger reserve for delays.
        let plan = |n| clock.plan(Color::Black, n, ms(0), ms(0)).unwrap();
        assert!(plan(100).latest_answer < plan(10).latest_answer);
        // Added time restarts the estimate.
        clock.set_left(Color::Black, S(60), 0);
        assert_eq!(clock.delay(Color::Black), ZERO);
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
    fn time_left_works_without_time_settings() {
        for (stones, optimum) in [(0, S(1)), (5, S(3))] {
            let mut clock = Clock::default();
            clock.set_left(Color::Black, S(10), stones);
            let b = clock.plan(Color::Black, 50, LAG, ZERO).unwrap();
            assert!(b.optimum < optimum && b.latest_answer.unwrap() < S(10));
            // A later overtime report sets another system; the next game has none.
            clock.set_left(Color::Black, S(40), 5);
            let b = clock.plan(Color::Black, 50, LAG, ZERO).unwrap();
            assert!(b.optimum > S(7), "{b:?}");
            clock.reset();
            assert_eq!(clock.plan(Color::Black, 50, LAG, ZERO), None);
            // An explicit "no limit" overrides the reports.
            clock.set_control(TimeControl::Unlimited);
            clock.set_left(Color::Black, S(10), stones);
            assert_eq!(clock.plan(Color::Black, 50, LAG, ZERO), None);
        }
    }
}
