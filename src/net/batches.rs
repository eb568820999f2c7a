//! Evaluations that several threads ask for at once, made together.
//!
//! Weights are most of what an evaluation reads, on small boards nearly all of it. So no
//! more evaluations are under way than there are processors, and what is asked for
//! meanwhile waits, to be evaluated together by the first that gets its turn. Whoever
//! asks does the work for those that wait with it; there is no thread that serves.

use super::forward::Features;
use super::packed::Layers;
use super::server::{MOST_IN_REQUEST, Server};
use super::workspace::{Raw, Workspace};
use crate::types::locked;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Features of a position, and what a network says of it.
#[derive(Debug, Default)]
pub(super) struct Task {
    pub(super) features: Features,
    pub(super) raw: Raw,
}

/// What evaluates a batch: a server if there is one, or else the layers.
#[derive(Clone, Copy)]
pub(super) struct Backend<'a> {
    pub(super) layers: &'a Layers,
    pub(super) server: Option<&'a Server>,
}

impl Backend<'_> {
    /// The largest batch worth evaluating at once, for boards of `size` columns and rows.
    pub(super) fn most_at_once(self, size: (usize, usize)) -> usize {
        match self.server {
            Some(_) => MOST_IN_REQUEST,
            None => self.layers.most_at_once(size),
        }
    }

    /// Evaluate positions on boards of one size; the outputs are in `ws.raw`.
    fn forward(self, positions: &[&Features], ws: &mut Workspace) {
        match self.server {
            Some(server) => server.forward(positions, &mut ws.raw),
            None => self.layers.forward(positions, ws),
        }
    }
}

/// Workspaces that are kept for later at most.
const SPARE: usize = 32;

/// Where one that asks waits.
#[derive(Debug, Default)]
pub(super) struct Seat {
    news: Mutex<Option<News>>,
    told: Condvar,
}

/// What is told to one that waits.
#[derive(Debug)]
enum News {
    /// Its task is done.
    Done(Task),
    /// It is to evaluate these, of which its own is the first.
    Turn(Vec<Asked>),
    /// Whoever was to evaluate it has failed: it is as it was.
    Back(Task),
}

#[derive(Debug)]
struct Asked {
    seat: Arc<Seat>,
    task: Task,
}

impl Seat {
    fn tell(&self, news: News) {
        *locked(&self.news) = Some(news);
        self.told.notify_one();
    }

    fn wait(&self) -> News {
        let mut news = locked(&self.news);
        loop {
            match news.take() {
                Some(news) => return news,
                None => news = self.told.wait(news).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// What is asked for and who is at work.
pub(super) struct Batches {
    queue: Mutex<Queue>,
}

struct Queue {
    /// Batches under way at most.
    most: usize,
    under_way: usize,
    /// Nobody waits unless as many as may be are at work.
    waiting: VecDeque<Asked>,
    /// Workspaces that nobody uses at present.
    spare: Vec<Workspace>,
}

impl Queue {
    /// The first that waits, and others of the same size.
    fn batch(&mut self, backend: Backend<'_>) -> Option<Vec<Asked>> {
        let size = self.waiting.front()?.task.features.size;
        let most = backend.most_at_once(size);
        let mut batch = Vec::with_capacity(most);
        let mut at = 0;
        while at < self.waiting.len() && batch.len() < most {
            if self.waiting[at].task.features.size == size {
                batch.extend(self.waiting.remove(at));
            } else {
                at += 1;
            }
        }
        Some(batch)
    }

    /// Keep a workspace for later. Sizes change from game to game: the oldest are dropped.
    fn give_back(&mut self, workspace: Workspace) {
        self.spare.push(workspace);
        let superfluous = self.spare.len().saturating_sub(SPARE);
        self.spare.drain(..superfluous);
    }

    /// A workspace for a size, if there is one to spare.
    fn spare(&mut self, size: (usize, usize)) -> Option<Workspace> {
        let at = self.spare.iter().position(|ws| ws.size() == size)?;
        Some(self.spare.swap_remove(at))
    }
}

/// A turn that has begun. When it ends, whoever waits longest gets the next one.
struct Turn<'a> {
    backend: Backend<'a>,
    batches: &'a Batches,
    /// Those of the batch that have not been told.
    batch: Vec<Asked>,
    workspace: Option<Workspace>,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // The first is whoever leads.
        for asked in self.batch.drain(..).skip(1) {
            asked.seat.tell(News::Back(asked.task));
        }
        let mut queue = locked(&self.batches.queue);
        if let Some(workspace) = self.workspace.take() {
            queue.give_back(workspace);
        }
        match queue.batch(self.backend) {
            Some(batch) => {
                drop(queue);
                if let Some(first) = batch.first() {
                    first.seat.clone().tell(News::Turn(batch));
                }
            }
            None => queue.under_way -= 1,
        }
    }
}

impl Batches {
    /// At most so many, at least 1, under way at once.
    pub(super) fn new(most: usize) -> Batches {
        Batches {
            queue: Mutex::new(Queue {
                most: most.max(1),
                under_way: 0,
                waiting: VecDeque::new(),
                spare: Vec::new(),
            }),
        }
    }

    /// At most so many, at least 1, under way at once from now on.
    pub(super) fn limit(&self, most: usize) {
        locked(&self.queue).most = most.max(1);
    }

    /// Evaluate a task, alone or with others.
    pub(super) fn run(&self, backend: Backend<'_>, seat: &Arc<Seat>, mut task: Task) -> Task {
        if backend.most_at_once(task.features.size) == 1 {
            return self.alone(backend, task);
        }
        loop {
            let asked = Asked {
                seat: seat.clone(),
                task,
            };
            let mut queue = locked(&self.queue);
            if queue.under_way < queue.most {
                queue.under_way += 1;
                drop(queue);
                return self.lead(backend, vec![asked]);
            }
            queue.waiting.push_back(asked);
            drop(queue);
            match seat.wait() {
                News::Done(task) => return task,
                News::Turn(batch) => return self.lead(backend, batch),
                News::Back(back) => task = back,
            }
        }
    }

    /// Evaluate a task where to wait for others gains nothing.
    fn alone(&self, backend: Backend<'_>, mut task: Task) -> Task {
        let size = task.features.size;
        let known = locked(&self.queue).spare(size);
        let mut ws = known.unwrap_or_else(|| Workspace::new(backend.layers, size));
        backend.forward(&[&task.features], &mut ws);
        if let Some(raw) = ws.raw.first_mut() {
            std::mem::swap(&mut task.raw, raw);
        }
        locked(&self.queue).give_back(ws);
        task
    }

    /// Evaluate a batch and tell all but the first, whose task is returned.
    fn lead(&self, backend: Backend<'_>, batch: Vec<Asked>) -> Task {
        let size = batch.first().map_or((1, 1), |a| a.task.features.size);
        let mut turn = Turn {
            backend,
            batches: self,
            batch,
            workspace: locked(&self.queue).spare(size),
        };
        let ws = turn
            .workspace
            .get_or_insert_with(|| Workspace::new(backend.layers, size));
        let features: Vec<&Features> = turn.batch.iter().map(|a| &a.task.features).collect();
        backend.forward(&features, ws);
        for (asked, raw) in turn.batch.iter_mut().zip(&mut ws.raw) {
            std::mem::swap(&mut asked.task.raw, raw);
        }
        let mut done = turn.batch.drain(..);
        let own = done.next().map(|asked| asked.task).unwrap_or_default();
        for asked in done {
            asked.seat.tell(News::Done(asked.task));
        }
        own
    }
}
