/* test_partition.c - independent and dependent coordinates, and the jumps of sensitivities in partitioned form. */
#include "engine/motion/motion.h"
#include "tests/support.h"

/* Marked coordinates are independent where they can be; the rest is chosen so that the others follow well. */
static void test_marks_are_followed(void **state)
{
    rig r = rig_scene("five_bar.json");
    int dof[6], count;

    (void)state;
    rig_run(&r, NULL);
    assert_int_equal(sal_run_partition(r.run, dof, &count), SAL_OK);
    assert_int_equal(count, 2);
    assert_int_equal(dof[0], 2);
    assert_int_equal(dof[1], 3);
    rig_free(&r);
}

/* A pendulum hanging down moves in x: y cannot be independent there, marked or not, and x cannot when it is
 * horizontal. */
static void test_what_can_be_independent(void **state)
{
    static const char *const at[] = { "[0, -1]", "[1, 0]" };

    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[500];
        int  dof[2], count;
        snprintf(text, sizeof text,
                 "'points': { 'O': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': %s, 'dof': '%s' } },"
                 "'bodies': { 'b': { 'type': 'bar', 'points': ['O', 'P'], 'mass': 1 } }",
                 at[k], k ? "x" : "y");
        rig r = rig_load(text);
        rig_run(&r, NULL);
        assert_int_equal(sal_run_partition(r.run, dof, &count), SAL_OK);
        assert_int_equal(count, 1);
        assert_int_equal(dof[0], k); /* not the one that is marked */
        rig_free(&r);
    }
}

/* Redundant rows take no part: a parallelogram with a second coupler has one degree of freedom, and three of its five
 * rows will do. */
static void test_redundant_rows(void **state)
{
    rig r =
        rig_load("'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': [2, 0], 'fixed': true }, 'P': { 'at': "
                 "[0, 1] }, 'Q': { 'at': [2, 1] } },"
                 "'bodies': { 'a': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'markers': { 'a1': [0.5, 0] } },"
                 "            'b': { 'type': 'bar', 'points': ['B', 'Q'], 'mass': 1, 'markers': { 'b1': [0.5, 0] } },"
                 "            'c': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 1 } },"
                 "'joints': { 'd': { 'type': 'distance', 'points': ['a1', 'b1'], 'length': 2 } }, 'simulation': { "
                 "'form': 'penalty' }");
    int dof[4], count;

    (void)state;
    rig_run(&r, NULL);
    assert_int_equal(sal_run_partition(r.run, dof, &count), SAL_OK);
    assert_int_equal(count, 1);
    rig_free(&r);
}

/* x_dep from Phi_q x = -rest, against the residual. */
static void test_solve(void **state)
{
    rig           r = rig_scene("five_bar.json");
    numbers       x;
    sal_system   *s    = numbers_make(&x, &r, NULL);
    const double  q[6] = { -1.4, -1.1, 0.1, -2.1, 1.4, -1.0 };
    double        v[6] = { 0 }, rest[4] = { 0.3, -0.2, 0.5, 0.7 }, b[4];
    sal_partition p;

    (void)state;
    sal_system_move(s, 0.0, q, NULL);
    sal_rows_jacobian(&s->rows, s->z, s->entry);
    assert_int_equal(sal_partition_init(&p, r.model, &x.pool), SAL_OK);
    sal_partition_choose(&p, s, NULL);
    assert_int_equal(p.rank, 4);
    assert_true(p.quality > 0.1);
    for (int k = 0; k < 2; k++) v[p.dof[k]] = 1.0 + k;
    for (int i = 0; i < 4; i++) {
        b[i] = -rest[p.row[i]];
        for (int k = r.model->jp[p.row[i]]; k < r.model->jp[p.row[i] + 1]; k++) b[i] -= s->entry[k] * v[r.model->jc[k]];
    }
    sal_partition_solve(&p, b, 1);
    for (int i = 0; i < 4; i++) v[p.dep[i]] = b[i];
    for (int i = 0; i < 4; i++) {
        double sum = rest[i];
        for (int k = r.model->jp[i]; k < r.model->jp[i + 1]; k++) sum += s->entry[k] * v[r.model->jc[k]];
        assert_near(sum, 0.0, 1e-14);
    }
    numbers_free(&x);
    rig_free(&r);
}

/* The two ways to take sensitivities through an event give the same numbers, event by event, with and without
 * projection. */
static void test_jumps_agree(void **state)
{
    static const char *const wrt[] = { "L01", "L02", "initial(P2.x)", "initial(P2.vy)" };

    (void)state;
    for (int stabilization = SAL_PROJECTION; stabilization <= SAL_NO_STABILIZATION; stabilization += 2) {
        rig          one = rig_scene("five_bar.json"), two = rig_scene("five_bar.json");
        sal_run_opts opts  = with_respect_to(wrt, SAL_COUNT(wrt));
        opts.rtol          = 1e-11;
        opts.stabilization = stabilization;
        rig_run(&one, &opts);
        opts.partitioned = true;
        rig_run(&two, &opts);
        for (int event = 0; event < 9; event++) {
            double most = 0.0;
            while (sal_run_step(one.run) == SAL_OK) continue;
            while (sal_run_step(two.run) == SAL_OK) continue;
            for (int k = 0; k < 6 * opts.nwrt; k++)
                most = fmax(most, fmax(fabs(sal_run_Q(one.run)[k]), fabs(sal_run_V(one.run)[k])));
            for (int k = 0; k < 6 * opts.nwrt; k++) {
                /* without projection the constraints' derivatives drift by the tolerance of the steps, and the two
                 * ways take that up differently */
                const double tolerance = (stabilization == SAL_PROJECTION ? 1e-12 : 1e-8) * most;
                assert_near(sal_run_Q(two.run)[k], sal_run_Q(one.run)[k], tolerance);
                assert_near(sal_run_V(two.run)[k], sal_run_V(one.run)[k], tolerance);
            }
        }
        rig_free(&one);
        rig_free(&two);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks_are_followed), cmocka_unit_test(test_what_can_be_independent),
        cmocka_unit_test(test_redundant_rows),     cmocka_unit_test(test_solve),
        cmocka_unit_test(test_jumps_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
