/* return_map.c - the return map of a periodic motion and its derivatives; equations in cycle.h.
 *
 * A section that the motion only passes through (a kick forwards, a mark) lies at the start of the next step: where it
 * is being crossed there, or within a small part of a period, it counts as having just happened. */
#include <math.h>
#include <string.h>

#include "engine/studies/cycle.h"
#include "engine/base/vector.h"

/* Steps of the integrator after which a run to the section is given up: of the first guess, and of others in terms of
 * the one before. A wild guess may lead where every step is short. */
enum { RUN_STEPS_FIRST = 1000000, RUN_STEPS_LEAST = 2000, RUN_STEPS_MORE = 20 };

/* row [w] with respect to the start of a step and the parameters, in terms of g and the parameters. */
static void chain_row(const sal_cycle *c, const double *row, double *out)
{
    for (int j = 0; j < c->w; j++) out[j] = j < 2 * c->n ? 0.0 : row[j];
    for (int k = 0; k < 2 * c->n; k++) {
        const double *G = SAL_ROW(c->G, k, c->w);
        for (int j = 0; j < c->w && row[k] != 0.0; j++) out[j] += row[k] * G[j];
    }
}

static void add_row(const sal_cycle *c, const double *row, double *sum)
{
    chain_row(c, row, c->chain);
    for (int j = 0; j < c->w; j++) sum[j] += c->chain[j];
}

/* A section that is being crossed at the start, now or within a time too short for a step, has just happened. */
static sal_status leave_section(sal_cycle *c)
{
    const sal_event *event = &c->model->tables->events.at[c->section];
    const double within = c->typical > 0.0 ? SAL_SECTION_NEAR * c->typical : SAL_SECTION_NOW * sal_run_duration(c->run);
    sal_run     *run    = c->run;
    sal_system  *s      = &run->system;
    double       r, rate;

    sal_system_move(s, run->shown.t, run->shown.z, run->shown.zd);
    memcpy(s->zdd, run->shown.zdd, sizeof(double) * (size_t)c->n);
    memcpy(s->lambda, run->shown.lambda, sizeof(double) * (size_t)c->model->m);
    r    = sal_system_value(s, &event->when);
    rate = sal_tangent_rate(&run->motion, s, &event->when);
    if (event->direction != SAL_BOTH && (event->direction == SAL_RISING) != (rate > 0.0)) return SAL_OK;
    if (!(fabs(r) <= within * fabs(rate))) return SAL_OK;
    return sal_events_arm(run, (sal_pending){ .event = c->section, .rate = rate, .value = r, .steep = true });
}

/* Starts the run at c->at. */
static sal_status begin_step(sal_cycle *c)
{
    sal_status status = SAL_OK;

    for (int k = 0; k < 2 * c->n && status == SAL_OK; k++) status = sal_run_set(c->run, c->initial[k], c->at[k]);
    if (status == SAL_OK) status = sal_run_restart(c->run);
    if (status == SAL_OK) status = leave_section(c);
    return status == SAL_OK ? SAL_OK : sal_cycle_because(c, status, "%s", sal_run_message(c->run));
}

/* Outputs and the state at the start. */
static void note_start(sal_cycle *c, sal_image *m)
{
    const size_t n = (size_t)c->n, w = (size_t)c->w;

    memcpy(m->start, sal_run_q(c->run), sizeof(double) * n);
    memcpy(m->start + n, sal_run_v(c->run), sizeof(double) * n);
    memcpy(m->dstart, sal_run_Q(c->run), sizeof(double) * n * w);
    memcpy(m->dstart + n * w, sal_run_V(c->run), sizeof(double) * n * w);
    for (int k = 0; k < c->model->tables->outputs.n; k++) {
        m->output[k] = sal_run_output(c->run, k);
        sal_run_output_gradient(c->run, k, SAL_ROW(m->doutput, k, c->w));
    }
}

static void note_origin(sal_cycle *c)
{
    const int origin = c->model->tables->cycle.origin;

    for (int axis = 0; axis < c->model->tables->dimension && origin >= 0; axis++) {
        c->place[axis] = sal_run_q(c->run)[origin + axis];
        memcpy(SAL_ROW(c->dplace, axis, c->w), SAL_ROW(sal_run_Q(c->run), origin + axis, c->w),
               sizeof(double) * (size_t)c->w);
    }
}

static sal_status not_reached(sal_cycle *c)
{
    const sal_event_info last = sal_run_event(c->run);
    const char          *name = sal_model_event(c->model, c->section);

    if (last.index >= 0 && last.stop)
        return sal_cycle_because(c, SAL_ERR_CYCLE, "the section '%s' is not reached: %s ends the run at t = %.9g s",
                                 name, last.name, last.time);
    return sal_cycle_because(c, SAL_ERR_CYCLE, "the section '%s' is not reached within %.9g s", name,
                             sal_run_duration(c->run));
}

/* How many constraints hold. After the section it must be as many as at the start, whoever has taken whose role. */
static int holding(const sal_cycle *c)
{
    int count = 0;

    for (int r = 0; r < c->model->m; r++) count += c->run->system.mode.held[r];
    return count;
}

/* On to just after the section. */
static sal_status run_to_section(sal_cycle *c)
{
    const int  start = holding(c);
    const long most  = c->typical > 0.0 ? RUN_STEPS_LEAST + RUN_STEPS_MORE * c->run_steps : RUN_STEPS_FIRST;
    sal_status status;

    do {
        const sal_run_stats stats = sal_run_get_stats(c->run);
        if (stats.steps + stats.rejected > most)
            return sal_cycle_because(c, SAL_ERR_STEP, "the section is not reached within %ld steps", most);
        status = sal_run_step(c->run);
        if (status == SAL_STOPPED) return sal_cycle_because(c, status, "interrupted");
        if (status == SAL_END) return not_reached(c);
        if (status < 0) return sal_cycle_because(c, status, "%s", sal_run_message(c->run));
        if (sal_run_wrt_invalid(c->run)[0])
            return sal_cycle_because(c, SAL_ERR_NUMBER, "%s", sal_run_wrt_invalid(c->run));
    } while (status != SAL_EVENT || sal_run_event(c->run).index != c->section);
    if (c->run->state < 0) return sal_cycle_because(c, c->run->state, "%s", sal_run_message(c->run));
    if (holding(c) != start)
        return sal_cycle_because(c, SAL_ERR_CYCLE,
                                 "%d constraints hold after the section, and %d did at the start: that is no cycle",
                                 holding(c), start);
    return SAL_OK;
}

/* x+ with its derivatives along the section, as S makes it: c->at, c->local. */
static void exchange_and_move(sal_cycle *c, double moved[SAL_AXES])
{
    const sal_tables    *tables = c->model->tables;
    const sal_cycle_def *def    = &tables->cycle;
    const int            axes   = tables->dimension;
    const double        *tau = sal_run_event_gradient(c->run), *home = sal_run_Q(c->home);

    for (int k = 0; k < 2 * c->n; k++) {
        const int to = k % c->n, axis = to % axes;
        sal_basis from = { .alpha = tables->zero, .beta = tables->zero }; /* itself, or who takes its role */
        for (int a = 0; a < axes; a++) from.i[a] = from.j[a] = to - axis + a;
        if (def->role) from = *sal_basis_of(tables, def->role[to / axes]);
        const double rate = sal_run_place(c->run, from, axis, k >= c->n, &c->at[k], SAL_ROW(c->local, k, c->w));
        for (int j = 0; j < c->w; j++) SAL_ROW(c->local, k, c->w)[j] += rate * tau[j];
    }
    for (int axis = 0; axis < axes; axis++) moved[axis] = 0.0;
    if (def->origin < 0) return;
    for (int axis = 0; axis < axes; axis++) {
        const double back = c->at[def->origin + axis] - sal_run_q(c->home)[def->origin + axis];
        moved[axis]       = c->at[def->origin + axis] - c->place[axis];
        for (int j = 0; j < c->w; j++) {
            const double now                  = SAL_ROW(c->local, def->origin + axis, c->w)[j],
                         put                  = j < 2 * c->n ? 0.0 : home[(def->origin + axis) * c->p + j - 2 * c->n];
            SAL_ROW(c->dplace, axis, c->w)[j] = now - SAL_ROW(c->dplace, axis, c->w)[j];
            for (int k = axis; k < c->n; k += axes) SAL_ROW(c->local, k, c->w)[j] -= now - put;
        }
        for (int k = axis; k < c->n; k += axes) c->at[k] -= back;
    }
}

static sal_status make_step(sal_cycle *c, sal_image *m, int step)
{
    const sal_tables *tables = c->model->tables;
    const size_t      size   = sizeof(double) * (size_t)(2 * c->n);
    double            moved[SAL_AXES];
    sal_status        status = begin_step(c);

    if (status != SAL_OK) return status;
    if (step == 0) note_start(c, m);
    note_origin(c);
    status = run_to_section(c);
    if (status != SAL_OK) return status;
    m->period += sal_run_time(c->run);
    add_row(c, sal_run_event_gradient(c->run), m->dperiod);
    for (int k = 0; k < tables->costs.n; k++) {
        const double speed =
            sal_run_event(c->run).stop ? 0.0 : sal_run_cost_speed(c->run, k); /* else it is in already */
        m->cost[k] += sal_run_costs(c->run)[k];
        for (int j = 0; j < c->w; j++)
            c->row[j] = SAL_ROW(sal_run_cost_gradients(c->run), k, c->w)[j] + speed * sal_run_event_gradient(c->run)[j];
        add_row(c, c->row, SAL_ROW(m->dcost, k, c->w));
    }
    exchange_and_move(c, moved);
    for (int axis = 0; axis < tables->dimension && tables->cycle.origin >= 0; axis++) {
        m->advance[axis] += moved[axis];
        add_row(c, SAL_ROW(c->dplace, axis, c->w), SAL_ROW(m->dadvance, axis, c->w));
    }
    for (int k = 0; k < 2 * c->n; k++) chain_row(c, SAL_ROW(c->local, k, c->w), SAL_ROW(m->dend, k, c->w));
    memcpy(c->G, m->dend, size * (size_t)c->w);
    memcpy(m->between + (size_t)step * (size_t)(2 * c->n), c->at, size);
    return SAL_OK;
}

sal_status sal_cycle_image(sal_cycle *c, sal_image *m)
{
    const sal_tables *tables = c->model->tables;
    const size_t      row    = sizeof(double) * (size_t)c->w;
    sal_status        status = SAL_OK;

    m->period = m->advance[0] = m->advance[1] = 0.0;
    memset(m->dperiod, 0, row);
    memset(m->dadvance, 0, 2 * row);
    memset(m->cost, 0, sizeof(double) * (size_t)tables->costs.n);
    memset(m->dcost, 0, row * (size_t)tables->costs.n);
    memset(c->G, 0, row * (size_t)(2 * c->n));
    for (int k = 0; k < 2 * c->n; k++) SAL_ROW(c->G, k, c->w)[k] = 1.0;
    memcpy(c->at, m->g, sizeof(double) * (size_t)(2 * c->n));
    for (int step = 0; step < c->opts.steps && status == SAL_OK; step++) status = make_step(c, m, step);
    if (status != SAL_OK) return status;
    memcpy(m->end, c->at, sizeof(double) * (size_t)(2 * c->n));
    for (int k = 0; k < 2 * c->n; k++) {
        if (!isfinite(m->end[k]))
            return sal_cycle_because(c, SAL_ERR_NUMBER, "the state after the section is not finite");
    }
    return SAL_OK;
}
