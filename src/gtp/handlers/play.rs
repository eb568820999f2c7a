//! Commands that play moves and undo them.

use super::{Args, GtpError, Reply, Session, Stream, decided, pictures, vertex_text};
use crate::analysis::Include;
use crate::player::SearchOptions;
use crate::types::Point;
use crate::util::spaced;
use std::time::Duration;

pub fn play(session: &mut Session, args: &Args<'_>) -> Reply {
    let (color, mv) = (args.color(0)?, args.vertex(1)?);
    let rules = *session.engine.position().rules();
    let played = match session.as_katago {
        true => session.engine.play_leniently(color, mv),
        false => session.engine.play(color, mv),
    };
    played.map_err(|e| GtpError::with("illegal move", e.in_words(&rules)))?;
    Ok(String::new())
}

/// Interval between live pictures.
const PICTURE: Duration = Duration::from_millis(250);

/// Choose and play a move. Write GoGui's live graphics and OGS's chat line to the diagnostics
/// if the settings enable them.
pub fn genmove(session: &mut Session, args: &Args<'_>, stream: &mut Stream<'_>) -> Reply {
    let color = args.color(0)?;
    let (live, chat) = (session.front_end.live_gfx, session.front_end.ogs_chat);
    let mut last = String::new();
    let options = SearchOptions {
        interval: live.then_some(PICTURE),
        include: Include::default(),
        restrictions: Vec::new(),
        on_report: &mut |analysis| {
            if live {
                stream.note(&pictures::live(analysis));
            }
            last = pictures::ogs_line(analysis);
        },
    };
    let options = (live || chat).then_some(options);
    let decision = session.engine.genmove_with_options(color, options);
    if live {
        stream.note(pictures::LIVE_END);
    }
    if chat {
        stream.note(&last);
    }
    Ok(decided(decision))
}

pub fn genmove_cleanup(session: &mut Session, args: &Args<'_>) -> Reply {
    let color = args.color(0)?;
    Ok(decided(session.engine.genmove_cleanup(color)))
}

pub fn reg_genmove(session: &mut Session, args: &Args<'_>) -> Reply {
    let color = args.color(0)?;
    Ok(vertex_text(session.engine.reg_genmove(color)))
}

/// Take back one turn or, if given, a number of turns.
pub fn undo(session: &mut Session, args: &Args<'_>) -> Reply {
    let turns = if args.len() > 0 { args.integer(0)? } else { 1 };
    match session.engine.undo(turns as usize) {
        true => Ok(String::new()),
        false => Err(GtpError::new("cannot undo")),
    }
}

pub fn all_legal(session: &mut Session, args: &Args<'_>) -> Reply {
    let color = args.color(0)?;
    let points: Vec<Point> = session.engine.position().legal_plays(color).collect();
    Ok(spaced(&points))
}
