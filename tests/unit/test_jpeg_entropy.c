/* Our reader of Huffman codes against the library's: the same pictures, the same verdicts
 * on damage, with every sampling, restart interval and size. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "image/image.h"
#include "support/test.h"

typedef struct form {
    int width, height, quality, channels;
    int h, v; /**< sampling of the first component */
    unsigned restart;
    bool optimize;
} form;

/** A picture with flat and noisy parts; *jpeg is the caller's (free). */
static void encode(const form *f, unsigned char **jpeg, unsigned long *size) {
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr errors;
    size_t row = (size_t)(f->width * f->channels);
    unsigned char *line = malloc(row);
    assert_non_null(line);
    c.err = jpeg_std_error(&errors);
    jpeg_create_compress(&c);
    *jpeg = NULL;
    *size = 0;
    jpeg_mem_dest(&c, jpeg, size);
    c.image_width = (JDIMENSION)f->width;
    c.image_height = (JDIMENSION)f->height;
    c.input_components = f->channels;
    c.in_color_space = f->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&c);
    jpeg_set_quality(&c, f->quality, TRUE);
    c.comp_info[0].h_samp_factor = f->h;
    c.comp_info[0].v_samp_factor = f->v;
    c.restart_interval = f->restart;
    c.optimize_coding = f->optimize;
    jpeg_start_compress(&c, TRUE);
    uint32_t noise = 1;
    for (int y = 0; y < f->height; y++) {
        for (size_t i = 0; i < row; i++) {
            noise = noise * 1664525u + 1013904223u;
            int smooth = (int)((i / (size_t)f->channels + (size_t)y) & 255);
            line[i] =
                (unsigned char)((y / 16 + (int)i / 64) % 3 ? smooth : (int)(noise >> 24));
        }
        JSAMPROW rows[] = {line};
        jpeg_write_scanlines(&c, rows, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    free(line);
}

/** Both readers on the same bytes; true when it is a picture. */
static bool same_by_both(const char *what, const void *bytes, size_t size,
                         hst__decode_options o) {
    hst__image image[2] = {{0}, {0}};
    hst_error err[2] = {{0}, {0}};
    bool damaged[2];
    hst_status st[2];
    const hst_cpu_level levels[] = {HST_CPU_REF, hst_cpu_best()};
    for (int i = 0; i < 2; i++) {
        o.cpu = levels[i];
        st[i] = hst__image_decode(bytes, size, &o, &image[i], &damaged[i], &err[i]);
    }
    if (st[0] != st[1] || damaged[0] != damaged[1] ||
        strcmp(err[0].message, err[1].message) != 0)
        fail_msg("%s: '%s' damaged %d and '%s' damaged %d", what, err[0].message,
                 damaged[0], err[1].message, damaged[1]);
    if (!st[0]) {
        assert_int_equal(image[0].width, image[1].width);
        assert_int_equal(image[0].height, image[1].height);
        assert_int_equal(image[0].stride, image[1].stride);
        if (memcmp(image[0].data, image[1].data,
                   image[0].stride * (size_t)image[0].height) != 0)
            fail_msg("%s: the pixels differ", what);
    }
    hst__image_fini(&image[0]);
    hst__image_fini(&image[1]);
    return st[0] == HST_OK;
}

static const form forms[] = {
    {64, 48, 96, 3, 2, 2, 0, false},  {67, 45, 100, 3, 2, 1, 0, false},
    {33, 130, 50, 3, 1, 2, 0, true},  {200, 97, 85, 3, 1, 1, 0, true},
    {131, 77, 92, 1, 1, 1, 0, false}, {160, 96, 98, 3, 2, 2, 1, false},
    {160, 96, 20, 3, 2, 2, 7, true},  {150, 90, 90, 3, 4, 1, 10, false},
    {301, 203, 97, 3, 2, 2, 0, true}, {9, 7, 5, 1, 1, 1, 3, false},
};
enum { FORMS = sizeof forms / sizeof *forms };

static void whole_files(void **state) {
    (void)state;
    static const hst__decode_options ways[] = {{0},
                                               {.channels = 1},
                                               {.channels = 4},
                                               {.fast = true},
                                               {.lenient = true},
                                               {.want_width = 20, .want_height = 10},
                                               {.want_width = 5, .want_height = 5}};
    for (int i = 0; i < FORMS; i++) {
        unsigned char *jpeg;
        unsigned long size;
        char what[32];
        encode(&forms[i], &jpeg, &size);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            snprintf(what, sizeof what, "form %d, way %zu", i, w);
            assert_true(same_by_both(what, jpeg, size, ways[w]));
        }
        free(jpeg);
    }
}

/* The scan is changed in one to three places, or cut. */
static void damaged_files(void **state) {
    (void)state;
    int pictures = 0, errors = 0;
    uint32_t random = 7;
    for (int i = 0; i < FORMS; i++) {
        unsigned char *jpeg, *copy;
        unsigned long size;
        encode(&forms[i], &jpeg, &size);
        copy = malloc(size);
        assert_non_null(copy);
        for (int again = 0; again < 150; again++) {
            size_t length = size;
            char what[48];
            memcpy(copy, jpeg, size);
            snprintf(what, sizeof what, "form %d, damage %d", i, again);
            random = random * 1664525u + 1013904223u;
            if (again % 5 == 0)
                length = size - (random >> 8) % (size / 2);
            for (int k = 0; k < again % 4; k++) {
                random = random * 1664525u + 1013904223u;
                size_t at = size / 3 + (random >> 8) % (size - size / 3);
                copy[at] = again % 3 ? (unsigned char)(random >> 3) : 0xff;
            }
            bool picture = same_by_both(what, copy, length,
                                        (hst__decode_options){.lenient = again % 2});
            pictures += picture;
            errors += !picture;
        }
        free(copy);
        free(jpeg);
    }
    print_message("%d pictures, %d errors\n", pictures, errors);
    assert_true(pictures > 100 && errors > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_files),
        cmocka_unit_test(damaged_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
