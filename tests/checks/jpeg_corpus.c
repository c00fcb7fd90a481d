/* Hostile and odd JPEG files: each must give a picture or an error that says why, and
 * none may take long; with our reader of codes and with the library's it must be the same
 * picture. The files lie beside the repository; without them the check is
 * skipped (77).
 * usage: jpeg_corpus FOLDER */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file_map.h"
#include "image/image.h"

enum { SKIP = 77, MAX_SECONDS = 10 };

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct tally {
    int files, pictures, errors, failures;
    double slowest;
} tally;

/* One decoding with given options; returns what is wrong or NULL. */
static const char *try_decode(const void *bytes, size_t size,
                              const hst__decode_options *o, hst_status *st,
                              double *time) {
    static char text[sizeof(hst_error) + 64];
    hst__image out = {0};
    hst_error err = {0};
    const char *wrong = NULL;
    double start = seconds();
    *st = hst__image_decode(bytes, size, o, &out, NULL, &err);
    *time = seconds() - start;
    if (*time > MAX_SECONDS) {
        snprintf(text, sizeof text, "took %.1f s", *time);
        wrong = text;
    } else if (*st && !*err.message) {
        wrong = "an error without a message";
    } else if (*st == HST_E_ARG || *st == HST_E_INTERNAL || *st == HST_E_NOMEM) {
        snprintf(text, sizeof text, "not the file's fault? %s", err.message);
        wrong = text;
    } else if (!*st && (!out.data || out.width < 1 || out.height < 1)) {
        wrong = "an empty picture";
    }
    hst__image_fini(&out);
    return wrong;
}

/* Whether both readers of codes make the same of it. */
static bool alike(const void *bytes, size_t size, hst__decode_options o) {
    hst__image a = {0}, b = {0};
    hst_error err_a = {0}, err_b = {0};
    bool damaged_a = false, damaged_b = false;
    o.cpu = HST_CPU_REF;
    hst_status st_a = hst__image_decode(bytes, size, &o, &a, &damaged_a, &err_a);
    o.cpu = hst_cpu_best();
    hst_status st_b = hst__image_decode(bytes, size, &o, &b, &damaged_b, &err_b);
    bool same =
        st_a == st_b && damaged_a == damaged_b && !strcmp(err_a.message, err_b.message);
    if (same && !st_a)
        same = a.width == b.width && a.height == b.height && a.channels == b.channels &&
               !memcmp(a.data, b.data, a.stride * (size_t)a.height);
    hst__image_fini(&a);
    hst__image_fini(&b);
    return same;
}

static void check(const char *name, const void *bytes, size_t size, tally *t) {
    static const hst__decode_options strict, lenient = {.lenient = true, .channels = 1};
    const hst__decode_options *const ways[] = {&strict, &lenient};
    hst_status st[2];
    for (int i = 0; i < 2; i++) {
        double time;
        const char *wrong = try_decode(bytes, size, ways[i], &st[i], &time);
        t->slowest = time > t->slowest ? time : t->slowest;
        if (wrong) {
            fprintf(stderr, "%s: %s\n", name, wrong);
            t->failures++;
        }
        if (!alike(bytes, size, *ways[i])) {
            fprintf(stderr, "%s: readers of codes differ\n", name);
            t->failures++;
        }
    }
    if (!st[0] && st[1]) {
        fprintf(stderr, "%s: a lenient decode fails where a strict one does not\n", name);
        t->failures++;
    }
    t->files++;
    t->pictures += !st[0];
    t->errors += st[0] != HST_OK;
}

int main(int argc, char **argv) {
    DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
    if (!dir) {
        printf("skipped: no folder of JPEG files\n");
        return SKIP;
    }
    tally t = {0};
    struct dirent *entry;
    while ((entry = readdir(dir))) {
        char path[4096];
        hst__file_map map;
        hst_error err;
        if (*entry->d_name == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        if (hst__file_read(path, (size_t)256 << 20, &map, &err)) {
            fprintf(stderr, "%s\n", err.message);
            t.failures++;
            continue;
        }
        check(entry->d_name, map.data, map.size, &t);
        hst__file_map_close(&map);
    }
    closedir(dir);
    printf("%d files: %d pictures, %d errors; slowest decoding %.2f s\n", t.files,
           t.pictures, t.errors, t.slowest);
    if (!t.files) {
        printf("skipped: the folder is empty\n");
        return SKIP;
    }
    return t.failures ? 1 : 0;
}
