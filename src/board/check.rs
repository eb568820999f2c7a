//! Recomputes every derived field of a [`Board`] from its stones.

use super::{Board, Liberties, zobrist};
use crate::types::{Point, PointState};
use thiserror::Error;

/// Error: a derived field disagrees with the stones.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field} is wrong at {at}")]
pub struct Inconsistent {
    /// The field.
    pub field: &'static str,
    /// The cell, or [`Point::NONE`] if the field belongs to the whole board.
    pub at: Point,
}

impl Board {
    /// Recompute all derived fields and compare them with the stored ones.
    ///
    /// # Errors
    /// [`Inconsistent`] names the first field that differs.
    pub fn check(&self) -> Result<(), Inconsistent> {
        let fail = |field, at| Err(Inconsistent { field, at });
        let mut hash = 0;
        let mut empty = 0;
        for p in self.size.points() {
            let i = p.index();
            if self.around[i] != self.look_around(p) {
                return fail("neighbourhood", p);
            }
            match self.stones[i] {
                PointState::Border => return fail("stone", p),
                PointState::Empty => {
                    empty += 1;
                    let at = self.empty_at[i] as usize;
                    if self.empty_points().get(at) != Some(&p) {
                        return fail("list of empty points", p);
                    }
                    if self.chain[i] != Point::NONE {
                        return fail("chain", p);
                    }
                }
                PointState::Black | PointState::White => {
                    if let Some(c) = self.stones[i].color() {
                        hash ^= zobrist::key(c, p);
                    }
                    self.check_chain(p)?;
                }
            }
        }
        if hash != self.hash {
            return fail("hash", Point::NONE);
        }
        if empty != self.empty_points().len() {
            return fail("number of empty points", Point::NONE);
        }
        if self.ko != Point::NONE && !self.is_empty(self.ko) {
            return fail("ko", self.ko);
        }
        Ok(())
    }

    /// Compare the chain at `p` with a flood fill over the stones.
    fn check_chain(&self, p: Point) -> Result<(), Inconsistent> {
        let fail = |field| Err(Inconsistent { field, at: p });
        let mut chain = vec![p];
        let mut next = 0;
        while next < chain.len() {
            for q in chain[next].neighbours() {
                if self.at(q) == self.at(p) && !chain.contains(&q) {
                    chain.push(q);
                }
            }
            next += 1;
        }
        let mut libs = Liberties::default();
        for stone in &chain {
            if self.chain(*stone) != self.chain(p) {
                return fail("chain");
            }
            for q in stone.neighbours() {
                if self.is_empty(q) {
                    libs.add(Liberties::of(q));
                }
            }
        }
        let mut ring: Vec<Point> = self.chain_stones(p).take(chain.len() + 1).collect();
        ring.sort();
        chain.sort();
        if ring != chain {
            return fail("ring of stones");
        }
        let name = self.chain(p).index();
        if self.length[name] as usize != chain.len() {
            return fail("length");
        }
        if self.liberties[name] != libs {
            return fail("liberties");
        }
        Ok(())
    }
}
