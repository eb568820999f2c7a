//! What a conversation is about.

use crate::player::Engine;
use crate::position::Turn;
use crate::rules::Ruleset;
use crate::sgf::GameInfo;
use crate::types::Komi;

/// By what a game is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Terms {
    pub rules: Ruleset,
    /// The ruleset's own if not set.
    pub komi: Option<Komi>,
}

/// A conversation with a controller: the engine and whether it is to end.
#[derive(Debug)]
pub struct Session {
    /// The engine that the commands are for.
    pub engine: Engine,
    /// What the record that was loaded says of the game, and the turns that it had then.
    pub(super) loaded: Option<(GameInfo, Vec<Turn>)>,
    /// Rules and komi before a record was loaded, and those that it brought.
    pub(super) before_record: Option<(Terms, Terms)>,
    /// Whoever reads the replies sees colours.
    pub colored: bool,
    /// It stands in KataGo's place, started by KataGo's command line: it says so where a
    /// client goes by the name, and analyses without end.
    pub as_katago: bool,
    /// `quit` has been answered.
    pub(super) done: bool,
}

impl Session {
    /// A new conversation.
    pub fn new(engine: Engine) -> Session {
        Session {
            engine,
            loaded: None,
            before_record: None,
            colored: false,
            as_katago: false,
            done: false,
        }
    }

    /// Has `quit` been answered?
    pub fn is_done(&self) -> bool {
        self.done
    }
}
