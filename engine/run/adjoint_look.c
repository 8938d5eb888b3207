/* adjoint_look.c - what costs read at single instants within steps: peaks, and values at given times.
 *
 *     J = g(T):  q-, v-, s- of the dense output at T += dg,   T- += g'            of a peak g' = 0 there
 *
 * and through the projection of what the dense output is there, as of the end of a step.
 * At the end of the run a peak is like a terminal part, at the start it is of the state there. At an event and at a
 * corner of g the adjoint refuses. */
#include <math.h>
#include <string.h>

#include "engine/run/adjoint.h"

static sal_status refuse(const sal_adjoint *a, int column, const char *what, double t)
{
    return sal_fail(a->context, SAL_ERR_NUMBER,
                    "cost '%s' has %s at t = %.9g s, which the adjoint does not go through; forward derivatives do",
                    a->goal[column]->name, what, t);
}

const sal_program *sal_adjoint_peak_at_end(const sal_adjoint *a, int column)
{
    sal_cost_peak peak;

    if (a->cost[column] < 0 || !sal_run_cost_peak(a->run, a->cost[column], &peak)) return NULL;
    return peak.place == SAL_PEAK_END ? &a->goal[column]->peak : NULL;
}

static void add(sal_adjoint *a, int column, double time, sal_slot at, const sal_program *program)
{
    const bool start = time <= a->run->start.t;

    a->look[a->looks++] =
        (sal_look){ .column = column, .time = time, .at = at, .program = program, .taken = start, .at_start = start };
}

static sal_status add_peak(sal_adjoint *a, int column)
{
    sal_cost_peak peak;

    if (!sal_run_cost_peak(a->run, a->cost[column], &peak) || peak.place == SAL_PEAK_END) return SAL_OK;
    if (peak.place == SAL_PEAK_BEFORE_EVENT || peak.place == SAL_PEAK_AFTER_EVENT)
        return refuse(a, column, "its peak at an event,", peak.time);
    if (peak.place == SAL_PEAK_INSIDE && a->run->instants.corner[a->cost[column]])
        return refuse(a, column, "its peak at a corner,", peak.time);
    add(a, column, peak.time, SAL_NONE, &a->goal[column]->peak);
    return SAL_OK;
}

sal_status sal_adjoint_find_looks(sal_adjoint *a)
{
    const sal_tables *tables = a->model->tables;
    const int         most   = a->costs * (1 + tables->cost_times.n);
    sal_status        status = SAL_OK;

    if (!a->look) {
        a->look    = SAL_NEW(&a->pool, sal_look, most);
        a->looking = SAL_NEW(&a->pool, int, most);
        a->theta   = SAL_NEW(&a->pool, double, most);
        a->onto    = SAL_NEW(&a->pool, double, 2 * a->model->n);
        if (a->pool.failed) return sal_out_of_memory(a->context);
    }
    a->looks = 0;
    for (int c = 0; c < a->costs && status == SAL_OK; c++) {
        if (a->cost[c] < 0) continue;
        status = add_peak(a, c);
        for (int k = 0; k < tables->cost_times.n; k++) {
            const sal_cost_time *at = &tables->cost_times.at[k];
            if (at->cost == a->cost[c]) add(a, c, a->run->system.z[at->time], at->time, &a->goal[c]->value);
        }
    }
    return status;
}

int sal_adjoint_looks_in(sal_adjoint *a, double t, double h)
{
    int count = 0;

    for (int k = 0; k < a->looks; k++) { /* later steps have taken theirs */
        if (a->look[k].taken || a->look[k].time <= t) continue;
        a->look[k].taken  = true;
        a->looking[count] = k;
        a->theta[count++] = fmin((a->look[k].time - t) / h, 1.0);
    }
    return count;
}

bool sal_adjoint_all_looked(const sal_adjoint *a)
{
    for (int k = 0; k < a->looks; k++) {
        if (!a->look[k].taken) return false;
    }
    return true;
}

/* The system is there, accelerated: cotangents of q and v into out [2n], of slots where they are collected. */
static void read_there(sal_adjoint *a, const sal_look *look, double *out)
{
    sal_system   *s = &a->echo->system;
    sal_pullback *b = &a->bar[look->column];
    const size_t  n = (size_t)a->model->n, m = (size_t)a->model->m;

    if (look->at != SAL_NONE) b->z[look->at] += sal_tangent_rate(&a->echo->motion, s, look->program);
    memset(b->z, 0, sizeof *b->z * n);
    memset(b->zd, 0, sizeof *b->zd * n);
    memset(a->a, 0, sizeof *a->a * n);
    memset(a->lambda, 0, sizeof *a->lambda * m);
    sal_pullback_value(b, s, look->program, 1.0, a->a, a->lambda);
    if (look->program->reads & (1u << SAL_SRC_ZDD | 1u << SAL_SRC_LAMBDA))
        sal_pullback_accelerate(b, s, a->a, a->lambda);
    else sal_pullback_timed(b, s);
    memcpy(out, b->z, sizeof *out * n);
    memcpy(out + n, b->zd, sizeof *out * n);
}

sal_trial sal_adjoint_look(void *self, int which, double t, const double *y, double *w)
{
    sal_adjoint    *a        = self;
    sal_system     *s        = &a->echo->system;
    const sal_look *look     = &a->look[a->looking[which]];
    const size_t    n        = (size_t)a->model->n;
    const bool      projects = a->echo->stepper.flow.correct && a->model->m > 0 && a->theta[which] < 1.0;

    memset(w, 0, sizeof *w * 2 * n * (size_t)a->live);
    sal_system_move(s, t, y, y + n);
    if (projects && sal_system_project(s, NULL) != SAL_OK) return SAL_TRY_NUMBER;
    memcpy(a->onto, s->z, sizeof *w * n);
    memcpy(a->onto + n, s->zd, sizeof *w * n);
    sal_system_move(s, t, a->onto, a->onto + n);
    if (sal_system_accelerate(s) != SAL_OK) return SAL_TRY_NUMBER;
    read_there(a, look, w + (size_t)look->column * 2 * n);
    return projects ? sal_adjoint_project(a, t, y, a->onto, w) : SAL_TRIED;
}

bool sal_adjoint_looks_at_start(const sal_adjoint *a)
{
    for (int k = 0; k < a->looks; k++) {
        if (a->look[k].at_start) return true;
    }
    return false;
}

sal_status sal_adjoint_look_at_start(sal_adjoint *a)
{
    sal_run   *r = a->echo;
    const int  n = a->model->n;
    sal_status status;

    sal_system_move(&r->system, r->t1, r->stepper.y1, r->stepper.y1 + n);
    status = sal_system_accelerate(&r->system);
    for (int k = 0; k < a->looks && status == SAL_OK; k++) {
        if (!a->look[k].at_start) continue;
        read_there(a, &a->look[k], a->onto);
        for (int i = 0; i < 2 * n; i++) a->w[a->look[k].column * 2 * n + i] += a->onto[i];
    }
    return status == SAL_OK ? SAL_OK : sal_adjoint_fail(a, SAL_ERR_NUMBER, "%s", r->system.message);
}
