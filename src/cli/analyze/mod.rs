//! `ponnuki analyze`: game records with win rates, leads and variations.

mod archive;
pub(super) mod games;
mod journal;
mod losses;
mod note;
mod page;
pub(super) mod record;
mod table;

use super::files::{self, expect_apart, page_path, save};
use super::network;
use super::numbers::integer;
use super::patterns::expand;
use super::terminal::{printed, progress_bar};
use crate::analysis::{AnalysisReport, AnalysisRequest, Analyst, Limits, Thoroughness};
use crate::gtp;
use crate::page::Served;
use crate::player::Settings;
use crate::position::Position;
use crate::rules::Ruleset;
use crate::sgf::{self, GameRecord};
use clap::Args;
use losses::Loss;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Arguments of `ponnuki analyze`.
#[derive(Debug, Args)]
pub(super) struct Analyze {
    /// Game records (SGF), folders of them, or archives with many games in a file, optionally compressed by gzip
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Output file of one record [default: next to it, with `-analyzed` in its name]; output folder of several records [default: analyzed]
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Also write a page to review the game in a browser, for a single record [default: next to it, with `-analyzed` in its name]
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    html: Option<Option<PathBuf>>,
    /// Analyse only every Nth record, from the Kth on, to divide the work among N processes
    #[arg(long, value_name = "K/N")]
    shard: Option<WorkShare>,
    /// Maximum variations per position
    #[arg(long, value_name = "N", default_value = "3", value_parser = integer(0..=usize::MAX))]
    variations: usize,
    /// Maximum moves per variation
    #[arg(long, value_name = "N", default_value = "10", value_parser = integer(1..=100usize))]
    length: usize,
}

/// A share of the work: every `of`th game, from game `number` on, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WorkShare {
    number: usize,
    of: usize,
}

impl std::str::FromStr for WorkShare {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<WorkShare, &'static str> {
        let wrong = "expected K/N, such as 1/4, with K from 1 to N";
        let (number, of) = text.split_once('/').ok_or(wrong)?;
        let number = number.trim().parse().map_err(|_| wrong)?;
        let of = of.trim().parse().map_err(|_| wrong)?;
        match (1..=of).contains(&number) {
            true => Ok(WorkShare { number, of }),
            false => Err(wrong),
        }
    }
}

/// Settings of an analysis.
#[derive(Debug)]
pub(super) struct AnalysisSettings {
    pub limits: Limits,
    /// Rules that replace those of the records.
    pub rules: Option<Ruleset>,
    pub seed: u64,
    /// Ends an analysis early when it is set.
    pub stop: Arc<AtomicBool>,
}

/// Maximum numbers of candidates shown for a position, and of moves of their variations.
#[derive(Clone, Copy, Debug)]
pub(super) struct VariationLimits {
    pub variations: usize,
    pub length: usize,
}

/// Interval of progress messages if there is no terminal.
pub(super) const PROGRESS: Duration = Duration::from_secs(30);

/// Default visits per position.
const VISITS: u64 = 1000;

/// Analyse every position of the records. With `rules`, the rules of the settings replace those of
/// the records.
///
/// # Errors
/// A message that says what is wrong with a file.
pub(super) fn run(
    args: &Analyze,
    settings: Settings,
    rules: bool,
    out: &mut impl Write,
) -> Result<(), String> {
    let default = (!settings.limits.are_set()).then_some(VISITS);
    let how = AnalysisSettings {
        limits: Limits {
            visits: settings.limits.visits.or(default),
            ..settings.limits
        },
        rules: rules.then_some(settings.rules),
        seed: settings.seed,
        stop: Arc::default(),
    };
    let paths = expand(&args.paths)?;
    let mut games = games::find(&paths, &archive::folder(args))?;
    let into_folder = args.shard.is_some() || args.out.as_ref().is_some_and(|p| p.is_dir());
    let single = match &paths[..] {
        [file] if file.is_file() && games.len() == 1 && !into_folder => Some(file),
        _ => None,
    };
    if single.is_none() && args.html.is_some() {
        return Err("--html is for one record".to_owned());
    }
    let mut analyst = network::analyst(&settings)?;
    match single {
        Some(file) => {
            let game = games.remove(0);
            one(args, file, &game.bytes()?, &mut analyst, &how, out)
        }
        _ => {
            files::expect_elsewhere(&archive::folder(args), &paths)?;
            archive::run(args, games, &mut analyst, &settings, &how, out)
        }
    }
}

/// Analyse one record, with all threads on each position.
fn one(
    args: &Analyze,
    file: &Path,
    bytes: &[u8],
    analyst: &mut Analyst,
    how: &AnalysisSettings,
    out: &mut impl Write,
) -> Result<(), String> {
    let name = file.display();
    let record = how.read(bytes).map_err(|e| format!("{name}: {e}"))?;
    if let Some(odd) = record.oddities() {
        gtp::note(format_args!("ponnuki: {name}: {odd}"));
    }
    if let Some(left_out) = record.left_out() {
        gtp::note(format_args!("ponnuki: {name}: {left_out}"));
    }
    let path = args.out.clone().unwrap_or_else(|| default_path(file));
    let page = page_path(args.html.as_ref(), file, "analyzed");
    let written = [Some(&path), page.as_ref()].into_iter().flatten();
    expect_apart(file, written)?;
    let position = &record.position;
    let positions = positions_of(position);
    let bar = progress_bar(positions as u64);
    let mut shown = Instant::now();
    let reports = how.reports(position, analyst, |report| {
        bar.set_message(note::headline(report));
        bar.inc(1);
        // The bar is hidden if there is no terminal.
        if bar.is_hidden() && shown.elapsed() >= PROGRESS {
            shown = Instant::now();
            gtp::note(format_args!(
                "ponnuki: {} of {positions} positions",
                bar.position()
            ));
        }
    });
    bar.set_message("comparing the costliest moves");
    let review = how.review(&record, reports, args.shown(), analyst);
    bar.finish_and_clear();
    save(&path, &review.annotated)?;
    if let Some(page) = &page {
        let stem = page.file_stem().unwrap_or_default().to_string_lossy();
        save(page, &review.html(&stem, None))?;
    }
    printed(losses::print(&review.losses, position.size(), out))?;
    let written = [Some(&path), page.as_ref()].into_iter().flatten();
    let written: Vec<String> = written.map(|p| p.display().to_string()).collect();
    printed(writeln!(out, "Written to {}", written.join(" and ")))
}

/// Number of positions in all parts of a game.
pub(super) fn positions_of(game: &Position) -> usize {
    game.parts().map(|p| p.turns().len() + 1).sum()
}

impl Analyze {
    fn shown(&self) -> VariationLimits {
        VariationLimits {
            variations: self.variations,
            length: self.length,
        }
    }
}

/// A record and its analysis.
pub(super) struct Reviewed<'a> {
    record: &'a GameRecord,
    reports: Vec<AnalysisReport>,
    losses: Vec<Loss>,
    /// The record with the analysis in its comments and variations.
    annotated: String,
    shown: VariationLimits,
}

impl Reviewed<'_> {
    /// Render the review page. The files to download from it are named `stem`; `served` is as in
    /// [`crate::page`].
    pub fn html(&self, stem: &str, served: Option<Served<'_>>) -> String {
        page::html(self, stem, served)
    }
}

impl AnalysisSettings {
    /// Read a record, by the rules of the settings if there are any.
    pub fn read(&self, bytes: &[u8]) -> Result<GameRecord, sgf::SgfError> {
        match &self.rules {
            Some(rules) => sgf::read_under(bytes, rules, None),
            None => sgf::read(bytes, &Ruleset::default(), None),
        }
    }

    /// Report on all positions of a game, part after part. `each` is called with every report.
    pub fn reports(
        &self,
        game: &Position,
        analyst: &mut Analyst,
        mut each: impl FnMut(&AnalysisReport),
    ) -> Vec<AnalysisReport> {
        let mut reports = Vec::new();
        for part in game.parts() {
            for position in part.positions() {
                let report = self.report(reports.len(), position, analyst);
                each(&report);
                reports.push(report);
                if self.stop.load(Ordering::Relaxed) {
                    return reports;
                }
            }
        }
        reports
    }

    /// Report on a position of a game: the count if passes have ended it, otherwise a
    /// [search](Self::search).
    fn report(&self, number: usize, position: Position, analyst: &mut Analyst) -> AnalysisReport {
        let counted = analyst.counted(&position, Thoroughness::Thorough);
        counted.unwrap_or_else(|| self.search(number, position, analyst))
    }

    /// Search a position of a game; its `number` among all positions determines the seed.
    fn search(&self, number: usize, position: Position, analyst: &mut Analyst) -> AnalysisReport {
        let request = AnalysisRequest {
            limits: self.limits,
            seed: self.seed.wrapping_add((number as u64 + 1) << 20),
            ..AnalysisRequest::new(position)
        };
        analyst.answer(&request, &self.stop)
    }

    /// Find the loss of each move, compare the costliest with better ones, and annotate the
    /// record.
    pub fn review<'a>(
        &self,
        record: &'a GameRecord,
        reports: Vec<AnalysisReport>,
        shown: VariationLimits,
        analyst: &mut Analyst,
    ) -> Reviewed<'a> {
        let position = &record.position;
        let mut losses = losses::estimated(position, &reports);
        while let Some(loss) = losses::next_to_compare(&losses).and_then(|i| losses.get_mut(i)) {
            losses::compare(loss, position, &reports, self, analyst);
        }
        let mut notes = note::notes(shown, record, &reports, &losses);
        for loss in &losses {
            if let Some(note) = notes.get_mut(loss.at + 1) {
                note.properties.extend(loss.mark());
            }
        }
        Reviewed {
            record,
            annotated: sgf::write_annotated(position, &record.info, &notes),
            reports,
            losses,
            shown,
        }
    }
}

/// An analysed part of a game.
struct Analyzed<'a> {
    game: Position,
    /// Number of its first move.
    first: usize,
    /// Reports on its start and on the position after each turn.
    reports: &'a [AnalysisReport],
}

/// The parts of a game with their reports, given the reports on all positions.
fn parts<'a>(
    game: &'a Position,
    mut reports: &'a [AnalysisReport],
) -> impl Iterator<Item = Analyzed<'a>> {
    let mut first = 1;
    game.parts().map(move |game| {
        let turns = game.turns().len();
        let (of_part, later) = reports.split_at(reports.len().min(turns + 1));
        let part = Analyzed {
            game,
            first,
            reports: of_part,
        };
        (reports, first) = (later, first + turns);
        part
    })
}

/// The default path of the analysed record.
fn default_path(file: &Path) -> PathBuf {
    files::sibling(file, "-analyzed.sgf")
}
