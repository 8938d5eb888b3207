/* test_mechanisms.c - mechanisms against published numbers and against their own closed forms.
 *
 * A mechanism with one input theta is known by where its points are at theta. Here that comes from circles that meet and
 * triangles, the motion and the force of the motor from Eksergian's equation,
 *
 *     Q = J theta'' + 1/2 J' theta'^2 + V',    J = sum of m/3 (a'.a' + a'.b' + b'.b') over bars a-b,    ' = d/dtheta
 *
 * with derivatives by differences of order eight: nothing of it is shared with the engine. */
#include "tests/contact_checks.h"
#include "tests/support.h"

/* ---------------------------------------------------------------------------------------- linkages */

enum { PLACES = 12 };

typedef struct bar { /* a uniform bar, or a point mass where both ends are the same */
    int    a, b;
    double mass;
} bar;

typedef struct linkage {
    void (*place)(double theta, double (*p)[2]);
    const bar *bars;
    int        points, count;
    double     inertia; /* of what turns with theta about its own centre */
    double     gravity;
} linkage;

typedef struct eksergian {
    double J, dJ, V, dV;
} eksergian;

static eksergian eksergian_at(const linkage *l, double theta)
{
    static const double first[]  = { 0.0, 4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0 };
    static const double second[] = { -205.0 / 72.0, 8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0 };
    const double        h        = 0.005;
    double              p[9][PLACES][2], d1[PLACES][2] = { 0 }, d2[PLACES][2] = { 0 };
    eksergian           e = { .J = l->inertia };

    for (int s = -4; s <= 4; s++) l->place(theta + s * h, p[s + 4]);
    for (int i = 0; i < l->points; i++) {
        for (int c = 0; c < 2; c++) {
            d2[i][c] = second[0] * p[4][i][c] / (h * h);
            for (int s = 1; s <= 4; s++) {
                d1[i][c] += first[s] * (p[4 + s][i][c] - p[4 - s][i][c]) / h;
                d2[i][c] += second[s] * (p[4 + s][i][c] + p[4 - s][i][c]) / (h * h);
            }
        }
    }
    for (int k = 0; k < l->count; k++) {
        const int    a = l->bars[k].a, b = l->bars[k].b;
        const double m = l->bars[k].mass;
        for (int c = 0; c < 2; c++) {
            e.J += m / 3.0 * (d1[a][c] * d1[a][c] + d1[a][c] * d1[b][c] + d1[b][c] * d1[b][c]);
            e.dJ += m / 3.0 *
                    (2.0 * d1[a][c] * d2[a][c] + d1[a][c] * d2[b][c] + d2[a][c] * d1[b][c] + 2.0 * d1[b][c] * d2[b][c]);
        }
        e.V += 0.5 * m * l->gravity * (p[4][a][1] + p[4][b][1]);
        e.dV += 0.5 * m * l->gravity * (d1[a][1] + d1[b][1]);
    }
    return e;
}

/* Force or torque of a motor that leads theta. */
static double motor(const linkage *l, double theta, double rate, double acceleration)
{
    const eksergian e = eksergian_at(l, theta);

    return e.J * acceleration + 0.5 * e.dJ * rate * rate + e.dV;
}

/* Without a motor. */
static void run_free(const void *self, double t, const double *y, double *dy)
{
    const eksergian e = eksergian_at(self, y[0]);

    (void)t;
    dy[0] = y[1];
    dy[1] = -(0.5 * e.dJ * y[1] * y[1] + e.dV) / e.J;
}

static void put(double *p, double x, double y)
{
    p[0] = x;
    p[1] = y;
}

static void polar(double *p, const double *from, double r, double angle)
{
    put(p, from[0] + r * cos(angle), from[1] + r * sin(angle));
}

/* --------------------------------------------------------------------------------------- the runs */

static double output(const rig *r, const char *name)
{
    for (int k = 0; k < sal_model_get_info(r->model).outputs; k++) {
        if (!strcmp(sal_model_output(r->model, k), name)) return sal_run_output(r->run, k);
    }
    fail_msg("no output %s", name);
    return NAN;
}

static void start(rig *r, double rtol, double duration)
{
    sal_run_opts opts = sal_run_defaults();

    opts.rtol     = rtol;
    opts.atol     = rtol;
    opts.duration = duration;
    rig_run(r, &opts);
}

#define NEAR_POINT(r, name, expected, tolerance)                                             \
    do {                                                                                     \
        double at_[2];                                                                       \
        assert_int_equal(sal_run_point((r)->run, name, at_, NULL), SAL_OK);                  \
        assert_near_at(at_[0], (expected)[0], tolerance, "x(" name ")", __FILE__, __LINE__); \
        assert_near_at(at_[1], (expected)[1], tolerance, "y(" name ")", __FILE__, __LINE__); \
    } while (0)

/* ------------------------------------------------------------------------------ Andrews' mechanism */

/* Angles and rates at 0.03 s. Those published in the IVP Test Set; and the same equations in the seven angles with
 * quadruple precision (classical Runge-Kutta, 40000 and 80000 steps extrapolated, good to 1e-12), which show that the
 * rates published are off by up to 5.1e-8 of themselves, and the angles by 2.8e-10. */
static void test_andrews(void **state)
{
    static const char *const wrt[]         = { "c0", "l0", "mom" };
    static const double      published[14] = {
             15.81077119629904,  -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
             0.5347301163226948, 1.048080741042263,  1139.920302151208,   -1424.379294994111,  11.03291221937134,
             19.29337464421385,  0.5735699284790808, -19.29337464421385,  0.3231791658026955,
    };
    static const double precise[14] = {
        15.810771195153707,  -15.756371058411839, 0.040822240119645805, -0.53473011634207959, 0.52440996587995407,
        0.53473011634207959, 1.0480807410419379,  1139.9203022591061,   -1424.3792951775401,  11.032911910618596,
        19.293374105032045,  0.57356991482950258, -19.293374105032045,  0.32317914924913092,
    };
    rig          r    = rig_scene("andrews.json");
    sal_run_opts opts = sal_run_defaults();

    (void)state;
    rig_run(&r, NULL);
    rig_to(&r, 0.03);
    for (int k = 0; k < 14; k++) { /* as the scene has it */
        assert_near(sal_run_output(r.run, k) / published[k], 1.0, k < 7 ? 1e-9 : 1e-7);
        if (k >= 7) assert_near(sal_run_output(r.run, k), published[k], 1e-9 * fabs(published[8])); /* of the largest */
        assert_near(sal_run_output(r.run, k) / precise[k], 1.0, k < 7 ? 1e-10 : 1e-8);
    }
    start(&r, 1e-13, -1.0);
    rig_to(&r, 0.03);
    for (int k = 0; k < 14; k++) assert_near(sal_run_output(r.run, k) / precise[k], 1.0, k < 7 ? 1e-11 : 1e-9);
    opts.form = SAL_PENALTY;
    rig_run(&r, &opts);
    rig_to(&r, 0.03);
    for (int k = 0; k < 14; k++) assert_near(sal_run_output(r.run, k) / precise[k], 1.0, k < 7 ? 1e-8 : 1e-6);
    rig_verify(&r, with_respect_to(wrt, SAL_COUNT(wrt)), "andrews.json");
    rig_free(&r);
}

/* ---------------------------------------------------------------------------------------- car axis */

static void test_car_axis(void **state)
{
    static const double q[4] = { 0.0493455784275402809, 0.496989460230171154, 1.04174252488542152,
                                 0.373911027265361257 };
    static const double v[4] = { -0.0770583684040972358, 0.00744686658723778553, 0.0175568157537232222,
                                 0.770341043779251976 };
    rig                 r    = rig_scene("car_axis.json");

    (void)state;
    rig_run(&r, NULL);
    rig_to(&r, 3.0);
    for (int k = 0; k < 4; k++) {
        assert_near(sal_run_q(r.run)[k], q[k], 1e-9);
        assert_near(sal_run_v(r.run)[k], v[k], 1e-8);
    }
    rig_free(&r);
}

/* --------------------------------------------------------------------------------- double pendulum */

static void two_bars(const void *self, double t, const double *y, double *dy)
{
    const double L1 = 0.6, L2 = 0.4, m1 = 1.2, m2 = 0.7, g = 9.81;
    const double A = (m1 / 3.0 + m2) * L1 * L1, B = 0.5 * m2 * L1 * L2, C = m2 * L2 * L2 / 3.0;
    const double c = cos(y[0] - y[1]), s = sin(y[0] - y[1]);
    double       a[4] = { A, B * c, B * c, C };
    double       b[2] = { -B * s * y[3] * y[3] - (0.5 * m1 + m2) * g * L1 * sin(y[0]),
                          B * s * y[2] * y[2] - 0.5 * m2 * g * L2 * sin(y[1]) };

    (void)self;
    (void)t;
    dense_solve(2, a, b);
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = b[0];
    dy[3] = b[1];
}

static void test_double_pendulum(void **state)
{
    rig    r    = rig_scene("double_pendulum.json");
    double y[4] = { 0.5 * PI, 2.0, 0.0, 0.0 };

    (void)state;
    start(&r, 1e-12, -1.0);
    for (int k = 0; k < 6; k++) {
        rk4(two_bars, NULL, 0.5 * k, 0.5 * (k + 1), 20000, 4, y);
        rig_to(&r, 0.5 * (k + 1));
        assert_near(output(&r, "angle1"), y[0], 1e-9);
        assert_near(output(&r, "angle2"), y[1], 1e-9);
        assert_near(output(&r, "rate1"), y[2], 1e-8);
        assert_near(output(&r, "rate2"), y[3], 1e-8);
    }
    assert_near(y[1], -2.0 * PI, 2.0 * PI); /* somewhere, turns and all */
    assert_near(sal_run_get_stats(r.run).energy_drift, 0.0, 1e-10);
    rig_free(&r);
}

/* ---------------------------------------------------------------------------------------- four-bar */

enum { O, A, B, C, D, E };

static void four_bar(double theta, double (*p)[2])
{
    put(p[O], 0.0, 0.0);
    put(p[C], 0.8, 0.0);
    polar(p[A], p[O], 0.3, theta);
    circles_meet(p[A], 0.9, p[C], 0.7, 1.0, p[B]);
}

static void test_four_bar(void **state)
{
    static const bar     bars[] = { { O, A, 0.6 }, { A, B, 1.8 }, { C, B, 1.4 } };
    static const linkage l      = { four_bar, bars, 4, SAL_COUNT(bars), 0.0, 9.81 };
    rig                  r      = rig_scene("four_bar.json");

    (void)state;
    start(&r, 1e-12, -1.0);
    for (int k = 0; k < 20; k++) {
        const double t = 0.02 * PI * k, theta = 0.5 * PI + 5.0 * t;
        double       p[PLACES][2], angle;
        four_bar(theta, p);
        rig_to(&r, t);
        NEAR_POINT(&r, "B", p[B], 1e-12);
        angle = atan2(p[B][1], p[B][0] - 0.8);
        assert_near(output(&r, "rocker_angle"), angle, 1e-12);
        /* Freudenstein's equation of the two angles */
        assert_near(0.8 / 0.3 * cos(angle) - 0.8 / 0.7 * cos(theta) + (0.09 - 0.81 + 0.49 + 0.64) / (2.0 * 0.3 * 0.7) -
                        cos(theta - angle),
                    0.0, 1e-12);
        angle = atan2(p[B][1] - p[A][1], p[B][0] - p[A][0]);
        assert_near(output(&r, "x_K"), p[A][0] + 0.45 * cos(angle) - 0.25 * sin(angle), 1e-12);
        assert_near(output(&r, "y_K"), p[A][1] + 0.45 * sin(angle) + 0.25 * cos(angle), 1e-12);
        assert_near(output(&r, "torque"), motor(&l, theta, 5.0, 0.0), 1e-8);
    }
    rig_free(&r);
}

/* ------------------------------------------------------------------------------------ slider-crank */

static void slider_crank(double theta, double (*p)[2])
{
    put(p[O], 0.0, 0.0);
    polar(p[A], p[O], 0.05, theta);
    put(p[B], p[A][0] + sqrt(0.16 * 0.16 - p[A][1] * p[A][1]), 0.0);
}

/* The piston follows the crank, and the speed of the flywheel follows from the energy, at any angle. */
static void test_slider_crank(void **state)
{
    static const bar     bars[] = { { A, B, 0.6 }, { B, B, 0.8 } };
    static const linkage l      = { slider_crank, bars, 3, SAL_COUNT(bars), 0.01, 9.81 };
    rig                  r      = rig_scene("slider_crank.json");
    double               y[2]   = { 0.5, 40.0 };
    const eksergian      first  = eksergian_at(&l, y[0]);

    (void)state;
    start(&r, 1e-12, -1.0);
    for (int k = 1; k <= 20; k++) {
        double    p[PLACES][2];
        eksergian e;
        rk4(run_free, &l, 0.02 * (k - 1), 0.02 * k, 400, 2, y);
        rig_to(&r, 0.02 * k);
        assert_near(output(&r, "angle"), y[0], 1e-9);
        slider_crank(output(&r, "angle"), p);
        assert_near(output(&r, "stroke"), p[B][0], 1e-14);
        NEAR_POINT(&r, "H", ((double[]){ p[B][0] + 0.08, 0.0 }), 1e-14);
        e = eksergian_at(&l, output(&r, "angle"));
        assert_near(output(&r, "rate"), sqrt((first.J * 1600.0 + 2.0 * first.V - 2.0 * e.V) / e.J), 1e-8);
    }
    assert_near(output(&r, "angle"), 16.0, 1.0); /* two and a half turns */
    assert_near(sal_run_get_stats(r.run).energy_drift, 0.0, 1e-10);
    rig_free(&r);
}

/* ------------------------------------------------------------------------------------ quick return */

static void quick_return(double theta, double (*p)[2]) /* C is the lever's pivot, D its end, E the ram */
{
    put(p[O], 0.0, 0.0);
    put(p[C], 0.0, -0.04);
    polar(p[A], p[O], 0.1, theta);
    polar(p[D], p[C], 0.08, atan2(p[A][1] - p[C][1], p[A][0] - p[C][0]));
    put(p[E], p[D][0] + sqrt(0.09 - (p[D][1] - p[C][1]) * (p[D][1] - p[C][1])), -0.04);
}

/* The ram turns round where the lever is level: the crank pin is as high as the lever's pivot. */
static void test_quick_return(void **state)
{
    static const bar     bars[] = { { O, A, 0.5 }, { C, D, 0.4 }, { D, E, 0.6 }, { E, E, 2.0 } };
    static const linkage l      = { quick_return, bars, 6, SAL_COUNT(bars), 0.0, 9.81 };
    const double         forth = PI + 2.0 * asin(0.4), back = PI - 2.0 * asin(0.4);
    rig                  r = rig_scene("quick_return.json");
    double               turn[4];
    int                  turns = 0;

    (void)state;
    start(&r, 1e-12, -1.0);
    for (int k = 1; k < 40;) {
        const double t = PI * k / 40.0;
        double       p[PLACES][2];
        if (sal_run_to(r.run, t) == SAL_EVENT) {
            assert_true(turns < 4);
            turn[turns++] = sal_run_time(r.run);
            assert_near(output(&r, "ram"), turns % 2 ? 0.3 - 0.08 : 0.3 + 0.08, 1e-12);
            continue;
        }
        quick_return(0.5 * PI + 4.0 * t, p);
        NEAR_POINT(&r, "C", p[D], 1e-12);
        NEAR_POINT(&r, "D", p[E], 1e-12);
        assert_near(output(&r, "torque"), motor(&l, 0.5 * PI + 4.0 * t, 4.0, 0.0), 1e-8);
        k++;
    }
    assert_int_equal(turns, 4);
    assert_near(turn[1] - turn[0], back / 4.0, 1e-10);
    assert_near(turn[2] - turn[1], forth / 4.0, 1e-10);
    assert_near((turn[2] - turn[1]) / (turn[3] - turn[2]), forth / back, 1e-9); /* 1.71 */
    rig_free(&r);
}

/* ------------------------------------------------------------------------------------ scissor lift */

static void scissor(double width, double (*p)[2]) /* A1, B1, A2, B2, A3, B3, T3 */
{
    const double h = sqrt(1.6 * 1.6 - width * width);

    for (int k = 0; k < 3; k++) {
        put(p[2 * k], 0.0, k * h);
        put(p[2 * k + 1], width, k * h);
    }
    put(p[6], 1.6, 2.0 * h);
}

static void test_scissor_lift(void **state)
{
    static const bar     bars[] = { { 0, 3, 8.0 }, { 2, 1, 8.0 }, { 2, 5, 8.0 }, { 4, 3, 8.0 }, { 4, 6, 120.0 } };
    static const linkage l      = { scissor, bars, 7, SAL_COUNT(bars), 0.0, 9.81 };
    rig                  r      = rig_scene("scissor_lift.json");

    (void)state;
    start(&r, 1e-12, 4.0); /* to where it stands still */
    for (int k = 0; k <= 20; k++) {
        const double s = k / 20.0, w = 2.0 * PI * s;
        const double width = 1.5 - 0.6 * (s - sin(w) / (2.0 * PI)), rate = -0.6 * (1.0 - cos(w)) / 4.0;
        const double pull = -motor(&l, width, rate, -0.6 * 2.0 * PI * sin(w) / 16.0);
        double       p[PLACES][2];
        rig_to(&r, 4.0 * s);
        scissor(width, p);
        NEAR_POINT(&r, "B3", p[5], 1e-12);
        assert_near(output(&r, "height"), p[4][1], 1e-12);
        assert_near(output(&r, "tilt"), 0.0, 1e-12);
        assert_near(output(&r, "pull") / pull, 1.0, 2e-9);
    }
    /* virtual work, at rest */
    assert_near(output(&r, "pull"), 9.81 * (4.0 * 8.0 + 2.0 * 120.0) * 0.9 / sqrt(2.56 - 0.81), 1e-9);
    assert_near(sal_run_costs(r.run)[0], sal_run_energy(r.run) - sal_run_get_stats(r.run).energy_start, 1e-8);
    rig_free(&r);
}

/* ------------------------------------------------------------------------------------- Peaucellier */

static void peaucellier(double theta, double (*p)[2]) /* E is the crank's pivot, D the point on the line */
{
    put(p[O], 0.0, 0.0);
    put(p[E], 0.35, 0.0);
    polar(p[C], p[E], 0.35, theta);
    circles_meet(p[O], 1.0, p[C], 0.45, 1.0, p[A]);
    circles_meet(p[O], 1.0, p[C], 0.45, -1.0, p[B]);
    put(p[D], p[A][0] + p[B][0] - p[C][0], p[A][1] + p[B][1] - p[C][1]);
}

static void test_peaucellier(void **state)
{
    static const bar     bars[] = { { E, C, 0.35 }, { O, A, 1.0 },  { O, B, 1.0 }, { A, C, 0.45 },
                                    { B, C, 0.45 }, { A, D, 0.45 }, { B, D, 0.45 } };
    static const linkage l      = { peaucellier, bars, 6, SAL_COUNT(bars), 0.0, 9.81 };
    rig                  r      = rig_scene("peaucellier.json");

    (void)state;
    start(&r, 1e-12, -1.0);
    for (int k = 1; k < 100; k++) {
        const double w = 3.0 * 0.05 * k, theta = 0.9 * sin(w);
        double       p[PLACES][2];
        rig_to(&r, 0.05 * k);
        peaucellier(theta, p);
        assert_near(output(&r, "beside"), 0.0, 1e-12);
        assert_near(output(&r, "along"), 0.7975 / 0.7 * tan(0.5 * theta), 1e-12);
        NEAR_POINT(&r, "A", p[A], 1e-12);
        assert_near(output(&r, "torque"), motor(&l, theta, 2.7 * cos(w), -8.1 * sin(w)), 1e-7);
    }
    rig_free(&r);
    r = rig_scene("peaucellier.json"); /* nor does it matter what the accuracy of the run is */
    start(&r, 1e-5, -1.0);
    for (sal_status status; (status = sal_run_step(r.run)) != SAL_END;) {
        assert_int_equal(status, SAL_OK);
        assert_near(output(&r, "beside"), 0.0, 1e-12);
    }
    rig_free(&r);
}

/* -------------------------------------------------------------------------------------- pantograph */

static void pantograph(double t, double (*p)[2]) /* C the tracer, D where the long bars meet, E the pen */
{
    const double r = 0.05 * (1.0 + 0.5 * cos(6.0 * t)) / 1.5;

    put(p[O], 0.0, 0.0);
    put(p[C], 0.3 + r * cos(2.0 * t), 0.15 + r * sin(2.0 * t));
    circles_meet(p[O], 0.25, p[C], 0.3, 1.0, p[A]);
    put(p[B], 2.0 * p[A][0] + p[C][0], 2.0 * p[A][1] + p[C][1]);
    put(p[D], 3.0 * p[A][0], 3.0 * p[A][1]);
    put(p[E], 3.0 * p[C][0], 3.0 * p[C][1]);
}

static void test_pantograph(void **state)
{
    static const bar     bars[] = { { O, D, 0.6 }, { D, E, 0.7 }, { A, C, 0.2 }, { C, B, 0.4 } };
    static const linkage l      = { pantograph, bars, 6, SAL_COUNT(bars), 0.0, 0.0 };
    rig                  r      = rig_scene("pantograph.json");

    (void)state;
    start(&r, 1e-12, -1.0);
    for (int k = 1; k < 100; k++) {
        double p[PLACES][2], vt[2], vp[2];
        rig_to(&r, 0.01 * PI * k);
        pantograph(0.01 * PI * k, p);
        assert_near(output(&r, "error_x"), 0.0, 1e-12);
        assert_near(output(&r, "error_y"), 0.0, 1e-12);
        NEAR_POINT(&r, "A", p[A], 1e-12);
        NEAR_POINT(&r, "B", p[B], 1e-12);
        assert_int_equal(sal_run_point(r.run, "T", NULL, vt), SAL_OK);
        assert_int_equal(sal_run_point(r.run, "P", NULL, vp), SAL_OK);
        for (int c = 0; c < 2; c++) assert_near(vp[c], 3.0 * vt[c], 1e-12);
        /* what the hand does goes into the bars */
        assert_near(output(&r, "force_x") * vt[0] + output(&r, "force_y") * vt[1], motor(&l, 0.01 * PI * k, 1.0, 0.0),
                    1e-9);
    }
    rig_free(&r);
}

/* ------------------------------------------------------------------------------------- Jansen's leg */

enum { SHAFT, PIVOT, PIN, UPPER, BACK, LOWER, KNEE, FOOT };

static void jansen(double theta, double (*p)[2])
{
    put(p[SHAFT], 0.0, 0.0);
    put(p[PIVOT], -0.38, -0.078);
    polar(p[PIN], p[SHAFT], 0.15, theta);
    circles_meet(p[PIVOT], 0.415, p[PIN], 0.5, 1.0, p[UPPER]);
    circles_meet(p[PIVOT], 0.393, p[PIN], 0.619, -1.0, p[LOWER]);
    circles_meet(p[PIVOT], 0.401, p[UPPER], 0.558, 1.0, p[BACK]);
    circles_meet(p[BACK], 0.394, p[LOWER], 0.367, -1.0, p[KNEE]);
    circles_meet(p[KNEE], 0.657, p[LOWER], 0.49, -1.0, p[FOOT]);
}

static void test_jansen_leg(void **state)
{
    static const bar     bars[] = { { SHAFT, PIN, 0.075 },    { PIN, UPPER, 0.25 },   { PIVOT, UPPER, 0.2075 },
                                    { PIVOT, BACK, 0.2005 },  { UPPER, BACK, 0.279 }, { PIN, LOWER, 0.3095 },
                                    { PIVOT, LOWER, 0.1965 }, { BACK, KNEE, 0.197 },  { LOWER, KNEE, 0.1835 },
                                    { KNEE, FOOT, 0.3285 },   { LOWER, FOOT, 0.245 } };
    static const linkage l      = { jansen, bars, 8, SAL_COUNT(bars), 0.0, 9.81 };
    const double         turn   = 2.0 * PI / 3.0;
    rig                  r      = rig_scene("jansen_leg.json");
    double               begin[2], speed[2], end[2], back[2], low = 0.0, high = -1.0, left = 0.0, right = -1.0;

    (void)state;
    start(&r, 1e-12, -1.0);
    assert_int_equal(sal_run_point(r.run, "F", begin, speed), SAL_OK);
    for (int k = 0; k < 200; k++) {
        double p[PLACES][2];
        rig_to(&r, turn * k / 200.0);
        jansen(2.0 * PI * k / 200.0, p);
        NEAR_POINT(&r, "U", p[UPPER], 1e-12);
        NEAR_POINT(&r, "F", p[FOOT], 1e-12);
        assert_near(output(&r, "torque"), motor(&l, 2.0 * PI * k / 200.0, 3.0, 0.0), 1e-8);
        low   = fmin(low, p[FOOT][1]);
        high  = fmax(high, p[FOOT][1]);
        left  = fmin(left, p[FOOT][0]);
        right = fmax(right, p[FOOT][0]);
    }
    while (sal_run_step(r.run) != SAL_END) continue;
    assert_int_equal(sal_run_point(r.run, "F", end, back), SAL_OK);
    for (int c = 0; c < 2; c++) { /* the path is closed */
        assert_near(end[c], begin[c], 1e-12);
        assert_near(back[c], speed[c], 1e-12);
    }
    assert_near(sal_run_energy(r.run), sal_run_get_stats(r.run).energy_start, 1e-11);
    assert_near(right - left, 0.679, 1e-3); /* the stride */
    assert_near(high - low, 0.2245, 1e-3);  /* and how far the foot is lifted */
    rig_free(&r);
}

/* -------------------------------------------------------------------------------------- gear train */

static void test_gear_train(void **state)
{
    const double r1 = 0.02, r2 = 0.03, r3 = 0.06, sun = 0.015, planet = 0.025, ring = sun + 2.0 * planet;
    const double idler = -r1 / r2, wheel = r1 / r3,
                 carrier = wheel * sun / (sun + ring); /* turns per turn of the pinion */
    const double spin = carrier - sun / planet * (wheel - carrier), arm = (sun + planet) * carrier;
    const double J = 2e-5 + 9e-5 * idler * idler + 1.5e-3 * wheel * wheel + 0.02 * carrier * carrier +
                     5e-5 * spin * spin + 0.15 * arm * arm;
    const double drag = 2.0 * carrier * carrier, torque = 0.2;
    rig          r = rig_scene("gear_train.json");

    (void)state;
    start(&r, 1e-12, -1.0);
    for (int k = 1; k <= 20; k++) {
        const double t = 0.01 * k, tau = J / drag, w = torque / drag * (1.0 - exp(-t / tau));
        const double phi = torque / drag * (t - tau * (1.0 - exp(-t / tau))), a = torque / J * exp(-t / tau);
        rig_to(&r, t);
        assert_near(output(&r, "pinion"), phi, 1e-10);
        assert_near(output(&r, "speed"), carrier * w, 1e-10);
        assert_near(output(&r, "idler") / output(&r, "pinion"), idler, 1e-12);
        assert_near(output(&r, "wheel") / output(&r, "pinion"), wheel, 1e-12);
        assert_near(output(&r, "carrier") / output(&r, "pinion"), carrier, 1e-12);
        assert_near(output(&r, "planet") / output(&r, "pinion"), spin, 1e-12);
        assert_near(output(&r, "tooth"), (2e-5 * a - torque) / r1, 1e-8);
        /* torques on everything that turns about the wheel's centre, with the tooth force of the wheel */
        assert_near(output(&r, "brake"),
                    1.5e-3 * wheel * a + 0.02 * carrier * a + 5e-5 * spin * a + 0.15 * (sun + planet) * arm * a +
                        2.0 * carrier * w + r3 / r2 * (r2 * (2e-5 * a - torque) / r1 - 9e-5 * idler * a),
                    1e-8);
    }
    rig_free(&r);
}

/* --------------------------------------------------------------------------------- cam and follower */

static void test_cam_follower(void **state)
{
    const double w = 30.0, m = 0.3, k = 2000.0;
    rig          r     = rig_scene("cam_follower.json");
    double       least = HUGE_VAL;

    (void)state;
    start(&r, 1e-12, -1.0);
    for (int i = 0; i < 200; i++) {
        const double t = 4.0 * PI / w * i / 200.0, s = sin(w * t), c = cos(w * t);
        const double y = 0.04 + 0.01 * (1.0 - s), push = m * (0.01 * w * w * s + 9.81) + k * (0.1 - (0.12 - y));
        double       at[2], v[2];
        rig_to(&r, t);
        assert_int_equal(sal_run_point(r.run, "P", at, v), SAL_OK);
        assert_near(at[0], 0.0, 1e-13);
        assert_near(at[1], y, 1e-13);
        assert_near(v[1], -0.01 * w * c, 1e-11);
        assert_near(output(&r, "push"), push, 1e-9);
        assert_near(output(&r, "torque"), push * -0.01 * c, 1e-9);
        least = fmin(least, output(&r, "push"));
    }
    assert_true(least > 0.0); /* the spring holds the follower on the cam */
    rig_free(&r);
}

/* --------------------------------------------------------------------------- slider-crank with stop */

static void big_slider_crank(double theta, double (*p)[2])
{
    put(p[O], 0.0, 0.0);
    polar(p[A], p[O], 0.3, theta);
    put(p[B], p[A][0] + sqrt(0.64 - p[A][1] * p[A][1]), 0.0);
}

/* The slider strikes where the sides are 0.3, 0.8 and 0.9; between strikes energy is kept, and it comes back as fast as
 * it left. */
static void test_slider_crank_stop(void **state)
{
    static const bar     bars[] = { { O, A, 1.0 }, { A, B, 2.0 }, { B, B, 0.5 } };
    static const linkage l      = { big_slider_crank, bars, 3, SAL_COUNT(bars), 0.0, 9.81 };
    const double         theta  = -acos((0.09 + 0.81 - 0.64) / (2.0 * 0.3 * 0.9));
    const eksergian      high = eksergian_at(&l, PI - 0.1), low = eksergian_at(&l, theta);
    const double         rate = sqrt(2.0 * (high.V - low.V) / low.J); /* of the crank at the first strike */
    /* of the slider: dx/dtheta times that */
    double speed = rate * 0.3 * -sin(theta) * (1.0 + 0.3 * cos(theta) / sqrt(0.64 - 0.09 * sin(theta) * sin(theta)));
    rig    r     = rig_scene("slider_crank_stop.json");
    sal_probe *vx;
    double     y[2]    = { PI - 0.1, 0.0 };
    int        strikes = 0;
    history    h;

    (void)state;
    start(&r, 1e-12, -1.0);
    h = check_run(&r, true, 1e-9);
    assert_int_equal(h.count, 4);
    rk4(run_free, &l, 0.0, h.time[0], 2000, 2, y); /* it is there when it should be */
    assert_near(remainder(y[0] - theta, 2.0 * PI), 0.0, 1e-9);
    start(&r, 1e-12, -1.0);
    assert_int_equal(sal_probe_create(r.model, "vx(B)", &vx), SAL_OK);
    for (sal_status status; (status = sal_run_step(r.run)) != SAL_END;) {
        assert_true(status >= 0);
        if (status != SAL_EVENT) continue;
        assert_near(-sal_run_event(r.run).rate, speed, 1e-9);
        assert_near(sal_probe_value(vx, r.run), -0.5 * speed, 1e-9);
        assert_near(sal_run_event(r.run).energy_before - sal_run_energy(r.run),
                    0.5 * low.J * rate * rate * (1.0 - 0.25) * pow(0.25, strikes), 1e-8);
        speed *= 0.5;
        strikes++;
    }
    assert_int_equal(strikes, 4);
    assert_near(sal_run_get_stats(r.run).energy_drift, 0.0, 1e-10);
    sal_probe_destroy(&vx);
    rig_free(&r);
}

/* ------------------------------------------------------------------------- what is not determined */

/* A pendulum on two rods that are one: each carries half, at any time to rounding; and the derivative is half as well. */
static void test_two_rods_share(void **state)
{
    static const char *const wrt[] = { "m" };
    rig          r    = rig_load("'parameters': { 'm': 1.3 }, 'points': { 'O': { 'at': [0.1, 0.2], 'fixed': true },"
                                             "            'P': { 'at': [1.2, 0.7], 'velocity': [0.5, -1.1] } },"
                                             "'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 'm' } },"
                                             "'joints': { 'one': { 'type': 'distance', 'points': ['O', 'P'], 'length': 1.2 },"
                                             "            'two': { 'type': 'distance', 'points': ['O', 'P'], 'length': 1.2 } },"
                                             "'simulation': { 'duration': 3 }");
    sal_run_opts opts = with_respect_to(wrt, 1);

    (void)state;
    opts.quiet = true;
    rig_run(&r, &opts);
    for (int k = 1; k <= 30; k++) {
        const double *lambda = sal_run_lambda(r.run), *Lambda = sal_run_Lambda(r.run);
        rig_to(&r, 0.1 * k);
        assert_near(lambda[0], lambda[1], 1e-13 * (fabs(lambda[0]) + 1.0));
        assert_near(Lambda[0], lambda[0] / 1.3, 1e-9 * (fabs(lambda[0]) + 1.0));
        assert_near(Lambda[1], Lambda[0], 1e-12 * (fabs(lambda[0]) + 1.0));
    }
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_rods_share), cmocka_unit_test(test_andrews),
        cmocka_unit_test(test_car_axis),       cmocka_unit_test(test_double_pendulum),
        cmocka_unit_test(test_four_bar),       cmocka_unit_test(test_slider_crank),
        cmocka_unit_test(test_quick_return),   cmocka_unit_test(test_scissor_lift),
        cmocka_unit_test(test_peaucellier),    cmocka_unit_test(test_pantograph),
        cmocka_unit_test(test_jansen_leg),     cmocka_unit_test(test_gear_train),
        cmocka_unit_test(test_cam_follower),   cmocka_unit_test(test_slider_crank_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
