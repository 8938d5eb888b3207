/* bench_contacts.c - many contacts at once: what an event costs, and what one decision does.
 *
 *     build/release/tests/bench_contacts
 *
 * A sledge, a rigid body on 100 points, lands flat, slides and comes to rest; pyramids of discs, 3 to 10 rows, whose top
 * falls onto the others between two walls; a wall of ten boxes that a ball hits; a chain of fifty links that falls on
 * the ground; a box on stairs, and on ones of 100 to 10000
 * segments; a quadruped. Then the contact problem alone (contact/coulomb.h), without the equations of
 * motion, for the sledge landing, sliding on and at rest. Where a run ends with a message it is printed: its times are
 * those up to there. */
#include <string.h>

#include "engine/base/base.h"
#include "engine/contact/coulomb.h"
#include "engine/saltus.h"
#include "tests/many_contacts.h"

enum { POINTS = SLEDGE_POINTS, ROWS_LEAST = 3, ROWS_MOST = 10, TIMES = 20 };

/* ------------------------------------------------------------------------------------------ runs */

static void time_steps(const char *name, sal_run *run, int touches)
{
    double     events = 0.0, most = 0.0, steps = 0.0;
    sal_status status;

    do {
        const double from = sal_watch_now();
        status            = sal_run_step(run);
        const double took = sal_watch_now() - from;
        if (status == SAL_EVENT) {
            events += took;
            most = fmax(most, took);
        } else steps += took;
    } while (status == SAL_OK || status == SAL_EVENT);
    const sal_run_stats stats = sal_run_get_stats(run);
    printf("%-12s %8d %8ld %12.3f %12.3f %8ld %12.4f", name, touches, stats.events,
           1e3 * events / (double)(stats.events ? stats.events : 1), 1e3 * most, stats.steps,
           1e3 * steps / (double)(stats.steps ? stats.steps : 1));
    if (status == SAL_END) printf("\n");
    else printf("  t = %g s: %s\n", sal_run_time(run), sal_run_message(run));
    fflush(stdout);
}

/* One of many_contacts.h, or the file of a scene. */
static void bench(const char *name, const scene_text *x, const char *file)
{
    sal_context *context;
    sal_scene   *scene;
    sal_model   *model = NULL;
    sal_run     *run   = NULL;
    sal_run_opts opts  = sal_run_defaults();

    opts.quiet    = true;
    opts.max_wall = 60.0;
    if (sal_context_create(NULL, &context) != SAL_OK) abort();
    if ((file ? sal_scene_load(context, file, &scene) : sal_scene_parse(context, name, x->at, x->used, &scene)) ==
            SAL_OK &&
        sal_model_create(scene, &model) == SAL_OK && sal_run_create(model, &opts, &run) == SAL_OK)
        time_steps(name, run, sal_model_get_info(model).touches);
    else printf("%-12s %s", name, sal_message(context));
    sal_run_destroy(&run);
    sal_model_destroy(&model);
    sal_scene_destroy(&scene);
    sal_context_destroy(&context);
}

/* -------------------------------------------------------------------------------------- decisions */

/* W of the sledge: a body of mass 10, inertia 1, points on a line below its centre. b for its velocity (or acceleration)
 * v = (x, y, turning). */
static void set_sledge(sal_coulomb *x, const double *v, bool slides)
{
    const double  inverse[3] = { 0.1, 0.1, 1.0 };
    const int     rows       = 2 * POINTS;
    static double G[2 * POINTS][3];

    x->c = POINTS;
    for (int i = 0; i < POINTS; i++) {
        const double arm = i / (POINTS - 1.0) - 0.45;
        memcpy(G[i], (double[]){ 0.0, 1.0, arm }, sizeof G[i]);
        memcpy(G[POINTS + i], (double[]){ 1.0, 0.0, 0.1 }, sizeof G[i]);
        x->party[i] =
            (sal_party){ .tangent = true, .inside = true, .slides = slides, .mu_static = 0.5, .mu_kinetic = 0.4 };
    }
    for (int r = 0; r < rows; r++) {
        x->b[r] = x->b1[r] = x->size[r] = 0.0;
        for (int k = 0; k < 3; k++) {
            x->b[r] += G[r][k] * v[k];
            x->size[r] += fabs(G[r][k] * v[k]);
        }
        for (int s = 0; s < rows; s++) {
            x->W[r * rows + s] = 0.0;
            for (int k = 0; k < 3; k++) x->W[r * rows + s] += G[r][k] * inverse[k] * G[s][k];
        }
    }
}

static void bench_decision(const char *name, sal_coulomb *x, const double *v, bool slides)
{
    double least = HUGE_VAL, sum = 0.0;
    int    status = 0;

    for (int k = 0; k < TIMES; k++) {
        set_sledge(x, v, slides);
        const double from = sal_watch_now();
        status            = sal_coulomb_solve(x, NULL);
        const double took = sal_watch_now() - from;
        least             = fmin(least, took);
        sum += took;
    }
    printf("%-12s %8d %12.3f %12.3f%s\n", name, POINTS, 1e3 * least, 1e3 * sum / TIMES, status ? "  not solved" : "");
}

int main(void)
{
    scene_text   x = { 0 };
    sal_context *context;
    sal_pool     pool;
    sal_coulomb  problem;

    printf("%-12s %8s %8s %12s %12s %8s %12s\n", "scene", "touches", "events", "ms/event", "longest", "steps",
           "ms/step");
    write_sledge(&x, (sledge){ .height = 0.05, .vx = 2.0, .duration = 2.0 });
    bench("sledge", &x, NULL);
    for (int rows = ROWS_LEAST; rows <= ROWS_MOST; rows++) {
        char name[32];
        snprintf(name, sizeof name, "pyramid %d", rows);
        x.used = 0;
        write_pyramid(&x, a_pyramid(rows));
        bench(name, &x, NULL);
    }
    x.used = 0;
    write_wall(&x, 0.0);
    bench("wall", &x, NULL);
    x.used = 0;
    write_wall(&x, 0.2);
    bench("wall, e 0.2", &x, NULL);
    x.used = 0;
    write_chain(&x, 0.5);
    bench("chain", &x, NULL);
    bench("stairs", NULL, SAL_SCENES_DIR "/stairs.json");
    for (int n = 100; n <= 10000; n *= 10) {
        char name[32];
        snprintf(name, sizeof name, "terrain %d", n);
        x.used = 0;
        write_terrain(&x, n);
        bench(name, &x, NULL);
    }
    bench("quadruped", NULL, SAL_TEST_SCENES_DIR "/quadruped_tumbles.json");
    free(x.at);
    if (sal_context_create(NULL, &context) != SAL_OK) return EXIT_FAILURE;
    sal_pool_init(&pool, context);
    if (sal_coulomb_init(&problem, &pool, POINTS) != SAL_OK) return EXIT_FAILURE;
    printf("\n%-12s %8s %12s %12s\n", "decision", "contacts", "least [ms]", "mean [ms]");
    bench_decision("lands", &problem, (double[]){ 2.0, -1.0, 0.0 }, false);
    bench_decision("lands on end", &problem, (double[]){ 2.0, -1.0, -0.3 }, false);
    bench_decision("slides", &problem, (double[]){ 0.0, -9.81, 0.0 }, true);
    bench_decision("rests", &problem, (double[]){ 0.5, -9.81, 0.0 }, false);
    sal_pool_free(&pool);
    sal_context_destroy(&context);
    return EXIT_SUCCESS;
}
