#include "plan/store_key.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/build_id.h"
#include "base/cpu.h"

enum { SAMPLE = 64 };

static void add(XXH3_state_t *s, const void *p, size_t bytes) {
    XXH3_128bits_update(s, bytes ? p : "", bytes);
}

static void add_word(XXH3_state_t *s, uint64_t word) { add(s, &word, sizeof word); }

static void add_text(XXH3_state_t *s, const char *text) {
    add(s, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void add_desc(XXH3_state_t *s, const hst__desc *d) {
    add_word(s, (uint64_t)d->dtype);
    add_word(s, (uint64_t)d->rank);
    for (int i = 0; i < d->rank; i++)
        add_word(s, (uint64_t)d->dims[i]);
}

static void add_sample(XXH3_state_t *s, const hst_tensor *t) {
    const char *p = t->data;
    add_desc(s, &t->desc);
    size_t n = t->bytes < SAMPLE ? t->bytes : SAMPLE;
    add(s, p, n);
    add(s, n ? p + t->bytes - n : p, n);
}

static void add_attr(XXH3_state_t *s, const hst__attr *a) {
    add_text(s, a->name);
    add_word(s, (uint64_t)a->type);
    add_word(s, (uint64_t)a->i);
    add(s, &a->f, sizeof a->f);
    add_text(s, a->s);
    add_word(s, a->count);
    if (a->ints)
        add(s, a->ints, a->count * sizeof *a->ints);
    if (a->floats)
        add(s, a->floats, a->count * sizeof *a->floats);
    if (a->tensor) {
        add_desc(s, &a->tensor->desc);
        add(s, a->tensor->data, a->tensor->bytes);
    }
}

static void add_ids(XXH3_state_t *s, const hst__value_id *ids, int n) {
    add_word(s, (uint64_t)n);
    add(s, ids, (size_t)n * sizeof *ids);
}

static void add_graph(XXH3_state_t *s, const hst__graph *g) {
    for (int i = 0; i < g->n_nodes; i++) {
        const hst__node *n = g->nodes[i];
        add_text(s, n->domain);
        add_text(s, n->op_type);
        add_word(s, (uint64_t)n->opset);
        add_ids(s, n->in, n->n_in);
        add_ids(s, n->out, n->n_out);
        for (int k = 0; k < n->n_attr; k++)
            add_attr(s, &n->attrs[k]);
    }
    for (int v = 0; v < g->n_values; v++)
        if (g->values[v].constant) {
            add_word(s, (uint64_t)v);
            add_sample(s, g->values[v].constant);
        }
    add_ids(s, g->inputs, g->n_inputs);
    add_ids(s, g->outputs, g->n_outputs);
}

static void finish(const XXH3_state_t *s, uint64_t out[2]) {
    XXH128_hash_t h = XXH3_128bits_digest(s);
    out[0] = h.high64;
    out[1] = h.low64;
}

bool hst__store_key(const hst__graph *graph, const hst__plan_options *options,
                    uint64_t key[2]) {
    size_t bytes;
    const void *build = hst__build_id(&bytes);
    XXH3_state_t s;
    if (!build)
        return false;
    XXH3_128bits_reset(&s);
    add_word(&s, bytes);
    add(&s, build, bytes);
    add_word(&s, (uint64_t)hst__cpu_resolve(options->cpu));
    add_word(&s, options->no_passes);
    for (int i = 0; i < graph->n_inputs; i++)
        add_desc(&s, &options->inputs[i]);
    add_graph(&s, graph);
    finish(&s, key);
    return true;
}

void hst__store_content(const hst__graph *graph, uint64_t content[2]) {
    XXH3_state_t s;
    XXH3_128bits_reset(&s);
    for (int v = 0; v < graph->n_values; v++) {
        const hst_tensor *t = graph->values[v].constant;
        if (!t)
            continue;
        add_word(&s, (uint64_t)v);
        add(&s, t->data, t->bytes);
        hst__op_release(t);
    }
    finish(&s, content);
}

void hst__store_identity(const hst__file_identity *files, size_t n,
                         uint64_t identity[2]) {
    XXH128_hash_t h = XXH3_128bits(files, n * sizeof *files);
    identity[0] = h.high64;
    identity[1] = h.low64;
}

uint64_t hst__hash_two(const void *a, size_t a_bytes, const void *b, size_t b_bytes) {
    XXH3_state_t s;
    XXH3_64bits_reset(&s);
    XXH3_64bits_update(&s, a_bytes ? a : "", a_bytes);
    XXH3_64bits_update(&s, b_bytes ? b : "", b_bytes);
    return XXH3_64bits_digest(&s);
}
