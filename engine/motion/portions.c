/* portions.c - forces that rows share; see sal_portion.
 *
 * The leader's row has been solved for R, the force of its group. With the forces n_i of the partners, mu_i the factors
 * and s_i the signs,
 *
 *     f_i = s_i w_i R,    w_i = mu_i n_i / sum mu_j n_j
 *
 * The motion is that of R along the leader. What holds inside is not: r = R T_1^T - sum f_i T_i^T is taken up by rows
 * that hold anyway, so that with the factors of K
 *
 *     K [0; delta] = [r; 0],     lambda += delta        but for the rows of the group
 *
 * Differentiated, with kappa = R / sum mu_j n_j,
 *
 *     f_i' = s_i w_i R' + s_i kappa ( (mu_i n_i)' - w_i sum (mu_j n_j)' ),       r' = R' T_1^T - sum f_i' T_i^T
 *
 * and transposed, from cotangents of lambda (bars) to those of R, n and mu:
 *
 *     K^T [y; .] = [0; lambda-],   R- = T_1 y + sum s_i w_i F_i,   F_i = f_i- - T_i y
 *     (mu_j n_j)- = kappa (s_j F_j - sum s_i w_i F_i) */
#include <string.h>

#include "engine/base/vector.h"
#include "engine/motion/motion.h"

/* The entries of the group that begins at `first`: up to the one given back. */
static int end_of_group(const sal_row_mode *mode, int first)
{
    int k = first;

    while (k < mode->portions && mode->portion[k].leader == mode->portion[first].leader) k++;
    return k;
}

/* mu_i n_i, not less than nothing; of a group without any force each has the same part. */
static double load(const sal_system *s, const double *lambda, const sal_portion *p)
{
    return s->z[p->factor] * (lambda[p->partner] > 0.0 ? lambda[p->partner] : 0.0);
}

static double total(const sal_system *s, const double *lambda, int first, int end)
{
    double sum = 0.0;

    for (int k = first; k < end; k++) sum += load(s, lambda, &s->mode.portion[k]);
    return sum;
}

static double weight(const sal_system *s, const double *lambda, int k, double sum, int count)
{
    return sum > 0.0 ? load(s, lambda, &s->mode.portion[k]) / sum : 1.0 / count;
}

double sal_portions_load(const sal_system *s, const double *lambda, int columns, int r)
{
    double sum   = 0.0;
    bool   leads = false;

    for (int k = 0; k < s->mode.portions; k++) {
        if (s->mode.portion[k].leader != r) continue;
        leads = true;
        sum += lambda[s->mode.portion[k].partner * columns];
    }
    return leads ? sum : lambda[s->model->tables->rows.at[r].partner * columns];
}

/* Adds factor times row r of Phi_q to x [n]. */
static void add_row(const sal_system *s, int r, double factor, double *x)
{
    for (int k = s->model->jp[r]; k < s->model->jp[r + 1]; k++) x[s->model->jc[k]] += factor * s->entry[k];
}

static double times_row(const sal_system *s, int r, const double *x)
{
    double sum = 0.0;

    for (int k = s->model->jp[r]; k < s->model->jp[r + 1]; k++) sum += s->entry[k] * x[s->model->jc[k]];
    return sum;
}

static bool is_portion(const sal_system *s, int r)
{
    for (int k = 0; k < s->mode.portions; k++) {
        if (s->mode.portion[k].row == r) return true;
    }
    return false;
}

void sal_portions_value(sal_system *s, double *lambda)
{
    const int n = s->model->n, m = s->model->m;

    memset(s->rhs, 0, sizeof *s->rhs * (size_t)(n + m));
    for (int first = 0, end; first < s->mode.portions; first = end) {
        const int leader = s->mode.portion[first].leader;
        end              = end_of_group(&s->mode, first);
        const double sum = total(s, lambda, first, end), R = lambda[leader];
        add_row(s, leader, R, s->rhs);
        for (int k = first; k < end; k++) {
            const sal_portion *p = &s->mode.portion[k];
            lambda[p->row]       = p->sign * weight(s, lambda, k, sum, end - first) * R;
            add_row(s, p->row, -lambda[p->row], s->rhs);
        }
    }
    sal_system_solve(s, s->rhs, 1);
    for (int r = 0; r < m; r++) {
        if (s->mode.held[r] && !is_portion(s, r)) lambda[r] += s->rhs[n + r];
    }
}

/* The change of the load of entry k in column c. */
static double load_change(const sal_tangent *t, const sal_system *s, const double *lambda, const double *Lambda, int k,
                          int c)
{
    const sal_portion *p = &s->mode.portion[k];

    if (!(lambda[p->partner] > 0.0)) return 0.0; /* as load() has it */
    return SAL_ROW(t->z, p->factor, t->p)[c] * lambda[p->partner] +
           s->z[p->factor] * SAL_ROW(Lambda, p->partner, t->p)[c];
}

/* R, the sum of the forces of a group. */
static double force_of_group(const sal_system *s, const double *lambda, int first, int end)
{
    double sum = 0.0;

    for (int k = first; k < end; k++) sum += s->mode.portion[k].sign * lambda[s->mode.portion[k].row];
    return sum;
}

void sal_portions_jvp(sal_tangent *t, sal_system *s, const double *lambda, double *Lambda)
{
    const int n = s->model->n, m = s->model->m, size = n + m;

    memset(t->rhs, 0, sizeof *t->rhs * (size_t)size * (size_t)t->p);
    for (int first = 0, end; first < s->mode.portions; first = end) {
        const int leader = s->mode.portion[first].leader;
        end              = end_of_group(&s->mode, first);
        const double sum = total(s, lambda, first, end), R = force_of_group(s, lambda, first, end);
        const double kappa = sum > 0.0 ? R / sum : 0.0;
        for (int c = 0; c < t->p; c++) {
            double      *b = t->rhs + (size_t)c * (size_t)size, all = 0.0;
            const double dR = SAL_ROW(Lambda, leader, t->p)[c];
            add_row(s, leader, dR, b);
            for (int k = first; k < end; k++) all += load_change(t, s, lambda, Lambda, k, c);
            for (int k = first; k < end; k++) {
                const sal_portion *p = &s->mode.portion[k];
                const double       w = weight(s, lambda, k, sum, end - first);
                const double       f = p->sign * (w * dR + kappa * (load_change(t, s, lambda, Lambda, k, c) - w * all));
                SAL_ROW(Lambda, p->row, t->p)[c] = f;
                add_row(s, p->row, -f, b);
            }
        }
    }
    sal_system_solve(s, t->rhs, t->p);
    for (int r = 0; r < m; r++) {
        if (!s->mode.held[r] || is_portion(s, r)) continue;
        for (int c = 0; c < t->p; c++)
            SAL_ROW(Lambda, r, t->p)[c] += t->rhs[(size_t)c * (size_t)size + (size_t)(n + r)];
    }
}

void sal_portions_vjp(sal_pullback *t, sal_system *s, double *lambda_bar)
{
    const int     n = s->model->n, m = s->model->m;
    const size_t  mark   = sal_arena_mark(&s->arena);
    double       *y      = sal_arena_take(&s->arena, n + m);
    const double *lambda = s->lambda;

    memset(y, 0, sizeof *y * (size_t)n);
    for (int r = 0; r < m; r++) y[n + r] = s->mode.held[r] && !is_portion(s, r) ? lambda_bar[r] : 0.0;
    sal_system_solve_transposed(s, y, 1);
    for (int first = 0, end; first < s->mode.portions; first = end) {
        const int leader = s->mode.portion[first].leader;
        end              = end_of_group(&s->mode, first);
        const double sum = total(s, lambda, first, end), R = force_of_group(s, lambda, first, end);
        double       all = 0.0;
        for (int k = first; k < end; k++) {
            const sal_portion *p = &s->mode.portion[k];
            lambda_bar[p->row] -= times_row(s, p->row, y); /* F_i */
            all += p->sign * weight(s, lambda, k, sum, end - first) * lambda_bar[p->row];
        }
        for (int k = first; k < end; k++) {
            const sal_portion *p = &s->mode.portion[k];
            const double       bar =
                sum > 0.0 && lambda[p->partner] > 0.0 ? R / sum * (p->sign * lambda_bar[p->row] - all) : 0.0;
            lambda_bar[p->partner] += s->z[p->factor] * bar;
            t->z[p->factor] += lambda[p->partner] * bar;
            lambda_bar[p->row] = 0.0;
        }
        lambda_bar[leader] = times_row(s, leader, y) + all;
    }
    sal_arena_release(&s->arena, mark);
}
