//! Commands that get and set parameters by name.

use super::{Args, GtpError, Reply, Session};
use crate::configuration::{Configuration, ParameterError};
use crate::katago::{self, in_order};
use crate::util::{json_text, spaced};
use serde_json::{Map, Value};

pub fn list(_: &mut Session, _: &Args<'_>) -> Reply {
    Ok(spaced(Configuration::names()))
}

pub fn get(session: &mut Session, args: &Args<'_>) -> Reply {
    katago::get(&session.configuration(), args.word(0)?).map_err(GtpError::syntax)
}

pub fn set(session: &mut Session, args: &Args<'_>) -> Reply {
    change(session, &[(args.word(0)?, args.word(1)?.to_owned())])
}

/// Print all parameters that can change at any time, as JSON.
pub fn get_all(session: &mut Session, _: &Args<'_>) -> Reply {
    let settings = session.configuration();
    let mut all = Map::new();
    for name in Configuration::names() {
        let text = settings.get(name).unwrap_or_default();
        all.insert(name.to_owned(), value(&text));
    }
    Ok(Value::Object(all).to_string())
}

/// Set several parameters from JSON; none if one is invalid.
pub fn set_all(session: &mut Session, args: &Args<'_>) -> Reply {
    let json: Value = serde_json::from_str(args.rest()).map_err(GtpError::syntax)?;
    let Value::Object(all) = json else {
        return Err(GtpError::expected("a JSON object", args.rest()));
    };
    let all = all.iter().map(|(k, v)| (k.as_str(), json_text(v)));
    change(session, &all.collect::<Vec<_>>())
}

fn change(session: &mut Session, all: &[(&str, String)]) -> Reply {
    let mut all_settings = Configuration {
        engine: session.engine.settings().clone(),
        front_end: session.front_end.clone(),
    };
    for (name, value) in in_order(all, |(name, _)| name) {
        let changed = katago::change(&mut all_settings, name, value);
        changed.map_err(|e| match e {
            ParameterError::Value(what) if all.len() > 1 => {
                GtpError::syntax(format_args!("{name}: {what}"))
            }
            ParameterError::Value(what) => GtpError::syntax(what),
            e => GtpError::with("cannot set", e),
        })?;
    }
    let done = session.engine.configure(all_settings.engine);
    done.map_err(|e| GtpError::with("cannot set", e))?;
    session.front_end = all_settings.front_end;
    Ok(String::new())
}

/// Convert text to a JSON number or boolean if it is one, or else to a string.
fn value(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(v @ (Value::Bool(_) | Value::Number(_))) => v,
        _ => Value::String(text.to_owned()),
    }
}

/// Set a parameter, or list all or those of a group for GoGui's dialog, as `[bool] ponder 0`.
/// GoGui names the group again when it sets one.
pub fn gogui(session: &mut Session, args: &Args<'_>) -> Reply {
    let group = match args.len() {
        1 | 3 => Some(args.word(0)?),
        _ => None,
    };
    let is_shown = |g: &str| group.is_none_or(|group| g.eq_ignore_ascii_case(group));
    let shown = Configuration::grouped().filter(|(g, _)| is_shown(g));
    let names: Vec<&str> = shown.map(|(_, name)| name).collect();
    if names.is_empty() {
        let expected = format!("one of {}", groups().join(", ").to_lowercase());
        return Err(GtpError::expected(&expected, group.unwrap_or_default()));
    }
    if args.len() > 1 {
        let first = args.len() - 2;
        return change(
            session,
            &[(args.word(first)?, args.word(first + 1)?.to_owned())],
        );
    }
    let settings = session.configuration();
    let rows = names.into_iter().map(|name| {
        let text = settings.get(name).unwrap_or_default();
        match text.as_str() {
            "true" => format!("[bool] {name} 1"),
            "false" => format!("[bool] {name} 0"),
            _ if name == "level" => {
                format!("[list/off/1/2/3/4/5/6/7/8/9/10] {name} {text}")
            }
            _ => format!("[string] {name} {text}"),
        }
    });
    Ok(rows.collect::<Vec<_>>().join("\n"))
}

/// The groups of parameters, in order.
pub fn groups() -> Vec<&'static str> {
    let mut groups: Vec<&str> = Configuration::grouped().map(|(group, _)| group).collect();
    groups.dedup();
    groups
}
