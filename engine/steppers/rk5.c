/* rk5.c - the pair of order 5(4) of Dormand and Prince with its interpolant of order 4 (Hairer, Norsett, Wanner:
 * Solving Ordinary Differential Equations I, sections II.5 and II.6, code DOPRI5). Stage 6 is f(y1). */
#include "engine/steppers/rk.h"

static const double c[SAL_RK_STAGES] = { 0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0 };

static const double a[SAL_RK_STAGES][SAL_RK_STAGES] = {
    [1] = { 1.0 / 5 },
    [2] = { 3.0 / 40, 9.0 / 40 },
    [3] = { 44.0 / 45, -56.0 / 15, 32.0 / 9 },
    [4] = { 19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729 },
    [5] = { 9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656 },
    [6] = { 35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84 },
};

static const double e[SAL_RK_STAGES] = {
    71.0 / 57600, 0.0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40,
};

static const double d[SAL_RK_DENSE][SAL_RK_STAGES] = {
    { -12715105075.0 / 11282082432.0, 0.0, 87487479700.0 / 32700410799.0, -10690763975.0 / 1880347072.0,
      701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0, 69997945.0 / 29380423.0 },
};

const sal_tableau sal_rk5 = { .stages = 6, .extra = 0, .c = c, .a = a, .error = { e, NULL }, .dense = d, .ndense = 1 };

static sal_status init(sal_stepper *s, sal_pool *pool)
{
    return sal_rk_init(s, pool, &sal_rk5);
}

const sal_stepper_ops sal_stepper_rk5 = {
    .name = "rk5", .order = 5, .stable = 3.25, .dense_degree = 4, .init = init, SAL_RK_OPS
};
