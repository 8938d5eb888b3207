/* bench_sens.c - what p sensitivities of the five-bar cost, in plain runs at the same steps. Prints CSV.
 *
 *     build/release/tests/bench_sens [repetitions]
 *
 * Aim: at most 1 + 0.35 p for p = 2..20; central differences take 2 p. Both runs of a line are timed alternately, and
 * the least of many repetitions counts. */
#include "tests/bench/bench.h"

int main(int argc, char **argv)
{
    static const char *const names[]     = { "L01",
                                             "L02",
                                             "initial(P1.x)",
                                             "initial(P1.y)",
                                             "initial(P2.x)",
                                             "initial(P2.y)",
                                             "initial(P3.x)",
                                             "initial(P3.y)",
                                             "initial(P1.vx)",
                                             "initial(P1.vy)",
                                             "initial(P2.vx)",
                                             "initial(P2.vy)",
                                             "initial(P3.vx)",
                                             "initial(P3.vy)" };
    static const int         columns[]   = { 1, 2, 3, 4, 5, 8, 10, 12, 16, 20 };
    const int                repetitions = bench_count(argc, argv, 1, 200);
    const char              *wrt[20];
    sal_context             *context = NULL;
    sal_scene               *scene   = NULL;
    sal_model               *model   = NULL;
    sal_run_opts             opts    = sal_run_defaults();
    bool                     good    = sal_context_create(NULL, &context) == SAL_OK &&
                sal_scene_load(context, SAL_SCENES_DIR "/five_bar.json", &scene) == SAL_OK &&
                sal_model_create(scene, &model) == SAL_OK;

    for (int c = 0; c < 20; c++)
        wrt[c] = names[c % (int)(sizeof names / sizeof names[0])]; /* a column costs the same whatever it is */
    opts.wrt_uncontrolled = true;                                  /* the same steps */
    if (good) printf("p,steps,plain_ms,with_ms,ratio,aim\n");
    for (size_t k = 0; k < sizeof columns / sizeof columns[0] && good; k++) {
        sal_run *plain, *with;
        double   least[2] = { HUGE_VAL, HUGE_VAL };
        opts.nwrt         = 0;
        good              = sal_run_create(model, &opts, &plain) == SAL_OK;
        opts.wrt          = wrt;
        opts.nwrt         = columns[k];
        good              = good && sal_run_create(model, &opts, &with) == SAL_OK;
        for (int i = 0; i < repetitions && good; i++) {
            least[0] = fmin(least[0], bench_time(plain));
            least[1] = fmin(least[1], bench_time(with));
        }
        if (good) {
            good = sal_run_get_stats(plain).steps == sal_run_get_stats(with).steps;
            printf("%d,%ld,%.4f,%.4f,%.3f,%.3f\n", columns[k], sal_run_get_stats(with).steps, 1e3 * least[0],
                   1e3 * least[1], least[1] / least[0], 1.0 + 0.35 * columns[k]);
        }
        sal_run_destroy(&plain);
        sal_run_destroy(&with);
    }
    if (!good && context) fprintf(stderr, "%s", sal_message(context));
    sal_model_destroy(&model);
    sal_scene_destroy(&scene);
    sal_context_destroy(&context);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
