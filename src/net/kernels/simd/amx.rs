//! AMX: one instruction multiplies tiles, sixteen rows of numbers by sixteen columns of
//! weights. Numbers are bfloat16, sums single precision (Intel, "Intel 64 and IA-32
//! Architectures Software Developer's Manual", volume 1, chapter 18).

use super::{Avx512, Line, MOST_TILES, Simd, TILE, TileProduct};
use std::arch::asm;
use std::arch::x86_64::__cpuid_count;
use std::mem::offset_of;
use std::sync::OnceLock;

/// Proves that the processor has AMX for bfloat16 and AVX-512 F, and that the operating system lets
/// this process use them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amx(Avx512);

/// Operand of LDTILECFG: all eight tiles have sixteen rows of 64 bytes.
#[repr(C, align(64))]
struct Config {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    bytes: [u16; 16],
    rows: [u8; 16],
}

static CONFIG: Config = Config {
    palette: 1,
    start_row: 0,
    reserved: [0; 14],
    bytes: [64, 64, 64, 64, 64, 64, 64, 64, 0, 0, 0, 0, 0, 0, 0, 0],
    rows: [16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0],
};

/// Parameters of the loops below that are not in registers.
#[repr(C)]
struct Loops {
    config: *const Config,
    input: *const Line,
    /// Distance in bytes between the first rows of two tiles of a block.
    lower: usize,
    steps: usize,
    /// The current block.
    block: *const usize,
    blocks: *const usize,
    blocks_end: *const usize,
    taps: *const isize,
    taps_end: *const isize,
    /// Weights and sums of the current columns.
    weights: *const Line,
    out: *mut f32,
    /// Bytes of weights of a tile of columns.
    panel: usize,
    /// Remaining tiles of columns.
    panels: usize,
    /// Cache lines of the next columns' weights to prefetch per step.
    fetched: usize,
}

/// Multiply a line of each row in a tile, in `$rows`, by the weights in tmm6, and advance to the
/// rows of the next tile.
macro_rules! multiply {
    ($sums:literal, $rows:literal) => {
        concat!(
            "tileloadd ",
            $rows,
            ", [{b} + {stride}]\n",
            "tdpbf16ps ",
            $sums,
            ", ",
            $rows,
            ", tmm6\n",
            "add {b}, [{loops} + {LOWER}]",
        )
    };
}

/// Write the sums of a tile and advance to the rows of the next one.
macro_rules! store {
    ($sums:literal) => {
        concat!("tilestored [{out} + {sums}], ", $sums, "\nadd {out}, {b}")
    };
}

/// Run the loops for blocks of one tile per listed pair of registers: that of its sums and that of
/// its rows. Neighbouring tiles have different registers for rows while there are enough.
macro_rules! run {
    ($loops:expr, $stride:expr, $columns:expr; $($sums:literal $rows:literal),*) => {
        asm!(
            "mov {a}, [{loops} + {CONFIG}]",
            "ldtilecfg [{a}]",
            // Columns, a tile at a time. The weights of the next columns are prefetched meanwhile.
            "2:",
            "mov {ahead}, [{loops} + {WEIGHTS}]",
            "add {ahead}, [{loops} + {PANEL}]",
            "mov {a}, [{loops} + {BLOCKS}]",
            "mov [{loops} + {BLOCK}], {a}",
            "mov {out}, [{loops} + {OUT}]",
            // Blocks of rows.
            "3:",
            "mov {weights}, [{loops} + {WEIGHTS}]",
            "mov {tap}, [{loops} + {TAPS}]",
            $(concat!("tilezero ", $sums),)*
            // Taps of the filter.
            "4:",
            "mov {a}, [{loops} + {BLOCK}]",
            "mov {a}, [{a}]",
            "add {a}, [{tap}]",
            "imul {a}, {stride}",
            "add {a}, [{loops} + {INPUT}]",
            "mov {step}, [{loops} + {STEPS}]",
            // Channels of the input, as many as fit in a row of a tile.
            "5:",
            "mov {b}, [{loops} + {FETCHED}]",
            "6:",
            "prefetcht1 [{ahead}]",
            "add {ahead}, 64",
            "dec {b}",
            "jnz 6b",
            "tileloadd tmm6, [{weights} + {line}]",
            "mov {b}, {a}",
            $(multiply!($sums, $rows),)*
            "add {a}, 64",
            "add {weights}, 1024",
            "dec {step}",
            "jnz 5b",
            "add {tap}, 8",
            "cmp {tap}, [{loops} + {TAPS_END}]",
            "jne 4b",
            "mov {b}, {sums}",
            "shl {b}, 4",
            $(store!($sums),)*
            "mov {a}, [{loops} + {BLOCK}]",
            "add {a}, 8",
            "mov [{loops} + {BLOCK}], {a}",
            "cmp {a}, [{loops} + {BLOCKS_END}]",
            "jne 3b",
            "mov [{loops} + {WEIGHTS}], {weights}",
            "add qword ptr [{loops} + {OUT}], 64",
            "dec qword ptr [{loops} + {PANELS}]",
            "jnz 2b",
            "tilerelease",
            loops = in(reg) $loops,
            stride = in(reg) $stride,
            sums = in(reg) $columns * size_of::<f32>(),
            line = in(reg) size_of::<Line>(),
            a = out(reg) _,
            b = out(reg) _,
            ahead = out(reg) _,
            weights = out(reg) _,
            out = out(reg) _,
            tap = out(reg) _,
            step = out(reg) _,
            CONFIG = const offset_of!(Loops, config),
            INPUT = const offset_of!(Loops, input),
            LOWER = const offset_of!(Loops, lower),
            STEPS = const offset_of!(Loops, steps),
            BLOCK = const offset_of!(Loops, block),
            BLOCKS = const offset_of!(Loops, blocks),
            BLOCKS_END = const offset_of!(Loops, blocks_end),
            TAPS = const offset_of!(Loops, taps),
            TAPS_END = const offset_of!(Loops, taps_end),
            WEIGHTS = const offset_of!(Loops, weights),
            OUT = const offset_of!(Loops, out),
            PANEL = const offset_of!(Loops, panel),
            PANELS = const offset_of!(Loops, panels),
            FETCHED = const offset_of!(Loops, fetched),
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        )
    };
}

impl Amx {
    /// Name used by the vendor.
    pub const NAME: &'static str = "AMX";

    /// Return the token if the processor and the operating system support it.
    pub fn detect() -> Option<Amx> {
        static FOUND: OnceLock<bool> = OnceLock::new();
        let vectors = Avx512::detect()?;
        let found = *FOUND.get_or_init(|| {
            let [bfloat16, tiles] = [1 << 22, 1 << 24];
            features() & (bfloat16 | tiles) == bfloat16 | tiles && permitted()
        });
        found.then_some(Amx(vectors))
    }

    /// The token for AVX-512 F.
    pub fn vectors(self) -> Avx512 {
        self.0
    }

    /// Compute a tile product: see [`TileProduct`].
    ///
    /// # Panics
    /// If a slice is too short, or a block has no tiles or more than [`MOST_TILES`].
    pub(in super::super) fn multiply(self, product: TileProduct<'_>) {
        let TileProduct {
            input,
            steps,
            blocks,
            tiles,
            taps,
            weights,
            columns,
            out,
        } = product;
        let rows = |of: fn(isize, isize) -> isize| {
            let block = blocks.iter().map(|&b| b as isize).reduce(of);
            Some(block? + taps.iter().copied().reduce(of)?)
        };
        let (Some(first), Some(last)) = (rows(isize::min), rows(isize::max)) else {
            return;
        };
        assert!(0 < tiles && tiles <= MOST_TILES, "blocks of {tiles} tiles");
        assert!(steps > 0 && columns.is_multiple_of(TILE) && columns > 0);
        // Divisions cannot overflow.
        let end = last as usize + tiles * TILE;
        assert!(
            first >= 0 && last >= 0 && end <= input.len() / steps,
            "rows out of bounds"
        );
        let panels = columns / TILE;
        let panel = weights.len() / panels;
        assert!(
            weights.len().is_multiple_of(panels)
                && panel.is_multiple_of(steps * TILE)
                && panel / (steps * TILE) == taps.len(),
            "{} weights",
            weights.len()
        );
        assert!(
            out.len() / columns / TILE / tiles >= blocks.len(),
            "sums out of bounds"
        );
        let stride = steps * size_of::<Line>();
        let mut loops = Loops {
            config: &raw const CONFIG,
            input: input.as_ptr(),
            lower: TILE * stride,
            steps,
            block: blocks.as_ptr(),
            blocks: blocks.as_ptr(),
            blocks_end: blocks.as_ptr_range().end,
            taps: taps.as_ptr(),
            taps_end: taps.as_ptr_range().end,
            weights: weights.as_ptr(),
            out: out.as_mut_ptr(),
            panel: panel * size_of::<Line>(),
            panels,
            fetched: TILE.div_ceil(blocks.len()),
        };
        let all = &raw mut loops;
        // SAFETY: the token proves that the processor has tiles, and that the operating system
        // preserves them for this process. A block reads `tiles` times `TILE` rows from line
        // (block + tap) · steps on, all within `input`. Each block reads the weights of its columns
        // once, in order, and their number fits. Steps, columns, tiles, blocks and taps are not 0, so
        // every loop runs at least once. Each block writes its rows of `columns` sums, which fit in
        // `out`. All this is asserted. What is
        // prefetched need not exist. Only the sums and `loops` are written, the stack is not used,
        // and the tiles are released: the next user configures them again.
        unsafe {
            match tiles {
                1 => run!(all, stride, columns; "tmm0" "tmm7"),
                2 => run!(all, stride, columns; "tmm0" "tmm7", "tmm1" "tmm5"),
                3 => run!(all, stride, columns; "tmm0" "tmm7", "tmm1" "tmm5", "tmm2" "tmm4"),
                4 => {
                    run!(all, stride, columns; "tmm0" "tmm7", "tmm1" "tmm5", "tmm2" "tmm7", "tmm3" "tmm5")
                }
                5 => {
                    run!(all, stride, columns; "tmm0" "tmm7", "tmm1" "tmm5", "tmm2" "tmm7", "tmm3" "tmm5", "tmm4" "tmm7")
                }
                _ => {
                    run!(all, stride, columns; "tmm0" "tmm7", "tmm1" "tmm7", "tmm2" "tmm7", "tmm3" "tmm7", "tmm4" "tmm7", "tmm5" "tmm7")
                }
            }
        }
    }
}

/// Return the extensions that CPUID lists in EDX of leaf 7.
#[allow(unused_unsafe, reason = "a safe function in newer versions of Rust")]
fn features() -> u32 {
    // SAFETY: a processor with AVX-512 has CPUID and this leaf.
    unsafe { __cpuid_count(7, 0).edx }
}

/// Ask Linux for permission to use tiles: it preserves them only for processes that ask.
fn permitted() -> bool {
    const ARCH_PRCTL: isize = 158;
    const ARCH_REQ_XCOMP_PERM: usize = 0x1023;
    const XTILEDATA: usize = 18;
    let answer: isize;
    // SAFETY: the system call writes no memory of the process; it changes only its result and the
    // two registers named.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") ARCH_PRCTL => answer,
            in("rdi") ARCH_REQ_XCOMP_PERM,
            in("rsi") XTILEDATA,
            out("rcx") _,
            out("r11") _,
            options(nostack),
        );
    }
    answer == 0
}
