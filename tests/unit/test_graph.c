#include "graph/graph.h"
#include "support/test.h"

typedef struct fixture {
    hst__graph *g;
    hst_error err;
} fixture;

static hst__value_id value(hst__graph *g, const char *name) {
    hst__value_id v = hst__graph_add_value(g, name, NULL);
    assert_int_not_equal(v, HST__NONE);
    return v;
}

static hst__node *add(hst__graph *g, hst__op_kind op, hst__value_id in,
                      hst__value_id out) {
    hst__node *n = hst__graph_new_node(g, op, 1, 1);
    assert_non_null(n);
    n->in[0] = in;
    n->out[0] = out;
    assert_true(hst__graph_append(g, n));
    return n;
}

static hst__value_id *one(hst__value_id v) {
    hst__value_id *list = hst__alloc(sizeof *list);
    *list = v;
    return list;
}

/** x -> Relu -> a -> Exp -> y, and a branch x -> Abs -> dead; nodes given back to front.
 */
static fixture scrambled(void) {
    fixture f = {0};
    f.g = hst__graph_create(&f.err);
    hst__value_id x = value(f.g, "x"), a = value(f.g, "a"), y = value(f.g, "y");
    hst__value_id dead = value(f.g, "dead");
    add(f.g, HST__OP_Exp, a, y);
    add(f.g, HST__OP_Abs, x, dead);
    add(f.g, HST__OP_Relu, x, a);
    f.g->inputs = one(x);
    f.g->outputs = one(y);
    f.g->n_inputs = f.g->n_outputs = 1;
    return f;
}

static void sorts_and_prunes(void **state) {
    (void)state;
    fixture f = scrambled();
    assert_ok(hst__graph_sort(f.g, &f.err), &f.err);
    int relu = -1, exp = -1;
    for (int i = 0; i < f.g->n_nodes; i++) {
        relu = f.g->nodes[i]->op == HST__OP_Relu ? i : relu;
        exp = f.g->nodes[i]->op == HST__OP_Exp ? i : exp;
    }
    assert_true(relu < exp);
    assert_int_equal(hst__graph_prune(f.g), 1);
    assert_int_equal(f.g->n_nodes, 2);
    hst__graph_destroy(f.g);
}

static void clone_is_independent(void **state) {
    (void)state;
    fixture f = scrambled();
    hst__graph *copy;
    assert_ok(hst__graph_clone(f.g, &copy, &f.err), &f.err);
    assert_true(hst__attr_set_int(copy, copy->nodes[0], "axis", 3));
    copy->nodes[0]->in[0] = HST__NONE;
    assert_int_equal(hst__attr_int(f.g->nodes[0], "axis", -7), -7);
    assert_int_equal(hst__attr_int(copy->nodes[0], "axis", -7), 3);
    assert_int_not_equal(f.g->nodes[0]->in[0], HST__NONE);
    hst__graph_destroy(copy);
    hst__graph_destroy(f.g);
}

static void names_the_circle(void **state) {
    (void)state;
    fixture f = scrambled();
    hst__value_id y = f.g->outputs[0];
    f.g->nodes[2]->in[0] = y; /* Relu now reads what Exp makes of it */
    f.g->nodes[2]->name = "loop";
    assert_int_equal(hst__graph_sort(f.g, &f.err), HST_E_FORMAT);
    assert_non_null(strstr(f.err.message, "circle"));
    hst__graph_destroy(f.g);
}

static void names_what_nobody_makes(void **state) {
    (void)state;
    fixture f = scrambled();
    f.g->nodes[2]->in[0] = value(f.g, "ghost");
    assert_int_equal(hst__graph_sort(f.g, &f.err), HST_E_FORMAT);
    assert_non_null(strstr(f.err.message, "'ghost'"));
    f.g->nodes[2]->in[0] = f.g->inputs[0];
    f.g->nodes[1]->out[0] = f.g->outputs[0];
    assert_int_equal(hst__graph_sort(f.g, &f.err), HST_E_FORMAT);
    assert_non_null(strstr(f.err.message, "second time"));
    hst__graph_destroy(f.g);
}

static void finds_operators(void **state) {
    (void)state;
    assert_int_equal(hst__op_find("", "Conv"), HST__OP_Conv);
    assert_int_equal(hst__op_find("ai.onnx", "Conv"), HST__OP_Conv);
    assert_int_equal(hst__op_find("com.microsoft", "Gelu"), HST__OP_ms_Gelu);
    assert_int_equal(hst__op_find("com.microsoft", "Conv"), HST__OP_UNKNOWN);
    assert_int_equal(hst__op_find("", "conv"), HST__OP_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_and_prunes), cmocka_unit_test(clone_is_independent),
        cmocka_unit_test(names_the_circle), cmocka_unit_test(names_what_nobody_makes),
        cmocka_unit_test(finds_operators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
