//! AMX: products of tiles, of sixteen rows of numbers with as many columns of weights, in
//! one instruction. Numbers are bfloat16, sums single precision (Intel, "Intel 64 and IA-32
//! Architectures Software Developer's Manual", volume 1, chapter 18).

use super::super::tiles::{BLOCK, Line, Product, TILE};
use super::{Avx512, Simd};
use std::arch::asm;
use std::arch::x86_64::__cpuid_count;
use std::mem::offset_of;
use std::sync::OnceLock;

/// Proves that the processor has AMX for bfloat16, AVX-512 F and AVX-512 BF16, and that the
/// system lets this process use them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amx(Avx512);

/// What LDTILECFG loads: all eight tiles have sixteen rows of 64 bytes.
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

/// What the loops below need beside registers.
#[repr(C)]
struct Loops {
    config: *const Config,
    input: *const Line,
    /// Of the first row of the lower tile, seen from the upper one.
    lower: usize,
    steps: usize,
    blocks: *const usize,
    blocks_end: *const usize,
    places: *const isize,
    places_end: *const isize,
    /// The weights and the sums of the columns at work.
    weights: *const Line,
    out: *mut f32,
    /// Pairs of tiles of columns that are left.
    pairs: usize,
}

/// The products of one line of each row, and on to the next; the zero flag is set
/// after the last line.
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

/// Ask for the weights of a step that is eight steps away: with every second line of the
/// cache comes the other.
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
    /// What the makers call it.
    pub const NAME: &'static str = "AMX";

    /// The token, if processor and system have it.
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

    /// The proof that it has AVX-512 F.
    pub fn vectors(self) -> Avx512 {
        self.0
    }

    /// Take a product: see [`Product`].
    ///
    /// # Panics
    /// If a slice is too short.
    pub(in super::super) fn multiply(self, product: Product<'_>) {
        let Product {
            input,
            steps,
            blocks,
            places,
            weights,
            columns,
            out,
        } = product;
        let rows = |of: fn(isize, isize) -> isize| {
            let block = blocks.iter().map(|&b| b as isize).reduce(of);
            Some(block? + places.iter().copied().reduce(of)?)
        };
        let (Some(first), Some(last)) = (rows(isize::min), rows(isize::max)) else {
            return;
        };
        let end = (last + BLOCK as isize) as usize;
        assert!(first >= 0 && end * steps <= input.len(), "rows beyond");
        assert!(steps > 0 && columns.is_multiple_of(2 * TILE) && columns > 0);
        assert!(weights.len() == columns / TILE * places.len() * steps * TILE);
        assert!(out.len() >= blocks.len() * BLOCK * columns, "sums beyond");
        let stride = steps * size_of::<Line>();
        let mut loops = Loops {
            config: &raw const CONFIG,
            input: input.as_ptr(),
            lower: TILE * stride,
            steps,
            blocks: blocks.as_ptr(),
            blocks_end: blocks.as_ptr_range().end,
            places: places.as_ptr(),
            places_end: places.as_ptr_range().end,
            weights: weights.as_ptr(),
            out: out.as_mut_ptr(),
            pairs: columns / (2 * TILE),
        };
        // SAFETY: the token proves that there are tiles, and that the system keeps them for
        // this process. A block reads `BLOCK` rows from (block + place) · steps on, all of
        // them within `input` as the first two assertions say; the weights are read once
        // each for a block, in their order, and there are as many as the third says; sums
        // go to `BLOCK` rows of `columns` for each block, which the last says there are.
        // Nothing but the sums and `loops` is written, the stack is not used, and the tiles
        // are released: the next to use them configures them anew.
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
                "mov {place}, [{loops} + {PLACES}]",
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                // Places of the filter.
                "4:",
                "mov {a}, [{block}]",
                "add {a}, [{place}]",
                "imul {a}, {stride}",
                "add {a}, [{loops} + {INPUT}]",
                "mov {b}, {a}",
                "add {b}, [{loops} + {LOWER}]",
                "mov {step}, [{loops} + {STEPS}]",
                // Channels of the input, as many as a row of a tile holds. The first block
                // also asks for the weights that come after.
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
                "add {place}, 8",
                "cmp {place}, [{loops} + {PLACES_END}]",
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
                place = out(reg) _,
                step = out(reg) _,
                CONFIG = const offset_of!(Loops, config),
                INPUT = const offset_of!(Loops, input),
                LOWER = const offset_of!(Loops, lower),
                STEPS = const offset_of!(Loops, steps),
                BLOCKS = const offset_of!(Loops, blocks),
                BLOCKS_END = const offset_of!(Loops, blocks_end),
                PLACES = const offset_of!(Loops, places),
                PLACES_END = const offset_of!(Loops, places_end),
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

/// The extensions that CPUID names in EDX of leaf 7.
#[allow(unused_unsafe, reason = "a safe function in newer versions of Rust")]
fn features() -> u32 {
    // SAFETY: a processor with AVX-512 has CPUID and this leaf.
    unsafe { __cpuid_count(7, 0).edx }
}

/// Ask Linux for the tiles: they are kept for a process only if it has asked.
fn permitted() -> bool {
    const ARCH_PRCTL: isize = 158;
    const ARCH_REQ_XCOMP_PERM: usize = 0x1023;
    const XTILEDATA: usize = 18;
    let answer: isize;
    // SAFETY: a system call that writes no memory of the process; beside its result it
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
