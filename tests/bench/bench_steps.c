/* bench_steps.c - one run of a scene, for counting its instructions: bench/instructions.sh. Loading the scene, making
 * the run and a first pass, which binds what the loader binds late, are not in counted_steps().
 *
 *     build/release/tests/bench_steps SCENE [SENSITIVITIES]
 *
 * Sensitivities, at most ten, are those of the five-bar in bench_sens.c; they take no part in step control: the steps
 * are those of the plain run. Prints steps, evaluations and events. */
#include <stdio.h>
#include <stdlib.h>

#include "engine/saltus.h"

/* Callgrind collects while this runs: it must stay a function with a name. */
__attribute__((noinline)) sal_status counted_steps(sal_run *run);

sal_status counted_steps(sal_run *run)
{
    sal_status status = sal_run_restart(run);

    while (status == SAL_OK || status == SAL_EVENT) status = sal_run_step(run);
    return status;
}

static sal_status first_steps(sal_run *run)
{
    sal_status status;

    do status = sal_run_step(run);
    while (status == SAL_OK || status == SAL_EVENT);
    return status;
}

int main(int argc, char **argv)
{
    static const char *const wrt[10] = { "L01",           "L02",           "initial(P1.x)",
                                         "initial(P1.y)", "initial(P2.x)", "initial(P2.y)",
                                         "initial(P3.x)", "initial(P3.y)", "initial(P1.vx)",
                                         "initial(P1.vy)" };
    sal_context             *context = NULL;
    sal_scene               *scene   = NULL;
    sal_model               *model   = NULL;
    sal_run                 *run     = NULL;
    sal_run_opts             opts    = sal_run_defaults();
    bool                     good;

    if (argc < 2) return fprintf(stderr, "bench_steps SCENE [SENSITIVITIES]\n"), EXIT_FAILURE;
    opts.wrt              = wrt;
    opts.nwrt             = argc > 2 ? atoi(argv[2]) : 0;
    opts.wrt_uncontrolled = true;
    good                  = opts.nwrt >= 0 && opts.nwrt <= 10 && sal_context_create(NULL, &context) == SAL_OK &&
           sal_scene_load(context, argv[1], &scene) == SAL_OK && sal_model_create(scene, &model) == SAL_OK &&
           sal_run_create(model, &opts, &run) == SAL_OK && first_steps(run) == SAL_END && counted_steps(run) == SAL_END;
    if (good) {
        const sal_run_stats stats = sal_run_get_stats(run);
        printf("%ld steps, %ld evaluations, %ld events\n", stats.steps, stats.evaluations, stats.events);
    } else fprintf(stderr, "%s: %s%s\n", argv[1], context ? sal_message(context) : "", run ? sal_run_message(run) : "");
    sal_run_destroy(&run);
    sal_model_destroy(&model);
    sal_scene_destroy(&scene);
    if (context) sal_context_destroy(&context);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
