/* test_names.c - texts of a scene read the scene's names, whatever names the types have for their own formulas.
 *
 * A scene in which every place that takes an expression reads a point, a body and a parameter moves the same whatever
 * these are called: each of the names that the sources of the types use inside, as a name of the scene. */
#include <glob.h>

#include "tests/support.h"

/* ----------------------------------------------------------------------------------- their names */

enum { NAMES_MAX = 400, NAME_SIZE = 64 };

typedef struct names {
    char name[NAMES_MAX][NAME_SIZE];
    int  n;
} names;

static void add_name(names *list, const char *text, size_t length)
{
    char name[NAME_SIZE];

    if (length == 0 || length >= NAME_SIZE) return;
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    if (!sal_expr_valid_name(name)) return;
    for (int k = 0; k < list->n; k++) {
        if (!strcmp(list->name[k], name)) return;
    }
    assert_true(list->n < NAMES_MAX);
    memcpy(list->name[list->n++], name, sizeof name);
}

/* Everything that stands as { "name" in a source: binds, and fields, which do no harm. */
static void names_of_file(names *list, const char *file)
{
    static const char head[] = "{ \"";
    char              line[1024];
    FILE             *f = fopen(file, "r");

    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        for (const char *at = line; (at = strstr(at, head));) {
            at += sizeof head - 1;
            add_name(list, at, strcspn(at, "\""));
        }
    }
    fclose(f);
}

static void names_of_types(names *list)
{
    static const char *const folder[]  = { "bodies", "joints", "contacts" };
    static const char *const certain[] = { "P", "Q", "A", "B", "C", "W", "h", "hdot", "r", "restitution", "low", "T" };

    list->n = 0;
    for (int k = 0; k < SAL_COUNT(folder); k++) {
        char   pattern[1024];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s/../%s/*.[ch]", SAL_SCENES_DIR, folder[k]);
        assert_int_equal(glob(pattern, 0, NULL, &found), 0);
        for (size_t i = 0; i < found.gl_pathc; i++) names_of_file(list, found.gl_pathv[i]);
        globfree(&found);
    }
    for (int k = 0, before = list->n; k < SAL_COUNT(certain); k++) {
        add_name(list, certain[k], strlen(certain[k]));
        assert_int_equal(list->n, before); /* they were found */
    }
}

/* ---------------------------------------------------------------------------------------- scenes */

#define OTHERS /* one thing each that can touch: with the incline, the curve, the edge, the disc, and the stops */ \
    "'i1': {'at': [-4, -0.3]}, 'c1': {'at': [-6, 1.9]}, 'e1': {'at': [-8, 0.12]}, 'e2': {'at': [-8.5, 0]},"        \
    "'e3': {'at': [-7.5, 0], 'fixed': true}, 'e4': {'at': [-8.5, 0], 'fixed': true},"                              \
    "'d1': {'at': [-10, 0.6]}, 'd2': {'at': [-10, 0], 'fixed': true},"                                             \
    "'s1': {'at': [-12, 0], 'fixed': true}, 's2': {'at': [-11, 0.05]},"                                            \
    "'l1': {'at': [-14, 0], 'fixed': true}, 'l2': {'at': [-14, -0.88]}"

/* `name` is given to a point, to a body on it and to a parameter; `own` to the point that touches the level ground. A
 * reserved word is no name of a parameter. Contacts act as long as all of these are what they are called. */
static void make(char *text, size_t size, const char *name, const char *own, const char *law)
{
    const char *number = sal_expr_reserved(name) ? "Zn" : name;
    char        guard[512];

    snprintf(guard, sizeof guard,
             "%s, 'guard': 'x(%s) > 4 and vx(%s) < 1 and distance(%s, far) < 1.1 and angle(%s) > 1 and "
             "rate(%s) > 0.1 and %s > 7 and abs(x(%s) + 1) < 0.2'",
             law, name, name, name, name, name, number, own);
    snprintf(text, size,
             "'parameters': {'%s': 7.25},"
             "'points': {'%s': {'at': [5, 50], 'velocity': [0.1, 0]}, 'far': {'at': [4.8, 51], 'velocity': [-0.4, 0]},"
             "           '%s': {'at': [-1, 0.05], 'velocity': [0.3, -1]}," OTHERS "},"
             "'bodies': {'%s': {'type': 'bar', 'points': ['%s', 'far'], 'mass': 1},"
             "  'm1': {'type': 'point_mass', 'point': '%s', 'mass': 1},"
             "  'm2': {'type': 'point_mass', 'point': 'i1', 'mass': 1},"
             "  'm3': {'type': 'point_mass', 'point': 'c1', 'mass': 1},"
             "  'm4': {'type': 'bar', 'points': ['e2', 'e1'], 'mass': 1},"
             "  'm6': {'type': 'point_mass', 'point': 'd1', 'mass': 1},"
             "  'm7': {'type': 'bar', 'points': ['s1', 's2'], 'mass': 1},"
             "  'm8': {'type': 'point_mass', 'point': 'l2', 'mass': 1}},"
             "'contacts': {'c1': {'type': 'ground', 'points': ['%s'], %s},"
             "  'c2': {'type': 'ground', 'points': ['i1'], 'angle': 0.1, %s},"
             "  'c3': {'type': 'ground', 'points': ['c1'], 'profile': '0.05*x^2', %s},"
             "  'c4': {'type': 'edge', 'points': ['e1'], 'line': ['e4', 'e3'], %s},"
             "  'c6': {'type': 'discs', 'points': ['d1', 'd2'], 'radii': [0.3, 0.25], %s},"
             "  'c7': {'type': 'angle_stop', 'body': 'm7', 'min': 0, %s},"
             "  'c8': {'type': 'length_stop', 'points': ['l1', 'l2'], 'max': 0.95, %s}},"
             "'simulation': {'duration': 0.2, 'output': 0}",
             number, name, own, name, name, own, own, guard, guard, guard, guard, guard, guard, guard);
}

/* The state at the end, and how many events led there. */
static int run_to_end(const char *text, double *state, int room)
{
    rig        r = rig_load(text);
    sal_status status;
    const int  n = r.model->n;
    int        events;

    assert_true(2 * n <= room);
    rig_run(&r, NULL);
    do status = sal_run_step(r.run);
    while (status >= 0 && status != SAL_END);
    if (status < 0) fail_msg("%s\nin %s", sal_run_message(r.run), text);
    memcpy(state, sal_run_q(r.run), sizeof *state * (size_t)n);
    memcpy(state + n, sal_run_v(r.run), sizeof *state * (size_t)n);
    events = (int)sal_run_get_stats(r.run).events;
    rig_free(&r);
    return events;
}

enum { STATE_MAX = 64, TEXT_SIZE = 8192 };

static void assert_same(const char *text, const char *name, const double *expected, int events)
{
    double state[STATE_MAX] = { 0 };
    int    count            = run_to_end(text, state, STATE_MAX);

    if (count != events || memcmp(state, expected, sizeof state) != 0)
        fail_msg("'%s' means something else: %d events, not %d, in\n%s", name, count, events, text);
}

static void test_guards(void **state)
{
    static const char *const law[] = { "'law': 'impact', 'restitution': 0.5", "'law': 'reset', 'restitution': 0.5",
                                       "'law': 'stick'", "'law': 'slide'" };
    static names             list;

    (void)state;
    names_of_types(&list);
    for (int l = 0; l < SAL_COUNT(law); l++) {
        double expected[STATE_MAX] = { 0 };
        char   text[TEXT_SIZE];
        int    events;
        make(text, sizeof text, "Za", "Zb", law[l]);
        events = run_to_end(text, expected, STATE_MAX);

        assert_true(events >= 7); /* everything has touched */
        for (int k = 0; k < list.n; k++) {
            make(text, sizeof text, list.name[k], "Zb", law[l]);
            assert_same(text, list.name[k], expected, events);
            make(text, sizeof text, "Za", list.name[k], law[l]);
            assert_same(text, list.name[k], expected, events);
        }
    }
}

/* Expressions of forces and of a motor. What a spring offers, and says so, is not the scene's: length and rate. */
static void make_forces(char *text, size_t size, const char *name, bool offered)
{
    const char *number = sal_expr_reserved(name) || offered ? "Zn" : name;
    char        value[512];

    snprintf(value, sizeof value, "0.1*x(%s) + 0.2*vx(%s) + 0.3*angle(%s) + 0.4*rate(%s) + 0.5*%s", name, name, name,
             name, number);
    snprintf(text, size,
             "'parameters': {'%s': 7.25},"
             "'points': {'%s': {'at': [5, 50], 'velocity': [0.1, 0]}, 'far': {'at': [4.8, 51], 'velocity': [-0.4, 0]},"
             "           'o1': {'at': [0, 0], 'fixed': true}, 'a1': {'at': [1, 0]}, 'a2': {'at': [2, 0]},"
             "           'b1': {'at': [1, 1]}, 'd1': {'at': [-1, 1]}},"
             "'bodies': {'%s': {'type': 'bar', 'points': ['%s', 'far'], 'mass': 1},"
             "  'm1': {'type': 'bar', 'points': ['o1', 'a1'], 'mass': 1},"
             "  'm2': {'type': 'bar', 'points': ['a1', 'a2'], 'mass': 1},"
             "  'm3': {'type': 'point_mass', 'point': 'b1', 'mass': 1},"
             "  'm4': {'type': 'point_mass', 'point': 'd1', 'mass': 1}},"
             "'joints': {'f1': {'type': 'force', 'point': 'a1', 'fx': '%s', 'fy': '%s'},"
             "  'f2': {'type': 'force', 'point': 'a2', 'body': 'm2', 'fx': '%s', 'fy': '%s'},"
             "  'f3': {'type': 'torque', 'body': 'm2', 'reference': 'm1', 'torque': '%s'},"
             "  'f4': {'type': 'spring', 'points': ['a2', 'b1'], 'force': '%s + length + 0.1*rate'},"
             "  'f5': {'type': 'formula', 'forces': {'vx(b1)': '%s'}},"
             "  'f6': {'type': 'driver', 'of': 'x(d1) + 0.1*x(%s) + %s', 'value': '6.75 + 0.1*t'}},"
             "'outputs': {'o': 'reaction(f1.fx) + reaction(f3.torque) + reaction(f4.tension)'},"
             "'simulation': {'duration': 0.2, 'output': 0}",
             number, name, name, name, value, value, value, value, value, value, value, name, number);
}

static void test_forces(void **state)
{
    double       expected[STATE_MAX] = { 0 };
    char         text[TEXT_SIZE];
    static names list;

    (void)state;
    names_of_types(&list);
    make_forces(text, sizeof text, "Za", false);
    run_to_end(text, expected, STATE_MAX);
    for (int k = 0; k < list.n; k++) {
        make_forces(text, sizeof text, list.name[k], !strcmp(list.name[k], "length") || !strcmp(list.name[k], "rate"));
        assert_same(text, list.name[k], expected, 0);
    }
}

/* A name that only the type knows is unknown in the scene. */
static void test_unknown(void **state)
{
    static const char *const guard[] = { "x(P) > 0", "h > 0", "restitution > 0", "a > 0" };

    (void)state;
    for (int k = 0; k < SAL_COUNT(guard) * 2; k++) {
        char         text[1024];
        sal_context *context;
        sal_scene   *scene;
        snprintf(text, sizeof text,
                 "{ 'saltus': 1, 'points': { 'Q': { 'at': [0, 1] } },"
                 "'bodies': { 'q': { 'type': 'point_mass', 'point': 'Q', 'mass': 1 } },\n"
                 "'contacts': { 'floor': { 'type': 'ground', 'points': ['Q'], 'law': '%s', 'guard': '%s' } } }",
                 k % 2 ? "reset" : "impact", guard[k / 2]);
        in_quotes(text);
        assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
        assert_int_equal(sal_scene_parse(context, "test", text, strlen(text), &scene), SAL_ERR_SCENE);
        assert_int_equal(sal_error_count(context), 1);
        assert_says(sal_message(context), "contacts.floor.guard: ");
        assert_says(sal_message(context), "unknown ");
        sal_context_destroy(&context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_forces),
        cmocka_unit_test(test_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
