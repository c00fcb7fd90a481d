#include <string.h>

#include "graph/graph.h"

const hst__attr *hst__attr_get(const hst__node *n, const char *name) {
    for (int i = 0; i < n->n_attr; i++)
        if (strcmp(n->attrs[i].name, name) == 0)
            return &n->attrs[i];
    return NULL;
}

int64_t hst__attr_int(const hst__node *n, const char *name, int64_t fallback) {
    const hst__attr *a = hst__attr_get(n, name);
    return a && a->type == HST__ATTR_INT ? a->i : fallback;
}

float hst__attr_float(const hst__node *n, const char *name, float fallback) {
    const hst__attr *a = hst__attr_get(n, name);
    return a && a->type == HST__ATTR_FLOAT ? a->f : fallback;
}

const char *hst__attr_string(const hst__node *n, const char *name, const char *fallback) {
    const hst__attr *a = hst__attr_get(n, name);
    return a && a->type == HST__ATTR_STRING ? a->s : fallback;
}

const int64_t *hst__attr_ints(const hst__node *n, const char *name, size_t *count) {
    const hst__attr *a = hst__attr_get(n, name);
    bool there = a && a->type == HST__ATTR_INTS;
    *count = there ? a->count : 0;
    return there ? a->ints : NULL;
}

const float *hst__attr_floats(const hst__node *n, const char *name, size_t *count) {
    const hst__attr *a = hst__attr_get(n, name);
    bool there = a && a->type == HST__ATTR_FLOATS;
    *count = there ? a->count : 0;
    return there ? a->floats : NULL;
}

/** The attribute's place in a fresh array: attributes may be shared with a source graph.
 */
static hst__attr *set(hst__graph *g, hst__node *n, const char *name) {
    hst__attr *attrs = hst__arena_array(&g->arena, (size_t)n->n_attr + 1, sizeof *attrs);
    if (!attrs)
        return NULL;
    if (n->n_attr)
        memcpy(attrs, n->attrs, (size_t)n->n_attr * sizeof *attrs);
    n->attrs = attrs;
    for (int i = 0; i < n->n_attr; i++)
        if (strcmp(attrs[i].name, name) == 0)
            return &attrs[i];
    char *copy = hst__arena_strndup(&g->arena, name, strlen(name));
    if (!copy)
        return NULL;
    attrs[n->n_attr].name = copy;
    return &attrs[n->n_attr++];
}

bool hst__attr_set_int(hst__graph *g, hst__node *n, const char *name, int64_t value) {
    hst__attr *a = set(g, n, name);
    if (a)
        *a = (hst__attr){.name = a->name, .type = HST__ATTR_INT, .i = value};
    return a;
}

bool hst__attr_set_float(hst__graph *g, hst__node *n, const char *name, float value) {
    hst__attr *a = set(g, n, name);
    if (a)
        *a = (hst__attr){.name = a->name, .type = HST__ATTR_FLOAT, .f = value};
    return a;
}

bool hst__attr_set_ints(hst__graph *g, hst__node *n, const char *name,
                        const int64_t *values, size_t count) {
    int64_t *copy = hst__arena_array(&g->arena, count, sizeof *copy);
    hst__attr *a = copy ? set(g, n, name) : NULL;
    if (!a)
        return false;
    if (count)
        memcpy(copy, values, count * sizeof *copy);
    *a = (hst__attr){
        .name = a->name, .type = HST__ATTR_INTS, .ints = copy, .count = count};
    return true;
}
