/* Candidates of a detector and non-maximum suppression. */
#include <math.h>
#include <stdlib.h>

#include "pipeline/pipeline.h"

/** More than any photograph holds; bounds what hostile outputs can cost. */
enum { CANDIDATES_MAX = 100000 };

bool hst__candidates_add(hst__candidates *c, const hst__candidate *item,
                         double threshold) {
    if (!(item->score >= threshold) || !isfinite(item->x0) || !isfinite(item->y0) ||
        !isfinite(item->x1) || !isfinite(item->y1) || item->x1 <= item->x0 ||
        item->y1 <= item->y0 || c->count >= CANDIDATES_MAX)
        return true;
    if (c->count == c->cap) {
        int cap = c->cap ? 2 * c->cap : 256;
        void *p = hst__realloc(c->items, (size_t)c->cap * sizeof *c->items,
                               (size_t)cap * sizeof *c->items);
        if (!p)
            return false;
        c->items = p;
        c->cap = cap;
    }
    c->items[c->count++] = *item;
    return true;
}

static int better_first(const void *pa, const void *pb) {
    const hst__candidate *a = pa, *b = pb;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return a->class_index - b->class_index;
}

static double overlap(const hst__candidate *a, const hst__candidate *b) {
    double w = fmin(a->x1, b->x1) - fmax(a->x0, b->x0);
    double h = fmin(a->y1, b->y1) - fmax(a->y0, b->y0);
    if (w <= 0 || h <= 0)
        return 0;
    double area_a = ((double)a->x1 - a->x0) * ((double)a->y1 - a->y0);
    double area_b = ((double)b->x1 - b->x0) * ((double)b->y1 - b->y0);
    return w * h / (area_a + area_b - w * h);
}

void hst__candidates_suppress(hst__candidates *c, double iou, bool class_agnostic,
                              int most) {
    int kept = 0;
    if (c->count > 1)
        qsort(c->items, (size_t)c->count, sizeof *c->items, better_first);
    for (int i = 0; i < c->count && kept < most; i++) {
        bool hidden = false;
        for (int k = 0; k < kept && !hidden; k++)
            hidden =
                (class_agnostic || c->items[k].class_index == c->items[i].class_index) &&
                overlap(&c->items[k], &c->items[i]) > iou;
        if (!hidden)
            c->items[kept++] = c->items[i];
    }
    c->count = kept;
}
