/* hasten run: what the network answers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "chain.h"
#include "text.h"

static void print_classes(const hst_pipeline *p) {
    hst_class c;
    for (size_t i = 0; i < hst_pipeline_class_count(p); i++)
        if (hst_pipeline_get_class(p, i, &c, NULL) == HST_OK)
            printf("  %7.4f  %5d  %s\n", c.score, c.index, c.label ? c.label : "");
}

static void print_detections(const hst_pipeline *p) {
    hst_detection d;
    for (size_t i = 0; i < hst_pipeline_detection_count(p); i++)
        if (hst_pipeline_get_detection(p, i, &d, NULL) == HST_OK)
            printf("  %7.4f  %5d  %-16s  %.1f %.1f  %.1f %.1f\n", d.score, d.class_index,
                   d.label ? d.label : "", d.x0, d.y0, d.x1, d.y1);
    if (hst_pipeline_detection_count(p) == 0)
        printf("  nothing found\n");
}

static void print_tensors(const chain *c) {
    for (size_t i = 0; i < c->n_outputs; i++) {
        hst_value_info info;
        char shape[160];
        const hst_tensor *t = c->outputs[i];
        hst_model_get_output(c->model, i, &info, NULL);
        printf("  %s %s", info.name,
               text_shape(hst_tensor_get_info(t), NULL, shape, sizeof shape));
        const float *x = hst_tensor_const_data(t);
        for (size_t k = 0; hst_tensor_get_info(t)->dtype == HST_DTYPE_F32 && k < 6 &&
                           k < hst_tensor_count(t);
             k++)
            printf(" %g", (double)x[k]);
        printf("%s\n", hst_tensor_count(t) > 6 ? " ..." : "");
    }
}

static cJSON *class_json(const hst_class *c) {
    cJSON *j = cJSON_CreateObject();
    cJSON_AddNumberToObject(j, "index", c->index);
    cJSON_AddNumberToObject(j, "score", c->score);
    if (c->label)
        cJSON_AddStringToObject(j, "label", c->label);
    return j;
}

static cJSON *detection_json(const hst_detection *d) {
    cJSON *j = cJSON_CreateObject();
    double box[4] = {d->x0, d->y0, d->x1, d->y1};
    cJSON_AddNumberToObject(j, "class", d->class_index);
    if (d->label)
        cJSON_AddStringToObject(j, "label", d->label);
    cJSON_AddNumberToObject(j, "score", d->score);
    cJSON_AddItemToObject(j, "box", cJSON_CreateDoubleArray(box, 4));
    if (d->n_landmarks) {
        cJSON *list = cJSON_AddArrayToObject(j, "landmarks");
        for (int i = 0; i < d->n_landmarks; i++)
            cJSON_AddItemToArray(list, cJSON_CreateDoubleArray(d->landmarks[i], 2));
    }
    return j;
}

static cJSON *answer_json(const chain *c, const char *image) {
    cJSON *j = cJSON_CreateObject();
    const hst_pipeline *p = c->pipeline;
    if (image)
        cJSON_AddStringToObject(j, "image", image);
    if (p && hst_pipeline_task(p) == HST_TASK_CLASSIFY) {
        cJSON *list = cJSON_AddArrayToObject(j, "classes");
        hst_class item;
        for (size_t i = 0; i < hst_pipeline_class_count(p); i++)
            if (hst_pipeline_get_class(p, i, &item, NULL) == HST_OK)
                cJSON_AddItemToArray(list, class_json(&item));
        return j;
    }
    if (p && hst_pipeline_task(p) == HST_TASK_DETECT) {
        cJSON *list = cJSON_AddArrayToObject(j, "detections");
        hst_detection item;
        for (size_t i = 0; i < hst_pipeline_detection_count(p); i++)
            if (hst_pipeline_get_detection(p, i, &item, NULL) == HST_OK)
                cJSON_AddItemToArray(list, detection_json(&item));
        return j;
    }
    cJSON *list = cJSON_AddArrayToObject(j, "outputs");
    for (size_t i = 0; i < c->n_outputs; i++) {
        hst_value_info info;
        const hst_tensor_info *t = hst_tensor_get_info(c->outputs[i]);
        cJSON *item = cJSON_CreateObject(), *dims = cJSON_CreateArray();
        hst_model_get_output(c->model, i, &info, NULL);
        cJSON_AddStringToObject(item, "name", info.name);
        cJSON_AddStringToObject(item, "dtype", hst_dtype_name(t->dtype));
        for (int k = 0; k < t->rank; k++)
            cJSON_AddItemToArray(dims, cJSON_CreateNumber((double)t->dims[k]));
        cJSON_AddItemToObject(item, "shape", dims);
        cJSON_AddItemToArray(list, item);
    }
    return j;
}

static hst_status make_folder(const char *dir, hst_error *err) {
    if (mkdir(dir, 0777) == 0 || errno == EEXIST)
        return HST_OK;
    return text_error(err, HST_E_IO, "'%.500s': %s", dir, strerror(errno));
}

enum { NAME_MAX_BYTES = 200, SEARCH_MAX = 1000 };

/** Output i's name with / and : as _, cut where it is long; false if it stays as it is.
 */
static bool plain_name(const chain *c, size_t i, char out[NAME_MAX_BYTES + 32]) {
    hst_value_info info;
    hst_model_get_output(c->model, i, &info, NULL);
    snprintf(out, NAME_MAX_BYTES + 1, "%s", info.name);
    bool changed = strlen(info.name) > NAME_MAX_BYTES;
    for (char *p = out; *p; p++) {
        changed |= *p == '/' || *p == ':';
        *p = *p == '/' || *p == ':' ? '_' : *p;
    }
    return changed;
}

/** plain_name, with the output's number where another one would get the same. */
static void file_name(const chain *c, size_t i, char out[NAME_MAX_BYTES + 32]) {
    char other[NAME_MAX_BYTES + 32];
    bool many = c->n_outputs > SEARCH_MAX, taken = plain_name(c, i, out) && many;
    for (size_t k = 0; !many && !taken && k < c->n_outputs; k++) {
        plain_name(c, k, other);
        taken = k != i && strcmp(other, out) == 0;
    }
    if (taken)
        snprintf(out + strlen(out), 24, ".%zu", i);
}

/** Each output as DIR/NAME.npy, or DIR/IMAGE/NAME.npy where there are several images. */
static hst_status write_outputs(const chain *c, const cli_args *a, const char *dir,
                                hst_error *err) {
    hst_status st = make_folder(dir, err);
    for (size_t i = 0; !st && i < c->n_outputs; i++) {
        char path[4096], name[NAME_MAX_BYTES + 32];
        file_name(c, i, name);
        snprintf(path, sizeof path, "%.3000s/%s.npy", dir, name);
        st = cli_is_input(a, path)
                 ? text_error(err, HST_E_IO, "'%.3000s' is read: it would be overwritten",
                              path)
                 : hst_tensor_save_npy(c->outputs[i], path, err);
    }
    return st;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/** Images of the same name in different folders get their number behind it. */
static hst_status output_folder(const cli_args *a, int image, char *out, size_t size,
                                hst_error *err) {
    const char *dir = a->text[OPT_OUTPUT_DIR], *name = base_name(a->positional[image]);
    bool taken = false;
    if (a->n_positional <= 2) {
        snprintf(out, size, "%s", dir);
        return HST_OK;
    }
    for (int i = 1; i < image; i++)
        taken |= strcmp(base_name(a->positional[i]), name) == 0;
    int n = snprintf(out, size, "%.2000s/%.500s", dir, name);
    if (taken)
        snprintf(out + n, size - (size_t)n, ".%d", image);
    return make_folder(dir, err);
}

/** Positional argument `image`, 0 for none. */
static hst_status answer_one(chain *c, const cli_args *a, int image, cJSON *list,
                             hst_error *err) {
    char folder[4096];
    const char *shown = image ? a->shown[image] : NULL;
    hst_status st = chain_load(c, image ? a->positional[image] : NULL, NULL, err);
    if (!st)
        st = chain_infer(c, NULL, err);
    if (!st)
        st = chain_finish(c, NULL, err);
    if (!st && cli_given(a, OPT_OUTPUT_DIR)) {
        st = output_folder(a, image, folder, sizeof folder, err);
        if (!st)
            st = write_outputs(c, a, folder, err);
    }
    if (!st && cli_given(a, OPT_DRAW))
        st = hst_pipeline_draw(c->pipeline, a->text[OPT_DRAW], err);
    if (st)
        return st;
    if (list) {
        cJSON_AddItemToArray(list, answer_json(c, shown));
        return HST_OK;
    }
    if (shown)
        printf("%s\n", shown);
    if (c->pipeline && hst_pipeline_task(c->pipeline) == HST_TASK_CLASSIFY)
        print_classes(c->pipeline);
    else if (c->pipeline && hst_pipeline_task(c->pipeline) == HST_TASK_DETECT)
        print_detections(c->pipeline);
    else
        print_tensors(c);
    return HST_OK;
}

/** A picture that cannot be read is reported and does not stop the rest. */
static int answer_all(chain *c, cli_args *a, cJSON *list) {
    int failed = 0;
    hst_error err;
    if (a->n_positional == 1) {
        err = (hst_error){0};
        return answer_one(c, a, 0, list, &err) ? cli_fail(a, &err) : EXIT_DONE;
    }
    for (int i = 1; i < a->n_positional; i++) {
        err = (hst_error){0};
        if (answer_one(c, a, i, list, &err)) {
            cli_fail(a, &err);
            failed++;
        }
    }
    return failed ? EXIT_FAILED : EXIT_DONE;
}

int cli_run_run(cli_args *args) {
    chain c;
    hst_error err = {0};
    if (cli_given(args, OPT_DRAW) && args->n_positional != 2)
        return cli_usage(args->command, "--draw goes with exactly one IMAGE");
    if (chain_open(&c, args, &err)) {
        chain_close(&c);
        return cli_fail(args, &err);
    }
    if (c.source == SOURCE_RANDOM && c.n_inputs > 0) {
        chain_close(&c);
        return cli_usage(args->command, "an IMAGE or --input NAME=FILE is missing");
    }
    if (cli_given(args, OPT_DRAW) && hst_pipeline_task(c.pipeline) == HST_TASK_RAW) {
        chain_close(&c);
        return cli_usage(args->command, "--draw has no effect: the answer is tensors");
    }
    if (c.pipeline && hst_pipeline_note(c.pipeline))
        fprintf(stderr, "note: %s (%s)\n", hst_pipeline_note(c.pipeline),
                hst_pipeline_describe(c.pipeline));
    cJSON *list = cli_given(args, OPT_JSON) ? cJSON_CreateArray() : NULL;
    int status = answer_all(&c, args, list);
    if (list)
        text_json_print(list);
    chain_close(&c);
    return status;
}
