use crate::types::{Color, POINTS, Point};

/// An AMAF (all moves as first) map: who was first to play at each point (Brügmann 1993).
#[derive(Clone, Debug)]
pub struct Amaf {
    /// 0 for no play, otherwise the discriminant of the colour.
    first: [u8; POINTS],
}

impl Default for Amaf {
    fn default() -> Self {
        Amaf { first: [0; POINTS] }
    }
}

impl Amaf {
    /// Clear the map.
    #[inline]
    pub fn clear(&mut self) {
        self.first.fill(0);
    }

    /// Record a play. Ignored if the point was played before.
    #[inline]
    pub fn record(&mut self, c: Color, p: Point) {
        let f = &mut self.first[p.index()];
        if *f == 0 {
            *f = c as u8;
        }
    }

    /// Record a play that precedes all recorded so far, so that it is first at its point.
    #[inline]
    pub fn record_earlier(&mut self, c: Color, p: Point) {
        self.first[p.index()] = c as u8;
    }

    /// Was `c` the first to play here?
    #[inline]
    pub fn was_first(&self, c: Color, p: Point) -> bool {
        self.first[p.index()] == c as u8
    }
}
