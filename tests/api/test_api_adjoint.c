/* test_api_adjoint.c - the public interface of the adjoint, on a ball whose motion is known. */
#include "api.h"

#include <math.h>

/* It falls from h and bounces once: z the integral of its height, w what it has at the end. */
static const char BALL[] =
    "'gravity': [0, '-g'], 'parameters': { 'g': 10, 'h': 1.25, 'r': 0.5, 'idle': 3 },"
    "'points': { 'P': { 'at': [0, 'h'] } }, 'bodies': { 'ball': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
    "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'restitution': 'r' } },"
    "'costs': { 'z': { 'running': 'y(P)' }, 'w': { 'terminal': 'vy(P)' } },"
    "'simulation': { 'duration': 0.8, 'rtol': 1e-11 }";

enum { G, H, E, IDLE, START, WRT };

static const char *const wrt[WRT] = { "g", "h", "r", "idle", "initial(P.vy)" };

/* v at the end: e u - g (T - t), with u = sqrt(2 g h), t = sqrt(2 h/g). */
static void speed_at_end(double gradient[WRT])
{
    const double g = 10.0, h = 1.25, e = 0.5, u = sqrt(2.0 * g * h), t = sqrt(2.0 * h / g);

    gradient[G]     = e * u / (2.0 * g) - (0.8 - t) - 0.5 * t;
    gradient[H]     = e * g / u + 1.0 / sqrt(2.0 * h / g);
    gradient[E]     = u;
    gradient[IDLE]  = 0.0;
    gradient[START] = 1.0; /* t' = 1/g, u' = 0 at rest */
}

static void a_gradient(void **state)
{
    static const char *const both[] = { "z", "w" };
    sal_adjoint_opts         o      = sal_adjoint_defaults();
    api                      a      = api_load(BALL);
    sal_adjoint             *adjoint;
    double                   known[WRT];
    (void)state;

    speed_at_end(known);
    assert_int_equal(o.size, sizeof(sal_adjoint_opts));
    o.wrt    = wrt;
    o.nwrt   = WRT;
    o.costs  = both;
    o.ncosts = 2;
    assert_int_equal(sal_run_create(a.model, NULL, &a.run), SAL_OK);
    assert_int_equal(sal_adjoint_create(a.run, &o, &adjoint), SAL_OK);
    for (int again = 0; again < 2; again++) { /* a run told anew is swept anew */
        const sal_reader reader = sal_adjoint_reader(adjoint);
        assert_int_equal(sal_run_restart(a.run), SAL_OK);
        assert_int_equal(sal_simulate(a.run, &reader, 1), SAL_END);
        assert_int_equal(sal_adjoint_sweep(adjoint), SAL_OK);
        assert_int_equal(sal_adjoint_sweep(adjoint), SAL_ERR_ARGUMENT); /* once */
        for (int c = 0; c < WRT; c++) assert_near(sal_adjoint_gradient(adjoint, 1)[c], known[c], 1e-9);
        assert_true(fabs(sal_adjoint_gradient(adjoint, 0)[H]) > 0.0);
    }
    assert_null(sal_adjoint_gradient(adjoint, 2));
    assert_string_equal(sal_adjoint_cost(adjoint, 1), "w");
    assert_null(sal_adjoint_cost(adjoint, 2));
    assert_string_equal(sal_adjoint_wrt(adjoint, START), "initial(P.vy)");
    assert_null(sal_adjoint_wrt(adjoint, WRT));
    assert_int_equal(sal_adjoint_get_info(adjoint).costs, 2);
    assert_int_equal(sal_adjoint_get_info(adjoint).wrt, WRT);
    assert_int_equal(sal_adjoint_get_info(adjoint).steps, sal_run_get_stats(a.run).steps);
    assert_int_equal(sal_adjoint_get_info(adjoint).remade, 0);
    assert_string_equal(sal_adjoint_get_info(adjoint).note, "");
    sal_adjoint_destroy(&adjoint);
    assert_null(adjoint);
    sal_adjoint_destroy(&adjoint);
    api_free(&a);
}

static void count_good(void *user, const sal_verify_item *item)
{
    *(int *)user += item->good;
}

static void verified(void **state)
{
    api          a    = api_load(BALL);
    sal_run_opts opts = sal_run_defaults();
    const char  *one  = "w";
    int          good = 0, bad;
    (void)state;

    opts.wrt  = wrt;
    opts.nwrt = IDLE;
    assert_int_equal(sal_verify_adjoint(a.model, &opts, NULL, 0, 1e-6, count_good, &good, &bad), SAL_OK);
    assert_int_equal(good, 2 * 2 * IDLE); /* costs; by tangents and by differences */
    assert_int_equal(bad, 0);
    good = 0;
    assert_int_equal(sal_verify_adjoint(a.model, &opts, &one, 1, 1e-6, count_good, &good, &bad), SAL_OK);
    assert_int_equal(good, 2 * IDLE);
    one = "x";
    assert_int_equal(sal_verify_adjoint(a.model, &opts, &one, 1, 1e-6, count_good, &good, &bad), SAL_ERR_ARGUMENT);
    assert_says(sal_message(a.context), "unknown cost 'x'; known: z, w");
    api_free(&a);
}

static void wrong_sizes(void **state)
{
    sal_adjoint_opts o = sal_adjoint_defaults();
    api              a = api_load(BALL);
    sal_adjoint     *adjoint;
    (void)state;

    assert_int_equal(sal_run_create(a.model, NULL, &a.run), SAL_OK);
    o.size = 3;
    assert_int_equal(sal_adjoint_create(a.run, &o, &adjoint), SAL_ERR_ARGUMENT);
    assert_null(adjoint);
    assert_says(sal_message(a.context), "sal_adjoint_opts: its size is 3");
    api_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gradient),
        cmocka_unit_test(verified),
        cmocka_unit_test(wrong_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
