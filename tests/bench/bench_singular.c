/* bench_singular.c - N four-bars through their flat positions, against the one equation that they obey: how many runs
 * fail, how many are off by more than 1000 rtol, and what it costs.
 *
 *     bench_singular [form 0/1 [integrator -1.. [most windows [derivatives]]]]
 */
#include "tests/windows.h"

enum { SPEEDS = 20 };

typedef struct tally {
    int    failed, off, refused;
    double worst, energy;
    long   evaluations;
    char   said[300];
} tally;

static void try_one(tally *x, rig *r, const sal_run_opts *opts, int n, double theta, double rtol)
{
    const sal_reader none  = { 0 };
    double           error = 0.0, energy;
    sal_status       status;

    if (rig_try(r, opts) != SAL_OK) {
        x->refused++;
        return;
    }
    energy = sal_run_energy(r->run);
    status = sal_simulate(r->run, &none, 0);
    x->evaluations += sal_run_get_stats(r->run).evaluations;
    if (status < 0) {
        x->failed++;
        snprintf(x->said, sizeof x->said, "%s", sal_run_message(r->run));
        return;
    }
    error = windows_error(r->run, n, theta);
    if (error > 1000.0 * rtol) x->off++;
    x->worst  = fmax(x->worst, error);
    x->energy = fmax(x->energy, fabs(sal_run_energy(r->run) - energy));
}

int main(int argc, char **argv)
{
    static const int    windows[] = { 1, 2, 5, 10, 20, 40, 100 };
    static const double rtols[]   = { 1e-6, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12 };
    const int           form = argc > 1 ? atoi(argv[1]) : -1, integrator = argc > 2 ? atoi(argv[2]) : -1;
    const int           most = argc > 3 ? atoi(argv[3]) : 40, p = argc > 4 ? atoi(argv[4]) : 0;
    static const char  *wrt[] = { "g", "u" };

    for (int w = 0; w < SAL_COUNT(windows) && windows[w] <= most; w++) {
        const int n = windows[w];
        double    theta[SPEEDS];
        tally     all[SAL_COUNT(rtols)] = { 0 };
        for (int k = 0; k < SPEEDS; k++) {
            const double speed = 0.5 + 2.5 * k / (SPEEDS - 1);
            rig          r     = windows_load(n, speed, 1.0, "'duration': 10");
            theta[k]           = windows_exact(n, speed, 10.0).theta;
            for (int i = 0; i < SAL_COUNT(rtols); i++) {
                sal_run_opts opts = sal_run_defaults();
                opts.rtol = opts.atol = rtols[i];
                opts.form             = form;
                opts.integrator       = integrator;
                opts.max_wall         = 20.0;
                opts.quiet            = true;
                opts.wrt              = wrt;
                opts.nwrt             = p;
                try_one(&all[i], &r, &opts, n, theta[k], rtols[i]);
            }
            rig_free(&r);
        }
        for (int i = 0; i < SAL_COUNT(rtols); i++) {
            const tally *x = &all[i];
            printf("N %3d  rtol %.0e  of %d runs failed %2d, off %2d;  error %.1e, energy %.1e J;  %ld evaluations a "
                   "run  %s\n",
                   n, rtols[i], SPEEDS, x->failed + x->refused, x->off, x->worst, x->energy, x->evaluations / SPEEDS,
                   x->said);
        }
        fflush(stdout);
    }
    return 0;
}
