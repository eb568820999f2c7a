//! Legality, handicap and the count by ruleset, against whole-history comparison.

mod common;

use common::naive::{NaiveGame, Stones, area};
use ponnuki::board::Board;
use ponnuki::position::{IllegalMove, Position, fixed_handicap, max_fixed_handicap};
use ponnuki::rules::{KoRule, PRESETS, Ruleset, Scoring, SuicideRule, preset};
use ponnuki::types::{BoardSize, Color, Generator, Komi, Move, Point};

fn rules(name: &str) -> Ruleset {
    preset(name).expect(name).rules
}

/// Random games in which every point is asked about before every turn. Returns
/// the number of positions and of plays refused as repetitions.
fn compare(rules: Ruleset, n: u8, positions: u32, seed: u64) -> (u32, u32) {
    let size = BoardSize::square(n);
    let mut rng = Generator::new(seed);
    let (mut seen, mut repetitions) = (0, 0);
    while seen < positions {
        let mut p = Position::new(size, rules);
        let mut naive = NaiveGame::new(Stones::empty(size), Color::Black);
        for _ in 0..6 * size.area() {
            // Clients play the same colour twice.
            let c = if rng.chance(8) {
                p.to_move().opponent()
            } else {
                p.to_move()
            };
            let mut legal = Vec::new();
            for i in 0..size.area() {
                let q = naive.stones().point(i);
                let found = p.legality(c, Move::Play(q));
                let expected = naive.legality(c, i, rules.ko, rules.suicide);
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
            p.play(c, m).unwrap();
            naive.play(c, m);
        }
        // Undo and replay come to the same game.
        let before = p.clone();
        let half = p.turns().len() / 2;
        assert_eq!(p.at_turn(half).turns(), &before.turns()[..half]);
        let last = *p.last_turn().unwrap();
        assert!(p.undo());
        assert_eq!(p.to_move(), last.color);
        p.play_unchecked(last.color, last.mv);
        assert_eq!(p.board(), before.board());
        assert_eq!(p.turns(), before.turns());
        for c in Color::BOTH {
            assert_eq!(p.board().captured(c), before.board().captured(c));
        }
    }
    (seen, repetitions)
}

macro_rules! presets {
    ($($test:ident: $name:literal),* $(,)?) => {
        $(
            #[test]
            fn $test() {
                let r = rules($name);
                let (mut positions, mut repetitions) = (0, 0);
                for (n, wanted) in [(2, 30_000), (3, 40_000), (4, 20_000), (5, 10_000), (7, 2_000)] {
                    let (p, r) = compare(r, n, wanted, n as u64);
                    positions += p;
                    repetitions += r;
                }
                assert!(positions >= 100_000);
                assert!(r.ko == KoRule::Simple || repetitions > 1_000, "{repetitions}");
            }
        )*
        #[test]
        fn every_preset_is_compared() {
            assert_eq!([$($name),*].len(), PRESETS.len());
        }
    };
}

presets! {
    random_games_new_zealand: "new-zealand",
    random_games_uk: "uk",
    random_games_japanese: "japanese",
    random_games_chinese: "chinese",
    random_games_chinese_kgs: "chinese-kgs",
    random_games_tromp_taylor: "tromp-taylor",
    random_games_aga: "aga",
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
fn handicap_is_recognised_however_it_comes() {
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
    // New Zealand: White passes his first turns; no komi, no compensation.
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
    // Black has three points on the left and the two stones in the corner are
    // dead; the middle is dame.
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
    // Alive they share the space: nothing in it is White's.
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
    // Seki has no territory where it is taxed.
    let p = Position::from_board(board, Color::Black, rules("japanese"));
    let taxed = p.score(&dead, |q| q.x() == 1);
    assert_eq!((taxed.black_points, taxed.white_points), (0, 5));
}
