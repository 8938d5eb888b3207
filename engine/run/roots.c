/* roots.c - root isolation by halving in Bernstein form. */
#include "engine/run/roots.h"

#include <float.h>
#include <math.h>
#include <string.h>

double sal_roots_value(const double *b, int degree, double x)
{
    double c[SAL_ROOTS_DEGREE + 1];

    memcpy(c, b, sizeof *c * (size_t)(degree + 1));
    for (int top = degree; top > 0; top--) {
        for (int k = 0; k < top; k++) c[k] += x * (c[k + 1] - c[k]);
    }
    return c[0];
}

void sal_roots_deflate(double *b, int degree)
{
    for (int k = 0; k < degree; k++) b[k] = b[k + 1] * degree / (k + 1);
}

/* ---------------------------------------------------------------------------------------- search */

typedef struct place { /* where |p| <= tolerance, or a single crossing (lo == hi) */
    double lo, hi;
    int    before, after;
} place;

typedef struct search {
    int    degree;
    double tolerance;
    place  found[SAL_ROOTS_MAX];
    int    n;
    int    last; /* sign of p on the last interval that had a definite one */
} search;

static int sign_of(const search *s, double value)
{
    return value > s->tolerance ? 1 : value < -s->tolerance ? -1 : 0;
}

static int sign_changes(const search *s, const double *b)
{
    int changes = 0, last = 0;

    for (int k = 0; k <= s->degree; k++) {
        int now = b[k] > 0.0 ? 1 : b[k] < 0.0 ? -1 : 0;
        if (now && last && now != last) changes++;
        if (now) last = now;
    }
    return changes;
}

/* The one root of p in [0, 1], p(0) and p(1) of opposite sign: bisection speeded up by false position (Illinois). */
static double single_root(const double *b, int degree)
{
    double lo = 0.0, hi = 1.0, flo = b[0], fhi = b[degree], x = 0.5;
    int    side = 0;

    for (int i = 0; i < 100 && hi - lo > 1e-16; i++) {
        double f;
        x = i % 3 == 2 ? 0.5 * (lo + hi) : (lo * fhi - hi * flo) / (fhi - flo);
        if (!(x > lo && x < hi)) x = 0.5 * (lo + hi);
        f = sal_roots_value(b, degree, x);
        if (f == 0.0) return x;
        if ((f > 0.0) == (flo > 0.0)) {
            lo  = x;
            flo = f;
            if (side < 0) fhi *= 0.5;
            side = -1;
        } else {
            hi  = x;
            fhi = f;
            if (side > 0) flo *= 0.5;
            side = 1;
        }
    }
    return x;
}

/* Adds a place where p is zero within the tolerance; one that continues the last is joined to it. */
static void add_place(search *s, double lo, double hi, int before, int after)
{
    place *last = s->n ? &s->found[s->n - 1] : NULL;

    if (last && last->hi == lo && last->after == 0) {
        last->hi    = hi;
        last->after = after;
    } else if (s->n < SAL_ROOTS_MAX) {
        s->found[s->n++] = (place){ lo, hi, before, after };
    }
}

/* The interval [lo, hi] has the definite sign: it closes a place that was open. */
static void add_sign(search *s, int sign)
{
    if (s->n && s->found[s->n - 1].after == 0) s->found[s->n - 1].after = sign;
    s->last = sign;
}

static void halve(const double *b, int degree, double *left, double *right)
{
    memcpy(right, b, sizeof *b * (size_t)(degree + 1));
    for (int k = 0; k <= degree; k++) {
        left[k] = right[0];
        for (int j = 0; j < degree - k; j++) right[j] = 0.5 * (right[j] + right[j + 1]);
    }
}

static void look(search *s, const double *b, double lo, double hi)
{
    const double width = hi - lo;
    double       least = b[0], most = b[0], left[SAL_ROOTS_DEGREE + 1], right[SAL_ROOTS_DEGREE + 1];
    int          first = sign_of(s, b[0]), last = sign_of(s, b[s->degree]);

    for (int k = 1; k <= s->degree; k++) {
        least = fmin(least, b[k]);
        most  = fmax(most, b[k]);
    }
    if (least > s->tolerance || most < -s->tolerance) {
        add_sign(s, least > 0.0 ? 1 : -1);
    } else if (least >= -s->tolerance && most <= s->tolerance) {
        add_place(s, lo, hi, s->last, 0);
    } else if (first * last < 0 && sign_changes(s, b) == 1) {
        double x = lo + width * single_root(b, s->degree);
        add_sign(s, first);
        if (s->n < SAL_ROOTS_MAX) s->found[s->n++] = (place){ x, x, first, last };
        s->last = last;
    } else if (width <
               1e-12) { /* steeper than the tolerance can resolve; does not happen to polynomials of modest size */
        add_place(s, lo, hi, s->last, 0);
    } else {
        halve(b, s->degree, left, right);
        look(s, left, lo, lo + 0.5 * width);
        look(s, right, lo + 0.5 * width, hi);
    }
}

int sal_roots_find(const double *b, int degree, double tolerance, sal_root roots[SAL_ROOTS_MAX])
{
    search s = { .degree = degree, .tolerance = tolerance };
    int    n = 0;

    look(&s, b, 0.0, 1.0);
    for (int k = 0; k < s.n; k++) {
        const place *p = &s.found[k];
        if (p->before == 0 && p->after == 0) continue; /* zero everywhere */
        roots[n++] = (sal_root){ .x = 0.5 * (p->lo + p->hi), .before = p->before, .after = p->after };
    }
    return n;
}

/* ------------------------------------------------------------------------------------------- fit */

/* Row k of the matrix: the Bernstein coefficients b_k as combinations of the samples. The collocation matrix C_ik =
 * B_k(node_i) is inverted by Gauss-Jordan elimination with row pivoting; in long double, since it is ill-conditioned
 * at high degree. */
void sal_fit_init(sal_fit *fit, int degree)
{
    enum { MAX = SAL_ROOTS_DEGREE + 1 };
    const int    n               = degree + 1;
    const double pi              = 3.14159265358979323846;
    long double  a[MAX][2 * MAX] = { { 0 } };

    fit->degree = degree;
    for (int i = 0; i < n; i++) {
        double      x        = 0.5 - 0.5 * cos(pi * i / degree);
        long double binomial = 1.0L;
        fit->node[i]         = i == 0 ? 0.0 : i == degree ? 1.0 : x;
        for (int k = 0; k < n; k++) {
            a[i][k]  = binomial * powl(fit->node[i], k) * powl(1.0L - fit->node[i], degree - k);
            binomial = binomial * (degree - k) / (k + 1);
        }
        a[i][n + i] = 1.0L;
    }
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int i = c + 1; i < n; i++) {
            if (fabsl(a[i][c]) > fabsl(a[pivot][c])) pivot = i;
        }
        for (int k = 0; k < 2 * n; k++) {
            long double swap = a[c][k];
            a[c][k]          = a[pivot][k];
            a[pivot][k]      = swap;
        }
        for (int k = 2 * n - 1; k >= c; k--) a[c][k] /= a[c][c];
        for (int i = 0; i < n; i++) {
            long double factor = a[i][c];
            if (i == c || factor == 0.0L) continue;
            for (int k = c; k < 2 * n; k++) a[i][k] -= factor * a[c][k];
        }
    }
    fit->noise = 0.0;
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int k = 0; k < n; k++) {
            fit->matrix[i][k] = (double)a[i][n + k];
            sum += fabs(fit->matrix[i][k]);
        }
        fit->noise = fmax(fit->noise, DBL_EPSILON * sum);
    }
}

void sal_fit_coefficients(const sal_fit *fit, const double *sample, double *b)
{
    const int n = fit->degree + 1;

    for (int i = 0; i < n; i++) {
        b[i] = 0.0;
        for (int k = 0; k < n; k++) b[i] += fit->matrix[i][k] * sample[k];
    }
}
