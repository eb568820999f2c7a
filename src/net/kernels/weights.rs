//! Packed weights of matrix products.
//!
//! They are stored in panels of a few columns, in the order in which the product reads them
//! (Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", 2008).

use super::simd::{Arithmetic, Bf16, Int16, Simd, Single, with_int16};
use crate::net::buffer::grown;
use half::bf16;
use rayon::prelude::*;
use std::ops::Range;

/// Channels are padded to a multiple of this, the length of the longest vector of any
/// instruction set.
pub const PAD: usize = 16;

/// Round channels up to a multiple of [`PAD`].
pub const fn padded(channels: usize) -> usize {
    channels.div_ceil(PAD) * PAD
}

/// The packing of weight matrices `[input][output]` of one shape for one vector length. The columns
/// of a matrix, one for each output, are divided into panels as wide as one to three vectors:
/// `[matrix][panel][input][column of the panel]`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shape {
    /// Number of matrices.
    pub(super) matrices: usize,
    /// Rows per matrix.
    pub(super) inputs: usize,
    /// Columns per matrix, padded.
    pub(super) outputs: usize,
    /// Numbers per vector.
    lanes: usize,
    /// Columns per panel.
    pub(super) panel: usize,
}

impl Shape {
    /// # Panics
    /// If `inputs` is 0 or `lanes` does not divide [`PAD`].
    fn new(lanes: usize, matrices: usize, inputs: usize, outputs: usize) -> Shape {
        assert!(inputs > 0, "a matrix needs rows");
        assert!(PAD.is_multiple_of(lanes), "no vectors of {lanes} numbers");
        let outputs = padded(outputs);
        // Three vectors need the fewest loads per product, if they divide the columns.
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

    /// Numbers in a matrix.
    fn len(&self) -> usize {
        self.inputs * self.outputs
    }

    /// Return the range of a panel in an array in which panels have this many rows.
    #[inline(always)]
    fn range(&self, rows: usize, matrix: usize, panel: usize) -> Range<usize> {
        let len = rows * self.panel;
        let from = (matrix * self.panels() + panel) * len;
        from..from + len
    }

    /// Return the range of a panel in an array of pairs of inputs.
    #[inline(always)]
    fn pairs_range(&self, matrix: usize, panel: usize) -> Range<usize> {
        self.range(self.inputs.div_ceil(2), matrix, panel)
    }

    /// Number of panels per matrix.
    pub(super) fn panels(&self) -> usize {
        self.outputs / self.panel
    }

    /// Write the weights of one matrix of zeros. Columns from `outputs` on stay 0, as padding.
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

/// A vector of sums in memory.
pub(super) type Lanes<A> = <<A as Arithmetic>::Simd as Simd>::Lanes;

/// A panel of quantized weights, `[pair of inputs][vector]`, and room for the widened weights,
/// `[input][vector]`.
pub(super) type PairsToWiden<'a, A> = (
    &'a [<<A as Arithmetic>::Simd as Simd>::WeightPairs],
    &'a mut [<A as Arithmetic>::Weights],
);

/// Packed weight matrices for one arithmetic.
pub(super) trait PackedWeights<A: Arithmetic> {
    /// Are the weights quantized, so that they must be widened and the sums scaled?
    const QUANTIZED: bool = false;

    /// How the weights are packed.
    fn shape(&self) -> &Shape;

    /// Return the weights of a panel, `[element of an input row][vector]`; none if they are
    /// quantized.
    #[inline(always)]
    fn panel(&self, _matrix: usize, _panel: usize) -> &[A::Weights] {
        &[]
    }

    /// Return a panel of quantized weights and room in `buffer` to widen them; none unless they are
    /// quantized.
    #[inline(always)]
    fn pairs<'a>(
        &'a self,
        _matrix: usize,
        _panel: usize,
        _buffer: &'a mut Vec<f32>,
    ) -> PairsToWiden<'a, A> {
        (&[], &mut [])
    }

    /// Return the factors on the sums of a panel's columns; none unless it is quantized or of
    /// integers.
    #[inline(always)]
    fn scales(&self, _matrix: usize, _panel: usize) -> &[Lanes<A>] {
        &[]
    }

    /// Return address and size of a panel in bytes, to prefetch it; past the last panel, of the
    /// memory after it.
    fn bytes(&self, matrix: usize, panel: usize) -> (*const u8, usize);
}

/// Packed matrices of one shape in single precision.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    /// `[matrix][panel][input][column of the panel]`.
    data: Vec<f32>,
    shape: Shape,
}

impl Packed {
    /// Pack one matrix for vectors of `lanes` numbers. `at(i, o)` is the weight from input `i`
    /// to output `o`; padding is 0.
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

    /// Pack several matrices of one shape; `at(n, i, o)` is the weight of the n-th from input `i`
    /// to output `o`.
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

    /// Replace the contents with one matrix, reusing the buffer.
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

    /// Rows per matrix.
    pub fn inputs(&self) -> usize {
        self.shape.inputs
    }

    /// Columns per matrix, padded.
    pub fn outputs(&self) -> usize {
        self.shape.outputs
    }

    /// Return the range of a panel in `data`.
    fn range(&self, matrix: usize, panel: usize) -> Range<usize> {
        self.shape.range(self.shape.inputs, matrix, panel)
    }
}

impl<S: Simd> PackedWeights<Single<S>> for Packed {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    #[inline(always)]
    fn panel(&self, matrix: usize, panel: usize) -> &[S::Lanes] {
        S::lanes(&self.data[self.range(matrix, panel)])
    }

    #[inline(always)]
    fn bytes(&self, matrix: usize, panel: usize) -> (*const u8, usize) {
        bytes(&self.data, self.range(matrix, panel))
    }
}

/// Packed matrices quantized to 16-bit integers, for large networks, where reading the
/// weights takes longer than computing. Products are in single precision; a weight is off
/// by at most 2⁻¹⁶ of the largest in its column.
#[derive(Clone, Debug)]
pub struct Quantized {
    /// Pairs of weights, `[matrix][panel][pair of inputs][column of the panel]`: the first
    /// input's weight in the upper half, the second's in the lower. The whole integer stands for
    /// the first weight, whose rounding accounts for the lower half. So it takes one instruction
    /// to widen the first weight, and two for the second.
    pairs: Vec<i32>,
    shape: Shape,
    /// Factor from widened integers to weights, `[matrix][column]`.
    scales: Vec<f32>,
}

impl Quantized {
    /// Quantize to the nearest integers.
    pub fn new(packed: &Packed) -> Quantized {
        let shape = packed.shape;
        let rows = shape.inputs.div_ceil(2);
        let mut pairs = vec![0; shape.matrices * rows * shape.outputs];
        let mut scales = vec![0.0; shape.matrices * shape.outputs];
        // One panel at a time, whose columns are contiguous.
        let panels = pairs.par_chunks_exact_mut(rows * shape.panel);
        let scales_of = scales.par_chunks_exact_mut(shape.panel);
        let weights = packed.data.par_chunks_exact(shape.inputs * shape.panel);
        let all = panels.zip(scales_of).zip(weights);
        all.for_each(|((pairs, scales), weights)| quantize(weights, pairs, scales));
        Quantized {
            pairs,
            shape,
            scales,
        }
    }
}

/// Quantize a panel in pairs of rows, and compute the scales of its columns.
fn quantize(weights: &[f32], pairs: &mut [i32], scales: &mut [f32]) {
    let columns = scales.len();
    for row in weights.chunks_exact(columns) {
        for (most, w) in scales.iter_mut().zip(row) {
            *most = w.abs().max(*most);
        }
    }
    for scale in &mut *scales {
        // The largest weight just fits; a column of zeros also has a nonzero scale.
        *scale = (*scale / (32767.0 * 65536.0)).max(f32::MIN_POSITIVE);
    }
    let rows = weights.chunks(2 * columns);
    for (pairs, rows) in pairs.chunks_exact_mut(columns).zip(rows) {
        for (c, pair) in pairs.iter_mut().enumerate() {
            let of = |row: usize| match rows.get(row * columns + c) {
                Some(w) => f64::from(w / scales[c]),
                None => 0.0,
            };
            let second = (of(1) / 65536.0).round() as i16;
            let left_over = i32::from(second as u16);
            let first = ((of(0) - f64::from(left_over)) / 65536.0).round() as i16;
            *pair = i32::from(first) << 16 | left_over;
        }
    }
}

impl<S: Simd> PackedWeights<Single<S>> for Quantized {
    const QUANTIZED: bool = true;

    fn shape(&self) -> &Shape {
        &self.shape
    }

    #[inline(always)]
    fn pairs<'a>(
        &'a self,
        matrix: usize,
        panel: usize,
        buffer: &'a mut Vec<f32>,
    ) -> PairsToWiden<'a, Single<S>> {
        let pairs = &self.pairs[self.shape.pairs_range(matrix, panel)];
        let room = grown(buffer, 2 * pairs.len());
        (S::weight_pairs(pairs), S::lanes_mut(room))
    }

    #[inline(always)]
    fn scales(&self, matrix: usize, panel: usize) -> &[S::Lanes] {
        S::lanes(&self.scales[self.shape.range(1, matrix, panel)])
    }

    #[inline(always)]
    fn bytes(&self, matrix: usize, panel: usize) -> (*const u8, usize) {
        bytes(&self.pairs, self.shape.pairs_range(matrix, panel))
    }
}

/// Packed matrices rounded to bfloat16: 16 bits, 8 of them mantissa.
#[derive(Clone, Debug)]
pub struct Rounded {
    bf16: Bf16,
    /// Pairs of weights, `[matrix][panel]` and within a panel by [`Arithmetic::place`]: the first
    /// input's weight in the lower half, the second's in the upper.
    pairs: Vec<u32>,
    shape: Shape,
}

impl Rounded {
    /// Round to the nearest bfloat16.
    pub fn new(bf16: Bf16, packed: &Packed) -> Rounded {
        let Shape {
            matrices,
            inputs,
            outputs,
            panel: columns,
            ..
        } = packed.shape;
        let rows = Bf16::elements_per_column(inputs);
        let mut pairs = vec![0; matrices * rows * outputs];
        let bits = |_, w| bf16::from_f32(w).to_bits();
        let panels = pairs.par_chunks_exact_mut(rows * columns);
        let weights = packed.data.par_chunks_exact(inputs * columns);
        let each = panels.zip(weights);
        each.for_each(|(pairs, weights)| pair(bf16, weights, columns, pairs, bits));
        Rounded {
            bf16,
            pairs,
            shape: packed.shape,
        }
    }

    /// The token for these products.
    pub fn arithmetic(&self) -> Bf16 {
        self.bf16
    }

    /// Number of matrices.
    pub fn matrices(&self) -> usize {
        self.shape.matrices
    }

    /// Columns per matrix, padded.
    pub fn outputs(&self) -> usize {
        self.shape.outputs
    }

    /// Return the range of a panel in `pairs`.
    #[inline(always)]
    fn range(&self, matrix: usize, panel: usize) -> Range<usize> {
        let rows = Bf16::elements_per_column(self.shape.inputs);
        self.shape.range(rows, matrix, panel)
    }
}

impl PackedWeights<Bf16> for Rounded {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    #[inline(always)]
    fn panel(&self, matrix: usize, panel: usize) -> &[<Bf16 as Arithmetic>::Weights] {
        Bf16::weight_vectors(&self.pairs[self.range(matrix, panel)])
    }

    #[inline(always)]
    fn bytes(&self, matrix: usize, panel: usize) -> (*const u8, usize) {
        bytes(&self.pairs, self.range(matrix, panel))
    }
}

/// Packed matrices rounded to 16-bit integers, for products of integers.
#[derive(Clone, Debug)]
pub struct Integers {
    set: Int16,
    /// Pairs of weights, `[matrix][panel][pair of inputs][column of the panel]`: the first input's
    /// weight in the lower half, the second's in the upper.
    pairs: Vec<u32>,
    shape: Shape,
    /// What an integer of 1 stands for, `[matrix][column]`.
    scales: Vec<f32>,
}

impl Integers {
    /// The largest input: with the weights of [`Integers::new`], sums of products fit 32 bits.
    pub const MOST: f32 = i16::MAX as f32;

    /// Round to the nearest integers, as large as possible while the absolute values of a column
    /// add up to less than 2¹⁶. The inputs of a matrix are divided by its number in `gains`.
    ///
    /// # Panics
    /// If there is not one gain for each matrix.
    pub fn new(set: Int16, packed: &Packed, gains: &[f32]) -> Integers {
        let shape = packed.shape;
        assert!(gains.len() == shape.matrices, "a gain for each matrix");
        let columns = shape.panel;
        let rows = shape.inputs.div_ceil(2);
        let mut pairs = vec![0; shape.matrices * rows * shape.outputs];
        let mut scales = vec![0.0; shape.matrices * shape.outputs];
        let panels = pairs.par_chunks_exact_mut(rows * columns);
        let scales_of = scales.par_chunks_exact_mut(columns);
        let weights = packed.data.par_chunks_exact(shape.inputs * columns);
        let each = panels.zip(scales_of).zip(weights).enumerate();
        each.for_each(|(n, ((pairs, scales), weights))| {
            integer_scales(weights, scales);
            let bits = |c: usize, w: f32| ((w / scales[c]).round() as i16).cast_unsigned();
            with_int16!(set, how => pair(how, weights, columns, pairs, bits));
            let gain = gains[n / shape.panels()];
            scales.iter_mut().for_each(|scale| *scale *= gain);
        });
        Integers {
            set,
            pairs,
            shape,
            scales,
        }
    }

    /// The token for these products.
    pub fn arithmetic(&self) -> Int16 {
        self.set
    }

    /// Columns per matrix, padded.
    pub fn outputs(&self) -> usize {
        self.shape.outputs
    }
}

/// Compute the scales of a panel's columns for [`Integers::new`].
fn integer_scales(weights: &[f32], scales: &mut [f32]) {
    let columns = scales.len();
    let inputs = weights.len() / columns;
    // Rounding may add a half for each input.
    let most_of_column = 65536.0 - 0.5 * inputs as f32;
    for (c, scale) in scales.iter_mut().enumerate() {
        let sizes = weights[c..].iter().step_by(columns).map(|w| w.abs());
        let (sum, most) = sizes.fold((0.0, 0.0f32), |(sum, most), w| (sum + w, most.max(w)));
        // A column of zeros also has a nonzero scale.
        let needed = (sum / most_of_column).max(most / f32::from(i16::MAX));
        *scale = needed.max(f32::MIN_POSITIVE);
    }
}

impl<A: Arithmetic<Element = u32>> PackedWeights<A> for Integers {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    #[inline(always)]
    fn panel(&self, matrix: usize, panel: usize) -> &[A::Weights] {
        A::weight_vectors(&self.pairs[self.shape.pairs_range(matrix, panel)])
    }

    #[inline(always)]
    fn scales(&self, matrix: usize, panel: usize) -> &[Lanes<A>] {
        A::Simd::lanes(&self.scales[self.shape.range(1, matrix, panel)])
    }

    #[inline(always)]
    fn bytes(&self, matrix: usize, panel: usize) -> (*const u8, usize) {
        bytes(&self.pairs, self.shape.pairs_range(matrix, panel))
    }
}

/// Pair the weights of successive inputs of a panel, the first in the lower half, each as 16 bits
/// by column and weight; a last input without a successor is paired with 0.
fn pair<A: Arithmetic>(
    _how: A,
    weights: &[f32],
    columns: usize,
    pairs: &mut [u32],
    bits: impl Fn(usize, f32) -> u16,
) {
    for (n, rows) in weights.chunks(2 * columns).enumerate() {
        for c in 0..columns {
            let bits = |w: Option<&f32>| bits(c, w.copied().unwrap_or(0.0));
            let [first, second] = [rows.get(c), rows.get(columns + c)].map(bits);
            pairs[A::place(n, c, columns)] = u32::from(second) << 16 | u32::from(first);
        }
    }
}

/// Return address and size of a range.
#[inline(always)]
fn bytes<T>(data: &[T], range: Range<usize>) -> (*const u8, usize) {
    let at = data.as_ptr().wrapping_add(range.start);
    (at.cast(), range.len() * size_of::<T>())
}
