#include "ops/recurrent.h"

#include <string.h>
#include <strings.h>

#include "kernels/vmath.h"
#include "ops/types.h"

enum { X, W, R, B, LENGTHS, INITIAL_H, INITIAL_C, PEEP };
enum { Y, Y_H, Y_C };

static hst_status check_acts(hst__op_ctx *c, const hst__recurrent *s, const char *acts) {
    const char *given = hst__attr_string(c->node, "activations", NULL);
    size_t n = strlen(acts);
    for (size_t d = 0; given && d < s->directions; d++) {
        if (strncasecmp(given, acts, n) != 0 || (given[n] && given[n] != ' '))
            return hst__op_fail(c, HST_E_UNSUPPORTED,
                                "activations '%s', supported: %s for each direction",
                                given, acts);
        given += given[n] ? n + 1 : n;
    }
    if (hst__attr_get(c->node, "clip") || hst__attr_int(c->node, "input_forget", 0))
        return hst__op_fail(c, HST_E_UNSUPPORTED, "clip and input_forget");
    return HST_OK;
}

/** Whether an input that is there has these dimensions. */
static bool fits(const hst__op_ctx *c, int i, int rank, const size_t *dims) {
    if (!hst__op_has(c, i))
        return true;
    bool same = c->in[i].rank == rank;
    for (int d = 0; same && d < rank; d++)
        same = (size_t)c->in[i].dims[d] == dims[d];
    return same;
}

hst_status hst__recurrent_read(hst__op_ctx *c, hst__recurrent *s, const char *acts) {
    hst_status st = hst__types_need(c, 3);
    for (int i = X; !st && i <= B; i++)
        if (hst__op_has(c, i) && c->in[i].dtype != HST_DTYPE_F32)
            st = hst__op_bad_type(c, i, "f32");
    if (st)
        return st;
    const char *direction = hst__attr_string(c->node, "direction", "forward");
    s->backward = strcmp(direction, "reverse") == 0;
    s->directions = strcmp(direction, "bidirectional") == 0 ? 2 : 1;
    s->batch_first = hst__attr_int(c->node, "layout", 0);
    if (c->in[X].rank != 3 || c->in[W].rank != 3 || c->in[R].rank != 3)
        return hst__op_fail(c, HST_E_SHAPE,
                            "input and weights must have three dimensions");
    s->steps = (size_t)c->in[X].dims[s->batch_first ? 1 : 0];
    s->batch = (size_t)c->in[X].dims[s->batch_first ? 0 : 1];
    s->inputs = (size_t)c->in[X].dims[2];
    s->hidden = (size_t)c->in[R].dims[2];
    size_t rows = s->gates * s->hidden, d = s->directions;
    const size_t state[] = {s->batch_first ? s->batch : d, s->batch_first ? d : s->batch,
                            s->hidden};
    if (!fits(c, W, 3, (const size_t[]){d, rows, s->inputs}) ||
        !fits(c, R, 3, (const size_t[]){d, rows, s->hidden}) ||
        !fits(c, B, 2, (const size_t[]){d, 2 * rows}) ||
        !fits(c, LENGTHS, 1, &s->batch) || !fits(c, INITIAL_H, 3, state) ||
        (s->cell_state && (!fits(c, INITIAL_C, 3, state) ||
                           !fits(c, PEEP, 2, (const size_t[]){d, 3 * s->hidden}))))
        return hst__op_fail(c, HST_E_SHAPE,
                            "weights, biases or states do not fit %zu direction%s of %zu "
                            "inputs and %zu hidden values",
                            d, d == 1 ? "" : "s", s->inputs, s->hidden);
    if (hst__op_has(c, LENGTHS) && c->in[LENGTHS].dtype != HST_DTYPE_S32)
        return hst__op_bad_type(c, LENGTHS, "s32");
    return check_acts(c, s, acts);
}

hst_status hst__recurrent_infer(hst__op_ctx *c, hst__recurrent_reader *read) {
    hst__recurrent shapes, *s = &shapes;
    hst_status st = read(c, s);
    if (st)
        return st;
    int64_t t = (int64_t)s->steps, b = (int64_t)s->batch, d = (int64_t)s->directions;
    int64_t h = (int64_t)s->hidden;
    if (hst__op_wants(c, Y))
        st = hst__op_set_out(c, Y, HST_DTYPE_F32, 4,
                             s->batch_first ? (int64_t[]){b, t, d, h}
                                            : (int64_t[]){t, d, b, h});
    for (int i = Y_H; !st && i <= Y_C; i++)
        if (hst__op_wants(c, i))
            st = hst__op_set_out(c, i, HST_DTYPE_F32, 3,
                                 s->batch_first ? (int64_t[]){b, d, h}
                                                : (int64_t[]){d, b, h});
    return st;
}

/** A worker's scratch, in floats from its start; a kernel's own lies at the end. */
typedef struct layout {
    size_t x, r, h, c, changed, packed, kernel, bytes;
} layout;

/** Floats of packed weights and biases of one direction. */
static size_t packed_floats(const hst__recurrent *s) {
    return hst__round_up(s->in_plan.packed_bytes / sizeof(float), 32) +
           hst__round_up(s->h_plan[0].packed_bytes / sizeof(float), 32) +
           hst__round_up(s->h_plan[1].packed_bytes / sizeof(float), 32) +
           2 * s->gates * s->hidden;
}

static bool lay_out(const hst__recurrent *s, layout *l) {
    size_t rows = s->gates * s->hidden, of_x, of_r;
    size_t of_h = hst__round_up(s->batch * s->hidden, 32);
    if (!hst__mul(s->steps * s->batch, rows, &of_x) || !hst__mul(s->batch, rows, &of_r) ||
        of_x > SIZE_MAX / 64 || of_r > SIZE_MAX / 64)
        return false;
    l->x = 0;
    l->r = l->x + hst__round_up(of_x, 32);
    l->h = l->r + hst__round_up(of_r, 32);
    l->c = l->h + of_h;
    l->changed = l->c + of_h;
    l->packed = l->changed + of_h;
    l->kernel = l->packed + (s->constant ? 0 : hst__round_up(packed_floats(s), 32));
    size_t kernel = s->in_plan.scratch_bytes;
    for (int i = 0; i < HST__RECURRENT_PARTS; i++)
        if (kernel < s->h_plan[i].scratch_bytes)
            kernel = s->h_plan[i].scratch_bytes;
    l->bytes = l->kernel * sizeof(float) + kernel;
    return true;
}

static void multiply(const hst__gemm_f32_plan *plan, const float *a, const float *packed,
                     float *c, const float *bias, void *scratch) {
    hst__epilogue e = HST__EPILOGUE_NONE;
    e.bias = bias;
    hst__gemm_f32_run(
        plan,
        &(hst__gemm_f32_args){
            .a = a, .packed = packed, .c = c, .epilogue = &e, .scratch = scratch},
        &(hst__tiles){0, plan->m_tiles, 0, plan->n_panels});
}

/** States are [directions][batch] or [batch][directions]. */
static size_t state_at(const hst__recurrent *s, size_t d, size_t b) {
    return (s->batch_first ? b * s->directions + d : d * s->batch + b) * s->hidden;
}

static size_t output_at(const hst__recurrent *s, size_t t, size_t d, size_t b) {
    return (s->batch_first ? (b * s->steps + t) * s->directions + d
                           : (t * s->directions + d) * s->batch + b) *
           s->hidden;
}

static void load_state(const hst__recurrent *s, const float *from, size_t d, float *to) {
    for (size_t b = 0; b < s->batch; b++)
        if (from)
            memcpy(to + b * s->hidden, from + state_at(s, d, b), s->hidden * sizeof *to);
        else
            memset(to + b * s->hidden, 0, s->hidden * sizeof *to);
}

static void store_state(const hst__recurrent *s, const float *from, size_t d, float *to) {
    for (size_t b = 0; to && b < s->batch; b++)
        memcpy(to + state_at(s, d, b), from + b * s->hidden, s->hidden * sizeof *to);
}

static size_t length_of(const hst__recurrent *s, const int32_t *lengths, size_t b) {
    if (!lengths)
        return s->steps;
    return lengths[b] < 0                  ? 0
           : (size_t)lengths[b] < s->steps ? (size_t)lengths[b]
                                           : s->steps;
}

/** Packs a [n][k] matrix for products with its transpose; returns what lies behind. */
static float *pack(const hst__gemm_f32_plan *plan, const char *data, float *packed) {
    hst__gemm_f32_pack(plan, &(hst__gemm_f32_b){data, 1, plan->k, NULL}, packed, 0,
                       plan->n_panels);
    return packed + hst__round_up(plan->packed_bytes / sizeof(float), 32);
}

/** Direction d of W, R and B into packed_floats of memory. */
static hst__recurrent_weights pack_direction(const hst__recurrent *s, const char *w,
                                             const char *r, const char *b, size_t d,
                                             float *memory) {
    size_t rows = s->gates * s->hidden, early = rows - s->late_gates * s->hidden;
    w += d * rows * s->inputs * sizeof(float);
    r += d * rows * s->hidden * sizeof(float);
    float *first = pack(&s->in_plan, w, memory);
    float *second = pack(&s->h_plan[0], r, first);
    float *bias = pack(&s->h_plan[1], r + early * s->hidden * sizeof(float), second);
    hst__recurrent_weights p = {.in = memory, .h = {first, second}};
    if (!b)
        return p;
    memcpy(bias, b + d * 2 * rows * sizeof(float), 2 * rows * sizeof(float));
    p.bias = bias;
    if (s->split_bias)
        p.bias_r = bias + rows;
    for (size_t i = 0; i < rows && !s->split_bias; i++)
        bias[i] += bias[rows + i];
    return p;
}

/** Step number k, counted from where the direction starts. */
static void do_step(const hst__step_job *j, const layout *l,
                    const hst__recurrent_weights *w, float *base, size_t d, size_t k) {
    const hst__recurrent *s = j->step->state;
    const int32_t *lengths = hst__in(j->step, j->run, LENGTHS);
    float *y = hst__out(j->step, j->run, Y);
    size_t rows = s->gates * s->hidden, early = rows - s->late_gates * s->hidden;
    bool back = d == 1 || s->backward;
    void *scratch = base + l->kernel;
    const float *peep = s->cell_state ? hst__in(j->step, j->run, PEEP) : NULL;
    hst__recurrent_cell cell = {
        .s = s, .bias_r = w->bias_r, .peep = peep ? peep + d * 3 * s->hidden : NULL};
    multiply(&s->h_plan[0], base + l->h, w->h[0], base + l->r, NULL, scratch);
    for (int pass = s->late_gates ? 0 : 1; pass < 2; pass++) {
        for (size_t b = 0; b < s->batch; b++) {
            size_t length = length_of(s, lengths, b), t = back ? length - 1 - k : k;
            if (k >= length) {
                if (y && pass)
                    memset(y + output_at(s, k, d, b), 0, s->hidden * sizeof *y);
                continue;
            }
            size_t row = s->batch_first ? b * s->steps + t : t * s->batch + b;
            cell.x = base + l->x + row * rows;
            cell.r = base + l->r + b * rows;
            cell.h = base + l->h + b * s->hidden;
            cell.c = base + l->c + b * s->hidden;
            if (!pass) {
                s->between(&cell, base + l->changed + b * s->hidden);
                continue;
            }
            s->cell(&cell);
            if (y)
                memcpy(y + output_at(s, t, d, b), cell.h, s->hidden * sizeof *y);
        }
        if (!pass)
            multiply(&s->h_plan[1], base + l->changed, w->h[1], base + l->r + early, NULL,
                     scratch);
    }
}

/** One direction; the two of a bidirectional network are independent. */
static void task(void *context, int index, int worker) {
    const hst__step_job *j = context;
    const hst__recurrent *s = j->step->state;
    float *base = (float *)(void *)hst__worker_scratch(j->step, j->run, worker);
    size_t d = (size_t)index;
    layout l;
    if (!lay_out(s, &l))
        return; /* cannot be: prepared with the same sizes */
    load_state(s, hst__in(j->step, j->run, INITIAL_H), d, base + l.h);
    load_state(s, s->cell_state ? hst__in(j->step, j->run, INITIAL_C) : NULL, d,
               base + l.c);
    memset(base + l.changed, 0, s->batch * s->hidden * sizeof *base);
    hst__recurrent_weights w = s->weights[d];
    if (!s->constant)
        w = pack_direction(s, hst__in(j->step, j->run, W), hst__in(j->step, j->run, R),
                           hst__in(j->step, j->run, B), d, base + l.packed);
    multiply(&s->in_plan, hst__in(j->step, j->run, X), w.in, base + l.x, w.bias,
             base + l.kernel);
    for (size_t k = 0; k < s->steps; k++)
        do_step(j, &l, &w, base, d, k);
    store_state(s, base + l.h, d, hst__out(j->step, j->run, Y_H));
    store_state(s, base + l.c, d, hst__out(j->step, j->run, Y_C));
}

static void run(const hst__step *step, const hst__run *r) {
    hst__step_job j = {step, r};
    hst__pool_run(r->threads, (int)((const hst__recurrent *)step->state)->directions,
                  task, &j);
}

hst_status hst__recurrent_prepare(hst__op_ctx *c, hst__step *step,
                                  hst__recurrent_reader *read) {
    hst__recurrent *s = hst__op_state(c, sizeof *s);
    if (!s)
        return hst__op_nomem(c, sizeof *s);
    hst_status st = read(c, s);
    if (st)
        return st;
    size_t rows = s->gates * s->hidden, late = s->late_gates * s->hidden;
    static const hst__act sigmoid = {.kind = HST__ACT_SIGMOID},
                          tangent = {.kind = HST__ACT_TANH};
    layout l;
    s->constant =
        c->in_const[W] && c->in_const[R] && (!hst__op_has(c, B) || c->in_const[B]);
    size_t m = s->steps * s->batch;
    if (!hst__gemm_f32_plan_init(&s->in_plan, c->cpu, m, rows, s->inputs, false,
                                 s->inputs, rows) ||
        !hst__gemm_f32_plan_init(&s->h_plan[0], c->cpu, s->batch, rows - late, s->hidden,
                                 false, s->hidden, rows) ||
        !hst__gemm_f32_plan_init(&s->h_plan[1], c->cpu, s->batch, late, s->hidden, false,
                                 s->hidden, rows) ||
        !lay_out(s, &l))
        return hst__op_fail(c, HST_E_LIMIT, "the network is too large");
    for (size_t d = 0; s->constant && d < s->directions; d++) {
        float *memory = hst__op_block(c, packed_floats(s) * sizeof *memory, NULL);
        if (!memory)
            return hst__op_nomem(c, packed_floats(s) * sizeof *memory);
        s->weights[d] =
            pack_direction(s, c->in_const[W]->data, c->in_const[R]->data,
                           hst__op_has(c, B) ? c->in_const[B]->data : NULL, d, memory);
    }
    s->sigmoid = hst__act_select(&sigmoid, c->cpu);
    s->tanh = hst__act_select(&tangent, c->cpu);
    if (s->constant) {
        step->consumed = 1u << W | 1u << R | 1u << B;
        hst__op_release(c->in_const[W]);
        hst__op_release(c->in_const[R]);
    }
    step->worker_scratch = l.bytes;
    step->macs =
        (double)(s->directions * m) * (double)rows * (double)(s->inputs + s->hidden);
    /* Products of few rows take as long as of a tile's. */
    step->ns =
        HST__MAC_NS * step->macs * (s->batch < HST__GEMM_MR_MAX ? HST__GEMM_MR_MAX : 1) +
        (double)(s->directions * s->steps) * (500 + 5 * (double)(s->batch * rows));
    step->kernel = s->in_plan.kernel->name;
    step->state = s;
    step->run = run;
    return HST_OK;
}
