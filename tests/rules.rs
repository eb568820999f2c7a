//! Legality, handicap and the count by ruleset, against whole-history comparison.

mod common;

use common::naive::{NaiveGame, Stones, area};
use ponnuki::board::Board;
use ponnuki::position::{IllegalMove, Position, fixed_handicap, max_fixed_handicap};
use ponnuki::rules::{KoRule, PRESETS, Ruleset, Scoring, SuicideRule, preset};
use ponnuki::search::{ROOT, Rave, RaveParams, Search, TreeSearch};
use ponnuki::types::{BoardSize, Color, Generator, Komi, Move, Point};
use std::time::Duration;

fn rules(name: &str) -> Ruleset {
    preset(name).expect(name).rules
}

/// A set-up position: the board after some random play, without its ko.
fn set_up(size: BoardSize, rng: &mut Generator) -> Board {
    let mut board = Board::new(size);
    for _ in 0..rng.below(2 * size.area() as u32) {
        let c = if rng.chance(128) {
            Color::Black
        } else {
            Color::White
        };
        let m = board.random_play(c, SuicideRule::Forbidden, rng);
        board.play_move(c, m);
    }
    board.clear_ko();
    board
}

/// Play random games from the empty board and from set-up positions, and compare the legality of
/// every point before every turn. Returns the number of positions and of plays refused as
/// repetitions.
fn compare(rules: Ruleset, n: u8, positions: u32, seed: u64) -> (u32, u32) {
    let size = BoardSize::square(n);
    let mut rng = Generator::new(seed);
    let (mut seen, mut repetitions) = (0, 0);
    while seen < positions {
        let (board, first) = if rng.chance(128) {
            (Board::new(size), Color::Black)
        } else {
            (set_up(size, &mut rng), Color::BOTH[rng.below(2) as usize])
        };
        let mut start = Stones::empty(size);
        for q in size.points() {
            let i = start.number(q);
            start.cells[i] = board.at(q).color();
        }
        let mut p = Position::from_board(board, first, rules);
        let mut naive = NaiveGame::new(start, first);
        let mut due = first;
        for _ in 0..6 * size.area() {
            // Clients may play the same colour twice.
            let c = if rng.chance(8) {
                p.to_move().opponent()
            } else {
                p.to_move()
            };
            let mut legal = Vec::new();
            for i in 0..size.area() {
                let q = naive.stones().point(i);
                let found = p.legality(c, Move::Play(q));
                let expected = naive.legality(c, i, &rules);
                assert_eq!(found, expected, "{c} {q}\n{:?}", p.board());
                match found {
                    Ok(()) => legal.push(q),
                    Err(IllegalMove::Repetition { .. }) => repetitions += 1,
                    Err(_) => {}
                }
            }
            seen += 1;
            let m = match legal.len() {
                n if n > 0 && !rng.chance(16) => Move::Play(legal[rng.below(n as u32) as usize]),
                _ => Move::Pass,
            };
            due = p.to_move();
            p.play(c, m).unwrap();
            naive.play(c, m);
        }
        // Undo and replay give the same game.
        let before = p.clone();
        let half = p.turns().len() / 2;
        assert_eq!(p.at_turn(half).turns(), &before.turns()[..half]);
        let last = *p.last_turn().unwrap();
        assert!(p.undo(1));
        assert_eq!(p.to_move(), due);
        p.play_unchecked(last.color, last.mv);
        assert_eq!(p.board(), before.board());
        assert_eq!(p.turns(), before.turns());
        for c in Color::BOTH {
            assert_eq!(p.board().captured(c), before.board().captured(c));
        }
    }
    (seen, repetitions)
}

/// The turn may be set, and the game resumed, several times; undo goes back to each.
#[test]
fn undo_restores_every_turn_that_was_set() {
    let pass = |p: &mut Position| _ = p.play(p.to_move(), Move::Pass).unwrap();
    let mut p = Position::new(BoardSize::square(9), rules("japanese"));
    p.set_to_move(Color::White);
    pass(&mut p);
    p.set_to_move(Color::White);
    pass(&mut p);
    p.set_to_move(Color::White);
    for _ in 0..2 {
        assert_eq!(p.to_move(), Color::White);
        assert!(p.undo(1));
    }
    assert_eq!(p.to_move(), Color::White);
    pass(&mut p);
    pass(&mut p);
    for _ in 0..2 {
        assert!(p.is_over());
        p.resume(Color::Black);
        assert!(!p.is_over());
        pass(&mut p);
        pass(&mut p);
    }
    // Four passes and two resumptions: the passes before each stop the game again.
    assert!(p.undo(3));
    assert!(!p.is_over(), "one pass since the first resumption");
    pass(&mut p);
    assert!(p.is_over());
    assert_eq!(p.turns().len(), 4);
}

/// Compare at least 100,000 positions on boards from 3x3 to 9x9.
fn compare_on_all_sizes(rules: Ruleset) {
    let (mut positions, mut repetitions) = (0, 0);
    for (n, wanted) in [
        (3, 50_000),
        (4, 30_000),
        (5, 15_000),
        (6, 5_000),
        (7, 3_000),
        (8, 2_000),
        (9, 2_000),
    ] {
        let (p, r) = compare(rules, n, wanted, n as u64);
        positions += p;
        repetitions += r;
    }
    assert!(positions >= 100_000);
    assert!(
        rules.ko == KoRule::Simple || repetitions > 500,
        "{repetitions}"
    );
}

macro_rules! presets {
    ($($test:ident: $name:literal),* $(,)?) => {
        $(
            #[test]
            fn $test() {
                compare_on_all_sizes(rules($name));
            }
        )*
        #[test]
        fn every_preset_is_compared() {
            assert_eq!(PRESETS.iter().map(|p| p.name).collect::<Vec<_>>(), [$($name),*]);
        }
    };
}

presets! {
    random_games_new_zealand: "new-zealand",
    random_games_uk: "uk",
    random_games_japanese: "japanese",
    random_games_egf_japanese: "egf-japanese",
    random_games_korean: "korean",
    random_games_chinese: "chinese",
    random_games_chinese_kgs: "chinese-kgs",
    random_games_chinese_ogs: "chinese-ogs",
    random_games_aga: "aga",
    random_games_bga: "bga",
    random_games_aga_button: "aga-button",
    random_games_ing: "ing",
    random_games_tromp_taylor: "tromp-taylor",
    random_games_stone_scoring: "stone-scoring",
    random_games_ancient_territory: "ancient-territory",
}

#[test]
fn random_games_new_zealand_as_katago_reads_it() {
    compare_on_all_sizes(Ruleset::parse_for_katago("new-zealand").unwrap());
}

#[test]
fn random_games_spight() {
    compare_on_all_sizes(Ruleset::parse(r#"{"ko":"SPIGHT"}"#).unwrap());
}

/// At every node of the tree the search tries the plays that are legal in the position, except
/// suicides and eyes.
#[test]
fn the_tree_plays_by_the_rules() {
    let mut nodes = 0;
    for ko in ["SIMPLE", "POSITIONAL", "SITUATIONAL", "OWN_MOVES", "SPIGHT"] {
        for button in [false, true] {
            let rules =
                Ruleset::parse(&format!(r#"{{"ko":"{ko}","hasButton":{button}}}"#)).unwrap();
            let mut rng = Generator::new(ko.len() as u64);
            let mut search = Search::new(1, 16 << 20, Rave::new(RaveParams::default())).unwrap();
            for (n, moves) in [(2, 12), (3, 40), (3, 60), (4, 90)] {
                let mut p = Position::new(BoardSize::square(n), rules);
                for _ in 0..moves {
                    let c = p.to_move();
                    let legal: Vec<_> = p.legal_plays(c).collect();
                    let m = match legal.len() {
                        n if n > 0 && !rng.chance(16) => {
                            Move::Play(legal[rng.below(n as u32) as usize])
                        }
                        _ => Move::Pass,
                    };
                    p.play(c, m).unwrap();
                }
                search.clear();
                search.start(&p, 3000, 1);
                while !search.wait(Duration::from_secs(1)) {}
                let mut stack = vec![(ROOT, p)];
                while let Some((id, p)) = stack.pop() {
                    let tree = search.tree();
                    let children: Vec<Move> = tree.children(id).iter().map(|n| n.mv()).collect();
                    if children.is_empty() {
                        continue;
                    }
                    nodes += 1;
                    let c = p.to_move();
                    for &m in &children {
                        assert_eq!(p.legality(c, m), Ok(()), "{ko} {c} {m:?}\n{:?}", p.board());
                    }
                    for q in p.legal_plays(c) {
                        let left_out =
                            p.board().suicide_len(c, q).is_some() || p.board().around(q).is_eye(c);
                        assert!(
                            left_out || children.contains(&Move::Play(q)),
                            "{ko} {c} {q}"
                        );
                    }
                    for (i, &m) in children.iter().enumerate() {
                        let mut next = p.clone();
                        next.play_unchecked(c, m);
                        stack.push((tree.first_child(id) + i as u32, next));
                    }
                }
            }
        }
    }
    assert!(nodes > 5_000, "{nodes}");
}

/// RULES.md section 1: under UK rules the territory difference equals the area
/// difference, with equal numbers of turns, pass stones and no suicide.
#[test]
fn uk_territory_equals_area() {
    let mut rng = Generator::new(12);
    for _ in 0..300 {
        let size = BoardSize::square(7);
        let mut p = Position::new(size, rules("uk"));
        p.set_komi(Komi::half_points(0));
        while !p.is_over() {
            let c = p.to_move();
            let mut board = p.board().clone();
            let m = board.random_play(c, SuicideRule::Forbidden, &mut rng);
            if p.play(c, m).is_err() {
                p.play(c, Move::Pass).unwrap();
            }
            assert!(p.turns().len() < 2000);
        }
        assert_eq!(p.last_turn().unwrap().color, Color::White);
        let mut stones = Stones::empty(size);
        for q in size.points() {
            let i = stones.number(q);
            stones.cells[i] = p.board().at(q).color();
        }
        let [black, white] = area(&stones);
        let territory = p.score(&[], |_| false).margin();
        assert_eq!(territory, black as f64 - white as f64);
        let by_area = Ruleset {
            scoring: Scoring::Area,
            pass_costs_stone: false,
            ..*p.rules()
        };
        p.set_rules(by_area);
        assert_eq!(p.score(&[], |_| false).margin(), territory);
    }
}

/// UK rules: two passes end the game only if White made the last.
#[test]
fn uk_white_passes_last() {
    let over = |name: &str, passes: &[Color]| {
        let mut p = Position::new(BoardSize::square(5), rules(name));
        for &c in passes {
            p.play(c, Move::Pass).unwrap();
        }
        p.is_over()
    };
    use Color::{Black, White};
    assert!(over("uk", &[Black, White]));
    assert!(!over("uk", &[White, Black]));
    assert!(over("uk", &[White, Black, White]));
    assert!(over("japanese", &[White, Black]));
    assert!(!over("japanese", &[White]));
}

#[test]
fn handicap_is_recognised_in_every_form() {
    use Color::{Black, White};
    let play = |name: &str, turns: &[(Color, &str)]| {
        let mut p = Position::new(BoardSize::square(9), rules(name));
        for (c, v) in turns {
            let m = match *v {
                "pass" => Move::Pass,
                v => {
                    let x = v.as_bytes()[0] - b'A';
                    Move::Play(Point::new(x, v[1..].parse::<u8>().unwrap() - 1))
                }
            };
            p.play(*c, m).unwrap();
        }
        (p.handicap(), p.white_bonus())
    };
    assert_eq!(play("aga", &[(Black, "C3"), (White, "G7")]), (0, 7.5));
    // Plain black moves.
    assert_eq!(
        play("aga", &[(Black, "C3"), (Black, "G7"), (White, "C7")]),
        (2, 1.5)
    );
    assert_eq!(
        play("chinese", &[(Black, "C3"), (Black, "G7"), (Black, "C7")]),
        (3, 3.5)
    );
    // New Zealand: White passes on the first turns; no komi, no compensation.
    let nz = [
        (Black, "C3"),
        (White, "pass"),
        (Black, "G7"),
        (White, "pass"),
        (Black, "C7"),
        (White, "G3"),
    ];
    assert_eq!(play("new-zealand", &nz), (3, 0.0));
}

#[test]
fn the_traditional_points() {
    let points = |n: u8, stones| {
        fixed_handicap(BoardSize::square(n), stones).map(|points| {
            let names: Vec<_> = points.iter().map(Point::to_string).collect();
            names.join(" ")
        })
    };
    assert_eq!(points(19, 8).unwrap(), "D4 Q16 D16 Q4 D10 Q10 K4 K16");
    assert_eq!(points(13, 9).unwrap(), "D4 K10 D10 K4 D7 K7 G4 G10 G7");
    assert_eq!(points(9, 5).unwrap(), "C3 G7 C7 G3 E5");
    assert_eq!(points(12, 4).unwrap(), "C3 K10 C10 K3");
    for (n, most) in [(6, 0), (7, 4), (8, 4), (9, 9), (10, 4), (18, 4), (25, 9)] {
        assert_eq!(max_fixed_handicap(BoardSize::square(n)), most, "{n}");
        assert!(points(n, most + 1).is_err() && points(n, 1).is_err());
    }
}

#[test]
fn counts_of_diagrams() {
    // Black has three points on the left, the two stones in the corner are dead, and the middle is
    // dame.
    let board = Board::from_diagram(
        ". X . O .
         . X . O .
         . X . O X
         . X . O .
         . X . O X",
    )
    .unwrap();
    let dead = [Point::new(4, 0), Point::new(4, 2)];
    let margin = |name: &str, dead: &[Point]| {
        let mut p = Position::from_board(board.clone(), Color::Black, rules(name));
        p.set_komi(Komi::half_points(0));
        p.score(dead, |_| false).margin()
    };
    assert_eq!(margin("chinese", &dead), 0.0);
    assert_eq!(margin("japanese", &dead), -2.0, "two prisoners");
    // If they are alive, White has no territory there.
    assert_eq!(margin("chinese", &[]), 10.0 + 2.0 - 5.0);
    // Every komi a client can send.
    let mut p = Position::from_board(board.clone(), Color::Black, rules("chinese"));
    for (komi, result) in [
        (0.0, "0"),
        (0.1, "W+0.1"),
        (6.3, "W+6.3"),
        (-5.75, "B+5.75"),
    ] {
        p.set_komi(Komi::new(komi).unwrap());
        assert_eq!(p.score(&dead, |_| false).to_string(), result);
    }
    // With a tax, seki has no territory.
    let p = Position::from_board(board, Color::Black, rules("japanese"));
    let taxed = p.score(&dead, |q| q.x() == 1);
    assert_eq!((taxed.black_points, taxed.white_points), (0, 5));
}
