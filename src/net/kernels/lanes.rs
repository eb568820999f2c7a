//! A vector of a few `f32`, for each instruction set that the kernels run on.

use crate::net::Activation;

/// A register's worth of `f32`.
///
/// The implementations for an instruction set must only be used, and inlined,
/// within functions compiled for it; [`super::Level`] sees to that.
pub trait Lanes: Copy {
    /// How many.
    const N: usize;
    /// Registers that hold the sums of the matrix product, by the number of
    /// vectors in a row: how many rows fit.
    const ROWS: [usize; 4];

    /// Ask for the numbers at `p`, which will be needed soon.
    #[inline(always)]
    fn prefetch(_p: *const f32) {}

    /// The same number in every lane.
    fn splat(x: f32) -> Self;

    /// # Safety
    /// `N` numbers may be read at `p`.
    unsafe fn load(p: *const f32) -> Self;

    /// # Safety
    /// `N` numbers may be written at `p`.
    unsafe fn store(self, p: *mut f32);

    /// `self` + `other`.
    fn add(self, other: Self) -> Self;
    /// `self` − `other`.
    fn sub(self, other: Self) -> Self;
    /// `self` · `other`.
    fn mul(self, other: Self) -> Self;
    /// `self` / `other`.
    fn div(self, other: Self) -> Self;
    /// `self` · `a` + `b`.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// The larger of the two, lane by lane.
    fn max(self, other: Self) -> Self;
    /// The smaller of the two, lane by lane.
    fn min(self, other: Self) -> Self;
    /// The nearest whole numbers.
    fn round(self) -> Self;
    /// `self` · 2ⁿ, where `n` holds whole numbers from −126 to 127.
    fn scale(self, n: Self) -> Self;

    /// The lanes, one after the other.
    #[inline(always)]
    fn fold(self, f: impl Fn(f32, f32) -> f32) -> f32 {
        let mut lanes = [0.0; 16];
        // SAFETY: no vector is longer.
        unsafe { self.store(lanes.as_mut_ptr()) };
        lanes[1..Self::N].iter().fold(lanes[0], |a, &b| f(a, b))
    }

    /// The sum of the lanes.
    #[inline(always)]
    fn sum(self) -> f32 {
        self.fold(|a, b| a + b)
    }

    /// The largest of the lanes.
    #[inline(always)]
    fn most(self) -> f32 {
        self.fold(f32::max)
    }

    /// `eˣ` to within 2 units in the last place, for x from −87 to 88; arguments
    /// beyond are taken as the nearest of these.
    ///
    /// x = n·ln 2 + r with |r| ≤ ln 2 / 2, and Cephes' polynomial (Moshier) for eʳ.
    #[inline(always)]
    fn exp(self) -> Self {
        let c = |x: f32| Self::splat(x);
        let x = self.max(c(-87.0)).min(c(88.0));
        let n = x.mul(c(std::f32::consts::LOG2_E)).round();
        let r = n.mul_add(c(-0.693_359_4), x);
        let r = n.mul_add(c(2.121_944_4e-4), r);
        let p = c(1.987_569_1e-4).mul_add(r, c(1.398_199_9e-3));
        let p = p.mul_add(r, c(8.333_452e-3));
        let p = p.mul_add(r, c(4.166_579_6e-2));
        let p = p.mul_add(r, c(0.166_666_65));
        let p = p.mul_add(r, c(0.5));
        let e = p.mul_add(r.mul(r), r).add(c(1.0));
        e.scale(n)
    }

    /// The activation function.
    ///
    /// Mish (Misra 2019) is x · tanh(ln(1 + eˣ)) = x · q / (q + 2) with
    /// q = eˣ · (eˣ + 2).
    #[inline(always)]
    fn activate(self, kind: Activation) -> Self {
        let c = |x: f32| Self::splat(x);
        match kind {
            Activation::Identity => self,
            Activation::Relu => self.max(c(0.0)),
            Activation::Mish => {
                // Beyond 20 it is x itself, and e²ˣ would leave the range.
                let e = self.min(c(20.0)).exp();
                let q = e.mul(e.add(c(2.0)));
                self.mul(q.div(q.add(c(2.0))))
            }
            Activation::Silu => self.div(c(0.0).sub(self).exp().add(c(1.0))),
        }
    }
}

/// Without any particular instruction set: what the compiler makes of arrays.
#[derive(Clone, Copy)]
pub struct Portable([f32; 8]);

impl Portable {
    #[inline(always)]
    fn map(self, f: impl Fn(f32) -> f32) -> Portable {
        Portable(self.0.map(f))
    }

    #[inline(always)]
    fn zip(self, other: Portable, f: impl Fn(f32, f32) -> f32) -> Portable {
        let mut out = self.0;
        for (a, b) in out.iter_mut().zip(other.0) {
            *a = f(*a, b);
        }
        Portable(out)
    }
}

impl Lanes for Portable {
    const N: usize = 8;
    const ROWS: [usize; 4] = [0, 4, 2, 1];

    #[inline(always)]
    fn splat(x: f32) -> Self {
        Portable([x; 8])
    }

    #[inline(always)]
    unsafe fn load(p: *const f32) -> Self {
        // SAFETY: the caller's; an array of f32 has no stricter alignment.
        Portable(unsafe { p.cast::<[f32; 8]>().read() })
    }

    #[inline(always)]
    unsafe fn store(self, p: *mut f32) {
        // SAFETY: the caller's.
        unsafe { p.cast::<[f32; 8]>().write(self.0) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }

    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        // Fused, it would be a call to the library where the processor has no
        // instruction for it.
        self.mul(a).add(b)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }

    #[inline(always)]
    fn round(self) -> Self {
        // Adding and taking away 1.5 · 2²³ leaves no room for a fraction.
        const SHIFT: f32 = 12_582_912.0;
        self.map(|x| (x + SHIFT) - SHIFT)
    }

    #[inline(always)]
    fn scale(self, n: Self) -> Self {
        self.zip(n, |x, n| {
            x * f32::from_bits(((n as i32 + 127) << 23) as u32)
        })
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Lanes;
    use std::arch::x86_64::*;

    /// AVX2 and FMA.
    #[derive(Clone, Copy)]
    pub struct Avx2(__m256);

    /// AVX-512 F.
    #[derive(Clone, Copy)]
    pub struct Avx512(__m512);

    // SAFETY of every block below: these types are only used in functions
    // compiled for their instruction set, on a processor that has it.

    impl Lanes for Avx2 {
        const N: usize = 8;
        const ROWS: [usize; 4] = [0, 12, 6, 4];

        #[inline(always)]
        fn prefetch(p: *const f32) {
            unsafe { _mm_prefetch::<_MM_HINT_T1>(p.cast()) }
        }

        #[inline(always)]
        fn splat(x: f32) -> Self {
            Avx2(unsafe { _mm256_set1_ps(x) })
        }

        #[inline(always)]
        unsafe fn load(p: *const f32) -> Self {
            Avx2(unsafe { _mm256_loadu_ps(p) })
        }

        #[inline(always)]
        unsafe fn store(self, p: *mut f32) {
            unsafe { _mm256_storeu_ps(p, self.0) }
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            Avx2(unsafe { _mm256_add_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            Avx2(unsafe { _mm256_sub_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            Avx2(unsafe { _mm256_mul_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn div(self, other: Self) -> Self {
            Avx2(unsafe { _mm256_div_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn mul_add(self, a: Self, b: Self) -> Self {
            Avx2(unsafe { _mm256_fmadd_ps(self.0, a.0, b.0) })
        }

        #[inline(always)]
        fn max(self, other: Self) -> Self {
            Avx2(unsafe { _mm256_max_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn min(self, other: Self) -> Self {
            Avx2(unsafe { _mm256_min_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn round(self) -> Self {
            Avx2(unsafe {
                _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self.0)
            })
        }

        #[inline(always)]
        fn scale(self, n: Self) -> Self {
            unsafe {
                let n = _mm256_add_epi32(_mm256_cvtps_epi32(n.0), _mm256_set1_epi32(127));
                let power = _mm256_castsi256_ps(_mm256_slli_epi32::<23>(n));
                Avx2(_mm256_mul_ps(self.0, power))
            }
        }
    }

    impl Lanes for Avx512 {
        const N: usize = 16;
        const ROWS: [usize; 4] = [0, 14, 13, 9];

        #[inline(always)]
        fn prefetch(p: *const f32) {
            unsafe { _mm_prefetch::<_MM_HINT_T1>(p.cast()) }
        }

        #[inline(always)]
        fn splat(x: f32) -> Self {
            Avx512(unsafe { _mm512_set1_ps(x) })
        }

        #[inline(always)]
        unsafe fn load(p: *const f32) -> Self {
            Avx512(unsafe { _mm512_loadu_ps(p) })
        }

        #[inline(always)]
        unsafe fn store(self, p: *mut f32) {
            unsafe { _mm512_storeu_ps(p, self.0) }
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            Avx512(unsafe { _mm512_add_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            Avx512(unsafe { _mm512_sub_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            Avx512(unsafe { _mm512_mul_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn div(self, other: Self) -> Self {
            Avx512(unsafe { _mm512_div_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn mul_add(self, a: Self, b: Self) -> Self {
            Avx512(unsafe { _mm512_fmadd_ps(self.0, a.0, b.0) })
        }

        #[inline(always)]
        fn max(self, other: Self) -> Self {
            Avx512(unsafe { _mm512_max_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn min(self, other: Self) -> Self {
            Avx512(unsafe { _mm512_min_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn round(self) -> Self {
            Avx512(unsafe { _mm512_roundscale_ps::<0>(self.0) })
        }

        #[inline(always)]
        fn scale(self, n: Self) -> Self {
            Avx512(unsafe { _mm512_scalef_ps(self.0, n.0) })
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};
