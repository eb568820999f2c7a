//! The surroundings of a point in sixteen bits.

use crate::types::{Color, PointState};

/// The states of the eight cells around a point, two bits each
/// ([`PointState`]'s discriminants): bits 0–7 the orthogonal neighbours in the
/// order of [`crate::types::Point::neighbours`], bits 8–15 the diagonals.
///
/// The board maintains one for every point, so that eyes, empty neighbours and
/// 3x3 patterns take a few bit operations or one table lookup.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Neighbourhood(pub u16);

const LOW: u16 = 0x5555;

impl Neighbourhood {
    /// Number of values.
    pub const COUNT: usize = 1 << 16;

    /// The state of cell `slot` of [`crate::types::Point::around`], 0…7.
    pub const fn get(self, slot: usize) -> PointState {
        match (self.0 >> (2 * slot)) & 3 {
            0 => PointState::Empty,
            1 => PointState::Black,
            2 => PointState::White,
            _ => PointState::Border,
        }
    }

    /// The low bit of each empty slot.
    #[inline]
    const fn empty_slots(self) -> u16 {
        !(self.0 | self.0 >> 1) & LOW
    }

    /// The low bit of each slot that holds a stone of this colour.
    #[inline]
    const fn stone_slots(self, c: Color) -> u16 {
        match c {
            Color::Black => self.0 & !(self.0 >> 1) & LOW,
            Color::White => !self.0 & (self.0 >> 1) & LOW,
        }
    }

    /// Is an orthogonal neighbour empty?
    #[inline]
    pub const fn has_empty(self) -> bool {
        self.empty_slots() & 0xff != 0
    }

    /// Number of empty orthogonal neighbours, 0…4.
    #[inline]
    pub const fn empty_count(self) -> u32 {
        (self.empty_slots() & 0xff).count_ones()
    }

    /// Number of orthogonally adjacent stones of a colour, 0…4.
    #[inline]
    pub const fn adjacent(self, c: Color) -> u32 {
        (self.stone_slots(c) & 0xff).count_ones()
    }

    /// Are all orthogonal neighbours stones of this colour or border?
    #[inline]
    pub const fn surrounded_by(self, c: Color) -> bool {
        let mask = match c {
            Color::Black => 0x55,
            Color::White => 0xaa,
        };
        self.0 & mask == mask
    }

    /// Number of diagonal stones of a colour, 0…4.
    #[inline]
    pub const fn diagonal(self, c: Color) -> u32 {
        (self.stone_slots(c) >> 8).count_ones()
    }

    /// Is a diagonal cell off the board?
    #[inline]
    pub const fn at_edge(self) -> bool {
        (self.0 & (self.0 >> 1) & LOW) >> 8 != 0
    }

    /// Does this look like a real eye of the colour? The colour surrounds it, and the
    /// opponent holds at most one diagonal in the centre, none at the edge.
    #[inline]
    pub const fn is_eye(self, c: Color) -> bool {
        self.surrounded_by(c) && self.diagonal(c.opponent()) + self.at_edge() as u32 <= 1
    }
}
