//! Transformer kernels other than products: RMS norm, softmax and gates.

use super::epilogue::ScaleBias;
use super::simd::{Simd, Vector};
use super::weights::PAD;
use crate::net::Activation;

/// An RMS norm (Zhang and Sennrich 2019).
#[derive(Clone, Copy, Debug)]
pub struct RmsNorm<'a> {
    /// Applied to the normalized numbers. The padding of scale and bias must be 0.
    pub norm: ScaleBias<'a>,
    /// Channels, without padding.
    pub channels: usize,
    /// Added to the mean of the squares.
    pub epsilon: f32,
    /// Is the mean taken over all points, instead of for each point?
    pub spatial: bool,
}

/// Divide `input[point][channel]` by the root mean square, then scale, shift and
/// activate. The padding of the input is 0.
///
/// # Panics
/// If a slice is too short.
pub fn rms_norm<S: Simd>(s: S, input: &[f32], points: usize, norm: RmsNorm<'_>, out: &mut [f32]) {
    let len = points * norm.norm.scale.len();
    let (input, out) = (&input[..len], &mut out[..len]);
    s.vectorize(
        #[inline(always)]
        || rms_norm_with(s, S::lanes(input), norm, S::lanes_mut(out)),
    );
}

#[inline(always)]
fn rms_norm_with<S: Simd>(s: S, input: &[S::Lanes], norm: RmsNorm<'_>, out: &mut [S::Lanes]) {
    let (scale, bias) = (S::lanes(norm.norm.scale), S::lanes(norm.norm.bias));
    let row = scale.len();
    let points = input.len() / row;
    let whole = match norm.spatial {
        true => inverse_rms(s, input, points * norm.channels, norm.epsilon),
        false => 0.0,
    };
    for (point, out) in input.chunks_exact(row).zip(out.chunks_exact_mut(row)) {
        let factor = s.splat(match norm.spatial {
            true => whole,
            false => inverse_rms(s, point, norm.channels, norm.epsilon),
        });
        for c in 0..row {
            let v = s.load(&point[c]).mul(factor);
            let v = v.mul_add(s.load(&scale[c]), s.load(&bias[c]));
            v.activate(norm.norm.activation).store(&mut out[c]);
        }
    }
}

/// 1 / √(Σx² / n + ε).
#[inline(always)]
fn inverse_rms<S: Simd>(s: S, input: &[S::Lanes], n: usize, epsilon: f32) -> f32 {
    let mut squares = s.splat(0.0);
    for v in input {
        let v = s.load(v);
        squares = v.mul_add(v, squares);
    }
    1.0 / (squares.sum() / n as f32 + epsilon).sqrt()
}

/// Turn rows of `width` scores into weights that sum to 1: the normalized exponentials of
/// the first `counted` scores times `scale`. The other weights become 0.
///
/// # Panics
/// If `width` is not a multiple of [`PAD`], or `counted` is 0 or above `width`.
pub fn softmax<S: Simd>(s: S, scores: &mut [f32], width: usize, counted: usize, scale: f32) {
    assert!(width.is_multiple_of(PAD) && (1..=width).contains(&counted));
    s.vectorize(
        #[inline(always)]
        || {
            for row in scores.chunks_exact_mut(width) {
                softmax_row(s, row, counted, scale);
            }
        },
    );
}

#[inline(always)]
fn softmax_row<S: Simd>(s: S, row: &mut [f32], counted: usize, scale: f32) {
    row[counted..].fill(f32::MIN);
    let lanes = S::lanes_mut(row);
    let mut largest = s.load(&lanes[0]);
    for v in lanes.iter() {
        largest = largest.max(s.load(v));
    }
    let (largest, scale) = (s.splat(largest.largest()), s.splat(scale));
    let mut sum = s.splat(0.0);
    for v in lanes.iter_mut() {
        let e = s.load(v).sub(largest).mul(scale).exp();
        e.store(v);
        sum = sum.add(e);
    }
    // Each padding element contributes e⁻⁸⁷.
    let inverse = s.splat(1.0 / sum.sum());
    for v in lanes.iter_mut() {
        s.load(v).mul(inverse).store(v);
    }
    row[counted..].fill(0.0);
}

/// Turn rows of 2 · `width` numbers into rows of `width`, as many as fit in `out`: SiLU of
/// the first half, times the second half (SwiGLU, Shazeer 2020).
///
/// # Panics
/// If `width` is not a multiple of [`PAD`], or `input` has fewer rows than `out`.
pub fn gate<S: Simd>(s: S, input: &[f32], width: usize, out: &mut [f32]) {
    assert!(width.is_multiple_of(PAD), "a row must be padded");
    let rows = out.len() / width;
    assert!(input.len() >= 2 * rows * width, "too few rows");
    s.vectorize(
        #[inline(always)]
        || {
            let rows = input.chunks_exact(2 * width);
            for (row, out) in rows.zip(out.chunks_exact_mut(width)) {
                gate_row(s, S::lanes(row), S::lanes_mut(out));
            }
        },
    );
}

#[inline(always)]
fn gate_row<S: Simd>(s: S, row: &[S::Lanes], out: &mut [S::Lanes]) {
    let (left, right) = row.split_at(out.len());
    for i in 0..out.len() {
        let a = s.load(&left[i]).activate(Activation::Silu);
        a.mul(s.load(&right[i])).store(&mut out[i]);
    }
}
