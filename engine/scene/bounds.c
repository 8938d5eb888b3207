/* bounds.c - regions: conditions as continuous functions that are >= 0 where they are true.
 *
 *     a < b, a <= b     b - a           A and B    min(A, B)           anything else    itself
 *     a > b, a >= b     a - b           A or B     max(A, B)           not A            -A
 *
 * Where such a function crosses zero something enters or leaves the region: an event. Equality, sign and step hold for
 * an instant or jump: they bound nothing. */
#include "engine/scene/scene.h"

/* Node `node` of the condition, copied to e by `copy`; -1: there is no such function. */
static int function_of(sal_expr *e, const sal_program *p, const int *copy, int node)
{
    const sal_node *x = &p->node[node];
    int             a, b;

    switch (x->op) {
    case SAL_OP_LT:
    case SAL_OP_LE: return sal_expr_op(e, SAL_OP_SUB, copy[x->b], copy[x->a], 0);
    case SAL_OP_GT:
    case SAL_OP_GE: return sal_expr_op(e, SAL_OP_SUB, copy[x->a], copy[x->b], 0);
    case SAL_OP_AND:
    case SAL_OP_OR:
        a = function_of(e, p, copy, x->a);
        b = function_of(e, p, copy, x->b);
        return a < 0 || b < 0 ? -1 : sal_expr_op(e, x->op == SAL_OP_AND ? SAL_OP_MIN : SAL_OP_MAX, a, b, 0);
    case SAL_OP_NOT: a = function_of(e, p, copy, x->a); return a < 0 ? -1 : sal_expr_op(e, SAL_OP_NEG, a, 0, 0);
    case SAL_OP_EQ:
    case SAL_OP_NE:
    case SAL_OP_SIGN:
    case SAL_OP_STEP: return -1;
    default: return copy[node];
    }
}

sal_status sal_bounds_function(sal_pool *pool, const sal_program *condition, sal_program *function)
{
    sal_expr *e    = sal_expr_begin(pool);
    int      *copy = SAL_NEW(pool, int, condition->n), all;

    if (!e || !copy) return SAL_ERR_MEMORY;
    for (int k = 0; k < condition->n; k++) copy[k] = sal_expr_copy(e, condition->node[k], copy);
    all = function_of(e, condition, copy, condition->n - 1);
    return all < 0 ? SAL_ERR_SCENE : sal_expr_finish(e, all, function);
}
