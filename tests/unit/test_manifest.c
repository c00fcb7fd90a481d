/* The manifest: what is refused and what the refusal says, what is read, presets,
 * options. */
#include <stdlib.h>
#include <unistd.h>

#include "pipeline/manifest.h"
#include "support/test.h"

#define S "\"schema\":\"hasten-manifest-1\""
#define INPUT(keys) "{" S ",\"input\":{" keys "}}"
#define RESIZE(keys) INPUT("\"resize\":{" keys "}")
#define OUTPUT(keys) "{" S ",\"output\":{" keys "}}"

static hst_status parse(hst__manifest *m, const char *text, size_t size, hst_error *err) {
    *m = (hst__manifest){0};
    hst_status st = hst__manifest_preset("raw", m, err);
    return st ? st : hst__manifest_parse(m, text, size, "/nowhere", err);
}

static const struct wrong {
    const char *text;
    hst_status status;
    const char *message; /* part of it */
} wrong_ones[] = {
    /* not JSON, or not only JSON */
    {"", HST_E_FORMAT, "line 1, column"},
    {" \n\n ", HST_E_FORMAT, "not valid JSON"},
    {"{", HST_E_FORMAT, "line 1, column"},
    {"{" S ",\n\"task\":", HST_E_FORMAT, "line 2, column"},
    {"{" S ",\n\n\"task\":tru}", HST_E_FORMAT, "line 3, column"},
    {"{" S ",}", HST_E_FORMAT, "not valid JSON"},
    {"{" S "} {}", HST_E_FORMAT, "something follows"},
    {"{" S "}\n\nx", HST_E_FORMAT, "line 3: something follows"},
    {"{" S ",\"model\":\"a\\u0000b\"}", HST_E_FORMAT, "NUL"},
    {"\xff\xfe{\0", HST_E_FORMAT, "not valid JSON"},
    /* not an object */
    {"[]", HST_E_FORMAT, "an object {...} is expected"},
    {"1", HST_E_FORMAT, "an object {...} is expected"},
    {"null", HST_E_FORMAT, "an object {...} is expected"},
    {"\""
     "text\"",
     HST_E_FORMAT, "an object {...} is expected"},
    {"{" S ",\"input\":[]}", HST_E_FORMAT, "manifest: input: an object"},
    {"{" S ",\"input\":null}", HST_E_FORMAT, "manifest: input: an object"},
    {"{" S ",\"output\":3}", HST_E_FORMAT, "manifest: output: an object"},
    {INPUT("\"resize\":\"crop\""), HST_E_FORMAT, "input.resize: an object"},
    /* schema */
    {"{}", HST_E_FORMAT, "schema: \"hasten-manifest-1\" is expected"},
    {"{\"schema\":\"hasten-manifest-2\"}", HST_E_FORMAT, "schema: one of"},
    {"{\"schema\":1}", HST_E_FORMAT, "schema: one of"},
    /* unknown keys, at each level */
    {"{" S ",\"inputs\":{}}", HST_E_FORMAT,
     "inputs: this key is not known; here may stand"},
    {"{" S ",\"Task\":\"raw\"}", HST_E_FORMAT, "Task: this key is not known"},
    {"{" S ",\"\":1}", HST_E_FORMAT, "this key is not known"},
    {INPUT("\"sclae\":1"), HST_E_FORMAT, "input.sclae: this key is not known"},
    {RESIZE("\"size\":224"), HST_E_FORMAT, "input.resize.size: this key is not known"},
    {OUTPUT("\"topk\":1"), HST_E_FORMAT, "output.topk: this key is not known"},
    /* twice */
    {"{" S "," S "}", HST_E_FORMAT, "schema: this key is given twice"},
    {INPUT("\"mean\":1,\"std\":2,\"mean\":1"), HST_E_FORMAT,
     "input.mean: this key is given"},
    {RESIZE("\"pad\":1,\"pad\":1"), HST_E_FORMAT, "input.resize.pad: this key is given"},
    {OUTPUT("\"iou\":1,\"iou\":1"), HST_E_FORMAT, "output.iou: this key is given"},
    /* types */
    {"{" S ",\"model\":1}", HST_E_FORMAT, "model: a text is expected"},
    {"{" S ",\"preset\":true}", HST_E_FORMAT, "preset: a text is expected"},
    {"{" S ",\"task\":1}", HST_E_FORMAT, "task: one of raw, classify, detect"},
    {INPUT("\"name\":1"), HST_E_FORMAT, "input.name: a text"},
    {INPUT("\"reduced_decode\":1"), HST_E_FORMAT, "reduced_decode: true or false"},
    {INPUT("\"fast_decode\":\"yes\""), HST_E_FORMAT, "fast_decode: true or false"},
    {INPUT("\"scale\":\"1/255\""), HST_E_FORMAT, "input.scale: a number"},
    {INPUT("\"mean\":\"1\""), HST_E_FORMAT, "input.mean: a number, or one for each"},
    {INPUT("\"mean\":[1,\"2\",3]"), HST_E_FORMAT, "input.mean: a number"},
    {INPUT("\"mean\":[]"), HST_E_FORMAT, "input.mean: a number"},
    {INPUT("\"mean\":[1,2]"), HST_E_FORMAT, "input.mean: a number"},
    {INPUT("\"mean\":[1,2,3,4]"), HST_E_FORMAT, "input.mean: a number"},
    {INPUT("\"mean\":[[1],2,3]"), HST_E_FORMAT, "input.mean: a number"},
    {INPUT("\"std\":null"), HST_E_FORMAT, "input.std: a positive number"},
    {OUTPUT("\"softmax\":\"yes\""), HST_E_FORMAT, "softmax: true, false or \"auto\""},
    {OUTPUT("\"softmax\":1"), HST_E_FORMAT, "softmax: true, false or \"auto\""},
    {OUTPUT("\"labels\":{}"), HST_E_FORMAT, "output.labels: a list of names"},
    {OUTPUT("\"labels\":[\"a\",1]"), HST_E_FORMAT, "output.labels: element 1: a text"},
    {OUTPUT("\"class_agnostic\":0"), HST_E_FORMAT, "class_agnostic: true or false"},
    {OUTPUT("\"decoded\":\"no\""), HST_E_FORMAT, "decoded: true or false"},
    /* ranges */
    {RESIZE("\"width\":0"), HST_E_FORMAT, "width: a whole number from 1 to 16384"},
    {RESIZE("\"width\":16385"), HST_E_FORMAT, "width: a whole number"},
    {RESIZE("\"height\":224.5"), HST_E_FORMAT, "height: a whole number"},
    {RESIZE("\"height\":-1"), HST_E_FORMAT, "height: a whole number"},
    {RESIZE("\"height\":1e999"), HST_E_FORMAT, "height: a whole number"},
    {RESIZE("\"height\":99999999999999999999999999"), HST_E_FORMAT, "height: a whole"},
    {RESIZE("\"shorter_side\":0"), HST_E_FORMAT, "shorter_side: a whole number"},
    {RESIZE("\"pad\":-1"), HST_E_FORMAT, "pad: a number from 0 to 65535"},
    {INPUT("\"scale\":0"), HST_E_FORMAT, "input.scale: a number from"},
    {INPUT("\"scale\":-1"), HST_E_FORMAT, "input.scale: a number from"},
    {INPUT("\"mean\":1e7"), HST_E_FORMAT, "input.mean: a number"},
    {INPUT("\"mean\":-1e999"), HST_E_FORMAT, "input.mean: a number"},
    {INPUT("\"std\":0"), HST_E_FORMAT, "input.std: a positive number"},
    {INPUT("\"std\":[1,1,-1]"), HST_E_FORMAT, "input.std: a positive number"},
    {OUTPUT("\"top_k\":0"), HST_E_FORMAT, "top_k: a whole number from 1 to 1000"},
    {OUTPUT("\"top_k\":1001"), HST_E_FORMAT, "top_k: a whole number"},
    {OUTPUT("\"label_offset\":1001"), HST_E_FORMAT, "label_offset: a whole number"},
    {OUTPUT("\"score\":1.5"), HST_E_FORMAT, "score: a number from 0 to 1"},
    {OUTPUT("\"score\":-0.1"), HST_E_FORMAT, "score: a number from 0 to 1"},
    {OUTPUT("\"iou\":2"), HST_E_FORMAT, "iou: a number from 0 to 1"},
    {OUTPUT("\"max_detections\":0"), HST_E_FORMAT, "max_detections: a whole number"},
    /* words */
    {"{" S ",\"preset\":\"resnet\"}", HST_E_FORMAT, "there is no preset 'resnet'"},
    {"{" S ",\"task\":\"segment\"}", HST_E_FORMAT, "task: one of raw, classify, detect"},
    {RESIZE("\"mode\":\"pad\""), HST_E_FORMAT,
     "mode: one of stretch, letterbox, crop, none"},
    {RESIZE("\"filter\":\"linear\""), HST_E_FORMAT, "filter: one of nearest, bilinear"},
    {RESIZE("\"convention\":\"PIL\""), HST_E_FORMAT, "convention: one of pillow, opencv"},
    {RESIZE("\"align\":\"left\""), HST_E_FORMAT, "align: one of centre, top-left"},
    {INPUT("\"color\":\"RGB\""), HST_E_FORMAT, "color: one of rgb, bgr, grey"},
    {INPUT("\"layout\":\"chw\""), HST_E_FORMAT, "layout: one of nchw, nhwc"},
    {INPUT("\"dtype\":\"f16\""), HST_E_FORMAT, "dtype: one of f32, u8"},
    {OUTPUT("\"detector\":\"ssd\""), HST_E_FORMAT, "detector: one of ultraface"},
    /* label files */
    {OUTPUT("\"labels\":\"\""), HST_E_FORMAT, "output.labels: a list of names"},
    {OUTPUT("\"labels\":\"../secret\""), HST_E_FORMAT, "in the folder of the manifest"},
    {OUTPUT("\"labels\":\"a/../../b\""), HST_E_FORMAT, "in the folder of the manifest"},
    {OUTPUT("\"labels\":\"/etc/passwd\""), HST_E_FORMAT, "in the folder of the manifest"},
    {OUTPUT("\"labels\":\"absent.txt\""), HST_E_IO, "/nowhere/absent.txt"},
};

static void expect(const char *text, size_t size, hst_status status,
                   const char *message) {
    hst__manifest m;
    hst_error err = {0};
    hst_status st = parse(&m, text, size, &err);
    if (st != status || err.status != status || !strstr(err.message, message))
        fail_msg("%.80s: status %d, \"%s\"; wanted %d, \"%s\"", text, st,
                 st ? err.message : "", status, message);
    hst__manifest_fini(&m);
}

static void wrong_manifests_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong_ones / sizeof *wrong_ones; i++)
        expect(wrong_ones[i].text, strlen(wrong_ones[i].text), wrong_ones[i].status,
               wrong_ones[i].message);
}

static void sizes_and_depths_are_bounded(void **state) {
    (void)state;
    enum { BIG = (1 << 20) + 1 };
    char *text = malloc(BIG);
    assert_non_null(text);
    memset(text, ' ', BIG);
    memcpy(text, "{" S "}", sizeof "{" S "}" - 1);
    expect(text, BIG, HST_E_LIMIT, "larger than 1048576 bytes");
    hst__manifest m;
    hst_error err;
    assert_ok(parse(&m, text, BIG - 1, &err), &err); /* the largest there may be */
    hst__manifest_fini(&m);

    memset(text, '[', BIG); /* a million levels */
    expect(text, BIG - 1, HST_E_FORMAT, "not valid JSON");
    text[0] = '{', text[1] = 0;
    expect(text, 100, HST_E_FORMAT, "NUL");

    size_t at = (size_t)sprintf(text, "{" S); /* 170,000 unknown keys take no time */
    while (at + 10 < BIG)
        at += (size_t)sprintf(text + at, ",\"a\":1");
    text[at++] = '}';
    expect(text, at, HST_E_FORMAT, "a: this key is not known");
    at = (size_t)sprintf(text, "{" S ",\"output\":{\"labels\":[\"\"");
    for (int i = 1; i < 100001; i++)
        at += (size_t)sprintf(text + at, ",\"\"");
    at += (size_t)sprintf(text + at, "]}}");
    expect(text, at, HST_E_FORMAT, "at most 100000 labels");
    free(text);
}

static const char everything[] =
    "{" S ",\"model\":\"m.onnx\",\"preset\":\"yolox\",\"task\":\"classify\",\"input\":{"
    "\"name\":\"data\",\"reduced_decode\":true,\"fast_decode\":true,\"resize\":{\"mode\":"
    "\"crop\",\"width\":"
    "320,"
    "\"height\":240,\"shorter_side\":300,\"filter\":\"lanczos\",\"convention\":"
    "\"pillow12\","
    "\"pad\":7.5,\"align\":\"centre\"},\"color\":\"grey\",\"scale\":0.5,\"mean\":[1,2,3],"
    "\"std\":4,\"layout\":\"nhwc\",\"dtype\":\"u8\"},\"output\":{\"name\":\"prob\","
    "\"softmax\":true,\"top_k\":9,\"labels\":[\"cat\",\"d\\u00f6g\",\"\"],"
    "\"label_offset\":-1,\"detector\":\"yolov8\",\"score\":0.125,\"iou\":1,"
    "\"max_detections\":10000,\"class_agnostic\":true,\"decoded\":true}}\n";

static void every_key_is_read(void **state) {
    (void)state;
    hst__manifest m;
    hst_error err;
    assert_ok(parse(&m, everything, sizeof everything - 1, &err), &err);
    assert_int_equal(m.task, HST_TASK_CLASSIFY);
    assert_string_equal(m.input, "data");
    assert_true(m.reduced_decode);
    assert_true(m.fast_decode);
    assert_int_equal(m.fit, HST__FIT_CROP);
    assert_int_equal(m.width, 320);
    assert_int_equal(m.height, 240);
    assert_int_equal(m.shorter_side, 300);
    assert_int_equal(m.filter, HST__RESIZE_LANCZOS);
    assert_int_equal(m.convention, HST__RESIZE_PILLOW12);
    assert_close(m.pad, 7.5, 0);
    assert_false(m.top_left); /* the preset's was true */
    assert_int_equal(m.color, HST__COLOR_GREY);
    assert_close(m.scale, 0.5, 0);
    for (int i = 0; i < 3; i++) {
        assert_close(m.mean[i], i + 1, 0);
        assert_close(m.std[i], 4, 0);
    }
    assert_int_equal(m.layout, HST__LAYOUT_NHWC);
    assert_true(m.u8);
    assert_string_equal(m.output, "prob");
    assert_int_equal(m.softmax, HST__SOFTMAX_YES);
    assert_int_equal(m.top_k, 9);
    assert_int_equal(m.n_labels, 3);
    assert_string_equal(m.labels[0], "cat");
    assert_string_equal(m.labels[1], "d\xc3\xb6g");
    assert_string_equal(m.labels[2], "");
    assert_int_equal(m.label_offset, -1);
    assert_int_equal(m.detector, HST__DETECTOR_YOLOV8);
    assert_close(m.score, 0.125, 0);
    assert_close(m.iou, 1, 0);
    assert_int_equal(m.max_detections, 10000);
    assert_true(m.class_agnostic);
    assert_true(m.decoded);
    hst__manifest_fini(&m);
}

static void presets_and_what_stands_over_them(void **state) {
    (void)state;
    static const char *const names[] = {"imagenet", "yolo",      "yolov5", "yolov8",
                                        "yolo11",   "yolox",     "raw",    "ultraface",
                                        "yunet",    "fastestdet"};
    hst__manifest m = {0};
    hst_error err;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_ok(hst__manifest_preset(names[i], &m, &err), &err);
        assert_true(m.scale > 0 && m.std[0] > 0 && m.std[2] > 0 && m.top_k > 0);
        assert_true(m.max_detections > 0 && m.input && m.output);
        assert_int_equal(m.task, i == 0               ? HST_TASK_CLASSIFY
                                 : names[i][0] == 'r' ? HST_TASK_RAW
                                                      : HST_TASK_DETECT);
    }
    assert_int_equal(hst__manifest_preset("x", &m, &err), HST_E_ARG);
    assert_non_null(strstr(err.message, "ultraface"));

    static const char text[] = "{\"output\":{\"iou\":0.5}," S ",\"preset\":\"imagenet\","
                               "\"input\":{\"mean\":0.25}}";
    assert_ok(parse(&m, text, sizeof text - 1, &err), &err);
    assert_int_equal(m.fit, HST__FIT_CROP);
    assert_close(m.scale, 1.0 / 255, 0);
    assert_close(m.mean[2], 0.25, 0);
    assert_close(m.std[2], 0.225, 0);
    assert_close(m.iou, 0.5, 0); /* stood before the preset */
    assert_int_equal(m.softmax, HST__SOFTMAX_AUTO);
    hst__manifest_fini(&m);
}

static void options_stand_over_the_manifest(void **state) {
    (void)state;
    hst__manifest m;
    hst_error err;
    hst_pipeline_options o;
    assert_ok(parse(&m, everything, sizeof everything - 1, &err), &err);
    hst_pipeline_options_init(&o);
    assert_ok(hst__manifest_override(&m, &o, &err), &err); /* nothing given */
    assert_int_equal(m.width, 320);
    assert_close(m.score, 0.125, 0);
    assert_close(m.mean[1], 2, 0);
    o.width = 64, o.height = 32, o.fit = "stretch", o.filter = "area";
    o.convention = "opencv", o.color = "bgr", o.layout = "nchw", o.scale = 2;
    o.n_mean = 1, o.mean[0] = 5, o.n_std = 3, o.std[0] = 1, o.std[1] = 2, o.std[2] = 3;
    o.top_k = 2, o.score = 0, o.iou = 0.25;
    assert_ok(hst__manifest_override(&m, &o, &err), &err);
    assert_int_equal(m.width, 64);
    assert_int_equal(m.height, 32);
    assert_int_equal(m.fit, HST__FIT_STRETCH);
    assert_int_equal(m.filter, HST__RESIZE_AREA);
    assert_int_equal(m.convention, HST__RESIZE_OPENCV);
    assert_int_equal(m.color, HST__COLOR_BGR);
    assert_int_equal(m.layout, HST__LAYOUT_NCHW);
    assert_close(m.scale, 2, 0);
    assert_close(m.mean[2], 5, 0);
    assert_close(m.std[2], 3, 0);
    assert_int_equal(m.top_k, 2);
    assert_close(m.score, 0, 0);
    assert_close(m.iou, 0.25, 0);

    const hst_pipeline_options good = o;
#define REFUSED(change, part)                                                            \
    do {                                                                                 \
        o = good;                                                                        \
        change;                                                                          \
        assert_int_equal(hst__manifest_override(&m, &o, &err), HST_E_ARG);               \
        if (!strstr(err.message, part))                                                  \
            fail_msg("%s: %s", #change, err.message);                                    \
    } while (0)
    REFUSED(o.fit = "squash", "fit 'squash' is not one of stretch, letterbox");
    REFUSED(o.filter = "", "filter '' is not one of");
    REFUSED(o.convention = "PIL", "is not one of pillow, opencv");
    REFUSED(o.color = "argb", "is not one of rgb, bgr, grey");
    REFUSED(o.layout = "hwc", "is not one of nchw, nhwc");
    REFUSED(o.width = 20000, "size 20000x32");
    REFUSED(o.height = 0, "size 64x0");
    REFUSED(o.scale = -1, "scale -1");
    REFUSED(o.scale = NAN, "scale");
    REFUSED(o.n_mean = 2, "mean: 1 or 3 numbers");
    REFUSED(o.mean[0] = INFINITY, "mean inf");
    REFUSED(o.std[1] = 0, "std 0 is not positive");
    REFUSED(o.top_k = 1001, "top-k 1001");
    REFUSED(o.top_k = -1, "top-k -1");
    REFUSED(o.score = 1.01, "score 1.01");
    REFUSED(o.iou = NAN, "iou");
#undef REFUSED
    hst__manifest_fini(&m);
}

static void labels_from_a_file(void **state) {
    (void)state;
    char path[] = "/tmp/hasten-labels-XXXXXX", manifest[200];
    static const char text[] = "one\r\n\ntwo words\nlast";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    hst__manifest m = {0};
    hst_error err;
    int n = snprintf(manifest, sizeof manifest, OUTPUT("\"labels\":\"%s\""), path + 5);
    assert_ok(hst__manifest_preset("raw", &m, &err), &err);
    assert_ok(hst__manifest_parse(&m, manifest, (size_t)n, "/tmp", &err), &err);
    unlink(path);
    assert_int_equal(m.n_labels, 4);
    assert_string_equal(m.labels[0], "one");
    assert_string_equal(m.labels[1], "");
    assert_string_equal(m.labels[2], "two words");
    assert_string_equal(m.labels[3], "last");
    assert_int_equal(hst__manifest_labels(&m, "/tmp", &err), HST_E_IO);
    hst__manifest_fini(&m);
}

static size_t calls, failing; /* failing: number of the call that fails, 0 for none */

static bool hook(size_t bytes, void *user) {
    (void)bytes;
    (void)user;
    return ++calls != failing;
}

static void every_allocation_fails_once(void **state) {
    (void)state;
    hst__manifest m;
    hst_error err;
    char *text = malloc(100000); /* many labels: the arena takes several blocks */
    assert_non_null(text);
    int n = sprintf(text, "{" S ",\"output\":{\"labels\":[\"first\"");
    for (int i = 0; i < 3000; i++)
        n += sprintf(text + n, ",\"label %d\"", i);
    n += sprintf(text + n, "]}}");
    hst__alloc_set_hook(hook, NULL);
    calls = failing = 0;
    assert_ok(parse(&m, text, (size_t)n, &err), &err);
    size_t total = calls;
    assert_true(total >= 2);
    hst__manifest_fini(&m);
    for (failing = 1; failing <= total; failing++) {
        calls = 0;
        hst_status st = parse(&m, text, (size_t)n, &err);
        hst__manifest_fini(&m);
        if (st != HST_E_NOMEM)
            fail_msg("allocation %zu of %zu failed, status %d", failing, total, st);
    }
    failing = 0;
    assert_ok(parse(&m, text, (size_t)n, &err), &err);
    assert_int_equal(m.n_labels, 3001);
    hst__manifest_fini(&m);
    hst__alloc_set_hook(NULL, NULL);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_manifests_say_what_is_wrong),
        cmocka_unit_test(sizes_and_depths_are_bounded),
        cmocka_unit_test(every_key_is_read),
        cmocka_unit_test(presets_and_what_stands_over_them),
        cmocka_unit_test(options_stand_over_the_manifest),
        cmocka_unit_test(labels_from_a_file),
        cmocka_unit_test(every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
