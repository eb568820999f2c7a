//! Commands about time systems and time left.

use super::{Args, GtpError, Reply, Session};
use crate::player::{Clock, TimeControl};
use crate::types::Color;
use std::fmt::Write;
use std::time::Duration;

pub fn time_settings(session: &mut Session, args: &Args<'_>) -> Reply {
    // Some controllers compute the main time and may end up below 0.
    let main = match args.float(0)? < 0.0 {
        true => Duration::ZERO,
        false => args.seconds(0)?,
    };
    let (period, stones) = (args.seconds(1)?, args.integer(2)?);
    let control = match (period.is_zero(), stones) {
        // By the specification, overtime with 0 stones means no time limit.
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

/// The systems of `kata-time_settings`.
const SYSTEMS: &str = "none absolute byoyomi canadian fischer fischer-capped";

pub fn kata_list_time_settings(_: &mut Session, _: &Args<'_>) -> Reply {
    Ok(SYSTEMS.to_owned())
}

/// Set the time system: `none`, `absolute M`, `byoyomi M T P` or `canadian M T S`.
pub fn kgs_time_settings(session: &mut Session, args: &Args<'_>) -> Reply {
    let control = system(args, "none, absolute, byoyomi or canadian")?;
    session.engine.clock_mut().set_control(control);
    Ok(String::new())
}

/// Set the time system: one of `kgs-time_settings`, `fischer M I` or
/// `fischer-capped M I LIMIT LONGEST`.
pub fn kata_time_settings(session: &mut Session, args: &Args<'_>) -> Reply {
    let optional = |i: usize| match args.float(i)? < 0.0 {
        true => Ok(None),
        false => args.seconds(i).map(Some),
    };
    let control = match args.word(0)? {
        "fischer" => TimeControl::Fischer {
            main: args.seconds(1)?,
            increment: args.seconds(2)?,
            limit: None,
            longest: None,
        },
        "fischer-capped" => TimeControl::Fischer {
            main: args.seconds(1)?,
            increment: args.seconds(2)?,
            limit: optional(3)?,
            longest: optional(4)?,
        },
        _ => system(args, &SYSTEMS.replace(' ', ", "))?,
    };
    session.engine.clock_mut().set_control(control);
    Ok(String::new())
}

fn system(args: &Args<'_>, known: &str) -> Result<TimeControl, GtpError> {
    Ok(match args.word(0)? {
        "none" => TimeControl::Unlimited,
        "absolute" => TimeControl::Absolute(args.seconds(1)?),
        name @ ("byoyomi" | "byo-yomi" | "canadian") => {
            let (main, period, number) = (args.seconds(1)?, args.seconds(2)?, args.integer(3)?);
            if period.is_zero() || number == 0 {
                TimeControl::Absolute(main)
            } else if name == "canadian" {
                TimeControl::Canadian {
                    main,
                    period,
                    stones: number,
                }
            } else {
                TimeControl::ByoYomi {
                    main,
                    period,
                    periods: number,
                }
            }
        }
        other => return Err(GtpError::expected(known, other)),
    })
}

/// Print the clock in KataGo's format, a line for each player.
pub fn kata_debug_print_tc(session: &mut Session, _: &Args<'_>) -> Reply {
    let clock = session.engine.clock_mut();
    let lines = Color::BOTH.map(|c| format!("{c} {}", in_words(clock, c)));
    Ok(lines.join("\n"))
}

fn in_words(clock: &Clock, c: Color) -> String {
    let Some(left) = clock.left(c) else {
        return "unlimited".to_owned();
    };
    let main = |time: Duration| format!("originalMainTime {}", time.as_secs_f64());
    let overtime = |time, periods: u32, stones: u32, period: Duration| {
        format!(
            "{} originalNumPeriods {periods} numStonesPerPeriod {stones} perPeriodTime {}",
            main(time),
            period.as_secs_f64()
        )
    };
    let mut text = match clock.control() {
        TimeControl::Unlimited => return "unlimited".to_owned(),
        TimeControl::Absolute(time) => main(time),
        TimeControl::Canadian {
            main,
            period,
            stones,
        } => overtime(main, 1, stones, period),
        TimeControl::ByoYomi {
            main,
            period,
            periods,
        } => overtime(main, periods, 1, period),
        TimeControl::Fischer {
            main: time,
            increment,
            limit,
            longest,
        } => {
            let mut text = format!("{} increment {}", main(time), increment.as_secs_f64());
            for (name, cap) in [("mainTimeLimit", limit), ("maxTimePerMove", longest)] {
                if let Some(cap) = cap {
                    let _ = write!(text, " {name} {}", cap.as_secs_f64());
                }
            }
            text
        }
    };
    let time = left.time.as_secs_f64();
    let _ = match (left.stones_or_periods, clock.control()) {
        (0, _) => write!(text, " mainTimeLeft {time} inOvertime 0"),
        (n, TimeControl::ByoYomi { .. }) => write!(
            text,
            " mainTimeLeft 0 inOvertime 1 numPeriodsLeftIncludingCurrent {n} timeLeftInPeriod {time}"
        ),
        (n, _) => write!(
            text,
            " mainTimeLeft 0 inOvertime 1 numStonesLeftInPeriod {n} timeLeftInPeriod {time}"
        ),
    };
    text
}

pub fn time_left(session: &mut Session, args: &Args<'_>) -> Reply {
    let color = args.color(0)?;
    let seconds = args.float(1)?;
    let stones = args.integer(2)?;
    // A controller's clock may fall below zero while a move is in transit.
    let time = if seconds <= 0.0 {
        Duration::ZERO
    } else {
        args.seconds(1)?
    };
    session.engine.clock_mut().set_left(color, time, stones);
    Ok(String::new())
}
