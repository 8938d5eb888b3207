/* test_functions.c - functions of one variable that scenes give to types, and their derivatives: values, errors, limits. */
#include "tests/expressions.h"

/* A type whose formulas use a function f(x) that the scene defines, and its derivative. */
typedef struct curve {
    sal_point point;
    sal_text  profile;
} curve;

static const sal_field curve_fields[] = {
    { "point", SAL_F_POINT, offsetof(curve, point), .help = "a point" },
    { "profile", SAL_F_FORMULA, offsetof(curve, profile), .help = "function of x" },
};

static const char *curve_at, *curve_when; /* what the next element does */

static void curve_emit(const void *self, sal_builder *b)
{
    const curve   *s       = self;
    const sal_bind binds[] = {
        { "P", .point = &s->point },
        { "f", .formula = s->profile, .variable = "x", .at = curve_at },
        { "slope", .formula = s->profile, .variable = "x", .at = curve_at, .derivative = true },
        { "ff", .formula = s->profile, .variable = "x", .at = "f" },
        { "slope2", .formula = s->profile, .variable = "x", .at = "f", .derivative = true },
        { "slope3", .formula = s->profile, .variable = "x", .at = "ff", .derivative = true },
        { "slope4", .formula = s->profile, .variable = "x", .at = "slope3", .derivative = true },
        { "other", .formula = s->profile, .variable = "height", .at = "1" },
        { "hidden", .formula = s->profile, .variable = "y", .at = "2" },
        { "own", .formula = sal_formula("x*z"), .variable = "x", .at = "1" },
        { "lost", .formula = s->profile, .variable = "x", .at = "1 + x(Q)" },
        { "absent", .variable = "x", .at = "1" },
        { "nowhere", .formula = s->profile, .variable = "x" },
        { "snake", .formula = s->profile, .variable = "x", .at = "-tail" },
        { "tail", .formula = s->profile, .variable = "x", .at = "2*snake" },
        { "sum", .formula = sal_formula("f + y(P)") },
        { "twice", .formula = sal_formula("2*sum") },
        { "fdot", .formula = s->profile, .variable = "x", .at = curve_at, .rate = true },
        { "slopedot", .formula = s->profile, .variable = "x", .at = curve_at, .derivative = true, .rate = true },
        { "sumdot", .formula = sal_formula("f + y(P)"), .rate = true },
        { "sumdot2", .formula = sal_formula("sumdot"), .rate = true },
        { "forced", .formula = sal_formula("energy()"), .rate = true },
        { "ring", .formula = sal_formula("1 + ring") },
        { "wrong", .formula = sal_formula("2*sum + z") },
        { 0 },
    };

    for (int k = 0; k < 2; k++) {
        sal_event_begin(b, k ? "again" : "", SAL_BOTH);
        sal_event_when(b, sal_formula(curve_when), binds);
        sal_event_guard(b, sal_formula("slope > 0"), binds);
    }
}

static const sal_type curve_type = {
    .name    = "curve",
    .help    = "curve of the test",
    .size    = sizeof(curve),
    .fields  = curve_fields,
    .nfields = SAL_COUNT(curve_fields),
    .emit    = curve_emit,
};

static sal_status load_curve(sal_context *context, const char *profile, const char *at, const char *when,
                             sal_scene **scene)
{
    static char text[SAL_EXPR_MAX_LENGTH + 500];
    int         n = snprintf(text, sizeof text,
                             "{\"saltus\": 1, \"parameters\": {\"y\": 1, \"w\": 2}, \"points\": {\"P\": {\"at\": [0, 0]}},\n"
                                     "\"contacts\": {\"c\": {\"type\": \"curve\", \"point\": \"P\",\n\"profile\": \"%s\"}}}",
                             profile);

    curve_at   = at;
    curve_when = when;
    return sal_scene_parse(context, "t", text, (size_t)n, scene);
}

static const double curve_v[2] = { 0.7, -1.3 }, curve_a[2] = { 2.1, 0.6 }; /* of P, where rates are asked for */

/* `when` at x(P) = z[0], y(P) = z[1] and with t, y, w as in `given`; its gradient by x(P) and y(P). */
static double curve_value(void **state, const char *profile, const char *at, const char *when, const double q[2],
                          const double given[SLOTS], double by[2])
{
    fixture            *f     = *state;
    double              z[32] = { q[0], q[1] }, zd[32] = { curve_v[0], curve_v[1] };
    double              zdd[32]               = { curve_a[0], curve_a[1] }, result;
    const double *const source[SAL_SRC_COUNT] = { [SAL_SRC_Z] = z, [SAL_SRC_ZD] = zd, [SAL_SRC_ZDD] = zdd };
    sal_scene          *scene                 = NULL;
    const sal_program  *p;

    if (load_curve(f->context, profile, at, when, &scene) != SAL_OK)
        fail_msg("'%s' at '%s': %s", profile, at, sal_message(f->context));
    p                                       = &scene->tables->events.at[0].when;
    z[scene->tables->one]                   = 1;
    z[scene->tables->time]                  = given[SLOT_T];
    zd[scene->tables->time]                 = 1;
    z[scene->tables->parameters.at[0].slot] = given[SLOT_Y];
    z[scene->tables->parameters.at[1].slot] = given[SLOT_W];
    result                                  = sal_program_value(p, source, value);
    for (int k = 0; k < 2; k++) by[k] = gradient_of(p, k);
    sal_scene_destroy(&scene);
    return result;
}

static void begin_curves(void **state)
{
    assert_int_equal(sal_register_contact(((fixture *)*state)->context, &curve_type), SAL_OK);
}

/* Value, slope and its gradient of a function, against the program of its text alone: the same at any place, be it a
 * coordinate, a sum, what the function itself reads, or a constant. */
static void test_functions(void **state)
{
    static const char *const kinked[] = {
        "3",           "x",         "abs(x)",        "min(x, y)",
        "max(y, x)",   "x^0",       "x^1",           "x^2.5",
        "sign(x)",     "x^y",       "step(x)*y",     "sqrt(max(x, 0))",
        "abs(x)^1.5",  "(x - x)*x", "if(x, x, 2*x)", "1/x",
        "x < y",       "x and y",   "log(x)",        "if(x <= 0, 2*x, sqrt(x))",
        "atan2(x, y)", "x*t",       "t + w",
    };
    static const double at_kinks[][2] = { { -1, 0.5 }, { 0, 0 }, { 1, 0.25 }, { 2, -1 } };

    begin_curves(state);
    for (int i = 0; i < SAL_COUNT(smooth) + SAL_COUNT(kinked); i++) {
        const bool  kink = i >= SAL_COUNT(smooth);
        const char *text = kink ? kinked[i - SAL_COUNT(smooth)] : smooth[i];
        sal_program p = compile(state, text), p1 = differentiate_by(state, &p, SLOT_X);

        if (strstr(text, "gap")) continue; /* no quantities */
        for (int k = 0; k < (kink ? SAL_COUNT(at_kinks) : SAL_COUNT(points)); k++) {
            const double q[2] = { kink ? at_kinks[k][0] : points[k][SLOT_X], kink ? at_kinks[k][1] : 0.1 };
            const double t = 0.5, y = kink ? 1 : points[k][SLOT_Y], w = 2;
            const struct {
                const char *at;
                double      x, by[2]; /* and its derivatives by x(P), y(P) */
            } places[] = {
                { "x(P)", q[0], { 1, 0 } },   { "x(P) + 2*y(P)", q[0] + 2 * q[1], { 1, 2 } },
                { "t", t, { 0, 0 } },         { "y", y, { 0, 0 } },
                { "0.7", 0.7, { 0, 0 } },     { "w*y(P) + x(P)/2", w * q[1] + q[0] / 2, { 0.5, 2 } },
                { "-(-2 + 1)", 1, { 0, 0 } },
            };

            for (int j = 0; j < SAL_COUNT(places); j++) {
                const double z[SLOTS] = { t, places[j].x, y, w };
                double       d0 = evaluate(&p, z), d1 = gradient_of(&p, SLOT_X), d2, by[2];

                assert_close(text, curve_value(state, text, places[j].at, "f + 0*x(P)", q, z, by), d0, 4e-16);
                for (int c = 0; c < 2 && isfinite(d1); c++) assert_close(text, by[c], d1 * places[j].by[c], 4e-15);
                assert_close(text, curve_value(state, text, places[j].at, "slope + 0*x(P)", q, z, by), d1, 4e-15);
                evaluate(&p1, z);
                d2 = gradient_of(&p1, SLOT_X);
                for (int c = 0; c < 2 && isfinite(d2); c++) assert_close(text, by[c], d2 * places[j].by[c], 4e-15);
            }
        }
    }
}

static void test_function_closed_forms(void **state)
{
    const double q[2] = { 0.3, 0.9 }, given[SLOTS] = { 0.5, 0, 1.5, 2 };
    const double t = 0.5, y = 1.5, w = 2, x = 0.3, a = x + 2 * 0.9, s = 0.1 * sin(2 * x), c = 0.2 * cos(2 * x);
    const double v = curve_v[0], along = v + 2 * curve_v[1], phase = w * a - t; /* rates of x and a */
    const struct {
        const char *profile, *at, *when;
        double      expected;
    } cases[] = {
        { "0.1*sin(2*x)", "x(P)", "(y(P) - f)/sqrt(1 + slope^2)", (0.9 - s) / sqrt(1 + c * c) },
        { "y*sin(w*x - t)", "x(P) + 2*y(P)", "f", y * sin(w * a - t) },
        { "y*sin(w*x - t)", "x(P) + 2*y(P)", "slope", y * w * cos(w * a - t) },
        { "x^2", "x(P)", "ff", x * x * x * x },
        { "x^2", "x(P)", "slope2*slope", 4 * x * x * x },
        { "x^2", "x(P)", "slope3*slope2*slope", 8 * pow(x, 7) },
        { "t*x", "t*x(P)", "slope + 0*x(P)", t },
        { "x*y", "x(P)", "slope + x(P)", y + x },
        { "y", "x(P)", "hidden + x(P)", 2 + x }, /* not the parameter */
        { "0.25", "x(P)", "x(P) + f + slope", x + 0.25 },
        { "x*y", "x(P)", "twice - sum", x * y + 0.9 },
        { "x^3", "x(P)", "fdot", 3 * x * x * v },
        { "x^3", "x(P)", "slopedot", 6 * x * v },
        { "x^3", "x(P)", "sumdot", 3 * x * x * v + curve_v[1] },
        { "x^3", "x(P)", "sumdot2", 6 * x * v * v + 3 * x * x * curve_a[0] + curve_a[1] },
        { "y*sin(w*x - t)", "x(P) + 2*y(P)", "fdot", y * cos(phase) * (w * along - 1) },
        { "y*sin(w*x - t)", "x(P) + 2*y(P)", "slopedot", -y * w * sin(phase) * (w * along - 1) },
        { "max(x, t)", "x(P)", "sumdot", 1 + curve_v[1] },
        { "t*x", "t*x(P)", "fdot", 2 * t * x + t * t * v },
    };

    begin_curves(state);
    for (int i = 0; i < SAL_COUNT(cases); i++) {
        double by[2];

        assert_close(cases[i].profile, curve_value(state, cases[i].profile, cases[i].at, cases[i].when, q, given, by),
                     cases[i].expected, 1e-15);
    }
}

/* Errors in the function at their place in the file, once; those of the type in its formula, and so twice here. */
static void test_function_errors(void **state)
{
#define TYPE(when, column, rest)  "t:1:1: contacts.c.when: in '" when "', column " #column ": " rest "\n"
#define TWICE(when, column, rest) TYPE(when, column, rest) TYPE(when, column, rest)
    static const struct {
        const char *profile, *when, *expected;
    } cases[] = {
        { "0.1*sin(2*z)", "x(P) + f", "t:3:23: contacts.c.profile: in '0.1*sin(2*z)', column 11: unknown name 'z'\n" },
        { "2*(x", "f + slope",
          "t:3:17: contacts.c.profile: in '2*(x', column 5: missing ')' for the '(' at column 3\n" },
        { "", "f", "t:3:13: contacts.c.profile: in '', column 1: the expression is empty\n" },
        { "x + f", "slope",
          "t:3:17: contacts.c.profile: in 'x + f', column 5: unknown name 'f'; did you mean 'if'?\n" },
        { "2 + y(P)", "f",
          "t:3:17: contacts.c.profile: in '2 + y(P)', column 5: y() depends on the motion; expected a function of x, "
          "parameters and t\n" },
        { "x(P)", "f",
          "t:3:13: contacts.c.profile: in 'x(P)', column 1: x() depends on the motion; expected a function of x, "
          "parameters and t\n" },
        { "heigt", "other",
          "t:3:13: contacts.c.profile: in 'heigt', column 1: unknown name 'heigt'; did you mean 'height'?\n"
          "t:3:13: contacts.c.profile: in 'heigt', column 1: unknown name 'heigt'\n" }, /* slope is by x */
        { "x", "own", TWICE("own", 1, "in 'x*z', column 3: unknown name 'z'") },
        { "x", "2*lost", TWICE("2*lost", 3, "in '1 + x(Q)', column 7: unknown point 'Q'") },
        { "x", "absent", TWICE("absent", 1, "absent has no formula") },
        { "x", "nowhere", TWICE("nowhere", 1, "nowhere has no place") },
        { "x", "1 + snake", TWICE("1 + snake", 5, "in '-tail', column 2: in '2*snake', column 3: snake reads itself") },
        { "x", "forced", TWICE("forced", 1, "forced is the rate of what follows from forces") },
        { "x", "ring", TWICE("ring", 1, "in '1 + ring', column 5: ring reads itself") },
        { "x", "2*wrong", TWICE("2*wrong", 3, "in '2*sum + z', column 9: unknown name 'z'") },
        { "x", "x(f)", TWICE("x(f)", 3, "unknown point 'f'") },
        { "2", "f", "t:2:19: contacts.c: 'f' never changes; expected a point that can move\n" },
    };
    fixture *f = *state;

    begin_curves(state);
    for (int i = 0; i < SAL_COUNT(cases); i++) {
        sal_scene *scene  = NULL;
        sal_status status = load_curve(f->context, cases[i].profile, "x(P)", cases[i].when, &scene);

        if (status != SAL_ERR_SCENE || scene || strcmp(sal_message(f->context), cases[i].expected) != 0)
            fail_msg("'%s', '%s': status %d\n%sexpected\n%s", cases[i].profile, cases[i].when, (int)status,
                     sal_message(f->context), cases[i].expected);
    }
}

/* A function that is constant in x but not in time does change. */
static void test_function_of_time(void **state)
{
    fixture   *f = *state;
    sal_scene *scene;

    begin_curves(state);
    assert_int_equal(load_curve(f->context, "w*t", "1", "f", &scene), SAL_OK);
    sal_scene_destroy(&scene);
    assert_int_equal(load_curve(f->context, "w*x", "t", "f", &scene), SAL_OK);
    assert_int_equal(scene->functions.n, 1); /* compiled once */
    sal_scene_destroy(&scene);
}

static void test_function_limits(void **state)
{
    static char profile[SAL_EXPR_MAX_LENGTH + 1];
    fixture    *f = *state;
    sal_scene  *scene;

    for (int i = 0; i < SAL_EXPR_MAX_LENGTH - 1; i++) profile[i] = "x/"[i % 2];
    begin_curves(state);
    assert_int_equal(load_curve(f->context, profile, "x(P)", "f + slope + slope2", &scene), SAL_OK);
    assert_true(scene->tables->events.at[0].when.n > SAL_EXPR_MAX_NODES / 2);
    sal_scene_destroy(&scene);
    assert_int_equal(load_curve(f->context, profile, "x(P)", "slope + slope2 + slope3 + slope4", &scene),
                     SAL_ERR_SCENE);
    assert_non_null(strstr(sal_message(f->context), "more than 20000 operations"));
    for (int i = 0; i < SAL_EXPR_MAX_LENGTH; i++) profile[i] = i < SAL_EXPR_MAX_DEPTH + 1 ? '-' : ' ';
    profile[SAL_EXPR_MAX_DEPTH + 1] = 'x';
    assert_int_equal(load_curve(f->context, profile, "x(P)", "f", &scene), SAL_ERR_SCENE);
    assert_non_null(strstr(sal_message(f->context), "nested deeper than 100"));
}

static void test_function_out_of_memory(void **state)
{
    sal_status status = SAL_ERR_MEMORY;
    int        n      = 0;

    (void)state;
    for (; status == SAL_ERR_MEMORY; n++) {
        memory           c    = { .fail = -1 };
        sal_context_opts opts = counting_opts(&c);
        sal_context     *context;
        sal_scene       *scene;

        assert_int_equal(sal_context_create(&opts, &context), SAL_OK);
        assert_int_equal(sal_register_contact(context, &curve_type), SAL_OK);
        c.fail = c.next + n;
        status = load_curve(context, "x*sin(x)", "x(P)", "f + slope3", &scene);
        if (status == SAL_OK) sal_scene_destroy(&scene);
        sal_context_destroy(&context);
        assert_int_equal(c.live, 0);
    }
    assert_int_equal(status, SAL_OK);
    assert_true(n > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_functions),        TEST(test_function_closed_forms), TEST(test_function_errors),
        TEST(test_function_of_time), TEST(test_function_limits),       TEST(test_function_out_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
