/* stepper.c - what all integrators share: the beginning, the lengths of steps. */
#include "engine/steppers/stepper.h"

#include <math.h>
#include <string.h>

sal_status sal_stepper_init(sal_stepper *s, sal_pool *pool, const sal_stepper_ops *ops, int n)
{
    *s      = (sal_stepper){ .ops = ops, .n = n, .active = n, .control = n, .measured = n, .spared = -1 };
    s->y0   = SAL_NEW(pool, double, n);
    s->y1   = SAL_NEW(pool, double, n);
    s->work = SAL_NEW(pool, double, n);
    return ops->init(s, pool);
}

sal_trial sal_stepper_evaluate(sal_stepper *s, double t, const double *y, double *dy)
{
    s->evaluations++;
    return s->flow.derivative(s->flow.self, t, y, dy);
}

sal_status sal_stepper_exchange(sal_stepper *s, sal_pool *pool, sal_stepper_kind *other)
{
    const sal_stepper_kind now   = { s->ops, s->own };
    const double          *slope = s->ops->slope(s, false);

    s->ops     = other->ops;
    s->own     = other->own;
    *other     = now;
    s->h       = 0.0;
    s->dense_n = 0;
    if (!s->own && s->ops->init(s, pool) != SAL_OK) return SAL_ERR_MEMORY;
    memcpy(s->ops->slope(s, false), slope, sizeof *slope * (size_t)s->n);
    if (s->ops->kept) *s->ops->kept(s) = 0.0;
    return SAL_OK;
}

sal_trial sal_stepper_start(sal_stepper *s, double t, const double *y)
{
    s->t       = t;
    s->h       = 0.0;
    s->dense_n = 0;
    if (s->ops->kept) *s->ops->kept(s) = 0.0;
    memcpy(s->y0, y, sizeof *y * (size_t)s->n);
    memcpy(s->y1, y, sizeof *y * (size_t)s->n);
    return sal_stepper_evaluate(s, t, s->y0, s->ops->slope(s, false));
}

double sal_stepper_norm(const sal_stepper *s, const double *x)
{
    double sum = 0.0;

    for (int i = 0; i < s->control; i++) {
        if (i == s->spared) i += s->nspared;
        if (i >= s->control) break;
        const double e = x[i] / (s->atol + s->rtol * fmax(fabs(s->y0[i]), fabs(s->y1[i])));
        sum += e * e;
    }
    return sqrt(sum / (s->measured - s->nspared));
}

/* Hairer, Norsett, Wanner I, section II.4: a first guess from |y| and |f|, bettered with an Euler step's estimate of
 * f'. */
double sal_stepper_first_length(sal_stepper *s, double longest)
{
    double      *f = s->ops->slope(s, false), *later = s->ops->slope(s, true);
    const double d0 = sal_stepper_norm(s, s->y0), d1 = sal_stepper_norm(s, f);
    double       h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1, h1, d2;

    if (h0 > longest) h0 = longest;
    for (int i = 0; i < s->active; i++) s->work[i] = s->y0[i] + h0 * f[i];
    if (sal_stepper_evaluate(s, s->t + h0, s->work, later) != SAL_TRIED)
        return 1e-3 * h0; /* the guess reaches too far: begin carefully */
    for (int i = 0; i < s->control; i++) later[i] -= f[i];
    d2 = sal_stepper_norm(s, later) / h0;
    h1 = fmax(d1, d2) <= 1e-15 ? fmax(1e-6, 1e-3 * h0) : pow(0.01 / fmax(d1, d2), 1.0 / s->ops->order);
    return fmin(fmin(100.0 * h0, h1), longest);
}

double sal_stepper_next_length(const sal_stepper *s, double h, double error, bool after_rejection)
{
    const double most = s->ops->implicit ? 3.0 : 6.0, shrink = 0.2, grow = after_rejection ? 1.0 : most, safety = 0.9;
    double       factor = error > 0.0 ? safety * pow(error, -1.0 / s->ops->order) : grow;

    return h * fmin(grow, fmax(shrink, factor));
}
