/* The memory plan, run in thought: every 128-byte line of the arena says whose bytes it
 * holds, and each step of a random plan must find its inputs whole. */
#include <stdlib.h>

#include "plan/plan.h"
#include "support/test.h"

enum { STEPS = 60, OUTS = 2, INPUTS = 2, SLOTS = 1 + INPUTS + STEPS * OUTS };

typedef struct random_plan {
    hst__plan plan;
    hst__graph graph;
    hst__value values[SLOTS];
    hst__slot slots[SLOTS];
    hst__step steps[STEPS];
    uint32_t in[STEPS][3], out[STEPS][OUTS];
    hst__value_id outputs[3];
    int content[SLOTS]; /**< slot whose bytes a slot shows: itself, or what it views */
} random_plan;

static uint64_t seed;

static int draw(int n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)n);
}

static size_t bytes_of(const random_plan *r, int slot) {
    size_t bytes = 0;
    hst__desc_bytes(&r->values[slot - 1].desc, &bytes);
    return bytes;
}

static void set_size(random_plan *r, int slot, int64_t floats) {
    r->values[slot - 1].desc =
        (hst__desc){.dtype = HST_DTYPE_F32, .rank = 1, .dims = {floats}};
}

static void draw_step(random_plan *r, int i, int known) {
    hst__step *s = &r->steps[i];
    *s = (hst__step){
        .n_in = 1 + draw(3), .n_out = 1 + draw(OUTS), .in = r->in[i], .out = r->out[i]};
    for (int k = 0; k < s->n_in; k++)
        r->in[i][k] =
            (uint32_t)(draw(8) ? known - draw(known < 12 ? known : 12) : draw(known + 1));
    for (int k = 0; k < s->n_out; k++) {
        r->out[i][k] = (uint32_t)(1 + INPUTS + i * OUTS + k);
        set_size(r, (int)r->out[i][k], draw(10) ? 1 + draw(3000) : 0);
        r->content[r->out[i][k]] = (int)r->out[i][k];
    }
    int in = (int)r->in[i][0], out = (int)r->out[i][0];
    if (in && draw(4) == 0) {
        s->alias = 1;
        s->n_out = 1;
        r->values[out - 1].desc = r->values[in - 1].desc;
        r->content[out] = r->content[in];
    } else if (in && draw(3) == 0) {
        for (int k = 0; k < s->n_in; k++)
            if (r->in[i][k] && draw(2)) {
                s->in_place |= (uint64_t)1 << k;
                r->values[out - 1].desc = r->values[r->in[i][k] - 1].desc;
            }
        for (int k = 0; k < s->n_in; k++)
            if (r->in[i][k] && bytes_of(r, (int)r->in[i][k]) != bytes_of(r, out))
                s->in_place &= ~((uint64_t)1 << k);
    } else if (draw(10) == 0)
        r->out[i][0] = 0; /* an output that nobody reads */
}

static void draw_plan(random_plan *r) {
    memset(r, 0, sizeof *r);
    r->plan = (hst__plan){.graph = &r->graph,
                          .steps = r->steps,
                          .n_steps = 1 + draw(STEPS),
                          .slots = r->slots,
                          .n_slots = SLOTS,
                          .threads = 1};
    r->graph = (hst__graph){.values = r->values, .n_values = SLOTS - 1};
    for (int i = 1; i <= INPUTS; i++) {
        r->slots[i] = (hst__slot){.kind = HST__SLOT_INPUT, .input = i - 1};
        set_size(r, i, 1 + draw(3000));
        r->content[i] = i;
    }
    int known = INPUTS;
    for (int i = 0; i < r->plan.n_steps; i++) {
        draw_step(r, i, known);
        for (int k = 0; k < r->steps[i].n_out; k++)
            if (r->out[i][k])
                known = (int)r->out[i][k];
        /* Slots of outputs that were not drawn stay absent: readers see slot 0. */
        for (int k = 0; k < r->steps[i].n_in; k++)
            if (r->in[i][k] && !r->content[r->in[i][k]])
                r->in[i][k] = 0;
        if (r->steps[i].alias && !r->in[i][0])
            r->steps[i].alias = 0;
    }
    r->graph.outputs = r->outputs;
    for (int k = 0; k < 3; k++) {
        int slot = known - draw(known < 6 ? known : 6);
        if (r->content[slot])
            r->outputs[r->graph.n_outputs++] = slot - 1;
    }
}

/** Lines of the arena that a slot covers. */
typedef struct lines {
    size_t first, count;
} lines;

static lines lines_of(const random_plan *r, int slot) {
    size_t offset = r->slots[slot].offset, bytes = bytes_of(r, slot);
    assert_int_equal(offset % HST__ALIGN, 0);
    assert_true(offset + bytes <= r->plan.arena_bytes);
    return (lines){offset / HST__ALIGN, (bytes + HST__ALIGN - 1) / HST__ALIGN};
}

static void must_hold(const random_plan *r, const int *held, int slot) {
    if (!slot || r->slots[slot].kind != HST__SLOT_ARENA)
        return;
    lines l = lines_of(r, slot);
    for (size_t i = l.first; i < l.first + l.count; i++)
        assert_int_equal(held[i], r->content[slot]);
}

static bool overlap(lines a, lines b) {
    return a.first < b.first + b.count && b.first < a.first + a.count;
}

/** Output `out` of a step may meet an input only where that input may be overwritten. */
static void check_write(const random_plan *r, const hst__step *s, int out_index) {
    int out = (int)s->out[out_index];
    lines l = lines_of(r, out);
    for (int k = 0; k < s->n_in; k++) {
        int in = (int)s->in[k];
        if (!in || r->slots[in].kind != HST__SLOT_ARENA || !overlap(l, lines_of(r, in)))
            continue;
        assert_int_equal(out_index, 0);
        assert_true(s->in_place >> k & 1);
        assert_int_equal(r->slots[in].offset, r->slots[out].offset);
    }
    for (int k = 0; k < out_index; k++)
        if (s->out[k])
            assert_false(overlap(l, lines_of(r, (int)s->out[k])));
}

static void check_plan(random_plan *r) {
    hst_error err;
    assert_ok(hst__plan_memory(&r->plan, &err), &err);
    int *held = calloc(r->plan.arena_bytes / HST__ALIGN + 1, sizeof *held);
    assert_non_null(held);
    for (int i = 0; i < r->plan.n_steps; i++) {
        const hst__step *s = &r->steps[i];
        for (int k = 0; k < s->n_in; k++)
            must_hold(r, held, (int)s->in[k]);
        if (s->alias) {
            int in = (int)s->in[0], out = (int)s->out[0];
            assert_int_equal(r->slots[in].kind, r->slots[out].kind);
            assert_int_equal(r->slots[in].offset, r->slots[out].offset);
            continue;
        }
        for (int k = 0; k < s->n_out; k++) {
            if (!s->out[k])
                continue;
            check_write(r, s, k);
            lines l = lines_of(r, (int)s->out[k]);
            for (size_t at = l.first; at < l.first + l.count; at++)
                held[at] = (int)s->out[k];
        }
    }
    for (int i = 0; i < r->graph.n_outputs; i++)
        must_hold(r, held, r->outputs[i] + 1);
    assert_true(r->plan.live_bytes <= r->plan.arena_bytes);
    free(held);
}

static void random_plans(void **state) {
    (void)state;
    static random_plan r;
    size_t arena = 0, live = 0;
    for (int i = 0; i < 3000; i++) {
        seed = (uint64_t)i * 977 + 5;
        draw_plan(&r);
        check_plan(&r);
        arena += r.plan.arena_bytes;
        live += r.plan.live_bytes;
    }
    print_message("arena is %.3f of the largest live bytes\n",
                  (double)arena / (double)live);
    assert_true((double)arena <= 1.1 * (double)live);
}

/** a -> b -> c -> d, each of its own size: two buffers at a time are enough. */
static void chain_takes_two(void **state) {
    (void)state;
    static random_plan r;
    memset(&r, 0, sizeof r);
    r.plan = (hst__plan){.graph = &r.graph,
                         .steps = r.steps,
                         .n_steps = 4,
                         .slots = r.slots,
                         .n_slots = 6,
                         .threads = 2};
    r.graph = (hst__graph){
        .values = r.values, .n_values = 5, .outputs = r.outputs, .n_outputs = 1};
    r.slots[1] = (hst__slot){.kind = HST__SLOT_INPUT};
    r.outputs[0] = 4;
    for (int i = 0; i < 5; i++)
        set_size(&r, i + 1, 1024);
    for (int i = 0; i < 4; i++) {
        r.in[i][0] = (uint32_t)i + 1;
        r.out[i][0] = (uint32_t)i + 2;
        r.steps[i] = (hst__step){.n_in = 1,
                                 .n_out = 1,
                                 .in = r.in[i],
                                 .out = r.out[i],
                                 .scratch = 100,
                                 .worker_scratch = 200};
    }
    hst_error err;
    assert_ok(hst__plan_memory(&r.plan, &err), &err);
    assert_int_equal(r.plan.arena_bytes, 2 * 4096);
    assert_int_equal(r.plan.live_bytes, 2 * 4096);
    assert_int_equal(r.plan.scratch_bytes, 128 + 2 * 256);
    for (int i = 1; i < 4; i++)
        r.steps[i].in_place = 1;
    r.plan.arena_bytes = r.plan.live_bytes = 0;
    assert_ok(hst__plan_memory(&r.plan, &err), &err);
    assert_int_equal(r.plan.arena_bytes, 4096);
}

/** A plan of one step that makes `floats` and has this scratch; its status and message.
 */
static hst_status one_step(int64_t floats, size_t scratch, size_t worker_scratch,
                           hst_error *err) {
    static random_plan r;
    static const hst__node node = {.op_type = "Relu", .name = "huge", .opset = 17};
    memset(&r, 0, sizeof r);
    r.plan = (hst__plan){.graph = &r.graph,
                         .steps = r.steps,
                         .n_steps = 1,
                         .slots = r.slots,
                         .n_slots = 2,
                         .threads = 1000};
    r.graph = (hst__graph){.values = r.values, .n_values = 1};
    set_size(&r, 1, floats);
    r.out[0][0] = 1;
    r.steps[0] = (hst__step){.n_out = 1,
                             .out = r.out[0],
                             .out_desc = &r.values[0].desc,
                             .scratch = scratch,
                             .worker_scratch = worker_scratch,
                             .node = &node};
    return hst__plan_memory(&r.plan, err);
}

static void too_large(void **state) {
    (void)state;
    hst_error err;
    const int64_t most = HST__ALLOC_MAX / 4;
    const struct {
        int64_t floats;
        size_t scratch, worker_scratch;
        hst_status wanted;
    } cases[] = {
        {most / 32 * 32, 0, 0, HST_OK},      {most + 32, 0, 0, HST_E_LIMIT},
        {most, 1 << 20, 0, HST_E_LIMIT},     {HST__EXTENT_MAX, 0, 0, HST_E_LIMIT},
        {1, HST__ALLOC_MAX, 0, HST_E_LIMIT}, {1, 0, 1 << 22, HST_E_LIMIT},
        {1, 0, SIZE_MAX / 2, HST_E_LIMIT},   {1, SIZE_MAX - 200, 1, HST_E_LIMIT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hst_status st =
            one_step(cases[i].floats, cases[i].scratch, cases[i].worker_scratch, &err);
        if (st != cases[i].wanted)
            fail_msg("case %zu gave %d", i, st);
        if (st)
            assert_non_null(strstr(err.message, "Relu 'huge' (opset 17)"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_plans),
        cmocka_unit_test(chain_takes_two),
        cmocka_unit_test(too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
