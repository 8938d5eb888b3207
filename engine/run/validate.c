/* validate.c - more than every run looks at (health.c), at every accepted step and after every event where the options
 * ask for it, and always in builds with SAL_CHECKS.
 *
 *     mode       couplings join rows that hold with rows that do not; the equations are prepared for it; K is symmetric
 *                but for couplings
 *     workspace  is given back
 *
 * and what health.c looks at without waiting for a reason. */
#include <math.h>

#include "engine/base/tolerance.h"
#include "engine/run/run.h"

static sal_status violated(sal_run *run, const char *what, const char *name, double found, double limit)
{
    return sal_run_fail(run, SAL_ERR_INVARIANT, "%s%s%s at t = %.9g s: %.9g, and no more than %.3g is rounding", what,
                        name[0] ? " " : "", name, run->t1, found, limit);
}

static sal_status check_mode(sal_run *run)
{
    const sal_system   *s    = &run->system;
    const sal_row_mode *mode = &s->mode;
    int                 acts = 0;

    for (int r = 0; r < mode->rows; r++) acts += mode->acts[r];
    for (int k = 0; k < mode->portions; k++) acts -= mode->portion[k].row != mode->portion[k].leader;
    if (acts != mode->couplings) return violated(run, "rows that act without a coupling", "", acts, mode->couplings);
    for (int k = 0; k < mode->couplings; k++) {
        const sal_coupling *c = &mode->coupling[k];
        if (!mode->held[c->row] || mode->held[c->along] || !mode->acts[c->along])
            return violated(run, "a coupling of rows that cannot be", run->model->tables->rows.at[c->row].name, 1.0,
                            0.0);
    }
    if (!s->prepared || !sal_mode_equal(mode, &s->prepared_for))
        return violated(run, "the equations are not prepared for the mode", "", 1.0, 0.0);
    if (mode->couplings == 0 && sal_kkt_asymmetry(&s->motion) > 0.0)
        return violated(run, "the equations of motion are not symmetric", "", sal_kkt_asymmetry(&s->motion), 0.0);
    if (s->arena.used) return violated(run, "workspace is not given back", "", (double)s->arena.used, 0.0);
    return SAL_OK;
}

sal_status sal_run_validate(sal_run *run)
{
    const sal_status status = check_mode(run);

    return status == SAL_OK ? sal_health_look(run) : status;
}
