//! Games against other programs. They need those programs, so they are run by
//! `cargo test --release --test peers -- --ignored`.

use ponnuki::engine::{Decision, Engine, Settings};
use ponnuki::position::IllegalMove;
use ponnuki::rules::preset;
use ponnuki::types::{BoardSize, Color, Komi, Move, Point};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

fn vertex(text: &str) -> Option<Move> {
    if text.eq_ignore_ascii_case("pass") {
        return Some(Move::Pass);
    }
    let x = text.bytes().next()?.to_ascii_uppercase() - b'A';
    let y: u8 = text.get(1..)?.parse().ok()?;
    Some(Move::Play(Point::new(if x > 8 { x - 1 } else { x }, y - 1)))
}

/// A game against GNU Go under Chinese rules. Its moves must be legal to us and
/// ours to it, and both must find the same winner.
#[test]
#[ignore = "needs gnugo on the path"]
fn gnugo_agrees_on_moves_and_result() {
    let mut peer = Command::new("gnugo")
        .args(["--mode", "gtp", "--chinese-rules", "--level", "5"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("gnugo is on the path");
    let mut input = peer.stdin.take().unwrap();
    let mut output = BufReader::new(peer.stdout.take().unwrap()).lines();
    let mut ask = |command: &str| {
        writeln!(input, "{command}").unwrap();
        let mut reply = String::new();
        for line in output.by_ref() {
            let line = line.unwrap();
            if line.is_empty() {
                break;
            }
            reply.push_str(&line);
        }
        reply
            .strip_prefix("= ")
            .or_else(|| reply.strip_prefix('='))
            .unwrap_or_else(|| panic!("gnugo refuses {command}: {reply}"))
            .to_owned()
    };
    for (game, ours) in Color::BOTH.into_iter().enumerate() {
        let mut engine = Engine::new(Settings {
            size: Some(BoardSize::square(9)),
            rules: preset("chinese").unwrap().rules,
            komi: Some(Komi::half_points(13)),
            playouts: Some(1000),
            threads: 1,
            seed: game as u64,
            resign_below: None,
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
            let theirs = ask("final_score");
            let winner = engine.judgement().score().winner().unwrap();
            assert!(
                theirs.starts_with(winner.letter()),
                "{theirs} {}",
                engine.judgement().score()
            );
        }
    }
    let _ = ask("quit");
    peer.wait().unwrap();
}
