//! The judgement of a stopped game, which the pass decision, `final_status_list` and
//! `final_score` share.

mod count;
mod estimate;
mod evidence;
mod procedure;
mod threats;

pub(super) use count::count;
pub use estimate::{EstimateSource, OwnershipEstimate};
pub use procedure::Thoroughness;
pub use threats::{Attacked, Threat};

use crate::adjudicate::{Dame, Finding, Procedure, Proof, Safe, Territory, confirm, divide};
use crate::board::Board;
use crate::position::{Owner, Position, Score};
use crate::rules::{Ruleset, Settlement};
use crate::tactics::unconditional;
use crate::types::{BoardSize, Color, Komi, Point, PointSet};
use estimate::mean;
use evidence::Evidence;
use procedure::{dame, earlier, effort, is_late, procedure, within};
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
    /// Former findings about chains that live only if their owner plays first, overruled because
    /// the rules forbid that move after the stop.
    overruled: Vec<Finding>,
    /// Findings about the chains in question with the other player first, if the count needs
    /// them.
    other_first: Option<Vec<Finding>>,
    /// The procedure of the hypothetical play.
    pub(super) procedure: Procedure,
    /// Chains beyond capture, which need no hypothetical play.
    safe: Safe,
    /// Dead stones to remove, if the rules confirm life and death; `None` removes all.
    removed: Option<Vec<Point>>,
    /// Size of the judged board.
    size: BoardSize,
    /// Hash of the judged board, which does not include its size.
    board_hash: u64,
    /// Where the judged board forbids a play by simple ko.
    ko: Option<Point>,
    /// Earlier boards of the game, for superko, each with the player who moved to it.
    earlier: Vec<(Color, Board)>,
    /// Rules of the judged game.
    rules: Ruleset,
    /// Komi of the judged game.
    komi: Komi,
    /// See [`Judgement::thoroughness`].
    thoroughness: Option<Thoroughness>,
}

/// The evidence that decides the status of a chain.
#[derive(Clone, Copy)]
pub(super) enum Ground<'a> {
    /// It is beyond capture.
    Proof(Proof),
    /// It stands in an eye of stones that can never be captured.
    InEye,
    /// Hypothetical play.
    Finding(&'a Finding),
    /// Nothing is proved.
    Estimate,
}

impl Judgement {
    /// Judge a position, with an estimate for chains without a proof.
    ///
    /// Unconditional life (Benson) comes first: such chains are alive, and the opponent's stones
    /// in their eyes are dead. Next comes hypothetical play in the region around a chain: by
    /// Article 7 if the rules confirm life and death, by ordinary ko if the players must agree.
    /// If that gives no result, the estimate decides: a chain whose points are mostly the
    /// opponent's is dead. The estimate comes from seeded searches, so without a deadline or cache,
    /// the same position gets the same judgement. If the rules remove no stones, none is dead.
    ///
    /// Without a `thoroughness` there is no hypothetical play. Work stops at `until`.
    pub(super) fn of(
        position: &Position,
        estimate: OwnershipEstimate,
        thoroughness: Option<Thoroughness>,
        until: Option<Instant>,
    ) -> Judgement {
        let board = position.board();
        let rules = position.rules();
        let ownership = &estimate.ownership;
        let procedure = procedure(position);
        let thorough = thoroughness == Some(Thoroughness::Thorough);
        let searches = procedure == Procedure::ARTICLE_7 && thorough;
        let mut safe = Safe::of(board, searches.then_some(procedure.conduct));
        safe.estimate(board, estimate.source.certain(), |p| ownership.of(p));
        // Without hypothetical play, a judgement is never compared with another position.
        let earlier = thoroughness.map_or_else(Vec::new, |_| earlier(position));
        let findings = match (rules.settlement, thoroughness) {
            (Settlement::PlayOut, _) | (_, None) => Vec::new(),
            (Settlement::Confirmation | Settlement::Agreement, Some(thoroughness)) => {
                let effort = within(effort(procedure, thoroughness), until);
                confirm(board, &earlier, &safe.walls(), procedure, effort)
            }
        };
        let evidence = Evidence {
            board,
            ownership,
            safe: &safe,
            findings: &findings,
            unconditional: Color::BOTH.map(|c| unconditional(board, c, false)),
            procedure,
            removes_stones: rules.settlement != Settlement::PlayOut,
        };
        let mut judgement = Judgement {
            chains: evidence.chains(),
            score: position.score(&[], |_| false),
            owners: Vec::new(),
            estimate,
            findings,
            overruled: Vec::new(),
            other_first: None,
            procedure,
            safe,
            removed: None,
            size: board.size(),
            board_hash: board.hash(),
            ko: board.ko(),
            earlier,
            rules: *rules,
            komi: position.komi(),
            thoroughness: thoroughness.filter(|_| !is_late(until)),
        };
        judgement.find_territory(position, until);
        judgement.recount(position);
        judgement.thoroughness = judgement.thoroughness.filter(|_| !is_late(until));
        judgement
    }

    /// Judge a position at once, by this estimate and by proofs that need no hypothetical play.
    pub(super) fn by_ownership(position: &Position, estimate: OwnershipEstimate) -> Judgement {
        Judgement::of(position, estimate, None, None)
    }

    /// Is the judgement valid for this position and at least this thorough? Stones, ko, earlier boards,
    /// rules, komi and procedure must be the same.
    pub(super) fn applies(&self, position: &Position, thoroughness: Thoroughness) -> bool {
        self.size == position.size()
            && self.board_hash == position.board().hash()
            && self.ko == position.board().ko()
            && self.earlier == earlier(position)
            && self.rules == *position.rules()
            && self.komi == position.komi()
            && self.procedure == procedure(position)
            && self.thoroughness >= Some(thoroughness)
    }

    /// Determine seki and territory, given the dead chains. A point at which a chain must still be
    /// protected is not territory, since its owner fills it before the count.
    fn find_territory(&mut self, position: &Position, until: Option<Instant>) {
        let board = position.board();
        let confirmed = position.rules().settlement == Settlement::Confirmation;
        let other_first = match confirmed {
            true => self.confirm_with_other_first(board, until),
            false => Vec::new(),
        };
        let attacks = || other_first.iter().filter(|f| !f.owner_first);
        let lost = attacks().filter(|f| f.life.is_alive() == Some(false));
        let threats: Vec<(&Finding, Threat)> = lost
            .filter_map(|f| Some((f, self.threat(f, &self.findings)?)))
            .collect();
        let held = attacks().filter(|f| f.life.is_alive() == Some(true));
        let holds: PointSet = held.flat_map(|f| &f.stones).collect();
        let dame = if confirmed {
            dame(position)
        } else {
            Dame::Filled
        };
        let safe = self.safe.walls().certain;
        let goes_on = self.procedure.first.goes_on();
        let territory = loop {
            let territory = divide(board, &self.dead().collect(), &safe, &holds, dame);
            if goes_on || !self.overrule(&threats, &territory) {
                break territory;
            }
        };
        for (stones, status) in &mut self.chains {
            if *status == ChainStatus::Alive && territory.seki.contains(stones[0]) {
                *status = ChainStatus::Seki;
            }
        }
        // Under agreement all dead stones are removed, whatever the territory.
        if confirmed {
            self.owners = territory.owners;
            self.removed = Some(territory.removed);
            for (chain, Threat { protection, .. }) in threats {
                if self.owner(protection) == Owner::Player(chain.owner) {
                    self.owners[protection.index()] = Owner::Neither;
                }
            }
            self.other_first = Some(other_first);
        }
    }

    /// Mark chains as dead if they live only by a move outside their owner's territory. After the
    /// stop players only fill dame and make necessary moves inside their territory (commentary on
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

    /// Count again, after turns that changed no stones. Passes that the players still owe count.
    pub(super) fn recount(&mut self, position: &Position) {
        let ended = position
            .rules()
            .pass_costs_stone
            .then(|| position.after_last_passes());
        let position = ended.as_ref().unwrap_or(position);
        let dead: Vec<Point> = self.dead().collect();
        let seki: PointSet = self
            .chains
            .iter()
            .filter(|(_, s)| *s == ChainStatus::Seki)
            .flat_map(|(stones, _)| stones.iter().copied())
            .collect();
        let in_seki = |p: Point| seki.contains(p);
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

    /// Effort of the judgement; `None` if it is by known ownership alone, or unfinished.
    pub fn thoroughness(&self) -> Option<Thoroughness> {
        self.thoroughness
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

    /// The points without a living stone that count for this owner.
    pub fn territory(&self, owner: Owner) -> Vec<Point> {
        let lives = |p| self.status(p).is_some_and(|s| s != ChainStatus::Dead);
        let points = self.size.points();
        points
            .filter(|&p| self.owner(p) == owner && !lives(p))
            .collect()
    }

    /// The chains beyond capture.
    pub(super) fn safe(&self) -> &Safe {
        &self.safe
    }

    /// The finding about the chain at a point, if hypothetical play gave an answer.
    pub(super) fn answer(&self, p: Point) -> Option<&Finding> {
        let found = self.findings.iter().find(|f| f.stones.contains(&p));
        found.filter(|f| f.life.is_alive().is_some())
    }

    /// Is the status of the chain at a point proved, or estimated beyond doubt?
    pub fn is_certain(&self, p: Point) -> bool {
        self.safe.contains(p) || self.answer(p).is_some()
    }

    /// Stones likely to live, except those of the chain at `p`. Fewer liberties suffice than for
    /// the judgement's own walls, since in a crowded position hardly any chain has that many.
    pub fn holding_chains(&self, board: &Board, p: Point) -> PointSet {
        let mut holds = self.safe.walls().likely;
        for (stones, _) in self.chains() {
            let Some(&q) = stones.first() else { continue };
            let free = board.liberties_up_to::<HOLDING_LIBERTIES>(q).len() == HOLDING_LIBERTIES;
            if stones.contains(&p) {
                stones.iter().for_each(|&q| holds.remove(q));
            } else if free && self.mean_ownership(board, q) > HOLDING {
                holds.extend(stones);
            }
        }
        holds
    }

    /// Why the chain of `owner` at a point has its status, if the rules remove dead stones.
    pub(super) fn ground(&self, board: &Board, owner: Color, p: Point) -> Ground<'_> {
        if let Some(proof) = self.safe.proof(p) {
            return Ground::Proof(proof);
        }
        match unconditional(board, owner.opponent(), false).is_in_eye(p) {
            true => Ground::InEye,
            false => self.answer(p).map_or(Ground::Estimate, Ground::Finding),
        }
    }

    /// Does the status of the chain at a point follow from a proof or from hypothetical play, rather
    /// than from an estimate?
    pub fn is_proved(&self, board: &Board, p: Point) -> bool {
        let owner = board.at(p).color();
        owner.is_some_and(|c| !matches!(self.ground(board, c, p), Ground::Estimate))
    }

    /// All dead stones.
    pub fn dead(&self) -> impl Iterator<Item = Point> + '_ {
        self.chains
            .iter()
            .filter(|(_, s)| *s == ChainStatus::Dead)
            .flat_map(|(stones, _)| stones.iter().copied())
    }

    /// The count after removing dead stones.
    pub fn score(&self) -> &Score {
        &self.score
    }

    /// The owner of a point in the count.
    pub fn owner(&self, p: Point) -> Owner {
        self.owners
            .get(p.index())
            .copied()
            .unwrap_or(Owner::Neither)
    }

    /// Estimated mean ownership of the chain at a point, for its owner, from −1 to 1.
    pub(super) fn mean_ownership(&self, board: &Board, p: Point) -> f32 {
        mean(&self.estimate.ownership, board, p)
    }

    /// Estimated mean ownership of a point, from −1 (White's) to 1 (Black's).
    pub fn ownership(&self, p: Point) -> f32 {
        self.estimate.ownership.of(p)
    }

    /// The source of the estimate.
    pub(super) fn estimate_source(&self) -> EstimateSource {
        self.estimate.source
    }
}

/// Mean ownership, from −1 to 1, above which a chain bounds the search for a critical point.
const HOLDING: f32 = 0.7;

/// Minimum liberties of such a chain: with two, a move from outside puts it in atari.
const HOLDING_LIBERTIES: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Analyst, Deadline, EvaluatorChoice};
    use crate::playout::Ownership;
    use crate::types::Move;

    #[test]
    fn a_hasty_judgement_is_not_kept() {
        let mut analyst = Analyst::of_test(EvaluatorChoice::Embedded);
        let board = Board::from_diagram(
            ". X O . .
             X X O O .
             . X O . O
             X X O O .
             . X O . .",
        );
        let rules = Ruleset::default();
        let position = Position::from_board(board.unwrap(), Color::Black, rules);
        let soon = Some(Instant::now());
        analyst.set_deadline(Deadline {
            network: None,
            answer: soon,
        });
        assert_eq!(
            analyst.judge(&position, Thoroughness::Quick).thoroughness(),
            None
        );
        analyst.set_deadline(Deadline::default());
        let judgement = analyst.judge(&position, Thoroughness::Quick);
        assert_eq!(judgement.thoroughness(), Some(Thoroughness::Quick));
        assert_eq!(judgement.dead().count(), 0);
    }

    /// The same stones, once after Black took the ko at C4, once after Black played E1.
    #[test]
    fn a_judgement_does_not_apply_without_its_ko() {
        let after = |diagram: &str, last: Point| {
            let board = Board::from_diagram(diagram).unwrap();
            let mut p = Position::from_board(board, Color::Black, Ruleset::default());
            p.play(Color::Black, Move::Play(last)).unwrap();
            p
        };
        let with_ko = after(
            ". X O . .
             X O . O .
             . X O . .
             . . . . .
             . . . . X",
            Point::new(2, 3),
        );
        let without = after(
            ". X O . .
             X . X O .
             . X O . .
             . . . . .
             . . . . .",
            Point::new(4, 0),
        );
        assert_eq!(with_ko.board().hash(), without.board().hash());
        let estimate = OwnershipEstimate::new(Ownership::default(), EstimateSource::Playouts);
        let judgement = Judgement::of(&with_ko, estimate, Some(Thoroughness::Quick), None);
        assert!(judgement.applies(&with_ko, Thoroughness::Quick));
        assert!(!judgement.applies(&without, Thoroughness::Quick));
    }
}
