//! A network and its cache, shared by several searches.

use super::cache::EvaluationCache;
use crate::net::{Evaluation, EvaluationOptions, Network, Output, RECENT, Situation, Symmetry};
use crate::types::{BoardSize, GOLDEN, Move, Point, PointSet, splitmix};
use crate::util::locked;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Number of evaluations needed to measure their speed; the first is slower than others.
const MIN_EVALUATIONS: u32 = 4;

/// A network and its cache of evaluations.
#[derive(Debug)]
pub struct NetworkEvaluator {
    network: Arc<Network>,
    cache: EvaluationCache,
    /// Unused buffers.
    spare: Mutex<Vec<Evaluation>>,
    /// Number of evaluations so far, and their total time.
    used: Mutex<(u32, Duration)>,
    /// Has [`NetworkEvaluator::slowness`] returned a rate?
    reported: AtomicBool,
}

/// Symmetries in which a position is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symmetries {
    /// The first symmetry. If `None`, the position's hash decides it.
    pub first: Option<u8>,
    /// Number of symmetries, from 1 to 8, whose outputs are averaged.
    pub times: u8,
}

impl NetworkEvaluator {
    /// Create an evaluator with a cache of `cache` bytes.
    pub fn new(network: Arc<Network>, cache: usize) -> NetworkEvaluator {
        NetworkEvaluator {
            network,
            cache: EvaluationCache::new(cache),
            spare: Mutex::default(),
            used: Mutex::default(),
            reported: AtomicBool::default(),
        }
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Take the buffers of one evaluation. [Give them back](NetworkEvaluator::give_back) after use.
    pub fn take(&self) -> Evaluation {
        locked(&self.spare).pop().unwrap_or_default()
    }

    /// Give back buffers.
    pub fn give_back(&self, evaluation: Evaluation) {
        locked(&self.spare).push(evaluation);
    }

    /// Clear the cache.
    pub fn clear_cache(&self) {
        self.cache.clear();
    }

    /// Evaluations per second of a thread, if measured and below `least`. A rate is returned
    /// only once.
    pub fn slowness(&self, least: f64) -> Option<f64> {
        let (evaluations, time) = *locked(&self.used);
        let rate = f64::from(evaluations) / time.as_secs_f64();
        let slow = evaluations >= MIN_EVALUATIONS && rate < least;
        (slow && !self.reported.swap(true, Relaxed)).then_some(rate)
    }

    /// Pretend that these evaluations took this time.
    #[cfg(test)]
    pub(crate) fn pretend(&self, evaluations: u32, time: Duration) {
        *locked(&self.used) = (evaluations, time);
    }

    /// Begin to evaluate a situation in which plays on the points `legal` are allowed; the symmetry
    /// of the options is ignored. The network must still [run](NetworkEvaluator::run), and its
    /// outputs be [read](NetworkEvaluator::read). Returns `None` if `evaluation` already has the
    /// result, because it was cached or is the mean over several symmetries.
    pub(super) fn prepare(
        &self,
        s: &Situation,
        legal: &[Point],
        mut options: EvaluationOptions,
        symmetries: Symmetries,
        evaluation: &mut Evaluation,
    ) -> Option<Prepared> {
        let key = key(s, options, symmetries);
        options.symmetry = symmetries.first.unwrap_or((key >> 61) as u8);
        let size = s.board.size();
        if self.cache.get(key, size, &mut evaluation.output) {
            return None;
        }
        let allowed: PointSet = legal.iter().collect();
        let allowed = |p: Point| allowed.contains(p);
        let different = Symmetry::count(size.dims());
        let times = symmetries.times.min(different);
        if times <= 1 {
            evaluation.prepare(&self.network, s, options, allowed);
            return Some(Prepared { key, options });
        }
        let mut sum: Option<Output> = None;
        for i in 0..times {
            let turned = EvaluationOptions {
                symmetry: (options.symmetry + i) % different,
                ..options
            };
            evaluation.prepare(&self.network, s, turned, allowed);
            self.run(size, &mut [evaluation]);
            let output = evaluation.read(&self.network, s, turned, allowed);
            match &mut sum {
                Some(sum) => sum.add(output),
                None => sum = Some(output.clone()),
            }
        }
        if let Some(mut sum) = sum {
            sum.divide(f32::from(times));
            evaluation.output = sum;
        }
        self.cache.put(key, size, &mut evaluation.output);
        None
    }

    /// Run the network on evaluations that have been prepared, all on boards of this size.
    pub(super) fn run(&self, size: BoardSize, prepared: &mut [&mut Evaluation]) {
        let begun = Instant::now();
        self.network.evaluate(size, prepared);
        let mut used = locked(&self.used);
        used.0 += prepared.len() as u32;
        used.1 += begun.elapsed();
    }

    /// Read an evaluation that has been prepared for this situation and run.
    pub(super) fn read(
        &self,
        s: &Situation,
        legal: &[Point],
        prepared: Prepared,
        evaluation: &mut Evaluation,
    ) {
        let allowed: PointSet = legal.iter().collect();
        evaluation.read(&self.network, s, prepared.options, |p| allowed.contains(p));
        let size = s.board.size();
        self.cache.put(prepared.key, size, &mut evaluation.output);
    }
}

/// An evaluation that [`NetworkEvaluator::prepare`] has begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prepared {
    /// Its key in the cache.
    key: u64,
    options: EvaluationOptions,
}

/// Hash of what an evaluation depends on, except the two earlier boards and the recent moves. Of
/// these it includes only their number and whether the last was a pass.
fn key(s: &Situation, options: EvaluationOptions, symmetries: Symmetries) -> u64 {
    let mut key = s.board.hash();
    let mut mix = |x: u64| key = splitmix((key ^ x).wrapping_add(GOLDEN));
    let size = s.board.size();
    mix(u64::from(size.width()) << 8 | u64::from(size.height()));
    mix(s.to_move.index() as u64
        | u64::from(s.pass_ends) << 1
        | u64::from(s.button) << 2
        | u64::from(s.ended) << 3
        | u64::from(s.recent.is_empty()) << 4
        | u64::from(s.recent.first() == Some(&Move::Pass)) << 5
        | u64::from(symmetries.times) << 8
        | (RECENT.saturating_sub(s.recent.len()) as u64) << 16
        | symmetries.first.map_or(0, |first| u64::from(first) + 1) << 24);
    mix(u64::from(s.bonus.to_bits()));
    mix(u64::from(options.optimism.to_bits()) << 32 | u64::from(options.temperature.to_bits()));
    for p in &s.banned {
        mix(u64::from(p.raw()));
    }
    let rules = &s.rules;
    mix(rules.ko as u64
        | (rules.suicide as u64) << 8
        | (rules.scoring as u64) << 16
        | (rules.tax as u64) << 24
        | (rules.settlement as u64) << 32
        | u64::from(rules.pass_costs_stone) << 40);
    key
}
