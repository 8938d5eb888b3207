/* expressions.h - expressions from text, their values and derivatives, and the names that they may read. */
#ifndef SAL_TESTS_EXPRESSIONS_H
#define SAL_TESTS_EXPRESSIONS_H

#include "engine/scene/scene.h"
#include "tests/asserts.h"
#include "tests/counting.h"

enum { SLOT_T, SLOT_X, SLOT_Y, SLOT_W, SLOTS };

static const char *const known[] = { "t", "x", "y", "w", "L01", "gap", "energy", "speed", "heavy" };

static inline int test_name(void *self, sal_expr *e, const char *name, int column)
{
    (void)self;
    if (strcmp(name, "bad") == 0) return sal_expr_fail(e, column, "bad is refused");
    for (int i = 0; i < SLOTS; i++)
        if (strcmp(name, known[i]) == 0) return sal_expr_leaf(e, SAL_SRC_Z, i);
    return strcmp(name, "L01") == 0 ? sal_expr_const(e, 0.1) : -1;
}

/* gap(A, B) = x - y, speed(P) = dx/dt, energy(), heavy() = more nodes than are allowed. */
static inline int test_call(void *self, sal_expr *e, const char *name, int column, const sal_expr_arg *arg, int nargs)
{
    int node = sal_expr_leaf(e, SAL_SRC_Z, SLOT_X);

    (void)self;
    (void)column;
    if (strcmp(name, "energy") == 0 && nargs == 0) return sal_expr_leaf(e, SAL_SRC_ENERGY, 0);
    if (strcmp(name, "speed") == 0 && nargs == 1) {
        if (strcmp(arg[0].name, "P") == 0 || strcmp(arg[0].name, "pin.x") == 0)
            return sal_expr_leaf(e, SAL_SRC_ZD, SLOT_X);
        return sal_expr_fail(e, arg[0].column, "no point '%s'", arg[0].name);
    }
    if (strcmp(name, "gap") == 0 && nargs == 2)
        return sal_expr_op(e, SAL_OP_SUB, node, sal_expr_leaf(e, SAL_SRC_Z, SLOT_Y), 0);
    if (strcmp(name, "heavy") != 0) return -1;
    for (int i = 0; i < SAL_EXPR_MAX_NODES; i++) node = sal_expr_op(e, SAL_OP_SIN, node, 0, 0);
    return node;
}

static inline void test_known(void *self, const char *const **names, int *count)
{
    (void)self;
    *names = known;
    *count = SAL_COUNT(known);
}

static const sal_resolver resolver = { NULL, test_name, test_call, test_known };

typedef struct fixture {
    sal_context *context;
    sal_pool     pool;
} fixture;

static inline int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);

    if (!f || sal_context_create(NULL, &f->context) != SAL_OK) return -1;
    sal_pool_init(&f->pool, f->context);
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    fixture *f = *state;

    sal_pool_free(&f->pool);
    sal_context_destroy(&f->context);
    free(f);
    return 0;
}

static double value[SAL_EXPR_MAX_NODES], first[SAL_EXPR_MAX_NODES];

static inline sal_program compile(void **state, const char *text)
{
    fixture       *f = *state;
    sal_program    p;
    sal_expr_error error;
    sal_status     status = sal_expr_compile(&f->pool, text, &resolver, &p, &error);

    if (status != SAL_OK) fail_msg("'%s': %s, column %d: %s", text, sal_status_name(status), error.column, error.text);
    return p;
}

static inline double evaluate(const sal_program *p, const double z[SLOTS])
{
    static const double zd[SLOTS] = { 1, 7, 8, 9 }, energy[] = { 42 };
    const double *const source[SAL_SRC_COUNT] = {
        [SAL_SRC_Z] = z, [SAL_SRC_ZD] = zd, [SAL_SRC_ZDD] = zd, [SAL_SRC_ENERGY] = energy
    };

    return sal_program_value(p, source, value);
}

static inline double gradient_of(const sal_program *p, int slot)
{
    sal_program_gradient(p, value, first);
    for (int k = 0; k < p->nleaf; k++) {
        const sal_node *s = &p->node[p->leaf[k]];
        if (s->a == SAL_SRC_Z && s->b == slot) return first[p->leaf[k]];
    }
    return 0;
}

static inline double slope_at(void **state, const char *text, double x, double y, int slot)
{
    const double z[SLOTS] = { 0.5, x, y, 2 };
    sal_program  p        = compile(state, text);

    evaluate(&p, z);
    return gradient_of(&p, slot);
}

/* The leaf Z[*self] moves, and nothing else. */
static inline sal_leaf_derivative only_slot(const void *self, sal_source source, int slot)
{
    const bool moves = source == SAL_SRC_Z && slot == *(const int *)self;

    return (sal_leaf_derivative){ .kind = moves ? SAL_LEAF_ONE : SAL_LEAF_ZERO };
}

/* t moves at speed 1, x is a function of time: Z -> ZD -> ZDD; y and w are parameters. */
static inline sal_leaf_derivative in_time(const void *self, sal_source source, int slot)
{
    (void)self;
    if (source == SAL_SRC_Z && slot == SLOT_T) return (sal_leaf_derivative){ .kind = SAL_LEAF_ONE };
    if (source == SAL_SRC_Z && slot == SLOT_X) return (sal_leaf_derivative){ SAL_LEAF_READ, SAL_SRC_ZD, slot };
    if (source == SAL_SRC_ZD && slot == SLOT_X) return (sal_leaf_derivative){ SAL_LEAF_READ, SAL_SRC_ZDD, slot };
    return (sal_leaf_derivative){ .kind = SAL_LEAF_ZERO };
}

static inline sal_program differentiate(void **state, const sal_program *p, sal_leaf_rule rule, const void *self)
{
    fixture    *f = *state;
    sal_program out;

    assert_int_equal(sal_program_differentiate(&f->pool, p, rule, self, &out), SAL_OK);
    return out;
}

static inline sal_program differentiate_by(void **state, const sal_program *p, int slot)
{
    return differentiate(state, p, only_slot, &slot);
}

static inline void assert_close(const char *text, double found, double expected, double tolerance)
{
    double scale = fabs(expected) > 1 ? fabs(expected) : 1;

    if (found == expected) return;
    if (isnan(found) && isnan(expected)) return;
    if (!(fabs(found - expected) <= tolerance * scale))
        fail_msg("'%s': found %.17g, expected %.17g", text, found, expected);
}

/* Each function with arguments inside its domain for 0.3 <= x, y <= 1.5 and t, w near 0.5 and 2. */
static const char *const smooth[] = {
    "x + y",
    "x - 2*y",
    "-x",
    "x*y*w",
    "x/y",
    "(x + 1)/(y*y + w)",
    "x^2",
    "x^3",
    "x^5",
    "x^-3",
    "x^2.5",
    "x^1",
    "x^0",
    "(-x)^3",
    "(-x)^4",
    "(-x)^-2",
    "x^y",
    "2^x",
    "(x*y)^(x + y)",
    "sqrt(x)",
    "sqrt(x^2 + y^2)",
    "abs(x - 3)*abs(y + 3)",
    "sin(x*y)",
    "cos(x - y)",
    "tan(x/2)",
    "asin(x/2)",
    "acos(-y/2)",
    "atan(x*3)",
    "atan2(y, x)",
    "atan2(-y, -x*x)",
    "atan2(3, x)",
    "sinh(x)",
    "cosh(x - y)",
    "tanh(x + y)",
    "exp(-x*y)",
    "log(x + y)",
    "min(x, y + 5, w + 9)",
    "max(x - 9, y*y, x*0.01 - 3)",
    "sign(x)*x*y",
    "step(x - 5)*y + x",
    "if(x > 5, log(-x), x*y)",
    "if(x < 5 and not (y > 9 or y == 9), sin(x), 0)",
    "x*(y >= 0) + y*(x <= 0) + (x != y)*w*x",
    "x*x*x - x*x*y + sin(x)*sin(x) + cos(x*y)^2",
    "sin(w*t)*exp(-t/2)*x",
    "gap(A, B)*x",
    "exp(sin(x)^2)/(1 + tanh(y))^1.5 + log(1 + x^2*y^2)",
};

static const double points[][SLOTS] = {
    { 0.5, 0.7, 1.2, 2.0 },
    { 0.4, 1.4, 0.6, 1.7 },
    { 0.6, 0.45, 0.5, 2.2 },
};

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
