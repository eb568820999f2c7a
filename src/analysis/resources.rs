//! Resources of an analyst: threads, memory and a network.

use super::evaluator::NetworkFile;
use super::judgement::count;
use super::{Analyst, Deadline, EvaluatorChoice};
use crate::net::Network;
use crate::search::{NetworkEvaluator, PoolError, Puct, Rave, Search, SearchParams, TreeSearch};
use crate::types::BoardSize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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

/// Positions searched at once per thread with a large network, whose weights they share. As
/// measured, more of them gain little and slow each one down.
const AT_ONCE: usize = 4;

/// Memory for the tree of the side search, in bytes.
pub(super) const SIDE_MEMORY: usize = 48 << 20;

impl Analyst {
    /// Create an analyst with these parameters for requests without their own. A network is loaded
    /// in the background; the first request waits for it.
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
            immediate_search: None,
            judgement: None,
            deadline: Deadline::default(),
            refused: None,
        })
    }

    /// Create another analyst with its own searches that shares this one's network and cache.
    /// Waits for the network until it is loaded, its deadline has passed or `stop` is set. If it is
    /// not loaded then, or cannot be, the other analyst has none.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses the search threads.
    pub fn sharing_network(
        &mut self,
        resources: Resources,
        stop: &AtomicBool,
    ) -> Result<Analyst, PoolError> {
        self.load(stop);
        let params = self.params.clone();
        Ok(Analyst {
            evaluator: self.evaluator.clone(),
            choice: self.choice.clone(),
            ..Analyst::new(&EvaluatorChoice::Playouts, resources, params)?
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
            // With more threads than positions, each position gets several.
            threads: (self.resources.threads / positions).max(1),
            memory: (self.resources.memory / positions).max(1 << 20),
            ..self.resources
        };
        let never = AtomicBool::new(false);
        (0..positions)
            .map(|_| self.sharing_network(resources, &never))
            .collect()
    }

    /// Change resources and parameters. If they differ, results of earlier searches are dropped.
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
            self.immediate_search = None;
        }
        Ok(())
    }

    /// Tree memory that is still free, in bytes, but at least an eighth of the whole. It is for
    /// searches that leave the tree in place.
    pub fn spare_memory(&self) -> usize {
        let memory = self.resources.memory;
        memory.saturating_sub(self.search.bytes()).max(memory / 8)
    }

    /// Set the number of search threads, at least 1. If it changes, results of earlier searches are
    /// dropped.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses them; then nothing has changed.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), PoolError> {
        let resources = Resources {
            threads,
            ..self.resources
        };
        self.configure(resources, self.params.clone())
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

    /// Switch to the evaluator for boards of this size. If that is the network, wait for it.
    pub fn prepare(&mut self, size: BoardSize) {
        self.prepare_or_stop(size, &AtomicBool::new(false));
    }

    /// [`Analyst::prepare`], but stop waiting for the network when `stop` is set.
    pub fn prepare_or_stop(&mut self, size: BoardSize, stop: &AtomicBool) {
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

    /// Search with these parameters, or the analyst's own. Trees grown with other parameters are
    /// dropped.
    pub(super) fn apply_params(&mut self, params: Option<&SearchParams>) {
        let params = params.unwrap_or(&self.params);
        if *params != self.params_in_use {
            self.params_in_use = params.clone();
            self.search.set_params(&self.params_in_use);
            self.side_search.set_params(&self.params_in_use);
        }
    }
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
            None => {
                let policy = Rave::new(params.rave.clone());
                Box::new(Search::new(threads, memory, policy)?)
            }
            Some(evaluator) => {
                let policy = Puct::new(evaluator.clone(), params.puct.clone()).counting_by(count);
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
    use crate::analysis::{AnalysisRequest, Limits};
    use crate::position::Position;
    use crate::rules::Ruleset;
    use std::sync::atomic::Ordering;
    use std::thread;
    use std::time::{Duration, Instant};

    impl Analyst {
        /// A small analyst for tests: one thread, and no cache.
        pub(crate) fn of_test(choice: EvaluatorChoice) -> Analyst {
            let resources = Resources {
                threads: 1,
                memory: 1 << 20,
                cache: 0,
            };
            Analyst::new(&choice, resources, SearchParams::default()).unwrap()
        }
    }

    #[test]
    fn an_analyst_names_the_network_that_it_shares() {
        let mut analyst = Analyst::of_test(EvaluatorChoice::Embedded);
        let never = AtomicBool::new(false);
        let mut other = analyst.sharing_network(analyst.resources, &never).unwrap();
        let mut member = other.team(2).unwrap().remove(0);
        let network = analyst.network().unwrap();
        assert!(Arc::ptr_eq(&network, &other.network().unwrap()));
        assert!(Arc::ptr_eq(&network, &member.network().unwrap()));
    }

    /// A large network takes seconds to load; an abort of the analysis must not.
    #[test]
    fn an_analysis_ends_while_its_network_is_loading() {
        let mut analyst = Analyst::of_test(EvaluatorChoice::Embedded);
        analyst.network = Some(NetworkFile::slow(Duration::from_secs(60)));
        let size = BoardSize::square(9);
        let request = AnalysisRequest::new(Position::new(size, Ruleset::default()));
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(50));
                stop.store(true, Ordering::Relaxed);
            });
            analyst.answer(&request, &stop);
        });
        assert!(!analyst.uses_network, "it did not wait");
        let other = analyst.sharing_network(analyst.resources, &stop);
        assert!(other.unwrap().evaluator.is_none(), "this did not either");
    }

    #[test]
    fn a_clock_does_not_wait_for_a_network_that_is_still_being_loaded() {
        let mut analyst = Analyst::of_test(EvaluatorChoice::Embedded);
        analyst.network = Some(NetworkFile::slow(Duration::from_secs(2)));
        let size = BoardSize::square(9);
        let request = AnalysisRequest {
            limits: Limits::of_playouts(20),
            ..AnalysisRequest::new(Position::new(size, Ruleset::default()))
        };
        let begun = Instant::now();
        analyst.set_deadline(Deadline {
            network: Some(begun + Duration::from_millis(50)),
            answer: None,
        });
        let report = analyst.answer(&request, &AtomicBool::new(false));
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
        let mut analyst = Analyst::of_test(EvaluatorChoice::Embedded);
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
        let mut analyst = Analyst::of_test(EvaluatorChoice::Embedded);
        let size = BoardSize::square(9);
        analyst.prepare(size);
        let before = (analyst.resources, analyst.params.clone());
        let network = analyst.evaluator().unwrap().clone();
        let resources = Resources {
            threads: crate::search::REFUSED,
            cache: 1 << 20,
            ..analyst.resources
        };
        let mut params = SearchParams::default();
        params.puct.cpuct = 3.0;
        assert!(analyst.configure(resources, params).is_err());
        assert_eq!((analyst.resources, analyst.params.clone()), before);
        assert!(Arc::ptr_eq(analyst.evaluator().unwrap(), &network));
        assert!(analyst.complaint().is_none());
        // Switching to another evaluator fails too.
        analyst.resources.threads = crate::search::REFUSED;
        analyst.prepare(BoardSize::square(5));
        let complaint = analyst.complaint().unwrap().to_string();
        assert!(
            complaint.contains("search threads") && complaint.contains("as before"),
            "{complaint}"
        );
        assert!(analyst.complaint().is_none());
    }
}
