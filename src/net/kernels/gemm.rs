//! Matrix products with weights that are packed in advance.
//!
//! Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008):
//! the weights lie in panels of a few columns, in the order in which they are read,
//! and a block of sums as large as the registers hold goes down each panel.

use super::epilogue::Write;
use super::simd::{Arithmetic, Avx512Bf16, Simd, Single, Vector};
use crate::net::buffer::grown;
use half::bf16;
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
pub struct Matrix<'a, T = f32> {
    pub(super) data: &'a [T],
    pub(super) rows: usize,
    pub(super) stride: usize,
}

impl<'a, T> Matrix<'a, T> {
    /// So many rows, the first at the beginning of `data`, each `stride` numbers after
    /// the one before.
    pub fn new(data: &'a [T], rows: usize, stride: usize) -> Matrix<'a, T> {
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

/// Vectors of sums of an arithmetic, in memory.
type Lanes<A> = <<A as Arithmetic>::Simd as Simd>::Lanes;

/// Packed weights that a product can be taken with.
pub(super) trait Weights<A: Arithmetic> {
    /// Whether sums are to be multiplied by the units of their columns.
    const UNITS: bool;

    /// How they are packed.
    fn shape(&self) -> &Shape;

    /// The vectors of a panel, if need be made from its weights in `buffer`, which is grown.
    fn panel<'a>(
        &'a self,
        a: A,
        matrix: usize,
        panel: usize,
        buffer: &'a mut Vec<f32>,
    ) -> &'a [A::Weights];

    /// The units of a panel's columns, if there are any.
    fn units(&self, matrix: usize, panel: usize) -> &[Lanes<A>];

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

impl<S: Simd> Weights<Single<S>> for Packed {
    const UNITS: bool = false;

    fn shape(&self) -> &Shape {
        &self.shape
    }

    #[inline(always)]
    fn panel<'a>(
        &'a self,
        _: Single<S>,
        matrix: usize,
        panel: usize,
        _: &'a mut Vec<f32>,
    ) -> &'a [S::Lanes] {
        S::lanes(&self.data[self.range(matrix, panel)])
    }

    #[inline(always)]
    fn units(&self, _: usize, _: usize) -> &[S::Lanes] {
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

impl<S: Simd> Weights<Single<S>> for Quantized {
    const UNITS: bool = true;

    fn shape(&self) -> &Shape {
        &self.shape
    }

    #[inline(always)]
    fn panel<'a>(
        &'a self,
        Single(s): Single<S>,
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
    fn units(&self, matrix: usize, panel: usize) -> &[S::Lanes] {
        S::lanes(&self.units[self.shape.range(1, matrix, panel)])
    }

    #[inline(always)]
    fn bytes(&self, matrix: usize, panel: usize) -> (*const u8, usize) {
        bytes(&self.pairs, self.range(matrix, panel))
    }
}

/// Packed matrices rounded to bfloat16: a number of 16 bits with 8 of them of mantissa.
#[derive(Clone, Debug)]
pub struct Rounded {
    bf16: Avx512Bf16,
    /// Two weights each, `[matrix][panel][pair of inputs][column of the panel]`, that of the
    /// first input in the lower half.
    pairs: Vec<u32>,
    shape: Shape,
}

impl Rounded {
    /// The nearest numbers.
    pub fn new(bf16: Avx512Bf16, packed: &Packed) -> Rounded {
        let Shape {
            matrices,
            inputs,
            outputs,
            panel: columns,
            ..
        } = packed.shape;
        let rows = inputs.div_ceil(2);
        let mut pairs = vec![0; matrices * rows * outputs];
        let bits = |w: Option<&f32>| bf16::from_f32(w.copied().unwrap_or(0.0)).to_bits();
        let panels = pairs.par_chunks_exact_mut(rows * columns);
        let weights = packed.data.par_chunks_exact(inputs * columns);
        panels.zip(weights).for_each(|(pairs, weights)| {
            let rows = weights.chunks(2 * columns);
            for (pairs, rows) in pairs.chunks_exact_mut(columns).zip(rows) {
                for (c, pair) in pairs.iter_mut().enumerate() {
                    let [first, second] = [rows.get(c), rows.get(columns + c)].map(bits);
                    *pair = u32::from(second) << 16 | u32::from(first);
                }
            }
        });
        Rounded {
            bf16,
            pairs,
            shape: packed.shape,
        }
    }

    /// The token that it is for.
    pub fn arithmetic(&self) -> Avx512Bf16 {
        self.bf16
    }

    /// How many matrices.
    pub fn matrices(&self) -> usize {
        self.shape.matrices
    }

    /// Columns of a matrix, padded.
    pub fn outputs(&self) -> usize {
        self.shape.outputs
    }

    /// Where a panel lies among the pairs.
    fn range(&self, matrix: usize, panel: usize) -> Range<usize> {
        self.shape
            .range(self.shape.inputs.div_ceil(2), matrix, panel)
    }
}

impl Weights<Avx512Bf16> for Rounded {
    const UNITS: bool = false;

    fn shape(&self) -> &Shape {
        &self.shape
    }

    #[inline(always)]
    fn panel<'a>(
        &'a self,
        _: Avx512Bf16,
        matrix: usize,
        panel: usize,
        _: &'a mut Vec<f32>,
    ) -> &'a [<Avx512Bf16 as Arithmetic>::Weights] {
        Avx512Bf16::pack(&self.pairs[self.range(matrix, panel)])
    }

    #[inline(always)]
    fn units(&self, _: usize, _: usize) -> &[Lanes<Avx512Bf16>] {
        &[]
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

/// Room for what products are taken of.
#[derive(Debug, Default)]
pub struct Room {
    /// The input of a convolution, transformed.
    pub(super) single: Vec<f32>,
    /// Inputs in pairs of bfloat16 numbers.
    pub(super) rounded: Vec<u32>,
    /// Weights that are whole numbers, while they are used.
    pub(super) panel: Vec<f32>,
}

/// `out[r][o] = Σᵢ a[r][i] · b[i][o]`, or added to what `out` holds; the rows of
/// `out` are `b.outputs()` numbers.
///
/// # Panics
/// If a slice is too short, or the weights are packed for vectors of another length.
pub fn multiply<S: Simd>(s: S, a: Matrix<'_>, b: &Packed, out: &mut [f32], write: Write) {
    s.vectorize(
        #[inline(always)]
        || gemm(Single(s), a, b, 0, out, write, &mut Vec::new()),
    );
}

/// [`multiply`] with weights that are rounded: as many numbers of a row as inputs, padded,
/// are rounded too. The sums are set.
///
/// # Panics
/// If a slice is too short or a row shorter than that.
pub fn multiply_rounded(a: Matrix<'_>, b: &Rounded, out: &mut [f32], room: &mut Room) {
    let bf16 = b.bf16;
    let width = padded(b.shape.inputs);
    let pairs = grown(&mut room.rounded, a.rows * width / 2);
    bf16.vectorize(
        #[inline(always)]
        || {
            for (m, row) in pairs.chunks_exact_mut(width / 2).enumerate() {
                let from = Vectors::lanes(&a.data[m * a.stride..][..width]);
                for (from, to) in from.iter().zip(Avx512Bf16::numbers(row)) {
                    bf16.write(bf16.vectors().load(from), to);
                }
            }
        },
    );
    let a = Matrix::new(&*pairs, a.rows, width / 2);
    bf16.vectorize(
        #[inline(always)]
        || gemm(bf16, a, b, 0, out, Write::Set, &mut Vec::new()),
    );
}

/// The vectors beside products of bfloat16 numbers.
type Vectors = <Avx512Bf16 as Arithmetic>::Simd;

/// [`multiply`] with the `n`-th matrix of `b`.
#[inline(always)]
pub(super) fn gemm<A: Arithmetic, W: Weights<A>>(
    how: A,
    a: Matrix<'_, A::Number>,
    b: &W,
    n: usize,
    out: &mut [f32],
    write: Write,
    buffer: &mut Vec<f32>,
) {
    let shape = b.shape();
    shape.expect::<A::Simd>();
    let vectors = shape.panel / A::Simd::LANES;
    let out = &mut A::Simd::lanes_mut(out)[..a.rows * (shape.outputs / A::Simd::LANES)];
    for p in 0..shape.panels() {
        let panel = Panel {
            weights: b.panel(how, n, p, buffer),
            units: b.units(n, p),
            next: b.bytes(n, p + 1),
        };
        match vectors {
            1 => columns::<A, W, 1>(how, a, panel, Columns::new(shape, p, out, write)),
            2 => columns::<A, W, 2>(how, a, panel, Columns::new(shape, p, out, write)),
            _ => columns::<A, W, 3>(how, a, panel, Columns::new(shape, p, out, write)),
        }
    }
}

/// A panel of weights, ready to be multiplied with.
#[derive(Clone, Copy)]
struct Panel<'a, W, L> {
    /// `[number of a row][vector]`.
    weights: &'a [W],
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
    /// Lines of the cache to ask for with each number of a row.
    step: usize,
}

/// Bytes of a line of the cache.
const LINE: usize = 64;

/// One panel of `R` vectors: the rows in blocks as even as possible, each block's
/// sums in registers.
#[inline(always)]
fn columns<A: Arithmetic, W: Weights<A>, const R: usize>(
    how: A,
    a: Matrix<'_, A::Number>,
    panel: Panel<'_, A::Weights, Lanes<A>>,
    mut out: Columns<'_, Lanes<A>, R>,
) {
    let numbers = panel.weights.len() / R;
    let blocks = a.rows.div_ceil(A::Simd::ROWS[R]);
    let mut row = 0;
    for left in (1..=blocks).rev() {
        let n = (a.rows - row).div_ceil(left);
        // The first block brings this panel into the nearest cache. Meanwhile each
        // asks for its share of the next panel.
        let share = panel.next.1.div_ceil(LINE).div_ceil(blocks);
        let ahead = Ahead {
            at: panel.next.0.wrapping_add((left - 1) * share * LINE),
            step: share.div_ceil(numbers),
        };
        macro_rules! rows {
            ($($m:literal)*) => {
                match n {
                    $($m if A::Simd::ROWS[R] >= $m => block::<A, W, $m, R>(how, a, row, panel, &mut out, ahead),)*
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
fn block<A: Arithmetic, W: Weights<A>, const M: usize, const R: usize>(
    how: A,
    a: Matrix<'_, A::Number>,
    row: usize,
    panel: Panel<'_, A::Weights, Lanes<A>>,
    out: &mut Columns<'_, Lanes<A>, R>,
    ahead: Ahead,
) {
    let s = how.vectors();
    let weights = panel.weights.as_chunks::<R>().0;
    let numbers = weights.len();
    let mut rows: [&[A::Number]; M] = [&[]; M];
    let mut rest = &a.data[row * a.stride..];
    for m in 0..M {
        rows[m] = &rest[..numbers];
        rest = rest.get(a.stride..).unwrap_or_default();
    }
    let mut sums = [[s.splat(0.0); R]; M];
    for i in 0..numbers {
        let mut w = [how.load(&weights[i][0]); R];
        for r in 1..R {
            w[r] = how.load(&weights[i][r]);
        }
        let soon = ahead.at.wrapping_add(i * ahead.step * LINE);
        for line in 0..ahead.step.min(R) {
            s.prefetch(soon.wrapping_add(line * LINE));
        }
        each!(m < M, {
            let x = how.repeat(rows[m][i]);
            for r in 0..R {
                sums[m][r] = how.add_products(sums[m][r], x, w[r]);
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
