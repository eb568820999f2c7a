use super::{POINTS, Point};
use std::borrow::Borrow;

/// A set of points on or around any board.
///
/// ```
/// use ponnuki::types::{Point, PointSet};
///
/// let corner = Point::new(0, 0);
/// let mut visited: PointSet = [corner, Point::new(1, 0)].into_iter().collect();
/// assert!(visited.contains(corner));
/// assert!(!visited.insert(corner)); // it was there before
/// visited.remove(corner);
/// visited.extend(corner.diagonals());
/// assert!(!visited.contains(corner) && visited.contains(Point::new(1, 1)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PointSet([u64; POINTS.div_ceil(64)]);

impl PointSet {
    /// Is the point in the set?
    #[inline]
    pub fn contains(&self, p: Point) -> bool {
        self.0[p.index() / 64] >> (p.index() % 64) & 1 != 0
    }

    /// Add a point. Was it missing before?
    #[inline]
    pub fn insert(&mut self, p: Point) -> bool {
        let missing = !self.contains(p);
        self.0[p.index() / 64] |= 1 << (p.index() % 64);
        missing
    }

    /// Remove a point, if it is in the set.
    #[inline]
    pub fn remove(&mut self, p: Point) {
        self.0[p.index() / 64] &= !(1 << (p.index() % 64));
    }
}

/// Accepts points and references to points.
impl<P: Borrow<Point>> Extend<P> for PointSet {
    fn extend<I: IntoIterator<Item = P>>(&mut self, points: I) {
        for p in points {
            self.insert(*p.borrow());
        }
    }
}

/// Accepts points and references to points.
impl<P: Borrow<Point>> FromIterator<P> for PointSet {
    fn from_iter<I: IntoIterator<Item = P>>(points: I) -> PointSet {
        let mut set = PointSet::default();
        set.extend(points);
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_cells_share_a_bit() {
        let cells = || (0..1024).map(Point::from_raw);
        let mut set = PointSet::default();
        for p in cells() {
            assert!(set.insert(p) && !set.insert(p), "{p}");
        }
        for p in cells() {
            assert!(set.contains(p), "{p}");
            set.remove(p);
            assert!(!set.contains(p), "{p}");
        }
        assert_eq!(set, PointSet::default());
    }
}
