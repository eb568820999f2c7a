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
//! let limits = Limits { playouts: Some(100), ..Limits::default() };
//! let request = AnalysisRequest { limits, ..AnalysisRequest::new(position) };
//! let report = analyst.side_search(&request);
//! assert_eq!(report.playouts, 100);
//! assert!((0.0..=1.0).contains(&report.win_rate));
//! // Other parameters for one request: 100 visits do not expand a second node.
//! let params = SearchParams { expand_visits: 1000, ..params };
//! let shallow = analyst.side_search(&AnalysisRequest { params: Some(params), ..request.clone() });
//! assert!(shallow.moves.iter().all(|m| m.pv.len() == 1));
//! assert_eq!(analyst.side_search(&request).moves[0].pv, report.moves[0].pv);
//! # Ok::<(), ponnuki::search::PoolError>(())
//! ```

mod evaluator;
mod explain;
mod frame;
mod judgement;
mod report;
mod request;
mod solve;
mod variations;

pub use evaluator::{Complaint, EvaluatorChoice, Profile};
pub use explain::Explanation;
pub use judgement::{Attacked, ChainStatus, Judgement, Thoroughness, Threat};
pub use report::{AnalysisReport, MoveReport, Perspective, ScoreReport, UnknownPerspective};
pub use request::{AnalysisRequest, Deadline, Include, Limits, Observer, Progress};
pub use solve::{Critical, Question, Solution};
pub use variations::Variation;

use crate::net::{Evaluation, EvaluationOptions, NetError, Network, Output, Situation};
use crate::playout::Ownership;
use crate::position::Position;
use crate::search::{
    Focus, NetworkEvaluator, PoolError, Puct, Rave, Search, SearchParams, TreeSearch,
};
use crate::types::{BoardSize, Move, Point};
use evaluator::NetworkFile;
use judgement::{OwnershipEstimate, Witness, is_late, played_out, with_even_komi};
use request::Schedule;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Threads and memory for an analyst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Search threads, at least 1.
    pub threads: usize,
    /// Memory for the search tree, in bytes.
    pub memory: usize,
    /// Memory for evaluations of a network, in bytes.
    pub cache: usize,
}

/// Answers requests about positions.
#[derive(Debug)]
pub struct Analyst {
    resources: Resources,
    /// Parameters for requests without their own.
    params: SearchParams,
    /// Parameters of the last search.
    params_in_use: SearchParams,
    /// The network being loaded, or its load error.
    network: Option<NetworkFile>,
    /// The network with its cache, once it is loaded.
    evaluator: Option<Arc<NetworkEvaluator>>,
    choice: EvaluatorChoice,
    /// Do the searches use the network?
    uses_network: bool,
    search: Box<dyn TreeSearch>,
    /// A search on one thread for judgements and short questions, with a tree of its own.
    side_search: Box<dyn TreeSearch>,
    /// A search by playouts, for instant moves while the others use a network.
    instant_search: Option<Box<dyn TreeSearch>>,
    judgement: Option<Judgement>,
    deadline: Deadline,
    /// Failure to get threads for another evaluator, if not reported yet.
    refused: Option<PoolError>,
}

/// Interval at which a running search is polled.
const POLL: Duration = Duration::from_millis(5);

/// Positions per thread for a large network: they share its weights. More gain little, as
/// measured, and slow each one down.
const AT_ONCE: usize = 4;

/// Evaluations per second on one thread below which a network counts as slow.
const SLOW: f64 = 10.0;

/// Memory for the tree of the side search, in bytes.
const SIDE_MEMORY: usize = 48 << 20;

impl Analyst {
    /// Create an analyst with default parameters for its requests. A network is loaded in the
    /// background; the first request waits for it.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses the search threads.
    pub fn new(
        choice: &EvaluatorChoice,
        resources: Resources,
        params: SearchParams,
    ) -> Result<Analyst, PoolError> {
        let (search, side_search) = searches(None, resources, &params)?;
        Ok(Analyst {
            resources,
            params_in_use: params.clone(),
            params,
            network: NetworkFile::load(choice),
            evaluator: None,
            choice: choice.clone(),
            uses_network: false,
            search,
            side_search,
            instant_search: None,
            judgement: None,
            deadline: Deadline::default(),
            refused: None,
        })
    }

    /// Create another analyst with its own searches that shares this one's network and cache.
    /// Waits for the network.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses the search threads.
    pub fn beside(&mut self, resources: Resources) -> Result<Analyst, PoolError> {
        self.load(&AtomicBool::new(false));
        let (search, side_search) = searches(None, resources, &self.params)?;
        Ok(Analyst {
            resources,
            params_in_use: self.params.clone(),
            params: self.params.clone(),
            network: None,
            evaluator: self.evaluator.clone(),
            choice: self.choice.clone(),
            uses_network: false,
            search,
            side_search,
            instant_search: None,
            judgement: None,
            deadline: Deadline::default(),
            refused: None,
        })
    }

    /// Number of positions to search at once for good use of this analyst's threads. A large
    /// network evaluates requests of several searches together, which is faster. Waits for the
    /// network.
    pub fn positions_at_once(&mut self) -> usize {
        let large = |n: Arc<Network>| n.most_at_once(BoardSize::square(19)) > 1;
        match self.network().is_ok_and(large) {
            true => AT_ONCE * self.resources.threads,
            false => self.resources.threads,
        }
    }

    /// Create an analyst for each of `positions` positions, at least 1. They share the network and
    /// its cache, and divide this one's threads and tree memory.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses the search threads.
    pub fn team(&mut self, positions: usize) -> Result<Vec<Analyst>, PoolError> {
        let positions = positions.max(1);
        let resources = Resources {
            // With more threads than positions, each gets several.
            threads: (self.resources.threads / positions).max(1),
            memory: (self.resources.memory / positions).max(1 << 20),
            ..self.resources
        };
        (0..positions).map(|_| self.beside(resources)).collect()
    }

    /// Change resources and parameters. If they differ, earlier searches are forgotten.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses the search threads; then nothing has changed.
    pub fn configure(
        &mut self,
        resources: Resources,
        params: SearchParams,
    ) -> Result<(), PoolError> {
        self.search.finish();
        if resources != self.resources {
            let mut evaluator = self.evaluator.clone();
            if let Some(evaluator) = &mut evaluator
                && resources.cache != self.resources.cache
            {
                let network = evaluator.network().clone();
                *evaluator = Arc::new(NetworkEvaluator::new(network, resources.cache));
            }
            let used = evaluator.as_ref().filter(|_| self.uses_network);
            (self.search, self.side_search) = searches(used, resources, &self.params_in_use)?;
            self.evaluator = evaluator;
            self.resources = resources;
        }
        if params != self.params {
            self.params = params;
            self.judgement = None;
            self.instant_search = None;
        }
        Ok(())
    }

    /// Set the number of search threads, at least 1. If it changes, earlier searches are forgotten.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses them; then nothing has changed.
    pub fn use_threads(&mut self, threads: usize) -> Result<(), PoolError> {
        let resources = Resources {
            threads,
            ..self.resources
        };
        self.configure(resources, self.params.clone())
    }

    /// The network with its cache; `None` before it has been waited for.
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

    /// The chosen network; waits until it has been loaded.
    ///
    /// # Errors
    /// `None` if there is none, or its load error.
    pub fn network(&mut self) -> Result<Arc<Network>, Option<NetError>> {
        match self.network.as_mut().map(NetworkFile::get) {
            None => Err(None),
            Some(Ok(network)) => Ok(network.clone()),
            Some(Err(e)) => Err(Some(e.clone())),
        }
    }

    /// Why positions are not evaluated as the settings ask. Each problem is returned once.
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

    /// Does a network evaluate, as of the last [`Analyst::prepare`]?
    pub fn uses_network(&self) -> bool {
        self.uses_network
    }

    /// Set the deadline of further answers. The default is none.
    pub fn set_deadline(&mut self, deadline: Deadline) {
        self.deadline = deadline;
    }

    /// Wait for the network until the deadline, or until `stop` is set.
    fn load(&mut self, stop: &AtomicBool) {
        if self.evaluator.is_some() {
            return;
        }
        let until = self.deadline.network;
        let file = self.network.as_mut().filter(|file| file.wait(until, stop));
        if let Some(Ok(network)) = file.map(NetworkFile::get) {
            let evaluator = NetworkEvaluator::new(network.clone(), self.resources.cache);
            self.evaluator = Some(Arc::new(evaluator));
        }
    }

    /// Switch to the evaluator for boards of this size, and wait for the network if it is one.
    pub fn prepare(&mut self, size: BoardSize) {
        self.prepare_unless(size, &AtomicBool::new(false));
    }

    /// [`Analyst::prepare`], but stop waiting for the network when `stop` is set.
    pub fn prepare_unless(&mut self, size: BoardSize, stop: &AtomicBool) {
        let wanted = self.choice.suits(size);
        if wanted {
            self.load(stop);
        }
        let evaluator = self.evaluator.clone().filter(|_| wanted);
        if evaluator.is_some() == self.uses_network {
            return;
        }
        self.search.finish();
        match searches(evaluator.as_ref(), self.resources, &self.params_in_use) {
            Ok(searches) => {
                (self.search, self.side_search) = searches;
                self.judgement = None;
                self.uses_network = evaluator.is_some();
            }
            // The present searches stay in use.
            Err(e) => self.refused = Some(e),
        }
    }

    /// Search with these parameters, or the default ones. Trees grown with others are forgotten.
    fn use_params(&mut self, params: Option<&SearchParams>) {
        let params = params.unwrap_or(&self.params);
        if *params != self.params_in_use {
            self.params_in_use = params.clone();
            self.search.set_params(&self.params_in_use);
            self.side_search.set_params(&self.params_in_use);
        }
    }

    /// Has loading finished, so that a request does not wait?
    pub fn is_ready(&self) -> bool {
        self.network.as_ref().is_none_or(NetworkFile::is_loaded)
    }

    /// Search for a request until its limits, the observer or the stop flag end it, and report to
    /// the observer meanwhile. Returns the last report.
    pub fn run(
        &mut self,
        request: &AnalysisRequest,
        stop: &AtomicBool,
        observer: &mut Observer<'_>,
    ) -> AnalysisReport {
        let begun = Instant::now();
        self.prepare_unless(request.position.size(), stop);
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
            // Making room takes time, which the clock may not allow.
            let has_time = left.is_none_or(|left| left > self.time_to_make_room());
            if stop.load(Ordering::Relaxed) || ended && !(has_time && self.search.go_on()) {
                break;
            }
            if schedule.is_due() {
                (observer.tell)(&AnalysisReport {
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

    /// Search for a request without reports meanwhile.
    pub fn answer(&mut self, request: &AnalysisRequest, stop: &AtomicBool) -> AnalysisReport {
        let mut observer = Observer {
            interval: None,
            first: None,
            tell: &mut |_| (),
            enough: &mut |_| false,
        };
        self.run(request, stop, &mut observer)
    }

    /// The network's own evaluation, if the request includes it.
    fn raw(&self, request: &AnalysisRequest) -> Option<Box<Output>> {
        let wanted = self.uses_network && request.include.raw;
        let evaluator = self.evaluator.as_ref().filter(|_| wanted)?;
        let puct = Puct::new(evaluator.clone(), self.params_in_use.clone());
        Some(Box::new(puct.raw(&request.position)))
    }

    /// Start a search for a request in the background.
    pub fn begin(&mut self, request: &AnalysisRequest) {
        self.prepare(request.position.size());
        self.start(request);
    }

    /// Start a search with the present evaluator.
    fn start(&mut self, request: &AnalysisRequest) {
        self.use_params(request.params.as_ref());
        self.search.set_focus(request.focus());
        self.search.set_visits(request.limits.visits);
        let playouts = request.limits.playouts.unwrap_or(u64::MAX);
        self.search.start(&request.position, playouts, request.seed);
    }

    /// Report on the request begun last.
    pub fn report(&self, request: &AnalysisRequest) -> AnalysisReport {
        AnalysisReport::new(request, self.search.snapshot())
    }

    /// Stop the search in the background.
    pub fn finish(&mut self) {
        self.search.finish();
    }

    /// Is a search running in the background?
    pub fn is_busy(&mut self) -> bool {
        self.search.is_running() && !self.search.wait(Duration::ZERO)
    }

    /// Forget the tree.
    pub fn clear(&mut self) {
        self.search.clear();
    }

    /// Forget the tree, what the search has learned, and the judgement.
    pub fn forget(&mut self) {
        self.search.forget();
        self.judgement = None;
    }

    /// Clear the network's cache.
    pub fn forget_evaluations(&mut self) {
        self.search.finish();
        if let Some(evaluator) = &self.evaluator {
            evaluator.forget();
        }
    }

    /// Search for a request on one thread with an empty tree. With a limit of playouts and no cache
    /// the result is always the same, unless the deadline cuts it short. The request's time limit
    /// is ignored.
    pub fn side_search(&mut self, request: &AnalysisRequest) -> AnalysisReport {
        self.search.finish();
        self.prepare(request.position.size());
        self.use_params(request.params.as_ref());
        let playouts = request
            .limits
            .playouts
            .unwrap_or(self.profile().short_playouts);
        self.side_search.set_focus(request.focus());
        self.side_search.set_visits(request.limits.visits);
        self.side_search.clear();
        let (position, seed) = (&request.position, request.seed);
        match self.deadline.answer {
            Some(until) => self.side_search.run_until(position, playouts, seed, until),
            None => self.side_search.run(position, playouts, seed),
        }
        let report = AnalysisReport::new(request, self.side_search.snapshot());
        self.side_search.clear();
        report
    }

    /// Judge which chains are alive, in seki or dead, and count. The judgement is kept for the
    /// board, so repeated calls agree; passes do not change it.
    pub fn judge(&mut self, position: &Position, care: Thoroughness) -> &Judgement {
        self.search.finish();
        self.prepare(position.size());
        self.use_params(None);
        self.side_search.set_focus(Focus::default());
        self.side_search.set_visits(None);
        let judged = self.judgement.take();
        let judgement = match judged.filter(|j| j.applies(position, care)) {
            Some(mut j) => {
                j.recount(position);
                j
            }
            None => {
                let estimate = self.estimate(position, care);
                Judgement::of(position, estimate, care, self.deadline.answer)
            }
        };
        self.judgement.insert(judgement)
    }

    /// Estimate the final ownership of a position by searches. With a network, chains in doubt get
    /// a longer one.
    fn estimate(&mut self, position: &Position, care: Thoroughness) -> OwnershipEstimate {
        let until = self.deadline.answer;
        let profile = self.profile();
        if !self.uses_network {
            let ownership = played_out(
                position,
                &mut *self.side_search,
                profile.judgement[0],
                until,
            );
            return OwnershipEstimate::new(ownership, Witness::Playouts);
        }
        if is_late(until) {
            // Even the shortest search may take too long with a slow network.
            return OwnershipEstimate::new(Ownership::default(), Witness::Network);
        }
        let [short, long] = profile.judgement;
        let long = match care {
            Thoroughness::Hasty | Thoroughness::Quick => long / 4,
            Thoroughness::Thorough => long,
        };
        let ownership = played_out(position, &mut *self.side_search, short, until);
        let mut estimate = OwnershipEstimate::new(ownership, Witness::Network);
        estimate.refine(position.board(), |known| {
            played_out(
                &with_even_komi(position, known),
                &mut *self.side_search,
                long,
                until,
            )
        });
        estimate
    }

    /// Judge at once, by Black's ownership and proofs that need no hypothetical play. The judgement
    /// is not kept.
    pub fn judge_hastily(&self, position: &Position, ownership: &Ownership) -> Judgement {
        let now = Some(Instant::now());
        let witness = match self.uses_network {
            true => Witness::Network,
            false => Witness::Playouts,
        };
        let estimate = OwnershipEstimate::new(ownership.clone(), witness);
        Judgement::of(position, estimate, Thoroughness::Hasty, now)
    }

    /// Search by playouts on this thread until a deadline very soon. Priors, more than results,
    /// choose the move.
    pub fn at_once(&mut self, request: &AnalysisRequest, until: Instant) -> AnalysisReport {
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
        if self.uses_network && self.instant_search.is_none() {
            let params = Rave::new(self.params.clone());
            match Search::new(1, SIDE_MEMORY, params) {
                Ok(search) => self.instant_search = Some(Box::new(search)),
                Err(e) => self.refused = Some(e),
            }
        }
        match self.instant_search.as_mut().filter(|_| self.uses_network) {
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
            optimism: optimism.unwrap_or(self.params.root_optimism),
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

/// The main search and the side search.
type Searches = (Box<dyn TreeSearch>, Box<dyn TreeSearch>);

fn searches(
    evaluator: Option<&Arc<NetworkEvaluator>>,
    resources: Resources,
    params: &SearchParams,
) -> Result<Searches, PoolError> {
    let search = |threads, memory| -> Result<Box<dyn TreeSearch>, PoolError> {
        Ok(match evaluator {
            None => Box::new(Search::new(threads, memory, Rave::new(params.clone()))?),
            Some(evaluator) => {
                let policy = Puct::new(evaluator.clone(), params.clone());
                Box::new(Search::new(threads, memory, policy)?)
            }
        })
    };
    let game = search(resources.threads, resources.memory)?;
    Ok((game, search(1, SIDE_MEMORY)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;
    use crate::types::Color;
    use std::thread;

    fn analyst() -> Analyst {
        let resources = Resources {
            threads: 1,
            memory: 1 << 20,
            cache: 0,
        };
        let params = SearchParams::default();
        Analyst::new(&EvaluatorChoice::Embedded, resources, params).unwrap()
    }

    /// A large network takes seconds to load; an abort of the analysis must not.
    #[test]
    fn an_analysis_ends_while_its_network_is_loading() {
        let mut analyst = analyst();
        analyst.network = Some(NetworkFile::slow(Duration::from_secs(3)));
        let size = BoardSize::square(9);
        let request = AnalysisRequest::new(Position::new(size, Ruleset::default()));
        let stop = AtomicBool::new(false);
        let begun = Instant::now();
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(50));
                stop.store(true, Ordering::Relaxed);
            });
            analyst.answer(&request, &stop);
        });
        assert!(begun.elapsed() < Duration::from_secs(2));
        assert!(!analyst.uses_network);
    }

    #[test]
    fn a_clock_does_not_wait_for_a_network_that_is_still_being_loaded() {
        let mut analyst = analyst();
        analyst.network = Some(NetworkFile::slow(Duration::from_secs(2)));
        let size = BoardSize::square(9);
        let request = AnalysisRequest {
            limits: Limits {
                playouts: Some(20),
                ..Limits::default()
            },
            ..AnalysisRequest::new(Position::new(size, Ruleset::default()))
        };
        let begun = Instant::now();
        analyst.set_deadline(Deadline {
            network: Some(begun + Duration::from_millis(50)),
            answer: None,
        });
        let report = analyst.answer(&request, &AtomicBool::new(false));
        assert!(begun.elapsed() < Duration::from_secs(1));
        assert_eq!(report.playouts, 20);
        assert!(!analyst.uses_network, "playouts evaluate meanwhile");
        // Without a deadline the network is waited for, and used from then on.
        analyst.set_deadline(Deadline::default());
        analyst.prepare(size);
        assert!(begun.elapsed() >= Duration::from_secs(2));
        assert!(analyst.uses_network);
    }

    #[test]
    fn a_slow_network_is_reported_once_unless_it_is_the_embedded_one() {
        let mut analyst = analyst();
        analyst.prepare(BoardSize::square(9));
        let evaluator = analyst.evaluator().unwrap().clone();
        evaluator.pretend(50, Duration::from_secs(10));
        assert!(analyst.complaint().is_none());
        analyst.choice = EvaluatorChoice::File("large.bin.gz".into());
        evaluator.pretend(3, Duration::from_secs(10));
        assert!(analyst.complaint().is_none(), "the first may take longer");
        evaluator.pretend(50, Duration::from_secs(5));
        assert!(analyst.complaint().is_none(), "fast enough");
        evaluator.pretend(50, Duration::from_secs(10));
        let complaint = analyst.complaint().unwrap().to_string();
        assert!(
            complaint.starts_with("network large.bin.gz makes 5.0 evaluations"),
            "{complaint}"
        );
        assert!(analyst.complaint().is_none());
    }

    #[test]
    fn refused_threads_change_nothing_and_are_reported() {
        let mut analyst = analyst();
        let size = BoardSize::square(9);
        analyst.prepare(size);
        let before = (analyst.resources, analyst.params.clone());
        let network = analyst.evaluator().unwrap().clone();
        let resources = Resources {
            threads: crate::search::REFUSED,
            cache: 1 << 20,
            ..analyst.resources
        };
        let params = SearchParams {
            cpuct: 3.0,
            ..SearchParams::default()
        };
        assert!(analyst.configure(resources, params).is_err());
        assert_eq!((analyst.resources, analyst.params.clone()), before);
        assert!(Arc::ptr_eq(analyst.evaluator().unwrap(), &network));
        assert!(analyst.complaint().is_none());
        // Switching to another evaluator fails too.
        analyst.resources.threads = crate::search::REFUSED;
        analyst.prepare(BoardSize::square(25));
        let complaint = analyst.complaint().unwrap().to_string();
        assert!(
            complaint.contains("search threads") && complaint.contains("as before"),
            "{complaint}"
        );
        assert!(analyst.complaint().is_none());
    }

    #[test]
    fn a_hasty_judgement_is_not_kept() {
        let mut analyst = analyst();
        let board = crate::board::Board::from_diagram(
            ". X O . .
             X X O O .
             . X O . O
             X X O O .
             . X O . .",
        );
        let rules = Ruleset::default();
        let position = Position::from_board(board.unwrap(), Color::Black, rules);
        let soon = Some(Instant::now());
        analyst.set_deadline(Deadline {
            network: None,
            answer: soon,
        });
        assert_eq!(
            analyst.judge(&position, Thoroughness::Quick).care(),
            Thoroughness::Hasty
        );
        analyst.set_deadline(Deadline::default());
        let judgement = analyst.judge(&position, Thoroughness::Quick);
        assert_eq!(judgement.care(), Thoroughness::Quick);
        assert_eq!(judgement.dead().count(), 0);
    }
}
