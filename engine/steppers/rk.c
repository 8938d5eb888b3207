/* rk.c - stepping, error control and dense output of the Runge-Kutta pairs; formulas in rk.h. */
#include "engine/steppers/stepper.h"

#include <float.h>
#include <math.h>
#include <string.h>

static int stages_in_all(const sal_tableau *m)
{
    return m->stages + 1 + m->extra;
}

sal_status sal_rk_init(sal_rk *rk, sal_pool *pool, const sal_tableau *method, int n)
{
    *rk      = (sal_rk){ .method = method, .n = n, .active = n, .control = n };
    rk->y0   = SAL_NEW(pool, double, n);
    rk->y1   = SAL_NEW(pool, double, n);
    rk->work = SAL_NEW(pool, double, n);
    for (int i = 0; i < stages_in_all(method); i++) rk->k[i] = SAL_NEW(pool, double, n);
    for (int i = 0; i < method->ndense + 3; i++) rk->r[i] = SAL_NEW(pool, double, n);
    return pool->failed ? SAL_ERR_MEMORY : SAL_OK;
}

static sal_status evaluate(sal_rk *rk, double t, const double *y, double *dy)
{
    rk->evaluations++;
    return rk->function(rk->self, t, y, dy);
}

/* out = base + h sum_j weight_j k_j, j < count, for the first n components; base NULL: 0 */
static void combine(const sal_rk *rk, int n, const double *base, double h, const double *weight, int count, double *out)
{
    if (base) memcpy(out, base, sizeof *out * (size_t)n);
    else memset(out, 0, sizeof *out * (size_t)n);
    for (int j = 0; j < count; j++) {
        const double  w = h * weight[j];
        const double *k = rk->k[j];
        if (w == 0.0) continue;
        for (int i = 0; i < n; i++) out[i] += w * k[i];
    }
}

sal_status sal_rk_start(sal_rk *rk, double t, const double *y)
{
    rk->t       = t;
    rk->h       = 0.0;
    rk->dense_n = 0;
    memcpy(rk->y0, y, sizeof *y * (size_t)rk->n);
    memcpy(rk->y1, y, sizeof *y * (size_t)rk->n);
    return evaluate(rk, t, rk->y0, rk->k[0]);
}

static double scale(const sal_rk *rk, int i)
{
    return rk->atol + rk->rtol * fmax(fabs(rk->y0[i]), fabs(rk->y1[i]));
}

static double norm(const sal_rk *rk, const double *x)
{
    double sum = 0.0;

    for (int i = 0; i < rk->control; i++) sum += (x[i] / scale(rk, i)) * (x[i] / scale(rk, i));
    return sqrt(sum / rk->control);
}

/* Hairer, Norsett, Wanner I, section II.4: a first guess from |y| and |f|, bettered with an Euler step's estimate of
 * f'. */
sal_status sal_rk_first_step(sal_rk *rk, double longest, double *h)
{
    const double d0 = norm(rk, rk->y0), d1 = norm(rk, rk->k[0]);
    double       h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1, h1, d2;
    double      *k  = rk->k[1];
    sal_status   status;

    if (h0 > longest) h0 = longest;
    combine(rk, rk->active, rk->y0, h0, (const double[]){ 1.0 }, 1, rk->work);
    status = evaluate(rk, rk->t + h0, rk->work, k);
    if (status != SAL_OK) { /* the guess reaches too far: begin carefully */
        *h = 1e-3 * h0;
        return SAL_OK;
    }
    for (int i = 0; i < rk->control; i++) k[i] -= rk->k[0][i];
    d2 = norm(rk, k) / h0;
    h1 = fmax(d1, d2) <= 1e-15 ? fmax(1e-6, 1e-3 * h0) : pow(0.01 / fmax(d1, d2), 1.0 / rk->method->order);
    *h = fmin(fmin(100.0 * h0, h1), longest);
    return SAL_OK;
}

/* One estimate: its norm. Two (order 8): err5^2 / sqrt(err5^2 + 0.01 err3^2), as in DOP853. */
static double error_norm(const sal_rk *rk, double h)
{
    const sal_tableau *m     = rk->method;
    const int          count = m->stages + 1;
    double             one, two;

    combine(rk, rk->control, NULL, h, m->error[0], count, rk->work);
    one = norm(rk, rk->work);
    if (!m->error[1]) return one;
    combine(rk, rk->control, NULL, h, m->error[1], count, rk->work);
    two = norm(rk, rk->work);
    return one == 0.0 ? 0.0 : one * one / sqrt(one * one + 0.01 * two * two);
}

sal_status sal_rk_try(sal_rk *rk, double h, double *error)
{
    const sal_tableau *m = rk->method;
    sal_status         status;

    rk->h       = h;
    rk->dense_n = 0;
    for (int i = 1; i < m->stages; i++) {
        combine(rk, rk->active, rk->y0, h, m->a[i], i, rk->work);
        status = evaluate(rk, rk->t + m->c[i] * h, rk->work, rk->k[i]);
        if (status != SAL_OK) return status;
    }
    combine(rk, rk->active, rk->y0, h, m->a[m->stages], m->stages, rk->y1);
    for (int i = 0; i < rk->active; i++) {
        if (!isfinite(rk->y1[i])) return SAL_ERR_NUMBER;
    }
    if (rk->finish) {
        status = rk->finish(rk->self, rk->t + h, rk->y1);
        if (status != SAL_OK) return status;
    }
    status = evaluate(rk, rk->t + h, rk->y1, rk->k[m->stages]);
    if (status != SAL_OK) return status;
    *error = error_norm(rk, h);
    return isfinite(*error) ? SAL_OK : SAL_ERR_NUMBER;
}

double sal_rk_next_step(const sal_rk *rk, double h, double error, bool after_rejection)
{
    const double shrink = 0.2, grow = after_rejection ? 1.0 : 6.0, safety = 0.9;
    double       factor = error > 0.0 ? safety * pow(error, -1.0 / rk->method->order) : grow;

    return h * fmin(grow, fmax(shrink, factor));
}

void sal_rk_accept(sal_rk *rk)
{
    double *first = rk->k[0], *y = rk->y0;

    rk->t += rk->h;
    rk->h                     = 0.0;
    rk->dense_n               = 0;
    rk->k[0]                  = rk->k[rk->method->stages];
    rk->k[rk->method->stages] = first;
    rk->y0                    = rk->y1;
    rk->y1                    = y;
    memcpy(rk->y1, rk->y0, sizeof *y * (size_t)rk->n);
}

int sal_rk_degree(const sal_rk *rk)
{
    return rk->method->ndense + 3;
}

sal_status sal_rk_make_dense(sal_rk *rk)
{
    const sal_tableau *m = rk->method;
    const double       h = rk->h, *first = rk->k[0], *last = rk->k[m->stages];
    sal_status         status;

    if (rk->dense_n >= rk->active) return SAL_OK;
    for (int i = m->stages + 1; i < stages_in_all(m); i++) {
        combine(rk, rk->active, rk->y0, h, m->a[i], i, rk->work);
        status = evaluate(rk, rk->t + m->c[i] * h, rk->work, rk->k[i]);
        if (status != SAL_OK) return status;
    }
    for (int i = 0; i < rk->active; i++) {
        rk->r[0][i] = rk->y1[i] - rk->y0[i];
        rk->r[1][i] = h * first[i] - rk->r[0][i];
        rk->r[2][i] = rk->r[0][i] - h * last[i] - rk->r[1][i];
    }
    for (int i = 0; i < m->ndense; i++) combine(rk, rk->active, NULL, h, m->dense[i], stages_in_all(m), rk->r[3 + i]);
    rk->dense_n = rk->active;
    return SAL_OK;
}

void sal_rk_interpolate(const sal_rk *rk, double theta, double *y)
{
    const int top = sal_rk_degree(rk) - 1, n = rk->dense_n;

    memcpy(y, rk->r[top], sizeof *y * (size_t)n);
    for (int j = top; j > 0; j--) {
        const double  w = j % 2 ? 1.0 - theta : theta;
        const double *r = rk->r[j - 1];
        for (int i = 0; i < n; i++) y[i] = r[i] + w * y[i];
    }
    for (int i = 0; i < n; i++) y[i] = rk->y0[i] + theta * y[i];
}
