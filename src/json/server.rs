//! The server: reader, searches and writer.

use super::analysts::AnalysisServer;
use super::fields::{Diagnostic, Fields};
use super::output::{AnswerWriter, MOST_WAITING, write_lines};
use super::query::{Query, SOLVE};
use super::queue::{MAX_WAITING, Queue, Selection, Task};
use super::{action, answer};
use crate::analysis::{
    AnalysisReport, AnalysisRequest, Analyst, Complaint, Include, Limits, Observer,
};
use crate::player::Settings;
use crate::position::Position;
use crate::search::PoolError;
use crate::types::Point;
use crate::util::{QueueLimit, read_line};
use serde_json::Value;
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum length of a line, in bytes.
const LONGEST: usize = 64 << 20;

/// Answer queries until the input ends, then those still waiting, unless `leave_at_once` is set.
/// `note` receives complaints about the network.
///
/// # Errors
/// If the input cannot be read or the output cannot be written. A closed output is not an error.
pub fn serve(
    mut server: AnalysisServer,
    input: &mut impl BufRead,
    output: &mut (impl Write + Send),
    leave_at_once: bool,
    note: impl Fn(&Complaint) + Sync,
) -> io::Result<()> {
    let queue = Queue::default();
    let waiting = QueueLimit::new(MOST_WAITING);
    let (out, lines) = AnswerWriter::new(&waiting);
    let next_seed = AtomicU64::new(server.configuration.engine.seed);
    let analysts = std::mem::take(&mut server.analysts);
    let settings = Settings {
        memory: server.configuration.engine.memory / analysts.len().max(1),
        ..server.configuration.engine.clone()
    };
    let all = server.threads;
    thread::scope(|scope| {
        let (queue, waiting, note) = (&queue, &waiting, &note);
        let writer = scope.spawn(move || {
            let written = write_lines(&lines, waiting, output);
            if written.is_err() {
                // The client can no longer read answers.
                stop_all(queue);
                waiting.close();
            }
            written
        });
        for mut analyst in analysts {
            let (out, settings, next_seed) = (out.clone(), &settings, &next_seed);
            let most = server.configuration.engine.threads;
            scope.spawn(move || {
                while let Some((task, busy)) = queue.next() {
                    let threads = (all / busy).clamp(1, most);
                    let seed = next_seed.fetch_add(1, Relaxed);
                    search(&mut analyst, &task, threads, seed, settings, &out);
                    analyst.complaint().iter().for_each(note);
                    queue.done(&task);
                }
            });
        }
        let read = read_lines(input, &mut |line| {
            if let Err(error) = handle_line(line, &server, queue, &out) {
                out.write(&error.error());
            }
        });
        if leave_at_once {
            stop_all(queue);
        }
        queue.close();
        drop(out);
        let written = match writer.join() {
            Ok(Err(e)) if e.kind() != io::ErrorKind::BrokenPipe => Err(e),
            _ => Ok(()),
        };
        read.and(written)
    })
}

/// End all tasks.
fn stop_all(queue: &Queue) {
    queue.terminate(&Selection {
        id: None,
        turns: None,
    });
}

/// UTF-8 byte order mark, which some clients write first.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// Call `each` with every nonblank line of the input.
fn read_lines(input: &mut impl BufRead, each: &mut dyn FnMut(&[u8])) -> io::Result<()> {
    let mut line = Vec::new();
    while read_line(input, LONGEST, &mut line)? {
        let text = line.strip_prefix(MARK).unwrap_or(&line).trim_ascii();
        if !text.is_empty() {
            each(text);
        }
    }
    Ok(())
}

/// Queue the query of a line, or answer it at once.
///
/// # Errors
/// If the line is not a usable query.
fn handle_line(
    line: &[u8],
    server: &AnalysisServer,
    queue: &Queue,
    out: &AnswerWriter<'_>,
) -> Result<(), Diagnostic> {
    let shown = || {
        String::from_utf8_lossy(line)
            .chars()
            .take(200)
            .collect::<String>()
    };
    if line.len() > LONGEST {
        return Err(Diagnostic::of_line(format!(
            "Request line was longer than 64 MiB, ignoring: {}",
            shown()
        )));
    }
    let value: Value = serde_json::from_slice(line).map_err(|e| {
        Diagnostic::of_line(format!(
            "{e} - could not parse input line as json request: {}",
            shown()
        ))
    })?;
    let Value::Object(object) = &value else {
        let what = "Request line was valid json but was not an object, ignoring";
        return Err(Diagnostic::of_line(format!("{what}: {}", shown())));
    };
    let fields = Fields::new(object)?;
    let action = fields.get("action");
    if let Some(action) = action.filter(|a| a.as_str() != Some(SOLVE)) {
        return action::run(&fields, action.as_str().unwrap_or(""), server, queue, out);
    }
    let mut warn = |about: Diagnostic| out.write(&about.warning());
    let query = Query::read(&fields, &server.configuration, &mut warn)?;
    match queue.add(query) {
        true => Ok(()),
        false => Err(fields.diagnose(
            "analyzeTurns",
            format!("{MAX_WAITING} positions are waiting already; send the query again later"),
        )),
    }
}

/// Search a turn and write the answer. `settings.memory` is the share of one of the concurrent
/// searches.
fn search(
    analyst: &mut Analyst,
    task: &Task,
    threads: usize,
    seed: u64,
    settings: &Settings,
    out: &AnswerWriter<'_>,
) {
    let query = &task.query;
    if task.stop.load(Relaxed) {
        out.write(&answer::no_results(&query.id, task.turn));
        return;
    }
    // A panic must cost only this answer.
    let answered = catch_unwind(AssertUnwindSafe(|| {
        let position = query.game.position(task.turn);
        if let Some(chains) = &query.chains {
            let settings = Settings {
                threads,
                seed,
                ..settings.clone()
            };
            return solve(analyst, task, position, chains, &settings, out);
        }
        let request = AnalysisRequest {
            limits: query.limits,
            include: Include {
                raw: true,
                ..query.options.include()
            },
            restrictions: query.restrictions.clone(),
            params: Some(query.params.clone()),
            seed,
            ..AnalysisRequest::new(position)
        };
        analyst.set_threads(threads)?;
        analyst.clear_tree();
        let shown = |report: &_, during| {
            answer::answer(query, task.turn, &request.position, report, during)
        };
        let mut observer = Observer {
            interval: query.reports.map(|(every, _)| every),
            first: query.reports.map(|(_, first)| first),
            on_report: &mut |report| out.write_report(|| shown(report, true)),
            enough: &mut |_| false,
        };
        let report = analyst.run(&request, &task.stop, &mut observer);
        out.write(&shown(&report, false));
        Ok::<(), PoolError>(())
    }));
    let fault = match answered {
        Ok(Ok(())) => return,
        Ok(Err(e)) => e.to_string(),
        Err(_) => "internal error".to_owned(),
    };
    let error = Diagnostic {
        id: Some(query.id.clone()),
        field: None,
        message: fault,
    };
    out.write(&error.error());
    out.write(&answer::no_results(&query.id, task.turn));
}

/// Answer a question about a group.
///
/// # Errors
/// If the system refuses the threads.
fn solve(
    analyst: &mut Analyst,
    task: &Task,
    position: Position,
    chains: &[Point],
    settings: &Settings,
    out: &AnswerWriter<'_>,
) -> Result<(), PoolError> {
    let query = &task.query;
    analyst.clear_tree();
    let settings = Settings {
        memory: analyst.spare_memory(),
        ..settings.clone()
    };
    let mut side_search = analyst.sharing_network(settings.solving(), &task.stop)?;
    side_search.configure(settings.solving(), query.params.clone())?;
    let mut question = settings.question(position, chains);
    question.limits = Limits {
        time: query.limits.time.or(question.limits.time),
        ..query.limits
    };
    let mut reported = Instant::now();
    let mut on_report = |report: &AnalysisReport| {
        let due = |(every, _): (Duration, _)| reported.elapsed() >= every;
        if query.reports.is_some_and(due) {
            reported = Instant::now();
            out.write_report(|| answer::solving(query, task.turn, report));
        }
    };
    let found = side_search.solve_reporting(&question, &task.stop, &mut on_report);
    let answer = match &found {
        Some(found) => {
            let bounds = question.bounds_of_variations(task.stop.clone());
            answer::solution(query, task.turn, found, &found.variations(&bounds))
        }
        None => answer::no_results(&query.id, task.turn),
    };
    out.write(&answer);
    Ok(())
}
