//! Proofs about a group. What is unknown outside the region counts against the claim.

use super::search::{CONDUCT, FACTOR, SEKI, Search};
use super::{Bounds, Problem, ProblemResult, ProofRegion, Reach};
use crate::adjudicate::goal::Goal;
use crate::adjudicate::play::State;
use crate::adjudicate::region::Region;
use crate::adjudicate::solve::{Cutoff, Solver, Unsettled};
use crate::types::{Color, Point};
use std::ops::BitOr;

impl Problem {
    /// Prove what was found for `first`, as far as these bounds allow. To live, at least the
    /// longest chain must survive. To kill, all chains must be captured, and no new stone may last
    /// in their place. That no move is needed, or that none helps, must hold for every chain; that
    /// none helps is proved only for a named group.
    pub fn prove(&self, first: Color, found: &mut ProblemResult, bounds: &Bounds) {
        let (wins_race, seki) = (found.wins_race, found.seki);
        found.wins_race = false;
        found.seki = false;
        let Some(reach) = found.reach else { return };
        let threats = reach.threats(first);
        // With these the player fails, so that the result depends on a ko.
        let fails = match reach {
            Reach::KoOpponentThreatensFirst(n) => Some(Search::threats(first, 0, n)),
            Reach::KoPlayerThreatensFirst(n) => {
                Some(Search::threats(first, n.saturating_sub(1), 0))
            }
            Reach::Outright | Reach::Nothing => None,
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
        // A ko is proved only if the player also fails with less favourable threats.
        if fails.is_some_and(|threats| !prover.holds(!defends, Longest, Case { threats, ..now })) {
            found.nodes += prover.nodes();
            return;
        }
        if found.pass_works == Some(true) {
            let to_move = first.opponent();
            found.pass_proved = prover.holds(defends, All, Case { to_move, ..now });
        }
        found.proved = prover.right(defends, now, &found.right);
        if defends && let Some(&p) = found.proved.first() {
            found.wins_race = wins_race && prover.wins(now.after(p));
            found.seki = seki && !found.wins_race && prover.has_no_eyes(now.after(p));
        }
        found.nodes += prover.nodes();
    }
}

/// The chains of a group for which a claim must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chains {
    /// The longest chain.
    Longest,
    /// Each chain.
    All,
}
use Chains::{All, Longest};

impl Chains {
    fn of(self, problem: &Problem) -> &[Vec<Point>] {
        match self {
            Longest => &problem.chains[..1],
            All => &problem.chains,
        }
    }
}

/// The start of a proof.
#[derive(Clone, Copy, Debug)]
struct Case {
    to_move: Color,
    /// The first move of that player, if already chosen.
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

/// A claim to be proved.
struct Claim {
    chains: Chains,
    case: Case,
    /// Indices of the regions to prove it in. The first `refuted` of them have refuted it.
    regions: Vec<usize>,
    refuted: usize,
}

/// Maximum states for a proof in the first round.
const PROOF: u64 = 30_000;

/// Maximum regions for proofs, and maximum states to find out how to widen one.
const REGIONS: usize = 24;
const WIDENING: u64 = 100_000;

/// A region for proofs with its solvers: to prove life, and to prove a kill.
struct RegionSolvers {
    life: Solver,
    kill: Solver,
}

impl RegionSolvers {
    fn points(&self) -> &[Point] {
        self.life.region().points()
    }
}

/// Solvers for proofs in a problem's regions.
struct Prover<'a> {
    problem: &'a Problem,
    /// The regions of the problem, and wider ones added after refuted claims.
    regions: Vec<RegionSolvers>,
    memory: usize,
    nodes: u64,
    cutoff: Cutoff,
}

/// The result of trying to prove a claim in a region.
enum Attempt {
    Proved,
    /// The goal and start state of the search that refutes it.
    Refuted(Goal, State),
    /// The region lacks the stones or the first move of the claim.
    Void,
}
use Attempt::{Proved, Refuted, Void};

impl<'a> Prover<'a> {
    fn new(problem: &'a Problem, bounds: &Bounds) -> Prover<'a> {
        let mut prover = Prover {
            problem,
            regions: Vec::new(),
            memory: bounds.memory,
            nodes: bounds.nodes,
            cutoff: bounds.cutoff.clone(),
        };
        problem.proof_regions.iter().for_each(|r| prover.add(r));
        prover
    }

    fn add(&mut self, region: &ProofRegion) {
        let solver = |region: &Region| {
            let solver = Solver::new(region.clone(), CONDUCT).with_shortcuts();
            solver.cut_off(self.cutoff.clone())
        };
        self.regions.push(RegionSolvers {
            life: solver(&region.life),
            kill: solver(&region.kill),
        });
    }

    fn claim(&self, chains: Chains, case: Case) -> Claim {
        Claim {
            chains,
            case,
            regions: (0..self.problem.proof_regions.len()).collect(),
            refuted: 0,
        }
    }

    fn solvers(&self) -> impl Iterator<Item = &Solver> {
        self.regions.iter().flat_map(|r| [&r.life, &r.kill])
    }

    fn nodes(&self) -> u64 {
        self.solvers().map(Solver::nodes).sum()
    }

    /// The solver of a region for proofs of life or of a kill. It may use the memory that the
    /// others leave.
    fn solver(&mut self, i: usize, lives: bool) -> &mut Solver {
        let taken: usize = self.solvers().map(Solver::bytes).sum();
        let left = self.memory.saturating_sub(taken);
        let region = &mut self.regions[i];
        let solver = if lives {
            &mut region.life
        } else {
            &mut region.kill
        };
        solver.set_memory(solver.bytes() + left);
        solver
    }

    /// Is it proved that these chains live (or, unless `lives`, that they die)?
    fn holds(&mut self, lives: bool, chains: Chains, case: Case) -> bool {
        let mut claim = self.claim(chains, case);
        self.rounds(|prover, limit| prover.settle(lives, &mut claim, limit)) == Some(true)
    }

    /// The moves that are proved to reach the result: those after which every chain lives (or
    /// dies). If there are none, those after which the longest chain lives. Once a move is proved,
    /// the search ends with that round. If it saves only the longest chain, one more round may find
    /// a move that saves all.
    fn right(&mut self, lives: bool, now: Case, moves: &[Point]) -> Vec<Point> {
        let several = lives && self.problem.chains.len() > 1;
        let chains: &[Chains] = if several { &[All, Longest] } else { &[All] };
        let claims = chains.iter().flat_map(|&chains| {
            let claim = |&p: &Point| (p, self.claim(chains, now.after(p)));
            moves.iter().map(claim).collect::<Vec<_>>()
        });
        let mut open: Vec<(Point, Claim)> = claims.collect();
        let mut proved = [Vec::new(), Vec::new()];
        self.rounds(|prover, limit| {
            let late = !proved[1].is_empty();
            open.retain_mut(|(p, claim)| {
                let longest = claim.chains == Longest;
                if longest && !proved[0].is_empty() {
                    return false;
                }
                let result = prover.settle(lives, claim, limit);
                if result == Some(true) {
                    proved[usize::from(longest)].push(*p);
                }
                result.is_none()
            });
            (late || !proved[0].is_empty() || open.is_empty()).then_some(())
        });
        let [all, longest] = proved;
        // Moves that save every chain are better than moves that save one.
        if all.is_empty() { longest } else { all }
    }

    /// Call `round` with a growing limit of states until it returns a result or the limits are
    /// reached.
    fn rounds<T>(&mut self, mut round: impl FnMut(&mut Self, u64) -> Option<T>) -> Option<T> {
        let mut limit = PROOF.min(self.nodes);
        loop {
            let result = round(self, limit);
            if result.is_some() || limit >= self.nodes || self.cutoff.is_reached() {
                return result;
            }
            limit = limit.saturating_mul(FACTOR).min(self.nodes);
        }
    }

    /// Is a claim proved (true), or refuted in all regions (false)? `None` if more states may
    /// settle it.
    fn settle(&mut self, lives: bool, claim: &mut Claim, limit: u64) -> Option<bool> {
        let mut next = claim.refuted;
        while let Some(&i) = claim.regions.get(next) {
            let tried = match lives {
                true => self.lives(i, claim.chains, claim.case, limit),
                false => self.dies(i, claim.chains, claim.case, limit),
            };
            match tried {
                Ok(Proved) => return Some(true),
                Ok(refuted) => {
                    claim.regions.swap(claim.refuted, next);
                    claim.refuted += 1;
                    let wider = match refuted {
                        Refuted(goal, s) => self.widen(i, lives, goal, &s),
                        Proved | Void => None,
                    };
                    claim
                        .regions
                        .extend(wider.filter(|i| !claim.regions.contains(i)));
                }
                Err(Unsettled) => {}
            }
            next += 1;
        }
        if claim.refuted < claim.regions.len() {
            return None;
        }
        // Try the regions that other claims have added.
        let others = (0..self.regions.len()).filter(|i| !claim.regions.contains(i));
        let others: Vec<usize> = others.collect();
        claim.regions.extend(&others);
        others.is_empty().then_some(false)
    }

    /// A wider region for a refuted claim: the outside points that helped to refute it become part
    /// of the play. Returns its index.
    fn widen(&mut self, i: usize, lives: bool, goal: Goal, s: &State) -> Option<usize> {
        let defender = self.problem.defender;
        let c = if lives { defender } else { defender.opponent() };
        let solver = self.solver(i, lives);
        let outside = solver.region().next_to_safe[c.opponent().index()];
        let plays = solver.uses(goal, s, (c.opponent(), outside), WIDENING);
        let plays = plays.ok()?;
        let most = plays.iter().max().copied().filter(|&n| n > 0)?;
        let points = self.regions[i].points();
        let often = points.iter().zip(plays).filter(|&(_, n)| 2 * n >= most);
        let at: Vec<Point> = often.map(|(&p, _)| p).collect();
        let around = &self.problem.around;
        let points = around.widened(points, &at, c);
        let known = |r: &RegionSolvers| {
            r.points().len() == points.len() && points.iter().all(|p| r.points().contains(p))
        };
        if let Some(i) = self.regions.iter().position(known) {
            return Some(i);
        }
        if self.regions.len() >= REGIONS {
            return None;
        }
        let region = around.proof_region(points, defender)?;
        self.add(&region);
        Some(self.regions.len() - 1)
    }

    fn lives(
        &mut self,
        i: usize,
        chains: Chains,
        case: Case,
        limit: u64,
    ) -> Result<Attempt, Unsettled> {
        let problem = self.problem;
        let owner = problem.defender;
        let solver = self.solver(i, true);
        let Some(s) = case.state(solver.region()) else {
            return Ok(Void);
        };
        let bit = |stones: &Vec<Point>| solver.region().bits_of(&stones[..1]);
        let target = chains.of(problem).iter().map(bit).fold(0, BitOr::bitor);
        if target == 0 {
            return Ok(Void);
        }
        let goal = Goal::Capture { owner, target };
        Ok(match solver.solve(goal, &s, limit)? {
            true => Refuted(goal, s),
            false => Proved,
        })
    }

    fn dies(
        &mut self,
        i: usize,
        chains: Chains,
        case: Case,
        limit: u64,
    ) -> Result<Attempt, Unsettled> {
        let problem = self.problem;
        let owner = problem.defender;
        let solver = self.solver(i, false);
        let Some(s) = case.state(solver.region()) else {
            return Ok(Void);
        };
        let local = solver.region().bits_of(&problem.group);
        let chains = chains.of(problem);
        let first = solver.region().bits_of(&chains[0][..1]);
        if chains
            .iter()
            .any(|stones| solver.region().bits_of(&stones[..1]) == 0)
        {
            return Ok(Void);
        }
        // Refuting this takes less effort than refuting the claim itself.
        let taken = Goal::Capture {
            owner,
            target: first,
        };
        if !solver.solve(taken, &s, limit)? {
            return Ok(Refuted(taken, s));
        }
        let goal = match chains.len() {
            1 => Goal::CaptureForGood {
                owner,
                target: first,
                local,
            },
            // All must be captured in one line of play.
            _ => Goal::Seal {
                owner,
                target: local,
                local,
            },
        };
        Ok(match solver.solve(goal, &s, limit)? {
            true => Proved,
            false => Refuted(goal, s),
        })
    }

    /// Is it proved that the defender captures the longest chain that attacks the group?
    fn wins(&mut self, case: Case) -> bool {
        let owner = self.problem.defender.opponent();
        let Some(stones) = &self.problem.against else {
            return false;
        };
        (0..self.regions.len()).any(|i| {
            let solver = self.solver(i, true);
            let target = solver.region().bits_of(&stones[..1]);
            let goal = Goal::Capture { owner, target };
            let s = case.state(solver.region());
            s.is_some_and(|s| target != 0 && solver.solve(goal, &s, SEKI) == Ok(true))
        })
    }

    /// Is it proved that the group cannot make two eyes, even with help from outside?
    fn has_no_eyes(&mut self, case: Case) -> bool {
        let (owner, group) = (self.problem.defender, &self.problem.group);
        (0..self.regions.len()).any(|i| {
            let solver = self.solver(i, false);
            let local = solver.region().bits_of(group);
            let goal = Goal::TwoEyes { owner, local };
            let s = case.state(solver.region());
            s.is_some_and(|s| solver.solve(goal, &s, SEKI) == Ok(false))
        })
    }
}
