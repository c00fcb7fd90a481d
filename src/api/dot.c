/* The planned graph for Graphviz. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "api/session.h"
#include "hasten/inspect.h"
#include "kernels/epilogue.h"

/** Text inside a quoted label: quotes and backslashes are replaced. */
static void quoted(FILE *f, const char *s) {
    for (; *s; s++)
        fputc(*s == '"' || *s == '\\' ? '_' : *s, f);
}

static void write_nodes(FILE *f, const hst__plan *p) {
    char shape[HST__DESC_TEXT];
    for (int i = 0; i < p->n_steps; i++) {
        const hst__step *s = &p->steps[i];
        fprintf(f, "  n%d [label=\"", i);
        quoted(f, s->node->op_type);
        if (s->node->act_kind)
            fprintf(f, " + %s", hst__act_text((hst__act_kind)s->node->act_kind));
        fprintf(f, "\\n");
        quoted(f, s->node->name);
        fprintf(f, "\\n%s\\n%s\"%s];\n", s->alias ? "view" : s->kernel,
                hst__desc_format(&s->out_desc[0], shape, sizeof shape),
                s->alias ? ", style=dashed" : "");
    }
}

/** What writes each slot: step i as i + 1, graph input i as -1 - i, else 0. */
static int *find_makers(const hst__plan *p) {
    int *maker = hst__alloc((size_t)p->n_slots * sizeof *maker);
    for (int i = 0; maker && i < p->graph->n_inputs; i++)
        maker[p->graph->inputs[i] + 1] = -1 - i;
    for (int i = 0; maker && i < p->n_steps; i++)
        for (int k = 0; k < p->steps[i].n_out; k++)
            if (p->steps[i].out[k])
                maker[p->steps[i].out[k]] = i + 1;
    return maker;
}

static void write_edges(FILE *f, const hst__plan *p, const int *maker) {
    for (int i = 0; i < p->n_steps; i++)
        for (int k = 0; k < p->steps[i].n_in; k++) {
            int from = maker[p->steps[i].in[k]];
            if (from > 0)
                fprintf(f, "  n%d -> n%d;\n", from - 1, i);
            else if (from < 0)
                fprintf(f, "  in%d -> n%d;\n", -1 - from, i);
        }
    for (int o = 0; o < p->graph->n_outputs; o++) {
        int from = maker[p->graph->outputs[o] + 1];
        if (from > 0)
            fprintf(f, "  n%d -> out%d;\n", from - 1, o);
        else if (from < 0)
            fprintf(f, "  in%d -> out%d;\n", -1 - from, o);
    }
}

static void write_ends(FILE *f, const hst__graph *g) {
    char shape[HST__DESC_TEXT];
    for (int i = 0; i < g->n_inputs; i++) {
        fprintf(f, "  in%d [shape=ellipse, label=\"", i);
        quoted(f, g->values[g->inputs[i]].name);
        fprintf(f, "\\n%s\"];\n",
                hst__desc_format(&g->values[g->inputs[i]].desc, shape, sizeof shape));
    }
    for (int i = 0; i < g->n_outputs; i++) {
        fprintf(f, "  out%d [shape=ellipse, label=\"", i);
        quoted(f, g->values[g->outputs[i]].name);
        fprintf(f, "\\n%s\"];\n",
                hst__desc_format(&g->values[g->outputs[i]].desc, shape, sizeof shape));
    }
}

hst_status hst_session_write_dot(const hst_session *session, const char *path,
                                 hst_error *err) {
    const hst__exec *e = session->runner.exec;
    if (!e)
        return hst__fail(err, HST_E_ARG,
                         "there is no graph to write before the session is planned: give "
                         "the shapes of the inputs");
    int *maker = find_makers(e->plan);
    if (!maker)
        return hst__fail_nomem(err, (size_t)e->plan->n_slots * sizeof *maker);
    FILE *f = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    if (!f) {
        hst_status st = hst__fail(err, HST_E_IO, "'%.500s': %s", path, strerror(errno));
        hst__free(maker);
        return st;
    }
    fprintf(f, "digraph model {\n  node [shape=box, fontname=\"Helvetica\"];\n");
    write_ends(f, e->plan->graph);
    write_nodes(f, e->plan);
    write_edges(f, e->plan, maker);
    fprintf(f, "}\n");
    hst__free(maker);
    bool failed = ferror(f);
    if (f != stdout)
        failed |= fclose(f) != 0;
    return failed ? hst__fail(err, HST_E_IO, "'%.500s': %s", path, strerror(errno))
                  : HST_OK;
}
