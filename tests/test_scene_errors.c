/* test_scene_errors.c - what the scene loader refuses. Every message is pinned with file, line, column and path: they are
 * what a user corrects a scene by. */
#include "engine/scene/fields.h"
#include "tests/scene_fixture.h"

/* --------------------------------------------------------------------------------------- fixture */

typedef struct refusal {
    const char *input, *message;
} refusal;

/* The sign of a NaN is nobody's business. */
static void without_nan_sign(char *text)
{
    for (char *at; (at = strstr(text, "-nan"));) memmove(at, at + 1, strlen(at));
}

static void check_refused(const refusal *r, bool at_start)
{
    fixture f;
    char    message[8192], expected[8192];

    begin(&f);
    with_joints(&f, r->message, expected, sizeof expected);
    if (at_start) {
        parse(&f, r->input);
        if (f.status != SAL_OK) print_error("%s\n%s", r->input, sal_message(f.context));
        assert_int_equal(f.status, SAL_OK);
        drop(&f);
        start(&f, r->input);
    } else {
        parse(&f, r->input);
    }
    snprintf(message, sizeof message, "%s", sal_message(f.context));
    without_nan_sign(message);
    if (strcmp(message, expected) != 0) print_error("%s\n", r->input);
    assert_string_equal(message, expected);
    assert_int_equal(f.status, SAL_ERR_SCENE);
    assert_null(f.run);
    if (!at_start) assert_null(f.scene);
    end(&f);
}

static void check_refusals(const refusal *list, int count)
{
    for (int i = 0; i < count; i++) check_refused(&list[i], false);
}

/* ------------------------------------------------------------------------------------- refusals */

static void test_unknown_keys(void **state)
{
    static const refusal list[] = {
        { SCENE("'bodys': {}"), "t.json:2:1: unknown key 'bodys'; did you mean 'bodies'?\n" },
        { SCENE("'zzzzzz': 1"),
          "t.json:2:1: unknown key 'zzzzzz'; known here: saltus, $schema, parameters, types, memory, points, "
          "bodies, joints, contacts, outputs, costs, cycle, simulation, ranges, optimize, name, gravity\n" },
        { POINT("'at': [0, 0], 'fixd': true"), "t.json:1:46: points.P: unknown key 'fixd'; did you mean 'fixed'?\n" },
        { POINT("'at': [0, 0], 'colour': 1"),
          "t.json:1:46: points.P: unknown key 'colour'; known here: at, fixed, dof, velocity\n" },
        { POINT("'att': [0, 0]"), "t.json:1:32: points.P: unknown key 'att'; did you mean 'at'?\n" },
        { BODY("'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'lenght': 2"),
          "t.json:2:66: bodies.b: unknown key 'lenght'; did you mean 'length'?\n" },
        { BODY("'type': 'bar', 'points': ['A', 'P'], 'mas': 1"),
          "t.json:2:55: bodies.b: unknown key 'mas'; did you mean 'mass'?\n" },
        { BODY("'type': 'point_mass', 'point': 'P', 'mass': 1, 'alpha': 1"),
          "t.json:2:65: bodies.b: unknown key 'alpha'; known here: type, point, mass\n" },
        { JOINT("'type': 'spring', 'points': ['A', 'P'], 'stifness': 2"),
          "t.json:2:58: joints.j: unknown key 'stifness'; did you mean 'stiffness'?\n" },
        { JOINT("'type': 'revolute', 'points': ['P', 'Q'], 'friction': 2"),
          "t.json:2:60: joints.j: unknown key 'friction'; known here: type, points, alpha, active\n" },
        { CONTACT("'type': 'ground', 'points': ['P'], 'law': 'reset', 'restitutoin': 1"),
          "t.json:2:71: contacts.c: unknown key 'restitutoin'; did you mean 'restitution'?\n" },
        { CONTACT("'type': 'event', 'when': 't - 1', 'then': 1"),
          "t.json:2:54: contacts.c: unknown key 'then'; did you mean 'when'?\n" },
        { SCENE("'simulation': {'durration': 1}"),
          "t.json:2:16: simulation: unknown key 'durration'; did you mean 'duration'?\n" },
        { SCENE("'simulation': {'solver': 1}"),
          "t.json:2:16: simulation: unknown key 'solver'; known here: duration, form, integrator, rtol, atol, output, "
          "max_step, min_step, stabilization, alpha, xi, omega\n" },
        { SCENE("'costs': {'z': {'runing': 't'}}"),
          "t.json:2:17: costs.z: unknown key 'runing'; did you mean 'running'?\n" },
        { SCENE("'costs': {'z': {'running': 't', 'weight': 2}}"),
          "t.json:2:33: costs.z: unknown key 'weight'; known here: running, terminal, events, peak, average, value, "
          "at\n" },
    };

    (void)state;
    check_refusals(list, SAL_COUNT(list));
}

static void test_duplicate_keys(void **state)
{
    static const refusal list[] = {
        { SCENE("'gravity': [0, 0], 'gravity': [0, 1]"),
          "t.json:2:20: duplicate key 'gravity'; first given at line 2\n" },
        { "{'saltus': 1, 'points': {'P': {'at': [0, 0]},\n"
          " 'P': {'at': [1, 0]}}}",
          "t.json:2:2: points: duplicate key 'P'; first given at line 1\n" },
        { BODY("'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'mass': 2"),
          "t.json:2:66: bodies.b: duplicate key 'mass'; first given at line 2\n" },
    };

    (void)state;
    check_refusals(list, SAL_COUNT(list));
}

static void test_wrong_types(void **state)
{
    static const refusal list[] = {
        { BODY("'type': 'bar', 'points': ['A', 'P'], 'mass': true"),
          "t.json:2:63: bodies.b.mass: expected a number or an expression, found true\n" },
        { BODY("'type': 'bar', 'points': ['A', 'P'], 'mass': null"),
          "t.json:2:63: bodies.b.mass: expected a number or an expression, found null\n" },
        { SCENE("'gravity': 9.81"), "t.json:2:12: gravity: expected two numbers [x, y], found a number\n" },
        { SCENE("'gravity': [0]"), "t.json:2:12: gravity: expected two numbers [x, y], found a list of 1\n" },
        { SCENE("'gravity': [0, 1, 2]"), "t.json:2:12: gravity: expected two numbers [x, y], found a list of 3\n" },
        { SCENE("'gravity': [0, []]"), "t.json:2:16: gravity[1]: expected a number or an expression, found a list\n" },
        { SCENE("'gravity': '0'"), "t.json:2:12: gravity: expected two numbers [x, y], found text\n" },
        { BODY("'type': 'point_mass', 'point': 3, 'mass': 1"),
          "t.json:2:49: bodies.b.point: expected the name of a point, found a number\n" },
        { BODY("'type': 'point_mass', 'point': ['P'], 'mass': 1"),
          "t.json:2:49: bodies.b.point: expected the name of a point, found a list\n" },
        { JOINT("'type': 'revolute', 'points': 'P'"),
          "t.json:2:48: joints.j.points: expected a list of two names of points, found text\n" },
        { JOINT("'type': 'revolute', 'points': ['P']"),
          "t.json:2:48: joints.j.points: expected a list of two names of points, found a list of 1\n" },
        { JOINT("'type': 'revolute', 'points': ['P', 'Q', 'A']"),
          "t.json:2:48: joints.j.points: expected a list of two names of points, found a list of 3\n" },
        { JOINT("'type': 'revolute', 'points': ['P', 1]"),
          "t.json:2:54: joints.j.points[1]: expected the name of a point, found a number\n" },
        { BODY("'type': 'bar', 'points': {}, 'mass': 1"),
          "t.json:2:43: bodies.b.points: expected a list of two names of points, found an object\n" },
        { CONTACT("'type': 'ground', 'points': 'P', 'law': 'reset', 'restitution': 1"),
          "t.json:2:48: contacts.c.points: expected a list of one or more names of points, found text\n" },
        { CONTACT("'type': 'ground', 'points': [], 'law': 'reset', 'restitution': 1"),
          "t.json:2:48: contacts.c.points: expected a list of one or more names of points, found a list of 0\n" },
        { CONTACT("'type': 'ground', 'points': ['P', false], 'law': 'reset', 'restitution': 1"),
          "t.json:2:54: contacts.c.points[1]: expected the name of a point, found false\n" },
        { POINT("'at': [0, 0], 'fixed': 1"), "t.json:1:55: points.P.fixed: expected true or false, found a number\n" },
        { POINT("'at': [0, 0], 'fixed': 'yes'"), "t.json:1:55: points.P.fixed: expected true or false, found text\n" },
        { CONTACT("'type': 'event', 'when': 't - 1', 'stop': 'true'"),
          "t.json:2:62: contacts.c.stop: expected true or false, found text\n" },
        { CONTACT("'type': 'event', 'when': 't - 1', 'direction': 1"),
          "t.json:2:67: contacts.c.direction: expected 'falling', 'rising' or 'both', found a number\n" },
        { CONTACT("'type': 'event', 'when': 't - 1', 'direction': 'fallling'"),
          "t.json:2:67: contacts.c.direction: expected 'falling', 'rising' or 'both', found 'fallling'; did you mean "
          "'falling'?\n" },
        { CONTACT("'type': 'ground', 'points': ['P'], 'law': 'newtons', 'restitution': 1"),
          "t.json:2:62: contacts.c.law: expected 'impact', 'newton', 'reset', 'stick', 'slide' or 'compliant', found "
          "'newtons'; did you mean 'newton'?\n" },
        { SCENE("'simulation': {'form': 'index2'}"), "t.json:2:24: simulation.form: expected 'index1', 'penalty' or "
                                                     "'index3', found 'index2'; did you mean 'index1'?\n" },
        { SCENE("'simulation': {'form': 'x'}"),
          "t.json:2:24: simulation.form: expected 'index1', 'penalty' or 'index3', found 'x'\n" },
        { SCENE("'simulation': {'stabilization': 'proj'}"),
          "t.json:2:33: simulation.stabilization: expected 'projection', 'baumgarte' or 'none', found 'proj'\n" },
        { POINT("'at': [0, 0], 'dof': 1"),
          "t.json:1:53: points.P.dof: expected true, false, \"x\" or \"y\", found a number\n" },
        { POINT("'at': [0, 0], 'dof': 'z'"),
          "t.json:1:53: points.P.dof: expected true, false, \"x\" or \"y\", found text\n" },
        { POINT("'at': [0, 0], 'dof': ['x']"),
          "t.json:1:53: points.P.dof: expected true, false, \"x\" or \"y\", found a list of 1\n" },
        { SCENE("'name': 5"), "t.json:2:9: name: expected text, found a number\n" },
        { CONTACT("'type': 'event', 'when': false"),
          "t.json:2:45: contacts.c.when: expected a number or an expression, found false\n" },
        { CONTACT("'type': 'event', 'when': ['t']"),
          "t.json:2:45: contacts.c.when: expected a number or an expression, found a list\n" },
        { CONTACT("'type': 'event', 'when': 't - 1', 'set': 'vx(P)'"),
          "t.json:2:61: contacts.c.set: expected an object { \"velocity\": \"expression\" }, found text\n" },
        { CONTACT("'type': 'event', 'when': 't - 1', 'set': {'vx(P)': null}"),
          "t.json:2:71: contacts.c.set.vx(P): expected a number or an expression, found null\n" },
        { BODY("'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'markers': ['M']"),
          "t.json:2:77: bodies.b.markers: expected an object { \"name\": [x, y] }, found a list of 1\n" },
        { BODY("'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'markers': {'M': 1}"),
          "t.json:2:83: bodies.b.markers.M: expected two numbers [x, y], found a number\n" },
        { BODY("'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'markers': {'M': [1, '2*']}"),
          "t.json:2:90: bodies.b.markers.M[1]: in '2*', column 3: unexpected end of the expression; expected a number, "
          "a name or '('\n" },
        { SCENE("'parameters': {'m': [1]}"),
          "t.json:2:21: parameters.m: expected a number or an expression, found a list\n" },
        { SCENE("'outputs': {'o': 1}"), "t.json:2:18: outputs.o: expected an expression, found a number\n" },
        { SCENE("'costs': {'z': 1}"), "t.json:2:16: costs.z: expected an object { ... }, found a number\n" },
        { SCENE("'parameters': 1"), "t.json:2:15: parameters: expected an object { ... }, found a number\n" },
        { SCENE("'bodies': []"), "t.json:2:11: bodies: expected an object { ... }, found a list\n" },
        { SCENE("'bodies': {'b': 'bar'}"), "t.json:2:17: bodies.b: expected an object { ... }, found text\n" },
        { SCENE("'joints': null"), "t.json:2:11: joints: expected an object { ... }, found null\n" },
        { SCENE("'contacts': 'no'"), "t.json:2:13: contacts: expected an object { ... }, found text\n" },
        { SCENE("'outputs': ['x(P)']"), "t.json:2:12: outputs: expected an object { ... }, found a list\n" },
        { SCENE("'costs': true"), "t.json:2:10: costs: expected an object { ... }, found true\n" },
        { SCENE("'simulation': 5"), "t.json:2:15: simulation: expected an object { ... }, found a number\n" },
        { "{'saltus': 1, 'points': []}", "t.json:1:25: points: expected an object { ... }, found a list\n" },
        { "{'saltus': 1, 'points': [0, {'at': [0, 0]}]}",
          "t.json:1:25: points: expected an object { ... }, found a list\n" },
        { "{'saltus': 1, 'points': 'P'}", "t.json:1:25: points: expected an object { ... }, found text\n" },
        { SCENE("'parameters': ['a', {'b': 1}], 'gravity': [0, 'g']"),
          "t.json:2:15: parameters: expected an object { ... }, found a list\n" },
        { SCENE("'bodies': [{'type': 'bar'}], 'outputs': {'a': 'angle(b)', 'l': 'lambda(b)'}"),
          "t.json:2:11: bodies: expected an object { ... }, found a list\n" },
        { SCENE("'simulation': [{'duration': 1}]"),
          "t.json:2:15: simulation: expected an object { ... }, found a list\n" },
        { "{'saltus': 1, 'points': {'P': [0, 0]}}",
          "t.json:1:31: points.P: expected an object { ... }, found a list\n" },
    };

    (void)state;
    check_refusals(list, SAL_COUNT(list));
}

static void test_missing(void **state)
{
    static const refusal list[] = {
        { POINT("'fixed': false"), "t.json:1:31: points.P: missing key 'at': where it is: of a fixed point, which may "
                                   "move in time; of a free point, roughly where it starts\n" },
        { BODY("'type': 'bar', 'points': ['A', 'P']"), "t.json:2:17: bodies.b: missing key 'mass': its mass\n" },
        { BODY("'type': 'bar', 'mass': 1"), "t.json:2:17: bodies.b: missing key 'points': the two ends\n" },
        { BODY("'type': 'rigid', 'points': ['A', 'P']"),
          "t.json:2:17: bodies.b: missing key 'mass': its mass\n"
          "t.json:2:17: bodies.b: missing key 'centre': centre of mass in the body frame\n"
          "t.json:2:17: bodies.b: missing key 'inertia': moment of inertia about the centre of mass\n" },
        { JOINT("'type': 'distance', 'points': ['A', 'P']"),
          "t.json:2:17: joints.j: missing key 'length': their distance\n" },
        { CONTACT("'type': 'ground'"),
          "t.json:2:19: contacts.c: missing key 'points': the points or markers that can touch\n" },
        { CONTACT("'type': 'discs', 'points': ['P', 'Q']"),
          "t.json:2:19: contacts.c: missing key 'radii': of the two discs\n" },
        { CONTACT("'type': 'angle_stop', 'min': 1"),
          "t.json:2:19: contacts.c: missing key 'body': the body whose angle is limited\n" },
        { CONTACT("'type': 'event'"),
          "t.json:2:19: contacts.c: missing key 'when': the event happens where this crosses zero\n" },
        { SCENE("'costs': {'z': {}}"), "t.json:2:16: costs.z: expected 'running', 'average', 'terminal', 'events', "
                                       "'peak' or 'value' with 'at', found none\n" },
        { BODY("'points': ['A', 'P']"), "t.json:2:17: bodies.b: missing key 'type': one of point_mass, bar, rigid\n" },
        { JOINT("'points': ['A', 'P']"), "t.json:2:17: joints.j: missing key 'type': one of {joints}\n" },
        { CONTACT("'//': 'no type'"),
          "t.json:2:19: contacts.c: missing key 'type': one of event, ground, edge, discs, angle_stop, "
          "length_stop, formula\n" },
    };

    (void)state;
    check_refusals(list, SAL_COUNT(list));
}

static void test_types(void **state)
{
    static const refusal list[] = {
        { BODY("'type': 'barr', 'points': ['A', 'P']"),
          "t.json:2:26: bodies.b.type: unknown type 'barr'; did you mean 'bar'?\n" },
        { BODY("'type': 'point_mas', 'point': 'P'"),
          "t.json:2:26: bodies.b.type: unknown type 'point_mas'; did you mean 'point_mass'?\n" },
        { BODY("'type': 'wheel'"),
          "t.json:2:26: bodies.b.type: unknown type 'wheel'; known here: point_mass, bar, rigid\n" },
        { JOINT("'type': 'hinge'"), "t.json:2:26: joints.j.type: unknown type 'hinge'; known here: {joints}\n" },
        { CONTACT("'type': 'wall'"),
          "t.json:2:28: contacts.c.type: unknown type 'wall'; known here: event, ground, edge, "
          "discs, angle_stop, length_stop, formula\n" },
        { JOINT("'type': 'revolut'"),
          "t.json:2:26: joints.j.type: unknown type 'revolut'; did you mean 'revolute'?\n" },
        { CONTACT("'type': 'grund'"), "t.json:2:28: contacts.c.type: unknown type 'grund'; did you mean 'ground'?\n" },
        { BODY("'type': 'spring'"), "t.json:2:26: bodies.b.type: 'spring' belongs to 'joints'\n" },
        { JOINT("'type': 'bar'"), "t.json:2:26: joints.j.type: 'bar' belongs to 'bodies'\n" },
        { CONTACT("'type': 'revolute'"), "t.json:2:28: contacts.c.type: 'revolute' belongs to 'joints'\n" },
        { JOINT("'type': 'ground'"), "t.json:2:26: joints.j.type: 'ground' belongs to 'contacts'\n" },
        { BODY("'type': 3"), "t.json:2:26: bodies.b.type: expected the name of a type, found a number\n" },
        { BODY("'type': ''"), "t.json:2:26: bodies.b.type: unknown type ''; known here: point_mass, bar, rigid\n" },
        { BODY("'type': 'Bar'"), "t.json:2:26: bodies.b.type: unknown type 'Bar'; did you mean 'bar'?\n" },
    };

    (void)state;
    check_refusals(list, SAL_COUNT(list));
}

static void test_numbers_not_finite(void **state)
{
    static const refusal list[] = {
        { SCENE("'gravity': [0, NaN]"),
          "t.json:2:16: gravity[1]: found 'NaN' where a value was expected; JSON has no NaN and no infinity\n" },
        { SCENE("'gravity': [0, -Infinity]"),
          "t.json:2:16: gravity[1]: found '-Infinity' where a value was expected; JSON has no NaN and no infinity\n" },
        { SCENE("'gravity': [0, 1e999]"), "t.json:2:16: gravity[1]: the number 1e999 is too large\n" },
        { SCENE("'simulation': {'duration': inf}"), "t.json:2:28: simulation.duration: found 'inf' where a value was "
                                                    "expected; JSON has no NaN and no infinity\n" },
        { SCENE("'gravity': [0, '1e999']"),
          "t.json:2:17: gravity[1]: in '1e999', column 1: the number is too large\n" },
        { SCENE("'parameters': {'a': 'nan'}"),
          "t.json:2:22: parameters.a: in 'nan', column 1: unknown name 'nan'; did you mean 'tan'?\n" },
    };

    (void)state;
    check_refusals(list, SAL_COUNT(list));
}

static void test_unknown_names(void **state)
{
    static const refusal list[] = {
        { BODY("'type': 'bar', 'points': ['A', 'P1'], 'mass': 1"),
          "t.json:2:49: bodies.b.points[1]: unknown point 'P1'\n" },
        { BODY("'type': 'bar', 'points': ['Hinge', 'P'], 'mass': 1"),
          "t.json:2:44: bodies.b.points[0]: unknown point 'Hinge'\n" },
        { BODY("'type': 'point_mass', 'point': 'p', 'mass': 1"), "t.json:2:49: bodies.b.point: unknown point 'p'\n" },
        { CONTACT("'type': 'ground', 'points': ['P', 'Q', 'Q9'], 'law': 'reset', 'restitution': 1"),
          "t.json:2:59: contacts.c.points[2]: unknown point 'Q9'\n" },
        { SCENE("'parameters': {'mass': 1, 'k': 'maas/2'}"),
          "t.json:2:33: parameters.k: in 'maas/2', column 1: unknown name 'maas'; did you mean 'mass'?\n" },
        { SCENE("'parameters': {'mass': 1}, 'gravity': [0, '1 + 2*mas']"),
          "t.json:2:50: gravity[1]: in '1 + 2*mas', column 7: unknown name 'mas'; did you mean 'mass'?\n" },
        { SCENE("'gravity': [0, '1 +\\u0020\\u00202*g']"),
          "t.json:2:34: gravity[1]: in '1 +  2*g', column 8: unknown name 'g'\n" },
        { SCENE("'gravity': [0, 'sine(1)']"),
          "t.json:2:17: gravity[1]: in 'sine(1)', column 1: unknown function 'sine'; did you mean 'sin'?\n" },
        { SCENE("'gravity': [0, 'x(P)']"), "t.json:2:17: gravity[1]: in 'x(P)', column 1: x() depends on the motion; "
                                           "expected a number or parameters\n" },
        { SCENE("'gravity': [0, '2*']"), "t.json:2:19: gravity[1]: in '2*', column 3: unexpected end of the "
                                         "expression; expected a number, a name or '('\n" },
        { SCENE("'gravity': [0, '']"), "t.json:2:17: gravity[1]: in '', column 1: the expression is empty\n" },
        { SCENE("'outputs': {'o': 'x(P) + x(PP)'}"),
          "t.json:2:28: outputs.o: in 'x(P) + x(PP)', column 10: unknown point 'PP'\n" },
        { SCENE("'outputs': {'o': 'x(P) +\\u0020x(PP)'}"),
          "t.json:2:33: outputs.o: in 'x(P) + x(PP)', column 10: unknown point 'PP'\n" },
        { SCENE("'outputs': {'o': '\\u00E9 + 1'}"), "t.json:2:19: outputs.o: in '\xC3\xA9"
                                                    " + 1', column 1: unknown name '\xC3\xA9"
                                                    "'\n" },
        { SCENE("'outputs': {'o': 'y(M7)'}"), "t.json:2:21: outputs.o: in 'y(M7)', column 3: unknown point 'M7'\n" },
        { SCENE("'outputs': {'o': 'distance(P, R)'}"),
          "t.json:2:31: outputs.o: in 'distance(P, R)', column 13: unknown point 'R'\n" },
        { SCENE("'outputs': {'o': 'distance(P)'}"),
          "t.json:2:19: outputs.o: in 'distance(P)', column 1: distance takes 2 arguments, found 1\n" },
        { SCENE("'outputs': {'o': 'energi()'}"),
          "t.json:2:19: outputs.o: in 'energi()', column 1: unknown function 'energi'; did you mean 'energy'?\n" },
        { SCENE("'outputs': {'o': 'x'}"),
          "t.json:2:19: outputs.o: in 'x', column 1: x needs its arguments in parentheses: x(...)\n" },
        { SCENE("'bodies': {'crank': {'type': 'bar', 'points': ['A', 'P'], 'mass': 1}},\n"
                "'outputs': {'o': 'angle(krank)', 'r': 'rate(P)', 'l': 'lambda(cranck)'}"),
          "t.json:3:25: outputs.o: in 'angle(krank)', column 7: unknown body 'krank'; did you mean 'crank'?\n"
          "t.json:3:45: outputs.r: in 'rate(P)', column 6: unknown body 'P'\n"
          "t.json:3:63: outputs.l: in 'lambda(cranck)', column 8: unknown constraint 'cranck'; did you mean "
          "'crank'?\n" },
        { SCENE("'bodies': {'m': {'type': 'point_mass', 'point': 'P', 'mass': 1}},\n"
                "'outputs': {'o': 'angle(m)', 'l': 'lambda(m)'}"),
          "t.json:3:25: outputs.o: in 'angle(m)', column 7: 'm' has no direction\n"
          "t.json:3:43: outputs.l: in 'lambda(m)', column 8: 'm' has no constraint and no multiplier\n" },
        { SCENE("'joints': {'pin': {'type': 'revolute', 'points': ['P', 'Q']}},\n"
                "'outputs': {'o': 'lambda(pin)', 'l': 'lambda(pin.z)'}"),
          "t.json:3:26: outputs.o: in 'lambda(pin)', column 8: 'pin' has 2 multipliers; write one of them, such as "
          "lambda(pin.x)\n"
          "t.json:3:46: outputs.l: in 'lambda(pin.z)', column 8: unknown constraint 'pin.z'; did you mean 'pin.x'?\n" },
        { SCENE("'costs': {'z': {'running': 'vx(A)^2 + vx(B)^2', 'terminal': 3}}"),
          "t.json:2:42: costs.z.running: in 'vx(A)^2 + vx(B)^2', column 14: unknown point 'B'\n" },
        { SCENE("'costs': {'z': {'terminal': 'lambda(j)'}}"),
          "t.json:2:37: costs.z.terminal: in 'lambda(j)', column 8: unknown constraint 'j'\n" },
        { CONTACT("'type': 'event', 'when': 'y(P) - hight', 'guard': 'vy(O) < 0', 'set': {'vx(P)': 'e*vx(PQ)', "
                  "'vx(R)': 0}"),
          "t.json:2:53: contacts.c.when: in 'y(P) - hight', column 8: unknown name 'hight'\n"
          "t.json:2:74: contacts.c.guard: in 'vy(O) < 0', column 4: unknown point 'O'\n"
          "t.json:2:106: contacts.c.set.vx(P): in 'e*vx(PQ)', column 6: unknown point 'PQ'\n"
          "t.json:2:112: contacts.c.set: in 'vx(R)', column 4: unknown point 'R'\n" },
    };

    (void)state;
    check_refusals(list, SAL_COUNT(list));
}

static void test_nearest(void **state)
{
    static const refusal list[] = {
        { "{'saltus': 1, 'points': {'hub': {'at': [0, 0]}, 'rim': {'at': [1, 0]}},\n"
          "'bodies': {'spoke': {'type': 'bar', 'points': ['hup', 'rimm'], 'mass': 1, 'markers': {'mid': [0, 0]}}},\n"
          "'joints': {'rod': {'type': 'distance', 'points': ['hub', 'mit'], 'length': 1}},\n"
          "'contacts': {'floor': {'type': 'ground', 'points': ['rim', 'hubb'], 'law': 'reset', 'restitution': 1},\n"
          "'stop': {'type': 'event', 'when': 'x(hab)', 'set': {'vx(rib)': 'vx(mib) + rate(spok)'}}},\n"
          "'outputs': {'force': 'lambda(rood)', 'gap': 'distance(rim, hug)', 'turn': 'angle(spoken)'}}",
          "t.json:2:48: bodies.spoke.points[0]: unknown point 'hup'; did you mean 'hub'?\n"
          "t.json:2:55: bodies.spoke.points[1]: unknown point 'rimm'; did you mean 'rim'?\n"
          "t.json:3:58: joints.rod.points[1]: unknown point 'mit'; did you mean 'mid'?\n"
          "t.json:4:60: contacts.floor.points[1]: unknown point 'hubb'; did you mean 'hub'?\n"
          "t.json:5:38: contacts.stop.when: in 'x(hab)', column 3: unknown point 'hab'; did you mean 'hub'?\n"
          "t.json:5:53: contacts.stop.set: in 'vx(rib)', column 4: unknown point 'rib'; did you mean 'rim'?\n"
          "t.json:5:68: contacts.stop.set.vx(rib): in 'vx(mib) + rate(spok)', column 4: unknown point 'mib'; did you "
          "mean 'mid'?\n"
          "t.json:6:30: outputs.force: in 'lambda(rood)', column 8: unknown constraint 'rood'\n"
          "t.json:6:60: outputs.gap: in 'distance(rim, hug)', column 15: unknown point 'hug'; did you mean 'hub'?\n"
          "t.json:6:82: outputs.turn: in 'angle(spoken)', column 7: unknown body 'spoken'; did you mean 'spoke'?\n" },
    };

    (void)state;
    check_refusals(list, SAL_COUNT(list));
}

static void test_ranges(void **state)
{
    static const refusal list[] = {
        { SCENE("'parameters': { 'a': 1 }, 'ranges': { 'b': [0, 1] }"),
          "t.json:2:39: ranges.b: there is no parameter 'b'\n" },
        { SCENE("'parameters': { 'a': 1 }, 'ranges': { 'a': [1, 1] }"),
          "t.json:2:44: ranges.a: expected two numbers, the lower one first\n" },
        { SCENE("'parameters': { 'a': 1 }, 'ranges': { 'a': [1] }"),
          "t.json:2:44: ranges.a: expected two numbers, the lower one first\n" },
        { SCENE("'parameters': { 'a': 1 }, 'ranges': { '//': 'of the slider', 'a': 2 }"),
          "t.json:2:67: ranges.a: expected two numbers, the lower one first\n" },
        { SCENE("'ranges': []"), "t.json:2:11: ranges: expected an object { ... }, found a list\n" },
    };

    (void)state;
    check_refusals(list, SAL_COUNT(list));
}

static void test_cycles(void **state)
{
    static const refusal list[] = {
        { SCENE("'parameters': {'a': '2*a'}"),
          "t.json:2:21: parameters.a: parameters depend on each other in a circle: a -> a\n" },
        { SCENE("'parameters': {'a': 'b', 'b': '1 + a'}"),
          "t.json:2:21: parameters.a: parameters depend on each other in a circle: a -> b -> a\n" },
        { SCENE("'parameters': {'a': 'b', 'b': 'c', 'c': 'a'}"),
          "t.json:2:21: parameters.a: parameters depend on each other in a circle: a -> b -> c -> a\n" },
        { SCENE("'parameters': {'d': 'a', 'a': '1', 'b': 'c + a', 'c': 'b + d'}"),
          "t.json:2:41: parameters.b: parameters depend on each other in a circle: b -> c -> b\n" },
        { SCENE("'parameters': {'a': 'a', 'b': 'b'}"),
          "t.json:2:21: parameters.a: parameters depend on each other in a circle: a -> a\n"
          "t.json:2:31: parameters.b: parameters depend on each other in a circle: b -> b\n" },
    };

    (void)state;
    check_refusals(list, SAL_COUNT(list));
}

static void test_names(void **state)
{
    static const refusal list[] = {
        { SCENE("'parameters': {'e': 1}"),
          "t.json:2:16: parameters.e: 'e' is a word of the expression language; choose another name\n" },
        { SCENE("'parameters': {'pi': 3}"),
          "t.json:2:16: parameters.pi: 'pi' is a word of the expression language; choose another name\n" },
        { SCENE("'parameters': {'t': 1}"),
          "t.json:2:16: parameters.t: 't' is a word of the expression language; choose another name\n" },
        { SCENE("'parameters': {'sin': 1}"),
          "t.json:2:16: parameters.sin: 'sin' is a word of the expression language; choose another name\n" },
        { SCENE("'parameters': {'and': 1}"),
          "t.json:2:16: parameters.and: 'and' is a word of the expression language; choose another name\n" },
        { SCENE("'parameters': {'a b': 1}"), "t.json:2:16: parameters.a b: 'a b' cannot be a name; expected letters, "
                                             "digits and _, not beginning with a digit, at most 63 bytes\n" },
        { SCENE("'parameters': {'1a': 1}"), "t.json:2:16: parameters.1a: '1a' cannot be a name; expected letters, "
                                            "digits and _, not beginning with a digit, at most 63 bytes\n" },
        { SCENE("'parameters': {'': 1}"), "t.json:2:16: parameters.: '' cannot be a name; expected letters, digits and "
                                          "_, not beginning with a digit, at most 63 bytes\n" },
        { SCENE("'parameters': {'a-b': 1}"), "t.json:2:16: parameters.a-b: 'a-b' cannot be a name; expected letters, "
                                             "digits and _, not beginning with a digit, at most 63 bytes\n" },
        { "{'saltus': 1, 'points': {'not': {'at': [0, 0]}, 'P.1': {'at': [0, 0]}}}",
          "t.json:1:26: points.not: 'not' is a word of the expression language; choose another name\n"
          "t.json:1:49: points.P.1: 'P.1' cannot be a name; expected letters, digits and _, not beginning with a "
          "digit, at most 63 bytes\n" },
        { SCENE("'bodies': {'b/1': {'type': 'bar', 'points': ['A', 'P'], 'mass': 1}}"),
          "t.json:2:12: bodies.b/1: 'b/1' cannot be a name; expected letters, digits and _, not beginning with a "
          "digit, at most 63 bytes\n" },
        { SCENE("'joints': {'and': {'type': 'revolute', 'points': ['P', 'Q']}}"),
          "t.json:2:12: joints.and: 'and' is a word of the expression language; choose another name\n" },
        { SCENE("'contacts': {'not': {'type': 'event', 'when': 't - 1'}}"),
          "t.json:2:14: contacts.not: 'not' is a word of the expression language; choose another name\n" },
        { SCENE("'outputs': {'x+y': '1'}"), "t.json:2:13: outputs.x+y: 'x+y' cannot be a name; expected letters, "
                                            "digits and _, not beginning with a digit, at most 63 bytes\n" },
        { SCENE("'costs': {'or': {'running': '1'}}"),
          "t.json:2:11: costs.or: 'or' is a word of the expression language; choose another name\n" },
        { BODY("'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'markers': {'m 1': [0, 0]}"),
          "t.json:2:78: bodies.b.markers.m 1: 'm 1' cannot be a name; expected letters, digits and _, not beginning "
          "with a digit, at most 63 bytes\n" },
        { SCENE("'parameters': {'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn': 1}"),
          "t.json:2:16: parameters.nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn: "
          "'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn' cannot be a name; expected letters, "
          "digits and _, not beginning with a digit, at most 63 bytes\n" },
        { SCENE("'bodies': {'b': {'type': 'bar', 'points': ['A', 'P'], 'mass': 1}},\n"
                "'joints': {'b': {'type': 'revolute', 'points': ['P', 'Q']}}"),
          "t.json:3:12: joints.b: 'b' is a name in 'bodies' already\n" },
        { BODY("'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'markers': {'Q': [0, 0]}"),
          "t.json:2:78: bodies.b.markers.Q: there is a point or marker 'Q' already\n" },
        { SCENE("'bodies': {'a': {'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'markers': {'M': [0, 0]}},\n"
                "'b': {'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'markers': {'M': [0, 0]}}}"),
          "t.json:3:67: bodies.b.markers.M: there is a point or marker 'M' already\n" },
    };

    (void)state;
    check_refusals(list, SAL_COUNT(list));
}

static void test_document(void **state)
{
    static const refusal list[] = {
        { "", "t.json:1:1: found an empty document where a value was expected\n" },
        { "[]", "t.json:1:1: expected an object { ... }, found a list\n" },
        { "1", "t.json:1:1: expected an object { ... }, found a number\n" },
        { "'scene'", "t.json:1:1: expected an object { ... }, found text\n" },
        { "null", "t.json:1:1: expected an object { ... }, found null\n" },
        { "{}", "t.json:1:1: missing key 'saltus': the version of the format, 1\n"
                "t.json:1:1: missing key 'points': a mechanism has at least one\n" },
        { "{'saltus': 1}", "t.json:1:1: missing key 'points': a mechanism has at least one\n" },
        { "{'points': {'P': {'at': [0, 0]}}}", "t.json:1:1: missing key 'saltus': the version of the format, 1\n" },
        { "{'saltus': 2, 'points': {'P': {'at': [0, 0]}}}",
          "t.json:1:12: saltus: expected 1, the version of the format, found 2\n" },
        { "{'saltus': 1.5, 'points': {'P': {'at': [0, 0]}}}",
          "t.json:1:12: saltus: expected 1, the version of the format, found 1.5\n" },
        { "{'saltus': '1', 'points': {'P': {'at': [0, 0]}}}",
          "t.json:1:12: saltus: expected 1, the version of the format, found text\n" },
        { "{'saltus': 1, 'points': {}}", "t.json:1:25: points: expected at least one point, found none\n" },
        { "{'saltus': 1, 'points': {'A': {'at': [0, 0], 'fixed': true}}}",
          "t.json:1:25: points: all points are fixed: nothing can move\n" },
        { "{'saltus': 1, 'points': {'P': {'at': [0, 0]}}} x",
          "t.json:1:48: found 'x' where the end of the document was expected\n" },
        { "{'saltus': 1, 'points': {'P': {'at': [0, 0]}}}\n"
          "{}",
          "t.json:2:1: found '{' where the end of the document was expected\n" },
        { "{'saltus': 1, 'points': {'P': {'at': [0, 0]}}",
          "t.json:1:46: found the end of the document where ',' or '}' was expected\n" },
        { "{'saltus': 1, 'name': '\xFF'}", "t.json:1:24: name: found the byte 0xFF, which is not valid UTF-8 here\n" },
        { "{'saltus': 1, 'point': {'P': {'at': [0, 0]}}, 'bodies': {'m': {'type': 'point_mass', 'point': 'P', 'mass': "
          "1}}}",
          "t.json:1:15: unknown key 'point'; did you mean 'points'?\n"
          "t.json:1:1: missing key 'points': a mechanism has at least one\n" },
    };

    (void)state;
    check_refusals(list, SAL_COUNT(list));
}

static void test_points(void **state)
{
    static const refusal list[] = {
        { JOINT("'type': 'revolute', 'points': ['P', 'P']"),
          "t.json:2:54: joints.j.points: expected two different points, found 'P' twice\n" },
        { BODY("'type': 'bar', 'points': ['P', 'P'], 'mass': 1"),
          "t.json:2:49: bodies.b.points: expected two different points, found 'P' twice\n" },
        { CONTACT("'type': 'ground', 'points': ['P', 'Q', 'P'], 'law': 'reset', 'restitution': 1"),
          "t.json:2:59: contacts.c.points: expected different points, found 'P' twice\n" },
        { SCENE("'bodies': {'a': {'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'markers': {'M': [0, 0]}},\n"
                "'b': {'type': 'bar', 'points': ['M', 'Q'], 'mass': 1},\n"
                "'c': {'type': 'point_mass', 'point': 'M', 'mass': 1}}"),
          "t.json:3:33: bodies.b.points[0]: expected a point, found the marker 'M'; join it with a revolute joint\n"
          "t.json:4:38: bodies.c.point: expected a point, found a marker; masses on a body belong to the body's "
          "mass\n" },
        { "{'saltus': 1, 'points': {'A': {'at': [0, 0], 'fixed': true}, 'B': {'at': [1, 0], 'fixed': true}, 'P': "
          "{'at': [1, 1]}},\n"
          "'bodies': {'b': {'type': 'bar', 'points': ['A', 'B'], 'mass': 1}},\n"
          "'joints': {'j': {'type': 'revolute', 'points': ['A', 'B']}}}",
          "t.json:2:17: bodies.b: all of its points are fixed: it can only be always fulfilled or never\n"
          "t.json:3:17: joints.j: all of its points are fixed: it can only be always fulfilled or never\n" },
        { BODY("'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'centre': 0.5"),
          "t.json:2:17: bodies.b: found 'centre' alone; a bar that is not uniform needs both 'centre' and "
          "'inertia'\n" },
        { BODY("'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'inertia': 1"),
          "t.json:2:17: bodies.b: found 'inertia' alone; a bar that is not uniform needs both 'centre' and "
          "'inertia'\n" },
        { POINT("'at': [0, 0], 'fixed': true, 'dof': true"),
          "t.json:1:31: points.P: a fixed point has neither 'dof' nor 'velocity'; it moves if 'at' depends on t\n" },
        { POINT("'at': [0, 0], 'fixed': true, 'velocity': [1, 0]"),
          "t.json:1:31: points.P: a fixed point has neither 'dof' nor 'velocity'; it moves if 'at' depends on t\n" },
        { POINT("'at': [0, 'sin(t)']"),
          "t.json:1:31: points.P: 'at' depends on t; expected a constant, or \"fixed\": true\n" },
        { POINT("'at': [0, 0], 'velocity': ['t', 0]"),
          "t.json:1:59: points.P.velocity[0]: 't' depends on t; expected a constant\n" },
        { "{'saltus': 1, 'points': {'A': {'at': ['t', 0], 'fixed': true}, 'P': {'at': [1, 1]}},\n"
          "'bodies': {'b': {'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'markers': {'M': [0, 1]}}},\n"
          "'outputs': {'o': 'x(M) + angle(b) + lambda(b)'}}",
          "t.json:2:17: bodies.b: missing key 'length': the distance of its ends as given depends on t\n" },
    };

    (void)state;
    check_refusals(list, SAL_COUNT(list));
}

/* A point that had errors is known by its name and has its place in every table: whatever uses it, only the point
 * itself is blamed. The sanitizer watches. */
static void test_broken_points(void **state)
{
    static const char *const point[] = { "{'att': [0, 0]}",
                                         "3",
                                         "{'at': [0]}",
                                         "{'at': ['q', 0]}",
                                         "{'at': ['t', 0]}",
                                         "{'at': [0, 0], 'fixed': 1}",
                                         "{'at': [0, 0], 'dof': 'z'}" };
    static const char *const users[] = {
        "'cycle': {'exchange': {'A': 'B', 'B': 'A'}}",
        "'cycle': {'exchange': {'A': 'P', 'P': 'A'}, 'origin': 'P'}",
        "'bodies': {'b': {'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'markers': {'M': [1, 0]}},"
        "           'c': {'type': 'point_mass', 'point': 'P', 'mass': 1}},"
        "'joints': {'w': {'type': 'weld', 'points': ['M', 'B'], 'body': 'b'},"
        "           'r': {'type': 'belt', 'first': ['A', 'P'], 'second': ['A', 'M']},"
        "           's': {'type': 'spring', 'points': ['P', 'M'], 'force': 'distance(P, M)'}},"
        "'contacts': {'floor': {'type': 'ground', 'points': ['P', 'M'], 'closed': ['P']},"
        "             'e': {'type': 'edge', 'points': ['B'], 'line': ['A', 'M']},"
        "             'v': {'type': 'event', 'when': 'x(P)', 'set': {'vx(M)': 'vx(P)'}}},"
        "'outputs': {'o': 'x(P) + angle(b) + lambda(b) + reaction(floor.P.normal) + reaction(b.tension)'},"
        "'costs': {'k': {'running': 'x(P)', 'terminal': 'energy() + x(M)'}},"
        "'cycle': {'exchange': {'A': 'M', 'B': 'A'}}",
    };
    static const char *const place[] = { "{'A': {'at': [0, 1]}, 'B': {'at': [1, 1]}, 'P': %s}",
                                         "{'P': %s, 'A': {'at': [0, 1]}, 'B': {'at': [1, 1]}}" };

    (void)state;
    for (int k = 0; k < SAL_COUNT(point) * SAL_COUNT(users) * SAL_COUNT(place); k++) {
        char    text[2048], points[256];
        fixture f;
        snprintf(points, sizeof points, place[k % 2], point[k / 2 % SAL_COUNT(point)]);
        snprintf(text, sizeof text, "{'saltus': 1, 'points': %s, %s}", points, users[k / 2 / SAL_COUNT(point)]);
        begin(&f);
        parse(&f, text);
        assert_int_equal(f.status, SAL_ERR_SCENE);
        if (sal_error_count(f.context) != 1) print_error("%s\n%s", text, sal_message(f.context));
        if (sal_error_count(f.context) != 1) fail_msg("%s", sal_message(f.context));
        assert_non_null(strstr(sal_message(f.context), ": points.P"));
        end(&f);
    }
}

/* Everything that has a name is used by something else. */
static const char tangled[] =
    "{'saltus': 1, 'parameters': {'L': 1}, 'memory': {'m0': 0},"
    "'types': {'circle': {'arguments': {'P': 'point', 'r': 'value'}, 'rows': ['x(P)^2 + y(P)^2 - r^2']}},"
    "'points': {'O': {'at': [0, 0], 'fixed': true}, 'A': {'at': ['L', 0]}, 'B': {'at': [2, 0]},"
    "           'D': {'at': [3, 0]}, 'E': {'at': [0, 2]}},"
    "'bodies': {'b1': {'type': 'bar', 'points': ['O', 'A'], 'mass': 1, 'markers': {'M': [0.5, 0]}},"
    "  'b2': {'type': 'rigid', 'points': ['A', 'B'], 'mass': 1, 'centre': [0, 0], 'inertia': 1,"
    "         'markers': {'N': [0.5, 0.1]}},"
    "  'pm': {'type': 'point_mass', 'point': 'D', 'mass': 1}, 'pe': {'type': 'point_mass', 'point': 'E', 'mass': 1}},"
    "'joints': {'rod': {'type': 'distance', 'points': ['B', 'D'], 'length': 1},"
    "  'pin': {'type': 'revolute', 'points': ['N', 'D'], 'active': false},"
    "  'w': {'type': 'weld', 'points': ['M', 'O'], 'body': 'b1', 'reference': 'b2', 'active': false},"
    "  'circ': {'type': 'circle', 'P': 'E', 'r': 2},"
    "  'tor': {'type': 'torque', 'body': 'b1', 'torque': 'rate(b2) + m0*y(N)'},"
    "  'frc': {'type': 'force', 'point': 'N', 'fx': 'x(M)', 'fy': 'angle(b1)'},"
    "  'spr': {'type': 'spring', 'points': ['M', 'D'], 'stiffness': 1},"
    "  'fo': {'type': 'formula', 'forces': {'vx(N)': 'vx(M) + distance(N, M)'}},"
    "  'dr': {'type': 'driver', 'of': 'angle(b2) - angle(b1)', 'value': 't'},"
    "  'gear': {'type': 'gear', 'body1': 'b1', 'body2': 'b2', 'radii': [1, 1]}},"
    "'contacts': {'floor': {'type': 'ground', 'points': ['D', 'N'], 'height': -2, 'guard': 'x(M) > -9'},"
    "  'st': {'type': 'angle_stop', 'body': 'b2', 'min': -1, 'guard': 'angle(b1) < 9'},"
    "  'ls': {'type': 'length_stop', 'points': ['O', 'D'], 'max': 9, 'law': 'reset', 'restitution': 1},"
    "  'ev': {'type': 'event', 'when': 'x(D) + 9', 'set': {'m0': 'x(M)'}, 'hold': ['pin', 'w'], 'release': 'rod'}},"
    "'outputs': {'o1': 'lambda(b1) + lambda(rod) + lambda(pin.x) + lambda(w.angle) + lambda(circ)',"
    "  'o2': 'reaction(b1.tension) + reaction(rod.tension) + reaction(floor.D.normal) + reaction(st.normal)',"
    "  'o3': 'lambda(floor.D.n) + lambda(st.n) + reaction(spr.tension)', 'o4': 'angle(b1) + rate(b2) + x(M) + m0'},"
    "'costs': {'c': {'running': 'x(M)', 'terminal': 'y(N)',"
    "                'events': {'floor.D': 1, 'floor.D.release': 'x(N)', 'st': 1, 'ls': 2, 'ev': 3}}},"
    "'cycle': {'section': 'floor.D', 'exchange': {'A': 'M', 'B': 'N'}, 'origin': 'D'}}";

/* The document, with a member of a section or a section itself replaced: every error is about that, at `place`. */
static void assert_blamed(const char *section, const char *key, cJSON *by, const char *place)
{
    char    text[sizeof tangled], *changed;
    cJSON  *root;
    fixture f;

    for (size_t k = 0; k < sizeof text; k++) text[k] = tangled[k] == '\'' ? '"' : tangled[k];
    root = cJSON_Parse(text);
    assert_non_null(root);
    assert_true(cJSON_ReplaceItemInObjectCaseSensitive(section ? cJSON_GetObjectItemCaseSensitive(root, section) : root,
                                                       key, by));
    changed = cJSON_PrintUnformatted(root);
    begin(&f);
    parse(&f, changed);
    assert_int_equal(f.status, SAL_ERR_SCENE);
    assert_true(sal_error_count(f.context) > 0);
    for (int k = 0; k < sal_error_count(f.context); k++) {
        if (strncmp(sal_error(f.context, k)->path, place, strlen(place)) != 0)
            fail_msg("only %s is to blame in\n%s\n%s", place, changed, sal_message(f.context));
    }
    end(&f);
    cJSON_free(changed);
    cJSON_Delete(root);
}

/* What follows from an error is kept quiet, whatever uses the thing that had it. */
static void test_only_the_first(void **state)
{
    static const char *const sections[] = { "parameters", "memory", "points", "bodies", "joints", "contacts" };
    char                     text[sizeof tangled], place[64];
    cJSON                   *root, *member;
    fixture                  f;

    (void)state;
    started(&f, tangled);
    end(&f);
    for (size_t k = 0; k < sizeof text; k++) text[k] = tangled[k] == '\'' ? '"' : tangled[k];
    root = cJSON_Parse(text);
    assert_non_null(root);
    for (int s = 0; s < SAL_COUNT(sections); s++) {
        assert_blamed(NULL, sections[s], cJSON_CreateNumber(3), sections[s]);
        assert_blamed(NULL, sections[s], cJSON_CreateArray(), sections[s]);
        cJSON_ArrayForEach(member, cJSON_GetObjectItemCaseSensitive(root, sections[s]))
        {
            snprintf(place, sizeof place, "%s.%s", sections[s], member->string);
            assert_blamed(sections[s], member->string, cJSON_CreateNull(), place);
            for (int k = 0; k < cJSON_GetArraySize(member); k++) { /* one key of it */
                cJSON *copy = cJSON_Duplicate(member, true);
                cJSON_ReplaceItemInObjectCaseSensitive(copy, cJSON_GetArrayItem(member, k)->string, cJSON_CreateNull());
                assert_blamed(sections[s], member->string, copy, place);
            }
        }
    }
    assert_blamed(NULL, "types", cJSON_CreateNull(), "types");
    assert_blamed("types", "circle", cJSON_CreateNull(), "types.circle");
    cJSON_Delete(root);
}

static void silent_emit(const void *self, sal_builder *b)
{
    (void)self;
    sal_add_mass(b, (sal_point){ 0 }, (sal_point){ 0 }, SAL_NONE);
}

/* An element that reads what it makes itself is told so; one whose type fails without a word is named. */
static void test_own_parts(void **state)
{
    static const refusal list[] = {
        { JOINT("'type': 'formula', 'forces': {'vx(P)': 'lambda(j)'}"),
          "t.json:2:65: joints.j.vx(P): in 'lambda(j)', column 8: 'j' cannot read its own multiplier\n" },
        { JOINT("'type': 'force', 'point': 'P', 'fx': 'reaction(j.fx)', 'fy': 0"),
          "t.json:2:65: joints.j.fx: in 'reaction(j.fx)', column 10: 'j' cannot read its own reaction\n" },
    };
    static const char silent[] = JOINT("'type': 'silent'");
    const sal_type    type     = { .name = "silent", .help = "fails", .size = 1, .emit = silent_emit };
    fixture           f;

    (void)state;
    check_refusals(list, SAL_COUNT(list));
    begin(&f);
    assert_int_equal(sal_register_joint(f.context, &type), SAL_OK);
    parse(&f, silent);
    assert_string_equal(sal_message(f.context),
                        "t.json:2:17: joints.j: it is not valid, and its type does not say why\n");
    end(&f);
}

static void test_constants(void **state)
{
    static const refusal list[] = {
        { BODY("'type': 'bar', 'points': ['A', 'P'], 'mass': '1 + t'"),
          "t.json:2:63: bodies.b.mass: '1 + t' depends on t; expected a constant\n" },
        { BODY("'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'length': 't'"),
          "t.json:2:76: bodies.b.length: 't' depends on t; expected a constant\n" },
        { SCENE("'gravity': [0, 't']"), "t.json:2:16: gravity[1]: 't' depends on t; expected a constant\n" },
        { SCENE("'simulation': {'duration': '2*t'}"),
          "t.json:2:28: simulation.duration: '2*t' depends on t; expected a constant\n" },
        { SCENE("'parameters': {'m': 't', 'n': 'm'}, 'gravity': [0, 'n']"),
          "t.json:2:21: parameters.m: 't' depends on t; a parameter is a constant\n" },
        { JOINT("'type': 'distance', 'points': ['A', 'P'], 'length': 1, 'alpha': 't'"),
          "t.json:2:82: joints.j.alpha: 't' depends on t; expected a constant\n" },
    };

    (void)state;
    check_refusals(list, SAL_COUNT(list));
}

#define VELOCITY "expected a velocity such as vx(P), vy(P) or rate(B) of something that moves, or a name in 'memory'\n"

static void test_events(void **state)
{
    static const refusal list[] = {
        { CONTACT("'type': 'event', 'when': '1 - 2'"), "t.json:2:45: contacts.c.when: '1 - 2' never changes; expected "
                                                       "something that depends on the motion or on t\n" },
        { CONTACT("'type': 'event', 'when': 3"),
          "t.json:2:45: contacts.c.when: '3' never changes; expected something that depends on the motion or on t\n" },
        { CONTACT("'type': 'event', 'when': 'x(A)'"), "t.json:2:45: contacts.c.when: 'x(A)' never changes; expected "
                                                      "something that depends on the motion or on t\n" },
        { CONTACT("'type': 'event', 'when': 't - 1', 'set': {'x(P)': 0}"),
          "t.json:2:61: contacts.c.set: 'x(P)' cannot be set; " VELOCITY },
        { CONTACT("'type': 'event', 'when': 't - 1', 'set': {'vx(P)*vy(P)': 0}"),
          "t.json:2:61: contacts.c.set: 'vx(P)*vy(P)' cannot be set; " VELOCITY },
        { CONTACT("'type': 'event', 'when': 't - 1', 'set': {'vx(P) + 1': 0}"),
          "t.json:2:61: contacts.c.set: 'vx(P) + 1' cannot be set; " VELOCITY },
        { CONTACT("'type': 'event', 'when': 't - 1', 'set': {'ax(P)': 0, '1': 0, 'vx(A)': 0, 'sqrt(vx(P))': 0, "
                  "'energy()': 0}"),
          "t.json:2:61: contacts.c.set: 'ax(P)' cannot be set; " VELOCITY
          "t.json:2:61: contacts.c.set: '1' cannot be set; " VELOCITY
          "t.json:2:61: contacts.c.set: 'vx(A)' cannot be set; " VELOCITY
          "t.json:2:61: contacts.c.set: 'sqrt(vx(P))' cannot be set; " VELOCITY
          "t.json:2:61: contacts.c.set: 'energy()' cannot be set; " VELOCITY },
        { CONTACT("'type': 'ground', 'points': ['A'], 'law': 'reset', 'restitution': 1"),
          "t.json:2:48: contacts.c.points: 'A' is fixed; expected points that can move\n" },
    };

    (void)state;
    check_refusals(list, SAL_COUNT(list));
}

/* A bar, a mass and a spring that contacts, and events that hold and release, can be about. */
#define PARTS(contacts)                                                                      \
    SCENE("'bodies': {'bar': {'type': 'bar', 'points': ['A', 'P'], 'mass': 1},\n"            \
          "  'mass': {'type': 'point_mass', 'point': 'Q', 'mass': 1}},\n"                    \
          "'joints': {'pin': {'type': 'revolute', 'points': ['P', 'Q'], 'active': false},\n" \
          "  'spring': {'type': 'spring', 'points': ['P', 'Q'], 'stiffness': 1}},\n"         \
          "'memory': {'count': 1},\n"                                                        \
          "'contacts': {" contacts "}")
#define WHEN "'type': 'event', 'when': 't - 1', "

static void test_kept_numbers(void **state)
{
    static const refusal list[] = {
        { SCENE("'parameters': {'m': 1}, 'memory': {'m': 2}"), "t.json:2:36: memory.m: 'm' is a parameter already\n" },
        { SCENE("'memory': {'sin': 2}"),
          "t.json:2:12: memory.sin: 'sin' is a word of the expression language; choose another name\n" },
        { SCENE("'memory': {'t': 0}"),
          "t.json:2:12: memory.t: 't' is a word of the expression language; choose another name\n" },
        { SCENE("'memory': {'and': 0}"),
          "t.json:2:12: memory.and: 'and' is a word of the expression language; choose another name\n" },
        { SCENE("'memory': {'a b': 0}"), "t.json:2:12: memory.a b: 'a b' cannot be a name; expected letters, digits "
                                         "and _, not beginning with a digit, at most 63 bytes\n" },
        { SCENE("'memory': ['m']"), "t.json:2:11: memory: expected an object { ... }, found a list\n" },
        { SCENE("'memory': 1, 'outputs': {'o': 'anchor + 1'}"),
          "t.json:2:11: memory: expected an object { ... }, found a number\n" },
        { SCENE("'memory': {'m': true}"), "t.json:2:17: memory.m: expected a number or an expression, found true\n" },
        { SCENE("'memory': {'m': 'x(P)'}"), "t.json:2:18: memory.m: in 'x(P)', column 1: x() depends on the motion; "
                                            "expected a number or parameters\n" },
        { SCENE("'memory': {'anchor': 1}, 'outputs': {'o': 'ancor'}"),
          "t.json:2:44: outputs.o: in 'ancor', column 1: unknown name 'ancor'; did you mean 'anchor'?\n" },
        { SCENE("'memory': {'place': 1}, 'parameters': {'m': 'place'}"),
          "t.json:2:46: parameters.m: in 'place', column 1: unknown name 'place'\n" },
        { PARTS("'c': {" WHEN "'set': {'coun': 1}}"), "t.json:7:62: contacts.c.set: in 'coun', column 1: unknown "
                                                      "name 'coun'; did you mean 'count'?\n" },
        { PARTS("'c': {" WHEN "'set': {'count': 'coun + 1'}}"),
          "t.json:7:72: contacts.c.set.count: in 'coun + 1', column 1: unknown name 'coun'; did you mean 'count'?\n" },
        { PARTS("'c': {" WHEN "'set': {'2*count': 1}}"),
          "t.json:7:61: contacts.c.set: '2*count' cannot be set; " VELOCITY },
        { SCENE("'memory': {'m': 1}, 'bodies': {'b': {'type': 'point_mass', 'point': 'P', 'mass': 'm'}}"),
          "t.json:2:37: bodies.b: its mass depends on memory\n" },
    };
    static const refusal start[] = {
        { SCENE("'memory': {'m': '1/0'}"), "t.json:2:17: memory.m: must be finite, '1/0' is inf\n" },
    };

    (void)state;
    check_refusals(list, SAL_COUNT(list));
    check_refused(start, true);
}

static void test_switches(void **state)
{
    static const refusal list[] = {
        { PARTS("'c': {" WHEN "'hold': ['pinn']}"),
          "t.json:7:63: contacts.c.hold: unknown joint 'pinn'; did you mean 'pin'?\n" },
        { PARTS("'c': {" WHEN "'release': ['bar', 'spring']}"),
          "t.json:7:73: contacts.c.release: 'spring' has no constraint that could be held or released\n" },
        { PARTS("'c': {" WHEN "'release_after': ['mass']}"),
          "t.json:7:72: contacts.c.release_after: 'mass' has no constraint that could be held or released\n" },
        { PARTS("'c': {" WHEN "'hold': 3}"),
          "t.json:7:62: contacts.c.hold: expected a list of one or more names of joints or bodies, found a number\n" },
        { PARTS("'c': {" WHEN "'hold': []}"), "t.json:7:62: contacts.c.hold: expected a list of one or more names of "
                                              "joints or bodies, found a list of 0\n" },
        { PARTS("'c': {" WHEN "'hold': ['pin', 1]}"), "t.json:7:62: contacts.c.hold: expected a list of one or more "
                                                      "names of joints or bodies, found a list of 2\n" },
        { PARTS("'c': {" WHEN "'release': ['c']}"), "t.json:7:66: contacts.c.release: unknown joint 'c'\n" },
        { JOINT("'type': 'revolute', 'points': ['P', 'Q'], 'active': 1"),
          "t.json:2:70: joints.j.active: expected true or false, found a number\n" },
        { JOINT("'type': 'spring', 'points': ['P', 'Q'], 'stiffness': 1, 'active': false"),
          "t.json:2:74: joints.j: unknown key 'active'; known here: type, points, stiffness, length, damping, "
          "force\n" },
        { JOINT("'type': 'revolute', 'points': ['P', 'Z']"), "t.json:2:54: joints.j.points[1]: unknown point 'Z'\n" },
        /* what is broken has been said: not again where it is used */
        { SCENE("'joints': {'j': {'type': 'revolute', 'points': ['P', 'Z']}}, "
                "'contacts': {'c': {" WHEN "'hold': ['j']}}"),
          "t.json:2:54: joints.j.points[1]: unknown point 'Z'\n" },
    };
    fixture f;

    (void)state;
    check_refusals(list, SAL_COUNT(list));
    started(&f, PARTS("'c': {" WHEN "'hold': 'pin', 'release': ['bar'], 'release_after': ['pin', 'bar']}"));
    assert_int_equal(f.scene->tables->switches.n, 4);
    assert_true(f.scene->tables->rows.at[1].idle && f.scene->tables->rows.at[2].idle &&
                !f.scene->tables->rows.at[0].idle);
    assert_true(!f.run->system.mode.held[1] && f.run->system.mode.held[0]);
    end(&f);
}

static void test_contacts(void **state)
{
    static const refusal list[] = {
        { PARTS("'c': {'type': 'ground', 'points': ['Q'], 'body': 'baar'}"),
          "t.json:7:63: contacts.c.body: unknown body 'baar'; did you mean 'bar'?\n" },
        { PARTS("'c': {'type': 'ground', 'points': ['Q'], 'body': 'mass'}"),
          "t.json:7:63: contacts.c.body: 'mass' has no direction; expected a body that can turn\n" },
        { PARTS("'c': {'type': 'ground', 'points': ['Q'], 'body': ['bar']}"),
          "t.json:7:63: contacts.c.body: expected the name of a body, found a list of 1\n" },
        { CONTACT("'type': 'ground', 'points': ['P'], 'profile': 'sin(x)', 'angle': 0.1"),
          "t.json:2:85: contacts.c.angle: expected either a profile or an angle, found both\n" },
        { CONTACT("'type': 'ground', 'points': ['P'], 'profile': 'sin(x) + y', 'radius': 0.1"), /* once */
          "t.json:2:76: contacts.c.profile: in 'sin(x) + y', column 10: unknown name 'y'\n" },
        { CONTACT("'type': 'ground', 'points': ['P'], 'profile': '0.1*sine(x)'"),
          "t.json:2:71: contacts.c.profile: in '0.1*sine(x)', column 5: unknown function 'sine'; did you mean "
          "'sin'?\n" },
        { CONTACT("'type': 'ground', 'points': ['P', 'Q'], 'profile': 'x + y'"), /* once for all points */
          "t.json:2:76: contacts.c.profile: in 'x + y', column 5: unknown name 'y'\n" },
        { CONTACT("'type': 'ground', 'points': ['P'], 'profile': 'x(P)'"),
          "t.json:2:67: contacts.c.profile: in 'x(P)', column 1: x() depends on the motion; expected a function of x, "
          "parameters and t\n" },
        { CONTACT("'type': 'ground', 'points': ['P'], 'profile': true"),
          "t.json:2:66: contacts.c.profile: expected a number or an expression, found true\n" },
        { CONTACT("'type': 'ground', 'points': ['P'], 'law': 'compliant', 'guard': 'x(P)', 'stiffness': 1"),
          "t.json:2:84: contacts.c.guard: a compliant contact acts wherever the gap is negative; expected "
          "'where'\n" },
        { CONTACT("'type': 'ground', 'points': ['P'], 'law': 'slide', 'mu_static': 1"),
          "t.json:2:84: contacts.c.mu_static: the law 'slide' does not use 'mu_static'\n" },
        { CONTACT("'type': 'ground', 'points': ['P'], 'closed': ['Q']"),
          "t.json:2:65: contacts.c.closed: 'Q' is not one of the points that can touch\n" },
        { CONTACT("'type': 'ground', 'points': ['P'], 'guard': 'x(R)'"),
          "t.json:2:67: contacts.c.guard: in 'x(R)', column 3: unknown point 'R'\n" },
        { CONTACT("'type': 'length_stop', 'points': ['P', 'Q']"),
          "t.json:2:19: contacts.c: expected 'min' or 'max', found neither\n" },
        { PARTS("'c': {'type': 'angle_stop', 'body': 'bar', 'restitution': 1}"),
          "t.json:7:19: contacts.c: expected 'min' or 'max', found neither\n" },
        { PARTS("'c': {'type': 'angle_stop', 'body': 'bar', 'reference': 'mass', 'min': 1}"),
          "t.json:7:70: contacts.c.reference: 'mass' has no direction; expected a body that can turn\n" },
        { CONTACT("'type': 'ground', 'points': ['P', 'A']"),
          "t.json:2:48: contacts.c.points: 'A' is fixed; expected points that can move\n" },
        { "{'saltus': 1, 'points': {'A': {'at': [0, 0], 'fixed': true}, 'B': {'at': [1, 0], 'fixed': true}, "
          "'P': {'at': [0, 0]}},\n"
          "'contacts': {'c': {'type': 'length_stop', 'points': ['A', 'B'], 'min': 0.5}}}",
          "t.json:2:19: contacts.c: 'distance(P, Q) - low' never changes; expected a point that can move\n" },
        { "{'saltus': 1, 'points': {'A': {'at': [0, 0], 'fixed': true}, 'B': {'at': [1, 0], 'fixed': true}, "
          "'P': {'at': [0, 0]}},\n"
          "'contacts': {'c': {'type': 'discs', 'points': ['A', 'B'], 'radii': [1, 1], 'law': 'compliant', 'stiffness': "
          "1}}}",
          "t.json:2:19: contacts.c: 'distance(P, Q) - rp - rq' never changes; expected a point that can move\n" },
        { CONTACT("'type': 'discs', 'points': ['P', 'Q'], 'radii': 1"),
          "t.json:2:68: contacts.c.radii: expected two numbers [x, y], found a number\n" },
        { CONTACT("'type': 'edge', 'points': ['P'], 'line': ['A', 'A']"),
          "t.json:2:67: contacts.c.line: expected two different points, found 'A' twice\n" },
        { CONTACT("'type': 'edge', 'points': ['P'], 'line': ['A', 'Q']"),
          "t.json:2:61: contacts.c.line: these are points of two bodies, between which there is no rigid line; "
          "expected "
          "points or markers of one body, or fixed ones\n" },
        { CONTACT("'type': 'edge', 'points': ['P'], 'line': ['A', 'Q'], 'length': 1"),
          "t.json:2:73: contacts.c: unknown key 'length'; known here: type, points, line, radius, body, closed, ends, "
          "law, "
          "restitution, mu_kinetic, mu_static, rest, guard, where, active, on, stiffness, exponent, damping, "
          "slip_speed\n"
          "t.json:2:61: contacts.c.line: these are points of two bodies, between which there is no rigid line; "
          "expected "
          "points or markers of one body, or fixed ones\n" },
    };
    static const refusal start[] = {
        { CONTACT("'type': 'ground', 'points': ['P'], 'radius': -1"),
          "t.json:2:65: contacts.c.radius: must be zero or positive, '-1' is -1\n" },
        { CONTACT("'type': 'ground', 'points': ['P'], 'mu_static': -0.1"),
          "t.json:2:68: contacts.c.mu_static: must be zero or positive, '-0.1' is -0.1\n" },
        { CONTACT("'type': 'discs', 'points': ['P', 'Q'], 'radii': [1, -1]"),
          "t.json:2:72: contacts.c.radii[1]: must be zero or positive, '-1' is -1\n" },
        { CONTACT("'type': 'ground', 'points': ['P'], 'law': 'compliant', 'stiffness': 0"),
          "t.json:2:88: contacts.c.stiffness: must be positive, '0' is 0\n" },
        { CONTACT("'type': 'length_stop', 'points': ['P', 'Q'], 'min': 2, 'max': 0.5"),
          "t.json:2:82: contacts.c.max: must be zero or positive, 'max - min' is -1.5\n" },
    };

    (void)state;
    check_refusals(list, SAL_COUNT(list));
    for (int i = 0; i < SAL_COUNT(start); i++) check_refused(&start[i], true);
}

static void test_run_values(void **state)
{
    static const refusal list[] = {
        { BODY("'type': 'bar', 'points': ['A', 'P'], 'mass': -1"),
          "t.json:2:63: bodies.b.mass: must be positive, '-1' is -1\n" },
        { BODY("'type': 'bar', 'points': ['A', 'P'], 'mass': 0"),
          "t.json:2:63: bodies.b.mass: must be positive, '0' is 0\n" },
        { SCENE("'parameters': {'m': -2}, 'bodies': {'b': {'type': 'bar', 'points': ['A', 'P'], 'mass': '3*m'}}"),
          "t.json:2:88: bodies.b.mass: must be positive, '3*m' is -6\n" },
        { "{'saltus': 1, 'points': {'A': {'at': [0, 0], 'fixed': true}, 'P': {'at': [0, 0]}},\n"
          "'bodies': {'b': {'type': 'bar', 'points': ['A', 'P'], 'mass': 1}}}",
          "t.json:2:17: bodies.b: must be positive, 'distance of its ends' is 0\n" },
        { BODY("'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'centre': 0, 'inertia': -1"),
          "t.json:2:90: bodies.b.inertia: must be zero or positive, '-1' is -1\n" },
        { BODY("'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'length': 0"),
          "t.json:2:76: bodies.b.length: must be positive, '0' is 0\n" },
        { SCENE("'gravity': [0, 'sqrt(-1)']"), "t.json:2:16: gravity[1]: must be finite, 'sqrt(-1)' is nan\n" },
        { SCENE("'gravity': [0, '1/0']"), "t.json:2:16: gravity[1]: must be finite, '1/0' is inf\n" },
        { SCENE("'parameters': {'a': 'log(0)'}"), "t.json:2:21: parameters.a: must be finite, 'log(0)' is -inf\n" },
        { SCENE("'parameters': {'a': 0, 'b': '-1/a'}"), "t.json:2:29: parameters.b: must be finite, '-1/a' is -inf\n" },
        { SCENE("'simulation': {'rtol': -1e-9}"),
          "t.json:2:24: simulation.rtol: must be positive, '-1e-09' is -1e-09\n" },
        { SCENE("'simulation': {'duration': 0}"), "t.json:2:28: simulation.duration: must be positive, '0' is 0\n" },
        { SCENE("'simulation': {'output': -1}"),
          "t.json:2:26: simulation.output: must be zero or positive, '-1' is -1\n" },
        { SCENE("'simulation': {'atol': 0}"), "t.json:2:24: simulation.atol: must be positive, '0' is 0\n" },
        { SCENE("'simulation': {'max_step': -1}"), "t.json:2:28: simulation.max_step: must be positive, '-1' is -1\n" },
        { SCENE("'simulation': {'min_step': 0}"), "t.json:2:28: simulation.min_step: must be positive, '0' is 0\n" },
        { SCENE("'simulation': {'xi': -1}"), "t.json:2:22: simulation.xi: must be zero or positive, '-1' is -1\n" },
        { JOINT("'type': 'spring', 'points': ['A', 'P'], 'stiffness': -1"),
          "t.json:2:71: joints.j.stiffness: must be zero or positive, '-1' is -1\n" },
        { JOINT("'type': 'distance', 'points': ['A', 'P'], 'length': '1 - 2'"),
          "t.json:2:70: joints.j.length: must be positive, '1 - 2' is -1\n" },
        { JOINT("'type': 'distance', 'points': ['A', 'P'], 'length': 1, 'alpha': 0"),
          "t.json:2:82: joints.j.alpha: must be positive, '0' is 0\n" },
        { JOINT("'type': 'distance', 'points': ['A', 'P'], 'length': 't'"),
          "t.json:2:70: joints.j.length: must be positive, 't' is 0 at t = 0 s\n" },
        { CONTACT("'type': 'ground', 'points': ['P'], 'law': 'reset', 'restitution': -0.5"),
          "t.json:2:86: contacts.c.restitution: must be from 0 to 1, '-0.5' is -0.5\n" },
        { CONTACT("'type': 'ground', 'points': ['P'], 'law': 'newton', 'restitution': 1.01"),
          "t.json:2:87: contacts.c.restitution: must be from 0 to 1, '1.01' is 1.01\n" },
        { CONTACT("'type': 'ground', 'points': ['P'], 'restitution': '3/2'"),
          "t.json:2:70: contacts.c.restitution: must be from 0 to 1, '3/2' is 1.5\n" },
        { SCENE(
              "'parameters': {'k': 1.2}, 'contacts': {'c': {'type': 'ground', 'points': ['P'], 'restitution': 'k/1'}}"),
          "t.json:2:96: contacts.c.restitution: must be from 0 to 1, 'k/1' is 1.2\n" },
        { POINT("'at': ['0/0', 0]"), "t.json:1:39: points.P.at[0]: must be finite, '0/0' is nan\n" },
    };

    (void)state;
    for (int i = 0; i < SAL_COUNT(list); i++) check_refused(&list[i], true);
}

static void test_many(void **state)
{
    static const refusal list[] = {
        { "{\n"
          "  'saltus': 3,\n"
          "  'colour': 1,\n"
          "  'parameters': { 'm': '2*', 'k': 'm + 1', 'e': 5, 'u': 'v', 'v': 'u', 'w': 't' },\n"
          "  'points': {\n"
          "    'A': { 'at': [0, 0], 'fixed': true },\n"
          "    'B': { 'at': [0], 'fixed': true },\n"
          "    'P': { 'at': ['m', 'w'] },\n"
          "    'T': { 'at': ['t', 0] },\n"
          "    'R 1': { 'at': [1, 1] }\n"
          "  },\n"
          "  'bodies': {\n"
          "    'b1': { 'type': 'bar', 'points': ['B', 'P'], 'mass': 'k', 'markers': { 'M1': [0, 1] } },\n"
          "    'b2': { 'type': 'barr', 'points': ['A', 'P'], 'mass': 'u', 'markers': { 'M2': [0, 1] } },\n"
          "    'b3': { 'type': 'bar', 'points': ['A', 'T'], 'mass': 'w', 'markers': { 'M3': [0, 1] } },\n"
          "    'b4': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'markers': { 'M 4': [0, 1] } },\n"
          "    'b4b': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'markers': { 'and': [0, 1] } },\n"
          "    'b5': { 'type': 'bar', 'points': ['A', 'R 1'], 'mass': 'm' },\n"
          "    'b6': 'bar',\n"
          "    '7': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'markers': { 'M7': [0, 1] } }\n"
          "  },\n"
          "  'joints': {\n"
          "    'j1': { 'type': 'revolute', 'points': ['M1', 'M2'] },\n"
          "    'j2': { 'type': 'revolute', 'points': ['M3', 'M7'] },\n"
          "    'j4': { 'type': 'revolute', 'points': ['M 4', 'and'] },\n"
          "    'j3': { 'type': 'spring', 'points': ['A', 'P'], 'stiffness': true }\n"
          "  },\n"
          "  'contacts': {\n"
          "    'c1': { 'type': 'event', 'when': 'x(M1) + angle(b2) + rate(b3) - lambda(j1.x)', 'set': { 'vx(M2)': "
          "'vx(B)' } },\n"
          "    'c2': { 'type': 'ground', 'points': ['M1', 'P'], 'law': 'rest', 'restitution': 1 }\n"
          "  },\n"
          "  'outputs': { 'o1': 'lambda(b1) + lambda(j1.x) + angle(b6)', 'o2': 'x(P) +' },\n"
          "  'costs': { 'z1': { 'running': 'y(M3) + energy()' }, 'z2': { 'running': 'y(P) + q' } },\n"
          "  'simulation': { 'duration': 'k', 'form': 7 }\n"
          "}",
          "t.json:3:3: unknown key 'colour'; known here: saltus, $schema, parameters, types, memory, points, bodies, "
          "joints, "
          "contacts, outputs, costs, cycle, simulation, ranges, optimize, name, gravity\n"
          "t.json:2:13: saltus: expected 1, the version of the format, found 3\n"
          "t.json:4:44: parameters.e: 'e' is a word of the expression language; choose another name\n"
          "t.json:4:27: parameters.m: in '2*', column 3: unexpected end of the expression; expected a number, a name "
          "or '('\n"
          "t.json:4:77: parameters.w: 't' depends on t; a parameter is a constant\n"
          "t.json:4:57: parameters.u: parameters depend on each other in a circle: u -> v -> u\n"
          "t.json:7:18: points.B.at: expected two numbers [x, y], found a list of 1\n"
          "t.json:9:10: points.T: 'at' depends on t; expected a constant, or \"fixed\": true\n"
          "t.json:10:5: points.R 1: 'R 1' cannot be a name; expected letters, digits and _, not beginning with a "
          "digit, at most 63 bytes\n"
          "t.json:14:21: bodies.b2.type: unknown type 'barr'; did you mean 'bar'?\n"
          "t.json:16:74: bodies.b4.markers.M 4: 'M 4' cannot be a name; expected letters, digits and _, not beginning "
          "with a digit, at most 63 bytes\n"
          "t.json:17:75: bodies.b4b.markers.and: 'and' is a word of the expression language; choose another name\n"
          "t.json:19:11: bodies.b6: expected an object { ... }, found text\n"
          "t.json:20:5: bodies.7: '7' cannot be a name; expected letters, digits and _, not beginning with a digit, at "
          "most 63 bytes\n"
          "t.json:26:66: joints.j3.stiffness: expected a number or an expression, found true\n"
          "t.json:30:61: contacts.c2.law: expected 'impact', 'newton', 'reset', 'stick', 'slide' or 'compliant', found "
          "'rest'; "
          "did "
          "you mean 'reset'?\n"
          "t.json:32:76: outputs.o2: in 'x(P) +', column 7: unexpected end of the expression; expected a number, a "
          "name or '('\n"
          "t.json:33:82: costs.z2.running: in 'y(P) + q', column 8: unknown name 'q'\n"
          "t.json:34:44: simulation.form: expected 'index1', 'penalty' or 'index3', found a number\n" },
    };

    (void)state;
    check_refusals(list, SAL_COUNT(list));
}

/* A hundred errors are kept, the rest is counted. */
static void test_too_many(void **state)
{
    fixture f;
    char    text[8192] = "{'saltus': 1, 'points': {'P': {'at': [0, 0]}}, 'outputs': {", *p = text + strlen(text);

    (void)state;
    for (int k = 0; k < 150; k++) p = put(p, "%s\n'o%d': '1 +'", k ? "," : "", k);
    strcpy(p, "}}");
    begin(&f);
    parse(&f, text);
    assert_int_equal(f.status, SAL_ERR_SCENE);
    assert_int_equal(sal_error_count(f.context), 100);
    assert_string_equal(sal_error(f.context, 99)->path, "outputs.o99");
    assert_int_equal(sal_error(f.context, 99)->line, 101);
    assert_null(sal_error(f.context, 100));
    assert_non_null(strstr(sal_message(f.context), "\nand 50 more errors\n"));
    /* the next call begins anew */
    parse(&f, "{'saltus': 1, 'points': {'P': {'at': [0, 0]}}}");
    assert_int_equal(f.status, SAL_OK);
    assert_int_equal(sal_error_count(f.context), 0);
    assert_string_equal(sal_message(f.context), "");
    end(&f);
}

static void test_limits(void **state)
{
    fixture f;
    char    text[512] = "{'saltus': 1, 'name': ", *p = text + strlen(text), *big;
    size_t  size = SAL_JSON_MAX_BYTES + 1;

    (void)state;
    memset(p, '[', SAL_JSON_MAX_DEPTH + 1);
    begin(&f);
    parse(&f, text);
    assert_int_equal(f.status, SAL_ERR_SCENE);
    assert_int_equal(sal_error_count(f.context), 1);
    assert_non_null(strstr(sal_message(f.context), "t.json:1:54: name[0][0]"));
    assert_non_null(strstr(sal_message(f.context), "32"));

    big = room(size);
    memset(big, ' ', size);
    f.status = sal_scene_parse(f.context, "t.json", big, size, &f.scene);
    free(big);
    assert_int_equal(f.status, SAL_ERR_SCENE);
    assert_int_equal(sal_error_count(f.context), 1);
    assert_non_null(strstr(sal_message(f.context), "t.json"));
    assert_null(f.scene);

    assert_int_equal(sal_scene_load(f.context, "/nonexistent/scene.json", &f.scene), SAL_ERR_FILE);
    assert_non_null(strstr(sal_message(f.context), "/nonexistent/scene.json"));
    assert_null(f.scene);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_unknown_keys),
        cmocka_unit_test(test_duplicate_keys),
        cmocka_unit_test(test_wrong_types),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_numbers_not_finite),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_document),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_broken_points),
        cmocka_unit_test(test_only_the_first),
        cmocka_unit_test(test_own_parts),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_kept_numbers),
        cmocka_unit_test(test_switches),
        cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_run_values),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
