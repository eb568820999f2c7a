use crate::rules::Ruleset;
use crate::search::SearchParams;
use crate::types::{BoardSize, Komi};
use std::time::Duration;

/// Everything a user can set before a game.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Size of the first board.
    pub size: BoardSize,
    /// Rules in force.
    pub rules: Ruleset,
    /// Komi; the ruleset's own if not set.
    pub komi: Option<Komi>,
    /// Search threads, at least 1.
    pub threads: usize,
    /// Most playouts a move.
    pub playouts: Option<u64>,
    /// Most visits of the root, kept ones from earlier moves included.
    pub visits: Option<u64>,
    /// Time a move when no clock runs.
    pub move_time: Duration,
    /// Kept free on a clock for delays between the engine and its controller.
    pub lag: Duration,
    /// Memory for the search tree, in bytes.
    pub memory: usize,
    /// Numbers of the search and of its playouts.
    pub params: SearchParams,
    /// Seed of all random choices.
    pub seed: u64,
    /// Go on searching while the opponent thinks.
    pub ponder: bool,
    /// Resign when the win rate is below this, from 0 to 1; `None` never resigns.
    pub resign_below: Option<f32>,
    /// … for so many of the engine's moves in a row, at least 1.
    pub resign_moves: u32,
    /// … and not before this turn of the game.
    pub resign_after: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            size: BoardSize::square(19),
            rules: Ruleset::default(),
            komi: None,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            playouts: None,
            visits: None,
            move_time: Duration::from_secs(5),
            lag: Duration::from_millis(100),
            memory: 512 << 20,
            params: SearchParams::default(),
            seed: 0x0b5e_55ed,
            ponder: false,
            resign_below: Some(0.08),
            resign_moves: 3,
            resign_after: 20,
        }
    }
}
