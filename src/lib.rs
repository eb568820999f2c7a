//! Ponnuki, a play engine for the game of Go.
//!
//! The binary speaks the Go Text Protocol and is a thin layer over this library.
//! Imports run strictly downwards, which `tests/layers.rs` checks:
//!
//! ```text
//! main
//!  └ cli        the command line: gtp (default), bench, rules, analyze, match, score, solve
//!     ├ json    KataGo's analysis protocol: queries, queue, answers
//!     └ gtp     the protocol: command table, handlers, reader and writer
//!        ├ katago     KataGo's command lines, configuration files and names
//!        │  └ configuration  all settings by name
//!        │     └ player     a game and a clock: what to play, when to pass and to resign
//!        │        └ analysis   requests and reports; evaluators, judgements of life and death
//!        │           ├ search     the tree and its workers; policies: playouts, network
//!        │           │  ├ net        KataGo networks: file, features, inference
//!        │           │  └ playout    light and heavy policies, AMAF
//!        │           │     └ tactics    eyes, ladders, vital points, patterns, Benson life
//!        │           └ adjudicate life and death after the stop (on tactics)
//!        ├ dataset    games and labels to train a network on (on search and net)
//!        └ page       a board as SVG, a reviewed or a scored game as HTML (cli alone)
//!           └ sgf        game records
//!              └ position   board + history + rules: superko, passes, score, lines
//!                 └ board      stones, chains, liberties, simple ko, hash
//!                    └ rules      rulesets as data
//!                       ├ types      colours, points, moves, sizes, komi
//!                       └ util       reading input, locks, similar names, truth values
//! ```
//!
//! A short tour: [`types`] is the vocabulary. A [`rules::Ruleset`] is a value
//! without behaviour. [`board::Board`] is what playouts copy; it knows stones but
//! no history. [`position::Position`] adds the history, so it can say why a move
//! is illegal and who has won; a [`position::Line`] plays on from one
//! hypothetically. [`search::Search`] grows a tree by a [`search::Policy`], an
//! [`analysis::Analyst`] answers questions with it, and [`player::Engine`] decides
//! what to play, when to pass and when to resign. None of them prints: [`gtp`],
//! [`json`] and [`cli`] do.
#![warn(missing_docs)]

pub mod adjudicate;
pub mod analysis;
pub mod board;
pub mod cli;
pub mod configuration;
pub mod dataset;
pub mod gtp;
pub mod json;
pub mod katago;
pub mod net;
pub mod page;
pub mod player;
pub mod playout;
pub mod position;
pub mod rules;
pub mod search;
pub mod sgf;
pub mod tactics;
pub mod types;
pub mod util;
