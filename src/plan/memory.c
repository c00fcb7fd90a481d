/* The memory plan. Values that live at the same time get disjoint ranges of one arena.
 *
 * A buffer is a set of values that share bytes: the input and output of a view (alias) or
 * of a step that may work in place. Its life is the span of steps from the first that
 * writes it to the last that reads it. Buffers are placed largest first at the lowest
 * offset where they do not meet a placed buffer in time: best-fit by size. */
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"

/** Placing takes time with the square of their number: some seconds for so many. */
enum { BUFFERS_MAX = 1 << 17 };

typedef struct buffer {
    size_t bytes, offset;
    int first, last; /**< steps */
} buffer;

typedef struct memory_plan {
    hst__plan *p;
    int *root;       /**< slot -> slot that names its buffer */
    int *last_read;  /**< slot -> last step that reads it; n_steps for graph outputs */
    buffer *buffers; /**< by root slot */
} memory_plan;

static int find_root(memory_plan *m, int slot) {
    while (m->root[slot] != slot)
        slot = m->root[slot] = m->root[m->root[slot]];
    return slot;
}

static size_t slot_bytes(const hst__plan *p, int slot) {
    size_t bytes = 0;
    hst__desc_bytes(&p->graph->values[slot - 1].desc, &bytes);
    return hst__round_up(bytes ? bytes : 1, HST__ALIGN);
}

static void find_last_reads(memory_plan *m) {
    const hst__plan *p = m->p;
    for (int i = 0; i < p->n_steps; i++)
        for (int k = 0; k < p->steps[i].n_in; k++)
            m->last_read[p->steps[i].in[k]] = i;
    for (int i = 0; i < p->graph->n_outputs; i++)
        m->last_read[p->graph->outputs[i] + 1] = p->n_steps;
}

/** Lets `out` live in the buffer of `in`. */
static void merge(memory_plan *m, int out, int in) {
    buffer *b = &m->buffers[in];
    m->root[out] = in;
    if (b->last < m->last_read[out])
        b->last = m->last_read[out];
    size_t bytes = slot_bytes(m->p, out);
    if (b->bytes < bytes)
        b->bytes = bytes;
}

/** A view shares its input's bytes, wherever they lie; a view of a constant or of the
 * caller's tensor has the slot kind of its source. */
static void place_view(memory_plan *m, const hst__step *s) {
    int in = find_root(m, (int)s->in[s->alias - 1]), out = (int)s->out[0];
    if (m->p->slots[in].kind == HST__SLOT_ARENA)
        merge(m, out, in);
    else
        m->root[out] = in;
    m->p->slots[out] = m->p->slots[in];
}

/** The input whose bytes output 0 of step i may take over: in the arena, dead after this
 * step (in all its views), read only once by it; -1 if none. */
static int takeover(memory_plan *m, const hst__step *s, int i) {
    for (int k = 0; k < s->n_in && k < 64; k++) {
        if (!(s->in_place >> k & 1) || !s->in[k])
            continue;
        int in = find_root(m, (int)s->in[k]);
        if (m->p->slots[in].kind != HST__SLOT_ARENA || m->buffers[in].last != i ||
            m->buffers[in].bytes < slot_bytes(m->p, (int)s->out[0]))
            continue;
        bool twice = false;
        for (int j = 0; j < s->n_in; j++)
            twice |= j != k && s->in[j] && find_root(m, (int)s->in[j]) == in;
        if (!twice)
            return in;
    }
    return -1;
}

static void new_buffer(memory_plan *m, int slot, int step) {
    m->p->slots[slot].kind = HST__SLOT_ARENA;
    int last = m->last_read[slot];
    m->buffers[slot] = (buffer){.bytes = slot_bytes(m->p, slot),
                                .first = step,
                                .last = last < step ? step : last};
}

/** `last` of a buffer grows when a later view of it is met, so views come first. */
static void share_views(memory_plan *m) {
    const hst__plan *p = m->p;
    for (int i = p->n_steps - 1; i >= 0; i--) {
        const hst__step *s = &p->steps[i];
        if (!s->alias || !s->out[0])
            continue;
        int in = (int)s->in[s->alias - 1], out = (int)s->out[0];
        if (m->last_read[in] < m->last_read[out])
            m->last_read[in] = m->last_read[out];
    }
}

static void build_buffers(memory_plan *m) {
    hst__plan *p = m->p;
    for (int i = 0; i < p->n_steps; i++) {
        const hst__step *s = &p->steps[i];
        if (s->alias && s->out[0]) {
            place_view(m, s);
            continue;
        }
        for (int k = 0; k < s->n_out; k++) {
            int out = (int)s->out[k], in = k == 0 && out ? takeover(m, s, i) : -1;
            if (!out)
                continue;
            new_buffer(m, out, i);
            if (in >= 0)
                merge(m, out, in);
        }
    }
}

typedef struct sized {
    size_t bytes;
    int slot;
} sized;

static int largest_first(const void *pa, const void *pb) {
    const sized *a = pa, *b = pb;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? 1 : -1;
    return a->slot - b->slot;
}

/** The lowest offset at which `b` fits between the placed buffers that live with it. They
 * are visited in rising offset, so one sweep finds the first gap. */
static size_t first_gap(const buffer *b, const buffer *placed, int n) {
    size_t at = 0;
    for (int i = 0; i < n; i++) {
        const buffer *o = &placed[i];
        if (o->last < b->first || b->last < o->first)
            continue;
        if (o->offset >= at + b->bytes)
            break;
        if (o->offset + o->bytes > at)
            at = o->offset + o->bytes;
    }
    return at;
}

/** One block holds activations and scratch; the node whose output is largest is blamed
 * when it is too large. */
static hst_status check_size(const hst__plan *p, size_t bytes, const buffer *largest,
                             hst_error *err) {
    char label[HST__NODE_LABEL], shape[HST__DESC_TEXT];
    if (bytes <= HST__ALLOC_MAX && p->scratch_bytes <= HST__ALLOC_MAX - bytes)
        return HST_OK;
    const hst__step *s = &p->steps[largest->first];
    return hst__fail(
        err, HST_E_LIMIT,
        "%s makes %s: a run needs %zu bytes for activations and %zu for scratch, "
        "and at most %zu are taken: use smaller shapes",
        hst__node_label(s->node, label, sizeof label),
        hst__desc_format(&s->out_desc[0], shape, sizeof shape), bytes, p->scratch_bytes,
        HST__ALLOC_MAX);
}

/** The buffers, largest first. */
static int list_buffers(memory_plan *m, sized *list) {
    const hst__plan *p = m->p;
    int n = 0;
    for (int i = 1; i < p->n_slots; i++)
        if (p->slots[i].kind == HST__SLOT_ARENA && find_root(m, i) == i)
            list[n++] = (sized){.bytes = m->buffers[i].bytes, .slot = i};
    qsort(list, (size_t)n, sizeof *list, largest_first);
    return n;
}

static void place_in_order(memory_plan *m, const sized *list, buffer *placed, int n) {
    hst__plan *p = m->p;
    for (int i = 0; i < n; i++) {
        buffer *b = &m->buffers[list[i].slot];
        b->offset = first_gap(b, placed, i);
        if (b->offset + b->bytes > p->arena_bytes)
            p->arena_bytes = b->offset + b->bytes;
        int at = i;
        for (; at > 0 && placed[at - 1].offset > b->offset; at--)
            placed[at] = placed[at - 1];
        placed[at] = *b;
    }
    for (int i = 1; i < p->n_slots; i++)
        if (p->slots[i].kind == HST__SLOT_ARENA)
            p->slots[i].offset = m->buffers[find_root(m, i)].offset;
}

static hst_status place_buffers(memory_plan *m, hst_error *err) {
    hst__plan *p = m->p;
    size_t slots = (size_t)p->n_slots;
    sized *list = hst__alloc(slots * sizeof *list);
    buffer *placed = hst__alloc(slots * sizeof *placed);
    hst_status st =
        list && placed ? HST_OK : hst__fail_nomem(err, slots * sizeof *placed);
    int n = st ? 0 : list_buffers(m, list);
    const buffer *largest = n > 0 ? &m->buffers[list[0].slot] : NULL;
    if (n > BUFFERS_MAX)
        st = hst__fail(err, HST_E_LIMIT,
                       "the graph makes %d tensors; at most %d are planned", n,
                       BUFFERS_MAX);
    else if (n > 0)
        st = check_size(p, largest->bytes, largest, err);
    if (!st)
        place_in_order(m, list, placed, n);
    if (!st && n > 0)
        st = check_size(p, p->arena_bytes, largest, err);
    hst__free(list);
    hst__free(placed);
    return st;
}

/** The largest sum of bytes alive in one step, by what each step adds and drops. */
static hst_status find_live_peak(memory_plan *m, hst_error *err) {
    hst__plan *p = m->p;
    size_t n = (size_t)p->n_steps + 2, live = 0;
    size_t *born = hst__alloc(2 * n * sizeof *born), *dead = born ? born + n : NULL;
    if (!born)
        return hst__fail_nomem(err, 2 * n * sizeof *born);
    for (int i = 1; i < p->n_slots; i++)
        if (p->slots[i].kind == HST__SLOT_ARENA && m->root[i] == i) {
            born[m->buffers[i].first] += m->buffers[i].bytes;
            dead[m->buffers[i].last + 1] += m->buffers[i].bytes;
        }
    for (int step = 0; step < p->n_steps; step++) {
        live += born[step] - dead[step];
        if (live > p->live_bytes)
            p->live_bytes = live;
    }
    hst__free(born);
    return HST_OK;
}

static hst_status find_scratch(hst__plan *p, hst_error *err) {
    for (int i = 0; i < p->n_steps; i++) {
        const hst__step *s = &p->steps[i];
        size_t bytes;
        if (!hst__mul(hst__round_up(s->worker_scratch, HST__ALIGN), (size_t)p->threads,
                      &bytes) ||
            !hst__add(bytes, hst__round_up(s->scratch, HST__ALIGN), &bytes))
            bytes = SIZE_MAX;
        char label[HST__NODE_LABEL];
        if (bytes > HST__ALLOC_MAX)
            return hst__fail(err, HST_E_LIMIT,
                             "%s needs %zu bytes of scratch memory, and at most %zu are "
                             "taken: use smaller shapes or fewer threads",
                             hst__node_label(s->node, label, sizeof label), bytes,
                             HST__ALLOC_MAX);
        if (bytes > p->scratch_bytes)
            p->scratch_bytes = bytes;
    }
    return HST_OK;
}

hst_status hst__plan_memory(hst__plan *p, hst_error *err) {
    memory_plan m = {.p = p};
    size_t n = (size_t)p->n_slots;
    hst_status st = find_scratch(p, err);
    m.root = hst__alloc(n * sizeof *m.root);
    m.last_read = hst__alloc(n * sizeof *m.last_read);
    m.buffers = hst__alloc(n * sizeof *m.buffers);
    if (!st && (!m.root || !m.last_read || !m.buffers))
        st = hst__fail_nomem(err, n * sizeof *m.buffers);
    if (!st) {
        for (int i = 0; i < p->n_slots; i++) {
            m.root[i] = i;
            m.last_read[i] = -1;
        }
        find_last_reads(&m);
        share_views(&m);
        build_buffers(&m);
        st = place_buffers(&m, err);
    }
    if (!st)
        st = find_live_peak(&m, err);
    hst__free(m.root);
    hst__free(m.last_read);
    hst__free(m.buffers);
    return st;
}
