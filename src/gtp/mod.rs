//! The Go Text Protocol, version 2 (draft 2 of Gunnar Farnebäck's
//! specification), with the extensions that GoGui, Sabaki and the servers ask for.
//!
//! ```text
//! serve      reader thread -> queue -> this thread -> writer
//! dispatch   execution of a line: at most one reply; no access to stdio
//! table      the table of all commands, for lookup, help and documents
//! handlers   the commands by topic
//! session    state of a session: the engine, the loaded record
//! parse      parsing of lines and arguments
//! error      text of `?` replies
//! fault      reports of panics
//! log        log file of the traffic
//! signals    interrupts from the reader thread
//! diagram    the board as text
//! client     driver for another engine in a child process
//! wire       output that is streamed while a command runs
//! ```
//!
//! Every line that is neither blank nor a comment gets a well-formed reply. After a
//! `?` the game is unchanged.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod client;
mod diagram;
mod dispatch;
mod error;
mod fault;
mod handlers;
mod log;
mod parse;
mod serve;
mod session;
mod signals;
mod table;
mod wire;

pub use client::{Client, ClientError};
pub use diagram::{Ink, diagram};
pub use error::GtpError;
pub use fault::watch;
pub use log::{Log, note};
pub use parse::{is_in_column_i, vertex};
pub use serve::serve;
pub use session::Session;
pub use signals::Signals;
pub use wire::{Wire, printable};
