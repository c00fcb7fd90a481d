/* JPEG by libjpeg-turbo's classic interface: its errors become values by a longjmp to the
 * one setjmp in each entry, its warnings are sorted into harmless, damage and truncation.
 */
#include "image/decode.h"

#include "base/status.h"
#include "image/jpeg_entropy.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

enum {
    MAX_SCANS = 100,
    ROWS = 16, /* asked for at once */
    EXIF_HEADER = 6,
};
/* Scans times pixels: about 5 s of the cheapest scans there are. A picture of 512 MiB can
 * still have the 10 or so scans that encoders write. */
static const double max_scan_pixels = (double)((uint64_t)1 << 31);

typedef struct reader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    jmp_buf fail;
    hst_error *err;
    hst_status status; /* of the failure that jumped */
    int orientation;   /* 1 until an EXIF block says otherwise */
    int max_scans;
    bool lenient;
    bool in_picture; /* past the headers */
    bool ended;      /* the file's bytes are used up */
    bool damaged;    /* the picture shows it */
    bool by_library; /* Huffman codes too: the file is not as it should be */
    bool gave_up;    /* our reader of codes did: that was why it jumped */
} reader;

/* ---- errors ---------------------------------------------------------------------- */

static reader *reader_of(j_common_ptr jpeg) { return jpeg->client_data; }

static hst_status status_of(int code) {
    switch (code) {
    case JERR_OUT_OF_MEMORY:
        return HST_E_NOMEM;
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW:
        return HST_E_LIMIT;
    case JERR_SOF_UNSUPPORTED:
    case JERR_BAD_PRECISION:
    case JERR_ARITH_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_EMPTY_IMAGE:
    case JERR_COMPONENT_COUNT:
        return HST_E_UNSUPPORTED;
    default:
        return HST_E_FORMAT;
    }
}

static void truncated(reader *r) {
    const struct jpeg_decompress_struct *j = &r->jpeg;
    if (r->in_picture)
        r->status =
            hst__fail(r->err, HST_E_FORMAT,
                      "JPEG: truncated: the file ends before row %u of %u, in scan %d",
                      (unsigned)j->output_scanline + 1, (unsigned)j->output_height,
                      j->input_scan_number);
    else
        r->status = hst__fail(r->err, HST_E_FORMAT,
                              "JPEG: truncated: the file ends within its headers");
}

static void on_error(j_common_ptr jpeg) {
    reader *r = reader_of(jpeg);
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    hst_status s = status_of(jpeg->err->msg_code);
    if (r->ended && s == HST_E_FORMAT)
        truncated(r);
    else
        r->status = hst__fail(r->err, s, "JPEG: %s", text);
    longjmp(r->fail, 1);
}

/* level < 0 is a warning; traces are of no interest. */
static void on_message(j_common_ptr jpeg, int level) {
    reader *r = reader_of(jpeg);
    if (level >= 0)
        return;
    switch (jpeg->err->msg_code) {
    case JWRN_HIT_MARKER:
    case JWRN_MUST_RESYNC:
        if (r->ended && !r->lenient) {
            truncated(r);
            longjmp(r->fail, 1);
        }
        r->damaged = true;
        break;
    case JWRN_ARITH_BAD_CODE:
    case JWRN_HUFF_BAD_CODE:
        r->damaged = true;
        break;
    default: /* stray bytes between segments, odd version numbers: the pixels are whole */
        break;
    }
}

static void on_irregular(j_decompress_ptr jpeg) {
    reader *r = reader_of((j_common_ptr)jpeg);
    r->gave_up = true;
    longjmp(r->fail, 1);
}

static void on_output(j_common_ptr jpeg) { (void)jpeg; }

/* Called before each row of blocks of a file in several scans. */
static void on_progress(j_common_ptr jpeg) {
    reader *r = reader_of(jpeg);
    double pixels = (double)r->jpeg.image_width * (double)r->jpeg.image_height;
    int scans = r->jpeg.input_scan_number;
    if (scans > r->max_scans)
        r->status =
            hst__fail(r->err, HST_E_LIMIT, "JPEG: more than %d scans", r->max_scans);
    else if (scans * pixels > max_scan_pixels && scans > 1)
        r->status =
            hst__fail(r->err, HST_E_LIMIT,
                      "JPEG: %d scans over %u x %u pixels are more work than allowed",
                      scans, r->jpeg.image_width, r->jpeg.image_height);
    else
        return;
    longjmp(r->fail, 1);
}

/* ---- source: the whole file in memory --------------------------------------------- */

static void source_nothing(j_decompress_ptr jpeg) { (void)jpeg; }

/* Past the end stands an end-of-image marker, as often as asked: the decoders then warn
 * where they miss data, and only there. */
static boolean source_fill(j_decompress_ptr jpeg) {
    static const JOCTET end[2] = {0xff, JPEG_EOI};
    reader_of((j_common_ptr)jpeg)->ended = true;
    jpeg->src->next_input_byte = end;
    jpeg->src->bytes_in_buffer = sizeof end;
    return TRUE;
}

static void source_skip(j_decompress_ptr jpeg, long count) {
    if (count <= 0)
        return;
    if ((size_t)count > jpeg->src->bytes_in_buffer) {
        source_fill(jpeg);
        return;
    }
    jpeg->src->next_input_byte += count;
    jpeg->src->bytes_in_buffer -= (size_t)count;
}

/* APP1: the first EXIF block is read where it lies, then skipped. */
static boolean on_app1(j_decompress_ptr jpeg) {
    reader *r = reader_of((j_common_ptr)jpeg);
    struct jpeg_source_mgr *s = jpeg->src;
    size_t length = 0;
    for (int i = 0; i < 2; i++) { /* byte by byte: the end may lie between */
        if (s->bytes_in_buffer == 0)
            source_fill(jpeg);
        length = length << 8 | *s->next_input_byte++;
        s->bytes_in_buffer--;
    }
    if (length < 2)
        ERREXIT(jpeg, JERR_BAD_LENGTH);
    length -= 2;
    size_t have = length < s->bytes_in_buffer ? length : s->bytes_in_buffer;
    if (have > EXIF_HEADER && r->orientation == 1 &&
        memcmp(s->next_input_byte, "Exif\0", 5) == 0)
        r->orientation =
            hst__exif_orientation(s->next_input_byte + EXIF_HEADER, have - EXIF_HEADER);
    source_skip(jpeg, (long)length);
    return TRUE;
}

/* ---- decoding --------------------------------------------------------------------- */

static void reader_init(reader *r, const uint8_t *bytes, size_t size, hst_error *err) {
    *r = (reader){.err = err, .orientation = 1, .max_scans = MAX_SCANS};
    r->jpeg.err = jpeg_std_error(&r->errors);
    r->errors.error_exit = on_error;
    r->errors.emit_message = on_message;
    r->errors.output_message = on_output;
    r->jpeg.client_data = r;
    r->source = (struct jpeg_source_mgr){.next_input_byte = bytes,
                                         .bytes_in_buffer = size,
                                         .init_source = source_nothing,
                                         .fill_input_buffer = source_fill,
                                         .skip_input_data = source_skip,
                                         .resync_to_restart = jpeg_resync_to_restart,
                                         .term_source = source_nothing};
    r->progress.progress_monitor = on_progress;
}

static void read_header(reader *r) {
    jpeg_create_decompress(&r->jpeg); /* clears all but err and client_data */
    r->jpeg.src = &r->source;
    r->jpeg.progress = &r->progress;
    jpeg_set_marker_processor(&r->jpeg, JPEG_APP0 + 1, on_app1);
    jpeg_read_header(&r->jpeg, TRUE);
}

/* The reader lives in the caller, so that its fields survive the jump. */
static hst_status try_header(reader *r) {
    if (setjmp(r->fail))
        return r->status;
    read_header(r);
    return HST_OK;
}

hst_status hst__jpeg_probe(const uint8_t *bytes, size_t size, hst__image_info *info,
                           hst_error *err) {
    reader r;
    reader_init(&r, bytes, size, err);
    hst_status s = try_header(&r);
    info->width = (int)r.jpeg.image_width;
    info->height = (int)r.jpeg.image_height;
    info->channels = r.jpeg.num_components;
    info->bits = r.jpeg.data_precision;
    info->orientation = r.orientation;
    info->progressive = r.jpeg.progressive_mode;
    jpeg_destroy_decompress(&r.jpeg);
    return s;
}

int hst__image_jpeg_scale(int width, int height, int want_width, int want_height) {
    if (want_width <= 0 || want_height <= 0)
        return 8;
    for (int m = 1; m < 8; m *= 2) {
        if (((int64_t)width * m + 7) / 8 >= want_width &&
            ((int64_t)height * m + 7) / 8 >= want_height)
            return m;
    }
    return 8;
}

/* Picks colour space, size and speed; leaves in *have and *channels what comes and what
 * is wanted. */
static hst_status set_output(reader *r, const hst__decode_job *job, hst__pixels *have,
                             int *channels) {
    struct jpeg_decompress_struct *j = &r->jpeg;
    const hst__decode_options *o = job->options;
    *channels = hst__decode_channels(o, j->num_components);
    *have = (hst__pixels){.channels = *channels, .bits = 8};
    switch (j->jpeg_color_space) {
    case JCS_GRAYSCALE:
    case JCS_YCbCr:
    case JCS_RGB:
        j->out_color_space = *channels == 1   ? JCS_GRAYSCALE
                             : *channels == 3 ? JCS_RGB
                                              : JCS_EXT_RGBA;
        break;
    case JCS_CMYK:
    case JCS_YCCK:
        j->out_color_space = JCS_CMYK;
        *have = (hst__pixels){.channels = 4, .bits = 8, .cmyk = true};
        break;
    default:
        return hst__fail(r->err, HST_E_UNSUPPORTED,
                         "JPEG: %d colour components; 1, 3 or 4 are read",
                         j->num_components);
    }
    bool turned = r->orientation >= 5 && !o->ignore_orientation;
    int want_w = turned ? o->want_height : o->want_width;
    int want_h = turned ? o->want_width : o->want_height;
    j->scale_num = (unsigned)hst__image_jpeg_scale((int)j->image_width,
                                                   (int)j->image_height, want_w, want_h);
    j->scale_denom = 8;
    if (o->fast) {
        j->dct_method = JDCT_IFAST;
        j->do_fancy_upsampling = FALSE;
    }
    jpeg_calc_output_dimensions(j);
    return HST_OK;
}

/* Files in several scans keep all coefficients in the library's memory: bounded too. */
static hst_status check_coefficients(reader *r) {
    struct jpeg_decompress_struct *j = &r->jpeg;
    if (!jpeg_has_multiple_scans(j))
        return HST_OK;
    uint64_t bytes = 0;
    for (int i = 0; i < j->num_components; i++) {
        const jpeg_component_info *c = &j->comp_info[i];
        uint64_t w = (uint64_t)c->width_in_blocks + (uint64_t)c->h_samp_factor;
        uint64_t h = (uint64_t)c->height_in_blocks + (uint64_t)c->v_samp_factor;
        bytes += w * h * DCTSIZE2 * sizeof(JCOEF);
    }
    if (bytes > HST__IMAGE_MAX_BYTES)
        return hst__fail(r->err, HST_E_LIMIT,
                         "JPEG: %u x %u pixels in several scans need %llu MiB to decode, "
                         "%zu are allowed",
                         j->image_width, j->image_height, (unsigned long long)bytes >> 20,
                         HST__IMAGE_MAX_BYTES >> 20);
    return HST_OK;
}

/* True when every bit of every coefficient has come. */
static bool all_coefficients(const struct jpeg_decompress_struct *j) {
    if (!j->coef_bits)
        return false;
    for (int c = 0; c < j->num_components; c++) {
        for (int k = 0; k < DCTSIZE2; k++) {
            if (j->coef_bits[c][k] != 0)
                return false;
        }
    }
    return true;
}

/* A file that stops without its end marker may still hold every pixel; the entropy
 * decoder reports missing data itself, except between scans and in arithmetic coding,
 * where zeros past the end are legal. */
static void check_end(reader *r, bool several_scans) {
    if (!r->ended || r->damaged)
        return;
    if (r->jpeg.arith_code || (several_scans && !all_coefficients(&r->jpeg))) {
        if (!r->lenient) {
            truncated(r);
            longjmp(r->fail, 1);
        }
        r->damaged = true;
    }
}

static hst_status read_rows(reader *r, hst__decode_job *job, size_t row_bytes) {
    struct jpeg_decompress_struct *j = &r->jpeg;
    bool give = hst__decode_direct(job);
    JSAMPROW rows[ROWS];
    hst_status s = HST_OK;
    while (!s && j->output_scanline < j->output_height) {
        unsigned first = j->output_scanline / ROWS * ROWS, end = first + ROWS;
        end = end < j->output_height ? end : j->output_height;
        for (unsigned i = j->output_scanline; i < end; i++)
            rows[i - first] = job->raw + i * row_bytes;
        while (j->output_scanline < end)
            jpeg_read_scanlines(j, rows + (j->output_scanline - first),
                                end - j->output_scanline);
        if (give)
            s = hst__decode_give(job, (int)end);
    }
    return s;
}

/* The part that may jump. */
static hst_status decode(reader *r, hst__decode_job *job) {
    struct jpeg_decompress_struct *j = &r->jpeg;
    read_header(r);
    hst_status s = hst__decode_limit(job, j->image_width, j->image_height);
    hst__pixels have = {0};
    int channels = 0;
    if (!s)
        s = set_output(r, job, &have, &channels);
    if (!s)
        s = check_coefficients(r);
    if (s)
        return s;
    job->orientation = r->orientation;
    s = hst__decode_target(job, (int)j->output_width, (int)j->output_height, have,
                           channels, 8);
    if (s)
        return s;
    bool several = jpeg_has_multiple_scans(j);
    r->in_picture = true;
    jpeg_start_decompress(j);
    if (several)
        check_end(r, true);
    else if (!r->by_library)
        hst__jpeg_entropy_replace(j, job->options->cpu, on_irregular);
    s = read_rows(r, job, (size_t)j->output_width * (size_t)have.channels);
    if (!s && !several)
        check_end(r, false);
    return s;
}

/* After a failure: true when rows have come and the options want them nevertheless; what
 * has not come is made grey. */
static bool salvage(reader *r, hst__decode_job *job) {
    const struct jpeg_decompress_struct *j = &r->jpeg;
    if (!r->lenient || !job->raw || j->output_scanline == 0 || r->status == HST_E_NOMEM)
        return false;
    size_t row = (size_t)job->width * (size_t)job->have.channels;
    memset(job->raw + j->output_scanline * row, 128,
           ((size_t)job->height - j->output_scanline) * row);
    if (r->err)
        *r->err = (hst_error){0};
    r->damaged = true;
    return true;
}

static hst_status try_decode(reader *r, hst__decode_job *job) {
    if (setjmp(r->fail))
        return !r->gave_up && salvage(r, job) ? HST_OK : r->status;
    return decode(r, job);
}

static hst_status decode_by(reader *r, hst__decode_job *job, bool by_library) {
    reader_init(r, job->bytes, job->size, job->err);
    r->by_library = by_library;
    r->lenient = job->options->lenient;
    if (job->options->max_scans > 0)
        r->max_scans = job->options->max_scans;
    hst_status s = try_decode(r, job);
    job->damaged = r->damaged;
    jpeg_destroy_decompress(&r->jpeg);
    return s;
}

/* Rows given away by the first attempt stay as they are: the codes up to there were read
 * as the library reads them. */
hst_status hst__jpeg_decode(hst__decode_job *job) {
    reader r;
    hst_status s = decode_by(&r, job, false);
    return r.gave_up ? decode_by(&r, job, true) : s;
}
