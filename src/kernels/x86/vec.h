/* Vectors of f32 under one name for both widths, so that a kernel body is written once
 * and compiled for AVX2 (8 lanes) and AVX-512 (16 lanes). Part loads and stores touch
 * only the lanes they are told to; what they do not load is 0. */
#ifndef HST_KERNELS_X86_VEC_H
#define HST_KERNELS_X86_VEC_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define V_INLINE static inline __attribute__((always_inline))
#define V_WHOLE(n) (__builtin_constant_p((n) == VN) && (n) == VN)

#if defined(__AVX512F__)

enum { VN = 16 }; /**< lanes */
typedef __m512 vf;
typedef __m512i vi;
typedef __mmask16 vm; /**< which lanes */

V_INLINE vm v_first(size_t n) { return (vm)_bzhi_u32(0xffff, (unsigned)n); }
V_INLINE vf v_load(const float *p) { return _mm512_loadu_ps(p); }
V_INLINE vf v_load_part(const float *p, size_t n) {
    if (V_WHOLE(n))
        return v_load(p);
    return _mm512_maskz_loadu_ps(v_first(n), p);
}
/** Lanes that are not loaded take those of `rest`. */
V_INLINE vf v_load_part_or(const float *p, size_t n, vf rest) {
    if (V_WHOLE(n))
        return v_load(p);
    return _mm512_mask_loadu_ps(rest, v_first(n), p);
}
/** The first n lanes of v, 0 in the others. */
V_INLINE vf v_part(vf v, size_t n) {
    return V_WHOLE(n) ? v : _mm512_maskz_mov_ps(v_first(n), v);
}
V_INLINE void v_store(float *p, vf v) { _mm512_storeu_ps(p, v); }
V_INLINE void v_store_part(float *p, size_t n, vf v) {
    if (V_WHOLE(n)) {
        v_store(p, v);
        return;
    }
    _mm512_mask_storeu_ps(p, v_first(n), v);
}
V_INLINE vf v_set(float x) { return _mm512_set1_ps(x); }
V_INLINE vf v_zero(void) { return _mm512_setzero_ps(); }
V_INLINE vf v_add(vf a, vf b) { return _mm512_add_ps(a, b); }
V_INLINE vf v_sub(vf a, vf b) { return _mm512_sub_ps(a, b); }
V_INLINE vf v_mul(vf a, vf b) { return _mm512_mul_ps(a, b); }
V_INLINE vf v_div(vf a, vf b) { return _mm512_div_ps(a, b); }
V_INLINE vf v_fma(vf a, vf b, vf c) { return _mm512_fmadd_ps(a, b, c); }   /**< a*b + c */
V_INLINE vf v_fnma(vf a, vf b, vf c) { return _mm512_fnmadd_ps(a, b, c); } /**< c - a*b */
V_INLINE vf v_sqrt(vf a) { return _mm512_sqrt_ps(a); }
V_INLINE vf v_min(vf a, vf b) { return _mm512_min_ps(a, b); } /**< b where one is NaN */
V_INLINE vf v_max(vf a, vf b) { return _mm512_max_ps(a, b); } /**< b where one is NaN */
V_INLINE vf v_and(vf a, vf b) { return _mm512_and_ps(a, b); }
V_INLINE vf v_or(vf a, vf b) { return _mm512_or_ps(a, b); }
V_INLINE vf v_xor(vf a, vf b) { return _mm512_xor_ps(a, b); }
V_INLINE vf v_abs(vf a) { return _mm512_abs_ps(a); }
V_INLINE vf v_round(vf a) { /* half to even */
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
V_INLINE vf v_floor(vf a) {
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
V_INLINE vf v_ceil(vf a) {
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
}
V_INLINE vm v_lt(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
V_INLINE vm v_gt(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ); }
V_INLINE vm v_eq(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
V_INLINE vm v_nan(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q); }
V_INLINE vm v_both(vm a, vm b) { return (vm)(a & b); }
V_INLINE int v_bits(vm m) { return m; }
/** a where m, else b. */
V_INLINE vf v_pick(vm m, vf a, vf b) { return _mm512_mask_blend_ps(m, b, a); }
V_INLINE vi v_as_int(vf a) { return _mm512_castps_si512(a); }
V_INLINE vf v_as_float(vi a) { return _mm512_castsi512_ps(a); }
V_INLINE vi vi_set(int32_t x) { return _mm512_set1_epi32(x); }
V_INLINE vi vi_add(vi a, vi b) { return _mm512_add_epi32(a, b); }
V_INLINE vi vi_sub(vi a, vi b) { return _mm512_sub_epi32(a, b); }
V_INLINE vi vi_and(vi a, vi b) { return _mm512_and_si512(a, b); }
#define vi_shl(a, n) _mm512_slli_epi32(a, n)
#define vi_shr(a, n) _mm512_srai_epi32(a, n)
V_INLINE vi v_to_int(vf a) { return _mm512_cvtps_epi32(a); } /**< to nearest even */
V_INLINE vf vi_to_float(vi a) { return _mm512_cvtepi32_ps(a); }

/** The larger (smaller) one; NaN where either is NaN. */
V_INLINE vf v_max_nan(vf a, vf b) {
    return _mm512_mask_max_ps(a, _mm512_cmp_ps_mask(a, a, _CMP_ORD_Q), a, b);
}
V_INLINE vf v_min_nan(vf a, vf b) {
    return _mm512_mask_min_ps(a, _mm512_cmp_ps_mask(a, a, _CMP_ORD_Q), a, b);
}

/** Sum of the lanes, in one fixed order; likewise the largest and the smallest (NaN where
 * a lane is NaN or not: the caller sees to it). */
V_INLINE __m256 v_low(vf a) { return _mm512_castps512_ps256(a); }
V_INLINE __m256 v_high(vf a) { return _mm512_extractf32x8_ps(a, 1); }
V_INLINE __m256 v_fold_sum(vf a) { return _mm256_add_ps(v_low(a), v_high(a)); }
V_INLINE __m256 v_fold_max(vf a) { return _mm256_max_ps(v_low(a), v_high(a)); }
V_INLINE __m256 v_fold_min(vf a) { return _mm256_min_ps(v_low(a), v_high(a)); }

#else

enum { VN = 8 };
typedef __m256 vf;
typedef __m256i vi;
typedef __m256 vm; /**< all bits of the lanes that are meant */

V_INLINE __m256i v_first(size_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
V_INLINE vf v_load(const float *p) { return _mm256_loadu_ps(p); }
V_INLINE vf v_load_part(const float *p, size_t n) {
    if (V_WHOLE(n))
        return v_load(p);
    return _mm256_maskload_ps(p, v_first(n));
}
V_INLINE vf v_load_part_or(const float *p, size_t n, vf rest) {
    if (V_WHOLE(n))
        return v_load(p);
    __m256i first = v_first(n);
    return _mm256_blendv_ps(rest, _mm256_maskload_ps(p, first),
                            _mm256_castsi256_ps(first));
}
V_INLINE vf v_part(vf v, size_t n) {
    return V_WHOLE(n) ? v : _mm256_and_ps(v, _mm256_castsi256_ps(v_first(n)));
}
V_INLINE void v_store(float *p, vf v) { _mm256_storeu_ps(p, v); }
V_INLINE void v_store_part(float *p, size_t n, vf v) {
    if (V_WHOLE(n)) {
        v_store(p, v);
        return;
    }
    _mm256_maskstore_ps(p, v_first(n), v);
}
V_INLINE vf v_set(float x) { return _mm256_set1_ps(x); }
V_INLINE vf v_zero(void) { return _mm256_setzero_ps(); }
V_INLINE vf v_add(vf a, vf b) { return _mm256_add_ps(a, b); }
V_INLINE vf v_sub(vf a, vf b) { return _mm256_sub_ps(a, b); }
V_INLINE vf v_mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
V_INLINE vf v_div(vf a, vf b) { return _mm256_div_ps(a, b); }
V_INLINE vf v_fma(vf a, vf b, vf c) { return _mm256_fmadd_ps(a, b, c); }
V_INLINE vf v_fnma(vf a, vf b, vf c) { return _mm256_fnmadd_ps(a, b, c); }
V_INLINE vf v_sqrt(vf a) { return _mm256_sqrt_ps(a); }
V_INLINE vf v_min(vf a, vf b) { return _mm256_min_ps(a, b); }
V_INLINE vf v_max(vf a, vf b) { return _mm256_max_ps(a, b); }
V_INLINE vf v_and(vf a, vf b) { return _mm256_and_ps(a, b); }
V_INLINE vf v_or(vf a, vf b) { return _mm256_or_ps(a, b); }
V_INLINE vf v_xor(vf a, vf b) { return _mm256_xor_ps(a, b); }
V_INLINE vf v_abs(vf a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
V_INLINE vf v_round(vf a) {
    return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
V_INLINE vf v_floor(vf a) {
    return _mm256_round_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
V_INLINE vf v_ceil(vf a) {
    return _mm256_round_ps(a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
}
V_INLINE vm v_lt(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
V_INLINE vm v_gt(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_GT_OQ); }
V_INLINE vm v_eq(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_EQ_OQ); }
V_INLINE vm v_nan(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_UNORD_Q); }
V_INLINE vm v_both(vm a, vm b) { return _mm256_and_ps(a, b); }
V_INLINE int v_bits(vm m) { return _mm256_movemask_ps(m); }
V_INLINE vf v_pick(vm m, vf a, vf b) { return _mm256_blendv_ps(b, a, m); }
V_INLINE vi v_as_int(vf a) { return _mm256_castps_si256(a); }
V_INLINE vf v_as_float(vi a) { return _mm256_castsi256_ps(a); }
V_INLINE vi vi_set(int32_t x) { return _mm256_set1_epi32(x); }
V_INLINE vi vi_add(vi a, vi b) { return _mm256_add_epi32(a, b); }
V_INLINE vi vi_sub(vi a, vi b) { return _mm256_sub_epi32(a, b); }
V_INLINE vi vi_and(vi a, vi b) { return _mm256_and_si256(a, b); }
#define vi_shl(a, n) _mm256_slli_epi32(a, n)
#define vi_shr(a, n) _mm256_srai_epi32(a, n)
V_INLINE vi v_to_int(vf a) { return _mm256_cvtps_epi32(a); }
V_INLINE vf vi_to_float(vi a) { return _mm256_cvtepi32_ps(a); }
V_INLINE vf v_max_nan(vf a, vf b) { return v_pick(v_nan(a, a), a, v_max(a, b)); }
V_INLINE vf v_min_nan(vf a, vf b) { return v_pick(v_nan(a, a), a, v_min(a, b)); }
V_INLINE __m256 v_fold_sum(vf a) { return a; }
V_INLINE __m256 v_fold_max(vf a) { return a; }
V_INLINE __m256 v_fold_min(vf a) { return a; }

#endif

V_INLINE float v_sum(vf a) {
    __m256 w = v_fold_sum(a);
    __m128 x = _mm_add_ps(_mm256_castps256_ps128(w), _mm256_extractf128_ps(w, 1));
    x = _mm_add_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
}
V_INLINE float v_largest(vf a) {
    __m256 w = v_fold_max(a);
    __m128 x = _mm_max_ps(_mm256_castps256_ps128(w), _mm256_extractf128_ps(w, 1));
    x = _mm_max_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_max_ss(x, _mm_movehdup_ps(x)));
}
V_INLINE float v_smallest(vf a) {
    __m256 w = v_fold_min(a);
    __m128 x = _mm_min_ps(_mm256_castps256_ps128(w), _mm256_extractf128_ps(w, 1));
    x = _mm_min_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_min_ss(x, _mm_movehdup_ps(x)));
}

/** |a| with the sign of b. */
V_INLINE vf v_sign_of(vf a, vf b) {
    vf sign = v_set(-0.0f);
    return v_or(v_abs(a), v_and(b, sign));
}

#endif
