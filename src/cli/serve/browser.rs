//! The pages without a server: a page contains the program and calls the functions exported here.
//!
//! A request is on standard input, `POST /games/1/play` on the first line and then the body. The
//! answer goes to standard output, its status and media type on the first line. A running search
//! calls `sched_yield` every few milliseconds. The page may then call [`ponnuki_answer`] again, for
//! example to stop the work.
#![allow(unsafe_code, reason = "exported names")]

use super::routes::{Answer, Site};
use super::{BODY, Serve, Service, Workers};
use crate::gtp::note;
use crate::player::Settings;
use hyper::StatusCode;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::pin::pin;
use std::sync::{Mutex, OnceLock};
use std::task::{Context, Poll, Waker};

/// Memory in bytes for search trees and for evaluations.
const MEMORY: usize = 256 << 20;
const CACHE: usize = 64 << 20;

/// The site and its workers, or why they cannot start.
static SERVICE: OnceLock<Result<(Site, Mutex<Workers>), String>> = OnceLock::new();

fn service() -> Result<&'static (Site, Mutex<Workers>), Answer> {
    let service = SERVICE.get_or_init(|| {
        let settings = Settings {
            memory: MEMORY,
            net_cache: CACHE,
            seed: RandomState::new().hash_one(()),
            ..Settings::default()
        };
        Service::new(settings).map(|Service { site, workers }| (site, Mutex::new(workers)))
    });
    let refused = |why: &String| Answer::refused(StatusCode::INTERNAL_SERVER_ERROR, why.clone());
    service.as_ref().map_err(refused)
}

/// Answer the request on standard input.
#[unsafe(no_mangle)]
pub extern "C" fn ponnuki_answer() {
    let answered = || -> io::Result<()> {
        let mut request = Vec::new();
        io::stdin().lock().read_to_end(&mut request)?;
        let answer = service().map_or_else(|refused| refused, |service| answer(service, &request));
        let mut out = io::stdout().lock();
        writeln!(out, "{} {}", answer.status.as_u16(), answer.kind)?;
        out.write_all(answer.body.as_bytes())?;
        out.flush()
    };
    if let Err(e) = answered() {
        note(format_args!("ponnuki: {e}"));
    }
}

/// Work on the records that wait.
#[unsafe(no_mangle)]
pub extern "C" fn ponnuki_work() {
    if let Ok((_, workers)) = service()
        && let Ok(mut workers) = workers.try_lock()
    {
        let Workers {
            worker, records, ..
        } = &mut *workers;
        records.try_iter().for_each(|number| worker.handle(number));
    }
}

fn answer((site, workers): &(Site, Mutex<Workers>), request: &[u8]) -> Answer {
    let head = request.split(|b| *b == b'\n').next().unwrap_or_default();
    let body = request.get(head.len() + 1..).unwrap_or_default();
    if body.len() > BODY {
        return Answer::too_long();
    }
    let head = String::from_utf8_lossy(head);
    let (method, target) = head.split_once(' ').unwrap_or(("", ""));
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    if method == "GET" {
        return site.show(path);
    }
    // Drop queued requests: they were refused while Ponnuki was busy.
    if let Ok(workers) = workers.try_lock() {
        workers.requests.try_iter().for_each(drop);
    }
    let mut context = Context::from_waker(Waker::noop());
    let mut acting = pin!(site.act(path, query, body.to_vec()));
    // The first poll queues a request for the engine.
    if let Poll::Ready(answer) = acting.as_mut().poll(&mut context) {
        return answer;
    }
    if let Ok(mut workers) = workers.try_lock() {
        let Workers { host, requests, .. } = &mut *workers;
        requests.try_iter().for_each(|request| host.handle(request));
    }
    match acting.as_mut().poll(&mut context) {
        Poll::Ready(answer) => answer,
        Poll::Pending => {
            let why = "Ponnuki is busy with something else: try again later.".to_owned();
            Answer::refused(StatusCode::SERVICE_UNAVAILABLE, why)
        }
    }
}

/// Refuse to serve.
///
/// # Errors
/// Always: there are no connections.
pub(in crate::cli) fn run(_: &Serve, _: Settings, _: &mut impl Write) -> Result<(), String> {
    Err("serve: this system has no connections".to_owned())
}
