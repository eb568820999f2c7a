//! Free handicap: exactly as many stones as asked for, on any board.

use crate::position::{HandicapError, fixed_handicap, max_fixed_handicap};
use crate::types::{BoardSize, Point};

/// `n` points for handicap stones: the traditional ones where they suffice, and
/// beyond them, one after the other, the point farthest from all stones so far,
/// the third and fourth lines before the others.
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
                (
                    near.unwrap_or(1).min(3),
                    on_good_line(size, p),
                    near,
                    std::cmp::Reverse(p),
                )
            })
            .ok_or(HandicapError::InvalidNumber)?;
        points.push(best);
    }
    Ok(points)
}

/// Steps along the lines of the board.
fn distance(p: Point, q: Point) -> u8 {
    p.x().abs_diff(q.x()) + p.y().abs_diff(q.y())
}

/// Is the nearer edge on the third or fourth line, or as far as the board allows?
fn on_good_line(size: BoardSize, p: Point) -> bool {
    let line = |at: u8, len: u8| at.min(len - 1 - at);
    let (x, y) = (line(p.x(), size.width()), line(p.y(), size.height()));
    let wanted = 2.min((size.width().min(size.height()) - 1) / 2);
    x.min(y) >= wanted && x.min(y) <= wanted + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_as_many_distinct_points_as_asked_for() {
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
}
