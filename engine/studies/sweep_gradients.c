/* sweep_gradients.c - whether the derivatives of a sweep's cases are made forward or by the adjoint.
 *
 * In plain runs a case costs about 1 + p/10 forward, with p parameters, and 2.5 + 0.4 m by the adjoint, with m values
 * to be differentiated (tests/bench/bench_sens.c, bench_adjoint.c). */
#include <stdio.h>

#include "engine/studies/sweep.h"

static double forward_cost(int p)
{
    return 1.0 + 0.1 * p;
}

static double adjoint_cost(int values)
{
    return 2.5 + 0.4 * values;
}

/* What the adjoint cannot do, of the columns; NULL: it can. */
static const char *refused(const sal_sweep *s, int *values)
{
    *values = 0;
    if (s->opts.study != SAL_STUDY_RUN) return "it is of runs only";
    if (!s->goes_back) return "it goes back through explicit steps only";
    for (int k = 0; k < s->quantities.n; k++) {
        const sal_quantity *q = &s->quantities.at[k];
        if (q->gradient < 0) continue;
        ++*values;
        if (q->kind != SAL_OF_COST && q->kind != SAL_AT_END) return "it has no times of events";
    }
    return *values ? NULL : "nothing has derivatives";
}

sal_status sal_sweep_choose(sal_sweep *s)
{
    const int p = s->opts.run.nwrt;
    int       values;
    const char *not = refused(s, &values);

    snprintf(s->why, sizeof s->why, "%d parameter%s, %d value%s", p, p == 1 ? "" : "s", values, values == 1 ? "" : "s");
    switch (s->opts.gradients) {
    case SAL_GRADIENTS_FORWARD: snprintf(s->why, sizeof s->why, "as asked for"); return SAL_OK;
    case SAL_GRADIENTS_ADJOINT:
        if (not )
            return sal_fail(s->context, SAL_ERR_ARGUMENT, "the adjoint does not give these derivatives: %s", not );
        s->adjoint = true;
        snprintf(s->why, sizeof s->why, "as asked for");
        return SAL_OK;
    case SAL_GRADIENTS_CHEAPER: break;
    default: return sal_fail(s->context, SAL_ERR_ARGUMENT, "gradients is %d", (int)s->opts.gradients);
    }
    if (p && not ) snprintf(s->why, sizeof s->why, "not the adjoint: %s", not );
    else if (p && !s->opts.run.wrt_uncontrolled) snprintf(s->why, sizeof s->why, "they take part in step control");
    s->adjoint = !not &&s->opts.run.wrt_uncontrolled && adjoint_cost(values) < forward_cost(p);
    return SAL_OK;
}

sal_gradients sal_sweep_gradients(const sal_sweep *sweep, const char **why)
{
    if (why) *why = sweep->why;
    return sweep->adjoint ? SAL_GRADIENTS_ADJOINT : SAL_GRADIENTS_FORWARD;
}
