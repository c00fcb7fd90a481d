/* What stands behind hst_pipeline. */
#ifndef HST_PIPELINE_PIPELINE_H
#define HST_PIPELINE_PIPELINE_H

#include "pipeline/manifest.h"
#include "tensor/tensor.h"

/** How a photograph was put into the input: input pixel = photograph pixel * scale +
 * offset. */
typedef struct hst__placement {
    int photo_width, photo_height; /**< upright */
    int width, height;             /**< of the input */
    double scale_x, scale_y, offset_x, offset_y;
} hst__placement;

/** A box in input pixels, as a decoder finds it. */
typedef struct hst__candidate {
    float x0, y0, x1, y1, score;
    int32_t class_index;
    int32_t source; /**< for landmarks: which prior */
} hst__candidate;

typedef struct hst__candidates {
    hst__candidate *items;
    int count, cap;
} hst__candidates;

struct hst_pipeline {
    hst__manifest m;
    const char *describe, *note; /**< in the manifest's arena */
    size_t input_index;
    hst_tensor *input;
    int width, height, channels;

    /* Buffers of the chain; they only grow. */
    uint8_t *file;
    size_t file_size, file_cap;
    hst__image photo, scaled;
    hst__resizer resizer;
    hst__placement placement;
    bool loaded;

    /* The answer. */
    hst_class *classes; /**< [top_k] */
    int n_classes;
    hst__candidates found;
    hst_detection *detections; /**< [max_detections] */
    int n_detections;
    int output_index;
    float *probabilities;
    size_t n_probabilities;
};

/** inputs and outputs describe the model's. */
hst_status hst__pipeline_create(const char *manifest_path, const char *model_path,
                                const hst_value_info *inputs, size_t n_inputs,
                                const hst_value_info *outputs, size_t n_outputs,
                                const hst_pipeline_options *options, hst_pipeline **out,
                                hst_error *err);
/** From the bytes of a file to the filled input tensor. */
hst_status hst__pipeline_prepare(hst_pipeline *p, const void *bytes, size_t size,
                                 uint64_t *stage_ns, hst_error *err);

hst_status hst__classify(hst_pipeline *p, const hst_tensor *const *outputs, size_t n,
                         hst_error *err);
hst_status hst__detect(hst_pipeline *p, const hst_tensor *const *outputs, size_t n,
                       hst_error *err);

/** Adds a candidate; false when out of memory. Boxes with NaN or a score below the
 * threshold are left out (and true returned). */
bool hst__candidates_add(hst__candidates *c, const hst__candidate *item,
                         double threshold);
/** Sorts by score (ties by position and class) and drops what overlaps a better one by
 * more than iou, within its class unless class_agnostic; at most `most` stay. */
void hst__candidates_suppress(hst__candidates *c, double iou, bool class_agnostic,
                              int most);

/** Decoders: fill p->found with boxes in input pixels. */
typedef hst_status hst__decode(hst_pipeline *p, const hst_tensor *const *outputs,
                               size_t n, hst_error *err);
hst__decode hst__decode_ultraface, hst__decode_yunet, hst__decode_fastestdet,
    hst__decode_yolov5, hst__decode_yolov8, hst__decode_yolox;
/** YuNet's five landmarks of the prior `source`, in input pixels. */
void hst__yunet_landmarks(const hst_pipeline *p, const hst_tensor *const *outputs,
                          size_t n, int source, double landmarks[HST_LANDMARKS_MAX][2]);

#endif
