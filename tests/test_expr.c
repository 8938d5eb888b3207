/* test_expr.c - the expression language: values, errors, programs, limits, garbage. */
#include <locale.h>

#include "tests/expressions.h"

/* ---------------------------------------------------------------------------------------- helpers */

static double value_at(void **state, const char *text, double x, double y)
{
    const double z[SLOTS] = { 0.5, x, y, 2 };
    sal_program  p        = compile(state, text);

    return evaluate(&p, z);
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

/* Compiles with `allowed` allocations behind the context's own; or, with `twice`, compiles and then differentiates
 * twice with so many. */
static sal_status build_within(int allowed, const char *text, bool twice)
{
    memory           c    = { .fail = -1 };
    sal_context_opts opts = counting_opts(&c);
    sal_context     *context;
    sal_pool         pool, derived;
    sal_program      p;
    sal_expr_error   error;
    sal_status       status;

    assert_int_equal(sal_context_create(&opts, &context), SAL_OK);
    sal_pool_init(&pool, context);
    sal_pool_init(&derived, context);
    if (!twice) c.fail = c.next + allowed;
    status = sal_expr_compile(&pool, text, &resolver, &p, &error);
    if (status != SAL_OK) assert_true(p.node == NULL && p.n == 0 && error.text[0] == '\0');
    c.fail = c.next + allowed;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_values),         TEST(test_long_number),
        TEST(test_locale),         TEST(test_syntax_errors),
        TEST(test_name_errors),    TEST(test_errors_without_resolver),
        TEST(test_long_tokens),    TEST(test_cut_message),
        TEST(test_folding),        TEST(test_leaves),
        TEST(test_building),       TEST(test_names),
        TEST(test_depth),          TEST(test_length),
        TEST(test_many_nodes),     TEST(test_large_derivatives),
        TEST(test_many_arguments), TEST(test_out_of_memory),
        TEST(test_random_bytes),   TEST(test_random_tokens),
        TEST(test_random_slips),   TEST(test_hostile_repetition),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
