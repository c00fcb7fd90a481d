/* From outputs to answers: each detector by hand-computed boxes, suppression, classes. */
#include "support/chain.h"

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
    for (int i = 0; i < 28; i++)
        x[i / 4][i % 4] = NAN;
    assert_int_equal(finish(p, &out, 1, &err), HST_E_FORMAT);
    assert_non_null(strstr(err.message, "NaN in output 0"));
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

    const float broken[2][3] = {{NAN, NAN, NAN}, {INFINITY, 0, -INFINITY}};
    for (int i = 0; i < 2; i++) {
        out.data = broken[i];
        assert_int_equal(finish(p, &out, 1, &err), HST_E_FORMAT);
        assert_non_null(strstr(err.message, "NaN or infinity"));
    }

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(yunet),
        cmocka_unit_test(fastestdet),
        cmocka_unit_test(yolo_rows_and_columns),
        cmocka_unit_test(yolox_cells),
        cmocka_unit_test(suppression),
        cmocka_unit_test(classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
