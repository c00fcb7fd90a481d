/* Classes: probabilities of the output, the best first. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "pipeline/pipeline.h"

/** Values in 0..1 that add up to 1 are probabilities already. */
static bool are_probabilities(const float *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(x[i] >= 0 && x[i] <= 1.0001f))
            return false;
        sum += x[i];
    }
    return fabs(sum - 1) < 0.01;
}

/** NaN stays NaN and takes no part. */
static void softmax(float *x, size_t n) {
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        most = x[i] > most ? x[i] : most;
    for (size_t i = 0; i < n; i++)
        sum += isnan(x[i]) ? 0 : exp(x[i] - most);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(exp(x[i] - most) / sum);
}

static hst_status read_values(hst_pipeline *p, const hst_tensor *t, hst_error *err) {
    size_t n = hst_tensor_count(t);
    if (t->desc.dtype != HST_DTYPE_F32 && t->desc.dtype != HST_DTYPE_U8)
        return hst__fail(err, HST_E_TYPE,
                         "the output to classify by is %s; f32 or u8 is expected",
                         hst_dtype_name(t->desc.dtype));
    if (n == 0)
        return hst__fail(err, HST_E_SHAPE, "the output to classify by is empty");
    if (p->n_probabilities < n) {
        hst__free(p->probabilities);
        p->probabilities = hst__alloc(n * sizeof(float));
        p->n_probabilities = p->probabilities ? n : 0;
        if (!p->probabilities)
            return hst__fail_nomem(err, n * sizeof(float));
    }
    for (size_t i = 0; i < n; i++)
        p->probabilities[i] = t->desc.dtype == HST_DTYPE_U8
                                  ? ((const uint8_t *)t->data)[i]
                                  : ((const float *)t->data)[i];
    return HST_OK;
}

/** Insertion into a short list; ties keep the lower index first, NaN never gets in. */
static void keep_best(hst_pipeline *p, int index, float score) {
    int at = p->n_classes;
    while (at > 0 && score > (float)p->classes[at - 1].score)
        at--;
    if (isnan(score) || at >= p->m.top_k)
        return;
    if (p->n_classes < p->m.top_k)
        p->n_classes++;
    memmove(p->classes + at + 1, p->classes + at,
            (size_t)(p->n_classes - at - 1) * sizeof *p->classes);
    int label = index + p->m.label_offset;
    p->classes[at] = (hst_class){.index = index, .score = (double)score};
    if (label >= 0 && label < p->m.n_labels)
        p->classes[at].label = p->m.labels[label];
}

hst_status hst__classify(hst_pipeline *p, const hst_tensor *const *outputs, size_t n,
                         hst_error *err) {
    if ((size_t)p->output_index >= n)
        return hst__fail(err, HST_E_ARG, "output %d of %zu is missing", p->output_index,
                         n);
    const hst_tensor *t = outputs[p->output_index];
    hst_status st = read_values(p, t, err);
    if (st)
        return st;
    size_t count = hst_tensor_count(t);
    if (p->m.softmax == HST__SOFTMAX_YES || (p->m.softmax == HST__SOFTMAX_AUTO &&
                                             !are_probabilities(p->probabilities, count)))
        softmax(p->probabilities, count);
    p->n_classes = 0;
    for (size_t i = 0; i < count; i++)
        keep_best(p, (int)i, p->probabilities[i]);
    if (p->n_classes == 0)
        return hst__fail(err, HST_E_FORMAT,
                         "the network answers NaN or infinity: no class can be named");
    return HST_OK;
}
