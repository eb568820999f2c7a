//! KataGo's JSON analysis protocol: one query per input line, one answer per output line.
//!
//! A query gives a game and the turns to analyse. The most urgent turns are searched first.
//! Each turn is answered once, when its search ends. KataGo's `docs/Analysis_Engine.md`
//! describes the protocol; `docs/katago.md` compares this implementation field by field.
//!
//! * [`query`](self) reads a line, [`answer`](self) writes reports,
//! * a queue holds the waiting turns by priority,
//! * [`serve`] runs the reader, the searches and the writer.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod action;
mod analysts;
mod answer;
mod fields;
mod game;
mod hash;
mod output;
mod query;
mod queue;
mod server;

pub use analysts::AnalysisServer;
pub use server::serve;
