/* svd.c - singular values by one-sided Jacobi rotations (Hestenes): columns are made orthogonal in pairs. Small ones
 * come out to their own precision, which is what tells combinations of parameters that data hardly see. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "tools/fit/fit.h"

enum { SWEEPS = 60 };

static double product(const double *a, const double *b, long m)
{
    double sum = 0.0;

    for (long i = 0; i < m; i++) sum += a[i] * b[i];
    return sum;
}

static void rotate(double *a, double *b, long m, double c, double s)
{
    for (long i = 0; i < m; i++) {
        const double x = a[i], y = b[i];
        a[i] = c * x - s * y;
        b[i] = s * x + c * y;
    }
}

static void swap(double *a, double *b, long m)
{
    for (long i = 0; i < m; i++) {
        const double x = a[i];
        a[i]           = b[i];
        b[i]           = x;
    }
}

void singular_values(double *A, long m, int n, double *S, double *V)
{
    memset(V, 0, (size_t)n * (size_t)n * sizeof *V);
    for (int k = 0; k < n; k++) V[k * n + k] = 1.0;
    for (int sweep = 0, turned = 1; turned && sweep < SWEEPS; sweep++) {
        turned = 0;
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                double      *a = A + p * m, *b = A + q * m;
                const double aa = product(a, a, m), bb = product(b, b, m), ab = product(a, b, m);
                if (fabs(ab) <= DBL_EPSILON * sqrt(aa * bb)) continue;
                const double zeta = (bb - aa) / (2.0 * ab);
                const double t    = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
                const double c = 1.0 / sqrt(1.0 + t * t), s = c * t;
                rotate(a, b, m, c, s);
                rotate(V + p * n, V + q * n, n, c, s);
                turned = 1;
            }
        }
    }
    for (int k = 0; k < n; k++) S[k] = sqrt(product(A + k * m, A + k * m, m));
    for (int k = 0; k < n; k++) {
        int most = k;
        for (int j = k + 1; j < n; j++) most = S[j] > S[most] ? j : most;
        if (most == k) continue;
        swap(&S[k], &S[most], 1);
        swap(A + k * m, A + most * m, m);
        swap(V + k * n, V + most * n, n);
    }
}
