//! The result, and which stones are dead: both from one judgement.

use super::vertices;
use crate::engine::ChainStatus;
use crate::gtp::error::GtpError;
use crate::gtp::parse::Args;
use crate::gtp::session::Session;
use crate::position::Owner;
use crate::types::Color;

type Reply = Result<String, GtpError>;

pub fn final_score(session: &mut Session, _: &Args<'_>) -> Reply {
    Ok(session.engine.judgement().score().to_string())
}

pub fn final_status_list(session: &mut Session, args: &Args<'_>) -> Reply {
    let word = args.word(0)?;
    let status = match word {
        "dead" => ChainStatus::Dead,
        "alive" => ChainStatus::Alive,
        "seki" => ChainStatus::Seki,
        "black_territory" => return Ok(points(session, Owner::Player(Color::Black))),
        "white_territory" => return Ok(points(session, Owner::Player(Color::White))),
        "dame" => return Ok(points(session, Owner::Nobody)),
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
        .map(|(stones, _)| vertices(stones))
        .collect::<Vec<_>>()
        .join("\n"))
}

fn points(session: &mut Session, owner: Owner) -> String {
    let size = session.engine.position().size();
    vertices(&session.engine.judgement().territory(size, owner))
}
