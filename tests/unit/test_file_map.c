#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_map.h"
#include "base/memory.h"
#include "support/test.h"

static char folder[] = "/tmp/hasten-map-XXXXXX", path[64];

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

static void write_file(size_t size) {
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    for (size_t i = 0; i < size; i++)
        fputc((int)(i * 7 % 251), f);
    assert_int_equal(fclose(f), 0);
}

static void check(const hst__file_map *map, size_t size) {
    assert_int_equal(map->size, size);
    for (size_t i = 0; i < size; i++)
        if (map->data[i] != i * 7 % 251)
            fail_msg("byte %zu differs", i);
}

static void sizes(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 4096, 256 * 1024 - 1, 256 * 1024, 1000003};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        hst__file_map map;
        hst_error err;
        write_file(sizes[i]);
        assert_ok(hst__file_map_open(path, &map, &err), &err);
        assert_int_equal(map.mapped, sizes[i] >= 256 * 1024);
        check(&map, sizes[i]);
        if (map.mapped) { /* pages come back, whatever range lets them go */
            hst__file_map_drop(map.data, map.size);
            hst__file_map_drop(map.data + 4097, 5000);
            hst__file_map_drop(map.data + 1, 1);
            hst__file_map_drop(map.data + map.size, 0);
        }
        check(&map, sizes[i]);
        hst__file_map_close(&map);
        assert_null(map.data);
        hst__file_map_close(&map);
    }
}

static void reads_up_to_a_limit(void **state) {
    (void)state;
    hst__file_map map;
    hst_error err;
    write_file(300000);
    assert_ok(hst__file_read(path, 300000, &map, &err), &err);
    assert_false(map.mapped);
    check(&map, 300000);
    hst__file_map_close(&map);
    assert_int_equal(hst__file_read(path, 299999, &map, &err), HST_E_LIMIT);
    assert_non_null(strstr(err.message, "299999"));
    assert_null(map.data);
}

static void refuses_what_is_no_file(void **state) {
    (void)state;
    hst__file_map map;
    hst_error err;
    char pipe_path[80];
    assert_int_equal(hst__file_map_open("/no/such/file", &map, &err), HST_E_IO);
    assert_non_null(strstr(err.message, "'/no/such/file': No such file"));
    assert_int_equal(hst__file_map_open(folder, &map, &err), HST_E_IO);
    assert_non_null(strstr(err.message, "is a directory"));
    assert_int_equal(hst__file_map_open("/dev/null", &map, &err), HST_E_IO);
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe", folder);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    assert_int_equal(hst__file_map_open(pipe_path, &map, &err), HST_E_IO);
    assert_non_null(strstr(err.message, "not a regular file"));
    assert_int_equal(hst__file_read(pipe_path, 10, &map, NULL), HST_E_IO);
    unlink(pipe_path);
}

static bool never(size_t bytes, void *user) {
    (void)bytes;
    (void)user;
    return false;
}

static void no_memory(void **state) {
    (void)state;
    hst__file_map map;
    hst_error err;
    write_file(1000);
    hst__alloc_set_hook(never, NULL);
    hst_status st = hst__file_map_open(path, &map, &err);
    hst__alloc_set_hook(NULL, NULL);
    assert_int_equal(st, HST_E_NOMEM);
    assert_null(map.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(reads_up_to_a_limit),
        cmocka_unit_test(refuses_what_is_no_file),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
