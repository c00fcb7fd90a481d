/* From a decoder's candidates to detections in pixels of the photograph. */
#include "base/status.h"
#include "pipeline/pipeline.h"

static double clamp(double v, double high) { return v < 0 ? 0 : v > high ? high : v; }

static double photo_x(const hst__placement *g, double x) {
    return (x - g->offset_x) / g->scale_x;
}
static double photo_y(const hst__placement *g, double y) {
    return (y - g->offset_y) / g->scale_y;
}

static hst_detection place(const hst_pipeline *p, const hst__candidate *c) {
    const hst__placement *g = &p->placement;
    int label = c->class_index + p->m.label_offset;
    hst_detection d = {.class_index = c->class_index,
                       .score = (double)c->score,
                       .x0 = clamp(photo_x(g, c->x0), g->photo_width),
                       .y0 = clamp(photo_y(g, c->y0), g->photo_height),
                       .x1 = clamp(photo_x(g, c->x1), g->photo_width),
                       .y1 = clamp(photo_y(g, c->y1), g->photo_height)};
    if (label >= 0 && label < p->m.n_labels)
        d.label = p->m.labels[label];
    return d;
}

static void place_landmarks(const hst_pipeline *p, hst_detection *d) {
    d->n_landmarks = HST_LANDMARKS_MAX;
    for (int i = 0; i < HST_LANDMARKS_MAX; i++) {
        d->landmarks[i][0] = photo_x(&p->placement, d->landmarks[i][0]);
        d->landmarks[i][1] = photo_y(&p->placement, d->landmarks[i][1]);
    }
}

static bool holds_nan(const hst_tensor *t) {
    const float *x = hst_tensor_const_data(t);
    int nan = 0;
    for (size_t i = 0, n = hst_tensor_count(t); i < n; i++)
        nan |= x[i] != x[i];
    return nan;
}

/** That nothing is found must not hide a network that is broken. */
static hst_status check_nothing(const hst_tensor *const *outputs, size_t n,
                                hst_error *err) {
    for (size_t i = 0; i < n; i++)
        if (holds_nan(outputs[i]))
            return hst__fail(err, HST_E_FORMAT,
                             "the network answers NaN in output %zu: nothing can be "
                             "found in it",
                             i);
    return HST_OK;
}

hst_status hst__detect(hst_pipeline *p, const hst_tensor *const *outputs, size_t n,
                       hst_error *err) {
    static hst__decode *const decoders[] = {
        [HST__DETECTOR_ULTRAFACE] = hst__decode_ultraface,
        [HST__DETECTOR_YUNET] = hst__decode_yunet,
        [HST__DETECTOR_FASTESTDET] = hst__decode_fastestdet,
        [HST__DETECTOR_YOLOV5] = hst__decode_yolov5,
        [HST__DETECTOR_YOLOV8] = hst__decode_yolov8,
        [HST__DETECTOR_YOLOX] = hst__decode_yolox};
    p->found.count = 0;
    p->n_detections = 0;
    for (size_t i = 0; i < n; i++)
        if (outputs[i]->desc.dtype != HST_DTYPE_F32)
            return hst__fail(err, HST_E_TYPE, "output %zu is %s; detectors give f32", i,
                             hst_dtype_name(outputs[i]->desc.dtype));
    hst_status st = decoders[p->m.detector](p, outputs, n, err);
    if (st || p->found.count == 0)
        return st ? st : check_nothing(outputs, n, err);
    hst__candidates_suppress(&p->found, p->m.iou, p->m.class_agnostic,
                             p->m.max_detections);
    for (int i = 0; i < p->found.count; i++) {
        hst_detection d = place(p, &p->found.items[i]);
        if (d.x1 <= d.x0 || d.y1 <= d.y0)
            continue;
        if (p->m.detector == HST__DETECTOR_YUNET) {
            hst__yunet_landmarks(p, outputs, n, p->found.items[i].source, d.landmarks);
            place_landmarks(p, &d);
        }
        p->detections[p->n_detections++] = d;
    }
    return HST_OK;
}
