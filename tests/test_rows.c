/* test_rows.c - constraint rows and their derivatives: every joint type, points and markers, free, fixed and driven.
 *
 * Phi is held against positions computed from angles; Phi_q against central differences, which are exact for
 * quadratic rows up to rounding at any step; Phidot and C against differences of eighth order of Phi along a curve
 * q(t):
 *
 *     Phidot = d/dt Phi(q(t), t),    C = Phi_q q'' - d2/dt2 Phi(q(t), t) */
#include "tests/support.h"

#include "engine/equations/equations.h"

/* One of everything. ox, oy move it away from the origin. */
static const char *const everything =
    "'parameters': { 'ox': 0, 'oy': 0, 'a': 0.1 },"
    "'points': {"
    "  'A':  { 'at': ['ox', 'oy'], 'fixed': true },"
    "  'D':  { 'at': ['ox + a*sin(3*t)', 'oy - 0.3 + 0.2*cos(2*t)'], 'fixed': true },"
    "  'P1': { 'at': ['ox + 1', 'oy'] }, 'P2': { 'at': ['ox + 2', 'oy + 0.2'] },"
    "  'P3': { 'at': ['ox + 1', 'oy - 1'] }, 'P4': { 'at': ['ox + 2', 'oy - 1'] },"
    "  'P5': { 'at': ['ox + 0.5', 'oy - 1'] } },"
    "'bodies': {"
    "  'bar1': { 'type': 'bar', 'points': ['A', 'P1'], 'mass': 1, 'length': 1.1, 'markers': { 'B1': [0.4, 0] } },"
    "  'bar2': { 'type': 'bar', 'points': ['P1', 'P2'], 'mass': 2, 'length': 0.9, 'centre': 0.3, 'inertia': 0.1,"
    "            'markers': { 'B2': [0, 0.25], 'B3': [1.4, -0.2] } },"
    "  'body': { 'type': 'rigid', 'points': ['P3', 'P4'], 'mass': 3, 'centre': [0.3, 0.1], 'inertia': 0.2,"
    "            'length': 0.8, 'markers': { 'M1': [0.3, 0.2], 'M2': [-0.1, 0.4] } },"
    "  'arm':  { 'type': 'rigid', 'points': ['D', 'P5'], 'mass': 1, 'centre': [0.2, 0], 'inertia': 0.1,"
    "            'length': 0.7, 'markers': { 'M3': [0.5, -0.3] } } },"
    "'joints': {"
    "  'pin1':  { 'type': 'revolute', 'points': ['P2', 'M1'] },"
    "  'pin2':  { 'type': 'revolute', 'points': ['M2', 'B3'] },"
    "  'pin3':  { 'type': 'revolute', 'points': ['P4', 'P5'] },"
    "  'pin4':  { 'type': 'revolute', 'points': ['D', 'B1'] },"
    "  'rod1':  { 'type': 'distance', 'points': ['P1', 'P3'], 'length': 1.3 },"
    "  'rod2':  { 'type': 'distance', 'points': ['B2', 'M3'], 'length': '1 + 0.1*sin(2*t)' },"
    "  'rod3':  { 'type': 'distance', 'points': ['M2', 'D'], 'length': 0.6 },"
    "  'rod4':  { 'type': 'distance', 'points': ['A', 'M3'], 'length': 'exp(-a*t)' },"
    "  'rod5':  { 'type': 'distance', 'points': ['B2', 'B3'], 'length': 1.5 },"
    "  'spring': { 'type': 'spring', 'points': ['M1', 'M2'], 'stiffness': 10 } }";

enum { N = 10, ROWS = 17 };

typedef struct vec {
    double x, y;
} vec;

/* ------------------------------------------------------------------------------ against geometry */

/* Angles as functions of time; bodies keep their lengths. */
static double angle(int body, double t)
{
    static const double at[] = { 0.3, -0.8, 2.1, -2.5 }, rate[] = { 1.0, -0.7, 0.5, 1.3 };

    return at[body] + rate[body] * t + 0.2 * sin(t + body);
}

static vec along(vec from, double phi, double x, double y)
{
    return (vec){ from.x + x * cos(phi) - y * sin(phi), from.y + x * sin(phi) + y * cos(phi) };
}

static void geometry_is_phi(void **state)
{
    static const double times[] = { 0.0, 0.37, 1.9, 12.4 };
    rig                 r       = rig_load(everything);
    numbers             x;
    sal_system         *s = numbers_make(&x, &r, NULL);
    double              phi[ROWS];

    (void)state;
    assert_int_equal(r.model->n, N);
    assert_int_equal(r.model->m, ROWS);
    for (int k = 0; k < SAL_COUNT(times); k++) {
        const double t = times[k], a0 = angle(0, t), a1 = angle(1, t), a2 = angle(2, t), a3 = angle(3, t);
        const vec    A = { 0, 0 }, D = { 0.1 * sin(3 * t), -0.3 + 0.2 * cos(2 * t) }, P3 = { 1 + sin(t), cos(2 * t) };
        const vec    P1 = along(A, a0, 1.1, 0), P2 = along(P1, a1, 0.9, 0), P4 = along(P3, a2, 0.8, 0);
        const vec    P5 = along(D, a3, 0.7, 0), B1 = along(A, a0, 0.4, 0), B2 = along(P1, a1, 0, 0.25);
        const vec    B3 = along(P1, a1, 1.4, -0.2), M1 = along(P3, a2, 0.3, 0.2), M2 = along(P3, a2, -0.1, 0.4);
        const vec    M3   = along(D, a3, 0.5, -0.3);
        const double q[N] = { P1.x, P1.y, P2.x, P2.y, P3.x, P3.y, P4.x, P4.y, P5.x, P5.y };
        const struct {
            const char *row;
            double      value;
        } expected[] = {
#define ROD(p, q, l) (pow(q.x - p.x, 2) + pow(q.y - p.y, 2) - pow(l, 2))
            { "bar1", 0 },
            { "bar2", 0 },
            { "body", 0 },
            { "arm", 0 },
            { "pin1.x", M1.x - P2.x },
            { "pin1.y", M1.y - P2.y },
            { "pin2.x", B3.x - M2.x },
            { "pin2.y", B3.y - M2.y },
            { "pin3.x", P5.x - P4.x },
            { "pin3.y", P5.y - P4.y },
            { "pin4.x", B1.x - D.x },
            { "pin4.y", B1.y - D.y },
            { "rod1", ROD(P1, P3, 1.3) },
            { "rod2", ROD(B2, M3, 1 + 0.1 * sin(2 * t)) },
            { "rod3", ROD(M2, D, 0.6) },
            { "rod4", ROD(A, M3, exp(-0.1 * t)) },
            { "rod5", ROD(B2, B3, 1.5) },
#undef ROD
        };

        assert_int_equal(SAL_COUNT(expected), ROWS);
        sal_system_move(s, t, q, NULL);
        sal_rows_residual(&s->rows, s->z, NULL, phi, NULL);
        for (int i = 0; i < ROWS; i++) {
            const int row = rig_row(&r, expected[i].row);
            if (!(fabs(phi[row] - expected[i].value) <= 1e-14))
                fail_msg("%s at t = %g: %.17g, expected %.17g", expected[i].row, t, phi[row], expected[i].value);
        }
    }
    numbers_free(&x);
    rig_free(&r);
}

/* ---------------------------------------------------------------------------- against differences */

/* A curve that keeps no length at all; order: 0 q, 1 q', 2 q''. */
static void curve(double t, int order, double *q)
{
    for (int k = 0; k < N; k++) {
        const double w = 0.8 + 0.15 * k, at = k % 2 ? -0.5 : 1.0 + 0.1 * k, s = sin(w * t + k), c = cos(w * t + k);
        q[k] = order == 0 ? at + 0.7 * s : order == 1 ? 0.7 * w * c : -0.7 * w * w * s;
    }
}

static void phi_at(sal_system *s, double t, const double *q, double *phi)
{
    sal_system_move(s, t, q, NULL);
    sal_rows_residual(&s->rows, s->z, NULL, phi, NULL);
}

static void jacobian_is_the_difference_of_phi(void **state)
{
    rig          r = rig_load(everything);
    numbers      x;
    sal_system  *s    = numbers_make(&x, &r, NULL);
    const double h    = 0.1;
    int          same = 0, entries = 0;

    (void)state;
    for (double t = 0.0; t < 3.0; t += 0.61) {
        double dense[ROWS][N] = { { 0 } }, q[N], v[N], plus[ROWS], minus[ROWS], c[ROWS], *entry = s->entry;
        double again[ROWS * N + 1];

        curve(t, 0, q);
        curve(t, 1, v);
        sal_system_move(s, t, q, v);
        sal_rows_jacobian(&s->rows, s->z, entry);
        sal_rows_motion(&s->rows, s->z, s->zd, s->zdd, again, c); /* the same entries from the other loop */
        for (int row = 0; row < ROWS; row++) {
            for (int k = r.model->jp[row]; k < r.model->jp[row + 1]; k++) {
                dense[row][r.model->jc[k]] = entry[k];
                assert_near(again[k], entry[k], 0.0);
            }
        }
        for (int j = 0; j < N; j++) {
            const double at = q[j];
            q[j]            = at + h;
            phi_at(s, t, q, plus);
            q[j] = at - h;
            phi_at(s, t, q, minus);
            q[j] = at;
            for (int row = 0; row < ROWS; row++) { /* entries that are not stored must be zero */
                const double difference = (plus[row] - minus[row]) / (2.0 * h);
                if (!(fabs(difference - dense[row][j]) <= 1e-13))
                    fail_msg("%s by %s: %.17g, difference %.17g", sal_model_constraint(r.model, row),
                             sal_model_coordinate(r.model, j), dense[row][j], difference);
                entries += dense[row][j] != 0.0;
                same += dense[row][j] != 0.0 && difference == dense[row][j];
            }
        }
    }
    assert_true(same < entries / 2); /* two ways to compute it, not one twice */
    numbers_free(&x);
    rig_free(&r);
}

static void rates_are_the_differences_along_a_curve(void **state)
{
    static const double first[]  = { 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280 };
    static const double second[] = { 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560 };
    rig                 r        = rig_load(everything);
    numbers             x;
    sal_system         *s = numbers_make(&x, &r, NULL);
    const double        h = 0.02;

    (void)state;
    for (double t = 0.1; t < 3.0; t += 0.71) {
        double q[N], v[N], a[N], phi[ROWS], phidot[ROWS], c[ROWS], dense[ROWS] = { 0 }, d1[ROWS] = { 0 },
                                                                   d2[ROWS] = { 0 }, plus[ROWS], minus[ROWS];

        curve(t, 0, q);
        phi_at(s, t, q, phi);
        for (int k = 0; k < 4; k++) {
            curve(t + (k + 1) * h, 0, q);
            phi_at(s, t + (k + 1) * h, q, plus);
            curve(t - (k + 1) * h, 0, q);
            phi_at(s, t - (k + 1) * h, q, minus);
            for (int row = 0; row < ROWS; row++) {
                d1[row] += first[k] * (plus[row] - minus[row]) / h;
                d2[row] += second[k] * ((plus[row] - phi[row]) + (minus[row] - phi[row])) / (h * h);
            }
        }
        curve(t, 0, q);
        curve(t, 1, v);
        curve(t, 2, a);
        sal_system_move(s, t, q, v);
        sal_rows_residual(&s->rows, s->z, s->zd, phi, phidot);
        sal_rows_motion(&s->rows, s->z, s->zd, s->zdd, s->entry, c);
        for (int row = 0; row < ROWS; row++) {
            for (int k = r.model->jp[row]; k < r.model->jp[row + 1]; k++) dense[row] += s->entry[k] * a[r.model->jc[k]];
            if (!(fabs(phidot[row] - d1[row]) <= 1e-11) || !(fabs(dense[row] - c[row] - d2[row]) <= 1e-9))
                fail_msg("%s at t = %g: Phidot %.17g, difference %.17g; Phiddot %.17g, difference %.17g",
                         sal_model_constraint(r.model, row), t, phidot[row], d1[row], dense[row] - c[row], d2[row]);
        }
    }
    numbers_free(&x);
    rig_free(&r);
}

/* Scenes in which nothing is driven take a shorter loop; it must give the same. */
static void the_loop_without_time_is_the_same(void **state)
{
    static const char *const still =
        "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0] }, 'Q': { 'at': [2, 0] },"
        "            'S': { 'at': [2, 1] } },"
        "'bodies': { 'bar': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'markers': { 'M': [0.2, 0.3] } },"
        "            'body': { 'type': 'rigid', 'points': ['Q', 'S'], 'mass': 1, 'centre': [0, 1], 'inertia': 1,"
        "                      'markers': { 'W': [0.5, -0.4] } } },"
        "'joints': { 'pin': { 'type': 'revolute', 'points': ['M', 'W'] },"
        "            'rod': { 'type': 'distance', 'points': ['M', 'S'], 'length': 1 },"
        "            'rod2': { 'type': 'distance', 'points': ['P', 'W'], 'length': %s } }";
    char         text[2][2048];
    double       c[2][6], phidot[2][6];
    const double q[] = { 0.9, 0.3, 1.7, -0.2, 2.2, 1.3 }, v[] = { 0.4, -0.9, 1.2, 0.3, -0.8, 0.5 };

    (void)state;
    for (int k = 0; k < 2; k++) {
        rig         r;
        numbers     x;
        sal_system *s;
        double      phi[6];

        snprintf(text[k], sizeof text[k], still, k ? "'0.7 + 0*t'" : "0.7");
        r = rig_load(text[k]);
        s = numbers_make(&x, &r, NULL);
        assert_int_equal(r.model->m, 6);
        assert_int_equal(r.model->ntimed > 0, k);
        sal_system_move(s, 0.3, q, v);
        sal_rows_residual(&s->rows, s->z, s->zd, phi, phidot[k]);
        sal_rows_motion(&s->rows, s->z, s->zd, s->zdd, s->entry, c[k]);
        numbers_free(&x);
        rig_free(&r);
    }
    for (int row = 0; row < 6; row++) {
        assert_near(c[1][row], c[0][row], 1e-15);
        assert_near(phidot[1][row], phidot[0][row], 1e-15);
    }
}

/* -------------------------------------------------------------------------------------- far away */

/* A thousand metres off, differences of coordinates still are exact, so Phi is as accurate as at the origin: 1e-15
 * L^2. Were squares of coordinates subtracted instead, 1e6 * 2^-53 = 1e-10 of it would be left. */
static void far_from_the_origin(void **state)
{
    const double given[] = { 1000.3, -999.7, 0.1 };
    rig          r       = rig_load(everything);
    numbers      x;
    sal_system  *s = numbers_make(&x, &r, given);
    double       q[N], phi[ROWS];

    (void)state;
    for (double t = 0.0; t < 3.0; t += 0.43) {
        curve(t, 0, q);
        for (int k = 0; k < N; k++) q[k] += given[k % 2];
        phi_at(s, t, q, phi);

        /* the same in long double, from the coordinates as they are rounded */
        const struct {
            const char *row, *p, *q;
            long double length;
        } rods[] = { { "bar1", "A", "P1", 1.1 },     { "bar2", "P1", "P2", 0.9 },   { "body", "P3", "P4", 0.8 },
                     { "arm", "D", "P5", 0.7 },      { "rod1", "P1", "P3", 1.3 },   { "rod2", "B2", "M3", NAN },
                     { "rod3", "M2", "D", 0.6 },     { "rod4", "A", "M3", NAN },    { "rod5", "B2", "B3", 1.5 },
                     { "pin1.x", "P2", "M1", -1.0 }, { "pin2.x", "M2", "B3", -1.0 } };
        for (int k = 0; k < SAL_COUNT(rods); k++) {
            long double      at[2][2], l = rods[k].length, value;
            const sal_basis *ends[] = { rig_point(&r, rods[k].p), rig_point(&r, rods[k].q) };
            for (int i = 0; i < 2; i++) {
                const sal_basis  *p  = ends[i];
                const long double dx = (long double)s->z[p->xj] - s->z[p->xi],
                                  dy = (long double)s->z[p->yj] - s->z[p->yi];
                at[i][0]             = s->z[p->xi] + s->z[p->alpha] * dx - s->z[p->beta] * dy;
                at[i][1]             = s->z[p->yi] + s->z[p->alpha] * dy + s->z[p->beta] * dx;
            }
            if (isnan(rods[k].length)) l = !strcmp(rods[k].row, "rod2") ? 1 + 0.1 * sin(2 * t) : exp(-0.1 * t);
            value =
                (at[1][0] - at[0][0]) * (at[1][0] - at[0][0]) + (at[1][1] - at[0][1]) * (at[1][1] - at[0][1]) - l * l;
            if (rods[k].length < 0) value = at[1][0] - at[0][0];
            assert_near(phi[rig_row(&r, rods[k].row)], (double)value, 2e-14); /* L^2 up to 10 here */
        }
    }
    numbers_free(&x);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geometry_is_phi),
        cmocka_unit_test(jacobian_is_the_difference_of_phi),
        cmocka_unit_test(rates_are_the_differences_along_a_curve),
        cmocka_unit_test(the_loop_without_time_is_the_same),
        cmocka_unit_test(far_from_the_origin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
