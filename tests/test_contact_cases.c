/* test_contact_cases.c - what contacts do in cases at the border: groups in penalty form, jams that come on gradually or
 * are there at the start, constraints that a contact switches, what does not matter. Against
 * closed forms, or an integration that has nothing to do with the engine. */
#include "tests/contact_checks.h"
#include "tests/contact_problems.h"

#define G 9.81

/* -------------------------------------------------------------------------------- two feet, unequal mu */

/* A table of 5 kg on A and B, 1 m apart, centre over 0.4 m, pushed at 0.6 m with F = 30 N/s t. N_B = 0.4 m g + 0.6 F and
 * N_A = m g - N_B hold together as long as F <= 0.5 N_A + 0.3 N_B: F = 0.42/1.12 m g. Then it slides, mu_k 0.4 and 0.2:
 *
 *     m a = F - 0.4 (m g - N_B) - 0.2 N_B = 1.12 F - 0.32 m g       (with F 0.6 - 0.1 T of friction in the moments: below)
 *
 * as moments are about the ground, where friction acts, but about a centre that accelerates at height 0.5:
 * N_B = 0.4 m g + 0.6 F - 0.5 m a. In penalty form everything gives way by about lambda/(alpha omega^2): to 1e-4. */
static void test_two_feet_with_unequal_friction(void **state)
{
    static const struct {
        sal_form form;
        double   near;
    } forms[]           = { { SAL_INDEX1, 1e-9 }, { SAL_PENALTY, 2e-4 } };
    const double weight = 5.0 * G, F = 0.42 / 1.12 * weight, t0 = F / 30.0, t = 1.0;
    /* m a = F - 0.4 m g + 0.2 N_B = F - 0.4 m g + 0.08 m g + 0.12 F - 0.1 m a */
    const double v = (1.12 * 15.0 * (t * t - t0 * t0) - 0.32 * weight * (t - t0)) / (1.1 * 5.0);

    (void)state;
    for (int k = 0; k < SAL_COUNT(forms); k++) {
        rig          r    = rig_load("'points': { 'A': { 'at': [0, 0] }, 'B': { 'at': [1, 0] } },"
                                                 "'bodies': { 'table': { 'type': 'rigid', 'points': ['A', 'B'], 'length': 1, 'mass': 5,"
                                                 "  'centre': [0.4, 0.5], 'inertia': 1, 'markers': { 'T': [0.5, 0.6] } } },"
                                                 "'joints': { 'push': { 'type': 'force', 'point': 'T', 'fx': '30*t', 'fy': '0' } },"
                                                 "'contacts': {"
                                                 "  'a': { 'type': 'ground', 'points': ['A'], 'mu_static': 0.5, 'mu_kinetic': 0.4 },"
                                                 "  'b': { 'type': 'ground', 'points': ['B'], 'mu_static': 0.3, 'mu_kinetic': 0.2 } },"
                                                 "'simulation': { 'duration': 1 }");
        sal_run_opts opts = sal_run_defaults();
        opts.form         = (int)forms[k].form;
        opts.rtol         = 1e-11;
        rig_run(&r, &opts);
        assert_int_equal(r.run->system.mode.portions, 2); /* they share, by what they can hold */
        rig_event(&r, "a.slip");
        assert_near(sal_run_time(r.run), t0, forms[k].near);
        rig_end(&r);
        assert_int_equal(sal_run_get_stats(r.run).events, 1);
        assert_near(rig_probe(&r, "vx(A)"), v, forms[k].near);
        rig_free(&r);
    }
}

/* --------------------------------------------------------------------------------------------- jams */

/* Painleve's rod: 1 m, 1 kg, A slides to the left with s, friction turns it up: theta grows to where
 *
 *     A = 1 + 3 cos^2 theta - 3 mu sin theta cos theta = 0,     N = (g - omega^2/2 sin theta) / A
 *
 * N goes to infinity unless omega does not let it: the motion ends in the one point where A and g - omega^2/2 sin theta
 * both vanish, whatever it began with (Genot, Brogliato, Eur. J. Mech. A 18, 1999). */
static const char *const rod =
    "'parameters': { 'theta': 0.6, 'omega': %g, 's': %g, 'mu': 2 },"
    "'points': { 'A': { 'at': [0, 0], 'velocity': ['s', 0] }, 'B': { 'at': ['cos(theta)', 'sin(theta)'],"
    "            'velocity': ['s - omega*sin(theta)', 'omega*cos(theta)'] } },"
    "'bodies': { 'rod': { 'type': 'bar', 'points': ['A', 'B'], 'mass': 1, 'length': 1 } },"
    "'contacts': { 'floor': { 'type': 'ground', 'points': ['A'], 'mu_static': 'mu', 'closed': ['A'] } },"
    "'simulation': { 'duration': 0.05, 'rtol': 1e-11 }";

static rig rod_load(double omega, double s)
{
    char text[1024];

    snprintf(text, sizeof text, rod, omega, s);
    return rig_load(text);
}

/* In the time tau, dt = A dtau, nothing is singular: theta, omega, t. */
static void rod_motion(const void *self, double tau, const double *y, double *dy)
{
    const double s = sin(y[0]), c = cos(y[0]), A = 1.0 + 3.0 * c * c - 6.0 * s * c;

    (void)self;
    (void)tau;
    dy[0] = A * y[1];
    dy[1] = 6.0 * (2.0 * s - c) * (G - 0.5 * y[1] * y[1] * s);
    dy[2] = A;
}

static double jam_time(double theta, double omega)
{
    double y[3] = { theta, omega, 0.0 };

    rk4(rod_motion, NULL, 0.0, 20.0, 20000, 3, y);
    return y[2];
}

/* Its time and the derivative of that, the impulses of what slides when it jams. The engine says that it jams where 1e-7
 * of A is left: its time is early by that part, and derivatives are off by it. */
static void test_gradual_jam(void **state)
{
    static const char *const wrt[]   = { "theta" };
    static const double      begin[] = { 1.0, 2.0, 3.0 };
    const double             h       = 1e-3;

    (void)state;
    for (int k = 0; k < SAL_COUNT(begin); k++) {
        const double t = jam_time(0.6, begin[k]), up = jam_time(0.6 + h, begin[k]), down = jam_time(0.6 - h, begin[k]),
                     up2 = jam_time(0.6 + 2.0 * h, begin[k]), down2 = jam_time(0.6 - 2.0 * h, begin[k]);
        rig            r    = rod_load(begin[k], -6.0);
        sal_run_opts   opts = with_respect_to(wrt, 1);
        sal_event_info e;

        rig_run(&r, &opts);
        rig_event(&r, "floor.jam");
        e = sal_run_event(r.run);
        assert_near(e.time, t, 3e-8);
        assert_near(sal_run_event_gradient(r.run)[0], (8.0 * (up - down) - (up2 - down2)) / (12.0 * h), 3e-6);
        const double angle = rig_probe(&r, "angle(rod)"), slip = -e.v_before[rig_point(&r, "A")->xi];
        assert_near(tan(angle), 3.0 - sqrt(5.0), 1e-6);
        assert_true(slip > 0.0);
        assert_near(e.impulse[1] / slip, 0.75 * sin(angle) * cos(angle), 1e-6);
        assert_near(e.impulse[2] / slip, 0.25 * (1.0 + 3.0 * cos(angle) * cos(angle)), 1e-6);
        assert_true(sal_run_energy(r.run) < e.energy_before);
        assert_string_equal(sal_run_wrt_invalid(r.run), "");
        rig_free(&r);
    }
}

static void count_off(void *user, const sal_verify_item *item)
{
    int *count = user;

    if (item->good) return;
    print_error("%s / %s: %.9g, %.9g\n", item->what, item->wrt, item->exact, item->numeric);
    *count += item->known;
}

/* The saltation matrix leads from the derivatives before it to those after it. */
static void test_gradual_jam_has_a_saltation_matrix(void **state)
{
    static const char *const wrt[] = { "theta" };
    rig                      r     = rod_load(2.0, -6.0);
    sal_run_opts             opts  = sal_run_defaults();
    double                   S[8][8];

    (void)state;
    opts.wrt  = wrt;
    opts.nwrt = 1;
    rig_run(&r, &opts);
    rig_event(&r, "floor.jam");
    if (sal_run_saltation(r.run, &S[0][0]) != SAL_OK) fail_msg("%s", sal_message(r.context));
    for (int i = 0; i < 8; i++) {
        double sum = 0.0, parts = 0.0;
        for (int k = 0; k < 4; k++) {
            sum += S[i][k] * sal_run_Q_before(r.run)[k] + S[i][4 + k] * sal_run_V_before(r.run)[k];
            parts += fabs(S[i][k] * sal_run_Q_before(r.run)[k]) + fabs(S[i][4 + k] * sal_run_V_before(r.run)[k]);
        }
        assert_near(i < 4 ? sal_run_Q(r.run)[i] : sal_run_V(r.run)[i - 4], sum, 1e-8 * parts);
    }
    rig_free(&r);
}

/* All derivatives behind it too. */
static void test_gradual_jam_is_differentiated(void **state)
{
    static const char *const wrt[] = { "theta", "omega", "s", "mu" };

    (void)state;
    for (int k = 1; k <= 3; k++) {
        rig          r    = rod_load(k, -6.0);
        sal_run_opts opts = sal_run_defaults();
        int          off  = 0, bad;
        opts.wrt          = wrt;
        opts.nwrt         = 4;
        if (sal_verify(r.model, &opts, 1e-5, count_off, &off, &bad) != SAL_OK) fail_msg("%s", sal_message(r.context));
        assert_int_equal(off, 0);
        assert_true(bad <= 1); /* the time does not depend on s: noise */
        rig_free(&r);
    }
}

/* Saved after every step before, at and after the jam, another run goes on bit for bit. */
static void test_gradual_jam_goes_on(void **state)
{
    rig        whole = rod_load(2.0, -6.0), part = rod_load(2.0, -6.0), other = rod_load(2.0, -6.0);
    sal_status status = SAL_OK;
    int        saved  = 0;

    (void)state;
    rig_run(&whole, NULL);
    rig_run(&part, NULL);
    rig_end(&whole);
    while (status == SAL_OK || status == SAL_EVENT) {
        size_t size = 0;
        char  *memory;
        assert_int_equal(sal_run_save(part.run, NULL, 0, &size), SAL_OK);
        memory = malloc(size);
        assert_non_null(memory);
        assert_int_equal(sal_run_save(part.run, memory, size, &size), SAL_OK);
        rig_run(&other, NULL);
        if (sal_run_load(other.run, memory, size) != SAL_OK) fail_msg("%s", sal_run_message(other.run));
        free(memory);
        rig_end(&other);
        for (int k = 0; k < whole.model->n; k++) {
            assert_true(sal_run_q(whole.run)[k] == sal_run_q(other.run)[k]);
            assert_true(sal_run_v(whole.run)[k] == sal_run_v(other.run)[k]);
        }
        assert_int_equal(sal_run_get_stats(whole.run).events, sal_run_get_stats(other.run).events);
        saved++;
        status = sal_run_step(part.run);
    }
    assert_true(saved > 5);
    rig_free(&whole);
    rig_free(&part);
    rig_free(&other);
}

/* A rod that is said to be closed where friction leaves no forces: it jams at once, as if it had come there sliding. */
static void test_starts_in_a_jam(void **state)
{
    rig            r = rod_load(0.0, -3.0);
    sal_event_info e;

    (void)state;
    rig_run(&r, NULL);
    assert_int_equal(sal_run_set(r.run, "theta", 1.0), SAL_OK);
    if (sal_run_restart(r.run) != SAL_OK) fail_msg("%s", sal_run_message(r.run));
    assert_int_equal(sal_run_step(r.run), SAL_EVENT);
    e = sal_run_event(r.run);
    assert_string_equal(e.name, "floor.jam");
    assert_near(e.time, 0.0, 0.0);
    assert_near(e.impulse[1], 0.75 * 3.0 * sin(1.0) * cos(1.0), 1e-12);
    assert_near(e.impulse[2], 0.25 * 3.0 * (1.0 + 3.0 * cos(1.0) * cos(1.0)), 1e-12);
    rig_end(&r);
    rig_free(&r);
}

/* The problem of a jam in numbers, W = [1 -w; -w 1], at rest along the normal, slip 1, pressed on. As long as mu w < 1
 * no impulses come of it, and the forces that there are in the end are those of sliding on; beyond it jams. */
static void test_no_impulses_no_jam(void **state)
{
    static const struct {
        double mu, w;
        bool   impulsive;
    } list[] = { { 0.5, 0.8, false }, { 1.2, 0.8, false }, { 1.3, 0.8, true }, { 2.0, 0.9, true } };
    problem_rig r;

    (void)state;
    problem_make(&r, 1);
    for (int k = 0; k < SAL_COUNT(list); k++) {
        sal_coulomb *x         = &r.x;
        bool         impulsive = false;
        x->c                   = 1;
        x->party[0]            = (sal_party){
                       .tangent = true, .slides = 1, .inside = true, .mu_static = list[k].mu, .mu_kinetic = list[k].mu
        };
        memcpy(x->W, (double[]){ 1.0, list[k].w, list[k].w, 1.0 }, 4 * sizeof(double));
        memcpy(x->b, (double[]){ 0.0, 1.0 }, 2 * sizeof(double));
        memcpy(x->b1, (double[]){ -1.0, 0.0 }, 2 * sizeof(double));
        memcpy(x->size, (double[]){ 0.0, 1.0 }, 2 * sizeof(double));
        memset(x->yields, 0, 2 * sizeof(double));
        assert_int_equal(sal_coulomb_jam(x, NULL, &impulsive), SAL_OK);
        assert_int_equal(impulsive, list[k].impulsive);
        if (impulsive) continue;
        assert_near(x->p[0], 0.0, 0.0);
        assert_int_equal(x->party[0].role, SAL_SLIPPING);
        assert_int_equal(x->party[0].sign, 1);
    }
    problem_free(&r);
}

/* ---------------------------------------------------------------------- constraints that a contact switches */

/* A bob on a rod of 1 m falls from rest, theta below the horizontal, on ground at y = -0.6; restitution 0.5. Let go at
 * the touch it bounces freely; let go after it the rod takes part in the impact, and the bob leaves along its circle. */
static void test_contact_releases(void **state)
{
    static const char *const wrt[]  = { "h", "back" };
    static const char *const word[] = { "release", "release_after" };
    const double             v = sqrt(2.0 * G * 0.6), c = 0.8, s = 0.6; /* of the rod's angle when it touches */

    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[1024];
        rig  r;
        snprintf(text, sizeof text,
                 "'parameters': { 'h': 0.6, 'back': 0.5 }, 'points': { 'O': { 'at': [0, 0], 'fixed': true },"
                 "  'P': { 'at': [1, 0], 'velocity': [0, 0] } },"
                 "'bodies': { 'bob': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                 "'joints': { 'rod': { 'type': 'distance', 'points': ['O', 'P'], 'length': 1 } },"
                 "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'height': '-h', 'restitution': 'back',"
                 "  'on': { 'touch': { '%s': 'rod' } } } }, 'simulation': { 'duration': 0.7, 'rtol': 1e-11 }",
                 word[k]);
        r = rig_load(text);
        rig_run(&r, NULL);
        rig_event(&r, "floor");
        assert_near(rig_probe(&r, "vx(P)"), k ? 0.5 * v * s : -v * s, 1e-9);
        assert_near(rig_probe(&r, "vy(P)"), 0.5 * v * c, 1e-9);
        assert_near(sal_run_event(r.run).impulse[rig_row(&r, "rod")], 0.0, k ? HUGE_VAL : 0.0);
        rig_verify(&r, with_respect_to(wrt, 2), "derivatives");
        rig_free(&r);
    }
}

/* A mass that slides past is caught by a rope where it touches: memory keeps how long that is. */
static void test_contact_holds(void **state)
{
    static const char *const wrt[] = { "h", "v" };
    rig                      r     = rig_load(
                                 "'parameters': { 'h': 1, 'v': 2 }, 'memory': { 'long': 1 },"
                                                          "'points': { 'O': { 'at': [0, 0.5], 'fixed': true }, 'P': { 'at': [0, 'h'], 'velocity': ['v', 0] } },"
                                                          "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                                          "'joints': { 'rope': { 'type': 'distance', 'points': ['O', 'P'], 'length': 'long', 'active': false } },"
                                                          "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'restitution': 0.6,"
                                                          "  'on': { 'touch': { 'set': { 'long': 'distance(O, P)' }, 'hold': 'rope' } } } },"
                                                          "'simulation': { 'duration': 0.6, 'rtol': 1e-11 }");
    const double t = sqrt(2.0 / G), x = 2.0 * t, far = sqrt(x * x + 0.25);

    (void)state;
    rig_run(&r, NULL);
    rig_event(&r, "floor");
    assert_near(sal_run_memory(r.run, 0), far, 1e-10);
    assert_near(rig_probe(&r, "x(P)*vx(P) + (y(P) - 0.5)*vy(P)"), 0.0, 1e-12);
    rig_to(&r, 0.55);
    assert_near(rig_probe(&r, "distance(O, P)"), far, 1e-10);
    rig_verify(&r, with_respect_to(wrt, 2), "derivatives");
    rig_free(&r);
}

/* ------------------------------------------------------------------------------------- what does not matter */

/* A box lands flat: whatever its mass, inertia and centre, it stops. No derivative is more than rounding. */
static void test_flat_landing_of_any_box(void **state)
{
    static const char *const wrt[] = { "m", "J", "cx", "cy" };
    rig                      r     = rig_load(
                                 "'parameters': { 'm': 2, 'J': 0.3, 'cx': 0.4, 'cy': 0.2 },"
                                                          "'points': { 'A': { 'at': [0, 0.1], 'velocity': [0, 0] }, 'B': { 'at': [1, 0.1], 'velocity': [0, 0] } },"
                                                          "'bodies': { 'box': { 'type': 'rigid', 'points': ['A', 'B'], 'length': 1, 'mass': 'm', 'inertia': 'J',"
                                                          "  'centre': ['cx', 'cy'] } }, 'contacts': { 'floor': { 'type': 'ground', 'points': ['A', 'B'],"
                                                          "  'mu_static': 0.5 } }, 'simulation': { 'duration': 0.5, 'rtol': 1e-11 }");
    sal_run_opts opts = with_respect_to(wrt, 4);

    (void)state;
    rig_run(&r, &opts);
    rig_event(&r, "floor.A");
    for (int k = 0; k < 4; k++) assert_near(sal_run_event_gradient(r.run)[k], 0.0, 1e-15);
    rig_end(&r);
    assert_string_equal(sal_run_wrt_invalid(r.run), "");
    for (int k = 0; k < 4 * r.model->n; k++) {
        assert_near(sal_run_Q(r.run)[k], 0.0, 1e-14);
        assert_near(sal_run_V(r.run)[k], 0.0, 1e-14);
    }
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_feet_with_unequal_friction),
        cmocka_unit_test(test_gradual_jam),
        cmocka_unit_test(test_gradual_jam_is_differentiated),
        cmocka_unit_test(test_gradual_jam_has_a_saltation_matrix),
        cmocka_unit_test(test_gradual_jam_goes_on),
        cmocka_unit_test(test_starts_in_a_jam),
        cmocka_unit_test(test_no_impulses_no_jam),
        cmocka_unit_test(test_contact_releases),
        cmocka_unit_test(test_contact_holds),
        cmocka_unit_test(test_flat_landing_of_any_box),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
