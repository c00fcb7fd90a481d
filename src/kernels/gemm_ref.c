/* The definition of the family, and the portable kernels of the lowest level. */
#include "kernels/gemm_kernels.h"

#include <math.h>
#include <string.h>

#include "kernels/epilogue_ref.h"

void hst__gemm_f32__ref(const hst__gemm_f32_ref_args *g) {
    const hst__epilogue *e = g->epilogue;
    for (size_t i = 0; i < g->m; i++) {
        for (size_t j = 0; j < g->n; j++) {
            double sum = 0;
            for (size_t k = 0; k < g->k; k++)
                sum += (double)g->a[i * g->a_m + k * g->a_k] *
                       (double)g->b[k * g->b_k + j * g->b_n];
            sum *= (double)e->alpha;
            if (e->bias)
                sum += (double)e->bias[j];
            if (e->addend)
                sum += (double)e->addend[i * e->ldd + j];
            g->c[i * g->ldc + j] = hst__act_apply__ref((float)sum, &e->act);
        }
        if (!hst__act_in_registers(e->act.kind))
            e->row(g->c + i * g->ldc, g->n, &e->act);
    }
}

enum { MR = 4, NR = 8 };

static void sum_up(const hst__gemm_f32_tile *t, const float *b, float sums[MR][NR]) {
    for (size_t tap = 0; tap < t->taps; tap++) {
        for (size_t k = 0; k < t->kc; k++, b += NR) {
            for (size_t i = 0; i < t->m; i++) {
                float a = t->rows[tap * MR + i][t->offset + k];
                for (size_t j = 0; j < NR; j++)
                    sums[i][j] += a * b[j];
            }
        }
    }
}

void hst__gemm_f32_4x8__ref(const hst__gemm_f32_tile *t) {
    const float *panel = t->packed + t->k_begin * NR;
    for (size_t j = 0; j < t->n; j += NR, panel += t->panel_stride) {
        float sums[MR][NR] = {{0}};
        sum_up(t, panel, sums);
        for (size_t i = 0; i < t->m; i++) {
            for (size_t x = 0; x < NR && j + x < t->n; x++) {
                float y = sums[i][x] * t->alpha;
                if (t->bias)
                    y += t->bias[j + x];
                if (t->addend)
                    y += t->addend[i * t->ldd + j + x];
                t->c[i * t->ldc + j + x] = hst__act_apply__ref(y, &t->act);
            }
        }
    }
}

void hst__gemm_f32_pack__ref(const hst__gemm_f32_panel *p) {
    for (size_t k = 0; k < p->k; k++) {
        float *row = p->packed + hst__gemm_f32_panel_row(p, k) * p->w;
        const char *from = p->b + k * p->k_stride * sizeof(float);
        for (size_t j = 0; j < p->w; j++) {
            float value = 0;
            if (j < p->n)
                memcpy(&value, from + j * p->n_stride * sizeof(float), sizeof value);
            row[j] = p->scale && j < p->n ? value * p->scale[j] : value;
        }
    }
}
