/* test_random_ground.c - random ground by polylines (terrain, stairs, valleys), with points, discs and boxes on it, and
 * contacts that events open and close; from numbers, the same on every machine. What must hold:
 *
 *     a run reaches its end, and validates itself at every step (run/validate.c)
 *     energy never grows: nothing is driven
 *     nothing sinks in, as found out here from the corners alone; where a contact is off it is not closed
 *
 *     build/release/tests/test_random_ground [FIRST COUNT]       prints the scenes that fail */
#include "tests/support.h"

enum { COUNT = 150, CORNERS = 41 };

typedef struct numbers_drawn {
    uint64_t state;
} draw;

/* In [low, high). */
static double within(draw *d, double low, double high)
{
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(d->state >> 11) / 9007199254740992.0);
}

static int below(draw *d, int n)
{
    return (int)within(d, 0.0, n);
}

typedef struct ground {
    double x[CORNERS], y[CORNERS];
    int    n;
    int    what; /* touches it: a point, a disc, a box */
    double radius;
    bool   opens;
    char   text[6000];
} ground;

enum { POINT, DISC, BOX };

static void put_corner(ground *g, double x, double y)
{
    g->x[g->n]   = x;
    g->y[g->n++] = y;
}

/* Heights over x, with walls at both ends: everything stays between them. */
static void make_line(ground *g, draw *d)
{
    const int    kind = below(d, 3), parts = 6 + below(d, 12);
    const double step = 6.0 / parts, rough = within(d, 0.01, 0.4);

    put_corner(g, -3.0, 9.0);
    for (int k = 0; k <= parts; k++) {
        const double x = -3.0 + k * step;
        if (kind == 0) put_corner(g, x, within(d, 0.0, rough));
        if (kind == 1 && k < parts) put_corner(g, x, -rough * k);
        if (kind == 1 && k < parts) put_corner(g, x + step, -rough * k);
        if (kind == 2) put_corner(g, x, 0.1 * x * x + (k % 2) * 0.2 * rough);
    }
    put_corner(g, 3.0, 9.0);
}

static void make_scene(ground *g, draw *d)
{
    static const char *const touches[] = { "'points': ['A']", "'points': ['A'], 'body': 'b', 'radius': ",
                                           "'outline': ['A', 'B', 'C', 'D']" };
    static const double      bounce[] = { 0.0, 0.0, 0.3, 0.7 }, rub[] = { 0.0, 0.2, 0.6, 1.0 };
    char                    *t    = g->text;
    size_t                   room = sizeof g->text, used;
    const double             x = within(d, -1.5, 1.0), y = within(d, 1.0, 1.6), turned = within(d, -3.0, 3.0);

    make_line(g, d);
    g->what   = below(d, 3);
    g->radius = g->what == DISC ? within(d, 0.05, 0.3) : 0.0;
    g->opens  = below(d, 4) == 0;
    used      = (size_t)snprintf(
             t, room,
             "'gravity': [0, -10], 'points': { 'A': { 'at': [%.17g, %.17g], 'velocity': [%.17g, 0], 'dof': true }, "
                  "'B': { 'at': [%.17g, %.17g] } }, 'bodies': { 'b': { 'type': 'rigid', 'points': ['A', 'B'], 'mass': 1, "
                  "'centre': [%s], 'inertia': 0.02, 'markers': { 'C': [0.4, 0.25], 'D': [0, 0.25] } } }, 'outputs': { "
                  "'on': 'active(g.%s)', 'Cx': 'x(C)', 'Cy': 'y(C)', 'Dx': 'x(D)', 'Dy': 'y(D)' }, 'simulation': { "
                  "'duration': 2.5, 'rtol': 1e-9 }, 'contacts': { 'g': { 'type': 'ground', %s",
             x, y, within(d, -3.0, 3.0), x + 0.4 * cos(turned), y + 0.4 * sin(turned), g->what == BOX ? "0.2, 0.12" : "0, 0",
             "A_1", touches[g->what]);
    if (g->what == DISC) used += (size_t)snprintf(t + used, room - used, "%.17g", g->radius);
    used += (size_t)snprintf(t + used, room - used, ", 'restitution': %g, 'mu_kinetic': %g, 'line': [",
                             bounce[below(d, 4)], rub[below(d, 4)]);
    for (int k = 0; k < g->n; k++)
        used += (size_t)snprintf(t + used, room - used, "%s[%.17g, %.17g]", k ? ", " : "", g->x[k], g->y[k]);
    used += (size_t)snprintf(t + used, room - used, "] }");
    if (g->opens)
        used +=
            (size_t)snprintf(t + used, room - used,
                             ", 'away': { 'type': 'event', 'when': 't - %.9g', 'direction': 'rising', 'open': 'g' }, "
                             "'back': { 'type': 'event', 'when': 't - %.9g', 'direction': 'rising', 'close': 'g' }",
                             within(d, 0.2, 1.2), within(d, 1.3, 2.0));
    snprintf(t + used, room - used, " }");
}

/* How far a place is above the line, its distance; negative below it. */
static double above(const ground *g, double x, double y)
{
    double least = HUGE_VAL, height = HUGE_VAL;

    for (int k = 0; k + 1 < g->n; k++) {
        const double dx = g->x[k + 1] - g->x[k], dy = g->y[k + 1] - g->y[k];
        const double part = fmin(fmax(((x - g->x[k]) * dx + (y - g->y[k]) * dy) / (dx * dx + dy * dy), 0.0), 1.0);
        least             = fmin(least, hypot(x - g->x[k] - part * dx, y - g->y[k] - part * dy));
        if (dx > 0.0 && x >= g->x[k] && x <= g->x[k + 1]) height = fmin(height, y - g->y[k] - (x - g->x[k]) * dy / dx);
    }
    return height < 0.0 ? -least : least;
}

/* How deep the corners of the box are in the ground and those of the ground in the box. */
static double sinks(const ground *g, const sal_run *run)
{
    const double *q       = sal_run_q(run);
    const double  at[][2] = { { q[0], q[1] },
                              { q[2], q[3] },
                              { sal_run_output(run, 1), sal_run_output(run, 2) },
                              { sal_run_output(run, 3), sal_run_output(run, 4) } };
    double        deep    = g->radius - above(g, q[0], q[1]);

    for (int k = 1; k < 4 && g->what == BOX; k++) deep = fmax(deep, -above(g, at[k][0], at[k][1]));
    for (int i = 0; i < g->n && g->what == BOX; i++) {
        double inside = HUGE_VAL;
        for (int k = 0; k < 4; k++) {
            const double dx = at[(k + 1) % 4][0] - at[k][0], dy = at[(k + 1) % 4][1] - at[k][1];
            inside = fmin(inside, (dx * (g->y[i] - at[k][1]) - dy * (g->x[i] - at[k][0])) / hypot(dx, dy));
        }
        deep = fmax(deep, inside);
    }
    return deep;
}

/* What is wrong; NULL: nothing. */
static const char *judge(const ground *g, rig *r, char *message, size_t room)
{
    sal_run_opts opts   = sal_run_defaults();
    sal_status   status = SAL_OK;
    double       energy;

    opts.validate   = true;
    opts.quiet      = true;
    opts.max_events = 5000;
    rig_run(r, &opts);
    energy = sal_run_energy(r->run);
    while (status == SAL_OK || status == SAL_EVENT) {
        status = sal_run_step(r->run);
        if (status < 0) {
            snprintf(message, room, "%s", sal_run_message(r->run));
            return message;
        }
        if (sal_run_energy(r->run) > energy + 1e-6) return "energy grows";
        energy = fmin(energy, sal_run_energy(r->run));
        if (sal_run_output(r->run, 0) == 0.0) {
            for (int k = 0; sal_model_touch(r->model, k); k++) {
                if (sal_run_closed(r->run, k)) return "it is off and closed";
            }
        }
        if (!g->opens && sinks(g, r->run) > 1e-7) return "it sinks in";
    }
    return NULL;
}

static int judge_from(int first, int count)
{
    int bad = 0;

    for (int k = first; k < first + count; k++) {
        static ground g;
        draw          d = { .state = 88172645463325252u + (uint64_t)k * 2685821657736338717u };
        char          message[512];
        const char   *wrong;
        rig           r;
        g.n = 0;
        make_scene(&g, &d);
        r     = rig_load(g.text);
        wrong = judge(&g, &r, message, sizeof message);
        if (wrong) print_error("%d, at %g s: %s\n", k, sal_run_time(r.run), wrong);
        if (wrong && count == 1) printf("{ 'saltus': 1, %s }\n", g.text);
        bad += wrong != NULL;
        rig_free(&r);
    }
    return bad;
}

static void test_random_ground(void **state)
{
    (void)state;
    assert_int_equal(judge_from(0, COUNT), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_ground) };

    if (argc == 3) return judge_from(atoi(argv[1]), atoi(argv[2])) > 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
