//! The questions about the chains of a region, in the order in which they are asked.

use super::confirm::{Finding, First, Hypothetical, Life, Procedure};
use super::goal::Goal;
use super::line::{End, Shown};
use super::play::{State, Step};
use super::region::{Bits, Region, bits};
use super::solve::{Deadline, Solver};
use crate::types::Color;

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
    nodes: u64,
}

/// The chains of a region, and the search in it.
pub struct Settling {
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
                    nodes: 0,
                });
            }
        }
        Settling {
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
        for question in questions {
            for i in 0..self.chains.len() {
                if self.chains[i].life == Life::Unsettled {
                    let used = self.solver.nodes();
                    question(self, i, limit.min(*left));
                    let used = self.solver.nodes() - used;
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
