//! Stones that are set up rather than played.

use super::{Board, Liberties};
use crate::types::{BoardSize, Color, InvalidSize, Point, PointState};
use thiserror::Error;

/// The reason that stones cannot be set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SetUpError {
    /// The rows of a diagram differ in length.
    #[error("rows of a diagram differ in length")]
    Ragged,
    /// The size of a diagram is not a board size.
    #[error("{0}")]
    Size(InvalidSize),
    /// A stone was placed on a point that is off the board or not empty.
    #[error("{0} is not an empty point")]
    NotEmpty(Point),
    /// The chain at this point would have no liberty.
    #[error("the chain at {0} has no liberty")]
    NoLiberty(Point),
}

impl Board {
    /// A board with these stones, placed in order.
    ///
    /// # Errors
    /// That of [`Board::place`] for the first stone that cannot be placed.
    pub fn with_stones(
        size: BoardSize,
        stones: impl IntoIterator<Item = (Color, Point)>,
    ) -> Result<Board, SetUpError> {
        let mut board = Board::new(size);
        for (c, p) in stones {
            board.place(c, p)?;
        }
        Ok(board)
    }

    /// A copy of the board with this stone, which captures nothing.
    ///
    /// # Errors
    /// That of [`Board::place`].
    pub fn with_stone(&self, c: Color, p: Point) -> Result<Board, SetUpError> {
        let mut board = self.clone();
        board.place(c, p).map(|()| board)
    }

    /// All stones, in the order of [`BoardSize::points`].
    pub fn stones(&self) -> impl Iterator<Item = (Color, Point)> + '_ {
        let points = self.size.points();
        points.filter_map(|p| Some((self.at(p).color()?, p)))
    }

    /// Set up a stone on an empty point. It captures nothing, even if chains are left
    /// without liberties; [`Board::without_liberties`] finds those.
    ///
    /// # Errors
    /// If the point is not an empty point of the board.
    pub fn place(&mut self, c: Color, p: Point) -> Result<(), SetUpError> {
        if !self.is_empty(p) {
            return Err(SetUpError::NotEmpty(p));
        }
        self.ko = Point::NONE;
        let mut libs = Liberties::default();
        for q in p.neighbours() {
            if self.is_empty(q) {
                libs.add(Liberties::of(q));
            } else if self.at(q).is_stone() {
                let chain = self.chain(q);
                self.liberties[chain.index()].remove(Liberties::of(p));
            }
        }
        self.put(c, p);
        self.pop_empty(p);
        self.chain[p.index()] = p;
        self.next[p.index()] = p;
        self.length[p.index()] = 1;
        self.liberties[p.index()] = libs;
        for q in p.neighbours() {
            if self.at(q) == PointState::from(c) && self.chain(q) != self.chain(p) {
                self.join(self.chain(p), self.chain(q));
            }
        }
        Ok(())
    }

    /// A stone whose chain has no liberty. Only set-up stones can cause this.
    pub fn without_liberties(&self) -> Option<Point> {
        self.size
            .points()
            .find(|&p| self.at(p).is_stone() && self.liberties[self.chain(p).index()].count() == 0)
    }
}
