/* bench_stiff.c - stiff scenes: evaluations and processor time of rk8, radau and auto; where SUNDIALS was found, of
 * CVODE (BDF, KLU, exact Jacobian) on the same equations written by hand.
 *
 *     bench_stiff [repetitions]
 *
 * A chain of N balls of 1 kg on springs of k N/m, critically damped, falls from the horizontal: y' = v,
 *
 *     m v' = m g + sum (k (l - l0) + c l') n,    l = |d|,  n = d/l,  l' = n . d'
 *     d(force)/dd = (k (l - l0) + c l')/l (I - n n^T) + k n n^T + c n (d'^T (I - n n^T))/l,    d(force)/dd' = c n n^T
 *
 * Errors are those of the last ball after 0.2 s, against radau at rtol 1e-11. */
#include "tests/support.h"

#include <time.h>

#ifdef SAL_SUNDIALS
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>
#endif

enum { MOST = 100, COLUMN = 8 };

static const double duration = 0.2, gravity = 9.81;

typedef struct chain {
    int    n;
    double k, c, length;
} chain;

typedef struct result {
    double end[2], seconds;
    long   steps, evaluations;
    bool   done;
} result;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---------------------------------------------------------------------------------------- Saltus */

static rig load(const chain *x)
{
    size_t room = 4096 + (size_t)x->n * 512, used = 0;
    char  *text = malloc(room);
    rig    r;

#define SAY(...) used += (size_t)snprintf(text + used, room - used, __VA_ARGS__)
    SAY("'gravity': [0, %g], 'points': { 'P0': { 'at': [0, 0], 'fixed': true }", -gravity);
    for (int i = 1; i <= x->n; i++) SAY(", 'P%d': { 'at': [%.17g, 0] }", i, i * x->length);
    SAY(" }, 'bodies': { ");
    for (int i = 1; i <= x->n; i++)
        SAY("%s'B%d': { 'type': 'point_mass', 'point': 'P%d', 'mass': 1 }", i > 1 ? ", " : "", i, i);
    SAY(" }, 'joints': { ");
    for (int i = 1; i <= x->n; i++)
        SAY("%s'S%d': { 'type': 'spring', 'points': ['P%d', 'P%d'], 'stiffness': %.17g, 'damping': %.17g, 'length': "
            "%.17g }",
            i > 1 ? ", " : "", i, i - 1, i, x->k, x->c, x->length);
    SAY(" }, 'simulation': { 'duration': %g }", duration);
#undef SAY
    r = rig_load(text);
    free(text);
    return r;
}

static result by_saltus(rig *r, const chain *x, int integrator, double rtol, int repetitions)
{
    const sal_reader none  = { 0 };
    result           found = { .seconds = HUGE_VAL };
    sal_run_opts     opts  = sal_run_defaults();

    opts.integrator = integrator;
    opts.rtol       = rtol;
    opts.max_wall   = 20.0;
    rig_run(r, &opts);
    for (int k = 0; k < repetitions; k++) {
        if (sal_run_restart(r->run) != SAL_OK) return found;
        const double     begun  = now();
        const sal_status status = sal_simulate(r->run, &none, 0);
        if (status < 0) return found;
        found.seconds = fmin(found.seconds, now() - begun);
    }
    for (int i = 0; i < 2; i++) found.end[i] = sal_run_q(r->run)[2 * (x->n - 1) + i];
    found.steps       = sal_run_get_stats(r->run).steps;
    found.evaluations = sal_run_get_stats(r->run).evaluations;
    found.done        = true;
    return found;
}

/* ----------------------------------------------------------------------------------------- CVODE */

#ifdef SAL_SUNDIALS
/* y = [x1, y1, x2, ... | velocities] */
static int derivative(realtype t, N_Vector at, N_Vector slope, void *user)
{
    const chain  *x = user;
    const double *q = N_VGetArrayPointer(at), *v = q + 2 * x->n;
    double       *dq = N_VGetArrayPointer(slope), *dv = dq + 2 * x->n;

    (void)t;
    for (int i = 0; i < x->n; i++) {
        dq[2 * i]     = v[2 * i];
        dq[2 * i + 1] = v[2 * i + 1];
        dv[2 * i]     = 0.0;
        dv[2 * i + 1] = -gravity;
    }
    for (int i = 0; i < x->n; i++) {
        double d[2], w[2];
        for (int a = 0; a < 2; a++) {
            d[a] = q[2 * i + a] - (i ? q[2 * i - 2 + a] : 0.0);
            w[a] = v[2 * i + a] - (i ? v[2 * i - 2 + a] : 0.0);
        }
        const double l = sqrt(d[0] * d[0] + d[1] * d[1]),
                     f = x->k * (l - x->length) + x->c * (d[0] * w[0] + d[1] * w[1]) / l;
        for (int a = 0; a < 2; a++) {
            dv[2 * i + a] -= f * d[a] / l;
            if (i) dv[2 * i - 2 + a] += f * d[a] / l;
        }
    }
    return 0;
}

/* Where dv of ball i depends on ball j: a column of j has the rows of j - 1, j, j + 1. */
static void add_block(double *values, const sunindextype *begin, int rows_before, int i, int j, int column,
                      const double *part)
{
    const int first = j > 0 ? j - 1 : 0;

    values[begin[column] + rows_before + 2 * (i - first)] += part[0];
    values[begin[column] + rows_before + 2 * (i - first) + 1] += part[1];
}

static int jacobian(realtype t, N_Vector at, N_Vector slope, SUNMatrix J, void *user, N_Vector a1, N_Vector a2,
                    N_Vector a3)
{
    const chain  *x = user;
    const int     n = x->n;
    const double *q = N_VGetArrayPointer(at), *v = q + 2 * n;
    sunindextype *begin = SUNSparseMatrix_IndexPointers(J), *row = SUNSparseMatrix_IndexValues(J), used = 0;
    double       *values = SUNSparseMatrix_Data(J);

    (void)t, (void)slope, (void)a1, (void)a2, (void)a3;
    for (int c = 0; c < 4 * n; c++) {
        const int j = c % (2 * n) / 2;
        begin[c]    = used;
        if (c >= 2 * n) {
            row[used]      = c - 2 * n;
            values[used++] = 1.0;
        }
        for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < n; i++) {
            for (int a = 0; a < 2; a++) {
                row[used]      = 2 * n + 2 * i + a;
                values[used++] = 0.0;
            }
        }
    }
    begin[4 * n] = used;
    for (int i = 0; i < n; i++) {
        double d[2], w[2];
        for (int a = 0; a < 2; a++) {
            d[a] = q[2 * i + a] - (i ? q[2 * i - 2 + a] : 0.0);
            w[a] = v[2 * i + a] - (i ? v[2 * i - 2 + a] : 0.0);
        }
        const double l = sqrt(d[0] * d[0] + d[1] * d[1]), rate = (d[0] * w[0] + d[1] * w[1]) / l,
                     f = x->k * (l - x->length) + x->c * rate;
        for (int b = 0; b < 2; b++) {
            double stiff[2], damp[2];
            for (int a = 0; a < 2; a++) {
                const double nn = d[a] * d[b] / (l * l), across = (a == b ? 1.0 : 0.0) - nn;
                stiff[a] = f / l * across + x->k * nn + x->c * d[a] / l * (w[b] - rate * d[b] / l) / l;
                damp[a]  = x->c * nn;
            }
            for (int end = 0; end < (i ? 2 : 1); end++) { /* the ball that moves: i, and the one before */
                const int    j       = i - end;
                const double sign[2] = { end ? 1.0 : -1.0, end ? -1.0 : 1.0 };
                for (int on = 0; on < (i ? 2 : 1); on++) {
                    const double K[2] = { sign[on] * stiff[0], sign[on] * stiff[1] },
                                 C[2] = { sign[on] * damp[0], sign[on] * damp[1] };
                    add_block(values, begin, 0, i - on, j, 2 * j + b, K);
                    add_block(values, begin, 1, i - on, j, 2 * n + 2 * j + b, C);
                }
            }
        }
    }
    return 0;
}

static result by_cvode(chain *x, double rtol, int repetitions)
{
    const int  n     = 4 * x->n;
    result     found = { .seconds = HUGE_VAL };
    SUNContext context;

    SUNContext_Create(NULL, &context);
    for (int k = 0; k < repetitions; k++) {
        N_Vector        y      = N_VNew_Serial(n, context);
        SUNMatrix       J      = SUNSparseMatrix(n, n, (sunindextype)COLUMN * n, CSC_MAT, context);
        SUNLinearSolver solver = SUNLinSol_KLU(y, J, context);
        void           *cvode  = CVodeCreate(CV_BDF, context);
        realtype        t      = 0.0;
        N_VConst(0.0, y);
        for (int i = 0; i < x->n; i++) N_VGetArrayPointer(y)[2 * i] = (i + 1) * x->length;
        const double begun = now();
        CVodeInit(cvode, derivative, 0.0, y);
        CVodeSStolerances(cvode, rtol, rtol);
        CVodeSetUserData(cvode, x);
        CVodeSetLinearSolver(cvode, solver, J);
        CVodeSetJacFn(cvode, jacobian);
        CVodeSetMaxNumSteps(cvode, 1000000);
        CVodeSetStopTime(cvode, duration);
        found.done    = CVode(cvode, duration, y, &t, CV_NORMAL) >= 0;
        found.seconds = fmin(found.seconds, now() - begun);
        for (int i = 0; i < 2; i++) found.end[i] = N_VGetArrayPointer(y)[2 * (x->n - 1) + i];
        CVodeGetNumSteps(cvode, &found.steps);
        CVodeGetNumRhsEvals(cvode, &found.evaluations);
        CVodeFree(&cvode);
        SUNLinSolFree(solver);
        SUNMatDestroy(J);
        N_VDestroy(y);
    }
    SUNContext_Free(&context);
    return found;
}
#endif

/* ----------------------------------------------------------------------------------------- table */

static void show(const chain *x, const char *who, double rtol, const result *found, const result *exact)
{
    const double error = fmax(fabs(found->end[0] - exact->end[0]), fabs(found->end[1] - exact->end[1]));

    if (found->done)
        printf("%d,%g,%s,%g,%ld,%ld,%.4f,%.2g\n", x->n, x->k, who, rtol, found->steps, found->evaluations,
               1e3 * found->seconds, error);
    else printf("%d,%g,%s,%g,,,,\n", x->n, x->k, who, rtol);
}

int main(int argc, char **argv)
{
    static const int    sizes[]     = { 1, 10, MOST };
    static const double stiffness[] = { 1e8, 1e12 }, rtols[] = { 1e-5, 1e-6, 1e-7, 1e-8 };
    const int           repetitions = argc > 1 ? atoi(argv[1]) : 3;

    printf("balls,k,by,rtol,steps,evaluations,ms,error\n");
    for (int i = 0; i < SAL_COUNT(sizes); i++) {
        for (int j = 0; j < SAL_COUNT(stiffness); j++) {
            chain x = { .n = sizes[i], .k = stiffness[j], .c = 2.0 * sqrt(stiffness[j]), .length = 1.0 / sizes[i] };
            rig   r = load(&x);
            const result exact = by_saltus(&r, &x, SAL_RADAU, stiffness[j] > 1e10 ? 1e-9 : 1e-10, 1);
            for (int k = 0; k < SAL_COUNT(rtols); k++) {
                const result radau = by_saltus(&r, &x, SAL_RADAU, rtols[k], repetitions);
                const result any   = by_saltus(&r, &x, SAL_AUTO, rtols[k], repetitions);
                show(&x, "radau", rtols[k], &radau, &exact);
                show(&x, "auto", rtols[k], &any, &exact);
                if (k == 1 && x.n <= 10 && j == 0) {
                    const result rk8 = by_saltus(&r, &x, SAL_RK8, rtols[k], 1);
                    show(&x, "rk8", rtols[k], &rk8, &exact);
                }
#ifdef SAL_SUNDIALS
                const result cvode = by_cvode(&x, rtols[k], repetitions);
                show(&x, "cvode", rtols[k], &cvode, &exact);
#endif
            }
            rig_free(&r);
        }
    }
    return EXIT_SUCCESS;
}
