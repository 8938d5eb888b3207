/* derive.c - the derivative of a program as a program of its own, to be evaluated and differentiated again.
 *
 * Forward, node by node: beside the copy of each node stands the node of its derivative. Kinks have the derivative of
 * the branch that the value takes, as in expr.c. Terms that are zero whatever the leaves are get left out.
 *
 * Beside these stands the condition under which a node is still: it took a branch that is constant. There it adds
 * nothing to what depends on it, even where that is infinitely steep: sqrt(max(t, 0)) before t = 0. To compare the
 * derivative with 0 would not do: it may be 0 in passing, and its own derivative another. */
#include "engine/expr/expr.h"

typedef struct differ {
    sal_expr *e;
    int       zero, one;           /* the constants, known by their index: equal nodes are one node */
    int      *copy, *diff, *still; /* of each node of the old program */
} differ;

static int op1(differ *d, sal_op op, int a)
{
    return sal_expr_op(d->e, op, a, 0, 0);
}

static int op2(differ *d, sal_op op, int a, int b)
{
    return sal_expr_op(d->e, op, a, b, 0);
}

static int number(differ *d, double k)
{
    return sal_expr_const(d->e, k);
}

static int add(differ *d, int a, int b)
{
    if (a == d->zero) return b;
    return b == d->zero ? a : op2(d, SAL_OP_ADD, a, b);
}

static int negative(differ *d, int a)
{
    return a == d->zero ? a : op1(d, SAL_OP_NEG, a);
}

static int subtract(differ *d, int a, int b)
{
    if (a == d->zero) return negative(d, b);
    return b == d->zero ? a : op2(d, SAL_OP_SUB, a, b);
}

static int times(differ *d, int slope, int a)
{
    if (a == d->zero || slope == d->one) return a;
    return a == d->one || slope == d->zero ? slope : op2(d, SAL_OP_MUL, slope, a);
}

static int quotient(differ *d, int a, int b)
{
    return a == d->zero ? a : op2(d, SAL_OP_DIV, a, b);
}

static int both(differ *d, int a, int b)
{
    if (a == d->zero || b == d->one) return a;
    return b == d->zero || a == d->one ? b : op2(d, SAL_OP_AND, a, b);
}

static int choose(differ *d, int condition, int a, int b)
{
    if (condition == d->one || a == b) return a;
    return condition == d->zero ? b : sal_expr_op(d->e, SAL_OP_IF, condition, a, b);
}

static int square(differ *d, int a)
{
    return op2(d, SAL_OP_MUL, a, a);
}

/* The chain rule: slope times the derivative of the old node i, nothing where that is still. */
static int chain(differ *d, int slope, int i)
{
    return choose(d, d->still[i], d->zero, times(d, slope, d->diff[i]));
}

/* (1 - x)(1 + x), without cancellation near the ends. */
static int one_minus_square(differ *d, int x)
{
    return op2(d, SAL_OP_MUL, op2(d, SAL_OP_SUB, d->one, x), op2(d, SAL_OP_ADD, d->one, x));
}

/* f' of the functions of one operand x with value f. Of tanh not by cosh, which would overflow and make the next
 * derivative 0 * infinity. */
static int slope_of(differ *d, int op, int x, int f)
{
    switch (op) {
    case SAL_OP_ABS: return choose(d, op2(d, SAL_OP_LT, x, d->zero), number(d, -1), d->one);
    case SAL_OP_SQRT: return op2(d, SAL_OP_DIV, number(d, 0.5), f);
    case SAL_OP_SIN: return op1(d, SAL_OP_COS, x);
    case SAL_OP_COS: return op1(d, SAL_OP_NEG, op1(d, SAL_OP_SIN, x));
    case SAL_OP_TAN: return op2(d, SAL_OP_ADD, d->one, square(d, f));
    case SAL_OP_ASIN: return op2(d, SAL_OP_DIV, d->one, op1(d, SAL_OP_SQRT, one_minus_square(d, x)));
    case SAL_OP_ACOS: return op2(d, SAL_OP_DIV, number(d, -1), op1(d, SAL_OP_SQRT, one_minus_square(d, x)));
    case SAL_OP_ATAN: return op2(d, SAL_OP_DIV, d->one, op2(d, SAL_OP_ADD, d->one, square(d, x)));
    case SAL_OP_SINH: return op1(d, SAL_OP_COSH, x);
    case SAL_OP_COSH: return op1(d, SAL_OP_SINH, x);
    case SAL_OP_TANH: return one_minus_square(d, f);
    case SAL_OP_EXP: return f;
    case SAL_OP_LOG: return op2(d, SAL_OP_DIV, d->one, x);
    default: return d->zero; /* sign, step, logic */
    }
}

/* a^b with respect to a: b a^(b-1). A constant exponent that is low needs no power; one that is not constant may come
 * to 0, and then at a = 0 this shall not be 0 * infinity. */
static int power_base(differ *d, int a, int b, const sal_node *exponent)
{
    int below, slope;

    if (exponent->op == SAL_OP_CONST && exponent->k == 0) return d->zero;
    if (exponent->op == SAL_OP_CONST && exponent->k == 1) return d->one;
    if (exponent->op == SAL_OP_CONST && exponent->k == 2) return op2(d, SAL_OP_MUL, b, a);
    below = op2(d, SAL_OP_SUB, b, d->one);
    slope = op2(d, SAL_OP_MUL, b, op2(d, SAL_OP_POW, a, below));
    if (exponent->op == SAL_OP_CONST) return slope;
    return choose(d, both(d, op2(d, SAL_OP_EQ, a, d->zero), op2(d, SAL_OP_EQ, b, d->zero)), d->zero, slope);
}

/* a^b. No log where the exponent stays: the base may be negative then. */
static int power(differ *d, const sal_program *p, const sal_node *s, int f)
{
    const int a = d->copy[s->a], b = d->copy[s->b];
    int       on_base = d->zero, on_exponent = d->zero;

    if (d->diff[s->a] != d->zero) on_base = chain(d, power_base(d, a, b, &p->node[s->b]), s->a);
    if (d->diff[s->b] != d->zero) on_exponent = chain(d, op2(d, SAL_OP_MUL, f, op1(d, SAL_OP_LOG, a)), s->b);
    return add(d, on_base, on_exponent);
}

/* atan2(a, b): (b a' - a b')/(a^2 + b^2). */
static int angle(differ *d, const sal_node *s, int i)
{
    const int a = d->copy[s->a], b = d->copy[s->b];
    const int turn = subtract(d, times(d, b, d->diff[s->a]), times(d, a, d->diff[s->b]));

    return choose(d, d->still[i], d->zero, quotient(d, turn, op2(d, SAL_OP_ADD, square(d, a), square(d, b))));
}

/* The condition under which a selection takes its first choice; ties as in expr.c. */
static int selection(differ *d, const sal_node *s)
{
    const int a = d->copy[s->a];

    if (s->op == SAL_OP_IF) return a;
    return op2(d, s->op == SAL_OP_MIN ? SAL_OP_LE : SAL_OP_GE, a, d->copy[s->b]);
}

/* still[i] of a node with operands. */
static int still_when(differ *d, const sal_node *s)
{
    const int *still = d->still;

    switch (s->op) {
    case SAL_OP_MIN:
    case SAL_OP_MAX: return choose(d, selection(d, s), still[s->a], still[s->b]);
    case SAL_OP_IF: return choose(d, selection(d, s), still[s->b], still[s->c]);
    default: return sal_op_operands(s->op) == 1 ? still[s->a] : both(d, still[s->a], still[s->b]);
    }
}

/* diff[i] of a node with operands. */
static int derivative(differ *d, const sal_program *p, int i)
{
    const sal_node *s    = &p->node[i];
    const int      *diff = d->diff, *copy = d->copy;

    switch (s->op) {
    case SAL_OP_NEG: return negative(d, diff[s->a]);
    case SAL_OP_ADD: return add(d, diff[s->a], diff[s->b]);
    case SAL_OP_SUB: return subtract(d, diff[s->a], diff[s->b]);
    case SAL_OP_MUL: return add(d, times(d, copy[s->b], diff[s->a]), times(d, copy[s->a], diff[s->b]));
    case SAL_OP_DIV: return quotient(d, subtract(d, diff[s->a], times(d, copy[i], diff[s->b])), copy[s->b]);
    case SAL_OP_POW: return power(d, p, s, copy[i]);
    case SAL_OP_ATAN2: return angle(d, s, i);
    case SAL_OP_TRY:
    case SAL_OP_ROOT: return d->zero;
    case SAL_OP_MIN:
    case SAL_OP_MAX: return choose(d, selection(d, s), diff[s->a], diff[s->b]);
    case SAL_OP_IF: return choose(d, selection(d, s), diff[s->b], diff[s->c]);
    default:
        if (diff[s->a] == d->zero) return d->zero;
        return chain(d, slope_of(d, s->op, copy[s->a], copy[i]), s->a);
    }
}

static int leaf_derivative(differ *d, sal_leaf_derivative leaf)
{
    switch (leaf.kind) {
    case SAL_LEAF_ONE: return d->one;
    case SAL_LEAF_READ: return sal_expr_leaf(d->e, leaf.source, leaf.slot);
    default: return d->zero;
    }
}

static void differentiate_node(differ *d, const sal_program *p, int i, sal_leaf_rule rule, const void *self)
{
    const sal_node *s = &p->node[i];

    d->copy[i]  = sal_expr_copy(d->e, *s, d->copy);
    d->diff[i]  = d->zero;
    d->still[i] = d->zero;
    if (s->op == SAL_OP_LEAF) {
        d->diff[i] = leaf_derivative(d, rule(self, (sal_source)s->a, s->b));
    } else if (s->op != SAL_OP_CONST) {
        d->still[i] = still_when(d, s);
        d->diff[i]  = derivative(d, p, i);
    }
    if (d->diff[i] == d->zero) d->still[i] = d->one; /* a constant, or a jump */
}

sal_status sal_program_differentiate(sal_pool *pool, const sal_program *p, sal_leaf_rule rule, const void *self,
                                     sal_program *out)
{
    differ d = { .e     = sal_expr_begin(pool),
                 .copy  = SAL_NEW(pool, int, p->n),
                 .diff  = SAL_NEW(pool, int, p->n),
                 .still = SAL_NEW(pool, int, p->n) };

    if (d.e && !pool->failed) {
        d.zero = number(&d, 0);
        d.one  = number(&d, 1);
    }
    if (pool->failed) {
        *out = (sal_program){ 0 };
        return SAL_ERR_MEMORY;
    }
    for (int i = 0; i < p->n; i++) differentiate_node(&d, p, i, rule, self);
    return sal_expr_finish(d.e, d.diff[p->n - 1], out);
}
