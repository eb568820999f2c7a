//! Free handicap: exactly the requested number of stones, on any board.

use crate::position::{HandicapError, fixed_handicap, max_fixed_handicap};
use crate::types::{BoardSize, Point};

/// Choose `n` points for handicap stones: the traditional points, then repeatedly the point
/// farthest from all stones so far. Points next to a stone, and on the first two lines, come last.
///
/// # Errors
/// [`HandicapError::InvalidNumber`] unless `n` is at least 2 and leaves a point
/// free.
pub(super) fn free_points(size: BoardSize, n: u32) -> Result<Vec<Point>, HandicapError> {
    if n < 2 || n as usize >= size.area() {
        return Err(HandicapError::InvalidNumber);
    }
    let traditional = n.min(max_fixed_handicap(size));
    let mut points = if traditional >= 2 {
        fixed_handicap(size, traditional)?
    } else {
        Vec::new()
    };
    while points.len() < n as usize {
        let best = size
            .points()
            .filter(|p| !points.contains(p))
            .max_by_key(|&p| {
                let near = points.iter().map(|&q| distance(p, q)).min();
                let apart = near.is_none_or(|d| d > 1);
                (apart, line(size, p).min(2), near, std::cmp::Reverse(p))
            })
            .ok_or(HandicapError::InvalidNumber)?;
        points.push(best);
    }
    Ok(points)
}

/// Square of the Euclidean distance.
fn distance(p: Point, q: Point) -> u32 {
    let (dx, dy) = (p.x().abs_diff(q.x()), p.y().abs_diff(q.y()));
    u32::from(dx).pow(2) + u32::from(dy).pow(2)
}

/// Number of lines between the point and the nearest edge.
fn line(size: BoardSize, p: Point) -> u8 {
    let from_edge = |at: u8, len: u8| at.min(len - 1 - at);
    from_edge(p.x(), size.width()).min(from_edge(p.y(), size.height()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_points_are_distinct_and_as_many_as_requested() {
        for (w, h) in [(2, 2), (3, 5), (7, 7), (8, 8), (9, 9), (13, 19), (19, 19)] {
            let size = BoardSize::new(w, h).unwrap();
            for n in 2..(size.area() as u32).min(60) {
                let mut points = free_points(size, n).unwrap();
                assert!(points.iter().all(|&p| size.contains(p)));
                points.sort();
                points.dedup();
                assert_eq!(points.len(), n as usize, "{size} {n}");
            }
            assert!(free_points(size, size.area() as u32).is_err());
            assert!(free_points(size, 1).is_err());
        }
    }

    #[test]
    fn stones_avoid_the_edge_and_each_other_while_there_is_room() {
        for (side, n) in [(5, 4), (7, 9), (9, 13), (10, 9), (13, 25), (19, 40)] {
            let size = BoardSize::square(side);
            let points = free_points(size, n).unwrap();
            for (i, &p) in points.iter().enumerate() {
                assert!(line(size, p) > 0, "{size} {n}: {p}");
                assert!(
                    points[..i].iter().all(|&q| distance(p, q) > 1),
                    "{size} {n}: {p}"
                );
            }
        }
    }
}
