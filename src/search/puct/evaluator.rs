//! A network that several searches share, with what it remembers.

use super::cache::{EvaluationCache, key};
use crate::net::{Evaluation, Network, Query, Situation, Symmetry};
use crate::types::{POINTS, Point, locked};
use std::sync::{Arc, Mutex};

/// A network and its cache of evaluations.
#[derive(Debug)]
pub struct NetworkEvaluator {
    network: Arc<Network>,
    cache: EvaluationCache,
    /// Buffers that nobody uses at present.
    spare: Mutex<Vec<Evaluation>>,
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
        self.cache.put(key, size, &mut evaluation.output);
    }
}
