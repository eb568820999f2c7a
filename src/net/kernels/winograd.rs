//! 3x3 convolutions by minimal filtering (Winograd 1980; Lavin and Gray 2016).
//!
//! F(m×m, 3×3): the input is cut into tiles of side m + 2 that overlap by two;
//! tile and filter are transformed, multiplied point by point (a matrix product
//! over the channels for each of the (m + 2)² points) and transformed back to m×m
//! outputs. Points of interpolation are 0, ±1, 2, −2 and ∞, as many as the side.

use super::finish::{Finish, for_activation};
use super::gemm::{Packed, gemm};
use super::lanes::Lanes;

/// A size of tiles.
pub trait Tile {
    /// Side of a tile of the input.
    const SIDE: usize;
    /// Side of its outputs.
    const OUT: usize;
    /// Transform of a filter's row, by point and place.
    const FILTER: &'static [[f64; 3]];
    /// Transform of a row of the input, in place.
    fn input<V: Lanes>(d: &mut [V; 6]);
    /// Transform of a row of products to outputs, in place.
    fn output<V: Lanes>(m: &mut [V; 6]);
}

/// F(4×4, 3×3).
pub struct Four;

/// F(3×3, 3×3): divides boards of 9 evenly.
pub struct Three;

impl Tile for Four {
    const SIDE: usize = 6;
    const OUT: usize = 4;
    const FILTER: &'static [[f64; 3]] = &[
        [1.0 / 4.0, 0.0, 0.0],
        [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
        [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
        [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
        [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
        [0.0, 0.0, 1.0],
    ];

    #[inline(always)]
    fn input<V: Lanes>(d: &mut [V; 6]) {
        let (two, four, five) = (V::splat(2.0), V::splat(4.0), V::splat(5.0));
        let [d0, d1, d2, d3, d4, d5] = *d;
        let even = d4.sub(four.mul(d2));
        let odd = d3.sub(four.mul(d1));
        let even2 = d4.sub(d2);
        let odd2 = two.mul(d3.sub(d1));
        d[0] = four.mul_add(d0, d4.sub(five.mul(d2)));
        d[1] = even.add(odd);
        d[2] = even.sub(odd);
        d[3] = even2.add(odd2);
        d[4] = even2.sub(odd2);
        d[5] = four.mul_add(d1, d5.sub(five.mul(d3)));
    }

    #[inline(always)]
    fn output<V: Lanes>(m: &mut [V; 6]) {
        let (two, four, eight) = (V::splat(2.0), V::splat(4.0), V::splat(8.0));
        let [m0, m1, m2, m3, m4, m5] = *m;
        let (sum1, sum2) = (m1.add(m2), m3.add(m4));
        let (diff1, diff2) = (m1.sub(m2), m3.sub(m4));
        m[0] = m0.add(sum1).add(sum2);
        m[1] = two.mul_add(diff2, diff1);
        m[2] = four.mul_add(sum2, sum1);
        m[3] = eight.mul_add(diff2, diff1).add(m5);
    }
}

impl Tile for Three {
    const SIDE: usize = 5;
    const OUT: usize = 3;
    const FILTER: &'static [[f64; 3]] = &[
        [1.0 / 2.0, 0.0, 0.0],
        [-1.0 / 2.0, -1.0 / 2.0, -1.0 / 2.0],
        [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
        [1.0 / 6.0, 1.0 / 3.0, 2.0 / 3.0],
        [0.0, 0.0, 1.0],
    ];

    #[inline(always)]
    fn input<V: Lanes>(d: &mut [V; 6]) {
        let (two, three) = (V::splat(2.0), V::splat(3.0));
        let [d0, d1, d2, d3, d4, _] = *d;
        let odd = d3.sub(d1);
        d[0] = two.mul_add(d0.sub(d2), odd);
        d[1] = d3.sub(d2).sub(two.mul(d1));
        d[2] = two.mul_add(d1, d3.sub(three.mul(d2)));
        d[3] = odd;
        d[4] = d4.sub(d2).sub(two.mul(odd));
    }

    #[inline(always)]
    fn output<V: Lanes>(m: &mut [V; 6]) {
        let (two, four) = (V::splat(2.0), V::splat(4.0));
        let [m0, m1, m2, m3, m4, _] = *m;
        let sum = m1.add(m2);
        m[0] = m0.add(sum).add(m3);
        m[1] = two.mul_add(m3, m1.sub(m2));
        m[2] = four.mul_add(m3, sum).add(m4);
    }
}

/// The transformed filters of a layer: a matrix for each point of a tile.
///
/// `at(y, x, i, o)` is the weight of the filter's place (y, x).
pub fn transform_filters<T: Tile>(
    inputs: usize,
    outputs: usize,
    lanes: usize,
    at: impl Fn(usize, usize, usize, usize) -> f32 + Sync,
) -> Packed {
    Packed::several(T::SIDE * T::SIDE, inputs, outputs, lanes, |t, i, o| {
        let (row, column) = (T::FILTER[t / T::SIDE], T::FILTER[t % T::SIDE]);
        let mut sum = 0.0;
        for (y, a) in row.iter().enumerate() {
            for (x, b) in column.iter().enumerate() {
                sum += a * b * f64::from(at(y, x, i, o));
            }
        }
        sum as f32
    })
}

/// Where a layer's tiles lie on a board.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// Columns and rows of the board.
    pub size: (usize, usize),
    /// Points in a row of the padded input, borders included.
    pub pitch: usize,
    /// Border of the padded input on each side.
    pub border: usize,
}

impl Grid {
    /// Tiles by column and row.
    pub fn tiles<T: Tile>(&self) -> (usize, usize) {
        (self.size.0.div_ceil(T::OUT), self.size.1.div_ceil(T::OUT))
    }
}

/// Transform a padded input to `points[t][tile][channel]`.
///
/// # Safety
/// The input has rows of `grid.pitch` points for all tiles, `points` room for all
/// their numbers; `channels` is a multiple of [`super::gemm::PAD`].
#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "matrices, by row and column")]
pub unsafe fn transform_input<V: Lanes, T: Tile>(
    grid: &Grid,
    channels: usize,
    input: *const f32,
    points: *mut f32,
) {
    let (columns, rows) = grid.tiles::<T>();
    let tiles = columns * rows;
    let zero = [V::splat(0.0); 6];
    for ty in 0..rows {
        for tx in 0..columns {
            let corner =
                (ty * T::OUT + grid.border - 1) * grid.pitch + tx * T::OUT + grid.border - 1;
            let tile = ty * columns + tx;
            for c in (0..channels).step_by(V::N) {
                // SAFETY: within the tile and the channel, see above.
                unsafe {
                    let from = input.add(corner * channels + c);
                    let to = points.add(tile * channels + c);
                    let mut d = [zero; 6];
                    for x in 0..T::SIDE {
                        let mut column = zero;
                        for y in 0..T::SIDE {
                            column[y] = V::load(from.add((y * grid.pitch + x) * channels));
                        }
                        T::input(&mut column);
                        for y in 0..T::SIDE {
                            d[y][x] = column[y];
                        }
                    }
                    for (y, row) in d.iter_mut().enumerate().take(T::SIDE) {
                        T::input(row);
                        for (x, v) in row.iter().enumerate().take(T::SIDE) {
                            v.store(to.add((y * T::SIDE + x) * tiles * channels));
                        }
                    }
                }
            }
        }
    }
}

/// Transform `products[t][tile][channel]`, with rows of `stride` numbers, back to
/// points of the board and finish each.
///
/// # Safety
/// As [`transform_input`]; `finish` fits the board and its channels lie within a
/// row.
#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "matrices, by row and column")]
pub unsafe fn transform_output<V: Lanes, T: Tile, const ACT: usize>(
    grid: &Grid,
    products: *const f32,
    stride: usize,
    finish: &Finish<'_>,
) {
    let (columns, rows) = grid.tiles::<T>();
    let tiles = columns * rows;
    let zero = [V::splat(0.0); 6];
    for ty in 0..rows {
        for tx in 0..columns {
            let tile = ty * columns + tx;
            for c in (0..finish.channels).step_by(V::N) {
                // SAFETY: within the tile and the channel, see above.
                unsafe {
                    let from = products.add(tile * stride + c);
                    let mut m = [zero; 6];
                    for x in 0..T::SIDE {
                        let mut column = zero;
                        for y in 0..T::SIDE {
                            column[y] = V::load(from.add((y * T::SIDE + x) * tiles * stride));
                        }
                        T::output(&mut column);
                        for y in 0..T::OUT {
                            m[y][x] = column[y];
                        }
                    }
                    for (y, row) in m.iter_mut().enumerate().take(T::OUT) {
                        let by = ty * T::OUT + y;
                        if by >= grid.size.1 {
                            break;
                        }
                        T::output(row);
                        let bx = tx * T::OUT;
                        let n = T::OUT.min(grid.size.0 - bx);
                        for (x, &v) in row.iter().enumerate().take(n) {
                            finish.point::<V, ACT>(by * grid.size.0 + bx + x, c, v);
                        }
                    }
                }
            }
        }
    }
}

/// Transform a padded input and multiply it with transformed filters; the products
/// come after the transformed input.
///
/// # Safety
/// As [`transform_input`]; `work` has room for the points of all inputs and outputs.
#[inline(always)]
pub unsafe fn products<V: Lanes, T: Tile>(
    grid: &Grid,
    filters: &Packed,
    input: *const f32,
    channels: usize,
    work: *mut f32,
) {
    let (columns, rows) = grid.tiles::<T>();
    let tiles = columns * rows;
    // SAFETY: see above.
    unsafe {
        transform_input::<V, T>(grid, channels, input, work);
        let products = work.add(T::SIDE * T::SIDE * tiles * channels);
        let outputs = filters.outputs;
        for t in 0..filters.count {
            let a = work.add(t * tiles * channels);
            let out = products.add(t * tiles * outputs);
            gemm::<V>(tiles, a, channels, filters, t, out, outputs, false);
        }
    }
}

/// Transform products with rows of `stride` numbers back and finish them.
///
/// # Safety
/// As [`transform_output`].
#[inline(always)]
pub unsafe fn restore<V: Lanes, T: Tile>(
    grid: &Grid,
    products: *const f32,
    stride: usize,
    finish: &Finish<'_>,
) {
    // SAFETY: see above.
    unsafe {
        for_activation!(finish.activation(), ACT => {
            transform_output::<V, T, ACT>(grid, products, stride, finish);
        });
    }
}
