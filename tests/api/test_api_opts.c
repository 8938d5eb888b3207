/* test_api_opts.c - options begin with their size: the defaults fill it in, and any other size is refused by a message
 * that says which struct it is and where to start from. */
#include "api.h"

static const char HOPPER[] = "'points': { 'P': { 'at': [0, 1] } }, 'parameters': { 'k': 10 },"
                             "'bodies': { 'm': { 'type': 'point_mass', 'point': 'P', 'mass': 1 } },"
                             "'joints': { 's': { 'type': 'force', 'point': 'P', 'fx': '-k*x(P)', 'fy': '-k*y(P)' } },"
                             "'contacts': { 'floor': { 'type': 'event', 'when': 'y(P)', 'set': { 'vy(P)': '3' } } },"
                             "'cycle': { 'section': 'floor' }";

static const size_t wrong[] = { 0, 1, sizeof(size_t), 7777, (size_t)-1 };

static void test_defaults(void **state)
{
    (void)state;
    assert_int_equal(sal_context_defaults().size, sizeof(sal_context_opts));
    assert_int_equal(sal_run_defaults().size, sizeof(sal_run_opts));
    assert_int_equal(sal_cycle_defaults().size, sizeof(sal_cycle_opts));
    assert_int_equal(sal_cycle_defaults().run.size, sizeof(sal_run_opts));
    assert_int_equal(sal_follow_defaults().size, sizeof(sal_follow_opts));
    assert_int_equal(sal_equilibrium_defaults().size, sizeof(sal_equilibrium_opts));
    assert_int_equal(sal_equilibrium_defaults().run.size, sizeof(sal_run_opts));
}

static void test_context(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT(wrong); k++) {
        sal_context_opts opts    = sal_context_defaults();
        sal_context     *context = (sal_context *)&opts;
        opts.size                = wrong[k];
        assert_int_equal(sal_context_create(&opts, &context), SAL_ERR_ARGUMENT);
        assert_null(context);
    }
}

static void ignore(void *user, const sal_verify_item *item)
{
    (void)user;
    (void)item;
}

static void test_runs(void **state)
{
    api      a = api_load(HOPPER);
    sal_run *run;
    int      bad;

    (void)state;
    for (int k = 0; k < COUNT(wrong); k++) {
        sal_run_opts opts = sal_run_defaults();
        char         says[80];
        opts.size = wrong[k];
        snprintf(says, sizeof says, "sal_run_opts: its size is %zu", wrong[k]);
        assert_int_equal(sal_run_create(a.model, &opts, &run), SAL_ERR_ARGUMENT);
        assert_null(run);
        assert_says(sal_message(a.context), says);
        assert_says(sal_message(a.context), "start from sal_run_defaults()");
        assert_int_equal(sal_verify(a.model, &opts, 1e-6, ignore, NULL, &bad), SAL_ERR_ARGUMENT);
        assert_says(sal_message(a.context), says);
    }
    assert_int_equal(sal_run_create(a.model, &(sal_run_opts){ 0 }, &run), SAL_ERR_ARGUMENT); /* by hand */
    api_run(&a, NULL);
    assert_int_equal(sal_run_get_opts(a.run).size, sizeof(sal_run_opts)); /* can be handed on */
    api_free(&a);
}

static void test_cycles(void **state)
{
    static const char *const wrt[] = { "k" };
    api                      a     = api_load(HOPPER);
    sal_cycle_opts           opts;
    sal_cycle               *cycle;

    (void)state;
    for (int k = 0; k < COUNT(wrong); k++) {
        opts      = sal_cycle_defaults();
        opts.size = wrong[k];
        assert_int_equal(sal_cycle_create(a.model, &opts, &cycle), SAL_ERR_ARGUMENT);
        assert_null(cycle);
        assert_says(sal_message(a.context), "start from sal_cycle_defaults()");
        opts          = sal_cycle_defaults();
        opts.run.size = wrong[k];
        assert_int_equal(sal_cycle_create(a.model, &opts, &cycle), SAL_ERR_ARGUMENT);
        assert_says(sal_message(a.context), "start from sal_run_defaults()");
    }
    opts          = sal_cycle_defaults();
    opts.run.wrt  = wrt;
    opts.run.nwrt = 1;
    if (sal_cycle_create(a.model, &opts, &cycle) != SAL_OK) fail_msg("%s", sal_message(a.context));
    for (int k = 0; k < COUNT(wrong); k++) {
        sal_follow_opts follow = sal_follow_defaults();
        follow.from            = 10.0;
        follow.to              = 11.0;
        follow.size            = wrong[k];
        assert_int_equal(sal_cycle_follow(cycle, "k", &follow), SAL_ERR_ARGUMENT);
        assert_says(sal_message(a.context), "start from sal_follow_defaults()");
    }
    sal_cycle_destroy(&cycle);
    api_free(&a);
}

static void test_equilibria(void **state)
{
    api              a = api_load(HOPPER);
    sal_equilibrium *e;

    (void)state;
    for (int k = 0; k < COUNT(wrong); k++) {
        sal_equilibrium_opts opts = sal_equilibrium_defaults();
        opts.size                 = wrong[k];
        assert_int_equal(sal_equilibrium_create(a.model, &opts, &e), SAL_ERR_ARGUMENT);
        assert_null(e);
        assert_says(sal_message(a.context), "start from sal_equilibrium_defaults()");
        opts          = sal_equilibrium_defaults();
        opts.run.size = wrong[k];
        assert_int_equal(sal_equilibrium_create(a.model, &opts, &e), SAL_ERR_ARGUMENT);
        assert_says(sal_message(a.context), "start from sal_run_defaults()");
    }
    api_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults), cmocka_unit_test(test_context),    cmocka_unit_test(test_runs),
        cmocka_unit_test(test_cycles),   cmocka_unit_test(test_equilibria),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
