/* test_derivative_cases.c - small scenes for what once made derivatives of random mechanisms wrong (tests/property):
 * closed forms where there are some, and all derivatives against differences (sal_verify). */
#include "tests/support.h"

typedef struct verdicts {
    int count, bad;
} verdicts;

static void on_item(void *user, const sal_verify_item *item)
{
    verdicts *v = user;

    v->count++;
    if (item->good) return;
    v->bad++;
    print_error("%s / %s: %.12g, by differences %.12g\n", item->what, item->wrt, item->exact, item->numeric);
}

/* All derivatives of the scene with respect to what is named, up to NULL. */
static void verify_all(rig *r, const char *const *wrt, double tolerance)
{
    sal_run_opts opts = sal_run_defaults();
    verdicts     v    = { 0 };
    int          bad;

    opts.quiet = true;
    opts.wrt   = wrt;
    while (wrt[opts.nwrt]) opts.nwrt++;
    if (sal_verify(r->model, &opts, tolerance, on_item, &v, &bad) != SAL_OK) fail_msg("%s", sal_message(r->context));
    assert_true(v.count > 0);
    assert_int_equal(v.bad, 0);
}

/* With derivatives, up to event `count`. */
static void run_to_event(rig *r, const char *const *wrt, int count)
{
    sal_run_opts opts   = sal_run_defaults();
    sal_status   status = SAL_OK;

    opts.quiet = true;
    opts.rtol  = 1e-12;
    opts.wrt   = wrt;
    while (wrt[opts.nwrt]) opts.nwrt++;
    rig_run(r, &opts);
    while (count > 0 && (status == SAL_OK || status == SAL_EVENT)) {
        status = sal_run_step(r->run);
        count -= status == SAL_EVENT;
    }
    if (status != SAL_EVENT) fail_msg("%s: %s", sal_status_name(status), sal_run_message(r->run));
}

/* ------------------------------------------------------------------- impulses that are not determined */

/* A bar comes down on the floor close to below its pivot, where friction holds whatever normal impulse there is: it
 * does not rebound, for any restitution. Of the impulses possible those without friction are taken,
 *
 *     N = J omega / (L sin phi),   J = m L^2/3,   omega^2 = 3 g/L (cos phi - cos phi0)
 *
 * and nothing in expansion. They were what compression asks for or nothing, by chance. */
static void test_locked_bar(void **state)
{
    static const char *const wrt[] = { "g", "m", "back", NULL };
    const double             m = 0.7, L = 1.3, phi = 0.2, g = 9.81;

    (void)state;
    for (int k = 0; k < 20; k++) { /* with other roundings */
        const double phi0 = 0.5 + 0.01 * k, N = m * sqrt(3.0 * g * L * (cos(phi) - cos(phi0))) / (3.0 * sin(phi));
        char         text[1000];
        snprintf(text, sizeof text,
                 "'parameters': { 'g': 9.81, 'm': 0.7, 'back': 0.6 }, 'gravity': [0, '-g'], 'points': { 'O': { 'at': "
                 "[0, 0], 'fixed': true }, 'P': { 'at': ['1.3*sin(%g)', '-1.3*cos(%g)'] } }, 'bodies': { 'bar': { "
                 "'type': 'bar', 'points': ['O', 'P'], 'mass': 'm' } }, 'contacts': { 'floor': { 'type': 'ground', "
                 "'points': ['P'], 'height': '-1.3*cos(0.2)', 'restitution': 'back', 'mu_static': 0.9, 'mu_kinetic': "
                 "0.7 } }, 'simulation': { 'duration': 0.6 }",
                 phi0, phi0);
        rig r = rig_load(text);
        run_to_event(&r, wrt, 1);
        const int     n = rig_row(&r, "floor.n");
        const double *d = sal_run_impulse_gradient(r.run) + 3 * n;
        assert_near(sal_run_event(r.run).impulse[n], N, 1e-10);
        assert_near(sal_run_event(r.run).impulse[rig_row(&r, "floor.t")], 0.0, 1e-10);
        assert_near(d[0], N / (2.0 * g), 1e-10);
        assert_near(d[1], N / m, 1e-10);
        assert_near(d[2], 0.0, 1e-10);
        if (k < 3) verify_all(&r, wrt, 1e-7);
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_locked_bar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
