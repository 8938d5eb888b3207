/* test_api_sens.c - the public interface of sensitivities, against derivatives by hand: a ball that falls from h, at
 * t1 = sqrt(2 h/g) with v1 = g t1, and leaves with r v1. */
#include "api.h"

static const char BALL[] = "'gravity': [0, '-g'], 'parameters': { 'h': 2, 'g': 10, 'r': 0.5, 'm': 0.4 },"
                           "'points': { 'P': { 'at': [0, 'h'], 'velocity': [3, 0] } },"
                           "'bodies': { 'ball': { 'type': 'point_mass', 'point': 'P', 'mass': 'm' } },"
                           "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'law': 'impact',"
                           "                         'restitution': 'r' } },"
                           "'outputs': { 'square': 'y(P)^2' },"
                           "'costs': { 'way': { 'running': 'vx(P)' }, 'end': { 'terminal': 'y(P)*m' } },"
                           "'simulation': { 'duration': 1, 'rtol': 1e-11 }";

enum { H, G, R, M, X, VX, P }; /* columns */
static const char *const all[P] = { "h", "g", "r", "m", "initial(P.x)", "initial(P.vx)" };
static const double      h = 2.0, g = 10.0, r = 0.5, m = 0.4;

static api load_ball(void)
{
    api          a    = api_load(BALL);
    sal_run_opts opts = sal_run_defaults();

    opts.wrt  = all;
    opts.nwrt = P;
    api_run(&a, &opts);
    return a;
}

/* A row of derivatives. */
static void assert_row_at(const double *found, const double *expected, double tolerance, const char *file, int line)
{
    for (int c = 0; c < P; c++) assert_near_at(found[c], expected[c], tolerance, all[c], file, line);
}
#define assert_row(found, tolerance, ...) \
    assert_row_at((found), (const double[P]){ __VA_ARGS__ }, (tolerance), __FILE__, __LINE__)

/* -------------------------------------------------------------------------------------- who asked */

static void test_nothing_asked_for(void **state)
{
    api        a = api_load(BALL);
    double     gradient[1], phi = 7.0, phidot = 7.0;
    sal_probe *probe;

    (void)state;
    api_run(&a, NULL);
    api_event(&a);
    assert_int_equal(sal_run_wrt_count(a.run), 0);
    assert_null(sal_run_wrt(a.run, 0));
    assert_null(sal_run_Q(a.run));
    assert_null(sal_run_V(a.run));
    assert_null(sal_run_A(a.run));
    assert_null(sal_run_Lambda(a.run));
    assert_null(sal_run_cost_gradients(a.run));
    assert_null(sal_run_event_gradient(a.run));
    assert_null(sal_run_impulse_gradient(a.run));
    assert_null(sal_run_Q_before(a.run));
    assert_null(sal_run_V_before(a.run));
    assert_null(sal_run_Lambda_before(a.run));
    assert_null(sal_run_end_gradient(a.run));
    assert_int_equal(sal_run_final_gradients(a.run, gradient, NULL, NULL), SAL_ERR_ARGUMENT);
    assert_int_equal(sal_run_output_gradient(a.run, 0, gradient), SAL_ERR_ARGUMENT);
    assert_int_equal(sal_probe_create(a.model, "x(P)", &probe), SAL_OK);
    assert_int_equal(sal_probe_gradient(probe, a.run, gradient), SAL_ERR_ARGUMENT);
    sal_probe_destroy(&probe);
    assert_string_equal(sal_run_wrt_invalid(a.run), "");
    assert_string_equal(sal_run_wrt_note(a.run), "");
    sal_run_wrt_residuals(a.run, &phi, &phidot);
    assert_near(phi, 0.0, 0.0);
    assert_near(phidot, 0.0, 0.0);
    api_free(&a);
}

static void test_names(void **state)
{
    api          a      = api_load(BALL);
    sal_run_opts opts   = sal_run_defaults();
    char         name[] = "initial(P.x)";
    const char  *wrt[]  = { name, "m" };

    (void)state;
    opts.wrt  = wrt;
    opts.nwrt = 2;
    api_run(&a, &opts);
    memset(name, 'z', sizeof name - 1); /* read at creation only */
    wrt[1] = NULL;
    assert_int_equal(sal_run_wrt_count(a.run), 2);
    assert_string_equal(sal_run_wrt(a.run, 0), "initial(P.x)");
    assert_string_equal(sal_run_wrt(a.run, 1), "m");
    assert_null(sal_run_wrt(a.run, 2));
    assert_null(sal_run_wrt(a.run, -1));
    wrt[1] = "mass";
    wrt[0] = "h";
    sal_run_destroy(&a.run);
    assert_int_equal(sal_run_create(a.model, &opts, &a.run), SAL_ERR_ARGUMENT);
    assert_null(a.run);
    assert_says(sal_message(a.context), "mass");
    wrt[1] = "initial(Q.x)";
    assert_int_equal(sal_run_create(a.model, &opts, &a.run), SAL_ERR_ARGUMENT);
    assert_says(sal_message(a.context), "Q");
    api_free(&a);
}

/* -------------------------------------------------------------------------------------- closed forms */

/* In the air: x = x0 + vx t, y = h - g t^2/2. */
static void test_in_the_air(void **state)
{
    api          a = load_ball();
    const double t = 0.3, y = h - 0.5 * g * t * t;
    double       gradient[P];

    (void)state;
    assert_null(sal_run_event_gradient(a.run)); /* before the first event */
    api_to(&a, t);
    assert_row(sal_run_Q(a.run), 1e-13, 0, 0, 0, 0, 1, t);
    assert_row(sal_run_Q(a.run) + P, 1e-13, 1, -0.5 * t * t, 0, 0, 0, 0);
    assert_row(sal_run_V(a.run), 1e-13, 0, 0, 0, 0, 0, 1);
    assert_row(sal_run_V(a.run) + P, 1e-13, 0, -t, 0, 0, 0, 0);
    assert_row(sal_run_A(a.run), 1e-13, 0, 0, 0, 0, 0, 0);
    assert_row(sal_run_A(a.run) + P, 1e-13, 0, -1, 0, 0, 0, 0);
    assert_row(sal_run_cost_gradients(a.run), 1e-13, 0, 0, 0, 0, 0, t);
    assert_row(sal_run_cost_gradients(a.run) + P, 1e-13, m, -0.5 * t * t * m, 0, y, 0, 0);
    assert_int_equal(sal_run_output_gradient(a.run, 0, gradient), SAL_OK);
    assert_row(gradient, 1e-12, 2 * y, -y * t * t, 0, 0, 0, 0);
    assert_int_equal(sal_run_output_gradient(a.run, 1, gradient), SAL_ERR_ARGUMENT);
    assert_int_equal(sal_run_output_gradient(a.run, -1, gradient), SAL_ERR_ARGUMENT);
    api_free(&a);
}

static sal_status probe_gradient(const api *a, const char *expression, double *gradient)
{
    sal_probe *p;
    sal_status status;

    assert_int_equal(sal_probe_create(a->model, expression, &p), SAL_OK);
    status = sal_probe_gradient(p, a->run, gradient);
    sal_probe_destroy(&p);
    return status;
}

/* Of any expression, also one that is longer than all of the scene; energy() is m (vx^2 + g^2 t^2)/2 + m g y. */
static void test_of_an_expression(void **state)
{
    api          a = load_ball(), other = load_ball();
    const double t = 0.4, y = h - 0.5 * g * t * t;
    double       gradient[P];
    char         sum[1000] = "0";
    sal_probe   *p;

    (void)state;
    api_to(&a, t);
    assert_int_equal(probe_gradient(&a, "y(P)^2", gradient), SAL_OK);
    assert_row(gradient, 1e-12, 2 * y, -y * t * t, 0, 0, 0, 0);
    assert_int_equal(probe_gradient(&a, "energy() + h*x(P)", gradient), SAL_OK);
    assert_row(gradient, 1e-12, m * g + 3 * t, m * h, 0, 4.5 + g * h, h, 3 * m + h * t);
    for (int k = 0; k < 60; k++) strcat(sum, " + x(P)*vy(P)");
    assert_int_equal(probe_gradient(&a, sum, gradient), SAL_OK);
    assert_row(gradient, 1e-10, 0, -60 * 3 * t * t, 0, 0, -60 * g * t, -60 * g * t * t);
    assert_int_equal(sal_probe_create(other.model, "x(P)", &p), SAL_OK);
    assert_int_equal(sal_probe_gradient(p, a.run, gradient), SAL_ERR_ARGUMENT);
    sal_probe_destroy(&p);
    api_free(&other);
    api_free(&a);
}

/* dt1/dh = 1/(g t1), dt1/dg = -t1/(2 g). The impulse is m (1 + r) v1, v1 = sqrt(2 g h). */
static void test_at_the_event(void **state)
{
    api          a  = load_ball();
    const double t1 = sqrt(2.0 * h / g), v1 = g * t1, th = 1.0 / (g * t1), tg = -0.5 * t1 / g;
    const double vh = g / v1, vg = h / v1;
    double       sign;

    (void)state;
    api_event(&a);
    sign = sal_run_event(a.run).impulse[0] > 0.0 ? 1.0 : -1.0;
    assert_row(sal_run_event_gradient(a.run), 1e-11, th, tg, 0, 0, 0, 0);
    assert_row(sal_run_impulse_gradient(a.run), 1e-10, sign * m * (1 + r) * vh, sign * m * (1 + r) * vg, sign * m * v1,
               sign * (1 + r) * v1, 0, 0);
    assert_row(sal_run_Q_before(a.run) + P, 1e-11, 1, -0.5 * t1 * t1, 0, 0, 0, 0);
    assert_row(sal_run_V_before(a.run) + P, 1e-11, 0, -t1, 0, 0, 0, 0);
    assert_row(sal_run_Lambda_before(a.run), 1e-11, 0, 0, 0, 0, 0, 0); /* the contact is open */
    /* after: y = r v1 (t - t1), so dy/dh = -r v1 dt1/dh at t = t1; vy = r v1 - g (t - t1) */
    assert_row(sal_run_Q(a.run) + P, 1e-10, -r * v1 * th, -r * v1 * tg, 0, 0, 0, 0);
    assert_row(sal_run_V(a.run) + P, 1e-10, r * vh + g * th, r * vg + g * tg, v1, 0, 0, 0);
    assert_row(sal_run_Q(a.run), 1e-11, 0, 0, 0, 0, 1, t1);
    api_free(&a);
}

static void test_after_the_event(void **state)
{
    api          a  = load_ball();
    const double t1 = sqrt(2.0 * h / g), v1 = g * t1, th = 1.0 / (g * t1), tg = -0.5 * t1 / g;
    const double s = 1.0 - t1, w = r * v1 - g * s; /* dy/dt1 = -w */
    double       phi, phidot;

    (void)state;
    api_event(&a);
    api_to(&a, 1.0);
    assert_row(sal_run_Q(a.run) + P, 1e-10, r * g / v1 * s - w * th, r * h / v1 * s - 0.5 * s * s - w * tg, v1 * s, 0,
               0, 0);
    assert_int_equal(sal_run_step(a.run), SAL_END);
    assert_row(sal_run_cost_gradients(a.run), 1e-11, 0, 0, 0, 0, 0, 1);
    assert_near(sal_run_cost_gradients(a.run)[P + M], sal_run_q(a.run)[1], 1e-12);
    assert_string_equal(sal_run_wrt_invalid(a.run), "");
    sal_run_wrt_residuals(a.run, &phi, &phidot);
    assert_true(phi <= 1e-12 && phidot <= 1e-12);
    api_free(&a);
}

static const char HANGING[] = "'gravity': [0, -10], 'parameters': { 'L': 0.5, 'm': 3 },"
                              "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [0, '-L'] } },"
                              "'bodies': { 'bob': { 'type': 'point_mass', 'point': 'P', 'mass': 'm' } },"
                              "'joints': { 'rod': { 'type': 'distance', 'points': ['O', 'P'], 'length': 'L' } },"
                              "'contacts': { 'late': { 'type': 'event', 'when': '0.2 - t' } }";

/* A bob that hangs: lambda 2 L = m g, so dlambda/dm = g/(2 L), dlambda/dL = -m g/(2 L^2). */
static void test_multipliers(void **state)
{
    static const char *const wrt[] = { "m", "L" };
    api                      a     = api_load(HANGING);
    sal_run_opts             opts  = sal_run_defaults();
    double                   phi, phidot;

    (void)state;
    opts.wrt  = wrt;
    opts.nwrt = 2;
    api_run(&a, &opts);
    assert_near(sal_run_Lambda(a.run)[0], 10.0, 1e-12);
    assert_near(sal_run_Lambda(a.run)[1], -60.0, 1e-11);
    assert_near(sal_run_Q(a.run)[3], -1.0, 1e-13); /* y = -L */
    api_event(&a);
    assert_near(sal_run_Lambda_before(a.run)[0], 10.0, 1e-11);
    assert_near(sal_run_Lambda_before(a.run)[1], -60.0, 1e-10);
    assert_near(sal_run_event_gradient(a.run)[0], 0.0, 1e-13);
    assert_near(sal_run_impulse_gradient(a.run)[0], 0.0, 1e-12);
    sal_run_wrt_residuals(a.run, &phi, &phidot);
    assert_true(phi <= 1e-13 && phidot <= 1e-13);
    api_free(&a);
}

static const char THROW[] = "'points': { 'P': { 'at': [0, 0], 'velocity': [0, 1] } },"
                            "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                            "'contacts': { 'top': { 'type': 'event', 'when': '1/19.62 - y(P)' } }";

/* A throw that just touches its top: no derivative from there on, and the run says so. */
static void test_grazing(void **state)
{
    static const char *const wrt[] = { "initial(P.y)" };
    api                      a     = api_load(THROW);
    sal_run_opts             opts  = sal_run_defaults();
    sal_status               status;

    (void)state;
    opts.wrt      = wrt;
    opts.nwrt     = 1;
    opts.duration = 0.15;
    api_run(&a, &opts);
    do status = sal_run_step(a.run);
    while (status == SAL_OK || status == SAL_EVENT);
    assert_int_equal(status, SAL_END);
    assert_says(sal_run_wrt_invalid(a.run), "top");
    assert_says(sal_run_wrt_invalid(a.run), "graz");
    assert_int_equal(sal_run_restart(a.run), SAL_OK);
    assert_string_equal(sal_run_wrt_invalid(a.run), "");
    api_free(&a);
}

/* Without a part in step control the steps are those of the plain run, and so is the motion, bit by bit. */
static void test_uncontrolled(void **state)
{
    api          a    = api_load(BALL);
    sal_run_opts opts = sal_run_defaults();
    double       y;
    long         steps;

    (void)state;
    api_run(&a, NULL);
    while (sal_run_step(a.run) != SAL_END) {
    }
    y                     = sal_run_q(a.run)[1];
    steps                 = sal_run_get_stats(a.run).steps;
    opts.wrt              = all;
    opts.nwrt             = P;
    opts.wrt_uncontrolled = true;
    api_run(&a, &opts);
    while (sal_run_step(a.run) != SAL_END) {
    }
    assert_int_equal(sal_run_get_stats(a.run).steps, steps);
    assert_near(sal_run_q(a.run)[1], y, 0.0);
    assert_true(sal_run_get_opts(a.run).wrt_uncontrolled);
    assert_int_equal(sal_run_get_opts(a.run).nwrt, P);
    api_free(&a);
}

/* ---------------------------------------------------------------------------------------- verify */

typedef struct tally {
    int    items, good, known, times;
    double worst;
} tally;

static void note(void *user, const sal_verify_item *item)
{
    tally *y = user;

    assert_non_null(item->what);
    assert_true(!strcmp(item->wrt, "h") || !strcmp(item->wrt, "r"));
    y->items++;
    y->known += item->known;
    y->good += item->good;
    y->times += strstr(item->what, "floor") && item->what[0] == 't' && !strcmp(item->wrt, "h") &&
                fabs(item->exact - 1.0 / (g * sqrt(0.4))) < 1e-9;
    if (item->difference > y->worst) y->worst = item->difference;
}

static void test_verify(void **state)
{
    static const char *const wrt[] = { "h", "r" };
    api                      a     = api_load(BALL);
    sal_run_opts             opts  = sal_run_defaults();
    tally                    y     = { 0 };
    int                      bad   = -1;

    (void)state;
    opts.wrt  = wrt;
    opts.nwrt = 2;
    assert_int_equal(sal_verify(a.model, &opts, 1e-6, note, &y, &bad), SAL_OK);
    assert_int_equal(bad, 0);
    assert_true(y.items >= 2 * (1 + 4 + 2)); /* an event, the state, two costs */
    assert_int_equal(y.good, y.items);
    assert_int_equal(y.known, y.items);
    assert_int_equal(y.times, 1);
    assert_true(y.worst <= 1e-6);
    y = (tally){ 0 };
    assert_int_equal(sal_verify(a.model, &opts, 1e-17, note, &y, &bad), SAL_OK);
    assert_true(bad > 0);
    assert_int_equal(y.items - y.good, bad);
    assert_true(y.known < y.items); /* differences cannot tell so many digits */
    opts.wrt = (const char *const[]){ "h", "nothing" };
    assert_int_equal(sal_verify(a.model, &opts, 1e-6, note, &y, &bad), SAL_ERR_ARGUMENT);
    assert_says(sal_message(a.context), "nothing");
    api_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_asked_for), cmocka_unit_test(test_names),
        cmocka_unit_test(test_in_the_air),        cmocka_unit_test(test_of_an_expression),
        cmocka_unit_test(test_at_the_event),      cmocka_unit_test(test_after_the_event),
        cmocka_unit_test(test_multipliers),       cmocka_unit_test(test_grazing),
        cmocka_unit_test(test_uncontrolled),      cmocka_unit_test(test_verify),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
