/* Pictures: decode from memory, resize, turn into tensors, draw on, encode.
 *
 * Nothing here is global: every call works on memory of its caller. Buffers (hst__image,
 * hst__resizer, hst__bytes) only grow, so a loop over pictures of one size allocates
 * nothing of ours after the first. */
#ifndef HST_IMAGE_IMAGE_H
#define HST_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hasten/cpu.h"
#include "hasten/error.h"

/* ---- the picture ---------------------------------------------------------------- */

/** Samples interleaved [height][width][channels], rows `stride` bytes apart; u8 when bits
 * is 8, u16 in the machine's byte order when 16. {0} is a valid empty picture. */
typedef struct hst__image {
    uint8_t *data;
    size_t stride;   /**< bytes from row to row, >= width * channels * bits / 8 */
    size_t capacity; /**< bytes owned at data; 0: borrowed, never grown nor freed here */
    int width, height; /**< pixels, 0 to HST__IMAGE_MAX_SIDE */
    int channels;      /**< 1 grey, 3 RGB, 4 RGBA */
    int bits;          /**< 8 or 16 */
} hst__image;

enum { HST__IMAGE_MAX_SIDE = 1 << 20 };
/** No picture of ours takes more, whatever a header claims. */
#define HST__IMAGE_MAX_BYTES ((size_t)512 << 20)

/** Gives the picture this form, contents undefined, rows dense; keeps its buffer when it
 * is large enough. Errors: ARG (form), LIMIT (over HST__IMAGE_MAX_BYTES), NOMEM, and ARG
 * when the buffer is borrowed and the picture has another form. On failure the picture is
 * as before. */
hst_status hst__image_reshape(hst__image *image, int width, int height, int channels,
                              int bits, hst_error *err);
/** Releases the buffer; the picture is empty and usable again. */
void hst__image_fini(hst__image *image);

static inline const uint8_t *hst__image_row(const hst__image *image, int y) {
    return image->data + (size_t)y * image->stride;
}

/* ---- decode --------------------------------------------------------------------- */

/** X(enumerator, text); told by the first bytes, never by a name. */
#define HST__IMAGE_FORMAT_LIST(X)                                                        \
    X(HST__IMAGE_UNKNOWN, "unknown")                                                     \
    X(HST__IMAGE_JPEG, "JPEG")                                                           \
    X(HST__IMAGE_PNG, "PNG")                                                             \
    X(HST__IMAGE_PNM, "PNM")                                                             \
    X(HST__IMAGE_BMP, "BMP")

typedef enum hst__image_format {
#define HST__IMAGE_ENUM(name, text) name,
    HST__IMAGE_FORMAT_LIST(HST__IMAGE_ENUM)
#undef HST__IMAGE_ENUM
} hst__image_format;

/** "JPEG" ...; "?" for unknown values. */
const char *hst__image_format_name(hst__image_format format);
/** What the first bytes say: UNKNOWN when nothing we read. */
hst__image_format hst__image_detect(const void *bytes, size_t size);

typedef struct hst__image_info {
    hst__image_format format;
    int width, height; /**< as stored, before the orientation is applied */
    int channels;      /**< 1 to 4 as stored; palette counts as 3 (4 with transparency) */
    int bits;          /**< of a stored sample: 1 to 16 */
    int orientation;   /**< EXIF 1 to 8; 1 (upright) where the file says nothing */
    bool progressive;  /**< JPEG in several scans, or interlaced PNG */
} hst__image_info;

/** Reads the header alone; errors as hst__image_decode. */
hst_status hst__image_probe(const void *bytes, size_t size, hst__image_info *info,
                            hst_error *err);

typedef struct hst__decode_options {
    /** Wanted: 0 as in the file (grey 1, everything else 3), 1 grey (BT.601: JPEG's own Y
     * where it has one), 3 RGB, 4 RGBA (opaque where the file has no alpha). */
    int channels;
    /** Keep 16-bit samples; otherwise their high byte is taken (as libpng and OpenCV do).
     * PNM samples are first scaled from their maxval to the full range. */
    bool keep16;
    /** Pixels as stored, EXIF orientation not applied. */
    bool ignore_orientation;
    /** A truncated file gives what could be decoded, the rest grey (JPEG) or black,
     * instead of an error; *damaged says so. */
    bool lenient;
    /** Alpha is dropped (as OpenCV's IMREAD_COLOR and Pillow's convert("RGB") do) unless
     * composite is set: then blended over background (8-bit RGB). */
    bool composite;
    uint8_t background[3];
    /** JPEG only: a reduced size is enough, but not below want_width x want_height of the
     * upright picture; 0 x 0: full size. See hst__image_jpeg_scale. Never `exact`. */
    int want_width, want_height;
    /** JPEG only: faster and less exact (IFAST DCT, plain chroma upsampling); not what
     * Pillow and OpenCV do, off by 0 to about 10 of 255 at sharp colour edges. */
    bool fast;
    /** Refuse larger pictures (width x height as stored); 0: only HST__IMAGE_MAX_BYTES,
     * which always holds, for library-internal memory too. */
    uint64_t max_pixels;
    /** JPEG: refuse more scans; 0 means 100 (encoders write about 10; thousands of empty
     * scans over a large picture are a known way to burn hours of CPU). */
    int max_scans;
    /** JPEG: what may read Huffman codes, HST_CPU_AUTO: the best here for a file of this
     * size; the picture is the same at any. */
    hst_cpu_level cpu;
    /** Called, where not NULL, with the picture while it comes into being: its form, and
     * its pixels down to row `ready` - 1, are final. `ready` rises; before a decode
     * succeeds it is the height. A status that is not OK ends the decode with it. */
    hst_status (*rows)(void *context, const hst__image *image, int ready, hst_error *err);
    void *rows_context;
} hst__decode_options;

/** Decodes into *out, whose buffer is reused and grown. Every byte of the input may lie.
 * options may be NULL (all zero). damaged (may be NULL) is set when the picture came out
 * although its data are damaged: bad codes within a JPEG (shown by every viewer, and no
 * error here either), or whatever lenient forgave. Errors: FORMAT (not a picture,
 * truncated, corrupt), UNSUPPORTED (a known format in a form we do not read), LIMIT
 * (size, pixels, scans, work), NOMEM, ARG. On failure the contents of *out are undefined,
 * its buffer stays owned by it. */
hst_status hst__image_decode(const void *bytes, size_t size,
                             const hst__decode_options *options, hst__image *out,
                             bool *damaged, hst_error *err);

/** The M of the smallest M/8 (M of 1, 2, 4, 8: those the library decodes fast) at which a
 * JPEG of width x height still covers want_width x want_height; 8 for wants <= 0. */
int hst__image_jpeg_scale(int width, int height, int want_width, int want_height);

/* ---- resize --------------------------------------------------------------------- */

typedef enum hst__resize_filter {
    HST__RESIZE_NEAREST,
    HST__RESIZE_BILINEAR,
    HST__RESIZE_BICUBIC,
    HST__RESIZE_AREA,    /**< Pillow: BOX; OpenCV: INTER_AREA */
    HST__RESIZE_LANCZOS, /**< Pillow: LANCZOS (a = 3); OpenCV: UNSUPPORTED */
} hst__resize_filter;

typedef enum hst__resize_convention {
    /** Pillow's Image.resize: antialiased (the filter widens with the reduction), two
     * passes in fixed point with u8 between them, bicubic a = -0.5. Order of the passes
     * as in Pillow 13: rows first unless the height shrinks by more than twice as many
     * pixels as the width. torchvision on PIL pictures is the same. */
    HST__RESIZE_PILLOW,
    /** OpenCV's cv::resize: no antialiasing (except AREA), linear in 11-bit fixed point,
     * bicubic a = -0.75. */
    HST__RESIZE_OPENCV,
    /** The same as Pillow up to 12 did it: rows always first. Differs by a level, with
     * bicubic and lanczos by more beside hard edges, where the order differs. */
    HST__RESIZE_PILLOW12,
} hst__resize_convention;

/** A rectangle in pixels, x1 and y1 excluded. */
typedef struct hst__image_rect {
    int x0, y0, x1, y1;
} hst__image_rect;

typedef struct hst__resize_options {
    hst__resize_filter filter;
    hst__resize_convention convention;
    int width, height; /**< of the whole result, > 0 */
    /** Part of the source to scale; all zero: all of it. As Pillow's box, whose filters
     * look beyond its edges, and as OpenCV's region, which ends there. To crop first,
     * then resize as Pillow would, pass a picture that borrows the part. */
    hst__image_rect box;
    /** Part of the result that is wanted (resize, then crop, at the cost of the crop; the
     * pixels are those of the whole); all zero: all of it. */
    hst__image_rect window;
    hst_cpu_level cpu; /**< HST_CPU_AUTO: the best here; the bits are the same at any */
} hst__resize_options;

/** Tables and scratch rows of a resize, kept between calls; {0} is valid. One thread at a
 * time. */
typedef struct hst__resizer {
    struct hst__resize_plan *plan;
} hst__resizer;

/** Scales src (u8 or u16; 1, 3 or 4 channels; alpha as any channel) into *out, which gets
 * the window's size and the channels and bits of src, buffer reused. src and out must not
 * overlap. Allocates only when the sizes differ from the last call's. Errors: ARG,
 * UNSUPPORTED, LIMIT, NOMEM. */
hst_status hst__resizer_run(hst__resizer *resizer, const hst__image *src,
                            const hst__resize_options *options, hst__image *out,
                            hst_error *err);
/** The same in pieces, while src comes into being from the top: begin, when its form is
 * known, then _rows whenever more of its rows are there, `ready` of them by now, with the
 * same src and out; that cannot fail and returns how many rows of out are made: all of
 * them when all of src is ready. */
hst_status hst__resizer_begin(hst__resizer *resizer, const hst__image *src,
                              const hst__resize_options *options, hst__image *out,
                              hst_error *err);
int hst__resizer_rows(hst__resizer *resizer, const hst__image *src, int ready,
                      const hst__image *out);
void hst__resizer_fini(hst__resizer *resizer);

/* ---- to a tensor ---------------------------------------------------------------- */

typedef enum hst__convert_type { HST__CONVERT_F32, HST__CONVERT_U8 } hst__convert_type;

typedef struct hst__convert_options {
    hst__convert_type type;
    bool hwc;     /**< [H][W][C] instead of [C][H][W] */
    int channels; /**< of the tensor: 0 as the picture, 1 (BT.601 from RGB), 3 (grey is
                       replicated, alpha dropped) */
    bool bgr;     /**< channel order B, G, R; mean and std are in the TENSOR's order */
    /** value = (sample * scale - mean[c]) / std[c], computed as sample * a + b in f32
     * (one multiplication, one addition, both rounded) with a = scale / std and b = -mean
     * / std folded in double and then rounded to f32. u8 output: the value rounded to
     * nearest even and saturated. scale 0 means 1, std 0 means 1. */
    double scale;
    double mean[4], std[4];
    /** Tensor size in pixels (0: the picture's) and where the picture's corner lies in
     * it; the rest is filled with pad, a sample value (before scale) in tensor order. */
    int width, height;
    int x, y;
    double pad[4];
    hst_cpu_level cpu;
} hst__convert_options;

/** Elements of the tensor that hst__image_convert writes. Errors as there. */
hst_status hst__image_convert_size(const hst__image *src, const hst__convert_options *o,
                                   size_t *elements, hst_error *err);
/** Writes the whole tensor to dst (elements: room there, at least the above; any
 * alignment that fits the type). Allocates nothing. Errors: ARG, SHAPE (room, or the
 * picture does not fit where it is put), LIMIT. */
hst_status hst__image_convert(const hst__image *src, const hst__convert_options *o,
                              void *dst, size_t elements, hst_error *err);
/** Rows from..to-1 of the picture alone, and what is padding beside them; above them
 * where from is 0, below where to is the height. Errors as above. */
hst_status hst__image_convert_rows(const hst__image *src, const hst__convert_options *o,
                                   int from, int to, void *dst, size_t elements,
                                   hst_error *err);

/* ---- encode --------------------------------------------------------------------- */

/** A byte buffer that only grows; {0} is valid. */
typedef struct hst__bytes {
    uint8_t *data;
    size_t size, capacity;
} hst__bytes;

void hst__bytes_fini(hst__bytes *bytes);

/** u8 grey or RGB (RGBA: alpha dropped) as baseline JPEG, quality 1 to 100; chroma is
 * halved below 90. */
hst_status hst__image_encode_jpeg(const hst__image *image, int quality, hst__bytes *out,
                                  hst_error *err);
/** u8 or u16, 1, 3 or 4 channels. */
hst_status hst__image_encode_png(const hst__image *image, hst__bytes *out,
                                 hst_error *err);
/** Writes a file, format by the ending: .jpg .jpeg (quality 90), .png, .ppm .pgm.
 * Errors: UNSUPPORTED (ending), IO, and the encoders'. A partly written file is removed.
 */
hst_status hst__image_save(const hst__image *image, const char *path, hst_error *err);

/* ---- draw ----------------------------------------------------------------------- */

typedef struct hst__colour {
    uint8_t r, g, b, a; /**< a: 255 opaque, 0 invisible */
} hst__colour;

/** A colour for class `index`, far from its neighbours'; any index. */
hst__colour hst__image_colour(int index);
/** Line and letter sizes grow with the picture: 1 to 640 pixels, 2 to 1280 and so on. */
int hst__image_draw_scale(const hst__image *image);
/** Fills a rectangle, blending by alpha; parts outside are clipped. */
void hst__image_fill_rect(hst__image *image, hst__image_rect rect, hst__colour colour);
/** Frame of `thickness` pixels, inwards. */
void hst__image_frame_rect(hst__image *image, hst__image_rect rect, int thickness,
                           hst__colour colour);
/** Text at its top-left corner, letters of 8 x 16 pixels times `scale`, no line breaks;
 * what is not printable ASCII shows as a box (a UTF-8 sequence as one). */
void hst__image_draw_text(hst__image *image, int x, int y, int scale, const char *text,
                          hst__colour colour);
/** Box of a detection, corners in pixels, with its label (may be NULL) on a filled field
 * above, or inside where there is no room. u8 RGB, RGBA or grey. */
void hst__image_draw_box(hst__image *image, float x0, float y0, float x1, float y1,
                         hst__colour colour, const char *label);

#endif
