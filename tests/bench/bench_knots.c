/* bench_knots.c - what the sensitivities of an acrobot with respect to the knots of its torque cost, in plain runs at the
 * same steps. Prints CSV.
 *
 *     build/release/tests/bench_knots [repetitions] [knots, 0: several] [steps, linear or cubic]
 *
 * Aim: at most 15 with 200 knots. Knots that lie ahead cost nothing (of cubics, those 40 ahead): `ahead` is the same
 * with all columns from the start, by an initial value for each knot. Both runs of a line are timed alternately, and
 * the least of many repetitions counts. */
#include "tests/bench/bench.h"

enum { MOST = 10000 };

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
        least[0] = fmin(least[0], bench_time(plain));
        least[1] = fmin(least[1], bench_time(with));
    }
    good = good && sal_run_get_stats(plain).steps == sal_run_get_stats(with).steps;
    if (plain) sal_run_destroy(&plain);
    if (with) sal_run_destroy(&with);
    return good;
}

static bool measure(sal_context *context, int count, const char *kind, int repetitions)
{
    static const char *knots[MOST], *ahead[MOST];
    bench_text         text  = { 0 };
    sal_model         *model = NULL;
    double             with[2], all[2];
    bool               good;

    bench_put_acrobot(&text, count, kind);
    good = bench_model(context, "acrobot", &text, &model);
    for (int c = 0; c < count && good; c++) {
        knots[c] = sal_model_parameter(model, c);
        ahead[c] = "initial(T.vx)"; /* a column costs the same whatever it is */
    }
    good = good && compare(model, knots, count, repetitions, with) && compare(model, ahead, count, repetitions, all);
    if (good)
        printf("%d,%.4f,%.4f,%.2f,%.2f\n", count, 1e3 * with[0], 1e3 * with[1], with[1] / with[0], all[1] / all[0]);
    sal_model_destroy(&model);
    free(text.at);
    return good;
}

int main(int argc, char **argv)
{
    static const int counts[]    = { 25, 50, 100, 200, 400 };
    const int        repetitions = bench_count(argc, argv, 1, 20), one = bench_count(argc, argv, 2, 0);
    const char      *kind    = argc > 3 ? argv[3] : "linear";
    sal_context     *context = NULL;
    bool             good    = one <= MOST && sal_context_create(NULL, &context) == SAL_OK;

    printf("knots,plain_ms,with_ms,ratio,ratio_all_from_the_start\n");
    for (size_t k = 0; k < (one ? 1 : sizeof counts / sizeof counts[0]) && good; k++)
        good = measure(context, one ? one : counts[k], kind, repetitions);
    if (!good && context) fprintf(stderr, "%s", sal_message(context));
    sal_context_destroy(&context);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
