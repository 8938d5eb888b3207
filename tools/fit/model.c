/* model.c - the motion at the samples, and its derivatives by the variables: exact, but for the delay, whose column is
 * the rate of change of the motion at fixed parameters, by differences of dense output. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/fit/fit.h"

static int fail_open(const session *s, const experiment *e, sal_status status)
{
    fprintf(stderr, "saltus: %s: ", e->file);
    return report(sal_message(s->context), status);
}

static int open_run(fitting *f, experiment *e)
{
    sal_run_opts opts = f->a->opts;
    sal_setting *set  = need_zeros((size_t)(f->a->opts.nset + e->nset) + 1, sizeof *set);
    const double late = f->delay >= 0 ? f->over.at[f->delay].high : 0.0;
    sal_status   status;

    memcpy(set, f->a->set, (size_t)f->a->opts.nset * sizeof *set);
    for (int k = 0; k < e->nset; k++) set[f->a->opts.nset + k] = e->set[k];
    opts.set      = set;
    opts.nset     = f->a->opts.nset + e->nset;
    opts.wrt      = f->wrt;
    opts.nwrt     = f->nwrt;
    opts.duration = fmax(e->at[e->n - 1].t + fmax(late, 0.0), 1e-9);
    opts.quiet    = true;
    status        = sal_run_create(f->s->model, &opts, &e->run);
    free(set);
    return status < 0 ? fail_open(f->s, e, status) : EXIT_SUCCESS;
}

int model_open(fitting *f)
{
    const size_t m = (size_t)f->data.n, n = (size_t)f->over.n;
    int          code = EXIT_SUCCESS;

    f->wrt   = need_zeros(n + 1, sizeof *f->wrt);
    f->delay = -1;
    for (int k = 0; k < f->over.n; k++) {
        if (!strcmp(f->over.at[k].name, DELAY)) f->delay = k;
        else f->wrt[f->nwrt++] = f->over.at[k].name;
    }
    f->x            = need_zeros(n, sizeof *f->x);
    f->trial_x      = need_zeros(n, sizeof *f->x);
    f->r            = need_zeros(m, sizeof *f->r);
    f->trial_r      = need_zeros(m, sizeof *f->r);
    f->motion       = need_zeros(m, sizeof *f->r);
    f->trial_motion = need_zeros(m, sizeof *f->r);
    f->J            = need_zeros(m * n, sizeof *f->J);
    f->trial_J      = need_zeros(m * n, sizeof *f->J);
    for (int k = 0; k < f->data.nexperiment && code == EXIT_SUCCESS; k++) code = open_run(f, &f->data.experiment[k]);
    return code;
}

void model_close(fitting *f)
{
    double *const lists[] = { f->x, f->trial_x, f->r, f->trial_r, f->motion, f->trial_motion, f->J, f->trial_J };

    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) free(lists[k]);
    free(f->wrt);
    data_free(&f->data);
    variables_free(&f->over);
}

static bool fails(fitting *f, const experiment *e, sal_status status, const char *text)
{
    f->status    = status;
    f->no_memory = f->no_memory || status == SAL_ERR_MEMORY;
    f->stopped   = f->stopped || status == SAL_STOPPED || interrupted;
    snprintf(f->message, sizeof f->message, "%s: %s", e->file, text);
    return false;
}

/* To t, through all events on the way. */
static bool go_to(fitting *f, const experiment *e, double t)
{
    sal_status status;
    char       text[128];

    do status = sal_run_to(e->run, t);
    while (status == SAL_EVENT);
    if (status == SAL_OK) return true;
    snprintf(text, sizeof text, "the run ends at t = %.9g s, before the sample at %.9g s", sal_run_time(e->run), t);
    return fails(f, e, status, status == SAL_END ? text : sal_run_message(e->run));
}

/* How far apart the places are that tell the rate: little, and less than to the next sample. */
static double rate_step(const experiment *e)
{
    double least = e->at[e->n - 1].t;

    for (long i = 1; i < e->n; i++) {
        const double apart = e->at[i].t - e->at[i - 1].t;
        if (apart > 0.0) least = fmin(least, apart);
    }
    return fmin(1e-6 * fmax(e->at[e->n - 1].t, least), 0.25 * least);
}

/* The samples of one instant, i to end: values, derivatives, rates. */
static bool read_instant(fitting *f, const experiment *e, long i, long end, double t, double step, double *motion,
                         double *J, long first)
{
    const long m = f->data.n;
    double     gradient[256], *g = f->nwrt <= 256 ? gradient : need_zeros((size_t)f->nwrt, sizeof *g);
    bool       good = true;

    if (f->delay >= 0) {
        good = go_to(f, e, fmax(t - step, 0.0));
        for (long k = i; k < end && good; k++)
            J[f->delay * m + first + k] = -sal_probe_value(f->data.quantity[e->at[k].quantity].probe, e->run);
    }
    good = good && go_to(f, e, t);
    for (long k = i; k < end && good; k++) {
        const sal_probe *probe = f->data.quantity[e->at[k].quantity].probe;
        int              used  = 0;
        motion[first + k]      = sal_probe_value(probe, e->run);
        if (f->nwrt) sal_probe_gradient(probe, e->run, g);
        for (int c = 0; c < f->over.n; c++) {
            if (c != f->delay) J[c * m + first + k] = g[used++];
        }
        if (!isfinite(motion[first + k])) good = fails(f, e, SAL_ERR_NUMBER, "a value that is not finite");
    }
    if (f->delay >= 0 && good) {
        good = go_to(f, e, t + step);
        for (long k = i; k < end && good; k++) {
            double *rate = &J[f->delay * m + first + k];
            *rate += sal_probe_value(f->data.quantity[e->at[k].quantity].probe, e->run);
            *rate /= step + fmin(step, t);
        }
    }
    if (g != gradient) free(g);
    return good;
}

static bool run_experiment(fitting *f, experiment *e, const double *x, long first, double *motion, double *J)
{
    const double delay = f->delay >= 0 ? x[f->delay] : 0.0, step = f->delay >= 0 ? rate_step(e) : 0.0;
    sal_status   status = SAL_OK;

    for (int k = 0; k < f->over.n && status == SAL_OK; k++) {
        if (k != f->delay) status = sal_run_set(e->run, f->over.at[k].name, x[k]);
    }
    if (status == SAL_OK) status = sal_run_restart(e->run);
    if (status < 0) return fails(f, e, status, sal_run_message(e->run));
    for (long i = 0, end; i < e->n; i = end) {
        for (end = i + 1; end < e->n && e->at[end].t == e->at[i].t;) end++;
        if (e->at[i].t + delay < 0.0) return fails(f, e, SAL_ERR_ARGUMENT, "the delay leads to before the start");
        if (!read_instant(f, e, i, end, e->at[i].t + delay, step, motion, J, first)) return false;
    }
    if (f->nwrt && sal_run_wrt_invalid(e->run)[0]) return fails(f, e, SAL_ERR_NUMBER, sal_run_wrt_invalid(e->run));
    return true;
}

bool model_at(fitting *f, const double *x, double *motion, double *J)
{
    long first = 0;

    f->evaluations++;
    for (int k = 0; k < f->data.nexperiment; k++) {
        experiment *e = &f->data.experiment[k];
        if (!run_experiment(f, e, x, first, motion, J)) return f->failed++, false;
        first += e->n;
    }
    return true;
}

double weigh(const fitting *f, const double *motion, double *J, double *r)
{
    double chi2  = 0.0;
    long   first = 0;

    for (int k = 0; k < f->data.nexperiment; k++) {
        const experiment *e = &f->data.experiment[k];
        for (long i = 0; i < e->n; i++) {
            const double sigma = f->data.quantity[e->at[i].quantity].sigma;
            r[first + i]       = (motion[first + i] - e->at[i].value) / sigma;
            chi2 += r[first + i] * r[first + i];
            for (int c = 0; c < f->over.n; c++) J[c * f->data.n + first + i] /= sigma;
        }
        first += e->n;
    }
    return chi2;
}

double column_norm(const fitting *f, int k)
{
    const variable *v     = &f->over.at[k];
    const double    range = v->high - v->low, span = fmax(fabs(f->x[k]), isfinite(range) ? range : fabs(v->start));
    double          square = 0.0, size = 0.0;
    long            first = 0;

    for (int e = 0; e < f->data.nexperiment; first += f->data.experiment[e++].n) {
        for (long i = 0; i < f->data.experiment[e].n; i++) {
            const double motion = f->motion[first + i] / f->data.quantity[f->data.experiment[e].at[i].quantity].sigma;
            const double slope  = f->J[k * f->data.n + first + i];
            square += slope * slope;
            size += motion * motion;
        }
    }
    return span > 0.0 && sqrt(square) * span <= 1e-10 * sqrt(size) ? 0.0 : sqrt(square);
}
