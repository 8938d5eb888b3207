/* rest.c - reduced matrices at rest; equations in rest.h. */
#include "engine/studies/rest.h"

#include <math.h>
#include <string.h>

#include "engine/base/vector.h"
#include "engine/equations/equations.h"
#include "engine/solve/lapack.h"

sal_status sal_rest_init(sal_rest *r, sal_system *s, sal_pool *pool)
{
    const sal_model *model = s->model;
    const size_t     n = (size_t)model->n, nz = (size_t)model->nz, wide = n > (size_t)model->m ? n : (size_t)model->m;

    *r         = (sal_rest){ .s = s, .n = model->n, .m = model->m, .lwork = 64 * (int)(wide + 1) };
    r->Z       = SAL_NEW(pool, double, n *n);
    r->L       = SAL_NEW(pool, double, n *n);
    r->M       = SAL_NEW(pool, double, n *n);
    r->D       = SAL_NEW(pool, double, n *n);
    r->H       = SAL_NEW(pool, double, n *n);
    r->full    = SAL_NEW(pool, double, n *n);
    r->product = SAL_NEW(pool, double, n *n);
    r->unit    = SAL_NEW(pool, double, nz *n);
    r->none    = SAL_NEW(pool, double, nz *n);
    r->force   = SAL_NEW(pool, double, nz *n);
    r->work    = SAL_NEW(pool, double, r->lwork);
    r->pivot   = SAL_NEW(pool, int, wide);
    r->a       = SAL_NEW(pool, double, n);
    r->Ma      = SAL_NEW(pool, double, n);
    sal_rank_init(&r->held, pool, model->n, model->m);
    if (pool->failed) return SAL_ERR_MEMORY;
    for (size_t k = 0; k < n; k++) r->unit[k * n + k] = 1.0;
    return SAL_OK;
}

void sal_rest_still(sal_system *s)
{
    memset(s->zd, 0, sizeof *s->zd * (size_t)s->model->nz);
    memset(s->zdd, 0, sizeof *s->zdd * (size_t)s->model->nz);
}

void sal_rest_times_mass(const sal_rest *r, const double *x, double *y)
{
    const sal_tables *tables = r->s->model->tables;

    memset(y, 0, sizeof *y * (size_t)r->n);
    for (int k = 0; k < tables->masses.n; k++) {
        const sal_mass *m = &tables->masses.at[k];
        if (m->i >= r->n || m->j >= r->n) continue;
        y[m->i] += r->s->mass[k] * x[m->j];
        if (m->i != m->j) y[m->j] += r->s->mass[k] * x[m->i];
    }
}

sal_status sal_rest_place(sal_rest *r, const double *q)
{
    sal_status status;

    sal_system_move(r->s, 0.0, q, NULL);
    sal_rest_still(r->s);
    status = sal_system_accelerate(r->s);
    if (status != SAL_OK) return status;
    memcpy(r->a, r->s->zdd, sizeof *r->a * (size_t)r->n);
    sal_rest_times_mass(r, r->a, r->Ma);
    return SAL_OK;
}

sal_status sal_rest_project(sal_rest *r, double *q)
{
    sal_status status;

    sal_system_move(r->s, 0.0, q, NULL);
    sal_rest_still(r->s);
    status = sal_system_project(r->s, NULL);
    memcpy(q, r->s->z, sizeof *q * (size_t)r->n);
    sal_rest_still(r->s);
    return status;
}

void sal_rest_restrict(const sal_rest *r, const double *x, double *y)
{
    for (int j = 0; j < r->free; j++) {
        y[j] = 0.0;
        for (int k = 0; k < r->n; k++) y[j] += r->L[(size_t)j * (size_t)r->n + (size_t)k] * x[k];
    }
}

void sal_rest_extend(const sal_rest *r, const double *x, double *y)
{
    memset(y, 0, sizeof *y * (size_t)r->n);
    for (int j = 0; j < r->free; j++) {
        for (int k = 0; k < r->n; k++) y[k] += r->Z[(size_t)j * (size_t)r->n + (size_t)k] * x[j];
    }
}

/* ------------------------------------------------------------------------------------------ basis */

/* An orthonormal basis of what is orthogonal to the rows that hold, s->entry in use; what slides acts along with its
 * normal force where `acting`. How many. */
static int find_basis(sal_rest *r, bool acting, double *basis)
{
    return r->n - sal_rank_find(&r->held, sal_structure_rows(r->s, acting, r->held.row, NULL), basis);
}

/* Turns L so that L^T Z = 1: L (Z^T L)^-1. False: not possible. */
static bool match_bases(sal_rest *r)
{
    const int    f = r->free, n = r->n;
    const size_t rows = (size_t)n;
    double      *a    = r->full;
    int          info = 0;

    for (int j = 0; j < f; j++) sal_rest_restrict(r, r->Z + (size_t)j * rows, a + j * f);
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < f; j++) r->product[k * f + j] = r->L[(size_t)j * rows + (size_t)k];
    }
    if (f > 0) dgesv_(&f, &n, a, &f, r->pivot, r->product, &f, &info);
    for (int k = 0; k < n && info == 0; k++) {
        for (int j = 0; j < f; j++) r->L[(size_t)j * rows + (size_t)k] = r->product[k * f + j];
    }
    return info == 0;
}

/* --------------------------------------------------------------------------------------- matrices */

/* reduced = L^T full Z, `full` by rows. */
static void reduce(sal_rest *r, const double *full, double *reduced)
{
    const size_t n = (size_t)r->n;

    for (int j = 0; j < r->free; j++) {
        const double *z = r->Z + (size_t)j * n;
        for (size_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (size_t k = 0; k < n; k++) sum += full[i * n + k] * z[k];
            r->product[(size_t)j * n + i] = sum;
        }
    }
    for (int j = 0; j < r->free; j++)
        sal_rest_restrict(r, r->product + (size_t)j * n, reduced + (size_t)j * (size_t)r->free);
}

/* The change of the applied forces, and with lambda not NULL of those of the constraints, along the directions; with
 * the sign of H and D, by rows into full. */
static void tangent_matrix(sal_rest *r, const double *dz, const double *dzd, const double *lambda)
{
    sal_system          *s = r->s;
    const sal_directions d = { r->n, dz, dzd, r->none, NULL };
    const size_t         n = (size_t)r->n;

    memset(r->force, 0, sizeof *r->force * (size_t)s->model->nz * n);
    sal_springs_jvp(s->model, s->z, s->zd, d, r->force);
    if (s->model->tables->efforts.n) sal_efforts_jvp(&s->rows, s->z, s->zd, d, r->product, r->force);
    if (lambda) sal_rows_force_jvp(&s->rows, s->z, lambda, d, r->force);
    for (size_t k = 0; k < n * n; k++) r->full[k] = -r->force[k];
}

void sal_rest_matrix(sal_rest *r, bool stiffness, double *full)
{
    sal_rest_still(r->s);
    tangent_matrix(r, stiffness ? r->unit : r->none, stiffness ? r->none : r->unit, stiffness ? r->s->lambda : NULL);
    memcpy(full, r->full, sizeof *full * (size_t)r->n * (size_t)r->n);
}

sal_status sal_rest_reduce(sal_rest *r)
{
    sal_system *s      = r->s;
    const int   n      = r->n;
    bool        slides = false;

    sal_rest_still(s);
    slides = s->mode.couplings > 0;
    sal_rows_jacobian(&s->rows, s->z, s->entry);
    r->free = find_basis(r, false, r->Z);
    if (slides) {
        if (find_basis(r, true, r->L) != r->free || !match_bases(r)) return SAL_ERR_SINGULAR;
    } else {
        memcpy(r->L, r->Z, sizeof *r->L * (size_t)n * (size_t)r->free);
    }
    tangent_matrix(r, r->none, r->unit, NULL);
    reduce(r, r->full, r->D);
    memset(r->full, 0, sizeof *r->full * (size_t)n * (size_t)n);
    for (int k = 0; k < s->model->tables->masses.n; k++) {
        const sal_mass *m = &s->model->tables->masses.at[k];
        if (m->i >= n || m->j >= n) continue;
        r->full[(size_t)m->i * (size_t)n + (size_t)m->j] += s->mass[k];
        if (m->i != m->j) r->full[(size_t)m->j * (size_t)n + (size_t)m->i] += s->mass[k];
    }
    reduce(r, r->full, r->M);
    tangent_matrix(r, r->unit, r->none, s->lambda);
    reduce(r, r->full, r->H);
    return SAL_OK;
}

void sal_rest_tangent(sal_tangent *t, sal_system *s, const double *Q)
{
    const size_t all = sizeof(double) * (size_t)s->model->nz * (size_t)t->p;

    sal_tangent_move(t, s, Q, NULL);
    memset(t->zd, 0, all);
    memset(t->zdd, 0, all);
}

sal_status sal_rest_eigen(sal_rest *r, int n, double *a, double *value)
{
    int info = 0;

    if (!sal_all_finite(a, (size_t)n * (size_t)n)) return SAL_ERR_NUMBER;
    if (n > 0) dsyev_("V", "U", &n, a, &n, value, r->work, &r->lwork, &info, 1, 1);
    return info == 0 ? SAL_OK : SAL_ERR_NUMBER;
}
