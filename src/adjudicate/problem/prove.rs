//! Proofs about a group in which what is unknown outside the region is held against what is to be
//! proved.

use super::search::{CONDUCT, FACTOR, SEKI, Search, THREATS};
use super::{Bounds, Findings, Problem, Reach};
use crate::adjudicate::goal::Goal;
use crate::adjudicate::play::State;
use crate::adjudicate::region::Region;
use crate::adjudicate::solve::{Cutoff, Solver, Unsettled};
use crate::types::{Color, Point};

impl Problem {
    /// Prove what was found for `first`, as far as these bounds allow. Life means that the
    /// longest chain is not captured; a kill, that all chains are and that no new stone lasts in
    /// their place. That a guessed group needs no move, or that none helps, must hold for
    /// each of its chains.
    pub fn prove(&self, first: Color, found: &mut Findings, bounds: &Bounds) {
        let (wins_race, seki) = (found.wins_race, found.seki);
        found.wins_race = false;
        found.seki = false;
        let Some(reach) = found.reach else { return };
        let of = |own, other| Search::threats(first, own, other);
        let (threats, fails) = match reach {
            Reach::Outright => (of(0, THREATS), None),
            Reach::KoTheyThreaten => (of(0, 0), Some(of(0, THREATS))),
            Reach::KoMustThreaten(n) => (of(n, 0), Some(of(n.saturating_sub(1), 0))),
            Reach::Nothing => (of(THREATS, 0), None),
        };
        let defends = first == self.defender;
        let mut prover = Prover::new(self, bounds);
        if reach == Reach::Nothing {
            found.nothing_proved = self.named && prover.holds(!defends, All, first, None, threats);
            found.nodes += prover.nodes();
            return;
        }
        // A ko is more than nothing and less than all.
        if fails.is_some_and(|t| !prover.holds(!defends, Main, first, None, t)) {
            found.nodes += prover.nodes();
            return;
        }
        if found.pass_works == Some(true) {
            let next = first.opponent();
            found.pass_proved = prover.holds(defends, All, next, None, threats);
        }
        let mut all = Vec::new();
        let mut main = Vec::new();
        for &p in &found.right {
            let m = Some(p);
            if prover.holds(defends, All, first, m, threats) {
                all.push(p);
            } else if defends && prover.holds(defends, Main, first, m, threats) {
                main.push(p);
            }
        }
        // To save every chain is more than to save one.
        found.proved = if all.is_empty() { main } else { all };
        if defends && let Some(&p) = found.proved.first() {
            found.wins_race = wins_race && prover.wins(first, p, threats);
            found.seki = seki && !found.wins_race && prover.has_no_eyes(first, p, threats);
        }
        found.nodes += prover.nodes();
    }
}

/// Of which chains of a group something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    /// The longest.
    Main,
    /// Each.
    All,
}
use Which::{All, Main};

/// States for a proof in the first round.
const PROOF: u64 = 30_000;

/// Searches of a problem's regions, in which what is unknown is held against what is to be
/// proved.
struct Prover<'a> {
    problem: &'a Problem,
    life: Vec<Solver>,
    kill: Vec<Solver>,
    nodes: u64,
    cutoff: Cutoff,
}

impl<'a> Prover<'a> {
    fn new(problem: &'a Problem, bounds: &Bounds) -> Prover<'a> {
        let memory = bounds.memory / (2 * problem.strict.len()).max(1);
        let solver = |region: &Region| {
            let solver = Solver::new(region.clone(), CONDUCT).with_shortcuts();
            solver.cut_off(bounds.cutoff.clone()).within(memory)
        };
        let strict = || problem.strict.iter();
        Prover {
            problem,
            life: strict().map(|s| solver(&s.life)).collect(),
            kill: strict().map(|s| solver(&s.kill)).collect(),
            nodes: bounds.nodes,
            cutoff: bounds.cutoff.clone(),
        }
    }

    fn nodes(&self) -> u64 {
        let solvers = self.life.iter().chain(&self.kill);
        solvers.map(Solver::nodes).sum()
    }

    /// The state with this player to move, after this move if there is one.
    fn state(solver: &Solver, c: Color, m: Option<Point>, threats: [u8; 2]) -> Option<State> {
        let region = solver.region();
        let start = State {
            threats,
            ..State::start(region, c)
        };
        match m {
            None => Some(start),
            Some(p) => match region.bits_of(&[p]) {
                0 => None,
                bit => Some(start.play(region, CONDUCT, bit.trailing_zeros())?.0),
            },
        }
    }

    /// Is it proved that these chains live, or that they die, with `c` to move or after its
    /// move?
    fn holds(
        &mut self,
        lives: bool,
        which: Which,
        c: Color,
        m: Option<Point>,
        threats: [u8; 2],
    ) -> bool {
        let mut limit = PROOF.min(self.nodes);
        loop {
            let mut open = false;
            for i in 0..self.problem.strict.len() {
                let result = match lives {
                    true => self.lives(i, which, c, m, threats, limit),
                    false => self.dies(i, which, c, m, threats, limit),
                };
                match result {
                    Ok(true) => return true,
                    Ok(false) => {}
                    Err(Unsettled) => open = true,
                }
            }
            if !open || limit >= self.nodes || self.cutoff.is_reached() {
                return false;
            }
            limit = limit.saturating_mul(FACTOR).min(self.nodes);
        }
    }

    fn lives(
        &mut self,
        i: usize,
        which: Which,
        c: Color,
        m: Option<Point>,
        threats: [u8; 2],
        limit: u64,
    ) -> Result<bool, Unsettled> {
        let owner = self.problem.defender;
        let solver = &mut self.life[i];
        let Some(s) = Prover::state(solver, c, m, threats) else {
            return Ok(false);
        };
        let bit = |stones: &Vec<Point>| solver.region().bits_of(&stones[..1]);
        let mut chains = self.problem.chains.iter();
        let target = match which {
            Main => chains.next().map_or(0, bit),
            All => chains.map(bit).fold(0, |all, bit| all | bit),
        };
        let goal = Goal::Capture { owner, target };
        Ok(target != 0 && !solver.solve(goal, &s, limit)?)
    }

    fn dies(
        &mut self,
        i: usize,
        which: Which,
        c: Color,
        m: Option<Point>,
        threats: [u8; 2],
        limit: u64,
    ) -> Result<bool, Unsettled> {
        let owner = self.problem.defender;
        let solver = &mut self.kill[i];
        let Some(s) = Prover::state(solver, c, m, threats) else {
            return Ok(false);
        };
        let local = solver.region().bits_of(&self.problem.group);
        let count = match which {
            Main => 1,
            All => self.problem.chains.len(),
        };
        let chains = &self.problem.chains[..count];
        for stones in chains {
            let target = solver.region().bits_of(&stones[..1]);
            let taken = Goal::Capture { owner, target };
            if target == 0 || !solver.solve(taken, &s, limit)? {
                return Ok(false);
            }
        }
        let [stones] = chains else {
            // Each may be taken, but not all.
            let target = local;
            let goal = Goal::Seal {
                owner,
                target,
                local,
            };
            return solver.solve(goal, &s, limit);
        };
        let target = solver.region().bits_of(&stones[..1]);
        let goal = Goal::CaptureForGood {
            owner,
            target,
            local,
        };
        solver.solve(goal, &s, limit)
    }

    /// Does the defender take the longest of the chains that attack it?
    fn wins(&mut self, c: Color, p: Point, threats: [u8; 2]) -> bool {
        let owner = self.problem.defender.opponent();
        self.problem.against.as_ref().is_some_and(|stones| {
            self.life.iter_mut().any(|solver| {
                let target = solver.region().bits_of(&stones[..1]);
                let goal = Goal::Capture { owner, target };
                let s = Prover::state(solver, c, Some(p), threats);
                s.is_some_and(|s| target != 0 && solver.solve(goal, &s, SEKI) == Ok(true))
            })
        })
    }

    /// Does the defender who lives have no two eyes, whatever helps from outside?
    fn has_no_eyes(&mut self, c: Color, p: Point, threats: [u8; 2]) -> bool {
        let owner = self.problem.defender;
        self.kill.iter_mut().any(|solver| {
            let local = solver.region().all();
            let goal = Goal::TwoEyes { owner, local };
            let s = Prover::state(solver, c, Some(p), threats);
            s.is_some_and(|s| solver.solve(goal, &s, SEKI) == Ok(false))
        })
    }
}
