//! Inference: matrix products, convolutions and whole networks, on one thread.
//!
//! Throughput is in floating-point operations: the executed ones for products, those of a direct
//! convolution for convolutions and networks. `products` from the nearest cache show the
//! processor's peak.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ponnuki::net::kernels::{Amx, AmxLayout, Epilogue, Grid, Input, InstructionSet, Line, Matrix};
use ponnuki::net::kernels::{
    AmxFilter, AmxScratch, GemmScratch, NextInput, Packed, Placement, ScaleBias, Simd,
};
use ponnuki::net::kernels::{Transformed, Write, apply, convolve, multiply, output_transform};
use ponnuki::net::{Activation, Features, Layers, Model, Workspace};
use std::hint::black_box;

#[allow(dead_code, missing_docs)]
#[path = "../tests/common/nets.rs"]
mod nets;

use nets::{Act, Filter, Part, Plan, TinyNet};

/// Products of rows with a square matrix, small enough for the first cache.
fn products_with<S: Simd>(s: S, c: &mut Criterion) {
    let (rows, channels) = (18, 48);
    let weights = Packed::new(S::LANES, channels, channels, |i, o| (i + o) as f32);
    let input = vec![0.5; rows * channels];
    let mut out = vec![0.0; rows * channels];
    let mut group = c.benchmark_group("products");
    let flops = 2 * rows * channels * channels;
    group.throughput(Throughput::Elements(flops as u64));
    group.bench_function(S::NAME, |b| {
        b.iter(|| {
            let a = Matrix::new(&input, rows, channels);
            multiply(s, a, &weights, &mut out, Write::Set);
            black_box(&mut out);
        });
    });
}

/// An epilogue that writes the next layer's input with ReLU; `factors` has one factor per channel.
fn epilogue<'a>(
    side: usize,
    factors: &'a [f32],
    out: Input<'a>,
    places: &'a Placement,
) -> Epilogue<'a> {
    let norm = ScaleBias {
        scale: factors,
        bias: factors,
        activation: Activation::Relu,
    };
    Epilogue {
        channels: factors.len(),
        points: side * side,
        trunk: None,
        next: Some(NextInput { norm, out, places }),
    }
}

/// Twelve 3x3 convolutions with ReLU, one after the other.
fn convolutions_with<S: Simd>(s: S, set: InstructionSet, c: &mut Criterion) {
    let mut group = c.benchmark_group("convolutions");
    for (channels, side) in [(96, 9), (96, 13), (96, 19), (192, 19)] {
        let size = (side, side);
        let grid = Grid::new(size, 1, set);
        let (tiling, pitch) = (grid.tiling, grid.pitch);
        let filters = |n: usize| {
            let at = |y, x, i, o| ((n + y + x + i + o) % 7) as f32 * 0.01 - 0.03;
            let packed = tiling.transform_filters(S::LANES, channels, channels, at);
            Transformed::new(tiling, packed, set)
        };
        let layers: Vec<Transformed> = (0..12).map(filters).collect();
        let places = Placement::padded(size, pitch, 1);
        let mut buffer = vec![0.5; pitch * pitch * channels];
        let mut products = vec![0.0; grid.transformed(channels)];
        let mut room = GemmScratch::default();
        let factors = vec![0.1; channels];
        let flops = 2 * 12 * 9 * side * side * channels * channels;
        group.throughput(Throughput::Elements(flops as u64));
        let name = format!("{channels} channels {side}x{side} {}", set.name());
        group.bench_function(name, |b| {
            b.iter(|| {
                for filters in &layers {
                    convolve(s, &grid, filters, &buffer, &mut products, &mut room);
                    let out = Input::Single(&mut buffer);
                    let mut epilogue = epilogue(side, &factors, out, &places);
                    output_transform(s, &grid, 0, &products, channels, 0, &mut epilogue);
                }
                black_box(&mut buffer);
            });
        });
    }
}

/// The same convolutions by tile products, if the processor has them.
fn convolutions_by_tiles(amx: Amx, c: &mut Criterion) {
    let mut group = c.benchmark_group("convolutions");
    for (channels, side) in [(96, 9), (96, 13), (96, 19), (192, 19)] {
        let size = (side, side);
        let layout = AmxLayout {
            size,
            border: 1,
            boards: 1,
        };
        let taps: Vec<_> = (0..9).map(|n| (n % 3 - 1, n / 3 - 1)).collect();
        let filters = |n: usize| {
            let at = |tap, i, o| ((n + tap + i + o) % 7) as f32 * 0.01 - 0.03;
            AmxFilter::new(amx, taps.clone(), channels, channels, at)
        };
        let layers: Vec<AmxFilter> = (0..12).map(filters).collect();
        let (places, mut scratch) = (layout.places(), AmxScratch::default());
        let mut buffer = vec![Line::ZERO; layout.points() * Line::count(channels)];
        let mut sums = vec![0.0; layout.sums() * layers[0].columns()];
        let factors = vec![0.1; channels];
        let flops = 2 * 12 * 9 * side * side * channels * channels;
        group.throughput(Throughput::Elements(flops as u64));
        let name = format!("{channels} channels {side}x{side} {}", Amx::NAME);
        group.bench_function(name, |b| {
            b.iter(|| {
                for filters in &layers {
                    filters.multiply(&layout, &buffer, &mut sums, &mut scratch);
                    let out = Input::Rounded(&mut buffer);
                    let mut epilogue = epilogue(side, &factors, out, &places);
                    let sums = Matrix::new(&sums, layout.sums(), filters.columns());
                    apply(amx.vectors(), sums, (side, layout.pitch()), &mut epilogue);
                }
                black_box(&mut buffer);
            });
        });
    }
}

/// Kernels on each available instruction set.
fn kernels(c: &mut Criterion) {
    for set in InstructionSet::available() {
        match set {
            InstructionSet::Amx(amx) => convolutions_by_tiles(amx, c),
            _ => with_vectors(set, c),
        }
    }
}

/// Kernels with the vectors of an instruction set.
fn with_vectors(set: InstructionSet, c: &mut Criterion) {
    fn both<S: Simd>(s: S, set: InstructionSet, c: &mut Criterion) {
        if set == set.single() {
            products_with(s, c);
        }
        convolutions_with(s, set, c);
    }
    match set.single() {
        InstructionSet::Portable(s) => both(s, set, c),
        #[cfg(target_arch = "aarch64")]
        InstructionSet::Neon(s) => both(s, set, c),
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2(s) => both(s, set, c),
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512(s) => both(s, set, c),
        #[cfg(target_feature = "simd128")]
        InstructionSet::Simd128(s) => both(s, set, c),
        other => unreachable!("{} rounds", other.name()),
    }
}

/// A random network of six blocks of 96 channels, as large as a well-known one.
fn networks(c: &mut Criterion) {
    let filters = [Filter::THREE; 2];
    let ordinary = || Part::Ordinary { filters, inner: 96 };
    let pool = || Part::Pool {
        filters,
        regular: 64,
        pooled: 32,
    };
    let plan = Plan {
        activation: Some(Act::Relu),
        channels: 96,
        policy: (32, 32),
        value: (32, 64),
        ..Plan::usual(
            8,
            vec![
                ordinary(),
                ordinary(),
                pool(),
                ordinary(),
                pool(),
                ordinary(),
            ],
        )
    };
    let bytes = TinyNet::new(&plan).to_bytes(true);
    let model = Model::read(std::io::Cursor::new(bytes)).expect("a network");
    let mut group = c.benchmark_group("network of 6 blocks and 96 channels");
    for set in InstructionSet::available() {
        let layers = Layers::new(&model, set);
        for side in [9, 13, 19] {
            let mut workspace = Workspace::new(&layers, (side, side));
            let features = Features {
                size: (side, side),
                planes: (0..side * side).map(|i| 1 | 2 << (i % 3)).collect(),
                globals: [0.1; 19],
            };
            for at_once in [1, 2, 4, 8] {
                let positions = vec![&features; at_once];
                group.throughput(Throughput::Elements(at_once as u64));
                let name = format!("{side}x{side} {at_once} at once {}", set.name());
                group.bench_function(name, |b| {
                    b.iter(|| layers.forward(&positions, &mut workspace));
                });
            }
        }
    }
}

criterion_group!(benches, kernels, networks);
criterion_main!(benches);
