/* sides.c - where programs switch: arguments of conditions, kinks and jumps, and the side of zero that each is on.
 *
 * A force like F*step(t - 1), k*max(0, x(P)) or if(x(P) < a, f, g) is smooth but where an argument u crosses zero. Such
 * programs are rewritten to read the side s of the argument, a slot of z that is -1, 0 or 1 and is constant in between:
 *
 *     abs(u) = s u     sign(u) = s     step(u) = s >= 0     a < b: s < 0 with u = a - b     min(a, b) = s <= 0 ? a : b
 *
 * What is left is smooth as long as nobody changes s, even a little beyond u = 0: an integrator sees no kink, and each
 * u is the function of an event, at which s changes. Those events are the engine's own: they come behind the scene's.
 *
 * Only arguments that follow from the motion or from t have sides; of what events alone change the value does. Equality
 * has none: it holds for an instant. Constraints and gaps have them for arguments that follow from t alone: what is
 * prescribed may have a kink there, which is an impact, but no step. What decides by places there must be smooth
 * (run/kinks.c). Programs that decide nothing about the motion (outputs, energies) stay as they are, as do functions
 * of other events. */
#include "engine/model/model.h"

#include <string.h>

/* Whether a leaf changes in between events, and whether by t alone. */
static bool leaf_moves(const sal_tables *t, const sal_node *leaf)
{
    if (leaf->a != SAL_SRC_Z) return true;
    return leaf->b < t->n || t->timed.at[leaf->b];
}

static bool leaf_is_timed(const sal_tables *t, const sal_node *leaf)
{
    return leaf->b >= t->n && t->timed.at[leaf->b] && (leaf->a == SAL_SRC_Z || leaf->a == SAL_SRC_ZD);
}

static bool same_program(const sal_program *p, const sal_program *q)
{
    if (p->n != q->n) return false;
    for (int k = 0; k < p->n; k++) {
        const sal_node *a = &p->node[k], *b = &q->node[k];
        if (a->op != b->op || a->a != b->a || a->b != b->b || a->c != b->c || memcmp(&a->k, &b->k, sizeof a->k) != 0)
            return false;
    }
    return true;
}

typedef struct rewriter {
    sal_tables *tables;
    sal_expr   *e;    /* what is being made */
    const char *name; /* of what it is for */
} rewriter;

/* The leaf with the side of a node; -1: out of memory. */
static int side_of(rewriter *r, int node, bool jumps)
{
    sal_tables *t = r->tables;
    sal_program when;
    sal_event  *event;
    sal_side   *side;

    if (sal_expr_finish(r->e, node, &when) != SAL_OK) return -1;
    for (int k = 0; k < t->sides.n; k++) {
        if (!same_program(&t->events.at[t->sides.at[k].event].when, &when)) continue;
        t->sides.at[k].jumps = t->sides.at[k].jumps || jumps;
        return sal_expr_leaf(r->e, SAL_SRC_Z, t->sides.at[k].slot);
    }
    event = SAL_PUSH(&t->pool, &t->events);
    side  = SAL_PUSH(&t->pool, &t->sides);
    if (!event || !side || !SAL_PUSH(&t->pool, &t->timed) || !SAL_PUSH(&t->pool, &t->kept)) return -1;
    *side  = (sal_side){ .slot = t->timed.n - 1, .event = t->events.n - 1, .jumps = jumps };
    *event = (sal_event){ .name      = r->name,
                          .element   = -1,
                          .direction = SAL_BOTH,
                          .when      = when,
                          .set       = t->setters.n,
                          .touch     = -1,
                          .side      = t->sides.n };
    return sal_expr_leaf(r->e, SAL_SRC_Z, side->slot);
}

static bool is_zero(const sal_program *p, int node)
{
    return p->node[node].op == SAL_OP_CONST && p->node[node].k == 0.0;
}

/* The node that takes the place of node s, which switches; a, b: its operands as they are by now. */
static int switched(rewriter *r, const sal_program *p, const sal_node *s, int a, int b)
{
    sal_expr  *e    = r->e;
    const bool one  = s->op == SAL_OP_ABS || s->op == SAL_OP_SIGN || s->op == SAL_OP_STEP;
    const int  u    = one || is_zero(p, s->b) ? a : sal_expr_op(e, SAL_OP_SUB, a, b, 0);
    const int  side = side_of(r, u, s->op != SAL_OP_ABS && s->op != SAL_OP_MIN && s->op != SAL_OP_MAX);
    const int  zero = sal_expr_const(e, 0.0);

    switch (s->op) {
    case SAL_OP_ABS: return sal_expr_op(e, SAL_OP_MUL, side, a, 0);
    case SAL_OP_SIGN: return side;
    case SAL_OP_STEP: return sal_expr_op(e, SAL_OP_GE, side, zero, 0);
    case SAL_OP_MIN: return sal_expr_op(e, SAL_OP_IF, sal_expr_op(e, SAL_OP_LE, side, zero, 0), a, b);
    case SAL_OP_MAX: return sal_expr_op(e, SAL_OP_IF, sal_expr_op(e, SAL_OP_GE, side, zero, 0), a, b);
    default: return sal_expr_op(e, (sal_op)s->op, side, zero, 0);
    }
}

static bool switches(int op)
{
    return op == SAL_OP_ABS || op == SAL_OP_SIGN || op == SAL_OP_STEP || op == SAL_OP_MIN || op == SAL_OP_MAX ||
           (op >= SAL_OP_LT && op <= SAL_OP_GE);
}

/* Whether node k depends on t. */
static bool reads_time(const sal_tables *t, const sal_program *p, int k)
{
    const sal_node *s         = &p->node[k];
    const int       operand[] = { s->a, s->b, s->c };

    if (s->op == SAL_OP_LEAF) return leaf_is_timed(t, s);
    for (int i = 0; i < sal_op_operands(s->op); i++) {
        if (reads_time(t, p, operand[i])) return true;
    }
    return false;
}

/* Whether each node changes in between events and, with `timed`, by t alone; whether one that does switches. */
static bool find_moving(const sal_tables *t, const sal_program *p, bool timed, bool *moves)
{
    bool any = false;

    for (int k = 0; k < p->n; k++) { /* whether it moves, by anything */
        const sal_node *s         = &p->node[k];
        const int       operand[] = { s->a, s->b, s->c };
        moves[k]                  = s->op == SAL_OP_LEAF && leaf_moves(t, s) && !(timed && leaf_is_timed(t, s));
        for (int i = 0; i < sal_op_operands(s->op); i++) moves[k] = moves[k] || moves[operand[i]];
    }
    for (int k = p->n - 1; k >= 0 && timed; k--) { /* by t, and not by anything else: what is not marked, and reads t */
        moves[k] = !moves[k] && reads_time(t, p, k);
    }
    for (int k = 0; k < p->n; k++) any = any || (moves[k] && switches(p->node[k].op));
    return any;
}

/* Rewrites a program to read sides, if it switches; with `timed` by t alone. */
static void rewrite_some(sal_tables *t, sal_program *p, const char *name, bool timed)
{
    rewriter    r     = { .tables = t, .name = name };
    bool       *moves = p->n ? SAL_NEW(&t->pool, bool, p->n) : NULL;
    int        *index;
    sal_program out;

    if (!moves || !find_moving(t, p, timed, moves)) return;
    index = SAL_NEW(&t->pool, int, p->n);
    r.e   = sal_expr_begin(&t->pool);
    if (!index || !r.e) return;
    for (int k = 0; k < p->n; k++) {
        const sal_node *s = &p->node[k];
        if (moves[k] && switches(s->op))
            index[k] = switched(&r, p, s, index[s->a], sal_op_operands(s->op) > 1 ? index[s->b] : 0);
        else index[k] = sal_expr_copy(r.e, *s, index);
    }
    if (sal_expr_finish(r.e, index[p->n - 1], &out) == SAL_OK) *p = out;
}

static void rewrite(sal_tables *t, sal_program *p, const char *name)
{
    rewrite_some(t, p, name, false);
}

/* The end of each piece of a vector, t - end. */
static void end_pieces(sal_tables *t)
{
    for (int k = 0; k < t->vectors.n; k++) {
        const sal_vector *v = &t->vectors.at[k];
        rewriter          r = { .tables = t, .e = sal_expr_begin(&t->pool), .name = v->name };
        int               end;
        if (!r.e) return;
        end = sal_expr_op(r.e, SAL_OP_SUB, sal_expr_leaf(r.e, SAL_SRC_Z, t->time),
                          sal_expr_leaf(r.e, SAL_SRC_Z, v->window + SAL_PIECE_END), 0);
        if (side_of(&r, end, v->kind == SAL_KNOTS_STEPS) < 0) return;
        t->sides.at[t->sides.n - 1].vector = k + 1;
    }
}

void sal_tables_find_sides(sal_tables *t)
{
    t->shown_events = t->events.n;
    for (int k = 0; k < t->rows.n; k++) rewrite_some(t, &t->rows.at[k].formula, t->rows.at[k].name, true);
    for (int e = 0; e < t->shown_events; e++) {
        sal_program when = t->events.at[e].when; /* the list may move while it grows */
        if (!t->events.at[e].gap) continue;
        rewrite_some(t, &when, t->events.at[e].name, true);
        t->events.at[e].when = when;
    }
    for (int k = 0; k < t->values.n; k++) {
        if (t->values.at[k].timed) rewrite(t, &t->values.at[k].program, t->values.at[k].place.path);
    }
    for (int k = 0; k < t->efforts.n; k++) {
        const char *name = t->efforts.at[k].element >= 0 ? t->elements.at[t->efforts.at[k].element].name : "a force";
        rewrite(t, &t->efforts.at[k].rate, name);
        rewrite(t, &t->efforts.at[k].force, name);
    }
    for (int k = 0; k < t->costs.n; k++) rewrite(t, &t->costs.at[k].running, t->costs.at[k].name);
    end_pieces(t);
}
