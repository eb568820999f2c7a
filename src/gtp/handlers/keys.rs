//! Arguments of analysis commands: `[COLOR] [INTERVAL] KEY VALUE …`.

use super::{Args, GtpError, Session};
use crate::analysis::{AnalysisReport, ReportOptions};
use crate::gtp::parse;
use crate::player::SearchOptions;
use crate::search::Restriction;
use crate::types::{Color, Move};
use std::time::Duration;

/// Output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Leela Zero: integers in units of 1/10000.
    Lz,
    /// KataGo: floats and more fields.
    Kata,
    /// KataGo's `analyze`: KataGo's output, Leela Zero's keys.
    Plain,
}

/// Arguments of an analysis command.
#[derive(Debug)]
pub struct AnalyzeOptions {
    pub format: Format,
    /// The player to move.
    pub color: Color,
    /// Report interval, if given.
    pub interval: Option<Duration>,
    /// Bounds on the number of moves in a line.
    pub least_moves: usize,
    pub most_moves: usize,
    pub root_info: bool,
    pub pv_edge_visits: bool,
    pub report: ReportOptions,
    pub restrictions: Vec<Restriction>,
}

/// A key and how to set its value.
struct Key {
    name: &'static str,
    /// Is it available only in KataGo's format?
    only_kata: bool,
    /// Number of words that follow it.
    values: usize,
    /// Set the value from the arguments, starting at this index.
    set: fn(&mut AnalyzeOptions, &Args<'_>, usize) -> Result<(), GtpError>,
}

macro_rules! keys {
    ($($name:literal $format:ident $values:literal, $set:expr;)*) => {
        &[$(Key {
            name: $name,
            only_kata: matches!(Format::$format, Format::Kata),
            values: $values,
            set: $set,
        },)*]
    };
}

/// Every key, with its formats (`Lz`: all, `Kata`: only KataGo's) and its number of values.
const KEYS: &[Key] = keys! {
    "interval" Lz 1, |o, args, at| centiseconds(args, at).map(|x| o.interval = Some(x));
    "minmoves" Lz 1, |o, args, at| count(args, at).map(|x| o.least_moves = x);
    "maxmoves" Lz 1, |o, args, at| count(args, at).map(|x| o.most_moves = x);
    "avoid" Lz 3, |o, args, at| o.restrict(args, at, false);
    "allow" Lz 3, |o, args, at| o.restrict(args, at, true);
    "rootInfo" Kata 1, |o, args, at| args.truth(at).map(|x| o.root_info = x);
    "ownership" Kata 1, |o, args, at| args.truth(at).map(|x| o.report.ownership = x);
    "ownershipStdev" Kata 1, |o, args, at| {
        args.truth(at).map(|x| o.report.ownership_deviation = x)
    };
    "movesOwnership" Kata 1, |o, args, at| args.truth(at).map(|x| o.report.moves_ownership = x);
    "movesOwnershipStdev" Kata 1, |o, args, at| {
        args.truth(at).map(|x| o.report.moves_ownership_deviation = x)
    };
    "pvVisits" Kata 1, |o, args, at| args.truth(at).map(|x| o.report.pv_visits = x);
    "pvEdgeVisits" Kata 1, |o, args, at| args.truth(at).map(|x| o.pv_edge_visits = x);
    "noResultValue" Kata 1, |o, args, at| args.truth(at).map(|x| o.report.no_result = x);
};

/// Shortest and longest interval, in centiseconds. Some clients send a huge number to disable
/// reports.
const SHORTEST: f64 = 1.0;
const LONGEST: f64 = 1e7;

impl AnalyzeOptions {
    /// Parse the arguments of an analysis command.
    ///
    /// # Errors
    /// An unknown key for this format, or an invalid value.
    pub fn new(
        session: &Session,
        args: &Args<'_>,
        format: Format,
    ) -> Result<AnalyzeOptions, GtpError> {
        let mut options = AnalyzeOptions {
            format,
            color: session.engine.position().to_move(),
            interval: None,
            least_moves: 0,
            most_moves: usize::MAX,
            root_info: false,
            pv_edge_visits: false,
            report: ReportOptions {
                perspective: session.front_end.perspective,
                ..ReportOptions::default()
            },
            restrictions: Vec::new(),
        };
        let mut at = 0;
        if let Ok(color) = args.color(at) {
            options.color = color;
            at += 1;
        }
        if args.get(at).is_some_and(|w| w.parse::<f64>().is_ok()) {
            options.interval = Some(centiseconds(args, at)?);
            at += 1;
        }
        let known = || {
            KEYS.iter()
                .filter(|k| format == Format::Kata || !k.only_kata)
        };
        while let Some(word) = args.get(at) {
            let key = known().find(|k| k.name == word).ok_or_else(|| {
                let names: Vec<&str> = known().map(|k| k.name).collect();
                GtpError::expected(&format!("one of {}", names.join(", ")), word)
            })?;
            (key.set)(&mut options, args, at + 1)?;
            at += 1 + key.values;
        }
        let size = session.engine.position().size();
        let moves = options.restrictions.iter().flat_map(|r| &r.moves);
        let mut points = moves.filter_map(|m| m.point());
        match points.find(|p| !size.contains(*p)) {
            Some(p) => Err(GtpError::off_board("bad vertex list", p)),
            None => Ok(options),
        }
    }

    /// Parse the arguments of `avoid` or `allow`: `COLOR VERTEX,VERTEX,… DEPTH`.
    fn restrict(&mut self, args: &Args<'_>, at: usize, all_but: bool) -> Result<(), GtpError> {
        let player = args.color(at)?;
        let mut known = self.restrictions.iter().filter(|r| r.player == player);
        if known.any(|r| r.all_but || all_but) {
            let why = "allow can be given only once for a player, and not with avoid";
            return Err(GtpError::syntax(why));
        }
        let moves = args.word(at + 1)?.split(',').filter(|w| !w.is_empty());
        let moves: Result<Vec<Move>, GtpError> = moves.map(parse::expected_vertex).collect();
        self.restrictions.push(Restriction {
            player,
            moves: moves?,
            all_but,
            until_depth: count(args, at + 2)?,
        });
        Ok(())
    }

    /// Build the options of a search with these reports.
    pub fn search_options<'a>(
        &self,
        interval: Option<Duration>,
        on_report: &'a mut dyn FnMut(&AnalysisReport),
    ) -> SearchOptions<'a> {
        SearchOptions {
            interval,
            include: self.report.include(),
            restrictions: self.restrictions.clone(),
            on_report,
        }
    }
}

fn count(args: &Args<'_>, at: usize) -> Result<usize, GtpError> {
    Ok(args.integer(at)? as usize)
}

fn centiseconds(args: &Args<'_>, at: usize) -> Result<Duration, GtpError> {
    let n = args.float(at)?;
    if n < 0.0 {
        return Err(GtpError::expected("centiseconds", args.word(at)?));
    }
    Ok(Duration::from_secs_f64(n.clamp(SHORTEST, LONGEST) / 100.0))
}
