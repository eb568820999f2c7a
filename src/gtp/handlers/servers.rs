//! Commands that clients of game servers send.

use super::{Args, Reply, Session};

/// Print the engine's evaluation of the last move; nothing if the opponent played it.
pub fn explain_last_move(session: &mut Session, _: &Args<'_>) -> Reply {
    let engine = &session.engine;
    let last = engine.position().last_turn();
    let found = engine
        .last_search()
        .filter(|found| last.is_some_and(|t| t.color == found.color));
    Ok(found.map_or_else(String::new, |found| {
        format!(
            "{}: win rate {:.1} %, lead {:+.1} points, {} playouts",
            found.color,
            100.0 * found.win_rate,
            found.lead,
            found.playouts
        )
    }))
}

/// `kgs-chat (game|private) NAME MESSAGE`: answer a question about the game.
pub fn kgs_chat(session: &mut Session, args: &Args<'_>) -> Reply {
    let asked = args.rest().to_ascii_lowercase();
    if !["win", "score", "think", "who", "lead"]
        .iter()
        .any(|w| asked.contains(w))
    {
        return Ok("Ask me who leads, or what I think.".to_owned());
    }
    Ok(match session.engine.last_search() {
        Some(e) => format!(
            "I played {} with a win rate of {:.0} %, {:.1} points {}.",
            e.color,
            100.0 * e.win_rate,
            e.lead.abs(),
            if e.lead < 0.0 { "behind" } else { "ahead" }
        ),
        None => "I have not thought about this game yet.".to_owned(),
    })
}
