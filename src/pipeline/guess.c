/* Without a manifest and a preset: what the shapes of inputs and outputs suggest. */
#include "pipeline/guess.h"

static bool rank3(const hst_value_info *v, int64_t last) {
    return v->tensor.rank == 3 && v->tensor.dims[2] == last;
}

static bool is_ultraface(const hst_value_info *o, size_t n) {
    return n == 2 &&
           ((rank3(&o[0], 2) && rank3(&o[1], 4)) || (rank3(&o[0], 4) && rank3(&o[1], 2)));
}

/** Cells of grids with stride 8, 16 and 32 together. */
static int64_t cells(const hst_tensor_info *image) {
    int64_t h = image->dims[2], w = image->dims[3], sum = 0;
    for (int s = 8; s <= 32; s *= 2)
        sum += (h / s) * (w / s);
    return h > 0 && w > 0 ? sum : -1;
}

const char *hst__guess_preset(const hst_tensor_info *image, const hst_value_info *outputs,
                              size_t n) {
    const hst_tensor_info *o = n ? &outputs[0].tensor : NULL;
    if (is_ultraface(outputs, n))
        return "ultraface";
    if (n == 12 && rank3(&outputs[0], 1))
        return "yunet";
    if (n == 1 && o->rank == 4 && o->dims[1] >= 6 && o->dims[2] == 22 && o->dims[3] == 22)
        return "fastestdet";
    if (n >= 1 && o->rank == 3 && o->dims[2] >= 6 && o->dims[1] > o->dims[2])
        return o->dims[1] == cells(image) ? "yolox" : "yolov5";
    if (n == 1 && o->rank == 3 && o->dims[1] >= 5 && o->dims[2] > o->dims[1])
        return "yolov8";
    bool vector =
        n == 1 && (o->rank == 2 || (o->rank == 4 && o->dims[2] == 1 && o->dims[3] == 1));
    return vector ? "imagenet" : "raw";
}
