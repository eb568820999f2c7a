//! Goals of hypothetical play, and the moves that can matter for them.

use super::play::{Conduct, Retake, State, Step};
use super::region::{Bits, Region, bits};
use super::superko::History;
use crate::types::Color;
use std::cell::RefCell;

/// A goal of one of the players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// The opponent captures a stone of this set, or reaches a state in which nothing can
    /// prevent that.
    Capture {
        /// Owner of the stones.
        owner: Color,
        /// The stones: one chain, or several that must all survive.
        target: Bits,
    },
    /// The opponent captures the chain on the board.
    TakeOff {
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
        /// The stones, one chain.
        target: Bits,
        /// Where a new stone would count; `target` is a part of it.
        local: Bits,
    },
    /// The opponent captures the chain, and its owner gets no lasting stone on `local`.
    CaptureForGood {
        /// Owner of the stones.
        owner: Color,
        /// The stones, one chain.
        target: Bits,
        /// Where a new stone would count; `target` is a part of it.
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

    /// The goal of the chain's owner once the chain is captured.
    pub fn lasting(&self) -> Goal {
        Goal::LastingStone {
            owner: self.owner(),
            local: self.local(),
        }
    }

    /// The player who must reach it.
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
            | Goal::TakeOff { owner, .. }
            | Goal::Seal { owner, .. }
            | Goal::CaptureForGood { owner, .. }
            | Goal::TwoEyes { owner, .. }
            | Goal::LastingStone { owner, .. } => owner,
        }
    }

    /// The chain to be captured; 0 if there is none.
    fn target(&self) -> Bits {
        match *self {
            Goal::Capture { target, .. }
            | Goal::TakeOff { target, .. }
            | Goal::Seal { target, .. }
            | Goal::CaptureForGood { target, .. } => target,
            Goal::TwoEyes { .. } | Goal::LastingStone { .. } => 0,
        }
    }

    /// Where new stones of the owner count.
    pub fn local(&self) -> Bits {
        match *self {
            Goal::Capture { .. } | Goal::TakeOff { .. } => 0,
            Goal::Seal { local, .. }
            | Goal::CaptureForGood { local, .. }
            | Goal::TwoEyes { local, .. }
            | Goal::LastingStone { local, .. } => local,
        }
    }

    /// The chain to be captured, while it stands; 0 afterwards.
    pub fn standing_target(&self, s: &State) -> Bits {
        let own = s.stones[self.owner().index()] & !s.fresh;
        match self.target() {
            target if target & !own == 0 => target,
            _ => 0,
        }
    }
}

/// What is known of a state without trying a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The goal is reached, or missed for good.
    Settled(bool),
    /// The chain is captured; whether its owner gets a lasting stone is open.
    Captured,
    /// The opponent is to move, and one of these new stones of the owner may be beyond
    /// capture.
    MayLast(Bits),
    /// A move must be tried.
    Open,
}

/// A goal in a region, and the rules of play.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The region.
    pub region: &'a Region,
    /// The rules of play.
    pub how: Conduct,
    /// The goal.
    pub goal: Goal,
    /// The paths to states, under superko.
    pub history: Option<&'a RefCell<History>>,
}

impl Question<'_> {
    /// Stones of `c` beyond capture.
    pub fn alive(&self, s: &State, c: Color) -> Bits {
        let (own, other) = (s.stones[c.index()], s.stones[c.opponent().index()]);
        let suicide = self.how.allows_suicide();
        self.region.pass_alive(c, own, other, suicide)
    }

    /// Evaluate a state without trying a move.
    pub fn verdict(&self, s: &State) -> Verdict {
        let owner = self.goal.owner();
        let target = self.goal.standing_target(s);
        let alive = self.alive(s, owner);
        let open = || {
            let hostile = self.alive(s, owner.opponent());
            self.region.open_to(owner, s.stones[owner.index()], hostile)
        };
        match self.goal {
            Goal::Capture { .. } => {
                Verdict::of(target == 0 || (alive & target == 0 && open() & target == 0))
                    .unless(target & !alive == 0)
            }
            Goal::TakeOff { .. } => Verdict::of(target == 0).unless(target & !alive == 0),
            Goal::Seal { local, .. } => {
                Verdict::of(alive & local == 0 && open() & local == 0).unless(alive & local != 0)
            }
            Goal::CaptureForGood { .. } if target == 0 => Verdict::Captured,
            Goal::CaptureForGood { local, .. } => {
                // A lasting new stone is still there after the capture.
                let new = s.fresh & local & s.stones[owner.index()];
                if alive & (target | new) != 0 {
                    return Verdict::Settled(false);
                }
                let open = open();
                match new & open {
                    _ if open & (local | target) == 0 => Verdict::Settled(true),
                    0 => Verdict::Open,
                    _ if s.to_move == owner => Verdict::Open,
                    new => Verdict::MayLast(new),
                }
            }
            Goal::TwoEyes { local, .. } => {
                Verdict::of(alive & local != 0).unless(open() & local == 0)
            }
            Goal::LastingStone { local, .. } => {
                let new = s.fresh & local & s.stones[owner.index()];
                if new & alive != 0 {
                    return Verdict::Settled(true);
                }
                let open = open();
                match new & open {
                    _ if open & local == 0 => Verdict::Settled(false),
                    0 => Verdict::Open,
                    _ if s.to_move == owner => Verdict::Open,
                    new => Verdict::MayLast(new),
                }
            }
        }
    }

    /// Points where a move can matter. Chains beyond capture separate the region into parts;
    /// only parts with something at stake count.
    fn useful(&self, s: &State) -> Bits {
        let region = self.region;
        let owner = self.goal.owner();
        let hostile = self.alive(s, owner.opponent());
        let loose = region.all() & !hostile & !self.alive(s, owner);
        let target = self.goal.standing_target(s);
        let local = match self.goal.local() {
            0 => 0,
            local => local & region.open_to(owner, s.stones[owner.index()], hostile),
        };
        region.flood((target | local) & loose, loose) & s.empty(region)
    }

    /// All moves, each with the state after it.
    pub fn children(&self, s: &State) -> Vec<(Step, State)> {
        let mut found = Vec::new();
        let fresh = match s.to_move == self.goal.owner() {
            true => self.goal.local(),
            false => 0,
        };
        let mut quiet = Vec::new();
        for bit in bits(self.useful(s)) {
            if let Some((mut next, captured)) = s.play(self.region, self.how, bit) {
                next.fresh |= fresh & next.stones[s.to_move.index()] & 1 << bit;
                let Some(step) = self.step(Step::Play(bit), next) else {
                    continue;
                };
                if captured != 0 {
                    found.push(step);
                } else {
                    quiet.push(step);
                }
            }
        }
        found.extend(quiet);
        let retake = self.how.retake;
        let mut waits = false;
        for bit in s.forbidden_kos() {
            match retake {
                Retake::AfterPassForIt => {
                    found.extend(self.step(Step::KoPass(bit), s.pass(retake, Some(bit))));
                }
                Retake::AfterAnyMove => waits = true,
            }
        }
        // A pass does not help the prover, since the opponent passes too, except to wait for
        // a ko, or if its new stones may already be enough.
        let new = match self.goal {
            Goal::LastingStone { local, .. } => s.fresh & local,
            _ => 0,
        };
        if waits || s.to_move != self.goal.prover() || new != 0 {
            found.extend(self.step(Step::Pass, s.pass(retake, None)));
        }
        found
    }

    /// A step and the state after it, unless superko forbids it.
    fn step(&self, step: Step, next: State) -> Option<(Step, State)> {
        match self.history {
            None => Some((step, next)),
            Some(history) => Some((step, history.borrow_mut().after(step, &next)?)),
        }
    }
}

impl Verdict {
    fn of(reached: bool) -> Verdict {
        if reached {
            Verdict::Settled(true)
        } else {
            Verdict::Open
        }
    }

    fn unless(self, missed: bool) -> Verdict {
        match self {
            Verdict::Open if missed => Verdict::Settled(false),
            verdict => verdict,
        }
    }
}
