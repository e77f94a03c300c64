/* base/simd.h: the one SIMD vocabulary. Eight floats, four doubles, eight 32-bit integers, lane masks as bits.
 * Included only by *_simd.c files, which are compiled once per instruction set:
 *   CAROM_ISA_AVX2    256-bit registers and fused multiply-add
 *   CAROM_ISA_SSE2    pairs of 128-bit registers
 *   CAROM_ISA_SCALAR  plain C loops, the reference
 * Fused or not, lanes may differ in the last bit between versions: whatever is decided with them must be conservative,
 * so that the final answer does not depend on the version. */
#ifndef BASE_SIMD_H
#define BASE_SIMD_H

#include "base/base.h"

#if defined(CAROM_ISA_AVX2)

#include <immintrin.h>

typedef __m256 f8;
typedef __m256i i8;
typedef __m256d d4;

static BASE_ALWAYS_INLINE f8 f8_load(const float *p) { return _mm256_load_ps(p); }
static BASE_ALWAYS_INLINE f8 f8_loadu(const float *p) { return _mm256_loadu_ps(p); }
static BASE_ALWAYS_INLINE void f8_store(float *p, f8 a) { _mm256_store_ps(p, a); }
static BASE_ALWAYS_INLINE void f8_storeu(float *p, f8 a) { _mm256_storeu_ps(p, a); }
static BASE_ALWAYS_INLINE f8 f8_set1(float a) { return _mm256_set1_ps(a); }
static BASE_ALWAYS_INLINE f8 f8_zero(void) { return _mm256_setzero_ps(); }
/* 4 floats twice: a b c d a b c d, and each four times: a a a a b b b b from two adjacent floats */
static BASE_ALWAYS_INLINE f8 f8_twice(const float *p) { return _mm256_broadcast_ps((const __m128 *)p); }
static BASE_ALWAYS_INLINE f8 f8_two(float a, float b)
{
    return _mm256_insertf128_ps(_mm256_set1_ps(a), _mm_set1_ps(b), 1);
}
static BASE_ALWAYS_INLINE f8 f8_swap(f8 a) { return _mm256_permute2f128_ps(a, a, 1); } /* e f g h a b c d */
/* halves of four floats, anywhere in memory; transpose turns four rows of each half into columns */
static BASE_ALWAYS_INLINE f8 f8_join(const float *low, const float *high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}
static BASE_ALWAYS_INLINE void f8_store_low(float *p, f8 a) { _mm_storeu_ps(p, _mm256_castps256_ps128(a)); }
static BASE_ALWAYS_INLINE void f8_store_high(float *p, f8 a) { _mm_storeu_ps(p, _mm256_extractf128_ps(a, 1)); }
static BASE_ALWAYS_INLINE void f8_transpose(f8 row[4])
{
    f8 a = _mm256_unpacklo_ps(row[0], row[1]), b = _mm256_unpackhi_ps(row[0], row[1]);
    f8 c = _mm256_unpacklo_ps(row[2], row[3]), d = _mm256_unpackhi_ps(row[2], row[3]);
    row[0] = _mm256_shuffle_ps(a, c, 0x44), row[1] = _mm256_shuffle_ps(a, c, 0xee);
    row[2] = _mm256_shuffle_ps(b, d, 0x44), row[3] = _mm256_shuffle_ps(b, d, 0xee);
}
static BASE_ALWAYS_INLINE f8 f8_add(f8 a, f8 b) { return _mm256_add_ps(a, b); }
static BASE_ALWAYS_INLINE f8 f8_sub(f8 a, f8 b) { return _mm256_sub_ps(a, b); }
static BASE_ALWAYS_INLINE f8 f8_mul(f8 a, f8 b) { return _mm256_mul_ps(a, b); }
static BASE_ALWAYS_INLINE f8 f8_div(f8 a, f8 b) { return _mm256_div_ps(a, b); }
static BASE_ALWAYS_INLINE f8 f8_madd(f8 a, f8 b, f8 c) { return _mm256_fmadd_ps(a, b, c); }   /* a b + c */
static BASE_ALWAYS_INLINE f8 f8_msub(f8 a, f8 b, f8 c) { return _mm256_fmsub_ps(a, b, c); }   /* a b - c */
static BASE_ALWAYS_INLINE f8 f8_nmadd(f8 a, f8 b, f8 c) { return _mm256_fnmadd_ps(a, b, c); } /* c - a b */
static BASE_ALWAYS_INLINE f8 f8_min(f8 a, f8 b) { return _mm256_min_ps(a, b); }               /* b where unordered */
static BASE_ALWAYS_INLINE f8 f8_max(f8 a, f8 b) { return _mm256_max_ps(a, b); }               /* b where unordered */
static BASE_ALWAYS_INLINE f8 f8_abs(f8 a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
static BASE_ALWAYS_INLINE f8 f8_neg(f8 a) { return _mm256_xor_ps(_mm256_set1_ps(-0.0f), a); }
static BASE_ALWAYS_INLINE f8 f8_sqrt(f8 a) { return _mm256_sqrt_ps(a); }
/* comparisons give all-ones lanes; false where unordered */
static BASE_ALWAYS_INLINE f8 f8_gt(f8 a, f8 b) { return _mm256_cmp_ps(a, b, _CMP_GT_OQ); }
static BASE_ALWAYS_INLINE f8 f8_lt(f8 a, f8 b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
static BASE_ALWAYS_INLINE f8 f8_ge(f8 a, f8 b) { return _mm256_cmp_ps(a, b, _CMP_GE_OQ); }
static BASE_ALWAYS_INLINE f8 f8_le(f8 a, f8 b) { return _mm256_cmp_ps(a, b, _CMP_LE_OQ); }
static BASE_ALWAYS_INLINE f8 f8_and(f8 a, f8 b) { return _mm256_and_ps(a, b); }
static BASE_ALWAYS_INLINE f8 f8_or(f8 a, f8 b) { return _mm256_or_ps(a, b); }
static BASE_ALWAYS_INLINE f8 f8_andnot(f8 a, f8 b) { return _mm256_andnot_ps(a, b); } /* ~a & b */
static BASE_ALWAYS_INLINE f8 f8_xor(f8 a, f8 b) { return _mm256_xor_ps(a, b); }
static BASE_ALWAYS_INLINE f8 f8_select(f8 mask, f8 yes, f8 no) { return _mm256_blendv_ps(no, yes, mask); }
static BASE_ALWAYS_INLINE uint32_t f8_bits(f8 mask) { return (uint32_t)_mm256_movemask_ps(mask); }
/* eight numbers: all the same; first plus each lane of the mask's set bits, then something */
static BASE_ALWAYS_INLINE void simd_store_same(uint32_t *p, uint32_t a)
{
    _mm256_storeu_si256((__m256i *)p, _mm256_set1_epi32((int)a));
}
static BASE_ALWAYS_INLINE void simd_store_set_lanes(uint32_t *p, uint32_t first, uint32_t mask)
{
    __m256i lanes = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)&base_set_lanes[mask]));
    _mm256_storeu_si256((__m256i *)p, _mm256_add_epi32(lanes, _mm256_set1_epi32((int)first)));
}
/* numbers of the mask's lanes, each with another one: smaller << 32 | larger; then something, eight in all */
static BASE_ALWAYS_INLINE void simd_store_pairs(uint64_t *p, const uint32_t *numbers, uint32_t other, uint32_t mask)
{
    __m256i lanes = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)&base_set_lanes[mask]));
    __m256i one = _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)numbers), lanes);
    __m256i two = _mm256_set1_epi32((int)other);
    __m256i small = _mm256_min_epu32(one, two), large = _mm256_max_epu32(one, two);
    __m256i low = _mm256_unpacklo_epi32(large, small), high = _mm256_unpackhi_epi32(large, small);
    _mm256_storeu_si256((__m256i *)p, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256((__m256i *)(p + 4), _mm256_permute2x128_si256(low, high, 0x31));
}
/* numbers of the mask's lanes, each with the one `by` lanes behind it, in a circle; then something, eight in all */
static BASE_ALWAYS_INLINE void simd_store_turned_pairs(uint64_t *p, const uint32_t *numbers, int by, uint32_t mask)
{
    __m256i lanes = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)&base_set_lanes[mask]));
    __m256i all = _mm256_loadu_si256((const __m256i *)numbers), one = _mm256_permutevar8x32_epi32(all, lanes);
    __m256i two = _mm256_permutevar8x32_epi32(all, _mm256_add_epi32(lanes, _mm256_set1_epi32(by)));
    __m256i small = _mm256_min_epu32(one, two), large = _mm256_max_epu32(one, two);
    __m256i low = _mm256_unpacklo_epi32(large, small), high = _mm256_unpackhi_epi32(large, small);
    _mm256_storeu_si256((__m256i *)p, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256((__m256i *)(p + 4), _mm256_permute2x128_si256(low, high, 0x31));
}
static BASE_ALWAYS_INLINE f8 f8_turn(f8 a, int by) /* lane i of the result: lane i + by, in a circle */
{
    __m256i lanes = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(by));
    return _mm256_permutevar8x32_ps(a, lanes);
}
/* a b c d of both: a0 a1 a2 a3 b0 b1 b2 b3, and the same of the upper halves */
static BASE_ALWAYS_INLINE f8 f8_lower_halves(f8 a, f8 b) { return _mm256_permute2f128_ps(a, b, 0x20); }
static BASE_ALWAYS_INLINE f8 f8_upper_halves(f8 a, f8 b) { return _mm256_permute2f128_ps(a, b, 0x31); }
static BASE_ALWAYS_INLINE f8 f8_from_d4(d4 low, d4 high) /* rounded to nearest */
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(low)), _mm256_cvtpd_ps(high), 1);
}
static BASE_ALWAYS_INLINE float f8_min_lane(f8 a) /* of all lanes, which are numbers */
{
    __m128 b = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    b = _mm_min_ps(b, _mm_movehl_ps(b, b));
    return _mm_cvtss_f32(_mm_min_ss(b, _mm_shuffle_ps(b, b, 1)));
}
static BASE_ALWAYS_INLINE d4 f8_low_d4(f8 a) { return _mm256_cvtps_pd(_mm256_castps256_ps128(a)); }
static BASE_ALWAYS_INLINE d4 f8_high_d4(f8 a) { return _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1)); }

static BASE_ALWAYS_INLINE d4 d4_load(const double *p) { return _mm256_load_pd(p); }
static BASE_ALWAYS_INLINE d4 d4_loadu(const double *p) { return _mm256_loadu_pd(p); }
static BASE_ALWAYS_INLINE void d4_storeu(double *p, d4 a) { _mm256_storeu_pd(p, a); }
static BASE_ALWAYS_INLINE d4 d4_set1(double a) { return _mm256_set1_pd(a); }
static BASE_ALWAYS_INLINE d4 d4_add(d4 a, d4 b) { return _mm256_add_pd(a, b); }
static BASE_ALWAYS_INLINE d4 d4_sub(d4 a, d4 b) { return _mm256_sub_pd(a, b); }
static BASE_ALWAYS_INLINE d4 d4_mul(d4 a, d4 b) { return _mm256_mul_pd(a, b); } /* never fused: add stays apart */
static BASE_ALWAYS_INLINE d4 d4_div(d4 a, d4 b) { return _mm256_div_pd(a, b); }
static BASE_ALWAYS_INLINE d4 d4_sqrt(d4 a) { return _mm256_sqrt_pd(a); }
static BASE_ALWAYS_INLINE d4 d4_min(d4 a, d4 b) { return _mm256_min_pd(a, b); }
static BASE_ALWAYS_INLINE d4 d4_max(d4 a, d4 b) { return _mm256_max_pd(a, b); }
static BASE_ALWAYS_INLINE d4 d4_abs(d4 a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
static BASE_ALWAYS_INLINE d4 d4_with_sign(d4 size, d4 sign) /* size >= 0 */
{
    return _mm256_or_pd(size, _mm256_and_pd(sign, _mm256_set1_pd(-0.0)));
}
static BASE_ALWAYS_INLINE d4 d4_yzx(d4 a) { return _mm256_permute4x64_pd(a, 0xc9); } /* b c a d */
static BASE_ALWAYS_INLINE d4 d4_zxy(d4 a) { return _mm256_permute4x64_pd(a, 0xd2); } /* c a b d */
static BASE_ALWAYS_INLINE void d4_transpose(d4 row[4])
{
    d4 a = _mm256_unpacklo_pd(row[0], row[1]), b = _mm256_unpackhi_pd(row[0], row[1]);
    d4 c = _mm256_unpacklo_pd(row[2], row[3]), d = _mm256_unpackhi_pd(row[2], row[3]);
    row[0] = _mm256_permute2f128_pd(a, c, 0x20), row[1] = _mm256_permute2f128_pd(b, d, 0x20);
    row[2] = _mm256_permute2f128_pd(a, c, 0x31), row[3] = _mm256_permute2f128_pd(b, d, 0x31);
}
static BASE_ALWAYS_INLINE void d4_store_floats(float *p, d4 a) { _mm_storeu_ps(p, _mm256_cvtpd_ps(a)); }
static BASE_ALWAYS_INLINE uint32_t d4_gt_bits(d4 a, d4 b)
{
    return (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GT_OQ));
}
static BASE_ALWAYS_INLINE uint32_t d4_le_bits(d4 a, d4 b)
{
    return (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LE_OQ));
}

#elif defined(CAROM_ISA_SSE2)

#include <emmintrin.h>

typedef struct f8
{
    __m128 l, h;
} f8;
typedef struct d4
{
    __m128d l, h;
} d4;

#define F8_BOTH(op, a, b) ((f8){op((a).l, (b).l), op((a).h, (b).h)})
#define D4_BOTH(op, a, b) ((d4){op((a).l, (b).l), op((a).h, (b).h)})
static BASE_ALWAYS_INLINE f8 f8_load(const float *p) { return (f8){_mm_load_ps(p), _mm_load_ps(p + 4)}; }
static BASE_ALWAYS_INLINE f8 f8_loadu(const float *p) { return (f8){_mm_loadu_ps(p), _mm_loadu_ps(p + 4)}; }
static BASE_ALWAYS_INLINE void f8_store(float *p, f8 a) { _mm_store_ps(p, a.l), _mm_store_ps(p + 4, a.h); }
static BASE_ALWAYS_INLINE void f8_storeu(float *p, f8 a) { _mm_storeu_ps(p, a.l), _mm_storeu_ps(p + 4, a.h); }
static BASE_ALWAYS_INLINE f8 f8_set1(float a) { return (f8){_mm_set1_ps(a), _mm_set1_ps(a)}; }
static BASE_ALWAYS_INLINE f8 f8_zero(void) { return (f8){_mm_setzero_ps(), _mm_setzero_ps()}; }
static BASE_ALWAYS_INLINE f8 f8_twice(const float *p)
{
    __m128 a = _mm_loadu_ps(p);
    return (f8){a, a};
}
static BASE_ALWAYS_INLINE f8 f8_two(float a, float b) { return (f8){_mm_set1_ps(a), _mm_set1_ps(b)}; }
static BASE_ALWAYS_INLINE f8 f8_swap(f8 a) { return (f8){a.h, a.l}; }
static BASE_ALWAYS_INLINE f8 f8_join(const float *low, const float *high)
{
    return (f8){_mm_loadu_ps(low), _mm_loadu_ps(high)};
}
static BASE_ALWAYS_INLINE void f8_store_low(float *p, f8 a) { _mm_storeu_ps(p, a.l); }
static BASE_ALWAYS_INLINE void f8_store_high(float *p, f8 a) { _mm_storeu_ps(p, a.h); }
static BASE_ALWAYS_INLINE void f8_transpose(f8 row[4])
{
    _MM_TRANSPOSE4_PS(row[0].l, row[1].l, row[2].l, row[3].l);
    _MM_TRANSPOSE4_PS(row[0].h, row[1].h, row[2].h, row[3].h);
}
static BASE_ALWAYS_INLINE f8 f8_add(f8 a, f8 b) { return F8_BOTH(_mm_add_ps, a, b); }
static BASE_ALWAYS_INLINE f8 f8_sub(f8 a, f8 b) { return F8_BOTH(_mm_sub_ps, a, b); }
static BASE_ALWAYS_INLINE f8 f8_mul(f8 a, f8 b) { return F8_BOTH(_mm_mul_ps, a, b); }
static BASE_ALWAYS_INLINE f8 f8_div(f8 a, f8 b) { return F8_BOTH(_mm_div_ps, a, b); }
static BASE_ALWAYS_INLINE f8 f8_madd(f8 a, f8 b, f8 c) { return f8_add(f8_mul(a, b), c); }
static BASE_ALWAYS_INLINE f8 f8_msub(f8 a, f8 b, f8 c) { return f8_sub(f8_mul(a, b), c); }
static BASE_ALWAYS_INLINE f8 f8_nmadd(f8 a, f8 b, f8 c) { return f8_sub(c, f8_mul(a, b)); }
static BASE_ALWAYS_INLINE f8 f8_min(f8 a, f8 b) { return F8_BOTH(_mm_min_ps, a, b); }
static BASE_ALWAYS_INLINE f8 f8_max(f8 a, f8 b) { return F8_BOTH(_mm_max_ps, a, b); }
static BASE_ALWAYS_INLINE f8 f8_and(f8 a, f8 b) { return F8_BOTH(_mm_and_ps, a, b); }
static BASE_ALWAYS_INLINE f8 f8_or(f8 a, f8 b) { return F8_BOTH(_mm_or_ps, a, b); }
static BASE_ALWAYS_INLINE f8 f8_andnot(f8 a, f8 b) { return F8_BOTH(_mm_andnot_ps, a, b); }
static BASE_ALWAYS_INLINE f8 f8_xor(f8 a, f8 b) { return F8_BOTH(_mm_xor_ps, a, b); }
static BASE_ALWAYS_INLINE f8 f8_abs(f8 a) { return f8_andnot(f8_set1(-0.0f), a); }
static BASE_ALWAYS_INLINE f8 f8_neg(f8 a) { return f8_xor(f8_set1(-0.0f), a); }
static BASE_ALWAYS_INLINE f8 f8_sqrt(f8 a) { return (f8){_mm_sqrt_ps(a.l), _mm_sqrt_ps(a.h)}; }
static BASE_ALWAYS_INLINE f8 f8_gt(f8 a, f8 b) { return F8_BOTH(_mm_cmpgt_ps, a, b); }
static BASE_ALWAYS_INLINE f8 f8_lt(f8 a, f8 b) { return F8_BOTH(_mm_cmplt_ps, a, b); }
static BASE_ALWAYS_INLINE f8 f8_ge(f8 a, f8 b) { return F8_BOTH(_mm_cmpge_ps, a, b); }
static BASE_ALWAYS_INLINE f8 f8_le(f8 a, f8 b) { return F8_BOTH(_mm_cmple_ps, a, b); }
static BASE_ALWAYS_INLINE f8 f8_select(f8 mask, f8 yes, f8 no) { return f8_or(f8_and(mask, yes), f8_andnot(mask, no)); }
static BASE_ALWAYS_INLINE uint32_t f8_bits(f8 mask)
{
    return (uint32_t)(_mm_movemask_ps(mask.l) | _mm_movemask_ps(mask.h) << 4);
}
static BASE_ALWAYS_INLINE void simd_store_same(uint32_t *p, uint32_t a)
{
    _mm_storeu_si128((__m128i *)p, _mm_set1_epi32((int)a));
    _mm_storeu_si128((__m128i *)(p + 4), _mm_set1_epi32((int)a));
}
static BASE_ALWAYS_INLINE void simd_store_set_lanes(uint32_t *p, uint32_t first, uint32_t mask)
{
    __m128i zero = _mm_setzero_si128(), start = _mm_set1_epi32((int)first);
    __m128i lanes = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)&base_set_lanes[mask]), zero);
    _mm_storeu_si128((__m128i *)p, _mm_add_epi32(_mm_unpacklo_epi16(lanes, zero), start));
    _mm_storeu_si128((__m128i *)(p + 4), _mm_add_epi32(_mm_unpackhi_epi16(lanes, zero), start));
}
static inline void simd_store_pairs(uint64_t *p, const uint32_t *numbers, uint32_t other, uint32_t mask)
{
    for (int i = 0; i < 8; i++)
    {
        uint64_t one = numbers[base_set_lanes[mask] >> 8 * i & 7];
        p[i] = one < other ? one << 32 | other : (uint64_t)other << 32 | one;
    }
}
static inline void simd_store_turned_pairs(uint64_t *p, const uint32_t *numbers, int by, uint32_t mask)
{
    for (int i = 0; i < 8; i++)
    {
        uint32_t lane = base_set_lanes[mask] >> 8 * i & 7;
        uint64_t one = numbers[lane], two = numbers[(lane + (uint32_t)by) & 7];
        p[i] = one < two ? one << 32 | two : two << 32 | one;
    }
}
static BASE_ALWAYS_INLINE f8 f8_turn(f8 a, int by)
{
    float lanes[16];
    f8_storeu(lanes, a), f8_storeu(lanes + 8, a);
    return f8_loadu(lanes + by);
}
static BASE_ALWAYS_INLINE f8 f8_lower_halves(f8 a, f8 b) { return (f8){a.l, b.l}; }
static BASE_ALWAYS_INLINE f8 f8_upper_halves(f8 a, f8 b) { return (f8){a.h, b.h}; }
static BASE_ALWAYS_INLINE f8 f8_from_d4(d4 low, d4 high)
{
    return (f8){_mm_movelh_ps(_mm_cvtpd_ps(low.l), _mm_cvtpd_ps(low.h)),
                _mm_movelh_ps(_mm_cvtpd_ps(high.l), _mm_cvtpd_ps(high.h))};
}
static BASE_ALWAYS_INLINE float f8_min_lane(f8 a)
{
    __m128 b = _mm_min_ps(a.l, a.h);
    b = _mm_min_ps(b, _mm_movehl_ps(b, b));
    return _mm_cvtss_f32(_mm_min_ss(b, _mm_shuffle_ps(b, b, 1)));
}
static BASE_ALWAYS_INLINE d4 f8_low_d4(f8 a) { return (d4){_mm_cvtps_pd(a.l), _mm_cvtps_pd(_mm_movehl_ps(a.l, a.l))}; }
static BASE_ALWAYS_INLINE d4 f8_high_d4(f8 a) { return (d4){_mm_cvtps_pd(a.h), _mm_cvtps_pd(_mm_movehl_ps(a.h, a.h))}; }

static BASE_ALWAYS_INLINE d4 d4_load(const double *p) { return (d4){_mm_load_pd(p), _mm_load_pd(p + 2)}; }
static BASE_ALWAYS_INLINE d4 d4_loadu(const double *p) { return (d4){_mm_loadu_pd(p), _mm_loadu_pd(p + 2)}; }
static BASE_ALWAYS_INLINE void d4_storeu(double *p, d4 a) { _mm_storeu_pd(p, a.l), _mm_storeu_pd(p + 2, a.h); }
static BASE_ALWAYS_INLINE d4 d4_set1(double a) { return (d4){_mm_set1_pd(a), _mm_set1_pd(a)}; }
static BASE_ALWAYS_INLINE d4 d4_add(d4 a, d4 b) { return D4_BOTH(_mm_add_pd, a, b); }
static BASE_ALWAYS_INLINE d4 d4_sub(d4 a, d4 b) { return D4_BOTH(_mm_sub_pd, a, b); }
static BASE_ALWAYS_INLINE d4 d4_mul(d4 a, d4 b) { return D4_BOTH(_mm_mul_pd, a, b); }
static BASE_ALWAYS_INLINE d4 d4_div(d4 a, d4 b) { return D4_BOTH(_mm_div_pd, a, b); }
static BASE_ALWAYS_INLINE d4 d4_sqrt(d4 a) { return (d4){_mm_sqrt_pd(a.l), _mm_sqrt_pd(a.h)}; }
static BASE_ALWAYS_INLINE d4 d4_min(d4 a, d4 b) { return D4_BOTH(_mm_min_pd, a, b); }
static BASE_ALWAYS_INLINE d4 d4_max(d4 a, d4 b) { return D4_BOTH(_mm_max_pd, a, b); }
static BASE_ALWAYS_INLINE d4 d4_abs(d4 a)
{
    __m128d sign = _mm_set1_pd(-0.0);
    return (d4){_mm_andnot_pd(sign, a.l), _mm_andnot_pd(sign, a.h)};
}
static BASE_ALWAYS_INLINE d4 d4_with_sign(d4 size, d4 sign)
{
    __m128d bit = _mm_set1_pd(-0.0);
    return (d4){_mm_or_pd(size.l, _mm_and_pd(sign.l, bit)), _mm_or_pd(size.h, _mm_and_pd(sign.h, bit))};
}
static BASE_ALWAYS_INLINE d4 d4_yzx(d4 a) { return (d4){_mm_shuffle_pd(a.l, a.h, 1), _mm_shuffle_pd(a.l, a.h, 2)}; }
static BASE_ALWAYS_INLINE d4 d4_zxy(d4 a) { return (d4){_mm_shuffle_pd(a.h, a.l, 0), _mm_shuffle_pd(a.l, a.h, 3)}; }
static BASE_ALWAYS_INLINE void d4_transpose(d4 row[4])
{
    d4 a = row[0], b = row[1], c = row[2], d = row[3];
    row[0] = (d4){_mm_unpacklo_pd(a.l, b.l), _mm_unpacklo_pd(c.l, d.l)};
    row[1] = (d4){_mm_unpackhi_pd(a.l, b.l), _mm_unpackhi_pd(c.l, d.l)};
    row[2] = (d4){_mm_unpacklo_pd(a.h, b.h), _mm_unpacklo_pd(c.h, d.h)};
    row[3] = (d4){_mm_unpackhi_pd(a.h, b.h), _mm_unpackhi_pd(c.h, d.h)};
}
static BASE_ALWAYS_INLINE void d4_store_floats(float *p, d4 a)
{
    _mm_storeu_ps(p, _mm_movelh_ps(_mm_cvtpd_ps(a.l), _mm_cvtpd_ps(a.h)));
}
static BASE_ALWAYS_INLINE uint32_t d4_gt_bits(d4 a, d4 b)
{
    return (uint32_t)(_mm_movemask_pd(_mm_cmpgt_pd(a.l, b.l)) | _mm_movemask_pd(_mm_cmpgt_pd(a.h, b.h)) << 2);
}
static BASE_ALWAYS_INLINE uint32_t d4_le_bits(d4 a, d4 b)
{
    return (uint32_t)(_mm_movemask_pd(_mm_cmple_pd(a.l, b.l)) | _mm_movemask_pd(_mm_cmple_pd(a.h, b.h)) << 2);
}

#elif defined(CAROM_ISA_SCALAR)

#include <math.h>

typedef struct f8
{
    float v[8];
} f8;
typedef struct d4
{
    double v[4];
} d4;

static inline uint32_t simd_float_bits(float a)
{
    uint32_t u;
    memcpy(&u, &a, 4);
    return u;
}
static inline float simd_bits_float(uint32_t u)
{
    float a;
    memcpy(&a, &u, 4);
    return a;
}
#define F8_EACH(expression)                                                                                            \
    do                                                                                                                 \
    {                                                                                                                  \
        f8 r_;                                                                                                         \
        for (int i = 0; i < 8; i++)                                                                                    \
            r_.v[i] = (expression);                                                                                    \
        return r_;                                                                                                     \
    } while (0)
#define D4_EACH(expression)                                                                                            \
    do                                                                                                                 \
    {                                                                                                                  \
        d4 r_;                                                                                                         \
        for (int i = 0; i < 4; i++)                                                                                    \
            r_.v[i] = (expression);                                                                                    \
        return r_;                                                                                                     \
    } while (0)
#define F8_WHEN(condition) F8_EACH(simd_bits_float((condition) ? 0xffffffffu : 0u))
static inline f8 f8_loadu(const float *p) { F8_EACH(p[i]); }
static inline f8 f8_load(const float *p) { return f8_loadu(p); }
static inline void f8_storeu(float *p, f8 a) { memcpy(p, a.v, sizeof a.v); }
static inline void f8_store(float *p, f8 a) { f8_storeu(p, a); }
static inline f8 f8_set1(float a) { F8_EACH(a); }
static inline f8 f8_zero(void) { return f8_set1(0.0f); }
static inline f8 f8_twice(const float *p) { F8_EACH(p[i & 3]); }
static inline f8 f8_two(float a, float b) { F8_EACH(i < 4 ? a : b); }
static inline f8 f8_swap(f8 a) { F8_EACH(a.v[i ^ 4]); }
static inline f8 f8_join(const float *low, const float *high) { F8_EACH(i < 4 ? low[i] : high[i - 4]); }
static inline void f8_store_low(float *p, f8 a) { memcpy(p, a.v, 4 * sizeof *p); }
static inline void f8_store_high(float *p, f8 a) { memcpy(p, a.v + 4, 4 * sizeof *p); }
static inline void f8_transpose(f8 row[4])
{
    f8 old[4] = {row[0], row[1], row[2], row[3]};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            row[i].v[j] = old[j].v[i], row[i].v[j + 4] = old[j].v[i + 4];
}
static inline f8 f8_add(f8 a, f8 b) { F8_EACH(a.v[i] + b.v[i]); }
static inline f8 f8_sub(f8 a, f8 b) { F8_EACH(a.v[i] - b.v[i]); }
static inline f8 f8_mul(f8 a, f8 b) { F8_EACH(a.v[i] * b.v[i]); }
static inline f8 f8_div(f8 a, f8 b) { F8_EACH(a.v[i] / b.v[i]); }
static inline f8 f8_madd(f8 a, f8 b, f8 c) { return f8_add(f8_mul(a, b), c); }
static inline f8 f8_msub(f8 a, f8 b, f8 c) { return f8_sub(f8_mul(a, b), c); }
static inline f8 f8_nmadd(f8 a, f8 b, f8 c) { return f8_sub(c, f8_mul(a, b)); }
static inline f8 f8_min(f8 a, f8 b) { F8_EACH(a.v[i] < b.v[i] ? a.v[i] : b.v[i]); }
static inline f8 f8_max(f8 a, f8 b) { F8_EACH(a.v[i] > b.v[i] ? a.v[i] : b.v[i]); }
static inline f8 f8_abs(f8 a) { F8_EACH(simd_bits_float(simd_float_bits(a.v[i]) & 0x7fffffffu)); }
static inline f8 f8_neg(f8 a) { F8_EACH(-a.v[i]); }
static inline f8 f8_sqrt(f8 a) { F8_EACH(sqrtf(a.v[i])); }
static inline f8 f8_gt(f8 a, f8 b) { F8_WHEN(a.v[i] > b.v[i]); }
static inline f8 f8_lt(f8 a, f8 b) { F8_WHEN(a.v[i] < b.v[i]); }
static inline f8 f8_ge(f8 a, f8 b) { F8_WHEN(a.v[i] >= b.v[i]); }
static inline f8 f8_le(f8 a, f8 b) { F8_WHEN(a.v[i] <= b.v[i]); }
static inline f8 f8_and(f8 a, f8 b) { F8_EACH(simd_bits_float(simd_float_bits(a.v[i]) & simd_float_bits(b.v[i]))); }
static inline f8 f8_or(f8 a, f8 b) { F8_EACH(simd_bits_float(simd_float_bits(a.v[i]) | simd_float_bits(b.v[i]))); }
static inline f8 f8_andnot(f8 a, f8 b) { F8_EACH(simd_bits_float(~simd_float_bits(a.v[i]) & simd_float_bits(b.v[i]))); }
static inline f8 f8_xor(f8 a, f8 b) { F8_EACH(simd_bits_float(simd_float_bits(a.v[i]) ^ simd_float_bits(b.v[i]))); }
static inline f8 f8_select(f8 m, f8 yes, f8 no) { F8_EACH(simd_float_bits(m.v[i]) >> 31 ? yes.v[i] : no.v[i]); }
static inline uint32_t f8_bits(f8 m)
{
    uint32_t r = 0;
    for (int i = 0; i < 8; i++)
        r |= (simd_float_bits(m.v[i]) >> 31) << i;
    return r;
}
static inline void simd_store_same(uint32_t *p, uint32_t a)
{
    for (int i = 0; i < 8; i++)
        p[i] = a;
}
static inline void simd_store_set_lanes(uint32_t *p, uint32_t first, uint32_t mask)
{
    for (int i = 0; i < 8; i++)
        p[i] = first + (uint32_t)(base_set_lanes[mask] >> 8 * i & 0xff);
}
static inline void simd_store_pairs(uint64_t *p, const uint32_t *numbers, uint32_t other, uint32_t mask)
{
    for (int i = 0; i < 8; i++)
    {
        uint64_t one = numbers[base_set_lanes[mask] >> 8 * i & 7];
        p[i] = one < other ? one << 32 | other : (uint64_t)other << 32 | one;
    }
}
static inline void simd_store_turned_pairs(uint64_t *p, const uint32_t *numbers, int by, uint32_t mask)
{
    for (int i = 0; i < 8; i++)
    {
        uint32_t lane = base_set_lanes[mask] >> 8 * i & 7;
        uint64_t one = numbers[lane], two = numbers[(lane + (uint32_t)by) & 7];
        p[i] = one < two ? one << 32 | two : two << 32 | one;
    }
}
static inline f8 f8_turn(f8 a, int by) { F8_EACH(a.v[(i + by) & 7]); }
static inline f8 f8_lower_halves(f8 a, f8 b) { F8_EACH(i < 4 ? a.v[i] : b.v[i - 4]); }
static inline f8 f8_upper_halves(f8 a, f8 b) { F8_EACH(i < 4 ? a.v[i + 4] : b.v[i]); }
static inline f8 f8_from_d4(d4 low, d4 high) { F8_EACH((float)(i < 4 ? low.v[i] : high.v[i - 4])); }
static inline float f8_min_lane(f8 a)
{
    float smallest = a.v[0];
    for (int i = 1; i < 8; i++)
        smallest = a.v[i] < smallest ? a.v[i] : smallest;
    return smallest;
}
static inline d4 f8_low_d4(f8 a) { D4_EACH((double)a.v[i]); }
static inline d4 f8_high_d4(f8 a) { D4_EACH((double)a.v[i + 4]); }

static inline d4 d4_loadu(const double *p) { D4_EACH(p[i]); }
static inline d4 d4_load(const double *p) { return d4_loadu(p); }
static inline void d4_storeu(double *p, d4 a) { memcpy(p, a.v, sizeof a.v); }
static inline d4 d4_set1(double a) { D4_EACH(a); }
static inline d4 d4_add(d4 a, d4 b) { D4_EACH(a.v[i] + b.v[i]); }
static inline d4 d4_sub(d4 a, d4 b) { D4_EACH(a.v[i] - b.v[i]); }
static inline d4 d4_mul(d4 a, d4 b) { D4_EACH(a.v[i] * b.v[i]); }
static inline d4 d4_div(d4 a, d4 b) { D4_EACH(a.v[i] / b.v[i]); }
static inline d4 d4_sqrt(d4 a) { D4_EACH(sqrt(a.v[i])); }
static inline d4 d4_min(d4 a, d4 b) { D4_EACH(a.v[i] < b.v[i] ? a.v[i] : b.v[i]); }
static inline d4 d4_max(d4 a, d4 b) { D4_EACH(a.v[i] > b.v[i] ? a.v[i] : b.v[i]); }
static inline d4 d4_abs(d4 a) { D4_EACH(fabs(a.v[i])); }
static inline d4 d4_with_sign(d4 size, d4 sign) { D4_EACH(copysign(size.v[i], sign.v[i])); }
static inline d4 d4_yzx(d4 a) { return (d4){{a.v[1], a.v[2], a.v[0], a.v[3]}}; }
static inline d4 d4_zxy(d4 a) { return (d4){{a.v[2], a.v[0], a.v[1], a.v[3]}}; }
static inline void d4_transpose(d4 row[4])
{
    d4 old[4] = {row[0], row[1], row[2], row[3]};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            row[i].v[j] = old[j].v[i];
}
static inline void d4_store_floats(float *p, d4 a)
{
    for (int i = 0; i < 4; i++)
        p[i] = (float)a.v[i];
}
static inline uint32_t d4_gt_bits(d4 a, d4 b)
{
    uint32_t r = 0;
    for (int i = 0; i < 4; i++)
        r |= (uint32_t)(a.v[i] > b.v[i]) << i;
    return r;
}
static inline uint32_t d4_le_bits(d4 a, d4 b)
{
    uint32_t r = 0;
    for (int i = 0; i < 4; i++)
        r |= (uint32_t)(a.v[i] <= b.v[i]) << i;
    return r;
}

#else
#error "a *_simd.c file is compiled with CAROM_ISA_AVX2, CAROM_ISA_SSE2 or CAROM_ISA_SCALAR defined"
#endif

/* lanes 3 and 7 cleared: builders keep ids there, whose bits are not floats and must not reach arithmetic */
static BASE_ALWAYS_INLINE f8 f8_xyz(f8 a) { return f8_and(a, f8_load(base_xyz_lanes.v)); }

/* one float and its bits */
static inline float as_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static inline uint32_t as_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

#endif
