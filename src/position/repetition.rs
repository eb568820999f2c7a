//! What a list of turns says of repetition: those of a game, or of a line in the
//! search that goes on from one.

use super::Turn;
use crate::rules::{KoRule, Ruleset};
use crate::types::{Color, Move};

/// The pass before which no position counts as a repeated one: the last one under
/// Spight's rule, or the one that took the button, the first.
pub fn slate_wiped_by(rules: &Ruleset, turns: &[Turn]) -> Option<usize> {
    let passed = |t: &Turn| t.mv == Move::Pass;
    match rules.ko {
        KoRule::Spight => turns.iter().rposition(passed),
        _ if rules.button => turns.iter().position(passed),
        _ => None,
    }
}

/// The earliest turn whose position stones of this hash, left by a turn of `c`,
/// would repeat against the superko.
pub fn repeated(ko: KoRule, turns: &[Turn], c: Color, hash: u64) -> Option<usize> {
    let any_mover = ko.is_positional();
    turns
        .iter()
        .position(|t| t.hash == hash && (any_mover || t.color == c))
}

/// How many turns ago the position after the last one was there before, after a
/// turn of the same player and without a pass since. The turns come last first; the
/// game began with stones of the hash `start`, as if that player had left them.
pub fn cycle_length<'a>(
    latest_first: impl Iterator<Item = &'a Turn>,
    start: (u64, Color),
) -> Option<usize> {
    let left = |t: &Turn| (t.mv != Move::Pass).then_some((t.hash, t.color));
    let mut positions = latest_first.map(left).chain([Some(start)]).map_while(|p| p);
    let last = positions.next()?;
    positions.position(|p| p == last).map(|n| n + 1)
}
