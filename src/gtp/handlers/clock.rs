//! Time systems and what is left.

use crate::gtp::error::GtpError;
use crate::gtp::parse::Args;
use crate::gtp::session::Session;
use crate::search::TimeControl;
use std::time::Duration;

type Reply = Result<String, GtpError>;

pub fn time_settings(session: &mut Session, args: &Args<'_>) -> Reply {
    let (main, period, stones) = (args.seconds(0)?, args.seconds(1)?, args.integer(2)?);
    let control = match (period.is_zero(), stones) {
        // The draft: overtime without stones to play is no limit at all.
        (false, 0) => TimeControl::Unlimited,
        (true, _) => TimeControl::Absolute(main),
        (false, stones) => TimeControl::Canadian {
            main,
            period,
            stones,
        },
    };
    session.engine.clock_mut().set_control(control);
    Ok(String::new())
}

pub fn time_left(session: &mut Session, args: &Args<'_>) -> Reply {
    let color = args.color(0)?;
    let seconds = args.float(1)?;
    let stones = args.integer(2)?;
    // A controller may count below zero while a move is on its way.
    let time = if seconds <= 0.0 {
        Duration::ZERO
    } else {
        args.seconds(1)?
    };
    session.engine.clock_mut().set_left(color, time, stones);
    Ok(String::new())
}
