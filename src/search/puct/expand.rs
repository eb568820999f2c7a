//! Evaluation of a line by the network, and the lists of moves for its node.

use super::statistics::Probability;
use super::{Puct, PuctParams, Scratch, Symmetries};
use crate::net::{EvaluationOptions, Output};
use crate::position::{Line, Position, Root};
use crate::search::policy::{Policy, Visit};
use crate::search::tree::{NewChild, ROOT};
use crate::types::{Generator, Move};
use std::sync::Arc;

/// Below the root, moves with a smaller prior are not kept.
const UNLIKELY: f32 = 1e-4;

impl Puct {
    /// Evaluate the position of the root into the scratch.
    pub(super) fn evaluate_root(&self, line: &Line, s: &mut Scratch) {
        self.prepare_line(line, true, false, s);
        self.evaluate(&mut [s]);
        self.read_line(s);
    }

    /// Prepare the evaluation of the position at the end of a line. If the network need not run,
    /// the scratch has the result already.
    pub(super) fn prepare_line(&self, line: &Line, is_root: bool, ended: bool, s: &mut Scratch) {
        s.situation.set(line);
        if self.params.history == 0 {
            s.situation.forget_before_root(line);
        }
        // The search plays on even if the root is after the end of the game.
        s.situation.ended = false;
        if ended {
            s.situation.forget_passes();
        }
        s.legal.clear();
        let empty = line.board().empty_points().iter().copied();
        s.legal.extend(empty.filter(|&p| line.is_worth_trying(p)));
        // The order of the empty points depends on the order of moves.
        s.legal.sort_unstable_by_key(|p| p.raw());
        let params = &self.params;
        let (mut options, mut times) = (
            EvaluationOptions {
                symmetry: 0,
                optimism: params.optimism,
                temperature: params.policy_temperature,
            },
            1,
        );
        if is_root {
            options.optimism = params.root_optimism;
            options.temperature = params.root_policy_temperature;
            times = params.root_symmetries;
        }
        let symmetries = Symmetries {
            first: params.fixed_symmetry(),
            times,
        };
        let (situation, evaluation) = (&s.situation, &mut s.evaluation);
        s.prepared = self
            .evaluator
            .prepare(situation, &s.legal, options, symmetries, evaluation);
    }

    /// Read the evaluation of a [prepared](Puct::prepare_line) line, if the network had to run.
    pub(super) fn read_line(&self, s: &mut Scratch) {
        if let Some(prepared) = s.prepared.take() {
            let evaluation = &mut s.evaluation;
            self.evaluator
                .read(&s.situation, &s.legal, prepared, evaluation);
        }
    }

    /// List the moves with their priors from the last evaluation.
    pub(super) fn list(s: &mut Scratch) {
        let output = &s.evaluation.output;
        let plays = s.legal.iter().map(|&p| NewChild {
            mv: Move::Play(p),
            prior: Probability(output.policy[p.index()].max(0.0)),
        });
        s.children.clear();
        s.children.extend(plays);
        s.children.push(NewChild {
            mv: Move::Pass,
            prior: Probability(output.pass),
        });
    }

    /// List all moves at the root, with noise in their priors if set.
    pub(super) fn list_at_root(&self, s: &mut Scratch) {
        Self::list(s);
        if self.params.root_noise > 0.0 {
            add_noise(&mut s.children, self.params.root_noise, &mut s.rng);
        }
    }

    /// List the moves below the root: all allowed ones where a restriction applies, otherwise
    /// the likelier ones. The others would only take memory.
    pub(super) fn list_below(visit: &Visit<'_, Self>, s: &mut Scratch) {
        Self::list(s);
        let restricted = visit.is_restricted();
        s.children.retain(|n| match restricted {
            true => !visit.forbids(n.mv),
            false => n.prior.0 >= UNLIKELY || n.mv == Move::Pass,
        });
    }

    /// Key under which the last node of the path shares its children; `None` if it does not.
    pub(super) fn key(&self, visit: &Visit<'_, Self>) -> Option<u64> {
        // Restrictions depend on the depth.
        let shares = self.params.graph > 0 && visit.focus.restrictions.is_empty();
        (shares && visit.node() != ROOT).then(|| visit.line.key())?
    }

    /// Evaluate a position with the network alone, without the root's policy temperature.
    /// Returns the search's own evaluation of its root if that is still cached and both policy
    /// temperatures are the same.
    pub fn raw(&self, position: &Position) -> Output {
        let plain = PuctParams {
            root_policy_temperature: self.params.policy_temperature,
            ..self.params.clone()
        };
        let puct = Puct::new(self.evaluator.clone(), plain);
        let mut scratch = puct.scratch(position, 0);
        let line = Line::new(Arc::new(Root::new(position.clone())));
        puct.evaluate_root(&line, &mut scratch);
        let output = scratch.evaluation.output.clone();
        puct.retire(scratch);
        output
    }
}

/// Mix a share of Dirichlet noise (parameter 1: uniform over all distributions) into the
/// priors.
fn add_noise(children: &mut [NewChild<Probability>], share: f32, rng: &mut Generator) {
    let chances: Vec<f32> = children
        .iter()
        .map(|_| -rng.unit().max(f32::MIN_POSITIVE).ln())
        .collect();
    let sum: f32 = chances.iter().sum();
    for (child, chance) in children.iter_mut().zip(chances) {
        let p = &mut child.prior.0;
        *p = (1.0 - share) * *p + share * chance / sum;
    }
}
