/* Resize: the tables are made when sizes change; then rows stream through a small ring,
 * the horizontal pass writing into it, the vertical one reading from it while it is in
 * cache. */
#include "image/resizer.h"

#include "base/cpu.h"
#include "base/status.h"
#include "image/decode.h"

#include <math.h>
#include <string.h>

typedef struct hst__resize_plan plan;

/* ---- preparing --------------------------------------------------------------------- */

static bool rect_empty(const hst__image_rect *r) {
    return r->x0 == 0 && r->y0 == 0 && r->x1 == 0 && r->y1 == 0;
}

static hst_status check_rect(const char *what, hst__image_rect *r, int width, int height,
                             hst_error *err) {
    if (rect_empty(r))
        *r = (hst__image_rect){0, 0, width, height};
    if (r->x0 < 0 || r->y0 < 0 || r->x0 >= r->x1 || r->y0 >= r->y1 || r->x1 > width ||
        r->y1 > height)
        return hst__fail(err, HST_E_ARG,
                         "resize: the %s %d,%d to %d,%d does not lie within %d x %d",
                         what, r->x0, r->y0, r->x1, r->y1, width, height);
    return HST_OK;
}

/* Checks the options and completes the rectangles. */
static hst_status check_options(const hst__image *src, hst__resize_options *o,
                                hst_error *err) {
    hst_status s = hst__image_check(src, err);
    if (s)
        return s;
    if ((unsigned)o->filter > HST__RESIZE_LANCZOS ||
        (unsigned)o->convention > HST__RESIZE_PILLOW12)
        return hst__fail(err, HST_E_ARG, "resize: no such filter or convention");
    if (o->filter == HST__RESIZE_LANCZOS && o->convention == HST__RESIZE_OPENCV)
        return hst__fail(err, HST_E_UNSUPPORTED,
                         "resize: lanczos exists in the pillow convention only");
    if (o->width <= 0 || o->height <= 0 || o->width > HST__IMAGE_MAX_SIDE ||
        o->height > HST__IMAGE_MAX_SIDE)
        return hst__fail(err, HST_E_ARG,
                         "resize: to %d x %d pixels; each side is 1 to %d", o->width,
                         o->height, (int)HST__IMAGE_MAX_SIDE);
    s = check_rect("box", &o->box, src->width, src->height, err);
    if (s)
        return s;
    return check_rect("window", &o->window, o->width, o->height, err);
}

static bool same(const plan *p, const hst__image *src, const hst__resize_options *o) {
    return p->src_width == src->width && p->src_height == src->height &&
           p->channels == src->channels && p->bits == src->bits &&
           memcmp(&p->options, o, sizeof *o) == 0; /* no padding: enums and ints alone */
}

/* The source divided by the result and its inverse, in the steps OpenCV takes. */
static double inverse_of(const hst__resize_axis *a) {
    return (double)a->outputs / a->size;
}
static double scale_of(const hst__resize_axis *a) { return 1 / inverse_of(a); }

static bool whole(double scale) {
    return fabs(scale - rint(scale)) < 2.220446049250313e-16;
}

static hst__resize_kind kind_of(const plan *p, const hst__resize_axis *x,
                                const hst__resize_axis *y) {
    hst__resize_filter filter = p->options.filter;
    bool deep = p->bits == 16;
    if (filter == HST__RESIZE_NEAREST)
        return HST__RESIZE_BY_INDEX;
    if (p->options.convention != HST__RESIZE_OPENCV) {
        if (p->copy_x && p->copy_y)
            return HST__RESIZE_BY_INDEX;
        return deep ? HST__RESIZE_BY_DOUBLE : HST__RESIZE_BY_FIXED;
    }
    if (x->size == x->outputs && y->size == y->outputs)
        return HST__RESIZE_BY_INDEX;
    double sx = scale_of(x), sy = scale_of(y);
    bool ratio = whole(sx) && whole(sy), half = ratio && sx == 2 && sy == 2;
    if (half && (filter == HST__RESIZE_BILINEAR || filter == HST__RESIZE_AREA))
        return HST__RESIZE_BY_2X2; /* OpenCV takes the area mean for linear, too */
    if (filter == HST__RESIZE_AREA && sx >= 1 && sy >= 1)
        return ratio && sx * sy < (deep ? 1 << 16 : 1 << 24) ? HST__RESIZE_BY_AREA
                                                             : HST__RESIZE_BY_FLOAT;
    if (deep)
        return HST__RESIZE_BY_FLOAT;
    return filter == HST__RESIZE_BICUBIC ? HST__RESIZE_BY_CUBIC : HST__RESIZE_BY_LINEAR;
}

/* Both tables; false when memory is out. */
static bool make_taps(plan *p, const hst__resize_axis *x, const hst__resize_axis *y) {
    hst__resize_filter filter = p->options.filter;
    hst__arena *arena = &p->arena;
    double sx = scale_of(x), sy = scale_of(y), ix = inverse_of(x), iy = inverse_of(y);
    switch (p->kind) {
    case HST__RESIZE_BY_INDEX:
        p->index_x = hst__taps_index(x, p->options.convention, sx, arena);
        p->index_y = hst__taps_index(y, p->options.convention, sy, arena);
        return p->index_x && p->index_y;
    case HST__RESIZE_BY_FIXED:
        return hst__taps_pillow(&p->tx, x, filter, HST__TAPS_FIXED, arena) &&
               hst__taps_pillow(&p->ty, y, filter, HST__TAPS_FIXED, arena);
    case HST__RESIZE_BY_DOUBLE:
        return hst__taps_pillow(&p->tx, x, filter, HST__TAPS_F64, arena) &&
               hst__taps_pillow(&p->ty, y, filter, HST__TAPS_F64, arena);
    case HST__RESIZE_BY_LINEAR:
    case HST__RESIZE_BY_CUBIC:
        return hst__taps_short(&p->sx, x, true, filter, sx, ix, arena) &&
               hst__taps_short(&p->sy, y, false, filter, sy, iy, arena);
    case HST__RESIZE_BY_FLOAT:
        if (filter == HST__RESIZE_AREA && sx >= 1 && sy >= 1)
            return hst__taps_area(&p->tx, x, sx, arena) &&
                   hst__taps_area(&p->ty, y, sy, arena);
        return hst__taps_f32(&p->tx, x, true, filter, sx, ix, arena) &&
               hst__taps_f32(&p->ty, y, false, filter, sy, iy, arena);
    default:
        p->ratio_x = (int)rint(sx);
        p->ratio_y = (int)rint(sy);
        return true;
    }
}

static int most_taps(const hst__resize_taps *t) {
    int most = 0;
    for (int i = 0; i < t->outputs; i++)
        most = t->count[i] > most ? t->count[i] : most;
    return most;
}

/* Slots of the ring, bytes of a row in it and pointers needed for one output row. */
static void ring_form(const plan *p, int *slots, size_t *row, int *pointers) {
    size_t samples = (size_t)p->width * (size_t)p->channels;
    *slots = *pointers = 4;
    switch (p->kind) {
    case HST__RESIZE_BY_FIXED:
    case HST__RESIZE_BY_DOUBLE:
        *pointers = most_taps(&p->ty);
        *slots = *pointers + HST__RESIZE_ROWS - 1; /* rows made ahead of their use */
        if (p->vertical_first) {
            *slots = HST__RESIZE_ROWS;
            samples = (size_t)p->src_width * (size_t)p->channels;
        }
        *row = samples * (size_t)(p->bits / 8);
        break;
    case HST__RESIZE_BY_FLOAT:
        *slots = *pointers = most_taps(&p->ty);
        *row = samples * sizeof(float);
        break;
    case HST__RESIZE_BY_LINEAR:
        *row = samples * sizeof(int16_t);
        break;
    case HST__RESIZE_BY_CUBIC:
        *row = samples * sizeof(int32_t);
        break;
    case HST__RESIZE_BY_AREA:
        *slots = 1;
        *pointers = p->ratio_y;
        *row = samples * (size_t)p->ratio_x * sizeof(uint32_t);
        break;
    default:
        *slots = 0;
    }
}

static hst_status make_ring(plan *p, hst_error *err) {
    int slots, pointers;
    size_t row = 0, bytes;
    ring_form(p, &slots, &row, &pointers);
    row = hst__round_up(row + HST__RESIZE_SLACK, HST__ALIGN);
    if (!hst__mul(row, (size_t)slots, &bytes) || bytes > HST__IMAGE_MAX_BYTES)
        return hst__fail(
            err, HST_E_LIMIT,
            "resize: %d x %d to %d x %d pixels needs more than %zu MiB between "
            "its passes",
            p->src_width, p->src_height, p->options.width, p->options.height,
            HST__IMAGE_MAX_BYTES >> 20);
    uint8_t *rows = hst__arena_alloc(&p->arena, bytes + HST__ALIGN);
    p->rows = hst__arena_array(&p->arena, (size_t)pointers, sizeof *p->rows);
    p->ring = hst__arena_array(&p->arena, (size_t)slots, sizeof *p->ring);
    p->ring_row = hst__arena_array(&p->arena, (size_t)slots, sizeof *p->ring_row);
    if (!rows || !p->rows || !p->ring || !p->ring_row)
        return hst__fail_nomem(err, bytes);
    rows += (HST__ALIGN - (uintptr_t)rows % HST__ALIGN) % HST__ALIGN;
    p->slots = slots;
    for (int i = 0; i < slots; i++)
        p->ring[i] = rows + (size_t)i * row;
    return HST_OK;
}

static void plan_destroy(plan *p) {
    if (!p)
        return;
    hst__arena_fini(&p->arena);
    hst__free(p);
}

static hst_status plan_create(const hst__image *src, const hst__resize_options *o,
                              plan **out, hst_error *err) {
    plan *p = hst__alloc(sizeof *p);
    if (!p)
        return hst__fail_nomem(err, sizeof *p);
    *p = (plan){.options = *o,
                .src_width = src->width,
                .src_height = src->height,
                .channels = src->channels,
                .bits = src->bits,
                .kernels = hst__resize_get(hst__cpu_resolve(o->cpu)),
                .width = o->window.x1 - o->window.x0,
                .height = o->window.y1 - o->window.y0};
    const hst__image_rect *box = &o->box, *win = &o->window;
    hst__resize_axis x = {src->width, o->width, win->x0, win->x1, box->x0, box->x1};
    hst__resize_axis y = {src->height, o->height, win->y0, win->y1, box->y0, box->y1};
    if (o->convention == HST__RESIZE_OPENCV) { /* the box is a picture of its own */
        x = (hst__resize_axis){box->x1 - box->x0, o->width, win->x0, win->x1, 0, 0};
        y = (hst__resize_axis){box->y1 - box->y0, o->height, win->y0, win->y1, 0, 0};
        p->x0 = box->x0;
        p->y0 = box->y0;
    } else {
        p->copy_x = box->x1 - box->x0 == o->width;
        p->copy_y = box->y1 - box->y0 == o->height;
        int less_x = src->width - o->width, less_y = src->height - o->height;
        p->vertical_first = o->convention == HST__RESIZE_PILLOW && less_y > 0 &&
                            less_y > 2 * less_x && !p->copy_x && !p->copy_y;
    }
    p->kind = kind_of(p, &x, &y);
    hst_status s =
        make_taps(p, &x, &y)
            ? HST_OK
            : hst__fail(err, HST_E_NOMEM, "resize: out of memory for its tables");
    if (!s)
        s = make_ring(p, err);
    if (s) {
        plan_destroy(p);
        return s;
    }
    *out = p;
    return HST_OK;
}

hst_status hst__resizer_begin(hst__resizer *resizer, const hst__image *src,
                              const hst__resize_options *options, hst__image *out,
                              hst_error *err) {
    hst__resize_options o = *options;
    hst_status s = check_options(src, &o, err);
    if (s)
        return s;
    if (!resizer->plan || !same(resizer->plan, src, &o)) {
        plan *fresh = NULL;
        plan_destroy(resizer->plan);
        resizer->plan = NULL;
        s = plan_create(src, &o, &fresh, err);
        if (s)
            return s;
        resizer->plan = fresh;
    }
    plan *p = resizer->plan;
    hst__resize_begin(p);
    return hst__image_reshape(out, p->width, p->height, p->channels, p->bits, err);
}

int hst__resizer_rows(hst__resizer *resizer, const hst__image *src, int ready,
                      const hst__image *out) {
    hst__resize_rows(resizer->plan, src, out, ready);
    return resizer->plan->made;
}

hst_status hst__resizer_run(hst__resizer *resizer, const hst__image *src,
                            const hst__resize_options *options, hst__image *out,
                            hst_error *err) {
    hst_status s = hst__resizer_begin(resizer, src, options, out, err);
    if (!s)
        hst__resizer_rows(resizer, src, src->height, out);
    return s;
}

void hst__resizer_fini(hst__resizer *resizer) {
    plan_destroy(resizer->plan);
    resizer->plan = NULL;
}
