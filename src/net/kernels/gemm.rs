//! Matrix products with weights that never change.

use super::lanes::Lanes;
use rayon::prelude::*;

/// Channels are padded to a multiple of this many, so that every instruction set
/// has whole vectors.
pub const PAD: usize = 16;

/// Channels in whole vectors.
pub const fn padded(channels: usize) -> usize {
    channels.div_ceil(PAD) * PAD
}

/// Matrices of weights of one size in the order in which the kernel reads them:
/// strips of columns, each with all its rows one after the other.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    pub(super) data: Vec<f32>,
    /// How many matrices.
    pub(super) count: usize,
    /// Rows: inputs.
    pub(super) inputs: usize,
    /// Columns, padded: outputs.
    pub(super) outputs: usize,
    /// Columns of a strip.
    pub(super) strip: usize,
}

impl Packed {
    /// How many vectors make a strip, if a row has so many: three if that comes
    /// out even, which leaves the fewest loads for each product.
    fn vectors(row: usize) -> usize {
        match row {
            n if n % 3 == 0 => 3,
            n if n % 2 == 0 => 2,
            _ => 1,
        }
    }

    /// Lay out weights for vectors of `lanes`. `at(i, o)` is the weight from input
    /// `i` to output `o`, both below the numbers given.
    pub fn new(
        inputs: usize,
        outputs: usize,
        lanes: usize,
        at: impl Fn(usize, usize) -> f32,
    ) -> Packed {
        let mut packed = Packed::default();
        packed.lay_out(inputs, outputs, lanes, at);
        packed
    }

    /// Several of a size; `at(n, i, o)` is a weight of the n-th.
    pub fn several(
        count: usize,
        inputs: usize,
        outputs: usize,
        lanes: usize,
        at: impl Fn(usize, usize, usize) -> f32 + Sync,
    ) -> Packed {
        let mut packed = Packed::new(inputs, outputs, lanes, |_, _| 0.0);
        let len = packed.data.len();
        packed.count = count;
        packed.data.resize(count * len, 0.0);
        let (strip, matrices) = (packed.strip, packed.data.par_chunks_exact_mut(len));
        matrices.enumerate().for_each(|(n, matrix)| {
            fill(matrix, inputs, outputs, strip, |i, o| at(n, i, o));
        });
        packed
    }

    /// The same in place of what it held.
    pub fn lay_out(
        &mut self,
        inputs: usize,
        outputs: usize,
        lanes: usize,
        at: impl Fn(usize, usize) -> f32,
    ) {
        self.count = 1;
        self.inputs = inputs;
        self.outputs = padded(outputs);
        self.strip = Packed::vectors(self.outputs / lanes) * lanes;
        self.data.clear();
        self.data.resize(inputs * self.outputs, 0.0);
        fill(&mut self.data, inputs, outputs, self.strip, at);
    }

    /// Columns, padded.
    pub fn outputs(&self) -> usize {
        self.outputs
    }
}

/// Lay out one matrix of zeros.
fn fill(
    data: &mut [f32],
    inputs: usize,
    outputs: usize,
    strip: usize,
    at: impl Fn(usize, usize) -> f32,
) {
    for (s, part) in data.chunks_exact_mut(inputs * strip).enumerate() {
        for (i, row) in part.chunks_exact_mut(strip).enumerate() {
            for (o, w) in (s * strip..outputs).zip(row) {
                *w = at(i, o);
            }
        }
    }
}

/// With the `n`-th matrix of `b`: `out[r][o] = Σᵢ a[r][i] · b[i][o]`, added to what is there if `add`.
///
/// # Safety
/// There is an `n`-th matrix. `rows` rows of `a`, `stride` numbers apart, have `b.inputs` numbers each;
/// `rows` rows of `out` have `b.outputs`, `out_stride` apart.
#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "the operands of a matrix product"
)]
pub unsafe fn gemm<V: Lanes>(
    rows: usize,
    a: *const f32,
    stride: usize,
    b: &Packed,
    n: usize,
    out: *mut f32,
    out_stride: usize,
    add: bool,
) {
    // SAFETY: strips lie within the rows' and the weights' bounds, see above.
    unsafe {
        for s in 0..b.outputs / b.strip {
            let weights = b
                .data
                .as_ptr()
                .add((n * b.outputs + s * b.strip) * b.inputs);
            let out = out.add(s * b.strip);
            match b.strip / V::N {
                1 => strip::<V, 1>(rows, a, stride, b.inputs, weights, out, out_stride, add),
                2 => strip::<V, 2>(rows, a, stride, b.inputs, weights, out, out_stride, add),
                _ => strip::<V, 3>(rows, a, stride, b.inputs, weights, out, out_stride, add),
            }
        }
    }
}

/// One strip of columns: the rows in blocks as even as possible, each block's
/// sums in registers.
#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "the operands of a matrix product"
)]
unsafe fn strip<V: Lanes, const R: usize>(
    rows: usize,
    a: *const f32,
    stride: usize,
    inputs: usize,
    weights: *const f32,
    out: *mut f32,
    out_stride: usize,
    add: bool,
) {
    let blocks = rows.div_ceil(V::ROWS[R]);
    let mut row = 0;
    for left in (1..=blocks).rev() {
        let n = (rows - row).div_ceil(left);
        // The first block brings this strip into the nearest cache. Meanwhile each
        // asks for its share of the next strip.
        let share = (inputs * R).div_ceil(blocks);
        let ahead = weights.wrapping_add((inputs * R + (left - 1) * share) * V::N);
        let ahead = Ahead {
            lines: ahead,
            step: share.div_ceil(inputs),
        };
        // SAFETY: row + n <= rows.
        unsafe {
            let a = a.add(row * stride);
            let out = out.add(row * out_stride);
            macro_rules! rows {
                ($($m:literal)*) => {
                    match n {
                        $($m if V::ROWS[R] >= $m => {
                            block::<V, $m, R>(a, stride, inputs, weights, out, out_stride, add, ahead)
                        })*
                        _ => debug_assert!(false, "a block has no more rows than fit"),
                    }
                };
            }
            rows!(1 2 3 4 5 6 7 8 9 10 11 12 13 14);
        }
        row += n;
    }
}

/// Weights that will be needed soon.
#[derive(Clone, Copy)]
struct Ahead {
    lines: *const f32,
    /// Vectors to ask for with each input.
    step: usize,
}

#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "the operands of a matrix product"
)]
unsafe fn block<V: Lanes, const M: usize, const R: usize>(
    a: *const f32,
    stride: usize,
    inputs: usize,
    weights: *const f32,
    out: *mut f32,
    out_stride: usize,
    add: bool,
    ahead: Ahead,
) {
    // SAFETY: as `gemm`; asking for what is not there does no harm.
    unsafe {
        let mut sums = [[V::splat(0.0); R]; M];
        let mut w = weights;
        for i in 0..inputs {
            let mut column = [V::splat(0.0); R];
            for (r, c) in column.iter_mut().enumerate() {
                *c = V::load(w.add(r * V::N));
            }
            w = w.add(R * V::N);
            let soon = ahead.lines.wrapping_add(i * ahead.step * V::N);
            for line in 0..ahead.step.min(R) {
                V::prefetch(soon.wrapping_add(line * V::N));
            }
            for (m, sum) in sums.iter_mut().enumerate() {
                let x = V::splat(*a.add(m * stride + i));
                for r in 0..R {
                    sum[r] = x.mul_add(column[r], sum[r]);
                }
            }
        }
        for (m, sum) in sums.iter().enumerate() {
            for (r, &x) in sum.iter().enumerate() {
                let p = out.add(m * out_stride + r * V::N);
                let x = if add { x.add(V::load(p)) } else { x };
                x.store(p);
            }
        }
    }
}
