/* Every allocation fails once: load, plan, session and run give HST_E_NOMEM, or the right
 * answer where they can do without (removing dead nodes), leak nothing (the address
 * sanitizer watches) and work again afterwards. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "hasten/session.h"
#include "support/test.h"

static size_t calls, failing; /* failing: number of the call that fails, 0 for none */

static bool hook(size_t bytes, void *user) {
    (void)bytes;
    (void)user;
    return ++calls != failing;
}

typedef struct setup {
    const char *path;
    hst_tensor *input;
    size_t bytes;       /**< of the output */
    const char *folder; /**< where the plan is kept and found; NULL */
} setup;

enum { OUTPUT_MAX = 64 };

static hst_status attempt(const setup *p, void *output, hst_error *err) {
    hst_model *m = NULL;
    hst_session *s = NULL;
    hst_session_options options;
    const hst_tensor *in = p->input;
    const hst_input_shape whole = {.name = "image", .rank = 4, .dims = {1, 3, 224, 224}};
    hst_session_options_init(&options);
    options.threads = 2;
    options.plan_folder = p->folder;
    options.shapes = p->folder ? &whole : NULL;
    options.n_shapes = p->folder ? 1 : 0;
    hst_status st = hst_model_load_file(p->path, &m, err);
    if (!st)
        st = hst_session_create(m, &options, &s, err);
    if (!st && p->folder)
        st = hst_session_store_plan(s, p->folder, NULL, err);
    if (!st)
        st = hst_session_run(s, &in, 1, err);
    if (!st) {
        const hst_tensor *t = hst_session_output(s, 0);
        assert_int_equal(hst_tensor_count(t) * sizeof(float), p->bytes);
        memcpy(output, hst_tensor_const_data(t), p->bytes);
    }
    hst_session_destroy(s);
    hst_model_destroy(m);
    return st;
}

static void fail_each(const setup *p) {
    char want[OUTPUT_MAX], got[OUTPUT_MAX];
    hst_error err;
    calls = 0;
    hst__alloc_set_hook(hook, NULL);
    assert_ok(attempt(p, want, &err), &err);
    size_t total = calls;
    assert_true(total > 20);
    for (failing = 1; failing <= total; failing++) {
        calls = 0;
        hst_status st = attempt(p, got, &err);
        bool did_without = st == HST_OK && memcmp(got, want, p->bytes) == 0;
        if (st != HST_E_NOMEM && !did_without)
            fail_msg("allocation %zu of %zu failed, status %d: %s", failing, total, st,
                     st ? err.message : "");
    }
    failing = 0;
    assert_ok(attempt(p, got, &err), &err);
    assert_memory_equal(got, want, p->bytes);
    hst__alloc_set_hook(NULL, NULL);
}

static void every_allocation_fails_once(const char *path, const hst_tensor_info *info,
                                        size_t bytes, const char *folder) {
    setup p = {.path = path, .bytes = bytes, .folder = folder};
    hst_error err;
    assert_ok(hst_tensor_create(info, &p.input, &err), &err);
    for (size_t i = 0; i < hst_tensor_count(p.input); i++)
        ((float *)hst_tensor_data(p.input))[i] = (float)(i % 17) / 4;
    fail_each(&p);
    hst_tensor_destroy(p.input);
}

static void planned(void **state) {
    (void)state;
    every_allocation_fails_once(HASTEN_SOURCE_DIR "/models/strip/strip.onnx",
                                &(hst_tensor_info){HST_DTYPE_F32, 4, {1, 3, 224, 224}},
                                6 * sizeof(float), NULL);
}

/** Its packed weights are found in a folder, and put there again. */
static void stored(void **state) {
    char folder[] = "/tmp/hasten-alloc-XXXXXX", command[100];
    (void)state;
    assert_non_null(mkdtemp(folder));
    every_allocation_fails_once(HASTEN_SOURCE_DIR "/models/strip/strip.onnx",
                                &(hst_tensor_info){HST_DTYPE_F32, 4, {1, 3, 224, 224}},
                                6 * sizeof(float), folder);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

/** The shape of the output depends on data. */
static void cut(void **state) {
    (void)state;
    every_allocation_fails_once(HASTEN_SOURCE_DIR "/tests/golden/runner/data_tail.onnx",
                                &(hst_tensor_info){HST_DTYPE_F32, 2, {4, 6}},
                                4 * sizeof(float), NULL); /* that many are above 3 */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(planned),
                                       cmocka_unit_test(stored), cmocka_unit_test(cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
