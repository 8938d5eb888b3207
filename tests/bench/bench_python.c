/* bench_python.c - restarts and runs of the five-bar from C, for bench_python.py: the seconds that each of some rounds
 * takes, a line each.
 *
 *     build/release/tests/bench_python ROUNDS RUNS record|plain */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/bench.h"

static bool once(sal_run *run, double length, bool keep)
{
    sal_record *record = NULL;
    sal_reader  reader;
    bool        good = sal_run_set(run, "L01", length) == SAL_OK && sal_run_restart(run) == SAL_OK;

    if (!keep) return good && sal_simulate(run, NULL, 0) == SAL_END;
    good = good && sal_record_create(run, &record) == SAL_OK;
    if (good) reader = sal_record_reader(record);
    good = good && sal_simulate(run, &reader, 1) == SAL_END;
    sal_record_destroy(&record);
    return good;
}

int main(int argc, char **argv)
{
    const int    rounds = argc > 1 ? atoi(argv[1]) : 10, runs = argc > 2 ? atoi(argv[2]) : 1000;
    const bool   keep    = argc > 3 && !strcmp(argv[3], "record");
    sal_context *context = NULL;
    sal_scene   *scene   = NULL;
    sal_model   *model   = NULL;
    sal_run     *run     = NULL;
    bool         good    = sal_context_create(NULL, &context) == SAL_OK &&
                sal_scene_load(context, SAL_SCENES_DIR "/five_bar.json", &scene) == SAL_OK &&
                sal_model_create(scene, &model) == SAL_OK && sal_run_create(model, NULL, &run) == SAL_OK;

    for (int round = 0; round < rounds && good; round++) {
        const double start = bench_seconds();
        for (int k = 0; k < runs && good; k++) good = once(run, 2.2 + 1e-5 * k, keep);
        printf("%.9f\n", bench_seconds() - start);
        fflush(stdout);
    }
    if (!good) fprintf(stderr, "%s", run ? sal_run_message(run) : sal_message(context));
    sal_run_destroy(&run);
    sal_model_destroy(&model);
    sal_scene_destroy(&scene);
    if (context) sal_context_destroy(&context);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
