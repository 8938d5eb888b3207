/* test_scene.c - what the scene loader makes of good scenes: names, defaults, laws, sizes; and of ever less memory. */
#include <time.h>

#include "engine/scene/fields.h"
#include "tests/scene_fixture.h"

/* ------------------------------------------------------------------------------------ good scenes */

static const char everything[] =
    "{'//': 'one', 'saltus': 1, '$schema': 'saltus.schema.json', 'name': 'all', '//': ['two'],\n"
    "'simulation': {'//': 1, 'duration': 'T', 'form': 'penalty', 'integrator': 'rk5', 'rtol': 1e-7, 'atol': 1e-8,\n"
    "  'output': 0, 'max_step': 0.1, 'min_step': 1e-9, 'stabilization': 'baumgarte', 'alpha': 1e6, 'xi': 0.7, 'omega': "
    "20},\n"
    "'costs': {'//': 1, 'z': {'//': 1, 'running': 'energy()', 'terminal': 2}},\n"
    "'outputs': {'//': 1, 'o': 'lambda(pin.x) + lambda(b1) + x(M1) + angle(b2) + rate(b1) + distance(P, Q)'},\n"
    "'contacts': {'//': 1, 'floor': {'//': 1, 'type': 'ground', 'points': ['P', 'M1'], 'height': -5, 'law': 'reset',\n"
    "    'restitution': 'r'},\n"
    "  'kick': {'//': 1, 'type': 'event', 'when': 't - 1', 'direction': 'rising', 'guard': 'y(P) < 0',\n"
    "    'set': {'//': 1, 'vx(P)': '-r*vx(P)', 'vy(Q) - vy(P)': 0}, 'stop': true}},\n"
    "'joints': {'//': 1, 'pin': {'//': 1, 'type': 'revolute', 'points': ['M2', 'P'], 'alpha': 'm'},\n"
    "  'rod': {'type': 'distance', 'points': ['A', 'Q'], 'length': 'sqrt(2) + 0*t'},\n"
    "  'coil': {'type': 'spring', 'points': ['A', 'M1'], 'stiffness': 3, 'length': 1, 'damping': 'm'}},\n"
    "'bodies': {'//': 1, 'b1': {'//': 1, 'type': 'bar', 'points': ['A', 'P'], 'mass': 'm', 'markers': {'//': 1, 'M1': "
    "[1, 'm']}},\n"
    "  'b2': {'type': 'rigid', 'points': ['Q', 'R'], 'mass': 2, 'centre': [0.5, 0], 'inertia': 1, 'length': 1,\n"
    "    'markers': {'M2': [0, -1]}},\n"
    "  'b3': {'type': 'point_mass', 'point': 'Q', 'mass': 1}},\n"
    "'points': {'//': 1, 'A': {'//': 1, 'at': [0, '0.1*sin(t)'], 'fixed': true}, 'P': {'at': [1, 0], 'dof': 'x'},\n"
    "  'Q': {'at': [1, 1], 'velocity': [0, 0]}, 'R': {'at': [2, 1], 'dof': false}},\n"
    "'parameters': {'//': 1, 'm': '2*k', 'T': 2, 'k': 'r^2', 'r': 0.5},\n"
    "'gravity': ['0*m', -1]}";

static void test_everything(void **state)
{
    fixture        f;
    sal_model_info info;
    sal_run_opts   opts;
    sal_point_info point;

    (void)state;
    started(&f, "{'saltus': 1, 'points': {'P': {'at': [0, 0]}}, 'bodies': {'m': {'type': 'point_mass', 'point': 'P', "
                "'mass': 1}}}");
    end(&f);
    begin(&f);
    parse(&f, everything); /* b1 is derived from a point that moves: its length has to be given */
    assert_string_equal(sal_message(f.context), "t.json:13:27: bodies.b1: missing key 'length': the distance of its "
                                                "ends as given depends on t\n");
    drop(&f);
    end(&f);

    char *text = strdup(everything), *at = strstr(text, "'0.1*sin(t)'");
    assert_non_null(at);
    memcpy(at, "0           ", 12);
    started(&f, text);
    free(text);
    info = sal_model_get_info(f.model);
    assert_string_equal(info.name, "all");
    assert_int_equal(info.points, 6);
    assert_int_equal(info.bodies, 3);
    assert_int_equal(info.joints, 3);
    assert_int_equal(info.contacts, 2);
    assert_int_equal(info.coordinates, 6);
    assert_int_equal(info.constraints, 5);
    assert_int_equal(info.parameters, 4);
    assert_int_equal(info.events, 3);
    assert_int_equal(info.outputs, 1);
    assert_int_equal(info.costs, 1);
    assert_string_equal(sal_model_coordinate(f.model, 0), "x(P)");
    assert_string_equal(sal_model_constraint(f.model, 2), "pin.x");
    assert_string_equal(sal_model_event(f.model, 1), "floor.M1");
    assert_string_equal(sal_model_event(f.model, 2), "kick");
    assert_true(sal_model_point(f.model, 1, &point));
    assert_true(point.dof[0] && !point.dof[1]);
    assert_true(sal_model_point(f.model, 5, &point));
    assert_string_equal(point.kind, "marker");
    assert_string_equal(point.body, "b2");
    opts = sal_run_get_opts(f.run);
    assert_int_equal(opts.form, SAL_PENALTY);
    assert_int_equal(opts.integrator, SAL_RK5);
    assert_int_equal(opts.stabilization, SAL_BAUMGARTE);
    assert_true(opts.duration == 2.0 && opts.rtol == 1e-7 && opts.atol == 1e-8);
    assert_true(opts.max_step == 0.1 && opts.min_step == 1e-9);
    assert_true(sal_run_output_interval(f.run) == 0.0);
    assert_true(sal_run_parameter(f.run, 0) == 0.5); /* m, in the order of the file */
    end(&f);
}

static double value_of(const fixture *f, sal_slot slot)
{
    return f->run->system.z[slot];
}

/* Absent sections and keys mean what the tables say. */
static void test_defaults(void **state)
{
    fixture               f;
    const sal_simulation *sim;
    sal_run_opts          opts;
    sal_slot              gravity[2];

    (void)state;
    started(&f, "{'saltus': 1, 'points': {'P': {'at': [3, 4]}}, 'bodies': {'m': {'type': 'point_mass', 'point': 'P', "
                "'mass': 1}}}");
    sim = &f.scene->tables->simulation;
    memcpy(gravity, f.scene->tables->gravity, sizeof gravity);
    assert_string_equal(f.scene->tables->name, "");
    assert_true(value_of(&f, gravity[0]) == 0.0 && value_of(&f, gravity[1]) == -9.81);
    for (int k = 0; k < sal_simulation_table.n; k++) {
        const sal_field *field  = &sal_simulation_table.fields[k];
        const void      *member = (const char *)sim + field->offset;
        if (field->kind == SAL_F_CHOICE) {
            assert_string_equal(field->words[*(const int *)member], field->standard);
        } else if (field->standard[0]) {
            assert_true(value_of(&f, *(const sal_slot *)member) == strtod(field->standard, NULL));
        } else {
            assert_int_equal(*(const sal_slot *)member, SAL_NONE);
        }
    }
    opts = sal_run_get_opts(f.run);
    assert_int_equal(opts.form, SAL_INDEX1);
    assert_int_equal(opts.integrator, SAL_AUTO);
    assert_int_equal(opts.stabilization, SAL_PROJECTION);
    assert_true(opts.duration == 10.0 && opts.rtol == 1e-9 && opts.atol == 1e-9);
    assert_true(opts.max_step == 10.0 && opts.min_step == 0.0);
    assert_true(sal_run_output_interval(f.run) == 0.01);
    assert_true(sal_run_v(f.run)[0] == 0.0 && sal_run_v(f.run)[1] == 0.0);
    assert_true(sal_run_a(f.run)[1] == -9.81);
    end(&f);
}

/* Rows, events and friction that each law of contact comes with. */
static void test_laws(void **state)
{
    static const struct {
        const char *law, *rows[2], *events[5];
    } list[] = {
        { "", { "c.n" }, { "c", "c.release" } },
        { ", 'mu_kinetic': 0.3", { "c.n", "c.t" }, { "c", "c.release", "c.slip", "c.stick", "c.jam" } },
        { ", 'mu_static': 0.3", { "c.n", "c.t" }, { "c", "c.release", "c.slip", "c.stick", "c.jam" } },
        { ", 'law': 'stick'", { "c.n", "c.t" }, { "c", "c.release" } },
        { ", 'law': 'slide'", { "c.n" }, { "c", "c.release" } },
        { ", 'law': 'reset'", { NULL }, { "c" } },
        { ", 'law': 'compliant', 'mu_kinetic': 0.3, 'stiffness': 1e6", { NULL }, { "c", "c.release" } },
    };

    (void)state;
    for (int i = 0; i < SAL_COUNT(list); i++) {
        char    text[1024];
        fixture f;
        int     rows = 0, events = 0;

        snprintf(text, sizeof text,
                 "{'saltus': 1, 'points': {'P': {'at': [0, 1]}}, 'bodies': {'m': {'type': 'point_mass', 'point': 'P', "
                 "'mass': 1}}, 'contacts': {'c': {'type': 'ground', 'points': ['P']%s}}}",
                 list[i].law);
        started(&f, text);
        while (rows < 2 && list[i].rows[rows]) {
            assert_string_equal(sal_model_constraint(f.model, rows), list[i].rows[rows]);
            assert_false(f.run->system.mode.held[rows]);
            rows++;
        }
        while (events < 5 && list[i].events[events]) {
            assert_string_equal(sal_model_event(f.model, events), list[i].events[events]);
            events++;
        }
        assert_int_equal(f.model->m, rows);
        assert_null(sal_model_event(f.model, events)); /* and of switches of forces nobody is told */
        assert_int_equal(f.scene->tables->touches.n, rows > 0);
        assert_int_equal(f.scene->tables->efforts.n, i == 6 ? 2 : 0);
        if (i == 1 || i == 2) { /* one coefficient stands for both */
            const sal_touch *t = &f.scene->tables->touches.at[0];
            assert_true(value_of(&f, t->mu_static) == 0.3 && value_of(&f, t->mu_kinetic) == 0.3);
        }
        end(&f);
    }
    fixture f;
    started(&f, "{'saltus': 1, 'points': {'P': {'at': [0, 1]}, 'Q': {'at': [1, 1]}}, 'bodies': {'b': {'type': 'bar', "
                "'points': ['P', 'Q'], 'mass': 1}}, 'contacts': {'c': {'type': 'ground', 'points': ['P', 'Q'], "
                "'mu_static': 1}, 's': {'type': 'angle_stop', 'body': 'b', 'min': -1, 'max': 1},"
                "'l': {'type': 'length_stop', 'points': ['P', 'Q'], 'max': 2}}}");
    assert_string_equal(sal_model_constraint(f.model, 1), "c.P.n");
    assert_string_equal(sal_model_constraint(f.model, 4), "c.Q.t");
    assert_string_equal(sal_model_constraint(f.model, 5), "s.min.n");
    assert_string_equal(sal_model_constraint(f.model, 6), "s.max.n");
    assert_string_equal(sal_model_constraint(f.model, 7), "l.n");
    assert_string_equal(sal_model_event(f.model, 3), "c.P.stick");
    assert_string_equal(sal_model_event(f.model, 11), "s.min.release");
    end(&f);
}

/* A bar without a length is as long as its ends are apart; markers and masses follow from it. */
static void test_derived_length(void **state)
{
    fixture f;
    double  at[2];

    (void)state;
    started(&f, "{'saltus': 1, 'parameters': {'d': 3}, 'points': {'A': {'at': ['-d', 0], 'fixed': true},\n"
                "'P': {'at': [0, '4']}}, 'bodies': {'b': {'type': 'bar', 'points': ['A', 'P'], 'mass': 6, 'markers':\n"
                "{'M': [2.5, 1]}}}, 'simulation': {'form': 'index1'}}");
    assert_int_equal(sal_run_point(f.run, "M", at, NULL), SAL_OK);
    assert_near(at[0], -3.0 + 0.5 * 3.0 - 0.2 * 4.0, 1e-12);
    assert_near(at[1], 0.5 * 4.0 + 0.2 * 3.0, 1e-12);
    /* in another run the same scene is larger */
    assert_int_equal(sal_run_set(f.run, "d", 0.0), SAL_OK);
    assert_int_equal(sal_run_restart(f.run), SAL_OK);
    assert_int_equal(sal_run_point(f.run, "M", at, NULL), SAL_OK);
    assert_near(at[0], -0.25 * 4.0, 1e-12);
    assert_near(at[1], 0.625 * 4.0, 1e-12);
    end(&f);
}

static void test_utf8_names(void **state)
{
    fixture f;
    double  at[2];

    (void)state;
    started(&f, "{'saltus': 1, 'parameters': {'l\xC3\xA4nge': 2}, 'points': {'\xCE\xA0': {'at': ['l\\u00e4nge', 1]}},\n"
                "'bodies': {'\xE8\xBB\x8A': {'type': 'point_mass', 'point': '\\u03A0', 'mass': 1}},\n"
                "'outputs': {'\xF0\x9F\x98\x80': '2*x(\xCE\xA0)'}}");
    assert_int_equal(sal_run_point(f.run, "\xCE\xA0", at, NULL), SAL_OK);
    assert_true(at[0] == 2.0 && at[1] == 1.0);
    assert_string_equal(sal_model_coordinate(f.model, 0), "x(\xCE\xA0)");
    assert_true(sal_run_output(f.run, 0) == 4.0);
    end(&f);
}

/* Only parameters compete with the words of the expression language. */
static void test_word_names(void **state)
{
    fixture f;

    (void)state;
    started(&f, "{'saltus': 1, 'points': {'e': {'at': [3, 1]}, 't': {'at': [5, 1]}},\n"
                "'bodies': {'pi': {'type': 'bar', 'points': ['e', 't'], 'mass': 1}},\n"
                "'outputs': {'sin': 'x(e) + x(t) + angle(pi)'}, 'costs': {'min': {'terminal': 'e'}}}");
    assert_true(sal_run_output(f.run, 0) == 8.0);
    end(&f);
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum { SECONDS_MAX = 20 }; /* far more than needed, far less than anything quadratic takes under the sanitizers */

/* Each parameter reads the next one of the file, and the last one first: no recursion, no quadratic time. */
static void test_long_chain(void **state)
{
    enum { COUNT = 20000 };
    char       *text = room(64 * COUNT), *p = text;
    const char *message;
    fixture     f;
    double      began = seconds();

    (void)state;
    p = put(p, "{'saltus': 1, 'points': {'P': {'at': ['p0', 0]}}, 'bodies': {'m': {'type': 'point_mass', 'point': "
               "'P', 'mass': 1}}, 'parameters': {");
    for (int k = 0; k < COUNT; k++) p = put(p, "\n'p%d': 'p%d + 1',", k, k + 1);
    put(p, "\n'p%d': 1}}", COUNT);
    started(&f, text);
    assert_true(sal_run_parameter(f.run, 0) == COUNT + 1.0);
    assert_true(sal_run_q(f.run)[0] == COUNT + 1.0);
    end(&f);

    put(p, "\n'p%d': 'p1'}}", COUNT); /* a circle of all but the first: the message stays short */
    begin(&f);
    parse(&f, text);
    assert_int_equal(f.status, SAL_ERR_SCENE);
    assert_int_equal(sal_error_count(f.context), 1);
    assert_string_equal(sal_error(f.context, 0)->path, "parameters.p1");
    assert_int_equal(sal_error(f.context, 0)->line, 3);
    message = strstr(sal_message(f.context), "circle: p1 -> p2 -> p3 -> ");
    assert_non_null(message);
    assert_non_null(strstr(message, " -> ... -> p1\n"));
    assert_true(strlen(message) < 300);
    end(&f);
    free(text);
    assert_true(seconds() - began < SECONDS_MAX);
}

static void test_large(void **state)
{
    enum { COUNT = 5000 };
    char          *text = room(160 * COUNT), *p = text;
    fixture        f;
    double         began = seconds();
    sal_model_info info;

    (void)state;
    p = put(p, "{'saltus': 1, 'points': {'P0': {'at': [0, 0], 'fixed': true}");
    for (int k = 1; k <= COUNT; k++) p = put(p, ",\n'P%d': {'at': [%d, 0]}", k, k);
    p = put(p, "}, 'bodies': {");
    for (int k = 0; k < COUNT; k++) {
        p = put(p, "%s\n'b%d': {'type': 'bar', 'points': ['P%d', 'P%d'], 'mass': 1}", k ? "," : "", k, k, k + 1);
    }
    put(p, "}}");
    begin(&f);
    parse(&f, text);
    assert_string_equal(sal_message(f.context), "");
    assert_int_equal(sal_model_create(f.scene, &f.model), SAL_OK);
    info = sal_model_get_info(f.model);
    assert_int_equal(info.coordinates, 2 * COUNT);
    assert_int_equal(info.constraints, COUNT);
    end(&f);
    free(text);
    assert_true(seconds() - began < SECONDS_MAX);
}

/* Models live on when their scene is gone. */
static void test_scene_goes_first(void **state)
{
    fixture f;

    (void)state;
    started(&f, SCENE("'bodies': {'b': {'type': 'bar', 'points': ['A', 'P'], 'mass': 1}, 'c': {'type': 'bar', "
                      "'points': ['P', 'Q'], 'mass': 1}}"));
    sal_scene_destroy(&f.scene);
    assert_null(f.scene);
    assert_string_equal(sal_model_constraint(f.model, 1), "c");
    assert_int_equal(sal_run_step(f.run), SAL_OK);
    end(&f);
}

/* ---------------------------------------------------------------------------------- out of memory */

/* Rows and forces by formulas, functions of one variable, switches, memory. */
static const char contacts[] =
    "{'saltus': 1, 'memory': {'place': 0.5, 'count': 0},\n"
    "'points': {'A': {'at': ['place', 0], 'fixed': true}, 'P': {'at': [0, 1]}, 'Q': {'at': [1, 1.2]}},\n"
    "'bodies': {'b': {'type': 'bar', 'points': ['P', 'Q'], 'mass': 1}},\n"
    "'joints': {'pin': {'type': 'revolute', 'points': ['A', 'P'], 'active': false}},\n"
    "'contacts': {'hills': {'type': 'ground', 'points': ['P', 'Q'], 'profile': '0.1*sin(x)', 'mu_static': 0.5},\n"
    "  'soft': {'type': 'ground', 'points': ['Q'], 'law': 'compliant', 'stiffness': 1e6, 'mu_kinetic': 0.3, 'height': "
    "-1},\n"
    "  'stop': {'type': 'angle_stop', 'body': 'b', 'min': -1, 'max': 1, 'guard': 'x(P) > place'},\n"
    "  'rim': {'type': 'discs', 'points': ['A', 'Q'], 'radii': [0.1, 0.1], 'body2': 'b', 'law': 'stick'},\n"
    "  'catch': {'type': 'event', 'when': 't - 1', 'set': {'place': 'x(P)', 'count': 'count + 1'}, 'hold': ['pin'],\n"
    "            'release_after': ['b']}}}";

/* Allocation number n fails, for all n until it works. cJSON and KLU allocate by themselves. */
static void check_memory(const char *name, const char *text, bool whole, bool once)
{
    sal_status status = SAL_ERR_MEMORY;

    for (int n = 0; status != SAL_OK; n++) {
        fixture          f    = { .memory = { .fail = n, .once = once } };
        sal_context_opts opts = counting_opts(&f.memory);

        assert_true(n < 10000);
        status = sal_context_create(&opts, &f.context);
        if (status == SAL_OK) {
            if (text) parse_as(&f, name, text);
            else f.status = sal_scene_load(f.context, name, &f.scene);
            if (whole && f.status == SAL_OK) f.status = sal_model_create(f.scene, &f.model);
            if (whole && f.status == SAL_OK) f.status = sal_run_create(f.model, NULL, &f.run);
            status = f.status;
        }
        if (status == SAL_OK) assert_true(f.memory.next <= n);
        else assert_int_equal(status, SAL_ERR_MEMORY);
        if (status != SAL_OK && f.context) assert_string_equal(sal_message(f.context), "out of memory\n");
        drop(&f);
        sal_context_destroy(&f.context);
        assert_int_equal(f.memory.live, 0);
    }
}

static void test_memory(void **state)
{
    (void)state;
    check_memory(SAL_SCENES_DIR "/five_bar.json", NULL, true, false);
    check_memory(SAL_SCENES_DIR "/five_bar.json", NULL, true, true);
    check_memory("contacts.json", contacts, true, false);
    check_memory("contacts.json", contacts, true, true);
}

/* Pools take memory in large blocks: names of all lengths move the ends of the blocks over every place where something
 * is taken from the pool. */
static void test_memory_everywhere(void **state)
{
    enum { BLOCK = 16 * 1024, STEP = 16 };
    char name[BLOCK + 1] = "", *text = strdup(everything), *at = strstr(text, "'0.1*sin(t)'");

    (void)state;
    memcpy(at, "0           ", 12);
    for (int k = 0; k < BLOCK; k += STEP) {
        memset(name + k, 'n', STEP);
        check_memory(name, text, false, (k / STEP) % 2);
        if (k / STEP % 16 == 0) check_memory(name, contacts, true, (k / STEP) % 32 == 0);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_everything),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_derived_length),
        cmocka_unit_test(test_utf8_names),
        cmocka_unit_test(test_word_names),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_scene_goes_first),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_everywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
