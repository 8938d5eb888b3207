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

#include "engine/run/run.h"
#include "tests/asserts.h"

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

/* JSON for a text with ' in place of ", in place. */
static inline char *in_quotes(char *text)
{
    for (char *c = text; *c; c++) *c = *c == '\'' ? '"' : *c;
    return text;
}

/* The whole scene, to be freed. */
static inline char *whole_scene(const char *text)
{
    const size_t size = strlen(text) + 32;
    char        *json = malloc(size);

    assert_non_null(json);
    snprintf(json, size, "{ 'saltus': 1, %s }", text);
    return in_quotes(json);
}

static inline rig rig_load(const char *text)
{
    char *json = whole_scene(text);
    rig   r    = rig_text(json);

    free(json);
    return r;
}

/* A scene with one error, about which this is said. */
static inline void assert_refused(const char *text, const char *says)
{
    char        *json = whole_scene(text);
    sal_context *context;
    sal_scene   *scene;

    assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
    assert_int_equal(sal_scene_parse(context, "test", json, strlen(json), &scene), SAL_ERR_SCENE);
    assert_says(sal_message(context), says);
    assert_int_equal(sal_error_count(context), 1);
    sal_context_destroy(&context);
    free(json);
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

/* The run of a scene, at its start. */
static inline rig rig_start(const char *text)
{
    rig r = rig_load(text);

    rig_run(&r, NULL);
    return r;
}

static inline void rig_free(rig *r)
{
    sal_run_destroy(&r->run);
    sal_model_destroy(&r->model);
    sal_context_destroy(&r->context);
}

/* With derivatives. */
static inline sal_run_opts with_respect_to(const char *const *names, int n)
{
    sal_run_opts opts = sal_run_defaults();

    opts.wrt  = names;
    opts.nwrt = n;
    return opts;
}

/* On to t; no events expected. */
static inline void rig_to(rig *r, double t)
{
    sal_status status = sal_run_to(r->run, t);

    if (status != SAL_OK) fail_msg("at t = %g: %s: %s", t, sal_status_name(status), sal_run_message(r->run));
}

/* On to the next event, which must be this one; NULL: whichever. */
static inline void rig_event(rig *r, const char *name)
{
    sal_status status;

    while ((status = sal_run_step(r->run)) == SAL_OK) continue;
    if (status != SAL_EVENT)
        fail_msg("%s instead of %s: %s", sal_status_name(status), name ? name : "an event", sal_run_message(r->run));
    if (name) assert_string_equal(sal_run_event(r->run).name, name);
}

/* Past all events, to where the run ends or fails. */
static inline sal_status rig_finish(rig *r)
{
    sal_status status;

    while ((status = sal_run_step(r->run)) == SAL_OK || status == SAL_EVENT) continue;
    return status;
}

/* Past all events, to the end. */
static inline void rig_end(rig *r)
{
    const sal_status status = rig_finish(r);

    if (status != SAL_END) fail_msg("%s: %s", sal_status_name(status), sal_run_message(r->run));
}

/* On to the end; no events expected. */
static inline void rig_quiet_end(rig *r)
{
    sal_status status;

    while ((status = sal_run_step(r->run)) == SAL_OK) continue;
    if (status == SAL_EVENT) fail_msg("%s at t = %.9g s", sal_run_event(r->run).name, sal_run_time(r->run));
    if (status != SAL_END) fail_msg("%s: %s", sal_status_name(status), sal_run_message(r->run));
}

static inline void show_bad(void *user, const sal_verify_item *item)
{
    if (item->good) return;
    print_error("%s: %s / %s: %.12g, %.12g\n", (const char *)user, item->what, item->wrt, item->exact, item->numeric);
}

/* All derivatives of the run agree with differences of runs. */
static inline void rig_verify(const rig *r, sal_run_opts opts, const char *what)
{
    int bad = -1;

    if (sal_verify(r->model, &opts, 1e-6, show_bad, (void *)what, &bad) != SAL_OK)
        fail_msg("%s: %s", what, sal_message(r->context));
    assert_int_equal(bad, 0);
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

/* A reaction, "rod.tension". */
static inline double rig_reaction(const rig *r, const char *name)
{
    for (int k = 0; sal_model_reaction(r->model, k, NULL); k++) {
        if (!strcmp(sal_model_reaction(r->model, k, NULL), name)) return sal_run_reaction(r->run, k);
    }
    fail_msg("no reaction %s", name);
    return NAN;
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

/* Where circles round a and b meet, to the left of the way from a to b (side 1), or to the right (-1). */
static inline void circles_meet(const double *a, double ra, const double *b, double rb, double side, double *p)
{
    const double dx = b[0] - a[0], dy = b[1] - a[1], d2 = dx * dx + dy * dy;
    const double u = (ra * ra - rb * rb + d2) / (2.0 * d2), v = side * sqrt(ra * ra / d2 - u * u);

    p[0] = a[0] + u * dx - v * dy;
    p[1] = a[1] + u * dy + v * dx;
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
