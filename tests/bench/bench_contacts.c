/* bench_contacts.c - many contacts at once: what an event costs, and what one decision does.
 *
 *     build/release/tests/bench_contacts
 *
 * A sledge, a rigid body on 100 points, lands flat, slides and comes to rest; pyramids of discs, 3 to 10 rows, whose top
 * falls onto the others between two walls; a box on stairs, 100 to 10000 segments. Then the contact problem alone (contact/coulomb.h), without the equations of
 * motion, for the sledge landing, sliding on and at rest. Where a run ends with a message it is printed: its times are
 * those up to there. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/base.h"
#include "engine/contact/coulomb.h"
#include "engine/saltus.h"

enum { POINTS = 100, ROWS_LEAST = 3, ROWS_MOST = 10, TIMES = 20 };

/* ---------------------------------------------------------------------------------------- scenes */

typedef struct text {
    char  *at;
    size_t used, room;
} text;

/* Appends, with ' in place of ". */
__attribute__((format(printf, 2, 3))) static void add(text *x, const char *format, ...)
{
    for (;;) {
        va_list list;
        va_start(list, format);
        const int size = vsnprintf(x->at + x->used, x->room - x->used, format, list);
        va_end(list);
        if ((size_t)size < x->room - x->used) {
            for (size_t k = x->used; k < x->used + (size_t)size; k++) x->at[k] = x->at[k] == '\'' ? '"' : x->at[k];
            x->used += (size_t)size;
            return;
        }
        x->room = 2 * x->room + (size_t)size + 1;
        x->at   = realloc(x->at, x->room);
        if (!x->at) abort();
    }
}

/* Points P0 ... on a line of 1 m; the first and the last are the body's own. */
static void write_sledge(text *x)
{
    add(x, "{ 'saltus': 1, 'points': { 'P0': { 'at': [0, 0.05], 'velocity': [2, 0] },");
    add(x, "  'P%d': { 'at': [1, 0.05], 'velocity': [2, 0] } },", POINTS - 1);
    add(x, "'bodies': { 'sledge': { 'type': 'rigid', 'points': ['P0', 'P%d'], 'length': 1, 'mass': 10,", POINTS - 1);
    add(x, "  'centre': [0.45, 0.1], 'inertia': 1, 'markers': { ");
    for (int k = 1; k < POINTS - 1; k++) add(x, "%s'P%d': [%.17g, 0]", k > 1 ? ", " : "", k, k / (POINTS - 1.0));
    add(x, " } } }, 'contacts': { 'floor': { 'type': 'ground', 'mu_static': 0.5, 'mu_kinetic': 0.4, 'points': [");
    for (int k = 0; k < POINTS; k++) add(x, "%s'P%d'", k ? ", " : "", k);
    add(x, "] } }, 'simulation': { 'duration': 2 } }");
}

/* A box that slides and tumbles over stairs that are 1 m wide, of n segments: what is far away costs nothing. */
static void write_terrain(text *x, int n)
{
    add(x, "{ 'saltus': 1, 'points': { 'A': { 'at': [-1, 0.5], 'velocity': [3, 0] }, 'B': { 'at': [-0.5, 0.5] } },");
    add(x, "'bodies': { 'box': { 'type': 'rigid', 'points': ['A', 'B'], 'mass': 1, 'centre': [0.25, 0.15],");
    add(x, "  'inertia': 0.03, 'markers': { 'C': [0.5, 0.3], 'D': [0, 0.3] } } },");
    add(x, "'contacts': { 'way': { 'type': 'ground', 'mu_static': 0.4, 'restitution': 0.2, 'outline': ['A', 'B', 'C', "
           "'D'], 'line': [[-9, 0]");
    for (int k = 0; k < n; k++) add(x, ", [%d, %.17g]", (k + 1) / 2, -0.3 * (k / 2));
    add(x, "] } }, 'simulation': { 'duration': 4 } }");
}

static const char *const law = "'mu_static': 0.5, 'restitution': 0.2";

/* Discs of radius 0.1, row by row; the top one a little above its place. */
static void write_pyramid(text *x, int rows)
{
    const double r = 0.1, step = sqrt(3.0) * r;

    add(x,
        "{ 'saltus': 1, 'points': { 'W0': { 'at': [%g, 0], 'fixed': true }, 'W1': { 'at': [%g, -1], 'fixed': true },"
        " 'V0': { 'at': [%.17g, -1], 'fixed': true }, 'V1': { 'at': [%.17g, 0], 'fixed': true }",
        -r, -r, 2 * r * rows - r, 2 * r * rows - r);
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < rows - i; k++)
            add(x, ", 'D%d_%d': { 'at': [%.17g, %.17g], 'velocity': [0, 0] }", i, k, r * (i + 2 * k),
                r + step * i + (i == rows - 1 ? r : 0.0));
    }
    add(x, " }, 'bodies': { ");
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < rows - i; k++)
            add(x, "%s'B%d_%d': { 'type': 'point_mass', 'point': 'D%d_%d', 'mass': 1 }", i + k ? ", " : "", i, k, i, k);
    }
    add(x, " }, 'contacts': { ");
    for (int i = 0; i + 1 < rows; i++) {
        for (int k = 0; k < 2 * (rows - i - 1); k++)
            add(x, "'c%d_%d': { 'type': 'discs', 'points': ['D%d_%d', 'D%d_%d'], 'radii': [%g, %g], %s }, ", i, k, i,
                (k + 1) / 2, i + 1, k / 2, r, r, law);
    }
    for (int k = 0; k + 1 < rows; k++)
        add(x, "'h%d': { 'type': 'discs', 'points': ['D0_%d', 'D0_%d'], 'radii': [%g, %g], %s }, ", k, k, k + 1, r, r,
            law);
    add(x, "'left': { 'type': 'edge', 'points': ['D0_0'], 'line': ['W0', 'W1'], 'radius': %g, %s },", r, law);
    add(x, "'right': { 'type': 'edge', 'points': ['D0_%d'], 'line': ['V0', 'V1'], 'radius': %g, %s },", rows - 1, r,
        law);
    add(x, "'floor': { 'type': 'ground', 'radius': %g, %s, 'points': [", r, law);
    for (int k = 0; k < rows; k++) add(x, "%s'D0_%d'", k ? ", " : "", k);
    add(x, "] } }, 'simulation': { 'duration': 0.5 } }");
}

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

static void bench(const char *name, const text *x)
{
    sal_context *context;
    sal_scene   *scene;
    sal_model   *model = NULL;
    sal_run     *run   = NULL;
    sal_run_opts opts  = sal_run_defaults();

    opts.quiet    = true;
    opts.max_wall = 60.0;
    if (sal_context_create(NULL, &context) != SAL_OK) abort();
    if (sal_scene_parse(context, name, x->at, x->used, &scene) == SAL_OK && sal_model_create(scene, &model) == SAL_OK &&
        sal_run_create(model, &opts, &run) == SAL_OK)
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
    text         x = { 0 };
    sal_context *context;
    sal_pool     pool;
    sal_coulomb  problem;

    printf("%-12s %8s %8s %12s %12s %8s %12s\n", "scene", "touches", "events", "ms/event", "longest", "steps",
           "ms/step");
    write_sledge(&x);
    bench("sledge", &x);
    for (int rows = ROWS_LEAST; rows <= ROWS_MOST; rows++) {
        char name[32];
        snprintf(name, sizeof name, "pyramid %d", rows);
        x.used = 0;
        write_pyramid(&x, rows);
        bench(name, &x);
    }
    for (int n = 100; n <= 10000; n *= 10) {
        char name[32];
        snprintf(name, sizeof name, "stairs %d", n);
        x.used = 0;
        write_terrain(&x, n);
        bench(name, &x);
    }
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
