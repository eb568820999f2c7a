//! Variations of a problem: lines that show what its first moves reach.

use super::search::Search;
use super::{Bounds, Problem, Reach};
use crate::adjudicate::play::State;
use crate::board::Board;
use crate::types::{Color, Move, Point};

/// Maximum other defences to show after a right first move.
const RESISTANCE: usize = 3;

impl Problem {
    /// A line of a search as it can be played on the board. Two passes, which stand for a ko threat
    /// and its answer, come before a move that retakes a ko. The line ends before a move that is
    /// impossible because the search assumed more about the stones around its region than the board
    /// shows.
    pub fn on_board(&self, line: Vec<(Color, Move)>) -> Vec<(Color, Move)> {
        playable(&self.around.board, line)
    }

    /// The lines of a tree of variations. After a right first move, they are the play that shows
    /// the result and the longest other defences. After a wrong one, it is the refutation. Moves
    /// that the search cannot settle again within these bounds are left out.
    pub fn variations(
        &self,
        first: Color,
        reach: Option<Reach>,
        [right, wrong]: [&[Point]; 2],
        bounds: &Bounds,
    ) -> Vec<Vec<(Color, Move)>> {
        let threats = reach.map_or([0; 2], |reach| reach.threats(first));
        let right = right.iter().map(|&p| (p, true));
        let mut open: Vec<(Point, bool)> = right.chain(wrong.iter().map(|&p| (p, false))).collect();
        let mut lines = Vec::new();
        for aim in self.goals.iter().rev() {
            let mut search = Search::new(self, aim, bounds);
            let start = search.start(first, threats);
            open.retain(|&(p, works)| {
                let found = search.lines_after(&start, p, works, bounds.nodes);
                lines.extend(found.iter().flatten().cloned());
                found.is_none()
            });
        }
        lines
    }
}

impl Search<'_> {
    /// The lines after a first move. `None` unless this search confirms `works`: that the move
    /// succeeds, or fails.
    fn lines_after(
        &mut self,
        start: &State,
        p: Point,
        works: bool,
        nodes: u64,
    ) -> Option<Vec<Vec<(Color, Move)>>> {
        let first = start.to_move;
        let next = self.after(start, p)?;
        if self.succeeds(first, &next, nodes) != Ok(works) {
            return None;
        }
        let mut lines = vec![self.line(start, Some(p))];
        if works {
            let replies = self.plays(&next).into_iter();
            let mut replies: Vec<_> = replies.map(|(q, _)| self.line(&next, Some(q))).collect();
            let main = lines[0].get(1).copied();
            // A reply that a single move refutes teaches nothing.
            replies.retain(|reply| reply.len() > 2 && reply.first().copied() != main);
            replies.sort_by_key(|reply| std::cmp::Reverse(reply.len()));
            replies.truncate(RESISTANCE);
            let begin = (first, Move::Play(p));
            lines.extend(
                replies
                    .into_iter()
                    .map(|reply| [vec![begin], reply].concat()),
            );
        }
        Some(lines)
    }
}

/// See [`Problem::on_board`].
fn playable(board: &Board, line: Vec<(Color, Move)>) -> Vec<(Color, Move)> {
    let mut board = board.clone();
    let mut played: Vec<(Color, Move)> = Vec::with_capacity(line.len());
    for (c, m) in line {
        if let Move::Play(p) = m {
            if !board.is_empty(p) || board.suicide_len(c, p).is_some() {
                break;
            }
            let taken_by_opponent = played.last().is_none_or(|last| last.0 != c);
            if board.ko() == Some(p) && taken_by_opponent {
                played.extend([(c, Move::Pass), (c.opponent(), Move::Pass)]);
            }
        }
        board.play_move(c, m);
        played.push((c, m));
    }
    played
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Black takes a ko in the corner, and White retakes it.
    #[test]
    fn a_ko_is_retaken_after_a_threat_and_an_impossible_move_ends_the_line() {
        let board = Board::from_diagram(
            ". X O .
             X O . O
             . X O .
             . . . .",
        )
        .unwrap();
        let play = |c, x, y| (c, Move::Play(Point::new(x, y)));
        let (takes, retakes) = (play(Color::Black, 2, 2), play(Color::White, 1, 2));
        let passes = [(Color::White, Move::Pass), (Color::Black, Move::Pass)];
        let wanted = [&[takes][..], &passes, &[retakes]].concat();
        assert_eq!(playable(&board, vec![takes, retakes]), wanted);
        let suicide = play(Color::Black, 3, 3);
        assert_eq!(playable(&board, vec![suicide, retakes]), []);
        let occupied = play(Color::Black, 1, 3);
        assert_eq!(playable(&board, vec![takes, occupied, retakes]), [takes]);
    }
}
