#include "kernels/gemm_loop.h"

#include <assert.h>

#include "base/cpu.h"
#include "base/memory.h"

enum {
    LINE = 16,        /* floats in a cache line */
    SUM_TARGET = 448, /* products in a block of the sum: 14 rows stay in 32 KB of L1 */
    SUM_WHOLE = 608,  /* a sum up to this is not cut: 3x3 taps of 64 channels */
    SUM_MAX = 1024,   /* a block's limit where runs cannot be cut further */
    ROWS_FLOATS = 64 << 10, /* rows of A, or of partial sums, kept in L2 beside them */
    L1_SETS = 64,
    L1_WAYS = 8
};

void hst__gemm_f32_block_size(size_t taps, size_t run, size_t *block_taps,
                              size_t *block_run) {
    *block_taps = taps;
    *block_run = run;
    if (taps * run <= SUM_WHOLE)
        return;
    size_t blocks = (taps * run + SUM_TARGET - 1) / SUM_TARGET;
    size_t length = hst__round_up((run + blocks - 1) / blocks, LINE);
    *block_run = length < run ? length : run;
    if (taps * *block_run > SUM_MAX)
        *block_taps = SUM_MAX / *block_run ? SUM_MAX / *block_run : 1;
}

size_t hst__gemm_f32_panel_width(size_t n, size_t panel, size_t nr) {
    size_t left = n - panel * nr;
    return left < nr ? hst__round_up(left, 8) : nr;
}

bool hst__gemm_f32_packed_floats(size_t k, size_t n, size_t nr, size_t *floats) {
    size_t columns = n / nr * nr + hst__round_up(n % nr, 8);
    return columns >= n && hst__mul(columns, k, floats);
}

bool hst__gemm_f32_aliases(size_t stride, size_t rows) {
    unsigned char lines[L1_SETS] = {0};
    for (size_t i = 0; i < rows; i++) {
        if (++lines[i * stride / LINE % L1_SETS] > L1_WAYS - 2)
            return true;
    }
    return false;
}

size_t hst__gemm_f32_gather_stride(size_t run) {
    return ((hst__round_up(run, LINE) / LINE) | 1) * LINE;
}

/* Some panels and one block of the sum, for a range of tiles. */
typedef struct pass {
    size_t panel_begin, panel_end;
    size_t first_group, first_panel; /* where panel_begin lies: group, panel in it */
    size_t column_begin, column_end;
    size_t tap_begin, taps, run_begin, run;
    bool first, last;  /* block of the sum */
    const float *next; /* for the tile, or NULL */
    size_t next_pace;
} pass;

static size_t min(size_t a, size_t b) { return a < b ? a : b; }

static size_t column_of(const hst__gemm_f32_loop *l, size_t group, size_t panel) {
    return group * l->group_n + min(panel * l->kernel->nr, l->group_n);
}

static pass pass_over(const hst__gemm_f32_loop *l, size_t begin, size_t end) {
    size_t last = end - 1;
    pass p = {.panel_begin = begin,
              .panel_end = end,
              .first_group = begin / l->group_panels,
              .first_panel = begin % l->group_panels};
    p.column_begin = column_of(l, p.first_group, p.first_panel);
    p.column_end = column_of(l, last / l->group_panels, last % l->group_panels + 1);
    return p;
}

/* `count` panels of one group, from `panel` on. */
static void run_group(const hst__gemm_f32_loop *l, const pass *p, hst__gemm_f32_tile *t,
                      size_t m_begin, size_t group, size_t panel, size_t count) {
    const hst__epilogue *e = l->epilogue;
    size_t nr = l->kernel->nr, column = panel * nr;
    t->n = min(count * nr, l->group_n - column);
    t->packed = l->packed + group * l->group_floats + column * l->taps * l->run;
    t->offset = group * l->group_offset + (l->gathered ? 0 : p->run_begin);
    column += group * l->group_n;
    t->c = l->c + m_begin * l->ldc + column;
    t->bias = p->first && e->bias ? e->bias + column : NULL;
    /* Partial sums wait in c. The addend goes in with the first block, so it may be c. */
    t->addend = p->first ? NULL : t->c;
    t->ldd = l->ldc;
    if (p->first && e->addend) {
        t->addend = e->addend + m_begin * e->ldd + column;
        t->ldd = e->ldd;
    }
    l->kernel->tile(t);
}

static void run_tile(const hst__gemm_f32_loop *l, const pass *p, size_t tile) {
    const hst__epilogue *e = l->epilogue;
    size_t m_begin = tile * l->kernel->mr, m = min(l->kernel->mr, l->m - m_begin);
    l->rows(l->source, &(hst__gemm_f32_block){.m_begin = m_begin,
                                              .m = m,
                                              .tap_begin = p->tap_begin,
                                              .taps = p->taps,
                                              .run_begin = p->run_begin,
                                              .run = p->run,
                                              .table = l->table});
    bool in_registers = hst__act_in_registers(e->act.kind);
    hst__gemm_f32_tile t = {
        .rows = l->table,
        .taps = p->taps,
        .kc = p->run,
        .panel_stride = l->kernel->nr * l->taps * l->run,
        .k_begin = p->run_begin * l->taps + p->tap_begin * p->run,
        .ldc = l->ldc,
        .m = m,
        .alpha = e->alpha,
        .next = p->next,
        .next_pace = p->next_pace,
    };
    if (p->last && in_registers)
        t.act = e->act;
    size_t group = p->first_group, panel = p->first_panel;
    for (size_t left = p->panel_end - p->panel_begin; left > 0;) {
        size_t count = min(l->group_panels - panel, left);
        run_group(l, p, &t, m_begin, group, panel, count);
        left -= count;
        panel = 0;
        group++;
    }
    if (!p->last || in_registers)
        return;
    for (size_t i = m_begin; i < m_begin + m; i++)
        e->row(l->c + i * l->ldc + p->column_begin, p->column_end - p->column_begin,
               &e->act);
}

/** Panels that are kept in L2 while rows pass: two fifths of it. With 512 KB the half of
 * what 1 MB takes gives 4 to 6 % for 768x3072 weights. */
static size_t group_floats(void) { return hst__cpu_l2_bytes() * 2 / 5 / sizeof(float); }

/* Where the loops are: rows from tile `row` on, panels from `panel` on, one block of the
 * sum. */
typedef struct place {
    size_t row, panel, run_begin, tap;
} place;

/* How far the loops go, and in which steps. */
typedef struct extent {
    const hst__tiles *tiles;
    size_t rows, panels;
} extent;

/* Blocks of the sum are innermost, then panels, then rows. */
static bool advance(const hst__gemm_f32_loop *l, const extent *e, place *p) {
    p->tap += l->block_taps;
    if (p->tap < l->taps)
        return true;
    p->tap = 0;
    p->run_begin += l->block_run;
    if (p->run_begin < l->run)
        return true;
    p->run_begin = 0;
    p->panel += e->panels;
    if (p->panel < e->tiles->n_end)
        return true;
    p->panel = e->tiles->n_begin;
    p->row += e->rows;
    return p->row < e->tiles->m_end;
}

static pass pass_at(const hst__gemm_f32_loop *l, const extent *e, const place *at) {
    pass p = pass_over(l, at->panel, min(at->panel + e->panels, e->tiles->n_end));
    p.tap_begin = at->tap;
    p.taps = min(l->block_taps, l->taps - at->tap);
    p.run_begin = at->run_begin;
    p.run = min(l->block_run, l->run - at->run_begin);
    p.first = at->run_begin == 0 && at->tap == 0;
    p.last = at->run_begin + p.run == l->run && at->tap + p.taps == l->taps;
    return p;
}

/* Where the pass's part of its first panel lies, if all its panels are of one group and
 * whole. */
static const float *packed_at(const hst__gemm_f32_loop *l, const float *packed,
                              const pass *p) {
    size_t nr = l->kernel->nr, panels = p->panel_end - p->panel_begin;
    if (p->first_panel + panels > l->group_n / nr)
        return NULL;
    return packed + p->first_group * l->group_floats +
           p->first_panel * nr * l->taps * l->run +
           (p->run_begin * l->taps + p->tap_begin * p->run) * nr;
}

/* One pass over all its tiles. The first tile waits for the panels to come from memory;
 * the others, while they use them again, bring in those of the next pass, a part each. */
static void run_tiles(const hst__gemm_f32_loop *l, pass *p, size_t begin, size_t end,
                      const float *next) {
    size_t products = p->taps * p->run, others = end - begin - 1;
    run_tile(l, p, begin);
    if (!products) /* a transposed convolution's phase that no tap reaches */
        next = NULL;
    size_t part = next && others ? products * l->kernel->nr / others : 0;
    p->next_pace = next ? part * sizeof *next / products + 1 : 0;
    for (size_t i = 0; i < others; i++) {
        p->next = next ? next + part * i : NULL;
        run_tile(l, p, begin + 1 + i);
    }
}

void hst__gemm_f32_loop_run(const hst__gemm_f32_loop *l, const hst__tiles *tiles) {
    assert(hst__act_in_registers(l->epilogue->act.kind) || l->epilogue->row);
    size_t nr = l->kernel->nr, mr = l->kernel->mr;
    size_t block = l->block_taps * l->block_run + 1;
    size_t panels = group_floats() / (block * nr);
    panels = panels ? panels : 1;
    size_t wide = panels * nr > block ? panels * nr : block;
    size_t rows = ROWS_FLOATS / (wide * mr);
    rows = rows ? rows : 1;
    bool one_pass = block > l->taps * l->run && panels >= tiles->n_end - tiles->n_begin;
    if (one_pass)
        rows = tiles->m_end - tiles->m_begin;
    const extent e = {tiles, rows, panels};
    place at = {.row = tiles->m_begin, .panel = tiles->n_begin}, then = at;
    if (tiles->m_begin >= tiles->m_end || tiles->n_begin >= tiles->n_end)
        return;
    for (bool more = true; more; at = then) {
        pass p = pass_at(l, &e, &at);
        const float *next = NULL;
        more = advance(l, &e, &then);
        if (!more)
            then = (place){.panel = tiles->n_begin};
        if (more || l->then) {
            pass q = pass_at(l, &e, &then);
            next = packed_at(l, more ? l->packed : l->then, &q);
        }
        run_tiles(l, &p, at.row, min(at.row + rows, tiles->m_end), next);
    }
}
