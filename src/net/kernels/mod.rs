//! The loops in which inference spends its time, for each instruction set.
//!
//! The only module with `unsafe` code. The functions here check the lengths of
//! what they are given; below them pointers go unchecked. Each has a plain twin in
//! [`scalar`] that the tests compare it with, on every instruction set that the
//! machine has.
#![allow(unsafe_code)]

mod attention;
mod finish;
mod gemm;
mod lanes;
pub mod scalar;
mod winograd;

pub use finish::{Affine, Finish, Rows};
pub use gemm::{PAD, Packed, padded};
pub use winograd::Grid;

use crate::net::Activation;
use lanes::{Lanes, Portable};
use winograd::{Four, Three, Tile};

/// An instruction set that the kernels are compiled for and this machine has:
/// only [`Level::available`] makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    /// What every processor has.
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// All that this machine has, best last.
    pub fn available() -> Vec<Level> {
        #[allow(unused_mut, reason = "on other machines")]
        let mut levels = vec![Level(Set::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                levels.push(Level(Set::Avx2));
            }
            if is_x86_feature_detected!("avx512f") {
                levels.push(Level(Set::Avx512));
            }
        }
        levels
    }

    /// The best that this machine has.
    pub fn best() -> Level {
        Level::available().pop().unwrap_or(Level(Set::Portable))
    }

    /// Numbers in a vector.
    pub fn lanes(self) -> usize {
        match self.0 {
            Set::Portable => Portable::N,
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => lanes::Avx2::N,
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => lanes::Avx512::N,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self.0 {
            Set::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => "AVX-512",
        }
    }
}

/// A function for each level, compiled for it, and one that chooses.
macro_rules! for_each_level {
    ($name:ident<V $(, $t:ident: $bound:path)*>($($arg:ident: $type:ty),* $(,)?)
        = $generic:expr) => {
        /// # Safety
        /// As the generic function; the processor has the level.
        #[allow(clippy::too_many_arguments, reason = "operands of a kernel")]
        unsafe fn $name<$($t: $bound),*>(level: Level, $($arg: $type),*) {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            unsafe fn avx2<$($t: $bound),*>($($arg: $type),*) {
                type V = lanes::Avx2;
                unsafe { $generic }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f")]
            unsafe fn avx512<$($t: $bound),*>($($arg: $type),*) {
                type V = lanes::Avx512;
                unsafe { $generic }
            }
            unsafe fn portable<$($t: $bound),*>($($arg: $type),*) {
                type V = Portable;
                unsafe { $generic }
            }
            unsafe {
                match level.0 {
                    #[cfg(target_arch = "x86_64")]
                    Set::Avx2 => avx2::<$($t),*>($($arg),*),
                    #[cfg(target_arch = "x86_64")]
                    Set::Avx512 => avx512::<$($t),*>($($arg),*),
                    Set::Portable => portable::<$($t),*>($($arg),*),
                }
            }
        }
    };
}

for_each_level!(gemm_at<V>(
    rows: usize,
    a: *const f32,
    stride: usize,
    b: &Packed,
    out: *mut f32,
    out_stride: usize,
    add: bool,
) = gemm::gemm::<V>(rows, a, stride, b, 0, out, out_stride, add));

for_each_level!(products_at<V, T: Tile>(
    grid: &Grid,
    filters: &Packed,
    input: *const f32,
    channels: usize,
    work: *mut f32,
) = winograd::products::<V, T>(grid, filters, input, channels, work));

for_each_level!(restore_at<V, T: Tile>(
    grid: &Grid,
    products: *const f32,
    stride: usize,
    finish: &Finish<'_>,
) = winograd::restore::<V, T>(grid, products, stride, finish));

for_each_level!(finish_at<V>(
    outputs: *const f32,
    stride: usize,
    finish: &Finish<'_>,
) = finish::finish::<V>(outputs, stride, finish));

for_each_level!(gather_at<V>(
    first: *const f32,
    weights: *const f32,
    lists: &[u32],
    ends: &[u32],
    how: &Finish<'_>,
) = finish::gather::<V>(first, weights, lists, ends, how));

for_each_level!(rms_norm_at<V>(
    input: *const f32,
    rows: usize,
    channels: usize,
    counted: usize,
    epsilon: f32,
    all: bool,
    scale: *const f32,
    bias: *const f32,
    activation: Activation,
    out: *mut f32,
) = attention::rms_norm::<V>(
    input, rows, channels, counted, epsilon, all, scale, bias, activation, out
));

for_each_level!(softmax_at<V>(
    scores: *mut f32,
    rows: usize,
    width: usize,
    counted: usize,
    scale: f32,
) = attention::softmax::<V>(scores, rows, width, counted, scale));

for_each_level!(gate_at<V>(
    input: *const f32,
    rows: usize,
    width: usize,
    out: *mut f32,
) = attention::gate::<V>(input, rows, width, out));

for_each_level!(pool_at<V>(
    input: *const f32,
    area: usize,
    channels: usize,
    sum: *mut f32,
    max: *mut f32,
) = finish::pool::<V>(input, area, channels, sum, max));

/// `out[r][o] = Σᵢ a[r][i] · b[i][o]`, added to what is there if `add`: `rows` rows
/// of `a` that begin `stride` numbers apart, rows of `out` as long as `b` is wide.
///
/// # Panics
/// If a slice is too short, or the weights were packed for another level.
pub fn multiply(
    level: Level,
    rows: usize,
    a: &[f32],
    stride: usize,
    b: &Packed,
    out: &mut [f32],
    add: bool,
) {
    if rows == 0 {
        return;
    }
    assert!(a.len() >= (rows - 1) * stride + b.inputs);
    assert!(out.len() >= rows * b.outputs && b.strip.is_multiple_of(level.lanes()));
    // SAFETY: the lengths are checked; levels are available.
    unsafe {
        gemm_at(
            level,
            rows,
            a.as_ptr(),
            stride,
            b,
            out.as_mut_ptr(),
            b.outputs,
            add,
        )
    }
}

/// Finish rows of `stride` outputs, from `from` on in each.
///
/// # Panics
/// If there are too few.
pub fn finish_rows(level: Level, outputs: &[f32], stride: usize, from: usize, how: &Finish<'_>) {
    let end = from + how.channels;
    assert!(end <= stride && outputs.len() >= how.area() * stride);
    // SAFETY: the lengths are checked.
    unsafe { finish_at(level, outputs.as_ptr().add(from), stride, how) }
}

/// For each point the sum of some rows of `weights` and of `first`, finished. The
/// rows of point p are `lists[ends[p - 1]..ends[p]]`: a convolution of planes that
/// are mostly empty and never anything but 0 and 1.
///
/// # Panics
/// If there are no such rows.
pub fn gather(
    level: Level,
    first: &[f32],
    weights: &[f32],
    lists: &[u32],
    ends: &[u32],
    how: &Finish<'_>,
) {
    let rows = (weights.len() / how.channels) as u32;
    assert!(first.len() >= how.channels && how.channels.is_multiple_of(PAD));
    assert!(lists.iter().all(|&row| row < rows) && ends.len() == how.area());
    assert!(ends.is_sorted() && ends.last().is_none_or(|&e| e as usize <= lists.len()));
    // SAFETY: the lengths are checked.
    unsafe { gather_at(level, first.as_ptr(), weights.as_ptr(), lists, ends, how) }
}

/// Sum and maximum of each channel over all points of `input[point][channel]`.
///
/// # Panics
/// If a slice is too short.
pub fn pool(level: Level, input: &[f32], area: usize, sum: &mut [f32], max: &mut [f32]) {
    let channels = sum.len();
    assert!(area > 0 && channels.is_multiple_of(PAD));
    assert!(input.len() >= area * channels && max.len() >= channels);
    // SAFETY: the lengths are checked.
    unsafe {
        pool_at(
            level,
            input.as_ptr(),
            area,
            channels,
            sum.as_mut_ptr(),
            max.as_mut_ptr(),
        );
    }
}

/// Divide `rows` rows of padded channels by the root mean square of the first
/// `counted` channels (plus epsilon), of the row or with `all` of all rows; then
/// scale, shift and activate.
///
/// # Panics
/// If a slice is too short.
#[expect(
    clippy::too_many_arguments,
    reason = "a layer, its input and its output"
)]
pub fn rms_norm(
    level: Level,
    input: &[f32],
    rows: usize,
    counted: usize,
    epsilon: f32,
    all: bool,
    affine: Affine<'_>,
    out: &mut [f32],
) {
    let channels = affine.scale.len();
    assert!(channels.is_multiple_of(PAD) && affine.bias.len() >= channels);
    assert!(input.len() >= rows * channels && out.len() >= rows * channels);
    let (scale, bias) = (affine.scale.as_ptr(), affine.bias.as_ptr());
    let (input, out) = (input.as_ptr(), out.as_mut_ptr());
    let activation = affine.activation;
    // SAFETY: the lengths are checked.
    unsafe {
        rms_norm_at(
            level, input, rows, channels, counted, epsilon, all, scale, bias, activation, out,
        );
    }
}

/// Rows of `width` scores become weights that sum to 1: the exponentials of the
/// first `counted` scores times `scale`; the others become 0.
///
/// # Panics
/// If there are too few.
pub fn softmax(level: Level, scores: &mut [f32], width: usize, counted: usize, scale: f32) {
    assert!(width.is_multiple_of(PAD) && (1..=width).contains(&counted));
    let rows = scores.len() / width;
    // SAFETY: the lengths are checked.
    unsafe { softmax_at(level, scores.as_mut_ptr(), rows, width, counted, scale) }
}

/// Rows of twice `width` numbers become rows of `width`: the first half through
/// SiLU, times the second.
///
/// # Panics
/// If a slice is too short.
pub fn gate(level: Level, input: &[f32], rows: usize, width: usize, out: &mut [f32]) {
    assert!(width.is_multiple_of(PAD));
    assert!(input.len() >= 2 * rows * width && out.len() >= rows * width);
    // SAFETY: the lengths are checked.
    unsafe { gate_at(level, input.as_ptr(), rows, width, out.as_mut_ptr()) }
}

/// The sizes of tiles that a 3x3 convolution may be cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiling {
    /// F(3×3, 3×3).
    Three,
    /// F(4×4, 3×3).
    Four,
}

impl Tiling {
    /// All, in the order of their number.
    pub const ALL: [Tiling; 2] = [Tiling::Three, Tiling::Four];

    /// Side of a tile's outputs and of its input.
    pub fn sides(self) -> (usize, usize) {
        match self {
            Tiling::Three => (Three::OUT, Three::SIDE),
            Tiling::Four => (Four::OUT, Four::SIDE),
        }
    }

    /// The cheapest for a board of so many columns and rows: fewest products.
    pub fn of(size: (usize, usize)) -> Tiling {
        let cost = |t: &Tiling| {
            let (out, side) = t.sides();
            size.0.div_ceil(out) * size.1.div_ceil(out) * side * side
        };
        // On a tie the larger tiles: they need fewer transforms.
        let best = Tiling::ALL.into_iter().rev().min_by_key(cost);
        best.unwrap_or(Tiling::Four)
    }

    /// Points of an input's side, the border of a 3x3 filter included.
    pub fn padded_side(self, n: usize) -> usize {
        let (out, side) = self.sides();
        n.div_ceil(out) * out + side - out
    }

    /// Numbers that [`convolve`] needs as work space.
    pub fn work(self, size: (usize, usize), inputs: usize, outputs: usize) -> usize {
        let (out, side) = self.sides();
        size.0.div_ceil(out) * size.1.div_ceil(out) * side * side * (inputs + outputs)
    }

    /// Transform the filters of a layer; `at(y, x, i, o)` is a weight.
    pub fn transform(
        self,
        level: Level,
        inputs: usize,
        outputs: usize,
        at: impl Fn(usize, usize, usize, usize) -> f32 + Sync,
    ) -> Packed {
        let lanes = level.lanes();
        match self {
            Tiling::Three => winograd::transform_filters::<Three>(inputs, outputs, lanes, at),
            Tiling::Four => winograd::transform_filters::<Four>(inputs, outputs, lanes, at),
        }
    }
}

/// The costly part of a 3x3 convolution of `input[point][channel]`, points in
/// padded rows; [`restore`] gets the outputs from `work`.
///
/// # Panics
/// If a slice is too short, or the filters were transformed for something else.
pub fn convolve(
    level: Level,
    tiling: Tiling,
    grid: &Grid,
    filters: &Packed,
    input: &[f32],
    channels: usize,
    work: &mut [f32],
) {
    let (out, side) = tiling.sides();
    let (columns, rows) = (grid.size.0.div_ceil(out), grid.size.1.div_ceil(out));
    let last_row = (rows * out + grid.border - 1 + side - out) * grid.pitch;
    assert!(grid.border >= 1 && channels.is_multiple_of(PAD));
    assert!(grid.pitch + 1 >= columns * out + side - out + grid.border);
    assert!(input.len() >= last_row * channels);
    assert!(filters.count == side * side && filters.inputs <= channels);
    assert!(filters.strip.is_multiple_of(level.lanes()));
    let outputs = filters.outputs;
    assert!(work.len() >= tiling.work(grid.size, channels, outputs));
    let (input, work) = (input.as_ptr(), work.as_mut_ptr());
    // SAFETY: the lengths are checked; levels are available.
    unsafe {
        match tiling {
            Tiling::Three => products_at::<Three>(level, grid, filters, input, channels, work),
            Tiling::Four => products_at::<Four>(level, grid, filters, input, channels, work),
        }
    }
}

/// Finish the outputs of a [`convolve`] with these numbers of channels, from output
/// channel `from` on.
///
/// # Panics
/// If they are too few.
pub fn restore(
    level: Level,
    tiling: Tiling,
    grid: &Grid,
    work: &[f32],
    (inputs, outputs): (usize, usize),
    from: usize,
    how: &Finish<'_>,
) {
    assert!(work.len() >= tiling.work(grid.size, inputs, outputs));
    assert!(from + how.channels <= outputs && how.channels.is_multiple_of(PAD));
    assert!(how.area() == grid.size.0 * grid.size.1);
    let products = &work[tiling.work(grid.size, inputs, 0) + from..];
    let products = products.as_ptr();
    // SAFETY: the lengths are checked; levels are available.
    unsafe {
        match tiling {
            Tiling::Three => restore_at::<Three>(level, grid, products, outputs, how),
            Tiling::Four => restore_at::<Four>(level, grid, products, outputs, how),
        }
    }
}
