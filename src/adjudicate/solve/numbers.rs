//! Proof and disproof numbers.

/// The proof number, 0 when proved, and the disproof number, 0 when disproved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    pub proof: u32,
    pub disproof: u32,
}

pub const INFINITE: u32 = 1 << 30;

/// The largest sum. A sum counts a state once for each path to it, so it may double with every
/// move. It must stay below infinity, which ends the search of a state as if it were settled.
pub const LARGEST: u32 = INFINITE - 1;

impl Numbers {
    pub const NEW: Numbers = Numbers {
        proof: 1,
        disproof: 1,
    };
    pub const PROVED: Numbers = Numbers {
        proof: 0,
        disproof: INFINITE,
    };
    pub const FAILED: Numbers = Numbers {
        proof: INFINITE,
        disproof: 0,
    };

    pub fn of(success: bool) -> Numbers {
        if success {
            Numbers::PROVED
        } else {
            Numbers::FAILED
        }
    }

    pub fn is_settled(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }

    /// The number that the player to move wants to be 0, and the other one.
    pub fn of_mover(self, proving: bool) -> (u32, u32) {
        match proving {
            true => (self.proof, self.disproof),
            false => (self.disproof, self.proof),
        }
    }

    pub fn from_mover(proving: bool, mine: u32, theirs: u32) -> Numbers {
        let (proof, disproof) = match proving {
            true => (mine, theirs),
            false => (theirs, mine),
        };
        Numbers { proof, disproof }
    }
}
