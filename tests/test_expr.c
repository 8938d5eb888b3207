/* test_expr.c - the expression language: values, errors, derivatives, limits.
 *
 * Derivatives are held against eighth-order central differences, of values and, for the second, of gradients,
 *
 *   f' = sum c_k (f(+kh) - f(-kh)) / h            c = 4/5, -1/5, 4/105, -1/280
 *
 * whose errors are far below 1e-9 for functions that vary on the scale of 1, and against closed forms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/scene/scene.h"

/* -------------------------------------------------------------------------------- the test's names */

enum { SLOT_T, SLOT_X, SLOT_Y, SLOT_W, SLOTS };

static const char *const known[] = { "t", "x", "y", "w", "L01", "gap", "energy", "speed", "heavy" };

static int test_name(void *self, sal_expr *e, const char *name, int column)
{
    (void)self;
    if (strcmp(name, "bad") == 0) return sal_expr_fail(e, column, "bad is refused");
    for (int i = 0; i < SLOTS; i++)
        if (strcmp(name, known[i]) == 0) return sal_expr_leaf(e, SAL_SRC_Z, i);
    return strcmp(name, "L01") == 0 ? sal_expr_const(e, 0.1) : -1;
}

/* gap(A, B) = x - y, speed(P) = dx/dt, energy(), heavy() = more nodes than are allowed. */
static int test_call(void *self, sal_expr *e, const char *name, int column, const sal_expr_arg *arg, int nargs)
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

static void test_known(void *self, const char *const **names, int *count)
{
    (void)self;
    *names = known;
    *count = SAL_COUNT(known);
}

static const sal_resolver resolver = { NULL, test_name, test_call, test_known };

/* ---------------------------------------------------------------------------------------- helpers */

typedef struct fixture {
    sal_context *context;
    sal_pool     pool;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);

    if (!f || sal_context_create(NULL, &f->context) != SAL_OK) return -1;
    sal_pool_init(&f->pool, f->context);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;

    sal_pool_free(&f->pool);
    sal_context_destroy(&f->context);
    free(f);
    return 0;
}

static double value[SAL_EXPR_MAX_NODES], first[SAL_EXPR_MAX_NODES];

static sal_program compile(void **state, const char *text)
{
    fixture       *f = *state;
    sal_program    p;
    sal_expr_error error;
    sal_status     status = sal_expr_compile(&f->pool, text, &resolver, &p, &error);

    if (status != SAL_OK) fail_msg("'%s': %s, column %d: %s", text, sal_status_name(status), error.column, error.text);
    return p;
}

static double evaluate(const sal_program *p, const double z[SLOTS])
{
    static const double zd[SLOTS] = { 1, 7, 8, 9 }, energy[] = { 42 };
    const double *const source[SAL_SRC_COUNT] = {
        [SAL_SRC_Z] = z, [SAL_SRC_ZD] = zd, [SAL_SRC_ZDD] = zd, [SAL_SRC_ENERGY] = energy
    };

    return sal_program_value(p, source, value);
}

static double gradient_of(const sal_program *p, int slot)
{
    sal_program_gradient(p, value, first);
    for (int k = 0; k < p->nleaf; k++) {
        const sal_node *s = &p->node[p->leaf[k]];
        if (s->a == SAL_SRC_Z && s->b == slot) return first[p->leaf[k]];
    }
    return 0;
}

static double value_at(void **state, const char *text, double x, double y)
{
    const double z[SLOTS] = { 0.5, x, y, 2 };
    sal_program  p        = compile(state, text);

    return evaluate(&p, z);
}

static double slope_at(void **state, const char *text, double x, double y, int slot)
{
    const double z[SLOTS] = { 0.5, x, y, 2 };
    sal_program  p        = compile(state, text);

    evaluate(&p, z);
    return gradient_of(&p, slot);
}

/* The leaf Z[*self] moves, and nothing else. */
static sal_leaf_derivative only_slot(const void *self, sal_source source, int slot)
{
    const bool moves = source == SAL_SRC_Z && slot == *(const int *)self;

    return (sal_leaf_derivative){ .kind = moves ? SAL_LEAF_ONE : SAL_LEAF_ZERO };
}

/* t moves at speed 1, x is a function of time: Z -> ZD -> ZDD; y and w are parameters. */
static sal_leaf_derivative in_time(const void *self, sal_source source, int slot)
{
    (void)self;
    if (source == SAL_SRC_Z && slot == SLOT_T) return (sal_leaf_derivative){ .kind = SAL_LEAF_ONE };
    if (source == SAL_SRC_Z && slot == SLOT_X) return (sal_leaf_derivative){ SAL_LEAF_READ, SAL_SRC_ZD, slot };
    if (source == SAL_SRC_ZD && slot == SLOT_X) return (sal_leaf_derivative){ SAL_LEAF_READ, SAL_SRC_ZDD, slot };
    return (sal_leaf_derivative){ .kind = SAL_LEAF_ZERO };
}

static sal_program differentiate(void **state, const sal_program *p, sal_leaf_rule rule, const void *self)
{
    fixture    *f = *state;
    sal_program out;

    assert_int_equal(sal_program_differentiate(&f->pool, p, rule, self, &out), SAL_OK);
    return out;
}

static sal_program differentiate_by(void **state, const sal_program *p, int slot)
{
    return differentiate(state, p, only_slot, &slot);
}

/* First and second derivative with respect to x at (x, y), by programs. */
static void derivatives_at(void **state, const char *text, double x, double y, double *d1, double *d2)
{
    const double z[SLOTS] = { 0.5, x, y, 2 };
    sal_program  p = compile(state, text), p1 = differentiate_by(state, &p, SLOT_X),
                p2 = differentiate_by(state, &p1, SLOT_X);

    *d1 = evaluate(&p1, z);
    *d2 = evaluate(&p2, z);
}

static void assert_close(const char *text, double found, double expected, double tolerance)
{
    double scale = fabs(expected) > 1 ? fabs(expected) : 1;

    if (found == expected) return;
    if (isnan(found) && isnan(expected)) return;
    if (!(fabs(found - expected) <= tolerance * scale))
        fail_msg("'%s': found %.17g, expected %.17g", text, found, expected);
}

/* ----------------------------------------------------------------------------------------- values */

static void test_values(void **state)
{
    const double x = 0.7, y = -1.3, t = 0.5, w = 2;
    const struct {
        const char *text;
        double      expected;
    } cases[] = {
        { "0", 0 },
        { "12", 12 },
        { "1.5", 1.5 },
        { ".5", 0.5 },
        { "5.", 5 },
        { "1.25e3", 1250 },
        { "1E-3", 1e-3 },
        { "2.5e+2", 250 },
        { "5.e1", 50 },
        { "0.1", 0.1 },
        { "123456789.123456789", 123456789.123456789 },
        { "1.7976931348623157e308", 1.7976931348623157e308 },
        { "4.9e-324", 4.9e-324 },
        { "1e-400", 0 },
        { "1e-99999999999999999999", 0 },
        { "0e99999999999999999999", 0 },
        { "0.000000000000000000000000000001e30", 1 },
        { " \t\r\n 3 \n", 3 },
        { "pi", 3.14159265358979323846 },
        { "e", 2.71828182845904523536 },
        { "t", t },
        { "x", x },
        { "L01", 0.1 },
        { "gap(A, B)", x - y },
        { "speed(P)", 7 },
        { "speed( pin.x )", 7 },
        { "energy()", 42 },
        { "energy ( ) + 1", 43 },
        /* functions */
        { "sqrt(x)", sqrt(x) },
        { "abs(y)", 1.3 },
        { "abs(x)", 0.7 },
        { "sin(x)", sin(x) },
        { "cos(x)", cos(x) },
        { "tan(x)", tan(x) },
        { "asin(x)", asin(x) },
        { "acos(x)", acos(x) },
        { "atan(x)", atan(x) },
        { "atan2(y, x)", atan2(y, x) },
        { "atan2(y, -x)", atan2(y, -x) },
        { "sinh(x)", sinh(x) },
        { "cosh(x)", cosh(x) },
        { "tanh(x)", tanh(x) },
        { "exp(x)", exp(x) },
        { "log(x)", log(x) },
        { "min(x, y)", y },
        { "max(x, y)", x },
        { "min(3, x, y, w)", y },
        { "max(y, x, w, t, 1)", w },
        { "sign(y)", -1 },
        { "sign(x)", 1 },
        { "sign(x - x)", 0 },
        { "step(y)", 0 },
        { "step(x)", 1 },
        { "step(x - x)", 1 },
        { "if(x > y, 10, 20)", 10 },
        { "if(x < y, 10, 20)", 20 },
        { "if(y, 10, 20)", 10 },
        { "if(0, x/0, 20)", 20 },
        /* precedence */
        { "1 + 2*3", 7 },
        { "(1 + 2)*3", 9 },
        { "10 - 4 - 3", 3 },
        { "16/4/2", 2 },
        { "2*3/4", 1.5 },
        { "2^3^2", 512 },
        { "(2^3)^2", 64 },
        { "-2^2", -4 },
        { "(-2)^2", 4 },
        { "2^-1", 0.5 },
        { "2^-2^2", 0.0625 },
        { "2^+3", 8 },
        { "-w^2", -4 },
        { "w^-1", 0.5 },
        { "3*-w", -6 },
        { "3 - -w", 5 },
        { "+-+x", -x },
        { "--x", x },
        { "-x*y", -(x * y) },
        { "w*x^2", w * x * x },
        { "1 < 2", 1 },
        { "2 < 1", 0 },
        { "2 <= 2", 1 },
        { "3 <= 2", 0 },
        { "3 > 2", 1 },
        { "2 > 2", 0 },
        { "2 >= 2", 1 },
        { "1 >= 2", 0 },
        { "2 == 2", 1 },
        { "x == y", 0 },
        { "x != y", 1 },
        { "2 != 2", 0 },
        { "1 + 1 == 2", 1 },
        { "2 and -3", 1 },
        { "2 and 0", 0 },
        { "0 or 0.5", 1 },
        { "0 or 0", 0 },
        { "not 0", 1 },
        { "not 7", 0 },
        { "not not 7", 1 },
        { "not 1 == 2", 1 },
        { "1 or 1 and 0", 1 },
        { "(1 or 1) and 0", 0 },
        { "not 0 and 0", 0 },
        { "not (0 and 0)", 1 },
        { "(x < y) == (y > x)", 1 },
        { "1 + (not 0)", 2 },
        { "x > 0 and y < 0 or w == 5", 1 },
        /* powers */
        { "0^0", 1 },
        { "(x - x)^0", 1 },
        { "(x - x)^2", 0 },
        { "y^2", y * y },
        { "y^3", y * y * y },
        { "y^5", y * y * y * y * y },
        { "y^-2", 1 / (y * y) },
        { "y^0.5", NAN },
        { "w^x", pow(w, x) },
        { "w^0.5", sqrt(2) },
        /* not finite: left for evaluation */
        { "1/0", INFINITY },
        { "-1/0", -INFINITY },
        { "sqrt(-1)", NAN },
        { "log(0)", -INFINITY },
        { "min(0/0, 1)", NAN },
        { "min(1, 0/0)", NAN },
        { "max(0/0, 1)", NAN },
        { "max(1, 0/0)", NAN },
    };

    for (int i = 0; i < SAL_COUNT(cases); i++)
        assert_close(cases[i].text, value_at(state, cases[i].text, x, y), cases[i].expected, 4e-16);
}

static void test_long_number(void **state)
{
    char text[2000] = "0.";

    memset(text + 2, '3', 1500); /* as many digits as one likes */
    assert_true(value_at(state, text, 0, 0) == 1.0 / 3);
}

static void test_locale(void **state)
{
    const char *comma[] = { "de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8" };
    double      found   = 0;
    bool        set     = false;

    for (int i = 0; i < SAL_COUNT(comma) && !set; i++) set = setlocale(LC_NUMERIC, comma[i]) != NULL;
    if (!set) skip();
    found = value_at(state, "1.5e1", 0, 0);
    setlocale(LC_NUMERIC, "C");
    assert_true(found == 15);
}

/* ----------------------------------------------------------------------------------------- errors */

typedef struct error_case {
    const char *text;
    int         column;
    const char *expected;
} error_case;

static void check_errors(void **state, const error_case *cases, int count, const sal_resolver *with)
{
    fixture *f = *state;

    for (int i = 0; i < count; i++) {
        sal_program    p;
        sal_expr_error error;
        sal_status     status = sal_expr_compile(&f->pool, cases[i].text, with, &p, &error);

        if (status != SAL_ERR_SCENE || error.column != cases[i].column || strcmp(error.text, cases[i].expected) != 0)
            fail_msg("'%s': status %d, column %d: %s\nexpected column %d: %s", cases[i].text, (int)status, error.column,
                     error.text, cases[i].column, cases[i].expected);
        assert_null(p.node);
    }
}

#define OPERAND "expected a number, a name or '('"

static void test_syntax_errors(void **state)
{
    static const error_case cases[] = {
        { "", 1, "the expression is empty" },
        { " \t\n", 1, "the expression is empty" },
        { ")", 1, "unexpected ')'; " OPERAND },
        { "()", 2, "unexpected ')'; " OPERAND },
        { "1 + ", 5, "unexpected end of the expression; " OPERAND },
        { "1 + * 2", 5, "unexpected '*'; " OPERAND },
        { "1 +\n\t* 2", 6, "unexpected '*'; " OPERAND },
        { "* 2", 1, "unexpected '*'; " OPERAND },
        { "2 ^", 4, "unexpected end of the expression; " OPERAND },
        { "-", 2, "unexpected end of the expression; " OPERAND },
        { "x and", 6, "unexpected end of the expression; " OPERAND },
        { "and x", 1, "unexpected 'and'; " OPERAND },
        { "x or or y", 6, "unexpected 'or'; " OPERAND },
        { "x <", 4, "unexpected end of the expression; " OPERAND },
        { ", 2", 1, "unexpected ','; " OPERAND },
        { "1, 2", 2, "unexpected ','; expected an operator" },
        { "1)", 2, "unexpected ')'; no '(' is open" },
        { "(1))", 4, "unexpected ')'; no '(' is open" },
        { "(1, 2)", 3, "unexpected ','; expected an operator or ')'" },
        { "sin(1 $ 2)", 7, "unexpected '$'; expected an operator, ',' or ')'" },
        { "1 +(2", 6, "missing ')' for the '(' at column 4" },
        { "1 + (2*(3 + 4)", 15, "missing ')' for the '(' at column 5" },
        { "sin(x", 6, "missing ')' for the '(' at column 4" },
        { "speed(P", 8, "missing ')' for the '(' at column 6" },
        { "energy(", 8, "unexpected end of the expression; expected a name" },
        { "x = 2", 3, "unexpected '='; equality is written '=='" },
        { "= 2", 1, "unexpected '='; equality is written '=='" },
        { "x === 2", 5, "unexpected '='; equality is written '=='" },
        { "x && y", 3, "unexpected '&&'; write 'and'" },
        { "x & y", 3, "unexpected '&'; write 'and'" },
        { "x || y", 3, "unexpected '||'; write 'or'" },
        { "x | y", 3, "unexpected '|'; write 'or'" },
        { "!x", 1, "unexpected '!'; write 'not'" },
        { "x ** 2", 3, "unexpected '**'; a power is written '^'" },
        { "x <> 2", 3, "unexpected '<>'; write '!='" },
        { "1 + not x", 5, "unexpected 'not'; write (not ...) in parentheses here" },
        { "x not y", 3, "unexpected 'not'; expected an operator" },
        { "2x", 2, "unexpected 'x'; is a '*' missing?" },
        { "2 x", 3, "unexpected 'x'; is a '*' missing?" },
        { "0x10", 2, "unexpected 'x10'; is a '*' missing?" },
        { "1e", 2, "unexpected 'e'; is a '*' missing?" },
        { "1e+", 2, "unexpected 'e'; is a '*' missing?" },
        { "x y", 3, "unexpected 'y'; is a '*' missing?" },
        { "x 2", 3, "unexpected '2'; is a '*' missing?" },
        { "2(3)", 2, "unexpected '('; is a '*' missing?" },
        { "(x)(y)", 4, "unexpected '('; is a '*' missing?" },
        { "(x 2)", 4, "unexpected '2'; is a '*' missing?" },
        { "pi(2)", 3, "unexpected '('; is a '*' missing?" },
        { "x.y", 2, "unexpected '.'; expected an operator" },
        { ".", 1, "unexpected '.'; " OPERAND },
        { "1.2.3", 4, "unexpected '.'; a number has one decimal point" },
        { "1..2", 3, "unexpected '.'; a number has one decimal point" },
        { "1e999", 1, "the number is too large" },
        { "x + 1e99999999999", 5, "the number is too large" },
        { "x $ 2", 3, "unexpected '$'; expected an operator" },
        { "\x07", 1, "unexpected byte 0x07; " OPERAND },
        { "x \x7F", 3, "unexpected byte 0x7F; expected an operator" },
        { "1 < 2 < 3", 7, "comparisons cannot be chained; write (a < b) and (b < c)" },
        { "x == y != w", 8, "comparisons cannot be chained; write (a < b) and (b < c)" },
    };

    check_errors(state, cases, SAL_COUNT(cases), &resolver);
}

static void test_name_errors(void **state)
{
    static const error_case cases[] = {
        { "2*L1", 3, "unknown name 'L1'; did you mean 'L01'?" },
        { "zzzzzz", 1, "unknown name 'zzzzzz'" },
        { "sine", 1, "unknown name 'sine'; did you mean 'sin'?" },
        { "energy", 1, "energy needs its arguments in parentheses: energy(...)" },
        { "1 + sin", 5, "sin needs its arguments in parentheses: sin(...)" },
        { "sin x", 1, "sin needs its arguments in parentheses: sin(...)" },
        { "2*snh(x + 1)", 3, "unknown function 'snh'; did you mean 'sinh'?" },
        { "snh(x)", 1, "unknown function 'snh'; did you mean 'sinh'?" },
        { "spead(P)", 1, "unknown function 'spead'; did you mean 'speed'?" },
        { "spead(P.Q R)", 1, "unknown function 'spead'; did you mean 'speed'?" },
        { "zzzzzz()", 1, "unknown function 'zzzzzz'" },
        { "L01(x)", 1, "L01 is not a function; is a '*' missing?" },
        { "1 + bad", 5, "bad is refused" },
        { "speed(Q)", 7, "no point 'Q'" },
        { "speed(pin.z)", 7, "no point 'pin.z'" },
        { "speed(2)", 7, "unexpected '2'; expected a name" },
        { "speed(P,)", 9, "unexpected ')'; expected a name" },
        { "speed(not)", 7, "unexpected 'not'; expected a name" },
        { "speed(P + 1)", 9, "unexpected '+'; expected ',' or ')'" },
        { "speed(P Q)", 9, "unexpected 'Q'; is a ',' missing?" },
        { "speed(pin .x)", 11, "unexpected '.'; expected ',' or ')'" },
        { "speed(pin.2)", 10, "unexpected '.2'; is a ',' missing?" },
        { "speed(pin.not)", 11, "unexpected 'not'; expected a name" },
        { "speed(a.b.c.d)", 12, "unexpected '.'; expected ',' or ')'" },
        { "gap(A, B, C, D, E)", 17, "gap has more than 4 arguments" },
        { "sin()", 1, "sin takes 1 argument, found 0" },
        { "x + sin(1, 2)", 5, "sin takes 1 argument, found 2" },
        { "atan2(1)", 1, "atan2 takes 2 arguments, found 1" },
        { "min(1)", 1, "min takes 2 or more arguments, found 1" },
        { "max()", 1, "max takes 2 or more arguments, found 0" },
        { "if(1, 2)", 1, "if takes 3 arguments, found 2" },
        { "if(1, 2, 3, 4, 5)", 1, "if takes 3 arguments, found 5" },
        { "sin(1,)", 7, "unexpected ')'; " OPERAND },
        { "1 + heavy()", 12, "more than 20000 operations" },
    };

    check_errors(state, cases, SAL_COUNT(cases), &resolver);
}

static void test_errors_without_resolver(void **state)
{
    static const error_case cases[] = {
        { "t", 1, "unknown name 't'" },
        { "1 + co", 5, "unknown name 'co'; did you mean 'cos'?" },
        { "energy()", 1, "unknown function 'energy'" },
        { "sinn(2)", 1, "unknown function 'sinn'; did you mean 'sin'?" },
    };
    static const sal_resolver empty = { 0 };

    check_errors(state, cases, SAL_COUNT(cases), NULL);
    check_errors(state, cases, SAL_COUNT(cases), &empty);
}

/* Long tokens are quoted in part. */
static void test_long_tokens(void **state)
{
    fixture       *f         = *state;
    char           text[600] = "x ";
    sal_program    p;
    sal_expr_error error;

    memset(text + 2, '1', 300);
    assert_int_equal(sal_expr_compile(&f->pool, text, &resolver, &p, &error), SAL_ERR_SCENE);
    assert_string_equal(
        error.text,
        "unexpected '111111111111111111111111111111111111111111111111111111111111111...'; is a '*' missing?");
    memset(text, 'a', 64);
    text[64] = '\0';
    assert_int_equal(sal_expr_compile(&f->pool, text, &resolver, &p, &error), SAL_ERR_SCENE);
    assert_string_equal(error.text, "the name is longer than 63 bytes");
    assert_int_equal(error.column, 1);
}

/* Refuses every name with a text too long for the error, of two-byte characters behind `self` letters. */
static int wide_name(void *self, sal_expr *e, const char *name, int column)
{
    char wide[401] = "";

    (void)name;
    for (int i = 0; i < 200; i++) memcpy(wide + 2 * i, "\xC3\xA9", 2);
    return sal_expr_fail(e, column, "%.*s%s", *(int *)self, "ab", wide);
}

static void test_cut_message(void **state)
{
    fixture *f = *state;

    for (int shift = 0; shift < 3; shift++) {
        sal_resolver   wide = { .self = &shift, .name = wide_name };
        sal_program    p;
        sal_expr_error error;
        size_t         n;

        assert_int_equal(sal_expr_compile(&f->pool, "x", &wide, &p, &error), SAL_ERR_SCENE);
        n = strlen(error.text);
        assert_true(n > 250 && (n - (size_t)shift) % 2 == 0);
    }
}

/* ------------------------------------------------------------------------------------ derivatives */

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

/* Value, or with of >= 0 the gradient's entry of that slot, at z moved by s along the slot `along`. */
static double moved(const sal_program *p, const double z0[SLOTS], int of, int along, double s)
{
    double z[SLOTS], v;

    memcpy(z, z0, sizeof z);
    z[along] += s;
    v = evaluate(p, z);
    return of < 0 ? v : gradient_of(p, of);
}

/* The derivative of that with respect to the slot. */
static double difference(const sal_program *p, const double z[SLOTS], int of, int along)
{
    static const double c[] = { 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280 };
    const double        h   = 0.008;
    double              sum = 0;

    for (int k = 1; k <= 4; k++) sum += c[k - 1] * (moved(p, z, of, along, k * h) - moved(p, z, of, along, -k * h));
    return sum / h;
}

static void test_gradient(void **state)
{
    for (int i = 0; i < SAL_COUNT(smooth); i++) {
        sal_program p = compile(state, smooth[i]);

        for (int k = 0; k < SAL_COUNT(points); k++) {
            for (int slot = 0; slot < SLOTS; slot++) {
                double expected = difference(&p, points[k], -1, slot);

                evaluate(&p, points[k]);
                assert_close(smooth[i], gradient_of(&p, slot), expected, 1e-9);
            }
        }
    }
}

/* ---------------------------------------------------------------------------------- differentiating */

static void test_derivative(void **state)
{
    for (int i = 0; i < SAL_COUNT(smooth); i++) {
        sal_program p = compile(state, smooth[i]);

        for (int slot = 0; slot < SLOTS; slot++) {
            sal_program p1 = differentiate_by(state, &p, slot);

            for (int k = 0; k < SAL_COUNT(points); k++) {
                double found = evaluate(&p1, points[k]);

                evaluate(&p, points[k]);
                assert_close(smooth[i], found, gradient_of(&p, slot), 2e-15);
            }
        }
    }
}

/* Every second derivative three ways: a program differentiated twice, the gradient of a derivative, differences. */
static void test_second_derivative(void **state)
{
    for (int i = 0; i < SAL_COUNT(smooth); i++) {
        sal_program p = compile(state, smooth[i]);

        for (int pair = 0; pair < SLOTS * SLOTS; pair++) {
            const int   a = pair / SLOTS, b = pair % SLOTS;
            sal_program pa = differentiate_by(state, &p, a), pab = differentiate_by(state, &pa, b);

            for (int k = 0; k < SAL_COUNT(points); k++) {
                double found = evaluate(&pab, points[k]);

                assert_close(smooth[i], found, difference(&p, points[k], a, b), 1e-9);
                evaluate(&pa, points[k]);
                assert_close(smooth[i], found, gradient_of(&pa, b), 2e-14);
            }
        }
    }
}

static void test_derivative_closed_forms(void **state)
{
    const double x = 0.8, w = 2;
    const struct {
        const char *text;
        double      d1, d2;
    } cases[] = {
        { "x", 1, 0 },
        { "3", 0, 0 },
        { "y", 0, 0 },
        { "x^2", 2 * x, 2 },
        { "x^3", 3 * x * x, 6 * x },
        { "x^-2", -2 / (x * x * x), 6 / (x * x * x * x) },
        { "sin(w*x)", w * cos(w * x), -w * w * sin(w * x) },
        { "cos(w*x)", -w * sin(w * x), -w * w * cos(w * x) },
        { "tan(x)", 1 / (cos(x) * cos(x)), 2 * tan(x) / (cos(x) * cos(x)) },
        { "sinh(x)", cosh(x), sinh(x) },
        { "cosh(x)", sinh(x), cosh(x) },
        { "tanh(x)", 1 / (cosh(x) * cosh(x)), -2 * tanh(x) / (cosh(x) * cosh(x)) },
        { "asin(x)", 1 / 0.6, 0.8 / (0.6 * 0.6 * 0.6) }, /* 0.8^2 + 0.6^2 = 1 */
        { "acos(x)", -1 / 0.6, -0.8 / (0.6 * 0.6 * 0.6) },
        { "atan(x)", 1 / 1.64, -1.6 / (1.64 * 1.64) },
        { "atan2(x, 1)", 1 / 1.64, -1.6 / (1.64 * 1.64) },
        { "atan2(1, x)", -1 / 1.64, 1.6 / (1.64 * 1.64) },
        { "sqrt(x)", 0.5 / sqrt(x), -0.25 / (x * sqrt(x)) },
        { "exp(-x)", -exp(-x), exp(-x) },
        { "1/x", -1 / (x * x), 2 / (x * x * x) },
        { "log(x)", 1 / x, -1 / (x * x) },
        { "2^x", pow(2, x) * log(2), pow(2, x) * log(2) * log(2) },
        { "x^x", pow(x, x) * (log(x) + 1), pow(x, x) * ((log(x) + 1) * (log(x) + 1) + 1 / x) },
        { "sqrt(x^2)", 1, 0 },
        { "abs(-x*x)", 2 * x, 2 },
        { "atan2(sin(x), cos(x))", 1, 0 },
        { "sin(x)^2 + cos(x)^2", 0, 0 },
        { "exp(log(x))", 1, 0 },
        { "asin(sin(x))", 1, 0 },
        { "acos(cos(x))", 1, 0 },
        { "atan(tan(x))", 1, 0 },
        { "cosh(x)^2 - sinh(x)^2", 0, 0 },
        { "tanh(x) - sinh(x)/cosh(x)", 0, 0 },
    };

    for (int i = 0; i < SAL_COUNT(cases); i++) {
        double d1, d2;

        derivatives_at(state, cases[i].text, x, 3, &d1, &d2);
        assert_close(cases[i].text, d1, cases[i].d1, 1e-14);
        assert_close(cases[i].text, d2, cases[i].d2, 1e-14);
    }
}

/* u = y sin(w t) + t^3: u, u', u'' and their derivatives with respect to the parameters y and w. */
static void test_time_derivative(void **state)
{
    const double t = 0.7, y = 1.3, w = 2.1, z[SLOTS] = { t, 0, y, w }, s = sin(w * t), c = cos(w * t);
    const double expected[3] = { y * s + t * t * t, y * w * c + 3 * t * t, -y * w * w * s + 6 * t };
    const double by_y[3]     = { s, w * c, -w * w * s };
    const double by_w[3]     = { y * t * c, y * (c - w * t * s), -y * (2 * w * s + w * w * t * c) };
    sal_program  p           = compile(state, "y*sin(w*t) + t^3");

    for (int i = 0; i < 3; i++) {
        assert_close("u", evaluate(&p, z), expected[i], 1e-15);
        assert_close("by y", gradient_of(&p, SLOT_Y), by_y[i], 1e-15);
        assert_close("by w", gradient_of(&p, SLOT_W), by_w[i], 1e-15);
        p = differentiate(state, &p, in_time, NULL);
    }
}

/* A function of another function of time, x: the derivatives read x' and x''. */
static void test_time_derivative_of_function(void **state)
{
    const double        x = 0.6, v = 1.7, a = -0.8, t = 0.5, y = 3;
    const double        z[SLOTS] = { t, x, y, 2 }, zd[SLOTS] = { 9, v, 9, 9 }, zdd[SLOTS] = { 9, a, 9, 9 };
    const double *const source[SAL_SRC_COUNT] = { z, zd, zdd };
    sal_program         p                     = compile(state, "y*sin(x) + t*x"), p1, p2;

    p1 = differentiate(state, &p, in_time, NULL);
    p2 = differentiate(state, &p1, in_time, NULL);
    assert_int_equal(p1.reads, 1u << SAL_SRC_Z | 1u << SAL_SRC_ZD);
    assert_int_equal(p2.reads, 1u << SAL_SRC_Z | 1u << SAL_SRC_ZD | 1u << SAL_SRC_ZDD);
    assert_close("first", sal_program_value(&p1, source, value), y * cos(x) * v + x + t * v, 1e-15);
    assert_close("second", sal_program_value(&p2, source, value), y * (cos(x) * a - sin(x) * v * v) + 2 * v + t * a,
                 1e-15);
    p = differentiate(state, &p, in_time, NULL);
    assert_int_equal(sal_program_differentiate(&((fixture *)*state)->pool, &p, in_time, NULL, &p),
                     SAL_OK); /* in place */
    assert_int_equal(p.n, p2.n);
}

/* What is zero is not there. */
static void test_derivative_size(void **state)
{
    const struct {
        const char *text;
        int         nodes;
    } cases[] = {
        { "3", 1 },       { "y", 1 },           { "x", 1 },          { "x + y*w", 1 },
        { "-x", 1 },      { "2*x", 1 },         { "x*y", 1 },        { "x/y", 3 },
        { "x^0", 1 },     { "x^1", 1 },         { "x^2", 3 },        { "x^3", 5 },
        { "sin(x)", 2 },  { "exp(x)", 2 },      { "x < y", 1 },      { "step(x) + sign(x)", 1 },
        { "sqrt(y)", 1 }, { "atan2(y, w)", 1 }, { "y^w + w^2", 1 },  { "if(x, x + 1, x - 1)", 1 },
        { "abs(y)", 1 },  { "max(y, w)", 1 },   { "not x or y", 1 }, { "y/w", 1 },
    };

    for (int i = 0; i < SAL_COUNT(cases); i++) {
        sal_program p = compile(state, cases[i].text), p1 = differentiate_by(state, &p, SLOT_X);

        if (p1.n != cases[i].nodes) fail_msg("'%s': %d nodes, expected %d", cases[i].text, p1.n, cases[i].nodes);
    }
}

static void test_powers_at_zero(void **state)
{
    const struct {
        const char *text;
        double      x, d1, d2;
    } cases[] = {
        { "x^0", 0, 0, 0 },
        { "x^1", 0, 1, 0 },
        { "x^2", 0, 0, 2 },
        { "x^3", 0, 0, 0 },
        { "x^4", 0, 0, 0 },
        { "x^2.5", 0, 0, 0 },
        { "x^1.5", 0, 0, INFINITY },
        { "x^0.5", 0, INFINITY, -INFINITY },
        { "sqrt(x)", 0, INFINITY, -INFINITY },
        { "x^-1", 0, -INFINITY, INFINITY },
        { "x^w", 0, 0, 2 },
        { "x^w", -3, -6, 2 },
        { "x^1", -2, 1, 0 },
        { "x^2", -2, -4, 2 },
        { "x^3", -2, 12, -12 },
        { "x^4", -2, -32, 48 },
        { "x^-1", -2, -0.25, -0.25 },
    };

    for (int i = 0; i < SAL_COUNT(cases); i++) {
        double d1, d2;

        derivatives_at(state, cases[i].text, cases[i].x, 0, &d1, &d2);
        assert_close(cases[i].text, d1, cases[i].d1, 1e-15);
        assert_close(cases[i].text, d2, cases[i].d2, 1e-15);
        assert_close(cases[i].text, slope_at(state, cases[i].text, cases[i].x, 0, SLOT_X), cases[i].d1, 1e-15);
    }
    assert_true(isnan(slope_at(state, "x^w", -3, 0, SLOT_W))); /* with respect to the exponent only */
    assert_true(isnan(slope_at(state, "x^w", 0, 0, SLOT_W)));
    assert_close("x^w", slope_at(state, "x^w", 3, 0, SLOT_W), 9 * log(3), 1e-14);
}

/* x^y at x = 0 where y, not a constant, comes to be a low power. */
static void test_variable_powers_at_zero(void **state)
{
    static const double expected[][2] = { { 0, 0 }, { 1, 0 }, { 0, 2 }, { 0, 0 }, { 0, 0 } };

    for (int i = 0; i < SAL_COUNT(expected); i++) {
        double d1, d2;

        derivatives_at(state, "x^y", 0, i, &d1, &d2);
        assert_close("first", d1, expected[i][0], 0);
        assert_close("second", d2, expected[i][1], 0);
    }
    for (int i = 0; i <= 3; i++) { /* d/dy of y x^(y-1), also where y is 0 */
        const double z[SLOTS] = { 0.5, 3, i, 2 };
        sal_program  p = compile(state, "x^y"), p1 = differentiate_by(state, &p, SLOT_X);

        evaluate(&p1, z);
        assert_close("mixed", gradient_of(&p1, SLOT_Y), pow(3, i - 1) * (1 + i * log(3)), 1e-14);
    }
}

static void test_steep(void **state)
{
    double d1, d2;

    for (double x = 30; x < 1e5; x *= 10) { /* far beyond where cosh overflows */
        derivatives_at(state, "tanh(x)", x, 0, &d1, &d2);
        assert_close("tanh", d1, 0, 1e-15);
        assert_close("tanh", d2, 0, 1e-15);
    }
    assert_close("tanh", slope_at(state, "tanh(x)", 30, 0, SLOT_X) * exp(60) / 4, 1, 1e-12);
    assert_true(slope_at(state, "tanh(x)", 1000, 0, SLOT_X) == 0);
    assert_close("asin", slope_at(state, "asin(x)", 1 - 0x1p-40, 0, SLOT_X) / sqrt(1 / (0x1p-40 * (2 - 0x1p-40))), 1,
                 1e-15);
    assert_close("atan2", slope_at(state, "atan2(x, y)", 1e200, 1e200, SLOT_X) * 2e200, 1, 1e-15);
}

/* ------------------------------------------------------------------------------ kinks and branches */

static void test_kinks(void **state)
{
    const struct {
        const char *text;
        double      x, y, dx, dy;
    } cases[] = {
        { "abs(x)", -2, 0, -1, 0 },        { "abs(x)", 2, 0, 1, 0 },      { "abs(x)", 0, 0, 1, 0 },
        { "min(x, y)", 1, 2, 1, 0 },       { "min(x, y)", 2, 1, 0, 1 },   { "min(x, y)", 1, 1, 1, 0 },
        { "max(x, y)", 1, 2, 0, 1 },       { "max(x, y)", 2, 1, 1, 0 },   { "max(x, y)", 1, 1, 1, 0 },
        { "sign(x)", 0, 0, 0, 0 },         { "sign(x)*x", -3, 0, -1, 0 }, { "step(x)", 0, 0, 0, 0 },
        { "step(x)*y", 0, 5, 0, 1 },       { "x < y", 1, 1, 0, 0 },       { "if(x <= 0, 2*x, 3*x)", 0, 0, 2, 0 },
        { "if(x, 2*y, 3*y)", 0, 1, 0, 3 }, { "x and y", 1, 1, 0, 0 },     { "not x", 1, 1, 0, 0 },
    };
    double d1, d2;

    for (int i = 0; i < SAL_COUNT(cases); i++) {
        assert_close(cases[i].text, slope_at(state, cases[i].text, cases[i].x, cases[i].y, SLOT_X), cases[i].dx, 0);
        assert_close(cases[i].text, slope_at(state, cases[i].text, cases[i].x, cases[i].y, SLOT_Y), cases[i].dy, 0);
        derivatives_at(state, cases[i].text, cases[i].x, cases[i].y, &d1, &d2);
        assert_close(cases[i].text, d1, cases[i].dx, 0);
        assert_close(cases[i].text, d2, 0, 0);
    }
}

/* A branch that was not taken does no harm, however wild its value and derivatives are. */
static void test_unselected_branches(void **state)
{
    static const char *const texts[] = {
        "if(x > 0, sqrt(x), 2*x)",     "if(x > 0, log(x)/x, 2*x)", "if(x <= 0, 2*x, x^-2)",
        "min(2*x, 1 + sqrt(abs(x)))",  "max(2*x, log(x^2))",       "if(x > 0, 1/x, 2*x) + step(sqrt(x) + 1)*0",
        "2*x + (1/x > 3) - (1/x > 3)", "2*x + sign(sqrt(x))",
    };

    for (int i = 0; i < SAL_COUNT(texts); i++) {
        double d1, d2;

        assert_close(texts[i], slope_at(state, texts[i], 0, 0, SLOT_X), 2, 0);
        derivatives_at(state, texts[i], 0, 0, &d1, &d2);
        assert_close(texts[i], d1, 2, 0);
        assert_close(texts[i], d2, 0, 0);
    }
    assert_close("flat", slope_at(state, "sqrt(step(x))", -1, 0, SLOT_X), 0, 0); /* no 0 * infinity behind a step */
}

/* Steep functions of what is constant in the branch taken; in passing through 0 a derivative is not constant. */
static void test_still_branches(void **state)
{
    const struct {
        const char *text;
        double      x, d1, d2;
    } cases[] = {
        { "sqrt(max(x, 0))", -1, 0, 0 },
        { "sqrt(max(x, 0))", 4, 0.25, -0.03125 },
        { "sqrt(max(0, x, x - 1))", -1, 0, 0 },
        { "max(x, 0)^1.5", -1, 0, 0 },
        { "max(x, 0)^0.5 + x*x", -1, -2, 2 },
        { "max(x, 0)^max(x, 0)", -1, 0, 0 },
        { "sqrt(min(max(x, 0), 1) + y*max(x, 0))", -1, 0, 0 },
        { "asin(min(x, 1))", 2, 0, 0 },
        { "sqrt(step(x)*max(x, 0))", -1, 0, 0 },
        { "sqrt(if(x < 0, y, x))", -1, 0, 0 },
        { "atan2(max(x, 0), max(x, 0)*2)", -1, 0, 0 },
        { "sqrt(sqrt(max(x, 0)))", -1, 0, 0 },
        { "x*x*sqrt(max(x, 0))", -2, 0, 0 },
        { "sin(x*x)", 0, 0, 2 },
        { "exp(max(x*x, -1))", 0, 0, 2 },
        { "(1 + max(x^2, -1))^1.5", 0, 0, 3 },
    };

    for (int i = 0; i < SAL_COUNT(cases); i++) {
        double d1, d2;

        derivatives_at(state, cases[i].text, cases[i].x, 0, &d1, &d2);
        assert_close(cases[i].text, d1, cases[i].d1, 1e-15);
        assert_close(cases[i].text, d2, cases[i].d2, 1e-15);
        assert_close(cases[i].text, slope_at(state, cases[i].text, cases[i].x, 0, SLOT_X), cases[i].d1, 1e-15);
    }
}

/* --------------------------------------------------------------------------------------- programs */

static void test_folding(void **state)
{
    const struct {
        const char *text;
        int         nodes;
    } cases[] = {
        { "1 + 2*3", 1 },
        { "-2^2", 1 },
        { "sin(pi/6)^2 + if(1 < 2, 3, 4)", 1 },
        { "min(3, 1, 2) - max(1, 2)", 1 },
        { "not (1 and 0 or 2)", 1 },
        { "2*L01 + 1", 1 },
        { "x", 1 },
        { "+x", 1 },
        { "x*1", 3 }, /* nothing but constants is simplified */
        { "x + 0", 3 },
        { "x*0", 3 },
        { "2*3*x", 3 },
        { "x + x", 2 },
        { "x*x + x*x*2", 5 },
        { "sin(x) + sin(x)", 3 },
        { "x + 2 + y + 2", 6 },
        { "1/0", 3 },
        { "sqrt(-1)", 2 },
        { "log(0)*0", 3 }, /* the 0 is shared */
        { "exp(1000)", 2 },
        { "0*x - -0*x", 6 }, /* 0 and -0 are two constants */
        { "if(1, x, y)", 4 },
    };

    for (int i = 0; i < SAL_COUNT(cases); i++) {
        sal_program p = compile(state, cases[i].text);

        if (p.n != cases[i].nodes) fail_msg("'%s': %d nodes, expected %d", cases[i].text, p.n, cases[i].nodes);
        for (int k = 0; k < p.n; k++)
            if (p.node[k].op > SAL_OP_LEAF) assert_true(p.node[k].a < k && p.node[k].b < k && p.node[k].c < k);
    }
}

static void test_leaves(void **state)
{
    sal_program p = compile(state, "x*y + x*speed(P) + speed(pin.x) + energy() + x");

    assert_int_equal(p.nleaf, 4);
    for (int i = 0; i < p.nleaf; i++) {
        assert_int_equal(p.node[p.leaf[i]].op, SAL_OP_LEAF);
        for (int k = 0; k < i; k++)
            assert_false(p.node[p.leaf[i]].a == p.node[p.leaf[k]].a && p.node[p.leaf[i]].b == p.node[p.leaf[k]].b);
    }
    assert_int_equal(p.reads, 1u << SAL_SRC_Z | 1u << SAL_SRC_ZD | 1u << SAL_SRC_ENERGY);
    p = compile(state, "1 + 2");
    assert_int_equal(p.nleaf, 0);
    assert_int_equal(p.reads, 0);
    p = compile(state, "2*x + 0*y");
    assert_int_equal(p.nleaf, 2);
}

static void test_building(void **state)
{
    const double z[SLOTS] = { 1, 2, 3, 4 };
    fixture     *f        = *state;
    sal_expr    *e        = sal_expr_begin(&f->pool);
    int          x        = sal_expr_leaf(e, SAL_SRC_Z, SLOT_X);
    int          unused   = sal_expr_op(e, SAL_OP_SIN, sal_expr_leaf(e, SAL_SRC_LAMBDA, 7), 0, 0);
    int          square   = sal_expr_op(e, SAL_OP_MUL, x, x, 12345); /* the third operand is ignored */
    int          result   = sal_expr_op(e, SAL_OP_ADD, square, sal_expr_const(e, 0.5), 0);
    sal_program  p;

    assert_true(unused >= 0);
    assert_int_equal(sal_expr_leaf(e, SAL_SRC_Z, SLOT_X), x);
    assert_int_equal(sal_expr_op(e, SAL_OP_MUL, x, x, -1), square);
    assert_int_equal(sal_expr_op(e, SAL_OP_MUL, x, -1, 0), -1);
    assert_int_equal(sal_expr_op(e, SAL_OP_IF, x, x, -1), -1);
    assert_int_equal(sal_expr_finish(e, result, &p), SAL_OK);
    assert_int_equal(p.n, 4);
    assert_int_equal(p.nleaf, 1);
    assert_int_equal(p.reads, 1u << SAL_SRC_Z); /* the multiplier does not matter */
    assert_true(evaluate(&p, z) == 4.5);
    assert_true(gradient_of(&p, SLOT_X) == 4);
    assert_int_equal(sal_expr_finish(e, x, &p), SAL_OK); /* any node may be the result */
    assert_int_equal(p.n, 1);
    assert_int_equal(sal_expr_finish(e, -1, &p), SAL_ERR_SCENE);
    assert_int_equal(sal_expr_fail(e, 3, "no"), -1);
    assert_int_equal(sal_expr_const(e, 8), -1);
    assert_int_equal(sal_expr_finish(e, result, &p), SAL_ERR_SCENE);
}

static void test_names(void **state)
{
    static const char *const reserved[] = {
        "sqrt", "abs",  "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp",
        "log",  "sign", "min", "max", "if",  "step", "pi",   "e",    "and",   "or",   "not",  "t",
    };
    static const char *const valid[]   = { "x", "L1", "_a", "sinus", "T", "Pi", "\xC3\xA9t\xC3\xA9" };
    static const char *const invalid[] = { "", "1a", "a.b", "a b", "a-b", " a", "a(", "2", ".", "a\n" };
    char                     name[SAL_NAME_MAX + 2];

    (void)state;
    for (int i = 0; i < SAL_COUNT(reserved); i++) {
        const bool operator_word =
            !strcmp(reserved[i], "and") || !strcmp(reserved[i], "or") || !strcmp(reserved[i], "not");
        assert_true(sal_expr_reserved(reserved[i]));
        assert_int_equal(sal_expr_valid_name(reserved[i]), !operator_word);
    }
    for (int i = 0; i < SAL_COUNT(valid); i++) {
        assert_false(sal_expr_reserved(valid[i]));
        assert_true(sal_expr_valid_name(valid[i]));
    }
    for (int i = 0; i < SAL_COUNT(invalid); i++) assert_false(sal_expr_valid_name(invalid[i]));
    memset(name, 'a', sizeof name);
    name[SAL_NAME_MAX] = '\0';
    assert_true(sal_expr_valid_name(name));
    name[SAL_NAME_MAX]     = 'a';
    name[SAL_NAME_MAX + 1] = '\0';
    assert_false(sal_expr_valid_name(name));
}

/* ----------------------------------------------------------------------------------------- limits */

/* count times `open`, then "1", then count times `close`. */
static void nest(char *out, int count, const char *open, const char *close)
{
    *out = '\0';
    for (int i = 0; i < count; i++) out += strlen(strcpy(out, open));
    out += strlen(strcpy(out, "1"));
    for (int i = 0; i < count; i++) out += strlen(strcpy(out, close));
}

static void test_depth(void **state)
{
    static const char *const shapes[][2] = {
        { "(", ")" }, { "-", "" }, { "+", "" }, { "not ", "" }, { "1^", "" }, { "sin(", ")" }, { "min(2,", ")" },
    };
    char           text[2000];
    fixture       *f = *state;
    sal_program    p;
    sal_expr_error error;

    for (int i = 0; i < SAL_COUNT(shapes); i++) {
        nest(text, SAL_EXPR_MAX_DEPTH, shapes[i][0], shapes[i][1]);
        compile(state, text);
        nest(text, SAL_EXPR_MAX_DEPTH + 1, shapes[i][0], shapes[i][1]);
        assert_int_equal(sal_expr_compile(&f->pool, text, &resolver, &p, &error), SAL_ERR_SCENE);
        assert_string_equal(error.text, "nested deeper than 100");
        assert_int_equal((error.column - 1) / (int)strlen(shapes[i][0]), SAL_EXPR_MAX_DEPTH);
    }
    strcpy(text, "0"); /* what follows on is not nested */
    for (int i = 0; i < 300; i++) strcat(text, "+(x)");
    assert_true(value_at(state, text, 2, 0) == 600);
}

static void test_length(void **state)
{
    static char    text[SAL_EXPR_MAX_LENGTH + 2];
    fixture       *f = *state;
    sal_program    p;
    sal_expr_error error;

    for (int i = 0; i < SAL_EXPR_MAX_LENGTH; i++) text[i] = i % 2 ? '+' : 'x';
    text[SAL_EXPR_MAX_LENGTH - 1] = ' ';
    assert_true(value_at(state, text, 1, 0) == SAL_EXPR_MAX_LENGTH / 2);
    text[SAL_EXPR_MAX_LENGTH] = ' ';
    assert_int_equal(sal_expr_compile(&f->pool, text, &resolver, &p, &error), SAL_ERR_SCENE);
    assert_string_equal(error.text, "longer than 4096 characters");
    assert_int_equal(error.column, SAL_EXPR_MAX_LENGTH + 1);
}

/* Many different constants and deep chains: the table grows, and nodes stay what they were. */
static void test_many_nodes(void **state)
{
    static char text[SAL_EXPR_MAX_LENGTH + 1];
    size_t      used = 1;
    double      sum  = 0;

    strcpy(text, "x");
    for (int i = 0; i < 600; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "+%d.5", i);
        sum += i + 0.5;
    }
    assert_true(value_at(state, text, 0, 0) == sum);
    assert_true(slope_at(state, text, 0, 0, SLOT_X) == 1);
}

/* As long as may be: a derivative is a program within the limits, or is refused. */
static void test_large_derivatives(void **state)
{
    static const char *const pieces[] = { "t*",         "t/",        "t+",        "sin(t)*",         "tanh(t)/",
                                          "(t+1)^1.5*", "t^sin(t)+", "max(t,x)*", "sqrt(max(t,1))*", "asin(t/9)*" };
    static char              text[SAL_EXPR_MAX_LENGTH + 1];
    fixture                 *f = *state;

    for (int i = 0; i < SAL_COUNT(pieces); i++) {
        const size_t n      = strlen(pieces[i]);
        sal_status   status = SAL_OK;
        sal_program  p;

        text[0] = '\0';
        for (size_t used = 0; used + n < SAL_EXPR_MAX_LENGTH; used += n) strcpy(text + used, pieces[i]);
        strcat(text, "1");
        p = compile(state, text);
        for (int k = 1; k <= 3 && status == SAL_OK; k++) {
            status = sal_program_differentiate(&f->pool, &p, in_time, NULL, &p);
            assert_true(status == SAL_OK ? p.n > 0 && p.n <= SAL_EXPR_MAX_NODES : p.n == 0);
            assert_true(status == SAL_OK || status == SAL_ERR_SCENE);
            assert_true(status == SAL_OK || k == 3); /* those that are needed fit */
        }
        if (i == 0) assert_int_equal(status, SAL_ERR_SCENE);
    }
}

static void test_many_arguments(void **state)
{
    static char text[SAL_EXPR_MAX_LENGTH + 1];

    strcpy(text, "max(");
    for (size_t i = 4; i + 2 < SAL_EXPR_MAX_LENGTH; i += 2) strcpy(text + i, "x,");
    strcat(text, "9)");
    assert_int_equal(strlen(text), SAL_EXPR_MAX_LENGTH);
    assert_true(value_at(state, text, 2, 0) == 9);
}

/* ----------------------------------------------------------------------------------------- memory */

typedef struct counter {
    int left; /* allocations that succeed */
    int live;
} counter;

static void *count_allocate(void *user, size_t size)
{
    counter *c = user;

    if (c->left == 0) return NULL;
    c->left--;
    c->live++;
    return malloc(size);
}

static void count_release(void *user, void *memory)
{
    counter *c = user;

    c->live--;
    free(memory);
}

static sal_context_opts counting_opts(counter *c)
{
    sal_context_opts opts = sal_context_defaults();

    opts.allocate = count_allocate;
    opts.release  = count_release;
    opts.user     = c;
    return opts;
}

/* Compiles with `allowed` allocations behind the context's own; or, with `twice`, compiles and then differentiates
 * twice with so many. */
static sal_status build_within(int allowed, const char *text, bool twice)
{
    counter          c    = { .left = -1 };
    sal_context_opts opts = counting_opts(&c);
    sal_context     *context;
    sal_pool         pool, derived;
    sal_program      p;
    sal_expr_error   error;
    sal_status       status;

    assert_int_equal(sal_context_create(&opts, &context), SAL_OK);
    sal_pool_init(&pool, context);
    sal_pool_init(&derived, context);
    if (!twice) c.left = allowed;
    status = sal_expr_compile(&pool, text, &resolver, &p, &error);
    if (status != SAL_OK) assert_true(p.node == NULL && p.n == 0 && error.text[0] == '\0');
    c.left = allowed;
    for (int i = 0; i < 2 * twice && status == SAL_OK; i++) {
        status = sal_program_differentiate(&derived, &p, in_time, NULL, &p);
        if (status != SAL_OK) assert_true(p.node == NULL && p.n == 0);
    }
    sal_pool_free(&derived);
    sal_pool_free(&pool);
    sal_context_destroy(&context);
    assert_int_equal(c.live, 0);
    return status;
}

static void test_out_of_memory(void **state)
{
    static char text[SAL_EXPR_MAX_LENGTH + 1];
    size_t      used = 1;
    int         n    = 0;

    (void)state;
    strcpy(text, "x");
    for (int i = 0; i < 250; i++) /* large enough for many blocks */
        used += (size_t)snprintf(text + used, sizeof text - used, "+sin(%d*t)", i);
    while (build_within(n, text, false) == SAL_ERR_MEMORY) n++;
    assert_int_equal(build_within(n, text, false), SAL_OK);
    assert_true(n >= 4);
    for (int i = 0; i < 3; i++) assert_int_equal(build_within(0, "gap(A, B)", false), SAL_ERR_MEMORY);

    for (n = 0; build_within(n, text, true) == SAL_ERR_MEMORY;) n++;
    assert_int_equal(build_within(n, text, true), SAL_OK);
    assert_true(n >= 4);
}

/* ------------------------------------------------------------------------- functions of one variable */

/* A type whose formulas use a function f(x) that the scene defines, and its derivative. */
typedef struct curve {
    sal_point point;
    sal_text  profile;
} curve;

static const sal_field curve_fields[] = {
    { "point", SAL_F_POINT, offsetof(curve, point), .help = "a point" },
    { "profile", SAL_F_FORMULA, offsetof(curve, profile), .help = "function of x" },
};

static const char *curve_at, *curve_when; /* what the next element does */

static void curve_emit(const void *self, sal_builder *b)
{
    const curve   *s       = self;
    const sal_bind binds[] = {
        { "P", .point = &s->point },
        { "f", .formula = s->profile, .variable = "x", .at = curve_at },
        { "slope", .formula = s->profile, .variable = "x", .at = curve_at, .derivative = true },
        { "ff", .formula = s->profile, .variable = "x", .at = "f" },
        { "slope2", .formula = s->profile, .variable = "x", .at = "f", .derivative = true },
        { "slope3", .formula = s->profile, .variable = "x", .at = "ff", .derivative = true },
        { "slope4", .formula = s->profile, .variable = "x", .at = "slope3", .derivative = true },
        { "other", .formula = s->profile, .variable = "height", .at = "1" },
        { "hidden", .formula = s->profile, .variable = "y", .at = "2" },
        { "own", .formula = sal_formula("x*z"), .variable = "x", .at = "1" },
        { "lost", .formula = s->profile, .variable = "x", .at = "1 + x(Q)" },
        { "absent", .variable = "x", .at = "1" },
        { "nowhere", .formula = s->profile, .variable = "x" },
        { "snake", .formula = s->profile, .variable = "x", .at = "-tail" },
        { "tail", .formula = s->profile, .variable = "x", .at = "2*snake" },
        { "sum", .formula = sal_formula("f + y(P)") },
        { "twice", .formula = sal_formula("2*sum") },
        { "fdot", .formula = s->profile, .variable = "x", .at = curve_at, .rate = true },
        { "slopedot", .formula = s->profile, .variable = "x", .at = curve_at, .derivative = true, .rate = true },
        { "sumdot", .formula = sal_formula("f + y(P)"), .rate = true },
        { "sumdot2", .formula = sal_formula("sumdot"), .rate = true },
        { "forced", .formula = sal_formula("energy()"), .rate = true },
        { "ring", .formula = sal_formula("1 + ring") },
        { "wrong", .formula = sal_formula("2*sum + z") },
        { 0 },
    };

    for (int k = 0; k < 2; k++) {
        sal_event_begin(b, k ? "again" : "", SAL_BOTH);
        sal_event_when(b, sal_formula(curve_when), binds);
        sal_event_guard(b, sal_formula("slope > 0"), binds);
    }
}

static const sal_type curve_type = {
    .name    = "curve",
    .help    = "curve of the test",
    .size    = sizeof(curve),
    .fields  = curve_fields,
    .nfields = SAL_COUNT(curve_fields),
    .emit    = curve_emit,
};

static sal_status load_curve(sal_context *context, const char *profile, const char *at, const char *when,
                             sal_scene **scene)
{
    static char text[SAL_EXPR_MAX_LENGTH + 500];
    int         n = snprintf(text, sizeof text,
                             "{\"saltus\": 1, \"parameters\": {\"y\": 1, \"w\": 2}, \"points\": {\"P\": {\"at\": [0, 0]}},\n"
                                     "\"contacts\": {\"c\": {\"type\": \"curve\", \"point\": \"P\",\n\"profile\": \"%s\"}}}",
                             profile);

    curve_at   = at;
    curve_when = when;
    return sal_scene_parse(context, "t", text, (size_t)n, scene);
}

static const double curve_v[2] = { 0.7, -1.3 }, curve_a[2] = { 2.1, 0.6 }; /* of P, where rates are asked for */

/* `when` at x(P) = z[0], y(P) = z[1] and with t, y, w as in `given`; its gradient by x(P) and y(P). */
static double curve_value(void **state, const char *profile, const char *at, const char *when, const double q[2],
                          const double given[SLOTS], double by[2])
{
    fixture            *f     = *state;
    double              z[32] = { q[0], q[1] }, zd[32] = { curve_v[0], curve_v[1] };
    double              zdd[32]               = { curve_a[0], curve_a[1] }, result;
    const double *const source[SAL_SRC_COUNT] = { [SAL_SRC_Z] = z, [SAL_SRC_ZD] = zd, [SAL_SRC_ZDD] = zdd };
    sal_scene          *scene                 = NULL;
    const sal_program  *p;

    if (load_curve(f->context, profile, at, when, &scene) != SAL_OK)
        fail_msg("'%s' at '%s': %s", profile, at, sal_message(f->context));
    p                                       = &scene->tables->events.at[0].when;
    z[scene->tables->one]                   = 1;
    z[scene->tables->time]                  = given[SLOT_T];
    zd[scene->tables->time]                 = 1;
    z[scene->tables->parameters.at[0].slot] = given[SLOT_Y];
    z[scene->tables->parameters.at[1].slot] = given[SLOT_W];
    result                                  = sal_program_value(p, source, value);
    for (int k = 0; k < 2; k++) by[k] = gradient_of(p, k);
    sal_scene_destroy(&scene);
    return result;
}

static void begin_curves(void **state)
{
    assert_int_equal(sal_register_contact(((fixture *)*state)->context, &curve_type), SAL_OK);
}

/* Value, slope and its gradient of a function, against the program of its text alone: the same at any place, be it a
 * coordinate, a sum, what the function itself reads, or a constant. */
static void test_functions(void **state)
{
    static const char *const kinked[] = {
        "3",           "x",         "abs(x)",        "min(x, y)",
        "max(y, x)",   "x^0",       "x^1",           "x^2.5",
        "sign(x)",     "x^y",       "step(x)*y",     "sqrt(max(x, 0))",
        "abs(x)^1.5",  "(x - x)*x", "if(x, x, 2*x)", "1/x",
        "x < y",       "x and y",   "log(x)",        "if(x <= 0, 2*x, sqrt(x))",
        "atan2(x, y)", "x*t",       "t + w",
    };
    static const double at_kinks[][2] = { { -1, 0.5 }, { 0, 0 }, { 1, 0.25 }, { 2, -1 } };

    begin_curves(state);
    for (int i = 0; i < SAL_COUNT(smooth) + SAL_COUNT(kinked); i++) {
        const bool  kink = i >= SAL_COUNT(smooth);
        const char *text = kink ? kinked[i - SAL_COUNT(smooth)] : smooth[i];
        sal_program p = compile(state, text), p1 = differentiate_by(state, &p, SLOT_X);

        if (strstr(text, "gap")) continue; /* no quantities */
        for (int k = 0; k < (kink ? SAL_COUNT(at_kinks) : SAL_COUNT(points)); k++) {
            const double q[2] = { kink ? at_kinks[k][0] : points[k][SLOT_X], kink ? at_kinks[k][1] : 0.1 };
            const double t = 0.5, y = kink ? 1 : points[k][SLOT_Y], w = 2;
            const struct {
                const char *at;
                double      x, by[2]; /* and its derivatives by x(P), y(P) */
            } places[] = {
                { "x(P)", q[0], { 1, 0 } },   { "x(P) + 2*y(P)", q[0] + 2 * q[1], { 1, 2 } },
                { "t", t, { 0, 0 } },         { "y", y, { 0, 0 } },
                { "0.7", 0.7, { 0, 0 } },     { "w*y(P) + x(P)/2", w * q[1] + q[0] / 2, { 0.5, 2 } },
                { "-(-2 + 1)", 1, { 0, 0 } },
            };

            for (int j = 0; j < SAL_COUNT(places); j++) {
                const double z[SLOTS] = { t, places[j].x, y, w };
                double       d0 = evaluate(&p, z), d1 = gradient_of(&p, SLOT_X), d2, by[2];

                assert_close(text, curve_value(state, text, places[j].at, "f + 0*x(P)", q, z, by), d0, 4e-16);
                for (int c = 0; c < 2 && isfinite(d1); c++) assert_close(text, by[c], d1 * places[j].by[c], 4e-15);
                assert_close(text, curve_value(state, text, places[j].at, "slope + 0*x(P)", q, z, by), d1, 4e-15);
                evaluate(&p1, z);
                d2 = gradient_of(&p1, SLOT_X);
                for (int c = 0; c < 2 && isfinite(d2); c++) assert_close(text, by[c], d2 * places[j].by[c], 4e-15);
            }
        }
    }
}

static void test_function_closed_forms(void **state)
{
    const double q[2] = { 0.3, 0.9 }, given[SLOTS] = { 0.5, 0, 1.5, 2 };
    const double t = 0.5, y = 1.5, w = 2, x = 0.3, a = x + 2 * 0.9, s = 0.1 * sin(2 * x), c = 0.2 * cos(2 * x);
    const double v = curve_v[0], along = v + 2 * curve_v[1], phase = w * a - t; /* rates of x and a */
    const struct {
        const char *profile, *at, *when;
        double      expected;
    } cases[] = {
        { "0.1*sin(2*x)", "x(P)", "(y(P) - f)/sqrt(1 + slope^2)", (0.9 - s) / sqrt(1 + c * c) },
        { "y*sin(w*x - t)", "x(P) + 2*y(P)", "f", y * sin(w * a - t) },
        { "y*sin(w*x - t)", "x(P) + 2*y(P)", "slope", y * w * cos(w * a - t) },
        { "x^2", "x(P)", "ff", x * x * x * x },
        { "x^2", "x(P)", "slope2*slope", 4 * x * x * x },
        { "x^2", "x(P)", "slope3*slope2*slope", 8 * pow(x, 7) },
        { "t*x", "t*x(P)", "slope + 0*x(P)", t },
        { "x*y", "x(P)", "slope + x(P)", y + x },
        { "y", "x(P)", "hidden + x(P)", 2 + x }, /* not the parameter */
        { "0.25", "x(P)", "x(P) + f + slope", x + 0.25 },
        { "x*y", "x(P)", "twice - sum", x * y + 0.9 },
        { "x^3", "x(P)", "fdot", 3 * x * x * v },
        { "x^3", "x(P)", "slopedot", 6 * x * v },
        { "x^3", "x(P)", "sumdot", 3 * x * x * v + curve_v[1] },
        { "x^3", "x(P)", "sumdot2", 6 * x * v * v + 3 * x * x * curve_a[0] + curve_a[1] },
        { "y*sin(w*x - t)", "x(P) + 2*y(P)", "fdot", y * cos(phase) * (w * along - 1) },
        { "y*sin(w*x - t)", "x(P) + 2*y(P)", "slopedot", -y * w * sin(phase) * (w * along - 1) },
        { "max(x, t)", "x(P)", "sumdot", 1 + curve_v[1] },
        { "t*x", "t*x(P)", "fdot", 2 * t * x + t * t * v },
    };

    begin_curves(state);
    for (int i = 0; i < SAL_COUNT(cases); i++) {
        double by[2];

        assert_close(cases[i].profile, curve_value(state, cases[i].profile, cases[i].at, cases[i].when, q, given, by),
                     cases[i].expected, 1e-15);
    }
}

/* Errors in the function at their place in the file, once; those of the type in its formula, and so twice here. */
static void test_function_errors(void **state)
{
#define TYPE(when, column, rest)  "t:1:1: contacts.c.when: in '" when "', column " #column ": " rest "\n"
#define TWICE(when, column, rest) TYPE(when, column, rest) TYPE(when, column, rest)
    static const struct {
        const char *profile, *when, *expected;
    } cases[] = {
        { "0.1*sin(2*z)", "x(P) + f", "t:3:23: contacts.c.profile: in '0.1*sin(2*z)', column 11: unknown name 'z'\n" },
        { "2*(x", "f + slope",
          "t:3:17: contacts.c.profile: in '2*(x', column 5: missing ')' for the '(' at column 3\n" },
        { "", "f", "t:3:13: contacts.c.profile: in '', column 1: the expression is empty\n" },
        { "x + f", "slope",
          "t:3:17: contacts.c.profile: in 'x + f', column 5: unknown name 'f'; did you mean 'if'?\n" },
        { "2 + y(P)", "f",
          "t:3:17: contacts.c.profile: in '2 + y(P)', column 5: y() depends on the motion; expected a function of x, "
          "parameters and t\n" },
        { "x(P)", "f",
          "t:3:13: contacts.c.profile: in 'x(P)', column 1: x() depends on the motion; expected a function of x, "
          "parameters and t\n" },
        { "heigt", "other",
          "t:3:13: contacts.c.profile: in 'heigt', column 1: unknown name 'heigt'; did you mean 'height'?\n"
          "t:3:13: contacts.c.profile: in 'heigt', column 1: unknown name 'heigt'\n" }, /* slope is by x */
        { "x", "own", TWICE("own", 1, "in 'x*z', column 3: unknown name 'z'") },
        { "x", "2*lost", TWICE("2*lost", 3, "in '1 + x(Q)', column 7: unknown point 'Q'") },
        { "x", "absent", TWICE("absent", 1, "absent has no formula") },
        { "x", "nowhere", TWICE("nowhere", 1, "nowhere has no place") },
        { "x", "1 + snake", TWICE("1 + snake", 5, "in '-tail', column 2: in '2*snake', column 3: snake reads itself") },
        { "x", "forced", TWICE("forced", 1, "forced is the rate of what follows from forces") },
        { "x", "ring", TWICE("ring", 1, "in '1 + ring', column 5: ring reads itself") },
        { "x", "2*wrong", TWICE("2*wrong", 3, "in '2*sum + z', column 9: unknown name 'z'") },
        { "x", "x(f)", TWICE("x(f)", 3, "unknown point 'f'") },
        { "2", "f", "t:2:19: contacts.c: 'f' never changes; expected a point that can move\n" },
    };
    fixture *f = *state;

    begin_curves(state);
    for (int i = 0; i < SAL_COUNT(cases); i++) {
        sal_scene *scene  = NULL;
        sal_status status = load_curve(f->context, cases[i].profile, "x(P)", cases[i].when, &scene);

        if (status != SAL_ERR_SCENE || scene || strcmp(sal_message(f->context), cases[i].expected) != 0)
            fail_msg("'%s', '%s': status %d\n%sexpected\n%s", cases[i].profile, cases[i].when, (int)status,
                     sal_message(f->context), cases[i].expected);
    }
}

/* A function that is constant in x but not in time does change. */
static void test_function_of_time(void **state)
{
    fixture   *f = *state;
    sal_scene *scene;

    begin_curves(state);
    assert_int_equal(load_curve(f->context, "w*t", "1", "f", &scene), SAL_OK);
    sal_scene_destroy(&scene);
    assert_int_equal(load_curve(f->context, "w*x", "t", "f", &scene), SAL_OK);
    assert_int_equal(scene->functions.n, 1); /* compiled once */
    sal_scene_destroy(&scene);
}

static void test_function_limits(void **state)
{
    static char profile[SAL_EXPR_MAX_LENGTH + 1];
    fixture    *f = *state;
    sal_scene  *scene;

    for (int i = 0; i < SAL_EXPR_MAX_LENGTH - 1; i++) profile[i] = "x/"[i % 2];
    begin_curves(state);
    assert_int_equal(load_curve(f->context, profile, "x(P)", "f + slope + slope2", &scene), SAL_OK);
    assert_true(scene->tables->events.at[0].when.n > SAL_EXPR_MAX_NODES / 2);
    sal_scene_destroy(&scene);
    assert_int_equal(load_curve(f->context, profile, "x(P)", "slope + slope2 + slope3 + slope4", &scene),
                     SAL_ERR_SCENE);
    assert_non_null(strstr(sal_message(f->context), "more than 20000 operations"));
    for (int i = 0; i < SAL_EXPR_MAX_LENGTH; i++) profile[i] = i < SAL_EXPR_MAX_DEPTH + 1 ? '-' : ' ';
    profile[SAL_EXPR_MAX_DEPTH + 1] = 'x';
    assert_int_equal(load_curve(f->context, profile, "x(P)", "f", &scene), SAL_ERR_SCENE);
    assert_non_null(strstr(sal_message(f->context), "nested deeper than 100"));
}

static void test_function_out_of_memory(void **state)
{
    sal_status status = SAL_ERR_MEMORY;
    int        n      = 0;

    (void)state;
    for (; status == SAL_ERR_MEMORY; n++) {
        counter          c    = { .left = -1 };
        sal_context_opts opts = counting_opts(&c);
        sal_context     *context;
        sal_scene       *scene;

        assert_int_equal(sal_context_create(&opts, &context), SAL_OK);
        assert_int_equal(sal_register_contact(context, &curve_type), SAL_OK);
        c.left = n;
        status = load_curve(context, "x*sin(x)", "x(P)", "f + slope3", &scene);
        if (status == SAL_OK) sal_scene_destroy(&scene);
        sal_context_destroy(&context);
        assert_int_equal(c.live, 0);
    }
    assert_int_equal(status, SAL_OK);
    assert_true(n > 4);
}

/* ---------------------------------------------------------------------------------------- garbage */

static uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

/* Compiles and, when that works, evaluates and differentiates twice. The text is put where reading beyond it is
 * noticed. */
static bool swallow(fixture *f, const char *text)
{
    const double        z[SLOTS] = { 0.5, 0, -1, 2 }, one[SLOTS] = { 1, 1, 1, 1 };
    const double *const source[SAL_SRC_COUNT] = { z, one, one, one, one };
    char               *copy                  = malloc(strlen(text) + 1);
    sal_program         p;
    sal_expr_error      error;
    sal_status          status;
    bool                good;

    assert_non_null(copy);
    strcpy(copy, text);
    status = sal_expr_compile(&f->pool, copy, &resolver, &p, &error);
    free(copy);
    good = status == SAL_OK;
    for (int i = 0; i < 3 && status == SAL_OK; i++) {
        sal_program_value(&p, source, value);
        sal_program_gradient(&p, value, first);
        if (i < 2) status = sal_program_differentiate(&f->pool, &p, in_time, NULL, &p);
    }
    assert_true(status == SAL_OK || status == SAL_ERR_SCENE);
    if (!good) assert_true(error.column >= 1 && error.column <= (int)strlen(text) + 1 && error.text[0] != '\0');
    sal_pool_free(&f->pool);
    return good;
}

static void test_random_bytes(void **state)
{
    uint32_t seed = 20240607;
    char     text[64];

    for (int i = 0; i < 5000; i++) {
        int n = (int)(next_random(&seed) % (sizeof text - 1));

        for (int k = 0; k < n; k++) text[k] = (char)(1 + next_random(&seed) % 255);
        text[n] = '\0';
        swallow(*state, text);
    }
}

static void test_random_tokens(void **state)
{
    static const char *const pieces[] = {
        "x",        "y",        "t",     "w",   "1",        "2",        ".5",
        "1e3",      "1e",       "1e-",   "pi",  "e",        "(",        "(",
        ")",        ")",        ",",     "+",   "-",        "*",        "/",
        "^",        "<",        "<=",    "==",  "!=",       "=",        "!",
        "&&",       "**",       "and ",  "or ", "not ",     "sin(",     "if(",
        "min(",     "atan2(",   "sqrt(", "log", "speed(P)", "speed(",   "pin.x",
        "gap(A,B)", "energy()", "L1",    ".",   " ",        "\xC3\xA9", "9999999999999999999",
        "0",
    };
    uint32_t seed = 7;
    int      good = 0;

    for (int i = 0; i < 20000; i++) {
        char text[1000] = "";
        int  n          = 1 + (int)(next_random(&seed) % 24);

        for (int k = 0; k < n; k++) strcat(text, pieces[next_random(&seed) % (uint32_t)SAL_COUNT(pieces)]);
        good += swallow(*state, text);
    }
    assert_true(good > 100); /* the mixture reaches evaluation too */
}

/* Valid expressions with one byte changed, dropped or doubled. */
static void test_random_slips(void **state)
{
    uint32_t seed = 99;

    for (int i = 0; i < 20000; i++) {
        char   text[200] = "";
        size_t n, at;

        strcpy(text, smooth[next_random(&seed) % (uint32_t)SAL_COUNT(smooth)]);
        n  = strlen(text);
        at = next_random(&seed) % n;
        switch (next_random(&seed) % 3) {
        case 0: text[at] = (char)(1 + next_random(&seed) % 127); break;
        case 1: memmove(text + at, text + at + 1, n - at); break;
        default: memmove(text + at + 1, text + at, n - at + 1); break;
        }
        swallow(*state, text);
    }
}

/* Full-length texts that repeat one piece: nothing may take long or go deep. */
static void test_hostile_repetition(void **state)
{
    static const char *const pieces[] = {
        "(",        ")",  "-",    "not ", "2^",     "x^", "sin(", "if(x,", "min(x,",    "speed(",
        "speed(a.", "x+", "x*y-", "x<",   "x and ", "t*", "t^",   "t/",    "1.",        "9",
        "a",        ",",  "=",    "1e",   "gap(A,", "x(", "\xFF", " ",     "1+sin(x)/",
    };
    static char text[SAL_EXPR_MAX_LENGTH + 1];

    for (int i = 0; i < SAL_COUNT(pieces); i++) {
        size_t n = strlen(pieces[i]);

        for (size_t k = 0; k < SAL_EXPR_MAX_LENGTH; k++) text[k] = pieces[i][k % n];
        swallow(*state, text);
        text[SAL_EXPR_MAX_LENGTH / n * n - n]     = 'x';
        text[SAL_EXPR_MAX_LENGTH / n * n - n + 1] = '\0';
        swallow(*state, text);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_values),
        TEST(test_long_number),
        TEST(test_locale),
        TEST(test_syntax_errors),
        TEST(test_name_errors),
        TEST(test_errors_without_resolver),
        TEST(test_long_tokens),
        TEST(test_cut_message),
        TEST(test_gradient),
        TEST(test_derivative),
        TEST(test_second_derivative),
        TEST(test_derivative_closed_forms),
        TEST(test_time_derivative),
        TEST(test_time_derivative_of_function),
        TEST(test_derivative_size),
        TEST(test_powers_at_zero),
        TEST(test_variable_powers_at_zero),
        TEST(test_steep),
        TEST(test_kinks),
        TEST(test_unselected_branches),
        TEST(test_still_branches),
        TEST(test_folding),
        TEST(test_leaves),
        TEST(test_building),
        TEST(test_names),
        TEST(test_depth),
        TEST(test_length),
        TEST(test_many_nodes),
        TEST(test_large_derivatives),
        TEST(test_many_arguments),
        TEST(test_out_of_memory),
        TEST(test_functions),
        TEST(test_function_closed_forms),
        TEST(test_function_errors),
        TEST(test_function_of_time),
        TEST(test_function_limits),
        TEST(test_function_out_of_memory),
        TEST(test_random_bytes),
        TEST(test_random_tokens),
        TEST(test_random_slips),
        TEST(test_hostile_repetition),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
