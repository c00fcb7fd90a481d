#include <math.h>

#include "ops/binary.h"

/* The exponent may have another type than the base since opset 12. An integer to an
 * integer is exact modulo 2^64; everything else goes by double. */

typedef float base_f32;
typedef double base_f64;
typedef int32_t base_s32;
typedef int64_t base_s64;

/** base^exponent modulo 2^64; a negative exponent gives 1/base^|exponent| cut to 0. */
static uint64_t whole_s64(int64_t base, int64_t exponent) {
    uint64_t result = 1, square = (uint64_t)base;
    if (exponent < 0)
        return base == 1 ? 1 : base == -1 ? (exponent % 2 ? UINT64_MAX : 1) : 0;
    for (; exponent; exponent >>= 1, square *= square)
        if (exponent & 1)
            result *= square;
    return result;
}
static uint64_t whole_s32(int32_t base, int64_t exponent) {
    return whole_s64(base, exponent);
}
static double whole_f64(double base, int64_t exponent) {
    return pow(base, (double)exponent);
}
static double whole_f32(float base, int64_t exponent) {
    return pow(base, (double)exponent);
}

static double real_f32(float base, double exponent) { return pow(base, exponent); }
static double real_f64(double base, double exponent) { return pow(base, exponent); }
/** NaN gives 0, what is too large saturates. */
static int32_t real_s32(int32_t base, double exponent) {
    double v = pow(base, exponent);
    return v != v            ? 0
           : v <= INT32_MIN  ? INT32_MIN
           : v >= INT32_MAX ? INT32_MAX
                             : (int32_t)v;
}
static int64_t real_s64(int64_t base, double exponent) {
    double v = pow((double)base, exponent);
    return v != v         ? 0
           : v <= -0x1p63 ? INT64_MIN
           : v >= 0x1p63  ? INT64_MAX
                          : (int64_t)v;
}

#define POW_ROW(base, suffix, ctype, result)                                             \
    static void base##_##suffix(void *y, const void *pa, const void *pb, size_t n,       \
                                size_t sa, size_t sb) {                                  \
        const base_##base *a = pa;                                                       \
        const ctype *b = pb;                                                             \
        base_##base *o = y;                                                              \
        for (size_t i = 0; i < n; i++)                                                   \
            o[i] = (base_##base)(result);                                                \
    }
#define REAL_ROW(base, suffix, dtype, ctype)                                             \
    POW_ROW(base, suffix, ctype, real_##base(a[i * sa], (double)b[i * sb]))
#define WHOLE_ROW(base, suffix, dtype, ctype)                                            \
    POW_ROW(base, suffix, ctype, whole_##base(a[i * sa], (int64_t)b[i * sb]))
#define POW_ROWS(base) HST__TYPES_FLOAT(REAL_ROW, base) HST__TYPES_INT(WHOLE_ROW, base)
#define POW_TABLE(base) {HST__TYPES_NUMBER(HST__TYPE_ENTRY, base##_)}
POW_ROWS(f32)
POW_ROWS(f64)
POW_ROWS(s32)
POW_ROWS(s64)

/* Exponents that networks use, without a call of the C library. */
#define CONSTANT_ROW(name, expr)                                                         \
    static void name(void *y, const void *pa, const void *pb, size_t n, size_t sa,       \
                     size_t sb) {                                                        \
        const float *a = pa;                                                             \
        float *o = y;                                                                    \
        (void)pb;                                                                        \
        (void)sb;                                                                        \
        for (size_t i = 0; i < n; i++) {                                                 \
            const float x = a[i * sa];                                                   \
            o[i] = expr;                                                                 \
        }                                                                                \
    }
CONSTANT_ROW(square, x *x)
CONSTANT_ROW(cube, x *x *x)

static hst__binary_row *constant_row(hst__op_ctx *c) {
    float exponent;
    int n;
    if (c->in[0].dtype != HST_DTYPE_F32 || !c->in_const[1] ||
        hst__desc_size(&c->in[1]) != 1 || hst__op_floats(c, 1, &exponent, 1, &n))
        return NULL;
    return exponent == 2 ? square : exponent == 3 ? cube : NULL;
}

static hst_status infer(hst__op_ctx *c) {
    hst_status st = hst__types_need(c, 2);
    return st ? st : hst__binary_infer_as(c, c->in[0].dtype);
}

static hst_status prepare(hst__op_ctx *c, hst__step *s) {
    static hst__binary_row *const rows[HST__DTYPES][HST__DTYPES] = {
        [HST_DTYPE_F32] = POW_TABLE(f32),
        [HST_DTYPE_F64] = POW_TABLE(f64),
        [HST_DTYPE_S32] = POW_TABLE(s32),
        [HST_DTYPE_S64] = POW_TABLE(s64)};
    hst__binary_row *const *of_base = rows[c->in[0].dtype];
    if (!of_base[HST_DTYPE_F32])
        return hst__op_bad_type(c, 0, "f32, f64, s32, s64");
    if (!of_base[c->in[1].dtype])
        return hst__op_bad_type(c, 1, "numbers");
    hst__binary_row *fast = constant_row(c);
    if (fast) {
        s->kernel = "power";
        return hst__binary_prepare(c, s, fast, HST__NS_CHEAP);
    }
    return hst__binary_prepare(c, s, of_base[c->in[1].dtype], 4 * HST__NS_LIBM);
}

const hst__op hst__op_Pow = {7, HST__OPSET_MAX, 2, 2, 1, 1, false, infer, prepare};
