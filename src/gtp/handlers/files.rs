//! Commands that load and save game records.

use super::{Args, GtpError, Reply, Session};
use crate::gtp::error::quote;
use crate::gtp::note;
use crate::gtp::session::Loaded;
use crate::sgf::{self, GameInfo};
use crate::util::unquoted;
use std::path::Path;

pub fn loadsgf(session: &mut Session, args: &Args<'_>) -> Reply {
    let (file, limit) = file_and_limit(args)?;
    let failed = |e: &dyn std::fmt::Display| {
        GtpError::with("cannot load file", format_args!("{}: {e}", quote(file)))
    };
    let bytes = sgf::bytes_of(file.as_ref()).map_err(|e| failed(&e))?;
    let own = session.chosen;
    let mut record = sgf::read(&bytes, &own.rules, limit).map_err(|e| failed(&e))?;
    if let Some(odd) = record.oddities() {
        note(format_args!("ponnuki: {}: {odd}", quote(file)));
    }
    let to_move = record.position.to_move();
    let mut info = record.info;
    if !record.is_whole {
        info.result = None;
    }
    if let (false, Some(komi)) = (record.position.komi_is_set(), own.komi) {
        record.position.set_komi(komi);
    }
    session.loaded = Some(Loaded {
        info,
        turns: record.position.turns().to_vec(),
        rules: *record.position.rules(),
        komi: record.position.komi(),
    });
    session.engine.load_record(record.position);
    Ok(to_move.to_string().to_lowercase())
}

/// Parse the arguments of `loadsgf`: a file, whose name may contain blanks, and how many moves
/// to play. The position before move N is the one after N − 1 moves.
fn file_and_limit<'a>(args: &Args<'a>) -> Result<(&'a str, Option<usize>), GtpError> {
    let whole = unquoted(args.rest());
    let last = args.len() - 1;
    let number = || Ok((args.integer(last)? as usize).saturating_sub(1));
    match (args.rest().rsplit_once(char::is_whitespace), args.len()) {
        (Some((file, word)), 2..) if word.bytes().all(|b| b.is_ascii_digit()) => {
            // The number may belong to the name, as in `game 12`.
            if Path::new(whole).exists() && !Path::new(unquoted(file)).exists() {
                return Ok((whole, None));
            }
            Ok((unquoted(file), Some(number()?)))
        }
        // Two words, and the second is not a number: a syntax error unless the file exists.
        (_, 2) if !Path::new(whole).exists() => {
            number()?;
            Ok((whole, None))
        }
        _ => Ok((whole, None)),
    }
}

pub fn printsgf(session: &mut Session, args: &Args<'_>) -> Reply {
    match args.get(0) {
        None | Some("-") => Ok(record(session)),
        Some(_) => savesgf(session, args),
    }
}

pub fn savesgf(session: &mut Session, args: &Args<'_>) -> Reply {
    let file = unquoted(args.rest());
    sgf::save(file.as_ref(), &record(session))
        .map_err(|e| GtpError::with("cannot save file", format_args!("{}: {e}", quote(file))))?;
    Ok(String::new())
}

/// Write the game as a record, with the game information of the loaded record.
fn record(session: &mut Session) -> String {
    let recorded = session.recorded_result().map(str::to_owned);
    let engine = &mut session.engine;
    let mut info = GameInfo::default();
    if let Some(loaded) = &session.loaded {
        info = loaded.info.clone();
        if engine.settings().rules != loaded.rules {
            info.rules = None;
        }
    }
    // A declared result overrides the engine's count.
    info.result = recorded;
    if info.result.is_none() || engine.declared().is_some() {
        info.result = engine.outcome().map(|o| o.to_string());
    }
    sgf::write(engine.position(), &info)
}
