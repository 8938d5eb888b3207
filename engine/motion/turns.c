/* turns.c - whole turns of bodies: their angles go on through +-pi.
 *
 * The direction of a body is known from its points, its angle only up to whole turns. These are counted: its angle when
 * turns were counted last, and how far its direction has come since. Where the count starts is a matter of choice,
 * phi = atan2(dy, dx) + 2 pi k, and so it is chosen for each body by what reads it. k = 0, in (-pi, pi], unless
 *
 *     a row that holds is open by more than half a turn:   |Phi(k = 0)| > 1/2 |Phi(k = 1) - Phi(k = 0)|
 *     a contact starts that far behind its limit:          -gap(k = 0) > 1/2 |gap(k = 1) - gap(k = 0)|
 *
 * Then k is the one at which the row is least open, and the least at which no contact is behind its limit: a motor
 * that starts at 4.2 rad finds its crank at 4.2 - 2 pi and leaves it where it is. What elements derive from the angles
 * as the scene gives them, such as the phase of gears, counts from there as well. Rows that one body alone can close
 * come before those that several share. */
#include "engine/motion/motion.h"

#include <math.h>

static const double TURN = 6.283185307179586477;

void sal_system_count_turns(sal_system *s, bool start)
{
    const sal_tables *tables = s->model->tables;

    for (int k = 0; k < tables->elements.n; k++) {
        const sal_element *b = &tables->elements.at[k];
        double            *turn;
        if (!b->framed) continue;
        turn               = s->z + b->turn;
        const sal_basis *i = sal_basis_of(tables, b->ends[0]), *j = sal_basis_of(tables, b->ends[1]);
        const double     dx = s->z[j->xi] - s->z[i->xi], dy = s->z[j->yi] - s->z[i->yi], l = sqrt(dx * dx + dy * dy);
        if (l == 0.0) continue; /* points given at one place have no direction yet */
        if (start) turn[0] = atan2(dy, dx);
        else turn[0] += atan2(turn[1] * dy - turn[2] * dx, turn[1] * dx + turn[2] * dy);
        turn[1] = dx / l;
        turn[2] = dy / l;
    }
}

/* -------------------------------------------------------------------------- where the count starts */

typedef struct start {
    sal_system *s;
    double     *angle;  /* [elements] in (-pi, pi] */
    double     *turns;  /* [elements] chosen so far */
    bool       *placed; /* [elements] by a row */
} start;

static const sal_element *body_of(const start *from, int body)
{
    return &from->s->model->tables->elements.at[body];
}

static void count_from(start *from, int body, double turns)
{
    const sal_element *b = body_of(from, body);

    if (turns == from->turns[body]) return;
    from->turns[body]    = turns;
    from->s->z[b->turn]  = from->angle[body] + TURN * turns;
    from->s->z[b->first] = TURN * turns;
    (void)sal_system_refresh(from->s); /* what cannot be is said in the end */
}

static double open_by(const start *from, int row)
{
    return sal_relations_value(&from->s->rows, row, from->s->z);
}

static bool reads(const sal_program *p, sal_slot slot)
{
    for (int i = 0; i < p->nleaf; i++) {
        const sal_node *leaf = &p->node[p->leaf[i]];
        if (leaf->a == SAL_SRC_Z && leaf->b == slot) return true;
    }
    return false;
}

/* How much a whole turn of the body changes Phi of a row given by a formula; 0 unless it counts turns: a quarter of the
 * turn then changes a quarter of that, and sin(angle(B)) does not. */
static double change_by_turn(start *from, int row, int body)
{
    const sal_model   *model = from->s->model;
    const sal_element *b     = body_of(from, body);
    double             turns, before, quarter, whole;

    if (!b->framed || !reads(&model->relation[model->relation_of[row]].phi, b->turn)) return 0.0;
    turns  = from->turns[body];
    before = open_by(from, row);
    count_from(from, body, turns + 0.25);
    quarter = open_by(from, row) - before;
    count_from(from, body, turns + 1.0);
    whole = open_by(from, row) - before;
    count_from(from, body, turns);
    return fabs(whole - 4.0 * quarter) <= 1e-6 * fabs(whole) ? whole : 0.0;
}

/* The bodies that can close a row, of those that no other row has placed; how many, and the last of them. */
static int able_to_close(start *from, int row, int *last)
{
    int able = 0;

    for (int k = 0; k < from->s->model->tables->elements.n; k++) {
        if (from->placed[k] || change_by_turn(from, row, k) == 0.0) continue;
        *last = k;
        able++;
    }
    return able;
}

/* As many whole turns of the body as leave the row least open; none where it is open by less than half of one. */
static void close_row(start *from, int row, int body)
{
    const double open = open_by(from, row), change = change_by_turn(from, row, body);

    if (fabs(open) > (0.5 + 1e-9) * fabs(change)) count_from(from, body, -round(open / change));
    from->placed[body] = true;
}

/* By the rows that hold and that `most` bodies or fewer can close; whether any body was placed. */
static bool place_by_rows(start *from, int most)
{
    const sal_model *model = from->s->model;
    bool             any   = false;

    for (int k = 0; k < model->nrelation; k++) {
        const int row  = model->relation[k].row;
        int       body = -1, able;
        if (!model->relation[k].phi.n || !from->s->mode.held[row]) continue;
        able = able_to_close(from, row, &body);
        if (able == 0 || able > most) continue;
        close_row(from, row, body);
        any = true;
    }
    return any;
}

/* Whether a contact is behind its limit by more than `share` of what a turn of the body changes: its row is -gap. */
static bool behind(start *from, int body, double share)
{
    const sal_model *model = from->s->model;

    for (int row = 0; row < model->m; row++) { /* what can let go: a contact */
        double change;
        if (model->tables->rows.at[row].sharing != SAL_SHARES_NEXT || model->relation_of[row] < 0) continue;
        change = change_by_turn(from, row, body);
        if (change != 0.0 && open_by(from, row) > share * fabs(change)) return true;
    }
    return false;
}

static void place_by_contacts(start *from, int body)
{
    enum { MOST = 4 }; /* whole turns either way */
    static const double hardly = 1e-9;

    if (!behind(from, body, 0.5)) return; /* what touches is a little behind, by rounding */
    for (int k = 2; k <= 2 * MOST + 1 && behind(from, body, hardly); k++)
        count_from(from, body, k % 2 ? -(k / 2) : k / 2);
    if (behind(from, body, hardly)) count_from(from, body, 0.0);
}

sal_status sal_system_start_turns(sal_system *s)
{
    const sal_element *body = s->model->tables->elements.at;
    const int          n    = s->model->tables->elements.n;
    sal_status         status;
    sal_pool           pool;
    start              from;

    for (int k = 0; k < n; k++) {
        if (body[k].framed) s->z[body[k].first] = 0.0;
    }
    if (!s->model->nrelation) return SAL_OK;
    sal_pool_init(&pool, s->model->tables->context);
    from   = (start){ s, SAL_NEW(&pool, double, n), SAL_NEW(&pool, double, n), SAL_NEW(&pool, bool, n) };
    status = pool.failed ? sal_system_fail(s, SAL_ERR_MEMORY, "out of memory") : sal_system_refresh(s);
    if (status == SAL_OK) {
        for (int k = 0; k < n; k++) {
            if (body[k].framed) from.angle[k] = s->z[body[k].turn];
        }
        while (place_by_rows(&from, 1)) continue;
        while (place_by_rows(&from, n)) continue; /* one body of several that could, row by row */
        for (int k = 0; k < n; k++) {
            if (body[k].framed && !from.placed[k]) place_by_contacts(&from, k);
        }
        status = sal_system_refresh(s);
    }
    sal_pool_free(&pool);
    return status;
}
