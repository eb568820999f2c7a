//! The judgement of a stopped game, which the pass decision, `final_status_list` and
//! `final_score` share.

use crate::adjudicate::{
    Conduct, Dame, Effort, Finding, First, Hypothetical, Procedure, Retake, Safe, Territory,
    confirm, divide,
};
use crate::board::Board;
use crate::playout::Ownership;
use crate::position::{Owner, Position, Score};
use crate::rules::{Ruleset, Scoring, Settlement, Tax};
use crate::search::TreeSearch;
use crate::tactics::pass_alive;
use crate::types::{BoardSize, Color, Komi, Move, POINTS, Point};
use std::borrow::Cow;
use std::time::Instant;

/// Status of a chain after the game has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChainStatus {
    /// It stays on the board, with territory.
    Alive,
    /// It stays on the board, in seki.
    Seki,
    /// It may be removed.
    Dead,
}

/// The status of every chain and the count that follows from it.
#[derive(Clone, Debug)]
pub struct Judgement {
    chains: Vec<(Vec<Point>, ChainStatus)>,
    score: Score,
    owners: Vec<Owner>,
    estimate: OwnershipEstimate,
    /// Results of hypothetical play about the chains in question, under rules that remove dead
    /// stones.
    findings: Vec<Finding>,
    /// Findings about chains that live only if their owner plays first, replaced because the
    /// rules forbid that move after the stop.
    overruled: Vec<Finding>,
    /// Findings about the chains in question with the other player first, if the count needs
    /// them.
    exchanged: Option<Vec<Finding>>,
    /// The procedure of the hypothetical play.
    pub(super) procedure: Procedure,
    /// Chains beyond capture, which need no hypothetical play.
    safe: Safe,
    /// Dead stones to remove, where Article 10 lets some stay.
    removed: Option<Vec<Point>>,
    /// Size of the judged board.
    size: BoardSize,
    /// Hash of the judged board, which does not include its size.
    board_hash: u64,
    /// Boards of the game that superko forbids, each with the player who moved to it.
    earlier: Vec<(Color, Board)>,
    /// Rules of the judged game.
    rules: Ruleset,
    /// Komi of the judged game.
    komi: Komi,
    /// Effort of the judgement.
    care: Thoroughness,
}

/// The source of an unproved status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Witness {
    /// Playouts, if there is no network.
    Playouts,
    /// Searches with a network.
    Network,
}

impl Witness {
    /// Mean ownership above which it is believed without doubt. For a network, 0.8 judges one more
    /// of 2,371 recorded games right than 0.9.
    fn certain(self) -> f32 {
        match self {
            Witness::Playouts => 0.9,
            Witness::Network => 0.8,
        }
    }
}

/// Black's ownership for chains without a proof, and its source.
#[derive(Clone, Debug)]
pub(super) struct OwnershipEstimate {
    ownership: Ownership,
    witness: Witness,
}

/// Absolute mean ownership of a chain below which its status is in doubt.
const DOUBT: f32 = 0.6;

impl OwnershipEstimate {
    /// Create an estimate from an ownership and its source.
    pub fn new(ownership: Ownership, witness: Witness) -> OwnershipEstimate {
        OwnershipEstimate { ownership, witness }
    }

    /// The stones of chains whose status is in doubt.
    fn doubts(&self, board: &Board) -> Vec<Point> {
        let in_doubt = |stones: &Vec<Point>| mean(&self.ownership, board, stones[0]).abs() < DOUBT;
        let chains = board.chains().map(|(_, stones)| stones);
        chains.filter(in_doubt).flatten().collect()
    }

    /// Replace the ownership of chains in doubt by that of `other`, if it has any.
    pub fn refine(&mut self, board: &Board, other: impl FnOnce(&Ownership) -> Ownership) {
        let doubts = self.doubts(board);
        if !doubts.is_empty() {
            let other = other(&self.ownership);
            if other.playouts() > 0 {
                for p in doubts {
                    self.ownership.take(&other, p);
                }
            }
        }
    }
}

/// A chain that lives only if its owner plays first.
#[derive(Clone, Debug)]
pub struct Threat {
    /// The chain.
    pub stones: Vec<Point>,
    /// First move of the opponent's attack.
    pub attack: Point,
    /// First move of its owner's defence.
    pub protection: Point,
}

impl Threat {
    /// `Black D4 is lost if White plays D3; Black protects it at D3`, for a chain of `c`.
    pub fn in_words(&self, c: Color) -> String {
        let chain = self.stones.first().map(Point::to_string);
        format!(
            "{c} {} is lost if {} plays {}; {c} protects it at {}",
            chain.unwrap_or_default(),
            c.opponent(),
            self.attack,
            self.protection
        )
    }
}

/// Results of attacks on a player's chains, the opponent playing first.
#[derive(Clone, Debug)]
pub struct Attacked {
    /// Chains that must be protected.
    pub threats: Vec<Threat>,
    /// By [`Point::index`]: stones that need no protection.
    holds: Vec<bool>,
}

impl Attacked {
    /// Do all chains of `c` around the area of this empty point hold?
    pub fn holds_around(&self, board: &Board, c: Color, p: Point) -> bool {
        let own = |q: Point| board.at(q).color() == Some(c);
        let inside = |q: Point| !own(q) && board.size().contains(q);
        let mut area = board.flood(p, &mut [false; POINTS], inside).into_iter();
        area.all(|q| {
            let mut around = q.neighbours().into_iter();
            around.all(|r| !own(r) || self.holds[r.index()])
        })
    }
}

impl Judgement {
    /// Judge a position, with an estimate for chains without a proof.
    ///
    /// Unconditional life (Benson) comes first: such chains are alive, and the opponent's stones
    /// in their eyes are dead. Next comes hypothetical play in the region around a chain: by
    /// Article 7 if the rules confirm life and death, by ordinary ko if the players must agree.
    /// If that gives no result, the estimate decides: a chain whose points are mostly the
    /// opponent's is dead. The estimate comes from seeded searches, so the same stones always
    /// get the same judgement. If the rules remove no stones, none is dead.
    ///
    /// Work stops at `until`; an unfinished judgement is [`Thoroughness::Hasty`].
    pub(super) fn of(
        position: &Position,
        estimate: OwnershipEstimate,
        care: Thoroughness,
        until: Option<Instant>,
    ) -> Judgement {
        let board = position.board();
        let rules = position.rules();
        let ownership = &estimate.ownership;
        let procedure = procedure(position);
        let searches = procedure == Procedure::ARTICLE_7 && care == Thoroughness::Thorough;
        let mut safe = Safe::of(board, searches.then_some(procedure.conduct));
        safe.estimate(board, estimate.witness.certain(), |p| ownership.of(p));
        let earlier = earlier(position);
        let findings = match rules.settlement {
            Settlement::Confirmation | Settlement::Agreement => {
                let effort = within(effort(procedure, care), until);
                confirm(board, &earlier, &safe.walls(), procedure, effort)
            }
            Settlement::PlayOut => Vec::new(),
        };
        let benson = Color::BOTH.map(|c| pass_alive(board, c));
        let is_dead = |c: Color, stones: &[Point]| {
            let p = stones[0];
            let found = findings.iter().find(|f| f.stones.contains(&p));
            if rules.settlement == Settlement::PlayOut || safe.proof(p).is_some() {
                false
            } else if benson[c.opponent().index()].1[p.index()] {
                true
            } else if let Some(alive) = found.and_then(|f| f.life.is_alive()) {
                !alive
            } else if safe.ground(p).is_some() {
                false
            } else {
                // A player who plays first in a game connects a chain if one move suffices.
                let lives = |q| safe.ground(q).is_some() || mean(ownership, board, q) > CONNECTED;
                let connects = || procedure.first.is_owner(c) && connects(board, c, p, lives);
                mean(ownership, board, p) < 0.0 && !connects()
            }
        };
        let mut chains: Vec<(Vec<Point>, ChainStatus)> = Vec::new();
        for (c, stones) in board.chains() {
            let status = if is_dead(c, &stones) {
                ChainStatus::Dead
            } else {
                ChainStatus::Alive
            };
            chains.push((stones, status));
        }
        let mut judgement = Judgement {
            chains,
            score: position.score(&[], |_| false),
            owners: Vec::new(),
            estimate,
            findings,
            overruled: Vec::new(),
            exchanged: None,
            procedure,
            safe,
            removed: None,
            size: board.size(),
            board_hash: board.hash(),
            earlier,
            rules: *rules,
            komi: position.komi(),
            care: if is_late(until) {
                Thoroughness::Hasty
            } else {
                care
            },
        };
        judgement.settle_territory(position, until);
        judgement.recount(position);
        if is_late(until) {
            judgement.care = Thoroughness::Hasty;
        }
        judgement
    }

    /// Does it apply to this position, with at least this much care? The same stones, rules, komi
    /// and procedure are required.
    pub(super) fn applies(&self, position: &Position, care: Thoroughness) -> bool {
        self.size == position.size()
            && self.board_hash == position.board().hash()
            && self.earlier == earlier(position)
            && self.rules == *position.rules()
            && self.komi == position.komi()
            && self.procedure == procedure(position)
            && self.care >= care
    }

    /// Determine seki and territory, given the dead chains. A point at which a chain must still be
    /// protected is no territory, since its owner fills it before the count.
    fn settle_territory(&mut self, position: &Position, until: Option<Instant>) {
        let board = position.board();
        let confirmed = position.rules().settlement == Settlement::Confirmation;
        let exchanged = match confirmed {
            true => self.exchanged(board, until),
            false => Vec::new(),
        };
        let attacks = || exchanged.iter().filter(|f| !f.owner_first);
        let lost = attacks().filter(|f| f.life.is_alive() == Some(false));
        let threats: Vec<(&Finding, Threat)> = lost
            .filter_map(|f| Some((f, self.threat(f, &self.findings)?)))
            .collect();
        let mut holds = vec![false; POINTS];
        for f in attacks().filter(|f| f.life.is_alive() == Some(true)) {
            f.stones.iter().for_each(|p| holds[p.index()] = true);
        }
        let dame = if confirmed {
            dame(position)
        } else {
            Dame::Filled
        };
        let safe = self.safe.walls().believed;
        let territory = loop {
            let mut dead = vec![false; POINTS];
            for p in self.dead() {
                dead[p.index()] = true;
            }
            let territory = divide(board, &dead, &safe, &holds, dame);
            if !self.overrule(&threats, &territory) {
                break territory;
            }
        };
        for (stones, status) in &mut self.chains {
            if *status == ChainStatus::Alive && territory.seki[stones[0].index()] {
                *status = ChainStatus::Seki;
            }
        }
        // Under agreement all dead stones are removed, whatever the territory.
        if confirmed {
            self.owners = territory.owners;
            self.removed = Some(territory.removed);
            for (chain, Threat { protection, .. }) in threats {
                if self.owner(protection) == Owner::Player(chain.owner) {
                    self.owners[protection.index()] = Owner::Nobody;
                }
            }
            self.exchanged = Some(exchanged);
        }
    }

    /// Mark chains dead that live only by a move outside their owner's territory. After the stop
    /// players only fill dame and make necessary moves inside their territory (commentary on
    /// Article 9.2; Life-and-Death Examples 6 and 9). Returns whether a status changed.
    fn overrule(&mut self, threats: &[(&Finding, Threat)], territory: &Territory) -> bool {
        let mut found = false;
        for (chain, threat) in threats {
            let own = Owner::Player(chain.owner);
            let inside = territory.owners[threat.protection.index()] == own
                || territory.filled.contains(&(chain.owner, threat.protection));
            if inside {
                continue;
            }
            let is_it = |p: Point| chain.stones.contains(&p);
            let entry = self.chains.iter_mut().find(|c| is_it(c.0[0]));
            let Some((_, status)) = entry.filter(|c| c.1 != ChainStatus::Dead) else {
                continue;
            };
            *status = ChainStatus::Dead;
            found = true;
            if let Some(f) = self.findings.iter_mut().find(|f| is_it(f.stones[0])) {
                self.overruled.push(std::mem::replace(f, (*chain).clone()));
            }
        }
        found
    }

    /// Count again, after turns that changed no stones.
    pub(super) fn recount(&mut self, position: &Position) {
        let dead: Vec<Point> = self.dead().collect();
        let seki: Vec<Point> = self
            .chains
            .iter()
            .filter(|(_, s)| *s == ChainStatus::Seki)
            .flat_map(|(stones, _)| stones.iter().copied())
            .collect();
        let in_seki = |p: Point| seki.contains(&p);
        if let Some(removed) = &self.removed {
            self.score = position.score_of(&self.owners, removed, in_seki);
        } else {
            self.score = position.score(&dead, in_seki);
            self.owners = position.owners(&dead, in_seki).0;
        }
    }

    /// The dead stones that are removed before the count: all, unless the rules leave some on the
    /// board (Japanese 1989, Article 10).
    pub fn removed(&self) -> Vec<Point> {
        self.removed
            .clone()
            .unwrap_or_else(|| self.dead().collect())
    }

    /// Effort with which it was made.
    pub fn care(&self) -> Thoroughness {
        self.care
    }

    /// Findings of hypothetical play about the chains in question; empty if the rules remove no
    /// stones.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Every chain of the board with its status.
    pub fn chains(&self) -> &[(Vec<Point>, ChainStatus)] {
        &self.chains
    }

    /// Status of the chain at a point; `None` if there is no stone.
    pub fn status(&self, p: Point) -> Option<ChainStatus> {
        let chain = self.chains.iter().find(|(stones, _)| stones.contains(&p));
        chain.map(|&(_, status)| status)
    }

    /// The points without a living stone that count for this owner. `size` is that of the judged
    /// board.
    pub fn territory(&self, size: BoardSize, owner: Owner) -> Vec<Point> {
        let lives = |p| self.status(p).is_some_and(|s| s != ChainStatus::Dead);
        let points = size.points();
        points
            .filter(|&p| self.owner(p) == owner && !lives(p))
            .collect()
    }

    /// The chains beyond capture.
    pub(super) fn safe(&self) -> &Safe {
        &self.safe
    }

    /// The finding about the chain at a point, if hypothetical play has settled it.
    pub(super) fn settled(&self, p: Point) -> Option<&Finding> {
        let found = self.findings.iter().find(|f| f.stones.contains(&p));
        found.filter(|f| f.life.is_alive().is_some())
    }

    /// Is the status of the chain at a point settled, or estimated beyond doubt?
    pub fn is_certain(&self, p: Point) -> bool {
        self.safe.ground(p).is_some() || self.settled(p).is_some()
    }

    /// Stones expected to live, by [`Point::index`], without those of the chain at `p`. The walls
    /// of the judgement need more liberties, which in a crowded position hardly any chain has.
    pub fn holding_chains(&self, board: &Board, p: Point) -> Vec<bool> {
        let mut holds = self.safe.walls().expected;
        for (stones, _) in self.chains() {
            let Some(&q) = stones.first() else { continue };
            let own = stones.contains(&p);
            let free = board.liberties_up_to::<STEADY>(q).len() == STEADY;
            if own || free && self.holding(board, q) > HOLDING {
                stones.iter().for_each(|q| holds[q.index()] = !own);
            }
        }
        holds
    }

    /// Is the status of the chain at a point settled by proof or hypothetical play, rather than
    /// estimated?
    pub fn is_settled(&self, board: &Board, p: Point) -> bool {
        let Some(owner) = board.at(p).color() else {
            return false;
        };
        self.settled(p).is_some()
            || self.safe.proof(p).is_some()
            || pass_alive(board, owner.opponent()).1[p.index()]
    }

    /// Attack a player's chains by hypothetical play, the opponent first.
    ///
    /// Chains that live only if their owner plays first must be protected before the game stops
    /// (teire). Such an attack after the stop is an effective move in the sense of Article 13 of
    /// the Japanese rules of 1989. A diagram has none, since it is judged with the attacker first.
    ///
    /// A chain for which no attack is found `until` then holds.
    pub fn attacked(&self, board: &Board, owner: Color, until: Option<Instant>) -> Attacked {
        let mut attacked = Attacked {
            threats: Vec::new(),
            holds: self.safe.walls().believed,
        };
        let exchanged = match &self.exchanged {
            Some(found) if self.care != Thoroughness::Hasty => Cow::Borrowed(found),
            _ => Cow::Owned(self.exchanged(board, until)),
        };
        let all = || {
            let judged = self.overruled.iter().chain(&self.findings);
            judged.chain(&*exchanged)
        };
        for f in all().filter(|f| f.owner == owner && !f.owner_first) {
            match f.life.is_alive() {
                Some(true) => f
                    .stones
                    .iter()
                    .for_each(|p| attacked.holds[p.index()] = true),
                Some(false) => attacked.threats.extend(self.threat(f, all())),
                None => {}
            }
        }
        attacked
    }

    /// Search the chains in question with the other player first; not in a diagram, which is
    /// judged with the attacker first, nor in haste.
    fn exchanged(&self, board: &Board, until: Option<Instant>) -> Vec<Finding> {
        if self.procedure.first == First::Attacker || self.care == Thoroughness::Hasty {
            return Vec::new();
        }
        let other = Procedure {
            first: self.procedure.first.exchanged(),
            ..self.procedure
        };
        let effort = within(QUICK, until);
        confirm(board, &self.earlier, &self.safe.walls(), other, effort)
    }

    /// The threat to a chain that falls to an attack, if one of these findings shows that its owner
    /// can save it by playing first.
    fn threat<'a>(
        &self,
        lost: &Finding,
        findings: impl IntoIterator<Item = &'a Finding>,
    ) -> Option<Threat> {
        let is_it = |f: &&Finding| f.owner_first && f.stones == lost.stones;
        let saved = findings.into_iter().find(is_it)?;
        let first = |line: &[(Color, Hypothetical)], c| match line.first() {
            Some(&(by, Hypothetical::Play(p))) if by == c => Some(p),
            _ => None,
        };
        let lives = saved.life.is_alive() == Some(true);
        Some(Threat {
            attack: first(&lost.line, lost.owner.opponent())?,
            protection: first(&saved.line, lost.owner).filter(|_| lives)?,
            stones: lost.stones.clone(),
        })
    }

    /// All dead stones.
    pub fn dead(&self) -> impl Iterator<Item = Point> + '_ {
        self.chains
            .iter()
            .filter(|(_, s)| *s == ChainStatus::Dead)
            .flat_map(|(stones, _)| stones.iter().copied())
    }

    /// The count without dead stones.
    pub fn score(&self) -> &Score {
        &self.score
    }

    /// The owner of a point in the count.
    pub fn owner(&self, p: Point) -> Owner {
        self.owners.get(p.index()).copied().unwrap_or(Owner::Nobody)
    }

    /// Estimated mean ownership of the chain at a point, for its owner, from −1 to 1.
    pub(super) fn holding(&self, board: &Board, p: Point) -> f32 {
        mean(&self.estimate.ownership, board, p)
    }

    /// Estimated mean ownership of a point, from −1 (White's) to 1 (Black's).
    pub fn ownership(&self, p: Point) -> f32 {
        self.estimate.ownership.of(p)
    }

    /// The source of the estimate.
    pub(super) fn witness(&self) -> Witness {
        self.estimate.witness
    }
}

/// Mean ownership, from −1 to 1, above which a chain saves another one that can connect to it.
const CONNECTED: f32 = 0.5;

/// Mean ownership, from −1 to 1, above which a chain bounds the search for a critical point.
const HOLDING: f32 = 0.7;

/// Fewest liberties of such a chain: with two, a move from outside puts it in atari.
const STEADY: usize = 3;

/// Mean ownership of a chain's points for its owner, from −1 to 1.
fn mean(ownership: &Ownership, board: &Board, p: Point) -> f32 {
    let stones = || board.chain_stones(p);
    let sum: f32 = stones().map(|s| ownership.of(s)).sum();
    let sign = board.at(p).color().map_or(0, Color::sign);
    sign as f32 * sum / stones().count() as f32
}

/// Can one play connect the chain at `p` to another one that `lives`, and out of atari?
fn connects(board: &Board, c: Color, p: Point, lives: impl Fn(Point) -> bool) -> bool {
    let chain = board.chain(p);
    board.liberties_up_to::<8>(p).into_iter().any(|q| {
        let friend = |r: &Point| board.at(*r).color() == Some(c) && board.chain(*r) != chain;
        if !q.neighbours().iter().any(|r| friend(r) && lives(*r)) {
            return false;
        }
        let mut after = board.clone();
        after.place(c, q).is_ok() && after.liberties_up_to::<2>(q).len() == 2
    })
}

/// Final ownership by searches of this many playouts, or evaluations by a network: with the player
/// to move in a game that goes on, otherwise one search with each player to move.
pub(super) fn played_out(
    position: &Position,
    search: &mut dyn TreeSearch,
    playouts: u64,
    until: Option<Instant>,
) -> Ownership {
    let board = position.board();
    let mut ownership = Ownership::default();
    let mut rules = *position.rules();
    rules.scoring = Scoring::Area;
    rules.settlement = Settlement::Agreement;
    rules.tax = Tax::None;
    if board.empty_points().len() < board.size().area() {
        let board = canonical(board);
        let movers = match procedure(position).first {
            First::Player(c) => vec![c],
            First::Attacker | First::Owner => Color::BOTH.to_vec(),
        };
        for (i, &c) in movers.iter().enumerate() {
            let mut p = Position::from_board(board.clone(), c, rules);
            p.set_komi(position.komi());
            search.clear();
            match until {
                Some(until) => {
                    // The time left is shared by the remaining searches.
                    let now = Instant::now();
                    let share = until.saturating_duration_since(now) / (movers.len() - i) as u32;
                    search.run_until(&p, playouts, 1, now + share);
                }
                None => search.run(&p, playouts, 1),
            }
            ownership.merge(&search.totals().ownership);
        }
        search.clear();
    }
    ownership
}

/// The same stones placed in the order of points, so that a search does not depend on the order of
/// the game's moves.
fn canonical(board: &Board) -> Board {
    // Cannot fail: each point has one stone at most.
    Board::with_stones(board.size(), board.stones()).unwrap_or_else(|_| board.clone())
}

/// The position with a komi that makes this ownership an even game, so that a search plays for the
/// chains in doubt.
pub(super) fn with_even_komi(position: &Position, ownership: &Ownership) -> Position {
    let points = position.size().points();
    let lead: f32 = points.map(|p| ownership.of(p)).sum();
    let mut even = position.clone();
    even.set_komi(Komi::half_points(2 * lead.round() as i32 + 1));
    even
}

/// The treatment of dame: a diagram is judged as it stands; after a game the players fill them.
fn dame(position: &Position) -> Dame {
    if position.turns().iter().all(|t| t.mv == Move::Pass) {
        Dame::AsTheyStand
    } else {
        Dame::Filled
    }
}

/// The procedure for a position: Article 7 to the letter for a diagram under rules that confirm
/// life and death; in a game that goes on, the player to move first; otherwise the owner first.
fn procedure(position: &Position) -> Procedure {
    let confirmed = position.rules().settlement == Settlement::Confirmation;
    let goes_on = !position.turns().is_empty() && !position.is_over();
    Procedure {
        first: match dame(position) {
            Dame::AsTheyStand if confirmed => First::Attacker,
            Dame::Filled if goes_on => First::Player(position.to_move()),
            _ => First::Owner,
        },
        conduct: Conduct {
            retake: if confirmed {
                Retake::AfterPassForIt
            } else {
                Retake::AfterAnyMove
            },
            suicide: position.rules().suicide,
            ko: position.rules().ko,
        },
    }
}

/// The earlier boards that matter for hypothetical play; none if there is no such play.
fn earlier(position: &Position) -> Vec<(Color, Board)> {
    match position.rules().settlement {
        Settlement::PlayOut => Vec::new(),
        Settlement::Agreement | Settlement::Confirmation => position.earlier_boards(),
    }
}

/// Effort of the confirmation: most for a diagram, which needs proofs, less for a game, and least
/// while a clock is running.
fn effort(how: Procedure, care: Thoroughness) -> Effort {
    match care {
        Thoroughness::Hasty | Thoroughness::Quick => QUICK,
        Thoroughness::Thorough if how == Procedure::ARTICLE_7 => Effort::default(),
        Thoroughness::Thorough => PLAYED,
    }
}

/// Effort of a judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub enum Thoroughness {
    /// As much as the clock allows: by known ownership alone, or unfinished. Never returned for
    /// higher effort.
    Hasty,
    /// A clock is running.
    Quick,
    /// No clock is running. A diagram gets all the effort that its proofs need.
    Thorough,
}

/// Effort for a game, while no clock is running.
const PLAYED: Effort = Effort {
    nodes: 100_000,
    total: 1_000_000,
    empty: 20,
    prove: false,
    until: None,
};

/// Effort for a game, while a clock may be running.
const QUICK: Effort = Effort {
    nodes: 20_000,
    total: 200_000,
    empty: 14,
    prove: false,
    until: None,
};

/// Has this time passed?
pub(super) fn is_late(until: Option<Instant>) -> bool {
    until.is_some_and(|t| Instant::now() >= t)
}

/// The effort with a deadline.
fn within(effort: Effort, until: Option<Instant>) -> Effort {
    Effort { until, ..effort }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::BoardSize;

    /// A board with a black and a white stone, and an ownership of their points.
    fn estimated(black: f32, white: f32) -> (Board, [Point; 2], Ownership) {
        let mut board = Board::new(BoardSize::square(5));
        let stones = [Point::new(1, 1), Point::new(3, 3)];
        for (p, c) in stones.into_iter().zip(Color::BOTH) {
            board.place(c, p).unwrap();
        }
        let mut points = [0.0; POINTS];
        points[stones[0].index()] = black;
        points[stones[1].index()] = white;
        let mut ownership = Ownership::default();
        (0..4).for_each(|_| ownership.add_expected(&points));
        (board, stones, ownership)
    }

    #[test]
    fn a_longer_search_is_believed_only_of_chains_in_doubt() {
        let (board, [black, white], sure) = estimated(0.9, -0.8);
        let mut estimate = OwnershipEstimate::new(sure, Witness::Network);
        estimate.refine(&board, |_| panic!("nothing is in doubt"));
        assert!(estimate.ownership.of(black) > 0.8);

        let mut estimate = OwnershipEstimate::new(estimated(-0.2, -0.9).2, Witness::Network);
        estimate.refine(&board, |_| estimated(0.8, 1.0).2);
        assert!((estimate.ownership.of(black) - 0.8).abs() < 0.01);
        assert!((estimate.ownership.of(white) + 0.9).abs() < 0.01);
    }

    #[test]
    fn a_search_of_chains_in_doubt_plays_an_even_game() {
        let (board, _, black_leads_by_two) = estimated(1.0, 1.0);
        let position = Position::from_board(board, Color::Black, Ruleset::default());
        let even = with_even_komi(&position, &black_leads_by_two);
        assert_eq!(even.komi(), Komi::half_points(5));
        let even = with_even_komi(&position, &estimated(-1.0, -1.0).2);
        assert_eq!(even.komi(), Komi::half_points(-3));
    }

    #[test]
    fn an_empty_answer_changes_nothing() {
        let (board, [black, _], doubtful) = estimated(-0.2, -0.9);
        let mut estimate = OwnershipEstimate::new(doubtful, Witness::Network);
        estimate.refine(&board, |_| Ownership::default());
        assert!(estimate.ownership.of(black) < 0.0);
    }
}
