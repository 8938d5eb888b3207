/* value.c - evaluating programs: value and gradient.
 *
 * Every node is f(a), f(a, b) or a selection. With w for the adjoint,
 *
 *   value      v_i  = f(v_a, v_b)
 *   gradient   w_a += w_i f_a,  w_b += w_i f_b                                         (from the last node back)
 *
 * Selections (min, max, if) hand everything to the operand that was selected; comparisons, logic, sign and step
 * are constant wherever they have a derivative.
 *
 * Where f has no finite derivative, as sqrt at 0, the result is infinite or NaN, but only if it matters: the
 * gradient does not enter a node whose adjoint is 0 (an unselected branch), so that 0 * infinity is never formed
 * there. */
#include "engine/expr/expr.h"

#include <math.h>

/* ----------------------------------------------------------------------------------------- value */

/* a^b. The small powers are products: quick, and right for any sign of a. */
static inline double power(double a, double b)
{
    if (b == 1) return a;
    if (b == 2) return a * a;
    if (b == 3) return a * a * a;
    return pow(a, b);
}

/* ------------------------------------------------------------------------------------------ roots */

/* What is known while a root is tried for. First at equal distances, by which it is seen whether the function rises all
 * the way: else there is no root that could be told from others. Then between the two places that have it in between,
 * where the line between their values is 0; the value of one that stays is halved (Illinois), and the interval whenever
 * three tries have not. */
typedef struct search {
    double low, high, at_low, at_high;
    double from, to; /* where it began */
    double last;     /* value found last */
    double length;   /* three tries ago */
    int    tries, stayed;
} search;

enum { FIRST_TRIES = 12, MOST_TRIES = 200 }; /* a third of these halve: more than a double has digits */

static double begin_search(search *s, double from, double to)
{
    *s = (search){ .from = from, .to = to, .low = from, .high = to, .last = -INFINITY };
    return from;
}

/* One of the first places; false: the function does not rise. */
static bool look_around(search *s, double x, double f, double *next)
{
    if (!(f >= s->last)) return false;
    s->last = f;
    if (f < 0.0 || s->tries == 0) s->low = x, s->at_low = f;
    else if (s->at_high <= 0.0) s->high = x, s->at_high = f;
    s->length = s->high - s->low;
    s->tries++;
    *next = s->tries == FIRST_TRIES ? s->to : s->from + (s->to - s->from) * s->tries / FIRST_TRIES;
    return true;
}

static void narrow(search *s, double x, double f)
{
    const int side = f < 0.0 ? -1 : 1;

    if (side < 0) s->low = x, s->at_low = f;
    else s->high = x, s->at_high = f;
    if (side == s->stayed && side < 0) s->at_high *= 0.5;
    if (side == s->stayed && side > 0) s->at_low *= 0.5;
    s->stayed = side;
}

/* The next place after f was found at x; false: it is x, or, NaN, there is none. */
static bool try_again(search *s, double *x, double f, double *next)
{
    if (s->tries <= FIRST_TRIES) {
        if (!look_around(s, *x, f, next)) return *x = NAN, false;
        if (s->tries <= FIRST_TRIES && s->to > s->from) return true;
    } else {
        if (f == 0.0 || f != f || s->tries++ > MOST_TRIES) return false;
        narrow(s, *x, f);
    }
    if (s->at_high == 0.0 || s->at_low >= 0.0) return *x = s->at_low >= 0.0 ? s->low : s->high, false;
    *next = s->low - s->at_low * (s->high - s->low) / (s->at_high - s->at_low);
    if (s->tries % 3 == 0) {
        if (s->high - s->low > 0.5 * s->length) *next = 0.5 * (s->low + s->high);
        s->length = s->high - s->low;
    }
    if (!(*next > s->low && *next < s->high)) *next = 0.5 * (s->low + s->high);
    return *next > s->low && *next < s->high; /* else they are neighbours */
}

/* Whether min or max selects its first operand. A NaN on either side is selected, not hidden. */
static inline bool selects_first(int op, double a, double b)
{
    if (a != a) return true;
    return op == SAL_OP_MIN ? a <= b : a >= b;
}

double sal_program_value(const sal_program *p, const double *const source[SAL_SRC_COUNT], double *v)
{
    search root = { 0 };

    for (int i = 0; i < p->n; i++) {
        const sal_node *s = &p->node[i];

        switch ((sal_op)s->op) {
        case SAL_OP_TRY: v[i] = begin_search(&root, v[s->a], v[s->b]); break;
        case SAL_OP_ROOT:
            v[i] = v[s->b];
            if (try_again(&root, &v[i], v[s->a], &v[s->b])) i = s->b; /* from behind it on again */
            break;
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

/* f'(x) of the functions of one operand, whose value f is known already. */
static double slope(int op, double x, double f)
{
    switch (op) {
    case SAL_OP_NEG: return -1;
    case SAL_OP_ABS: return x < 0 ? -1 : 1;
    case SAL_OP_SQRT: return 0.5 / f;
    case SAL_OP_SIN: return cos(x);
    case SAL_OP_COS: return -sin(x);
    case SAL_OP_TAN: return 1 + f * f;
    case SAL_OP_ASIN: return 1 / sqrt((1 - x) * (1 + x)); /* no cancellation near the ends */
    case SAL_OP_ACOS: return -1 / sqrt((1 - x) * (1 + x));
    case SAL_OP_ATAN: return 1 / (1 + x * x);
    case SAL_OP_SINH: return cosh(x);
    case SAL_OP_COSH: return sinh(x);
    case SAL_OP_TANH: return 1 / (cosh(x) * cosh(x)); /* 1 - f^2 would cancel for large x */
    case SAL_OP_EXP: return f;
    case SAL_OP_LOG: return 1 / x;
    default: return 0;
    }
}

/* Sign, step, comparisons and logic: constant between jumps. What is tried counts as a number. */
static bool flat(int op)
{
    return op == SAL_OP_TRY || op == SAL_OP_ROOT || op == SAL_OP_SIGN || op == SAL_OP_STEP ||
           (op >= SAL_OP_LT && op <= SAL_OP_NOT);
}

/* a^b with respect to a. Without log, so that negative and zero bases are right. */
static double power_base(double a, double b)
{
    return b == 0 ? 0 : b * power(a, b - 1); /* not 0 * infinity at a = 0 */
}

/* a^b, of value f, with respect to b. There is no derivative for a <= 0: powers nearby are not real. */
static double power_exponent(double a, double f)
{
    return a > 0 ? f * log(a) : NAN;
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
    double          w = adjoint[i], r;

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
        adjoint[s->a] += w * power_base(v[s->a], v[s->b]);
        if (p->node[s->b].op != SAL_OP_CONST) adjoint[s->b] += w * power_exponent(v[s->a], v[i]);
        break;
    case SAL_OP_ATAN2: /* b/r^2 and -a/r^2; r^2 itself could overflow */
        r = hypot(v[s->a], v[s->b]);
        adjoint[s->a] += w * (v[s->b] / r / r);
        adjoint[s->b] -= w * (v[s->a] / r / r);
        break;
    case SAL_OP_MIN:
    case SAL_OP_MAX:
    case SAL_OP_IF: adjoint[selected(s, v)] += w; break;
    default:
        if (!flat(s->op)) adjoint[s->a] += w * slope(s->op, v[s->a], v[i]);
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
