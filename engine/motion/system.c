/* system.c - accelerations, multipliers and projection; equations in motion.h. */
#include "engine/motion/motion.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/equations/equations.h"
#include "engine/base/tolerance.h"
#include "engine/base/vector.h"

sal_status sal_system_init(sal_system *s, const sal_model *model, sal_pool *pool)
{
    const sal_tables *tables  = model->tables;
    int               entries = model->jp[model->m] + 1, rows = model->m, size = model->motion.size;

    sal_row_mode *const modes[] = { &s->mode, &s->prepared_for, &s->every, &s->whole, &s->part, &s->independent };

    *s      = (sal_system){ .model = model };
    s->jump = SAL_NEW(pool, sal_kkt, tables->events.n);
    if (!s->jump) return SAL_ERR_MEMORY;
    for (int e = -1; e < tables->events.n; e++) { /* the largest of the systems with extra rows */
        const sal_pattern *p = e < 0 ? &model->start : &model->jump[e].pattern;
        if (p->nentry + 1 > entries) entries = p->nentry + 1;
        if (p->m > rows) rows = p->m;
        if (p->size > size) size = p->size;
    }
    s->z          = SAL_NEW(pool, double, model->nz);
    s->zd         = SAL_NEW(pool, double, model->nz);
    s->zdd        = SAL_NEW(pool, double, model->nz);
    s->gravity    = SAL_NEW(pool, double, model->nz);
    s->row_square = SAL_NEW(pool, double, model->m);
    s->force      = SAL_NEW(pool, double, model->nz);
    s->lambda     = SAL_NEW(pool, double, model->m);
    s->phi        = SAL_NEW(pool, double, model->m);
    s->phidot     = SAL_NEW(pool, double, model->m);
    s->c          = SAL_NEW(pool, double, model->m);
    s->mass       = SAL_NEW(pool, double, tables->masses.n);
    s->entry      = SAL_NEW(pool, double, entries);
    s->corner     = SAL_NEW(pool, double, rows);
    s->rhs        = SAL_NEW(pool, double, size);
    s->value      = SAL_NEW(pool, double, model->program_max);
    s->first      = SAL_NEW(pool, double, model->program_max);
    sal_arena_init(&s->arena, pool, 12 * ((size_t)model->nz + (size_t)model->m)); /* several calls deep */
    s->start_weight           = SAL_NEW(pool, double, model->n);
    s->start_given            = SAL_NEW(pool, double, 2 * model->n);
    s->share                  = SAL_NEW(pool, double, model->m);
    s->solved                 = SAL_NEW(pool, double, model->m);
    s->soft                   = SAL_NEW(pool, double, model->m);
    s->about                  = SAL_NEW(pool, double, model->m);
    s->open                   = SAL_NEW(pool, double, model->m);
    s->target                 = SAL_NEW(pool, double, tables->setters.n);
    s->sides_kept             = SAL_NEW(pool, double, tables->sides.n);
    s->knot                   = SAL_NEW(pool, double, tables->parameters.n - tables->scalars);
    s->bend                   = SAL_NEW(pool, double, tables->parameters.n - tables->scalars);
    s->bends                  = SAL_NEW(pool, double, 3 * sal_knots_longest(tables));
    s->rows                   = (sal_rows){ .model     = model,
                                            .mode      = &s->mode,
                                            .value     = s->value,
                                            .first     = s->first,
                                            .direction = SAL_NEW(pool, double, model->nz),
                                            .power     = SAL_NEW(pool, double, tables->efforts.n) };
    s->source[SAL_SRC_Z]      = s->z;
    s->source[SAL_SRC_ZD]     = s->zd;
    s->source[SAL_SRC_ZDD]    = s->zdd;
    s->source[SAL_SRC_LAMBDA] = s->lambda;
    s->source[SAL_SRC_ENERGY] = &s->energy;
    if (pool->failed) return SAL_ERR_MEMORY;
    for (int k = 0; k < SAL_COUNT(modes); k++) sal_mode_init(modes[k], pool, model->m, rows);
    if (pool->failed) return SAL_ERR_MEMORY;
    for (int r = 0; r < model->m; r++) s->every.held[r] = true;
    sal_mode_start(&s->mode, tables);
    sal_kkt_init(&s->motion, &model->motion, pool);
    sal_kkt_init(&s->start, &model->start, pool);
    for (int e = 0; e < tables->events.n; e++) sal_kkt_init(&s->jump[e], &model->jump[e].pattern, pool);
    return pool->failed ? SAL_ERR_MEMORY : SAL_OK;
}

void sal_system_free(sal_system *s)
{
    sal_kkt_free(&s->motion);
    sal_kkt_free(&s->start);
    for (int e = 0; s->jump && e < s->model->tables->events.n; e++) sal_kkt_free(&s->jump[e]);
}

sal_status sal_system_fail(sal_system *s, sal_status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(s->message, sizeof s->message, format, args);
    va_end(args);
    return status;
}

/* ---------------------------------------------------------------------------------------- values */

static sal_status check_value(sal_system *s, const sal_value *v, double x)
{
    const sal_tables *tables = s->model->tables;
    const char       *must   = NULL;
    char              place[400], when[64] = "";

    if (!isfinite(x)) must = "finite";
    else if (v->range == SAL_POSITIVE && !(x > 0.0)) must = "positive";
    else if (v->range == SAL_NOT_NEGATIVE && !(x >= 0.0)) must = "zero or positive";
    else if (v->range == SAL_FRACTION && !(x >= 0.0 && x <= 1.0)) must = "from 0 to 1";
    if (!must) return SAL_OK;
    if (v->place.line) snprintf(place, sizeof place, "%s:%d:%d", tables->file, v->place.line, v->place.column);
    else snprintf(place, sizeof place, "%s", tables->file);
    if (v->timed) snprintf(when, sizeof when, " at t = %.9g s", s->z[tables->time]);
    return sal_system_fail(s, SAL_ERR_SCENE, "%s: %s: must be %s, '%s' is %g%s", place, v->place.path, must, v->text, x,
                           when);
}

bool sal_system_take_sides(sal_system *s)
{
    const sal_tables *tables  = s->model->tables;
    bool              changed = false;

    for (int k = 0; k < tables->sides.n; k++) { /* those inside others come first */
        const sal_side *side = &tables->sides.at[k];
        const double    u    = sal_system_value(s, &tables->events.at[side->event].when);
        const double    now  = (u > 0.0) - (u < 0.0);
        changed              = changed || now != s->z[side->slot];
        s->z[side->slot]     = now;
    }
    return changed;
}

void sal_system_let_sides(sal_system *s)
{
    for (int k = 0; k < s->model->tables->sides.n; k++) s->sides_kept[k] = s->z[s->model->tables->sides.at[k].slot];
    s->sides_fixed = false;
}

void sal_system_fix_sides(sal_system *s)
{
    for (int k = 0; k < s->model->tables->sides.n; k++) s->z[s->model->tables->sides.at[k].slot] = s->sides_kept[k];
    s->sides_fixed = true;
}

static bool sides_follow(const sal_system *s)
{
    return s->model->tables->sides.n && !s->sides_fixed;
}

/* The functions of time, with two derivatives, in order of evaluation; and again where these change sides. */
static void move_time(sal_system *s, double t)
{
    enum { NESTED = 4 };

    s->z[s->model->tables->time]  = t;
    s->zd[s->model->tables->time] = 1.0;
    for (int pass = 0; pass < NESTED; pass++) {
        for (int k = 0; k < s->model->ntimed; k++) {
            const sal_timed *v = &s->model->timed[k];
            s->z[v->slot]      = sal_program_value(&v->program[0], s->source, s->value);
            s->zd[v->slot]     = sal_program_value(&v->program[1], s->source, s->value);
            s->zdd[v->slot]    = sal_program_value(&v->program[2], s->source, s->value);
        }
        if (!sides_follow(s) || !sal_system_take_sides(s)) break;
    }
}

sal_status sal_system_check_timed(sal_system *s)
{
    sal_status status = SAL_OK;

    for (int k = 0; k < s->model->ntimed && status == SAL_OK; k++) {
        const sal_value *v = &s->model->tables->values.at[s->model->timed[k].value];
        status             = check_value(s, v, s->z[v->slot]);
    }
    return status;
}

/* Values that depend on memory; memory itself is as events have left it. */
sal_status sal_system_refresh(sal_system *s)
{
    const sal_tables *tables = s->model->tables;
    sal_status        status;

    for (int k = 0; k < tables->values.n; k++) {
        const sal_value *v = &tables->values.at[k];
        if (v->timed || v->memory || !tables->kept.at[v->slot]) continue;
        s->z[v->slot] = sal_program_value(&v->program, s->source, s->value);
        status        = check_value(s, v, s->z[v->slot]);
        if (status != SAL_OK) return status;
    }
    return SAL_OK;
}

sal_status sal_system_set_values(sal_system *s, const double *given)
{
    const sal_tables *tables = s->model->tables;
    sal_status        status;

    memset(s->zd, 0, sizeof *s->zd * (size_t)s->model->nz);
    memset(s->zdd, 0, sizeof *s->zdd * (size_t)s->model->nz);
    for (int k = 0; k < tables->elements.n; k++) { /* as if turns had been counted at angle 0 */
        const sal_element *b = &tables->elements.at[k];
        if (!b->framed) continue;
        memcpy(s->z + b->turn, (const double[]){ 0.0, 1.0, 0.0 }, 3 * sizeof(double));
        s->z[b->first] = 0.0;
    }
    for (int k = 0; k < tables->followers.n; k++) { /* nowhere in particular, until parts are found */
        const sal_follower *f = &tables->followers.at[k];
        for (int i = 0; i < f->follow.contacts; i++)
            memcpy(s->z + f->slots + SAL_PART_SLOTS * i, (const double[SAL_PART_SLOTS]){ 0.0, 0.0, 1.0, 0.0, 0.0, 1.0 },
                   sizeof(double[SAL_PART_SLOTS]));
    }
    s->z[tables->zero] = 0.0;
    s->z[tables->one]  = 1.0;
    for (int k = 0; k < tables->values.n; k++) {
        const sal_value *v         = &tables->values.at[k];
        const int        parameter = sal_parameter_at(tables, v->slot);
        const bool       set       = parameter >= 0 && !isnan(given[parameter]);
        if (v->timed) continue;
        s->z[v->slot] = set ? given[parameter] : sal_program_value(&v->program, s->source, s->value);
        status        = check_value(s, v, s->z[v->slot]);
        if (status != SAL_OK) return status;
    }
    sal_knots_set(s, given);
    sal_knots_start(s, 0.0);
    move_time(s, 0.0);
    status = sal_system_check_timed(s);
    if (status != SAL_OK) return status;
    for (int k = 0; k < tables->masses.n; k++) s->mass[k] = s->z[tables->masses.at[k].value];
    memset(s->gravity, 0, sizeof *s->gravity * (size_t)s->model->nz);
    sal_masses_gravity(s->model, s->z, s->mass, s->gravity);
    return SAL_OK;
}

void sal_system_forget(sal_system *s)
{
    sal_kkt_start_anew(&s->motion);
    sal_kkt_start_anew(&s->start);
    for (int e = 0; e < s->model->tables->events.n; e++) sal_kkt_start_anew(&s->jump[e]);
    s->usual = 0.0;
    for (int r = 0; r < s->model->m; r++) s->open[r] = NAN;
}

void sal_system_set_form(sal_system *s, sal_form form, sal_stabilization stabilization)
{
    const sal_tables *tables = s->model->tables;

    s->form   = form;
    s->damped = form == SAL_PENALTY || stabilization == SAL_BAUMGARTE;
    s->xi     = s->z[tables->simulation.xi];
    s->omega  = s->z[tables->simulation.omega];
    for (int r = 0; r < s->model->m; r++) {
        sal_slot alpha = tables->elements.at[tables->rows.at[r].element].alpha;
        s->corner[r]   = form == SAL_PENALTY ? -1.0 / s->z[alpha == SAL_NONE ? tables->simulation.alpha : alpha] : 0.0;
    }
    const sal_rows all = { s->model, &s->every, s->value, s->first, s->rows.direction };
    sal_rows_jacobian(&all, s->z, s->entry); /* rows that do not hold now may hold later */
    sal_kkt_equilibrate(&s->motion, s->mass, s->entry);
    sal_kkt_forget(&s->motion);
    s->prepared = false;
    sal_system_prepare(s);
}

/* ------------------------------------------------------------------------------------------ mode */

void sal_system_set_mode(sal_system *s, const sal_row_mode *mode)
{
    if (mode != &s->mode) sal_mode_copy(&s->mode, mode);
}

/* K of the rows that hold, without the friction that comes with them. */
static void set_rows_without_friction(sal_system *s)
{
    sal_kkt_set_rows(&s->motion, s->entry);
    for (int k = 0; k < s->mode.portions; k++) {
        if (s->mode.portion[k].row != s->mode.portion[k].leader) sal_kkt_clear_row(&s->motion, s->mode.portion[k].row);
    }
}

void sal_system_set_rows(sal_system *s)
{
    set_rows_without_friction(s);
    for (int k = 0; k < s->mode.couplings; k++) {
        const sal_coupling *c = &s->mode.coupling[k];
        sal_kkt_couple(&s->motion, s->entry, c->row, c->along, sal_coupling_factor(c, s->z));
    }
}

void sal_system_add_row(const sal_system *s, int r, bool acting, double *a)
{
    const sal_model *model = s->model;

    for (int k = model->jp[r]; k < model->jp[r + 1]; k++) a[model->jc[k]] += s->entry[k];
    for (int i = 0; i < s->mode.couplings && acting; i++) {
        const sal_coupling *c = &s->mode.coupling[i];
        for (int k = model->jp[c->along]; c->row == r && k < model->jp[c->along + 1]; k++)
            a[model->jc[k]] += sal_coupling_factor(c, s->z) * s->entry[k];
    }
}

void sal_system_add_couplings(const sal_system *s, double *lambda)
{
    for (int k = 0; k < s->mode.couplings; k++) {
        const sal_coupling *c = &s->mode.coupling[k];
        lambda[c->along]      = sal_coupling_factor(c, s->z) * lambda[c->row];
    }
}

/* Rows that depend on each other make K singular. A tiny corner lets them pass, and refined solves then give the least
 * of the multipliers possible. Where it is enough, only friction shares what is not determined, or only contacts do. */
static sal_status factor_least(sal_system *s, int shares)
{
    s->shares = shares;
    for (int r = 0; r < s->model->m; r++) {
        const double weight = s->share[r] > 0.0 ? s->share[r] : 1.0;
        s->soft[r]          = (int)s->model->tables->rows.at[r].sharing <= shares ? s->least * weight : 0.0;
    }
    sal_kkt_soften(&s->motion, s->soft, s->mode.held);
    return sal_kkt_factor(&s->motion);
}

sal_status sal_system_factor_least(sal_system *s, double corner)
{
    sal_status status = SAL_ERR_SINGULAR;

    s->least = corner;
    for (int shares = SAL_SHARES_FIRST; shares <= SAL_SHARES_LAST && status == SAL_ERR_SINGULAR; shares++) {
        sal_kkt_forget(&s->motion);
        status = factor_least(s, shares);
        if (status == SAL_OK && shares < SAL_SHARES_LAST && s->motion.rcond < SAL_ALMOST_SINGULAR)
            status = SAL_ERR_SINGULAR;
    }
    return status;
}

void sal_system_prepare(sal_system *s)
{
    const bool same = sal_mode_equal(&s->prepared_for, &s->mode);

    if (same && s->prepared) return;
    if (!same) sal_kkt_forget(&s->motion);
    sal_mode_copy(&s->prepared_for, &s->mode);
    s->prepared = true;
    s->shares   = 0;
    s->near     = false;
    memset(s->share, 0, sizeof *s->share * (size_t)s->model->m);
    memset(s->about, 0, sizeof *s->about * (size_t)s->model->m);
    sal_rows_jacobian(&s->rows, s->z, s->entry);
    sal_system_set_rows(s);
    sal_kkt_set_corner(&s->motion, s->corner, s->mode.held);
    if (s->form != SAL_INDEX1) return; /* penalty: never singular so */
    if (sal_kkt_factor(&s->motion) == SAL_OK && s->motion.rcond > SAL_ALMOST_SINGULAR) {
        s->usual = fmax(s->usual, s->motion.rcond);
        return;
    }
    if (sal_system_factor_least(s, SAL_LEAST_MOVING) == SAL_OK) return;
    s->shares = 0; /* it is something else: the equations of motion will tell */
    sal_kkt_set_corner(&s->motion, s->corner, s->mode.held);
}

sal_status sal_system_share_first(sal_system *s, const double *lambda, bool *matters)
{
    const sal_tables *tables = s->model->tables;
    double            most = 0.0, least = HUGE_VAL;

    for (int r = 0; r < s->model->m; r++) {
        if (tables->rows.at[r].sharing == SAL_SHARES_NEXT) most = fmax(most, lambda[r]);
    }
    for (int r = 0; r < s->model->m && most > 0.0; r++) {
        const sal_row *row = &tables->rows.at[r];
        const double   S   = s->motion.scale[s->model->n + r]; /* the solver knows multipliers divided by it */
        if (row->sharing != SAL_SHARES_FIRST) continue;
        s->share[r] = S * S * most / fmax(sal_portions_load(s, lambda, 1, r), SAL_SHARE_LEAST * most);
        if (s->mode.held[r]) least = fmin(least, s->share[r]);
    }
    for (int r = 0; r < s->model->m && least < HUGE_VAL; r++) s->share[r] /= least; /* none is less than 1 */
    sal_kkt_set_corner(&s->motion, NULL, s->mode.held);
    *matters = sal_kkt_factor(&s->motion) == SAL_ERR_SINGULAR;
    sal_kkt_forget(&s->motion);
    return factor_least(s, SAL_SHARES_FIRST);
}

sal_status sal_system_unshare(sal_system *s)
{
    memset(s->share, 0, sizeof *s->share * (size_t)s->model->m);
    sal_kkt_forget(&s->motion);
    return factor_least(s, SAL_SHARES_FIRST);
}

sal_status sal_system_share(sal_system *s)
{
    bool matters;

    if (s->shares != SAL_SHARES_FIRST) return SAL_OK;
    sal_system_share_first(s, s->lambda, &matters);
    return sal_system_accelerate(s);
}

sal_status sal_system_choose_about(sal_system *s, const double *about)
{
    sal_status status = SAL_ERR_SINGULAR;

    memcpy(s->about, about, sizeof *about * (size_t)s->model->m);
    s->least = SAL_LEAST_FOUND;
    for (int shares = SAL_SHARES_NEXT; shares <= SAL_SHARES_LAST && status == SAL_ERR_SINGULAR; shares++) {
        sal_kkt_forget(&s->motion);
        status = factor_least(s, shares);
    }
    return status == SAL_OK ? sal_system_accelerate(s) : status;
}

void sal_system_solve(sal_system *s, double *b, int columns)
{
    if (s->shares || s->near) sal_kkt_solve_smooth(&s->motion, false, s->shares, b, columns);
    else sal_kkt_solve(&s->motion, b, columns);
}

bool sal_system_solve_rows(sal_system *s, double *x, double *y, int columns)
{
    return !s->shares && !s->near && sal_kkt_solve_rows(&s->motion, x, y, columns);
}

void sal_system_solve_transposed(sal_system *s, double *b, int columns)
{
    if (s->shares || s->near) sal_kkt_solve_smooth(&s->motion, true, s->shares, b, columns);
    else sal_kkt_solve_transposed(&s->motion, b, columns);
}

/* Whether rows hold that can let go: what is decided by forces. */
static bool may_let_go(const sal_system *s)
{
    for (int r = 0; r < s->model->m; r++) {
        if (s->mode.held[r] && s->model->tables->rows.at[r].sharing == SAL_SHARES_NEXT) return true;
    }
    return false;
}

/* Factors of K as it is set. Where rows come to depend on each other in one position only (legs fold flat, a
 * parallelogram goes through its line) K becomes almost singular, and rounding is divided by next to nothing. Its
 * factors get a corner there, and solves leave out what is below it (README, Links in line).
 *
 * Where rows that can let go hold, friction would be decided by that noise, and the corner is large: where K has just
 * become that singular it is invisible, (SAL_LEAST_MOVING/SAL_NEARLY)^9 is nothing; beyond, forces are left out that
 * may be there: health says so. Elsewhere it is small: what it leaves out is what a motion straight through the
 * position has no part in, and who steps looks whether that is so (`lined`), or has it done without (`plainly`). */
static sal_status factor_motion(sal_system *s)
{
    const bool   decides = may_let_go(s);
    const double corner  = decides ? s->usual * (s->mode.couplings ? SAL_LEAST_SLIDING : SAL_LEAST_MOVING)
                                   : fmin(1.0, SAL_REGULAR_USUAL * s->usual) * SAL_LEAST_PASSING;
    const double bound   = s->usual * (decides ? SAL_NEARLY : SAL_NEARLY_PASSING);
    sal_status   status;

    if (s->shares) sal_kkt_soften(&s->motion, s->soft, s->mode.held);
    if (s->near) sal_kkt_set_corner(&s->motion, s->corner, s->mode.held);
    s->near = s->left_out = false;
    status                = sal_kkt_factor(&s->motion);
    if (s->form != SAL_INDEX1 || s->shares || status == SAL_ERR_MEMORY) return status;
    if (status == SAL_OK && s->motion.now > bound) return status;
    if (status == SAL_OK && !decides && sal_kkt_least_seen(&s->motion) > SAL_SEEN) return status; /* it is the pivots */
    s->lined = !decides;
    if (s->lined && s->plainly) return status;
    s->left_out = decides && (status != SAL_OK || s->motion.now < 2.0 * corner); /* 1e-4 of forces, and more */
    s->near     = true;
    sal_kkt_regularize(&s->motion, corner, s->mode.held);
    return sal_kkt_factor(&s->motion);
}

/* ---------------------------------------------------------------------------------------- motion */

void sal_system_move(sal_system *s, double t, const double *q, const double *v)
{
    if (q && q != s->z) memcpy(s->z, q, sizeof *q * (size_t)s->model->n);
    if (v && v != s->zd) memcpy(s->zd, v, sizeof *v * (size_t)s->model->n);
    if (s->model->ntimed) move_time(s, t);
    else s->z[s->model->tables->time] = t;
}

/* Adds `factor` times what the multiplier of row r acts along to b [n]. */
static void add_force_of_row(const sal_system *s, int r, double factor, double *b)
{
    const sal_model *model = s->model;

    for (int k = model->jp[r]; k < model->jp[r + 1]; k++) b[model->jc[k]] += factor * s->entry[k];
    for (int i = 0; i < s->mode.couplings; i++) {
        const sal_coupling *c = &s->mode.coupling[i];
        for (int k = model->jp[c->along]; c->row == r && k < model->jp[c->along + 1]; k++)
            b[model->jc[k]] += factor * sal_coupling_factor(c, s->z) * s->entry[k];
    }
}

static sal_status accelerate(sal_system *s)
{
    const sal_model *model = s->model;
    const int        n = model->n, m = model->m;
    double          *b = s->rhs, check = 0.0;
    sal_status       status;

    sal_rows_motion(&s->rows, s->z, s->zd, s->zdd, s->entry, s->c);
    memcpy(s->force, s->gravity, sizeof *s->force * (size_t)model->nz);
    sal_springs_value(model, s->z, s->zd, s->force);
    if (model->tables->efforts.n) sal_efforts_value(&s->rows, s->z, s->zd, s->force);
    if (model->ntimed) sal_masses_driven(model, s->zdd, s->mass, s->force);
    memcpy(b, s->force, sizeof *b * (size_t)n);
    memcpy(b + n, s->c, sizeof *b * (size_t)m);
    if (s->damped) {
        sal_rows_residual(&s->rows, s->z, s->zd, s->phi, s->phidot);
        for (int r = 0; r < m; r++) b[n + r] -= 2.0 * s->xi * s->omega * s->phidot[r] + s->omega * s->omega * s->phi[r];
    }
    sal_system_set_rows(s);
    status = factor_motion(s);
    if (status != SAL_OK) return status;
    for (int r = 0; s->shares && r < m; r++) {
        if (s->mode.held[r] && s->about[r] != 0.0) add_force_of_row(s, r, -s->about[r], b);
    }
    sal_system_solve(s, b, 1);
    for (int k = 0; k < n + m; k++) check += 0.0 * b[k]; /* NaN unless all are finite */
    if (check != 0.0) return SAL_ERR_NUMBER;
    memcpy(s->zdd, b, sizeof *b * (size_t)n);
    memcpy(s->lambda, b + n, sizeof *b * (size_t)m);
    memcpy(s->solved, b + n, sizeof *b * (size_t)m);
    for (int r = 0; s->shares && r < m; r++) s->lambda[r] += s->mode.held[r] ? s->about[r] : 0.0;
    sal_system_add_couplings(s, s->lambda);
    if (s->mode.portions) sal_portions_value(s, s->lambda);
    return SAL_OK;
}

sal_status sal_system_accelerate(sal_system *s)
{
    sal_status status;

    if (sides_follow(s)) sal_system_take_sides(s);
    status = accelerate(s);
    if (status != SAL_ERR_NUMBER || !s->model->tables->sides.n || !s->sides_fixed) return status;
    sal_system_let_sides(s); /* such as (-gap)^1.5, a rounding error beyond its end */
    sal_system_take_sides(s);
    status = accelerate(s);
    sal_system_fix_sides(s);
    return status;
}

/* Names the unknowns of a null vector that matter, at most `most` of them. */
static void name_unknowns(const sal_system *s, const double *null, int from, int to, char *text, size_t room)
{
    enum { MOST = 8 };
    double largest = 0.0;
    size_t used    = 0;
    int    named   = 0;

    for (int k = from; k < to; k++) largest = fmax(largest, fabs(null[k]));
    text[0] = '\0';
    for (int k = from; k < to && used < room; k++) {
        const char *name = k < s->model->n ? s->model->coordinate[k] : s->model->tables->rows.at[k - s->model->n].name;
        if (largest == 0.0 || fabs(null[k]) < SAL_NAMED * largest || named > MOST) continue;
        used += (size_t)snprintf(text + used, room - used, "%s%s", named ? ", " : "", named == MOST ? "..." : name);
        named++;
    }
}

/* Marks the coordinates that neither a mass nor a constraint touches, if there are any. */
static bool find_empty_rows(const sal_kkt *kkt, int n, double *mark)
{
    bool any = false;

    for (int c = 0; c < n; c++) { /* the pattern of K is symmetric: columns will do */
        mark[c] = kkt->scale[c];  /* 1 as the solver sees it */
        for (int k = kkt->pattern->Ap[c]; k < kkt->pattern->Ap[c + 1]; k++) {
            if (kkt->Ax[k] != 0.0) mark[c] = 0.0;
        }
        any = any || mark[c] != 0.0;
    }
    return any;
}

/* Whether such accelerations move mass: where K is singular in truth those that nothing determines do not, and where
 * constraints almost depend on each other what little they have of accelerations is mass. */
static bool moves_mass(const sal_system *s, const double *null)
{
    const sal_tables *tables = s->model->tables;
    const int         n      = s->model->n;
    double            energy = 0.0, parts = 0.0;

    for (int k = 0; k < tables->masses.n; k++) {
        const sal_mass *m = &tables->masses.at[k];
        if (m->i < n && m->j < n) energy += (m->i == m->j ? 1.0 : 2.0) * s->mass[k] * null[m->i] * null[m->j];
    }
    for (int k = 0; k < n; k++) parts += null[k] * null[k] / (s->motion.scale[k] * s->motion.scale[k]); /* M_kk */
    return energy > SAL_MOVES_MASS * parts;
}

sal_status sal_system_explain(sal_system *s, sal_status status, const sal_kkt *kkt)
{
    enum { DENSE_MAX = 1000 }; /* beyond it the dense factorisation is not worth the wait */
    const sal_model *model = s->model;
    const double     t     = s->z[model->tables->time];
    char             names[512];
    double          *null, moved = 0.0;
    sal_pool         pool;

    if (status == SAL_ERR_MEMORY) return sal_system_fail(s, status, "out of memory");
    if (status == SAL_ERR_NUMBER) return sal_system_fail(s, status, "a quantity is not finite at t = %.9g s", t);
    sal_system_fail(s, status, "the equations of motion are singular at t = %.9g s", t);
    if (kkt->pattern->size > DENSE_MAX) return status;
    sal_pool_init(&pool, model->tables->context);
    null = SAL_NEW(&pool, double, kkt->pattern->size);
    if (null && (find_empty_rows(kkt, model->n, null) || sal_kkt_null(kkt, &pool, null) == SAL_OK)) {
        for (int k = 0; k < model->n; k++) moved = fmax(moved, fabs(null[k]) / kkt->scale[k]);
        if (moved > SAL_DETERMINED && !moves_mass(s, null)) {
            name_unknowns(s, null, 0, model->n, names, sizeof names);
            sal_system_fail(
                s, status,
                "the equations of motion are singular at t = %.9g s: nothing determines the acceleration of %s "
                "(no mass, no constraint)",
                t, names);
        } else {
            name_unknowns(s, null, model->n, model->n + model->m, names, sizeof names);
            if (names[0]) {
                sal_system_fail(s, status,
                                "the equations of motion are singular at t = %.9g s: the constraints %s depend on each "
                                "other; the penalty form can run such a mechanism",
                                t, names);
            }
        }
    }
    sal_pool_free(&pool);
    return status;
}

/* ------------------------------------------------------------------------------------ projection */

/* The same with each row measured by the size that its equation has in the solver. */
static double largest_scaled(const sal_system *s, const double *row)
{
    double most = 0.0;

    for (int r = 0; r < s->model->m; r++) most = fmax(most, fabs(row[r]) * s->motion.scale[s->model->n + r]);
    return most;
}

void sal_system_residual(sal_system *s, double *phi, double *phidot)
{
    sal_rows_residual(&s->rows, s->z, s->zd, s->phi, s->phidot);
    *phi    = sal_largest(s->phi, s->model->m);
    *phidot = sal_largest(s->phidot, s->model->m);
}

/* Solves K [d; .] = [0; -residual] and adds d to x. */
static void correct(sal_system *s, const double *residual, sal_shift *metric, double *x)
{
    const int n = s->model->n, m = s->model->m;

    memset(s->rhs, 0, sizeof *s->rhs * (size_t)n);
    for (int r = 0; r < m; r++) s->rhs[n + r] = -residual[r];
    if (metric) sal_kkt_solve(&metric->metric, s->rhs, 1);
    else if (s->shares || s->near) sal_kkt_solve_smooth(&s->motion, false, false, s->rhs, 1);
    else sal_kkt_solve(&s->motion, s->rhs, 1);
    for (int k = 0; k < n; k++) x[k] += s->rhs[k];
}

/* Whether Phi is as small as rounding lets it be, whatever it was: by SAL_CLOSED of the mechanism's length, or by what
 * rounding leaves of coordinates far from the origin. Phi_q is in s->entry, up to a rounding error of the state. */
static bool is_closed(const sal_system *s)
{
    const sal_model *model = s->model;

    for (int r = 0; r < model->m; r++) {
        double slope = 0.0, made_of = 0.0;
        for (int k = model->jp[r]; k < model->jp[r + 1]; k++) {
            slope = fmax(slope, fabs(s->entry[k]));
            made_of += fabs(s->entry[k] * s->z[model->jc[k]]);
        }
        if (!(fabs(s->phi[r]) <= SAL_CLOSED * slope * s->length + 100.0 * DBL_EPSILON * made_of)) return false;
    }
    return true;
}

/* The same where K has a corner: whether Phi and Phidot are as small as a motion straight through a position in which
 * links are in line leaves them. Where that way is closed the corner lets rows be open. */
static bool is_straight(const sal_system *s)
{
    const sal_model *model = s->model;
    const double     fast  = sqrt(sal_largest(s->zdd, model->n) * s->length);
    const double     speed = fmax(sal_largest(s->zd, model->n), fast);

    for (int r = 0; r < model->m; r++) {
        double slope = 0.0, far = 0.0;
        for (int k = model->jp[r]; k < model->jp[r + 1]; k++) {
            slope = fmax(slope, fabs(s->entry[k]));
            far   = fmax(far, fabs(s->z[model->jc[k]]));
        }
        if (!s->mode.held[r]) continue;
        if (!(fabs(s->phi[r]) <= SAL_STRAIGHT * slope * s->length + 100.0 * DBL_EPSILON * slope * far)) return false;
        if (!(fabs(s->phidot[r]) <= SAL_STRAIGHT_RATE * slope * speed)) return false;
    }
    return true;
}

/* Factors for it: where rows depend on each other it does not matter which of them does what, a corner for all will do,
 * and what is next to singular is not corrected by rounding divided by next to nothing. */
static sal_status factor_projection(sal_system *s, sal_shift *metric)
{
    if (s->shares) sal_kkt_regularize(&s->motion, SAL_LEAST_MOVING, s->mode.held);
    if (metric) return sal_shift_factor_metric(metric, &s->motion);
    return s->shares ? sal_kkt_factor(&s->motion) : factor_motion(s);
}

sal_status sal_system_factor_projected(sal_system *s, sal_shift *metric)
{
    sal_rows_jacobian(&s->rows, s->z, s->entry);
    set_rows_without_friction(s);
    return factor_projection(s, metric);
}

/* Phi, beyond what rows of contacts were open by when these closed: their time is known to rounding, and where rows
 * almost depend on each other to close them by that would take everything else much further. */
static void fill_open(sal_system *s)
{
    sal_rows_residual(&s->rows, s->z, NULL, s->phi, NULL);
    for (int r = 0; r < s->model->m; r++) s->phi[r] -= s->mode.held[r] && !isnan(s->open[r]) ? s->open[r] : 0.0;
}

/* Newton's method with the Jacobian of the first iterate: the error of a step is tiny, so each pass gains as many
 * digits as the step had. It ends when rounding does: where a pass no longer makes the residual smaller by half. A
 * residual that does not become small cannot be projected away: the step was too long. Friction has no part in it: the
 * correction is the least in the metric of the masses, where K with friction would make it large near a jam. */
sal_status sal_system_project(sal_system *s, sal_shift *metric)
{
    enum { PASSES = 6 };
    const sal_model *model = s->model;
    double           phi, phidot, first, last = HUGE_VAL;
    sal_status       status;

    if (model->m == 0) return SAL_OK;
    status = sal_system_factor_projected(s, metric);
    if (status != SAL_OK) return status;
    for (int pass = 0; pass < PASSES; pass++) {
        fill_open(s);
        phi = largest_scaled(s, s->phi);
        if (pass == 0) first = phi;
        if (!(phi > 0.0) || phi > 0.5 * last) break;
        correct(s, s->phi, metric, s->z);
        last = phi;
    }
    fill_open(s);
    if (!(largest_scaled(s, s->phi) <= SAL_PROJECTED * first) && !is_closed(s)) return SAL_ERR_NUMBER;
    last = HUGE_VAL;
    for (int pass = 0; pass < PASSES; pass++) {
        sal_system_residual(s, &phi, &phidot);
        if (!(phidot > 0.0) || phidot > 0.5 * last) break;
        correct(s, s->phidot, metric, s->zd);
        last = phidot;
    }
    if (!isfinite(phi) || !isfinite(phidot)) return SAL_ERR_NUMBER;
    s->bent = s->near && !metric && !may_let_go(s) && !is_straight(s);
    return SAL_OK;
}

/* -------------------------------------------------------------------------------------- programs */

double sal_system_energy(const sal_system *s)
{
    return sal_view_energy(&(sal_view){ .system = s, .z = s->z, .zd = s->zd }, s->value);
}

double sal_system_value(sal_system *s, const sal_program *program)
{
    if (program->reads & (1u << SAL_SRC_ENERGY)) s->energy = sal_system_energy(s);
    return sal_program_value(program, s->source, s->value);
}
