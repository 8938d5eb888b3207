/* test_api_sweep.c - the public interface of sweeps: cases as rows, over threads, with derivatives; failures. */
#include "api.h"

#include <math.h>

enum { CASES = 60, COLUMNS = 64 };

/* A ball that is thrown against a wall in a headwind that grows: it ends where it comes down. */
static const char BALL[] = "'gravity': [0, '-g'], 'parameters': { 'g': 10, 'speed': 4, 'mass': 0.4, 'drag': 0.3 },"
                           "'points': { 'P': { 'at': [0, 0], 'velocity': ['speed', 'speed'] } },"
                           "'bodies': { 'ball': { 'type': 'point_mass', 'point': 'P', 'mass': 'mass' } },"
                           "'joints': { 'wind': { 'type': 'force', 'point': 'P', 'fx': '-drag*vx(P)*t', 'fy': 0 } },"
                           "'contacts': { 'top': { 'type': 'event', 'when': 'vy(P)', 'set': {} },"
                           "              'down': { 'type': 'event', 'when': 'y(P) + 1', 'stop': true } },"
                           "'outputs': { 'way': 'x(P)' }, 'costs': { 'area': { 'running': 'y(P)' } },"
                           "'simulation': { 'duration': 'drag*20', 'rtol': 1e-11 }";

static sal_sweep *make(const api *a, sal_sweep_opts *o, const char *over, const char *const *columns, int ncolumns)
{
    sal_sweep *sweep;

    o->over     = &over;
    o->nover    = 1;
    o->columns  = columns;
    o->ncolumns = ncolumns;
    if (sal_sweep_create(a->model, o, &sweep) != SAL_OK) fail_msg("%s", sal_message(a->context));
    return sweep;
}

typedef struct heard {
    double     row[CASES][COLUMNS];
    sal_status status[CASES];
    char       message[CASES][200];
    int        count, columns, most;
} heard;

static bool hear(void *user, const sal_sweep_result *r)
{
    heard *h = user;

    memcpy(h->row[r->index], r->row, sizeof(double) * (size_t)h->columns);
    h->status[r->index] = r->status;
    snprintf(h->message[r->index], sizeof h->message[0], "%s", r->message);
    return ++h->count < h->most;
}

static void tells_times_and_ends_with_derivatives(void **state)
{
    static const char *const columns[] = {
        "t",          "time(top)", "time(1)",         "time(top, 2)", "events", "events(down)",
        "cost(area)", "way",       "vx(P)*t + ax(P)", "y(P)"
    };
    static const char *const wrt[] = { "g", "drag" };
    const double             g = 9.0, v = 4.0, end = (v + sqrt(v * v + 2.0 * g)) / g;
    sal_sweep_opts           o = sal_sweep_defaults();
    api                      a = api_load(BALL);
    sal_sweep               *s;
    double                   row[COLUMNS], near[2][COLUMNS], step = 1e-4;
    const char              *why;
    int                      of, with;
    (void)state;

    o.run.wrt  = wrt;
    o.run.nwrt = 2;
    s          = make(&a, &o, "g", columns, COUNT(columns));
    assert_int_equal(sal_sweep_column_count(s), COUNT(columns) + 2 * 8);
    assert_string_equal(sal_sweep_column(s, 7), "way");
    assert_string_equal(sal_sweep_column(s, 10), "d t/d g");
    assert_null(sal_sweep_column(s, 26));
    assert_false(sal_sweep_gradient(s, 9, &of, &with));
    assert_true(sal_sweep_gradient(s, 13, &of, &with) && of == 1 && with == 1);
    assert_int_equal(sal_sweep_gradients(s, &why), SAL_GRADIENTS_FORWARD); /* of places and times, too */
    assert_true(why[0]);

    assert_int_equal(sal_sweep_case(s, &g, row, (char[8]){ 0 }, 8), SAL_OK);
    assert_int_equal(sal_sweep_case(s, &(double){ NAN }, near[0], NULL, 0), SAL_ERR_ARGUMENT);
    assert_true(fabs(row[0] - end) < 1e-10 && fabs(row[1] - v / g) < 1e-10 && row[1] == row[2] && isnan(row[3]));
    assert_true(row[4] == 2.0 && row[5] == 1.0 && fabs(row[9] + 1.0) < 1e-10);
    assert_true(fabs(row[6] - (v * end * end / 2.0 - g * end * end * end / 6.0)) < 1e-9);
    assert_true(fabs(row[12] + v / (g * g)) < 1e-9);                       /* d time(top)/d g */
    assert_true(fabs(row[10] + (end * end / 2.0) / (g * end - v)) < 1e-9); /* of the end: y = -1 stays */
    /* what is told at an end that moves, accelerations too, against central differences of cases */
    for (int k = 0; k < 2; k++)
        assert_int_equal(sal_sweep_case(s, &(double){ g + (k ? step : -step) }, near[k], (char[8]){ 0 }, 8), SAL_OK);
    for (int k = 0; k < sal_sweep_column_count(s); k++) {
        if (!sal_sweep_gradient(s, k, &of, &with) || with != 0 || of == 3) continue;
        assert_true(fabs(row[k] - (near[1][of] - near[0][of]) / (2.0 * step)) < 1e-6 * (1.0 + fabs(row[k])));
    }
    sal_sweep_destroy(&s);
    assert_null(s);
    sal_sweep_destroy(&s);
    api_free(&a);
}

/* The rows are the bits of a run of one's own, whatever the number of threads. */
static void threads_do_not_matter(void **state)
{
    static const char *const columns[] = { "x(P)", "cost(area)" };
    static heard             h[4];
    api                      a = api_load(BALL);
    double                   values[CASES];
    (void)state;

    for (int k = 0; k < CASES; k++) values[k] = 8.0 + 0.07 * k;
    for (int jobs = 0; jobs < 4; jobs++) {
        sal_sweep_opts o = sal_sweep_defaults();
        sal_sweep     *s;
        o.jobs  = jobs;
        s       = make(&a, &o, "g", columns, 2);
        h[jobs] = (heard){ .columns = 2, .most = CASES + 1 };
        assert_int_equal(sal_sweep_cases(s, values, CASES, hear, &h[jobs]), SAL_OK);
        assert_int_equal(h[jobs].count, CASES);
        assert_memory_equal(h[jobs].row, h[0].row, sizeof h[0].row);
        sal_sweep_destroy(&s);
    }
    for (int k = 0; k < CASES; k++) {
        sal_run_opts opts = sal_run_defaults();
        opts.set          = &(sal_setting){ "g", values[k] };
        opts.nset         = 1;
        api_run(&a, &opts);
        assert_int_equal(sal_simulate(a.run, NULL, 0), SAL_END);
        assert_true(h[0].row[k][0] == sal_run_q(a.run)[0] && h[0].row[k][1] == sal_run_costs(a.run)[0]);
    }
    api_free(&a);
}

/* Cases that fail say why, each its own; the others go on. */
static void failures_are_told(void **state)
{
    static heard   h;
    sal_sweep_opts o = sal_sweep_defaults();
    api            a = api_load(BALL);
    sal_sweep     *s = NULL;
    double         values[CASES];
    (void)state;

    for (int k = 0; k < CASES; k++) values[k] = k % 3 ? 0.1 + k : -1.0 - k;
    o.jobs = 8;
    s      = make(&a, &o, "drag", NULL, 0);
    assert_int_equal(sal_sweep_column_count(s), 4); /* t, events, way, cost(area) */
    h = (heard){ .columns = 4, .most = CASES + 1 };
    assert_int_equal(sal_sweep_cases(s, values, CASES, hear, &h), SAL_OK);
    for (int k = 0; k < CASES; k++) {
        char number[32];
        snprintf(number, sizeof number, "%g", 20.0 * values[k]);
        assert_true((h.status[k] < 0) == (k % 3 == 0) && isnan(h.row[k][0]) == (k % 3 == 0));
        if (k % 3) assert_string_equal(h.message[k], "");
        else if (!strstr(h.message[k], number)) fail_msg("case %d: %s", k, h.message[k]);
    }
    sal_sweep_destroy(&s);
    api_free(&a);
}

static bool no_more(void *user)
{
    (void)user;
    return true;
}

static void stops(void **state)
{
    static heard   h;
    sal_sweep_opts o = sal_sweep_defaults();
    api            a = api_load(BALL);
    double         values[CASES];
    sal_sweep     *s;
    (void)state;

    for (int k = 0; k < CASES; k++) values[k] = 10.0;
    s = make(&a, &o, "g", NULL, 0);
    h = (heard){ .columns = 4, .most = 5 };
    assert_int_equal(sal_sweep_cases(s, values, CASES, hear, &h), SAL_STOPPED);
    assert_int_equal(h.count, 5);
    assert_int_equal(sal_sweep_cases(s, values, 0, hear, &h), SAL_OK);
    assert_int_equal(sal_sweep_cases(s, values, -1, hear, &h), SAL_ERR_ARGUMENT);
    sal_sweep_destroy(&s);
    o.run.stop = no_more;
    s          = make(&a, &o, "g", NULL, 0);
    h          = (heard){ .columns = 4, .most = CASES };
    assert_int_equal(sal_sweep_cases(s, values, CASES, hear, &h), SAL_STOPPED);
    assert_int_equal(h.count, 0);
    sal_sweep_destroy(&s);
    api_free(&a);
}

/* As the studies themselves tell it. */
static void cycles_and_equilibria(void **state)
{
    static const char *const rest[]  = { "x(P)", "hold", "spring.tension", "stable", "energy" };
    static const char *const cycle[] = { "period", "vx(P)", "largest", "stable", "cost(c)" };
    static const char *const wrt[]   = { "k" };
    const double             k       = 50.0;
    api                      a =
        api_load("'gravity': [0, 0], 'parameters': { 'k': 40 },"
                 "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1.1, 0], 'velocity': [0.6, 0] } },"
                 "'bodies': { 'ball': { 'type': 'point_mass', 'point': 'P', 'mass': 2 } },"
                 "'joints': { 'spring': { 'type': 'spring', 'points': ['O', 'P'], 'stiffness': 'k', 'length': 1,"
                 "                        'damping': 1 },"
                 "            'line': { 'type': 'formula', 'rows': ['y(P)'] },"
                 "            'push': { 'type': 'force', 'point': 'P', 'fx': 3, 'fy': 0 } },"
                 "'contacts': { 'kick': { 'type': 'event', 'when': 'x(P) - 1.1', 'direction': 'rising',"
                 "                        'set': { 'vx(P)': 'vx(P) + 0.5' } } },"
                 "'outputs': { 'hold': 'k*x(P)' }, 'costs': { 'c': { 'running': 'vx(P)^2' } },"
                 "'cycle': { 'section': 'kick' }, 'simulation': { 'duration': 5, 'rtol': 1e-11 }");
    sal_equilibrium_opts eo = sal_equilibrium_defaults();
    sal_equilibrium     *e;
    sal_sweep_opts       o = sal_sweep_defaults();
    sal_sweep           *s;
    double               row[COLUMNS];
    char                 message[300];
    (void)state;

    o.study    = SAL_STUDY_EQUILIBRIUM;
    o.run.wrt  = wrt;
    o.run.nwrt = 1;
    s          = make(&a, &o, "k", rest, COUNT(rest));
    if (sal_sweep_case(s, &k, row, message, sizeof message) != SAL_OK) fail_msg("%s", message);
    eo.run      = o.run;
    eo.run.set  = &(sal_setting){ "k", k };
    eo.run.nset = 1;
    assert_int_equal(sal_equilibrium_create(a.model, &eo, &e), SAL_OK);
    assert_int_equal(sal_equilibrium_find(e), SAL_OK);
    assert_true(row[0] == sal_equilibrium_q(e)[0] && row[5] == sal_equilibrium_q_gradients(e)[0]);
    assert_true(fabs(row[0] - (1.0 + 3.0 / k)) < 1e-10 && fabs(row[5] + 3.0 / (k * k)) < 1e-10);
    assert_true(row[1] == sal_equilibrium_outputs(e)[0] && fabs(row[2] - 3.0) < 1e-9 && row[3] == 1.0);
    assert_int_equal(sal_sweep_column_count(s), 5 + 3);
    sal_equilibrium_destroy(&e);
    sal_sweep_destroy(&s);

    o.study = SAL_STUDY_CYCLE;
    s       = make(&a, &o, "k", cycle, COUNT(cycle));
    if (sal_sweep_case(s, &k, row, message, sizeof message) != SAL_OK) fail_msg("%s", message);
    {
        sal_cycle_opts co = sal_cycle_defaults();
        sal_cycle     *c;
        co.run = eo.run;
        assert_int_equal(sal_cycle_create(a.model, &co, &c), SAL_OK);
        assert_int_equal(sal_cycle_find(c), SAL_OK);
        assert_true(row[0] == sal_cycle_get_info(c).period && row[2] == sal_cycle_get_info(c).largest);
        assert_true(row[4] == sal_cycle_costs(c)[0] && row[5] == sal_cycle_period_gradient(c)[0]);
        sal_cycle_destroy(&c);
    }
    sal_sweep_destroy(&s);
    api_free(&a);
}

static void assert_refused(const api *a, const sal_sweep_opts *o, const char *text)
{
    sal_sweep *s;

    assert_int_equal(sal_sweep_create(a->model, o, &s), SAL_ERR_ARGUMENT);
    assert_null(s);
    if (!strstr(sal_message(a->context), text)) fail_msg("'%s' is not in: %s", text, sal_message(a->context));
}

static void wrong_options_are_named(void **state)
{
    static const char *const columns[][2] = { { "time(tip)", "unknown event 'tip'; did you mean 'top'?" },
                                              { "time(top, 0)", "K = 1, 2, ..." },
                                              { "cost(aera)", "unknown cost 'aera'; did you mean 'area'?" },
                                              { "events(toP)", "did you mean 'top'?" },
                                              { "x(Q)", "in 'x(Q)', column" } };
    const char              *over[]       = { "drga", "g" };
    sal_sweep_opts           o = sal_sweep_defaults(), none = { 0 };
    api                      a = api_load(BALL);
    (void)state;

    o.over  = over;
    o.nover = 1;
    assert_refused(&a, &o, "unknown parameter 'drga'; did you mean 'drag'?");
    assert_refused(&a, &none, "sal_sweep_defaults()");
    over[0] = "g";
    o.nover = 2;
    assert_refused(&a, &o, "'g' is given twice");
    o.nover    = 1;
    o.ncolumns = 1;
    for (int k = 0; k < COUNT(columns); k++) {
        o.columns = &columns[k][0];
        assert_refused(&a, &o, columns[k][1]);
    }
    o.columns  = (const char *const[]){ "t", "t" };
    o.ncolumns = 2;
    assert_refused(&a, &o, "'t' is given twice");
    o.study = SAL_STUDY_EQUILIBRIUM;
    assert_refused(&a, &o, "expected energy, stiffness, stable");
    o.study    = SAL_STUDY_RUN;
    o.ncolumns = 0;
    o.jobs     = -1;
    assert_refused(&a, &o, "jobs is -1");
    o.jobs     = 0;
    o.run.wrt  = (const char *const[]){ "masss" };
    o.run.nwrt = 1;
    assert_refused(&a, &o, "did you mean 'mass'?");
    api_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_times_and_ends_with_derivatives),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(stops),
        cmocka_unit_test(cycles_and_equilibria),
        cmocka_unit_test(wrong_options_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
