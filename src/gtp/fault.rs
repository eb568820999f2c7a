//! Reports of internal errors. After a panic in a command or a search thread the game and the
//! process go on. The report has what is needed to find the cause.

use crate::player::{Engine, version};
use crate::sgf::{self, GameInfo};
use crate::util::locked;
use std::any::Any;
use std::sync::Mutex;

/// Location and message of the last panic.
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Install a panic hook that records a panic instead of printing it. The code that
/// executes commands reports it.
pub fn watch() {
    std::panic::set_hook(Box::new(|info| {
        locked(&LAST).replace(info.to_string());
    }));
}

/// Describe what is needed to reproduce a panic, on one line: the version, the command,
/// the panic's message and location, the settings and the game before the command.
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
        version(),
        last.as_deref().unwrap_or(said),
        engine.settings(),
        game,
    );
    report.replace('\n', " ")
}
