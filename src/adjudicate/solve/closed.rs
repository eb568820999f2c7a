//! The check of a failure: the state must be in a set of states that the prover cannot leave, none
//! of which reaches the goal.

use super::numbers::Numbers;
use super::{Entry, Handle, Set, Solver, Unsettled};
use crate::adjudicate::play::{State, Step};

impl Solver {
    /// Does the state fail, according to a search without a check?
    fn fails(&mut self, at: Handle, s: &State, depth: u32) -> Result<bool, Unsettled> {
        Ok(self.settled(at, s, depth + 1)?.disproof == 0)
    }

    /// Is this failed state in a set of failed states that the prover cannot leave? If not, discard
    /// the results of the visited states, except proofs and checked failures.
    pub(super) fn is_closed(
        &mut self,
        at: Handle,
        root: &State,
        depth: u32,
    ) -> Result<bool, Unsettled> {
        let mut seen = Set::default();
        let mut open = vec![*root];
        seen.insert(*root);
        let mut sound = true;
        while let Some(s) = open.pop()
            && sound
        {
            if self.entry(at, &s).is_some_and(|e| e.closed) {
                continue;
            }
            self.spend()?;
            let children = self.children(at, &s);
            if s.to_move == at.goal.prover() {
                for (_, child) in children {
                    if !self.fails(at, &child, depth)? {
                        sound = false;
                        break;
                    }
                    if seen.insert(child) {
                        open.push(child);
                    }
                }
            } else {
                match self.answer(at, &children, &seen, depth)? {
                    Some(child) => {
                        if seen.insert(child) {
                            open.push(child);
                        }
                    }
                    None => sound = false,
                }
            }
        }
        for s in &seen {
            self.set(at, s, |e| {
                if sound {
                    e.closed = true;
                } else if !e.closed && e.numbers.proof != 0 {
                    e.numbers = Numbers::NEW;
                    // Perhaps only one of its children was kept, so examine them again.
                    e.children = (0, 0);
                }
            });
        }
        Ok(sound)
    }

    /// A child that fails, preferably one that is checked or already in the set. One is enough,
    /// since the opponent chooses the move.
    fn answer(
        &mut self,
        at: Handle,
        children: &[(Step, State)],
        seen: &Set,
        depth: u32,
    ) -> Result<Option<State>, Unsettled> {
        let fails = |e: Option<Entry>| e.is_some_and(|e| e.numbers.disproof == 0);
        let known = children
            .iter()
            .map(|c| c.1)
            .filter(|c| fails(self.entry(at, c)))
            .max_by_key(|c| {
                (
                    self.entry(at, c).is_some_and(|e| e.closed),
                    seen.contains(c),
                )
            });
        if known.is_some() {
            return Ok(known);
        }
        for (_, child) in children {
            if self.fails(at, child, depth)? {
                return Ok(Some(*child));
            }
        }
        Ok(None)
    }
}
