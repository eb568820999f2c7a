//! Playouts per second on one core from the empty board: `cargo bench --bench playout`.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ponnuki::board::Board;
use ponnuki::playout::{Heavy, Light, Playout, PlayoutParams, Policy};
use ponnuki::types::{BoardSize, Color, Generator};

fn bench<P: Policy>(c: &mut Criterion, name: &str, policy: &P) {
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Elements(1));
    for n in [9, 13, 19] {
        let empty = Board::new(BoardSize::square(n));
        let mut playout = Playout::new(&empty);
        let mut rng = Generator::new(1);
        group.bench_function(format!("{n}x{n}"), |b| {
            b.iter(|| {
                playout.board.copy_from(&empty);
                playout.amaf.clear();
                playout.run(policy, Color::Black, None, None, &mut rng)
            });
        });
    }
    group.finish();
}

fn playouts(c: &mut Criterion) {
    bench(c, "light", &Light::default());
    bench(c, "heavy", &Heavy::new(PlayoutParams::default()));
}

criterion_group!(benches, playouts);
criterion_main!(benches);
