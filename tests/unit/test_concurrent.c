/* One model, eight threads, eight sessions: right answers; also under the thread
 * sanitizer. */
#include <pthread.h>
#include <stdlib.h>

#include "hasten/session.h"
#include "support/test.h"

enum { THREADS = 8, RUNS = 6 };

static hst_model *model;

/** Input number k: different for each thread. */
static hst_tensor *make_input(int k) {
    const hst_tensor_info info = {HST_DTYPE_F32, 4, {1, 3, 224, 224}};
    hst_tensor *t;
    if (hst_tensor_create(&info, &t, NULL))
        return NULL;
    float *x = hst_tensor_data(t);
    for (size_t i = 0; i < hst_tensor_count(t); i++)
        x[i] = (float)((i + 977 * (size_t)k) * 2654435761u % 1000) / 500.0f - 1.0f;
    return t;
}

typedef struct job {
    int k, threads;
    float logits[RUNS][6];
    hst_error err;
    int failed;
} job;

static void *work(void *arg) {
    job *j = arg;
    hst_session *s = NULL;
    hst_tensor *input = make_input(j->k);
    const hst_tensor *in = input;
    hst_session_options options;
    hst_session_options_init(&options);
    options.threads = j->threads;
    j->failed = !input || hst_session_create(model, &options, &s, &j->err);
    for (int r = 0; !j->failed && r < RUNS; r++) {
        j->failed = hst_session_run(s, &in, 1, &j->err) != HST_OK;
        if (!j->failed)
            memcpy(j->logits[r], hst_tensor_const_data(hst_session_output(s, 0)),
                   sizeof j->logits[r]);
    }
    hst_session_destroy(s);
    hst_tensor_destroy(input);
    return NULL;
}

static void eight_sessions(void **state) {
    (void)state;
    hst_error err;
    pthread_t threads[THREADS];
    static job jobs[THREADS], alone[THREADS];
    assert_ok(hst_model_load_file(HASTEN_SOURCE_DIR "/models/strip/strip.onnx", &model, &err),
              &err);
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (job){.k = i, .threads = 1 + i % 3};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        alone[i] = (job){.k = i, .threads = 1};
        work(&alone[i]);
        if (jobs[i].failed || alone[i].failed)
            fail_msg("%s%s", jobs[i].err.message, alone[i].err.message);
        for (int r = 0; r < RUNS; r++)
            assert_memory_equal(jobs[i].logits[r], alone[i].logits[0],
                                sizeof alone[i].logits[0]);
        for (int k = 0; k < i; k++) /* different inputs have different answers */
            assert_memory_not_equal(alone[k].logits[0], alone[i].logits[0],
                                    sizeof alone[i].logits[0]);
    }
    hst_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(eight_sessions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
