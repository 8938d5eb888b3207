/* test_api_model.c - the public interface up to the model: status, context, errors, scenes, plug-ins, the reference,
 * names and counts. */
#include "api.h"

/* ---------------------------------------------------------------------------------------- status */

static void test_status(void **state)
{
    (void)state;
#define NAMED(name, value, text)                        \
    assert_int_equal(name, value);                      \
    assert_string_equal(sal_status_name(value), #name); \
    assert_string_equal(sal_status_text(value), text);
    SAL_STATUS_LIST(NAMED)
#undef NAMED
    assert_non_null(sal_status_name((sal_status)77));
    assert_non_null(sal_status_text((sal_status)77));
}

static void test_version(void **state)
{
    char text[32];

    (void)state;
    snprintf(text, sizeof text, "%d.%d.%d", SAL_VERSION_MAJOR, SAL_VERSION_MINOR, SAL_VERSION_PATCH);
    assert_string_equal(sal_version(), SAL_VERSION);
    assert_string_equal(sal_version(), text);
}

/* --------------------------------------------------------------------------------------- context */

typedef struct memory {
    long live, total;
    long fail; /* allocations that still succeed; -1: all */
    int  lines;
    char line[512]; /* of the log, the last one */
} memory;

static void *allocate(void *user, size_t size)
{
    memory *m     = user;
    void   *block = m->fail == 0 ? NULL : malloc(size);

    if (m->fail > 0) m->fail--;
    if (block) m->live++, m->total++;
    return block;
}

static void release(void *user, void *block)
{
    memory *m = user;

    assert_non_null(block);
    m->live--;
    free(block);
}

static void note(void *user, const char *text)
{
    memory *m = user;

    m->lines++;
    snprintf(m->line, sizeof m->line, "%s", text);
}

static sal_context *counting_context(memory *m)
{
    sal_context_opts opts    = sal_context_defaults();
    sal_context     *context = NULL;

    *m            = (memory){ .fail = -1 };
    opts.allocate = allocate;
    opts.release  = release;
    opts.log      = note;
    opts.user     = m;
    assert_int_equal(sal_context_create(&opts, &context), SAL_OK);
    return context;
}

/* A ball below the ground it stands on: a scene that is worth a warning. */
static const char SUNKEN[] = "'points': { 'P': { 'at': [0, -1] } },"
                             "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                             "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'law': 'reset' } }";

static void test_memory_is_the_contexts(void **state)
{
    memory       m;
    sal_context *context = counting_context(&m);
    sal_scene   *scene;
    sal_model   *model;
    sal_run     *run;
    sal_run_opts quiet = sal_run_defaults();
    long         before;

    (void)state;
    assert_int_equal(api_parse(context, SUNKEN, &scene), SAL_OK);
    assert_int_equal(sal_model_create(scene, &model), SAL_OK);
    sal_scene_destroy(&scene);
    quiet.quiet = true;
    assert_int_equal(sal_run_create(model, &quiet, &run), SAL_OK);
    assert_int_equal(m.lines, 0);
    sal_run_destroy(&run);
    assert_int_equal(sal_run_create(model, NULL, &run), SAL_OK);
    assert_int_equal(m.lines, 1);
    assert_says(m.line, "floor");
    assert_null(strchr(m.line, '\n'));
    before = m.total;
    for (int k = 0; k < 100 && sal_run_step(run) == SAL_OK; k++) {
    }
    assert_int_equal(m.total, before); /* steps allocate nothing */
    sal_run_destroy(&run);
    sal_model_destroy(&model);
    sal_context_destroy(&context);
    assert_int_equal(m.live, 0);
}

/* Whichever allocation fails, the call says so, and nothing is left behind. */
static void test_out_of_memory(void **state)
{
    sal_context_opts opts = sal_context_defaults();
    memory           m    = { .fail = 0 };
    sal_context     *none = (sal_context *)&m;

    (void)state;
    opts.allocate = allocate;
    opts.release  = release;
    opts.user     = &m;
    assert_int_equal(sal_context_create(&opts, &none), SAL_ERR_MEMORY);
    assert_null(none);
    for (long good = 0;; good++) {
        sal_context *context = counting_context(&m);
        sal_scene   *scene   = NULL;
        sal_model   *model   = NULL;
        sal_run     *run     = NULL;
        sal_status   status;
        m.fail = good;
        status = api_parse(context, SUNKEN, &scene);
        if (status == SAL_OK) status = sal_model_create(scene, &model);
        if (status == SAL_OK) status = sal_run_create(model, NULL, &run);
        assert_true(status == SAL_OK || status == SAL_ERR_MEMORY);
        assert_true((status == SAL_OK) == (run != NULL));
        sal_run_destroy(&run);
        sal_model_destroy(&model);
        sal_scene_destroy(&scene);
        sal_context_destroy(&context);
        assert_int_equal(m.live, 0);
        if (status == SAL_OK) break;
    }
}

static void test_destroying_nothing(void **state)
{
    sal_context     *context     = NULL;
    sal_scene       *scene       = NULL;
    sal_model       *model       = NULL;
    sal_run         *run         = NULL;
    sal_probe       *probe       = NULL;
    sal_cycle       *cycle       = NULL;
    sal_analysis    *analysis    = NULL;
    sal_equilibrium *equilibrium = NULL;
    sal_modes       *modes       = NULL;

    (void)state;
    sal_modes_destroy(&modes);
    sal_equilibrium_destroy(&equilibrium);
    sal_analysis_destroy(&analysis);
    sal_cycle_destroy(&cycle);
    sal_probe_destroy(&probe);
    sal_run_destroy(&run);
    sal_model_destroy(&model);
    sal_scene_destroy(&scene);
    sal_context_destroy(&context);
    assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
    sal_context_destroy(&context);
    assert_null(context);
}

/* ---------------------------------------------------------------------------------------- errors */

static const char WRONG[] = "{ \"saltus\": 1,\n"
                            "  \"points\": { \"P\": { \"at\": [0, \"hight\"] } },\n"
                            "  \"bodies\": { \"m\": { \"type\": \"point_mass\", \"point\": \"Q\", \"mass\": 1 } }\n"
                            "}\n";

static void test_errors_of_a_scene(void **state)
{
    sal_context          *one, *two;
    sal_scene            *scene;
    const sal_diagnostic *d;
    const char           *at[] = { "hight", "\"Q\"" }, *path[] = { "points.P.at", "bodies.m.point" };
    const char           *line_of[] = { "  \"points\"", "  \"bodies\"" };

    (void)state;
    assert_int_equal(sal_context_create(NULL, &one), SAL_OK);
    assert_int_equal(sal_context_create(NULL, &two), SAL_OK);
    assert_int_equal(sal_error_count(one), 0);
    assert_null(sal_error(one, 0));
    assert_string_equal(sal_message(one), "");
    assert_int_equal(sal_scene_parse(one, "my.json", WRONG, sizeof WRONG - 1, &scene), SAL_ERR_SCENE);
    assert_null(scene);
    assert_int_equal(sal_error_count(one), 2);
    for (int k = 0; k < 2; k++) {
        char line[512];
        d = sal_error(one, k);
        assert_string_equal(d->file, "my.json");
        assert_int_equal(d->line, k + 2);
        assert_int_equal(d->column, strstr(WRONG, at[k]) - strstr(WRONG, line_of[k]) + 1);
        assert_ptr_equal(strstr(d->path, path[k]), d->path);
        snprintf(line, sizeof line, "%s:%d:%d: %s: %s\n", d->file, d->line, d->column, d->path, d->text);
        assert_says(sal_message(one), line);
    }
    assert_says(sal_error(one, 0)->text, "hight");
    assert_says(sal_error(one, 1)->text, "Q");
    assert_null(sal_error(one, 2));
    assert_null(sal_error(one, -1));
    assert_int_equal(sal_error_count(two), 0); /* contexts share nothing */
    sal_context_destroy(&one);
    sal_context_destroy(&two);
}

static void test_files(void **state)
{
    sal_context *context;
    sal_scene   *scene;
    sal_model   *model;

    (void)state;
    assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
    assert_int_equal(sal_scene_load(context, "there/is/no.json", &scene), SAL_ERR_FILE);
    assert_null(scene);
    assert_says(sal_message(context), "there/is/no.json");
    assert_int_equal(sal_scene_load(context, SAL_SCENES_DIR "/five_bar.json", &scene), SAL_OK);
    assert_int_equal(sal_model_create(scene, &model), SAL_OK);
    assert_string_equal(sal_model_get_info(model).name, "five-bar mechanism bouncing on the ground");
    sal_model_destroy(&model);
    sal_scene_destroy(&scene);
    assert_null(scene);
    assert_int_equal(sal_scene_load(context, SAL_SCENES_DIR "/README.md", &scene), SAL_ERR_SCENE);
    assert_true(sal_error_count(context) >= 1);
    assert_says(sal_error(context, 0)->file, "README.md");
    assert_int_equal(sal_error(context, 0)->line, 1);
    sal_context_destroy(&context);
}

/* The size counts, not a 0 at the end; and the text may go when the call returns. */
static void test_text_is_not_kept(void **state)
{
    char        *text = api_text("'name': 'kept', 'points': { 'P': { 'at': [0, 0] } },"
                                        "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } }");
    const size_t size = strlen(text);
    sal_context *context;
    sal_scene   *scene;
    sal_model   *model;

    (void)state;
    text[size] = '!';
    assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
    assert_int_equal(sal_scene_parse(context, "text", text, size, &scene), SAL_OK);
    memset(text, 'x', size);
    free(text);
    assert_int_equal(sal_model_create(scene, &model), SAL_OK);
    sal_scene_destroy(&scene); /* the model lives on */
    assert_string_equal(sal_model_get_info(model).name, "kept");
    assert_string_equal(sal_model_coordinate(model, 1), "y(P)");
    sal_model_destroy(&model);
    assert_null(model);
    sal_context_destroy(&context);
}

static void test_evaluate(void **state)
{
    sal_context *context;
    double       value = 7.0;

    (void)state;
    assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
    assert_int_equal(sal_evaluate(context, "sqrt(5)/2 + 2^3", &value), SAL_OK);
    assert_near(value, sqrt(5.0) / 2.0 + 8.0, 1e-15);
    assert_int_equal(sal_evaluate(context, "2*length", &value), SAL_ERR_ARGUMENT);
    assert_says(sal_message(context), "length");
    assert_int_equal(sal_evaluate(context, "2*(1", &value), SAL_ERR_ARGUMENT);
    assert_true(sal_error_count(context) > 0);
    assert_int_equal(sal_evaluate(context, "", &value), SAL_ERR_ARGUMENT);
    sal_context_destroy(&context);
}

/* Expressions of parameters, which follow each other: with those of the scene, and with others. */
static void test_evaluate_parameters(void **state)
{
    static const char text[] =
        "{\"saltus\": 1, \"parameters\": {\"L2\": \"L1 + 1\", \"L1\": 2}, \"memory\": {\"k\": 1},"
        "\"points\": {\"P\": {\"at\": [0, 0]}},"
        "\"bodies\": {\"m\": {\"type\": \"point_mass\", \"point\": \"P\", \"mass\": \"L2\"}}}";
    const sal_setting first = { "L1", 5.0 }, both[] = { { "L1", 5.0 }, { "initial(P.x)", 3.0 }, { "L2", 7.0 } };
    sal_context      *context;
    sal_scene        *scene;
    sal_model        *model;
    double            value = 0.0;

    (void)state;
    assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
    assert_int_equal(sal_scene_parse(context, "text", text, sizeof text - 1, &scene), SAL_OK);
    assert_int_equal(sal_model_create(scene, &model), SAL_OK);
    assert_int_equal(sal_model_evaluate(model, NULL, 0, "2*L2 + L1", &value), SAL_OK);
    assert_near(value, 8.0, 1e-15);
    assert_int_equal(sal_model_evaluate(model, &first, 1, "2*L2 + L1", &value), SAL_OK);
    assert_near(value, 17.0, 1e-15);
    assert_int_equal(sal_model_evaluate(model, both, 3, "2*L2 + L1", &value), SAL_OK);
    assert_near(value, 19.0, 1e-15);
    assert_int_equal(sal_model_evaluate(model, NULL, 0, "L3", &value), SAL_ERR_ARGUMENT);
    assert_says(sal_message(context), "L3");
    assert_int_equal(sal_model_evaluate(model, NULL, 0, "x(P)", &value), SAL_ERR_ARGUMENT);
    assert_int_equal(sal_model_evaluate(model, NULL, 0, "1/(L1 - 2)", &value), SAL_ERR_ARGUMENT);
    assert_says(sal_message(context), "not finite");
    assert_int_equal(sal_model_evaluate(model, NULL, 0, "t", &value), SAL_ERR_ARGUMENT);
    assert_int_equal(sal_model_evaluate(model, NULL, 0, "k", &value), SAL_ERR_ARGUMENT);
    sal_model_destroy(&model);
    sal_scene_destroy(&scene);
    sal_context_destroy(&context);
}

/* ------------------------------------------------------------------------------- types, reference */

static void collect(void *user, const char *text)
{
    char *all = user;

    snprintf(all + strlen(all), 100000 - strlen(all), "%s", text);
}

static void test_reference(void **state)
{
    sal_context *context;
    char        *all = calloc(1, 100000), *one = calloc(1, 100000);

    (void)state;
    assert_non_null(all);
    assert_non_null(one);
    assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
    assert_int_equal(sal_describe(context, NULL, collect, all), SAL_OK);
    assert_says(all, "revolute");
    assert_says(all, "gravity");
    assert_int_equal(sal_describe(context, "bar", collect, one), SAL_OK);
    assert_says(one, "rigid bar between two points");
    assert_says(one, "kg m^2");
    assert_null(strstr(one, "revolute"));
    one[0] = '\0';
    assert_int_equal(sal_describe(context, "points", collect, one), SAL_OK);
    assert_says(one, "fixed");
    one[0] = '\0';
    assert_int_equal(sal_describe(context, "beam", collect, one), SAL_ERR_ARGUMENT);
    assert_string_equal(one, "");
    assert_says(sal_message(context), "beam");
    all[0] = '\0';
    assert_int_equal(sal_describe_schema(context, collect, all), SAL_OK);
    assert_int_equal(all[0], '{');
    assert_says(all, "\"$schema\"");
    assert_says(all, "\"revolute\"");
    sal_context_destroy(&context);
    free(all);
    free(one);
}

/* A mass of 2 kg hangs in an elastic band of 50 N/m: 2 g / 50 below. */
static void test_plugin(void **state)
{
    static const char hanging[] = "'gravity': [0, -10], 'points': { 'O': { 'at': [0, 0], 'fixed': true },"
                                  "'P': { 'at': [0, -0.4] } },"
                                  "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
                                  "'joints': { 'band': { 'type': 'elastic_band', 'points': ['O', 'P'], "
                                  "'stiffness': 50 } }";
    sal_context      *context, *other;
    sal_scene        *scene;
    sal_model        *model;
    sal_run          *run;
    char              text[4096] = "";

    (void)state;
    assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
    assert_int_equal(sal_context_create(NULL, &other), SAL_OK);
    assert_int_equal(sal_plugin_load(context, "there/is/no.so"), SAL_ERR_FILE);
    assert_says(sal_message(context), "no.so");
    assert_int_equal(sal_plugin_load(context, API_PLUGIN), SAL_OK);
    assert_int_equal(sal_plugin_load(context, API_PLUGIN), SAL_ERR_ARGUMENT);
    assert_says(sal_message(context), "elastic_band");
    assert_int_equal(sal_describe(context, "elastic_band", collect, text), SAL_OK);
    assert_says(text, "a spring without a natural length");
    assert_int_equal(api_parse(context, hanging, &scene), SAL_OK);
    assert_int_equal(sal_model_create(scene, &model), SAL_OK);
    assert_int_equal(sal_run_create(model, NULL, &run), SAL_OK);
    assert_near(sal_run_a(run)[0], 0.0, 1e-14);
    assert_near(sal_run_a(run)[1], 0.0, 1e-14);
    assert_near(sal_run_energy(run), -2.0 * 10.0 * 0.4 + 25.0 * 0.16, 1e-14);
    sal_run_destroy(&run);
    sal_model_destroy(&model);
    sal_scene_destroy(&scene);
    assert_int_equal(api_parse(other, hanging, &scene), SAL_ERR_SCENE); /* known to one context only */
    assert_says(sal_message(other), "elastic_band");
    sal_context_destroy(&context);
    sal_context_destroy(&other);
}

/* ----------------------------------------------------------------------------------------- model */

static const char MANY[] = "'name': 'names', 'parameters': { 'L': 1, 'm': 2 },"
                           "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'A': { 'at': ['L', 0], 'dof': 'y' },"
                           "            'B': { 'at': [2, 0] } },"
                           "'bodies': { 'arm': { 'type': 'bar', 'points': ['O', 'A'], 'mass': 'm',"
                           "                     'markers': { 'M': [0.5, 0.1] } },"
                           "            'bob': { 'type': 'point_mass', 'point': 'B', 'mass': 1 } },"
                           "'joints': { 'rod': { 'type': 'distance', 'points': ['A', 'B'], 'length': 1 },"
                           "            'coil': { 'type': 'torsion', 'body': 'arm', 'stiffness': 3 } },"
                           "'contacts': { 'floor': { 'type': 'ground', 'points': ['A', 'B'], 'height': -5 },"
                           "              'top': { 'type': 'event', 'when': 'y(B) - 9', 'stop': true } },"
                           "'outputs': { 'height': 'y(M)' }, 'costs': { 'effort': { 'running': '1' } }";

static bool has_name(const char *(*get)(const sal_model *, int), const sal_model *model, const char *name)
{
    const char *found;

    for (int k = 0; (found = get(model, k)); k++) {
        if (!strcmp(found, name)) return true;
    }
    return false;
}

static int count_names(const char *(*get)(const sal_model *, int), const sal_model *model)
{
    int k = 0;

    assert_null(get(model, -1));
    while (get(model, k)) k++;
    assert_null(get(model, k + 1000));
    return k;
}

static const char *reaction_name(const sal_model *model, int index)
{
    return sal_model_reaction(model, index, NULL);
}

static void test_names_and_counts(void **state)
{
    api                  a    = api_load(MANY);
    const sal_model_info info = sal_model_get_info(a.model);

    (void)state;
    assert_string_equal(info.name, "names");
    assert_int_equal(info.points, 4);
    assert_int_equal(info.bodies, 2);
    assert_int_equal(info.joints, 2);
    assert_int_equal(info.contacts, 2);
    assert_int_equal(info.coordinates, 4);
    assert_int_equal(info.parameters, 2);
    assert_int_equal(info.outputs, 1);
    assert_int_equal(info.costs, 1);
    assert_int_equal(count_names(sal_model_coordinate, a.model), info.coordinates);
    assert_int_equal(count_names(sal_model_constraint, a.model), info.constraints);
    assert_int_equal(count_names(sal_model_parameter, a.model), info.parameters);
    assert_int_equal(count_names(sal_model_event, a.model), info.events);
    assert_int_equal(count_names(sal_model_output, a.model), info.outputs);
    assert_int_equal(count_names(reaction_name, a.model), info.reactions);
    assert_int_equal(count_names(sal_model_cost, a.model), info.costs);
    assert_string_equal(sal_model_coordinate(a.model, 0), "x(A)");
    assert_string_equal(sal_model_coordinate(a.model, 3), "y(B)");
    assert_string_equal(sal_model_parameter(a.model, 1), "m");
    assert_string_equal(sal_model_output(a.model, 0), "height");
    assert_string_equal(sal_model_cost(a.model, 0), "effort");
    assert_true(has_name(sal_model_constraint, a.model, "arm"));
    assert_true(has_name(sal_model_constraint, a.model, "rod"));
    assert_true(has_name(sal_model_event, a.model, "floor.A"));
    assert_true(has_name(sal_model_event, a.model, "floor.B.release"));
    assert_true(has_name(sal_model_event, a.model, "top"));
    api_free(&a);
}

static void test_units_of_reactions(void **state)
{
    api         a = api_load(MANY);
    const char *name, *unit;
    int         found = 0;

    (void)state;
    for (int k = 0; (name = sal_model_reaction(a.model, k, &unit)); k++) {
        if (!strcmp(name, "rod.tension")) assert_string_equal(unit, "N"), found++;
        if (!strcmp(name, "coil.torque")) assert_string_equal(unit, "N m"), found++;
    }
    assert_int_equal(found, 2);
    api_free(&a);
}

static void test_elements_and_points(void **state)
{
    static const char *const elements[][3] = { { "bodies", "arm", "bar" },        { "bodies", "bob", "point_mass" },
                                               { "joints", "rod", "distance" },   { "joints", "coil", "torsion" },
                                               { "contacts", "floor", "ground" }, { "contacts", "top", "event" } };
    static const char *const points[][2]   = { { "O", "fixed" }, { "A", "free" }, { "B", "free" }, { "M", "marker" } };
    api                      a             = api_load(MANY);
    sal_element_info         e;
    sal_point_info           p;
    int                      rows = 0;

    (void)state;
    for (int k = 0; k < COUNT(elements); k++) {
        assert_true(sal_model_element(a.model, k, &e));
        assert_string_equal(e.section, elements[k][0]);
        assert_string_equal(e.name, elements[k][1]);
        assert_string_equal(e.type, elements[k][2]);
        if (k < 4) assert_int_equal(e.constraints, k == 0 || k == 2);
        rows += e.constraints;
    }
    assert_int_equal(rows, sal_model_get_info(a.model).constraints);
    assert_false(sal_model_element(a.model, COUNT(elements), &e));
    assert_false(sal_model_element(a.model, -1, &e));
    for (int k = 0; k < COUNT(points); k++) {
        assert_true(sal_model_point(a.model, k, &p));
        assert_string_equal(p.name, points[k][0]);
        assert_string_equal(p.kind, points[k][1]);
        if (k == 3) assert_string_equal(p.body, "arm");
        else assert_null(p.body);
        assert_false(p.dof[0]);
        assert_int_equal(p.dof[1], k == 1);
    }
    assert_false(sal_model_point(a.model, COUNT(points), &p));
    assert_false(sal_model_point(a.model, -1, &p));
    api_free(&a);
}

/* A parameter that is a function of time. */
static void test_vector(void **state)
{
    api a = api_load(
        "'parameters': { 'm': 1, 'u': { 'knots': 3, 'from': 0.5, 'to': 2, 'kind': 'cubic', 'start': [1, 2, 4] } },"
        "'points': { 'P': { 'at': [0, 1] } }, 'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': "
        "'m' } }, 'joints': { 'f': { 'type': 'force', 'point': 'P', 'fx': 'u(t)', 'fy': 0 } }");
    sal_vector_info v;

    (void)state;
    assert_false(sal_model_vector(a.model, 1, &v) || sal_model_vector(a.model, -1, &v));
    assert_true(sal_model_vector(a.model, 0, &v));
    assert_string_equal(v.name, "u");
    assert_string_equal(v.kind, "cubic");
    assert_int_equal(v.knots, 3);
    assert_string_equal(sal_model_parameter(a.model, v.first + 2), "u[2]");
    assert_true(v.from == 0.5 && v.to == 2.0 && v.start[2] == 4.0);
    api_free(&a);
}

/* What the scene says of a search, as texts. */
static void test_search(void **state)
{
    static const char scene[] = "'parameters': { 'm': 1 }, 'points': { 'P': { 'at': [0, 1] } },"
                                "'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 'm' } }%s";
    char              text[600];
    sal_search        s;
    api               a;

    (void)state;
    snprintf(text, sizeof text, scene, "");
    a = api_load(text);
    s = sal_model_get_search(a.model);
    assert_true(!s.minimize && !s.maximize && !s.study && s.nover == 0 && s.nsubject_to == 0);
    api_free(&a);
    snprintf(text, sizeof text, scene,
             ", 'optimize': { 'minimize': 'y(P)', 'study': 'equilibrium', 'subject_to': { 'x(P)': ['>=', 0.5] },"
             "                'over': { 'm': [1, 2.5], '//': 'why', 'initial(P.x)': [0, 1, 0.25] } }");
    a = api_load(text);
    s = sal_model_get_search(a.model);
    assert_string_equal(s.minimize, "y(P)");
    assert_null(s.maximize);
    assert_string_equal(s.study, "equilibrium");
    assert_int_equal(s.nover, 2);
    assert_string_equal(s.over[0], "m=1:2.5");
    assert_string_equal(s.over[1], "initial(P.x)=0:1:0.25");
    assert_int_equal(s.nsubject_to, 1);
    assert_string_equal(s.subject_to[0], "x(P) >= 0.5");
    api_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search),
        cmocka_unit_test(test_vector),
        cmocka_unit_test(test_status),
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_memory_is_the_contexts),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_destroying_nothing),
        cmocka_unit_test(test_errors_of_a_scene),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_text_is_not_kept),
        cmocka_unit_test(test_evaluate),
        cmocka_unit_test(test_evaluate_parameters),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_plugin),
        cmocka_unit_test(test_names_and_counts),
        cmocka_unit_test(test_units_of_reactions),
        cmocka_unit_test(test_elements_and_points),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
