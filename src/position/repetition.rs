//! Repetition in a list of turns: those of a game, or of a line of search that continues
//! it.

use super::Turn;
use crate::rules::{KoRule, Ruleset};
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

    /// The [`last_reset`] of the turns.
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

/// The pass that superko does not look back beyond: the last pass under Spight's rule, the
/// first with a button, which it takes; otherwise `None`.
pub fn last_reset(rules: &Ruleset, turns: &[Turn]) -> Option<usize> {
    let passed = |t: &Turn| t.mv == Move::Pass;
    match rules.ko {
        KoRule::Spight => turns.iter().rposition(passed),
        _ if rules.button => turns.iter().position(passed),
        _ => None,
    }
}

/// The earliest turn whose position a turn of `c` resulting in stones of this hash would
/// repeat against superko.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
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
                assert_eq!(position.resumed_at, other.resumed_at);
            }
        }
    }
}
