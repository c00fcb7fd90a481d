/* Activations that exporters write as several nodes become one:
 *   SiLU       x * sigmoid(x)
 *   HardSwish  x * hardsigmoid(x), x * clip(x + 3, 0, 6) / 6 in any order
 *   Mish       x * tanh(softplus(x))
 *   GELU       x * (erf(x / sqrt(2)) + 1) * 0.5 in any order, and its tanh form */
#include <math.h>

#include "passes/match.h"

typedef struct finder {
    hst__match m;
    hst__graph *g;
} finder;

static hst__node *made_by(const finder *f, hst__value_id v, hst__op_kind op) {
    return hst__match_sole(&f->m, v, op);
}

/** sigmoid(x), hardsigmoid(x), tanh(softplus(x)): the gate of x * gate(x). */
static bool replace_gate(finder *f, int at, hst__value_id x, const hst__node *gate) {
    hst__node *n = NULL;
    if (gate->op == HST__OP_Sigmoid && gate->in[0] == x) {
        n = hst__match_replace(&f->m, at, HST__OP_hst_SiLU, 1, 1);
    } else if (gate->op == HST__OP_HardSigmoid && gate->in[0] == x &&
               fabsf(hst__attr_float(gate, "alpha", 0.2f) - 1.0f / 6) < 1e-6f &&
               hst__attr_float(gate, "beta", 0.5f) == 0.5f) {
        n = hst__match_replace(&f->m, at, HST__OP_HardSwish, 14, 1);
    } else if (gate->op == HST__OP_Tanh) {
        const hst__node *soft = made_by(f, gate->in[0], HST__OP_Softplus);
        if (soft && soft->in[0] == x)
            n = hst__match_replace(&f->m, at, HST__OP_Mish, 18, 1);
    }
    if (n)
        n->in[0] = x;
    return n;
}

static bool find_gate(finder *f, int at) {
    const hst__node *mul = f->g->nodes[at];
    for (int k = 0; k < 2; k++) {
        const hst__node *gate = hst__match_producer(&f->m, mul->in[k]);
        if (gate && f->m.uses[mul->in[k]] == 1 && mul->in[1 - k] != mul->in[k] &&
            replace_gate(f, at, mul->in[1 - k], gate))
            return true;
    }
    return false;
}

/** Factors of a product tree of Mul and Div-by-constant: values, and one constant. */
typedef struct product {
    hst__value_id factors[3];
    int n;
    double constant;
} product;

static void collect(const finder *f, hst__value_id v, bool root, product *p, int depth) {
    const hst__node *n = hst__match_producer(&f->m, v);
    float c;
    if (hst__match_scalar(f->g, v, &c)) {
        p->constant *= c;
    } else if (n && depth < 4 && (root || f->m.uses[v] == 1) && n->op == HST__OP_Mul) {
        collect(f, n->in[0], false, p, depth + 1);
        collect(f, n->in[1], false, p, depth + 1);
    } else if (n && depth < 4 && (root || f->m.uses[v] == 1) && n->op == HST__OP_Div &&
               hst__match_scalar(f->g, n->in[1], &c)) {
        collect(f, n->in[0], false, p, depth + 1);
        p->constant /= c;
    } else {
        if (p->n < 3)
            p->factors[p->n] = v;
        p->n++;
    }
}

static bool near(double a, double b) { return fabs(a - b) <= 1e-4 * fabs(b); }

/** The operand next to a scalar constant c in a sum, or NONE. */
static hst__value_id plus(const finder *f, hst__value_id v, float c) {
    const hst__node *n = made_by(f, v, HST__OP_Add);
    if (!n)
        return HST__NONE;
    for (int k = 0; k < 2; k++)
        if (hst__match_is(f->g, n->in[k], c))
            return n->in[1 - k];
    return HST__NONE;
}

/** clip(x + 3, 0, 6). */
static bool is_relu6_of_x_plus_3(const finder *f, hst__value_id v, hst__value_id x) {
    const hst__node *clip = made_by(f, v, HST__OP_Clip);
    float lo = 0, hi = 0;
    if (!clip)
        return false;
    if (clip->n_in >= 3) {
        if (!hst__match_scalar(f->g, clip->in[1], &lo) ||
            !hst__match_scalar(f->g, clip->in[2], &hi))
            return false;
    } else {
        lo = hst__attr_float(clip, "min", -1);
        hi = hst__attr_float(clip, "max", -1);
    }
    return lo == 0 && hi == 6 && plus(f, clip->in[0], 3) == x;
}

/** 1 + erf(x / sqrt(2)). */
static bool is_erf_gate(const finder *f, hst__value_id v, hst__value_id x) {
    const hst__node *erf = made_by(f, plus(f, v, 1), HST__OP_Erf);
    if (!erf)
        return false;
    product p = {.constant = 1};
    collect(f, erf->in[0], false, &p, 0);
    return p.n == 1 && p.factors[0] == x && near(p.constant, M_SQRT1_2);
}

/** x^3 as Pow(x, 3) or a product of three. */
static bool is_cube(const finder *f, const product *p, hst__value_id x) {
    if (p->n == 3)
        return p->factors[0] == x && p->factors[1] == x && p->factors[2] == x;
    const hst__node *pow = p->n == 1 ? made_by(f, p->factors[0], HST__OP_Pow) : NULL;
    return pow && pow->in[0] == x && hst__match_is(f->g, pow->in[1], 3);
}

/** 1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3)). */
static bool is_tanh_gate(const finder *f, hst__value_id v, hst__value_id x) {
    const hst__node *tanh_node = made_by(f, plus(f, v, 1), HST__OP_Tanh);
    if (!tanh_node)
        return false;
    product outer = {.constant = 1};
    collect(f, tanh_node->in[0], false, &outer, 0);
    const hst__node *sum =
        outer.n == 1 ? made_by(f, outer.factors[0], HST__OP_Add) : NULL;
    if (!sum || !near(outer.constant, 0.7978845608))
        return false;
    hst__value_id cubic = hst__match_other(sum, x);
    product inner = {.constant = 1};
    if (cubic == HST__NONE)
        return false;
    collect(f, cubic, false, &inner, 0);
    return near(inner.constant, 0.044715) && is_cube(f, &inner, x);
}

static bool find_product(finder *f, int at) {
    const hst__node *mul = f->g->nodes[at];
    product p = {.constant = 1};
    collect(f, mul->out[0], true, &p, 0);
    if (p.n != 2)
        return false;
    for (int k = 0; k < 2; k++) {
        hst__value_id x = p.factors[1 - k], gate = p.factors[k];
        hst__node *n = NULL;
        if (near(p.constant, 1.0 / 6) && is_relu6_of_x_plus_3(f, gate, x))
            n = hst__match_replace(&f->m, at, HST__OP_HardSwish, 14, 1);
        else if (near(p.constant, 0.5) && is_erf_gate(f, gate, x))
            n = hst__match_replace(&f->m, at, HST__OP_ms_Gelu, 1, 1);
        else if (near(p.constant, 0.5) && is_tanh_gate(f, gate, x))
            n = hst__match_replace(&f->m, at, HST__OP_ms_FastGelu, 1, 1);
        if (n) {
            n->in[0] = x;
            return true;
        }
    }
    return false;
}

hst_status hst__pass_recognise_activations(hst__graph *g, int *changed, hst_error *err) {
    finder f = {.g = g};
    hst_status st = hst__match_init(&f.m, g, err);
    for (int i = g->n_nodes - 1; !st && i >= 0; i--) {
        hst__op_kind op = g->nodes[i]->op;
        if (op != HST__OP_Mul && op != HST__OP_Div)
            continue;
        hst__value_id out = g->nodes[i]->out[0];
        if (g->values[out].desc.dtype != HST_DTYPE_F32)
            continue;
        if ((op == HST__OP_Mul && find_gate(&f, i)) || find_product(&f, i))
            ++*changed;
    }
    hst__match_fini(&f.m);
    return st;
}
