//! Commands that start a game and show its board.

use super::{Args, GtpError, Reply, Session};
use crate::gtp::diagram::diagram;
use crate::types::{BoardSize, Komi};

pub fn boardsize(session: &mut Session, args: &Args<'_>) -> Reply {
    let width = args.side(0)?;
    let height = if args.len() > 1 { args.side(1)? } else { width };
    let size = BoardSize::new(width, height).map_err(|e| GtpError::with("unacceptable size", e))?;
    session.begin_game(size);
    Ok(String::new())
}

pub fn clear_board(session: &mut Session, _: &Args<'_>) -> Reply {
    let size = session.engine.position().size();
    session.begin_game(size);
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
    Ok(diagram(session.engine.position(), session.ink))
}
