/* test_api_drawing.c - the public interface of the drawing: what elements are drawn as, and the numbers of it at the
 * state of a run, against positions, angles and reactions that the run tells in other ways. */
#include "api.h"

/* The item number `nth` of a kind, which must be there. */
static int find(const api *a, sal_drawing_kind kind, int nth, sal_drawing *d)
{
    for (int k = 0; k < sal_model_drawing_count(a->model); k++) {
        assert_true(sal_model_drawing(a->model, k, d));
        if (d->kind == kind && nth-- == 0) return k;
    }
    fail_msg("no item of kind %d", (int)kind);
    return -1;
}

static int count(const api *a, sal_drawing_kind kind)
{
    sal_drawing d;
    int         n = 0;

    for (int k = 0; sal_model_drawing(a->model, k, &d); k++) n += d.kind == kind;
    return n;
}

/* The numbers of that item; `at` has room for 8 points. */
static sal_drawing_state look(const api *a, sal_drawing_kind kind, int nth, double at[8][2])
{
    double            none[8][2];
    sal_drawing       d;
    sal_drawing_state s;
    const int         k = find(a, kind, nth, &d);

    assert_true(d.npoints <= 8);
    assert_true(sal_run_drawing(a->run, k, (at ? at : none)[0], &s));
    return s;
}

static double probe(const api *a, const char *expression)
{
    sal_probe *p;
    double     value;

    if (sal_probe_create(a->model, expression, &p) != SAL_OK) fail_msg("%s", sal_message(a->context));
    value = sal_probe_value(p, a->run);
    sal_probe_destroy(&p);
    return value;
}

static double reaction(const api *a, const char *name)
{
    char text[80];

    snprintf(text, sizeof text, "reaction(%s)", name);
    return probe(a, text);
}

/* Names of the points of an item, "P Q"; a place without a name is -. */
static void assert_points(const api *a, const sal_drawing *d, const char *expected)
{
    char           text[200] = "";
    sal_point_info info;

    for (int k = 0; k < d->npoints; k++) {
        info.name = "-";
        assert_true(d->points[k] == -1 || sal_model_point(a->model, d->points[k], &info));
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", k ? " " : "", info.name);
    }
    assert_string_equal(text, expected);
}

static void assert_element(const api *a, const sal_drawing *d, const char *name)
{
    sal_element_info info;

    assert_true(sal_model_element(a->model, d->element, &info));
    assert_string_equal(info.name, name);
}

/* Where a point is by another way. */
static void assert_at(const api *a, const char *point, const double at[2])
{
    double pos[2];

    assert_int_equal(sal_run_point(a->run, point, pos, NULL), SAL_OK);
    assert_near(at[0], pos[0], 1e-14);
    assert_near(at[1], pos[1], 1e-14);
}

/* ------------------------------------------------------------------------------- bodies and joints */

#define BARS                                                                                             \
    "'parameters': { 'c': 0.4 }, 'points': { 'O': { 'at': [0, 0], 'fixed': true },"                      \
    " 'A': { 'at': [1, 0] }, 'B': { 'at': [2, 0.5] }, 'W': { 'at': [0, 2], 'fixed': true } },"           \
    "'bodies': { 'crank': { 'type': 'bar', 'points': ['O', 'A'], 'mass': 1 }, 'rod': { 'type': 'rigid'," \
    " 'points': ['A', 'B'], 'mass': 2, 'centre': ['c', 0.1], 'inertia': 0.2, 'markers': { 'M': [0.5, 0.3] } } }"

static void test_bodies(void **state)
{
    api               a = api_load(BARS);
    double            at[8][2];
    sal_drawing       d;
    sal_drawing_state s;

    (void)state;
    assert_int_equal(sal_model_drawing_count(a.model), 4);
    find(&a, SAL_DRAW_BODY, 0, &d);
    assert_string_equal(d.name, "body");
    assert_element(&a, &d, "crank");
    assert_points(&a, &d, "O A");
    assert_int_equal(d.body, d.element);
    assert_int_equal(d.reference, -1);
    assert_false(d.curve);
    find(&a, SAL_DRAW_BODY, 1, &d);
    assert_points(&a, &d, "A B M");
    find(&a, SAL_DRAW_MASS, 1, &d);
    assert_element(&a, &d, "rod");
    assert_points(&a, &d, "-");
    assert_false(sal_model_drawing(a.model, -1, &d));
    assert_false(sal_model_drawing(a.model, 4, &d));

    api_run(&a, NULL);
    api_to(&a, 0.7);
    s = look(&a, SAL_DRAW_BODY, 1, at);
    assert_at(&a, "A", at[0]);
    assert_at(&a, "B", at[1]);
    assert_at(&a, "M", at[2]);
    assert_near(s.angle, probe(&a, "angle(rod)"), 1e-13);
    assert_true(isnan(s.radius) && isnan(s.height) && isnan(s.force[0]) && isnan(s.torque) && isnan(s.reference));
    look(&a, SAL_DRAW_MASS, 0, at);
    assert_near(at[0][0], 0.5 * probe(&a, "x(A)"), 1e-12);
    assert_near(at[0][1], 0.5 * probe(&a, "y(A)"), 1e-12);
    look(&a, SAL_DRAW_MASS, 1, at);
    assert_near(at[0][0], probe(&a, "x(A) + c*cos(angle(rod)) - 0.1*sin(angle(rod))"), 1e-12);
    assert_near(at[0][1], probe(&a, "y(A) + c*sin(angle(rod)) + 0.1*cos(angle(rod))"), 1e-12);
    assert_false(sal_run_drawing(a.run, 4, at[0], &s));
    assert_false(sal_run_drawing(a.run, -1, at[0], &s));
    assert_true(sal_run_drawing(a.run, 0, NULL, NULL));
    assert_false(sal_run_drawing_curve(a.run, 0, 0.0, at[0]));
    assert_false(sal_run_drawing_curve(a.run, 9, 0.0, at[0]));
    api_free(&a);
}

static void test_joints(void **state)
{
    api a =
        api_load(BARS ",'joints': { 'pin': { 'type': 'revolute', 'points': ['M', 'W'], 'active': false },"
                      " 'pull': { 'type': 'spring', 'points': ['W', 'M'], 'stiffness': 9, 'damping': 1 },"
                      " 'damp': { 'type': 'spring', 'points': ['W', 'B'], 'damping': 1 },"
                      " 'twist': { 'type': 'torsion', 'body': 'rod', 'reference': 'crank', 'stiffness': 3 },"
                      " 'rope': { 'type': 'belt', 'first': ['W', 'A'], 'second': ['O', 'B'], 'active': false },"
                      " 'groove': { 'type': 'slot', 'point': 'B', 'line': ['W', 'A'], 'active': false },"
                      " 'push': { 'type': 'force', 'point': 'M', 'fx': '2*t', 'fy': 'x(B)', 'body': 'rod' },"
                      " 'motor': { 'type': 'torque', 'body': 'crank', 'torque': '3 - rate(crank)' } },"
                      "'contacts': { 'stop': { 'type': 'angle_stop', 'body': 'rod', 'reference': 'crank', 'max': 3 },"
                      " 'chain': { 'type': 'length_stop', 'points': ['W', 'B'], 'max': 'c + 5' } }");
    double            at[8][2];
    sal_drawing       d;
    sal_drawing_state s;

    (void)state;
    api_run(&a, NULL);
    api_to(&a, 0.4);
    find(&a, SAL_DRAW_PIN, 0, &d);
    assert_points(&a, &d, "M W");
    assert_int_equal(count(&a, SAL_DRAW_SPRING), 1);
    assert_int_equal(count(&a, SAL_DRAW_DAMPER), 2);
    look(&a, SAL_DRAW_SPRING, 0, at);
    assert_at(&a, "W", at[0]);
    assert_at(&a, "M", at[1]);
    find(&a, SAL_DRAW_TORSION, 0, &d);
    assert_points(&a, &d, "A"); /* that both bodies have */
    s = look(&a, SAL_DRAW_TORSION, 0, at);
    assert_near(s.angle - s.reference, probe(&a, "angle(rod) - angle(crank)"), 1e-13);
    assert_near(s.rate, probe(&a, "rate(rod) - rate(crank)"), 1e-13);
    find(&a, SAL_DRAW_ROPE, 0, &d);
    assert_points(&a, &d, "A W O B");
    find(&a, SAL_DRAW_SLIDER, 0, &d);
    assert_points(&a, &d, "B W A");
    assert_int_equal(d.body, -1);
    s = look(&a, SAL_DRAW_SLIDER, 0, at);
    assert_near(s.direction[0], probe(&a, "(x(A) - x(W))/distance(A, W)"), 1e-14);
    assert_near(s.direction[1], probe(&a, "(y(A) - y(W))/distance(A, W)"), 1e-14);
    s = look(&a, SAL_DRAW_FORCE, 0, at);
    assert_at(&a, "M", at[0]);
    assert_near(s.force[0], probe(&a, "0.8*cos(angle(rod)) - x(B)*sin(angle(rod))"), 1e-12);
    assert_near(s.force[1], probe(&a, "0.8*sin(angle(rod)) + x(B)*cos(angle(rod))"), 1e-12);
    s = look(&a, SAL_DRAW_TORQUE, 0, at);
    assert_at(&a, "O", at[0]);
    assert_near(s.torque, reaction(&a, "motor.torque"), 1e-13);
    assert_near(s.reference, 0.0, 0.0);
    assert_near(s.rate, probe(&a, "rate(crank)"), 1e-13);
    s = look(&a, SAL_DRAW_ANGLE, 0, NULL);
    assert_true(isnan(s.low));
    assert_near(s.high, 3.0, 0.0);
    s = look(&a, SAL_DRAW_LIMIT, 0, NULL);
    assert_near(s.high, 5.4, 1e-15);
    api_free(&a);
}

/* Pitch circles touch, whether radii or numbers of teeth are given. */
static void test_gears(void **state)
{
    static const char text[] =
        "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'C': { 'at': [3, 0], 'fixed': true }, 'A': { 'at': [1, 0] },"
        " 'B': { 'at': [3, 1] }, 'R': { 'at': [3, -2] }, 'S': { 'at': [4, -2] } },"
        "'bodies': { 'one': { 'type': 'bar', 'points': ['O', 'A'], 'mass': 1 }, 'two': { 'type': 'bar', 'points':"
        " ['C', 'B'], 'mass': 1 }, 'bar': { 'type': 'bar', 'points': ['R', 'S'], 'mass': 1 } },"
        "'joints': { 'mesh': { 'type': 'gear', 'body1': 'one', 'body2': 'two', 'radii': [20, 40] },"
        " 'ring': { 'type': 'gear', 'body1': 'one', 'body2': 'two', 'radii': [1, 4], 'internal': true,"
        " 'active': false },"
        " 'rack': { 'type': 'rack', 'body': 'two', 'centre': 'C', 'radius': 2, 'point': 'R', 'angle': 0.3 },"
        " 'along': { 'type': 'rack', 'body': 'two', 'centre': 'C', 'radius': 2, 'point': 'R', 'line': ['R', 'S'],"
        " 'active': false } }";
    api               a = api_load(text);
    double            at[8][2];
    sal_drawing       d;
    sal_drawing_state s;

    (void)state;
    api_run(&a, NULL);
    api_to(&a, 0.1);
    assert_near(look(&a, SAL_DRAW_GEAR, 0, at).radius, 1.0, 1e-14);
    assert_at(&a, "O", at[0]);
    assert_near(look(&a, SAL_DRAW_GEAR, 1, at).radius, 2.0, 1e-14);
    assert_at(&a, "C", at[0]);
    assert_near(look(&a, SAL_DRAW_GEAR, 2, NULL).radius, 1.0, 1e-14);
    assert_near(look(&a, SAL_DRAW_GEAR, 3, NULL).radius, 4.0, 1e-14);
    s = look(&a, SAL_DRAW_GEAR, 4, at);
    assert_near(s.radius, 2.0, 0.0);
    assert_near(s.angle, probe(&a, "angle(two)"), 1e-13);
    s = look(&a, SAL_DRAW_RACK, 0, NULL);
    assert_near(s.direction[1], sin(0.3), 1e-15);
    find(&a, SAL_DRAW_RACK, 1, &d);
    assert_points(&a, &d, "R R S");
    s = look(&a, SAL_DRAW_RACK, 1, NULL);
    assert_near(s.direction[1], probe(&a, "sin(angle(bar))"), 1e-14);
    api_free(&a);
}

/* -------------------------------------------------------------------------------- ground and contacts */

#define WHEEL                                                                           \
    "'points': { 'P': { 'at': [0.5, 1], 'velocity': [1, 0] }, 'Q': { 'at': [1, 1] } }," \
    "'bodies': { 'wheel': { 'type': 'rigid', 'points': ['P', 'Q'], 'mass': 1, 'centre': [0, 0], 'inertia': 0.1 } },"

static void test_ground_at_an_angle(void **state)
{
    api a = api_load(WHEEL "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'angle': 0.2, 'speed': '2*t',"
                           " 'height': '-0.3 + 0.1*t', 'radius': 0.5, 'body': 'wheel', 'mu_kinetic': 0.4 } }");
    double            at[8][2], y, N, T;
    sal_drawing       d;
    sal_drawing_state s;
    int               k;

    (void)state;
    api_run(&a, NULL);
    s = look(&a, SAL_DRAW_CONTACT, 0, NULL);
    assert_near(s.force[0], 0.0, 0.0);
    api_event(&a);
    api_to(&a, sal_run_time(a.run) + 0.05);
    k = find(&a, SAL_DRAW_GROUND, 0, &d);
    assert_element(&a, &d, "floor");
    assert_true(d.curve && d.npoints == 0);
    s = look(&a, SAL_DRAW_GROUND, 0, NULL);
    assert_near(s.height, probe(&a, "-0.3 + 0.1*t"), 1e-15);
    assert_near(s.angle, 0.2, 0.0);
    assert_near(s.direction[0], cos(0.2), 1e-15);
    assert_near(s.direction[1], sin(0.2), 1e-15);
    assert_near(s.speed, probe(&a, "2*t"), 1e-15);
    assert_true(sal_run_drawing_curve(a.run, k, 2.0, &y));
    assert_near(y, probe(&a, "-0.3 + 0.1*t + 2*tan(0.2)"), 1e-14);
    s = look(&a, SAL_DRAW_DISC, 0, at);
    assert_at(&a, "P", at[0]);
    assert_near(s.radius, 0.5, 0.0);
    assert_near(s.angle, probe(&a, "angle(wheel)"), 1e-13);
    s = look(&a, SAL_DRAW_CONTACT, 0, at);
    N = reaction(&a, "floor.normal");
    T = reaction(&a, "floor.friction");
    assert_true(N > 1.0 && fabs(T) > 0.1);
    assert_near(s.direction[0], -sin(0.2), 1e-15);
    assert_near(s.force[0], -N * sin(0.2) + T * cos(0.2), 1e-12);
    assert_near(s.force[1], N * cos(0.2) + T * sin(0.2), 1e-12);
    assert_near(s.friction, 0.4, 0.0);
    assert_true(sal_run_drawing_curve(a.run, k, s.place[0], &y)); /* it stands on the ground */
    assert_near(s.place[1], y, 1e-9);
    api_free(&a);
}

static void test_profile(void **state)
{
    api    a = api_load("'parameters': { 'h': 0.1 }, 'points': { 'P': { 'at': [0.5, 1] }, 'B': { 'at': [1, 'h'] } },"
                           "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 },"
                           " 'bead': { 'type': 'point_mass', 'point': 'B', 'mass': 1 } },"
                           "'joints': { 'wire': { 'type': 'curve', 'point': 'B', 'profile': 'h*x^2' } },"
                           "'contacts': { 'hills': { 'type': 'ground', 'points': ['P'], 'height': 0.05,"
                           " 'profile': 'h*sin(3*x) + 0.2*t', 'law': 'slide' } }");
    double y, N;
    sal_drawing       d;
    sal_drawing_state s;
    int               k;

    (void)state;
    api_run(&a, NULL);
    assert_int_equal(sal_run_set(a.run, "h", 0.12), SAL_OK);
    assert_int_equal(sal_run_restart(a.run), SAL_OK);
    api_event(&a);
    api_to(&a, sal_run_time(a.run) + 0.01);
    k = find(&a, SAL_DRAW_CURVE, 0, &d);
    assert_true(d.curve);
    assert_points(&a, &d, "B");
    assert_true(sal_run_drawing_curve(a.run, k, 2.0, &y));
    assert_near(y, 0.48, 1e-15);
    assert_true(sal_run_drawing_curve(a.run, k, probe(&a, "x(B)"), &y));
    assert_near(y, probe(&a, "y(B)"), 1e-9);
    k = find(&a, SAL_DRAW_GROUND, 0, &d);
    assert_true(sal_run_drawing_curve(a.run, k, 2.0, &y));
    assert_near(y, probe(&a, "0.05 + h*sin(6) + 0.2*t"), 1e-15);
    s = look(&a, SAL_DRAW_GROUND, 0, NULL);
    assert_true(isnan(s.angle) && isnan(s.direction[0]));
    s = look(&a, SAL_DRAW_CONTACT, 0, NULL);
    N = reaction(&a, "hills.normal");
    assert_true(N > 0.1);
    assert_near(hypot(s.force[0], s.force[1]), N, 1e-12);
    assert_near(s.direction[0] / s.direction[1], probe(&a, "-3*h*cos(3*x(P))"), 1e-12);
    api_free(&a);
}

/* Forces of discs are those on the second; those of compliant contacts come from formulas; of several points each has
 * its own. */
static void test_contacts(void **state)
{
    api a = api_load(
        "'gravity': [0, 0], 'points': { 'P': { 'at': [0, 0] }, 'Q': { 'at': [0.9, 0.3], 'velocity': [-1, 0] },"
        " 'R': { 'at': [0.2, -0.99] }, 'S': { 'at': [5, 5] }, 'A': { 'at': [-1, -1], 'fixed': true },"
        " 'B': { 'at': [1, -1], 'fixed': true } },"
        "'bodies': { 'p': { 'type': 'point_mass', 'point': 'P', 'mass': 1 }, 'q': { 'type': 'point_mass', 'point': 'Q',"
        " 'mass': 1 }, 'r': { 'type': 'point_mass', 'point': 'R', 'mass': 1 }, 's': { 'type': 'point_mass', 'point':"
        " 'S', 'mass': 1 } },"
        "'joints': { 'press': { 'type': 'force', 'point': 'R', 'fx': 1, 'fy': -2 } },"
        "'contacts': { 'balls': { 'type': 'discs', 'points': ['P', 'Q'], 'radii': [0.5, 0.5], 'law': 'compliant',"
        " 'stiffness': 100, 'exponent': 1, 'mu_kinetic': 0.3 },"
        " 'wall': { 'type': 'edge', 'points': ['S', 'R'], 'line': ['A', 'B'], 'mu_kinetic': 0.5, 'closed': ['R'] } }");
    double            at[8][2], depth;
    sal_drawing       d;
    sal_drawing_state s;

    (void)state;
    api_run(&a, NULL);
    s     = look(&a, SAL_DRAW_CONTACT, 0, at);
    depth = probe(&a, "1 - distance(P, Q)");
    assert_true(depth > 0.01);
    assert_at(&a, "Q", at[0]);
    assert_near(s.direction[0], probe(&a, "(x(Q) - x(P))/distance(P, Q)"), 1e-14);
    assert_near(s.force[0] * s.direction[0] + s.force[1] * s.direction[1], 100.0 * depth, 1e-11);
    assert_near(-s.force[0] * s.direction[1] + s.force[1] * s.direction[0], -0.3 * 100.0 * depth, 1e-4);
    assert_near(s.place[0], probe(&a, "x(Q) - 0.5*(x(Q) - x(P))/distance(P, Q)"), 1e-14);
    assert_int_equal(count(&a, SAL_DRAW_DISC), 2);
    find(&a, SAL_DRAW_EDGE, 0, &d);
    assert_points(&a, &d, "A B");
    s = look(&a, SAL_DRAW_EDGE, 0, NULL);
    assert_near(s.direction[0], 1.0, 1e-15);
    find(&a, SAL_DRAW_CONTACT, 1, &d);
    assert_points(&a, &d, "S");
    s = look(&a, SAL_DRAW_CONTACT, 1, NULL);
    assert_near(hypot(s.force[0], s.force[1]), 0.0, 0.0);
    s = look(&a, SAL_DRAW_CONTACT, 2, at);
    assert_at(&a, "R", at[0]);
    assert_near(s.force[1], 2.0, 1e-12);
    assert_near(s.force[0], reaction(&a, "wall.R.friction"), 1e-12);
    api_free(&a);
}

/* --------------------------------------------------------------------------- what says nothing itself */

/* What has no picture of its own: lines and marks at the points that formulas name. */
static void test_formulas(void **state)
{
    api a = api_load("'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0] }, 'Q': { 'at': [2, 0] } },"
                     "'types': { 'circle': { 'arguments': { 'C': 'point', 'X': 'point', 'r': 'value' },"
                     " 'rows': ['distance(X, C) - r'] } },"
                     "'bodies': { 'p': { 'type': 'point_mass', 'point': 'P', 'mass': 1 },"
                     " 'bar': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 1, 'markers': { 'M': [0.5, 0.5] } } },"
                     "'joints': { 'ring': { 'type': 'circle', 'C': 'O', 'X': 'P', 'r': 1 },"
                     " 'motor': { 'type': 'driver', 'of': 'angle(bar)', 'value': 't' },"
                     " 'drag': { 'type': 'formula', 'forces': { 'vx(M)': '-vx(M) - y(M)' } } },"
                     "'contacts': { 'high': { 'type': 'event', 'when': 'y(M) - y(O)', 'stop': true },"
                     " 'late': { 'type': 'event', 'when': 't - 9' } }");
    sal_drawing d;

    (void)state;
    find(&a, SAL_DRAW_LINE, 0, &d);
    assert_element(&a, &d, "ring");
    assert_points(&a, &d, "O P");
    find(&a, SAL_DRAW_MOTOR, 0, &d);
    assert_element(&a, &d, "motor");
    assert_points(&a, &d, "P");
    find(&a, SAL_DRAW_POINTS, 0, &d);
    assert_element(&a, &d, "drag");
    assert_points(&a, &d, "M");
    find(&a, SAL_DRAW_POINTS, 1, &d);
    assert_element(&a, &d, "high");
    assert_points(&a, &d, "M O");
    assert_int_equal(count(&a, SAL_DRAW_POINTS), 2); /* an instant is nowhere */
    assert_int_equal(count(&a, SAL_DRAW_LINE), 1);
    api_free(&a);
}

/* What is driven: a body at the end that stands still, two bodies where they meet, points. */
static void test_motors(void **state)
{
    api a = api_load(BARS ",'joints': { 'turn': { 'type': 'driver', 'of': '2*angle(crank)', 'value': 't' },"
                          " 'fold': { 'type': 'driver', 'of': 'angle(rod) - angle(crank)', 'value': 't' },"
                          " 'lift': { 'type': 'driver', 'of': 'y(B)', 'value': 't', 'active': false },"
                          " 'jack': { 'type': 'driver', 'of': 'distance(W, B)', 'value': 't',"
                          " 'active': false } },"
                          "'contacts': { 'free': { 'type': 'event', 'when': '0.1 - t', 'release': 'turn' },"
                          " 'floor': { 'type': 'ground', 'points': ['B'], 'height': -9, 'active': false } }");
    static const struct {
        const char *name, *points, *body, *reference;
        bool        holds;
    } expected[] = { { "turn", "O", "crank", NULL, true },
                     { "fold", "A", "rod", "crank", true },
                     { "lift", "B", NULL, NULL, false },
                     { "jack", "W B", NULL, NULL, false } };
    sal_drawing      d;
    sal_element_info e;

    (void)state;
    api_run(&a, NULL);
    for (int k = 0; k < 4; k++) {
        find(&a, SAL_DRAW_MOTOR, k, &d);
        assert_element(&a, &d, expected[k].name);
        assert_points(&a, &d, expected[k].points);
        assert_int_equal(sal_model_element(a.model, d.body, &e), expected[k].body != NULL);
        if (expected[k].body) assert_string_equal(e.name, expected[k].body);
        assert_int_equal(sal_model_element(a.model, d.reference, &e), expected[k].reference != NULL);
        if (expected[k].reference) assert_string_equal(e.name, expected[k].reference);
        assert_int_equal(look(&a, SAL_DRAW_MOTOR, k, NULL).holds, expected[k].holds);
    }
    assert_false(look(&a, SAL_DRAW_GROUND, 0, NULL).holds);
    assert_true(look(&a, SAL_DRAW_BODY, 0, NULL).holds);
    api_event(&a);
    assert_false(look(&a, SAL_DRAW_MOTOR, 0, NULL).holds);
    assert_true(look(&a, SAL_DRAW_MOTOR, 1, NULL).holds);
    api_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies),   cmocka_unit_test(test_joints),
        cmocka_unit_test(test_gears),    cmocka_unit_test(test_ground_at_an_angle),
        cmocka_unit_test(test_profile),  cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_formulas), cmocka_unit_test(test_motors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
