/* test_rank.c - how many constraints are independent: the decision itself, and that everyone who asks gets the same
 * answer: sal_run_rank, sal_run_partition, sal_analysis and the basis of motions at rest. */
#include "engine/studies/rest.h"
#include "tests/support.h"

/* -------------------------------------------------------------------------------------- decision */

typedef struct rank_rig {
    sal_context *context;
    sal_pool     pool;
    sal_rank     rank;
} rank_rig;

static void rank_make(rank_rig *x, int n, int most)
{
    assert_int_equal(sal_context_create(NULL, &x->context), SAL_OK);
    sal_pool_init(&x->pool, x->context);
    assert_int_equal(sal_rank_init(&x->rank, &x->pool, n, most), SAL_OK);
}

static void rank_free(rank_rig *x)
{
    sal_pool_free(&x->pool);
    sal_context_destroy(&x->context);
}

/* Rows of a known rank, each in a unit of its own; the basis is orthonormal and orthogonal to all of them. */
static void rank_and_basis(void **state)
{
    static const int shape[][3] = { { 4, 4, 4 }, { 6, 4, 4 }, { 4, 6, 4 }, { 5, 5, 3 }, { 7, 5, 2 }, { 5, 7, 2 },
                                    { 1, 3, 1 }, { 3, 1, 1 }, { 4, 4, 0 }, { 0, 3, 0 }, { 8, 8, 7 } };
    uint64_t         seed       = 11;

    (void)state;
    for (int i = 0; i < SAL_COUNT(shape); i++) {
        const int rows = shape[i][0], n = shape[i][1], rank = shape[i][2];
        double    left[64], right[64], a[64]                = { 0 }, basis[64];
        rank_rig  x;

        rank_make(&x, n, rows);
        for (int k = 0; k < 64; k++) {
            left[k]  = random_number(&seed);
            right[k] = random_number(&seed);
        }
        for (int r = 0; r < rows; r++) {
            const double unit = pow(10.0, 12.0 * random_number(&seed));
            for (int c = 0; c < n; c++) {
                for (int k = 0; k < rank; k++) a[r * n + c] += left[r * 8 + k] * right[k * 8 + c];
                x.rank.row[r * n + c] = unit * a[r * n + c];
            }
        }
        assert_int_equal(sal_rank_find(&x.rank, rows, basis), rank);
        for (int j = 0; j < n - rank; j++) {
            for (int r = 0; r < rows; r++) {
                double sum = 0.0;
                for (int c = 0; c < n; c++) sum += a[r * n + c] * basis[j * n + c];
                assert_near(sum, 0.0, 1e-13);
            }
            for (int l = 0; l < n - rank; l++) {
                double sum = 0.0;
                for (int c = 0; c < n; c++) sum += basis[l * n + c] * basis[j * n + c];
                assert_near(sum, l == j, 1e-14);
            }
        }
        rank_free(&x);
    }
}

/* Almost dependent: what has more than 1e-10 of its length beyond the others counts as a row of its own. */
static void rank_near_its_limit(void **state)
{
    static const double unit[] = { 1.0, 1e-150, 1e150, 1e-300, 1e300 }; /* squares of the last ones are no numbers */

    (void)state;
    for (int i = 0; i < SAL_COUNT(unit); i++) {
        const double apart[] = { 0.9e-10, 1.1e-10 };
        for (int k = 0; k < SAL_COUNT(apart); k++) {
            rank_rig x;
            rank_make(&x, 2, 2);
            x.rank.row[0] = unit[i];
            x.rank.row[2] = 3.0;
            x.rank.row[3] = 3.0 * apart[k];
            assert_int_equal(sal_rank_find(&x.rank, 2, NULL), 1 + k);
            rank_free(&x);
        }
    }
}

/* Rows that each have enough beyond those before them, but not all together: 1e-6 and 1e-5 one after the other are
 * 1e-11 in the right order. */
static void rank_does_not_depend_on_the_order(void **state)
{
    static const double rows[3][3]  = { { 1.0, 0.0, 0.0 }, { 1.0, 0.0, 1e-6 }, { 0.0, 1e-5, 1.0 } };
    static const int    order[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };

    (void)state;
    for (int i = 0; i < 6; i++) {
        rank_rig x;
        rank_make(&x, 3, 3);
        for (int k = 0; k < 3; k++) memcpy(x.rank.row + 3 * k, rows[order[i][k]], sizeof rows[0]);
        assert_int_equal(sal_rank_find(&x.rank, 3, NULL), 2);
        rank_free(&x);
    }
}

/* What counts as zero among the eigenvalues of a return map: by singular values, [0 1; s 0] has them 1 and s and the
 * eigenvalues +-sqrt(s); and by themselves. */
static void zeros_of_a_map(void **state)
{
    static const struct {
        double a[4]; /* by columns */
        int    count;
    } maps[] = { { { 0.0, 3e-9, 1.0, 0.0 }, 2 },   { { 0.0, 3e-10, 1.0, 0.0 }, 0 }, { { 1.0, 0.0, 0.0, 3e-7 }, 2 },
                 { { 1.0, 0.0, 0.0, 3e-8 }, 1 },   { { 1e3, 0.0, 0.0, 3e-7 }, 1 },  { { 0.0, 0.0, 0.0, 0.0 }, 0 },
                 { { 1e-10, 0.0, 0.0, 1e-10 }, 0 } };

    (void)state;
    for (int i = 0; i < SAL_COUNT(maps); i++) {
        sal_context *context;
        sal_pool     pool;
        sal_dense    d;
        double       re[2], im[2];
        int          count;
        assert_int_equal(sal_context_create(NULL, &context), SAL_OK);
        sal_pool_init(&pool, context);
        assert_int_equal(sal_dense_init(&d, &pool, 2, 1), SAL_OK);
        assert_int_equal(sal_dense_spectrum(&d, 2, maps[i].a, re, im, &count), SAL_OK);
        assert_int_equal(count, maps[i].count);
        if (i == 0) assert_near(re[0], sqrt(3e-9), 1e-18);
        sal_pool_free(&pool);
        sal_context_destroy(&context);
    }
}

/* ------------------------------------------------------------------------------------ agreement */

/* A random mechanism of point masses and rods: points on random earlier ones, some of them almost on the line between
 * two, some rods twice. */
typedef struct mechanism {
    char   text[6000];
    size_t used;
    double at[16][2];
    int    points, rods;
} mechanism;

static void add(mechanism *x, const char *format, ...) SAL_PRINTF(2, 3);
static void add(mechanism *x, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    x->used += (size_t)vsnprintf(x->text + x->used, sizeof x->text - x->used, format, args);
    va_end(args);
    assert_true(x->used < sizeof x->text);
}

static int pick(uint64_t *seed, int count)
{
    return (int)(0.5 * (1.0 + random_number(seed)) * count);
}

static void add_rod(mechanism *x, int i, int j)
{
    add(x, "%s'r%d': { 'type': 'distance', 'points': ['P%d', 'P%d'], 'length': %.17g }", x->rods ? ", " : "", x->rods,
        i, j, hypot(x->at[j][0] - x->at[i][0], x->at[j][1] - x->at[i][1]));
    x->rods++;
}

/* Places point k; partner[0..1] are the points it is held by, -1: none. */
static void place(mechanism *x, int k, uint64_t *seed, double length, int partner[2])
{
    partner[0] = pick(seed, k);
    partner[1] = random_number(seed) < 0.6 ? pick(seed, k) : -1;
    for (int axis = 0; axis < 2; axis++) x->at[k][axis] = length * random_number(seed);
    if (partner[1] < 0 || partner[1] == partner[0] || random_number(seed) < 0.0) return;
    const double *a = x->at[partner[0]], *b = x->at[partner[1]];
    const double  along = 0.5 + 0.3 * random_number(seed), off = pow(10.0, -10.0 + 4.0 * random_number(seed));
    x->at[k][0] = a[0] + along * (b[0] - a[0]) - off * (b[1] - a[1]);
    x->at[k][1] = a[1] + along * (b[1] - a[1]) + off * (b[0] - a[0]);
}

static void make(mechanism *x, uint64_t seed, double length, double mass)
{
    int partner[16][2];

    memset(x, 0, sizeof *x);
    x->points = 4 + pick(&seed, 6);
    add(x, "'points': { ");
    for (int k = 0; k < x->points; k++) {
        partner[k][0] = partner[k][1] = -1;
        if (k < 2) x->at[k][0] = k ? length : 0.0;
        else place(x, k, &seed, length, partner[k]);
        add(x, "%s'P%d': { 'at': [%.17g, %.17g]%s }", k ? ", " : "", k, x->at[k][0], x->at[k][1],
            k < 2 ? ", 'fixed': true" : "");
    }
    add(x, " }, 'bodies': { ");
    for (int k = 2; k < x->points; k++)
        add(x, "%s'm%d': { 'type': 'point_mass', 'point': 'P%d', 'mass': %.17g }", k > 2 ? ", " : "", k, k,
            mass * (2.0 + random_number(&seed)));
    add(x, " }, 'joints': { ");
    for (int k = 2; k < x->points; k++) {
        for (int i = 0; i < 2; i++) {
            if (partner[k][i] >= 0 && partner[k][i] != partner[k][1 - i]) add_rod(x, partner[k][i], k);
        }
        if (random_number(&seed) < -0.5) add_rod(x, partner[k][0], k);              /* redundant */
        if (k > 4 && random_number(&seed) < 0.0) add_rod(x, 2 + pick(&seed, 3), k); /* braces */
    }
    add(x, " }, 'simulation': { 'duration': 1 }");
}

/* The rank, which is the same whoever is asked. However nearly singular it is, a mechanism at rest can be started. */
static int agreed_rank(const mechanism *x)
{
    rig               r = rig_load(x->text);
    sal_analysis     *a;
    sal_analysis_info info;
    int               rank, count, dof[64];
    sal_rest          rest;
    sal_pool          pool;

    rig_run(&r, NULL);
    assert_int_equal(sal_run_rank(r.run, &rank), SAL_OK);
    assert_int_equal(sal_run_partition(r.run, dof, &count), SAL_OK);
    assert_int_equal(sal_analysis_create(r.run, &a), SAL_OK);
    info = sal_analysis_get_info(a);
    assert_int_equal(r.model->n - count, rank);
    assert_int_equal(info.rank, rank);
    assert_int_equal(info.freedom, count);
    assert_int_equal(info.dependencies, info.constraints - rank);
    sal_analysis_destroy(&a);
    sal_pool_init(&pool, r.context);
    assert_int_equal(sal_rest_init(&rest, &r.run->system, &pool), SAL_OK);
    assert_int_equal(sal_rest_reduce(&rest), SAL_OK);
    assert_int_equal(rest.free, count);
    sal_pool_free(&pool);
    rig_free(&r);
    return rank;
}

static void all_agree_in_any_unit(void **state)
{
    enum { TRIES = 400 };
    int      redundant = 0;
    uint64_t seed      = 1;

    (void)state;
    for (int k = 0; k < TRIES; k++) {
        mechanism    x;
        const double length = pow(10.0, 6.0 * random_number(&seed)), mass = pow(10.0, 6.0 * random_number(&seed));
        make(&x, (uint64_t)k, length, mass);
        redundant += agreed_rank(&x) < x.rods;
    }
    assert_true(redundant > TRIES / 4 && redundant < TRIES * 9 / 10);
}

/* Lengths and masses times powers of two change no bit of a scaled row. */
static void units_do_not_matter(void **state)
{
    (void)state;
    for (int k = 0; k < 100; k++) {
        mechanism x;
        int       rank;
        make(&x, (uint64_t)(1000 + k), 1.0, 1.0);
        rank = agreed_rank(&x);
        make(&x, (uint64_t)(1000 + k), 0x1p-20, 0x1p18);
        assert_int_equal(agreed_rank(&x), rank);
        make(&x, (uint64_t)(1000 + k), 0x1p20, 0x1p-19);
        assert_int_equal(agreed_rank(&x), rank);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_and_basis),
        cmocka_unit_test(rank_near_its_limit),
        cmocka_unit_test(rank_does_not_depend_on_the_order),
        cmocka_unit_test(zeros_of_a_map),
        cmocka_unit_test(all_agree_in_any_unit),
        cmocka_unit_test(units_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
