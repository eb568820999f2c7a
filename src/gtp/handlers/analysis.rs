//! Commands that report what the search thinks while it runs.

use super::{decided, vertex};
use crate::engine::{Analysis, Decision, MoveAnalysis, ScoreGuess, Watcher};
use crate::gtp::error::GtpError;
use crate::gtp::parse::{self, Args};
use crate::gtp::session::Session;
use crate::gtp::wire::Stream;
use crate::playout::Ownership;
use crate::search::{Focus, Restriction};
use crate::types::{BoardSize, Color, Move, Point};
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::atomic::Ordering;
use std::time::Duration;

type Reply = Result<String, GtpError>;

/// In whose format the lines are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// Leela Zero: integers in units of 1/10000.
    Lz,
    /// KataGo: floats, and more fields.
    Kata,
}

/// What a client asks to be told.
#[derive(Debug)]
struct Wish {
    format: Format,
    color: Color,
    interval: Option<Duration>,
    least_moves: usize,
    most_moves: usize,
    root_info: bool,
    ownership: bool,
    ownership_deviation: bool,
    move_ownership_deviation: bool,
    moves_ownership: bool,
    pv_visits: bool,
    pv_edge_visits: bool,
    no_result: bool,
    focus: Focus,
}

/// Where no interval is asked for, a line comes every second.
const INTERVAL: Duration = Duration::from_secs(1);

/// Shortest interval, in centiseconds.
const SHORTEST: u32 = 1;

impl Wish {
    /// `[COLOR] [INTERVAL] KEY VALUE …`
    fn new(session: &Session, args: &Args<'_>, format: Format) -> Result<Wish, GtpError> {
        let mut wish = Wish {
            format,
            color: session.engine.position().to_move(),
            interval: None,
            least_moves: 0,
            most_moves: usize::MAX,
            root_info: false,
            ownership: false,
            ownership_deviation: false,
            move_ownership_deviation: false,
            moves_ownership: false,
            pv_visits: false,
            pv_edge_visits: false,
            no_result: false,
            focus: Focus::default(),
        };
        let mut at = 0;
        if let Ok(color) = args.color(at) {
            wish.color = color;
            at += 1;
        }
        if args.get(at).is_some_and(|w| w.parse::<f64>().is_ok()) {
            wish.interval = Some(centiseconds(args, at)?);
            at += 1;
        }
        while let Some(key) = args.get(at) {
            let kata = format == Format::Kata;
            match key {
                "interval" => wish.interval = Some(centiseconds(args, at + 1)?),
                "minmoves" => wish.least_moves = args.integer(at + 1)? as usize,
                "maxmoves" => wish.most_moves = args.integer(at + 1)? as usize,
                "avoid" | "allow" => {
                    wish.restrict(args, at)?;
                    at += 2;
                }
                "rootInfo" if kata => wish.root_info = args.truth(at + 1)?,
                "ownership" if kata => wish.ownership = args.truth(at + 1)?,
                "ownershipStdev" if kata => wish.ownership_deviation = args.truth(at + 1)?,
                "movesOwnership" if kata => wish.moves_ownership = args.truth(at + 1)?,
                "movesOwnershipStdev" if kata => {
                    wish.move_ownership_deviation = args.truth(at + 1)?;
                }
                "pvVisits" if kata => wish.pv_visits = args.truth(at + 1)?,
                "pvEdgeVisits" if kata => wish.pv_edge_visits = args.truth(at + 1)?,
                "noResultValue" if kata => wish.no_result = args.truth(at + 1)?,
                _ => {
                    let more = if kata {
                        ", rootInfo, ownership, ownershipStdev, movesOwnership, \
                         movesOwnershipStdev, pvVisits, pvEdgeVisits or noResultValue"
                    } else {
                        ""
                    };
                    let known = format!("interval, minmoves, maxmoves, avoid, allow{more}");
                    return Err(GtpError::expected(&known, key));
                }
            }
            at += 2;
        }
        wish.focus.move_ownership = wish.moves_ownership || wish.move_ownership_deviation;
        Ok(wish)
    }

    /// `avoid COLOR VERTEX,VERTEX,… DEPTH`, or `allow` with the same.
    fn restrict(&mut self, args: &Args<'_>, at: usize) -> Result<(), GtpError> {
        let all_but = args.word(at)? == "allow";
        let known = &self.focus.restrictions;
        if known.iter().any(|r| r.all_but) || (all_but && !known.is_empty()) {
            let why = "allow is given once, and not beside avoid";
            return Err(GtpError::syntax(why));
        }
        let moves = args.word(at + 2)?.split(',').filter(|w| !w.is_empty());
        let moves: Result<Vec<Move>, GtpError> = moves
            .map(|w| parse::vertex(w).ok_or_else(|| GtpError::expected("a vertex", w)))
            .collect();
        self.focus.restrictions.push(Restriction {
            player: args.color(at + 1)?,
            moves: moves?,
            all_but,
            until_depth: args.integer(at + 3)? as usize,
        });
        Ok(())
    }

    /// The line for what has been found so far.
    fn line(&self, analysis: &Analysis, size: BoardSize) -> String {
        let c = analysis.color;
        let visited = analysis.moves.iter().filter(|m| m.visits > 0).count();
        let shown = visited.max(self.least_moves).max(1).min(self.most_moves);
        let mut text = String::new();
        for (order, m) in analysis.moves.iter().take(shown).enumerate() {
            if order > 0 {
                text.push(' ');
            }
            match self.format {
                Format::Lz => lz_info(&mut text, m, order),
                Format::Kata => self.kata_info(&mut text, m, order, c, size),
            }
        }
        if self.root_info {
            let _ = write!(text, " rootInfo visits {}", analysis.visits);
            let utility = 2.0 * analysis.win_rate - 1.0;
            let _ = write!(text, " utility {utility:.6}");
            let _ = write!(text, " winrate {:.6}", analysis.win_rate);
            score(&mut text, analysis.score);
            let _ = write!(text, " weight {}", analysis.visits);
            if self.no_result {
                let _ = write!(text, " noResultValue {:.6}", analysis.no_result);
            }
        }
        if self.ownership {
            points(
                &mut text,
                " ownership",
                &analysis.ownership,
                size,
                mean_for(c),
            );
        }
        if self.ownership_deviation {
            points(
                &mut text,
                " ownershipStdev",
                &analysis.ownership,
                size,
                deviation,
            );
        }
        text.trim_start().to_owned()
    }

    fn kata_info(
        &self,
        text: &mut String,
        m: &MoveAnalysis,
        order: usize,
        c: Color,
        size: BoardSize,
    ) {
        let _ = write!(
            text,
            "info move {} visits {} edgeVisits {} utility {:.6} winrate {:.6}",
            lower(m.mv),
            m.visits,
            m.visits,
            2.0 * m.win_rate - 1.0,
            m.win_rate,
        );
        score(text, m.score);
        let _ = write!(text, " prior {:.6}", m.prior);
        if self.no_result {
            let _ = write!(text, " noResultValue {:.6}", m.no_result);
        }
        let _ = write!(
            text,
            " lcb {:.6} utilityLcb {:.6} weight {} order {order} pv {}",
            m.lcb,
            2.0 * m.lcb - 1.0,
            m.visits,
            pv(m),
        );
        for (wanted, key) in [
            (self.pv_visits, "pvVisits"),
            (self.pv_edge_visits, "pvEdgeVisits"),
        ] {
            if wanted {
                let visits: Vec<String> = m.pv.iter().map(|(_, n)| n.to_string()).collect();
                let _ = write!(text, " {key} {}", visits.join(" "));
            }
        }
        if let Some(ownership) = &m.ownership {
            if self.moves_ownership {
                points(text, " movesOwnership", ownership, size, mean_for(c));
            }
            if self.move_ownership_deviation {
                points(text, " movesOwnershipStdev", ownership, size, deviation);
            }
        }
    }
}

fn centiseconds(args: &Args<'_>, at: usize) -> Result<Duration, GtpError> {
    let n = args.float(at)?;
    if !(0.0..=1e7).contains(&n) {
        return Err(GtpError::expected("centiseconds", args.word(at)?));
    }
    let n = n.max(f64::from(SHORTEST));
    Ok(Duration::from_secs_f64(n / 100.0))
}

fn lz_info(text: &mut String, m: &MoveAnalysis, order: usize) {
    let units = |x: f32| (x * 10_000.0).round() as i64;
    let _ = write!(
        text,
        "info move {} visits {} winrate {} prior {} lcb {} order {order} pv {}",
        lower(m.mv),
        m.visits,
        units(m.win_rate),
        units(m.prior),
        units(m.lcb),
        pv(m),
    );
}

fn score(text: &mut String, score: ScoreGuess) {
    let ScoreGuess { mean, deviation } = score;
    let _ = write!(
        text,
        " scoreMean {mean:.4} scoreStdev {deviation:.4} scoreLead {mean:.4} scoreSelfplay {mean:.4}"
    );
}

/// Vertices of the principal variation, never empty.
fn pv(m: &MoveAnalysis) -> String {
    let moves: Vec<String> = m.pv.iter().map(|&(m, _)| lower(m)).collect();
    moves.join(" ")
}

/// A vertex; a pass in lower case, as clients want it within a line of analysis.
pub fn lower(m: Move) -> String {
    match m {
        Move::Pass => "pass".to_owned(),
        Move::Play(p) => p.to_string(),
    }
}

/// Ownership of a point for a player, from −1 to 1.
fn mean_for(c: Color) -> impl Fn(&Ownership, Point) -> f32 {
    move |ownership, p| c.sign() as f32 * ownership.of(p)
}

/// Standard deviation of a point's owner: each playout ends with 1 or −1.
fn deviation(ownership: &Ownership, p: Point) -> f32 {
    let mean = ownership.of(p);
    (1.0 - mean * mean).max(0.0).sqrt()
}

/// All points, rows from the top.
pub(super) fn from_the_top(size: BoardSize) -> impl Iterator<Item = Point> {
    let rows = (0..size.height()).rev();
    rows.flat_map(move |y| (0..size.width()).map(move |x| Point::new(x, y)))
}

/// A key, and a number for each point, rows from the top.
fn points(
    text: &mut String,
    key: &str,
    ownership: &Ownership,
    size: BoardSize,
    value: impl Fn(&Ownership, Point) -> f32,
) {
    text.push_str(key);
    for p in from_the_top(size) {
        let _ = write!(text, " {:.3}", value(ownership, p));
    }
}

/// Search until input comes, with a line now and then.
fn analyze(
    session: &mut Session,
    args: &Args<'_>,
    stream: &mut Stream<'_>,
    format: Format,
) -> Reply {
    let wish = Wish::new(session, args, format)?;
    let size = session.engine.position().size();
    stream.end_on_input();
    let focus = wish.focus.clone();
    session.engine.analyze(
        wish.color,
        Watcher {
            interval: Some(wish.interval.unwrap_or(INTERVAL)),
            focus,
            tell: &mut |analysis| stream.line(&wish.line(analysis, size)),
        },
    );
    Ok(String::new())
}

pub fn lz_analyze(session: &mut Session, args: &Args<'_>, stream: &mut Stream<'_>) -> Reply {
    analyze(session, args, stream, Format::Lz)
}

pub fn kata_analyze(session: &mut Session, args: &Args<'_>, stream: &mut Stream<'_>) -> Reply {
    analyze(session, args, stream, Format::Kata)
}

/// What becomes of the move that is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Play,
    /// It is only told.
    Tell,
    /// The same, and input cancels the search.
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
    let wish = Wish::new(session, args, format)?;
    let size = session.engine.position().size();
    if then == Then::Cancel {
        stream.end_on_input();
    }
    let watcher = Watcher {
        interval: wish.interval,
        focus: wish.focus.clone(),
        tell: &mut |analysis| stream.line(&wish.line(analysis, size)),
    };
    let decision = match then {
        Then::Play => session.engine.genmove_watched(wish.color, Some(watcher)),
        Then::Tell | Then::Cancel => session.engine.search_move(wish.color, Some(watcher)),
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
    let watcher = Watcher {
        interval: None,
        focus: Focus::default(),
        tell: &mut |analysis| stream.line(&cgos_json(analysis, size).to_string()),
    };
    let decision = session.engine.genmove_watched(color, Some(watcher));
    Ok(format!("play {}", decided(decision)))
}

/// Moves that are told to CGOS.
const CGOS_MOVES: usize = 10;

/// What CGOS stores with a move and its viewer shows.
fn cgos_json(analysis: &Analysis, size: BoardSize) -> Value {
    let short = |x: f64| (x * 10_000.0).round() / 10_000.0;
    let moves: Vec<Value> = analysis
        .moves
        .iter()
        .filter(|m| m.visits > 0)
        .take(CGOS_MOVES)
        .map(|m| {
            let line: Vec<String> = m.pv.iter().skip(1).map(|&(m, _)| lower(m)).collect();
            json!({
                "move": lower(m.mv),
                "visits": m.visits,
                "winrate": short(m.win_rate.into()),
                "score": short(m.score.mean),
                "prior": short(m.prior.into()),
                "pv": line.join(" "),
            })
        })
        .collect();
    let mean = mean_for(analysis.color);
    let ownership: String = from_the_top(size)
        .map(|p| sixty_three(mean(&analysis.ownership, p)))
        .collect();
    json!({
        "winrate": short(analysis.win_rate.into()),
        "score": short(analysis.score.mean),
        "visits": analysis.visits,
        "moves": moves,
        "ownership": ownership,
    })
}

/// A number from −1 to 1 as one of 63 characters, `A` to `+`.
fn sixty_three(x: f32) -> char {
    const CHARS: &[u8; 63] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+";
    let at = ((x + 1.0) / 2.0).clamp(0.0, 1.0) * 62.0;
    CHARS.get(at.round() as usize).map_or('f', |&b| b as char)
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
    let analysis = session.engine.fixed_analysis(Color::Black);
    let ScoreGuess { mean, deviation } = analysis.score;
    let (winner, lead) = if mean >= 0.0 {
        ('B', mean)
    } else {
        ('W', -mean)
    };
    Ok(format!(
        "{winner}+{lead:.1} (standard deviation {deviation:.1})"
    ))
}
