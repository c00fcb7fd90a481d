/* Object detectors: FastestDet, YOLOv5, YOLOv8/11, YOLOX. */
#include <math.h>

#include "base/status.h"
#include "pipeline/pipeline.h"

/** The best of n values that lie `stride` apart; NaN is never the best. */
static int best_of(const float *x, int64_t n, int64_t stride, float *score) {
    int best = 0;
    *score = -INFINITY;
    for (int64_t i = 0; i < n; i++)
        if (x[i * stride] > *score) {
            *score = x[i * stride];
            best = (int)i;
        }
    return best;
}

static hst__candidate centred(float cx, float cy, float w, float h) {
    return (hst__candidate){
        .x0 = cx - w / 2, .y0 = cy - h / 2, .x1 = cx + w / 2, .y1 = cy + h / 2};
}

static hst_status add(hst_pipeline *p, const hst__candidate *c, hst_error *err) {
    return hst__candidates_add(&p->found, c, p->m.score)
               ? HST_OK
               : hst__fail_nomem(err, sizeof *c);
}

static float sigmoid(float x) { return 1 / (1 + expf(-x)); }

/** [1, 5 + classes, rows, columns]: objectness, offsets, size, classes; one cell, one
 * box. */
hst_status hst__decode_fastestdet(hst_pipeline *p, const hst_tensor *const *outputs,
                                  size_t n, hst_error *err) {
    const hst__desc *d = n == 1 ? &outputs[0]->desc : NULL;
    if (!d || d->rank != 4 || d->dims[0] != 1 || d->dims[1] < 6)
        return hst__fail(
            err, HST_E_SHAPE,
            "fastestdet: one output [1, 5 + classes, rows, columns] is expected");
    int64_t rows = d->dims[2], columns = d->dims[3], plane = rows * columns;
    const float *x = outputs[0]->data;
    hst_status st = HST_OK;
    for (int64_t i = 0; !st && i < plane; i++) {
        float class_score;
        int class_index = best_of(x + 5 * plane + i, d->dims[1] - 5, plane, &class_score);
        float cx = (tanhf(x[plane + i]) + (float)(i % columns)) / (float)columns;
        float cy = (tanhf(x[2 * plane + i]) + (float)(i / columns)) / (float)rows;
        hst__candidate c = centred(cx * (float)p->width, cy * (float)p->height,
                                   sigmoid(x[3 * plane + i]) * (float)p->width,
                                   sigmoid(x[4 * plane + i]) * (float)p->height);
        c.score = powf(x[i], 0.6f) * powf(class_score, 0.4f);
        c.class_index = class_index;
        c.source = (int32_t)i;
        st = add(p, &c, err);
    }
    return st;
}

/** The one output [1, N, 5 + classes]. */
static const hst_tensor *find_rows(const hst_tensor *const *outputs, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const hst__desc *d = &outputs[i]->desc;
        if (d->rank == 3 && d->dims[0] == 1 && d->dims[2] >= 6)
            return outputs[i];
    }
    return NULL;
}

/** Rows of centre, size (input pixels), objectness, classes. */
hst_status hst__decode_yolov5(hst_pipeline *p, const hst_tensor *const *outputs, size_t n,
                              hst_error *err) {
    const hst_tensor *t = find_rows(outputs, n);
    hst_status st = HST_OK;
    if (!t)
        return hst__fail(err, HST_E_SHAPE,
                         "yolov5: an output [1, N, 5 + classes] is expected");
    int64_t width = t->desc.dims[2];
    for (int64_t i = 0; !st && i < t->desc.dims[1]; i++) {
        const float *row = (const float *)t->data + i * width;
        float class_score;
        if (!(row[4] >= p->m.score))
            continue;
        hst__candidate c = centred(row[0], row[1], row[2], row[3]);
        c.class_index = best_of(row + 5, width - 5, 1, &class_score);
        c.score = row[4] * class_score;
        c.source = (int32_t)i;
        st = add(p, &c, err);
    }
    return st;
}

/** [1, 4 + classes, N]: centre, size (input pixels), classes; no objectness. */
hst_status hst__decode_yolov8(hst_pipeline *p, const hst_tensor *const *outputs, size_t n,
                              hst_error *err) {
    const hst__desc *d = n >= 1 ? &outputs[0]->desc : NULL;
    hst_status st = HST_OK;
    if (!d || d->rank != 3 || d->dims[0] != 1 || d->dims[1] < 5)
        return hst__fail(err, HST_E_SHAPE,
                         "yolov8: an output [1, 4 + classes, N] is expected");
    int64_t count = d->dims[2];
    const float *x = outputs[0]->data;
    for (int64_t i = 0; !st && i < count; i++) {
        float score;
        int class_index = best_of(x + 4 * count + i, d->dims[1] - 4, count, &score);
        hst__candidate c =
            centred(x[i], x[count + i], x[2 * count + i], x[3 * count + i]);
        c.class_index = class_index;
        c.score = score;
        c.source = (int32_t)i;
        st = add(p, &c, err);
    }
    return st;
}

/** Cell and stride of prior i in grids of stride 8, 16, 32, one after another. */
static bool cell(const hst_pipeline *p, int64_t i, float *column, float *row,
                 float *stride) {
    for (int s = 8; s <= 32; s *= 2) {
        int64_t columns = p->width / s, count = columns * (p->height / s);
        if (i < count) {
            *column = (float)(i % columns);
            *row = (float)(i / columns);
            *stride = (float)s;
            return true;
        }
        i -= count;
    }
    return false;
}

/** Rows of offset from the cell, log of the size, objectness, classes; or, where the
 * manifest says "decoded", like YOLOv5. */
hst_status hst__decode_yolox(hst_pipeline *p, const hst_tensor *const *outputs, size_t n,
                             hst_error *err) {
    const hst_tensor *t = find_rows(outputs, n);
    hst_status st = HST_OK;
    if (p->m.decoded)
        return hst__decode_yolov5(p, outputs, n, err);
    if (!t)
        return hst__fail(err, HST_E_SHAPE,
                         "yolox: an output [1, N, 5 + classes] is expected");
    int64_t width = t->desc.dims[2];
    for (int64_t i = 0; !st && i < t->desc.dims[1]; i++) {
        const float *v = (const float *)t->data + i * width;
        float class_score, column, row, stride;
        if (!cell(p, i, &column, &row, &stride))
            return hst__fail(err, HST_E_SHAPE,
                             "yolox: %lld rows do not fit an input of %dx%d",
                             (long long)t->desc.dims[1], p->width, p->height);
        if (!(v[4] >= p->m.score))
            continue;
        hst__candidate c = centred((v[0] + column) * stride, (v[1] + row) * stride,
                                   expf(v[2]) * stride, expf(v[3]) * stride);
        c.class_index = best_of(v + 5, width - 5, 1, &class_score);
        c.score = v[4] * class_score;
        c.source = (int32_t)i;
        st = add(p, &c, err);
    }
    return st;
}
