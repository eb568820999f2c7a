//! From a game to a record.

use super::GameInfo;
use crate::position::Position;
use crate::types::{BoardSize, Color, Move, Point};

/// Moves on a line of the file.
const MOVES_A_LINE: usize = 10;

/// The game as a record in file format 4.
///
/// Every turn is written, the same colour twice included, and everything that
/// [`super::read`] needs to come to the same position, komi, handicap and player
/// to move.
pub fn write(position: &Position, info: &GameInfo) -> String {
    let size = position.size();
    let mut text = String::from("(;FF[4]GM[1]CA[UTF-8]");
    text.push_str(concat!("AP[Ponnuki:", env!("CARGO_PKG_VERSION"), "]"));
    if size.width() == size.height() {
        property(&mut text, "SZ", &size.width().to_string());
    } else {
        // A colon between two numbers is no text and not escaped.
        text.push_str(&format!("SZ[{}:{}]", size.width(), size.height()));
    }
    property(&mut text, "KM", &position.komi().to_string());
    let rules = match position.rules().name() {
        Some("new-zealand") => Some("NZ".to_owned()),
        Some("japanese") => Some("Japanese".to_owned()),
        Some("chinese") => Some("Chinese".to_owned()),
        Some("aga") => Some("AGA".to_owned()),
        Some(other) => Some(other.to_owned()),
        None => info.rules.clone(),
    };
    let fields = [
        ("RU", &rules),
        ("PB", &info.black),
        ("PW", &info.white),
        ("DT", &info.date),
        ("EV", &info.event),
        ("RE", &info.result),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            property(&mut text, name, value);
        }
    }
    let start = position.start();
    let set_up = |c: Color| {
        let stones: Vec<Point> = size
            .points()
            .filter(|&p| start.at(p).color() == Some(c))
            .collect();
        stones
    };
    let (black, white) = (set_up(Color::Black), set_up(Color::White));
    if position.placed_handicap() > 0 {
        property(&mut text, "HA", &position.placed_handicap().to_string());
    }
    for (name, stones) in [("AB", &black), ("AW", &white)] {
        if !stones.is_empty() {
            text.push_str(name);
            for &p in stones {
                text.push_str(&format!("[{}]", letters(p, size)));
            }
        }
    }
    // Readers take Black to begin unless there is handicap; say so if not.
    let expected = if position.placed_handicap() > 0 {
        Color::White
    } else {
        Color::Black
    };
    if position.first() != expected {
        property(&mut text, "PL", &position.first().letter().to_string());
    }
    for (i, turn) in position.turns().iter().enumerate() {
        if i % MOVES_A_LINE == 0 {
            text.push('\n');
        }
        let at = match turn.mv {
            Move::Pass => String::new(),
            Move::Play(p) => letters(p, size),
        };
        text.push_str(&format!(";{}[{at}]", turn.color.letter()));
    }
    text.push_str(")\n");
    text
}

fn letters(p: Point, size: BoardSize) -> String {
    let letter = |n: u8| (b'a' + n) as char;
    format!("{}{}", letter(p.x()), letter(size.height() - 1 - p.y()))
}

/// A property with its value escaped.
fn property(text: &mut String, name: &str, value: &str) {
    text.push_str(name);
    text.push('[');
    for c in value.chars() {
        if matches!(c, ']' | '\\') {
            text.push('\\');
        }
        text.push(if c.is_control() { ' ' } else { c });
    }
    text.push(']');
}
