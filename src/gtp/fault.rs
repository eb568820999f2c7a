//! Faults of our own: a panic in a command or a search thread costs neither the game nor
//! the process, and what is needed to find its cause is written down.

use crate::player::Engine;
use crate::sgf::{self, GameInfo};
use crate::types::locked;
use std::any::Any;
use std::sync::Mutex;

/// Where the last panic was, and what it said.
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// From now on remember where a panic is, instead of printing it: whoever executes
/// commands reports it.
pub fn watch() {
    std::panic::set_hook(Box::new(|info| {
        locked(&LAST).replace(info.to_string());
    }));
}

/// What is needed to reproduce a fault: the version, the line, what the panic said and
/// where, and the settings and the game as they were before.
pub fn report(line: &str, payload: &(dyn Any + Send), engine: &Engine) -> String {
    let last = locked(&LAST).take();
    let said = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    let game = sgf::write(engine.position(), &GameInfo::default());
    let report = format!(
        "internal error of Ponnuki {} in '{line}': {}; settings {:?}; game {}",
        env!("CARGO_PKG_VERSION"),
        last.as_deref().unwrap_or(said),
        engine.settings(),
        game,
    );
    report.replace('\n', " ")
}
