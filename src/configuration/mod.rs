//! Everything a user can set, by name: the engine's settings and those of the front ends.

mod error;
mod parameters;

pub use error::ParameterError;
pub use parameters::{PARAMETERS, Parameter, Scope, switch};

use crate::analysis::Perspective;
use crate::player::Settings;
use crate::search::SearchParams;
use crate::util::similar;

/// Everything a user can set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Configuration {
    /// Settings of the engine.
    pub engine: Settings,
    /// Settings of the protocols.
    pub front_end: FrontEnd,
}

impl From<Settings> for Configuration {
    fn from(engine: Settings) -> Configuration {
        Configuration {
            engine,
            ..Configuration::default()
        }
    }
}

/// Settings of the protocols.
#[derive(Clone, Debug, PartialEq)]
pub struct FrontEnd {
    /// Draw graphics in the front end while a move is chosen.
    pub live_gfx: bool,
    /// Write a line about each move for OGS.
    pub ogs_chat: bool,
    /// Answer chat on KGS.
    pub kgs_chat: bool,
    /// Point of view of win rates, leads and ownership in analysis reports.
    pub perspective: Perspective,
    /// Maximum length of a variation in the analysis protocol, from 1 to
    /// [`MAX_VARIATION`](crate::search::MAX_VARIATION).
    pub variation: usize,
    /// Warn about unknown query fields in the analysis protocol.
    pub warn_unused: bool,
    /// Positions that the analysis protocol searches at once; default:
    /// [`Analyst::positions_at_once`](crate::analysis::Analyst::positions_at_once).
    pub analysis_threads: Option<usize>,
}

impl Default for FrontEnd {
    fn default() -> FrontEnd {
        FrontEnd {
            live_gfx: false,
            ogs_chat: false,
            kgs_chat: false,
            perspective: Perspective::default(),
            variation: 16,
            warn_unused: true,
            analysis_threads: None,
        }
    }
}

impl Configuration {
    /// The names of all parameters that may be changed at any time, including those of the search.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Configuration::grouped().map(|(_, name)| name)
    }

    /// These names, each with its group. A group fits into a dialog, and its parameters are
    /// adjacent.
    pub fn grouped() -> impl Iterator<Item = (&'static str, &'static str)> {
        let changing = PARAMETERS.iter().filter(|p| p.scope == Scope::Always);
        let search = SearchParams::list().map(|p| (p.group, p.name));
        changing.map(|p| (p.group, p.name)).chain(search)
    }

    /// The names of all parameters.
    pub fn all_names() -> impl Iterator<Item = &'static str> {
        let search = SearchParams::list().map(|p| p.name);
        PARAMETERS.iter().map(|p| p.name).chain(search)
    }

    /// The value of a parameter.
    ///
    /// # Errors
    /// If there is no such parameter.
    pub fn get(&self, name: &str) -> Result<String, ParameterError> {
        if let Some(p) = Parameter::named(name) {
            return Ok(p.get(self));
        }
        let number = self.engine.params.get(&name.replace('-', "_"));
        number.ok_or_else(|| unknown(name))
    }

    /// Set a parameter.
    ///
    /// # Errors
    /// If there is no such parameter, or the value is invalid; nothing has changed then.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), ParameterError> {
        if let Some(p) = Parameter::named(name) {
            return p.set(self, text);
        }
        let name_of_search = name.replace('-', "_");
        let known = SearchParams::list().find(|p| p.name == name_of_search);
        let info = known.ok_or_else(|| unknown(name))?;
        let (least, most) = info.range;
        let kind = if info.is_whole {
            "whole number"
        } else {
            "number"
        };
        match self.engine.params.set(&name_of_search, text) {
            true => Ok(()),
            false => Err(ParameterError::Value(format!(
                "expected a {kind} from {least} to {most}, not '{text}'"
            ))),
        }
    }
}

fn unknown(name: &str) -> ParameterError {
    let all = Configuration::all_names();
    let mut near = similar(&name.replace('-', "_"), all);
    near.truncate(3);
    ParameterError::Unknown {
        name: name.to_owned(),
        near,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::{MAX_THREADS, processors};

    #[test]
    fn default_threads_are_valid_with_many_processors() {
        for threads in [processors(), MAX_THREADS] {
            let set = Configuration::default().set("threads", &threads.to_string());
            assert_eq!(set, Ok(()));
        }
    }
}
