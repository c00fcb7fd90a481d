#include "ops/box.h"

#include <string.h>

/** Bytes that move in a nanosecond, for cutting work. */
static const double bytes_per_ns = 8;

static void remove_loop(hst__box *b, int at) {
    b->rank--;
    for (int d = at; d < b->rank; d++) {
        b->dims[d] = b->dims[d + 1];
        b->from[d] = b->from[d + 1];
        b->to[d] = b->to[d + 1];
    }
}

/** Loops of one turn go; a loop that continues the one inside it is merged with it. */
static void merge_loops(hst__box *b) {
    for (int d = b->rank - 1; d >= 0; d--)
        if (b->dims[d] == 1)
            remove_loop(b, d);
    for (int d = b->rank - 2; d >= 0; d--) {
        ptrdiff_t n = (ptrdiff_t)b->dims[d + 1];
        if (b->from[d] != b->from[d + 1] * n || b->to[d] != b->to[d + 1] * n)
            continue;
        b->dims[d + 1] *= b->dims[d];
        remove_loop(b, d);
    }
}

/** Puts loop `at` inside all others. */
static void move_inside(hst__box *b, int at) {
    size_t n = b->dims[at];
    ptrdiff_t from = b->from[at], to = b->to[at];
    remove_loop(b, at);
    hst__box_loop(b, n, from, to);
}

/** Where source and target each have a dense loop, but not the same one, these two become
 * the innermost, the target's last. */
static void find_transposition(hst__box *b) {
    int source = -1, target = -1;
    ptrdiff_t item = (ptrdiff_t)b->item;
    if (b->item > 8)
        return;
    for (int d = 0; d < b->rank; d++) {
        if (b->from[d] == item)
            source = d;
        if (b->to[d] == item)
            target = d;
    }
    if (source < 0 || target < 0 || source == target)
        return;
    move_inside(b, source);
    move_inside(b, target > source ? target - 1 : target);
    b->transposed = true;
}

void hst__box_close(hst__box *b) {
    merge_loops(b);
    if (b->rank > 1 && b->from[b->rank - 1] == (ptrdiff_t)b->item &&
        b->to[b->rank - 1] == (ptrdiff_t)b->item) {
        b->item *= b->dims[b->rank - 1];
        b->rank--;
    }
    if (b->rank == 0)
        hst__box_loop(b, 1, (ptrdiff_t)b->item, (ptrdiff_t)b->item);
    find_transposition(b);
    b->units = 1;
    for (int d = 0; d < b->rank - b->transposed; d++)
        b->units *= b->dims[d];
    if (b->dims[b->rank - 1] == 0)
        b->units = 0;
}

/* One loop; the size of an item is constant, so that the copy becomes a load and a store.
 */
#define COPY_LOOP(size)                                                                  \
    for (size_t i = 0; i < n; i++)                                                       \
    memcpy(to + (ptrdiff_t)i * st, from + (ptrdiff_t)i * sf, size)

static void copy_row(char *to, const char *from, size_t n, ptrdiff_t st, ptrdiff_t sf,
                     size_t item) {
    if (sf == (ptrdiff_t)item && st == (ptrdiff_t)item) {
        memcpy(to, from, n * item);
        return;
    }
    switch (item) {
    case 1:
        COPY_LOOP(1);
        break;
    case 2:
        COPY_LOOP(2);
        break;
    case 4:
        COPY_LOOP(4);
        break;
    case 8:
        COPY_LOOP(8);
        break;
    default:
        COPY_LOOP(item);
    }
}

/** to[r * st + c] = from[r + c * sf], r < rows, c < columns, in blocks that stay in the
 * cache. */
static void transpose(char *to, const char *from, size_t rows, size_t columns,
                      ptrdiff_t st, ptrdiff_t sf, const hst__box *b) {
    enum { BLOCK = 16 };
    const size_t item = b->item;
    if (b->vector) {
        b->vector(to, from, rows, columns, st, sf);
        return;
    }
    for (size_t c = 0; c < columns; c += BLOCK) {
        size_t n = columns - c < BLOCK ? columns - c : BLOCK;
        for (size_t r = 0; r < rows; r++)
            copy_row(to + (ptrdiff_t)r * st + c * item,
                     from + r * item + (ptrdiff_t)c * sf, n, (ptrdiff_t)item, sf, item);
    }
}

/** Offsets of the loops outside the innermost `inner` ones. */
typedef struct place {
    size_t index[HST__BOX_RANK];
    ptrdiff_t from, to;
} place;

static void seek(const hst__box *b, int loops, size_t n, place *p) {
    memset(p, 0, sizeof *p);
    for (int d = loops - 1; d >= 0; d--) {
        p->index[d] = n % b->dims[d];
        n /= b->dims[d];
        p->from += (ptrdiff_t)p->index[d] * b->from[d];
        p->to += (ptrdiff_t)p->index[d] * b->to[d];
    }
}

static void next(const hst__box *b, int loops, place *p) {
    for (int d = loops - 1; d >= 0; d--) {
        p->from += b->from[d];
        p->to += b->to[d];
        if (++p->index[d] < b->dims[d])
            return;
        p->from -= b->from[d] * (ptrdiff_t)b->dims[d];
        p->to -= b->to[d] * (ptrdiff_t)b->dims[d];
        p->index[d] = 0;
    }
}

void hst__box_copy(const hst__box *b, char *to, const char *from, size_t first,
                   size_t last) {
    /* The row that units count: elements of the innermost loop, or whole rows of a
     * transposed matrix. */
    int loops = b->rank - 1 - b->transposed, row = loops;
    place p;
    if (first >= last)
        return;
    seek(b, loops, first / b->dims[row], &p);
    for (size_t skip = first % b->dims[row]; first < last; skip = 0, next(b, loops, &p)) {
        size_t n =
            b->dims[row] - skip < last - first ? b->dims[row] - skip : last - first;
        char *t = to + p.to + (ptrdiff_t)skip * b->to[row];
        const char *f = from + p.from + (ptrdiff_t)skip * b->from[row];
        if (b->transposed)
            transpose(t, f, n, b->dims[row + 1], b->to[row], b->from[row + 1], b);
        else
            copy_row(t, f, n, b->to[row], b->from[row], b->item);
        first += n;
    }
}

typedef struct box_state {
    hst__box box;
    size_t offset;
    hst__pieces pieces;
} box_state;

typedef struct box_job {
    const box_state *st;
    char *to;
    const char *from;
} box_job;

static void box_task(void *context, int index, int worker) {
    const box_job *j = context;
    size_t first, last;
    (void)worker;
    hst__pieces_get(&j->st->pieces, index, &first, &last);
    hst__box_copy(&j->st->box, j->to, j->from, first, last);
}

static void box_run(const hst__step *s, const hst__run *r) {
    const box_state *st = s->state;
    box_job job = {.st = st,
                   .to = hst__out(s, r, 0),
                   .from = (const char *)hst__in(s, r, 0) + st->offset};
    hst__pool_run(r->threads, st->pieces.count, box_task, &job);
}

hst_status hst__box_prepare(hst__op_ctx *c, hst__step *s, const hst__box *b,
                            size_t offset) {
    box_state *st = hst__op_state(c, sizeof *st);
    if (!st)
        return hst__op_nomem(c, sizeof *st);
    st->box = *b;
    if (b->transposed && b->item == 4)
        st->box.vector = hst__transpose_pick(c->cpu);
    st->offset = offset;
    size_t bytes = b->item * (b->transposed ? b->dims[b->rank - 1] : 1);
    st->pieces = hst__pieces_cut(b->units, (double)bytes / bytes_per_ns, 16, c->threads);
    s->state = st;
    s->run = box_run;
    s->unaligned |= 1;
    s->kernel = b->transposed ? "transpose" : "copy";
    return HST_OK;
}
