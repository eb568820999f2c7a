//! `ponnuki analyze`: a game record with win rates, leads and variations.

use super::{printed, progress_bar};
use crate::analysis::{AnalysisReport, MoveReport};
use crate::player::{Engine, Settings};
use crate::rules::Ruleset;
use crate::sgf::{self, Note};
use crate::types::{Color, Move};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

/// What to analyse.
#[derive(Debug, Args)]
pub(super) struct Analyze {
    /// Game record (SGF)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// File for the analysed record [default: beside the record, with `-analyzed` in its name]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write a page to look through the game in a browser as well
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Most variations at each move
    #[arg(long, value_name = "N", default_value = "3")]
    variations: usize,
    /// Most moves of a variation
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u64).range(1..=100))]
    length: u64,
}

/// Visits of each position where no limit is given.
const VISITS: u64 = 1000;

/// Loss of win rate from which a move is pointed out.
const MISTAKE: f32 = 0.1;

/// Analyse every position of the record under these settings. `rules` says whether the
/// rules of the settings count or those of the record, `limited` whether the settings
/// limit the search.
///
/// # Errors
/// A line that says what is wrong with a file.
pub(super) fn run(
    args: &Analyze,
    mut settings: Settings,
    rules: bool,
    limited: bool,
    out: &mut impl Write,
) -> Result<(), String> {
    let name = args.file.display();
    let bytes = std::fs::read(&args.file).map_err(|e| format!("cannot read {name}: {e}"))?;
    let record =
        sgf::read(&bytes, &Ruleset::default(), None).map_err(|e| format!("{name}: {e}"))?;
    let mut position = record.position;
    args.html
        .as_deref()
        .map_or(Ok(()), super::pages::expect_folder)?;
    if rules {
        position.set_rules(settings.rules);
    }
    if !limited {
        settings.visits = Some(VISITS);
    }
    let mut engine = Engine::new(settings).map_err(|e| e.to_string())?;
    super::expect_network(&mut engine)?;
    let turns = position.turns().len();
    let bar = progress_bar(turns as u64 + 1);
    let mut analyses = Vec::with_capacity(turns + 1);
    for n in 0..=turns {
        engine.set_position(position.at_turn(n));
        let analysis = engine.analysis();
        bar.set_message(headline(&analysis));
        bar.inc(1);
        analyses.push(analysis);
    }
    bar.finish_and_clear();
    let played: Vec<Move> = position.turns().iter().map(|t| t.mv).collect();
    let notes: Vec<Note> = (0..=turns)
        .map(|n| {
            let before = n.checked_sub(1).and_then(|b| analyses.get(b));
            note(args, &analyses[n], before, played.get(n).copied())
        })
        .collect();
    let path = args.out.clone().unwrap_or_else(|| beside(&args.file));
    std::fs::write(&path, sgf::write_annotated(&position, &record.info, &notes))
        .map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    if let Some(page) = &args.html {
        let most = [args.variations, args.length as usize];
        super::pages::review(page, &record.info, &position, &analyses, most)?;
    }
    printed(mistakes(&analyses, &played, &path, out))
}

/// `game.sgf` becomes `game-analyzed.sgf`.
fn beside(file: &std::path::Path) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    file.with_file_name(format!("{stem}-analyzed.sgf"))
}

/// `Black 54.3 %, B+1.2`
fn headline(analysis: &AnalysisReport) -> String {
    let win_rate = analysis.win_rate_of(Color::Black);
    let lead = analysis.lead_of(Color::Black);
    let leader = if lead >= 0.0 { 'B' } else { 'W' };
    format!(
        "Black {:.1} %, {leader}+{:.1}",
        100.0 * win_rate,
        lead.abs()
    )
}

/// What the record says of a position: Sabaki's win rate (SBKV, Black's, in
/// percent), the node value (V, Black's lead), a comment, and the best variations
/// that the game does not follow.
fn note(
    args: &Analyze,
    now: &AnalysisReport,
    before: Option<&AnalysisReport>,
    next: Option<Move>,
) -> Note {
    let mut comment = format!("{}, {} visits", headline(now), now.visits);
    if let Some(before) = before {
        let mover = before.color;
        let change = now.win_rate_of(mover) - before.win_rate;
        comment.push_str(&format!("; {mover}'s move {:+.1} %", 100.0 * change));
    }
    let length = args.length as usize;
    if let (None, Some(best)) = (next, now.moves.first()) {
        // After the last move a variation would be taken for the game.
        let moves: Vec<String> = line(best, now.color, length)
            .into_iter()
            .map(|(_, m)| m.to_string())
            .collect();
        comment.push_str(&format!("\nBest: {}", moves.join(" ")));
    }
    let others = now
        .moves
        .iter()
        .filter(|m| m.visits > 0 && Some(m.mv) != next);
    let variations = others
        .take(args.variations)
        .map(|m| (line(m, now.color, length), told(m)))
        .collect();
    Note {
        properties: vec![
            (
                "SBKV",
                format!("{:.2}", 100.0 * now.win_rate_of(Color::Black)),
            ),
            ("V", format!("{:.2}", now.lead_of(Color::Black))),
            ("C", comment),
        ],
        variations,
    }
}

fn line(m: &MoveReport, first: Color, length: usize) -> Vec<(Color, Move)> {
    let colors = std::iter::successors(Some(first), |c| Some(c.opponent()));
    let moves = m.pv.iter().map(|&(m, _)| m);
    colors.zip(moves).take(length).collect()
}

fn told(m: &MoveReport) -> String {
    format!(
        "{:.1} % for the player, lead {:.1}, {} visits",
        100.0 * m.win_rate,
        m.score.lead,
        m.visits
    )
}

/// The moves that cost most, in the order of the game, and where the record is.
fn mistakes(
    analyses: &[AnalysisReport],
    played: &[Move],
    path: &std::path::Path,
    out: &mut impl Write,
) -> std::io::Result<()> {
    for (n, pair) in analyses.windows(2).enumerate() {
        let [before, after] = pair else { continue };
        let loss = before.win_rate - after.win_rate_of(before.color);
        if let (Some(m), true) = (played.get(n), loss >= MISTAKE) {
            let better = before.moves.first().map_or(Move::Pass, |m| m.mv);
            writeln!(
                out,
                "Move {}, {} {m}: {:.1} % lost; the search prefers {better}",
                n + 1,
                before.color,
                100.0 * loss
            )?;
        }
    }
    writeln!(out, "Written to {}", path.display())
}
