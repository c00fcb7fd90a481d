/* Between the decoders of the formats and the code they share; not for other folders. */
#ifndef HST_IMAGE_DECODE_H
#define HST_IMAGE_DECODE_H

#include "image/image.h"

/* ---- image.c -------------------------------------------------------------------- */

/** width * height * bytes_per_pixel, checked against the sides and bytes allowed. */
hst_status hst__image_bytes(int width, int height, int bytes_per_pixel, size_t *bytes,
                            hst_error *err);
/** Room for `bytes` at image->data, contents undefined; the form is lost when it grows.
 */
hst_status hst__image_reserve(hst__image *image, size_t bytes, hst_error *err);
/** ARG unless the picture is one that can be read. */
hst_status hst__image_check(const hst__image *image, hst_error *err);
/** Room for `more` bytes behind bytes->size; false when memory is out. */
bool hst__bytes_room(hst__bytes *bytes, size_t more);

/* ---- decode.c: one decoding ------------------------------------------------------ */

/** Samples on their way: what a decoder leaves in the buffer. */
typedef struct hst__pixels {
    int channels; /**< 1 grey, 2 grey + alpha, 3 RGB, 4 RGBA or, with cmyk, inverted CMYK
                   */
    int bits;     /**< 8 or 16 */
    bool cmyk;
} hst__pixels;

typedef struct hst__decode_job {
    const uint8_t *bytes;
    size_t size;
    const hst__decode_options *options;
    hst__image *out;
    int orientation;   /**< set by the decoder before hst__decode_target */
    bool damaged;      /**< set by the decoder: the picture may show traces of damage */
    int channels;      /**< of the result, from here to the end set by decode_target */
    int bits;          /**< of the result */
    int width, height; /**< as stored */
    hst__pixels have;  /**< what the decoder writes */
    uint8_t *raw;      /**< where it writes it, rows dense; room for width * height pixels
                            of the wider of `have` and the result */
    int given;         /**< rows that options->rows knows of */
    hst_error *err;
} hst__decode_job;

/** Channels of the result when the file has `stored` (1 to 4; 2 is grey + alpha). */
int hst__decode_channels(const hst__decode_options *options, int stored);
/** Takes memory for a width x height picture that the decoder writes as `have`, the
 * result being channels x bits. Checks all limits; nothing is allocated before. */
hst_status hst__decode_target(hst__decode_job *job, int width, int height,
                              hst__pixels have, int channels, int bits);
/** What the decoder writes is the result, in place: rows may be given away as they come.
 */
bool hst__decode_direct(const hst__decode_job *job);
/** Tells options->rows, where there is one, that `ready` rows are final. */
hst_status hst__decode_give(hst__decode_job *job, int ready);
/** LIMIT when width x height is over the option's max_pixels. */
hst_status hst__decode_limit(const hst__decode_job *job, uint64_t width, uint64_t height);

hst_status hst__jpeg_decode(hst__decode_job *job);
hst_status hst__png_decode(hst__decode_job *job);
hst_status hst__pnm_decode(hst__decode_job *job);
hst_status hst__bmp_decode(hst__decode_job *job);
hst_status hst__jpeg_probe(const uint8_t *bytes, size_t size, hst__image_info *info,
                           hst_error *err);
hst_status hst__png_probe(const uint8_t *bytes, size_t size, hst__image_info *info,
                          hst_error *err);
hst_status hst__pnm_probe(const uint8_t *bytes, size_t size, hst__image_info *info,
                          hst_error *err);
hst_status hst__bmp_probe(const uint8_t *bytes, size_t size, hst__image_info *info,
                          hst_error *err);

/** Orientation 1 to 8 from a TIFF structure (what follows "Exif\0\0"); 1 when there is
 * none or it is malformed. */
int hst__exif_orientation(const uint8_t *tiff, size_t size);

/* ---- pixels.c: forms of samples --------------------------------------------------- */

/** Turns n pixels of form `from` at p into channels x bits, in place from the front; the
 * result must not be wider than what was there. background: NULL drops alpha. */
void hst__pixels_narrow(void *p, size_t n, hst__pixels from, int channels, int bits,
                        const uint8_t background[3]);
/** Writes one pixel of `bits` from r, g, b, a in that depth: luma, three or all of them.
 */
void hst__pixel_store(uint8_t *p, int channels, int bits, const unsigned c[4]);
/** Turns width x height pixels of `pixel` bytes, rows dense, upright: orientation 2 to 4
 * in place (from == to), 5 to 8 into `to`, whose rows are `height` pixels. */
void hst__pixels_orient(const uint8_t *from, uint8_t *to, int width, int height,
                        int pixel, int orientation);
/** BT.601 luma of 8- or 16-bit samples, as Pillow's convert("L"). */
static inline unsigned hst__luma(unsigned r, unsigned g, unsigned b) {
    return (unsigned)(((uint64_t)r * 19595 + (uint64_t)g * 38470 + (uint64_t)b * 7471 +
                       0x8000) >>
                      16);
}

#endif
