//! `ponnuki solve`: problems of life and death from game records.

use super::analyze::games;
use super::patterns::expand;
use super::{printed, progress_bar};
use crate::analysis::AnalysisReport;
use crate::gtp::note;
use crate::player::Settings;
use crate::sgf;
use crate::types::Move;
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Arguments of `ponnuki solve`.
#[derive(Debug, Args)]
pub(super) struct Solve {
    /// Problems (SGF), folders of them, or collections with many problems in a file, optionally compressed by gzip
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Solve the position before this move [default: the stones set up at the root, or the last position if there are none]
    #[arg(long = "move", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    before: Option<u32>,
}

/// Solve every problem of the files, each within the limits of the settings.
///
/// # Errors
/// A message that says what is wrong with a file.
pub(super) fn run(args: &Solve, settings: &Settings, out: &mut impl Write) -> Result<(), String> {
    let problems = games::find(&expand(&args.paths)?, Path::new(""))?;
    let mut analyst = super::analyst(settings)?;
    analyst
        .configure(settings.solving(), settings.params.clone())
        .map_err(|e| e.to_string())?;
    let several = problems.len() > 1;
    let bar = several.then(|| progress_bar(problems.len() as u64));
    let stop = AtomicBool::new(false);
    let mut unread = 0;
    for problem in &problems {
        let found = problem.bytes().and_then(|bytes| {
            let record = read(&bytes, args.before, settings);
            let record = record.map_err(|e| format!("{}: {e}", problem.name))?;
            let question = settings.question(record.position, &[]);
            let none = || format!("{}: no group is in question", problem.name);
            let mut tell = |report: &AnalysisReport| {
                let best = report.moves.first().map_or(Move::Pass, |m| m.mv);
                let rate = 100.0 * report.win_rate;
                let visits = report.visits;
                note(format_args!("{best} {rate:.0} % after {visits} visits"));
            };
            let mut silent = |_: &AnalysisReport| ();
            let tell: &mut dyn FnMut(&AnalysisReport) = match several {
                true => &mut silent,
                false => &mut tell,
            };
            let found = analyst.solve_reporting(&question, &stop, tell);
            found.ok_or_else(none)
        });
        match found {
            Ok(found) if several => {
                let text = found.to_string().replace('\n', "\n  ");
                printed(writeln!(out, "{}: {text}", problem.name))?;
            }
            Ok(found) => printed(writeln!(out, "{found}"))?,
            Err(e) if several => {
                note(format_args!("ponnuki: {e}"));
                unread += 1;
            }
            Err(e) => return Err(e),
        }
        if let Some(bar) = &bar {
            bar.inc(1);
        }
    }
    match unread {
        0 => Ok(()),
        n => Err(format!("{n} of {} could not be solved", problems.len())),
    }
}

/// Read the position in question: the one before move `before`, or else the stones set up at
/// the root, which the solution follows in records of problems, or else the last position.
fn read(bytes: &[u8], before: Option<u32>, settings: &Settings) -> Result<sgf::GameRecord, String> {
    let record = super::read_before(bytes, &settings.rules, before)?;
    let set_up = record.position.start().stones().next().is_some();
    match (before, set_up) {
        (None, true) => super::read_before(bytes, &settings.rules, Some(1)),
        _ => Ok(record),
    }
}
