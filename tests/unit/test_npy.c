/* Tensor files: what NumPy and the onnx package wrote (tools/golden/npy_corpus.py), what
 * is written here, and files that lie. */
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_map.h"
#include "support/test.h"
#include "tensor/npy.h"
#include "tensor/tensor_proto.h"

#define GOLDEN HASTEN_SOURCE_DIR "/tests/golden/npy"

static char folder[] = "/tmp/hasten-npy-XXXXXX", path[64];

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/file", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void as_text(const hst_tensor *t, char *out, size_t size) {
    char shape[HST__DESC_TEXT];
    const unsigned char *p = hst_tensor_const_data(t);
    int at = snprintf(out, size, "%s ", hst__desc_format(&t->desc, shape, sizeof shape));
    assert_true((size_t)at + 2 * t->bytes + 2 < size);
    for (size_t i = 0; i < t->bytes; i++)
        at += sprintf(out + at, "%02x", p[i]);
    strcpy(out + at, "\n");
}

static void read_text(const char *file, char *out, size_t size) {
    hst__file_map map;
    hst_error err;
    assert_ok(hst__file_read(file, size - 1, &map, &err), &err);
    memcpy(out, map.data, map.size);
    out[map.size] = 0;
    hst__file_map_close(&map);
}

/** The first line of want: "error STATUS"; the second: a piece of the message. */
static void check_error(const char *name, const char *want, hst_status st,
                        const hst_error *err) {
    char status[32], piece[128];
    assert_int_equal(sscanf(want, "error %31s\n%127[^\n]", status, piece), 2);
    hst_status wanted = strcmp(status, "FORMAT") == 0        ? HST_E_FORMAT
                        : strcmp(status, "UNSUPPORTED") == 0 ? HST_E_UNSUPPORTED
                                                             : HST_E_LIMIT;
    if (st != wanted || !strstr(err->message, piece))
        fail_msg("%s: wanted %s with '%s', got %d: %s", name, status, piece, st,
                 st ? err->message : "");
}

static void corpus(void **state) {
    (void)state;
    DIR *dir = opendir(GOLDEN);
    struct dirent *entry;
    int count = 0;
    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        char file[512], want[4096], got[4096];
        char *end = strrchr(entry->d_name, '.');
        hst_tensor *t;
        hst_error err = {0};
        if (*entry->d_name == '.' || !end || strcmp(end, ".txt") == 0)
            continue;
        snprintf(file, sizeof file, GOLDEN "/%s", entry->d_name);
        hst_status st = hst_tensor_load_file(file, &t, &err);
        snprintf(file, sizeof file, GOLDEN "/%.*s.txt", (int)(end - entry->d_name),
                 entry->d_name);
        read_text(file, want, sizeof want);
        count++;
        if (strncmp(want, "error ", 6) == 0) {
            assert_null(t);
            check_error(entry->d_name, want, st, &err);
            continue;
        }
        assert_ok(st, &err);
        as_text(t, got, sizeof got);
        if (strcmp(got, want) != 0)
            fail_msg("%s: wanted %s got %s", entry->d_name, want, got);
        assert_true((uintptr_t)t->data % HST__ALIGN == 0);
        hst_tensor_destroy(t);
    }
    closedir(dir);
    assert_true(count >= 58);
}

static void what_is_saved_is_read_again(void **state) {
    (void)state;
    static const int64_t shapes[][4] = {{0}, {1, 7}, {2, 3, 5}, {3, 2, 0, 4}};
    for (hst_dtype type = HST_DTYPE_F32; type <= HST_DTYPE_U64; type++)
        for (size_t s = 0; s < 4; s++) {
            hst_tensor_info info = {.dtype = type, .rank = (int)shapes[s][0]};
            hst_tensor *t, *back;
            hst_error err;
            for (int k = 0; k < info.rank; k++)
                info.dims[k] = shapes[s][k + 1];
            assert_ok(hst_tensor_create(&info, &t, &err), &err);
            for (size_t i = 0; i < t->bytes; i++)
                ((uint8_t *)t->data)[i] =
                    type == HST_DTYPE_BOOL ? i & 1 : (uint8_t)(i * 37);
            assert_ok(hst_tensor_save_npy(t, path, &err), &err);
            assert_ok(hst_tensor_load_file(path, &back, &err), &err);
            assert_int_equal(back->desc.dtype, type);
            assert_true(hst__desc_equal_shape(&back->desc, &info));
            assert_int_equal(back->bytes, t->bytes);
            if (t->bytes)
                assert_memory_equal(back->data, t->data, t->bytes);
            hst_tensor_destroy(back);
            hst_tensor_destroy(t);
        }
}

static void header_is_as_the_format_says(void **state) {
    (void)state;
    const hst_tensor_info info = {HST_DTYPE_F32, 2, {2, 3}};
    static const char begin[] =
        "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, "
        "'shape': (2, 3), }";
    hst_tensor *t;
    hst_error err;
    hst__file_map map;
    assert_ok(hst_tensor_create(&info, &t, &err), &err);
    assert_ok(hst_tensor_save_npy(t, path, &err), &err);
    assert_ok(hst__file_read(path, 1000, &map, &err), &err);
    assert_int_equal(map.size, 128 + 24);
    assert_memory_equal(map.data, begin, sizeof begin - 1);
    assert_int_equal(map.data[126], ' ');
    assert_int_equal(map.data[127], '\n');
    hst__file_map_close(&map);
    hst_tensor_destroy(t);
}

static void saving_fails_with_a_reason(void **state) {
    (void)state;
    hst_tensor_info info = {HST_DTYPE_F32, 1, {4}};
    hst_tensor *t;
    hst_error err;
    assert_ok(hst_tensor_create(&info, &t, &err), &err);
    assert_int_equal(hst_tensor_save_npy(t, "/no/such/folder/x.npy", &err), HST_E_IO);
    assert_non_null(strstr(err.message, "No such file"));
    if (access("/dev/full", W_OK) == 0)
        assert_int_equal(hst_tensor_save_npy(t, "/dev/full", &err), HST_E_IO);
    hst_tensor_destroy(t);
    info.dtype = HST_DTYPE_BF16;
    assert_ok(hst_tensor_create(&info, &t, &err), &err);
    assert_int_equal(hst_tensor_save_npy(t, path, &err), HST_E_UNSUPPORTED);
    hst_tensor_destroy(t);
    assert_int_equal(hst_tensor_load_file("/no/such/file", &t, &err), HST_E_IO);
    assert_null(t);
}

/* Files that lie. */

static size_t largest, calls, fail_at;

static bool count(size_t bytes, void *user) {
    (void)user;
    if (bytes > largest)
        largest = bytes;
    return ++calls != fail_at;
}

static void read_both(const uint8_t *p, size_t size) {
    const hst__tensor_source source = {.borrow = false};
    uint8_t *exact = malloc(size ? size : 1);
    hst_tensor *t;
    hst_error err;
    memcpy(exact, p, size);
    largest = 0;
    hst__alloc_set_hook(count, NULL);
    if (!hst__npy_read((hst__span){exact, size}, &t, &err))
        hst_tensor_destroy(t);
    else
        assert_null(t);
    if (!hst__tensor_proto_read((hst__span){exact, size}, &source, NULL, &t, &err))
        hst_tensor_destroy(t);
    else
        assert_null(t);
    hst__alloc_set_hook(NULL, NULL);
    assert_true(largest <= 8 * size + 256);
    free(exact);
}

static uint32_t next(uint32_t *seed) {
    return (*seed = *seed * 1664525u + 1013904223u) >> 8;
}

static void truncations_and_mutations(void **state) {
    (void)state;
    static const char *const files[] = {GOLDEN "/fortran_2x1x3x2.npy",
                                        GOLDEN "/version2.npy", GOLDEN "/proto_raw.pb",
                                        GOLDEN "/proto_typed.pb"};
    for (size_t f = 0; f < 4; f++) {
        hst__file_map map;
        hst_error err;
        uint8_t p[1024];
        uint32_t seed = 7 + (uint32_t)f;
        assert_ok(hst__file_read(files[f], sizeof p, &map, &err), &err);
        for (size_t n = 0; n <= map.size; n++)
            read_both(map.data, n);
        for (int i = 0; i < 10000; i++) {
            size_t size = map.size;
            memcpy(p, map.data, size);
            for (uint32_t k = next(&seed) % 4; k < 4; k++) {
                size_t at = next(&seed) % size;
                p[at] = next(&seed) % 2 ? (uint8_t)next(&seed)
                                        : p[at] ^ (uint8_t)(1 << next(&seed) % 8);
            }
            if (next(&seed) % 8 == 0)
                size -= next(&seed) % size;
            read_both(p, size);
        }
        hst__file_map_close(&map);
    }
}

static void every_allocation_fails_once(void **state) {
    (void)state;
    static const char *const files[] = {GOLDEN "/fortran_2x3x4.npy",
                                        GOLDEN "/proto_typed.pb"};
    for (int f = 0; f < 2; f++) {
        hst_status st = HST_E_NOMEM;
        for (size_t n = 1; st; n++) {
            hst_tensor *t;
            hst_error err;
            calls = 0;
            fail_at = n;
            hst__alloc_set_hook(count, NULL);
            st = hst_tensor_load_file(files[f], &t, &err);
            hst__alloc_set_hook(NULL, NULL);
            assert_true(st == HST_OK || (st == HST_E_NOMEM && !t));
            hst_tensor_destroy(t);
        }
        assert_true(calls >= 3); /* file, tensor, elements */
    }
    fail_at = 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corpus),
        cmocka_unit_test(what_is_saved_is_read_again),
        cmocka_unit_test(header_is_as_the_format_says),
        cmocka_unit_test(saving_fails_with_a_reason),
        cmocka_unit_test(truncations_and_mutations),
        cmocka_unit_test(every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
