/* test_opts.c - options of an earlier version are shorter: what they do not have is as the defaults say, and nothing
 * behind their end is read. */
#include "tests/support.h"

typedef struct sal_thing_opts { /* as it is */
    size_t size;
    int    first;
    double second; /* since version 2 */
    double third;  /* since version 3 */
} sal_thing_opts;

static const size_t known[] = { sizeof(sal_thing_opts), offsetof(sal_thing_opts, third),
                                offsetof(sal_thing_opts, second), 0 };

static const sal_thing_opts defaults = { sizeof(sal_thing_opts), 1, 2.0, 3.0 };

static void test_versions(void **state)
{
    sal_context *context;

    (void)state;
    assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
    for (int k = 0; known[k]; k++) {
        sal_thing_opts given = { known[k], 10, 20.0, 30.0 }, out = defaults;
        void          *exact = malloc(known[k]); /* for the sanitizers: not a byte more */
        assert_non_null(exact);
        memcpy(exact, &given, known[k]);
        assert_int_equal(sal_opts_read(context, "thing", known, exact, &out), SAL_OK);
        free(exact);
        assert_int_equal(out.size, sizeof out);
        assert_int_equal(out.first, 10);
        assert_near(out.second, k < 2 ? 20.0 : 2.0, 0.0);
        assert_near(out.third, k < 1 ? 30.0 : 3.0, 0.0);
    }
    sal_context_destroy(&context);
}

static void test_refusals(void **state)
{
    sal_context   *context;
    sal_thing_opts given = defaults, out = defaults;

    (void)state;
    assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
    assert_int_equal(sal_opts_read(context, "thing", known, NULL, &out), SAL_OK);
    given.first = 5;
    given.size  = sizeof given + 1;
    assert_int_equal(sal_opts_read(context, "thing", known, &given, &out), SAL_ERR_ARGUMENT);
    assert_says(sal_message(context), "sal_thing_opts: its size is");
    assert_says(sal_message(context), "start from sal_thing_defaults()");
    assert_int_equal(sal_opts_read(NULL, "thing", known, &given, &out), SAL_ERR_ARGUMENT);
    assert_int_equal(out.first, 1);
    sal_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
