/* test_modes.c - modes of vibration against closed forms and against calculations that have nothing to do with the
 * engine. */
#include "tests/statics.h"

/* Both frequencies of a double pendulum: det(K - kappa M) = 0. */
static long double double_pendulum(const long double p[5], int which)
{
    const long double m1 = p[0], m2 = p[1], l1 = p[2], l2 = p[3], g = p[4];
    const long double a = m1 * m2 * l1 * l1 * l2 * l2, b = (m1 + m2) * m2 * g * l1 * l2 * (l1 + l2);
    const long double c = (m1 + m2) * m2 * g * g * l1 * l2, root = sqrtl(b * b - 4.0L * a * c);

    return sqrtl((b + (which ? root : -root)) / (2.0L * a));
}

static const char double_pendulum_scene[] =
    "'parameters': { 'm1': 1.3, 'm2': 0.4, 'l1': 0.9, 'l2': 1.7, 'g': 9.81 }, 'gravity': [0, '-g'],"
    "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [0.5, -0.6] }, 'Q': { 'at': [1.5, -1.8] } },"
    "'bodies': { 'p': { 'type': 'point_mass', 'point': 'P', 'mass': 'm1' },"
    "            'q': { 'type': 'point_mass', 'point': 'Q', 'mass': 'm2' } },"
    "'joints': { 'a': { 'type': 'distance', 'points': ['O', 'P'], 'length': 'l1' },"
    "            'b': { 'type': 'distance', 'points': ['P', 'Q'], 'length': 'l2' } }";

static void double_pendulum_modes(void **state)
{
    static const char *const names[] = { "m1", "m2", "l1", "l2", "g" };
    long double              p[5]    = { 1.3L, 0.4L, 0.9L, 1.7L, 9.81L };
    rig                      r       = rig_load(double_pendulum_scene);
    sal_equilibrium         *e       = equilibrium_of(&r, NULL, 0);
    sal_modes               *modes   = modes_of(&r, e);

    (void)state;
    assert_int_equal(sal_modes_count(modes), 2);
    for (int k = 0; k < 2; k++) {
        const sal_mode mode  = mode_at(modes, k);
        const double   omega = (double)double_pendulum(p, k);
        assert_int_equal(mode.kind, SAL_MODE_OSCILLATES);
        assert_near(mode.frequency, omega, 1e-12 * omega);
        assert_near(mode.damping, 0.0, 0.0);
        assert_int_equal(mode.repeated, 1);
        for (int i = 0; i < 5; i++) {
            const long double h = 1e-4L * p[i], x = p[i];
            long double       f[4];
            double            df, dz;
            for (int j = 0; j < 4; j++) {
                p[i] = x + h * (j < 2 ? j - 2 : j - 1);
                f[j] = double_pendulum(p, k);
            }
            p[i] = x;
            gradient_of(modes, e, k, names[i], &df, &dz);
            assert_near(df, (double)((8.0L * (f[2] - f[1]) - (f[3] - f[0])) / (12.0L * h)), 1e-13);
            assert_near(dz, 0.0, 1e-14);
        }
        assert_near(mode.shape[0][1], 0.0, 1e-12);
        assert_near(mode.shape[1][0], 0.0, 0.0);
        const double x1 = mode.shape[0][0], x2 = mode.shape[0][2]; /* M x'' = -K x: m2 x2'' = -m2 g (x2 - x1)/l2 */
        assert_near(omega * omega * x2, 9.81 * (x2 - x1) / 1.7, 1e-10);
        assert_near(fmax(fabs(x1), fabs(x2)), 1.0, 1e-15);
    }
    sal_modes_destroy(&modes);
    sal_equilibrium_destroy(&e);
    rig_free(&r);
}

/* A four-bar linkage by its crank angle: bars of mass 1, 2 and 1.5, a spring from A to Q. All of it again by hand. */
typedef struct linkage {
    long double crank, coupler, rocker, base, k, rest;
} linkage;

static void place_linkage(const linkage *f, long double a, long double x[4])
{
    const long double px = f->crank * cosl(a), py = f->crank * sinl(a), dx = f->base - px, d2 = dx * dx + py * py;
    const long double along = (d2 + f->coupler * f->coupler - f->rocker * f->rocker) / (2.0L * d2);
    const long double up    = sqrtl(f->coupler * f->coupler / d2 - along * along);

    x[0] = px;
    x[1] = py;
    x[2] = px + along * dx + up * py; /* d = (dx, -py), turned by a right angle: (py, dx) */
    x[3] = py - along * py + up * dx;
}

static long double potential(const linkage *f, long double a)
{
    long double x[4], stretch;

    place_linkage(f, a, x);
    stretch = sqrtl(x[2] * x[2] + x[3] * x[3]) - f->rest;
    return 9.81L * (1.0L * 0.5L * x[1] + 2.0L * 0.5L * (x[1] + x[3]) + 1.5L * 0.5L * x[3]) +
           0.5L * f->k * stretch * stretch;
}

/* The frequency of small motions about the minimum of the potential; *at is a guess and becomes it. */
static long double linkage_frequency(const linkage *f, long double *at)
{
    const long double h = 3e-3L; /* rounding over h^2 and h^6 are alike */
    long double       v[7], v1, v2 = 1.0L, x[7][4], d[4];

    for (int i = 0; i < 60; i++) { /* differences of order six */
        for (int k = 0; k < 7; k++) v[k] = potential(f, *at + h * (k - 3));
        v1 = (45.0L * (v[4] - v[2]) - 9.0L * (v[5] - v[1]) + (v[6] - v[0])) / (60.0L * h);
        v2 = (270.0L * (v[4] + v[2]) - 27.0L * (v[5] + v[1]) + 2.0L * (v[6] + v[0]) - 490.0L * v[3]) / (180.0L * h * h);
        *at -= v1 / v2;
    }
    for (int k = 0; k < 7; k++) place_linkage(f, *at + h * (k - 3), x[k]);
    for (int i = 0; i < 4; i++)
        d[i] = (45.0L * (x[4][i] - x[2][i]) - 9.0L * (x[5][i] - x[1][i]) + (x[6][i] - x[0][i])) / (60.0L * h);
    /* 2 T of a bar: m/3 (u^2 + u v + v^2) */
    const long double mass =
        1.0L / 3.0L * (d[0] * d[0] + d[1] * d[1]) +
        2.0L / 3.0L * (d[0] * d[0] + d[1] * d[1] + d[0] * d[2] + d[1] * d[3] + d[2] * d[2] + d[3] * d[3]) +
        1.5L / 3.0L * (d[2] * d[2] + d[3] * d[3]);
    return sqrtl(v2 / mass);
}

static const char four_bar_scene[] =
    "'parameters': { 'crank': 0.8, 'coupler': 2, 'rocker': 1.5, 'base': 2.2, 'k': 400, 'rest': 2.4 },"
    "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': ['base', 0], 'fixed': true },"
    "            'P': { 'at': [0.3, 0.7] }, 'Q': { 'at': [2.2, 1.4] } },"
    "'bodies': { 'a': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'length': 'crank' },"
    "            'b': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 2, 'length': 'coupler' },"
    "            'c': { 'type': 'bar', 'points': ['Q', 'B'], 'mass': 1.5, 'length': 'rocker' } },"
    "'joints': { 'diagonal': { 'type': 'spring', 'points': ['A', 'Q'], 'stiffness': 'k', 'length': 'rest' } }";

static void four_bar_modes(void **state)
{
    static const char *const names[] = { "crank", "coupler", "rocker", "base", "k", "rest" };
    linkage                  f       = { 0.8L, 2.0L, 1.5L, 2.2L, 400.0L, 2.4L };
    rig                      r       = rig_load(four_bar_scene);
    sal_equilibrium         *e       = equilibrium_of(&r, NULL, 0);
    sal_modes               *modes   = modes_of(&r, e);
    long double              at      = atan2l((long double)q_of(&r, e, "y(P)"), (long double)q_of(&r, e, "x(P)")), x[4];
    const double             omega   = (double)linkage_frequency(&f, &at);

    (void)state;
    place_linkage(&f, at, x);
    assert_true(sal_equilibrium_get_info(e).stable);
    for (int i = 0; i < 4; i++) assert_near(sal_equilibrium_q(e)[i], (double)x[i], 1e-11);
    assert_near(mode_at(modes, 0).frequency, omega, 1e-9 * omega);
    for (int i = 0; i < 6; i++) {
        long double *p = &f.crank + i, value = *p, h = 1e-3L * value, w[6], angle[6];
        double       df, dz, dx, numeric;
        for (int j = 0; j < 6; j++) {
            *p       = value + h * (j < 3 ? j - 3 : j - 2);
            angle[j] = at;
            w[j]     = linkage_frequency(&f, &angle[j]);
            angle[j] = *p == value ? 0.0L : f.crank * cosl(angle[j]);
        }
        *p      = value;
        numeric = (double)((45.0L * (w[3] - w[2]) - 9.0L * (w[4] - w[1]) + (w[5] - w[0])) / (60.0L * h));
        gradient_of(modes, e, 0, names[i], &df, &dz);
        assert_near(df, numeric, 2e-10 * fmax(fabs(numeric), 1.0));
        dx      = dq_of(&r, e, "x(P)", names[i]);
        numeric = (double)((45.0L * (angle[3] - angle[2]) - 9.0L * (angle[4] - angle[1]) + (angle[5] - angle[0])) /
                           (60.0L * h));
        assert_near(dx, numeric, 1e-9 * fmax(fabs(numeric), 1.0));
    }
    sal_modes_destroy(&modes);
    sal_equilibrium_destroy(&e);
    rig_free(&r);
}

/* The mass on a spring: up and down with k, m, c; sideways a pendulum of length l + mg/k that feels no damper. */
static void damped_oscillator(void **state)
{
    rig              r     = rig_load(HANGING);
    sal_equilibrium *e     = equilibrium_of(&r, NULL, 0);
    sal_modes       *modes = modes_of(&r, e);
    const double     m = 2.0, k = 50.0, c = 1.5, g = 9.81, L = 0.7 + m * g / k, side = sqrt(g / L), up = sqrt(k / m);
    double           df, dz;

    (void)state;
    assert_int_equal(sal_modes_count(modes), 2);
    assert_near(mode_at(modes, 0).frequency, side, 1e-12);
    assert_near(mode_at(modes, 0).damping, 0.0, 1e-13);
    assert_false(mode_at(modes, 0).unstable);
    assert_near(mode_at(modes, 0).shape[0][0], 1.0, 1e-15);
    assert_near(mode_at(modes, 1).frequency, up, 1e-12);
    assert_near(mode_at(modes, 1).damping, c / (2.0 * sqrt(k * m)), 1e-13);
    assert_near(mode_at(modes, 1).s[0], -c / (2.0 * m), 1e-13);
    assert_near(mode_at(modes, 1).s[1], sqrt(k / m - c * c / (4.0 * m * m)), 1e-12);
    assert_near(mode_at(modes, 1).shape[0][1], 1.0, 1e-15);
    assert_near(mode_at(modes, 1).mass, m, 1e-12);
    gradient_of(modes, e, 1, "k", &df, &dz);
    assert_near(df, 0.5 * up / k, 1e-13);
    assert_near(dz, -0.5 * c / (2.0 * sqrt(k * m)) / k, 1e-14);
    gradient_of(modes, e, 1, "m", &df, &dz);
    assert_near(df, -0.5 * up / m, 1e-13);
    assert_near(dz, -0.5 * c / (2.0 * sqrt(k * m)) / m, 1e-14);
    gradient_of(modes, e, 1, "c", &df, &dz);
    assert_near(df, 0.0, 1e-13);
    assert_near(dz, 1.0 / (2.0 * sqrt(k * m)), 1e-14);
    gradient_of(modes, e, 0, "k", &df, &dz); /* the equilibrium moves */
    assert_near(df, 0.5 * side / L * m * g / (k * k), 1e-13);
    gradient_of(modes, e, 0, "m", &df, &dz);
    assert_near(df, -0.5 * side / L * g / k, 1e-13);
    gradient_of(modes, e, 0, "l", &df, &dz);
    assert_near(df, -0.5 * side / L, 1e-13);
    gradient_of(modes, e, 0, "g", &df, &dz);
    assert_near(df, 0.5 * side * (1.0 / g - m / k / L), 1e-13);
    sal_modes_destroy(&modes);

    assert_int_equal(sal_equilibrium_set(e, "c", 40.0), SAL_OK); /* overdamped: s = -c/2m +- sqrt(...) */
    assert_int_equal(sal_equilibrium_find(e), SAL_OK);
    modes = modes_of(&r, e);
    assert_int_equal(sal_modes_count(modes), 3);
    assert_int_equal(mode_at(modes, 0).kind, SAL_MODE_CREEPS);
    assert_near(mode_at(modes, 0).s[0], -10.0 + sqrt(75.0), 1e-12);
    assert_near(mode_at(modes, 0).damping, 1.0, 0.0);
    assert_int_equal(mode_at(modes, 2).kind, SAL_MODE_CREEPS);
    assert_near(mode_at(modes, 2).s[0], -10.0 - sqrt(75.0), 1e-12);
    gradient_of(modes, e, 0, "c", &df, &dz); /* -ds/dc: s = (-c + sqrt(c^2 - 4 k m))/2m */
    assert_near(df, -(-1.0 + 40.0 / sqrt(1600.0 - 400.0)) / 4.0, 1e-13);
    sal_modes_destroy(&modes);
    sal_equilibrium_destroy(&e);
    rig_free(&r);
}

#define PAIR(damping)                                                                                               \
    "'parameters': { 'k': 8 }, 'gravity': [0, 0],"                                                                  \
    "'points': { 'P': { 'at': [0, 0] }, 'Q': { 'at': [1, 0] } },"                                                   \
    "'bodies': { 'p': { 'type': 'point_mass', 'point': 'P', 'mass': 1 },"                                           \
    "            'q': { 'type': 'point_mass', 'point': 'Q', 'mass': 1 } },"                                         \
    "'joints': { 's': { 'type': 'spring', 'points': ['P', 'Q'], 'stiffness': 'k', 'length': 1, 'damping': " damping \
    " } }"

/* Two masses on a spring, free in the plane: three free motions and one that oscillates, damped or not. */
static void free_motions(void **state)
{
    (void)state;
    for (int damped = 0; damped < 2; damped++) {
        rig              r     = rig_load(damped ? PAIR("0.5") : PAIR("0"));
        sal_equilibrium *e     = equilibrium_of(&r, NULL, 0);
        sal_modes       *modes = modes_of(&r, e);
        double           df, dz;
        assert_int_equal(sal_equilibrium_get_info(e).iterations, 0);
        assert_true(sal_equilibrium_get_info(e).neutral);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(mode_at(modes, k).kind, SAL_MODE_ZERO);
            assert_near(mode_at(modes, k).frequency, 0.0, 0.0);
            gradient_of(modes, e, k, "k", &df, &dz);
            assert_true(isnan(df));
        }
        assert_int_equal(mode_at(modes, 3).kind, SAL_MODE_OSCILLATES);
        assert_near(mode_at(modes, 3).frequency, 4.0, 1e-12);
        assert_near(mode_at(modes, 3).damping, damped ? 0.125 : 0.0, 1e-13); /* c/m / omega */
        gradient_of(modes, e, 3, "k", &df, &dz);
        assert_near(df, 0.25, 1e-13);
        if (damped) assert_true(sal_modes_count(modes) >= 4);
        else assert_int_equal(sal_modes_count(modes), 4);
        sal_modes_destroy(&modes);
        sal_equilibrium_destroy(&e);
        rig_free(&r);
    }
}

static const char two_pendulums[] =
    "'parameters': { 'L': 1 },"
    "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': [3, 0], 'fixed': true },"
    "            'P': { 'at': [0, -1] }, 'Q': { 'at': [3, -1] } },"
    "'bodies': { 'p': { 'type': 'point_mass', 'point': 'P', 'mass': 1 },"
    "            'q': { 'type': 'point_mass', 'point': 'Q', 'mass': 1 } },"
    "'joints': { 'a': { 'type': 'distance', 'points': ['A', 'P'], 'length': 'L' },"
    "            'b': { 'type': 'distance', 'points': ['B', 'Q'], 'length': 1 } }";

/* Two pendulums that know nothing of each other. */
static void repeated_eigenvalues(void **state)
{
    rig              r     = rig_load(two_pendulums);
    sal_equilibrium *e     = equilibrium_of(&r, NULL, 0);
    sal_modes       *modes = modes_of(&r, e);
    double           df, dz;

    (void)state;
    for (int k = 0; k < 2; k++) {
        assert_near(mode_at(modes, k).frequency, sqrt(9.81), 1e-12);
        assert_int_equal(mode_at(modes, k).repeated, 2);
        gradient_of(modes, e, k, "L", &df, &dz);
        assert_true(isnan(df));
    }
    sal_modes_destroy(&modes);
    assert_int_equal(sal_equilibrium_set(e, "L", 1.1), SAL_OK);
    assert_int_equal(sal_equilibrium_find(e), SAL_OK);
    modes = modes_of(&r, e);
    assert_int_equal(mode_at(modes, 0).repeated, 1);
    gradient_of(modes, e, 0, "L", &df, &dz);
    assert_near(df, -0.5 * sqrt(9.81 / 1.1) / 1.1, 1e-13);
    sal_modes_destroy(&modes);
    sal_equilibrium_destroy(&e);
    rig_free(&r);
}

static const char formula_scene[] = "'parameters': { 'k': 30, 'b': 200, 'c': 1.4, 'm': 2 }, 'gravity': [0, -9.81],"
                                    "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [0.1, -0.5] } },"
                                    "'bodies': { 'p': { 'type': 'point_mass', 'point': 'P', 'mass': 'm' } },"
                                    "'joints': { 's': { 'type': 'spring', 'points': ['O', 'P'],"
                                    "                   'force': 'k*length + b*length^3 + c*length*rate' } }";

/* A mass on a spring by a formula, T = k l + b l^3 + c l l': up and down it feels T' and a damper c l, sideways it is a
 * pendulum of length l. */
static void spring_by_formula(void **state)
{
    rig              r     = rig_load(formula_scene);
    sal_equilibrium *e     = equilibrium_of(&r, NULL, 0);
    sal_modes       *modes = modes_of(&r, e);
    const double     k = 30, b = 200, c = 1.4, m = 2, g = 9.81, l = -q_of(&r, e, "y(P)"), stiff = k + 3 * b * l * l;
    const double     up = sqrt(stiff / m), side = sqrt(g / l), ratio = 0.5 * c * l / sqrt(stiff * m);
    const double     dl[]     = { -l / stiff, -l * l * l / stiff, 0.0, g / stiff }; /* by k, b, c, m */
    const double     dstiff[] = { 1.0 + 6 * b * l * dl[0], 3 * l * l + 6 * b * l * dl[1], 0.0, 6 * b * l * dl[3] };
    const double     dc[] = { 0.0, 0.0, 1.0, 0.0 }, dm[] = { 0.0, 0.0, 0.0, 1.0 };
    static const char *const names[] = { "k", "b", "c", "m" };

    (void)state;
    assert_near(k * l + b * l * l * l, m * g, 1e-12);
    assert_near(mode_at(modes, 0).frequency, side, 1e-12);
    assert_near(mode_at(modes, 1).frequency, up, 1e-12);
    assert_near(mode_at(modes, 1).damping, ratio, 1e-13);
    for (int i = 0; i < 4; i++) {
        double df, dz;
        gradient_of(modes, e, 0, names[i], &df, &dz);
        assert_near(df, -0.5 * side / l * dl[i], 1e-12);
        gradient_of(modes, e, 1, names[i], &df, &dz);
        assert_near(df, 0.5 * up * (dstiff[i] / stiff - dm[i] / m), 1e-12);
        assert_near(dz, ratio * (dc[i] / c + dl[i] / l - 0.5 * dstiff[i] / stiff - 0.5 * dm[i] / m), 1e-13);
    }
    sal_modes_destroy(&modes);
    sal_equilibrium_destroy(&e);
    rig_free(&r);
}

static const char bead_scene[] =
    "'parameters': { 'a': 0.8, 'b': 0.5, 'g': 9.81 }, 'gravity': [0, '-g'],"
    "'points': { 'P': { 'at': [0.5, 0.6] } },"
    "'bodies': { 'p': { 'type': 'point_mass', 'point': 'P', 'mass': 1.7 } },"
    "'joints': { 'wire': { 'type': 'curve', 'point': 'P', 'profile': 'a*cosh(x - 0.3) - b*x' } }";

/* A bead on the curve y = f(x) = a cosh(x - x0) - b x: s^2 (1 + f'^2) + g f'' = 0 where f' = 0. */
static void bead_on_a_curve(void **state)
{
    static const char *const names[] = { "a", "b", "g" };
    rig                      r       = rig_load(bead_scene);
    sal_equilibrium         *e       = equilibrium_of(&r, NULL, 0);
    sal_modes               *modes   = modes_of(&r, e);
    const double a = 0.8, b = 0.5, g = 9.81, bend = sqrt(a * a + b * b), omega = sqrt(g * bend); /* f'' = a cosh */
    const double exact[] = { 0.5 * omega * a / (bend * bend), 0.5 * omega * b / (bend * bend), 0.5 * omega / g };

    (void)state;
    assert_near(q_of(&r, e, "x(P)"), 0.3 + asinh(b / a), 1e-12);
    assert_near(mode_at(modes, 0).frequency, omega, 1e-12);
    for (int i = 0; i < 3; i++) {
        double df, dz;
        gradient_of(modes, e, 0, names[i], &df, &dz);
        assert_near(df, exact[i], 1e-12);
        assert_near(dz, 0.0, 1e-14);
    }
    sal_modes_destroy(&modes);
    sal_equilibrium_destroy(&e);
    rig_free(&r);
}

/* Every derivative of equilibria and modes of scenes that are shipped, against equilibria found again. */
static void derivatives_by_differences(void **state)
{
    static const char *const scenes[] = { "five_bar.json", "hammer.json", "four_bar_stop.json", "newtons_cradle.json",
                                          "kicked_pendulum.json" };

    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        rig              r     = rig_scene(scenes[i]);
        sal_equilibrium *e     = equilibrium_of(&r, NULL, 0);
        sal_modes       *modes = modes_of(&r, e);
        const int        n = sal_model_get_info(r.model).coordinates, p = sal_equilibrium_wrt_count(e);
        rig_run(&r, NULL);
        for (int c = 0; c < p; c++) {
            const double x = sal_run_parameter(r.run, c), h = 1e-3 * fmax(fabs(x), 1e-2);
            double       f[6][8], z[6][8], q[6][16];
            for (int j = 0; j < 6; j++) {
                const sal_setting set   = { sal_model_parameter(r.model, c), x + h * (j < 3 ? j - 3 : j - 2) };
                sal_equilibrium  *other = equilibrium_of(&r, &set, 1);
                sal_modes        *near  = modes_of(&r, other);
                assert_int_equal(sal_modes_count(near), sal_modes_count(modes));
                for (int k = 0; k < sal_modes_count(near); k++) {
                    f[j][k] = mode_at(near, k).frequency;
                    z[j][k] = mode_at(near, k).damping;
                }
                memcpy(q[j], sal_equilibrium_q(other), sizeof(double) * (size_t)n);
                sal_modes_destroy(&near);
                sal_equilibrium_destroy(&other);
            }
#define DIFFERENCE(a, k) \
    ((45.0 * ((a)[3][k] - (a)[2][k]) - 9.0 * ((a)[4][k] - (a)[1][k]) + ((a)[5][k] - (a)[0][k])) / (60.0 * h))
            for (int k = 0; k < n; k++) {
                const double exact = sal_equilibrium_q_gradients(e)[k * p + c];
                assert_near(exact, DIFFERENCE(q, k), 1e-9 * fmax(1.0, 1.0 / fabs(x)) + 1e-9 * fabs(exact));
            }
            for (int k = 0; k < sal_modes_count(modes); k++) {
                double df[16], dz[16];
                if (mode_at(modes, k).repeated > 1) continue;
                assert_true(sal_modes_gradient(modes, k, NULL, NULL, df, dz));
                assert_near(df[c], DIFFERENCE(f, k), 1e-10 * fmax(1.0, 1.0 / fabs(x)) + 1e-10 * fabs(df[c]));
                assert_near(dz[c], DIFFERENCE(z, k), 1e-10 * fmax(1.0, 1.0 / fabs(x)) + 1e-10 * fabs(dz[c]));
            }
        }
        sal_modes_destroy(&modes);
        sal_equilibrium_destroy(&e);
        rig_free(&r);
    }
}

/* What the linearised motion says is what the motion does: one period of a small oscillation. */
static void modes_are_those_of_the_motion(void **state)
{
    rig              r     = rig_scene("five_bar.json");
    sal_equilibrium *e     = equilibrium_of(&r, NULL, 0);
    sal_modes       *modes = modes_of(&r, e);

    (void)state;
    for (int k = 0; k < 2; k++) {
        const sal_mode           mode = mode_at(modes, k);
        sal_run_opts             opts = sal_run_defaults();
        sal_setting              set[12];
        char                     name[12][32];
        const double             small    = 1e-5;
        static const char *const points[] = { "P1", "P2", "P3" };
        for (int i = 0; i < 6; i++) { /* kicked along the shape: back at its place after half a period, and a whole */
            snprintf(name[2 * i], sizeof name[0], "initial(%s.%c)", points[i / 2], i % 2 ? 'y' : 'x');
            snprintf(name[2 * i + 1], sizeof name[0], "initial(%s.v%c)", points[i / 2], i % 2 ? 'y' : 'x');
            set[2 * i]     = (sal_setting){ name[2 * i], sal_equilibrium_q(e)[i] };
            set[2 * i + 1] = (sal_setting){ name[2 * i + 1], small * mode.shape[0][i] };
        }
        opts.set      = set;
        opts.nset     = 12;
        opts.rtol     = 1e-12;
        opts.duration = 10.0;
        rig_run(&r, &opts);
        rig_to(&r, 2.0 * PI / mode.frequency);
        for (int i = 0; i < 6; i++) {
            assert_near(sal_run_q(r.run)[i], sal_equilibrium_q(e)[i], 1e-9); /* of the order of small^2 */
            assert_near(sal_run_v(r.run)[i], small * mode.shape[0][i], 1e-9);
        }
    }
    sal_modes_destroy(&modes);
    sal_equilibrium_destroy(&e);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_pendulum_modes),
        cmocka_unit_test(four_bar_modes),
        cmocka_unit_test(damped_oscillator),
        cmocka_unit_test(free_motions),
        cmocka_unit_test(repeated_eigenvalues),
        cmocka_unit_test(spring_by_formula),
        cmocka_unit_test(bead_on_a_curve),
        cmocka_unit_test(derivatives_by_differences),
        cmocka_unit_test(modes_are_those_of_the_motion),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
