//! Superko in hypothetical play: which positions are forbidden, and whether an answer found
//! without that rule holds under it too.

use super::goal::Goal;
use super::play::{State, Step};
use super::pursuit::Outlook;
use super::region::Bits;
use super::solve::{Handle, Hasher, Solver, Unsettled};
use crate::rules::KoRule;
use crate::types::Color;
use std::collections::{HashMap, HashSet};

/// A position of a region earlier in the game: the player who moved to it, and the stones.
pub type Left = (Color, [Bits; 2]);

/// A position that must not repeat: stones by colour and, if it matters, the player to move.
type Unrepeatable = ([Bits; 2], Option<Color>);

/// The paths by which states were reached, as a tree of steps.
#[derive(Debug)]
pub struct History {
    rule: KoRule,
    /// Each path: the index of the path that it extends by a step, and the situation after that
    /// step. The first path is empty.
    paths: Vec<(u32, Unrepeatable)>,
    numbers: HashMap<(u32, Unrepeatable), u32, Hasher>,
    /// The path through the earlier positions of the game.
    game: u32,
}

impl History {
    /// Create a history under a superko rule, after these positions of the game; `None` for the
    /// simple ko rule.
    pub fn of(rule: KoRule, earlier: &[Left]) -> Option<History> {
        if rule == KoRule::Simple {
            return None;
        }
        let mut history = History {
            rule,
            paths: vec![(0, ([0; 2], None))],
            numbers: HashMap::default(),
            game: 0,
        };
        for (by, stones) in earlier {
            let what = (*stones, history.mover(by.opponent()));
            history.game = history.extend(history.game, what);
        }
        Some(history)
    }

    /// The player to move, if it matters.
    fn mover(&self, to_move: Color) -> Option<Color> {
        (!self.rule.is_positional()).then_some(to_move)
    }

    fn unrepeatable(&self, s: &State) -> Unrepeatable {
        (s.stones, self.mover(s.to_move))
    }

    fn contains(&self, mut path: u32, what: &Unrepeatable) -> bool {
        while path != 0 {
            let (before, situation) = &self.paths[path as usize];
            if situation == what {
                return true;
            }
            path = *before;
        }
        false
    }

    /// The path that extends another by a situation.
    fn extend(&mut self, path: u32, what: Unrepeatable) -> u32 {
        let next = self.paths.len() as u32;
        let number = *self.numbers.entry((path, what)).or_insert(next);
        if number == next {
            self.paths.push((path, what));
        }
        number
    }

    /// The start state of hypothetical play. Both players have passed before it, so the position
    /// has occurred with either to move.
    pub fn begin(&mut self, s: &State) -> State {
        let other = State {
            to_move: s.to_move.opponent(),
            ..*s
        };
        let way = self.extend(self.game, self.unrepeatable(&other));
        let way = self.extend(way, self.unrepeatable(s));
        State { way, ..*s }
    }

    /// The state after a step, with its path; `None` if superko forbids it.
    pub fn after(&mut self, step: Step, next: &State) -> Option<State> {
        let what = self.unrepeatable(next);
        let known = self.contains(next.way, &what);
        let way = match step {
            Step::Play(_) if known => return None,
            // Passes are never forbidden.
            Step::Pass | Step::KoPass(_) => match self.rule {
                KoRule::Spight => self.extend(0, what),
                _ if known => next.way,
                _ => self.extend(next.way, what),
            },
            Step::Play(_) => self.extend(next.way, what),
        };
        Some(State { way, ..*next })
    }
}

/// The positions of the play on which an answer rests, and their successors by a play.
#[derive(Default)]
struct Grounds {
    numbers: HashMap<[Bits; 2], u32, Hasher>,
    plays: Vec<Vec<u32>>,
}

impl Grounds {
    fn number(&mut self, s: &State) -> u32 {
        let next = self.plays.len() as u32;
        let number = *self.numbers.entry(s.stones).or_insert(next);
        if number == next {
            self.plays.push(Vec::new());
        }
        number
    }

    /// Is there a cycle? Positions without a predecessor are removed until none is left
    /// (Kahn 1962).
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
    /// Could a position repeat in the play on which an answer of [`Solver::solve`] rests, or a
    /// position of the game occur in it? If not, the answer holds under any superko rule: none of
    /// the winner's moves is ever forbidden, and the loser only has fewer.
    ///
    /// # Errors
    /// [`Unsettled`] if that takes more than `nodes` nodes.
    pub fn repeats(&mut self, goal: Goal, start: &State, nodes: u64) -> Result<bool, Unsettled> {
        self.allow(nodes);
        let mut grounds = Grounds::default();
        let at = self.handle(goal);
        let mut seen: HashSet<(Handle, State), Hasher> = HashSet::default();
        let mut open = vec![(at, *start)];
        seen.extend(&open);
        while let Some((at, s)) = open.pop() {
            self.spend()?;
            let from = grounds.number(&s);
            for (next_at, step, next) in self.grounds(at, &s)? {
                let to = grounds.number(&next);
                if matches!(step, Some(Step::Play(_))) {
                    grounds.plays[from as usize].push(to);
                }
                if seen.insert((next_at, next)) {
                    open.push((next_at, next));
                }
            }
        }
        let came_before = |&(_, stones): &Left| grounds.numbers.contains_key(&stones);
        Ok(grounds.has_cycle() || self.earlier().iter().any(came_before))
    }

    /// The states on which the answer in a state rests: after one move of the winner, after all
    /// moves of the loser, or the same state with other goals.
    fn grounds(
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
            // The shortest way to the goal; where the goal is missed, distances do not matter.
            let distance = |c: &(Handle, Option<Step>, State)| {
                self.entry(at, &c.2).map_or(u16::MAX, |e| e.distance)
            };
            let best = all.iter().min_by_key(|c| distance(c)).copied();
            return Ok(best.into_iter().collect());
        }
        Ok(all)
    }
}
