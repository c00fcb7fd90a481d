/* GridSample: the data read at the places that a grid names, -1..1 along each spatial
 * axis. The places are worked on in blocks: first where each one reads and with which
 * weights (its taps), then the channels one after the other. As the standard says it, a
 * coordinate outside is first brought in by the padding mode, and so is each tap after.
 */
#include <math.h>
#include <string.h>

#include "ops/pieces.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { X, GRID, SPATIAL_MAX = 3, AXIS_TAPS_MAX = 4, TAPS_MAX = 16, BLOCK = 32 };

typedef enum sample_padding { ZEROS, BORDER, REFLECTION, PADDINGS } sample_padding;

typedef struct sample_state {
    int spatial;   /**< axes that are sampled, 2 or 3 */
    int axis_taps; /**< along one axis: 1 nearest, 2 linear, 4 cubic */
    int taps;      /**< axis_taps to the power of spatial */
    bool align_corners;
    sample_padding padding;
    int64_t dims[SPATIAL_MAX];        /**< of the data */
    size_t channels, places, in_size; /**< places of an image; elements of a channel */
    hst__pieces pieces;               /**< of blocks, over all images */
} sample_state;

typedef struct sample_tap {
    size_t at;
    float weight;
} sample_tap;

static hst_status check(hst__op_ctx *c) {
    hst_status st = hst__types_need(c, 2);
    if (st)
        return st;
    const hst__desc *x = &c->in[X], *g = &c->in[GRID];
    if (x->dtype != HST_DTYPE_F32)
        return hst__op_bad_type(c, X, "f32, f16");
    if (g->dtype != HST_DTYPE_F32)
        return hst__op_bad_type(c, GRID, "f32, f16");
    if (x->rank != 4 && x->rank != 5)
        return hst__op_fail(c, HST_E_UNSUPPORTED,
                            "data of rank %d, supported: 4, from opset 20 on 5", x->rank);
    if (g->rank != x->rank || g->dims[0] != x->dims[0] ||
        g->dims[g->rank - 1] != x->rank - 2)
        return hst__op_fail(c, HST_E_SHAPE, "the grid does not fit the data");
    for (int d = 2; d < x->rank; d++)
        if (x->dims[d] == 0 && hst__desc_size(g))
            return hst__op_fail(c, HST_E_SHAPE, "nothing to sample in dimension %d", d);
    return HST_OK;
}

static hst_status infer(hst__op_ctx *c) {
    hst_status st = check(c);
    int64_t dims[HST_MAX_RANK];
    if (st)
        return st;
    const hst__desc *x = &c->in[X];
    for (int d = 0; d < x->rank; d++)
        dims[d] = d < 2 ? x->dims[d] : c->in[GRID].dims[d - 1];
    return hst__op_set_out(c, 0, x->dtype, x->rank, dims);
}

/** v mirrored at the ends until it lies between them. */
static float reflect(float v, float low, float high) {
    float range = high - low;
    if (!(range > 0))
        return low;
    float beyond = fabsf(v - low), rest = fmodf(beyond, 2 * range);
    return low + (rest > range ? 2 * range - rest : rest);
}

/** Index of a tap on an axis of n elements; -1 where it reads zero. */
static int64_t tap_index(const sample_state *s, int64_t i, int64_t n) {
    if (i >= 0 && i < n)
        return i;
    if (s->padding == ZEROS)
        return -1;
    if (s->padding == REFLECTION) {
        float edge = s->align_corners ? 0 : -0.5f;
        i = (int64_t)reflect((float)i, edge, (float)(n - 1) - edge);
    }
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/** Cubic convolution after Keys (1981), a = -0.75 as the standard has it. */
static void cubic_weights(float t, float w[4]) {
    const float a = -0.75f;
    for (int i = 0; i < 4; i++) {
        float d = fabsf(t + 1 - (float)i);
        w[i] = d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1
                      : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
    }
}

/** The taps of coordinate v on an axis of n elements. */
static void axis_taps(const sample_state *s, float v, int64_t n,
                      int64_t index[AXIS_TAPS_MAX], float weight[AXIS_TAPS_MAX]) {
    float low = s->align_corners ? 0 : -0.5f, high = (float)(n - 1) - low;
    v = s->align_corners ? (v + 1) / 2 * (float)(n - 1) : ((v + 1) * (float)n - 1) / 2;
    if (s->axis_taps == 1)
        v = nearbyintf(v);
    if (s->padding == BORDER && s->axis_taps != 4 && !(v >= low && v <= high))
        v = v > high ? (float)(n - 1) : 0;
    if (s->padding == REFLECTION && !(v >= low && v <= high))
        v = reflect(v, low, high);
    /* far outside, as is what is no number, no place differs from another */
    bool far = !(v > -16 && v < (float)n + 16);
    float base = !far ? floorf(v) : v > 0 ? (float)n + 16 : -16, t = far ? 0 : v - base;
    weight[0] = 1;
    if (s->axis_taps == 2) {
        weight[0] = 1 - t;
        weight[1] = t;
    } else if (s->axis_taps == 4) {
        cubic_weights(t, weight);
    }
    for (int i = 0; i < s->axis_taps; i++)
        index[i] = tap_index(s, (int64_t)base + i - (s->axis_taps == 4), n);
}

/** The taps of a place whose coordinates come innermost axis first. */
static void place_taps(const sample_state *s, const float *place, sample_tap *taps) {
    int64_t index[SPATIAL_MAX][AXIS_TAPS_MAX];
    float weight[SPATIAL_MAX][AXIS_TAPS_MAX];
    for (int d = 0; d < s->spatial; d++)
        axis_taps(s, place[s->spatial - 1 - d], s->dims[d], index[d], weight[d]);
    for (int i = 0; i < s->taps; i++) {
        bool inside = true;
        int64_t at = 0;
        float w = 1;
        for (int d = 0, left = i; d < s->spatial; d++, left /= s->axis_taps) {
            int k = left % s->axis_taps;
            inside = inside && index[d][k] >= 0;
            at = at * s->dims[d] + index[d][k];
            w *= weight[d][k];
        }
        taps[i] = inside ? (sample_tap){(size_t)at, w} : (sample_tap){0, 0};
    }
}

static void block(const sample_state *s, const float *x, const float *grid, float *y,
                  size_t count) {
    sample_tap taps[BLOCK][TAPS_MAX];
    for (size_t p = 0; p < count; p++)
        place_taps(s, grid + p * (size_t)s->spatial, taps[p]);
    for (size_t c = 0; c < s->channels; c++, x += s->in_size, y += s->places)
        for (size_t p = 0; p < count; p++) {
            float sum = 0;
            for (int i = 0; i < s->taps; i++)
                if (taps[p][i].weight != 0) /* outside may lie anything, NaN too */
                    sum += taps[p][i].weight * x[taps[p][i].at];
            y[p] = sum;
        }
}

static void task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const sample_state *s = j->step->state;
    const float *x = hst__in(j->step, j->run, X), *grid = hst__in(j->step, j->run, GRID);
    float *y = hst__out(j->step, j->run, 0);
    size_t from, to, blocks = (s->places + BLOCK - 1) / BLOCK;
    (void)worker;
    hst__pieces_get(&s->pieces, index, &from, &to);
    for (size_t i = from; i < to; i++) {
        size_t image = i / blocks, first = i % blocks * BLOCK, left = s->places - first;
        block(s, x + image * s->channels * s->in_size,
              grid + (image * s->places + first) * (size_t)s->spatial,
              y + image * s->channels * s->places + first, left < BLOCK ? left : BLOCK);
    }
}

static void run(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, ((const sample_state *)step->state)->pieces.count, task,
                  &j);
}

static hst_status get_modes(hst__op_ctx *c, sample_state *s) {
    static const struct {
        const char *name;
        int taps;
    } modes[] = {
        {"linear", 2}, {"bilinear", 2}, {"nearest", 1}, {"cubic", 4}, {"bicubic", 4}};
    static const char *const paddings[PADDINGS] = {"zeros", "border", "reflection"};
    const char *mode = hst__attr_string(c->node, "mode", "linear");
    const char *padding = hst__attr_string(c->node, "padding_mode", "zeros");
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(mode, modes[i].name) == 0)
            s->axis_taps = modes[i].taps;
    while (s->padding < PADDINGS && strcmp(padding, paddings[s->padding]) != 0)
        s->padding++;
    if (!s->axis_taps || (s->axis_taps == 4 && s->spatial != 2))
        return hst__op_fail(c, HST_E_UNSUPPORTED,
                            "mode '%s', supported: linear, nearest, cubic of images",
                            mode);
    if (s->padding == PADDINGS)
        return hst__op_fail(c, HST_E_UNSUPPORTED,
                            "padding_mode '%s', supported: zeros, border, reflection",
                            padding);
    return HST_OK;
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    hst_status st = check(c);
    sample_state *s = st ? NULL : hst__op_state(c, sizeof *s);
    if (!s)
        return st ? st : hst__op_nomem(c, sizeof *s);
    const hst__desc *x = &c->in[X], *y = &c->out[0];
    s->spatial = x->rank - 2;
    st = get_modes(c, s);
    if (st)
        return st;
    s->taps = 1;
    for (int d = 0; d < s->spatial; d++) {
        s->taps *= s->axis_taps;
        s->dims[d] = x->dims[d + 2];
    }
    s->align_corners = hst__attr_int(c->node, "align_corners", 0);
    s->channels = (size_t)x->dims[1];
    s->in_size = hst__desc_span(x, 2, x->rank);
    s->places = hst__desc_span(y, 2, y->rank);
    size_t blocks = (s->places + BLOCK - 1) / BLOCK * (size_t)x->dims[0];
    double ns = BLOCK * s->taps * (3 + (double)s->channels);
    s->pieces = hst__pieces_cut(blocks, ns, 1, c->threads);
    step->ns = ns * (double)blocks;
    step->state = s;
    step->run = run;
    return HST_OK;
}

const hst__op hst__op_GridSample = {16, HST__OPSET_MAX, 2,     2,      1,
                                    1,  false,          infer, prepare};
