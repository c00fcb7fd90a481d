/* Any bytes as a model, as far as it goes: load, plan, one run on zeros. */
#include "fuzz/fuzz.h"
#include "hasten/session.h"
#include "support/input.h"

enum { INPUTS_MAX = 8, INPUT_BYTES_MAX = 1 << 20, ARENA_MAX = 64 << 20 };

static void run(const hst_model *model, hst_session *session) {
    hst_tensor *inputs[INPUTS_MAX];
    hst_model_info info;
    hst_session_info plan;
    hst_error err;
    size_t n = 0;
    hst_model_get_info(model, &info);
    hst_session_get_info(session, &plan);
    if (info.inputs > INPUTS_MAX || plan.macs > 1e7 || plan.arena_bytes > ARENA_MAX)
        return;
    while (n < info.inputs && (inputs[n] = zero_input(model, n, 0, INPUT_BYTES_MAX)))
        n++;
    if (n == info.inputs)
        (void)hst_session_run(session, (const hst_tensor *const *)inputs, n, &err);
    while (n > 0)
        hst_tensor_destroy(inputs[--n]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hst_model *model;
    hst_session *session;
    hst_session_options options;
    hst_error err;
    if (hst_model_load_memory(data, size, &model, &err))
        return 0;
    hst_session_options_init(&options);
    options.threads = 1;
    if (!hst_session_create(model, &options, &session, &err)) {
        run(model, session);
        hst_session_destroy(session);
    }
    hst_model_destroy(model);
    return 0;
}
