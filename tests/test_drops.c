/* test_drops.c - robots are dropped from hundreds of random starts: a quadruped (ten points that touch, friction), two
 * legs on one hip, a humanoid on flat feet, with controllers and without, and the compass gait is let go anywhere. Every
 * run ends, and is a motion that can be at every step and event (contact_checks.h).
 *
 * Half of the robots have equal legs in equal places, a quarter are symmetric and land flat, an eighth stand at rest:
 * where contacts depend on each other and happen at once. A seed makes the same start everywhere.
 *
 *     test_drops [ROBOT SEED]     the start of one, as `--set` of the command, and what is wrong with it */
#include "tests/contact_checks.h"

typedef struct dice {
    uint64_t seed;
} dice;

static double draw(dice *d) /* in [-1, 1) */
{
    return random_number(&d->seed);
}

static bool print;

static void give(sal_run *run, const char *format, int k, double value)
{
    char name[16];

    snprintf(name, sizeof name, format, k);
    if (print) printf(" --set %s=%.17g", name, value);
    if (sal_run_set(run, name, value) != SAL_OK) fail_msg("%s: %s", name, sal_run_message(run));
}

/* What all have: friction, rebounds, the height of the fall; false: it stands. */
static bool give_drop(sal_run *run, dice *d, int seed, bool controlled)
{
    const bool falls = seed % 8 != 7;

    give(run, "kp", 0, controlled ? 120.0 : 0.0);
    give(run, "kd", 0, controlled ? 6.0 : 0.0);
    give(run, "mu", 0, 0.6 + 0.5 * draw(d));
    give(run, "res", 0, fmax(0.0, 0.5 * draw(d)));
    give(run, "clear", 0, falls ? 0.15 + 0.15 * draw(d) : 0.0);
    give(run, "vx", 0, falls && seed % 4 ? 2.0 * draw(d) : 0.0);
    give(run, "vy", 0, falls ? -1.0 + draw(d) : 0.0);
    return falls;
}

static void start_quadruped(sal_run *run, int seed, bool controlled)
{
    static const char *const leg[] = { "r1", "r2", "f1", "f2" };
    dice                     d     = { (uint64_t)seed };
    const bool               falls = give_drop(run, &d, seed, controlled), flat = seed % 4 == 0, equal = seed % 2 == 0;
    const double pitch = flat ? 0.0 : (controlled ? 0.5 : 1.5) * draw(&d), spin = falls && !flat ? 3.0 * draw(&d) : 0.0;
    double       x[4] = { 0 };

    give(run, "pitch", 0, pitch);
    give(run, "spin", 0, spin);
    for (int k = 0; k < 4; k++) {
        char         name[16];
        const double value[4] = { pitch - 2.07 + 0.5 * draw(&d), 1.0 + 0.5 * draw(&d), spin + 2.0 * draw(&d),
                                  spin + 2.0 * draw(&d) };
        if (!(equal && k % 2) && !(flat && k)) memcpy(x, value, sizeof x);
        for (int i = 0; i < 4; i++) {
            snprintf(name, sizeof name, "%c_%s", "abuw"[i], leg[k]);
            give(run, name, 0, i == 0 ? x[0] : i == 1 ? x[0] + x[1] : falls && !flat ? x[i] : 0.0);
        }
    }
}

static void start_two_legs(sal_run *run, int seed, bool controlled)
{
    dice       d     = { (uint64_t)seed };
    const bool falls = give_drop(run, &d, seed, controlled), equal = seed % 2 == 0;
    double     x[4] = { 0 };

    for (int k = 0; k < 2; k++) {
        const double value[4] = { -1.57 + 0.8 * draw(&d), 1.2 + draw(&d), 3.0 * draw(&d), 3.0 * draw(&d) };
        if (!(equal && k)) memcpy(x, value, sizeof x);
        give(run, "a%d", k + 1, x[0]);
        give(run, "b%d", k + 1, x[0] + x[1]);
        give(run, "u%d", k + 1, falls ? x[2] : 0.0);
        give(run, "w%d", k + 1, falls ? x[3] : 0.0);
    }
}

/* Flat: both feet level, and all moving as one. */
static void start_humanoid(sal_run *run, int seed, bool controlled)
{
    dice         d     = { (uint64_t)seed };
    const bool   falls = give_drop(run, &d, seed, controlled), flat = seed % 4 == 0, equal = seed % 2 == 0;
    const double pitch = 0.5 * PI + 0.5 * draw(&d), spin = falls && !flat ? 2.0 * draw(&d) : 0.0;
    double       x[6] = { 0 };

    give(run, "pitch", 0, pitch);
    give(run, "spin", 0, spin);
    for (int k = 0; k < 2; k++) {
        const double value[6] = { -1.4 + 0.5 * draw(&d), -0.4 + 0.4 * draw(&d), 0.4 * draw(&d),
                                  3.0 * draw(&d),        3.0 * draw(&d),        3.0 * draw(&d) };
        if (!(equal && k)) memcpy(x, value, sizeof x);
        give(run, "a%d", k + 1, x[0]);
        give(run, "b%d", k + 1, x[0] + x[1]);
        give(run, "f%d", k + 1, flat ? 0.0 : x[2]);
        for (int i = 0; i < 3; i++)
            give(run, (const char *[]){ "u%d", "w%d", "z%d" }[i], k + 1, falls && !flat ? x[3 + i] : 0.0);
    }
}

static void start_compass(sal_run *run, int seed, bool controlled)
{
    dice d = { (uint64_t)seed };

    (void)controlled;
    give(run, "slope", 0, 3.0 + 3.0 * draw(&d));
    give(run, "qs", 0, 0.5 * draw(&d));
    give(run, "qns", 0, 0.5 * draw(&d));
    give(run, "ws", 0, 3.0 * draw(&d));
    give(run, "wns", 0, 4.0 * draw(&d));
}

/* ------------------------------------------------------------------------------------------- runs */

typedef struct robot {
    const char *scene;
    bool        shipped, controlled;
    void (*start)(sal_run *run, int seed, bool controlled);
    int count;
    int may_fail; /* 0 is where this is going */
} robot;

/* Which starts fail is a matter of rounding, as they bounce a hundred times before: a few more on other processors. */
static const robot robots[] = {
    { "drop_quadruped.json", false, false, start_quadruped, 200, 6 },
    { "drop_quadruped.json", false, true, start_quadruped, 200, 1 },
    { "drop_two_legs.json", false, false, start_two_legs, 200, 1 },
    { "drop_two_legs.json", false, true, start_two_legs, 200, 1 },
    { "drop_humanoid.json", false, false, start_humanoid, 200, 4 },
    { "drop_humanoid.json", false, true, start_humanoid, 200, 2 },
    { "compass_gait.json", true, true, start_compass, 1000, 2 },
};

/* Energy at rtol 1e-8. */
static judged judged_of(const robot *x)
{
    return (judged){ .still   = true,
                     .passive = !x->controlled,
                     .scuffs  = x->shipped,
                     .deep    = 1e-8,
                     .force   = 1e-8,
                     .impact  = 1e-10,
                     .grow    = 1e-6 };
}

static rig robot_rig(const robot *x)
{
    rig          r    = x->shipped ? rig_scene(x->scene) : rig_test_scene(x->scene);
    sal_run_opts opts = sal_run_defaults();

    opts.quiet = opts.validate = true;
    opts.max_events            = 10000;
    opts.max_wall              = SANITIZED ? 200.0 : 20.0;
    rig_run(&r, &opts);
    return r;
}

/* Of one start; true: all is well. */
static bool drop(rig *r, const robot *x, int seed)
{
    const judged must = judged_of(x);
    fault        f    = { "" };

    x->start(r->run, seed, x->controlled);
    if (print) printf("\n");
    if (sal_run_restart(r->run) != SAL_OK) fault_say(&f, "start: %s", sal_run_message(r->run));
    else judge_motion(r->run, &must, &f);
    if (f.text[0]) print_error("%s%s, seed %d: %s\n", x->scene, x->controlled ? ", controlled" : "", seed, f.text);
    return !f.text[0];
}

static void test_drops(void **state)
{
    const robot *x     = *state;
    rig          r     = robot_rig(x);
    const int    every = SANITIZED ? 13 : 1; /* a few of each kind */
    int          bad   = 0;

    for (int seed = 0; seed < x->count; seed += every) bad += !drop(&r, x, seed);
    rig_free(&r);
    if (bad > x->may_fail) fail_msg("%d of %d", bad, (x->count + every - 1) / every);
}

static int drop_one(int which, int seed)
{
    rig  r = robot_rig(&robots[which]);
    bool good;

    print = true;
    good  = drop(&r, &robots[which], seed);
    printf("%d, %s\n", which, good ? "good" : "bad");
    rig_free(&r);
    return !good;
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[SAL_COUNT(robots)];

    if (argc == 3) return drop_one(atoi(argv[1]), atoi(argv[2]));
    for (int k = 0; k < SAL_COUNT(robots); k++)
        tests[k] = (struct CMUnitTest){ robots[k].scene, test_drops, NULL, NULL, (void *)&robots[k] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
