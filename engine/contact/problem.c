/* problem.c - the contact problem (coulomb.h) of a mechanism: W and b, and what comes of the answer.
 *
 * With all contacts open but for those that are kept, K factored once, column j of W is the motion that a force of 1
 * along G_j = -Phi_q,j makes:
 *
 *     K [x_j; .] = [G_j^T; 0],     W_ij = G_i x_j
 *
 * In penalty form a row that holds gives way as well: W_jj + 1/alpha. Motions are measured by the sum of their parts,
 * sum |G_ik| |motion of coordinate k|. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/base/tolerance.h"
#include "engine/base/vector.h"
#include "engine/contact/contact.h"

static sal_status make_problem(sal_contacts *c, int room)
{
    sal_pool_free(&c->pool);
    c->list = SAL_NEW(&c->pool, int, room);
    return sal_coulomb_init(&c->problem, &c->pool, room);
}

sal_status sal_contacts_init(sal_contacts *c, const sal_model *model, sal_pool *pool, int p)
{
    enum { ROOM = 4 }; /* contacts at once, at first */
    const sal_tables *tables    = model->tables;
    sal_phase *const  phases[2] = { &c->compression, &c->expansion };
    const size_t      n = (size_t)model->n, m = (size_t)model->m, columns = (size_t)p;

    sal_mode_init(&c->mode, pool, model->m, model->m);
    sal_mode_init(&c->before_calm, pool, model->m, model->m);
    sal_pool_init(&c->pool, pool->context);
    c->touching       = SAL_NEW(pool, sal_touching, tables->touches.n);
    c->began          = SAL_NEW(pool, double, tables->touches.n);
    c->slow           = SAL_NEW(pool, double, tables->touches.n);
    c->jammed         = SAL_NEW(pool, bool, tables->touches.n);
    c->scrapes        = SAL_NEW(pool, bool, tables->touches.n);
    c->of_row         = SAL_NEW(pool, int, m);
    c->impulse        = SAL_NEW(pool, double, m);
    c->impulse_change = p ? SAL_NEW(pool, double, m *columns) : NULL;
    c->goal           = SAL_NEW(pool, double, m);
    c->goal_change    = SAL_NEW(pool, double, m *columns);
    c->rate           = SAL_NEW(pool, double, 3 * m);
    c->rate_change    = SAL_NEW(pool, double, 3 * m * columns);
    c->entry          = SAL_NEW(pool, double, model->jp[m] + 1);
    c->size           = SAL_NEW(pool, double, model->nz);
    for (int k = 0; k < 2; k++) {
        phases[k]->d               = SAL_NEW(pool, double, n);
        phases[k]->impulse         = SAL_NEW(pool, double, m);
        phases[k]->given           = SAL_NEW(pool, double, m);
        phases[k]->solved          = SAL_NEW(pool, double, m);
        phases[k]->first           = SAL_NEW(pool, double, m);
        phases[k]->chosen          = SAL_NEW(pool, double, m);
        phases[k]->chosen_d        = SAL_NEW(pool, double, n);
        phases[k]->change          = SAL_NEW(pool, double, m *columns);
        phases[k]->given_change    = SAL_NEW(pool, double, m *columns);
        phases[k]->velocity_change = SAL_NEW(pool, double, n *columns);
    }
    if (pool->failed) return SAL_ERR_MEMORY;
    for (int r = 0; r < model->m; r++) c->of_row[r] = -1;
    for (int k = 0; k < tables->touches.n; k++) {
        c->of_row[tables->touches.at[k].normal] = k;
        if (tables->touches.at[k].tangent >= 0) c->of_row[tables->touches.at[k].tangent] = k;
    }
    c->jam = -1;
    if (sal_followers_init(c, model, pool) != SAL_OK) return SAL_ERR_MEMORY;
    return tables->touches.n ? make_problem(c, tables->touches.n < ROOM ? tables->touches.n : ROOM) : SAL_OK;
}

void sal_contacts_free(sal_contacts *c)
{
    if (c->pool.context) sal_pool_free(&c->pool);
}

/* ------------------------------------------------------------------------------------- formation */

static bool takes_part(const sal_touching *x)
{
    return x->candidate && !x->kept && !x->out;
}

static sal_coupling slides(const sal_touch *t, int sign)
{
    return (sal_coupling){ t->normal, t->tangent, t->mu_kinetic, sign < 0 ? 1 : -1, false, 1.0 };
}

/* Their rows, all open but for those kept. */
static void open_rows(sal_contacts *c, sal_system *s)
{
    const sal_tables *tables = s->model->tables;

    sal_mode_copy(&c->mode, &s->mode);
    sal_mode_uncouple(&c->mode);
    for (int k = 0; k < tables->touches.n; k++) {
        const sal_touching *x   = &c->touching[k];
        const sal_touch    *t   = &tables->touches.at[k];
        c->mode.held[t->normal] = x->kept;
        if (t->tangent >= 0) c->mode.held[t->tangent] = x->kept && x->role == SAL_STUCK;
        if (x->kept && x->role == SAL_SLIPPING) sal_mode_couple(&c->mode, slides(t, x->sign));
    }
    sal_system_set_mode(s, &c->mode);
}

/* Factors of K, and what the coordinates' motions are made of. */
static sal_status factor_open(sal_contacts *c, sal_system *s, bool impulses)
{
    const int  n = s->model->n;
    sal_status status;

    open_rows(c, s);
    if (!impulses) {
        sal_system_prepare(s);
        status = sal_system_accelerate(s);
        if (status != SAL_OK) return sal_system_explain(s, status, &s->motion);
        sal_scale_accelerations(s, c->size);
        return SAL_OK;
    }
    const sal_scale scale = sal_scale_at(s);
    sal_rows_jacobian(&s->rows, s->z, s->entry);
    sal_system_set_rows(s);
    sal_kkt_forget(&s->motion);
    s->prepared = false;
    memset(s->share, 0, sizeof *s->share * (size_t)s->model->m);
    status = sal_system_factor_least(s, SAL_LEAST);
    if (status == SAL_ERR_MEMORY) return sal_system_fail(s, status, "out of memory");
    if (status != SAL_OK) return sal_system_explain(s, status, &s->motion);
    for (int k = 0; k < n; k++) c->size[k] = fmax(fabs(s->zd[k]), SAL_SPEED_LEAST * scale.natural);
    return SAL_OK;
}

/* The row behind motion r of the problem, normals first; -1: none. */
static int row_of(const sal_contacts *c, const sal_system *s, int r)
{
    const int        i = r % c->problem.c;
    const sal_touch *t = &s->model->tables->touches.at[c->list[i]];

    return r < c->problem.c ? t->normal : c->problem.party[i].tangent ? t->tangent : -1;
}

double sal_contacts_times_row(const sal_contacts *c, const sal_system *s, int row, const double *x)
{
    double sum = 0.0;

    for (int k = s->model->jp[row]; k < s->model->jp[row + 1]; k++) sum += c->entry[k] * x[s->model->jc[k]];
    return sum;
}

/* sum |Phi_q,k| times the largest motion of a point that the row reads, in whatever direction: turned by a right
 * angle a mechanism is as large as before. */
double sal_contacts_size(const sal_contacts *c, const sal_system *s, int row)
{
    const sal_model *model  = s->model;
    double           slopes = 0.0, most = 0.0;

    for (int k = model->jp[row]; k < model->jp[row + 1]; k++) {
        const int point = model->jc[k] - model->jc[k] % SAL_AXES;
        slopes += fabs(c->entry[k]);
        most = fmax(most, sal_largest(c->size + point, SAL_AXES));
    }
    return slopes * fmax(most, SAL_SIZE_LEAST * sal_largest(c->size, model->n));
}

/* Column j of W: everything that its force moves. */
static void fill_column(sal_contacts *c, sal_system *s, int j, bool impulses)
{
    const sal_model *model = s->model;
    const int        rows = 2 * c->problem.c, row = row_of(c, s, j);

    for (int i = 0; i < rows; i++) c->problem.W[i * rows + j] = 0.0;
    c->problem.yields[j] = 0.0;
    if (row < 0) return;
    memset(s->rhs, 0, sizeof *s->rhs * (size_t)(model->n + model->m));
    for (int k = model->jp[row]; k < model->jp[row + 1]; k++) s->rhs[model->jc[k]] -= c->entry[k];
    if (impulses) sal_kkt_solve_exact(&s->motion, s->rhs, 1);
    else sal_system_solve(s, s->rhs, 1);
    for (int i = 0; i < rows; i++) {
        if (row_of(c, s, i) >= 0) c->problem.W[i * rows + j] = -sal_contacts_times_row(c, s, row_of(c, s, i), s->rhs);
    }
    c->problem.yields[j] = !impulses && s->form == SAL_PENALTY ? -s->corner[row] : 0.0;
    c->problem.W[j * rows + j] += c->problem.yields[j];
}

static void make_symmetric(double *W, int rows)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < i; j++) W[i * rows + j] = W[j * rows + i] = 0.5 * (W[i * rows + j] + W[j * rows + i]);
    }
}

/* Velocities without contacts: v- and what other rows, that begin to hold, make of it. Replaces s->zd. */
static void move_free(sal_system *s)
{
    const int n = s->model->n;
    double    phi, phidot;

    sal_system_residual(s, &phi, &phidot);
    memset(s->rhs, 0, sizeof *s->rhs * (size_t)n);
    for (int r = 0; r < s->model->m; r++) s->rhs[n + r] = s->mode.held[r] ? -s->phidot[r] : 0.0;
    sal_kkt_solve_exact(&s->motion, s->rhs, 1);
    for (int k = 0; k < n; k++) s->zd[k] += s->rhs[k];
}

/* b and its size: the motion that there is without contacts. */
static void fill_motion(sal_contacts *c, sal_system *s, bool impulses)
{
    sal_coulomb *x = &c->problem;

    for (int r = 0; r < 2 * x->c; r++) {
        const int contact = c->list[r % x->c], row = row_of(c, s, r);
        x->b[r] = x->b1[r] = x->size[r] = 0.0;
        if (row < 0) continue;
        const double rate   = r < x->c ? sal_contact_gap_rate(s, contact) : sal_contact_slip(s, contact);
        const double second = impulses   ? 0.0
                              : r < x->c ? sal_contact_gap_second(s, contact)
                                         : sal_contact_slip_rate(s, contact);
        const double own    = -sal_contacts_times_row(c, s, row, impulses ? s->zd : s->zdd);
        x->b[r]             = impulses ? rate : second;
        x->size[r]          = sal_contacts_size(c, s, row) + fabs(x->b[r] - own);
        if (!impulses && s->damped) {
            x->b[r] += 2.0 * s->xi * s->omega * rate;
            if (r < x->c) x->b[r] += s->omega * s->omega * sal_contact_gap(s, contact);
        }
    }
}

/* In an impact with rebounds that is much slower than the motion along it, motions along normals are measured by the
 * impact: they are known to a rounding error of all velocities, which is far less than SAL_CONTACT_SMALL of these. */
static void measure_slow_impact(sal_contacts *c, sal_system *s)
{
    sal_coulomb *x     = &c->problem;
    double       speed = 0.0;

    for (int i = 0; i < x->c; i++) {
        const sal_touching *y = &c->touching[c->list[i]];
        if (fmax(y->goal, -y->bounce * x->b[i]) >= sal_contact_slowest(s, c->list[i])) speed = fmax(speed, -x->b[i]);
    }
    for (int i = 0; i < x->c && speed > 0.0; i++)
        x->size[i] = fmin(x->size[i], fmax(speed / SAL_SLOW_IMPACT, SAL_IMPACT_LEAST * x->size[i]));
    for (int i = 0; i < x->c && speed > 0.0; i++) { /* friction of so small an impulse does not stop what slides fast */
        sal_party    *y = &x->party[i];
        const double *W = x->W + (size_t)(2 * x->c * i), slip = x->b[x->c + i];
        const bool    far = speed < SAL_CONTACT_SMALL * fabs(slip) && W[i] > 2.0 * y->mu_kinetic * fabs(W[x->c + i]);
        if (far && y->tangent && !y->pinned) y->slides = slip < 0.0 ? -1 : 1;
    }
}

/* A pin that has been let go while its contact is pressed on slides without friction until it lands again. */
static bool slides_on(const sal_touch *t, const sal_touching *x)
{
    return t->bonded && (x->before == SAL_SMOOTH || x->slips) && !x->closing;
}

sal_status sal_contacts_form(sal_contacts *c, sal_system *s, bool impulses)
{
    const sal_tables *tables = s->model->tables;
    const sal_rows    all    = { s->model, &s->every, s->value, s->first, s->rows.direction };
    const double      more   = 1.0 + c->gradual;
    int               count  = 0;
    sal_status        status;

    for (int k = 0; k < tables->touches.n; k++) count += takes_part(&c->touching[k]);
    if (count > c->problem.room) {
        const int room = 2 * c->problem.room > count ? 2 * c->problem.room : count;
        if (make_problem(c, room < tables->touches.n ? room : tables->touches.n) != SAL_OK)
            return sal_system_fail(s, SAL_ERR_MEMORY, "out of memory");
    }
    status = factor_open(c, s, impulses);
    if (status != SAL_OK) return status;
    sal_rows_jacobian(&all, s->z, c->entry);
    c->problem.c = 0;
    for (int k = 0; k < tables->touches.n; k++) {
        const sal_touching *x = &c->touching[k];
        const sal_touch    *t = &tables->touches.at[k];
        if (!takes_part(x)) continue;
        c->list[c->problem.c]            = k;
        c->problem.party[c->problem.c++] = (sal_party){
            .tangent    = t->tangent >= 0 && !slides_on(t, x),
            .pinned     = t->bonded && !slides_on(t, x),
            .slides     = x->slides,
            .broken     = x->broken,
            .inside     = x->closing || x->before != SAL_OUT,
            .mu_static  = t->tangent < 0 || t->bonded ? 0.0 : more * s->z[t->mu_static],
            .mu_kinetic = t->tangent < 0 || t->bonded ? 0.0 : more * s->z[t->mu_kinetic],
            .goal       = x->goal,
        };
    }
    for (int j = 0; j < 2 * c->problem.c; j++) fill_column(c, s, j, impulses);
    make_symmetric(c->problem.W, 2 * c->problem.c);
    if (!impulses) {
        fill_motion(c, s, false);
        return SAL_OK;
    }
    const size_t mark   = sal_arena_mark(&s->arena);
    double      *before = sal_arena_take(&s->arena, s->model->n);
    memcpy(before, s->zd, sizeof *before * (size_t)s->model->n);
    move_free(s);
    fill_motion(c, s, true);
    measure_slow_impact(c, s);
    memcpy(s->zd, before, sizeof *before * (size_t)s->model->n);
    sal_arena_release(&s->arena, mark);
    return SAL_OK;
}

/* ----------------------------------------------------------------------------------------- roles */

void sal_contacts_begin(sal_contacts *c, sal_system *s)
{
    c->problem.c = 0;
    for (int k = 0; k < s->model->tables->touches.n; k++) {
        const sal_role role = sal_contact_role(s, k);
        const int      sign = sal_contact_slides(s, k);
        c->touching[k]      = (sal_touching){
                 .candidate = role != SAL_OUT, .role = role, .sign = sign, .before = role, .before_sign = sign
        };
    }
}

void sal_contacts_take_roles(sal_contacts *c)
{
    for (int i = 0; i < c->problem.c; i++) {
        sal_touching *x = &c->touching[c->list[i]];
        x->role         = c->problem.party[i].role;
        x->sign         = c->problem.party[i].sign;
        x->broken       = c->problem.party[i].broken;
    }
}

sal_status sal_contacts_decide(sal_contacts *c, sal_system *s)
{
    const sal_status status = c->problem.c ? sal_coulomb_solve(&c->problem, s->watch) : SAL_OK;

    if (status == SAL_OK) sal_contacts_take_roles(c);
    return status;
}

/* What the rows between two tangents of one body let these move apart, in penalty form: the inverse of alpha |Phi_q|^2
 * of all. */
static double slack(const sal_contacts *c, const sal_system *s)
{
    const sal_model *model = s->model;
    double           sum   = 0.0;

    for (int r = 0; r < model->m && s->form == SAL_PENALTY; r++) {
        double square = 0.0;
        if (!s->mode.held[r] || c->of_row[r] >= 0) continue;
        for (int k = model->jp[r]; k < model->jp[r + 1]; k++) square += c->entry[k] * c->entry[k];
        if (square > 0.0) sum -= 2.0 * s->corner[r] / square;
    }
    return sum;
}

/* Whether tangents i and j of the problem move alike: |T_i -+ T_j| = 0 in the metric of the inverse mass, but for what
 * rows give way. Where these give way much, that says nothing of the tangents, and by it friction is determined. The
 * sign; 0: they do not. */
static int alike(const sal_coulomb *x, int i, int j, double slack)
{
    const int     rows = 2 * x->c;
    const double *a = SAL_ROW(x->W, x->c + i, rows), *b = SAL_ROW(x->W, x->c + j, rows);
    const int     ti = x->c + i, tj = x->c + j;
    const double  Wi = a[ti] - x->yields[ti], Wj = b[tj] - x->yields[tj];
    const int     sign = a[x->c + j] < 0.0 ? -1 : 1;

    if (!(Wi > 0.0) || !(Wj > 0.0) || slack > SAL_SOFT * fmin(Wi, Wj)) return 0;
    for (int k = 0; k < rows; k++) {
        const double Wk = SAL_ROW(x->W, k, rows)[k], own = k == ti   ? x->yields[ti]
                                                           : k == tj ? -sign * x->yields[tj]
                                                                     : 0.0;
        if (fabs(a[k] - sign * b[k] - own) > SAL_ALIKE * sqrt(fmax(Wi * Wk, 0.0)) + slack) return 0;
    }
    return sign;
}

/* Contact `leader` of the problem and those behind it that stick and move alike: one row for all. A coefficient that
 * they have in common does not matter for who gets what. */
static void join_group(sal_contacts *c, const sal_system *s, int leader)
{
    const sal_touch *touches = s->model->tables->touches.at, *first = &touches[c->list[leader]];
    const int        from   = c->mode.portions;
    const double     gives  = slack(c, s);
    bool             common = true;

    if (!c->mode.held[first->tangent]) return; /* it follows another one */
    for (int i = leader + 1; i < c->problem.c; i++) {
        const sal_touch    *t   = &touches[c->list[i]];
        const sal_touching *x   = &c->touching[c->list[i]];
        const bool          may = x->role == SAL_STUCK && !t->bonded && c->mode.held[t->tangent] &&
                         x->apart == c->touching[c->list[leader]].apart;
        const int sign = may ? alike(&c->problem, leader, i, gives) : 0;
        if (!sign) continue;
        if (c->mode.portions == from)
            sal_mode_share(&c->mode,
                           (sal_portion){ first->tangent, first->tangent, first->normal, first->mu_static, 1 });
        c->mode.held[t->tangent] = false;
        common                   = common && t->mu_static == first->mu_static;
        sal_mode_share(&c->mode,
                       (sal_portion){ t->tangent, first->tangent, t->normal, t->mu_static, (signed char)sign });
    }
    for (int k = from; k < c->mode.portions && common; k++) c->mode.portion[k].factor = s->model->tables->one;
}

void sal_contacts_set_roles(sal_contacts *c, sal_system *s)
{
    const sal_tables *tables = s->model->tables;

    sal_mode_copy(&c->mode, &s->mode);
    sal_mode_uncouple(&c->mode);
    for (int k = 0; k < tables->touches.n; k++) {
        const sal_touching *x    = &c->touching[k];
        const sal_touch    *t    = &tables->touches.at[k];
        const sal_role      role = x->candidate ? x->role : SAL_OUT;
        c->mode.held[t->normal]  = role != SAL_OUT && !x->fixed;
        if (t->tangent >= 0) c->mode.held[t->tangent] = role == SAL_STUCK;
        if (role == SAL_SLIPPING && !x->fixed) sal_mode_couple(&c->mode, slides(t, x->sign));
        if (role == SAL_LEANING && !x->fixed)
            sal_mode_couple(&c->mode, (sal_coupling){ t->normal, t->tangent, x->broken ? t->mu_kinetic : t->mu_static,
                                                      (signed char)x->sign, true, c->problem.lean });
    }
    for (int i = 0; i < c->problem.c; i++) {
        const sal_touching *x = &c->touching[c->list[i]];
        if (x->candidate && x->role == SAL_STUCK && !tables->touches.at[c->list[i]].bonded) join_group(c, s, i);
    }
    sal_system_set_mode(s, &c->mode);
}
