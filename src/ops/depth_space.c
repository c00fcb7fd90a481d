#include "ops/depth_space.h"

#include <string.h>

#include "ops/box.h"
#include "ops/types.h"

typedef struct sizes {
    int64_t n, c, h, w, b; /**< of the tensor that is deep: c channels, h x w */
    bool crd;
} sizes;

/** Position of channel, row, column in memory. */
static void places(const hst__node *n, int *c, int *h, int *w) {
    *c = n->channels_last ? 3 : 1;
    *h = n->channels_last ? 1 : 2;
    *w = n->channels_last ? 2 : 3;
}

static hst_status read_sizes(hst__op_ctx *ctx, bool to_space, sizes *s) {
    int c, h, w;
    hst_status st = hst__types_need(ctx, 1);
    const hst__desc *x = &ctx->in[0];
    if (st)
        return st;
    const char *mode = hst__attr_string(ctx->node, "mode", "DCR");
    s->b = hst__attr_int(ctx->node, "blocksize", 0);
    s->crd = strcmp(mode, "CRD") == 0;
    places(ctx->node, &c, &h, &w);
    if (x->rank != 4 || s->b < 1 || s->b > 65536 || (!s->crd && strcmp(mode, "DCR") != 0))
        return hst__op_fail(ctx, HST_E_UNSUPPORTED,
                            "rank %d, blocksize %lld, mode '%.20s'; "
                            "rank 4, modes DCR and CRD are",
                            x->rank, (long long)s->b, mode);
    int64_t bb = s->b * s->b;
    *s = (sizes){x->dims[0], x->dims[c], x->dims[h], x->dims[w], s->b, s->crd};
    if (to_space ? s->c % bb != 0 : s->h % s->b != 0 || s->w % s->b != 0)
        return hst__op_fail(ctx, HST_E_SHAPE, "a block of %lld does not divide the input",
                            (long long)s->b);
    if (!to_space) {
        s->c *= bb;
        s->h /= s->b;
        s->w /= s->b;
    }
    return HST_OK;
}

hst_status hst__depth_space_infer(hst__op_ctx *ctx, bool to_space) {
    sizes s;
    int c, h, w;
    hst_status st = read_sizes(ctx, to_space, &s);
    if (st)
        return st;
    int64_t dims[4] = {s.n};
    places(ctx->node, &c, &h, &w);
    dims[c] = to_space ? s.c / (s.b * s.b) : s.c;
    dims[h] = to_space ? s.h * s.b : s.h;
    dims[w] = to_space ? s.w * s.b : s.w;
    return hst__op_set_out(ctx, 0, ctx->in[0].dtype, 4, dims);
}

/** Loops over image, block row, block column, channel, row, column: where each moves in
 * the deep tensor and in the wide one. */
hst_status hst__depth_space_prepare(hst__op_ctx *ctx, hst__step *step, bool to_space) {
    sizes s;
    int c, h, w;
    int64_t in[HST_MAX_RANK], out[HST_MAX_RANK];
    hst_status st = read_sizes(ctx, to_space, &s);
    if (st)
        return st;
    places(ctx->node, &c, &h, &w);
    hst__desc_strides(&ctx->in[0], in);
    hst__desc_strides(&ctx->out[0], out);
    const int64_t *deep = to_space ? in : out, *wide = to_space ? out : in;
    int64_t bb = s.b * s.b, thin = s.c / bb;
    int64_t deep_channel = s.crd ? bb : 1, deep_row = s.crd ? s.b : s.b * thin;
    int64_t deep_column = s.crd ? 1 : thin;
    const int64_t loops[][3] = {/* count, step in deep, step in wide */
                                {s.n, deep[0], wide[0]},
                                {s.h, deep[h], wide[h] * s.b},
                                {s.b, deep[c] * deep_row, wide[h]},
                                {s.w, deep[w], wide[w] * s.b},
                                {s.b, deep[c] * deep_column, wide[w]},
                                {thin, deep[c] * deep_channel, wide[c]}};
    hst__box b = {.item = hst_dtype_size(ctx->in[0].dtype)};
    ptrdiff_t item = (ptrdiff_t)b.item;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        hst__box_loop(&b, (size_t)loops[i][0], loops[i][to_space ? 1 : 2] * item,
                      loops[i][to_space ? 2 : 1] * item);
    hst__box_close(&b);
    return hst__box_prepare(ctx, step, &b, 0);
}
