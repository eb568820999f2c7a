//! Groups that need no dame to live.

use crate::board::Board;
use crate::types::{Color, POINTS, Point, PointSet};

/// A connected set of points without living stones.
pub(super) struct Area {
    pub points: Vec<Point>,
    /// One stone of each chain around it.
    pub chains: Vec<Point>,
    /// The player who alone surrounds it, unless it holds dead stones of that player.
    pub owner: Option<Color>,
    /// Does it hold dead stones of both colours?
    pub mixed: bool,
}

impl Area {
    /// Number of eyes, at most 2. Up to three points, a square of four, and nakade shapes of up to
    /// six points with the opponent on the vital point are one eye. All other shapes are two.
    fn eyes(&self, board: &Board) -> usize {
        let inside = |p: &Point| self.points.contains(p);
        let degree = |p: Point| p.neighbours().iter().filter(|q| inside(q)).count();
        let mut degrees: Vec<(usize, Point)> =
            self.points.iter().map(|&p| (degree(p), p)).collect();
        degrees.sort_unstable_by_key(|&(n, _)| std::cmp::Reverse(n));
        let Some(&(_, vital)) = degrees.first() else {
            return 0;
        };
        let shape: Vec<usize> = degrees.iter().map(|d| d.0).collect();
        match &shape[..] {
            [_] | [_, _] | [_, _, _] | [2, 2, 2, 2] => 1,
            // Pyramid four, bulky five, crossed five and rabbity (flower) six.
            [3, 1, 1, 1] | [3, 2, 2, 2, 1] | [4, 1, 1, 1, 1] | [4, 2, 2, 2, 1, 1]
                if board.at(vital).is_stone() =>
            {
                1
            }
            _ => 2,
        }
    }
}

/// Living stones that need no dame to live. Their groups have two eyes, an area of two eyes or a
/// safe chain, or connect to such a group at an eye of one point.
pub(super) fn independent(
    board: &Board,
    areas: &[Area],
    dead: &PointSet,
    safe: &PointSet,
) -> PointSet {
    let owned = areas.iter().filter(|a| a.owner.is_some());
    let (single, wide): (Vec<&Area>, Vec<&Area>) = owned.partition(|a| a.points.len() == 1);
    // Chains around the same wider area form a group. So do chains with two common liberties, since
    // they can connect at one of them.
    let mut together: Vec<Vec<Point>> = wide.iter().map(|a| a.chains.clone()).collect();
    together.extend(connected(board, dead));
    let group = grouped(&together);
    let group_at = |p: Point| group[board.chain(p).index()];
    let mut eyes = vec![0usize; POINTS];
    for area in wide {
        if let Some(&q) = area.chains.first() {
            eyes[group_at(q)] += area.eyes(board);
        }
    }
    let stones = || board.size().points().filter(|&p| board.at(p).is_stone());
    for p in stones().filter(|&p| safe.contains(p)) {
        eyes[group_at(p)] = 2;
    }
    let around: Vec<Vec<usize>> = single
        .iter()
        .map(|area| {
            let mut around: Vec<usize> = area.chains.iter().map(|&q| group_at(q)).collect();
            around.sort_unstable();
            around.dedup();
            around
        })
        .collect();
    add_single_eyes(&mut eyes, around);
    // The groups around a false eye connect there, so if one of them lives, all do.
    together.extend(single.iter().map(|a| a.chains.clone()));
    let joined = grouped(&together);
    let joined_at = |p: Point| joined[board.chain(p).index()];
    let mut lives = vec![false; POINTS];
    for p in stones() {
        lives[joined_at(p)] |= eyes[group_at(p)] >= 2;
    }
    stones().filter(|&p| lives[joined_at(p)]).collect()
}

/// Add eyes of one point to the `eyes` of groups, given the groups around each such eye. An eye is
/// false if a group around it can be captured. At first all eyes count as real. Then eyes next to a
/// group with fewer than two are removed until none is left (as Benson 1976 does with chains).
fn add_single_eyes(eyes: &mut Vec<usize>, mut around: Vec<Vec<usize>>) {
    loop {
        let mut with_these = eyes.clone();
        for &g in around.iter().flatten() {
            with_these[g] += 1;
        }
        let before = around.len();
        around.retain(|groups| groups.iter().all(|&g| with_these[g] >= 2));
        if around.len() == before {
            *eyes = with_these;
            return;
        }
    }
}

/// The group of each chain, by [`Point::index`], named by its smallest chain index. Chains of the
/// same list in `together` belong to one group.
fn grouped(together: &[Vec<Point>]) -> Vec<usize> {
    let mut group: Vec<usize> = (0..POINTS).collect();
    loop {
        let mut changed = false;
        for chains in together {
            let least = chains.iter().map(|q| group[q.index()]).min();
            for q in chains {
                changed |= Some(group[q.index()]) != least;
                group[q.index()] = least.unwrap_or(q.index());
            }
        }
        if !changed {
            return group;
        }
    }
}

/// Pairs of living chains of one player with two common liberties: if the opponent fills one,
/// the other connects them.
fn connected(board: &Board, dead: &PointSet) -> Vec<Vec<Point>> {
    let mut once: Vec<[Point; 2]> = Vec::new();
    let mut twice: Vec<Vec<Point>> = Vec::new();
    for p in board.empty_points() {
        let mut chains: Vec<Point> = Vec::new();
        for q in p.neighbours() {
            if lives(board, dead, q) && !chains.contains(&board.chain(q)) {
                chains.push(board.chain(q));
            }
        }
        for (i, &a) in chains.iter().enumerate() {
            let friends = chains[i + 1..].iter();
            for &b in friends.filter(|&&b| board.at(a) == board.at(b)) {
                let mut pair = [a, b];
                pair.sort_by_key(|p: &Point| p.index());
                match once.contains(&pair) {
                    true => twice.push(pair.to_vec()),
                    false => once.push(pair),
                }
            }
        }
    }
    twice
}

/// Is there a living stone on the point?
pub(super) fn lives(board: &Board, dead: &PointSet, p: Point) -> bool {
    board.at(p).is_stone() && !dead.contains(p)
}
