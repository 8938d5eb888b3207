/* test_analysis.c - redundant constraints, singular configurations, what nothing uses; static equilibria and modes
 * against closed forms and against calculations that have nothing to do with the engine. */
#include "tests/counting.h"
#include "tests/support.h"

/* -------------------------------------------------------------------------------------- helpers */

typedef struct notes { /* what the context's log was told */
    int  count;
    char last[800];
} notes;

static void take_note(void *user, const char *text)
{
    notes *n = user;

    n->count++;
    snprintf(n->last, sizeof n->last, "%s", text);
}

/* As rig_load, with a log. */
static rig load_with_log(const char *text, notes *n)
{
    sal_context_opts opts = sal_context_defaults();
    rig              r    = { 0 };
    char             json[4000];
    sal_scene       *scene;

    snprintf(json, sizeof json, "{ 'saltus': 1, %s }", text);
    in_quotes(json);
    opts.log  = take_note;
    opts.user = n;
    assert_int_equal(sal_context_create(&opts, &r.context), SAL_OK);
    if (sal_scene_parse(r.context, "test", json, strlen(json), &scene) != SAL_OK)
        fail_msg("%s", sal_message(r.context));
    assert_int_equal(sal_model_create(scene, &r.model), SAL_OK);
    sal_scene_destroy(&scene);
    return r;
}

/* The equilibrium, derivatives with respect to all parameters. */
static sal_equilibrium *equilibrium_of(rig *r, const sal_setting *set, int nset)
{
    sal_equilibrium_opts opts = sal_equilibrium_defaults();
    const char          *wrt[16];
    sal_equilibrium     *e;

    opts.run.set  = set;
    opts.run.nset = nset;
    opts.run.wrt  = wrt;
    opts.run.nwrt = sal_model_get_info(r->model).parameters;
    assert_true(opts.run.nwrt <= 16);
    for (int k = 0; k < opts.run.nwrt; k++) wrt[k] = sal_model_parameter(r->model, k);
    if (sal_equilibrium_create(r->model, &opts, &e) != SAL_OK) fail_msg("%s", sal_message(r->context));
    if (sal_equilibrium_find(e) != SAL_OK) fail_msg("%s", sal_message(r->context));
    return e;
}

static sal_modes *modes_of(rig *r, sal_equilibrium *e)
{
    sal_modes *modes;

    if (sal_modes_create(e, &modes) != SAL_OK) fail_msg("%s", sal_message(r->context));
    return modes;
}

static sal_mode mode_at(const sal_modes *modes, int index)
{
    sal_mode mode;

    assert_true(sal_modes_mode(modes, index, &mode));
    return mode;
}

static int coordinate(const rig *r, const char *name)
{
    for (int k = 0; sal_model_coordinate(r->model, k); k++) {
        if (!strcmp(sal_model_coordinate(r->model, k), name)) return k;
    }
    fail_msg("no coordinate %s", name);
    return -1;
}

static double q_of(const rig *r, const sal_equilibrium *e, const char *name)
{
    return sal_equilibrium_q(e)[coordinate(r, name)];
}

static int parameter(const sal_equilibrium *e, const char *name)
{
    for (int c = 0; c < sal_equilibrium_wrt_count(e); c++) {
        if (!strcmp(sal_equilibrium_wrt(e, c), name)) return c;
    }
    fail_msg("no parameter %s", name);
    return -1;
}

static double dq_of(const rig *r, const sal_equilibrium *e, const char *name, const char *wrt)
{
    return sal_equilibrium_q_gradients(e)[coordinate(r, name) * sal_equilibrium_wrt_count(e) + parameter(e, wrt)];
}

static double reaction_of(const rig *r, const sal_equilibrium *e, const char *name)
{
    for (int k = 0; sal_model_reaction(r->model, k, NULL); k++) {
        if (!strcmp(sal_model_reaction(r->model, k, NULL), name)) return sal_equilibrium_reactions(e)[k];
    }
    fail_msg("no reaction %s", name);
    return NAN;
}

/* d(frequency) and d(damping ratio) of a mode. */
static void gradient_of(const sal_modes *modes, const sal_equilibrium *e, int index, const char *wrt, double *df,
                        double *dz)
{
    double f[16], z[16];

    assert_true(sal_modes_gradient(modes, index, NULL, NULL, f, z));
    *df = f[parameter(e, wrt)];
    *dz = z[parameter(e, wrt)];
}

/* ----------------------------------------------------------------------------------- redundancy */

#define PARALLELOGRAM(more)                                                                                            \
    "'parameters': { 'rod': 1 },"                                                                                      \
    "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': [2, 0], 'fixed': true },"                          \
    "            'E': { 'at': [0.7, 0], 'fixed': true }, 'P': { 'at': ['1*0.6', 0.8] }, 'Q': { 'at': [2.6, 0.8] } },"  \
    "'bodies': { 'left': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'length': 1 },"                             \
    "            'right': { 'type': 'bar', 'points': ['B', 'Q'], 'mass': 1, 'length': 1 },"                            \
    "            'coupler': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 1, 'length': 2, 'markers': { 'mid': [0.7, " \
    "0] } } },"                                                                                                        \
    "'joints': { 'push': { 'type': 'spring', 'points': ['B', 'P'], 'stiffness': 3, 'length': 1 }" more " },"           \
    "'simulation': { 'duration': 1 }"

#define SECOND ", 'second': { 'type': 'distance', 'points': ['E', 'mid'], 'length': 'rod' }"

static void redundant_rows_are_named(void **state)
{
    rig               r = rig_load(PARALLELOGRAM(SECOND));
    sal_analysis     *a;
    sal_analysis_info info;
    sal_dependency    d;

    (void)state;
    rig_run(&r, NULL);
    assert_int_equal(sal_analysis_create(r.run, &a), SAL_OK);
    info = sal_analysis_get_info(a);
    assert_int_equal(info.constraints, 4);
    assert_int_equal(info.rank, 3);
    assert_int_equal(info.freedom, 1);
    assert_int_equal(info.dependencies, 1);
    assert_false(info.near_singular);
    assert_true(sal_analysis_dependency(a, 0, &d));
    assert_string_equal(sal_model_constraint(r.model, d.row), "second");
    assert_int_equal(d.count, 2); /* m = (1 - s) P + s Q with s = 0.35: grad = (1 - s) left + s right */
    assert_string_equal(sal_model_constraint(r.model, d.others[0]), "left");
    assert_string_equal(sal_model_constraint(r.model, d.others[1]), "right");
    assert_near(d.factor[0], 0.65, 1e-14);
    assert_near(d.factor[1], 0.35, 1e-14);
    assert_false(d.here);
    assert_false(sal_analysis_dependency(a, 1, &d));
    assert_false(sal_analysis_dependency(a, -1, &d));
    sal_analysis_destroy(&a);
    assert_null(a);
    sal_analysis_destroy(&a);
    rig_free(&r);
}

/* In both forms, as without the second rod; a warning once a run, in the form that has something to choose. */
static void redundant_joints_run_with_a_warning(void **state)
{
    (void)state;
    for (int form = SAL_INDEX1; form <= SAL_PENALTY; form++) {
        notes        n = { 0 };
        rig          r = load_with_log(PARALLELOGRAM(SECOND), &n), plain = rig_load(PARALLELOGRAM(""));
        sal_run_opts opts = sal_run_defaults();
        opts.form         = form;
        opts.rtol         = 1e-11;
        rig_run(&r, &opts);
        if (form == SAL_INDEX1) {
            assert_int_equal(n.count, 1);
            assert_string_equal(n.last, "the constraints left, right, second depend on each other: of the multipliers "
                                        "possible the least are taken");
        } else {
            assert_int_equal(n.count, 0);
        }
        assert_int_equal(sal_run_restart(r.run), SAL_OK);
        assert_int_equal(n.count, form == SAL_INDEX1);
        rig_run(&plain, &opts);
        rig_to(&r, 0.5);
        rig_to(&plain, 0.5);
        for (int k = 0; k < 4; k++)
            assert_near(sal_run_q(r.run)[k], sal_run_q(plain.run)[k], form == SAL_INDEX1 ? 1e-9 : 1e-4);
        opts.quiet = true;
        n.count    = 0;
        rig_run(&r, &opts);
        assert_int_equal(n.count, 0);
        rig_free(&r);
        rig_free(&plain);
    }
}

static const char rough[] =
    "'parameters': { 'start': 0.79 },"
    "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': [2, 0], 'fixed': true },"
    "  'E': { 'at': [1, 0], 'fixed': true }, 'P': { 'at': [0.6, 'start'] }, 'Q': { 'at': [2.6, 0.8] } },"
    "'bodies': { 'left': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'length': 1 },"
    "  'right': { 'type': 'bar', 'points': ['B', 'Q'], 'mass': 1, 'length': 1 },"
    "  'top': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 1, 'length': 2, 'markers': { 'm': [1, 0] } } },"
    "'joints': { 'second': { 'type': 'distance', 'points': ['E', 'm'], 'length': 1 } }";

/* From a rough start it is assembled near there, not in the flat configuration; and its derivatives are those of that
 * assembly. */
static void redundant_joints_from_a_rough_start(void **state)
{
    static const char *const wrt[] = { "start" };
    rig                      r     = rig_load(rough);
    sal_run_opts             opts  = with_respect_to(wrt, 1);
    double                   q[2][4], gradient[4];

    (void)state;
    opts.quiet = true;
    for (int k = 0; k < 4; k++) {
        static const double start[] = { 0.7, 0.95, 1.2, 0.79 };
        opts.set                    = &(sal_setting){ "start", start[k] };
        opts.nset                   = 1;
        rig_run(&r, &opts);
        assert_near(sal_run_q(r.run)[0], 0.6, 0.15);
        assert_near(sal_run_q(r.run)[1], 0.8, 0.15);
        assert_near(sal_run_get_stats(r.run).max_phi, 0.0, 1e-13);
    }
    memcpy(gradient, sal_run_Q(r.run), sizeof gradient);
    for (int k = 0; k < 2; k++) {
        opts.set = &(sal_setting){ "start", 0.79 + (k ? 1e-5 : -1e-5) };
        rig_run(&r, &opts);
        memcpy(q[k], sal_run_q(r.run), sizeof q[k]);
    }
    for (int k = 0; k < 4; k++) assert_near(gradient[k], (q[1][k] - q[0][k]) / 2e-5, 1e-8);
    rig_free(&r);
}

static void contacts_do_not_warn(void **state)
{
    sal_context_opts opts = sal_context_defaults();
    notes            n    = { 0 };
    rig              r    = { 0 };
    sal_scene       *scene;
    sal_analysis    *a;
    sal_dependency   d;

    (void)state;
    opts.log  = take_note;
    opts.user = &n;
    assert_int_equal(sal_context_create(&opts, &r.context), SAL_OK);
    assert_int_equal(sal_scene_load(r.context, SAL_SCENES_DIR "/resting_block.json", &scene), SAL_OK);
    assert_int_equal(sal_model_create(scene, &r.model), SAL_OK);
    sal_scene_destroy(&scene);
    rig_run(&r, NULL);
    assert_int_equal(n.count, 0);
    assert_int_equal(sal_analysis_create(r.run, &a), SAL_OK);
    assert_false(sal_analysis_dependency(a, 0, &d)); /* feet of a body share one row along the ground */
    sal_analysis_destroy(&a);
    rig_free(&r);
}

static void an_impossible_joint_is_named(void **state)
{
    const sal_setting wrong = { "rod", 1.3 };
    sal_run_opts      opts  = sal_run_defaults();
    rig               r     = rig_load(PARALLELOGRAM(SECOND));

    (void)state;
    opts.set  = &wrong;
    opts.nset = 1;
    assert_int_equal(rig_try(&r, &opts), SAL_ERR_ASSEMBLY);
    assert_says(sal_message(r.context), "cannot be assembled");
    assert_says(sal_message(r.context), "stays open: ");
    assert_says(sal_message(r.context), "second by 0.1");
    rig_free(&r);
}

/* A flat parallelogram: left, right and coupler depend on each other there and nowhere else; next to it, almost. */
static void singular_configurations(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        static const double angle[] = { 0.0, 1e-7, 1e-2 };
        char                text[1500];
        rig                 r;
        sal_analysis       *a;
        sal_analysis_info   info;
        sal_dependency      d;
        snprintf(text, sizeof text,
                 "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': [2, 0], 'fixed': true },"
                 "  'P': { 'at': ['cos(%.17g)', 'sin(%.17g)'] }, 'Q': { 'at': ['2 + cos(%.17g)', 'sin(%.17g)'] } },"
                 "'bodies': { 'left': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1 },"
                 "  'right': { 'type': 'bar', 'points': ['B', 'Q'], 'mass': 1 },"
                 "  'coupler': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 1 } }",
                 angle[k], angle[k], angle[k], angle[k]);
        r = rig_load(text);
        rig_run(&r, NULL);
        assert_int_equal(sal_analysis_create(r.run, &a), SAL_OK);
        info = sal_analysis_get_info(a);
        assert_int_equal(info.freedom, k == 0 ? 2 : 1);
        assert_int_equal(info.near_singular, k == 1);
        if (k == 1) assert_true(info.singular > 1e-9 && info.singular < 1e-6);
        assert_int_equal(sal_analysis_dependency(a, 0, &d), k == 0);
        if (k == 0) {
            assert_string_equal(sal_model_constraint(r.model, d.row), "coupler");
            assert_int_equal(d.count, 2);
            assert_true(d.here);
        }
        sal_analysis_destroy(&a);
        rig_free(&r);
    }
}

static const char with_unused[] =
    "'parameters': { 'g': 9.81, 'none': 3, 'through': 2, 'dead': '2*through', 'mu': 0.3, 'L': 1, 'start': 0.1,"
    "                'scaled': '2*L', 'unit': 1, 'place': 4 },"
    "'gravity': [0, '-g'],"
    "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'far': { 'at': ['place', 9], 'fixed': true },"
    "            'P': { 'at': ['start', '-L'] }, 'seen': { 'at': [1, 1], 'fixed': true } },"
    "'bodies': { 'bar': { 'type': 'bar', 'points': ['O', 'P'], 'mass': 1, 'length': 'L',"
    "                     'markers': { 'eye': ['scaled/4', 0], 'blind': [0.1, 0], 'zero': [0, 0] } } },"
    "'joints': { 's': { 'type': 'spring', 'points': ['O', 'zero'], 'stiffness': 1, 'length': 'unit' } },"
    "'outputs': { 'x': 'x(eye) + distance(seen, P)' }";

static void unused_things(void **state)
{
    rig           r = rig_load(with_unused);
    sal_analysis *a;

    (void)state;
    rig_run(&r, NULL);
    assert_int_equal(sal_analysis_create(r.run, &a), SAL_OK);
    assert_int_equal(sal_analysis_get_info(a).unused_points, 2);
    assert_string_equal(sal_analysis_unused_point(a, 0), "far");
    assert_string_equal(sal_analysis_unused_point(a, 1), "blind");
    assert_null(sal_analysis_unused_point(a, 2));
    assert_null(sal_analysis_unused_point(a, -1));
    assert_int_equal(sal_analysis_get_info(a).unused_parameters, 4);
    assert_string_equal(sal_analysis_unused_parameter(a, 0), "none");
    assert_string_equal(sal_analysis_unused_parameter(a, 1), "through");
    assert_string_equal(sal_analysis_unused_parameter(a, 2), "dead");
    assert_string_equal(sal_analysis_unused_parameter(a, 3), "mu");
    assert_null(sal_analysis_unused_parameter(a, 4));
    sal_analysis_destroy(&a);
    rig_free(&r);
}

/* ----------------------------------------------------------------------------------- equilibria */

#define HANGING                                                                                                   \
    "'parameters': { 'm': 2, 'k': 50, 'l': 0.7, 'g': 9.81, 'c': 1.5, 'x': 0.4, 'y': 0.3 }, 'gravity': [0, '-g']," \
    "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': ['x', 'y'] } },"                              \
    "'bodies': { 'mass': { 'type': 'point_mass', 'point': 'P', 'mass': 'm' } },"                                  \
    "'joints': { 'spring': { 'type': 'spring', 'points': ['O', 'P'], 'stiffness': 'k', 'length': 'l',"            \
    "                        'damping': 'c' } }"

/* Hangs at l + mg/k, from wherever it starts. */
static void spring_pendulum(void **state)
{
    static const double start[][2] = { { 0.4, 0.3 }, { 1e-7, 1.0 }, { -1e-3, 0.5 }, { 2.0, 0.0 }, { 0.0, -3.0 } };
    rig                 r          = rig_load(HANGING);
    const double        s = 2.0 * 9.81 / 50.0, y = -0.7 - s;

    (void)state;
    for (int i = 0; i < 5; i++) {
        const sal_setting    set[] = { { "x", start[i][0] }, { "y", start[i][1] } };
        sal_equilibrium     *e     = equilibrium_of(&r, set, 2);
        sal_equilibrium_info info  = sal_equilibrium_get_info(e);
        assert_near(q_of(&r, e, "x(P)"), 0.0, 1e-13);
        assert_near(q_of(&r, e, "y(P)"), y, 1e-14);
        assert_true(info.stable && !info.neutral && info.residual <= 1e-12 && info.freedom == 2);
        assert_near(info.stiffness, 2.0 * 9.81 / -y, 1e-11);
        assert_near(info.energy, 2.0 * 9.81 * y + 25.0 * s * s, 1e-12);
        assert_string_equal(info.warning, "");
        assert_near(dq_of(&r, e, "y(P)", "m"), -9.81 / 50.0, 1e-14);
        assert_near(dq_of(&r, e, "y(P)", "k"), s / 50.0, 1e-14);
        assert_near(dq_of(&r, e, "y(P)", "l"), -1.0, 1e-13);
        assert_near(dq_of(&r, e, "y(P)", "g"), -2.0 / 50.0, 1e-14);
        assert_near(dq_of(&r, e, "y(P)", "c"), 0.0, 1e-14);
        assert_near(dq_of(&r, e, "x(P)", "x"), 0.0, 1e-14);
        sal_equilibrium_destroy(&e);
    }
    rig_free(&r);
}

#define CHAIN                                                                                   \
    "'parameters': { 'L': 1, 'd': 2.2, 'm': 3 },"                                               \
    "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': ['d', 0], 'fixed': true }," \
    "            'P': { 'at': [0.2, -1] }, 'Q': { 'at': [1.1, -1.3] } },"                       \
    "'bodies': { 'p': { 'type': 'point_mass', 'point': 'P', 'mass': 'm' },"                     \
    "            'q': { 'type': 'point_mass', 'point': 'Q', 'mass': 'm' } },"                   \
    "'joints': { 'one': { 'type': 'distance', 'points': ['A', 'P'], 'length': 'L' },"           \
    "            'two': { 'type': 'distance', 'points': ['P', 'Q'], 'length': 'L' },"           \
    "            'three': { 'type': 'distance', 'points': ['Q', 'B'], 'length': 'L' } },"       \
    "'outputs': { 'sag': '-y(P)', 'pull': 'reaction(one.tension)' }"

/* Three links between two supports: a trapezium, x(P) = (d - L)/2. */
static void hanging_chain(void **state)
{
    rig              r = rig_load(CHAIN);
    sal_equilibrium *e = equilibrium_of(&r, NULL, 0);
    const double     x = 0.6, y = 0.8, W = 3.0 * 9.81; /* 0.6 and 0.8: L = 1, d = 2.2 */

    (void)state;
    assert_true(sal_equilibrium_get_info(e).iterations > 0);
    assert_near(q_of(&r, e, "x(P)"), x, 1e-14);
    assert_near(q_of(&r, e, "y(P)"), -y, 1e-14);
    assert_near(q_of(&r, e, "x(Q)"), 1.6, 1e-14);
    assert_near(reaction_of(&r, e, "one.tension"), W / y, 1e-12);
    assert_near(reaction_of(&r, e, "two.tension"), W * x / y, 1e-12);
    assert_near(sal_equilibrium_outputs(e)[0], y, 1e-14);
    assert_near(dq_of(&r, e, "x(P)", "L"), -0.5, 1e-13);
    assert_near(dq_of(&r, e, "x(P)", "d"), 0.5, 1e-13);
    assert_near(dq_of(&r, e, "y(P)", "L"), -(1.0 + 0.5 * x) / y, 1e-13);
    assert_near(dq_of(&r, e, "y(P)", "d"), 0.5 * x / y, 1e-13);
    assert_near(dq_of(&r, e, "y(P)", "m"), 0.0, 1e-14);
    /* the same through the outputs; the tension W L/sag changes by W/sag - W L/sag^2 dsag/dL, ... */
    const double *sag = sal_equilibrium_output_gradients(e), *pull = sag + 3;
    assert_near(sag[0], (1.0 + 0.5 * x) / y, 1e-13);
    assert_near(pull[0], W / y - W / (y * y) * sag[0], 1e-11);
    assert_near(pull[1], -W / (y * y) * sag[1], 1e-11);
    assert_near(pull[2], 9.81 / y, 1e-12);
    assert_near(sal_equilibrium_reaction_gradients(e)[2], 9.81 / y, 1e-12);
    sal_equilibrium_destroy(&e);
    rig_free(&r);
}

#define PENDULUM(x, y)                                                                                       \
    "'parameters': { 'L': 2, 'm': 3, 'g': 9.81 }, 'gravity': [0, '-g'],"                                     \
    "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [" x ", " y "], 'velocity': [1, 0] } }," \
    "'bodies': { 'mass': { 'type': 'point_mass', 'point': 'P', 'mass': 'm' } },"                             \
    "'joints': { 'rod': { 'type': 'distance', 'points': ['O', 'P'], 'length': 'L' } }"

static void stable_and_unstable(void **state)
{
    rig                  above = rig_load(PENDULUM("0", "'L'")), near = rig_load(PENDULUM("1e-8", "'L'"));
    sal_equilibrium     *up = equilibrium_of(&above, NULL, 0), *down = equilibrium_of(&near, NULL, 0);
    sal_equilibrium_info info = sal_equilibrium_get_info(up);
    sal_modes           *modes;
    double               df, dz;

    (void)state;
    assert_int_equal(info.iterations, 0); /* it is one as it stands, moving or not */
    assert_false(info.stable || info.neutral);
    assert_near(info.stiffness, -3.0 * 9.81 / 2.0, 1e-12);
    assert_near(dq_of(&above, up, "y(P)", "L"), 1.0, 1e-14);
    modes = modes_of(&above, up);
    assert_int_equal(sal_modes_count(modes), 1);
    assert_int_equal(mode_at(modes, 0).kind, SAL_MODE_DIVERGES);
    assert_true(mode_at(modes, 0).unstable);
    assert_near(mode_at(modes, 0).s[0], sqrt(9.81 / 2.0), 1e-13);
    gradient_of(modes, up, 0, "L", &df, &dz);
    assert_near(df, -0.25 * sqrt(9.81 / 2.0), 1e-13);
    sal_modes_destroy(&modes);

    info = sal_equilibrium_get_info(down);
    assert_true(info.stable && info.iterations > 0);
    assert_near(q_of(&near, down, "y(P)"), -2.0, 1e-14);
    assert_near(reaction_of(&near, down, "rod.tension"), 3.0 * 9.81, 1e-12);
    modes = modes_of(&near, down);
    assert_near(mode_at(modes, 0).frequency, sqrt(9.81 / 2.0), 1e-13);
    assert_near(mode_at(modes, 0).mass, 3.0, 1e-12);
    gradient_of(modes, down, 0, "L", &df, &dz);
    assert_near(df, -0.25 * sqrt(9.81 / 2.0), 1e-13);
    gradient_of(modes, down, 0, "g", &df, &dz);
    assert_near(df, 0.5 / sqrt(9.81 * 2.0), 1e-13);
    gradient_of(modes, down, 0, "m", &df, &dz);
    assert_near(df, 0.0, 1e-13);
    sal_modes_destroy(&modes);
    sal_equilibrium_destroy(&up);
    sal_equilibrium_destroy(&down);
    rig_free(&above);
    rig_free(&near);
}

static const char two_springs[] =
    "'gravity': [0, 0],"
    "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'T': { 'at': [0, 3], 'fixed': true },"
    "            'P': { 'at': [0, 1.2] } },"
    "'bodies': { 'mass': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
    "'joints': { 'a': { 'type': 'spring', 'points': ['O', 'P'], 'stiffness': 10, 'length': 2 },"
    "            'b': { 'type': 'spring', 'points': ['P', 'T'], 'stiffness': 10, 'length': 2 } }";

/* A saddle that symmetry leads to is not taken: two rods up, pushed straight at it. */
static void symmetry_does_not_end_on_a_saddle(void **state)
{
    rig              r = rig_load(two_springs);
    sal_equilibrium *e = equilibrium_of(&r, NULL, 0);

    (void)state;
    assert_true(sal_equilibrium_get_info(e).stable);
    assert_near(fabs(q_of(&r, e, "x(P)")), sqrt(4.0 - 2.25), 1e-12); /* both springs as long as they want to be */
    assert_near(q_of(&r, e, "y(P)"), 1.5, 1e-12);
    sal_equilibrium_destroy(&e);
    rig_free(&r);
}

static const char falling[] = "'points': { 'P': { 'at': [0, 1] } },"
                              "'bodies': { 'mass': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } }";

static const char sliding[] = "'points': { 'P': { 'at': [0, 1] }, 'O': { 'at': [0, 0], 'fixed': true } },"
                              "'bodies': { 'mass': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
                              "'joints': { 'slide': { 'type': 'formula', 'rows': ['y(P) - 1 - 0.1*x(P)'] } }";

static void no_equilibrium(void **state)
{
    rig              r = rig_load(falling);
    rig              h = rig_load(sliding);
    sal_equilibrium *e;

    (void)state;
    assert_int_equal(sal_equilibrium_create(r.model, NULL, &e), SAL_OK);
    assert_int_equal(sal_equilibrium_find(e), SAL_ERR_EQUILIBRIUM);
    assert_says(sal_message(r.context), "no equilibrium: nothing holds it along y(P), where a force of 19.6 N");
    sal_equilibrium_destroy(&e);
    assert_int_equal(sal_equilibrium_create(h.model, NULL, &e), SAL_OK);
    assert_int_equal(sal_equilibrium_find(e), SAL_ERR_EQUILIBRIUM);
    assert_says(sal_message(h.context), "nothing holds it along x(P)");
    assert_string_equal(sal_status_name(SAL_ERR_EQUILIBRIUM), "SAL_ERR_EQUILIBRIUM");
    sal_equilibrium_destroy(&e);
    rig_free(&r);
    rig_free(&h);
}

static const char loose_rod[] = "'gravity': [0, 0], 'parameters': { 'L': 2 },"
                                "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [3, 4] } },"
                                "'bodies': { 'mass': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
                                "'joints': { 'rod': { 'type': 'distance', 'points': ['O', 'P'], 'length': 'L' } }";

/* No force at all: neutral, and the nearest one has derivatives. */
static void neutral_equilibrium(void **state)
{
    rig              r = rig_load(loose_rod);
    sal_equilibrium *e = equilibrium_of(&r, NULL, 0);
    sal_modes       *modes;

    (void)state;
    assert_true(sal_equilibrium_get_info(e).neutral && !sal_equilibrium_get_info(e).stable);
    assert_near(dq_of(&r, e, "x(P)", "L"), 0.6, 1e-14);
    assert_near(dq_of(&r, e, "y(P)", "L"), 0.8, 1e-14);
    modes = modes_of(&r, e);
    assert_int_equal(mode_at(modes, 0).kind, SAL_MODE_ZERO);
    assert_near(mode_at(modes, 0).frequency, 0.0, 0.0);
    sal_modes_destroy(&modes);
    sal_equilibrium_destroy(&e);
    rig_free(&r);
}

/* Redundant joints: as without; what would take them apart has no derivative. */
static void redundant_equilibrium(void **state)
{
    rig              r = rig_load(PARALLELOGRAM(SECOND)), plain = rig_load(PARALLELOGRAM(""));
    sal_equilibrium *e = equilibrium_of(&r, NULL, 0), *f = equilibrium_of(&plain, NULL, 0);
    sal_modes       *a = modes_of(&r, e), *b = modes_of(&plain, f);

    (void)state;
    for (int k = 0; k < 4; k++) assert_near(sal_equilibrium_q(e)[k], sal_equilibrium_q(f)[k], 1e-12);
    assert_near(sal_equilibrium_get_info(e).stiffness, sal_equilibrium_get_info(f).stiffness, 1e-10);
    assert_near(mode_at(a, 0).frequency, mode_at(b, 0).frequency, 1e-11);
    assert_true(isnan(sal_equilibrium_q_gradients(e)[0]));
    assert_near(sal_equilibrium_q_gradients(f)[0], 0.0, 0.0);
    sal_modes_destroy(&a);
    sal_modes_destroy(&b);
    sal_equilibrium_destroy(&e);
    sal_equilibrium_destroy(&f);
    rig_free(&r);
    rig_free(&plain);
}

/* Closed at the start, where it is pressed; at the equilibrium it would have to pull. */
static void contacts_that_would_pull(void **state)
{
    static const char scene[] =
        "'parameters': { 'lift': %s },"
        "'points': { 'P': { 'at': [2, 0] } },"
        "'bodies': { 'mass': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
        "'joints': { 'field': { 'type': 'formula', 'forces': { 'vx(P)': '-5*x(P)', 'vy(P)': 'lift*(1 - x(P)^2)' } } },"
        "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'] } }";

    (void)state;
    for (int k = 0; k < 2; k++) {
        char             text[1000];
        rig              r;
        sal_equilibrium *e;
        snprintf(text, sizeof text, scene, k ? "5" : "20");
        r = rig_load(text);
        e = equilibrium_of(&r, NULL, 0);
        assert_near(q_of(&r, e, "x(P)"), 0.0, 1e-14);
        assert_near(q_of(&r, e, "y(P)"), 0.0, 1e-14);
        assert_near(sal_equilibrium_lambda(e)[rig_row(&r, "floor.n")], 9.81 - (k ? 5.0 : 20.0), 1e-12);
        if (k) assert_string_equal(sal_equilibrium_get_info(e).warning, "");
        else assert_says(sal_equilibrium_get_info(e).warning, "floor would have to pull with 10.2 N");
        sal_equilibrium_destroy(&e);
        rig_free(&r);
    }
}

/* On a belt: the friction of sliding is a force like any other. */
static void belt(void **state)
{
    rig              r = rig_scene("stick_slip_belt.json");
    sal_equilibrium *e = equilibrium_of(&r, NULL, 0);
    sal_modes       *modes;
    double           df, dz;

    (void)state;
    assert_near(q_of(&r, e, "x(P)"), 0.4 * 9.81 / 10.0, 1e-14);
    assert_near(dq_of(&r, e, "x(P)", "mu_k"), 0.981, 1e-14);
    modes = modes_of(&r, e);
    assert_near(mode_at(modes, 0).frequency, sqrt(10.0), 1e-12);
    gradient_of(modes, e, 0, "k", &df, &dz);
    assert_near(df, 0.5 / sqrt(10.0), 1e-13);
    sal_modes_destroy(&modes);
    sal_equilibrium_destroy(&e);
    rig_free(&r);
}

/* ---------------------------------------------------------------------------------------- modes */

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

/* --------------------------------------------------------------------------------- wrong inputs */

static void wrong_inputs(void **state)
{
    rig                  r    = rig_load(HANGING);
    sal_equilibrium_opts opts = sal_equilibrium_defaults();
    const char          *wrt  = "kk";
    sal_setting          set  = { "mm", 1.0 };
    sal_equilibrium     *e;
    sal_modes           *modes;
    sal_mode             mode;

    (void)state;
    opts.run.wrt  = &wrt;
    opts.run.nwrt = 1;
    assert_int_equal(sal_equilibrium_create(r.model, &opts, &e), SAL_ERR_ARGUMENT);
    assert_null(e);
    assert_says(sal_message(r.context), "unknown parameter 'kk'");
    wrt = "initial(P.x)";
    assert_int_equal(sal_equilibrium_create(r.model, &opts, &e), SAL_ERR_ARGUMENT);
    assert_says(sal_message(r.context), "an equilibrium depends on parameters");
    opts.run.nwrt = 0;
    opts.run.set  = &set;
    opts.run.nset = 1;
    assert_int_equal(sal_equilibrium_create(r.model, &opts, &e), SAL_ERR_ARGUMENT);
    assert_says(sal_message(r.context), "unknown parameter 'mm'");
    opts.run.nset   = 0;
    opts.iterations = 0;
    assert_int_equal(sal_equilibrium_create(r.model, &opts, &e), SAL_ERR_ARGUMENT);
    opts.iterations = 1;
    assert_int_equal(sal_equilibrium_create(r.model, &opts, &e), SAL_OK);
    assert_int_equal(sal_modes_create(e, &modes), SAL_ERR_ARGUMENT);
    assert_says(sal_message(r.context), "that has been found");
    assert_int_equal(sal_equilibrium_find(e), SAL_ERR_EQUILIBRIUM);
    assert_says(sal_message(r.context), "no equilibrium was found in 1 iterations");
    assert_int_equal(sal_modes_create(e, &modes), SAL_ERR_ARGUMENT);
    assert_int_equal(sal_equilibrium_set(e, "m", NAN), SAL_ERR_ARGUMENT);
    assert_int_equal(sal_equilibrium_set(e, "m", -1.0), SAL_OK);
    assert_int_equal(sal_equilibrium_find(e), SAL_ERR_SCENE);
    assert_says(sal_message(r.context), "must be positive");
    sal_equilibrium_destroy(&e);
    sal_equilibrium_destroy(&e);
    assert_int_equal(sal_equilibrium_create(r.model, NULL, &e), SAL_OK);
    assert_int_equal(sal_equilibrium_find(e), SAL_OK);
    assert_int_equal(sal_equilibrium_wrt_count(e), 0);
    assert_null(sal_equilibrium_wrt(e, 0));
    assert_null(sal_equilibrium_q_gradients(e));
    assert_int_equal(sal_modes_create(e, &modes), SAL_OK);
    assert_false(sal_modes_mode(modes, 2, &mode));
    assert_false(sal_modes_mode(modes, -1, &mode));
    assert_false(sal_modes_gradient(modes, 2, NULL, NULL, NULL, NULL));
    assert_true(sal_modes_gradient(modes, 1, NULL, NULL, NULL, NULL));
    sal_modes_destroy(&modes);
    sal_modes_destroy(&modes);
    sal_equilibrium_destroy(&e);
    rig_free(&r);
}

/* One run through everything; how far it came. */
static sal_status everything(sal_context *context, const char *json)
{
    static const char *const wrt[]    = { "rod" };
    sal_equilibrium_opts     opts     = sal_equilibrium_defaults();
    sal_scene               *scene    = NULL;
    sal_model               *model    = NULL;
    sal_run                 *run      = NULL;
    sal_analysis            *analysis = NULL;
    sal_equilibrium         *e        = NULL;
    sal_modes               *modes    = NULL;
    sal_status               status   = sal_scene_parse(context, "test", json, strlen(json), &scene);

    opts.run.wrt  = wrt;
    opts.run.nwrt = 1;
    if (status == SAL_OK) status = sal_model_create(scene, &model);
    if (status == SAL_OK) status = sal_run_create(model, NULL, &run);
    if (status == SAL_OK) status = sal_analysis_create(run, &analysis);
    if (status == SAL_OK) status = sal_equilibrium_create(model, &opts, &e);
    if (status == SAL_OK) status = sal_equilibrium_find(e);
    if (status == SAL_OK) status = sal_modes_create(e, &modes);
    sal_modes_destroy(&modes);
    sal_equilibrium_destroy(&e);
    sal_analysis_destroy(&analysis);
    sal_run_destroy(&run);
    sal_model_destroy(&model);
    sal_scene_destroy(&scene);
    return status;
}

/* Whichever allocation fails: an error, and nothing is left behind. */
static void out_of_memory(void **state)
{
    sal_context_opts opts = sal_context_defaults();
    char             json[4000];
    bool             done = false;

    (void)state;
    snprintf(json, sizeof json, "{ 'saltus': 1, %s }", PARALLELOGRAM(SECOND));
    in_quotes(json);
    for (int k = 0; !done; k++) {
        memory       m = { .fail = k, .once = k % 2 };
        sal_context *context;
        sal_status   status;
        opts.allocate = count_allocate;
        opts.release  = count_release;
        opts.user     = &m;
        if (sal_context_create(&opts, &context) != SAL_OK) continue;
        status = everything(context, json);
        done   = m.next <= k; /* it did not come so far */
        if (done) assert_int_equal(status, SAL_OK);
        else if (status != SAL_OK) assert_int_equal(status, SAL_ERR_MEMORY);
        sal_context_destroy(&context);
        assert_int_equal(m.live, 0);
        assert_true(k < 5000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redundant_rows_are_named),
        cmocka_unit_test(redundant_joints_run_with_a_warning),
        cmocka_unit_test(redundant_joints_from_a_rough_start),
        cmocka_unit_test(contacts_do_not_warn),
        cmocka_unit_test(an_impossible_joint_is_named),
        cmocka_unit_test(singular_configurations),
        cmocka_unit_test(unused_things),
        cmocka_unit_test(spring_pendulum),
        cmocka_unit_test(hanging_chain),
        cmocka_unit_test(stable_and_unstable),
        cmocka_unit_test(symmetry_does_not_end_on_a_saddle),
        cmocka_unit_test(no_equilibrium),
        cmocka_unit_test(neutral_equilibrium),
        cmocka_unit_test(redundant_equilibrium),
        cmocka_unit_test(contacts_that_would_pull),
        cmocka_unit_test(belt),
        cmocka_unit_test(double_pendulum_modes),
        cmocka_unit_test(four_bar_modes),
        cmocka_unit_test(damped_oscillator),
        cmocka_unit_test(free_motions),
        cmocka_unit_test(repeated_eigenvalues),
        cmocka_unit_test(spring_by_formula),
        cmocka_unit_test(bead_on_a_curve),
        cmocka_unit_test(derivatives_by_differences),
        cmocka_unit_test(modes_are_those_of_the_motion),
        cmocka_unit_test(wrong_inputs),
        cmocka_unit_test(out_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
