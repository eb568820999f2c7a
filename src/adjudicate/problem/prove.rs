//! Proofs about a group. What is unknown outside the region counts against the claim.

use super::search::{CONDUCT, FACTOR, SEKI, Search, THREATS};
use super::{Bounds, Findings, Problem, Reach};
use crate::adjudicate::goal::Goal;
use crate::adjudicate::play::State;
use crate::adjudicate::region::Region;
use crate::adjudicate::solve::{Cutoff, Solver, Unsettled};
use crate::types::{Color, Point};

impl Problem {
    /// Prove what was found for `first`, as far as these bounds allow. Life means that the longest
    /// chain is not captured; a kill, that all chains are and that no new stone lasts in their
    /// place. That no move is needed, or that none helps, must hold for each chain; the latter is
    /// proved only for a named group.
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
        let now = Case {
            to_move: first,
            played: None,
            threats,
        };
        if reach == Reach::Nothing {
            found.nothing_proved = self.named && prover.holds(!defends, All, now);
            found.nodes += prover.nodes();
            return;
        }
        // For a ko, the player must also fail with less favourable threats.
        if fails.is_some_and(|threats| !prover.holds(!defends, Main, Case { threats, ..now })) {
            found.nodes += prover.nodes();
            return;
        }
        if found.pass_works == Some(true) {
            let to_move = first.opponent();
            found.pass_proved = prover.holds(defends, All, Case { to_move, ..now });
        }
        let mut all = Vec::new();
        let mut main = Vec::new();
        for &p in &found.right {
            if prover.holds(defends, All, now.after(p)) {
                all.push(p);
            } else if defends && prover.holds(defends, Main, now.after(p)) {
                main.push(p);
            }
        }
        // Moves that save every chain are better than moves that save one.
        found.proved = if all.is_empty() { main } else { all };
        if defends && let Some(&p) = found.proved.first() {
            found.wins_race = wins_race && prover.wins(now.after(p));
            found.seki = seki && !found.wins_race && prover.has_no_eyes(now.after(p));
        }
        found.nodes += prover.nodes();
    }
}

/// The chains of a group that a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    /// The longest chain.
    Main,
    /// Each chain.
    All,
}
use Which::{All, Main};

/// The start of a proof.
#[derive(Clone, Copy, Debug)]
struct Case {
    to_move: Color,
    /// The first move, already chosen for this player.
    played: Option<Point>,
    /// Ko threats by colour.
    threats: [u8; 2],
}

impl Case {
    fn after(self, p: Point) -> Case {
        let played = Some(p);
        Case { played, ..self }
    }

    /// The state in a region; `None` if the move is illegal there.
    fn state(self, region: &Region) -> Option<State> {
        let start = State {
            threats: self.threats,
            ..State::start(region, self.to_move)
        };
        match self.played {
            None => Some(start),
            Some(p) => match region.bits_of(&[p]) {
                0 => None,
                bit => Some(start.play(region, CONDUCT, bit.trailing_zeros())?.0),
            },
        }
    }
}

/// Maximum states for a proof in the first round.
const PROOF: u64 = 30_000;

/// Solvers for proofs in a problem's regions.
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

    /// Is it proved that these chains live (or, unless `lives`, that they die)?
    fn holds(&mut self, lives: bool, which: Which, case: Case) -> bool {
        let mut limit = PROOF.min(self.nodes);
        loop {
            let mut open = false;
            for i in 0..self.problem.strict.len() {
                let result = match lives {
                    true => self.lives(i, which, case, limit),
                    false => self.dies(i, which, case, limit),
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

    fn lives(&mut self, i: usize, which: Which, case: Case, limit: u64) -> Result<bool, Unsettled> {
        let owner = self.problem.defender;
        let solver = &mut self.life[i];
        let Some(s) = case.state(solver.region()) else {
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

    fn dies(&mut self, i: usize, which: Which, case: Case, limit: u64) -> Result<bool, Unsettled> {
        let owner = self.problem.defender;
        let solver = &mut self.kill[i];
        let Some(s) = case.state(solver.region()) else {
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
            // Each can be captured, but perhaps not all in one line of play.
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

    /// Can the defender capture the longest of the chains that attack it?
    fn wins(&mut self, case: Case) -> bool {
        let owner = self.problem.defender.opponent();
        self.problem.against.as_ref().is_some_and(|stones| {
            self.life.iter_mut().any(|solver| {
                let target = solver.region().bits_of(&stones[..1]);
                let goal = Goal::Capture { owner, target };
                let s = case.state(solver.region());
                s.is_some_and(|s| target != 0 && solver.solve(goal, &s, SEKI) == Ok(true))
            })
        })
    }

    /// Is it proved that the defender gets no two eyes, even with help from outside?
    fn has_no_eyes(&mut self, case: Case) -> bool {
        let owner = self.problem.defender;
        self.kill.iter_mut().any(|solver| {
            let local = solver.region().all();
            let goal = Goal::TwoEyes { owner, local };
            let s = case.state(solver.region());
            s.is_some_and(|s| solver.solve(goal, &s, SEKI) == Ok(false))
        })
    }
}
