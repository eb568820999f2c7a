//! Playouts per second on one core from the empty board: `cargo bench --bench playout`.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ponnuki::board::Board;
use ponnuki::playout::{Heavy, Playout};
use ponnuki::search::RaveParams;
use ponnuki::types::{BoardSize, Color, Generator};

fn playouts(c: &mut Criterion) {
    let policy = Heavy::new(RaveParams::default().playout());
    let mut group = c.benchmark_group("heavy");
    group.throughput(Throughput::Elements(1));
    for n in [9, 13, 19] {
        let empty = Board::new(BoardSize::square(n));
        let mut playout = Playout::new(&empty);
        let mut rng = Generator::new(1);
        group.bench_function(format!("{n}x{n}"), |b| {
            b.iter(|| {
                playout.board.copy_from(&empty);
                playout.amaf.clear();
                playout.run(&policy, Color::Black, None, None, &mut rng)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, playouts);
criterion_main!(benches);
