//! `ponnuki serve`: the program in a browser, for people without a board program.
//!
//! ```text
//! http     connections: limits, which requests are refused, answers
//! browser  the same answers without a server, in a page that contains the program
//! routes   from an address to the page or the action
//! games    the games and the engine that plays them
//! records  records to review, score and solve, one after the other
//! ```
//!
//! Everything that is sent is bounded: requests, connections, games and records kept, and work
//! in progress.

#[cfg(target_family = "wasm")]
mod browser;
mod games;
#[cfg(not(target_family = "wasm"))]
mod http;
mod records;
mod routes;

use super::network::{analyst, expect_network};
use super::numbers::integer;
use crate::player::{Engine, Settings};
use crate::types::Color;
use clap::Args;
use games::{GameHost, Games, Request};
use records::{RecordWorker, Records};
use routes::Site;
use std::sync::mpsc::Receiver;

#[cfg(target_family = "wasm")]
pub(super) use browser::run;
#[cfg(not(target_family = "wasm"))]
pub(super) use http::run;

/// Options of `ponnuki serve`; everything else is a general option.
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Port to listen on; 0 takes any free one [default: 8361, or any free one if that is taken]
    #[arg(long, value_name = "N", value_parser = integer(0..=u16::MAX))]
    port: Option<u16>,
}

/// Message in the browser after a panic; the panic's own message is on standard error.
const BROKEN: &str = "Ponnuki has made an error: see the terminal in which it runs.";

/// Maximum number of bytes of the body of a request.
const BODY: usize = 1 << 20;

/// The site, and the workers behind it.
struct Service {
    site: Site,
    workers: Workers,
}

/// The host of the games and the worker on records, each with its queue.
struct Workers {
    host: GameHost,
    requests: Receiver<Request>,
    worker: RecordWorker,
    /// Numbers of the records to work on.
    records: Receiver<u32>,
}

impl Service {
    /// Create the engine that plays and the analyst that looks at records.
    ///
    /// # Errors
    /// A message that names the unusable network or option.
    fn new(settings: Settings) -> Result<Service, String> {
        // The engine and the analyst of records get half of the memory each.
        let half = Settings {
            memory: settings.memory / 2,
            net_cache: settings.net_cache / 2,
            ..settings.clone()
        };
        let mut engine = Engine::new(half.clone()).map_err(|e| e.to_string())?;
        expect_network(&mut engine)?;
        let analyst = analyst(&half)?;
        let (games, host, requests) = Games::new(engine);
        let (records, worker, numbers) = Records::new(analyst, half);
        Ok(Service {
            site: Site {
                games,
                records,
                settings,
            },
            workers: Workers {
                host,
                requests,
                worker,
                records: numbers,
            },
        })
    }
}

/// Answer to a request for a game or a record that is no longer kept.
fn gone(what: &str) -> String {
    format!(
        "This {what} is no longer kept: Ponnuki has been started anew, or newer {what}s have taken \
         its place."
    )
}

/// A value of a query such as `color=black&group=D4`; `None` if it is missing or empty.
fn value_of<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let mut values = pairs.filter(|(key, value)| *key == name && !value.is_empty());
    values.next().map(|(_, value)| value)
}

/// Read the name of a colour.
///
/// # Errors
/// A line that says what is expected.
fn color(text: &str) -> Result<Color, String> {
    let read = text.parse();
    read.map_err(|_| format!("color {text}: expected black or white"))
}
