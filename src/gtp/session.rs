//! What a conversation is about.

use super::diagram::Ink;
use crate::player::{Engine, SavedGame};
use crate::position::Turn;
use crate::rules::Ruleset;
use crate::sgf::GameInfo;
use crate::types::Komi;

/// The rules and the komi that the client has chosen. Those of a loaded record apply to that
/// game alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    pub rules: Ruleset,
    /// The ruleset's own if not set.
    pub komi: Option<Komi>,
}

/// What a loaded record says of the game, and what the game was then.
#[derive(Clone, Debug)]
pub(super) struct Loaded {
    pub info: GameInfo,
    pub turns: Vec<Turn>,
    pub rules: Ruleset,
}

/// Everything that a command can change and a refusal must not.
#[derive(Clone, Debug)]
pub(super) struct SavedSession {
    game: SavedGame,
    chosen: Chosen,
    loaded: Option<Loaded>,
}

/// A conversation with a controller: the engine and whether it is to end.
#[derive(Debug)]
pub struct Session {
    /// The engine that the commands are for.
    pub engine: Engine,
    pub(super) loaded: Option<Loaded>,
    pub(super) chosen: Chosen,
    /// How boards are drawn.
    pub ink: Ink,
    /// A person types the commands: mistyped ones get suggestions.
    pub for_people: bool,
    /// It stands in KataGo's place, started by KataGo's command line: it says so where a
    /// client goes by the name, and analyses without end.
    pub as_katago: bool,
    /// `quit` has been answered.
    pub(super) done: bool,
}

impl Session {
    /// A new conversation.
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
            ink: Ink::Letters,
            for_people: false,
            as_katago: false,
            done: false,
        }
    }

    /// Play by these rules from now on.
    pub(super) fn choose_rules(&mut self, rules: Ruleset) {
        self.engine.set_rules(rules);
        self.chosen.rules = rules;
    }

    /// Play with this komi from now on.
    pub(super) fn choose_komi(&mut self, komi: Komi) {
        self.engine.set_komi(komi);
        self.chosen.komi = Some(komi);
    }

    /// What [`Session::restore`] needs.
    pub(super) fn save(&self) -> SavedSession {
        SavedSession {
            game: self.engine.save(),
            chosen: self.chosen,
            loaded: self.loaded.clone(),
        }
    }

    /// Everything as it was when it was saved.
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
