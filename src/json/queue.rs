//! The turns waiting to be searched, most urgent first, and those being searched.

use super::query::Query;
use crate::util::locked;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Maximum number of waiting positions.
pub const MAX_WAITING: usize = 200_000;

/// A turn to search.
#[derive(Clone, Debug)]
pub struct Task {
    /// The query.
    pub query: Arc<Query>,
    /// The turn.
    pub turn: usize,
    /// Order of arrival.
    number: u64,
    /// Set to end the search.
    pub stop: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct State {
    /// By priority, the highest first, then in order of arrival.
    waiting: BTreeMap<(Reverse<i64>, u64), Task>,
    running: HashMap<u64, Task>,
    /// Number of tasks so far.
    count: u64,
    closed: bool,
}

/// The queue, shared by the reader and the searching threads.
#[derive(Debug, Default)]
pub struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

/// A selection of tasks.
#[derive(Debug)]
pub struct Selection {
    /// Only tasks of the query with this id; `None` selects all.
    pub id: Option<String>,
    /// Only these turns; `None` selects all.
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

    /// Add all turns of a query. Returns false and adds none if more than [`MAX_WAITING`] would
    /// wait.
    pub fn add(&self, query: Query) -> bool {
        let query = Arc::new(query);
        let mut state = self.state();
        if state.waiting.len() + query.turns.len() > MAX_WAITING {
            return false;
        }
        for &(turn, priority) in &query.turns {
            state.count += 1;
            let number = state.count;
            let task = Task {
                query: query.clone(),
                turn,
                number,
                stop: Arc::default(),
            };
            state.waiting.insert((Reverse(priority), number), task);
        }
        drop(state);
        self.changed.notify_all();
        true
    }

    /// Wait for a task and take the most urgent one. Also returns the number of tasks waiting
    /// or being searched, including this one. `None` if the queue is empty and closed.
    pub fn next(&self) -> Option<(Task, usize)> {
        let mut state = self.state();
        loop {
            if let Some((_, task)) = state.waiting.pop_first() {
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

    /// Remove a task that has been answered.
    pub fn done(&self, task: &Task) {
        self.state().running.remove(&task.number);
    }

    /// End the selected tasks: stop those being searched, and remove and return those waiting,
    /// in order of arrival.
    pub fn terminate(&self, which: &Selection) -> Vec<Task> {
        let mut state = self.state();
        for task in state.running.values().filter(|t| which.includes(t)) {
            task.stop.store(true, Relaxed);
        }
        let selected = |task: &&Task| which.includes(task);
        let mut removed: Vec<Task> = state.waiting.values().filter(selected).cloned().collect();
        state.waiting.retain(|_, task| !which.includes(task));
        removed.sort_by_key(|t| t.number);
        removed
    }

    /// Close the queue: no more tasks will be added.
    pub fn close(&self) {
        self.state().closed = true;
        self.changed.notify_all();
    }
}
