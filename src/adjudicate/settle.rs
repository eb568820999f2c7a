//! The questions about the chains of a region, in the order in which they are asked.

use super::confirm::{Finding, First, Hypothetical, Life, Procedure};
use super::goal::Goal;
use super::line::{End, Shown};
use super::play::{State, Step};
use super::region::{Bits, Region, bits};
use super::solve::{Deadline, Hint, Solver};
use crate::types::Color;
use std::rc::Rc;

/// A chain of the region, and what is known of it.
#[derive(Clone, Debug)]
struct Chain {
    owner: Color,
    stones: Bits,
    life: Life,
    shown: Shown,
    /// Can it be captured?
    capturable: Option<bool>,
    /// Does its capture enable a new stone on its own points?
    new_stone: Option<bool>,
    /// Where it is known that its opponent cannot seal it in.
    unsealed: Option<Bits>,
    /// The goal that settled it.
    goal: Option<Goal>,
    nodes: u64,
}

/// The chains of a region, and the search in it.
pub struct Settling {
    deadline: Deadline,
    solver: Solver,
    how: Procedure,
    chains: Vec<Chain>,
}

impl Settling {
    /// Nothing asked yet.
    pub fn new(region: Region, how: Procedure, deadline: Deadline) -> Settling {
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
                    goal: None,
                    nodes: 0,
                });
            }
        }
        Settling {
            deadline,
            solver: Solver::new(region, how.conduct).until(deadline),
            how,
            chains,
        }
    }

    /// Ask all questions of Article 7 that are open, again and again, each with at most
    /// so many nodes at a time: what one leaves open another may settle. The nodes used
    /// are taken from `left`.
    pub fn settle(&mut self, limits: &[u64], left: &mut u64) {
        for &limit in limits {
            if !self.is_settled() {
                self.round(limit, left);
            }
        }
    }

    /// Is the life of every chain known?
    pub fn is_settled(&self) -> bool {
        self.chains.iter().all(|c| c.life != Life::Unsettled)
    }

    /// No more questions.
    pub fn done(self) -> Settled {
        Settled {
            solver: Rc::new(self.solver),
            chains: self.chains,
        }
    }

    /// What has been found of the chains.
    pub fn findings(&self) -> Vec<Finding> {
        let region = self.solver.region();
        self.chains.iter().map(|c| finding(region, c)).collect()
    }

    /// Prove in this region what has been found of chains in a part of it, around which
    /// chains were taken to be beyond capture that here are not. Only that a chain is
    /// dead or cannot be captured is proved so.
    pub fn prove(&mut self, part: &Settled, nodes: u64, left: &mut u64) {
        for i in 0..self.chains.len() {
            let p = self.solver.region().point(self.chains[i].stones.trailing_zeros());
            let there = part.chains.iter().find(|c| {
                let bit = part.solver.region().bit(p);
                bit.is_some_and(|bit| c.stones >> bit & 1 == 1)
            });
            if let Some(there) = there
                && let Some(goal) = there.goal
                && self.chains[i].life == Life::Unsettled
            {
                let used = self.prove_chain(i, there.life, part, goal, nodes.min(*left));
                *left = left.saturating_sub(used);
            }
        }
    }

    /// Nodes used.
    fn prove_chain(
        &mut self,
        i: usize,
        life: Life,
        part: &Settled,
        there: Goal,
        nodes: u64,
    ) -> u64 {
        let Chain {
            owner,
            stones: target,
            ..
        } = self.chains[i];
        let local = self.widest(i);
        let goal = match (there, life) {
            (Goal::Capture { .. }, _) => Goal::Capture { owner, target },
            (Goal::Seal { .. }, _) => Goal::Seal {
                owner,
                target,
                local,
            },
            (Goal::CaptureForGood { .. }, Life::Dead) => Goal::CaptureForGood {
                owner,
                target,
                local,
            },
            _ => return 0,
        };
        let start = self.start(i);
        let region = self.solver.region().clone();
        let hint = Hint::new(&region, goal, life == Life::Dead, Rc::clone(&part.solver), there);
        let solver = Solver::new(region, self.how.conduct).until(self.deadline);
        let own = std::mem::replace(&mut self.solver, solver.hinted(hint));
        let found = self.solver.solve(goal, &start, nodes);
        match (found, life) {
            (Ok(false), Life::Uncapturable) => self.holds(i, goal),
            (Ok(true), Life::Dead) => self.dies(i, goal),
            _ => {}
        }
        let used = std::mem::replace(&mut self.solver, own).nodes();
        if std::env::var("DBG").is_ok() {
            let c = &self.chains[i];
            eprintln!("{:?} {} prove {life:?} limit {nodes} used {used} {found:?} -> {:?}", c.owner, self.solver.region().point(c.stones.trailing_zeros()), c.life);
        }
        self.chains[i].nodes += used;
        used
    }
}

/// What has been found about a region, with the searches that found it.
pub struct Settled {
    solver: Rc<Solver>,
    chains: Vec<Chain>,
}

impl Settled {
    /// What has been found of the chains.
    pub fn findings(&self) -> Vec<Finding> {
        let region = self.solver.region();
        self.chains.iter().map(|c| finding(region, c)).collect()
    }
}

fn finding(region: &Region, chain: &Chain) -> Finding {
    let in_words = |&(c, step): &(Color, Step)| {
        let step = match step {
            Step::Play(b) => Hypothetical::Play(region.point(b)),
            Step::KoPass(b) => Hypothetical::KoPass(region.point(b)),
            Step::Pass => Hypothetical::Pass,
        };
        (c, step)
    };
    Finding {
        stones: bits(chain.stones).map(|b| region.point(b)).collect(),
        owner: chain.owner,
        life: chain.life,
        line: chain.shown.0.iter().map(in_words).collect(),
        end: match chain.shown.1 {
            End::Captured => End::Captured,
            End::TwoEyes => End::TwoEyes,
            End::NewStone(bit) => End::NewStone(region.point(bit)),
            End::Repeats => End::Repeats,
            End::NoAttack => End::NoAttack,
            End::Unfinished => End::Unfinished,
        },
        assumes: false,
        nodes: chain.nodes,
    }
}

impl Settling {
    /// All open questions once, each with at most this many nodes.
    fn round(&mut self, limit: u64, left: &mut u64) {
        // In this order, since the area that opens up ends at chains that are known to
        // be alive.
        let questions = [
            Settling::capture,
            Settling::seal,
            Settling::new_stone,
            Settling::new_stone_nearby,
        ];
        for (qn, question) in questions.into_iter().enumerate() {
            for i in 0..self.chains.len() {
                if self.chains[i].life == Life::Unsettled {
                    let used = self.solver.nodes();
                    question(self, i, limit.min(*left));
                    let used = self.solver.nodes() - used;
                    if std::env::var("DBG").is_ok() {
                        let c = &self.chains[i];
                        eprintln!("{:?} {} {:?} limit {limit} used {used} cap {:?} new {:?} -> {:?}", c.owner, self.solver.region().point(c.stones.trailing_zeros()), ["capture","seal","new","nearby"][qn], c.capturable, c.new_stone, c.life);
                    }
                    self.chains[i].nodes += used;
                    *left = left.saturating_sub(used);
                }
            }
        }
    }

    fn start(&self, i: usize) -> State {
        let first = self.how.first.color(self.chains[i].owner);
        State::start(self.solver.region(), first)
    }

    /// Points that the capture of a chain opens up: its own and, on and on, those
    /// beside them without a `standing` chain.
    fn opened(&self, i: usize, standing: impl Fn(&Chain) -> bool) -> Bits {
        let region = self.solver.region();
        let owner = self.chains[i].owner;
        let own = self.chains.iter().filter(|c| c.owner == owner);
        let closed = own.filter(|c| standing(c)).fold(0, |all, c| all | c.stones);
        region.flood(self.chains[i].stones, region.all() & !closed)
    }

    /// Where a new stone of the owner counts at most, as far as is known. The side that
    /// begins can start something new anywhere: only of the side that answers can it
    /// be said that a capture enabled the new stone.
    fn widest(&self, i: usize) -> Bits {
        match self.how.first {
            First::Owner => self.chains[i].stones,
            First::Attacker => self.opened(i, |c| c.life == Life::Uncapturable),
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
        let start = self.start(i);
        let found = self.solver.solve(goal, &start, limit).ok();
        self.chains[i].capturable = found;
        if found == Some(false) {
            self.holds(i, goal);
        }
    }

    fn holds(&mut self, i: usize, goal: Goal) {
        let start = self.start(i);
        self.chains[i].capturable = Some(false);
        self.chains[i].life = Life::Uncapturable;
        self.chains[i].goal = Some(goal);
        self.chains[i].shown = self.solver.show_uncapturable(goal, &start);
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
        let start = self.start(i);
        match self.solver.solve(goal, &start, limit) {
            Ok(true) => self.dies(i, goal),
            Ok(false) => self.chains[i].unsealed = Some(local),
            Err(_) => {}
        }
    }

    fn dies(&mut self, i: usize, goal: Goal) {
        let start = self.start(i);
        self.chains[i].capturable = Some(true);
        self.chains[i].new_stone = Some(false);
        self.chains[i].life = Life::Dead;
        self.chains[i].goal = Some(goal);
        self.chains[i].shown = self.solver.show_dead(goal, &start);
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
        match self.solver.solve(goal, &self.start(i), limit) {
            Ok(true) if self.how.first == First::Owner => self.dies(i, goal),
            Ok(true) => self.chains[i].new_stone = Some(false),
            Ok(false) => self.lives_anew(i, goal, Life::NewStone),
            Err(_) => {}
        }
    }

    fn lives_anew(&mut self, i: usize, goal: Goal, life: Life) {
        let start = self.start(i);
        let stones = self.chains[i].stones;
        self.chains[i].life = life;
        self.chains[i].goal = Some(goal);
        self.chains[i].shown = self.solver.show_new_stone(goal, stones, &start);
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
        // The area ends at chains that live without help; of each it must be known.
        let known =
            |c: &Chain| c.owner != owner || c.life != Life::Unsettled || c.new_stone == Some(false);
        match self.solver.solve(goal, &self.start(i), limit) {
            Ok(true) => self.dies(i, goal),
            Ok(false) if self.chains.iter().all(known) => {
                self.lives_anew(i, goal, Life::NewStoneNearby);
            }
            _ => {}
        }
    }
}
