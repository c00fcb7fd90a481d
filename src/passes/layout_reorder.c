/* Transpose and Reshape of channels-last values. A Transpose reads the permuted form
 * directly; splitting the channel dimension (channel shuffle, detection heads) and
 * merging it again stay permuted, so that no order has to be restored in between. */
#include <string.h>

#include "passes/layout.h"

/** Physical order of [N, A, B, H, W]: N, H, W, A, B. */
static const int split_order[5] = {0, 3, 4, 1, 2};

static hst__node *reshape(hst__layout *l, const hst__node *like, hst__value_id from,
                          hst__value_id to, const int64_t *dims, int rank) {
    hst__node *n = hst__graph_new_node(l->g, HST__OP_Reshape, 2, 1);
    if (!n) {
        l->failed = true;
        return NULL;
    }
    n->opset = 13;
    n->name = like->name;
    n->in[0] = from;
    n->in[1] = hst__layout_ints(l, dims, rank);
    n->out[0] = to;
    hst__layout_emit(l, n);
    return n;
}

/** [N,C,H,W] -> [N,A,B,H,W] with A*B = C: the channel vector of each pixel is cut. */
static bool split_channels(hst__layout *l, const hst__node *n) {
    const hst__desc *in = hst__layout_desc(l, n->in[0]),
                    *out = hst__layout_desc(l, n->out[0]);
    if (!hst__layout_is_nhwc(l, n->in[0]) || out->rank != 5 ||
        out->dims[0] != in->dims[0] || out->dims[3] != in->dims[2] ||
        out->dims[4] != in->dims[3] || in->dims[2] * in->dims[3] == 1)
        return false;
    int64_t dims[5];
    for (int i = 0; i < 5; i++)
        dims[i] = out->dims[split_order[i]];
    hst__value_id from = l->placed[n->in[0]].id;
    hst__value_id to = hst__layout_place(l, n->out[0], 5, split_order);
    return reshape(l, n, from, to, dims, 5);
}

/** [N,A,B,H,W] -> [N,A*B,H,W] of a permuted value. */
static bool merge_channels(hst__layout *l, const hst__node *n) {
    const hst__desc *in = hst__layout_desc(l, n->in[0]),
                    *out = hst__layout_desc(l, n->out[0]);
    const hst__placed *p = &l->placed[n->in[0]];
    if (p->id == HST__NONE || p->rank != 5 || out->rank != 4 ||
        out->dims[0] != in->dims[0] || out->dims[2] != in->dims[3] ||
        out->dims[3] != in->dims[4])
        return false;
    int64_t dims[4];
    for (int i = 0; i < 4; i++)
        dims[i] = out->dims[hst__nhwc[i]];
    hst__value_id from = p->id;
    hst__value_id to = hst__layout_place(l, n->out[0], 4, hst__nhwc);
    return reshape(l, n, from, to, dims, 4);
}

static bool transpose(hst__layout *l, const hst__node *n) {
    const hst__placed p = l->placed[n->in[0]];
    size_t count;
    const int64_t *attr = hst__attr_ints(n, "perm", &count);
    int perm[HST_MAX_RANK], where[HST_MAX_RANK] = {0}, composed[HST_MAX_RANK];
    if (p.id == HST__NONE || l->plain[n->in[0]] || !attr || (int)count != p.rank)
        return false;
    for (int i = 0; i < p.rank; i++) {
        perm[i] = (int)(attr[i] < 0 ? attr[i] + p.rank : attr[i]);
        where[p.perm[i]] = i;
    }
    /* A shuffle swaps the two halves of the channel dimension and nothing else. */
    if (p.rank == 5 && perm[0] == 0 && perm[1] == 2 && perm[2] == 1 && perm[3] == 3 &&
        perm[4] == 4) {
        static const int swap[5] = {0, 1, 2, 4, 3};
        hst__value_id to = hst__layout_place(l, n->out[0], 5, split_order);
        hst__layout_transpose(l, p.id, to, 5, swap);
        return true;
    }
    for (int i = 0; i < p.rank; i++)
        composed[i] = where[perm[i]];
    hst__layout_transpose(l, p.id, n->out[0], p.rank, composed);
    l->plain[n->out[0]] = true;
    return true;
}

bool hst__layout_reorder(hst__layout *l, hst__node *n) {
    if (n->n_in < 1 || n->in[0] == HST__NONE || n->in[0] >= l->n_values)
        return false;
    if (n->op == HST__OP_Transpose)
        return transpose(l, n);
    return n->op == HST__OP_Reshape && (split_channels(l, n) || merge_channels(l, n));
}
