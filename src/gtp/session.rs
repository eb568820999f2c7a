//! What a conversation is about.

use crate::player::Engine;
use crate::sgf::GameInfo;

/// A conversation with a controller: the engine and whether it is to end.
#[derive(Debug)]
pub struct Session {
    /// The engine that the commands are for.
    pub engine: Engine,
    /// What the record that was loaded says of the game, and how many turns it
    /// had then.
    pub(super) loaded: Option<(GameInfo, usize)>,
    /// Whoever reads the replies sees colours.
    pub colored: bool,
    /// `quit` has been answered.
    pub(super) done: bool,
}

impl Session {
    /// A new conversation.
    pub fn new(engine: Engine) -> Session {
        Session {
            engine,
            loaded: None,
            colored: false,
            done: false,
        }
    }

    /// Has `quit` been answered?
    pub fn is_done(&self) -> bool {
        self.done
    }
}
