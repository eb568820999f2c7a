//! The board as text.

use crate::position::{Position, star_points};
use crate::types::{Color, Move, Point, PointState};

/// How stones are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// `X` and `O`, which every client can show.
    Letters,
    /// `●` and `○`.
    Symbols,
    /// Discs on wood, for a terminal with 256 colours.
    Colored,
}

/// The background of a coloured board.
const WOOD: &str = "\x1b[48;5;179m";

/// Foregrounds of black stones, white stones and empty points.
const COLORS: [&str; 3] = ["\x1b[38;5;16m", "\x1b[38;5;231m", "\x1b[38;5;94m"];

/// Reset to the terminal's default colours.
const PLAIN: &str = "\x1b[0m";

impl Ink {
    fn stone(self, c: Color) -> char {
        match (self, c) {
            (Ink::Letters, Color::Black) => 'X',
            (Ink::Letters, Color::White) => 'O',
            (Ink::Symbols, Color::White) => '○',
            (Ink::Symbols | Ink::Colored, _) => '●',
        }
    }
}

/// Draw the board with coordinates, and below it the turn, the prisoners, the rules and the komi.
/// The last move is in parentheses.
pub fn diagram(position: &Position, ink: Ink) -> String {
    let board = position.board();
    let size = board.size();
    let last = position.last_turn().and_then(|t| t.mv.point());
    let (colors, wood, plain) = match ink {
        Ink::Colored => (COLORS, WOOD, PLAIN),
        Ink::Letters | Ink::Symbols => ([""; 3], "", ""),
    };
    let [black, white, empty] = colors;
    let letters: String = size.columns().map(|c| format!(" {c}")).collect();
    let stars = star_points(size);
    let mut text = format!("   {letters}\n");
    for y in (0..size.height()).rev() {
        text.push_str(&format!("{:>3}{wood}", y + 1));
        for x in 0..size.width() {
            let p = Point::new(x, y);
            let before = if last == Some(p) {
                '('
            } else if x > 0 && last == Some(Point::new(x - 1, y)) {
                ')'
            } else {
                ' '
            };
            let (color, c) = match board.at(p) {
                PointState::Black => (black, ink.stone(Color::Black)),
                PointState::White => (white, ink.stone(Color::White)),
                _ if stars.contains(&p) => (empty, '+'),
                _ => (empty, '.'),
            };
            text.push_str(&format!("{empty}{before}{color}{c}"));
        }
        let after = match last {
            Some(p) if p == Point::new(size.width() - 1, y) => ')',
            _ => ' ',
        };
        text.push_str(&format!("{empty}{after}{plain}{}\n", y + 1));
    }
    text.push_str(&format!("   {letters}\n"));
    text.push_str(&below(position, ink));
    text
}

/// The lines below the board.
fn below(position: &Position, ink: Ink) -> String {
    let to_move = position.to_move();
    let stone = match ink {
        // Stones of both colours are the same character.
        Ink::Colored => String::new(),
        Ink::Letters | Ink::Symbols => format!(" ({})", ink.stone(to_move)),
    };
    let turn = match position.last_turn() {
        Some(t) => {
            let what = match t.mv {
                Move::Pass => "passed".to_owned(),
                Move::Play(p) => format!("played {p}"),
            };
            format!("Turn {}: {} {what}", position.turns().len(), t.color)
        }
        None => "No turn yet".to_owned(),
    };
    let lost = |c: Color| position.board().captured(c);
    let handicap = match position.handicap() {
        0 | 1 => String::new(),
        n => format!("; handicap {n}"),
    };
    format!(
        "{turn}; {to_move}{stone} to play\nPrisoners: Black has {}, White has {}\nRules: {}; komi {}{handicap}",
        lost(Color::White),
        lost(Color::Black),
        position.rules().name().unwrap_or("custom"),
        position.komi(),
    )
}
