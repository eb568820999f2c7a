//! AVX2 with fused multiply-add: 16 registers of 8 numbers.

use std::arch::x86_64::*;

super::define_token! {
    /// Proves that the processor has AVX2 and FMA.
    Avx2 = "AVX2", enabled by "avx2,fma",
        found by is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    Avx2Vector of 8 in __m256;
    rows [0, 12, 6, 3];
    splat _mm256_set1_ps, load _mm256_loadu_ps, store _mm256_storeu_ps;
    prefetch(at) _mm_prefetch::<_MM_HINT_T1>(at.cast());
    widen(pairs) {
        let both = _mm256_loadu_si256(pairs.cast());
        let second = _mm256_slli_epi32::<16>(both);
        [_mm256_cvtepi32_ps(both), _mm256_cvtepi32_ps(second)]
    };
    store_rounded(x, to) {
        let bits = _mm256_castps_si256(x);
        let odd = _mm256_and_si256(_mm256_srli_epi32::<16>(bits), _mm256_set1_epi32(1));
        let half = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff));
        let rounded = _mm256_srli_epi32::<16>(_mm256_add_epi32(bits, half));
        let (low, high) = (
            _mm256_castsi256_si128(rounded),
            _mm256_extracti128_si256::<1>(rounded),
        );
        _mm_storeu_si128(to.cast(), _mm_packus_epi32(low, high))
    };
    add(a, b) _mm256_add_ps(a, b);
    sub(a, b) _mm256_sub_ps(a, b);
    mul(a, b) _mm256_mul_ps(a, b);
    div(a, b) _mm256_div_ps(a, b);
    mul_add(a, b, c) _mm256_fmadd_ps(a, b, c);
    max(a, b) _mm256_max_ps(a, b);
    min(a, b) _mm256_min_ps(a, b);
    round(a) _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a);
    scale(a, n) {
        // The bits of 2ⁿ: its exponent, biased by 127.
        let exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
        _mm256_mul_ps(a, _mm256_castsi256_ps(_mm256_slli_epi32::<23>(exponent)))
    };
}
