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
    for (int j = 0; j < c->w; j++) out[j] = j < c->size ? 0.0 : row[j];
    for (int k = 0; k < c->size; k++) {
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
static sal_status leave_section(sal_cycle *c, sal_run *run)
{
    const sal_event *event = &c->model->tables->events.at[c->section];
    const double within    = c->typical > 0.0 ? SAL_SECTION_NEAR * c->typical : SAL_SECTION_NOW * sal_run_duration(run);
    sal_system  *s         = &run->system;
    double       r, rate;
    sal_status   status;

    sal_system_move(s, run->shown.t, run->shown.z, run->shown.zd);
    memcpy(s->zdd, run->shown.zdd, sizeof(double) * (size_t)c->n);
    memcpy(s->lambda, run->shown.lambda, sizeof(double) * (size_t)c->model->m);
    r    = sal_system_value(s, &event->when);
    rate = sal_tangent_rate(&run->motion, s, &event->when);
    if (event->direction != SAL_BOTH && (event->direction == SAL_RISING) != (rate > 0.0)) return SAL_OK;
    if (!(fabs(r) <= within * fabs(rate))) return SAL_OK;
    status = sal_events_arm(run, (sal_pending){ .event = c->section, .rate = rate, .value = r, .steep = true });
    if (r * rate < 0.0) sal_events_pass(run, c->section, r);
    return status;
}

sal_status sal_cycle_begin(sal_cycle *c, sal_run *run, const double *at, const bool *closed)
{
    sal_status status = SAL_OK;

    for (int k = 0; k < c->state && status == SAL_OK; k++) status = sal_run_set(run, c->initial[k], at[k]);
    if (c->section < 0) {
        run->asked.duration = c->home->system.z[c->period];
        memcpy(run->start.closed, closed, sizeof *closed * (size_t)c->pairs);
    }
    if (status == SAL_OK) status = sal_run_restart(run);
    if (status == SAL_OK && c->section >= 0) status = leave_section(c, run);
    return status == SAL_OK ? SAL_OK : sal_cycle_because(c, status, "%s", sal_run_message(run));
}

/* A number of the state that a run shows: coordinates, velocities, memory. */
static double shown(const sal_cycle *c, const sal_run *run, int k)
{
    if (k < c->n) return run->shown.z[k];
    return k < 2 * c->n ? run->shown.zd[k - c->n] : sal_run_memory(run, c->memory[k - 2 * c->n]);
}

/* Its derivatives at fixed time [w]. */
static const double *shown_row(const sal_cycle *c, int k)
{
    if (k < c->n) return SAL_ROW(c->run->shown.dz, k, c->w);
    if (k < 2 * c->n) return SAL_ROW(c->run->shown.dzd, k - c->n, c->w);
    return SAL_ROW(c->run->shown.dz, c->model->tables->memory.at[c->memory[k - 2 * c->n]].slot, c->w);
}

/* Outputs and the state at the start. */
static void note_start(sal_cycle *c, sal_image *m)
{
    for (int k = 0; k < c->state; k++) m->start[k] = shown(c, c->run, k);
    for (int k = 0; k < c->size; k++)
        memcpy(SAL_ROW(m->dstart, k, c->w), shown_row(c, k), sizeof(double) * (size_t)c->w);
    for (int k = 0; k < c->model->tables->outputs.n; k++) {
        m->output[k] = sal_run_output(c->run, k);
        sal_run_output_gradient(c->run, k, SAL_ROW(m->doutput, k, c->w));
    }
}

static void note_origin(sal_cycle *c)
{
    for (int axis = 0; axis < c->model->tables->dimension; axis++) {
        const int origin = c->model->tables->cycle.origin[axis];
        if (origin < 0) continue;
        c->place[axis] = sal_run_q(c->run)[origin];
        memcpy(SAL_ROW(c->dplace, axis, c->w), SAL_ROW(sal_run_Q(c->run), origin, c->w), sizeof(double) * (size_t)c->w);
    }
}

static sal_status not_reached(sal_cycle *c, const sal_run *run)
{
    const sal_event_info last = sal_run_event(run);
    const bool           ends = last.index >= 0 && last.stop;

    if (c->section < 0)
        return sal_cycle_because(c, SAL_ERR_CYCLE, "%s ends the motion at t = %.9g s, before its period of %.9g s",
                                 last.name, last.time, run->t_end);
    if (ends)
        return sal_cycle_because(c, SAL_ERR_CYCLE, "the section '%s' is not reached: %s ends the run at t = %.9g s",
                                 sal_model_event(c->model, c->section), last.name, last.time);
    return sal_cycle_because(c, SAL_ERR_CYCLE, "the section '%s' is not reached within %.9g s",
                             sal_model_event(c->model, c->section), sal_run_duration(run));
}

/* How many constraints hold. After the section it must be as many as at the start, whoever has taken whose role. */
static int holding(const sal_cycle *c)
{
    int count = 0;

    for (int r = 0; r < c->model->m; r++) count += c->run->system.mode.held[r];
    return count;
}

sal_status sal_cycle_go_on(sal_cycle *c, sal_run *run)
{
    const sal_status status = sal_run_step(run);

    if (status == SAL_STOPPED) return sal_cycle_because(c, status, "interrupted");
    if (status < 0) return sal_cycle_because(c, status, "%s", sal_run_message(run));
    if (sal_run_wrt_invalid(run)[0]) return sal_cycle_because(c, SAL_ERR_NUMBER, "%s", sal_run_wrt_invalid(run));
    if (c->section < 0) {
        if (status != SAL_END) return SAL_END;
        return run->ended ? not_reached(c, run) : SAL_OK;
    }
    if (status == SAL_END) return not_reached(c, run);
    if (status != SAL_EVENT || sal_run_event(run).index != c->section) return SAL_END;
    return run->state < 0 ? sal_cycle_because(c, run->state, "%s", sal_run_message(run)) : SAL_OK;
}

/* On to just after the section, or over the period. */
static sal_status run_to_section(sal_cycle *c)
{
    const int  start = holding(c);
    const long most  = c->typical > 0.0 ? RUN_STEPS_LEAST + RUN_STEPS_MORE * c->run_steps : RUN_STEPS_FIRST;
    sal_status status;

    do {
        const sal_run_stats stats = sal_run_get_stats(c->run);
        if (stats.steps + stats.rejected > most)
            return sal_cycle_because(c, SAL_ERR_STEP, "the section is not reached within %ld steps", most);
        status = sal_cycle_go_on(c, c->run);
    } while (status == SAL_END);
    if (status != SAL_OK) return status;
    for (int k = 0; k < c->pairs; k++) c->carried[k] = sal_run_closed(c->run, k);
    if (holding(c) == start || c->section < 0) return SAL_OK;
    return sal_cycle_because(c, SAL_ERR_CYCLE,
                             "%d constraints hold after the section, and %d did at the start: that is no cycle",
                             holding(c), start);
}

/* After a period, or several, the same pairs must touch, and the same constraints hold, as at the start. */
static sal_status check_closed(sal_cycle *c)
{
    for (int k = 0; k < c->pairs && c->section < 0; k++) {
        if (c->carried[k] == c->closed[k]) continue;
        c->opened = true;
        return sal_cycle_because(c, SAL_ERR_CYCLE, "%s is %s at the start, and %s after the period: that is no cycle",
                                 sal_model_touch(c->model, k), c->closed[k] ? "closed" : "open",
                                 c->carried[k] ? "closed" : "open");
    }
    if (c->section >= 0 || holding(c) == c->holding) return SAL_OK;
    return sal_cycle_because(c, SAL_ERR_CYCLE,
                             "%d constraints hold after the period, and %d did at the start: that is no cycle",
                             holding(c), c->holding);
}

/* tau': of the section's time, or of the period, which only parameters change. */
static void note_time(sal_cycle *c)
{
    if (c->section >= 0) {
        memcpy(c->tau, sal_run_event_gradient(c->run), sizeof(double) * (size_t)c->w);
        return;
    }
    for (int j = 0; j < c->size; j++) c->tau[j] = 0.0;
    for (int j = 0; j < c->p; j++) c->tau[c->size + j] = SAL_ROW(c->home->tangent.z, c->period, c->p)[j];
}

/* x+ with its derivatives along the section, roles exchanged: c->at, c->local. */
static void exchange(sal_cycle *c)
{
    const sal_tables    *tables = c->model->tables;
    const sal_cycle_def *def    = &tables->cycle;
    const int            axes   = tables->dimension;

    for (int k = 0; k < 2 * c->n; k++) {
        const int to = k % c->n, axis = to % axes;
        sal_basis from = { .alpha = tables->zero, .beta = tables->zero }; /* itself, or who takes its role */
        for (int a = 0; a < axes; a++) from.i[a] = from.j[a] = to - axis + a;
        if (def->role) from = *sal_basis_of(tables, def->role[to / axes]);
        const double rate = sal_run_place(c->run, from, axis, k >= c->n, &c->at[k], SAL_ROW(c->local, k, c->w));
        for (int j = 0; j < c->w; j++) SAL_ROW(c->local, k, c->w)[j] += rate * c->tau[j];
    }
    for (int k = 2 * c->n; k < c->state; k++) { /* it does not change between events */
        const int own = c->memory[k - 2 * c->n], from = def->memory ? def->memory[own] : own;
        c->at[k] = sal_run_memory(c->run, from);
        if (k < c->size)
            memcpy(SAL_ROW(c->local, k, c->w), SAL_ROW(c->run->shown.dz, tables->memory.at[from].slot, c->w),
                   sizeof(double) * (size_t)c->w);
    }
}

/* How a number of the state moves when everything is moved along an axis. */
static double moves(const sal_cycle *c, int k, int axis)
{
    if (k >= 2 * c->n) return c->moves[(k - 2 * c->n) * SAL_AXES + axis];
    return k < c->n && k % c->model->tables->dimension == axis ? 1.0 : 0.0;
}

/* Brings everything back by what the origin is away from its place, and adds what it has moved to the way. */
static void bring_back(sal_cycle *c, sal_image *m, int step)
{
    const double *home = sal_run_Q(c->home), *back = c->row;

    for (int axis = 0; axis < c->model->tables->dimension; axis++) {
        const int origin = c->model->tables->cycle.origin[axis];
        double    by;
        if (origin < 0) continue;
        by = c->at[origin] - sal_run_q(c->home)[origin];
        m->advance[axis] += c->at[origin] - c->place[axis];
        for (int j = 0; j < c->w; j++)
            c->row[j] = SAL_ROW(c->local, origin, c->w)[j] - SAL_ROW(c->dplace, axis, c->w)[j];
        add_row(c, c->row, SAL_ROW(m->dadvance, axis, c->w));
        for (int j = 0; j < c->w; j++)
            c->row[j] = SAL_ROW(c->local, origin, c->w)[j] - (j < c->size ? 0.0 : home[origin * c->p + j - c->size]);
        for (int k = 0; k < c->state; k++) {
            const double part = moves(c, k, axis);
            if (part == 0.0) continue;
            c->at[k] -= part * by;
            for (int j = 0; j < c->w && k < c->size; j++) SAL_ROW(c->local, k, c->w)[j] -= part * back[j];
        }
        if (step > 0) continue;
        m->back[axis] = by;
        memcpy(SAL_ROW(m->dback, axis, c->w), back, sizeof *back * (size_t)c->w);
    }
}

/* Adds what a return costs, by its derivatives in c->row: costs are sums, of a peak the largest counts, and
 * of an average, sum c_i T_i, all that is left is to divide by the period. */
static void add_cost(sal_cycle *c, sal_image *m, int k, double value)
{
    const sal_cost *cost = &c->model->tables->costs.at[k];
    const double    time = sal_run_time(c->run);
    double         *row  = SAL_ROW(m->dcost, k, c->w);

    if (cost->average) {
        for (int j = 0; j < c->w; j++) c->row[j] = c->row[j] * time + value * c->tau[j];
        value *= time;
    } else if (cost->peak.n) {
        if (!(value > m->cost[k])) return;
        m->cost[k] = 0.0;
        memset(row, 0, sizeof *row * (size_t)c->w);
    }
    m->cost[k] += value;
    add_row(c, c->row, row);
}

static void finish_averages(const sal_cycle *c, sal_image *m)
{
    for (int k = 0; k < c->model->tables->costs.n; k++) {
        double *row = SAL_ROW(m->dcost, k, c->w);
        if (!c->model->tables->costs.at[k].average) continue;
        m->cost[k] /= m->period;
        for (int j = 0; j < c->w; j++) row[j] = (row[j] - m->cost[k] * m->dperiod[j]) / m->period;
    }
}

static sal_status make_step(sal_cycle *c, sal_image *m, int step)
{
    const sal_tables *tables = c->model->tables;
    sal_status        status = sal_cycle_begin(c, c->run, c->at, c->carried);

    if (status != SAL_OK) return status;
    if (step == 0) note_start(c, m);
    if (step == 0) c->holding = holding(c);
    note_origin(c);
    status = run_to_section(c);
    if (status != SAL_OK) return status;
    note_time(c);
    m->period += sal_run_time(c->run);
    add_row(c, c->tau, m->dperiod);
    for (int k = 0; k < tables->costs.n; k++) {
        const bool   moved = c->section >= 0 && sal_run_event(c->run).stop; /* then it is in already */
        const double speed = moved ? 0.0 : sal_run_cost_speed(c->run, k);
        for (int j = 0; j < c->w; j++)
            c->row[j] = SAL_ROW(sal_run_cost_gradients(c->run), k, c->w)[j] + speed * c->tau[j];
        add_cost(c, m, k, sal_run_costs(c->run)[k]);
    }
    exchange(c);
    bring_back(c, m, step);
    for (int k = 0; k < c->size; k++) chain_row(c, SAL_ROW(c->local, k, c->w), SAL_ROW(m->dend, k, c->w));
    memcpy(c->G, m->dend, sizeof(double) * (size_t)c->size * (size_t)c->w);
    memcpy(m->between + (size_t)step * (size_t)c->state, c->at, sizeof(double) * (size_t)c->state);
    return SAL_OK;
}

sal_status sal_cycle_image(sal_cycle *c, sal_image *m)
{
    const sal_tables *tables = c->model->tables;
    const size_t      row = sizeof(double) * (size_t)c->w, state = sizeof(double) * (size_t)c->state;
    sal_status        status = SAL_OK;

    m->period = m->advance[0] = m->advance[1] = 0.0;
    memset(m->dperiod, 0, row);
    memset(m->dadvance, 0, 2 * row);
    for (int k = 0; k < tables->costs.n; k++) m->cost[k] = tables->costs.at[k].peak.n ? -HUGE_VAL : 0.0;
    memset(m->dcost, 0, row * (size_t)tables->costs.n);
    memset(c->G, 0, row * (size_t)c->size);
    for (int k = 0; k < c->size; k++) SAL_ROW(c->G, k, c->w)[k] = 1.0;
    memcpy(c->at, m->g, state);
    memcpy(c->carried, c->closed, sizeof *c->closed * (size_t)c->pairs);
    c->opened = false;
    for (int step = 0; step < c->opts.steps && status == SAL_OK; step++) status = make_step(c, m, step);
    if (status == SAL_OK) status = check_closed(c);
    if (status != SAL_OK) return status;
    finish_averages(c, m);
    memcpy(m->end, c->at, state);
    for (int k = 0; k < c->state; k++) {
        if (!isfinite(m->end[k])) return sal_cycle_because(c, SAL_ERR_NUMBER, "the state at the end is not finite");
    }
    return SAL_OK;
}
