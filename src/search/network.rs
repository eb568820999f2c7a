//! Leaves judged by a network, and what is remembered of them.

use super::leaf::{Evaluator, Leaf, LeafValue, NetJudge, Scratch};
use super::node::Prior;
use super::params::SearchParams;
use super::tree::NewChild;
use crate::net::{Evaluation, Network, Output, Query, Situation, Symmetry};
use crate::types::{BoardSize, Color, Generator, Move, POINTS, Point};
use std::sync::{Arc, Mutex, PoisonError};

/// A network at the leaves.
#[derive(Debug)]
pub struct NetworkEvaluator {
    network: Arc<Network>,
    params: SearchParams,
    cache: EvaluationCache,
    /// Of workers that have finished.
    spare: Mutex<Vec<Evaluation>>,
}

impl NetworkEvaluator {
    /// With so many bytes for evaluations to remember.
    pub fn new(network: Arc<Network>, params: SearchParams, cache: usize) -> NetworkEvaluator {
        NetworkEvaluator {
            network,
            params,
            cache: EvaluationCache::new(cache),
            spare: Mutex::default(),
        }
    }

    /// One that nobody uses, or a new one.
    fn spare(&self) -> Evaluation {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let known = spare.pop();
        drop(spare);
        known.unwrap_or_else(|| Evaluation::new(&self.network))
    }

    /// Evaluate a situation, at the root in as many symmetries as the parameters
    /// say; `judge` holds the result.
    pub fn evaluate(&self, s: &Situation, is_root: bool, legal: &[Point], judge: &mut NetJudge) {
        let params = &self.params;
        let mut query = Query {
            symmetry: 0,
            optimism: params.optimism,
            temperature: params.policy_temperature,
        };
        let mut times = 1;
        if is_root {
            query.optimism = params.root_optimism;
            query.temperature = params.root_policy_temperature;
            times = params.root_symmetries.clamp(1.0, 8.0) as u8;
        }
        let key = key(s, query, times);
        let fixed = params.symmetry;
        query.symmetry = match fixed {
            n if n >= 0.0 => n as u8,
            // Any will do, but always the same one for the same position.
            _ => (key >> 61) as u8,
        };
        let size = s.board.size();
        let evaluation = judge.evaluation.get_or_insert_with(|| self.spare());
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
        let times = times.min(different);
        if times > 1 {
            let mut sum: Option<Output> = None;
            for i in 0..times {
                let turned = Query {
                    symmetry: (query.symmetry + i) % different,
                    ..query
                };
                let output = evaluation.run(&self.network, s, turned, allowed);
                match &mut sum {
                    Some(sum) => sum.add(output),
                    None => sum = Some(output.clone()),
                }
            }
            if let Some(mut sum) = sum {
                sum.divide(f32::from(times));
                evaluation.output = sum;
            }
        } else {
            evaluation.run(&self.network, s, query, allowed);
        }
        self.cache.put(key, size, &evaluation.output);
    }
}

impl NetworkEvaluator {
    /// See that the leaf has been evaluated.
    fn judge<'a>(&self, leaf: &Leaf<'_>, judge: &'a mut NetJudge) -> Option<&'a Output> {
        if !judge.done {
            let situation = leaf.situation?;
            self.evaluate(situation, leaf.is_root, leaf.legal, judge);
            judge.done = true;
        }
        judge.output()
    }
}

impl Evaluator for NetworkEvaluator {
    fn judges_at_once(&self) -> bool {
        true
    }

    fn forget(&self) {
        for slot in &self.cache.slots {
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    fn done(&self, scratch: &mut Scratch) {
        if let Some(evaluation) = scratch.net.evaluation.take() {
            let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
            spare.push(evaluation);
        }
    }

    fn priors(&self, leaf: &Leaf<'_>, children: &mut [NewChild], scratch: &mut Scratch) {
        let Scratch { net, rng, .. } = scratch;
        let Some(output) = self.judge(leaf, net) else {
            return;
        };
        let policy = |m: Move| match m {
            Move::Play(p) => output.policy[p.index()].max(0.0),
            Move::Pass => output.pass,
        };
        for child in children.iter_mut() {
            child.prior = Prior::Policy(policy(child.mv));
        }
        if leaf.is_root && self.params.root_noise > 0.0 {
            add_noise(children, self.params.root_noise, rng);
        }
    }

    fn value(&self, leaf: &Leaf<'_>, scratch: &mut Scratch) -> LeafValue {
        scratch.moves += 1;
        let Some(output) = self.judge(leaf, &mut scratch.net) else {
            return LeafValue::of_margin(0.0);
        };
        let value = LeafValue {
            black_wins: output.black_wins + 0.5 * output.no_result,
            margin: output.lead,
            deviation: output.deviation,
            no_result: output.no_result,
        };
        scratch.net.add_ownership(&mut scratch.ownership);
        value
    }
}

/// Mix priors with a share of chance: a point drawn evenly from all distributions
/// (Dirichlet's with parameter 1).
fn add_noise(children: &mut [NewChild], share: f32, rng: &mut Generator) {
    let chances: Vec<f32> = children
        .iter()
        .map(|_| -rng.unit().max(f32::MIN_POSITIVE).ln())
        .collect();
    let sum: f32 = chances.iter().sum();
    for (child, chance) in children.iter_mut().zip(chances) {
        if let Prior::Policy(p) = &mut child.prior {
            *p = (1.0 - share) * *p + share * chance / sum;
        }
    }
}

/// All that an evaluation depends on, but for the order of the last moves.
fn key(s: &Situation, query: Query, times: u8) -> u64 {
    let mut key = s.board.hash();
    let mut mix = |x: u64| {
        // SplitMix64's finaliser (Steele, Lea and Flood 2014).
        let mut z = (key ^ x).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        key = z ^ (z >> 31);
    };
    let size = s.board.size();
    mix(u64::from(size.width()) << 8 | u64::from(size.height()));
    mix(s.to_move.index() as u64
        | u64::from(s.pass_ends) << 1
        | u64::from(s.button) << 2
        | u64::from(s.ended) << 3
        | u64::from(s.recent.is_empty()) << 4
        | u64::from(s.recent.first() == Some(&Move::Pass)) << 5
        | u64::from(times) << 8);
    mix(u64::from(s.bonus.to_bits()));
    mix(u64::from(query.optimism.to_bits()) << 32 | u64::from(query.temperature.to_bits()));
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

/// A remembered evaluation.
#[derive(Debug, Default)]
struct Known {
    key: u64,
    /// Of the points, then of the pass.
    policy: Vec<f32>,
    /// In units of 1/127.
    ownership: Vec<i8>,
    black_wins: f32,
    no_result: f32,
    lead: f32,
    deviation: f32,
}

/// Evaluations by their key, each in the one place that its key has.
#[derive(Debug)]
struct EvaluationCache {
    slots: Vec<Mutex<Option<Box<Known>>>>,
}

/// Most bytes of an evaluation: that of the largest board.
const KNOWN: usize = BoardSize::MAX as usize * BoardSize::MAX as usize * 5 + 160;

impl EvaluationCache {
    fn new(bytes: usize) -> EvaluationCache {
        let slots = bytes / KNOWN;
        EvaluationCache {
            slots: (0..slots).map(|_| Mutex::default()).collect(),
        }
    }

    fn slot(&self, key: u64) -> Option<&Mutex<Option<Box<Known>>>> {
        let n = self.slots.len() as u64;
        self.slots.get(key.checked_rem(n)? as usize)
    }

    /// Write what is known under a key, if anything, into an output.
    fn get(&self, key: u64, size: BoardSize, to: &mut Output) -> bool {
        let Some(slot) = self.slot(key) else {
            return false;
        };
        let slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = slot.as_ref().filter(|k| k.key == key) else {
            return false;
        };
        for ((p, policy), own) in size.points().zip(&known.policy).zip(&known.ownership) {
            to.policy[p.index()] = *policy;
            to.ownership[p.index()] = f32::from(*own) / 127.0;
        }
        to.pass = known.policy.last().copied().unwrap_or(0.0);
        to.black_wins = known.black_wins;
        to.no_result = known.no_result;
        to.white_wins = 1.0 - known.black_wins - known.no_result;
        to.lead = known.lead;
        to.deviation = known.deviation;
        true
    }

    fn put(&self, key: u64, size: BoardSize, output: &Output) {
        let Some(slot) = self.slot(key) else {
            return;
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let known = slot.get_or_insert_default();
        known.key = key;
        known.policy.clear();
        known.ownership.clear();
        for p in size.points() {
            known.policy.push(output.policy[p.index()]);
            known
                .ownership
                .push((output.ownership[p.index()] * 127.0).round() as i8);
        }
        known.policy.push(output.pass);
        known.black_wins = output.black_wins;
        known.no_result = output.no_result;
        known.lead = output.lead;
        known.deviation = output.deviation;
    }
}

/// What a result is worth, from −1 to 1 for win and loss and up to 0.4 more for the
/// margin: the constants are KataGo's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Utility {
    /// Weights of the margin itself, and of what it is more than expected.
    pub weights: [f32; 2],
    /// Half widths of the two functions, in points.
    pub widths: [f32; 2],
    /// Where the second has its centre, Black's margin in points.
    pub center: f32,
}

impl Utility {
    /// On a board of so many points, where Black is expected to lead by so much,
    /// give or take the deviation.
    pub fn new(params: &SearchParams, area: usize, lead: f32, deviation: f32) -> Utility {
        let root = (area as f32).sqrt();
        // A margin is not known exactly: the mean of an arc tangent over a normal
        // distribution is nearly one of the width of Voigt's profile (Olivero and
        // Longbothum 1977).
        let wide = |w: f32| {
            let sigma = 1.1775 * deviation;
            0.5346 * w + (0.2166 * w * w + sigma * sigma).sqrt()
        };
        let center = 0.8 * lead;
        let far = 0.75 * root;
        Utility {
            weights: [params.score_static, params.score_dynamic],
            widths: [wide(2.0 * root), wide(0.75 * root)],
            center: center.clamp(lead - far, lead + far),
        }
    }

    /// Of a win probability and a lead of `c`.
    #[inline]
    pub fn of(&self, c: Color, wins: f32, lead: f32) -> f32 {
        let center = c.sign() as f32 * self.center;
        let share = |x: f32, width: f32| std::f32::consts::FRAC_2_PI * (x / width).atan();
        2.0 * wins - 1.0
            + self.weights[0] * share(lead, self.widths[0])
            + self.weights[1] * share(lead - center, self.widths[1])
    }
}
