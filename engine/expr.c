/* expr.c - evaluating programs: value, gradient, second-order Taylor coefficients.
 *
 * Every node is f(a), f(a, b) or a selection. With ' for the derivative along the curve and w for the adjoint,
 *
 *   value      v_i  = f(v_a, v_b)
 *   gradient   w_a += w_i f_a,  w_b += w_i f_b                                         (from the last node back)
 *   taylor     v'   = f_a a' + f_b b'
 *              v''  = f_a a'' + f_b b'' + f_aa a'^2 + 2 f_ab a' b' + f_bb b'^2
 *
 * Selections (min, max, if) hand everything to the operand that was selected; comparisons, logic, sign and step
 * are constant wherever they have a derivative.
 *
 * Where f has no finite derivative, as sqrt at 0, the result is infinite or NaN, but only if it matters: the
 * gradient does not enter a node whose adjoint is 0 (an unselected branch), and the Taylor rules drop a term whose
 * operand stands still (a' = 0), so that 0 * infinity is never formed there. */
#include "engine/expr.h"

#include <math.h>

/* ----------------------------------------------------------------------------------------- value */

/* a^b. The small powers are products: quick, and right for any sign of a. */
static inline double power(double a, double b)
{
    if (b == 2) return a * a;
    if (b == 3) return a * a * a;
    return pow(a, b);
}

/* Whether min or max selects its first operand. A NaN on either side is selected, not hidden. */
static inline bool selects_first(int op, double a, double b)
{
    if (a != a) return true;
    return op == SAL_OP_MIN ? a <= b : a >= b;
}

double sal_program_value(const sal_program *p, const double *const source[SAL_SRC_COUNT], double *v)
{
    for (int i = 0; i < p->n; i++) {
        const sal_node *s = &p->node[i];

        switch ((sal_op)s->op) {
        case SAL_OP_CONST: v[i] = s->k; break;
        case SAL_OP_LEAF: v[i] = source[s->a][s->b]; break;
        case SAL_OP_NEG: v[i] = -v[s->a]; break;
        case SAL_OP_ADD: v[i] = v[s->a] + v[s->b]; break;
        case SAL_OP_SUB: v[i] = v[s->a] - v[s->b]; break;
        case SAL_OP_MUL: v[i] = v[s->a] * v[s->b]; break;
        case SAL_OP_DIV: v[i] = v[s->a] / v[s->b]; break;
        case SAL_OP_POW: v[i] = power(v[s->a], v[s->b]); break;
        case SAL_OP_SQRT: v[i] = sqrt(v[s->a]); break;
        case SAL_OP_ABS: v[i] = fabs(v[s->a]); break;
        case SAL_OP_SIN: v[i] = sin(v[s->a]); break;
        case SAL_OP_COS: v[i] = cos(v[s->a]); break;
        case SAL_OP_TAN: v[i] = tan(v[s->a]); break;
        case SAL_OP_ASIN: v[i] = asin(v[s->a]); break;
        case SAL_OP_ACOS: v[i] = acos(v[s->a]); break;
        case SAL_OP_ATAN: v[i] = atan(v[s->a]); break;
        case SAL_OP_ATAN2: v[i] = atan2(v[s->a], v[s->b]); break;
        case SAL_OP_SINH: v[i] = sinh(v[s->a]); break;
        case SAL_OP_COSH: v[i] = cosh(v[s->a]); break;
        case SAL_OP_TANH: v[i] = tanh(v[s->a]); break;
        case SAL_OP_EXP: v[i] = exp(v[s->a]); break;
        case SAL_OP_LOG: v[i] = log(v[s->a]); break;
        case SAL_OP_MIN:
        case SAL_OP_MAX: v[i] = selects_first(s->op, v[s->a], v[s->b]) ? v[s->a] : v[s->b]; break;
        case SAL_OP_SIGN: v[i] = (v[s->a] > 0) - (v[s->a] < 0); break;
        case SAL_OP_STEP: v[i] = v[s->a] >= 0; break;
        case SAL_OP_IF: v[i] = v[s->a] != 0 ? v[s->b] : v[s->c]; break;
        case SAL_OP_LT: v[i] = v[s->a] < v[s->b]; break;
        case SAL_OP_LE: v[i] = v[s->a] <= v[s->b]; break;
        case SAL_OP_GT: v[i] = v[s->a] > v[s->b]; break;
        case SAL_OP_GE: v[i] = v[s->a] >= v[s->b]; break;
        case SAL_OP_EQ: v[i] = v[s->a] == v[s->b]; break;
        case SAL_OP_NE: v[i] = v[s->a] != v[s->b]; break;
        case SAL_OP_AND: v[i] = v[s->a] != 0 && v[s->b] != 0; break;
        case SAL_OP_OR: v[i] = v[s->a] != 0 || v[s->b] != 0; break;
        case SAL_OP_NOT: v[i] = v[s->a] == 0; break;
        case SAL_OP_COUNT: break;
        }
    }
    return v[p->n - 1];
}

/* --------------------------------------------------------------------------- derivatives of nodes */

/* f'(x) and f''(x) of the functions of one operand, whose value f is known already. */
static void unary(int op, double x, double f, double *d1, double *d2)
{
    *d1 = 0;
    *d2 = 0;
    switch (op) {
    case SAL_OP_NEG: *d1 = -1; break;
    case SAL_OP_ABS: *d1 = x < 0 ? -1 : 1; break;
    case SAL_OP_SQRT:
        *d1 = 0.5 / f;
        *d2 = -0.5 * *d1 / x;
        break;
    case SAL_OP_SIN:
        *d1 = cos(x);
        *d2 = -f;
        break;
    case SAL_OP_COS:
        *d1 = -sin(x);
        *d2 = -f;
        break;
    case SAL_OP_TAN:
        *d1 = 1 + f * f;
        *d2 = 2 * f * *d1;
        break;
    case SAL_OP_ASIN:
        *d1 = 1 / sqrt((1 - x) * (1 + x)); /* no cancellation near the ends */
        *d2 = x * *d1 * *d1 * *d1;
        break;
    case SAL_OP_ACOS:
        *d1 = -1 / sqrt((1 - x) * (1 + x));
        *d2 = x * *d1 * *d1 * *d1;
        break;
    case SAL_OP_ATAN:
        *d1 = 1 / (1 + x * x);
        *d2 = -2 * x * *d1 * *d1;
        break;
    case SAL_OP_SINH:
        *d1 = cosh(x);
        *d2 = f;
        break;
    case SAL_OP_COSH:
        *d1 = sinh(x);
        *d2 = f;
        break;
    case SAL_OP_TANH: /* 1 - f^2 would cancel for large x */
        *d1 = 1 / cosh(x);
        *d1 *= *d1;
        *d2 = -2 * f * *d1;
        break;
    case SAL_OP_EXP:
        *d1 = f;
        *d2 = f;
        break;
    case SAL_OP_LOG:
        *d1 = 1 / x;
        *d2 = -*d1 * *d1;
        break;
    default: break;
    }
}

/* Sign, step, comparisons and logic: constant between jumps. */
static bool flat(int op)
{
    return op == SAL_OP_SIGN || op == SAL_OP_STEP || (op >= SAL_OP_LT && op <= SAL_OP_NOT);
}

/* First and second partial derivatives of a function of two operands. */
typedef struct partials {
    double a, b, aa, ab, bb;
} partials;

/* a^b with respect to a. Without log, so that negative and zero bases are right; the low powers one by one, since
 * b (b-1) a^(b-2) is 0 * infinity for them at a = 0. */
static void power_base(double a, double b, partials *d)
{
    if (b == 0) {
        d->a  = 0;
        d->aa = 0;
    } else if (b == 1) {
        d->a  = 1;
        d->aa = 0;
    } else if (b == 2) {
        d->a  = 2 * a;
        d->aa = 2;
    } else if (b == 3) {
        d->a  = 3 * a * a;
        d->aa = 6 * a;
    } else {
        d->a  = b * pow(a, b - 1);
        d->aa = b * (b - 1) * pow(a, b - 2);
    }
}

/* a^b, of value f, with respect to b. There is no derivative for a <= 0: powers nearby are not real. */
static void power_exponent(double a, double b, double f, partials *d)
{
    double l = a > 0 ? log(a) : NAN;

    d->b  = f * l;
    d->ab = pow(a, b - 1) * (1 + b * l);
    d->bb = f * l * l;
}

/* pow and atan2. The exponent's derivatives stay 0 unless it varies. */
static partials binary(int op, double a, double b, double f, bool varies)
{
    partials d = { 0 };

    if (op == SAL_OP_POW) {
        power_base(a, b, &d);
        if (varies) power_exponent(a, b, f, &d);
    } else { /* atan2(a, b): with r^2 = a^2 + b^2, f_a = b/r^2, f_b = -a/r^2 */
        double r = hypot(a, b);
        d.a      = b / r / r;
        d.b      = -a / r / r;
        d.aa     = 2 * d.a * d.b;
        d.ab     = d.b * d.b - d.a * d.a;
        d.bb     = -d.aa;
    }
    return d;
}

/* The operand that a selection took. */
static int selected(const sal_node *s, const double *v)
{
    if (s->op == SAL_OP_IF) return v[s->a] != 0 ? s->b : s->c;
    return selects_first(s->op, v[s->a], v[s->b]) ? s->a : s->b;
}

/* -------------------------------------------------------------------------------------- gradient */

/* Hands the adjoint of node i, which is not 0, to its operands. */
static void pull_back(const sal_program *p, int i, const double *v, double *adjoint)
{
    const sal_node *s = &p->node[i];
    double          w = adjoint[i], d1, d2;
    partials        d;

    switch (s->op) {
    case SAL_OP_CONST:
    case SAL_OP_LEAF: break;
    case SAL_OP_ADD:
        adjoint[s->a] += w;
        adjoint[s->b] += w;
        break;
    case SAL_OP_SUB:
        adjoint[s->a] += w;
        adjoint[s->b] -= w;
        break;
    case SAL_OP_MUL:
        adjoint[s->a] += w * v[s->b];
        adjoint[s->b] += w * v[s->a];
        break;
    case SAL_OP_DIV:
        adjoint[s->a] += w / v[s->b];
        adjoint[s->b] -= w / v[s->b] * v[i];
        break;
    case SAL_OP_POW:
    case SAL_OP_ATAN2:
        d = binary(s->op, v[s->a], v[s->b], v[i], p->node[s->b].op != SAL_OP_CONST);
        adjoint[s->a] += w * d.a;
        adjoint[s->b] += w * d.b;
        break;
    case SAL_OP_MIN:
    case SAL_OP_MAX:
    case SAL_OP_IF: adjoint[selected(s, v)] += w; break;
    default:
        if (flat(s->op)) break;
        unary(s->op, v[s->a], v[i], &d1, &d2);
        adjoint[s->a] += w * d1;
        break;
    }
}

void sal_program_gradient(const sal_program *p, const double *value, double *adjoint)
{
    for (int i = 0; i < p->n; i++) adjoint[i] = 0;
    adjoint[p->n - 1] = 1;
    for (int i = p->n - 1; i >= 0; i--)
        if (adjoint[i] != 0) pull_back(p, i, value, adjoint);
}

/* ---------------------------------------------------------------------------------------- taylor */

/* A derivative times the motion of its operand; nothing when that stands still, however steep f is. */
static inline double chain(double slope, double motion)
{
    return motion == 0 ? 0 : slope * motion;
}

static double leaf_rate(const sal_node *s, const double *const source[SAL_SRC_COUNT])
{
    return source && source[s->a] ? source[s->a][s->b] : 0;
}

/* first[i] and second[i] of a node whose operands are done; not of leaves and flat nodes. */
static void push_forward(const sal_program *p, int i, const double *v, double *first, double *second)
{
    const sal_node *s = &p->node[i];
    int             a = s->a, b = s->b, from;
    double          d1, d2;
    partials        d;

    switch (s->op) {
    case SAL_OP_ADD:
        first[i]  = first[a] + first[b];
        second[i] = second[a] + second[b];
        break;
    case SAL_OP_SUB:
        first[i]  = first[a] - first[b];
        second[i] = second[a] - second[b];
        break;
    case SAL_OP_MUL:
        first[i]  = chain(v[b], first[a]) + chain(v[a], first[b]);
        second[i] = chain(v[b], second[a]) + chain(2 * first[a], first[b]) + chain(v[a], second[b]);
        break;
    case SAL_OP_DIV: /* from a = f b */
        first[i]  = (first[a] - chain(v[i], first[b])) / v[b];
        second[i] = (second[a] - chain(2 * first[i], first[b]) - chain(v[i], second[b])) / v[b];
        break;
    case SAL_OP_POW:
    case SAL_OP_ATAN2:
        d         = binary(s->op, v[a], v[b], v[i], first[b] != 0 || second[b] != 0);
        first[i]  = chain(d.a, first[a]) + chain(d.b, first[b]);
        second[i] = chain(d.a, second[a]) + chain(d.b, second[b]) + chain(chain(d.aa, first[a]), first[a]) +
                    2 * chain(chain(d.ab, first[a]), first[b]) + chain(chain(d.bb, first[b]), first[b]);
        break;
    case SAL_OP_MIN:
    case SAL_OP_MAX:
    case SAL_OP_IF:
        from      = selected(s, v);
        first[i]  = first[from];
        second[i] = second[from];
        break;
    default:
        unary(s->op, v[a], v[i], &d1, &d2);
        first[i]  = chain(d1, first[a]);
        second[i] = chain(d1, second[a]) + chain(chain(d2, first[a]), first[a]);
        break;
    }
}

void sal_program_taylor(const sal_program *p, const double *const source[SAL_SRC_COUNT],
                        const double *const source1[SAL_SRC_COUNT], const double *const source2[SAL_SRC_COUNT],
                        double *value, double *first, double *second)
{
    sal_program_value(p, source, value);
    for (int i = 0; i < p->n; i++) {
        const sal_node *s = &p->node[i];

        if (s->op == SAL_OP_CONST || flat(s->op)) {
            first[i]  = 0;
            second[i] = 0;
        } else if (s->op == SAL_OP_LEAF) {
            first[i]  = leaf_rate(s, source1);
            second[i] = leaf_rate(s, source2);
        } else {
            push_forward(p, i, value, first, second);
        }
    }
}
