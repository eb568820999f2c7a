use crate::analysis::{EvaluatorChoice, Limits, Question, Resources};
use crate::position::Position;
use crate::rules::{Ruleset, Settlement};
use crate::search::SearchParams;
use crate::types::{BoardSize, Komi, Point};
use std::time::Duration;

/// Time per move where nothing limits the search.
const MOVE_TIME: Duration = Duration::from_secs(5);

/// Everything that an engine needs to know before a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Size of the first board; default: the ruleset's.
    pub size: Option<BoardSize>,
    /// The chosen rules. The game is played by [`Settings::rules_in_force`].
    pub rules: Ruleset,
    /// Komi; default: the ruleset's.
    pub komi: Option<Komi>,
    /// Search threads, at least 1.
    pub threads: usize,
    /// Limits of the search for a move. The time is also the maximum while a clock runs; default:
    /// see [`Settings::time_per_move`].
    pub limits: Limits,
    /// Time reserved per move for delays between the engine and its controller.
    pub lag: Duration,
    /// Memory for the search tree, in bytes.
    pub memory: usize,
    /// The evaluator of positions.
    pub evaluator: EvaluatorChoice,
    /// Memory of the evaluation cache, in bytes.
    pub net_cache: usize,
    /// Parameters of the search and its playouts.
    pub params: SearchParams,
    /// Seed of all random choices.
    pub seed: u64,
    /// Keep searching while the opponent thinks.
    pub ponder: bool,
    /// Resign when the win rate is below this, from 0 to 1; `None` never resigns.
    pub resign_below: Option<f32>,
    /// Resign only after this many hopeless moves of the engine in a row; at least 1.
    pub resign_moves: u32,
    /// Do not resign before this turn of the game.
    pub resign_after: u32,
    /// Strength from 1 (beginner) to 10 (full strength, as `None`).
    pub level: Option<u8>,
    /// Play as if all stones left at the end count as alive, whatever the rules say about
    /// agreement: capture dead stones that matter for the win before passing.
    pub play_to_end: bool,
}

impl Settings {
    /// Settings for scoring only.
    pub fn for_judging() -> Settings {
        Settings {
            threads: 1,
            memory: 1 << 20,
            ..Settings::default()
        }
    }

    /// The rules to play by: the chosen ones, played to the end if the settings say so.
    pub fn rules_in_force(&self) -> Ruleset {
        let settlement = match self.play_to_end {
            true => Settlement::PlayOut,
            false => self.rules.settlement,
        };
        Ruleset {
            settlement,
            ..self.rules
        }
    }

    /// Time per move when no clock runs. Default: five seconds, or unlimited if playouts or
    /// visits are limited.
    pub fn time_per_move(&self) -> Option<Duration> {
        let default = (!self.limits.are_set()).then_some(MOVE_TIME);
        self.limits.time.or(default)
    }

    /// Time limit of an answer, with or without limits on playouts and visits. Default: five
    /// seconds.
    pub(super) fn time_per_answer(&self) -> Duration {
        self.limits.time.unwrap_or(MOVE_TIME)
    }

    /// Threads and memory of the searches.
    pub fn resources(&self) -> Resources {
        Resources {
            threads: self.threads,
            memory: self.memory,
            cache: self.net_cache,
        }
    }

    /// Threads and memory of the searches for a question about a group. One thread and half of the
    /// memory are reserved for proofs.
    pub fn solving(&self) -> Resources {
        Resources {
            threads: self.threads.saturating_sub(1).max(1),
            memory: self.memory / 2,
            cache: self.net_cache,
        }
    }

    /// Create a question about a group, for the player to move. `chains` names the group by a point
    /// of each chain; if empty, it is the enclosed group. The default time limit is that of a move.
    pub fn question(&self, position: Position, chains: &[Point]) -> Question {
        Question {
            position,
            chains: chains.to_vec(),
            limits: Limits {
                time: Some(self.time_per_answer()),
                ..self.limits
            },
            nodes: u64::MAX,
            threads: self.threads,
            memory: self.memory / 2,
            seed: self.seed,
        }
    }

    /// The size of the first board.
    pub fn first_size(&self) -> BoardSize {
        let own = self.rules.preset().map(|p| BoardSize::square(p.board));
        self.size.or(own).unwrap_or(BoardSize::square(19))
    }
}

/// Maximum number of search threads.
pub const MAX_THREADS: usize = 256;

/// Number of the machine's processors, at most [`MAX_THREADS`].
pub fn processors() -> usize {
    let processors = std::thread::available_parallelism();
    processors.map_or(1, usize::from).min(MAX_THREADS)
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            size: None,
            rules: Ruleset::default(),
            komi: None,
            threads: processors(),
            limits: Limits::default(),
            lag: Duration::from_millis(100),
            memory: 512 << 20,
            evaluator: EvaluatorChoice::default(),
            net_cache: 128 << 20,
            params: SearchParams::default(),
            seed: 0x0b5e_55ed,
            ponder: false,
            resign_below: Some(0.08),
            resign_moves: 3,
            resign_after: 20,
            level: None,
            play_to_end: false,
        }
    }
}
