//! Convolutions as products of tiles, for processors that have AMX.
//!
//! Such a processor takes sixteen times as many products of bfloat16 numbers as of single
//! precision, so that a filter is applied place by place: minimal filtering would spend more
//! on its transforms, and on reading more weights, than it saves. Inputs and weights are
//! rounded to bfloat16 (8 bits of mantissa); sums and the trunk are in single precision.

use super::epilogue::Rows;
use super::simd::Amx;
use half::bf16;

/// Rows of a tile, and columns of weights and sums.
pub(super) const TILE: usize = 16;

/// Rows of the input that are worked on at once: two tiles.
pub(super) const BLOCK: usize = 2 * TILE;

/// A row of a tile, as it lies in memory: [`Line::LEN`] channels of a point, or two rows of
/// sixteen weights, those of a column beside each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Line(pub [bf16; Line::LEN]);

impl Line {
    /// Numbers of a line.
    pub const LEN: usize = 32;

    /// Zeros.
    pub const ZERO: Line = Line([bf16::ZERO; Line::LEN]);

    /// Zeros and ones, the first for the lowest bit.
    pub fn of_bits(bits: u32) -> Line {
        let number = |i: usize| bf16::from_bits(0x3f80 * (bits >> i & 1) as u16);
        Line(std::array::from_fn(number))
    }

    /// Lines of a point of so many channels.
    pub fn count(channels: usize) -> usize {
        channels.div_ceil(Line::LEN)
    }
}

/// `out[block][row][column] = Σ input[block + row + place][channel] · weights[channel][column]`,
/// the sum over all places and channels.
#[cfg_attr(
    not(all(target_arch = "x86_64", target_os = "linux")),
    allow(dead_code, reason = "nothing takes it where there are no tiles")
)]
pub(super) struct Product<'a> {
    /// `[row][line]`.
    pub(super) input: &'a [Line],
    /// Lines of a row.
    pub(super) steps: usize,
    /// The first row of each block.
    pub(super) blocks: &'a [usize],
    /// Rows that the input of each place is away.
    pub(super) places: &'a [isize],
    /// `[pair of tiles of columns][place][line][tile][pair of channels]`.
    pub(super) weights: &'a [Line],
    /// A multiple of two tiles.
    pub(super) columns: usize,
    /// `[block][row][column]`.
    pub(super) out: &'a mut [f32],
}

/// Where the points of boards lie in an input: rows of a board one after the other, each
/// with an empty border to its right that is the left border of the next.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Columns and rows of a board.
    pub size: (usize, usize),
    /// Points of the border, at least 1.
    pub border: usize,
    /// Boards.
    pub boards: usize,
}

impl Layout {
    /// Points from one row to the next.
    pub fn pitch(&self) -> usize {
        self.size.0 + self.border
    }

    /// Points from one board to the next: the border below the one is that above the other.
    pub fn step(&self) -> usize {
        (self.size.1 + self.border) * self.pitch()
    }

    /// Points of the input, with what is read beyond the last board.
    pub fn points(&self) -> usize {
        let border = self.border * self.pitch() + self.border;
        (self.boards - 1) * self.step() + 2 * border + self.blocks() * BLOCK
    }

    /// Where the points of the first board lie.
    pub fn rows(&self) -> Rows {
        Rows::padded(self.size, self.pitch(), self.border)
    }

    /// Blocks of rows of a board.
    fn blocks(&self) -> usize {
        (self.size.1 * self.pitch() - self.border).div_ceil(BLOCK)
    }

    /// Rows of sums of a board: those of the points of its first row, and [`Layout::pitch`]
    /// further those of the next.
    pub fn sums(&self) -> usize {
        self.blocks() * BLOCK
    }

    /// The first row of each block of all boards.
    fn starts(&self) -> impl Iterator<Item = usize> {
        let (step, blocks) = (self.step(), self.blocks());
        let first = self.border * self.pitch() + self.border;
        let boards = (0..self.boards).map(move |board| board * step + first);
        boards.flat_map(move |first| (0..blocks).map(move |n| first + n * BLOCK))
    }
}

/// Where the blocks and the places of a product begin.
#[derive(Clone, Debug, Default)]
pub struct Starts {
    blocks: Vec<usize>,
    places: Vec<isize>,
}

/// The weights of a convolution in tiles.
#[derive(Clone, Debug)]
pub struct Tiled {
    amx: Amx,
    weights: Vec<Line>,
    /// Columns and rows that the input of each place is away.
    places: Vec<(isize, isize)>,
    border: usize,
    /// Lines of a point of the input.
    steps: usize,
    columns: usize,
}

impl Tiled {
    /// For a filter of so many places; `at(n, i, o)` is the weight at the n-th from input i
    /// to output o.
    pub fn new(
        amx: Amx,
        places: Vec<(isize, isize)>,
        inputs: usize,
        outputs: usize,
        at: impl Fn(usize, usize, usize) -> f32,
    ) -> Tiled {
        let steps = Line::count(inputs);
        let columns = outputs.next_multiple_of(2 * TILE);
        let weight = |n, i, o| match i < inputs && o < outputs {
            true => bf16::from_f32(at(n, i, o)),
            false => bf16::ZERO,
        };
        let mut weights = Vec::with_capacity(columns * places.len() * steps);
        for pair in 0..columns / (2 * TILE) {
            for n in 0..places.len() {
                for step in 0..steps {
                    for tile in 0..2 {
                        let (i, o) = (step * Line::LEN, (2 * pair + tile) * TILE);
                        weights.extend((0..TILE).map(|row| {
                            let of = |at: usize| weight(n, i + 2 * row + at % 2, o + at / 2);
                            Line(std::array::from_fn(of))
                        }));
                    }
                }
            }
        }
        let reach = |&(x, y): &(isize, isize)| x.unsigned_abs().max(y.unsigned_abs());
        Tiled {
            amx,
            weights,
            border: places.iter().map(reach).max().unwrap_or(0).max(1),
            places,
            steps,
            columns,
        }
    }

    /// The border that its input has, at least 1.
    pub fn border(&self) -> usize {
        self.border
    }

    /// Columns of the sums.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The sums of boards, `[board][row][column]` with [`Layout::sums`] rows of a board.
    /// `input` is `[point][line]`; `starts` is room for numbers.
    ///
    /// # Panics
    /// If a slice is too short or the border too narrow.
    pub fn multiply(&self, layout: &Layout, input: &[Line], out: &mut [f32], starts: &mut Starts) {
        let pitch = layout.pitch() as isize;
        starts.blocks.clear();
        starts.blocks.extend(layout.starts());
        starts.places.clear();
        let places = self.places.iter().map(|(x, y)| y * pitch + x);
        starts.places.extend(places);
        self.amx.multiply(Product {
            input,
            steps: self.steps,
            blocks: &starts.blocks,
            places: &starts.places,
            weights: &self.weights,
            columns: self.columns,
            out,
        });
    }
}
