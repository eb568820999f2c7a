//! Random games on the bare board: `cargo bench --bench board`.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ponnuki::board::Board;
use ponnuki::rules::SuicideRule;
use ponnuki::types::{BoardSize, Color, Generator, Move};

/// Play random moves until two passes, or at most three times the number of points.
fn random_game(board: &mut Board, rng: &mut Generator) {
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
}

fn random_games(c: &mut Criterion) {
    let mut group = c.benchmark_group("random games");
    group.throughput(Throughput::Elements(1));
    for n in [9, 13, 19] {
        let size = BoardSize::square(n);
        let (empty, mut board) = (Board::new(size), Board::new(size));
        let mut rng = Generator::new(1);
        group.bench_function(size.to_string(), |bencher| {
            bencher.iter(|| {
                board.copy_from(&empty);
                random_game(&mut board, &mut rng);
                board.stone_balance()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, random_games);
criterion_main!(benches);
