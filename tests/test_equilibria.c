/* test_equilibria.c - static equilibria against closed forms; what cannot be asked, of them and of modes. */
#include "tests/counting.h"
#include "tests/statics.h"

/* -------------------------------------------------------------------------------------- helpers */

static double reaction_of(const rig *r, const sal_equilibrium *e, const char *name)
{
    for (int k = 0; sal_model_reaction(r->model, k, NULL); k++) {
        if (!strcmp(sal_model_reaction(r->model, k, NULL), name)) return sal_equilibrium_reactions(e)[k];
    }
    fail_msg("no reaction %s", name);
    return NAN;
}

/* ----------------------------------------------------------------------------------- equilibria */

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
        cmocka_unit_test(spring_pendulum),
        cmocka_unit_test(hanging_chain),
        cmocka_unit_test(stable_and_unstable),
        cmocka_unit_test(symmetry_does_not_end_on_a_saddle),
        cmocka_unit_test(no_equilibrium),
        cmocka_unit_test(neutral_equilibrium),
        cmocka_unit_test(redundant_equilibrium),
        cmocka_unit_test(contacts_that_would_pull),
        cmocka_unit_test(belt),
        cmocka_unit_test(wrong_inputs),
        cmocka_unit_test(out_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
