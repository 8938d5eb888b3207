/* statistics.c - how well the data tell the parameters: fit.h has the equations.
 *
 * A singular value below 1e-7 of the largest is none: derivatives are good to some 1e-9. Its combination of parameters
 * changes nothing that was measured, and parameters that have a part in it have no standard error. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/fit/fit.h"

static const double UNTOLD = 1e-7;

/* ----------------------------------------------------------------------------------------- quantiles */

/* The part of Student's distribution with n degrees of freedom between -t and t: with the angle a = atan(t/sqrt(n)) the
 * integral of cos(a)^(n - 1), of which there is always a finite sum. */
static double within(double t, long n)
{
    const double a = atan(t / sqrt((double)n)), c2 = cos(a) * cos(a);
    double       sum = 0.0, term;

    if (n % 2) {
        term = cos(a);
        for (long k = 1; k < n - 1; k += 2) {
            sum += term;
            term *= c2 * (double)(k + 1) / (double)(k + 2);
        }
        return 2.0 / acos(-1.0) * (a + sin(a) * sum);
    }
    term = 1.0;
    for (long k = 0; k < n - 1; k += 2) {
        sum += term;
        term *= c2 * (double)(k + 1) / (double)(k + 2);
    }
    return sin(a) * sum;
}

/* n 0: the normal distribution, as of many. */
static double quantile_of(double confidence, long n)
{
    double low = 0.0, high = 1.0;

    if (n <= 0 || n > 2000) {
        for (high = 1.0; erf(high / sqrt(2.0)) < confidence;) high *= 2.0;
        for (int k = 0; k < 200; k++) {
            const double middle                                    = 0.5 * (low + high);
            *(erf(middle / sqrt(2.0)) < confidence ? &low : &high) = middle;
        }
        return high;
    }
    while (within(high, n) < confidence) high *= 2.0;
    for (int k = 0; k < 200; k++) {
        const double middle                              = 0.5 * (low + high);
        *(within(middle, n) < confidence ? &low : &high) = middle;
    }
    return high;
}

/* ---------------------------------------------------------------------------------------- covariance */

/* Columns of J over their norms, those at a bound left out; D gets the norms. */
static void scale_columns(const fitting *f, const statistics *t, double *D, double *A)
{
    const long m = f->data.n;

    for (int k = 0; k < t->n; k++) {
        D[k] = column_norm(f, k);
        for (long i = 0; i < m; i++) A[k * m + i] = t->held[k] || D[k] == 0.0 ? 0.0 : f->J[k * m + i] / D[k];
    }
}

static void add_up(statistics *t, const double *D)
{
    const int told = t->n - t->untold;

    for (int a = 0; a < t->n; a++) {
        for (int b = 0; b < t->n; b++) {
            double sum = 0.0;
            for (int j = 0; j < told; j++)
                sum += t->direction[j * t->n + a] * t->direction[j * t->n + b] / (t->singular[j] * t->singular[j]);
            t->covariance[a * t->n + b] = D[a] > 0.0 && D[b] > 0.0 ? sum / (D[a] * D[b]) : 0.0;
        }
    }
    for (int a = 0; a < t->n; a++) {
        bool hidden = t->held[a] || D[a] == 0.0;
        for (int j = told; j < t->n; j++) hidden = hidden || fabs(t->direction[j * t->n + a]) > 1e-3;
        t->error[a] = hidden ? NAN : sqrt(t->covariance[a * t->n + a]);
    }
}

statistics statistics_of(const fitting *f, double confidence)
{
    const size_t n = (size_t)f->over.n, m = (size_t)f->data.n;
    statistics   t = { .n          = f->over.n,
                       .error      = need_zeros(n, sizeof(double)),
                       .covariance = need_zeros(n * n, sizeof(double)),
                       .singular   = need_zeros(n, sizeof(double)),
                       .direction  = need_zeros(n * n, sizeof(double)),
                       .held       = need_zeros(n, sizeof(bool)),
                       .freedom    = f->data.n - f->over.n };
    double      *D = need_zeros(n, sizeof *D), *A = need_zeros(n * m, sizeof *A);
    bool         estimated = false;
    int          held      = 0;

    for (int k = 0; k < t.n; k++) {
        t.held[k] = f->x[k] <= f->over.at[k].low || f->x[k] >= f->over.at[k].high;
        held += t.held[k];
    }
    scale_columns(f, &t, D, A);
    singular_values(A, (long)m, t.n, t.singular, t.direction);
    for (int k = 0; k < t.n; k++) t.untold += t.singular[k] <= UNTOLD * t.singular[0];
    add_up(&t, D);
    for (int k = 0; k < t.n;
         k++) { /* directions in parameters, the largest part 1; those of held ones are no finding */
        double most = 0.0;
        for (int a = 0; a < t.n; a++) {
            double *part = &t.direction[k * t.n + a];
            if (k >= t.n - t.untold && D[a] > 0.0) *part /= D[a];
            most = fmax(most, fabs(*part));
        }
        for (int a = 0; a < t.n && most > 0.0; a++) t.direction[k * t.n + a] /= most;
    }
    for (int k = 0; k < f->data.nquantity; k++) estimated = estimated || !f->data.quantity[k].given;
    t.quantile = quantile_of(confidence, estimated ? t.freedom + held : 0);
    free(D);
    free(A);
    return t;
}

void statistics_free(statistics *t)
{
    free(t->error);
    free(t->covariance);
    free(t->singular);
    free(t->direction);
    free(t->held);
}

double likeness(const fitting *f, int q)
{
    const quantity *x      = &f->data.quantity[q];
    double          square = 0.0, product = 0.0;
    long            first = 0;

    for (int k = 0; k < f->data.nexperiment; first += f->data.experiment[k++].n) {
        double before = 0.0;
        for (long i = 0; i < f->data.experiment[k].n; i++) {
            const double r = f->r[first + i];
            if (f->data.experiment[k].at[i].quantity != q) continue;
            square += r * r;
            product += before * r;
            before = r;
        }
    }
    /* data without noise: what is left is that of the steps */
    return x->sigma * sqrt(square / fmax((double)x->n, 1.0)) > 1e-6 * x->spread ? product / square : 0.0;
}

double band(const fitting *f, const statistics *t, long i)
{
    double sum = 0.0;

    for (int a = 0; a < t->n; a++) {
        for (int b = 0; b < t->n; b++)
            sum += f->J[a * f->data.n + i] * t->covariance[a * t->n + b] * f->J[b * f->data.n + i];
    }
    return sqrt(fmax(sum, 0.0));
}
