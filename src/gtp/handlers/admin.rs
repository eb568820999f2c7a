//! Commands about the engine itself.

use crate::gtp::error::{GtpError, quote};
use crate::gtp::parse::Args;
use crate::gtp::session::Session;
use crate::gtp::table::{COMMANDS, find};

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

pub fn known_command(_: &mut Session, args: &Args<'_>) -> Reply {
    Ok(find(args.word(0)?).is_some().to_string())
}

pub fn list_commands(_: &mut Session, _: &Args<'_>) -> Reply {
    let names: Vec<&str> = COMMANDS.iter().map(|c| c.name).collect();
    Ok(names.join("\n"))
}

pub fn help(_: &mut Session, args: &Args<'_>) -> Reply {
    let line = |c: &crate::gtp::table::Command| {
        let synopsis = format!("{} {}", c.name, c.arguments);
        format!("{}: {}", synopsis.trim_end(), c.doc)
    };
    match args.get(0) {
        Some(name) => find(name)
            .map(line)
            .ok_or_else(|| GtpError::with("unknown command", quote(name))),
        None => Ok(COMMANDS.iter().map(line).collect::<Vec<_>>().join("\n")),
    }
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
