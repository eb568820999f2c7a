//! SIMD128 of WebAssembly: registers of 4 numbers, used in pairs. There is no fused multiply-add.
#![allow(
    unused_unsafe,
    reason = "on WebAssembly alone the intrinsics are safe: a module with unknown ones does not load"
)]

use std::arch::wasm32::*;

/// Two registers.
type Pair = [v128; 2];

/// Adding this rounds off the fraction of a number of at most 2²²: 1.5 · 2²³.
const SHIFT: f32 = 12_582_912.0;

/// # Safety
/// The processor must have SIMD128.
#[inline(always)]
unsafe fn splat(x: f32) -> Pair {
    [f32x4_splat(x); 2]
}

/// # Safety
/// The processor must have SIMD128, and `from` must be valid for reading eight numbers.
#[inline(always)]
unsafe fn load(from: *const f32) -> Pair {
    let from: *const v128 = from.cast();
    // SAFETY: the caller guarantees both; the intrinsic needs no alignment.
    unsafe { [v128_load(from), v128_load(from.add(1))] }
}

/// # Safety
/// The processor must have SIMD128, and `to` must be valid for writing eight numbers.
#[inline(always)]
unsafe fn store(to: *mut f32, x: Pair) {
    let to: *mut v128 = to.cast();
    // SAFETY: the caller guarantees both; the intrinsic needs no alignment.
    unsafe {
        v128_store(to, x[0]);
        v128_store(to.add(1), x[1]);
    }
}

super::define_token! {
    /// Proves that the processor has SIMD128.
    Simd128 = "SIMD128", enabled by "simd128", found by cfg!(target_feature = "simd128");
    Simd128Vector of 8 in Pair;
    rows [0, 8, 4, 3];
    splat splat, load load, store store;
    widen(pairs) {
        let both = load(pairs.cast());
        [
            both.map(|n| f32x4_convert_i32x4(n)),
            both.map(|n| f32x4_convert_i32x4(i32x4_shl(n, 16))),
        ]
    };
    store_rounded(x, to) {
        let (one, half) = (u32x4_splat(1), u32x4_splat(0x7fff));
        let rounded = x.map(|bits| {
            let odd = v128_and(u32x4_shr(bits, 16), one);
            u32x4_shr(u32x4_add(bits, u32x4_add(odd, half)), 16)
        });
        v128_store(to.cast(), u16x8_narrow_i32x4(rounded[0], rounded[1]))
    };
    add(a, b) [f32x4_add(a[0], b[0]), f32x4_add(a[1], b[1])];
    sub(a, b) [f32x4_sub(a[0], b[0]), f32x4_sub(a[1], b[1])];
    mul(a, b) [f32x4_mul(a[0], b[0]), f32x4_mul(a[1], b[1])];
    div(a, b) [f32x4_div(a[0], b[0]), f32x4_div(a[1], b[1])];
    mul_add(a, b, c) [
        f32x4_add(f32x4_mul(a[0], b[0]), c[0]),
        f32x4_add(f32x4_mul(a[1], b[1]), c[1]),
    ];
    // If the first is NaN, the result is the second, as on other processors.
    max(a, b) [f32x4_pmax(b[0], a[0]), f32x4_pmax(b[1], a[1])];
    min(a, b) [f32x4_pmin(b[0], a[0]), f32x4_pmin(b[1], a[1])];
    round(a) a.map(|x| f32x4_nearest(x));
    scale(a, n) {
        // The bits of 2ⁿ: its exponent, biased by 127. Conversion to integers is slow.
        let power = |n| {
            let n = i32x4_shl(f32x4_add(n, f32x4_splat(SHIFT)), 23);
            i32x4_add(n, i32x4_splat(127 << 23))
        };
        [f32x4_mul(a[0], power(n[0])), f32x4_mul(a[1], power(n[1]))]
    };
}
