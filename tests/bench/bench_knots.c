/* bench_knots.c - what the sensitivities of an acrobot with respect to the knots of its torque cost, in plain runs at the
 * same steps. Prints CSV.
 *
 *     build/release/tests/bench_knots [repetitions]
 *
 * Knots that lie ahead cost nothing: `ahead` is the same with all columns from the start, by an initial value for each
 * knot. Both runs of a line are timed alternately, and the least of many repetitions counts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/saltus.h"

enum { MOST = 400 };

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_of(sal_run *run)
{
    const double start = seconds();
    sal_status   status;

    sal_run_restart(run);
    do status = sal_run_step(run);
    while (status == SAL_OK || status == SAL_EVENT);
    return status == SAL_END ? seconds() - start : NAN;
}

static bool load(sal_context *context, int knots, sal_model **model)
{
    char       text[1600];
    sal_scene *scene = NULL;
    const int  size  = snprintf(
          text, sizeof text,
          "{ \"saltus\": 1, \"parameters\": { \"u\": { \"knots\": %d, \"to\": 6, \"start\": 0.5 } }, \"points\": { "
            "\"O\": { \"at\": [0, 0], \"fixed\": true }, \"E\": { \"at\": [0, -1] }, \"T\": { \"at\": [0, -2] } }, "
            "\"bodies\": { \"upper\": { \"type\": \"bar\", \"points\": [\"O\", \"E\"], \"mass\": 1 }, \"lower\": { "
            "\"type\": \"bar\", \"points\": [\"E\", \"T\"], \"mass\": 1 } }, \"joints\": { \"elbow\": { \"type\": "
            "\"torque\", \"body\": \"lower\", \"reference\": \"upper\", \"torque\": \"u(t)\" } }, \"costs\": { \"effort\": "
            "{ \"running\": \"u(t)^2\" } }, \"simulation\": { \"duration\": 6, \"rtol\": 1e-8 } }",
          knots);
    const bool good = sal_scene_parse(context, "acrobot", text, (size_t)size, &scene) == SAL_OK &&
                      sal_model_create(scene, model) == SAL_OK;

    sal_scene_destroy(&scene);
    return good;
}

/* The least times of a plain run and of one with these columns; false: something failed. */
static bool compare(const sal_model *model, const char *const *wrt, int p, int repetitions, double least[2])
{
    sal_run_opts opts  = sal_run_defaults();
    sal_run     *plain = NULL, *with = NULL;
    bool         good;

    opts.wrt_uncontrolled = true; /* the same steps */
    good                  = sal_run_create(model, &opts, &plain) == SAL_OK;
    opts.wrt              = wrt;
    opts.nwrt             = p;
    good                  = good && sal_run_create(model, &opts, &with) == SAL_OK;
    least[0] = least[1] = HUGE_VAL;
    for (int i = 0; i < repetitions && good; i++) {
        least[0] = fmin(least[0], time_of(plain));
        least[1] = fmin(least[1], time_of(with));
    }
    good = good && sal_run_get_stats(plain).steps == sal_run_get_stats(with).steps;
    if (plain) sal_run_destroy(&plain);
    if (with) sal_run_destroy(&with);
    return good;
}

int main(int argc, char **argv)
{
    static const int counts[]    = { 25, 50, 100, 200, 400 };
    const int        repetitions = argc > 1 && atoi(argv[1]) > 0 ? atoi(argv[1]) : 20;
    const char      *knots[MOST], *ahead[MOST];
    sal_context     *context = NULL;
    bool             good    = sal_context_create(NULL, &context) == SAL_OK;

    printf("knots,plain_ms,with_ms,ratio,ratio_all_from_the_start\n");
    for (size_t k = 0; k < sizeof counts / sizeof counts[0] && good; k++) {
        sal_model *model = NULL;
        double     with[2], all[2];
        good = load(context, counts[k], &model);
        for (int c = 0; c < counts[k] && good; c++) {
            knots[c] = sal_model_parameter(model, c);
            ahead[c] = "initial(T.vx)"; /* a column costs the same whatever it is */
        }
        good = good && compare(model, knots, counts[k], repetitions, with) &&
               compare(model, ahead, counts[k], repetitions, all);
        if (good)
            printf("%d,%.4f,%.4f,%.2f,%.2f\n", counts[k], 1e3 * with[0], 1e3 * with[1], with[1] / with[0],
                   all[1] / all[0]);
        sal_model_destroy(&model);
    }
    if (!good && context) fprintf(stderr, "%s", sal_message(context));
    sal_context_destroy(&context);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
