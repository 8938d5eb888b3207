/* expr.h - the expression language: text -> flat program -> value and exact derivatives.
 *
 * A program is a list of nodes in evaluation order: node i reads only nodes before it, the last one is the
 * result. Leaves read the caller's arrays, source[kind][slot]. Evaluating allocates nothing.
 *
 *   value        one forward sweep; between what is tried and its root, as many as it takes
 *   gradient     the value, then one reverse sweep: d(result)/d(leaf) for every leaf at once
 *   derivative   a program of its own, for given derivatives of the leaves; it has values, a gradient, a derivative
 *
 * What a name means is not known here: a resolver turns identifiers and quantities, x(P), into nodes. */
#ifndef SAL_EXPR_H
#define SAL_EXPR_H

#include "engine/base/base.h"

enum {                             /* bounds on what is accepted */
       SAL_EXPR_MAX_LENGTH = 4096, /* bytes of text */
       SAL_EXPR_MAX_DEPTH  = 100,  /* nested parentheses, calls, signs and powers */
       SAL_EXPR_MAX_NODES  = 20000,
       SAL_EXPR_MAX_ARGS   = 4,  /* arguments of a quantity */
       SAL_NAME_MAX        = 63, /* bytes of a name */
       SAL_NAME_PARTS      = 3   /* of an argument, "floor.P.n" */
};

/* Where a leaf reads. The engine's vectors; see model.h for z. */
typedef enum sal_source {
    SAL_SRC_Z,        /* z: coordinates, values, time functions */
    SAL_SRC_ZD,       /* dz/dt */
    SAL_SRC_ZDD,      /* d2z/dt2 */
    SAL_SRC_LAMBDA,   /* multipliers */
    SAL_SRC_ENERGY,   /* one number: the total energy */
    SAL_SRC_VARIABLE, /* one number: the variable of a function that stands alone, in drawings */
    SAL_SRC_LATER,    /* nothing yet: what a scene names before it is there; none is left once it is loaded */
    SAL_SRC_COUNT
} sal_source;

typedef enum sal_op {
    SAL_OP_CONST, /* k */
    SAL_OP_LEAF,  /* source[a][b] */
    SAL_OP_NEG,
    SAL_OP_ADD,
    SAL_OP_SUB,
    SAL_OP_MUL,
    SAL_OP_DIV,
    SAL_OP_POW,
    SAL_OP_SQRT,
    SAL_OP_ABS,
    SAL_OP_SIN,
    SAL_OP_COS,
    SAL_OP_TAN,
    SAL_OP_ASIN,
    SAL_OP_ACOS,
    SAL_OP_ATAN,
    SAL_OP_ATAN2,
    SAL_OP_SINH,
    SAL_OP_COSH,
    SAL_OP_TANH,
    SAL_OP_EXP,
    SAL_OP_LOG,
    SAL_OP_MIN,
    SAL_OP_MAX,
    SAL_OP_TRY,  /* a place between a and b, a <= b, that is tried: see sal_expr_root */
    SAL_OP_ROOT, /* b is tried again until a, which depends on it, is 0 there; then b */
    SAL_OP_SIGN,
    SAL_OP_STEP,
    SAL_OP_IF, /* a != 0 ? b : c */
    SAL_OP_LT,
    SAL_OP_LE,
    SAL_OP_GT,
    SAL_OP_GE,
    SAL_OP_EQ,
    SAL_OP_NE,
    SAL_OP_AND,
    SAL_OP_OR,
    SAL_OP_NOT,
    SAL_OP_COUNT
} sal_op;

int sal_op_operands(int op); /* how many of a, b, c are nodes */

typedef struct sal_node {
    int    op;      /* sal_op */
    int    a, b, c; /* operands: nodes; of a leaf: source and slot */
    double k;       /* of a constant; of what is tried: which root that is for */
} sal_node;

typedef struct sal_program {
    const sal_node *node;
    int             n;    /* nodes; the result is node n-1 */
    const int      *leaf; /* the distinct leaves, as nodes */
    int             nleaf;
    unsigned        reads; /* bit (1u << sal_source) for each source read */
} sal_program;

/* ------------------------------------------------------------------------------------- building */

typedef struct sal_expr sal_expr; /* a program under construction */

typedef struct sal_expr_error {
    int  column; /* 1-based byte in the text */
    char text[256];
} sal_expr_error;

/* An argument of a quantity: a name as written, "P2" or "pin.x", and its column. */
typedef struct sal_expr_arg {
    char name[SAL_NAME_PARTS * (SAL_NAME_MAX + 1)];
    int  column;
} sal_expr_arg;

/* Both give a node, or -1 after sal_expr_fail; -1 alone says that the name is not known, and the error is
 * reported, with a suggestion, by the compiler. Either may be NULL: nothing is known. name(): an identifier
 * that is neither a function nor a constant of the language. call(): an identifier followed by parentheses
 * that is not a function of the language; its arguments are names, not expressions. */
typedef struct sal_resolver {
    void *self;
    int (*name)(void *self, sal_expr *e, const char *name, int column);
    int (*call)(void *self, sal_expr *e, const char *name, int column, const sal_expr_arg *arg, int nargs);
    void (*known)(void *self, const char *const **names,
                  int *count); /* names() and calls, for suggestions; may be NULL */
} sal_resolver;

/* Compiles `text` into `program`, whose memory is the pool's. SAL_OK, SAL_ERR_SCENE with `error` filled, or
 * SAL_ERR_MEMORY. resolver may be NULL: constants and functions only. */
sal_status sal_expr_compile(sal_pool *pool, const char *text, const sal_resolver *resolver, sal_program *program,
                            sal_expr_error *error);

/* For resolvers. Each gives the index of the node (equal nodes are shared, constants are folded), -1 on failure or when
 * an operand is -1. */
int            sal_expr_const(sal_expr *e, double k);
int            sal_expr_leaf(sal_expr *e, sal_source source, int slot);
int            sal_expr_op(sal_expr *e, sal_op op, int a, int b, int c); /* unused operands: ignored */
int            sal_expr_fail(sal_expr *e, int column, const char *format, ...) SAL_PRINTF(3, 4); /* -1 */
sal_expr_error sal_expr_error_of(const sal_expr *e); /* the error that sal_expr_fail was told */
/* A node of another program, its operands being index[s.a] and so on here. */
int sal_expr_copy(sal_expr *e, sal_node s, const int *index);
/* The result of a whole program, with a node in the place of its leaf source[slot]: a function as part of another
 * expression. The program may be a derivative with respect to that leaf: it remains one, whatever is put in. */
int sal_expr_insert(sal_expr *e, const sal_program *p, sal_source source, int slot, int node);

/* The place x between the nodes low and high where `p`, a program with x as the leaf source[slot], rises through 0: it
 * is <= 0 at low and >= 0 at high. It is found by trying, which has no derivative; x has the first three derivatives of
 * the root by two steps of Newton's method from there, each of which doubles the orders that are right. NaN where p
 * is seen not to rise all the way. `p` has no roots in it. */
int sal_expr_root(sal_expr *e, const sal_program *p, sal_source source, int slot, int low, int high);

/* A program from nodes rather than from text: begin, build with the calls above, finish with the result. */
sal_expr  *sal_expr_begin(sal_pool *pool);                                 /* NULL when out of memory */
sal_status sal_expr_finish(sal_expr *e, int result, sal_program *program); /* drops nodes that do not matter */

/* True when the text can stand where a name stands: a letter, _ or byte >= 0x80, then these or digits, no control
 * characters; not and, or, not. A variable's name must not be reserved either: no function, constant or t. */
bool sal_expr_valid_name(const char *text);
bool sal_expr_reserved(const char *text);

/* ----------------------------------------------------------------------------------- evaluating */

/* value[n] is filled; the result is returned (and is value[n-1]). May be infinite or NaN: the caller checks. */
double sal_program_value(const sal_program *p, const double *const source[SAL_SRC_COUNT], double *value);

/* After sal_program_value: adjoint[n] is filled; adjoint[p->leaf[k]] is d(result)/d(leaf k). Kinks (abs, min,
 * max, sign, step, if, comparisons) have the derivative of the branch that the value took. */
void sal_program_gradient(const sal_program *p, const double *value, double *adjoint);

/* ------------------------------------------------------------------------------- differentiating */

/* The derivative of a leaf: nothing, 1, or another leaf. */
typedef struct sal_leaf_derivative {
    enum { SAL_LEAF_ZERO, SAL_LEAF_ONE, SAL_LEAF_READ } kind;
    sal_source source; /* of SAL_LEAF_READ */
    int        slot;
} sal_leaf_derivative;

typedef sal_leaf_derivative (*sal_leaf_rule)(const void *self, sal_source source, int slot);

/* The derivative of `p`, its leaves having the derivatives that the rule says, as a program in the pool; `out` may be
 * `p`. Kinks are as in the gradient, and what is constant in the branch taken adds nothing, however steep the functions
 * of it are. SAL_OK, SAL_ERR_SCENE (more than SAL_EXPR_MAX_NODES), SAL_ERR_MEMORY; `out` is empty unless SAL_OK. */
sal_status sal_program_differentiate(sal_pool *pool, const sal_program *p, sal_leaf_rule rule, const void *self,
                                     sal_program *out);

#endif
