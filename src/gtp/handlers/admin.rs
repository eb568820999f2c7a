//! Commands about the engine itself.

use crate::gtp::error::GtpError;
use crate::gtp::parse::Args;
use crate::gtp::session::Session;

type Reply = Result<String, GtpError>;

pub fn protocol_version(_: &mut Session, _: &Args<'_>) -> Reply {
    Ok("2".into())
}

pub fn name(_: &mut Session, _: &Args<'_>) -> Reply {
    Ok("Ponnuki".into())
}

pub fn version(_: &mut Session, _: &Args<'_>) -> Reply {
    Ok(env!("CARGO_PKG_VERSION").into())
}

pub fn quit(session: &mut Session, _: &Args<'_>) -> Reply {
    session.done = true;
    Ok(String::new())
}

pub fn cputime(_: &mut Session, _: &Args<'_>) -> Reply {
    let used = cpu_time::ProcessTime::try_now()
        .map_err(|e| GtpError::with("processor time is not to be had", e))?;
    Ok(format!("{:.3}", used.as_duration().as_secs_f64()))
}
