/* test_regressions.c - mechanisms that once went wrong, each as a family rather than as the one case that was seen. */
#include "tests/many_contacts.h"
#include "tests/support.h"

/* ------------------------------------------------------------------------------- contacts let go */

/* To the end; N of the scene's only contact row must not pull anywhere. Gives the time of the first release. */
static double run_without_pull(rig *r, double weight)
{
    const int  normal  = rig_row(r, "floor.n");
    double     release = NAN;
    sal_status status;

    while ((status = sal_run_step(r->run)) == SAL_OK || status == SAL_EVENT) {
        if (status == SAL_EVENT && !strcmp(sal_run_event(r->run).name, "floor.release") && isnan(release))
            release = sal_run_time(r->run);
        if (sal_run_lambda(r->run)[normal] < -1e-12 * weight)
            fail_msg("N = %g at t = %.9g", sal_run_lambda(r->run)[normal], sal_run_time(r->run));
    }
    if (status != SAL_END) fail_msg("%s", sal_run_message(r->run));
    return release;
}

/* A mass on the floor on a spring to a support that rises, y = 1/2 + amp sin w t: released where k amp sin w t = m g. */
static void test_spring_lifts_off(void **state)
{
    uint64_t seed = 1;
    rig      r =
        rig_load("'parameters': { 'k': 30, 'm': 1, 'w': 3, 'amp': 0.5 },"
                 "'points': { 'D': { 'at': [0, '0.5 + amp*sin(w*t)'], 'fixed': true }, 'P': { 'at': [0, 0] } },"
                 "'bodies': { 'mass': { 'type': 'point_mass', 'point': 'P', 'mass': 'm' } },"
                 "'joints': { 'spring': { 'type': 'spring', 'points': ['D', 'P'], 'stiffness': 'k', 'length': 0.5 } },"
                 "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'] } }, 'simulation': { 'duration': 0.5 }");

    (void)state;
    rig_run(&r, NULL);
    for (int i = 0; i < 1000; i++) {
        const double m = 1.0 + 0.9 * random_number(&seed), k = m * (40.0 + 18.0 * random_number(&seed));
        assert_int_equal(sal_run_set(r.run, "k", k), SAL_OK);
        assert_int_equal(sal_run_set(r.run, "m", m), SAL_OK);
        assert_int_equal(sal_run_restart(r.run), SAL_OK);
        assert_near(run_without_pull(&r, 9.81 * m), asin(9.81 * m / (0.5 * k)) / 3.0, 1e-12);
        assert_true(rig_probe(&r, "y(P)") > 1e-4);
    }
    rig_free(&r);
}

/* A hook that rises with v: released where k v t = m g. */
static void test_hook_lifts_off(void **state)
{
    uint64_t seed = 2;
    rig      r    = rig_load("'parameters': { 'k': 200, 'v': 0.1, 'm': 5 },"
                                     "'points': { 'H': { 'at': [0, '1 + v*t'], 'fixed': true }, 'M': { 'at': [0, 0] } },"
                                     "'bodies': { 'b': { 'type': 'point_mass', 'point': 'M', 'mass': 'm' } },"
                                     "'joints': { 'hook': { 'type': 'spring', 'points': ['M', 'H'], 'stiffness': 'k', 'length': 1 } },"
                                     "'contacts': { 'floor': { 'type': 'ground', 'points': ['M'] } }, 'simulation': { 'duration': 8 }");

    (void)state;
    rig_run(&r, NULL);
    for (int i = 0; i < 1000; i++) {
        const double m = 3.0 + 2.5 * random_number(&seed), k = 150.0 + 80.0 * random_number(&seed);
        assert_int_equal(sal_run_set(r.run, "k", k), SAL_OK);
        assert_int_equal(sal_run_set(r.run, "m", m), SAL_OK);
        assert_int_equal(sal_run_restart(r.run), SAL_OK);
        if (9.81 * m / (0.1 * k) > 7.9) continue;
        assert_near(run_without_pull(&r, 9.81 * m), 9.81 * m / (0.1 * k), 1e-11);
    }
    rig_free(&r);
}

/* The torque on the wheel is one formula whose parts balance where the pawl lets go. */
static void test_ratchet_turns_on(void **state)
{
    rig        r     = rig_test_scene("ratchet.json");
    int        teeth = 0;
    sal_status status;

    (void)state;
    rig_run(&r, NULL);
    while ((status = sal_run_step(r.run)) == SAL_OK || status == SAL_EVENT)
        teeth += status == SAL_EVENT && !strcmp(sal_run_event(r.run).name, "tooth");
    assert_int_equal(status, SAL_END);
    assert_int_equal(teeth, 32);
    rig_verify(&r, with_respect_to((const char *const[]){ "load", "T", "I" }, 3), "ratchet.json");
    rig_free(&r);
}

/* ------------------------------------------------------------------------- rates of force events */

static const double speeds[] = { 3.0, 3e3, 3e5, 3e6 };

/* The time of the first event of that name and its derivatives. */
static double first_event(rig *r, const char *name, double *gradient, int p)
{
    sal_status status;

    while ((status = sal_run_step(r->run)) == SAL_OK || status == SAL_EVENT) {
        if (status != SAL_EVENT || strcmp(sal_run_event(r->run).name, name) != 0) continue;
        memcpy(gradient, sal_run_event_gradient(r->run), sizeof *gradient * (size_t)p);
        return sal_run_time(r->run);
    }
    fail_msg("%s does not happen: %s", name, sal_run_message(r->run));
    return NAN;
}

/* The spring above at any time scale: k and g grow with w^2. t = asin(s)/w with s = m g/(k amp). */
static void test_release_time_at_every_scale(void **state)
{
    (void)state;
    for (int i = 0; i < SAL_COUNT(speeds); i++) {
        const double w = speeds[i], f = w * w / 9.0, k = 30.0 * f, g = 9.81 * f, s = g / (0.5 * k);
        const double slope   = 1.0 / (w * sqrt(1.0 - s * s)),
                     exact[] = { -slope * s / k, -slope * s / 0.5, -asin(s) / (w * w) };
        sal_run_opts opts    = with_respect_to((const char *const[]){ "k", "amp", "w" }, 3);
        char         text[1024];
        double       gradient[3];
        rig          r;

        snprintf(text, sizeof text,
                 "'parameters': { 'k': %.17g, 'amp': 0.5, 'w': %.17g }, 'gravity': [0, %.17g],"
                 "'points': { 'D': { 'at': [0, '0.5 + amp*sin(w*t)'], 'fixed': true }, 'P': { 'at': [0, 0] } },"
                 "'bodies': { 'mass': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                 "'joints': { 's': { 'type': 'spring', 'points': ['D', 'P'], 'stiffness': 'k', 'length': 0.5 } },"
                 "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'closed': ['P'] } },"
                 "'simulation': { 'duration': %.17g, 'rtol': 1e-11 }",
                 k, w, -g, 1.8 / w);
        r = rig_load(text);
        rig_run(&r, &opts);
        assert_near(first_event(&r, "floor.release", gradient, 3), asin(s) / w, 1e-12 / w);
        for (int c = 0; c < 3; c++) assert_near(gradient[c] / exact[c], 1.0, 1e-9);
        rig_free(&r);
    }
}

/* A block dragged by a spring whose end moves with v: it slips where k v t = mu m g. */
static void test_slip_time_at_every_scale(void **state)
{
    (void)state;
    for (int i = 0; i < SAL_COUNT(speeds); i++) {
        const double w = speeds[i], f = w * w, k = 20.0 * f, g = 9.81 * f, mu = 0.4, v = 0.5 * w, t = mu * g / (k * v);
        sal_run_opts opts = with_respect_to((const char *const[]){ "k", "mu", "v" }, 3);
        char         text[1024];
        double       gradient[3];
        rig          r;

        snprintf(text, sizeof text,
                 "'parameters': { 'k': %.17g, 'mu': %g, 'v': %.17g }, 'gravity': [0, %.17g],"
                 "'points': { 'D': { 'at': ['1 + v*t', 0], 'fixed': true }, 'P': { 'at': [0, 0] } },"
                 "'bodies': { 'block': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                 "'joints': { 's': { 'type': 'spring', 'points': ['D', 'P'], 'stiffness': 'k', 'length': 1 } },"
                 "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'], 'closed': ['P'], 'mu_static': 'mu', "
                 "'mu_kinetic': '0.5*mu' } }, 'simulation': { 'duration': %.17g, 'rtol': 1e-11 }",
                 k, mu, v, -g, 1.1 * t);
        r = rig_load(text);
        rig_run(&r, &opts);
        assert_near(first_event(&r, "floor.slip", gradient, 3), t, 1e-12 * t);
        assert_near(gradient[0] / (-t / k), 1.0, 1e-9);
        assert_near(gradient[1] / (t / mu), 1.0, 1e-9);
        assert_near(gradient[2] / (-t / v), 1.0, 1e-9);
        rig_free(&r);
    }
}

/* ------------------------------------------------------------------------- searches that must end */

static const char *const noisy[] = { "hang_stick.json", "hang_two_legs.json", "hang_two_bodies.json",
                                     "hang_compass.json", "five_bar_far_away.json" };

static bool count_asked(void *user)
{
    ++*(long *)user;
    return false;
}

/* Event functions that are noise, forces that almost depend on each other: an end, or a reason, with a bounded effort. */
static void test_noise_ends(void **state)
{
    (void)state;
    for (int i = 0; i < SAL_COUNT(noisy); i++) {
        rig          r     = rig_test_scene(noisy[i]);
        sal_run_opts opts  = sal_run_defaults();
        long         asked = 0;
        sal_status   status;

        opts.quiet = true;
        opts.stop  = count_asked;
        opts.user  = &asked;
        rig_run(&r, &opts);
        status = rig_finish(&r);
        if (status < 0) assert_true(strlen(sal_run_message(r.run)) > 20);
        assert_true(asked < 200000);
        rig_free(&r);
    }
}

/* Says stop at the n-th time that it is asked. */
typedef struct counter {
    long left;
} counter;

static bool stop_then(void *user)
{
    return --((counter *)user)->left == 0;
}

/* Stopped anywhere and told to go on, a run ends with the same bits. */
static void test_stop_and_go_on(void **state)
{
    uint64_t     seed = 3;
    rig          r = rig_scene("five_bar_friction.json"), other = rig_scene("five_bar_friction.json");
    sal_run_opts opts = with_respect_to((const char *const[]){ "L01", "mu_k" }, 2);
    counter      c    = { 0 };
    sal_status   status;
    int          stops = 0;

    (void)state;
    rig_run(&r, &opts);
    rig_end(&r);
    opts.stop = stop_then;
    opts.user = &c;
    rig_run(&other, &opts);
    do {
        if (c.left <= 0) c.left = 1 + (long)(4.0 + 4.0 * random_number(&seed));
        status = sal_run_step(other.run);
        stops += status == SAL_STOPPED;
    } while (status == SAL_OK || status == SAL_EVENT || status == SAL_STOPPED);
    assert_int_equal(status, SAL_END);
    assert_true(stops > 5);
    for (int k = 0; k < r.model->n; k++) {
        assert_true(sal_run_q(r.run)[k] == sal_run_q(other.run)[k]);
        assert_true(sal_run_v(r.run)[k] == sal_run_v(other.run)[k]);
    }
    for (int k = 0; k < 2 * r.model->n; k++) assert_true(sal_run_Q(r.run)[k] == sal_run_Q(other.run)[k]);
    rig_free(&r);
    rig_free(&other);
}

static void test_limits(void **state)
{
    rig          r    = rig_scene("bouncing_mass.json");
    sal_run_opts opts = sal_run_defaults();
    sal_status   status;

    (void)state;
    opts.max_steps = 5;
    rig_run(&r, &opts);
    status = rig_finish(&r);
    assert_int_equal(status, SAL_ERR_LIMIT);
    assert_says(sal_run_message(r.run), "the limit of 5 steps is reached at t = ");
    opts.max_steps  = 0;
    opts.max_events = 1;
    rig_run(&r, &opts);
    status = rig_finish(&r);
    assert_int_equal(status, SAL_ERR_LIMIT);
    assert_says(sal_run_message(r.run), "the limit of 1 events is reached");
    assert_int_equal(sal_run_get_stats(r.run).events, 1);
    opts.max_events = 0;
    opts.max_wall   = 1e-9;
    rig_run(&r, &opts);
    status = rig_finish(&r);
    assert_int_equal(status, SAL_ERR_LIMIT);
    assert_says(sal_run_message(r.run), "the time limit of 1e-09 s is over");
    rig_free(&r);
}

/* Waits at the n-th time that it is asked until the time limit is over. */
static bool wait_then(void *user)
{
    counter *c = user;

    if (--c->left == 0) {
        const double until = sal_watch_now() + 0.002;
        while (sal_watch_now() < until) continue;
    }
    return false;
}

/* The same for one that takes longer until then. */
static const double LONG = SANITIZED ? 20.0 : 2.0;

static bool wait_long(void *user)
{
    counter *c = user;

    if (--c->left == 0) {
        const double until = sal_watch_now() + LONG;
        while (sal_watch_now() < until) continue;
    }
    return false;
}

/* The time is over wherever it is asked for: in a step, in a search for events, among the roles of contacts at the start
 * and at an event (a rod that slides where friction becomes too large, for which all are tried). Always with a message, and a run
 * that is in the middle of an event then has no state to be saved. */
static void test_time_is_over_anywhere(void **state)
{
    rig          r[2];
    sal_run_opts opts     = sal_run_defaults();
    int          at_start = 0, in_event = 0, in_step = 0;
    size_t       size;

    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "'memory': { 'mu': %s }, 'points': { 'A': { 'at': [0, 0], 'velocity': [-3, 0] },"
                 "            'B': { 'at': ['cos(1)', 'sin(1)'], 'velocity': [-3, 0] } },"
                 "'bodies': { 'rod': { 'type': 'bar', 'points': ['A', 'B'], 'mass': 1, 'length': 1 } },"
                 "'contacts': { 'floor': { 'type': 'ground', 'points': ['A', 'B'], 'mu_static': 'mu' },"
                 "              'rough': { 'type': 'event', 'when': '0.01 - t', 'set': { 'mu': 2 } } }",
                 k ? "0.1" : "2");
        r[k] = rig_load(text);
    }
    opts.max_wall = 0.001;
    opts.stop     = wait_then;
    for (int i = 0; i < 200; i++) {
        counter    c      = { 1 + i / 2 };
        rig       *one    = &r[i % 2];
        sal_status status = SAL_OK;

        opts.user = &c;
        if (rig_try(one, &opts) == SAL_ERR_LIMIT) {
            assert_says(sal_message(one->context), "the time limit of 0.001 s is over at t = 0 s");
            at_start++;
        }
        if (!one->run) continue;
        while (status == SAL_OK || status == SAL_EVENT) status = sal_run_step(one->run);
        if (status != SAL_ERR_LIMIT) continue;
        assert_says(sal_run_message(one->run), "the time limit of 0.001 s is over at t = ");
        if (one->run->halfway) assert_int_equal(sal_run_save(one->run, NULL, 0, &size), SAL_ERR_ARGUMENT);
        if (one->run->halfway) assert_says(sal_message(one->context), "ended in the middle of an event");
        else assert_int_equal(sal_run_save(one->run, NULL, 0, &size), SAL_OK);
        *(one->run->halfway ? &in_event : &in_step) += 1;
    }
    assert_true(in_step > 0);
    assert_true(at_start == 0 && in_event == 0); /* what two contacts decide is too short to be ended: see below */
    rig_free(&r[0]);
    rig_free(&r[1]);
}

/* A body that lands on a hundred points: that decision is long enough to be ended in the middle, by who is asked and by
 * the time limit. Such a run has a message and no state to be saved; restarted it goes through. */
static sal_status run_asked(rig *r, counter c, bool by_time)
{
    sal_run_opts opts   = sal_run_defaults();
    sal_status   status = SAL_OK;

    opts.stop     = by_time ? wait_long : stop_then;
    opts.user     = &c;
    opts.max_wall = by_time ? LONG : 0.0;
    rig_run(r, &opts);
    while (status == SAL_OK || status == SAL_EVENT) status = sal_run_step(r->run);
    return status;
}

static void test_ended_in_the_middle_of_an_event(void **state)
{
    enum { MANY = 1000000 };
    scene_text   text = { 0 };
    counter      c    = { MANY };
    sal_run_opts opts = sal_run_defaults();
    long         asked;
    size_t       size;
    rig          r;

    (void)state;
    write_sledge(&text, (sledge){ .height = 0.05, .vx = 2.0, .duration = 0.15 });
    r = rig_text(text.at);
    free(text.at);
    opts.stop = stop_then;
    opts.user = &c;
    rig_run(&r, &opts);
    while (sal_run_step(r.run) != SAL_END) assert_true(sal_run_get_stats(r.run).events <= 1);
    for (asked = MANY - c.left; asked > 0; asked--) { /* backwards, to when it is asked in the landing */
        assert_int_equal(run_asked(&r, (counter){ asked }, false), SAL_STOPPED);
        if (r.run->halfway) break;
    }
    for (int by_time = 0; by_time < 2; by_time++) {
        const sal_status status = run_asked(&r, (counter){ asked }, by_time);
        assert_int_equal(status, by_time ? SAL_ERR_LIMIT : SAL_STOPPED);
        assert_true(r.run->halfway);
        assert_int_equal(sal_run_save(r.run, NULL, 0, &size), SAL_ERR_ARGUMENT);
        assert_says(sal_message(r.context), "ended in the middle of an event");
        if (by_time) assert_says(sal_run_message(r.run), "the time limit of ");
    }
    c.left = 0; /* nobody says stop again */
    rig_run(&r, &opts);
    assert_int_equal(sal_run_restart(r.run), SAL_OK);
    while (sal_run_step(r.run) != SAL_END) continue;
    assert_int_equal(sal_run_get_stats(r.run).events, 1);
    rig_free(&r);
}

/* ---------------------------------------------------------------------- functions that are held */

/* Events on what a closed contact or a joint keeps at zero: none happens, and no search is made of rounding errors. */
static void test_held_functions(void **state)
{
    static const char *const when[] = { "y(P)", "y(P)*(1 + x(P)^2)", "vy(P)", "x(W)^2 + y(W)^2 - 1",
                                        "y(P) + 0.001*(x(W)^2 + y(W)^2 - 1)" };

    (void)state;
    for (int i = 0; i < SAL_COUNT(when); i++) {
        char       text[1024];
        long       events = 0;
        sal_status status;
        rig        r;

        snprintf(
            text, sizeof text,
            "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'W': { 'at': [1, 0] },"
            " 'P': { 'at': [0.3, 0], 'velocity': [1, 0] } },"
            "'bodies': { 'block': { 'type': 'point_mass', 'point': 'P', 'mass': 1 },"
            " 'bar': { 'type': 'bar', 'points': ['O', 'W'], 'mass': 1 } },"
            "'joints': { 's': { 'type': 'spring', 'points': ['W', 'P'], 'stiffness': 3, 'length': 1 } },"
            "'contacts': { 'floor': { 'type': 'ground', 'points': ['P'] }, 'mark': { 'type': 'event', 'when': '%s',"
            " 'direction': 'both' } }, 'gravity': [0, -30], 'simulation': { 'duration': 3 }",
            when[i]);
        r = rig_load(text);
        rig_run(&r, NULL);
        while ((status = sal_run_step(r.run)) == SAL_OK || status == SAL_EVENT) events += status == SAL_EVENT;
        if (status != SAL_END) fail_msg("%s: %s", when[i], sal_run_message(r.run));
        if (events) fail_msg("%s: %ld events", when[i], events);
        rig_free(&r);
    }
}

/* -------------------------------------------------------------------------- events at one instant */

/* The events of a run by their names, "a b c". */
static void events_of(rig *r, char *names, size_t room)
{
    size_t     used = 0;
    sal_status status;

    names[0] = '\0';
    while ((status = sal_run_step(r->run)) == SAL_OK || status == SAL_EVENT) {
        if (status == SAL_EVENT)
            used += (size_t)snprintf(names + used, room - used, "%s%s", used ? " " : "", sal_run_event(r->run).name);
    }
    if (status != SAL_END) fail_msg("%s", sal_run_message(r->run));
}

/* A mass falls on a floor where several things happen: each once, in the order of the scene. */
static void test_events_at_one_instant(void **state)
{
    static const struct {
        const char *contacts, *events;
        double      end;
    } cases[] = {
        { "'floor': %s, 'touch': { 'type': 'event', 'when': 'y(P)', 'set': { 'n': 'n + 1' } }", "floor touch", 1.0 },
        { "'touch': { 'type': 'event', 'when': 'y(P)', 'set': { 'n': 'n + 1' } }, 'floor': %s", "touch floor", 1.0 },
        { "'floor': %s, 'a': { 'type': 'event', 'when': '2*y(P)', 'set': { 'n': 'n + 1' } },"
          " 'b': { 'type': 'event', 'when': 'y(P)*exp(y(P))', 'stop': true }",
          "floor a b", 0.451523640985728 },
        { "'b': { 'type': 'event', 'when': 'y(P)', 'stop': true }, 'floor': %s,"
          " 'a': { 'type': 'event', 'when': 'y(P)', 'set': { 'n': 'n + 1' } }",
          "b floor a", 0.451523640985728 },
        { "'floor': %s, 'up': { 'type': 'event', 'when': 'y(P)', 'direction': 'rising', 'set': { 'n': 'n + 1' } },"
          " 'a': { 'type': 'event', 'when': 'y(P)', 'guard': 'n > 5', 'set': { 'n': 'n + 1' } },"
          " 'c': { 'type': 'event', 'when': 'y(P)', 'set': { 'n': 'n + 1' } }",
          "floor c", 1.0 },
    };

    (void)state;
    for (int i = 0; i < SAL_COUNT(cases); i++) {
        char contacts[600], text[1024], names[200];
        rig  r;

        snprintf(contacts, sizeof contacts, cases[i].contacts, "{ 'type': 'ground', 'points': ['P'] }");
        snprintf(text, sizeof text,
                 "'memory': { 'n': 0 }, 'points': { 'P': { 'at': [0, 1] } },"
                 "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } }, 'contacts': { %s },"
                 "'outputs': { 'n': 'n' }, 'simulation': { 'duration': 1 }",
                 contacts);
        r = rig_load(text);
        rig_run(&r, NULL);
        events_of(&r, names, sizeof names);
        assert_string_equal(names, cases[i].events);
        assert_near(sal_run_time(r.run), cases[i].end, 1e-12);
        if (strstr(cases[i].events, "floor ") || strstr(cases[i].events, "touch"))
            assert_near(sal_run_output(r.run, 0), 1.0, 0.0);
        rig_free(&r);
    }
}

/* Events that always coincide have derivatives; those that do so for these parameters alone say that they have none. */
static void test_derivatives_at_one_instant(void **state)
{
    static const char *const when[] = { "y(P)", "y(P) - (h - 1)" };
    double                   gradient[1];

    (void)state;
    for (int i = 0; i < 2; i++) {
        sal_run_opts opts = with_respect_to((const char *const[]){ "h" }, 1);
        char         text[1024];
        rig          r;

        snprintf(text, sizeof text,
                 "'parameters': { 'h': 1 }, 'memory': { 'n': 0 }, 'points': { 'P': { 'at': [0, 'h'] } },"
                 "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } }, 'contacts': {"
                 "'floor': { 'type': 'ground', 'points': ['P'] },"
                 "'touch': { 'type': 'event', 'when': '%s', 'set': { 'n': 't' } } }, 'simulation': { 'duration': 1 }",
                 when[i]);
        r = rig_load(text);
        rig_run(&r, &opts);
        assert_near(first_event(&r, "touch", gradient, 1), sqrt(2.0 / 9.81), 1e-12);
        if (i == 0) assert_near(gradient[0], 1.0 / sqrt(2.0 * 9.81), 1e-10);
        if (i == 0) assert_string_equal(sal_run_wrt_invalid(r.run), "");
        else assert_says(sal_run_wrt_invalid(r.run), "together with another event, but only for these parameters");
        rig_free(&r);
    }
}

/* Three at one instant, in all orders: a floor that throws the mass back, and marks that it passes or no longer does.
 * They stay valid where they always coincide (h moves all of them, m only the masses); a mark that is elsewhere for
 * another h, or one that the clock makes, coincides for this h alone, wherever it stands in the scene. */
static void test_derivatives_of_three_at_one_instant(void **state)
{
    static const struct {
        const char *when[2], *wrt;
        bool        valid;
    } cases[] = {
        { { "y(P)", "3*y(P)" }, "h", true },
        { { "y(P)*exp(y(P))", "sin(y(P))" }, "h", true },
        { { "y(P)", "y(P) - (h - 1)" }, "h", false },
        { { "y(P)", "sqrt(2/9.81) - t" }, "h", false },
        { { "sqrt(2*h/9.81) - t", "y(P)" }, "h", true },
        { { "y(P) - (h - 1)", "sqrt(2/9.81) - t" }, "m", true },
        { { "y(Q)", "y(P)" }, "h", false },
    };
    static const char *const orders[]   = { "012", "021", "102", "120", "201", "210" };
    static const char *const contacts[] = { "'ground', 'points': ['P'], 'restitution': 0.5",
                                            "'ground', 'points': ['P'], 'law': 'reset', 'restitution': 0.5",
                                            "'event', 'when': 'y(P)', 'set': { 'vx(P)': '1' }" };

    (void)state;
    for (int i = 0; i < SAL_COUNT(cases) * SAL_COUNT(orders) * SAL_COUNT(contacts); i++) {
        const int    which = i % SAL_COUNT(cases), order = i / SAL_COUNT(cases) % SAL_COUNT(orders);
        sal_run_opts opts = with_respect_to(&cases[which].wrt, 1);
        char         item[3][200], text[1500], names[200];
        rig          r;

        snprintf(item[0], sizeof item[0], "'floor': { 'type': %s }",
                 contacts[i / SAL_COUNT(cases) / SAL_COUNT(orders)]);
        for (int k = 0; k < 2; k++)
            snprintf(item[k + 1], sizeof item[0],
                     "'mark%d': { 'type': 'event', 'when': '%s', 'direction': 'both', 'set': { 'n': 'n + %d*t' } }", k,
                     cases[which].when[k], k + 1);
        snprintf(text, sizeof text,
                 "'parameters': { 'h': 1, 'm': 1 }, 'memory': { 'n': 0 }, 'points': { 'P': { 'at': [0, 'h'] },"
                 "'Q': { 'at': [1, 1] } }, 'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 'm' },"
                 "'q': { 'type': 'point_mass', 'point': 'Q', 'mass': 2 } }, 'contacts': { %s, %s, %s },"
                 "'simulation': { 'duration': 0.5 }",
                 item[orders[order][0] - '0'], item[orders[order][1] - '0'], item[orders[order][2] - '0']);
        r = rig_load(text);
        rig_run(&r, &opts);
        events_of(&r, names, sizeof names);
        if (!strcmp(sal_run_wrt_invalid(r.run), "") != cases[which].valid)
            fail_msg("%s: '%s' in %s", names, sal_run_wrt_invalid(r.run), text);
        rig_free(&r);
    }
}

/* A block lands flat on two corners, in one impact: at any height, but for another tilt one corner is first, whichever
 * way, and what follows is another motion. */
static void test_derivatives_of_a_flat_landing(void **state)
{
    static const char *const wrt[] = { "h", "tilt" };

    (void)state;
    for (int k = 0; k < 2; k++) {
        rig r =
            rig_load("'parameters': { 'h': 0.1, 'tilt': 0 }, 'points': { 'P': { 'at': [0, 'h'], 'velocity': [0, 0] },"
                     "'Q': { 'at': [1, 'h + tilt'], 'velocity': [0, 0] } },"
                     "'bodies': { 'block': { 'type': 'rigid', 'points': ['P', 'Q'], 'mass': 2, 'centre': [0.5, 0.1],"
                     "'inertia': 0.3 } }, 'contacts': { 'floor': { 'type': 'ground', 'points': ['P', 'Q'],"
                     "'restitution': 0.5 } }, 'simulation': { 'duration': 0.25, 'rtol': 1e-10 }");
        sal_run_opts opts = with_respect_to(&wrt[k], 1);
        char         names[100];

        rig_run(&r, &opts);
        events_of(&r, names, sizeof names);
        assert_string_equal(names, "floor.P");
        if (k == 0) assert_string_equal(sal_run_wrt_invalid(r.run), "");
        else
            assert_says(sal_run_wrt_invalid(r.run), "floor.Q happens at t = 0.142784312 s together with another event");
        rig_free(&r);
    }
}

/* ------------------------------------------------------------------------------ an end that moves */

static void test_end_moves(void **state)
{
    const double g = 9.81, t = sqrt(2.0 / g), dt = 1.0 / sqrt(2.0 * g);
    rig r = rig_load("'parameters': { 'h': 1, 'v': 1 }, 'points': { 'P': { 'at': [0, 'h'], 'velocity': ['v', 0] } },"
                     "'bodies': { 'b': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                     "'contacts': { 'land': { 'type': 'event', 'when': 'y(P)', 'stop': true } },"
                     "'costs': { 'range': { 'terminal': 'x(P)' } }, 'simulation': { 'duration': 5 }");
    sal_run_opts opts = with_respect_to((const char *const[]){ "h", "v" }, 2);
    double       q[4], v[4], lambda[1];

    (void)state;
    rig_run(&r, &opts);
    assert_int_equal(sal_run_final_gradients(r.run, q, v, lambda), SAL_OK); /* not yet: at fixed time */
    assert_near(q[2], 1.0, 0.0);
    assert_near(sal_run_end_gradient(r.run)[0], 0.0, 0.0);
    rig_end(&r);
    assert_int_equal(sal_run_final_gradients(r.run, q, v, NULL), SAL_OK);
    assert_near(sal_run_end_gradient(r.run)[0], dt, 1e-11);
    assert_near(q[0], dt, 1e-11); /* x = v t_end */
    assert_near(q[1], t, 1e-11);
    assert_near(q[2], 0.0, 1e-11); /* y is zero at every end */
    assert_near(v[2], -g * dt, 1e-10);
    assert_near(sal_run_cost_gradients(r.run)[0], q[0], 1e-15);
    assert_near(sal_run_Q(r.run)[2], 1.0, 1e-11); /* at fixed time */
    rig_run(&r, NULL);
    assert_int_equal(sal_run_final_gradients(r.run, q, v, NULL), SAL_ERR_ARGUMENT);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spring_lifts_off),
        cmocka_unit_test(test_hook_lifts_off),
        cmocka_unit_test(test_ratchet_turns_on),
        cmocka_unit_test(test_release_time_at_every_scale),
        cmocka_unit_test(test_slip_time_at_every_scale),
        cmocka_unit_test(test_noise_ends),
        cmocka_unit_test(test_stop_and_go_on),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_time_is_over_anywhere),
        cmocka_unit_test(test_ended_in_the_middle_of_an_event),
        cmocka_unit_test(test_held_functions),
        cmocka_unit_test(test_events_at_one_instant),
        cmocka_unit_test(test_derivatives_at_one_instant),
        cmocka_unit_test(test_derivatives_of_three_at_one_instant),
        cmocka_unit_test(test_derivatives_of_a_flat_landing),
        cmocka_unit_test(test_end_moves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
