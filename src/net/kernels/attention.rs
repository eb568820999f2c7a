//! Normalisation, attention weights and gates of transformers.

use super::lanes::Lanes;
use crate::net::Activation;

/// Normalise each of `rows` rows of `channels` numbers by the root mean square of
/// the first `counted` of them, scale, shift and activate. With `all`, the mean is
/// taken over all rows.
///
/// # Safety
/// The rows are there, padded with zeros, and `channels` scales and biases.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "operands of a kernel")]
pub unsafe fn rms_norm<V: Lanes>(
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
) {
    // SAFETY: see above.
    unsafe {
        let factor = |from: usize, n: usize| {
            let mut squares = V::splat(0.0);
            for i in (from..from + n * channels).step_by(V::N) {
                let v = V::load(input.add(i));
                squares = v.mul_add(v, squares);
            }
            1.0 / (squares.sum() / (n * counted) as f32 + epsilon).sqrt()
        };
        let whole = if all { factor(0, rows) } else { 0.0 };
        for row in 0..rows {
            let at = row * channels;
            let f = V::splat(if all { whole } else { factor(at, 1) });
            for c in (0..channels).step_by(V::N) {
                let v = V::load(input.add(at + c)).mul(f);
                let v = v.mul_add(V::load(scale.add(c)), V::load(bias.add(c)));
                v.activate(activation).store(out.add(at + c));
            }
        }
    }
}

/// Turn rows of `width` scores, of which the first `counted` matter, into weights:
/// eˢ over the sum, for scores scaled by `scale`; the others become 0.
///
/// # Safety
/// The rows are there; `width` is a multiple of the lanes.
#[inline(always)]
pub unsafe fn softmax<V: Lanes>(
    scores: *mut f32,
    rows: usize,
    width: usize,
    counted: usize,
    scale: f32,
) {
    // SAFETY: see above.
    unsafe {
        for row in 0..rows {
            let row = scores.add(row * width);
            for i in counted..width {
                *row.add(i) = f32::MIN;
            }
            let mut most = V::load(row);
            for i in (0..width).step_by(V::N) {
                most = most.max(V::load(row.add(i)));
            }
            let (most, by) = (V::splat(most.most()), V::splat(scale));
            let mut sum = V::splat(0.0);
            for i in (0..width).step_by(V::N) {
                let e = V::load(row.add(i)).sub(most).mul(by).exp();
                e.store(row.add(i));
                sum = sum.add(e);
            }
            // What does not matter has come to e⁻⁸⁷ each.
            let by = V::splat(1.0 / sum.sum());
            for i in (0..width).step_by(V::N) {
                V::load(row.add(i)).mul(by).store(row.add(i));
            }
            for i in counted..width {
                *row.add(i) = 0.0;
            }
        }
    }
}

/// From rows of twice `width` numbers to rows of `width`: the first half through
/// SiLU times the second (Shazeer 2020).
///
/// # Safety
/// The rows are there; `width` is a multiple of the lanes.
#[inline(always)]
pub unsafe fn gate<V: Lanes>(input: *const f32, rows: usize, width: usize, out: *mut f32) {
    // SAFETY: see above.
    unsafe {
        for row in 0..rows {
            let from = input.add(row * 2 * width);
            for i in (0..width).step_by(V::N) {
                let a = V::load(from.add(i)).activate(Activation::Silu);
                let b = V::load(from.add(width + i));
                a.mul(b).store(out.add(row * width + i));
            }
        }
    }
}
