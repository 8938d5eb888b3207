/* test_contact_reference.c - contacts with friction against closed forms (ref/contacts.json): times of events, states,
 * forces, impulses and costs, and all their derivatives; the contact problem in numbers against solved ones.
 *
 * A scene's outputs and costs that have the name of a number of the reference are that number at the end of the run;
 * costs follow an end that moves. The scene's parameters are those of the reference. */
#include "engine/contact/coulomb.h"
#include "tests/reference.h"

enum { COLUMNS = 16, TEXT = 4096 };
static const double exactness = 1e-8; /* of values and derivatives, at rtol 1e-12 */

/* -------------------------------------------------------------------------------------- reference */

static const cJSON *member(const cJSON *node, const char *name)
{
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(node, name);

    if (!m) fail_msg("no %s in the reference", name);
    return m;
}

/* An example, the rig that runs it, and how many numbers were compared. */
typedef struct example {
    const char  *name;
    const cJSON *values, *derivatives;
    const char  *wrt[COLUMNS];
    int          p, compared;
    double       tolerance;
    rig          r;
} example;

/* The scene with the parameters of the reference; `set`: some of them otherwise, 'name': value, ... */
static example example_load(const reference *ref, const char *name, const char *scene, const char *set)
{
    const cJSON *node = member(ref->json.root, name), *parameter, *column;
    example      x    = { name, member(node, "values"), member(node, "derivatives"), .tolerance = exactness };
    char         text[TEXT];
    size_t       used = (size_t)snprintf(text, sizeof text, "'parameters': { ");

    cJSON_ArrayForEach(parameter, member(node, "parameters"))
    {
        char other[64];
        snprintf(other, sizeof other, "'%s':", parameter->string);
        if (set && strstr(set, other)) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "'%s': %.17g, ", parameter->string,
                                 parameter->valuedouble);
    }
    snprintf(text + used, sizeof text - used, "%s }, %s", set ? set : "'none': 0", scene);
    assert_true(strlen(text) < sizeof text - 1);
    cJSON_ArrayForEach(column, x.derivatives->child)
    {
        assert_true(x.p < COLUMNS);
        x.wrt[x.p++] = column->string;
    }
    x.r = rig_load(text);
    return x;
}

static void example_start(example *x)
{
    sal_run_opts opts = with_respect_to(x->wrt, x->p);

    opts.rtol     = 1e-12;
    opts.atol     = 1e-12;
    opts.quiet    = true;
    opts.validate = true;
    rig_run(&x->r, &opts);
}

static void compare_one(const example *x, const char *what, const char *wrt, double found, double expected)
{
    if (fabs(found - expected) <= x->tolerance * fmax(1.0, fabs(expected))) return; /* false for NaN */
    fail_msg("%s: %s%s%s = %.17g, expected %.17g, off by %g", x->name, what, wrt ? " by " : "", wrt ? wrt : "", found,
             expected, found - expected);
}

/* gradient NULL: the value alone. */
static void compare(example *x, const char *name, double value, const double *gradient)
{
    const cJSON *row = member(x->derivatives, name);

    compare_one(x, name, NULL, value, member(x->values, name)->valuedouble);
    for (int k = 0; gradient && k < x->p; k++)
        compare_one(x, name, x->wrt[k], gradient[k], member(row, x->wrt[k])->valuedouble);
    x->compared++;
}

static void next_event(example *x, const char *name)
{
    sal_status status;

    while ((status = sal_run_step(x->r.run)) == SAL_OK) continue;
    if (status != SAL_EVENT) fail_msg("%s: no %s: %s", x->name, name, sal_run_message(x->r.run));
    if (strcmp(sal_run_event(x->r.run).name, name) != 0)
        fail_msg("%s: %s at t = %.9g s, expected %s", x->name, sal_run_event(x->r.run).name, sal_run_time(x->r.run),
                 name);
}

/* The next event, whose time is a number of the reference. */
static void next_time(example *x, const char *name, const char *event)
{
    next_event(x, event);
    compare(x, name, sal_run_time(x->r.run), sal_run_event_gradient(x->r.run));
}

/* No more events; outputs and costs at the end. `count`: numbers compared in all. */
static void finish(example *x, int count)
{
    const sal_model_info info = sal_model_get_info(x->r.model);
    double               gradient[COLUMNS];
    sal_status           status;

    while ((status = sal_run_step(x->r.run)) == SAL_OK) continue;
    if (status != SAL_END) fail_msg("%s: %s %s", x->name, sal_status_name(status), sal_run_message(x->r.run));
    assert_string_equal(sal_run_wrt_invalid(x->r.run), "");
    for (int k = 0; k < info.outputs; k++) {
        const char *name = sal_model_output(x->r.model, k);
        if (!cJSON_GetObjectItemCaseSensitive(x->values, name)) continue;
        assert_int_equal(sal_run_output_gradient(x->r.run, k, gradient), SAL_OK);
        compare(x, name, sal_run_output(x->r.run, k), gradient);
    }
    for (int k = 0; k < info.costs; k++)
        compare(x, sal_model_cost(x->r.model, k), sal_run_costs(x->r.run)[k],
                sal_run_cost_gradients(x->r.run) + (size_t)k * (size_t)x->p);
    assert_int_equal(x->compared, count);
    rig_free(&x->r);
}

/* ------------------------------------------------------------------------------- feet of one body */

#define BOX                                                                                           \
    "'gravity': [0, '-g'], 'points': { 'A': { 'at': [0, 0] }, 'B': { 'at': ['w', 0] } },"             \
    "'bodies': { 'box': { 'type': 'rigid', 'points': ['A', 'B'], 'length': 'w', 'mass': 'm',"         \
    "  'centre': ['w/2', 'hc'], 'inertia': 'm*(w^2 + 4*hc^2)/12', 'markers': { 'P': [0, 'hp'] } } }," \
    "'joints': { 'push': { 'type': 'force', 'point': 'P', 'fx': 'rate*t', 'fy': '0' } },"             \
    "'contacts': { 'floor': { 'type': 'ground', 'points': ['A', 'B'], 'mu_static': 'mus', 'mu_kinetic': 'muk' } }"

#define STATE_AND_FORCES_AT_T                                                          \
    "'outputs': { 'vx_T': 'vx(A)', 'x_T': 'x(A)', 'NA_T': 'reaction(floor.A.normal)'," \
    "  'NB_T': 'reaction(floor.B.normal)' },"                                          \
    "'costs': { 'vx_T': { 'terminal': 'vx(A)' }, 'x_T': { 'running': 'vx(B)' },"       \
    "  'NA_T': { 'terminal': 'reaction(floor.A.normal)' } }, 'simulation': { 'duration': 'T' }"

/* It slides at mu_s m g, as a whole, whatever mu_k is, and by then friction is shared as the normal forces are. */
static void test_box_is_pushed(void **state)
{
    static const char *const names[] = { "box_push", "box_push_low_friction", "box_push_equal" };
    reference                ref     = reference_load("contacts.json");

    (void)state;
    for (int k = 0; k < SAL_COUNT(names); k++) {
        example x = example_load(&ref, names[k], BOX ", " STATE_AND_FORCES_AT_T, NULL);
        example_start(&x);
        next_time(&x, "t_slide", "floor.A.slip");
        finish(&x, 8);
        x = example_load(&ref, names[k],
                         BOX ", 'costs': {"
                             "'kappa_at_half_t_slide':"
                             "  { 'terminal': '-reaction(floor.A.friction)/(mus*reaction(floor.A.normal))' },"
                             "'friction_A_at_half_t_slide': { 'terminal': 'reaction(floor.A.friction)' },"
                             "'friction_B_at_half_t_slide': { 'terminal': 'reaction(floor.B.friction)' } },"
                             "'simulation': { 'duration': 'mus*m*g/rate/2' }",
                         NULL);
        example_start(&x);
        finish(&x, 3);
    }
    reference_free(&ref);
}

/* With friction enough it tips: F = m g w/(2 hp). */
static void test_box_tips_at_rest(void **state)
{
    reference     ref = reference_load("contacts.json");
    example       x   = example_load(&ref, "box_push", BOX ", 'simulation': { 'duration': 5 }", "'mus': 3, 'muk': 2");
    double        gradient[COLUMNS];
    const double  rate = member(member(member(ref.json.root, "box_push"), "parameters"), "rate")->valuedouble;
    const double *dt;

    (void)state;
    example_start(&x);
    next_event(&x, "floor.A.release");
    dt = sal_run_event_gradient(x.r.run);
    for (int k = 0; k < x.p; k++)
        gradient[k] = rate * dt[k] + (strcmp(x.wrt[k], "rate") == 0 ? sal_run_time(x.r.run) : 0.0);
    compare(&x, "F_tip_at_rest", rate * sal_run_time(x.r.run), gradient);
    finish(&x, 1);
    reference_free(&ref);
}

/* Pushed above its centre it tips some time while it slides:
 * t = m g (w/2 - muk hc) / ((hp - hc) rate). */
static void test_box_tips_while_sliding(void **state)
{
    static const char *const wrt[] = { "mus", "muk", "m", "g", "rate", "hp", "w", "hc" };
    const double m = 2.0, g = 9.81, w = 0.4, hc = 0.3, hp = 0.35, rate = 4.0, muk = 0.4, arm = w / 2.0 - muk * hc,
                 t       = m * g * arm / ((hp - hc) * rate);
    const double exact[] = { 0.0,       -t * hc / arm,  t / m,           t / g,
                             -t / rate, -t / (hp - hc), t / (2.0 * arm), t / (hp - hc) - t * muk / arm };
    reference    ref     = reference_load("contacts.json");
    example      x       = example_load(&ref, "box_push", BOX ", 'simulation': { 'duration': 7.9 }", "'hp': 0.35");

    (void)state;
    example_start(&x);
    next_time(&x, "t_slide", "floor.A.slip");
    next_event(&x, "floor.A.release");
    assert_near(sal_run_time(x.r.run), t, exactness);
    for (int k = 0; k < x.p; k++) {
        assert_string_equal(x.wrt[k], wrt[k]);
        assert_near(sal_run_event_gradient(x.r.run)[k], exact[k], exactness * fmax(1.0, fabs(exact[k])));
    }
    finish(&x, 1);
    reference_free(&ref);
}

#define TABLE                                                                                   \
    "'gravity': [0, '-g'], 'points': { 'A': { 'at': [0, 0] }, 'B': { 'at': ['L', 0] } },"       \
    "'bodies': { 'table': { 'type': 'rigid', 'points': ['A', 'B'], 'length': 'L', 'mass': 'm'," \
    "  'centre': ['cx', 'cy'], 'inertia': 1, 'markers': { 'P': [0.5, 'hp'] } } },"              \
    "'joints': { 'push': { 'type': 'force', 'point': 'P', 'fx': 'F*t', 'fy': '0' } },"          \
    "'contacts': { 'floor': { 'type': 'ground', 'points': ['A', 'B'], 'mu_static': 'mus', 'mu_kinetic': 'muk' } }"

static void test_table_on_two_feet(void **state)
{
    static const char *const foot[] = { "A", "B" };
    reference                ref    = reference_load("contacts.json");
    example                  x      = example_load(&ref, "table_two_feet", TABLE ", " STATE_AND_FORCES_AT_T, NULL);

    (void)state;
    example_start(&x);
    next_time(&x, "t_slide", "floor.A.slip");
    finish(&x, 8);
    for (int k = 0; k < 2; k++) {
        char scene[TEXT / 2];
        snprintf(scene, sizeof scene,
                 TABLE ", 'costs': { 'ratio_half':"
                       "  { 'terminal': '-reaction(floor.%s.friction)/reaction(floor.%s.normal)' },"
                       "'N%s_half': { 'terminal': 'reaction(floor.%s.normal)' } },"
                       "'simulation': { 'duration': 'mus*m*g/F/2' }",
                 foot[k], foot[k], foot[k], foot[k]);
        x = example_load(&ref, "table_two_feet", scene, NULL);
        example_start(&x);
        finish(&x, 2);
    }
    reference_free(&ref);
}

/* --------------------------------------------------------------------------------- one point mass */

/* Slip begins without an acceleration where mu_static = mu_kinetic. The peak is where the force has fallen to friction
 * again; the place where it sticks is seen a little later. */
static void test_equal_friction(void **state)
{
    reference ref = reference_load("contacts.json");
    example   x =
        example_load(&ref, "equal_friction",
                     "'gravity': [0, '-g'], 'memory': { 'peak': 0, 'place': 0 }, 'points': { 'M': { 'at': [0, 0] } },"
                     "'bodies': { 'b': { 'type': 'point_mass', 'point': 'M', 'mass': 'm' } },"
                     "'joints': { 'push': { 'type': 'force', 'point': 'M', 'fx': 'F*sin(w*t)', 'fy': '0' } },"
                     "'contacts': { 'floor': { 'type': 'ground', 'points': ['M'], 'mu_static': 'mu' },"
                     "  'fastest': { 'type': 'event', 'when': 'F*sin(w*t) - mu*m*g', 'set': { 'peak': 'vx(M)' } },"
                     "  'later': { 'type': 'event', 'when': '1 - t', 'set': { 'place': 'x(M)' } } },"
                     "'outputs': { 'v_peak': 'peak', 'x_stick': 'place' }, 'simulation': { 'duration': 1.9 }",
                     NULL);

    (void)state;
    example_start(&x);
    next_time(&x, "t_slip", "floor.slip");
    next_event(&x, "fastest");
    next_time(&x, "t_stick", "floor.stick");
    next_event(&x, "later");
    next_time(&x, "t_slip_back", "floor.slip");
    finish(&x, 5);
    reference_free(&ref);
}

#define HOOK                                                                                             \
    "'gravity': [0, '-g'], 'bodies': { 'b': { 'type': 'point_mass', 'point': 'M', 'mass': 'm' } },"      \
    "'joints': { 'hook': { 'type': 'spring', 'points': ['M', 'H'], 'stiffness': 'k', 'length': 0.7 } }," \
    "'contacts': { 'floor': { 'type': 'ground', 'points': ['M'] } },"

#define HEIGHT_AT_T                                  \
    "'outputs': { 'y_T': 'y(M)', 'vy_T': 'vy(M)' }," \
    "'costs': { 'y_T': { 'running': 'vy(M)' }, 'vy_T': { 'terminal': 'vy(M)' } }"

/* The gap begins with a triple root. */
static void test_lift(void **state)
{
    reference ref = reference_load("contacts.json");
    example   x   = example_load(
            &ref, "lift",
            "'points': { 'H': { 'at': [0, '0.7 + V*t'], 'fixed': true }, 'M': { 'at': [0, 0] } }," HOOK HEIGHT_AT_T
            ", 'simulation': { 'duration': 'T' }",
            NULL);

    (void)state;
    example_start(&x);
    next_time(&x, "t_release", "floor.release");
    finish(&x, 5);
    x = example_load(&ref, "lift",
                     "'points': { 'H': { 'at': [0, '0.7 + V*t'], 'fixed': true }, 'M': { 'at': [0, 0] } }," HOOK
                     "'costs': { 'N_half': { 'terminal': 'reaction(floor.normal)' } },"
                     "'simulation': { 'duration': 'm*g/(k*V)/2' }",
                     NULL);
    example_start(&x);
    finish(&x, 1);
    reference_free(&ref);
}

static void test_hook(void **state)
{
    reference ref = reference_load("contacts.json");
    example   x   = example_load(
            &ref, "hook",
            "'points': { 'H': { 'at': [0, '0.7 + amp*sin(w*t)'], 'fixed': true }, 'M': { 'at': [0, 0] } }," HOOK HEIGHT_AT_T
            ", 'simulation': { 'duration': 'T' }",
            NULL);

    (void)state;
    example_start(&x);
    next_time(&x, "t_release", "floor.release");
    finish(&x, 5);
    reference_free(&ref);
}

/* ------------------------------------------------------------------------------- Painleve's rod */

#define ROD                                                                                                  \
    "'gravity': [0, '-g'], 'points': { 'A': { 'at': [0, 0], 'velocity': ['s', 0] },"                         \
    "  'B': { 'at': ['2*l*cos(theta)', '2*l*sin(theta)'],"                                                   \
    "         'velocity': ['s - 2*l*omega*sin(theta)', '2*l*omega*cos(theta)'] } },"                         \
    "'bodies': { 'rod': { 'type': 'bar', 'points': ['A', 'B'], 'length': '2*l', 'mass': 'm' } },"            \
    "'contacts': { 'floor': { 'type': 'ground', 'points': ['A'], 'closed': ['A'], 'mu_static': 'mu',"        \
    "  'restitution': 'eps' } }, 'simulation': { 'duration': 'T' },"                                         \
    "'costs': { 'theta_T': { 'running': 'rate(rod)', 'terminal': 'theta' } }, 'outputs': { 'E': 'energy()'," \
    "  'omega': 'rate(rod)', 'tip': 'vy(A)', 'theta_T': 'angle(rod)', 'omega_T': 'rate(rod)',"

static void output_gradient(const example *x, const char *name, double *value, double *gradient)
{
    for (int k = 0; k < sal_model_get_info(x->r.model).outputs; k++) {
        if (strcmp(sal_model_output(x->r.model, k), name) != 0) continue;
        *value = sal_run_output(x->r.run, k);
        assert_int_equal(sal_run_output_gradient(x->r.run, k, gradient), SAL_OK);
        return;
    }
    fail_msg("no output %s", name);
}

/* At the start friction leaves no forces: impulses at once, t = 0 for all parameters. */
static void check_jam(example *x)
{
    static const char *const output[] = { "omega", "tip" }, *const after[] = { "omega_plus", "tip_speed_normal_plus" };
    double before, value, gradient[COLUMNS], change[COLUMNS];

    output_gradient(x, "E", &before, change);
    next_event(x, "floor.jam");
    assert_near(sal_run_time(x->r.run), 0.0, 0.0);
    assert_near(sal_run_event(x->r.run).energy_before, before, 1e-12);
    for (int k = 0; k < x->p; k++) assert_near(sal_run_event_gradient(x->r.run)[k], 0.0, 0.0);
    for (int k = 0; k < 2; k++) {
        const int row = rig_row(&x->r, k ? "floor.t" : "floor.n");
        compare(x, k ? "friction_impulse" : "normal_impulse", sal_run_event(x->r.run).impulse[row],
                sal_run_impulse_gradient(x->r.run) + (size_t)row * (size_t)x->p);
        output_gradient(x, output[k], &value, gradient);
        compare(x, after[k], value, gradient);
    }
    output_gradient(x, "E", &value, gradient);
    for (int k = 0; k < x->p; k++) change[k] -= gradient[k];
    compare(x, "energy_lost", before - value, change);
}

static void test_rod_jams_and_turns(void **state)
{
    reference ref = reference_load("contacts.json");
    example   x   = example_load(&ref, "rod_jam_turns",
                                 ROD "'N_T': 'reaction(floor.normal)', 'friction_T': 'reaction(floor.friction)' }", NULL);

    (void)state;
    example_start(&x);
    check_jam(&x);
    finish(&x, 10);
    reference_free(&ref);
}

static void test_rod_jams_and_flies(void **state)
{
    static const char *const names[] = { "rod_jam_flies", "rod_jam_restitution" };
    reference                ref     = reference_load("contacts.json");

    (void)state;
    for (int k = 0; k < SAL_COUNT(names); k++) {
        example x = example_load(
            &ref, names[k], ROD "'xc_T': '(x(A) + x(B))/2', 'yc_T': '(y(A) + y(B))/2', 'tip_height_T': 'y(A)' }", NULL);
        example_start(&x);
        check_jam(&x);
        finish(&x, 11);
    }
    reference_free(&ref);
}

/* ------------------------------------------------------------------------------ rebounds to rest */

/* A mass on an incline, downhill along x. Rebounds slower than `rest` are none, which ends them early, by less than
 * 2 rest/((1 - eps) g cos(alpha)). */
static const double rest = 1e-4; /* [m/s] as contacts have it; far above what gaps are known to */

#define INCLINE                                                                                            \
    "'gravity': [0, '-g'], 'points': { 'P': { 'at': ['h0*sin(alpha)', 'h0*cos(alpha)'],"                   \
    "  'velocity': ['v0*cos(alpha)', '-v0*sin(alpha)'] } },"                                               \
    "'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 1.3 } },"                              \
    "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'angle': '-alpha', 'restitution': 'eps'," \
    "  'mu_static': 'mu', 'rest': 'rest' } }, 'simulation': { 'duration': 'T' },"                          \
    "'outputs': { 'x_T': 'x(P)*cos(alpha) - y(P)*sin(alpha)'"

/* The event at which it is closed; how many rebounds until then. */
static int run_to_rest(example *x)
{
    int count = 0;

    do {
        next_event(x, "floor");
        count++;
    } while (!sal_run_event(x->r.run).closed);
    return count;
}

/* Derivatives through the closing. The number of rebounds K is of no account for the state, and makes those of the time
 * of rest O(K rest). */
static const double *if_valid(const example *x, const double *gradient)
{
    assert_string_equal(sal_run_wrt_invalid(x->r.run), "");
    assert_says(sal_run_wrt_note(x->r.run), "Zeno");
    return gradient;
}

static void compare_output(example *x, const char *name)
{
    double value, gradient[COLUMNS];

    output_gradient(x, name, &value, gradient);
    compare(x, name, value, if_valid(x, gradient));
}

/* The time of rest; how early that is. */
static double compare_rest(example *x)
{
    const double early = member(x->values, "t_rest")->valuedouble - sal_run_time(x->r.run);

    x->tolerance = 10.0 * rest;
    compare(x, "t_rest", sal_run_time(x->r.run), if_valid(x, sal_run_event_gradient(x->r.run)));
    x->tolerance = exactness;
    assert_true(early >= 0.0);
    assert_true(early <= 2.0 * rest / rig_probe(&x->r, "(1 - eps)*g*cos(alpha)"));
    return early;
}

/* Once it slides on it is where it would be without rebounds: exact. */
static void test_rebounds_then_slides(void **state)
{
    static const char *const names[] = { "zeno_slides_on", "zeno_stops" };
    reference                ref     = reference_load("contacts.json");

    (void)state;
    for (int k = 0; k < SAL_COUNT(names); k++) {
        example x =
            example_load(&ref, names[k], INCLINE ", 's_T': 'vx(P)*cos(alpha) - vy(P)*sin(alpha)' }", "'rest': 1e-4");
        double early, speed;

        example_start(&x);
        run_to_rest(&x);
        early = compare_rest(&x);
        speed = rig_probe(&x.r, "vx(P)*cos(alpha) - vy(P)*sin(alpha)");
        assert_near(rig_probe(&x.r, "x(P)*cos(alpha) - y(P)*sin(alpha)") + speed * early,
                    member(x.values, "x_rest")->valuedouble, 10.0 * rest * rest);
        assert_near(speed + rig_probe(&x.r, "g*sin(alpha) - mu*g*cos(alpha)") * early,
                    member(x.values, "s_rest")->valuedouble, 10.0 * rest * rest);
        if (k == 1) {
            next_event(&x, "floor.stick");
            compare(&x, "t_stop", sal_run_time(x.r.run), if_valid(&x, sal_run_event_gradient(x.r.run)));
        }
        while (sal_run_step(x.r.run) == SAL_OK) continue;
        compare_output(&x, "x_T");
        compare_output(&x, "s_T");
        assert_int_equal(x.compared, 3 + k);
        rig_free(&x.r);
    }
    reference_free(&ref);
}

/* What is left of the way is of the size rest^2, of its derivatives that times the number of rebounds. */
static void test_rebounds_and_sticks(void **state)
{
    reference ref = reference_load("contacts.json");
    example   x   = example_load(&ref, "zeno_sticks", INCLINE " }", "'rest': 1e-4");

    (void)state;
    example_start(&x);
    run_to_rest(&x);
    compare_rest(&x);
    x.tolerance = 20.0 * rest * rest;
    while (sal_run_step(x.r.run) == SAL_OK) continue;
    compare_output(&x, "x_T");
    assert_int_equal(x.compared, 2);
    rig_free(&x.r);
    reference_free(&ref);
}

/* `rest` means what it says: rebounds much lower than a rounding error of coordinates are followed, and are as many as
 * they should be. The end and its derivatives are those of the infinite sum to 10 times `rest`, until rounding. */
static void test_rest_means_what_it_says(void **state)
{
    static const char *const names[] = { "zeno_slides_on", "zeno_stops", "zeno_sticks" };
    static const double      slow[]  = { 1e-6, 1e-9, 1e-12 };
    reference                ref     = reference_load("contacts.json");

    (void)state;
    for (int k = 0; k < SAL_COUNT(names) * SAL_COUNT(slow); k++) {
        const double least = slow[k / SAL_COUNT(names)];
        char         set[32];

        snprintf(set, sizeof set, "'rest': %g", least);
        example x = example_load(&ref, names[k % SAL_COUNT(names)], INCLINE " }", set);
        example_start(&x);
        const double struck = rig_probe(&x.r, "sqrt(2*g*cos(alpha)*h0)"), e = rig_probe(&x.r, "eps");
        assert_int_equal(run_to_rest(&x), (int)ceil(log(least / struck) / log(e)));
        x.tolerance = fmax(10.0 * least, 1e-11);
        compare(&x, "t_rest", sal_run_time(x.r.run), NULL);
        while (sal_run_step(x.r.run) == SAL_OK) continue;
        compare_output(&x, "x_T");
        rig_free(&x.r);
    }
    reference_free(&ref);
}

/* Rebounds are as many near the origin, in millimetres, and where coordinates are known to 1e-10 m only. Until then
 * sqrt(2 h/g) (1 + e)/(1 - e) pass; far away known to 1e-10 m over the speed of rebounds that are still told by gaps. */
static void test_rest_anywhere(void **state)
{
    static const double units[] = { 1.0, 1e3, 1.0, 1.0 }, away[] = { 0.0, 0.0, 1e6, -1e6 };

    (void)state;
    for (int k = 0; k < SAL_COUNT(units); k++) {
        char         text[TEXT];
        int          count = 0;
        sal_run_opts opts  = sal_run_defaults();

        snprintf(text, sizeof text,
                 "'parameters': { 'g': %.17g }, 'gravity': [0, '-g'], 'points': { 'P': { 'at': [%.17g, %.17g] } },"
                 "'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 1.3 } },"
                 "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'height': %.17g, 'restitution': 0.5,"
                 "  'rest': %.17g } }, 'simulation': { 'duration': 3 }",
                 9.81 * units[k], away[k], away[k] + units[k], away[k], 1e-12 * units[k]);
        rig r         = rig_load(text);
        opts.quiet    = true;
        opts.validate = true;
        rig_run(&r, &opts);
        do {
            while (sal_run_step(r.run) == SAL_OK) continue;
            assert_string_equal(sal_run_event(r.run).name, "floor");
            count++;
        } while (!sal_run_event(r.run).closed);
        assert_int_equal(count, (int)ceil(log(1e-12 / sqrt(2.0 * 9.81)) / log(0.5)));
        assert_near(sal_run_time(r.run), 3.0 * sqrt(2.0 / 9.81), away[k] != 0.0 ? 1e-8 : 1e-11);
        assert_int_equal(sal_run_step(r.run) >= SAL_OK, true);
        rig_free(&r);
    }
}

/* ------------------------------------------------------------------------------ problems in numbers */

typedef struct problem {
    sal_context *context;
    sal_pool     pool;
    sal_coulomb  x;
} problem;

/* W and b (or gamma) of the reference; mu for contacts that may stick. */
static problem problem_load(const cJSON *node, const char *b, const char *mu_static, const char *mu_kinetic)
{
    const int    c = cJSON_GetArraySize(member(node, mu_static)), rows = 2 * c;
    problem      y;
    sal_coulomb *x = &y.x;

    assert_int_equal(sal_context_create(NULL, &y.context), SAL_OK);
    sal_pool_init(&y.pool, y.context);
    assert_int_equal(sal_coulomb_init(x, &y.pool, c), SAL_OK);
    x->c = c;
    for (int i = 0; i < c; i++)
        x->party[i] = (sal_party){ .tangent    = true,
                                   .inside     = true,
                                   .mu_static  = cJSON_GetArrayItem(member(node, mu_static), i)->valuedouble,
                                   .mu_kinetic = cJSON_GetArrayItem(member(node, mu_kinetic), i)->valuedouble };
    for (int r = 0; r < rows; r++) {
        x->b[r]    = cJSON_GetArrayItem(member(node, b), r)->valuedouble;
        x->b1[r]   = 0.0;
        x->size[r] = fabs(x->b[r]);
        for (int k = 0; k < rows; k++)
            x->W[r * rows + k] = cJSON_GetArrayItem(cJSON_GetArrayItem(member(node, "W"), r), k)->valuedouble;
    }
    return y;
}

static void problem_free(problem *y)
{
    sal_pool_free(&y->pool);
    sal_context_destroy(&y->context);
}

static void compare_list(const char *what, int which, const double *found, const cJSON *expected)
{
    for (int k = 0; k < cJSON_GetArraySize(expected); k++) {
        const double e = cJSON_GetArrayItem(expected, k)->valuedouble;
        if (!(fabs(found[k] - e) <= 1e-11 * fmax(1.0, fabs(e))))
            fail_msg("problem %d: %s[%d] = %.17g, expected %.17g", which, what, k, found[k], e);
    }
}

/* Both phases and the bound, as in contact/impact.c; from the numbers alone. */
static void check_impact_problem(const cJSON *node, int which)
{
    problem      y = problem_load(node, "gamma", "mu", "mu");
    sal_coulomb *x = &y.x;
    double       C[6], middle[6], D = 0.0, c1 = 0.0, c2 = 0.0, most = 0.0, eta = 1.0, total[6], after[6];
    const int    rows = 2 * x->c;

    assert_int_equal(sal_coulomb_solve(x, NULL), SAL_OK);
    compare_list("p_C", which, x->p, member(node, "p_C"));
    for (int r = 0; r < rows; r++) {
        C[r]      = x->p[r];
        middle[r] = x->motion[r];
        D -= 0.5 * C[r] * (x->b[r] + middle[r]);
        x->b[r]    = middle[r];
        x->size[r] = x->full[r];
    }
    for (int i = 0; i < x->c; i++) {
        const double e    = cJSON_GetArrayItem(member(node, "e"), i)->valuedouble;
        x->party[i].least = e * C[i];
        most              = C[i] > 0.0 ? fmax(most, e) : most;
    }
    assert_int_equal(sal_coulomb_solve(x, NULL), SAL_OK);
    compare_list("p_E", which, x->p, member(node, "p_E"));
    for (int r = 0; r < rows; r++) {
        c1 += x->p[r] * middle[r];
        c2 += x->p[r] * (x->motion[r] - middle[r]);
    }
    assert_near(D, member(node, "D")->valuedouble, 1e-11);
    assert_near(c1 + 0.5 * c2, member(node, "R")->valuedouble, 1e-11 * fmax(1.0, fabs(c1)));
    if (c1 + 0.5 * c2 > most * most * D) eta = (-c1 + sqrt(c1 * c1 + 2.0 * c2 * most * most * D)) / c2;
    assert_near(eta, member(node, "eta")->valuedouble, 1e-11);
    for (int r = 0; r < rows; r++) {
        total[r] = C[r] + eta * x->p[r];
        after[r] = middle[r] + eta * (x->motion[r] - middle[r]);
    }
    compare_list("p", which, total, member(node, "p"));
    compare_list("gamma_plus", which, after, member(node, "gamma_plus"));
    problem_free(&y);
}

static void test_impact_problems(void **state)
{
    reference    ref = reference_load("contacts.json");
    const cJSON *node;
    int          count = 0;

    (void)state;
    cJSON_ArrayForEach(node, member(member(ref.json.root, "impact_problems"), "problems"))
        check_impact_problem(node, count++);
    assert_int_equal(count, 9);
    reference_free(&ref);
}

static void test_force_problems(void **state)
{
    reference    ref = reference_load("contacts.json");
    const cJSON *node;
    int          count = 0;

    (void)state;
    cJSON_ArrayForEach(node, member(member(ref.json.root, "force_problems"), "problems"))
    {
        problem y = problem_load(node, "b", "mu_s", "mu_k");
        assert_int_equal(sal_coulomb_solve(&y.x, NULL), SAL_OK);
        compare_list("forces", count, y.x.p, member(node, "forces"));
        compare_list("accelerations", count, y.x.motion, member(node, "accelerations"));
        for (int i = 0; i < y.x.c; i++)
            assert_int_equal(y.x.party[i].broken, cJSON_IsTrue(cJSON_GetArrayItem(member(node, "broken"), i)));
        problem_free(&y);
        count++;
    }
    assert_int_equal(count, 6);
    reference_free(&ref);
}

/* A rigid body that flies without turning and touches with one point has any W of one contact. With r from its centre
 * to the point, W = [1/m + rx^2/I, -rx ry/I; ., 1/m + ry^2/I], so 1/m is the smaller eigenvalue of W. */
static void check_impact_of_a_body(const cJSON *node, int which)
{
    problem      y  = problem_load(node, "gamma", "mu", "mu");
    const double nn = y.x.W[0], nt = y.x.W[1], tt = y.x.W[3], inertia = 0.1,
                 light = 0.5 * (nn + tt) - hypot(0.5 * (nn - tt), nt), rx = sqrt(inertia * (nn - light)),
                 ry = copysign(sqrt(inertia * (tt - light)), -nt);
    char   text[TEXT];
    double after[2], impulse[2];
    rig    r;

    snprintf(text, sizeof text,
             "'gravity': [0, 0], 'points': { 'P': { 'at': [0, %.17g], 'velocity': [%.17g, %.17g] },"
             "  'Q': { 'at': [1, %.17g], 'velocity': [%.17g, %.17g] } },"
             "'bodies': { 'body': { 'type': 'rigid', 'points': ['P', 'Q'], 'length': 1, 'mass': %.17g,"
             "  'centre': [%.17g, %.17g], 'inertia': %.17g } },"
             "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'mu_static': %.17g, 'restitution': %.17g } }",
             -0.1 * y.x.b[0], y.x.b[1], y.x.b[0], -0.1 * y.x.b[0], y.x.b[1], y.x.b[0], 1.0 / light, -rx, -ry, inertia,
             y.x.party[0].mu_static, cJSON_GetArrayItem(member(node, "e"), 0)->valuedouble);
    r = rig_load(text);
    rig_run(&r, NULL);
    while (sal_run_step(r.run) == SAL_OK) continue;
    assert_near(sal_run_event(r.run).time, 0.1, 1e-12);
    impulse[0] = sal_run_event(r.run).impulse[rig_row(&r, "floor.n")];
    impulse[1] = sal_run_event(r.run).impulse[rig_row(&r, "floor.t")];
    after[0]   = rig_probe(&r, "vy(P)");
    after[1]   = rig_probe(&r, "vx(P)");
    compare_list("impulses of a body", which, impulse, member(node, "p"));
    compare_list("velocities of a body", which, after, member(node, "gamma_plus"));
    assert_near(sal_run_energy(r.run) - sal_run_event(r.run).energy_before, member(node, "energy_change")->valuedouble,
                1e-11);
    rig_free(&r);
    problem_free(&y);
}

static void test_impacts_of_a_body(void **state)
{
    reference    ref = reference_load("contacts.json");
    const cJSON *node;
    int          which = 0, count = 0;

    (void)state;
    cJSON_ArrayForEach(node, member(member(ref.json.root, "impact_problems"), "problems"))
    {
        if (cJSON_GetArraySize(member(node, "mu")) == 1) check_impact_of_a_body(node, which);
        count += cJSON_GetArraySize(member(node, "mu")) == 1;
        which++;
    }
    assert_int_equal(count, 2);
    reference_free(&ref);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_is_pushed),
        cmocka_unit_test(test_box_tips_at_rest),
        cmocka_unit_test(test_box_tips_while_sliding),
        cmocka_unit_test(test_table_on_two_feet),
        cmocka_unit_test(test_equal_friction),
        cmocka_unit_test(test_lift),
        cmocka_unit_test(test_hook),
        cmocka_unit_test(test_rod_jams_and_turns),
        cmocka_unit_test(test_rod_jams_and_flies),
        cmocka_unit_test(test_rebounds_then_slides),
        cmocka_unit_test(test_rebounds_and_sticks),
        cmocka_unit_test(test_rest_means_what_it_says),
        cmocka_unit_test(test_rest_anywhere),
        cmocka_unit_test(test_impact_problems),
        cmocka_unit_test(test_force_problems),
        cmocka_unit_test(test_impacts_of_a_body),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
