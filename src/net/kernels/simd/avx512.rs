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
    store_rounded(x, to) {
        let bits = _mm512_castps_si512(x);
        let odd = _mm512_and_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(1));
        let half = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
        let rounded = _mm512_srli_epi32::<16>(_mm512_add_epi32(bits, half));
        _mm256_storeu_si256(to.cast(), _mm512_cvtepi32_epi16(rounded))
    };
    add(a, b) _mm512_add_ps(a, b);
    sub(a, b) _mm512_sub_ps(a, b);
    mul(a, b) _mm512_mul_ps(a, b);
    div(a, b) {
        // A division takes as long as twenty other operations. The reciprocal to 14 bits,
        // corrected twice, gives the same result up to the last bit.
        let r = _mm512_rcp14_ps(b);
        let r = _mm512_fmadd_ps(_mm512_fnmadd_ps(b, r, _mm512_set1_ps(1.0)), r, r);
        let q = _mm512_mul_ps(a, r);
        _mm512_fmadd_ps(_mm512_fnmadd_ps(b, q, a), r, q)
    };
    mul_add(a, b, c) _mm512_fmadd_ps(a, b, c);
    max(a, b) _mm512_max_ps(a, b);
    min(a, b) _mm512_min_ps(a, b);
    round(a) _mm512_roundscale_ps::<0>(a);
    scale(a, n) _mm512_scalef_ps(a, n);
}
