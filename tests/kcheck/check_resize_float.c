/* Resize in f32 and means of whole blocks: the reference's bits. */
#include "kcheck.h"
#include "resize_windows.h"

static void check_rows(kcheck *k, const hst__resize_kernels *r, int outputs, int width,
                       int most, int channels) {
    size_t n = (size_t)(outputs * channels), bytes = (size_t)(width * channels);
    kc_case(k, "float_h %d to %d x %d, up to %d taps", width, outputs, channels, most);
    hst__resize_taps t = windows_make(k, outputs, width, most, false);
    const uint8_t **src = windows_rows(k, 1, bytes);
    uint16_t *deep = kc_buffer(k, 2 * bytes);
    kc_fill_bytes(k, deep, 2 * bytes);
    float *got = kc_buffer(k, n * 4 + HST__RESIZE_SLACK);
    float *want = kc_buffer(k, n * 4 + HST__RESIZE_SLACK);
    hst__resize_float_h_u8__ref(src[0], want, &t, channels);
    r->float_h_u8(src[0], got, &t, channels);
    kc_same(k, got, want, n, 4);
    hst__resize_float_h_u16__ref(deep, want, &t, channels);
    r->float_h_u16(deep, got, &t, channels);
    kc_same(k, got, want, n, 4);
    kc_release(k);
}

static void check_columns(kcheck *k, const hst__resize_kernels *r, size_t n, int most) {
    kc_case(k, "float_v of %zu, up to %d rows", n, most);
    hst__resize_taps t = windows_make(k, 3, most + 4, most, false);
    const float **rows = kc_buffer(k, (size_t)most * sizeof *rows);
    bool deep = kc_one_in(k, 2);
    for (int i = 0; i < most; i++) {
        float *row = kc_floats(k, n, KC_UNIT); /* sums beyond the range, too */
        for (size_t j = 0; j < n; j++)
            row[j] = kc_one_in(k, 4) ? (float)kc_int(k, 0, 255) + 0.5f
                                     : row[j] * (deep ? 70000 : 300);
        rows[i] = row;
    }
    size_t element = deep ? 2 : 1;
    void *got = kc_buffer(k, n * element), *want = kc_buffer(k, n * element);
    for (int output = 0; output < 3; output++) {
        if (deep) {
            hst__resize_float_v_u16__ref(rows, want, n, &t, output);
            r->float_v_u16(rows, got, n, &t, output);
        } else {
            hst__resize_float_v_u8__ref(rows, want, n, &t, output);
            r->float_v_u8(rows, got, n, &t, output);
        }
        kc_same(k, got, want, n, element);
    }
    kc_release(k);
}

static void check_area(kcheck *k, const hst__resize_kernels *r, size_t n) {
    int count = kc_one_in(k, 20) ? 300 : kc_int(k, 1, 40);
    kc_case(k, "area_sum of %d rows of %zu", count, n);
    const uint8_t *one = windows_rows(k, 1, n)[0];
    const uint8_t **rows = kc_buffer(k, (size_t)count * sizeof *rows);
    for (int i = 0; i < count; i++)
        rows[i] = i < 40 ? windows_rows(k, 1, n)[0] : one;
    uint32_t *got = kc_buffer(k, n * 4), *want = kc_buffer(k, n * 4);
    hst__resize_area_sum__ref(rows, count, want, n);
    r->area_sum(rows, count, got, n);
    kc_same(k, got, want, n, 4);
    kc_release(k);
}

static void check_half(kcheck *k, const hst__resize_kernels *r, int outputs,
                       int channels) {
    size_t bytes = (size_t)(outputs * channels);
    kc_case(k, "area_2x2 to %d x %d", outputs, channels);
    const uint8_t **rows = windows_rows(k, 2, 2 * bytes);
    uint8_t *got = kc_buffer(k, bytes), *want = kc_buffer(k, bytes);
    hst__resize_area_2x2__ref(rows[0], rows[1], want, outputs, channels);
    r->area_2x2(rows[0], rows[1], got, outputs, channels);
    kc_same_u8(k, got, want, bytes);
    kc_release(k);
}

void check_resize_float(kcheck *k) {
    const hst__resize_kernels *r = hst__resize_get(k->level);
    static const int taps[] = {1, 2, 3, 4, 5, 8, 9, 21};
    size_t sizes[KC_SIZES];
    if (!kc_fresh(k, 0, (kc_fn *)r->float_h_u8))
        return;
    int n = kc_sizes(k, 4, sizes);
    for (int i = 0; i < n; i++)
        for (int m = 0; m < 8; m++)
            for (int c = 1; c <= 4; c++)
                check_rows(k, r, (int)sizes[i], kc_int(k, 1, 3 * (int)sizes[i] + 30),
                           taps[m], c);
    n = kc_sizes(k, 64, sizes);
    for (int i = 0; i < n; i++) {
        for (int m = 0; m < 8; m++)
            check_columns(k, r, sizes[i], taps[m]);
        for (int again = 0; again < 5; again++)
            check_area(k, r, sizes[i]);
    }
    n = kc_sizes(k, 32, sizes);
    for (int i = 0; i < n; i++)
        for (int c = 1; c <= 4; c++)
            check_half(k, r, (int)sizes[i], c);
}
