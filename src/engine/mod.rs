//! The engine: a game, a search and a clock behind one face. It never prints; a
//! front end asks and shows.

mod judge;
mod settings;

pub use judge::{ChainStatus, Judgement};
pub use settings::Settings;

use crate::position::{HandicapError, IllegalMove, Position, fixed_handicap, max_fixed_handicap};
use crate::rules::Ruleset;
use crate::search::Clock;
use crate::types::{BoardSize, Color, Generator, Komi, Move, Point};

/// What the engine answers to a request for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It plays or passes; the move has been made.
    Move(Move),
    /// It resigns; nothing has been played.
    Resign,
}

/// A game in progress and everything needed to play it.
#[derive(Debug)]
pub struct Engine {
    settings: Settings,
    position: Position,
    clock: Clock,
    rng: Generator,
    judgement: Option<Judgement>,
}

impl Engine {
    /// An engine with an empty board of the size and rules in `settings`.
    pub fn new(settings: Settings) -> Engine {
        let mut position = Position::new(settings.size, settings.rules);
        if let Some(komi) = settings.komi {
            position.set_komi(komi);
        }
        Engine {
            position,
            clock: Clock::default(),
            rng: Generator::new(settings.seed),
            judgement: None,
            settings,
        }
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The game.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The clock of the game.
    pub fn clock_mut(&mut self) -> &mut Clock {
        &mut self.clock
    }

    /// Go over to another game: a loaded record, a set-up position. A komi of the
    /// given position that its players set counts; otherwise the present one stays.
    pub fn set_position(&mut self, mut position: Position) {
        if !position.komi_is_set() && self.position.komi_is_set() {
            position.set_komi(self.position.komi());
        }
        self.position = position;
        self.changed();
    }

    /// An empty board of another size. Komi, rules and time settings stay.
    pub fn resize(&mut self, size: BoardSize) {
        self.position.resize(size);
        self.clock.reset();
        self.changed();
    }

    /// A new game on the same board. Komi, rules and time settings stay.
    pub fn clear(&mut self) {
        self.position.clear();
        self.clock.reset();
        self.changed();
    }

    /// Set the komi.
    pub fn set_komi(&mut self, komi: Komi) {
        self.position.set_komi(komi);
        self.changed();
    }

    /// Change the rules; the game goes on.
    pub fn set_rules(&mut self, rules: Ruleset) {
        self.position.set_rules(rules);
        self.changed();
    }

    /// Play a move of either colour.
    ///
    /// # Errors
    /// [`IllegalMove`] if the rules forbid it; nothing has changed then.
    pub fn play(&mut self, c: Color, m: Move) -> Result<(), IllegalMove> {
        self.position.play(c, m)?;
        self.changed();
        Ok(())
    }

    /// Take back the last `n` turns, or none if there are fewer.
    pub fn undo(&mut self, n: usize) -> bool {
        if n > self.position.turns().len() {
            return false;
        }
        for _ in 0..n {
            self.position.undo();
        }
        self.changed();
        true
    }

    /// Choose a move for `c` within the time and limits in force, and play it.
    pub fn genmove(&mut self, c: Color) -> Decision {
        let m = self.reg_genmove(c);
        self.position.play_unchecked(c, m);
        self.changed();
        Decision::Move(m)
    }

    /// Choose a move for `c` with one thread, a fixed number of playouts and a
    /// fixed seed; the game, the search tree and the clock stay as they are.
    pub fn reg_genmove(&mut self, c: Color) -> Move {
        let plays: Vec<Point> = self
            .position
            .legal_plays(c)
            .filter(|&p| !self.position.board().around(p).is_eye(c))
            .collect();
        match plays.len() {
            0 => Move::Pass,
            n => Move::Play(plays[self.rng.below(n as u32) as usize]),
        }
    }

    /// Place `n` handicap stones where the engine likes, exactly `n` of them.
    ///
    /// # Errors
    /// [`HandicapError`] if the board is not empty or has no room for them.
    pub fn place_free_handicap(&mut self, n: u32) -> Result<Vec<Point>, HandicapError> {
        let size = self.position.size();
        let points = fixed_handicap(size, n.min(max_fixed_handicap(size)))?;
        self.place_handicap(&points)?;
        Ok(points)
    }

    /// Place these handicap stones.
    ///
    /// # Errors
    /// As [`Position::place_handicap`]; nothing has changed then.
    pub fn place_handicap(&mut self, points: &[Point]) -> Result<(), HandicapError> {
        self.position.place_handicap(points)?;
        self.changed();
        Ok(())
    }

    /// Which chains are alive, in seki or dead, and the count that follows. One
    /// judgement a position: every command that asks gets the same.
    pub fn judgement(&mut self) -> &Judgement {
        let position = &self.position;
        self.judgement.get_or_insert_with(|| Judgement::of(position))
    }

    fn changed(&mut self) {
        self.judgement = None;
    }
}
