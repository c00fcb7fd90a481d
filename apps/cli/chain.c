#include "chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/** "1/255" or "0.5". */
static bool parse_factor(const char *text, double *out) {
    char *end;
    double a = strtod(text, &end), b = 1;
    if (end == text)
        return false;
    if (*end == '/') {
        const char *second = end + 1;
        b = strtod(second, &end);
        if (end == second)
            return false;
    }
    *out = a / b;
    return *end == 0 && isfinite(*out);
}

/** One or three numbers separated by commas. */
static int parse_list(const char *text, double out[3]) {
    char copy[128], *rest = copy;
    int n = 0;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *item; (item = strsep(&rest, ","));)
        if (n == 3 || !parse_factor(item, &out[n++]))
            return 0;
    return n == 1 || n == 3 ? n : 0;
}

static void pipeline_options(const cli_args *a, hst_pipeline_options *o) {
    hst_pipeline_options_init(o);
    o->preset = a->text[OPT_PRESET];
    o->fit = a->text[OPT_FIT];
    o->filter = a->text[OPT_FILTER];
    o->convention = a->text[OPT_CONVENTION];
    o->color = cli_given(a, OPT_BGR) ? "bgr" : a->text[OPT_COLOR];
    o->layout = a->text[OPT_LAYOUT];
    o->labels_path = a->text[OPT_LABELS];
    cli_size(a, OPT_SIZE, &o->width, &o->height);
    if (cli_given(a, OPT_SCALE) &&
        (!parse_factor(a->text[OPT_SCALE], &o->scale) || o->scale <= 0))
        exit(cli_usage(a->command,
                       "--scale '%s': a number such as 0.0039 or 1/255 is "
                       "expected",
                       a->text[OPT_SCALE]));
    if (cli_given(a, OPT_MEAN) && !(o->n_mean = parse_list(a->text[OPT_MEAN], o->mean)))
        exit(cli_usage(a->command, "--mean '%s': one or three numbers are expected",
                       a->text[OPT_MEAN]));
    if (cli_given(a, OPT_STD) && !(o->n_std = parse_list(a->text[OPT_STD], o->std)))
        exit(cli_usage(a->command, "--std '%s': one or three numbers are expected",
                       a->text[OPT_STD]));
    o->top_k = (int)cli_int(a, OPT_TOP_K, 0, 1, 1000);
    o->score = cli_double(a, OPT_SCORE, -1, 0, 1);
    o->iou = cli_double(a, OPT_IOU, -1, 0, 1);
}

static hst_status reserve(chain *c, hst_error *err) {
    c->raw = calloc(c->n_inputs + 1, sizeof *c->raw);
    c->inputs = calloc(c->n_inputs + 1, sizeof *c->inputs);
    c->outputs = calloc(c->n_outputs + 1, sizeof *c->outputs);
    return c->raw && c->inputs && c->outputs
               ? HST_OK
               : text_error(err, HST_E_NOMEM, "out of memory");
}

static int find_input(const chain *c, const char *name, size_t length) {
    hst_value_info info;
    for (size_t i = 0; i < c->n_inputs; i++)
        if (hst_model_get_input(c->model, i, &info, NULL) == HST_OK &&
            strlen(info.name) == length && strncmp(info.name, name, length) == 0)
            return (int)i;
    return -1;
}

/** "NAME=FILE", or FILE alone where the model has one input. */
static hst_status load_raw(chain *c, const char *text, hst_error *err) {
    const char *file = text;
    int index = c->n_inputs == 1 && !strchr(text, '=') ? 0 : -1;
    /* Names may hold '=' too: the longest that is an input counts. */
    for (const char *p = strchr(text, '='); p; p = strchr(p + 1, '=')) {
        int found = find_input(c, text, (size_t)(p - text));
        if (found >= 0) {
            index = found;
            file = p + 1;
        }
    }
    if (index < 0)
        return text_error(
            err, HST_E_ARG,
            "--input '%.200s': the model has no input of this name; `hasten "
            "inspect` lists them",
            text);
    if (c->raw[index])
        return text_error(err, HST_E_ARG, "--input '%.200s': this input is given twice",
                          text);
    hst_status st = hst_tensor_load_file(file, &c->raw[index], err);
    c->inputs[index] = c->raw[index];
    return st;
}

static uint64_t next_random(uint64_t *state) { /* xorshift64*, Vigna 2014 */
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 2685821657736338717u;
}

/** Floats from -1 to 1, bytes from 0 to 255, other integers 0 or 1: small enough to be a
 * token of any vocabulary. */
static void fill_random(hst_tensor *t, uint64_t *state) {
    hst_dtype type = hst_tensor_get_info(t)->dtype;
    size_t size = hst_dtype_size(type);
    char *data = hst_tensor_data(t);
    for (size_t i = 0, n = hst_tensor_count(t); i < n; i++) {
        uint64_t r = next_random(state);
        float f = (float)(r >> 40) / 8388608.0f - 1.0f;
        double d = (double)f;
        uint64_t whole = size == 1 && type != HST_DTYPE_BOOL ? r >> 56 : r >> 63;
        uint64_t half = type == HST_DTYPE_F16 ? (r >> 63 ? 0x3800u : 0xb400u)
                                              : (r >> 63 ? 0x3f00u : 0xbe80u);
        const void *from = type == HST_DTYPE_F32   ? (const void *)&f
                           : type == HST_DTYPE_F64 ? (const void *)&d
                           : type == HST_DTYPE_F16 || type == HST_DTYPE_BF16
                               ? (const void *)&half
                               : (const void *)&whole;
        memcpy(data + i * size, from, size);
    }
}

static hst_status make_random(chain *c, const hst_session_options *o, hst_error *err) {
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < c->n_inputs; i++) {
        hst_value_info info;
        if (c->raw[i])
            continue;
        cli_input_shape(c->model, o, i, &info);
        if (info.tensor.rank < 0)
            return text_error(
                err, HST_E_ARG,
                "input '%.100s' has no declared shape: give one (--shape %.100s=D,D,..)",
                info.name, info.name);
        hst_status st = hst_tensor_create(&info.tensor, &c->raw[i], err);
        if (st)
            return st;
        fill_random(c->raw[i], &state);
        c->inputs[i] = c->raw[i];
    }
    return HST_OK;
}

/** Options that say how an image becomes an input, or outputs an answer. */
static const cli_option image_options[] = {
    OPT_MANIFEST, OPT_PRESET, OPT_SIZE,  OPT_FIT,  OPT_FILTER, OPT_CONVENTION,
    OPT_COLOR,    OPT_BGR,    OPT_SCALE, OPT_MEAN, OPT_STD,    OPT_LAYOUT,
    OPT_LABELS,   OPT_TOP_K,  OPT_SCORE, OPT_IOU};

/** Options that one kind of answer has. */
static const struct {
    cli_option option;
    hst_task task;
    const char *why;
} task_options[] = {
    {OPT_TOP_K, HST_TASK_CLASSIFY, "the answer is not a list of classes"},
    {OPT_SCORE, HST_TASK_DETECT, "the answer is not a list of detections"},
    {OPT_IOU, HST_TASK_DETECT, "the answer is not a list of detections"},
};

/** Options that would have no effect, or contradict each other, are not passed over. */
static void check_options(const cli_args *a) {
    size_t n = a->n_positional > 1 ? 0 : sizeof image_options / sizeof *image_options;
    for (size_t i = 0; i < n; i++)
        if (cli_given(a, image_options[i]))
            exit(cli_usage(a->command, "--%s has no effect without an IMAGE",
                           cli_option_name(image_options[i])));
    if (cli_given(a, OPT_BGR) && cli_given(a, OPT_COLOR) &&
        strcmp(a->text[OPT_COLOR], "bgr") != 0)
        exit(cli_usage(a->command, "--bgr and --color %s contradict each other",
                       a->text[OPT_COLOR]));
}

static hst_status open_pipeline(chain *c, const cli_args *a, hst_error *err) {
    hst_pipeline_options options;
    pipeline_options(a, &options);
    hst_status st = hst_pipeline_create(a->text[OPT_MANIFEST], a->positional[0], c->model,
                                        &options, &c->pipeline, err);
    if (st == HST_E_ARG) /* an option's value, whatever the model */
        exit(cli_usage(a->command, "%s", err->message));
    if (st)
        return st;
    size_t index = hst_pipeline_input_index(c->pipeline);
    if (c->raw[index]) {
        hst_value_info info;
        hst_model_get_input(c->model, index, &info, NULL);
        return text_error(err, HST_E_ARG,
                          "input '%.100s' is given by --input and by the IMAGE",
                          info.name);
    }
    for (size_t i = 0; i < sizeof task_options / sizeof *task_options; i++)
        if (cli_given(a, task_options[i].option) &&
            task_options[i].task != hst_pipeline_task(c->pipeline))
            exit(cli_usage(a->command, "--%s has no effect: %s",
                           cli_option_name(task_options[i].option), task_options[i].why));
    c->source = SOURCE_IMAGE;
    c->inputs[index] = hst_pipeline_input(c->pipeline);
    return HST_OK;
}

static bool same_shape(const hst_input_shape *a, const hst_tensor_info *b) {
    return a->rank == b->rank &&
           memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

/** Every input has its tensor, of the shape that --shape says if it does. */
static hst_status check_inputs(const chain *c, const hst_session_options *o,
                               hst_error *err) {
    for (size_t i = 0; i < c->n_inputs; i++) {
        hst_value_info info;
        char shape[160];
        hst_model_get_input(c->model, i, &info, NULL);
        if (!c->inputs[i])
            return text_error(err, HST_E_ARG,
                              "input '%.100s' is missing: --input %.100s=FILE", info.name,
                              info.name);
        const hst_tensor_info *given = hst_tensor_get_info(c->inputs[i]);
        for (size_t k = 0; k < o->n_shapes; k++)
            if (strcmp(o->shapes[k].name, info.name) == 0 &&
                !same_shape(&o->shapes[k], given))
                return text_error(
                    err, HST_E_ARG,
                    "--shape gives '%.100s' another shape than its tensor, %s, has",
                    info.name, text_shape(given, NULL, shape, sizeof shape));
    }
    return HST_OK;
}

static hst_status open_inputs(chain *c, const cli_args *a, const hst_session_options *o,
                              hst_error *err) {
    hst_status st = HST_OK;
    for (size_t i = 0; !st && i < a->n_inputs; i++)
        st = load_raw(c, a->inputs[i], err);
    if (st)
        return st;
    c->source = a->n_inputs ? SOURCE_RAW : SOURCE_RANDOM;
    if (a->n_positional > 1)
        st = open_pipeline(c, a, err);
    else if (a->n_inputs == 0)
        return make_random(c, o, err);
    return st ? st : check_inputs(c, o, err);
}

hst_status chain_open(chain *c, const cli_args *args, hst_error *err) {
    hst_session_options options;
    hst_model_info info;
    *c = (chain){0};
    check_options(args);
    cli_session_options(args, &options, &c->shapes);
    c->n_shapes = options.n_shapes;
    uint64_t start = hst_clock_ns();
    hst_status st = hst_model_load_file(args->positional[0], &c->model, err);
    c->load_ns = hst_clock_ns() - start;
    if (!st)
        st = hst_model_check(c->model, err);
    if (st)
        return st;
    hst_model_get_info(c->model, &info);
    c->n_inputs = info.inputs;
    c->n_outputs = info.outputs;
    st = reserve(c, err);
    if (!st)
        st = open_inputs(c, args, &options, err);
    if (!st)
        st = hst_session_create(c->model, &options, &c->session, err);
    return st;
}

void chain_close(chain *c) {
    hst_session_destroy(c->session);
    hst_pipeline_destroy(c->pipeline);
    for (size_t i = 0; c->raw && i < c->n_inputs; i++)
        hst_tensor_destroy(c->raw[i]);
    free(c->raw);
    free(c->inputs);
    free(c->outputs);
    cli_shapes_free(c->shapes, c->n_shapes);
    hst_model_destroy(c->model);
}

hst_status chain_load(chain *c, const char *image, uint64_t *stages, hst_error *err) {
    return c->pipeline ? hst_pipeline_load_file(c->pipeline, image, stages, err) : HST_OK;
}

hst_status chain_infer(chain *c, uint64_t *stages, hst_error *err) {
    uint64_t start = hst_clock_ns();
    hst_status st = hst_session_run(c->session, c->inputs, c->n_inputs, err);
    if (stages)
        stages[HST_STAGE_INFERENCE] += hst_clock_ns() - start;
    for (size_t i = 0; !st && i < c->n_outputs; i++)
        c->outputs[i] = hst_session_output(c->session, i);
    return st;
}

hst_status chain_finish(chain *c, uint64_t *stages, hst_error *err) {
    return c->pipeline
               ? hst_pipeline_finish(c->pipeline, c->outputs, c->n_outputs, stages, err)
               : HST_OK;
}

hst_status chain_first(chain *c, const char *image, hst_error *err) {
    hst_status st = chain_load(c, image, NULL, err);
    uint64_t start = hst_clock_ns();
    if (!st)
        st = chain_infer(c, NULL, err);
    c->first_ns = hst_clock_ns() - start;
    hst_session_get_info(c->session, &c->info);
    return st;
}
