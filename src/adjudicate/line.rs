//! Play that shows why the result of a search is right, continued until the board shows it.

use super::goal::Goal;
use super::play::{State, Step};
use super::pursuit::Outlook;
use super::region::{Bits, bits};
use super::solve::{Handle, Set, Solver, Unsettled};
use crate::types::Color;

/// The state of the chain in question at the end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End<P> {
    /// It has been captured.
    Captured,
    /// It has two eyes, or is connected to a chain that has.
    TwoEyes,
    /// It has been captured, but this new stone of its owner cannot be captured.
    NewStone(P),
    /// A position has repeated, so the play never ends.
    Repeats,
    /// The opponent has no move left to attack it.
    NoAttack,
    /// The line is too long, was not found, or was not needed.
    Unfinished,
}

/// A line and its end.
pub type Shown = (Vec<(Color, Step)>, End<u32>);

/// Length above which a line counts as [`End::Unfinished`].
const LONGEST: usize = 60;

/// Maximum nodes for all moves of a line together.
const NODES: u64 = 400_000;

impl Solver {
    /// Show an attack that captures a chain and enables no new stone: first the proof of the goal,
    /// then the capture itself.
    pub fn show_dead(&mut self, goal: Goal, start: &State) -> Shown {
        let last = self.nodes() + NODES;
        let mut line = Vec::new();
        let at = self.handle(goal);
        let mut s = self.follow_proof(at, start, &mut line);
        let target = goal.standing_target(&s);
        if target != 0 {
            let owner = goal.owner();
            // Of several chains, show how the largest is captured.
            let chains = self.chains_with(&s, owner, target).into_iter();
            let target = chains.max_by_key(|c| c.count_ones()).unwrap_or(target);
            let capture = Goal::Remove { owner, target };
            s.fresh = 0;
            if self.solve_until(capture, &s, last) != Ok(true) {
                return (line, End::Unfinished);
            }
            let at = self.handle(capture);
            self.follow_proof(at, &s, &mut line);
        }
        ended(line, End::Captured)
    }

    /// Show an attack that fails to capture.
    pub fn show_uncapturable(&mut self, goal: Goal, start: &State) -> Shown {
        let last = self.nodes() + NODES;
        let at = self.handle(goal);
        let mut line = Vec::new();
        let mut s = *start;
        let mut seen = Set::default();
        seen.insert(s);
        loop {
            if self.entry(at, &s).is_some_and(|e| e.terminal) {
                return ended(line, End::TwoEyes);
            }
            if line.len() >= LONGEST {
                return (line, End::Unfinished);
            }
            let attacks = s.to_move == goal.prover();
            let mut children = self.children(at, &s);
            if children.is_empty() {
                line.push((s.to_move, Step::Pass));
                return (line, End::NoAttack);
            }
            // The attacker prefers moves that leave the result open. The owner prefers moves that
            // settle it, with a known result if possible.
            children.sort_by_key(|(step, c)| {
                let terminal = self.entry(at, c).is_some_and(|e| e.terminal);
                let settles = terminal || seen.contains(c);
                let unknown = !attacks && self.known(at, c) != Some(false);
                (attacks == settles, unknown, *step == Step::Pass)
            });
            let fails = |c: &(Step, State)| self.solve_until(goal, &c.1, last) == Ok(false);
            let Some((step, next)) = children.into_iter().find(fails) else {
                return (line, End::Unfinished);
            };
            line.push((s.to_move, step));
            if !seen.insert(next) {
                return (line, End::Repeats);
            }
            s = next;
        }
    }

    /// Show the shortest capture of a chain, and the new stone of its owner that it enables.
    pub fn show_new_stone(&mut self, goal: Goal, target: Bits, start: &State) -> Shown {
        let last = self.nodes() + NODES;
        let owner = goal.owner();
        let capture = Goal::Remove { owner, target };
        let at = self.handle(goal);
        let taking = self.handle(capture);
        let mut line = Vec::new();
        let mut s = *start;
        while goal.standing_target(&s) != 0 {
            let bare = |c: &State| State { fresh: 0, ..*c };
            let known = self.solve_until(capture, &bare(&s), last);
            if known != Ok(true) || line.len() >= LONGEST {
                return (line, End::Unfinished);
            }
            let children = self.children(at, &s);
            let next = if s.to_move == owner {
                let fails = |c: &(Step, State)| self.solve_until(goal, &c.1, last) == Ok(false);
                children.into_iter().find(fails)
            } else {
                let distance = |c: &(Step, State)| {
                    let known = self.entry(taking, &bare(&c.1));
                    known
                        .filter(|e| e.numbers.proof == 0)
                        .map_or(u16::MAX, |e| e.distance)
                };
                children.into_iter().min_by_key(distance)
            };
            let Some((step, next)) = next else {
                return (line, End::Unfinished);
            };
            line.push((s.to_move, step));
            s = next;
        }
        let lasting = goal.lasting();
        if self.solve_until(lasting, &s, last) != Ok(true) {
            return (line, End::Unfinished);
        }
        let at = self.handle(lasting);
        let shown = self.follow_proof(at, &s, &mut line);
        match self.lasting_stone(at, &shown) {
            Some(bit) => ended(line, End::NewStone(bit)),
            None => (line, End::Unfinished),
        }
    }

    /// [`Solver::solve`] with a limit on the solver's total nodes.
    fn solve_until(&mut self, goal: Goal, s: &State, last: u64) -> Result<bool, Unsettled> {
        self.solve(goal, s, last.saturating_sub(self.nodes()))
    }

    /// The new stone that cannot be captured, in a state where [`Goal::LastingStone`] is reached.
    fn lasting_stone(&mut self, at: Handle, s: &State) -> Option<u32> {
        let owner = at.goal.owner();
        let new = s.fresh & at.goal.local() & s.stones[owner.index()];
        let alive = self.pursuit(at).beyond_capture(s, owner) & new;
        if alive != 0 {
            return bits(alive).next();
        }
        let Outlook::MayLast(new) = self.pursuit(at).outlook(s) else {
            return None;
        };
        self.allow(NODES);
        let chain = self.lasting(s, at.goal, new, 0).ok()??;
        bits(chain & new).next()
    }

    /// Extend a line from a proved state by the proof of the goal against the longest resistance.
    /// Returns the last state.
    fn follow_proof(&self, at: Handle, start: &State, line: &mut Vec<(Color, Step)>) -> State {
        let mut s = *start;
        loop {
            let open = self.entry(at, &s).is_some_and(|e| !e.terminal);
            if !open {
                return s;
            }
            let proved = self.children(at, &s).into_iter().filter_map(|(step, c)| {
                let e = self.entry(at, &c).filter(|e| e.numbers.proof == 0)?;
                Some((e.distance, step, c))
            });
            let next = if s.to_move == at.goal.prover() {
                proved.min_by_key(|n| n.0)
            } else {
                proved.max_by_key(|n| (n.0, n.1 != Step::Pass))
            };
            let Some((_, step, next)) = next else {
                return s;
            };
            line.push((s.to_move, step));
            s = next;
        }
    }
}

fn ended(line: Vec<(Color, Step)>, end: End<u32>) -> Shown {
    match line.len() {
        n if n > LONGEST => (line, End::Unfinished),
        _ => (line, end),
    }
}
