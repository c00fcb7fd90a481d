/* Each axis that changes is a sum over taps: y[o] = sum of weight[o][t] * x[index[o][t]],
 * applied to runs of `inner` contiguous values. */
#include <math.h>
#include <string.h>

#include "ops/pieces.h"
#include "ops/resize.h"
#include "ops/types.h"

typedef struct axis_pass {
    size_t outer, in, out, inner; /**< inner in elements */
    int taps;
    const int32_t *index; /**< [out][taps] */
    const float *weight;  /**< [out][taps]; NULL: copies of one tap */
    const bool *outside;  /**< [out]: gets the extrapolation value; may be NULL */
    hst__pieces pieces;
} axis_pass;

typedef struct resize_state {
    axis_pass passes[HST_MAX_RANK];
    int n_passes;
    size_t element, buffer; /**< bytes of an element, of each scratch buffer */
    float extrapolation;
} resize_state;

typedef struct job {
    const resize_state *s;
    const axis_pass *p;
    const char *x;
    char *y;
} job;

static void copy_row(const job *j, const char *x, char *y, size_t o) {
    size_t bytes = j->p->inner * j->s->element;
    memcpy(y, x + (size_t)j->p->index[o] * bytes, bytes);
}

static void sum_row(const job *j, const float *x, float *y, size_t o) {
    const axis_pass *p = j->p;
    const int32_t *index = p->index + o * (size_t)p->taps;
    const float *weight = p->weight + o * (size_t)p->taps;
    const float *first = x + (size_t)index[0] * p->inner;
    for (size_t i = 0; i < p->inner; i++)
        y[i] = weight[0] * first[i];
    for (int t = 1; t < p->taps; t++) {
        const float *in = x + (size_t)index[t] * p->inner;
        for (size_t i = 0; i < p->inner; i++)
            y[i] += weight[t] * in[i];
    }
}

static void task(void *context, int index, int worker) {
    const job *j = context;
    const axis_pass *p = j->p;
    size_t from, to, element = j->s->element;
    (void)worker;
    hst__pieces_get(&p->pieces, index, &from, &to);
    for (size_t row = from; row < to; row++) {
        size_t o = row % p->out;
        const char *x = j->x + row / p->out * p->in * p->inner * element;
        char *y = j->y + row * p->inner * element;
        if (p->outside && p->outside[o])
            for (size_t i = 0; i < p->inner; i++)
                ((float *)y)[i] = j->s->extrapolation;
        else if (p->weight)
            sum_row(j, (const float *)x, (float *)y, o);
        else
            copy_row(j, x, y, o);
    }
}

static void run(const hst__step *step, const hst__run *r) {
    const resize_state *s = step->state;
    const char *x = hst__in(step, r, 0);
    char *y = hst__out(step, r, 0);
    if (s->n_passes == 0)
        memcpy(y, x, s->buffer);
    for (int i = 0; i < s->n_passes; i++) {
        bool last = i == s->n_passes - 1;
        char *to = last ? y : r->scratch + (i % 2 ? s->buffer : 0);
        job j = {s, &s->passes[i], x, to};
        hst__pool_run(r->threads, s->passes[i].pieces.count, task, &j);
        x = to;
    }
}

/** Where output position o lies in the input, in elements. */
static double source(const hst__resize *r, int d, int64_t o) {
    double in = (double)r->in[d], x = (double)o, s = r->scale[d];
    /* The standard's size of the output is not rounded down where the corners are. */
    double whole = (double)r->out[d], out = s * in;
    switch (r->coordinates) {
    case HST__ALIGN_CORNERS:
        return out > 1 ? x * (in - 1) / (out - 1) : 0;
    case HST__ASYMMETRIC:
        return x / s;
    case HST__PYTORCH_HALF_PIXEL:
        return whole > 1 ? (x + 0.5) / s - 0.5 : 0;
    case HST__TF_HALF_PIXEL_FOR_NN:
        return (x + 0.5) / s;
    case HST__TF_CROP_AND_RESIZE:
        return out > 1 ? r->roi_start[d] * (in - 1) +
                             x * (r->roi_end[d] - r->roi_start[d]) * (in - 1) / (out - 1)
                       : 0.5 * (r->roi_start[d] + r->roi_end[d]) * (in - 1);
    case HST__HALF_PIXEL_SYMMETRIC:
        return in / 2 * (1 - whole / out) + (x + 0.5) / s - 0.5;
    default:
        return (x + 0.5) / s - 0.5;
    }
}

static int64_t nearest(const hst__resize *r, double x) {
    switch (r->rounding) {
    case HST__ROUND_PREFER_CEIL:
        return (int64_t)floor(x + 0.5);
    case HST__FLOOR:
        return (int64_t)floor(x);
    case HST__CEIL:
        return (int64_t)ceil(x);
    default:
        return (int64_t)ceil(x - 0.5);
    }
}

/** Keys' cubic convolution kernel with parameter a, at distance t. */
static double cubic(double a, double t) {
    t = fabs(t);
    if (t <= 1)
        return ((a + 2) * t - (a + 3)) * t * t + 1;
    return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

/** How far the filter is stretched when antialiasing a reduction. */
static double stretch(const hst__resize *r, int d) {
    return r->antialias && r->scale[d] < 1 ? r->scale[d] : 1;
}

static int tap_count(const hst__resize *r, int d) {
    double radius = r->mode == HST__LINEAR ? 1 : 2;
    int start = (int)floor(-radius / stretch(r, d)) + 1;
    return 2 - 2 * start;
}

/** Weights of one output: the taps around its source, normalised when antialiased or when
 * those outside are left out. */
static void fill_taps(const hst__resize *r, int d, double x, int taps, int32_t *index,
                      float *weight) {
    double base = ceil(x) - 1, squeeze = stretch(r, d), sum = 0, w[4096];
    int64_t in = r->in[d];
    for (int t = 0; t < taps; t++) {
        double position = base - taps / 2 + 1 + t;
        double distance = (position - x) * squeeze;
        w[t] = r->mode == HST__LINEAR ? fmax(0, 1 - fabs(distance))
                                      : cubic(r->cubic_a, distance);
        if (r->exclude_outside && (position < 0 || position > (double)(in - 1)))
            w[t] = 0;
        index[t] = (int32_t)fmin(fmax(position, 0), (double)(in - 1));
        sum += w[t];
    }
    bool normalise = (r->antialias || r->exclude_outside) && sum != 0;
    for (int t = 0; t < taps; t++)
        weight[t] = (float)(normalise ? w[t] / sum : w[t]);
}

enum { TAPS_MAX = 4096 };

static hst_status build_pass(hst__op_ctx *c, const hst__resize *r, int d, axis_pass *p) {
    size_t out = (size_t)r->out[d];
    if (!(r->scale[d] > 0) || r->in[d] < 1)
        return hst__op_fail(c, HST_E_SHAPE, "dimension %d goes from %lld to %lld", d,
                            (long long)r->in[d], (long long)r->out[d]);
    p->taps = r->mode == HST__NEAREST ? 1 : tap_count(r, d);
    if (p->taps > TAPS_MAX || r->in[d] > INT32_MAX)
        return hst__op_fail(c, HST_E_LIMIT, "a reduction by more than %d", TAPS_MAX / 4);
    int32_t *index = hst__arena_array(c->arena, out * (size_t)p->taps, sizeof *index);
    float *weight = hst__arena_array(c->arena, out * (size_t)p->taps, sizeof *weight);
    bool *outside = hst__arena_array(c->arena, out, sizeof *outside);
    if (!index || !weight || !outside)
        return hst__op_nomem(c, out * (size_t)p->taps * sizeof *weight);
    for (int64_t o = 0; o < r->out[d]; o++) {
        double x = source(r, d, o), last = (double)(r->in[d] - 1);
        outside[o] = r->coordinates == HST__TF_CROP_AND_RESIZE && (x < 0 || x > last);
        if (r->mode == HST__NEAREST)
            index[o] = (int32_t)fmin(fmax((double)nearest(r, x), 0), last);
        else
            fill_taps(r, d, x, p->taps, index + o * p->taps, weight + o * p->taps);
    }
    p->index = index;
    p->weight = r->mode == HST__NEAREST ? NULL : weight;
    p->outside = r->coordinates == HST__TF_CROP_AND_RESIZE ? outside : NULL;
    return HST_OK;
}

static bool changes(const hst__resize *r, int d) {
    return r->in[d] != r->out[d] || r->scale[d] != 1 ||
           (r->coordinates == HST__TF_CROP_AND_RESIZE &&
            (r->roi_start[d] != 0 || r->roi_end[d] != 1));
}

/** From the last dimension to the first: what is copied in long runs comes last. */
static hst_status build_passes(hst__op_ctx *c, hst__step *step, const hst__resize *r,
                               resize_state *s) {
    int64_t dims[HST_MAX_RANK];
    memcpy(dims, r->in, sizeof dims);
    for (int d = r->rank - 1; d >= 0; d--) {
        axis_pass *p = &s->passes[s->n_passes];
        if (!changes(r, d))
            continue;
        hst_status st = build_pass(c, r, d, p);
        if (st)
            return st;
        p->outer = p->inner = 1;
        for (int i = 0; i < d; i++)
            p->outer *= (size_t)dims[i];
        for (int i = d + 1; i < r->rank; i++)
            p->inner *= (size_t)dims[i];
        p->in = (size_t)dims[d];
        p->out = (size_t)(dims[d] = r->out[d]);
        double ns = 0.15 * (double)p->inner * p->taps + 3;
        p->pieces = hst__pieces_cut(p->outer * p->out, ns, 1, c->threads);
        step->ns += (double)p->outer * (double)p->out * (2 * ns + 3 * p->taps);
        size_t bytes = p->outer * p->out * p->inner * s->element;
        s->buffer = bytes > s->buffer ? bytes : s->buffer;
        s->n_passes++;
    }
    return HST_OK;
}

hst_status hst__resize_prepare(hst__op_ctx *c, hst__step *step, const hst__resize *r) {
    resize_state *s = hst__op_state(c, sizeof *s);
    if (!s)
        return hst__op_nomem(c, sizeof *s);
    if (c->in[0].dtype != HST_DTYPE_F32 && r->mode != HST__NEAREST)
        return hst__op_bad_type(c, 0, "f32 (any type for nearest)");
    s->element = hst_dtype_size(c->in[0].dtype);
    s->extrapolation = r->extrapolation;
    hst_status st = build_passes(c, step, r, s);
    if (st)
        return st;
    if (s->n_passes == 0)
        s->buffer = hst__desc_size(&c->in[0]) * s->element;
    s->buffer = hst__round_up(s->buffer, HST__ALIGN);
    step->scratch = s->n_passes > 1 ? 2 * s->buffer : 0;
    if (s->n_passes == 0)
        step->alias = 1;
    step->kernel = r->mode == HST__NEAREST ? "resize_copy" : "resize_taps_f32";
    step->state = s;
    step->run = run;
    return HST_OK;
}
