//! Whether a chain is dead, by proofs, hypothetical play and the estimate.

use super::ChainStatus;
use super::estimate::mean;
use crate::adjudicate::{Finding, Procedure, Safe};
use crate::board::Board;
use crate::playout::Ownership;
use crate::tactics::Unconditional;
use crate::types::{Color, Point};

/// Mean ownership, from −1 to 1, above which a chain saves another one that can connect to it.
const CONNECTED: f32 = 0.5;

/// What decides whether a chain is dead.
pub(super) struct Evidence<'a> {
    pub board: &'a Board,
    pub ownership: &'a Ownership,
    pub safe: &'a Safe,
    pub findings: &'a [Finding],
    /// The unconditional life of each colour, by [`Color::index`].
    pub unconditional: [Unconditional; 2],
    pub procedure: Procedure,
    /// Do the rules remove dead stones? If not, none is dead.
    pub removes_stones: bool,
}

impl Evidence<'_> {
    /// Every chain of the board, [dead](ChainStatus::Dead) or [alive](ChainStatus::Alive). Seki is
    /// found later.
    pub fn chains(&self) -> Vec<(Vec<Point>, ChainStatus)> {
        let chains = self.board.chains().map(|(c, stones)| {
            let status = match self.is_dead(c, stones[0]) {
                true => ChainStatus::Dead,
                false => ChainStatus::Alive,
            };
            (stones, status)
        });
        chains.collect()
    }

    /// Is this colour's chain at `p` dead? Proofs come before hypothetical play, and both before the
    /// estimate.
    fn is_dead(&self, c: Color, p: Point) -> bool {
        if !self.removes_stones || self.safe.proof(p).is_some() {
            return false;
        }
        if self.unconditional[c.opponent().index()].is_in_eye(p) {
            return true;
        }
        let found = self.findings.iter().find(|f| f.stones.contains(&p));
        if let Some(alive) = found.and_then(|f| f.life.is_alive()) {
            return !alive;
        }
        if self.safe.contains(p) || mean(self.ownership, self.board, p) >= 0.0 {
            return false;
        }
        // An owner who moves first connects a chain if one move suffices.
        let lives = |q| self.safe.contains(q) || mean(self.ownership, self.board, q) > CONNECTED;
        !(self.procedure.first.is_owner(c) && connects(self.board, c, p, lives))
    }
}

/// Can one play connect the chain at `p` to another one that `lives`, so that the result is not in
/// atari?
fn connects(board: &Board, c: Color, p: Point, lives: impl Fn(Point) -> bool) -> bool {
    let chain = board.chain(p);
    board.liberties_up_to::<8>(p).into_iter().any(|q| {
        let friend = |r: &Point| board.at(*r).color() == Some(c) && board.chain(*r) != chain;
        if !q.neighbours().iter().any(|r| friend(r) && lives(*r)) {
            return false;
        }
        let after = board.with_stone(c, q);
        after.is_ok_and(|after| after.liberties_up_to::<2>(q).len() == 2)
    })
}
