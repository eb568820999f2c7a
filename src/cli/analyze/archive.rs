//! Analysis of many records on all cores, which resumes after an interruption.

use super::journal::{Journal, SIGNATURE, Status, paths};
use super::record::RecordToRead;
use super::{AnalysisSettings, Analyze, WorkShare, losses, note, table};
use crate::analysis::Analyst;
use crate::cli::files::{create_folder, save};
use crate::cli::terminal::printed;
use crate::gtp;
use crate::player::Settings;
use crate::sgf;
use crate::util::locked;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// The output folder.
pub(super) fn folder(args: &Analyze) -> PathBuf {
    let named = args.out.clone();
    named.unwrap_or_else(|| PathBuf::from("analyzed"))
}

/// Analyse all games that have not been analysed yet.
///
/// # Errors
/// A message about a file that cannot be written, or was begun with other settings.
pub(super) fn run(
    args: &Analyze,
    games: Vec<RecordToRead>,
    analyst: &mut Analyst,
    settings: &Settings,
    how: &AnalysisSettings,
    out: &mut impl Write,
) -> Result<(), String> {
    let folder = folder(args);
    create_folder(&folder)?;
    let all = WorkShare { number: 1, of: 1 };
    let WorkShare { number, of } = args.shard.unwrap_or(all);
    let mine: Vec<&RecordToRead> = games.iter().skip(number - 1).step_by(of).collect();
    let shard = match of {
        1 => String::new(),
        _ => format!("-{number}-of-{of}"),
    };
    let files = paths(&folder, &shard);
    if !files.1.exists() {
        // No earlier run has written these.
        let results = mine.iter().map(|game| output(&folder, game));
        if let Some(path) = results.chain([files.0.clone()]).find(|path| path.exists()) {
            let path = path.display();
            return Err(format!("{path} would be written over; give another --out"));
        }
    }
    let begun = signature(settings, how);
    let journal = Journal::open(&files, &begun, table::HEADER)?;
    let (todo, changed) = unfinished(&mine, &journal);
    let before = mine.len() - todo.len() - changed.len();
    let bar = bar(mine.len(), before);
    let work = Work {
        args,
        how,
        folder: &folder,
        todo: &todo,
        next: AtomicUsize::new(0),
        positions: AtomicU64::new(0),
        cut: AtomicUsize::new(0),
        journal: Mutex::new(journal),
        failure: Mutex::new(None),
        bar: &bar,
    };
    let workers = analyst.positions_at_once().min(todo.len());
    let analysts = analyst.team(workers).map_err(|e| e.to_string())?;
    if let Ok(network) = analyst.network() {
        network.limit_threads(settings.threads);
    }
    std::thread::scope(|scope| {
        for analyst in analysts {
            scope.spawn(|| work.run(analyst));
        }
    });
    bar.finish_and_clear();
    let (positions, cut) = (work.positions.load(Relaxed), work.cut.load(Relaxed));
    if cut > 0 {
        let what = "records written with only their main line and comments";
        gtp::note(format_args!("ponnuki: {what}: {cut}"));
    }
    if let Some(why) = locked(&work.failure).take() {
        return Err(why);
    }
    let summary = Summary {
        table: &files.0,
        mine: &mine,
        changed: &changed,
        before,
        positions,
        seconds: bar.elapsed().as_secs_f64(),
    };
    summary.print(&locked(&work.journal), out)
}

/// What a run has done.
struct Summary<'a> {
    table: &'a Path,
    /// The games of this shard.
    mine: &'a [&'a RecordToRead],
    /// Names of games that are in the journal with another record.
    changed: &'a HashSet<&'a String>,
    /// Number of games known from earlier runs.
    before: usize,
    /// Number of positions analysed in this run.
    positions: u64,
    seconds: f64,
}

impl Summary<'_> {
    /// Print the refused games with the reasons, and one line about all.
    ///
    /// # Errors
    /// If no game could be used, or the output cannot be written.
    fn print(&self, journal: &Journal, out: &mut impl Write) -> Result<(), String> {
        let table = self.table.display();
        let mut refused = 0;
        for game in self.mine {
            let name = &game.name;
            let why = match journal.known.get(name).map(|entry| &entry.status) {
                _ if self.changed.contains(name) => {
                    format!("{table} has another record of this name; give another --out")
                }
                Some(Status::Refused(why)) => why.clone(),
                _ => continue,
            };
            refused += 1;
            printed(writeln!(out, "Refused {name}: {why}"))?;
        }
        printed(writeln!(
            out,
            "{} games in {table}, {refused} refused, {} known before; {} positions, {:.1} a second",
            self.mine.len() - refused,
            self.before,
            self.positions,
            self.positions as f64 / self.seconds.max(1e-3),
        ))?;
        match !self.mine.is_empty() && refused == self.mine.len() {
            true => Err("no record could be used".to_owned()),
            false => Ok(()),
        }
    }
}

/// The file of an analysed game.
fn output(folder: &Path, game: &RecordToRead) -> PathBuf {
    folder.join(format!("{}.sgf", game.name))
}

/// The games missing from the journal, and the names under which it has a different record.
fn unfinished<'a>(
    games: &[&'a RecordToRead],
    journal: &Journal,
) -> (Vec<&'a RecordToRead>, HashSet<&'a String>) {
    let (mut todo, mut changed) = (Vec::new(), HashSet::new());
    for &game in games {
        match journal.known.get(&game.name) {
            Some(entry) if entry.checksum == game.checksum => {}
            // The table has rows of the other record.
            Some(entry) if entry.status == Status::Done => {
                changed.insert(&game.name);
            }
            _ => todo.push(game),
        }
    }
    (todo, changed)
}

/// The settings that must not change when an analysis is resumed.
fn signature(settings: &Settings, how: &AnalysisSettings) -> String {
    let limits = [
        ("playouts", how.limits.playouts.map(|n| n.to_string())),
        ("visits", how.limits.visits.map(|n| n.to_string())),
        ("time", how.limits.time.map(|t| t.as_secs_f64().to_string())),
        ("rules", how.rules.map(|r| r.to_json())),
    ];
    let limits = limits
        .into_iter()
        .filter_map(|(name, value)| Some(format!(" {name} {}", value?)));
    let net = Path::new(&settings.evaluator.to_string())
        .file_name()
        .map_or_else(
            || "playouts".to_owned(),
            |n| n.to_string_lossy().into_owned(),
        );
    let version = env!("CARGO_PKG_VERSION");
    let limits: String = limits.collect();
    format!("{SIGNATURE}{version} {net}{limits}")
}

fn bar(games: usize, before: usize) -> ProgressBar {
    let bar = ProgressBar::new(games as u64);
    let template = "{bar:30} {pos}/{len} games {elapsed}, {eta} left {msg}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_position(before as u64);
    bar.reset_eta();
    bar
}

/// State shared by the workers.
struct Work<'a> {
    args: &'a Analyze,
    how: &'a AnalysisSettings,
    folder: &'a Path,
    todo: &'a [&'a RecordToRead],
    next: AtomicUsize,
    positions: AtomicU64,
    /// Number of records that are written only in part.
    cut: AtomicUsize,
    journal: Mutex<Journal>,
    failure: Mutex<Option<String>>,
    bar: &'a ProgressBar,
}

impl Work<'_> {
    fn run(&self, mut analyst: Analyst) {
        while let Some(game) = self.todo.get(self.next.fetch_add(1, Relaxed)) {
            if let Err(e) = self.game(game, &mut analyst) {
                locked(&self.failure).get_or_insert(e);
                // No worker starts another game.
                self.next.store(self.todo.len(), Relaxed);
                return;
            }
            self.bar.inc(1);
        }
    }

    fn game(&self, game: &RecordToRead, analyst: &mut Analyst) -> Result<(), String> {
        let journal = || locked(&self.journal);
        let cannot = |e: std::io::Error| format!("cannot write to {}: {e}", self.folder.display());
        let read = |bytes: Vec<u8>| self.how.read(&bytes).map_err(|e| e.to_string());
        let record = match game.bytes().and_then(read) {
            Ok(record) => record,
            Err(why) => return journal().refused(game, &why).map_err(cannot),
        };
        if let Some(odd) = record.oddities() {
            self.bar
                .suspend(|| gtp::note(format_args!("ponnuki: {}: {odd}", game.name)));
        }
        let cut = record.left_out().is_some();
        self.cut.fetch_add(cut.into(), Relaxed);
        let position = &record.position;
        analyst.clear_tree();
        let reports = self.how.reports(position, analyst, |_| {
            let n = self.positions.fetch_add(1, Relaxed) + 1;
            let seconds = self.bar.elapsed().as_secs_f64().max(1e-3);
            let rate = n as f64 / seconds;
            self.bar.set_message(format!("{rate:.0} positions/s"));
        });
        let losses = losses::estimated(position, &reports);
        let notes = note::notes(self.args.shown(), &record, &reports, &losses);
        let path = output(self.folder, game);
        save(&path, &sgf::write_annotated(position, &record.info, &notes))?;
        let rows = table::rows(&game.name, &losses, &reports);
        journal().done(game, &rows).map_err(cannot)
    }
}
