/* dependence.c - how programs, and the motion as a whole, depend on slots: by value, by conditions alone, or not. */
#include "engine/model/model.h"

/* Of a node whose operands depend on the slots by at most `most`. */
static sal_dependence reading_of(const sal_node *node, const unsigned char *work, sal_dependence most)
{
    const bool decides = node->op == SAL_OP_SIGN || node->op == SAL_OP_STEP || node->op >= SAL_OP_LT;

    if (node->op == SAL_OP_IF) {
        const sal_dependence chosen = (sal_dependence)(work[node->b] > work[node->c] ? work[node->b] : work[node->c]);
        return chosen == SAL_READS_NOT && work[node->a] ? SAL_READS_TO_DECIDE : chosen;
    }
    return decides && most ? SAL_READS_TO_DECIDE : most;
}

sal_dependence sal_program_dependence(const sal_program *p, const unsigned char *level, unsigned char *work)
{
    for (int i = 0; i < p->n; i++) {
        const sal_node *node      = &p->node[i];
        const int       operand[] = { node->a, node->b, node->c };
        unsigned char   most      = SAL_READS_NOT;
        for (int k = 0; k < sal_op_operands(node->op); k++) most = work[operand[k]] > most ? work[operand[k]] : most;
        if (node->op == SAL_OP_LEAF) most = node->a <= SAL_SRC_ZDD ? level[node->b] : SAL_READS_NOT;
        work[i] = (unsigned char)reading_of(node, work, (sal_dependence)most);
    }
    return p->n ? (sal_dependence)work[p->n - 1] : SAL_READS_NOT;
}

/* ---------------------------------------------------------------------------------- of the motion */

typedef struct reader {
    const sal_tables    *tables;
    const unsigned char *level; /* [nz] how slots depend on what is asked for */
    unsigned char       *work;  /* [longest program] */
} reader;

static sal_dependence stronger(sal_dependence a, sal_dependence b)
{
    return a > b ? a : b;
}

static sal_dependence weaker(sal_dependence a, sal_dependence b)
{
    return a < b ? a : b;
}

static sal_dependence of_program(const reader *r, const sal_program *program)
{
    return sal_program_dependence(program, r->level, r->work);
}

static sal_dependence of_slots(const reader *r, const sal_slot *slot, int count)
{
    sal_dependence most = SAL_READS_NOT;

    for (int k = 0; k < count; k++) {
        if (slot[k] >= 0) most = stronger(most, (sal_dependence)r->level[slot[k]]);
    }
    return most;
}

static sal_dependence of_basis(const reader *r, const sal_basis *p)
{
    const sal_slot slot[] = { p->xi, p->yi, p->xj, p->yj, p->alpha, p->beta };

    return of_slots(r, slot, SAL_COUNT(slot));
}

/* Forces and constraints. */
static sal_dependence of_equations(const reader *r)
{
    const sal_tables *t    = r->tables;
    sal_dependence    most = of_slots(r, t->gravity, t->dimension);

    for (int k = 0; k < t->terms.n; k++) {
        const sal_term *x      = &t->terms.at[k];
        const sal_slot  slot[] = { x->s, x->i, x->j, x->k, x->l };
        most                   = stronger(most, of_slots(r, slot, SAL_COUNT(slot)));
    }
    for (int k = 0; k < t->springs.n; k++) {
        const sal_spring *x      = &t->springs.at[k];
        const sal_slot    slot[] = { x->stiffness, x->length, x->damping };
        most                     = stronger(stronger(most, of_slots(r, slot, SAL_COUNT(slot))),
                                            stronger(of_basis(r, &x->p), of_basis(r, &x->q)));
    }
    for (int k = 0; k < t->rows.n; k++) most = stronger(most, of_program(r, &t->rows.at[k].formula));
    for (int k = 0; k < t->efforts.n; k++) {
        most = stronger(most, of_program(r, &t->efforts.at[k].rate));
        most = stronger(most, of_program(r, &t->efforts.at[k].force));
    }
    return most;
}

/* Events and contacts. */
static sal_dependence of_events(const reader *r)
{
    const sal_tables *t    = r->tables;
    sal_dependence    most = SAL_READS_NOT;

    for (int e = 0; e < t->events.n; e++) {
        most = stronger(most, of_program(r, &t->events.at[e].when));
        most = stronger(most, weaker(SAL_READS_TO_DECIDE, of_program(r, &t->events.at[e].guard)));
    }
    for (int k = 0; k < t->setters.n; k++) {
        most = stronger(most, of_program(r, &t->setters.at[k].velocity));
        most = stronger(most, of_program(r, &t->setters.at[k].value));
    }
    for (int k = 0; k < t->touches.n; k++) {
        const sal_touch *x      = &t->touches.at[k];
        const sal_slot   slot[] = { x->restitution, x->rest, x->mu_static, x->mu_kinetic };
        most                    = stronger(most, of_slots(r, slot, SAL_COUNT(slot)));
    }
    return most;
}

sal_dependence sal_tables_dependence(const sal_tables *tables, const unsigned char *level, unsigned char *work)
{
    const reader r = { tables, level, work };

    return stronger(of_equations(&r), of_events(&r));
}
