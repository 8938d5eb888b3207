/* auto.c - SAL_AUTO: explicit steps, and implicit ones while something is stiff.
 *
 * Explicit steps are cheaper and more accurate where nothing is stiff; so a run begins with them. Where stiff.c finds
 * that they are as short as stability lets them be, implicit ones take over. These are looked at now and then: with rho
 * the largest |eigenvalue| of J = d(v, a)/d(q, v), by power iteration (two applications at a time: an oscillation
 * turns positions into velocities and back),
 *
 *     h rho/stable,    rho^2 = |J^2 w|/|w|,    stable = 6.1 of rk8
 *
 * explicit steps would do instead of one of length h. Where these are few, at several looks in a row, the run goes
 * back.
 * Where implicit steps never were of use it takes twice as long, each time, until they are tried again: so that no
 * scene is much slower for it. All of that depends on the state and the steps alone. */
#include <math.h>
#include <string.h>

#include "engine/base/tolerance.h"
#include "engine/run/run.h"

enum { LOOKS_AGAIN = 8, USELESS = 3, ITERATIONS = 4, LONGEST = 4096 };

sal_status sal_run_use(sal_run *run, const sal_stepper_ops *kind)
{
    sal_status status = SAL_OK;

    if (kind == run->stepper.ops) return SAL_OK;
    status = sal_stepper_exchange(&run->stepper, &run->pool, &run->other);
    if (status == SAL_OK && kind->implicit && !run->implicit) status = sal_run_prepare_implicit(run);
    if (status != SAL_OK) return sal_run_fail(run, status, "out of memory");
    sal_fit_init(&run->find.fit[0], kind->dense_degree);
    return SAL_OK;
}

sal_status sal_auto_start(sal_run *run)
{
    run->automatic = (sal_automatic){ .patience = SAL_STIFF_ENOUGH };
    return run->other.ops ? sal_run_use(run, &sal_stepper_rk8) : SAL_OK;
}

/* |J^2 w|/|w| with w -> J^2 w, [q | v] as the tangent's columns are; at the state, whose factors are at hand. */
static double apply_twice(sal_run *run, double *w)
{
    sal_tangent *t    = &run->motion;
    const int    n    = run->model->n;
    double       size = 0.0, grown = 0.0;

    for (int k = 0; k < 2 * n; k++) size += w[k] * w[k];
    size = sqrt(size);
    if (!(size > 0.0)) return 0.0;
    for (int k = 0; k < 2 * n; k++) w[k] /= size;
    for (int twice = 0; twice < 2; twice++) {
        sal_tangent_move(t, &run->system, w, w + n);
        sal_tangent_accelerate(t, &run->system);
        memmove(w, w + n, sizeof *w * (size_t)n);
        memcpy(w + n, t->zdd, sizeof *w * (size_t)n);
    }
    for (int k = 0; k < 2 * n; k++) grown += w[k] * w[k];
    return sqrt(grown);
}

/* rho at the end of the step. */
static double largest_rate(sal_run *run)
{
    const int n = run->model->n;
    double   *w = run->y, square = 0.0;
    unsigned  number = 1;

    sal_run_restore_end(run);
    if (sal_system_accelerate(&run->system) != SAL_OK) return HUGE_VAL;
    for (int k = 0; k < 2 * n; k++) { /* any direction that is at right angles to nothing */
        number = number * 1664525u + 1013904223u;
        w[k] = run->system.motion.scale[k % n] * (1.0 + (double)(number >> 16) / 65536.0) * (number >> 31 ? 1.0 : -1.0);
    }
    for (int i = 0; i < ITERATIONS; i++) square = apply_twice(run, w);
    sal_run_restore_end(run);
    return sqrt(square);
}

void sal_auto_look(sal_run *run)
{
    sal_automatic *x = &run->automatic;
    double         replaced;

    if (!run->other.ops || run->taped) return;
    if (!run->stepper.ops->implicit) {
        x->due = run->stiff.more >= x->patience;
        return;
    }
    if (run->stats.steps % LOOKS_AGAIN) return;
    replaced   = run->stepper.h * largest_rate(run) / run->other.ops->stable;
    x->useless = replaced >= SAL_IMPLICIT_PAYS ? 0 : x->useless + 1;
    x->useful  = x->useful || x->useless == 0;
    x->due     = x->useless >= USELESS;
}

sal_status sal_auto_change(sal_run *run)
{
    sal_automatic   *x        = &run->automatic;
    const bool       implicit = run->stepper.ops->implicit;
    const sal_status status   = x->due ? sal_run_use(run, run->other.ops) : SAL_OK;

    if (!x->due || status != SAL_OK) return status;
    if (x->changes < SAL_CHANGES_KEPT) {
        x->change[x->changes].time    = run->stepper.t;
        x->change[x->changes].kind    = implicit ? SAL_RK8 : SAL_RADAU;
        x->change[x->changes].element = implicit ? -1 : sal_stiff_find(run);
    }
    x->changes++;
    if (implicit) x->patience = x->useful ? SAL_STIFF_ENOUGH : x->patience < LONGEST ? 2 * x->patience : LONGEST;
    x->due = x->useless = x->useful = run->stiff.more = 0;
    return SAL_OK;
}

int sal_run_changes(const sal_run *run)
{
    return (int)run->automatic.changes;
}

bool sal_run_change(const sal_run *run, int index, sal_change *change)
{
    const sal_automatic *x = &run->automatic;

    if (index < 0 || index >= x->changes || index >= SAL_CHANGES_KEPT) return false;
    *change = (sal_change){ .time = x->change[index].time, .integrator = x->change[index].kind, .element = "" };
    if (x->change[index].element >= 0) change->element = run->model->tables->elements.at[x->change[index].element].name;
    return true;
}
