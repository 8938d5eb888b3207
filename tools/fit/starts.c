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
#include "tools/sweep/sample.h"

static const double NEAR = 1e-9, ALIKE = 0.01; /* of -2 log L for each sample */

typedef struct found {
    double     *x, *sigma;
    double      likelihood; /* -2 log L */
    bool        good, converged;
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

static found take(const fitting *f, bool good)
{
    found one = { .good       = good,
                  .likelihood = good ? likelihood(f) : HUGE_VAL,
                  .converged  = f->converged,
                  .why        = f->why,
                  .x          = need_zeros((size_t)f->over.n, sizeof(double)),
                  .sigma      = need_zeros((size_t)f->data.nquantity + 1, sizeof(double)) };

    memcpy(one.x, f->x, (size_t)f->over.n * sizeof *one.x);
    for (int q = 0; q < f->data.nquantity; q++) one.sigma[q] = f->data.quantity[q].sigma;
    return one;
}

/* Back to what a search has found. */
static void restore(fitting *f, const found *one)
{
    memcpy(f->x, one->x, (size_t)f->over.n * sizeof *f->x);
    for (int q = 0; q < f->data.nquantity; q++) f->data.quantity[q].sigma = one->sigma[q];
    f->converged = one->converged;
    f->why       = one->why;
    if (model_at(f, f->x, f->motion, f->J)) f->chi2 = weigh(f, f->motion, f->J, f->r);
}

/* Where search k begins: the first where the scene says, others anywhere in the ranges. */
static bool begin(fitting *f, int k, uint64_t seed)
{
    double *u    = need_zeros((size_t)f->starts, sizeof *u);
    bool    good = true;

    for (int c = 0; c < f->over.n; c++) {
        const variable *v = &f->over.at[c];
        f->x[c]           = v->start;
        if (k == 0 || !isfinite(v->high - v->low)) continue;
        good    = good && sample_column(SAMPLE_SOBOL, seed, c, f->starts - 1, u, 1);
        f->x[c] = v->low + u[k - 1] * (v->high - v->low);
    }
    free(u);
    return good;
}

static void count(fitting *f, const found *all, int n, int best)
{
    for (int k = 0; k < n; k++) {
        const bool alike = all[k].good && all[k].likelihood - all[best].likelihood <= ALIKE * (double)f->data.n;
        *(!all[k].good ? &f->lost : alike ? &f->here : &f->elsewhere) += 1;
    }
}

static int failed(const fitting *f)
{
    if (f->no_memory) return report("saltus: out of memory", SAL_ERR_MEMORY);
    fprintf(stderr, "saltus: it fails at the start: ");
    return f->stopped ? EXIT_STOPPED : report(f->message, f->status < 0 ? f->status : SAL_ERR_LIMIT);
}

int search_fit(fitting *f, double tolerance, long evaluations, uint64_t seed)
{
    found *all = need_zeros((size_t)f->starts, sizeof *all);
    int    n = 0, best = 0, code;

    while (n < f->starts && !f->stopped && !f->no_memory) {
        f->no_memory = f->no_memory || !begin(f, n, seed);
        all[n]       = take(f, search_once(f, tolerance, evaluations));
        if (all[n].likelihood < all[best].likelihood) best = n;
        n++;
    }
    code = f->no_memory || !all[best].good ? failed(f) : EXIT_SUCCESS;
    if (code == EXIT_SUCCESS) count(f, all, n, best);
    if (code == EXIT_SUCCESS && best != n - 1) restore(f, &all[best]);
    for (int k = 0; k < n; k++) {
        free(all[k].x);
        free(all[k].sigma);
    }
    free(all);
    return code;
}
