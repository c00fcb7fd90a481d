#include "ops/product.h"

#include "kernels/vmath.h"

typedef struct product_state {
    hst__product p;
    hst__gemm_f32_plan plan;
    hst__split split; /**< of one matrix */
    hst__split pack;  /**< of packing all batches: m_tiles are batches */
    hst__act_row *row;
    float *packed; /**< constant B; NULL: packed at run into the step's scratch */
    bool shared_b; /**< one B for all batches */
} product_state;

typedef struct job {
    const product_state *s;
    const float *a, *b, *bias, *addend;
    float *packed, *c;
    const hst__step *step;
    const hst__run *run;
} job;

static size_t offset(const size_t *offsets, size_t batch, size_t size) {
    return offsets ? offsets[batch] : batch * size;
}

static hst__gemm_f32_b layout(const hst__product *p, const void *data,
                              const float *scale) {
    return p->b_transposed ? (hst__gemm_f32_b){data, 1, p->k, scale}
                           : (hst__gemm_f32_b){data, p->n, 1, scale};
}

static size_t packed_floats(const product_state *s) {
    return hst__round_up(s->plan.packed_bytes, HST__ALIGN) / sizeof(float);
}

static void pack_task(void *context, int index, int worker) {
    const job *j = context;
    const hst__product *p = &j->s->p;
    hst__tiles t = hst__split_piece(&j->s->pack, index);
    (void)worker;
    for (size_t batch = t.m_begin; batch < t.m_end; batch++) {
        hst__gemm_f32_b b =
            layout(p, j->b + offset(p->b_offset, batch, p->n * p->k), NULL);
        hst__gemm_f32_pack(&j->s->plan, &b, j->packed + batch * packed_floats(j->s),
                           t.n_begin, t.n_end);
    }
}

static void product_task(void *context, int index, int worker) {
    const job *j = context;
    const product_state *s = j->s;
    const hst__product *p = &s->p;
    int pieces = hst__split_count(&s->split);
    size_t batch = (size_t)(index / pieces);
    hst__tiles tiles = hst__split_piece(&s->split, index % pieces);
    hst__epilogue e = HST__EPILOGUE_NONE;
    e.alpha = p->alpha;
    e.bias = j->bias;
    e.addend = j->addend ? j->addend + batch * p->m * p->addend_rows : NULL;
    e.ldd = p->addend_rows;
    e.act = p->act;
    e.row = s->row;
    hst__gemm_f32_args args = {.a = j->a + offset(p->a_offset, batch, p->m * p->k),
                               .packed = j->packed +
                                         (s->shared_b ? 0 : batch * packed_floats(s)),
                               .c = j->c + batch * p->m * p->n,
                               .epilogue = &e,
                               .scratch = hst__worker_scratch(j->step, j->run, worker)};
    hst__gemm_f32_run(&s->plan, &args, &tiles);
}

/** A bias of one number is spread to a row of the scratch memory's end. */
static const float *spread_bias(const product_state *s, const float *bias,
                                char *scratch) {
    if (!bias || !s->p.bias_scalar)
        return bias;
    float *row = (float *)scratch;
    for (size_t i = 0; i < s->p.n; i++)
        row[i] = bias[0];
    return row;
}

static void run(const hst__step *step, const hst__run *r) {
    const product_state *s = step->state;
    const hst__product *p = &s->p;
    size_t bias_bytes =
        p->bias_scalar ? hst__round_up(p->n * sizeof(float), HST__ALIGN) : 0;
    job j = {.s = s,
             .a = hst__in(step, r, p->a),
             .packed = s->packed,
             .c = hst__out(step, r, 0),
             .step = step,
             .run = r};
    j.bias = spread_bias(s, p->bias < 0 ? NULL : hst__in(step, r, p->bias), r->scratch);
    j.addend = p->addend < 0 ? NULL : hst__in(step, r, p->addend);
    if (!j.packed) {
        j.b = hst__in(step, r, p->b);
        j.packed = (float *)(r->scratch + bias_bytes);
        hst__pool_run(r->threads, hst__split_count(&s->pack), pack_task, &j);
    }
    hst__pool_run(r->threads, (int)p->batch * hst__split_count(&s->split), product_task,
                  &j);
}

const size_t *hst__product_offsets(hst__op_ctx *c, const hst__desc *matrix,
                                   const hst__desc *batch, size_t count) {
    int rank = matrix->rank - 2;
    size_t size = hst__desc_span(matrix, rank, matrix->rank);
    size_t *list = hst__arena_array(c->arena, count, sizeof *list);
    for (size_t q = 0; list && q < count; q++) {
        size_t at = 0, stride = size, index = q;
        for (int i = batch->rank - 1; i >= 0; i--) {
            size_t coordinate = index % (size_t)batch->dims[i];
            index /= (size_t)batch->dims[i];
            int k = i - (batch->rank - rank);
            if (k < 0)
                continue;
            at += matrix->dims[k] != 1 ? coordinate * stride : 0;
            stride *= (size_t)matrix->dims[k];
        }
        list[q] = at;
    }
    return list;
}

static hst_status pack_constant(hst__op_ctx *c, hst__step *step, product_state *s) {
    const hst_tensor *t = c->in_const[s->p.b];
    hst__gemm_f32_b b = layout(&s->p, t->data, NULL);
    bool filled;
    s->packed = hst__op_block(c, s->plan.packed_bytes, &filled);
    if (!s->packed)
        return hst__op_nomem(c, s->plan.packed_bytes);
    if (!filled)
        hst__gemm_f32_pack(&s->plan, &b, s->packed, 0, s->plan.n_panels);
    hst__op_release(t);
    step->consumed |= 1u << s->p.b;
    return HST_OK;
}

hst_status hst__product_prepare(hst__op_ctx *c, hst__step *step,
                                const hst__product *product) {
    product_state *s = hst__op_state(c, sizeof *s);
    if (!s)
        return hst__op_nomem(c, sizeof *s);
    s->p = *product;
    if (!hst__gemm_f32_plan_init(&s->plan, c->cpu, s->p.m, s->p.n, s->p.k,
                                 s->p.a_transposed, s->p.a_transposed ? s->p.m : s->p.k,
                                 s->p.n) ||
        s->p.batch > INT32_MAX / 4096)
        return hst__op_fail(c, HST_E_LIMIT, "the product is too large");
    if (s->p.act.kind)
        s->row = hst__act_select(&s->p.act, c->cpu);
    size_t b_elements = hst__desc_size(&c->in[s->p.b]);
    s->shared_b = b_elements == s->p.n * s->p.k;
    double tile_flops = 2.0 * s->plan.kernel->mr * s->plan.kernel->nr * (double)s->p.k;
    int threads = s->p.batch > (size_t)c->threads ? 1 : c->threads;
    s->split = hst__split_tiles(s->plan.m_tiles, s->plan.n_panels, tile_flops, threads);
    size_t copies = s->shared_b ? 1 : s->p.batch;
    s->pack = hst__split_tiles(copies, s->plan.n_panels,
                               16.0 * s->plan.kernel->nr * (double)s->p.k, c->threads);
    step->scratch =
        s->p.bias_scalar ? hst__round_up(s->p.n * sizeof(float), HST__ALIGN) : 0;
    hst_status st = HST_OK;
    if (s->shared_b && c->in_const[s->p.b])
        st = pack_constant(c, step, s);
    else
        step->scratch += copies * packed_floats(s) * sizeof(float);
    step->worker_scratch = s->plan.scratch_bytes;
    step->kernel = s->plan.kernel->name;
    step->macs = (double)s->p.batch * (double)s->p.m * (double)s->p.n * (double)s->p.k;
    /* Tiles are computed whole, and every matrix costs its call. */
    double tiles = (double)s->plan.m_tiles * (double)s->plan.n_panels;
    step->ns = (double)s->p.batch * (HST__MAC_NS / 2 * tile_flops * tiles + 150);
    step->state = s;
    step->run = run;
    return st;
}
