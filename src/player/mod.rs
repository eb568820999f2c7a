//! The engine: plays a game on a clock, using [`crate::analysis`]. It decides what to play, when
//! to pass and when to resign. It never prints.

mod choose_move;
mod genmove;
mod handicap;
mod level;
mod queries;
mod settings;
mod time;

pub use genmove::{SearchOptions, any_allowed_move};
pub use settings::{MAX_THREADS, Settings, processors};
pub use time::{Clock, TimeControl, TimeLeft};

use crate::analysis::{Analyst, Deadline};
use crate::board::Board;
use crate::position::{HandicapError, IllegalMove, Outcome, Position};
use crate::rules::Ruleset;
use crate::search::PoolError;
use crate::types::{Color, Komi, Move, Point};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use time::TimeManager;

/// This program's version. A build that sets `PONNUKI_COMMIT` adds it: `1.0.0+0123abc`.
pub fn version() -> String {
    let commit = option_env!("PONNUKI_COMMIT").map(|commit| format!("+{commit}"));
    env!("CARGO_PKG_VERSION").to_owned() + &commit.unwrap_or_default()
}

/// The engine's answer to a request for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// A play or a pass.
    Move(Move),
    /// A resignation.
    Resign,
}

/// A game in progress and everything needed to play it.
#[derive(Debug)]
pub struct Engine {
    /// The settings, with the game's chosen rules. The position has [`Settings::rules_in_force`].
    settings: Settings,
    position: Position,
    time: TimeManager,
    analyst: Analyst,
    /// Set by other threads to end a search early.
    stop: Arc<AtomicBool>,
    /// By colour: consecutive moves of the engine with a win rate below the resignation threshold.
    hopeless: [u32; 2],
    /// Number of searches so far, mixed into the seed so that searches differ.
    searches: u64,
    last_search: Option<Summary>,
    /// Outcome of the game, if it did not end on the board.
    declared: Option<Outcome>,
    /// Seed of the search to start when the engine next ponders; `None` if it must not.
    ponder_next: Option<u64>,
}

/// A game saved by [`Engine::save`].
#[derive(Clone, Debug)]
pub struct SavedGame {
    rules: Ruleset,
    position: Position,
    time: TimeManager,
    hopeless: [u32; 2],
    last_search: Option<Summary>,
    declared: Option<Outcome>,
}

/// Result of the last search for a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The player to move.
    pub color: Color,
    /// That player's probability of winning, from 0 to 1.
    pub win_rate: f32,
    /// Points by which that player led.
    pub lead: f64,
    /// Playouts of that search.
    pub playouts: u64,
}

impl Engine {
    /// Create an engine with an empty board of the size and rules in `settings`.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses the search threads.
    pub fn new(settings: Settings) -> Result<Engine, PoolError> {
        let mut position = Position::new(settings.first_size(), settings.rules_in_force());
        if let Some(komi) = settings.komi {
            position.set_komi(komi);
        }
        let (resources, params) = (settings.resources(), settings.params.clone());
        Ok(Engine {
            position,
            time: TimeManager::default(),
            analyst: Analyst::new(&settings.evaluator, resources, params)?,
            stop: Arc::default(),
            hopeless: [0; 2],
            searches: 0,
            last_search: None,
            declared: None,
            ponder_next: None,
            settings,
        })
    }

    /// A flag that ends the running search when it is set. `genmove` then answers with the best
    /// move so far. The engine only reads the flag.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    /// Result of the last search for a move.
    pub fn last_search(&self) -> Option<Summary> {
        self.last_search
    }

    /// The settings, with the chosen rules.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The game.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The clock of the game.
    pub fn clock_mut(&mut self) -> &mut Clock {
        &mut self.time.clock
    }

    /// Switch to another game and use its rules. The clock goes on. A komi set for the present game
    /// stays unless the other game has its own.
    pub fn switch_game(&mut self, position: Position) {
        let rules = *position.rules();
        self.replace_position(position);
        self.set_rules(rules);
    }

    /// Load a record: use its rules, and start the clock anew. A record without an explicit komi
    /// gets that of its rules.
    pub fn load_record(&mut self, position: Position) {
        let rules = *position.rules();
        self.position = position;
        self.time.clock.reset();
        self.set_rules(rules);
    }

    /// Start a game from these stones. Rules and komi stay.
    pub fn set_up(&mut self, board: Board, to_move: Color) {
        let rules = self.settings.rules_in_force();
        self.replace_position(Position::from_board(board, to_move, rules));
        self.time.clock.reset();
        self.reset();
    }

    /// Give the turn to a player. Rules and komi stay.
    pub fn set_to_move(&mut self, c: Color) {
        self.position.set_to_move(c);
        self.reset();
    }

    /// Save everything about the game that a client can query, for [`Engine::restore`].
    pub fn save(&self) -> SavedGame {
        SavedGame {
            rules: self.settings.rules,
            position: self.position.clone(),
            time: self.time.clone(),
            hopeless: self.hopeless,
            last_search: self.last_search,
            declared: self.declared,
        }
    }

    /// Restore a saved game.
    pub fn restore(&mut self, saved: SavedGame) {
        self.settings.rules = saved.rules;
        self.position = saved.position;
        self.time = saved.time;
        self.hopeless = saved.hopeless;
        self.last_search = saved.last_search;
        self.declared = saved.declared;
    }

    /// Clean up after a panic.
    pub fn recover(&mut self) {
        self.analyst.set_deadline(Deadline::default());
        self.ponder_next = None;
        self.analyst.stop_search();
    }

    fn replace_position(&mut self, mut position: Position) {
        if !position.komi_is_set() && self.position.komi_is_set() {
            position.set_komi(self.position.komi());
        }
        self.position = position;
    }

    /// Set the komi.
    pub fn set_komi(&mut self, komi: Komi) {
        self.position.set_komi(komi);
        self.changed();
    }

    /// Change the rules; the game goes on.
    pub fn set_rules(&mut self, rules: Ruleset) {
        self.settings.rules = rules;
        self.position.set_rules(self.settings.rules_in_force());
        self.reset();
    }

    /// Change the settings, except the rules. The game keeps its rules, komi and size.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses the search threads; nothing has changed then.
    pub fn configure(&mut self, settings: Settings) -> Result<(), PoolError> {
        let (resources, params) = (settings.resources(), settings.params.clone());
        self.analyst.configure(resources, params)?;
        self.settings = Settings {
            rules: self.settings.rules,
            ..settings
        };
        self.stop_pondering();
        if *self.position.rules() != self.settings.rules_in_force() {
            self.set_rules(self.settings.rules);
        }
        Ok(())
    }

    /// Play a move for either colour.
    ///
    /// # Errors
    /// [`IllegalMove`] if the rules forbid it; nothing has changed then.
    pub fn play(&mut self, c: Color, m: Move) -> Result<(), IllegalMove> {
        self.position.play(c, m)?;
        self.changed();
        Ok(())
    }

    /// Play a move, but allow what the rules of servers differ about: taking back a ko, repeating a
    /// position, and suicide of several stones. KataGo does the same.
    ///
    /// # Errors
    /// Those of [`Position::legality_on_some_server`]; nothing has changed then.
    pub fn play_leniently(&mut self, c: Color, m: Move) -> Result<(), IllegalMove> {
        self.position.legality_on_some_server(c, m)?;
        self.position.play_unchecked(c, m);
        self.changed();
        Ok(())
    }

    /// Take back the last `n` turns. Returns false and changes nothing if there are fewer.
    pub fn undo(&mut self, n: usize) -> bool {
        let done = self.position.undo(n);
        if done {
            self.hopeless = [0; 2];
            self.changed();
        }
        done
    }

    /// Place exactly `n` handicap stones: first on the traditional points, then on points
    /// spread over the board.
    ///
    /// # Errors
    /// [`HandicapError`] if the board is not empty or has no room for them.
    pub fn place_free_handicap(&mut self, n: u32) -> Result<Vec<Point>, HandicapError> {
        let points = handicap::free_points(self.position.size(), n)?;
        self.place_handicap(&points)?;
        Ok(points)
    }

    /// Outcome of the game; `None` while it goes on. A declared outcome or the engine's own
    /// resignation comes first, then the count if passes have ended the game, then no result if
    /// the last turn has closed a long cycle.
    pub fn outcome(&mut self) -> Option<Outcome> {
        if self.declared.is_some() {
            return self.declared;
        }
        if self.position.is_over() {
            return Some(self.judgement().score().into());
        }
        self.position.long_cycle().map(|_| Outcome::NoResult)
    }

    /// Outcome set by [`Engine::declare`] or by the engine's own resignation.
    pub fn declared(&self) -> Option<Outcome> {
        self.declared
    }

    /// Declare the outcome of the game, which overrides the board: for example a loss on time or
    /// by a breach of the rules, no result, or a loss for both. It holds until the game goes on.
    pub fn declare(&mut self, outcome: Outcome) {
        self.changed();
        self.declared = Some(outcome);
    }

    /// Resume a game that passes have ended, at this player's request. The rules in force
    /// decide who moves first (Japanese 1989, Article 9, clause 3: the opponent must oblige and
    /// plays first).
    ///
    /// Returns false and changes nothing if passes have not ended the game.
    pub fn resume(&mut self, by: Color) -> bool {
        if !self.position.is_over() {
            return false;
        }
        self.changed();
        self.position.resume(by);
        true
    }

    /// Place these handicap stones.
    ///
    /// # Errors
    /// Those of [`Position::place_handicap`]; nothing has changed then.
    pub fn place_handicap(&mut self, points: &[Point]) -> Result<(), HandicapError> {
        self.position.place_handicap(points)?;
        self.changed();
        Ok(())
    }

    /// Stop searching and discard what a change of the game makes invalid. A judgement checks its
    /// own validity.
    fn changed(&mut self) {
        self.analyst.stop_search();
        self.declared = None;
        self.ponder_next = None;
    }

    /// Discard all results of a game that was replaced, or whose rules have changed.
    fn reset(&mut self) {
        self.changed();
        self.hopeless = [0; 2];
        self.last_search = None;
        self.time.forget_costs();
    }
}
