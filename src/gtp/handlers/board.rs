//! Commands that set up a game and show it.

use crate::gtp::error::{GtpError, quote};
use crate::gtp::parse::Args;
use crate::gtp::session::Session;
use crate::position::Position;
use crate::types::{BoardSize, Color, Komi, Move, Point, PointState};
use std::fmt::Write;

type Reply = Result<String, GtpError>;

pub fn boardsize(session: &mut Session, args: &Args<'_>) -> Reply {
    let width = args.side(0)?;
    let height = if args.len() > 1 { args.side(1)? } else { width };
    let size = BoardSize::new(width, height).map_err(|e| GtpError::with("unacceptable size", e))?;
    session.engine.resize(size);
    session.loaded = None;
    Ok(String::new())
}

pub fn clear_board(session: &mut Session, _: &Args<'_>) -> Reply {
    session.engine.clear();
    session.loaded = None;
    Ok(String::new())
}

pub fn komi(session: &mut Session, args: &Args<'_>) -> Reply {
    let komi = Komi::new(args.float(0)?).map_err(GtpError::syntax)?;
    session.choose_komi(komi);
    Ok(String::new())
}

pub fn get_komi(session: &mut Session, _: &Args<'_>) -> Reply {
    Ok(session.engine.position().komi().to_string())
}

pub fn showboard(session: &mut Session, _: &Args<'_>) -> Reply {
    diagram(session.engine.position(), session.colored)
        .map_err(|_| GtpError::with("internal error", quote("showboard")))
}

/// The wood of the board, on a terminal with 256 colours.
const WOOD: &str = "\x1b[48;5;179m";

/// The colours of stones and of empty points on it.
const INK: [&str; 3] = ["\x1b[38;5;16m", "\x1b[38;5;231m", "\x1b[38;5;94m"];

/// Back to the terminal's own colours.
const PLAIN: &str = "\x1b[0m";

/// The board with coordinates, the last move in parentheses, and beside it what
/// else there is to know; `colored` for a terminal.
fn diagram(position: &Position, colored: bool) -> Result<String, std::fmt::Error> {
    let board = position.board();
    let size = board.size();
    let last = position.last_turn().and_then(|t| t.mv.point());
    let letters: String = (0..size.width())
        .map(|x| {
            let name = Point::new(x, 0).to_string();
            format!(" {}", name.chars().next().unwrap_or('?'))
        })
        .collect();
    let stars = crate::position::star_points(size);
    let mut text = format!("   {letters}\n");
    for y in (0..size.height()).rev() {
        write!(text, "{:>3}", y + 1)?;
        text.push_str(if colored { WOOD } else { "" });
        for x in 0..size.width() {
            let p = Point::new(x, y);
            let before = if last == Some(p) {
                '('
            } else if x > 0 && last == Some(Point::new(x - 1, y)) {
                ')'
            } else {
                ' '
            };
            let ([black, white, empty], stones) = match colored {
                true => (INK, ['●', '●']),
                false => ([""; 3], ['X', 'O']),
            };
            let (ink, c) = match board.at(p) {
                PointState::Black => (black, stones[0]),
                PointState::White => (white, stones[1]),
                _ if stars.contains(&p) => (empty, '+'),
                _ => (empty, '.'),
            };
            write!(text, "{empty}{before}{ink}{c}")?;
        }
        let after = match last {
            Some(p) if p == Point::new(size.width() - 1, y) => ')',
            _ => ' ',
        };
        let (ink, plain) = if colored { (INK[2], PLAIN) } else { ("", "") };
        writeln!(text, "{ink}{after}{plain}{}", y + 1)?;
    }
    writeln!(text, "   {letters}")?;
    let turn = position.turns().len();
    let to_move = position.to_move();
    let stone = if to_move == Color::Black { 'X' } else { 'O' };
    match position.last_turn() {
        Some(t) => {
            let what = match t.mv {
                Move::Pass => "passed".to_owned(),
                Move::Play(p) => format!("played {p}"),
            };
            writeln!(
                text,
                "Turn {turn}: {} {what}; {to_move} ({stone}) to play",
                t.color
            )?;
        }
        None => writeln!(text, "No turn yet; {to_move} ({stone}) to play")?,
    }
    let lost = |c: Color| board.captured(c);
    writeln!(
        text,
        "Prisoners: Black has {}, White has {}",
        lost(Color::White),
        lost(Color::Black)
    )?;
    let rules = position.rules().name().unwrap_or("own combination");
    write!(text, "Rules: {rules}; komi {}", position.komi())?;
    if position.handicap() > 1 {
        write!(text, "; handicap {}", position.handicap())?;
    }
    Ok(text)
}
