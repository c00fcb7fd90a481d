/* Runs ONNX's backend node tests and compares outputs.
 *
 * usage: node_tests [--cpu LEVEL] [--threads N] [--exact] [--filter TEXT]
 * [--list-skipped]
 *                   [--skip FILE] [--quantum] DIR...
 * Each DIR holds test_NAME/model.onnx and test_NAME/test_data_set_K/{input,output}_I.pb.
 * A test is skipped when it is named in FILE (name or prefix*, tab, reason) or when the
 * model needs what the project does not claim: operators outside the list below, opsets
 * above 23, element types that are not numbers. Everything else must pass. */
#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hasten/hasten.h"
#include "tensor/half.h"

/** The operators that every model may use. */
static const char *const claimed[] = {"Conv",
                                      "ConvTranspose",
                                      "BatchNormalization",
                                      "Gemm",
                                      "MatMul",
                                      "Relu",
                                      "LeakyRelu",
                                      "PRelu",
                                      "Elu",
                                      "Clip",
                                      "Sigmoid",
                                      "HardSigmoid",
                                      "HardSwish",
                                      "Tanh",
                                      "Softmax",
                                      "LogSoftmax",
                                      "Add",
                                      "Sub",
                                      "Mul",
                                      "Div",
                                      "Pow",
                                      "Sqrt",
                                      "Exp",
                                      "Log",
                                      "Reciprocal",
                                      "Neg",
                                      "Abs",
                                      "Floor",
                                      "Ceil",
                                      "Min",
                                      "Max",
                                      "MaxPool",
                                      "AveragePool",
                                      "GlobalAveragePool",
                                      "GlobalMaxPool",
                                      "ReduceMean",
                                      "ReduceSum",
                                      "ReduceMax",
                                      "Concat",
                                      "Split",
                                      "Slice",
                                      "Reshape",
                                      "Flatten",
                                      "Transpose",
                                      "Squeeze",
                                      "Unsqueeze",
                                      "Pad",
                                      "Resize",
                                      "Upsample",
                                      "Gather",
                                      "Shape",
                                      "Cast",
                                      "Constant",
                                      "ConstantOfShape",
                                      "Identity",
                                      "Dropout",
                                      "Expand",
                                      "Range",
                                      "ArgMax",
                                      "DepthToSpace",
                                      "SpaceToDepth",
                                      "Tile",
                                      "LRN",
                                      "LayerNormalization",
                                      "InstanceNormalization",
                                      "GroupNormalization",
                                      "Erf",
                                      "Gelu",
                                      "Softplus",
                                      "Mish",
                                      "Where",
                                      "Equal",
                                      "Less",
                                      "Greater",
                                      "And",
                                      "Or",
                                      "Not",
                                      "OneHot",
                                      "NonZero",
                                      "Einsum",
                                      "QuantizeLinear",
                                      "DequantizeLinear",
                                      "DynamicQuantizeLinear",
                                      "QLinearConv",
                                      "QLinearMatMul",
                                      "MatMulInteger",
                                      "ConvInteger",
                                      "CumSum",
                                      "GatherElements",
                                      "GatherND",
                                      "GRU",
                                      "GridSample",
                                      "LSTM",
                                      "NonMaxSuppression",
                                      "ScatterElements",
                                      "ScatterND",
                                      "TopK",
                                      "Trilu"};

typedef struct options {
    hst_cpu_level cpu;
    int threads, exact, list_skipped;
    const char *filter, *skip_file;
} options;

typedef struct counts {
    int passed, failed, skipped;
} counts;

enum { TENSORS_MAX = 64, TEXT = 4096 };

static bool is_claimed(const char *op, size_t n) {
    for (size_t i = 0; i < sizeof claimed / sizeof *claimed; i++)
        if (strlen(claimed[i]) == n && strncmp(claimed[i], op, n) == 0)
            return true;
    return false;
}

/** True when a refusal is about something that is not claimed. */
static bool excused(const hst_error *err) {
    const char *m = err->message;
    if (err->status != HST_E_UNSUPPORTED)
        return false;
    if (strstr(m, "element type") || strstr(m, "not a tensor") || strstr(m, "sequence") ||
        strstr(m, "training") || strstr(m, "optional value") ||
        (strstr(m, "opset") && strstr(m, "7 to ")))
        return true;
    bool any = false;
    for (const char *line = m; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *quote = strstr(line, " '"),
                   *why = strstr(line, "operator is not supported");
        if (!quote || !why)
            continue;
        const char *op = line;
        for (const char *p = line; p < quote; p++)
            if (p[0] == ':' && p[1] == ' ')
                op = p + 2;
        any |= !is_claimed(op, (size_t)(quote - op));
    }
    return any;
}

static bool listed(const options *o, const char *name, char *reason) {
    char line[512];
    FILE *f = o->skip_file ? fopen(o->skip_file, "re") : NULL;
    bool found = false;
    while (f && !found && fgets(line, sizeof line, f)) {
        char *tab = strchr(line, '\t');
        if (line[0] == '#' || !tab)
            continue;
        *tab = 0;
        size_t n = strlen(line);
        found = n && line[n - 1] == '*' ? strncmp(line, name, n - 1) == 0
                                        : strcmp(line, name) == 0;
        if (found)
            snprintf(reason, TEXT, "%.400s", strtok(tab + 1, "\n"));
    }
    if (f)
        fclose(f);
    return found;
}

static double element(const hst_tensor *t, size_t i) {
    const void *p = hst_tensor_const_data(t);
    switch (hst_tensor_get_info(t)->dtype) {
    case HST_DTYPE_F32:
        return (double)((const float *)p)[i];
    case HST_DTYPE_F64:
        return ((const double *)p)[i];
    case HST_DTYPE_F16:
        return (double)hst__f16_to_f32(((const uint16_t *)p)[i]);
    case HST_DTYPE_BF16:
        return (double)hst__bf16_to_f32(((const uint16_t *)p)[i]);
    case HST_DTYPE_S64:
        return (double)((const int64_t *)p)[i];
    case HST_DTYPE_U64:
        return (double)((const uint64_t *)p)[i];
    case HST_DTYPE_S32:
        return ((const int32_t *)p)[i];
    case HST_DTYPE_U32:
        return ((const uint32_t *)p)[i];
    case HST_DTYPE_S16:
        return ((const int16_t *)p)[i];
    case HST_DTYPE_U16:
        return ((const uint16_t *)p)[i];
    case HST_DTYPE_S8:
        return ((const int8_t *)p)[i];
    default:
        return ((const uint8_t *)p)[i];
    }
}

/** The tolerances of ONNX's own runner; half floats carry fewer digits. */
static int quantum; /**< steps that 8-bit results may be off */

static bool compare(const hst_tensor *got, const hst_tensor *want, int index, char *why) {
    const hst_tensor_info *g = hst_tensor_get_info(got), *w = hst_tensor_get_info(want);
    double rtol = w->dtype == HST_DTYPE_BF16 ? 1e-2 : 1e-3, atol = 1e-7;
    if (w->dtype == HST_DTYPE_F16)
        atol = 1e-3;
    if (w->dtype == HST_DTYPE_U8 || w->dtype == HST_DTYPE_S8)
        atol = quantum;
    if (g->dtype != w->dtype || g->rank != w->rank ||
        memcmp(g->dims, w->dims, (size_t)g->rank * sizeof g->dims[0]) != 0) {
        snprintf(why, TEXT,
                 "output %d: type or shape: %s of rank %d, wanted %s of rank %d", index,
                 hst_dtype_name(g->dtype), g->rank, hst_dtype_name(w->dtype), w->rank);
        return false;
    }
    for (size_t i = 0; i < hst_tensor_count(want); i++) {
        double a = element(got, i), b = element(want, i);
        if (a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= atol + rtol * fabs(b))
            continue;
        snprintf(why, TEXT, "output %d, element %zu: %.9g, wanted %.9g", index, i, a, b);
        return false;
    }
    return true;
}

static int load_all(const char *folder, const char *kind, hst_tensor **list,
                    hst_error *err) {
    char path[TEXT + 64];
    int n = 0;
    for (; n < TENSORS_MAX; n++) {
        snprintf(path, sizeof path, "%s/%s_%d.pb", folder, kind, n);
        if (access(path, R_OK) != 0)
            return n;
        if (hst_tensor_load_file(path, &list[n], err))
            return -1;
    }
    return n;
}

typedef enum verdict { PASSED, FAILED, SKIPPED } verdict;

static verdict run_set(hst_session *s, const char *folder, char *why) {
    hst_tensor *in[TENSORS_MAX] = {0}, *out[TENSORS_MAX] = {0};
    hst_error err = {0};
    verdict v = PASSED;
    int n_in = load_all(folder, "input", in, &err);
    int n_out = n_in < 0 ? -1 : load_all(folder, "output", out, &err);
    if (n_in < 0 || n_out < 0) {
        v = excused(&err) ? SKIPPED : FAILED;
        snprintf(why, TEXT, "%.600s", err.message);
    } else if (hst_session_run(s, (const hst_tensor *const *)in, (size_t)n_in, &err)) {
        v = excused(&err) ? SKIPPED : FAILED;
        snprintf(why, TEXT, "%.600s", err.message);
    }
    for (int i = 0; v == PASSED && i < n_out; i++)
        if (!compare(hst_session_output(s, (size_t)i), out[i], i, why))
            v = FAILED;
    for (int i = 0; i < TENSORS_MAX; i++) {
        hst_tensor_destroy(in[i]);
        hst_tensor_destroy(out[i]);
    }
    return v;
}

static verdict run_test(const options *o, const char *folder, char *why) {
    char path[TEXT + 64];
    hst_model *model = NULL;
    hst_session *session = NULL;
    hst_session_options so;
    hst_error err = {0};
    verdict v = PASSED;
    hst_session_options_init(&so);
    so.cpu = o->cpu;
    so.threads = o->threads;
    so.exact = o->exact;
    snprintf(path, sizeof path, "%s/model.onnx", folder);
    if (hst_model_load_file(path, &model, &err) ||
        hst_session_create(model, &so, &session, &err)) {
        v = excused(&err) ? SKIPPED : FAILED;
        snprintf(why, TEXT, "%.600s", err.message);
    }
    for (int k = 0; v == PASSED; k++) {
        snprintf(path, sizeof path, "%s/test_data_set_%d", folder, k);
        if (access(path, R_OK) != 0)
            break;
        v = run_set(session, path, why);
    }
    hst_session_destroy(session);
    hst_model_destroy(model);
    return v;
}

static int is_test(const struct dirent *d) { return strncmp(d->d_name, "test_", 5) == 0; }

static void run_dir(const options *o, const char *dir, counts *c) {
    struct dirent **list = NULL;
    int n = scandir(dir, &list, is_test, alphasort);
    if (n < 0)
        fprintf(stderr, "%s: no such folder\n", dir);
    for (int i = 0; i < n; i++) {
        const char *name = list[i]->d_name;
        char folder[TEXT], why[TEXT] = "";
        verdict v = SKIPPED;
        snprintf(folder, sizeof folder, "%.3000s/%s", dir, name);
        bool wanted = !o->filter || strstr(name, o->filter);
        if (wanted && !listed(o, name, why))
            v = run_test(o, folder, why);
        why[strcspn(why, "\n")] = v == FAILED ? why[strcspn(why, "\n")] : 0;
        if (wanted && v == FAILED)
            printf("FAILED  %s: %s\n", name, why);
        if (wanted && v == SKIPPED && o->list_skipped)
            printf("skipped %s: %s\n", name, why);
        if (wanted) {
            c->passed += v == PASSED;
            c->failed += v == FAILED;
            c->skipped += v == SKIPPED;
        }
        fflush(stdout);
        free(list[i]);
    }
    free(list);
}

int main(int argc, char **argv) {
    options o = {.threads = 1};
    counts c = {0};
    hst_error err;
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--exact") == 0)
            o.exact = 1;
        else if (strcmp(argv[i], "--list-skipped") == 0)
            o.list_skipped = 1;
        else if (strcmp(argv[i], "--quantum") == 0)
            quantum = 1;
        else if (strcmp(argv[i], "--cpu") == 0 &&
                 hst_cpu_parse(value, &o.cpu, &err) == HST_OK)
            i++;
        else if (strcmp(argv[i], "--threads") == 0 && (o.threads = atoi(value)) > 0)
            i++;
        else if (strcmp(argv[i], "--filter") == 0 && *value)
            o.filter = argv[++i];
        else if (strcmp(argv[i], "--skip") == 0 && *value)
            o.skip_file = argv[++i];
        else
            i = argc;
    }
    if (i >= argc) {
        fprintf(stderr,
                "usage: node_tests [--cpu LEVEL] [--threads N] [--exact] [--filter "
                "TEXT] [--list-skipped] [--skip FILE] DIR...\n");
        return 2;
    }
    for (; i < argc; i++)
        run_dir(&o, argv[i], &c);
    printf("%d passed, %d failed, %d skipped\n", c.passed, c.failed, c.skipped);
    return c.failed > 0 || c.passed == 0;
}
