#include "plan/cache.h"

#include <string.h>

#include "base/clock.h"

void hst__plan_cache_init(hst__plan_cache *c) {
    *c = (hst__plan_cache){0};
    pthread_mutex_init(&c->lock, NULL);
}

static void destroy_entry(hst__plan_entry *e) {
    if (!e)
        return;
    hst__plan_destroy(e->plan);
    for (int i = 0; e->values && i < e->n_inputs; i++)
        hst_tensor_destroy(e->values[i]);
    hst__free(e->values);
    hst__free(e->inputs);
    hst__free(e);
}

void hst__plan_cache_fini(hst__plan_cache *c) {
    for (hst__plan_entry *e = c->entries, *next; e; e = next) {
        next = e->next;
        destroy_entry(e);
    }
    pthread_mutex_destroy(&c->lock);
}

static bool same_value(const hst_tensor *a, const hst_tensor *b) {
    if (!a || !b)
        return a == b;
    return a->bytes == b->bytes && memcmp(a->data, b->data, a->bytes) == 0;
}

static bool fits(const hst__plan_entry *e, const hst__plan_options *o) {
    if (e->threads != o->threads || e->cpu != o->cpu || e->no_passes != o->no_passes)
        return false;
    for (int i = 0; i < e->n_inputs; i++)
        if (e->inputs[i].dtype != o->inputs[i].dtype ||
            !hst__desc_equal_shape(&e->inputs[i], &o->inputs[i]) ||
            !same_value(e->values[i], o->values ? o->values[i] : NULL))
            return false;
    return true;
}

static hst_status copy_key(hst__plan_entry *e, const hst__plan_options *o,
                           hst_error *err) {
    size_t n = (size_t)e->n_inputs;
    e->threads = o->threads;
    e->cpu = o->cpu;
    e->no_passes = o->no_passes;
    e->inputs = hst__alloc(n * sizeof *e->inputs);
    e->values = hst__alloc(n * sizeof *e->values);
    if (!e->inputs || !e->values)
        return hst__fail_nomem(err, n * sizeof *e->inputs);
    for (size_t i = 0; i < n; i++) {
        e->inputs[i] = o->inputs[i];
        if (!o->values || !o->values[i])
            continue;
        hst_status st = hst_tensor_create(&o->values[i]->desc, &e->values[i], err);
        if (st)
            return st;
        memcpy(e->values[i]->data, o->values[i]->data, o->values[i]->bytes);
    }
    return HST_OK;
}

static hst_status make_entry(const hst__graph *graph, const hst__plan_options *options,
                             hst__plan_entry **out, hst_error *err) {
    hst__plan_entry *e = hst__alloc(sizeof *e);
    if (!e)
        return hst__fail_nomem(err, sizeof *e);
    e->n_inputs = graph->n_inputs;
    uint64_t start = hst__clock_ns();
    hst_status st = copy_key(e, options, err);
    hst__plan_options own = *options;
    own.values = (const hst_tensor *const *)e->values; /* the plan may keep them */
    if (!st)
        st = hst__plan_create(graph, &own, &e->plan, err);
    if (st) {
        destroy_entry(e);
        return st;
    }
    e->plan_ns = hst__clock_ns() - start;
    *out = e;
    return HST_OK;
}

/** Drops the least recently used plans that nobody runs. */
static void evict(hst__plan_cache *c) {
    int place = 0;
    for (hst__plan_entry **at = &c->entries; *at;) {
        hst__plan_entry *e = *at;
        if (++place > HST__PLAN_CACHE_KEEP && e->users == 0) {
            *at = e->next;
            destroy_entry(e);
            c->count--;
        } else {
            at = &e->next;
        }
    }
}

hst_status hst__plan_cache_get(hst__plan_cache *c, const hst__graph *graph,
                               const hst__plan_options *options, hst__plan_entry **out,
                               hst_error *err) {
    hst_status st = HST_OK;
    pthread_mutex_lock(&c->lock);
    hst__plan_entry **at = &c->entries, *e = NULL;
    while (*at && !fits(*at, options))
        at = &(*at)->next;
    if (*at) {
        e = *at;
        *at = e->next;
    } else {
        st = make_entry(graph, options, &e, err);
        c->count += !st;
    }
    if (!st) {
        e->next = c->entries;
        c->entries = e;
        e->users++;
        evict(c);
    }
    pthread_mutex_unlock(&c->lock);
    *out = e;
    return st;
}

void hst__plan_cache_release(hst__plan_cache *c, hst__plan_entry *entry) {
    if (!entry)
        return;
    pthread_mutex_lock(&c->lock);
    entry->users--;
    evict(c);
    pthread_mutex_unlock(&c->lock);
}
