/* rk.c - stages, error estimates and dense output of the Runge-Kutta pairs; formulas in rk.h. */
#include "engine/steppers/rk.h"

#include <math.h>
#include <string.h>

typedef struct rk {
    const sal_tableau *method;
    double            *k[SAL_RK_STAGES];
    double            *r[SAL_RK_DEGREE]; /* dense output */
} rk;

static int stages_in_all(const sal_tableau *m)
{
    return m->stages + 1 + m->extra;
}

sal_status sal_rk_init(sal_stepper *s, sal_pool *pool, const sal_tableau *method)
{
    rk *own = SAL_NEW(pool, rk, 1);

    if (!own) return SAL_ERR_MEMORY;
    s->own      = own;
    own->method = method;
    for (int i = 0; i < stages_in_all(method); i++) own->k[i] = SAL_NEW(pool, double, s->n);
    for (int i = 0; i < method->ndense + 3; i++) own->r[i] = SAL_NEW(pool, double, s->n);
    return pool->failed ? SAL_ERR_MEMORY : SAL_OK;
}

double *sal_rk_slope(sal_stepper *s, bool end)
{
    const rk *own = s->own;

    return own->k[end ? own->method->stages : 0];
}

/* out = base + h sum_j weight_j k_j, j < count, for the first n components; base NULL: 0 */
static void combine(const rk *own, int n, const double *base, double h, const double *weight, int count, double *out)
{
    if (base) memcpy(out, base, sizeof *out * (size_t)n);
    else memset(out, 0, sizeof *out * (size_t)n);
    for (int j = 0; j < count; j++) {
        const double  w = h * weight[j];
        const double *k = own->k[j];
        if (w == 0.0) continue;
        for (int i = 0; i < n; i++) out[i] += w * k[i];
    }
}

/* One estimate: its norm. Two (order 8): err5^2 / sqrt(err5^2 + 0.01 err3^2), as in DOP853. */
static double error_norm(const sal_stepper *s, double h)
{
    const rk          *own   = s->own;
    const sal_tableau *m     = own->method;
    const int          count = m->stages + 1;
    double             one, two;

    combine(own, s->control, NULL, h, m->error[0], count, s->work);
    one = sal_stepper_norm(s, s->work);
    for (int i = 0; i < s->nspared; i++) s->estimate[i] = fabs(s->work[s->spared + i]);
    if (!m->error[1]) return one;
    combine(own, s->control, NULL, h, m->error[1], count, s->work);
    two = sal_stepper_norm(s, s->work);
    return one == 0.0 ? 0.0 : one * one / sqrt(one * one + 0.01 * two * two);
}

sal_trial sal_rk_attempt(sal_stepper *s, double h, double *error)
{
    const rk          *own = s->own;
    const sal_tableau *m   = own->method;
    sal_trial          trial;

    s->h       = h;
    s->dense_n = 0;
    for (int i = 1; i < m->stages; i++) {
        combine(own, s->active, s->y0, h, m->a[i], i, s->work);
        trial = sal_stepper_evaluate(s, s->t + m->c[i] * h, s->work, own->k[i]);
        if (trial != SAL_TRIED) return trial;
    }
    combine(own, s->active, s->y0, h, m->a[m->stages], m->stages, s->y1);
    for (int i = 0; i < s->active; i++) {
        if (!isfinite(s->y1[i])) return SAL_TRY_NUMBER;
    }
    if (s->flow.correct) {
        trial = s->flow.correct(s->flow.self, s->t + h, s->y1);
        if (trial != SAL_TRIED) return trial;
    }
    trial = sal_stepper_evaluate(s, s->t + h, s->y1, own->k[m->stages]);
    if (trial != SAL_TRIED) return trial;
    *error = error_norm(s, h);
    return isfinite(*error) ? SAL_TRIED : SAL_TRY_NUMBER;
}

void sal_rk_accept(sal_stepper *s)
{
    rk     *own   = s->own;
    double *first = own->k[0], *y = s->y0;

    s->t += s->h;
    s->h                        = 0.0;
    s->dense_n                  = 0;
    own->k[0]                   = own->k[own->method->stages];
    own->k[own->method->stages] = first;
    s->y0                       = s->y1;
    s->y1                       = y;
    memcpy(s->y1, s->y0, sizeof *y * (size_t)s->n);
}

sal_trial sal_rk_make_dense(sal_stepper *s)
{
    const rk          *own = s->own;
    const sal_tableau *m   = own->method;
    const double       h = s->h, *first = own->k[0], *last = own->k[m->stages];
    sal_trial          trial;

    for (int i = m->stages + 1; i < stages_in_all(m); i++) {
        combine(own, s->active, s->y0, h, m->a[i], i, s->work);
        trial = sal_stepper_evaluate(s, s->t + m->c[i] * h, s->work, own->k[i]);
        if (trial != SAL_TRIED) return trial;
    }
    for (int i = 0; i < s->active; i++) {
        own->r[0][i] = s->y1[i] - s->y0[i];
        own->r[1][i] = h * first[i] - own->r[0][i];
        own->r[2][i] = own->r[0][i] - h * last[i] - own->r[1][i];
    }
    for (int i = 0; i < m->ndense; i++) combine(own, s->active, NULL, h, m->dense[i], stages_in_all(m), own->r[3 + i]);
    s->dense_n = s->active;
    return SAL_TRIED;
}

void sal_rk_at(const sal_stepper *s, double theta, double *y)
{
    const rk *own = s->own;
    const int top = own->method->ndense + 2, n = s->dense_n;

    memcpy(y, own->r[top], sizeof *y * (size_t)n);
    for (int j = top; j > 0; j--) {
        const double  w = j % 2 ? 1.0 - theta : theta;
        const double *r = own->r[j - 1];
        for (int i = 0; i < n; i++) y[i] = r[i] + w * y[i];
    }
    for (int i = 0; i < n; i++) y[i] = s->y0[i] + theta * y[i];
}

/* The last stage and y1 are at the same time. */
double sal_rk_stiffness(const sal_stepper *s, int n)
{
    const rk          *own    = s->own;
    const sal_tableau *m      = own->method;
    const int          last   = m->stages - 1;
    double             slopes = 0.0, states = 0.0;

    combine(own, n, s->y0, s->h, m->a[last], last, s->work);
    for (int i = 0; i < n; i++) {
        const double scale = s->atol + s->rtol * fabs(s->y0[i]);
        const double df = (own->k[m->stages][i] - own->k[last][i]) / scale, dy = (s->y1[i] - s->work[i]) / scale;
        slopes += df * df;
        states += dy * dy;
    }
    return states > 0.0 ? s->h * sqrt(slopes / states) / s->ops->stable : 0.0;
}

/* ------------------------------------------------------------------------------------ transposed */

/* Cotangents of stages [stages in all], what is handed on to them besides [the same], and a slope. */
int sal_rk_pull_room(const sal_stepper *s, int columns)
{
    const rk *own = s->own;

    return (2 * stages_in_all(own->method) + 1) * columns * s->n;
}

/* The stages from `first` on, as the step has made them. */
static sal_trial make_stages(sal_stepper *s, double h, int first, int past)
{
    const rk *own = s->own;

    for (int i = first; i < past; i++) {
        combine(own, s->n, s->y0, h, own->method->a[i], i, s->work);
        const sal_trial trial = sal_stepper_evaluate(s, s->t + own->method->c[i] * h, s->work, own->k[i]);
        if (trial != SAL_TRIED) return trial;
    }
    return SAL_TRIED;
}

static void add_times(double *to, double factor, const double *x, size_t n)
{
    for (size_t k = 0; k < n && factor != 0.0; k++) to[k] += factor * x[k];
}

/* The dense output is y0 + sum c_j r_j, with
 *
 *     c_0 = theta, c_1 = theta (1 - theta), c_2 = theta^2 (1 - theta), ...
 *     r_0 = y1 - y0,  r_1 = h k_0 - r_0,  r_2 = 2 r_0 - h k_0 - h k_last,  r_3.. = h sum d k */
static double dense_weight(double theta, int j)
{
    double c = theta;

    for (int i = 1; i <= j; i++) c *= i % 2 ? 1.0 - theta : theta;
    return c;
}

/* What is read from the dense output: its cotangents to those of y0, of y1, and of the slopes of all stages. */
static sal_trial look(sal_stepper *s, double h, const sal_flow_back *back, int which, double *y0, double *y1,
                      double *slopes, double *w)
{
    const rk          *own   = s->own;
    const sal_tableau *m     = own->method;
    const size_t       all   = (size_t)s->n * (size_t)back->columns;
    const double       theta = back->theta[which], c0 = dense_weight(theta, 0), c1 = dense_weight(theta, 1),
                 c2 = dense_weight(theta, 2), C = c0 - c1 + 2.0 * c2;
    sal_trial trial;

    for (int k = 0; k < s->n; k++) s->work[k] = s->y0[k] + C * (back->end[k] - s->y0[k]);
    add_times(s->work, h * (c1 - c2), own->k[0], (size_t)s->n);
    add_times(s->work, -h * c2, own->k[m->stages], (size_t)s->n);
    for (int i = 0; i < m->ndense; i++) {
        for (int j = 0; j < stages_in_all(m); j++)
            add_times(s->work, h * dense_weight(theta, 3 + i) * m->dense[i][j], own->k[j], (size_t)s->n);
    }
    trial = back->look(back->self, which, s->t + theta * h, s->work, w);
    add_times(y0, 1.0 - C, w, all);
    add_times(y1, C, w, all);
    add_times(slopes, h * (c1 - c2), w, all);
    add_times(slopes + (size_t)m->stages * all, -h * c2, w, all);
    for (int i = 0; i < m->ndense; i++) {
        for (int j = 0; j < stages_in_all(m); j++)
            add_times(slopes + (size_t)j * all, h * dense_weight(theta, 3 + i) * m->dense[i][j], w, all);
    }
    return trial;
}

/* All looks, then the stages that only the dense output has, and f(y1). y0 is given what of it is read. */
static sal_trial pull_dense(sal_stepper *s, double h, const sal_flow_back *back, double *w, double *slopes, double *bar,
                            double *y0)
{
    const rk          *own   = s->own;
    const sal_tableau *m     = own->method;
    const size_t       all   = (size_t)s->n * (size_t)back->columns;
    sal_trial          trial = sal_stepper_evaluate(s, s->t + h, back->end, own->k[m->stages]);

    if (trial == SAL_TRIED) trial = make_stages(s, h, m->stages + 1, stages_in_all(m));
    for (int k = 0; k < back->looks && trial == SAL_TRIED; k++) trial = look(s, h, back, k, y0, w, slopes, bar);
    for (int i = stages_in_all(m) - 1; i > m->stages && trial == SAL_TRIED; i--) {
        memset(bar, 0, sizeof *bar * all);
        combine(own, s->n, s->y0, h, m->a[i], i, s->work);
        trial = back->pull(back->self, s->t + m->c[i] * h, s->work, 0.0, slopes + (size_t)i * all, bar);
        add_times(y0, 1.0, bar, all);
        for (int j = 0; j < i; j++) add_times(slopes + (size_t)j * all, h * m->a[i][j], bar, all);
    }
    if (trial != SAL_TRIED) return trial;
    memset(bar, 0, sizeof *bar * all);
    trial = back->pull(back->self, s->t + h, back->end, 0.0, slopes + (size_t)m->stages * all, bar);
    add_times(w, 1.0, bar, all);
    return trial;
}

sal_trial sal_rk_pull(sal_stepper *s, double h, const sal_flow_back *back, double *w, double *work)
{
    const rk          *own = s->own;
    const sal_tableau *m   = own->method;
    const double      *b   = m->a[m->stages];
    const size_t       all = (size_t)s->n * (size_t)back->columns, many = all * (size_t)stages_in_all(m);
    double            *more = work + many, *slope = more + many;
    sal_trial          trial = make_stages(s, h, 0, m->stages);

    memset(work + all * (size_t)m->stages, 0, sizeof *work * all); /* of y0, by looks */
    memset(more, 0, sizeof *more * many);
    if (trial == SAL_TRIED && back->looks)
        trial = pull_dense(s, h, back, w, more, slope, work + all * (size_t)m->stages);
    if (trial == SAL_TRIED && back->correct) {
        combine(own, s->n, s->y0, h, b, m->stages, s->y1);
        trial = back->correct(back->self, s->t + h, s->y1, w);
    }
    for (int i = m->stages - 1; i >= 0 && trial == SAL_TRIED; i--) {
        double *bar = work + all * (size_t)i;
        for (size_t k = 0; k < all; k++) slope[k] = h * b[i] * w[k] + more[(size_t)i * all + k];
        for (int j = i + 1; j < m->stages; j++) {
            const double  weight = h * m->a[j][i];
            const double *later  = work + all * (size_t)j;
            for (size_t k = 0; k < all && weight != 0.0; k++) slope[k] += weight * later[k];
        }
        memset(bar, 0, sizeof *bar * all);
        combine(own, s->n, s->y0, h, m->a[i], i, s->work);
        trial = back->pull(back->self, s->t + m->c[i] * h, s->work, h * b[i], slope, bar);
    }
    for (int i = 0; i <= m->stages; i++) {
        for (size_t k = 0; k < all; k++) w[k] += work[all * (size_t)i + k];
    }
    return trial;
}

void sal_rk_propagate(const sal_stepper *s, const double A[2][2], double P[2][2])
{
    const sal_tableau *m = ((const rk *)s->own)->method;
    double             k[SAL_RK_STAGES][2], y[2] = { 0.0, 0.0 };

    for (int c = 0; c < 2; c++) {
        for (int i = 0; i <= m->stages; i++) { /* the last one: y1 */
            for (int r = 0; r < 2; r++) {
                y[r] = r == c;
                for (int j = 0; j < i; j++) y[r] += m->a[i][j] * k[j][r];
            }
            for (int r = 0; r < 2 && i < m->stages; r++) k[i][r] = A[r][0] * y[0] + A[r][1] * y[1];
        }
        P[0][c] = y[0];
        P[1][c] = y[1];
    }
}
