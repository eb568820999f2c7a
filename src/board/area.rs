//! Area counting with every stone alive.

use super::Board;
use crate::types::{Color, POINTS, Point};

/// A maximal connected set of empty points.
#[derive(Clone, Debug)]
pub struct EmptyRegion {
    /// The points.
    pub points: Vec<Point>,
    /// The player whose stones border it; `None` if both players' or no stones do.
    pub owner: Option<Color>,
}

impl Board {
    /// The regions of empty points, each with the player who surrounds it.
    pub fn empty_regions(&self) -> impl Iterator<Item = EmptyRegion> + '_ {
        let mut seen = [false; POINTS];
        self.empty_points().iter().filter_map(move |&p| {
            if seen[p.index()] {
                return None;
            }
            let points = self.flood(p, &mut seen, |q| self.is_empty(q));
            let mut borders = [false; 2];
            for q in points.iter().flat_map(|r| r.neighbours()) {
                if let Some(c) = self.at(q).color() {
                    borders[c.index()] = true;
                }
            }
            let owner = match borders {
                [true, false] => Some(Color::Black),
                [false, true] => Some(Color::White),
                _ => None,
            };
            Some(EmptyRegion { points, owner })
        })
    }

    /// Black's stones and surrounded points minus White's.
    pub fn area_balance(&self) -> i32 {
        let surrounded = self.empty_regions().map(|r| {
            let sign = r.owner.map_or(0, Color::sign);
            sign * r.points.len() as i32
        });
        self.stone_balance() + surrounded.sum::<i32>()
    }
}
