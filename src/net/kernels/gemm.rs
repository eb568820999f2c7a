//! Matrix products with weights that are packed in advance.
//!
//! Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008):
//! the weights lie in panels of a few columns, in the order in which they are read,
//! and a block of sums as large as the registers hold goes down each panel.

use super::epilogue::Write;
use super::simd::{Simd, Vector};
use crate::net::buffer::grown;
use rayon::prelude::*;
use std::ops::Range;

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

/// How matrices of one shape are packed for vectors of one length: in panels of one to
/// three vectors' columns, each with all its rows one after the other,
/// `[matrix][panel][input][column of the panel]`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shape {
    pub(super) matrices: usize,
    /// Rows.
    pub(super) inputs: usize,
    /// Columns, padded.
    pub(super) outputs: usize,
    /// Numbers of the vectors that it is packed for.
    lanes: usize,
    /// Columns of a panel.
    panel: usize,
}

impl Shape {
    /// # Panics
    /// If `inputs` is 0 or `lanes` does not divide [`PAD`].
    fn new(lanes: usize, matrices: usize, inputs: usize, outputs: usize) -> Shape {
        assert!(inputs > 0, "a matrix needs rows");
        assert!(PAD.is_multiple_of(lanes), "no vectors of {lanes} numbers");
        let outputs = padded(outputs);
        // Three vectors leave the fewest loads for each product, if they come out even.
        let vectors = match outputs / lanes {
            n if n % 3 == 0 => 3,
            n if n % 2 == 0 => 2,
            _ => 1,
        };
        Shape {
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

    /// Where a panel lies, if it has so many rows.
    fn range(&self, rows: usize, matrix: usize, panel: usize) -> Range<usize> {
        let len = rows * self.panel;
        let from = (matrix * self.panels() + panel) * len;
        from..from + len
    }

    /// Panels of a matrix.
    fn panels(&self) -> usize {
        self.outputs / self.panel
    }

    /// Put the weights of one matrix where they belong, over zeros; so many outputs are
    /// not padding.
    fn fill(&self, matrix: &mut [f32], outputs: usize, at: impl Fn(usize, usize) -> f32) {
        let panels = matrix.chunks_exact_mut(self.inputs * self.panel);
        for (p, part) in panels.enumerate() {
            for (i, row) in part.chunks_exact_mut(self.panel).enumerate() {
                for (o, w) in (p * self.panel..outputs).zip(row) {
                    *w = at(i, o);
                }
            }
        }
    }

    /// # Panics
    /// If the weights are packed for vectors of another length.
    fn expect<S: Simd>(&self) {
        assert!(
            self.lanes == S::LANES,
            "weights packed for vectors of {} numbers, but those of {} have {}",
            self.lanes,
            S::NAME,
            S::LANES
        );
    }
}

/// Packed weights that a product can be taken with.
pub(super) trait Weights {
    /// Whether sums are to be multiplied by the units of their columns.
    const UNITS: bool;

    /// How they are packed.
    fn shape(&self) -> &Shape;

    /// The vectors of a panel, if need be made from its weights in `buffer`, which is grown.
    fn panel<'a, S: Simd>(
        &'a self,
        s: S,
        matrix: usize,
        panel: usize,
        buffer: &'a mut Vec<f32>,
    ) -> &'a [S::Lanes];

    /// The units of a panel's columns, if there are any.
    fn units<S: Simd>(&self, matrix: usize, panel: usize) -> &[S::Lanes];

    /// The bytes of a panel in memory, or those behind the last one.
    fn bytes(&self, matrix: usize, panel: usize) -> (*const u8, usize);
}

/// Matrices of weights of one shape, packed.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    data: Vec<f32>,
    shape: Shape,
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
        let shape = Shape::new(lanes, matrices, inputs, outputs);
        let mut data = vec![0.0; matrices * shape.len()];
        let each = data.par_chunks_exact_mut(shape.len()).enumerate();
        each.for_each(|(n, matrix)| shape.fill(matrix, outputs, |i, o| at(n, i, o)));
        Packed { data, shape }
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
        self.shape = Shape::new(lanes, 1, inputs, outputs);
        self.data.clear();
        self.data.resize(self.shape.len(), 0.0);
        self.shape.fill(&mut self.data, outputs, at);
    }

    /// How many matrices.
    pub fn matrices(&self) -> usize {
        self.shape.matrices
    }

    /// Rows of a matrix.
    pub fn inputs(&self) -> usize {
        self.shape.inputs
    }

    /// Columns of a matrix, padded.
    pub fn outputs(&self) -> usize {
        self.shape.outputs
    }

    /// Where a panel lies among the numbers.
    fn range(&self, matrix: usize, panel: usize) -> Range<usize> {
        self.shape.range(self.shape.inputs, matrix, panel)
    }
}

impl Weights for Packed {
    const UNITS: bool = false;

    fn shape(&self) -> &Shape {
        &self.shape
    }

    #[inline(always)]
    fn panel<'a, S: Simd>(
        &'a self,
        _: S,
        matrix: usize,
        panel: usize,
        _: &'a mut Vec<f32>,
    ) -> &'a [S::Lanes] {
        S::lanes(&self.data[self.range(matrix, panel)])
    }

    #[inline(always)]
    fn units<S: Simd>(&self, _: usize, _: usize) -> &[S::Lanes] {
        &[]
    }

    #[inline(always)]
    fn bytes(&self, matrix: usize, panel: usize) -> (*const u8, usize) {
        bytes(&self.data, self.range(matrix, panel))
    }
}

/// Packed matrices as whole numbers of 16 bits, for networks whose weights are many: to
/// read them takes longer than to compute with them. A product is taken in single
/// precision; a weight is off by at most 2⁻¹⁶ of the largest in its column.
#[derive(Clone, Debug)]
pub struct Quantized {
    /// Two weights each, `[matrix][panel][pair of inputs][column of the panel]`: that of
    /// the first input, in 2¹⁶ units, with that of the second as what is left over. So
    /// the first needs one instruction to become a number, and the second two.
    pairs: Vec<i32>,
    shape: Shape,
    /// The weight that 1 stands for, `[matrix][column]`.
    units: Vec<f32>,
}

impl Quantized {
    /// The nearest numbers.
    pub fn new(packed: &Packed) -> Quantized {
        let shape = packed.shape;
        let rows = shape.inputs.div_ceil(2);
        let mut pairs = vec![0; shape.matrices * rows * shape.outputs];
        let mut units = vec![0.0; shape.matrices * shape.outputs];
        // A panel at a time: its columns lie beside each other.
        let panels = pairs.par_chunks_exact_mut(rows * shape.panel);
        let units_of = units.par_chunks_exact_mut(shape.panel);
        let weights = packed.data.par_chunks_exact(shape.inputs * shape.panel);
        let all = panels.zip(units_of).zip(weights);
        all.for_each(|((pairs, units), weights)| quantize(weights, pairs, units));
        Quantized {
            pairs,
            shape,
            units,
        }
    }

    /// Where a panel lies among the pairs.
    fn range(&self, matrix: usize, panel: usize) -> Range<usize> {
        self.shape
            .range(self.shape.inputs.div_ceil(2), matrix, panel)
    }
}

/// The weights of a panel in pairs of rows, and the units of its columns.
fn quantize(weights: &[f32], pairs: &mut [i32], units: &mut [f32]) {
    let columns = units.len();
    for row in weights.chunks_exact(columns) {
        for (most, w) in units.iter_mut().zip(row) {
            *most = w.abs().max(*most);
        }
    }
    for unit in &mut *units {
        // So the largest just fits; a column of zeros has a unit too.
        *unit = (*unit / (32767.0 * 65536.0)).max(f32::MIN_POSITIVE);
    }
    let rows = weights.chunks(2 * columns);
    for (pairs, rows) in pairs.chunks_exact_mut(columns).zip(rows) {
        for (c, pair) in pairs.iter_mut().enumerate() {
            let of = |row: usize| match rows.get(row * columns + c) {
                Some(w) => f64::from(w / units[c]),
                None => 0.0,
            };
            let second = (of(1) / 65536.0).round() as i16;
            let left_over = i32::from(second as u16);
            let first = ((of(0) - f64::from(left_over)) / 65536.0).round() as i16;
            *pair = i32::from(first) << 16 | left_over;
        }
    }
}

impl Weights for Quantized {
    const UNITS: bool = true;

    fn shape(&self) -> &Shape {
        &self.shape
    }

    #[inline(always)]
    fn panel<'a, S: Simd>(
        &'a self,
        s: S,
        matrix: usize,
        panel: usize,
        buffer: &'a mut Vec<f32>,
    ) -> &'a [S::Lanes] {
        let Shape {
            inputs,
            panel: columns,
            ..
        } = self.shape;
        let numbers = grown(buffer, inputs.next_multiple_of(2) * columns);
        let vectors = columns / S::LANES;
        let rows = S::lanes_mut(numbers).chunks_exact_mut(2 * vectors);
        let pairs = S::pairs(&self.pairs[self.range(matrix, panel)]);
        for (rows, pairs) in rows.zip(pairs.chunks_exact(vectors)) {
            let (first, second) = rows.split_at_mut(vectors);
            for ((first, second), pair) in first.iter_mut().zip(second).zip(pairs) {
                let [a, b] = s.widen(pair);
                a.store(first);
                b.store(second);
            }
        }
        S::lanes(&numbers[..inputs * columns])
    }

    #[inline(always)]
    fn units<S: Simd>(&self, matrix: usize, panel: usize) -> &[S::Lanes] {
        S::lanes(&self.units[self.shape.range(1, matrix, panel)])
    }

    #[inline(always)]
    fn bytes(&self, matrix: usize, panel: usize) -> (*const u8, usize) {
        bytes(&self.pairs, self.range(matrix, panel))
    }
}

/// Where some numbers lie, and how many bytes they are.
#[inline(always)]
fn bytes<T>(data: &[T], range: Range<usize>) -> (*const u8, usize) {
    let at = data.as_ptr().wrapping_add(range.start);
    (at.cast(), range.len() * size_of::<T>())
}

/// `out[r][o] = Σᵢ a[r][i] · b[i][o]`, or added to what `out` holds; the rows of
/// `out` are `b.outputs()` numbers.
///
/// # Panics
/// If a slice is too short, or the weights are packed for vectors of another length.
pub fn multiply<S: Simd>(s: S, a: Matrix<'_>, b: &Packed, out: &mut [f32], write: Write) {
    s.vectorize(
        #[inline(always)]
        || gemm(s, a, b, 0, out, write, &mut Vec::new()),
    );
}

/// [`multiply`] with the `n`-th matrix of `b`.
#[inline(always)]
pub(super) fn gemm<S: Simd, W: Weights>(
    s: S,
    a: Matrix<'_>,
    b: &W,
    n: usize,
    out: &mut [f32],
    write: Write,
    buffer: &mut Vec<f32>,
) {
    let shape = b.shape();
    shape.expect::<S>();
    let vectors = shape.panel / S::LANES;
    let out = &mut S::lanes_mut(out)[..a.rows * (shape.outputs / S::LANES)];
    for p in 0..shape.panels() {
        let panel = Panel {
            weights: b.panel(s, n, p, buffer),
            units: b.units::<S>(n, p),
            next: b.bytes(n, p + 1),
        };
        match vectors {
            1 => columns::<S, W, 1>(s, a, panel, Columns::new(shape, p, out, write)),
            2 => columns::<S, W, 2>(s, a, panel, Columns::new(shape, p, out, write)),
            _ => columns::<S, W, 3>(s, a, panel, Columns::new(shape, p, out, write)),
        }
    }
}

/// A panel of weights, ready to be multiplied with.
#[derive(Clone, Copy)]
struct Panel<'a, L> {
    /// `[input][vector]`.
    weights: &'a [L],
    /// Of its columns, if sums are to be multiplied by them.
    units: &'a [L],
    /// The memory that is needed next: where, and how many bytes.
    next: (*const u8, usize),
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
    fn new(shape: &Shape, panel: usize, out: &'a mut [L], write: Write) -> Self {
        Columns {
            vectors: out.as_chunks_mut().0,
            panels: shape.panels(),
            panel,
            write,
        }
    }
}

/// Weights that will be needed soon.
#[derive(Clone, Copy)]
struct Ahead {
    at: *const u8,
    /// Lines of the cache to ask for with each input.
    step: usize,
}

/// Bytes of a line of the cache.
const LINE: usize = 64;

/// One panel of `R` vectors: the rows in blocks as even as possible, each block's
/// sums in registers.
#[inline(always)]
fn columns<S: Simd, W: Weights, const R: usize>(
    s: S,
    a: Matrix<'_>,
    panel: Panel<'_, S::Lanes>,
    mut out: Columns<'_, S::Lanes, R>,
) {
    let inputs = panel.weights.len() / R;
    let blocks = a.rows.div_ceil(S::ROWS[R]);
    let mut row = 0;
    for left in (1..=blocks).rev() {
        let n = (a.rows - row).div_ceil(left);
        // The first block brings this panel into the nearest cache. Meanwhile each
        // asks for its share of the next panel.
        let share = panel.next.1.div_ceil(LINE).div_ceil(blocks);
        let ahead = Ahead {
            at: panel.next.0.wrapping_add((left - 1) * share * LINE),
            step: share.div_ceil(inputs),
        };
        macro_rules! rows {
            ($($m:literal)*) => {
                match n {
                    $($m if S::ROWS[R] >= $m => block::<S, W, $m, R>(s, a, row, panel, &mut out, ahead),)*
                    _ => debug_assert!(false, "a block has no more rows than fit"),
                }
            };
        }
        rows!(1 2 3 4 5 6 7 8 9 10 11 12 13 14);
        row += n;
    }
}

/// The body for every `m` below `M`, which is at most 14: a loop of so many turns is not
/// unrolled before it is decided what lies in registers.
macro_rules! each {
    ($m:ident < $M:ident, $body:expr) => {
        each!($m < $M, $body, 0 1 2 3 4 5 6 7 8 9 10 11 12 13)
    };
    ($m:ident < $M:ident, $body:expr, $($n:literal)*) => {
        $(if $n < $M {
            let $m: usize = $n;
            $body
        })*
    };
}

/// The sums of `M` rows, from `row` on, and `R` vectors of columns.
#[inline(always)]
fn block<S: Simd, W: Weights, const M: usize, const R: usize>(
    s: S,
    a: Matrix<'_>,
    row: usize,
    panel: Panel<'_, S::Lanes>,
    out: &mut Columns<'_, S::Lanes, R>,
    ahead: Ahead,
) {
    let weights = panel.weights.as_chunks::<R>().0;
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
        let soon = ahead.at.wrapping_add(i * ahead.step * LINE);
        for line in 0..ahead.step.min(R) {
            s.prefetch(soon.wrapping_add(line * LINE));
        }
        each!(m < M, {
            let x = s.splat(rows[m][i]);
            for r in 0..R {
                sums[m][r] = x.mul_add(w[r], sums[m][r]);
            }
        });
    }
    each!(m < M, {
        let to = &mut out.vectors[(row + m) * out.panels + out.panel];
        for r in 0..R {
            let mut sum = sums[m][r];
            if W::UNITS {
                sum = sum.mul(s.load(&panel.units[r]));
            }
            if out.write == Write::Add {
                sum = sum.add(s.load(&to[r]));
            }
            sum.store(&mut to[r]);
        }
    });
}
