/* differences.h - derivatives of runs against differences of runs that know nothing of derivatives. */
#ifndef SAL_TESTS_DIFFERENCES_H
#define SAL_TESTS_DIFFERENCES_H

#include "tests/support.h"

/* With respect to what, about which value, with which step of the differences. */
typedef struct quantity {
    const char *name;
    double      value, step;
} quantity;

/* What is compared: event times, and at each of the times asked for q, v, a, lambda and costs. Of a run that ends at
 * an event: its costs. */
typedef struct section {
    const char *name;
    int         event; /* or -1 */
    double      time;
    int         first, count;
} section;

enum { SECTIONS = 96, NUMBERS = 1024, WRT_MAX = 24 };

typedef struct record {
    int     sections, n, p;
    section section[SECTIONS];
    double  x[NUMBERS];
    double  dx[NUMBERS][WRT_MAX];
} record;

static inline void append(record *r, section s, const double *x, const double *dx, int count)
{
    assert_true(r->sections < SECTIONS && r->n + count <= NUMBERS);
    s.first                   = r->n;
    s.count                   = count;
    r->section[r->sections++] = s;
    for (int k = 0; k < count; k++, r->n++) {
        r->x[r->n] = x[k];
        for (int c = 0; c < r->p; c++) r->dx[r->n][c] = dx[k * r->p + c];
    }
}

/* A run for each time, which ends there (at t = 0: begins there), so that nothing is interpolated. Infinity: where
 * the scene says. */
static inline void watch(rig *g, sal_run_opts opts, const double *times, int ntimes, record *r)
{
    const int n = g->model->n, m = g->model->m, costs = g->model->tables->costs.n;

    r->sections = r->n = 0;
    r->p               = opts.nwrt;
    assert_true(r->p <= WRT_MAX);
    for (int k = 0; k < ntimes; k++) {
        const bool ends = times[k] > 0.0 && times[k] < HUGE_VAL;
        sal_status status;
        opts.duration = ends ? times[k] : -1.0;
        rig_run(g, &opts);
        while ((status = sal_run_to(g->run, times[k])) == SAL_EVENT) {
            const sal_event_info e = sal_run_event(g->run);
            if (k < ntimes - 1) continue; /* the last sees them all */
            append(r, (section){ "time of event", (int)sal_run_get_stats(g->run).events, e.time }, &e.time,
                   sal_run_event_gradient(g->run), 1);
        }
        if (status < 0) fail_msg("%s: %s", sal_status_name(status), sal_run_message(g->run));
        assert_string_equal(sal_run_wrt_invalid(g->run), "");
        const double t = sal_run_time(g->run);
        if (status == SAL_OK) {
            append(r, (section){ "q", -1, t }, sal_run_q(g->run), sal_run_Q(g->run), n);
            append(r, (section){ "v", -1, t }, sal_run_v(g->run), sal_run_V(g->run), n);
            append(r, (section){ "a", -1, t }, sal_run_a(g->run), sal_run_A(g->run), n);
            append(r, (section){ "lambda", -1, t }, sal_run_lambda(g->run), sal_run_Lambda(g->run), m);
        }
        append(r, (section){ "costs", -1, t }, sal_run_costs(g->run), sal_run_cost_gradients(g->run), costs);
    }
}

typedef struct experiment {
    sal_run_opts    opts;
    const quantity *wrt;
    int             p;
    const double   *times;
    int             ntimes;
    double          tolerance; /* of each section, relative to the largest derivative of that section in the column */
    int             events;    /* at least so many must happen */
} experiment;

/* Derivatives, and (f(-2h) - 8 f(-h) + 8 f(h) - f(2h)) / 12h, of runs at rtol 1e-13: rounding of the runs, near 1e-12
 * of the numbers, is divided by a step of some 1e-3, and the fifth power of the motion's own sensitivity limits the
 * step from above. */
static inline void verify(rig *g, const experiment *e)
{
    static record       exact, moved[4];
    static const int    place[4]  = { -2, -1, 1, 2 };
    static const double weight[4] = { 1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12 };
    const char         *names[WRT_MAX];
    sal_run_opts        opts   = e->opts;
    int                 events = 0;

    for (int c = 0; c < e->p; c++) names[c] = e->wrt[c].name;
    if (opts.rtol < 0) opts.rtol = 1e-13;
    opts.wrt  = names;
    opts.nwrt = e->p;
    watch(g, opts, e->times, e->ntimes, &exact);
    for (int s = 0; s < exact.sections; s++) events += exact.section[s].event > 0;
    assert_true(events >= e->events);
    opts.nwrt = 0;
    for (int c = 0; c < e->p; c++) {
        for (int k = 0; k < 4; k++) {
            const sal_setting set = { names[c], e->wrt[c].value + place[k] * e->wrt[c].step };
            opts.set              = &set;
            opts.nset             = 1;
            watch(g, opts, e->times, e->ntimes, &moved[k]);
            assert_int_equal(moved[k].sections, exact.sections);
        }
        for (int s = 0; s < exact.sections; s++) {
            const section *at   = &exact.section[s];
            double         most = 0.0;
            for (int k = at->first; k < at->first + at->count; k++) most = fmax(most, fabs(exact.dx[k][c]));
            for (int k = at->first; k < at->first + at->count; k++) {
                double difference = 0.0;
                char   what[160];
                for (int i = 0; i < 4; i++) difference += weight[i] * moved[i].x[k] / e->wrt[c].step;
                snprintf(what, sizeof what, "d %s[%d] (event %d, t = %g) / d %s", at->name, k - at->first, at->event,
                         at->time, names[c]);
                assert_near_at(exact.dx[k][c], difference, e->tolerance * fmax(most, 0.01), what, __FILE__, __LINE__);
            }
        }
    }
}

#define VERIFY(g, wrt_, times_, tolerance_, events_, ...)      \
    verify((g), &(experiment){ .opts      = __VA_ARGS__,       \
                               .wrt       = (wrt_),            \
                               .p         = SAL_COUNT(wrt_),   \
                               .times     = (times_),          \
                               .ntimes    = SAL_COUNT(times_), \
                               .tolerance = (tolerance_),      \
                               .events    = (events_) })

#endif
