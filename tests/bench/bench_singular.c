/* bench_singular.c - N four-bars through their flat positions, against the one equation that they obey: how many runs
 * fail, how many are off by more than steps of the equation itself are (a crank alone: windows.h; a third more, and
 * what rounding leaves), and what it costs.
 *
 *     bench_singular [form 0..2 [integrator -1.. [most windows [derivatives]]]]
 */
#include "tests/windows.h"

enum { SPEEDS = 20 };

typedef struct tally {
    int    failed, off, refused;
    double worst, ratio, energy; /* error, over that of the crank alone, in J */
    long   evaluations;
    char   said[300];
} tally;

/* Of the crank alone. */
static double error_alone(sal_run_opts opts, int n, double speed, double theta)
{
    const sal_reader none = { 0 };
    rig              r    = windows_load_alone(n, speed, "'duration': 10");
    double           error;

    opts.nwrt = 0;
    rig_run(&r, &opts);
    sal_simulate(r.run, &none, 0);
    error = windows_error(r.run, 0, theta);
    rig_free(&r);
    return error;
}

static void try_one(tally *x, rig *r, const sal_run_opts *opts, int n, double speed, const window_motion *m)
{
    const sal_reader none  = { 0 };
    const double     alone = error_alone(*opts, n, speed, m->theta), noise = 2e-10 * fabs(m->by_speed);
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
    error = windows_error(r->run, n, m->theta);
    if (error > 1.33 * alone + noise) x->off++;
    x->worst  = fmax(x->worst, error);
    x->ratio  = fmax(x->ratio, (error - noise) / alone);
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
        const int n                     = windows[w];
        tally     all[SAL_COUNT(rtols)] = { 0 };
        for (int k = 0; k < SPEEDS; k++) {
            const double        speed = 0.5 + 2.5 * k / (SPEEDS - 1);
            const window_motion m     = windows_exact(n, speed, 10.0);
            rig                 r     = windows_load(n, speed, 1.0, "'duration': 10");
            for (int i = 0; i < SAL_COUNT(rtols); i++) {
                sal_run_opts opts = sal_run_defaults();
                opts.rtol = opts.atol = rtols[i];
                opts.form             = form;
                opts.integrator       = integrator;
                opts.max_wall         = 20.0;
                opts.quiet            = true;
                opts.wrt              = wrt;
                opts.nwrt             = p;
                try_one(&all[i], &r, &opts, n, speed, &m);
            }
            rig_free(&r);
        }
        for (int i = 0; i < SAL_COUNT(rtols); i++) {
            const tally *x = &all[i];
            printf("N %3d  rtol %.0e  of %d runs failed %2d, off %2d;  error %.1e, %.2f of alone, energy %.1e J;  %ld "
                   "evaluations a "
                   "run  %s\n",
                   n, rtols[i], SPEEDS, x->failed + x->refused, x->off, x->worst, x->ratio, x->energy,
                   x->evaluations / SPEEDS, x->said);
        }
        fflush(stdout);
    }
    return 0;
}
