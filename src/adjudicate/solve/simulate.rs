//! Simulation: the refutation of one move is tried on the other moves (Kawano 1996).

use super::numbers::Numbers;
use super::{CHILD, Entry, Handle, Solver, StateId, Unsettled};

impl Solver {
    /// Try the refutation of a move on the other moves of the same state (Kawano 1996). A move that
    /// changes nothing important then costs no search.
    pub(super) fn simulate_siblings(
        &mut self,
        at: Handle,
        children: (u32, u16),
        refuted: StateId,
        depth: u32,
    ) -> Result<(), Unsettled> {
        if !self.shortcuts {
            return Ok(());
        }
        let (first, count) = children;
        for i in first..first + u32::from(count) {
            let table = &self.tables[at.table];
            let other = table.children[i as usize];
            let entry = table.entries[other as usize];
            if !entry.numbers.is_settled() && !entry.on_path {
                self.simulate(at, refuted, other, depth + 1)?;
            }
        }
        Ok(())
    }

    /// Try to win state `to` by the moves with which the player to move wins state `from`. Returns
    /// whether they suffice.
    fn simulate(
        &mut self,
        at: Handle,
        from: StateId,
        to: StateId,
        depth: u32,
    ) -> Result<bool, Unsettled> {
        let table = &self.tables[at.table];
        let (model, known) = (table.entries[from as usize], table.entries[to as usize]);
        let s = table.states[to as usize];
        let proving = s.to_move == at.goal.prover();
        let won = |e: Entry| e.seen().of_mover(proving).0 == 0;
        if known.seen().is_settled() {
            return Ok(won(known));
        }
        let played = table.states[from as usize];
        let winning = table.children_of(model.children).iter();
        let winning = winning.map(|&n| (n, table.entries[n as usize]));
        let winning = winning.filter(|&(_, e)| e.numbers.of_mover(proving).0 == 0);
        let Some((answer, _)) = winning.min_by_key(|&(_, e)| e.distance) else {
            return Ok(false);
        };
        let step = played.step_to(&table.states[answer as usize]);
        let Some(next) = self.pursuit(at).after(&s, step) else {
            return Ok(false);
        };
        self.tables[at.table].entries[to as usize].on_path = true;
        let next = self.id_of(at, &next, depth + 1)?;
        let wins = self.simulate_replies(at, answer, next, depth + 1)?;
        let table = &mut self.tables[at.table];
        table.entries[to as usize].on_path = false;
        if wins {
            let first = table.children.len() as u32;
            table.children.push(next);
            self.bytes += CHILD;
            let distance = match proving {
                true => table.entries[next as usize].distance.saturating_add(1),
                false => 0,
            };
            let entry = &mut table.entries[to as usize];
            entry.numbers = Numbers::of(proving);
            entry.distance = distance;
            entry.children = (first, 1);
        }
        Ok(wins)
    }

    /// Do the same as [`Solver::simulate`] for a state that the player to move loses: each of its
    /// moves must have an answer. Returns whether that player loses `to`.
    fn simulate_replies(
        &mut self,
        at: Handle,
        from: StateId,
        to: StateId,
        depth: u32,
    ) -> Result<bool, Unsettled> {
        let table = &self.tables[at.table];
        let (model, known) = (table.entries[from as usize], table.entries[to as usize]);
        let s = table.states[to as usize];
        let proving = s.to_move == at.goal.prover();
        if known.seen().is_settled() {
            return Ok(known.seen().of_mover(proving).1 == 0);
        }
        if model.children.1 == 0 {
            return Ok(false);
        }
        let played = table.states[from as usize];
        if known.children.1 == 0 {
            let found = self.expand_children(at, &s, proving, depth)?;
            self.tables[at.table].entries[to as usize].children = found;
        }
        self.tables[at.table].entries[to as usize].on_path = true;
        let table = &self.tables[at.table];
        let (first, count) = table.entries[to as usize].children;
        let mut lost = true;
        for i in first..first + u32::from(count) {
            let table = &self.tables[at.table];
            let child = table.children[i as usize];
            let seen = table.entries[child as usize].seen();
            if seen.is_settled() {
                lost = seen.of_mover(proving).1 == 0;
            } else {
                let step = s.step_to(&table.states[child as usize]);
                let models = table.children_of(model.children).iter();
                let same = |n: &StateId| played.step_to(&table.states[*n as usize]) == step;
                lost = match models.copied().find(same) {
                    Some(model) => self.simulate(at, model, child, depth + 1)?,
                    None => false,
                };
            }
            if !lost {
                break;
            }
        }
        let distance = match lost && !proving {
            true => self.distance(at, (first, count), proving),
            false => 0,
        };
        let entry = &mut self.tables[at.table].entries[to as usize];
        entry.on_path = false;
        if lost {
            entry.numbers = Numbers::of(!proving);
            entry.distance = distance;
        }
        Ok(lost)
    }
}
