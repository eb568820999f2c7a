//! Instruction sets as tokens.
//!
//! A token is a value of size zero. Only detection creates one ([`Portable`] needs none), so a token
//! proves that the processor has the instruction set. Tokens for vectors implement [`Simd`];
//! [`Bf16`], [`Amx`] and the tokens in [`Int16`] hold one of these and add their products. A
//! [`Vector`] comes from a token or from other vectors, so it proves the same. Therefore the
//! operations below are safe, and so is every kernel written with them.
//!
//! To add an instruction set, add a file that invokes `define_token!`, a variant of
//! [`InstructionSet`], and its lines in `with_token!` and [`InstructionSet::available`].
#![allow(unsafe_code, reason = "intrinsics; each block has its proof")]

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod amx;
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
#[path = "no_amx.rs"]
mod amx;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
#[path = "avx512bf16.rs"]
mod bfloat16;
#[cfg(target_arch = "aarch64")]
#[path = "neonbf16.rs"]
mod bfloat16;
#[cfg(target_arch = "x86_64")]
mod int16;
#[cfg(not(target_arch = "x86_64"))]
mod missing;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
mod product;
#[cfg(target_feature = "simd128")]
mod simd128;

pub use amx::Amx;
#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub use avx512::Avx512;
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
pub use bfloat16::Bf16;
#[cfg(target_arch = "x86_64")]
pub(in crate::net) use int16::with_int16;
#[cfg(target_arch = "x86_64")]
pub use int16::{Avx2Int16, Avx512Vnni, AvxVnni, Int16};
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
pub use missing::Missing as Bf16;
#[cfg(not(target_arch = "x86_64"))]
pub use missing::Missing as Int16;
#[cfg(not(target_arch = "x86_64"))]
pub(in crate::net) use missing::with_int16;
#[cfg(target_arch = "aarch64")]
pub use neon::Neon;
pub use portable::Portable;
pub use product::Line;
pub(super) use product::{MOST_TILES, TILE, TileProduct};
#[cfg(target_feature = "simd128")]
pub use simd128::Simd128;

use crate::net::Activation;
use half::bf16;
use std::fmt::Debug;

/// A token that proves that the processor has an instruction set.
pub trait Simd: Copy + Debug + Send + Sync + 'static {
    /// A register of `LANES` numbers.
    type Vector: Vector<Lanes = Self::Lanes>;
    /// A vector in memory: an array of `LANES` numbers.
    type Lanes: Copy + Default + AsRef<[f32]> + AsMut<[f32]>;
    /// `LANES` pairs of quantized weights in memory, an `i32` each: an array.
    type WeightPairs;
    /// Number of `f32` in a register.
    const LANES: usize;
    /// Rows per block of the matrix product, by the number of vectors in a row of a panel (1 to 3):
    /// as many as keep all sums in registers. Entry 0 is unused.
    const ROWS: [usize; 4];
    /// Does multiplying by one lane cost no more than multiplying by a whole register? Then the
    /// matrix product loads four inputs of a row at once, instead of repeating each in a register.
    const BY_LANE: bool = false;
    /// Name of the instruction set.
    const NAME: &'static str;

    /// Return the token if the processor has the instruction set.
    fn detect() -> Option<Self>;

    /// Run a kernel compiled for the instruction set. The closure and everything it calls must
    /// be marked `#[inline(always)]`: only inlined code is compiled for the instruction set.
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R;

    /// Set every lane to `x`.
    fn splat(self, x: f32) -> Self::Vector;

    /// Load a vector from memory.
    fn load(self, from: &Self::Lanes) -> Self::Vector;

    /// Load four numbers into the first four lanes; the other lanes are unspecified.
    #[inline(always)]
    fn load_four(self, from: &[f32; 4]) -> Self::Vector {
        let mut lanes = Self::Lanes::default();
        lanes.as_mut()[..4].copy_from_slice(from);
        self.load(&lanes)
    }

    /// Widen pairs of quantized weights ([`Quantized`](super::Quantized)): convert the integers to
    /// floats, and their lower halves, read as signed 16-bit integers, to floats times 2¹⁶.
    fn widen(self, from: &Self::WeightPairs) -> [Self::Vector; 2];

    /// Split into arrays of pairs, dropping the remainder.
    fn weight_pairs(numbers: &[i32]) -> &[Self::WeightPairs];

    /// Split into vectors, dropping the remainder.
    fn lanes(numbers: &[f32]) -> &[Self::Lanes];

    /// Split into vectors, dropping the remainder.
    fn lanes_mut(numbers: &mut [f32]) -> &mut [Self::Lanes];

    /// Prefetch into the second-level cache; any address is allowed.
    #[inline(always)]
    fn prefetch(self, _at: *const u8) {}
}

/// A register of `f32`. Operations are lane by lane.
pub trait Vector: Copy {
    /// A vector in memory.
    type Lanes: Default + AsRef<[f32]>;

    /// Set every lane to `x`. `self` only proves that the processor has the instruction set.
    fn splat(self, x: f32) -> Self;
    /// Write the vector to memory.
    fn store(self, to: &mut Self::Lanes);
    /// Write the numbers to the start of a slice, rounded to the nearest bfloat16, ties to
    /// even. NaN may become infinite or 0.
    ///
    /// # Panics
    /// If the slice is too short.
    fn store_rounded(self, to: &mut [bf16]);
    /// `self` + `other`.
    fn add(self, other: Self) -> Self;
    /// `self` − `other`.
    fn sub(self, other: Self) -> Self;
    /// `self` · `other`.
    fn mul(self, other: Self) -> Self;
    /// `self` / `other`.
    fn div(self, other: Self) -> Self;
    /// `self` · `a` + `b`, rounded only once if the instruction set supports that.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// `self` · lane `N` of `a` + `b`; `N` is below 4.
    #[inline(always)]
    fn mul_add_lane<const N: i32>(self, a: Self, b: Self) -> Self {
        let mut lanes = Self::Lanes::default();
        a.store(&mut lanes);
        self.mul_add(self.splat(lanes.as_ref()[N as usize]), b)
    }
    /// The larger of the two.
    fn max(self, other: Self) -> Self;
    /// The smaller of the two.
    fn min(self, other: Self) -> Self;
    /// Round to the nearest integer; the numbers are at most 2²².
    fn round(self) -> Self;
    /// `self` · 2ⁿ, where `n` holds integers from −126 to 127.
    fn scale(self, n: Self) -> Self;

    /// Fold the lanes from first to last.
    #[inline(always)]
    fn fold(self, f: impl Fn(f32, f32) -> f32) -> f32 {
        let mut lanes = Self::Lanes::default();
        self.store(&mut lanes);
        let lanes = lanes.as_ref();
        lanes[1..].iter().fold(lanes[0], |a, &b| f(a, b))
    }

    /// Sum the lanes from first to last.
    #[inline(always)]
    fn sum(self) -> f32 {
        self.fold(|a, b| a + b)
    }

    /// Return the largest lane.
    #[inline(always)]
    fn largest(self) -> f32 {
        self.fold(f32::max)
    }

    /// `eˣ` to within 2 units in the last place; x is clamped to the range from −87 to 88.
    ///
    /// Decomposes x = n·ln 2 + r with |r| ≤ ln 2 / 2, and uses Cephes' polynomial (Moshier)
    /// for eʳ.
    #[inline(always)]
    fn exp(self) -> Self {
        let c = self;
        let x = self.max(c.splat(-87.0)).min(c.splat(88.0));
        let n = x.mul(c.splat(std::f32::consts::LOG2_E)).round();
        let r = n.mul_add(c.splat(-0.693_359_4), x);
        let r = n.mul_add(c.splat(2.121_944_4e-4), r);
        let p = c.splat(1.987_569_1e-4);
        let p = p.mul_add(r, c.splat(1.398_199_9e-3));
        let p = p.mul_add(r, c.splat(8.333_452e-3));
        let p = p.mul_add(r, c.splat(4.166_579_6e-2));
        let p = p.mul_add(r, c.splat(0.166_666_65));
        let p = p.mul_add(r, c.splat(0.5));
        let e = p.mul_add(r.mul(r), r).add(c.splat(1.0));
        e.scale(n)
    }

    /// Apply an activation function.
    ///
    /// Mish (Misra 2019) is x · tanh(ln(1 + eˣ)) = x · q / (q + 2) with
    /// q = eˣ · (eˣ + 2).
    #[inline(always)]
    fn activate(self, function: Activation) -> Self {
        match function {
            Activation::Identity => self,
            Activation::Relu => self.max(self.splat(0.0)),
            Activation::Mish => {
                // Above 20, Mish is x itself, and e²ˣ would overflow.
                let two = self.splat(2.0);
                let e = self.min(self.splat(20.0)).exp();
                let q = e.mul(e.add(two));
                self.mul(q.div(q.add(two)))
            }
            Activation::Silu => {
                let e = self.splat(0.0).sub(self).exp();
                self.div(e.add(self.splat(1.0)))
            }
        }
    }
}

/// Arithmetic of a matrix product: inputs and weights in single precision or bfloat16 with sums in
/// single precision, or inputs and weights in 16-bit integers with 32-bit sums. Each lane of a
/// vector of sums is a column of the weights, so an output.
pub trait Arithmetic: Copy {
    /// The token for vectors of sums.
    type Simd: Simd;
    /// An element of an input row or of a column of weights, which holds [`Arithmetic::INPUTS`]
    /// numbers.
    type Element: Copy + Default;
    /// The elements of as many inputs as a vector of sums has lanes: an array.
    type ElementVector;
    /// An element of weights for each lane of a vector of sums: an array.
    type Weights: Copy;
    /// A register of elements.
    type Register: Copy;
    /// Numbers per element: 1 in single precision, otherwise 2.
    const INPUTS: usize;
    /// See [`Simd::ROWS`].
    const ROWS: [usize; 4] = Self::Simd::ROWS;
    /// See [`Simd::BY_LANE`].
    const BY_LANE: bool = false;
    /// Does one operation work on two rows and on two columns, adding the products of two
    /// successive elements to all four sums? Then a vector of sums holds half of the columns for
    /// both rows.
    const BY_ROW_PAIR: bool = false;
    /// Are inputs, weights and sums integers? Then each row of inputs and each column of weights is
    /// scaled to them, and [`Arithmetic::to_single`] converts the sums.
    const INTEGERS: bool = false;

    /// The token for vectors of sums.
    fn vectors(self) -> Self::Simd;

    /// See [`Simd::vectorize`].
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R;

    /// Split an input row, dropping the remainder.
    fn element_vectors(numbers: &mut [Self::Element]) -> &mut [Self::ElementVector];

    /// Split weights, dropping the remainder.
    fn weight_vectors(weights: &[Self::Element]) -> &[Self::Weights];

    /// Number of elements in a column of packed weights; the numbers beyond `inputs` are 0.
    #[inline(always)]
    fn elements_per_column(inputs: usize) -> usize {
        inputs.div_ceil(Self::INPUTS)
    }

    /// Position of an element of a column in the packed weights of a panel of `columns` columns.
    fn place(element: usize, column: usize, columns: usize) -> usize {
        element * columns + column
    }

    /// Write as many inputs as a vector of sums has lanes, rounded if necessary: as integers, times
    /// `factor`, which leaves them from −32767 to 32767.
    fn write(
        self,
        inputs: <Self::Simd as Simd>::Vector,
        factor: <Self::Simd as Simd>::Vector,
        to: &mut Self::ElementVector,
    );

    /// Repeat an element of an input row in every lane.
    fn repeat(self, element: Self::Element) -> Self::Register;

    /// See [`Simd::load_four`]; called only if [`Arithmetic::BY_LANE`].
    #[inline(always)]
    fn load_four(self, elements: &[Self::Element; 4]) -> Self::Register {
        debug_assert!(false, "these products are not by lane");
        self.repeat(elements[0])
    }

    /// Load two successive elements of each of two rows; called only if
    /// [`Arithmetic::BY_ROW_PAIR`].
    #[inline(always)]
    fn load_row_pair(self, rows: [&[Self::Element; 2]; 2]) -> Self::Register {
        debug_assert!(false, "these products are not by row pair");
        self.repeat(rows[0][0])
    }

    /// Load weights from memory.
    fn load(self, weights: &Self::Weights) -> Self::Register;

    /// Widen quantized weights, see [`Simd::widen`]; called only in single precision.
    #[inline(always)]
    fn widen(self, _from: &<Self::Simd as Simd>::WeightPairs, _to: [&mut Self::Weights; 2]) {
        debug_assert!(false, "these weights are not quantized");
    }

    /// Add the products of inputs and weights to `sum`, lane by lane.
    fn add_products(
        self,
        sum: <Self::Simd as Simd>::Vector,
        inputs: Self::Register,
        weights: Self::Register,
    ) -> <Self::Simd as Simd>::Vector;

    /// Convert sums to single precision.
    #[inline(always)]
    fn to_single(self, sums: <Self::Simd as Simd>::Vector) -> <Self::Simd as Simd>::Vector {
        sums
    }

    /// Add the products of lane `N` of the inputs and all weights to `sum`; called only if
    /// [`Arithmetic::BY_LANE`].
    #[inline(always)]
    fn add_products_by_lane<const N: i32>(
        self,
        sum: <Self::Simd as Simd>::Vector,
        _inputs: Self::Register,
        _weights: Self::Register,
    ) -> <Self::Simd as Simd>::Vector {
        debug_assert!(false, "these products are not by lane");
        sum
    }

    /// Add the products of [two elements of two rows](Arithmetic::load_row_pair) and the weights of
    /// half a vector of columns to `sums`; [`Arithmetic::separate_rows`] orders these at the end.
    /// Called only if [`Arithmetic::BY_ROW_PAIR`].
    #[inline(always)]
    fn add_products_by_row_pair(
        self,
        sums: <Self::Simd as Simd>::Vector,
        _inputs: Self::Register,
        _weights: Self::Register,
    ) -> <Self::Simd as Simd>::Vector {
        debug_assert!(false, "these products are not by row pair");
        sums
    }

    /// Return the sums of each of two rows, given those of both rows in each half of a vector of
    /// columns. Called only if [`Arithmetic::BY_ROW_PAIR`].
    #[inline(always)]
    fn separate_rows(
        self,
        sums: [<Self::Simd as Simd>::Vector; 2],
    ) -> [<Self::Simd as Simd>::Vector; 2] {
        sums
    }
}

/// Single precision arithmetic.
#[derive(Clone, Copy, Debug)]
pub struct Single<S>(pub S);

impl<S: Simd> Arithmetic for Single<S> {
    type Simd = S;
    type Element = f32;
    type ElementVector = S::Lanes;
    type Weights = S::Lanes;
    type Register = S::Vector;
    const INPUTS: usize = 1;
    const BY_LANE: bool = S::BY_LANE;

    #[inline(always)]
    fn vectors(self) -> S {
        self.0
    }

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        self.0.vectorize(kernel)
    }

    #[inline(always)]
    fn element_vectors(numbers: &mut [f32]) -> &mut [S::Lanes] {
        S::lanes_mut(numbers)
    }

    #[inline(always)]
    fn weight_vectors(weights: &[f32]) -> &[S::Lanes] {
        S::lanes(weights)
    }

    #[inline(always)]
    fn write(self, inputs: S::Vector, _: S::Vector, to: &mut S::Lanes) {
        inputs.store(to);
    }

    #[inline(always)]
    fn repeat(self, number: f32) -> S::Vector {
        self.0.splat(number)
    }

    #[inline(always)]
    fn load_four(self, numbers: &[f32; 4]) -> S::Vector {
        self.0.load_four(numbers)
    }

    #[inline(always)]
    fn load(self, weights: &S::Lanes) -> S::Vector {
        self.0.load(weights)
    }

    #[inline(always)]
    fn widen(self, from: &S::WeightPairs, to: [&mut S::Lanes; 2]) {
        let [first, second] = self.0.widen(from);
        first.store(to[0]);
        second.store(to[1]);
    }

    #[inline(always)]
    fn add_products(self, sum: S::Vector, inputs: S::Vector, weights: S::Vector) -> S::Vector {
        inputs.mul_add(weights, sum)
    }

    #[inline(always)]
    fn add_products_by_lane<const N: i32>(
        self,
        sum: S::Vector,
        inputs: S::Vector,
        weights: S::Vector,
    ) -> S::Vector {
        weights.mul_add_lane::<N>(inputs, sum)
    }
}

/// A token for any of the instruction sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionSet {
    /// Code for every processor.
    Portable(Portable),
    /// NEON.
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
    /// SIMD128 of WebAssembly.
    #[cfg(target_feature = "simd128")]
    Simd128(Simd128),
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// AVX-512 F.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    /// Products of 16-bit integers for 1x1 and 3x3 convolutions, except the first and those that
    /// compute policy and ownership, and for projections and gates of transformers; AVX2 or
    /// AVX-512 F for everything else. After an RMS norm the heads are in single precision. Inputs
    /// and weights of the products are rounded, those of 3x3 filters after their transform.
    Int16(Int16),
    /// AVX-512 BF16 or NEON BF16 for 1x1 and 3x3 convolutions, except the first and those that
    /// compute policy and ownership, and for projections and gates of transformers; AVX-512 F or
    /// NEON for everything else. After an RMS norm the heads are in single precision. The inputs and
    /// weights of the products in bfloat16 are rounded, the weights of 3x3 filters after their
    /// transform.
    Bf16(Bf16),
    /// AMX for convolutions, except those that compute policy and ownership and, after an RMS norm,
    /// all of the heads; AVX-512 F for everything else. Inputs and weights of AMX's products are
    /// rounded to bfloat16.
    Amx(Amx),
}

/// Run the body with the token of an [`InstructionSet`] in a variable of the token's type;
/// the body is compiled for each type.
macro_rules! with_token {
    ($set:expr, $token:ident => $body:expr) => {{
        use $crate::net::kernels::InstructionSet;
        match $set {
            InstructionSet::Portable($token) => $body,
            #[cfg(target_arch = "aarch64")]
            InstructionSet::Neon($token) => $body,
            #[cfg(target_feature = "simd128")]
            InstructionSet::Simd128($token) => $body,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2($token) => $body,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512($token) => $body,
            InstructionSet::Int16(set) => $crate::net::kernels::simd::with_int16!(set, how => {
                let $token = $crate::net::kernels::simd::Arithmetic::vectors(how);
                $body
            }),
            InstructionSet::Bf16(bf16) => {
                let $token = $crate::net::kernels::simd::Arithmetic::vectors(bf16);
                $body
            }
            InstructionSet::Amx(amx) => {
                let $token = amx.vectors();
                $body
            }
        }
    }};
}
pub(in crate::net) use with_token;

impl InstructionSet {
    /// List the instruction sets of this machine, fastest last. The first is
    /// [`InstructionSet::Portable`].
    pub fn available() -> Vec<InstructionSet> {
        #[cfg(target_arch = "x86_64")]
        let int16 = |found: Option<Int16>| found.map(InstructionSet::Int16);
        let sets = [
            Portable::detect().map(InstructionSet::Portable),
            #[cfg(target_arch = "aarch64")]
            Neon::detect().map(InstructionSet::Neon),
            #[cfg(target_feature = "simd128")]
            Simd128::detect().map(InstructionSet::Simd128),
            #[cfg(target_arch = "x86_64")]
            Avx2::detect().map(InstructionSet::Avx2),
            #[cfg(target_arch = "x86_64")]
            int16(Avx2Int16::detect().map(Int16::Avx2)),
            #[cfg(target_arch = "x86_64")]
            int16(AvxVnni::detect().map(Int16::AvxVnni)),
            #[cfg(target_arch = "x86_64")]
            Avx512::detect().map(InstructionSet::Avx512),
            #[cfg(target_arch = "x86_64")]
            int16(Avx512Vnni::detect().map(Int16::Avx512Vnni)),
            Bf16::detect().map(InstructionSet::Bf16),
            Amx::detect().map(InstructionSet::Amx),
        ];
        sets.into_iter().flatten().collect()
    }

    /// Return the fastest instruction set of this machine.
    pub fn best() -> InstructionSet {
        let last = InstructionSet::available().pop();
        last.unwrap_or(InstructionSet::Portable(Portable))
    }

    /// Return the variant of this instruction set without rounding below single precision.
    pub fn single(self) -> InstructionSet {
        match self {
            InstructionSet::Int16(set) => set.single(),
            #[cfg(target_arch = "aarch64")]
            InstructionSet::Bf16(bf16) => InstructionSet::Neon(bf16.vectors()),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Bf16(bf16) => InstructionSet::Avx512(bf16.vectors()),
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            InstructionSet::Amx(amx) => InstructionSet::Avx512(amx.vectors()),
            other => other,
        }
    }

    /// Number of `f32` in a register.
    pub fn lanes(self) -> usize {
        fn of<S: Simd>(_: S) -> usize {
            S::LANES
        }
        with_token!(self, s => of(s))
    }

    /// Name: the vendor's, or Ponnuki's for bfloat16 products.
    pub fn name(self) -> &'static str {
        fn of<S: Simd>(_: S) -> &'static str {
            S::NAME
        }
        match self {
            InstructionSet::Int16(set) => set.name(),
            InstructionSet::Bf16(_) => Bf16::NAME,
            InstructionSet::Amx(_) => Amx::NAME,
            _ => with_token!(self, s => of(s)),
        }
    }
}

/// Define `vectorize` of a token that proves that the processor has these features.
#[cfg(any(
    target_arch = "aarch64",
    target_arch = "x86_64",
    target_feature = "simd128"
))]
macro_rules! vectorize_for {
    ($features:literal) => {
        #[inline(always)]
        fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
            #[target_feature(enable = $features)]
            fn compiled<R>(kernel: impl FnOnce() -> R) -> R {
                kernel()
            }
            // SAFETY: `compiled` needs only the instruction set; the token `self` proves it, since
            // only `detect` creates tokens.
            unsafe { compiled(kernel) }
        }
    };
}
#[cfg(any(
    target_arch = "aarch64",
    target_arch = "x86_64",
    target_feature = "simd128"
))]
use vectorize_for;

/// Define the token, the vector and their operations for an instruction set with
/// intrinsics in `std::arch`.
#[cfg(any(
    target_arch = "aarch64",
    target_arch = "x86_64",
    target_feature = "simd128"
))]
macro_rules! define_token {
    (
        $(#[$doc:meta])*
        $Token:ident = $name:literal, enabled by $features:literal, found by $detect:expr;
        $Vector:ident of $lanes:literal in $Register:ty;
        rows $rows:expr;
        splat $splat:ident, load $load:ident, store $store:ident;
        $(prefetch($at:ident) $prefetch:expr;)?
        $(by_lane of tokens { $($of_tokens:tt)+ } and of vectors { $($of_vectors:tt)+ };)?
        widen($pairs:ident) $widen:expr;
        store_rounded($rounded:ident, $to:ident) $store_rounded:expr;
        $($op:ident($a:ident $(, $b:ident)*) $value:expr;)+
    ) => {
        use super::{Simd, Vector};
        use half::bf16;

        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $Token(());

        #[doc = concat!("A register of ", $lanes, " numbers.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $Vector(pub(super) $Register);

        impl Simd for $Token {
            type Vector = $Vector;
            type Lanes = [f32; $lanes];
            type WeightPairs = [i32; $lanes];
            const LANES: usize = $lanes;
            const ROWS: [usize; 4] = $rows;
            const NAME: &'static str = $name;

            fn detect() -> Option<Self> {
                $detect.then_some($Token(()))
            }

            $crate::net::kernels::simd::vectorize_for!($features);

            #[inline(always)]
            fn splat(self, x: f32) -> $Vector {
                // SAFETY: the intrinsic needs only the instruction set, which the token
                // `self` proves.
                $Vector(unsafe { $splat(x) })
            }

            #[inline(always)]
            fn load(self, from: &[f32; $lanes]) -> $Vector {
                // SAFETY: the intrinsic needs the instruction set, which the token
                // `self` proves, and reads as many numbers as the array has, at any
                // alignment.
                $Vector(unsafe { $load(from.as_ptr()) })
            }

            #[inline(always)]
            fn widen(self, from: &[i32; $lanes]) -> [$Vector; 2] {
                let $pairs = from.as_ptr();
                // SAFETY: the intrinsics need the instruction set, which the token
                // `self` proves, and read as many numbers as the array has, at any
                // alignment.
                let [first, second] = unsafe { $widen };
                [$Vector(first), $Vector(second)]
            }

            #[inline(always)]
            fn weight_pairs(numbers: &[i32]) -> &[[i32; $lanes]] {
                numbers.as_chunks().0
            }

            #[inline(always)]
            fn lanes(numbers: &[f32]) -> &[[f32; $lanes]] {
                numbers.as_chunks().0
            }

            #[inline(always)]
            fn lanes_mut(numbers: &mut [f32]) -> &mut [[f32; $lanes]] {
                numbers.as_chunks_mut().0
            }

            $(
                #[inline(always)]
                fn prefetch(self, $at: *const u8) {
                    // SAFETY: a prefetch reads nothing and cannot fault at any address; the
                    // token `self` proves that the processor has the instruction.
                    unsafe { $prefetch }
                }
            )?

            $($($of_tokens)+)?
        }

        impl Vector for $Vector {
            type Lanes = [f32; $lanes];

            #[inline(always)]
            fn splat(self, x: f32) -> Self {
                // SAFETY: the intrinsic needs only the instruction set; only tokens create
                // vectors such as `self`.
                $Vector(unsafe { $splat(x) })
            }

            #[inline(always)]
            fn store(self, to: &mut [f32; $lanes]) {
                // SAFETY: the intrinsic needs the instruction set, which the vector
                // `self` proves, and writes as many numbers as the array has, at any
                // alignment.
                unsafe { $store(to.as_mut_ptr(), self.0) }
            }

            #[inline(always)]
            fn store_rounded(self, to: &mut [bf16]) {
                let ($rounded, $to) = (self.0, to[..$lanes].as_mut_ptr());
                // SAFETY: the intrinsics need the instruction set, which the vector `self`
                // proves, and write as many numbers as the slice has, at any alignment.
                unsafe { $store_rounded }
            }

            $(
                #[inline(always)]
                fn $op(self $(, $b: Self)*) -> Self {
                    #[target_feature(enable = $features)]
                    #[inline]
                    fn compiled($a: $Register $(, $b: $Register)*) -> $Register {
                        $value
                    }
                    // SAFETY: `compiled` is a safe function that needs only the instruction
                    // set; only tokens create vectors such as `self`.
                    $Vector(unsafe { compiled(self.0 $(, $b.0)*) })
                }
            )+

            $($($of_vectors)+)?
        }
    };
}
#[cfg(any(
    target_arch = "aarch64",
    target_arch = "x86_64",
    target_feature = "simd128"
))]
use define_token;
