//! Writing a game as a record.

use super::letters::letters;
use super::setup::PRISONERS;
use super::{GameInfo, rules};
use crate::board::Board;
use crate::position::Position;
use crate::types::{BoardSize, Color, Move, Point, PointState};

/// Number of moves per line of the file.
const MOVES_PER_LINE: usize = 10;

/// Write the game as a record in file format 4.
///
/// Writes every turn, including two in a row by one player, and everything that
/// [`super::read`] needs to restore the board, komi, rules, handicap and player to move.
/// A position set up in the middle becomes a separate node with the changes. SGF has no property
/// for prisoners taken before it: they are written as `PRISONERS[Black's:White's]`, which only
/// Ponnuki reads. A ko ban in a set-up position is not written.
///
/// ```
/// use ponnuki::position::Position;
/// use ponnuki::rules::Ruleset;
/// use ponnuki::sgf::{self, GameInfo};
/// use ponnuki::types::{BoardSize, Color, Move, Point};
///
/// let mut game = Position::new(BoardSize::square(9), Ruleset::default());
/// game.play(Color::Black, Move::Play(Point::new(4, 4)))?;
/// let text = sgf::write(&game, &GameInfo::default());
/// assert!(text.contains("SZ[9]KM[7]RU[NZ]") && text.contains(";B[ee]"));
/// let back = sgf::read(text.as_bytes(), game.rules(), None).unwrap();
/// assert_eq!(back.position.board(), game.board());
/// # Ok::<(), ponnuki::position::IllegalMove>(())
/// ```
pub fn write(position: &Position, info: &GameInfo) -> String {
    write_annotated(position, info, &[])
}

/// Write the game as a record with marks on its last position, each a property and its
/// points. Properties without points are omitted.
pub fn write_marked(position: &Position, info: &GameInfo, marks: &[(&str, Vec<Point>)]) -> String {
    let (mut text, _) = unclosed(position, info, &[]);
    let marks = marks.iter().filter(|(_, points)| !points.is_empty());
    for (i, (name, points)) in marks.enumerate() {
        text.push_str(if i == 0 { "\n;" } else { "" });
        text.push_str(name);
        for &p in points {
            text.push_str(&format!("[{}]", letters(p, position.size())));
        }
    }
    text.push_str(")\n");
    text
}

/// Annotations of a position of the game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Note {
    /// Properties with their unescaped values.
    pub properties: Vec<(&'static str, String)>,
    /// Variations from this position, each with a comment on its first move. Ignored
    /// at the end of the game.
    pub variations: Vec<(Vec<(Color, Move)>, String)>,
}

/// Write the game as a record with notes on the positions of all its [parts](Position::parts):
/// for each part, its starting position and the position after each turn.
pub fn write_annotated(position: &Position, info: &GameInfo, notes: &[Note]) -> String {
    let (mut text, branches) = unclosed(position, info, notes);
    for branch in branches.iter().rev() {
        text.push(')');
        text.push_str(branch);
    }
    text.push_str(")\n");
    text
}

/// The record up to the last position of the game, and the variations to write after it,
/// outermost first.
fn unclosed(position: &Position, info: &GameInfo, notes: &[Note]) -> (String, Vec<String>) {
    let size = position.size();
    let mut text = root(position, info);
    // With a variation, the rest of the game is a branch too, closed at the end.
    let mut open: Vec<String> = Vec::new();
    let (mut notes, mut moves) = (notes.iter(), 0usize);
    let mut before: Option<Position> = None;
    let mut parts = position.parts().peekable();
    while let Some(part) = parts.next() {
        if let Some(before) = &before {
            text.push_str("\n;");
            if !stones(&mut text, before.board(), &part) {
                // No stones changed: only this property marks the set-up.
                prisoners(&mut text, part.start());
            }
            property(&mut text, "PL", &part.first().letter().to_string());
        }
        let turns = part.turns();
        for i in 0..=turns.len() {
            if let Some(turn) = i.checked_sub(1).and_then(|at| turns.get(at)) {
                if moves.is_multiple_of(MOVES_PER_LINE) {
                    text.push('\n');
                }
                moves += 1;
                text.push_str(&node(turn.color, turn.mv, size));
            }
            let Some(note) = notes.next() else { continue };
            for (name, value) in &note.properties {
                property(&mut text, name, value);
            }
            // After the last move, readers would take the first variation for the game.
            let ends = i == turns.len() && parts.peek().is_none();
            if note.variations.is_empty() || ends {
                continue;
            }
            let mut branches = String::new();
            for (moves, comment) in &note.variations {
                branches.push_str("\n(");
                for (j, &(c, m)) in moves.iter().enumerate() {
                    branches.push_str(&node(c, m, size));
                    if j == 0 && !comment.is_empty() {
                        property(&mut branches, "C", comment);
                    }
                }
                branches.push(')');
            }
            text.push_str("\n(");
            open.push(branches);
        }
        if let Some(turn) = part.last_turn()
            && turn.color == part.to_move()
        {
            text.push_str(&format!("\n;PL[{}]", turn.color.letter()));
        }
        before = Some(part);
    }
    (text, open)
}

/// Write the differences between the start of a part and the board before it. Returns whether
/// there are any.
fn stones(text: &mut String, before: &Board, part: &Position) -> bool {
    let written = text.len();
    let (size, start) = (part.size(), part.start());
    for (name, state) in [
        ("AB", PointState::Black),
        ("AW", PointState::White),
        ("AE", PointState::Empty),
    ] {
        let changed = |p: &Point| start.at(*p) == state && before.at(*p) != state;
        let mut points = size.points().filter(changed).peekable();
        if points.peek().is_some() {
            text.push_str(name);
        }
        for p in points {
            text.push_str(&format!("[{}]", letters(p, size)));
        }
    }
    let captured = |board: &Board| Color::BOTH.map(|c| board.captured(c));
    if captured(before) != captured(start) {
        prisoners(text, start);
    }
    text.len() > written
}

/// Write the captured stones of both colours.
fn prisoners(text: &mut String, board: &Board) {
    let [black, white] = Color::BOTH.map(|c| board.captured(c));
    property(text, PRISONERS, &format!("{black}:{white}"));
}

/// A move as a node.
pub(super) fn node(c: Color, m: Move, size: BoardSize) -> String {
    let at = match m {
        Move::Pass => String::new(),
        Move::Play(p) => letters(p, size),
    };
    format!(";{}[{at}]", c.letter())
}

/// The opening parenthesis and the root node.
pub(super) fn root(position: &Position, info: &GameInfo) -> String {
    let size = position.size();
    let mut text = String::from("(;FF[4]GM[1]CA[UTF-8]");
    text.push_str(concat!("AP[Ponnuki:", env!("CARGO_PKG_VERSION"), "]"));
    let sides = if size.width() == size.height() {
        size.width().to_string()
    } else {
        format!("{}:{}", size.width(), size.height())
    };
    property(&mut text, "SZ", &sides);
    property(&mut text, "KM", &position.komi().to_string());
    property(
        &mut text,
        "RU",
        &rules::write(position.rules(), info.rules.as_deref()),
    );
    let mut info = info.clone();
    for (name, field) in GameInfo::TEXTS {
        if let Some(value) = field(&mut info).as_deref().filter(|v| !v.is_empty()) {
            property(&mut text, name, value);
        }
    }
    let Some(start) = position.parts().next() else {
        return text;
    };
    // The handicap stones may be Black's first moves.
    let stated = info.handicap.as_deref().and_then(|n| n.parse().ok());
    let stated = stated.filter(|&n| n > 1 && n == start.handicap());
    let handicap = stated.or(start.declared_handicap());
    let handicap = handicap.unwrap_or(start.placed_handicap());
    if handicap > 0 {
        property(&mut text, "HA", &handicap.to_string());
    }
    stones(&mut text, &Board::new(size), &start);
    // Without PL, readers give the turn to the player of the first move; without moves, to White
    // after handicap stones, otherwise to Black. Write PL if that is wrong.
    let mut set_up = start.start().stones().map(|(c, _)| c).peekable();
    let is_handicap = handicap > 0 && set_up.peek().is_some() && set_up.all(|c| c == Color::Black);
    let (first, expected) = match start.turns().first() {
        Some(turn) => (start.first(), turn.color),
        None if is_handicap => (start.to_move(), Color::White),
        None => (start.to_move(), Color::Black),
    };
    if first != expected {
        property(&mut text, "PL", &first.letter().to_string());
    }
    text
}

/// Write a property, escaping its value.
pub(super) fn property(text: &mut String, name: &str, value: &str) {
    text.push_str(name);
    text.push('[');
    for c in value.chars() {
        if matches!(c, ']' | '\\') {
            text.push('\\');
        }
        let breaks = c == '\n' && matches!(name, "C" | "GC");
        text.push(if c.is_control() && !breaks { ' ' } else { c });
    }
    text.push(']');
}
