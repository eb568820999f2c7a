//! The pursuit of a goal in a region: what a state shows without a move, and which moves can
//! matter.

use super::goal::Goal;
use super::play::{Conduct, Retake, State, Step};
use super::region::{Bits, Region, bits};
use super::superko::History;
use crate::types::Color;
use std::cell::RefCell;

/// What is known of a state without trying a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlook {
    /// The goal is reached (true), or missed for good (false).
    Settled(bool),
    /// The chain is captured, but its owner may still get a lasting stone.
    Captured,
    /// The opponent is to move, and one of these new stones of the owner may be beyond
    /// capture.
    MayLast(Bits),
    /// A move must be tried.
    Open,
}

/// A goal in a region, and the rules of play.
#[derive(Clone, Copy, Debug)]
pub struct Pursuit<'a> {
    /// The region.
    pub region: &'a Region,
    /// The rules of play.
    pub how: Conduct,
    /// The goal.
    pub goal: Goal,
    /// The paths to states, under superko.
    pub history: Option<&'a RefCell<History>>,
    /// Skip moves, and parts of the region, that gain nothing?
    pub shortcuts: bool,
}

impl Pursuit<'_> {
    /// Stones of `c` beyond capture.
    pub fn beyond_capture(&self, s: &State, c: Color) -> Bits {
        let (own, other) = (s.stones[c.index()], s.stones[c.opponent().index()]);
        let suicide = self.how.allows_suicide();
        self.region.beyond_capture(c, own, other, suicide)
    }

    /// Assess a state without trying a move.
    pub fn outlook(&self, s: &State) -> Outlook {
        if self.region.held & !s.stones[self.goal.prover().index()] != 0 {
            return Outlook::Settled(false);
        }
        let owner = self.goal.owner();
        let target = self.goal.standing_target(s);
        let alive = self.beyond_capture(s, owner);
        let open = || {
            let hostile = self.beyond_capture(s, owner.opponent());
            let open = self.region.open_to(owner, s.stones[owner.index()], hostile);
            open & !self.eyeless_parts(s, open)
        };
        let (reached, missed) = match self.goal {
            Goal::Capture { .. } => (
                target == 0 || alive & target == 0 && open() & target == 0,
                target & !alive == 0,
            ),
            Goal::CaptureAll { .. } => (
                (alive | open()) & target == 0 || alive & target == 0 && self.is_eyeless(s, target),
                alive & target != 0,
            ),
            Goal::Remove { .. } => (target == 0, target & !alive == 0),
            Goal::Seal { local, .. } => (
                alive & local == 0 && open() & local == 0,
                alive & local != 0,
            ),
            Goal::TwoEyes { local, .. } => (alive & local != 0, open() & local == 0),
            Goal::CaptureForGood { .. } if target == 0 => return Outlook::Captured,
            Goal::CaptureForGood { local, .. } | Goal::LastingStone { local, .. } => {
                // A lasting new stone of the owner is still there after the capture.
                let new = s.fresh & local & s.stones[owner.index()];
                let owner_proves = self.goal.prover() == owner;
                if alive & (target | new) != 0 {
                    return Outlook::Settled(owner_proves);
                }
                let open = open();
                return match new & open {
                    _ if open & (local | target) == 0 => Outlook::Settled(!owner_proves),
                    0 => Outlook::Open,
                    _ if s.to_move == owner => Outlook::Open,
                    new => Outlook::MayLast(new),
                };
            }
        };
        match (reached, missed) {
            (true, _) => Outlook::Settled(true),
            (false, true) => Outlook::Settled(false),
            (false, false) => Outlook::Open,
        }
    }

    /// Is there too little room for two eyes around these stones? Assumes that no eyes arise next
    /// to walls of the opponent or where the owner has stones.
    fn is_eyeless(&self, s: &State, stones: Bits) -> bool {
        let region = self.region;
        let owner = self.goal.owner();
        let (own, other) = (s.stones[owner.index()], s.stones[owner.opponent().index()]);
        let (walls, hostile) = region.walls(owner.opponent(), other);
        let room = region.flood(stones, region.all() & !walls);
        let eyes = room & !own & !hostile;
        if region.next_to_safe[owner.index()] & room != 0 {
            return false;
        }
        match eyes.count_ones() {
            0 | 1 => true,
            2 => region.around_set(eyes) & eyes == eyes,
            3 => {
                // The middle point decides.
                let middle = bits(eyes).find(|&b| (region.around_bit(b) & eyes).count_ones() == 2);
                let takes = |b| s.to_move != owner && s.play(region, self.how, b).is_some();
                middle.is_some_and(|b| other & 1 << b != 0 || takes(b))
            }
            _ => false,
        }
    }

    /// The parts of these points in which the owner can get neither two eyes nor a seki, even after
    /// captures. No safe stone of the owner is next to such a part. Once all its points next to the
    /// opponent's walls are filled, it has at most one point left, or two adjacent ones, or three
    /// with a stone of the opponent in the middle. Empty without shortcuts.
    fn eyeless_parts(&self, s: &State, open: Bits) -> Bits {
        if !self.shortcuts || open == 0 {
            return 0;
        }
        let region = self.region;
        let owner = self.goal.owner();
        let other = s.stones[owner.opponent().index()];
        let (walls, hostile) = region.walls(owner.opponent(), other);
        let eyes = !hostile & !walls;
        let is_barren = |part: &Bits| {
            let eyes = part & eyes;
            part & region.next_to_safe[owner.index()] == 0
                && match eyes.count_ones() {
                    0 | 1 => true,
                    2 => region.around_set(eyes) & eyes == eyes,
                    3 => {
                        bits(eyes & other).any(|b| (region.around_bit(b) & eyes).count_ones() == 2)
                    }
                    _ => false,
                }
        };
        region
            .parts(open)
            .filter(is_barren)
            .fold(0, |all, part| all | part)
    }

    /// Points where a move can matter. Chains beyond capture divide the region into parts. Only
    /// parts with stones or points of the goal count.
    fn useful(&self, s: &State) -> Bits {
        let region = self.region;
        let owner = self.goal.owner();
        let hostile = self.beyond_capture(s, owner.opponent());
        let loose = region.all() & !hostile & !self.beyond_capture(s, owner);
        let target = self.goal.standing_target(s);
        let local = match self.goal.local() {
            0 => 0,
            local => local & region.open_to(owner, s.stones[owner.index()], hostile),
        };
        let dull = self.pointless_liberties(s);
        region.flood((target | local) & loose, loose) & s.empty(region) & !dull
    }

    /// Points where a move gains nothing: liberties that a chain of the owner shares only with
    /// walls of the opponent. The owner may as well pass. To the opponent all are equal, so all but
    /// one are skipped. Empty without shortcuts, under superko, and for goals other than
    /// [`Goal::Capture`], [`Goal::CaptureAll`] and [`Goal::Seal`].
    fn pointless_liberties(&self, s: &State) -> Bits {
        let region = self.region;
        let owner = self.goal.owner();
        let target = self.goal.standing_target(s);
        let decides = match self.goal {
            Goal::Capture { .. } => target,
            Goal::CaptureAll { .. } | Goal::Seal { .. } => Bits::MAX,
            _ => return 0,
        };
        if !self.shortcuts || self.history.is_some() {
            return 0;
        }
        let (own, other) = (s.stones[owner.index()], s.stones[owner.opponent().index()]);
        let (walls, hostile) = region.walls(owner.opponent(), other);
        let empty = s.empty(region);
        let loose = region.around_set(other & !walls) | region.next_to_safe[owner.index()];
        let beside = hostile & empty & !loose;
        let mut dull = 0;
        for chain in region.parts(region.flood(own & region.around_set(beside), own)) {
            let mut shared = beside & region.around_set(chain) & !region.around_set(own & !chain);
            loop {
                let open = shared & region.around_set(empty & !shared);
                if open == 0 {
                    break;
                }
                shared &= !open;
            }
            dull |= match s.to_move == owner {
                true => shared,
                false if chain & decides != 0 => shared & shared.wrapping_sub(1),
                false => 0,
            };
        }
        dull
    }

    /// All moves that can matter, each with the state after it.
    pub fn children(&self, s: &State) -> Vec<(Step, State)> {
        let mut found = Vec::new();
        let mut quiet = Vec::new();
        for bit in bits(self.useful(s)) {
            if let Some((next, captured)) = self.play(s, bit) {
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
        // A pass helps the prover only to wait for a ko, or if its new stones may already be
        // enough. Otherwise the opponent would pass too.
        let new = match self.goal {
            Goal::LastingStone { local, .. } => s.fresh & local,
            _ => 0,
        };
        if waits || s.to_move != self.goal.prover() || new != 0 {
            found.extend(self.step(Step::Pass, s.pass(retake, None)));
        }
        found
    }

    /// The state after a play, with the captured stones; `None` if it is illegal. A stone of the
    /// owner on a point of the goal is new.
    fn play(&self, s: &State, bit: u32) -> Option<(State, Bits)> {
        let (mut next, captured) = s.play(self.region, self.how, bit)?;
        if s.to_move == self.goal.owner() {
            next.fresh |= self.goal.local() & next.stones[s.to_move.index()] & 1 << bit;
        }
        Some((next, captured))
    }

    /// The state after this step, if it is legal.
    pub fn after(&self, s: &State, step: Step) -> Option<State> {
        let retake = self.how.retake;
        let next = match step {
            Step::Pass => s.pass(retake, None),
            Step::KoPass(bit) => s.pass(retake, Some(bit)),
            Step::Play(bit) => {
                if s.empty(self.region) & 1 << bit == 0 {
                    return None;
                }
                self.play(s, bit)?.0
            }
        };
        Some(self.step(step, next)?.1)
    }

    /// A step and the state after it, unless superko forbids it.
    fn step(&self, step: Step, next: State) -> Option<(Step, State)> {
        match self.history {
            None => Some((step, next)),
            Some(history) => Some((step, history.borrow_mut().after(step, &next)?)),
        }
    }
}
