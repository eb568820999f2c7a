//! Commands that get and set the rules.

use super::{Args, GtpError, Reply, Session};
use crate::rules::Ruleset;
use serde_json::Value;

pub fn get(session: &mut Session, _: &Args<'_>) -> Reply {
    Ok(session.engine.position().rules().to_json())
}

pub fn set(session: &mut Session, args: &Args<'_>) -> Reply {
    let rules = Ruleset::parse_for_katago(args.rest()).map_err(GtpError::syntax)?;
    session.choose_rules(rules);
    // A ruleset's own komi gives way to one that the client has set, but not if it is named here.
    let object = serde_json::from_str::<Value>(args.rest());
    if object.is_ok_and(|object| object.get("komi").is_some()) {
        session.choose_komi(rules.komi);
    }
    Ok(String::new())
}

pub fn set_one(session: &mut Session, args: &Args<'_>) -> Reply {
    let changed = session.choose_rule(args.word(0)?, args.word(1)?);
    changed.map_err(GtpError::syntax)?;
    Ok(String::new())
}

/// Set rules by KGS's name; the komi is unchanged.
pub fn kgs(session: &mut Session, args: &Args<'_>) -> Reply {
    let name = match args.word(0)? {
        "japanese" => "japanese",
        "chinese" => "chinese-kgs",
        "aga" => "aga",
        "new_zealand" => "new-zealand",
        other => {
            return Err(GtpError::expected(
                "japanese, chinese, aga or new_zealand",
                other,
            ));
        }
    };
    let rules = Ruleset::parse(name).map_err(GtpError::syntax)?;
    session.choose_rules(rules);
    Ok(String::new())
}
