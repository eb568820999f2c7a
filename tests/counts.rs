//! Exhaustive counts against published numbers: legal positions, games without
//! passes, and move sequences for every ko and suicide rule.

use ponnuki::board::Board;
use ponnuki::position::Position;
use ponnuki::rules::{KoRule, LongCycle, Ruleset, SuicideRule, preset};
use ponnuki::types::{BoardSize, Color, Move, PointState};

fn size(w: u32, h: u32) -> BoardSize {
    BoardSize::new(w, h).unwrap()
}

fn rules(ko: KoRule, suicide: SuicideRule) -> Ruleset {
    Ruleset {
        ko,
        suicide,
        long_cycle: LongCycle::PlaysOn,
        white_passes_last: false,
        pass_costs_stone: false,
        ..preset("tromp-taylor").unwrap().rules
    }
}

/// Count arrangements of stones in which every chain has a liberty.
fn legal_positions(size: BoardSize) -> u64 {
    fn fill(board: &Board, points: &[ponnuki::types::Point]) -> u64 {
        let Some((&p, rest)) = points.split_first() else {
            return board.without_liberties().is_none() as u64;
        };
        let mut n = fill(board, rest);
        for c in Color::BOTH {
            let mut b = Board::new(board.size());
            b.copy_from(board);
            b.place(c, p).unwrap();
            // A chain that is surrounded early stays surrounded.
            let settled = |q: ponnuki::types::Point| {
                b.at(q).is_stone()
                    && b.chain_stones(q)
                        .all(|s| s.neighbours().iter().all(|r| b.at(*r) != PointState::Empty))
            };
            if settled(p) || p.neighbours().iter().any(|&q| settled(q)) {
                continue;
            }
            n += fill(&b, rest);
        }
        n
    }
    let points: Vec<_> = size.points().collect();
    fill(&Board::new(size), &points)
}

#[test]
fn legal_positions_of_small_boards() {
    for (w, h, n) in [
        (1, 1, 1),
        (1, 2, 5),
        (1, 3, 15),
        (1, 4, 41),
        (1, 5, 113),
        (2, 2, 57),
        (2, 3, 489),
        (2, 4, 4125),
        (2, 5, 35117),
        (3, 3, 12675),
        (3, 4, 321689),
    ] {
        assert_eq!(legal_positions(size(w, h)), n, "{w}x{h}");
        assert_eq!(legal_positions(size(h, w)), n, "{h}x{w}");
    }
}

#[test]
#[ignore = "about a minute: cargo test --release --test counts -- --ignored"]
fn legal_positions_of_3x5_and_4x4() {
    assert_eq!(legal_positions(size(3, 5)), 8_180_343);
    assert_eq!(legal_positions(size(4, 4)), 24_318_165);
}

/// Count games of Tromp-Taylor Go without passes, in which either colour may move at any time.
fn games(p: &Position) -> u64 {
    let mut n = 1;
    for c in Color::BOTH {
        let plays: Vec<_> = p.legal_plays(c).collect();
        for q in plays {
            let mut next = p.clone();
            next.play(c, Move::Play(q)).unwrap();
            n += games(&next);
        }
    }
    n
}

#[test]
fn games_without_passes() {
    let rules = rules(KoRule::Positional, SuicideRule::Any);
    for (n, count) in [(1, 1), (2, 9), (3, 907)] {
        assert_eq!(games(&Position::new(size(1, n), rules)), count, "1x{n}");
    }
}

/// Columns, rows, the rules it holds for, and the counts at depth 1, 2, 3 …
type Row = (u32, u32, &'static [(KoRule, SuicideRule)], &'static [u64]);

/// Count sequences of `depth` moves, passes included; two passes end the game.
fn leaves(p: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if p.is_over() {
        return 0;
    }
    let c = p.to_move();
    let moves: Vec<_> = p
        .legal_plays(c)
        .map(Move::Play)
        .chain([Move::Pass])
        .collect();
    if depth == 1 {
        return moves.len() as u64;
    }
    moves
        .into_iter()
        .map(|m| {
            let mut next = p.clone();
            next.play(c, m).unwrap();
            leaves(&next, depth - 1)
        })
        .sum()
}

#[test]
fn leaf_counts_by_ko_and_suicide_rule() {
    use KoRule::*;
    use SuicideRule::*;
    let table: &[Row] = &[
        (
            2,
            2,
            &[(Positional, Forbidden), (Positional, SeveralStones)],
            &[5, 21, 68, 156, 316, 604, 1088, 2184, 4184],
        ),
        (
            2,
            2,
            &[(Situational, Forbidden), (OwnMoves, Forbidden)],
            &[5, 21, 68, 156, 316, 604, 1112, 2312, 4544],
        ),
        (
            2,
            2,
            &[(Situational, SeveralStones)],
            &[5, 21, 68, 156, 316, 604, 1184, 2672, 6048],
        ),
        (
            2,
            2,
            &[(OwnMoves, Any)],
            &[5, 21, 68, 180, 428, 860, 1704, 4184, 10920],
        ),
        (
            2,
            3,
            &[(Positional, Forbidden)],
            &[7, 43, 222, 934, 3242, 8666, 20760],
        ),
        (
            2,
            3,
            &[(Positional, SeveralStones)],
            &[7, 43, 222, 942, 3378, 9834, 26504],
        ),
        (
            2,
            3,
            &[(Situational, SeveralStones)],
            &[7, 43, 222, 942, 3378, 9866, 26760],
        ),
        (
            2,
            3,
            &[(OwnMoves, Any)],
            &[7, 43, 222, 974, 3626, 11782, 36216],
        ),
        (
            3,
            3,
            &[
                (Simple, Forbidden),
                (Positional, Forbidden),
                (Situational, Forbidden),
                (OwnMoves, Forbidden),
            ],
            &[10, 91, 738, 5281, 33384, 179712],
        ),
        (
            3,
            3,
            &[(Positional, SeveralStones)],
            &[10, 91, 738, 5281, 33384, 180768],
        ),
        (
            3,
            3,
            &[(OwnMoves, Any)],
            &[10, 91, 738, 5345, 34272, 193040],
        ),
    ];
    for (w, h, rulings, counts) in table {
        for &(ko, suicide) in *rulings {
            let p = Position::new(size(*w, *h), rules(ko, suicide));
            for (depth, &n) in (1..).zip(*counts) {
                assert_eq!(
                    leaves(&p, depth),
                    n,
                    "{w}x{h} {ko:?} {suicide:?} depth {depth}"
                );
            }
        }
    }
}
