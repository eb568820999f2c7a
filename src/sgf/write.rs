//! From a game to a record.

use super::letters::letters;
use super::setup::PRISONERS;
use super::{GameInfo, rules};
use crate::board::Board;
use crate::position::Position;
use crate::types::{BoardSize, Color, Move, Point, PointState};

/// Moves on a line of the file.
const MOVES_A_LINE: usize = 10;

/// The game as a record in file format 4.
///
/// Every turn is written, the same colour twice included, and everything that
/// [`super::read`] needs to come to the same board, komi, rules, handicap and
/// player to move. Where the board was set up in the middle, what changed is a node of its
/// own. The format has no property for prisoners taken before a set-up position: they are in
/// `PRISONERS[Black's:White's]`, which only Ponnuki reads. A ko there is lost.
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

/// The game as a record with marks on its last position: properties and their points.
/// Those without points are left out.
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
    /// Properties and their values, unescaped.
    pub properties: Vec<(&'static str, String)>,
    /// Other ways to go on than the game did, each with a comment on its first
    /// move; none at the end of the game.
    pub variations: Vec<(Vec<(Color, Move)>, String)>,
}

/// The game as a record with notes on the positions of all its [parts](Position::parts): on
/// that from which a part starts, then on those after each of its turns.
pub fn write_annotated(position: &Position, info: &GameInfo, notes: &[Note]) -> String {
    let (mut text, branches) = unclosed(position, info, notes);
    for branch in branches.iter().rev() {
        text.push(')');
        text.push_str(branch);
    }
    text.push_str(")\n");
    text
}

/// The record as far as the last position of the game, and what closes it: the
/// branches beside the game, the outermost first.
fn unclosed(position: &Position, info: &GameInfo, notes: &[Note]) -> (String, Vec<String>) {
    let size = position.size();
    let mut text = root(position, info);
    // A variation makes branches of what follows; they are closed at the end.
    let mut open: Vec<String> = Vec::new();
    let (mut notes, mut moves) = (notes.iter(), 0usize);
    let mut before: Option<Position> = None;
    let mut parts = position.parts().peekable();
    while let Some(part) = parts.next() {
        if let Some(before) = &before {
            text.push_str("\n;");
            if !stones(&mut text, before.board(), &part) {
                // Stones were set up and taken off again: nothing else tells of it.
                prisoners(&mut text, part.start());
            }
            property(&mut text, "PL", &part.first().letter().to_string());
        }
        let turns = part.turns();
        for i in 0..=turns.len() {
            if let Some(turn) = i.checked_sub(1).and_then(|at| turns.get(at)) {
                if moves.is_multiple_of(MOVES_A_LINE) {
                    text.push('\n');
                }
                moves += 1;
                text.push_str(&node(turn.color, turn.mv, size));
            }
            let Some(note) = notes.next() else { continue };
            for (name, value) in &note.properties {
                property(&mut text, name, value);
            }
            // At the end of the game readers would take the first for the game.
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

/// What the start of a part of the game has otherwise than the board before it. Is there
/// anything?
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

/// The stones of both colours that have been captured.
fn prisoners(text: &mut String, board: &Board) {
    let [black, white] = Color::BOTH.map(|c| board.captured(c));
    property(text, PRISONERS, &format!("{black}:{white}"));
}

/// A move as a node.
fn node(c: Color, m: Move, size: BoardSize) -> String {
    let at = match m {
        Move::Pass => String::new(),
        Move::Play(p) => letters(p, size),
    };
    format!(";{}[{at}]", c.letter())
}

/// The root node, and the parenthesis before it.
fn root(position: &Position, info: &GameInfo) -> String {
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
    // Black's first moves may be the stones.
    let told = info.handicap.as_deref().and_then(|n| n.parse().ok());
    let told = told.filter(|&n| n > 1 && n == start.handicap());
    let handicap = told.or(start.settled_handicap());
    let handicap = handicap.unwrap_or(start.placed_handicap());
    if handicap > 0 {
        property(&mut text, "HA", &handicap.to_string());
    }
    stones(&mut text, &Board::new(size), &start);
    // Readers take the player who moves first to be on move, or without moves Black
    // unless there is handicap; say so if it is otherwise.
    let (first, expected) = match start.turns().first() {
        Some(turn) => (start.first(), turn.color),
        None if start.placed_handicap() > 0 => (start.to_move(), Color::White),
        None => (start.to_move(), Color::Black),
    };
    if first != expected {
        property(&mut text, "PL", &first.letter().to_string());
    }
    text
}

/// A property with its value escaped.
fn property(text: &mut String, name: &str, value: &str) {
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
