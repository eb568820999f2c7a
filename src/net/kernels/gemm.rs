//! Matrix products with weights that never change.

use super::lanes::Lanes;

/// Channels are padded to a multiple of this many, so that every instruction set
/// has whole vectors.
pub const PAD: usize = 16;

/// Channels in whole vectors.
pub const fn padded(channels: usize) -> usize {
    channels.div_ceil(PAD) * PAD
}

/// A matrix of weights in the order in which the kernel reads it: strips of
/// columns, each with all its rows one after the other.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    pub(super) data: Vec<f32>,
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

    /// The same in place of what it held.
    pub fn lay_out(
        &mut self,
        inputs: usize,
        outputs: usize,
        lanes: usize,
        at: impl Fn(usize, usize) -> f32,
    ) {
        self.inputs = inputs;
        self.outputs = padded(outputs);
        self.strip = Packed::vectors(self.outputs / lanes) * lanes;
        self.data.clear();
        self.data.resize(inputs * self.outputs, 0.0);
        let strip = self.strip;
        for (s, part) in self.data.chunks_exact_mut(inputs * strip).enumerate() {
            for (i, row) in part.chunks_exact_mut(strip).enumerate() {
                for (o, w) in (s * strip..outputs).zip(row) {
                    *w = at(i, o);
                }
            }
        }
    }

    /// Columns, padded.
    pub fn outputs(&self) -> usize {
        self.outputs
    }
}

/// `out[r][o] = Σᵢ a[r][i] · b[i][o]`, added to what is there if `add`.
///
/// # Safety
/// `rows` rows of `a`, `stride` numbers apart, have `b.inputs` numbers each;
/// `rows` rows of `out` have `b.outputs`, `out_stride` apart.
#[inline(always)]
pub unsafe fn gemm<V: Lanes>(
    rows: usize,
    a: *const f32,
    stride: usize,
    b: &Packed,
    out: *mut f32,
    out_stride: usize,
    add: bool,
) {
    // SAFETY: strips lie within the rows' and the weights' bounds, see above.
    unsafe {
        for s in 0..b.outputs / b.strip {
            let weights = b.data.as_ptr().add(s * b.strip * b.inputs);
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
        // SAFETY: row + n <= rows.
        unsafe {
            let a = a.add(row * stride);
            let out = out.add(row * out_stride);
            macro_rules! rows {
                ($($m:literal)*) => {
                    match n {
                        $($m if V::ROWS[R] >= $m => {
                            block::<V, $m, R>(a, stride, inputs, weights, out, out_stride, add)
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

#[inline(always)]
unsafe fn block<V: Lanes, const M: usize, const R: usize>(
    a: *const f32,
    stride: usize,
    inputs: usize,
    weights: *const f32,
    out: *mut f32,
    out_stride: usize,
    add: bool,
) {
    // SAFETY: as `gemm`.
    unsafe {
        let mut sums = [[V::splat(0.0); R]; M];
        let mut w = weights;
        for i in 0..inputs {
            let mut column = [V::splat(0.0); R];
            for (r, c) in column.iter_mut().enumerate() {
                *c = V::load(w.add(r * V::N));
            }
            w = w.add(R * V::N);
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
