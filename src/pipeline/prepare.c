/* Photograph -> input tensor. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/status.h"
#include "pipeline/pipeline.h"

static void lap(uint64_t *stage_ns, hst_stage stage, uint64_t *since) {
    uint64_t now = hst__clock_ns();
    stage_ns[stage] += now - *since;
    *since = now;
}

/** The size that the whole photograph is scaled to, and what of it is used. */
typedef struct fitting {
    int width, height;
    hst__image_rect window;
    int x, y; /**< where the picture lies in the input */
} fitting;

static int at_least_one(double v) { return v < 1 ? 1 : (int)v; }

static fitting fit_letterbox(const hst_pipeline *p, int w, int h) {
    double s = fmin((double)p->width / w, (double)p->height / h);
    fitting f = {.width = at_least_one(round(w * s)),
                 .height = at_least_one(round(h * s))};
    f.width = f.width > p->width ? p->width : f.width;
    f.height = f.height > p->height ? p->height : f.height;
    if (!p->m.top_left) {
        /* Half pixels go up and left, as trainers of these networks do it. */
        f.x = (int)round((p->width - f.width) / 2.0 - 0.1);
        f.y = (int)round((p->height - f.height) / 2.0 - 0.1);
    }
    return f;
}

/** The middle of a side, from..to, or all of it in the middle of the input, at. */
static void centre(int side, int input, int *from, int *to, int *at) {
    *from = side > input ? (int)nearbyint((side - input) / 2.0) : 0;
    *to = side > input ? *from + input : side;
    *at = side > input ? 0 : (input - side) / 2;
}

/** The shorter side to a size, then the middle, with zeros around where it is smaller:
 * torchvision's Resize and CenterCrop. */
static fitting fit_crop(const hst_pipeline *p, int w, int h) {
    int larger = p->width > p->height ? p->width : p->height;
    int shorter =
        p->m.shorter_side ? p->m.shorter_side : (int)((int64_t)larger * 256 / 224);
    fitting f = {.width = shorter, .height = shorter};
    if (w <= h)
        f.height = (int)((int64_t)shorter * h / w);
    else
        f.width = (int)((int64_t)shorter * w / h);
    f.width = f.width < 1 ? 1 : f.width;
    f.height = f.height < 1 ? 1 : f.height;
    centre(f.width, p->width, &f.window.x0, &f.window.x1, &f.x);
    centre(f.height, p->height, &f.window.y0, &f.window.y1, &f.y);
    return f;
}

static hst_status fit(hst_pipeline *p, int w, int h, fitting *f, hst_error *err) {
    *f = (fitting){.width = p->width, .height = p->height};
    if (p->m.fit == HST__FIT_LETTERBOX)
        *f = fit_letterbox(p, w, h);
    else if (p->m.fit == HST__FIT_CROP)
        *f = fit_crop(p, w, h);
    else if (p->m.fit == HST__FIT_NONE && (w != p->width || h != p->height))
        return hst__fail(
            err, HST_E_SHAPE,
            "the photograph is %dx%d, the input %dx%d, and the manifest says "
            "not to resize (fit none)",
            w, h, p->width, p->height);
    p->placement = (hst__placement){.photo_width = w,
                                    .photo_height = h,
                                    .width = p->width,
                                    .height = p->height,
                                    .scale_x = (double)f->width / w,
                                    .scale_y = (double)f->height / h,
                                    .offset_x = f->x - f->window.x0,
                                    .offset_y = f->y - f->window.y0};
    return HST_OK;
}

/** Size of the upright photograph, from its header. */
static hst_status upright_size(const void *bytes, size_t size, int *width, int *height,
                               hst_error *err) {
    hst__image_info info;
    hst_status st = hst__image_probe(bytes, size, &info, err);
    if (st)
        return st;
    bool turned = info.orientation >= 5; /* EXIF 5 to 8 exchange the sides */
    *width = turned ? info.height : info.width;
    *height = turned ? info.width : info.height;
    return HST_OK;
}

/** A photograph on its way into the input: rows are resized and converted as soon as
 * they are decoded, while they are in cache. */
typedef struct way {
    hst_pipeline *p;
    fitting f;
    bool fitted;  /**< f is known */
    bool begun;   /**< and what follows from it */
    bool resizes; /**< else the photograph has the size needed */
    int converted;
    uint64_t *stage_ns;
    hst__convert_options convert;
} way;

static void set_convert(way *w) {
    const hst_pipeline *p = w->p;
    const hst__manifest *m = &p->m;
    w->convert =
        (hst__convert_options){.type = m->u8 ? HST__CONVERT_U8 : HST__CONVERT_F32,
                               .hwc = m->layout == HST__LAYOUT_NHWC,
                               .channels = p->channels,
                               .bgr = m->color == HST__COLOR_BGR,
                               .scale = m->scale,
                               .width = p->width,
                               .height = p->height,
                               .x = w->f.x,
                               .y = w->f.y};
    for (int i = 0; i < 3; i++) {
        w->convert.mean[i] = m->mean[i];
        w->convert.std[i] = m->std[i];
        w->convert.pad[i] = m->fit == HST__FIT_CROP ? 0 : m->pad;
    }
}

static hst_status begin(way *w, const hst__image *photo, hst_error *err) {
    hst_pipeline *p = w->p;
    hst_status st = w->fitted ? HST_OK : fit(p, photo->width, photo->height, &w->f, err);
    w->begun = true;
    if (st)
        return st;
    const fitting *f = &w->f;
    set_convert(w);
    w->resizes = f->width != photo->width || f->height != photo->height || f->window.x1;
    if (!w->resizes)
        return HST_OK;
    hst__resize_options o = {.filter = p->m.filter,
                             .convention = p->m.convention,
                             .width = f->width,
                             .height = f->height,
                             .window = f->window};
    return hst__resizer_begin(&p->resizer, photo, &o, &p->scaled, err);
}

/** Takes what is ready of the photograph as far as it goes. */
static hst_status take_rows(void *context, const hst__image *photo, int ready,
                            hst_error *err) {
    way *w = context;
    hst_pipeline *p = w->p;
    const hst__image *picture = photo;
    uint64_t since = hst__clock_ns();
    hst_status st = w->begun ? HST_OK : begin(w, photo, err);
    if (st)
        return st;
    if (w->resizes) {
        picture = &p->scaled;
        ready = hst__resizer_rows(&p->resizer, photo, ready, &p->scaled);
    }
    lap(w->stage_ns, HST_STAGE_RESIZE, &since);
    st = hst__image_convert_rows(picture, &w->convert, w->converted, ready,
                                 p->input->data, hst_tensor_count(p->input), err);
    w->converted = ready;
    lap(w->stage_ns, HST_STAGE_NORMALISE, &since);
    return st;
}

/** Where a reduced picture is enough, the geometry is nevertheless that of the whole
 * photograph, so that boxes are in its pixels. */
static hst_status decode(way *w, const void *bytes, size_t size, hst_error *err) {
    hst_pipeline *p = w->p;
    hst__decode_options o = {.channels = p->m.color == HST__COLOR_GREY ? 1 : 3,
                             .fast = p->m.fast_decode,
                             .rows = take_rows,
                             .rows_context = w};
    bool damaged;
    if (p->m.reduced_decode) {
        int width, height;
        hst_status st = upright_size(bytes, size, &width, &height, err);
        if (!st)
            st = fit(p, width, height, &w->f, err);
        if (st)
            return st;
        w->fitted = true;
        o.want_width = w->f.width;
        o.want_height = w->f.height;
    }
    return hst__image_decode(bytes, size, &o, &p->photo, &damaged, err);
}

hst_status hst__pipeline_prepare(hst_pipeline *p, const void *bytes, size_t size,
                                 uint64_t *stage_ns, hst_error *err) {
    uint64_t start = hst__clock_ns(), taken[HST_STAGE_COUNT] = {0};
    way w = {.p = p, .stage_ns = taken};
    p->loaded = false;
    p->n_classes = p->n_detections = 0; /* the last photograph's answer */
    hst_status st = decode(&w, bytes, size, err);
    taken[HST_STAGE_DECODE] =
        hst__clock_ns() - start - taken[HST_STAGE_RESIZE] - taken[HST_STAGE_NORMALISE];
    for (int i = 0; i < HST_STAGE_COUNT && stage_ns; i++)
        stage_ns[i] += taken[i];
    p->loaded = !st;
    return st;
}
