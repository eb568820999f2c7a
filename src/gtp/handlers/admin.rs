//! Commands about the engine itself.

use super::{Args, GtpError, Reply, Session};
use crate::katago::KATAGO;
use crate::player;
use crate::util::processor_time;

pub fn protocol_version(_: &mut Session, _: &Args<'_>) -> Reply {
    Ok("2".into())
}

/// Print the name. Some clients use KataGo's commands only if the name is exactly KataGo's; the
/// version then names Ponnuki.
pub fn name(session: &mut Session, _: &Args<'_>) -> Reply {
    let name = if session.as_katago {
        "KataGo"
    } else {
        "Ponnuki"
    };
    Ok(name.into())
}

/// Print the version. Lizzie and LizzieYzy choose features by KataGo's minor version.
pub fn version(session: &mut Session, _: &Args<'_>) -> Reply {
    let own = player::version();
    Ok(match session.as_katago {
        true => format!("{KATAGO} (Ponnuki {own})"),
        false => own,
    })
}

/// Describe the engine for a match record.
pub fn describe(session: &mut Session, args: &Args<'_>) -> Reply {
    let (name, version) = (name(session, args)?, version(session, args)?);
    let engine = &mut session.engine;
    let network = match engine.network() {
        Ok(network) => network.names().collect::<Vec<_>>().join(", "),
        Err(_) => "none".to_owned(),
    };
    let settings = session.configuration();
    let limits = ["time", "visits", "playouts", "level"]
        .map(|limit| format!("{limit} {}", settings.get(limit).unwrap_or_default()));
    Ok(format!(
        "{name} {version}\nnetwork: {network}\nthreads: {}\n{}",
        settings.engine.threads,
        limits.join(", ")
    ))
}

pub fn quit(session: &mut Session, _: &Args<'_>) -> Reply {
    session.done = true;
    Ok(String::new())
}

pub fn cputime(_: &mut Session, _: &Args<'_>) -> Reply {
    let used = processor_time();
    let used = used.map_err(|e| GtpError::with("processor time is unavailable", e))?;
    Ok(format!("{:.3}", used.as_secs_f64()))
}
