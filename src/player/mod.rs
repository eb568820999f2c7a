//! A player: a game and a clock over [`crate::analysis`]. It decides what to play,
//! when to pass and when to resign; it never prints.

mod clock;
mod decide;
mod handicap;
mod level;
mod parameters;
mod settings;

pub use clock::{Budget, Clock, TimeControl, TimeLeft};
pub use parameters::{PARAMETERS, Parameter, ParameterError, Scope};
pub use settings::Settings;

use crate::analysis::{
    AnalysisReport, AnalysisRequest, Analyst, Care, Explanation, Include, Judgement, Limits,
    Watcher,
};
use crate::board::Board;
use crate::net::{NetError, Network, Output};
use crate::position::{HandicapError, IllegalMove, Outcome, Position};
use crate::rules::{Ruleset, Scoring, Settlement, Tax};
use crate::search::{PoolError, Restriction};
use crate::types::{BoardSize, Color, Komi, Move, Point};
use std::fmt;
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
    /// Its rules are those that were chosen; see [`Settings::rules_in_force`].
    settings: Settings,
    position: Position,
    clock: Clock,
    analyst: Analyst,
    /// Set from outside to end a search early.
    stop: Arc<AtomicBool>,
    /// Own moves in a row at which the win rate was below the threshold.
    hopeless: u32,
    /// Searches so far, mixed into the seed so that each differs.
    searches: u64,
    last_search: Option<Summary>,
    /// How this game has ended, if not on the board.
    declared: Option<Outcome>,
    /// The longest that it took in this game to choose once a search had ended.
    choosing: Duration,
    /// Seed of a search to start while the opponent thinks.
    ponder_next: Option<u64>,
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

/// Somebody who is told what the search thinks while it goes on, and at the end.
pub struct Audience<'a> {
    /// How often; only at the end without.
    pub interval: Option<Duration>,
    /// What to tell beyond the usual.
    pub include: Include,
    /// Moves to avoid, or to allow alone.
    pub restrictions: Vec<Restriction>,
    /// Whom to tell.
    pub tell: &'a mut dyn FnMut(&AnalysisReport),
}

impl fmt::Debug for Audience<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Audience")
            .field("interval", &self.interval)
            .field("include", &self.include)
            .field("restrictions", &self.restrictions)
            .finish_non_exhaustive()
    }
}

impl Audience<'_> {
    fn forbids(&self, c: Color, m: Move) -> bool {
        self.restrictions.iter().any(|r| r.forbids(c, m, 0))
    }
}

/// A move to decide on.
struct Task {
    /// The position, with the player to move and the rules to play by.
    position: Position,
    /// Points to play at rather than to pass.
    to_fill: Vec<Point>,
    may_resign: bool,
}

/// Most playouts of a search while the opponent thinks.
const PONDER_PLAYOUTS: u64 = 2_000_000;

/// Time to judge a board, by the point, before it has been measured: 0.18 s on
/// 19x19.
const CHOOSING_PER_POINT: Duration = Duration::from_micros(500);

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
            hopeless: 0,
            searches: 0,
            last_search: None,
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

    /// A game that starts from these stones; rules and komi stay.
    pub fn set_up(&mut self, board: Board, to_move: Color) {
        let rules = self.settings.rules_in_force();
        self.replace(Position::from_board(board, to_move, rules));
        self.reset();
    }

    /// Give the turn to a player; rules and komi stay.
    pub fn set_to_move(&mut self, c: Color) {
        self.position.set_to_move(c);
        self.reset();
    }

    /// Back to a position of this game, as [`Engine::position`] had it.
    pub fn restore(&mut self, position: Position) {
        self.position = position;
        self.reset();
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

    /// Choose a move and play it while somebody may watch, who hears a last report
    /// before it is played.
    pub fn genmove_watched(&mut self, c: Color, audience: Option<Audience<'_>>) -> Decision {
        let decision = self.decide(self.task(c), audience);
        self.carry_out(c, decision);
        decision
    }

    /// Choose a move as [`Engine::genmove`] does, without playing it. Whose turn it
    /// is stays as it was.
    pub fn search_move(&mut self, c: Color, audience: Option<Audience<'_>>) -> Decision {
        self.decide(self.task(c), audience)
    }

    fn task(&self, c: Color) -> Task {
        Task {
            position: self.with_to_move(c),
            to_fill: Vec::new(),
            may_resign: true,
        }
    }

    /// Search the position with `c` to move until the [stop
    /// flag](Engine::stop_flag) rises, and tell the audience, for the last time at
    /// the end. Caps on playouts or visits end the search, not the watch. The game
    /// and the clock stay as they are.
    pub fn analyze(&mut self, c: Color, audience: Audience<'_>) {
        let request = AnalysisRequest {
            include: audience.include,
            restrictions: audience.restrictions,
            ..self.request(self.with_to_move(c), None)
        };
        let tell = audience.tell;
        let last = self.analyst.run(
            &request,
            &self.stop,
            &mut Watcher {
                interval: audience.interval,
                tell,
                enough: &mut |_| false,
            },
        );
        tell(&last);
        while !self.stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// The position with this player to move.
    fn with_to_move(&self, c: Color) -> Position {
        let mut position = self.position.clone();
        if position.to_move() != c {
            position.set_to_move(c);
        }
        position
    }

    /// A request within the settings' limits for a search that begins now.
    fn request(&mut self, position: Position, time: Option<Duration>) -> AnalysisRequest {
        self.searches += 1;
        AnalysisRequest {
            limits: Limits {
                playouts: self.settings.playouts,
                visits: self.settings.visits,
                time,
            },
            seed: self.settings.seed.wrapping_add(self.searches << 20),
            ..AnalysisRequest::new(position)
        }
    }

    /// Search for a request within a budget that runs since `begun`.
    fn search(
        &mut self,
        request: &mut AnalysisRequest,
        begun: Instant,
        audience: Option<&mut Audience<'_>>,
    ) -> AnalysisReport {
        self.analyst.prepare();
        let budget = self.budget(request.position.to_move());
        let waited = begun.elapsed();
        request.limits.time = budget.map(|b| b.maximum.saturating_sub(waited));
        let optimum = budget.map(|b| b.optimum.saturating_sub(waited));
        let mut nobody = |_: &AnalysisReport| ();
        let (interval, tell): (_, &mut dyn FnMut(&AnalysisReport)) = match audience {
            Some(audience) => (audience.interval, &mut *audience.tell),
            None => (None, &mut nobody),
        };
        let last = self.analyst.run(
            request,
            &self.stop,
            &mut Watcher {
                interval,
                tell,
                enough: &mut |progress| optimum.is_some_and(|o| decide::enough(progress, o)),
            },
        );
        tell(&last);
        last
    }

    /// Choose a move.
    fn decide(&mut self, task: Task, mut audience: Option<Audience<'_>>) -> Decision {
        let begun = Instant::now();
        let position = &task.position;
        let c = position.to_move();
        let mut request = self.request(position.clone(), None);
        if let Some(audience) = &audience {
            request.include = audience.include;
            request.restrictions = audience.restrictions.clone();
        }
        let level = self.settings.level;
        if let Some(level) = level {
            // What is known from before would make it stronger than it is to be.
            self.analyst.clear();
            self.analyst.prepare();
            let most = level::playouts(self.analyst.profile(), level);
            let playouts = request.limits.playouts.unwrap_or(u64::MAX);
            request.limits.playouts = Some(playouts.min(most));
        }
        let found = self.search(&mut request, begun, audience.as_mut());
        self.last_search = Some(Summary {
            color: c,
            win_rate: found.win_rate,
            lead: found.score.lead,
            playouts: found.playouts,
        });
        let searched = Instant::now();
        let mut m = self.choose(position, &found);
        // Whether and when to pass is no matter of strength.
        if found.moves.first().is_some_and(|best| best.mv == m)
            && level.is_some()
            && let Some(other) = level::choose(&found, request.seed)
        {
            m = other;
        }
        if m == Move::Pass && !task.to_fill.is_empty() {
            m = decide::fill(position, &task.to_fill, &found);
        }
        if audience.is_some_and(|a| a.forbids(c, m)) {
            m = found.moves.first().map_or(Move::Pass, |m| m.mv);
        }
        let decision = if task.may_resign && self.resigns(position, m, found.win_rate) {
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

    /// Choose a move and play it in the clean-up after a dispute about dead stones:
    /// what is dead must be captured before the engine passes, and that costs
    /// nothing. It never resigns here.
    pub fn genmove_cleanup(&mut self, c: Color) -> Decision {
        let mut position = self.with_to_move(c);
        let rules = self.settings.rules;
        if rules.settlement == Settlement::PlayOut {
            position.set_rules(Ruleset {
                settlement: Settlement::Agreement,
                ..rules
            });
        }
        let judgement = self.analyst.judge(&position, Care::Thorough);
        let dead: Vec<Point> = judgement.dead().collect();
        let board = position.board();
        let doomed = |p: Point| dead.contains(&p) && board.at(p).color() == Some(c.opponent());
        let to_fill: Vec<Point> = board
            .empty_points()
            .iter()
            .copied()
            .filter(|p| p.neighbours().into_iter().any(doomed))
            .collect();
        position.set_rules(Ruleset {
            scoring: Scoring::Area,
            tax: Tax::None,
            settlement: Settlement::PlayOut,
            pass_costs_stone: false,
            ..rules
        });
        let task = Task {
            position,
            to_fill,
            may_resign: false,
        };
        let decision = self.decide(task, None);
        self.carry_out(c, decision);
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
    fn resigns(&mut self, position: &Position, m: Move, win_rate: f32) -> bool {
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
            let judgement = self.analyst.judge(position, Care::Quick);
            judgement.score().winner() == Some(position.to_move())
        };
        self.hopeless >= self.settings.resign_moves
            && turns >= self.settings.resign_after
            && !passing_wins
    }

    /// Choose a move for `c` with one thread, a fixed number of playouts and a
    /// fixed seed; the game, the search tree and the clock stay as they are.
    pub fn reg_genmove(&mut self, c: Color) -> Move {
        let found = self.fixed_analysis(c);
        self.choose(&self.with_to_move(c), &found)
    }

    /// What a search of fixed length with one thread says of the position with `c`
    /// to move; nothing changes.
    pub fn fixed_analysis(&mut self, c: Color) -> AnalysisReport {
        self.analyst.aside(&AnalysisRequest {
            limits: Limits {
                playouts: self.settings.playouts,
                ..Limits::default()
            },
            seed: self.settings.seed,
            ..AnalysisRequest::new(self.with_to_move(c))
        })
    }

    /// What a search within the settings' limits says of the position with its
    /// player to move; the game and the clock stay as they are.
    pub fn analysis(&mut self) -> AnalysisReport {
        let begun = Instant::now();
        let mut request = self.request(self.position.clone(), None);
        self.search(&mut request, begun, None)
    }

    /// What the network says of the position with `c` to move: raw outputs in one
    /// symmetry, with this weight of the optimistic policy.
    ///
    /// # Errors
    /// [`Engine::network`] says which.
    pub fn raw_evaluation(
        &mut self,
        c: Color,
        symmetry: u8,
        optimism: Option<f32>,
    ) -> Result<Output, Option<NetError>> {
        let position = self.with_to_move(c);
        self.analyst.evaluate(&position, symmetry, optimism)
    }

    /// The network in use; waits until it has been loaded.
    ///
    /// # Errors
    /// `None` if there is none, or why the one of the settings cannot be used.
    pub fn network(&mut self) -> Result<Arc<Network>, Option<NetError>> {
        self.analyst.network()
    }

    /// What is wrong with the network, the first time that this is asked after it
    /// has shown. The engine plays on without it.
    pub fn network_complaint(&mut self) -> Option<String> {
        self.analyst.complaint()
    }

    /// Stop searching while the opponent thinks.
    pub fn stop_pondering(&mut self) {
        self.analyst.finish();
        self.ponder_next = None;
    }

    /// Forget what has been searched and judged.
    pub fn forget(&mut self) {
        self.analyst.forget();
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
        let ready = self.analyst.is_ready();
        if !self.settings.ponder || weak || self.position.is_over() || !ready {
            return;
        }
        let playouts = self.settings.playouts.unwrap_or(u64::MAX);
        let request = AnalysisRequest {
            limits: Limits {
                playouts: Some(playouts.min(PONDER_PLAYOUTS)),
                visits: self.settings.visits,
                time: None,
            },
            seed: next,
            ..AnalysisRequest::new(self.position.clone())
        };
        self.analyst.begin(&request);
    }

    /// Is a search under way while the opponent thinks?
    pub fn is_pondering(&mut self) -> bool {
        self.analyst.is_busy()
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
        self.analyst.judge(&self.position, Care::Thorough)
    }

    /// Why the chain at a point is alive, in seki or dead; `None` if there is no
    /// stone.
    pub fn explain(&mut self, p: Point) -> Option<Explanation> {
        let judgement = self.analyst.judge(&self.position, Care::Thorough);
        judgement.explain(&self.position, p)
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
        self.hopeless = 0;
        self.choosing = Duration::ZERO;
    }
}
