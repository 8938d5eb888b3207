/* bench_adjoint.c - what a gradient of a cost by the adjoint costs, in plain runs on the same steps. Prints CSV.
 *
 *     build/release/tests/bench_adjoint [repetitions]
 *
 * Aim: at most 5 for any number of parameters p. The five-bar with its numbers as sums of p parameters, a chain of
 * 1000 links with p parameters in its masses, an acrobot with p knots of the torque at its elbow. Runs are timed alternately, and the least of many repetitions counts. */
#include "tests/bench/bench.h"

enum { LINKS = 1000, P_MOST = 10000 };

static char names[P_MOST][16];

static void put_parameters(bench_text *t, int p)
{
    bench_put(t, "\"parameters\": {");
    for (int k = 0; k < p; k++) {
        snprintf(names[k], sizeof names[k], "p%d", k);
        bench_put(t, "%s\"%s\": %.17g", k ? ", " : " ", names[k], 0.01 * (k % 7 - 3));
    }
    bench_put(t, " },");
}

/* value + its share of the parameters: those whose number is `which` modulo `of`, as many as an expression may have. */
static void put_sum(bench_text *t, double value, int which, int of, int p)
{
    bench_put(t, "\"%.17g", value);
    for (int k = which, n = 0; k < p && n < 400; k += of, n++) bench_put(t, " + p%d", k);
    bench_put(t, "\"");
}

static void five_bar(bench_text *t, int p)
{
    static const char *const bars[] = { "A", "P1", "P2", "P3", "B" };

    bench_put(t, "{ \"saltus\": 1, \"gravity\": [0, -9.81],");
    put_parameters(t, p);
    bench_put(
        t,
        "\"points\": { \"A\": { \"at\": [-0.5, 0], \"fixed\": true }, \"B\": { \"at\": [0.5, 0], \"fixed\": true },"
        "\"P1\": { \"at\": [-1.5, -1] }, \"P2\": { \"at\": [0, -2], \"dof\": true }, \"P3\": { \"at\": [1.5, -1] } },"
        "\"bodies\": {");
    for (int k = 0; k < 4; k++) {
        bench_put(t, "%s\"bar%d\": { \"type\": \"bar\", \"points\": [\"%s\", \"%s\"], \"mass\": ", k ? ", " : "", k,
                  bars[k], bars[k + 1]);
        put_sum(t, k == 0 || k == 3 ? 1.0 : 1.5, k, 8, p);
        bench_put(t, "}");
    }
    bench_put(t, "}, \"joints\": {");
    for (int k = 0; k < 2; k++) {
        bench_put(t, "%s\"spring%d\": { \"type\": \"spring\", \"points\": [\"B\", \"P%d\"], \"stiffness\": ",
                  k ? ", " : "", k, k + 1);
        put_sum(t, 100.0, 4 + 2 * k, 8, p);
        bench_put(t, ", \"length\": ");
        put_sum(t, k ? sqrt(4.25) : sqrt(5.0), 5 + 2 * k, 8, p);
        bench_put(t, "}");
    }
    bench_put(t,
              "}, \"contacts\": { \"floor\": { \"type\": \"ground\", \"points\": [\"P2\"], \"height\": -2.35, \"law\": "
              "\"reset\","
              "\"restitution\": 1 } }, \"costs\": { \"z\": { \"running\": \"vy(P2)\" } },"
              "\"simulation\": { \"duration\": 5, \"rtol\": 1e-9 } }");
}

static void chain(bench_text *t, int p)
{
    bench_put(t, "{ \"saltus\": 1, \"gravity\": [0, -9.81],");
    put_parameters(t, p);
    bench_put(t, "\"points\": { \"P0\": { \"at\": [0, 0], \"fixed\": true }");
    for (int k = 1; k <= LINKS; k++) bench_put(t, ", \"P%d\": { \"at\": [%d, %d] }", k, k, k % 2);
    bench_put(t, "}, \"bodies\": {");
    for (int k = 0; k < LINKS; k++) {
        bench_put(t, "%s\"b%d\": { \"type\": \"bar\", \"points\": [\"P%d\", \"P%d\"], \"mass\": ", k ? ", " : "", k, k,
                  k + 1);
        put_sum(t, 1.0, k, LINKS, p);
        bench_put(t, "}");
    }
    bench_put(
        t,
        "}, \"costs\": { \"z\": { \"running\": \"y(P%d)\" } }, \"simulation\": { \"duration\": 1, \"rtol\": 1e-6 } }",
        LINKS);
}

static void acrobot(bench_text *t, int p)
{
    for (int k = 0; k < p; k++) snprintf(names[k], sizeof names[k], "u[%d]", k);
    bench_put_acrobot(t, p, "linear");
}

static sal_status simulate(sal_run *run, const sal_reader *readers, int n)
{
    return sal_run_restart(run) == SAL_OK ? sal_simulate(run, readers, n) : SAL_ERR_ARGUMENT;
}

static int measure(const char *name, void (*write)(bench_text *t, int p), int p, int repetitions)
{
    const char      *wrt[P_MOST];
    sal_context     *context = NULL;
    bench_text       text    = { 0 };
    sal_model       *model   = NULL;
    sal_run         *run = NULL, *plain = NULL;
    sal_adjoint     *adjoint  = NULL;
    sal_adjoint_opts o        = sal_adjoint_defaults();
    double           least[2] = { HUGE_VAL, HUGE_VAL };
    bool             good;

    write(&text, p);
    for (int k = 0; k < p; k++) wrt[k] = names[k];
    o.wrt  = wrt;
    o.nwrt = p;
    good   = sal_context_create(NULL, &context) == SAL_OK && bench_model(context, name, &text, &model) &&
           sal_run_create(model, NULL, &plain) == SAL_OK && sal_run_create(model, NULL, &run) == SAL_OK &&
           sal_adjoint_create(run, &o, &adjoint) == SAL_OK;
    for (int k = 0; k < repetitions && good; k++) {
        const double begin  = bench_seconds();
        good                = simulate(plain, NULL, 0) == SAL_END;
        const double middle = bench_seconds();
        good                = good && simulate(run, (sal_reader[]){ sal_adjoint_reader(adjoint) }, 1) == SAL_END &&
               sal_adjoint_sweep(adjoint) == SAL_OK;
        least[0] = fmin(least[0], middle - begin);
        least[1] = fmin(least[1], bench_seconds() - middle);
    }
    if (good)
        printf("%s,%d,%ld,%ld,%.4g,%.4g,%.2f\n", name, p, sal_run_get_stats(plain).steps,
               sal_run_get_stats(plain).events, 1e3 * least[0], 1e3 * least[1], least[1] / least[0]);
    else fprintf(stderr, "%s: %s%s\n", name, sal_message(context), run ? sal_run_message(run) : "");
    fflush(stdout);
    sal_adjoint_destroy(&adjoint);
    sal_run_destroy(&run);
    sal_run_destroy(&plain);
    sal_model_destroy(&model);
    sal_context_destroy(&context);
    free(text.at);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    static const int five[] = { 1, 10, 50, 200, 1000, 3000 }, long_chain[] = { 1, 1000, 10000 },
                     knots[] = { 50, 200, 2000 };
    const int repetitions    = bench_count(argc, argv, 1, 20);
    int       bad            = 0;

    printf("scene,p,steps,events,plain [ms],gradient [ms],ratio\n");
    for (size_t k = 0; k < sizeof five / sizeof five[0]; k++)
        bad += measure("five-bar", five_bar, five[k], repetitions);
    for (size_t k = 0; k < sizeof long_chain / sizeof long_chain[0]; k++)
        bad += measure("chain", chain, long_chain[k], repetitions > 2 ? 2 : repetitions);
    for (size_t k = 0; k < sizeof knots / sizeof knots[0]; k++)
        bad += measure("acrobot", acrobot, knots[k], repetitions);
    return bad;
}
