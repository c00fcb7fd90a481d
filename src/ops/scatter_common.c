#include "ops/scatter_common.h"

#include <string.h>

#include "ops/types.h"

#define COMBINE(name, suffix, ctype, expression)                                         \
    static void name##_##suffix(void *to, const void *from, size_t n) {                  \
        ctype *y = to;                                                                   \
        const ctype *x = from;                                                           \
        for (size_t i = 0; i < n; i++) {                                                 \
            ctype a = y[i], b = x[i];                                                    \
            y[i] = (ctype)(expression);                                                  \
        }                                                                                \
    }
#define COMBINE_ALL(suffix, ctype, wide)                                                 \
    COMBINE(add, suffix, ctype, (wide)a + (wide)b)                                       \
    COMBINE(mul, suffix, ctype, (wide)a *(wide)b)                                        \
    COMBINE(max, suffix, ctype, a != a || a > b ? a : b)                                 \
    COMBINE(min, suffix, ctype, a != a || a < b ? a : b)
COMBINE_ALL(f32, float, float)
COMBINE_ALL(f64, double, double)
COMBINE_ALL(s32, int32_t, uint32_t)
COMBINE_ALL(s64, int64_t, uint64_t)

enum { ADD, MUL, MAX, MIN, REDUCTIONS };
static const char *const reductions[REDUCTIONS] = {"add", "mul", "max", "min"};
#define COMBINE_ENTRY(dtype, suffix)                                                     \
    [dtype] = {add_##suffix, mul_##suffix, max_##suffix, min_##suffix},
static hst__combine *const combines[HST__DTYPES][REDUCTIONS] = {
    COMBINE_ENTRY(HST_DTYPE_F32, f32) COMBINE_ENTRY(HST_DTYPE_F64, f64)
        COMBINE_ENTRY(HST_DTYPE_S32, s32) COMBINE_ENTRY(HST_DTYPE_S64, s64)};

hst_status hst__scatter_reduction(hst__op_ctx *c, hst__combine **combine) {
    const char *reduction = hst__attr_string(c->node, "reduction", "none");
    int which = 0;
    *combine = NULL;
    if (strcmp(reduction, "none") == 0)
        return HST_OK;
    while (which < REDUCTIONS && strcmp(reduction, reductions[which]) != 0)
        which++;
    if (which == REDUCTIONS)
        return hst__op_fail(c, HST_E_UNSUPPORTED,
                            "reduction '%s', supported: none, add, mul, max, min",
                            reduction);
    *combine = combines[c->in[0].dtype][which];
    return *combine ? HST_OK : hst__op_bad_type(c, 0, "f32, f64, s32, s64");
}
