//! Hypothetical play against the game itself: a line and a position with the same turns agree.

mod common;

use common::naive::{Stones, area};
use ponnuki::board::Board;
use ponnuki::position::{Line, LineEnd, Position, Root};
use ponnuki::rules::{KoRule, PRESETS, Ruleset, Settlement, SuicideRule};
use ponnuki::types::{BoardSize, Color, Generator, Move, Point};
use std::collections::HashMap;
use std::sync::Arc;

/// Number of lines, for all rulesets together.
const LINES: usize = 100_000;

/// Number of lines from each root.
const FROM_ONE: usize = 25;

/// A random legal move; passes are frequent, so that games end.
fn random_move(p: &Position, rng: &mut Generator) -> Move {
    let legal: Vec<Point> = p.legal_plays(p.to_move()).collect();
    match legal.len() {
        n if n > 0 && !rng.chance(50) => Move::Play(legal[rng.below(n as u32) as usize]),
        _ => Move::Pass,
    }
}

/// A random game on a small board, from the empty board, a set-up or handicap stones, in which a
/// player may move twice in a row.
fn random_game(rules: Ruleset, rng: &mut Generator) -> Position {
    let side = |rng: &mut Generator| 2 + rng.below(3);
    let size = BoardSize::new(side(rng), side(rng)).unwrap();
    let mut p = Position::new(size, rules);
    match rng.below(4) {
        0 => {
            let mut board = Board::new(size);
            for _ in 0..rng.below(2 * size.area() as u32) {
                let c = Color::BOTH[rng.below(2) as usize];
                let m = board.random_play(c, SuicideRule::Forbidden, rng);
                board.play_move(c, m);
            }
            board.clear_ko();
            p = Position::from_board(board, Color::BOTH[rng.below(2) as usize], rules);
        }
        1 => {
            let mut points: Vec<Point> = size.points().collect();
            points.truncate(1 + rng.below(3) as usize);
            p.place_handicap(&points).unwrap();
        }
        _ => {}
    }
    for _ in 0..rng.below(3 * size.area() as u32) {
        if rng.chance(12) {
            p.set_to_move(p.to_move().opponent());
        }
        let m = random_move(&p, rng);
        p.play(p.to_move(), m).unwrap();
    }
    if rng.chance(25) {
        p.set_to_move(p.to_move().opponent());
    }
    p
}

/// Black's lead if all stones are alive, without the group tax.
fn margins(p: &Position, line: &Line) -> (f64, f64) {
    let mut stones = Stones::empty(p.size());
    for q in p.size().points() {
        let i = stones.number(q);
        stones.cells[i] = p.board().at(q).color();
    }
    let [black, white] = area(&stones);
    let of_line = black as f64 - white as f64 + f64::from(line.area_to_margin());
    let score = p.score(&[], |_| false);
    let tax = f64::from(score.black_tax) - f64::from(score.white_tax);
    (score.margin() + tax, of_line)
}

fn compare(p: &Position, line: &Line, seen: &mut Seen) {
    let c = p.to_move();
    assert_eq!(line.to_move(), c);
    assert_eq!(line.board(), p.board());
    assert_eq!(line.board().hash(), p.board().hash());
    for c in Color::BOTH {
        assert_eq!(line.board().captured(c), p.board().captured(c), "{c}");
    }
    for q in p.size().points() {
        let legal = p.legality(c, Move::Play(q)).is_ok();
        let suicide = |q| line.board().suicide_len(c, q);
        let of_line = line.board().is_empty(q)
            && suicide(q).is_none_or(|stones| p.rules().allows_suicide_of(stones))
            && !line.is_banned(q);
        assert_eq!(of_line, legal, "{c} {q} {:?}", p.board());
        seen.banned += u32::from(p.board().is_empty(q) && line.is_banned(q));
    }
    assert!(line.latest_turns().eq(p.turns().iter().rev()));
    assert_eq!(line.consecutive_passes(), p.consecutive_passes());
    assert_eq!(line.pass_would_end(), p.pass_would_end());
    assert_eq!(line.button(), p.button());
    assert_eq!(line.white_bonus(), p.white_bonus());
    let passes_end = p.is_over();
    let expected = match p.rules().settlement {
        Settlement::PlayOut if passes_end => Some(LineEnd::AllAlive),
        _ if passes_end => Some(LineEnd::ToJudge),
        _ => p.long_cycle().map(|_| LineEnd::NoResult),
    };
    assert_eq!(line.end(), expected);
    seen.ended += u32::from(passes_end);
    seen.cycles += u32::from(expected == Some(LineEnd::NoResult));
    let (of_position, of_line) = margins(p, line);
    assert!(
        (of_position - of_line).abs() < 1e-3,
        "{of_position} {of_line}"
    );
}

fn compare_earlier(p: &Position, line: &Line) {
    let ended = line.position();
    assert_eq!(ended.turns(), p.turns());
    assert_eq!(ended.score(&[], |_| false), p.score(&[], |_| false));
    let mut boards = [Board::new(p.size()), Board::new(p.size())];
    line.boards_before(&mut boards);
    for (ago, board) in [1, 2].into_iter().zip(&boards) {
        let left = p.turns().len().saturating_sub(ago);
        assert_eq!(*board, *p.at_turn(left).board(), "{ago} turns ago");
    }
}

/// Events in the lines. If a count is 0, the test does not cover that event.
#[derive(Default)]
struct Seen {
    banned: u32,
    ended: u32,
    cycles: u32,
}

#[test]
fn a_hundred_thousand_lines_are_played_by_the_rules() {
    let mut all: Vec<Ruleset> = PRESETS.iter().map(|p| p.rules).collect();
    let spight = r#"{"ko":"SPIGHT"}"#;
    let bought = r#"{"ko":"POSITIONAL","suicide":true,"hasButton":true,"friendlyPassOk":true}"#;
    for json in [spight, bought] {
        all.push(Ruleset::parse(json).unwrap());
    }
    let mut seen = Seen::default();
    let mut rng = Generator::new(5);
    for n in 0..LINES / FROM_ONE {
        let game = random_game(all[n % all.len()], &mut rng);
        let mut line = Line::new(Arc::new(Root::new(game.clone())));
        for i in 0..FROM_ONE {
            let mut p = game.clone();
            line.reset();
            compare(&p, &line, &mut seen);
            for _ in 0..rng.below(8) {
                let m = random_move(&p, &mut rng);
                p.play(p.to_move(), m).unwrap();
                line.play(m);
                compare(&p, &line, &mut seen);
            }
            if i % 8 == 0 {
                compare_earlier(&p, &line);
            }
        }
    }
    assert!(seen.banned > 1000 && seen.ended > 1000 && seen.cycles > 100);
}

/// Properties that lines with the same key must share.
fn in_common(line: &Line) -> impl PartialEq + std::fmt::Debug {
    let captured = Color::BOTH.map(|c| line.board().captured(c));
    let ends = (line.consecutive_passes(), line.pass_would_end());
    let bonus = (line.button(), line.white_bonus());
    let points = line.board().size().points();
    let simple: Vec<Point> = points.filter(|&q| line.board().ko() == Some(q)).collect();
    (
        line.to_move(),
        line.board().clone(),
        captured,
        ends,
        bonus,
        simple,
    )
}

#[test]
fn lines_with_the_same_key_have_the_same_future() {
    let mut rng = Generator::new(6);
    let (mut shared, mut apart) = (0, 0);
    for preset in PRESETS.iter().filter(|p| p.rules.ko != KoRule::Spight) {
        for _ in 0..20 {
            let size = BoardSize::new(3, 2 + rng.below(2)).unwrap();
            let root = Arc::new(Root::new(Position::new(size, preset.rules)));
            let mut known: HashMap<u64, (Line, Vec<Point>)> = HashMap::new();
            for _ in 0..300 {
                let mut p = root.position().clone();
                let mut line = Line::new(root.clone());
                for _ in 0..12 {
                    let m = random_move(&p, &mut rng);
                    p.play(p.to_move(), m).unwrap();
                    line.play(m);
                    if line.end().is_some() {
                        break;
                    }
                    let key = line.key().unwrap();
                    // The boundary between root and line does not matter.
                    assert_eq!(Line::new(Arc::new(Root::new(p.clone()))).key(), Some(key));
                    let legal: Vec<Point> = p.legal_plays(p.to_move()).collect();
                    if let Some((other, plays)) = known.get(&key) {
                        assert_eq!(in_common(other), in_common(&line));
                        shared += u32::from(other.turns() != line.turns());
                        apart += u32::from(*plays != legal);
                    } else {
                        known.insert(key, (line.clone(), legal));
                    }
                }
            }
        }
    }
    assert!(shared > 1000, "{shared}");
    // Lines with the same key may differ in what superko forbids, since small boards have many
    // large captures.
    assert!(apart * 50 < shared, "{apart} of {shared}");
}
