//! How far off the network is in shapes of one kind (subtree value bias correction, as
//! KataGo has it).
//!
//! Where a search has looked further, it knows by how much the network's first opinion of
//! a node was wrong. The same local fight comes up all over the tree, and the network errs
//! in it in the same way each time: nodes whose last two moves and the stones around them
//! are the same share a bucket, and the mean error in it corrects each of them.

use super::statistics::Number;
use crate::position::Line;
use crate::types::{BoardSize, GOLDEN, Move, Point, splitmix};
use std::sync::OnceLock;

/// Buckets, as a power of two: more than a search of some minutes has shapes in use.
const BITS: u32 = 16;

/// Errors by shape. Of different shapes of one hash the errors are mixed.
#[derive(Debug, Default)]
pub(super) struct Bias {
    /// Sums of the errors of win probability and lead, and of their weights, for the
    /// player who made the last move. Taken when the first error comes.
    buckets: OnceLock<Box<[[Number; 3]]>>,
}

impl Bias {
    /// Forget all errors. No worker may be running.
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
        // What is left of sums that went up and down again says nothing.
        let weight = weight.load();
        if weight < 1e-3 {
            return [0.0; 2];
        }
        [wins.load() / weight, lead.load() / weight]
    }
}

/// The bucket of the position at the end of a line: by the last two moves, the stones
/// within two points of the last one and the point of a ko. `None` after a pass.
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
            let point = beside(at, dx, dy).filter(|&p| board.size().contains(p));
            let what = point.map_or(3, |p| match board.at(p).color() {
                None => 0,
                Some(c) => 1 + c.index() as u64,
            });
            stones = stones << 2 | what;
        }
    }
    key = splitmix(key ^ stones);
    Some((key >> (u64::BITS - BITS)) as usize)
}

/// The point so many columns and rows away, if there is one on the largest board.
fn beside(p: Point, dx: i8, dy: i8) -> Option<Point> {
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
    fn what_is_far_from_the_last_move_makes_no_other_bucket() {
        let plain = bucket(&line(&[(8, 8), (2, 2), (3, 3)]));
        assert!(plain.is_some());
        // The same at the end, with a stone elsewhere in another place.
        assert_eq!(bucket(&line(&[(7, 8), (2, 2), (3, 3)])), plain);
        // One beside it, another last move, another before it.
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
    fn errors_are_weighed_and_forgotten() {
        let bias = Bias::default();
        assert_eq!(bias.of(7), [0.0; 2]);
        bias.add(7, [0.2, 3.0, 1.0]);
        bias.add(7, [0.3, -1.0, 3.0]);
        assert_eq!(bias.of(7), [0.125, 0.5]);
        assert_eq!(bias.of(8), [0.0; 2]);
        // A node takes back what it gave.
        bias.add(7, [-0.3, 1.0, -3.0]);
        assert!((bias.of(7)[0] - 0.2).abs() < 1e-6);
        bias.clear();
        assert_eq!(bias.of(7), [0.0; 2]);
    }
}
