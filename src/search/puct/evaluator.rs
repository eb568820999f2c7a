//! A network that several searches share, with what it remembers.

use super::cache::{EvaluationCache, key};
use crate::net::{Evaluation, Network, Query, Situation, Symmetry};
use crate::types::{POINTS, Point, locked};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Evaluations that show how long one takes; the first is slower than others.
const ENOUGH: u32 = 4;

/// A network and its cache of evaluations.
#[derive(Debug)]
pub struct NetworkEvaluator {
    network: Arc<Network>,
    cache: EvaluationCache,
    /// Buffers that nobody uses at present.
    spare: Mutex<Vec<Evaluation>>,
    /// Evaluations so far, and how long they took together.
    used: Mutex<(u32, Duration)>,
    /// Has [`NetworkEvaluator::slowness`] returned a rate?
    told: AtomicBool,
}

/// In which symmetries a position is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symmetries {
    /// The first; without it any, but always the same for the same position.
    pub first: Option<u8>,
    /// How many, from 1 to 8: the mean of so many evaluations.
    pub times: u8,
}

impl NetworkEvaluator {
    /// With so many bytes for evaluations to remember.
    pub fn new(network: Arc<Network>, cache: usize) -> NetworkEvaluator {
        NetworkEvaluator {
            network,
            cache: EvaluationCache::new(cache),
            spare: Mutex::default(),
            used: Mutex::default(),
            told: AtomicBool::default(),
        }
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// What one thread needs to evaluate positions; to be [given
    /// back](NetworkEvaluator::give_back) when it has finished.
    pub fn take(&self) -> Evaluation {
        locked(&self.spare).pop().unwrap_or_default()
    }

    /// A thread has finished.
    pub fn give_back(&self, evaluation: Evaluation) {
        locked(&self.spare).push(evaluation);
    }

    /// Forget all evaluations.
    pub fn forget(&self) {
        self.cache.clear();
    }

    /// The evaluations a second that a thread makes, once it has shown that they are fewer
    /// than `least`; `None` after the first time.
    pub fn slowness(&self, least: f64) -> Option<f64> {
        let (evaluations, time) = *locked(&self.used);
        let rate = f64::from(evaluations) / time.as_secs_f64();
        let slow = evaluations >= ENOUGH && rate < least;
        (slow && !self.told.swap(true, Relaxed)).then_some(rate)
    }

    /// Pretend that these evaluations took this time.
    #[cfg(test)]
    pub(crate) fn pretend(&self, evaluations: u32, time: Duration) {
        *locked(&self.used) = (evaluations, time);
    }

    /// Evaluate a situation in which these plays are allowed; `evaluation` holds the
    /// output. The symmetry of the query does not count.
    pub fn evaluate(
        &self,
        s: &Situation,
        legal: &[Point],
        mut query: Query,
        symmetries: Symmetries,
        evaluation: &mut Evaluation,
    ) {
        let key = key(s, query, symmetries);
        query.symmetry = symmetries.first.unwrap_or((key >> 61) as u8);
        let size = s.board.size();
        if self.cache.get(key, size, &mut evaluation.output) {
            return;
        }
        let mut allowed = [false; POINTS];
        for p in legal {
            allowed[p.index()] = true;
        }
        let allowed = |p: Point| allowed[p.index()];
        let dims = (usize::from(size.width()), usize::from(size.height()));
        let different = Symmetry::count(dims);
        let times = symmetries.times.min(different);
        let begun = Instant::now();
        let first = evaluation.run(&self.network, s, query, allowed);
        if times > 1 {
            let mut sum = first.clone();
            for i in 1..times {
                let turned = Query {
                    symmetry: (query.symmetry + i) % different,
                    ..query
                };
                sum.add(evaluation.run(&self.network, s, turned, allowed));
            }
            sum.divide(f32::from(times));
            evaluation.output = sum;
        }
        let mut used = locked(&self.used);
        used.0 += u32::from(times);
        used.1 += begun.elapsed();
        drop(used);
        self.cache.put(key, size, &mut evaluation.output);
    }
}
