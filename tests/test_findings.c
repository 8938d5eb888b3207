/* test_findings.c - scenes that once ran wrong, as users built them: what is right in each, by closed form where there
 * is one, with its digits; and all its derivatives against differences (sal_verify) to 1e-6.
 *
 * Others of the kind are elsewhere, next to what they belong to: cycles in test_cycle_state, runs that did not end in
 * test_regressions, those without a number of their own in test_contact_regressions, control characters in cli.sh. */
#include "tests/contact_checks.h"

#define G 9.81

enum { WRT_MAX = 4, SET_MAX = 3 };

static const double PERIOD = 2.0 * PI / 3.0; /* of the force in equal_friction */

/* Slides from t0 on, 5 kg, 30 N sin(3 t) against 24.525 N: where it stands again, by Newton's method. */
static double stands_again(double t0)
{
    double t = t0 + 0.6;

    for (int k = 0; k < 50; k++) {
        const double v = 10.0 * (cos(3.0 * t0) - cos(3.0 * t)) - 24.525 * (t - t0), a = 30.0 * sin(3.0 * t) - 24.525;
        t -= v / a;
    }
    return t;
}

/* ------------------------------------------------------------------------------------ the right numbers */

/* An event by its number, from 1, and when it happens; what is true at the end. */
typedef struct number {
    int         event;
    const char *name;
    double      time;
    const char *expression; /* at the end; NULL: none */
    double      value, tolerance;
} number;

typedef struct finding {
    const char *scene;
    double      duration; /* 0: the scene's */
    sal_setting set[SET_MAX];
    const char *wrt[WRT_MAX]; /* with derivatives that are confirmed; none: not differentiated */
    number      right;
} finding;

/* t of the release: k amp sin(w t) = m g. t of the slip: mu_s m g/rate, or asin. vx of the box after it: by momentum,
 * (rate (3.5^2 - t^2)/2 - mu_k m g (3.5 - t))/m. */
static const finding findings[] = {
    { "glued_contact.json", 0, { { 0 } }, { "k", "w", "amp" }, { 1, "floor.release", 0.23761999243800317, 0, 0, 0 } },
    { "lift.json", 0, { { 0 } }, { "k", "v", "m" }, { 1, "floor.release", 2.4525, 0, 0, 0 } },
    { "fast_release.json", 0, { { 0 } }, { "k", "w", "amp" }, { 1, "floor.release", 2.3761999243800317e-6, 0, 0, 0 } },
    { "guard_names.json", 0, { { 0 } }, { 0 }, { 1, "floor", 0.45152364098573090, 0, 0, 0 } },
    { "guard_names_renamed.json", 0, { { 0 } }, { 0 }, { 1, "floor", 0.45152364098573090, 0, 0, 0 } },
    { "same_instant.json", 0, { { 0 } }, { 0 }, { 1, "floor", 0.45152364098573090, "stance", 1.0, 0.0 } },
    { "same_instant.json", 0, { { 0 } }, { 0 }, { 2, "touch", 0.45152364098573090, "stance", 1.0, 0.0 } },
    { "end_moves.json", 0, { { 0 } }, { "h", "v" }, { 1, "land", 0.45152364098573090, "y(P)", 0.0, 1e-12 } },
    { "box_push.json",
      3.5,
      { { 0 } },
      { "rate", "hp", "mus", "muk" },
      { 1, "floor.A.slip", 2.4525, "vx(A)", 2.12485375, 1e-9 } },
    { "box_push.json",
      3.5,
      { { "muk", 0.3 } },
      { "rate", "hp", "mus", "muk" },
      { 1, "floor.A.slip", 2.4525, "vx(A)", 3.15245125, 1e-9 } },
    { "box_push.json", /* mu_static is never less than mu_kinetic: here, at the same, it has a kink in either */
      3.5,
      { { "muk", 0.5 } },
      { "rate", "hp" },
      { 1, "floor.A.slip", 2.4525, "vx(A)", 1.09725625, 1e-9 } },
    { "two_feet.json", 0, { { 0 } }, { "F" }, { 1, "floor.A.slip", 0.8175, 0, 0, 0 } },
    { "step_load.json", 0, { { 0 } }, { "F" }, { 1, "floor.release", 1.0, "y(P)", 0.5 * (20.0 - G), 1e-9 } },
    { "past_the_edge.json", 0, { { 0 } }, { "vx" }, { 0, NULL, 0, "y(P)", -0.15, 1e-9 } },
    { "driver_kink.json", 0, { { 0 } }, { 0 }, { 0, NULL, 0, "angle(b)", 1.0, 1e-9 } },
    { "redundant_impulse_derivative.json", /* impulses and multipliers that are chosen: of the choice */
      0,
      { { 0 } },
      { "p0", "p1", "p3" },
      { 0, NULL, 0, "x(A0)", -0.11166016149566493, 0.0 } },
    { "verify_false_alarm.json",
      0,
      { { "u1", 3.0 }, { "u2", -4.0 }, { "u5", 6.0 } },
      { "u10" },
      { 0, NULL, 0, "x(O)", 0.0, 0.0 } },
};

static sal_run_opts options_of(const finding *x)
{
    sal_run_opts opts = sal_run_defaults();

    opts.quiet = opts.validate = true;
    opts.rtol                  = 1e-11;
    opts.max_events            = 500;
    opts.max_wall              = 60.0;
    opts.set                   = x->set;
    while (opts.nset < SET_MAX && x->set[opts.nset].parameter) opts.nset++;
    if (x->duration > 0.0) opts.duration = x->duration;
    return opts;
}

static void test_numbers(void **state)
{
    (void)state;
    for (int i = 0; i < SAL_COUNT(findings); i++) {
        const finding     *x    = &findings[i];
        const sal_run_opts opts = options_of(x);
        rig                r    = rig_test_scene(x->scene);
        history            h;

        rig_run(&r, &opts);
        h = check_run(&r, false, HUGE_VAL);
        if (x->right.event > h.count) fail_msg("%s: only %d events", x->scene, h.count);
        if (x->right.event) {
            assert_string_equal(h.name[x->right.event - 1], x->right.name);
            assert_near(h.time[x->right.event - 1] / x->right.time, 1.0, 1e-9);
        }
        if (x->right.expression) assert_near(rig_probe(&r, x->right.expression), x->right.value, x->right.tolerance);
        rig_free(&r);
    }
}

static void test_derivatives(void **state)
{
    (void)state;
    for (int i = 0; i < SAL_COUNT(findings); i++) {
        const finding *x    = &findings[i];
        sal_run_opts   opts = options_of(x);
        rig            r    = rig_test_scene(x->scene);

        opts.wrt = x->wrt;
        while (opts.nwrt < WRT_MAX && x->wrt[opts.nwrt]) opts.nwrt++;
        if (opts.nwrt) rig_verify(&r, opts, x->scene);
        rig_free(&r);
    }
}

/* ------------------------------------------------------------------------------------- one by one */

/* With derivatives, to the end. */
static rig differentiated(const char *scene, double duration, const char *const *wrt, int nwrt, sal_setting set)
{
    rig          r    = rig_test_scene(scene);
    sal_run_opts opts = with_respect_to(wrt, nwrt);

    opts.quiet = true;
    opts.rtol  = 1e-12;
    opts.set   = &set;
    opts.nset  = set.parameter != NULL;
    if (duration > 0.0) opts.duration = duration;
    rig_run(&r, &opts);
    return r;
}

static void to_event(rig *r, int count)
{
    while (count-- > 0) rig_event(r, NULL);
}

/* After its release the mass swings about the support: y'' = k (amp sin w t - y) - g. */
static void test_glued_contact_lifts(void **state)
{
    const double k = 30.0, w = 3.0, amp = 0.5, own = sqrt(k), t0 = asin(G / (k * amp)) / w, t = 0.6,
                 B = k * amp / (k - w * w), y0 = G / k - B * sin(w * t0), v0 = -B * w * cos(w * t0);
    rig          r    = rig_test_scene("glued_contact.json");
    sal_run_opts opts = sal_run_defaults();

    (void)state;
    opts.rtol = 1e-12;
    rig_run(&r, &opts);
    check_run(&r, false, HUGE_VAL);
    assert_near(rig_probe(&r, "y(P)"),
                B * sin(w * t) - G / k + y0 * cos(own * (t - t0)) + v0 / own * sin(own * (t - t0)), 1e-10);
    rig_free(&r);
}

/* k amp sin(w t) = m g, in microseconds. */
static void test_fast_release_derivative(void **state)
{
    const double k = 3e11, w = 3e5, amp = 0.5, t = asin(98.1e9 / (k * amp)) / w;
    rig r = differentiated("fast_release.json", 0, (const char *const[]){ "k", "w", "amp" }, 3, (sal_setting){ 0 });

    (void)state;
    to_event(&r, 1);
    assert_near(sal_run_event_gradient(r.run)[0] * k / t, -tan(w * t) / (w * t), 1e-9);
    assert_near(sal_run_event_gradient(r.run)[1] * w / t, -1.0, 1e-9);
    assert_near(sal_run_event_gradient(r.run)[2] * amp / t, -tan(w * t) / (w * t), 1e-9);
    rig_free(&r);
}

/* Where mu_s = mu_k it slides and stands in turns, each time at the same phase. */
static void test_equal_friction(void **state)
{
    const double slip = asin(24.525 / 30.0) / 3.0, stick = stands_again(slip);
    rig          r    = rig_test_scene("equal_friction.json");
    sal_run_opts opts = sal_run_defaults();
    history      h;

    (void)state;
    opts.duration = 10.0;
    opts.rtol     = 1e-11;
    rig_run(&r, &opts);
    h = check_run(&r, false, HUGE_VAL);
    assert_int_equal(h.count, 19);
    for (int k = 0; k < h.count; k++) {
        assert_string_equal(h.name[k], k % 2 ? "floor.stick" : "floor.slip");
        assert_near(h.time[k], (k % 2 ? stick : slip) + 0.5 * PERIOD * (k / 2), 1e-9);
    }
    rig_free(&r);
}

/* y is 0 at every end, x there is v sqrt(2 h/g). */
static void test_end_moves(void **state)
{
    static const char *const wrt[] = { "h", "v" };
    const double             t     = sqrt(2.0 / G);
    rig                      r     = differentiated("end_moves.json", 0, wrt, 2, (sal_setting){ 0 });
    double                   q[4], v[4];

    (void)state;
    rig_end(&r);
    assert_int_equal(sal_run_final_gradients(r.run, q, v, NULL), SAL_OK);
    assert_near(q[0], 0.5 * t, 1e-11); /* x / h, x / v, y / h, y / v */
    assert_near(q[1], t, 1e-11);
    assert_near(q[2], 0.0, 1e-11);
    assert_near(q[3], 0.0, 1e-11);
    assert_near(sal_run_cost_gradients(r.run)[0], 0.5 * t, 1e-11);
    assert_near(sal_run_cost_gradients(r.run)[1], t, 1e-11);
    rig_free(&r);
}

/* Central differences of second and fourth order, combined, of the time of an event. */
static double difference_of_time(const char *scene, const char *parameter, double at, double step, int event)
{
    double t[4];

    for (int k = 0; k < 4; k++) {
        const double far = (k < 2 ? 1.0 : 2.0) * (k % 2 ? -step : step);
        rig          r   = differentiated(scene, 0, NULL, 0, (sal_setting){ parameter, at + far });
        to_event(&r, event);
        t[k] = sal_run_time(r.run);
        rig_free(&r);
    }
    return (8.0 * (t[0] - t[1]) - (t[2] - t[3])) / (12.0 * step);
}

/* Heel and toe of the foot are one body: they hold by the sum of what they can, so that the heel does not slip before
 * the foot does (it did at 0.35 s, taken for itself, with d t/d ca = -0.0030799). It lets go at 0.4057 s, and the toe
 * slips later; derivatives of these times by differences of runs at rtol 1e-12. */
static void test_slip_time_derivative(void **state)
{
    static const char *const names[] = { "floor.heel", "floor.heel.stick", "floor.T",
                                         "floor.heel.release+floor.T.stick", "floor.T.slip" };
    rig r = differentiated("foot_rolls_over.json", 0, (const char *const[]){ "ca" }, 1, (sal_setting){ 0 });

    (void)state;
    for (int k = 1; k <= SAL_COUNT(names); k++) {
        to_event(&r, 1);
        if (k == 4) assert_says(names[3], sal_run_event(r.run).name);
        else assert_string_equal(sal_run_event(r.run).name, names[k - 1]);
        if (k < 3) continue;
        assert_near(sal_run_event_gradient(r.run)[0], difference_of_time("foot_rolls_over.json", "ca", 3.0, 1e-3, k),
                    1e-8);
    }
    rig_free(&r);
}

/* d J/d u10 of the cart-pole whose motor has kinks in t. */
static void test_kinks_in_time(void **state)
{
    static const sal_setting set[] = { { "u1", 3.0 }, { "u2", -4.0 }, { "u5", 6.0 } };
    static const char *const wrt[] = { "u10" };
    rig                      r     = rig_test_scene("verify_false_alarm.json");
    sal_run_opts             opts  = with_respect_to(wrt, 1);

    (void)state;
    opts.rtol = 1e-12;
    opts.set  = set;
    opts.nset = 3;
    rig_run(&r, &opts);
    rig_end(&r);
    assert_near(sal_run_cost_gradients(r.run)[0], 2.713195580, 2e-9);
    rig_free(&r);
}

/* It slides over the end of the first step, and leaves it there. */
static void test_past_the_edge(void **state)
{
    rig        r = differentiated("past_the_edge.json", 0, NULL, 0, (sal_setting){ 0 });
    sal_status status;
    bool       left = false;

    (void)state;
    while ((status = sal_run_step(r.run)) == SAL_OK || status == SAL_EVENT) {
        if (status != SAL_EVENT || strcmp(sal_run_event(r.run).name, "s1.leave") != 0) continue;
        left = true;
        assert_near(rig_probe(&r, "x(P)"), 0.6, 1e-12);
        assert_near(rig_probe(&r, "y(P)"), 0.0, 1e-12);
    }
    assert_int_equal(status, SAL_END);
    assert_true(left);
    rig_free(&r);
}

/* ---------------------------------------------------------------------------------- said, not silent */

/* A kink or step in what is prescribed ends the run with a message, where it is. */
static void test_kinks_are_told(void **state)
{
    static const struct {
        const char *scene, *says;
    } list[] = { { "slide_downkink.json", "its curve has a kink where it is passed at t = 0.3" },
                 { "slide_stepdown.json", "its curve has a step where it is passed at t = 0.3 s" },
                 { "height_jumps.json", "what drives floor.n jumps by about 0.1 m at t = 1 s" } };

    (void)state;
    for (int i = 0; i < SAL_COUNT(list); i++) {
        rig        r = differentiated(list[i].scene, 0, NULL, 0, (sal_setting){ 0 });
        sal_status status;
        status = rig_finish(&r);
        assert_true(status < 0);
        assert_says(sal_run_message(r.run), list[i].says);
        rig_free(&r);
    }
}

/* One thing is wrong, one thing is said. */
static void test_one_error(void **state)
{
    sal_context *context;
    sal_scene   *scene;

    (void)state;
    assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
    assert_int_equal(sal_scene_load(context, SAL_TEST_SCENES_DIR "/spurious_error.json", &scene), SAL_ERR_SCENE);
    assert_int_equal(sal_error_count(context), 1);
    assert_says(sal_message(context), "found 'inertia' alone");
    sal_context_destroy(&context);
}

/* Many points, the last of them broken, and an exchange of roles. */
static void test_broken_point_and_exchange(void **state)
{
    enum { POINTS = 700, ROOM = 64 * POINTS };
    char        *text = malloc(ROOM);
    size_t       used = 0;
    sal_context *context;
    sal_scene   *scene;

    (void)state;
    assert_non_null(text);
    used += (size_t)snprintf(text, ROOM, "{\"saltus\": 1, \"points\": {");
    for (int k = 0; k < POINTS; k++)
        used += (size_t)snprintf(text + used, ROOM - used, "%s\"P%d\": {\"%s\": [%d, 0]}", k ? ", " : "", k,
                                 k < POINTS - 1 ? "at" : "att", k);
    snprintf(text + used, ROOM - used, "}, \"cycle\": {\"exchange\": {\"P0\": \"P1\", \"P1\": \"P0\"}}}");
    assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
    assert_int_equal(sal_scene_parse(context, "many", text, strlen(text), &scene), SAL_ERR_SCENE);
    assert_says(sal_message(context), "unknown key 'att'; did you mean 'at'?");
    sal_context_destroy(&context);
    free(text);
}

/* --------------------------------------------------------------------------- without a number of their own */

static void test_motions(void **state)
{
    static const struct {
        const char *scene;
        bool        passive;
    } list[] = { { "no_forces_agree.json", false }, { "pyramid3_friction.json", true }, { "not_finite.json", true } };

    (void)state;
    for (int i = 0; i < SAL_COUNT(list); i++) {
        const judged must = {
            .still = true, .passive = list[i].passive, .deep = 1e-8, .force = 1e-8, .impact = 1e-10, .grow = 1e-7
        };
        finding      x    = { .scene = list[i].scene };
        sal_run_opts opts = options_of(&x);
        rig          r    = rig_test_scene(x.scene);
        fault        f    = { "" };
        rig_run(&r, &opts);
        judge_motion(r.run, &must, &f);
        if (f.text[0]) fail_msg("%s: %s", x.scene, f.text);
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_glued_contact_lifts),
        cmocka_unit_test(test_fast_release_derivative),
        cmocka_unit_test(test_equal_friction),
        cmocka_unit_test(test_end_moves),
        cmocka_unit_test(test_slip_time_derivative),
        cmocka_unit_test(test_kinks_in_time),
        cmocka_unit_test(test_past_the_edge),
        cmocka_unit_test(test_kinks_are_told),
        cmocka_unit_test(test_one_error),
        cmocka_unit_test(test_broken_point_and_exchange),
        cmocka_unit_test(test_motions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
