//! A player: a game and a clock over [`crate::analysis`]. It decides what to play,
//! when to pass and when to resign; it never prints.

mod ask;
mod clock;
mod decide;
mod handicap;
mod katago;
mod level;
mod pace;
mod parameters;
mod settings;
mod think;

pub use clock::{Budget, Clock, TimeControl, TimeLeft};
pub use katago::{KATAGO, Taken, in_order, katago_markdown, models};
pub use parameters::{PARAMETERS, Parameter, ParameterError, Scope};
pub use settings::Settings;
pub use think::Audience;

use crate::analysis::{Analyst, Deadline};
use crate::board::Board;
use crate::position::{HandicapError, IllegalMove, Outcome, Position};
use crate::rules::Ruleset;
use crate::search::PoolError;
use crate::types::{BoardSize, Color, Komi, Move, Point};
use pace::Costs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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
    /// Its rules are those that were chosen; see [`Settings::rules_in_force`].
    settings: Settings,
    position: Position,
    clock: Clock,
    analyst: Analyst,
    /// Set from outside to end a search early.
    stop: Arc<AtomicBool>,
    /// By colour: moves of the engine's in a row at which the win rate was below the threshold.
    hopeless: [u32; 2],
    /// Searches so far, mixed into the seed so that each differs.
    searches: u64,
    last_search: Option<Summary>,
    /// How this game has ended, if not on the board.
    declared: Option<Outcome>,
    /// What moves have cost in this game.
    costs: Costs,
    /// Seed of a search to start while the opponent thinks.
    ponder_next: Option<u64>,
}

/// A game as [`Engine::save`] found it.
#[derive(Clone, Debug)]
pub struct SavedGame {
    rules: Ruleset,
    position: Position,
    clock: Clock,
    hopeless: [u32; 2],
    last_search: Option<Summary>,
    declared: Option<Outcome>,
    costs: Costs,
}

/// What the last search for a move came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The player who was to move.
    pub color: Color,
    /// That player's probability of winning, from 0 to 1.
    pub win_rate: f32,
    /// Points by which that player led.
    pub lead: f64,
    /// Playouts of that search.
    pub playouts: u64,
}

impl Engine {
    /// An engine with an empty board of the size and rules in `settings`.
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
            clock: Clock::default(),
            analyst: Analyst::new(&settings.evaluator, resources, params)?,
            stop: Arc::default(),
            hopeless: [0; 2],
            searches: 0,
            last_search: None,
            declared: None,
            costs: Costs::default(),
            ponder_next: None,
            settings,
        })
    }

    /// Setting this flag ends the search under way; `genmove` then answers with
    /// what it has found. The engine only reads it.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    /// What the last search for a move came to.
    pub fn last_search(&self) -> Option<Summary> {
        self.last_search
    }

    /// The settings; their rules are those that were chosen.
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

    /// Go over to another game, such as a loaded record, and choose its rules. A komi
    /// that its players set counts; otherwise the present one stays.
    pub fn set_position(&mut self, position: Position) {
        let rules = *position.rules();
        self.replace(position);
        self.set_rules(rules);
    }

    /// Go over to a loaded record as [`Engine::set_position`] does, but with the komi that
    /// its rules have if its players set none.
    pub fn load(&mut self, position: Position) {
        let rules = *position.rules();
        self.position = position;
        self.clock.reset();
        self.set_rules(rules);
    }

    /// A game that starts from these stones; rules and komi stay.
    pub fn set_up(&mut self, board: Board, to_move: Color) {
        let rules = self.settings.rules_in_force();
        self.replace(Position::from_board(board, to_move, rules));
        self.clock.reset();
        self.reset();
    }

    /// Give the turn to a player; rules and komi stay.
    pub fn set_to_move(&mut self, c: Color) {
        self.position.set_to_move(c);
        self.reset();
    }

    /// What [`Engine::restore`] needs: everything about the game that a client can ask.
    pub fn save(&self) -> SavedGame {
        SavedGame {
            rules: self.settings.rules,
            position: self.position.clone(),
            clock: self.clock.clone(),
            hopeless: self.hopeless,
            last_search: self.last_search,
            declared: self.declared,
            costs: self.costs,
        }
    }

    /// Everything about the game as it was when it was saved.
    pub fn restore(&mut self, saved: SavedGame) {
        self.settings.rules = saved.rules;
        self.position = saved.position;
        self.clock = saved.clock;
        self.hopeless = saved.hopeless;
        self.last_search = saved.last_search;
        self.declared = saved.declared;
        self.costs = saved.costs;
    }

    /// End what a panic may have left half done.
    pub fn recover(&mut self) {
        self.analyst.set_deadline(Deadline::default());
        self.ponder_next = None;
        self.analyst.finish();
    }

    fn replace(&mut self, mut position: Position) {
        if !position.komi_is_set() && self.position.komi_is_set() {
            position.set_komi(self.position.komi());
        }
        self.position = position;
    }

    /// An empty board of another size. Komi, rules and time settings stay.
    pub fn resize(&mut self, size: BoardSize) {
        self.position.resize(size);
        self.clock.reset();
        self.reset();
    }

    /// A new game on the same board. Komi, rules and time settings stay.
    pub fn clear(&mut self) {
        self.position.clear();
        self.clock.reset();
        self.reset();
    }

    /// Set the komi.
    pub fn set_komi(&mut self, komi: Komi) {
        self.position.set_komi(komi);
        self.changed();
    }

    /// Choose the rules; the game goes on.
    pub fn set_rules(&mut self, rules: Ruleset) {
        self.settings.rules = rules;
        self.position.set_rules(self.settings.rules_in_force());
        self.reset();
    }

    /// Go on with other settings. Rules, komi and size are those of the game under
    /// way, whatever the settings say.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses the search threads; everything is as
    /// before then.
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

    /// Play a move of either colour.
    ///
    /// # Errors
    /// [`IllegalMove`] if the rules forbid it; nothing has changed then.
    pub fn play(&mut self, c: Color, m: Move) -> Result<(), IllegalMove> {
        self.position.play(c, m)?;
        self.changed();
        Ok(())
    }

    /// Play a move that the rules of some server allow, as KataGo takes them.
    ///
    /// # Errors
    /// Those of [`Position::legality_anywhere`]; nothing has changed then.
    pub fn play_anywhere(&mut self, c: Color, m: Move) -> Result<(), IllegalMove> {
        self.position.legality_anywhere(c, m)?;
        self.position.play_unchecked(c, m);
        self.changed();
        Ok(())
    }

    /// Take back the last `n` turns, or none if there are fewer.
    pub fn undo(&mut self, n: usize) -> bool {
        let done = self.position.undo(n);
        if done {
            self.hopeless = [0; 2];
            self.changed();
        }
        done
    }

    /// Place `n` handicap stones where the engine likes, exactly `n` of them: the
    /// traditional points as far as they go, then points spread over the board.
    ///
    /// # Errors
    /// [`HandicapError`] if the board is not empty or has no room for them.
    pub fn place_free_handicap(&mut self, n: u32) -> Result<Vec<Point>, HandicapError> {
        let points = handicap::free_points(self.position.size(), n)?;
        self.place_handicap(&points)?;
        Ok(points)
    }

    /// How the game has ended: as declared (a resignation of the engine's own
    /// included), by the count when passes have ended it, or without result when the
    /// last turn has closed a long cycle; `None` while it goes on.
    pub fn outcome(&mut self) -> Option<Outcome> {
        if self.declared.is_some() {
            return self.declared;
        }
        if self.position.is_over() {
            return Some(self.judgement().score().into());
        }
        self.position.long_cycle().map(|_| Outcome::NoResult)
    }

    /// How the game has ended off the board: by [`Engine::declare`], or by a resignation of the
    /// engine's own.
    pub fn declared(&self) -> Option<Outcome> {
        self.declared
    }

    /// The game has ended so, whatever stands on the board: on time, by a breach of
    /// the rules, without result, or lost by both. Holds until it goes on.
    pub fn declare(&mut self, outcome: Outcome) {
        self.changed();
        self.declared = Some(outcome);
    }

    /// Take up a game again that passes have ended, because this player asks for
    /// it, and give the turn to whoever moves first by the rules in force (Japanese
    /// 1989, Article 9, clause 3: the opponent must oblige and plays first).
    ///
    /// False, and nothing has changed, if passes have not ended the game.
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

    /// The game has changed: a search in the background is out of date. The
    /// judgement knows for itself whether it still holds.
    fn changed(&mut self) {
        self.analyst.finish();
        self.declared = None;
        self.ponder_next = None;
    }

    /// The rules have changed, or the game is another one.
    fn reset(&mut self) {
        self.changed();
        self.hopeless = [0; 2];
        self.last_search = None;
        self.costs = Costs::default();
    }
}
