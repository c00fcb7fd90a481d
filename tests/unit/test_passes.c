/* What the passes make of small graphs: the steps that are wanted, and the numbers of the
 * graph run as it stands in the file. tools/golden/passes.py writes the graphs. */
#include <dirent.h>
#include <stdlib.h>

#include "hasten/session.h"
#include "support/test.h"

#define FOLDER HASTEN_SOURCE_DIR "/tests/golden/passes"

static hst_tensor *random_input(const hst_model *model) {
    hst_value_info info;
    hst_tensor *t;
    uint64_t seed = 99;
    hst_error err;
    assert_ok(hst_model_get_input(model, 0, &info, &err), &err);
    assert_ok(hst_tensor_create(&info.tensor, &t, &err), &err);
    float *x = hst_tensor_data(t);
    for (size_t i = 0; i < hst_tensor_count(t); i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = (float)(seed >> 40) / 8388608.0f - 1.0f;
    }
    return t;
}

/** Steps that are no views, one a line. */
static void list_steps(const hst_session *s, char *out, size_t size) {
    hst_session_info info;
    hst_error err;
    size_t at = 0;
    hst_session_get_info(s, &info);
    out[0] = 0;
    for (size_t i = 0; i < info.steps; i++) {
        hst_step_info step;
        assert_ok(hst_session_get_step(s, i, &step, &err), &err);
        if (!step.view)
            at += (size_t)snprintf(out + at, size - at, "%s%s%s\n", step.op,
                                   step.fused[0] ? "+" : "", step.fused);
    }
}

static void read_text(const char *path, char *out, size_t size) {
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    out[fread(out, 1, size - 1, f)] = 0;
    fclose(f);
}

static hst_session *run(hst_model *model, const hst_tensor *input, int exact, int threads,
                        hst_cpu_level cpu) {
    hst_session_options o;
    hst_session *s;
    hst_error err;
    hst_session_options_init(&o);
    o.exact = exact;
    o.threads = threads;
    o.cpu = cpu;
    assert_ok(hst_session_create(model, &o, &s, &err), &err);
    assert_ok(hst_session_run(s, &input, 1, &err), &err);
    return s;
}

static void compare(const char *name, const hst_session *a, const hst_session *b,
                    size_t outputs, double tolerance) {
    for (size_t i = 0; i < outputs; i++) {
        const hst_tensor *x = hst_session_output(a, i), *y = hst_session_output(b, i);
        assert_int_equal(hst_tensor_bytes(x), hst_tensor_bytes(y));
        const float *p = hst_tensor_const_data(x), *q = hst_tensor_const_data(y);
        for (size_t k = 0; k < hst_tensor_count(x); k++)
            if (!(fabs((double)p[k] - (double)q[k]) <=
                  tolerance * (1 + fabs((double)q[k]))))
                fail_msg("%s: output %zu, element %zu: %g, wanted %g", name, i, k,
                         (double)p[k], (double)q[k]);
    }
}

static void check_case(const char *name) {
    char path[1024], want[4096], got[4096];
    hst_model *model;
    hst_model_info info;
    hst_error err;
    snprintf(path, sizeof path, FOLDER "/%s.onnx", name);
    assert_ok(hst_model_load_file(path, &model, &err), &err);
    hst_model_get_info(model, &info);
    snprintf(path, sizeof path, FOLDER "/%s.steps", name);
    read_text(path, want, sizeof want);
    hst_tensor *input = random_input(model);
    hst_session *plain = run(model, input, 1, 1, HST_CPU_REF);
    hst_session *fused = run(model, input, 0, 1, HST_CPU_AUTO);
    hst_session *reference = run(model, input, 0, 1, HST_CPU_REF);
    hst_session *three = run(model, input, 0, 3, HST_CPU_AUTO);
    list_steps(fused, got, sizeof got);
    if (strcmp(got, want) != 0)
        fail_msg("%s: steps are\n%swanted are\n%s", name, got, want);
    compare(name, fused, plain, info.outputs, 2e-5);
    compare(name, reference, plain, info.outputs, 2e-5);
    compare(name, three, fused, info.outputs, 0); /* the same bits */
    hst_session_destroy(plain);
    hst_session_destroy(fused);
    hst_session_destroy(reference);
    hst_session_destroy(three);
    hst_tensor_destroy(input);
    hst_model_destroy(model);
}

static int is_model(const struct dirent *d) { return strstr(d->d_name, ".onnx") != NULL; }

static void all_cases(void **state) {
    (void)state;
    struct dirent **list;
    int n = scandir(FOLDER, &list, is_model, alphasort);
    assert_in_range(n, 20, 1000);
    for (int i = 0; i < n; i++) {
        *strstr(list[i]->d_name, ".onnx") = 0;
        check_case(list[i]->d_name);
        free(list[i]);
    }
    free(list);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
