//! The count of a line that passes have ended, for the search.

use super::{EstimateSource, Judgement, OwnershipEstimate};
use crate::playout::Ownership;
use crate::position::Line;

/// Black's margin in the count of a line that passes have ended, by proofs that need no
/// hypothetical play and by this ownership, as [`Count`](crate::search::Count) describes it.
///
/// The network alone is unsure of close games: after the last dame it may give a loss by half a
/// point 50 %, and often takes an eye in a seki for territory.
pub(in crate::analysis) fn count(line: &Line, ownership: &[f32]) -> Option<f32> {
    let mut expected = Ownership::default();
    expected.add_expected(ownership);
    let estimate = OwnershipEstimate::new(expected, EstimateSource::Network);
    if !estimate.doubts(line.board()).is_empty() {
        return None;
    }
    let judgement = Judgement::by_ownership(&line.position(), estimate);
    Some(judgement.score().margin() as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{AnalysisRequest, Analyst, EvaluatorChoice, Limits, Thoroughness};
    use crate::board::Board;
    use crate::position::{Position, Root};
    use crate::rules::preset;
    use crate::types::{Color, Komi, Move, POINTS, Point};
    use std::sync::Arc;

    /// The stone at C2 is dead, the others are alive, and no dame is left. White's next
    /// pass ends the game.
    fn position(rules: &str) -> Position {
        let board = Board::from_diagram(
            ". X . X O . .
             X . X X O O O
             . X . X O . .
             X . X X O O O
             . X . X O . .
             X X O X O O O
             X . X X O . .",
        )
        .unwrap();
        let rules = preset(rules).unwrap().rules;
        let mut position = Position::from_board(board, Color::Black, rules);
        position.set_komi(Komi::new(6.5).unwrap());
        position.play(Color::Black, Move::Pass).unwrap();
        position
    }

    #[test]
    fn a_line_counts_as_its_position_is_judged() {
        for rules in ["japanese", "new-zealand", "korean", "aga"] {
            let position = position(rules);
            let mut line = Line::new(Arc::new(Root::new(position.clone())));
            line.play(Move::Pass);
            let dead = Point::new(2, 1);
            let mut ownership = [0.0; POINTS];
            for (c, stones) in position.board().chains() {
                let owner = if stones.contains(&dead) {
                    c.opponent()
                } else {
                    c
                };
                stones
                    .iter()
                    .for_each(|p| ownership[p.index()] = owner.sign() as f32);
            }
            let judged = Analyst::of_test(EvaluatorChoice::Embedded)
                .judge(&line.position(), Thoroughness::Thorough)
                .clone();
            assert_eq!(judged.dead().collect::<Vec<_>>(), [dead], "{rules}");
            let margin = judged.score().margin() as f32;
            assert_eq!(count(&line, &ownership), Some(margin), "{rules}");
            ownership[dead.index()] = 0.4;
            assert_eq!(count(&line, &ownership), None, "{rules}");
        }
    }

    /// Where passes ended a line, the network alone gave neither player certainty.
    #[test]
    fn a_pass_that_ends_the_game_wins_as_the_count_says() {
        for rules in ["japanese", "new-zealand"] {
            let position = position(rules);
            let mut analyst = Analyst::of_test(EvaluatorChoice::Embedded);
            let judged = analyst.judge(&position.after(Move::Pass), Thoroughness::Quick);
            let winner = judged.score().winner();
            let report = analyst.side_search(&AnalysisRequest {
                limits: Limits::of_playouts(50),
                ..AnalysisRequest::new(position)
            });
            let mut moves = report.moves.iter();
            let pass = moves.find(|m| m.mv == Move::Pass && m.visits > 0).unwrap();
            let wins = if winner == Some(Color::White) {
                1.0
            } else {
                0.0
            };
            assert_eq!(pass.win_rate, wins, "{rules}");
        }
    }
}
