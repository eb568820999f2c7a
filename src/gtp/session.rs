//! State of a session with a controller.

use super::diagram::Ink;
use crate::configuration::{Configuration, FrontEnd};
use crate::player::{Engine, SavedGame, Settings};
use crate::position::{Outcome, Position, Turn};
use crate::rules::{RulesError, Ruleset};
use crate::sgf::GameInfo;
use crate::types::{BoardSize, Komi};

/// The rules and komi that the client has chosen, for new games and for records without their
/// own. A loaded record does not change them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    pub rules: Ruleset,
    /// `None`: the ruleset's komi.
    pub komi: Option<Komi>,
}

/// A loaded record: its game information, and the turns and rules when it was loaded.
#[derive(Clone, Debug)]
pub(super) struct Loaded {
    pub info: GameInfo,
    pub turns: Vec<Turn>,
    pub rules: Ruleset,
    pub komi: Komi,
}

/// The game and the chosen rules, saved so that a failed command changes neither.
#[derive(Clone, Debug)]
pub(super) struct SavedSession {
    game: SavedGame,
    chosen: Chosen,
    loaded: Option<Loaded>,
}

/// A session with a controller.
#[derive(Debug)]
pub struct Session {
    /// The engine that executes the commands.
    pub engine: Engine,
    pub(super) loaded: Option<Loaded>,
    pub(super) chosen: Chosen,
    /// Settings of the protocol.
    pub front_end: FrontEnd,
    /// How boards are drawn.
    pub ink: Ink,
    /// A person types the commands: mistyped names get suggestions.
    pub for_people: bool,
    /// Started with KataGo's command line: identifies itself as KataGo, analyses without limits,
    /// and accepts the moves and handicaps that KataGo accepts.
    pub as_katago: bool,
    /// `quit` has been answered.
    pub(super) done: bool,
}

impl Session {
    /// Start a session.
    pub fn new(engine: Engine) -> Session {
        let position = engine.position();
        let chosen = Chosen {
            rules: engine.settings().rules,
            komi: position.komi_is_set().then(|| position.komi()),
        };
        Session {
            engine,
            loaded: None,
            chosen,
            front_end: FrontEnd::default(),
            ink: Ink::Letters,
            for_people: false,
            as_katago: false,
            done: false,
        }
    }

    /// All settings, with the komi and the board size of the game.
    pub(super) fn configuration(&self) -> Configuration {
        let position = self.engine.position();
        Configuration {
            engine: Settings {
                komi: Some(position.komi()),
                size: Some(position.size()),
                ..self.engine.settings().clone()
            },
            front_end: self.front_end.clone(),
        }
    }

    /// Change one rule from now on, in the present game and in records without their own rules.
    ///
    /// # Errors
    /// [`RulesError`] for an unknown key or value; nothing has changed then.
    pub(super) fn choose_rule(&mut self, key: &str, value: &str) -> Result<(), RulesError> {
        let (mut current, mut chosen) = (self.engine.settings().rules, self.chosen.rules);
        current.set(key, value)?;
        chosen.set(key, value)?;
        self.engine.set_rules(current);
        self.chosen.rules = chosen;
        if key == "komi" {
            self.choose_komi(chosen.komi);
        }
        Ok(())
    }

    /// Use these rules from now on.
    pub(super) fn choose_rules(&mut self, rules: Ruleset) {
        self.engine.set_rules(rules);
        self.chosen.rules = rules;
    }

    /// Use this komi from now on.
    pub(super) fn choose_komi(&mut self, komi: Komi) {
        self.engine.set_komi(komi);
        self.chosen.komi = Some(komi);
    }

    /// Begin a new game on an empty board. The rules and komi of a loaded record end with its game.
    pub(super) fn begin_game(&mut self, size: BoardSize) {
        self.loaded = None;
        let mut position = Position::new(size, self.chosen.rules);
        if let Some(komi) = self.chosen.komi {
            position.set_komi(komi);
        }
        self.engine.load_record(position);
    }

    /// The result in the loaded record, if the game is still the record's. A count is one only
    /// under the record's rules and komi.
    pub(super) fn recorded_result(&self) -> Option<&str> {
        let loaded = self.loaded.as_ref()?;
        let position = self.engine.position();
        let result = loaded.info.result.as_deref()?;
        let is_count = result.parse().is_ok_and(|r: Outcome| !r.is_off_board());
        let counts_alike = *position.rules() == loaded.rules && position.komi() == loaded.komi;
        (position.turns() == loaded.turns && (!is_count || counts_alike)).then_some(result)
    }

    /// Save the state for [`Session::restore`].
    pub(super) fn save(&self) -> SavedSession {
        SavedSession {
            game: self.engine.save(),
            chosen: self.chosen,
            loaded: self.loaded.clone(),
        }
    }

    /// Restore a saved state.
    pub(super) fn restore(&mut self, saved: SavedSession) {
        self.engine.restore(saved.game);
        self.chosen = saved.chosen;
        self.loaded = saved.loaded;
    }

    /// Has `quit` been answered?
    pub fn is_done(&self) -> bool {
        self.done
    }
}
