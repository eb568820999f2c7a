//! The picture and the page of a scored game: converts results for [`crate::page`].

use crate::adjudicate::Hypothetical;
use crate::analysis::{ChainStatus, Judgement};
use crate::page::{Chain, Ending, Mark, Verdict};
use crate::playout::Ownership;
use crate::position::{Outcome, Owner, Position};
use crate::sgf::GameInfo;
use crate::types::{BoardSize, Color, Point};

/// Ownership by point, rows from the top; empty without playouts or evaluations.
pub(super) fn ownership(size: BoardSize, ownership: &Ownership) -> Vec<f32> {
    if ownership.playouts() == 0 {
        return Vec::new();
    }
    size.from_the_top().map(|p| ownership.of(p)).collect()
}

/// Estimate of an unfinished game: in words, and the ownership of each point.
pub(super) struct Estimate {
    pub text: String,
    pub ownership: Ownership,
}

/// A record that has been scored.
pub(super) struct Scored {
    pub info: GameInfo,
    /// The result that the record states, if it is scored as a whole.
    pub recorded: Option<Outcome>,
    pub judgement: Judgement,
    /// The estimate of an unfinished game.
    pub unfinished: Option<Estimate>,
}

/// Call `show` with the verdict on a scored game, to make a page or a picture of it. Only a page
/// needs the chains `explained`.
pub(super) fn verdict<T>(
    scored: &Scored,
    game: &Position,
    explained: bool,
    show: impl FnOnce(&Verdict<'_>) -> T,
) -> T {
    let judgement = &scored.judgement;
    let (marks, chains, shares);
    let ending = match &scored.unfinished {
        Some(estimate) => {
            shares = ownership(game.size(), &estimate.ownership);
            Ending::Open {
                text: &estimate.text,
                ownership: &shares,
            }
        }
        None => {
            marks = self::marks(game, judgement);
            chains = match explained {
                true => self::chains(game, judgement),
                false => Vec::new(),
            };
            Ending::Counted {
                score: judgement.score(),
                marks: &marks,
                chains: &chains,
            }
        }
    };
    show(&Verdict {
        info: &scored.info,
        game,
        recorded: scored.recorded,
        ending,
    })
}

/// Marks for dead stones and seki, and for the owner of each empty point.
pub(super) fn marks(game: &Position, judgement: &Judgement) -> Vec<(Point, Mark)> {
    let mut marks = Vec::new();
    for p in game.size().points() {
        let status = judgement.status(p);
        let is_proved = || judgement.is_proved(game.board(), p);
        match status {
            Some(ChainStatus::Dead) if is_proved() => marks.push((p, Mark::Dead)),
            Some(ChainStatus::Dead) => marks.push((p, Mark::LikelyDead)),
            Some(ChainStatus::Seki) if is_proved() => marks.push((p, Mark::Seki)),
            Some(ChainStatus::Seki) => marks.push((p, Mark::LikelySeki)),
            Some(ChainStatus::Alive) | None => {}
        }
        if let (None, Owner::Player(c)) = (status, judgement.owner(p)) {
            marks.push((p, Mark::Territory(c)));
        }
    }
    marks
}

/// The chains that fall if the opponent plays first, and the chains that are not simply
/// alive or whose life has been searched.
fn chains(game: &Position, judgement: &Judgement) -> Vec<Chain> {
    let step = |&(c, step): &(Color, Hypothetical)| (c, step.on_board(), step.in_words(c));
    let mut chains = Vec::new();
    for c in Color::BOTH {
        for t in judgement.attacked(game.board(), c, None).threats {
            chains.push(Chain {
                text: format!("{}.", t.in_words(c)),
                is_proved: true,
                stones: t.stones,
                steps: vec![step(&(c.opponent(), Hypothetical::Play(t.attack)))],
            });
        }
    }
    // Chains with a line of proof come first.
    let explanations = judgement.explanations(game).into_iter();
    let (proofs, others): (Vec<_>, Vec<_>) = explanations.partition(|e| !e.line.is_empty());
    for e in proofs.into_iter().chain(others) {
        chains.push(Chain {
            text: format!("{e}."),
            is_proved: judgement.is_proved(game.board(), e.point),
            steps: e.line.iter().map(step).collect(),
            stones: e.stones,
        });
    }
    chains
}
