//! AMX: one instruction multiplies tiles, sixteen rows of numbers by sixteen columns of
//! weights. Numbers are bfloat16, sums single precision (Intel, "Intel 64 and IA-32
//! Architectures Software Developer's Manual", volume 1, chapter 18).

use super::super::tiles::{BLOCK, Line, Product, TILE};
use super::{Avx512, Simd};
use std::arch::asm;
use std::arch::x86_64::__cpuid_count;
use std::mem::offset_of;
use std::sync::OnceLock;

/// Proves that the processor has AMX for bfloat16, AVX-512 F and AVX-512 BF16, and that the
/// operating system lets this process use them.
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
    /// Distance in bytes from the upper tile's first row to the lower tile's.
    lower: usize,
    steps: usize,
    blocks: *const usize,
    blocks_end: *const usize,
    taps: *const isize,
    taps_end: *const isize,
    /// Weights and sums of the current columns.
    weights: *const Line,
    out: *mut f32,
    /// Remaining pairs of tiles of columns.
    pairs: usize,
}

/// Multiply one line of each row and advance to the next; the zero flag is set after the
/// last line.
macro_rules! step {
    () => {
        "tileloadd tmm4, [{a} + {stride}]
        tileloadd tmm6, [{weights} + {line}]
        tileloadd tmm7, [{weights} + {line} + 1024]
        tdpbf16ps tmm0, tmm4, tmm6
        tdpbf16ps tmm1, tmm4, tmm7
        tileloadd tmm5, [{b} + {stride}]
        tdpbf16ps tmm2, tmm5, tmm6
        tdpbf16ps tmm3, tmm5, tmm7
        add {a}, 64
        add {b}, 64
        add {weights}, 2048
        dec {step}"
    };
}

/// Prefetch the weights of the step eight steps ahead. Fetching every second cache line
/// also brings the line after it.
macro_rules! prefetch {
    () => {
        "prefetcht1 [{weights} + 16384]
        prefetcht1 [{weights} + 16512]
        prefetcht1 [{weights} + 16640]
        prefetcht1 [{weights} + 16768]
        prefetcht1 [{weights} + 16896]
        prefetcht1 [{weights} + 17024]
        prefetcht1 [{weights} + 17152]
        prefetcht1 [{weights} + 17280]
        prefetcht1 [{weights} + 17408]
        prefetcht1 [{weights} + 17536]
        prefetcht1 [{weights} + 17664]
        prefetcht1 [{weights} + 17792]
        prefetcht1 [{weights} + 17920]
        prefetcht1 [{weights} + 18048]
        prefetcht1 [{weights} + 18176]
        prefetcht1 [{weights} + 18304]"
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
            is_x86_feature_detected!("avx512bf16")
                && features() & (bfloat16 | tiles) == bfloat16 | tiles
                && permitted()
        });
        found.then_some(Amx(vectors))
    }

    /// The token for AVX-512 F.
    pub fn vectors(self) -> Avx512 {
        self.0
    }

    /// Compute a tile product: see [`Product`].
    ///
    /// # Panics
    /// If a slice is too short.
    pub(in super::super) fn multiply(self, product: Product<'_>) {
        let Product {
            input,
            steps,
            blocks,
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
        let end = (last + BLOCK as isize) as usize;
        assert!(
            first >= 0 && end * steps <= input.len(),
            "rows out of bounds"
        );
        assert!(steps > 0 && columns.is_multiple_of(2 * TILE) && columns > 0);
        assert!(weights.len() == columns / TILE * taps.len() * steps * TILE);
        assert!(
            out.len() >= blocks.len() * BLOCK * columns,
            "sums out of bounds"
        );
        let stride = steps * size_of::<Line>();
        let mut loops = Loops {
            config: &raw const CONFIG,
            input: input.as_ptr(),
            lower: TILE * stride,
            steps,
            blocks: blocks.as_ptr(),
            blocks_end: blocks.as_ptr_range().end,
            taps: taps.as_ptr(),
            taps_end: taps.as_ptr_range().end,
            weights: weights.as_ptr(),
            out: out.as_mut_ptr(),
            pairs: columns / (2 * TILE),
        };
        // SAFETY: the token proves that the processor has tiles, and that the operating system
        // preserves them for this process. A block reads `BLOCK` rows from line
        // (block + tap) · steps on, all within `input` by the first two assertions. Each block
        // reads the pair's weights once, in order, and the third assertion gives their number.
        // Each block writes `BLOCK` rows of `columns` sums, which fit in `out` by the last
        // assertion. Only the sums and `loops` are written, the stack is not used, and the
        // tiles are released: the next user configures them again.
        unsafe {
            asm!(
                "mov {a}, [{loops} + {CONFIG}]",
                "ldtilecfg [{a}]",
                // Columns, two tiles at a time.
                "2:",
                "mov {block}, [{loops} + {BLOCKS}]",
                "mov {out}, [{loops} + {OUT}]",
                // Blocks of rows, two tiles each.
                "3:",
                "mov {weights}, [{loops} + {WEIGHTS}]",
                "mov {tap}, [{loops} + {TAPS}]",
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                // Taps of the filter.
                "4:",
                "mov {a}, [{block}]",
                "add {a}, [{tap}]",
                "imul {a}, {stride}",
                "add {a}, [{loops} + {INPUT}]",
                "mov {b}, {a}",
                "add {b}, [{loops} + {LOWER}]",
                "mov {step}, [{loops} + {STEPS}]",
                // Channels of the input, as many as fit in a row of a tile. The first block also
                // prefetches weights.
                "cmp {block}, [{loops} + {BLOCKS}]",
                "jne 6f",
                "5:",
                prefetch!(),
                step!(),
                "jnz 5b",
                "jmp 7f",
                "6:",
                step!(),
                "jnz 6b",
                "7:",
                "add {tap}, 8",
                "cmp {tap}, [{loops} + {TAPS_END}]",
                "jne 4b",
                "mov {b}, {sums}",
                "shl {b}, 4",
                "tilestored [{out} + {sums}], tmm0",
                "tilestored [{out} + {sums} + 64], tmm1",
                "add {out}, {b}",
                "tilestored [{out} + {sums}], tmm2",
                "tilestored [{out} + {sums} + 64], tmm3",
                "add {out}, {b}",
                "add {block}, 8",
                "cmp {block}, [{loops} + {BLOCKS_END}]",
                "jne 3b",
                "mov [{loops} + {WEIGHTS}], {weights}",
                "add qword ptr [{loops} + {OUT}], 128",
                "dec qword ptr [{loops} + {PAIRS}]",
                "jnz 2b",
                "tilerelease",
                loops = in(reg) &raw mut loops,
                stride = in(reg) stride,
                sums = in(reg) columns * size_of::<f32>(),
                line = in(reg) size_of::<Line>(),
                a = out(reg) _,
                b = out(reg) _,
                weights = out(reg) _,
                out = out(reg) _,
                block = out(reg) _,
                tap = out(reg) _,
                step = out(reg) _,
                CONFIG = const offset_of!(Loops, config),
                INPUT = const offset_of!(Loops, input),
                LOWER = const offset_of!(Loops, lower),
                STEPS = const offset_of!(Loops, steps),
                BLOCKS = const offset_of!(Loops, blocks),
                BLOCKS_END = const offset_of!(Loops, blocks_end),
                TAPS = const offset_of!(Loops, taps),
                TAPS_END = const offset_of!(Loops, taps_end),
                WEIGHTS = const offset_of!(Loops, weights),
                OUT = const offset_of!(Loops, out),
                PAIRS = const offset_of!(Loops, pairs),
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack),
            );
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
    // SAFETY: the system call writes no memory of the process; besides its result it
    // changes the two registers named.
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
