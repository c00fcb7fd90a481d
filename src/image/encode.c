/* JPEG by libjpeg-turbo, PNG by libspng, Netpbm by hand. */
#include "base/memory.h"
#include "base/status.h"
#include "image/decode.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <jpeglib.h>

#include <jerror.h>
#include <spng.h>

/* ---- JPEG ---------------------------------------------------------------------------
 */

typedef struct writer {
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_destination_mgr destination;
    jmp_buf fail;
    hst__bytes *out;
    hst_error *err;
    hst_status status;
} writer;

static void on_error(j_common_ptr jpeg) {
    writer *w = jpeg->client_data;
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    bool memory = jpeg->err->msg_code == JERR_OUT_OF_MEMORY;
    w->status =
        hst__fail(w->err, memory ? HST_E_NOMEM : HST_E_INTERNAL, "JPEG: %s", text);
    longjmp(w->fail, 1);
}

static void on_output(j_common_ptr jpeg) { (void)jpeg; }

/* Offers the room behind what is written. */
static void offer(j_compress_ptr jpeg) {
    writer *w = jpeg->client_data;
    if (!hst__bytes_room(w->out, 1)) {
        w->status = hst__fail_nomem(w->err, w->out->capacity);
        longjmp(w->fail, 1);
    }
    w->destination.next_output_byte = w->out->data + w->out->size;
    w->destination.free_in_buffer = w->out->capacity - w->out->size;
}

static boolean on_full(j_compress_ptr jpeg) {
    writer *w = jpeg->client_data;
    w->out->size = w->out->capacity; /* all of what was offered is used */
    offer(jpeg);
    return TRUE;
}

static void on_end(j_compress_ptr jpeg) {
    writer *w = jpeg->client_data;
    w->out->size = w->out->capacity - w->destination.free_in_buffer;
}

static hst_status write_jpeg(writer *w, const hst__image *image, int quality) {
    struct jpeg_compress_struct *j = &w->jpeg;
    if (setjmp(w->fail))
        return w->status;
    jpeg_create_compress(j);
    j->dest = &w->destination;
    j->image_width = (JDIMENSION)image->width;
    j->image_height = (JDIMENSION)image->height;
    j->input_components = image->channels;
    j->in_color_space = image->channels == 1   ? JCS_GRAYSCALE
                        : image->channels == 3 ? JCS_RGB
                                               : JCS_EXT_RGBX;
    jpeg_set_defaults(j);
    jpeg_set_quality(j, quality, TRUE);
    if (quality >= 90)
        j->comp_info[0].h_samp_factor = j->comp_info[0].v_samp_factor = 1;
    jpeg_start_compress(j, TRUE);
    while (j->next_scanline < j->image_height) {
        /* The library's row type is not const; it only reads. */
        JSAMPROW row = image->data + (size_t)j->next_scanline * image->stride;
        jpeg_write_scanlines(j, &row, 1);
    }
    jpeg_finish_compress(j);
    return HST_OK;
}

hst_status hst__image_encode_jpeg(const hst__image *image, int quality, hst__bytes *out,
                                  hst_error *err) {
    hst_status s = hst__image_check(image, err);
    if (s)
        return s;
    if (image->bits != 8)
        return hst__fail(err, HST_E_UNSUPPORTED, "JPEG: %d bits; only 8 are written",
                         image->bits);
    if (image->width > JPEG_MAX_DIMENSION || image->height > JPEG_MAX_DIMENSION)
        return hst__fail(err, HST_E_UNSUPPORTED,
                         "JPEG: %d x %d pixels; a side is at most %ld", image->width,
                         image->height, (long)JPEG_MAX_DIMENSION);
    if (quality < 1 || quality > 100)
        return hst__fail(err, HST_E_ARG, "JPEG: quality %d; it is 1 to 100", quality);
    writer w = {.out = out, .err = err};
    w.jpeg.err = jpeg_std_error(&w.errors);
    w.errors.error_exit = on_error;
    w.errors.output_message = on_output;
    w.jpeg.client_data = &w;
    w.destination = (struct jpeg_destination_mgr){.init_destination = offer,
                                                  .empty_output_buffer = on_full,
                                                  .term_destination = on_end};
    out->size = 0;
    s = write_jpeg(&w, image, quality);
    jpeg_destroy_compress(&w.jpeg);
    if (s)
        out->size = 0;
    return s;
}

/* ---- PNG ----------------------------------------------------------------------------
 */

/* Where the file goes. The library does not hand on why a write failed. */
typedef struct sink {
    hst__bytes *out;
    bool out_of_memory;
} sink;

static int append(spng_ctx *ctx, void *user, void *bytes, size_t n) {
    sink *to = user;
    hst__bytes *out = to->out;
    (void)ctx;
    if (!hst__bytes_room(out, n)) {
        to->out_of_memory = true;
        return SPNG_IO_ERROR;
    }
    memcpy(out->data + out->size, bytes, n);
    out->size += n;
    return 0;
}

static int write_png(spng_ctx *ctx, const hst__image *image, sink *to) {
    struct spng_ihdr head = {.width = (uint32_t)image->width,
                             .height = (uint32_t)image->height,
                             .bit_depth = (uint8_t)image->bits};
    head.color_type = image->channels == 1   ? SPNG_COLOR_TYPE_GRAYSCALE
                      : image->channels == 3 ? SPNG_COLOR_TYPE_TRUECOLOR
                                             : SPNG_COLOR_TYPE_TRUECOLOR_ALPHA;
    int code = spng_set_png_stream(ctx, append, to);
    if (!code)
        code = spng_set_ihdr(ctx, &head);
    if (!code)
        code = spng_encode_image(ctx, NULL, 0, SPNG_FMT_PNG,
                                 SPNG_ENCODE_PROGRESSIVE | SPNG_ENCODE_FINALIZE);
    size_t row = (size_t)image->width * (size_t)(image->channels * image->bits / 8);
    for (int y = 0; y < image->height && !code; y++)
        code = spng_encode_row(ctx, hst__image_row(image, y), row);
    return code == SPNG_EOI ? 0 : code;
}

hst_status hst__image_encode_png(const hst__image *image, hst__bytes *out,
                                 hst_error *err) {
    hst_status s = hst__image_check(image, err);
    if (s)
        return s;
    spng_ctx *ctx = spng_ctx_new(SPNG_CTX_ENCODER);
    if (!ctx)
        return hst__fail(err, HST_E_NOMEM, "PNG: out of memory");
    out->size = 0;
    sink to = {.out = out};
    int code = write_png(ctx, image, &to);
    spng_ctx_free(ctx);
    if (code) {
        out->size = 0;
        if (code == SPNG_EMEM || to.out_of_memory)
            return hst__fail(err, HST_E_NOMEM, "PNG: out of memory");
        return hst__fail(err, HST_E_INTERNAL, "PNG: %s", spng_strerror(code));
    }
    return HST_OK;
}

/* ---- files --------------------------------------------------------------------------
 */

/* P5 for grey, P6 for the rest, without alpha. */
static hst_status encode_pnm(const hst__image *image, hst__bytes *out, hst_error *err) {
    hst_status s = hst__image_check(image, err);
    if (s)
        return s;
    int stored = image->channels, channels = stored == 1 ? 1 : 3, bytes = image->bits / 8;
    size_t row = (size_t)image->width * (size_t)(channels * bytes);
    char head[64];
    int n = snprintf(head, sizeof head, "P%d\n%d %d\n%d\n", channels == 1 ? 5 : 6,
                     image->width, image->height, bytes == 1 ? 255 : 65535);
    out->size = 0;
    if (!hst__bytes_room(out, (size_t)n + row * (size_t)image->height))
        return hst__fail_nomem(err, row * (size_t)image->height);
    memcpy(out->data, head, (size_t)n);
    uint8_t *to = out->data + n;
    for (int y = 0; y < image->height; y++) {
        const uint8_t *p = hst__image_row(image, y);
        for (int x = 0; x < image->width; x++, p += stored * bytes) {
            for (int c = 0; c < channels; c++) {
                uint16_t v = p[c * bytes];
                if (bytes == 2) {
                    memcpy(&v, p + 2 * c, 2);
                    *to++ = (uint8_t)(v >> 8); /* big-endian */
                }
                *to++ = (uint8_t)v;
            }
        }
    }
    out->size = (size_t)(to - out->data);
    return HST_OK;
}

static hst_status write_file(const char *path, const hst__bytes *bytes, hst_error *err) {
    FILE *f = fopen(path, "wb");
    if (!f)
        return hst__fail(err, HST_E_IO, "'%.500s': cannot be created: %m", path);
    bool done = fwrite(bytes->data, 1, bytes->size, f) == bytes->size;
    done = fclose(f) == 0 && done;
    if (done)
        return HST_OK;
    hst_status s = hst__fail(err, HST_E_IO, "'%.500s': cannot be written: %m", path);
    remove(path);
    return s;
}

hst_status hst__image_save(const hst__image *image, const char *path, hst_error *err) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    const char *ending = dot ? dot : "";
    hst__bytes bytes = {0};
    hst_status s;
    if (strcasecmp(ending, ".jpg") == 0 || strcasecmp(ending, ".jpeg") == 0)
        s = hst__image_encode_jpeg(image, 90, &bytes, err);
    else if (strcasecmp(ending, ".png") == 0)
        s = hst__image_encode_png(image, &bytes, err);
    else if (strcasecmp(ending, ".ppm") == 0 || strcasecmp(ending, ".pgm") == 0)
        s = encode_pnm(image, &bytes, err);
    else
        return hst__fail(err, HST_E_UNSUPPORTED,
                         "'%.500s': pictures are written as .jpg, .png, .ppm or .pgm",
                         path);
    if (!s)
        s = write_file(path, &bytes, err);
    else
        hst__fail_in(err, s, "'%.500s'", path);
    hst__bytes_fini(&bytes);
    return s;
}
