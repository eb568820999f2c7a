//! Life and death after the stop: the examples of the Japanese rules of 1989,
//! settled by the rules' own procedure; what must hold of any position; and games
//! whose players agreed on a result.

mod common;

use common::shared::shared;
use flate2::read::GzDecoder;
use ponnuki::adjudicate::{Effort, Life, Procedure, confirm, safe_chains};
use ponnuki::analysis::ChainStatus;
use ponnuki::board::Board;
use ponnuki::player::{Engine, Settings};
use ponnuki::position::{Owner, Position};
use ponnuki::rules::{Ruleset, SuicideRule, preset};
use ponnuki::sgf;
use ponnuki::tactics::pass_alive;
use ponnuki::types::{BoardSize, Color, Generator, Point};
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::time::Instant;

fn engine() -> Engine {
    Engine::new(Settings {
        threads: 1,
        memory: 64 << 20,
        rules: preset("japanese").unwrap().rules,
        ..Settings::default()
    })
    .unwrap()
}

fn point(sgf: &str, size: BoardSize) -> Point {
    let at = sgf.as_bytes();
    Point::new(at[0] - b'a', size.height() - 1 - (at[1] - b'a'))
}

/// Every position of `../shared/rules/j89`: the status of each chain, territory,
/// what is taken off, and the points that are nobody's. Prints the table: example,
/// expected, found, states searched, milliseconds.
#[test]
fn examples_of_the_japanese_rules() {
    let Some(folder) = shared("rules/j89", "examples_of_the_japanese_rules") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("expected.json")).unwrap();
    let expected: Value = serde_json::from_str(&text).unwrap();
    let mut wrong = Vec::new();
    for (name, e) in expected["positions"].as_object().unwrap() {
        let bytes = std::fs::read(folder.join(e["file"].as_str().unwrap())).unwrap();
        let record = sgf::read(&bytes, &Ruleset::default(), Some(0)).unwrap();
        let size = record.position.size();
        let mut engine = engine();
        engine.set_position(record.position);
        let begun = Instant::now();
        let judgement = engine.judgement().clone();
        let ms = begun.elapsed().as_millis();
        let mut differs = Vec::new();
        for chain in e["chains"].as_array().unwrap() {
            let p = point(chain["sgf"].as_str().unwrap(), size);
            let wanted = chain["status"].as_str().unwrap();
            let status = judgement.chains().iter().find(|c| c.0.contains(&p));
            let found = match status.map(|c| c.1) {
                Some(ChainStatus::Alive) => "alive",
                Some(ChainStatus::Seki) => "seki",
                Some(ChainStatus::Dead) => "dead",
                None => "no chain",
            };
            let nodes = judgement
                .findings()
                .iter()
                .find(|f| f.stones.contains(&p))
                .map_or(0, |f| f.nodes);
            println!(
                "{name:9} {p:4} expected {wanted:11} found {found:6} nodes {nodes:7} {ms:5} ms"
            );
            if wanted != "unspecified" && found != wanted {
                differs.push(format!("{p}: {found}, not {wanted}"));
            }
        }
        for (color, letter) in [(Color::Black, "B"), (Color::White, "W")] {
            let points = size.points().filter(|&p| {
                let alive = judgement
                    .chains()
                    .iter()
                    .any(|(s, status)| *status != ChainStatus::Dead && s.contains(&p));
                !alive && judgement.owner(p) == Owner::Player(color)
            });
            let found = points.count() as u64;
            let wanted = e["territory_count"][letter].as_u64().unwrap();
            if found != wanted {
                differs.push(format!("{color}'s territory: {found}, not {wanted}"));
            }
            let wanted: Vec<Point> = e["dead_removed_as_is"][letter]
                .as_array()
                .unwrap()
                .iter()
                .map(|v| point(v.as_str().unwrap(), size))
                .collect();
            let removed: Vec<Point> = judgement
                .removed()
                .iter()
                .copied()
                .filter(|&p| engine.position().board().at(p).color() == Some(color))
                .collect();
            if removed.len() != wanted.len() || !wanted.iter().all(|p| removed.contains(p)) {
                differs.push(format!("taken off of {color}: {removed:?}, not {wanted:?}"));
            }
        }
        for v in e["dame_or_seki_points"].as_array().unwrap() {
            let p = point(v.as_str().unwrap(), size);
            if judgement.owner(p) != Owner::Nobody {
                differs.push(format!("{p} is somebody's"));
            }
        }
        assert!(ms < 10_000, "{name} took {ms} ms");
        if !differs.is_empty() {
            wrong.push(format!("{name}: {}", differs.join("; ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What the record says of finished games on KGS by strong amateurs, under
/// Japanese rules: the winner, and the margin to half a point.
#[test]
fn results_of_games() {
    let Some(path) = shared("data/kgs6d.sgfs.gz", "results_of_games") else {
        return;
    };
    let mut engine = engine();
    let (mut games, mut winners, mut margins, mut numeric) = (0, 0, 0, 0);
    for line in BufReader::new(GzDecoder::new(File::open(path).unwrap())).lines() {
        let line = line.unwrap();
        let Ok(record) = sgf::read(line.as_bytes(), &Ruleset::default(), None) else {
            continue;
        };
        let result = record.info.result.clone().unwrap_or_default();
        let Some((winner, margin)) = result.split_once('+') else {
            continue;
        };
        let Ok(margin) = margin.parse::<f64>() else {
            continue;
        };
        if record.info.rules.as_deref() != Some("Japanese") {
            continue;
        }
        // The first year's records have winner and loser exchanged now and then.
        numeric += 1;
        if numeric < 400 || numeric % 25 != 0 {
            continue;
        }
        let wanted = if winner == "B" { margin } else { -margin };
        engine.set_position(record.position);
        let found = engine.judgement().score().margin();
        games += 1;
        winners += u32::from(found.signum() == wanted.signum());
        margins += u32::from(found == wanted);
    }
    println!("{games} games: the winner of {winners}, the margin of {margins}");
    assert!(games >= 250);
    assert!(winners * 100 >= games * 97, "{winners} winners of {games}");
    assert!(margins * 100 >= games * 80, "{margins} margins of {games}");
}

/// A position late in a random game.
fn random_position(n: u8, rng: &mut Generator) -> Board {
    let mut board = Board::new(BoardSize::square(n));
    let mut c = Color::Black;
    for _ in 0..board.size().area() + rng.below(board.size().area() as u32) as usize {
        let m = board.random_play(c, SuicideRule::Forbidden, rng);
        board.play_move(c, m);
        c = c.opponent();
    }
    board.clear_ko();
    board
}

/// The same stones with the colours exchanged, mirrored, or turned.
fn changed(board: &Board, swap: bool, map: impl Fn(u8, u8) -> (u8, u8)) -> Board {
    let mut other = Board::new(board.size());
    for p in board.size().points() {
        if let Some(c) = board.at(p).color() {
            let (x, y) = map(p.x(), p.y());
            let c = if swap { c.opponent() } else { c };
            other.place(c, Point::new(x, y)).unwrap();
        }
    }
    other
}

/// The status of each stone, `None` where there is none or it is safe.
fn lives(board: &Board) -> Vec<Option<Option<bool>>> {
    let safe = safe_chains(board, |_| 0.0);
    let findings = confirm(board, &safe, Procedure::ARTICLE_7, Effort::default());
    let mut found = vec![None; board.size().area()];
    for (i, p) in board.size().points().enumerate() {
        let f = findings.iter().find(|f| f.stones.contains(&p));
        found[i] = f.map(|f| f.life.is_alive());
    }
    found
}

/// Status does not depend on the colours, nor on which way the board is turned;
/// what the search cannot settle one way it may settle another.
#[test]
fn status_is_the_same_however_the_board_is_turned() {
    let mut rng = Generator::new(3);
    let mut settled = 0;
    for n in [4, 5, 5, 6] {
        for _ in 0..25 {
            let board = random_position(n, &mut rng);
            let size = board.size();
            let last = n - 1;
            let here = lives(&board);
            type Map<'a> = &'a dyn Fn(u8, u8) -> (u8, u8);
            let maps: [(bool, Map<'_>); 4] = [
                (true, &|x, y| (x, y)),
                (false, &|x, y| (last - x, y)),
                (false, &|x, y| (y, last - x)),
                (true, &|x, y| (last - y, last - x)),
            ];
            for (swap, map) in maps {
                let there = lives(&changed(&board, swap, map));
                for (i, p) in size.points().enumerate() {
                    let (x, y) = map(p.x(), p.y());
                    let j = size
                        .points()
                        .position(|q| (q.x(), q.y()) == (x, y))
                        .unwrap();
                    if let (Some(Some(a)), Some(Some(b))) = (here[i], there[j]) {
                        assert_eq!(a, b, "{p}\n{board:?}");
                        settled += 1;
                    }
                }
            }
        }
    }
    assert!(settled > 1_000, "{settled}");
}

/// Unconditionally alive chains are never called dead, neither by the judgement
/// nor by a confirmation that is asked about them all the same.
#[test]
fn benson_alive_is_never_dead() {
    let mut rng = Generator::new(8);
    let mut alive = 0;
    let nobody_safe = vec![false; ponnuki::types::POINTS];
    for _ in 0..150 {
        let board = random_position(6, &mut rng);
        let findings = confirm(
            &board,
            &nobody_safe,
            Procedure::ARTICLE_7,
            Effort::default(),
        );
        for c in Color::BOTH {
            let stones = pass_alive(&board, c).0;
            for f in findings
                .iter()
                .filter(|f| f.owner == c && stones[f.stones[0].index()])
            {
                assert_eq!(f.life, Life::Uncapturable, "{}\n{board:?}", f.stones[0]);
                alive += 1;
            }
        }
    }
    assert!(alive > 50, "{alive}");
    let mut engine = engine();
    for _ in 0..10 {
        let board = random_position(9, &mut rng);
        let rules = *engine.position().rules();
        engine.set_position(Position::from_board(board.clone(), Color::Black, rules));
        let judgement = engine.judgement();
        for c in Color::BOTH {
            let stones = pass_alive(&board, c).0;
            for (chain, status) in judgement.chains() {
                let is_alive = stones[chain[0].index()];
                assert!(!is_alive || *status != ChainStatus::Dead, "{}", chain[0]);
            }
        }
    }
}

/// Nothing about a judgement depends on the seed of the engine.
#[test]
fn the_seed_changes_nothing() {
    let mut rng = Generator::new(21);
    for _ in 0..5 {
        let board = random_position(7, &mut rng);
        let mut found = Vec::new();
        for seed in [1, 2] {
            let mut engine = Engine::new(Settings {
                seed,
                threads: 1 + seed as usize,
                memory: 64 << 20,
                ..Settings::default()
            })
            .unwrap();
            let rules = preset("japanese").unwrap().rules;
            engine.set_position(Position::from_board(board.clone(), Color::White, rules));
            let judgement = engine.judgement();
            found.push((judgement.chains().to_vec(), judgement.score().margin()));
        }
        assert_eq!(found[0], found[1]);
    }
}

/// Early in a game nothing is in seki: what lies open has not been played.
#[test]
fn an_open_board_has_no_seki() {
    let mut engine = engine();
    engine.resize(BoardSize::square(9));
    let moves = ["C5", "D5", "C6", "E4", "E6", "G3", "G6", "D3"];
    let mut c = Color::Black;
    for v in moves {
        let m = ponnuki::gtp::vertex(v).unwrap();
        engine.play(c, m).unwrap();
        c = c.opponent();
    }
    let judgement = engine.judgement();
    assert_eq!(
        judgement
            .chains()
            .iter()
            .filter(|c| c.1 == ChainStatus::Seki)
            .count(),
        0
    );
}
