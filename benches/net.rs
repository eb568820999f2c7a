//! Inference: matrix products, convolutions and whole networks, one thread, batch 1.
//!
//! Throughput is in floating-point operations: for products those that are made, for
//! convolutions and networks those that a direct convolution would take. `products`
//! from the nearest cache show what the processor can do at best.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ponnuki::net::kernels::{
    Affine, Finish, Grid, Level, Packed, Rows, Tiling, convolve, multiply, restore,
};
use ponnuki::net::{Activation, Features, Layers, Model, Workspace};
use std::hint::black_box;

#[allow(dead_code, missing_docs)]
#[path = "../tests/common/nets.rs"]
mod nets;

use nets::{Act, Filter, Part, Plan, TinyNet};

/// Products of so many rows with a square matrix, small enough for the first cache.
fn products(c: &mut Criterion) {
    let mut group = c.benchmark_group("products");
    for level in Level::available() {
        let (rows, channels) = (18, 48);
        let weights = Packed::new(channels, channels, level.lanes(), |i, o| (i + o) as f32);
        let input = vec![0.5; rows * channels];
        let mut out = vec![0.0; rows * channels];
        group.throughput(Throughput::Elements(
            (2 * rows * channels * channels) as u64,
        ));
        group.bench_function(level.name(), |b| {
            b.iter(|| {
                multiply(level, rows, &input, channels, &weights, &mut out, false);
                black_box(&mut out);
            });
        });
    }
}

/// Twelve 3x3 convolutions with ReLU, one after the other.
fn convolutions(c: &mut Criterion) {
    let mut group = c.benchmark_group("convolutions");
    for (channels, side) in [(96, 9), (96, 13), (96, 19), (192, 19)] {
        for level in Level::available() {
            let size = (side, side);
            let tiling = Tiling::of(size);
            let pitch = tiling.padded_side(side);
            let grid = Grid {
                size,
                pitch,
                border: 1,
            };
            let layers: Vec<Packed> = (0..12)
                .map(|n| {
                    tiling.transform(level, channels, channels, |y, x, i, o| {
                        ((n + y + x + i + o) % 7) as f32 * 0.01 - 0.03
                    })
                })
                .collect();
            let rows = Rows::padded(size, pitch, 1);
            let mut buffer = vec![0.5; pitch * pitch * channels];
            let mut work = vec![0.0; tiling.work(size, channels, channels)];
            let (scale, bias) = (vec![0.1; channels], vec![0.1; channels]);
            let flops = 2 * 12 * 9 * side * side * channels * channels;
            group.throughput(Throughput::Elements(flops as u64));
            let name = format!("{channels} channels {side}x{side} {}", level.name());
            group.bench_function(name, |b| {
                b.iter(|| {
                    for filters in &layers {
                        let input = &buffer;
                        convolve(level, tiling, &grid, filters, input, channels, &mut work);
                        let affine = Affine {
                            scale: &scale,
                            bias: &bias,
                            activation: Activation::Relu,
                        };
                        let then = Some((affine, &mut buffer[..], &rows));
                        let how = Finish::new(channels, side * side, None, then);
                        let both = (channels, channels);
                        restore(level, tiling, &grid, &work, both, 0, &how);
                    }
                    black_box(&mut buffer);
                });
            });
        }
    }
}

/// A random network of six blocks of 96 channels: as large as a well-known one.
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
    for level in Level::available() {
        let layers = Layers::new(&model, level);
        for side in [9, 13, 19] {
            let mut workspace = Workspace::new(&layers, (side, side));
            let features = Features {
                size: (side, side),
                planes: (0..side * side).map(|i| 1 | 2 << (i % 3)).collect(),
                globals: [0.1; 19],
            };
            group.throughput(Throughput::Elements(1));
            group.bench_function(format!("{side}x{side} {}", level.name()), |b| {
                b.iter(|| layers.forward(&features, &mut workspace));
            });
        }
    }
}

criterion_group!(benches, products, convolutions, networks);
criterion_main!(benches);
