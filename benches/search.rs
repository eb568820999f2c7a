//! Playouts per second in the tree, by board size and threads from the empty board, and by ko rule
//! late in a game: `cargo bench --bench search`. Each iteration is a fresh search.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ponnuki::position::Position;
use ponnuki::rules::{Ruleset, SuicideRule};
use ponnuki::search::{Rave, RaveParams, Search, TreeSearch};
use ponnuki::types::{BoardSize, Generator};
use std::time::Duration;

fn searches(c: &mut Criterion) {
    let mut group = c.benchmark_group("playouts in the tree");
    group.sample_size(10);
    for (n, playouts) in [(9, 20_000), (13, 10_000), (19, 5_000)] {
        let position = Position::new(BoardSize::square(n), Ruleset::default());
        group.throughput(Throughput::Elements(playouts));
        for threads in [1, 2] {
            let mut search = Search::new(threads, 512 << 20, Rave::new(RaveParams::default()))
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

/// The cost of superko: the same playouts from move 250 of a game on 19x19, with and without a
/// history to compare.
fn legality(c: &mut Criterion) {
    let mut group = c.benchmark_group("playouts from move 250");
    group.sample_size(20);
    let mut rng = Generator::new(4);
    let mut position = Position::new(BoardSize::square(19), Ruleset::default());
    while position.turns().len() < 250 {
        let color = position.to_move();
        let m = position
            .board()
            .clone()
            .random_play(color, SuicideRule::Forbidden, &mut rng);
        position.play(color, m).ok();
    }
    let playouts = 5_000;
    group.throughput(Throughput::Elements(playouts));
    let mut search = Search::new(1, 512 << 20, Rave::new(RaveParams::default()))
        .expect("threads can be started");
    for ko in ["SIMPLE", "POSITIONAL", "SITUATIONAL", "OWN_MOVES"] {
        let mut rules = Ruleset::default();
        rules.set("ko", ko).expect("a ko rule");
        rules.set("longCycle", "PLAYS_ON").expect("a rule");
        let mut position = position.clone();
        position.set_rules(rules);
        group.bench_function(ko, |b| {
            b.iter(|| {
                search.clear();
                search.start(&position, playouts, 1);
                while !search.wait(Duration::from_secs(1)) {}
            });
        });
    }
    group.finish();
}

/// The cost of reading a search on 19x19, as for a report.
fn reading(c: &mut Criterion) {
    let position = Position::new(BoardSize::square(19), Ruleset::default());
    let policy = Rave::new(RaveParams::default());
    let mut search = Search::new(1, 512 << 20, policy).expect("threads can be started");
    search.run(&position, 5_000, 1);
    c.bench_function("snapshot", |b| b.iter(|| search.snapshot()));
    c.bench_function("standing", |b| b.iter(|| search.standing()));
}

criterion_group!(benches, searches, legality, reading);
criterion_main!(benches);
