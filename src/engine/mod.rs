//! The engine: a game, a search and a clock behind one face. It never prints; a
//! front end asks and shows.

mod analysis;
mod decide;
mod explain;
mod handicap;
mod judge;
mod level;
mod network;
mod parameters;
mod settings;

pub use analysis::{Analysis, MoveAnalysis, ScoreGuess, Watcher};
pub use explain::Explanation;
use judge::Care;
pub use judge::{Attacked, ChainStatus, Judgement, Threat};
pub use parameters::{PARAMETERS, Parameter, ParameterError, Scope};
pub use settings::Settings;

use crate::position::{HandicapError, IllegalMove, Outcome, Position};
use crate::rules::{Ruleset, Scoring, Settlement, Tax};
use crate::search::{Budget, Clock, Focus, PoolError, Search, TimeControl};
use crate::types::{BoardSize, Color, Komi, Move, Point};
use decide::{Found, Limits, watch};
use network::NetworkFile;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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
    /// As they were chosen; the position has them as the settings play them.
    rules: Ruleset,
    position: Position,
    clock: Clock,
    search: Search,
    /// A search of one thread for judgements and `reg_genmove`, whose tree is
    /// never that of the game.
    judge: Search,
    /// The same with a network, where one is used.
    aside: Option<Search>,
    network: Option<NetworkFile>,
    judgement: Option<Judgement>,
    /// Set from outside to end a search early.
    stop: Arc<AtomicBool>,
    /// Own moves in a row at which the win rate was below the threshold.
    hopeless: u32,
    /// Searches so far, mixed into the seed so that each differs.
    searches: u64,
    evaluation: Option<Evaluation>,
    /// How this game has ended, if not on the board.
    declared: Option<Outcome>,
    /// The longest that it took in this game to choose once a search had ended.
    choosing: Duration,
    /// Seed of a search to start while the opponent thinks.
    ponder_next: Option<u64>,
}

/// What the last search thought of the position it was asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// The player who was to move.
    pub color: Color,
    /// His probability of winning, from 0 to 1.
    pub win_rate: f32,
    /// Points by which he leads, on average over the playouts.
    pub lead: f64,
    /// Playouts of that search.
    pub playouts: u64,
}

/// Playouts of `reg_genmove` when no number is set.
const REG_PLAYOUTS: u64 = 2000;

/// The same with a network.
const REG_VISITS: u64 = 200;

/// Most playouts of a search while the opponent thinks.
const PONDER_PLAYOUTS: u64 = 2_000_000;

/// The rules as the settings have them played.
fn in_force(settings: &Settings, rules: Ruleset) -> Ruleset {
    match settings.play_to_end {
        true => Ruleset {
            settlement: Settlement::PlayOut,
            ..rules
        },
        false => rules,
    }
}

/// Time to judge a board, by the point, before it has been measured: 0.18 s on
/// 19x19.
const CHOOSING_PER_POINT: Duration = Duration::from_micros(500);

impl Engine {
    /// An engine with an empty board of the size and rules in `settings`.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses the search threads.
    pub fn new(settings: Settings) -> Result<Engine, PoolError> {
        let mut position =
            Position::new(settings.first_size(), in_force(&settings, settings.rules));
        if let Some(komi) = settings.komi {
            position.set_komi(komi);
        }
        Ok(Engine {
            rules: settings.rules,
            position,
            clock: Clock::default(),
            search: network::searches(&settings, None)?.game,
            judge: Search::new(1, judge::MEMORY, settings.params.clone())?,
            aside: None,
            network: settings.net.as_deref().map(NetworkFile::load),
            judgement: None,
            stop: Arc::default(),
            hopeless: 0,
            searches: 0,
            evaluation: None,
            declared: None,
            choosing: Duration::ZERO,
            ponder_next: None,
            settings,
        })
    }

    /// Setting this flag ends the search under way; `genmove` then answers with
    /// what it has found. The engine only reads it.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    /// What the last search thought.
    pub fn evaluation(&self) -> Option<Evaluation> {
        self.evaluation
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
        self.set_rules(*self.position.rules());
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

    /// Change the rules; the game goes on.
    pub fn set_rules(&mut self, rules: Ruleset) {
        self.rules = rules;
        self.position.set_rules(in_force(&self.settings, rules));
        self.reset();
    }

    /// Go on with other settings. Rules, komi and size are those of the game under
    /// way, whatever the settings say.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses the search threads; everything is as
    /// before then.
    pub fn configure(&mut self, settings: Settings) -> Result<(), PoolError> {
        let old = &self.settings;
        let other_numbers = settings.params != old.params;
        let other_sizes = (settings.threads, settings.memory, settings.net_cache)
            != (old.threads, old.memory, old.net_cache);
        if other_numbers || other_sizes {
            let network = self.network_in_use();
            let searches = network::searches(&settings, network.as_ref())?;
            if other_numbers {
                self.judge = Search::new(1, judge::MEMORY, settings.params.clone())?;
                self.judgement = None;
            }
            self.search = searches.game;
            self.aside = searches.aside;
        }
        let old = &self.settings;
        let to_end = settings.play_to_end != old.play_to_end;
        self.settings = settings;
        self.stop_pondering();
        self.search.set_visits(self.settings.visits);
        if to_end {
            self.set_rules(self.rules);
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

    /// Take back the last `n` turns, or none if there are fewer.
    pub fn undo(&mut self, n: usize) -> bool {
        let Some(left) = self.position.turns().len().checked_sub(n) else {
            return false;
        };
        self.position = self.position.at_turn(left);
        self.changed();
        true
    }

    /// Choose a move for `c` within the time and limits in force, and play it.
    pub fn genmove(&mut self, c: Color) -> Decision {
        self.genmove_watched(c, None)
    }

    /// The same while somebody may watch, who hears a last word before it is played.
    pub fn genmove_watched(&mut self, c: Color, watcher: Option<Watcher<'_>>) -> Decision {
        let decision = self.decide(c, &[], watcher);
        self.carry_out(c, decision);
        decision
    }

    /// Choose a move as [`Engine::genmove`] does, without playing it. Whose turn it
    /// is stays as it was.
    pub fn search_move(&mut self, c: Color, watcher: Option<Watcher<'_>>) -> Decision {
        let turn = self.position.to_move();
        let decision = self.decide(c, &[], watcher);
        if self.position.to_move() != turn {
            self.position.set_to_move(turn);
        }
        decision
    }

    /// Search the position with `c` to move until the [stop
    /// flag](Engine::stop_flag) rises, and tell the watcher, for the last time at
    /// the end. Caps on playouts or visits end the search, not the watch. The game
    /// and the clock stay as they are.
    pub fn analyze(&mut self, c: Color, watcher: Watcher<'_>) {
        self.use_network();
        self.search.set_focus(watcher.focus.clone());
        let position = self.with_to_move(c);
        let (limits, focus) = (self.limits(None, Some(&watcher)), &watcher.focus);
        let tell = watcher.tell;
        self.search.start(&position, limits.playouts, limits.seed);
        watch(
            &mut self.search,
            Instant::now(),
            &limits,
            &self.stop,
            &mut |search| tell(&Analysis::of(search, c, focus)),
        );
        tell(&Analysis::of(&self.search, c, focus));
        while !self.stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(2));
        }
        self.search.set_focus(Focus::default());
    }

    /// The position with this player to move.
    fn with_to_move(&self, c: Color) -> Position {
        let mut position = self.position.clone();
        if position.to_move() != c {
            position.set_to_move(c);
        }
        position
    }

    /// Limits of a search that begins now.
    fn limits(&mut self, budget: Option<Budget>, watcher: Option<&Watcher<'_>>) -> Limits {
        self.searches += 1;
        Limits {
            budget,
            playouts: self.settings.playouts.unwrap_or(u64::MAX),
            seed: self.settings.seed.wrapping_add(self.searches << 20),
            interval: watcher.and_then(|w| w.interval),
        }
    }

    /// Choose a move; one of `to_fill` rather than a pass, if one is legal.
    fn decide(
        &mut self,
        c: Color,
        to_fill: &[Point],
        mut watcher: Option<Watcher<'_>>,
    ) -> Decision {
        let begun = Instant::now();
        self.use_network();
        if self.position.to_move() != c {
            self.position.set_to_move(c);
        }
        let mut limits = self.limits(self.budget(c), watcher.as_ref());
        let level = self.settings.level;
        if let Some(level) = level {
            // What is known from before would make it stronger than it is to be.
            self.search.clear();
            limits.playouts = limits.playouts.min(level::playouts(level));
        }
        let focus = watcher
            .as_ref()
            .map(|w| w.focus.clone())
            .unwrap_or_default();
        self.search.set_focus(focus.clone());
        let mut tell = |search: &Search| {
            if let Some(w) = &mut watcher {
                (w.tell)(&Analysis::of(search, c, &focus));
            }
        };
        self.search
            .start(&self.position, limits.playouts, limits.seed);
        watch(&mut self.search, begun, &limits, &self.stop, &mut tell);
        tell(&self.search);
        let found = Found::by(&self.search, c, &focus);
        self.search.set_focus(Focus::default());
        self.evaluation = Some(Evaluation {
            color: c,
            win_rate: found.win_rate,
            lead: found.lead,
            playouts: self.search.totals().playouts,
        });
        let searched = Instant::now();
        let mut m = self.choose(c, &found);
        // Whether and when to pass is no matter of strength.
        if found.moves.first().is_some_and(|best| best.mv == m)
            && level.is_some()
            && let Some(other) = level::choose(&found, limits.seed)
        {
            m = other;
        }
        if m == Move::Pass && !to_fill.is_empty() {
            m = self.fill(c, to_fill, &found);
        }
        if focus.forbids(c, m, 0) {
            m = found.moves.first().map_or(Move::Pass, |m| m.mv);
        }
        let decision = if self.resigns(m, found.win_rate) {
            Decision::Resign
        } else {
            Decision::Move(m)
        };
        self.choosing = self.choosing.max(searched.elapsed());
        self.clock.spend(c, begun.elapsed());
        decision
    }

    /// Play what has been decided, or resign.
    fn carry_out(&mut self, c: Color, decision: Decision) {
        match decision {
            Decision::Resign => self.declared = Some(Outcome::Resignation(c.opponent())),
            Decision::Move(m) => {
                self.position.play_unchecked(c, m);
                self.changed();
                let seed = self.settings.seed.wrapping_add(self.searches << 20);
                self.ponder_next = Some(seed + 1);
            }
        }
    }

    /// As [`Engine::genmove`] in the clean-up after a dispute about dead stones:
    /// what is dead must be captured before the engine passes, and that costs
    /// nothing. It never resigns here.
    pub fn genmove_cleanup(&mut self, c: Color) -> Decision {
        let (rules, threshold) = (self.rules, self.settings.resign_below.take());
        if rules.settlement == Settlement::PlayOut {
            self.set_rules(Ruleset {
                settlement: Settlement::Agreement,
                ..rules
            });
        }
        let dead: Vec<Point> = self.judgement().dead().collect();
        let board = self.position.board();
        let doomed = |p: Point| dead.contains(&p) && board.at(p).color() == Some(c.opponent());
        let to_fill: Vec<Point> = board
            .empty_points()
            .iter()
            .copied()
            .filter(|p| p.neighbours().into_iter().any(doomed))
            .collect();
        self.set_rules(Ruleset {
            scoring: Scoring::Area,
            tax: Tax::None,
            settlement: Settlement::PlayOut,
            pass_costs_stone: false,
            ..rules
        });
        let decision = self.decide(c, &to_fill, None);
        self.carry_out(c, decision);
        self.set_rules(rules);
        self.settings.resign_below = threshold;
        decision
    }

    /// How long to think: by the clock, or the time a move where none runs. Caps
    /// on playouts or visits alone replace the time a move.
    fn budget(&self, c: Color) -> Option<Budget> {
        let area = self.position.size().area() as u32;
        let empty = self.position.board().empty_points().len() as u32;
        // Not all empty points will be played; a long endgame must still be fed.
        let moves_left = (empty * 2 / 5).max(area / 10).max(6);
        let capped = self.settings.playouts.is_some() || self.settings.visits.is_some();
        let kept = self.settings.lag + self.choosing_time();
        match self.clock.budget(c, moves_left, kept) {
            Some(budget) => Some(budget),
            None if capped => None,
            None => Some(Budget::fixed(self.settings.move_time)),
        }
    }

    /// How long it may take to choose a move once the search has ended: nothing
    /// until half the board is full and a judgement may be asked for.
    fn choosing_time(&self) -> Duration {
        let area = self.position.size().area();
        let empty = self.position.board().empty_points().len();
        if empty * 2 > area && self.position.consecutive_passes() == 0 {
            return Duration::ZERO;
        }
        self.choosing.max(CHOOSING_PER_POINT * area as u32)
    }

    /// Is so little left for the rest of the game that judging the board before
    /// each move would use it up?
    fn is_hurried(&self, c: Color) -> bool {
        let sudden = matches!(self.clock.control(), TimeControl::Absolute(_));
        let left = self.clock.left(c).filter(|_| sudden);
        left.is_some_and(|l| l.time < self.choosing_time() * 8)
    }

    /// Count hopeless moves and say whether the game is to be given up.
    fn resigns(&mut self, m: Move, win_rate: f32) -> bool {
        let Some(threshold) = self.settings.resign_below else {
            return false;
        };
        if win_rate < threshold {
            self.hopeless += 1;
        } else {
            self.hopeless = 0;
        }
        let turns = self.position.turns().len() as u32;
        // A pass that wins on the board is no time to resign, whatever the
        // playouts say.
        let passing_wins = m == Move::Pass && {
            let c = self.position.to_move();
            self.judged(Care::Quick).score().winner() == Some(c)
        };
        self.hopeless >= self.settings.resign_moves
            && turns >= self.settings.resign_after
            && !passing_wins
    }

    /// Choose a move for `c` with one thread, a fixed number of playouts and a
    /// fixed seed; the game, the search tree and the clock stay as they are.
    pub fn reg_genmove(&mut self, c: Color) -> Move {
        self.fixed_search(c);
        let found = Found::by(self.beside(), c, &Focus::default());
        self.beside().clear();
        self.choose(c, &found)
    }

    /// The search of one thread for what is asked beside the game.
    fn beside(&mut self) -> &mut Search {
        self.aside.as_mut().unwrap_or(&mut self.judge)
    }

    /// A search of fixed length and seed with one thread, which its tree keeps.
    fn fixed_search(&mut self, c: Color) {
        self.search.finish();
        self.use_network();
        let position = self.with_to_move(c);
        let usual = match self.aside {
            Some(_) => REG_VISITS,
            None => REG_PLAYOUTS,
        };
        let playouts = self.settings.playouts.unwrap_or(usual);
        let seed = self.settings.seed;
        let search = self.beside();
        search.clear();
        search.run(&position, playouts, seed);
    }

    /// What a search within the settings' limits says of the position with its
    /// player to move; the game and the clock stay as they are.
    pub fn analysis(&mut self) -> Analysis {
        let begun = Instant::now();
        self.use_network();
        let c = self.position.to_move();
        let limits = self.limits(self.budget(c), None);
        self.search
            .start(&self.position, limits.playouts, limits.seed);
        watch(&mut self.search, begun, &limits, &self.stop, &mut |_| ());
        Analysis::of(&self.search, c, &Focus::default())
    }

    /// What a search of fixed length with one thread says of the position with `c`
    /// to move; nothing changes.
    pub fn fixed_analysis(&mut self, c: Color) -> Analysis {
        self.fixed_search(c);
        let analysis = Analysis::of(self.beside(), c, &Focus::default());
        self.beside().clear();
        analysis
    }

    /// Stop searching while the opponent thinks.
    pub fn stop_pondering(&mut self) {
        self.search.finish();
        self.ponder_next = None;
    }

    /// Forget what has been searched and judged.
    pub fn forget(&mut self) {
        self.search.forget();
        self.judgement = None;
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

    /// Nothing to do until the next command: think on, if that is wanted and it
    /// is the opponent's turn in a game that the engine plays.
    pub fn idle(&mut self) {
        let Some(next) = self.ponder_next.take() else {
            return;
        };
        let weak = self.settings.level.is_some();
        if !self.settings.ponder || weak || self.position.is_over() || !self.use_network_if_here() {
            return;
        }
        let playouts = self.settings.playouts.unwrap_or(u64::MAX);
        self.search
            .start(&self.position, playouts.min(PONDER_PLAYOUTS), next);
    }

    /// Is a search under way while the opponent thinks?
    pub fn is_pondering(&mut self) -> bool {
        self.search.is_running() && !self.search.wait(Duration::ZERO)
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
    /// As [`Position::place_handicap`]; nothing has changed then.
    pub fn place_handicap(&mut self, points: &[Point]) -> Result<(), HandicapError> {
        self.position.place_handicap(points)?;
        self.changed();
        Ok(())
    }

    /// Which chains are alive, in seki or dead, and the count that follows. One
    /// judgement a board: every command that asks gets the same, and passes do
    /// not change it.
    pub fn judgement(&mut self) -> &Judgement {
        self.judged(Care::Thorough)
    }

    /// The same, with no more care than a running clock allows.
    fn judged(&mut self, care: Care) -> &Judgement {
        self.search.finish();
        self.use_network();
        let hash = self.position.board().hash();
        let judged = self.judgement.take();
        let known = judged.filter(|j| j.board_hash == hash && j.care >= care);
        let judgement = match known {
            Some(mut j) => {
                j.recount(&self.position);
                j
            }
            None => {
                let aside = self.aside.as_mut();
                Judgement::of(&self.position, &mut self.judge, aside, care)
            }
        };
        self.judgement.insert(judgement)
    }

    /// Why the chain at a point is alive, in seki or dead; `None` if there is no
    /// stone.
    pub fn explain(&mut self, p: Point) -> Option<Explanation> {
        self.judgement();
        self.judgement.as_ref()?.explain(&self.position, p)
    }

    /// The game has changed: a search in the background is out of date. The
    /// judgement knows for itself whether it still holds.
    fn changed(&mut self) {
        self.search.finish();
        self.declared = None;
        self.ponder_next = None;
    }

    /// The rules have changed, or the game is another one.
    fn reset(&mut self) {
        self.changed();
        self.judgement = None;
        self.hopeless = 0;
        self.choosing = Duration::ZERO;
    }
}
