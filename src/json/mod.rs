//! KataGo's JSON analysis protocol: one query a line in, one answer a line out.
//!
//! A query names a game and the turns of it to analyse; each turn is answered once, in
//! whatever order the searches end, the most urgent first. The protocol is described in
//! KataGo's `docs/Analysis_Engine.md`; `docs/katago.md` tells field by field what is the
//! same here.
//!
//! * [`query`](self) reads a line, [`answer`](self) writes reports,
//! * a queue holds what waits, by priority,
//! * [`serve`] runs the reader, the searches and the writer.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod action;
mod answer;
mod fields;
mod hash;
mod output;
mod query;
mod queue;
mod server;

pub use server::{Host, serve};
