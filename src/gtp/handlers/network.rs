//! Commands about the network and its raw output.

use super::{Args, GtpError, Reply, Session};
use crate::katago;
use crate::net::{NetError, Output, Symmetry};
use crate::types::BoardSize;
use std::fmt::Write;

/// Print raw outputs in KataGo's format for `[COLOR] SYMMETRY|all [OPTIMISM]`. Values are
/// from White's point of view, rows from the top of the board.
pub fn kata_raw_nn(session: &mut Session, args: &Args<'_>) -> Reply {
    let mut color = session.engine.position().to_move();
    let mut at = 0;
    if let Ok(c) = args.color(0) {
        color = c;
        at += 1;
    }
    let size = session.engine.position().size();
    let count = Symmetry::count(size.dims());
    let word = args.word(at)?;
    let symmetries = match word.parse::<u8>() {
        Ok(n) if n < count => n..n + 1,
        _ if word.eq_ignore_ascii_case("all") => 0..count,
        _ => {
            let what = format!("a symmetry from 0 to {}, or all", count - 1);
            return Err(GtpError::expected(&what, word));
        }
    };
    at += 1;
    let mut optimism = None;
    if let Some(word) = args.get(at) {
        let share = args.float(at)? as f32;
        if !(0.0..=1.0).contains(&share) {
            return Err(GtpError::expected("an optimism from 0 to 1", word));
        }
        optimism = Some(share);
        at += 1;
    }
    if let Some(word) = args.get(at) {
        return Err(GtpError::expected("no more arguments", word));
    }
    if !session.engine.settings().evaluator.suits(size) {
        return Err(no_network(size));
    }
    let mut text = String::new();
    for symmetry in symmetries {
        let output = session.engine.raw_evaluation(color, symmetry, optimism);
        let output = output.map_err(|e| without_network(e, size))?;
        let _ = writeln!(text, "symmetry {symmetry}");
        raw(&mut text, &output, size);
    }
    Ok(text.trim_end().to_owned())
}

/// Print the network in use, in KataGo's format.
pub fn kata_get_models(session: &mut Session, _: &Args<'_>) -> Reply {
    let network = session.engine.network().ok();
    Ok(katago::models(session.engine.settings(), network.as_deref()).to_string())
}

/// The error reply if there is no network (`None`) or it cannot be used.
fn without_network(e: Option<NetError>, size: BoardSize) -> GtpError {
    e.map_or_else(|| no_network(size), |e| GtpError::with("no network", e))
}

fn no_network(size: BoardSize) -> GtpError {
    let why = format!("playouts evaluate {size} boards; start with --net FILE");
    GtpError::with("no network", why)
}

fn raw(text: &mut String, o: &Output, size: BoardSize) {
    let square = o.score * o.score + o.deviation * o.deviation;
    for (key, x) in [
        ("whiteWin", o.white_wins),
        ("whiteLoss", o.black_wins),
        ("noResult", o.no_result),
    ] {
        let _ = writeln!(text, "{key} {x:.6}");
    }
    for (key, x) in [
        ("whiteLead", 0.0 - o.lead),
        ("whiteScoreSelfplay", 0.0 - o.score),
        ("whiteScoreSelfplaySq", square),
        ("varTimeLeft", o.time_left),
        ("shorttermWinlossError", o.errors[0]),
        ("shorttermScoreError", o.errors[1]),
    ] {
        let _ = writeln!(text, "{key} {x:.3}");
    }
    rows(text, size, "policy", &o.policy, |p| match p {
        ..0.0 => "    NAN".to_owned(),
        _ => format!("{p:8.6}"),
    });
    let title = format!("policyPass {:8.6}\nwhiteOwnership", o.pass);
    rows(text, size, &title, &o.ownership, |x| {
        format!("{:9.7}", 0.0 - x)
    });
}

/// Write a title and a number for each point.
fn rows(
    text: &mut String,
    size: BoardSize,
    title: &str,
    numbers: &[f32],
    show: impl Fn(f32) -> String,
) {
    let _ = writeln!(text, "{title}");
    for p in size.from_the_top() {
        let number = numbers.get(p.index()).copied().unwrap_or_default();
        let last = p.x() + 1 == size.width();
        let end = if last { "\n" } else { " " };
        let _ = write!(text, "{}{end}", show(number));
    }
}
