//! Convolutions as tile products, for processors with AMX.
//!
//! AMX computes sixteen times as many products of bfloat16 numbers as of single precision, so
//! a filter is applied tap by tap: minimal filtering would spend more on its transforms, and
//! on reading more weights, than it saves. Inputs and weights are rounded to bfloat16 (8 bits
//! of mantissa); sums and the trunk are in single precision.

use super::rows::Rows;
use super::simd::{Amx, Line, MOST_TILES, Product, TILE};
use half::bf16;

/// Tiles of rows per block on boards of more than [`MOST_TILES`]. Four are faster than six there,
/// which leave only one register for rows (measured with 64, 128 and 192 channels on 13x13 and
/// 19x19); smaller boards take one block, which reads the weights only once.
const TILES: usize = 4;

/// The layout of boards in an input: the rows of a board are contiguous, each followed by
/// an empty border, which is also the left border of the next row.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Columns and rows of a board.
    pub size: (usize, usize),
    /// Width of the border in points, at least 1.
    pub border: usize,
    /// Number of boards.
    pub boards: usize,
}

impl Layout {
    /// Distance in points between rows.
    pub fn pitch(&self) -> usize {
        self.size.0 + self.border
    }

    /// Distance in points between boards. Consecutive boards share the border between them.
    pub fn step(&self) -> usize {
        (self.size.1 + self.border) * self.pitch()
    }

    /// Length of the input in points, including those read beyond the last board.
    pub fn points(&self) -> usize {
        let border = self.border * self.pitch() + self.border;
        (self.boards - 1) * self.step() + 2 * border + self.sums()
    }

    /// Positions of the points of the first board.
    pub fn rows(&self) -> Rows {
        Rows::padded(self.size, self.pitch(), self.border)
    }

    /// Number of blocks per board, and of tiles of rows in each.
    fn blocks(&self) -> (usize, usize) {
        let tiles = (self.size.1 * self.pitch() - self.border).div_ceil(TILE);
        let blocks = match tiles {
            ..=MOST_TILES => 1,
            _ => tiles.div_ceil(TILES),
        };
        (blocks, tiles.div_ceil(blocks))
    }

    /// Rows of sums per board. They start with the points of the board's first row; the next
    /// row follows at a distance of [`Layout::pitch`].
    pub fn sums(&self) -> usize {
        let (blocks, tiles) = self.blocks();
        blocks * tiles * TILE
    }

    /// List the first row of each block of all boards.
    fn starts(&self) -> impl Iterator<Item = usize> {
        let (step, (blocks, tiles)) = (self.step(), self.blocks());
        let first = self.border * self.pitch() + self.border;
        let boards = (0..self.boards).map(move |board| board * step + first);
        boards.flat_map(move |first| (0..blocks).map(move |n| first + n * tiles * TILE))
    }
}

/// Scratch space for the block starts and tap offsets of a product.
#[derive(Clone, Debug, Default)]
pub struct Starts {
    blocks: Vec<usize>,
    taps: Vec<isize>,
}

/// Weights of a convolution in tiles.
#[derive(Clone, Debug)]
pub struct Tiled {
    amx: Amx,
    weights: Vec<Line>,
    /// Offset of each tap's input, in columns and rows.
    taps: Vec<(isize, isize)>,
    border: usize,
    /// Lines per point of the input.
    steps: usize,
    columns: usize,
}

impl Tiled {
    /// Pack a filter with these taps; `at(n, i, o)` is the weight of the n-th tap from input i
    /// to output o.
    pub fn new(
        amx: Amx,
        taps: Vec<(isize, isize)>,
        inputs: usize,
        outputs: usize,
        at: impl Fn(usize, usize, usize) -> f32,
    ) -> Tiled {
        let steps = Line::count(inputs);
        let columns = outputs.next_multiple_of(TILE);
        let weight = |n, i, o| match i < inputs && o < outputs {
            true => bf16::from_f32(at(n, i, o)),
            false => bf16::ZERO,
        };
        let mut weights = Vec::with_capacity(columns * taps.len() * steps);
        for o in (0..columns).step_by(TILE) {
            for n in 0..taps.len() {
                for step in 0..steps {
                    weights.extend((0..TILE).map(|row| {
                        let i = step * Line::LEN + 2 * row;
                        let of = |at: usize| weight(n, i + at % 2, o + at / 2);
                        Line(std::array::from_fn(of))
                    }));
                }
            }
        }
        let reach = |&(x, y): &(isize, isize)| x.unsigned_abs().max(y.unsigned_abs());
        Tiled {
            amx,
            weights,
            border: taps.iter().map(reach).max().unwrap_or(0).max(1),
            taps,
            steps,
            columns,
        }
    }

    /// Border of the input, at least 1.
    pub fn border(&self) -> usize {
        self.border
    }

    /// Number of columns of the sums.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Compute the sums of boards, `[board][row][column]` with [`Layout::sums`] rows per board.
    /// `input` is `[point][line]`; `starts` is scratch space.
    ///
    /// # Panics
    /// If a slice is too short or the border too narrow.
    pub fn multiply(&self, layout: &Layout, input: &[Line], out: &mut [f32], starts: &mut Starts) {
        let pitch = layout.pitch() as isize;
        starts.blocks.clear();
        starts.blocks.extend(layout.starts());
        starts.taps.clear();
        let taps = self.taps.iter().map(|(x, y)| y * pitch + x);
        starts.taps.extend(taps);
        self.amx.multiply(Product {
            input,
            steps: self.steps,
            blocks: &starts.blocks,
            tiles: layout.blocks().1,
            taps: &starts.taps,
            weights: &self.weights,
            columns: self.columns,
            out,
        });
    }
}
