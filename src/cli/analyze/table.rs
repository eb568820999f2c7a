//! Table of all moves (CSV).

use super::losses::Loss;
use crate::analysis::AnalysisReport;
use std::borrow::Cow;

/// Names of the columns.
pub(super) const HEADER: &str = "game,move,player,played,best,win_rate,lead,win_rate_lost,\
points_lost,policy_rank,prior,visits\n";

/// Format a row for each move of a game. Win rate and lead are the player's before the move.
/// The rank is 1 plus the number of moves with a higher prior.
pub(super) fn rows(name: &str, losses: &[Loss], reports: &[AnalysisReport]) -> String {
    let name = quoted(name);
    let mut rows = String::new();
    for loss in losses {
        let Some(before) = reports.get(loss.at) else {
            continue;
        };
        let c = loss.color;
        let likelier = |p: f32| before.moves.iter().filter(|m| m.prior > p).count();
        let rank = loss.prior.map(|p| (1 + likelier(p)).to_string());
        let best = before.moves.first().map(|m| m.mv.to_string());
        rows.push_str(&format!(
            "{name},{},{},{},{},{:.4},{:.2},{:.4},{:.2},{},{},{}\n",
            loss.number,
            c.letter(),
            loss.played,
            best.unwrap_or_default(),
            before.win_rate_of(c),
            before.lead_of(c),
            loss.win_rate,
            loss.points,
            rank.unwrap_or_default(),
            loss.prior.map(|p| format!("{p:.4}")).unwrap_or_default(),
            before.visits,
        ));
    }
    rows
}

/// Quote a field as in RFC 4180.
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
    fn names_are_quoted_if_necessary() {
        assert_eq!(quoted("a-1"), "a-1");
        assert_eq!(quoted("a, \"b\""), "\"a, \"\"b\"\"\"");
    }
}
