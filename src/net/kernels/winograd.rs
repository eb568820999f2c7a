//! 3x3 convolutions by minimal filtering (Winograd 1980; Lavin and Gray 2016).
//!
//! F(m×m, 3×3): the input is cut into tiles, squares of side m + 2 that overlap by two. Tile and
//! filter are transformed, multiplied element by element (for each of the (m + 2)² elements of a
//! tile, a matrix product over the channels with a row for each tile), and transformed back to m×m
//! outputs. Elements are numbered by rows of the tile.
//!
//! Each row of a tile has one interpolation point per element, the last of which is ∞. The others
//! were chosen to lose little when the factors are rounded to bfloat16: with random filters, the
//! error relative to the outputs is 0.020 for 5×5, 0.010 for 4×4 and 0.0055 for 3×3 outputs.
//! With the points 0, ±1 and ±2, it is 0.022 for 4×4 and 0.012 for 3×3. A direct convolution
//! has 0.003.

use super::epilogue::{Epilogue, Vectorized};
use super::gemm::{GemmScratch, Matrix, gemm, range_of};
use super::placement::Write;
use super::simd::{Arithmetic, InstructionSet, Simd, Single, Vector, with_int16};
use super::weights::{Integers, PAD, Packed, PackedWeights, Quantized, Rounded, padded};
use crate::net::buffer::grown;

/// Largest side of an input tile.
const MAX_SIDE: usize = Five::SIDE;

/// A tile size: F(`OUT`×`OUT`, 3×3).
trait Tile {
    /// Side of an input tile.
    const SIDE: usize;
    /// Side of the outputs of a tile.
    const OUT: usize;
    /// Interpolation points except ∞: pairs of opposite numbers, in some cases also 0.
    const POINTS: &'static [f64];
    /// Transform a row of the input in place. The element of point p becomes the row weighted by
    /// the coefficients of the product of x − q over all other points q; the last one, by those
    /// of the product over all points.
    fn input<V: Vector>(d: &mut [V; MAX_SIDE]);
    /// Upper bounds of the elements of a transformed tile whose inputs are from −a to b, in units of
    /// a + b.
    const GAINS: [f32; MAX_SIDE * MAX_SIDE] = gains(Self::POINTS);
    /// Transform a row of products to outputs in place. The i-th output is the sum of the
    /// products weighted by the i-th power of their points; the product of ∞ counts only for
    /// the last output.
    fn output<V: Vector>(m: &mut [V; MAX_SIDE]);

    /// Compute the transform of a filter's row, by point and tap: powers of the point p, divided
    /// by the product of p − q for all other points q.
    fn filter() -> Vec<[f64; 3]> {
        let of = |&p: &f64| {
            let others = Self::POINTS.iter().filter(|&&q| q != p);
            let product: f64 = others.map(|q| p - q).product();
            [1.0, p, p * p].map(|power| power / product)
        };
        let mut all: Vec<_> = Self::POINTS.iter().map(of).collect();
        all.push([0.0, 0.0, 1.0]);
        all
    }
}

/// Compute [`Tile::GAINS`]: of the sums of an element's positive and negative coefficients, the
/// larger one.
const fn gains(points: &[f64]) -> [f32; MAX_SIDE * MAX_SIDE] {
    let side = points.len() + 1;
    // Of the transform of a row, the sums of positive and negative coefficients of each element.
    let mut sums = [[0.0; 2]; MAX_SIDE];
    let mut n = 0;
    while n < side {
        // Coefficients of the product of x − q over all points q except the n-th, by power of x.
        let mut product = [0.0; MAX_SIDE];
        product[0] = 1.0;
        let mut other = 0;
        while other < points.len() {
            if other != n {
                let mut power = MAX_SIDE - 1;
                while power > 0 {
                    product[power] = product[power - 1] - points[other] * product[power];
                    power -= 1;
                }
                product[0] *= -points[other];
            }
            other += 1;
        }
        let mut power = 0;
        while power < side {
            sums[n][(product[power] < 0.0) as usize] += product[power].abs();
            power += 1;
        }
        n += 1;
    }
    let mut gains = [0.0; MAX_SIDE * MAX_SIDE];
    let mut element = 0;
    while element < side * side {
        let ([a, b], [c, d]) = (sums[element / side], sums[element % side]);
        let (positive, negative) = (a * c + b * d, a * d + b * c);
        gains[element] = positive.max(negative) as f32;
        element += 1;
    }
    gains
}

/// F(4×4, 3×3).
struct Four;

impl Four {
    const NEAR: f32 = Four::POINTS[1] as f32;
    /// The reciprocal of `NEAR`, so that the squares multiply to 1.
    const FAR: f32 = Four::POINTS[3] as f32;
}

/// F(3×3, 3×3): divides boards of 9 evenly.
struct Three;

impl Three {
    const NEAR: f32 = Three::POINTS[0] as f32;
    const FAR: f32 = Three::POINTS[2] as f32;
}

impl Tile for Four {
    const SIDE: usize = 6;
    const OUT: usize = 4;
    const POINTS: &'static [f64] = &[0.0, 2.0 / 3.0, -2.0 / 3.0, 1.5, -1.5];

    #[inline(always)]
    fn input<V: Vector>(d: &mut [V; MAX_SIDE]) {
        let [d0, d1, d2, d3, d4, d5, _] = *d;
        let (near, far) = (d0.splat(Four::NEAR), d0.splat(Four::FAR));
        let near2 = d0.splat(-Four::NEAR * Four::NEAR);
        let far2 = d0.splat(-Four::FAR * Four::FAR);
        let squares = near2.add(far2);
        let even = far2.mul_add(d2, d4);
        let odd = near.mul(far2.mul_add(d1, d3));
        let even2 = near2.mul_add(d2, d4);
        let odd2 = far.mul(near2.mul_add(d1, d3));
        d[0] = squares.mul_add(d2, d0.add(d4));
        d[1] = even.add(odd);
        d[2] = even.sub(odd);
        d[3] = even2.add(odd2);
        d[4] = even2.sub(odd2);
        d[5] = squares.mul_add(d3, d1.add(d5));
    }

    #[inline(always)]
    fn output<V: Vector>(m: &mut [V; MAX_SIDE]) {
        let [m0, m1, m2, m3, m4, m5, _] = *m;
        let (near, far) = (m0.splat(Four::NEAR), m0.splat(Four::FAR));
        let near2 = m0.splat(Four::NEAR * Four::NEAR);
        let far2 = m0.splat(Four::FAR * Four::FAR);
        let near3 = m0.splat(Four::NEAR * Four::NEAR * Four::NEAR);
        let far3 = m0.splat(Four::FAR * Four::FAR * Four::FAR);
        let (sum1, sum2) = (m1.add(m2), m3.add(m4));
        let (diff1, diff2) = (m1.sub(m2), m3.sub(m4));
        m[0] = m0.add(sum1).add(sum2);
        m[1] = near.mul_add(diff1, far.mul(diff2));
        m[2] = near2.mul_add(sum1, far2.mul(sum2));
        m[3] = near3.mul_add(diff1, far3.mul_add(diff2, m5));
    }
}

impl Tile for Three {
    const SIDE: usize = 5;
    const OUT: usize = 3;
    const POINTS: &'static [f64] = &[0.4, -0.4, 1.25, -1.25];

    #[inline(always)]
    fn input<V: Vector>(d: &mut [V; MAX_SIDE]) {
        let [d0, d1, d2, d3, d4, ..] = *d;
        let (near, far) = (d0.splat(Three::NEAR), d0.splat(Three::FAR));
        let near2 = d0.splat(-Three::NEAR * Three::NEAR);
        let far2 = d0.splat(-Three::FAR * Three::FAR);
        let odd = far2.mul_add(d1, d3);
        let even = near.mul(far2.mul_add(d0, d2));
        let odd2 = near2.mul_add(d1, d3);
        let even2 = far.mul(near2.mul_add(d0, d2));
        d[0] = odd.add(even);
        d[1] = odd.sub(even);
        d[2] = odd2.add(even2);
        d[3] = odd2.sub(even2);
        d[4] = near2.mul(far2).mul_add(d0, near2.add(far2).mul_add(d2, d4));
    }

    #[inline(always)]
    fn output<V: Vector>(m: &mut [V; MAX_SIDE]) {
        let [m0, m1, m2, m3, m4, ..] = *m;
        let (near, far) = (m0.splat(Three::NEAR), m0.splat(Three::FAR));
        let near2 = m0.splat(Three::NEAR * Three::NEAR);
        let far2 = m0.splat(Three::FAR * Three::FAR);
        let (sum1, sum2) = (m0.add(m1), m2.add(m3));
        let (diff1, diff2) = (m0.sub(m1), m2.sub(m3));
        m[0] = sum1.add(sum2);
        m[1] = near.mul_add(diff1, far.mul(diff2));
        m[2] = near2.mul_add(sum1, far2.mul_add(sum2, m4));
    }
}

/// F(5×5, 3×3): divides boards of 15 evenly, and those of 13 and 19 nearly.
struct Five;

impl Five {
    const NEAR: f32 = Five::POINTS[0] as f32;
    const MIDDLE: f32 = Five::POINTS[2] as f32;
    const FAR: f32 = Five::POINTS[4] as f32;

    /// Transform the input for a point and its opposite; `others` are the distances of the
    /// other two pairs of points from 0.
    #[inline(always)]
    fn pair<V: Vector>(d: &[V; MAX_SIDE], point: f32, others: (f32, f32)) -> [V; 2] {
        let (a, b) = (others.0 * others.0, others.1 * others.1);
        let (sum, product) = (d[0].splat(-(a + b)), d[0].splat(a * b));
        let odd = product.mul_add(d[1], sum.mul_add(d[3], d[5]));
        let even = product.mul_add(d[0], sum.mul_add(d[2], d[4]));
        let even = even.mul(d[0].splat(point));
        [odd.add(even), odd.sub(even)]
    }
}

impl Tile for Five {
    const SIDE: usize = 7;
    const OUT: usize = 5;
    const POINTS: &'static [f64] = &[0.28, -0.28, 0.86, -0.86, 1.75, -1.75];

    #[inline(always)]
    fn input<V: Vector>(d: &mut [V; MAX_SIDE]) {
        const A2: f32 = Five::NEAR * Five::NEAR;
        const B2: f32 = Five::MIDDLE * Five::MIDDLE;
        const C2: f32 = Five::FAR * Five::FAR;
        let [near, minus_near] = Five::pair(d, Five::NEAR, (Five::MIDDLE, Five::FAR));
        let [middle, minus_middle] = Five::pair(d, Five::MIDDLE, (Five::NEAR, Five::FAR));
        let [far, minus_far] = Five::pair(d, Five::FAR, (Five::NEAR, Five::MIDDLE));
        let [d0, _, d2, _, d4, _, d6] = *d;
        let (ones, twos) = (
            d0.splat(-(A2 + B2 + C2)),
            d0.splat(A2 * B2 + A2 * C2 + B2 * C2),
        );
        let all = ones.mul_add(d4, twos.mul_add(d2, d6));
        let all = d0.splat(-A2 * B2 * C2).mul_add(d0, all);
        *d = [near, minus_near, middle, minus_middle, far, minus_far, all];
    }

    #[inline(always)]
    fn output<V: Vector>(m: &mut [V; MAX_SIDE]) {
        const A: f32 = Five::NEAR;
        const B: f32 = Five::MIDDLE;
        const C: f32 = Five::FAR;
        let [m0, m1, m2, m3, m4, m5, m6] = *m;
        let (sum1, sum2, sum3) = (m0.add(m1), m2.add(m3), m4.add(m5));
        let (diff1, diff2, diff3) = (m0.sub(m1), m2.sub(m3), m4.sub(m5));
        let (a, b, c) = (m0.splat(A), m0.splat(B), m0.splat(C));
        let (a2, b2, c2) = (m0.splat(A * A), m0.splat(B * B), m0.splat(C * C));
        let (a3, b3, c3) = (
            m0.splat(A * A * A),
            m0.splat(B * B * B),
            m0.splat(C * C * C),
        );
        let a4 = m0.splat(A * A * A * A);
        let b4 = m0.splat(B * B * B * B);
        let c4 = m0.splat(C * C * C * C);
        m[0] = sum1.add(sum2).add(sum3);
        m[1] = a.mul_add(diff1, b.mul_add(diff2, c.mul(diff3)));
        m[2] = a2.mul_add(sum1, b2.mul_add(sum2, c2.mul(sum3)));
        m[3] = a3.mul_add(diff1, b3.mul_add(diff2, c3.mul(diff3)));
        m[4] = a4.mul_add(sum1, b4.mul_add(sum2, c4.mul_add(sum3, m6)));
    }
}

/// The size of the tiles that a board is cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiling {
    /// F(3×3, 3×3).
    Three,
    /// F(4×4, 3×3).
    Four,
    /// F(5×5, 3×3).
    Five,
}

/// Run the body with the tile type of a tiling.
macro_rules! with_tile {
    ($tiling:expr, $T:ident => $body:expr) => {
        match $tiling {
            Tiling::Three => {
                type $T = Three;
                $body
            }
            Tiling::Four => {
                type $T = Four;
                $body
            }
            Tiling::Five => {
                type $T = Five;
                $body
            }
        }
    };
}

impl Tiling {
    /// All tilings, in the order of their discriminants.
    pub const ALL: [Tiling; 3] = [Tiling::Three, Tiling::Four, Tiling::Five];

    /// Sides of a tile's outputs and of its input.
    fn sides(self) -> (usize, usize) {
        match self {
            Tiling::Three => (Three::OUT, Three::SIDE),
            Tiling::Four => (Four::OUT, Four::SIDE),
            Tiling::Five => (Five::OUT, Five::SIDE),
        }
    }

    /// Choose the tiling with the fewest products for a board of `size` (columns, rows). Fewer
    /// than `MIN_TILES` tiles take as long as that many. With bfloat16 rounding the largest tiles
    /// are excluded, since they would triple the divergence from single precision.
    pub fn of(size: (usize, usize), set: InstructionSet) -> Tiling {
        let rounds = matches!(set, InstructionSet::Bf16(_));
        let allowed = |t: &Tiling| !(rounds && *t == Tiling::Five);
        let cost = |t: &Tiling| {
            let (out, side) = t.sides();
            let tiles = size.0.div_ceil(out) * size.1.div_ceil(out);
            tiles.max(MIN_TILES) * side * side
        };
        // On a tie, choose the larger tiles, which need fewer transforms.
        let largest_first = Tiling::ALL.into_iter().rev();
        let best = largest_first.filter(allowed).min_by_key(cost);
        best.unwrap_or(Tiling::Four)
    }

    /// Length of an input row (or column) for a board of `n` columns (or rows), including the
    /// border of a 3x3 filter.
    pub fn padded_side(self, n: usize) -> usize {
        let (out, side) = self.sides();
        n.div_ceil(out) * out + side - out
    }

    /// Transform the filters of a layer for vectors of length `lanes`: one matrix for each
    /// element of a tile. `at(y, x, i, o)` is the weight at row y and column x of the filter,
    /// from input i to output o.
    ///
    /// # Panics
    /// If `inputs` is 0 or `lanes` does not divide [`PAD`].
    pub fn transform_filters(
        self,
        lanes: usize,
        inputs: usize,
        outputs: usize,
        at: impl Fn(usize, usize, usize, usize) -> f32 + Sync,
    ) -> Packed {
        let filter = match self {
            Tiling::Three => Three::filter(),
            Tiling::Four => Four::filter(),
            Tiling::Five => Five::filter(),
        };
        let side = filter.len();
        Packed::several(lanes, side * side, inputs, outputs, |element, i, o| {
            let (row, column) = (filter[element / side], filter[element % side]);
            let mut sum = 0.0;
            for (y, a) in row.iter().enumerate() {
                for (x, b) in column.iter().enumerate() {
                    sum += a * b * f64::from(at(y, x, i, o));
                }
            }
            sum as f32
        })
    }
}

/// With fewer tiles than this, the products wait for the weights, which are read once for all
/// tiles (measured on boards of 7 to 19 points with three instruction sets).
const MIN_TILES: usize = 6;

/// Filters transformed by [`Tiling::transform_filters`].
#[derive(Clone, Debug)]
pub enum Transformed {
    /// In single precision.
    Single(Packed),
    /// Quantized.
    Quantized(Quantized),
    /// Rounded to integers, like the transformed input.
    Integers(Integers),
    /// Rounded to bfloat16, like the transformed input.
    Rounded(Rounded),
}

impl Transformed {
    /// Round the filters of a tiling if the instruction set has products of integers or bfloat16
    /// numbers. Otherwise quantize wide layers, whose weights take longer to read than to compute
    /// with (measured with 192 channels: 1.2 times the evaluations on 9x9 and 13x13, the same number
    /// on 19x19, in two thirds of the memory).
    pub fn new(tiling: Tiling, packed: Packed, set: InstructionSet) -> Transformed {
        match (set, packed.inputs()) {
            (InstructionSet::Int16(set), _) => {
                let gains = with_tile!(tiling, T => &T::GAINS[..T::SIDE * T::SIDE]);
                Transformed::Integers(Integers::new(set, &packed, gains))
            }
            (InstructionSet::Bf16(bf16), _) => Transformed::Rounded(Rounded::new(bf16, &packed)),
            (_, WIDE..) => Transformed::Quantized(Quantized::new(&packed)),
            _ => Transformed::Single(packed),
        }
    }
}

/// Maximum number of boards worth evaluating together.
pub const MOST_AT_ONCE: usize = 12;

/// Number of channels from which reading the weights dominates the cost of a layer.
pub const WIDE: usize = 128;

/// Positions of the tiles of boards in a bordered input. The boards have one size and are
/// contiguous, each with its own border.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// Tile size.
    pub tiling: Tiling,
    /// Columns and rows of a board.
    pub size: (usize, usize),
    /// Points in a row of the input, borders included.
    pub pitch: usize,
    /// Border of the input on each side, in points.
    pub border: usize,
    /// Number of boards.
    pub boards: usize,
}

impl Grid {
    /// Create the grid of one board of `size` (columns, rows), with the cheapest tiling for an
    /// instruction set. `border` is at least 1.
    pub fn new(size: (usize, usize), border: usize, set: InstructionSet) -> Grid {
        let tiling = Tiling::of(size, set);
        Grid {
            tiling,
            size,
            pitch: tiling.padded_side(size.0) + 2 * (border - 1),
            border,
            boards: 1,
        }
    }

    /// Points of a board's input, including borders.
    pub fn bordered(&self) -> usize {
        self.pitch * (self.tiling.padded_side(self.size.1) + 2 * (self.border - 1))
    }

    /// Tiles per row and per column of a board.
    fn tiles(&self) -> (usize, usize) {
        let (out, _) = self.tiling.sides();
        (self.size.0.div_ceil(out), self.size.1.div_ceil(out))
    }

    /// Number of tiles of all boards.
    pub fn all_tiles(&self) -> usize {
        let (columns, rows) = self.tiles();
        self.boards * columns * rows
    }

    /// Distance in numbers between two successive elements of a tile in a transformed input or
    /// output with `channels` numbers for each element.
    /// Distances that are a multiple of half a page are avoided: since a tile is written element
    /// by element, its elements would share a few lines of the nearest cache.
    fn step(&self, channels: usize) -> usize {
        const PAGE: usize = 4096 / size_of::<f32>();
        let numbers = self.all_tiles() * channels;
        match numbers % (PAGE / 2) {
            0 => numbers + PAD,
            _ => numbers,
        }
    }

    /// Length in numbers of a transformed input or output with `channels` numbers for each element
    /// of a tile.
    pub fn transformed(&self, channels: usize) -> usize {
        let (_, side) = self.tiling.sides();
        self.step(channels) * side * side
    }

    /// Return the best batch size for layers of `channels`, from 1 to [`MOST_AT_ONCE`]: as large
    /// as possible while computing costs little compared to reading the weights, once per batch.
    /// With few weights, waiting for a batch costs more than it saves
    /// (measured on two threads with batches of 16 on 9x9: 0.94 to 0.69 times the evaluations with
    /// 64 and 96 channels, 1.10 to 1.24 times with 192).
    pub fn most_at_once(&self, channels: usize) -> usize {
        let (columns, rows) = self.tiles();
        match channels {
            WIDE.. => (channels / (2 * columns * rows)).clamp(1, MOST_AT_ONCE),
            _ => 1,
        }
    }

    /// Return the point of the input at which a tile begins.
    fn corner<T: Tile>(&self, tile: usize) -> usize {
        let (columns, rows) = self.tiles();
        let (board, tile) = (tile / (columns * rows), tile % (columns * rows));
        let (x, y) = (tile % columns * T::OUT, tile / columns * T::OUT);
        board * self.bordered() + (y + self.border - 1) * self.pitch + x + self.border - 1
    }
}

/// Run the costly part of a 3x3 convolution: the input transform and the products.
///
/// `input` is `[board][row][point of the row][channel]`, with rows of [`Grid::pitch`] points, the
/// channels padded, and zeros around each board. It is transformed to
/// `[element of a tile][tile][channel]`, the tiles of all boards contiguous, and the products are
/// written to `products[element of a tile][tile][output]`, from which [`output_transform`] goes on.
///
/// # Panics
/// If a slice is too short, the grid has no border, or the filters are transformed
/// for another tiling or packed for another vector length.
pub fn convolve<S: Simd>(
    s: S,
    grid: &Grid,
    filters: &Transformed,
    input: &[f32],
    products: &mut [f32],
    scratch: &mut GemmScratch,
) {
    let GemmScratch {
        single,
        pairs,
        scales,
        panel,
    } = scratch;
    let rest = (scales, panel);
    match filters {
        Transformed::Single(filters) => {
            convolve_with(Single(s), grid, filters, input, single, products, rest);
        }
        Transformed::Quantized(filters) => {
            convolve_with(Single(s), grid, filters, input, single, products, rest);
        }
        Transformed::Integers(filters) => with_int16!(filters.arithmetic(), how => {
            convolve_with(how, grid, filters, input, pairs, products, rest);
        }),
        Transformed::Rounded(filters) => {
            let bf16 = filters.arithmetic();
            convolve_with(bf16, grid, filters, input, pairs, products, rest);
        }
    }
}

fn convolve_with<A: Arithmetic>(
    how: A,
    grid: &Grid,
    filters: &impl PackedWeights<A>,
    input: &[f32],
    transformed: &mut Vec<A::Element>,
    products: &mut [f32],
    (scales, panel): (&mut Vec<f32>, &mut Vec<f32>),
) {
    let shape = filters.shape();
    let (_, side) = grid.tiling.sides();
    assert!(shape.matrices == side * side, "filters of another tiling");
    assert!(grid.border >= 1, "a 3x3 filter reads a border");
    let channels = padded(shape.inputs);
    // Numbers of a tile's element, each of which holds `INPUTS` channels.
    let width = channels / A::INPUTS;
    let transformed = grown(transformed, grid.transformed(width));
    let products = &mut products[..grid.transformed(shape.outputs)];
    // Two functions: in one, constants of the transform would take registers from the products.
    how.vectorize(
        #[inline(always)]
        || {
            with_tile!(grid.tiling, T => {
                input_transform::<A, T>(how, grid, channels, input, transformed, scales)
            });
        },
    );
    how.vectorize(
        #[inline(always)]
        || {
            let elements = transformed.chunks_exact(grid.step(width));
            let outputs = products.chunks_exact_mut(grid.step(shape.outputs));
            for (n, (element, out)) in elements.zip(outputs).enumerate() {
                let a = Matrix {
                    scales,
                    ..Matrix::new(element, grid.all_tiles(), width)
                };
                gemm(how, a, filters, n, out, Write::Set, panel);
            }
        },
    );
}

/// Transform a bordered input to `transformed[element of a tile][tile][channel]`, with a
/// [`Grid::step`] from one element to the next. Integers are scaled by board, and `scales` set to
/// what 1 stands for in each tile, but for the gain of its element.
#[inline(always)]
fn input_transform<A: Arithmetic, T: Tile>(
    how: A,
    grid: &Grid,
    channels: usize,
    input: &[f32],
    transformed: &mut [A::Element],
    scales: &mut Vec<f32>,
) {
    let (s, lanes) = (how.vectors(), A::Simd::LANES);
    let vectors = channels / lanes;
    let step = grid.step(channels / A::INPUTS) * A::INPUTS / lanes;
    let all = input;
    let (input, transformed) = (A::Simd::lanes(input), A::element_vectors(transformed));
    // Lengths of a tile's row in the input and in the output, from the first vector to the
    // last.
    let read = T::SIDE * vectors;
    let written = (T::SIDE - 1) * step + vectors;
    // Outside of the loops, to be filled with zeros only once.
    let mut d = [[s.splat(0.0); MAX_SIDE]; MAX_SIDE];
    let mut factors = [1.0; MAX_SIDE * MAX_SIDE];
    let tiles = grid.all_tiles() / grid.boards;
    scales.clear();
    for tile in 0..grid.all_tiles() {
        if A::INTEGERS && tile.is_multiple_of(tiles) {
            let numbers = grid.bordered() * channels;
            let board = &all[tile / tiles * numbers..][..numbers];
            let range = range_of(s, board);
            factors = T::GAINS.map(|gain| Integers::MOST / (gain * range));
            scales.extend(std::iter::repeat_n(range / Integers::MOST, tiles));
        }
        let corner = grid.corner::<T>(tile);
        let mut from: [&[<A::Simd as Simd>::Lanes]; MAX_SIDE] = [&[]; MAX_SIDE];
        for y in 0..T::SIDE {
            from[y] = &input[(corner + y * grid.pitch) * vectors..][..read];
        }
        let mut to: [&mut [A::ElementVector]; MAX_SIDE] = Default::default();
        let mut rest = &mut *transformed;
        for y in 0..T::SIDE {
            let (elements, others) = rest.split_at_mut(T::SIDE * step);
            to[y] = &mut elements[tile * vectors..][..written];
            rest = others;
        }
        for c in 0..vectors {
            for x in 0..T::SIDE {
                let mut column = [s.splat(0.0); MAX_SIDE];
                for y in 0..T::SIDE {
                    column[y] = s.load(&from[y][x * vectors + c]);
                }
                T::input(&mut column);
                for y in 0..T::SIDE {
                    d[y][x] = column[y];
                }
            }
            for y in 0..T::SIDE {
                let mut row = d[y];
                T::input(&mut row);
                for x in 0..T::SIDE {
                    let factor = s.splat(factors[y * T::SIDE + x]);
                    how.write(row[x], factor, &mut to[y][x * step + c]);
                }
            }
        }
    }
}

/// Transform the products of [`convolve`] back to the points of a board, and run the epilogue
/// on its channels, from `first` on. `board` is the board's index; `outputs` is the number of
/// channels of the products.
///
/// # Panics
/// If a slice is too short, there is no such board, the channels are not padded or not within
/// the outputs, or the epilogue is for a board of another size.
pub fn output_transform<S: Simd>(
    s: S,
    grid: &Grid,
    board: usize,
    products: &[f32],
    outputs: usize,
    first: usize,
    epilogue: &mut Epilogue<'_>,
) {
    assert!(outputs.is_multiple_of(PAD) && first.is_multiple_of(PAD));
    assert!(first + epilogue.channels <= outputs, "too few outputs");
    assert!(
        epilogue.points == grid.size.0 * grid.size.1,
        "a board of another size"
    );
    assert!(board < grid.boards, "no such board");
    let products = Products {
        vectors: S::lanes(&products[..grid.transformed(outputs)]),
        row: outputs / S::LANES,
        step: grid.step(outputs) / S::LANES,
        first: first / S::LANES,
    };
    s.vectorize(
        #[inline(always)]
        || {
            with_tile!(grid.tiling, T => {
                output_transform_with::<S, T>(s, grid, board, products, epilogue.vectorized(s))
            })
        },
    );
}

/// Products of a convolution: `[element of a tile][tile][vector of channels]`.
#[derive(Clone, Copy)]
struct Products<'a, L> {
    vectors: &'a [L],
    /// Vectors per tile.
    row: usize,
    /// Distance in vectors between two successive elements of a tile.
    step: usize,
    /// The first vector to transform.
    first: usize,
}

#[inline(always)]
fn output_transform_with<S: Simd, T: Tile>(
    s: S,
    grid: &Grid,
    board: usize,
    products: Products<'_, S::Lanes>,
    mut epilogue: Vectorized<'_, S>,
) {
    let (columns, rows) = grid.tiles();
    let tiles = columns * rows;
    let step = products.step;
    // Length of a row of the tile, from the first vector to the last.
    let read = (T::SIDE - 1) * step + epilogue.row;
    // Outside of the loops, to be filled with zeros only once.
    let mut m = [[s.splat(0.0); MAX_SIDE]; MAX_SIDE];
    for tile in 0..tiles {
        let mut from: [&[S::Lanes]; MAX_SIDE] = [&[]; MAX_SIDE];
        for y in 0..T::SIDE {
            let of_board = (board * tiles + tile) * products.row;
            let at = y * T::SIDE * step + of_board + products.first;
            from[y] = &products.vectors[at..][..read];
        }
        let (left, top) = (tile % columns * T::OUT, tile / columns * T::OUT);
        let width = T::OUT.min(grid.size.0 - left);
        let height = T::OUT.min(grid.size.1 - top);
        for c in 0..epilogue.row {
            let norm = epilogue.norm(c);
            for x in 0..T::SIDE {
                let mut column = [s.splat(0.0); MAX_SIDE];
                for y in 0..T::SIDE {
                    column[y] = s.load(&from[y][x * step + c]);
                }
                T::output(&mut column);
                for y in 0..T::OUT {
                    m[y][x] = column[y];
                }
            }
            for y in 0..height {
                let mut row = m[y];
                T::output(&mut row);
                let point = (top + y) * grid.size.0 + left;
                for x in 0..width {
                    epilogue.process(point + x, c, norm, row[x]);
                }
            }
        }
    }
}
