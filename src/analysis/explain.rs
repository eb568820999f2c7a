//! Explanations of a chain's status, in words.

use super::judgement::{EstimateSource, Ground};
use super::{ChainStatus, Critical, Judgement};
use crate::adjudicate::{End, Finding, Hypothetical, Life, Procedure, Proof, Retake};
use crate::board::Board;
use crate::position::Position;
use crate::rules::{EndCitations, Settlement, SuicideRule};
use crate::tactics::unconditional;
use crate::types::{Color, Point};

/// A chain's status and the grounds for it.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The point in question.
    pub point: Point,
    /// Owner of the chain.
    pub owner: Color,
    /// Stones of the chain.
    pub stones: Vec<Point>,
    /// Status of the chain.
    pub status: ChainStatus,
    /// Are its stones removed before the count?
    pub removed: bool,
    /// The grounds, one clause.
    pub grounds: String,
    /// Is the status only estimated?
    pub is_estimated: bool,
    /// The hypothetical play that proves the status, if there is one.
    pub line: Vec<(Color, Hypothetical)>,
    /// What the last position of [`line`](Self::line) shows.
    pub end: End<Point>,
    /// Does the status favour the player who moved first in the hypothetical play? Then it may
    /// change if the other player moves first.
    pub first_prevails: bool,
    /// The moves that decide the chain's life, if they were searched for and found.
    pub critical: Option<Critical>,
    /// Articles of the rules to cite.
    pub cites: &'static EndCitations,
}

impl Explanation {
    /// May a move change the status? It may if the status is an estimate, or if it holds only with
    /// the first move.
    pub fn is_open(&self) -> bool {
        self.is_estimated || self.first_prevails
    }
}

impl Judgement {
    /// Explain every chain that is dead, in seki, or has a line of hypothetical play.
    pub fn explanations(&self, position: &Position) -> Vec<Explanation> {
        let chains = self.chains().iter();
        let explained = chains.filter_map(|(stones, _)| self.explain(position, *stones.first()?));
        explained
            .filter(|e| !e.line.is_empty() || e.status != ChainStatus::Alive)
            .collect()
    }

    /// Explain the status of the chain at `p`; `None` if there is no stone.
    pub fn explain(&self, position: &Position, p: Point) -> Option<Explanation> {
        let board = position.board();
        let owner = board.at(p).color()?;
        let (stones, status) = self.chains().iter().find(|(s, _)| s.contains(&p))?;
        let answer = self.answer(p);
        let rules = position.rules();
        // If suicide is legal, the opponent can fill an eye and empty it again.
        let fills_eyes = || {
            let suicide = rules.suicide != SuicideRule::Forbidden;
            suicide && !unconditional(board, owner, true).stones.contains(&p)
        };
        let ground = match rules.settlement {
            Settlement::PlayOut => None,
            _ => Some(self.ground(board, owner, p)),
        };
        let grounds = match ground {
            None => "under these rules every stone on the board is alive".to_owned(),
            Some(Ground::Proof(Proof::Unconditional)) if fills_eyes() => {
                "proved: it cannot be captured while its owner answers moves in its eyes".to_owned()
            }
            Some(Ground::Proof(proof)) => format!("proved: {}", proof_in_words(proof)),
            Some(Ground::InEye) => {
                "proved: it stands inside an eye of stones that can never be captured".to_owned()
            }
            Some(Ground::Finding(f)) => in_words(f, self.procedure, rules.end_citations()),
            Some(Ground::Estimate) => self.estimate_in_words(board, owner, p),
        };
        Some(Explanation {
            point: p,
            owner,
            stones: stones.clone(),
            status: *status,
            removed: self.removed().contains(&p),
            grounds,
            is_estimated: matches!(ground, Some(Ground::Estimate)),
            line: answer.map_or_else(Vec::new, |f| f.line.clone()),
            end: answer.map_or(End::Unfinished, |f| f.end),
            first_prevails: answer.is_some_and(|f| f.life.is_alive() == Some(f.owner_first)),
            critical: None,
            cites: position.rules().end_citations(),
        })
    }

    /// The estimate of the chain at `p`, in words.
    fn estimate_in_words(&self, board: &Board, owner: Color, p: Point) -> String {
        let percent = (50.0 + 50.0 * self.mean_ownership(board, p)).round();
        let share = match self.estimate_source() {
            EstimateSource::Playouts => format!("in {percent} % of the playouts"),
            EstimateSource::Network => {
                format!("with a probability of {percent} % by the network's search")
            }
        };
        let territory = match self.safe().contains(p) {
            true => ", and it surrounds territory",
            false => "",
        };
        format!("estimated: {owner} keeps this chain's points {share}{territory}")
    }
}

/// A proof that the chain is beyond capture, in words.
fn proof_in_words(proof: Proof) -> &'static str {
    match proof {
        Proof::Unconditional => "it stays on the board even if its owner never plays again",
        Proof::TwoEyes => "it alone encloses two eyes",
        Proof::Room => "it alone encloses more room than two eyes need",
        Proof::Connected => {
            "it shares two liberties with a chain that cannot be captured: if the opponent takes \
             one, it connects at the other"
        }
        Proof::Shared => "it shares a room with other chains, none of which can be captured",
    }
}

/// A finding in words, with the article if the rules prescribe hypothetical play.
fn in_words(finding: &Finding, how: Procedure, cites: &EndCitations) -> String {
    let (found, article) = match finding.life {
        Life::Uncapturable => ("it cannot be captured", cites.alive),
        Life::NewStone => (
            "capturing it enables a new stone on its points that cannot be captured",
            cites.alive,
        ),
        Life::NewStoneNearby => (
            "capturing it enables a new stone nearby that cannot be captured",
            cites.alive,
        ),
        Life::Dead => (
            "it can be captured, and no lasting stone replaces it",
            cites.life,
        ),
        Life::Captured => ("it can be captured", cites.life),
        Life::Unsettled => ("the search found no answer", cites.life),
    };
    let dead = finding.life.is_alive() == Some(false);
    let goes_on = how.first.goes_on();
    let first = match (finding.owner_first, dead) {
        (false, _) if goes_on => " with its opponent to move",
        (false, _) => "",
        (true, true) if goes_on => ", although its owner is to move",
        (true, true) => ", even if its owner plays first",
        (true, false) if goes_on => " with its owner to move",
        (true, false) => " if its owner plays first",
    };
    let proved = match (finding.life, finding.assumes) {
        (Life::Unsettled, _) => "",
        (_, true) => "proved if the chains around it hold: ",
        (_, false) => "proved: ",
    };
    match how.conduct.retake {
        // The article on life lets the attacker begin; the one on filling lets owners protect
        // chains.
        Retake::AfterPassForIt if finding.owner_first && !dead => {
            let (life, filling) = (cites.life, cites.filling);
            format!("{proved}{found}{first} ({life}, {filling})")
        }
        Retake::AfterPassForIt => format!("{proved}{found}{first} ({article})"),
        Retake::AfterAnyMove if dead => format!("{proved}{found}{first}, without ko threats"),
        Retake::AfterAnyMove => format!("{proved}{found}{first}"),
    }
}

/// `Black A9, 4 stones: alive in seki; proved: …: White A9, Black passes for the ko at B9`
impl std::fmt::Display for Explanation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let stones = match self.stones.len() {
            1 => "1 stone".to_owned(),
            n => format!("{n} stones"),
        };
        let status = match (self.status, self.removed) {
            (ChainStatus::Alive, _) => "alive".to_owned(),
            (ChainStatus::Seki, _) => "alive in seki".to_owned(),
            (ChainStatus::Dead, true) => "dead".to_owned(),
            (ChainStatus::Dead, false) => {
                format!("dead, but not taken off ({})", self.cites.removal)
            }
        };
        write!(
            f,
            "{} {}, {stones}: {status}; {}",
            self.owner, self.point, self.grounds
        )?;
        for (i, (c, step)) in self.line.iter().enumerate() {
            f.write_str(if i == 0 { ": " } else { ", " })?;
            f.write_str(&step.in_words(*c))?;
        }
        if !self.line.is_empty() {
            self.write_end(f)?;
        }
        match &self.critical {
            Some(critical) if critical.proved => {
                write!(f, "; {critical}, proved if the chains around it hold")
            }
            Some(critical) => write!(f, "; {critical}, estimated"),
            None => Ok(()),
        }
    }
}

impl Explanation {
    /// Write what the last position of the play shows.
    fn write_end(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.end {
            End::Captured => f.write_str(", and it is captured"),
            End::TwoEyes => {
                f.write_str(", and it has two eyes or is connected to a chain that has")
            }
            End::NewStone(p) => write!(f, ", and the new stone {p} stays"),
            End::Repeats => f.write_str(", and the play repeats itself"),
            End::NoAttack => f.write_str(", and no attack is left"),
            End::Unfinished => f.write_str(" …"),
        }
    }
}
