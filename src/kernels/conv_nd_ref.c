#include "kernels/conv_nd.h"

#include <string.h>

static float weight(const void *w, size_t i) {
    float v;
    memcpy(&v, (const char *)w + i * sizeof v, sizeof v);
    return v;
}

/* Shapes brought to three dimensions: missing leading ones have size, kernel and
 * stride 1. */
static hst__conv_nd in_three(const hst__conv_nd *d) {
    hst__conv_nd t = *d;
    int missing = HST__CONV_ND_MAX - d->dims;
    t.dims = HST__CONV_ND_MAX;
    for (int i = 0; i < HST__CONV_ND_MAX; i++) {
        int from = i - missing;
        t.in[i] = from < 0 ? 1 : d->in[from];
        t.out[i] = from < 0 ? 1 : d->out[from];
        t.kernel[i] = from < 0 ? 1 : d->kernel[from];
        t.stride[i] = from < 0 ? 1 : d->stride[from];
        t.dilation[i] = from < 0 ? 1 : d->dilation[from];
        t.pad[i] = from < 0 ? 0 : d->pad[from];
    }
    return t;
}

/* Input position that tap k of output o meets along dimension i; false where there is
 * none. */
typedef bool meet(const hst__conv_nd *d, int i, size_t o, size_t k, size_t *in);

static bool meet_conv(const hst__conv_nd *d, int i, size_t o, size_t k, size_t *in) {
    ptrdiff_t at = (ptrdiff_t)(o * d->stride[i] + k * d->dilation[i]) - d->pad[i];
    *in = (size_t)at;
    return at >= 0 && at < (ptrdiff_t)d->in[i];
}

static bool meet_transposed(const hst__conv_nd *d, int i, size_t o, size_t k,
                            size_t *in) {
    ptrdiff_t at = (ptrdiff_t)o + d->pad[i] - (ptrdiff_t)(k * d->dilation[i]);
    if (at < 0 || at % (ptrdiff_t)d->stride[i])
        return false;
    *in = (size_t)at / d->stride[i];
    return *in < d->in[i];
}

/* Sum over the window of one input plane. w is where its kernel starts. */
static double sum_window(const hst__conv_nd *d, meet *at, const size_t out[3],
                         const float *plane, const void *w) {
    double sum = 0;
    size_t in[3];
    for (size_t a = 0; a < d->kernel[0]; a++) {
        if (!at(d, 0, out[0], a, &in[0]))
            continue;
        for (size_t b = 0; b < d->kernel[1]; b++) {
            if (!at(d, 1, out[1], b, &in[1]))
                continue;
            const float *row = plane + (in[0] * d->in[1] + in[1]) * d->in[2];
            for (size_t c = 0; c < d->kernel[2]; c++) {
                size_t tap = (a * d->kernel[1] + b) * d->kernel[2] + c;
                if (at(d, 2, out[2], c, &in[2]))
                    sum += (double)row[in[2]] * (double)weight(w, tap);
            }
        }
    }
    return sum;
}

/* One output plane. The kernel for input channel c of its group starts at weight
 * w_begin + c * w_step. */
typedef struct plane {
    meet *at;
    const float *x; /* first input plane of the group */
    const char *w;
    size_t w_begin, w_step;
    double bias;
    float *y;
} plane;

static void run_plane(const hst__conv_nd *d, const plane *p) {
    size_t in_size = d->in[0] * d->in[1] * d->in[2], out[3], i = 0;
    for (out[0] = 0; out[0] < d->out[0]; out[0]++) {
        for (out[1] = 0; out[1] < d->out[1]; out[1]++) {
            for (out[2] = 0; out[2] < d->out[2]; out[2]++) {
                double sum = p->bias;
                for (size_t c = 0; c < d->in_c / d->groups; c++)
                    sum +=
                        sum_window(d, p->at, out, p->x + c * in_size,
                                   p->w + (p->w_begin + c * p->w_step) * sizeof(float));
                p->y[i++] = (float)sum;
            }
        }
    }
}

static void run(const hst__conv_nd *shape, bool transposed, const float *x, const void *w,
                const float *bias, float *y, size_t from, size_t to) {
    hst__conv_nd d = in_three(shape);
    size_t in_size = d.in[0] * d.in[1] * d.in[2], taps = 1, out_size = 1;
    for (int i = 0; i < 3; i++) {
        taps *= d.kernel[i];
        out_size *= d.out[i];
    }
    size_t group_in = d.in_c / d.groups, group_out = d.out_c / d.groups;
    for (size_t i = from; i < to; i++) {
        size_t image = i / d.out_c, channel = i % d.out_c, group = channel / group_out;
        plane p = {
            .at = meet_conv,
            .x = x + (image * d.in_c + group * group_in) * in_size,
            .w = w,
            .w_begin = channel * group_in * taps,
            .w_step = taps,
            .bias = bias ? (double)bias[channel] : 0,
            .y = y + i * out_size,
        };
        if (transposed) {
            p.at = meet_transposed;
            p.w_begin = (group * group_in * group_out + channel % group_out) * taps;
            p.w_step = group_out * taps;
        }
        run_plane(&d, &p);
    }
}

void hst__conv_nd_f32__ref(const hst__conv_nd *d, const float *x, const void *w,
                           const float *bias, float *y, size_t from, size_t to) {
    run(d, false, x, w, bias, y, from, to);
}

void hst__conv_transpose_nd_f32__ref(const hst__conv_nd *d, const float *x, const void *w,
                                     const float *bias, float *y, size_t from,
                                     size_t to) {
    run(d, true, x, w, bias, y, from, to);
}
