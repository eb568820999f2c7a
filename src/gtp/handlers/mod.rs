//! Command handlers, by topic.

pub mod admin;
pub mod analysis;
pub mod board;
pub mod clock;
pub mod end;
pub mod files;
pub mod gogui;
pub mod handicap;
mod keys;
pub mod network;
pub mod params;
pub mod pictures;
pub mod play;
mod report;
pub mod rules;
pub mod servers;
pub mod setup;
pub mod solve;

use super::error::GtpError;
use super::parse::Args;
use super::session::Session;
use super::wire::Stream;
use crate::player::Decision;
use crate::types::Move;

/// The text of a reply, or the error.
pub type Reply = Result<String, GtpError>;

/// Format a decision as a vertex or `resign`.
pub fn decided(decision: Decision) -> String {
    match decision {
        Decision::Move(m) => vertex_text(m),
        Decision::Resign => "resign".to_owned(),
    }
}

/// Format a move as a vertex: `D4` or `PASS`.
pub fn vertex_text(m: Move) -> String {
    match m {
        Move::Pass => "PASS".to_owned(),
        Move::Play(p) => p.to_string(),
    }
}
