/* test_kkt.c - sparse solves of K = [M A^T; A D]: pivots kept and renewed, singular systems and what is said about
 * them. */
#include "tests/support.h"

/* --------------------------------------------------------------------------------------- systems */

/* A system with its own pattern. */
typedef struct kkt_rig {
    sal_context *context;
    sal_pool     pool;
    sal_pattern  pattern;
    sal_kkt      kkt;
} kkt_rig;

static void kkt_make(kkt_rig *x, int n, const sal_pair *pairs, int npairs, int m, const int *p, const int *c)
{
    *x = (kkt_rig){ 0 };
    assert_int_equal(sal_context_create(NULL, &x->context), SAL_OK);
    sal_pool_init(&x->pool, x->context);
    assert_int_equal(sal_pattern_create(&x->pool, n, pairs, npairs, m, p, c, &x->pattern), SAL_OK);
    assert_int_equal(sal_kkt_init(&x->kkt, &x->pattern, &x->pool), SAL_OK);
}

static void kkt_free(kkt_rig *x)
{
    sal_kkt_free(&x->kkt);
    sal_pattern_free(&x->pattern);
    sal_pool_free(&x->pool);
    sal_context_destroy(&x->context);
}

/* A mass matrix of a chain and rows that reach over it. */
enum { N = 12, M = 5, SIZE = N + M, PAIRS = 2 * N, PER_ROW = 4 };

static void chain_make(kkt_rig *x)
{
    sal_pair pairs[PAIRS];
    int      p[M + 1], c[M * PER_ROW];

    for (int k = 0; k < N; k++) {
        pairs[k]     = (sal_pair){ k, k };
        pairs[N + k] = (sal_pair){ k, k + 1 }; /* the last lies outside q and is skipped */
    }
    for (int r = 0; r <= M; r++) p[r] = r * PER_ROW;
    for (int k = 0; k < M * PER_ROW; k++) c[k] = (k / PER_ROW * 2 + k % PER_ROW) % N;
    kkt_make(x, N, pairs, PAIRS, M, p, c);
}

/* The same numbers into the sparse and into a dense matrix. */
static void chain_fill(kkt_rig *x, uint64_t *seed, double corner, double *dense)
{
    double mass[PAIRS], entry[M * PER_ROW], d[M];

    memset(dense, 0, sizeof *dense * SIZE * SIZE);
    for (int k = 0; k < N; k++) {
        mass[k]             = 3.0 + random_number(seed);
        mass[N + k]         = random_number(seed);
        dense[k * SIZE + k] = mass[k];
        if (k + 1 == N) continue;
        dense[k * SIZE + k + 1]   = mass[N + k];
        dense[(k + 1) * SIZE + k] = mass[N + k];
    }
    for (int k = 0; k < M * PER_ROW; k++) {
        const int row = N + k / PER_ROW, column = (k / PER_ROW * 2 + k % PER_ROW) % N;
        entry[k]                   = random_number(seed);
        dense[row * SIZE + column] = dense[column * SIZE + row] = entry[k];
    }
    for (int r = 0; r < M; r++) {
        d[r]                          = corner * (1.0 + 0.5 * random_number(seed));
        dense[(N + r) * SIZE + N + r] = d[r];
    }
    sal_kkt_equilibrate(&x->kkt, mass, entry);
    sal_kkt_set_rows(&x->kkt, entry);
    sal_kkt_set_corner(&x->kkt, corner != 0.0 ? d : NULL, NULL);
}

static void refactor_is_a_dense_solve(void **state)
{
    kkt_rig  x;
    uint64_t seed = 4;

    (void)state;
    chain_make(&x);
    for (int i = 0; i < 200; i++) {
        double dense[SIZE * SIZE], b[2 * SIZE], expected[2 * SIZE], again[SIZE * SIZE];

        chain_fill(&x, &seed, i < 100 ? 0.0 : -0.01, dense);
        for (int k = 0; k < 2 * SIZE; k++) b[k] = expected[k] = random_number(&seed);
        for (int k = 0; k < 2; k++) {
            memcpy(again, dense, sizeof dense);
            dense_solve(SIZE, again, expected + k * SIZE);
        }
        assert_int_equal(sal_kkt_factor(&x.kkt), SAL_OK);
        sal_kkt_solve(&x.kkt, b, 2);
        for (int k = 0; k < 2 * SIZE; k++) assert_near(b[k], expected[k], 1e-11 * (1.0 + fabs(expected[k])));
    }
    assert_int_equal(x.kkt.factorizations, 200);
    assert_true(x.kkt.full >= 1 && x.kkt.full <= 20); /* pivots are kept as a rule */
    kkt_free(&x);
}

/* The same entry of M given twice adds up; identity replaces M; rows stay when only M changes. */
static void entries(void **state)
{
    const sal_pair pairs[] = { { 0, 0 }, { 1, 1 }, { 0, 0 }, { 1, 0 }, { 0, 1 } };
    const int      p[] = { 0, 2 }, c[] = { 0, 1 };
    kkt_rig        x;
    double         b[] = { 7.0, 8.0, 0.0 };

    (void)state;
    kkt_make(&x, 2, pairs, 5, 1, p, c);
    sal_kkt_equilibrate(&x.kkt, (const double[]){ 2.0, 4.0, 3.0, 0.25, 0.75 },
                        (const double[]){ 1.0, -1.0 }); /* M = [5 1; 1 4] */
    sal_kkt_set_rows(&x.kkt, (const double[]){ 1.0, -1.0 });
    assert_int_equal(sal_kkt_factor(&x.kkt), SAL_OK);
    sal_kkt_solve(&x.kkt, b, 1); /* x = y, 5 x + x + l = 7, x + 4 x - l = 8 */
    assert_near(b[0], 15.0 / 11, 1e-15);
    assert_near(b[1], 15.0 / 11, 1e-15);
    assert_near(b[2], 7.0 - 90.0 / 11, 1e-14);
    sal_kkt_equilibrate_diagonal(&x.kkt, NULL, (const double[]){ 1.0, -1.0 }); /* M = 1 */
    sal_kkt_set_rows(&x.kkt, (const double[]){ 1.0, -1.0 });
    b[0] = 3.0;
    b[1] = 1.0;
    b[2] = 0.5;
    assert_int_equal(sal_kkt_factor(&x.kkt), SAL_OK);
    sal_kkt_solve(&x.kkt, b, 1);
    assert_near(b[0], 2.25, 1e-15);
    assert_near(b[1], 1.75, 1e-15);
    assert_near(b[2], 0.75, 1e-15);
    kkt_free(&x);
}

/* Sliding: row 0 acts along a_0 + kappa a_1 but measures a_0; row 1 measures nothing, its unknown is zero. */
static void sliding_rows(void **state)
{
    enum { SLIDE_N = 3, SLIDE_SIZE = 5 };
    const sal_pair pairs[] = { { 0, 0 }, { 1, 1 }, { 2, 2 } };
    const int      p[] = { 0, 3, 6 }, c[] = { 0, 1, 2, 0, 1, 2 };
    const bool     on[] = { true, false };
    uint64_t       seed = 5;

    (void)state;
    for (int i = 0; i < 20; i++) {
        const double mass[] = { 1.5, 2.0, 0.7 }, kappa        = i == 0 ? 0.0 : random_number(&seed);
        double       entry[6], dense[SLIDE_SIZE * SLIDE_SIZE] = { 0 }, b[SLIDE_SIZE], expected[SLIDE_SIZE];
        kkt_rig      x;

        for (int k = 0; k < 6; k++) entry[k] = random_number(&seed) + (k == 0 || k == 4);
        for (int k = 0; k < SLIDE_SIZE; k++) b[k] = expected[k] = random_number(&seed);
        b[4] = expected[4] = 0.0;
        for (int k = 0; k < SLIDE_N; k++) {
            dense[k * SLIDE_SIZE + k]       = mass[k];
            dense[k * SLIDE_SIZE + SLIDE_N] = entry[k] + kappa * entry[3 + k];
            dense[SLIDE_N * SLIDE_SIZE + k] = entry[k];
        }
        dense[4 * SLIDE_SIZE + 4] = -1.0;
        dense_solve(SLIDE_SIZE, dense, expected);
        kkt_make(&x, SLIDE_N, pairs, 3, 2, p, c);
        sal_kkt_equilibrate(&x.kkt, mass, entry);
        sal_kkt_set_rows(&x.kkt, entry);
        sal_kkt_couple(&x.kkt, entry, 0, 1, kappa);
        sal_kkt_set_corner(&x.kkt, NULL, on);
        assert_int_equal(sal_kkt_factor(&x.kkt), SAL_OK);
        sal_kkt_solve(&x.kkt, b, 1);
        for (int k = 0; k < SLIDE_SIZE; k++) assert_near(b[k], expected[k], 1e-10 * (1.0 + fabs(expected[k])));
        kkt_free(&x);
    }
}

/* Random rows in pairs, as contacts have them: of one pair after the other the first row slides along the second. In
 * units of any size; `twice`: the last row is the one before it again, in another unit. K by rows into dense. */
enum { PAIR_N = 9, PAIR_M = 6, PAIR_SIZE = PAIR_N + PAIR_M, PAIR_WIDE = 5 };

static void pairs_make(kkt_rig *x)
{
    sal_pair pairs[PAIR_N];
    int      p[PAIR_M + 1], c[PAIR_M * PAIR_WIDE];

    for (int k = 0; k < PAIR_N; k++) pairs[k] = (sal_pair){ k, k };
    for (int r = 0; r <= PAIR_M; r++) p[r] = r * PAIR_WIDE;
    for (int k = 0; k < PAIR_M * PAIR_WIDE; k++) c[k] = (k / (2 * PAIR_WIDE) * 3 + k % PAIR_WIDE * 2) % PAIR_N;
    kkt_make(x, PAIR_N, pairs, PAIR_N, PAIR_M, p, c);
}

static void pairs_fill(kkt_rig *x, uint64_t *seed, int slide, bool twice, double *dense)
{
    const sal_pattern *pattern = &x->pattern;
    double             mass[PAIR_N], entry[PAIR_M * PAIR_WIDE];
    bool               on[PAIR_M];

    memset(dense, 0, sizeof *dense * PAIR_SIZE * PAIR_SIZE);
    for (int k = 0; k < PAIR_N; k++)
        dense[k * PAIR_SIZE + k] = mass[k] = pow(10.0, 3.0 * random_number(seed)) * (1.0 + (k % 3));
    for (int k = 0; k < PAIR_M * PAIR_WIDE; k++)
        entry[k] = twice && k >= (PAIR_M - 1) * PAIR_WIDE ? -1e4 * entry[k - PAIR_WIDE] : random_number(seed);
    for (int r = 0; r < PAIR_M; r++) on[r] = r / 2 >= slide || r % 2 == 0;
    sal_kkt_equilibrate(&x->kkt, mass, entry);
    sal_kkt_set_rows(&x->kkt, entry);
    for (int r = 0; r < PAIR_M; r += 2) {
        const double kappa = r / 2 < slide ? random_number(seed) : 0.0;
        if (r / 2 < slide) sal_kkt_couple(&x->kkt, entry, r, r + 1, kappa);
        for (int k = 0; k < 2 * PAIR_WIDE; k++) {
            const int row = r + k / PAIR_WIDE, at = row * PAIR_WIDE + k % PAIR_WIDE, column = pattern->column[at];
            if (!on[row]) continue;
            dense[(PAIR_N + row) * PAIR_SIZE + column] = entry[at];
            dense[column * PAIR_SIZE + PAIR_N + row]   = entry[at] + (row == r ? kappa * entry[at + PAIR_WIDE] : 0.0);
        }
    }
    if (twice) sal_kkt_regularize(&x->kkt, 1e-9, on);
    else sal_kkt_set_corner(&x->kkt, NULL, on);
    for (int r = 0; r < PAIR_M; r++) {
        const double s = x->kkt.scale[PAIR_N + r];
        if (!on[r]) dense[(PAIR_N + r) * PAIR_SIZE + PAIR_N + r] = -1.0 / (s * s);
    }
}

/* The transpose of a [PAIR_SIZE][PAIR_SIZE] in place. */
static void transpose(double *a)
{
    for (int i = 0; i < PAIR_SIZE; i++) {
        for (int j = 0; j < i; j++) {
            const double swap    = a[i * PAIR_SIZE + j];
            a[i * PAIR_SIZE + j] = a[j * PAIR_SIZE + i];
            a[j * PAIR_SIZE + i] = swap;
        }
    }
}

/* Also where the first pivots are used again. What slides makes K unsymmetric: the transposed solution is another. */
static void transposed_is_a_dense_transposed_solve(void **state)
{
    uint64_t seed = 21;
    kkt_rig  x;

    (void)state;
    pairs_make(&x);
    for (int i = 0; i < 200; i++) {
        const int slide = i % 4;
        double    dense[PAIR_SIZE * PAIR_SIZE], b[2 * PAIR_SIZE], plain[2 * PAIR_SIZE], expected[2 * PAIR_SIZE];
        double    copy[PAIR_SIZE * PAIR_SIZE], apart = 0.0;

        pairs_fill(&x, &seed, slide, false, dense);
        transpose(dense);
        for (int k = 0; k < 2 * PAIR_SIZE; k++) b[k] = plain[k] = expected[k] = random_number(&seed);
        for (int k = 0; k < 2; k++) {
            memcpy(copy, dense, sizeof dense);
            dense_solve(PAIR_SIZE, copy, expected + k * PAIR_SIZE);
        }
        assert_int_equal(sal_kkt_factor(&x.kkt), SAL_OK);
        sal_kkt_solve(&x.kkt, plain, 2);
        sal_kkt_solve_transposed(&x.kkt, b, 2);
        for (int k = 0; k < 2 * PAIR_SIZE; k++) {
            const double size = 1.0 + fabs(expected[k]);
            assert_near(b[k], expected[k], 1e-8 * size);
            apart = fmax(apart, fabs(b[k] - plain[k]) / size);
        }
        if (slide) assert_true(apart > 1e-3);
        else assert_true(apart < 1e-8);
    }
    kkt_free(&x);
}

/* Two rows that are one: K0^T x = b has solutions, and the one found is one of them; the corner is not in it. */
static void transposed_without_its_corner(void **state)
{
    uint64_t seed = 22;
    kkt_rig  x;

    (void)state;
    pairs_make(&x);
    for (int i = 0; i < 100; i++) {
        double dense[PAIR_SIZE * PAIR_SIZE], b[2 * PAIR_SIZE] = { 0 }, goal[2 * PAIR_SIZE], given[2 * PAIR_SIZE];

        pairs_fill(&x, &seed, i % 3, true, dense);
        transpose(dense);
        for (int r = 0; r < PAIR_M; r++) dense[(PAIR_N + r) * PAIR_SIZE + PAIR_N + r] = 0.0;
        for (int k = 0; k < 2 * PAIR_SIZE; k++) given[k] = random_number(&seed);
        for (int k = 0; k < 2 * PAIR_SIZE; k++) {
            const double *row = dense + k % PAIR_SIZE * PAIR_SIZE, *from = given + k / PAIR_SIZE * PAIR_SIZE;
            for (int j = 0; j < PAIR_SIZE; j++) b[k] += row[j] * from[j];
            goal[k] = b[k];
        }
        sal_kkt_forget(&x.kkt);
        assert_int_equal(sal_kkt_factor(&x.kkt), SAL_OK);
        sal_kkt_solve_smooth(&x.kkt, true, true, b, 2);
        for (int k = 0; k < 2 * PAIR_SIZE; k++) {
            const double *row = dense + k % PAIR_SIZE * PAIR_SIZE, *found = b + k / PAIR_SIZE * PAIR_SIZE;
            double        sum = 0.0, size = 0.0;
            for (int j = 0; j < PAIR_SIZE; j++) {
                sum += row[j] * found[j];
                size += fabs(row[j] * found[j]);
            }
            assert_near(sum, goal[k], 1e-10 * (size + fabs(goal[k])));     /* (D/(sigma + D))^9 of it is left out */
            if (k % PAIR_SIZE < PAIR_N) assert_near(b[k], given[k], 1e-8); /* accelerations are determined */
        }
    }
    kkt_free(&x);
}

/* M = diag(a, 1), A = (1, 1): with a -> 0 the first pivot vanishes while K stays regular. The scaling chosen for M =
 * 1 stays. */
static void bad_pivots_are_replaced(void **state)
{
    static const double values[] = { 1e-3, 1e-6, 1e-10, 1e-14, 1e-200, 0.0 };
    const sal_pair      pairs[]  = { { 0, 0 }, { 1, 1 } };
    const int           p[] = { 0, 2 }, c[] = { 0, 1 };

    (void)state;
    for (int i = 0; i < SAL_COUNT(values); i++) {
        const double a   = values[i];
        double       b[] = { 1.0, 2.0, 3.0 };
        kkt_rig      x;

        kkt_make(&x, 2, pairs, 2, 1, p, c);
        sal_kkt_equilibrate(&x.kkt, (const double[]){ 1.0, 1.0 }, (const double[]){ 1.0, 1.0 });
        sal_kkt_set_rows(&x.kkt, (const double[]){ 1.0, 1.0 });
        assert_int_equal(sal_kkt_factor(&x.kkt), SAL_OK);
        assert_int_equal(x.kkt.full, 1);
        x.kkt.Ax[x.pattern.diagonal[0]] = a;
        sal_kkt_set_rows(&x.kkt, (const double[]){ 1.0, 1.0 });
        assert_int_equal(sal_kkt_factor(&x.kkt), SAL_OK);
        assert_int_equal(x.kkt.full, 2);
        sal_kkt_solve(&x.kkt, b, 1); /* a x + l = 1, y + l = 2, x + y = 3 */
        /* KLU takes a pivot on the diagonal down to 1e-3 of the largest: three digits may go */
        assert_near(b[0], 2.0 / (1.0 + a), 1e-12);
        assert_near(b[1], 3.0 - 2.0 / (1.0 + a), 1e-12);
        assert_near(b[2], 1.0 - 2.0 * a / (1.0 + a), 1e-12);
        kkt_free(&x);
    }
}

/* Singular by number (two equal rows), by structure (an empty row), and not a number at all; then solvable again. */
static void singular_systems(void **state)
{
    static const double bad[][4] = {
        { 1.0, 1.0, 1.0, 1.0 }, { 1.0, 1.0, 0.0, 0.0 }, { 0.0, 0.0, 0.0, 0.0 }, { 1.0, NAN, 1.0, 0.5 }
    };
    const sal_pair pairs[] = { { 0, 0 }, { 1, 1 }, { 2, 2 } };
    const int      p[] = { 0, 2, 4 }, c[] = { 0, 1, 0, 1 };
    const double   mass[] = { 1.0, 2.0, 3.0 };

    (void)state;
    for (int first = 0; first < 2; first++) { /* at once, or after a good one */
        for (int i = 0; i < SAL_COUNT(bad); i++) {
            double  b[] = { 1.0, 2.0, 3.0, 4.0, 5.0 };
            kkt_rig x;

            kkt_make(&x, 3, pairs, 3, 2, p, c);
            sal_kkt_equilibrate(&x.kkt, mass, (const double[]){ 1.0, 2.0, 3.0, 4.0 });
            if (first) {
                sal_kkt_set_rows(&x.kkt, (const double[]){ 1.0, 2.0, 3.0, 4.0 });
                assert_int_equal(sal_kkt_factor(&x.kkt), SAL_OK);
            }
            for (int k = 0; k < 3; k++) {
                sal_kkt_set_rows(&x.kkt, bad[i]);
                assert_int_equal(sal_kkt_factor(&x.kkt), SAL_ERR_SINGULAR);
            }
            sal_kkt_set_rows(&x.kkt, (const double[]){ 1.0, 2.0, 3.0, 4.0 });
            assert_int_equal(sal_kkt_factor(&x.kkt), SAL_OK);
            sal_kkt_solve(&x.kkt, b, 1); /* x + 2 y = 4, 3 x + 4 y = 5 */
            assert_near(b[0], -3.0, 1e-14);
            assert_near(b[1], 3.5, 1e-14);
            assert_near(b[2], 1.0, 1e-15);
            assert_near(b[3] + 3 * b[4], 4.0, 1e-13);
            assert_near(2 * b[3] + 4 * b[4], -5.0, 1e-13);
            kkt_free(&x);
        }
    }
}

/* Two pairs of rows that are one each, in different units: a null vector is of one pair alone, its largest unknown 1 as
 * the solver sees it. One pair: the same. None: zero. */
static void null_vectors(void **state)
{
    static const double rows[][8]    = { { 1.0, 2.0, 1.0, 2.0, 3.0, -1.0, 3.0, -1.0 },
                                         { 1.0, 2.0, 1e5, 2e5, 3.0, -1.0, -3e-7, 1e-7 },
                                         { 1.0, 2.0, 1.0, 0.0, 3.0, -1.0, 3.0, -1.0 },
                                         { 1.0, 2.0, 1.0, 0.0, 3.0, -1.0, 3.0, 0.0 } };
    static const int    pairs_left[] = { 2, 2, 1, 0 };
    const sal_pair      pairs[]      = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 3, 3 } };
    const int           p[] = { 0, 2, 4, 6, 8 }, c[] = { 0, 1, 0, 1, 2, 3, 2, 3 };

    (void)state;
    for (int i = 0; i < SAL_COUNT(rows); i++) {
        double  null[8], most = 0.0;
        kkt_rig x;

        kkt_make(&x, 4, pairs, 4, 4, p, c);
        sal_kkt_equilibrate(&x.kkt, (const double[]){ 1.0, 2e3, 3e-4, 5.0 }, rows[i]);
        sal_kkt_set_rows(&x.kkt, rows[i]);
        sal_kkt_set_corner(&x.kkt, NULL, NULL);
        assert_int_equal(sal_kkt_null(&x.kkt, &x.pool, null), SAL_OK);
        for (int k = 0; k < 8; k++) most = fmax(most, fabs(null[k]) / x.kkt.scale[k]);
        assert_near(most, pairs_left[i] ? 1.0 : 0.0, 1e-15);
        for (int k = 0; k < 4; k++) assert_near(null[k] / x.kkt.scale[k], 0.0, 1e-14);
        for (int pair = 0, used = 0; pair < 2; pair++) {
            const double *a = rows[i] + 4 * pair, *l = null + 4 + 2 * pair, *s = x.kkt.scale + 4 + 2 * pair;
            if (fabs(l[0]) / s[0] > 1e-13 || fabs(l[1]) / s[1] > 1e-13) used++;
            for (int k = 0; k < 2; k++) assert_near((l[0] * a[k] + l[1] * a[2 + k]) * s[0], 0.0, 1e-13 * s[0] * s[0]);
            if (pair == 1) assert_int_equal(used, pairs_left[i] > 0);
        }
        kkt_free(&x);
    }
}

/* ------------------------------------------------------------------------------------ mechanisms */

/* A parallelogram that hangs (and so never lies flat); the second coupler, pinned to markers of the cranks and
 * parallel to the first, is one constraint too many. */
#define PARALLELOGRAM(more_points, more_bodies, joints)                                                       \
    "'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'B': { 'at': [2, 0], 'fixed': true },"                 \
    "            'P': { 'at': [0.6, -0.8], 'dof': 'x' }, 'Q': { 'at': [2.6, -0.8] }" more_points " },"        \
    "'bodies': { 'crank1': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1, 'markers': { 'M': [0.5, 0] } }," \
    "            'crank2': { 'type': 'bar', 'points': ['B', 'Q'], 'mass': 1, 'markers': { 'N': [0.5, 0] } }," \
    "            'coupler1': { 'type': 'bar', 'points': ['P', 'Q'], 'mass': 2 }" more_bodies " }," joints     \
    "'simulation': { 'duration': 3, 'rtol': 1e-10 }"

static const char *const redundant =
    PARALLELOGRAM(", 'R': { 'at': [0.3, -0.4] }, 'S': { 'at': [2.3, -0.4] }",
                  ", 'coupler2': { 'type': 'bar', 'points': ['R', 'S'], 'mass': 2 }",
                  "'joints': { 'pin1': { 'type': 'revolute', 'points': ['R', 'M'] },"
                  "            'pin2': { 'type': 'revolute', 'points': ['S', 'N'] } },");

/* One angle theta of the cranks obeys
 *     (2 m/3 + 2 + 2/4) theta'' = -g cos(theta) (2 * 1/2 + 2 + 2/2),  m = 1, lengths 1 and 1/2 */
static void parallelogram_rate(const void *self, double t, const double *y, double *dy)
{
    (void)self;
    (void)t;
    dy[0] = y[1];
    dy[1] = -9.81 * cos(y[0]) * (1.0 + 2.0 + 1.0) / (2.0 / 3 + 2.0 + 0.5);
}

/* Of the multipliers that give these accelerations the least are taken: none of them lies in the null space of Phi_q^T,
 * each measured by the size of its row. */
static void assert_least(const rig *r)
{
    const sal_model *model = r->model;
    const double    *scale = r->run->system.motion.scale + model->n, *lambda = sal_run_lambda(r->run);
    double           basis[16 * 16], product = 0.0, size = 0.0, *null = basis;
    sal_pool         pool;
    sal_rank         columns; /* of Phi_q: rows of Phi_q^T */

    assert_true(model->n <= 16 && model->m <= 16);
    sal_pool_init(&pool, r->context);
    assert_int_equal(sal_rank_init(&columns, &pool, model->m, model->n), SAL_OK);
    for (int row = 0; row < model->m; row++) {
        for (int k = model->jp[row]; k < model->jp[row + 1]; k++)
            columns.row[model->jc[k] * model->m + row] = r->run->system.entry[k];
    }
    assert_int_equal(sal_rank_find(&columns, model->n, basis), model->m - 1);
    sal_pool_free(&pool);
    for (int row = 0; row < model->m; row++) {
        product += null[row] * lambda[row] / (scale[row] * scale[row]);
        size += fabs(null[row] * lambda[row]) / (scale[row] * scale[row]);
    }
    assert_true(size > 1e-3);
    assert_near(product / size, 0.0, 1e-6);
}

static void redundant_constraints_share_the_load(void **state)
{
    rig           r = rig_load(redundant), plain = rig_load(PARALLELOGRAM("", "", ""));
    double        y[] = { atan2(-0.8, 0.6), 0.0 }, dy[2];
    const double *a;
    int           rank;

    (void)state;
    assert_int_equal(r.model->m, 8);
    rig_run(&r, NULL);
    assert_int_equal(r.run->system.shares, SAL_SHARES_LAST);
    assert_int_equal(sal_run_rank(r.run, &rank), SAL_OK);
    assert_int_equal(rank, 7);
    for (int k = 0; k <= 6; k++) {
        if (k) rk4(parallelogram_rate, NULL, 0.5 * (k - 1), 0.5 * k, 2000, 2, y);
        if (k) rig_to(&r, 0.5 * k);
        assert_near(sal_run_q(r.run)[0], cos(y[0]), 1e-8);
        assert_near(sal_run_q(r.run)[1], sin(y[0]), 1e-8);
        a = sal_run_a(r.run);
        parallelogram_rate(NULL, 0.0, y, dy);
        for (int point = 0; point < 4; point++) { /* P and Q at the ends, R and S in the middle of the cranks */
            const double length = point < 2 ? 1.0 : 0.5;
            assert_near(a[2 * point], length * (-sin(y[0]) * dy[1] - cos(y[0]) * y[1] * y[1]), 1e-6);
            assert_near(a[2 * point + 1], length * (cos(y[0]) * dy[1] - sin(y[0]) * y[1] * y[1]), 1e-6);
        }
        if (k == 0) assert_least(&r);
    }
    assert_true(sal_run_get_stats(r.run).max_phi < 1e-11);
    /* a mechanism that has none too many is solved as ever */
    rig_run(&plain, NULL);
    assert_int_equal(plain.run->system.shares, 0);
    rig_free(&plain);
    rig_free(&r);
}

/* A constraint twice: each takes half, and the others what they take anyway. */
#define TWIN(joints) \
    PARALLELOGRAM(", 'Z': { 'at': [5, 0] }", ", 'third': { 'type': 'bar', 'points': ['Q', 'Z'], 'mass': 1 }", joints)

static void equal_constraints_take_equal_parts(void **state)
{
    rig r    = rig_load(TWIN("'joints': { 'twin': { 'type': 'distance', 'points': ['P', 'Q'], 'length': 2 } },")),
        once = rig_load(TWIN(""));

    (void)state;
    rig_run(&r, NULL);
    rig_run(&once, NULL);
    for (int k = 0; k <= 4; k++) {
        const double *l = sal_run_lambda(r.run), *l1 = sal_run_lambda(once.run);
        if (k) rig_to(&r, 0.5 * k);
        if (k) rig_to(&once, 0.5 * k);
        assert_near(l[rig_row(&r, "twin")], l[rig_row(&r, "coupler1")], 1e-6);
        assert_near(2.0 * l[rig_row(&r, "twin")], l1[rig_row(&once, "coupler1")], 1e-6);
        assert_near(l[rig_row(&r, "third")], l1[rig_row(&once, "third")], 1e-6);
        assert_near(l[rig_row(&r, "crank1")], l1[rig_row(&once, "crank1")], 1e-6);
        for (int i = 0; i < r.model->n; i++) {
            assert_near(sal_run_q(r.run)[i], sal_run_q(once.run)[i], 1e-8);
            assert_near(sal_run_a(r.run)[i], sal_run_a(once.run)[i], 1e-6);
        }
    }
    rig_free(&once);
    rig_free(&r);
}

/* One constraint too many does not hide what is really not determined. */
static void redundant_and_singular(void **state)
{
    rig r = rig_load(
        PARALLELOGRAM(", 'Lost': { 'at': [5, 0] }", "",
                      "'joints': { 'twin': { 'type': 'distance', 'points': ['P', 'Q'], 'length': 2 },"
                      "            'spring': { 'type': 'spring', 'points': ['P', 'Lost'], 'stiffness': 1 } },"));

    (void)state;
    assert_int_equal(rig_try(&r, NULL), SAL_ERR_SINGULAR);
    assert_null(r.run);
    assert_says(sal_message(r.context), "singular at t = 0 s: nothing determines the acceleration of x(Lost), y(Lost)");
    rig_free(&r);
}

/* With a stiff penalty the redundant mechanism moves like the one without it. */
static void redundant_mechanism_in_penalty_form(void **state)
{
    sal_run_opts opts = sal_run_defaults();
    rig          r    = rig_load(redundant);
    double       y[]  = { atan2(-0.8, 0.6), 0.0 };
    int          rank;

    (void)state;
    opts.form = SAL_PENALTY;
    rig_run(&r, &opts);
    assert_int_equal(sal_run_rank(r.run, &rank), SAL_OK);
    assert_int_equal(rank, 7);
    for (int k = 1; k <= 6; k++) {
        rk4(parallelogram_rate, NULL, 0.5 * (k - 1), 0.5 * k, 2000, 2, y);
        rig_to(&r, 0.5 * k);
        /* alpha = 1e7: rows yield by lambda / (alpha omega^2), reached: 2e-8 */
        assert_near(sal_run_q(r.run)[0], cos(y[0]), 1e-7);
        assert_near(sal_run_q(r.run)[1], sin(y[0]), 1e-7);
    }
    assert_true(sal_run_get_stats(r.run).max_phi < 5e-8);
    rig_free(&r);
}

static void massless_points_are_named(void **state)
{
    rig r =
        rig_load("'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0] }, 'Lost': { 'at': [2, 0] } },"
                 "'bodies': { 'bar': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1 } },"
                 "'joints': { 'spring': { 'type': 'spring', 'points': ['P', 'Lost'], 'stiffness': 1 } }");

    (void)state;
    assert_int_equal(rig_try(&r, NULL), SAL_ERR_SINGULAR);
    assert_says(sal_message(r.context), "singular at t = 0 s: nothing determines the acceleration of ");
    assert_says(sal_message(r.context), "(Lost)");
    assert_null(strstr(sal_message(r.context), "(P)"));
    rig_free(&r);

    /* on a rod it can still swing freely: both coordinates take part */
    r = rig_load("'points': { 'A': { 'at': [0, 0], 'fixed': true }, 'P': { 'at': [1, 0] }, 'Lost': { 'at': [2, 1] } },"
                 "'bodies': { 'bar': { 'type': 'bar', 'points': ['A', 'P'], 'mass': 1 } },"
                 "'joints': { 'rod': { 'type': 'distance', 'points': ['P', 'Lost'], 'length': 'sqrt(2)' } }");
    assert_int_equal(rig_try(&r, NULL), SAL_ERR_SINGULAR);
    assert_says(sal_message(r.context), "nothing determines the acceleration of x(Lost), y(Lost)");
    rig_free(&r);
}

/* A massless point held by two rods is fine: M is singular, K is not. */
static void massless_point_held_by_rods(void **state)
{
    rig r = rig_load("'points': { 'A': { 'at': [-1, 1], 'fixed': true }, 'B': { 'at': [1, 1], 'fixed': true },"
                     "            'K': { 'at': [0, 0] }, 'W': { 'at': [0, -1] } },"
                     "'bodies': { 'ball': { 'type': 'point_mass', 'point': 'W', 'mass': 2 } },"
                     "'joints': { 'a': { 'type': 'distance', 'points': ['A', 'K'], 'length': 'sqrt(2)' },"
                     "            'b': { 'type': 'distance', 'points': ['B', 'K'], 'length': 'sqrt(2)' },"
                     "            'c': { 'type': 'distance', 'points': ['K', 'W'], 'length': 1 } },"
                     "'simulation': { 'duration': 1 }");
    const double *l;

    (void)state;
    rig_run(&r, NULL);
    l = sal_run_lambda(r.run);
    assert_near(2 * l[2], 2 * 9.81, 1e-12);
    assert_near(2 * sqrt(2) * l[0], 9.81 * sqrt(2), 1e-12);
    assert_near(2 * sqrt(2) * l[1], 9.81 * sqrt(2), 1e-12);
    rig_to(&r, 1.0);
    assert_near(sal_run_q(r.run)[3], -1.0, 1e-12);
    rig_free(&r);
}

/* Many right-hand sides are solved side by side: each as if it were alone, bit for bit, also where new pivots follow. */
static void blocks_of_columns(void **state)
{
    enum { COLUMNS = 21 };
    kkt_rig  x;
    uint64_t seed = 7;
    double   dense[SIZE * SIZE], b[COLUMNS * SIZE], alone[COLUMNS * SIZE], rows[SIZE * COLUMNS];

    (void)state;
    chain_make(&x);
    for (int pass = 0; pass < 8; pass++) {
        chain_fill(&x, &seed, pass % 2 ? -0.1 : 0.0, dense);
        if (pass % 3 == 2) sal_kkt_forget(&x.kkt);
        assert_int_equal(sal_kkt_factor(&x.kkt), SAL_OK);
        for (int k = 0; k < COLUMNS * SIZE; k++)
            b[k] = alone[k] = rows[k % SIZE * COLUMNS + k / SIZE] = random_number(&seed);
        sal_kkt_solve(&x.kkt, b, COLUMNS);
        assert_true(sal_kkt_solve_rows(&x.kkt, rows, rows + N * COLUMNS, COLUMNS));
        for (int c = 0; c < COLUMNS; c++) sal_kkt_solve(&x.kkt, alone + c * SIZE, 1);
        assert_memory_equal(b, alone, sizeof b);
        for (int k = 0; k < COLUMNS * SIZE; k++) assert_true(rows[k % SIZE * COLUMNS + k / SIZE] == alone[k]);
    }
    assert_false(sal_kkt_solve_rows(&x.kkt, rows, rows + N * COLUMNS, 1)); /* not worth it */
    kkt_free(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refactor_is_a_dense_solve),
        cmocka_unit_test(entries),
        cmocka_unit_test(sliding_rows),
        cmocka_unit_test(blocks_of_columns),
        cmocka_unit_test(transposed_is_a_dense_transposed_solve),
        cmocka_unit_test(transposed_without_its_corner),
        cmocka_unit_test(bad_pivots_are_replaced),
        cmocka_unit_test(singular_systems),
        cmocka_unit_test(null_vectors),
        cmocka_unit_test(redundant_constraints_share_the_load),
        cmocka_unit_test(equal_constraints_take_equal_parts),
        cmocka_unit_test(redundant_and_singular),
        cmocka_unit_test(redundant_mechanism_in_penalty_form),
        cmocka_unit_test(massless_points_are_named),
        cmocka_unit_test(massless_point_held_by_rods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
