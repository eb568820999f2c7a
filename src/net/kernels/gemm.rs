//! Matrix products with weights that are packed in advance.
//!
//! Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008):
//! the weights lie in panels of a few columns, in the order in which they are read,
//! and a block of sums as large as the registers hold goes down each panel.

use super::epilogue::Write;
use super::simd::{Simd, Vector};
use rayon::prelude::*;

/// Channels are padded to a multiple of this, the widest vector of any instruction
/// set.
pub const PAD: usize = 16;

/// Channels, rounded up to a multiple of [`PAD`].
pub const fn padded(channels: usize) -> usize {
    channels.div_ceil(PAD) * PAD
}

/// Rows of numbers in a buffer.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    pub(super) data: &'a [f32],
    pub(super) rows: usize,
    pub(super) stride: usize,
}

impl<'a> Matrix<'a> {
    /// So many rows, the first at the beginning of `data`, each `stride` numbers after
    /// the one before.
    pub fn new(data: &'a [f32], rows: usize, stride: usize) -> Matrix<'a> {
        Matrix { data, rows, stride }
    }
}

/// Matrices of weights of one shape, packed for vectors of one length: in panels of
/// one to three vectors' columns, each with all its rows one after the other.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    /// `[matrix][panel][input][column of the panel]`.
    data: Vec<f32>,
    matrices: usize,
    /// Rows.
    inputs: usize,
    /// Columns, padded.
    outputs: usize,
    /// Numbers of the vectors that it is packed for.
    lanes: usize,
    /// Columns of a panel.
    panel: usize,
}

impl Packed {
    /// One matrix, for vectors of `lanes` numbers. `at(i, o)` is the weight from
    /// input `i` to output `o`; padding is 0.
    ///
    /// # Panics
    /// If `inputs` is 0 or `lanes` does not divide [`PAD`].
    pub fn new(
        lanes: usize,
        inputs: usize,
        outputs: usize,
        at: impl Fn(usize, usize) -> f32,
    ) -> Packed {
        let mut packed = Packed::default();
        packed.pack(lanes, inputs, outputs, at);
        packed
    }

    /// So many matrices of a shape; `at(n, i, o)` is a weight of the n-th.
    ///
    /// # Panics
    /// If `inputs` is 0 or `lanes` does not divide [`PAD`].
    pub fn several(
        lanes: usize,
        matrices: usize,
        inputs: usize,
        outputs: usize,
        at: impl Fn(usize, usize, usize) -> f32 + Sync,
    ) -> Packed {
        let mut packed = Packed::shaped(lanes, matrices, inputs, outputs, Vec::new());
        let (panel, len) = (packed.panel, packed.len());
        let each = packed.data.par_chunks_exact_mut(len).enumerate();
        each.for_each(|(n, matrix)| fill(matrix, inputs, outputs, panel, |i, o| at(n, i, o)));
        packed
    }

    /// Replace what is packed with one matrix; the buffer is kept.
    ///
    /// # Panics
    /// If `inputs` is 0 or `lanes` does not divide [`PAD`].
    pub fn pack(
        &mut self,
        lanes: usize,
        inputs: usize,
        outputs: usize,
        at: impl Fn(usize, usize) -> f32,
    ) {
        let buffer = std::mem::take(&mut self.data);
        *self = Packed::shaped(lanes, 1, inputs, outputs, buffer);
        fill(&mut self.data, inputs, outputs, self.panel, at);
    }

    /// Zeros in a buffer.
    fn shaped(
        lanes: usize,
        matrices: usize,
        inputs: usize,
        outputs: usize,
        mut data: Vec<f32>,
    ) -> Packed {
        assert!(inputs > 0, "a matrix needs rows");
        assert!(PAD.is_multiple_of(lanes), "no vectors of {lanes} numbers");
        let outputs = padded(outputs);
        data.clear();
        data.resize(matrices * inputs * outputs, 0.0);
        // Three vectors leave the fewest loads for each product, if they come out even.
        let vectors = match outputs / lanes {
            n if n % 3 == 0 => 3,
            n if n % 2 == 0 => 2,
            _ => 1,
        };
        Packed {
            data,
            matrices,
            inputs,
            outputs,
            lanes,
            panel: vectors * lanes,
        }
    }

    /// Numbers of a matrix.
    fn len(&self) -> usize {
        self.inputs * self.outputs
    }

    /// How many matrices.
    pub fn matrices(&self) -> usize {
        self.matrices
    }

    /// Rows of a matrix.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Columns of a matrix, padded.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The vectors of a matrix.
    ///
    /// # Panics
    /// If the weights are packed for vectors of another length.
    #[inline(always)]
    fn vectors<S: Simd>(&self, matrix: usize) -> &[S::Lanes] {
        assert!(
            self.lanes == S::LANES,
            "weights packed for vectors of {} numbers, but those of {} have {}",
            self.lanes,
            S::NAME,
            S::LANES
        );
        S::lanes(&self.data[matrix * self.len()..][..self.len()])
    }
}

/// Pack one matrix over zeros.
fn fill(
    data: &mut [f32],
    inputs: usize,
    outputs: usize,
    panel: usize,
    at: impl Fn(usize, usize) -> f32,
) {
    for (p, part) in data.chunks_exact_mut(inputs * panel).enumerate() {
        for (i, row) in part.chunks_exact_mut(panel).enumerate() {
            for (o, w) in (p * panel..outputs).zip(row) {
                *w = at(i, o);
            }
        }
    }
}

/// `out[r][o] = Σᵢ a[r][i] · b[i][o]`, or added to what `out` holds; the rows of
/// `out` are `b.outputs()` numbers.
///
/// # Panics
/// If a slice is too short, or the weights are packed for vectors of another length.
pub fn multiply<S: Simd>(s: S, a: Matrix<'_>, b: &Packed, out: &mut [f32], write: Write) {
    s.vectorize(
        #[inline(always)]
        || gemm(s, a, b, 0, out, write),
    );
}

/// [`multiply`] with the `n`-th matrix of `b`.
#[inline(always)]
pub(super) fn gemm<S: Simd>(
    s: S,
    a: Matrix<'_>,
    b: &Packed,
    n: usize,
    out: &mut [f32],
    write: Write,
) {
    let vectors = b.panel / S::LANES;
    let out = &mut S::lanes_mut(out)[..a.rows * (b.outputs / S::LANES)];
    let panels = b.vectors::<S>(n).chunks_exact(b.inputs * vectors);
    for (p, panel) in panels.enumerate() {
        match vectors {
            1 => columns::<S, 1>(s, a, panel, Columns::new(b, p, out, write)),
            2 => columns::<S, 2>(s, a, panel, Columns::new(b, p, out, write)),
            _ => columns::<S, 3>(s, a, panel, Columns::new(b, p, out, write)),
        }
    }
}

/// Where the sums of a panel of `R` vectors go.
struct Columns<'a, L, const R: usize> {
    /// `[row][panel][vector]`.
    vectors: &'a mut [[L; R]],
    panels: usize,
    /// The number of the panel.
    panel: usize,
    write: Write,
}

impl<'a, L, const R: usize> Columns<'a, L, R> {
    #[inline(always)]
    fn new(b: &Packed, panel: usize, out: &'a mut [L], write: Write) -> Self {
        Columns {
            vectors: out.as_chunks_mut().0,
            panels: b.outputs / b.panel,
            panel,
            write,
        }
    }
}

/// Weights that will be needed soon.
#[derive(Clone, Copy)]
struct Ahead<L> {
    at: *const L,
    /// Vectors to ask for with each input.
    step: usize,
}

/// One panel of `R` vectors: the rows in blocks as even as possible, each block's
/// sums in registers.
#[inline(always)]
fn columns<S: Simd, const R: usize>(
    s: S,
    a: Matrix<'_>,
    panel: &[S::Lanes],
    mut out: Columns<'_, S::Lanes, R>,
) {
    let inputs = panel.len() / R;
    let blocks = a.rows.div_ceil(S::ROWS[R]);
    let mut row = 0;
    for left in (1..=blocks).rev() {
        let n = (a.rows - row).div_ceil(left);
        // The first block brings this panel into the nearest cache. Meanwhile each
        // asks for its share of the next panel, which lies behind this one.
        let share = panel.len().div_ceil(blocks);
        let ahead = Ahead {
            at: panel
                .as_ptr()
                .wrapping_add(panel.len() + (left - 1) * share),
            step: share.div_ceil(inputs),
        };
        macro_rules! rows {
            ($($m:literal)*) => {
                match n {
                    $($m if S::ROWS[R] >= $m => block::<S, $m, R>(s, a, row, panel, &mut out, ahead),)*
                    _ => debug_assert!(false, "a block has no more rows than fit"),
                }
            };
        }
        rows!(1 2 3 4 5 6 7 8 9 10 11 12 13 14);
        row += n;
    }
}

/// The sums of `M` rows, from `row` on, and `R` vectors of columns.
#[inline(always)]
fn block<S: Simd, const M: usize, const R: usize>(
    s: S,
    a: Matrix<'_>,
    row: usize,
    panel: &[S::Lanes],
    out: &mut Columns<'_, S::Lanes, R>,
    ahead: Ahead<S::Lanes>,
) {
    let weights = panel.as_chunks::<R>().0;
    let inputs = weights.len();
    let mut rows: [&[f32]; M] = [&[]; M];
    let mut rest = &a.data[row * a.stride..];
    for m in 0..M {
        rows[m] = &rest[..inputs];
        rest = rest.get(a.stride..).unwrap_or_default();
    }
    let mut sums = [[s.splat(0.0); R]; M];
    for i in 0..inputs {
        let mut w = [s.splat(0.0); R];
        for r in 0..R {
            w[r] = s.load(&weights[i][r]);
        }
        let soon = ahead.at.wrapping_add(i * ahead.step);
        for line in 0..ahead.step.min(R) {
            s.prefetch(soon.wrapping_add(line));
        }
        for m in 0..M {
            let x = s.splat(rows[m][i]);
            for r in 0..R {
                sums[m][r] = x.mul_add(w[r], sums[m][r]);
            }
        }
    }
    for m in 0..M {
        let to = &mut out.vectors[(row + m) * out.panels + out.panel];
        for r in 0..R {
            let sum = match out.write {
                Write::Set => sums[m][r],
                Write::Add => sums[m][r].add(s.load(&to[r])),
            };
            sum.store(&mut to[r]);
        }
    }
}
