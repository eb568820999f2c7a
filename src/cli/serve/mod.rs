//! `ponnuki serve`: the program in a browser, for people without a board program.
//!
//! ```text
//! http     connections: limits, which requests are refused, answers
//! routes   from an address to the page or the action
//! games    the games and the engine that plays them, on one thread
//! records  records to review, score and solve, one after the other on another thread
//! ```
//!
//! Everything that is sent is bounded: requests, connections, games and records kept, and work
//! in progress.

mod games;
mod http;
mod records;
mod routes;

use super::printed;
use crate::player::{Engine, Settings};
use crate::types::Color;
use clap::Args;
use games::Games;
use records::Records;
use routes::Site;
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use tokio::sync::Notify;

/// Options of `ponnuki serve`; everything else is a general option.
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Port to listen on; 0 takes any free one [default: 8361, or any free one if that is taken]
    #[arg(long, value_name = "N", value_parser = super::whole(0..=u16::MAX))]
    port: Option<u16>,
}

/// Message in the browser after a panic; the panic's own message is on standard error.
const BROKEN: &str = "Ponnuki has made an error: see the terminal in which it runs.";

/// The default port.
const PORT: u16 = 8361;

/// Serve until an interrupt.
///
/// # Errors
/// A message that names the unusable port, network or option.
pub(super) fn run(args: &Serve, settings: Settings, out: &mut impl Write) -> Result<(), String> {
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let listener = match args.port {
        Some(port) => bind(port).map_err(|e| format!("--port {port}: {e}"))?,
        None => bind(PORT).or_else(|_| bind(0)).map_err(cannot)?,
    };
    // One engine plays, another analyst looks at records: each has half of the memory.
    let half = Settings {
        memory: settings.memory / 2,
        net_cache: settings.net_cache / 2,
        ..settings.clone()
    };
    let mut engine = Engine::new(half.clone()).map_err(|e| e.to_string())?;
    super::expect_network(&mut engine)?;
    let analyst = super::analyst(&half)?;
    let port = listener.local_addr().map_err(cannot)?.port();
    let site = Site {
        games: Games::start(engine).map_err(cannot)?,
        records: Records::start(analyst, half).map_err(cannot)?,
        settings,
    };
    let interrupt = Arc::new(Notify::new());
    let raised = interrupt.clone();
    // If this fails, an interrupt simply ends the program.
    let _ = ctrlc::set_handler(move || raised.notify_one());
    let address = format!("Ponnuki is at http://127.0.0.1:{port}/ (Ctrl-C ends it)");
    printed(writeln!(out, "{address}").and_then(|()| out.flush()))?;
    http::serve(listener, site, &interrupt).map_err(cannot)
}

/// Read the name of a colour.
///
/// # Errors
/// A line that says what is expected.
fn color(text: &str) -> Result<Color, String> {
    let read = text.parse();
    read.map_err(|_| format!("color {text}: expected black or white"))
}

fn cannot(e: io::Error) -> String {
    format!("cannot serve: {e}")
}
