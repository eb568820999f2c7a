use crate::types::{Color, POINTS, Point};

/// All moves as first (Brügmann 1993): who was the first to play at each point.
#[derive(Clone, Debug)]
pub struct Amaf {
    /// 0: nobody; otherwise the colour's discriminant.
    first: [u8; POINTS],
}

impl Default for Amaf {
    fn default() -> Self {
        Amaf { first: [0; POINTS] }
    }
}

impl Amaf {
    /// Forget everything.
    #[inline]
    pub fn clear(&mut self) {
        self.first.fill(0);
    }

    /// A play; counts only if it is the first at its point.
    #[inline]
    pub fn note(&mut self, c: Color, p: Point) {
        let f = &mut self.first[p.index()];
        if *f == 0 {
            *f = c as u8;
        }
    }

    /// A play that came before all noted so far: it is now the first at its point.
    #[inline]
    pub fn note_earlier(&mut self, c: Color, p: Point) {
        self.first[p.index()] = c as u8;
    }

    /// Was `c` the first to play here?
    #[inline]
    pub fn was_first(&self, c: Color, p: Point) -> bool {
        self.first[p.index()] == c as u8
    }
}
