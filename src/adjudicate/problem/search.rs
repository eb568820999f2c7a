//! The search of a problem: what a first move achieves, given assumptions about the surroundings.

use super::{Bounds, Problem, ProblemResult, Reach, RegionGoal};
use crate::adjudicate::goal::Goal;
use crate::adjudicate::line::End;
use crate::adjudicate::play::{Conduct, Retake, State, Step};
use crate::adjudicate::solve::{Cutoff, Solver, Unsettled};
use crate::rules::{KoRule, SuicideRule};
use crate::types::{Color, Move, Point};

/// Rules of play in a problem: no ko threats except those given, and no suicide, since no ruleset
/// requires it.
pub(super) const CONDUCT: Conduct = Conduct {
    retake: Retake::AfterAnyMove,
    suicide: SuicideRule::Forbidden,
    ko: KoRule::Simple,
};

/// Maximum states for one question in the first round, and the factor for each later round.
const FIRST: u64 = 20_000;
pub(super) const FACTOR: u64 = 4;

/// No further first move is tried once the solver has visited three times the states that the
/// result took, plus this many.
const LISTING: u64 = 100_000;

/// Maximum states to tell a seki from two eyes.
pub(super) const SEKI: u64 = 100_000;

/// Maximum ko threats that are counted. A player who needs more fails: with threats without end
/// even an eye in which the opponent captures in a ko would last.
pub(super) const THREATS: u8 = 2;

impl Problem {
    /// Find what `first` reaches within these bounds, if points outside the region belong to their
    /// assumed owners. As far as time allows, results of a narrow region are confirmed in wider
    /// ones, where a defender has more room. [`Problem::prove`] finds out which are certain.
    pub fn solve(&self, first: Color, bounds: &Bounds) -> ProblemResult {
        let mut found = ProblemResult::default();
        let attacks = first != self.defender;
        let Some((narrow, wide)) = self.goals.split_first() else {
            return found;
        };
        let part = |parts: usize| Bounds {
            memory: parts * (bounds.memory / 4),
            ..bounds.clone()
        };
        let mut search = Search::new(self, narrow, &part(3));
        let mut nodes_in_wide = 0;
        // Search each region briefly before one of them takes all the time.
        let look = LOOK.min(bounds.nodes);
        for (nodes, others) in [(look, look / 4), (bounds.nodes, bounds.nodes)] {
            // A ko that a defender needs in a narrow region is usually needed in wider ones too, so
            // these get less effort.
            let others = match found.reach {
                None | Some(Reach::Nothing) => others,
                Some(_) => others.min(look),
            };
            if found.reach.is_none() {
                found.improve(search.result(first, nodes), attacks);
            }
            for aim in wide {
                let done = !attacks && found.reach == Some(Reach::Outright);
                if done || bounds.cutoff.is_reached() {
                    break;
                }
                let mut search = Search::new(self, aim, &part(1));
                if attacks
                    && !found.right.is_empty()
                    && search.confirm(&mut found, first, others).is_none()
                {
                    found.reach = None;
                }
                if !attacks || found.right.is_empty() {
                    found.improve(search.result(first, others), attacks);
                }
                nodes_in_wide += search.solver.nodes();
            }
            let settled = match found.reach {
                None | Some(Reach::Nothing) => false,
                Some(Reach::Outright) => true,
                Some(_) => attacks,
            };
            if settled || bounds.cutoff.is_reached() {
                break;
            }
        }
        found.nodes = search.solver.nodes() + nodes_in_wide;
        found
    }
}

impl ProblemResult {
    /// Adopt the findings of a wider region, where an attacker reaches less and a defender more.
    fn improve(&mut self, wider: ProblemResult, attacks: bool) {
        let more = match attacks {
            true => wider.reach.is_some(),
            false => rank(wider.reach) >= rank(self.reach),
        };
        if self.reach.is_none() || more {
            *self = wider;
        }
    }
}

impl Reach {
    /// The ko threats, by colour, with which `first` must reach this result; for
    /// [`Reach::Nothing`], those with which it must fail.
    pub(super) fn threats(self, first: Color) -> [u8; 2] {
        match self {
            Reach::Outright => Search::threats(first, 0, THREATS),
            Reach::KoOpponentThreatensFirst(n) => Search::threats(first, 0, n.saturating_sub(1)),
            Reach::KoPlayerThreatensFirst(n) => Search::threats(first, n, 0),
            Reach::Nothing => Search::threats(first, THREATS, 0),
        }
    }
}

/// Rank of a result: higher is better for the player who moves first.
fn rank(reach: Option<Reach>) -> u8 {
    match reach {
        None => 0,
        Some(Reach::Nothing) => 1,
        Some(Reach::KoPlayerThreatensFirst(n)) => 2 + THREATS.saturating_sub(n),
        Some(Reach::KoOpponentThreatensFirst(n)) => 2 + THREATS + n,
        Some(Reach::Outright) => 3 + 2 * THREATS,
    }
}

/// Maximum states to find out whether a move saves a further chain.
const MORE: u64 = 100_000;

/// Maximum states for a question in the first, brief search of a region.
pub(super) const LOOK: u64 = 400_000;

pub(super) struct Search<'a> {
    problem: &'a Problem,
    aim: &'a RegionGoal,
    pub(super) solver: Solver,
    cutoff: Cutoff,
}

impl<'a> Search<'a> {
    pub(super) fn new(problem: &'a Problem, aim: &'a RegionGoal, bounds: &Bounds) -> Search<'a> {
        let solver = Solver::new(aim.region.clone(), CONDUCT).with_shortcuts();
        Search {
            problem,
            aim,
            solver: solver.cut_off(bounds.cutoff.clone()).within(bounds.memory),
            cutoff: bounds.cutoff.clone(),
        }
    }

    /// Ko threats by colour: `own` for `first`, `other` for its opponent.
    pub(super) fn threats(first: Color, own: u8, other: u8) -> [u8; 2] {
        let mut threats = [other; 2];
        threats[first.index()] = own;
        threats
    }

    pub(super) fn start(&self, first: Color, threats: [u8; 2]) -> State {
        State {
            threats,
            ..State::start(&self.aim.region, first)
        }
    }

    /// Does `player` succeed from this state?
    pub(super) fn succeeds(
        &mut self,
        player: Color,
        s: &State,
        nodes: u64,
    ) -> Result<bool, Unsettled> {
        let kills = self.solver.solve(self.aim.goal, s, nodes)?;
        Ok(kills == (player != self.problem.defender))
    }

    fn result(&mut self, first: Color, nodes: u64) -> ProblemResult {
        let reach = self.reach(first, nodes);
        let mut found = ProblemResult {
            reach,
            ..ProblemResult::default()
        };
        if let Some(reach) = reach.filter(|reach| *reach != Reach::Nothing) {
            // The list of right moves is worth about twice the effort of the result itself.
            let last = 3 * self.solver.nodes() + LISTING;
            self.moves(first, reach.threats(first), (nodes, last), &mut found);
        }
        found
    }

    /// The result; `None` if it is not settled.
    fn reach(&mut self, first: Color, nodes: u64) -> Option<Reach> {
        let of = |own, other| Search::threats(first, own, other);
        let (none, theirs, mine) = (of(0, 0), of(0, THREATS), of(THREATS, 0));
        // Most problems involve no ko. Then one of two searches answers them: success even if the
        // opponent has all threats, or failure even if the player has them. The two take turns.
        let mut limit = FIRST.min(nodes);
        let mut outright = None;
        let mut by_ko = None;
        loop {
            outright = outright.or_else(|| self.settle(first, theirs, limit));
            if outright == Some(true) {
                return Some(Reach::Outright);
            }
            by_ko = by_ko.or_else(|| self.settle(first, mine, limit));
            if by_ko == Some(false) {
                return Some(Reach::Nothing);
            }
            if outright.is_some() && by_ko.is_some() || limit >= nodes || self.cutoff.is_reached() {
                break;
            }
            limit = limit.saturating_mul(FACTOR).min(nodes);
        }
        by_ko?;
        Some(match self.settle(first, none, nodes)? {
            // If it is not settled whether a ko is needed, this is the least that is reached.
            true => Reach::KoOpponentThreatensFirst(self.threats_withstood(first, nodes) + 1),
            false => Reach::KoPlayerThreatensFirst(self.threats_needed(first, nodes)),
        })
    }

    /// Does `first` succeed with these threats?
    fn settle(&mut self, first: Color, threats: [u8; 2], nodes: u64) -> Option<bool> {
        let start = self.start(first, threats);
        self.succeeds(first, &start, nodes).ok()
    }

    /// Try the right moves of a narrower region in this one. Moves that fail become wrong, and
    /// unsettled ones stay right. Those that are right here too are preferred. Returns whether all
    /// were settled; `None` if all fail.
    pub(super) fn confirm(
        &mut self,
        found: &mut ProblemResult,
        first: Color,
        nodes: u64,
    ) -> Option<bool> {
        let threats = found.reach.map_or([0; 2], |reach| reach.threats(first));
        let start = self.start(first, threats);
        let (mut fails, mut holds) = (Vec::new(), Vec::new());
        for &p in &found.right {
            let next = self.after(&start, p);
            match next.map(|next| self.succeeds(first, &next, nodes)) {
                Some(Ok(false)) => fails.push(p),
                Some(Ok(true)) => holds.push(p),
                Some(Err(Unsettled)) | None => {}
            }
        }
        let all_settled = fails.len() + holds.len() == found.right.len();
        if found.pass_works == Some(true) {
            let passed = start.pass(CONDUCT.retake, None);
            found.pass_works = Some(self.succeeds(first, &passed, nodes) != Ok(false));
        }
        found.right.retain(|p| !fails.contains(p));
        found.preferred.retain(|p| !fails.contains(p));
        found.wrong.extend(fails);
        if holds.iter().any(|p| found.preferred.contains(p)) {
            found.preferred.retain(|p| holds.contains(p));
        } else if !holds.is_empty() {
            found.preferred = holds;
        }
        (!found.right.is_empty()).then_some(all_settled)
    }

    /// The fewest ko threats with which `first` succeeds, at most [`THREATS`].
    fn threats_needed(&mut self, first: Color, nodes: u64) -> u8 {
        let mut fewest = 1..THREATS;
        let mut enough = |n| self.settle(first, Search::threats(first, n, 0), nodes) == Some(true);
        fewest.find(|&n| enough(n)).unwrap_or(THREATS)
    }

    /// The most ko threats of the opponent, below [`THREATS`], with which `first` still succeeds.
    fn threats_withstood(&mut self, first: Color, nodes: u64) -> u8 {
        let mut most = (1..THREATS).rev();
        let mut withstood =
            |n| self.settle(first, Search::threats(first, 0, n), nodes) == Some(true);
        most.find(|&n| withstood(n)).unwrap_or(0)
    }

    /// Find the first moves that reach the result. Each is searched for at most `nodes` states.
    /// After the first round, no search begins once the solver has visited `last` states.
    fn moves(
        &mut self,
        first: Color,
        threats: [u8; 2],
        (nodes, last): (u64, u64),
        found: &mut ProblemResult,
    ) {
        let start = self.start(first, threats);
        let passed = start.pass(CONDUCT.retake, None);
        let mut open = self.plays(&start);
        let mut limit = FIRST.min(nodes);
        loop {
            open.retain(|&(p, next)| {
                if limit > FIRST && self.solver.nodes() > last {
                    return true;
                }
                match self.succeeds(first, &next, limit) {
                    Ok(true) => found.right.push(p),
                    Ok(false) => found.wrong.push(p),
                    Err(Unsettled) => return true,
                }
                false
            });
            if found.pass_works.is_none() {
                found.pass_works = self.succeeds(first, &passed, limit).ok();
            }
            let settled = open.is_empty() && found.pass_works.is_some();
            if settled || limit >= nodes || self.cutoff.is_reached() || self.solver.nodes() > last {
                break;
            }
            limit = limit.saturating_mul(FACTOR).min(nodes);
        }
        let saving = match first == self.problem.defender {
            true => self.saving_most(&start, &found.right, nodes.min(MORE)),
            false => found.right.clone(),
        };
        found.preferred = self.quickest(&start, &saving);
        self.prefer_wins(&start, nodes, found);
        if first == self.problem.defender && !found.wins_race {
            let next = found.right.first().and_then(|&p| self.after(&start, p));
            found.seki = next.is_some_and(|s| self.is_seki(&s, nodes));
        }
        found.line = self.line(&start, found.right.first().copied());
    }

    /// Of a defender's right moves, those that save most chains, the longest ones first.
    fn saving_most(&mut self, start: &State, right: &[Point], nodes: u64) -> Vec<Point> {
        let mut best = right.to_vec();
        let mut target = 0;
        let Problem {
            defender, chains, ..
        } = self.problem;
        for stones in chains {
            let chain = self.aim.region.bits_of(&stones[..1]);
            if best.len() < 2 || chain == 0 {
                continue;
            }
            let goal = Goal::Capture {
                owner: *defender,
                target: target | chain,
            };
            let mut saving = best.clone();
            saving.retain(|&p| {
                let next = self.after(start, p);
                let next = next.map(|s| State { fresh: 0, ..s });
                next.is_some_and(|s| self.solver.solve(goal, &s, nodes) == Ok(false))
            });
            if !saving.is_empty() {
                best = saving;
                target |= chain;
            }
        }
        best
    }

    /// An attacker's right moves after which the longest defence is shortest; a defender's all, since
    /// a failed attack has no length.
    fn quickest(&mut self, start: &State, right: &[Point]) -> Vec<Point> {
        let at = self.solver.handle(self.aim.goal);
        let distances = right.iter().map(|&p| {
            let next = self.after(start, p);
            let entry = next.and_then(|s| self.solver.entry(at, &s));
            (p, entry.map_or(u16::MAX, |e| e.distance))
        });
        let distances: Vec<(Point, u16)> = distances.collect();
        let least = distances.iter().map(|d| d.1).min();
        let quickest = distances.iter().filter(|d| Some(d.1) == least);
        quickest.map(|d| d.0).collect()
    }

    /// If some of a defender's right moves win a capturing race, keep only those, since they are
    /// better than a seki.
    fn prefer_wins(&mut self, start: &State, nodes: u64, found: &mut ProblemResult) {
        let defends = start.to_move == self.problem.defender;
        let Some(goal) = self.aim.wins.filter(|_| defends) else {
            return;
        };
        let mut winning = Vec::new();
        for &p in &found.right {
            if let Some(next) = self.after(start, p)
                && self.solver.solve(goal, &State { fresh: 0, ..next }, nodes) == Ok(true)
            {
                winning.push(p);
            }
        }
        if !winning.is_empty() {
            found.preferred = winning.clone();
            found.right = winning;
            found.wins_race = true;
        }
    }

    /// Does the group, which lives from this state, live without two eyes?
    fn is_seki(&mut self, s: &State, nodes: u64) -> bool {
        let (owner, local) = (self.problem.defender, self.aim.goal.standing_target(s));
        let goal = Goal::TwoEyes { owner, local };
        let s = State { fresh: 0, ..*s };
        self.solver.solve(goal, &s, nodes.min(SEKI)) == Ok(false)
    }

    /// The plays that can matter in a state, each with the state after it.
    pub(super) fn plays(&mut self, s: &State) -> Vec<(Point, State)> {
        let at = self.solver.handle(self.aim.goal);
        let children = self.solver.children(at, s).into_iter();
        let plays = children.filter_map(|(step, next)| match step {
            Step::Play(bit) => Some((self.aim.region.point(bit), next)),
            Step::KoPass(_) | Step::Pass => None,
        });
        plays.collect()
    }

    /// The state after a play, if it can matter.
    pub(super) fn after(&mut self, s: &State, p: Point) -> Option<State> {
        let plays = self.plays(s).into_iter();
        plays.filter(|play| play.0 == p).map(|play| play.1).next()
    }

    /// Play that shows why the result is right, beginning with `begin` if given.
    pub(super) fn line(&mut self, start: &State, begin: Option<Point>) -> Vec<(Color, Move)> {
        let region = &self.aim.region;
        let mut line = Vec::new();
        let mut s = *start;
        if let Some(next) = begin.and_then(|p| self.after(start, p)) {
            line.extend(begin.map(|p| (start.to_move, Move::Play(p))));
            s = next;
        }
        let goal = self.aim.goal;
        let shown = match self.solver.solve(goal, &s, FIRST) {
            Ok(true) => self.solver.show_dead(goal, &s),
            Ok(false) => self.solver.show_uncapturable(goal, &s),
            Err(Unsettled) => (Vec::new(), End::Unfinished),
        };
        line.extend(shown.0.into_iter().map(|(c, step)| match step {
            Step::Play(bit) => (c, Move::Play(region.point(bit))),
            Step::KoPass(_) | Step::Pass => (c, Move::Pass),
        }));
        line
    }
}
