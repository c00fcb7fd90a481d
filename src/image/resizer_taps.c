/* Weights of the filters, as Pillow (Resample.c) and OpenCV (resize.cpp) define them: the
 * same formulas in the same precision, so that rounding falls alike. */
#include "image/resizer.h"

#include <math.h>
#include <string.h>

/* ---- Pillow ----------------------------------------------------------------------- */

static double sinc(double x) {
    if (x == 0)
        return 1;
    x *= M_PI;
    return sin(x) / x;
}

static double filter_support(hst__resize_filter filter) {
    switch (filter) {
    case HST__RESIZE_BILINEAR:
        return 1;
    case HST__RESIZE_BICUBIC:
        return 2;
    case HST__RESIZE_LANCZOS:
        return 3;
    default:
        return 0.5;
    }
}

static double filter_value(hst__resize_filter filter, double x) {
    const double a = -0.5;
    double d = fabs(x);
    switch (filter) {
    case HST__RESIZE_BILINEAR:
        return d < 1 ? 1 - d : 0;
    case HST__RESIZE_BICUBIC:
        if (d < 1)
            return ((a + 2) * d - (a + 3)) * d * d + 1;
        return d < 2 ? (((d - 5) * d + 8) * d - 4) * a : 0;
    case HST__RESIZE_LANCZOS:
        return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0;
    default:
        return x > -0.5 && x <= 0.5;
    }
}

/* Taps being made: the same memory, writable. */
typedef struct draft {
    int32_t *start, *count;
    void *weights;
} draft;

/* Memory for the windows and one array of weights of `width` bytes each. */
static bool begin(hst__resize_taps *t, draft *d, const hst__resize_axis *axis,
                  double most, size_t width, hst__arena *arena) {
    int outputs = axis->to - axis->from;
    if (most > axis->size)
        most = axis->size;
    int stride = (int)(((int64_t)ceil(most) + 7) / 8 * 8);
    size_t n;
    if (!hst__mul((size_t)outputs, (size_t)stride, &n))
        return false;
    d->start = hst__arena_array(arena, (size_t)outputs, sizeof *d->start);
    d->count = hst__arena_array(arena, (size_t)outputs, sizeof *d->count);
    d->weights = hst__arena_array(arena, n, width);
    *t = (hst__resize_taps){.outputs = outputs,
                            .width = axis->size,
                            .stride = stride,
                            .start = d->start,
                            .count = d->count};
    return d->start && d->count && d->weights;
}

/* The weights of one output into w; returns how many, *first being the first pixel. */
static int pillow_window(const hst__resize_axis *axis, hst__resize_filter filter,
                         int output, double *w, int32_t *first) {
    double scale = (axis->in1 - axis->in0) / axis->outputs;
    double widen = scale < 1 ? 1 : scale;
    double support = filter_support(filter) * widen;
    double center = axis->in0 + (output + 0.5) * scale, inverse = 1 / widen, sum = 0;
    int from = (int)(center - support + 0.5), to = (int)(center + support + 0.5);
    from = from < 0 ? 0 : from;
    to = to > axis->size ? axis->size : to;
    for (int k = from; k < to; k++) {
        w[k - from] = filter_value(filter, (k - center + 0.5) * inverse);
        sum += w[k - from];
    }
    for (int k = 0; k < to - from && sum != 0; k++)
        w[k] /= sum;
    *first = from;
    return to - from;
}

/* Fixed-point forms of the weights of one output. */
static void put_fixed(const double *w, int count, int32_t *fixed, int16_t *low,
                      int16_t *high) {
    for (int k = 0; k < count; k++) {
        double v = w[k] * (1 << HST__RESIZE_FIXED_BITS);
        fixed[k] = (int32_t)(v < 0 ? v - 0.5 : v + 0.5);
        low[k] = (int16_t)(fixed[k] & 0x7fff);
        high[k] = (int16_t)(fixed[k] >> 15);
    }
}

bool hst__taps_pillow(hst__resize_taps *taps, const hst__resize_axis *axis,
                      hst__resize_filter filter, hst__taps_form form, hst__arena *arena) {
    double scale = (axis->in1 - axis->in0) / axis->outputs;
    double most = 2 * ceil(filter_support(filter) * (scale < 1 ? 1 : scale)) + 1;
    bool fixed = form == HST__TAPS_FIXED;
    draft d;
    if (!begin(taps, &d, axis, most, fixed ? sizeof(int32_t) : sizeof(double), arena))
        return false;
    size_t stride = (size_t)taps->stride, n = stride * (size_t)taps->outputs;
    double *window = hst__arena_array(arena, stride, sizeof *window);
    int16_t *low = hst__arena_array(arena, fixed ? n : 1, sizeof *low);
    int16_t *high = hst__arena_array(arena, fixed ? n : 1, sizeof *high);
    if (!window || !low || !high)
        return false;
    for (int i = 0; i < taps->outputs; i++) {
        d.count[i] = pillow_window(axis, filter, axis->from + i, window, &d.start[i]);
        size_t at = (size_t)i * stride;
        if (fixed)
            put_fixed(window, d.count[i], (int32_t *)d.weights + at, low + at, high + at);
        else
            memcpy((double *)d.weights + at, window, (size_t)d.count[i] * sizeof(double));
    }
    if (fixed) {
        taps->fixed = d.weights;
        taps->low = low;
        taps->high = high;
    } else {
        taps->f64 = d.weights;
    }
    return true;
}

/* ---- OpenCV ------------------------------------------------------------------------ */

bool hst__taps_area(hst__resize_taps *taps, const hst__resize_axis *axis, double scale,
                    hst__arena *arena) {
    draft d;
    if (!begin(taps, &d, axis, ceil(scale) + 2, sizeof(float), arena))
        return false;
    for (int i = 0; i < taps->outputs; i++) {
        float *w = (float *)d.weights + (size_t)i * (size_t)taps->stride;
        double from = (axis->from + i) * scale, to = from + scale;
        double cell = fmin(scale, axis->size - from);
        int x1 = (int)fmin(floor(to), axis->size - 1), x0 = (int)fmin(ceil(from), x1);
        int first = x0, n = 0;
        if (x0 - from > 1e-3) { /* slivers below a thousandth of a pixel are dropped */
            first = x0 - 1;
            w[n++] = (float)((x0 - from) / cell);
        }
        for (int x = x0; x < x1; x++)
            w[n++] = (float)(1 / cell);
        if (to - x1 > 1e-3)
            w[n++] = (float)(fmin(fmin(to - x1, 1), cell) / cell);
        d.start[i] = first;
        d.count[i] = n;
    }
    taps->f32 = d.weights;
    return true;
}

/* Two or four weights of one output for the pixels from *first on (which may lie
 * outside), in f32 as OpenCV computes them. */
static void opencv_window(const hst__resize_axis *axis, bool horizontal,
                          hst__resize_filter filter, double scale, double inverse,
                          int output, float w[4], int *first) {
    float f;
    int x;
    if (filter == HST__RESIZE_AREA) { /* magnifying */
        x = (int)floor(output * scale);
        f = (float)((output + 1) - (x + 1) * inverse);
        f = f <= 0 ? 0 : f - floorf(f);
    } else {
        f = (float)((output + 0.5) * scale - 0.5);
        x = (int)floorf(f);
        f -= (float)x;
    }
    if (filter == HST__RESIZE_BICUBIC) {
        const float a = -0.75f;
        float g = f + 1, h = 1 - f;
        w[0] = ((a * g - 5 * a) * g + 8 * a) * g - 4 * a;
        w[1] = ((a + 2) * f - (a + 3)) * f * f + 1;
        w[2] = ((a + 2) * h - (a + 3)) * h * h + 1;
        w[3] = 1 - w[0] - w[1] - w[2];
        *first = x - 1;
        return;
    }
    /* Along rows the fraction is dropped beyond the ends; downwards the edge is repeated,
     * which rounds a little differently. */
    if (horizontal && x < 0) {
        x = 0;
        f = 0;
    }
    if (horizontal && x >= axis->size - 1) {
        x = axis->size - 1;
        f = 0;
    }
    w[0] = 1 - f;
    w[1] = f;
    *first = x;
}

bool hst__taps_short(hst__resize_short *taps, const hst__resize_axis *axis,
                     bool horizontal, hst__resize_filter filter, double scale,
                     double inverse, hst__arena *arena) {
    int outputs = axis->to - axis->from, n = filter == HST__RESIZE_BICUBIC ? 4 : 2;
    int32_t *start = hst__arena_array(arena, (size_t)outputs, sizeof *start);
    int16_t *weight = hst__arena_array(arena, (size_t)outputs * 4, sizeof *weight);
    if (!start || !weight)
        return false;
    for (int i = 0; i < outputs; i++) {
        float w[4];
        int first;
        opencv_window(axis, horizontal, filter, scale, inverse, axis->from + i, w,
                      &first);
        start[i] = first;
        for (int k = 0; k < n; k++)
            weight[i * n + k] = (int16_t)lrintf(w[k] * (1 << HST__RESIZE_SHORT_BITS));
    }
    *taps = (hst__resize_short){.outputs = outputs,
                                .width = axis->size,
                                .taps = n,
                                .start = start,
                                .weight = weight};
    return true;
}

bool hst__taps_f32(hst__resize_taps *taps, const hst__resize_axis *axis, bool horizontal,
                   hst__resize_filter filter, double scale, double inverse,
                   hst__arena *arena) {
    draft d;
    if (!begin(taps, &d, axis, 4, sizeof(float), arena))
        return false;
    int n = filter == HST__RESIZE_BICUBIC ? 4 : 2, size = axis->size;
    for (int i = 0; i < taps->outputs; i++) {
        float w[4], *to = (float *)d.weights + (size_t)i * (size_t)taps->stride;
        int first, last;
        opencv_window(axis, horizontal, filter, scale, inverse, axis->from + i, w,
                      &first);
        last = first + n - 1;
        int low = first < 0 ? 0 : first > size - 1 ? size - 1 : first;
        int high = last < 0 ? 0 : last > size - 1 ? size - 1 : last;
        for (int k = 0; k < n; k++) {
            int x = first + k;
            x = x < low ? low : x > high ? high : x;
            to[x - low] += w[k];
        }
        d.start[i] = low;
        d.count[i] = high - low + 1;
    }
    taps->f32 = d.weights;
    return true;
}

/* ---- nearest ----------------------------------------------------------------------- */

int32_t *hst__taps_index(const hst__resize_axis *axis, hst__resize_convention convention,
                         double scale, hst__arena *arena) {
    int32_t *index =
        hst__arena_array(arena, (size_t)(axis->to - axis->from), sizeof *index);
    if (!index)
        return NULL;
    double step = (axis->in1 - axis->in0) / axis->outputs, at = axis->in0 + step * 0.5;
    for (int i = 0; i < axis->to; i++, at += step) { /* Pillow adds up: so do we */
        if (i < axis->from)
            continue;
        int x = (int)floor(convention == HST__RESIZE_OPENCV ? i * scale : at);
        index[i - axis->from] = x < axis->size - 1 ? x : axis->size - 1;
    }
    return index;
}
