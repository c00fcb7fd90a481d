/* A pipeline without a network: a manifest, a shape, synthetic photographs and outputs.
 */
#ifndef HST_TESTS_CHAIN_H
#define HST_TESTS_CHAIN_H

#include <stdlib.h>
#include <unistd.h>

#include "pipeline/pipeline.h"
#include "support/test.h"

#define S "\"schema\":\"hasten-manifest-1\""

static inline hst_status create(const char *manifest, const hst_tensor_info *input,
                                const hst_pipeline_options *options, hst_pipeline **out,
                                hst_error *err) {
    char path[] = "/tmp/hasten-manifest-XXXXXX";
    const hst_value_info value = {.name = "in", .tensor = *input};
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, manifest, strlen(manifest)), strlen(manifest));
    close(fd);
    hst_status st =
        hst__pipeline_create(path, NULL, &value, 1, NULL, 0, options, out, err);
    unlink(path);
    return st;
}

/** A pipeline for an input [1, channels, height, width] of f32. */
static inline hst_pipeline *chain(const char *manifest, int channels, int height,
                                  int width) {
    const hst_tensor_info info = {HST_DTYPE_F32, 4, {1, channels, height, width}};
    hst_pipeline *p;
    hst_error err;
    assert_ok(create(manifest, &info, NULL, &p, &err), &err);
    return p;
}

/** Sample of the test pictures at x, y: distinct over a small picture. */
static inline int sample(int x, int y, int c) {
    return 16 * y + 2 * x + 100 * (c == 1) + (c == 2);
}

static inline size_t ppm(int width, int height, uint8_t *out) {
    size_t n = (size_t)sprintf((char *)out, "P6 %d %d 255\n", width, height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < 3; c++)
                out[n++] = (uint8_t)sample(x, y, c);
    return n;
}

static inline const float *load(hst_pipeline *p, int width, int height) {
    static uint8_t bytes[3 * 256 * 256 + 32];
    hst_error err;
    assert_ok(hst_pipeline_load_memory(p, bytes, ppm(width, height, bytes), NULL, &err),
              &err);
    return hst_tensor_const_data(hst_pipeline_input(p));
}

/** Wraps outputs, finishes, and gives the status. */
typedef struct output {
    const void *data;
    hst_tensor_info info;
} output;

static inline hst_status finish(hst_pipeline *p, const output *outputs, size_t n,
                                hst_error *err) {
    hst_tensor *t[16] = {NULL};
    for (size_t i = 0; i < n; i++) {
        size_t bytes = hst_dtype_size(outputs[i].info.dtype);
        for (int k = 0; k < outputs[i].info.rank; k++)
            bytes *= (size_t)outputs[i].info.dims[k];
        assert_ok(hst_tensor_wrap(&outputs[i].info, (void *)(uintptr_t)outputs[i].data,
                                  bytes, &t[i], err),
                  err);
    }
    hst_status st = hst_pipeline_finish(p, (const hst_tensor *const *)t, n, NULL, err);
    for (size_t i = 0; i < n; i++)
        hst_tensor_destroy(t[i]);
    return st;
}

static inline void expect_box(const hst_pipeline *p, size_t index, int class_index,
                              double score, double x0, double y0, double x1, double y1) {
    hst_detection d;
    hst_error err;
    assert_ok(hst_pipeline_get_detection(p, index, &d, &err), &err);
    assert_int_equal(d.class_index, class_index);
    assert_close(d.score, score, 1e-5);
    assert_close(d.x0, x0, 1e-3);
    assert_close(d.y0, y0, 1e-3);
    assert_close(d.x1, x1, 1e-3);
    assert_close(d.y1, y1, 1e-3);
}

/** What an UltraFace-like network says: one box, corners relative to the input. */
static inline void one_box(hst_pipeline *p, float x0, float y0, float x1, float y1) {
    const float scores[2] = {0, 1}, box[4] = {x0, y0, x1, y1};
    const output out[] = {{scores, {HST_DTYPE_F32, 3, {1, 1, 2}}},
                          {box, {HST_DTYPE_F32, 3, {1, 1, 4}}}};
    hst_error err;
    assert_ok(finish(p, out, 2, &err), &err);
}

#endif
