/* modes.c - small motions about an equilibrium; matrices in rest.h.
 *
 *     P(s) x + G^T mu = 0,  Phi_q x = 0,      P(s) = s^2 M + s D + H,       x = Z y:  (s^2 M_z + s D_z + H_z) y = 0
 *
 * Without damping and with a symmetric H the symmetric problem H_z y = -s^2 M_z y is solved; else the eigenvalues of
 * [0 1; -M_z^-1 H_z, -M_z^-1 D_z], in units of a time that makes its blocks alike. Zero eigenvalues are as many as
 * directions without stiffness: as Jordan blocks they would come out as large as the root of a rounding error.
 *
 * Derivatives. With the left vectors w^T P + nu^T Phi_q = 0, G w = 0, and primes for d/drho at the moving equilibrium,
 *
 *     s' = -( w^T (s^2 M' + s D' + H') x + w^T G'^T mu + nu^T Phi_q' x ) / ( w^T (2 s M + D) x )
 *
 * in the coordinates of the points: no derivative of Z or of an eigenvector is needed. All of it is exact: Phi_q' x and
 * G'^T mu are tangents; w^T H' x and w^T D' x are second derivatives of the forces, of those of the constraints with
 * lambda' as well, along x and along the moving equilibrium (equations.h). */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/equations/equations.h"
#include "engine/studies/rest.h"
#include "engine/solve/lapack.h"
#include "engine/base/vector.h"

typedef struct pair { /* an eigenvalue with its vectors, in the coordinates of the points */
    double _Complex s;
    double _Complex *x, *w;   /* [n] */
    double _Complex *mu, *nu; /* [m] */
    double _Complex slope;    /* w^T (2 s M + D) x */
    bool zero;
} pair;

struct sal_modes {
    sal_pool         pool;
    sal_equilibrium *e;
    int              n, m, p, count;
    pair            *pair; /* [2 free] */
    sal_mode        *mode;
    double          *shape;        /* [count][2][n] */
    double          *gradient;     /* [count][4][p] re, im, frequency, damping */
    double          *H, *D;        /* [n][n] by rows, of all coordinates */
    double           fastest;      /* the largest |s| */
    double          *x, *w, *none; /* [nz] parts of a pair's vectors, zero behind q; zero */
    double          *stiff, *damp; /* [p] w^T H' x and w^T D' x, with the sign of forces */
    double          *wide;         /* [nz][p] */
    double          *lambda;       /* [m] */
    double          *row, *rate;   /* [m][p] */
};

/* ------------------------------------------------------------------------------------- eigenvalues */

/* A new pair from the columns re + i im of y and w, [free] each; im NULL: real. */
static pair *add_pair(sal_modes *o, double _Complex s, const double *yre, const double *yim, const double *wre,
                      const double *wim)
{
    const sal_rest *r = &o->e->rest;
    pair           *p = &o->pair[o->count++];

    *p = (pair){ .s  = s,
                 .x  = SAL_NEW(&o->pool, double _Complex, o->n),
                 .w  = SAL_NEW(&o->pool, double _Complex, o->n),
                 .mu = SAL_NEW(&o->pool, double _Complex, o->m + 1),
                 .nu = SAL_NEW(&o->pool, double _Complex, o->m + 1) };
    if (o->pool.failed) return NULL;
    for (int j = 0; j < r->free; j++) {
        const double *z = r->Z + (size_t)j * (size_t)o->n, *l = r->L + (size_t)j * (size_t)o->n;
        for (int k = 0; k < o->n; k++) {
            p->x[k] += z[k] * yre[j] + (yim ? z[k] * yim[j] : 0.0) * I;
            p->w[k] += l[k] * wre[j] + (wim ? l[k] * wim[j] : 0.0) * I;
        }
    }
    return p;
}

/* How many directions have no stiffness. */
static int count_loose(const sal_equilibrium *e)
{
    const double most  = e->rest.free ? fmax(fabs(e->eigen[0]), fabs(e->eigen[e->rest.free - 1])) : 0.0;
    int          count = 0;

    for (int k = 0; k < e->rest.free; k++) count += fabs(e->eigen[k]) <= SAL_NO_STIFFNESS * most;
    return count;
}

static sal_status solve_symmetric(sal_modes *o)
{
    const sal_rest *r = &o->e->rest;
    const int       f = r->free, one = 1;
    const int       loose = count_loose(o->e);
    double         *A = SAL_NEW(&o->pool, double, f *f), *B = SAL_NEW(&o->pool, double, f *f);
    double         *kappa = SAL_NEW(&o->pool, double, f);
    int             info;

    if (o->pool.failed) return SAL_ERR_MEMORY;
    for (int i = 0; i < f; i++) {
        for (int j = 0; j < f; j++) {
            A[j * f + i] = 0.5 * (r->H[j * f + i] + r->H[i * f + j]);
            B[j * f + i] = 0.5 * (r->M[j * f + i] + r->M[i * f + j]);
        }
    }
    dsygv_(&one, "V", "U", &f, A, &f, B, &f, kappa, r->work, &r->lwork, &info, 1, 1);
    if (info != 0) return SAL_ERR_NUMBER;
    for (int k = 0; k < f; k++) {
        const double *y       = A + (size_t)k * (size_t)f;
        int           smaller = 0;
        pair         *p;
        for (int j = 0; j < f; j++) smaller += fabs(kappa[j]) < fabs(kappa[k]);
        p = add_pair(o, kappa[k] >= 0.0 ? sqrt(kappa[k]) * I : sqrt(-kappa[k]), y, NULL, y, NULL);
        if (!p) return SAL_ERR_MEMORY;
        if (smaller < loose) {
            p->zero = true;
            p->s    = 0.0;
        }
    }
    return SAL_OK;
}

/* One of the first or last half of an eigenvector, [y; s y], whichever is larger. */
static const double *half_of(const double *v, int f)
{
    return sal_largest(v, f) >= sal_largest(v + f, f) ? v : v + f;
}

/* Directions without stiffness, as modes of their own. */
static sal_status add_loose(sal_modes *o)
{
    const sal_equilibrium *e    = o->e;
    const double           most = e->rest.free ? fmax(fabs(e->eigen[0]), fabs(e->eigen[e->rest.free - 1])) : 0.0;

    for (int k = 0; k < e->rest.free; k++) {
        const double *u = e->vector + (size_t)k * (size_t)e->rest.free;
        pair         *p;
        if (fabs(e->eigen[k]) > SAL_NO_STIFFNESS * most) continue;
        p = add_pair(o, 0.0, u, NULL, u, NULL);
        if (!p) return SAL_ERR_MEMORY;
        p->zero = true;
    }
    return SAL_OK;
}

static sal_status solve_general(sal_modes *o)
{
    const sal_rest *r = &o->e->rest;
    const int       f = r->free, N = 2 * f;
    const size_t    square = (size_t)f * (size_t)f, Square = (size_t)N * (size_t)N;
    const double    h = sal_largest(r->H, f * f), d = sal_largest(r->D, f * f), m = sal_largest(r->M, f * f);
    const double    rate  = h > 0.0 ? sqrt(h / m) : d > 0.0 ? d / m : 1.0;
    const int       loose = count_loose(o->e), lwork = 16 * N, columns = 2 * f;
    double         *A = SAL_NEW(&o->pool, double, Square), *L = SAL_NEW(&o->pool, double, Square);
    double         *R = SAL_NEW(&o->pool, double, Square), *re = SAL_NEW(&o->pool, double, N);
    double         *im = SAL_NEW(&o->pool, double, N), *work = SAL_NEW(&o->pool, double, lwork);
    double         *lu = SAL_NEW(&o->pool, double, square), *b = SAL_NEW(&o->pool, double, 2 * square), most = 0.0;
    int             info;

    if (o->pool.failed) return SAL_ERR_MEMORY;
    memcpy(lu, r->M, sizeof *lu * square);
    memcpy(b, r->H, sizeof *b * square);
    memcpy(b + square, r->D, sizeof *b * square);
    dgesv_(&f, &columns, lu, &f, r->pivot, b, &f, &info);
    if (info != 0) return SAL_ERR_SINGULAR;
    for (int j = 0; j < f; j++) {
        A[(size_t)(f + j) * (size_t)N + (size_t)j] = 1.0;
        for (int i = 0; i < f; i++) {
            A[(size_t)j * (size_t)N + (size_t)(f + i)]       = -b[j * f + i] / (rate * rate);
            A[(size_t)(f + j) * (size_t)N + (size_t)(f + i)] = -b[square + (size_t)(j * f + i)] / rate;
        }
    }
    if (!sal_all_finite(A, Square)) return SAL_ERR_NUMBER;
    dgeev_("V", "V", &N, A, &N, re, im, L, &N, R, &N, work, &lwork, &info, 1, 1);
    if (info != 0) return SAL_ERR_NUMBER;
    for (int k = 0; k < N; k++) most = fmax(most, hypot(re[k], im[k]));
    for (int k = 0; k < N; k++) {
        const double *x = R + (size_t)k * (size_t)N, *u = L + (size_t)k * (size_t)N + f;
        const bool    paired = im[k] != 0.0;
        const int     two    = 2;
        if (loose && hypot(re[k], im[k]) < SAL_NO_FREQUENCY * most) continue; /* add_loose has them */
        /* w = M^-T u: w^H P = 0; conjugated, so that it is w^T P */
        for (int i = 0; i < f; i++) {
            b[i]     = u[i];
            b[f + i] = paired ? -u[N + i] : 0.0;
            for (int j = 0; j < f; j++) lu[j * f + i] = r->M[i * f + j];
        }
        dgesv_(&f, &two, lu, &f, r->pivot, b, &f, &info);
        if (info != 0) return SAL_ERR_SINGULAR;
        const double *top = half_of(x, f); /* a complex vector is scaled as a whole: both parts from the same half */
        if (!add_pair(o, rate * re[k] + rate * im[k] * I, top, paired ? top + N : NULL, b, b + f))
            return SAL_ERR_MEMORY;
        if (paired) k++; /* the other of the pair */
    }
    return loose ? add_loose(o) : SAL_OK;
}

/* --------------------------------------------------------------------------------- left and right */

/* y = (s^2 M + s D + H) x, or with the transposed matrices. */
static void times_pencil(const sal_modes *o, double _Complex s, const double _Complex *x, bool transposed,
                         double _Complex *y, double *part)
{
    const size_t n = (size_t)o->n;

    for (size_t i = 0; i < n; i++) {
        y[i] = 0.0;
        for (size_t j = 0; j < n; j++) {
            const size_t at = transposed ? j * n + i : i * n + j;
            y[i] += (s * o->D[at] + o->H[at]) * x[j];
        }
    }
    for (int im = 0; im < 2; im++) { /* M is symmetric */
        for (size_t k = 0; k < n; k++) part[k] = im ? cimag(x[k]) : creal(x[k]);
        sal_rest_times_mass(&o->e->rest, part, part + n);
        for (size_t k = 0; k < n; k++) y[k] += s * s * part[n + k] * (im ? I : 1.0);
    }
}

/* mu from G^T mu = -P x, nu from Phi_q^T nu = -P^T w: of those possible the least. */
static sal_status find_multipliers(sal_modes *o)
{
    const int    n = o->n, columns = 2 * o->count, ask = -1, room = n > o->m ? n : o->m;
    const double cut = SAL_DEPENDENT; /* of singular values of rows of length 1: what sal_rank_find calls dependent */
    sal_system  *s   = &o->e->run->system;
    double      *a = SAL_NEW(&o->pool, double, room *(o->m + 1)), *b = SAL_NEW(&o->pool, double, room *columns);
    double      *singular = SAL_NEW(&o->pool, double, room), *part = SAL_NEW(&o->pool, double, 2 * n), need = 0.0;
    double      *length    = SAL_NEW(&o->pool, double, o->m + 1);
    double _Complex *y     = SAL_NEW(&o->pool, double _Complex, n);
    int             *index = SAL_NEW(&o->pool, int, o->m + 1), *iwork, lwork, integers = 0, rank, info, rows;

    if (o->pool.failed) return SAL_ERR_MEMORY;
    sal_rows_jacobian(&s->rows, s->z, s->entry);
    rows = sal_structure_rows(s, false, a, index);
    if (rows == 0 || columns == 0) return SAL_OK;
    dgelsd_(&n, &rows, &columns, a, &n, b, &room, singular, &cut, &rank, &need, &ask, &integers, &info);
    lwork        = (int)need;
    double *work = SAL_NEW(&o->pool, double, lwork);
    iwork        = SAL_NEW(&o->pool, int, integers + 1);
    if (o->pool.failed) return SAL_ERR_MEMORY;
    for (int left = 0; left < 2; left++) {
        sal_structure_rows(s, !left, a, index);
        for (int r = 0; r < rows; r++) length[r] = sal_rank_scale(a + (size_t)r * (size_t)n, n);
        for (int k = 0; k < o->count; k++) {
            double *re = b + (size_t)(2 * k) * (size_t)room, *im = re + room;
            times_pencil(o, o->pair[k].s, left ? o->pair[k].w : o->pair[k].x, left, y, part);
            for (int i = 0; i < n; i++) {
                re[i] = -creal(y[i]);
                im[i] = -cimag(y[i]);
            }
        }
        dgelsd_(&n, &rows, &columns, a, &n, b, &room, singular, &cut, &rank, work, &lwork, iwork, &info);
        if (info != 0) return SAL_ERR_NUMBER;
        for (int k = 0; k < o->count; k++) {
            double _Complex *out = left ? o->pair[k].nu : o->pair[k].mu;
            for (int r = 0; r < rows; r++) {
                const double *re = b + (size_t)(2 * k) * (size_t)room, *im = re + room;
                const double  l = length[r] > 0.0 ? length[r] : 1.0; /* of an empty row: it is the least, zero */
                out[index[r]]   = re[r] / l + im[r] / l * I;
            }
            for (int i = 0; i < s->mode.couplings && !left; i++) {
                const sal_coupling *c = &s->mode.coupling[i];
                out[c->along]         = sal_coupling_factor(c, s->z) * out[c->row];
            }
        }
    }
    return SAL_OK;
}

/* w^T (2 s M + D) x */
static void find_slopes(sal_modes *o, double *part)
{
    const size_t n = (size_t)o->n;

    for (int k = 0; k < o->count; k++) {
        pair *p  = &o->pair[k];
        p->slope = 0.0;
        for (size_t i = 0; i < n; i++) {
            double _Complex row = 0.0;
            for (size_t j = 0; j < n; j++) row += o->D[i * n + j] * p->x[j];
            p->slope += p->w[i] * row;
        }
        for (int im = 0; im < 2; im++) {
            for (size_t i = 0; i < n; i++) part[i] = im ? cimag(p->x[i]) : creal(p->x[i]);
            sal_rest_times_mass(&o->e->rest, part, part + n);
            for (size_t i = 0; i < n; i++) p->slope += 2.0 * p->s * p->w[i] * part[n + i] * (im ? I : 1.0);
        }
    }
}

/* -------------------------------------------------------------------------------------- derivatives */

/* The real or imaginary part of a vector; whether there is any. */
static bool take_part(const sal_modes *o, const double _Complex *from, bool im, double *to)
{
    bool any = false;

    for (int k = 0; k < o->n; k++) {
        to[k] = im ? cimag(from[k]) : creal(from[k]);
        any   = any || to[k] != 0.0;
    }
    return any;
}

/* w^T H' x and w^T D' x of the parts in o->w and o->x, for all parameters. */
static void second_derivatives(sal_modes *o)
{
    const sal_equilibrium *e = o->e;
    sal_system            *s = &e->run->system;
    const sal_directions   d = sal_tangent_directions(&e->tangent);

    memset(o->stiff, 0, sizeof *o->stiff * (size_t)o->p);
    memset(o->damp, 0, sizeof *o->damp * (size_t)o->p);
    sal_springs_second(s->model, s->z, s->zd, o->w, o->x, o->none, d, o->stiff);
    sal_springs_second(s->model, s->z, s->zd, o->w, o->none, o->x, d, o->damp);
    sal_efforts_second(&s->rows, s->z, s->zd, o->w, o->x, o->none, d, o->stiff);
    sal_efforts_second(&s->rows, s->z, s->zd, o->w, o->none, o->x, d, o->damp);
    sal_rows_force_second(&s->rows, s->z, e->lambda, e->Lambda, o->w, o->x, d, o->stiff);
}

/* Adds w^T (s^2 M' + s D' + H') x of a pair. */
static void add_pencil_change(sal_modes *o, const pair *p, double _Complex *out)
{
    static const double _Complex power[] = { 1.0, I, -1.0 }; /* of i */
    const sal_tables *tables             = o->e->model->tables;

    for (int part = 0; part < 4; part++) {
        const double _Complex unit = power[part / 2 + part % 2];
        if (!take_part(o, p->w, part / 2, o->w) || !take_part(o, p->x, part % 2, o->x)) continue;
        second_derivatives(o);
        for (int c = 0; c < o->p; c++) out[c] -= unit * (o->stiff[c] + p->s * o->damp[c]);
    }
    for (int i = 0; i < tables->masses.n; i++) {
        const sal_mass *m  = &tables->masses.at[i];
        const double   *dm = SAL_ROW(o->e->tangent.mass, i, o->p);
        double _Complex sum;
        if (m->i >= o->n || m->j >= o->n) continue;
        sum = p->w[m->i] * p->x[m->j] + (m->i == m->j ? 0.0 : p->w[m->j] * p->x[m->i]);
        for (int c = 0; c < o->p; c++) out[c] += p->s * p->s * sum * dm[c];
    }
}

/* Adds w^T G'^T mu + nu^T Phi_q' x of a pair. */
static void add_row_changes(sal_modes *o, const pair *p, double _Complex *out)
{
    sal_system          *s    = &o->e->run->system;
    sal_tangent         *t    = &o->e->tangent;
    const sal_directions d    = sal_tangent_directions(t);
    const size_t         wide = sizeof *o->wide * (size_t)s->model->nz * (size_t)o->p;

    sal_rows_residual_jvp(&s->rows, s->z, o->none, d, o->row, t->row2); /* what a rate has besides J v */
    for (int im = 0; im < 2; im++) {
        const double _Complex unit = im ? I : 1.0;
        memset(o->wide, 0, wide);
        for (int r = 0; r < o->m; r++) o->lambda[r] = im ? cimag(p->mu[r]) : creal(p->mu[r]);
        sal_rows_force_jvp(&s->rows, s->z, o->lambda, d, o->wide);
        sal_tangent_add_couplings(t, s, o->lambda, o->wide);
        for (int i = 0; i < o->n; i++) {
            for (int c = 0; c < o->p; c++) out[c] -= unit * p->w[i] * o->wide[i * o->p + c];
        }
        take_part(o, p->x, im, o->x);
        sal_rows_residual_jvp(&s->rows, s->z, o->x, d, o->row, o->rate);
        for (int r = 0; r < o->m; r++) {
            for (int c = 0; c < o->p; c++) out[c] += unit * p->nu[r] * (o->rate[r * o->p + c] - t->row2[r * o->p + c]);
        }
    }
}

/* Of a mode, from those of its eigenvalue. */
static void show_gradient(sal_modes *o, int k, const double _Complex *change)
{
    const pair  *q    = &o->pair[k];
    const size_t p    = (size_t)o->p;
    double      *g    = o->gradient + (size_t)k * 4 * p;
    const bool   none = q->zero || o->mode[k].repeated > 1;

    for (size_t c = 0; c < p; c++) {
        const bool known         = !none && isfinite(o->e->Q[c]);
        const double _Complex ds = known ? -change[c] / q->slope : NAN + NAN * I;
        const double f = cabs(q->s), df = (creal(q->s) * creal(ds) + cimag(q->s) * cimag(ds)) / f;
        g[c]         = creal(ds);
        g[p + c]     = cimag(ds);
        g[2 * p + c] = df;
        g[3 * p + c] = -creal(ds) / f + creal(q->s) * df / (f * f);
    }
}

static sal_status differentiate(sal_modes *o)
{
    sal_equilibrium *e  = o->e;
    sal_system      *s  = &e->run->system;
    const size_t     nz = (size_t)s->model->nz, p = (size_t)o->p;
    double _Complex *change = SAL_NEW(&o->pool, double _Complex, p);

    o->x      = SAL_NEW(&o->pool, double, nz);
    o->w      = SAL_NEW(&o->pool, double, nz);
    o->none   = SAL_NEW(&o->pool, double, nz);
    o->stiff  = SAL_NEW(&o->pool, double, p);
    o->damp   = SAL_NEW(&o->pool, double, p);
    o->wide   = SAL_NEW(&o->pool, double, nz *p);
    o->lambda = SAL_NEW(&o->pool, double, o->m + 1);
    o->row    = SAL_NEW(&o->pool, double, (size_t)o->m *p + 1);
    o->rate   = SAL_NEW(&o->pool, double, (size_t)o->m *p + 1);
    if (o->pool.failed) return SAL_ERR_MEMORY;
    sal_rest_tangent(&e->tangent, s, e->Q);
    for (int k = 0; k < o->count; k++) {
        memset(change, 0, sizeof *change * p);
        add_pencil_change(o, &o->pair[k], change);
        add_row_changes(o, &o->pair[k], change);
        show_gradient(o, k, change);
    }
    return SAL_OK;
}

/* ------------------------------------------------------------------------------------------- modes */

/* The shape with its largest displacement 1, and the mass that belongs to it: x^H M x. */
static void show_shape(sal_modes *o, int k, double *part)
{
    const pair *p    = &o->pair[k];
    sal_mode   *mode = &o->mode[k];
    double     *re = o->shape + (size_t)(2 * k) * (size_t)o->n, *im = re + o->n;
    int         at = 0;

    for (int i = 1; i < o->n; i++) {
        if (cabs(p->x[i]) > cabs(p->x[at]) * (1.0 + 1e-9)) at = i; /* of those alike the first */
    }
    for (int i = 0; i < o->n; i++) {
        const double _Complex x = p->x[i] / p->x[at];
        re[i]                   = fabs(creal(x)) > DBL_EPSILON ? creal(x) : 0.0;
        im[i]                   = fabs(cimag(x)) > DBL_EPSILON ? cimag(x) : 0.0;
    }
    mode->shape[0] = re;
    mode->shape[1] = im;
    mode->mass     = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        const double *x = pass ? im : re;
        sal_rest_times_mass(&o->e->rest, x, part);
        for (int i = 0; i < o->n; i++) mode->mass += x[i] * part[i];
    }
}

static void show(sal_modes *o, bool symmetric, double *part)
{
    const double alike = symmetric ? SAL_REPEATED : SAL_REPEATED_GENERAL;

    for (int k = 0; k < o->count; k++) o->fastest = fmax(o->fastest, cabs(o->pair[k].s));
    for (int k = 1; k < o->count; k++) { /* by frequency */
        const pair p = o->pair[k];
        int        j = k;
        for (; j > 0 && cabs(p.s) < cabs(o->pair[j - 1].s); j--) o->pair[j] = o->pair[j - 1];
        o->pair[j] = p;
    }
    for (int k = 0; k < o->count; k++) {
        const pair  *p  = &o->pair[k];
        const double re = creal(p->s), im = cimag(p->s);
        sal_mode    *mode = &o->mode[k];
        mode->s[0]        = re;
        mode->s[1]        = im;
        mode->frequency   = cabs(p->s);
        mode->damping     = re == 0.0 ? 0.0 : -re / mode->frequency;
        mode->kind        = p->zero     ? SAL_MODE_ZERO
                            : im != 0.0 ? SAL_MODE_OSCILLATES
                            : re > 0.0  ? SAL_MODE_DIVERGES
                                        : SAL_MODE_CREEPS;
        mode->unstable    = re > SAL_UNSTABLE * o->fastest;
        for (int j = 0; j < o->count; j++) mode->repeated += cabs(p->s - o->pair[j].s) <= alike * cabs(p->s);
        show_shape(o, k, part);
    }
}

/* H and D in the coordinates of the points. */
static void fill_matrices(sal_modes *o)
{
    sal_rest *r = &o->e->rest;

    sal_rest_matrix(r, false, o->D);
    sal_rest_matrix(r, true, o->H);
}

static sal_status make(sal_modes *o)
{
    sal_equilibrium *e    = o->e;
    const int        f    = e->rest.free;
    double          *part = SAL_NEW(&o->pool, double, 2 * o->n);
    bool             symmetric;
    sal_status       status;

    o->H    = SAL_NEW(&o->pool, double, o->n * o->n);
    o->D    = SAL_NEW(&o->pool, double, o->n * o->n);
    o->pair = SAL_NEW(&o->pool, pair, 3 * f + 1);
    if (o->pool.failed) return SAL_ERR_MEMORY;
    status = sal_rest_place(&e->rest, e->q);
    if (status != SAL_OK) return status;
    fill_matrices(o);
    symmetric = e->symmetric && sal_largest(e->rest.D, f * f) <= SAL_NO_DAMPING * sqrt(sal_largest(e->rest.H, f * f) *
                                                                                       sal_largest(e->rest.M, f * f));
    if (f > 0) status = symmetric ? solve_symmetric(o) : solve_general(o);
    if (status != SAL_OK) return status;
    o->mode     = SAL_NEW(&o->pool, sal_mode, o->count + 1);
    o->shape    = SAL_NEW(&o->pool, double, 2 * o->n * (o->count + 1));
    o->gradient = SAL_NEW(&o->pool, double, 4 * (o->p + 1) * (o->count + 1));
    if (o->pool.failed) return SAL_ERR_MEMORY;
    show(o, symmetric, part);
    if (o->p == 0 || o->count == 0) return SAL_OK;
    status = find_multipliers(o);
    if (status != SAL_OK) return status;
    find_slopes(o, part);
    status = differentiate(o);
    return status;
}

sal_status sal_modes_create(sal_equilibrium *e, sal_modes **modes)
{
    sal_pool   pool;
    sal_modes *o;
    sal_status status;

    *modes = NULL;
    if (!e->found) return sal_fail(e->context, SAL_ERR_ARGUMENT, "modes need an equilibrium that has been found");
    sal_pool_init(&pool, e->context);
    o = SAL_NEW(&pool, sal_modes, 1);
    if (!o) return sal_out_of_memory(e->context);
    o->pool = pool;
    o->e    = e;
    o->n    = e->model->n;
    o->m    = e->model->m;
    o->p    = e->p;
    *modes  = o;
    status  = make(o);
    if (status == SAL_OK && !o->pool.failed) return SAL_OK;
    if (o->pool.failed) status = SAL_ERR_MEMORY;
    sal_modes_destroy(modes);
    return status == SAL_ERR_MEMORY
               ? sal_out_of_memory(e->context)
               : sal_fail(e->context, status, "%s: its eigenvalues cannot be had", e->model->tables->file);
}

void sal_modes_destroy(sal_modes **modes)
{
    sal_modes *o = *modes;
    sal_pool   pool;

    *modes = NULL;
    if (!o) return;
    pool = o->pool; /* it lies in there itself */
    sal_pool_free(&pool);
}

int sal_modes_count(const sal_modes *modes)
{
    return modes->count;
}

bool sal_modes_mode(const sal_modes *modes, int index, sal_mode *mode)
{
    if (index < 0 || index >= modes->count) return false;
    *mode = modes->mode[index];
    return true;
}

bool sal_modes_gradient(const sal_modes *modes, int index, double *re, double *im, double *frequency, double *damping)
{
    double *const out[] = { re, im, frequency, damping };

    if (index < 0 || index >= modes->count) return false;
    for (int i = 0; i < SAL_COUNT(out); i++) {
        const double *row = modes->gradient + (size_t)(4 * index + i) * (size_t)modes->p;
        if (out[i]) memcpy(out[i], row, sizeof *row * (size_t)modes->p);
    }
    return true;
}
