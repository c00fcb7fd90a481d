/* What a resize prepares: tables of weights along both axes and rows between the passes.
 */
#ifndef HST_IMAGE_RESIZER_H
#define HST_IMAGE_RESIZER_H

#include "base/memory.h"
#include "image/image.h"
#include "kernels/resize.h"

/** How the pixels are made; see kernels/resize.h for the arithmetic. */
typedef enum hst__resize_kind {
    HST__RESIZE_BY_INDEX, /**< nearest, and plain copies */
    HST__RESIZE_BY_FIXED,
    HST__RESIZE_BY_LINEAR,
    HST__RESIZE_BY_CUBIC,
    HST__RESIZE_BY_FLOAT,
    HST__RESIZE_BY_DOUBLE,
    HST__RESIZE_BY_AREA, /**< u8, whole ratios */
    HST__RESIZE_BY_2X2,
} hst__resize_kind;

/** One axis of a resize: `size` source pixels become `outputs`, of which from..to-1 are
 * wanted. */
typedef struct hst__resize_axis {
    int size, outputs, from, to;
    double in0, in1; /**< the stretch of the source that the outputs cover (Pillow) */
} hst__resize_axis;

struct hst__resize_plan {
    hst__resize_options options; /**< with src_*, channels, bits: what it was made for */
    int src_width, src_height, channels, bits;
    hst__resize_kind kind;
    const hst__resize_kernels *kernels;
    int width, height;        /**< of the window */
    int x0, y0;               /**< corner of the source part that OpenCV scales */
    bool copy_x, copy_y;      /**< that axis keeps its pixels: no pass (fixed, double) */
    bool vertical_first;      /**< fixed, double */
    hst__resize_taps tx, ty;  /**< fixed, double, float */
    hst__resize_short sx, sy; /**< linear, cubic */
    const int32_t *index_x, *index_y; /**< by index */
    int ratio_x, ratio_y;             /**< area */
    uint8_t **ring;                   /**< rows after the horizontal pass; row r in slot
                                           r % slots */
    int *ring_row;                    /**< which row a slot holds, -1 none */
    int slots;
    int made;   /**< rows of the output, from the top */
    int filled; /**< fixed, double: rows of the source that are in the ring or were */
    const void **rows; /**< scratch: pointers to the rows of one output */
    hst__arena arena;  /**< everything above */
};

/* Tables; false when memory is out (or sizes overflow). Weights of the form asked for. */
typedef enum hst__taps_form { HST__TAPS_FIXED, HST__TAPS_F64 } hst__taps_form;
bool hst__taps_pillow(hst__resize_taps *taps, const hst__resize_axis *axis,
                      hst__resize_filter filter, hst__taps_form form, hst__arena *arena);
bool hst__taps_area(hst__resize_taps *taps, const hst__resize_axis *axis, double scale,
                    hst__arena *arena);
/** Linear, cubic and (area, magnifying) of OpenCV in 11-bit fixed point. scale = source /
 * result as OpenCV rounds it, inverse its inverse. */
bool hst__taps_short(hst__resize_short *taps, const hst__resize_axis *axis,
                     bool horizontal, hst__resize_filter filter, double scale,
                     double inverse, hst__arena *arena);
/** The same in f32, indexes beyond the edges folded into the weights of the edge. */
bool hst__taps_f32(hst__resize_taps *taps, const hst__resize_axis *axis, bool horizontal,
                   hst__resize_filter filter, double scale, double inverse,
                   hst__arena *arena);
/** Nearest source pixels. */
int32_t *hst__taps_index(const hst__resize_axis *axis, hst__resize_convention convention,
                         double scale, hst__arena *arena);

/** Nothing is made yet. */
void hst__resize_begin(struct hst__resize_plan *plan);
/** All rows of the window, out having its form, that can be made of the first `ready`
 * rows of src. */
void hst__resize_rows(struct hst__resize_plan *plan, const hst__image *src,
                      const hst__image *out, int ready);

#endif
