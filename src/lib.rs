//! Ponnuki, a play engine for the game of Go.
//!
//! The binary speaks the Go Text Protocol; this library is what it is made of.
//! Imports run strictly downwards, which `tests/layers.rs` checks:
//!
//! ```text
//! main
//!  └ cli        the command line: gtp (default), bench, rules
//!     └ gtp     the protocol: command table, handlers, reader and writer
//!        ├ engine      a game, a search and a clock behind one face
//!        │  └ search   tree, priors, workers, time
//!        │     ├ net        KataGo networks: file, features, inference
//!        │     └ playout    light and heavy policies, AMAF
//!        │        └ tactics   eyes, ladders, vital points, patterns, Benson life
//!        ├ dataset     games and labels to train a network on (beside search, on net)
//!        ├ adjudicate  life and death after the stop (beside playout, on tactics)
//!        └ sgf         game records
//!           └ position    board + history + rules: superko, passes, score
//!              └ board    stones, chains, liberties, simple ko, hash
//!                 └ rules    rulesets as data
//!                    └ types    colours, points, moves, sizes, komi
//! ```
//!
//! A short tour: [`types`] is the vocabulary. A [`rules::Ruleset`] is a value
//! without behaviour. [`board::Board`] is what playouts copy; it knows stones but
//! no history. [`position::Position`] adds the history, so it can say why a move
//! is illegal and who has won. [`search::Search`] grows a tree of
//! [`playout`]s, and [`engine::Engine`] decides with it what to play, when to
//! pass and when to resign. It never prints: [`gtp`] asks and shows.
#![warn(missing_docs)]

pub mod adjudicate;
pub mod board;
pub mod cli;
pub mod dataset;
pub mod engine;
pub mod gtp;
pub mod net;
pub mod playout;
pub mod position;
pub mod rules;
pub mod search;
pub mod sgf;
pub mod tactics;
pub mod types;
