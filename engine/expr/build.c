/* build.c - programs from nodes.
 *
 * Equal nodes are one node, found by hashing. An operation on constants is replaced by its value, computed by the same
 * code that evaluates programs, unless that is not finite: then evaluating shall show it. Nothing else is simplified;
 * x*0 is not 0 for every x. The first error is the one reported; after it every call gives -1. A finished program has
 * the nodes that its result depends on, in order. */
#include "engine/expr/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const unsigned char operands_of[SAL_OP_COUNT] = {
    [SAL_OP_NEG] = 1,  [SAL_OP_ADD] = 2,  [SAL_OP_SUB] = 2,  [SAL_OP_MUL] = 2,  [SAL_OP_DIV] = 2,   [SAL_OP_POW] = 2,
    [SAL_OP_SQRT] = 1, [SAL_OP_ABS] = 1,  [SAL_OP_SIN] = 1,  [SAL_OP_COS] = 1,  [SAL_OP_TAN] = 1,   [SAL_OP_ASIN] = 1,
    [SAL_OP_ACOS] = 1, [SAL_OP_ATAN] = 1, [SAL_OP_SINH] = 1, [SAL_OP_COSH] = 1, [SAL_OP_ATAN2] = 2, [SAL_OP_TANH] = 1,
    [SAL_OP_EXP] = 1,  [SAL_OP_LOG] = 1,  [SAL_OP_MIN] = 2,  [SAL_OP_MAX] = 2,  [SAL_OP_SIGN] = 1,  [SAL_OP_STEP] = 1,
    [SAL_OP_IF] = 3,   [SAL_OP_LT] = 2,   [SAL_OP_LE] = 2,   [SAL_OP_GT] = 2,   [SAL_OP_GE] = 2,    [SAL_OP_EQ] = 2,
    [SAL_OP_NE] = 2,   [SAL_OP_AND] = 2,  [SAL_OP_OR] = 2,   [SAL_OP_NOT] = 1,  [SAL_OP_TRY] = 2,   [SAL_OP_ROOT] = 2,
};

int sal_op_operands(int op)
{
    return operands_of[op];
}

sal_expr *sal_expr_begin(sal_pool *pool)
{
    sal_expr *e = SAL_NEW(pool, sal_expr, 1);

    if (!e) return NULL;
    e->pool   = pool;
    e->column = 1;
    return e;
}

int sal_expr_fail(sal_expr *e, int column, const char *format, ...)
{
    char   *text = e->error.text;
    size_t  size = sizeof e->error.text;
    va_list args;
    int     n;

    if (e->failed) return -1;
    e->failed       = true;
    e->error.column = column;
    va_start(args, format);
    n = vsnprintf(text, size, format, args);
    va_end(args);
    if (n >= (int)size) { /* cut: not inside a character of several bytes */
        size_t end = size - 1;
        while (end > 0 && ((unsigned char)text[end - 1] & 0xC0) == 0x80) end--;
        if (end > 0 && (unsigned char)text[end - 1] >= 0xC0) end--;
        text[end] = '\0';
    }
    return -1;
}

sal_expr_error sal_expr_error_of(const sal_expr *e)
{
    return e->error;
}

static uint64_t hash_node(const sal_node *s)
{
    const uint64_t prime = 0x9E3779B97F4A7C15u;
    uint64_t       bits, h = (uint64_t)s->op;

    memcpy(&bits, &s->k, sizeof bits);
    h = (h ^ (uint64_t)s->a) * prime;
    h = (h ^ (h >> 32) ^ (uint64_t)s->b) * prime;
    h = (h ^ (h >> 32) ^ (uint64_t)s->c) * prime;
    h = (h ^ (h >> 32) ^ bits) * prime;
    return h ^ (h >> 32);
}

/* By bits, so that 0 and -0 remain two constants. */
static bool same_node(const sal_node *s, const sal_node *r)
{
    return s->op == r->op && s->a == r->a && s->b == r->b && s->c == r->c && memcmp(&s->k, &r->k, sizeof s->k) == 0;
}

/* The place of an equal node in the table, or the free place where it belongs. */
static unsigned find_place(const sal_expr *e, const sal_node *s)
{
    unsigned mask = e->ntable - 1, place = (unsigned)hash_node(s) & mask;

    while (e->table[place] && !same_node(s, &e->node.at[e->table[place] - 1])) place = (place + 1) & mask;
    return place;
}

/* Keeps the table at most half full. */
static bool grow_table(sal_expr *e)
{
    unsigned larger = e->ntable ? 2 * e->ntable : 32;
    int     *table;

    if (2u * ((unsigned)e->node.n + 1) <= e->ntable) return true;
    table = SAL_NEW(e->pool, int, larger);
    if (!table) return false;
    e->table  = table;
    e->ntable = larger;
    for (int i = 0; i < e->node.n; i++) table[find_place(e, &e->node.at[i])] = i + 1;
    return true;
}

/* The index of the node equal to s, which is added when there is none. */
static int intern(sal_expr *e, sal_node s)
{
    unsigned  place;
    sal_node *added;

    if (e->failed || !grow_table(e)) return -1;
    place = find_place(e, &s);
    if (e->table[place]) return e->table[place] - 1;
    if (e->node.n == SAL_EXPR_MAX_NODES)
        return sal_expr_fail(e, e->column, "more than %d operations", SAL_EXPR_MAX_NODES);
    added = SAL_PUSH(e->pool, &e->node);
    if (!added) return -1;
    *added          = s;
    e->table[place] = e->node.n;
    return e->node.n - 1;
}

int sal_expr_const(sal_expr *e, double k)
{
    return intern(e, (sal_node){ .op = SAL_OP_CONST, .k = k });
}

int sal_expr_leaf(sal_expr *e, sal_source source, int slot)
{
    return intern(e, (sal_node){ .op = SAL_OP_LEAF, .a = (int)source, .b = slot });
}

/* The value of op on constants, by running it as a program; false when an operand is not constant or the value is
 * not finite. */
static bool fold(const sal_expr *e, sal_op op, const int operand[3], int n, double *k)
{
    static const double *const no_source[SAL_SRC_COUNT];

    sal_node    node[4] = { { .op = SAL_OP_CONST }, { .op = SAL_OP_CONST }, { .op = SAL_OP_CONST } };
    sal_program program = { .node = node, .n = 4 };
    double      value[4];

    for (int i = 0; i < n; i++) {
        if (e->node.at[operand[i]].op != SAL_OP_CONST) return false;
        node[i] = e->node.at[operand[i]];
    }
    node[3] = (sal_node){ .op = (int)op, .a = 0, .b = 1, .c = 2 };
    *k      = sal_program_value(&program, no_source, value);
    return isfinite(*k);
}

int sal_expr_op(sal_expr *e, sal_op op, int a, int b, int c)
{
    int    operand[3] = { a, b, c };
    int    n          = operands_of[op];
    double k;

    for (int i = 0; i < 3; i++) {
        if (i >= n) operand[i] = 0;
        else if (operand[i] < 0) return -1;
    }
    if (e->failed) return -1;
    if (fold(e, op, operand, n, &k)) return sal_expr_const(e, k);
    return intern(e, (sal_node){ .op = (int)op, .a = operand[0], .b = operand[1], .c = operand[2] });
}

/* Marks with 1 what `result` depends on; gives the number of nodes, and of leaves among them. */
static int mark(const sal_expr *e, int result, int *keep, int *nleaf)
{
    int n = 0;

    keep[result] = 1;
    for (int i = result; i >= 0; i--) {
        const sal_node *s    = &e->node.at[i];
        int             nops = operands_of[s->op];

        if (!keep[i]) continue;
        n++;
        *nleaf += s->op == SAL_OP_LEAF;
        if (nops > 0) keep[s->a] = 1;
        if (nops > 1) keep[s->b] = 1;
        if (nops > 2) keep[s->c] = 1;
    }
    return n;
}

static sal_node renumbered(sal_node s, const int *index)
{
    int nops = operands_of[s.op];

    if (nops > 0) s.a = index[s.a];
    if (nops > 1) s.b = index[s.b];
    if (nops > 2) s.c = index[s.c];
    return s;
}

int sal_expr_copy(sal_expr *e, sal_node s, const int *index)
{
    s = renumbered(s, index);
    if (s.op == SAL_OP_TRY || s.op == SAL_OP_ROOT) return s.a < 0 || s.b < 0 ? -1 : intern(e, s);
    return operands_of[s.op] ? sal_expr_op(e, (sal_op)s.op, s.a, s.b, s.c) : intern(e, s);
}

int sal_expr_insert(sal_expr *e, const sal_program *p, sal_source source, int slot, int node)
{
    int *index = SAL_NEW(e->pool, int, p->n);

    for (int i = 0; i < p->n && index; i++) {
        const sal_node *s    = &p->node[i];
        const bool      here = s->op == SAL_OP_LEAF && s->a == (int)source && s->b == slot;

        index[i] = here ? node : sal_expr_copy(e, *s, index);
    }
    return index ? index[p->n - 1] : -1;
}

/* Roots of different programs between the same ends are tried for by themselves: what tells them apart. */
static double name_of(const sal_program *p)
{
    uint64_t h = 0;

    for (int i = 0; i < p->n; i++) h = (h ^ hash_node(&p->node[i])) * 0x9E3779B97F4A7C15u;
    return (double)(h >> 11);
}

static sal_leaf_derivative by_itself(const void *self, sal_source source, int slot)
{
    const sal_node *x = self;

    return (sal_leaf_derivative){ .kind = (int)source == x->a && slot == x->b ? SAL_LEAF_ONE : SAL_LEAF_ZERO };
}

int sal_expr_root(sal_expr *e, const sal_program *p, sal_source source, int slot, int low, int high)
{
    const sal_node leaf = { .op = SAL_OP_LEAF, .a = (int)source, .b = slot };
    sal_program    rise;
    sal_status     status = sal_program_differentiate(e->pool, p, by_itself, &leaf, &rise);
    int            x, f;

    if (status == SAL_ERR_SCENE) return sal_expr_fail(e, e->column, "the derivative of what is to be 0 is too large");
    if (status != SAL_OK || low < 0 || high < 0) return -1;
    x = intern(e, (sal_node){ .op = SAL_OP_TRY, .a = low, .b = high, .k = name_of(p) });
    f = sal_expr_insert(e, p, source, slot, x);
    if (x < 0 || f < 0) return -1;
    x = intern(e, (sal_node){ .op = SAL_OP_ROOT, .a = f, .b = x });
    for (int k = 0; k < 2; k++) {
        const int root = sal_expr_op(e, SAL_OP_SQRT, sal_expr_insert(e, &rise, source, slot, x), 0, 0);
        f              = sal_expr_insert(e, p, source, slot, x); /* over the root twice: NaN where it falls */
        f              = sal_expr_op(e, SAL_OP_DIV, sal_expr_op(e, SAL_OP_DIV, f, root, 0), root, 0);
        x              = sal_expr_op(e, SAL_OP_SUB, x, f, 0);
    }
    return x;
}

sal_status sal_expr_finish(sal_expr *e, int result, sal_program *program)
{
    int      *index, *leaf, n, nleaf = 0;
    sal_node *node;

    *program = (sal_program){ 0 };
    if (e->failed) return SAL_ERR_SCENE;
    if (result < 0) return e->pool->failed ? SAL_ERR_MEMORY : SAL_ERR_SCENE;
    index = SAL_NEW(e->pool, int, result + 1);
    if (!index) return SAL_ERR_MEMORY;
    n    = mark(e, result, index, &nleaf);
    node = SAL_NEW(e->pool, sal_node, n);
    leaf = SAL_NEW(e->pool, int, nleaf);
    if (!node || !leaf) return SAL_ERR_MEMORY;

    *program = (sal_program){ .node = node, .leaf = leaf };
    for (int i = 0; i <= result; i++) {
        if (!index[i]) continue;
        index[i]       = program->n++;
        node[index[i]] = renumbered(e->node.at[i], index);
        if (node[index[i]].op != SAL_OP_LEAF) continue;
        leaf[program->nleaf++] = index[i];
        program->reads |= 1u << node[index[i]].a;
    }
    return SAL_OK;
}
