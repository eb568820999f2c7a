//! Playouts a second in the tree, by board size and threads, from the empty
//! board: `cargo bench --bench search`. Each iteration is a fresh search.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ponnuki::position::Position;
use ponnuki::rules::Ruleset;
use ponnuki::search::{Search, SearchParams};
use ponnuki::types::BoardSize;
use std::time::Duration;

fn searches(c: &mut Criterion) {
    let mut group = c.benchmark_group("playouts in the tree");
    group.sample_size(10);
    for (n, playouts) in [(9, 20_000), (13, 10_000), (19, 5_000)] {
        let position = Position::new(BoardSize::square(n), Ruleset::default());
        group.throughput(Throughput::Elements(playouts));
        for threads in [1, 2] {
            let mut search = Search::new(threads, 512 << 20, SearchParams::default())
                .expect("threads can be started");
            group.bench_function(BenchmarkId::new(format!("{n}x{n}"), threads), |b| {
                b.iter(|| {
                    search.clear();
                    search.start(&position, playouts, 1);
                    while !search.wait(Duration::from_secs(1)) {}
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, searches);
criterion_main!(benches);
