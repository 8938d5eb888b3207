/* test_cycle_state.c - what the state of a return map is: memory that feeds back, what is moved back and may be, the
 * phase of what drives the motion; and how cycles are found from others. Against closed forms, against each other in
 * other units and places, and against differences of cycles. */
#include "tests/cycles.h"

static void find(found *f, const char *const *wrt, int p, int steps)
{
    sal_cycle_opts opts = cycle_with_respect_to(wrt, p);

    opts.run.quiet = true;
    opts.steps     = steps;
    found_find(f, &opts);
}

static void assert_none(rig r, int steps, sal_status expected, const char *says)
{
    sal_cycle_opts opts = sal_cycle_defaults();
    sal_cycle     *c    = NULL;
    sal_status     status;

    opts.steps     = steps;
    opts.run.quiet = true;
    status         = sal_cycle_create(r.model, &opts, &c);
    if (status == SAL_OK) status = sal_cycle_find(c);
    assert_int_equal(status, expected);
    assert_says(sal_message(r.context), says);
    sal_cycle_destroy(&c);
    rig_free(&r);
}

/* ------------------------------------------------------------------------------------------ memory */

/* A point that is thrown up from y = 0 again and again under gravity 1; with u the speed upwards a flight takes 2 u. */
static rig thrown(const char *memory, const char *law, const char *more)
{
    char text[1600];

    snprintf(text, sizeof text,
             "'gravity': [0, -1], 'parameters': { 'r': 1.7, 'a': 0.3 }, 'memory': { %s },"
             "'points': { 'P': { 'at': [0, 0], 'velocity': [0, 0.4] } },"
             "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
             "'contacts': { 'floor': { 'type': 'event', 'when': 'y(P)', 'set': { %s, 'vx(P)': '-a*x(P)' } } },"
             "'cycle': { 'section': 'floor' }, 'simulation': { 'duration': 20 }%s",
             memory, law, more);
    return rig_load(text);
}

/* The delayed logistic map u -> r u (1 - w), w -> u with w in memory: u = w = 1 - 1/r, trace 1, determinant r - 1. */
static const char DELAYED[] = "'vy(P)': '-r*vy(P)*(1 - w)', 'w': '-vy(P)'";

static void test_delayed(void **state)
{
    static const char *const wrt[] = { "r", "a" };
    const double             r = 1.7, u = 1.0 - 1.0 / r;
    found                    f = { .r = thrown("'w': 0.4", DELAYED, "") };
    double                   P[25];

    (void)state;
    find(&f, wrt, 2, 1);
    assert_int_equal(sal_cycle_get_info(f.c).memory, 1);
    assert_int_equal(sal_cycle_get_info(f.c).unknowns, 5);
    assert_string_equal(sal_cycle_memory(f.c, 0), "w");
    assert_null(sal_cycle_memory(f.c, 1));
    assert_null(sal_cycle_memory(f.c, -1));
    assert_near(sal_cycle_get_info(f.c).period, 2.0 * u, 1e-12);
    assert_near(sal_cycle_start(f.c)[3], u, 1e-11);
    assert_near(sal_cycle_start(f.c)[4], u, 1e-11);
    assert_near(sal_cycle_start_gradients(f.c)[3 * 2], 1.0 / (r * r), 1e-10);
    assert_near(sal_cycle_start_gradients(f.c)[4 * 2], 1.0 / (r * r), 1e-10);
    assert_near(sal_cycle_period_gradient(f.c)[0], 2.0 / (r * r), 1e-10);
    assert_multiplier(f.c, 0, 0.5, sqrt(r - 1.25), 1e-10);
    sal_cycle_monodromy(f.c, P);
    assert_near(P[3 * 5 + 4], -r * u, 1e-10);                        /* du/dw */
    assert_near(P[4 * 5 + 3], 1.0, 1e-10);                           /* dw/du */
    assert_int_equal(sal_cycle_set(f.c, "initial(w)", 0.5), SAL_OK); /* another guess */
    assert_int_equal(sal_cycle_set(f.c, "r", 1.9), SAL_OK);
    assert_int_equal(sal_cycle_find(f.c), SAL_OK);
    assert_near(sal_cycle_start(f.c)[4], 1.0 - 1.0 / 1.9, 1e-10);
    found_free(&f);
}

/* Random linear maps, u -> c + a u + b w, w -> f + d u + h w with w in memory: the start, its derivatives and both
 * multipliers, from one to the next. */
static void test_random_maps(void **state)
{
    static const char *const wrt[] = { "a", "b", "c", "d", "h", "f" };
    uint64_t                 seed  = 11;
    found                    m     = { .r = rig_load(
                                           "'gravity': [0, -1], 'parameters': { 'a': 0.2, 'b': 0.1, 'c': 1, 'd': 0.3, 'h': 0.1, 'f': 0.2 },"
                                                                  "'memory': { 'w': 0 }, 'points': { 'P': { 'at': [0, 0], 'velocity': [0, 1] } },"
                                                                  "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                                                                  "'contacts': { 'floor': { 'type': 'event', 'when': 'y(P)', 'set': { 'vx(P)': '-0.1*x(P)',"
                                                                  "  'vy(P)': 'c - a*vy(P) + b*w', 'w': 'f - d*vy(P) + h*w' } } },"
                                                                  "'cycle': { 'section': 'floor' }, 'simulation': { 'duration': 100 }") };

    (void)state;
    find(&m, wrt, 6, 1);
    for (int i = 0; i < 60; i++) {
        double rho[6], det, u, w, half, root, larger, mu[2];
        for (int k = 0; k < 6; k++) {
            rho[k] = k == 2 ? 2.0 + random_number(&seed) : 0.45 * random_number(&seed);
            assert_int_equal(sal_cycle_set(m.c, wrt[k], rho[k]), SAL_OK);
        }
        if (sal_cycle_find(m.c) != SAL_OK) fail_msg("%s", sal_message(m.r.context));
        det = (1.0 - rho[0]) * (1.0 - rho[4]) - rho[1] * rho[3];
        u   = ((1.0 - rho[4]) * rho[2] + rho[1] * rho[5]) / det;
        w   = (rho[3] * rho[2] + (1.0 - rho[0]) * rho[5]) / det;
        assert_near(sal_cycle_start(m.c)[3], u, 1e-10);
        assert_near(sal_cycle_start(m.c)[4], w, 1e-10);
        for (int k = 0; k < 6; k++) { /* (I - A) (u', w') = the change of the right-hand side */
            const double by = k % 3 == 0 ? u : k % 3 == 1 ? w : 1.0, *row = sal_cycle_start_gradients(m.c);
            assert_near(row[3 * 6 + k], by * (k < 3 ? 1.0 - rho[4] : rho[1]) / det, 1e-9);
            assert_near(row[4 * 6 + k], by * (k < 3 ? rho[3] : 1.0 - rho[0]) / det, 1e-9);
        }
        half   = 0.5 * (rho[0] + rho[4]);
        root   = half * half - rho[0] * rho[4] + rho[1] * rho[3];
        larger = root < 0.0 ? sqrt(half * half - root) : fabs(half) + sqrt(root);
        larger = fmax(larger, fabs(1.0 - 0.2 * u)); /* sideways x -> (1 - 0.1 T) x */
        assert_true(sal_cycle_multiplier(m.c, 0, mu));
        assert_near(hypot(mu[0], mu[1]), larger, 1e-7);
    }
    found_free(&m);
}

typedef struct branch {
    int    torus, others;
    double at;
} branch;

static void note(void *user, const sal_cycle_point *point)
{
    branch *b = user;

    b->torus += point->kind == SAL_TORUS;
    b->others += point->kind != SAL_TORUS && point->kind != SAL_NO_BIFURCATION;
    if (point->kind == SAL_TORUS) b->at = point->parameter;
}

/* Its pair leaves the unit circle at r = 2. */
static void test_follow_memory(void **state)
{
    static const char *const wrt[] = { "a", "r" };
    found                    f     = { .r = thrown("'w': 0.4", DELAYED, "") };
    branch                   b     = { 0 };
    sal_follow_opts          way   = sal_follow_defaults();

    (void)state;
    way.from   = 1.7;
    way.to     = 2.2;
    way.report = note;
    way.user   = &b;
    find(&f, wrt, 2, 1);
    assert_int_equal(sal_cycle_follow(f.c, "r", &way), SAL_OK);
    assert_int_equal(b.torus, 1);
    assert_int_equal(b.others, 0);
    assert_near(b.at, 2.0, 1e-8);
    found_free(&f);
}

/* What nothing reads is no part of the state; what conditions read must come back; what grows never does. */
static void test_kinds_of_memory(void **state)
{
    const char *const law = "'vy(P)': '-r*vy(P)*(1 + vy(P))', 'n': 'n + 1'";
    found             f   = { .r = thrown("'n': 0", law, ", 'outputs': { 'hops': 'n' }") };

    (void)state;
    find(&f, NULL, 0, 1);
    assert_int_equal(sal_cycle_get_info(f.c).memory, 0);
    assert_int_equal(sal_cycle_set(f.c, "initial(n)", 3.0), SAL_ERR_ARGUMENT);
    assert_says(sal_message(f.r.context), "is no part of the state");
    assert_multiplier(f.c, 1, 0.3, 0.0, 1e-10); /* 2 - r */
    found_free(&f);
    assert_none(thrown("'n': 0", "'vy(P)': '-r*vy(P)*(1 + vy(P)) + 0.01*n', 'n': 'n + 1'", ""), 1, SAL_ERR_CYCLE,
                "there is no cycle: the memory 'n' changes by 1 with every return");
    assert_none(thrown("'n': 0", "'vy(P)': '-if(n < 99, r, 2)*vy(P)*(1 + vy(P))', 'n': 'n + 1'", ""), 1, SAL_ERR_CYCLE,
                "the memory 'n'");
}

/* Left and right in turn, u -> c + e u with c by which: with two steps it comes back, with one it does not. By value the
 * toggle is a coordinate like others, with a multiplier of its own; by conditions it has none. */
static void test_toggle(void **state)
{
    const char *const law = "'vy(P)': 'if(right > 0.5, 0.5, 0.3) - 0.4*vy(P)', 'right': '1 - right'";
    const double      e = 0.4, u = (0.5 + 0.3 * e) / (1.0 - e * e); /* after the right */
    found             f = { .r = thrown("'right': 0", law, "") };

    (void)state;
    find(&f, NULL, 0, 2);
    assert_int_equal(sal_cycle_get_info(f.c).shortest, 2);
    assert_int_equal(sal_cycle_get_info(f.c).memory, 1);
    assert_int_equal(sal_cycle_get_info(f.c).unknowns, 4);
    assert_true(sal_cycle_start(f.c)[4] == 0.0 || sal_cycle_start(f.c)[4] == 1.0);
    assert_true(sal_cycle_get_info(f.c).stable);
    assert_near(sal_cycle_get_info(f.c).period, 2.0 * (u + (0.3 + e * u)), 1e-10);
    assert_multiplier(f.c, 1, e * e, 0.0, 1e-10);
    found_free(&f);
    assert_none(thrown("'right': 0", law, ""), 1, SAL_ERR_CYCLE, "the memory 'right', which goes from");
}

/* ------------------------------------------------------------------------------------------ hopper */

/* A hopper on a spring whose angle at touch-down is set at the apex, alpha = alpha0 + K (y - 0.97). In other units of
 * length, moved, mirrored; alpha may be set, or be the same number made up. */
typedef struct hopper {
    double unit, at;
    int    way; /* +1: to the right */
    double K;
} hopper;

static rig hopper_load(hopper h, const char *origin)
{
    char text[2400];

    snprintf(
        text, sizeof text,
        "'parameters': { 'U': %.17g, 'D': %d, 'X': %.17g, 'K': %.17g, 'k': 20000, 'm': 80, 'alpha0': '68*pi/180' },"
        "'gravity': [0, '-9.81*U'], 'memory': { 'stance': 0, 'fx': 'X', 'alpha': 'alpha0' },"
        "'points': { 'B': { 'at': ['X', '0.97*U'], 'velocity': ['4.60472189861*D*U', 0] },"
        "            'S': { 'at': ['fx', 0], 'fixed': true } },"
        "'bodies': { 'body': { 'type': 'point_mass', 'point': 'B', 'mass': 'm' } },"
        "'joints': { 'leg': { 'type': 'spring', 'points': ['S', 'B'], 'force': 'stance*k*(length - U)' } },"
        "'contacts': { 'touchdown': { 'type': 'event', 'when': 'y(B) - U*sin(alpha)', 'guard': 'stance < 0.5',"
        "    'set': { 'stance': 1, 'fx': 'if(stance > 0.5, fx, x(B) + D*U*cos(alpha))' } },"
        "  'liftoff': { 'type': 'event', 'when': 'distance(S, B) - U', 'direction': 'rising', 'guard': 'stance > "
        "0.5', 'set': { 'stance': 0 } },"
        "  'apex': { 'type': 'event', 'when': 'vy(B)', 'guard': 'stance < 0.5', 'set': { 'alpha': 'alpha0 + "
        "K*(y(B)/U - 0.97)' } },"
        "  'fall': { 'type': 'event', 'when': 'y(B) - 0.3*U', 'stop': true } },"
        "'cycle': { 'section': 'apex', 'origin': %s }, 'simulation': { 'duration': 5, 'rtol': 1e-12 }",
        h.unit, h.way, h.at, h.K, origin);
    return rig_load(text);
}

static void test_hoppers(void **state)
{
    static const char *const wrt[] = { "k", "K" };
    found                    f     = { .r = hopper_load((hopper){ 1.0, 0.0, 1, 0.3 }, "{ 'x': 'B' }") };
    double                   mu[2], period[2], gradient[2];

    (void)state;
    find(&f, wrt, 2, 1);
    assert_multiplier(f.c, 0, 1.0, 0.0, 1e-9);
    assert_true(sal_cycle_multiplier(f.c, 1, mu));
    assert_near(mu[0], 0.2747, 1e-4);
    assert_near(sal_cycle_get_info(f.c).advance[0], 1.6096474172, 1e-8);
    assert_near(sal_cycle_get_info(f.c).advance[1], 0.0, 0.0);
    period[0]   = sal_cycle_get_info(f.c).period;
    gradient[0] = sal_cycle_period_gradient(f.c)[0];
    gradient[1] = sal_cycle_period_gradient(f.c)[1];
    found_free(&f);
    for (int i = 0; i < 12; i++) {
        const hopper h = { i % 2 ? 1000.0 : 1.0, i % 3 == 2 ? 7.3 : i % 3 == 1 ? -40.0 : 0.0, i < 6 ? 1 : -1, 0.3 };
        f.r            = hopper_load(h, "{ 'x': 'B' }");
        find(&f, wrt, 2, 1);
        assert_multiplier(f.c, 0, 1.0, 0.0, 1e-9);
        assert_multiplier(f.c, 1, mu[0], 0.0, 1e-8);
        period[1] = sal_cycle_get_info(f.c).period;
        assert_near(period[1], period[0], 1e-9);
        assert_near(sal_cycle_get_info(f.c).advance[0], h.way * h.unit * 1.6096474172, 1e-7 * h.unit);
        if (h.at == 0.0) { /* of the nearest of the family, by the sizes of the state: the place is one */
            assert_near(sal_cycle_period_gradient(f.c)[0], gradient[0], 1e-6 * fabs(gradient[0]));
            assert_near(sal_cycle_period_gradient(f.c)[1], gradient[1], 1e-9); /* at 0.97 K does not matter */
        }
        found_free(&f);
    }
    f.r = hopper_load((hopper){ 1.0, 0.0, 1, 0.0 }, "{ 'x': 'B' }");
    find(&f, NULL, 0, 1);
    assert_multiplier(f.c, 1, 0.6776, 0.0, 1e-4);
    found_free(&f);
}

/* The same cycle through another section; it has no state in memory there that it did not have here. */
static void test_other_section(void **state)
{
    found apex = { .r = rig_test_scene("hopper_angle_feedback.json") },
          lift = { .r = rig_test_scene("hopper_angle_from_liftoff.json") };
    double mu[2];

    (void)state;
    find(&apex, NULL, 0, 1);
    find(&lift, NULL, 0, 1);
    assert_true(sal_cycle_multiplier(apex.c, 1, mu));
    assert_near(mu[0], 0.2747, 1e-4);
    assert_multiplier(lift.c, 1, mu[0], 0.0, 1e-8);
    assert_multiplier(lift.c, 0, 1.0, 0.0, 1e-8);
    assert_near(sal_cycle_get_info(lift.c).period, sal_cycle_get_info(apex.c).period, 1e-9);
    found_free(&apex);
    found_free(&lift);
    assert_none(rig_test_scene("hopper_stiffening.json"), 1, SAL_ERR_CYCLE,
                "there is no cycle: the memory 'hop' changes by 1");
}

/* The multiplier by differences of the map itself: a start next to the cycle, with the same energy, hop by hop. */
static double next_height(rig *r, double y, double alpha, double energy, double *next_alpha)
{
    sal_status status;

    assert_int_equal(sal_run_set(r->run, "initial(B.y)", y), SAL_OK);
    assert_int_equal(sal_run_set(r->run, "initial(B.vx)", sqrt(2.0 * (energy - 9.81 * y))), SAL_OK);
    assert_int_equal(sal_run_set(r->run, "initial(alpha)", alpha), SAL_OK);
    assert_int_equal(sal_run_restart(r->run), SAL_OK);
    do {
        status = sal_run_step(r->run);
        assert_true(status == SAL_OK || status == SAL_EVENT);
    } while (status != SAL_EVENT || strcmp(sal_run_event(r->run).name, "apex") != 0 || sal_run_time(r->run) < 0.1);
    *next_alpha = rig_probe(r, "alpha");
    return sal_run_q(r->run)[1];
}

static void test_multiplier_by_hops(void **state)
{
    found        f    = { .r = hopper_load((hopper){ 1.0, 0.0, 1, 0.3 }, "{ 'x': 'B' }") };
    sal_run_opts opts = sal_run_defaults();
    double       mu[2], y, v, alpha, energy, up, down, other, to[2];

    (void)state;
    find(&f, NULL, 0, 1);
    y      = sal_cycle_start(f.c)[1];
    v      = sal_cycle_start(f.c)[2];
    energy = 9.81 * y + 0.5 * v * v;
    alpha  = 68.0 * PI / 180.0 + 0.3 * (y - 0.97);
    rig_run(&f.r, &opts);
    up   = next_height(&f.r, y + 1e-5, alpha + 0.3 * 1e-5, energy, &to[0]);
    down = next_height(&f.r, y - 1e-5, alpha - 0.3 * 1e-5, energy, &to[1]);
    assert_true(sal_cycle_multiplier(f.c, 1, mu));
    assert_near((up - down) / 2e-5, mu[0], 1e-5);
    assert_near((to[0] - to[1]) / 2e-5, 0.3 * mu[0], 1e-5);
    other = next_height(&f.r, y, alpha, energy, &to[0]);
    assert_near(other, y, 1e-9);
    found_free(&f);
}

/* A walker whose feet stand where memory says: in millimetres, elsewhere on the slope, to the left, all the same. Places
 * in memory move and are exchanged like its feet. */
static void test_walker_anywhere(void **state)
{
    static const char *const wrt[]  = { "g", "mh" };
    static const double      unit[] = { 1.0, 1000.0, 1.0, 0.01 }, way[] = { 1.0, 1.0, -1.0, -1.0 },
                        down[] = { 0.0, 3.0, 40.0, -5.0 };
    found own                  = { .r = rig_scene("kneed_walker.json") };

    (void)state;
    find(&own, wrt, 2, 1);
    for (int i = 0; i < SAL_COUNT(unit); i++) {
        const sal_setting set[] = { { "U", unit[i] }, { "M", way[i] }, { "d", down[i] } };
        sal_cycle_opts    opts  = sal_cycle_defaults();
        found             f     = { .r = rig_test_scene("kneed_walker_anywhere.json") };
        sal_cycle_info    a     = sal_cycle_get_info(own.c), b;
        opts.run.set            = set;
        opts.run.nset           = 3;
        opts.run.wrt            = wrt;
        opts.run.nwrt           = 2;
        assert_int_equal(sal_cycle_create(f.r.model, &opts, &f.c), SAL_OK);
        if (sal_cycle_find(f.c) != SAL_OK) fail_msg("%d: %s", i, sal_message(f.r.context));
        b = sal_cycle_get_info(f.c);
        assert_int_equal(b.memory, 4);
        assert_int_equal(b.multipliers, a.multipliers);
        for (int k = 0; k < a.multipliers; k++) {
            double mu[2];
            assert_true(sal_cycle_multiplier(own.c, k, mu));
            assert_multiplier(f.c, k, mu[0], fabs(mu[1]), 1e-9);
        }
        assert_near(b.period, a.period, 1e-10);
        assert_near(b.length, a.length * unit[i], 1e-10 * unit[i]);
        assert_near(b.advance[0], way[i] * a.advance[0] * unit[i], 1e-10 * unit[i]);
        for (int k = 0; k < 2; k++) {
            assert_near(sal_cycle_period_gradient(f.c)[k], sal_cycle_period_gradient(own.c)[k], 1e-9);
            assert_near(sal_cycle_length_gradient(f.c)[k], unit[i] * sal_cycle_length_gradient(own.c)[k],
                        1e-9 * unit[i]);
        }
        found_free(&f);
    }
    found_free(&own);
}

/* ------------------------------------------------------------------------------------- moved back */

static void test_origin(void **state)
{
    (void)state;
    assert_none(hopper_load((hopper){ 1.0, 0.0, 1, 0.0 }, "'B'"), 1, SAL_ERR_SCENE,
                "cycle.origin: everything is brought back along");
    assert_none(hopper_load((hopper){ 1.0, 0.0, 1, 0.0 }, "'B'"), 1, SAL_ERR_SCENE, "the event 'touchdown' notices");
    assert_none(hopper_load((hopper){ 1.0, 0.0, 1, 0.0 }, "{ 'y': 'B' }"), 1, SAL_ERR_SCENE, "notices");
    assert_none(rig_test_scene("hopper_origin.json"), 1, SAL_ERR_SCENE, "such as \"origin\": { \"x\": \"B\" }");
}

static const char *const ROLLER =
    "'gravity': [0, -1], 'parameters': { 'r': 0.5, 'w': 0.7 },"
    "'points': { 'P': { 'at': [0.1, 0], 'velocity': [0.2, 3] }, 'O': { 'at': [0, 0], 'fixed': true } },"
    "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } }, %s"
    "'contacts': { 'floor': { 'type': 'event', 'when': 'y(P)%s', 'set': { 'vy(P)': '2 - r*vy(P)', 'vx(P)': 'w%s' } } },"
    "'cycle': { 'section': 'floor', 'origin': { 'x': 'P' } }, 'simulation': { 'duration': 20 }%s";

static rig roller(const char *joints, const char *when, const char *speed, const char *more)
{
    char text[1600];

    snprintf(text, sizeof text, ROLLER, joints, when, speed, more);
    return rig_load(text);
}

/* What makes one place different from another is named. */
static void test_what_notices(void **state)
{
    found f = { .r = roller("", "", "', 'last': 'x(P)",
                            ", 'memory': { 'last': 0 }, 'outputs': { 'place': 'x(P) - last' }") };

    (void)state;
    find(&f, NULL, 0, 1); /* an output may tell where it is, and memory that nothing else reads */
    assert_near(sal_cycle_get_info(f.c).length, 0.7 * 8.0, 1e-10);
    found_free(&f);
    assert_none(roller("", "", " + 0.01*x(P)", ""), 1, SAL_ERR_SCENE, "the velocity that 'floor' sets notices");
    assert_none(roller("", " - 0.02*x(P)", "", ""), 1, SAL_ERR_SCENE, "the event 'floor' notices");
    assert_none(roller("'joints': { 's': { 'type': 'spring', 'points': ['O', 'P'], 'stiffness': 0.01, 'length': 0 } },",
                       "", "", ""),
                1, SAL_ERR_SCENE, "the acceleration of");
}

/* A disc that rolls, by its rate or by its angle, which counts turns: a turn on, everything is as it was. */
static rig disc(const char *joint, const char *more)
{
    char text[1600];

    snprintf(
        text, sizeof text,
        "'parameters': { 'R': 0.5, 'M': 2 }, 'points': { 'C': { 'at': [0, 'R'], 'velocity': [2, 0] },"
        "  'Q': { 'at': [0, '2*R'] } },"
        "'bodies': { 'disc': { 'type': 'rigid', 'points': ['C', 'Q'], 'mass': 2, 'centre': [0.1, 0], 'inertia': 0.3,"
        "  'length': 'R' } },"
        "'joints': { 'roll': { %s }, 'motor': { 'type': 'torque', 'body': 'disc', 'torque': '-M - 0.4*rate(disc)' } },"
        "'contacts': { 'top': { 'type': 'event', 'when': 'x(Q) - x(C)', 'direction': 'rising' }%s },"
        "'cycle': { 'section': 'top', 'origin': { 'x': 'C' } }, 'simulation': { 'duration': 20 }",
        joint, more);
    return rig_load(text);
}

static void test_rolling(void **state)
{
    static const char *const by_rate  = "'type': 'rolling', 'point': 'C', 'body': 'disc', 'radius': 'R'";
    static const char *const by_angle = "'type': 'formula', 'rows': ['x(C) + R*(angle(disc) - pi/2)', 'y(C) - R']";
    static const char *const wrt[]    = { "R", "M" };
    found                    f = { .r = disc(by_rate, "") }, g = { .r = disc(by_angle, "") };
    double                   mu[2];

    (void)state;
    find(&f, wrt, 2, 1);
    find(&g, wrt, 2, 1);
    assert_true(sal_cycle_multiplier(f.c, 0, mu));
    assert_true(mu[0] > 0.1 && mu[0] < 0.9);
    assert_multiplier(g.c, 0, mu[0], 0.0, 1e-9);
    assert_near(sal_cycle_get_info(g.c).period, sal_cycle_get_info(f.c).period, 1e-10);
    assert_near(sal_cycle_get_info(f.c).length, PI, 1e-10);
    assert_near(sal_cycle_get_info(g.c).length, PI, 1e-10);
    assert_near(sal_cycle_length_gradient(f.c)[0], 2.0 * PI, 1e-9);
    for (int k = 0; k < 2; k++) assert_near(sal_cycle_period_gradient(g.c)[k], sal_cycle_period_gradient(f.c)[k], 1e-9);
    found_free(&f);
    found_free(&g);
    assert_none(disc(by_angle, ", 'post': { 'type': 'event', 'when': 'x(C) - 30', 'direction': 'rising' }"), 1,
                SAL_ERR_SCENE, "the event 'post' notices");
    assert_none(disc(by_rate, ", 'late': { 'type': 'event', 'when': 'angle(disc) + 30' }"), 1, SAL_ERR_SCENE,
                "the event 'late' notices");
}

static void assert_bad(const char *cycle, const char *says)
{
    char         text[600];
    sal_context *context;
    sal_scene   *scene;

    snprintf(
        text, sizeof text,
        "{ 'saltus': 1, 'parameters': { 'T': 2 }, 'memory': { 'a': 0, 'b': 1 }, 'points': { 'P': { 'at': [0, 1] } },"
        "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
        "'contacts': { 'floor': { 'type': 'event', 'when': 'y(P)', 'set': { 'a': 'b', 'b': 'a' } } },\n'cycle': %s }",
        cycle);
    in_quotes(text);
    assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
    assert_int_equal(sal_scene_parse(context, "bad", text, strlen(text), &scene), says ? SAL_ERR_SCENE : SAL_OK);
    if (says) assert_says(sal_message(context), says);
    if (says) assert_int_equal(sal_error_count(context), 1);
    sal_scene_destroy(&scene);
    sal_context_destroy(&context);
}

static void test_bad_sections(void **state)
{
    (void)state;
    assert_bad("{ 'section': 'floor', 'origin': { 'x': 'P' }, 'exchange': { 'a': 'b', 'b': 'a' } }", NULL);
    assert_bad("{ 'period': '2*T', 'origin': { '//': 'no x', 'y': 'P' } }", NULL);
    assert_bad("{ 'origin': { 'z': 'P' } }", "cycle.origin: unknown key 'z'; known here: x, y");
    assert_bad("{ 'origin': { 'x': 3 } }", "expected a name, found a number");
    assert_bad("{ 'origin': { 'x': 'Q' } }", "bad:2:29: cycle.origin: unknown point 'Q'");
    assert_bad("{ 'origin': 3 }", "expected a name or an object");
    assert_bad("{ 'period': 'T*t' }", "depends on t");
    assert_bad("{ 'period': 'T + a' }", "the period depends on memory");
    assert_bad("{ 'period': 'T', 'section': 'floor' }", "with a section or after a period, not with both");
    assert_bad("{ 'exchange': { 'a': 'P', 'P': 'a' } }", "'a' is memory; expected a name in 'memory', found 'P'");
    assert_bad("{ 'exchange': { 'a': 'b' } }", "'b' takes the role of 'a' and keeps its own");
    assert_bad("{ 'exchange': { 'P': 'a' } }", "unknown point 'a'");
}

/* ------------------------------------------------------------------------------------------ period */

/* A mass on a spring and a damper, x'' + c x' + k x = cos(w t): x = Re(e^(i w t)/(k - w^2 + i c w)), multipliers
 * e^(s T) with s^2 + c s + k = 0. */
static const char OSCILLATOR[] =
    "'gravity': [0, 0], 'parameters': { 'k': 2, 'c': 0.3, 'w': 1.1 },"
    "'points': { 'P': { 'at': [0.3, 0], 'velocity': [0.1, 0] }, 'O': { 'at': [0, 0], 'fixed': true }, 'X': { 'at': [1, "
    "0],"
    "  'fixed': true } },"
    "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
    "'joints': { 'line': { 'type': 'slot', 'point': 'P', 'line': ['O', 'X'] },"
    "            'pull': { 'type': 'force', 'point': 'P', 'fx': 'cos(w*t) - k*x(P) - c*vx(P)', 'fy': '0' } },"
    "'costs': { 'square': { 'running': 'x(P)^2' } }, 'cycle': { 'period': '2*pi/w' }";

static void steady(const double *rho, double *x, double *v, double *square)
{
    const double k = rho[0], c = rho[1], w = rho[2], re = k - w * w, im = c * w, size = re * re + im * im;

    *x      = re / size;
    *v      = w * im / size;
    *square = PI / w / size; /* of amplitude 1/sqrt(size), over 2 pi/w */
}

static void test_oscillator(void **state)
{
    static const char *const wrt[] = { "k", "c", "w" };
    const double             rho[] = { 2.0, 0.3, 1.1 }, T = 2.0 * PI / 1.1, decay = exp(-0.15 * T);
    const double             turn = T * sqrt(2.0 - 0.15 * 0.15);

    (void)state;
    for (int steps = 1; steps <= 2; steps++) {
        found  f = { .r = rig_load(OSCILLATOR) };
        double x, v, square;
        find(&f, wrt, 3, steps);
        steady(rho, &x, &v, &square);
        assert_null(sal_cycle_get_info(f.c).section);
        assert_int_equal(sal_cycle_get_info(f.c).shortest, 1);
        assert_near(sal_cycle_get_info(f.c).period, steps * T, 1e-13);
        assert_near(sal_cycle_start(f.c)[0], x, 1e-11);
        assert_near(sal_cycle_start(f.c)[2], v, 1e-11);
        assert_near(sal_cycle_costs(f.c)[0], steps * square, 1e-10);
        assert_multiplier(f.c, 0, pow(decay, steps) * cos(steps * turn), pow(decay, steps) * fabs(sin(steps * turn)),
                          1e-10);
        for (int j = 0; j < 3; j++) { /* complex steps would do as well; the formulas are smooth */
            double at[3], d[3] = { 0 };
            for (int i = 0; i < 4; i++) {
                static const double offset[] = { -2.0, -1.0, 1.0, 2.0 }, weight[] = { 1.0, -8.0, 8.0, -1.0 };
                memcpy(at, rho, sizeof at);
                at[j] += 1e-3 * offset[i];
                steady(at, &x, &v, &square);
                d[0] += weight[i] * x / 12e-3;
                d[1] += weight[i] * v / 12e-3;
                d[2] += weight[i] * square / 12e-3;
            }
            assert_near(sal_cycle_start_gradients(f.c)[0 * 3 + j], d[0], 1e-9 * (1.0 + fabs(d[0])));
            assert_near(sal_cycle_start_gradients(f.c)[2 * 3 + j], d[1], 1e-9 * (1.0 + fabs(d[1])));
            assert_near(sal_cycle_cost_gradients(f.c)[j], steps * d[2], 1e-9 * (1.0 + fabs(steps * d[2])));
        }
        assert_near(sal_cycle_period_gradient(f.c)[2], -steps * T / 1.1, 1e-12);
        found_free(&f);
    }
}

/* A crank that a motor turns: its angle goes on by whole turns, and the driver says so too. */
static const char CRANK[] =
    "'parameters': { 'w': 3, 'c': 0.8 },"
    "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'A': { 'at': [0.5, 0] }, 'B': { 'at': [0.5, -1] } },"
    "'bodies': { 'crank': { 'type': 'bar', 'points': ['O', 'A'], 'mass': 1 }, 'arm': { 'type': 'bar', 'points': ['A', "
    "'B'],"
    "  'mass': 1 } },"
    "'joints': { 'motor': { 'type': 'driver', 'of': 'angle(crank)', 'value': 'w*t%s' },"
    "  'friction': { 'type': 'torque', 'body': 'arm', 'torque': '-c*rate(arm)' } },"
    "%s 'cycle': { 'period': '2*pi/w*%s' }";

static rig crank(const char *drive, const char *more, const char *factor)
{
    char text[1600];

    snprintf(text, sizeof text, CRANK, drive, more, factor);
    return rig_load(text);
}

static void test_whole_turns(void **state)
{
    found        f    = { .r = crank(" + 0.2*sin(2*w*t)", "", "1") }, g;
    sal_run_opts opts = sal_run_defaults();

    (void)state;
    find(&f, NULL, 0, 1);
    assert_true(sal_cycle_get_info(f.c).stable);
    opts.duration = 40.0 * PI;
    opts.rtol     = 1e-12;
    rig_run(&f.r, &opts);
    while (sal_run_step(f.r.run) == SAL_OK) continue;
    for (int k = 0; k < 4; k++) assert_near(sal_run_q(f.r.run)[k], sal_cycle_start(f.c)[k], 1e-8);
    for (int k = 0; k < 4; k++) assert_near(sal_run_v(f.r.run)[k], sal_cycle_start(f.c)[4 + k], 1e-8);
    g.r = crank(" + 0.2*sin(2*w*t)", "", "2"); /* two turns are a period as well */
    find(&g, NULL, 0, 1);
    for (int k = 0; k < 4; k++) assert_near(sal_cycle_start(g.c)[k], sal_cycle_start(f.c)[k], 1e-10);
    found_free(&f);
    found_free(&g);
}

static void test_no_period(void **state)
{
    char text[1600];

    (void)state;
    assert_none(crank(" + 0.2*sin(0.7*t)", "", "1"), 1, SAL_ERR_SCENE, "cycle.period: ");
    assert_none(crank(" + 0.2*sin(0.7*t)", "", "1"), 1, SAL_ERR_SCENE, "is not the same 2.0943951 s later");
    assert_none(crank("", "'contacts': { 'late': { 'type': 'event', 'when': '20 - t', 'stop': true } },", "1"), 1,
                SAL_ERR_SCENE, "the event 'late' is not the same");
    assert_none(crank("", "'contacts': { 'far': { 'type': 'event', 'when': '50 - angle(crank)' } },", "1"), 1,
                SAL_ERR_SCENE, "the event 'far'");
    assert_none(crank("", "'contacts': { 'soon': { 'type': 'event', 'when': '1 - t', 'stop': true } },", "1"), 1,
                SAL_ERR_CYCLE, "soon ends the motion at t = 1 s, before its period of 2.09");
    assert_none(crank("", "", "0"), 1, SAL_ERR_SCENE, "cycle.period");
    snprintf(text, sizeof text, "%s", OSCILLATOR);
    memcpy(strstr(text, "'2*pi/w'"), "'3*pi/w'", 8);
    assert_none(rig_load(text), 1, SAL_ERR_SCENE, "the acceleration of x(P)");
}

/* The shipped machine: its derivatives against differences of cycles, with events that move and a period that does. */
static void test_driven_slider_crank(void **state)
{
    static const char *const wrt[] = { "speed", "r", "gap", "k_block", "coupling", "J" };
    static const double      at[]  = { 20.0, 0.05, 0.02, 3000.0, 40.0, 0.02 };
    enum { P = SAL_COUNT(wrt) };
    found f = { .r = rig_scene("driven_slider_crank.json") }, d = { .r = rig_scene("driven_slider_crank.json") };

    (void)state;
    find(&f, wrt, P, 1);
    find(&d, NULL, 0, 1);
    assert_true(sal_cycle_get_info(f.c).stable);
    assert_multiplier(f.c, 0, 0.0231606145, 0.0115426058, 1e-9);
    for (int j = 0; j < P; j++) {
        static const double offset[] = { -2.0, -1.0, 1.0, 2.0 }, weight[] = { 1.0, -8.0, 8.0, -1.0 };
        const double        h         = 1e-3 * at[j];
        double              start[12] = { 0 }, output[4] = { 0 }, cost[2] = { 0 }, period = 0.0;
        for (int i = 0; i < 4; i++) {
            const double w = weight[i] / (12.0 * h);
            assert_int_equal(sal_cycle_set(d.c, wrt[j], at[j] + offset[i] * h), SAL_OK);
            if (sal_cycle_find(d.c) != SAL_OK) fail_msg("%s", sal_message(d.r.context));
            period += w * sal_cycle_get_info(d.c).period;
            for (int k = 0; k < 12; k++) start[k] += w * sal_cycle_start(d.c)[k];
            for (int k = 0; k < 4; k++) output[k] += w * sal_cycle_outputs(d.c)[k];
            for (int k = 0; k < 2; k++) cost[k] += w * sal_cycle_costs(d.c)[k];
        }
        assert_int_equal(sal_cycle_set(d.c, wrt[j], at[j]), SAL_OK);
        assert_near(sal_cycle_period_gradient(f.c)[j] * at[j], period * at[j], 1e-10);
        for (int k = 0; k < 12; k++) /* changes for a change of the parameter by its own size */
            assert_near(sal_cycle_start_gradients(f.c)[k * P + j] * at[j], start[k] * at[j], 2e-7);
        for (int k = 0; k < 4; k++)
            assert_near(sal_cycle_output_gradients(f.c)[k * P + j] * at[j], output[k] * at[j], 2e-6);
        for (int k = 0; k < 2; k++)
            assert_near(sal_cycle_cost_gradients(f.c)[k * P + j] * at[j], cost[k] * at[j], 2e-7);
    }
    found_free(&f);
    found_free(&d);
}

/* Wherever in a turn the map begins, with the contact open or closed: the same multipliers, and the same costs, which the
 * phase does not change; the state changes with it as the motion goes on. */
static void test_phases(void **state)
{
    static const char *const wrt[]   = { "phase", "speed" };
    static const double      phase[] = { -0.5 * PI, -0.8, -0.3, 0.1, 1.2, 2.9, -2.5 };
    double                   cost[2], gradient[2];
    int                      closed = 0;

    (void)state;
    for (int i = 0; i < SAL_COUNT(phase); i++) {
        found             f   = { .r = rig_scene("driven_slider_crank.json") };
        sal_cycle_opts    o   = sal_cycle_defaults();
        const sal_setting set = { "phase", phase[i] };
        o.run.wrt             = wrt;
        o.run.nwrt            = 2;
        o.run.set             = &set;
        o.run.nset            = 1;
        o.run.quiet           = true;
        assert_int_equal(sal_cycle_create(f.r.model, &o, &f.c), SAL_OK);
        if (sal_cycle_find(f.c) != SAL_OK) fail_msg("%g: %s", phase[i], sal_message(f.r.context));
        closed += fabs(sal_cycle_start(f.c)[4] - sal_cycle_start(f.c)[2] - 0.02) < 1e-9;
        assert_multiplier(f.c, 0, 0.0231606145, 0.0115426058, 1e-8);
        for (int k = 0; k < 2; k++) {
            if (i == 0) cost[k] = sal_cycle_costs(f.c)[k];
            if (i == 0) gradient[k] = sal_cycle_cost_gradients(f.c)[2 * k + 1];
            assert_near(sal_cycle_costs(f.c)[k], cost[k], 1e-9);
            assert_near(sal_cycle_cost_gradients(f.c)[2 * k], 0.0, 1e-8);
            assert_near(sal_cycle_cost_gradients(f.c)[2 * k + 1], gradient[k], 1e-8);
        }
        for (int k = 0; k < 6; k++) /* x'/speed */
            assert_near(sal_cycle_start_gradients(f.c)[2 * k], sal_cycle_start(f.c)[6 + k] / 20.0, 1e-8);
        found_free(&f);
    }
    assert_true(closed >= 1 && closed < SAL_COUNT(phase));
}

/* The same machine by the angle of its crank and the place of the block alone, y = (theta, omega, x, v): Eksergian's
 * equation, with the block's mass on the slider while the contact is closed. */
typedef struct machine {
    double t, y[4];
    bool   closed;
} machine;

static const double SPEED = 20.0, R = 0.05, L = 0.16, ROD = 0.3, SLIDER = 0.8, FLYWHEEL = 0.02, BLOCK = 0.3, GAP = 0.02;

/* Place of the slider and its first two derivatives by theta. */
static void slider(double theta, double x[3])
{
    const double s = sin(theta), c = cos(theta), root = sqrt(L * L - R * R * s * s);

    x[0] = R * c + root;
    x[1] = -R * s - R * R * s * c / root;
    x[2] = -R * c - R * R * ((c * c - s * s) / root + R * R * s * s * c * c / (root * root * root));
}

static double on_block(double x, double v)
{
    return 3000.0 * (0.22 - x) - 6.0 * v;
}

/* The rates; gives the force of the contact, or the gap where it is open. */
static double rates(const machine *m, double t, const double *y, double *dy)
{
    const double a = -R * sin(y[0]), da = -R * cos(y[0]);
    double       b[3], inertia, change, moment;

    slider(y[0], b);
    inertia = FLYWHEEL + SLIDER * b[1] * b[1] + ROD / 3.0 * (R * R + a * b[1] + b[1] * b[1]);
    change  = 2.0 * SLIDER * b[1] * b[2] + ROD / 3.0 * (da * b[1] + a * b[2] + 2.0 * b[1] * b[2]);
    moment  = 40.0 * (SPEED * t - 0.5 * PI - y[0]) + 0.5 * (SPEED - y[1]) - 0.5 * change * y[1] * y[1] -
             0.5 * ROD * 9.81 * R * cos(y[0]);
    dy[0] = y[1];
    dy[2] = y[3];
    if (!m->closed) {
        dy[1] = moment / inertia;
        dy[3] = on_block(y[2], y[3]) / BLOCK;
        return y[2] - b[0] - GAP;
    }
    dy[1] = (moment + b[1] * (on_block(b[0] + GAP, b[1] * y[1]) - BLOCK * b[2] * y[1] * y[1])) /
            (inertia + BLOCK * b[1] * b[1]);
    dy[2] = b[1] * y[1];
    dy[3] = b[1] * dy[1] + b[2] * y[1] * y[1];
    return BLOCK * dy[3] - on_block(y[2], y[3]);
}

/* One step of the classical method; the function behind it. */
static double step(const machine *m, double h, double *y)
{
    static const double part[] = { 0.0, 0.5, 0.5, 1.0 }, weight[] = { 1.0, 2.0, 2.0, 1.0 };
    double              k[4] = { 0 }, sum[4] = { 0 }, at[4];

    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) at[j] = m->y[j] + part[i] * h * k[j];
        rates(m, m->t + part[i] * h, at, k);
        for (int j = 0; j < 4; j++) sum[j] += weight[i] / 6.0 * k[j];
    }
    for (int j = 0; j < 4; j++) y[j] = m->y[j] + h * sum[j];
    return rates(m, m->t + h, y, k);
}

/* At the event: a plastic impact, and whether the contact stays closed; or it opens. */
static void touch_or_leave(machine *m)
{
    double b[3], inertia, dy[4];

    if (m->closed) {
        m->closed = false;
        return;
    }
    slider(m->y[0], b);
    inertia   = FLYWHEEL + SLIDER * b[1] * b[1] + ROD / 3.0 * (R * R - R * sin(m->y[0]) * b[1] + b[1] * b[1]);
    m->y[1]   = (inertia * m->y[1] + BLOCK * b[1] * m->y[3]) / (inertia + BLOCK * b[1] * b[1]);
    m->y[2]   = b[0] + GAP;
    m->y[3]   = b[1] * m->y[1];
    m->closed = true;
    m->closed = rates(m, m->t, m->y, dy) > 0.0;
}

static void test_machine_by_angles(void **state)
{
    enum { STEPS = 4000, PERIODS = 12 };
    const double T = 2.0 * PI / SPEED, h = T / STEPS;
    machine      m = { 0.0, { -0.5 * PI, SPEED, 0.22, 0.0 }, false };
    found        f = { .r = rig_scene("driven_slider_crank.json") };
    double       y[4], b[3];

    (void)state;
    for (int i = 0; i < PERIODS * STEPS; i++) {
        const double end = (i + 1) * h;
        while (m.t < end) {
            double low = 0.0, high = end - m.t;
            double now = step(&m, high, y), before = step(&m, 1e-12, y);
            if (now >= 0.0 || before < 0.0) low = high;
            for (int k = 0; k < 60 && low < high; k++) { /* to the zero */
                const double middle = 0.5 * (low + high);
                if (step(&m, middle, y) < 0.0) high = middle;
                else low = middle;
            }
            step(&m, high, m.y);
            m.t = now >= 0.0 || before < 0.0 ? end : m.t + high;
            if (now < 0.0 && before >= 0.0) touch_or_leave(&m);
        }
    }
    find(&f, NULL, 0, 1);
    assert_false(m.closed);
    slider(m.y[0], b);
    assert_near(sal_cycle_start(f.c)[0], R * cos(m.y[0]), 1e-9);
    assert_near(sal_cycle_start(f.c)[2], b[0], 1e-9);
    assert_near(sal_cycle_start(f.c)[4], m.y[2], 1e-9);
    assert_near(sal_cycle_start(f.c)[6 + 4], m.y[3], 1e-7);
    assert_near(sal_cycle_outputs(f.c)[0], m.y[1], 1e-7); /* by the error of the fixed steps */
    found_free(&f);
}

/* ------------------------------------------------------------------------------- from other cycles */

/* As an optimisation asks for: parameters a little changed, again and again, in all directions. */
static void test_wandering(void **state)
{
    static const char *const wrt[] = { "slope", "mH", "m", "a", "b" };
    static const double      at[]  = { 3.0, 10.0, 5.0, 0.5, 0.5 };
    uint64_t                 seed  = 7;

    (void)state;
    for (int with = 0; with < 2; with++) { /* with a predictor, and without */
        found f = { .r = rig_scene("compass_gait.json") };
        find(&f, wrt, with ? 5 : 0, 1);
        for (int i = 0; i < 25; i++) {
            for (int j = 0; j < 5; j++)
                assert_int_equal(sal_cycle_set(f.c, wrt[j], at[j] * (1.0 + 0.12 * random_number(&seed))), SAL_OK);
            if (sal_cycle_find(f.c) != SAL_OK) fail_msg("%d: %s", i, sal_message(f.r.context));
            assert_true(sal_cycle_get_info(f.c).residual <= 1e-9);
            assert_true(sal_cycle_get_info(f.c).period > 0.5 && sal_cycle_get_info(f.c).period < 1.0);
        }
        found_free(&f);
    }
}

/* Far from the scene's own parameters, in one go: the way there is found. */
static void test_far(void **state)
{
    found             f    = { .r = rig_scene("compass_gait.json") };
    const sal_setting far  = { "slope", 0.4 };
    sal_cycle_opts    opts = sal_cycle_defaults();

    (void)state;
    opts.run.set   = &far;
    opts.run.nset  = 1;
    opts.run.quiet = true;
    assert_int_equal(sal_cycle_create(f.r.model, &opts, &f.c), SAL_OK);
    if (sal_cycle_find(f.c) != SAL_OK) fail_msg("%s", sal_message(f.r.context));
    assert_true(sal_cycle_get_info(f.c).stable);
    assert_int_equal(sal_cycle_set(f.c, "slope", 4.0), SAL_OK);
    if (sal_cycle_find(f.c) != SAL_OK) fail_msg("%s", sal_message(f.r.context));
    assert_int_equal(sal_cycle_set(f.c, "slope", -4.0), SAL_OK); /* uphill there is none */
    assert_int_equal(sal_cycle_find(f.c), SAL_ERR_CYCLE);
    assert_int_equal(sal_cycle_set(f.c, "slope", 3.0), SAL_OK); /* and back */
    if (sal_cycle_find(f.c) != SAL_OK) fail_msg("%s", sal_message(f.r.context));
    assert_near(sal_cycle_get_info(f.c).period, 0.7343463911587195, 1e-9);
    found_free(&f);
}

/* A hopper that jumps ever higher until it falls: that is said, and not that it comes to rest. */
static void test_raibert(void **state)
{
    (void)state;
    assert_none(rig_test_scene("raibert_hopper.json"), 1, SAL_ERR_CYCLE, "fall ends the run");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_delayed),
        cmocka_unit_test(test_follow_memory),
        cmocka_unit_test(test_kinds_of_memory),
        cmocka_unit_test(test_toggle),
        cmocka_unit_test(test_hoppers),
        cmocka_unit_test(test_other_section),
        cmocka_unit_test(test_multiplier_by_hops),
        cmocka_unit_test(test_origin),
        cmocka_unit_test(test_what_notices),
        cmocka_unit_test(test_bad_sections),
        cmocka_unit_test(test_oscillator),
        cmocka_unit_test(test_whole_turns),
        cmocka_unit_test(test_no_period),
        cmocka_unit_test(test_driven_slider_crank),
        cmocka_unit_test(test_wandering),
        cmocka_unit_test(test_far),
        cmocka_unit_test(test_raibert),
        cmocka_unit_test(test_machine_by_angles),
        cmocka_unit_test(test_rolling),
        cmocka_unit_test(test_random_maps),
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_walker_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
