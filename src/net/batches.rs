//! Batching of concurrent evaluation requests.
//!
//! Reading the weights takes most of an evaluation with a large network, and a batch reads them only
//! once. So with such networks at most one batch per processor runs at a time. Requests that arrive
//! meanwhile queue up, and the first thread in the queue evaluates them together. Where batching
//! gains nothing, every request is evaluated immediately. The requesting threads do all the work;
//! no thread is there for batches alone.

use super::packed::Layers;
use super::planes::Features;
use super::server::{MOST_IN_REQUEST, Server};
use super::workspace::{Raw, Workspace};
use crate::util::locked;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Features of a position, and the network's raw outputs for it.
#[derive(Debug, Default)]
pub(super) struct Task {
    pub(super) features: Features,
    pub(super) raw: Raw,
}

/// What evaluates a batch: the server if there is one, otherwise the layers.
#[derive(Clone, Copy)]
pub(super) struct Backend<'a> {
    pub(super) layers: &'a Layers,
    pub(super) server: Option<&'a Server>,
}

impl Backend<'_> {
    /// Return the largest batch worth evaluating at once, for boards of `size` (columns, rows).
    pub(super) fn most_at_once(self, size: (usize, usize)) -> usize {
        match self.server {
            Some(_) => MOST_IN_REQUEST,
            None => self.layers.most_at_once(size),
        }
    }

    /// Return the number of leaves that a thread should evaluate at once on such boards: see
    /// [`Layers::leaves_at_once`]. A server gets its positions from many threads instead.
    pub(super) fn leaves_at_once(self, size: (usize, usize)) -> usize {
        match self.server {
            Some(_) => 1,
            None => self.layers.leaves_at_once(size),
        }
    }

    /// Evaluate positions on boards of one size; writes the outputs to `ws.raw`.
    fn forward(self, positions: &[&Features], ws: &mut Workspace) {
        match self.server {
            Some(server) => server.forward(positions, &mut ws.raw),
            None => self.layers.forward(positions, ws),
        }
    }
}

/// Maximum number of workspaces kept for reuse.
const SPARE: usize = 32;

/// Where a requesting thread waits.
#[derive(Debug, Default)]
pub(super) struct WaitSlot {
    message: Mutex<Option<Message>>,
    wake: Condvar,
}

/// Message to a waiting thread.
#[derive(Debug)]
enum Message {
    /// The tasks are done.
    Done(Vec<Task>),
    /// The thread must evaluate this batch; its own request is the first.
    Lead(Vec<Request>),
    /// The thread that led the batch failed; the tasks are unchanged.
    Returned(Vec<Task>),
}

/// A thread's tasks, for boards of one size.
#[derive(Debug)]
struct Request {
    slot: Arc<WaitSlot>,
    tasks: Vec<Task>,
}

impl Request {
    /// Columns and rows of the boards.
    fn size(&self) -> (usize, usize) {
        size(&self.tasks)
    }
}

/// Columns and rows of the boards of some tasks.
fn size(tasks: &[Task]) -> (usize, usize) {
    tasks.first().map_or((1, 1), |task| task.features.size)
}

impl WaitSlot {
    fn send(&self, message: Message) {
        *locked(&self.message) = Some(message);
        self.wake.notify_one();
    }

    fn wait(&self) -> Message {
        let mut lock = locked(&self.message);
        loop {
            match lock.take() {
                Some(message) => return message,
                None => lock = self.wake.wait(lock).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// Queue of requests and count of running batches.
pub(super) struct Batches {
    queue: Mutex<Queue>,
}

struct Queue {
    /// Maximum number of batches running at once.
    most: usize,
    running: usize,
    /// Empty while `running < most`, unless the limit was raised since the last batch ended.
    waiting: VecDeque<Request>,
    /// Workspaces not in use.
    spare: Vec<Workspace>,
}

impl Queue {
    /// Take the first waiting request and others of the same board size.
    fn batch(&mut self, backend: Backend<'_>) -> Option<Vec<Request>> {
        let first = self.waiting.pop_front()?;
        let most = backend.most_at_once(first.size());
        let (size, mut positions) = (first.size(), first.tasks.len());
        let mut batch = vec![first];
        let mut at = 0;
        while at < self.waiting.len() && positions < most {
            let (request, all) = (&self.waiting[at], positions + self.waiting[at].tasks.len());
            if request.size() == size && all <= most {
                positions = all;
                batch.extend(self.waiting.remove(at));
            } else {
                at += 1;
            }
        }
        Some(batch)
    }

    /// Keep a workspace for reuse. Drop the oldest above [`SPARE`], since board sizes
    /// change from game to game.
    fn give_back(&mut self, workspace: Workspace) {
        self.spare.push(workspace);
        let excess = self.spare.len().saturating_sub(SPARE);
        self.spare.drain(..excess);
    }

    /// Take a spare workspace for this board size.
    fn spare(&mut self, size: (usize, usize)) -> Option<Workspace> {
        let at = self.spare.iter().position(|ws| ws.size() == size)?;
        Some(self.spare.remove(at))
    }
}

/// A running batch. When it ends, the longest-waiting requests lead further batches, as many as
/// the limit allows.
struct RunningBatch<'a> {
    backend: Backend<'a>,
    batches: &'a Batches,
    /// Requests of the batch that are not answered yet.
    batch: Vec<Request>,
    workspace: Option<Workspace>,
}

impl Drop for RunningBatch<'_> {
    fn drop(&mut self) {
        // The first request belongs to this thread.
        for request in self.batch.drain(..).skip(1) {
            request.slot.send(Message::Returned(request.tasks));
        }
        let mut queue = locked(&self.batches.queue);
        if let Some(workspace) = self.workspace.take() {
            queue.give_back(workspace);
        }
        queue.running -= 1;
        while queue.running < queue.most
            && let Some(batch) = queue.batch(self.backend)
            && let Some(first) = batch.first()
        {
            queue.running += 1;
            first.slot.clone().send(Message::Lead(batch));
        }
    }
}

impl Batches {
    /// Allow at most `most` (at least 1) batches at once.
    pub(super) fn new(most: usize) -> Batches {
        Batches {
            queue: Mutex::new(Queue {
                most: most.max(1),
                running: 0,
                waiting: VecDeque::new(),
                spare: Vec::new(),
            }),
        }
    }

    /// Change the limit to `most` (at least 1) batches at once.
    pub(super) fn limit(&self, most: usize) {
        locked(&self.queue).most = most.max(1);
    }

    /// Evaluate a thread's tasks, for boards of one size, possibly in a batch with those of others.
    pub(super) fn run(
        &self,
        backend: Backend<'_>,
        slot: &Arc<WaitSlot>,
        mut tasks: Vec<Task>,
    ) -> Vec<Task> {
        if backend.most_at_once(size(&tasks)) == 1 {
            return self.alone(backend, tasks);
        }
        loop {
            let request = Request {
                slot: slot.clone(),
                tasks,
            };
            let mut queue = locked(&self.queue);
            if queue.running < queue.most {
                queue.running += 1;
                drop(queue);
                return self.lead(backend, vec![request]);
            }
            queue.waiting.push_back(request);
            drop(queue);
            match slot.wait() {
                Message::Done(tasks) => return tasks,
                Message::Lead(batch) => return self.lead(backend, batch),
                Message::Returned(unchanged) => tasks = unchanged,
            }
        }
    }

    /// Evaluate a thread's tasks immediately, for boards where waiting for others gains nothing.
    fn alone(&self, backend: Backend<'_>, mut tasks: Vec<Task>) -> Vec<Task> {
        let size = size(&tasks);
        let known = locked(&self.queue).spare(size);
        let mut ws = known.unwrap_or_else(|| Workspace::new(backend.layers, size));
        evaluate(backend, tasks.iter_mut(), &mut ws);
        locked(&self.queue).give_back(ws);
        tasks
    }

    /// Evaluate a batch. Answer all requests except the first, and return the tasks of that one.
    fn lead(&self, backend: Backend<'_>, batch: Vec<Request>) -> Vec<Task> {
        let size = batch.first().map_or((1, 1), Request::size);
        let mut running = RunningBatch {
            backend,
            batches: self,
            batch,
            workspace: locked(&self.queue).spare(size),
        };
        let ws = running
            .workspace
            .get_or_insert_with(|| Workspace::new(backend.layers, size));
        let tasks = running.batch.iter_mut().flat_map(|r| &mut r.tasks);
        evaluate(backend, tasks, ws);
        let mut done = running.batch.drain(..);
        let own = done.next().map(|request| request.tasks).unwrap_or_default();
        for request in done {
            request.slot.send(Message::Done(request.tasks));
        }
        own
    }
}

/// Evaluate tasks together.
fn evaluate<'a>(
    backend: Backend<'_>,
    tasks: impl Iterator<Item = &'a mut Task>,
    ws: &mut Workspace,
) {
    let mut tasks: Vec<&mut Task> = tasks.collect();
    let features: Vec<&Features> = tasks.iter().map(|task| &task.features).collect();
    backend.forward(&features, ws);
    for (task, raw) in tasks.iter_mut().zip(&mut ws.raw) {
        std::mem::swap(&mut task.raw, raw);
    }
}
