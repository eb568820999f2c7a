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
}

/// What is left to a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLeft {
    /// Time left in the main time or the present period.
    pub time: Duration,
    /// Stones still to be played in the present period; 0 in main time.
    pub stones: u32,
}

/// The clock of a game: the time system and what is left to each player.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    control: TimeControl,
    left: [Option<TimeLeft>; 2],
}

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

    /// What a controller says is left; `stones` is 0 in main time.
    pub fn set_left(&mut self, c: Color, time: Duration, stones: u32) {
        self.left[c.index()] = Some(TimeLeft { time, stones });
    }

    /// A new game: full time for both.
    pub fn reset(&mut self) {
        self.left = [None; 2];
    }
}
