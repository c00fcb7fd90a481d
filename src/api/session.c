#include <string.h>

#include "api/session.h"
#include "base/clock.h"
#include "kernels/epilogue.h"
#include "plan/store.h"

int hst_default_threads(void) { return hst__pool_default_threads(); }

void hst_session_options_init(hst_session_options *options) {
    *options = (hst_session_options){.struct_size = sizeof *options};
}

static const hst_input_shape *find_shape(const hst_session_options *o, const char *name) {
    for (size_t i = 0; i < o->n_shapes; i++)
        if (strcmp(o->shapes[i].name, name) == 0)
            return &o->shapes[i];
    return NULL;
}

/** Input i's shape from the file and the options; false where a dimension stays free. */
static bool shape_of(const hst__value *v, const hst_session_options *o, hst__desc *out) {
    const hst_input_shape *given = find_shape(o, v->name);
    *out = v->desc;
    if (given) {
        out->rank = given->rank;
        memcpy(out->dims, given->dims, sizeof out->dims);
    }
    bool known = out->rank >= 0;
    for (int k = 0; known && k < out->rank; k++)
        known = out->dims[k] >= 0;
    return known;
}

static hst_status check_options(const hst_model *m, const hst_session_options *o,
                                hst_error *err) {
    if (o->struct_size != sizeof *o)
        return hst__fail(err, HST_E_ARG,
                         "session options were not set by hst_session_options_init");
    if (o->threads < 0 || o->threads > HST__POOL_MAX)
        return hst__fail(err, HST_E_ARG, "%d threads are not in 0..%d", o->threads,
                         HST__POOL_MAX);
    if (!(o->seconds_max >= 0))
        return hst__fail(err, HST_E_ARG, "seconds_max is %g", o->seconds_max);
    for (size_t i = 0; i < o->n_shapes; i++) {
        bool found = false;
        for (int k = 0; k < m->graph->n_inputs; k++)
            found |= strcmp(m->graph->values[m->graph->inputs[k]].name,
                            o->shapes[i].name) == 0;
        if (!found)
            return hst__fail(err, HST_E_ARG,
                             "a shape is given for '%.100s', which is not "
                             "an input of the model",
                             o->shapes[i].name);
        if (o->shapes[i].rank < 0 || o->shapes[i].rank > HST_MAX_RANK)
            return hst__fail(err, HST_E_ARG, "the shape of '%.100s' has rank %d",
                             o->shapes[i].name, o->shapes[i].rank);
    }
    return HST_OK;
}

/** Plans now if all shapes are known; a model whose shapes depend on values waits for the
 * first inputs. */
static hst_status plan_ahead(hst_session *s, const hst_session_options *o,
                             hst_error *err) {
    const hst__graph *g = s->model->graph;
    hst__desc *shapes = hst__alloc((size_t)g->n_inputs * sizeof *shapes);
    bool known = true;
    if (!shapes)
        return hst__fail_nomem(err, (size_t)g->n_inputs * sizeof *shapes);
    for (int i = 0; known && i < g->n_inputs; i++)
        known = shape_of(&g->values[g->inputs[i]], o, &shapes[i]);
    hst_status st = known ? hst__runner_plan_shapes(&s->runner, shapes, err) : HST_OK;
    hst__free(shapes);
    return st == HST_E_VALUE_NEEDED ? HST_OK : st;
}

hst_status hst_session_create(hst_model *model, const hst_session_options *options,
                              hst_session **out, hst_error *err) {
    hst_session_options o;
    hst_session_options_init(&o);
    if (options)
        o = *options;
    *out = NULL;
    hst_status st = hst_model_check(model, err);
    if (!st)
        st = check_options(model, &o, err);
    if (st)
        return st;
    hst_session *s = hst__alloc(sizeof *s);
    if (!s)
        return hst__fail_nomem(err, sizeof *s);
    s->model = model;
    st = hst__runner_init(&s->runner, model->graph, &model->plans,
                          o.threads ? o.threads : hst__pool_default_threads(), o.cpu,
                          o.exact, err);
    if (o.seconds_max > 0)
        s->runner.seconds_max = o.seconds_max;
    s->runner.folder = o.plan_folder;
    s->runner.identity = model->from_files ? model->identity : NULL;
    if (!st)
        st = plan_ahead(s, &o, err);
    if (st) {
        hst_session_destroy(s);
        return st;
    }
    *out = s;
    return HST_OK;
}

void hst_session_destroy(hst_session *session) {
    if (!session)
        return;
    hst__runner_fini(&session->runner);
    hst__free(session);
}

static hst_status check_inputs(const hst_session *s, const hst_tensor *const *inputs,
                               size_t n, hst_error *err) {
    const hst__graph *g = s->model->graph;
    if (n != (size_t)g->n_inputs)
        return hst__fail(err, HST_E_ARG, "the model has %d inputs, given %zu",
                         g->n_inputs, n);
    for (size_t i = 0; i < n; i++)
        if (!inputs[i] || !inputs[i]->data)
            return hst__fail(err, HST_E_ARG, "input '%.100s' is missing",
                             g->values[g->inputs[i]].name);
    return HST_OK;
}

hst_status hst_session_prepare(hst_session *session, const hst_tensor *const *inputs,
                               size_t n_inputs, hst_error *err) {
    hst_status st = check_inputs(session, inputs, n_inputs, err);
    return st ? st : hst__runner_prepare(&session->runner, inputs, err);
}

hst_status hst_session_run(hst_session *session, const hst_tensor *const *inputs,
                           size_t n_inputs, hst_error *err) {
    hst_status st = check_inputs(session, inputs, n_inputs, err);
    return st ? st : hst__runner_run(&session->runner, inputs, err);
}

static void step_begin(void *user, int step) {
    (void)step;
    ((hst_session *)user)->begin_ns = hst__clock_ns();
}

static void step_end(void *user, int step) {
    hst_session *s = user;
    s->step_ns[step] = hst__clock_ns() - s->begin_ns;
}

hst_status hst_session_run_timed(hst_session *session, const hst_tensor *const *inputs,
                                 size_t n_inputs, uint64_t *step_ns, hst_error *err) {
    hst_status st = hst_session_prepare(session, inputs, n_inputs, err);
    if (st)
        return st;
    hst__exec *e = session->runner.exec;
    if (!e)
        return hst__runner_run(&session->runner, inputs, err);
    memset(step_ns, 0, (size_t)e->plan->n_steps * sizeof *step_ns);
    session->step_ns = step_ns;
    session->probe = (hst__probe){.begin = step_begin, .end = step_end, .user = session};
    e->probe = &session->probe;
    st = hst__runner_run(&session->runner, inputs, err);
    e->probe = NULL;
    return st;
}

const hst_tensor *hst_session_output(const hst_session *session, size_t index) {
    return index > INT32_MAX ? NULL : hst__runner_output(&session->runner, (int)index);
}

void hst_session_get_info(const hst_session *session, hst_session_info *out) {
    const hst__runner *r = &session->runner;
    *out = (hst_session_info){.threads = r->threads, .cpu = r->cpu};
    if (!r->exec)
        return;
    const hst__plan *p = r->exec->plan;
    out->dynamic = p->tail != NULL;
    out->stored = p->store != NULL;
    out->steps = (size_t)p->n_steps;
    out->arena_bytes = p->arena_bytes;
    out->arena_bound_bytes = p->live_bytes;
    out->scratch_bytes = p->scratch_bytes;
    out->weight_bytes = p->blocks.bytes;
    out->macs = p->macs;
    out->plan_ns = r->plan_ns;
}

hst_status hst_session_store_plan(const hst_session *session, const char *folder,
                                  hst_stored_plan *out, hst_error *err) {
    const hst__runner *r = &session->runner;
    hst_stored_plan stored;
    if (!r->exec)
        return hst__fail(err, HST_E_ARG,
                         "there is no plan yet: give the shapes of all "
                         "inputs, or run once");
    for (int i = 0; i < r->graph->n_inputs; i++)
        if (r->bound[i])
            return hst__fail(
                err, HST_E_ARG,
                "the plan depends on the value of input '%.100s': it is good "
                "for no other",
                r->graph->values[r->graph->inputs[i]].name);
    hst__plan_options options = {.inputs = r->inputs,
                                 .threads = r->threads,
                                 .cpu = r->cpu,
                                 .no_passes = r->no_passes,
                                 .folder = folder,
                                 .identity = r->identity};
    if (!out)
        out = &stored;
    return hst__store_write(r->exec->plan, r->graph, &options, out->path,
                            sizeof out->path, &out->bytes, err);
}

static size_t desc_bytes(const hst__desc *d) {
    size_t bytes;
    return d->dtype && hst__desc_bytes(d, &bytes) ? bytes : 0;
}

hst_status hst_session_get_step(const hst_session *session, size_t index,
                                hst_step_info *out, hst_error *err) {
    const hst__exec *e = session->runner.exec;
    if (!e || index >= (size_t)e->plan->n_steps)
        return hst__fail(err, HST_E_ARG, "there is no step %zu", index);
    const hst__step *s = &e->plan->steps[index];
    *out = (hst_step_info){.name = s->node->name,
                           .op = s->node->op_type,
                           .kernel = s->alias ? "view" : s->kernel,
                           .fused = hst__act_text((hst__act_kind)s->node->act_kind),
                           .output = s->out_desc[0],
                           .macs = s->macs,
                           .view = s->alias != 0};
    for (int i = 0; i < s->n_in; i++) {
        hst__value_id v = s->node->in[i];
        bool constant = v != HST__NONE && e->plan->graph->values[v].constant;
        *(constant ? &out->weight_bytes : &out->read_bytes) += desc_bytes(&s->in_desc[i]);
    }
    for (int i = 0; i < s->n_out; i++)
        out->written_bytes += desc_bytes(&s->out_desc[i]);
    return HST_OK;
}
