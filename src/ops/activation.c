#include "ops/activation.h"

#include <string.h>

#include "kernels/vmath.h"

typedef struct activation_param {
    hst__act act;
    hst__act_row *row;
} activation_param;

enum { BLOCK = 1024 }; /* floats that stay in L1 between the copy and the function */

static void row_f32(void *y, const void *from, size_t n, const void *param) {
    const activation_param *p = param;
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t count = n - i < BLOCK ? n - i : BLOCK;
        float *out = (float *)y + i;
        if (y != from)
            memcpy(out, (const float *)from + i, count * sizeof *out);
        p->row(out, count, &p->act);
    }
}

static void row_f64(void *y, const void *from, size_t n, const void *param) {
    const activation_param *p = param;
    for (size_t i = 0; i < n; i++)
        ((double *)y)[i] = hst__act_value(((const double *)from)[i], &p->act);
}

hst_status hst__activation_prepare(hst__op_ctx *c, hst__step *s, hst__act act) {
    static hst__unary_row *const rows[HST__DTYPES] = {[HST_DTYPE_F32] = row_f32,
                                                      [HST_DTYPE_F64] = row_f64};
    activation_param *p = hst__op_state(c, sizeof *p);
    if (!p)
        return hst__op_nomem(c, sizeof *p);
    p->act = act;
    p->row = hst__act_select(&act, c->cpu);
    s->kernel = hst__act_text(act.kind);
    bool fast = c->in[0].dtype == HST_DTYPE_F32 && c->cpu != HST_CPU_REF;
    return hst__unary_prepare_table(c, s, rows, fast ? 0.6 : HST__NS_LIBM, p);
}
