//! Repetition in a list of turns, those of a game or of a line of search that continues it:
//! superko and long cycles.

use super::{Earlier, Position, Turn};
use crate::board::Board;
use crate::rules::{KoRule, LongCycle, Ruleset};
use crate::types::{Color, Move};
use ahash::AHasher;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

/// The turns that superko looks back to, indexed by the hash of the resulting stones, so that
/// replaying a game takes time proportional to its length.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// By hash, the number of the earliest turn of each colour, from 1; 0 for none. Copied on
    /// write, because positions are cloned often.
    earliest: Arc<HashMap<u64, [u32; 2], BuildHasherDefault<AHasher>>>,
    /// See [`last_reset`].
    last_reset: Option<usize>,
}

impl Seen {
    /// Add the next turn of the game, which has this index.
    pub fn add(&mut self, rules: &Ruleset, index: usize, t: &Turn) {
        if rules.ko == KoRule::Simple {
            return;
        }
        let resets = rules.ko == KoRule::Spight || (rules.button && self.last_reset.is_none());
        if t.mv == Move::Pass && resets {
            self.earliest = Arc::default();
            self.last_reset = Some(index);
        }
        let turns = Arc::make_mut(&mut self.earliest);
        let first = &mut turns.entry(t.hash).or_default()[t.color.index()];
        if *first == 0 {
            *first = index as u32 + 1;
        }
    }

    /// The [`last_reset`] of the turns; `None` under simple ko.
    pub fn last_reset(&self) -> Option<usize> {
        self.last_reset
    }

    /// The result of [`repeated`] for the turns from the last reset, as an index into all turns.
    pub fn repeated(&self, ko: KoRule, c: Color, hash: u64) -> Option<usize> {
        let turns = self.earliest.get(&hash)?;
        let any_mover = ko.is_positional();
        let of = Color::BOTH.into_iter().filter(|&by| any_mover || by == c);
        let numbers = of.map(|by| turns[by.index()]).filter(|&n| n > 0);
        numbers.min().map(|n| n as usize - 1)
    }
}

/// The pass that superko does not look back beyond: under Spight's rule, the last pass; with a
/// button, the first pass, which takes the button; otherwise `None`.
pub fn last_reset(rules: &Ruleset, turns: &[Turn]) -> Option<usize> {
    let passed = |t: &Turn| t.mv == Move::Pass;
    match rules.ko {
        KoRule::Spight => turns.iter().rposition(passed),
        _ if rules.button => turns.iter().position(passed),
        _ => None,
    }
}

/// The earliest turn that makes superko forbid `c` to produce stones of this hash.
pub fn repeated(ko: KoRule, turns: &[Turn], c: Color, hash: u64) -> Option<usize> {
    let any_mover = ko.is_positional();
    turns
        .iter()
        .position(|t| t.hash == hash && (any_mover || t.color == c))
}

/// The number of turns since the present position last arose from a turn of the same
/// player, without a pass since. The turns are given latest first. `start` is the hash of
/// the starting position and the player who counts as having produced it.
pub fn cycle_length<'a>(
    latest_first: impl Iterator<Item = &'a Turn>,
    start: (u64, Color),
) -> Option<usize> {
    let result = |t: &Turn| (t.mv != Move::Pass).then_some((t.hash, t.color));
    let mut positions = latest_first
        .map(result)
        .chain([Some(start)])
        .map_while(|p| p);
    let last = positions.next()?;
    positions.position(|p| p == last).map(|n| n + 1)
}

impl Position {
    /// The earliest position that makes superko forbid `c` to produce stones of this hash.
    pub(super) fn repeats(&self, c: Color, hash: u64) -> Option<Earlier> {
        let rule = self.rules.ko;
        if rule == KoRule::Simple {
            return None;
        }
        let by = self.start_mover();
        if by.is_some_and(|by| rule.is_positional() || by == c) && self.start.hash() == hash {
            return Some(Earlier::Start);
        }
        let at = self.seen.repeated(rule, c, hash)?;
        Some(Earlier::Turn {
            number: at as u32 + 1,
            color: self.turns[at].color,
        })
    }

    /// The player who counts as having produced the starting position; `None` if superko does
    /// not look back to it.
    fn start_mover(&self) -> Option<Color> {
        let counts = self.seen.last_reset().is_none() && self.rules.ko != KoRule::OwnMoves;
        counts.then_some(self.start_as_turn().1)
    }

    /// The boards that superko forbids to recreate, oldest first, the present one included, each
    /// with the player whose turn produced it. Empty under simple ko. Left out are those after
    /// passes, although superko forbids to recreate these too.
    pub fn earlier_boards(&self) -> Vec<(Color, Board)> {
        let mut found = Vec::new();
        if self.rules.ko == KoRule::Simple {
            return found;
        }
        let from = self.seen.last_reset().unwrap_or(0);
        let mut board = Board::clone(&self.start);
        found.extend(self.start_mover().map(|by| (by, board.clone())));
        for (i, t) in self.turns.iter().enumerate() {
            board.play_move(t.color, t.mv);
            if i >= from && t.mv != Move::Pass {
                found.push((t.color, board.clone()));
            }
        }
        found
    }

    /// The number of turns since the same position with the same player to move, if the
    /// rules treat that as a long cycle (Japanese 1989, Article 12). The starting position
    /// counts. A pass in between breaks the cycle.
    pub fn long_cycle(&self) -> Option<usize> {
        if self.rules.long_cycle == LongCycle::PlaysOn {
            return None;
        }
        cycle_length(self.turns.iter().rev(), self.start_as_turn())
    }

    /// The starting position as if a turn had led to it: the hash of its stones, and the
    /// player who is not to move.
    pub(super) fn start_as_turn(&self) -> (u64, Color) {
        // The first turn decides who was to move, even if the set-up differs.
        let first = self.turns.first().map_or(self.first, |t| t.color);
        (self.start.hash(), first.opponent())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::PRESETS;
    use crate::types::{BoardSize, Generator};

    fn check(p: &Position) {
        let (rules, turns) = (p.rules(), p.turns());
        if rules.ko == KoRule::Simple {
            return;
        }
        let reset = last_reset(rules, turns);
        assert_eq!(p.seen.last_reset(), reset);
        let from = reset.unwrap_or(0);
        for t in turns {
            for c in Color::BOTH {
                let plain = repeated(rules.ko, &turns[from..], c, t.hash).map(|at| from + at);
                assert_eq!(p.seen.repeated(rules.ko, c, t.hash), plain);
            }
        }
    }

    /// The turns that superko looks back to depend only on the turns of the game.
    #[test]
    fn superko_history_survives_undo_new_rules_and_resumption() {
        let mut all: Vec<Ruleset> = PRESETS.iter().map(|p| p.rules).collect();
        let mut spight = Ruleset::default();
        spight.set("ko", "SPIGHT").unwrap();
        all.push(spight);
        let mut rng = Generator::new(1);
        let any = |rng: &mut Generator| all[rng.below(all.len() as u32) as usize];
        for _ in 0..100 {
            let mut p = Position::new(BoardSize::square(2), any(&mut rng));
            for _ in 0..60 {
                match rng.below(20) {
                    0 => p.set_rules(any(&mut rng)),
                    1 => p.resume(Color::Black),
                    2 => p = p.at_turn(rng.below(p.turns().len() as u32 + 1) as usize),
                    3 => _ = p.undo(1),
                    4 => {
                        // A copy continues independently.
                        let mut copy = p.clone();
                        copy.play_unchecked(Color::White, Move::Pass);
                        check(&copy);
                    }
                    5..8 => _ = p.play(p.to_move(), Move::Pass),
                    _ => {
                        let c = Color::BOTH[rng.below(2) as usize];
                        let legal: Vec<_> = p.legal_plays(c).collect();
                        if let Some(&q) = legal.get(rng.below(4) as usize) {
                            p.play(c, Move::Play(q)).unwrap();
                        }
                    }
                }
                check(&p);
            }
            let each: Vec<Position> = p.positions().collect();
            assert_eq!(each.len(), p.turns().len() + 1);
            for (n, position) in each.iter().enumerate() {
                check(position);
                let other = p.at_turn(n);
                assert_eq!(position.turns(), other.turns());
                assert_eq!(position.board(), other.board());
                let last = n == p.turns().len();
                let to_move = if last { p.to_move() } else { other.to_move() };
                assert_eq!(position.to_move(), to_move);
                assert_eq!(position.resumptions, other.resumptions);
                assert_eq!(position.turns_set, other.turns_set);
            }
        }
    }
}
