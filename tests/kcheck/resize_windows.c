#include "resize_windows.h"

/* The first pixel of a window of n taps for output i: about in proportion, at times all
 * at one end. */
static int place(kcheck *k, int i, int outputs, int width, int n, int before) {
    int room = width - n;
    int at = (int)((double)i * (room + 1) / outputs) + kc_int(k, 0, 1);
    at = at > room ? room : at;
    return at < before ? before : at;
}

hst__resize_taps windows_make(kcheck *k, int outputs, int width, int most, bool fixed) {
    size_t n = (size_t)outputs, stride = ((size_t)most + 7) / 8 * 8;
    int32_t *start = kc_buffer(k, n * sizeof *start);
    int32_t *count = kc_buffer(k, n * sizeof *count);
    int32_t *whole = kc_buffer(k, n * stride * sizeof *whole);
    int16_t *low = kc_buffer(k, n * stride * sizeof *low);
    int16_t *high = kc_buffer(k, n * stride * sizeof *high);
    float *f32 = kc_floats(k, n * stride, KC_UNIT);
    int before = 0;
    for (size_t i = 0; i < n; i++) {
        count[i] = kc_int(k, most > 2 ? most - 2 : 1, most);
        count[i] = count[i] > width ? width : count[i];
        start[i] = before = place(k, (int)i, outputs, width, count[i], before);
        if (start[i] + count[i] > width)
            count[i] = width - start[i];
        for (size_t j = 0; j < stride; j++) {
            size_t at = i * stride + j;
            bool used = j < (size_t)count[i];
            whole[at] = used ? kc_int(k, -(1 << 22), 1 << 22) : 0;
            low[at] = (int16_t)(whole[at] & 0x7fff);
            high[at] = (int16_t)(whole[at] >> 15);
            f32[at] = used ? f32[at] : 0;
        }
    }
    return (hst__resize_taps){.outputs = outputs,
                              .width = width,
                              .stride = (int)stride,
                              .start = start,
                              .count = count,
                              .fixed = fixed ? whole : NULL,
                              .low = fixed ? low : NULL,
                              .high = fixed ? high : NULL,
                              .f32 = fixed ? NULL : f32};
}

hst__resize_short windows_short(kcheck *k, int outputs, int width, int taps) {
    size_t n = (size_t)outputs;
    int32_t *start = kc_buffer(k, n * sizeof *start);
    int16_t *weight = kc_buffer(k, n * (size_t)taps * sizeof *weight);
    int before = taps == 4 ? -1 : 0;
    for (size_t i = 0; i < n; i++) {
        start[i] = (int)((double)i * width / outputs) - (taps == 4) + kc_int(k, 0, 1);
        start[i] = start[i] > width - 1 ? width - 1 : start[i];
        start[i] = before = start[i] < before ? before : start[i];
        int left = 1 << HST__RESIZE_SHORT_BITS, w;
        for (int t = 0; t < taps; t++, left -= w) { /* they add up to 2^11 */
            w = t == taps - 1 ? left
                              : kc_int(k, taps == 2 ? 0 : -300, taps == 2 ? left : 900);
            weight[i * (size_t)taps + (size_t)t] = (int16_t)w;
        }
    }
    return (hst__resize_short){.outputs = outputs,
                               .width = width,
                               .taps = taps,
                               .start = start,
                               .weight = weight};
}

const uint8_t **windows_rows(kcheck *k, int n, size_t bytes) {
    const uint8_t **rows = kc_buffer(k, (size_t)n * sizeof *rows);
    for (int i = 0; i < n; i++) {
        uint8_t *row = kc_buffer(k, bytes);
        kc_fill_bytes(k, row, bytes);
        if (kc_one_in(k, 8)) /* the largest sums */
            for (size_t j = 0; j < bytes; j++)
                row[j] = 255;
        rows[i] = row;
    }
    return rows;
}
