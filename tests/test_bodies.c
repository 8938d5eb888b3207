/* test_bodies.c - masses, gravity, energy, springs and reactions of the bodies, against mechanics done by hand:
 * particles, angles, closed forms, and angle equations integrated by another method (support.h). */
#include "tests/support.h"

#include "engine/equations/equations.h"

/* -------------------------------------------------------------------------------- mass matrices */

typedef struct particle {
    double m, x, y; /* in the body frame */
} particle;

/* Adds the mass matrix of a particle at (x, y) of the frame on points i, j: r = p_i + (x/L) d + (y/L) R d. */
static void add_particle(double M[4][4], particle p, double L)
{
    const double a = p.x / L, b = p.y / L;
    const double row[2][4] = { { 1 - a, b, a, -b }, { -b, 1 - a, b, a } };

    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) M[i][j] += p.m * row[k][i] * row[k][j];
        }
    }
}

/* M as it stands in the matrix that is solved. */
static void read_mass(const sal_system *s, double *M)
{
    const sal_pattern *p = s->motion.pattern;
    const int          n = p->n;

    memset(M, 0, sizeof *M * (size_t)(n * n));
    for (int c = 0; c < n; c++) {
        for (int k = p->Ap[c]; k < p->Ap[c + 1]; k++) {
            const int r = p->Ai[k];
            if (r < n) M[r * n + c] = s->motion.Ax[k] / (s->motion.scale[r] * s->motion.scale[c]);
        }
    }
}

static void assert_mass(const char *body, const double expected[4][4], double tolerance)
{
    char        text[1024];
    rig         r;
    numbers     x;
    sal_system *s;
    double      M[16];

    snprintf(text, sizeof text,
             "'points': { 'P': { 'at': [0.1, 0.2] }, 'Q': { 'at': [0.9, 0.8] } }, 'bodies': { 'body': { %s } }", body);
    r = rig_load(text);
    s = numbers_make(&x, &r, NULL);
    read_mass(s, M);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) assert_near(M[4 * i + j], expected[i][j], tolerance);
    }
    numbers_free(&x);
    rig_free(&r);
}

static void mass_of_a_uniform_bar(void **state)
{
    enum { PARTICLES = 1000 };
    const double m = 3.0;
    double       M[4][4], sum[4][4] = { { 0 } };

    (void)state;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) M[i][j] = i % 2 != j % 2 ? 0.0 : i == j ? m / 3 : m / 6;
    }
    assert_mass("'type': 'bar', 'points': ['P', 'Q'], 'mass': 3", M, 1e-15);
    assert_mass("'type': 'bar', 'points': ['P', 'Q'], 'mass': 3, 'length': 0.4", M, 1e-15);
    for (int k = 0; k < PARTICLES; k++)
        add_particle(sum, (particle){ m / PARTICLES, 2.0 * (k + 0.5) / PARTICLES, 0 }, 2.0);
    /* the midpoint rule is off by m / (12 N^2) = 2.5e-7, a bar of N lumps has that much less inertia */
    assert_mass("'type': 'bar', 'points': ['P', 'Q'], 'mass': 3, 'length': 2", sum, 2.6e-7);
}

static void mass_of_particles(void **state)
{
    static const particle on_axis[] = { { 1.0, 0.1, 0 }, { 0.5, 0.7, 0 }, { 2.0, 1.3, 0 } };
    static const particle aside[]   = { { 1.0, 0.1, 0.4 }, { 0.5, -0.7, 0.2 }, { 2.0, 0.6, -0.9 }, { 0.3, 1.5, 0.8 } };
    const double          L         = 0.8;

    (void)state;
    for (int bar = 0; bar < 2; bar++) {
        const particle *p       = bar ? on_axis : aside;
        const int       count   = bar ? SAL_COUNT(on_axis) : SAL_COUNT(aside);
        double          M[4][4] = { { 0 } }, m = 0, x = 0, y = 0, I = 0;
        char            body[512];

        for (int k = 0; k < count; k++) {
            m += p[k].m;
            x += p[k].m * p[k].x;
            y += p[k].m * p[k].y;
            add_particle(M, p[k], L);
        }
        x /= m;
        y /= m;
        for (int k = 0; k < count; k++) I += p[k].m * (pow(p[k].x - x, 2) + pow(p[k].y - y, 2));
        if (bar) {
            snprintf(body, sizeof body,
                     "'type': 'bar', 'points': ['P', 'Q'], 'length': 0.8, 'mass': %.17g, 'centre': %.17g, "
                     "'inertia': %.17g",
                     m, x, I);
            assert_mass(body, M, 1e-14);
        }
        snprintf(body, sizeof body,
                 "'type': 'rigid', 'points': ['P', 'Q'], 'length': 0.8, 'mass': %.17g, 'centre': [%.17g, %.17g], "
                 "'inertia': %.17g",
                 m, x, y, I);
        assert_mass(body, M, 1e-14);
    }
}

static void masses_add_up(void **state)
{
    rig r = rig_load("'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0] }, 'Q': { 'at': [2, 0] } },"
                     "'bodies': { 'bar1': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 3 },"
                     "            'bar2': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 6 },"
                     "            'ball1': { 'type': 'point_mass', 'point': 'P', 'mass': 0.25 },"
                     "            'ball2': { 'type': 'point_mass', 'point': 'P', 'mass': 0.5 } }");
    numbers     x;
    sal_system *s = numbers_make(&x, &r, NULL);
    double      M[16];

    (void)state;
    read_mass(s, M);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            const double value = i == j ? (i < 2 ? 1.0 + 2.0 + 0.75 : 2.0) : i % 2 == j % 2 ? 1.0 : 0.0;
            assert_near(M[4 * i + j], value, 2e-15);
        }
    }
    numbers_free(&x);
    rig_free(&r);
}

/* ---------------------------------------------------------------------------- gravity and energy */

/* A body with its centre off the axis, at an angle, moving: energy m g y_c and 1/2 m v_c^2 + 1/2 I w^2; the force of
 * gravity does the work m g.dr_c under any displacement of the points. */
static void gravity_and_energy(void **state)
{
    const double m = 2.5, I = 0.3, L = 0.8, xc = 0.35, yc = -0.6, gx = 1.5, gy = -9.81;
    rig          r = rig_load("'gravity': [1.5, -9.81], 'points': { 'P': { 'at': [0, 0] }, 'Q': { 'at': [1, 0] } },"
                                       "'bodies': { 'body': { 'type': 'rigid', 'points': ['P', 'Q'], 'mass': 2.5, 'length': 0.8,"
                                       "            'centre': [0.35, -0.6], 'inertia': 0.3 } }");
    numbers      x;
    sal_system  *s = numbers_make(&x, &r, NULL);

    (void)state;
    for (int k = 0; k < 5; k++) {
        const double a = 0.9 * k, w = 1.0 + 0.5 * k, px = 0.4 - k, py = 0.3 * k, ux = 0.7, uy = -0.2 * k;
        const double c = cos(a), n = sin(a), rx = xc * c - yc * n, ry = xc * n + yc * c;
        const double q[] = { px, py, px + L * c, py + L * n }, v[] = { ux, uy, ux - w * L * n, uy + w * L * c };
        const double vx = ux - w * ry, vy = uy + w * rx;
        double       force[64] = { 0 }, da = 0.3 - k, work;

        assert_true(r.model->nz <= SAL_COUNT(force));
        sal_system_move(s, 0.0, q, v);
        assert_near(sal_system_energy(s),
                    0.5 * m * (vx * vx + vy * vy) + 0.5 * I * w * w - m * (gx * (px + rx) + gy * (py + ry)), 1e-13);
        sal_masses_gravity(r.model, s->z, s->mass, force);
        assert_near(force[0] + force[2], m * gx, 1e-14); /* a shift along x, along y, a turn about P */
        assert_near(force[1] + force[3], m * gy, 1e-13);
        work = -force[2] * L * n * da + force[3] * L * c * da;
        assert_near(work, m * (-gx * ry + gy * rx) * da, 1e-13);
    }
    numbers_free(&x);
    rig_free(&r);
}

/* Free body without gravity: momentum, angular momentum and energy stay, the centre goes straight on, the angle turns
 * evenly. */
static void free_body(void **state)
{
    const double m = 2.0, I = 0.3, xc = 0.4, yc = 0.3, w = 1.7;
    rig          r  = rig_load("'gravity': [0, 0],"
                                         "'points': { 'P': { 'at': [0.2, 0.1], 'velocity': [0.3, -0.1] },"
                                         "            'Q': { 'at': [1.2, 0.1], 'velocity': [0.3, 1.6] } },"
                                         "'bodies': { 'body': { 'type': 'rigid', 'points': ['P', 'Q'], 'mass': 2, 'length': 1,"
                                         "            'centre': [0.4, 0.3], 'inertia': 0.3 } },"
                                         "'simulation': { 'rtol': 1e-12 }");
    const double vx = 0.3 - w * yc, vy = -0.1 + w * xc; /* of the centre */
    double       spin = 0.0;

    (void)state;
    rig_run(&r, NULL);
    for (int k = 0; k <= 10; k++) {
        double        cx, cy, ux, uy, turn, now;
        const double *q, *v;

        rig_to(&r, k);
        q    = sal_run_q(r.run);
        v    = sal_run_v(r.run);
        cx   = q[0] + xc * (q[2] - q[0]) - yc * (q[3] - q[1]);
        cy   = q[1] + xc * (q[3] - q[1]) + yc * (q[2] - q[0]);
        ux   = v[0] + xc * (v[2] - v[0]) - yc * (v[3] - v[1]);
        uy   = v[1] + xc * (v[3] - v[1]) + yc * (v[2] - v[0]);
        turn = (q[2] - q[0]) * (v[3] - v[1]) - (q[3] - q[1]) * (v[2] - v[0]);
        now  = m * (cx * uy - cy * ux) + I * turn;
        if (k == 0) spin = now;
        assert_near(now, spin, 1e-10);
        assert_near(sal_run_energy(r.run), 0.5 * m * (vx * vx + vy * vy) + 0.5 * I * w * w, 1e-11);
        assert_near(ux, vx, 1e-11);
        assert_near(uy, vy, 1e-11);
        assert_near(cx, 0.2 + xc + vx * k, 1e-10);
        assert_near(cy, 0.1 + yc + vy * k, 1e-10);
        assert_near(q[2] - q[0], cos(w * k), 1e-10);
        assert_near(q[3] - q[1], sin(w * k), 1e-10);
        assert_near(turn, w, 1e-11);
    }
    rig_free(&r);
}

/* ----------------------------------------------------------------------------- angle equations */

/* A body of mass m and centre (x, y) that turns about a support S(t): with rho the centre from S,
 *     (I + m r^2) theta'' = rho x (m g - m S''),   S = (ax sin(wx t), ay cos(wy t)) */
typedef struct swing {
    double m, I, x, y, ax, wx, ay, wy;
} swing;

static void swing_rate(const void *self, double t, const double *y, double *dy)
{
    const swing *s = self;
    const double c = cos(y[0]), n = sin(y[0]), rx = s->x * c - s->y * n, ry = s->x * n + s->y * c;
    const double fx = s->ax * s->wx * s->wx * sin(s->wx * t), fy = -9.81 + s->ay * s->wy * s->wy * cos(s->wy * t);

    dy[0] = y[1];
    dy[1] = s->m * (rx * fy - ry * fx) / (s->I + s->m * (s->x * s->x + s->y * s->y));
}

/* The run's body frame from `support` to P, length 1, against the angle equation; the angle begins at theta, at rest.
 */
static void assert_swing(const char *bodies, const char *support, swing s, double theta, double tolerance)
{
    char   text[2048];
    double y[2] = { theta, 0.0 };
    rig    r;

    /* P starts with the velocity of the support: the body does not turn */
    snprintf(text, sizeof text,
             "'points': { 'S': { 'at': %s, 'fixed': true }, 'P': { 'at': [%.17g, %.17g], 'velocity': [%.17g, 0] } },"
             "%s, 'simulation': { 'rtol': 1e-12, 'duration': 5 }",
             support, cos(theta), s.ay + sin(theta), s.ax * s.wx, bodies);
    r = rig_load(text);
    rig_run(&r, NULL);
    for (int k = 1; k <= 10; k++) {
        double p[2], at[2], v[2], u[2];
        rk4(swing_rate, &s, 0.5 * (k - 1), 0.5 * k, 5000, 2, y);
        rig_to(&r, 0.5 * k);
        assert_int_equal(sal_run_point(r.run, "S", at, u), SAL_OK);
        assert_int_equal(sal_run_point(r.run, "P", p, v), SAL_OK);
        assert_near(at[0], s.ax * sin(s.wx * 0.5 * k), 1e-15);
        assert_near(at[1], s.ay * cos(s.wy * 0.5 * k), 1e-15);
        assert_near(p[0] - at[0], cos(y[0]), tolerance);
        assert_near(p[1] - at[1], sin(y[0]), tolerance);
        assert_near(v[0] - u[0], -y[1] * sin(y[0]), 10 * tolerance);
        assert_near(v[1] - u[1], y[1] * cos(y[0]), 10 * tolerance);
    }
    rig_free(&r);
}

static void compound_pendulum(void **state)
{
    (void)state;
    assert_swing("'bodies': { 'body': { 'type': 'rigid', 'points': ['S', 'P'], 'mass': 2, 'length': 1,"
                 "            'centre': [0.4, -0.3], 'inertia': 0.15 } }",
                 "[0, 0]", (swing){ .m = 2, .I = 0.15, .x = 0.4, .y = -0.3 }, 0.7, 1e-10);
    assert_swing("'bodies': { 'bar': { 'type': 'bar', 'points': ['S', 'P'], 'mass': 2, 'length': 1 } }", "[0, 0]",
                 (swing){ .m = 2, .I = 2.0 / 12, .x = 0.5 }, 0.7, 1e-10);
    assert_swing("'bodies': { 'bar': { 'type': 'bar', 'points': ['P', 'S'], 'mass': 2, 'length': 1, 'centre': 0.2,"
                 "            'inertia': 0.1 } }", /* from the other end */
                 "[0, 0]", (swing){ .m = 2, .I = 0.1, .x = 0.8 }, 0.7, 1e-10);
}

static void moving_support(void **state)
{
    const swing rod = { .m = 1, .x = 1, .ax = 0.1, .wx = 3 };
    swing       s   = { .m = 2, .I = 0.15, .x = 0.4, .y = -0.3, .ax = 0.1, .wx = 3, .ay = 0.05, .wy = 7 };

    (void)state;
    assert_swing("'bodies': { 'ball': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                 "'joints': { 'rod': { 'type': 'distance', 'points': ['S', 'P'], 'length': 1 } }",
                 "['0.1*sin(3*t)', 0]", rod, -1.0, 1e-10);
    assert_swing("'bodies': { 'bar': { 'type': 'bar', 'points': ['S', 'P'], 'mass': 4, 'length': 1 } }",
                 "['0.1*sin(3*t)', 0]", (swing){ .m = 4, .I = 4.0 / 12, .x = 0.5, .ax = 0.1, .wx = 3 }, -1.0, 1e-10);
    /* inertia couples the driven point to the free one, with the centre aside in both directions */
    assert_swing("'bodies': { 'body': { 'type': 'rigid', 'points': ['S', 'P'], 'mass': 2, 'length': 1,"
                 "            'centre': [0.4, -0.3], 'inertia': 0.15 } }",
                 "['0.1*sin(3*t)', '0.05*cos(7*t)']", s, -1.0, 1e-10);
    s.x = 0.6; /* seen from P, the frame points to S: x from S is 1 - 0.4, y the other way round */
    s.y = 0.3;
    assert_swing("'bodies': { 'body': { 'type': 'rigid', 'points': ['P', 'S'], 'mass': 2, 'length': 1,"
                 "            'centre': [0.4, -0.3], 'inertia': 0.15 } }",
                 "['0.1*sin(3*t)', '0.05*cos(7*t)']", s, -1.0, 1e-10);
}

/* Period by the arithmetic-geometric mean, T = 2 pi sqrt(I_A / (m g r)) / agm(1, cos(theta0 / 2)): there the body is
 * back. */
static void period_of_a_compound_pendulum(void **state)
{
    const double m = 2, I = 0.15, xc = 0.4, yc = -0.3, radius = 0.5, amplitude = 2.0;
    const double angle = -PI / 2 + amplitude - atan2(yc, xc); /* of the frame */
    char         text[1024];
    double       a = 1.0, b = cos(amplitude / 2), period;
    rig          r;

    (void)state;
    for (int k = 0; k < 8; k++) {
        const double mean = 0.5 * (a + b);
        b                 = sqrt(a * b);
        a                 = mean;
    }
    period = 2 * PI * sqrt((I + m * radius * radius) / (m * 9.81 * radius)) / a;
    snprintf(text, sizeof text,
             "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [%.17g, %.17g] } },"
             "'bodies': { 'body': { 'type': 'rigid', 'points': ['A', 'P'], 'mass': 2, 'length': 1,"
             "            'centre': [0.4, -0.3], 'inertia': 0.15 } }, 'simulation': { 'rtol': 1e-12 }",
             cos(angle), sin(angle));
    r = rig_load(text);
    rig_run(&r, NULL);
    for (int k = 1; k <= 4; k++) {
        rig_to(&r, k * period);
        assert_near(sal_run_q(r.run)[0], cos(angle), 1e-9);
        assert_near(sal_run_q(r.run)[1], sin(angle), 1e-9);
        assert_near(sal_run_v(r.run)[0], 0.0, 1e-9);
        assert_near(sal_run_v(r.run)[1], 0.0, 1e-9);
    }
    rig_free(&r);
}

/* ------------------------------------------------------------------------------------- reactions */

static void reactions_at_rest(void **state)
{
    rig r =
        rig_load("'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': [3, 0], 'fixed': true },"
                 "            'P': { 'at': [0, 0] }, 'Q': { 'at': [0, -1] }, 'R': { 'at': [3, 0] },"
                 "            'S': { 'at': [3, -2] }, 'W': { 'at': [6, -0.5] }, 'C': { 'at': [6, 0], 'fixed': true },"
                 "            'X': { 'at': [9.3, -0.4] }, 'D': { 'at': [9, 0], 'fixed': true },"
                 "            'E': { 'at': [10, 0], 'fixed': true } },"
                 "'bodies': { 'one': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 2 },"
                 "            'two': { 'type': 'bar', 'points': ['R', 'S'], 'mass': 3 },"
                 "            'ball': { 'type': 'point_mass', 'point': 'W', 'mass': 4 },"
                 "            'knot': { 'type': 'point_mass', 'point': 'X', 'mass': 5 } },"
                 "'joints': { 'first':  { 'type': 'revolute', 'points': ['P', 'A'] },"
                 "            'second': { 'type': 'revolute', 'points': ['B', 'R'] },"
                 "            'rod':    { 'type': 'distance', 'points': ['C', 'W'], 'length': 0.5 },"
                 "            'left':   { 'type': 'distance', 'points': ['D', 'X'], 'length': 0.5 },"
                 "            'right':  { 'type': 'distance', 'points': ['X', 'E'], 'length': 'sqrt(0.65)' } }");
    const double *l;
    double        left, right;

    (void)state;
    rig_run(&r, NULL);
    l = sal_run_lambda(r.run);
    /* lambda is what the pin does to the first point: it holds P up; of the second pin it is what the ground at B
     * feels */
    assert_near(l[rig_row(&r, "first.x")], 0.0, 1e-13);
    assert_near(l[rig_row(&r, "first.y")], 2 * 9.81, 1e-12);
    assert_near(l[rig_row(&r, "second.x")], 0.0, 1e-13);
    assert_near(l[rig_row(&r, "second.y")], -3 * 9.81, 1e-12);
    /* rods: 2 L lambda is the tension */
    assert_near(2 * 0.5 * l[rig_row(&r, "rod")], 4 * 9.81, 1e-12);
    left  = 2 * 0.5 * l[rig_row(&r, "left")];
    right = 2 * sqrt(0.65) * l[rig_row(&r, "right")];
    assert_near(-left * 0.3 / 0.5 + right * 0.7 / sqrt(0.65), 0.0, 1e-12); /* two cords hold a weight */
    assert_near(left * 0.4 / 0.5 + right * 0.4 / sqrt(0.65), 5 * 9.81, 1e-12);
    for (int k = 0; k < r.model->n; k++) assert_near(sal_run_a(r.run)[k], 0.0, 1e-12);
    rig_free(&r);
}

/* In motion: a pendulum's tension is m v^2/L - m g.e; a turning bar pulls at its pin with m w^2 L/2. */
static void reactions_in_motion(void **state)
{
    const double m = 1.5, L = 0.7;
    rig          r = rig_load("'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [0.7, 0] } },"
                                       "'bodies': { 'ball': { 'type': 'point_mass', 'point': 'P', 'mass': 1.5 } },"
                                       "'joints': { 'rod': { 'type': 'distance', 'points': ['A', 'P'], 'length': 0.7 } },"
                                       "'simulation': { 'rtol': 1e-12 }");

    (void)state;
    rig_run(&r, NULL);
    for (int k = 0; k <= 20; k++) {
        double        speed, tension;
        const double *q, *v;
        rig_to(&r, 0.1 * k);
        q       = sal_run_q(r.run);
        v       = sal_run_v(r.run);
        speed   = v[0] * v[0] + v[1] * v[1];
        tension = m * speed / L + m * 9.81 * -q[1] / L;
        assert_near(2 * L * sal_run_lambda(r.run)[0], tension, 1e-11);
        assert_near(speed, -2 * 9.81 * q[1], 1e-10);
    }
    rig_free(&r);

    r = rig_load("'gravity': [0, 0], 'points': { 'A': { 'at': [0, 0], 'fixed': true },"
                 "'P': { 'at': [0, 0] }, 'Q': { 'at': [2, 0], 'velocity': [0, 6] } },"
                 "'bodies': { 'bar': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 4 } },"
                 "'joints': { 'pin': { 'type': 'revolute', 'points': ['P', 'A'] } }, 'simulation': { 'rtol': 1e-12 }");
    rig_run(&r, NULL);
    for (int k = 0; k <= 10; k++) { /* w = 3 */
        rig_to(&r, 0.3 * k);
        assert_near(sal_run_lambda(r.run)[rig_row(&r, "pin.x")], -4 * 9.0 * cos(0.9 * k), 1e-9);
        assert_near(sal_run_lambda(r.run)[rig_row(&r, "pin.y")], -4 * 9.0 * sin(0.9 * k), 1e-9);
    }
    rig_free(&r);
}

/* --------------------------------------------------------------------------------------- springs */

/* Two bodies, spring and damper between markers at their centres: the length is a damped oscillator of the reduced
 * mass. */
static void damped_oscillator(void **state)
{
    const double k = 40, c = 1.2, rest = 1.0, mu = 1.0 * 3.0 / 4.0, start = 1.3; /* l0, reduced mass, l(0) */
    const double d = c / (2 * mu), w = sqrt(k / mu - d * d);
    rig          r = rig_load("'gravity': [0, 0],"
                                       "'points': { 'P': { 'at': [0, 0] }, 'Q': { 'at': [0, 1] }, 'R': { 'at': [2, 0] },"
                                       "            'S': { 'at': [2, 2] } },"
                                       "'bodies': { 'one': { 'type': 'rigid', 'points': ['P', 'Q'], 'mass': 1, 'inertia': 0.1,"
                                       "              'centre': [0.5, -0.2], 'markers': { 'M': [0.5, -0.2] } },"
                                       "            'two': { 'type': 'rigid', 'points': ['R', 'S'], 'mass': 3, 'inertia': 0.1,"
                                       "              'centre': [0.5, 0.5], 'markers': { 'N': [0.5, 0.5] } } },"
                                       "'joints': { 'spring': { 'type': 'spring', 'points': ['M', 'N'], 'stiffness': 40,"
                                       "            'damping': 1.2, 'length': 1 } }, 'simulation': { 'rtol': 1e-12 }");

    (void)state;
    rig_run(&r, NULL);
    for (int i = 0; i <= 20; i++) {
        const double t = 0.1 * i, decay = (start - rest) * exp(-d * t);
        const double rate = -decay * (w + d * d / w) * sin(w * t), off = decay * (cos(w * t) + d / w * sin(w * t));
        double       p[2], q[2], u[2], v[2];

        rig_to(&r, t);
        sal_run_point(r.run, "M", p, u);
        sal_run_point(r.run, "N", q, v);
        assert_near(q[0] - p[0], rest + off, 1e-11);
        assert_near(v[0] - u[0], rate, 1e-10);
        assert_near(q[1] - p[1], 0.0, 1e-13);
        assert_near(sal_run_energy(r.run), 0.5 * mu * rate * rate + 0.5 * k * off * off, 1e-10);
    }
    rig_free(&r);
}

/* A spring that pulls a free body at a marker aside of the centre: a_c = f/m, w' = (r x f)/I; the fixed end is a
 * point. */
static void spring_off_centre(void **state)
{
    rig r = rig_load("'gravity': [0, 0],"
                     "'points': { 'A': { 'at': [1, 4], 'fixed': true }, 'P': { 'at': [0, 0], 'velocity': [0.5, 0] },"
                     "            'Q': { 'at': [0.6, 0.8], 'velocity': [-0.3, 0.6] } },"
                     "'bodies': { 'body': { 'type': 'rigid', 'points': ['P', 'Q'], 'mass': 2, 'inertia': 0.4,"
                     "            'centre': [0.3, -0.1], 'markers': { 'M': [1.5, 0.7] } } },"
                     "'joints': { 'spring': { 'type': 'spring', 'points': ['M', 'A'], 'stiffness': 7, 'damping': 3,"
                     "            'length': 0.5 } }");
    /* angle with cos 0.6, sin 0.8, w = 1; centre and marker from P */
    const double  cx = 0.3 * 0.6 + 0.1 * 0.8, cy = 0.3 * 0.8 - 0.1 * 0.6, w = 1.0;
    const double  mx = 1.5 * 0.6 - 0.7 * 0.8, my = 1.5 * 0.8 + 0.7 * 0.6;
    const double  ex = 1 - mx, ey = 4 - my, l = sqrt(ex * ex + ey * ey), vx = 0.5 - w * my, vy = w * mx;
    const double  f = 7 * (l - 0.5) + 3 * -(ex * vx + ey * vy) / l, fx = f * ex / l, fy = f * ey / l;
    const double  turn = ((mx - cx) * fy - (my - cy) * fx) / 0.4;
    const double *a;

    (void)state;
    rig_run(&r, NULL);
    a = sal_run_a(r.run);
    /* a_P = a_c - turn x c + w^2 c, likewise Q */
    assert_near(a[0], fx / 2 + turn * cy + w * w * cx, 1e-12);
    assert_near(a[1], fy / 2 - turn * cx + w * w * cy, 1e-12);
    assert_near(a[2], fx / 2 - turn * (0.8 - cy) - w * w * (0.6 - cx), 1e-12);
    assert_near(a[3], fy / 2 + turn * (0.6 - cx) - w * w * (0.8 - cy), 1e-12);
    rig_free(&r);
}

/* A spring of no length has no direction: no force, and nothing that is not finite. */
static void spring_without_length(void **state)
{
    rig r = rig_load("'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [0, 0] } },"
                     "'bodies': { 'ball': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
                     "'joints': { 'spring': { 'type': 'spring', 'points': ['A', 'P'], 'stiffness': 8, 'damping': 1 } },"
                     "'simulation': { 'rtol': 1e-12 }");

    (void)state;
    rig_run(&r, NULL);
    assert_near(sal_run_a(r.run)[0], 0.0, 0.0);
    assert_near(sal_run_a(r.run)[1], -9.81, 1e-14);
    assert_near(sal_run_energy(r.run), 0.0, 0.0);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_of_a_uniform_bar),
        cmocka_unit_test(mass_of_particles),
        cmocka_unit_test(masses_add_up),
        cmocka_unit_test(gravity_and_energy),
        cmocka_unit_test(free_body),
        cmocka_unit_test(compound_pendulum),
        cmocka_unit_test(moving_support),
        cmocka_unit_test(period_of_a_compound_pendulum),
        cmocka_unit_test(reactions_at_rest),
        cmocka_unit_test(reactions_in_motion),
        cmocka_unit_test(damped_oscillator),
        cmocka_unit_test(spring_off_centre),
        cmocka_unit_test(spring_without_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
