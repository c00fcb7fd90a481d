/* Labels from a file, options from a command line. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "base/text.h"
#include "pipeline/manifest.h"

enum { LABEL_FILE_MAX = 4 << 20, LABELS_MAX = 100000 };

/** Opens a regular file; a pipe, which might keep us waiting for ever, is none. */
static FILE *open_regular(const char *path, const char **why) {
    struct stat info;
    FILE *f = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *why = "not a regular file";
    if (fd < 0 || fstat(fd, &info) != 0 ||
        (S_ISREG(info.st_mode) && !(f = fdopen(fd, "r"))))
        *why = strerror(errno);
    if (fd >= 0 && !f)
        close(fd);
    return f;
}

static hst_status read_text(hst__arena *arena, const char *path, char **out,
                            hst_error *err) {
    const char *why;
    FILE *f = open_regular(path, &why);
    if (!f)
        return hst__fail(err, HST_E_IO, "labels '%.500s': %s", path, why);
    char *text = NULL;
    hst_status st = HST_OK;
    long size = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    if (size < 0 || size > LABEL_FILE_MAX)
        st = hst__fail(err, HST_E_LIMIT, "labels '%.500s': larger than %d bytes", path,
                       LABEL_FILE_MAX);
    else if (!(text = hst__arena_alloc(arena, (size_t)size + 1)))
        st = hst__fail_nomem(err, (size_t)size);
    else {
        rewind(f);
        text[fread(text, 1, (size_t)size, f)] = 0;
    }
    fclose(f);
    *out = text;
    return st;
}

hst_status hst__manifest_labels(hst__manifest *m, const char *path, hst_error *err) {
    char *text = NULL;
    int lines = 1;
    hst_status st = read_text(&m->arena, path, &text, err);
    if (st)
        return st;
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3; /* a byte order mark is no part of a name */
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    if (lines > LABELS_MAX)
        return hst__fail(err, HST_E_LIMIT, "labels '%.500s': more than %d lines", path,
                         LABELS_MAX);
    m->labels = hst__arena_array(&m->arena, (size_t)lines, sizeof *m->labels);
    if (!m->labels)
        return hst__fail_nomem(err, (size_t)lines * sizeof *m->labels);
    m->n_labels = 0;
    for (char *line = text; line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = 0;
        line[strcspn(line, "\r")] = 0;
        if (end || *line)
            m->labels[m->n_labels++] = hst__text_clean(line, "");
        line = end ? end + 1 : NULL;
    }
    return HST_OK;
}

static hst_status word(const char *option, const char *given, const char *const *words,
                       int *out, hst_error *err) {
    char list[200] = "";
    if (!given)
        return HST_OK;
    int found = hst__word_find(words, given);
    if (found >= 0) {
        *out = found;
        return HST_OK;
    }
    for (int i = 0; words[i]; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                 words[i]);
    return hst__fail(err, HST_E_ARG, "%s '%.60s' is not one of %s", option, given, list);
}

static hst_status words(hst__manifest *m, const hst_pipeline_options *o, hst_error *err) {
    int fit = m->fit, filter = m->filter, convention = m->convention, color = m->color,
        layout = m->layout;
    hst_status st = word("fit", o->fit, hst__fit_words, &fit, err);
    if (!st)
        st = word("filter", o->filter, hst__filter_words, &filter, err);
    if (!st)
        st = word("convention", o->convention, hst__convention_words, &convention, err);
    if (!st)
        st = word("color", o->color, hst__color_words, &color, err);
    if (!st)
        st = word("layout", o->layout, hst__layout_words, &layout, err);
    m->fit = (hst__fit)fit;
    m->filter = (hst__resize_filter)filter;
    m->convention = (hst__resize_convention)convention;
    m->color = (hst__color)color;
    m->layout = (hst__layout)layout;
    return st;
}

/** None, one for all channels or one for each; std must be positive. */
static hst_status channels(const char *name, const double *given, int n, bool positive,
                           double out[3], hst_error *err) {
    if (n != 0 && n != 1 && n != 3)
        return hst__fail(err, HST_E_ARG, "%s: 1 or 3 numbers are expected, not %d", name,
                         n);
    for (int i = 0; i < n; i++)
        if (!(fabs(given[i]) <= 1e6) || (positive && !(given[i] > 1e-9)))
            return hst__fail(err, HST_E_ARG, "%s %g is not %s", name, given[i],
                             positive ? "positive" : "in -1e6..1e6");
    for (int i = 0; n > 0 && i < 3; i++)
        out[i] = given[n == 3 ? i : 0];
    return HST_OK;
}

static hst_status numbers(hst__manifest *m, const hst_pipeline_options *o,
                          hst_error *err) {
    if (o->scale != 0 && !(o->scale >= 1e-9 && o->scale <= 1e9))
        return hst__fail(err, HST_E_ARG, "scale %g is not in 1e-9..1e9", o->scale);
    if (o->top_k < 0 || o->top_k > 1000)
        return hst__fail(err, HST_E_ARG, "top-k %d is not in 1..1000", o->top_k);
    if (!(o->score <= 1))
        return hst__fail(err, HST_E_ARG, "score %g is not in 0..1", o->score);
    if (!(o->iou <= 1))
        return hst__fail(err, HST_E_ARG, "iou %g is not in 0..1", o->iou);
    if (o->scale != 0)
        m->scale = o->scale;
    if (o->top_k > 0)
        m->top_k = o->top_k;
    if (o->score >= 0)
        m->score = o->score;
    if (o->iou >= 0)
        m->iou = o->iou;
    return HST_OK;
}

hst_status hst__manifest_override(hst__manifest *m, const hst_pipeline_options *o,
                                  hst_error *err) {
    hst_status st = words(m, o, err);
    if (st)
        return st;
    if (o->width < 0 || o->height < 0 || o->width > 16384 || o->height > 16384 ||
        !o->width != !o->height)
        return hst__fail(err, HST_E_ARG, "size %dx%d is not in 1..16384", o->width,
                         o->height);
    if (o->width > 0) {
        m->width = o->width;
        m->height = o->height;
    }
    st = channels("mean", o->mean, o->n_mean, false, m->mean, err);
    if (!st)
        st = channels("std", o->std, o->n_std, true, m->std, err);
    if (!st)
        st = numbers(m, o, err);
    return st || !o->labels_path ? st : hst__manifest_labels(m, o->labels_path, err);
}
