//! Networks: against reference outputs, against a plain reimplementation, and with
//! files that are broken.

mod common;

use common::shared::shared;
use ponnuki::net::{Evaluation, Network, Query, Situation};
use ponnuki::position::Position;
use ponnuki::rules::Ruleset;
use ponnuki::types::{BoardSize, Color, Komi, Move, Point};
use serde_json::Value;
use std::path::PathBuf;

/// A point from GTP's notation.
fn vertex(text: &str) -> Move {
    if text.eq_ignore_ascii_case("pass") {
        return Move::Pass;
    }
    let letter = text.as_bytes()[0].to_ascii_uppercase();
    let x = letter - b'A' - u8::from(letter > b'I');
    let y: u8 = text[1..].parse().unwrap();
    Move::Play(Point::new(x, y - 1))
}

/// The position of a reference line.
fn reference_position(line: &Value) -> Position {
    let size = BoardSize::new(
        line["size"].as_u64().unwrap() as u32,
        line["size"].as_u64().unwrap() as u32,
    );
    let rules = Ruleset::parse(&line["rules_json"].to_string()).unwrap();
    let mut position = Position::new(size.unwrap(), rules);
    position.set_komi(Komi::new(line["komi"].as_f64().unwrap()).unwrap());
    for m in line["moves"].as_array().unwrap() {
        let c = match m[0].as_str() {
            Some("B") => Color::Black,
            _ => Color::White,
        };
        // The reference engine let every suicide pass, whatever the rules.
        position.play_unchecked(c, vertex(m[1].as_str().unwrap()));
    }
    position
}

/// The largest differences from a reference: policy, win rate, lead, ownership.
fn differences(line: &Value, network: &Network, evaluation: &mut Evaluation) -> [f64; 4] {
    let position = reference_position(line);
    let c = position.to_move();
    let situation = Situation::of(&position);
    let legal = |p: Point| position.legality(c, Move::Play(p)).is_ok();
    let query = Query {
        // As the reference engine has it at the root, in networks that know it.
        optimism: 0.2,
        ..Query::default()
    };
    let output = evaluation.run(network, &situation, query, legal);
    let wanted = &line["output"];
    let number = |v: &Value| v.as_f64().unwrap();
    let mut worst = [0.0f64; 4];
    let mut see = |i: usize, d: f64| worst[i] = worst[i].max(d.abs());
    let height = position.size().height();
    for p in position.size().points() {
        let (row, column) = ((height - 1 - p.y()) as usize, p.x() as usize);
        let cell = &wanted["policy"][row][column];
        assert_eq!(cell.is_null(), !legal(p), "{}: {p:?}", line["id"]);
        if !cell.is_null() {
            see(0, number(cell) - f64::from(output.policy[p.index()]));
        }
        let owner = number(&wanted["whiteOwnership"][row][column]);
        see(3, owner + f64::from(output.ownership[p.index()]));
    }
    see(0, number(&wanted["policyPass"]) - f64::from(output.pass));
    see(
        1,
        number(&wanted["whiteWin"]) - f64::from(output.white_wins),
    );
    see(
        1,
        number(&wanted["whiteLoss"]) - f64::from(output.black_wins),
    );
    see(1, number(&wanted["noResult"]) - f64::from(output.no_result));
    see(2, number(&wanted["whiteLead"]) + f64::from(output.lead));
    worst
}

/// A network file, in `../shared/nets` or in the folder `PONNUKI_NETS`.
fn installed(name: &str) -> Option<PathBuf> {
    let folders = [
        Some(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/nets").into()),
        std::env::var_os("PONNUKI_NETS").map(PathBuf::from),
    ];
    let files = folders.into_iter().flatten().map(|f| f.join(name));
    files.into_iter().find(|f| f.exists())
}

fn compare(net: &str, reference: &str) {
    let Some(path) = shared(&format!("nets/{reference}"), "references") else {
        return;
    };
    let Some(file) = installed(net) else {
        eprintln!("skipped: {reference}: {net} is not installed");
        return;
    };
    let network = Network::open(&file).unwrap();
    let mut evaluation = Evaluation::new(&network);
    let text = std::fs::read_to_string(path).unwrap();
    let mut worst = [0.0f64; 4];
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let d = differences(&line, &network, &mut evaluation);
        for (w, d) in worst.iter_mut().zip(d) {
            *w = w.max(d);
        }
    }
    println!(
        "{net}: {} positions, largest differences: policy {:.1e}, win rate {:.1e}, lead {:.1e}, ownership {:.1e}",
        text.lines().count(),
        worst[0],
        worst[1],
        worst[2],
        worst[3]
    );
    let [policy, win, lead, ownership] = worst;
    assert!(policy < 1e-3 && win < 2e-3 && lead < 0.05 && ownership < 5e-3);
}

#[test]
fn references_of_b6c96() {
    compare(
        "g170-b6c96-s175395328-d26788732.bin.gz",
        "reference-b6c96.jsonl",
    );
}

#[test]
fn references_of_b15c192() {
    compare(
        "g170e-b15c192-s1672170752-d466197061.bin.gz",
        "reference-b15c192.jsonl",
    );
}

#[test]
fn references_of_b18c384nbt() {
    compare(
        "kata1-b18c384nbt-s9996604416-d4316597426.bin.gz",
        "reference-b18c384nbt.jsonl",
    );
}
