use crate::analysis::{EvaluatorChoice, Perspective, Resources};
use crate::rules::{Ruleset, Settlement};
use crate::search::SearchParams;
use crate::types::{BoardSize, Komi};
use std::time::Duration;

/// Time a move where nothing limits the search.
const MOVE_TIME: Duration = Duration::from_secs(5);

/// Everything a user can set before a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Size of the first board; the ruleset's own if not set.
    pub size: Option<BoardSize>,
    /// Rules that were chosen; [`Settings::rules_in_force`] are played by.
    pub rules: Ruleset,
    /// Komi; the ruleset's own if not set.
    pub komi: Option<Komi>,
    /// Search threads, at least 1.
    pub threads: usize,
    /// Most playouts a move.
    pub playouts: Option<u64>,
    /// Most visits of the root, kept ones from earlier moves included.
    pub visits: Option<u64>,
    /// Time a move, and the most while a clock runs; see [`Settings::time_a_move`] if not set.
    pub move_time: Option<Duration>,
    /// Kept free on a clock for delays between the engine and its controller.
    pub lag: Duration,
    /// Memory for the search tree, in bytes.
    pub memory: usize,
    /// What evaluates positions.
    pub evaluator: EvaluatorChoice,
    /// Memory for evaluations of the network, in bytes.
    pub net_cache: usize,
    /// Positions that the analysis protocol searches at once;
    /// [`Analyst::positions_at_once`](crate::analysis::Analyst::positions_at_once) if not
    /// set.
    pub analysis_threads: Option<usize>,
    /// Whose win rates, leads and owned points lines of analysis tell.
    pub perspective: Perspective,
    /// Most moves of a variation in the analysis protocol, from 1.
    pub variation: usize,
    /// Does the analysis protocol warn of fields that it does not know?
    pub warn_unused: bool,
    /// Numbers of the search and of its playouts.
    pub params: SearchParams,
    /// Seed of all random choices.
    pub seed: u64,
    /// Go on searching while the opponent thinks.
    pub ponder: bool,
    /// Resign when the win rate is below this, from 0 to 1; `None` never resigns.
    pub resign_below: Option<f32>,
    /// Resign only when it has been below for so many of the engine's moves in a row, at least 1.
    pub resign_moves: u32,
    /// Resign not before this turn of the game.
    pub resign_after: u32,
    /// Play like a weaker player, from 1 to 10; at full strength if not set.
    pub level: Option<u8>,
    /// Play as if no stone were taken off at the end, whatever the rules say of agreement:
    /// dead stones that count for the win are captured before passing.
    pub play_to_end: bool,
    /// Ask the front end for pictures while a move is chosen.
    pub live_gfx: bool,
    /// Ask the front end for a line about each move for OGS.
    pub ogs_chat: bool,
    /// Let the front end answer chat on KGS.
    pub kgs_chat: bool,
}

impl Settings {
    /// For an engine that judges and never plays.
    pub fn for_judging() -> Settings {
        Settings {
            threads: 1,
            memory: 1 << 20,
            ..Settings::default()
        }
    }

    /// The chosen rules as they are played: to the end, if the settings say so.
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

    /// Does anything but a clock limit a search?
    pub fn limits_a_search(&self) -> bool {
        self.move_time.is_some() || self.playouts.is_some() || self.visits.is_some()
    }

    /// Time a move when no clock runs. Caps on playouts or visits alone leave it without
    /// one; without caps it is five seconds if nothing else is set.
    pub fn time_a_move(&self) -> Option<Duration> {
        let default = (!self.limits_a_search()).then_some(MOVE_TIME);
        self.move_time.or(default)
    }

    /// What the searches may use of the machine.
    pub fn resources(&self) -> Resources {
        Resources {
            threads: self.threads,
            memory: self.memory,
            cache: self.net_cache,
        }
    }

    /// The size of the first board.
    pub fn first_size(&self) -> BoardSize {
        let own = self.rules.preset().map(|p| BoardSize::square(p.board));
        self.size.or(own).unwrap_or(BoardSize::square(19))
    }
}

/// Most threads of a search.
pub(super) const MOST_THREADS: usize = 256;

/// The machine's processors, at most [`MOST_THREADS`].
pub(super) fn processors() -> usize {
    at_most(std::thread::available_parallelism().map_or(1, usize::from))
}

fn at_most(processors: usize) -> usize {
    processors.min(MOST_THREADS)
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            size: None,
            rules: Ruleset::default(),
            komi: None,
            threads: processors(),
            playouts: None,
            visits: None,
            move_time: None,
            lag: Duration::from_millis(100),
            memory: 512 << 20,
            evaluator: EvaluatorChoice::default(),
            net_cache: 128 << 20,
            analysis_threads: None,
            perspective: Perspective::default(),
            variation: 16,
            warn_unused: true,
            params: SearchParams::default(),
            seed: 0x0b5e_55ed,
            ponder: false,
            resign_below: Some(0.08),
            resign_moves: 3,
            resign_after: 20,
            level: None,
            play_to_end: false,
            live_gfx: false,
            ogs_chat: false,
            kgs_chat: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_of_many_processors_takes_its_own_default() {
        let default = Settings {
            threads: at_most(1000),
            ..Settings::default()
        };
        let threads = default.get("threads").unwrap();
        assert_eq!(Settings::default().set("threads", &threads), Ok(()));
    }
}
