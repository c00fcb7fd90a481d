/* Pictures of any bytes: probed, decoded in several ways (JPEG also with our reader of
 * codes, which must give the same picture), resized and made a tensor. What
 * is done after decoding follows from the last bytes, which most formats do not read. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fuzz/fuzz.h"
#include "image/image.h"

/* Small, so that an input is done with in milliseconds; limits have tests of their own.
 */
enum { MAX_PIXELS = 1 << 18, MAX_SCANS = 12, MAX_TENSOR = 1 << 16 };

static void require(bool holds) {
    if (!holds)
        abort();
}

static void resize_and_convert(const hst__image *image, const uint8_t how[4]) {
    hst__resizer resizer = {0};
    hst__image out = {0};
    hst_error err;
    hst__resize_options o = {.filter = (hst__resize_filter)(how[0] % 5),
                             .convention = (hst__resize_convention)(how[1] % 3),
                             .width = how[2] % 61 + 1,
                             .height = how[3] % 47 + 1};
    hst__convert_options c = {.type = how[0] & 8 ? HST__CONVERT_U8 : HST__CONVERT_F32,
                              .hwc = how[1] & 8,
                              .bgr = how[2] & 8,
                              .channels = how[3] & 8 ? 3 : 1,
                              .scale = 1.0 / (how[0] + 1),
                              .width = 64,
                              .height = 64,
                              .x = how[1] % 4,
                              .y = how[2] % 17};
    size_t n;
    if (!hst__resizer_run(&resizer, image, &o, &out, &err) &&
        !hst__image_convert_size(&out, &c, &n, &err)) {
        require(n <= MAX_TENSOR);
        void *tensor = hst__alloc_raw(n * sizeof(float));
        if (tensor)
            require(!hst__image_convert(&out, &c, tensor, n, &err));
        hst__free(tensor);
    }
    hst__image_fini(&out);
    hst__resizer_fini(&resizer);
}

/* The verdict and the pixels of `want`, which the library alone decoded. */
static void decode_again(const uint8_t *data, size_t size, hst__decode_options o,
                         hst_status verdict, const hst__image *want) {
    hst__image image = {0};
    hst_error err = {0};
    o.cpu = hst_cpu_best();
    require(hst__image_decode(data, size, &o, &image, NULL, &err) == verdict);
    if (!verdict)
        require(image.width == want->width && image.height == want->height &&
                !memcmp(image.data, want->data, want->stride * (size_t)want->height));
    hst__image_fini(&image);
}

static void decode(const uint8_t *data, size_t size, const hst__decode_options *o,
                   const uint8_t how[4]) {
    hst__image image = {0};
    hst_error err = {0};
    hst__decode_options by_library = *o;
    by_library.cpu = HST_CPU_REF;
    hst_status verdict = hst__image_decode(data, size, &by_library, &image, NULL, &err);
    if (hst__image_detect(data, size) == HST__IMAGE_JPEG)
        decode_again(data, size, *o, verdict, &image);
    if (verdict) {
        require(*err.message);
    } else {
        require(image.data && image.width > 0 && image.height > 0);
        require(!o->channels || o->channels == image.channels);
        resize_and_convert(&image, how);
    }
    hst__image_fini(&image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const hst__decode_options ways[] = {
        {.max_pixels = MAX_PIXELS, .max_scans = MAX_SCANS},
        {.max_pixels = MAX_PIXELS,
         .max_scans = MAX_SCANS,
         .lenient = true,
         .keep16 = true,
         .channels = 4,
         .composite = true,
         .background = {9, 90, 200}},
        {.max_pixels = MAX_PIXELS,
         .max_scans = MAX_SCANS,
         .lenient = true,
         .channels = 1,
         .fast = true,
         .want_width = 12,
         .want_height = 9},
        {.max_pixels = MAX_PIXELS,
         .max_scans = MAX_SCANS,
         .ignore_orientation = true,
         .channels = 3,
         .composite = true},
    };
    uint8_t how[4] = {0};
    for (size_t i = 0; i < 4 && i < size; i++)
        how[i] = data[size - 1 - i];
    hst__image_info info;
    hst_error err = {0};
    if (hst__image_probe(data, size, &info, &err))
        require(*err.message);
    else
        require(info.width > 0 && info.height > 0 && info.channels >= 1);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        decode(data, size, &ways[i], how);
    return 0;
}
