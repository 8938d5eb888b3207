/* test_stiff.c - the implicit integrator, radau: its order, stiff scenes against explicit steps and closed forms, their
 * derivatives; and that all else, events, jumps, saved states, goes with it as with the others. */
#include <complex.h>

#include "tests/frames.h"

static const char spring[] = /* a pendulum whose rod is a stiff, damped spring: what is stiff turns */
    "'gravity': [0, '-g'], 'parameters': { 'k': 1e8, 'g': 9.81, 'm': 1 },"
    "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0] } },"
    "'bodies': { 'ball': { 'type': 'point_mass', 'point': 'P', 'mass': 'm' } },"
    "'joints': { 'rod': { 'type': 'spring', 'points': ['O', 'P'], 'stiffness': 'k', 'length': 1,"
    "                     'damping': '2*sqrt(k)' } },"
    "'costs': { 'z': { 'running': 'y(P)' } },"
    "'simulation': { 'duration': 1, 'rtol': 1e-6 }";

static const char bushing[] =
    "'gravity': [0, '-g'], 'parameters': { 'k': 1e9, 'g': 9.81, 'm': 1 },"
    "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'A': { 'at': [0, 0] }, 'P': { 'at': [1, 0] } },"
    "'bodies': { 'bar': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 'm' } },"
    "'joints': { 'b': { 'type': 'bushing', 'points': ['O', 'A'], 'stiffness': ['k', 'k'],"
    "                   'damping': ['2*sqrt(k)', '2*sqrt(k)'] } },"
    "'costs': { 'z': { 'running': 'y(P)' } },"
    "'simulation': { 'duration': 1, 'rtol': 1e-6 }";

static const char tyre[] = /* a bicycle drops on its tyres, rolling: compliant contacts with friction, many events */
    "'parameters': { 'k': 1e8, 'g': 9.81, 'm': 80 }, 'gravity': [0, '-g'],"
    "'points': { 'R': { 'at': [0, 0.37], 'velocity': [3, 0] }, 'P': { 'at': [1, 0.37], 'velocity': [3, 0] },"
    "            'RA': { 'at': [0, 0.47] }, 'PA': { 'at': [1, 0.47] } },"
    "'bodies': { 'frame': { 'type': 'rigid', 'points': ['R', 'P'], 'mass': 'm', 'centre': [0.45, 0.6], 'inertia': 12 },"
    "  'rear': { 'type': 'rigid', 'points': ['R', 'RA'], 'mass': 2, 'centre': [0, 0], 'inertia': 0.2 },"
    "  'front': { 'type': 'rigid', 'points': ['P', 'PA'], 'mass': 2, 'centre': [0, 0], 'inertia': 0.2 } },"
    "'contacts': {"
    "  'r': { 'type': 'ground', 'points': ['R'], 'radius': 0.35, 'body': 'rear', 'law': 'compliant', 'stiffness': 'k',"
    "         'damping': 0.3, 'mu_kinetic': 0.8 },"
    "  'f': { 'type': 'ground', 'points': ['P'], 'radius': 0.35, 'body': 'front', 'law': 'compliant', 'stiffness': 'k',"
    "         'damping': 0.3, 'mu_kinetic': 0.8 } },"
    "'costs': { 'z': { 'running': 'y(P)' } }, 'simulation': { 'duration': 0.1, 'rtol': 1e-6 }";

static sal_run_opts by(int integrator, double rtol)
{
    sal_run_opts opts = sal_run_defaults();

    opts.integrator = integrator;
    opts.rtol       = rtol;
    return opts;
}

/* ----------------------------------------------------------------------------------------- order */

/* y'' = -k (y - sin t) - c (y' - cos t): on its slow motion, y = Im((k + i c)/(k + i c - 1) e^it), which explicit steps
 * leave as soon as they are longer than 1/c. */
static double driven_error(double rtol, long *steps)
{
    const double         k = 1e4, c = 1e6;
    const double complex y = (k + c * I) / (k + c * I - 1.0), end = y * cexp(2.0 * I);
    char                 text[1024];
    sal_run_opts         opts = by(SAL_RADAU, rtol);
    rig                  r;
    double               error;

    snprintf(
        text, sizeof text,
        "'gravity': [0, 0], 'points': { 'O': { 'at': ['sin(t)', 0], 'fixed': true },"
        "                               'P': { 'at': [%.17g, 0], 'velocity': [%.17g, 0] } },"
        "'bodies': { 'ball': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
        "'joints': { 's': { 'type': 'spring', 'points': ['O', 'P'], 'stiffness': %g, 'damping': %g, 'length': 1 } },"
        "'simulation': { 'duration': 2 }",
        1.0 + cimag(y), creal(y), k, c);
    r = rig_load(text);
    rig_run(&r, &opts);
    rig_quiet_end(&r);
    error  = fmax(fabs(sal_run_q(r.run)[0] - 1.0 - cimag(end)), fabs(sal_run_v(r.run)[0] - creal(end)));
    *steps = sal_run_get_stats(r.run).steps;
    rig_free(&r);
    return error;
}

static void slow_motion_of_a_fast_system(void **state)
{
    long steps;

    (void)state;
    for (double rtol = 1e-4; rtol > 1e-11; rtol *= 0.1) {
        assert_near(driven_error(rtol, &steps), 0.0, rtol);
        assert_true((double)steps < 20.0 + 3.0 * pow(rtol, -0.25)); /* the error estimate is of h^4 */
    }
}

static const char pendulum[] = "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0] } },"
                               "'bodies': { 'ball': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                               "'joints': { 'rod': { 'type': 'distance', 'points': ['O', 'P'], 'length': 1 } },"
                               "'simulation': { 'duration': 1 }";

/* [x, y, vx, vy, lambda] of the pendulum at t. */
static void pendulum_at(sal_run_opts opts, double t, double *out)
{
    rig r = rig_load(pendulum);

    rig_run(&r, &opts);
    rig_to(&r, t);
    memcpy(out, sal_run_q(r.run), 2 * sizeof *out);
    memcpy(out + 2, sal_run_v(r.run), 2 * sizeof *out);
    out[4] = sal_run_lambda(r.run)[0];
    rig_free(&r);
}

static double largest_difference(const double *a, const double *b, int n)
{
    double most = 0.0;

    for (int k = 0; k < n; k++) most = fmax(most, fabs(a[k] - b[k]));
    return most;
}

/* Steps of one length, halved: positions, velocities and multipliers gain five binary digits, what is shown between
 * steps three to four. */
static void order(void **state)
{
    const double between = 0.52, end = 1.0;
    double       exact[2][5], found[5], error[2], inside[2];

    (void)state;
    pendulum_at(by(SAL_RK8, 1e-13), between, exact[0]);
    pendulum_at(by(SAL_RK8, 1e-13), end, exact[1]);
    for (int k = 0; k < 2; k++) {
        sal_run_opts opts = by(SAL_RADAU, 1e-3);
        opts.max_step = opts.min_step = k ? 1.0 / 32.0 : 1.0 / 16.0;
        pendulum_at(opts, between, found);
        inside[k] = largest_difference(found, exact[0], 4);
        pendulum_at(opts, end, found);
        error[k] = largest_difference(found, exact[1], 5);
    }
    assert_near(log2(error[0] / error[1]), 5.0, 0.4);
    assert_true(error[1] < 1e-6 && inside[1] < 1e-5 && inside[0] > 6.0 * inside[1]);
}

/* ----------------------------------------------------------------------------------------- stiff */

typedef struct outcome {
    double        q[16], v[16], cost, gradient[3];
    sal_run_stats stats;
} outcome;

static outcome run(const char *text, sal_run_opts opts, const char *const *wrt, int p)
{
    rig     r = rig_load(text);
    outcome x = { 0 };

    opts.wrt  = wrt;
    opts.nwrt = p;
    rig_run(&r, &opts);
    rig_end(&r);
    memcpy(x.q, sal_run_q(r.run), sizeof(double) * (size_t)r.model->n);
    memcpy(x.v, sal_run_v(r.run), sizeof(double) * (size_t)r.model->n);
    x.cost  = sal_run_costs(r.run)[0];
    x.stats = sal_run_get_stats(r.run);
    for (int c = 0; c < p; c++) x.gradient[c] = sal_run_cost_gradients(r.run)[c];
    rig_free(&r);
    return x;
}

static const char *const parameters[] = { "k", "g", "m" };

/* With a twentieth of the evaluations, and derivatives to 1e-5 of what explicit steps give with a hundredth of the
 * tolerance. */
static void assert_stiff(const char *text, double off)
{
    const outcome explicitly = run(text, by(SAL_RK8, 1e-6), NULL, 0),
                  implicitly = run(text, by(SAL_RADAU, 1e-6), NULL, 0);
    const outcome exact      = run(text, by(SAL_RK8, 1e-9), parameters, 3),
                  found      = run(text, by(SAL_RADAU, 1e-8), parameters, 3);

    assert_true(20 * implicitly.stats.evaluations < explicitly.stats.evaluations);
    for (int k = 0; k < 16; k++) {
        assert_near(implicitly.q[k], exact.q[k], off);
        assert_near(implicitly.v[k], exact.v[k], 10.0 * off);
    }
    for (int c = 0; c < 3; c++) assert_near(found.gradient[c], exact.gradient[c], 1e-5 * fabs(exact.gradient[c]));
}

/* Seen from elsewhere: the same steps within a few, places, velocities and derivatives. All coordinates are points. */
static void assert_stiff_in(const char *text, frame f, double off)
{
    sal_run_opts  opts  = by(SAL_RADAU, 1e-8);
    char         *moved = frame_of(text, f);
    const outcome here  = run(text, opts, parameters, 3);
    outcome       there;

    opts.atol = f.unit * opts.rtol;
    there     = run(moved, opts, parameters, 3);
    for (int k = 0; k < 16; k += 2) {
        double q[2], v[2];
        frame_back(f, there.q + k, q);
        frame_back(f, there.v + k, v);
        assert_near(largest_difference(q, here.q + k, 2), 0.0, 0.01 * off);
        assert_near(largest_difference(v, here.v + k, 2), 0.0, 0.1 * off);
    }
    for (int c = 0; c < 3; c++) assert_near(there.gradient[c], here.gradient[c], 1e-6 * fabs(here.gradient[c]));
    assert_near((double)there.stats.evaluations, (double)here.stats.evaluations, 0.1 * (double)here.stats.evaluations);
    free(moved);
}

static void stiff_from_elsewhere(void **state)
{
    (void)state;
    for (int i = 0; i < SAL_COUNT(frames); i++) {
        assert_stiff_in(spring, frames[i], 1e-5);
        assert_stiff_in(bushing, frames[i], 1e-5);
    }
    assert_stiff_in(tyre, (frame){ PI, -1.0, 1.0 }, 1e-4); /* on the same ground, to the left */
}

/* Explicit steps say what makes them short, by name; where nothing is stiff, nothing does. */
static void noticed(void **state)
{
    static const struct {
        const char *text, *who;
    } cases[] = { { spring, "rod" }, { bushing, "b" }, { tyre, "f" } };

    (void)state;
    for (int k = 0; k < SAL_COUNT(cases); k++) {
        rig          r    = rig_load(cases[k].text);
        sal_run_opts opts = by(SAL_RK8, 1e-6);
        double       since;
        long         steps;
        rig_run(&r, &opts);
        rig_end(&r);
        assert_string_equal(sal_run_stiff(r.run, &since, &steps), cases[k].who);
        assert_true(10 * steps > sal_run_get_stats(r.run).steps);
        opts = by(SAL_RADAU, 1e-6);
        rig_run(&r, &opts);
        rig_end(&r);
        assert_null(sal_run_stiff(r.run, &since, &steps));
        rig_free(&r);
    }
    for (int k = 0; k < 3; k++) {
        static const char *const scenes[] = { "five_bar.json", "andrews.json", "jansen_leg.json" };
        rig                      r        = rig_scene(scenes[k]);
        double                   since;
        long                     steps;
        for (double rtol = 1e-4; rtol > 1e-10; rtol *= 0.01) {
            sal_run_opts opts = by(SAL_RK8, rtol);
            rig_run(&r, &opts);
            rig_end(&r);
            assert_null(sal_run_stiff(r.run, &since, &steps));
        }
        rig_free(&r);
    }
}

static void stiff_spring(void **state)
{
    (void)state;
    assert_stiff(spring, 1e-5);
}

static void stiff_bushing(void **state)
{
    (void)state;
    assert_stiff(bushing, 1e-5);
}

static void stiff_tyre(void **state)
{
    (void)state;
    assert_stiff(tyre, 1e-4);
}

/* ---------------------------------------------------------------------------------- by default */

/* Nothing is asked for: explicit steps begin, and implicit ones take over. */
static void automatically(void **state)
{
    static const struct {
        const char *text, *who;
    } cases[] = { { spring, "rod" }, { bushing, "b" }, { tyre, "f" } };

    (void)state;
    for (int k = 0; k < SAL_COUNT(cases); k++) {
        const outcome explicitly = run(cases[k].text, by(SAL_RK8, 1e-6), NULL, 0),
                      exact      = run(cases[k].text, by(SAL_RK8, 1e-9), parameters, 3),
                      found      = run(cases[k].text, by(-1, 1e-8), parameters, 3);
        rig          r           = rig_load(cases[k].text);
        sal_run_opts opts        = by(-1, 1e-6);
        sal_change   change;
        rig_run(&r, &opts);
        rig_end(&r);
        assert_int_equal(sal_run_get_opts(r.run).integrator, SAL_AUTO);
        assert_int_equal(sal_run_changes(r.run), 1);
        assert_true(sal_run_change(r.run, 0, &change));
        assert_int_equal(change.integrator, SAL_RADAU);
        assert_string_equal(change.element, cases[k].who);
        assert_true(change.time > 0.0 && change.time < sal_run_time(r.run));
        assert_true(20 * sal_run_get_stats(r.run).evaluations < explicitly.stats.evaluations);
        for (int i = 0; i < r.model->n; i++) assert_near(sal_run_q(r.run)[i], exact.q[i], 1e-4);
        for (int c = 0; c < 3; c++) assert_near(found.gradient[c], exact.gradient[c], 1e-5 * fabs(exact.gradient[c]));
        rig_free(&r);
    }
}

/* A damper that is stiff for a second of each three: implicit steps while it is, explicit ones while it is not. */
static const char at_times[] =
    "'gravity': [0, -9.81], 'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [0.6, -0.8] } },"
    "'bodies': { 'ball': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
    "'joints': { 'rod': { 'type': 'distance', 'points': ['O', 'P'], 'length': 1 },"
    "            'air': { 'type': 'force', 'point': 'P', 'fx': '-1e5*max(0, sin(2*pi*t/3) - 0.5)*vx(P)',"
    "                     'fy': '-1e5*max(0, sin(2*pi*t/3) - 0.5)*vy(P)' } },"
    "'costs': { 'z': { 'running': 'x(P)' } }, 'simulation': { 'duration': 9, 'rtol': 1e-7 }";

static void there_and_back(void **state)
{
    static const int kinds[]    = { SAL_RADAU, SAL_RK8 };
    const outcome    explicitly = run(at_times, by(SAL_RK8, 1e-7), NULL, 0),
                  exact         = run(at_times, by(SAL_RK8, 1e-10), NULL, 0);
    rig          r              = rig_load(at_times);
    sal_run_opts opts           = by(-1, 1e-7);
    sal_change   change;

    (void)state;
    rig_run(&r, &opts);
    rig_end(&r);
    assert_int_equal(sal_run_changes(r.run), 6);
    for (int k = 0; sal_run_change(r.run, k, &change); k++) {
        const double phase = fmod(change.time, 3.0);
        assert_int_equal(change.integrator, kinds[k % 2]);
        assert_string_equal(change.element, k % 2 ? "" : "air");
        assert_true(k % 2 ? phase > 1.2 && phase < 1.6 : phase > 0.25 && phase < 0.5); /* 0.25 .. 1.25 */
    }
    assert_near(largest_difference(sal_run_q(r.run), exact.q, r.model->n), 0.0, 1e-5);
    assert_near(sal_run_costs(r.run)[0], exact.cost, 1e-5);
    assert_true(5 * sal_run_get_stats(r.run).evaluations < explicitly.stats.evaluations);
    rig_free(&r);
}

/* Saved with either kind in use, a run goes on with the same bits, in a run that has the other one in use. */
static void automatically_saved(void **state)
{
    static const double when[] = { 0.1, 0.8, 1.7, 3.9, 5.5 };
    rig                 a = rig_load(at_times), b = rig_load(at_times);
    sal_run_opts        opts = by(-1, 1e-7);
    sal_change          one, other;
    size_t              size;

    (void)state;
    rig_run(&b, &opts);
    for (int k = 0; k < SAL_COUNT(when); k++) {
        rig_run(&a, &opts);
        while (sal_run_time(a.run) < when[k]) assert_true(sal_run_step(a.run) >= 0);
        assert_int_equal(sal_run_save(a.run, NULL, 0, &size), SAL_OK);
        void *bytes = malloc(size);
        assert_int_equal(sal_run_save(a.run, bytes, size, &size), SAL_OK);
        assert_int_equal(sal_run_load(b.run, bytes, size), SAL_OK);
        free(bytes);
        for (int i = 0; i < 400; i++) {
            assert_true(sal_run_step(a.run) >= 0);
            assert_true(sal_run_step(b.run) >= 0);
        }
        assert_memory_equal(sal_run_q(a.run), sal_run_q(b.run), sizeof(double) * (size_t)a.model->n);
        assert_int_equal(sal_run_changes(a.run), sal_run_changes(b.run));
        for (int i = 0; sal_run_change(a.run, i, &one); i++) {
            assert_true(sal_run_change(b.run, i, &other));
            assert_true(one.time == other.time && one.integrator == other.integrator);
        }
    }
    rig_free(&a);
    rig_free(&b);
}

static double random_part(uint64_t *seed) /* 0 .. 1 */
{
    return 0.5 + 0.5 * random_number(seed);
}

/* Chains of three balls on springs, whose stiffness and damping may be anything: whatever is done by default, and
 * whenever it changes, the motion is that of implicit steps with a tenth of the tolerance. */
static void random_chains(void **state)
{
    enum { CHAINS = 24 };
    uint64_t seed    = 1;
    int      changed = 0;

    (void)state;
    for (int k = 0; k < CHAINS; k++) {
        char       text[2048];
        double     c[3], m[3], stiff[3];
        sal_change change;
        for (int i = 0; i < 3; i++) {
            stiff[i] = pow(10.0, 1.0 + 8.0 * random_part(&seed));
            m[i]     = pow(10.0, 1.0 - 2.0 * random_part(&seed));
            c[i]     = pow(10.0, 2.0 * random_part(&seed)) * sqrt(stiff[i] * m[i]);
        }
        snprintf(text, sizeof text,
                 "'gravity': [0, -9.81], 'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'A': { 'at': [1, 0] },"
                 "                                  'B': { 'at': [1.5, 0.5] }, 'C': { 'at': [2, 0] } },"
                 "'bodies': { 'a': { 'type': 'point_mass', 'point': 'A', 'mass': %.17g },"
                 "            'b': { 'type': 'point_mass', 'point': 'B', 'mass': %.17g },"
                 "            'c': { 'type': 'point_mass', 'point': 'C', 'mass': %.17g } },"
                 "'joints': { 'OA': { 'type': 'spring', 'points': ['O', 'A'], 'stiffness': %.17g, 'damping': %.17g },"
                 "            'AB': { 'type': 'spring', 'points': ['A', 'B'], 'stiffness': %.17g, 'damping': %.17g },"
                 "            'BC': { 'type': 'spring', 'points': ['B', 'C'], 'stiffness': %.17g, 'damping': %.17g } },"
                 "'costs': { 'z': { 'running': 'y(C)' } }, 'simulation': { 'duration': 0.1 }",
                 m[0], m[1], m[2], stiff[0], c[0], stiff[1], c[1], stiff[2], c[2]);
        const outcome exact = run(text, by(SAL_RADAU, 1e-9), NULL, 0);
        rig           r     = rig_load(text);
        sal_run_opts  opts  = by(-1, 1e-8);
        rig_run(&r, &opts);
        rig_end(&r);
        changed += sal_run_changes(r.run) > 0;
        for (int i = 0; sal_run_change(r.run, i, &change); i++)
            assert_true(change.integrator == (i % 2 ? SAL_RK8 : SAL_RADAU));
        if (largest_difference(sal_run_q(r.run), exact.q, 6) > 1e-5)
            fail_msg("chain %d: off by %g in %d changes", k, largest_difference(sal_run_q(r.run), exact.q, 6),
                     sal_run_changes(r.run));
        rig_free(&r);
    }
    assert_true(4 * changed > CHAINS && changed < CHAINS);
}

/* What is as good as rigid moves as if it were, however stiff it is; explicit steps would be down to 1e-8 s long. */
static void as_good_as_rigid(void **state)
{
    static const char text[] = "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [0.6, -0.8] } },"
                               "'bodies': { 'ball': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                               "'joints': { 'rod': { 'type': '%s', 'points': ['O', 'P'], 'length': 1 %s } },"
                               "'costs': { 'z': { 'running': 'y(P)' } }, 'simulation': { 'duration': 2 }";
    char              rigid[1024], elastic[1024], spring_of[128];
    outcome           a, b;

    (void)state;
    snprintf(rigid, sizeof rigid, text, "distance", "");
    a = run(rigid, by(SAL_RK8, 1e-10), NULL, 0);
    for (double k = 1e10; k < 2e16; k *= 100.0) {
        snprintf(spring_of, sizeof spring_of, ", 'stiffness': %g, 'damping': %g", k, sqrt(k));
        snprintf(elastic, sizeof elastic, text, "spring", spring_of);
        b = run(elastic, by(SAL_RADAU, 1e-7), NULL, 0);
        assert_near(largest_difference(a.q, b.q, 2), 0.0, 1e-6);
        assert_near(largest_difference(a.v, b.v, 2), 0.0, 1e-5);
        assert_true(b.stats.steps < 200);
        if (k > 2e14) continue; /* velocities along the rod are rounding, and then too much of it for 1e-9 */
        b = run(elastic, by(SAL_RADAU, 1e-9), NULL, 0);
        assert_true(b.stats.steps < 1000);
        assert_near(largest_difference(a.v, b.v, 2), 0.0, 2e-6); /* w l m w^2/k of 1e10 N/m, and 200 steps */
    }
}

/* Springs of 1e16 N/m: a mass that sticks to a belt and slips, which no longer moves; at any tolerance. */
static void stick_slip(void **state)
{
    rig r = rig_scene("stick_slip_belt.json");

    (void)state;
    for (double rtol = 1e-6; rtol > 5e-11; rtol *= 0.1) {
        sal_run_opts opts = by(-1, rtol);
        opts.set          = &(sal_setting){ "k", 1e16 };
        opts.nset         = 1;
        rig_run(&r, &opts);
        rig_end(&r);
        assert_near(sal_run_q(r.run)[0], 0.4 * 9.81 / 1e16, 1e-22);
        assert_true(sal_run_get_stats(r.run).evaluations < 50000); /* of rk8: 12 in 5e-8 s, 1e9 in all */
    }
    rig_free(&r);
}

/* The penalty form with a stiffness that no constraint is beyond. */
static void penalty(void **state)
{
    rig          a = rig_scene("five_bar.json"), b = rig_scene("five_bar.json");
    sal_run_opts stiff = by(SAL_RADAU, 1e-7), opts = by(SAL_RK8, 1e-10);

    (void)state;
    stiff.form = SAL_PENALTY;
    rig_run(&a, &opts);
    rig_run(&b, &stiff);
    for (int k = 0; k < 9; k++) {
        rig_event(&a, "floor");
        rig_event(&b, "floor");
        assert_near(sal_run_time(b.run), sal_run_time(a.run), 1e-5);
    }
    rig_free(&a);
    rig_free(&b);
}

/* ---------------------------------------------------------------------- as any other integrator */

static long events(const char *scene, int integrator, double rtol, double *time, double *gradient)
{
    static const char *const wrt[]    = { "L01" };
    rig                      r        = rig_scene(scene);
    sal_run_opts             opts     = by(integrator, rtol);
    const bool               five_bar = strstr(scene, "five_bar") != NULL;
    long                     count    = 0;
    sal_status               status;

    opts.wrt  = five_bar ? wrt : NULL;
    opts.nwrt = five_bar;
    rig_run(&r, &opts);
    while ((status = sal_run_step(r.run)) == SAL_OK || status == SAL_EVENT) {
        if (status != SAL_EVENT || count == 16) continue;
        time[count]       = sal_run_time(r.run);
        gradient[count++] = five_bar ? sal_run_event_gradient(r.run)[0] : 0.0;
    }
    assert_int_equal(status, SAL_END);
    rig_free(&r);
    return count;
}

/* Events of all kinds: resets, impacts with friction, sticking and slipping, switches with memory, closing by rest. */
static void events_and_jumps(void **state)
{
    static const char *const scenes[] = { "five_bar.json",        "five_bar_friction.json", "five_bar_impact.json",
                                          "stick_slip_belt.json", "compass_gait.json",      "kneed_walker.json",
                                          "rocking_block.json",   "four_bar_stop.json",     "trapdoor.json" };

    (void)state;
    for (int k = 0; k < SAL_COUNT(scenes); k++) {
        double     time[2][16], gradient[2][16];
        const long count = events(scenes[k], SAL_RK8, 1e-10, time[0], gradient[0]);
        assert_int_equal(events(scenes[k], SAL_RADAU, 1e-7, time[1], gradient[1]), count);
        for (int e = 0; e < count; e++) {
            if (fabs(time[0][e] - time[1][e]) > 1e-6) fail_msg("%s: event %d is off", scenes[k], e + 1);
            assert_near(gradient[0][e], gradient[1][e], 1e-5);
        }
    }
}

/* The tangent is that of the motion: differences of tight runs agree. */
static void verified(void **state)
{
    static const char *const wrt[] = { "k", "g" };
    rig                      r     = rig_load(spring);
    sal_run_opts             opts  = by(SAL_RADAU, 1e-8);

    (void)state;
    opts.wrt      = wrt;
    opts.nwrt     = 2;
    opts.duration = 0.3;
    rig_verify(&r, opts, "pendulum on a stiff spring");
    rig_free(&r);
}

/* A step depends on nothing but its beginning: saved anywhere, a run goes on with the same bits. */
static void saved(void **state)
{
    static const char *const wrt[] = { "L01", "L02" };
    rig                      a = rig_scene("five_bar_friction.json"), b = rig_scene("five_bar_friction.json");
    sal_run_opts             opts = by(SAL_RADAU, 1e-6);
    size_t                   size;
    void                    *bytes;

    (void)state;
    opts.wrt  = wrt;
    opts.nwrt = 2;
    rig_run(&a, &opts);
    rig_run(&b, &opts);
    for (int k = 0; k < 50; k++) sal_run_step(a.run);
    assert_int_equal(sal_run_save(a.run, NULL, 0, &size), SAL_OK);
    bytes = malloc(size);
    assert_int_equal(sal_run_save(a.run, bytes, size, &size), SAL_OK);
    assert_int_equal(sal_run_load(b.run, bytes, size), SAL_OK);
    free(bytes);
    rig_end(&a);
    rig_end(&b);
    assert_memory_equal(sal_run_q(a.run), sal_run_q(b.run), sizeof(double) * (size_t)a.model->n);
    assert_memory_equal(sal_run_Q(a.run), sal_run_Q(b.run), sizeof(double) * (size_t)(2 * a.model->n));
    rig_free(&a);
    rig_free(&b);
}

/* Redundant rows, and forces that have no slope where they begin. */
static void redundant(void **state)
{
    rig          a = rig_scene("resting_block.json"), b = rig_scene("scissor_lift.json");
    sal_run_opts opts = by(SAL_RADAU, 1e-7);

    (void)state;
    rig_run(&a, &opts);
    rig_end(&a);
    rig_run(&b, &opts);
    rig_end(&b);
    rig_free(&a);
    rig_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_motion_of_a_fast_system),
        cmocka_unit_test(order),
        cmocka_unit_test(noticed),
        cmocka_unit_test(stiff_spring),
        cmocka_unit_test(stiff_bushing),
        cmocka_unit_test(stiff_tyre),
        cmocka_unit_test(stiff_from_elsewhere),
        cmocka_unit_test(automatically),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(automatically_saved),
        cmocka_unit_test(random_chains),
        cmocka_unit_test(as_good_as_rigid),
        cmocka_unit_test(stick_slip),
        cmocka_unit_test(penalty),
        cmocka_unit_test(events_and_jumps),
        cmocka_unit_test(verified),
        cmocka_unit_test(saved),
        cmocka_unit_test(redundant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
