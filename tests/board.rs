//! The board against a naive one, over random games on every size.
//!
//! Moves are uniform over the empty points, so games include filled eyes, suicides and captures of
//! whole sides, which test the bookkeeping best.

mod common;

use common::naive::{Stones, suicide_allowed};
use ponnuki::board::{Board, zobrist};
use ponnuki::rules::SuicideRule;
use ponnuki::types::{BoardSize, Color, Generator, Move, Point, PointState};

fn size(w: u32, h: u32) -> BoardSize {
    BoardSize::new(w, h).unwrap()
}

/// A board and its naive counterpart.
struct Pair {
    board: Board,
    naive: Stones,
    ko: Option<usize>,
    captured: [u32; 2],
}

impl Pair {
    fn new(size: BoardSize) -> Pair {
        Pair {
            board: Board::new(size),
            naive: Stones::empty(size),
            ko: None,
            captured: [0; 2],
        }
    }

    /// Play if legal, and check legality, captures and hash.
    fn try_play(&mut self, c: Color, i: usize, suicide: SuicideRule) {
        let p = self.naive.point(i);
        if self.naive.cells[i].is_some() {
            assert!(!self.board.is_empty(p));
            assert!(!self.board.is_legal(c, p, suicide), "{p} is occupied");
            return;
        }
        let played = self.naive.play(c, i);
        let legal = self.ko != Some(i) && suicide_allowed(suicide, played.suicide.len());
        assert_eq!(
            self.board.is_legal(c, p, suicide),
            legal,
            "{c} {p} {suicide:?}, ko {:?}\n{}",
            self.ko,
            self.board
        );
        let lost = (!played.suicide.is_empty()).then_some(played.suicide.len() as u32);
        assert_eq!(
            self.board.suicide_len(c, p),
            lost,
            "{c} {p}\n{}",
            self.board
        );
        if !legal {
            return;
        }
        let promised = self.board.hash_after(c, p);
        let captured = self.board.play_unchecked(c, p);
        assert_eq!(self.board.hash(), promised, "{c} {p}\n{}", self.board);
        assert_eq!(captured as usize, played.captured.len(), "{c} {p}");
        self.captured[c.index()] += played.suicide.len() as u32;
        self.captured[c.opponent().index()] += captured;
        self.ko = if played.suicide.is_empty() {
            self.naive.ko_after(&played, i)
        } else {
            None
        };
        self.naive = played.after;
    }

    fn clear_ko(&mut self) {
        self.board.clear_ko();
        self.ko = None;
    }

    /// Compare what is cheap enough after every move.
    fn compare_stones(&self) {
        let mut hash = 0;
        for (i, &cell) in self.naive.cells.iter().enumerate() {
            let p = self.naive.point(i);
            assert_eq!(self.board.at(p).color(), cell, "{p}\n{}", self.board);
            if let Some(c) = cell {
                hash ^= zobrist::key(c, p);
            }
        }
        assert_eq!(self.board.hash(), hash, "hash\n{}", self.board);
        for c in Color::BOTH {
            assert_eq!(self.board.captured(c), self.captured[c.index()], "{c}");
        }
        assert_eq!(
            self.board.ko(),
            self.ko.map(|i| self.naive.point(i)),
            "ko\n{}",
            self.board
        );
    }

    /// Compare all queries about chains, liberties and surroundings.
    fn compare_chains(&self) {
        let board = &self.board;
        let mut names: Vec<Point> = Vec::new();
        let mut done = vec![false; self.naive.cells.len()];
        for i in 0..done.len() {
            if self.naive.cells[i].is_none() || done[i] {
                continue;
            }
            let (mut stones, mut liberties) = self.naive.chain(i);
            stones.sort();
            liberties.sort();
            let name = board.chain(self.naive.point(i));
            assert!(!names.contains(&name), "two chains named {name}\n{board}");
            names.push(name);
            let atari = match liberties[..] {
                [only] => Some(self.naive.point(only)),
                _ => None,
            };
            for &s in &stones {
                done[s] = true;
                let p = self.naive.point(s);
                assert_eq!(board.chain(p), name, "chain of {p}\n{board}");
                assert_eq!(board.chain_len(p) as usize, stones.len(), "{p}\n{board}");
                assert_eq!(board.atari(p), atari, "atari at {p}\n{board}");
            }
            // Walking a chain is costly: do it from one stone of it, not always the same.
            let asked = self.naive.point(stones[stones.len() / 2]);
            let mut walked: Vec<usize> = board
                .chain_stones(asked)
                .map(|q| self.naive.number(q))
                .collect();
            assert_eq!(walked.first(), Some(&self.naive.number(asked)));
            walked.sort();
            assert_eq!(walked, stones, "stones of {asked}\n{board}");
            let two = board.liberties_up_to::<2>(asked);
            let eight = board.liberties_up_to::<8>(asked);
            for (found, n) in [(&two[..], 2), (&eight[..], 8)] {
                assert_eq!(found.len(), liberties.len().min(n), "{asked}\n{board}");
                let mut found: Vec<usize> = found.iter().map(|&q| self.naive.number(q)).collect();
                found.sort();
                found.dedup();
                assert_eq!(found.len(), liberties.len().min(n), "one named twice");
                assert!(
                    found.iter().all(|l| liberties.contains(l)),
                    "{asked}\n{board}"
                );
            }
        }
        let mut empty: Vec<usize> = board
            .empty_points()
            .iter()
            .map(|&p| self.naive.number(p))
            .collect();
        empty.sort();
        let expected: Vec<usize> = (0..done.len())
            .filter(|&i| self.naive.cells[i].is_none())
            .collect();
        assert_eq!(empty, expected, "empty points\n{board}");
    }

    /// Compare the eight cells around every point.
    fn compare_surroundings(&self) {
        const SLOTS: [(isize, isize); 8] = [
            (0, -1),
            (-1, 0),
            (1, 0),
            (0, 1),
            (-1, -1),
            (1, -1),
            (-1, 1),
            (1, 1),
        ];
        for i in 0..self.naive.cells.len() {
            let p = self.naive.point(i);
            for (slot, (dx, dy)) in SLOTS.into_iter().enumerate() {
                let expected = match self.naive.beside(i, dx, dy) {
                    Ok(j) => self.naive.cells[j].map_or(PointState::Empty, PointState::from),
                    Err(()) => PointState::Border,
                };
                assert_eq!(self.board.around(p).get(slot), expected, "{p} {dx} {dy}");
                assert_eq!(self.board.at(p.around()[slot]), expected, "{p} {dx} {dy}");
            }
        }
    }

    /// Compare the legality of every point, for the player to move.
    fn compare_legality(&self, c: Color, suicide: SuicideRule) {
        for i in 0..self.naive.cells.len() {
            let p = self.naive.point(i);
            let legal = self.naive.cells[i].is_none() && self.ko != Some(i) && {
                let played = self.naive.play(c, i);
                assert_eq!(
                    self.board.hash_after(c, p),
                    zobrist_of(&played.after),
                    "{c} {p}\n{}",
                    self.board
                );
                suicide_allowed(suicide, played.suicide.len())
            };
            assert_eq!(
                self.board.is_legal(c, p, suicide),
                legal,
                "{c} {p} {suicide:?}\n{}",
                self.board
            );
        }
        assert!(!self.board.is_legal(c, Point::NONE, suicide));
    }
}

fn zobrist_of(stones: &Stones) -> u64 {
    (0..stones.cells.len())
        .filter_map(|i| stones.cells[i].map(|c| zobrist::key(c, stones.point(i))))
        .fold(0, |a, b| a ^ b)
}

/// Play random games until `moves` moves have been tried on empty points.
fn random_games(size: BoardSize, suicide: SuicideRule, moves: u32) {
    let area = size.area() as u32;
    let mut rng = Generator::new(area as u64 * 31 + suicide as u64);
    // Full comparisons take time proportional to the area: space them so that they cost no more
    // than the moves between them. The board's own check takes time proportional to the squared
    // chain length for every stone.
    let every = if area <= 16 { 1 } else { area / 8 };
    let check_every = match area {
        0..=25 => 1,
        26..=100 => area / 2,
        _ => 3 * area,
    };
    let mut played = 0;
    let mut copy = Board::new(size);
    while played < moves {
        let mut pair = Pair::new(size);
        let mut c = Color::Black;
        // Short games sample the open board, long ones endless capture and suicide.
        let length = area * (1 + rng.below(6));
        for turn in 0..length {
            match rng.below(64) {
                0 => {
                    pair.clear_ko();
                    pair.board.play_move(c, Move::Pass);
                }
                1 => {
                    // The same player again, which clients may do.
                    pair.clear_ko();
                    c = c.opponent();
                }
                _ => {
                    // Mostly an empty point, sometimes any point.
                    let empty = pair.board.empty_points();
                    let i = if rng.below(16) == 0 || empty.is_empty() {
                        rng.below(area) as usize
                    } else {
                        pair.naive
                            .number(empty[rng.below(empty.len() as u32) as usize])
                    };
                    pair.try_play(c, i, suicide);
                    played += 1;
                }
            }
            c = c.opponent();
            pair.compare_stones();
            if rng.below(check_every) == 0 {
                pair.board.check().unwrap();
            }
            if turn % every == 0 {
                pair.compare_chains();
                pair.compare_surroundings();
            }
            if turn % (2 * every) == 0 {
                pair.compare_legality(c, suicide);
            }
            if turn % (12 * every) == 0 {
                copy.copy_from(&pair.board);
                assert_same(&copy, &pair.board);
                assert_same(&copy, &pair.board.clone());
            }
        }
    }
}

/// Assert that all queries give equal answers.
fn assert_same(a: &Board, b: &Board) {
    assert_eq!(a, b);
    a.check().unwrap();
    assert_eq!(a.size(), b.size());
    assert_eq!(a.hash(), b.hash());
    assert_eq!(a.ko(), b.ko());
    assert_eq!(a.empty_points(), b.empty_points());
    for c in Color::BOTH {
        assert_eq!(a.captured(c), b.captured(c));
    }
    for p in a.size().points() {
        assert_eq!(a.at(p), b.at(p));
        if a.at(p).is_stone() {
            assert_eq!(a.chain(p), b.chain(p));
            assert_eq!(a.liberties_up_to::<8>(p), b.liberties_up_to::<8>(p));
        }
    }
}

/// Moves of a test on a board, and of the tests that take minutes.
const MOVES: u32 = 40_000;
const MANY_MOVES: u32 = 200_000;

fn games_under_every_rule(size: BoardSize, moves: u32) {
    random_games(size, SuicideRule::Forbidden, 2 * moves / 5);
    random_games(size, SuicideRule::Any, 2 * moves / 5);
    random_games(size, SuicideRule::SeveralStones, moves / 5);
}

/// Tests for each size, so that they run in parallel.
macro_rules! sizes {
    ($($name:ident: $w:literal x $h:literal),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                games_under_every_rule(size($w, $h), MOVES);
            }
        )*

        mod many {
            use super::*;

            $(
                #[test]
                #[ignore = "all sizes take minutes"]
                fn $name() {
                    games_under_every_rule(size($w, $h), MANY_MOVES);
                }
            )*
        }
    };
}

sizes! {
    random_2x2: 2 x 2, random_3x3: 3 x 3, random_4x4: 4 x 4, random_5x5: 5 x 5,
    random_6x6: 6 x 6, random_7x7: 7 x 7, random_8x8: 8 x 8, random_9x9: 9 x 9,
    random_10x10: 10 x 10, random_11x11: 11 x 11, random_12x12: 12 x 12,
    random_13x13: 13 x 13, random_14x14: 14 x 14, random_15x15: 15 x 15,
    random_16x16: 16 x 16, random_17x17: 17 x 17, random_18x18: 18 x 18,
    random_19x19: 19 x 19, random_20x20: 20 x 20, random_21x21: 21 x 21,
    random_22x22: 22 x 22, random_23x23: 23 x 23, random_24x24: 24 x 24,
    random_25x25: 25 x 25,
    random_2x7: 2 x 7, random_25x3: 25 x 3, random_9x13: 9 x 13, random_1x6: 1 x 6,
}

#[test]
fn chains_are_placed_and_taken_off() {
    let mut rng = Generator::new(9);
    for (w, h) in [(3, 3), (5, 5), (9, 9), (7, 4), (19, 19)] {
        let size = size(w, h);
        let mut board = Board::new(size);
        let mut naive = Stones::empty(size);
        for _ in 0..8 * size.area() {
            let i = rng.below(size.area() as u32) as usize;
            let p = naive.point(i);
            if naive.cells[i].is_some() {
                assert!(board.place(Color::Black, p).is_err(), "{p} is occupied");
                board.remove_dead_chain(p);
                for j in naive.chain(i).0 {
                    naive.cells[j] = None;
                }
            } else {
                let c = Color::BOTH[rng.below(2) as usize];
                board.place(c, p).unwrap();
                naive.cells[i] = Some(c);
            }
            for j in 0..naive.cells.len() {
                assert_eq!(board.at(naive.point(j)).color(), naive.cells[j], "{board}");
            }
            assert_eq!(board.hash(), zobrist_of(&naive));
            assert_eq!(
                board.captured(Color::Black) + board.captured(Color::White),
                0
            );
            let breathless =
                (0..naive.cells.len()).any(|j| naive.cells[j].is_some() && !naive.breathes(j));
            assert_eq!(board.without_liberties().is_some(), breathless, "{board}");
            if rng.below(16) == 0 {
                board.check().unwrap();
            }
        }
    }
}

#[test]
fn place_refuses_what_is_not_on_the_board() {
    let mut board = Board::new(size(9, 9));
    assert!(board.place(Color::Black, Point::NONE).is_err());
    assert!(board.place(Color::Black, Point::new(9, 0)).is_err());
    assert!(board.place(Color::White, Point::new(0, 24)).is_err());
    assert!(board.place(Color::White, Point::new(8, 8)).is_ok());
    board.check().unwrap();
}

#[test]
fn diagrams_read_back() {
    let board = Board::from_diagram(
        "
        . X O . .
        X O . O #
        . X O . X
        ",
    )
    .unwrap();
    board.check().unwrap();
    assert_eq!((board.size().width(), board.size().height()), (5, 3));
    assert_eq!(board.at(Point::new(1, 2)), PointState::Black);
    assert_eq!(board.at(Point::new(4, 1)), PointState::Black);
    assert_eq!(board.at(Point::new(2, 0)), PointState::White);
    assert_eq!(board.at(Point::new(0, 0)), PointState::Empty);
    assert_eq!(Board::from_diagram(&board.to_string()).unwrap(), board);
}

#[test]
fn bad_diagrams_are_refused() {
    for (diagram, why) in [
        ("", "no rows"),
        ("\n  \n", "only blanks"),
        (". . .\n. .", "rows differ"),
        ("X O\nO .", "a stone in the corner without liberties"),
        ("X", "a full board"),
        (&". ".repeat(26), "too wide"),
        (&".\n".repeat(26), "too high"),
    ] {
        assert!(Board::from_diagram(diagram).is_err(), "{why}");
    }
}

#[test]
fn copy_from_another_size_leaves_nothing_behind() {
    let mut rng = Generator::new(4);
    let filled = |w, h, rng: &mut Generator| {
        let mut b = Board::new(size(w, h));
        let mut c = Color::Black;
        for _ in 0..w * h {
            let m = b.random_play(c, SuicideRule::Forbidden, rng);
            b.play_move(c, m);
            c = c.opponent();
        }
        b
    };
    let sizes = [(19, 19), (9, 9), (25, 3), (2, 7), (25, 25), (3, 25)];
    for from in sizes {
        for to in sizes {
            let (source, mut target) = (
                filled(from.0, from.1, &mut rng),
                filled(to.0, to.1, &mut rng),
            );
            target.copy_from(&source);
            assert_same(&target, &source);
            for x in 0..25 {
                for y in 0..25 {
                    let p = Point::new(x, y);
                    assert_eq!(target.at(p), source.at(p), "{p}: {to:?} from {from:?}");
                }
            }
            // The copy and the original play on alike.
            let (mut a, mut b) = (target, source);
            let (mut ra, mut rb) = (rng.clone(), rng.clone());
            let mut c = Color::Black;
            for _ in 0..100 {
                let m = a.random_play(c, SuicideRule::Any, &mut ra);
                assert_eq!(b.random_play(c, SuicideRule::Any, &mut rb), m);
                a.play_move(c, m);
                b.play_move(c, m);
                c = c.opponent();
            }
            assert_same(&a, &b);
        }
    }
}

/// Moves of a light playout are legal and fill no eye; it passes only if there is none.
#[test]
fn random_play_is_uniform_over_the_playable_points() {
    let board = Board::from_diagram(
        "
        . X . X .
        X X X X X
        O O X O O
        . O X O .
        O . X . .
        ",
    )
    .unwrap();
    for c in Color::BOTH {
        let playable: Vec<Point> = board
            .size()
            .points()
            .filter(|&p| board.is_legal(c, p, SuicideRule::Forbidden) && !board.around(p).is_eye(c))
            .collect();
        assert!(!playable.is_empty());
        let mut rng = Generator::new(1);
        let mut b = board.clone();
        let mut seen = vec![0u32; playable.len()];
        const N: u32 = 40_000;
        for _ in 0..N {
            let m = b.random_play(c, SuicideRule::Forbidden, &mut rng);
            let i = playable.iter().position(|&p| Move::Play(p) == m);
            seen[i.expect("a playable point")] += 1;
        }
        b.check().unwrap();
        // Six standard deviations of a binomial.
        let mean = N as f64 / playable.len() as f64;
        let slack = 6.0 * mean.sqrt();
        for (n, p) in seen.iter().zip(&playable) {
            assert!((*n as f64 - mean).abs() <= slack, "{c} {p}: {n} of {mean}");
        }
    }
}
