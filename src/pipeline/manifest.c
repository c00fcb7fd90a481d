/* JSON -> manifest, strictly: a key that is not known, a value that does not fit, or a
 * key that is given twice is an error that says where. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "pipeline/manifest.h"

enum { TEXT_LIMIT = 1 << 20, LABELS_MAX = 100000 };

typedef struct reader {
    hst__manifest *m;
    const char *folder;
    hst_error *err;
    hst_status status; /**< the first error stays */
} reader;

typedef struct object {
    reader *r;
    const cJSON *json; /**< NULL: absent */
    const char *path;  /**< "input.resize." */
} object;

__attribute__((format(printf, 3, 4))) static void fail(const object *o, const char *key,
                                                       const char *format, ...) {
    char text[600];
    va_list list;
    if (o->r->status)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    o->r->status = hst__fail(o->r->err, HST_E_FORMAT, "manifest: %s%.100s%s%s", o->path,
                             key, *o->path || *key ? ": " : "", text);
}

/** "a, b, c" of a NULL-terminated list. */
static const char *join(const char *const *words, char *out, size_t size) {
    size_t at = 0;
    out[0] = 0;
    for (int i = 0; words[i] && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%s", i ? ", " : "", words[i]);
    return out;
}

/** Every key of the object is in the list, and there once. */
static void check_keys(const object *o, const char *const *keys) {
    char list[400];
    for (const cJSON *i = o->json ? o->json->child : NULL; i && !o->r->status;
         i = i->next) {
        if (hst__word_find(keys, i->string) < 0)
            fail(o, i->string, "this key is not known; here may stand %s",
                 join(keys, list, sizeof list));
        for (const cJSON *k = i->next; k && !o->r->status; k = k->next)
            if (strcmp(k->string, i->string) == 0)
                fail(o, i->string, "this key is given twice");
    }
}

static const cJSON *get(const object *o, const char *key) {
    return o->json && !o->r->status ? cJSON_GetObjectItemCaseSensitive(o->json, key)
                                    : NULL;
}

static object child(const object *o, const char *key, const char *path,
                    const char *const *keys) {
    object c = {o->r, get(o, key), path};
    if (c.json && !cJSON_IsObject(c.json)) {
        fail(o, key, "an object {...} is expected");
        c.json = NULL;
    }
    check_keys(&c, keys);
    return c;
}

static void get_text(const object *o, const char *key, const char **out) {
    const cJSON *v = get(o, key);
    if (!v)
        return;
    if (!cJSON_IsString(v)) {
        fail(o, key, "a text is expected");
        return;
    }
    const char *copy =
        hst__arena_strndup(&o->r->m->arena, v->valuestring, strlen(v->valuestring));
    if (copy)
        *out = copy;
    else
        o->r->status = hst__fail_nomem(o->r->err, strlen(v->valuestring));
}

static void get_word(const object *o, const char *key, const char *const *words,
                     int *out) {
    char list[400];
    const cJSON *v = get(o, key);
    if (!v)
        return;
    int found = cJSON_IsString(v) ? hst__word_find(words, v->valuestring) : -1;
    if (found < 0)
        fail(o, key, "one of %s is expected", join(words, list, sizeof list));
    else
        *out = found;
}

static void get_number(const object *o, const char *key, double low, double high,
                       double *out) {
    const cJSON *v = get(o, key);
    if (!v)
        return;
    if (!cJSON_IsNumber(v) || !(v->valuedouble >= low && v->valuedouble <= high))
        fail(o, key, "a number from %g to %g is expected", low, high);
    else
        *out = v->valuedouble;
}

static void get_whole(const object *o, const char *key, int low, int high, int *out) {
    double v = NAN;
    const cJSON *json = get(o, key);
    if (!json)
        return;
    if (cJSON_IsNumber(json))
        v = json->valuedouble;
    if (!(v >= low && v <= high) || v != floor(v))
        fail(o, key, "a whole number from %d to %d is expected", low, high);
    else
        *out = (int)v;
}

static void get_bool(const object *o, const char *key, bool *out) {
    const cJSON *v = get(o, key);
    if (v && !cJSON_IsBool(v))
        fail(o, key, "true or false is expected");
    else if (v)
        *out = cJSON_IsTrue(v);
}

/** A number for all channels, or one for each. */
static void get_channels(const object *o, const char *key, bool positive, double out[3]) {
    const cJSON *v = get(o, key);
    double values[3];
    if (!v)
        return;
    int n = cJSON_IsNumber(v) ? 1 : cJSON_IsArray(v) ? cJSON_GetArraySize(v) : 0;
    bool ok = n == 1 || n == 3;
    for (int i = 0; ok && i < 3; i++) {
        const cJSON *e = cJSON_IsArray(v) ? cJSON_GetArrayItem(v, n == 1 ? 0 : i) : v;
        values[i] = cJSON_IsNumber(e) ? e->valuedouble : NAN;
        ok = fabs(values[i]) <= 1e6 && (!positive || values[i] > 1e-9);
    }
    if (ok)
        memcpy(out, values, sizeof values);
    else
        fail(o, key, "a %snumber, or one for each of three channels, is expected",
             positive ? "positive " : "");
}

static void get_softmax(const object *o) {
    const cJSON *v = get(o, "softmax");
    if (!v)
        return;
    if (cJSON_IsBool(v))
        o->r->m->softmax = cJSON_IsTrue(v) ? HST__SOFTMAX_YES : HST__SOFTMAX_NO;
    else if (cJSON_IsString(v) && strcmp(v->valuestring, "auto") == 0)
        o->r->m->softmax = HST__SOFTMAX_AUTO;
    else
        fail(o, "softmax", "true, false or \"auto\" is expected");
}

static void label_list(const object *o, const cJSON *list) {
    hst__manifest *m = o->r->m;
    int n = cJSON_GetArraySize(list), i = 0;
    if (n > LABELS_MAX) {
        fail(o, "labels", "at most %d labels are expected", LABELS_MAX);
        return;
    }
    m->labels = hst__arena_array(&m->arena, (size_t)n, sizeof *m->labels);
    m->n_labels = 0;
    for (const cJSON *e = list->child; m->labels && e; e = e->next, i++) {
        if (!cJSON_IsString(e)) {
            fail(o, "labels", "element %d: a text is expected", i);
            return;
        }
        char *text =
            hst__arena_strndup(&m->arena, e->valuestring, strlen(e->valuestring));
        if (text)
            m->labels[i] = hst__text_clean(text, "");
        else
            m->labels = NULL;
    }
    if (!m->labels)
        o->r->status = hst__fail_nomem(o->r->err, (size_t)n * sizeof *m->labels);
    else
        m->n_labels = n;
}

/** A list of names, or the name of a file beside the manifest. */
static void get_labels(const object *o) {
    const cJSON *v = get(o, "labels");
    char path[2048];
    if (!v)
        return;
    if (cJSON_IsArray(v)) {
        label_list(o, v);
        return;
    }
    if (!cJSON_IsString(v) || !*v->valuestring) {
        fail(o, "labels", "a list of names, or the name of a file, is expected");
        return;
    }
    if (v->valuestring[0] == '/' || strstr(v->valuestring, "..")) {
        fail(o, "labels", "a file in the folder of the manifest is expected");
        return;
    }
    int n = snprintf(path, sizeof path, "%s/%s", o->r->folder, v->valuestring);
    if (n < 0 || (size_t)n >= sizeof path) {
        fail(o, "labels", "the path is longer than %zu bytes", sizeof path - 1);
        return;
    }
    o->r->status = hst__manifest_labels(o->r->m, path, o->r->err);
}

static void read_resize(const object *input) {
    static const char *const keys[] = {"mode",         "width",  "height",
                                       "shorter_side", "filter", "convention",
                                       "pad",          "align",  NULL};
    static const char *const aligns[] = {"centre", "top-left", NULL};
    hst__manifest *m = input->r->m;
    object o = child(input, "resize", "input.resize.", keys);
    int fit = m->fit, filter = m->filter, convention = m->convention, align = m->top_left;
    get_word(&o, "mode", hst__fit_words, &fit);
    get_whole(&o, "width", 1, 16384, &m->width);
    get_whole(&o, "height", 1, 16384, &m->height);
    get_whole(&o, "shorter_side", 1, 16384, &m->shorter_side);
    get_word(&o, "filter", hst__filter_words, &filter);
    get_word(&o, "convention", hst__convention_words, &convention);
    get_number(&o, "pad", 0, 65535, &m->pad);
    get_word(&o, "align", aligns, &align);
    m->fit = (hst__fit)fit;
    m->filter = (hst__resize_filter)filter;
    m->convention = (hst__resize_convention)convention;
    m->top_left = align;
}

static void read_input(const object *root) {
    static const char *const keys[] = {
        "name", "reduced_decode", "fast_decode", "resize", "color", "scale", "mean",
        "std",  "layout",         "dtype",       NULL};
    static const char *const dtypes[] = {"f32", "u8", NULL};
    hst__manifest *m = root->r->m;
    object o = child(root, "input", "input.", keys);
    int color = m->color, layout = m->layout, dtype = m->u8;
    get_text(&o, "name", &m->input);
    get_bool(&o, "reduced_decode", &m->reduced_decode);
    get_bool(&o, "fast_decode", &m->fast_decode);
    read_resize(&o);
    get_word(&o, "color", hst__color_words, &color);
    get_number(&o, "scale", 1e-9, 1e9, &m->scale);
    get_channels(&o, "mean", false, m->mean);
    get_channels(&o, "std", true, m->std);
    get_word(&o, "layout", hst__layout_words, &layout);
    get_word(&o, "dtype", dtypes, &dtype);
    m->color = (hst__color)color;
    m->layout = (hst__layout)layout;
    m->u8 = dtype;
}

static void read_output(const object *root) {
    static const char *const keys[] = {"name",           "softmax",      "top_k",
                                       "labels",         "label_offset", "detector",
                                       "score",          "iou",          "max_detections",
                                       "class_agnostic", "decoded",      NULL};
    hst__manifest *m = root->r->m;
    object o = child(root, "output", "output.", keys);
    int detector = m->detector;
    get_text(&o, "name", &m->output);
    get_softmax(&o);
    get_whole(&o, "top_k", 1, 1000, &m->top_k);
    get_labels(&o);
    get_whole(&o, "label_offset", -1000, 1000, &m->label_offset);
    get_word(&o, "detector", hst__detector_words, &detector);
    get_number(&o, "score", 0, 1, &m->score);
    get_number(&o, "iou", 0, 1, &m->iou);
    get_whole(&o, "max_detections", 1, 10000, &m->max_detections);
    get_bool(&o, "class_agnostic", &m->class_agnostic);
    get_bool(&o, "decoded", &m->decoded);
    m->detector = (hst__detector)detector;
}

static void read_root(reader *r, const cJSON *json) {
    static const char *const keys[] = {"schema", "model",  "preset", "task",
                                       "input",  "output", NULL};
    static const char *const schemas[] = {"hasten-manifest-1", NULL};
    object o = {r, json, ""};
    const char *preset = NULL, *model;
    int schema = 0, task;
    if (!cJSON_IsObject(json)) {
        fail(&o, "", "an object {...} is expected");
        return;
    }
    check_keys(&o, keys);
    if (!get(&o, "schema"))
        fail(&o, "schema", "\"hasten-manifest-1\" is expected");
    get_word(&o, "schema", schemas, &schema);
    get_text(&o, "model", &model);
    get_text(&o, "preset", &preset);
    if (preset && !r->status && hst__manifest_preset(preset, r->m, r->err)) {
        hst__fail_in(r->err, HST_E_FORMAT, "manifest: preset");
        r->status = HST_E_FORMAT;
    }
    task = r->m->task;
    get_word(&o, "task", hst__task_words, &task);
    r->m->task = (hst_task)task;
    read_input(&o);
    read_output(&o);
}

static size_t line_of(const char *text, size_t at) {
    size_t line = 1;
    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    return line;
}

/** In bytes, from 1. */
static size_t column_of(const char *text, size_t at) {
    size_t begin = at;
    while (begin > 0 && text[begin - 1] != '\n')
        begin--;
    return at - begin + 1;
}

/** Texts end at NUL in C, so one that holds it would be read as another text. */
static bool holds_nul(const char *text, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (text[i] == 0)
            return true;
        if (text[i] == '\\') {
            if (size - i >= 6 && memcmp(text + i, "\\u0000", 6) == 0)
                return true;
            i++; /* the escaped character, which may be a backslash */
        }
    }
    return false;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

hst_status hst__manifest_parse(hst__manifest *m, const char *text, size_t size,
                               const char *folder, hst_error *err) {
    reader r = {.m = m, .folder = folder, .err = err};
    const char *end = NULL;
    if (size > TEXT_LIMIT)
        return hst__fail(err, HST_E_LIMIT, "manifest: larger than %d bytes", TEXT_LIMIT);
    if (holds_nul(text, size))
        return hst__fail(err, HST_E_FORMAT, "manifest: it holds a NUL character");
    cJSON *json = cJSON_ParseWithLengthOpts(text, size, &end, false);
    size_t at = end && end >= text ? (size_t)(end - text) : 0;
    at = at < size ? at : size;
    if (!json)
        return hst__fail(err, HST_E_FORMAT,
                         "manifest: line %zu, column %zu: not valid JSON from here on",
                         line_of(text, at), column_of(text, at));
    while (at < size && is_blank(text[at]))
        at++;
    if (at < size)
        r.status = hst__fail(err, HST_E_FORMAT,
                             "manifest: line %zu: something follows the closing brace",
                             line_of(text, at));
    else
        read_root(&r, json);
    cJSON_Delete(json);
    return r.status;
}
