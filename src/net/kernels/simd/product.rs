//! Products of tiles: the operands of AMX, and their layout in memory.

use half::bf16;

/// Rows of a tile; also columns of a tile of weights or sums.
pub(in super::super) const TILE: usize = 16;

/// Maximum number of tiles of rows per block. The sums of six, one tile of rows and one of weights
/// take all eight registers.
pub(in super::super) const MOST_TILES: usize = 6;

/// A row of a tile in memory: [`Line::LEN`] channels of a point, or the weights of two channels to
/// sixteen columns, the two of each column next to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Line(pub [bf16; Line::LEN]);

impl Line {
    /// Numbers in a line.
    pub const LEN: usize = 32;

    /// Zeros.
    pub const ZERO: Line = Line([bf16::ZERO; Line::LEN]);

    /// Convert bits to zeros and ones, lowest bit first.
    pub fn of_bits(bits: u32) -> Line {
        let number = |i: usize| bf16::from_bits(0x3f80 * (bits >> i & 1) as u16);
        Line(std::array::from_fn(number))
    }

    /// Number of lines for a point with this many channels.
    pub fn count(channels: usize) -> usize {
        channels.div_ceil(Line::LEN)
    }
}

/// A tile product:
/// `out[block][row][column] = Σ input[block + row + tap][channel] · weights[channel][column]`,
/// summed over all taps and channels.
#[cfg_attr(
    not(all(target_arch = "x86_64", target_os = "linux")),
    allow(dead_code, reason = "unused without AMX")
)]
pub(in super::super) struct TileProduct<'a> {
    /// `[row][line]`; a row holds the channels of a place.
    pub(in super::super) input: &'a [Line],
    /// Lines in a row of `input`.
    pub(in super::super) steps: usize,
    /// The first row of each block.
    pub(in super::super) blocks: &'a [usize],
    /// Tiles of rows per block, from 1 to [`MOST_TILES`].
    pub(in super::super) tiles: usize,
    /// Offset of each tap's input in rows.
    pub(in super::super) taps: &'a [isize],
    /// `[tile of columns][tap][line][pair of channels]`.
    pub(in super::super) weights: &'a [Line],
    /// Number of columns, a multiple of [`TILE`].
    pub(in super::super) columns: usize,
    /// `[block][row][column]`.
    pub(in super::super) out: &'a mut [f32],
}
