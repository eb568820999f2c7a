//! Kernels against their plain counterparts, on every available instruction set.

mod common;

use common::nets::{Act, apart};
use half::bf16;
use ponnuki::net::Activation;
use ponnuki::net::kernels::simd::Portable;
use ponnuki::net::kernels::{
    self, Amx, AmxLayout, Bf16, Epilogue, Grid, Input, InstructionSet, Int16, Line,
};
use ponnuki::net::kernels::{AmxFilter, AmxScratch, Matrix, NextInput, PAD, Packed};
use ponnuki::net::kernels::{
    GemmScratch, Placement, Quantized, RmsNorm, Rounded, ScaleBias, Simd, Tiling, Transformed,
};
use ponnuki::net::kernels::{Pointwise, Write, padded, scalar};
use ponnuki::types::Generator;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Run the tests below for each instruction set.
macro_rules! suite {
    ($($test:ident)*) => {
        suite!(portable Portable: $($test)*);
        #[cfg(target_arch = "aarch64")]
        suite!(neon Neon: $($test)*);
        #[cfg(target_feature = "simd128")]
        suite!(simd128 Simd128: $($test)*);
        #[cfg(target_arch = "x86_64")]
        suite!(avx2 Avx2: $($test)*);
        #[cfg(target_arch = "x86_64")]
        suite!(avx512 Avx512: $($test)*);
    };
    ($module:ident $Token:ident: $($test:ident)*) => {
        mod $module {
            use ponnuki::net::kernels::simd::{$Token, Simd};

            $(#[test]
            fn $test() {
                match $Token::detect() {
                    Some(token) => super::$test(token),
                    None => eprintln!("skipped: the processor has no {}", $Token::NAME),
                }
            })*
        }
    };
}

suite! {
    products
    convolutions_in_tiles
    epilogues
    numbers_are_rounded_to_the_nearest
    activations
    sums_and_maxima
    gathered_rows
    rms_norms
    softmaxes
    gates
    weights_packed_for_other_vectors_are_refused
}

/// Largest difference between two ways to add some hundred f32 of about 1.
const CLOSE: f64 = 1e-4;

/// `n` random numbers from -1 to 1.
fn random(generator: &mut Generator, n: usize) -> Vec<f32> {
    (0..n).map(|_| 2.0 * generator.unit() - 1.0).collect()
}

/// A random number from `least` to `most`.
fn between(generator: &mut Generator, least: usize, most: usize) -> usize {
    least + generator.below((most - least + 1) as u32) as usize
}

#[track_caller]
fn near(found: &[f32], wanted: &[f32], what: &str) {
    within(CLOSE, found, wanted, what);
}

#[track_caller]
fn within(distance: f64, found: &[f32], wanted: &[f32], what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    for (i, (&f, &w)) in found.iter().zip(wanted).enumerate() {
        let far = apart(f.into(), w.into());
        assert!(far < distance, "{what}, number {i}: {f}, not {w}");
    }
}

/// The activations, in tests and kernels.
const ACTIVATIONS: [(Act, Activation); 4] = [
    (Act::Identity, Activation::Identity),
    (Act::Relu, Activation::Relu),
    (Act::Mish, Activation::Mish),
    (Act::Silu, Activation::Silu),
];

/// A value that no kernel writes.
const UNTOUCHED: f32 = 12345.0;

/// Check every kind of epilogue of a kernel. It must process the outputs `sums`, by point and
/// channel, and write nothing else.
fn check_epilogues(
    generator: &mut Generator,
    (size, channels): ((usize, usize), usize),
    sums: &[f32],
    what: &str,
    run: impl Fn(&mut Epilogue<'_>),
) {
    let area = size.0 * size.1;
    assert_eq!(sums.len(), area * channels);
    let border = between(generator, 0, 3);
    let pitch = size.0 + border + between(generator, 0, 3);
    let place = |point: usize| (point / size.0 + border) * pitch + point % size.0 + border;
    let (dense, bordered) = (
        Placement::dense(area),
        Placement::padded(size, pitch, border),
    );
    let scale = random(generator, channels);
    let bias = random(generator, channels);
    for (i, (_, activation)) in ACTIVATIONS.into_iter().enumerate() {
        let before = random(generator, area * channels);
        let mut trunk = before.clone();
        // Stored, added, or only passed on; or stored and not passed on.
        let how = (i + between(generator, 0, 3)) % 4;
        let wanted: Vec<f32> = match how {
            1 => sums.iter().zip(&before).map(|(s, b)| s + b).collect(),
            _ => sums.to_vec(),
        };
        let in_rows = generator.chance(128);
        let places = if in_rows { &bordered } else { &dense };
        let points = if in_rows { place(area - 1) + 1 } else { area };
        let mut out = vec![UNTOUCHED; points * channels];
        let lines = Line::count(channels);
        let empty = Line([bf16::from_f32(UNTOUCHED); Line::LEN]);
        let mut in_lines = vec![empty; points * lines];
        let rounded = generator.chance(128);
        let write = if how == 1 { Write::Add } else { Write::Set };
        let norm = ScaleBias {
            scale: &scale,
            bias: &bias,
            activation,
        };
        run(&mut Epilogue {
            channels,
            points: area,
            trunk: (how != 2).then_some((&mut trunk, write)),
            next: (how != 3).then_some(NextInput {
                norm,
                out: match rounded {
                    true => Input::Rounded(&mut in_lines),
                    false => Input::Single(&mut out),
                },
                places,
            }),
        });
        if rounded {
            for (out, lines) in out.chunks_exact_mut(channels).zip(in_lines.chunks(lines)) {
                let numbers = lines.iter().flat_map(|line| line.0);
                out.iter_mut()
                    .zip(numbers.clone())
                    .for_each(|(x, n)| *x = n.to_f32());
                assert!(numbers.skip(channels).all(|n| n == empty.0[0]), "{what}");
            }
        }
        let kept = if how == 2 { &before } else { &wanted };
        near(&trunk, kept, what);
        let mut passed = vec![UNTOUCHED; out.len()];
        if how != 3 {
            for (n, sum) in wanted.iter().enumerate() {
                let (point, c) = (n / channels, n % channels);
                let row = if in_rows { place(point) } else { point };
                let x = sum.mul_add(scale[c], bias[c]);
                passed[row * channels + c] = scalar::activate(x, activation);
            }
        }
        match rounded {
            true => within(1.0 / 250.0, &out, &passed, what),
            false => near(&out, &passed, what),
        }
    }
}

fn products<S: Simd>(s: S) {
    let mut generator = Generator::new(11);
    for rows in 1..=30 {
        for _ in 0..8 {
            let inputs = between(&mut generator, 1, 70);
            let outputs = between(&mut generator, 1, 150);
            let stride = inputs + between(&mut generator, 0, 9);
            let b = random(&mut generator, inputs * outputs);
            let spread = random(&mut generator, (rows - 1) * stride + inputs);
            let a: Vec<f32> = (0..rows * inputs)
                .map(|n| spread[n / inputs * stride + n % inputs])
                .collect();
            let product = scalar::multiply(rows, inputs, outputs, &a, &b);
            let columns = padded(outputs);
            let packed = Packed::new(S::LANES, inputs, outputs, |i, o| b[i * outputs + o]);
            assert_eq!(packed.outputs(), columns);
            for write in [Write::Set, Write::Add] {
                let mut out = random(&mut generator, rows * columns);
                let mut wanted = out.clone();
                for (n, w) in wanted.iter_mut().enumerate() {
                    let (r, o) = (n / columns, n % columns);
                    let sum = if o < outputs {
                        product[r * outputs + o]
                    } else {
                        0.0
                    };
                    *w = if write == Write::Add { *w + sum } else { sum };
                }
                out.push(UNTOUCHED);
                wanted.push(UNTOUCHED);
                let a = Matrix::new(&spread, rows, stride);
                kernels::multiply(s, a, &packed, &mut out, write);
                let name = S::NAME;
                let what = format!("{name}: {rows} rows, {inputs} to {outputs}, {write:?}");
                near(&out, &wanted, &what);
            }
        }
    }
}

fn convolutions_in_tiles<S: Simd>(s: S) {
    let mut generator = Generator::new(12);
    let mut room = GemmScratch::default();
    let oblong = |g: &mut Generator, n| match g.chance(128) {
        true => (n, between(g, 1, 25)),
        false => (between(g, 1, 25), n),
    };
    let mut sizes: Vec<(usize, usize)> = (1..=25).map(|n| (n, n)).collect();
    sizes.extend((1..=25).map(|n| oblong(&mut generator, n)));
    for size in sizes {
        let area = size.0 * size.1;
        let (inputs, outputs) = match size {
            // Points of the tiles would be a page apart, in one precision or the other.
            (13, 13) => (64, 32),
            _ => {
                let inputs = between(&mut generator, 1, 36);
                (inputs, between(&mut generator, 1, 50))
            }
        };
        let mut weights = random(&mut generator, 9 * inputs * outputs);
        // Sums of about 1.
        let usual = (inputs as f32).sqrt();
        weights.iter_mut().for_each(|w| *w /= usual);
        let input = random(&mut generator, area * inputs);
        let plain = scalar::convolve(size, (3, 3), (1, 1), (inputs, outputs), &input, &weights);
        let (wide, columns) = (padded(inputs), padded(outputs));
        // Some of the outputs, as when one product computes several layers.
        let from = PAD * between(&mut generator, 0, columns / PAD - 1);
        let channels = PAD * between(&mut generator, 1, (columns - from) / PAD);
        let part = |n: usize| match from + n % channels {
            o if o < outputs => plain[n / channels * outputs + o],
            _ => 0.0,
        };
        let part: Vec<f32> = (0..area * channels).map(part).collect();
        for tiling in Tiling::ALL {
            let border = between(&mut generator, 1, 3);
            let boards = between(&mut generator, 1, 3);
            let grid = Grid {
                tiling,
                size,
                pitch: tiling.padded_side(size.0) + 2 * (border - 1),
                border,
                boards,
            };
            // Other channels hold other values.
            let board = between(&mut generator, 0, boards - 1);
            let each = grid.bordered() * wide;
            let mut bordered = vec![0.5; boards * each];
            bordered[board * each..][..each].fill(0.0);
            for (n, &x) in input.iter().enumerate() {
                let (point, c) = (n / inputs, n % inputs);
                let row = (point / size.0 + border) * grid.pitch + point % size.0 + border;
                bordered[board * each + row * wide + c] = x;
            }
            let at = |y, x, i, o| weights[((y * 3 + x) * inputs + i) * outputs + o];
            let filters = tiling.transform_filters(S::LANES, inputs, outputs, at);
            let mut convolve = |filters: &Transformed| {
                let mut products = vec![0.0; grid.transformed(columns)];
                products.push(UNTOUCHED);
                kernels::convolve(s, &grid, filters, &bordered, &mut products, &mut room);
                assert_eq!(products.pop(), Some(UNTOUCHED));
                products
            };
            let size_of = |sums: &[f32]| sums.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
            let products = convolve(&Transformed::Single(filters.clone()));
            // A filter's error is 2⁻¹⁶ of the largest of its output, or it and the input have
            // errors of 2⁻⁹ each, or the input has one of 2⁻¹⁶ of the largest that is possible.
            let quantized = Transformed::Quantized(Quantized::new(&filters));
            let mut rough = vec![(quantized, 4096.0)];
            let fits = |bf16: &Bf16| InstructionSet::Bf16(*bf16).lanes() == S::LANES;
            if let Some(bf16) = Bf16::detect().filter(fits) {
                let rounded = Transformed::Rounded(Rounded::new(bf16, &filters));
                rough.push((rounded, 128.0));
            }
            for set in int16_sets().filter(|set| InstructionSet::Int16(*set).lanes() == S::LANES) {
                let filters = filters.clone();
                let integers = Transformed::new(tiling, filters, InstructionSet::Int16(set));
                assert!(matches!(integers, Transformed::Integers(_)));
                rough.push((integers, 1024.0));
            }
            for (filters, finer) in rough {
                let sums = convolve(&filters);
                let both = sums.iter().zip(&products);
                let apart: Vec<f32> = both.map(|(a, b)| a - b).collect();
                let bound = size_of(&products) / finer;
                assert!(size_of(&apart) <= bound, "{size:?}, {inputs}, {finer}");
            }
            let name = S::NAME;
            let what = format!("{name}: {tiling:?}, {size:?}, {inputs} to {outputs}");
            check_epilogues(&mut generator, (size, channels), &part, &what, |epilogue| {
                kernels::output_transform(s, &grid, board, &products, columns, from, epilogue);
            });
        }
    }
}

fn epilogues<S: Simd>(s: S) {
    let mut generator = Generator::new(13);
    for n in 1..=25 {
        let size = (n, between(&mut generator, 1, 25));
        let area = size.0 * size.1;
        let channels = PAD * between(&mut generator, 1, 4);
        let from = PAD * between(&mut generator, 0, 2);
        let stride = from + channels + PAD * between(&mut generator, 0, 2);
        // The first rows of each block.
        let pitch = size.0 + between(&mut generator, 0, 3);
        let rows = random(&mut generator, size.1 * pitch * stride);
        let row = |point: usize| point / size.0 * pitch + point % size.0;
        let part = |n: usize| rows[row(n / channels) * stride + from + n % channels];
        let part: Vec<f32> = (0..area * channels).map(part).collect();
        let what = format!("{}: {size:?}, {channels} of {stride}", S::NAME);
        check_epilogues(&mut generator, (size, channels), &part, &what, |epilogue| {
            let outputs = Matrix::new(&rows[from..], size.1 * pitch, stride);
            kernels::apply(s, outputs, (size.0, pitch), epilogue);
        });
    }
}

fn numbers_are_rounded_to_the_nearest<S: Simd>(s: S) {
    let mut generator = Generator::new(14);
    let ones = vec![1.0; PAD];
    let norm = ScaleBias {
        scale: &ones,
        bias: &[0.0; PAD],
        activation: Activation::Identity,
    };
    for _ in 0..200 {
        // Of any magnitude; one in four is halfway between two representable numbers.
        let mut numbers: Vec<f32> = (0..PAD)
            .map(|_| f32::from_bits((generator.unit() * u32::MAX as f32) as u32))
            .map(|x| if x.is_finite() { x } else { -0.0 })
            .collect();
        for x in numbers.iter_mut().step_by(4) {
            *x = f32::from_bits(x.to_bits() & 0xffff_0000 | 0x8000);
        }
        let mut line = [Line::ZERO];
        let mut epilogue = Epilogue {
            channels: PAD,
            points: 1,
            trunk: None,
            next: Some(NextInput {
                norm,
                out: Input::Rounded(&mut line),
                places: &Placement::dense(1),
            }),
        };
        kernels::apply(s, Matrix::new(&numbers, 1, PAD), (1, 1), &mut epilogue);
        for (x, n) in numbers.iter().zip(line[0].0) {
            assert_eq!(n, bf16::from_f32(*x), "{x} on {}", S::NAME);
        }
    }
}

fn activations<S: Simd>(s: S) {
    // Steps of 1/32 around 0, and numbers beyond the range of an exponential.
    let mut inputs: Vec<f32> = (-4000..=4000).map(|n| n as f32 / 32.0).collect();
    for x in [
        0.0, 1e-40, 1e-30, 1e-8, 1e-3, 87.5, 88.8, 104.0, 1e4, 1e18, 1e30,
    ] {
        inputs.extend([x, -x]);
    }
    inputs.resize(padded(inputs.len()), 0.0);
    let channels = inputs.len();
    let (one, zero) = (vec![1.0; channels], vec![0.0; channels]);
    let places = Placement::dense(1);
    for (act, activation) in ACTIVATIONS {
        let mut out = vec![0.0; channels];
        let norm = ScaleBias {
            scale: &one,
            bias: &zero,
            activation,
        };
        let outputs = Matrix::new(&inputs, 1, channels);
        let mut epilogue = Epilogue {
            channels,
            points: 1,
            trunk: None,
            next: Some(NextInput {
                norm,
                out: Input::Single(&mut out),
                places: &places,
            }),
        };
        kernels::apply(s, outputs, (1, 1), &mut epilogue);
        for (&x, &y) in inputs.iter().zip(&out) {
            let what = format!("{}: {activation:?} of {x} is {y}", S::NAME);
            let plain = scalar::activate(x, activation);
            assert!(apart(y.into(), plain.into()) < 1e-6, "{what}, not {plain}");
            let exact = act.of(x.into());
            assert!(apart(y.into(), exact) < 1e-6, "{what}, not {exact}");
        }
    }
}

fn sums_and_maxima<S: Simd>(s: S) {
    let mut generator = Generator::new(14);
    for area in (1..=30).chain([81, 169, 361, 625]) {
        let channels = PAD * between(&mut generator, 1, 8);
        let mut input = random(&mut generator, area * channels);
        // A maximum may be below 0.
        input.iter_mut().step_by(3).for_each(|x| *x -= 2.0);
        let (sum, max) = scalar::pool(&input, channels);
        // Values outside the board.
        input.extend([UNTOUCHED; 64]);
        let mut sums = vec![UNTOUCHED; channels];
        let mut maxima = vec![UNTOUCHED; channels + 1];
        kernels::pool(s, &input, area, &mut sums, &mut maxima);
        let what = format!("{}: {channels} channels of {area} points", S::NAME);
        near(&sums, &sum, &what);
        assert_eq!(maxima.pop(), Some(UNTOUCHED));
        assert_eq!(maxima, max, "{what}");
    }
}

fn gathered_rows<S: Simd>(s: S) {
    let mut generator = Generator::new(15);
    for n in 1..=25 {
        let size = (n, between(&mut generator, 1, 25));
        let area = size.0 * size.1;
        let channels = PAD * between(&mut generator, 1, 4);
        let rows = between(&mut generator, 1, 60);
        let first = random(&mut generator, channels);
        let weights = random(&mut generator, rows * channels);
        // A row may occur twice; many points have none.
        let mut counts = vec![0.0; area * rows];
        let (mut lists, mut ends) = (Vec::new(), Vec::new());
        for point in counts.chunks_exact_mut(rows) {
            for _ in 0..between(&mut generator, 0, 20).saturating_sub(5) {
                let row = between(&mut generator, 0, rows - 1);
                point[row] += 1.0;
                lists.push(row as u32);
            }
            ends.push(lists.len() as u32);
        }
        let mut sums = scalar::multiply(area, rows, channels, &counts, &weights);
        for point in sums.chunks_exact_mut(channels) {
            point.iter_mut().zip(&first).for_each(|(s, f)| *s += f);
        }
        let what = format!("{}: {size:?}, {rows} rows of {channels}", S::NAME);
        check_epilogues(&mut generator, (size, channels), &sums, &what, |epilogue| {
            kernels::gather(s, &first, &weights, &lists, &ends, epilogue);
        });
    }
}

/// Rows of `counted` numbers, padded with zeros.
fn with_padding(rows: &[f32], counted: usize, width: usize) -> Vec<f32> {
    let mut padded = vec![0.0; rows.len() / counted * width];
    for (to, row) in padded
        .chunks_exact_mut(width)
        .zip(rows.chunks_exact(counted))
    {
        to[..counted].copy_from_slice(row);
    }
    padded
}

fn rms_norms<S: Simd>(s: S) {
    let mut generator = Generator::new(16);
    for counted in 1..=70 {
        let rows = between(&mut generator, 1, 30);
        let width = padded(counted) + PAD * between(&mut generator, 0, 1);
        let size = [0.01, 1.0, 100.0][counted % 3];
        let mut input = random(&mut generator, rows * counted);
        input.iter_mut().for_each(|x| *x *= size);
        // A point may have no values.
        input[..counted].fill(0.0);
        let epsilon = [1e-6, 1e-3, 0.1][counted / 3 % 3];
        let scale = with_padding(&random(&mut generator, counted), counted, width);
        let bias = with_padding(&random(&mut generator, counted), counted, width);
        let spread = with_padding(&input, counted, width);
        for spatial in [false, true] {
            let together = if spatial { rows * counted } else { counted };
            let plain: Vec<f32> = input
                .chunks_exact(together)
                .flat_map(|part| scalar::rms_norm(part, epsilon))
                .collect();
            for (_, activation) in ACTIVATIONS {
                let mut wanted = with_padding(&plain, counted, width);
                for (n, w) in wanted.iter_mut().enumerate() {
                    let c = n % width;
                    *w = scalar::activate(w.mul_add(scale[c], bias[c]), activation);
                }
                wanted.push(UNTOUCHED);
                let mut out = vec![UNTOUCHED; rows * width + 1];
                let norm = RmsNorm {
                    norm: ScaleBias {
                        scale: &scale,
                        bias: &bias,
                        activation,
                    },
                    channels: counted,
                    epsilon,
                    spatial,
                };
                kernels::rms_norm(s, &spread, rows, norm, &mut out);
                let name = S::NAME;
                let what = format!("{name}: {rows} rows of {counted}, spatial: {spatial}");
                near(&out, &wanted, &what);
            }
        }
    }
}

fn softmaxes<S: Simd>(s: S) {
    let mut generator = Generator::new(17);
    for counted in (1..=70).chain([81, 169, 361, 625]) {
        let rows = between(&mut generator, 1, 10);
        let width = padded(counted) + PAD * between(&mut generator, 0, 1);
        let scale = 1.0 / (between(&mut generator, 1, 64) as f32).sqrt();
        // Similar, different, and so different that only the largest counts; all may be beyond
        // the range of an exponential.
        let spread = [1.0, 10.0, 200.0][counted % 3];
        let shift = [0.0, 500.0, -500.0][between(&mut generator, 0, 2)];
        let mut scores = random(&mut generator, rows * counted);
        scores.iter_mut().for_each(|s| *s = *s * spread + shift);
        // Weights of about 1.
        let plain = scores.chunks_exact(counted).flat_map(|row| {
            let row: Vec<f32> = row.iter().map(|s| s * scale).collect();
            let weights = scalar::softmax(&row).into_iter();
            weights.map(|w| w * counted as f32)
        });
        let wanted = with_padding(&plain.collect::<Vec<f32>>(), counted, width);
        for behind in [UNTOUCHED, -UNTOUCHED, f32::NAN, f32::INFINITY] {
            let mut padded = with_padding(&scores, counted, width);
            for row in padded.chunks_exact_mut(width) {
                row[counted..].fill(behind);
            }
            padded.push(UNTOUCHED);
            let what = format!("{}: {counted} of {width}, {behind} behind", S::NAME);
            let mut found = padded.clone();
            kernels::softmax(s, &mut found, width, counted, scale);
            assert_eq!(found.pop(), Some(UNTOUCHED), "{what}");
            for row in found.chunks_exact_mut(width) {
                let sum: f64 = row.iter().map(|&w| f64::from(w)).sum();
                assert!((sum - 1.0).abs() < 1e-5, "{what}: {sum}");
                assert!(row[counted..].iter().all(|&w| w == 0.0), "{what}");
                row.iter_mut().for_each(|w| *w *= counted as f32);
            }
            near(&found, &wanted, &what);
        }
    }
}

fn gates<S: Simd>(s: S) {
    let mut generator = Generator::new(18);
    for counted in 1..=70 {
        let rows = between(&mut generator, 1, 30);
        let width = padded(counted) + PAD * between(&mut generator, 0, 1);
        let mut first = random(&mut generator, rows * counted);
        let second = random(&mut generator, rows * counted);
        let spread = [1.0, 10.0, 200.0][counted % 3];
        first.iter_mut().for_each(|x| *x *= spread);
        let both = first.iter().zip(&second);
        let plain = both.map(|(&a, b)| scalar::activate(a, Activation::Silu) * b);
        let mut wanted = with_padding(&plain.collect::<Vec<f32>>(), counted, width);
        wanted.push(UNTOUCHED);
        let halves = [&first, &second].map(|half| with_padding(half, counted, width));
        let rows_of = halves.each_ref().map(|half| half.chunks_exact(width));
        let [left, right] = rows_of;
        let input: Vec<f32> = left.zip(right).flat_map(|(l, r)| [l, r].concat()).collect();
        let mut out = vec![UNTOUCHED; rows * width + 1];
        kernels::gate(s, &input, width, &mut out);
        let what = format!("{}: {rows} rows of {counted} in {width}", S::NAME);
        near(&out, &wanted, &what);
    }
}

/// Weights packed for vectors of another length have another order: using them is a mistake.
fn weights_packed_for_other_vectors_are_refused<S: Simd>(s: S) {
    let others = [1, 2, 4, 8, 16].into_iter().filter(|&n| n != S::LANES);
    for lanes in others {
        let refused = |run: &dyn Fn()| {
            let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("a product");
            let message = panic.downcast_ref::<String>().expect("a message");
            let wanted = format!("packed for vectors of {lanes} numbers");
            assert!(message.contains(&wanted), "{message}");
        };
        let packed = Packed::new(lanes, 3, PAD, |i, o| (i + o) as f32);
        refused(&|| {
            let a = Matrix::new(&[1.0; 6], 2, 3);
            kernels::multiply(s, a, &packed, &mut [0.0; 2 * PAD], Write::Set);
        });
        for tiling in Tiling::ALL {
            let packed = tiling.transform_filters(lanes, PAD, PAD, |_, _, _, _| 1.0);
            let filters = [
                Transformed::Quantized(Quantized::new(&packed)),
                Transformed::Single(packed),
            ];
            let side = tiling.padded_side(1);
            let grid = Grid {
                tiling,
                size: (1, 1),
                pitch: side,
                border: 1,
                boards: 1,
            };
            for filters in filters {
                refused(&|| {
                    let input = vec![0.0; side * side * PAD];
                    let sums = &mut vec![0.0; grid.transformed(PAD)];
                    kernels::convolve(
                        s,
                        &grid,
                        &filters,
                        &input,
                        sums,
                        &mut GemmScratch::default(),
                    );
                });
            }
        }
    }
}

/// Random numbers that bfloat16 represents exactly.
fn short(generator: &mut Generator, n: usize) -> Vec<f32> {
    let numbers = random(generator, n).into_iter();
    numbers.map(|x| bf16::from_f32(x).to_f32()).collect()
}

#[test]
fn products_of_pairs_of_rounded_numbers() {
    let Some(bf16) = Bf16::detect() else {
        eprintln!("skipped: the processor has no {}", Bf16::NAME);
        return;
    };
    let set = InstructionSet::Bf16(bf16);
    let (mut generator, room) = (Generator::new(16), &mut GemmScratch::default());
    for round in 0..200 {
        let rows = 1 + round % 30;
        let inputs = between(&mut generator, 1, 70);
        let outputs = between(&mut generator, 1, 150);
        let (width, columns) = (padded(inputs), padded(outputs));
        let stride = width + between(&mut generator, 0, 9);
        let b = short(&mut generator, inputs * outputs);
        let numbers = short(&mut generator, rows * stride);
        let row = |n: usize| &numbers[n * stride..][..inputs];
        let a: Vec<f32> = (0..rows).flat_map(row).copied().collect();
        let product = scalar::multiply(rows, inputs, outputs, &a, &b);
        let rounded = Pointwise::new(set, inputs, outputs, |i, o| b[i * outputs + o]);
        let Pointwise::Rounded(weights) = &rounded else {
            panic!("not rounded to bfloat16");
        };
        assert_eq!((weights.matrices(), weights.outputs()), (1, columns));
        let mut out = vec![UNTOUCHED; rows * columns + 1];
        let input = Matrix::new(&numbers, rows, stride);
        // The vectors are for weights in single precision.
        rounded.multiply(Portable, input, &mut out, room);
        assert_eq!(out.pop(), Some(UNTOUCHED));
        let wanted = |n: usize| match n % columns {
            o if o < outputs => product[n / columns * outputs + o],
            _ => 0.0,
        };
        let wanted: Vec<f32> = (0..rows * columns).map(wanted).collect();
        near(
            &out,
            &wanted,
            &format!("{rows} rows, {inputs} to {outputs}"),
        );
    }
}

/// The available tokens for products of 16-bit integers.
fn int16_sets() -> impl Iterator<Item = Int16> {
    let all = InstructionSet::available().into_iter();
    all.filter_map(|set| match set {
        InstructionSet::Int16(set) => Some(set),
        _ => None,
    })
}

#[test]
fn products_of_integers() {
    let (mut generator, room) = (Generator::new(17), &mut GemmScratch::default());
    for set in int16_sets().map(InstructionSet::Int16) {
        for round in 0..200 {
            let rows = 1 + round % 30;
            let inputs = between(&mut generator, 1, 70);
            let outputs = between(&mut generator, 1, 150);
            let (width, columns) = (padded(inputs), padded(outputs));
            let stride = width + between(&mut generator, 0, 9);
            let b = random(&mut generator, inputs * outputs);
            let mut numbers = random(&mut generator, rows * stride);
            // The scale of a row does not depend on other rows.
            for (n, row) in numbers.chunks_exact_mut(stride).enumerate() {
                let size = [1.0, 1e-6, 1e6, 0.0][n % 4];
                row.iter_mut().for_each(|x| *x *= size);
                row[inputs..width].fill(0.0);
            }
            let row = |n: usize| &numbers[n * stride..][..inputs];
            let a: Vec<f32> = (0..rows).flat_map(row).copied().collect();
            let product = scalar::multiply(rows, inputs, outputs, &a, &b);
            let weights = Pointwise::new(set, inputs, outputs, |i, o| b[i * outputs + o]);
            assert!(matches!(weights, Pointwise::Integers(_)));
            let mut out = vec![UNTOUCHED; rows * columns + 1];
            let input = Matrix::new(&numbers, rows, stride);
            weights.multiply(Portable, input, &mut out, room);
            assert_eq!(out.pop(), Some(UNTOUCHED));
            for (n, &found) in out.iter().enumerate() {
                let (r, o) = (n / columns, n % columns);
                let wanted = if o < outputs {
                    product[r * outputs + o]
                } else {
                    0.0
                };
                let size = row(r).iter().fold(0.0f32, |most, x| most.max(x.abs()));
                // An input is off by at most 2⁻¹⁶ of the row's range, a weight by at most 2⁻¹⁷ of the
                // sum of its column, which is about half of the number of inputs.
                let most = size * inputs as f32 * (2.0 / 65536.0 + inputs as f32 / 131_072.0 / 2.0);
                let name = set.name();
                let what = format!("{name}: {rows} rows, {inputs} to {outputs}, number {n}");
                assert!(
                    (found - wanted).abs() <= most,
                    "{what}: {found}, not {wanted}"
                );
            }
        }
    }
}

#[test]
fn the_largest_sums_of_integers_fit() {
    let room = &mut GemmScratch::default();
    for set in int16_sets().map(InstructionSet::Int16) {
        for (inputs, signs) in [(1, 1), (2, 2), (64, 1), (384, 2), (1024, 1), (1024, 3)] {
            for size in [1e-3, 1.0, 1e3] {
                let sign = |i: usize| if i.is_multiple_of(signs) { 1.0 } else { -1.0 };
                let weights = Pointwise::new(set, inputs, PAD, |i, _| size * sign(i));
                let mut row: Vec<f32> = (0..inputs).map(sign).collect();
                row.resize(padded(inputs), 0.0);
                let input = Matrix::new(&row, 1, row.len());
                let mut out = [0.0; PAD];
                weights.multiply(Portable, input, &mut out, room);
                let wanted = size * inputs as f32;
                for found in out {
                    let name = set.name();
                    let apart = (found / wanted - 1.0).abs();
                    assert!(
                        apart < 0.01,
                        "{name}: {inputs}, {signs}: {found}, not {wanted}"
                    );
                }
            }
        }
    }
}

#[test]
fn convolutions_by_products_of_tiles() {
    let Some(amx) = Amx::detect() else {
        eprintln!("skipped: the processor has no {}", Amx::NAME);
        return;
    };
    let s = amx.vectors();
    let mut generator = Generator::new(15);
    for round in 0..60 {
        let [columns, rows] = [(); 2].map(|()| between(&mut generator, 1, 25));
        let (size, area) = ((columns, rows), columns * rows);
        let inputs = between(&mut generator, 1, 100);
        let outputs = between(&mut generator, 1, 100);
        let filter = [1, 3, 5][round % 3];
        let dilation = between(&mut generator, 1, 2);
        let reach = filter / 2 * dilation;
        let layout = AmxLayout {
            size,
            border: reach.max(1) + between(&mut generator, 0, 1),
            boards: between(&mut generator, 1, 3),
        };
        let weights = short(&mut generator, filter * filter * inputs * outputs);
        let away = |n: usize| (n * dilation) as isize - reach as isize;
        let places: Vec<_> = (0..filter * filter)
            .map(|n| (away(n % filter), away(n / filter)))
            .collect();
        let at = |n, i, o| weights[(n * inputs + i) * outputs + o];
        let tiled = AmxFilter::new(amx, places, inputs, outputs, at);
        let lines = Line::count(inputs);
        let mut input = vec![Line::ZERO; layout.points() * lines];
        let points = layout.places();
        let mut wanted = Vec::new();
        for board in 0..layout.boards {
            let numbers = short(&mut generator, area * inputs);
            let (filter, dilation) = ((filter, filter), (dilation, dilation));
            let channels = (inputs, outputs);
            let sums = scalar::convolve(size, filter, dilation, channels, &numbers, &weights);
            wanted.push(sums);
            for (n, x) in numbers.iter().enumerate() {
                let row = board * layout.step() + points.of(n / inputs);
                let c = n % inputs;
                input[row * lines + c / Line::LEN].0[c % Line::LEN] = bf16::from_f32(*x);
            }
        }
        let len = layout.boards * layout.sums() * tiled.columns();
        let mut sums = vec![UNTOUCHED; len + 1];
        tiled.multiply(&layout, &input, &mut sums, &mut AmxScratch::default());
        assert_eq!(sums[len], UNTOUCHED);
        let of_boards = sums.chunks_exact(layout.sums() * tiled.columns());
        let channels = padded(outputs);
        for (sums, wanted) in of_boards.zip(&wanted) {
            let wanted: Vec<f32> = (0..area * channels)
                .map(|n| match n % channels {
                    o if o < outputs => wanted[n / channels * outputs + o],
                    _ => 0.0,
                })
                .collect();
            let what = format!("{layout:?}, {inputs} to {outputs}, {filter}, {dilation}");
            check_epilogues(
                &mut generator,
                (size, channels),
                &wanted,
                &what,
                |epilogue| {
                    let sums = Matrix::new(sums, layout.sums(), tiled.columns());
                    kernels::apply(s, sums, (size.0, layout.pitch()), epilogue);
                },
            );
        }
    }
}

#[test]
fn products_of_tiles_beyond_their_input_are_refused() {
    let Some(amx) = Amx::detect() else {
        eprintln!("skipped: the processor has no {}", Amx::NAME);
        return;
    };
    let layout = AmxLayout {
        size: (9, 9),
        border: 1,
        boards: 1,
    };
    let product = |away: isize, rows: usize, sums: usize| {
        let tiled = AmxFilter::new(amx, vec![(0, 0), (away, 0)], 32, 32, |_, _, _| 1.0);
        let input = vec![Line::ZERO; rows];
        let mut out = vec![0.0; sums];
        let scratch = &mut AmxScratch::default();
        catch_unwind(AssertUnwindSafe(|| {
            tiled.multiply(&layout, &input, &mut out, scratch);
        }))
    };
    let (rows, sums) = (layout.points(), layout.sums() * 32);
    assert!(product(1, rows, sums).is_ok());
    assert!(product(-12, rows, sums).is_err());
    assert!(product(12, rows, sums).is_err());
    assert!(product(1, rows - 11, sums).is_err());
    assert!(product(1, rows, sums - 1).is_err());
}

#[test]
fn the_best_instruction_set_is_the_last_that_is_available() {
    let all = InstructionSet::available();
    assert_eq!(all.first().map(|set| set.name()), Some("portable"));
    assert_eq!(all.last(), Some(&InstructionSet::best()));
    for set in all {
        assert!(PAD.is_multiple_of(set.lanes()), "{}", set.name());
    }
}
