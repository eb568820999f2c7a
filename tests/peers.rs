//! Games against other programs, which must be installed:
//! `cargo test --release --test peers -- --ignored`.

use ponnuki::gtp::{Client, vertex};
use ponnuki::player::{Decision, Engine, Settings};
use ponnuki::position::IllegalMove;
use ponnuki::rules::preset;
use ponnuki::types::{BoardSize, Color, Komi};
use std::time::Duration;

/// Games against GNU Go under Chinese rules: both programs must accept each other's moves and agree
/// on the winner.
#[test]
#[ignore = "needs gnugo on the path"]
fn gnugo_agrees_on_moves_and_result() {
    let mut peer = Client::start(
        "gnugo --mode gtp --chinese-rules --level 5",
        Default::default(),
    )
    .unwrap();
    let mut ask = |command: &str| {
        let patience = Duration::from_secs(120);
        let reply = peer.ask(command, patience);
        reply.unwrap_or_else(|e| panic!("gnugo refuses {e}"))
    };
    let mut counted = 0;
    for (game, ours) in Color::BOTH.into_iter().enumerate() {
        let mut engine = Engine::new(Settings {
            size: Some(BoardSize::square(9)),
            rules: preset("chinese").unwrap().rules,
            komi: Some(Komi::half_points(13)),
            limits: ponnuki::analysis::Limits::of_playouts(1000),
            threads: 1,
            seed: game as u64,
            resign_below: None,
            evaluator: ponnuki::analysis::EvaluatorChoice::Playouts,
            ..Settings::default()
        })
        .unwrap();
        for command in ["boardsize 9", "clear_board", "komi 6.5"] {
            ask(command);
        }
        let mut color = Color::Black;
        while !engine.position().is_over() {
            assert!(
                engine.position().turns().len() < 250,
                "the game does not end"
            );
            if color == ours {
                let Decision::Move(m) = engine.genmove(color) else {
                    panic!("resigned although told not to")
                };
                ask(&format!("play {color} {m}"));
            } else {
                let reply = ask(&format!("genmove {color}"));
                if reply == "resign" {
                    break;
                }
                let m = vertex(&reply).unwrap();
                let played: Result<(), IllegalMove> = engine.play(color, m);
                played.unwrap_or_else(|e| panic!("gnugo's {m} is illegal: {e}"));
            }
            color = color.opponent();
        }
        if engine.position().is_over() {
            counted += 1;
            let theirs = ask("final_score");
            let winner = engine.judgement().score().winner().unwrap();
            assert!(
                theirs.starts_with(winner.letter()),
                "{theirs} {}",
                engine.judgement().score()
            );
        }
    }
    // GNU Go may resign one game, but not both: neither side is that much stronger here.
    assert!(counted > 0, "no game was played to its end");
}
