//! Goals of hypothetical play.

use super::play::State;
use super::region::Bits;
use crate::types::Color;

/// A goal of one of the players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// The opponent captures a stone of this set, or reaches a state in which it certainly will.
    Capture {
        /// Owner of the stones.
        owner: Color,
        /// The stones: one chain, or several that must all survive.
        target: Bits,
    },
    /// The opponent captures all stones on these points, or reaches a state in which none of them
    /// can last. New stones on these points count like the old ones. Life elsewhere does not matter.
    CaptureAll {
        /// Owner of the stones.
        owner: Color,
        /// The points, those of one chain or several.
        target: Bits,
    },
    /// The opponent takes the chain off the board.
    Remove {
        /// Owner of the stones.
        owner: Color,
        /// The stones, one chain.
        target: Bits,
    },
    /// The opponent captures the chain and leaves its owner no room to live on `local`. This
    /// implies [`Goal::CaptureForGood`], which is harder to search.
    Seal {
        /// Owner of the stones.
        owner: Color,
        /// The stones, one chain or several.
        target: Bits,
        /// Where a new stone would count, including `target`.
        local: Bits,
    },
    /// The opponent captures the chain, and its owner gets no lasting stone on `local`.
    CaptureForGood {
        /// Owner of the stones.
        owner: Color,
        /// The stones, one chain.
        target: Bits,
        /// Where a new stone would count, including `target`.
        local: Bits,
    },
    /// A stone of `owner` on `local` has two eyes. A seki does not count.
    TwoEyes {
        /// Owner of the stone.
        owner: Color,
        /// Where a stone counts.
        local: Bits,
    },
    /// `owner` gets a new stone on `local` that the opponent cannot capture.
    LastingStone {
        /// Owner of the stone.
        owner: Color,
        /// Where a stone counts.
        local: Bits,
    },
}

impl Goal {
    /// The goal of capturing a chain of `owner`.
    pub fn capture(owner: Color, chain: Bits) -> Goal {
        // One stone represents the chain.
        let target = chain & chain.wrapping_neg();
        Goal::Capture { owner, target }
    }

    /// The goal that the chain's owner has once the chain is captured.
    pub fn lasting(&self) -> Goal {
        Goal::LastingStone {
            owner: self.owner(),
            local: self.local(),
        }
    }

    /// The player who must reach the goal.
    pub fn prover(&self) -> Color {
        match self {
            Goal::LastingStone { owner, .. } | Goal::TwoEyes { owner, .. } => *owner,
            _ => self.owner().opponent(),
        }
    }

    /// The owner of the stones in question.
    pub fn owner(&self) -> Color {
        match *self {
            Goal::Capture { owner, .. }
            | Goal::CaptureAll { owner, .. }
            | Goal::Remove { owner, .. }
            | Goal::Seal { owner, .. }
            | Goal::CaptureForGood { owner, .. }
            | Goal::TwoEyes { owner, .. }
            | Goal::LastingStone { owner, .. } => owner,
        }
    }

    /// The stones to be captured; 0 if the goal names none.
    fn target(&self) -> Bits {
        match *self {
            Goal::Capture { target, .. }
            | Goal::CaptureAll { target, .. }
            | Goal::Remove { target, .. }
            | Goal::Seal { target, .. }
            | Goal::CaptureForGood { target, .. } => target,
            Goal::TwoEyes { .. } | Goal::LastingStone { .. } => 0,
        }
    }

    /// Where new stones of the owner count.
    pub fn local(&self) -> Bits {
        match *self {
            Goal::Capture { .. } | Goal::CaptureAll { .. } | Goal::Remove { .. } => 0,
            Goal::Seal { local, .. }
            | Goal::CaptureForGood { local, .. }
            | Goal::TwoEyes { local, .. }
            | Goal::LastingStone { local, .. } => local,
        }
    }

    /// The stones to be captured, or 0 once one of them is gone. For [`Goal::CaptureAll`], those
    /// that still stand.
    pub fn standing_target(&self, s: &State) -> Bits {
        let own = s.stones[self.owner().index()] & !s.fresh;
        match self.target() {
            target if matches!(self, Goal::CaptureAll { .. }) => target & own,
            target if target & !own == 0 => target,
            _ => 0,
        }
    }
}
