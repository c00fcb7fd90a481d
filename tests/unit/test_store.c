/* Packed weights kept in a file: the same bits from it as without, and whatever does not
 * fit or is damaged is as if it were not there. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hasten/session.h"
#include "support/test.h"

#define MODEL HASTEN_SOURCE_DIR "/models/strip/strip.onnx"

enum { CLASSES = 6, PATH = 600 };

static char folder[] = "/tmp/hasten-store-XXXXXX";

typedef struct bytes {
    char *data;
    size_t size;
} bytes;

static bytes read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    bytes b = {.size = (size_t)ftell(f)};
    b.data = malloc(b.size + 1);
    rewind(f);
    assert_int_equal(fread(b.data, 1, b.size, f), b.size);
    fclose(f);
    return b;
}

static void write_file(const char *path, const char *data, size_t size) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/** Plans and runs; returns whether the plan was found. With `out`, keeps the plan there.
 */
static int run(const char *path, const char *from, int threads, int64_t batch,
               float logits[CLASSES], hst_stored_plan *out) {
    const hst_tensor_info shape = {HST_DTYPE_F32, 4, {batch, 3, 224, 224}};
    hst_input_shape given = {.name = "image", .rank = 4, .dims = {batch, 3, 224, 224}};
    hst_session_options o;
    hst_session_info info;
    hst_model *model;
    hst_session *session;
    hst_tensor *x;
    hst_error err;
    hst_session_options_init(&o);
    o.threads = threads;
    o.plan_folder = from;
    o.shapes = &given;
    o.n_shapes = 1;
    assert_ok(hst_tensor_create(&shape, &x, &err), &err);
    for (size_t i = 0; i < hst_tensor_count(x); i++)
        ((float *)hst_tensor_data(x))[i] = (float)(i * 37 % 101) / 50 - 1;
    assert_ok(hst_model_load_file(path, &model, &err), &err);
    assert_ok(hst_session_create(model, &o, &session, &err), &err);
    if (out)
        assert_ok(hst_session_store_plan(session, folder, out, &err), &err);
    const hst_tensor *in = x;
    assert_ok(hst_session_run(session, &in, 1, &err), &err);
    memcpy(logits, hst_tensor_const_data(hst_session_output(session, 0)),
           CLASSES * sizeof *logits);
    hst_session_get_info(session, &info);
    hst_session_destroy(session);
    hst_model_destroy(model);
    hst_tensor_destroy(x);
    return info.stored;
}

static float want[CLASSES];
static hst_stored_plan kept;

static void expect(const char *path, int threads, int stored) {
    float got[CLASSES];
    assert_int_equal(run(path, folder, threads, 1, got, NULL), stored);
    assert_memory_equal(got, want, sizeof want);
}

static int keep(void **state) {
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    return run(MODEL, NULL, 1, 1, want, &kept);
}

static int clean(void **state) {
    char command[PATH];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void the_same_bits(void **state) {
    float got[CLASSES];
    struct stat s;
    (void)state;
    expect(MODEL, 1, 1);
    expect(MODEL, 2, 1);
    assert_int_equal(run(MODEL, folder, 1, 2, got, NULL), 0); /* another shape */
    assert_int_equal(run(MODEL, "/nonexistent", 1, 1, got, NULL), 0);
    assert_int_equal(stat(kept.path, &s), 0);
    assert_int_equal(s.st_size, kept.bytes);
    assert_int_equal(s.st_mode & 077, 0);
}

/** Bits flipped in every part of the file, and the file cut short or grown. */
static void damaged(void **state) {
    (void)state;
    bytes b = read_file(kept.path);
    for (size_t at = 0; at < b.size; at += at < 300 ? 7 : b.size / 40) {
        if (at >= 64 && at < 80) /* the model's identity: the content decides then */
            continue;
        b.data[at] ^= 16;
        write_file(kept.path, b.data, b.size);
        expect(MODEL, 2, 0);
        b.data[at] ^= 16;
    }
    for (size_t size = 0; size < b.size; size += size < 200 ? 40 : b.size / 5) {
        write_file(kept.path, b.data, size);
        expect(MODEL, 1, 0);
    }
    b.data[b.size] = 0;
    write_file(kept.path, b.data, b.size + 1);
    expect(MODEL, 1, 0);
    write_file(kept.path, b.data, b.size);
    expect(MODEL, 1, 1);
    free(b.data);
}

/** A copy of the model is known by its content; one with another weight is not. */
static void another_file(void **state) {
    char path[PATH];
    float got[CLASSES];
    (void)state;
    bytes b = read_file(MODEL);
    snprintf(path, sizeof path, "%s/copy.onnx", folder);
    write_file(path, b.data, b.size);
    expect(path, 1, 1);
    expect(path, 1, 1); /* now by its identity */
    for (size_t i = 0; i < 100000; i++)
        b.data[b.size / 2 + i] ^= 16; /* amid the weights */
    write_file(path, b.data, b.size);
    assert_int_equal(run(path, folder, 1, 1, got, NULL), 0);
    assert_memory_not_equal(got, want, sizeof want);
    expect(MODEL, 1, 1);
    free(b.data);
}

static void refused(void **state) {
    hst_model *model;
    hst_session *session;
    hst_error err;
    (void)state;
    assert_ok(hst_model_load_file(MODEL, &model, &err), &err);
    assert_ok(hst_session_create(model, NULL, &session, &err), &err);
    assert_int_equal(hst_session_store_plan(session, folder, NULL, &err), HST_E_ARG);
    hst_session_destroy(session); /* its shape was not known */

    hst_input_shape shape = {.name = "image", .rank = 4, .dims = {1, 3, 224, 224}};
    hst_session_options o;
    hst_session_options_init(&o);
    o.shapes = &shape;
    o.n_shapes = 1;
    assert_ok(hst_session_create(model, &o, &session, &err), &err);
    assert_int_equal(hst_session_store_plan(session, MODEL, NULL, &err), HST_E_IO);
    assert_int_equal(hst_session_store_plan(session, "/proc/none", NULL, &err), HST_E_IO);
    hst_session_destroy(session);
    hst_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_bits), cmocka_unit_test(damaged),
        cmocka_unit_test(another_file), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, keep, clean);
}
