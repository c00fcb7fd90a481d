/* The chain around a network: geometry, the way back of boxes, creation, memory. */
#include "support/chain.h"

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

    /* Smaller than the input: zeros around it, the odd one below (torchvision's
     * CenterCrop). */
    p = chain("{" S ",\"input\":{\"resize\":{\"mode\":\"crop\",\"shorter_side\":2}}}", 3,
              5, 4);
    v = load(p, 8, 2); /* stays 8x2; columns 2 to 5, rows 1 and 2 of 5 */
    for (int c = 0; c < 3; c++)
        for (int y = 0; y < 5; y++)
            for (int x = 0; x < 4; x++)
                assert_close(v[(c * 5 + y) * 4 + x],
                             y == 1 || y == 2 ? sample(2 + x, y - 1, c) : 0, 1e-5);
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
        cmocka_unit_test(models_that_do_not_fit),
        cmocka_unit_test(free_sizes_presets_and_guesses),
        cmocka_unit_test(every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
