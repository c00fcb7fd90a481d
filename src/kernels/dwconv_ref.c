#include "kernels/dwconv_kernels.h"

#include "kernels/epilogue_ref.h"

void hst__dwconv_f32__ref(const hst__dwconv_f32_part *p) {
    ptrdiff_t first = p->first_col;
    for (size_t i = 0; i < p->pixels; i++, first += (ptrdiff_t)p->stride) {
        hst__dwconv_span cols =
            hst__dwconv_taps_inside(first, p->dilation, p->cols, p->in_cols);
        for (size_t c = 0; c < p->channels; c++) {
            const float *w =
                p->w + c / HST__DWCONV_BLOCK * p->w_block_step + c % HST__DWCONV_BLOCK;
            float sum = p->bias ? p->bias[c] : 0;
            for (size_t row = 0; row < p->rows; row++) {
                for (size_t k = cols.begin; k < cols.end; k++) {
                    size_t col = (size_t)(first + (ptrdiff_t)(k * p->dilation));
                    sum += p->x[row * p->row_step + col * p->col_step + c] *
                           w[row * p->w_row_step + k * HST__DWCONV_BLOCK];
                }
            }
            if (p->addend)
                sum += p->addend[i * p->ldd + c];
            p->y[i * p->y_step + c] = hst__act_apply__ref(sum, &p->act);
        }
    }
}
