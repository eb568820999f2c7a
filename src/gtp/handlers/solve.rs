//! Questions about a group: whether it lives, what kills it and what saves it.

use super::{Args, GtpError, Reply, Session};
use crate::types::Point;

/// Print the best first move with its result, then further lines about it.
pub fn solve(session: &mut Session, args: &Args<'_>) -> Reply {
    let color = args.color(0)?;
    let board = session.engine.position().board();
    let mut chains: Vec<Point> = Vec::new();
    for i in 1..args.len() {
        let p = args.point(i, board.size(), "no stone")?;
        let Some(owner) = board.at(p).color() else {
            return Err(GtpError::with("no stone", format_args!("{p} is empty")));
        };
        let first = chains.first().and_then(|&q| board.at(q).color());
        if first.is_some_and(|c| c != owner) {
            let why = format_args!("{p} is {owner}'s; name chains of one player");
            return Err(GtpError::with("two groups", why));
        }
        chains.push(p);
    }
    session.engine.stop_pondering();
    let found = session.engine.solve(color, &chains);
    let found = found.map_err(|e| GtpError::with("no search", e))?;
    let none = || GtpError::with("no group", "the board is empty, or has no group to solve");
    Ok(found.ok_or_else(none)?.to_string())
}
