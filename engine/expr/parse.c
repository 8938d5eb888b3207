/* parse.c - from text to programs: words, tokens, errors, grammar. Nodes are made by build.c.
 *
 *   or          and { "or" and }
 *   and         not { "and" not }
 *   not         "not" not | comparison
 *   comparison  sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]
 *   sum         product { ( "+" | "-" ) product }
 *   product     unary { ( "*" | "/" ) unary }
 *   unary       ( "-" | "+" ) unary | power
 *   power       primary [ "^" unary ]                                     so -2^2 = -(2^2), 2^-1 and 2^3^2 = 2^(3^2)
 *   primary     number | "(" or ")" | constant | name
 *             | function "(" or { "," or } ")" | quantity "(" [ argument { "," argument } ] ")"
 *   argument    name [ "." name ]                                         no spaces around the point
 *
 * Recursion is bounded by SAL_EXPR_MAX_DEPTH. The first error is the one reported; after it every rule gives -1. */
#include "engine/expr/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------- words of the language */

enum { ANY_NUMBER = SAL_EXPR_MAX_LENGTH }; /* of arguments: more than fit in a text */

static const struct function {
    const char *name;
    sal_op      op;
    int         least, most; /* arguments */
} functions[] = {
    { "sqrt", SAL_OP_SQRT, 1, 1 }, { "abs", SAL_OP_ABS, 1, 1 },   { "sin", SAL_OP_SIN, 1, 1 },
    { "cos", SAL_OP_COS, 1, 1 },   { "tan", SAL_OP_TAN, 1, 1 },   { "asin", SAL_OP_ASIN, 1, 1 },
    { "acos", SAL_OP_ACOS, 1, 1 }, { "atan", SAL_OP_ATAN, 1, 1 }, { "atan2", SAL_OP_ATAN2, 2, 2 },
    { "sinh", SAL_OP_SINH, 1, 1 }, { "cosh", SAL_OP_COSH, 1, 1 }, { "tanh", SAL_OP_TANH, 1, 1 },
    { "exp", SAL_OP_EXP, 1, 1 },   { "log", SAL_OP_LOG, 1, 1 },   { "min", SAL_OP_MIN, 2, ANY_NUMBER },
    { "sign", SAL_OP_SIGN, 1, 1 }, { "step", SAL_OP_STEP, 1, 1 }, { "max", SAL_OP_MAX, 2, ANY_NUMBER },
    { "if", SAL_OP_IF, 3, 3 },
};

static const struct constant {
    const char *name;
    double      value;
} constants[] = {
    { "pi", 3.14159265358979323846 },
    { "e", 2.71828182845904523536 },
};

static const char *const other_words[] = { "and", "or", "not", "t" };

static const struct function *find_function(const char *name)
{
    for (int i = 0; i < SAL_COUNT(functions); i++)
        if (strcmp(name, functions[i].name) == 0) return &functions[i];
    return NULL;
}

static const struct constant *find_constant(const char *name)
{
    for (int i = 0; i < SAL_COUNT(constants); i++)
        if (strcmp(name, constants[i].name) == 0) return &constants[i];
    return NULL;
}

bool sal_expr_reserved(const char *text)
{
    for (int i = 0; i < SAL_COUNT(other_words); i++)
        if (strcmp(text, other_words[i]) == 0) return true;
    return find_function(text) || find_constant(text);
}

/* Not isalpha and the like: those depend on the locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static int name_length(const char *text)
{
    int n = 0;

    if (is_letter(text[0]))
        while (is_letter(text[n]) || is_digit(text[n])) n++;
    return n;
}

/* U+0080 to U+009F: names are printed, and these steer terminals. */
static bool has_control(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) return true;
    }
    return false;
}

bool sal_expr_valid_name(const char *text)
{
    int n = name_length(text);

    return n > 0 && n <= SAL_NAME_MAX && text[n] == '\0' && strcmp(text, "and") && strcmp(text, "or") &&
           strcmp(text, "not") && !has_control(text);
}

/* ---------------------------------------------------------------------------------------- tokens */

/* One-character tokens are their character. */
enum {
    TOKEN_END = 256,
    TOKEN_NUMBER,
    TOKEN_NAME,
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT,
    TOKEN_LE,
    TOKEN_GE,
    TOKEN_EQ,
    TOKEN_NE,
    TOKEN_OTHER
};

typedef struct token {
    int    kind;
    int    at, length; /* bytes of the text */
    double number;
} token;

typedef struct parser {
    sal_expr           *e;
    const sal_resolver *resolver; /* or NULL */
    const char         *text;
    token               now; /* the token to be looked at */
    int                 depth;
} parser;

static int column_of(const parser *p)
{
    return p->now.at + 1;
}

/* Digits, a point, an exponent. strtod wants the locale's decimal point, so it is given none: 1.25e3 is handed over
 * as 125e1. */
static void read_number(parser *p, token *t)
{
    enum { EXPONENT_MAX = 1000000 }; /* beyond any number, whatever its digits */
    char        digits[SAL_EXPR_MAX_LENGTH + 16];
    const char *s = p->text + t->at;
    int         i = 0, n = 0, shift = 0, exponent = 0, sign;

    while (is_digit(s[i])) digits[n++] = s[i++];
    if (s[i] == '.') {
        for (i++; is_digit(s[i]); shift++) digits[n++] = s[i++];
    }
    sign = (s[i] == 'e' || s[i] == 'E') && (s[i + 1] == '+' || s[i + 1] == '-');
    if ((s[i] == 'e' || s[i] == 'E') && is_digit(s[i + 1 + sign])) {
        bool negative = s[i + 1] == '-';
        for (i += 1 + sign; is_digit(s[i]); i++)
            if (exponent < EXPONENT_MAX) exponent = 10 * exponent + (s[i] - '0');
        if (negative) exponent = -exponent;
    }
    snprintf(digits + n, sizeof digits - (size_t)n, "e%d", exponent - shift);
    t->kind   = TOKEN_NUMBER;
    t->length = i;
    t->number = strtod(digits, NULL);
    if (!isfinite(t->number)) sal_expr_fail(p->e, t->at + 1, "the number is too large");
    if (s[i] == '.') sal_expr_fail(p->e, t->at + i + 1, "unexpected '.'; a number has one decimal point");
}

static void read_name(parser *p, token *t)
{
    static const int word_kind[] = { TOKEN_AND, TOKEN_OR, TOKEN_NOT };
    const char      *s           = p->text + t->at;

    t->kind   = TOKEN_NAME;
    t->length = name_length(s);
    if (t->length > SAL_NAME_MAX) sal_expr_fail(p->e, t->at + 1, "the name is longer than %d bytes", SAL_NAME_MAX);
    for (int i = 0; i < SAL_COUNT(word_kind); i++)
        if ((int)strlen(other_words[i]) == t->length && memcmp(s, other_words[i], (size_t)t->length) == 0)
            t->kind = word_kind[i];
}

/* Spellings of other languages are tokens too, so that the error can name what is meant. */
static void read_symbol(parser *p, token *t)
{
    static const struct {
        char text[3];
        int  kind;
    } pairs[] = {
        { "<=", TOKEN_LE },    { ">=", TOKEN_GE },    { "==", TOKEN_EQ },    { "!=", TOKEN_NE },
        { "&&", TOKEN_OTHER }, { "||", TOKEN_OTHER }, { "**", TOKEN_OTHER }, { "<>", TOKEN_OTHER },
    };
    const char *s = p->text + t->at;

    t->kind   = strchr("+-*/^(),<>", *s) ? *s : TOKEN_OTHER;
    t->length = 1;
    for (int i = 0; i < SAL_COUNT(pairs); i++) {
        if (strncmp(s, pairs[i].text, 2) != 0) continue;
        t->kind   = pairs[i].kind;
        t->length = 2;
    }
}

/* Goes on to the next token. */
static void next(parser *p)
{
    token       t = { .kind = TOKEN_END, .at = p->now.at + p->now.length };
    const char *s = p->text;

    while (s[t.at] == ' ' || s[t.at] == '\t' || s[t.at] == '\n' || s[t.at] == '\r') t.at++;
    if (is_digit(s[t.at]) || (s[t.at] == '.' && is_digit(s[t.at + 1]))) read_number(p, &t);
    else if (is_letter(s[t.at])) read_name(p, &t);
    else if (s[t.at] != '\0') read_symbol(p, &t);
    p->now       = t;
    p->e->column = t.at + 1;
}

/* ---------------------------------------------------------------------------------------- errors */

/* What is to be written instead of a spelling of other languages, or NULL. */
static const char *hint_for(const char *spelling)
{
    static const char *const hints[][2] = {
        { "=", "equality is written '=='" },
        { "&&", "write 'and'" },
        { "&", "write 'and'" },
        { "||", "write 'or'" },
        { "|", "write 'or'" },
        { "!", "write 'not'" },
        { "**", "a power is written '^'" },
        { "<>", "write '!='" },
    };

    for (int i = 0; i < SAL_COUNT(hints); i++)
        if (strcmp(spelling, hints[i][0]) == 0) return hints[i][1];
    return NULL;
}

/* The present token as it stands in the text, in quotes, at most as long as a name. */
static void quote(const parser *p, char *out, size_t size)
{
    const char *s    = p->text + p->now.at;
    int         byte = (unsigned char)*s, length = p->now.length;

    if (p->now.kind == TOKEN_END) snprintf(out, size, "end of the expression");
    else if (byte < ' ' || byte == 0x7F) snprintf(out, size, "byte 0x%02X", (unsigned)byte);
    else if (length > SAL_NAME_MAX) snprintf(out, size, "'%.*s...'", SAL_NAME_MAX, s);
    else snprintf(out, size, "'%.*s'", length, s);
}

/* The present token stands where something else is needed. */
static int unexpected(parser *p, const char *expected)
{
    char        found[SAL_NAME_MAX + 8];
    char        spelling[3] = "";
    const char *hint;

    quote(p, found, sizeof found);
    if (p->now.length < (int)sizeof spelling) memcpy(spelling, p->text + p->now.at, (size_t)p->now.length);
    hint = hint_for(spelling);
    if (hint) return sal_expr_fail(p->e, column_of(p), "unexpected %s; %s", found, hint);
    return sal_expr_fail(p->e, column_of(p), "unexpected %s; expected %s", found, expected);
}

/* The same behind a complete operand; before another one, `missing` may be what was forgotten. */
static int unexpected_behind(parser *p, const char *expected, char missing)
{
    char found[SAL_NAME_MAX + 8];

    quote(p, found, sizeof found);
    if (p->now.kind == TOKEN_NUMBER || p->now.kind == TOKEN_NAME || p->now.kind == '(')
        return sal_expr_fail(p->e, column_of(p), "unexpected %s; is a '%c' missing?", found, missing);
    return unexpected(p, expected);
}

static void known_names(const parser *p, const char *const **names, int *count)
{
    *names = NULL;
    *count = 0;
    if (p->resolver && p->resolver->known) p->resolver->known(p->resolver->self, names, count);
}

static const char *nearest_word(const char *name)
{
    const char *words[SAL_COUNT(functions) + SAL_COUNT(constants)];
    int         n = 0;

    for (int i = 0; i < SAL_COUNT(functions); i++) words[n++] = functions[i].name;
    for (int i = 0; i < SAL_COUNT(constants); i++) words[n++] = constants[i].name;
    return sal_nearest(name, words, n);
}

/* The nearest to `name` of what could have been meant, or NULL. The caller's names win over the language's. */
static const char *suggestion(const parser *p, const char *name)
{
    const char *const *names;
    const char        *near[2];
    int                count, n = 0;

    known_names(p, &names, &count);
    near[n] = sal_nearest(name, names, count);
    n += near[n] != NULL;
    near[n] = nearest_word(name);
    n += near[n] != NULL;
    return sal_nearest(name, near, n);
}

static int needs_arguments(parser *p, const char *name, int column)
{
    return sal_expr_fail(p->e, column, "%s needs its arguments in parentheses: %s(...)", name, name);
}

static int unknown_name(parser *p, const char *name, int column)
{
    const char *near = suggestion(p, name);

    if (!near) return sal_expr_fail(p->e, column, "unknown name '%s'", name);
    if (strcmp(near, name) == 0) return needs_arguments(p, name, column);
    return sal_expr_fail(p->e, column, "unknown name '%s'; did you mean '%s'?", name, near);
}

static int unknown_function(parser *p, const char *name, int column)
{
    const char *near = suggestion(p, name);

    if (!near) return sal_expr_fail(p->e, column, "unknown function '%s'", name);
    if (strcmp(near, name) == 0) return sal_expr_fail(p->e, column, "%s is not a function; is a '*' missing?", name);
    return sal_expr_fail(p->e, column, "unknown function '%s'; did you mean '%s'?", name, near);
}

/* --------------------------------------------------------------------------------------- grammar */

static int parse_or(parser *p);
static int parse_unary(parser *p);

/* Going one level deeper; each enter is followed by one leave. */
static bool enter(parser *p)
{
    if (++p->depth <= SAL_EXPR_MAX_DEPTH) return true;
    sal_expr_fail(p->e, column_of(p), "nested deeper than %d", SAL_EXPR_MAX_DEPTH);
    return false;
}

static int leave(parser *p, int node)
{
    p->depth--;
    return node;
}

/* The ')' for the '(' at column `open`. */
static bool parse_close(parser *p, int open, const char *expected, char missing)
{
    if (p->now.kind == ')') {
        next(p);
        return true;
    }
    if (p->now.kind == TOKEN_END) sal_expr_fail(p->e, column_of(p), "missing ')' for the '(' at column %d", open);
    else unexpected_behind(p, expected, missing);
    return false;
}

static int parse_group(parser *p)
{
    int open = column_of(p), node;

    if (!enter(p)) return leave(p, -1);
    next(p);
    node = leave(p, parse_or(p));
    return node >= 0 && parse_close(p, open, "an operator or ')'", '*') ? node : -1;
}

static int wrong_count(parser *p, const struct function *f, int column, int found)
{
    const char *more   = f->most == ANY_NUMBER ? " or more" : "";
    const char *plural = f->least == 1 && f->most == 1 ? "" : "s";

    return sal_expr_fail(p->e, column, "%s takes %d%s argument%s, found %d", f->name, f->least, more, plural, found);
}

/* The arguments of a function, behind its '('. Those of min and max are joined as they come, so that any number of
 * them needs no room. Gives their number, or -1. */
static int parse_arguments(parser *p, const struct function *f, int node[3])
{
    int n = 0;

    if (p->now.kind == ')') return 0;
    for (;;) {
        int argument = parse_or(p);

        if (argument < 0) return -1;
        if (f->most == ANY_NUMBER) node[0] = n == 0 ? argument : sal_expr_op(p->e, f->op, node[0], argument, 0);
        else if (n < 3) node[n] = argument;
        n++;
        if (p->now.kind != ',') return n;
        next(p);
    }
}

/* A function of the language, the present token being its '('. */
static int parse_function(parser *p, const struct function *f, int column)
{
    int open = column_of(p), node[3] = { 0 }, n;

    if (!enter(p)) return leave(p, -1);
    next(p);
    n = leave(p, parse_arguments(p, f, node));
    if (n < 0 || !parse_close(p, open, "an operator, ',' or ')'", '*')) return -1;
    if (n < f->least || n > f->most) return wrong_count(p, f, column, n);
    return f->most == ANY_NUMBER ? node[0] : sal_expr_op(p->e, f->op, node[0], node[1], node[2]);
}

/* Copies the present token, a name, to the end of `out`. */
static void append_name(const parser *p, char *out)
{
    size_t used = strlen(out);

    memcpy(out + used, p->text + p->now.at, (size_t)p->now.length);
    out[used + (size_t)p->now.length] = '\0';
}

/* An argument of a quantity, "P", "pin.x" or "floor.P.n". False when something else stands there; no error is reported
 * yet. */
static bool parse_quantity_argument(parser *p, sal_expr_arg *arg)
{
    const char *point;

    if (p->e->failed || p->now.kind != TOKEN_NAME) return false;
    *arg = (sal_expr_arg){ .column = column_of(p) };
    append_name(p, arg->name);
    for (int parts = 1;; parts++) {
        point = p->text + p->now.at + p->now.length;
        next(p);
        if (parts == SAL_NAME_PARTS || point[0] != '.' || !is_letter(point[1])) return true;
        next(p);
        if (p->e->failed || p->now.kind != TOKEN_NAME) return false;
        strcat(arg->name, ".");
        append_name(p, arg->name);
    }
}

/* Whether a quantity of this name may exist, as far as can be told without its arguments. */
static bool may_be_quantity(const parser *p, const char *name)
{
    const char *const *names;
    int                count;

    if (!p->resolver || !p->resolver->call) return false;
    if (!p->resolver->known) return true;
    known_names(p, &names, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* The node a resolver gave. When it gave none and no reason, the name is not known to it. */
static int resolved(parser *p, int node, bool call, const char *name, int column)
{
    if (node >= 0 || p->e->failed || p->e->pool->failed) return node;
    return call ? unknown_function(p, name, column) : unknown_name(p, name, column);
}

/* A quantity, the present token being its '('. What looks wrong in the arguments of an unknown name, as in
 * sinn(2*t), is not what is wrong: the name is. */
static int parse_quantity(parser *p, const char *name, int column)
{
    sal_expr_arg arg[SAL_EXPR_MAX_ARGS];
    int          open = column_of(p), n = 0, node = -1;
    bool         possible = may_be_quantity(p, name);

    next(p);
    if (p->now.kind != ')') {
        for (;; next(p)) {
            if (n == SAL_EXPR_MAX_ARGS)
                return sal_expr_fail(p->e, column_of(p), "%s has more than %d arguments", name, SAL_EXPR_MAX_ARGS);
            if (!parse_quantity_argument(p, &arg[n]))
                return possible ? unexpected(p, "a name") : unknown_function(p, name, column);
            n++;
            if (p->now.kind != ',') break;
        }
    }
    if (!possible && p->now.kind != ')') return unknown_function(p, name, column);
    if (!parse_close(p, open, "',' or ')'", ',')) return -1;
    if (p->resolver && p->resolver->call) node = p->resolver->call(p->resolver->self, p->e, name, column, arg, n);
    return resolved(p, node, true, name, column);
}

static int parse_name(parser *p)
{
    char                   name[SAL_NAME_MAX + 1] = "";
    int                    column = column_of(p), node = -1;
    const struct function *f;
    const struct constant *k;

    append_name(p, name);
    next(p);
    k = find_constant(name);
    if (k) return sal_expr_const(p->e, k->value);
    f = find_function(name);
    if (f) return p->now.kind == '(' ? parse_function(p, f, column) : needs_arguments(p, name, column);
    if (p->now.kind == '(') return parse_quantity(p, name, column);
    if (p->resolver && p->resolver->name) node = p->resolver->name(p->resolver->self, p->e, name, column);
    return resolved(p, node, false, name, column);
}

static int parse_primary(parser *p)
{
    double number = p->now.number;

    if (p->e->failed) return -1; /* the token itself is wrong */
    switch (p->now.kind) {
    case TOKEN_NUMBER: next(p); return sal_expr_const(p->e, number);
    case TOKEN_NAME: return parse_name(p);
    case '(': return parse_group(p);
    case TOKEN_NOT: return sal_expr_fail(p->e, column_of(p), "unexpected 'not'; write (not ...) in parentheses here");
    default: return unexpected(p, "a number, a name or '('");
    }
}

static int parse_power(parser *p)
{
    int base = parse_primary(p), exponent;

    if (base < 0 || p->now.kind != '^') return base;
    if (!enter(p)) return leave(p, -1);
    next(p);
    exponent = leave(p, parse_unary(p));
    return sal_expr_op(p->e, SAL_OP_POW, base, exponent, 0);
}

static int parse_unary(parser *p)
{
    int sign = p->now.kind, node;

    if (sign != '-' && sign != '+') return parse_power(p);
    if (!enter(p)) return leave(p, -1);
    next(p);
    node = leave(p, parse_unary(p));
    return sign == '-' ? sal_expr_op(p->e, SAL_OP_NEG, node, 0, 0) : node;
}

static int parse_product(parser *p)
{
    int a = parse_unary(p);

    while (a >= 0 && (p->now.kind == '*' || p->now.kind == '/')) {
        sal_op op = p->now.kind == '*' ? SAL_OP_MUL : SAL_OP_DIV;
        next(p);
        a = sal_expr_op(p->e, op, a, parse_unary(p), 0);
    }
    return a;
}

static int parse_sum(parser *p)
{
    int a = parse_product(p);

    while (a >= 0 && (p->now.kind == '+' || p->now.kind == '-')) {
        sal_op op = p->now.kind == '+' ? SAL_OP_ADD : SAL_OP_SUB;
        next(p);
        a = sal_expr_op(p->e, op, a, parse_product(p), 0);
    }
    return a;
}

/* The operation of a comparison token; SAL_OP_COUNT for any other. */
static sal_op comparison_of(int kind)
{
    switch (kind) {
    case '<': return SAL_OP_LT;
    case '>': return SAL_OP_GT;
    case TOKEN_LE: return SAL_OP_LE;
    case TOKEN_GE: return SAL_OP_GE;
    case TOKEN_EQ: return SAL_OP_EQ;
    case TOKEN_NE: return SAL_OP_NE;
    default: return SAL_OP_COUNT;
    }
}

static int parse_comparison(parser *p)
{
    int    a  = parse_sum(p);
    sal_op op = comparison_of(p->now.kind);

    if (a < 0 || op == SAL_OP_COUNT) return a;
    next(p);
    a = sal_expr_op(p->e, op, a, parse_sum(p), 0);
    if (a >= 0 && comparison_of(p->now.kind) != SAL_OP_COUNT)
        return sal_expr_fail(p->e, column_of(p), "comparisons cannot be chained; write (a < b) and (b < c)");
    return a;
}

static int parse_not(parser *p)
{
    int node;

    if (p->now.kind != TOKEN_NOT) return parse_comparison(p);
    if (!enter(p)) return leave(p, -1);
    next(p);
    node = leave(p, parse_not(p));
    return sal_expr_op(p->e, SAL_OP_NOT, node, 0, 0);
}

static int parse_and(parser *p)
{
    int a = parse_not(p);

    while (a >= 0 && p->now.kind == TOKEN_AND) {
        next(p);
        a = sal_expr_op(p->e, SAL_OP_AND, a, parse_not(p), 0);
    }
    return a;
}

static int parse_or(parser *p)
{
    int a = parse_and(p);

    while (a >= 0 && p->now.kind == TOKEN_OR) {
        next(p);
        a = sal_expr_op(p->e, SAL_OP_OR, a, parse_and(p), 0);
    }
    return a;
}

/* The whole text; the node of its value, or -1. */
static int parse_text(parser *p)
{
    int node;

    if (!memchr(p->text, '\0', SAL_EXPR_MAX_LENGTH + 1))
        return sal_expr_fail(p->e, SAL_EXPR_MAX_LENGTH + 1, "longer than %d characters", SAL_EXPR_MAX_LENGTH);
    next(p);
    if (p->now.kind == TOKEN_END) return sal_expr_fail(p->e, 1, "the expression is empty");
    node = parse_or(p);
    if (node < 0 || p->e->failed || p->now.kind == TOKEN_END) return node;
    if (p->now.kind == ')') return sal_expr_fail(p->e, column_of(p), "unexpected ')'; no '(' is open");
    return unexpected_behind(p, "an operator", '*');
}

sal_status sal_expr_compile(sal_pool *pool, const char *text, const sal_resolver *resolver, sal_program *program,
                            sal_expr_error *error)
{
    sal_expr  *e = sal_expr_begin(pool);
    parser     p = { .e = e, .resolver = resolver, .text = text };
    sal_status status;

    *program = (sal_program){ 0 };
    *error   = (sal_expr_error){ 0 };
    if (!e) return SAL_ERR_MEMORY;
    status = sal_expr_finish(e, parse_text(&p), program);
    if (status == SAL_ERR_SCENE) *error = e->error;
    return status;
}
