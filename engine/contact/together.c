/* together.c - whether contacts of a group, and those that lean, go on holding without a row of their own.
 *
 * Stuck contacts whose tangents move alike share one row (contact.h). The feet of one body do so as long as they stand;
 * the joints of a chain that lies flat do so now, and no more when one between them has left the ground. At the state
 * the two cannot be told apart. So the mechanism is put a little further, along a motion d that what holds allows,
 *
 *     K [d; .] = [r; 0],  r of any direction,     q <- q + d,  Phi(q) = 0
 *
 * and there the row T of a member must still be held by the others: K^T [x; .] = [T^T; 0], x = 0. K^T, as a row is
 * held by rows and not by what acts along them. Nor may it matter for the normal forces who of them has the friction:
 * it is in proportion to these. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "engine/base/tolerance.h"
#include "engine/base/vector.h"
#include "engine/contact/contact.h"

/* A direction that nothing in a mechanism has: numbers between -1 and 1, always the same. */
static void fill_any(const sal_system *s, double *r)
{
    uint64_t state = 1;

    memset(r, 0, sizeof *r * (size_t)(s->model->n + s->model->m));
    for (int k = 0; k < s->model->n; k++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        r[k]  = ((double)(state >> 11) / 4503599627370496.0 - 1.0) / s->motion.scale[k]; /* scale: M_kk^-1/2 */
    }
}

/* Moves on; false: nothing can move, or no place was found. */
static bool go_further(sal_system *s, double t, const double *v)
{
    const int n    = s->model->n;
    double    free = 0.0, most;

    fill_any(s, s->rhs);
    sal_system_solve(s, s->rhs, 1);
    for (int k = 0; k < n; k++) free = fmax(free, fabs(s->rhs[k]) / s->motion.scale[k]); /* 1 where nothing holds */
    if (!(free > SAL_TOGETHER)) return false;
    most = sal_largest(s->rhs, n);
    for (int k = 0; k < n; k++) s->z[k] += SAL_FURTHER * s->length / most * s->rhs[k];
    sal_system_move(s, t, NULL, v);
    return sal_system_project(s, NULL) == SAL_OK && sal_system_accelerate(s) == SAL_OK;
}

bool sal_contacts_row_held(const sal_contacts *c, sal_system *s, int r)
{
    const sal_model *model = s->model;
    double           size = 0.0, left = 0.0;

    memset(s->rhs, 0, sizeof *s->rhs * (size_t)(model->n + model->m));
    for (int k = model->jp[r]; k < model->jp[r + 1]; k++) {
        s->rhs[model->jc[k]] = c->entry[k];
        size                 = fmax(size, fabs(c->entry[k] * s->motion.scale[model->jc[k]]));
    }
    sal_system_solve_transposed(s, s->rhs, 1);
    for (int k = 0; k < model->n; k++) left = fmax(left, fabs(s->rhs[k]) / s->motion.scale[k]);
    return left <= SAL_TOGETHER * size;
}

/* Whether friction passes from the leader of a group to the member of portion k without a change of the normal forces
 * that it is shared by, K [0; delta] = [s T^T - T_1^T; 0]: what holds inside takes it up. */
static bool shares_freely(const sal_contacts *c, sal_system *s, const sal_portion *p)
{
    const sal_model *model = s->model;
    const int        n     = model->n;
    const double    *scale = s->motion.scale + n;
    bool             free  = true;

    memset(s->rhs, 0, sizeof *s->rhs * (size_t)(n + model->m));
    for (int k = model->jp[p->row]; k < model->jp[p->row + 1]; k++) s->rhs[model->jc[k]] += p->sign * c->entry[k];
    for (int k = model->jp[p->leader]; k < model->jp[p->leader + 1]; k++) s->rhs[model->jc[k]] -= c->entry[k];
    sal_system_solve(s, s->rhs, 1);
    for (int k = 0; k < s->mode.portions; k++) {
        const sal_portion *other = &s->mode.portion[k];
        if (other->leader != p->leader) continue;
        free = free && fabs(s->rhs[n + other->partner]) * scale[p->row] <= SAL_TOGETHER * scale[other->partner];
    }
    return free;
}

bool sal_contacts_stay_together(sal_contacts *c, sal_system *s)
{
    const sal_rows all  = { s->model, &s->every, s->value, s->first, s->rows.direction };
    const int      n    = s->model->n;
    const double   t    = s->z[s->model->tables->time];
    const size_t   mark = sal_arena_mark(&s->arena);
    double        *q = sal_arena_take(&s->arena, n), *v = sal_arena_take(&s->arena, n);
    bool           together = true;
    int            next = 0, leader = -1;

    for (int k = 0; k < sal_touch_count(s); k++) next = next < c->touching[k].apart ? c->touching[k].apart : next;
    memcpy(q, s->z, sizeof *q * (size_t)n);
    memcpy(v, s->zd, sizeof *v * (size_t)n);
    if (go_further(s, t, v)) {
        sal_rows_jacobian(&all, s->z, c->entry);
        for (int k = 0; k < s->mode.portions; k++) {
            const sal_portion *p = &s->mode.portion[k];
            if (p->row == p->leader || (sal_contacts_row_held(c, s, p->row) && shares_freely(c, s, p))) continue;
            if (p->leader != leader) next++;
            leader                               = p->leader;
            c->touching[c->of_row[p->row]].apart = next;
            together                             = false;
        }
    }
    sal_system_move(s, t, q, v);
    sal_rows_jacobian(&all, s->z, c->entry);
    sal_arena_release(&s->arena, mark);
    return together;
}
