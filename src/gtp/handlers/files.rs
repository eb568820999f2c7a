//! Game records in and out.

use crate::gtp::error::{GtpError, quote};
use crate::gtp::parse::Args;
use crate::gtp::session::Session;
use crate::sgf;

type Reply = Result<String, GtpError>;

pub fn loadsgf(session: &mut Session, args: &Args<'_>) -> Reply {
    let file = args.word(0)?;
    // The position before move N is the one after N − 1 moves.
    let limit = match args.get(1) {
        Some(_) => Some((args.integer(1)? as usize).saturating_sub(1)),
        None => None,
    };
    let failed = |e: &dyn std::fmt::Display| {
        GtpError::with("cannot load file", format_args!("{}: {e}", quote(file)))
    };
    let bytes = sgf::bytes_of(file.as_ref()).map_err(|e| failed(&e))?;
    let rules = session.engine.settings().rules;
    let record = sgf::read(&bytes, &rules, limit).map_err(|e| failed(&e))?;
    if let Some(odd) = record.oddities() {
        eprintln!("ponnuki: {}: {odd}", quote(file));
    }
    let to_move = record.position.to_move();
    let whole = record.position.turns().len() == record.moves_in_record;
    let mut info = record.info;
    if !whole {
        info.result = None;
    }
    session.loaded = Some((info, record.position.turns().len()));
    session.engine.set_position(record.position);
    Ok(to_move.to_string().to_lowercase())
}

pub fn printsgf(session: &mut Session, args: &Args<'_>) -> Reply {
    match args.get(0) {
        None | Some("-") => Ok(record(session)),
        Some(_) => savesgf(session, args),
    }
}

pub fn savesgf(session: &mut Session, args: &Args<'_>) -> Reply {
    let file = args.word(0)?;
    sgf::save(file.as_ref(), &record(session))
        .map_err(|e| GtpError::with("cannot save file", format_args!("{}: {e}", quote(file))))?;
    Ok(String::new())
}

/// The game as a record, with what the record that was loaded said of it. Its
/// result stands only while nothing has been played since.
fn record(session: &mut Session) -> String {
    let (mut info, turns) = session.loaded.clone().unwrap_or_default();
    if session.engine.position().turns().len() != turns {
        info.result = None;
    }
    if let Some(outcome) = session.engine.outcome() {
        info.result = Some(outcome.to_string());
    }
    sgf::write(session.engine.position(), &info)
}
