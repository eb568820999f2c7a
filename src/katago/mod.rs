//! Compatibility with KataGo: its command lines, its configuration files, and its names for
//! parameters, in `kata-set-param` and `overrideSettings` too.

mod arguments;
mod file;
mod keys;
mod values;

pub use arguments::{is_gtp_command_line, translate_arguments};
pub use file::{Open, apply, configure, read};
pub use keys::markdown;
pub use values::{Applied, apply_key, change, get, in_order, own_name, set};

use crate::net::{MOST_AT_ONCE, Network};
use crate::player::Settings;
use serde_json::{Value, json};

/// The KataGo version whose protocols are implemented, for clients that ask.
pub const KATAGO: &str = "1.16.4";

/// Describe the network in use for KataGo's protocols: a list, empty without one.
pub fn models(settings: &Settings, network: Option<&Network>) -> Value {
    let describe = |network: &Network| {
        json!({
            "name": settings.evaluator.to_string(),
            "internalName": network.name(),
            "version": network.version(),
            "maxBatchSize": MOST_AT_ONCE,
            "usesHumanSLProfile": false,
            "usingFP16": "false",
        })
    };
    network.map(describe).into_iter().collect()
}
