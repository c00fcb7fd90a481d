/* Channels-last pooling: channels in the lanes, sums in registers; included once by the
 * file of each CPU level.
 *
 * A window is reduced tap by tap, or, where windows overlap enough, down its rows first:
 * the columns of a line are reduced once into a buffer and shared by the windows. */
#ifndef HST_KERNELS_X86_POOL_F32_H
#define HST_KERNELS_X86_POOL_F32_H

#include <math.h>

#include "kernels/pool_window.h"
#include "kernels/x86/vec.h"

typedef vf join(vf value, vf so_far);
V_INLINE vf join_max(vf value, vf so_far) { return v_max_nan(value, so_far); }
V_INLINE vf join_sum(vf value, vf so_far) { return v_add(value, so_far); }

/** rows x columns taps, this far apart. */
typedef struct taps {
    const float *x;
    size_t rows, columns, row_step, column_step;
} taps;

/** y = scale * (taps joined), for n channels in at most `vectors` vectors. */
V_INLINE void join_taps(const taps *t, size_t at, float *y, size_t n, int vectors,
                        float start, float scale, join *f) {
    vf sum[4];
    for (int v = 0; v < vectors; v++)
        sum[v] = v_set(start);
    for (size_t i = 0; i < t->rows; i++) {
        const float *x = t->x + i * t->row_step + at;
        for (size_t j = 0; j < t->columns; j++, x += t->column_step)
            for (int v = 0; v < vectors; v++)
                sum[v] = f(v_load_part(x + v * VN, n), sum[v]);
    }
    for (int v = 0; v < vectors; v++)
        v_store_part(y + at + v * VN, n, v_mul(sum[v], v_set(scale)));
}

V_INLINE void join_channels(const taps *t, float *y, size_t channels, float start,
                            float scale, join *f) {
    size_t c = 0;
    for (; c + 4 * VN <= channels; c += 4 * VN)
        join_taps(t, c, y, VN, 4, start, scale, f);
    for (; c + VN <= channels; c += VN)
        join_taps(t, c, y, VN, 1, start, scale, f);
    if (c < channels)
        join_taps(t, c, y, channels - c, 1, start, scale, f);
}

/** One output row of one image. */
typedef struct line {
    const hst__pool_desc *d;
    const float *image;
    float *y;
    ptrdiff_t oh, h0, h1; /**< output row; the taps inside */
} line;

V_INLINE const float *line_at(const line *l, ptrdiff_t column) {
    const hst__pool_desc *d = l->d;
    ptrdiff_t row = l->oh * d->stride[0] - d->pad_begin[0] + l->h0 * d->dilation[0];
    return l->image + (row * d->in[1] + column) * (ptrdiff_t)d->channels;
}

V_INLINE void direct_line(const line *l, bool average, float start, join *f) {
    const hst__pool_desc *d = l->d;
    const size_t c = d->channels;
    for (ptrdiff_t ow = 0; ow < d->out[1]; ow++) {
        ptrdiff_t w0, w1;
        hst__pool_taps(d, 1, ow, &w0, &w1);
        ptrdiff_t first = ow * d->stride[1] - d->pad_begin[1] + w0 * d->dilation[1];
        bool any = w1 > w0 && l->h1 > l->h0;
        taps t = {.x = any ? line_at(l, first) : l->image,
                  .rows = any ? (size_t)(l->h1 - l->h0) : 0,
                  .columns = (size_t)(w1 - w0),
                  .row_step = (size_t)(d->dilation[0] * d->in[1]) * c,
                  .column_step = (size_t)d->dilation[1] * c};
        float scale = 1;
        if (average)
            scale = hst__pool_scale(d, (ptrdiff_t[]){l->oh, ow},
                                    (ptrdiff_t[]){l->h1 - l->h0, w1 - w0});
        join_channels(&t, l->y + (size_t)ow * c, c, start, scale, f);
    }
}

enum { COLUMNS = 256 }; /**< in the buffer: 16 KiB at 16 lanes */

/** Output columns from..to-1, which read the columns first..end-1 of the input; these fit
 * the buffer. */
typedef struct span {
    ptrdiff_t from, to, first, end;
    struct {
        int begin, end; /**< taps inside: columns of the buffer */
        float scale;
    } window[COLUMNS];
} span;

V_INLINE void shared_part(const line *l, const span *s, size_t c, size_t n, bool average,
                          float start, join *f) {
    const hst__pool_desc *d = l->d;
    const size_t row_step = (size_t)(d->dilation[0] * d->in[1]) * d->channels;
    const int step = (int)d->dilation[1];
    vf column[COLUMNS];
    for (ptrdiff_t w = s->first; w < s->end; w++) {
        const float *x = line_at(l, w) + c;
        vf sum = v_load_part(x, n);
        for (ptrdiff_t i = l->h0 + 1; i < l->h1; i++)
            sum = f(v_load_part(x += row_step, n), sum);
        column[w - s->first] = sum;
    }
    for (ptrdiff_t ow = s->from; ow < s->to; ow++) {
        ptrdiff_t i = ow - s->from;
        vf sum = v_set(start);
        for (int j = s->window[i].begin; j < s->window[i].end; j += step)
            sum = f(column[j], sum);
        if (average)
            sum = v_mul(sum, v_set(s->window[i].scale));
        v_store_part(l->y + (size_t)ow * d->channels + c, n, sum);
    }
}

static void place_windows(const line *l, span *s, bool average) {
    const hst__pool_desc *d = l->d;
    for (ptrdiff_t ow = s->from; ow < s->to; ow++) {
        ptrdiff_t w0, w1, i = ow - s->from;
        ptrdiff_t at = ow * d->stride[1] - d->pad_begin[1] - s->first;
        hst__pool_taps(d, 1, ow, &w0, &w1);
        s->window[i].begin = (int)(at + w0 * d->dilation[1]);
        s->window[i].end = (int)(at + w1 * d->dilation[1]);
        if (average)
            s->window[i].scale = hst__pool_scale(d, (ptrdiff_t[]){l->oh, ow},
                                                 (ptrdiff_t[]){l->h1 - l->h0, w1 - w0});
    }
}

V_INLINE void shared_line(const line *l, bool average, float start, join *f) {
    const hst__pool_desc *d = l->d;
    ptrdiff_t reach = (d->kernel[1] - 1) * d->dilation[1] + 1, step = d->stride[1];
    ptrdiff_t batch = (COLUMNS - reach) / step + 1; /* windows whose columns fit */
    span s;
    for (s.from = 0; s.from < d->out[1]; s.from = s.to) {
        s.to = d->out[1] - s.from < batch ? d->out[1] : s.from + batch;
        s.first = s.from * step - d->pad_begin[1];
        s.end = (s.to - 1) * step - d->pad_begin[1] + reach;
        s.first = s.first < 0 ? 0 : s.first;
        s.end = s.end > d->in[1] ? d->in[1] : s.end;
        place_windows(l, &s, average);
        size_t c = 0;
        for (; c + VN <= d->channels; c += VN)
            shared_part(l, &s, c, VN, average, start, f);
        if (c < d->channels)
            shared_part(l, &s, c, d->channels - c, average, start, f);
    }
}

/** Loads a window costs either way; a store counts as one. */
V_INLINE bool share(const hst__pool_desc *d) {
    ptrdiff_t reach = (d->kernel[1] - 1) * d->dilation[1] + 1;
    return reach <= COLUMNS / 2 && d->stride[1] <= COLUMNS / 2 &&
           d->stride[1] * (d->kernel[0] + 1) + d->kernel[1] < d->kernel[0] * d->kernel[1];
}

V_INLINE void pool_rows(const hst__pool_desc *d, const float *x, float *y,
                        size_t row_begin, size_t row_end, bool average, float start,
                        join *f) {
    const size_t c = d->channels, image = (size_t)(d->in[0] * d->in[1]) * c;
    bool shared = share(d);
    for (size_t row = row_begin; row < row_end; row++) {
        line l = {.d = d,
                  .image = x + row / (size_t)d->out[0] * image,
                  .y = y + row * (size_t)d->out[1] * c,
                  .oh = (ptrdiff_t)(row % (size_t)d->out[0])};
        hst__pool_taps(d, 0, l.oh, &l.h0, &l.h1);
        if (shared && l.h1 > l.h0)
            shared_line(&l, average, start, f);
        else
            direct_line(&l, average, start, f);
    }
}

static void max_rows(const hst__pool_desc *d, const float *x, float *y, size_t row_begin,
                     size_t row_end) {
    pool_rows(d, x, y, row_begin, row_end, false, -INFINITY, join_max);
}

static void average_rows(const hst__pool_desc *d, const float *x, float *y,
                         size_t row_begin, size_t row_end) {
    pool_rows(d, x, y, row_begin, row_end, true, 0, join_sum);
}

#endif
