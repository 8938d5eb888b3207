/* test_piles.c - many contacts at once (many_contacts.h): a body on a hundred points against its closed forms; pyramids
 * of discs, a wall that a ball hits, a chain that falls, a box on twenty stairs, judged at every step and event. */
#include "tests/contact_checks.h"
#include "tests/many_contacts.h"

#define G 9.81

static const double mass = 10.0, inertia = 1.0, mu_s = 0.5, mu_k = 0.4, arm = 0.45, high = 0.1;

static rig sledge_run(sledge s)
{
    scene_text   text = { 0 };
    sal_run_opts opts = sal_run_defaults();
    rig          r;

    write_sledge(&text, s);
    r = rig_text(text.at);
    free(text.at);
    opts.quiet = opts.validate = true;
    opts.rtol                  = 1e-10;
    rig_run(&r, &opts);
    return r;
}

typedef struct wrench { /* of all points: normal, friction, and the moment of the normal forces about P0 */
    double N, T, M;
} wrench;

/* Each pushes, and none is beyond its cone. */
static wrench sum_of(const rig *r, const double *lambda)
{
    wrench w = { 0 };

    for (int k = 0; k < r->model->tables->touches.n; k++) {
        const sal_touch *t = &r->model->tables->touches.at[k];
        assert_true(lambda[t->normal] >= -1e-9 * mass * G);
        assert_true(fabs(lambda[t->tangent]) <= mu_s * lambda[t->normal] + 1e-9 * mass * G);
        w.N += lambda[t->normal];
        w.T += lambda[t->tangent];
        w.M += lambda[t->normal] * k / (SLEDGE_POINTS - 1.0);
    }
    return w;
}

/* Pushed along its points with 30 N/s t, it stands until 30 t = mu_s m g; moments about P0, in which neither the push nor
 * friction has one. */
static void test_hundred_points_stand(void **state)
{
    const double onset = mu_s * mass * G / 30.0;
    rig          r     = sledge_run((sledge){ .push = 30.0, .duration = 2.0 });

    (void)state;
    for (int k = 1; k < 10; k++) {
        rig_to(&r, 0.1 * k * onset);
        const wrench w = sum_of(&r, sal_run_lambda(r.run));
        assert_near(w.N, mass * G, 1e-9);
        assert_near(w.T, -30.0 * sal_run_time(r.run), 1e-9);
        assert_near(w.M, mass * G * arm, 1e-9);
    }
    rig_event(&r, NULL);
    assert_near(sal_run_time(r.run), onset, 1e-9);
    assert_says(sal_run_event(r.run).name, "slip");
    while (sal_run_to(r.run, 2.0) == SAL_EVENT) continue;
    assert_near(sal_run_time(r.run), 2.0, 0.0);
    assert_near(rig_probe(&r, "vx(P0)"), (15.0 * (4.0 - onset * onset) - mu_k * mass * G * (2.0 - onset)) / mass, 1e-8);
    /* now the centre accelerates: moments about P0 have m a high */
    const wrench w = sum_of(&r, sal_run_lambda(r.run));
    assert_near(w.N, mass * G, 1e-8);
    assert_near(w.M, mass * G * arm - mass * high * (60.0 - mu_k * mass * G) / mass, 1e-8);
    rig_free(&r);
}

/* It lands flat with vx = 2 and vy = sqrt(2 g h): friction takes mu_k of the normal impulse, and mu_k g from then on. */
static void test_hundred_points_land_flat(void **state)
{
    const double h = 0.05, vy = sqrt(2.0 * G * h), t0 = vy / G, v = 2.0 - mu_k * vy, stop = t0 + v / (mu_k * G);
    rig          r = sledge_run((sledge){ .height = h, .vx = 2.0, .duration = 1.0 });

    (void)state;
    rig_event(&r, NULL);
    assert_near(sal_run_time(r.run), t0, 1e-10);
    const wrench P = sum_of(&r, sal_run_event(r.run).impulse);
    assert_near(P.N, mass * vy, 1e-9);
    assert_near(P.T, -mu_k * mass * vy, 1e-9);
    assert_near(P.M, mass * vy * arm + mu_k * mass * vy * high, 1e-9); /* it does not turn */
    check_impact(r.run, false);
    for (int k = 0; k < r.model->n; k++) assert_near(sal_run_v(r.run)[k], k % 2 ? 0.0 : v, 1e-9);
    rig_event(&r, NULL);
    assert_near(sal_run_time(r.run), stop, 1e-8);
    while (sal_run_to(r.run, 1.0) == SAL_EVENT) continue;
    assert_near(rig_probe(&r, "x(P0)"), 2.0 * t0 + v * v / (2.0 * mu_k * G), 1e-8);
    rig_free(&r);
}

/* Tilted it lands on one end, a point at r = (rx, ry) from the centre, without restitution: it sticks if that takes no
 * more friction than there is, 1/W of a rigid body; else it slips with mu_k. */
static void test_hundred_points_land_tilted(void **state)
{
    static const struct {
        double tilt, vx;
    } list[] = { { 0.2, 0.1 }, { 0.2, 2.0 }, { -0.3, 0.1 }, { -0.3, -2.0 } };

    (void)state;
    for (int i = 0; i < SAL_COUNT(list); i++) {
        const double tilt = list[i].tilt, c = cos(tilt), s = sin(tilt), end = tilt > 0.0 ? 0.0 : 1.0;
        const double rx = (end - arm) * c + high * s, ry = (end - arm) * s - high * c;
        const double Wnn = 1.0 / mass + rx * rx / inertia, Wtt = 1.0 / mass + ry * ry / inertia,
                     Wnt = -rx * ry / inertia;
        rig r            = sledge_run(
                       (sledge){ .height = tilt > 0.0 ? 0.05 : 0.05 - s, .tilt = tilt, .vx = list[i].vx, .duration = 0.12 });
        double N, T;

        rig_event(&r, NULL);
        const double vy = -G * sal_run_time(r.run), vx = list[i].vx, det = Wnn * Wtt - Wnt * Wnt;
        N = (-vy * Wtt + vx * Wnt) / det;
        T = (-vx * Wnn + vy * Wnt) / det;
        if (fabs(T) > mu_s * N) { /* slips the way it goes */
            const double mu = vx > 0.0 ? -mu_k : mu_k;
            N               = -vy / (Wnn + mu * Wnt);
            T               = mu * N;
            assert_true((vx + Wnt * N + Wtt * T) * vx > 0.0);
        }
        const wrench P = sum_of(&r, sal_run_event(r.run).impulse);
        assert_near(sal_run_time(r.run), sqrt(0.1 / G), 1e-10);
        assert_near(P.N, N, 1e-9);
        assert_near(P.T, T, 1e-9);
        assert_near(rig_probe(&r, "rate(sledge)"), (rx * N - ry * T) / inertia, 1e-9);
        check_impact(r.run, false);
        rig_free(&r);
    }
}

/* ------------------------------------------------------------------------------------------- piles */

static const judged whole = {
    .still = true, .passive = true, .deep = 1e-8, .force = 1e-8, .impact = 1e-10, .grow = 1e-6
};

/* A scene to its end, as it must be; rows of a pile are so many that validation is left to the judge. */
static void judge_scene(const char *name, rig r, double duration, bool ends)
{
    sal_run_opts opts = sal_run_defaults();
    judged       must = whole;
    fault        f    = { "" };

    must.scuffs   = ends;
    opts.quiet    = true;
    opts.rtol     = 1e-8;
    opts.max_wall = 1000.0; /* for ten rows, where others work beside them */
    if (duration > 0.0) opts.duration = duration;
    rig_run(&r, &opts);
    judge_motion(r.run, &must, &f);
    if (f.text[0]) fail_msg("%s: %s", name, f.text);
    print_message("%s: %ld events\n", name, sal_run_get_stats(r.run).events);
    rig_free(&r);
}

static void judge_text(const char *name, scene_text *text, double duration, bool ends)
{
    rig r = rig_text(text->at);

    free(text->at);
    judge_scene(name, r, duration, ends);
}

static void judge_pyramid(pyramid p)
{
    scene_text text = { 0 };
    char       name[128];

    snprintf(name, sizeof name, "pyramid of %d rows, mu %g, e %g, dropped by %g m, at %g m%s", p.rows, p.mu,
             p.restitution, p.drop, p.x, p.mirrored ? ", mirrored" : "");
    write_pyramid(&text, p);
    judge_text(name, &text, 0.0, false);
}

/* Nine and ten rows, 90 and 111 contacts, take minutes: test_piles ROWS judges one pyramid. */
static void test_pyramids(void **state)
{
    enum { MOST = SANITIZED ? 3 : 8 };

    (void)state;
    for (int rows = 3; rows <= MOST; rows++) judge_pyramid(a_pyramid(rows));
}

static void test_one_pyramid(void **state)
{
    judge_pyramid(a_pyramid(*(const int *)*state));
}

/* The same with other laws and elsewhere. */
static void test_other_pyramids(void **state)
{
    static const pyramid list[] = {
        { 3, 0.2, 0.2, 0.1, 0.0, 0.0, 1.0, false },  { 3, 1.0, 0.2, 0.1, 0.0, 0.0, 1.0, false },
        { 3, 0.5, 0.0, 0.1, 0.0, 0.0, 1.0, false },  { 3, 0.5, 0.5, 0.1, 0.0, 0.0, 1.0, false },
        { 3, 0.5, 0.2, 0.1, 0.05, 0.0, 1.0, false }, { 3, 0.5, 0.2, 0.1, 0.0, 1e3, 1.0, false },
        { 3, 0.5, 0.2, 0.1, 0.0, 0.0, 1.0, true },   { 4, 0.2, 0.2, 0.1, 0.0, 0.0, 1.0, false },
        { 4, 1.0, 0.2, 0.1, 0.0, 0.0, 1.0, false },  { 4, 0.5, 0.0, 0.1, 0.0, 0.0, 1.0, false },
        { 4, 0.5, 0.5, 0.1, 0.0, 0.0, 1.0, false },  { 4, 0.5, 0.2, 0.1, 0.05, 0.0, 1.0, false },
        { 4, 0.5, 0.2, 0.1, 0.0, 1e3, 1.0, false },  { 4, 0.5, 0.2, 0.1, 0.0, 0.0, 1.0, true },
        { 5, 1.0, 0.2, 0.1, 0.0, 0.0, 1.0, false },  { 5, 0.5, 0.0, 0.1, 0.0, 0.0, 1.0, false },
        { 5, 0.5, 0.2, 0.1, 0.0, 0.0, 1.0, true },   { 5, 0.5, 0.2, 0.1, 0.0, 1e3, 1.0, false },
        { 6, 1.0, 0.2, 0.1, 0.0, 0.0, 1.0, false },  { 6, 0.5, 0.0, 0.1, 0.0, 0.0, 1.0, false },
    };

    (void)state;
    for (int k = 0; k < (SANITIZED ? 2 : SAL_COUNT(list)); k++) judge_pyramid(list[k]);
}

/* Gaps are not judged: corners that have slid past the end of an edge may come back beside it. With restitution only the
 * blow and the first rebounds of the boxes: from 0.2 s on a corner rebounds more than a thousand times at one instant. */
static void test_wall(void **state)
{
    static const struct {
        double restitution, duration;
    } list[] = { { 0.0, 0.3 }, { 0.2, 0.11 }, { 0.5, 0.105 } };

    (void)state;
    for (int k = 0; k < SAL_COUNT(list) && !SANITIZED; k++) {
        scene_text text = { 0 };
        char       name[32];
        snprintf(name, sizeof name, "wall, e %g", list[k].restitution);
        write_wall(&text, list[k].restitution);
        judge_text(name, &text, list[k].duration, true);
    }
}

static void test_chain(void **state)
{
    static const double wave[] = { 0.0, 0.5 };

    (void)state;
    for (int k = 0; k < (SANITIZED ? 1 : SAL_COUNT(wave)); k++) {
        scene_text text = { 0 };
        write_chain(&text, wave[k]);
        judge_text(wave[k] > 0.0 ? "chain in a wave" : "straight chain", &text, 0.0, false);
    }
}

/* From the top to the bottom. That nothing is passed through is looked at in test_geometry, by the shapes themselves:
 * gaps of an edge go on beyond its ends. */
static void test_twenty_stairs(void **state)
{
    (void)state;
    judge_scene("stairs", rig_scene("stairs.json"), SANITIZED ? 1.2 : 6.0, true);
}

int main(int argc, char **argv)
{
    int                     rows    = argc > 1 ? atoi(argv[1]) : 0;
    const struct CMUnitTest one[]   = { cmocka_unit_test_prestate(test_one_pyramid, &rows) };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hundred_points_stand),
        cmocka_unit_test(test_hundred_points_land_flat),
        cmocka_unit_test(test_hundred_points_land_tilted),
        cmocka_unit_test(test_pyramids),
        cmocka_unit_test(test_other_pyramids),
        cmocka_unit_test(test_wall),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_twenty_stairs),
    };

    return rows > 0 ? cmocka_run_group_tests(one, NULL, NULL) : cmocka_run_group_tests(tests, NULL, NULL);
}
