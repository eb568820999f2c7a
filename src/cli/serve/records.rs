//! Records to review, score or solve, one after the other. The resulting pages are kept for a
//! while.

use super::games::ResumedGame;
use super::{BROKEN, color, value_of};
use crate::analysis::{Analyst, Limits};
use crate::cli::analyze::{AnalysisSettings, VariationLimits, positions_of};
use crate::cli::{pages, score, solve};
use crate::gtp::vertex;
use crate::page::{self, Listed, Served, players};
use crate::player::{Engine, Settings};
use crate::position::Position;
use crate::sgf::{self, GameRecord};
use crate::types::{Color, Move, Point};
use crate::util::locked;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

/// Maximum number of records kept, including those that wait; a new one replaces the oldest
/// that is done.
const KEPT: usize = 16;

/// Maximum number of records that wait.
const WAITING: usize = 4;

/// Maximum number of moves of a record, and of its set-up properties: each may need a board.
const MOVES: usize = 1000;
const SET_UPS: usize = 2000;

/// Visits of each position in a review: default and maximum.
const VISITS: u64 = 200;
const MOST_VISITS: u64 = 10_000;

/// What a review shows of each position.
const SHOWN: VariationLimits = VariationLimits {
    variations: 3,
    length: 10,
};

/// Progress of the work on a record.
#[derive(Clone, Debug)]
pub(super) enum State {
    Waiting,
    /// Number of analysed positions, and of all positions; both 0 if they are not counted.
    Running(usize, usize),
    /// The page.
    Done(Arc<str>),
    /// A record was read to play on: its number of moves, and the player to move.
    Read(usize, Color),
    Failed(Arc<str>),
}

impl State {
    pub fn in_words(&self) -> String {
        match self {
            State::Waiting => "waiting for another record".to_owned(),
            State::Running(_, 0) => "being worked on".to_owned(),
            State::Running(done, of) => format!("{done} of {of} positions are analysed"),
            State::Done(_) => "done".to_owned(),
            State::Read(moves, _) => format!("{moves} moves"),
            State::Failed(why) => why.to_string(),
        }
    }

    /// The address of the result, once there is one.
    fn address(&self, number: impl fmt::Display) -> Option<String> {
        match self {
            State::Done(_) => Some(format!("/records/{number}")),
            State::Read(moves, next) => Some(page::play_on(number, *moves, *next)),
            State::Waiting | State::Running(..) | State::Failed(_) => None,
        }
    }

    fn stopped() -> State {
        State::Failed("Stopped.".into())
    }

    /// The state for the script of a page, with the note about the record.
    fn data(&self, number: &str, note: Option<&str>) -> Value {
        let (done, of) = match self {
            State::Running(done, of) => (*done, *of),
            _ => (0, 0),
        };
        let (text, address) = (self.in_words(), self.address(number));
        json!({ "text": text, "note": note, "done": done, "of": of, "address": address })
    }
}

/// The task for a record.
#[derive(Clone, Copy, Debug)]
enum Work {
    Review {
        visits: u64,
    },
    Score,
    /// The player who moves first (default: the record's) and a stone of the group in question
    /// (default: the enclosed group).
    Solve {
        first: Option<Color>,
        group: Option<Point>,
    },
    Play,
}

impl Work {
    /// Read a task from its name and a query such as `visits=N`.
    ///
    /// # Errors
    /// A sentence that says what is wrong with a value.
    fn read(task: &str, query: &str) -> Result<Work, String> {
        let value = |name| value_of(query, name);
        Ok(match task {
            "review" => Work::Review {
                visits: value("visits").map_or(Ok(VISITS), visits)?,
            },
            "score" => Work::Score,
            "play" => Work::Play,
            _ => Work::Solve {
                first: value("color").map(color).transpose()?,
                group: value("group").map(point).transpose()?,
            },
        })
    }

    /// What is odd about a record, and for a review what is left out. `None` if nothing is.
    fn note(self, record: &GameRecord) -> Option<String> {
        let left_out = match self {
            Work::Review { .. } => record.left_out(),
            Work::Score | Work::Solve { .. } | Work::Play => None,
        };
        let notes: Vec<String> = record.oddities().into_iter().chain(left_out).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}

/// A record and the state of the work on it.
#[derive(Debug)]
struct Entry {
    /// The players and the task.
    title: String,
    /// See [`Work::note`].
    note: Option<String>,
    bytes: Arc<[u8]>,
    state: State,
    /// The work, while it waits for its turn.
    job: Option<Box<Job>>,
    stop: Arc<AtomicBool>,
}

/// A record to work on.
#[derive(Debug)]
struct Job {
    number: u32,
    work: Work,
    record: GameRecord,
    note: Option<String>,
    stop: Arc<AtomicBool>,
}

impl Job {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The record, for its page.
    fn served(&self) -> Served<'_> {
        Served {
            number: self.number,
            note: self.note.as_deref(),
        }
    }
}

type Entries = Arc<Mutex<BTreeMap<u32, Entry>>>;

/// The records of this server.
#[derive(Debug)]
pub(super) struct Records {
    to_worker: Sender<u32>,
    entries: Entries,
    settings: Settings,
}

impl Records {
    /// Create the records, their worker, and the queue of the numbers of its records.
    pub fn new(analyst: Analyst, settings: Settings) -> (Records, RecordWorker, Receiver<u32>) {
        let (to_worker, numbers) = channel();
        let entries = Entries::default();
        let worker = RecordWorker {
            analyst,
            settings: settings.clone(),
            entries: entries.clone(),
        };
        let records = Records {
            to_worker,
            entries,
            settings,
        };
        (records, worker, numbers)
    }

    /// Accept a record. Returns its number.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it, or that there are too many.
    pub fn add(&self, task: &str, query: &str, bytes: Arc<[u8]>) -> Result<Value, String> {
        let work = Work::read(task, query)?;
        let record = read(&bytes, work, &self.settings)?;
        let title = format!("{}, {task}", players(&record.info));
        let note = work.note(&record);
        let stop = Arc::new(AtomicBool::new(false));
        let mut entries = locked(&self.entries);
        let number = entries.last_key_value().map_or(1, |(last, _)| last + 1);
        let (state, job) = match work {
            Work::Play => {
                let moves = positions_of(&record.position) - record.position.parts().count();
                (State::Read(moves, record.position.to_move()), None)
            }
            _ if entries.values().filter(|e| e.job.is_some()).count() >= WAITING => {
                return Err(format!(
                    "{WAITING} records are waiting already: try again later."
                ));
            }
            _ => {
                self.to_worker.send(number).map_err(|_| BROKEN)?;
                let job = Job {
                    number,
                    work,
                    record,
                    note: note.clone(),
                    stop: stop.clone(),
                };
                (State::Waiting, Some(Box::new(job)))
            }
        };
        let is_done = |e: &Entry| !matches!(e.state, State::Waiting | State::Running(..));
        if entries.len() >= KEPT
            && let Some((&oldest, _)) = entries.iter().find(|(_, e)| is_done(e))
        {
            entries.remove(&oldest);
        }
        let entry = Entry {
            title,
            note,
            bytes,
            state,
            job,
            stop,
        };
        entries.insert(number, entry);
        Ok(json!({ "number": number }))
    }

    /// A record as it was sent.
    pub fn bytes(&self, number: &str) -> Option<Arc<[u8]>> {
        self.with(number, |e| e.bytes.clone())
    }

    /// The game of a record, to play on after move N if the query is `move=N`, otherwise from its
    /// last position. `None` if there is no record of this number.
    pub fn game(&self, number: &str, query: &str) -> Option<Result<ResumedGame, String>> {
        let bytes = self.bytes(number)?;
        let game = read(&bytes, Work::Play, &self.settings).and_then(|record| {
            let (position, info) = (record.position, record.info);
            let position = match value_of(query, "move") {
                None => position,
                Some(text) => text
                    .parse()
                    .ok()
                    .and_then(|n| after(&position, n))
                    .ok_or_else(|| format!("The record has no position after move {text}."))?,
            };
            Ok(ResumedGame { position, info })
        });
        Some(game)
    }

    /// The progress of a record; `None` if there is no record of this number.
    pub fn state(&self, number: &str) -> Option<State> {
        self.with(number, |e| e.state.clone())
    }

    /// The progress of a record, for the script of a page.
    pub fn progress(&self, number: &str) -> Option<Result<Value, String>> {
        self.with(number, |e| match &e.state {
            State::Failed(why) => Err(why.to_string()),
            state => Ok(state.data(number, e.note.as_deref())),
        })
    }

    /// Stop the work on a record. Returns false if there is no record of this number.
    pub fn stop(&self, number: &str) -> bool {
        let stop = |e: &mut Entry| {
            e.stop.store(true, Ordering::Relaxed);
            if e.job.take().is_some() {
                e.state = State::stopped();
            }
        };
        self.with(number, stop).is_some()
    }

    /// Call a function with the record of this number, if there is one.
    fn with<T>(&self, number: &str, call: impl FnOnce(&mut Entry) -> T) -> Option<T> {
        let number: u32 = number.parse().ok()?;
        locked(&self.entries).get_mut(&number).map(call)
    }

    /// All records, the newest first.
    pub fn list(&self) -> Vec<Listed> {
        let entries = locked(&self.entries);
        let listed = entries.iter().rev().map(|(number, entry)| Listed {
            address: match entry.state {
                State::Waiting | State::Running(..) => Some(page::progress(number)),
                State::Done(_) | State::Read(..) | State::Failed(_) => entry.state.address(number),
            },
            text: format!("{}: {}", entry.title, entry.state.in_words()),
        });
        listed.collect()
    }
}

/// Read a record within the limits.
fn read(bytes: &[u8], work: Work, settings: &Settings) -> Result<GameRecord, String> {
    if sgf::set_ups(bytes) > SET_UPS {
        return Err(format!(
            "The record sets up stones more than {SET_UPS} times."
        ));
    }
    let record = sgf::read(bytes, &settings.rules, Some(MOVES));
    let record = record.map_err(|e| format!("The record cannot be read: {e}"))?;
    if record.moves_in_record > MOVES {
        return Err(format!("The record has more than {MOVES} moves."));
    }
    match work {
        Work::Review { .. } | Work::Score | Work::Play => Ok(record),
        Work::Solve { first, group } => {
            let mut problem = solve::at_problem(record);
            if let Some(c) = first {
                problem.position.set_to_move(c);
            }
            let board = problem.position.board();
            match group.filter(|&p| !board.size().contains(p) || board.is_empty(p)) {
                Some(p) => Err(format!("There is no stone at {p}.")),
                None => Ok(problem),
            }
        }
    }
}

/// The position after the first `n` moves of a game and any set-up that follows them, as on the page
/// of a review. `None` if there are fewer moves.
fn after(game: &Position, mut n: usize) -> Option<Position> {
    let mut found = None;
    for part in game.parts() {
        let turns = part.turns().len();
        found = (n <= turns).then(|| part.at_turn(n));
        if n < turns {
            break;
        }
        n -= turns;
    }
    found
}

fn point(text: &str) -> Result<Point, String> {
    let point = vertex(text).and_then(Move::point);
    point.ok_or_else(|| format!("group {text}: expected a point such as D4"))
}

/// Visits of each position in a review.
fn visits(text: &str) -> Result<u64, String> {
    let number: Option<u64> = text.parse().ok().filter(|n| (1..=MOST_VISITS).contains(n));
    number.ok_or_else(|| format!("visits {text}: expected a number from 1 to {MOST_VISITS}"))
}

/// Change the state of a record.
fn set(entries: &Entries, number: u32, state: State) {
    if let Some(entry) = locked(entries).get_mut(&number) {
        entry.state = state;
    }
}

/// Works on records.
pub(super) struct RecordWorker {
    analyst: Analyst,
    settings: Settings,
    entries: Entries,
}

impl RecordWorker {
    /// Work on the record of this number, unless it has been stopped.
    pub fn handle(&mut self, number: u32) {
        let waiting = |entry: &mut Entry| {
            let job = entry.job.take()?;
            entry.state = State::Running(0, 0);
            Some(job)
        };
        let job = locked(&self.entries).get_mut(&number).and_then(waiting);
        let Some(job) = job else { return };
        let page = catch_unwind(AssertUnwindSafe(|| self.page(&job)));
        let broken = |_| Err(BROKEN.to_owned());
        let state = match page.unwrap_or_else(broken) {
            _ if job.is_stopped() => State::stopped(),
            Ok(page) => State::Done(page.into()),
            Err(why) => State::Failed(why.into()),
        };
        set(&self.entries, job.number, state);
    }

    /// Work on a record, and render its page.
    fn page(&mut self, job: &Job) -> Result<String, String> {
        match job.work {
            Work::Review { visits } => self.review(job, visits),
            Work::Score => self.score(job),
            Work::Solve { group, .. } => self.solve(job, group),
            Work::Play => Err("A record to play on has no page.".to_owned()),
        }
    }

    fn review(&mut self, job: &Job, visits: u64) -> Result<String, String> {
        let how = AnalysisSettings {
            limits: Limits {
                visits: Some(visits),
                ..Limits::default()
            },
            rules: None,
            seed: self.settings.seed,
            stop: job.stop.clone(),
        };
        let position = &job.record.position;
        let of = positions_of(position);
        let mut done = 0;
        let reports = how.reports(position, &mut self.analyst, |_| {
            done += 1;
            set(&self.entries, job.number, State::Running(done, of));
        });
        if job.is_stopped() {
            return Err("Stopped.".to_owned());
        }
        let review = how.review(&job.record, reports, SHOWN, &mut self.analyst);
        Ok(review.html("game-analyzed", Some(job.served())))
    }

    fn score(&mut self, job: &Job) -> Result<String, String> {
        let settings = Settings {
            evaluator: self.settings.evaluator.clone(),
            ..Settings::for_judging()
        };
        let mut engine = Engine::new(settings).map_err(|e| e.to_string())?;
        let scored = score::scored(&mut engine, job.record.clone(), true);
        let position = engine.position();
        Ok(pages::verdict(&scored, position, true, |verdict| {
            verdict.html(Some(job.served()))
        }))
    }

    fn solve(&mut self, job: &Job, group: Option<Point>) -> Result<String, String> {
        let position = job.record.position.clone();
        let question = self.settings.question(position, group.as_slice());
        let found = self.analyst.solve(&question, &job.stop);
        let found = found.ok_or("No group is in question.")?;
        let solved = solve::Solved::new(job.record.clone(), &question, &found, &job.stop);
        let title = format!("{} to play", found.first);
        Ok(solved.html(&title, Some(job.served())))
    }
}
