//! Effects of moves on a board, for scripts that do not know the rules.

use crate::board::Board;
use crate::types::{BoardSize, Color, Move, Point};
use serde_json::{Value, json};

/// Number a point, by rows from the top.
pub(super) fn number(p: Point, size: BoardSize) -> u16 {
    let row = u16::from(size.height()) - 1 - u16::from(p.y());
    row * u16::from(size.width()) + u16::from(p.x())
}

/// Return the number of a move's point; −1 for a pass.
pub(super) fn number_of(m: Move, size: BoardSize) -> i32 {
    m.point().map_or(-1, |p| number(p, size).into())
}

/// Number a player: 1 for Black, 2 for White.
pub(super) fn player(c: Color) -> u16 {
    match c {
        Color::Black => 1,
        Color::White => 2,
    }
}

fn state(board: &Board, p: Point) -> u16 {
    board.at(p).color().map_or(0, player)
}

/// Encode the points of a board as digits, rows from the top: 0 for empty, 1 for Black, 2
/// for White.
pub(super) fn stones(board: &Board) -> String {
    let points = board.size().from_the_top();
    points
        .map(|p| char::from(b'0' + state(board, p) as u8))
        .collect()
}

/// Play a move. Returns the board after it, and the [`step`] to it; `None` if its point is
/// occupied.
pub(super) fn played(board: &Board, c: Color, m: Move) -> Option<(Board, Value)> {
    let free = |p| board.size().contains(p) && board.is_empty(p);
    let after = m.point().is_none_or(free).then(|| board.after(c, m))?;
    let step = step(c, m, board, &after);
    Some((after, step))
}

/// Encode a move as player, point and changes. A change is three times the number of a
/// point plus its new state.
pub(super) fn step(c: Color, m: Move, before: &Board, after: &Board) -> Value {
    let size = after.size();
    let changed = size
        .points()
        .filter(|&p| state(before, p) != state(after, p));
    let changes: Vec<u16> = changed
        .map(|p| 3 * number(p, size) + state(after, p))
        .collect();
    json!([player(c), number_of(m, size), changes])
}

/// Encode moves played on a board, for the scripts, stopping before one on an occupied point.
pub fn line(board: &Board, moves: impl IntoIterator<Item = (Color, Move)>) -> Vec<Value> {
    let mut board = board.clone();
    let steps = moves.into_iter().map_while(|(c, m)| {
        let step;
        (board, step) = played(&board, c, m)?;
        Some(step)
    });
    steps.collect()
}
