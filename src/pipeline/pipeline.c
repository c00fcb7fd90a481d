#include "pipeline/pipeline.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/status.h"
#include "pipeline/guess.h"

enum {
    MANIFEST_LIMIT = 1 << 20,
    PHOTO_LIMIT = 256 << 20,
    DEFAULT_SIDE = 224,
    SIDE_MAX = 16384
};

static const char *text(hst_pipeline *p, const char *s) {
    return hst__arena_strndup(&p->m.arena, s, strlen(s));
}

/** Reads a whole regular file into a buffer that only grows. */
static hst_status read_file(const char *path, size_t limit, uint8_t **buffer, size_t *cap,
                            size_t *size, hst_error *err) {
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        hst_status st = hst__fail(err, HST_E_IO, "'%.500s': %s", path,
                                  fd < 0 ? strerror(errno) : "not a regular file");
        if (fd >= 0)
            close(fd);
        return st;
    }
    hst_status st = HST_OK;
    *size = (size_t)info.st_size;
    if (*size > limit)
        st = hst__fail(err, HST_E_LIMIT, "'%.500s': larger than %zu bytes", path, limit);
    if (!st && *cap < *size + 1) {
        hst__free(*buffer);
        *buffer = hst__alloc_raw(*size + 1);
        *cap = *buffer ? *size + 1 : 0;
        if (!*buffer)
            st = hst__fail_nomem(err, *size + 1);
    }
    for (size_t at = 0; !st && at < *size;) {
        ssize_t n = read(fd, *buffer + at, *size - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            st =
                hst__fail(err, HST_E_IO, "'%.500s': %s", path,
                          n < 0 ? strerror(errno) : "it became shorter while being read");
        else
            at += (size_t)n;
    }
    close(fd);
    return st;
}

/** model.json for model.onnx, if there is such a file. */
static bool beside(const char *model_path, char *out, size_t size) {
    size_t n = strlen(model_path);
    if (n > 5 && strcasecmp(model_path + n - 5, ".onnx") == 0)
        n -= 5;
    int written = snprintf(out, size, "%.*s.json", (int)n, model_path);
    return written > 0 && (size_t)written < size && access(out, R_OK) == 0;
}

static hst_status load_manifest(hst_pipeline *p, const char *path, hst_error *err) {
    uint8_t *json = NULL;
    size_t cap = 0, size = 0;
    char folder[2048];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1,
             slash ? path : ".");
    hst_status st = hst__manifest_preset("raw", &p->m, err);
    if (!st)
        st = read_file(path, MANIFEST_LIMIT, &json, &cap, &size, err);
    if (st)
        return st;
    st = hst__manifest_parse(&p->m, (const char *)json, size,
                             slash == path ? "/" : folder, err);
    hst__free(json);
    return st ? hst__fail_in(err, st, "'%.400s'", path) : HST_OK;
}

static hst_status find_input(hst_pipeline *p, const hst_value_info *inputs, size_t n,
                             hst_error *err) {
    for (size_t i = 0; i < n; i++)
        if (*p->m.input ? strcmp(inputs[i].name, p->m.input) == 0
                        : inputs[i].tensor.rank == 4) {
            p->input_index = i;
            return HST_OK;
        }
    if (*p->m.input)
        return hst__fail(err, HST_E_FORMAT,
                         "manifest: input.name: the model has no input "
                         "'%.100s'",
                         p->m.input);
    return hst__fail(err, HST_E_UNSUPPORTED,
                     "the model has no 4-D input for an image; give "
                     "raw tensors (--input NAME=FILE)");
}

static bool is_channels(int64_t d) { return d == 1 || d == 3; }

/** Size, channels and layout, from the manifest and the model; both must agree. */
static hst_status settle_input(hst_pipeline *p, const hst_value_info *input,
                               hst_error *err) {
    const hst_tensor_info *t = &input->tensor;
    if (t->rank != 4)
        return hst__fail(err, HST_E_UNSUPPORTED, "input '%.100s' is not a 4-D image",
                         input->name);
    if (!is_channels(t->dims[1]) && t->dims[1] > 0 && is_channels(t->dims[3]))
        p->m.layout = HST__LAYOUT_NHWC;
    bool last = p->m.layout == HST__LAYOUT_NHWC;
    int64_t h = t->dims[last ? 1 : 2], w = t->dims[last ? 2 : 3],
            c = t->dims[last ? 3 : 1];
    if (t->dims[0] > 1)
        return hst__fail(err, HST_E_UNSUPPORTED,
                         "input '%.100s' takes %lld images at once; one is what the "
                         "chain makes",
                         input->name, (long long)t->dims[0]);
    if (w > SIDE_MAX || h > SIDE_MAX)
        return hst__fail(err, HST_E_LIMIT, "input '%.100s' is %lldx%lld, over %d a side",
                         input->name, (long long)w, (long long)h, SIDE_MAX);
    p->width = p->m.width ? p->m.width : w > 0 ? (int)w : DEFAULT_SIDE;
    p->height = p->m.height ? p->m.height : h > 0 ? (int)h : DEFAULT_SIDE;
    if ((w > 0 && w != p->width) || (h > 0 && h != p->height))
        return hst__fail(
            err, HST_E_SHAPE,
            "images would be brought to %dx%d, but input '%.100s' is %lldx%lld", p->width,
            p->height, input->name, (long long)w, (long long)h);
    if (c > 0 && !is_channels(c))
        return hst__fail(err, HST_E_UNSUPPORTED,
                         "input '%.100s' has %lld channels; images "
                         "have 1 or 3",
                         input->name, (long long)c);
    p->channels = c > 0 ? (int)c : p->m.color == HST__COLOR_GREY ? 1 : 3;
    if (p->channels == 1)
        p->m.color = HST__COLOR_GREY;
    if (p->m.u8 && t->dtype == HST_DTYPE_F32)
        return hst__fail(err, HST_E_FORMAT,
                         "manifest: input.dtype: u8, but input '%.100s' is f32",
                         input->name);
    p->m.u8 = t->dtype == HST_DTYPE_U8;
    if (t->dtype != HST_DTYPE_U8 && t->dtype != HST_DTYPE_F32)
        return hst__fail(err, HST_E_UNSUPPORTED,
                         "input '%.100s' is %s; images become f32 or "
                         "u8",
                         input->name, hst_dtype_name(t->dtype));
    hst_tensor_info info = {
        .dtype = t->dtype, .rank = 4, .dims = {1, p->channels, p->height, p->width}};
    if (last) {
        info.dims[1] = p->height;
        info.dims[2] = p->width;
        info.dims[3] = p->channels;
    }
    return hst_tensor_create(&info, &p->input, err);
}

static hst_status settle_output(hst_pipeline *p, const hst_value_info *outputs, size_t n,
                                hst_error *err) {
    size_t found = 0;
    while (*p->m.output && found < n && strcmp(outputs[found].name, p->m.output) != 0)
        found++;
    if (found >= n && n > 0)
        return hst__fail(err, HST_E_FORMAT,
                         "manifest: output.name: the model has no output "
                         "'%.100s'",
                         p->m.output);
    p->output_index = (int)found;
    p->classes = hst__alloc((size_t)(p->m.top_k + 1) * sizeof *p->classes);
    p->detections = hst__alloc((size_t)p->m.max_detections * sizeof *p->detections);
    return p->classes && p->detections
               ? HST_OK
               : hst__fail_nomem(err,
                                 (size_t)p->m.max_detections * sizeof *p->detections);
}

static hst_status describe(hst_pipeline *p, hst_error *err) {
    char line[300];
    const hst__manifest *m = &p->m;
    snprintf(line, sizeof line, "%s %dx%d %s (%s), %s, %s %s, %s%s%s",
             hst__fit_words[m->fit], p->width, p->height, hst__filter_words[m->filter],
             hst__convention_words[m->convention], hst__color_words[m->color],
             hst__layout_words[m->layout], m->u8 ? "u8" : "f32", hst__task_words[m->task],
             m->task == HST_TASK_DETECT ? " " : "",
             m->task == HST_TASK_DETECT ? hst__detector_words[m->detector] : "");
    p->describe = text(p, line);
    return p->describe ? HST_OK : hst__fail_nomem(err, strlen(line));
}

/** A preset in place of the manifest's chain; names and labels, which belong to the
 * model, stay. */
static hst_status replace_chain(hst__manifest *m, const char *preset, hst_error *err) {
    hst__manifest was = *m;
    hst_status st = hst__manifest_preset(preset, m, err);
    if (st)
        return st;
    m->input = was.input;
    m->output = was.output;
    m->labels = was.labels;
    m->n_labels = was.n_labels;
    m->label_offset = was.label_offset;
    return HST_OK;
}

/** Manifest, preset or guess, in this order; options on top. */
static hst_status choose(hst_pipeline *p, const char *manifest_path,
                         const char *model_path, const hst_value_info *inputs,
                         size_t n_inputs, const hst_value_info *outputs, size_t n_outputs,
                         const hst_pipeline_options *o, hst_error *err) {
    char path[2048], note[200];
    hst_status st;
    if (!manifest_path && !o->preset && model_path &&
        beside(model_path, path, sizeof path))
        manifest_path = path;
    if (manifest_path)
        st = load_manifest(p, manifest_path, err);
    else if (o->preset)
        st = hst__manifest_preset(o->preset, &p->m, err);
    else {
        hst_tensor_info image = {0};
        for (size_t i = 0; i < n_inputs && image.rank != 4; i++)
            image = inputs[i].tensor;
        const char *preset = hst__guess_preset(&image, outputs, n_outputs);
        snprintf(note, sizeof note,
                 "no manifest and no preset: preset '%s' was guessed from the shapes",
                 preset);
        st = hst__manifest_preset(preset, &p->m, err);
        p->note = text(p, note);
        if (!st && !p->note)
            st = hst__fail_nomem(err, sizeof note);
    }
    if (!st && manifest_path && o->preset)
        st = replace_chain(&p->m, o->preset, err);
    return st ? st : hst__manifest_override(&p->m, o, err);
}

hst_status hst__pipeline_create(const char *manifest_path, const char *model_path,
                                const hst_value_info *inputs, size_t n_inputs,
                                const hst_value_info *outputs, size_t n_outputs,
                                const hst_pipeline_options *options, hst_pipeline **out,
                                hst_error *err) {
    hst_pipeline_options o;
    hst_pipeline_options_init(&o);
    if (options)
        o = *options;
    *out = NULL;
    if (o.struct_size != sizeof o)
        return hst__fail(err, HST_E_ARG,
                         "pipeline options were not set by hst_pipeline_options_init");
    hst_pipeline *p = hst__alloc(sizeof *p);
    if (!p)
        return hst__fail_nomem(err, sizeof *p);
    hst_status st = choose(p, manifest_path, model_path, inputs, n_inputs, outputs,
                           n_outputs, &o, err);
    if (!st)
        st = find_input(p, inputs, n_inputs, err);
    if (!st)
        st = settle_input(p, &inputs[p->input_index], err);
    if (!st)
        st = settle_output(p, outputs, n_outputs, err);
    if (!st)
        st = describe(p, err);
    if (st) {
        hst_pipeline_destroy(p);
        return st;
    }
    *out = p;
    return HST_OK;
}

void hst_pipeline_destroy(hst_pipeline *pipeline) {
    if (!pipeline)
        return;
    hst_tensor_destroy(pipeline->input);
    hst__free(pipeline->file);
    hst__image_fini(&pipeline->photo);
    hst__image_fini(&pipeline->scaled);
    hst__resizer_fini(&pipeline->resizer);
    hst__free(pipeline->classes);
    hst__free(pipeline->found.items);
    hst__free(pipeline->detections);
    hst__free(pipeline->probabilities);
    hst__manifest_fini(&pipeline->m);
    hst__free(pipeline);
}

void hst_pipeline_options_init(hst_pipeline_options *options) {
    *options =
        (hst_pipeline_options){.struct_size = sizeof *options, .score = -1, .iou = -1};
}

hst_status hst_pipeline_load_memory(hst_pipeline *pipeline, const void *bytes,
                                    size_t size, uint64_t *stage_ns, hst_error *err) {
    return hst__pipeline_prepare(pipeline, bytes, size, stage_ns, err);
}

hst_status hst_pipeline_load_file(hst_pipeline *pipeline, const char *path,
                                  uint64_t *stage_ns, hst_error *err) {
    hst_pipeline *p = pipeline;
    uint64_t start = hst__clock_ns();
    hst_status st =
        read_file(path, PHOTO_LIMIT, &p->file, &p->file_cap, &p->file_size, err);
    if (stage_ns)
        stage_ns[HST_STAGE_READ] += hst__clock_ns() - start;
    if (st)
        return st;
    st = hst__pipeline_prepare(p, p->file, p->file_size, stage_ns, err);
    return st ? hst__fail_in(err, st, "'%.500s'", path) : HST_OK;
}

hst_status hst_pipeline_finish(hst_pipeline *pipeline, const hst_tensor *const *outputs,
                               size_t n_outputs, uint64_t *stage_ns, hst_error *err) {
    uint64_t start = hst__clock_ns();
    hst_status st = HST_OK;
    pipeline->n_classes = pipeline->n_detections = 0;
    if (pipeline->m.task == HST_TASK_CLASSIFY)
        st = hst__classify(pipeline, outputs, n_outputs, err);
    else if (pipeline->m.task == HST_TASK_DETECT)
        st = hst__detect(pipeline, outputs, n_outputs, err);
    if (stage_ns)
        stage_ns[HST_STAGE_POSTPROCESS] += hst__clock_ns() - start;
    return st;
}
