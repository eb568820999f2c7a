//! Instruction sets as tokens.
//!
//! A token is a value of a type that implements [`Simd`]. It has no size, and only
//! detection makes one: that it exists proves that the processor has the
//! instruction set. A [`Vector`] comes from a token or from other vectors, so it is
//! the same proof. This is why the operations below are safe, and with them every
//! kernel that is written in them.
//!
//! An instruction set is one file, an invocation of `define_token!`, and a variant of
//! [`InstructionSet`].
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
mod avx512bf16;
#[cfg(not(target_arch = "x86_64"))]
#[path = "no_avx512bf16.rs"]
mod avx512bf16;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;

pub use amx::Amx;
#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub use avx512::Avx512;
pub use avx512bf16::Avx512Bf16;
#[cfg(target_arch = "aarch64")]
pub use neon::Neon;
pub use portable::Portable;

use crate::net::Activation;
use half::bf16;
use std::fmt::Debug;

/// A token that proves that the processor has an instruction set.
pub trait Simd: Copy + Debug + Send + Sync + 'static {
    /// A register of `LANES` numbers.
    type Vector: Vector<Lanes = Self::Lanes>;
    /// Its numbers in memory: an array of `LANES`.
    type Lanes: Copy + Default + AsRef<[f32]> + AsMut<[f32]>;
    /// As many whole numbers in memory: an array.
    type Pairs;
    /// How many `f32` a register holds.
    const LANES: usize;
    /// How many rows the matrix product works on at once, by the number of vectors
    /// in a row (1 to 3): as many as leave all sums in registers.
    const ROWS: [usize; 4];
    /// Whether a product by one lane costs no more than one by a whole register, so that four
    /// inputs of a row are loaded at once.
    const BY_LANE: bool = false;
    /// What the makers call it.
    const NAME: &'static str;

    /// The token, if the processor has the instruction set.
    fn detect() -> Option<Self>;

    /// Run a kernel compiled for the instruction set. The closure and what it calls
    /// must be marked `#[inline(always)]`: only what is inlined here is compiled so.
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R;

    /// `x` in every lane.
    fn splat(self, x: f32) -> Self::Vector;

    /// The numbers of a piece of memory.
    fn load(self, from: &Self::Lanes) -> Self::Vector;

    /// Four numbers in the first four lanes, whatever is in the others.
    #[inline(always)]
    fn load_four(self, from: &[f32; 4]) -> Self::Vector {
        let mut lanes = Self::Lanes::default();
        lanes.as_mut()[..4].copy_from_slice(from);
        self.load(&lanes)
    }

    /// Whole numbers, and 2¹⁶ times what their lower halves are alone, with their signs.
    fn widen(self, from: &Self::Pairs) -> [Self::Vector; 2];

    /// Cut into vectors; what is left over at the end is left out.
    fn pairs(numbers: &[i32]) -> &[Self::Pairs];

    /// Cut into vectors; what is left over at the end is left out.
    fn lanes(numbers: &[f32]) -> &[Self::Lanes];

    /// Cut into vectors; what is left over at the end is left out.
    fn lanes_mut(numbers: &mut [f32]) -> &mut [Self::Lanes];

    /// Bring what lies there, if anything does, into the second-level cache.
    #[inline(always)]
    fn prefetch(self, _at: *const u8) {}
}

/// A register of `f32`. Operations are lane by lane.
pub trait Vector: Copy {
    /// Its numbers in memory.
    type Lanes: Default + AsRef<[f32]>;

    /// `x` in every lane. The vector it is called on is only the proof that the
    /// processor can.
    fn splat(self, x: f32) -> Self;
    /// Write the numbers to memory.
    fn store(self, to: &mut Self::Lanes);
    /// Write the numbers to the beginning of some memory, rounded to the nearest bfloat16,
    /// of two as near to the even one. What is no number may become infinite.
    ///
    /// # Panics
    /// If the memory is too short.
    fn store_rounded(self, to: &mut [bf16]);
    /// `self` + `other`.
    fn add(self, other: Self) -> Self;
    /// `self` − `other`.
    fn sub(self, other: Self) -> Self;
    /// `self` · `other`.
    fn mul(self, other: Self) -> Self;
    /// `self` / `other`.
    fn div(self, other: Self) -> Self;
    /// `self` · `a` + `b`, rounded once where the instruction set has that.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// `self` · lane `N` of `a`, one of the first four, + `b`.
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
    /// The nearest whole numbers, for numbers of up to 2²².
    fn round(self) -> Self;
    /// `self` · 2ⁿ, where `n` holds whole numbers from −126 to 127.
    fn scale(self, n: Self) -> Self;

    /// The lanes folded from the first to the last.
    #[inline(always)]
    fn fold(self, f: impl Fn(f32, f32) -> f32) -> f32 {
        let mut lanes = Self::Lanes::default();
        self.store(&mut lanes);
        let lanes = lanes.as_ref();
        lanes[1..].iter().fold(lanes[0], |a, &b| f(a, b))
    }

    /// The sum of the lanes, from the first to the last.
    #[inline(always)]
    fn sum(self) -> f32 {
        self.fold(|a, b| a + b)
    }

    /// The largest of the lanes.
    #[inline(always)]
    fn largest(self) -> f32 {
        self.fold(f32::max)
    }

    /// `eˣ` to within 2 units in the last place, for x from −87 to 88; arguments
    /// beyond are taken as the nearest of these.
    ///
    /// x = n·ln 2 + r with |r| ≤ ln 2 / 2, and Cephes' polynomial (Moshier) for eʳ.
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

    /// The activation function.
    ///
    /// Mish (Misra 2019) is x · tanh(ln(1 + eˣ)) = x · q / (q + 2) with
    /// q = eˣ · (eˣ + 2).
    #[inline(always)]
    fn activate(self, function: Activation) -> Self {
        match function {
            Activation::Identity => self,
            Activation::Relu => self.max(self.splat(0.0)),
            Activation::Mish => {
                // Beyond 20 it is x itself, and e²ˣ would leave the range.
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

/// How the products of a matrix product are taken. Sums are in single precision.
pub trait Arithmetic: Copy {
    /// Vectors of sums.
    type Simd: Simd;
    /// What lies in a row of the input: [`Arithmetic::INPUTS`] of them together.
    type Number: Copy + Default;
    /// As many of a row as a vector of sums has lanes: an array.
    type Numbers;
    /// The weights of such a number, for each lane of a vector of sums: an array.
    type Weights: Copy;
    /// A number, or weights, in a register.
    type Register: Copy;
    /// Inputs of a number.
    const INPUTS: usize;
    /// See [`Simd::BY_LANE`].
    const BY_LANE: bool = false;

    /// The token of the vectors of sums.
    fn vectors(self) -> Self::Simd;

    /// See [`Simd::vectorize`].
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R;

    /// Cut a row; what is left over at the end is left out.
    fn numbers(numbers: &mut [Self::Number]) -> &mut [Self::Numbers];

    /// Cut weights; what is left over at the end is left out.
    fn pack(weights: &[Self::Number]) -> &[Self::Weights];

    /// Write inputs, rounded if need be.
    fn write(self, inputs: <Self::Simd as Simd>::Vector, to: &mut Self::Numbers);

    /// A number for every lane.
    fn repeat(self, number: Self::Number) -> Self::Register;

    /// See [`Simd::load_four`]; called if [`Arithmetic::BY_LANE`] alone.
    #[inline(always)]
    fn load_four(self, numbers: &[Self::Number; 4]) -> Self::Register {
        debug_assert!(false, "these products are not by lane");
        self.repeat(numbers[0])
    }

    /// The weights of a piece of memory.
    fn load(self, weights: &Self::Weights) -> Self::Register;

    /// `sum` and, lane by lane, the products of the inputs and the weights.
    fn add_products(
        self,
        sum: <Self::Simd as Simd>::Vector,
        inputs: Self::Register,
        weights: Self::Register,
    ) -> <Self::Simd as Simd>::Vector;

    /// `sum` and the products of lane `N` of the inputs and all weights; called if
    /// [`Arithmetic::BY_LANE`] alone.
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
}

/// Products of numbers in single precision.
#[derive(Clone, Copy, Debug)]
pub struct Single<S>(pub S);

impl<S: Simd> Arithmetic for Single<S> {
    type Simd = S;
    type Number = f32;
    type Numbers = S::Lanes;
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
    fn numbers(numbers: &mut [f32]) -> &mut [S::Lanes] {
        S::lanes_mut(numbers)
    }

    #[inline(always)]
    fn pack(weights: &[f32]) -> &[S::Lanes] {
        S::lanes(weights)
    }

    #[inline(always)]
    fn write(self, inputs: S::Vector, to: &mut S::Lanes) {
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

/// An instruction set that this machine has: a token of any of the types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionSet {
    /// What every processor has.
    Portable(Portable),
    /// NEON.
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// AVX-512 F.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    /// AVX-512 BF16 for 1x1 and 3x3 convolutions and for what transformers project and gate,
    /// and AVX-512 F for all else. What those products read is rounded to bfloat16, weights of
    /// 3x3 filters after they are transformed.
    Avx512Bf16(Avx512Bf16),
    /// AMX for the convolutions, and AVX-512 F for all else. Inputs and weights of
    /// convolutions are rounded to bfloat16.
    Amx(Amx),
}

/// Run the body with the token of an [`InstructionSet`] as a variable of its own type:
/// the body is compiled for each.
macro_rules! with_token {
    ($set:expr, $token:ident => $body:expr) => {{
        use $crate::net::kernels::InstructionSet;
        match $set {
            InstructionSet::Portable($token) => $body,
            #[cfg(target_arch = "aarch64")]
            InstructionSet::Neon($token) => $body,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2($token) => $body,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512($token) => $body,
            InstructionSet::Avx512Bf16(bf16) => {
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
    /// All that this machine has, the fastest last. The first is
    /// [`InstructionSet::Portable`].
    pub fn available() -> Vec<InstructionSet> {
        let sets = [
            Portable::detect().map(InstructionSet::Portable),
            #[cfg(target_arch = "aarch64")]
            Neon::detect().map(InstructionSet::Neon),
            #[cfg(target_arch = "x86_64")]
            Avx2::detect().map(InstructionSet::Avx2),
            #[cfg(target_arch = "x86_64")]
            Avx512::detect().map(InstructionSet::Avx512),
            Avx512Bf16::detect().map(InstructionSet::Avx512Bf16),
            Amx::detect().map(InstructionSet::Amx),
        ];
        sets.into_iter().flatten().collect()
    }

    /// The fastest that this machine has.
    pub fn best() -> InstructionSet {
        let last = InstructionSet::available().pop();
        last.unwrap_or(InstructionSet::Portable(Portable))
    }

    /// The same without anything that rounds what single precision does not.
    pub fn single(self) -> InstructionSet {
        match self {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512Bf16(bf16) => InstructionSet::Avx512(bf16.vectors()),
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            InstructionSet::Amx(amx) => InstructionSet::Avx512(amx.vectors()),
            other => other,
        }
    }

    /// How many `f32` a register holds.
    pub fn lanes(self) -> usize {
        fn of<S: Simd>(_: S) -> usize {
            S::LANES
        }
        with_token!(self, s => of(s))
    }

    /// What the makers call it.
    pub fn name(self) -> &'static str {
        fn of<S: Simd>(_: S) -> &'static str {
            S::NAME
        }
        match self {
            InstructionSet::Avx512Bf16(_) => Avx512Bf16::NAME,
            InstructionSet::Amx(_) => Amx::NAME,
            _ => with_token!(self, s => of(s)),
        }
    }
}

/// The token, the vector and their operations, for an instruction set that has
/// intrinsics in `std::arch`.
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
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
            type Pairs = [i32; $lanes];
            const LANES: usize = $lanes;
            const ROWS: [usize; 4] = $rows;
            const NAME: &'static str = $name;

            fn detect() -> Option<Self> {
                $detect.then_some($Token(()))
            }

            #[inline(always)]
            fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
                #[target_feature(enable = $features)]
                fn compiled<R>(kernel: impl FnOnce() -> R) -> R {
                    kernel()
                }
                // SAFETY: `compiled` needs the instruction set and nothing else; the
                // token `self` is made by `detect` alone, which has found it.
                unsafe { compiled(kernel) }
            }

            #[inline(always)]
            fn splat(self, x: f32) -> $Vector {
                // SAFETY: the intrinsic needs the instruction set and nothing else;
                // the token `self` proves it.
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
            fn pairs(numbers: &[i32]) -> &[[i32; $lanes]] {
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
                    // SAFETY: a hint reads nothing and cannot fault, wherever it points;
                    // the token `self` proves that the processor knows it.
                    unsafe { $prefetch }
                }
            )?

            $($($of_tokens)+)?
        }

        impl Vector for $Vector {
            type Lanes = [f32; $lanes];

            #[inline(always)]
            fn splat(self, x: f32) -> Self {
                // SAFETY: the intrinsic needs the instruction set and nothing else;
                // vectors such as `self` are made from tokens alone.
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
                    // SAFETY: `compiled` is a safe function that needs the
                    // instruction set; vectors such as `self` are made from tokens
                    // alone.
                    $Vector(unsafe { compiled(self.0 $(, $b.0)*) })
                }
            )+

            $($($of_vectors)+)?
        }
    };
}
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
use define_token;
