//! Commands that set up positions or play several moves, and checks of legality.

use super::{Args, GtpError, Reply, Session};
use crate::board::Board;
use crate::types::{Color, Move, Point};
use crate::util::spaced;

/// Parse `COLOR VERTEX` pairs.
fn pairs(args: &Args<'_>) -> Result<Vec<(Color, Move)>, GtpError> {
    if !args.len().is_multiple_of(2) {
        return Err(GtpError::syntax("expected pairs of a colour and a vertex"));
    }
    (0..args.len())
        .step_by(2)
        .map(|i| Ok((args.color(i)?, args.vertex(i + 1)?)))
        .collect()
}

/// Start a game from this board with Black to move. Rules and komi stay.
fn start_from(session: &mut Session, board: Board) {
    session.engine.set_up(board, Color::Black);
    session.loaded = None;
}

/// Place all stones, or none if one cannot be placed or a chain has no liberty.
fn with_stones(mut board: Board, stones: &[(Color, Move)]) -> Result<Board, GtpError> {
    for &(c, m) in stones {
        let Move::Play(p) = m else {
            return Err(GtpError::with("bad vertex list", "pass is not a point"));
        };
        if !board.size().contains(p) {
            return Err(GtpError::off_board("bad vertex list", p));
        }
        board
            .place(c, p)
            .map_err(|_| GtpError::with("repeated vertex", p))?;
    }
    match board.without_liberties() {
        Some(p) => Err(GtpError::with(
            "illegal position",
            format_args!("the chain at {p} has no liberty"),
        )),
        None => Ok(board),
    }
}

/// `set_position COLOR VERTEX …`: replace the game by a position with these stones.
pub fn set_position(session: &mut Session, args: &Args<'_>) -> Reply {
    let empty = Board::new(session.engine.position().size());
    let board = with_stones(empty, &pairs(args)?)?;
    start_from(session, board);
    Ok(String::new())
}

/// `gogui-setup COLOR VERTEX …`: add these stones to those already set up.
pub fn gogui_setup(session: &mut Session, args: &Args<'_>) -> Reply {
    let position = session.engine.position();
    if !position.turns().is_empty() {
        return Err(GtpError::with("cannot set up", "the game has begun"));
    }
    let board = with_stones(position.board().clone(), &pairs(args)?)?;
    start_from(session, board);
    Ok(String::new())
}

/// Set the player to move.
pub fn gogui_setup_player(session: &mut Session, args: &Args<'_>) -> Reply {
    session.engine.set_to_move(args.color(0)?);
    Ok(String::new())
}

/// `gogui-play_sequence COLOR VERTEX …`: play all of these moves, or none.
pub fn gogui_play_sequence(session: &mut Session, args: &Args<'_>) -> Reply {
    let moves = pairs(args)?;
    for (played, &(c, m)) in moves.iter().enumerate() {
        if let Err(e) = session.engine.play(c, m) {
            let rules = *session.engine.position().rules();
            let vertex = super::vertex_text(m);
            let what = format!("move {}, {c} {vertex}: {}", played + 1, e.in_words(&rules));
            return Err(GtpError::with("illegal move", what));
        }
    }
    Ok(String::new())
}

/// Say whether a move is legal, and if not, why.
pub fn legality(session: &mut Session, args: &Args<'_>) -> Reply {
    let (color, m) = (args.color(0)?, args.vertex(1)?);
    let position = session.engine.position();
    Ok(match position.legality(color, m) {
        Ok(()) => "legal".to_owned(),
        Err(e) => format!("illegal: {}", e.in_words(position.rules())),
    })
}

/// List the empty points where a player may not play.
pub fn all_illegal(session: &mut Session, args: &Args<'_>) -> Reply {
    let color = args.color(0)?;
    let position = session.engine.position();
    let points: Vec<Point> = position
        .size()
        .points()
        .filter(|&p| position.board().is_empty(p))
        .filter(|&p| position.legality(color, Move::Play(p)).is_err())
        .collect();
    Ok(spaced(&points))
}

/// Confirm that `# interrupt` is supported.
pub fn gogui_interrupt(_: &mut Session, _: &Args<'_>) -> Reply {
    Ok(String::new())
}
