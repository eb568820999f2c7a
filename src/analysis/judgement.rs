//! The judgement at the end of a game: one value that the pass decision,
//! `final_status_list` and `final_score` all read.

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

/// What becomes of a chain when the game stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChainStatus {
    /// It stays, with territory.
    Alive,
    /// It stays, in seki.
    Seki,
    /// It is taken off.
    Dead,
}

/// The status of every chain and the count that follows from it.
#[derive(Clone, Debug)]
pub struct Judgement {
    chains: Vec<(Vec<Point>, ChainStatus)>,
    score: Score,
    owners: Vec<Owner>,
    belief: OwnershipEstimate,
    /// What hypothetical play says of the chains that were in question, where the
    /// rules take dead stones off.
    findings: Vec<Finding>,
    /// Findings of chains that would live if their owner could play first, which the rules
    /// of the count rule out.
    given_up: Vec<Finding>,
    /// Findings about the chains in question with the other player first, if the count needed
    /// them.
    exchanged: Option<Vec<Finding>>,
    /// How that play went.
    pub(super) procedure: Procedure,
    /// Chains that need no such question.
    safe: Safe,
    /// Territory by Article 8, with what may be taken off.
    removed: Option<Vec<Point>>,
    /// On which board.
    size: BoardSize,
    /// Of which stones: the hash of the board, which says nothing of its size.
    board_hash: u64,
    /// Boards of the game that superko forbids to leave again, and who left them.
    earlier: Vec<(Color, Board)>,
    /// By which rules.
    rules: Ruleset,
    /// With which komi.
    komi: Komi,
    /// With how much care.
    care: Thoroughness,
}

/// The source of the status of a chain of which nothing is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Witness {
    /// Playouts, where no network evaluates.
    Playouts,
    /// Searches with a network.
    Network,
}

impl Witness {
    /// Mean ownership beyond which it leaves no doubt. Of 2,371 recorded games a network's
    /// searches judge one more right with 0.8 than with 0.9.
    fn certain(self) -> f32 {
        match self {
            Witness::Playouts => 0.9,
            Witness::Network => 0.8,
        }
    }
}

/// Ownership that a judgement believes where nothing is proved, Black's, and its source.
#[derive(Clone, Debug)]
pub(super) struct OwnershipEstimate {
    ownership: Ownership,
    witness: Witness,
}

/// Mean ownership of a chain below which a short search leaves its status in doubt.
const DOUBT: f32 = 0.6;

impl OwnershipEstimate {
    /// This ownership.
    pub fn new(ownership: Ownership, witness: Witness) -> OwnershipEstimate {
        OwnershipEstimate { ownership, witness }
    }

    /// The chains that it leaves in doubt.
    fn doubts(&self, board: &Board) -> Vec<Point> {
        let in_doubt = |stones: &Vec<Point>| mean(&self.ownership, board, stones[0]).abs() < DOUBT;
        let chains = board.chains().map(|(_, stones)| stones);
        chains.filter(in_doubt).flatten().collect()
    }

    /// Believe `other` of the chains that it leaves in doubt.
    pub fn ask(&mut self, board: &Board, other: impl FnOnce(&Ownership) -> Ownership) {
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
    /// Where the opponent begins.
    pub attack: Point,
    /// Where its owner saves it.
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

/// A player's chains under an attack that begins at once.
#[derive(Clone, Debug)]
pub struct Attacked {
    /// Those that must be protected.
    pub threats: Vec<Threat>,
    /// By [`Point::index`]: stones that need no protection.
    holds: Vec<bool>,
}

impl Attacked {
    /// Do all chains of `c` around the area of an empty point hold?
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
    /// A judgement that believes this where nothing is proved.
    ///
    /// Benson's unconditional life comes first: such chains are alive, and what
    /// the opponent has in their eyes is dead. Then hypothetical play in the region
    /// around a chain decides, if it comes to an end: by Article 7 where the rules
    /// confirm so, by the ko of ordinary play where the players have to agree. The
    /// rest follows the belief, which comes of seeded searches, so that the same
    /// stones always get the same judgement: a chain that the opponent mostly owns is
    /// dead. Where the rules take no stone off, none is dead.
    ///
    /// What is not done `until` then is left undone, and the judgement is a hasty one.
    pub(super) fn of(
        position: &Position,
        belief: OwnershipEstimate,
        care: Thoroughness,
        until: Option<Instant>,
    ) -> Judgement {
        let board = position.board();
        let rules = position.rules();
        let ownership = &belief.ownership;
        let procedure = procedure(position);
        let searches = procedure == Procedure::ARTICLE_7 && care == Thoroughness::Thorough;
        let mut safe = Safe::of(board, searches.then_some(procedure.conduct));
        safe.estimate(board, belief.witness.certain(), |p| ownership.of(p));
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
                // Who may play first in a game connects what one move connects.
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
            belief,
            findings,
            given_up: Vec::new(),
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

    /// Is it of these stones and rules, careful enough, and of a diagram if this is one, of a
    /// game if not?
    pub(super) fn holds(&self, position: &Position, care: Thoroughness) -> bool {
        self.size == position.size()
            && self.board_hash == position.board().hash()
            && self.earlier == earlier(position)
            && self.rules == *position.rules()
            && self.komi == position.komi()
            && self.procedure == procedure(position)
            && self.care >= care
    }

    /// Seki and territory, from which chains are dead. A point at which a chain must still
    /// be protected is no territory of a game: its owner fills it before the count.
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
            if !self.give_up(&threats, &territory) {
                break territory;
            }
        };
        for (stones, status) in &mut self.chains {
            if *status == ChainStatus::Alive && territory.seki[stones[0].index()] {
                *status = ChainStatus::Seki;
            }
        }
        // What the players agree is dead comes off, whatever it stands in.
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

    /// Chains that live only by a move outside their owner's territory are dead: after the stop
    /// a player fills dame and makes the moves that are necessary inside his territory, and no
    /// others (commentary on Article 9.2; Life-and-Death Examples 6 and 9). Are there any that
    /// were alive until now?
    fn give_up(&mut self, threats: &[(&Finding, Threat)], territory: &Territory) -> bool {
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
                self.given_up.push(std::mem::replace(f, (*chain).clone()));
            }
        }
        found
    }

    /// Count again after turns that changed no stone.
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

    /// The dead stones that are taken off: all of them, unless the rules let some
    /// stand (Japanese 1989, Article 10).
    pub fn removed(&self) -> Vec<Point> {
        self.removed
            .clone()
            .unwrap_or_else(|| self.dead().collect())
    }

    /// How much it cost at most.
    pub fn care(&self) -> Thoroughness {
        self.care
    }

    /// What hypothetical play found of the chains that were in question; empty
    /// where the rules take no stone off.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Every chain of the board with its status.
    pub fn chains(&self) -> &[(Vec<Point>, ChainStatus)] {
        &self.chains
    }

    /// What becomes of the chain at a point; `None` if there is no stone.
    pub fn status(&self, p: Point) -> Option<ChainStatus> {
        let chain = self.chains.iter().find(|(stones, _)| stones.contains(&p));
        chain.map(|&(_, status)| status)
    }

    /// The points without a living stone that count for this owner, on the board
    /// of this size that was judged.
    pub fn territory(&self, size: BoardSize, owner: Owner) -> Vec<Point> {
        let lives = |p| self.status(p).is_some_and(|s| s != ChainStatus::Dead);
        let points = size.points();
        points
            .filter(|&p| self.owner(p) == owner && !lives(p))
            .collect()
    }

    /// Which chains are beyond capture, and why.
    pub(super) fn safe(&self) -> &Safe {
        &self.safe
    }

    /// What hypothetical play has settled of the chain at a point.
    pub(super) fn settled(&self, p: Point) -> Option<&Finding> {
        let found = self.findings.iter().find(|f| f.stones.contains(&p));
        found.filter(|f| f.life.is_alive().is_some())
    }

    /// Has the chain at a point a status that is settled, or beyond doubt in the
    /// playouts?
    pub fn is_certain(&self, p: Point) -> bool {
        self.safe.ground(p).is_some() || self.settled(p).is_some()
    }

    /// By [`Point::index`]: stones that are expected to live, those of the chain at `p` left
    /// out.
    pub fn holding_chains(&self, p: Point) -> Vec<bool> {
        let mut holds = self.safe.walls().expected;
        let own = self.chains().iter().find(|(stones, _)| stones.contains(&p));
        for q in own.map_or(&[][..], |(stones, _)| stones) {
            holds[q.index()] = false;
        }
        holds
    }

    /// Is the status of the chain at a point that of a proof or of hypothetical play, so
    /// that it rests on no playouts?
    pub fn is_settled(&self, board: &Board, p: Point) -> bool {
        let Some(owner) = board.at(p).color() else {
            return false;
        };
        self.settled(p).is_some()
            || self.safe.proof(p).is_some()
            || pass_alive(board, owner.opponent()).1[p.index()]
    }

    /// What a player's chains are worth if the opponent attacks first, as far as
    /// hypothetical play comes to an end.
    ///
    /// Chains that live only if their owner plays first must be protected before
    /// the game stops (teire). An opponent who finds such an attack after the stop
    /// has found an effective move in the sense of the Japanese rules of 1989,
    /// Article 13. A diagram, which is judged with the attacker first, has none.
    ///
    /// What is not found `until` then holds.
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
            let judged = self.given_up.iter().chain(&self.findings);
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

    /// Search the chains in question with the other player first. There are no findings about a
    /// diagram, which is judged with the attacker first.
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

    /// A chain that falls to an attack, if its owner could save it by playing first, as one of
    /// these findings says.
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

    /// The count with the dead stones taken off.
    pub fn score(&self) -> &Score {
        &self.score
    }

    /// Whose a point is in that count.
    pub fn owner(&self, p: Point) -> Owner {
        self.owners.get(p.index()).copied().unwrap_or(Owner::Nobody)
    }

    /// How much the owner of the chain at a point holds its points in that, from −1 to 1.
    pub(super) fn holding(&self, board: &Board, p: Point) -> f32 {
        mean(&self.belief.ownership, board, p)
    }

    /// Mean ownership that it believes where nothing is proved, from −1 (White's) to 1
    /// (Black's).
    pub fn ownership(&self, p: Point) -> f32 {
        self.belief.ownership.of(p)
    }

    /// The source of that.
    pub(super) fn witness(&self) -> Witness {
        self.belief.witness
    }
}

/// How surely a chain stays on the board, from −1 to 1, of which a chain in doubt counts as
/// alive once it is connected to it.
const CONNECTED: f32 = 0.5;

/// How much the owner of a chain holds its points, from −1 to 1.
fn mean(ownership: &Ownership, board: &Board, p: Point) -> f32 {
    let stones = || board.chain_stones(p);
    let sum: f32 = stones().map(|s| ownership.of(s)).sum();
    let sign = board.at(p).color().map_or(0, Color::sign);
    sign as f32 * sum / stones().count() as f32
}

/// Can a play of its owner's connect the chain at `p` to another one that `lives`, and is it
/// out of atari then?
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

/// Ownership at the end of searches of this many playouts, or evaluations by a network: one with
/// each side to move, in a game that goes on one with the player to move.
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
        let board = set_up_anew(board);
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
                    // Whatever is left is for all of them.
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

/// The same stones, in the order of the points: what a search looks at first must not depend
/// on the game that led here.
fn set_up_anew(board: &Board) -> Board {
    // Each point has one stone at most.
    Board::with_stones(board.size(), board.stones()).unwrap_or_else(|_| board.clone())
}

/// The position with a komi by which this ownership would leave nobody ahead: what is in
/// doubt decides the game then, so that a search plays for it.
pub(super) fn evened(position: &Position, ownership: &Ownership) -> Position {
    let points = position.size().points();
    let lead: f32 = points.map(|p| ownership.of(p)).sum();
    let mut even = position.clone();
    even.set_komi(Komi::half_points(2 * lead.round() as i32 + 1));
    even
}

/// A diagram is judged as it stands; players who have played a game fill the dame
/// before they count.
fn dame(position: &Position) -> Dame {
    if position.turns().iter().all(|t| t.mv == Move::Pass) {
        Dame::AsTheyStand
    } else {
        Dame::Filled
    }
}

/// What is asked of the chains: Article 7 to the letter of a diagram under rules
/// that confirm; of a game that goes on, what the player to move reaches; what players agree
/// on otherwise.
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

/// The earlier boards that hypothetical play needs to know: none where there is no such play.
fn earlier(position: &Position) -> Vec<(Color, Board)> {
    match position.rules().settlement {
        Settlement::PlayOut => Vec::new(),
        Settlement::Agreement | Settlement::Confirmation => position.earlier_boards(),
    }
}

/// What confirmation may cost: a diagram gets all that its proofs need, a game that has
/// been played less, and least where somebody waits for the answer.
fn effort(how: Procedure, care: Thoroughness) -> Effort {
    match care {
        Thoroughness::Hasty | Thoroughness::Quick => QUICK,
        Thoroughness::Thorough if how == Procedure::ARTICLE_7 => Effort::default(),
        Thoroughness::Thorough => PLAYED,
    }
}

/// How much a judgement may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub enum Thoroughness {
    /// The clock does not allow more: the ownership that is known already, or as much of
    /// a judgement as there was time for. Never remembered for whoever wants more.
    Hasty,
    /// A clock is running.
    Quick,
    /// Somebody asks for it; a diagram gets all the effort that its proofs need.
    Thorough,
}

/// Effort for a game that has been played, where no clock runs.
const PLAYED: Effort = Effort {
    nodes: 100_000,
    total: 1_000_000,
    empty: 20,
    prove: false,
    until: None,
};

/// Effort for a game that has been played: the engine's clock may be running.
const QUICK: Effort = Effort {
    nodes: 20_000,
    total: 200_000,
    empty: 14,
    prove: false,
    until: None,
};

/// Has that time come?
pub(super) fn is_late(until: Option<Instant>) -> bool {
    until.is_some_and(|t| Instant::now() >= t)
}

/// Effort that ends then at the latest.
fn within(effort: Effort, until: Option<Instant>) -> Effort {
    Effort { until, ..effort }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::BoardSize;

    /// A board with a black and a white stone, and what somebody expects of their points.
    fn expects(black: f32, white: f32) -> (Board, [Point; 2], Ownership) {
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
        let (board, [black, white], sure) = expects(0.9, -0.8);
        let mut belief = OwnershipEstimate::new(sure, Witness::Network);
        belief.ask(&board, |_| panic!("nothing is in doubt"));
        assert!(belief.ownership.of(black) > 0.8);

        let mut belief = OwnershipEstimate::new(expects(-0.2, -0.9).2, Witness::Network);
        belief.ask(&board, |_| expects(0.8, 1.0).2);
        assert!((belief.ownership.of(black) - 0.8).abs() < 0.01);
        assert!((belief.ownership.of(white) + 0.9).abs() < 0.01);
    }

    #[test]
    fn a_search_of_chains_in_doubt_plays_an_even_game() {
        let (board, _, black_leads_by_two) = expects(1.0, 1.0);
        let position = Position::from_board(board, Color::Black, Ruleset::default());
        let even = evened(&position, &black_leads_by_two);
        assert_eq!(even.komi(), Komi::half_points(5));
        let even = evened(&position, &expects(-1.0, -1.0).2);
        assert_eq!(even.komi(), Komi::half_points(-3));
    }

    #[test]
    fn who_has_no_time_to_answer_changes_nothing() {
        let (board, [black, _], doubtful) = expects(-0.2, -0.9);
        let mut belief = OwnershipEstimate::new(doubtful, Witness::Network);
        belief.ask(&board, |_| Ownership::default());
        assert!(belief.ownership.of(black) < 0.0);
    }
}
