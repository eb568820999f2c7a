//! A question about a position and its answer: [`AnalysisRequest`] in,
//! [`AnalysisReport`]s out.
//!
//! The [`Analyst`] owns the evaluator, with its cache, and the searches. It has no
//! game, no clock, and never resigns: that is [`crate::player`]. It never prints: the
//! front ends write reports, each in its own format.
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
//! // Other numbers for one request: 100 visits make no second node.
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

pub use evaluator::{Complaint, EvaluatorChoice, Profile};
pub use explain::Explanation;
pub use judgement::{Attacked, ChainStatus, Judgement, Thoroughness, Threat};
pub use report::{AnalysisReport, MoveReport, Perspective, ScoreReport, UnknownPerspective};
pub use request::{AnalysisRequest, Deadline, Include, Limits, Observer, Progress};
pub use solve::{Critical, Question, Solution};

use crate::net::{Evaluation, NetError, Network, Output, Query, Situation};
use crate::playout::Ownership;
use crate::position::Position;
use crate::search::{
    Focus, NetworkEvaluator, PoolError, Puct, Rave, Search, SearchParams, TreeSearch,
};
use crate::types::{BoardSize, Move, Point};
use evaluator::NetworkFile;
use judgement::{OwnershipEstimate, Witness, evened, is_late, played_out};
use request::Schedule;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What an analyst may use of the machine.
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
    /// The numbers of requests that bring none of their own.
    params: SearchParams,
    /// Those of the last search.
    params_in_use: SearchParams,
    /// What is to evaluate, until it is in use; afterwards why it is not.
    network: Option<NetworkFile>,
    /// The network, once it is loaded, with what it remembers.
    evaluator: Option<Arc<NetworkEvaluator>>,
    choice: EvaluatorChoice,
    /// Do the searches use the network?
    uses_network: bool,
    search: Box<dyn TreeSearch>,
    /// A search of one thread for judgements and short questions, whose tree is never
    /// that of the requests.
    side_search: Box<dyn TreeSearch>,
    /// A search by playouts, for moves at once beside a network.
    playing_out: Option<Box<dyn TreeSearch>>,
    judgement: Option<Judgement>,
    deadline: Deadline,
    /// Why another evaluator could not be put to use, if the threads for it were refused.
    refused: Option<PoolError>,
}

/// How often a running search is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// Positions for each thread that share a network's weights well (measured: more gain
/// little, and each takes longer).
const AT_ONCE: usize = 4;

/// Evaluations a second of one thread below which a network is slow for a search.
const SLOW: f64 = 10.0;

/// Memory for the tree of the side search, in bytes.
const ASIDE_MEMORY: usize = 48 << 20;

impl Analyst {
    /// With these numbers, until a request brings others. A network is loaded in the
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
            playing_out: None,
            judgement: None,
            deadline: Deadline::default(),
            refused: None,
        })
    }

    /// Another analyst, with searches of its own, that shares this one's network and what
    /// it remembers.
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
            playing_out: None,
            judgement: None,
            deadline: Deadline::default(),
            refused: None,
        })
    }

    /// So many positions searched at once make good use of this analyst's threads: a large
    /// network evaluates faster what several searches ask for together. Waits for the
    /// network.
    pub fn positions_at_once(&mut self) -> usize {
        let large = |n: Arc<Network>| n.most_at_once(BoardSize::square(19)) > 1;
        match self.network().is_ok_and(large) {
            true => AT_ONCE * self.resources.threads,
            false => self.resources.threads,
        }
    }

    /// Analysts for so many positions at once, at least 1: they share the network, its
    /// memory and this one's threads and memory for trees.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses the search threads.
    pub fn team(&mut self, positions: usize) -> Result<Vec<Analyst>, PoolError> {
        let positions = positions.max(1);
        let resources = Resources {
            // Few positions on many threads: several on each.
            threads: (self.resources.threads / positions).max(1),
            memory: (self.resources.memory / positions).max(1 << 20),
            ..self.resources
        };
        (0..positions).map(|_| self.beside(resources)).collect()
    }

    /// Go on with other resources and numbers. What has been searched is forgotten if
    /// they differ.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses the search threads; everything is as before
    /// then.
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
            self.playing_out = None;
        }
        Ok(())
    }

    /// Search with so many threads, at least 1, from the next request on. What has been
    /// searched is forgotten if there were others.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses them; everything is as before then.
    pub fn use_threads(&mut self, threads: usize) -> Result<(), PoolError> {
        let resources = Resources {
            threads,
            ..self.resources
        };
        self.configure(resources, self.params.clone())
    }

    /// The network with what it remembers, once it has been waited for.
    pub fn evaluator(&self) -> Option<&Arc<NetworkEvaluator>> {
        self.evaluator.as_ref()
    }

    /// What depends on the evaluator in use.
    pub fn profile(&self) -> &'static Profile {
        match (self.uses_network, &self.choice) {
            (true, EvaluatorChoice::Embedded) => &Profile::EMBEDDED,
            (true, _) => &Profile::NETWORK,
            (false, _) => &Profile::PLAYOUTS,
        }
    }

    /// The network in use; waits until it has been loaded.
    ///
    /// # Errors
    /// `None` if there is none, or why it cannot be used.
    pub fn network(&mut self) -> Result<Arc<Network>, Option<NetError>> {
        match self.network.as_mut().map(NetworkFile::get) {
            None => Err(None),
            Some(Ok(network)) => Ok(network.clone()),
            Some(Err(e)) => Err(Some(e.clone())),
        }
    }

    /// Why positions are not evaluated as the settings ask, the first time that this is asked
    /// after it has shown.
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

    /// Did a network evaluate, or playouts, when it was last [made
    /// ready](Analyst::prepare)?
    pub fn uses_network(&self) -> bool {
        self.uses_network
    }

    /// From now on be done by then, with less if need be; with the default take the time
    /// that it takes.
    pub fn set_deadline(&mut self, deadline: Deadline) {
        self.deadline = deadline;
    }

    /// Wait for the network, as long as the deadline allows and `stop` is not raised.
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

    /// Put to use what evaluates boards of this size, and wait for the network if that is
    /// it.
    pub fn prepare(&mut self, size: BoardSize) {
        self.prepare_unless(size, &AtomicBool::new(false));
    }

    /// As [`Analyst::prepare`], but stop waiting for the network when `stop` is raised.
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
            // The threads that there are go on with what they have.
            Err(e) => self.refused = Some(e),
        }
    }

    /// Search with these numbers, or the usual ones. Trees that were grown with others
    /// are forgotten.
    fn use_params(&mut self, params: Option<&SearchParams>) {
        let params = params.unwrap_or(&self.params);
        if *params != self.params_in_use {
            self.params_in_use = params.clone();
            self.search.set_params(&self.params_in_use);
            self.side_search.set_params(&self.params_in_use);
        }
    }

    /// Is everything loaded, so that a request need not wait?
    pub fn is_ready(&self) -> bool {
        self.network.as_ref().is_none_or(NetworkFile::is_here)
    }

    /// Answer a request: search until its limits, the watcher or the stop flag end it,
    /// and tell the watcher from time to time. The last report is returned.
    pub fn run(
        &mut self,
        request: &AnalysisRequest,
        stop: &AtomicBool,
        watcher: &mut Observer<'_>,
    ) -> AnalysisReport {
        let begun = Instant::now();
        self.prepare_unless(request.position.size(), stop);
        self.start(request);
        let raw = self.raw(request);
        let mut schedule = Schedule::new(watcher.interval, watcher.first);
        loop {
            let left = request
                .limits
                .time
                .map(|t| t.saturating_sub(begun.elapsed()));
            let pause = left.map_or(LOOK, |l| l.clamp(Duration::from_micros(200), LOOK));
            let ended = self.search.wait(pause);
            // To make room takes a while that a clock may not have.
            let has_time = left.is_none_or(|left| left > self.time_to_make_room());
            if stop.load(Ordering::Relaxed) || ended && !(has_time && self.search.go_on()) {
                break;
            }
            if schedule.is_due() {
                (watcher.tell)(&AnalysisReport {
                    raw: raw.clone(),
                    ..self.report(request)
                });
            }
            let progress = Progress::new(&*self.search, begun.elapsed());
            if left.is_some_and(|l| l.is_zero()) || (watcher.enough)(&progress) {
                break;
            }
        }
        self.search.finish();
        AnalysisReport {
            raw,
            ..self.report(request)
        }
    }

    /// More than it takes to drop a half of the tree.
    fn time_to_make_room(&self) -> Duration {
        Duration::from_secs(1) * (1 + (self.resources.memory >> 29) as u32)
    }

    /// Answer a request without telling anybody meanwhile.
    pub fn answer(&mut self, request: &AnalysisRequest, stop: &AtomicBool) -> AnalysisReport {
        let mut watcher = Observer {
            interval: None,
            first: None,
            tell: &mut |_| (),
            enough: &mut |_| false,
        };
        self.run(request, stop, &mut watcher)
    }

    /// What the network alone says, if the request asks for it.
    fn raw(&self, request: &AnalysisRequest) -> Option<Box<Output>> {
        let wanted = self.uses_network && request.include.raw;
        let evaluator = self.evaluator.as_ref().filter(|_| wanted)?;
        let puct = Puct::new(evaluator.clone(), self.params_in_use.clone());
        Some(Box::new(puct.raw(&request.position)))
    }

    /// Begin to search for a request in the background.
    pub fn begin(&mut self, request: &AnalysisRequest) {
        self.prepare(request.position.size());
        self.start(request);
    }

    /// Begin to search with what is ready.
    fn start(&mut self, request: &AnalysisRequest) {
        self.use_params(request.params.as_ref());
        self.search.set_focus(request.focus());
        self.search.set_visits(request.limits.visits);
        let playouts = request.limits.playouts.unwrap_or(u64::MAX);
        self.search.start(&request.position, playouts, request.seed);
    }

    /// What is known so far of the request that was begun last.
    pub fn report(&self, request: &AnalysisRequest) -> AnalysisReport {
        AnalysisReport::new(request, self.search.snapshot())
    }

    /// End the search in the background.
    pub fn finish(&mut self) {
        self.search.finish();
    }

    /// Is a search under way in the background?
    pub fn is_busy(&mut self) -> bool {
        self.search.is_running() && !self.search.wait(Duration::ZERO)
    }

    /// Forget the tree.
    pub fn clear(&mut self) {
        self.search.clear();
    }

    /// Forget what has been searched, evaluated and judged.
    pub fn forget(&mut self) {
        self.search.forget();
        self.judgement = None;
    }

    /// Forget what the network said of positions.
    pub fn forget_evaluations(&mut self) {
        self.search.finish();
        if let Some(evaluator) = &self.evaluator {
            evaluator.forget();
        }
    }

    /// Answer a request with one thread and a tree of its own: with a limit of playouts
    /// and nothing remembered of the network it is always the same, unless the deadline
    /// cuts it short. Limits of time do not count.
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

    /// Which chains are alive, in seki or dead, and the count that follows. One
    /// judgement a board: whoever asks gets the same, and passes do not change it.
    pub fn judge(&mut self, position: &Position, care: Thoroughness) -> &Judgement {
        self.search.finish();
        self.prepare(position.size());
        self.use_params(None);
        self.side_search.set_focus(Focus::default());
        self.side_search.set_visits(None);
        let judged = self.judgement.take();
        let judgement = match judged.filter(|j| j.holds(position, care)) {
            Some(mut j) => {
                j.recount(position);
                j
            }
            None => {
                let belief = self.belief(position, care);
                Judgement::of(position, belief, care, self.deadline.answer)
            }
        };
        self.judgement.insert(judgement)
    }

    /// Who owns the points of a position at its end: the evaluator's searches say so, and of
    /// chains that a network leaves in doubt longer ones.
    fn belief(&mut self, position: &Position, care: Thoroughness) -> OwnershipEstimate {
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
            // A slow network would take too long even for the least that it can do.
            return OwnershipEstimate::new(Ownership::default(), Witness::Network);
        }
        let [short, long] = profile.judgement;
        let long = match care {
            Thoroughness::Hasty | Thoroughness::Quick => long / 4,
            Thoroughness::Thorough => long,
        };
        let ownership = played_out(position, &mut *self.side_search, short, until);
        let mut belief = OwnershipEstimate::new(ownership, Witness::Network);
        belief.ask(position.board(), |known| {
            played_out(
                &evened(position, known),
                &mut *self.side_search,
                long,
                until,
            )
        });
        belief
    }

    /// A judgement in no time: by this ownership, Black's, and what is certain without
    /// hypothetical play. Nobody gets it who asks for a better one.
    pub fn judge_hastily(&self, position: &Position, ownership: &Ownership) -> Judgement {
        let now = Some(Instant::now());
        let witness = match self.uses_network {
            true => Witness::Network,
            false => Witness::Playouts,
        };
        let belief = OwnershipEstimate::new(ownership.clone(), witness);
        Judgement::of(position, belief, Thoroughness::Hasty, now)
    }

    /// What a few playouts say that are made on this thread until then: their priors, more
    /// than their results, choose the move.
    pub fn at_once(&mut self, request: &AnalysisRequest, until: Instant) -> AnalysisReport {
        self.search.finish();
        let focus = request.focus();
        let search = self.by_playouts();
        search.clear();
        search.set_focus(focus);
        search.set_visits(None);
        search.run_until(&request.position, u64::MAX, request.seed, until);
        let report = AnalysisReport::new(request, search.snapshot());
        search.clear();
        search.set_focus(Focus::default());
        report
    }

    /// A side search that evaluates with playouts.
    fn by_playouts(&mut self) -> &mut dyn TreeSearch {
        if self.uses_network && self.playing_out.is_none() {
            let params = Rave::new(self.params.clone());
            match Search::new(1, ASIDE_MEMORY, params) {
                Ok(search) => self.playing_out = Some(Box::new(search)),
                Err(e) => self.refused = Some(e),
            }
        }
        match self.playing_out.as_mut().filter(|_| self.uses_network) {
            Some(search) => &mut **search,
            None => &mut *self.side_search,
        }
    }

    /// What the network says of a position: raw outputs in one symmetry, with this
    /// weight of the optimistic policy.
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
        let query = Query {
            symmetry,
            optimism: optimism.unwrap_or(self.params.root_optimism),
            ..Query::default()
        };
        let mut evaluation = Evaluation::default();
        evaluate(&network, &mut evaluation, position, query);
        Ok(evaluation.output)
    }
}

/// What a network says of a position.
fn evaluate(network: &Network, evaluation: &mut Evaluation, position: &Position, query: Query) {
    let c = position.to_move();
    let legal = |p: Point| position.legality(c, Move::Play(p)).is_ok();
    evaluation.run(network, &Situation::of(position), query, legal);
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
    Ok((game, search(1, ASIDE_MEMORY)?))
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
        // Without a deadline it is waited for, and used from then on.
        analyst.set_deadline(Deadline::default());
        analyst.prepare(size);
        assert!(begun.elapsed() >= Duration::from_secs(2));
        assert!(analyst.uses_network);
    }

    #[test]
    fn a_slow_network_is_told_of_once_unless_it_is_the_one_in_the_program() {
        let mut analyst = analyst();
        analyst.prepare(BoardSize::square(9));
        let evaluator = analyst.evaluator().unwrap().clone();
        evaluator.pretend(50, Duration::from_secs(10));
        assert!(analyst.complaint().is_none());
        analyst.choice = EvaluatorChoice::File("large.bin.gz".into());
        evaluator.pretend(3, Duration::from_secs(10));
        assert!(analyst.complaint().is_none(), "the first may take longer");
        evaluator.pretend(50, Duration::from_secs(5));
        assert!(analyst.complaint().is_none(), "as fast as it need be");
        evaluator.pretend(50, Duration::from_secs(10));
        let told = analyst.complaint().unwrap().to_string();
        assert!(
            told.starts_with("network large.bin.gz makes 5.0 evaluations"),
            "{told}"
        );
        assert!(analyst.complaint().is_none());
    }

    #[test]
    fn refused_threads_change_nothing_and_are_told() {
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
        // Another evaluator cannot be put to use.
        analyst.resources.threads = crate::search::REFUSED;
        analyst.prepare(BoardSize::square(25));
        let told = analyst.complaint().unwrap().to_string();
        assert!(
            told.contains("search threads") && told.contains("as before"),
            "{told}"
        );
        assert!(analyst.complaint().is_none());
    }

    #[test]
    fn a_judgement_in_haste_is_remembered_for_nobody() {
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
