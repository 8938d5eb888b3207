/* test_assembly.c - a consistent start: positions and velocities that fulfil the constraints, near to those given, with
 * what is marked dof kept to the last bit; and what is said where there is none. */
#include "tests/support.h"

#include "engine/equations/equations.h"

/* |Phi| and |Phidot| at the start of the run. */
static void assert_closed(const rig *r, double tolerance)
{
    const sal_run_stats stats = sal_run_get_stats(r->run);

    assert_near(stats.max_phi, 0.0, tolerance);
    assert_near(stats.max_phidot, 0.0, tolerance);
}

/* Five bars, P2 given, the knees guessed badly. */
#define FIVE_BAR(p1, p2, p3)                                                                              \
    "'points': { 'A': { 'at': [-0.5, 0], 'fixed': true }, 'B': { 'at': [0.5, 0], 'fixed': true },"        \
    "            'P1': { 'at': " p1 " }, 'P2': { 'at': " p2 " }, 'P3': { 'at': " p3 " } },"               \
    "'bodies': { 'bar1': { 'type': 'bar', 'points': ['A', 'P1'], 'mass': 1, 'length': 'sqrt(2)' },"       \
    "            'bar2': { 'type': 'bar', 'points': ['P1', 'P2'], 'mass': 1.5, 'length': 'sqrt(3.25)' }," \
    "            'bar3': { 'type': 'bar', 'points': ['P2', 'P3'], 'mass': 1.5, 'length': 'sqrt(3.25)' }," \
    "            'bar4': { 'type': 'bar', 'points': ['P3', 'B'], 'mass': 1, 'length': 'sqrt(2)' } }"

static void marked_coordinates_are_kept(void **state)
{
    const double A[] = { -0.5, 0 }, B[] = { 0.5, 0 }, P2[] = { 0.123456789, -2.0987654321 };
    rig          r = rig_load(
                 FIVE_BAR("[-1.2, -0.7]", "[0.123456789, -2.0987654321], 'dof': true, 'velocity': [0.7, -0.3]", "[1.9, -0.8]"));
    double        p1[2], p3[2];
    const double *q, *v;

    (void)state;
    rig_run(&r, NULL);
    assert_closed(&r, 1e-14);
    q = sal_run_q(r.run);
    v = sal_run_v(r.run);
    assert_true(q[2] == P2[0] && q[3] == P2[1] && v[2] == 0.7 && v[3] == -0.3);
    circles_meet(A, sqrt(2), P2, sqrt(3.25), -1, p1);
    circles_meet(B, sqrt(2), P2, sqrt(3.25), +1, p3);
    assert_near(q[0], p1[0], 1e-13);
    assert_near(q[1], p1[1], 1e-13);
    assert_near(q[4], p3[0], 1e-13);
    assert_near(q[5], p3[1], 1e-13);
    /* velocities of the knees: perpendicular to the crank, and along the rod the same as P2's */
    assert_near((q[0] - A[0]) * v[0] + (q[1] - A[1]) * v[1], 0.0, 1e-14);
    assert_near((q[2] - q[0]) * (v[2] - v[0]) + (q[3] - q[1]) * (v[3] - v[1]), 0.0, 1e-14);
    assert_near((q[4] - B[0]) * v[4] + (q[5] - B[1]) * v[5], 0.0, 1e-14);
    assert_near((q[2] - q[4]) * (v[2] - v[4]) + (q[3] - q[5]) * (v[3] - v[5]), 0.0, 1e-14);
    rig_free(&r);
}

/* One coordinate marked: it stays, the other follows. */
static void one_axis_is_kept(void **state)
{
    rig           r = rig_load("'points': { 'A': { 'at': [0, 0], 'fixed': true },"
                                         "            'P': { 'at': [0.6, 0.9], 'dof': 'x', 'velocity': [0.3, 5] } },"
                                         "'bodies': { 'bar': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'length': 1 } }");
    const double *q, *v;

    (void)state;
    rig_run(&r, NULL);
    q = sal_run_q(r.run);
    v = sal_run_v(r.run);
    assert_closed(&r, 1e-15);
    assert_true(q[0] == 0.6 && v[0] == 0.3);
    assert_near(q[1], 0.8, 1e-15);
    assert_near(v[1], -0.3 * 0.6 / 0.8, 1e-15);
    rig_free(&r);
}

/* Nothing marked: straight to the circle, and velocities lose their part along the bar. */
static void nearest_on_a_circle(void **state)
{
    rig           r = rig_load("'points': { 'A': { 'at': [0.5, -1], 'fixed': true },"
                                         "            'P': { 'at': [3.5, 3], 'velocity': [2, 1] } },"
                                         "'bodies': { 'bar': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'length': 1.5 } }");
    const double *q, *v;

    (void)state;
    rig_run(&r, NULL);
    q = sal_run_q(r.run);
    v = sal_run_v(r.run);
    assert_closed(&r, 1e-14);
    assert_near(q[0], 0.5 + 1.5 * 0.6, 1e-14);
    assert_near(q[1], -1 + 1.5 * 0.8, 1e-14);
    assert_near(v[0], 2 - 2 * 0.6, 1e-14); /* the part along (0.6, 0.8) is 2 */
    assert_near(v[1], 1 - 2 * 0.8, 1e-14);
    rig_free(&r);
}

/* Five bars slightly out of place by d: of all ways to close them the one taken is the nearest up to d^2, that is, its
 * correction has no part along the two directions in which the mechanism can move. Velocities: exactly none. */
static void nearest_of_a_mechanism(void **state)
{
    const double d = 1e-4, start[] = { -1.5 + d, -1, 0, -2 - d, 1.5 + 2 * d, -1 },
                 given[] = { 0.3, -0.2, 0.5, 1, -2, 0.4 };
    double        entry[32], moved[2] = { 0 };
    rig           r = rig_load(FIVE_BAR("[-1.4999, -1], 'velocity': [0.3, -0.2]", "[0, -2.0001], 'velocity': [0.5, 1]",
                                        "[1.5002, -1], 'velocity': [-2, 0.4]"));
    const double *q, *v;

    (void)state;
    rig_run(&r, NULL);
    assert_closed(&r, 1e-14);
    q = sal_run_q(r.run);
    v = sal_run_v(r.run);
    sal_system_move(&r.run->system, 0.0, q, v); /* creation left it where the length of the first step was tried */
    sal_rows_jacobian(&r.run->system.rows, r.run->system.z, entry);
    for (int k = 0; k < 2; k++) { /* a motion: P2 moves along x, then along y, and the others with it */
        double           a[16] = { 0 }, b[4] = { 0 }, way[6], size = 0.0, along_q = 0.0, along_v = 0.0;
        static const int others[] = { 0, 1, 4, 5 };
        for (int row = 0; row < 4; row++) {
            for (int i = r.model->jp[row]; i < r.model->jp[row + 1]; i++) {
                const int c = r.model->jc[i];
                if (c == 2 + k) b[row] -= entry[i];
                for (int j = 0; j < 4; j++) {
                    if (others[j] == c) a[4 * row + j] = entry[i];
                }
            }
        }
        dense_solve(4, a, b);
        way[2] = k == 0;
        way[3] = k == 1;
        for (int j = 0; j < 4; j++) way[others[j]] = b[j];
        for (int j = 0; j < 6; j++) {
            along_q += way[j] * (q[j] - start[j]);
            along_v += way[j] * (v[j] - given[j]);
            size += way[j] * way[j];
        }
        moved[0] = fmax(moved[0], fabs(along_q) / sqrt(size));
        moved[1] = fmax(moved[1], fabs(along_v) / sqrt(size));
    }
    assert_near(moved[0], 0.0, 4 * d * d);
    assert_near(moved[1], 0.0, 1e-14);
    rig_free(&r);
}

/* Driven points: Phi_t counts. The support moves, the length grows, and the velocity follows from both. */
static void driven_points_at_the_start(void **state)
{
    rig r = rig_load("'points': { 'D': { 'at': ['0.1*sin(3*t)', '0.2*t'], 'fixed': true }, 'P': { 'at': [0.1, -0.9] },"
                     "            'Q': { 'at': [0.5, -2], 'dof': 'y', 'velocity': [0, 0.6] } },"
                     "'bodies': { 'bar': { 'type': 'bar', 'points': ['D', 'P'], 'mass': 1, 'length': 1 },"
                     "            'ball': { 'type': 'point_mass', 'point': 'Q', 'mass': 1 } },"
                     "'joints': { 'rod': { 'type': 'distance', 'points': ['P', 'Q'], 'length': '1.2 + 0.5*t' } }");
    const double *q, *v;

    (void)state;
    rig_run(&r, NULL);
    q = sal_run_q(r.run);
    v = sal_run_v(r.run);
    assert_closed(&r, 1e-14);
    assert_true(q[3] == -2.0 && v[3] == 0.6);
    assert_near(hypot(q[0], q[1]), 1.0, 1e-14);
    assert_near(q[0] * (v[0] - 0.3) + q[1] * (v[1] - 0.2), 0.0, 1e-14); /* the bar turns about D */
    assert_near(((q[2] - q[0]) * (v[2] - v[0]) + (q[3] - q[1]) * (v[3] - v[1])) / 1.2, 0.5, 1e-14); /* the rod grows */
    rig_free(&r);
}

/* What is consistent is left alone, bit for bit. */
static void consistent_input_is_left_alone(void **state)
{
    static const double given[] = { -1.5, -1, 0, -2, 1.5, -1 };
    rig r = rig_load("'points': { 'A': { 'at': [-0.5, 0], 'fixed': true }, 'B': { 'at': [0.5, 0], 'fixed': true },"
                     "            'P1': { 'at': [-1.5, -1] }, 'P2': { 'at': [0, -2] }, 'P3': { 'at': [1.5, -1] } },"
                     "'bodies': { 'bar1': { 'type': 'bar', 'points': ['A', 'P1'], 'mass': 1 },"
                     "            'bar2': { 'type': 'bar', 'points': ['P1', 'P2'], 'mass': 1.5 },"
                     "            'bar3': { 'type': 'bar', 'points': ['P2', 'P3'], 'mass': 1.5 },"
                     "            'bar4': { 'type': 'bar', 'points': ['P3', 'B'], 'mass': 1 } }");

    (void)state;
    rig_run(&r, NULL);
    assert_memory_equal(sal_run_q(r.run), given, sizeof given);
    for (int k = 0; k < 6; k++) assert_true(sal_run_v(r.run)[k] == 0.0);
    rig_free(&r);

    /* in motion: a body that turns and shifts, numbers that binary fractions hold exactly */
    r = rig_load("'points': { 'P': { 'at': [0.5, 0.25], 'velocity': [-0.5, 0.5] },"
                 "            'Q': { 'at': [2.5, 0.25], 'velocity': [-0.5, 4.5] } },"
                 "'bodies': { 'bar': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 1 } }");
    rig_run(&r, NULL);
    assert_memory_equal(sal_run_q(r.run), ((const double[]){ 0.5, 0.25, 2.5, 0.25 }), 4 * sizeof(double));
    assert_memory_equal(sal_run_v(r.run), ((const double[]){ -0.5, 0.5, -0.5, 4.5 }), 4 * sizeof(double));
    rig_free(&r);
}

/* Redundant constraints that agree can be assembled (and then run in the penalty form). */
static void redundant_but_consistent(void **state)
{
    sal_run_opts  opts = sal_run_defaults();
    rig           r = rig_load("'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': [2, 0], 'fixed': true },"
                                         "            'P': { 'at': [0.7, -0.8] }, 'Q': { 'at': [2.5, -0.7] } },"
                                         "'bodies': { 'crank1': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'length': 1 },"
                                         "            'crank2': { 'type': 'bar', 'points': ['B', 'Q'], 'mass': 1, 'length': 1 },"
                                         "            'coupler': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 1, 'length': 2 } },"
                                         "'joints': { 'twin': { 'type': 'distance', 'points': ['P', 'Q'], 'length': 2 } }");
    const double *q;

    (void)state;
    opts.form = SAL_PENALTY;
    rig_run(&r, &opts);
    assert_closed(&r, 1e-12);
    q = sal_run_q(r.run);
    assert_near(q[2] - q[0], 2.0, 1e-12); /* still a parallelogram, not a crossed one */
    assert_near(q[3] - q[1], 0.0, 1e-12);
    rig_free(&r);
}

/* ----------------------------------------------------------------------------------- impossible */

/* The number that the message gives for a row. */
static double open_by(const char *said, const char *row)
{
    char        text[64];
    const char *found;

    snprintf(text, sizeof text, " %s by ", row);
    found = strstr(said, text);
    if (!found) fail_msg("no '%s' in '%s'", text, said);
    return strtod(found + strlen(text), NULL);
}

/* Two rods of 1 m for supports 3 m apart. The message counts in lengths to first order, e = (d^2 - L^2) / (2 d), so a
 * rod would have to be d = e + sqrt(e^2 + L^2) long; both together span the gap, by halves if P begins in the middle.
 */
static void rods_too_short(void **state)
{
    static const char *const start[] = { "[1.5, 0.4]", "[1.2, 0.4]", "[1.9, -2]" };

    (void)state;
    for (int k = 0; k < SAL_COUNT(start); k++) {
        char        text[1024];
        const char *said;
        double      left, right;
        rig         r;

        snprintf(text, sizeof text,
                 "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': [3, 0], 'fixed': true },"
                 "            'C': { 'at': [0, 5], 'fixed': true }, 'P': { 'at': %s }, 'S': { 'at': [0, 4] } },"
                 "'bodies': { 'ball': { 'type': 'point_mass', 'point': 'P', 'mass': 1 },"
                 "            'fine': { 'type': 'bar', 'points': ['C', 'S'], 'mass': 1 } },"
                 "'joints': { 'left': { 'type': 'distance', 'points': ['A', 'P'], 'length': 1 },"
                 "            'right': { 'type': 'distance', 'points': ['B', 'P'], 'length': 1 } }",
                 start[k]);
        r = rig_load(text);
        assert_int_equal(rig_try(&r, NULL), SAL_ERR_ASSEMBLY);
        assert_null(r.run);
        said  = sal_message(r.context);
        left  = open_by(said, "left");
        right = open_by(said, "right");
        assert_says(said, "cannot be assembled from the positions given; stays open: ");
        assert_null(strstr(said, "fine"));
        assert_null(strstr(said, "dof"));
        if (k == 0) assert_says(said, "left by 0.5 m, right by 0.5 m");
        /* 1 m is missing in all; three digits are printed, and the search ends near the line between A and B, not on
         * it */
        assert_near(left + right, 1.0, 0.02);
        rig_free(&r);
    }
}

/* A pin that cannot close: the bar ends 0.5 m away from where it should. */
static void pin_out_of_reach(void **state)
{
    rig r = rig_load("'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': [2.5, 0], 'fixed': true },"
                     "            'P': { 'at': [1, 0], 'dof': true }, 'Q': { 'at': [2, 0], 'dof': true } },"
                     "'bodies': { 'bar': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1 },"
                     "            'ball': { 'type': 'point_mass', 'point': 'Q', 'mass': 1 } },"
                     "'joints': { 'pin': { 'type': 'revolute', 'points': ['Q', 'B'] } }");

    (void)state;
    assert_int_equal(rig_try(&r, NULL), SAL_ERR_ASSEMBLY);
    assert_says(sal_message(r.context), "stays open: pin.x by 0.5 m (with the coordinates marked dof kept)");
    assert_null(strstr(sal_message(r.context), "pin.y"));
    assert_null(strstr(sal_message(r.context), "bar"));
    rig_free(&r);
}

/* More coordinates marked than the mechanism has freedoms: an error where they contradict the constraints, none where
 * not. */
static void too_many_marked(void **state)
{
#define TWO_MARKS(at, velocity)                                                   \
    "'points': { 'A': { 'at': [0, 0], 'fixed': true },"                           \
    "            'P': { 'at': " at ", 'dof': true, 'velocity': " velocity " } }," \
    "'bodies': { 'bar': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'length': 1.25 } }"
    rig r = rig_load(TWO_MARKS("[0.75, 1.5]", "[0, 0]"));

    (void)state;
    assert_int_equal(rig_try(&r, NULL), SAL_ERR_ASSEMBLY);
    assert_says(sal_message(r.context), "bar by 0.427 m"); /* sqrt(2.8125) - 1.25 */
    assert_says(sal_message(r.context), "dof kept");
    rig_free(&r);

    r = rig_load(TWO_MARKS("[0.75, 1]", "[0, 1]"));
    assert_int_equal(rig_try(&r, NULL), SAL_ERR_ASSEMBLY);
    assert_says(sal_message(r.context), "the velocities given contradict the constraint bar");
    assert_says(sal_message(r.context), "dof kept");
    rig_free(&r);

    r = rig_load(TWO_MARKS("[0.75, 1]", "[-4, 3]"));
    rig_run(&r, NULL);
    assert_true(sal_run_q(r.run)[0] == 0.75 && sal_run_q(r.run)[1] == 1.0);
    assert_true(sal_run_v(r.run)[0] == -4.0 && sal_run_v(r.run)[1] == 3.0);
    rig_free(&r);
#undef TWO_MARKS
}

/* Velocities no constraint can follow: the rod's length changes while both its ends are held. */
static void impossible_velocities(void **state)
{
    rig r = rig_load("'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0], 'dof': true } },"
                     "'bodies': { 'ball': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                     "'joints': { 'rod': { 'type': 'distance', 'points': ['A', 'P'], 'length': '1 + t' } }");

    (void)state;
    assert_int_equal(rig_try(&r, NULL), SAL_ERR_ASSEMBLY);
    assert_says(sal_message(r.context), "the velocities given contradict the constraint rod");
    rig_free(&r);
}

/* A restart after an impossible parameter fails with the same words; with a possible one the run goes on. */
static void restart_assembles_again(void **state)
{
    rig r = rig_load("'parameters': { 'L': 2 },"
                     "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': [3, 0], 'fixed': true },"
                     "            'P': { 'at': [1.5, -1] } },"
                     "'bodies': { 'left': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'length': 'L' },"
                     "            'ball': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                     "'joints': { 'right': { 'type': 'distance', 'points': ['B', 'P'], 'length': 2 } }");

    (void)state;
    rig_run(&r, NULL);
    assert_near(sal_run_q(r.run)[0], 1.5, 1e-14);
    assert_near(sal_run_q(r.run)[1], -sqrt(4 - 2.25), 1e-14);
    assert_int_equal(sal_run_set(r.run, "L", 0.5), SAL_OK);
    assert_int_equal(sal_run_restart(r.run), SAL_ERR_ASSEMBLY);
    assert_says(sal_run_message(r.run), "left by ");
    assert_int_equal(sal_run_step(r.run), SAL_ERR_ASSEMBLY);
    assert_int_equal(sal_run_set(r.run, "L", 1.5), SAL_OK);
    assert_int_equal(sal_run_restart(r.run), SAL_OK);
    assert_near(hypot(sal_run_q(r.run)[0], sal_run_q(r.run)[1]), 1.5, 1e-14);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marked_coordinates_are_kept),
        cmocka_unit_test(one_axis_is_kept),
        cmocka_unit_test(nearest_on_a_circle),
        cmocka_unit_test(nearest_of_a_mechanism),
        cmocka_unit_test(driven_points_at_the_start),
        cmocka_unit_test(consistent_input_is_left_alone),
        cmocka_unit_test(redundant_but_consistent),
        cmocka_unit_test(rods_too_short),
        cmocka_unit_test(pin_out_of_reach),
        cmocka_unit_test(too_many_marked),
        cmocka_unit_test(impossible_velocities),
        cmocka_unit_test(restart_assembles_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
