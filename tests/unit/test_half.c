/* Half floats against the definition in double arithmetic: all 65536 of each kind, and
 * floats around every one of them. */
#include <stdbool.h>

#include "support/test.h"
#include "tensor/half.h"

/** Value of a finite half of `mantissa` bits and exponent bias `bias`, from its fields.
 */
static double value_of(uint16_t h, int mantissa, int bias) {
    int exponent = (h & 0x7fff) >> mantissa, fraction = h & ((1 << mantissa) - 1);
    double m = exponent ? fraction + (1 << mantissa) : fraction;
    double v = ldexp(m, (exponent ? exponent : 1) - bias - mantissa);
    return h & 0x8000 ? -v : v;
}

static bool is_special(uint16_t h, int mantissa) {
    return (h & 0x7fff) >> mantissa == (0x7fff >> mantissa);
}

static void check_widening(uint16_t h, float got, int mantissa, int bias) {
    uint32_t bits = hst__f32_to_bits(got);
    assert_int_equal(bits >> 31, h >> 15);
    if (!is_special(h, mantissa)) {
        assert_true(got == value_of(h, mantissa, bias));
    } else if (h & ((1 << mantissa) - 1)) {
        assert_true(isnan(got));
    } else {
        assert_true(isinf(got));
    }
}

/** Halves of the same sign in order of size, infinity last: the nearer of two neighbours,
 * the even one in between. Exact in double. */
static uint16_t nearest(float f, uint16_t low, int mantissa, int bias) {
    double a = fabs((double)f), lower = value_of(low, mantissa, bias), upper;
    uint16_t high = (uint16_t)(low + 1);
    upper = is_special(high, mantissa) /* what the next exponent would begin with */
                ? 2 * value_of((uint16_t)(low & ~((1 << mantissa) - 1)), mantissa, bias)
                : value_of(high, mantissa, bias);
    double middle = (lower + upper) / 2;
    uint16_t h = a < middle || (a == middle && !(low & 1)) ? low : high;
    return (uint16_t)(h | (signbit(f) ? 0x8000 : 0));
}

typedef uint16_t narrow(float f);

static void check_narrowing(narrow *to_half, int mantissa, int bias) {
    uint16_t last = (uint16_t)((0x7fff >> mantissa << mantissa) - 1);
    for (uint16_t low = 0; low <= last; low++) {
        uint32_t from = hst__f32_to_bits((float)value_of(low, mantissa, bias));
        uint32_t to =
            low == last
                ? 0x7f7fffffu
                : hst__f32_to_bits((float)value_of((uint16_t)(low + 1), mantissa, bias));
        uint32_t middle = from + (to - from) / 2;
        if (low == last && mantissa == 10)
            middle = hst__f32_to_bits(65520.0f);
        const uint32_t tries[] = {from,       from + 1,   middle - 1, middle,
                                  middle + 1, middle + 2, to - 1};
        for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
            if (tries[i] < from || (tries[i] >= to && low != last) || tries[i] > to)
                continue;
            float f = hst__bits_to_f32(tries[i]);
            assert_int_equal(to_half(f), nearest(f, low, mantissa, bias));
            assert_int_equal(to_half(-f), nearest(-f, low, mantissa, bias));
        }
    }
    assert_int_equal(to_half(INFINITY), last + 1);
    assert_int_equal(to_half(-INFINITY), 0x8000 | (last + 1));
}

static void f16(void **state) {
    (void)state;
    for (int h = 0; h < 65536; h++) {
        float f = hst__f16_to_f32((uint16_t)h);
        check_widening((uint16_t)h, f, 10, 15);
        if (!isnan(f))
            assert_int_equal(hst__f32_to_f16(f), h);
        else
            assert_int_equal(hst__f32_to_f16(f), h | 0x200); /* quiet */
    }
    check_narrowing(hst__f32_to_f16, 10, 15);
    assert_int_equal(hst__f32_to_f16(1e10f), 0x7c00);
    assert_int_equal(hst__f32_to_f16(-1e-30f), 0x8000);
    assert_int_equal(hst__f32_to_f16(hst__bits_to_f32(0x7f800001u)), 0x7e00);
}

static void bf16(void **state) {
    (void)state;
    for (int h = 0; h < 65536; h++) {
        float f = hst__bf16_to_f32((uint16_t)h);
        check_widening((uint16_t)h, f, 7, 127);
        if (!isnan(f))
            assert_int_equal(hst__f32_to_bf16(f), h);
        else
            assert_int_equal(hst__f32_to_bf16(f), h | 0x40);
    }
    check_narrowing(hst__f32_to_bf16, 7, 127);
    assert_int_equal(hst__f32_to_bf16(hst__bits_to_f32(0x7fffffffu)), 0x7fff);
    assert_int_equal(hst__f32_to_bf16(hst__bits_to_f32(0xff800001u)), 0xffc0);
    assert_int_equal(hst__f32_to_bf16(3.4028234e38f), 0x7f80); /* rounds up to infinity */
}

static void arrays(void **state) {
    (void)state;
    const float floats[] = {1.0f, -2.5f, 0.0f, 65504.0f, 1e-7f};
    float back[5];
    unsigned char buffer[11]; /* the halves begin at an odd address */
    hst__f32_to_f16_array(floats, buffer + 1, 5);
    hst__f16_to_f32_array(buffer + 1, back, 5);
    for (int i = 0; i < 5; i++)
        assert_true(back[i] == hst__f16_to_f32(hst__f32_to_f16(floats[i])));
    assert_true(back[1] == -2.5f);
    hst__f32_to_bf16_array(floats, buffer + 1, 5);
    hst__bf16_to_f32_array(buffer + 1, back, 5);
    for (int i = 0; i < 5; i++)
        assert_true(back[i] == hst__bf16_to_f32(hst__f32_to_bf16(floats[i])));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(f16), cmocka_unit_test(bf16),
                                       cmocka_unit_test(arrays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
