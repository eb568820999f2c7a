//! Global pooling.

use super::simd::{Simd, Vector};

/// Compute sum and maximum of each channel over the points of `input[point][channel]`. The
/// length of `sum` is the number of channels.
///
/// # Panics
/// If there are no points, or a slice is too short.
pub fn pool<S: Simd>(s: S, input: &[f32], points: usize, sum: &mut [f32], max: &mut [f32]) {
    assert!(
        sum.len().is_multiple_of(S::LANES),
        "channels must be padded"
    );
    let input = &input[..points * sum.len()];
    s.vectorize(
        #[inline(always)]
        || pool_with(s, S::lanes(input), S::lanes_mut(sum), S::lanes_mut(max)),
    );
}

#[inline(always)]
fn pool_with<S: Simd>(s: S, input: &[S::Lanes], sum: &mut [S::Lanes], max: &mut [S::Lanes]) {
    let row = sum.len();
    for c in 0..row {
        let mut total = s.splat(0.0);
        let mut largest = s.load(&input[c]);
        for point in input.chunks_exact(row) {
            let v = s.load(&point[c]);
            total = total.add(v);
            largest = largest.max(v);
        }
        total.store(&mut sum[c]);
        largest.store(&mut max[c]);
    }
}
