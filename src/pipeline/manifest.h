/* The manifest: what goes into a network and what comes out. docs/manifest.md is its
 * manual. */
#ifndef HST_PIPELINE_MANIFEST_H
#define HST_PIPELINE_MANIFEST_H

#include "base/memory.h"
#include "hasten/pipeline.h"
#include "image/image.h"

/** Words of the manifest: X(enumerator, word). */
#define HST__FIT_LIST(X)                                                                 \
    X(HST__FIT_STRETCH, "stretch")                                                       \
    X(HST__FIT_LETTERBOX, "letterbox")                                                   \
    X(HST__FIT_CROP, "crop")                                                             \
    X(HST__FIT_NONE, "none")
#define HST__FILTER_LIST(X)                                                              \
    X(HST__RESIZE_NEAREST, "nearest")                                                    \
    X(HST__RESIZE_BILINEAR, "bilinear")                                                  \
    X(HST__RESIZE_BICUBIC, "bicubic")                                                    \
    X(HST__RESIZE_AREA, "area")                                                          \
    X(HST__RESIZE_LANCZOS, "lanczos")
#define HST__CONVENTION_LIST(X)                                                          \
    X(HST__RESIZE_PILLOW, "pillow")                                                      \
    X(HST__RESIZE_OPENCV, "opencv")                                                      \
    X(HST__RESIZE_PILLOW12, "pillow12")
#define HST__COLOR_LIST(X)                                                               \
    X(HST__COLOR_RGB, "rgb")                                                             \
    X(HST__COLOR_BGR, "bgr")                                                             \
    X(HST__COLOR_GREY, "grey")
#define HST__LAYOUT_LIST(X)                                                              \
    X(HST__LAYOUT_NCHW, "nchw")                                                          \
    X(HST__LAYOUT_NHWC, "nhwc")
#define HST__TASK_LIST(X)                                                                \
    X(HST_TASK_RAW, "raw")                                                               \
    X(HST_TASK_CLASSIFY, "classify")                                                     \
    X(HST_TASK_DETECT, "detect")
#define HST__DETECTOR_LIST(X)                                                            \
    X(HST__DETECTOR_ULTRAFACE, "ultraface")                                              \
    X(HST__DETECTOR_YUNET, "yunet")                                                      \
    X(HST__DETECTOR_FASTESTDET, "fastestdet")                                            \
    X(HST__DETECTOR_YOLOV5, "yolov5")                                                    \
    X(HST__DETECTOR_YOLOV8, "yolov8")                                                    \
    X(HST__DETECTOR_YOLOX, "yolox")

#define HST__WORD_ENUM(name, word) name,
typedef enum hst__fit { HST__FIT_LIST(HST__WORD_ENUM) } hst__fit;
typedef enum hst__color { HST__COLOR_LIST(HST__WORD_ENUM) } hst__color;
typedef enum hst__layout { HST__LAYOUT_LIST(HST__WORD_ENUM) } hst__layout;
typedef enum hst__detector { HST__DETECTOR_LIST(HST__WORD_ENUM) } hst__detector;
#undef HST__WORD_ENUM

typedef enum hst__softmax_choice {
    HST__SOFTMAX_AUTO,
    HST__SOFTMAX_YES,
    HST__SOFTMAX_NO
} hst__softmax_choice;

/** {0} is not valid: start from hst__manifest_preset. */
typedef struct hst__manifest {
    hst__arena arena;  /**< texts */
    const char *input; /**< name; "" for the first 4-D input */
    hst__fit fit;
    int width, height; /**< 0: the model's */
    int shorter_side;  /**< crop: scaled to this first; 0: 256/224 of the larger side */
    bool top_left;     /**< letterbox: picture in the corner, not the centre */
    double pad;        /**< letterbox: sample value around the picture */
    hst__resize_filter filter;
    hst__resize_convention convention;
    bool reduced_decode; /**< JPEG: at 1/2, 1/4 or 1/8 where that covers the input */
    bool fast_decode;    /**< JPEG: plain chroma upsampling, faster and less exact DCT */
    hst__color color;
    double scale, mean[3], std[3];
    hst__layout layout;
    bool u8; /**< element type of the input tensor; else f32 */
    hst_task task;
    const char *output; /**< classify: name; "" for the first */
    hst__softmax_choice softmax;
    int top_k, label_offset;
    const char **labels;
    int n_labels;
    hst__detector detector;
    double score, iou;
    int max_detections;
    bool
        class_agnostic; /**< overlapping boxes of different classes suppress each other */
    bool decoded;       /**< yolox: boxes are in pixels already */
} hst__manifest;

/** A preset by name. Errors: ARG, listing the names. */
hst_status hst__manifest_preset(const char *name, hst__manifest *out, hst_error *err);
void hst__manifest_fini(hst__manifest *m);

/** Reads JSON text over what is in m already ("preset" replaces it first). folder is
 * where label files lie. Errors: FORMAT, naming the key; IO (labels); NOMEM. */
hst_status hst__manifest_parse(hst__manifest *m, const char *text, size_t size,
                               const char *folder, hst_error *err);
/** Class names, one a line. Errors: IO, LIMIT, NOMEM. */
hst_status hst__manifest_labels(hst__manifest *m, const char *path, hst_error *err);
/** Puts command-line options over m. Errors: ARG, IO. */
hst_status hst__manifest_override(hst__manifest *m, const hst_pipeline_options *o,
                                  hst_error *err);

/** Index of a word in a NULL-terminated list; -1. */
int hst__word_find(const char *const *words, const char *word);
extern const char *const hst__fit_words[],
    *const hst__filter_words[], *const hst__convention_words[],
                                    *const hst__color_words[],
                                        *const hst__layout_words[],
                                            *const hst__task_words[],
                                                *const hst__detector_words[];

#endif
