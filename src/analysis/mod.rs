//! A question about a position and its answer: [`AnalysisRequest`] in,
//! [`AnalysisReport`]s out.
//!
//! The [`Analyst`] owns the evaluator, with its cache, and the searches. It has no game and
//! no clock, and never resigns ([`crate::player`] does). It never prints; each front end formats
//! reports in its own way.
//!
//! ```
//! use ponnuki::analysis::{AnalysisRequest, Analyst, EvaluatorChoice, Limits, Resources};
//! use ponnuki::position::Position;
//! use ponnuki::rules::Ruleset;
//! use ponnuki::search::SearchParams;
//! use ponnuki::types::BoardSize;
//!
//! let resources = Resources { threads: 1, memory: 1 << 20, cache: 0 };
//! let params = SearchParams::default();
//! let mut analyst = Analyst::new(&EvaluatorChoice::Playouts, resources, params.clone())?;
//! let position = Position::new(BoardSize::square(5), Ruleset::default());
//! let limits = Limits::of_playouts(100);
//! let request = AnalysisRequest { limits, ..AnalysisRequest::new(position) };
//! let report = analyst.side_search(&request);
//! assert_eq!(report.playouts, 100);
//! assert!((0.0..=1.0).contains(&report.win_rate));
//! // Other parameters for one request: 100 visits do not expand a second node.
//! let mut params = params;
//! params.rave.expand_visits = 1000;
//! let shallow = analyst.side_search(&AnalysisRequest { params: Some(params), ..request.clone() });
//! assert!(shallow.moves.iter().all(|m| m.pv.len() == 1));
//! assert_eq!(analyst.side_search(&request).moves[0].pv, report.moves[0].pv);
//! # Ok::<(), ponnuki::search::PoolError>(())
//! ```

mod evaluator;
mod explain;
mod frame;
mod judgement;
mod observer;
mod report;
mod request;
mod resources;
mod solve;
mod variations;

pub use evaluator::{Complaint, EvaluatorChoice, Profile};
pub use explain::Explanation;
pub use judgement::{Attacked, ChainStatus, EstimateSource, Judgement, Thoroughness, Threat};
pub use observer::{Observer, Progress};
pub use report::{
    AnalysisReport, MoveReport, Perspective, ReportOptions, ScoreReport, UnknownPerspective,
};
pub use request::{AnalysisRequest, Deadline, Include, Limits};
pub use resources::Resources;
pub use solve::{Critical, Question, Solution};
pub use variations::Variation;

use crate::net::{Evaluation, EvaluationOptions, NetError, Network, Output, Situation};
use crate::playout::Ownership;
use crate::position::Position;
use crate::search::{
    Focus, NetworkEvaluator, PoolError, Puct, Rave, Search, SearchParams, TreeSearch,
};
use crate::types::{Move, Point};
use evaluator::NetworkFile;
use judgement::OwnershipEstimate;
use observer::Schedule;
use resources::SIDE_MEMORY;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Answers requests about positions.
#[derive(Debug)]
pub struct Analyst {
    resources: Resources,
    /// Parameters for requests without their own.
    params: SearchParams,
    /// Parameters of the last search.
    params_in_use: SearchParams,
    /// The chosen network: being loaded, loaded, or its load error.
    network: Option<NetworkFile>,
    /// The network with its cache; `None` until a request has waited for it.
    evaluator: Option<Arc<NetworkEvaluator>>,
    choice: EvaluatorChoice,
    /// Do the searches use the network?
    uses_network: bool,
    search: Box<dyn TreeSearch>,
    /// A search on one thread for judgements and short questions, with a tree of its own.
    side_search: Box<dyn TreeSearch>,
    /// A search by playouts for [immediate answers](Analyst::answer_immediately), made at the first
    /// of them; the side search does this if it evaluates by playouts itself.
    immediate_search: Option<Box<dyn TreeSearch>>,
    judgement: Option<Judgement>,
    deadline: Deadline,
    /// Failure to get threads for another evaluator, if not reported yet.
    refused: Option<PoolError>,
}

/// Interval at which a running search is polled.
const POLL: Duration = Duration::from_millis(5);

/// Evaluations per second on one thread below which a network counts as slow.
const SLOW: f64 = 10.0;

impl Analyst {
    /// The network and its cache; `None` until a request has waited for them.
    pub fn evaluator(&self) -> Option<&Arc<NetworkEvaluator>> {
        self.evaluator.as_ref()
    }

    /// The constants of the evaluator in use.
    pub fn profile(&self) -> &'static Profile {
        match (self.uses_network, &self.choice) {
            (true, EvaluatorChoice::Embedded) => &Profile::EMBEDDED,
            (true, _) => &Profile::NETWORK,
            (false, _) => &Profile::PLAYOUTS,
        }
    }

    /// The chosen network, its own or [shared](Analyst::sharing_network); waits until it has been
    /// loaded.
    ///
    /// # Errors
    /// The load error; `None` if playouts are chosen, or if there was no loaded network to share.
    pub fn network(&mut self) -> Result<Arc<Network>, Option<NetError>> {
        if let Some(evaluator) = &self.evaluator {
            return Ok(evaluator.network().clone());
        }
        match self.network.as_mut().map(NetworkFile::get) {
            None => Err(None),
            Some(Ok(network)) => Ok(network.clone()),
            Some(Err(e)) => Err(Some(e.clone())),
        }
    }

    /// An unreported problem with the evaluator; each is returned only once.
    pub fn complaint(&mut self) -> Option<Complaint> {
        if let Some(refused) = self.refused.take() {
            return Some(Complaint::Threads(refused));
        }
        if let Some(evaluator) = self.evaluator.as_ref()
            && self.choice != EvaluatorChoice::Embedded
            && let Some(rate) = evaluator.slowness(SLOW)
        {
            let name = self.choice.to_string();
            return Some(Complaint::Slow { name, rate });
        }
        self.network.as_mut()?.complaint()
    }

    /// Does a network evaluate, as chosen by the last [`Analyst::prepare`]?
    pub fn uses_network(&self) -> bool {
        self.uses_network
    }

    /// Set the deadline of further answers. The default is none.
    pub fn set_deadline(&mut self, deadline: Deadline) {
        self.deadline = deadline;
    }

    /// Has loading finished, so that a request does not wait?
    pub fn is_ready(&self) -> bool {
        self.network.as_ref().is_none_or(NetworkFile::is_loaded)
    }

    /// Search for a request until its limits, the observer or the stop flag end it. Reports go to
    /// the observer; the last one is returned.
    pub fn run(
        &mut self,
        request: &AnalysisRequest,
        stop: &AtomicBool,
        observer: &mut Observer<'_>,
    ) -> AnalysisReport {
        let begun = Instant::now();
        self.prepare_or_stop(request.position.size(), stop);
        self.start(request);
        let raw = self.raw(request);
        let mut schedule = Schedule::new(observer.interval, observer.first);
        loop {
            let left = request
                .limits
                .time
                .map(|t| t.saturating_sub(begun.elapsed()));
            let pause = left.map_or(POLL, |l| l.clamp(Duration::from_micros(200), POLL));
            let ended = self.search.wait(pause);
            // A full tree ends the search. Pruning it to go on takes time, which the clock may not
            // allow.
            let has_time = left.is_none_or(|left| left > self.time_to_make_room());
            if stop.load(Ordering::Relaxed) || ended && !(has_time && self.search.resume_if_full())
            {
                break;
            }
            if schedule.is_due() {
                (observer.on_report)(&AnalysisReport {
                    raw: raw.clone(),
                    ..self.report(request)
                });
            }
            let progress = Progress::new(&*self.search, begun.elapsed());
            if left.is_some_and(|l| l.is_zero()) || (observer.enough)(&progress) {
                break;
            }
        }
        self.search.finish();
        AnalysisReport {
            raw,
            ..self.report(request)
        }
    }

    /// Upper bound of the time to drop half of the tree.
    fn time_to_make_room(&self) -> Duration {
        Duration::from_secs(1) * (1 + (self.resources.memory >> 29) as u32)
    }

    /// [`Analyst::run`] without an observer: returns only the last report.
    pub fn answer(&mut self, request: &AnalysisRequest, stop: &AtomicBool) -> AnalysisReport {
        let mut observer = Observer {
            interval: None,
            first: None,
            on_report: &mut |_| (),
            enough: &mut |_| false,
        };
        self.run(request, stop, &mut observer)
    }

    /// The network's own evaluation, if the request includes it.
    fn raw(&self, request: &AnalysisRequest) -> Option<Box<Output>> {
        let wanted = self.uses_network && request.include.raw;
        let evaluator = self.evaluator.as_ref().filter(|_| wanted)?;
        let puct = Puct::new(evaluator.clone(), self.params_in_use.puct.clone());
        Some(Box::new(puct.raw(&request.position)))
    }

    /// Start a search for a request in the background.
    pub fn begin(&mut self, request: &AnalysisRequest) {
        self.prepare(request.position.size());
        self.start(request);
    }

    /// Start a search with the present evaluator.
    fn start(&mut self, request: &AnalysisRequest) {
        self.apply_params(request.params.as_ref());
        self.search.set_focus(request.focus());
        self.search.set_visits(request.limits.visits);
        let playouts = request.limits.playouts.unwrap_or(u64::MAX);
        self.search.start(&request.position, playouts, request.seed);
    }

    /// Report on the running or last search for a request.
    pub fn report(&self, request: &AnalysisRequest) -> AnalysisReport {
        AnalysisReport::new(request, self.search.snapshot())
    }

    /// Stop the search in the background.
    pub fn stop_search(&mut self) {
        self.search.finish();
    }

    /// Is a search running in the background?
    pub fn is_busy(&mut self) -> bool {
        self.search.is_running() && !self.search.wait(Duration::ZERO)
    }

    /// Clear the tree.
    pub fn clear_tree(&mut self) {
        self.search.clear();
    }

    /// Clear the tree, the network's cache and the judgement.
    pub fn clear(&mut self) {
        self.search.clear_with_cache();
        self.judgement = None;
    }

    /// Clear the network's cache.
    pub fn clear_cache(&mut self) {
        self.search.finish();
        if let Some(evaluator) = &self.evaluator {
            evaluator.clear_cache();
        }
    }

    /// Search for a request on one thread with an empty tree. With a limit of playouts and no cache
    /// the result is always the same, unless the time limit or the deadline cuts it short.
    pub fn side_search(&mut self, request: &AnalysisRequest) -> AnalysisReport {
        self.search.finish();
        self.prepare(request.position.size());
        self.apply_params(request.params.as_ref());
        let playouts = request
            .limits
            .playouts
            .unwrap_or(self.profile().side_playouts);
        self.side_search.set_focus(request.focus());
        self.side_search.set_visits(request.limits.visits);
        self.side_search.clear();
        let (position, seed) = (&request.position, request.seed);
        let end = request.limits.time.map(|time| Instant::now() + time);
        match self.deadline.answer.into_iter().chain(end).min() {
            Some(until) => self.side_search.run_until(position, playouts, seed, until),
            None => self.side_search.run(position, playouts, seed),
        }
        let report = AnalysisReport::new(request, self.side_search.snapshot());
        self.side_search.clear();
        report
    }

    /// Judge which chains are alive, in seki or dead, and count. The judgement is kept, so repeated
    /// calls agree while stones, earlier boards, rules, komi and the procedure of hypothetical play
    /// stay the same.
    pub fn judge(&mut self, position: &Position, thoroughness: Thoroughness) -> &Judgement {
        self.search.finish();
        self.prepare(position.size());
        self.apply_params(None);
        self.side_search.set_focus(Focus::default());
        self.side_search.set_visits(None);
        let judged = self.judgement.take();
        let judgement = match judged.filter(|j| j.applies(position, thoroughness)) {
            Some(mut j) => {
                j.recount(position);
                j
            }
            None => {
                if thoroughness == Thoroughness::Thorough {
                    // A cached evaluation may come from another order of the same moves, and differ.
                    self.clear_cache();
                }
                let estimate = self.estimate(position, thoroughness);
                Judgement::of(position, estimate, Some(thoroughness), self.deadline.answer)
            }
        };
        self.judgement.insert(judgement)
    }

    /// The report on a game that passes have ended: its count. `None` while it goes on.
    pub fn counted(
        &mut self,
        position: &Position,
        thoroughness: Thoroughness,
    ) -> Option<AnalysisReport> {
        let over = position.is_over();
        over.then(|| AnalysisReport::counted(position, self.judge(position, thoroughness)))
    }

    /// Judge at once, by Black's `ownership` from this source and by proofs that need no
    /// hypothetical play. The judgement is not kept.
    pub fn judge_hastily(
        &self,
        position: &Position,
        ownership: &Ownership,
        source: EstimateSource,
    ) -> Judgement {
        let estimate = OwnershipEstimate::new(ownership.clone(), source);
        Judgement::by_ownership(position, estimate)
    }

    /// Search by playouts on this thread until `until`, which may be so soon that priors decide the
    /// move more than results do.
    pub fn answer_immediately(
        &mut self,
        request: &AnalysisRequest,
        until: Instant,
    ) -> AnalysisReport {
        self.search.finish();
        let focus = request.focus();
        let search = self.playout_search();
        search.clear();
        search.set_focus(focus);
        search.set_visits(None);
        search.run_until(&request.position, u64::MAX, request.seed, until);
        let report = AnalysisReport::new(request, search.snapshot());
        search.clear();
        search.set_focus(Focus::default());
        report
    }

    /// A side search that evaluates by playouts.
    fn playout_search(&mut self) -> &mut dyn TreeSearch {
        if self.uses_network && self.immediate_search.is_none() {
            let policy = Rave::new(self.params.rave.clone());
            match Search::new(1, SIDE_MEMORY, policy) {
                Ok(search) => self.immediate_search = Some(Box::new(search)),
                Err(e) => self.refused = Some(e),
            }
        }
        match self.immediate_search.as_mut().filter(|_| self.uses_network) {
            Some(search) => &mut **search,
            None => &mut *self.side_search,
        }
    }

    /// The network's raw outputs for a position in one symmetry, with this weight of the optimistic
    /// policy.
    ///
    /// # Errors
    /// Those of [`Analyst::network`].
    pub fn evaluate(
        &mut self,
        position: &Position,
        symmetry: u8,
        optimism: Option<f32>,
    ) -> Result<Output, Option<NetError>> {
        let network = self.network()?;
        let options = EvaluationOptions {
            symmetry,
            optimism: optimism.unwrap_or(self.params.puct.root_optimism),
            ..EvaluationOptions::default()
        };
        let mut evaluation = Evaluation::default();
        evaluate(&network, &mut evaluation, position, options);
        Ok(evaluation.output)
    }
}

/// Evaluate a position by a network.
fn evaluate(
    network: &Network,
    evaluation: &mut Evaluation,
    position: &Position,
    options: EvaluationOptions,
) {
    let c = position.to_move();
    let legal = |p: Point| position.legality(c, Move::Play(p)).is_ok();
    evaluation.run(network, &Situation::of(position), options, legal);
}
