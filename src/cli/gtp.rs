//! `ponnuki gtp`: the Go Text Protocol on standard input and output.

use super::files::unwritable;
use super::options::RunSettings;
use super::terminal::has_colors;
use crate::gtp::{Ink, Log, Session, note, serve, watch};
use crate::player::{Engine, version};
use std::io::{self, IsTerminal};
use std::sync::Arc;

/// Answer commands until `quit` or the end of the input.
///
/// # Errors
/// A message that says why it cannot start or continue.
pub(super) fn run(settings: RunSettings) -> Result<(), String> {
    let log = match &settings.log {
        Some(path) => Some(Arc::new(Log::open(path).map_err(|e| unwritable(path, &e))?)),
        None => None,
    };
    watch();
    let engine = Engine::new(settings.configuration.engine).map_err(|e| e.to_string())?;
    if io::stdin().is_terminal() {
        note(format_args!(
            "Ponnuki {} speaks the Go Text Protocol: try showboard, genmove b, help; quit leaves.",
            version()
        ));
    }
    let input = io::BufReader::new(io::stdin());
    let mut session = Session::new(engine);
    if has_colors() {
        session.ink = Ink::Colored;
    }
    session.for_people = io::stdin().is_terminal();
    session.as_katago = settings.as_katago;
    session.front_end = settings.configuration.front_end;
    if settings.as_katago {
        // LizGoban reads the network's shape from one of these lines, and waits for the other.
        if let Ok(network) = session.engine.network() {
            note(format!("Model name: {}", network.name()));
        }
        note("GTP ready");
    }
    serve(&mut session, input, &mut io::stdout(), log).map_err(|e| e.to_string())
}
