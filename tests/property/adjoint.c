/* adjoint.c - gradients by the adjoint, of costs that are added to a random mechanism, against forward derivatives on the
 * same steps: with respect to all of its parameters and where a point of it starts, over half of the duration, in one of
 * three forms.
 *
 * A refusal is no failure, but for one: what one of them has the other must have the reasons for, and none may be told
 * where derivatives are invalid. */
#include <stdlib.h>
#include <string.h>

#include "tests/property/judge.h"
#include "tests/property/random.h"

/* Of the largest of a gradient, or of what the cost would have that changes by a thousandth of itself as a parameter
 * doubles. Each event leaves rounding of its own, divided by how steeply it crosses; some scenes have thousands. */
static const double TOLERANCE = 1e-9, EVENTS = 10.0;

enum { ASKED_MOST = 64, COSTS_ADDED = 3 };

typedef struct gradients {
    sal_status status; /* SAL_OK: there are some */
    long       steps, events;
    double     value[COSTS_ADDED], of[COSTS_ADDED * ASKED_MOST];
    char       message[240];
} gradients;

/* The parameters, and with `starts` where a point starts. */
static int choose_wrt(const sal_model *model, const mechanism *m, bool starts, char text[ASKED_MOST][NAME],
                      const char *name[ASKED_MOST])
{
    static const char *const parts[] = { "x", "y", "vx", "vy" };
    int                      n = 0, from = 0;

    for (int k = 0; sal_model_parameter(model, k) && n < ASKED_MOST - 4; k++)
        snprintf(text[n++], NAME, "%s", sal_model_parameter(model, k));
    while (from < m->npoints && (m->points[from].fixed || m->points[from].marker >= 0)) from++;
    for (int i = 0; i < 4 && starts && from < m->npoints; i++)
        snprintf(text[n++], NAME, "initial(%s.%s)", m->points[from].name, parts[i]);
    for (int k = 0; k < n; k++) name[k] = text[k];
    return n;
}

static void keep_message(gradients *g, const char *text)
{
    snprintf(g->message, sizeof g->message, "%s", text);
}

static void sweep(const sal_model *model, const sal_context *context, const sal_run_opts *given, gradients *g)
{
    sal_run_opts     opts    = *given;
    sal_adjoint_opts o       = sal_adjoint_defaults();
    sal_run         *run     = NULL;
    sal_adjoint     *adjoint = NULL;

    *g        = (gradients){ .status = SAL_ERR_NUMBER };
    o.wrt     = opts.wrt;
    o.nwrt    = opts.nwrt;
    opts.nwrt = 0;
    if (sal_run_create(model, &opts, &run) == SAL_OK && sal_adjoint_create(run, &o, &adjoint) == SAL_OK &&
        sal_simulate(run, (sal_reader[]){ sal_adjoint_reader(adjoint) }, 1) == SAL_END) {
        g->steps  = sal_run_get_stats(run).steps;
        g->events = sal_run_get_stats(run).events;
        g->status = sal_adjoint_sweep(adjoint);
        for (int k = 0; k < COSTS_ADDED && g->status == SAL_OK; k++) {
            g->value[k] = sal_run_costs(run)[k];
            memcpy(g->of + k * o.nwrt, sal_adjoint_gradient(adjoint, k), sizeof(double) * (size_t)o.nwrt);
        }
    }
    if (g->status != SAL_OK) keep_message(g, sal_message(context));
    sal_adjoint_destroy(&adjoint);
    sal_run_destroy(&run);
}

static void go_forward(const sal_model *model, const sal_run_opts *given, gradients *g)
{
    sal_run_opts opts = *given;
    sal_run     *run  = NULL;

    *g                    = (gradients){ .status = SAL_ERR_NUMBER };
    opts.wrt_uncontrolled = true;
    if (sal_run_create(model, &opts, &run) == SAL_OK && sal_simulate(run, NULL, 0) == SAL_END) {
        g->steps  = sal_run_get_stats(run).steps;
        g->status = sal_run_wrt_invalid(run)[0] ? SAL_ERR_NUMBER : SAL_OK;
        keep_message(g, sal_run_wrt_invalid(run));
        memcpy(g->value, sal_run_costs(run), sizeof g->value);
        memcpy(g->of, sal_run_cost_gradients(run), sizeof(double) * (size_t)(COSTS_ADDED * opts.nwrt));
    }
    sal_run_destroy(&run);
}

static void complain(verdict *v, const char *text)
{
    v->wrong++;
    if (v->wrong == 1) snprintf(v->derivative, sizeof v->derivative, "%s", text);
}

static void compare(const gradients *by, const gradients *forward, int n, const char *const *wrt, verdict *v)
{
    const double may   = TOLERANCE * (1.0 + (double)by->events / EVENTS);
    double       worst = may;
    char         text[240];

    for (int k = 0; k < COSTS_ADDED; k++) {
        double most = 1e-3 * fabs(forward->value[k]);
        for (int c = 0; c < n; c++) most = fmax(most, fabs(forward->of[k * n + c]));
        for (int c = 0; c < n; c++) {
            const double off = fabs(by->of[k * n + c] - forward->of[k * n + c]) / most;
            v->derivatives++;
            if (!(off > worst)) continue;
            worst = off;
            snprintf(text, sizeof text, "cost %d by %s: adjoint %.12g, forward %.12g, off by %.2g", k, wrt[c],
                     by->of[k * n + c], forward->of[k * n + c], off);
        }
    }
    if (worst > may) complain(v, text);
}

/* False: there is nothing to compare. */
static bool compare_by(const mechanism *m, const loaded *it, sal_run_opts opts, bool starts, verdict *v)
{
    char        text[ASKED_MOST][NAME];
    const char *wrt[ASKED_MOST];
    gradients   by, forward;

    opts.wrt  = wrt;
    opts.nwrt = choose_wrt(it->model, m, starts, text, wrt);
    sweep(it->model, it->context, &opts, &by);
    go_forward(it->model, &opts, &forward);
    if (by.status == SAL_OK && forward.status != SAL_OK && forward.message[0]) complain(v, forward.message);
    if (by.status != SAL_OK || forward.status != SAL_OK) return false;
    if (by.steps != forward.steps) complain(v, "steps differ");
    else compare(&by, &forward, opts.nwrt, wrt, v);
    return true;
}

void check_adjoint(const mechanism *given, const limits *most, verdict *v)
{
    mechanism    m     = *given;
    dice         d     = { m.seed ^ UINT64_C(0x9e3779b97f4a7c15) };
    alarm_clock  alarm = alarm_after(3.0 * most->seconds);
    sal_run_opts opts  = sal_run_defaults();
    loaded       it;
    const int    form = dice_choice(&d, 4); /* half of them with projection */

    if (v->outcome != ENDED) return;
    m.has_costs        = true;
    opts.quiet         = true;
    opts.integrator    = SAL_RK8; /* the steps must be the same, however stiff it is */
    opts.duration      = 0.5 * m.duration;
    opts.stop          = clock_over;
    opts.user          = &alarm;
    opts.form          = form == 3 ? SAL_PENALTY : SAL_INDEX1;
    opts.stabilization = form == 2 ? SAL_BAUMGARTE : -1;
    if (load_scene(&m, &it) == SAL_OK && !compare_by(&m, &it, opts, true, v) &&
        !compare_by(&m, &it, opts, false, v)) /* what touches at the start may do so for one place only */
        v->unknown++;
    unload(&it);
}
