/* Texts from files: what is not UTF-8 or steers a terminal does not get through. */
#include "base/text.h"
#include "hasten/error.h"

#include "support/test.h"

static void expect(const char *given, const char *keep, const char *wanted) {
    char text[64];
    snprintf(text, sizeof text, "%s", given);
    assert_string_equal(hst__text_clean(text, keep), wanted);
}

static void good_text_stays(void **state) {
    (void)state;
    expect("", "", "");
    expect("conv_1/weight:0 ~", "", "conv_1/weight:0 ~");
    expect("Stra\xc3\x9f"
           "e \xe6\xa3\x80\xe6\xb5\x8b \xf0\x9f\x94\xa5",
           "",
           "Stra\xc3\x9f"
           "e \xe6\xa3\x80\xe6\xb5\x8b \xf0\x9f\x94\xa5");
    expect("\xc2\xa0\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf", "",
           "\xc2\xa0\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf");
}

static void controls(void **state) {
    (void)state;
    expect("a\x1b[31mb\x07\t\r\n\x7f", "", "a?[31mb?????");
    expect("one\ntwo\t", "\n", "one\ntwo?");
    expect("\xc2\x9b"
           "31m",
           "", "??31m"); /* CSI as one character */
}

static void direction_of_writing(void **state) {
    (void)state;
    expect("a\xe2\x80\xaegnp.exe", "", "a???gnp.exe"); /* right-to-left override */
    expect("\xe2\x81\xa6\xe2\x81\xa9\xe2\x80\x8f\xd8\x9c", "", "???????????");
    expect("\xe2\x80\xa8\xe2\x80\xa9", "", "??????"); /* line, paragraph */
    expect("\xe2\x80\x93\xe2\x80\xa6\xe2\x82\xac\xd8\xa7", "",
           "\xe2\x80\x93\xe2\x80\xa6\xe2\x82\xac\xd8\xa7"); /* near them */
}

static void public_name(void **state) {
    (void)state;
    char text[] = "one\ntwo\xff";
    assert_string_equal(hst_text_clean(text), "one?two?");
}

static void broken_sequences(void **state) {
    (void)state;
    expect("\x80\xbf\xc0\x80\xc1\xbf", "", "??????");
    expect("\xe0\x9f\xbf", "", "???");           /* overlong */
    expect("\xed\xa0\x80", "", "???");           /* surrogate */
    expect("\xf0\x8f\xbf\xbf", "", "????");      /* overlong */
    expect("\xf4\x90\x80\x80\xf5", "", "?????"); /* beyond U+10FFFF */
    expect("\xc3", "", "?");                     /* cut short */
    expect("\xe6\xa3", "", "??");
    expect("\xf0\x9f\x94", "", "???");
    expect("\xe6\xa3x", "", "??x");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_text_stays),      cmocka_unit_test(controls),
        cmocka_unit_test(direction_of_writing), cmocka_unit_test(public_name),
        cmocka_unit_test(broken_sequences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
