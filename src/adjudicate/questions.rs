//! The questions of Article 7 about the chains of a region, in order.

use super::finding::{Finding, First, Hypothetical, Life, Procedure};
use super::goal::Goal;
use super::line::{End, Shown};
use super::play::{State, Step};
use super::region::{Bits, Region, bits};
use super::solve::Solver;
use super::superko::{EarlierPosition, Elsewhere};
use crate::rules::KoRule;
use crate::types::Color;
use std::time::Instant;

/// A chain of the region and its findings so far.
#[derive(Clone, Debug)]
struct Chain {
    owner: Color,
    stones: Bits,
    life: Life,
    shown: Shown,
    /// Can it be captured?
    capturable: Option<bool>,
    /// Does its capture enable a lasting new stone on its own points?
    new_stone: Option<bool>,
    /// The area for which the opponent is known to fail at [`Goal::Seal`].
    unsealed: Option<Bits>,
    nodes: u64,
}

impl Chain {
    /// The finding about the chain in a region, with this player first.
    fn finding(&self, region: &Region, first: First) -> Finding {
        let on_board = |&(c, step): &(Color, Step)| {
            let step = match step {
                Step::Play(b) => Hypothetical::Play(region.point(b)),
                Step::KoPass(b) => Hypothetical::KoPass(region.point(b)),
                Step::Pass => Hypothetical::Pass,
            };
            (c, step)
        };
        Finding {
            stones: bits(self.stones).map(|b| region.point(b)).collect(),
            owner: self.owner,
            owner_first: first.is_owner(self.owner),
            life: self.life,
            line: self.shown.0.iter().map(on_board).collect(),
            end: match self.shown.1 {
                End::Captured => End::Captured,
                End::TwoEyes => End::TwoEyes,
                End::NewStone(bit) => End::NewStone(region.point(bit)),
                End::Repeats => End::Repeats,
                End::NoAttack => End::NoAttack,
                End::Unfinished => End::Unfinished,
            },
            assumes: false,
            nodes: self.nodes,
        }
    }
}

/// The questions about the chains of a region, with the answers so far.
pub struct Questions {
    solver: Solver,
    /// For answers that depend on superko: solvers in which these players obey it.
    strict: Vec<([bool; 2], Solver)>,
    /// The players who obey superko in the play of the last answer.
    obey: [bool; 2],
    /// By colour: can the player lift the bans of superko by a move outside the region?
    elsewhere: [Elsewhere; 2],
    how: Procedure,
    chains: Vec<Chain>,
}

impl Questions {
    /// Prepare the questions about a region. `earlier` are its positions in the game so far,
    /// `elsewhere` is what each player can do outside.
    pub fn new(
        region: &Region,
        how: Procedure,
        earlier: Vec<EarlierPosition>,
        elsewhere: [Elsewhere; 2],
        until: Option<Instant>,
    ) -> Questions {
        let mut chains = Vec::new();
        for owner in Color::BOTH {
            for stones in region.parts(region.stones[owner.index()]) {
                chains.push(Chain {
                    owner,
                    stones,
                    life: Life::Unsettled,
                    shown: (Vec::new(), End::Unfinished),
                    capturable: None,
                    new_stone: None,
                    unsealed: None,
                    nodes: 0,
                });
            }
        }
        let solver = Solver::new(region.clone(), how.conduct).until(until);
        Questions {
            solver: solver.with_earlier(earlier),
            strict: Vec::new(),
            obey: [false; 2],
            elsewhere,
            how,
            chains,
        }
    }

    /// Ask all open questions of Article 7, in one round for each limit of nodes, since one answer
    /// may help to find another. The nodes used are subtracted from `left`.
    pub fn ask(&mut self, limits: &[u64], left: &mut u64) {
        for &limit in limits {
            if !self.all_answered() {
                self.ask_once(limit, left);
            }
        }
    }

    /// Ask only whether the first chain of the region can be captured. `None` if that is not proved
    /// with at most `limit` nodes. The nodes used are subtracted from `left`.
    pub fn ask_capture(&mut self, limit: u64, left: &mut u64) -> Option<Finding> {
        let i = self.chains.iter().position(|c| c.stones & 1 != 0)?;
        let Chain { owner, stones, .. } = self.chains[i];
        let goal = Goal::Capture {
            owner,
            target: stones,
        };
        let falls = self.solve(i, goal, limit.min(*left)) == Some(true);
        if falls {
            self.mark_dead(i, goal);
            self.chains[i].life = Life::Captured;
        }
        self.chains[i].nodes = self.nodes();
        *left = left.saturating_sub(self.nodes());
        falls.then(|| self.chains[i].finding(self.solver.region(), self.how.first))
    }

    /// Is the life of every chain known?
    pub fn all_answered(&self) -> bool {
        self.chains.iter().all(|c| c.life != Life::Unsettled)
    }

    /// The findings about all chains.
    pub fn findings(&self) -> Vec<Finding> {
        let region = self.solver.region();
        let chains = self.chains.iter();
        chains.map(|c| c.finding(region, self.how.first)).collect()
    }

    /// Ask all open questions once, each with at most `limit` nodes.
    fn ask_once(&mut self, limit: u64, left: &mut u64) {
        // The order matters: the area that a capture opens up ends at chains known to be alive.
        let questions = [
            Questions::capture,
            Questions::seal,
            Questions::new_stone,
            Questions::new_stone_nearby,
        ];
        for question in questions {
            for i in 0..self.chains.len() {
                if self.chains[i].life == Life::Unsettled {
                    let used = self.nodes();
                    question(self, i, limit.min(*left));
                    let used = self.nodes() - used;
                    self.chains[i].nodes += used;
                    *left = left.saturating_sub(used);
                }
            }
        }
    }

    /// Number of states searched so far.
    fn nodes(&self) -> u64 {
        let strict = self.strict.iter().map(|(_, solver)| solver.nodes());
        self.solver.nodes() + strict.sum::<u64>()
    }

    /// Can the prover reach the goal? Superko is obeyed only if the answer rests on play in which a
    /// position could repeat. `None` if `limit` nodes do not suffice, or if the answer depends on
    /// how often a player can lift a ban by a move elsewhere.
    ///
    /// With moves elsewhere the prover is not forbidden the few repetitions that a kill needs. A
    /// defender who must repeat without end runs out of them; one who must repeat once does not.
    fn solve(&mut self, i: usize, goal: Goal, limit: u64) -> Option<bool> {
        let simply = self.by_superko(i, goal, [false; 2], limit)?;
        let prover = goal.prover();
        let [attack, defence] = [prover, prover.opponent()].map(|c| self.elsewhere[c.index()]);
        if self.how.conduct.ko == KoRule::Simple
            || simply && attack == Elsewhere::Free
            || !self.solver.repeats(goal, &self.start(i), limit).ok()?
        {
            return Some(simply);
        }
        let bans = |on_prover, on_defender| match prover {
            Color::Black => [on_prover, on_defender],
            Color::White => [on_defender, on_prover],
        };
        let most = bans(attack != Elsewhere::Free, defence == Elsewhere::Nothing);
        if self.by_superko(i, goal, most, limit)? {
            return Some(true);
        }
        let fewest = bans(attack == Elsewhere::Nothing, true);
        match fewest == most || !self.by_superko(i, goal, fewest, limit)? {
            true => Some(false),
            false => None,
        }
    }

    /// Can the prover reach the goal if these players `obey` superko? `None` if `limit` nodes do not
    /// suffice.
    fn by_superko(&mut self, i: usize, goal: Goal, obey: [bool; 2], limit: u64) -> Option<bool> {
        self.obey = obey;
        let (solver, start) = self.last(i);
        solver.solve(goal, &start, limit).ok()
    }

    /// The solver that gave the last answer, and its start state.
    fn last(&mut self, i: usize) -> (&mut Solver, State) {
        let (start, goes_on) = (self.start(i), self.how.first.goes_on());
        let solver = if self.obey == [false; 2] {
            &mut self.solver
        } else {
            let known = self.strict.iter().position(|(obey, _)| *obey == self.obey);
            let n = known.unwrap_or_else(|| {
                let strict = self.solver.by_superko(self.obey);
                self.strict.push((self.obey, strict));
                self.strict.len() - 1
            });
            &mut self.strict[n].1
        };
        let start = solver.begin(&start, goes_on);
        (solver, start)
    }

    fn start(&self, i: usize) -> State {
        let first = self.how.first.color(self.chains[i].owner);
        State::start(self.solver.region(), first)
    }

    /// Points that the capture of a chain opens up: its own, and all connected to them without
    /// crossing its owner's `standing` chains.
    fn opened(&self, i: usize, standing: impl Fn(&Chain) -> bool) -> Bits {
        let region = self.solver.region();
        let owner = self.chains[i].owner;
        let own = self.chains.iter().filter(|c| c.owner == owner);
        let closed = own.filter(|c| standing(c)).fold(0, |all, c| all | c.stones);
        region.flood(self.chains[i].stones, region.all() & !closed)
    }

    fn owner_begins(&self, i: usize) -> bool {
        self.how.first.is_owner(self.chains[i].owner)
    }

    /// The largest area in which a new stone of the owner may count, as far as is known. If the
    /// owner moves first, it is only the chain's own points, since a stone elsewhere need not
    /// result from the capture.
    fn widest(&self, i: usize) -> Bits {
        match self.owner_begins(i) {
            true => self.chains[i].stones,
            false => self.opened(i, |c| c.life == Life::Uncapturable),
        }
    }

    fn capture(&mut self, i: usize, limit: u64) {
        if self.chains[i].capturable.is_some() {
            return;
        }
        let Chain { owner, stones, .. } = self.chains[i];
        let goal = Goal::Capture {
            owner,
            target: stones,
        };
        let found = self.solve(i, goal, limit);
        self.chains[i].capturable = found;
        if found == Some(false) {
            self.mark_uncapturable(i, goal);
        }
    }

    fn mark_uncapturable(&mut self, i: usize, goal: Goal) {
        self.chains[i].capturable = Some(false);
        self.chains[i].life = Life::Uncapturable;
        let (solver, start) = self.last(i);
        self.chains[i].shown = solver.show_uncapturable(goal, &start);
    }

    fn seal(&mut self, i: usize, limit: u64) {
        let Chain { owner, stones, .. } = self.chains[i];
        let local = self.widest(i);
        if self.chains[i].unsealed == Some(local) {
            return;
        }
        let goal = Goal::Seal {
            owner,
            target: stones,
            local,
        };
        match self.solve(i, goal, limit) {
            Some(true) => self.mark_dead(i, goal),
            Some(false) => self.chains[i].unsealed = Some(local),
            None => {}
        }
    }

    fn mark_dead(&mut self, i: usize, goal: Goal) {
        self.chains[i].capturable = Some(true);
        self.chains[i].new_stone = Some(false);
        self.chains[i].life = Life::Dead;
        let (solver, start) = self.last(i);
        self.chains[i].shown = solver.show_dead(goal, &start);
    }

    fn new_stone(&mut self, i: usize, limit: u64) {
        let Chain {
            owner,
            stones,
            capturable: Some(true),
            new_stone: None,
            ..
        } = self.chains[i]
        else {
            return;
        };
        let goal = Goal::CaptureForGood {
            owner,
            target: stones,
            local: stones,
        };
        match self.solve(i, goal, limit) {
            Some(true) if self.owner_begins(i) => self.mark_dead(i, goal),
            Some(true) => self.chains[i].new_stone = Some(false),
            Some(false) => self.mark_replaced(i, goal, Life::NewStone),
            None => {}
        }
    }

    fn mark_replaced(&mut self, i: usize, goal: Goal, life: Life) {
        let stones = self.chains[i].stones;
        self.chains[i].life = life;
        let (solver, start) = self.last(i);
        self.chains[i].shown = solver.show_new_stone(goal, stones, &start);
    }

    fn new_stone_nearby(&mut self, i: usize, limit: u64) {
        let Chain {
            owner,
            stones,
            new_stone: Some(false),
            ..
        } = self.chains[i]
        else {
            return;
        };
        let local = self.opened(i, |c| matches!(c.life, Life::Uncapturable | Life::NewStone));
        let goal = Goal::CaptureForGood {
            owner,
            target: stones,
            local,
        };
        // The area ends at the owner's chains that live by themselves, so these must be known.
        let known =
            |c: &Chain| c.owner != owner || c.life != Life::Unsettled || c.new_stone == Some(false);
        match self.solve(i, goal, limit) {
            Some(true) => self.mark_dead(i, goal),
            Some(false) if self.chains.iter().all(known) => {
                self.mark_replaced(i, goal, Life::NewStoneNearby);
            }
            _ => {}
        }
    }
}
