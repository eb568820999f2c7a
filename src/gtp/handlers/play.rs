//! Commands that make moves and take them back.

use super::vertex;
use crate::engine::Decision;
use crate::gtp::error::GtpError;
use crate::gtp::parse::Args;
use crate::gtp::session::Session;
use crate::types::Point;

type Reply = Result<String, GtpError>;

pub fn play(session: &mut Session, args: &Args<'_>) -> Reply {
    let (color, mv) = (args.color(0)?, args.vertex(1)?);
    let rules = *session.engine.position().rules();
    session
        .engine
        .play(color, mv)
        .map_err(|e| GtpError::with("illegal move", e.in_words(&rules)))?;
    Ok(String::new())
}

pub fn genmove(session: &mut Session, args: &Args<'_>) -> Reply {
    let color = args.color(0)?;
    Ok(decision(session.engine.genmove(color)))
}

pub fn genmove_cleanup(session: &mut Session, args: &Args<'_>) -> Reply {
    let color = args.color(0)?;
    Ok(decision(session.engine.genmove_cleanup(color)))
}

fn decision(decision: Decision) -> String {
    match decision {
        Decision::Move(m) => vertex(m),
        Decision::Resign => "resign".into(),
    }
}

pub fn reg_genmove(session: &mut Session, args: &Args<'_>) -> Reply {
    let color = args.color(0)?;
    Ok(vertex(session.engine.reg_genmove(color)))
}

pub fn undo(session: &mut Session, _: &Args<'_>) -> Reply {
    take_back(session, 1)
}

pub fn gg_undo(session: &mut Session, args: &Args<'_>) -> Reply {
    let turns = if args.len() > 0 { args.integer(0)? } else { 1 };
    take_back(session, turns as usize)
}

fn take_back(session: &mut Session, turns: usize) -> Reply {
    if session.engine.undo(turns) {
        Ok(String::new())
    } else {
        Err(GtpError::new("cannot undo"))
    }
}

pub fn all_legal(session: &mut Session, args: &Args<'_>) -> Reply {
    let color = args.color(0)?;
    let points: Vec<Point> = session.engine.position().legal_plays(color).collect();
    Ok(super::vertices(&points))
}
