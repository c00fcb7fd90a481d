/* The chains that common families of networks expect. */
#include <string.h>

#include "base/status.h"
#include "pipeline/manifest.h"

static const hst__manifest base = {.input = "",
                                   .output = "",
                                   .fit = HST__FIT_STRETCH,
                                   .filter = HST__RESIZE_BILINEAR,
                                   .convention = HST__RESIZE_PILLOW,
                                   .color = HST__COLOR_RGB,
                                   .scale = 1,
                                   .std = {1, 1, 1},
                                   .pad = 114,
                                   .task = HST_TASK_RAW,
                                   .top_k = 5,
                                   .score = 0.25,
                                   .iou = 0.45,
                                   .max_detections = 300};

static void imagenet(hst__manifest *m) {
    static const double mean[3] = {0.485, 0.456, 0.406}, std[3] = {0.229, 0.224, 0.225};
    m->fit = HST__FIT_CROP;
    m->scale = 1.0 / 255;
    memcpy(m->mean, mean, sizeof mean);
    memcpy(m->std, std, sizeof std);
    m->task = HST_TASK_CLASSIFY;
}

static void yolo(hst__manifest *m, hst__detector detector) {
    m->fit = HST__FIT_LETTERBOX;
    m->convention = HST__RESIZE_OPENCV;
    m->scale = 1.0 / 255;
    m->task = HST_TASK_DETECT;
    m->detector = detector;
}

static void yolov5(hst__manifest *m) { yolo(m, HST__DETECTOR_YOLOV5); }
static void yolov8(hst__manifest *m) { yolo(m, HST__DETECTOR_YOLOV8); }

static void yolox(hst__manifest *m) {
    yolo(m, HST__DETECTOR_YOLOX);
    m->scale = 1;
    m->color = HST__COLOR_BGR;
    m->top_left = true;
}

static void ultraface(hst__manifest *m) {
    m->width = 320;
    m->height = 240;
    m->convention = HST__RESIZE_OPENCV;
    m->mean[0] = m->mean[1] = m->mean[2] = 127;
    m->std[0] = m->std[1] = m->std[2] = 128;
    m->task = HST_TASK_DETECT;
    m->detector = HST__DETECTOR_ULTRAFACE;
    m->score = 0.7;
    m->iou = 0.3;
}

static void yunet(hst__manifest *m) {
    m->convention = HST__RESIZE_OPENCV;
    m->color = HST__COLOR_BGR;
    m->fit = HST__FIT_LETTERBOX;
    m->top_left = true;
    m->pad = 0;
    m->task = HST_TASK_DETECT;
    m->detector = HST__DETECTOR_YUNET;
    m->score = 0.6;
    m->iou = 0.3;
}

static void fastestdet(hst__manifest *m) {
    m->convention = HST__RESIZE_OPENCV;
    m->color = HST__COLOR_BGR;
    m->scale = 1.0 / 255;
    m->task = HST_TASK_DETECT;
    m->detector = HST__DETECTOR_FASTESTDET;
    m->score = 0.65;
}

static void raw(hst__manifest *m) { (void)m; }

static const struct {
    const char *name;
    void (*apply)(hst__manifest *m);
} presets[] = {{"imagenet", imagenet},     {"yolo", yolov5},
               {"yolov5", yolov5},         {"yolov8", yolov8},
               {"yolo11", yolov8},         {"yolox", yolox},
               {"ultraface", ultraface},   {"yunet", yunet},
               {"fastestdet", fastestdet}, {"raw", raw}};

hst_status hst__manifest_preset(const char *name, hst__manifest *out, hst_error *err) {
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (strcmp(presets[i].name, name) == 0) {
            hst__arena arena = out->arena;
            *out = base;
            out->arena = arena;
            presets[i].apply(out);
            return HST_OK;
        }
    return hst__fail(
        err, HST_E_ARG,
        "there is no preset '%.60s'; there are imagenet, yolo, yolov5, yolov8, "
        "yolo11, yolox, ultraface, yunet, fastestdet, raw",
        name);
}

void hst__manifest_fini(hst__manifest *m) { hst__arena_fini(&m->arena); }
