#include "kernels/gemm.h"

#include "base/memory.h"
#include "kernels/gemm_loop.h"

bool hst__gemm_f32_plan_init(hst__gemm_f32_plan *plan, hst_cpu_level level, size_t m,
                             size_t n, size_t k, bool a_transposed, size_t lda,
                             size_t ldc) {
    const hst__gemm_f32_kernel *kernel = hst__gemm_f32_pick(level);
    *plan = (hst__gemm_f32_plan){
        .kernel = kernel,
        .m = m,
        .n = n,
        .k = k,
        .lda = lda,
        .ldc = ldc,
        .a_transposed = a_transposed,
        .copy_a = a_transposed || (k > 0 && hst__gemm_f32_aliases(lda, kernel->mr)),
        .m_tiles = m / kernel->mr + (m % kernel->mr != 0),
        .n_panels = n / kernel->nr + (n % kernel->nr != 0),
        .tile_flops = 2.0 * (double)(kernel->mr * kernel->nr) * (double)k,
    };
    size_t taps, floats, bytes;
    if (!hst__mul(m, k, &bytes) || !hst__mul(bytes, sizeof(float), &bytes))
        return false;
    if (!hst__gemm_f32_packed_floats(k, n, kernel->nr, &floats) ||
        !hst__mul(floats, sizeof(float), &plan->packed_bytes))
        return false;
    hst__gemm_f32_block_size(1, k, &taps, &plan->kc);
    if (plan->copy_a)
        plan->scratch_bytes =
            kernel->mr * hst__gemm_f32_gather_stride(plan->kc) * sizeof(float);
    return true;
}

void hst__gemm_f32_pack(const hst__gemm_f32_plan *plan, const hst__gemm_f32_b *b,
                        float *packed, size_t n_begin, size_t n_end) {
    size_t nr = plan->kernel->nr;
    for (size_t panel = n_begin; panel < n_end; panel++) {
        size_t column = panel * nr, left = plan->n - column;
        plan->kernel->pack(&(hst__gemm_f32_panel){
            .b = (const char *)b->data + column * b->n_stride * sizeof(float),
            .k_stride = b->k_stride,
            .n_stride = b->n_stride,
            .k = plan->k,
            .n = left < nr ? left : nr,
            .w = hst__gemm_f32_panel_width(plan->n, panel, nr),
            .taps = 1,
            .block = plan->k,
            .scale = b->scale ? b->scale + column : NULL,
            .packed = packed + column * plan->k,
        });
    }
}

enum {
    PIECES_A_THREAD = 4,
    PIECE_FLOPS_MIN = 1 << 20 /* about 10 us: handing out less costs more than it saves */
};

static size_t min(size_t a, size_t b) { return a < b ? a : b; }

hst__split hst__split_tiles(size_t m_tiles, size_t n_panels, double tile_flops,
                            int threads) {
    hst__split s = {m_tiles, n_panels, 1, 1};
    if (!m_tiles || !n_panels)
        return (hst__split){m_tiles, n_panels, 0, 0};
    double most = tile_flops * (double)m_tiles * (double)n_panels / PIECE_FLOPS_MIN;
    size_t pieces = (size_t)(threads < 1 ? 1 : threads) * PIECES_A_THREAD;
    if (threads <= 1 || most < 2)
        return s;
    if (most < (double)pieces)
        pieces = (size_t)most;
    /* Cutting the longer side leaves less to be read twice: a cut through the panels
     * makes both pieces read all of A, a cut through the tiles all of B. A panel is about
     * twice as wide as a tile is high. */
    if (m_tiles >= 2 * n_panels) {
        s.m_pieces = min(pieces, m_tiles);
        s.n_pieces = min((pieces + s.m_pieces - 1) / s.m_pieces, n_panels);
    } else {
        s.n_pieces = min(pieces, n_panels);
        s.m_pieces = min((pieces + s.n_pieces - 1) / s.n_pieces, m_tiles);
    }
    return s;
}

hst__tiles hst__split_piece(const hst__split *s, int index) {
    size_t i = (size_t)index % s->m_pieces, j = (size_t)index / s->m_pieces;
    return (hst__tiles){
        .m_begin = s->m_tiles * i / s->m_pieces,
        .m_end = s->m_tiles * (i + 1) / s->m_pieces,
        .n_begin = s->n_panels * j / s->n_pieces,
        .n_end = s->n_panels * (j + 1) / s->n_pieces,
    };
}
