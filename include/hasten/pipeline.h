/* A pipeline turns a photograph into an input tensor and output tensors into an answer, as a
 * manifest declares. The same code serves running, profiling and benchmarking. */
#ifndef HASTEN_PIPELINE_H
#define HASTEN_PIPELINE_H

#include "hasten/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The stages of the chain: X(enumerator, name). */
#define HST_STAGE_LIST(X)                                                                  \
    X(HST_STAGE_READ, "read")                                                              \
    X(HST_STAGE_DECODE, "decode")                                                          \
    X(HST_STAGE_RESIZE, "resize")                                                          \
    X(HST_STAGE_NORMALISE, "normalise")                                                    \
    X(HST_STAGE_INFERENCE, "inference")                                                    \
    X(HST_STAGE_POSTPROCESS, "post-process")

typedef enum hst_stage {
#define HST_STAGE_ENUM(name, text) name,
    HST_STAGE_LIST(HST_STAGE_ENUM)
#undef HST_STAGE_ENUM
        HST_STAGE_COUNT
} hst_stage;

/** "read", ...; "?" for unknown values. */
HST_API const char *hst_stage_name(hst_stage stage);

/** What overrides the manifest; every field can be left as hst_pipeline_options_init sets it:
 * not given. Texts are copied. */
typedef struct hst_pipeline_options {
    size_t struct_size;
    const char *preset;     /**< imagenet, yolov5, yolov8, yolox, ultraface, yunet,
                                 fastestdet, raw */
    int width, height;      /**< 0: not given */
    const char *fit;        /**< stretch, letterbox, crop, none */
    const char *filter;     /**< nearest, bilinear, bicubic, area */
    const char *convention; /**< pillow, opencv */
    const char *color;      /**< rgb, bgr, grey */
    const char *layout;     /**< nchw, nhwc */
    double scale;           /**< 0: not given */
    double mean[3], std[3];
    int n_mean, n_std; /**< 0 (not given), 1 or 3 */
    const char *labels_path;
    int top_k;         /**< 0: not given */
    double score, iou; /**< negative: not given */
} hst_pipeline_options;

HST_API void hst_pipeline_options_init(hst_pipeline_options *options);

typedef struct hst_pipeline hst_pipeline;

/** Reads the manifest at manifest_path; where that is NULL, the one beside the model
 * (model.json for model.onnx) if there is one; else guesses from the model's inputs and
 * outputs, see hst_pipeline_note. model_path and options may be NULL. *out is the caller's
 * and belongs to one thread at a time. Errors: IO, FORMAT (where in the manifest, and what is
 * expected), ARG (an option), UNSUPPORTED, NOMEM. */
HST_API hst_status hst_pipeline_create(const char *manifest_path, const char *model_path,
                                       const hst_model *model,
                                       const hst_pipeline_options *options,
                                       hst_pipeline **out, hst_error *err);
HST_API void hst_pipeline_destroy(hst_pipeline *pipeline);

/** One line that says what the chain does, e.g. "stretch 224x224 bilinear (pillow), rgb,
 * nchw f32, classify". Owned by the pipeline. */
HST_API const char *hst_pipeline_describe(const hst_pipeline *pipeline);
/** What was guessed rather than declared; NULL where nothing was. */
HST_API const char *hst_pipeline_note(const hst_pipeline *pipeline);

/** Reads, decodes, resizes and normalises a photograph (JPEG, PNG, PPM/PGM, BMP) into the
 * pipeline's input tensor. Adds the nanoseconds of each stage to stage_ns
 * [HST_STAGE_COUNT], which may be NULL. In steady state nothing of ours is allocated.
 * Errors: IO, FORMAT, UNSUPPORTED, LIMIT, NOMEM. */
HST_API hst_status hst_pipeline_load_file(hst_pipeline *pipeline, const char *path,
                                          uint64_t *stage_ns, hst_error *err);
HST_API hst_status hst_pipeline_load_memory(hst_pipeline *pipeline, const void *bytes,
                                            size_t size, uint64_t *stage_ns,
                                            hst_error *err);
/** The tensor that the last load filled; owned by the pipeline. Its shape is fixed. */
HST_API const hst_tensor *hst_pipeline_input(const hst_pipeline *pipeline);
/** Which input of the model it is for. */
HST_API size_t hst_pipeline_input_index(const hst_pipeline *pipeline);

/** Makes the answer from all outputs of the model, in its order. Errors: SHAPE (outputs that
 * are not what the manifest says), TYPE, NOMEM. */
HST_API hst_status hst_pipeline_finish(hst_pipeline *pipeline,
                                       const hst_tensor *const *outputs, size_t n_outputs,
                                       uint64_t *stage_ns, hst_error *err);

typedef enum hst_task { HST_TASK_RAW, HST_TASK_CLASSIFY, HST_TASK_DETECT } hst_task;
HST_API hst_task hst_pipeline_task(const hst_pipeline *pipeline);

/** One class of the answer, best first. */
typedef struct hst_class {
    int index;         /**< among the network's outputs */
    double score;      /**< probability where the outputs are or were made probabilities */
    const char *label; /**< NULL where there is none; owned by the pipeline */
} hst_class;
HST_API size_t hst_pipeline_class_count(const hst_pipeline *pipeline);
/** index < hst_pipeline_class_count, else ARG. */
HST_API hst_status hst_pipeline_get_class(const hst_pipeline *pipeline, size_t index,
                                          hst_class *out, hst_error *err);

enum { HST_LANDMARKS_MAX = 5 };

/** One detection, best first; coordinates are pixels of the photograph as it is seen (turned
 * by its EXIF orientation), clipped to it. */
typedef struct hst_detection {
    int class_index;
    const char *label; /**< NULL where there is none; owned by the pipeline */
    double score;
    double x0, y0, x1, y1;
    int n_landmarks;
    double landmarks[HST_LANDMARKS_MAX][2];
} hst_detection;
HST_API size_t hst_pipeline_detection_count(const hst_pipeline *pipeline);
HST_API hst_status hst_pipeline_get_detection(const hst_pipeline *pipeline, size_t index,
                                              hst_detection *out, hst_error *err);

/** Paints the detections, or the best class, on the photograph that was loaded last and
 * writes it as JPEG or PNG, told by the end of the path. Errors: IO, ARG (other ends, nothing
 * loaded), NOMEM. */
HST_API hst_status hst_pipeline_draw(hst_pipeline *pipeline, const char *path,
                                     hst_error *err);

#ifdef __cplusplus
}
#endif
#endif
