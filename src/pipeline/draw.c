/* The answer, painted on the photograph. */
#include <stdio.h>

#include "base/status.h"
#include "pipeline/pipeline.h"

static void caption(const char *label, int index, double score, char *out, size_t size) {
    if (label)
        snprintf(out, size, "%.80s %.2f", label, score);
    else if (index > 0)
        snprintf(out, size, "%d %.2f", index, score);
    else
        snprintf(out, size, "%.2f", score);
}

/** scale_x, scale_y: from the photograph to the picture that was decoded, which may be
 * smaller. */
static void draw_detection(hst__image *image, const hst_detection *d, double scale_x,
                           double scale_y) {
    char line[100];
    hst__colour colour = hst__image_colour(d->class_index);
    int dot = 2 * hst__image_draw_scale(image);
    caption(d->label, d->class_index, d->score, line, sizeof line);
    hst__image_draw_box(image, (float)(d->x0 * scale_x), (float)(d->y0 * scale_y),
                        (float)(d->x1 * scale_x), (float)(d->y1 * scale_y), colour, line);
    for (int i = 0; i < d->n_landmarks; i++) {
        int x = (int)(d->landmarks[i][0] * scale_x);
        int y = (int)(d->landmarks[i][1] * scale_y);
        hst__image_fill_rect(image, (hst__image_rect){x - dot, y - dot, x + dot, y + dot},
                             colour);
    }
}

static void draw_class(hst__image *image, const hst_class *c) {
    char line[100];
    int scale = hst__image_draw_scale(image) + 1;
    caption(c->label, c->index, c->score, line, sizeof line);
    hst__image_fill_rect(image, (hst__image_rect){0, 0, image->width, 20 * scale},
                         (hst__colour){0, 0, 0, 160});
    hst__image_draw_text(image, 4 * scale, 2 * scale, scale, line,
                         (hst__colour){255, 255, 255, 255});
}

hst_status hst_pipeline_draw(hst_pipeline *pipeline, const char *path, hst_error *err) {
    if (!pipeline->loaded)
        return hst__fail(err, HST_E_ARG, "no photograph was loaded to draw on");
    const hst__placement *g = &pipeline->placement;
    double scale_x = (double)pipeline->photo.width / g->photo_width;
    double scale_y = (double)pipeline->photo.height / g->photo_height;
    for (int i = pipeline->n_detections - 1; i >= 0; i--)
        draw_detection(&pipeline->photo, &pipeline->detections[i], scale_x, scale_y);
    if (pipeline->n_classes > 0)
        draw_class(&pipeline->photo, &pipeline->classes[0]);
    pipeline->loaded = false; /* painted over: not the photograph any more */
    hst_status st = hst__image_save(&pipeline->photo, path, err);
    return st == HST_E_UNSUPPORTED ? hst__fail_in(err, HST_E_ARG, "drawing") : st;
}
