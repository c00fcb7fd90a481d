/* Every allocation fails once: load, plan, session and run give HST_E_NOMEM, or the right
 * answer where they can do without (removing dead nodes), leak nothing (the address
 * sanitizer watches) and work again afterwards. */
#include "base/memory.h"
#include "hasten/session.h"
#include "support/test.h"

static size_t calls, failing; /* failing: number of the call that fails, 0 for none */

static bool hook(size_t bytes, void *user) {
    (void)bytes;
    (void)user;
    return ++calls != failing;
}

static hst_status attempt(const hst_tensor *in, float *logits, hst_error *err) {
    hst_model *m = NULL;
    hst_session *s = NULL;
    hst_session_options options;
    hst_session_options_init(&options);
    options.threads = 2;
    hst_status st =
        hst_model_load_file(HASTEN_SOURCE_DIR "/models/strip/strip.onnx", &m, err);
    if (!st)
        st = hst_session_create(m, &options, &s, err);
    if (!st)
        st = hst_session_run(s, &in, 1, err);
    if (!st)
        memcpy(logits, hst_tensor_const_data(hst_session_output(s, 0)), 6 * sizeof *logits);
    hst_session_destroy(s);
    hst_model_destroy(m);
    return st;
}

static void every_allocation_fails_once(void **state) {
    (void)state;
    const hst_tensor_info info = {HST_DTYPE_F32, 4, {1, 3, 224, 224}};
    hst_tensor *input;
    hst_error err;
    float want[6], got[6];
    assert_ok(hst_tensor_create(&info, &input, &err), &err);
    for (size_t i = 0; i < hst_tensor_count(input); i++)
        ((float *)hst_tensor_data(input))[i] = (float)(i % 17) / 17.0f;
    hst__alloc_set_hook(hook, NULL);
    assert_ok(attempt(input, want, &err), &err);
    size_t total = calls;
    assert_true(total > 20);
    for (failing = 1; failing <= total; failing++) {
        calls = 0;
        hst_status st = attempt(input, got, &err);
        bool did_without = st == HST_OK && memcmp(got, want, sizeof want) == 0;
        if (st != HST_E_NOMEM && !did_without)
            fail_msg("allocation %zu of %zu failed, status %d: %s", failing, total, st,
                     st ? err.message : "");
    }
    failing = 0;
    assert_ok(attempt(input, got, &err), &err);
    assert_memory_equal(got, want, sizeof want);
    hst__alloc_set_hook(NULL, NULL);
    hst_tensor_destroy(input);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_fails_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
