//! Weights of matrix products, packed in advance.
//!
//! Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008):
//! they lie in panels of a few columns, in the order in which they are read.

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
    pub(super) panel: usize,
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
    #[inline(always)]
    fn range(&self, rows: usize, matrix: usize, panel: usize) -> Range<usize> {
        let len = rows * self.panel;
        let from = (matrix * self.panels() + panel) * len;
        from..from + len
    }

    /// The same, if its rows lie in pairs.
    #[inline(always)]
    fn pairs(&self, matrix: usize, panel: usize) -> Range<usize> {
        self.range(self.inputs.div_ceil(2), matrix, panel)
    }

    /// Panels of a matrix.
    pub(super) fn panels(&self) -> usize {
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
    pub(super) fn expect<S: Simd>(&self) {
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
pub(super) type Lanes<A> = <<A as Arithmetic>::Simd as Simd>::Lanes;

/// Packed weights that a product can be taken with.
pub(super) trait Weights<A: Arithmetic> {
    /// Whether sums are to be multiplied by the units of their columns.
    const UNITS: bool = false;

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
    #[inline(always)]
    fn units(&self, _matrix: usize, _panel: usize) -> &[Lanes<A>] {
        &[]
    }

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
        let pairs = S::pairs(&self.pairs[self.shape.pairs(matrix, panel)]);
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
        bytes(&self.pairs, self.shape.pairs(matrix, panel))
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
}

impl Weights<Avx512Bf16> for Rounded {
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
        Avx512Bf16::pack(&self.pairs[self.shape.pairs(matrix, panel)])
    }

    #[inline(always)]
    fn bytes(&self, matrix: usize, panel: usize) -> (*const u8, usize) {
        bytes(&self.pairs, self.shape.pairs(matrix, panel))
    }
}

/// Where some numbers lie, and how many bytes they are.
#[inline(always)]
fn bytes<T>(data: &[T], range: Range<usize>) -> (*const u8, usize) {
    let at = data.as_ptr().wrapping_add(range.start);
    (at.cast(), range.len() * size_of::<T>())
}
