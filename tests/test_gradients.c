/* test_gradients.c - the adjoint of whole runs: against the tangent on the same steps (to rounding, whatever the
 * tolerance), reference numbers, and differences of tight runs. */
#include <stdio.h>

#include "engine/scene/json.h"
#include "tests/shipped.h"

/* ---------------------------------------------------------------------------------------- helpers */

enum { WRT_MOST = 64, COSTS_MOST = 8 };

typedef struct asked {
    int         n;
    const char *name[WRT_MOST];
    char        text[WRT_MOST][80];
} asked;

/* All parameters and, with `starts`, the initial values of memory and free points. */
static void everything(const sal_model *model, bool starts, asked *all)
{
    static const char *const parts[] = { "x", "y", "vx", "vy" };
    sal_point_info           point;

    all->n = 0;
    for (int k = 0; sal_model_parameter(model, k) && all->n < WRT_MOST; k++)
        snprintf(all->text[all->n++], sizeof all->text[0], "%s", sal_model_parameter(model, k));
    for (int k = 0; starts && sal_model_memory(model, k) && all->n < WRT_MOST; k++)
        snprintf(all->text[all->n++], sizeof all->text[0], "initial(%s)", sal_model_memory(model, k));
    for (int k = 0; starts && sal_model_point(model, k, &point); k++) {
        for (int i = 0; i < 4 && !strcmp(point.kind, "free") && all->n < WRT_MOST; i++)
            snprintf(all->text[all->n++], sizeof all->text[0], "initial(%s.%s)", point.name, parts[i]);
    }
    for (int k = 0; k < all->n; k++) all->name[k] = all->text[k];
}

typedef struct swept {
    sal_status       status;
    sal_adjoint_info info;
    int              costs, p, events;
    double           value[COSTS_MOST], gradient[COSTS_MOST * WRT_MOST];
    char             says[1024];
} swept;

static void sweep(const sal_model *model, sal_run_opts opts, const asked *wrt, size_t memory, swept *out)
{
    sal_context     *context = model->tables->context;
    sal_adjoint_opts o       = sal_adjoint_defaults();
    sal_run         *run;
    sal_adjoint     *adjoint;

    o.wrt    = wrt->name;
    o.nwrt   = wrt->n;
    o.memory = memory;
    memset(out, 0, sizeof *out);
    if (sal_run_create(model, &opts, &run) != SAL_OK) fail_msg("%s", sal_message(context));
    if (sal_adjoint_create(run, &o, &adjoint) != SAL_OK) fail_msg("%s", sal_message(context));
    if (sal_simulate(run, (sal_reader[]){ sal_adjoint_reader(adjoint) }, 1) != SAL_END)
        fail_msg("%s", sal_run_message(run));
    out->events = (int)sal_run_get_stats(run).events;
    out->status = sal_adjoint_sweep(adjoint);
    out->info   = sal_adjoint_get_info(adjoint);
    out->costs  = out->info.costs;
    out->p      = wrt->n;
    assert_true(out->costs <= COSTS_MOST);
    if (out->status < 0) snprintf(out->says, sizeof out->says, "%s", sal_message(context));
    for (int k = 0; k < out->costs && out->status == SAL_OK; k++) {
        out->value[k] = sal_run_costs(run)[k];
        memcpy(out->gradient + k * wrt->n, sal_adjoint_gradient(adjoint, k), sizeof(double) * (size_t)wrt->n);
    }
    sal_adjoint_destroy(&adjoint);
    sal_run_destroy(&run);
}

/* Of metres, seconds and kilograms, as all scenes here are made of: gradients below are zero but for rounding. */
static const double NOTHING = 1e-9;

/* The largest difference from the tangent's, relative to the largest of each cost's gradient: of its own, or of what a
 * cost would have that changes by itself as parameters do by themselves. */
static double off_tangent(const sal_model *model, sal_run_opts opts, const asked *wrt, const swept *found,
                          char *invalid, size_t room)
{
    double   worst = 0.0;
    sal_run *run;

    opts.wrt              = wrt->name;
    opts.nwrt             = wrt->n;
    opts.wrt_uncontrolled = true;
    invalid[0]            = '\0';
    if (sal_run_create(model, &opts, &run) != SAL_OK) fail_msg("%s", sal_message(model->tables->context));
    if (sal_simulate(run, NULL, 0) != SAL_END) snprintf(invalid, room, "%s", sal_run_message(run));
    if (!invalid[0]) snprintf(invalid, room, "%s", sal_run_wrt_invalid(run));
    for (int k = 0; k < found->costs && found->status == SAL_OK && !invalid[0]; k++) {
        const double *exact = sal_run_cost_gradients(run) + k * found->p, *got = found->gradient + k * found->p;
        double        most = 1e-3 * fabs(sal_run_costs(run)[k]);
        for (int c = 0; c < found->p; c++) most = fmax(most, fabs(exact[c]));
        for (int c = 0; c < found->p; c++) worst = fmax(worst, fabs(got[c] - exact[c]) / fmax(most, NOTHING));
    }
    sal_run_destroy(&run);
    return worst;
}

/* ---------------------------------------------------------------------------------------- scenes */

static char *read_file(const char *folder, const char *name)
{
    char  file[1024], *text;
    long  size;
    FILE *in;

    snprintf(file, sizeof file, "%s/%s", folder, name);
    in = fopen(file, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    size = ftell(in);
    rewind(in);
    text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, in), (size_t)size);
    fclose(in);
    return text;
}

/* The last one; NULL: there is none. */
static const cJSON *free_point(const cJSON *root)
{
    const cJSON *point = NULL, *item;

    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, "points"))
    {
        if (!cJSON_IsTrue(cJSON_GetObjectItem(item, "fixed")) && !cJSON_GetObjectItem(item, "body") &&
            cJSON_GetObjectItem(item, "at"))
            point = item;
    }
    return point;
}

/* Adds a cost with a running part that reads accelerations, an average, one of a force inside, and one of the end that reads
 * accelerations and the energy. */
static void add_costs(cJSON *root)
{
    const cJSON *point = free_point(root), *item;
    const cJSON *bar   = NULL;
    cJSON       *costs = cJSON_GetObjectItem(root, "costs"), *cost;
    char         text[512];

    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, "bodies"))
    {
        const cJSON *type = cJSON_GetObjectItem(item, "type");
        if (!bar && cJSON_IsString(type) && !strcmp(type->valuestring, "bar")) bar = item;
    }
    if (!point) return;
    if (!costs) costs = cJSON_AddObjectToObject(root, "costs");
    cost = cJSON_AddObjectToObject(costs, "added_path");
    snprintf(text, sizeof text, "x(%s)^2 + 0.1*vy(%s)*ax(%s)", point->string, point->string, point->string);
    cJSON_AddStringToObject(cost, "running", text);
    cost = cJSON_AddObjectToObject(costs, "added_mean");
    cJSON_AddStringToObject(cost, "average", text);
    if (bar) {
        cost = cJSON_AddObjectToObject(costs, "added_force");
        snprintf(text, sizeof text, "1e-3*reaction(%s.tension)", bar->string);
        cJSON_AddStringToObject(cost, "running", text);
        cJSON_AddStringToObject(cost, "terminal", text);
    }
    cost = cJSON_AddObjectToObject(costs, "added_end");
    snprintf(text, sizeof text, "0.01*ay(%s) + vx(%s)*y(%s) + 0.1*energy()", point->string, point->string,
             point->string);
    cJSON_AddStringToObject(cost, "terminal", text);
}

/* In place of all costs, what they read at single instants: one peak that has a force in it, and values at three times. */
static void add_instants(cJSON *root)
{
    const cJSON *point = free_point(root);
    const double T     = cJSON_GetObjectItem(cJSON_GetObjectItem(root, "simulation"), "duration")->valuedouble;
    const double at[]  = { 0.0, 0.31 * T, 0.77 * T };
    cJSON       *costs, *cost;
    char         text[256];

    cJSON_DeleteItemFromObject(root, "costs");
    if (!point || !(T > 0.0)) return;
    costs = cJSON_AddObjectToObject(root, "costs");
    cost  = cJSON_AddObjectToObject(costs, "added_peak");
    snprintf(text, sizeof text, "x(%s) - 0.3*y(%s) + 1e-3*ax(%s)", point->string, point->string, point->string);
    cJSON_AddStringToObject(cost, "peak", text);
    cost = cJSON_AddObjectToObject(costs, "added_values");
    snprintf(text, sizeof text, "x(%s) + 0.5*y(%s) + 0.01*ay(%s)", point->string, point->string, point->string);
    cJSON_AddStringToObject(cost, "value", text);
    cJSON_AddItemToObject(cost, "at", cJSON_CreateDoubleArray(at, 3));
}

static rig rig_changed(const char *folder, const char *name, void (*change)(cJSON *root))
{
    char  *text = read_file(folder, name), *json;
    cJSON *root = cJSON_Parse(text);
    rig    r;

    assert_non_null(root);
    change(root);
    json = cJSON_Print(root);
    assert_non_null(json);
    r = rig_text(json);
    cJSON_free(json);
    cJSON_Delete(root);
    free(text);
    return r;
}

static rig rig_with_costs(const char *folder, const char *name)
{
    return rig_changed(folder, name, add_costs);
}

enum { FORMS = 3 };

static sal_run_opts form_opts(int form)
{
    sal_run_opts opts = sal_run_defaults();

    opts.quiet      = true;
    opts.form       = form == 1 ? SAL_PENALTY : SAL_INDEX1;
    opts.integrator = SAL_RK8; /* the adjoint's steps, whatever is stiff */
    if (form == 2) opts.stabilization = SAL_BAUMGARTE;
    return opts;
}

static const char *const form_names[FORMS] = { "index1", "penalty", "baumgarte" };

static const char *const too_long = "too long for the damping of constraints";

/* With respect to everything, else to parameters alone: contacts may touch at the start for one initial value only.
 * What is refused the tangent cannot have either, or shorter steps can; gives the largest difference. */
static double compare(const sal_model *model, const char *name, int form, sal_run_opts opts, const char *refused)
{
    char   invalid[1024];
    asked  all;
    swept  found;
    double off = HUGE_VAL;

    for (int starts = 1; starts >= 0; starts--) {
        everything(model, starts, &all);
        if (all.n == 0) return 0.0;
        sweep(model, opts, &all, 0, &found);
        off = off_tangent(model, opts, &all, &found, invalid, sizeof invalid);
        if (found.status == SAL_OK && !invalid[0]) break;
        if (found.status == SAL_OK) fail_msg("%s, %s: no derivative (%s), but swept", name, form_names[form], invalid);
        if (!invalid[0] && !strstr(found.says, refused))
            fail_msg("%s, %s: refused: %s", name, form_names[form], found.says);
        if (invalid[0]) continue;
        assert_true(opts.max_step != 0.1); /* short enough for omega 10 and xi 1 */
        opts.max_step = 0.1;
        return strcmp(refused, too_long) == 0 ? compare(model, name, form, opts, refused) : 0.0;
    }
    return found.status == SAL_OK ? off : 0.0;
}

static void shipped_scenes_agree(void **state)
{
    const shipped list  = shipped_scenes();
    double        worst = 0.0;

    (void)state;
    for (int k = 0; k < list.n; k++) {
        rig r = rig_with_costs(SAL_SCENES_DIR, list.name[k]);
        for (int form = 0; form < FORMS; form++) {
            if (SANITIZED && form > 0) continue;
            const double off = compare(r.model, list.name[k], form, form_opts(form), too_long);
            if (!(off <= 1e-10)) fail_msg("%s, %s: off by %.2g", list.name[k], form_names[form], off);
            worst = fmax(worst, off);
        }
        rig_free(&r);
    }
    printf("shipped scenes, adjoint against tangent: %.1e\n", worst);
}

/* A table on two feet, whose friction is shared by rows that depend on each other, pushed by a function of time until it
 * slides: by its knots, a mass that the shares change with, and a number. */
static void knots_and_shared_rows(void **state)
{
    static const char *const kinds[] = { "steps", "linear", "cubic" };
    char                     text[1200], invalid[1024];

    (void)state;
    for (int k = 0; k < SAL_COUNT(kinds); k++) {
        snprintf(
            text, sizeof text,
            "{ 'saltus': 1, 'gravity': [0, -9.81], 'parameters': { 'F': 30, 'm': 5, 'mu': 0.5, 'u': { 'knots': 6, "
            "'to': 1.6, 'kind': '%s', 'start': [0, 10, 20, 26, 30, 28] } }, 'points': { 'A': { 'at': [0, 0] }, "
            "'B': { 'at': [1, 0] } }, 'bodies': { 'table': { 'type': 'rigid', 'points': ['A', 'B'], 'length': 1, "
            "'mass': 'm', 'centre': [0.4, 0.5], 'inertia': 1, 'markers': { 'T': [0.5, 0.6] } } }, 'joints': { "
            "'push': { 'type': 'force', 'point': 'T', 'fx': 'u(t) + 0.01*F', 'fy': '0' } }, 'contacts': { 'floor': "
            "{ 'type': 'ground', 'points': ['A', 'B'], 'mu_static': 'mu', 'mu_kinetic': 0.4 } }, 'costs': { 'path': "
            "{ 'running': 'x(A)^2 + 0.1*ax(B)*vx(A) + 1e-3*reaction(floor.A.friction)' } }, "
            "'simulation': { 'duration': 2 } }",
            kinds[k]);
        for (char *c = text; *c; c++) *c = *c == '\'' ? '"' : *c;
        rig r = rig_text(text);
        for (int form = 0; form < FORMS; form++) {
            asked        all;
            swept        found;
            sal_run_opts opts = form_opts(form);
            opts.max_step     = form == 2 ? 0.1 : opts.max_step;
            everything(r.model, false, &all);
            assert_int_equal(all.n, 9);
            sweep(r.model, opts, &all, 0, &found);
            if (found.status != SAL_OK) fail_msg("%s, %s: %s", kinds[k], form_names[form], found.says);
            assert_true(found.events > 0);
            const double off = off_tangent(r.model, opts, &all, &found, invalid, sizeof invalid);
            if (invalid[0] || !(off <= 1e-12)) fail_msg("%s, %s: off by %.2g", kinds[k], form_names[form], off);
        }
        rig_free(&r);
    }
}

/* Peaks and values at given times; at events and at corners peaks are refused. */
static void single_instants(void **state)
{
    const shipped list  = shipped_scenes();
    double        worst = 0.0;
    int           agree = 0;

    (void)state;
    for (int k = 0; k < list.n; k++) {
        rig r = rig_changed(SAL_SCENES_DIR, list.name[k], add_instants);
        for (int form = 0; form < FORMS && sal_model_cost(r.model, 0); form++) {
            asked all;
            swept found;
            char  invalid[1024];
            everything(r.model, false, &all);
            if (all.n == 0 || (SANITIZED && form > 0)) continue;
            sweep(r.model, form_opts(form), &all, 0, &found);
            if (found.status != SAL_OK) continue;
            const double off = off_tangent(r.model, form_opts(form), &all, &found, invalid, sizeof invalid);
            if (invalid[0] || !(off <= 1e-10))
                fail_msg("%s, %s: off by %.2g %s", list.name[k], form_names[form], off, invalid);
            worst = fmax(worst, off);
            agree++;
        }
        rig_free(&r);
    }
    printf("%d of peaks and values, adjoint against tangent: %.1e\n", agree, worst);
    assert_true(agree >= (SANITIZED ? 5 : 30));
}

/* Steps are the same, so that the tolerance does not matter. */
static void any_tolerance(void **state)
{
    static const char *const names[] = { "five_bar_friction.json", "hammer.json", "kneed_walker.json", "clock.json" };
    static const double      rtol[]  = { 1e-4, 1e-6, 1e-11 };

    (void)state;
    for (int k = 0; k < SAL_COUNT(names); k++) {
        rig r = rig_with_costs(SAL_SCENES_DIR, names[k]);
        for (int i = 0; i < SAL_COUNT(rtol); i++) {
            for (int integrator = SAL_RK8; integrator <= (rtol[i] > 1e-7 ? SAL_RK5 : SAL_RK8); integrator++) {
                sal_run_opts opts = form_opts(0);
                opts.rtol         = rtol[i];
                opts.integrator   = integrator;
                const double off  = compare(r.model, names[k], 0, opts, "");
                if (!(off <= 1e-10)) fail_msg("%s, rtol %g: off by %.2g", names[k], rtol[i], off);
            }
        }
        rig_free(&r);
    }
}

/* Events of every kind: contacts that rest, roll over edges, stick and slip at once, steps of loads, kinks of drivers,
 * memory that is fed back, ratchets, ends that move, jams, many in a row. In the penalty form rows that depend on each
 * other are refused, as are events that graze and Baumgarte steps that are too long. */
static void kinds_of_events(void **state)
{
    static const struct {
        const char *name;
        double      tolerance, duration; /* 0: its own */
    } scenes[] = {
        { "box_push.json", 1e-9, 0.0 },
        { "double_pendulum_strikes.json", 1e-9, 0.0 },
        { "double_pendulum_strikes_by_newton.json", 1e-9, 0.0 },
        { "driver_kink.json", 1e-9, 0.0 },
        { "end_moves.json", 1e-9, 0.0 },
        { "equal_friction.json", 1e-9, 0.0 },
        { "fast_release.json", 1e-9, 0.0 },
        { "five_bar_far_away.json", 1e-9, 0.0 },
        { "foot_rolls_over.json", 1e-9, 0.0 },
        { "glued_contact.json", 1e-9, 0.0 },
        { "hang_compass.json", 1e-9, 0.0 },
        { "hopper_angle_feedback.json", 1e-9, 0.0 },
        { "hopper_stiffening.json", 1e-9, 0.0 },
        { "lift.json", 1e-9, 0.0 },
        { "loop_on_a_slope.json", 1e-9, 0.0 },
        { "no_forces_agree.json", 1e-9, 0.5 },
        { "quadruped_on_pins.json", 1e-9, 0.5 },
        { "quadruped_trots_on_pins.json", 1e-9, 0.4 },
        { "redundant_impulse_derivative.json", 1e-9, 0.0 },
        { "same_instant.json", 1e-9, 0.0 },
        { "step_load.json", 1e-9, 0.0 },
        { "two_feet.json", 1e-9, 0.0 },
        { "not_finite.json", 1e-8, 0.0 }, /* rows depend on each other, in 30 events: a corner of 1e-9 lets them pass */
    };
    double worst = 0.0;

    (void)state;
    for (int k = 0; k < SAL_COUNT(scenes); k++) {
        rig r = rig_with_costs(SAL_TEST_SCENES_DIR, scenes[k].name);
        for (int form = 0; form < FORMS; form++) {
            const char  *may  = form == 1 ? "depend on each other" : too_long;
            sal_run_opts opts = form_opts(form);
            if (SANITIZED && form > 0) continue;
            if (scenes[k].duration > 0.0) opts.duration = scenes[k].duration;
            const double off = compare(r.model, scenes[k].name, form, opts, may);
            if (!(off <= scenes[k].tolerance)) fail_msg("%s, %s: off by %.2g", scenes[k].name, form_names[form], off);
            worst = fmax(worst, off);
        }
        rig_free(&r);
    }
    printf("kinds of events, adjoint against tangent: %.1e\n", worst);
}

/* ----------------------------------------------------------------------------------- differences */

static void must_be_good(void *user, const sal_verify_item *item)
{
    if (!item->good)
        fail_msg("%s: %s by %s: %.12g, not %.12g", (const char *)user, item->what, item->wrt, item->exact,
                 item->numeric);
}

/* To 1e-6 of differences of runs at 1e-12, and to 1e-9 of tangents on their steps. */
static void differences(void **state)
{
    static const struct {
        const char *name, *wrt[3];
    } scenes[] = {
        { "five_bar.json", { "L01", "L02", "initial(P2.x)" } },
        { "five_bar_friction.json", { "L01", "ground", "mu_k" } },
        { "bouncing_ball.json", { "height", "restitution" } },
        { "hammer.json", { NULL } },
        { "clock.json", { NULL } },
        { "compass_gait.json", { NULL } },
        { "stick_slip_belt.json", { NULL } },
        { "driven_slider_crank.json", { NULL } },
    };

    (void)state;
    for (int k = 0; k < SAL_COUNT(scenes); k++) {
        rig          r    = rig_scene(scenes[k].name);
        sal_run_opts opts = sal_run_defaults();
        asked        all;
        int          bad;
        everything(r.model, false, &all);
        if (all.n > 3) all.n = 3;
        for (int c = 0; c < 3 && scenes[k].wrt[c]; c++) all.name[c] = scenes[k].wrt[c], all.n = c + 1;
        opts.wrt   = all.name;
        opts.nwrt  = all.n;
        opts.quiet = true;
        if (sal_verify_adjoint(r.model, &opts, NULL, 0, 1e-6, must_be_good, (void *)scenes[k].name, &bad) != SAL_OK)
            fail_msg("%s: %s", scenes[k].name, sal_message(r.context));
        assert_int_equal(bad, 0);
        rig_free(&r);
    }
}

/* ------------------------------------------------------------------------------------ references */

/* The five-bar with every number of its table as a parameter and five costs, at a tolerance of 1e-14 of an independent
 * program: dψ/dρ of z1, z2, zq, end, blow. */
static const char five_bar[] =
    "'gravity': [0, '-g'],"
    "'parameters': { 'L01': 'sqrt(5)', 'L02': 'sqrt(4.25)', 'm1': 1, 'm2': 1.5, 'k1': 100, 'k2': 100, 'ground': -2.35,"
    "  'rest': 1, 'g': 9.81, 'LA1': 'sqrt(2)', 'L12': 'sqrt(3.25)' },"
    "'points': { 'A': { 'at': [-0.5, 0], 'fixed': true }, 'B': { 'at': [0.5, 0], 'fixed': true },"
    "  'P1': { 'at': [-1.5, -1] }, 'P2': { 'at': [0, -2], 'dof': true }, 'P3': { 'at': [1.5, -1] } },"
    "'bodies': {"
    "  'bar1': { 'type': 'bar', 'points': ['A', 'P1'], 'mass': 'm1', 'length': 'LA1' },"
    "  'bar2': { 'type': 'bar', 'points': ['P1', 'P2'], 'mass': 'm2', 'length': 'L12' },"
    "  'bar3': { 'type': 'bar', 'points': ['P2', 'P3'], 'mass': 1.5 },"
    "  'bar4': { 'type': 'bar', 'points': ['P3', 'B'], 'mass': 1 } },"
    "'joints': {"
    "  'spring1': { 'type': 'spring', 'points': ['B', 'P1'], 'stiffness': 'k1', 'length': 'L01' },"
    "  'spring2': { 'type': 'spring', 'points': ['B', 'P2'], 'stiffness': 'k2', 'length': 'L02' } },"
    "'contacts': { 'floor': { 'type': 'ground', 'points': ['P2'], 'height': 'ground', 'law': 'reset',"
    "  'restitution': 'rest' } },"
    "'costs': { 'z1': { 'running': 'vy(P2)' }, 'z2': { 'running': 'ay(P2)' },"
    "  'zq': { 'running': 'x(P1)^2 + 0.1*ax(P3)*vx(P2)' }, 'end': { 'terminal': 'x(P1)*vy(P2) + m2*vx(P3)^2' },"
    "  'blow': { 'events': { 'floor': 'm2*vy(P2)^2 + x(P3)' } } },"
    "'simulation': { 'duration': 5, 'rtol': 1e-13 }";

enum { FIVE_COSTS = 5, FIVE_WRT = 14 };

static const double five_values[FIVE_COSTS] = { -0.0176604275860, -28.6679204473, 9.49936961626, 0.631363156619,
                                                45.6974115509 };

static const struct {
    const char *wrt;
    double      d[FIVE_COSTS];
} five_gradients[FIVE_WRT] = {
    { "L01", { 1.8620512703, 100.23614387, 10.769841012, -76.819066988, -115.47526932 } },
    { "L02", { -5.7233298143, -353.41917268, 10.297379748, 254.97889769, 410.28665224 } },
    { "m1", { -0.087372973858, -5.1728355612, -0.54478253737, 3.5376414053, 6.6149614981 } },
    { "m2", { -0.12882306902, -12.521723357, 0.013548407891, 5.9800333432, 41.877028024 } },
    { "k1", { 0.00069480002678, 0.046763102137, 0.0050726294347, -0.034251222367, -0.058577556579 } },
    { "k2", { 0.0038161298773, 0.41702399692, -0.014165192901, -0.18322476711, -0.67622910657 } },
    { "ground", { -4.6994272938, -202.69252371, 6.2238083058, 204.6346571, 145.77481366 } },
    { "rest", { 0.35575784345, -172.82145969, 7.5601327414, 73.131390978, 252.25112575 } },
    { "g", { -0.15978849514, -9.4221336581, 0.069951366395, 6.8717713143, 10.875888456 } },
    { "LA1", { -1.8745603387, -97.892455932, -3.1894562853, 77.507266532, 109.55770663 } },
    { "L12", { -0.98769831861, -56.292486914, 4.454704268, 41.617108766, 68.285306896 } },
    { "initial(P2.x)", { -0.270542616, -29.834337748, 0.53607023368, 17.314723846, 42.053142672 } },
    { "initial(P2.y)", { -1.6718325393, -184.15937591, 7.5071871408, 77.257046416, 305.8183962 } },
    { "initial(P2.vx)", { -0.042511627795, -1.3950835897, -0.36800831276, 0.98338308865, 1.6811495351 } },
};

static void five_bar_wrt(asked *wrt)
{
    wrt->n = FIVE_WRT;
    for (int c = 0; c < FIVE_WRT; c++) wrt->name[c] = five_gradients[c].wrt;
}

static void five_bar_reference(void **state)
{
    rig   r = rig_load(five_bar);
    asked wrt;
    swept found;

    (void)state;
    five_bar_wrt(&wrt);
    sweep(r.model, form_opts(0), &wrt, 0, &found);
    assert_int_equal(found.status, SAL_OK);
    assert_int_equal(found.events, 9);
    for (int k = 0; k < FIVE_COSTS; k++) {
        double most = 0.0;
        for (int c = 0; c < FIVE_WRT; c++) most = fmax(most, fabs(five_gradients[c].d[k]));
        assert_near(found.value[k], five_values[k], 1e-9 * fmax(1.0, fabs(five_values[k])));
        for (int c = 0; c < FIVE_WRT; c++)
            assert_near_at(found.gradient[k * FIVE_WRT + c], five_gradients[c].d[k], 1e-8 * most, wrt.name[c], __FILE__,
                           __LINE__);
    }
    rig_free(&r);
}

/* --------------------------------------------------------------------------------- checkpoints */

/* With whatever memory there is the gradient is the same to rounding (other pivots), within it. */
static void same_with(const sal_model *model, sal_run_opts opts, const asked *wrt, const swept *all, double part,
                      double most_remade)
{
    const size_t room = (size_t)(part * (double)all->info.memory);
    swept        found;

    sweep(model, opts, wrt, room, &found);
    if (found.status != SAL_OK) fail_msg("%g of the memory: %s", part, found.says);
    assert_true(found.info.memory <= room);
    assert_int_equal(found.info.steps, all->info.steps);
    assert_true(found.info.remade > 0 && (double)found.info.remade <= most_remade * (double)found.info.steps);
    for (int k = 0; k < all->costs; k++) {
        double most = 0.0;
        for (int c = 0; c < wrt->n; c++) most = fmax(most, fabs(all->gradient[k * wrt->n + c]));
        for (int c = 0; c < wrt->n; c++)
            assert_near(found.gradient[k * wrt->n + c], all->gradient[k * wrt->n + c], 1e-9 * most);
    }
    printf("%zu of %zu bytes, %ld of %ld steps made again\n", found.info.memory, all->info.memory, found.info.remade,
           found.info.steps);
}

/* Some thousand steps and 110 bounces, of which more is kept than of steps. */
static void bounded_memory_with_events(void **state)
{
    static char text[sizeof five_bar + 64];
    asked       wrt;
    swept       all;
    rig         r;

    (void)state;
    snprintf(text, sizeof text, "%s", five_bar);
    strcpy(strstr(text, "'simulation'"), "'simulation': { 'duration': 60, 'rtol': 1e-9 }");
    r = rig_load(text);
    five_bar_wrt(&wrt);
    sweep(r.model, form_opts(0), &wrt, 0, &all);
    assert_int_equal(all.status, SAL_OK);
    assert_int_equal(all.info.remade, 0);
    same_with(r.model, form_opts(0), &wrt, &all, 0.5, 1.0);
    same_with(r.model, form_opts(0), &wrt, &all, 0.2, 2.0);
    rig_free(&r);
}

/* A pendulum of many steps: a twentieth of what there is to keep. */
static void bounded_memory_of_steps(void **state)
{
    rig          r    = rig_with_costs(SAL_SCENES_DIR, "pendulum.json");
    sal_run_opts opts = form_opts(0);
    asked        wrt;
    swept        all;

    (void)state;
    opts.max_step = 2e-4;
    opts.duration = 10.0;
    everything(r.model, true, &wrt);
    sweep(r.model, opts, &wrt, 0, &all);
    assert_int_equal(all.status, SAL_OK);
    assert_true(all.info.steps >= 50000);
    same_with(r.model, opts, &wrt, &all, 0.05, 2.0);
    rig_free(&r);
}

/* -------------------------------------------------------------------------------------- refusals */

static void refused_at_sweep(const char *scene, const char *const *wrt, int nwrt, const char *says)
{
    rig   r = rig_load(scene);
    asked all;
    swept found;

    all.n = nwrt;
    for (int c = 0; c < nwrt; c++) all.name[c] = wrt[c];
    sweep(r.model, form_opts(0), &all, 0, &found);
    assert_int_equal(found.status, SAL_ERR_NUMBER);
    assert_says(found.says, says);
    rig_free(&r);
}

static void refused_at_creation(sal_run *run, const char *const *wrt, int nwrt, const char *const *costs, int ncosts,
                                const char *says)
{
    sal_adjoint_opts o = sal_adjoint_defaults();
    sal_adjoint     *adjoint;

    o.wrt    = wrt;
    o.nwrt   = nwrt;
    o.costs  = costs;
    o.ncosts = ncosts;
    assert_int_equal(sal_adjoint_create(run, &o, &adjoint), SAL_ERR_ARGUMENT);
    assert_null(adjoint);
    assert_says(sal_message(run->context), says);
}

#define FALL(contacts, cost, max_step)                                                                          \
    "'parameters': { 'g': 9.81, 'k': 1 }, 'gravity': [0, '-g'], 'points': { 'P': { 'at': [0, 1] } },"           \
    "'bodies': { 'p': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } }" contacts ", 'costs': { 'z': { " cost \
    " } }, 'simulation': { 'duration': 0.5, 'max_step': " max_step " }"

static const char two_bounce[] = /* two balls from the same height: they land together for these parameters only */
    "'parameters': { 'a': 1, 'b': 1, 'g': 9.81 }, 'gravity': [0, '-g'],"
    "'points': { 'P': { 'at': [0, 'a'] }, 'Q': { 'at': [1, 'b'] } },"
    "'bodies': { 'p': { 'type': 'point_mass', 'point': 'P', 'mass': 1 },"
    "  'q': { 'type': 'point_mass', 'point': 'Q', 'mass': 2 } },"
    "'contacts': { 'floor': { 'type': 'ground', 'points': ['P', 'Q'], 'restitution': 0.5 } },"
    "'costs': { 'z': { 'running': 'y(P)*y(Q)' } }, 'simulation': { 'duration': 0.8 }";

/* What the scene and the settings tell is refused before anything runs. */
static void refused_before_the_run(void **state)
{
    static const char *const g = "g", *const k = "k", *const z = "z";
    sal_run_opts     opts = sal_run_defaults();
    sal_adjoint_opts o    = sal_adjoint_defaults();
    sal_adjoint     *adjoint;
    rig              r = rig_load(two_bounce);

    (void)state;
    opts.integrator = SAL_RADAU;
    rig_run(&r, &opts);
    refused_at_creation(r.run, &g, 1, &z, 1, "the integrator is radau, expected rk8 or rk5");
    sal_run_destroy(&r.run);
    opts      = sal_run_defaults();
    opts.form = SAL_INDEX3;
    rig_run(&r, &opts);
    refused_at_creation(r.run, &g, 1, &z, 1, "form index3 has no derivatives; expected index1 or penalty");
    rig_free(&r);

    r = rig_load(FALL(", 'contacts': { 'floor': { 'type': 'event', 'when': 'y(P)', 'direction': 'falling' } }",
                      "'events': { 'floor': 'ay(P)' }", "0.1"));
    rig_run(&r, NULL);
    refused_at_creation(r.run, &g, 1, &z, 1, "floor sets or costs something that reads accelerations");
    rig_free(&r);

    r = rig_load(FALL("", "'running': 'y(P)'", "'0.1*k'"));
    rig_run(&r, NULL);
    refused_at_creation(r.run, &k, 1, &z, 1, "a tolerance or step limit depends on k");
    o.wrt  = &g;
    o.nwrt = 1;
    assert_int_equal(sal_adjoint_create(r.run, &o, &adjoint), SAL_OK);
    sal_adjoint_destroy(&adjoint);
    rig_free(&r);
}

static void refusals(void **state)
{
    static const char *const a = "a", *const g = "g", *const none = "nothing", *const z = "z";
    rig              r = rig_load(two_bounce);
    sal_run_opts     opts;
    asked            all = { .n = 1, .name = { "g" } };
    swept            found;
    sal_adjoint     *adjoint;
    sal_adjoint_opts o = sal_adjoint_defaults();

    (void)state;
    refused_at_sweep(two_bounce, &a, 1, "happens together with another event");
    sweep(r.model, form_opts(0), &all, 0, &found); /* with g they go on landing together */
    assert_int_equal(found.status, SAL_OK);

    rig_run(&r, NULL);
    refused_at_creation(r.run, &none, 1, NULL, 0, "unknown parameter 'nothing'");
    refused_at_creation(r.run, &a, 1, &none, 1, "unknown cost 'nothing'; known: z");
    refused_at_creation(r.run, NULL, 0, NULL, 0, "nwrt is 0");
    o.wrt    = &g;
    o.nwrt   = 1;
    o.costs  = &z;
    o.ncosts = 1;
    o.memory = 1;
    assert_int_equal(sal_adjoint_create(r.run, &o, &adjoint), SAL_ERR_ARGUMENT);
    assert_says(sal_message(r.context), "memory of 1 bytes is too little; the least");
    o.memory = 0;
    assert_int_equal(sal_adjoint_create(r.run, &o, &adjoint), SAL_OK);
    assert_int_equal(sal_adjoint_sweep(adjoint), SAL_ERR_ARGUMENT);
    assert_says(sal_message(r.context), "nothing to sweep");
    assert_int_equal(sal_run_restart(r.run), SAL_OK); /* it must be told from its start, and stay as it was */
    assert_int_equal(sal_run_to(r.run, 0.1), SAL_OK);
    assert_int_equal(sal_simulate(r.run, (sal_reader[]){ sal_adjoint_reader(adjoint) }, 1), SAL_END);
    assert_int_equal(sal_adjoint_sweep(adjoint), SAL_ERR_ARGUMENT);
    assert_int_equal(sal_run_restart(r.run), SAL_OK);
    assert_int_equal(sal_simulate(r.run, (sal_reader[]){ sal_adjoint_reader(adjoint) }, 1), SAL_END);
    assert_int_equal(sal_run_set(r.run, "g", 9.0), SAL_OK);
    assert_int_equal(sal_adjoint_sweep(adjoint), SAL_ERR_ARGUMENT);
    assert_says(sal_message(r.context), "have been changed");
    sal_adjoint_destroy(&adjoint);
    sal_run_destroy(&r.run);

    opts      = sal_run_defaults();
    opts.wrt  = &g;
    opts.nwrt = 1;
    rig_run(&r, &opts);
    refused_at_creation(r.run, &g, 1, NULL, 0, "without sensitivities of its own");
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_scenes_agree),    cmocka_unit_test(any_tolerance),
        cmocka_unit_test(kinds_of_events),         cmocka_unit_test(differences),
        cmocka_unit_test(five_bar_reference),      cmocka_unit_test(bounded_memory_with_events),
        cmocka_unit_test(bounded_memory_of_steps), cmocka_unit_test(refusals),
        cmocka_unit_test(refused_before_the_run),  cmocka_unit_test(single_instants),
        cmocka_unit_test(knots_and_shared_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
