//! The results of a search at its root.

use super::policy::{Policy, RootMove, RootView};
use super::tree::ROOT;
use super::{NodeId, Search};
use crate::position::Line;
use crate::types::Move;

impl<P: Policy> Search<P> {
    /// Current view of the root; `None` before the first search.
    pub(super) fn view(&self) -> Option<RootView<'_, P>> {
        let job = self.job.as_ref()?;
        Some(RootView {
            tree: &self.tree,
            context: &job.context,
            to_move: job.root.position().to_move(),
            under_way: job.workers.iter().flat_map(|w| w.under_way()).collect(),
        })
    }

    /// The root moves: the chosen one first, the others by visits.
    pub fn root_moves(&self) -> Vec<RootMove> {
        let Some(view) = self.view() else {
            return Vec::new();
        };
        let mut moves: Vec<RootMove> = self.moves_of(&view).collect();
        let chosen = self.policy.choose(moves.iter().copied());
        moves.sort_by(P::order);
        if let Some(first) = moves
            .iter()
            .position(|m| Some(m.at) == chosen.map(|c| c.at))
        {
            moves[..=first].rotate_right(1);
        }
        moves
    }

    pub(super) fn moves_of(
        &self,
        view: &RootView<'_, P>,
    ) -> impl Iterator<Item = RootMove> + Clone {
        let children = 0..self.tree.children(ROOT).len();
        children.map(|at| self.policy.root_move(view, at))
    }

    /// The principal variation from the root: always the most visited move.
    pub fn principal_variation(&self, len: usize) -> Vec<Move> {
        let line = self.variation(&[], ROOT, len);
        line.into_iter().map(|(m, _)| m).collect()
    }

    /// The principal variation from a node, each move with its visits. `path` holds the
    /// moves from the root to that node. The variation ends before a move that superko
    /// forbids on this path, which is possible because transpositions share nodes.
    pub(super) fn variation(&self, path: &[Move], from: NodeId, len: usize) -> Vec<(Move, u32)> {
        let mut variation = self.tree.principal_variation(from, len);
        if let Some(job) = &self.job {
            let mut line = Line::new(job.root.clone());
            path.iter().for_each(|&m| line.play(m));
            let broken = variation.iter().position(|&(m, _)| {
                let breaks = line.breaks_superko(m);
                line.play(m);
                breaks
            });
            variation.truncate(broken.unwrap_or(len));
        }
        variation
    }
}
