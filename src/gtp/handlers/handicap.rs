//! Commands that place handicap stones.

use super::{Args, GtpError, Reply, Session};
use crate::position::{HandicapError, fixed_handicap};
use crate::types::{Move, Point};
use crate::util::spaced;

/// Convert to the protocol's error messages.
fn refused(e: HandicapError) -> GtpError {
    match e {
        HandicapError::BoardNotEmpty => GtpError::new("board not empty"),
        HandicapError::InvalidNumber => GtpError::new("invalid number of stones"),
        HandicapError::OffBoard(p) => {
            GtpError::with("bad vertex list", format_args!("{p} is off the board"))
        }
        HandicapError::Repeated(p) => GtpError::with("repeated vertex", p),
    }
}

pub fn fixed(session: &mut Session, args: &Args<'_>) -> Reply {
    let n = args.integer(0)?;
    let points = fixed_handicap(session.engine.position().size(), n).map_err(refused)?;
    session.engine.place_handicap(&points).map_err(refused)?;
    Ok(spaced(&points))
}

pub fn place_free(session: &mut Session, args: &Args<'_>) -> Reply {
    let points = session
        .engine
        .place_free_handicap(args.integer(0)?)
        .map_err(refused)?;
    Ok(spaced(&points))
}

pub fn set_free(session: &mut Session, args: &Args<'_>) -> Reply {
    let area = session.engine.position().size().area();
    // KataGo also accepts a single stone.
    let least = if session.as_katago { 1 } else { 2 };
    if args.len() < least || args.len() >= area {
        return Err(GtpError::with(
            "bad vertex list",
            format_args!(
                "expected {least} to {} stones, got {}",
                area - 1,
                args.len()
            ),
        ));
    }
    let mut points: Vec<Point> = Vec::new();
    for i in 0..args.len() {
        let Move::Play(p) = args.vertex(i)? else {
            return Err(GtpError::with("bad vertex list", "pass is not a point"));
        };
        points.push(p);
    }
    session.engine.place_handicap(&points).map_err(refused)?;
    Ok(String::new())
}
