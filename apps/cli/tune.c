/* hasten tune: what planning finds out is kept, so that loading again is instant. */
#include <stdlib.h>

#include "cli.h"
#include "text.h"

typedef struct tuning {
    hst_input_shape *given, *shapes; /**< of --shape; of every input */
    bool assumed;                    /**< 1 was put for free dimensions */
    uint64_t before_ns, after_ns;    /**< loading and planning, without and with */
    hst_stored_plan stored;
    int found; /**< the second planning used what the first one kept */
} tuning;

static hst_status fill_shapes(tuning *t, const hst_model *model, hst_session_options *o,
                              hst_error *err) {
    hst_model_info info;
    hst_model_get_info(model, &info);
    t->shapes = calloc(info.inputs + 1, sizeof *t->shapes);
    if (!t->shapes)
        return text_error(err, HST_E_NOMEM, "out of memory");
    for (size_t i = 0; i < info.inputs; i++) {
        hst_value_info input;
        t->assumed |= cli_input_shape(model, o, i, &input);
        if (input.tensor.rank < 0)
            return text_error(err, HST_E_ARG,
                              "input '%.100s' has no declared shape: give one (--shape "
                              "%.100s=D,D,..)",
                              input.name, input.name);
        t->shapes[i].name = input.name;
        t->shapes[i].rank = input.tensor.rank;
        memcpy(t->shapes[i].dims, input.tensor.dims, sizeof t->shapes[i].dims);
    }
    o->shapes = t->shapes;
    o->n_shapes = info.inputs;
    return HST_OK;
}

/** Loads and plans, and keeps the plan unless it was found. */
static hst_status plan(tuning *t, const char *path, hst_session_options o, bool keep,
                       hst_error *err) {
    hst_model *model = NULL;
    hst_session *session = NULL;
    const char *folder = o.plan_folder;
    uint64_t start = hst_clock_ns();
    hst_status st = hst_model_load_file(path, &model, err);
    free(t->shapes); /* their names are the model's */
    t->shapes = NULL;
    t->assumed = false;
    if (!st)
        st = fill_shapes(t, model, &o, err);
    if (keep)
        o.plan_folder = NULL;
    if (!st)
        st = hst_session_create(model, &o, &session, err);
    uint64_t took = hst_clock_ns() - start;
    *(keep ? &t->before_ns : &t->after_ns) = took;
    if (!st && keep)
        st = hst_session_store_plan(session, folder, &t->stored, err);
    if (!st && !keep) {
        hst_session_info info;
        hst_session_get_info(session, &info);
        t->found = info.stored;
    }
    hst_session_destroy(session);
    hst_model_destroy(model);
    return st;
}

static void print_text(const tuning *t) {
    char bytes[32];
    printf("kept       %s of packed weights in %s\n",
           text_bytes((double)t->stored.bytes, bytes, sizeof bytes), t->stored.path);
    printf("load+plan  %.1f ms before, %.1f ms from what is kept\n",
           (double)t->before_ns / 1e6, (double)t->after_ns / 1e6);
    if (t->assumed)
        printf("note: kept for 1 in each free dimension; other shapes need --shape "
               "NAME=D,D,..\n");
}

static void print_json(const tuning *t) {
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "path", t->stored.path);
    cJSON_AddNumberToObject(j, "bytes", (double)t->stored.bytes);
    cJSON_AddNumberToObject(j, "load_plan_before_ms", (double)t->before_ns / 1e6);
    cJSON_AddNumberToObject(j, "load_plan_after_ms", (double)t->after_ns / 1e6);
    cJSON_AddBoolToObject(j, "free_dims_assumed_1", t->assumed);
    text_json_print(j);
}

int cli_run_tune(cli_args *args) {
    tuning t = {0};
    hst_error err = {0};
    hst_session_options options;
    if (args->n_positional > 1)
        return cli_usage(args->command, "one MODEL is expected");
    cli_session_options(args, &options, &t.given);
    if (!options.plan_folder)
        return cli_usage(args->command, "there is no folder to keep plans in: give one "
                                        "with --plan-cache DIR");
    hst_status st = plan(&t, args->positional[0], options, true, &err);
    if (!st)
        st = plan(&t, args->positional[0], options, false, &err);
    if (!st && !t.found)
        st = text_error(&err, HST_E_IO, "'%.1000s' was written and is not found again",
                        t.stored.path);
    hst_text_clean(t.stored.path);
    if (!st && cli_given(args, OPT_JSON))
        print_json(&t);
    else if (!st)
        print_text(&t);
    free(t.shapes);
    cli_shapes_free(t.given, args->n_shapes);
    return st ? cli_fail(args, &err) : EXIT_DONE;
}
