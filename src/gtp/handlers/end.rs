//! Commands about the result and about dead stones. One judgement answers all of them.

use super::{Args, GtpError, Reply, Session};
use crate::analysis::ChainStatus;
use crate::position::{Outcome, Owner};
use crate::types::Color;
use crate::util::spaced;

pub fn final_score(session: &mut Session, _: &Args<'_>) -> Reply {
    let position = session.engine.position();
    if !position.is_over() && position.long_cycle().is_some() {
        return Err(GtpError::with(
            "cannot score",
            "the game has ended without result, since a position has come back",
        ));
    }
    Ok(session.engine.judgement().score().to_string())
}

/// Print how the game ended, as `W+T White wins on time` or `? the game goes on`: as declared, or as
/// a loaded record says if that is no count, or by the count. With an argument, declare that result
/// first.
pub fn outcome(session: &mut Session, args: &Args<'_>) -> Reply {
    if let Some(word) = args.get(0) {
        let declared: Outcome = word.parse().map_err(|_| {
            GtpError::expected("a result such as W+R, W+T, W+F, 0, void or both-lose", word)
        })?;
        session.engine.declare(declared);
    }
    let recorded = session.recorded_result().and_then(|r| r.parse().ok());
    let recorded = recorded.filter(Outcome::is_off_board);
    let declared = session.engine.declared().or(recorded);
    Ok(match declared.or_else(|| session.engine.outcome()) {
        Some(outcome) => format!("{outcome} {}", outcome.in_words()),
        None => "? the game goes on".to_owned(),
    })
}

/// Resume the game and print who is to move: `black` or `white`.
pub fn resume(session: &mut Session, args: &Args<'_>) -> Reply {
    let by = args.color(0)?;
    if !session.engine.resume(by) {
        return Err(GtpError::with(
            "cannot resume",
            "passes have not ended the game",
        ));
    }
    // The result in the loaded record no longer holds.
    if let Some(loaded) = &mut session.loaded {
        loaded.info.result = None;
    }
    let to_move = session.engine.position().to_move();
    Ok(to_move.to_string().to_lowercase())
}

pub fn final_status_list(session: &mut Session, args: &Args<'_>) -> Reply {
    let word = args.word(0)?;
    let status = match word {
        "dead" => ChainStatus::Dead,
        "alive" => ChainStatus::Alive,
        "seki" => ChainStatus::Seki,
        "black_territory" => return Ok(points(session, Owner::Player(Color::Black))),
        "white_territory" => return Ok(points(session, Owner::Player(Color::White))),
        "dame" => return Ok(points(session, Owner::Neither)),
        _ => {
            return Err(GtpError::expected(
                "dead, alive, seki, black_territory, white_territory or dame",
                word,
            ));
        }
    };
    let chains = session.engine.judgement().chains();
    Ok(chains
        .iter()
        .filter(|(_, s)| *s == status)
        .map(|(stones, _)| spaced(stones))
        .collect::<Vec<_>>()
        .join("\n"))
}

fn points(session: &mut Session, owner: Owner) -> String {
    spaced(session.engine.judgement().territory(owner))
}
