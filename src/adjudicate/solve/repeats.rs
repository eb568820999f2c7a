//! The play on which an answer rests: could superko change it, and which points does it use?

use super::{Handle, Solver, Unsettled};
use crate::adjudicate::goal::Goal;
use crate::adjudicate::play::{Hasher, State, Step};
use crate::adjudicate::pursuit::Outlook;
use crate::adjudicate::region::{Bits, MOST_POINTS, bits};
use crate::adjudicate::superko::EarlierPosition;
use crate::types::Color;
use std::collections::{HashMap, HashSet};

/// The positions on which an answer rests, and the positions after each play there.
#[derive(Default)]
struct PlayGraph {
    indices: HashMap<[Bits; 2], u32, Hasher>,
    plays: Vec<Vec<u32>>,
}

impl PlayGraph {
    fn number(&mut self, s: &State) -> u32 {
        let next = self.plays.len() as u32;
        let number = *self.indices.entry(s.stones).or_insert(next);
        if number == next {
            self.plays.push(Vec::new());
        }
        number
    }

    /// Is there a cycle? Removes positions without a predecessor until none is left (Kahn 1962).
    fn has_cycle(&self) -> bool {
        let mut before = vec![0u32; self.plays.len()];
        for &to in self.plays.iter().flatten() {
            before[to as usize] += 1;
        }
        let mut free: Vec<usize> = (0..before.len()).filter(|&n| before[n] == 0).collect();
        let mut taken = 0;
        while let Some(from) = free.pop() {
            taken += 1;
            for &to in &self.plays[from] {
                before[to as usize] -= 1;
                if before[to as usize] == 0 {
                    free.push(to as usize);
                }
            }
        }
        taken < before.len()
    }
}

impl Solver {
    /// Could the play on which an answer of [`Solver::solve`] rests repeat a position, its own or
    /// an earlier one of the game? If not, the answer holds under any superko rule: none of the
    /// winner's moves is forbidden, and the loser only has fewer moves.
    ///
    /// # Errors
    /// [`Unsettled`] if that takes more than `nodes` nodes.
    pub fn repeats(&mut self, goal: Goal, start: &State, nodes: u64) -> Result<bool, Unsettled> {
        let mut graph = PlayGraph::default();
        self.play_out(goal, start, nodes, |s, step, next| {
            let (from, to) = (graph.number(s), graph.number(next));
            if matches!(step, Some(Step::Play(_))) {
                graph.plays[from as usize].push(to);
            }
        })?;
        // A return to the start is a cycle.
        let came_before = |&(_, stones): &EarlierPosition| {
            stones != start.stones && graph.indices.contains_key(&stones)
        };
        Ok(graph.has_cycle() || self.earlier().iter().any(came_before))
    }

    /// Count the plays of `c` on each of these points, at which its stones connect to safe ones, in
    /// the play on which an answer of [`Solver::solve`] rests. Without any such play, count the
    /// points that the stones in question hold or reach at the end.
    ///
    /// # Errors
    /// [`Unsettled`] if that takes more than `nodes` nodes.
    pub fn uses(
        &mut self,
        goal: Goal,
        start: &State,
        (c, points): (Color, Bits),
        nodes: u64,
    ) -> Result<Vec<u32>, Unsettled> {
        let mut plays = vec![0; MOST_POINTS];
        let mut last = vec![*start];
        self.play_out(goal, start, nodes, |s, step, next| {
            match step {
                Some(Step::Play(bit)) if s.to_move == c && points & 1 << bit != 0 => {
                    plays[bit as usize] += 1;
                }
                _ => {}
            }
            last.push(*next);
        })?;
        if plays.iter().all(|&n| n == 0) {
            let at = self.handle(goal);
            last.retain(|s| self.entry(at, s).is_some_and(|e| e.terminal));
            for s in last {
                let (own, other) = (s.stones[c.index()], s.stones[c.opponent().index()]);
                let target = goal.standing_target(&s);
                let target = if target & own == 0 {
                    own & points
                } else {
                    target
                };
                let chains = self.region.flood(target & own, own) & points;
                let loose = self.region.all() & !other;
                let used = match chains {
                    0 => self.region.flood(target & loose, loose) & points,
                    _ => chains,
                };
                for bit in bits(used) {
                    plays[bit as usize] += 1;
                }
            }
        }
        Ok(plays)
    }

    /// Visit each step of the play on which an answer of [`Solver::solve`] rests.
    fn play_out(
        &mut self,
        goal: Goal,
        start: &State,
        nodes: u64,
        mut on_step: impl FnMut(&State, Option<Step>, &State),
    ) -> Result<(), Unsettled> {
        self.allow(nodes);
        let at = self.handle(goal);
        let mut seen: HashSet<(Handle, State), Hasher> = HashSet::default();
        let mut open = vec![(at, *start)];
        seen.extend(&open);
        while let Some((at, s)) = open.pop() {
            self.spend()?;
            for (next_at, step, next) in self.rests_on(at, &s)? {
                on_step(&s, step, &next);
                if seen.insert((next_at, next)) {
                    open.push((next_at, next));
                }
            }
        }
        Ok(())
    }

    /// The states on which the answer in a state rests: those after one move of the winner or all
    /// moves of the loser, or the same state with another goal.
    fn rests_on(
        &mut self,
        at: Handle,
        s: &State,
    ) -> Result<Vec<(Handle, Option<Step>, State)>, Unsettled> {
        let reached = self.search(at, s, 0)?;
        let owner = at.goal.owner();
        if self.entry(at, s).is_some_and(|e| e.terminal) {
            return match self.pursuit(at).outlook(s) {
                Outlook::Captured => Ok(vec![(self.handle(at.goal.lasting()), None, *s)]),
                Outlook::MayLast(new) => {
                    let bare = State { fresh: 0, ..*s };
                    let chains = match self.lasting(s, at.goal, new, 0)? {
                        Some(chain) => vec![chain],
                        None => self.chains_with(s, owner, new),
                    };
                    let captures = chains.into_iter().map(|c| Goal::capture(owner, c));
                    Ok(captures.map(|g| (self.handle(g), None, bare)).collect())
                }
                Outlook::Settled(_) | Outlook::Open => Ok(Vec::new()),
            };
        }
        let children = self.children(at, s);
        let wins = (s.to_move == at.goal.prover()) == reached;
        let mut all = Vec::with_capacity(children.len());
        for (step, child) in children {
            if !wins || self.known(at, &child) == Some(reached) {
                all.push((at, Some(step), child));
            }
        }
        if wins {
            // Take the shortest way to the goal. If the prover fails, distances do not matter.
            let distance = |c: &(Handle, Option<Step>, State)| {
                self.entry(at, &c.2).map_or(u16::MAX, |e| e.distance)
            };
            let best = all.iter().min_by_key(|c| distance(c)).copied();
            return Ok(best.into_iter().collect());
        }
        Ok(all)
    }
}
