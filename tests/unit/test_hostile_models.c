/* Models that ask for more time or memory than there is, or lack what must be there: each
 * is refused at once, with the node, before memory is taken; what is only strange is not.
 * Those in tests/golden/hostile are written by tools/golden/hostile_models.py. */
#include <dirent.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "hasten/hasten.h"
#include "support/test.h"

#define FOLDER HASTEN_SOURCE_DIR "/tests/golden/hostile"

enum { MODELS_MIN = 30, SECONDS_MAX = 10, BYTES_MAX = 64 << 20 };

static bool count(size_t bytes, void *user) {
    *(size_t *)user += bytes;
    return true;
}

/** The two lines of NAME.txt: a status without "HST_E_", and a part of the message. */
static void read_wanted(const char *name, char status[64], char text[200]) {
    char path[512];
    snprintf(path, sizeof path, "%s/%.*s.txt", FOLDER, (int)strlen(name) - 5, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(status, 64, f));
    assert_non_null(fgets(text, 200, f));
    fclose(f);
    status[strcspn(status, "\n")] = 0;
    text[strcspn(text, "\n")] = 0;
}

static hst_status status_of(const char *name) {
    static const struct {
        const char *name;
        hst_status status;
    } list[] = {{"OK", HST_OK},
                {"LIMIT", HST_E_LIMIT},
                {"FORMAT", HST_E_FORMAT},
                {"SHAPE", HST_E_SHAPE},
                {"TYPE", HST_E_TYPE}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strcmp(name, list[i].name) == 0)
            return list[i].status;
    fail_msg("there is no status %s", name);
    return HST_OK;
}

static hst_status create(const char *path, double seconds_max, hst_error *err) {
    hst_model *model = NULL;
    hst_session *session = NULL;
    hst_session_options o;
    hst_session_options_init(&o);
    o.threads = 2;
    o.seconds_max = seconds_max;
    hst_status st = hst_model_load_file(path, &model, err);
    if (!st)
        st = hst_session_create(model, &o, &session, err);
    hst_session_destroy(session);
    hst_model_destroy(model);
    return st;
}

static void refuse(const char *name) {
    char path[512], status[64], text[200];
    size_t bytes = 0;
    hst_error err = {0};
    read_wanted(name, status, text);
    snprintf(path, sizeof path, "%s/%s", FOLDER, name);
    uint64_t start = hst__clock_ns();
    hst__alloc_set_hook(count, &bytes);
    hst_status st = create(path, 0, &err);
    hst__alloc_set_hook(NULL, NULL);
    double took = (double)(hst__clock_ns() - start) / 1e9;
    if (st != status_of(status) || !strstr(err.message, text))
        fail_msg("%s: status %d: %s", name, st, err.message);
    if (took > SECONDS_MAX || bytes > BYTES_MAX)
        fail_msg("%s: %.1f s, %zu bytes", name, took, bytes);
}

static void refused_with_reason(void **state) {
    (void)state;
    int n = 0;
    DIR *dir = opendir(FOLDER);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));)
        if (strlen(e->d_name) > 5 && strstr(e->d_name, ".onnx")) {
            refuse(e->d_name);
            n++;
        }
    closedir(dir);
    assert_true(n >= MODELS_MIN);
}

/** The same plan, shared by sessions, is judged by each session's own bound. */
static void bound_of_the_caller(void **state) {
    (void)state;
    const char *path = HASTEN_SOURCE_DIR "/models/strip/strip.onnx";
    const int64_t one[4] = {1, 3, 224, 224};
    hst_input_shape shape = {.name = "image", .rank = 4};
    hst_model *model;
    hst_error err;
    memcpy(shape.dims, one, sizeof one);
    assert_ok(hst_model_load_file(path, &model, &err), &err);
    static const struct {
        double bound;
        hst_status wanted;
    } cases[] = {{0, HST_OK},         {1e-6, HST_E_LIMIT}, {100, HST_OK},
                 {1e-6, HST_E_LIMIT}, {-1, HST_E_ARG},     {NAN, HST_E_ARG},
                 {INFINITY, HST_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hst_session *session = NULL;
        hst_session_options o;
        hst_session_options_init(&o);
        o.threads = 1;
        o.seconds_max = cases[i].bound;
        o.shapes = &shape;
        o.n_shapes = 1;
        hst_status st = hst_session_create(model, &o, &session, &err);
        if (st != cases[i].wanted)
            fail_msg("bound %g: status %d: %s", cases[i].bound, st,
                     st ? err.message : "");
        if (st == HST_E_LIMIT)
            assert_non_null(strstr(err.message, "at most 1e-06 s are accepted"));
        hst_session_destroy(session);
    }
    hst_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_with_reason),
        cmocka_unit_test(bound_of_the_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
