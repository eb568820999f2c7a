//! Passes, the button, and the end of the game.

use super::{Position, Turn};
use crate::rules::{KoRule, Resumption};
use crate::types::{Color, Move};

impl Position {
    /// The turn that took the button, if there is a button: the first pass.
    fn button_turn(&self) -> Option<usize> {
        if !self.rules.button {
            return None;
        }
        self.turns.iter().position(|t| t.mv == Move::Pass)
    }

    /// The holder of the button, worth half a point; `None` while it is free, or if
    /// there is no button.
    pub fn button(&self) -> Option<Color> {
        self.button_turn().map(|i| self.turns[i].color)
    }

    /// Number of turns before the game was last resumed; 0 if it never was.
    pub(super) fn resumed_at(&self) -> usize {
        self.resumptions.last().copied().unwrap_or(0)
    }

    /// The turns since the game was last resumed, or all. Earlier passes cannot end the game.
    pub(super) fn turns_since_resumption(&self) -> &[Turn] {
        &self.turns[self.resumed_at()..]
    }

    /// Number of latest consecutive passes that count towards ending the game: not the pass that
    /// took the button, nor White's handicap passes.
    pub fn consecutive_passes(&self) -> u32 {
        let (button, resumed_at) = (self.button_turn(), self.resumed_at());
        let passes = self
            .turns
            .iter()
            .enumerate()
            .rev()
            .take_while(|&(i, t)| {
                i >= resumed_at
                    && t.mv == Move::Pass
                    && button != Some(i)
                    && !self.is_handicap_pass(i)
            })
            .count();
        passes as u32
    }

    /// Black's passes minus White's, without handicap passes, whether or not passes cost stones.
    pub(super) fn pass_balance(&self) -> i32 {
        let [black, white] = self.ordinary_passes;
        black as i32 - white as i32
    }

    /// Have passes stopped the game? Two in a row do, or under Spight's rule a second
    /// pass of one player from the same position. If the rules make White pass
    /// last, the last pass must be White's. Play may still continue.
    pub fn is_over(&self) -> bool {
        let Some((last, before)) = self.turns_since_resumption().split_last() else {
            return false;
        };
        last.mv == Move::Pass && self.passes_end(before, last.color, self.consecutive_passes())
    }

    /// The position after the passes that end the game, if no player plays again. Under every
    /// ruleset these are few, even after a pass that takes the button or gives handicap.
    pub fn after_last_passes(&self) -> Position {
        let mut position = self.clone();
        while !position.is_over() {
            position.play_unchecked(position.to_move, Move::Pass);
        }
        position
    }

    /// Would a pass of the player to move end the game?
    pub fn pass_would_end(&self) -> bool {
        let c = self.to_move;
        let is_special = (self.rules.button && self.button_turn().is_none())
            || self.would_be_handicap_pass(c, Move::Pass);
        !is_special
            && self.passes_end(
                self.turns_since_resumption(),
                c,
                self.consecutive_passes() + 1,
            )
    }

    /// Does a pass of `c` after the turns `before` end the game? It is the last of
    /// `in_a_row` passes.
    fn passes_end(&self, before: &[Turn], c: Color, in_a_row: u32) -> bool {
        let enough = match self.rules.ko {
            KoRule::Spight => before
                .iter()
                .any(|t| (t.mv, t.color, t.hash) == (Move::Pass, c, self.board.hash())),
            _ => in_a_row >= 2,
        };
        enough && (!self.rules.white_passes_last || c == Color::White)
    }

    /// Resume a stopped game at the request of `by`, and give the turn to the player who moves
    /// first then. If the players must agree on that, the turn is unchanged and they may set
    /// it. Only passes from here on stop the game again.
    pub fn resume(&mut self, by: Color) {
        self.resumptions.push(self.turns.len());
        match self.rules.resumption {
            Resumption::OpponentFirst => self.set_to_move(by.opponent()),
            Resumption::Alternation | Resumption::ByAgreement => {}
        }
    }
}
