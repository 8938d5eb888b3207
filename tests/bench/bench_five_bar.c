/* bench_five_bar.c - how long the five-bar's 5 s take, output writing aside. Prints CSV; the least of many
 * repetitions is what the machine can do when nothing else disturbs it.
 *
 *     build/release/tests/bench_five_bar [repetitions]
 *
 * Aim: at most 4 ms at rtol 1e-9 in index1 form on one core, Release build. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/bench.h"

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* One line of the table; false when the run fails. */
static bool measure(const sal_model *model, int form, int integrator, double rtol, int repetitions, double *time)
{
    static const char *const forms[] = { "index1", "penalty" }, *const integrators[] = { "rk8", "rk5" };
    sal_run_opts  opts = sal_run_defaults();
    sal_run      *run;
    sal_run_stats stats;

    opts.form       = form;
    opts.integrator = integrator;
    opts.rtol       = rtol;
    if (sal_run_create(model, &opts, &run) != SAL_OK) return false;
    for (int k = 0; k < repetitions; k++) {
        double     start = bench_seconds();
        sal_status status;
        sal_run_restart(run);
        do status = sal_run_step(run);
        while (status == SAL_OK || status == SAL_EVENT);
        time[k] = bench_seconds() - start;
        if (status != SAL_END) return sal_run_destroy(&run), false;
    }
    qsort(time, (size_t)repetitions, sizeof *time, compare);
    stats = sal_run_get_stats(run);
    printf("%s,%s,%g,%ld,%ld,%ld,%ld,%.4f,%.4f,%.3f\n", forms[form], integrators[integrator], rtol, stats.events,
           stats.steps, stats.evaluations, stats.factorizations, 1e3 * time[0], 1e3 * time[repetitions / 2],
           1e6 * time[0] / (double)stats.evaluations);
    sal_run_destroy(&run);
    return true;
}

int main(int argc, char **argv)
{
    const int    repetitions = argc > 1 && atoi(argv[1]) > 0 ? atoi(argv[1]) : 200;
    double      *time        = malloc(sizeof *time * (size_t)repetitions);
    sal_context *context     = NULL;
    sal_scene   *scene       = NULL;
    sal_model   *model       = NULL;
    bool         good        = time && sal_context_create(NULL, &context) == SAL_OK &&
                sal_scene_load(context, SAL_SCENES_DIR "/five_bar.json", &scene) == SAL_OK &&
                sal_model_create(scene, &model) == SAL_OK;

    if (good)
        printf("form,integrator,rtol,events,steps,evaluations,factorizations,least_ms,median_ms,us_per_evaluation\n");
    for (int form = SAL_INDEX1; form <= SAL_PENALTY && good; form++) {
        for (int integrator = SAL_RK8; integrator <= SAL_RK5 && good; integrator++) {
            good = measure(model, form, integrator, 1e-9, repetitions, time);
        }
    }
    if (good) good = measure(model, SAL_INDEX1, SAL_RK8, 1e-11, repetitions, time);
    if (!good && context) fprintf(stderr, "%s", sal_message(context));
    sal_model_destroy(&model);
    sal_scene_destroy(&scene);
    if (context) sal_context_destroy(&context);
    free(time);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
