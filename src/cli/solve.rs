//! `ponnuki solve`: problems of life and death from game records.

use super::analyze::record::RecordToRead;
use super::analyze::{PROGRESS, games};
use super::files::{create_folder, expect_apart, expect_elsewhere, page_path, read_before, save};
use super::network;
use super::numbers::integer;
use super::patterns::expand;
use super::terminal::{interrupt_flag, printed, progress_bar};
use crate::analysis::{AnalysisReport, Question, Solution, Variation};
use crate::gtp::note;
use crate::page::{ProblemPage, Served};
use crate::player::Settings;
use crate::position::Position;
use crate::sgf::{self, Branch, GameInfo, GameRecord};
use crate::types::Move;
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

/// Arguments of `ponnuki solve`.
#[derive(Debug, Args)]
pub(super) struct Solve {
    /// Problems (SGF), folders of them, or collections with many problems in a file, optionally compressed by gzip
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Solve the position before this move [default: the stones set up at the root, or the last position if there are none]
    #[arg(long = "move", value_name = "N", value_parser = integer(1..=u32::MAX))]
    before: Option<u32>,
    /// Write the problem as a record (SGF) with its variations, marked right and wrong: a file for one problem, a folder for several
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Write a page to step through the variations in a browser [default name: the record's with `-solved`; for several problems, in the folder of --out]
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    html: Option<Option<PathBuf>>,
}

/// Solve every problem of the files, each within the limits of the settings. Returns false if
/// it was interrupted; the current problem then gets the answer found so far.
///
/// # Errors
/// A message that says what is wrong with a file.
pub(super) fn run(args: &Solve, settings: &Settings, out: &mut impl Write) -> Result<bool, String> {
    let folder = args.out.as_deref().unwrap_or(Path::new(""));
    let paths = expand(&args.paths)?;
    let problems = games::find(&paths, folder)?;
    let single = match &paths[..] {
        [file] if file.is_file() && problems.len() == 1 && !folder.is_dir() => Some(file),
        _ => None,
    };
    match single {
        Some(file) => expect_apart(file, args.files_of(file).iter().flatten())?,
        None => args.expect_folder(&paths)?,
    }
    let mut analyst = network::analyst(settings)?;
    analyst
        .configure(settings.solving(), settings.params.clone())
        .map_err(|e| e.to_string())?;
    let bar = progress_bar(problems.len() as u64);
    let mut shown = Instant::now();
    let interrupted = interrupt_flag();
    let mut failed = 0;
    for problem in &problems {
        if interrupted.load(Relaxed) {
            break;
        }
        let (name, files) = match single {
            Some(file) => (file.display().to_string(), args.files_of(file)),
            None => (problem.name.clone(), args.files_in_folder(&problem.name)),
        };
        let found = args.record(problem, &name, settings).and_then(|record| {
            if let Some(odd) = record.oddities() {
                bar.suspend(|| note(format_args!("ponnuki: {name}: {odd}")));
            }
            let question = settings.question(record.position.clone(), &[]);
            let mut on_report = |report: &AnalysisReport| {
                if single.is_some() {
                    note_progress(report);
                }
            };
            let found = analyst.solve_reporting(&question, &interrupted, &mut on_report);
            let found = found.ok_or_else(|| format!("{name}: no group is in question"))?;
            let solved = || Solved::new(record, &question, &found, &interrupted);
            let written = write(&files, &problem.name, solved);
            Ok((found, written))
        });
        let done = found.and_then(|(found, written)| {
            let text = match single {
                Some(_) => found.to_string(),
                None => format!("{name}: {}", found.to_string().replace('\n', "\n  ")),
            };
            printed(bar.suspend(|| writeln!(out, "{text}").and_then(|()| out.flush())))?;
            // The answer is not lost if its file cannot be written.
            written
        });
        match done {
            Err(e) if single.is_none() => {
                bar.suspend(|| note(format_args!("ponnuki: {e}")));
                failed += 1;
            }
            done => done?,
        }
        bar.inc(1);
        // The bar is hidden if there is no terminal.
        if bar.is_hidden() && shown.elapsed() >= PROGRESS {
            shown = Instant::now();
            let (done, of) = (bar.position(), problems.len());
            note(format_args!("ponnuki: {done} of {of} problems"));
        }
    }
    bar.finish_and_clear();
    match failed {
        0 => Ok(!interrupted.load(Relaxed)),
        n => Err(format!(
            "{n} of {} could not be solved or written",
            problems.len()
        )),
    }
}

/// Write the best move so far to standard error.
fn note_progress(report: &AnalysisReport) {
    let best = report.moves.first().map_or(Move::Pass, |m| m.mv);
    let (rate, visits) = (100.0 * report.win_rate, report.visits);
    note(format_args!("{best} {rate:.0} % after {visits} visits"));
}

impl Solve {
    /// Read a problem up to the position to solve.
    fn record(
        &self,
        problem: &RecordToRead,
        name: &str,
        settings: &Settings,
    ) -> Result<GameRecord, String> {
        let bytes = problem.bytes()?;
        let record = read_before(self.before, |limit| {
            sgf::read(&bytes, &settings.rules, limit)
        });
        let record = record.map_err(|e| format!("{name}: {e}"))?;
        Ok(match self.before {
            None => at_problem(record),
            Some(_) => record,
        })
    }

    /// Prepare the folder for the files of several problems.
    ///
    /// # Errors
    /// A message if there is no folder, or it contains a file to read.
    fn expect_folder(&self, paths: &[PathBuf]) -> Result<(), String> {
        let Some(folder) = &self.out else {
            return match self.html {
                Some(_) => Err("--html for several problems needs --out FOLDER".to_owned()),
                None => Ok(()),
            };
        };
        if matches!(self.html, Some(Some(_))) {
            return Err("for several problems, --html takes no file name".to_owned());
        }
        create_folder(folder)?;
        expect_elsewhere(folder, paths)
    }

    /// The record and the page to write of a single problem.
    fn files_of(&self, file: &Path) -> [Option<PathBuf>; 2] {
        let page = page_path(self.html.as_ref(), file, "solved");
        [self.out.clone(), page]
    }

    /// The record and the page to write of one of several problems.
    fn files_in_folder(&self, name: &str) -> [Option<PathBuf>; 2] {
        let file = |ending: &str| Some(self.out.as_ref()?.join(format!("{name}.{ending}")));
        [file("sgf"), self.html.as_ref().and_then(|_| file("html"))]
    }
}

/// Write the record and the page of a problem, if wanted.
///
/// # Errors
/// A line that says which file cannot be written.
fn write<'a>(
    [record_path, page]: &[Option<PathBuf>; 2],
    name: &str,
    solved: impl FnOnce() -> Solved<'a>,
) -> Result<(), String> {
    if record_path.is_none() && page.is_none() {
        return Ok(());
    }
    let solved = solved();
    if let Some(path) = record_path {
        save(path, &solved.sgf())?;
    }
    let Some(path) = page else { return Ok(()) };
    let name = solved.info.name.as_deref().unwrap_or(name);
    let title = format!("{name}: {} first", solved.found.first);
    save(path, &solved.html(&title, None))
}

/// A problem with its answer and variations, ready to be written.
pub(super) struct Solved<'a> {
    info: GameInfo,
    position: Position,
    found: &'a Solution,
    tree: Vec<Branch>,
}

impl<'a> Solved<'a> {
    /// Search the variations of an answer, until they are done or `interrupted`.
    pub fn new(
        record: GameRecord,
        question: &Question,
        found: &'a Solution,
        interrupted: &Arc<AtomicBool>,
    ) -> Solved<'a> {
        let bounds = question.bounds_of_variations(interrupted.clone());
        Solved {
            // The result is that of the game, not of the problem.
            info: GameInfo {
                result: None,
                ..record.info
            },
            position: record.position,
            found,
            tree: tree(&found.variations(&bounds)),
        }
    }

    /// The record with the variations marked right and wrong.
    fn sgf(&self) -> String {
        let answer = self.found.to_string();
        sgf::write_problem(&self.position, &self.info, &answer, &self.tree)
    }

    /// The page to step through them; `served` as in [`crate::page`].
    pub fn html(&self, title: &str, served: Option<Served<'_>>) -> String {
        ProblemPage {
            title,
            info: &self.info,
            position: &self.position,
            group: self.found.problem.group(),
            answer: &self.found.to_string(),
            tree: &self.tree,
        }
        .html(served)
    }
}

/// The tree of these lines, with what is known of each first move as its comment.
fn tree(variations: &[Variation]) -> Vec<Branch> {
    let mut tree = Vec::new();
    for v in variations {
        let verdict = if v.is_right { "Right" } else { "Wrong" };
        let how = if v.is_proved { "proved" } else { "estimated" };
        let comment = format!("{verdict}, {how}.");
        Branch::add(&mut tree, &v.moves, Some(v.is_right), &comment);
    }
    tree
}

/// A record up to the position in question: the stones set up at the root, or the last position if
/// there are none. In records of problems, the solution follows the set-up stones.
pub(super) fn at_problem(record: GameRecord) -> GameRecord {
    let sets_up = record.position.start().stones().next().is_some();
    match sets_up {
        true => record.at_start(),
        false => record,
    }
}
