/* test_analysis.c - redundant constraints, singular configurations, what nothing uses. */
#include "tests/statics.h"

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

/* ----------------------------------------------------------------------------------- redundancy */

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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
