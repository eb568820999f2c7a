//! Commands that report what the search thinks while it runs.

use super::keys::{AnalyzeOptions, Format};
use super::report::cgos_json;
use super::{decided, vertex};
use crate::analysis::{AnalysisReport, Include};
use crate::gtp::error::GtpError;
use crate::gtp::parse::Args;
use crate::gtp::session::Session;
use crate::gtp::wire::Stream;
use crate::player::{Decision, Reports};
use std::sync::atomic::Ordering;
use std::time::Duration;

type Reply = Result<String, GtpError>;

/// Where no interval is asked for, a line comes every second.
const INTERVAL: Duration = Duration::from_secs(1);

/// Begin the reply before the search that it is about. A fault of one in the background shows
/// first.
fn begin(session: &mut Session, stream: &mut Stream<'_>) {
    session.engine.stop_pondering();
    stream.begin();
}

/// Search until input comes, with a line now and then.
fn watch(session: &mut Session, args: &Args<'_>, stream: &mut Stream<'_>, format: Format) -> Reply {
    let options = AnalyzeOptions::new(session, args, format)?;
    let size = session.engine.position().size();
    begin(session, stream);
    stream.end_on_input();
    let interval = options.interval.unwrap_or(INTERVAL);
    let tell = &mut |report: &AnalysisReport| stream.line(&options.line(report, size));
    let reports = options.reports(Some(interval), tell);
    // KataGo's caps are for its moves.
    let endless = session.as_katago;
    session.engine.analyze(options.color, reports, endless);
    Ok(String::new())
}

pub fn lz_analyze(session: &mut Session, args: &Args<'_>, stream: &mut Stream<'_>) -> Reply {
    watch(session, args, stream, Format::Lz)
}

pub fn kata_analyze(session: &mut Session, args: &Args<'_>, stream: &mut Stream<'_>) -> Reply {
    watch(session, args, stream, Format::Kata)
}

pub fn analyze(session: &mut Session, args: &Args<'_>, stream: &mut Stream<'_>) -> Reply {
    watch(session, args, stream, Format::Plain)
}

/// What becomes of the move that is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Play,
    /// It is only told.
    Tell,
    /// It is only told, and input cancels the search.
    Cancel,
}

/// Choose a move, with a line now and then and one at the end; then `play MOVE`.
fn choose(
    session: &mut Session,
    args: &Args<'_>,
    stream: &mut Stream<'_>,
    format: Format,
    then: Then,
) -> Reply {
    let options = AnalyzeOptions::new(session, args, format)?;
    let size = session.engine.position().size();
    let position = session.engine.with_to_move(options.color);
    if options.reports(None, &mut |_| ()).left(&position).is_none() {
        let whose = format!("avoid and allow leave {} none", options.color);
        return Err(GtpError::with("no legal move", whose));
    }
    begin(session, stream);
    if then == Then::Cancel {
        stream.end_on_input();
    }
    let tell = &mut |report: &AnalysisReport| stream.line(&options.line(report, size));
    let reports = options.reports(options.interval, tell);
    let decision = match then {
        Then::Play => session
            .engine
            .genmove_with_reports(options.color, Some(reports)),
        Then::Tell | Then::Cancel => session.engine.search_move(options.color, Some(reports)),
    };
    let told = match then {
        Then::Cancel => unless_cancelled(session, decision),
        Then::Play | Then::Tell => decided(decision),
    };
    Ok(format!("play {told}"))
}

/// The decision, unless input has cancelled the search for it.
fn unless_cancelled(session: &Session, decision: Decision) -> String {
    if session.engine.stop_flag().load(Ordering::Relaxed) {
        "cancelled".to_owned()
    } else {
        decided(decision)
    }
}

pub fn lz_genmove(session: &mut Session, args: &Args<'_>, stream: &mut Stream<'_>) -> Reply {
    choose(session, args, stream, Format::Lz, Then::Play)
}

pub fn kata_genmove(session: &mut Session, args: &Args<'_>, stream: &mut Stream<'_>) -> Reply {
    choose(session, args, stream, Format::Kata, Then::Play)
}

pub fn genmove_analyze(session: &mut Session, args: &Args<'_>, stream: &mut Stream<'_>) -> Reply {
    choose(session, args, stream, Format::Plain, Then::Play)
}

pub fn kata_search_analyze(
    session: &mut Session,
    args: &Args<'_>,
    stream: &mut Stream<'_>,
) -> Reply {
    choose(session, args, stream, Format::Kata, Then::Tell)
}

pub fn kata_search_analyze_cancellable(
    session: &mut Session,
    args: &Args<'_>,
    stream: &mut Stream<'_>,
) -> Reply {
    choose(session, args, stream, Format::Kata, Then::Cancel)
}

/// The move that `genmove` would make.
pub fn kata_search(session: &mut Session, args: &Args<'_>) -> Reply {
    let decision = session.engine.search_move(args.color(0)?, None);
    Ok(decided(decision))
}

pub fn kata_search_cancellable(
    session: &mut Session,
    args: &Args<'_>,
    stream: &mut Stream<'_>,
) -> Reply {
    let color = args.color(0)?;
    stream.end_on_input();
    let decision = session.engine.search_move(color, None);
    Ok(unless_cancelled(session, decision))
}

/// One line of JSON, then the move.
pub fn cgos_genmove(session: &mut Session, args: &Args<'_>, stream: &mut Stream<'_>) -> Reply {
    let color = args.color(0)?;
    let size = session.engine.position().size();
    begin(session, stream);
    let reports = Reports {
        interval: None,
        include: Include::default(),
        restrictions: Vec::new(),
        tell: &mut |report| stream.line(&cgos_json(report, size).to_string()),
    };
    let decision = session.engine.genmove_with_reports(color, Some(reports));
    Ok(format!("play {}", decided(decision)))
}

/// Stop searching while the opponent thinks.
pub fn stop(session: &mut Session, _: &Args<'_>) -> Reply {
    session.engine.stop_pondering();
    Ok(String::new())
}

/// Forget what has been searched.
pub fn clear_cache(session: &mut Session, _: &Args<'_>) -> Reply {
    session.engine.forget();
    Ok(String::new())
}

/// Moves named by `top_moves`.
const TOP_MOVES: usize = 10;

/// The best moves of a search of fixed length, each with its win rate in percent.
pub fn top_moves(session: &mut Session, args: &Args<'_>) -> Reply {
    let color = match args.get(0) {
        Some(_) => args.color(0)?,
        None => session.engine.position().to_move(),
    };
    let analysis = session.engine.fixed_analysis(color);
    let moves = analysis
        .moves
        .iter()
        .filter(|m| m.visits > 0)
        .take(TOP_MOVES);
    let texts: Vec<String> = moves
        .map(|m| format!("{} {:.1}", vertex(m.mv), 100.0 * m.win_rate))
        .collect();
    Ok(texts.join(" "))
}

/// Who leads, by how many points, from a search of fixed length.
pub fn estimate_score(session: &mut Session, _: &Args<'_>) -> Reply {
    let to_move = session.engine.position().to_move();
    let analysis = session.engine.fixed_analysis(to_move);
    let deviation = analysis.score.deviation;
    let leader = analysis.leader();
    Ok(format!("{leader} (standard deviation {deviation:.1})"))
}
