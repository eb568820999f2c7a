//! Ponnuki, a play engine for the game of Go.
#![warn(missing_docs)]

pub mod board;
pub mod cli;
pub mod engine;
pub mod gtp;
pub mod playout;
pub mod position;
pub mod rules;
pub mod search;
pub mod sgf;
pub mod tactics;
pub mod types;
