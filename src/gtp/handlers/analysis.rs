//! Commands that report on a search while it runs.

use super::keys::AnalyzeOptions;
pub use super::keys::Format;
use super::report::cgos_json;
use super::{Args, GtpError, Reply, Session, Stream, decided, vertex_text};
use crate::analysis::{AnalysisReport, Include};
use crate::player::{Decision, SearchOptions, any_allowed_move};
use crate::util::spaced;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Report interval if none is given.
const INTERVAL: Duration = Duration::from_secs(1);

/// Begin the reply before the search. Pondering stops first, so that a panic in it is noticed
/// before the reply begins.
fn begin(session: &mut Session, stream: &mut Stream<'_>) {
    session.engine.stop_pondering();
    stream.begin();
}

/// Search until input arrives, with a line of analysis at intervals.
pub fn watch(
    session: &mut Session,
    args: &Args<'_>,
    stream: &mut Stream<'_>,
    format: Format,
) -> Reply {
    let options = AnalyzeOptions::new(session, args, format)?;
    let size = session.engine.position().size();
    begin(session, stream);
    stream.end_on_input();
    let interval = options.interval.unwrap_or(INTERVAL);
    let on_report = &mut |report: &AnalysisReport| stream.line(&options.line(report, size));
    let search = options.search_options(Some(interval), on_report);
    // KataGo's limits apply only to moves, not to analysis.
    let endless = session.as_katago;
    session.engine.analyze(options.color, search, endless);
    Ok(String::new())
}

/// What to do with the chosen move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Play it.
    Play,
    /// Only print it.
    Print,
    /// Only print it; input cancels the search.
    Cancellable,
}

/// Choose a move, with lines of analysis at intervals and at the end, then `play MOVE`.
pub fn choose(
    session: &mut Session,
    args: &Args<'_>,
    stream: &mut Stream<'_>,
    format: Format,
    then: Then,
) -> Reply {
    let options = AnalyzeOptions::new(session, args, format)?;
    let size = session.engine.position().size();
    let position = session.engine.with_to_move(options.color);
    if any_allowed_move(&position, &options.restrictions).is_none() {
        let detail = format!("avoid and allow leave {} no move", options.color);
        return Err(GtpError::with("no legal move", detail));
    }
    begin(session, stream);
    if then == Then::Cancellable {
        stream.end_on_input();
    }
    let on_report = &mut |report: &AnalysisReport| stream.line(&options.line(report, size));
    let (color, engine) = (options.color, &mut session.engine);
    let search = Some(options.search_options(options.interval, on_report));
    let decision = match then {
        Then::Play => engine.genmove_with_options(color, search),
        Then::Print | Then::Cancellable => engine.search_move(color, search),
    };
    let chosen = match then {
        Then::Cancellable => unless_cancelled(session, decision),
        Then::Play | Then::Print => decided(decision),
    };
    Ok(format!("play {chosen}"))
}

/// The decision, or `cancelled` if input has stopped the search.
fn unless_cancelled(session: &Session, decision: Decision) -> String {
    if session.engine.stop_flag().load(Ordering::Relaxed) {
        "cancelled".to_owned()
    } else {
        decided(decision)
    }
}

/// Print the move that `genmove` would play.
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

/// Choose and play a move, with a line of JSON before it.
pub fn cgos_genmove(session: &mut Session, args: &Args<'_>, stream: &mut Stream<'_>) -> Reply {
    let color = args.color(0)?;
    let size = session.engine.position().size();
    begin(session, stream);
    let search = SearchOptions {
        interval: None,
        include: Include::default(),
        restrictions: Vec::new(),
        on_report: &mut |report| stream.line(&cgos_json(report, size).to_string()),
    };
    let decision = session.engine.genmove_with_options(color, Some(search));
    Ok(format!("play {}", decided(decision)))
}

/// Stop pondering.
pub fn stop(session: &mut Session, _: &Args<'_>) -> Reply {
    session.engine.stop_pondering();
    Ok(String::new())
}

/// Clear all results of searches.
pub fn clear_cache(session: &mut Session, _: &Args<'_>) -> Reply {
    session.engine.clear_results();
    Ok(String::new())
}

/// Maximum number of moves listed by `top_moves`.
const TOP_MOVES: usize = 10;

/// Print the best moves of a search of fixed length, each with its win rate in percent.
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
    Ok(spaced(moves.map(|m| {
        format!("{} {:.1}", vertex_text(m.mv), 100.0 * m.win_rate)
    })))
}

/// Print the leader and its lead in points: the count of a game that is over, otherwise by a search
/// of fixed length.
pub fn estimate_score(session: &mut Session, _: &Args<'_>) -> Reply {
    let analysis = session.engine.expectation();
    let deviation = analysis.score.deviation;
    let leader = analysis.leader();
    Ok(format!("{leader} (standard deviation {deviation:.1})"))
}
