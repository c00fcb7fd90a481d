/* hasten inspect: what a model consists of. */
#include "hasten/inspect.h"

#include <stdlib.h>

#include "cli.h"
#include "text.h"

typedef struct view {
    hst_model *model;
    hst_session *session;
    hst_inspection *content;
    hst_model_info info;
    hst_session_info plan;
    hst_op_count *after; /**< operators of the plan */
    size_t n_after, views;
    bool assumed;      /**< planned with 1 for each free dimension */
    char why_not[512]; /**< why there is no plan yet */
    const char *error; /**< why there can be none; NULL */
} view;

static int more_first(const void *pa, const void *pb) {
    const hst_op_count *a = pa, *b = pb;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return strcmp(a->name, b->name);
}

static hst_status count_steps(view *v, hst_error *err) {
    v->after = calloc(v->plan.steps + 1, sizeof *v->after);
    for (size_t i = 0; v->after && i < v->plan.steps; i++) {
        hst_step_info s;
        size_t k = 0;
        hst_status st = hst_session_get_step(v->session, i, &s, err);
        if (st)
            return st;
        v->views += s.view;
        if (s.view)
            continue;
        while (k < v->n_after && strcmp(v->after[k].name, s.op) != 0)
            k++;
        if (k == v->n_after)
            v->after[v->n_after++] = (hst_op_count){.domain = "", .name = s.op};
        v->after[k].count++;
    }
    if (v->after)
        qsort(v->after, v->n_after, sizeof *v->after, more_first);
    return HST_OK;
}

static void print_values(const view *v, bool inputs) {
    size_t n = inputs ? v->info.inputs : v->info.outputs;
    for (size_t i = 0; i < n; i++) {
        hst_value_info value;
        char shape[256];
        hst_error err;
        if ((inputs ? hst_model_get_input : hst_model_get_output)(v->model, i, &value,
                                                                  &err))
            continue;
        printf("%-10s %-28s %s\n",
               i        ? ""
               : inputs ? "inputs"
                        : "outputs",
               value.name,
               text_shape(&value.tensor, value.dim_names, shape, sizeof shape));
    }
}

static void print_ops(const char *title, const hst_op_count *ops, size_t n) {
    printf("\n%s\n ", title);
    int column = 1;
    for (size_t i = 0; i < n; i++) {
        char item[128];
        int width = snprintf(item, sizeof item, " %s%s%s %zu%s", ops[i].domain,
                             ops[i].domain[0] ? "." : "", ops[i].name, ops[i].count,
                             i + 1 < n ? "," : "");
        if (column + width > 90) {
            printf("\n ");
            column = 1;
        }
        column += printf("%s", item);
    }
    printf("\n");
}

static void print_plan(const view *v) {
    char a[32], b[32], c[32], d[32];
    printf(
        "\nmemory    activations %s (at least %s are alive at once), scratch %s, packed "
        "weights %s\n",
        text_bytes((double)v->plan.arena_bytes, a, sizeof a),
        text_bytes((double)v->plan.arena_bound_bytes, b, sizeof b),
        text_bytes((double)v->plan.scratch_bytes, c, sizeof c),
        text_bytes((double)v->plan.weight_bytes, d, sizeof d));
    printf("compute    %.1f million multiply-accumulates a run (%d threads, %s)\n",
           v->plan.macs / 1e6, v->plan.threads, hst_cpu_name(v->plan.cpu));
}

static void print_weights(const view *v) {
    const hst_inspection *in = v->content;
    char bytes[32];
    printf("weights    %zu tensors, %zu elements, %s\n", in->n_weights,
           v->info.parameters,
           text_bytes((double)v->info.parameter_bytes, bytes, sizeof bytes));
    if (in->elements)
        printf("           %.2f %% zeros, %zu subnormal, %zu not finite\n",
               100.0 * (double)in->zeros / (double)in->elements, in->subnormals,
               in->nonfinite);
    for (size_t i = 0; i < in->n_weights; i++)
        if (in->weights[i].subnormals || in->weights[i].nonfinite)
            printf("           '%s': %zu subnormal, %zu not finite\n",
                   in->weights[i].name, in->weights[i].subnormals,
                   in->weights[i].nonfinite);
}

static void print_text(const view *v, const char *path) {
    char bytes[32];
    printf("model      %s (%s)\n", path,
           text_bytes((double)v->info.file_bytes, bytes, sizeof bytes));
    printf("made by    %s, graph '%s', opset %d, IR %d\n",
           v->info.producer[0] ? v->info.producer : "unknown", v->info.name,
           v->info.opset, v->info.ir_version);
    print_values(v, true);
    print_values(v, false);
    print_weights(v);
    print_ops("operators in the file", v->content->ops, v->content->n_ops);
    if (v->plan.steps) {
        char title[96];
        snprintf(title, sizeof title,
                 "steps after fusion (%zu, and %zu views that cost nothing)",
                 v->plan.steps - v->views, v->views);
        print_ops(title, v->after, v->n_after);
        if (v->assumed)
            printf("  planned with 1 for each free dimension (--shape NAME=D,D,..)\n");
        print_plan(v);
    } else if (!v->error) {
        printf("\nnot planned: %s\n", v->why_not);
    }
}

static cJSON *values_json(const view *v, bool inputs) {
    cJSON *list = cJSON_CreateArray();
    size_t n = inputs ? v->info.inputs : v->info.outputs;
    for (size_t i = 0; i < n; i++) {
        hst_value_info value;
        hst_error err;
        if ((inputs ? hst_model_get_input : hst_model_get_output)(v->model, i, &value,
                                                                  &err))
            continue;
        cJSON *item = cJSON_CreateObject(), *dims = cJSON_CreateArray();
        cJSON_AddStringToObject(item, "name", value.name);
        cJSON_AddStringToObject(item, "dtype", hst_dtype_name(value.tensor.dtype));
        for (int k = 0; k < value.tensor.rank; k++)
            cJSON_AddItemToArray(
                dims, value.tensor.dims[k] >= 0
                          ? cJSON_CreateNumber((double)value.tensor.dims[k])
                      : value.dim_names[k] ? cJSON_CreateString(value.dim_names[k])
                                           : cJSON_CreateNull());
        cJSON_AddItemToObject(item, "shape", dims);
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

static cJSON *ops_json(const hst_op_count *ops, size_t n) {
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; i < n; i++) {
        char name[160];
        snprintf(name, sizeof name, "%s%s%s", ops[i].domain, ops[i].domain[0] ? "." : "",
                 ops[i].name);
        cJSON_AddNumberToObject(object, name, (double)ops[i].count);
    }
    return object;
}

static void print_json(const view *v, const char *path) {
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "model", path);
    cJSON_AddNumberToObject(j, "file_bytes", (double)v->info.file_bytes);
    cJSON_AddStringToObject(j, "producer", v->info.producer);
    cJSON_AddStringToObject(j, "graph", v->info.name);
    cJSON_AddNumberToObject(j, "opset", v->info.opset);
    cJSON_AddNumberToObject(j, "ir_version", v->info.ir_version);
    cJSON_AddItemToObject(j, "inputs", values_json(v, true));
    cJSON_AddItemToObject(j, "outputs", values_json(v, false));
    cJSON_AddNumberToObject(j, "nodes", (double)v->info.nodes);
    cJSON_AddItemToObject(j, "operators", ops_json(v->content->ops, v->content->n_ops));
    cJSON_AddNumberToObject(j, "parameters", (double)v->info.parameters);
    cJSON_AddNumberToObject(j, "parameter_bytes", (double)v->info.parameter_bytes);
    cJSON_AddNumberToObject(j, "zeros", (double)v->content->zeros);
    cJSON_AddNumberToObject(j, "subnormals", (double)v->content->subnormals);
    cJSON_AddNumberToObject(j, "nonfinite", (double)v->content->nonfinite);
    if (v->plan.steps) {
        cJSON *p = cJSON_AddObjectToObject(j, "plan");
        cJSON_AddNumberToObject(p, "steps", (double)(v->plan.steps - v->views));
        cJSON_AddNumberToObject(p, "views", (double)v->views);
        cJSON_AddItemToObject(p, "operators", ops_json(v->after, v->n_after));
        cJSON_AddNumberToObject(p, "macs", v->plan.macs);
        cJSON_AddNumberToObject(p, "arena_bytes", (double)v->plan.arena_bytes);
        cJSON_AddNumberToObject(p, "arena_bound_bytes",
                                (double)v->plan.arena_bound_bytes);
        cJSON_AddNumberToObject(p, "scratch_bytes", (double)v->plan.scratch_bytes);
        cJSON_AddNumberToObject(p, "packed_weight_bytes", (double)v->plan.weight_bytes);
        cJSON_AddBoolToObject(p, "free_dims_assumed_1", v->assumed);
        cJSON_AddNumberToObject(p, "threads", v->plan.threads);
        cJSON_AddStringToObject(p, "cpu", hst_cpu_name(v->plan.cpu));
    } else {
        cJSON_AddNullToObject(j, "plan");
    }
    if (v->error)
        cJSON_AddStringToObject(j, "error", v->error);
    text_json_print(j);
}

/** Plans with 1 for every dimension that is free in the file and in --shape. A model that
 * cannot be planned so is shown unplanned, with the reason. */
static void plan_assumed(view *v, const hst_session_options *given) {
    hst_session_options options = *given;
    hst_session *session = NULL;
    hst_error err;
    bool free_dims = false, known = true;
    hst_input_shape *shapes = calloc(v->info.inputs + 1, sizeof *shapes);
    for (size_t i = 0; shapes && i < v->info.inputs; i++) {
        hst_value_info input;
        free_dims |= cli_input_shape(v->model, given, i, &input);
        known &= input.tensor.rank >= 0;
        shapes[i].name = input.name;
        shapes[i].rank = input.tensor.rank;
        memcpy(shapes[i].dims, input.tensor.dims, sizeof shapes[i].dims);
    }
    options.shapes = shapes;
    options.n_shapes = v->info.inputs;
    snprintf(v->why_not, sizeof v->why_not,
             known ? "shapes depend on values or data that only a run has"
                   : "an input has no declared shape (--shape NAME=D,D,..)");
    if (shapes && known && free_dims &&
        hst_session_create(v->model, &options, &session, &err))
        snprintf(v->why_not, sizeof v->why_not,
                 "with 1 for each free dimension: %.400s (--shape NAME=D,D,..)",
                 err.message);
    if (session) {
        hst_session_destroy(v->session);
        v->session = session;
        hst_session_get_info(session, &v->plan);
        v->assumed = v->plan.steps > 0;
    }
    free(shapes);
}

/** A model that cannot be run is shown unplanned: *err then says why. */
static hst_status plan_view(view *v, cli_args *args, hst_input_shape **shapes,
                            hst_error *err) {
    hst_session_options options;
    cli_session_options(args, &options, shapes);
    hst_status st = hst_session_create(v->model, &options, &v->session, err);
    if (st)
        return st;
    hst_session_get_info(v->session, &v->plan);
    if (!v->plan.steps)
        plan_assumed(v, &options);
    st = count_steps(v, err);
    return st || !cli_given(args, OPT_DOT)
               ? st
               : hst_session_write_dot(v->session, args->text[OPT_DOT], err);
}

static hst_status load_view(view *v, const char *path, hst_error *err) {
    hst_status st = hst_model_load_file(path, &v->model, err);
    if (!st)
        st = hst_model_inspect(v->model, &v->content, err);
    if (!st)
        hst_model_get_info(v->model, &v->info);
    return st;
}

int cli_run_inspect(cli_args *args) {
    view v = {0};
    hst_error err = {0};
    hst_input_shape *shapes = NULL;
    bool dot_only = cli_given(args, OPT_DOT) && strcmp(args->text[OPT_DOT], "-") == 0;
    if (args->n_positional > 1)
        return cli_usage(args->command, "one MODEL is expected");
    if (dot_only && cli_given(args, OPT_JSON))
        return cli_usage(args->command,
                         "--dot - and --json both write to standard output");
    hst_status st = load_view(&v, args->positional[0], &err);
    if (!st) {
        st = plan_view(&v, args, &shapes, &err);
        v.error = st ? err.message : NULL;
        if (cli_given(args, OPT_JSON))
            print_json(&v, args->shown[0]);
        else if (!dot_only)
            print_text(&v, args->shown[0]);
    }
    fflush(stdout);
    int status = st ? cli_fail(args, &err) : EXIT_DONE;
    free(v.after);
    cli_shapes_free(shapes, args->n_shapes);
    hst_session_destroy(v.session);
    hst_inspection_destroy(v.content);
    hst_model_destroy(v.model);
    return status;
}
