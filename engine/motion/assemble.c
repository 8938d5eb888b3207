/* assemble.c - a consistent start: q and v that solve Phi = 0 and Phidot = 0, near to what the scene gives.
 *
 * Positions by Newton's method with halved steps, each the shortest that solves the linearised constraints and keeps
 * the marked coordinates,
 *
 *     minimise 1/2 |dq|^2   subject to   Phi_q dq = -Phi,   dq_dof = 0
 *
 * velocities by the same system, once. Derivatives are those of this very procedure: each Newton step, with its
 * length held, is differentiated with its own factors, and at the end Q and V are brought to the constraints'
 * derivatives like q and v to the constraints. With respect to a velocity that is not given they are those of the
 * procedure in which it is, as it comes out: that is what giving it another value does. A small negative number in the
 * corner, -eps |row|^2, lets redundant constraints pass: where rows depend on each other the least multipliers are
 * taken. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/motion/motion.h"
#include "engine/base/tolerance.h"
#include "engine/base/vector.h"

/* Factors the start system at the state, changes of the coordinates weighted (NULL: all alike); leaves |row|^2 of
 * Phi_q in s->row_square. */
static sal_status factor_start(sal_system *s, const double *weight)
{
    const sal_model *model = s->model;
    const int        m = model->m, base = model->jp[m];

    sal_rows_held_jacobian(&s->rows, s->z, s->entry);
    for (int r = 0; r < m; r++) {
        s->row_square[r] = 0.0;
        for (int k = model->jp[r]; k < model->jp[r + 1]; k++) s->row_square[r] += s->entry[k] * s->entry[k];
    }
    for (int k = 0; k < model->ndof; k++) s->entry[base + k] = 1.0;
    sal_kkt_equilibrate_diagonal(&s->start, weight, s->entry);
    sal_kkt_set_rows(&s->start, s->entry);
    return sal_kkt_factor_regular(&s->start, SAL_REGULAR, s->mode.held);
}

/* Solves for the correction; the small corner must not move what is marked. */
static void solve_start(sal_system *s)
{
    const sal_model *model = s->model;

    sal_kkt_solve_exact(&s->start, s->rhs, 1);
    for (int k = 0; k < model->ndof; k++) s->rhs[model->dof[k]] = 0.0;
}

/* About how far a row is from closed, as a length |Phi_r| / |Phi_q,r|; s->row_square holds the square of the latter. */
static double openness(const sal_system *s, int row)
{
    return fabs(s->phi[row]) / (s->row_square[row] > 0.0 ? sqrt(s->row_square[row]) : 1.0);
}

/* The gradient of a row with respect to the place of one free point, from s->entry; gives its length. */
static double gradient_at(const sal_system *s, int row, int point, double g[SAL_AXES])
{
    const sal_model *model  = s->model;
    const int        axes   = model->tables->dimension;
    double           length = 0.0;

    for (int axis = 0; axis < axes; axis++) g[axis] = 0.0;
    for (int k = model->jp[row]; k < model->jp[row + 1]; k++) {
        if (model->jc[k] / axes == point) g[model->jc[k] % axes] = s->entry[k];
    }
    for (int axis = 0; axis < axes; axis++) length = hypot(length, g[axis]);
    return length;
}

/* How far one point would have to move, along the steepest way, to close the row alone: for a bar the difference of
 * its length and the distance of its ends. Newton's method on the row; q is the same afterwards. */
static double gap(sal_system *s, int row)
{
    const sal_model *model  = s->model;
    const int        axes   = model->tables->dimension;
    const double     length = sal_scale_length(s);
    const size_t     mark   = sal_arena_mark(&s->arena);
    double *q = sal_arena_take(&s->arena, model->n), g[SAL_AXES], u[SAL_AXES] = { 0.0 }, most = 0.0, moved = 0.0;
    int     point = 0;

    memcpy(q, s->z, sizeof *q * (size_t)model->n);
    for (int i = 0; i < 30; i++) {
        double slope = 0.0;
        sal_rows_held_jacobian(&s->rows, s->z, s->entry);
        sal_rows_residual(&s->rows, s->z, NULL, s->phi, NULL);
        for (int k = model->jp[row]; k < model->jp[row + 1] && i == 0; k++) { /* the point that the row feels most */
            const double steep = gradient_at(s, row, model->jc[k] / axes, g);
            if (!(steep > most)) continue;
            most  = steep;
            point = model->jc[k] / axes;
            for (int axis = 0; axis < axes; axis++) u[axis] = g[axis] / most;
        }
        gradient_at(s, row, point, g);
        for (int axis = 0; axis < axes; axis++) slope += g[axis] * u[axis];
        if (most == 0.0 || slope == 0.0 || fabs(s->phi[row]) < 1e-14 * most * length) break;
        moved -= s->phi[row] / slope;
        for (int axis = 0; axis < axes; axis++) s->z[axes * point + axis] = q[axes * point + axis] + moved * u[axis];
    }
    memcpy(s->z, q, sizeof *q * (size_t)model->n);
    sal_arena_release(&s->arena, mark);
    return fabs(moved);
}

/* Names the rows that are open widest. */
static sal_status report_open(sal_system *s)
{
    enum { MOST = 4 };
    const sal_model *model = s->model;
    int              row[MOST], count = 0;
    double           width[MOST];
    char             text[600] = "";
    size_t           used      = 0;

    for (int r = 0; r < model->m; r++) {
        const double g = gap(s, r);
        int          k = count < MOST ? count++ : MOST;
        for (; k > 0 && g > (1.0 + 1e-9) * width[k - 1]; k--) { /* sorted by insertion; the least falls off the end */
            if (k == MOST) continue;
            row[k]   = row[k - 1];
            width[k] = width[k - 1];
        }
        if (k == MOST) continue;
        row[k]   = r;
        width[k] = g;
    }
    for (int k = 0; k < count && width[k] > SAL_NAMED * width[0]; k++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s by %.3g m",
                                 k ? ", " : " stays open: ", model->tables->rows.at[row[k]].name, width[k]);
    }
    return sal_system_fail(s, SAL_ERR_ASSEMBLY, "%s: the mechanism cannot be assembled from the positions given;%s%s",
                           model->tables->file, text, model->ndof ? " (with the coordinates marked dof kept)" : "");
}

/* -------------------------------------------------------------------------------------- tangents */

/* Solves for the change of a correction [d; mu; nu] of the start system: d + Phi_q^T mu + E^T nu = 0, Phi_q d =
 * -residual, E d = 0. `change` [m][p] is how residual + Phi_q d changes with d held; mu NULL: zero. The result is
 * added to the coordinates' rows of x, times `length`. */
static void correct_tangent(sal_system *s, sal_tangent *t, const double *mu, const double *change, double length,
                            double *x)
{
    const sal_model *model = s->model;
    const int        n = model->n, size = model->start.size, p = t->p;

    memset(t->rhs, 0, sizeof(double) * (size_t)size * (size_t)p);
    if (mu) {
        memset(t->force, 0, sizeof(double) * (size_t)model->nz * (size_t)p);
        sal_rows_force_jvp(&s->rows, s->z, mu, sal_tangent_directions(t), t->force);
        sal_tangent_to_rhs(t, t->force, n, size, 0, 1.0);
    }
    sal_tangent_to_rhs(t, change, model->m, size, n, -1.0);
    sal_kkt_solve_exact(&s->start, t->rhs, p);
    for (int c = 0; c < p; c++) {
        double *b = t->rhs + (size_t)c * (size_t)size;
        for (int k = 0; k < model->ndof; k++) b[model->dof[k]] = 0.0;
        for (int k = 0; k < n; k++) x[(size_t)k * (size_t)p + (size_t)c] += length * b[k];
    }
}

/* A Newton step d with multipliers mu and length `length`, from the state where the factors were made. */
static void newton_tangent(sal_system *s, sal_tangent *t, const double *solution, double length)
{
    const sal_model *model = s->model;
    const int        n     = model->n;
    const size_t     mark  = sal_arena_mark(&s->arena);
    double *held = sal_arena_take(&s->arena, model->nz); /* d as a velocity; what is no coordinate stands still */

    memset(held, 0, sizeof *held * (size_t)model->nz);
    memcpy(held, solution, sizeof *held * (size_t)n);
    sal_rows_residual_jvp(&s->rows, s->z, held, (sal_directions){ t->p, t->z, t->none, t->none, t->inert }, t->row,
                          t->row2);
    for (int k = 0; k < model->m * t->p; k++) t->row[k] += t->row2[k];
    correct_tangent(s, t, solution + n, t->row, length, t->z);
    sal_arena_release(&s->arena, mark);
}

/* At the assembled positions, where the factors were made: Q solves Phi_q Q + Phi_rho = 0. */
static sal_status close_tangent(sal_system *s, sal_tangent *t)
{
    if (!t) return SAL_OK;
    sal_rows_residual_jvp(&s->rows, s->z, NULL, sal_tangent_directions(t), t->row, NULL);
    correct_tangent(s, t, NULL, t->row, 1.0, t->z);
    return SAL_OK;
}

/* ---------------------------------------------------------------------------------------- states */

/* before [n], found [n + m] are workspace. */
static sal_status close_positions(sal_system *s, double time, sal_tangent *t, double *before, double *found)
{
    enum { ITERATIONS = 100, HALVINGS = 30 };
    const sal_model *model = s->model;
    const int        n = model->n, m = model->m;
    double           now, last       = HUGE_VAL;
    bool             closed;
    sal_status       status;

    sal_system_move(s, time, NULL, NULL);
    for (int i = 0; i < ITERATIONS; i++) {
        double worst = 0.0, size = sal_scale_length(s), step = 1.0;
        sal_rows_residual(&s->rows, s->z, NULL, s->phi, NULL);
        now = sal_norm(s->phi, m);
        if (!isfinite(now))
            return sal_system_fail(s, SAL_ERR_NUMBER, "a constraint is not finite at the positions given");
        status = factor_start(s, NULL);
        if (status == SAL_ERR_MEMORY) return sal_system_fail(s, status, "out of memory");
        if (status != SAL_OK) return report_open(s);
        for (int r = 0; r < m; r++) worst = fmax(worst, openness(s, r));
        for (int k = 0; k < n; k++) size = fmax(size, fabs(s->z[k]));
        closed = worst <= SAL_ASSEMBLED * size;
        if (worst <= 1e-15 * size || (closed && now > 0.5 * last))
            return close_tangent(s, t); /* as well as rounding allows */
        last = now;

        memset(s->rhs, 0, sizeof *s->rhs * (size_t)model->start.size);
        for (int r = 0; r < m; r++) s->rhs[n + r] = -s->phi[r];
        solve_start(s);
        memcpy(before, s->z, sizeof *before * (size_t)n);
        memcpy(found, s->rhs, sizeof *found * (size_t)(n + m));
        for (int k = 0; k < HALVINGS; k++, step *= 0.5) {
            for (int j = 0; j < n; j++) s->z[j] = before[j] + step * found[j];
            sal_rows_residual(&s->rows, s->z, NULL, s->phi, NULL);
            if (sal_norm(s->phi, m) < (1.0 - 1e-4 * step) * now) break;
        }
        if (!(sal_norm(s->phi, m) < now)) {
            memcpy(s->z, before, sizeof *before * (size_t)n);
            return closed ? close_tangent(s, t) : report_open(s);
        }
        if (t) { /* back where the factors belong, and on again */
            for (int j = 0; j < n; j++) s->z[j] = before[j];
            newton_tangent(s, t, found, step);
            for (int j = 0; j < n; j++) s->z[j] = before[j] + step * found[j];
        }
        sal_system_count_turns(s, false); /* an angle may have to go further than half a turn */
    }
    return report_open(s);
}

static sal_status assemble_positions(sal_system *s, double time, sal_tangent *t)
{
    const size_t mark   = sal_arena_mark(&s->arena);
    double      *before = sal_arena_take(&s->arena, s->model->n);
    double      *found  = sal_arena_take(&s->arena, s->model->n + s->model->m);
    sal_status   status = close_positions(s, time, t, before, found);

    sal_arena_release(&s->arena, mark);
    return status;
}

/* How far the row that is open widest is from closed [m]. */
static double widest(sal_system *s)
{
    const sal_model *model = s->model;
    double           worst = 0.0;

    sal_rows_held_jacobian(&s->rows, s->z, s->entry);
    sal_rows_residual(&s->rows, s->z, NULL, s->phi, NULL);
    for (int r = 0; r < model->m; r++) {
        s->row_square[r] = 0.0;
        for (int k = model->jp[r]; k < model->jp[r + 1]; k++) s->row_square[r] += s->entry[k] * s->entry[k];
        worst = fmax(worst, openness(s, r));
    }
    return worst;
}

/* How far the coordinates are from `before`. */
static double moved(const sal_system *s, const double *before)
{
    double most = 0.0;

    for (int k = 0; k < s->model->n; k++) most = fmax(most, fabs(s->z[k] - before[k]));
    return most;
}

/* Assembles without the rows that almost depend on others at q; whether those are closed then as well. */
static sal_status assemble_independent(sal_system *s, double time, sal_tangent *t, const double *q, const double *Q,
                                       double almost, bool *closed)
{
    const int    n    = s->model->n;
    const size_t size = sizeof(double) * (size_t)n;
    double       most = 0.0;
    sal_status   status;

    *closed = false;
    memcpy(s->z, q, size);
    if (t) memcpy(t->z, Q, size * (size_t)t->p);
    sal_system_move(s, time, NULL, NULL);
    sal_mode_copy(&s->independent, &s->part);
    status = sal_structure_drop(s, almost, &s->independent);
    sal_system_set_mode(s, &s->independent);
    if (status != SAL_ERR_MEMORY) status = status == SAL_OK ? assemble_positions(s, time, t) : SAL_ERR_ASSEMBLY;
    sal_system_set_mode(s, &s->part);
    if (status != SAL_OK) return status;
    for (int k = 0; k < n; k++) most = fmax(most, fabs(s->z[k]));
    *closed = widest(s) <= SAL_ASSEMBLED * fmax(most, moved(s, q));
    return SAL_OK;
}

/* Away from the configurations in which redundant rows agree they differ a little from dependent ones, and Newton's
 * method may go far to a place where that does not matter. Where it has gone much further than rows were open, or
 * found nothing: again without rows that almost depend on others at the start, if what is found fulfils them too and
 * is nearer. */
static sal_status assemble_all(sal_system *s, double time, sal_tangent *t, const double *given)
{
    static const double almost[] = { 1e-3, 1e-2, 0.1, 0.3 };
    const size_t        n = (size_t)s->model->n, p = t ? (size_t)t->p : 0;
    sal_status          status, again              = SAL_OK;
    double              open, first, length;
    double             *found, *Found, *Q;
    bool                closed = false;
    char                message[sizeof s->message];
    sal_pool            pool;

    sal_system_move(s, time, NULL, NULL);
    open   = widest(s);
    length = sal_scale_length(s);
    sal_pool_init(&pool, s->model->tables->context);
    Q = p ? SAL_NEW(&pool, double, n *p) : NULL;
    if (p && Q) memcpy(Q, t->z, sizeof(double) * n * p);
    status = pool.failed ? SAL_ERR_MEMORY : assemble_positions(s, time, t);
    first  = status == SAL_OK ? moved(s, given) : HUGE_VAL;
    if ((status == SAL_OK && !(first > 3.0 * open + SAL_DETOUR * length)) ||
        (status != SAL_OK && status != SAL_ERR_ASSEMBLY)) {
        sal_pool_free(&pool);
        return status;
    }
    found = SAL_NEW(&pool, double, n);
    Found = p ? SAL_NEW(&pool, double, n *p) : NULL;
    if (!pool.failed) {
        memcpy(found, s->z, sizeof(double) * n);
        if (p) memcpy(Found, t->z, sizeof(double) * n * p);
        memcpy(message, s->message, sizeof message);
        for (int k = 0; k < SAL_COUNT(almost) && !closed && again != SAL_ERR_MEMORY; k++)
            again = assemble_independent(s, time, t, given, Q, almost[k], &closed);
        if (closed && moved(s, given) < 0.5 * first) {
            status        = SAL_OK;
            s->message[0] = '\0';
        } else { /* as it was */
            memcpy(s->z, found, sizeof(double) * n);
            if (p) memcpy(t->z, Found, sizeof(double) * n * p);
            memcpy(s->message, message, sizeof message);
        }
    }
    if (pool.failed || again == SAL_ERR_MEMORY) status = SAL_ERR_MEMORY;
    sal_pool_free(&pool);
    return status == SAL_ERR_MEMORY ? sal_system_fail(s, status, "out of memory") : status;
}

/* The velocities nearest to those given that fulfil Phidot = 0. Those that the scene does not give follow: their
 * changes hardly count. */
static sal_status assemble_velocities(sal_system *s, sal_tangent *t, const double *weight)
{
    const sal_model *model = s->model;
    const int        n = model->n, m = model->m;
    double           phi, phidot, scale = 0.0;
    sal_status       status;

    if (m == 0) return SAL_OK;
    status = factor_start(s, weight);
    if (status == SAL_ERR_MEMORY) return sal_system_fail(s, status, "out of memory");
    if (status != SAL_OK) return sal_system_fail(s, SAL_ERR_ASSEMBLY, "the velocities cannot be made consistent");
    sal_system_residual(s, &phi, &phidot);
    memset(s->rhs, 0, sizeof *s->rhs * (size_t)model->start.size);
    for (int r = 0; r < m; r++) s->rhs[n + r] = -s->phidot[r];
    solve_start(s);
    for (int k = 0; k < n; k++) s->zd[k] += s->rhs[k];
    if (t) {
        sal_rows_residual_jvp(&s->rows, s->z, s->zd, sal_tangent_directions(t), t->row, t->row2);
        correct_tangent(s, t, s->rhs + n, t->row2, 1.0, t->zd);
    }
    sal_system_residual(s, &phi, &phidot);
    for (int k = 0; k < model->tables->points.n; k++) { /* driven ones included */
        const sal_basis *p = sal_basis_of(model->tables, model->tables->points.at[k].point);
        for (int axis = 0; axis < model->tables->dimension; axis++) scale = fmax(scale, fabs(s->zd[p->i[axis]]));
    }
    for (int r = 0; r < m; r++) {
        if (fabs(s->phidot[r]) <= SAL_VELOCITY_OFF * scale * sqrt(s->row_square[r])) continue;
        return sal_system_fail(s, SAL_ERR_ASSEMBLY, "the velocities given contradict the constraint %s%s",
                               model->tables->rows.at[r].name, model->ndof ? " (with those marked dof kept)" : "");
    }
    return SAL_OK;
}

/* Coordinate k of a point starts at the slot `from`, or where the run says. */
static void place(const double *given, int k, double standard, double *x)
{
    x[k] = isnan(given[k]) ? standard : given[k];
}

/* Its derivatives: those of the slot unless the run says where, and 1 with respect to itself. */
static void place_tangent(sal_tangent *t, const double *given, int k, sal_slot from, bool velocity, double *x)
{
    double *row = x + (size_t)k * (size_t)t->p;

    for (int c = 0; c < t->p; c++) {
        const bool own = t->wrt[c].parameter < 0 && t->wrt[c].coordinate == k && t->wrt[c].velocity == velocity;
        row[c] = own ? 1.0 : from == SAL_NONE || !isnan(given[k]) ? 0.0 : t->z[(size_t)from * (size_t)t->p + (size_t)c];
    }
}

static bool velocity_given(const sal_tables *tables, const sal_point_def *p, int axis, sal_initial initial)
{
    return p->velocity[axis] != SAL_NONE || !isnan(initial.v[sal_basis_of(tables, p->point)->i[axis]]);
}

static void place_positions(sal_system *s, sal_initial initial, sal_tangent *t)
{
    const sal_tables *tables = s->model->tables;

    for (int k = 0; k < tables->points.n; k++) {
        const sal_point_def *p = &tables->points.at[k];
        for (int axis = 0; axis < tables->dimension && p->kind == SAL_FREE; axis++) {
            const int q = sal_basis_of(tables, p->point)->i[axis];
            place(initial.q, q, s->z[p->at[axis]], s->z);
            if (t) place_tangent(t, initial.q, q, p->at[axis], false, t->z);
        }
    }
}

/* Velocities as given, zero where they are not; or only those that are. */
static void place_velocities(sal_system *s, sal_initial initial, sal_tangent *t, bool all)
{
    const sal_tables *tables = s->model->tables;

    for (int k = 0; k < tables->points.n; k++) {
        const sal_point_def *p = &tables->points.at[k];
        for (int axis = 0; axis < tables->dimension && p->kind == SAL_FREE; axis++) {
            const int q = sal_basis_of(tables, p->point)->i[axis];
            if (!all && !velocity_given(tables, p, axis, initial)) continue;
            place(initial.v, q, p->velocity[axis] == SAL_NONE ? 0.0 : s->z[p->velocity[axis]], s->zd);
            if (t) place_tangent(t, initial.v, q, p->velocity[axis], true, t->zd);
        }
    }
}

/* Tells what assembly did to what the scene says, where that is more than polish. `before`: q and v as given. */
static void report_changes(const sal_system *s, const double *before)
{
    const sal_tables *tables = s->model->tables;
    double            size = 0.0, speed = 0.0;

    for (int k = 0; k < s->model->n; k++) {
        size  = fmax(size, fabs(s->z[k]));
        speed = fmax(speed, fabs(before[s->model->n + k]));
    }
    for (int k = 0; k < tables->points.n; k++) {
        const sal_point_def *p = &tables->points.at[k];
        const int            x = sal_basis_of(tables, p->point)->xi, y = sal_basis_of(tables, p->point)->yi;
        const double        *q = before, *v = before + s->model->n;
        if (p->kind != SAL_FREE) continue;
        if (hypot(s->z[x] - q[x], s->z[y] - q[y]) > 0.1 * size) {
            sal_log(tables->context, "%s moved from (%.6g, %.6g) to (%.6g, %.6g) when the mechanism was assembled",
                    p->name, q[x], q[y], s->z[x], s->z[y]);
        }
        if (p->velocity[0] != SAL_NONE && hypot(s->zd[x] - v[x], s->zd[y] - v[y]) > SAL_VELOCITY_TOLD * speed) {
            sal_log(tables->context, "%s cannot start with (%.6g, %.6g) m/s; it starts with (%.6g, %.6g) m/s", p->name,
                    v[x], v[y], s->zd[x], s->zd[y]);
        }
    }
}

/* Consistent velocities from those given. */
static sal_status assemble_given(sal_system *s, sal_initial initial, sal_tangent *t)
{
    enum {
        NOT_GIVEN = -5, /* power of ten of the weight of a velocity that the scene does not give */
        PASSES = 3 /* each with those given as they were, and those not as they have become: 15 digits of those given */
    };
    const sal_tables *tables = s->model->tables;
    double           *weight = s->start_weight;
    sal_status        status = SAL_OK;

    for (int k = 0; k < tables->points.n; k++) {
        const sal_point_def *p = &tables->points.at[k];
        for (int axis = 0; axis < tables->dimension && p->kind == SAL_FREE; axis++) {
            const int q = sal_basis_of(tables, p->point)->i[axis];
            weight[q]   = velocity_given(tables, p, axis, initial) || p->dof[axis] ? 1.0 : pow(10.0, NOT_GIVEN);
        }
    }
    for (int pass = 0; pass < PASSES && status == SAL_OK; pass++) {
        place_velocities(s, initial, t, pass == 0);
        status = assemble_velocities(s, t, weight);
    }
    return status;
}

/* V with respect to the velocity of coordinate q, column c, which is not given: again with it given as it is. The
 * velocities are the same, but for rounding. */
static sal_status differentiate_by_velocity(sal_system *s, sal_initial initial, sal_tangent *t, int q, int c)
{
    const size_t n = (size_t)s->model->n, p = (size_t)t->p;
    sal_pool     pool;
    double      *v, *V, *given;
    sal_status   status;

    sal_pool_init(&pool, s->model->tables->context);
    v     = SAL_NEW(&pool, double, n);
    V     = SAL_NEW(&pool, double, n *p);
    given = SAL_NEW(&pool, double, n);
    if (pool.failed) {
        sal_pool_free(&pool);
        return sal_system_fail(s, SAL_ERR_MEMORY, "out of memory");
    }
    memcpy(v, s->zd, sizeof *v * n);
    memcpy(V, t->zd, sizeof *V * n * p);
    memcpy(given, initial.v, sizeof *given * n);
    given[q] = v[q];
    status   = assemble_given(s, (sal_initial){ initial.q, given }, t);
    for (size_t k = 0; k < n; k++) V[k * p + (size_t)c] = t->zd[k * p + (size_t)c];
    memcpy(s->zd, v, sizeof *v * n);
    memcpy(t->zd, V, sizeof *V * n * p);
    sal_pool_free(&pool);
    return status;
}

/* The velocities, and what they are given as: those that are not, as they come out. */
static sal_status assemble_all_velocities(sal_system *s, sal_initial initial, sal_tangent *t, double *before)
{
    const sal_tables *tables = s->model->tables;
    sal_status        status;

    place_velocities(s, initial, t, true);
    memcpy(before, s->zd, sizeof *before * (size_t)s->model->n);
    status = assemble_given(s, initial, t);
    for (int k = 0; k < tables->points.n && status == SAL_OK; k++) {
        const sal_point_def *p = &tables->points.at[k];
        for (int axis = 0; axis < tables->dimension && p->kind == SAL_FREE; axis++) {
            const int q = sal_basis_of(tables, p->point)->i[axis];
            if (velocity_given(tables, p, axis, initial)) continue;
            before[q] = s->zd[q];
            for (int c = 0; t && c < t->p && status == SAL_OK; c++) {
                const sal_wrt *w = &t->wrt[c];
                if (w->parameter < 0 && w->velocity && w->coordinate == q)
                    status = differentiate_by_velocity(s, initial, t, q, c);
            }
        }
    }
    return status;
}

sal_status sal_system_assemble(sal_system *s, double time, sal_initial initial, sal_tangent *t)
{
    const sal_tables *tables = s->model->tables;
    const int         n      = s->model->n;
    double           *before = s->start_given;
    sal_status        status;

    for (int k = 0; k < tables->points.n; k++) {
        const sal_point_def *p = &tables->points.at[k];
        for (int axis = 0; axis < tables->dimension && p->kind == SAL_FREE; axis++)
            s->z[sal_basis_of(tables, p->point)->i[axis]] = s->z[p->at[axis]];
    }
    sal_system_count_turns(s, true); /* from the angles as given, so that none jumps by a turn in what follows */
    place_positions(s, initial, t);
    place_velocities(s, initial, t, true);
    sal_system_move(s, time, NULL, NULL);
    status = sal_system_start_turns(s);
    if (status != SAL_OK) return status;
    memcpy(before, s->z, sizeof *before * (size_t)n);
    sal_mode_copy(&s->whole, &s->mode);
    sal_mode_copy(&s->part, &s->mode);
    for (int r = 0; r < s->model->m; r++) /* rows of which only the rate is known leave the positions alone */
        s->part.held[r] = s->part.held[r] && !tables->rows.at[r].rate;
    sal_system_set_mode(s, &s->part);
    status = assemble_all(s, time, t, before);
    sal_system_count_turns(s, false);
    sal_system_set_mode(s, &s->whole);
    if (status == SAL_OK) status = assemble_all_velocities(s, initial, t, before + n);
    if (status == SAL_OK && !s->quiet) report_changes(s, before);
    return status;
}
