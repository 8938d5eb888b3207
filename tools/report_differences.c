/* report_differences.c - central differences beside the exact derivatives of a report: two more runs for every
 * parameter, at rho + h and rho - h, that go along with the motion from frame to frame,
 *
 *     dy/drho ~ (y(t; rho + h) - y(t; rho - h)) / 2h.
 *
 * Where an event lies between the two runs at t, one is before it and one behind: what jumps there becomes a spike of
 * the height jump/2h, which no step makes smaller. They are to be compared with, not to be relied on. */
#include <math.h>
#include <stdlib.h>

#include "tools/report_frames.h"

struct differences {
    int       p, npoints, noutputs, ncosts;
    double   *h;    /* [p] */
    sal_run **runs; /* [p][2] at rho + h, rho - h; NULL: it has failed, or does not start */
    double   *y;    /* [2][4 npoints + noutputs + ncosts] workspace */
    double    step; /* relative */
};

static int quantities_of(const differences *d)
{
    return 4 * d->npoints + d->noutputs + d->ncosts;
}

int differences_columns(const differences *d)
{
    return d ? quantities_of(d) * d->p : 0;
}

void differences_free(differences *d)
{
    if (!d) return;
    for (int k = 0; d->runs && k < 2 * d->p; k++) sal_run_destroy(&d->runs[k]);
    free(d->runs);
    free(d->h);
    free(d->y);
    free(d);
}

/* Starts the two runs of a parameter; without a start there is nothing to compare with. False: out of memory. */
static bool start_runs(differences *d, const session *s, const sal_run_opts *opts, int c, const char *name,
                       double value)
{
    sal_run_opts plain = *opts;

    plain.nwrt  = 0;
    plain.quiet = true;
    d->h[c]     = d->step * (value != 0.0 ? fabs(value) : 1.0);
    for (int side = 0; side < 2; side++) {
        sal_run  **run    = &d->runs[2 * c + side];
        sal_status status = sal_run_create(s->model, &plain, run);
        if (status == SAL_OK) status = sal_run_set(*run, name, value + (side ? -d->h[c] : d->h[c]));
        if (status == SAL_OK) status = sal_run_restart(*run);
        if (status != SAL_OK) sal_run_destroy(run);
        if (status == SAL_ERR_MEMORY) return false;
    }
    return true;
}

differences *differences_open(const session *s, const sal_run_opts *opts, double step,
                              double (*value)(const session *s, const char *name))
{
    const sal_model_info info = sal_model_get_info(s->model);
    differences         *d    = calloc(1, sizeof *d);
    sal_point_info       point;

    if (!d) return NULL;
    d->step     = step;
    d->p        = sal_run_wrt_count(s->run);
    d->noutputs = info.outputs;
    d->ncosts   = info.costs;
    while (sal_model_point(s->model, d->npoints, &point)) d->npoints++;
    d->h    = calloc((size_t)d->p + 1, sizeof *d->h);
    d->runs = calloc(2 * (size_t)d->p + 1, sizeof *d->runs);
    d->y    = calloc(2 * (size_t)quantities_of(d) + 1, sizeof *d->y);
    if (!d->h || !d->runs || !d->y) return differences_free(d), NULL;
    for (int c = 0; c < d->p; c++) {
        const char *name = sal_run_wrt(s->run, c);
        if (!start_runs(d, s, opts, c, name, value(s, name))) return differences_free(d), NULL;
    }
    return d;
}

/* Everything of a run at the time t; NaN from where it has failed, or ended, on. */
static void read_run(const differences *d, run_report *r, sal_run **run, double t, double *y)
{
    sal_status status = *run ? SAL_EVENT : SAL_ERR_ARGUMENT;

    while (status == SAL_EVENT) status = sal_run_to(*run, t);
    if (status == SAL_ERR_MEMORY) r->failed = true;
    if (status < 0 || status == SAL_STOPPED) sal_run_destroy(run);
    for (int k = 0; k < quantities_of(d); k++) y[k] = NAN;
    if (!*run || sal_run_time(*run) < t) return;
    for (int k = 0; k < d->npoints; k++)
        sal_run_point(*run, r->points[k].info.name, y + 4 * (size_t)k, y + 4 * (size_t)k + 2);
    y += 4 * (size_t)d->npoints;
    for (int k = 0; k < d->noutputs; k++) y[k] = sal_run_output(*run, k);
    for (int k = 0; k < d->ncosts; k++) y[d->noutputs + k] = sal_run_costs(*run)[k];
}

void differences_set(differences *d, run_report *r, double t, int column)
{
    const int n = quantities_of(d);

    for (int c = 0; c < d->p; c++) {
        read_run(d, r, &d->runs[2 * c], t, d->y);
        read_run(d, r, &d->runs[2 * c + 1], t, d->y + n);
        for (int k = 0; k < n; k++)
            columns_set(r->columns, column + k * d->p + c, (d->y[k] - d->y[n + k]) / (2.0 * d->h[c]));
    }
}
