/* equilibrium.c - static equilibria and how they change with parameters; matrices in rest.h.
 *
 * Newton's method in the motions that the constraints leave, with a shift that makes it go downhill,
 *
 *     (H_z + mu I) y = L^T M a,      q <- q + Z y, back on Phi = 0           M a = F - Phi_q^T lambda at rest
 *
 * mu = 0 near a stable equilibrium; else it is so large that H_z + mu I is positive definite and |y| stays within a
 * radius. The radius follows how well the work of the forces along the step, 1/2 (M a + M a+) (q+ - q), agrees with
 * what H_z has promised: minima of the potential attract, saddles do not. One that is met all the same, by symmetry, is
 * left along its direction of negative stiffness. The end is where rounding ends it.
 *
 * Derivatives. With Q_p any solution of Phi_q Q + Phi_rho = 0, the force M A that arises along it has to be balanced:
 *
 *     Q = Q_p + Z Y,   H_z Y = L^T M A(Q_p),   then Lambda from the tangent of the same solve, with A = 0
 *
 * Rows of which only the rate is known keep the value that they have at the start. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/studies/rest.h"
#include "engine/solve/lapack.h"
#include "engine/base/vector.h"

typedef sal_equilibrium eq;

sal_equilibrium_opts sal_equilibrium_defaults(void)
{
    return (sal_equilibrium_opts){
        .size = sizeof(sal_equilibrium_opts), .tolerance = 1e-12, .iterations = 300, .run = sal_run_defaults()
    };
}

/* ------------------------------------------------------------------------------------------- sizes */

/* The extent of all points, fixed ones included, and how far they are from where they started. */
static double size_of(const eq *e, const double *q)
{
    const sal_tables *tables = e->model->tables;
    const double     *z      = e->run->system.z;
    double            low[2] = { HUGE_VAL, HUGE_VAL }, high[2] = { -HUGE_VAL, -HUGE_VAL }, size = 0.0;

    for (int k = 0; k < tables->points.n; k++) {
        const sal_point_def *p = &tables->points.at[k];
        if (p->kind == SAL_MARKER) continue;
        for (int axis = 0; axis < 2; axis++) {
            const double x = p->kind == SAL_FREE ? q[sal_basis_of(tables, p->point)->i[axis]] : z[p->at[axis]];
            low[axis]      = fmin(low[axis], x);
            high[axis]     = fmax(high[axis], x);
        }
    }
    for (int axis = 0; axis < 2; axis++) size = fmax(size, high[axis] - low[axis]);
    for (int k = 0; k < e->model->n; k++) size = fmax(size, fabs(q[k] - e->q0[k]));
    return size > 0.0 ? size : 1.0;
}

/* What residuals are measured by: each part of the forces, and what rounding of positions makes of the stiffness. */
static double force_scale(const eq *e)
{
    const sal_system *s     = &e->run->system;
    double            scale = 0.0;

    for (int k = 0; k < e->model->n; k++)
        scale = fmax(scale, fabs(s->gravity[k]) + fabs(s->force[k] - s->gravity[k]) + fabs(e->rest.Ma[k]));
    return scale + SAL_POSITION_FORCE * sal_largest(e->eigen, e->rest.free) * e->size;
}

/* --------------------------------------------------------------------------------------- messages */

static sal_status fail(eq *e, sal_status status, const char *text)
{
    return sal_fail(e->context, status, "%s", text);
}

/* The system could not be solved where the search stands. */
static sal_status explain(eq *e, sal_status status)
{
    sal_system_explain(&e->run->system, status, &e->run->system.motion);
    return fail(e, status, e->run->system.message);
}

/* Names the coordinates along which it would go on. */
static sal_status none_found(eq *e, int iterations)
{
    enum { MOST = 4 };
    const double fastest = sal_largest(e->rest.a, e->model->n), force = sal_largest(e->rest.Ma, e->model->n);
    char         names[300] = "";
    size_t       used       = 0;
    int          named      = 0;

    for (int k = 0; k < e->model->n && used < sizeof names; k++) {
        if (!(fabs(e->rest.a[k]) > 0.3 * fastest) || named > MOST) continue;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", named ? ", " : "",
                                 named == MOST ? "..." : e->model->coordinate[k]);
        named++;
    }
    if (e->size > SAL_AWAY * e->start_size)
        return sal_fail(e->context, SAL_ERR_EQUILIBRIUM,
                        "%s: no equilibrium: nothing holds it along %s, where a force of %.3g N remains",
                        e->model->tables->file, names, force);
    return sal_fail(e->context, SAL_ERR_EQUILIBRIUM,
                    "%s: no equilibrium was found in %d iterations: a force of %.3g N remains along %s",
                    e->model->tables->file, iterations, force, names);
}

/* Contacts are constraints here: whether they could be. */
static void warn_of_contacts(eq *e)
{
    static const char note[] = " (which contacts hold is not searched)";

    sal_contacts_warn(&e->run->system, e->scale, e->size, e->warning, sizeof e->warning - sizeof note);
    if (e->warning[0]) strcat(e->warning, note);
}

/* ----------------------------------------------------------------------------------------- search */

/* At the state: reduced matrices, the eigenvalues of the symmetric part of H_z, the scale of forces. */
static sal_status look(eq *e)
{
    const int  f    = (sal_rest_reduce(&e->rest) == SAL_OK) ? e->rest.free : -1;
    double     skew = 0.0, most = 0.0;
    sal_status status = f < 0 ? SAL_ERR_SINGULAR : SAL_OK;

    for (int i = 0; i < f; i++) {
        for (int j = 0; j < f; j++) {
            const double a = e->rest.H[j * f + i], b = e->rest.H[i * f + j];
            e->vector[j * f + i] = 0.5 * (a + b);
            skew                 = fmax(skew, fabs(a - b));
            most                 = fmax(most, fabs(a));
        }
    }
    e->symmetric = skew <= SAL_SYMMETRIC * most;
    if (e->run->system.mode.couplings) e->symmetric = false; /* L is not Z */
    if (status == SAL_OK) status = sal_rest_eigen(&e->rest, f, e->vector, e->eigen);
    e->size  = size_of(e, e->run->system.z);
    e->scale = force_scale(e);
    sal_rest_restrict(&e->rest, e->rest.Ma, e->b);
    return status;
}

static double stiffest(const eq *e)
{
    return e->rest.free ? fmax(fabs(e->eigen[0]), fabs(e->eigen[e->rest.free - 1])) : 0.0;
}

/* y = (H_z + mu I)^-1 b, without the directions in which there is neither stiffness nor force. False: not possible. */
static bool solve_shifted(eq *e, double mu)
{
    const int f = e->rest.free, one = 1;
    int       info;

    if (!e->symmetric) {
        memcpy(e->matrix, e->rest.H, sizeof(double) * (size_t)(f * f));
        for (int k = 0; k < f; k++) e->matrix[k * f + k] += mu;
        memcpy(e->y, e->b, sizeof(double) * (size_t)f);
        dgesv_(&f, &one, e->matrix, &f, e->rest.pivot, e->y, &f, &info);
        return info == 0 && isfinite(sal_norm(e->y, f));
    }
    memset(e->y, 0, sizeof(double) * (size_t)f);
    for (int k = 0; k < f; k++) {
        const double *u     = e->vector + (size_t)k * (size_t)f;
        double        along = 0.0;
        for (int i = 0; i < f; i++) along += u[i] * e->b[i];
        if (fabs(e->eigen[k]) <= SAL_NO_STIFFNESS * stiffest(e) && fabs(along) <= e->opts.tolerance * e->scale)
            continue;
        if (!(e->eigen[k] + mu > 0.0)) return false;
        for (int i = 0; i < f; i++) e->y[i] += along / (e->eigen[k] + mu) * u[i];
    }
    return true;
}

/* Where a direction has negative stiffness: out to the radius along the one that has most. */
static void go_out(eq *e, double radius)
{
    const int     f     = e->rest.free;
    const double *u     = e->vector;
    double        along = 0.0, square = 0.0, far;

    for (int k = 0; k < f; k++) {
        along += u[k] * e->y[k];
        square += e->y[k] * e->y[k];
    }
    far = sqrt(fmax(along * along + radius * radius - square, 0.0)) - fabs(along);
    for (int k = 0; k < f; k++) e->y[k] += (along < 0.0 ? -far : far) * u[k];
}

/* A step no longer than the radius, downhill. */
static bool choose_step(eq *e, double radius)
{
    enum { SHIFTS = 100 };
    const int    f    = e->rest.free;
    const double most = stiffest(e), force = sal_norm(e->b, f);
    const bool   hill = e->eigen[0] < -SAL_NO_STIFFNESS * most;
    double       mu   = hill ? -1.5 * e->eigen[0] : 0.0;

    for (int k = 0; k < SHIFTS; k++) {
        if (solve_shifted(e, mu) && sal_norm(e->y, f) <= radius * (1.0 + 1e-9)) {
            if (hill) go_out(e, radius);
            return true;
        }
        mu = fmax(2.0 * mu, 1e-3 * force / radius);
    }
    return false;
}

/* The step y from the state at q: e->trial on the constraints, the system there. */
static sal_status try_step(eq *e, const double *q)
{
    const int  n = e->model->n;
    sal_status status;

    sal_rest_extend(&e->rest, e->y, e->step);
    for (int k = 0; k < n; k++) e->trial[k] = q[k] + e->step[k];
    status = sal_rest_project(&e->rest, e->trial);
    if (status == SAL_OK) status = sal_rest_place(&e->rest, e->trial);
    return status;
}

static double work_done(const eq *e, const double *q)
{
    double work = 0.0;

    for (int k = 0; k < e->model->n; k++) work += 0.5 * (e->F0[k] + e->rest.Ma[k]) * (e->trial[k] - q[k]);
    return work;
}

/* What H_z promises: y.b - 1/2 y.H y. */
static double work_promised(const eq *e)
{
    const int f    = e->rest.free;
    double    work = 0.0;

    for (int j = 0; j < f; j++) {
        work += e->y[j] * e->b[j];
        for (int i = 0; i < f; i++) work -= 0.5 * e->y[i] * e->rest.H[j * f + i] * e->y[j];
    }
    return work;
}

/* sqrt(a.M a): the same in all coordinates. */
static double unrest(const eq *e)
{
    double sum = 0.0;

    for (int k = 0; k < e->model->n; k++) sum += e->rest.a[k] * e->rest.Ma[k];
    return sqrt(fmax(sum, 0.0));
}

/* One step within *radius, made shorter as long as it does not do what it should. SAL_ERR_EQUILIBRIUM: no step does. */
static sal_status go_on(eq *e, double *q, double *radius)
{
    enum { TRIES = 60 };
    const int    n      = e->model->n;
    const double before = unrest(e), weakest = e->eigen[0];

    memcpy(e->F0, e->rest.Ma, sizeof(double) * (size_t)n);
    for (int k = 0; k<TRIES && * radius> 1e-15 * e->size; k++) {
        double     promised, done, length;
        sal_status status;
        if (!choose_step(e, *radius)) return SAL_ERR_EQUILIBRIUM;
        length   = sal_norm(e->y, e->rest.free);
        promised = work_promised(e);
        status   = try_step(e, q);
        if (status == SAL_ERR_MEMORY) return status;
        if (status == SAL_OK) {
            const double after = unrest(e);
            const bool   known = promised > SAL_NO_WORK * e->scale * e->size; /* more than rounding */
            done               = work_done(e, q);
            if ((known && done >= 0.1 * promised) || (after < 0.9 * before && (weakest > 0.0 || !known))) {
                if (done > 0.75 * promised) *radius = fmax(*radius, 2.0 * length);
                if (done < 0.25 * promised && known) *radius = 0.5 * length;
                memcpy(q, e->trial, sizeof(double) * (size_t)n);
                sal_system_count_turns(&e->run->system, false);
                return SAL_OK;
            }
        }
        *radius = 0.25 * length;
    }
    return SAL_ERR_EQUILIBRIUM;
}

/* As far as rounding lets it: whether another step has made the residual less than half. */
static bool polish(eq *e, double *q, double radius)
{
    if (!(e->info.residual > 0.0) || !choose_step(e, radius) || try_step(e, q) != SAL_OK) return false;
    sal_rest_restrict(&e->rest, e->rest.Ma, e->step);
    if (!(sal_largest(e->step, e->rest.free) < 0.5 * e->info.residual * e->scale)) return false;
    memcpy(q, e->trial, sizeof(double) * (size_t)e->model->n);
    return true;
}

static sal_status search(eq *e)
{
    double    *q = e->q, radius = 0.0;
    bool       done = false;
    sal_status status;

    e->info.iterations = 0;
    for (int i = 0;; i++) {
        status = sal_rest_place(&e->rest, q);
        if (status == SAL_OK) status = look(e);
        if (status != SAL_OK) return explain(e, status);
        if (i == 0) {
            e->start_size = e->size;
            radius        = 0.1 * e->size;
        }
        radius           = fmin(radius, 0.25 * e->size);
        e->info.residual = e->scale > 0.0 ? sal_largest(e->b, e->rest.free) / e->scale : 0.0;
        if (!isfinite(e->info.residual)) return explain(e, SAL_ERR_NUMBER);
        if (done) return SAL_OK;
        if (e->info.residual <= e->opts.tolerance) {
            const bool saddle = e->rest.free && e->eigen[0] < -SAL_NO_STIFFNESS * stiffest(e);
            if (!saddle || e->info.iterations == 0) { /* an unstable one only where the scene has it */
                done = saddle || i >= e->opts.iterations || !polish(e, q, radius);
                continue;
            }
            radius = fmax(radius, SAL_OVER_HILL * e->size); /* met by symmetry: over the hill */
        }
        if (i >= e->opts.iterations || e->size > SAL_AWAY * e->start_size) return none_found(e, i);
        status = go_on(e, q, &radius);
        if (status == SAL_ERR_MEMORY) return sal_out_of_memory(e->context);
        if (status != SAL_OK) {
            status = sal_rest_place(&e->rest, q);
            if (status != SAL_OK) return explain(e, status);
            if (e->info.residual > 1e3 * e->opts.tolerance) return none_found(e, i);
            done = true;
        } else {
            e->info.iterations++;
        }
    }
}

/* ------------------------------------------------------------------------------------- derivatives */

/* Y = H_z^-1 g, in place; false: the equilibrium has no derivative along it. */
static bool balance(eq *e, double *g)
{
    const int    f    = e->rest.free;
    const double most = sal_largest(g, f);

    memcpy(e->b, g, sizeof(double) * (size_t)f);
    if (!e->symmetric) {
        if (!solve_shifted(e, 0.0)) return false;
        memcpy(g, e->y, sizeof(double) * (size_t)f);
        return true;
    }
    memset(g, 0, sizeof(double) * (size_t)f);
    for (int k = 0; k < f; k++) {
        const double *u     = e->vector + (size_t)k * (size_t)f;
        double        along = 0.0;
        for (int i = 0; i < f; i++) along += u[i] * e->b[i];
        if (fabs(e->eigen[k]) <= SAL_NO_STIFFNESS * stiffest(e)) { /* of a family: the nearest one */
            if (fabs(along) > SAL_NO_FORCE * most) return false;
            continue;
        }
        for (int i = 0; i < f; i++) g[i] += along / e->eigen[k] * u[i];
    }
    return true;
}

/* Whether the constraints can follow column c: Phi_q Q + Phi_rho = 0. */
static bool closes(const eq *e, int c)
{
    const sal_system  *s    = &e->run->system; /* Phi_q is in s->entry */
    const sal_model   *m    = e->model;
    const sal_tangent *t    = &e->tangent;
    double             most = 0.0;

    for (int k = 0; k < m->n; k++) most = fmax(most, fmax(fabs(t->z[k * e->p + c]), fabs(e->Q0[k * e->p + c])));
    for (int r = 0; r < m->m; r++) {
        const double slope = sal_largest(s->entry + m->jp[r], m->jp[r + 1] - m->jp[r]);
        if (!(fabs(t->row[r * e->p + c]) <= SAL_FOLLOWS * slope * most)) return false;
    }
    return true;
}

static void differentiate(eq *e)
{
    sal_system  *s = &e->run->system;
    sal_tangent *t = &e->tangent;
    const int    n = e->model->n, m = e->model->m, p = e->p;
    const size_t block = sizeof(double) * (size_t)(n * p);

    for (int c = 0; c < p; c++) e->parameter[c] = sal_run_parameter(e->run, t->wrt[c].parameter);
    sal_rest_still(s); /* a is zero but for rounding */
    sal_rest_tangent(t, s, e->Q0);
    sal_tangent_project(t, s, NULL);
    sal_rest_tangent(t, s, NULL);
    memcpy(e->Q, t->z, block);
    sal_tangent_accelerate(t, s);
    for (int c = 0; c < p; c++) {
        for (int k = 0; k < n; k++) e->step[k] = t->zdd[k * p + c];
        sal_rest_times_mass(&e->rest, e->step, e->trial);
        sal_rest_restrict(&e->rest, e->trial, e->step);
        if (balance(e, e->step)) {
            sal_rest_extend(&e->rest, e->step, e->trial);
        } else {
            for (int k = 0; k < n; k++) e->trial[k] = NAN;
        }
        for (int k = 0; k < n; k++) e->Q[k * p + c] += e->trial[k];
    }
    sal_rest_tangent(t, s, e->Q);
    sal_rows_residual_jvp(&s->rows, s->z, NULL, sal_tangent_directions(t), t->row, NULL);
    for (int c = 0; c < p; c++) {
        for (int k = 0; k < n && !closes(e, c); k++) e->Q[k * p + c] = NAN;
    }
    sal_rest_tangent(t, s, e->Q);
    sal_tangent_accelerate(t, s); /* NaN stays in its column */
    memcpy(e->Lambda, t->lambda, sizeof(double) * (size_t)(m * p));
    memset(t->zdd, 0, block);
}

/* What is shown of the equilibrium. */
static void show(eq *e)
{
    const sal_tables *tables = e->model->tables;
    sal_system       *s      = &e->run->system;
    const size_t      p      = (size_t)e->p;

    sal_rest_still(s);
    memcpy(e->lambda, s->lambda, sizeof(double) * (size_t)e->model->m);
    e->info.energy = sal_system_energy(s);
    for (int k = 0; k < tables->outputs.n; k++) {
        e->output[k] = sal_system_value(s, &tables->outputs.at[k].program);
        if (p) sal_tangent_value(&e->tangent, s, &tables->outputs.at[k].program, e->Output + (size_t)k * p);
    }
    for (int k = 0; k < tables->reactions.n; k++) {
        e->reaction[k] = sal_system_value(s, &tables->reactions.at[k].program);
        if (p) sal_tangent_value(&e->tangent, s, &tables->reactions.at[k].program, e->Reaction + (size_t)k * p);
    }
}

/* The smallest eigenvalue of H_z; its real part where forces have no potential. */
static void judge_stability(eq *e)
{
    const int    f = e->rest.free, one = 1;
    const double most = stiffest(e);
    double      *re = e->step, *im = e->trial;
    int          info;

    e->info.freedom   = f;
    e->info.stiffness = f ? e->eigen[0] : INFINITY;
    if (!e->symmetric && f) {
        memcpy(e->matrix, e->rest.H, sizeof(double) * (size_t)(f * f));
        dgeev_("N", "N", &f, e->matrix, &f, re, im, NULL, &one, NULL, &one, e->rest.work, &e->rest.lwork, &info, 1, 1);
        e->info.stiffness = info == 0 ? HUGE_VAL : -HUGE_VAL; /* what is not known is not said to be stable */
        for (int k = 0; k < f && info == 0; k++) e->info.stiffness = fmin(e->info.stiffness, re[k]);
    }
    e->info.stable  = !(e->info.stiffness <= SAL_NO_STIFFNESS * most);
    e->info.neutral = f && fabs(e->info.stiffness) <= SAL_NO_STIFFNESS * most;
}

/* ------------------------------------------------------------------------------------------- start */

/* A constraint that asks for a velocity cannot be at rest. */
static sal_status check_rest(eq *e)
{
    sal_system      *s     = &e->run->system;
    const sal_model *model = e->model;
    sal_scale        scale;

    sal_system_move(s, 0.0, e->q, NULL);
    scale = sal_scale_at(s); /* leaves Phi_q in s->entry */
    sal_rest_still(s);
    sal_rows_residual(&s->rows, s->z, s->zd, s->phi, s->phidot);
    for (int r = 0; r < model->m; r++) {
        const double slope = sal_largest(s->entry + model->jp[r], model->jp[r + 1] - model->jp[r]);
        if (!s->mode.held[r]) continue;
        if (fabs(s->phidot[r]) <= SAL_AT_REST * slope * fmax(scale.speed, scale.natural)) continue;
        return sal_fail(e->context, SAL_ERR_EQUILIBRIUM, "%s: no equilibrium: %s asks for a velocity",
                        e->model->tables->file, e->model->tables->rows.at[r].name);
    }
    return SAL_OK;
}

static sal_status begin(eq *e)
{
    sal_system       *s       = &e->run->system;
    const sal_initial initial = { e->run->initial_q, e->run->initial_v };
    sal_status        status  = sal_run_restart(e->run);

    if (status == SAL_OK && e->p) {
        status = sal_tangent_set_values(&e->tangent, s, e->run->given);
        if (status == SAL_OK) status = sal_system_assemble(s, 0.0, initial, &e->tangent);
        memcpy(e->Q0, e->tangent.z, sizeof(double) * (size_t)(e->model->n * e->p));
    }
    if (status != SAL_OK) return fail(e, status, e->run->system.message);
    memcpy(e->q, sal_run_q(e->run), sizeof(double) * (size_t)e->model->n);
    memcpy(e->q0, e->q, sizeof(double) * (size_t)e->model->n);
    return check_rest(e);
}

sal_status sal_equilibrium_find(sal_equilibrium *e)
{
    sal_status status = begin(e);

    e->found = false;
    if (status == SAL_OK) status = search(e);
    if (status != SAL_OK) return status;
    judge_stability(e);
    if (e->p) differentiate(e);
    show(e);
    warn_of_contacts(e);
    e->info.warning = e->warning;
    e->found        = true;
    return SAL_OK;
}

static sal_status allocate(eq *e)
{
    const sal_tables *tables = e->model->tables;
    const int         n = e->model->n, m = e->model->m, p = e->opts.run.nwrt;
    sal_wrt          *wrt = SAL_NEW(&e->pool, sal_wrt, p + 1);

    e->p        = p;
    e->wrt      = SAL_NEW(&e->pool, const char *, p + 1);
    e->q        = SAL_NEW(&e->pool, double, n);
    e->q0       = SAL_NEW(&e->pool, double, n);
    e->lambda   = SAL_NEW(&e->pool, double, m + 1);
    e->output   = SAL_NEW(&e->pool, double, tables->outputs.n + 1);
    e->reaction = SAL_NEW(&e->pool, double, tables->reactions.n + 1);
    e->trial    = SAL_NEW(&e->pool, double, n);
    e->step     = SAL_NEW(&e->pool, double, n);
    e->y        = SAL_NEW(&e->pool, double, n);
    e->b        = SAL_NEW(&e->pool, double, n);
    e->F0       = SAL_NEW(&e->pool, double, n);
    e->eigen    = SAL_NEW(&e->pool, double, n);
    e->vector   = SAL_NEW(&e->pool, double, n *n);
    e->matrix   = SAL_NEW(&e->pool, double, n *n);
    if (p) {
        e->Q         = SAL_NEW(&e->pool, double, n *p);
        e->Q0        = SAL_NEW(&e->pool, double, n *p);
        e->Lambda    = SAL_NEW(&e->pool, double, m *p + 1);
        e->parameter = SAL_NEW(&e->pool, double, p);
        e->Output    = SAL_NEW(&e->pool, double, tables->outputs.n *p + 1);
        e->Reaction  = SAL_NEW(&e->pool, double, tables->reactions.n *p + 1);
    }
    if (e->pool.failed) return sal_out_of_memory(e->context);
    for (int c = 0; c < p; c++) {
        const char *name = e->opts.run.wrt[c];
        const int   k    = sal_names_find(&tables->parameter_names, name);
        if (k < 0)
            return sal_fail(
                e->context, SAL_ERR_ARGUMENT, "unknown parameter '%s'%s; an equilibrium depends on parameters", name,
                sal_did_you_mean(name, tables->parameter_names.list.at, tables->parameter_names.list.n).text);
        e->wrt[c] = tables->parameters.at[k].name;
        wrt[c]    = (sal_wrt){ .parameter = k, .coordinate = -1 };
    }
    if (sal_rest_init(&e->rest, &e->run->system, &e->pool) != SAL_OK ||
        (p && sal_tangent_init(&e->tangent, e->model, &e->pool, wrt, p) != SAL_OK))
        return sal_out_of_memory(e->context);
    return SAL_OK;
}

/* The run that the search stands on: index-1, at rest where nothing is driven. */
static sal_status make_run(eq *e)
{
    const sal_tables *tables = e->model->tables;
    const int         given  = e->opts.run.nset;
    sal_run_opts      opts   = sal_run_defaults();
    sal_setting      *set    = SAL_NEW(&e->pool, sal_setting, given + e->model->n);
    int               k      = given;
    sal_status        status;

    if (!set) return sal_out_of_memory(e->context);
    for (int i = 0; i < given; i++) set[i] = e->opts.run.set[i];
    for (int i = 0; i < tables->points.n && e->model->ntimed == 0; i++) {
        if (tables->points.at[i].kind != SAL_FREE) continue;
        for (int axis = 0; axis < 2; axis++)
            set[k++] = (sal_setting){
                sal_pool_format(&e->pool, "initial(%s.v%c)", tables->points.at[i].name, axis ? 'y' : 'x'), 0.0
            };
    }
    if (e->pool.failed) return sal_out_of_memory(e->context);
    opts.form          = SAL_INDEX1;
    opts.stabilization = SAL_PROJECTION;
    opts.set           = set;
    opts.nset          = k;
    opts.quiet         = e->opts.run.quiet;
    status             = sal_run_create(e->model, &opts, &e->run);
    if (status == SAL_OK) e->run->asked.quiet = true; /* has been said */
    return status;
}

static sal_status read_options(sal_context *context, const sal_equilibrium_opts *given, sal_equilibrium_opts *opts)
{
    static const size_t known[] = { sizeof(sal_equilibrium_opts), 0 };
    sal_status          status;

    *opts  = sal_equilibrium_defaults();
    status = sal_opts_read(context, "equilibrium", known, given, opts);
    return status == SAL_OK && given ? sal_run_read_opts(context, &given->run, &opts->run) : status;
}

sal_status sal_equilibrium_create(const sal_model *model, const sal_equilibrium_opts *given,
                                  sal_equilibrium **equilibrium)
{
    sal_context         *context = model->tables->context;
    sal_pool             pool;
    eq                  *e;
    sal_equilibrium_opts asked;
    const sal_run_opts  *run    = &asked.run;
    sal_status           status = read_options(context, given, &asked);

    *equilibrium = NULL;
    if (status != SAL_OK) return status;
    if (!(asked.tolerance > 0.0) || asked.iterations < 1 || run->nwrt < 0 || run->nset < 0 ||
        (run->nwrt > 0 && !run->wrt) || (run->nset > 0 && !run->set))
        return sal_fail(context, SAL_ERR_ARGUMENT,
                        "expected tolerance > 0, iterations > 0, and lists where there are "
                        "counts of wrt and set");
    sal_pool_init(&pool, context);
    e = SAL_NEW(&pool, eq, 1);
    if (!e) return sal_out_of_memory(context);
    *equilibrium = e;
    e->pool      = pool;
    e->context   = context;
    e->model     = model;
    e->opts      = asked;
    status       = make_run(e);
    if (status == SAL_OK) status = allocate(e);
    e->opts.run.set = NULL; /* have been read */
    e->opts.run.wrt = NULL;
    if (status != SAL_OK) sal_equilibrium_destroy(equilibrium);
    return status;
}

void sal_equilibrium_destroy(sal_equilibrium **equilibrium)
{
    eq      *e = *equilibrium;
    sal_pool pool;

    *equilibrium = NULL;
    if (!e) return;
    sal_run_destroy(&e->run);
    pool = e->pool; /* it lies in there itself */
    sal_pool_free(&pool);
}

sal_status sal_equilibrium_set(sal_equilibrium *e, const char *name, double value)
{
    const sal_status status = sal_run_set(e->run, name, value);

    return status == SAL_OK ? SAL_OK : fail(e, status, sal_run_message(e->run));
}

/* --------------------------------------------------------------------------------------- accessors */

sal_equilibrium_info sal_equilibrium_get_info(const sal_equilibrium *e)
{
    return e->info;
}

const double *sal_equilibrium_q(const sal_equilibrium *e)
{
    return e->q;
}

const double *sal_equilibrium_lambda(const sal_equilibrium *e)
{
    return e->lambda;
}

const double *sal_equilibrium_outputs(const sal_equilibrium *e)
{
    return e->output;
}

const double *sal_equilibrium_reactions(const sal_equilibrium *e)
{
    return e->reaction;
}

int sal_equilibrium_wrt_count(const sal_equilibrium *e)
{
    return e->p;
}

const char *sal_equilibrium_wrt(const sal_equilibrium *e, int index)
{
    return index >= 0 && index < e->p ? e->wrt[index] : NULL;
}

const double *sal_equilibrium_q_gradients(const sal_equilibrium *e)
{
    return e->Q;
}

const double *sal_equilibrium_lambda_gradients(const sal_equilibrium *e)
{
    return e->Lambda;
}

const double *sal_equilibrium_output_gradients(const sal_equilibrium *e)
{
    return e->Output;
}

const double *sal_equilibrium_reaction_gradients(const sal_equilibrium *e)
{
    return e->Reaction;
}
