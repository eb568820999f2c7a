//! Pictures and pages: from what was found to what [`crate::page`] draws.

use super::analyze::parts;
use super::save;
use crate::adjudicate::Hypothetical;
use crate::analysis::{AnalysisReport, ChainStatus, Judgement, MoveReport};
use crate::page::{Act, Candidate, Chain, Mark, PositionNote, Review, Verdict};
use crate::position::{Owner, Position};
use crate::sgf::{GameInfo, GameRecord};
use crate::types::{BoardSize, Color, Move, Point};
use std::path::Path;

/// Write the page of an analysed game: of the first moves of each report those that have
/// been visited, and of their variations the first moves, up to these numbers.
///
/// # Errors
/// A line that says why the file cannot be written.
pub(super) fn review(
    path: &Path,
    record: &GameRecord,
    reports: &[AnalysisReport],
    [moves, length]: [usize; 2],
) -> Result<(), String> {
    let game = &record.position;
    let size = game.size();
    let note = |report: &AnalysisReport| {
        let of_black = report.seen_by(Color::Black);
        let visited = of_black.moves.iter().filter(|m| m.visits > 0);
        PositionNote {
            win_rate: of_black.win_rate,
            lead: of_black.score.lead,
            visits: report.visits,
            ownership: ownership(size, report),
            candidates: visited
                .take(moves)
                .map(|m| candidate(m, report.color, length))
                .collect(),
        }
    };
    let mut positions: Vec<PositionNote> = Vec::new();
    for part in parts(game, reports) {
        // The start of a part takes the place of the end of the one before.
        positions.pop();
        positions.extend(part.reports.iter().map(note));
    }
    save(
        path,
        &Review {
            info: &record.info,
            game,
            positions: &positions,
        }
        .html(),
    )
}

/// Rows from the top; empty where no playout or evaluation has told it.
fn ownership(size: BoardSize, report: &AnalysisReport) -> Vec<f32> {
    if report.ownership.playouts() == 0 {
        return Vec::new();
    }
    size.from_the_top()
        .map(|p| report.ownership.of(p))
        .collect()
}

/// A move of a report with Black's values; `c` is to move.
fn candidate(m: &MoveReport, c: Color, length: usize) -> Candidate {
    let players = std::iter::successors(Some(c), |c| Some(c.opponent()));
    let moves: Vec<Move> = m.pv.iter().map(|&(m, _)| m).take(length).collect();
    Candidate {
        vertex: m.mv,
        win_rate: m.win_rate,
        lead: m.score.lead,
        visits: m.visits,
        prior: m.prior,
        variation: players.zip(moves).collect(),
    }
}

/// Write the picture and the page of a scored game, those of them that are asked for; of
/// an `unfinished` one with what is expected of it instead of a result.
///
/// # Errors
/// A line that says why a file cannot be written.
pub(super) fn verdict(
    svg: Option<&Path>,
    html: Option<&Path>,
    info: &GameInfo,
    game: &Position,
    judgement: &Judgement,
    unfinished: Option<&str>,
) -> Result<(), String> {
    if svg.is_none() && html.is_none() {
        return Ok(());
    }
    let marks = marks(game, judgement);
    let chains = html.map_or_else(Vec::new, |_| chains(game, judgement));
    let verdict = Verdict {
        info,
        game,
        score: judgement.score(),
        marks: &marks,
        chains: &chains,
        unfinished,
    };
    if let Some(path) = svg {
        save(path, &verdict.diagram().svg())?;
    }
    html.map_or(Ok(()), |path| save(path, &verdict.html()))
}

/// Life and death on stones, and whose the points without a living stone are.
fn marks(game: &Position, judgement: &Judgement) -> Vec<(Point, Mark)> {
    let mut marks = Vec::new();
    for p in game.size().points() {
        let status = judgement.status(p);
        match status {
            Some(ChainStatus::Dead) => marks.push((p, Mark::Dead)),
            Some(ChainStatus::Seki) => marks.push((p, Mark::Seki)),
            Some(ChainStatus::Alive) | None => {}
        }
        if let (None, Owner::Player(c)) = (status, judgement.owner(p)) {
            marks.push((p, Mark::Territory(c)));
        }
    }
    marks
}

/// The chains that fall if the opponent plays first, and those that are not simply alive
/// or whose life has been searched.
fn chains(game: &Position, judgement: &Judgement) -> Vec<Chain> {
    let mut chains = Vec::new();
    for c in Color::BOTH {
        for t in judgement.attacked(game.board(), c, None).threats {
            chains.push(Chain {
                text: format!("{}.", t.in_words(c)),
                stones: t.stones,
                steps: vec![(c.opponent(), Act::Play(t.attack))],
            });
        }
    }
    // Those with a proof to look at come first.
    let explanations = judgement.explanations(game).into_iter();
    let (proofs, others): (Vec<_>, Vec<_>) = explanations.partition(|e| !e.line.is_empty());
    for e in proofs.into_iter().chain(others) {
        let act = |&(c, step): &(Color, Hypothetical)| {
            let act = match step {
                Hypothetical::Play(p) => Act::Play(p),
                Hypothetical::KoPass(p) => Act::KoPass(p),
                Hypothetical::Pass => Act::Pass,
            };
            (c, act)
        };
        chains.push(Chain {
            text: format!("{e}."),
            steps: e.line.iter().map(act).collect(),
            stones: e.stones,
        });
    }
    chains
}
