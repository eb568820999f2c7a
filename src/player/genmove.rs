//! Choosing a move: the search request, its time budget, and the decision.

use super::level::Level;
use super::time::TimePlan;
use super::{Decision, Engine, Summary, choose_move};
use crate::analysis::{
    AnalysisReport, AnalysisRequest, Deadline, EstimateSource, Include, Judgement, Limits, Observer,
};
use crate::position::{Outcome, Position};
use crate::rules::{Ruleset, Settlement};
use crate::search::{Restriction, forbids};
use crate::types::{Color, Move, Point};
use std::time::{Duration, Instant};

/// Options of one search: its reports, and restrictions on the moves.
pub struct SearchOptions<'a> {
    /// Report interval; `None` reports only at the end.
    pub interval: Option<Duration>,
    /// Optional contents of the reports.
    pub include: Include,
    /// Moves to exclude from the search and from the choice.
    pub restrictions: Vec<Restriction>,
    /// Report callback.
    pub on_report: &'a mut dyn FnMut(&AnalysisReport),
}

/// Any legal move of the player to move that the restrictions allow; `None` if there is none.
pub fn any_allowed_move(position: &Position, restrictions: &[Restriction]) -> Option<Move> {
    let c = position.to_move();
    let plays = position.legal_plays(c).map(Move::Play);
    plays
        .chain([Move::Pass])
        .find(|&m| !forbids(restrictions, c, m, 0))
}

/// A move to decide on.
struct MoveTask {
    /// The position, with the player to move and the rules to play by.
    position: Position,
    /// Stones to capture before passing.
    to_capture: Vec<Point>,
    may_resign: bool,
}

/// Maximum playouts of a search while the opponent thinks.
const PONDER_PLAYOUTS: u64 = 2_000_000;

impl Engine {
    /// Choose a move for `c` within the current time and limits, and play it.
    pub fn genmove(&mut self, c: Color) -> Decision {
        self.genmove_with_options(c, None)
    }

    /// Choose a move and play it. A last report is sent before the move is played.
    pub fn genmove_with_options(
        &mut self,
        c: Color,
        options: Option<SearchOptions<'_>>,
    ) -> Decision {
        let decision = self.decide(self.task(c), options, self.plan(c));
        self.carry_out(c, decision);
        decision
    }

    /// Choose a move as [`Engine::genmove`] does, without playing it. The player to move and
    /// the clock stay unchanged.
    pub fn search_move(&mut self, c: Color, options: Option<SearchOptions<'_>>) -> Decision {
        let before = (self.time.clock.clone(), self.hopeless, self.last_search);
        let decision = self.decide(self.task(c), options, self.plan(c));
        (self.time.clock, self.hopeless, self.last_search) = before;
        decision
    }

    fn plan(&self, c: Color) -> TimePlan {
        self.time.plan(c, &self.position, &self.settings)
    }

    fn task(&self, c: Color) -> MoveTask {
        MoveTask {
            position: self.with_to_move(c),
            to_capture: Vec::new(),
            may_resign: true,
        }
    }

    /// The position with this player to move.
    pub(crate) fn with_to_move(&self, c: Color) -> Position {
        let mut position = self.position.clone();
        if position.to_move() != c {
            position.set_to_move(c);
        }
        position
    }

    /// Create a search request with a new seed and the settings' limits on playouts and visits.
    pub(super) fn request(&mut self, position: Position) -> AnalysisRequest {
        self.searches += 1;
        AnalysisRequest {
            limits: Limits {
                time: None,
                ..self.settings.limits
            },
            seed: self.settings.seed.wrapping_add(self.searches << 20),
            ..AnalysisRequest::new(position)
        }
    }

    /// Search within the time of a move, or answer at once if there is too little time. The last
    /// report is returned but not sent, since the move is not chosen yet.
    pub(super) fn search(
        &mut self,
        request: &mut AnalysisRequest,
        plan: &TimePlan,
        options: Option<&mut SearchOptions<'_>>,
    ) -> AnalysisReport {
        if let Some(until) = plan.immediate_by {
            let found = self.analyst.answer_immediately(request, plan.begun + until);
            self.time.stopped(Duration::ZERO);
            return found;
        }
        self.analyst
            .prepare_or_stop(request.position.size(), &self.stop);
        let waited = plan.begun.elapsed();
        let maximum = plan.search_time(waited);
        request.limits.time = maximum;
        // A clear choice ends the search early and saves time for later moves. Time that does not
        // carry over is used up, since the next search reuses the tree. With pondering, the tree
        // grows until the next search anyway.
        let optimum = plan.optimum.saturating_sub(waited);
        let free = match self.settings.ponder {
            true => Duration::ZERO,
            false => plan.free.min(plan.maximum).saturating_sub(waited),
        };
        let mut ignore = |_: &AnalysisReport| ();
        let (interval, on_report): (_, &mut dyn FnMut(&AnalysisReport)) = match options {
            Some(options) => (options.interval, &mut *options.on_report),
            None => (None, &mut ignore),
        };
        let begun = Instant::now();
        let mut stopped = None;
        let last = self.analyst.run(
            request,
            &self.stop,
            &mut Observer {
                interval,
                first: None,
                on_report,
                enough: &mut |progress| {
                    let enough = maximum.is_some()
                        && progress.elapsed >= free
                        && choose_move::enough(progress, optimum);
                    if enough {
                        stopped = Some(Instant::now());
                    }
                    enough
                },
            },
        );
        let end = stopped.or(maximum.map(|m| begun + m));
        self.time
            .stopped(end.map_or(Duration::ZERO, |end| end.elapsed()));
        last
    }

    /// The level to play at; `None` at full strength.
    fn level(&self) -> Option<Level> {
        Level::new(self.settings.level?)
    }

    /// Choose a move.
    fn decide(
        &mut self,
        task: MoveTask,
        mut options: Option<SearchOptions<'_>>,
        plan: TimePlan,
    ) -> Decision {
        self.analyst.set_deadline(plan.deadline());
        let position = &task.position;
        let c = position.to_move();
        let mut request = self.request(position.clone());
        if let Some(options) = &options {
            request.include = options.include;
            request.restrictions = options.restrictions.clone();
        }
        let level = self.level();
        if let Some(level) = level {
            // Results of earlier searches would make the engine too strong.
            self.analyst.clear_tree();
            self.analyst.prepare(position.size());
            let most = level.playouts(self.analyst.uses_network());
            let playouts = request.limits.playouts.unwrap_or(u64::MAX);
            request.limits.playouts = Some(playouts.min(most));
        }
        let mut found = self.search(&mut request, &plan, options.as_mut());
        self.last_search = Some(Summary {
            color: c,
            win_rate: found.win_rate,
            lead: found.score.lead,
            playouts: found.playouts,
        });
        let search_end = Instant::now();
        let mut m = self.choose(position, &found, &plan);
        // The level does not affect passes.
        if m != Move::Pass
            && found.moves.first().is_some_and(|best| best.mv == m)
            && let Some(level) = level
        {
            let network = self.analyst.uses_network();
            m = level.choose(&found, network, request.seed).unwrap_or(m);
        }
        if m == Move::Pass && !task.to_capture.is_empty() {
            m = self.capture(position, &task.to_capture, &found, &plan);
        }
        if forbids(&request.restrictions, c, m, 0) {
            // Perhaps the search tried no allowed move, for example if they all fill eyes.
            let best = found.moves.first().map(|m| m.mv);
            let allowed = || any_allowed_move(position, &request.restrictions);
            m = best.or_else(allowed).unwrap_or(m);
        }
        if let Some(options) = &mut options {
            found.put_first(m);
            (options.on_report)(&found);
        }
        // An immediate move has too few playouts to resign on.
        let may_resign = task.may_resign && plan.immediate_by.is_none();
        let decision = if may_resign && self.resigns(position, m, &found, &plan) {
            Decision::Resign
        } else {
            Decision::Move(m)
        };
        self.analyst.set_deadline(Deadline::default());
        self.time.answered(c, search_end, &plan);
        decision
    }

    /// Play the decided move, or resign.
    fn carry_out(&mut self, c: Color, decision: Decision) {
        match decision {
            Decision::Resign => self.declared = Some(Outcome::Resignation(c.opponent())),
            Decision::Move(m) => {
                self.position.play_unchecked(c, m);
                self.changed();
                let seed = self.settings.seed.wrapping_add(self.searches << 20);
                self.ponder_next = Some(seed.wrapping_add(1));
            }
        }
    }

    /// Choose a move and play it in the clean-up after a dispute about dead stones. Where the engine
    /// would pass in the game, it captures dead stones, until none are left. It never resigns here.
    pub fn genmove_cleanup(&mut self, c: Color) -> Decision {
        let plan = self.plan(c);
        let mut position = self.with_to_move(c);
        if position.rules().settlement == Settlement::PlayOut {
            let rules = self.settings.rules;
            position.set_rules(Ruleset {
                settlement: match rules.settlement {
                    Settlement::PlayOut => Settlement::Agreement,
                    agreed => agreed,
                },
                ..rules
            });
        }
        // The judgement of dead stones gets at most half of the time, or none if the move is
        // immediate.
        let most = |last: Duration| plan.immediate_by.map_or(last / 2, |_| Duration::ZERO);
        self.analyst.set_deadline(Deadline {
            answer: plan.latest_answer.map(|last| plan.begun + most(last)),
            ..plan.deadline()
        });
        let thoroughness = self.thoroughness();
        let judgement = self.analyst.judge(&position, thoroughness);
        let theirs = |p: &Point| position.board().at(*p).color() == Some(c.opponent());
        let to_capture = judgement.dead().filter(theirs).collect();
        let task = MoveTask {
            position,
            to_capture,
            may_resign: false,
        };
        let decision = self.decide(task, None, plan);
        self.carry_out(c, decision);
        decision
    }

    /// Count hopeless moves and return whether to resign.
    fn resigns(
        &mut self,
        position: &Position,
        m: Move,
        found: &AnalysisReport,
        plan: &TimePlan,
    ) -> bool {
        let Some(threshold) = self.settings.resign_below else {
            return false;
        };
        let hopeless = &mut self.hopeless[position.to_move().index()];
        *hopeless = match found.win_rate < threshold {
            true => *hopeless + 1,
            false => 0,
        };
        let turns = self.position.turns().len() as u32;
        if *hopeless < self.settings.resign_moves || turns < self.settings.resign_after {
            return false;
        }
        if choose_move::waits_for_mistakes(position, -found.score.lead) {
            return false;
        }
        // Do not resign if a pass wins on the board, whatever the win rate.
        let winner = |judgement: Judgement| judgement.score().winner();
        m != Move::Pass
            || winner(self.judge_pass(position, found, plan)) != Some(position.to_move())
    }

    /// Judge the position after a pass, as thoroughly as time allows. The game is then over, or
    /// the opponent is to move.
    pub(super) fn judge_pass(
        &mut self,
        position: &Position,
        found: &AnalysisReport,
        plan: &TimePlan,
    ) -> Judgement {
        let after = position.after(Move::Pass);
        if plan.is_hurried() {
            // Without time for a network, playouts chose the move.
            let source = match plan.immediate_by.is_none() && self.analyst.uses_network() {
                true => EstimateSource::Network,
                false => EstimateSource::Playouts,
            };
            self.analyst.judge_hastily(&after, &found.ownership, source)
        } else {
            self.analyst.judge(&after, self.thoroughness()).clone()
        }
    }

    /// Stop searching while the opponent thinks.
    pub fn stop_pondering(&mut self) {
        self.analyst.stop_search();
        self.ponder_next = None;
    }

    /// Ponder until the next command. Does nothing unless the settings ask for it, the engine has
    /// just moved and the game goes on.
    pub fn idle(&mut self) {
        let Some(next) = self.ponder_next.take() else {
            return;
        };
        let weak = self.level().is_some();
        let ready = self.analyst.is_ready();
        if !self.settings.ponder || weak || self.position.is_over() || !ready {
            return;
        }
        let limits = self.settings.limits;
        let playouts = limits.playouts.unwrap_or(u64::MAX);
        let request = AnalysisRequest {
            limits: Limits {
                playouts: Some(playouts.min(PONDER_PLAYOUTS)),
                time: None,
                ..limits
            },
            seed: next,
            ..AnalysisRequest::new(self.position.clone())
        };
        self.analyst.begin(&request);
    }

    /// Is a search running while the opponent thinks? If it has ended, its results are taken.
    pub fn is_pondering(&mut self) -> bool {
        self.analyst.is_busy()
    }
}
