/* position.c - a consistent start: q and v that solve Phi = 0 and Phidot = 0, near to what the scene gives.
 *
 * Positions by Newton's method with halved steps, each the shortest that solves the linearised constraints and keeps
 * the marked coordinates,
 *
 *     minimise 1/2 |dq|^2   subject to   Phi_q dq = -Phi,   dq_dof = 0
 *
 * velocities by the same system, once. A small negative number in the corner, -eps |row|^2, lets redundant constraints pass:
 * where rows depend on each other the least multipliers are taken. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/dynamics.h"
#include "engine/rows.h"

static const double REGULAR = 1e-12;

/* Factors the start system at the state; leaves |row|^2 of Phi_q in s->c. */
static sal_status factor_start(sal_system *s)
{
    const sal_model *model = s->model;
    const int        m = model->m, base = model->jp[m];

    sal_rows_jacobian(model, s->z, s->entry);
    for (int r = 0; r < m; r++) {
        s->c[r] = 0.0;
        for (int k = model->jp[r]; k < model->jp[r + 1]; k++) s->c[r] += s->entry[k] * s->entry[k];
        s->corner[r] = -REGULAR * (s->c[r] > 0.0 ? s->c[r] : 1.0);
    }
    for (int k = 0; k < model->ndof; k++) {
        s->entry[base + k] = 1.0;
        s->corner[m + k]   = -REGULAR;
    }
    sal_kkt_set_identity(&s->start);
    sal_kkt_set_rows(&s->start, s->entry);
    sal_kkt_set_corner(&s->start, s->corner);
    return sal_kkt_factor(&s->start);
}

/* Solves for the correction; the small corner must not move what is marked. */
static void solve_start(sal_system *s)
{
    const sal_model *model = s->model;

    sal_kkt_solve(&s->start, s->rhs, 1);
    for (int k = 0; k < model->ndof; k++) s->rhs[model->dof[k]] = 0.0;
}

/* How far the rows are from closed, as lengths |Phi_r| / |Phi_q,r|; s->c holds the squares of the latter. */
static double openness(const sal_system *s, int row)
{
    return fabs(s->phi[row]) / (s->c[row] > 0.0 ? sqrt(s->c[row]) : 1.0);
}

static double total(const double *x, int n)
{
    double sum = 0.0;

    for (int k = 0; k < n; k++) sum += x[k] * x[k];
    return sqrt(sum);
}

static sal_status report_open(sal_system *s)
{
    enum { MOST = 4 };
    const sal_model *model     = s->model;
    char             text[600] = "";
    size_t           used      = 0;
    int              shown[MOST];

    sal_rows_residual(model, s->z, NULL, s->phi, NULL);
    for (int k = 0; k < MOST; k++) { /* the worst first */
        int worst = -1;
        for (int r = 0; r < model->m; r++) {
            bool taken = false;
            for (int j = 0; j < k; j++) taken = taken || shown[j] == r;
            if (!taken && openness(s, r) > 1e-9 && (worst < 0 || openness(s, r) > openness(s, worst))) worst = r;
        }
        if (worst < 0) break;
        shown[k] = worst;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s by %.3g m",
                                 k ? ", " : " stays open: ", model->scene->rows.at[worst].name, openness(s, worst));
    }
    return sal_system_fail(s, SAL_ERR_ASSEMBLY, "the mechanism cannot be assembled from the positions given;%s%s", text,
                           model->ndof ? " (with the coordinates marked dof kept)" : "");
}

static sal_status assemble_positions(sal_system *s, double t)
{
    enum { ITERATIONS = 100, HALVINGS = 30 };
    const sal_model *model = s->model;
    const int        n = model->n, m = model->m;
    double          *before = s->saved, now, last = HUGE_VAL;

    sal_system_move(s, t, NULL, NULL);
    for (int i = 0; i < ITERATIONS; i++) {
        double worst = 0.0, step = 1.0;
        sal_rows_residual(model, s->z, NULL, s->phi, NULL);
        now = total(s->phi, m);
        if (!isfinite(now))
            return sal_system_fail(s, SAL_ERR_NUMBER, "a constraint is not finite at the positions given");
        if (factor_start(s) != SAL_OK) return report_open(s);
        for (int r = 0; r < m; r++) worst = fmax(worst, openness(s, r));
        if (worst < 1e-15 || (worst < 1e-12 && now > 0.5 * last))
            return SAL_OK; /* closed, as well as rounding allows */
        last = now;

        memset(s->rhs, 0, sizeof *s->rhs * (size_t)model->start.size);
        for (int r = 0; r < m; r++) s->rhs[n + r] = -s->phi[r];
        solve_start(s);
        memcpy(before, s->z, sizeof *before * (size_t)n);
        for (int k = 0; k < HALVINGS; k++, step *= 0.5) {
            for (int j = 0; j < n; j++) s->z[j] = before[j] + step * s->rhs[j];
            sal_rows_residual(model, s->z, NULL, s->phi, NULL);
            if (total(s->phi, m) < (1.0 - 1e-4 * step) * now) break;
        }
        if (!(total(s->phi, m) < now)) {
            memcpy(s->z, before, sizeof *before * (size_t)n);
            return worst < 1e-12 ? SAL_OK : report_open(s);
        }
    }
    return report_open(s);
}

/* The velocities nearest to those given that fulfil Phidot = 0. Three passes: the first solves, the others take out what
 * the small corner left. */
static sal_status assemble_velocities(sal_system *s)
{
    const sal_model *model = s->model;
    const int        n = model->n, m = model->m;
    double           phi, phidot, scale = 1.0;

    if (m == 0) return SAL_OK;
    if (factor_start(s) != SAL_OK)
        return sal_system_fail(s, SAL_ERR_ASSEMBLY, "the velocities cannot be made consistent");
    for (int pass = 0; pass < 3; pass++) {
        sal_system_residual(s, &phi, &phidot);
        memset(s->rhs, 0, sizeof *s->rhs * (size_t)model->start.size);
        for (int r = 0; r < m; r++) s->rhs[n + r] = -s->phidot[r];
        solve_start(s);
        for (int k = 0; k < n; k++) s->zd[k] += s->rhs[k];
    }
    sal_system_residual(s, &phi, &phidot);
    for (int k = 0; k < n; k++) scale = fmax(scale, fabs(s->zd[k]));
    for (int r = 0; r < m; r++) {
        if (fabs(s->phidot[r]) <= 1e-9 * scale * fmax(1.0, sqrt(s->c[r]))) continue;
        return sal_system_fail(s, SAL_ERR_ASSEMBLY, "the velocities given contradict the constraint %s%s",
                               model->scene->rows.at[r].name, model->ndof ? " (with those marked dof kept)" : "");
    }
    return SAL_OK;
}

sal_status sal_system_assemble(sal_system *s, double t)
{
    const sal_scene *scene = s->model->scene;
    sal_status       status;

    for (int k = 0; k < scene->points.n; k++) {
        const sal_point_def *p = &scene->points.at[k];
        if (p->kind != SAL_FREE) continue;
        s->z[p->point.xi]  = s->z[p->at[0]];
        s->z[p->point.yi]  = s->z[p->at[1]];
        s->zd[p->point.xi] = p->velocity[0] == SAL_NONE ? 0.0 : s->z[p->velocity[0]];
        s->zd[p->point.yi] = p->velocity[1] == SAL_NONE ? 0.0 : s->z[p->velocity[1]];
    }
    status = assemble_positions(s, t);
    return status == SAL_OK ? assemble_velocities(s) : status;
}
