//! Pictures and explanations for GoGui's analysis.

use super::params;
use super::pictures::{grid, moves};
use super::{Args, GtpError, Reply, Session};
use crate::analysis::{ChainStatus, Explanation};
use crate::position::Owner;
use crate::types::{BoardSize, Color, Point};
use crate::util::spaced;

/// Entries of GoGui's analysis menu, except the parameter dialogs: kind, label and command.
const ENTRIES: &[&str] = &[
    "cboard/Chain Status/ponnuki-chain_status",
    "string/Explain Chain/ponnuki-explain %p",
    "var/Proof Of Status/ponnuki-explain_line %p",
    "gfx/Critical Points/ponnuki-critical_points",
    "string/Solve Group/ponnuki-solve %c %p",
    "string/Solve Problem/ponnuki-solve %c",
    "cboard/Territory/ponnuki-territory",
    "plist/Dame/final_status_list dame",
    "plist/Dead Stones/final_status_list dead",
    "plist/Seki/final_status_list seki",
    "string/Result/ponnuki-outcome",
    "dboard/Ownership/ponnuki-ownership",
    "dboard/Prior/ponnuki-prior",
    "sboard/Visits/ponnuki-visits",
    "pspairs/Best Moves/top_moves %m",
    "var/Principal Variation/ponnuki-variation",
    "string/Estimate Score/estimate_score",
    "plist/Legal Points/all_legal %c",
    "plist/Illegal Points/ponnuki-all_illegal %c",
    "string/Legal Or Why Not/ponnuki-legality %c %p",
    "none/Forget Search/clear_cache",
];

pub fn analyze_commands(_: &mut Session, _: &Args<'_>) -> Reply {
    let dialogs = params::groups().into_iter().map(|group| {
        let argument = group.to_lowercase();
        format!("param/Parameters: {group}/ponnuki-param {argument}")
    });
    let entries = ENTRIES.iter().map(|&entry| entry.to_owned());
    Ok(entries.chain(dialogs).collect::<Vec<_>>().join("\n"))
}

pub fn explain(session: &mut Session, args: &Args<'_>) -> Reply {
    Ok(explanation(session, args)?.to_string())
}

/// Write the proof as moves of both colours: `w A9 b B9`, a pass as `b PASS`.
pub fn explain_line(session: &mut Session, args: &Args<'_>) -> Reply {
    let line = explanation(session, args)?.line;
    Ok(moves(line.iter().map(|&(c, step)| (c, step.on_board()))))
}

fn explanation(session: &mut Session, args: &Args<'_>) -> Result<Explanation, GtpError> {
    let size = session.engine.position().size();
    let p = args.point(0, size, "no stone")?;
    let found = session.engine.explain(p);
    found.ok_or_else(|| GtpError::with("no stone", format_args!("{p} is empty")))
}

/// Mark unsettled chains with triangles, points that save one with circles, points that kill one
/// with squares and points that do both with crosses, and describe each chain.
pub fn critical_points(session: &mut Session, _: &Args<'_>) -> Reply {
    let found = session.engine.critical_points();
    let saves = |p: &Point| found.iter().any(|(_, c)| c.saves == *p);
    let kills = |p: &Point| found.iter().any(|(_, c)| c.kills == *p);
    let size = session.engine.position().size();
    let stones = |p: &Point| found.iter().any(|(stones, _)| stones.contains(p));
    let mark = |p: &Point| match (stones(p), saves(p), kills(p)) {
        (true, ..) => Some("TRIANGLE"),
        (_, true, true) => Some("MARK"),
        (_, true, false) => Some("CIRCLE"),
        (_, false, true) => Some("SQUARE"),
        _ => None,
    };
    let mut lines = Vec::new();
    for name in ["TRIANGLE", "CIRCLE", "SQUARE", "MARK"] {
        let points = size.points().filter(|p| mark(p) == Some(name));
        if points.clone().next().is_some() {
            lines.push(format!("{name} {}", spaced(points)));
        }
    }
    let texts = found.iter().filter_map(|(stones, critical)| {
        let p = stones.first()?;
        Some(format!("{} {p} {critical}", critical.owner))
    });
    let texts: Vec<String> = texts.collect();
    lines.push(match texts.is_empty() {
        true if session.engine.is_timed() => "TEXT not searched while a clock runs".to_owned(),
        true => "TEXT no group is unsettled".to_owned(),
        false => format!("TEXT {}", texts.join("; ")),
    });
    Ok(lines.join("\n"))
}

/// Colour living chains green, chains in seki yellow and dead ones red.
pub fn chain_status(session: &mut Session, _: &Args<'_>) -> Reply {
    let size = session.engine.position().size();
    let judgement = session.engine.judgement();
    Ok(colors(size, |p| {
        judgement.status(p).map(|status| match status {
            ChainStatus::Alive => "#30a030",
            ChainStatus::Seki => "#e0c000",
            ChainStatus::Dead => "#d02020",
        })
    }))
}

/// Colour Black's points dark, White's light and neutral ones grey.
pub fn territory(session: &mut Session, _: &Args<'_>) -> Reply {
    let size = session.engine.position().size();
    let judgement = session.engine.judgement();
    Ok(colors(size, |p| {
        Some(match judgement.owner(p) {
            Owner::Player(Color::Black) => "#303030",
            Owner::Player(Color::White) => "#f0f0f0",
            Owner::Neither => "#909090",
        })
    }))
}

/// Write a colour, or `""` for none, for each point, rows from the top.
fn colors(size: BoardSize, color: impl Fn(Point) -> Option<&'static str>) -> String {
    grid(size, |p| color(p).unwrap_or("\"\"").to_owned())
}
