/* search.c - Levenberg's and Marquardt's method within ranges; fit.h has the equations.
 *
 * mu falls where the motion does what its derivatives say, and rises where it does not (Nielsen). Variables at a
 * bound that would go beyond it are held. Where the noise is not told it is what the residuals show, quantity by
 * quantity, and the search goes on with it until that does not change any more. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/fit/fit.h"

enum { ROUNDS = 12 };

static double norm2(const double *x, long m)
{
    double sum = 0.0;

    for (long i = 0; i < m; i++) sum += x[i] * x[i];
    return sum;
}

static double product(const double *x, const double *y, long m)
{
    double sum = 0.0;

    for (long i = 0; i < m; i++) sum += x[i] * y[i];
    return sum;
}

static bool is_held(const fitting *f, int k, double slope)
{
    const variable *v = &f->over.at[k];

    return (f->x[k] <= v->low && slope >= 0.0) || (f->x[k] >= v->high && slope <= 0.0);
}

/* How far from stationary: the largest cosine between the residual and what a variable that may move would change. */
static double cosine(const fitting *f)
{
    const long   m    = f->data.n;
    const double size = sqrt(f->chi2);
    double       most = 0.0;

    for (int k = 0; k < f->over.n; k++) {
        const double slope = product(f->J + k * m, f->r, m), length = column_norm(f, k);
        if (length > 0.0 && size > 0.0 && !is_held(f, k, slope)) most = fmax(most, fabs(slope) / (length * size));
    }
    return most;
}

typedef struct step { /* [n]; U S [n][m] */
    double *D, *S, *V, *US, *dx;
} step;

/* J D^-1 = U S V^T, held variables without a column. */
static void prepare_step(const fitting *f, step *s)
{
    const long m = f->data.n;

    for (int k = 0; k < f->over.n; k++) {
        const double *column = f->J + k * m, length = column_norm(f, k);
        const bool    held = length == 0.0 || is_held(f, k, product(column, f->r, m));
        s->D[k]            = fmax(s->D[k], length);
        for (long i = 0; i < m; i++) s->US[k * m + i] = held ? 0.0 : column[i] / s->D[k];
    }
    singular_values(s->US, m, f->over.n, s->S, s->V);
}

/* dx = -D^-1 V (S^2 + mu)^-1 S U^T r, and into the ranges. */
static void make_step(const fitting *f, step *s, double mu)
{
    const int n = f->over.n;

    for (int k = 0; k < n; k++) s->dx[k] = 0.0;
    for (int j = 0; j < n; j++) {
        const double c = product(s->US + j * f->data.n, f->r, f->data.n) / (s->S[j] * s->S[j] + mu);
        for (int k = 0; k < n; k++) s->dx[k] -= c * s->V[j * n + k];
    }
    for (int k = 0; k < n; k++) {
        const variable *v = &f->over.at[k];
        f->trial_x[k]     = f->x[k] + (s->D[k] > 0.0 ? s->dx[k] / s->D[k] : 0.0);
        f->trial_x[k]     = fmin(fmax(f->trial_x[k], v->low), v->high);
        s->dx[k]          = f->trial_x[k] - f->x[k];
    }
}

/* chi2 less what the derivatives say of it after the step. */
static double predicted(const fitting *f, const step *s)
{
    double sum = 0.0;

    for (long i = 0; i < f->data.n; i++) {
        double r = f->r[i];
        for (int k = 0; k < f->over.n; k++) r += f->J[k * f->data.n + i] * s->dx[k];
        sum += r * r;
    }
    return f->chi2 - sum;
}

static void exchange(double **a, double **b)
{
    double *c = *a;

    *a = *b;
    *b = c;
}

static void accept(fitting *f, double chi2)
{
    exchange(&f->x, &f->trial_x);
    exchange(&f->r, &f->trial_r);
    exchange(&f->J, &f->trial_J);
    exchange(&f->motion, &f->trial_motion);
    f->chi2 = chi2;
}

static bool is_tiny(const fitting *f, const step *s)
{
    for (int k = 0; k < f->over.n; k++) {
        if (fabs(s->dx[k]) > 4.0 * DBL_EPSILON * fabs(f->x[k])) return false;
    }
    return true;
}

/* A step that lessens chi2, ever shorter ones where the motion does not do what its derivatives say; false: the search
 * has ended. */
static bool step_on(fitting *f, step *s, double *mu, long most)
{
    for (double grow = 2.0; *mu <= 1e16; *mu *= grow, grow *= 2.0) {
        make_step(f, s, *mu);
        const double hope = predicted(f, s);
        if (is_tiny(f, s) || hope <= 0.1 * DBL_EPSILON * f->chi2) { /* nothing that could be told */
            f->converged = true;
            f->why       = "nothing is gained any more";
            return false;
        }
        if (f->evaluations >= most || f->stopped || f->no_memory) {
            f->why = f->stopped ? "interrupted" : "no more evaluations are allowed";
            return false;
        }
        if (!model_at(f, f->trial_x, f->trial_motion, f->trial_J)) continue;
        const double chi2 = weigh(f, f->trial_motion, f->trial_J, f->trial_r);
        if (chi2 >= f->chi2) continue;
        const double gain = (f->chi2 - chi2) / hope;
        accept(f, chi2);
        *mu *= fmax(1.0 / 3.0, 1.0 - pow(2.0 * gain - 1.0, 3.0));
        return true;
    }
    f->why = "steps are as short as can be";
    return false;
}

static void descend(fitting *f, step *s, double tolerance, long most)
{
    double mu = 1e-3;

    f->converged = false;
    do {
        if (cosine(f) <= tolerance) {
            f->converged = true;
            f->why       = "stationary";
            return;
        }
        prepare_step(f, s);
    } while (step_on(f, s, &mu, most));
}

/* How what was measured scatters; it stands for noise that is not told at first, so that quantities of different units
 * count alike. */
static void first_sigmas(dataset *d)
{
    for (int q = 0; q < d->nquantity; q++) {
        quantity *x   = &d->quantity[q];
        double    sum = 0.0, square = 0.0;
        for (int k = 0; k < d->nexperiment; k++) {
            for (long i = 0; i < d->experiment[k].n; i++) {
                const sample *at = &d->experiment[k].at[i];
                if (at->quantity == q) sum += at->value, square += at->value * at->value;
            }
        }
        const double n = (double)x->n, mean = n > 0.0 ? sum / n : 0.0;
        x->spread = n > 0.0 ? sqrt(fmax(square / n - mean * mean, 0.0)) : 1.0;
        if (!(x->spread > 0.0)) x->spread = fmax(fabs(mean), 1.0);
        if (!x->given) x->sigma = x->spread;
    }
}

/* Squares of the weighted residuals of a quantity; they and their derivatives are divided by the factor first. */
static double squares(fitting *f, int q, double factor)
{
    double sum   = 0.0;
    long   first = 0;

    for (int k = 0; k < f->data.nexperiment; first += f->data.experiment[k++].n) {
        for (long i = first; i < first + f->data.experiment[k].n; i++) {
            if (f->data.experiment[k].at[i - first].quantity != q) continue;
            f->r[i] /= factor;
            for (int c = 0; c < f->over.n; c++) f->J[c * f->data.n + i] /= factor;
            sum += f->r[i] * f->r[i];
        }
    }
    return sum;
}

/* What the residuals show of the noise, the parameters' share of the freedom given back. The largest relative change */
static double new_sigmas(fitting *f)
{
    const double part = 1.0 - (double)f->over.n / (double)f->data.n;
    double       most = 0.0;

    for (int q = 0; q < f->data.nquantity; q++) {
        quantity *x = &f->data.quantity[q];
        if (x->given || x->n == 0 || part <= 0.0) continue;
        /* data without noise: rounding counts as noise */
        const double factor = fmax(sqrt(squares(f, q, 1.0) / ((double)x->n * part)), 1e-14);
        most                = fmax(most, fabs(factor - 1.0));
        x->sigma *= factor;
        squares(f, q, factor);
    }
    f->chi2 = norm2(f->r, f->data.n);
    return most;
}

bool search_once(fitting *f, double tolerance, long evaluations)
{
    const size_t n    = (size_t)f->over.n;
    const long   most = f->evaluations + evaluations;
    step         s    = { .D  = need_zeros(n, sizeof(double)),
                          .S  = need_zeros(n, sizeof(double)),
                          .V  = need_zeros(n * n, sizeof(double)),
                          .US = need_zeros(n * (size_t)f->data.n, sizeof(double)),
                          .dx = need_zeros(n, sizeof(double)) };
    bool         good;

    first_sigmas(&f->data);
    good = model_at(f, f->x, f->motion, f->J);
    if (good) f->chi2 = weigh(f, f->motion, f->J, f->r);
    for (f->rounds = 0; good && f->rounds < ROUNDS; f->rounds++) {
        descend(f, &s, tolerance, most);
        if (!f->converged || new_sigmas(f) < 1e-3) break;
        memset(s.D, 0, n * sizeof *s.D);
    }
    if (good) new_sigmas(f); /* of the place where it ended, however it did */
    free(s.D);
    free(s.S);
    free(s.V);
    free(s.US);
    free(s.dx);
    return good;
}
