#include "kernels/gemm.h"

#include <string.h>

#include "kernels/gemm_loop.h"

/* Where a tile's rows of A are. */
typedef struct source {
    const float *a;
    size_t lda;
    float *copy; /* [mr][stride] when rows are gathered */
} source;

static void direct_rows(void *context, const hst__gemm_f32_block *b) {
    const source *s = context;
    for (size_t i = 0; i < b->m; i++)
        b->table[i] = s->a + (b->m_begin + i) * s->lda;
}

static void copied_rows(void *context, const hst__gemm_f32_block *b) {
    const source *s = context;
    size_t stride = hst__gemm_f32_gather_stride(b->run);
    for (size_t i = 0; i < b->m; i++) {
        float *to = s->copy + i * stride;
        memcpy(to, s->a + (b->m_begin + i) * s->lda + b->run_begin,
               b->run * sizeof(float));
        b->table[i] = to;
    }
}

static void transposed_rows(void *context, const hst__gemm_f32_block *b) {
    const source *s = context;
    size_t stride = hst__gemm_f32_gather_stride(b->run);
    for (size_t k = 0; k < b->run; k++) {
        const float *from = s->a + (b->run_begin + k) * s->lda + b->m_begin;
        for (size_t i = 0; i < b->m; i++)
            s->copy[i * stride + k] = from[i];
    }
    for (size_t i = 0; i < b->m; i++)
        b->table[i] = s->copy + i * stride;
}

void hst__gemm_f32_run(const hst__gemm_f32_plan *plan, const hst__gemm_f32_args *args,
                       const hst__tiles *tiles) {
    const float *table[HST__GEMM_MR_MAX];
    source from = {args->a, plan->lda, args->scratch};
    if (!plan->n_panels)
        return;
    hst__gemm_f32_loop_run(&(hst__gemm_f32_loop){.kernel = plan->kernel,
                                                 .m = plan->m,
                                                 .taps = 1,
                                                 .run = plan->k,
                                                 .block_taps = 1,
                                                 .block_run = plan->kc,
                                                 .group_n = plan->n,
                                                 .group_panels = plan->n_panels,
                                                 .gathered = plan->copy_a,
                                                 .packed = args->packed,
                                                 .c = args->c,
                                                 .ldc = plan->ldc,
                                                 .epilogue = args->epilogue,
                                                 .table = table,
                                                 .rows = plan->a_transposed
                                                             ? transposed_rows
                                                         : plan->copy_a ? copied_rows
                                                                        : direct_rows,
                                                 .source = &from},
                           tiles);
}
