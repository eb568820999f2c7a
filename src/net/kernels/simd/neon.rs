//! NEON: 32 registers of 4 numbers, used in pairs; one instruction loads or stores a pair.

use std::arch::aarch64::*;

/// Two registers.
type Pair = [float32x4_t; 2];

/// # Safety
/// The processor must have NEON.
#[inline(always)]
unsafe fn splat(x: f32) -> Pair {
    // SAFETY: the caller guarantees NEON.
    unsafe { [vdupq_n_f32(x); 2] }
}

/// # Safety
/// The processor must have NEON, and `from` must be valid for reading eight numbers.
#[inline(always)]
unsafe fn load(from: *const f32) -> Pair {
    // SAFETY: the caller guarantees both.
    unsafe { [vld1q_f32(from), vld1q_f32(from.add(4))] }
}

/// # Safety
/// The processor must have NEON, and `to` must be valid for writing eight numbers.
#[inline(always)]
unsafe fn store(to: *mut f32, x: Pair) {
    // SAFETY: the caller guarantees both.
    unsafe {
        vst1q_f32(to, x[0]);
        vst1q_f32(to.add(4), x[1]);
    }
}

super::define_token! {
    /// Proves that the processor has NEON.
    Neon = "NEON", enabled by "neon",
        found by std::arch::is_aarch64_feature_detected!("neon");
    NeonVector of 8 in Pair;
    rows [0, 9, 5, 4];
    splat splat, load load, store store;
    by_lane of tokens {
        const BY_LANE: bool = true;

        #[inline(always)]
        fn load_four(self, from: &[f32; 4]) -> NeonVector {
            // SAFETY: the intrinsic needs the instruction set, which the token `self` proves,
            // and reads as many numbers as the array has, at any alignment.
            NeonVector(unsafe { [vld1q_f32(from.as_ptr()); 2] })
        }
    } and of vectors {
        #[inline(always)]
        fn mul_add_lane<const N: i32>(self, a: Self, b: Self) -> Self {
            let ([x, y], [sum, other]) = (self.0, b.0);
            // SAFETY: the intrinsics need the instruction set, which the vector `self` proves.
            NeonVector(unsafe {
                [
                    vfmaq_laneq_f32::<N>(sum, x, a.0[0]),
                    vfmaq_laneq_f32::<N>(other, y, a.0[0]),
                ]
            })
        }
    };
    widen(pairs) {
        let both = [vld1q_s32(pairs), vld1q_s32(pairs.add(4))];
        let second = [vshlq_n_s32::<16>(both[0]), vshlq_n_s32::<16>(both[1])];
        [
            [vcvtq_f32_s32(both[0]), vcvtq_f32_s32(both[1])],
            [vcvtq_f32_s32(second[0]), vcvtq_f32_s32(second[1])],
        ]
    };
    store_rounded(x, to) {
        let bits = [vreinterpretq_u32_f32(x[0]), vreinterpretq_u32_f32(x[1])];
        let (one, half) = (vdupq_n_u32(1), vdupq_n_u32(0x7fff));
        let odd = [
            vandq_u32(vshrq_n_u32::<16>(bits[0]), one),
            vandq_u32(vshrq_n_u32::<16>(bits[1]), one),
        ];
        // The upper halves of the sums.
        let rounded = [
            vaddhn_u32(bits[0], vaddq_u32(odd[0], half)),
            vaddhn_u32(bits[1], vaddq_u32(odd[1], half)),
        ];
        vst1q_u16(to.cast(), vcombine_u16(rounded[0], rounded[1]))
    };
    add(a, b) [vaddq_f32(a[0], b[0]), vaddq_f32(a[1], b[1])];
    sub(a, b) [vsubq_f32(a[0], b[0]), vsubq_f32(a[1], b[1])];
    mul(a, b) [vmulq_f32(a[0], b[0]), vmulq_f32(a[1], b[1])];
    div(a, b) [vdivq_f32(a[0], b[0]), vdivq_f32(a[1], b[1])];
    mul_add(a, b, c) [vfmaq_f32(c[0], a[0], b[0]), vfmaq_f32(c[1], a[1], b[1])];
    max(a, b) [vmaxnmq_f32(a[0], b[0]), vmaxnmq_f32(a[1], b[1])];
    min(a, b) [vminnmq_f32(a[0], b[0]), vminnmq_f32(a[1], b[1])];
    round(a) [vrndnq_f32(a[0]), vrndnq_f32(a[1])];
    scale(a, n) {
        // The bits of 2ⁿ: its exponent, biased by 127.
        let bias = vdupq_n_s32(127);
        let powers = [
            vshlq_n_s32::<23>(vaddq_s32(vcvtq_s32_f32(n[0]), bias)),
            vshlq_n_s32::<23>(vaddq_s32(vcvtq_s32_f32(n[1]), bias)),
        ];
        [
            vmulq_f32(a[0], vreinterpretq_f32_s32(powers[0])),
            vmulq_f32(a[1], vreinterpretq_f32_s32(powers[1])),
        ]
    };
}
