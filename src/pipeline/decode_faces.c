/* Face detectors: UltraFace and YuNet. */
#include <math.h>

#include "base/status.h"
#include "pipeline/pipeline.h"

static hst_status no_memory(hst_error *err) {
    return hst__fail_nomem(err, sizeof(hst__candidate));
}

static bool has_shape(const hst_tensor *t, int64_t last) {
    return t->desc.rank == 3 && t->desc.dims[0] == 1 && t->desc.dims[2] == last;
}

/** scores [1,N,2] (background, face) and boxes [1,N,4] (corners, relative to the input),
 * in either order. */
hst_status hst__decode_ultraface(hst_pipeline *p, const hst_tensor *const *outputs,
                                 size_t n, hst_error *err) {
    const hst_tensor *scores = NULL, *boxes = NULL;
    for (size_t i = 0; i < n; i++) {
        if (has_shape(outputs[i], 2))
            scores = outputs[i];
        else if (has_shape(outputs[i], 4))
            boxes = outputs[i];
    }
    if (!scores || !boxes || scores->desc.dims[1] != boxes->desc.dims[1])
        return hst__fail(err, HST_E_SHAPE,
                         "ultraface: outputs [1,N,2] and [1,N,4] are expected");
    const float *s = scores->data, *b = boxes->data;
    float w = (float)p->width, h = (float)p->height;
    for (int64_t i = 0; i < scores->desc.dims[1]; i++) {
        hst__candidate c = {.x0 = b[4 * i] * w,
                            .y0 = b[4 * i + 1] * h,
                            .x1 = b[4 * i + 2] * w,
                            .y1 = b[4 * i + 3] * h,
                            .score = s[2 * i + 1],
                            .source = (int32_t)i};
        if (!hst__candidates_add(&p->found, &c, p->m.score))
            return no_memory(err);
    }
    return HST_OK;
}

enum { LEVELS = 3 };
static const int strides[LEVELS] = {8, 16, 32};

/** YuNet's outputs of one stride, found by their size: cls, obj [1,N,1], box [1,N,4],
 * keypoints [1,N,10] with N = (w/stride) * (h/stride). cls comes before obj. */
typedef struct level {
    const float *cls, *obj, *box, *points;
    int columns, count;
} level;

static bool find_level(const hst_pipeline *p, const hst_tensor *const *outputs, size_t n,
                       int stride, level *l) {
    *l = (level){.columns = p->width / stride};
    l->count = l->columns * (p->height / stride);
    for (size_t i = 0; i < n; i++) {
        const hst_tensor *t = outputs[i];
        if (t->desc.rank != 3 || t->desc.dims[0] != 1 || t->desc.dims[1] != l->count)
            continue;
        if (t->desc.dims[2] == 1 && !l->cls)
            l->cls = t->data;
        else if (t->desc.dims[2] == 1)
            l->obj = t->data;
        else if (t->desc.dims[2] == 4)
            l->box = t->data;
        else if (t->desc.dims[2] == 10)
            l->points = t->data;
    }
    return l->cls && l->obj && l->box && l->points;
}

static float clamp01(float v) { return v < 0 ? 0 : v > 1 ? 1 : v; }

hst_status hst__decode_yunet(hst_pipeline *p, const hst_tensor *const *outputs, size_t n,
                             hst_error *err) {
    int base = 0;
    for (int k = 0; k < LEVELS; k++) {
        level l;
        float s = (float)strides[k];
        if (!find_level(p, outputs, n, strides[k], &l))
            return hst__fail(
                err, HST_E_SHAPE,
                "yunet: outputs [1,N,1] twice, [1,N,4] and [1,N,10] are expected "
                "for N = %d (stride %d)",
                l.count, strides[k]);
        for (int i = 0; i < l.count; i++) {
            float cx = ((float)(i % l.columns) + l.box[4 * i]) * s;
            float cy = ((float)(i / l.columns) + l.box[4 * i + 1]) * s;
            float w = expf(l.box[4 * i + 2]) * s, h = expf(l.box[4 * i + 3]) * s;
            hst__candidate c = {.x0 = cx - w / 2,
                                .y0 = cy - h / 2,
                                .x1 = cx + w / 2,
                                .y1 = cy + h / 2,
                                .source = base + i,
                                .score = sqrtf(clamp01(l.cls[i]) * clamp01(l.obj[i]))};
            if (!hst__candidates_add(&p->found, &c, p->m.score))
                return no_memory(err);
        }
        base += l.count;
    }
    return HST_OK;
}

void hst__yunet_landmarks(const hst_pipeline *p, const hst_tensor *const *outputs,
                          size_t n, int source, double landmarks[HST_LANDMARKS_MAX][2]) {
    for (int k = 0; k < LEVELS; k++) {
        level l;
        if (!find_level(p, outputs, n, strides[k], &l))
            return;
        if (source < l.count) {
            for (int i = 0; i < HST_LANDMARKS_MAX; i++) {
                const float *at = l.points + 10 * source + 2 * i;
                landmarks[i][0] = ((double)at[0] + source % l.columns) * strides[k];
                landmarks[i][1] = ((double)at[1] + source / l.columns) * strides[k];
            }
            return;
        }
        source -= l.count;
    }
}
