//! Matrix products with packed weights: a block of sums that fills the registers moves
//! down each panel (Goto and van de Geijn 2008).

use super::placement::Write;
use super::simd::{Arithmetic, InstructionSet, Simd, Single, Vector, with_int16};
use super::weights::{
    Integers, Lanes, Packed, PackedWeights, PairsToWiden, Rounded, Shape, padded,
};
use crate::net::buffer::{LINE, grown};

/// A matrix in a buffer, `[row][number]`.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a, T = f32> {
    pub(super) data: &'a [T],
    pub(super) rows: usize,
    pub(super) stride: usize,
    /// What an integer of 1 stands for, by row; empty if the numbers are not integers.
    pub(super) scales: &'a [f32],
}

impl<'a, T> Matrix<'a, T> {
    /// Create a matrix of `rows` rows. Row r starts at `data[r * stride]`. The product
    /// determines how many numbers of a row are read.
    pub fn new(data: &'a [T], rows: usize, stride: usize) -> Matrix<'a, T> {
        Matrix {
            data,
            rows,
            stride,
            scales: &[],
        }
    }
}

/// Scratch buffers of matrix products.
#[derive(Debug, Default)]
pub struct GemmScratch {
    /// Transformed input of a 3x3 convolution.
    pub(super) single: Vec<f32>,
    /// Inputs as pairs of bfloat16 numbers or of integers, transformed or not.
    pub(super) pairs: Vec<u32>,
    /// Scales of the rows of integers.
    pub(super) scales: Vec<f32>,
    /// A panel of quantized weights, widened.
    pub(super) panel: Vec<f32>,
}

/// Compute `out[r][o] = Σᵢ a[r][i] · b[i][o]` or add it to `out`, for `b.inputs()` inputs and
/// `b.outputs()` outputs.
///
/// # Panics
/// If a slice is too short, or the weights are packed for vectors of another length.
pub fn multiply<S: Simd>(s: S, a: Matrix<'_>, b: &Packed, out: &mut [f32], write: Write) {
    s.vectorize(
        #[inline(always)]
        || gemm(Single(s), a, b, 0, out, write, &mut Vec::new()),
    );
}

/// Weights of a product with a row for each point.
#[derive(Clone, Debug)]
pub enum Pointwise {
    /// In single precision.
    Single(Packed),
    /// Rounded to integers, like the input.
    Integers(Integers),
    /// Rounded to bfloat16, like the input.
    Rounded(Rounded),
}

impl Pointwise {
    /// Pack weights, rounded if the instruction set has products of integers or bfloat16 numbers;
    /// `at(i, o)` is the weight from input `i` to output `o`.
    ///
    /// # Panics
    /// If `inputs` is 0.
    pub fn new(
        set: InstructionSet,
        inputs: usize,
        outputs: usize,
        at: impl Fn(usize, usize) -> f32,
    ) -> Pointwise {
        let packed = Packed::new(set.lanes(), inputs, outputs, at);
        match set {
            InstructionSet::Int16(set) => Pointwise::Integers(Integers::new(set, &packed, &[1.0])),
            InstructionSet::Bf16(bf16) => Pointwise::Rounded(Rounded::new(bf16, &packed)),
            _ => Pointwise::Single(packed),
        }
    }

    /// Number of outputs, padded.
    pub fn outputs(&self) -> usize {
        match self {
            Pointwise::Single(packed) => packed.outputs(),
            Pointwise::Integers(integers) => integers.outputs(),
            Pointwise::Rounded(rounded) => rounded.outputs(),
        }
    }

    /// Set `out` to the product; see [`multiply`].
    ///
    /// # Panics
    /// If a slice is too short or a row of the input is not padded.
    pub fn multiply<S: Simd>(
        &self,
        s: S,
        a: Matrix<'_>,
        out: &mut [f32],
        scratch: &mut GemmScratch,
    ) {
        match self {
            Pointwise::Single(packed) => multiply(s, a, packed, out, Write::Set),
            Pointwise::Integers(integers) => {
                let set = integers.arithmetic();
                with_int16!(set, how => multiply_rounded(how, a, integers, out, scratch))
            }
            Pointwise::Rounded(rounded) => {
                multiply_rounded(rounded.arithmetic(), a, rounded, out, scratch)
            }
        }
    }
}

/// Set `out` to the product with rounded weights; see [`multiply`]. Rounds the inputs too, those of
/// the padding included.
///
/// # Panics
/// If a slice is too short, a row of the input is not padded, or the weights are packed for vectors
/// of another length.
fn multiply_rounded<A: Arithmetic<Element = u32>>(
    how: A,
    a: Matrix<'_>,
    b: &impl PackedWeights<A>,
    out: &mut [f32],
    scratch: &mut GemmScratch,
) {
    let s = how.vectors();
    let width = padded(b.shape().inputs);
    assert!(a.stride >= width, "rows without padding");
    let pairs = grown(&mut scratch.pairs, a.rows * width / A::INPUTS);
    scratch.scales.clear();
    how.vectorize(
        #[inline(always)]
        || {
            for (m, row) in pairs.chunks_exact_mut(width / A::INPUTS).enumerate() {
                let numbers = &a.data[m * a.stride..][..width];
                let mut factor = s.splat(1.0);
                if A::INTEGERS {
                    let range = range_of(s, numbers);
                    factor = s.splat(Integers::MOST / range);
                    scratch.scales.push(range / Integers::MOST);
                }
                let from = A::Simd::lanes(numbers);
                for (from, to) in from.iter().zip(A::element_vectors(row)) {
                    how.write(s.load(from), factor, to);
                }
            }
        },
    );
    let a = Matrix {
        scales: &scratch.scales,
        ..Matrix::new(&*pairs, a.rows, width / A::INPUTS)
    };
    how.vectorize(
        #[inline(always)]
        || gemm(how, a, b, 0, out, Write::Set, &mut Vec::new()),
    );
}

/// Return the distance from the least to the largest of some numbers and 0; at least 10⁻³⁰, as a
/// divisor.
#[inline(always)]
pub(super) fn range_of<S: Simd>(s: S, numbers: &[f32]) -> f32 {
    // Several vectors at once, since each is a chain of dependent comparisons.
    let (mut least, mut most) = ([s.splat(0.0); 4], [s.splat(0.0); 4]);
    let (fours, rest) = S::lanes(numbers).as_chunks::<4>();
    for four in fours {
        for i in 0..4 {
            let x = s.load(&four[i]);
            (least[i], most[i]) = (least[i].min(x), most[i].max(x));
        }
    }
    for x in rest {
        let x = s.load(x);
        (least[0], most[0]) = (least[0].min(x), most[0].max(x));
    }
    let least = least[0].min(least[1]).min(least[2].min(least[3]));
    let most = most[0].max(most[1]).max(most[2].max(most[3]));
    let below = s.splat(0.0).sub(least);
    (most.largest() + below.largest()).max(1e-30)
}

/// Compute [`multiply`] with the `n`-th matrix of `b`. An element of a row of `a` holds
/// [`Arithmetic::INPUTS`] inputs.
#[inline(always)]
pub(super) fn gemm<A: Arithmetic, W: PackedWeights<A>>(
    how: A,
    a: Matrix<'_, A::Element>,
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
            weights: b.panel(n, p),
            scales: b.scales(n, p),
            next: b.bytes(n, p + 1),
        };
        let pairs = b.pairs(n, p, buffer);
        macro_rules! multiply_panel {
            ($R:literal) => {{
                let out = PanelSums::new(shape, p, out, write);
                multiply_panel::<A, W, $R>(how, a, panel, pairs, out);
            }};
        }
        match vectors {
            1 => multiply_panel!(1),
            2 => multiply_panel!(2),
            _ => multiply_panel!(3),
        }
    }
}

/// A panel of weights, ready for multiplication.
#[derive(Clone, Copy)]
struct Panel<'a, W, L> {
    /// `[element of an input row][vector of columns]`; empty until quantized weights are widened.
    weights: &'a [W],
    /// Scales of its columns, if the weights are quantized or integers.
    scales: &'a [L],
    /// The memory to prefetch for the next panel: address and bytes.
    next: (*const u8, usize),
}

/// Where the sums of one panel of `R` vectors are written.
struct PanelSums<'a, L, const R: usize> {
    /// `[row][panel][vector]`: all outputs.
    vectors: &'a mut [[L; R]],
    /// Number of panels.
    panels: usize,
    /// Index of the panel to write.
    panel: usize,
    write: Write,
}

impl<'a, L, const R: usize> PanelSums<'a, L, R> {
    #[inline(always)]
    fn new(shape: &Shape, panel: usize, out: &'a mut [L], write: Write) -> Self {
        PanelSums {
            vectors: out.as_chunks_mut().0,
            panels: shape.panels(),
            panel,
            write,
        }
    }
}

/// Weights to prefetch.
#[derive(Clone, Copy)]
struct Prefetch {
    at: *const u8,
    /// Cache lines to prefetch for each element of an input row.
    step: usize,
}

/// Run the body with a number of rows as the constant `M`.
macro_rules! with_rows {
    ($n:expr, $M:ident => $body:expr) => {
        with_rows!($n, $M => $body, 1 2 3 4 5 6 7 8 9 10 11 12 13 14)
    };
    ($n:expr, $M:ident => $body:expr, $($m:literal)*) => {
        match $n {
            $($m if A::ROWS[R] >= $m => {
                const $M: usize = $m;
                $body
            })*
            _ => debug_assert!(false, "a block has no more rows than fit"),
        }
    };
}

/// Multiply one panel of `R` vectors. Splits the rows into blocks as even as possible, and
/// keeps each block's sums in registers.
#[inline(always)]
fn multiply_panel<'a, A: Arithmetic, W: PackedWeights<A>, const R: usize>(
    how: A,
    a: Matrix<'_, A::Element>,
    mut panel: Panel<'a, A::Weights, Lanes<A>>,
    (pairs, widened): PairsToWiden<'a, A>,
    mut out: PanelSums<'_, Lanes<A>, R>,
) {
    let elements = panel.weights.len().max(2 * pairs.len()) / R;
    let blocks = a.rows.div_ceil(A::ROWS[R]);
    // The first block brings this panel into the nearest cache. Meanwhile each block
    // prefetches its share of the next panel.
    let ahead = |left: usize| {
        let share = panel.next.1.div_ceil(LINE).div_ceil(blocks);
        Prefetch {
            at: panel.next.0.wrapping_add((left - 1) * share * LINE),
            step: share.div_ceil(elements),
        }
    };
    let (mut row, mut left) = (0, blocks);
    if W::QUANTIZED && left > 0 {
        // The first block also widens the weights, unless its sums leave no registers for that or the
        // products are by lane.
        let full = A::ROWS[R];
        let mut n = a.rows.div_ceil(left);
        if n == full {
            n = a.rows / left;
        }
        if A::BY_LANE || n == full {
            widen::<A, R>(how, pairs, widened);
        } else {
            with_rows!(n, M => {
                let pairs = (pairs, &mut *widened);
                widen_and_multiply::<A, W, M, R>(how, a, panel, pairs, &mut out, ahead(left));
            });
            (row, left) = (n, left - 1);
        }
        panel.weights = widened;
    }
    for left in (1..=left).rev() {
        let mut n = (a.rows - row).div_ceil(left);
        if A::BY_ROW_PAIR {
            n = n.next_multiple_of(2).min(a.rows - row);
        }
        let ahead = ahead(left);
        with_rows!(n, M => multiply_block::<A, W, M, R>(how, a, row, panel, &mut out, ahead));
        row += n;
    }
}

/// Unroll the body for every `m` below `M`, which is at most 14. LLVM assigns registers
/// before it would unroll a loop of this length.
macro_rules! unroll {
    ($m:ident < $M:ident, $body:expr) => {
        unroll!($m < $M, $body, 0 1 2 3 4 5 6 7 8 9 10 11 12 13)
    };
    ($m:ident < $M:ident, $body:expr, $($n:literal)*) => {
        $(if $n < $M {
            let $m: usize = $n;
            $body
        })*
    };
}

/// Return the first `elements` elements of `M` rows, from `row` on.
#[inline(always)]
fn rows_of<N, const M: usize>(a: Matrix<'_, N>, row: usize, elements: usize) -> [&[N]; M] {
    let mut rows: [&[N]; M] = [&[]; M];
    let mut rest = &a.data[row * a.stride..];
    for m in 0..M {
        rows[m] = &rest[..elements];
        rest = rest.get(a.stride..).unwrap_or_default();
    }
    rows
}

/// Sums of `M` rows and `R` vectors of columns.
type Sums<A, const M: usize, const R: usize> = [[<<A as Arithmetic>::Simd as Simd>::Vector; R]; M];

/// Compute the sums of `M` rows, from `row` on, and `R` vectors of columns.
#[inline(always)]
fn multiply_block<A: Arithmetic, W: PackedWeights<A>, const M: usize, const R: usize>(
    how: A,
    a: Matrix<'_, A::Element>,
    row: usize,
    panel: Panel<'_, A::Weights, Lanes<A>>,
    out: &mut PanelSums<'_, Lanes<A>, R>,
    mut ahead: Prefetch,
) {
    let s = how.vectors();
    let weights = panel.weights.as_chunks::<R>().0;
    let elements = weights.len();
    let rows = rows_of::<_, M>(a, row, elements);
    let mut sums = [[s.splat(0.0); R]; M];
    // Number of elements whose products have been added.
    let mut done = 0;
    if A::BY_ROW_PAIR {
        let twos = weights.as_chunks::<2>().0;
        done = 2 * twos.len();
        // For each row of even index, the sums of that row and the next, if there is one: of the
        // first half of each vector of columns, and of the second.
        let mut of_pairs = [[[s.splat(0.0); 2]; R]; M];
        for (i, weights) in twos.iter().enumerate() {
            let mut x = [how.load_row_pair([&[A::Element::default(); 2]; 2]); M];
            unroll!(
                m < M,
                if m.is_multiple_of(2) {
                    let next = (m + 1).min(M - 1);
                    x[m] = how.load_row_pair([
                        &rows[m].as_chunks().0[..twos.len()][i],
                        &rows[next].as_chunks().0[..twos.len()][i],
                    ]);
                }
            );
            for n in 0..2 * R {
                let w = how.load(&weights[n / R][n % R]);
                unroll!(
                    m < M,
                    if m.is_multiple_of(2) {
                        let sums = &mut of_pairs[m][n / 2][n % 2];
                        *sums = how.add_products_by_row_pair(*sums, x[m], w);
                    }
                );
            }
        }
        for r in 0..R {
            unroll!(
                m < M,
                if m.is_multiple_of(2) {
                    let [sum, next] = how.separate_rows(of_pairs[m][r]);
                    sums[m][r] = sum;
                    if m + 1 < M {
                        sums[m + 1][r] = next;
                    }
                }
            );
        }
    } else if A::BY_LANE {
        let fours = elements / 4;
        done = 4 * fours;
        for (i, weights) in weights.as_chunks::<4>().0.iter().enumerate() {
            let mut x = [how.load_four(&[A::Element::default(); 4]); M];
            unroll!(
                m < M,
                x[m] = how.load_four(&rows[m].as_chunks().0[..fours][i])
            );
            // One vector of weights at a time: all together would leave too few registers.
            macro_rules! by_lanes {
                ($($lane:literal)*) => {$(
                    for r in 0..R {
                        let w = how.load(&weights[$lane][r]);
                        unroll!(m < M, {
                            sums[m][r] = how.add_products_by_lane::<$lane>(sums[m][r], x[m], w);
                        });
                    }
                )*};
            }
            by_lanes!(0 1 2 3);
        }
    }
    // With indexing, LLVM loads everything first and runs out of registers for the sums.
    for (i, weights) in weights[done..].iter().enumerate() {
        add_products(how, &mut sums, rows, done + i, weights, &mut ahead);
    }
    write_sums::<A, W, M, R>(how, sums, a.scales, row, panel, out);
}

/// Compute the sums of the first `M` rows and `R` vectors of columns, and widen the quantized
/// weights on the way, for the rows that follow.
#[inline(always)]
fn widen_and_multiply<A: Arithmetic, W: PackedWeights<A>, const M: usize, const R: usize>(
    how: A,
    a: Matrix<'_, A::Element>,
    panel: Panel<'_, A::Weights, Lanes<A>>,
    (pairs, widened): PairsToWiden<'_, A>,
    out: &mut PanelSums<'_, Lanes<A>, R>,
    mut ahead: Prefetch,
) {
    let pairs = pairs.as_chunks::<R>().0;
    let rows = rows_of::<_, M>(a, 0, 2 * pairs.len());
    let mut sums = [[how.vectors().splat(0.0); R]; M];
    let widened = widened.as_chunks_mut::<R>().0.as_chunks_mut().0;
    for (i, (pairs, two)) in pairs.iter().zip(widened).enumerate() {
        widen_pairs(how, pairs, two);
        let [first, second] = two;
        add_products(how, &mut sums, rows, 2 * i, first, &mut ahead);
        add_products(how, &mut sums, rows, 2 * i + 1, second, &mut ahead);
    }
    write_sums::<A, W, M, R>(how, sums, a.scales, 0, panel, out);
}

/// Widen the quantized weights of a panel of `R` vectors.
#[inline(always)]
fn widen<A: Arithmetic, const R: usize>(
    how: A,
    pairs: &[<A::Simd as Simd>::WeightPairs],
    widened: &mut [A::Weights],
) {
    let widened = widened.as_chunks_mut::<R>().0.as_chunks_mut().0;
    for (pairs, two) in pairs.as_chunks::<R>().0.iter().zip(widened) {
        widen_pairs(how, pairs, two);
    }
}

/// Widen pairs of quantized weights to the weights of two inputs.
#[inline(always)]
fn widen_pairs<A: Arithmetic, const R: usize>(
    how: A,
    pairs: &[<A::Simd as Simd>::WeightPairs; R],
    [first, second]: &mut [[A::Weights; R]; 2],
) {
    for r in 0..R {
        how.widen(&pairs[r], [&mut first[r], &mut second[r]]);
    }
}

/// Add the products of the `i`-th element of each row, and prefetch.
#[inline(always)]
fn add_products<A: Arithmetic, const M: usize, const R: usize>(
    how: A,
    sums: &mut Sums<A, M, R>,
    rows: [&[A::Element]; M],
    i: usize,
    weights: &[A::Weights; R],
    ahead: &mut Prefetch,
) {
    let mut w = [how.load(&weights[0]); R];
    for r in 1..R {
        w[r] = how.load(&weights[r]);
    }
    for line in 0..ahead.step.min(R) {
        let at = ahead.at.wrapping_add(line * LINE);
        how.vectors().prefetch(at);
    }
    ahead.at = ahead.at.wrapping_add(ahead.step * LINE);
    unroll!(m < M, {
        let x = how.repeat(rows[m][i]);
        for r in 0..R {
            sums[m][r] = how.add_products(sums[m][r], x, w[r]);
        }
    });
}

/// Write the sums of `M` rows, from `row` on.
#[inline(always)]
fn write_sums<A: Arithmetic, W: PackedWeights<A>, const M: usize, const R: usize>(
    how: A,
    sums: Sums<A, M, R>,
    row_scales: &[f32],
    row: usize,
    panel: Panel<'_, A::Weights, Lanes<A>>,
    out: &mut PanelSums<'_, Lanes<A>, R>,
) {
    let s = how.vectors();
    unroll!(m < M, {
        let to = &mut out.vectors[(row + m) * out.panels + out.panel];
        for r in 0..R {
            let mut sum = how.to_single(sums[m][r]);
            if A::INTEGERS || W::QUANTIZED {
                sum = sum.mul(s.load(&panel.scales[r]));
            }
            if A::INTEGERS {
                sum = sum.mul(s.splat(row_scales[row + m]));
            }
            if out.write == Write::Add {
                sum = sum.add(s.load(&to[r]));
            }
            sum.store(&mut to[r]);
        }
    });
}
