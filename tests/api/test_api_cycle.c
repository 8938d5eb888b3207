/* test_api_cycle.c - the public interface of cycles, against closed forms: a ball hops, and each floor gives it
 * vy+ = c - r vy-, so that u -> c + r u, u = c/(1 - r), period T = 2 u/g. */
#include "api.h"

/* Along x it is thrown back, vx+ = -b x: x -> x (1 - b T). Multipliers r and 1 - b T. */
static const char HOPPER[] = "'gravity': [0, '-g'], 'parameters': { 'g': 10, 'r': 0.5, 'c': 2, 'b': 0.3 },"
                             "'points': { 'P': { 'at': [0.1, 0], 'velocity': [0, 3] } },"
                             "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                             "'contacts': { 'floor': { 'type': 'event', 'when': 'y(P)',"
                             "    'set': { 'vy(P)': 'c - r*vy(P)', 'vx(P)': '-b*x(P)' } },"
                             "  'never': { 'type': 'event', 'when': 'y(P) + 100' } },"
                             "'outputs': { 'up': 'vy(P)' }, 'costs': { 'area': { 'running': 'y(P)' } },"
                             "'cycle': { 'section': 'floor' }, 'simulation': { 'duration': 5 }";

/* It goes on with speed w, and is brought back by what it has gone: length w T. */
static const char WALKER[] = "'gravity': [0, '-g'], 'parameters': { 'g': 10, 'r': 0.5, 'c': 2, 'w': 0.7 },"
                             "'points': { 'P': { 'at': [0.1, 0], 'velocity': [0.2, 3] } },"
                             "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                             "'contacts': { 'floor': { 'type': 'event', 'when': 'y(P)',"
                             "    'set': { 'vy(P)': 'c - r*vy(P)', 'vx(P)': 'w' } } },"
                             "'cycle': { 'section': 'floor', 'origin': 'P' }, 'simulation': { 'duration': 5 }";

enum { G, R, C, LAST, P }; /* columns; LAST: b or w */
static const char *const of_hopper[P] = { "g", "r", "c", "b" }, *const of_walker[P] = { "g", "r", "c", "w" };
static const double g = 10.0, r = 0.5, c = 2.0, u = 4.0, T = 0.8; /* u = c/(1 - r), T = 2 u/g */

static sal_cycle *make(api *a, const char *scene, const char *const *wrt)
{
    sal_cycle_opts opts = sal_cycle_defaults();
    sal_cycle     *cycle;

    *a            = api_load(scene);
    opts.run.wrt  = wrt;
    opts.run.nwrt = P;
    if (sal_cycle_create(a->model, &opts, &cycle) != SAL_OK) fail_msg("%s", sal_message(a->context));
    return cycle;
}

static void find(const api *a, sal_cycle *cycle)
{
    if (sal_cycle_find(cycle) != SAL_OK) fail_msg("%s", sal_message(a->context));
}

static void assert_row_at(const double *found, const double *expected, double tolerance, const char *file, int line)
{
    for (int k = 0; k < P; k++) assert_near_at(found[k], expected[k], tolerance, of_hopper[k], file, line);
}
#define assert_row(found, tolerance, ...) \
    assert_row_at((found), (const double[P]){ __VA_ARGS__ }, (tolerance), __FILE__, __LINE__)

static void test_defaults(void **state)
{
    const sal_cycle_opts  d = sal_cycle_defaults();
    const sal_follow_opts f = sal_follow_defaults();

    (void)state;
    assert_null(d.section);
    assert_int_equal(d.steps, 1);
    assert_near(d.tolerance, 1e-11, 0.0);
    assert_int_equal(d.iterations, 50);
    assert_null(d.run.stop);
    assert_int_equal(d.run.nwrt, 0);
    assert_int_equal(f.points, 500);
    assert_near(f.step, 0.02, 0.0);
    assert_near(f.max_step, 0.1, 0.0);
    assert_near(f.min_step, 1e-6, 0.0);
    assert_null(f.report);
}

static void test_hopper(void **state)
{
    api            a;
    sal_cycle     *cycle = make(&a, HOPPER, of_hopper);
    sal_cycle_info info;
    double         mu[2];

    (void)state;
    find(&a, cycle);
    info = sal_cycle_get_info(cycle);
    assert_string_equal(info.section, "floor");
    assert_int_equal(info.steps, 1);
    assert_int_equal(info.shortest, 1);
    assert_true(info.iterations >= 1 && info.residual <= 1e-11);
    assert_near(info.period, T, 1e-12);
    assert_near(info.length, 0.0, 0.0);
    assert_near(info.advance[0], 0.0, 0.0);
    assert_int_equal(info.multipliers, 2);
    assert_int_equal(info.neutral, 0);
    assert_near(info.largest, 1.0 - 0.3 * T, 1e-11);
    assert_true(info.stable);
    assert_true(sal_cycle_multiplier(cycle, 0, mu));
    assert_near(mu[0], 1.0 - 0.3 * T, 1e-11);
    assert_near(mu[1], 0.0, 0.0);
    assert_true(sal_cycle_multiplier(cycle, 1, mu));
    assert_near(mu[0], r, 1e-11);
    assert_false(sal_cycle_multiplier(cycle, 2, mu));
    assert_false(sal_cycle_multiplier(cycle, -1, mu));
    assert_near(sal_cycle_start(cycle)[0], 0.0, 1e-11); /* x, y, vx, vy */
    assert_near(sal_cycle_start(cycle)[1], 0.0, 1e-11);
    assert_near(sal_cycle_start(cycle)[2], 0.0, 1e-11);
    assert_near(sal_cycle_start(cycle)[3], u, 1e-11);
    assert_near(sal_cycle_outputs(cycle)[0], u, 1e-11);
    assert_near(sal_cycle_costs(cycle)[0], 2.0 / 3.0 * u * u * u / (g * g), 1e-11);
    sal_cycle_destroy(&cycle);
    assert_null(cycle);
    api_free(&a);
}

/* du/dr = c/(1 - r)^2, du/dc = 1/(1 - r); T and the area 2 u^3/(3 g^2) follow. */
static void test_gradients(void **state)
{
    api          a;
    sal_cycle   *cycle = make(&a, HOPPER, of_hopper);
    const double ur = c / ((1 - r) * (1 - r)), uc = 1 / (1 - r), area = 2.0 / 3.0 * u * u * u / (g * g);

    (void)state;
    find(&a, cycle);
    assert_int_equal(sal_cycle_wrt_count(cycle), P);
    for (int k = 0; k < P; k++) assert_string_equal(sal_cycle_wrt(cycle, k), of_hopper[k]);
    assert_null(sal_cycle_wrt(cycle, P));
    assert_null(sal_cycle_wrt(cycle, -1));
    assert_row(sal_cycle_start_gradients(cycle) + 0 * P, 1e-10, 0, 0, 0, 0);
    assert_row(sal_cycle_start_gradients(cycle) + 3 * P, 1e-10, 0, ur, uc, 0);
    assert_row(sal_cycle_period_gradient(cycle), 1e-10, -T / g, 2 * ur / g, 2 * uc / g, 0);
    assert_row(sal_cycle_length_gradient(cycle), 0, 0, 0, 0, 0);
    assert_row(sal_cycle_output_gradients(cycle), 1e-10, 0, ur, uc, 0);
    assert_row(sal_cycle_cost_gradients(cycle), 1e-10, -2 * area / g, 3 * area / u * ur, 3 * area / u * uc, 0);
    sal_cycle_destroy(&cycle);
    api_free(&a);
}

static void test_length(void **state)
{
    const double   w = 0.7, ur = c / ((1 - r) * (1 - r)), uc = 1 / (1 - r);
    api            a;
    sal_cycle     *cycle = make(&a, WALKER, of_walker);
    sal_cycle_info info;

    (void)state;
    find(&a, cycle);
    info = sal_cycle_get_info(cycle);
    assert_near(info.length, w * T, 1e-11);
    assert_near(info.advance[0], w * T, 1e-11);
    assert_near(info.advance[1], 0.0, 1e-11);
    assert_row(sal_cycle_length_gradient(cycle), 1e-10, -w * T / g, w * 2 * ur / g, w * 2 * uc / g, T);
    sal_cycle_destroy(&cycle);
    api_free(&a);
}

/* What lands is thrown up with the mean of this speed and the last, which is memory: u -> c + r (u + w)/2, w -> u. */
static void test_memory(void **state)
{
    api        a = api_load("'gravity': [0, -10], 'parameters': { 'r': 0.5, 'c': 2 }, 'memory': { 'w': 3, 'n': 0 },"
                                   "'points': { 'P': { 'at': [0, 0], 'velocity': [0, 3] } },"
                                   "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                   "'contacts': { 'floor': { 'type': 'event', 'when': 'y(P)', 'set': { 'vx(P)': '-x(P)',"
                                   "    'vy(P)': 'c + r*(w - vy(P))/2', 'w': '-vy(P)', 'n': 'n + 1' } } },"
                                   "'cycle': { 'section': 'floor' }, 'simulation': { 'duration': 5 }");
    sal_cycle *cycle;
    double     matrix[5 * 5];

    (void)state;
    assert_int_equal(sal_cycle_create(a.model, NULL, &cycle), SAL_OK);
    find(&a, cycle);
    assert_int_equal(sal_cycle_get_info(cycle).memory, 1); /* nothing reads n */
    assert_int_equal(sal_cycle_get_info(cycle).unknowns, 5);
    assert_string_equal(sal_cycle_memory(cycle, 0), "w");
    assert_null(sal_cycle_memory(cycle, 1));
    assert_near(sal_cycle_start(cycle)[3], u, 1e-11);
    assert_near(sal_cycle_start(cycle)[4], u, 1e-11);
    sal_cycle_monodromy(cycle, matrix);
    assert_near(matrix[3 * 5 + 4], 0.25, 1e-11);
    assert_near(matrix[4 * 5 + 3], 1.0, 1e-11);
    sal_cycle_destroy(&cycle);
    api_free(&a);
}

/* Other parameters, another guess, another number of steps. */
static void test_set_and_steps(void **state)
{
    api            a    = api_load(HOPPER);
    sal_cycle_opts opts = sal_cycle_defaults();
    sal_cycle     *cycle;
    double         mu[2];

    (void)state;
    opts.steps = 2;
    assert_int_equal(sal_cycle_create(a.model, &opts, &cycle), SAL_OK);
    assert_int_equal(sal_cycle_wrt_count(cycle), 0);
    assert_int_equal(sal_cycle_set(cycle, "initial(P.vy)", 5.0), SAL_OK);
    assert_int_equal(sal_cycle_set(cycle, "c", 3.0), SAL_OK); /* u = 6, T = 1.2 */
    assert_int_equal(sal_cycle_set(cycle, "k", 3.0), SAL_ERR_ARGUMENT);
    assert_says(sal_message(a.context), "'k'");
    find(&a, cycle);
    assert_int_equal(sal_cycle_get_info(cycle).steps, 2);
    assert_int_equal(sal_cycle_get_info(cycle).shortest, 1);
    assert_near(sal_cycle_get_info(cycle).period, 2.4, 1e-11);
    assert_true(sal_cycle_multiplier(cycle, 0, mu));
    assert_near(mu[0], (1.0 - 0.3 * 1.2) * (1.0 - 0.3 * 1.2), 1e-10);
    sal_cycle_destroy(&cycle);
    api_free(&a);
}

static bool at_once(void *user)
{
    ++*(int *)user;
    return true;
}

static void test_no_cycle(void **state)
{
    api            a     = api_load(HOPPER);
    sal_cycle_opts opts  = sal_cycle_defaults();
    sal_cycle     *cycle = (sal_cycle *)&a;
    int            asked = 0;

    (void)state;
    opts.section = "roof";
    assert_int_equal(sal_cycle_create(a.model, &opts, &cycle), SAL_ERR_ARGUMENT);
    assert_null(cycle);
    assert_says(sal_message(a.context), "roof");
    opts.section  = NULL;
    opts.run.wrt  = (const char *const[]){ "initial(P.x)" };
    opts.run.nwrt = 1;
    assert_int_equal(sal_cycle_create(a.model, &opts, &cycle), SAL_ERR_ARGUMENT); /* parameters only */
    opts         = sal_cycle_defaults();
    opts.section = "never";
    assert_int_equal(sal_cycle_create(a.model, &opts, &cycle), SAL_OK);
    assert_int_equal(sal_cycle_find(cycle), SAL_ERR_CYCLE);
    assert_true(strlen(sal_message(a.context)) > 0);
    sal_cycle_destroy(&cycle);
    opts          = sal_cycle_defaults();
    opts.run.stop = at_once;
    opts.run.user = &asked;
    assert_int_equal(sal_cycle_create(a.model, &opts, &cycle), SAL_OK);
    assert_int_equal(sal_cycle_find(cycle), SAL_STOPPED);
    assert_int_equal(asked, 1);
    sal_cycle_destroy(&cycle);
    assert_int_equal(sal_cycle_create(a.model, NULL, &cycle), SAL_OK); /* as the scene says */
    find(&a, cycle);
    sal_cycle_destroy(&cycle);
    api_free(&a);
}

/* ---------------------------------------------------------------------------------------- follow */

typedef struct branch {
    const sal_cycle *cycle;
    int              points, flips, others;
    double           first, last, flip;
} branch;

static bool has_multiplier(const sal_cycle *cycle, double value)
{
    double mu[2];

    for (int k = 0; sal_cycle_multiplier(cycle, k, mu); k++) {
        if (fabs(mu[0] - value) <= 1e-9 && mu[1] == 0.0) return true;
    }
    return false;
}

static void note(void *user, const sal_cycle_point *point)
{
    branch *b = user;

    assert_near(sal_cycle_get_info(b->cycle).period, T, 1e-10); /* the accessors belong to the point */
    if (point->kind == SAL_FLIP) {
        b->flips++;
        b->flip = point->parameter;
    } else if (point->kind != SAL_NO_BIFURCATION) {
        b->others++;
    } else {
        assert_int_equal(point->number, b->points);
        if (b->points == 0) b->first = point->parameter;
        b->points++;
        b->last = point->parameter;
        assert_true(has_multiplier(b->cycle, 1.0 - point->parameter * T));
        assert_true(has_multiplier(b->cycle, r));
        assert_int_equal(sal_cycle_get_info(b->cycle).stable, fabs(1.0 - point->parameter * T) < 1.0);
    }
}

/* 1 - b T goes through -1 at b = 2/T = 2.5: period doubling. */
static void test_follow(void **state)
{
    api             a;
    sal_cycle      *cycle = make(&a, HOPPER, of_hopper);
    branch          b     = { .cycle = cycle };
    sal_follow_opts opts  = sal_follow_defaults();

    (void)state;
    opts.from   = 0.3;
    opts.to     = 3.1;
    opts.report = note;
    opts.user   = &b;
    assert_int_equal(sal_cycle_follow(cycle, "b", &opts), SAL_OK);
    assert_true(b.points >= 10);
    assert_near(b.first, 0.3, 1e-12);
    assert_near(b.last, 3.1, 1e-12);
    assert_int_equal(b.flips, 1);
    assert_int_equal(b.others, 0);
    assert_near(b.flip, 2.0 / T, 1e-6);
    opts.report = NULL;
    opts.from   = 3.1;
    opts.to     = 3.0;
    assert_int_equal(sal_cycle_follow(cycle, "b", &opts), SAL_OK);
    assert_int_equal(sal_cycle_follow(cycle, "q", &opts), SAL_ERR_ARGUMENT);
    assert_says(sal_message(a.context), "q");
    sal_cycle_destroy(&cycle);
    api_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults), cmocka_unit_test(test_hopper),        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_length),   cmocka_unit_test(test_memory),        cmocka_unit_test(test_no_cycle),
        cmocka_unit_test(test_follow),   cmocka_unit_test(test_set_and_steps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
