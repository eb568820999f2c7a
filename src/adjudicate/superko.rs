//! Superko in hypothetical play: which positions may not come again, and whether an
//! answer that was found without that rule holds under it too.

use super::goal::{Goal, Verdict};
use super::play::{State, Step};
use super::region::Bits;
use super::solve::{Handle, Hasher, Solver, Unsettled};
use crate::rules::KoRule;
use crate::types::Color;
use std::collections::{HashMap, HashSet};

/// A position of a region in the game before hypothetical play: who left it, and the stones.
pub type Left = (Color, [Bits; 2]);

/// What may not come again: stones by colour and, if it matters, the player to move.
type Situation = ([Bits; 2], Option<Color>);

/// The ways by which states were reached, each a step longer than another.
#[derive(Debug)]
pub struct History {
    rule: KoRule,
    /// The way that it goes on from, by number, and where it leads. The first leads
    /// nowhere.
    ways: Vec<(u32, Situation)>,
    numbers: HashMap<(u32, Situation), u32, Hasher>,
    /// The way through the earlier positions of the game.
    game: u32,
}

impl History {
    /// For a rule under which something may not come again, after these positions of the game;
    /// `None` if it is not one.
    pub fn of(rule: KoRule, earlier: &[Left]) -> Option<History> {
        if rule == KoRule::Simple {
            return None;
        }
        let mut history = History {
            rule,
            ways: vec![(0, ([0; 2], None))],
            numbers: HashMap::default(),
            game: 0,
        };
        for (by, stones) in earlier {
            let what = (*stones, history.mover(by.opponent()));
            history.game = history.longer(history.game, what);
        }
        Some(history)
    }

    /// The player to move, if it matters.
    fn mover(&self, to_move: Color) -> Option<Color> {
        (!self.rule.is_positional()).then_some(to_move)
    }

    fn situation(&self, s: &State) -> Situation {
        (s.stones, self.mover(s.to_move))
    }

    fn contains(&self, mut way: u32, what: &Situation) -> bool {
        while way != 0 {
            let (before, situation) = &self.ways[way as usize];
            if situation == what {
                return true;
            }
            way = *before;
        }
        false
    }

    fn longer(&mut self, way: u32, what: Situation) -> u32 {
        let next = self.ways.len() as u32;
        let number = *self.numbers.entry((way, what)).or_insert(next);
        if number == next {
            self.ways.push((way, what));
        }
        number
    }

    /// The state with which hypothetical play begins. Both players have passed before it, so
    /// that either has left the position to the other.
    pub fn begin(&mut self, s: &State) -> State {
        let other = State {
            to_move: s.to_move.opponent(),
            ..*s
        };
        let way = self.longer(self.game, self.situation(&other));
        let way = self.longer(way, self.situation(s));
        State { way, ..*s }
    }

    /// The state after a step, its way included; `None` if the rule forbids it.
    pub fn after(&mut self, step: Step, next: &State) -> Option<State> {
        let what = self.situation(next);
        let known = self.contains(next.way, &what);
        let way = match step {
            Step::Play(_) if known => return None,
            // Passes are never forbidden.
            Step::Pass | Step::KoPass(_) => match self.rule {
                KoRule::Spight => self.longer(0, what),
                _ if known => next.way,
                _ => self.longer(next.way, what),
            },
            Step::Play(_) => self.longer(next.way, what),
        };
        Some(State { way, ..*next })
    }
}

/// What an answer rests on: the positions of its play, and which follows which by a play.
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

    /// Can a position follow upon itself? Positions that nothing precedes are taken away
    /// until none is left (Kahn 1962).
    fn repeat(&self) -> bool {
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
    /// Could a position come again, of the game or of the play that an answer of
    /// [`Solver::solve`] rests on, whatever the loser tries? If not, it holds under any rule of
    /// superko: no move of it is ever forbidden, and the loser has fewer.
    ///
    /// # Errors
    /// [`Unsettled`] if that takes more than so many nodes.
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
        Ok(grounds.repeat() || self.earlier().iter().any(came_before))
    }

    /// What the answer in a state rests on: the states after one move of the winner, or
    /// all of the loser, or other goals in the same state.
    fn grounds(
        &mut self,
        at: Handle,
        s: &State,
    ) -> Result<Vec<(Handle, Option<Step>, State)>, Unsettled> {
        let reached = self.search(at, s, 0)?;
        let owner = at.goal.owner();
        if self.entry(at, s).is_some_and(|e| e.terminal) {
            return match self.question(at).verdict(s) {
                Verdict::Captured => Ok(vec![(self.handle(at.goal.lasting()), None, *s)]),
                Verdict::MayLast(new) => {
                    let bare = State { fresh: 0, ..*s };
                    let chains = match self.lasting(s, at.goal, new, 0)? {
                        Some(chain) => vec![chain],
                        None => self.chains_with(s, owner, new),
                    };
                    let captures = chains.into_iter().map(|c| Goal::capture(owner, c));
                    Ok(captures.map(|g| (self.handle(g), None, bare)).collect())
                }
                Verdict::Settled(_) | Verdict::Open => Ok(Vec::new()),
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
            // The shortest way to the goal. What does not reach it needs none.
            let distance = |c: &(Handle, Option<Step>, State)| {
                self.entry(at, &c.2).map_or(u16::MAX, |e| e.distance)
            };
            let best = all.iter().min_by_key(|c| distance(c)).copied();
            return Ok(best.into_iter().collect());
        }
        Ok(all)
    }
}
