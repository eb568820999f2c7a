//! The network that a command needs.

use crate::analysis::Analyst;
use crate::net::Network;
use crate::player::{Engine, Settings};

/// Open the network of the settings; `None` for playouts.
pub(super) fn open(settings: &Settings) -> Result<Option<Network>, String> {
    let choice = &settings.evaluator;
    choice.open().map_err(|e| format!("network {choice}: {e}"))
}

/// Refuse a network that cannot be loaded, instead of playing without it.
pub(super) fn expect_network(engine: &mut Engine) -> Result<(), String> {
    let name = engine.settings().evaluator.to_string();
    match engine.network() {
        Err(Some(e)) => Err(format!("network {name}: {e}")),
        _ => Ok(()),
    }
}

/// Create an analyst by the settings. Its network must be usable.
pub(super) fn analyst(settings: &Settings) -> Result<Analyst, String> {
    let choice = &settings.evaluator;
    let analyst = Analyst::new(choice, settings.resources(), settings.params.clone());
    let mut analyst = analyst.map_err(|e| e.to_string())?;
    match analyst.network() {
        Err(Some(e)) => Err(format!("network {choice}: {e}")),
        _ => Ok(analyst),
    }
}
