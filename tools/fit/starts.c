/* starts.c - searches from several places, the best of which counts.
 *
 * The noise that each search has estimated is its own: what they found is compared by the likelihood,
 *
 *     -2 log L = chi2 + sum_q 2 n_q log(sigma_q) + constant
 *
 * sigma where it is estimated, and not below a billionth of how the data scatter: what is nearer to them is as near. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/fit/fit.h"

static const double NEAR = 1e-9, ALIKE = 0.01; /* of -2 log L for each sample */

typedef struct found { /* by the best search so far: all of it, for an interrupted run cannot be made again */
    double     *x, *sigma, *r, *J, *motion;
    double      chi2;
    bool        converged;
    const char *why;
} found;

static double likelihood(const fitting *f)
{
    double sum = f->chi2;

    for (int q = 0; q < f->data.nquantity; q++) {
        const quantity *x = &f->data.quantity[q];
        if (!x->given) sum += 2.0 * (double)x->n * log(fmax(x->sigma, NEAR * x->spread));
    }
    return sum;
}

static void copy(fitting *f, found *one, bool back)
{
    const size_t n = (size_t)f->over.n * sizeof(double), m = (size_t)f->data.n * sizeof(double);
    struct {
        double *here, *kept;
        size_t  size;
    } lists[] = {
        { f->x, one->x, n },
        { f->r, one->r, m },
        { f->motion, one->motion, m },
        { f->J, one->J, m * (size_t)f->over.n },
    };

    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++)
        memcpy(back ? lists[k].here : lists[k].kept, back ? lists[k].kept : lists[k].here, lists[k].size);
}

static void keep(fitting *f, found *one)
{
    copy(f, one, false);
    for (int q = 0; q < f->data.nquantity; q++) one->sigma[q] = f->data.quantity[q].sigma;
    one->chi2      = f->chi2;
    one->converged = f->converged;
    one->why       = f->why;
}

static void restore(fitting *f, found *one)
{
    copy(f, one, true);
    for (int q = 0; q < f->data.nquantity; q++) f->data.quantity[q].sigma = one->sigma[q];
    f->chi2      = one->chi2;
    f->converged = one->converged;
    f->why       = one->why;
}

/* At a place, in parts of the ranges: the first is where the scene says. */
static void begin(fitting *f, bool first, const double *u)
{
    for (int k = 0; k < f->over.n; k++) {
        const variable *v = &f->over.at[k];
        f->x[k]           = first || !isfinite(v->high - v->low) ? v->start : v->low + u[k] * (v->high - v->low);
    }
}

/* Where n searches have led, by their likelihoods. */
static void count(fitting *f, const double *value, int n, double best)
{
    for (int k = 0; k < n; k++) {
        const bool alike = value[k] - best <= ALIKE * (double)f->data.n;
        *(value[k] == HUGE_VAL ? &f->lost : alike ? &f->here : &f->elsewhere) += 1;
    }
}

static int failed(const fitting *f)
{
    if (f->no_memory) return report("saltus: out of memory", SAL_ERR_MEMORY);
    fprintf(stderr, "saltus: it fails at the start: ");
    return f->stopped ? EXIT_STOPPED : report(f->message, f->status < 0 ? f->status : SAL_ERR_LIMIT);
}

static double search_all(fitting *f, double tolerance, long evaluations, uint64_t seed, found *one, double *value)
{
    double *u = variables_places(&f->over, f->starts, seed), best = HUGE_VAL;
    int     n = 0;

    f->no_memory = !u;
    for (; n < f->starts && !f->stopped && !f->no_memory; n++) {
        begin(f, n == 0, u + (size_t)n * (size_t)f->over.n);
        value[n] = search_once(f, tolerance, evaluations) ? likelihood(f) : HUGE_VAL;
        if (value[n] < best) best = value[n], keep(f, one);
    }
    free(u);
    if (best < HUGE_VAL) restore(f, one);
    count(f, value, n, best);
    return best;
}

int search_fit(fitting *f, double tolerance, long evaluations, uint64_t seed)
{
    const size_t n = (size_t)f->over.n, m = (size_t)f->data.n;
    found        one   = { .x      = need_zeros(n, sizeof(double)),
                           .sigma  = need_zeros((size_t)f->data.nquantity + 1, sizeof(double)),
                           .r      = need_zeros(m, sizeof(double)),
                           .J      = need_zeros(m * n, sizeof(double)),
                           .motion = need_zeros(m, sizeof(double)) };
    double      *value = need_zeros((size_t)f->starts, sizeof *value);
    const double best  = search_all(f, tolerance, evaluations, seed, &one, value);

    free(one.x);
    free(one.sigma);
    free(one.r);
    free(one.J);
    free(one.motion);
    free(value);
    return f->no_memory || best == HUGE_VAL ? failed(f) : EXIT_SUCCESS;
}
