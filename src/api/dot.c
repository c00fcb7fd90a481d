/* The planned graph for Graphviz. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "api/session.h"
#include "hasten/inspect.h"
#include "kernels/epilogue.h"

/** Text inside a quoted label: quotes, backslashes and control bytes are replaced. */
static void quoted(FILE *f, const char *s) {
    for (; *s; s++)
        fputc(*s == '"' || *s == '\\' || (unsigned char)*s < 32 ? '_' : *s, f);
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

static void write_edges(FILE *f, const hst__plan *p) {
    const hst__graph *g = p->graph;
    for (int i = 0; i < p->n_steps; i++)
        for (int k = 0; k < p->steps[i].n_in; k++) {
            uint32_t slot = p->steps[i].in[k];
            for (int j = 0; slot && j < i; j++)
                for (int o = 0; o < p->steps[j].n_out; o++)
                    if (p->steps[j].out[o] == slot)
                        fprintf(f, "  n%d -> n%d;\n", j, i);
            for (int in = 0; slot && in < g->n_inputs; in++)
                if ((uint32_t)g->inputs[in] + 1 == slot)
                    fprintf(f, "  in%d -> n%d;\n", in, i);
        }
    for (int o = 0; o < g->n_outputs; o++)
        for (int j = 0; j < p->n_steps; j++)
            for (int k = 0; k < p->steps[j].n_out; k++)
                if (p->steps[j].out[k] == (uint32_t)g->outputs[o] + 1)
                    fprintf(f, "  n%d -> out%d;\n", j, o);
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
        return hst__fail(err, HST_E_ARG, "the session is not planned yet");
    FILE *f = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    if (!f)
        return hst__fail(err, HST_E_IO, "'%.500s': %s", path, strerror(errno));
    fprintf(f, "digraph model {\n  node [shape=box, fontname=\"Helvetica\"];\n");
    write_ends(f, e->plan->graph);
    write_nodes(f, e->plan);
    write_edges(f, e->plan);
    fprintf(f, "}\n");
    bool failed = ferror(f);
    if (f != stdout)
        failed |= fclose(f) != 0;
    return failed ? hst__fail(err, HST_E_IO, "'%.500s': %s", path, strerror(errno))
                  : HST_OK;
}
