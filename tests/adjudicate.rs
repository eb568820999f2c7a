//! Life and death after the stop: the examples of the Japanese rules of 1989, settled by the
//! rules' own procedure; properties of random positions; and games with agreed results.

mod common;

use common::examples::{Example, examples};
use common::replay;
use common::shared::shared;
use cpu_time::ThreadTime;
use flate2::read::GzDecoder;
use ponnuki::adjudicate::{
    Conduct, Dame, Effort, First, Life, Procedure, Proof, Retake, Safe, Territory, Walls, confirm,
    divide,
};
use ponnuki::analysis::{ChainStatus, Judgement};
use ponnuki::board::Board;
use ponnuki::player::{Engine, Settings};
use ponnuki::position::{Owner, Position};
use ponnuki::rules::{Ruleset, SuicideRule, preset};
use ponnuki::sgf;
use ponnuki::tactics::unconditional;
use ponnuki::types::{BoardSize, Color, Generator, Move, Point, PointSet};
use std::fmt::Write;
use std::fs::File;
use std::io::{BufRead, BufReader};

fn engine() -> Engine {
    Engine::new(Settings {
        threads: 1,
        memory: 64 << 20,
        rules: preset("japanese").unwrap().rules,
        evaluator: ponnuki::analysis::EvaluatorChoice::Playouts,
        ..Settings::default()
    })
    .unwrap()
}

/// The judgement of a point, in the letters of `tests/data/j89`.
fn letter(position: &Position, judgement: &Judgement, p: Point) -> char {
    let owner = judgement.owner(p);
    let Some(color) = position.board().at(p).color() else {
        return match owner {
            Owner::Player(Color::Black) => 'B',
            Owner::Player(Color::White) => 'W',
            Owner::Neither => '.',
        };
    };
    let chain = judgement.chains().iter().find(|c| c.0.contains(&p));
    match (chain.unwrap().1, judgement.removed().contains(&p)) {
        (ChainStatus::Alive, false) => {
            assert_eq!(owner, Owner::Player(color), "{p}");
            'a'
        }
        (ChainStatus::Seki, false) => {
            assert_eq!(owner, Owner::Player(color), "{p}");
            's'
        }
        (ChainStatus::Dead, true) => {
            assert_eq!(owner, Owner::Player(color.opponent()), "{p}");
            'd'
        }
        (ChainStatus::Dead, false) => {
            assert_eq!(owner, Owner::Neither, "{p}");
            'x'
        }
        (status, true) => panic!("{p} is {status:?} and taken off"),
    }
}

/// A rotation or reflection of a square board, given its largest coordinate.
type Turn = fn(u8, u8, u8) -> (u8, u8);

const TURNS: [Turn; 8] = [
    |_, x, y| (x, y),
    |n, x, y| (n - x, y),
    |n, x, y| (x, n - y),
    |n, x, y| (n - x, n - y),
    |_, x, y| (y, x),
    |n, x, y| (n - y, x),
    |n, x, y| (y, n - x),
    |n, x, y| (n - y, n - x),
];

/// The expected letter with the colours exchanged.
fn swapped(letter: char) -> char {
    match letter {
        'B' => 'W',
        'W' => 'B',
        other => other,
    }
}

/// Judge an example, optionally turned and with the colours exchanged. Checks the status of each
/// stone, the owner of each empty point and which dead stones are removed. No status may rest on
/// playouts, and the judgement may take ten seconds at most. Prints states searched and
/// milliseconds. Returns a description of any difference.
fn check(example: &Example, swap: bool, turn: usize) -> Option<String> {
    let name = format!(
        "{} {turn}{}",
        example.name,
        if swap { " swapped" } else { "" }
    );
    let size = example.board.size();
    let map = |x, y| TURNS[turn](size.width() - 1, x, y);
    let board = changed(&example.board, swap, map);
    let mut engine = engine();
    let rules = preset("japanese").unwrap().rules;
    engine.switch_game(Position::from_board(board.clone(), Color::Black, rules));
    let begun = ThreadTime::now();
    let judgement = engine.judgement().clone();
    let ms = begun.elapsed().as_millis();
    for f in judgement.findings() {
        replay::check(&board, f);
    }
    let nodes: u64 = judgement.findings().iter().map(|f| f.nodes).sum();
    println!("{name:24} {nodes:8} states {ms:5} ms");
    let mut found = String::new();
    let mut differs = ms > 10_000;
    for &(p, wanted) in &example.expected {
        let wanted = if swap { swapped(wanted) } else { wanted };
        let (x, y) = map(p.x(), p.y());
        let q = Point::new(x, y);
        let proved = board.is_empty(q) || judgement.is_proved(&board, q);
        let letter = letter(engine.position(), &judgement, q);
        differs |= letter != wanted || !proved;
        found.push(if proved { letter } else { '?' });
        found.push(if p.x() + 1 == size.width() { '\n' } else { ' ' });
    }
    for (stones, _) in judgement.chains() {
        if !judgement.is_proved(&board, stones[0]) {
            let why = judgement.explain(engine.position(), stones[0]).unwrap();
            writeln!(found, "{why}").unwrap();
        }
    }
    differs.then(|| format!("{name}: after {ms} ms\n{found}"))
}

/// The examples of the commentary, and positions that were once judged wrongly.
fn all_examples() -> Vec<Example> {
    let mut all = examples("j89");
    all.extend(examples("exact"));
    assert_eq!(all.len(), 17);
    all
}

#[test]
fn examples_of_the_japanese_rules() {
    let found = all_examples()
        .iter()
        .filter_map(|e| check(e, false, 0))
        .collect::<Vec<_>>();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Each example in one other orientation.
#[test]
fn examples_turned() {
    let mut rng = Generator::new(15);
    let turned = all_examples().into_iter().filter_map(|e| {
        let turn = 1 + rng.below(7) as usize;
        check(&e, rng.below(2) == 0, turn)
    });
    let found: Vec<String> = turned.collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The end of a game in which these stones were played; a player without stones left passes.
fn ended(board: &Board) -> Position {
    let rules = preset("japanese").unwrap().rules;
    let mut position = Position::new(board.size(), rules);
    let plays = |c| -> Vec<Move> {
        let own = |p: &Point| board.at(*p).color() == Some(c);
        board.size().points().filter(own).map(Move::Play).collect()
    };
    let mut black = plays(Color::Black).into_iter();
    let mut white = plays(Color::White).into_iter();
    while position.consecutive_passes() < 2 {
        let turns = [(Color::Black, black.next()), (Color::White, white.next())];
        for (c, next) in turns {
            position.play(c, next.unwrap_or(Move::Pass)).unwrap();
        }
    }
    position
}

/// Examples with the same judgement as the end of a game and as a diagram: no protective move is
/// needed, and no dame is left outside seki. Among them are the double-ko sekis, in which a stone
/// that can be captured separates the dame from one player.
#[test]
fn examples_that_end_games() {
    let names = [
        "diagram-11",
        "diagram-12",
        "diagram-17",
        "example-01",
        "example-07-1",
        "example-16",
        "example-18",
        "example-25",
    ];
    let all = examples("j89");
    for name in names {
        let example = all.iter().find(|e| e.name == name).unwrap();
        let mut engine = engine();
        engine.switch_game(ended(&example.board));
        let judgement = engine.judgement().clone();
        for &(p, wanted) in &example.expected {
            let found = letter(engine.position(), &judgement, p);
            assert_eq!(found, wanted, "{name} at {p}");
        }
    }
}

/// `cargo test --release --test adjudicate -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn examples_in_every_orientation() {
    let mut found = Vec::new();
    for example in all_examples() {
        for turn in 0..TURNS.len() {
            found.extend(
                [false, true]
                    .into_iter()
                    .filter_map(|swap| check(&example, swap, turn)),
            );
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn results_of_games() {
    check_results("results_of_games", 100, 85);
}

#[test]
#[ignore = "takes minutes"]
fn results_of_many_games() {
    check_results("results_of_many_games", 25, 90);
}

/// Check every n-th of the finished games by strong amateurs on KGS, under Japanese rules: the
/// recorded winner, and the exact margin in at least this percentage.
fn check_results(test: &str, n: u32, percentage: u32) {
    let Some(path) = shared("data/kgs6d.sgfs.gz", test) else {
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
        // Some records of the first year have winner and loser exchanged.
        numeric += 1;
        if numeric < 400 || numeric % n != 0 {
            continue;
        }
        let wanted = if winner == "B" { margin } else { -margin };
        engine.switch_game(record.position);
        let found = engine.judgement().score().margin();
        games += 1;
        winners += u32::from(found.signum() == wanted.signum());
        margins += u32::from(found == wanted);
    }
    println!("{games} games: the winner of {winners}, the margin of {margins}");
    assert!(games * n >= 6250);
    assert!(winners * 100 >= games * 97, "{winners} winners of {games}");
    assert!(
        margins * 100 >= games * percentage,
        "{margins} margins of {games}"
    );
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

/// The stones with the colours exchanged, mirrored, or turned.
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

/// Effort for a question that may stay open.
const LITTLE: Effort = Effort {
    nodes: 50_000,
    total: 200_000,
    empty: 64,
    prove: true,
    until: None,
};

/// The status of each stone; `None` if there is no stone or it is safe.
fn lives(board: &Board) -> Vec<Option<Option<bool>>> {
    let walls = Safe::of(board, None).walls();
    let findings = confirm(board, &[], &walls, Procedure::ARTICLE_7, LITTLE);
    let mut found = vec![None; board.size().area()];
    for (i, p) in board.size().points().enumerate() {
        let f = findings.iter().find(|f| f.stones.contains(&p));
        found[i] = f.map(|f| f.life.is_alive());
    }
    found
}

/// A status does not depend on colours or orientation, if the search settles it in both.
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

/// Unconditionally alive chains are never judged dead, by a judgement or by a confirmation that
/// does not treat them as walls.
#[test]
fn benson_alive_is_never_dead() {
    let mut rng = Generator::new(8);
    let mut alive = 0;
    let no_walls = Walls::default();
    for _ in 0..150 {
        let board = random_position(6, &mut rng);
        let findings = confirm(&board, &[], &no_walls, Procedure::ARTICLE_7, LITTLE);
        for c in Color::BOTH {
            let unconditional = unconditional(&board, c, false).stones;
            for f in findings
                .iter()
                .filter(|f| f.owner == c && unconditional.contains(&f.stones[0]))
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
        engine.switch_game(Position::from_board(board.clone(), Color::Black, rules));
        let judgement = engine.judgement();
        for c in Color::BOTH {
            let unconditional = unconditional(&board, c, false).stones;
            for (chain, status) in judgement.chains() {
                let is_alive = unconditional.contains(&chain[0]);
                assert!(!is_alive || *status != ChainStatus::Dead, "{}", chain[0]);
            }
        }
    }
}

/// A judgement does not depend on the engine's seed.
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
                evaluator: ponnuki::analysis::EvaluatorChoice::Playouts,
                ..Settings::default()
            })
            .unwrap();
            let rules = preset("japanese").unwrap().rules;
            engine.switch_game(Position::from_board(board.clone(), Color::White, rules));
            let judgement = engine.judgement();
            found.push((judgement.chains().to_vec(), judgement.score().margin()));
        }
        assert_eq!(found[0], found[1]);
    }
}

/// Early in a game nothing is in seki: open areas have not been played out.
#[test]
fn an_open_board_has_no_seki() {
    let mut engine = engine();
    let rules = *engine.position().rules();
    engine.load_record(Position::new(BoardSize::square(9), rules));
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

/// The territory of a board on which every stone lives, its dame filled.
fn divided(diagram: &str) -> Territory {
    let board = Board::from_diagram(diagram).unwrap();
    let nothing = PointSet::default();
    divide(&board, &nothing, &nothing, &nothing, Dame::Filled)
}

/// The point of a vertex.
fn at(vertex: &str) -> Point {
    let m = ponnuki::gtp::vertex(vertex).unwrap();
    m.point().unwrap()
}

/// The owner of a point in a territory.
fn owner(territory: &Territory, vertex: &str) -> Owner {
    territory.owners[at(vertex).index()]
}

const BLACK: Owner = Owner::Player(Color::Black);
const WHITE: Owner = Owner::Player(Color::White);

/// With the colours exchanged, all territory changes hands.
#[test]
fn exchanging_colours_exchanges_territory() {
    let mut rng = Generator::new(31);
    let nothing = PointSet::default();
    let mut filled = 0;
    for _ in 0..1000 {
        let board = random_position(7, &mut rng);
        let here = divide(&board, &nothing, &nothing, &nothing, Dame::Filled);
        let swapped = changed(&board, true, |x, y| (x, y));
        let there = divide(&swapped, &nothing, &nothing, &nothing, Dame::Filled);
        assert_eq!(here.seki, there.seki, "{board:?}");
        for p in board.size().points() {
            let other = match here.owners[p.index()] {
                Owner::Player(c) => Owner::Player(c.opponent()),
                Owner::Neither => Owner::Neither,
            };
            assert_eq!(there.owners[p.index()], other, "{p}\n{board:?}");
            let inside = |c| {
                p.neighbours()
                    .iter()
                    .all(|&q| board.at(q).color() == Some(c))
            };
            filled += usize::from(other == Owner::Neither && Color::BOTH.into_iter().any(inside));
        }
    }
    assert!(filled > 40, "{filled}");
}

/// Black's chains of one eye each connect in the middle at one of three points, White's at
/// F4, G5 or H5: neither needs the dame between them. With one eye less each, both do.
#[test]
fn chains_that_connect_at_either_of_two_points_live_together() {
    let two_eyes = ". O X X X O O O X . .
                    . O X . X O . O X . .
                    . O X X X O O O X . .
                    . O X X X O O O X . .
                    . O . . . O . . X . .
                    . O X X X . O O X . .
                    . O X X X O O O X . .
                    . O X . X O . O X . .
                    . O X X X O O O X . .";
    let territory = divided(two_eyes);
    assert_eq!(territory.seki, PointSet::default());
    for (eye, whose) in [("D8", BLACK), ("D2", BLACK), ("G8", WHITE), ("G2", WHITE)] {
        assert_eq!(owner(&territory, eye), whose, "{eye}");
    }
    let one_eye = two_eyes.replacen("O X . X O . O X", "O X X X O O O X", 1);
    let territory = divided(&one_eye);
    assert!(territory.seki.contains(at("E6")));
    assert_eq!(owner(&territory, "D2"), Owner::Neither);
}

/// Black's chain in the upper right has one eye at J7; the eye at J5 is false, since J4 can be
/// captured. So both players need the dame at J3 and live in seki. If that chain is connected at
/// G5, J4 can be connected too, and nothing is in seki.
#[test]
fn a_false_eye_is_not_a_second_eye() {
    let cut_off = ". . . . . O O O O
                   . . . . . O O X X
                   . . . . . O O X .
                   O O O O O O X X X
                   X X X X X X O X .
                   . . . . . X O O X
                   . . . . . X X O .
                   . . . . . . X O O
                   . . . . . . X O .";
    let territory = divided(cut_off);
    assert!(territory.seki.contains(at("J4")) && territory.seki.contains(at("H3")));
    for nobodys in ["J5", "J3", "J1"] {
        assert_eq!(owner(&territory, nobodys), Owner::Neither, "{nobodys}");
    }
    let territory = divided(&cut_off.replace("X X O X .", "X X X X ."));
    assert_eq!(territory.seki, PointSet::default());
    assert_eq!(owner(&territory, "J7"), BLACK);
}

/// C4 is in atari: White has to connect at D4 before the count.
#[test]
fn a_chain_in_atari_is_connected_in_its_territory() {
    let territory = divided(
        ". . X O . . .
         . . X O . . .
         . X X O . . .
         . X O . O . .
         . . X O . . .
         . . X O . . .
         . . X O . . .",
    );
    assert_eq!(owner(&territory, "D4"), Owner::Neither);
    assert_eq!(owner(&territory, "E5"), WHITE);
    assert_eq!(owner(&territory, "B3"), BLACK);
}

/// When White fills the dame at C7, Black must connect C6 at B6, unless he can capture the stone
/// there and the capturing stone survives.
#[test]
fn a_connection_against_a_stone_that_can_be_taken_is_not_needed() {
    let below = "X . X O O O .
                 . X O . . . .
                 . X O . . . .
                 . X O . . . .
                 . X O . . . .
                 . X O . . . .";
    for (above, whose) in [
        // C7 is connected.
        (". X . O . O .", Owner::Neither),
        // Black captures it at D7, but White recaptures.
        (". X . . O O .", Owner::Neither),
        (". X . . . O .", BLACK),
    ] {
        let territory = divided(&format!("{above}\n{below}"));
        assert_eq!(owner(&territory, "B6"), whose, "{above}");
        assert_eq!(owner(&territory, "A7"), BLACK, "{above}");
    }
}

/// In a small open region there are many paths to every state, and sums of proof numbers would
/// overflow: each question must still end, with or without an answer.
#[test]
fn a_board_of_repetitions_is_judged() {
    let diagram = ". . . .
                   . . X .
                   . . . O
                   . X O .";
    let board = Board::from_diagram(diagram).unwrap();
    let rules = preset("new-zealand").unwrap().rules;
    let how = Procedure {
        first: First::Owner,
        conduct: Conduct {
            retake: Retake::AfterAnyMove,
            suicide: rules.suicide,
            ko: rules.ko,
        },
    };
    let effort = Effort {
        nodes: 20_000,
        total: 200_000,
        ..Effort::default()
    };
    let walls = Safe::of(&board, None).walls();
    let findings = confirm(&board, &[], &walls, how, effort);
    let searched: u64 = findings.iter().map(|f| f.nodes).sum();
    assert!(0 < searched && searched <= 400_000, "{searched} states");
}

/// The judgement of a record, and its margin for Black.
fn judged(record: &str) -> (Judgement, f64) {
    let mut engine = engine();
    let record = sgf::read(record.as_bytes(), &Ruleset::default(), None).unwrap();
    engine.switch_game(record.position);
    let judgement = engine.judgement().clone();
    let margin = judgement.score().margin();
    (judgement, margin)
}

/// A position with chains in doubt, judged by playouts.
#[test]
fn life_and_death_do_not_depend_on_the_komi() {
    let margin = |komi: i32| {
        let record = format!(
            "(;SZ[6:7]RU[Korean]KM[{komi}]\
             AB[ca][da][bb][eb][bc][fc][ad][ed][fe][af][ef][bg][dg]\
             AW[cb][db][cc][dc][ec][bd][dd][ae][be][ce][de][ee][bf][df][cg]\
             PL[B];B[];W[])"
        );
        judged(&record).1 + f64::from(komi)
    };
    let even = margin(0);
    for komi in [25, -14] {
        assert_eq!(margin(komi), even, "{komi}");
    }
}

/// Black's corner has three points in a row and no outside liberty: White at B9 would kill it, so
/// Black fills B9 before the count. As a diagram it is dead (Article 7.1).
#[test]
fn a_chain_that_an_attack_would_kill_is_protected_before_the_count() {
    let stones = "SZ[9]RU[Japanese]KM[0]\
        AB[da][ab][bb][cb][db][af][bf][cf][df][ef][ff][gf][hf][if]\
        AW[ea][eb][ac][bc][cc][dc][ec][ae][be][ce][de][ee][fe][ge][he][ie]";
    let (game, margin) = judged(&format!("(;{stones};B[gg];W[cd];B[];W[])"));
    let point = |v| ponnuki::gtp::vertex(v).unwrap().point().unwrap();
    assert_eq!(game.owner(point("B9")), Owner::Neither);
    assert_eq!((game.owner(point("A9")), margin), (BLACK, 8.0));
    let (diagram, _) = judged(&format!("(;{stones})"));
    assert_eq!(diagram.status(point("D9")), Some(ChainStatus::Dead));
}

/// White has a square of four, Black a pyramid with a white stone in its centre: one eye each, with
/// three shared dame. That is a seki, at the end of a game as in a diagram.
#[test]
fn a_square_of_four_and_an_occupied_pyramid_are_one_eye_each() {
    let stones = "SZ[13]RU[Japanese]KM[0]\
        AB[ba][fa][la][bb][cb][eb][fb][lb][cc][dc][ec][fc][lc][fd][id][jd][kd][ld][ge][he][ie]\
        [gf][gg][gh][gi][gj][gk][gl][gm]\
        AW[aa][da][ha][ka][ab][hb][kb][ac][bc][hc][ic][jc][kc][bd][cd][dd][ed][gd][hd][ee][fe]\
        [ff][fg][fh][fi][fj][fk][fl][fm]";
    let (game, margin) = judged(&format!("(;{stones};B[jk];W[bl];B[];W[])"));
    let point = |v| ponnuki::gtp::vertex(v).unwrap().point().unwrap();
    for v in ["H10", "D11"] {
        assert_eq!(game.status(point(v)), Some(ChainStatus::Seki), "{v}");
    }
    assert_eq!(margin, 11.0);
    let (diagram, _) = judged(&format!("(;{stones})"));
    for v in ["H10", "D11"] {
        assert_eq!(diagram.status(point(v)), Some(ChainStatus::Seki), "{v}");
    }
}

/// Life-and-Death Example 9 as the end of a game: each side lives only if it captures the other
/// first, so both are dead and neither is removed (Article 10.1). The engine still reports the
/// threats to both.
#[test]
fn a_game_may_end_with_both_sides_dead() {
    let record = "(;SZ[9]RU[Japanese]KM[0]\
         AB[aa][ca][bb][cb][bc][ad][bd][ag][bg][cg][dg][eg][fg][gg][hg][ig][eh][gi]\
         AW[da][ea][ga][ab][db][eb][fb][gb][hb][ib][cc][dc][cd][ae][be][ce][af][bf][cf][df][ef]\
         [ff][gf][hf][if];B[ci];W[he];B[];W[])";
    let (game, margin) = judged(record);
    let point = |v| ponnuki::gtp::vertex(v).unwrap().point().unwrap();
    for v in ["B6", "A9", "A8"] {
        assert_eq!(game.status(point(v)), Some(ChainStatus::Dead), "{v}");
        assert!(!game.removed().contains(&point(v)), "{v}");
    }
    assert_eq!(margin, -4.0);
    let position = sgf::read(record.as_bytes(), &Ruleset::default(), None).unwrap();
    let board = position.position.board();
    let black = game.attacked(board, Color::Black, None).threats;
    assert!(black.iter().any(|t| t.stones.contains(&point("B6"))));
}

/// The same stones after different games are judged alike.
#[test]
fn the_order_of_moves_changes_no_judgement() {
    let margins = [
        ";B[dh];W[ef];B[cf];W[ei];B[db];W[ea];B[dd];W[eh];B[de];W[ec];B[dc];W[eb];B[da];W[ee]\
         ;B[di];W[ed];B[cg];W[df];B[];W[dg];B[];W[]",
        ";B[cf];W[ee];B[cg];W[eh];B[dh];W[ec];B[de];W[ef];B[dd];W[df];B[da];W[ei];B[di];W[ea]\
         ;B[db];W[dg];B[dc];W[eb];B[];W[ed];B[];W[]",
    ]
    .map(|moves| judged(&format!("(;SZ[9]RU[Chinese]KM[0]{moves})")).1);
    assert_eq!(margins, [-13.0; 2]);
}

/// Assert that the statuses of these points on a square board are proved without a network, in
/// every orientation and with either colour.
fn assert_proved_in_every_orientation(standing: &Board, expected: &[((u8, u8), ChainStatus)]) {
    let rules = preset("japanese").unwrap().rules;
    for (turn, swap) in TURNS
        .into_iter()
        .flat_map(|turn| [(turn, false), (turn, true)])
    {
        let map = |x, y| turn(standing.size().width() - 1, x, y);
        let board = changed(standing, swap, map);
        let mut engine = engine();
        engine.switch_game(Position::from_board(board.clone(), Color::Black, rules));
        let judgement = engine.judgement();
        for &((x, y), wanted) in expected {
            let (x, y) = map(x, y);
            let p = Point::new(x, y);
            assert_eq!(judgement.status(p), Some(wanted), "{p}\n{board}");
            assert!(judgement.is_proved(&board, p), "{p}\n{board}");
        }
    }
}

/// One lost white stone next to a wall with territory behind it opens no region: the seki in the
/// corner is still proved.
#[test]
fn a_stray_stone_outside_a_wall_opens_no_region() {
    let corner = Board::from_diagram(
        ". . . X X O . O .
         . . . X O O O X X
         . . . X X O O O .
         . . . X X X X O O
         . . . . . . X X O
         . . . . . . O X X
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .",
    )
    .unwrap();
    let seki = [(5, 8), (7, 8), (7, 7)].map(|at| (at, ChainStatus::Seki));
    assert_proved_in_every_orientation(&corner, &seki);
}

/// Seven black stones stand between two white chains, and the whole board is one region, too large
/// for a search of its points. They can be captured, unless Black can take White's chains first.
#[test]
fn a_large_chain_is_proved_dead_unless_it_wins_the_race() {
    let dead = ". . . . . . . . .
                . . . . . . . . .
                O O O O O O O O O
                . X X X X X X X .
                O O O O O O O O O
                X X X X X X X X X
                . . . . . . . . .
                . . . . . . . . .
                . . . . . . . . .";
    let seki = ". . . . . . . . .
                X X X X X X X X X
                O O O O O O O O O
                . X X X X X X X .
                O O O O O O O O O
                X X X X X X X X X
                . . . . . . . . .
                . . . . . . . . .
                . . . . . . . . .";
    let inner = Point::new(4, 5);
    let find = |diagram, first| {
        let board = Board::from_diagram(diagram).unwrap();
        let mut walls = Walls::default();
        let others = board.stones().map(|(_, p)| p);
        walls.estimated = others
            .filter(|&p| board.chain(p) != board.chain(inner))
            .collect();
        let conduct = Procedure::ARTICLE_7.conduct;
        let how = Procedure { first, conduct };
        let findings = confirm(&board, &[], &walls, how, Effort::default());
        let found = findings.into_iter().find(|f| f.stones.contains(&inner));
        let found = found.expect("a finding about every chain that is no wall");
        (found.life, found.stones.len(), found.assumes)
    };
    for first in [First::Attacker, First::Owner] {
        assert_eq!(find(dead, first), (Life::Captured, 7, true));
        assert_eq!(find(seki, first).0, Life::Unsettled);
    }
}

/// A lone stone encloses the rest of the board, but that proves nothing with an opponent's stone in
/// it.
#[test]
fn a_lone_stone_has_no_room() {
    let mut board = Board::new(BoardSize::square(9));
    board.place(Color::Black, Point::new(4, 4)).unwrap();
    board.place(Color::White, Point::new(4, 2)).unwrap();
    let walls = Safe::of(&board, None).walls();
    assert_eq!(walls.proved, PointSet::default());
}

/// Black's stone at C8 seems to stand in Black's territory as long as White's stones seem dead. It
/// was a wall, and White's B8, which leaves it one liberty, did not save them.
#[test]
fn a_stone_among_dead_stones_is_no_wall() {
    let board = Board::from_diagram(
        ". . . O . X . . .
         O . X O X X . . .
         X O O X X . . . .
         X X X X . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .",
    )
    .unwrap();
    let mut safe = Safe::of(&board, None);
    safe.estimate(&board, 0.8, |_| 0.9);
    let certain = safe.walls().certain;
    let is_wall = |x, y| certain.contains(Point::new(x, y));
    assert!(!is_wall(2, 7), "C8");
    assert!(is_wall(3, 5) && is_wall(5, 8), "D6 and F9");
    let conduct = Procedure::ARTICLE_7.conduct;
    let first = First::Player(Color::White);
    let how = Procedure { first, conduct };
    let found = confirm(&board, &[], &safe.walls(), how, Effort::default());
    let saved = |p: Point| found.iter().find(|f| f.stones.contains(&p)).unwrap().life;
    assert_eq!(saved(Point::new(1, 6)).is_alive(), Some(true), "B7");
}

/// White to move can capture Black's stone in the corner by A6. Meanwhile Black plays A1, which lasts,
/// but because White has played elsewhere, not because of the capture.
#[test]
fn a_stone_does_not_live_by_the_move_that_its_capture_costs() {
    let board = Board::from_diagram(
        ". X O O O X
         . O . O X X
         O O O O X .
         . O X X X X
         O X X X . .
         . O X . . .",
    )
    .unwrap();
    let walls = Safe::of(&board, None).walls();
    let of_corner = |first| {
        let how = Procedure {
            first,
            conduct: Procedure::ARTICLE_7.conduct,
        };
        let found = confirm(&board, &[], &walls, how, Effort::default());
        let corner = found.into_iter().find(|f| f.stones == [Point::new(1, 5)]);
        corner.unwrap().life
    };
    assert_eq!(of_corner(First::Player(Color::White)), Life::Dead);
    assert_eq!(of_corner(First::Player(Color::Black)), Life::Dead);
    assert_eq!(of_corner(First::Owner), Life::Dead);
}

/// A lone stone encloses the rest of an empty board, but the opponent may live there. On 5x5 White
/// takes the whole board by the first stone in the centre.
#[test]
fn open_board_proves_no_life() {
    let alone = |size: u8, at: Point| {
        let mut board = Board::new(BoardSize::square(size));
        board.place(Color::Black, at).unwrap();
        Safe::of(&board, None).proof(at)
    };
    assert_eq!(alone(5, Point::new(0, 0)), None);
    assert_eq!(alone(19, Point::new(3, 3)), None);
    // Black has filled the board but for the centre, which White takes.
    let points = BoardSize::square(5).points();
    let stones = points.filter(|&p| p != Point::new(2, 2));
    let stones = stones.map(|p| (Color::Black, p));
    let full = Board::with_stones(BoardSize::square(5), stones).unwrap();
    let effort = Effort {
        nodes: 20_000,
        ..Effort::default()
    };
    let walls = Safe::of(&full, None).walls();
    let found = confirm(&full, &[], &walls, Procedure::ARTICLE_7, effort);
    assert!(found.iter().all(|f| f.life.is_alive() != Some(true)));
    // A wall in open board bounds play.
    let wall = (0..8).map(|y| (Color::Black, Point::new(4, y)));
    let wall = Board::with_stones(BoardSize::square(9), wall).unwrap();
    let proof = Safe::of(&wall, None).proof(Point::new(4, 4));
    assert_eq!(proof, Some(Proof::Room));
}

/// White's seven stones in the corner are dead (bent four), so Black's nine around them live, and
/// the seki with White's twelve collapses (as in Life-and-Death Example 17). This is proved
/// although the surrounding wall has no territory yet.
#[test]
fn a_dead_corner_collapses_the_seki_next_to_it() {
    let rows = [
        "X X . O X . O X . . . O .",
        "X O O O X . O X . . . O .",
        ". O X X X O O X . . . O .",
        "O O X O O O X X . . . O .",
        "X X X O X X X . . . . O .",
        "O O O O X . . . . . . O .",
        "X X X X X . . . . . . O .",
    ];
    let diagram = rows.join("\n") + &"\n. . . . . . . . . . . O .".repeat(6);
    let standing = Board::from_diagram(&diagram).unwrap();
    let expected = [
        ((3, 12), ChainStatus::Dead),
        ((6, 12), ChainStatus::Dead),
        ((4, 12), ChainStatus::Alive),
        ((0, 12), ChainStatus::Alive),
    ];
    assert_proved_in_every_orientation(&standing, &expected);
}

/// Black's only attack would retake at B5 and repeat the position after Black's first move. Superko
/// forbids that in this game, so White lives. Simple ko allows it, and a diagram has no history.
#[test]
fn superko_in_a_proof_includes_the_game() {
    let stones = "SZ[5]KM[0]AB[ae][be][ce][de][ad][bd][cd][ed][cc][dc][ec][cb][db][eb][da][ea]\
        AW[ac][bc][bb][aa]";
    let game = format!("(;{stones};B[ba];W[ca];B[];W[])");
    let diagram = format!("(;{stones}AW[ca])");
    for rules in ["new-zealand", "aga", "ing", "chinese-kgs"] {
        let rules = preset(rules).unwrap().rules;
        for (record, wanted) in [(&game, 11.0), (&diagram, 25.0)] {
            let mut record = sgf::read(record.as_bytes(), &rules, None).unwrap();
            record
                .position
                .set_komi(ponnuki::types::Komi::half_points(0));
            let mut engine = engine();
            engine.set_rules(rules);
            engine.switch_game(record.position);
            assert_eq!(engine.judgement().score().margin(), wanted, "{rules:?}");
        }
    }
}

/// White kills the bulky five by playing first, as Article 7 asks in a diagram. No proof settles it.
#[test]
fn a_diagram_without_a_proof_is_judged_with_the_opponent_first() {
    let board = Board::from_diagram(
        "O O O O O O O O O
         O O O O X X X X O
         O O O O X . . X O
         O O O O X . . X O
         O O O O X X . X O
         O O O O O X X X O
         . O O O O O O O O
         O O O O O O O O .
         . O O O O O O O O",
    )
    .unwrap();
    let rules = preset("japanese").unwrap().rules;
    for swap in [false, true] {
        let board = changed(&board, swap, |x, y| (x, y));
        let mut engine = Engine::new(Settings {
            threads: 1,
            rules,
            ..Settings::for_judging()
        })
        .unwrap();
        engine.switch_game(Position::from_board(board.clone(), Color::Black, rules));
        let group = Point::new(4, 7);
        let judgement = engine.judgement();
        assert_eq!(judgement.status(group), Some(ChainStatus::Dead), "{swap}");
    }
}

/// Superko stops the player who starts the double ko, so neither player can capture the other's group.
#[test]
fn a_double_ko_seki_is_proved_under_superko() {
    let all = examples("j89");
    let example = all.iter().find(|e| e.name == "example-25").unwrap();
    let size = example.board.size();
    for name in ["new-zealand", "aga", "ing", "chinese-kgs", "uk"] {
        let rules = preset(name).unwrap().rules;
        for (number, turn) in TURNS.iter().enumerate() {
            for swap in [false, true] {
                let map = |x, y| turn(size.width() - 1, x, y);
                let board = changed(&example.board, swap, map);
                let mut engine = engine();
                engine.set_rules(rules);
                engine.switch_game(Position::from_board(board.clone(), Color::Black, rules));
                let judgement = engine.judgement();
                let expected = example.expected.iter().filter(|(_, letter)| *letter == 's');
                for (p, _) in expected {
                    let (x, y) = map(p.x(), p.y());
                    let q = Point::new(x, y);
                    assert_eq!(
                        judgement.status(q),
                        Some(ChainStatus::Seki),
                        "{name} {number} {q}"
                    );
                    assert!(judgement.is_proved(&board, q), "{name} {number} {q}");
                }
            }
        }
    }
}

/// White has one eye, and in the corner a ko that it can never fill. Black may not retake it at once,
/// but may after a move elsewhere, which costs nothing.
#[test]
fn a_move_elsewhere_lifts_superko() {
    let corner = [
        "O . O X O",
        "O O O X O",
        "X O X X O",
        ". X . X O",
        "X X X X O",
    ];
    for below in [2, 4] {
        let rows = corner.into_iter().chain([". . . X O"].repeat(below));
        let diagram: Vec<String> = rows
            .map(|row| row.to_owned() + &" .".repeat(below))
            .collect();
        let board = Board::from_diagram(&diagram.join("\n")).unwrap();
        let side = board.size().height();
        let [takes, chain] = [Point::new(0, side - 4), Point::new(0, side - 1)];
        for name in ["aga", "ing", "chinese-kgs", "new-zealand"] {
            let mut engine = engine();
            let rules = preset(name).unwrap().rules;
            engine.set_rules(rules);
            engine.switch_game(Position::from_board(board.clone(), Color::White, rules));
            engine.play(Color::White, Move::Play(takes)).unwrap();
            engine.play(Color::Black, Move::Pass).unwrap();
            engine.play(Color::White, Move::Pass).unwrap();
            let judgement = engine.judgement().clone();
            let said = judgement.explain(engine.position(), chain).unwrap();
            assert!(said.grounds.starts_with("proved"), "{name}: {said}");
            assert_eq!(
                judgement.status(chain),
                Some(ChainStatus::Dead),
                "{name}: {said}"
            );
        }
    }
}

/// E6 needs its eye at F7, which it shares with H8. Since H8 is in seki, E6 is in seki too.
#[test]
fn an_eye_of_stones_that_live_by_a_seki_is_no_territory() {
    let territory = divided(
        ". O O O O X . X .
         . O X X X . X O O
         O X X X X X X O .
         O O O O O O O X X
         O O . O X X X X .
         O O O O O O O X X
         . . O . O . O O O
         O O O O O O O . O",
    );
    assert_eq!(owner(&territory, "F7"), Owner::Neither);
    assert!(territory.seki.contains(at("E6")));
    assert_eq!(owner(&territory, "C4"), WHITE);
}

/// White to move captures the corner, Black to move protects it: in a game that goes on, the player
/// to move decides.
#[test]
fn the_player_to_move_decides_what_is_in_question() {
    let stones = "SZ[9]RU[Japanese]KM[0]\
        AB[da][ab][bb][cb][db][af][bf][cf][df][ef][ff][gf][hf][if]\
        AW[ea][eb][ac][bc][cc][dc][ec][ae][be][ce][de][ee][fe][ge][he][ie]";
    let corner = ponnuki::gtp::vertex("D9").unwrap().point().unwrap();
    for (moves, wanted) in [
        (";B[gg]", ChainStatus::Dead),
        (";B[gg];W[cd]", ChainStatus::Alive),
        (";B[gg];W[cd];B[]", ChainStatus::Dead),
        (";B[gg];W[cd];B[];W[]", ChainStatus::Alive),
    ] {
        let (judgement, _) = judged(&format!("(;{stones}{moves})"));
        assert_eq!(judgement.status(corner), Some(wanted), "{moves}");
    }
}

/// F1 is in atari, next to a territory too wide for a search: Black connects at E1 before the count
/// and keeps the territory.
#[test]
fn a_chain_that_one_move_connects_is_not_dead() {
    let stones = "SZ[13]RU[Japanese]KM[0]AB[fa:fk][el]AW[ga:gm][fl]";
    let (game, margin) = judged(&format!("(;{stones};B[fm];W[];B[])"));
    let point = |v| ponnuki::gtp::vertex(v).unwrap().point().unwrap();
    assert_eq!(game.status(point("F1")), Some(ChainStatus::Alive));
    assert_eq!(game.owner(point("E1")), Owner::Neither);
    assert_eq!(margin, 63.0 - 78.0);
}

/// White's C8 gains a seki only by a move at B9, which is not White's territory. If the game ends
/// without it, the chain is dead, as in the diagram. While the game goes on, White may still play it.
#[test]
fn a_move_outside_its_territory_saves_no_chain_after_the_stop() {
    let stones = "SZ[9]RU[Japanese]KM[0]AB[aa:ac][bc:ec][ed:ei][fa:fb][gb][ha]\
        AW[da][bb:eb][ia:ic][fc:hc][fd:fi]";
    let (game, margin) = judged(&format!("(;{stones};B[hb];W[];B[])"));
    let point = |v| ponnuki::gtp::vertex(v).unwrap().point().unwrap();
    assert_eq!(game.status(point("C8")), Some(ChainStatus::Dead));
    assert_eq!(margin, 20.0);
    let (game, _) = judged(&format!("(;{stones};B[hb])"));
    assert_eq!(game.status(point("C8")), Some(ChainStatus::Seki));
}
