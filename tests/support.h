/* support.h - what the tests of the engine share: scenes from text, runs that must succeed, small numerics.
 *
 * Scenes are written with ' in place of " and without the outer braces and the version:
 *
 *     rig r = rig_load("'points': { 'P': { 'at': [0, 1] } }, 'bodies': { ... }");
 *     rig_run(&r, NULL);
 *     ...
 *     rig_free(&r);
 */
#ifndef SAL_TESTS_SUPPORT_H
#define SAL_TESTS_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/run/run.h"

#define PI 3.14159265358979323846

#ifdef __SANITIZE_ADDRESS__ /* where runs are some twenty times slower, long counts are cut */
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

typedef struct rig {
    sal_context *context;
    sal_model   *model;
    sal_run     *run;
} rig;

/* JSON as it is. */
static inline rig rig_text(const char *json)
{
    rig        r = { 0 };
    sal_scene *scene;

    assert_int_equal(sal_context_create(NULL, &r.context), SAL_OK);
    if (sal_scene_parse(r.context, "test", json, strlen(json), &scene) != SAL_OK)
        fail_msg("%s\nin %s", sal_message(r.context), json);
    if (sal_model_create(scene, &r.model) != SAL_OK) fail_msg("%s", sal_message(r.context));
    sal_scene_destroy(&scene);
    return r;
}

static inline rig rig_load(const char *text)
{
    rig    r;
    size_t size = strlen(text) + 32;
    char  *json = malloc(size);

    assert_non_null(json);
    snprintf(json, size, "{ 'saltus': 1, %s }", text);
    for (char *c = json; *c; c++) {
        if (*c == '\'') *c = '"';
    }
    r = rig_text(json);
    free(json);
    return r;
}

static inline rig rig_file(const char *folder, const char *name)
{
    rig        r = { 0 };
    sal_scene *scene;
    char       file[1024];

    snprintf(file, sizeof file, "%s/%s", folder, name);
    assert_int_equal(sal_context_create(NULL, &r.context), SAL_OK);
    if (sal_scene_load(r.context, file, &scene) != SAL_OK) fail_msg("%s", sal_message(r.context));
    assert_int_equal(sal_model_create(scene, &r.model), SAL_OK);
    sal_scene_destroy(&scene);
    return r;
}

/* A scene that is shipped, and one of the tests' own. */
static inline rig rig_scene(const char *name)
{
    return rig_file(SAL_SCENES_DIR, name);
}

static inline rig rig_test_scene(const char *name)
{
    return rig_file(SAL_TEST_SCENES_DIR, name);
}

/* The run may fail; r->run is NULL then. */
static inline sal_status rig_try(rig *r, const sal_run_opts *opts)
{
    sal_run_destroy(&r->run);
    return sal_run_create(r->model, opts, &r->run);
}

static inline void rig_run(rig *r, const sal_run_opts *opts)
{
    if (rig_try(r, opts) != SAL_OK) fail_msg("%s", sal_message(r->context));
}

static inline void rig_free(rig *r)
{
    sal_run_destroy(&r->run);
    sal_model_destroy(&r->model);
    sal_context_destroy(&r->context);
}

/* On to t; no events expected. */
static inline void rig_to(rig *r, double t)
{
    sal_status status = sal_run_to(r->run, t);

    if (status != SAL_OK) fail_msg("at t = %g: %s: %s", t, sal_status_name(status), sal_run_message(r->run));
}

static inline const sal_basis *rig_point(const rig *r, const char *name)
{
    const sal_point_def *p = sal_tables_point(r->model->tables, name);

    if (!p) fail_msg("no point %s", name);
    return sal_basis_of(r->model->tables, p->point);
}

static inline int rig_row(const rig *r, const char *name)
{
    for (int k = 0; k < r->model->m; k++) {
        if (!strcmp(sal_model_constraint(r->model, k), name)) return k;
    }
    fail_msg("no constraint %s", name);
    return -1;
}

/* The numbers of a model without a run: nothing is assembled, any q and v will do. */
typedef struct numbers {
    sal_pool   pool;
    sal_system system;
} numbers;

static inline sal_system *numbers_make(numbers *x, const rig *r, const double *given)
{
    double none[8] = { NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };

    assert_true(r->model->tables->parameters.n <= 8);
    sal_pool_init(&x->pool, r->context);
    assert_int_equal(sal_system_init(&x->system, r->model, &x->pool), SAL_OK);
    if (sal_system_set_values(&x->system, given ? given : none) != SAL_OK) fail_msg("%s", x->system.message);
    sal_system_set_form(&x->system, SAL_INDEX1, SAL_PROJECTION);
    return &x->system;
}

static inline void numbers_free(numbers *x)
{
    sal_system_free(&x->system);
    sal_pool_free(&x->pool);
}

static inline void assert_near_at(double found, double expected, double tolerance, const char *what, const char *file,
                                  int line)
{
    if (fabs(found - expected) <= tolerance) return; /* false for NaN */
    print_error("%s: %.17g, expected %.17g within %g, off by %g\n", what, found, expected, tolerance, found - expected);
    _fail(file, line);
}
#define assert_near(found, expected, tolerance) \
    assert_near_at((found), (expected), (tolerance), #found, __FILE__, __LINE__)

static inline void assert_says_at(const char *message, const char *part, const char *file, int line)
{
    if (strstr(message, part)) return;
    print_error("'%s' not in '%s'\n", part, message);
    _fail(file, line);
}
#define assert_says(message, part) assert_says_at((message), (part), __FILE__, __LINE__)

/* Same numbers on every machine: a linear congruential generator, uniform in [-1, 1). */
static inline double random_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

/* Classical Runge-Kutta with `steps` equal steps: slow, short, and nothing to do with the engine. */
typedef void (*ode)(const void *self, double t, const double *y, double *dy);

static inline void rk4(ode f, const void *self, double t0, double t1, int steps, int n, double *y)
{
    const double h = (t1 - t0) / steps;
    double       k[4][8], w[8];

    assert_true(n <= 8);
    for (int i = 0; i < steps; i++) {
        const double t = t0 + h * i;
        f(self, t, y, k[0]);
        for (int j = 0; j < n; j++) w[j] = y[j] + 0.5 * h * k[0][j];
        f(self, t + 0.5 * h, w, k[1]);
        for (int j = 0; j < n; j++) w[j] = y[j] + 0.5 * h * k[1][j];
        f(self, t + 0.5 * h, w, k[2]);
        for (int j = 0; j < n; j++) w[j] = y[j] + h * k[2][j];
        f(self, t + h, w, k[3]);
        for (int j = 0; j < n; j++) y[j] += h / 6.0 * (k[0][j] + 2.0 * (k[1][j] + k[2][j]) + k[3][j]);
    }
}

/* Gauss elimination with row pivoting: a [n*n] by rows, b [n] becomes the solution. */
static inline void dense_solve(int n, double *a, double *b)
{
    for (int c = 0; c < n; c++) {
        int p = c;
        for (int i = c + 1; i < n; i++) {
            if (fabs(a[i * n + c]) > fabs(a[p * n + c])) p = i;
        }
        for (int j = 0; j < n && p != c; j++) {
            double swap  = a[c * n + j];
            a[c * n + j] = a[p * n + j];
            a[p * n + j] = swap;
        }
        if (p != c) {
            double swap = b[c];
            b[c]        = b[p];
            b[p]        = swap;
        }
        for (int i = c + 1; i < n; i++) {
            double f = a[i * n + c] / a[c * n + c];
            for (int j = c; j < n; j++) a[i * n + j] -= f * a[c * n + j];
            b[i] -= f * b[c];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
}

/* An expression of the scene's at the state of the run. */
static inline double rig_probe(const rig *r, const char *expression)
{
    sal_probe *p;
    double     value;

    if (sal_probe_create(r->model, expression, &p) != SAL_OK) fail_msg("%s", sal_message(r->context));
    value = sal_probe_value(p, r->run);
    sal_probe_destroy(&p);
    return value;
}

#endif
