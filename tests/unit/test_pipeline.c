/* The chain around a network: geometry, the way back of boxes, decoders, answers. */
#include <stdlib.h>
#include <unistd.h>

#include "pipeline/pipeline.h"
#include "support/test.h"

#define S "\"schema\":\"hasten-manifest-1\""

/* ---- what the tests need -------------------------------------------------------- */

static hst_status create(const char *manifest, const hst_tensor_info *input,
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
static hst_pipeline *chain(const char *manifest, int channels, int height, int width) {
    const hst_tensor_info info = {HST_DTYPE_F32, 4, {1, channels, height, width}};
    hst_pipeline *p;
    hst_error err;
    assert_ok(create(manifest, &info, NULL, &p, &err), &err);
    return p;
}

/** Sample of the test pictures at x, y: distinct over a small picture. */
static int sample(int x, int y, int c) {
    return 16 * y + 2 * x + 100 * (c == 1) + (c == 2);
}

static size_t ppm(int width, int height, uint8_t *out) {
    size_t n = (size_t)sprintf((char *)out, "P6 %d %d 255\n", width, height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < 3; c++)
                out[n++] = (uint8_t)sample(x, y, c);
    return n;
}

static const float *load(hst_pipeline *p, int width, int height) {
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

static hst_status finish(hst_pipeline *p, const output *outputs, size_t n,
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

static void expect_box(const hst_pipeline *p, size_t index, int class_index, double score,
                       double x0, double y0, double x1, double y1) {
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
static void one_box(hst_pipeline *p, float x0, float y0, float x1, float y1) {
    const float scores[2] = {0, 1}, box[4] = {x0, y0, x1, y1};
    const output out[] = {{scores, {HST_DTYPE_F32, 3, {1, 1, 2}}},
                          {box, {HST_DTYPE_F32, 3, {1, 1, 4}}}};
    hst_error err;
    assert_ok(finish(p, out, 2, &err), &err);
}

/* ---- photograph -> tensor ------------------------------------------------------- */

static void values_layouts_and_colours(void **state) {
    (void)state;
    hst_pipeline *p =
        chain("{" S ",\"input\":{\"resize\":{\"mode\":\"none\"},\"scale\":0.5,"
              "\"mean\":[1,2,3],\"std\":[1,2,4]}}",
              3, 2, 3);
    static const double mean[3] = {1, 2, 3}, std[3] = {1, 2, 4};
    const float *v = load(p, 3, 2);
    for (int c = 0; c < 3; c++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 3; x++)
                assert_close(v[(c * 2 + y) * 3 + x],
                             (sample(x, y, c) * 0.5 - mean[c]) / std[c], 1e-5);
    hst_pipeline_destroy(p);

    p = chain("{" S
              ",\"input\":{\"color\":\"bgr\",\"mean\":[1,2,3],\"layout\":\"nhwc\"}}",
              2, 3, 3); /* dims 1,2,3,3: two rows, three columns, three channels */
    v = load(p, 3, 2);
    for (int c = 0; c < 3; c++) /* the mean is in the order of the tensor */
        assert_close(v[(1 * 3 + 2) * 3 + c], sample(2, 1, 2 - c) - mean[c], 1e-5);
    hst_pipeline_destroy(p);

    p = chain("{" S "}", 1, 2, 3); /* a model with one channel gets grey */
    v = load(p, 3, 2);
    assert_close(
        v[5], 0.299 * sample(2, 1, 0) + 0.587 * sample(2, 1, 1) + 0.114 * sample(2, 1, 2),
        1);
    hst_pipeline_destroy(p);

    const hst_tensor_info u8 = {HST_DTYPE_U8, 4, {1, 2, 3, 3}};
    hst_error err;
    assert_ok(create("{" S "}", &u8, NULL, &p, &err), &err);
    const uint8_t *bytes = (const uint8_t *)load(p, 3, 2);
    for (int c = 0; c < 3; c++)
        assert_int_equal(bytes[(1 * 3 + 2) * 3 + c], sample(2, 1, c));
    assert_string_equal(hst_pipeline_describe(p),
                        "stretch 3x2 bilinear (pillow), rgb, nhwc u8, raw");
    hst_pipeline_destroy(p);
}

static void letterbox_pads_right_and_below_first(void **state) {
    (void)state;
    hst_pipeline *p = chain(
        "{" S ",\"input\":{\"resize\":{\"mode\":\"letterbox\",\"pad\":200},\"scale\":2}}",
        3, 4, 4);
    const float *v = load(p, 4, 1); /* rows 0, 2 and 3 are padding */
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            assert_close(v[4 * y + x], 2 * (y == 1 ? sample(x, 0, 0) : 200), 1e-5);
    v = load(p, 1, 4); /* and columns, in the same pipeline */
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            assert_close(v[4 * y + x], 2 * (x == 1 ? sample(0, y, 0) : 200), 1e-5);
    hst_pipeline_destroy(p);

    p = chain("{" S ",\"input\":{\"resize\":{\"mode\":\"letterbox\",\"pad\":9,\"align\":"
              "\"top-left\"}}}",
              3, 4, 4);
    v = load(p, 4, 2);
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            assert_close(v[4 * y + x], y < 2 ? sample(x, y, 0) : 9, 1e-5);
    hst_pipeline_destroy(p);
}

static void crop_takes_the_middle(void **state) {
    (void)state;
    hst_pipeline *p = chain(
        "{" S ",\"input\":{\"resize\":{\"mode\":\"crop\",\"shorter_side\":4}}}", 3, 2, 2);
    const float *v = load(p, 8, 4); /* stays 8x4; window from 3,1 */
    for (int c = 0; c < 3; c++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 2; x++)
                assert_close(v[(c * 2 + y) * 2 + x], sample(3 + x, 1 + y, c), 1e-5);
    v = load(p, 4, 7); /* 2.5 rows above: half to even, 2 */
    assert_close(v[0], sample(1, 2, 0), 1e-5);
    hst_pipeline_destroy(p);
}

static void stretch_and_none(void **state) {
    (void)state;
    hst_error err;
    uint8_t bytes[200];
    hst_pipeline *p = chain("{" S ",\"input\":{\"resize\":{\"filter\":\"nearest\","
                            "\"convention\":\"opencv\"}}}",
                            3, 2, 2);
    const float *v = load(p, 4, 4);
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++)
            assert_close(v[2 * y + x], sample(2 * x, 2 * y, 0), 1e-5);
    hst_pipeline_destroy(p);

    p = chain("{" S ",\"input\":{\"resize\":{\"filter\":\"area\"}}}", 3, 1, 2);
    v = load(p, 4, 2); /* the mean of 2x2: a half more than the corner in x, y */
    assert_close(v[0], sample(0, 0, 0) + 1 + 8, 1e-5);
    assert_close(v[1], sample(2, 0, 0) + 1 + 8, 1e-5);
    hst_pipeline_destroy(p);

    p = chain("{" S ",\"input\":{\"resize\":{\"mode\":\"none\"}}}", 3, 4, 4);
    assert_int_equal(hst_pipeline_load_memory(p, bytes, ppm(4, 3, bytes), NULL, &err),
                     HST_E_SHAPE);
    assert_non_null(strstr(err.message, "the photograph is 4x3, the input 4x4"));
    assert_int_equal(hst_pipeline_load_memory(p, "nonsense", 8, NULL, &err),
                     HST_E_FORMAT);
    assert_int_equal(hst_pipeline_load_memory(p, bytes, 20, NULL, &err), HST_E_FORMAT);
    assert_int_equal(hst_pipeline_load_file(p, "/nowhere/x.jpg", NULL, &err), HST_E_IO);
    assert_non_null(strstr(err.message, "/nowhere/x.jpg"));
    assert_int_equal(hst_pipeline_load_file(p, "/tmp", NULL, &err), HST_E_IO);
    assert_int_equal(hst_pipeline_draw(p, "/tmp/x.png", &err), HST_E_ARG);
    hst_pipeline_destroy(p);
}

/* ---- tensor -> photograph ------------------------------------------------------- */

#define FACES ",\"task\":\"detect\",\"output\":{\"detector\":\"ultraface\"}"

static void boxes_are_in_pixels_of_the_photograph(void **state) {
    (void)state;
    hst_pipeline *p = chain("{" S FACES "}", 3, 50, 100);
    load(p, 200, 75); /* 2 and 1.5 photograph pixels to an input pixel */
    one_box(p, 0.1f, 0.2f, 0.3f, 0.6f);
    assert_int_equal(hst_pipeline_detection_count(p), 1);
    expect_box(p, 0, 0, 1, 20, 15, 60, 45);
    one_box(p, -0.5f, -1, 2, 0.5f); /* clipped */
    expect_box(p, 0, 0, 1, 0, 0, 200, 37.5);
    one_box(p, 1.5f, 0, 2, 1); /* wholly outside */
    assert_int_equal(hst_pipeline_detection_count(p), 0);
    hst_detection d;
    hst_error err;
    assert_int_equal(hst_pipeline_get_detection(p, 0, &d, &err), HST_E_ARG);
    hst_pipeline_destroy(p);

    p = chain("{" S FACES ",\"input\":{\"resize\":{\"mode\":\"letterbox\"}}}", 3, 100,
              100);
    load(p, 200, 100); /* 100x50 with 25 rows above and below */
    one_box(p, 0.1f, 0.25f, 0.5f, 0.5f);
    expect_box(p, 0, 0, 1, 20, 0, 100, 50);
    one_box(p, 0, 0, 1, 1);
    expect_box(p, 0, 0, 1, 0, 0, 200, 100);
    hst_pipeline_destroy(p);

    p = chain("{" S FACES
              ",\"input\":{\"resize\":{\"mode\":\"crop\",\"shorter_side\":50}}}",
              3, 40, 40);
    load(p, 200, 100); /* 100x50, window from 30,5 */
    one_box(p, 0, 0, 0.5f, 1);
    expect_box(p, 0, 0, 1, 60, 10, 100, 90);
    hst_pipeline_destroy(p);
}

/** A JPEG of width x height whose EXIF orientation says: turned by 90 degrees. */
static size_t turned_jpeg(int width, int height, uint8_t *out, size_t room) {
    static const uint8_t exif[] = {0xff, 0xe1, 0, 34, 'E', 'x', 'i', 'f', 0, 0,  'M', 'M',
                                   0,    42,   0, 0,  0,   8,   0,   1,   1, 18, 0,   3,
                                   0,    0,    0, 1,  0,   6,   0,   0,   0, 0,  0,   0};
    hst__image image = {0};
    hst__bytes jpeg = {0};
    hst_error err;
    assert_ok(hst__image_reshape(&image, width, height, 3, 8, &err), &err);
    memset(image.data, 128, (size_t)height * image.stride);
    assert_ok(hst__image_encode_jpeg(&image, 90, &jpeg, &err), &err);
    size_t n = jpeg.size + sizeof exif;
    assert_true(n <= room);
    memcpy(out, jpeg.data, 2);
    memcpy(out + 2, exif, sizeof exif);
    memcpy(out + 2 + sizeof exif, jpeg.data + 2, jpeg.size - 2);
    hst__image_fini(&image);
    hst__bytes_fini(&jpeg);
    return n;
}

static void reduced_decoding_keeps_the_coordinates(void **state) {
    (void)state;
    static uint8_t jpeg[65536];
    char path[] = "/tmp/hasten-drawn-XXXXXX.png";
    hst_error err;
    hst_pipeline *p =
        chain("{" S FACES ",\"input\":{\"reduced_decode\":true}}", 3, 20, 10);
    size_t n = turned_jpeg(164, 84, jpeg, sizeof jpeg); /* seen as 84 x 164 */
    assert_ok(hst_pipeline_load_memory(p, jpeg, n, NULL, &err), &err);
    assert_int_equal(p->photo.width, 11); /* an eighth covers 10 x 20 */
    assert_int_equal(p->photo.height, 21);
    one_box(p, 0.5f, 0.25f, 1, 0.75f);
    expect_box(p, 0, 0, 1, 42, 41, 84, 123);

    int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    close(fd);
    const uint8_t before = p->photo.data[(size_t)6 * p->photo.stride + 3 * 10];
    assert_ok(hst_pipeline_draw(p, path, &err), &err);
    unlink(path);
    assert_int_not_equal(p->photo.data[(size_t)6 * p->photo.stride + 3 * 10], before);
    assert_int_equal(hst_pipeline_draw(p, path, &err), HST_E_ARG); /* painted over */
    assert_ok(hst_pipeline_load_memory(p, jpeg, n, NULL, &err), &err);
    assert_int_equal(hst_pipeline_draw(p, "/tmp/hasten.gif", &err), HST_E_ARG);
    hst_pipeline_destroy(p);
}

/* ---- decoders ------------------------------------------------------------------- */

static void yunet(void **state) {
    (void)state;
    enum { CELLS = 21 };
    static const int counts[3] = {16, 4, 1};
    static float cls[CELLS], obj[CELLS], box[4 * CELLS], points[10 * CELLS];
    output out[12];
    for (int k = 0, at = 0; k < 3; at += counts[k++])
        for (int kind = 0; kind < 4; kind++) {
            static const int width[4] = {1, 1, 4, 10};
            float *const of[4] = {cls, obj, box, points};
            out[kind * 3 + k] = (output){of[kind] + at * width[kind],
                                         {HST_DTYPE_F32, 3, {1, counts[k], width[kind]}}};
        }
    cls[19] = 0.81f, obj[19] = 1; /* stride 16, column 1, row 1 */
    box[4 * 19] = box[4 * 19 + 1] = 0.5f;
    for (int i = 0; i < 10; i++)
        points[10 * 19 + i] = (float)i / 16;
    cls[2] = 4, obj[2] = 0.25f; /* clamped to 1: 0.5, below the threshold */
    cls[3] = -1, obj[3] = -1;   /* not 1 */
    hst_pipeline *p = chain("{" S ",\"preset\":\"yunet\"}", 3, 32, 32);
    hst_error err;
    hst_detection d;
    load(p, 64, 64);
    assert_ok(finish(p, out, 12, &err), &err);
    assert_int_equal(hst_pipeline_detection_count(p), 1);
    expect_box(p, 0, 0, 0.9, 32, 32, 64, 64);
    assert_ok(hst_pipeline_get_detection(p, 0, &d, &err), &err);
    assert_int_equal(d.n_landmarks, 5);
    for (int i = 0; i < 5; i++) {
        assert_close(d.landmarks[i][0], 2 * (16 + 2 * i), 1e-3);
        assert_close(d.landmarks[i][1], 2 * (16 + 2 * i + 1), 1e-3);
    }
    assert_int_equal(finish(p, out, 9, &err), HST_E_SHAPE);
    assert_non_null(strstr(err.message, "N = 16 (stride 8)"));
    hst_pipeline_destroy(p);
}

static void fastestdet(void **state) {
    (void)state;
    float x[7][4] = {{0}};
    x[0][3] = 1, x[6][3] = 1,
    x[5][3] = 0.2f; /* column 1, row 1, the middle of the picture */
    x[0][0] = 0.5f, x[5][0] = 0.25f, x[1][0] = x[2][0] = 10; /* tanh 1: the middle too */
    x[0][1] = -1, x[5][1] = 1;                               /* power of -1: NaN */
    hst_pipeline *p = chain("{" S ",\"preset\":\"fastestdet\",\"output\":{\"score\":0.3,"
                            "\"labels\":[\"a\",\"b\"]}}",
                            3, 10, 10);
    const output out = {x, {HST_DTYPE_F32, 4, {1, 7, 2, 2}}};
    hst_detection d;
    hst_error err;
    load(p, 20, 20);
    assert_ok(finish(p, &out, 1, &err), &err);
    assert_int_equal(hst_pipeline_detection_count(p), 2);
    expect_box(p, 0, 1, 1, 5, 5, 15, 15);
    expect_box(p, 1, 0, pow(2, -1.4), 5, 5, 15, 15); /* another class: stays */
    assert_ok(hst_pipeline_get_detection(p, 0, &d, &err), &err);
    assert_string_equal(d.label, "b");
    const output flat = {x, {HST_DTYPE_F32, 3, {1, 7, 4}}};
    assert_int_equal(finish(p, &flat, 1, &err), HST_E_SHAPE);
    hst_pipeline_destroy(p);
}

static void yolo_rows_and_columns(void **state) {
    (void)state;
    const float rows[3][7] = {{10, 10, 8, 4, 0.5f, 0.1f, 0.9f},
                              {20, 20, 10, 10, 1, 0.8f, NAN},
                              {20, 20, 10, 10, 0.1f, 1, 1}};
    const float columns[6][3] = {{10, 20, 20}, {10, 20, 20}, {8, 10, 10},
                                 {4, 10, 10},  {0, 0.8f, 0}, {0.45f, 0, 0.1f}};
    const output v5 = {rows, {HST_DTYPE_F32, 3, {1, 3, 7}}};
    const output v8 = {columns, {HST_DTYPE_F32, 3, {1, 6, 3}}};
    hst_error err;
    for (int k = 0; k < 3; k++) {
        static const char *const manifests[3] = {
            "{" S ",\"preset\":\"yolov5\"}", "{" S ",\"preset\":\"yolov8\"}",
            "{" S ",\"preset\":\"yolox\",\"output\":{\"decoded\":true}}"};
        hst_pipeline *p = chain(manifests[k], 3, 32, 32);
        load(p, 64, 64);
        assert_ok(finish(p, k == 1 ? &v8 : &v5, 1, &err), &err);
        assert_int_equal(hst_pipeline_detection_count(p), 2);
        expect_box(p, 0, 0, 0.8, 30, 30, 50, 50);
        expect_box(p, 1, 1, 0.45, 12, 16, 28, 24);
        const output wrong = {rows, {HST_DTYPE_F32, 2, {3, 7}}};
        assert_int_equal(finish(p, &wrong, 1, &err), HST_E_SHAPE);
        const output type = {rows, {HST_DTYPE_S32, 3, {1, 3, 7}}};
        assert_int_equal(finish(p, &type, 1, &err), HST_E_TYPE);
        assert_int_equal(finish(p, &v5, 0, &err), HST_E_SHAPE);
        hst_pipeline_destroy(p);
    }
}

static void yolox_cells(void **state) {
    (void)state;
    static float rows[22][7];
    const float middle[7] = {0.5f, 0.5f, 0, 0.6931472f, 1, 0.25f, 0.75f};
    memcpy(rows[18], middle, sizeof middle); /* stride 16, column 0, row 1 */
    hst_pipeline *p = chain("{" S ",\"preset\":\"yolox\"}", 3, 32, 32);
    const output out = {rows, {HST_DTYPE_F32, 3, {1, 21, 7}}};
    const output more = {rows, {HST_DTYPE_F32, 3, {1, 22, 7}}};
    hst_error err;
    load(p, 32, 64); /* 16x32 in the top-left corner */
    assert_ok(finish(p, &out, 1, &err), &err);
    assert_int_equal(hst_pipeline_detection_count(p), 1);
    expect_box(p, 0, 1, 0.75, 0, 16, 32, 64); /* 0,8 to 16,40 in the input */
    assert_int_equal(finish(p, &more, 1, &err), HST_E_SHAPE);
    assert_non_null(strstr(err.message, "22 rows do not fit an input of 32x32"));
    hst_pipeline_destroy(p);
}

static void suppression(void **state) {
    (void)state;
    hst__candidates c = {0};
    static const hst__candidate all[] = {
        {0, 0, 10, 10, 0.5f, 0, 4},   /* tie with the next; later source: goes */
        {0, 0, 10, 10, 0.5f, 0, 3},   /* stays */
        {0, 0, 10, 10, 0.4f, 1, 0},   /* another class: stays unless agnostic */
        {0, 0, 10, 5, 0.3f, 0, 5},    /* IoU exactly 0.5: not more, stays */
        {20, 20, 30, 30, 0.2f, 0, 6}, /* apart: stays */
        {20, 20, 30, 30, NAN, 0, 7},  /* never gets in, as the rest */
        {NAN, 0, 10, 10, 0.9f, 0, 8},    {0, 0, INFINITY, 10, 0.9f, 0, 9},
        {5, 0, 5, 10, 0.9f, 0, 10},      {0, 9, 10, 3, 0.9f, 0, 11},
        {40, 40, 50, 50, 0.0999f, 0, 12}};
    for (int round = 0; round < 3; round++) {
        c.count = 0;
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            assert_true(hst__candidates_add(&c, &all[i], 0.1));
        assert_int_equal(c.count, 5);
        hst__candidates_suppress(&c, 0.5, round == 1, round == 2 ? 2 : 100);
        static const int want[3][4] = {{3, 0, 5, 6}, {3, 5, 6, -1}, {3, 0, -1, -1}};
        int n = 0;
        for (; n < 4 && want[round][n] >= 0; n++)
            assert_int_equal(c.items[n].source, want[round][n]);
        assert_int_equal(c.count, n);
    }
    hst__free(c.items);
}

/* ---- classes -------------------------------------------------------------------- */

static void expect_class(const hst_pipeline *p, size_t index, int class_index,
                         double score, const char *label) {
    hst_class c;
    hst_error err;
    assert_ok(hst_pipeline_get_class(p, index, &c, &err), &err);
    assert_int_equal(c.index, class_index);
    assert_close(c.score, score, 1e-6);
    if (label)
        assert_string_equal(c.label, label);
    else
        assert_null(c.label);
}

static void classes(void **state) {
    (void)state;
    hst_pipeline *p =
        chain("{" S ",\"task\":\"classify\",\"output\":{\"top_k\":3,\"label_offset\":-1,"
              "\"labels\":[\"one\",\"two\"]}}",
              3, 2, 2);
    hst_error err;
    hst_class c;
    const float probabilities[4] = {0.25f, 0.125f, 0.25f, 0.375f};
    output out = {probabilities, {HST_DTYPE_F32, 2, {1, 4}}};
    assert_ok(finish(p, &out, 1, &err), &err); /* auto: they are probabilities */
    assert_int_equal(hst_pipeline_class_count(p), 3);
    expect_class(p, 0, 3, 0.375, NULL);
    expect_class(p, 1, 0, 0.25, NULL); /* a tie: the lower index first */
    expect_class(p, 2, 2, 0.25, "two");
    assert_int_equal(hst_pipeline_get_class(p, 3, &c, &err), HST_E_ARG);

    const float logits[3] = {1000, NAN, 1001}; /* auto: softmax, NaN apart */
    out = (output){logits, {HST_DTYPE_F32, 4, {1, 3, 1, 1}}};
    assert_ok(finish(p, &out, 1, &err), &err);
    assert_int_equal(hst_pipeline_class_count(p), 2);
    expect_class(p, 0, 2, 1 / (1 + exp(-1)), "two");
    expect_class(p, 1, 0, 1 / (1 + exp(1)), NULL);

    const uint8_t levels[2] = {7, 8};
    out = (output){levels, {HST_DTYPE_U8, 1, {2}}};
    assert_ok(finish(p, &out, 1, &err), &err);
    expect_class(p, 0, 1, 1 / (1 + exp(-1)), "one");

    out.info = (hst_tensor_info){HST_DTYPE_F32, 2, {1, 0}};
    assert_int_equal(finish(p, &out, 1, &err), HST_E_SHAPE);
    out.info = (hst_tensor_info){HST_DTYPE_S8, 1, {2}};
    assert_int_equal(finish(p, &out, 1, &err), HST_E_TYPE);
    assert_int_equal(finish(p, &out, 0, &err), HST_E_ARG);
    hst_pipeline_destroy(p);

    static const char *const softmax[2] = {"true", "false"};
    for (int k = 0; k < 2; k++) {
        char text[200];
        snprintf(text, sizeof text,
                 "{" S ",\"task\":\"classify\",\"output\":{\"softmax\":%s}}", softmax[k]);
        p = chain(text, 3, 2, 2);
        const float x[2] = {k ? 5.0f : 0.25f, 0.75f};
        out = (output){x, {HST_DTYPE_F32, 1, {2}}};
        assert_ok(finish(p, &out, 1, &err), &err);
        expect_class(p, 0, 1 - k, k ? 5 : 1 / (1 + exp(-0.5)), NULL);
        hst_pipeline_destroy(p);
    }
}

/* ---- creation ------------------------------------------------------------------- */

static void models_that_do_not_fit(void **state) {
    (void)state;
    static const struct {
        const char *manifest;
        hst_tensor_info input;
        hst_status status;
        const char *message;
    } cases[] = {
        {"{" S "}", {HST_DTYPE_F32, 2, {1, 10}}, HST_E_UNSUPPORTED, "no 4-D input"},
        {"{" S ",\"input\":{\"name\":\"x\"}}",
         {HST_DTYPE_F32, 4, {1, 3, 8, 8}},
         HST_E_FORMAT,
         "no input 'x'"},
        {"{" S ",\"input\":{\"resize\":{\"width\":9}}}",
         {HST_DTYPE_F32, 4, {1, 3, 8, 8}},
         HST_E_SHAPE,
         "9x8"},
        {"{" S "}", {HST_DTYPE_F32, 4, {1, 5, 8, 8}}, HST_E_UNSUPPORTED, "5 channels"},
        {"{" S "}",
         {HST_DTYPE_F32, 4, {4, 3, 8, 8}},
         HST_E_UNSUPPORTED,
         "4 images at once"},
        {"{" S "}",
         {HST_DTYPE_F32, 4, {1, 3, 8, 1LL << 40}},
         HST_E_LIMIT,
         "over 16384 a side"},
        {"{" S "}", {HST_DTYPE_S64, 4, {1, 3, 8, 8}}, HST_E_UNSUPPORTED, "s64"},
        {"{" S ",\"input\":{\"dtype\":\"u8\"}}",
         {HST_DTYPE_F32, 4, {1, 3, 8, 8}},
         HST_E_FORMAT,
         "input.dtype: u8"},
        {"{" S ",\"task\":1}", {HST_DTYPE_F32, 4, {1, 3, 8, 8}}, HST_E_FORMAT, "task"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hst_pipeline *p;
        hst_error err = {0};
        hst_status st = create(cases[i].manifest, &cases[i].input, NULL, &p, &err);
        if (st != cases[i].status || !strstr(err.message, cases[i].message))
            fail_msg("case %zu: status %d, \"%s\"", i, st, err.message);
        assert_null(p);
    }
}

static void free_sizes_presets_and_guesses(void **state) {
    (void)state;
    const hst_tensor_info free_sizes = {HST_DTYPE_F32, 4, {-1, -1, -1, -1}};
    hst_pipeline_options o;
    hst_pipeline *p;
    hst_error err;
    hst_pipeline_options_init(&o);
    assert_ok(
        create("{" S ",\"output\":{\"labels\":[\"a\"]}}", &free_sizes, &o, &p, &err),
        &err);
    assert_string_equal(hst_pipeline_describe(p),
                        "stretch 224x224 bilinear (pillow), rgb, nchw f32, raw");
    assert_null(hst_pipeline_note(p));
    hst_pipeline_destroy(p);
    o.preset = "ultraface"; /* in place of the manifest's chain, but not of its labels */
    assert_ok(
        create("{" S ",\"output\":{\"labels\":[\"a\"]}}", &free_sizes, &o, &p, &err),
        &err);
    assert_int_equal(p->width, 320);
    assert_int_equal(p->m.n_labels, 1);
    hst_pipeline_destroy(p);
    o.struct_size = 4;
    assert_int_equal(create("{" S "}", &free_sizes, &o, &p, &err), HST_E_ARG);

    const hst_value_info in = {.name = "x", .tensor = {HST_DTYPE_F32, 4, {1, 3, 64, 64}}};
    static const struct {
        hst_tensor_info first, second;
        const char *preset;
    } guesses[] = {{{HST_DTYPE_F32, 2, {1, 1000}}, {0}, "imagenet"},
                   {{HST_DTYPE_F32, 4, {1, 1000, 1, 1}}, {0}, "imagenet"},
                   {{HST_DTYPE_F32, 3, {1, 252, 85}}, {0}, "yolov5"},
                   {{HST_DTYPE_F32, 3, {1, 84, 7}}, {0}, "yolox"},
                   {{HST_DTYPE_F32, 3, {1, 84, 8400}}, {0}, "yolov8"},
                   {{HST_DTYPE_F32, 4, {1, 85, 22, 22}}, {0}, "fastestdet"},
                   {{HST_DTYPE_F32, 4, {1, 21, 64, 64}}, {0}, "raw"},
                   {{HST_DTYPE_F32, -1, {0}}, {0}, "raw"}};
    for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++) {
        const hst_value_info out = {.name = "y", .tensor = guesses[i].first};
        assert_ok(hst__pipeline_create(NULL, "/nowhere/m.onnx", &in, 1, &out, 1, NULL, &p,
                                       &err),
                  &err);
        assert_non_null(hst_pipeline_note(p));
        if (!strstr(hst_pipeline_note(p), guesses[i].preset))
            fail_msg("case %zu: %s", i, hst_pipeline_note(p));
        hst_pipeline_destroy(p);
    }
}

/* ---- memory --------------------------------------------------------------------- */

static size_t calls, failing; /* failing: number of the call that fails, 0 for none */

static bool hook(size_t bytes, void *user) {
    (void)bytes;
    (void)user;
    return ++calls != failing;
}

static hst_status whole_chain(const uint8_t *photo, size_t size, hst_tensor **outputs,
                              hst_error *err) {
    const hst_tensor_info info = {HST_DTYPE_F32, 4, {1, 3, 24, 32}};
    hst_pipeline *p;
    hst_status st = create("{" S FACES "}", &info, NULL, &p, err);
    if (!st)
        st = hst_pipeline_load_memory(p, photo, size, NULL, err);
    if (!st)
        st = hst_pipeline_finish(p, (const hst_tensor *const *)outputs, 2, NULL, err);
    if (!st)
        assert_int_equal(hst_pipeline_detection_count(p), 1);
    hst_pipeline_destroy(p);
    return st;
}

static void every_allocation_fails_once(void **state) {
    (void)state;
    static uint8_t photo[3 * 64 * 64 + 32];
    size_t size = ppm(64, 64, photo);
    float scores[2] = {0, 1}, box[4] = {0, 0, 1, 1};
    const hst_tensor_info infos[2] = {{HST_DTYPE_F32, 3, {1, 1, 2}},
                                      {HST_DTYPE_F32, 3, {1, 1, 4}}};
    hst_tensor *outputs[2];
    hst_error err;
    assert_ok(hst_tensor_wrap(&infos[0], scores, sizeof scores, &outputs[0], &err), &err);
    assert_ok(hst_tensor_wrap(&infos[1], box, sizeof box, &outputs[1], &err), &err);
    hst__alloc_set_hook(hook, NULL);
    calls = failing = 0;
    assert_ok(whole_chain(photo, size, outputs, &err), &err);
    size_t total = calls;
    assert_true(total >= 8);
    for (failing = 1; failing <= total; failing++) {
        calls = 0;
        hst_status st = whole_chain(photo, size, outputs, &err);
        if (st != HST_E_NOMEM)
            fail_msg("allocation %zu of %zu failed, status %d: %s", failing, total, st,
                     st ? err.message : "");
    }
    failing = 0;
    assert_ok(whole_chain(photo, size, outputs, &err), &err);

    hst_pipeline *p = chain("{" S FACES "}", 3, 24, 32);
    for (int i = 0; i < 3; i++) { /* nothing of ours from the second photograph on */
        calls = 0;
        assert_ok(hst_pipeline_load_memory(p, photo, size, NULL, &err), &err);
        assert_ok(
            hst_pipeline_finish(p, (const hst_tensor *const *)outputs, 2, NULL, &err),
            &err);
        assert_true(i == 0 ? calls > 0 : calls == 0);
    }
    hst__alloc_set_hook(NULL, NULL);
    hst_pipeline_destroy(p);
    hst_tensor_destroy(outputs[0]);
    hst_tensor_destroy(outputs[1]);
    hst_pipeline_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_layouts_and_colours),
        cmocka_unit_test(letterbox_pads_right_and_below_first),
        cmocka_unit_test(crop_takes_the_middle),
        cmocka_unit_test(stretch_and_none),
        cmocka_unit_test(boxes_are_in_pixels_of_the_photograph),
        cmocka_unit_test(reduced_decoding_keeps_the_coordinates),
        cmocka_unit_test(yunet),
        cmocka_unit_test(fastestdet),
        cmocka_unit_test(yolo_rows_and_columns),
        cmocka_unit_test(yolox_cells),
        cmocka_unit_test(suppression),
        cmocka_unit_test(classes),
        cmocka_unit_test(models_that_do_not_fit),
        cmocka_unit_test(free_sizes_presets_and_guesses),
        cmocka_unit_test(every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
