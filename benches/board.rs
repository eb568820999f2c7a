//! Two representations of chains under the same random games:
//! `cargo bench --bench board`.
//!
//! - `pseudo`: the board as it is, packed pseudo-liberties on a stride that does
//!   not depend on the size, with hash and 3x3 neighbourhoods kept up to date.
//! - `bitset`: exact liberty sets on a stride of the size, without hash or
//!   neighbourhoods; see `board/bitset.rs`.
//!
//! Random games a second on one core, medians: pseudo 145,200 / 70,900 / 33,600
//! on 9x9 / 13x13 / 19x19, bitset 117,600 / 53,400 / 21,400. The sets cost 1.23 to
//! 1.57 times as much although they carry less; so the board has
//! pseudo-liberties. A stride of the size, which the bitset board has and needs,
//! did not make up for it.

#[path = "board/bitset.rs"]
mod bitset;

use bitset::BitBoard;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ponnuki::board::Board;
use ponnuki::rules::SuicideRule;
use ponnuki::types::{BoardSize, Color, Generator, Move};

/// A game of random moves on the board of the crate; the final balance of stones.
fn pseudo(board: &mut Board, rng: &mut Generator) -> i32 {
    let limit = 3 * board.size().area();
    let (mut c, mut passes, mut moves) = (Color::Black, 0, 0);
    while passes < 2 && moves < limit {
        match board.random_play(c, SuicideRule::Forbidden, rng) {
            Move::Pass => {
                board.clear_ko();
                passes += 1;
            }
            Move::Play(p) => {
                board.play_unchecked(c, p);
                passes = 0;
                moves += 1;
            }
        }
        c = c.opponent();
    }
    board.stone_balance()
}

/// A random game on the board with bit sets.
fn bitset<const W: usize>(board: &mut BitBoard<W>, area: usize, rng: &mut Generator) -> i32 {
    let (mut c, mut passes, mut moves) = (Color::Black, 0, 0);
    while passes < 2 && moves < 3 * area {
        match board.random_play(c, rng) {
            0 => {
                board.clear_ko();
                passes += 1;
            }
            p => {
                board.play(c, p);
                passes = 0;
                moves += 1;
            }
        }
        c = c.opponent();
    }
    board.balance()
}

fn size<const W: usize>(c: &mut Criterion, n: u8) {
    let size = BoardSize::square(n);
    let (empty, mut board) = (Board::new(size), Board::new(size));
    let (empty_bits, mut bits) = (BitBoard::<W>::new(size), BitBoard::<W>::new(size));
    let mut group = c.benchmark_group(format!("random games {size}"));
    group.throughput(Throughput::Elements(1));

    // Both choose with the same generator from lists in the same order, so as
    // long as they agree on what is legal they play the same games.
    let (mut a, mut b) = (Generator::new(1), Generator::new(1));
    for _ in 0..200 {
        board.copy_from(&empty);
        bits.copy_from(&empty_bits);
        assert_eq!(
            pseudo(&mut board, &mut a),
            bitset(&mut bits, size.area(), &mut b)
        );
    }
    let mut rng = Generator::new(1);
    group.bench_function("pseudo", |bencher| {
        bencher.iter(|| {
            board.copy_from(&empty);
            pseudo(&mut board, &mut rng)
        });
    });
    let mut rng = Generator::new(1);
    group.bench_function("bitset", |bencher| {
        bencher.iter(|| {
            bits.copy_from(&empty_bits);
            bitset(&mut bits, size.area(), &mut rng)
        });
    });
    group.finish();
}

fn boards(c: &mut Criterion) {
    size::<2>(c, 9);
    size::<4>(c, 13);
    size::<7>(c, 19);
}

criterion_group!(benches, boards);
criterion_main!(benches);
