//! The Go Text Protocol, version 2 (draft 2 of Gunnar Farnebäck's
//! specification), with the extensions that GoGui, Sabaki and the servers ask for.
//!
//! ```text
//! serve      reader thread -> queue -> this thread -> writer
//! dispatch   one line in, at most one reply out; nothing here touches stdio
//! table      every command, once: lookup, help, documents derive from it
//! handlers   what the commands do, by concern
//! session    what a conversation is about: the engine, the record that was loaded
//! parse      lines and arguments
//! error      what a `?` reply says
//! fault      what is written down when a panic shows a fault of our own
//! diagram    the board as text
//! client     the other end: an engine driven as a process
//! wire       replies that come line by line while a command runs
//! ```
//!
//! Whatever a line holds, it gets a well-formed reply, and after a `?` the game
//! is as it was before.
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
pub use table::commands_markdown;
pub use wire::{Wire, printable};
