#include "ops/window.h"

#include <string.h>

hst_status hst__window_list(hst__op_ctx *c, const char *name, int n, int64_t fallback,
                            int64_t low, int64_t *out) {
    size_t count;
    const int64_t *v = hst__attr_ints(c->node, name, &count);
    if (v && count != (size_t)n)
        return hst__op_fail(c, HST_E_SHAPE, "%s has %zu values, %d are needed", name,
                            count, n);
    for (int i = 0; i < n; i++) {
        out[i] = v ? v[i] : fallback;
        if (out[i] < low || out[i] > HST__WINDOW_LIMIT)
            return hst__op_fail(c, HST_E_SHAPE, "%s has the value %lld", name,
                                (long long)out[i]);
    }
    return HST_OK;
}

hst_status hst__window_groups(hst__op_ctx *c, int64_t channels,
                              const hst__desc *weights) {
    int64_t group = hst__attr_int(c->node, "group", 1);
    if (group >= 1 && group <= HST__WINDOW_LIMIT && channels % group == 0 &&
        channels / group == weights->dims[1] && weights->dims[0] % group == 0)
        return HST_OK;
    return hst__op_fail(c, HST_E_SHAPE,
                        "%lld channels in %lld groups do not fit weights of %lld by %lld "
                        "channels",
                        (long long)channels, (long long)group,
                        (long long)weights->dims[0], (long long)weights->dims[1]);
}

static hst_status read_pads(hst__op_ctx *c, hst__window *w) {
    int64_t pads[2 * HST__WINDOW_MAX];
    hst_status st = hst__window_list(c, "pads", 2 * w->dims, 0, -HST__WINDOW_LIMIT, pads);
    for (int i = 0; !st && i < w->dims; i++) {
        w->pad_begin[i] = pads[i];
        w->pad_end[i] = pads[w->dims + i];
    }
    return st;
}

/** SAME: as many outputs as strides fit, padding shared out; VALID: none. */
static void auto_pad(const char *mode, hst__window *w) {
    for (int i = 0; i < w->dims; i++) {
        int64_t reach = (w->kernel[i] - 1) * w->dilation[i] + 1;
        int64_t out = (w->in[i] + w->stride[i] - 1) / w->stride[i];
        int64_t need = (out - 1) * w->stride[i] + reach - w->in[i];
        if (need < 0 || strcmp(mode, "VALID") == 0)
            need = 0;
        int64_t less = need / 2;
        w->pad_begin[i] = strcmp(mode, "SAME_LOWER") == 0 ? need - less : less;
        w->pad_end[i] = need - w->pad_begin[i];
    }
}

static hst_status output_size(hst__op_ctx *c, hst__window *w) {
    bool ceil_mode = hst__attr_int(c->node, "ceil_mode", 0);
    for (int i = 0; i < w->dims; i++) {
        int64_t reach = (w->kernel[i] - 1) * w->dilation[i] + 1;
        int64_t room = w->in[i] + w->pad_begin[i] + w->pad_end[i] - reach;
        if (room < 0)
            return hst__op_fail(c, HST_E_SHAPE,
                                "a window of %lld does not fit %lld padded elements",
                                (long long)reach, (long long)(room + reach));
        w->out[i] = room / w->stride[i] + 1;
        if (!ceil_mode || room % w->stride[i] == 0)
            continue;
        /* One more, unless it would start in the padding behind the input. */
        if (w->out[i] * w->stride[i] < w->in[i] + w->pad_begin[i])
            w->out[i]++;
    }
    return HST_OK;
}

static hst_status read_kernel(hst__op_ctx *c, const int64_t *weights, hst__window *w) {
    size_t listed;
    bool given = hst__attr_ints(c->node, "kernel_shape", &listed);
    if (!given && !weights)
        return hst__op_fail(c, HST_E_FORMAT, "kernel_shape is missing");
    hst_status st =
        given ? hst__window_list(c, "kernel_shape", w->dims, 1, 1, w->kernel) : HST_OK;
    for (int i = 0; !st && weights && i < w->dims; i++) {
        if (given && w->kernel[i] != weights[i])
            st = hst__op_fail(c, HST_E_SHAPE,
                              "kernel_shape says %lld where the weights have %lld",
                              (long long)w->kernel[i], (long long)weights[i]);
        w->kernel[i] = weights[i];
    }
    return st;
}

hst_status hst__window_init(hst__op_ctx *c, const hst__desc *in, bool channels_last,
                            const int64_t *kernel, hst__window *w) {
    *w = (hst__window){.dims = in->rank - 2};
    if (w->dims < 1 || w->dims > HST__WINDOW_MAX)
        return hst__op_fail(c, HST_E_UNSUPPORTED,
                            "input of rank %d; ranks 3 to 5 are supported", in->rank);
    for (int i = 0; i < w->dims; i++)
        w->in[i] = in->dims[hst__window_at(channels_last, i)];
    hst_status st = read_kernel(c, kernel, w);
    for (int i = 0; !st && i < w->dims; i++)
        if (w->kernel[i] < 1 || w->in[i] < 0 || w->in[i] > HST__WINDOW_LIMIT ||
            w->kernel[i] > HST__WINDOW_LIMIT)
            st = hst__op_fail(c, HST_E_SHAPE, "a window of size %lld",
                              (long long)w->kernel[i]);
    if (!st)
        st = hst__window_list(c, "strides", w->dims, 1, 1, w->stride);
    if (!st)
        st = hst__window_list(c, "dilations", w->dims, 1, 1, w->dilation);
    if (st)
        return st;
    const char *mode = hst__attr_string(c->node, "auto_pad", "NOTSET");
    if (strcmp(mode, "NOTSET") == 0 || !*mode)
        st = read_pads(c, w);
    else if (strcmp(mode, "SAME_UPPER") == 0 || strcmp(mode, "SAME_LOWER") == 0 ||
             strcmp(mode, "VALID") == 0)
        auto_pad(mode, w);
    else
        st = hst__op_fail(c, HST_E_UNSUPPORTED,
                          "auto_pad '%.40s'; NOTSET, SAME_UPPER, SAME_LOWER, VALID are",
                          mode);
    return st ? st : output_size(c, w);
}
