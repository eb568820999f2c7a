//! Subtree value bias correction, as in KataGo: mean errors of the network by local shape.
//!
//! A node's subtree shows by how much the network's evaluation of the node itself was
//! wrong. The same local fight occurs all over the tree, and the network makes the same
//! error each time. Nodes with the same last two moves and the same stones around them share
//! a bucket, and the mean error of the bucket corrects each of them.

use super::statistics::Number;
use crate::position::Line;
use crate::types::{BoardSize, GOLDEN, Move, Point, splitmix};
use std::sync::OnceLock;

/// Binary logarithm of the number of buckets, which exceeds the number of shapes in a search of a
/// few minutes.
const BITS: u32 = 16;

/// Errors by shape. Shapes with the same hash share a bucket.
#[derive(Debug, Default)]
pub(super) struct Bias {
    /// Sums of the errors of win probability and lead, and of their weights, from the point
    /// of view of the player who made the last move. Allocated when the first error is added.
    buckets: OnceLock<Box<[[Number; 3]]>>,
}

impl Bias {
    /// Clear all errors. No worker may be running.
    pub fn clear(&self) {
        let buckets = self.buckets.get().into_iter().flatten();
        buckets.flatten().for_each(|n| n.store(0.0));
    }

    /// Add these sums to a bucket.
    pub fn add(&self, bucket: usize, sums: [f32; 3]) {
        let buckets = self
            .buckets
            .get_or_init(|| (0..1 << BITS).map(|_| Default::default()).collect());
        for (number, x) in buckets[bucket].iter().zip(sums) {
            number.add(x);
        }
    }

    /// Mean errors of win probability and lead in a bucket.
    pub fn of(&self, bucket: usize) -> [f32; 2] {
        let Some(buckets) = self.buckets.get() else {
            return [0.0; 2];
        };
        let [wins, lead, weight] = &buckets[bucket];
        // A tiny weight is only a rounding error of additions and subtractions.
        let weight = weight.load();
        if weight < 1e-3 {
            return [0.0; 2];
        }
        [wins.load() / weight, lead.load() / weight]
    }
}

/// The bucket of the position at the end of a line: a hash of the last two moves, the
/// stones within two columns and rows of the last move, the ko point and the player to
/// move. `None` after a pass.
pub(super) fn bucket(line: &Line) -> Option<usize> {
    let mut turns = line.latest_turns();
    let last = turns.next()?;
    let before = turns.next().map_or(Move::Pass, |t| t.mv);
    let at = last.mv.point()?;
    let board = line.board();
    let mut key = u64::from(last.mv.to_raw()) << 32 | u64::from(before.to_raw()) << 16;
    key |= board.ko().map_or(0, |p| u64::from(p.raw()) + 1);
    key = splitmix(key.wrapping_mul(GOLDEN) ^ line.to_move().index() as u64);
    let mut stones = 0;
    for dy in -2..=2 {
        for dx in -2..=2 {
            let point = offset(at, dx, dy).filter(|&p| board.size().contains(p));
            let state = point.map_or(3, |p| match board.at(p).color() {
                None => 0,
                Some(c) => 1 + c.index() as u64,
            });
            stones = stones << 2 | state;
        }
    }
    key = splitmix(key ^ stones);
    Some((key >> (u64::BITS - BITS)) as usize)
}

/// The point `dx` columns and `dy` rows away, if it is on the largest board.
fn offset(p: Point, dx: i8, dy: i8) -> Option<Point> {
    let (x, y) = (p.x().checked_add_signed(dx)?, p.y().checked_add_signed(dy)?);
    (x.max(y) < BoardSize::MAX).then(|| Point::new(x, y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::{Position, Root};
    use crate::rules::Ruleset;
    use crate::types::Color;
    use std::sync::Arc;

    fn line(moves: &[(u8, u8)]) -> Line {
        let position = Position::new(BoardSize::square(9), Ruleset::default());
        let mut line = Line::new(Arc::new(Root::new(position)));
        for &(x, y) in moves {
            line.play(Move::Play(Point::new(x, y)));
        }
        line
    }

    #[test]
    fn bucket_depends_only_on_local_shape_and_last_moves() {
        let plain = bucket(&line(&[(8, 8), (2, 2), (3, 3)]));
        assert!(plain.is_some());
        // The same local shape, with a distant stone elsewhere.
        assert_eq!(bucket(&line(&[(7, 8), (2, 2), (3, 3)])), plain);
        // A stone nearby, another last move, another move before it.
        assert_ne!(bucket(&line(&[(4, 4), (2, 2), (3, 3)])), plain);
        assert_ne!(bucket(&line(&[(8, 8), (2, 2), (3, 4)])), plain);
        assert_ne!(bucket(&line(&[(2, 2), (8, 8), (3, 3)])), plain);
        let mut passed = line(&[(8, 8)]);
        passed.play(Move::Pass);
        assert_eq!(bucket(&passed), None);
        assert_eq!(line(&[]).to_move(), Color::Black);
        assert_eq!(bucket(&line(&[])), None);
        // At the edge of the largest board.
        let position = Position::new(BoardSize::square(25), Ruleset::default());
        let mut line = Line::new(Arc::new(Root::new(position)));
        line.play(Move::Play(Point::new(24, 0)));
        assert!(bucket(&line).is_some());
    }

    #[test]
    fn errors_are_weighted_and_cleared() {
        let bias = Bias::default();
        assert_eq!(bias.of(7), [0.0; 2]);
        bias.add(7, [0.2, 3.0, 1.0]);
        bias.add(7, [0.3, -1.0, 3.0]);
        assert_eq!(bias.of(7), [0.125, 0.5]);
        assert_eq!(bias.of(8), [0.0; 2]);
        // A node removes its earlier contribution.
        bias.add(7, [-0.3, 1.0, -3.0]);
        assert!((bias.of(7)[0] - 0.2).abs() < 1e-6);
        bias.clear();
        assert_eq!(bias.of(7), [0.0; 2]);
    }
}
