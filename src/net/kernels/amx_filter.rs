//! Convolutions as products of AMX's tiles: registers of sixteen rows of numbers.
//!
//! AMX computes sixteen times as many products in bfloat16 as AVX-512 does in single precision, so
//! a filter is applied tap by tap: minimal filtering would spend more on its transforms, and
//! on reading more weights, than it saves. Inputs and weights are rounded to bfloat16 (8 bits
//! of mantissa); sums and the trunk are in single precision.

use super::placement::Placement;
use super::simd::{Amx, Line, MOST_TILES, TILE, TileProduct};
use super::winograd::Grid;
use half::bf16;

/// Tiles of rows per block on boards that need more than [`MOST_TILES`]. Four are faster there than six,
/// because six leave only one register for rows (measured with 64, 128 and 192 channels on 13x13 and
/// 19x19). Smaller boards take one block, which reads the weights only once.
const TILES: usize = 4;

/// The layout of boards in an input, `[place][line]`: the rows of a board are contiguous, each
/// followed by an empty border, which is also the left border of the next row. So the inputs of a
/// tap lie at the same distance from all points, and the product is done for all places from the
/// first point to the last, borders included.
#[derive(Clone, Copy, Debug)]
pub struct AmxLayout {
    /// Columns and rows of a board.
    pub size: (usize, usize),
    /// Width of the border in points, at least 1.
    pub border: usize,
    /// Number of boards.
    pub boards: usize,
}

impl AmxLayout {
    /// Return the layout of a grid's boards.
    pub fn new(grid: &Grid, border: usize) -> AmxLayout {
        AmxLayout {
            size: grid.size,
            border,
            boards: grid.boards,
        }
    }

    /// Distance in places between rows.
    pub fn pitch(&self) -> usize {
        self.size.0 + self.border
    }

    /// Distance in places between boards. Consecutive boards share the border between them.
    pub fn step(&self) -> usize {
        (self.size.1 + self.border) * self.pitch()
    }

    /// Length of the input in places, including those read beyond the last board.
    pub fn points(&self) -> usize {
        let border = self.border * self.pitch() + self.border;
        (self.boards - 1) * self.step() + 2 * border + self.sums()
    }

    /// Places of the points of the first board.
    pub fn places(&self) -> Placement {
        Placement::padded(self.size, self.pitch(), self.border)
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

    /// Rows of sums per board, a multiple of 16. The first belongs to the board's first point;
    /// the next row of the board follows at a distance of [`AmxLayout::pitch`].
    pub fn sums(&self) -> usize {
        let (blocks, tiles) = self.blocks();
        blocks * tiles * TILE
    }

    /// List the first place of each block of all boards.
    fn starts(&self) -> impl Iterator<Item = usize> {
        let (step, (blocks, tiles)) = (self.step(), self.blocks());
        let first = self.border * self.pitch() + self.border;
        let boards = (0..self.boards).map(move |board| board * step + first);
        boards.flat_map(move |first| (0..blocks).map(move |n| first + n * tiles * TILE))
    }
}

/// Scratch space of a product.
#[derive(Clone, Debug, Default)]
pub struct AmxScratch {
    /// First place of each block.
    blocks: Vec<usize>,
    /// Offset of each tap's input in places.
    taps: Vec<isize>,
}

/// Weights of a convolution, packed for AMX.
#[derive(Clone, Debug)]
pub struct AmxFilter {
    amx: Amx,
    /// `[16 outputs][tap][32 inputs][pair of inputs]`; a line holds a pair's weights to 16 outputs.
    weights: Vec<Line>,
    /// Offset of each tap's input, in columns and rows.
    taps: Vec<(isize, isize)>,
    border: usize,
    /// Lines per point of the input, of 32 inputs each.
    steps: usize,
    /// Number of outputs, padded to a multiple of [`TILE`].
    columns: usize,
}

impl AmxFilter {
    /// Pack a filter with these taps; `at(n, i, o)` is the weight of the n-th tap from input i
    /// to output o.
    pub fn new(
        amx: Amx,
        taps: Vec<(isize, isize)>,
        inputs: usize,
        outputs: usize,
        at: impl Fn(usize, usize, usize) -> f32,
    ) -> AmxFilter {
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
        AmxFilter {
            amx,
            weights,
            border: taps.iter().map(reach).max().unwrap_or(0).max(1),
            taps,
            steps,
            columns,
        }
    }

    /// Border that the taps read, in points, at least 1.
    pub fn border(&self) -> usize {
        self.border
    }

    /// Number of columns of the sums: the outputs, padded.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Compute the sums of boards, `[board][row][column]` with [`AmxLayout::sums`] rows per board.
    /// `input` is `[place][line]`.
    ///
    /// # Panics
    /// If a slice is too short or the border too narrow.
    pub fn multiply(
        &self,
        layout: &AmxLayout,
        input: &[Line],
        out: &mut [f32],
        scratch: &mut AmxScratch,
    ) {
        let pitch = layout.pitch() as isize;
        scratch.blocks.clear();
        scratch.blocks.extend(layout.starts());
        scratch.taps.clear();
        let taps = self.taps.iter().map(|(x, y)| y * pitch + x);
        scratch.taps.extend(taps);
        self.amx.multiply(TileProduct {
            input,
            steps: self.steps,
            blocks: &scratch.blocks,
            tiles: layout.blocks().1,
            taps: &scratch.taps,
            weights: &self.weights,
            columns: self.columns,
            out,
        });
    }
}
