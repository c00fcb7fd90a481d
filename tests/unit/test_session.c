/* How a session finds the plan for its inputs: shapes that change, values that decide a
 * shape, shapes that depend on data, inputs that do not fit. */
#include "hasten/session.h"

#include <stdbool.h>
#include <stdlib.h>

#include "support/test.h"
#include "tensor/half.h"

#define FOLDER HASTEN_SOURCE_DIR "/tests/golden/runner/"

typedef struct setup {
    hst_model *model;
    hst_session *session;
} setup;

static setup open_model(const char *path) {
    setup s;
    hst_error err;
    hst_session_options o;
    hst_session_options_init(&o);
    o.threads = 1;
    assert_ok(hst_model_load_file(path, &s.model, &err), &err);
    assert_ok(hst_session_create(s.model, &o, &s.session, &err), &err);
    return s;
}

static void close_model(setup *s) {
    hst_session_destroy(s->session);
    hst_model_destroy(s->model);
}

/** Counts up from `first`. */
static hst_tensor *matrix(int64_t rows, int64_t columns, float first) {
    const hst_tensor_info info = {HST_DTYPE_F32, 2, {rows, columns}};
    hst_tensor *t;
    hst_error err;
    assert_ok(hst_tensor_create(&info, &t, &err), &err);
    for (size_t i = 0; i < hst_tensor_count(t); i++)
        ((float *)hst_tensor_data(t))[i] = first + (float)i;
    return t;
}

static hst_tensor *integers(int64_t n, const int64_t *values) {
    const hst_tensor_info info = {HST_DTYPE_S64, 1, {n}};
    hst_tensor *t;
    hst_error err;
    assert_ok(hst_tensor_create(&info, &t, &err), &err);
    memcpy(hst_tensor_data(t), values, (size_t)n * sizeof *values);
    return t;
}

static void expect_shape(const hst_session *s, int rank, const int64_t *dims) {
    const hst_tensor_info *info = hst_tensor_get_info(hst_session_output(s, 0));
    assert_int_equal(info->rank, rank);
    for (int i = 0; i < rank; i++)
        assert_int_equal(info->dims[i], dims[i]);
}

/** y = transpose(2 x) for shapes that change from run to run and come back. */
static void shapes_change(void **state) {
    (void)state;
    setup s = open_model(FOLDER "free_dims.onnx");
    assert_null(hst_session_output(s.session, 0));
    hst_error err;
    for (int round = 0; round < 40; round++) {
        int64_t rows = 1 + round % 13, columns = 1 + round * 7 % 11;
        hst_tensor *x = matrix(rows, columns, (float)round);
        const hst_tensor *in[] = {x};
        assert_ok(hst_session_run(s.session, in, 1, &err), &err);
        expect_shape(s.session, 2, (int64_t[]){columns, rows});
        const float *y = hst_tensor_const_data(hst_session_output(s.session, 0));
        for (int64_t i = 0; i < rows; i++)
            for (int64_t k = 0; k < columns; k++)
                assert_close(y[k * rows + i], 2 * (float)(round + i * columns + k), 0);
        hst_tensor_destroy(x);
    }
    close_model(&s);
}

/** The value of `shape` decides the plan: a new value, a new shape. */
static void values_decide(void **state) {
    (void)state;
    setup s = open_model(FOLDER "shape_input.onnx");
    hst_tensor *x = matrix(4, 6, 1);
    static const int64_t shapes[][3] = {{2, 12}, {3, 8}, {2, 3, 4}, {-1, 2}, {2, 12}};
    static const int64_t wanted[][3] = {{2, 12}, {3, 8}, {2, 3, 4}, {12, 2}, {2, 12}};
    hst_error err;
    for (int i = 0; i < 5; i++) {
        int rank = i == 2 ? 3 : 2;
        hst_tensor *shape = integers(rank, shapes[i]);
        const hst_tensor *in[] = {x, shape};
        assert_ok(hst_session_run(s.session, in, 2, &err), &err);
        expect_shape(s.session, rank, wanted[i]);
        const float *y = hst_tensor_const_data(hst_session_output(s.session, 0));
        for (int k = 0; k < 24; k++)
            assert_close(y[k], -(float)(k + 1), 0);
        hst_tensor_destroy(shape);
    }
    hst_tensor *wrong = integers(2, (int64_t[]){5, 5});
    const hst_tensor *in[] = {x, wrong};
    assert_int_equal(hst_session_run(s.session, in, 2, &err), HST_E_SHAPE);
    assert_non_null(strstr(err.message, "Reshape"));
    hst_tensor_destroy(wrong);
    hst_tensor *right = integers(1, (int64_t[]){24});
    in[1] = right;
    assert_ok(hst_session_run(s.session, in, 2, &err), &err); /* still usable */
    expect_shape(s.session, 1, (int64_t[]){24});
    hst_tensor_destroy(right);
    hst_tensor_destroy(x);
    close_model(&s);
}

/** NonZero: the shape is known when the data are. */
static void data_decide(void **state) {
    (void)state;
    setup s = open_model(FOLDER "data_shape.onnx");
    hst_error err;
    for (int zeros = 0; zeros <= 24; zeros++) {
        hst_tensor *x = matrix(4, 6, 1);
        memset(hst_tensor_data(x), 0, (size_t)zeros * sizeof(float));
        const hst_tensor *in[] = {x};
        assert_ok(hst_session_run(s.session, in, 1, &err), &err);
        expect_shape(s.session, 2, (int64_t[]){2, 24 - zeros});
        const int64_t *y = hst_tensor_const_data(hst_session_output(s.session, 0));
        for (int k = 0; k < 24 - zeros; k++) {
            assert_int_equal(y[k], (zeros + k) / 6 + 1);
            assert_int_equal(y[24 - zeros + k], (zeros + k) % 6 + 1);
        }
        hst_session_info info;
        hst_session_get_info(s.session, &info);
        assert_int_equal(info.dynamic, 1);
        hst_tensor_destroy(x);
    }
    close_model(&s);
}

/** The same numbers as f16, in place of `t`. */
static hst_tensor *narrow(hst_tensor *t) {
    hst_tensor_info info = *hst_tensor_get_info(t);
    hst_tensor *half;
    hst_error err;
    info.dtype = HST_DTYPE_F16;
    assert_ok(hst_tensor_create(&info, &half, &err), &err);
    for (size_t i = 0; i < hst_tensor_count(t); i++)
        ((uint16_t *)hst_tensor_data(half))[i] =
            hst__f32_to_f16(((float *)hst_tensor_data(t))[i]);
    hst_tensor_destroy(t);
    return half;
}

static float number(const hst_session *s, size_t output, size_t i) {
    const hst_tensor *t = hst_session_output(s, output);
    return hst_tensor_get_info(t)->dtype == HST_DTYPE_F16
               ? hst__f16_to_f32(((const uint16_t *)hst_tensor_const_data(t))[i])
               : ((const float *)hst_tensor_const_data(t))[i];
}

/** r = relu(x - 3) and q = r^2 are planned; y, those x where r is not 0, waits for r. */
static void tail_waits(setup *s, bool half) {
    static const int64_t shapes[][2] = {{4, 6}, {3, 7}, {4, 6}, {1, 40}};
    hst_error err;
    for (int run = 0; run < 4; run++) {
        hst_tensor *x = matrix(shapes[run][0], shapes[run][1], (float)run);
        size_t n = hst_tensor_count(x), kept = 0;
        x = half ? narrow(x) : x;
        const hst_tensor *in[] = {x};
        assert_ok(hst_session_run(s->session, in, 1, &err), &err);
        for (size_t k = 0; k < n; k++) {
            float v = (float)run + (float)k, r = v > 3 ? v - 3 : 0;
            assert_close(number(s->session, 1, k), r, 0);
            assert_close(number(s->session, 2, k), r * r, 0);
            assert_close(number(s->session, 3, k), v, 0);
            if (r > 0)
                assert_close(number(s->session, 0, kept++), v, 0);
        }
        expect_shape(s->session, 1, (int64_t[]){(int64_t)kept});
        hst_session_info info;
        hst_session_get_info(s->session, &info);
        assert_int_equal(info.dynamic, 1);
        assert_true(info.steps > 0);
        hst_tensor_destroy(x);
    }
}

static void only_the_tail_waits(void **state) {
    (void)state;
    setup f32 = open_model(FOLDER "data_tail.onnx"),
          f16 = open_model(FOLDER "data_tail_f16.onnx");
    tail_waits(&f32, false);
    tail_waits(&f16, true);
    close_model(&f32);
    close_model(&f16);
}

/** The run fails, and the next one is right again. */
static void index_outside(void **state) {
    (void)state;
    setup s = open_model(FOLDER "gather.onnx");
    hst_error err;
    hst_tensor *x = matrix(4, 6, 0);
    for (int64_t i = -5; i <= 4; i++) {
        hst_tensor *rows = integers(2, (int64_t[]){1, i});
        const hst_tensor *in[] = {x, rows};
        hst_status st = hst_session_run(s.session, in, 2, &err);
        assert_int_equal(st, i < -4 || i > 3 ? HST_E_FORMAT : HST_OK);
        if (st)
            assert_non_null(strstr(err.message, "Gather 'pick'"));
        else
            assert_close(number(s.session, 0, 6), (float)(6 * ((i + 4) % 4)), 0);
        hst_tensor_destroy(rows);
    }
    hst_tensor_destroy(x);
    close_model(&s);
}

static void inputs_that_do_not_fit(void **state) {
    (void)state;
    setup s = open_model(FOLDER "free_dims.onnx");
    hst_error err;
    hst_tensor *x = matrix(2, 2, 0), *n;
    const hst_tensor_info whole = {HST_DTYPE_S64, 2, {2, 2}};
    assert_ok(hst_tensor_create(&whole, &n, &err), &err);
    const hst_tensor *in[] = {x, n};
    assert_int_equal(hst_session_run(s.session, in, 2, &err), HST_E_ARG);
    assert_int_equal(hst_session_run(s.session, in, 0, &err), HST_E_ARG);
    assert_int_equal(hst_session_run(s.session, in + 1, 1, &err), HST_E_TYPE);
    assert_non_null(strstr(err.message, "'x'"));
    const hst_tensor_info flat = {HST_DTYPE_F32, 1, {4}};
    hst_tensor *vector;
    assert_ok(hst_tensor_create(&flat, &vector, &err), &err);
    in[0] = vector;
    assert_int_equal(hst_session_run(s.session, in, 1, &err), HST_E_SHAPE);
    in[0] = NULL;
    assert_int_equal(hst_session_run(s.session, in, 1, &err), HST_E_ARG);
    in[0] = x;
    assert_ok(hst_session_run(s.session, in, 1, &err), &err);
    assert_null(hst_session_output(s.session, 1));
    hst_tensor_destroy(vector);
    hst_tensor_destroy(x);
    hst_tensor_destroy(n);
    close_model(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_change), cmocka_unit_test(values_decide),
        cmocka_unit_test(data_decide),   cmocka_unit_test(only_the_tail_waits),
        cmocka_unit_test(index_outside), cmocka_unit_test(inputs_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
