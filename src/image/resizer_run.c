/* The passes of a resize: rows stream through a small ring, the first pass writing into
 * it, the second reading from it while it is in cache. */
#include "image/resizer.h"

#include <math.h>
#include <string.h>

typedef struct hst__resize_plan plan;

static const uint8_t *source(const plan *p, const hst__image *src, int y) {
    size_t pixel = (size_t)(p->channels * p->bits / 8);
    return hst__image_row(src, p->y0 + y) + (size_t)p->x0 * pixel;
}

static uint8_t *target(const hst__image *out, int y) {
    return out->data + (size_t)y * out->stride;
}

/* One row by index; `bytes` is a constant where this is inlined. */
static inline void pick(const uint8_t *row, uint8_t *to, const int32_t *index, size_t n,
                        size_t bytes) {
    for (size_t i = 0; i < n; i++)
        memcpy(to + i * bytes, row + (size_t)index[i] * bytes, bytes);
}

static void run_index(plan *p, const hst__image *src, const hst__image *out, int to_row) {
    size_t n = (size_t)p->width, bytes = (size_t)(p->channels * p->bits / 8);
    bool run = p->index_x[n - 1] - p->index_x[0] == p->width - 1;
    for (int y = p->made; y < to_row; y++) {
        const uint8_t *row = source(p, src, p->index_y[y]);
        uint8_t *to = target(out, y);
        if (y > 0 && p->index_y[y] == p->index_y[y - 1])
            memcpy(to, target(out, y - 1), n * bytes);
        else if (run)
            memcpy(to, row + (size_t)p->index_x[0] * bytes, n * bytes);
        else if (bytes == 3)
            pick(row, to, p->index_x, n, 3);
        else if (bytes == 1)
            pick(row, to, p->index_x, n, 1);
        else
            pick(row, to, p->index_x, n, bytes);
    }
}

/* The horizontal pass of n rows, fixed or double. */
static void pass_x(const plan *p, const uint8_t *const *in, uint8_t *const *to, int n) {
    if (p->bits == 8) {
        p->kernels->fixed_h(in, to, n, &p->tx, p->channels);
        return;
    }
    for (int k = 0; k < n; k++)
        hst__resize_double_h((const uint16_t *)in[k], (uint16_t *)to[k], &p->tx,
                             p->channels);
}

/* The vertical pass of one output row from p->rows, n samples. */
static void pass_y(const plan *p, uint8_t *to, size_t n, int y) {
    if (p->bits == 8)
        p->kernels->fixed_v((const uint8_t *const *)p->rows, to, n, &p->ty, y);
    else
        hst__resize_double_v((const uint16_t *const *)p->rows, (uint16_t *)to, n, &p->ty,
                             y);
}

/* Source rows from..from+n-1 into the ring. */
static void fill_ring(const plan *p, const hst__image *src, int from, int n) {
    const uint8_t *in[HST__RESIZE_ROWS];
    uint8_t *to[HST__RESIZE_ROWS];
    for (int k = 0; k < n; k++) {
        in[k] = source(p, src, from + k);
        to[k] = p->ring[(from + k) % p->slots];
    }
    pass_x(p, in, to, n);
}

/* Fixed and double: all rows between the first and the last are needed, in order. */
static void run_windows(plan *p, const hst__image *src, const hst__image *out, int to_row,
                        int ready) {
    const hst__resize_taps *t = &p->ty;
    int last = t->start[p->height - 1] + t->count[p->height - 1];
    size_t samples = (size_t)p->width * (size_t)p->channels;
    size_t skip = (size_t)(p->options.box.x0 + p->options.window.x0) *
                  (size_t)(p->channels * p->bits / 8);
    last = last < ready ? last : ready;
    for (int y = p->made; y < to_row; y++) {
        int first = t->start[y], end = first + t->count[y];
        p->filled = p->filled < first ? first : p->filled;
        while (p->filled < end && !p->copy_x) {
            int left = last - p->filled;
            int n = left < HST__RESIZE_ROWS ? left : HST__RESIZE_ROWS;
            fill_ring(p, src, p->filled, n);
            p->filled += n;
        }
        for (int k = first; k < end; k++)
            p->rows[k - first] =
                p->copy_x ? source(p, src, k) + skip : p->ring[k % p->slots];
        pass_y(p, target(out, y), samples, y);
    }
}

/* The height is kept: each row goes straight to its place. */
static void run_rows(plan *p, const hst__image *src, const hst__image *out, int to_row) {
    int top = p->options.box.y0 + p->options.window.y0;
    for (int y = p->made; y < to_row; y += HST__RESIZE_ROWS) {
        const uint8_t *in[HST__RESIZE_ROWS];
        uint8_t *to[HST__RESIZE_ROWS];
        int n = to_row - y < HST__RESIZE_ROWS ? to_row - y : HST__RESIZE_ROWS;
        for (int k = 0; k < n; k++) {
            in[k] = source(p, src, top + y + k);
            to[k] = target(out, y + k);
        }
        pass_x(p, in, to, n);
    }
}

/* Vertical pass first, of the columns that the horizontal one needs. */
static void run_columns(plan *p, const hst__image *src, const hst__image *out,
                        int to_row) {
    const hst__resize_taps *tx = &p->tx, *ty = &p->ty;
    size_t pixel = (size_t)(p->channels * p->bits / 8);
    int left = tx->start[0], right = tx->start[p->width - 1] + tx->count[p->width - 1];
    size_t skip = (size_t)left * pixel;
    size_t samples = (size_t)(right - left) * (size_t)p->channels;
    for (int y = p->made; y < to_row; y += HST__RESIZE_ROWS) {
        uint8_t *to[HST__RESIZE_ROWS];
        int n = to_row - y < HST__RESIZE_ROWS ? to_row - y : HST__RESIZE_ROWS;
        for (int k = 0; k < n; k++) {
            for (int i = 0; i < ty->count[y + k]; i++)
                p->rows[i] = source(p, src, ty->start[y + k] + i) + skip;
            pass_y(p, p->ring[k] + skip, samples, y + k);
            to[k] = target(out, y + k);
        }
        pass_x(p, (const uint8_t *const *)p->ring, to, n);
    }
}

/* Row r after the horizontal pass, made when the ring does not hold it. */
static const void *ring_row(plan *p, const hst__image *src, int r) {
    int slot = r % p->slots;
    void *to = p->ring[slot];
    if (p->ring_row[slot] == r)
        return to;
    p->ring_row[slot] = r;
    const uint8_t *in = source(p, src, r);
    if (p->kind == HST__RESIZE_BY_LINEAR)
        p->kernels->linear_h(in, to, &p->sx, p->channels);
    else if (p->kind == HST__RESIZE_BY_CUBIC)
        p->kernels->cubic_h(in, to, &p->sx, p->channels);
    else if (p->bits == 8)
        p->kernels->float_h_u8(in, to, &p->tx, p->channels);
    else
        p->kernels->float_h_u16((const uint16_t *)in, to, &p->tx, p->channels);
    return to;
}

static void run_short(plan *p, const hst__image *src, const hst__image *out, int to_row) {
    const hst__resize_short *t = &p->sy;
    size_t n = (size_t)p->width * (size_t)p->channels;
    for (int y = p->made; y < to_row; y++) {
        const int16_t *w = t->weight + y * t->taps;
        for (int k = 0; k < t->taps; k++) {
            int r = t->start[y] + k;
            r = r < 0 ? 0 : r > t->width - 1 ? t->width - 1 : r;
            p->rows[k] = ring_row(p, src, r);
        }
        if (p->kind == HST__RESIZE_BY_LINEAR)
            p->kernels->linear_v((const int16_t *const *)p->rows, target(out, y), n, w);
        else
            p->kernels->cubic_v((const int32_t *const *)p->rows, target(out, y), n, w);
    }
}

static void run_float(plan *p, const hst__image *src, const hst__image *out, int to_row) {
    const hst__resize_taps *t = &p->ty;
    size_t n = (size_t)p->width * (size_t)p->channels;
    for (int y = p->made; y < to_row; y++) {
        for (int k = 0; k < t->count[y]; k++)
            p->rows[k] = ring_row(p, src, t->start[y] + k);
        const float *const *rows = (const float *const *)p->rows;
        if (p->bits == 8)
            p->kernels->float_v_u8(rows, target(out, y), n, t, y);
        else
            p->kernels->float_v_u16(rows, (uint16_t *)target(out, y), n, t, y);
    }
}

/* Columns of sums to means of ratio_x of them. */
static void area_row(const plan *p, const uint32_t *sum, uint8_t *to) {
    size_t c = (size_t)p->channels, ratio = (size_t)p->ratio_x;
    float scale = 1.0f / (float)(p->ratio_x * p->ratio_y);
    for (size_t i = 0; i < (size_t)p->width; i++) {
        for (size_t k = 0; k < c; k++) {
            uint32_t s = 0;
            for (size_t j = 0; j < ratio; j++)
                s += sum[(i * ratio + j) * c + k];
            long mean = lrintf((float)s * scale);
            if (p->bits == 8)
                to[i * c + k] = (uint8_t)mean;
            else
                ((uint16_t *)to)[i * c + k] = (uint16_t)mean;
        }
    }
}

static void sum_deep(const uint16_t *const *rows, int count, uint32_t *sum, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t s = 0;
        for (int k = 0; k < count; k++)
            s += rows[k][i];
        sum[i] = s;
    }
}

static void run_area(plan *p, const hst__image *src, const hst__image *out, int to_row) {
    size_t c = (size_t)p->channels,
           first = (size_t)(p->options.window.x0 * p->ratio_x) * c;
    size_t n = (size_t)p->width * (size_t)p->ratio_x * c;
    uint32_t *sum = (uint32_t *)p->ring[0];
    for (int y = p->made; y < to_row; y++) {
        int top = (p->options.window.y0 + y) * p->ratio_y;
        for (int k = 0; k < p->ratio_y; k++)
            p->rows[k] = source(p, src, top + k) + first * (size_t)(p->bits / 8);
        if (p->bits == 8)
            p->kernels->area_sum((const uint8_t *const *)p->rows, p->ratio_y, sum, n);
        else
            sum_deep((const uint16_t *const *)p->rows, p->ratio_y, sum, n);
        area_row(p, sum, target(out, y));
    }
}

static void half_deep(const uint16_t *a, const uint16_t *b, uint16_t *to, int width,
                      int channels) {
    for (int i = 0; i < width; i++) {
        for (int c = 0; c < channels; c++) {
            int x = 2 * i * channels + c, y = x + channels;
            to[i * channels + c] = (uint16_t)((a[x] + a[y] + b[x] + b[y] + 2) >> 2);
        }
    }
}

static void run_half(plan *p, const hst__image *src, const hst__image *out, int to_row) {
    size_t x = 2 * (size_t)p->options.window.x0 * (size_t)(p->channels * p->bits / 8);
    for (int y = p->made; y < to_row; y++) {
        int r = 2 * (p->options.window.y0 + y);
        const uint8_t *a = source(p, src, r) + x, *b = source(p, src, r + 1) + x;
        if (p->bits == 8)
            p->kernels->area_2x2(a, b, target(out, y), p->width, p->channels);
        else
            half_deep((const uint16_t *)a, (const uint16_t *)b,
                      (uint16_t *)target(out, y), p->width, p->channels);
    }
}

/* ---- all of them ------------------------------------------------------------------- */

/* How many rows of the source are there when output y can be made; never falls with y. */
static int needed(const plan *p, int y) {
    const hst__resize_short *t = &p->sy;
    int last;
    switch (p->kind) {
    case HST__RESIZE_BY_INDEX:
        return p->y0 + p->index_y[y] + 1;
    case HST__RESIZE_BY_FIXED:
    case HST__RESIZE_BY_DOUBLE:
        return p->copy_y ? p->options.box.y0 + p->options.window.y0 + y + 1
                         : p->ty.start[y] + p->ty.count[y];
    case HST__RESIZE_BY_LINEAR:
    case HST__RESIZE_BY_CUBIC:
        last = t->start[y] + t->taps;
        return p->y0 + (last < 1 ? 1 : last > t->width ? t->width : last);
    case HST__RESIZE_BY_FLOAT:
        return p->y0 + p->ty.start[y] + p->ty.count[y];
    case HST__RESIZE_BY_AREA:
        return p->y0 + (p->options.window.y0 + y + 1) * p->ratio_y;
    default:
        return p->y0 + (p->options.window.y0 + y + 1) * 2;
    }
}

void hst__resize_begin(plan *p) {
    p->made = p->filled = 0;
    for (int i = 0; i < p->slots; i++)
        p->ring_row[i] = -1;
}

void hst__resize_rows(plan *p, const hst__image *src, const hst__image *out, int ready) {
    int to_row = p->made;
    while (to_row < p->height && needed(p, to_row) <= ready)
        to_row++;
    switch (p->kind) {
    case HST__RESIZE_BY_INDEX:
        run_index(p, src, out, to_row);
        break;
    case HST__RESIZE_BY_FIXED:
    case HST__RESIZE_BY_DOUBLE:
        if (p->copy_y)
            run_rows(p, src, out, to_row);
        else if (p->vertical_first)
            run_columns(p, src, out, to_row);
        else
            run_windows(p, src, out, to_row, ready);
        break;
    case HST__RESIZE_BY_LINEAR:
    case HST__RESIZE_BY_CUBIC:
        run_short(p, src, out, to_row);
        break;
    case HST__RESIZE_BY_FLOAT:
        run_float(p, src, out, to_row);
        break;
    case HST__RESIZE_BY_AREA:
        run_area(p, src, out, to_row);
        break;
    case HST__RESIZE_BY_2X2:
        run_half(p, src, out, to_row);
        break;
    }
    p->made = to_row;
}
