//! AVX-512 F: 32 registers of 16 numbers.

use std::arch::x86_64::*;

super::define_token! {
    /// Proves that the processor has AVX-512 F.
    Avx512 = "AVX-512", enabled by "avx512f",
        found by is_x86_feature_detected!("avx512f");
    Avx512Vector of 16 in __m512;
    rows [0, 14, 13, 9];
    splat _mm512_set1_ps, load _mm512_loadu_ps, store _mm512_storeu_ps;
    prefetch(at) _mm_prefetch::<_MM_HINT_T1>(at.cast());
    widen(pairs) {
        let both = _mm512_loadu_si512(pairs.cast());
        let second = _mm512_slli_epi32::<16>(both);
        [_mm512_cvtepi32_ps(both), _mm512_cvtepi32_ps(second)]
    };
    add(a, b) _mm512_add_ps(a, b);
    sub(a, b) _mm512_sub_ps(a, b);
    mul(a, b) _mm512_mul_ps(a, b);
    div(a, b) _mm512_div_ps(a, b);
    mul_add(a, b, c) _mm512_fmadd_ps(a, b, c);
    max(a, b) _mm512_max_ps(a, b);
    min(a, b) _mm512_min_ps(a, b);
    round(a) _mm512_roundscale_ps::<0>(a);
    scale(a, n) _mm512_scalef_ps(a, n);
}
