/* test_cycle.c - periodic motions against closed forms: return maps that are known because an event sets the velocities
 * with which the next flight begins, and against differences of cycles where they are not. */
#include "tests/counting.h"
#include "tests/cycles.h"

/* A point that flies up from y = 0 under gravity 1 and is thrown again by what `law` sets when it lands: with u the
 * speed upwards, a flight takes 2 u and lands with vy = -u. */
static rig thrown(const char *parameters, const char *velocity, const char *law, const char *cycle)
{
    char text[1600];

    snprintf(text, sizeof text,
             "'gravity': [0, -1], 'parameters': { %s }, 'points': { 'P': { 'at': [0, 0], 'velocity': %s } },"
             "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
             "'contacts': { 'floor': { 'type': 'event', 'when': 'y(P)', 'set': { %s } } },"
             "'cycle': { 'section': 'floor'%s }",
             parameters, velocity, law, cycle);
    return rig_load(text);
}

static void assert_no_cycle(const char *scene, const sal_cycle_opts *opts, sal_status expected, const char *says)
{
    rig        r = rig_load(scene);
    sal_cycle *c = NULL;
    sal_status status;

    status = sal_cycle_create(r.model, opts, &c);
    if (status == SAL_OK) status = sal_cycle_find(c);
    assert_int_equal(status, expected);
    assert_says(sal_message(r.context), says);
    sal_cycle_destroy(&c);
    assert_null(c);
    rig_free(&r);
}

/* ------------------------------------------------------------------------------------ closed forms */

static const char HOPPER[] = "'gravity': [0, '-g'], 'parameters': { 'g': 9.81, 'r': 0.5, 'k': 2, 'h': 0.3 },"
                             "'points': { 'P': { 'at': [4, 'h'], 'velocity': [1.7, 3] } },"
                             "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                             "'contacts': { 'floor': { 'type': 'event', 'when': 'y(P) - h', 'stop': %s, 'set': { "
                             "'vy(P)': 'k - r*vy(P)', 'vx(P)': "
                             "'0.7*vx(P) + 0.3*r' } } },"
                             "'outputs': { 'speed': 'vy(P)*vx(P)', 'weight': '-ay(P)' },"
                             "'costs': { 'area': { 'running': 'y(P)', 'events': { 'floor': 't*k' } }, 'end': { "
                             "'terminal': 'vx(P)*t + x(P) - 4' } },"
                             "'cycle': { 'section': 'floor', 'origin': 'P' }";

/* v -> r v + k, vx -> 0.7 vx + 0.3 r: v = k/(1 - r), vx = r, T = 2 v/g, length r T; multipliers 0.7 and r. */
static void test_hopper(void **state)
{
    static const char *const wrt[] = { "g", "r", "k", "h" };
    const double             g = 9.81, r = 0.5, k = 2.0, h = 0.3, v = k / (1.0 - r), T = 2.0 * v / g;
    const double             dv[] = { 0.0, v / (1.0 - r), 1.0 / (1.0 - r), 0.0 }, dr[] = { 0.0, 1.0, 0.0, 0.0 };

    (void)state;
    for (int stop = 0; stop < 2; stop++) {
        sal_cycle_opts opts = cycle_with_respect_to(wrt, 4);
        char           text[1600];
        found          f;
        sal_cycle_info info;
        const double  *area, *end;
        snprintf(text, sizeof text, HOPPER, stop ? "true" : "false");
        f.r = rig_load(text);
        found_find(&f, &opts);
        info = sal_cycle_get_info(f.c);
        assert_string_equal(info.section, "floor");
        assert_true(info.residual <= 1e-11);
        assert_true(info.stable);
        assert_int_equal(info.multipliers, 2);
        assert_int_equal(info.neutral, 0);
        assert_multiplier(f.c, 0, 0.7, 0.0, 1e-12);
        assert_multiplier(f.c, 1, r, 0.0, 1e-12);
        assert_near(info.largest, 0.7, 1e-12);
        assert_near(info.period, T, 1e-13);
        assert_near(info.advance[0], r * T, 1e-13);
        assert_near(info.advance[1], 0.0, 1e-13);
        assert_near(info.length, r * T, 1e-13);
        assert_near(sal_cycle_start(f.c)[0], 4.0, 1e-13);
        assert_near(sal_cycle_start(f.c)[1], h, 1e-13);
        assert_near(sal_cycle_start(f.c)[2], r, 1e-13);
        assert_near(sal_cycle_start(f.c)[3], v, 1e-12);
        assert_near(sal_cycle_outputs(f.c)[0], r * v, 1e-12);
        assert_near(sal_cycle_costs(f.c)[0], T * h + 2.0 * v * v * v / (3.0 * g * g) + T * k, 1e-12);
        assert_near(sal_cycle_costs(f.c)[1], 2.0 * r * T, 1e-12);
        area = sal_cycle_cost_gradients(f.c);
        end  = area + 4;
        for (int c = 0; c < 4; c++) {
            const double dg = c == 0, dk = c == 2, dh = c == 3, dT = 2.0 * dv[c] / g - T / g * dg;
            assert_string_equal(sal_cycle_wrt(f.c, c), wrt[c]);
            assert_near(sal_cycle_period_gradient(f.c)[c], dT, 1e-12);
            assert_near(sal_cycle_length_gradient(f.c)[c], r * dT + dr[c] * T, 1e-12);
            assert_near(sal_cycle_start_gradients(f.c)[0 + c], 0.0, 1e-12);
            assert_near(sal_cycle_start_gradients(f.c)[4 + c], dh, 1e-12); /* where the scene puts it */
            assert_near(sal_cycle_start_gradients(f.c)[8 + c], dr[c], 1e-12);
            assert_near(sal_cycle_start_gradients(f.c)[12 + c], dv[c], 1e-11);
            assert_near(sal_cycle_output_gradients(f.c)[c], r * dv[c] + dr[c] * v, 1e-11);
            assert_near(sal_cycle_output_gradients(f.c)[4 + c], dg, 1e-12);
            assert_near(area[c],
                        dT * (h + k) + T * (dh + dk) + 2.0 * v * v * dv[c] / (g * g) -
                            4.0 * v * v * v / (3.0 * g * g * g) * dg,
                        1e-11);
            assert_near(end[c], 2.0 * (r * dT + dr[c] * T), 1e-11);
        }
        found_free(&f);
    }
}

static const char TWO_POINTS[] =
    "'parameters': { 'k': 1.5 },"
    "'points': { 'A': { 'at': [0.1, 0.2], 'velocity': [0, -1] }, 'B': { 'at': [0, 0], 'velocity': [0.1, 2] } },"
    "'bodies': { 'a': { 'type': 'point_mass', 'point': 'A', 'mass': 1 },"
    "            'b': { 'type': 'point_mass', 'point': 'B', 'mass': 1 } },"
    "'contacts': { 'floor': { 'type': 'event', 'when': 'y(A)', 'set': { 'vy(A)': 'k - 0.36*vy(A)', 'vx(A)': "
    "'-0.4*x(A)' } } },"
    "'cycle': { 'section': 'floor', 'exchange': { 'A': 'B', 'B': 'A' } }";

/* Two points land in turn; what lands is thrown and swaps roles with the other. With s the time to the next landing, a
 * and b the speeds of the one that lands next and of the other: s' = 2 b/g - s, a' = b, b' = e a + k, of which the
 * multipliers are -1 and +- sqrt(e); and sideways x'' = (1 - c T) x over two steps. */
static void test_exchange(void **state)
{
    static const char *const wrt[] = { "k" };
    const double             g = 9.81, e = 0.36, k = 1.5, c = 0.4, v = k / (1.0 - e), s = v / g;
    sal_cycle_opts           opts = cycle_with_respect_to(wrt, 1);
    sal_cycle_info           info;
    found                    f = { .r = rig_load(TWO_POINTS) };

    (void)state;
    found_find(&f, &opts);
    info = sal_cycle_get_info(f.c);
    assert_near(info.period, s, 1e-12);
    assert_near(sal_cycle_period_gradient(f.c)[0], 1.0 / (g * (1.0 - e)), 1e-12);
    assert_near(sal_cycle_start(f.c)[4 + 3], v, 1e-11); /* vy(B) has just been thrown */
    assert_near(sal_cycle_start(f.c)[1], v * s - 0.5 * g * s * s, 1e-11);
    assert_int_equal(info.multipliers, 5);
    assert_multiplier(f.c, 0, -1.0, 0.0, 1e-10);
    for (int i = 1; i < 5; i++) { /* +- pairs, whichever comes first */
        double mu[2];
        assert_true(sal_cycle_multiplier(f.c, i, mu));
        assert_near(mu[0] * mu[0], i < 3 ? 1.0 - 2.0 * c * s : e, 1e-10);
        assert_near(mu[1], 0.0, 1e-10);
    }
    assert_near(info.largest, 1.0, 1e-10);
    assert_int_equal(info.neutral, 0);
    found_free(&f);

    f.r =
        rig_load("'points': { 'A': { 'at': [0, 0.2], 'velocity': [0, -1] }, 'B': { 'at': [0, 0] } },"
                 "'bodies': { 'a': { 'type': 'point_mass', 'point': 'A', 'mass': 1 },"
                 "            'b': { 'type': 'point_mass', 'point': 'B', 'mass': 1 } },"
                 "'contacts': { 'floor': { 'type': 'event', 'when': 'y(A)', 'set': { 'vy(A)': '1 - 0.36*vy(A)' } } }");
    opts = sal_cycle_defaults();
    assert_int_equal(sal_cycle_create(f.r.model, &opts, &f.c), SAL_ERR_ARGUMENT);
    assert_says(sal_message(f.r.context), "no section is given");
    assert_says(sal_message(f.r.context), "events: floor");
    opts.section = "floor";
    assert_int_equal(sal_cycle_create(f.r.model, &opts, &f.c), SAL_OK);
    found_free(&f);
}

/* u -> r u (1 - u): u = 1 - 1/r, multiplier 2 - r; of period two 4 + 2 r - r^2. */
static const char LOGISTIC[] = "'vy(P)': '-r*vy(P)*(1 + vy(P))', 'vx(P)': '-0.1*x(P)'";

static void test_logistic(void **state)
{
    static const char *const wrt[] = { "r" };
    sal_cycle_opts           opts  = cycle_with_respect_to(wrt, 1);
    found                    f     = { .r = thrown("'r': 2.8", "[0, 0.5]", LOGISTIC, "") };
    sal_cycle_info           info;

    (void)state;
    found_find(&f, &opts);
    assert_near(sal_cycle_get_info(f.c).period, 2.0 * (1.0 - 1.0 / 2.8), 1e-12);
    assert_near(sal_cycle_period_gradient(f.c)[0], 2.0 / (2.8 * 2.8), 1e-11);
    assert_multiplier(f.c, 0, 1.0 - 0.1 * 2.0 * (1.0 - 1.0 / 2.8), 0.0, 1e-11); /* sideways */
    assert_multiplier(f.c, 1, -0.8, 0.0, 1e-11);
    assert_int_equal(sal_cycle_set(f.c, "r", 3.3), SAL_OK);
    assert_int_equal(sal_cycle_find(f.c), SAL_OK);
    assert_multiplier(f.c, 0, -1.3, 0.0, 1e-11);
    assert_false(sal_cycle_get_info(f.c).stable);
    sal_cycle_destroy(&f.c);

    opts.steps = 2;
    found_find(&f, &opts); /* from 0.5 at r = 2.8 to the fixed point, twice */
    assert_int_equal(sal_cycle_get_info(f.c).shortest, 1);
    assert_int_equal(sal_cycle_set(f.c, "r", 3.3), SAL_OK);
    assert_int_equal(sal_cycle_set(f.c, "initial(P.vy)", 0.8), SAL_OK);
    assert_int_equal(sal_cycle_find(f.c), SAL_OK);
    info = sal_cycle_get_info(f.c);
    assert_int_equal(info.shortest, 2);
    assert_near(info.period, 2.0 * (3.3 + 1.0) / 3.3, 1e-12); /* the two add up to (r + 1)/r */
    assert_near(sal_cycle_period_gradient(f.c)[0], -2.0 / (3.3 * 3.3), 1e-10);
    assert_multiplier(f.c, 1, 4.0 + 6.6 - 3.3 * 3.3, 0.0, 1e-10);
    found_free(&f);
}

static const char ELASTIC[] =
    "'gravity': [0, -1], 'points': { 'P': { 'at': [0, 0.01], 'velocity': [0, 2] } },"
    "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
    "'contacts': { 'floor': { 'type': 'event', 'when': 'y(P)', 'set': { 'vy(P)': '-vy(P)', 'vx(P)': '-0.1*x(P)' } } },"
    "'cycle': { 'section': 'floor' }";

/* Elastic bounces: every height is a cycle; the one nearest to the start is found. */
static void test_family(void **state)
{
    found          f = { .r = rig_load(ELASTIC) };
    sal_cycle_info info;

    (void)state;
    found_find(&f, NULL);
    info = sal_cycle_get_info(f.c);
    assert_near(sal_cycle_start(f.c)[3], 2.0, 0.02);
    assert_near(info.period, 2.0 * sal_cycle_start(f.c)[3], 1e-10);
    assert_int_equal(info.neutral, 1);
    assert_false(info.stable);
    assert_near(info.largest, 1.0 - 0.1 * info.period, 1e-9);
    found_free(&f);
}

/* ------------------------------------------------------------------------------------- differences */

static const char CLOCK[] =
    "'parameters': { 'L': 1, 'c': 0.3, 'kick': 0.5, 'm': 2 },"
    "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'W': { 'at': [0.2, -3], 'fixed': true }, 'P': { 'at': [0, "
    "'-L'], "
    "'velocity': [2, 0] } },"
    "'bodies': { 'bob': { 'type': 'point_mass', 'point': 'P', 'mass': 'm' } },"
    "'joints': { 'rod': { 'type': 'distance', 'points': ['O', 'P'], 'length': 'L' },"
    "            'damper': { 'type': 'spring', 'points': ['W', 'P'], 'stiffness': 1, 'length': 2, 'damping': 'c' } },"
    "'contacts': { 'tick': { 'type': 'event', 'when': 'x(P) - 0.05', 'direction': 'rising', 'set': { 'vx(P)': 'vx(P) + "
    "kick' } } },"
    "'outputs': { 'tension': '2*L*lambda(rod)', 'energy_now': 'energy()' },"
    "'costs': { 'way': { 'running': 'vx(P)^2 + vy(P)^2' } }, 'cycle': { 'section': 'tick' }";

/* A section that the motion passes through: the pendulum is kicked on in its direction. All derivatives of the cycle
 * against differences of cycles, in both forms. */
static void test_clock(void **state)
{
    static const char *const wrt[] = { "L", "c", "kick", "m" };
    static const double      at[]  = { 1.0, 0.3, 0.5, 2.0 };

    (void)state;
    for (int form = SAL_INDEX1; form <= SAL_PENALTY; form++) {
        sal_cycle_opts opts = cycle_with_respect_to(wrt, 4), plain = sal_cycle_defaults();
        found          f = { .r = rig_load(CLOCK) }, d = { .r = rig_load(CLOCK) };
        opts.run.form = plain.run.form = form;
        found_find(&f, &opts);
        found_find(&d, &plain);
        assert_int_equal(sal_cycle_get_info(f.c).multipliers, 1);
        assert_true(sal_cycle_get_info(f.c).stable);
        assert_near(sal_cycle_get_info(f.c).period, sal_cycle_get_info(d.c).period, 1e-10);
        for (int c = 0; c < 4; c++) {
            static const double offset[] = { -2.0, -1.0, 1.0, 2.0 }, weight[] = { 1.0, -8.0, 8.0, -1.0 };
            const double        h      = 1e-3 * at[c];
            double              period = 0.0, start[4] = { 0 }, output[2] = { 0 }, cost = 0.0;
            for (int i = 0; i < 4; i++) {
                const double w = weight[i] / (12.0 * h);
                assert_int_equal(sal_cycle_set(d.c, wrt[c], at[c] + offset[i] * h), SAL_OK);
                assert_int_equal(sal_cycle_find(d.c), SAL_OK);
                period += w * sal_cycle_get_info(d.c).period;
                for (int k = 0; k < 4; k++) start[k] += w * sal_cycle_start(d.c)[k];
                for (int k = 0; k < 2; k++) output[k] += w * sal_cycle_outputs(d.c)[k];
                cost += w * sal_cycle_costs(d.c)[0];
            }
            assert_int_equal(sal_cycle_set(d.c, wrt[c], at[c]), SAL_OK);
            assert_near(sal_cycle_period_gradient(f.c)[c], period, 1e-7);
            assert_near(sal_cycle_cost_gradients(f.c)[c], cost, 1e-6);
            for (int k = 0; k < 4; k++) assert_near(sal_cycle_start_gradients(f.c)[4 * k + c], start[k], 1e-7);
            for (int k = 0; k < 2; k++) assert_near(sal_cycle_output_gradients(f.c)[4 * k + c], output[k], 1e-6);
        }
        found_free(&f);
        found_free(&d);
    }
}

static const char DOUBLE[] =
    "'parameters': { 'c': 0.6, 'kick': 0.8, 'm2': 0.5 },"
    "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'W': { 'at': [-3, -1], 'fixed': true },"
    "            'A': { 'at': [-0.1, -0.5], 'velocity': [2, 0.4] }, 'B': { 'at': [0.05, -1] } },"
    "'bodies': { 'one': { 'type': 'bar', 'points': ['O', 'A'], 'mass': 1 },"
    "            'two': { 'type': 'bar', 'points': ['A', 'B'], 'mass': 'm2' } },"
    "'joints': { 'd': { 'type': 'spring', 'points': ['W', 'A'], 'stiffness': 0.3, 'length': 3, 'damping': 'c' },"
    "            'e': { 'type': 'spring', 'points': ['W', 'B'], 'stiffness': 0.3, 'length': 3, 'damping': '0.5*c' } },"
    "'contacts': { 'tick': { 'type': 'event', 'when': 'x(A)', 'direction': 'rising', 'set': { 'vx(A)': 'vx(A) + kick' "
    "} } },"
    "'costs': { 'way': { 'running': 'vx(B)^2' } }, 'cycle': { 'section': 'tick' }";

/* A kicked double pendulum, from a start that Newton's method alone does not get away from. Three multipliers, of
 * eight; with two steps each is squared, and what the cycle is does not change. */
static void test_two_steps(void **state)
{
    static const char *const wrt[] = { "c", "kick", "m2" };
    sal_cycle_opts           opts  = cycle_with_respect_to(wrt, 3);
    found                    f[2];
    sal_cycle_info           one, two;

    (void)state;
    for (int i = 0; i < 2; i++) {
        f[i].r     = rig_load(DOUBLE);
        opts.steps = i + 1;
        found_find(&f[i], &opts);
    }
    one = sal_cycle_get_info(f[0].c);
    two = sal_cycle_get_info(f[1].c);
    assert_int_equal(one.multipliers, 3);
    assert_int_equal(two.multipliers, 3);
    assert_true(one.stable);
    assert_int_equal(two.shortest, 1);
    assert_near(two.largest, one.largest * one.largest, 1e-9);
    assert_near(two.period, 2.0 * one.period, 1e-9);
    assert_near(sal_cycle_costs(f[1].c)[0], 2.0 * sal_cycle_costs(f[0].c)[0], 1e-9);
    for (int c = 0; c < 3; c++) {
        assert_near(sal_cycle_period_gradient(f[1].c)[c], 2.0 * sal_cycle_period_gradient(f[0].c)[c], 1e-8);
        assert_near(sal_cycle_cost_gradients(f[1].c)[c], 2.0 * sal_cycle_cost_gradients(f[0].c)[c], 1e-8);
        for (int k = 0; k < 8; k++) {
            assert_near(sal_cycle_start_gradients(f[1].c)[3 * k + c], sal_cycle_start_gradients(f[0].c)[3 * k + c],
                        1e-8);
        }
    }
    found_free(&f[0]);
    found_free(&f[1]);
}

/* The multiplier of the clock by simulating on from a start next to the cycle. */
static void test_clock_multiplier(void **state)
{
    found        f    = { .r = rig_load(CLOCK) };
    sal_run_opts opts = sal_run_defaults();
    double       first, next, mu[2], v;
    int          ticks = 0;

    (void)state;
    found_find(&f, NULL);
    v          = hypot(sal_cycle_start(f.c)[2], sal_cycle_start(f.c)[3]);
    opts.rtol  = 1e-12;
    opts.quiet = true;
    rig_run(&f.r, &opts);
    assert_int_equal(sal_run_set(f.r.run, "initial(P.vx)", sal_cycle_start(f.c)[2] + 1e-5), SAL_OK);
    assert_int_equal(sal_run_set(f.r.run, "initial(P.vy)", sal_cycle_start(f.c)[3]), SAL_OK);
    assert_int_equal(sal_run_set(f.r.run, "initial(P.x)", sal_cycle_start(f.c)[0] + 1e-6), SAL_OK); /* just behind it */
    assert_int_equal(sal_run_set(f.r.run, "initial(P.y)", sal_cycle_start(f.c)[1]), SAL_OK);
    assert_int_equal(sal_run_restart(f.r.run), SAL_OK);
    first = next = 0.0;
    while (ticks < 2) {
        sal_status status = sal_run_step(f.r.run);
        assert_true(status >= 0 && status != SAL_END);
        if (status != SAL_EVENT) continue;
        first = next;
        next  = hypot(sal_run_v(f.r.run)[0], sal_run_v(f.r.run)[1]) - v;
        ticks++;
    }
    assert_true(sal_cycle_multiplier(f.c, 0, mu));
    assert_near(next / first, mu[0], 1e-4);
    found_free(&f);
}

/* ---------------------------------------------------------------------------------------- branches */

typedef struct record {
    int             n, bifurcations;
    sal_bifurcation kind[10];
    double          at[10], period[10], first, last;
    sal_cycle      *c;
} record;

static void note(void *user, const sal_cycle_point *p)
{
    record *r = user;

    if (p->kind != SAL_NO_BIFURCATION) {
        assert_true(r->bifurcations < 10);
        r->kind[r->bifurcations]   = p->kind;
        r->period[r->bifurcations] = sal_cycle_get_info(r->c).period;
        r->at[r->bifurcations++]   = p->parameter;
        return;
    }
    assert_int_equal(p->number, r->n);
    assert_true(sal_cycle_get_info(r->c).residual <= 1e-9);
    if (r->n++ == 0) r->first = p->parameter;
    r->last = p->parameter;
}

static record follow(found *f, const char *name, double from, double to, int steps)
{
    sal_cycle_opts  opts = cycle_with_respect_to(&name, 1);
    sal_follow_opts way  = sal_follow_defaults();
    record          r    = { 0 };

    opts.steps = steps;
    assert_int_equal(sal_cycle_create(f->r.model, &opts, &f->c), SAL_OK);
    r.c        = f->c;
    way.from   = from;
    way.to     = to;
    way.report = note;
    way.user   = &r;
    if (sal_cycle_follow(f->c, name, &way) != SAL_OK) fail_msg("%s", sal_message(f->r.context));
    assert_near(r.first, from, 0.0);
    return r;
}

static void test_period_doubling(void **state)
{
    found  f = { .r = thrown("'r': 2.8", "[0, 0.6]", LOGISTIC, "") };
    record r = follow(&f, "r", 2.5, 3.6, 1);

    (void)state;
    assert_near(r.last, 3.6, 0.0);
    assert_int_equal(r.bifurcations, 1);
    assert_int_equal(r.kind[0], SAL_FLIP);
    assert_near(r.at[0], 3.0, 1e-9);
    found_free(&f);

    f = (found){ .r = thrown("'r': 3.3", "[0, 0.87]", LOGISTIC, "") };
    r = follow(&f, "r", 3.6, 3.2, 2); /* downwards */
    assert_near(r.last, 3.2, 0.0);
    assert_int_equal(r.bifurcations, 1);
    assert_int_equal(r.kind[0], SAL_FLIP);
    assert_near(r.at[0], 1.0 + sqrt(6.0), 1e-9);
    found_free(&f);
}

/* u -> u + a - (u - 2)^2: u = 2 +- sqrt(a). */
static void test_fold(void **state)
{
    found  f = { .r = thrown("'a': 0.2", "[0.1, 1.6]",
                             "'vy(P)': '-vy(P) + a - (vy(P) + 2)^2', 'vx(P)': '0.5*vx(P) + 0.01'", ", 'origin': 'P'") };
    record r = follow(&f, "a", 0.2, -0.1, 1);

    (void)state;
    assert_near(r.last, 0.2, 0.0); /* back on the other side */
    assert_int_equal(r.bifurcations, 1);
    assert_int_equal(r.kind[0], SAL_FOLD);
    assert_near(r.at[0], 0.0, 1e-9);
    assert_near(r.period[0], 4.0, 1e-4);
    assert_near(sal_cycle_get_info(f.c).period, 2.0 * (2.0 + sqrt(0.2)), 1e-9);
    found_free(&f);
}

/* u -> u + (u - 2)(a - (u - 2)): u = 2 and u = 2 + a exchange their stability at a = 0. */
static void test_branch_point(void **state)
{
    found  f = { .r = thrown("'a': -0.5", "[0.1, 2.05]",
                             "'vy(P)': '-vy(P) + (-vy(P) - 2)*(a + vy(P) + 2)', 'vx(P)': '0.5*vx(P) + 0.01'",
                             ", 'origin': 'P'") };
    record r = follow(&f, "a", -0.5, 0.4, 1);

    (void)state;
    assert_near(r.last, 0.4, 0.0);
    assert_int_equal(r.bifurcations, 1);
    assert_int_equal(r.kind[0], SAL_CROSS);
    assert_near(r.at[0], 0.0, 1e-8);
    assert_near(sal_cycle_get_info(f.c).period, 4.0, 1e-9);
    found_free(&f);
}

/* The delayed logistic map u -> r u (1 - w), w -> u: a pair exp(+- i pi/3) at r = 2. */
static void test_torus(void **state)
{
    found  f = { .r = thrown("'r': 1.7", "[0.4, 0.4]", "'vy(P)': '-r*vy(P)*(1 - vx(P))', 'vx(P)': '-vy(P)'",
                             ", 'origin': 'P'") };
    record r = follow(&f, "r", 1.7, 2.2, 1);

    (void)state;
    assert_int_equal(r.bifurcations, 1);
    assert_int_equal(r.kind[0], SAL_TORUS);
    assert_near(r.at[0], 2.0, 1e-8);
    assert_near(sal_cycle_get_info(f.c).largest, sqrt(1.2), 1e-9); /* det = r - 1 */
    found_free(&f);
}

/* Where the cycle at `from` is too far from the first guess it is followed there from the parameter's own value. */
static void test_reach(void **state)
{
    static const char *const wrt[] = { "r" };
    found                    f     = { .r = thrown("'r': 2.5", "[0, 0.6]", LOGISTIC, "") };
    sal_cycle_opts           opts  = cycle_with_respect_to(wrt, 1);
    sal_follow_opts          way   = sal_follow_defaults();
    record                   r     = { 0 };

    (void)state;
    opts.iterations = 1; /* enough at 2.5, where the guess is the cycle */
    assert_int_equal(sal_cycle_create(f.r.model, &opts, &f.c), SAL_OK);
    assert_int_equal(sal_cycle_set(f.c, "r", 4.5), SAL_OK);
    assert_int_equal(sal_cycle_find(f.c), SAL_ERR_CYCLE);
    sal_cycle_destroy(&f.c);
    assert_int_equal(sal_cycle_create(f.r.model, &opts, &f.c), SAL_OK);
    r.c        = f.c;
    way.from   = 4.5;
    way.to     = 4.0;
    way.report = note;
    way.user   = &r;
    assert_int_equal(sal_cycle_follow(f.c, "r", &way), SAL_OK);
    assert_near(r.first, 4.5, 0.0);
    assert_near(r.last, 4.0, 0.0);
    assert_near(sal_cycle_get_info(f.c).period, 2.0 * (1.0 - 0.25), 1e-10);
    way.points = 3;
    way.to     = 1.5;
    r          = (record){ .c = f.c };
    assert_int_equal(sal_cycle_follow(f.c, "r", &way), SAL_ERR_CYCLE);
    assert_says(sal_message(f.r.context), "more points are needed");
    way.points = 500;
    way.to     = 0.5; /* at r = 1 the cycle has shrunk to nothing */
    way.from   = 4.0;
    r          = (record){ .c = f.c };
    assert_int_equal(sal_cycle_follow(f.c, "r", &way), SAL_ERR_CYCLE);
    assert_says(sal_message(f.r.context), "cannot be followed beyond r = 1.0");
    assert_true(r.last < 1.01);
    way.to = way.from;
    assert_int_equal(sal_cycle_follow(f.c, "r", &way), SAL_ERR_ARGUMENT);
    assert_int_equal(sal_cycle_follow(f.c, "q", &way), SAL_ERR_ARGUMENT);
    assert_says(sal_message(f.r.context), "'q' is not among");
    found_free(&f);
}

/* ------------------------------------------------------------------------------------------ errors */

#define BALL                                                                     \
    "'points': { 'P': { 'at': [0, 1] }, 'O': { 'at': [0, 0], 'fixed': true } }," \
    "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
#define FLOOR "'contacts': { 'floor': { 'type': 'event', 'when': 'y(P)', 'set': { 'vy(P)': '3 - 0.5*vy(P)' } } },"

static bool stop_now(void *user)
{
    return --*(int *)user < 0;
}

static void test_refused(void **state)
{
    sal_cycle_opts opts = sal_cycle_defaults();
    rig            r;
    sal_cycle     *c;
    int            steps = 3;

    (void)state;
    opts.section = "flor";
    assert_no_cycle(BALL FLOOR "'name': 'x'", &opts, SAL_ERR_ARGUMENT, "unknown event 'flor'; did you mean 'floor'?");
    opts.section = "ceiling";
    assert_no_cycle(BALL FLOOR "'name': 'x'", &opts, SAL_ERR_ARGUMENT, "unknown event 'ceiling'; events: floor");
    assert_no_cycle(BALL "'name': 'x'", &opts, SAL_ERR_ARGUMENT, "the scene has no events");
    opts.section      = "floor";
    opts.run.duration = 0.25;
    assert_no_cycle(BALL FLOOR "'name': 'x'", &opts, SAL_ERR_CYCLE, "the section 'floor' is not reached within 0.25 s");
    opts.run.duration = -1.0;
    assert_no_cycle(BALL
                    "'contacts': { 'floor': { 'type': 'event', 'when': 'y(P) + 1', 'set': { 'vy(P)': 1 } }, 'end': { "
                    "'type': 'event', 'when': 'y(P)', 'stop': true } }",
                    &opts, SAL_ERR_CYCLE, "the section 'floor' is not reached: end ends the run at t = 0.4515");
    assert_no_cycle(BALL "'contacts': { 'floor': { 'type': 'event', 'when': 'y(P) - 0.1*t', 'set': { 'vy(P)': 1 } } }",
                    &opts, SAL_ERR_ARGUMENT, "event floor depends on t");
    assert_no_cycle(
        BALL FLOOR
        "'joints': { 's': { 'type': 'spring', 'points': ['O', 'P'], 'stiffness': 0, 'length': '2 + sin(t)' } }",
        &opts, SAL_ERR_ARGUMENT, "joints.s.length: '2 + sin(t)' depends on t");
    assert_no_cycle(BALL FLOOR "'joints': { 'f': { 'type': 'force', 'point': 'P', 'fx': 'sin(t)', 'fy': '0' } }", &opts,
                    SAL_ERR_ARGUMENT, "a force depends on t");
    assert_no_cycle(BALL
                    "'contacts': { 'floor': { 'type': 'event', 'when': 'y(P)', 'set': { 'vy(P)': 'sqrt(vy(P))' } } }",
                    &opts, SAL_ERR_NUMBER, "floor");
    assert_no_cycle(BALL
                    "'contacts': { 'floor': { 'type': 'event', 'when': 'y(P)', 'set': { 'vy(P)': '1 - vy(P)' } } }",
                    &opts, SAL_ERR_CYCLE, "no cycle was found from this start");
    assert_no_cycle(BALL "'contacts': { 'floor': { 'type': 'event', 'when': 'y(P)', 'set': { 'vy(P)': '-0.5*vy(P)', "
                         "'vx(P)': '-0.1*x(P)' } } }",
                    &opts, SAL_ERR_CYCLE, "");
    opts.run.wrt  = (const char *const[]){ "initial(P.x)" };
    opts.run.nwrt = 1;
    assert_no_cycle(BALL FLOOR "'name': 'x'", &opts, SAL_ERR_ARGUMENT, "initial(P.x) is what a cycle determines");
    opts.run.wrt = (const char *const[]){ "q" };
    assert_no_cycle(BALL FLOOR "'name': 'x'", &opts, SAL_ERR_ARGUMENT, "unknown parameter 'q'");
    opts.run.nwrt = 0;
    opts.steps    = 0;
    assert_no_cycle(BALL FLOOR "'name': 'x'", &opts, SAL_ERR_ARGUMENT, "steps is 0");
    opts.steps = 1;

    r             = rig_load(BALL FLOOR "'name': 'x'");
    opts.run.stop = stop_now;
    opts.run.user = &steps;
    assert_int_equal(sal_cycle_create(r.model, &opts, &c), SAL_OK);
    assert_int_equal(sal_cycle_find(c), SAL_STOPPED);
    assert_int_equal(sal_cycle_set(c, "initial(P.x)", NAN), SAL_ERR_ARGUMENT);
    assert_int_equal(sal_cycle_set(c, "q", 1.0), SAL_ERR_ARGUMENT);
    assert_says(sal_message(r.context), "unknown parameter 'q'");
    sal_cycle_destroy(&c);
    sal_cycle_destroy(&c);
    rig_free(&r);
}

/* A start that is held by a constraint which the state after the section does not fulfil is no cycle. */
static void test_no_return(void **state)
{
    sal_cycle_opts opts = sal_cycle_defaults();

    (void)state;
    assert_no_cycle(
        "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'A': { 'at': [1, 0] }, 'B': { 'at': [3, 0] } },"
        "'bodies': { 'a': { 'type': 'point_mass', 'point': 'A', 'mass': 1 }, 'b': { 'type': 'point_mass', "
        "'point': 'B', 'mass': 1 } },"
        "'joints': { 'short': { 'type': 'distance', 'points': ['O', 'A'], 'length': 1 },"
        "            'long': { 'type': 'distance', 'points': ['O', 'B'], 'length': 3 } },"
        "'contacts': { 'mark': { 'type': 'event', 'when': 'y(A) + 0.5', 'set': { 'vx(A)': 0, 'vx(B)': 0 } } },"
        "'cycle': { 'section': 'mark', 'exchange': { 'A': 'B', 'B': 'A' } }",
        &opts, SAL_ERR_CYCLE, "");
}

static void assert_bad_scene(const char *cycle, const char *place, const char *says)
{
    char         text[1200];
    sal_context *context;
    sal_scene   *scene;

    snprintf(text, sizeof text, "{ 'saltus': 1, " BALL FLOOR " 'name': 'x',\n'cycle': %s }", cycle);
    in_quotes(text);
    assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
    assert_int_equal(sal_scene_parse(context, "bad", text, strlen(text), &scene), SAL_ERR_SCENE);
    assert_says(sal_message(context), place);
    assert_says(sal_message(context), says);
    assert_int_equal(sal_error_count(context), 1);
    sal_context_destroy(&context);
}

static void test_bad_sections(void **state)
{
    (void)state;
    assert_bad_scene("3", "bad:2:10: cycle", "expected an object");
    assert_bad_scene("{ 'secton': 'floor' }", "bad:2:12: cycle", "unknown key 'secton'; did you mean 'section'?");
    assert_bad_scene("{ 'section': 'flour' }", "bad:2:23: cycle.section",
                     "unknown event 'flour'; did you mean 'floor'?");
    assert_bad_scene("{ 'origin': 'O' }", "bad:2:22: cycle.origin", "expected a free point, found the fixed point 'O'");
    assert_bad_scene("{ 'origin': 'Q' }", "bad:2:22: cycle.origin", "unknown point 'Q'");
    assert_bad_scene("{ 'exchange': ['P'] }", "bad:2:24: cycle.exchange", "expected an object");
    assert_bad_scene("{ 'exchange': { 'P': 1 } }", "cycle.exchange", "expected a name, found a number");
    assert_bad_scene("{ 'exchange': { 'P': 'O' } }", "bad:2:31: cycle.exchange.P", "found the fixed point 'O'");
    assert_bad_scene("{ 'exchange': { 'Pe': 'P' } }", "bad:2:26: cycle.exchange.Pe", "unknown point 'Pe'");
}

static void test_no_permutation(void **state)
{
    static const struct {
        const char *exchange, *says;
    } cases[] = {
        { "{ 'A': 'B' }", "'B' takes the role of 'A' and keeps its own" },
        { "{ 'A': 'B', 'C': 'B' }", "'B' takes the role of 'A' already" },
        { "{ 'A': 'B', 'B': 'C', 'C': 'A' }", NULL },
        { "{ 'A': 'A' }", NULL },
        { "{ '//': 'nothing' }", NULL },
        { "{ 'A': 'M', 'M': 'A' }", "found the marker 'M'" },
    };

    (void)state;
    for (int k = 0; k < SAL_COUNT(cases); k++) {
        char         text[1200];
        sal_context *context;
        sal_scene   *scene;
        snprintf(text, sizeof text,
                 "{ 'saltus': 1, 'points': { 'A': { 'at': [0, 0] }, 'B': { 'at': [1, 0] }, 'C': { 'at': [2, 0] } },"
                 "'bodies': { 'ab': { 'type': 'bar', 'points': ['A', 'B'], 'mass': 1, 'markers': { 'M': [0.5, 0] } } },"
                 "'cycle': { 'exchange': %s } }",
                 cases[k].exchange);
        in_quotes(text);
        assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
        assert_int_equal(sal_scene_parse(context, "bad", text, strlen(text), &scene),
                         cases[k].says ? SAL_ERR_SCENE : SAL_OK);
        if (cases[k].says) assert_says(sal_message(context), cases[k].says);
        sal_scene_destroy(&scene);
        sal_context_destroy(&context);
    }
}

/* One allocation fails, the others do not: nothing crashes, nothing leaks. Whether all went well. */
static bool follow_with(const char *json, int fail)
{
    static const char *const wrt[] = { "r" };
    memory                   m     = { .fail = fail };
    sal_context_opts         o     = counting_opts(&m);
    sal_cycle_opts           opts  = cycle_with_respect_to(wrt, 1);
    sal_follow_opts          way   = sal_follow_defaults();
    sal_context             *context;
    sal_scene               *scene = NULL;
    sal_model               *model = NULL;
    sal_cycle               *c     = NULL;
    sal_status               status;

    way.from = 2.8;
    way.to   = 2.7;
    status   = sal_context_create(&o, &context);
    if (status == SAL_OK) status = sal_scene_parse(context, "test", json, strlen(json), &scene);
    if (status == SAL_OK) status = sal_model_create(scene, &model);
    if (status == SAL_OK) status = sal_cycle_create(model, &opts, &c);
    if (status == SAL_OK) status = sal_cycle_follow(c, "r", &way);
    assert_true(status == SAL_OK || status == SAL_ERR_MEMORY);
    sal_cycle_destroy(&c);
    sal_model_destroy(&model);
    sal_scene_destroy(&scene);
    sal_context_destroy(&context);
    assert_int_equal(m.live, 0);
    return status == SAL_OK && m.next <= fail;
}

/* With memory and an origin, with a period, and with neither. */
static void test_out_of_memory(void **state)
{
    static const struct {
        const char *memory, *law, *cycle;
    } scenes[] = {
        { "", "'vy(P)': '-r*vy(P)*(1 + vy(P))', 'vx(P)': '-0.1*x(P)'", "'section': 'floor'" },
        { "'memory': { 'w': 0.6, 'at': 0, 'n': 0 },",
          "'vy(P)': '-r*vy(P)*(1 + 0.5*(vy(P) - w))', 'w': '-vy(P)', 'at': 'x(P)', 'n': 'n + 1', 'vx(P)': '0.3 + x(P) "
          "- at'",
          "'section': 'floor', 'origin': { 'x': 'P' }" },
        { "'joints': { 'f': { 'type': 'force', 'point': 'P', 'fx': 'sin(2*pi*t) - 20*x(P) - r*vx(P)', 'fy': '1 - "
          "20*y(P) - "
          "r*vy(P)' } },",
          "'vy(P)': '-0.1*vy(P)'", "'period': 1" },
    };

    (void)state;
    for (int k = 0; k < SAL_COUNT(scenes); k++) {
        char json[1600];
        int  fail = 0;
        snprintf(json, sizeof json,
                 "{ 'saltus': 1, 'gravity': [0, -1], 'parameters': { 'r': 2.8 }, %s 'points': { 'P': { 'at': [0, 0], "
                 "'velocity': [0, 0.6] } }, 'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } }, "
                 "'contacts': { 'floor': { 'type': 'event', 'when': 'y(P)', 'set': { %s } } }, 'cycle': { %s } }",
                 scenes[k].memory, scenes[k].law, scenes[k].cycle);
        in_quotes(json);
        while (!follow_with(json, fail)) fail++;
        assert_true(fail > 10); /* pools take memory in pieces */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hopper),          cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_logistic),        cmocka_unit_test(test_family),
        cmocka_unit_test(test_clock),           cmocka_unit_test(test_clock_multiplier),
        cmocka_unit_test(test_period_doubling), cmocka_unit_test(test_fold),
        cmocka_unit_test(test_branch_point),    cmocka_unit_test(test_torus),
        cmocka_unit_test(test_reach),           cmocka_unit_test(test_two_steps),
        cmocka_unit_test(test_refused),         cmocka_unit_test(test_no_return),
        cmocka_unit_test(test_bad_sections),    cmocka_unit_test(test_no_permutation),
        cmocka_unit_test(test_out_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
