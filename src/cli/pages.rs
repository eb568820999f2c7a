//! Pictures and pages: from what was found to what [`crate::page`] draws.

use crate::adjudicate::Hypothetical;
use crate::analysis::{ChainStatus, Judgement};
use crate::page::{Act, Chain, Mark, Verdict};
use crate::position::{Owner, Position};
use crate::sgf::GameInfo;
use crate::types::{Color, Point};
use std::fs;
use std::path::Path;

/// Write the picture and the page of a scored game, those of them that are asked for.
///
/// # Errors
/// A line that says why a file cannot be written.
pub(super) fn verdict(
    svg: Option<&Path>,
    html: Option<&Path>,
    info: &GameInfo,
    game: &Position,
    judgement: &Judgement,
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
    };
    if let Some(path) = svg {
        write(path, &verdict.diagram().svg())?;
    }
    html.map_or(Ok(()), |path| write(path, &verdict.html()))
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
        let opponent = c.opponent();
        for t in judgement.attacked(game.board(), c).threats {
            let at = t.stones.first().map(Point::to_string).unwrap_or_default();
            chains.push(Chain {
                text: format!(
                    "{c} {at} is lost if {opponent} plays {}; {c} protects it at {}.",
                    t.attack, t.protection
                ),
                stones: t.stones,
                steps: vec![(opponent, Act::Play(t.attack))],
            });
        }
    }
    // Those with a proof to look at come first.
    let mut explanations = judgement.explanations(game);
    explanations.sort_by_key(|e| e.line.is_empty());
    for e in explanations {
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

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
}
