//! The table of all moves.

use super::{Analyzed, parts};
use crate::analysis::AnalysisReport;
use crate::position::Position;
use std::borrow::Cow;

/// Names of the columns.
pub(super) const HEADER: &str = "game,move,player,played,best,win_rate,lead,win_rate_lost,\
points_lost,policy_rank,prior,visits\n";

/// A row for each move of a game, with its number in the record: win rate and lead are the
/// player's before the move, what is lost is the difference to the player's after it, and the
/// rank counts the moves to which the policy gives more.
pub(super) fn rows(name: &str, game: &Position, reports: &[AnalysisReport]) -> String {
    let name = quoted(name);
    let of = |part: Analyzed<'_>| rows_of(&name, &part);
    parts(game, reports).map(of).collect()
}

fn rows_of(name: &str, part: &Analyzed<'_>) -> String {
    let mut rows = String::new();
    let moves = (part.first..).zip(part.game.turns());
    for ((number, turn), pair) in moves.zip(part.reports.windows(2)) {
        let [before, after] = pair else { continue };
        let c = turn.color;
        let prior = before.moves.iter().find(|m| m.mv == turn.mv);
        let prior = prior.map(|m| m.prior);
        let likelier = |p: f32| before.moves.iter().filter(|m| m.prior > p).count();
        let rank = prior.map(|p| (1 + likelier(p)).to_string());
        let best = before.moves.first().map(|m| m.mv.to_string());
        let (win_rate, lead) = (before.win_rate_of(c), before.lead_of(c));
        rows.push_str(&format!(
            "{name},{number},{},{},{},{win_rate:.4},{lead:.2},{:.4},{:.2},{},{},{}\n",
            c.letter(),
            turn.mv,
            best.unwrap_or_default(),
            win_rate - after.win_rate_of(c),
            lead - after.lead_of(c),
            rank.unwrap_or_default(),
            prior.map(|p| format!("{p:.4}")).unwrap_or_default(),
            before.visits,
        ));
    }
    rows
}

/// As RFC 4180 has it.
fn quoted(text: &str) -> Cow<'_, str> {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")).into(),
        false => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_they_must() {
        assert_eq!(quoted("a-1"), "a-1");
        assert_eq!(quoted("a, \"b\""), "\"a, \"\"b\"\"\"");
    }
}
