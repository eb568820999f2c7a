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

/// Describe the networks in use for KataGo's protocols: a list, empty without one. After the network
/// come those that evaluate all boards of one size.
pub fn models(settings: &Settings, network: Option<&Network>) -> Value {
    let Some(network) = network else {
        return json!([]);
    };
    let name = settings.evaluator.to_string();
    let specialists = network
        .specialists()
        .map(|(size, internal)| (format!("{name}, {size}"), internal));
    let all = [(name.clone(), network.name())];
    let describe = |(name, internal)| {
        json!({
            "name": name,
            "internalName": internal,
            "version": network.version(),
            "maxBatchSize": MOST_AT_ONCE,
            "usesHumanSLProfile": false,
            "usingFP16": "false",
        })
    };
    all.into_iter().chain(specialists).map(describe).collect()
}
