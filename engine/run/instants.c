/* instants.c - what costs take from single instants of a run: peaks (peaks.c), values at times, occurrences.
 *
 * The value of a cost at a time T is taken from the dense output of its step, at an event just before it:
 *
 *     J = g(T),      dJ = dg + g' dT
 *
 * All of it counts from the end of that step on. */
#include <math.h>
#include <string.h>

#include "engine/base/vector.h"
#include "engine/run/run.h"

sal_status sal_instants_init(sal_run *run)
{
    const sal_tables *t     = run->model->tables;
    sal_instants     *x     = &run->instants;
    const int         costs = t->costs.n, p = run->asked.nwrt > 0 ? run->asked.nwrt : 0;

    x->peak        = SAL_NEW(&run->pool, sal_cost_peak, costs);
    x->peak_change = SAL_NEW(&run->pool, double, costs *p);
    x->rate        = SAL_NEW(&run->pool, double, costs);
    x->corner      = SAL_NEW(&run->pool, bool, costs);
    x->sum         = SAL_NEW(&run->pool, double, costs);
    x->sum_change  = SAL_NEW(&run->pool, double, costs *p);
    x->tau         = SAL_NEW(&run->pool, double, p);
    x->reached     = SAL_NEW(&run->pool, bool, t->cost_times.n);
    x->happened    = SAL_NEW(&run->pool, int, t->event_costs.n);
    for (int k = 0; k < costs; k++) x->peaks = x->peaks || t->costs.at[k].peak.n;
    return run->pool.failed ? SAL_ERR_MEMORY : SAL_OK;
}

void sal_instants_forget(sal_run *run)
{
    const sal_tables *t     = run->model->tables;
    sal_instants     *x     = &run->instants;
    const size_t      costs = (size_t)t->costs.n, row = sizeof(double) * (size_t)run->all;

    for (int k = 0; k < t->costs.n; k++) x->peak[k] = (sal_cost_peak){ .value = -HUGE_VAL };
    if (row) memset(x->peak_change, 0, costs * row);
    if (row) memset(x->sum_change, 0, costs * row);
    memset(x->sum, 0, costs * sizeof *x->sum);
    memset(x->rate, 0, costs * sizeof *x->rate);
    memset(x->reached, 0, sizeof *x->reached * (size_t)t->cost_times.n);
    memset(x->happened, 0, sizeof *x->happened * (size_t)t->event_costs.n);
    x->at_event = false;
}

/* The system is at the time, with sensitivities. */
static void add_value(sal_run *run, const sal_cost_time *at)
{
    const sal_program *g   = &run->model->tables->costs.at[at->cost].value;
    sal_instants      *x   = &run->instants;
    double            *out = x->sum_change + (size_t)at->cost * (size_t)run->p, rate = 0.0;

    x->sum[at->cost] += sal_system_value(&run->system, g);
    if (!run->p) return;
    const double *dT = SAL_ROW(run->tangent.z, at->time, run->p);
    sal_tangent_value(&run->tangent, &run->system, g, run->tangent.number);
    for (int c = 0; c < run->p; c++) out[c] += run->tangent.number[c];
    for (int c = 0; c < run->p && rate == 0.0; c++) {
        if (dT[c] != 0.0) rate = sal_tangent_rate(&run->motion, &run->system, g);
    }
    for (int c = 0; c < run->p; c++) out[c] += rate * dT[c];
}

/* Values at the times after `from` and up to the end of the step; `from` itself belongs to the start of the run. */
static sal_trial take_values(sal_run *run, double from, bool with_from)
{
    const sal_tables *t     = run->model->tables;
    sal_trial         trial = SAL_TRIED;

    for (int k = 0; k < t->cost_times.n && trial == SAL_TRIED; k++) {
        const sal_cost_time *at = &t->cost_times.at[k];
        const double         T  = run->system.z[at->time];
        if (run->instants.reached[k] || T > run->t1 || T < from || (T == from && !with_from)) continue;
        run->instants.reached[k] = true;
        trial = sal_run_stand(run, T == run->t1 ? 1.0 : (T - run->stepper.t) / (run->t1 - run->stepper.t));
        if (trial == SAL_TRIED) add_value(run, at);
    }
    return trial;
}

sal_status sal_instants_begin(sal_run *run, bool start)
{
    sal_instants *x      = &run->instants;
    sal_status    status = SAL_OK;

    if (x->peaks && (start || x->at_event))
        status = sal_peaks_begin(run, start ? SAL_PEAK_START : SAL_PEAK_AFTER_EVENT, start ? NULL : x->tau);
    x->at_event = false;
    if (status == SAL_OK && start && run->model->tables->cost_times.n) {
        const sal_trial trial = take_values(run, run->t1, true);
        if (trial != SAL_TRIED) status = trial == SAL_TRY_OVER ? run->failure : SAL_ERR_NUMBER;
        sal_run_restore_end(run);
    }
    return status;
}

sal_status sal_instants_step(sal_run *run)
{
    sal_status status = SAL_OK;

    if (run->instants.peaks) status = sal_peaks_step(run);
    if (status == SAL_OK && run->model->tables->cost_times.n) {
        const sal_trial trial = take_values(run, run->stepper.t, false);
        if (trial != SAL_TRIED) status = trial == SAL_TRY_OVER ? run->failure : SAL_ERR_NUMBER;
    }
    return status;
}

void sal_instants_event(sal_run *run, const sal_pending *now)
{
    if (!now->steep) return;
    run->instants.at_event = true;
    if (run->p) memcpy(run->instants.tau, run->record.tau, sizeof(double) * (size_t)run->p);
    sal_peaks_event(run, run->instants.tau);
}

bool sal_instants_counts(sal_run *run, int item)
{
    const int which = run->model->tables->event_costs.at[item].occurrence;

    return ++run->instants.happened[item] == which || which == 0;
}

double sal_instants_value(const sal_run *run, int cost)
{
    const sal_tables   *t = run->model->tables;
    const sal_instants *x = &run->instants;

    for (int k = 0; k < t->cost_times.n; k++) {
        if (t->cost_times.at[k].cost == cost && !x->reached[k]) return NAN;
    }
    for (int k = 0; k < t->event_costs.n; k++) {
        if (t->event_costs.at[k].cost == cost && x->happened[k] < t->event_costs.at[k].occurrence) return NAN;
    }
    return x->sum[cost] + (t->costs.at[cost].peak.n ? x->peak[cost].value : 0.0);
}

void sal_instants_change(const sal_run *run, int cost, bool end, double *change)
{
    const sal_instants *x      = &run->instants;
    const bool          peak   = run->model->tables->costs.at[cost].peak.n != 0;
    const double        speed  = end && !run->ended ? sal_peaks_speed(run, cost) : 0.0;
    const size_t        row    = (size_t)cost * (size_t)run->p;
    const double        number = sal_instants_value(run, cost); /* NaN, and then it has no derivative either */

    for (int c = 0; c < run->p; c++) {
        change[c] += x->sum_change[row + (size_t)c] + (peak ? x->peak_change[row + (size_t)c] : 0.0) +
                     (speed != 0.0 ? speed * run->tau_end[c] : 0.0);
        if (isnan(number)) change[c] = NAN;
    }
}

bool sal_run_cost_peak(const sal_run *run, int cost, sal_cost_peak *peak)
{
    if (cost < 0 || cost >= run->model->tables->costs.n || !run->model->tables->costs.at[cost].peak.n) return false;
    *peak = run->instants.peak[cost];
    if (peak->place == SAL_PEAK_INSIDE && peak->time == run->t_end && sal_run_has_ended(run))
        peak->place = SAL_PEAK_END;
    return true;
}
