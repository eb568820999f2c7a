//! SGF coordinates: letters for columns from the left and rows from the top.

use crate::types::{BoardSize, Point};

/// Parse two letters as a point; `None` if it is off the board.
pub(super) fn point(text: &str, size: BoardSize) -> Option<Point> {
    let mut letters = text.trim().chars().map(|c| match c {
        'a'..='z' => Some(c as u8 - b'a'),
        _ => None,
    });
    let (x, row) = (letters.next()??, letters.next()??);
    if letters.next().is_some() || x >= size.width() || row >= size.height() {
        return None;
    }
    Some(Point::new(x, size.height() - 1 - row))
}

/// A point as two letters.
pub(super) fn letters(p: Point, size: BoardSize) -> String {
    let letter = |n: u8| (b'a' + n) as char;
    format!("{}{}", letter(p.x()), letter(size.height() - 1 - p.y()))
}
