//! Pruning and compaction: keep a part of the tree and move it to the front of the arena, in
//! place.

use super::{CHUNK, Hasher, ROOT, Tree};
use crate::search::node::NodeId;
use crate::search::node::Statistics;
use crate::search::sync::{Ordering, locked};
use std::collections::HashSet;

/// Flag in the length of a block that is kept.
const MARK: u16 = 1 << 15;

impl<S: Statistics> Tree<S> {
    /// Drop the subtrees below the least visited nodes, to free at least half of the arena if
    /// possible. These nodes keep their values. No worker may be running.
    pub fn prune(&self) {
        let digits = |id: NodeId| (u32::BITS - self.node(id).visits().leading_zeros()) as usize;
        // Number of children, by the length in bits of the parent's visits.
        let mut below = [0u32; u32::BITS as usize + 1];
        self.each_expanded(ROOT, |id| {
            let count = self.children(id).len() as u32;
            let sum = &mut below[digits(id)];
            *sum = sum.saturating_add(count);
            true
        });
        let mut kept = 0;
        let mut enough = |sum: &u32| {
            kept += u64::from(*sum);
            kept <= u64::from(self.capacity() / 2)
        };
        let least = below.len() - below.iter().rev().take_while(|s| enough(s)).count();
        self.each_expanded(ROOT, |id| {
            let keeps = id == ROOT || digits(id) >= least;
            if !keeps {
                let node = self.node(id);
                node.statistics.detach_children();
                node.set_child_count(0);
                node.children.store(0, Ordering::Relaxed);
            }
            keeps
        });
        self.compact(ROOT);
    }

    /// Call `see` for the expanded nodes from this one down. Descend below a node only if it
    /// returns true, and into each shared block once.
    fn each_expanded(&self, from: NodeId, mut see: impl FnMut(NodeId) -> bool) {
        let mut seen = HashSet::<NodeId, Hasher>::default();
        let mut open = vec![from];
        while let Some(id) = open.pop() {
            let (first, count) = (self.first_child(id), self.children(id).len() as u32);
            if count > 0 && see(id) && seen.insert(first) {
                open.extend(first..first + count);
            }
        }
    }

    /// Make this node the root and drop everything that is not below it. No worker may be
    /// running.
    pub fn keep_subtree(&self, root: NodeId) {
        if root != ROOT {
            self.compact(root);
        }
    }

    /// Make this node the root and move everything below it to the front.
    fn compact(&self, root: NodeId) {
        let relaxed = Ordering::Relaxed;
        let end = self.len();
        self.mark(root);
        self.node(ROOT).copy_from(self.node(root));
        self.node(ROOT).block.store(1, relaxed);
        // Compute each block's new place, then update the nodes that point to it.
        let mut free = 1;
        for (at, len) in self.marked(end) {
            let to = Self::fit(free, len);
            self.node(at).moved.store(to, relaxed);
            free = to + len;
        }
        let follow = |id: NodeId| {
            let first = self.first_child(id);
            if first != 0 {
                let to = self.node(first).moved.load(relaxed);
                self.node(id).children.store(to, relaxed);
            }
        };
        follow(ROOT);
        for (at, len) in self.marked(end) {
            (at..at + len).for_each(follow);
        }
        for part in &self.shared {
            locked(part).retain(|_, (first, _)| {
                let head = self.node(*first);
                *first = head.moved.load(relaxed);
                head.block.load(relaxed) & MARK != 0
            });
        }
        let mut free = 1;
        for (at, len) in self.marked(end) {
            let to = self.node(at).moved.load(relaxed);
            if to != at {
                for i in 0..len {
                    self.node(to + i).copy_from(self.node(at + i));
                }
            }
            self.node(to).block.store(len as u16, relaxed);
            for gap in free..to {
                self.node(gap).block.store(0, relaxed);
            }
            free = to + len;
        }
        self.mark_unused(free, end);
        self.next.store(free, relaxed);
        self.full.store(false, relaxed);
    }

    /// Mark the blocks below a node as kept.
    fn mark(&self, id: NodeId) {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let first = self.first_child(id);
            let expanded = |id: NodeId| self.first_child(id) != 0;
            if first != 0 && self.node(first).block.fetch_or(MARK, Ordering::Relaxed) & MARK == 0 {
                let count = self.children(id).len() as u32;
                open.extend((first..first + count).filter(|&c| expanded(c)));
            }
        }
    }

    /// The marked blocks and their lengths, in arena order. Each block is read only when the
    /// iterator reaches it.
    fn marked(&self, end: NodeId) -> impl Iterator<Item = (NodeId, u32)> + '_ {
        let mut at = 1;
        std::iter::from_fn(move || {
            while at < end {
                let (here, block) = (at, self.node(at).block.load(Ordering::Relaxed));
                let len = u32::from(block & !MARK);
                at = match len {
                    0 => (at / CHUNK + 1) * CHUNK,
                    _ => at + len,
                };
                if block & MARK != 0 {
                    return Some((here, len));
                }
            }
            None
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::node::BUSY;
    use crate::search::rave::{PriorVisits, Results};
    use crate::types::{Generator, Move, Point};

    type Tree = super::Tree<Results>;
    type NewChild = crate::search::NewChild<PriorVisits>;

    /// Grow a random tree of up to `expansions` expansions.
    fn grow(tree: &Tree, rng: &mut Generator, expansions: usize) {
        let mut leaves = vec![ROOT];
        for _ in 0..expansions {
            let at = rng.below(leaves.len() as u32) as usize;
            let id = leaves.swap_remove(at);
            let n = 1 + rng.below(300);
            let children: Vec<_> = (0..n)
                .map(|i| NewChild::new(Move::Play(Point::from_raw(27 + i as u16))))
                .collect();
            assert!(tree.claim(id));
            if !tree.expand(id, &children) {
                return;
            }
            for i in 0..n {
                leaves.push(tree.first_child(id) + i);
                tree.node(tree.first_child(id) + i).enter();
            }
        }
    }

    fn shape(tree: &Tree, id: NodeId) -> Vec<(u16, u32, usize)> {
        let mut out = Vec::new();
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            let n = tree.node(id);
            let children = tree.children(id).len();
            out.push((n.mv().to_raw(), n.visits(), children));
            let first = tree.first_child(id);
            stack.extend((0..children as u32).map(|i| first + i));
        }
        out
    }

    #[test]
    fn keep_subtree_preserves_the_subtree() {
        for seed in 0..20 {
            let mut rng = Generator::new(seed);
            let tree = Tree::new(64 << 20);
            grow(&tree, &mut rng, 400);
            for _ in 0..3 {
                let expanded: Vec<_> = (0..tree.children(ROOT).len() as u32)
                    .map(|i| tree.first_child(ROOT) + i)
                    .filter(|&c| tree.first_child(c) != 0)
                    .collect();
                let Some(&keep) = expanded.first() else { break };
                let before = shape(&tree, keep);
                let len = tree.len();
                tree.keep_subtree(keep);
                assert_eq!(shape(&tree, ROOT), before);
                assert!(tree.len() <= len);
                grow_from_leaves(&tree, &mut rng);
            }
        }
    }

    /// Grow a random graph: a leaf gets new children, or shares those of a node at least as
    /// deep.
    fn grow_shared(tree: &Tree, rng: &mut Generator, expansions: usize) {
        let mut leaves = vec![(ROOT, 0)];
        let mut keys: Vec<(u64, u32)> = Vec::new();
        for key in 0..expansions as u64 {
            let at = rng.below(leaves.len() as u32) as usize;
            let (id, depth) = leaves.swap_remove(at);
            assert!(tree.claim(id));
            let known: Vec<u64> = keys.iter().filter(|k| k.1 > depth).map(|k| k.0).collect();
            if !known.is_empty() && rng.chance(128) {
                assert!(tree.link(id, known[rng.below(known.len() as u32) as usize]));
                continue;
            }
            let children: Vec<_> = (0..1 + rng.below(20))
                .map(|i| NewChild::new(Move::Play(Point::from_raw(27 + i as u16))))
                .collect();
            assert!(tree.expand(id, &children));
            tree.share(id, key);
            keys.push((key, depth + 1));
            let first = tree.first_child(id);
            for child in first..first + children.len() as u32 {
                leaves.push((child, depth + 1));
                tree.node(child).enter();
            }
        }
    }

    /// The blocks below a node, each once, in order of discovery. For each node of a block:
    /// its visits and the index of its children's block.
    fn blocks(tree: &Tree, id: NodeId) -> Vec<Vec<(u32, Option<usize>)>> {
        let mut found = vec![tree.first_child(id)];
        let mut out: Vec<Vec<_>> = Vec::new();
        while let Some(&first) = found.get(out.len()) {
            let len = u32::from(tree.node(first).block.load(Ordering::Relaxed));
            let nodes = (first..first + len).map(|id| {
                let below = tree.first_child(id);
                let number = (below != 0).then(|| {
                    let known = found.iter().position(|&b| b == below);
                    known.unwrap_or_else(|| {
                        found.push(below);
                        found.len() - 1
                    })
                });
                (tree.node(id).visits(), number)
            });
            out.push(nodes.collect());
        }
        out
    }

    #[test]
    fn keep_subtree_moves_shared_blocks_once() {
        let mut links = 0;
        for seed in 0..50 {
            let mut rng = Generator::new(seed);
            let tree = Tree::new(8 << 20);
            grow_shared(&tree, &mut rng, 300);
            for _ in 0..3 {
                let children = tree.children(ROOT).iter().zip(tree.first_child(ROOT)..);
                let expanded = children.filter(|(_, id)| tree.first_child(*id) != 0);
                let Some((_, keep)) = expanded.last() else {
                    break;
                };
                let before = blocks(&tree, keep);
                let visits = tree.node(keep).visits();
                tree.keep_subtree(keep);
                let after = blocks(&tree, ROOT);
                assert_eq!(after, before);
                assert_eq!(tree.node(ROOT).visits(), visits);
                let nodes = after.iter().map(Vec::len).sum::<usize>();
                assert_eq!(tree.len() as usize, 1 + nodes, "all else is gone");
                let parents = after.iter().flatten().filter(|n| n.1.is_some()).count();
                links += parents - (after.len() - 1);
                // Exactly the keys of the kept blocks can still be linked.
                let leaf = tree.first_child(ROOT) + tree.children(ROOT).len() as u32 - 1;
                let kept = (0..300).filter(|&key| {
                    tree.node(leaf).children.store(BUSY, Ordering::Relaxed);
                    tree.link(leaf, key)
                });
                assert_eq!(kept.count(), after.len());
                tree.node(leaf).children.store(0, Ordering::Relaxed);
            }
        }
        assert!(links > 1000, "{links}");
    }

    fn grow_from_leaves(tree: &Tree, rng: &mut Generator) {
        for i in 0..tree.children(ROOT).len() as u32 {
            let id = tree.first_child(ROOT) + i;
            if rng.chance(128) && tree.claim(id) {
                tree.expand(id, &[NewChild::new(Move::Pass); 7]);
            }
        }
    }

    #[test]
    fn full_arena_refuses_expansion() {
        let tree = Tree::new(0);
        let mut rng = Generator::new(7);
        grow(&tree, &mut rng, 10_000);
        assert!(tree.len() <= tree.capacity());
        assert!(tree.len() > tree.capacity() - 301);
    }
}
