//! Chains that live only if their owner plays first.

use super::Judgement;
use super::procedure::{QUICK, within};
use crate::adjudicate::{Finding, First, Hypothetical, Procedure, confirm};
use crate::board::Board;
use crate::types::{Color, POINTS, Point, PointSet};
use std::borrow::Cow;
use std::time::Instant;

/// A chain that lives only if its owner plays first.
#[derive(Clone, Debug)]
pub struct Threat {
    /// The chain.
    pub stones: Vec<Point>,
    /// First move of the opponent's attack.
    pub attack: Point,
    /// First move of its owner's defence.
    pub protection: Point,
}

impl Threat {
    /// `Black D4 is lost if White plays D3; Black protects it at D3`, for a chain of `c`.
    pub fn in_words(&self, c: Color) -> String {
        let chain = self.stones.first().map(Point::to_string);
        format!(
            "{c} {} is lost if {} plays {}; {c} protects it at {}",
            chain.unwrap_or_default(),
            c.opponent(),
            self.attack,
            self.protection
        )
    }
}

/// Results of attacks on a player's chains, the opponent playing first.
#[derive(Clone, Debug)]
pub struct Attacked {
    /// Chains that must be protected.
    pub threats: Vec<Threat>,
    /// Stones that need no protection.
    holds: PointSet,
}

impl Attacked {
    /// Do all chains of `c` that border this empty point's area hold?
    pub fn holds_around(&self, board: &Board, c: Color, p: Point) -> bool {
        let own = |q: Point| board.at(q).color() == Some(c);
        let inside = |q: Point| !own(q) && board.size().contains(q);
        let mut area = board.flood(p, &mut [false; POINTS], inside).into_iter();
        area.all(|q| {
            let mut around = q.neighbours().into_iter();
            around.all(|r| !own(r) || self.holds.contains(r))
        })
    }
}

impl Judgement {
    /// Attack a player's chains by hypothetical play, the opponent first.
    ///
    /// Chains that live only if their owner plays first must be protected before the game stops
    /// (teire). Such an attack after the stop is an effective move in the sense of Article 13 of
    /// the Japanese rules of 1989. A diagram has no threats, since it is judged with the attacker
    /// first.
    ///
    /// A chain whose attack is not settled by `until` is not a threat and is not marked as holding.
    pub fn attacked(&self, board: &Board, owner: Color, until: Option<Instant>) -> Attacked {
        let mut attacked = Attacked {
            threats: Vec::new(),
            holds: self.safe.walls().certain,
        };
        let other_first = match &self.other_first {
            Some(found) if self.thoroughness.is_some() => Cow::Borrowed(found),
            _ => Cow::Owned(self.confirm_with_other_first(board, until)),
        };
        let all = || {
            let judged = self.overruled.iter().chain(&self.findings);
            judged.chain(&*other_first)
        };
        for f in all().filter(|f| f.owner == owner && !f.owner_first) {
            match f.life.is_alive() {
                Some(true) => attacked.holds.extend(&f.stones),
                Some(false) => attacked.threats.extend(self.threat(f, all())),
                None => {}
            }
        }
        attacked
    }

    /// Confirm the chains in question with the other player first. Empty for a diagram, which is
    /// judged with the attacker first, and for a judgement without hypothetical play.
    pub(super) fn confirm_with_other_first(
        &self,
        board: &Board,
        until: Option<Instant>,
    ) -> Vec<Finding> {
        if self.procedure.first == First::Attacker || self.thoroughness.is_none() {
            return Vec::new();
        }
        let other = Procedure {
            first: self.procedure.first.other(),
            ..self.procedure
        };
        let effort = within(QUICK, until);
        confirm(board, &self.earlier, &self.safe.walls(), other, effort)
    }

    /// The threat to a chain that an attack captures, if one of these findings shows that its owner
    /// can save it by playing first.
    pub(super) fn threat<'a>(
        &self,
        lost: &Finding,
        findings: impl IntoIterator<Item = &'a Finding>,
    ) -> Option<Threat> {
        let is_it = |f: &&Finding| f.owner_first && f.stones == lost.stones;
        let saved = findings.into_iter().find(is_it)?;
        let first = |line: &[(Color, Hypothetical)], c| match line.first() {
            Some(&(by, Hypothetical::Play(p))) if by == c => Some(p),
            _ => None,
        };
        let lives = saved.life.is_alive() == Some(true);
        Some(Threat {
            attack: first(&lost.line, lost.owner.opponent())?,
            protection: first(&saved.line, lost.owner).filter(|_| lives)?,
            stones: lost.stones.clone(),
        })
    }
}
