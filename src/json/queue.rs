//! What waits to be searched, the most urgent first, and what is being searched.

use super::query::Query;
use crate::types::locked;
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{self, AtomicBool};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Most positions that wait.
pub const MOST: usize = 200_000;

/// A turn of a game to be searched.
#[derive(Clone, Debug)]
pub struct Task {
    /// The query that asks for it.
    pub query: Arc<Query>,
    /// Which turn.
    pub turn: usize,
    /// Searched before all of lower priority.
    pub priority: i64,
    /// Searched before all of the same priority that came later.
    number: u64,
    /// Is it to end?
    pub stop: Arc<AtomicBool>,
}

impl Ord for Task {
    /// The most urgent one is the least.
    fn cmp(&self, other: &Task) -> Ordering {
        let urgency = other.priority.cmp(&self.priority);
        urgency.then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Task {
    fn partial_cmp(&self, other: &Task) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Task {
    fn eq(&self, other: &Task) -> bool {
        self.number == other.number
    }
}

impl Eq for Task {}

#[derive(Debug, Default)]
struct State {
    waiting: BTreeSet<Task>,
    running: HashMap<u64, Task>,
    /// Tasks so far.
    count: u64,
    closed: bool,
}

/// Shared by who reads queries and who searches.
#[derive(Debug, Default)]
pub struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

/// Which tasks are meant.
#[derive(Debug)]
pub struct Selection {
    /// Of the query of this id alone.
    pub id: Option<String>,
    /// At these turns alone.
    pub turns: Option<Vec<i64>>,
}

impl Selection {
    fn includes(&self, task: &Task) -> bool {
        let id = self.id.as_ref().is_none_or(|id| *id == task.query.id);
        let turns = self.turns.as_ref();
        id && turns.is_none_or(|turns| turns.contains(&(task.turn as i64)))
    }
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }

    /// Put all turns of a query in line. False, and none of them, if that would be more
    /// than [`MOST`].
    pub fn add(&self, query: Query) -> bool {
        let query = Arc::new(query);
        let mut state = self.state();
        if state.waiting.len() + query.turns.len() > MOST {
            return false;
        }
        for &(turn, priority) in &query.turns {
            state.count += 1;
            let number = state.count;
            state.waiting.insert(Task {
                query: query.clone(),
                turn,
                priority,
                number,
                stop: Arc::default(),
            });
        }
        drop(state);
        self.changed.notify_all();
        true
    }

    /// The most urgent task, and how many are being searched or wait, itself included;
    /// waits for one. `None` when all is done and no more will come.
    pub fn next(&self) -> Option<(Task, usize)> {
        let mut state = self.state();
        loop {
            if let Some(task) = state.waiting.pop_first() {
                state.running.insert(task.number, task.clone());
                let busy = state.running.len() + state.waiting.len();
                return Some((task, busy));
            }
            if state.closed {
                return None;
            }
            let woken = self.changed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A task has been answered.
    pub fn done(&self, task: &Task) {
        self.state().running.remove(&task.number);
    }

    /// End tasks: those under way are told to stop; those that wait are taken out and
    /// returned, in the order in which they came.
    pub fn terminate(&self, which: &Selection) -> Vec<Task> {
        let mut state = self.state();
        for task in state.running.values().filter(|t| which.includes(t)) {
            task.stop.store(true, atomic::Ordering::Relaxed);
        }
        let selected = |task: &&Task| which.includes(task);
        let mut removed: Vec<Task> = state.waiting.iter().filter(selected).cloned().collect();
        state.waiting.retain(|task| !which.includes(task));
        removed.sort_by_key(|t| t.number);
        removed
    }

    /// No more tasks will come.
    pub fn close(&self) {
        self.state().closed = true;
        self.changed.notify_all();
    }
}
