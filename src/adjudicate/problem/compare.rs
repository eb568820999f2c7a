//! The choice among moves that kill, none of which is proved.

use super::search::{FACTOR, LOOK, Search};
use super::{Bounds, Problem, ProblemResult};
use crate::types::Color;

impl Problem {
    /// Choose among several moves that kill, none of which is proved: search the wider regions
    /// further, and prefer moves that kill there too. Does nothing for the defender, who has more
    /// room in a wider region.
    pub fn compare(&self, first: Color, found: &mut ProblemResult, bounds: &Bounds) {
        if first == self.defender || !found.proved.is_empty() {
            return;
        }
        let bounds = Bounds {
            memory: bounds.memory / 4,
            ..bounds.clone()
        };
        let mut nodes = LOOK;
        let mut wider: Vec<_> = self.goals.iter().skip(1).collect();
        while !wider.is_empty() && nodes < bounds.nodes {
            wider.retain(|aim| {
                if found.preferred.len() < 2 || bounds.cutoff.is_reached() {
                    return false;
                }
                let mut search = Search::new(self, aim, &bounds);
                let mut confirmed = found.clone();
                let all_settled = search.confirm(&mut confirmed, first, nodes);
                // If all fail there, they are still the best known.
                if all_settled.is_some() {
                    *found = confirmed;
                }
                found.nodes += search.solver.nodes();
                all_settled == Some(false)
            });
            nodes = nodes.saturating_mul(FACTOR);
        }
    }
}
