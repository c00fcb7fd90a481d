/* NonMaxSuppression: of the boxes of each image and class the best ones that do not
 * overlap a better one, as rows (image, class, box). How many there are must be known
 * when planning. */
#include "base/memory.h"
#include "ops/types.h"
#include "ops/unary.h"

enum { BOXES, SCORES, MOST, IOU, SCORE };

/** Overlaps that may be computed at all: some seconds. */
static const double overlaps_max = 1e9;

typedef struct box {
    float top, left, bottom, right;
} box;

typedef struct candidate {
    float score;
    int64_t index;
} candidate;

typedef struct nms {
    int64_t images, classes, boxes, most;
    float iou, score;
    bool any_score; /**< no threshold is given */
    bool centred;   /**< boxes as x, y, width, height */
} nms;

static hst_status get(hst__op_ctx *c, nms *s) {
    hst_status st = hst__types_need(c, 2);
    if (st)
        return st;
    const hst__desc *b = &c->in[BOXES], *p = &c->in[SCORES];
    for (int i = BOXES; i <= SCORES; i++)
        if (c->in[i].dtype != HST_DTYPE_F32)
            return hst__op_bad_type(c, i, "f32, f16");
    if (b->rank != 3 || p->rank != 3 || b->dims[2] != 4 || b->dims[0] != p->dims[0] ||
        b->dims[1] != p->dims[2])
        return hst__op_fail(c, HST_E_SHAPE, "boxes and scores do not fit each other");
    *s = (nms){.images = b->dims[0],
               .classes = p->dims[1],
               .boxes = b->dims[1],
               .any_score = !hst__op_has(c, SCORE),
               .centred = hst__attr_int(c->node, "center_point_box", 0)};
    st = hst__op_scalar_int(c, MOST, 0, &s->most);
    if (!st)
        st = hst__op_scalar_float(c, IOU, 0, &s->iou);
    return st ? st : hst__op_scalar_float(c, SCORE, 0, &s->score);
}

/** The corners in order; the standard lets a box name any two opposite ones. */
static box get_box(const nms *s, const float *b) {
    if (s->centred)
        return (box){b[1] - b[3] / 2, b[0] - b[2] / 2, b[1] + b[3] / 2, b[0] + b[2] / 2};
    return (box){b[0] < b[2] ? b[0] : b[2], b[1] < b[3] ? b[1] : b[3],
                 b[0] < b[2] ? b[2] : b[0], b[1] < b[3] ? b[3] : b[1]};
}

static float area(box b) { return (b.bottom - b.top) * (b.right - b.left); }

/** Whether intersection over union is above the threshold. */
static bool overlap(const nms *s, box a, box b) {
    box both = {a.top > b.top ? a.top : b.top, a.left > b.left ? a.left : b.left,
                a.bottom < b.bottom ? a.bottom : b.bottom,
                a.right < b.right ? a.right : b.right};
    if (!(both.bottom > both.top && both.right > both.left))
        return false;
    float common = area(both), whole = area(a) + area(b) - common;
    return whole > 0 && common / whole > s->iou;
}

static bool better(const candidate *a, const candidate *b) {
    return a->score != b->score ? a->score > b->score : a->index < b->index;
}

/** Restores the heap below `at`: the best one is its root. */
static void sink(candidate *heap, int64_t at, int64_t n) {
    for (int64_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && better(&heap[child + 1], &heap[child]);
        if (!better(&heap[child], &heap[at]))
            return;
        candidate other = heap[at];
        heap[at] = heap[child];
        heap[child] = other;
    }
}

/** A heap of those of one class of one image that pass the threshold. */
static int64_t gather(const nms *s, const float *scores, candidate *heap) {
    int64_t n = 0;
    for (int64_t i = 0; i < s->boxes; i++)
        if (s->any_score ? scores[i] == scores[i] : scores[i] > s->score)
            heap[n++] = (candidate){scores[i], i};
    for (int64_t i = n / 2; i-- > 0;)
        sink(heap, i, n);
    return n;
}

/** Takes the best from the heap of n as long as any may be kept. The kept ones are put
 * behind the shrinking heap: the first one at kept_end[-1]. Returns how many. *overlaps
 * is counted up and ends the work, with -1, above overlaps_max. */
static int64_t suppress(const nms *s, const float *boxes, candidate *heap, int64_t n,
                        const candidate **kept_end, double *overlaps) {
    candidate *end = heap + n;
    int64_t kept = 0;
    *kept_end = end;
    while (n > 0 && kept < s->most) {
        candidate best = heap[0];
        heap[0] = heap[--n];
        sink(heap, 0, n);
        box b = get_box(s, boxes + 4 * best.index);
        int64_t k = 0;
        while (k < kept && !overlap(s, get_box(s, boxes + 4 * end[-1 - k].index), b))
            k++;
        *overlaps += (double)k;
        if (*overlaps > overlaps_max)
            return -1;
        if (k == kept)
            end[-1 - kept++] = best;
    }
    return kept;
}

/** All images and classes; rows may be NULL. Returns the number of rows, -1 where there
 * is too much to do. */
static int64_t select_boxes(const nms *s, const float *boxes, const float *scores,
                            candidate *list, int64_t *rows) {
    int64_t count = 0;
    double overlaps = 0;
    for (int64_t i = 0; i < s->images; i++, boxes += 4 * s->boxes)
        for (int64_t k = 0; k < s->classes; k++, scores += s->boxes) {
            const candidate *end;
            int64_t n = gather(s, scores, list),
                    kept = suppress(s, boxes, list, n, &end, &overlaps);
            if (kept < 0)
                return -1;
            for (int64_t j = 0; rows && j < kept; j++) {
                int64_t *row = rows + 3 * (count + j);
                row[0] = i;
                row[1] = k;
                row[2] = end[-1 - j].index;
            }
            count += kept;
        }
    return count;
}

static hst_status infer(hst__op_ctx *c) {
    nms s;
    hst_status st = get(c, &s);
    if (st)
        return st;
    const hst_tensor *boxes = c->in_const[BOXES], *scores = c->in_const[SCORES];
    if (!boxes || !scores)
        return hst__op_fail(c, HST_E_VALUE_NEEDED, "boxes and scores must be known");
    size_t bytes = (size_t)s.boxes * sizeof(candidate);
    candidate *list = hst__alloc_raw(bytes);
    if (!list)
        return hst__op_nomem(c, bytes);
    int64_t dims[2] = {select_boxes(&s, boxes->data, scores->data, list, NULL), 3};
    hst__free(list);
    if (dims[0] < 0)
        return hst__op_fail(c, HST_E_LIMIT,
                            "more than %g overlaps of boxes; a higher score threshold or "
                            "fewer boxes a class are needed",
                            overlaps_max);
    return hst__op_set_out(c, 0, HST_DTYPE_S64, 2, dims);
}

static void run(const hst__step *step, const hst__run *r) {
    select_boxes(step->state, hst__in(step, r, BOXES), hst__in(step, r, SCORES),
                 (candidate *)(void *)r->scratch, hst__out(step, r, 0));
}

static hst_status prepare(hst__op_ctx *c, hst__step *step) {
    nms *s = hst__op_state(c, sizeof *s);
    if (!s)
        return hst__op_nomem(c, sizeof *s);
    hst_status st = get(c, s);
    if (st)
        return st;
    step->scratch = (size_t)s->boxes * sizeof(candidate);
    step->state = s;
    step->run = run;
    return HST_OK;
}

const hst__op hst__op_NonMaxSuppression = {10, HST__OPSET_MAX, 2,     5,      1,
                                           1,  false,          infer, prepare};
