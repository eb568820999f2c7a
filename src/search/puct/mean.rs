//! The value of a position from the values of its moves.

use super::Puct;
use super::statistics::Mean;
use super::utility::Utility;
use crate::search::node::NodeId;
use crate::search::{LeafValue, Visit};
use crate::types::Color;

/// Standard deviation of a mean of weight 1 (KataGo's constant). It falls with the fourth
/// root of the weight: slowly, since all evaluations in a subtree have similar errors.
const DEVIATION: f32 = 0.816;

/// Scale at which the logistic function differs from the normal distribution function by at
/// most 0.01.
const LOGISTIC: f32 = 1.702;

impl Puct {
    /// Weight of an evaluation in a mean.
    pub(super) fn weight(&self, value: &LeafValue, utility: &Utility) -> f32 {
        let [value_error, score_error] = value.errors;
        let certainty = self.params.uncertainty;
        if certainty == 0.0 || value_error < 0.0 {
            return 1.0;
        }
        let error = value_error + utility.slope(value.lead) * score_error;
        certainty / (error + certainty / self.params.uncertainty_most)
    }

    /// The mean over a node and its subtree, for the player who made the node's move. `below`
    /// is a buffer.
    pub(super) fn mean_of(
        &self,
        visit: &Visit<'_, Puct>,
        node: NodeId,
        mover: Color,
        below: &mut Vec<Mean>,
    ) -> Mean {
        let params = &self.params;
        let (mut all, mut arrived) = (Mean::default(), 0);
        below.clear();
        for child in visit.tree.children(node) {
            let mean = child.statistics.mean();
            arrived += child.statistics.arrived();
            if mean.weight > 0.0 {
                below.push(mean.turned());
                all = all.with(mean.turned());
            }
        }
        if params.value_weights > 0.0 && below.len() > 1 {
            all = Self::weighted_by_value(visit.context, mover, below, all, params.value_weights);
        }
        let known = &visit.tree.node(node).statistics;
        let mut own = known.own();
        if let Some(bucket) = known.bucket() {
            if all.weight > 0.0 {
                let weight = all.weight.powf(params.bias_power);
                let (wins, lead) = (all.wins - own.wins, all.lead - own.lead);
                let more = known.replace_bias_sums([weight * wins, weight * lead, weight]);
                self.bias.add(bucket, more);
            }
            let [wins, lead] = self.bias.of(bucket);
            own.wins = (own.wins + params.bias_correction * wins).clamp(0.0, 1.0);
            own.lead += params.bias_correction * lead;
        }
        let utility = visit.context.of(mover, own.wins, own.lead);
        own.squares = utility * utility;
        let mut mean = all.with(own);
        if params.graph > 0 {
            // Count only the share of the visits below that came through this node.
            mean.weight *= (known.arrived() as f32 / (arrived + 1) as f32).min(1.0);
        }
        mean
    }

    /// The mean in which a move counts less if it is unlikely to be as good as the average
    /// move. The total weight is unchanged.
    fn weighted_by_value(
        utility: &Utility,
        mover: Color,
        below: &[Mean],
        all: Mean,
        power: f32,
    ) -> Mean {
        // Values are for `mover`, but the opponent chooses among these moves.
        let of = |m: &Mean| -utility.of(mover, m.wins, m.lead);
        let mean = of(&all);
        let weighed = below.iter().map(|m| {
            let deviation = DEVIATION / m.weight.sqrt().sqrt();
            let chance = 1.0 / (1.0 + (-LOGISTIC * (of(m) - mean) / deviation).exp());
            Mean {
                weight: m.weight * (chance + 1e-4).powf(power),
                ..*m
            }
        });
        Mean {
            weight: all.weight,
            ..weighed.fold(Mean::default(), Mean::with)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::puct::PuctParams;

    fn context() -> Utility {
        Utility::new(&PuctParams::default(), 81, 0.0, 8.0)
    }

    fn of(wins: f32, weight: f32) -> Mean {
        Mean {
            wins,
            weight,
            ..Mean::default()
        }
    }

    #[test]
    fn weighted_means_combine() {
        let parts = [of(0.25, 1.0), of(0.5, 2.0), of(1.0, 1.0)];
        let all = parts.into_iter().fold(Mean::default(), Mean::with);
        assert_eq!((all.wins, all.weight), (0.5625, 4.0));
        assert_eq!((all.turned().wins, all.turned().weight), (0.4375, 4.0));
        assert_eq!(all.with(Mean::default()), all);
    }

    #[test]
    fn moves_bad_for_their_player_count_less() {
        for mover in Color::BOTH {
            // Values are for the player who moved, so the opponent prefers the first.
            let below = [of(0.2, 10.0), of(0.9, 10.0)];
            let all = below[0].with(below[1]);
            let weighed = |power| Puct::weighted_by_value(&context(), mover, &below, all, power);
            assert!((weighed(0.0).wins - all.wins).abs() < 1e-6);
            assert!(weighed(0.25).wins < all.wins - 0.05);
            assert!(weighed(1.0).wins < weighed(0.25).wins);
            assert!(weighed(1.0).wins > 0.2);
            assert_eq!(weighed(1.0).weight, 20.0);
        }
    }

    #[test]
    fn slope_is_the_derivative_of_the_utility() {
        let u = Utility::new(&PuctParams::default(), 361, 7.0, 12.0);
        for lead in [-30.0, -1.0, 0.0, 5.0, 20.0] {
            let step = u.of(Color::Black, 0.5, lead + 0.5) - u.of(Color::Black, 0.5, lead - 0.5);
            assert!((step - u.slope(lead)).abs() < 1e-4, "{lead}");
        }
    }
}
