/* test_api_analysis.c - the public interface of what a scene is like and of its rest: redundant constraints, equilibria
 * and modes, against closed forms. */
#include "api.h"

static const double g = 10.0;

/* -------------------------------------------------------------------------------------- analysis */

static const char TWICE_HELD[] = "'parameters': { 'L': 1, 'idle': 3 },"
                                 "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [0.6, -0.8] },"
                                 "            'lost': { 'at': [5, 5], 'fixed': true } },"
                                 "'bodies': { 'bob': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                 "'joints': { 'rod': { 'type': 'distance', 'points': ['O', 'P'], 'length': 'L' },"
                                 "            'again': { 'type': 'distance', 'points': ['O', 'P'], 'length': 'L' } }";

/* Two rods hold the same distance; a point and a parameter are of no use. */
static void test_dependencies(void **state)
{
    api               a    = api_load(TWICE_HELD);
    sal_run_opts      opts = sal_run_defaults();
    sal_analysis     *analysis;
    sal_analysis_info info;
    sal_dependency    d;

    (void)state;
    opts.quiet = true;
    api_run(&a, &opts);
    assert_int_equal(sal_analysis_create(a.run, &analysis), SAL_OK);
    info = sal_analysis_get_info(analysis);
    assert_int_equal(info.constraints, 2);
    assert_int_equal(info.rank, 1);
    assert_int_equal(info.freedom, 1);
    assert_int_equal(info.dependencies, 1);
    assert_int_equal(info.unused_points, 1);
    assert_int_equal(info.unused_parameters, 1);
    assert_false(info.near_singular);
    assert_near(info.singular, 1.0, 1e-12); /* one singular value is left */
    assert_true(sal_analysis_dependency(analysis, 0, &d));
    assert_string_equal(sal_model_constraint(a.model, d.row), "again");
    assert_int_equal(d.count, 1);
    assert_string_equal(sal_model_constraint(a.model, d.others[0]), "rod");
    assert_near(d.factor[0], 1.0, 1e-12);
    assert_false(d.here); /* along every motion */
    assert_false(sal_analysis_dependency(analysis, 1, &d));
    assert_false(sal_analysis_dependency(analysis, -1, &d));
    assert_string_equal(sal_analysis_unused_point(analysis, 0), "lost");
    assert_null(sal_analysis_unused_point(analysis, 1));
    assert_string_equal(sal_analysis_unused_parameter(analysis, 0), "idle");
    assert_null(sal_analysis_unused_parameter(analysis, 1));
    assert_null(sal_analysis_unused_parameter(analysis, -1));
    sal_run_destroy(&a.run); /* it lives as long as its model */
    assert_int_equal(sal_analysis_get_info(analysis).rank, 1);
    sal_analysis_destroy(&analysis);
    assert_null(analysis);
    api_free(&a);
}

static const char STRETCHED[] = "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0] },"
                                "            'E': { 'at': [2, 0], 'fixed': true } },"
                                "'bodies': { 'bob': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                "'joints': { 'left': { 'type': 'distance', 'points': ['O', 'P'], 'length': 1 },"
                                "            'right': { 'type': 'distance', 'points': ['E', 'P'], 'length': 1 } }";

/* A rod that is stretched out between two pivots: singular here, and nowhere else. */
static void test_singular_configuration(void **state)
{
    api               a    = api_load(STRETCHED);
    sal_run_opts      opts = sal_run_defaults();
    sal_analysis     *analysis;
    sal_analysis_info info;
    sal_dependency    d;

    (void)state;
    opts.quiet = true;
    api_run(&a, &opts);
    assert_int_equal(sal_analysis_create(a.run, &analysis), SAL_OK);
    info = sal_analysis_get_info(analysis);
    assert_int_equal(info.rank, 1);
    assert_int_equal(info.dependencies, 1);
    assert_true(sal_analysis_dependency(analysis, 0, &d));
    assert_true(d.here);
    assert_near(d.factor[0], -1.0, 1e-12);
    sal_analysis_destroy(&analysis);
    api_free(&a);
}

/* ------------------------------------------------------------------------------------- equilibrium */

/* A mass hangs from a spring: y = -(l0 + m g/k), pulled aside it swings back with m g/|y|. */
static const char SPRING[] = "'gravity': [0, -10], 'parameters': { 'm': 2, 'k': 50, 'l0': 0.6 },"
                             "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [0.3, -0.5] } },"
                             "'bodies': { 'bob': { 'type': 'point_mass', 'point': 'P', 'mass': 'm' } },"
                             "'joints': { 'coil': { 'type': 'spring', 'points': ['O', 'P'], 'stiffness': 'k',"
                             "                      'length': 'l0' } },"
                             "'outputs': { 'depth': '-y(P)' }";

enum { M, K, L0, P };
static const char *const wrt[P] = { "m", "k", "l0" };

static sal_equilibrium *make(api *a, const char *scene, const char *const *names, int count)
{
    sal_equilibrium_opts opts = sal_equilibrium_defaults();
    sal_equilibrium     *equilibrium;

    *a            = api_load(scene);
    opts.run.wrt  = names;
    opts.run.nwrt = count;
    if (sal_equilibrium_create(a->model, &opts, &equilibrium) != SAL_OK) fail_msg("%s", sal_message(a->context));
    return equilibrium;
}

static void find(const api *a, sal_equilibrium *equilibrium)
{
    if (sal_equilibrium_find(equilibrium) != SAL_OK) fail_msg("%s", sal_message(a->context));
}

static void test_spring(void **state)
{
    const double         m = 2.0, k = 50.0, y = -(0.6 + m * g / k), x = m * g / k;
    api                  a;
    sal_equilibrium     *s = make(&a, SPRING, wrt, P);
    sal_equilibrium_info info;
    const double        *gradient;

    (void)state;
    find(&a, s);
    info = sal_equilibrium_get_info(s);
    assert_true(info.iterations > 0 && info.residual <= 1e-12);
    assert_int_equal(info.freedom, 2);
    assert_true(info.stable);
    assert_false(info.neutral);
    assert_near(info.stiffness, m * g / -y, 1e-9);
    assert_near(info.energy, m * g * y + 0.5 * k * x * x, 1e-11);
    assert_string_equal(info.warning, "");
    assert_near(sal_equilibrium_q(s)[0], 0.0, 1e-11);
    assert_near(sal_equilibrium_q(s)[1], y, 1e-11);
    assert_near(sal_equilibrium_outputs(s)[0], -y, 1e-11);
    assert_near(sal_equilibrium_reactions(s)[0], m * g, 1e-10);
    assert_int_equal(sal_equilibrium_wrt_count(s), P);
    assert_string_equal(sal_equilibrium_wrt(s, K), "k");
    assert_null(sal_equilibrium_wrt(s, P));
    gradient = sal_equilibrium_q_gradients(s) + P; /* of y */
    assert_near(gradient[M], -g / k, 1e-12);
    assert_near(gradient[K], m * g / (k * k), 1e-12);
    assert_near(gradient[L0], -1.0, 1e-12);
    gradient = sal_equilibrium_output_gradients(s);
    assert_near(gradient[M], g / k, 1e-12);
    gradient = sal_equilibrium_reaction_gradients(s); /* the tension is m g, whatever the spring */
    assert_near(gradient[M], g, 1e-10);
    assert_near(gradient[K], 0.0, 1e-10);
    assert_near(gradient[L0], 0.0, 1e-10);
    sal_equilibrium_destroy(&s);
    assert_null(s);
    api_free(&a);
}

static const char PENDULUM[] =
    "'gravity': [0, -10], 'parameters': { 'L': 0.4, 'm': 3, 'd': 0.6 },"
    "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': ['L*sin(1)', '%sL*cos(1)'] } },"
    "'bodies': { 'bob': { 'type': 'point_mass', 'point': 'P', 'mass': 'm' } },"
    "'joints': { 'rod': { 'type': 'distance', 'points': ['O', 'P'], 'length': 'L' },"
    "            'air': { 'type': 'drag', 'point': 'P', 'linear': 'd' } }";

/* Hangs at -L; lambda 2 L = m g. Set anew it is found anew. */
static void test_multipliers(void **state)
{
    static const char *const of[] = { "L", "m" };
    char                     text[1024];
    api                      a;
    sal_equilibrium         *s;

    (void)state;
    snprintf(text, sizeof text, PENDULUM, "-");
    s = make(&a, text, of, 2);
    find(&a, s);
    assert_near(sal_equilibrium_lambda(s)[0], 3.0 * g / 0.8, 1e-10);
    assert_near(sal_equilibrium_lambda_gradients(s)[0], -3.0 * g / (2.0 * 0.16), 1e-9);
    assert_near(sal_equilibrium_lambda_gradients(s)[1], g / 0.8, 1e-10);
    assert_int_equal(sal_equilibrium_get_info(s).freedom, 1);
    assert_int_equal(sal_equilibrium_set(s, "L", 0.5), SAL_OK);
    assert_int_equal(sal_equilibrium_set(s, "initial(P.x)", 0.1), SAL_OK);
    assert_int_equal(sal_equilibrium_set(s, "length", 0.5), SAL_ERR_ARGUMENT);
    assert_says(sal_message(a.context), "length");
    find(&a, s);
    assert_near(sal_equilibrium_q(s)[1], -0.5, 1e-11);
    assert_near(sal_equilibrium_lambda(s)[0], 3.0 * g, 1e-10);
    sal_equilibrium_destroy(&s);
    api_free(&a);
}

static const char LOOSE[] = "'points': { 'P': { 'at': [0, 0] } },"
                            "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } }";

static void test_no_equilibrium(void **state)
{
    const sal_equilibrium_opts d = sal_equilibrium_defaults();
    api                        a = api_load(LOOSE);
    sal_equilibrium           *s;
    sal_equilibrium_opts       wrong = d;

    (void)state;
    assert_near(d.tolerance, 1e-12, 0.0);
    assert_int_equal(d.iterations, 300);
    assert_int_equal(sal_equilibrium_create(a.model, NULL, &s), SAL_OK);
    assert_int_equal(sal_equilibrium_wrt_count(s), 0);
    assert_int_equal(sal_equilibrium_find(s), SAL_ERR_EQUILIBRIUM);
    assert_says(sal_message(a.context), "y(P)"); /* along what nothing holds it */
    sal_equilibrium_destroy(&s);
    wrong.run.wrt  = (const char *const[]){ "initial(P.x)" };
    wrong.run.nwrt = 1;
    assert_int_equal(sal_equilibrium_create(a.model, &wrong, &s), SAL_ERR_ARGUMENT);
    assert_null(s);
    api_free(&a);
}

/* ----------------------------------------------------------------------------------------- modes */

/* m L^2 phi'' + d L^2 phi' + m g L phi = 0: frequency sqrt(g/L), damping ratio d/(2 m frequency). */
static void test_damped_pendulum(void **state)
{
    static const char *const of[] = { "L", "m", "d" };
    const double             L = 0.4, m = 3.0, d = 0.6, w = sqrt(g / L), ratio = d / (2.0 * m * w);
    char                     text[1024];
    api                      a;
    sal_equilibrium         *s;
    sal_modes               *modes;
    sal_mode                 mode;
    double                   re[3], im[3], frequency[3], damping[3];

    (void)state;
    snprintf(text, sizeof text, PENDULUM, "-");
    s = make(&a, text, of, 3);
    find(&a, s);
    assert_int_equal(sal_modes_create(s, &modes), SAL_OK);
    assert_int_equal(sal_modes_count(modes), 1);
    assert_true(sal_modes_mode(modes, 0, &mode));
    assert_int_equal(mode.kind, SAL_MODE_OSCILLATES);
    assert_near(mode.frequency, w, 1e-10);
    assert_near(mode.damping, ratio, 1e-11);
    assert_near(mode.s[0], -ratio * w, 1e-10);
    assert_near(mode.s[1], w * sqrt(1.0 - ratio * ratio), 1e-10);
    assert_false(mode.unstable);
    assert_int_equal(mode.repeated, 1);
    assert_near(mode.shape[0][0], 1.0, 1e-12); /* along x; the largest is 1 */
    assert_near(mode.shape[0][1], 0.0, 1e-10);
    assert_near(mode.mass, m, 1e-10);
    assert_false(sal_modes_mode(modes, 1, &mode));
    assert_false(sal_modes_mode(modes, -1, &mode));
    assert_true(sal_modes_gradient(modes, 0, re, im, frequency, damping));
    assert_near(frequency[0], -0.5 * w / L, 1e-13);
    assert_near(frequency[1], 0.0, 1e-13);
    assert_near(damping[0], 0.5 * ratio / L, 1e-13);
    assert_near(damping[2], ratio / d, 1e-13);
    assert_near(re[2], -0.5 / m, 1e-13);
    assert_near(im[2], -0.25 * d / (m * m) / mode.s[1], 1e-13);
    assert_true(sal_modes_gradient(modes, 0, NULL, NULL, NULL, NULL));
    assert_false(sal_modes_gradient(modes, 1, re, im, frequency, damping));
    sal_equilibrium_destroy(&s);
    sal_modes_destroy(&modes);
    assert_null(modes);
    api_free(&a);
}

static sal_mode_kind kind_of_only_mode(const char *scene, double *s, bool *unstable)
{
    api              a;
    sal_equilibrium *e = make(&a, scene, NULL, 0);
    sal_modes       *modes;
    sal_mode         mode;

    find(&a, e);
    assert_int_equal(sal_modes_create(e, &modes), SAL_OK);
    assert_true(sal_modes_mode(modes, 0, &mode));
    *s        = mode.s[0];
    *unstable = mode.unstable;
    sal_modes_destroy(&modes);
    sal_equilibrium_destroy(&e);
    api_free(&a);
    return mode.kind;
}

/* A slider on a level line, with whatever acts on it. */
#define SLIDER(forces)                                                                                             \
    "'gravity': [0, -10], 'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'E': { 'at': [1, 0], 'fixed': true }," \
    "'P': { 'at': [0, 0] } }, 'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"               \
    "'joints': { 'rail': { 'type': 'slot', 'point': 'P', 'line': ['O', 'E'] }" forces "}"

static void test_kinds_of_modes(void **state)
{
    double s;
    bool   unstable;

    (void)state;
    assert_int_equal(kind_of_only_mode(SLIDER(""), &s, &unstable), SAL_MODE_ZERO);
    assert_near(s, 0.0, 1e-12);
    assert_false(unstable);
    assert_int_equal(kind_of_only_mode(SLIDER(", 'f': { 'type': 'force', 'point': 'P', 'fx': '32*x(P)', 'fy': '0' }"),
                                       &s, &unstable),
                     SAL_MODE_DIVERGES); /* 2 x'' = 32 x */
    assert_near(s, 4.0, 1e-10);
    assert_true(unstable);
    assert_int_equal(kind_of_only_mode(SLIDER(", 'f': { 'type': 'force', 'point': 'P',"
                                              "         'fx': '-4*x(P) - 6*vx(P)', 'fy': '0' }"),
                                       &s, &unstable),
                     SAL_MODE_CREEPS); /* s^2 + 3 s + 2 = 0 */
    assert_near(s, -1.0, 1e-10);
    assert_false(unstable);
}

/* Modes are those of an equilibrium; before there is one there are none. */
static void test_modes_need_an_equilibrium(void **state)
{
    api              a;
    sal_equilibrium *s     = make(&a, SPRING, NULL, 0);
    sal_modes       *modes = (sal_modes *)&a;

    (void)state;
    assert_int_equal(sal_modes_create(s, &modes), SAL_ERR_ARGUMENT);
    assert_null(modes);
    assert_true(strlen(sal_message(a.context)) > 0);
    sal_equilibrium_destroy(&s);
    api_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dependencies),   cmocka_unit_test(test_singular_configuration),
        cmocka_unit_test(test_spring),         cmocka_unit_test(test_multipliers),
        cmocka_unit_test(test_no_equilibrium), cmocka_unit_test(test_damped_pendulum),
        cmocka_unit_test(test_kinds_of_modes), cmocka_unit_test(test_modes_need_an_equilibrium),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
