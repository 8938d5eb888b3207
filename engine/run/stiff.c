/* stiff.c - whether explicit steps are as short as what is stiff lets them be, and what that is.
 *
 * A step of length h is stable while h |lambda| stays below a few (6.1 of rk8), lambda the largest eigenvalue of J. At
 * the end of a step there are two states at one time, the last stage and y1, which differ by errors, and errors lie
 * along what is stiff: h |f(y1) - f(y_s)|/|y1 - y_s| tells h |lambda| (Hairer, Wanner II, IV.2). Where accuracy decides
 * it is a third of the limit at most; a scene is stiff while steps beyond SAL_STIFF of it are more by some than
 * those below.
 *
 * Who it is: the rates that each element would have if its own stiffness moved nothing but the masses of the
 * coordinates that it acts on, with k and c the slopes of its force by q and by v:
 *
 *     sqrt(sum k_ij s_i s_j),   sum c_ij s_i s_j,    s_i = 1/sqrt(M_ii) */
#include <math.h>

#include "engine/base/tolerance.h"
#include "engine/run/run.h"

enum { SELDOM = 8 };

/* Largest rate of a force with these slopes: those by positions enter as their root. */
static double rate_of(double stiffness, double damping)
{
    return fmax(sqrt(fmax(stiffness, 0.0)), damping);
}

/* The sum of 1/M_ii over the coordinates that a point consists of, as its parts say. */
static double mobility(const sal_system *s, const sal_basis *b)
{
    const double alpha = s->z[b->alpha], beta = s->z[b->beta], i = fabs(1.0 - alpha) + fabs(beta),
                 j         = fabs(alpha) + fabs(beta);
    const sal_slot slots[] = { b->xi, b->yi, b->xj, b->yj };
    const double   parts[] = { i, i, j, j };
    double         sum     = 0.0;

    for (int k = 0; k < SAL_COUNT(slots); k++) {
        if (slots[k] < s->model->n) sum += parts[k] * parts[k] * s->motion.scale[slots[k]] * s->motion.scale[slots[k]];
    }
    return sum;
}

static double rate_of_spring(const sal_system *s, const sal_spring *x)
{
    const double m = mobility(s, &x->p) + mobility(s, &x->q);

    return rate_of(fabs(s->z[x->stiffness]) * m, fabs(s->z[x->damping]) * m);
}

/* Sum of |slope| s over what a program reads of positions or velocities, at the state. */
static double slopes(sal_system *s, const sal_program *p, int source)
{
    double sum = 0.0;

    sal_program_value(p, s->source, s->value);
    sal_program_gradient(p, s->value, s->first);
    for (int k = 0; k < p->nleaf; k++) {
        const sal_node *leaf  = &p->node[p->leaf[k]];
        const double    slope = fabs(s->first[p->leaf[k]]);
        if (leaf->a == source && leaf->b < s->model->n && isfinite(slope)) sum += slope * s->motion.scale[leaf->b];
    }
    return sum;
}

static double rate_of_effort(sal_system *s, const sal_effort *x)
{
    const double acts = slopes(s, &x->rate, SAL_SRC_ZD);

    return rate_of(acts * slopes(s, &x->force, SAL_SRC_Z), acts * slopes(s, &x->force, SAL_SRC_ZD));
}

/* A constraint of the penalty form is a spring of stiffness alpha omega^2, damped by 2 alpha xi omega. */
static double rate_of_row(const sal_system *s, int r)
{
    double square = 0.0;

    if (s->form != SAL_PENALTY || !s->mode.held[r]) return 0.0;
    for (int k = s->model->jp[r]; k < s->model->jp[r + 1]; k++) {
        const double part = s->entry[k] * s->motion.scale[s->model->jc[k]];
        square += part * part;
    }
    return rate_of(-square / s->corner[r] * s->omega * s->omega, -square / s->corner[r] * 2.0 * s->xi * s->omega);
}

static void keep_stiffer(int element, double rate, int *who, double *most)
{
    if (!(rate > *most)) return;
    *most = rate;
    *who  = element;
}

int sal_stiff_find(sal_run *run)
{
    const sal_tables *tables = run->model->tables;
    sal_system       *s      = &run->system;
    double            most   = 0.0;
    int               who    = -1;

    sal_run_restore_end(run);
    for (int k = 0; k < tables->springs.n; k++)
        keep_stiffer(tables->springs.at[k].element, rate_of_spring(s, &tables->springs.at[k]), &who, &most);
    for (int k = 0; k < tables->efforts.n; k++)
        keep_stiffer(tables->efforts.at[k].element, rate_of_effort(s, &tables->efforts.at[k]), &who, &most);
    for (int r = 0; r < run->model->m; r++) keep_stiffer(tables->rows.at[r].element, rate_of_row(s, r), &who, &most);
    return who;
}

void sal_stiff_look(sal_run *run)
{
    const sal_stepper *stepper = &run->stepper;
    sal_stiffness     *x       = &run->stiff;
    const int most = 2 * SAL_STIFF_ENOUGH > run->automatic.patience ? 2 * SAL_STIFF_ENOUGH : run->automatic.patience;

    if (!stepper->ops->stiffness || (x->more == 0 && run->stats.steps % SELDOM)) return;
    x->more += stepper->ops->stiffness(stepper, 2 * run->model->n) > SAL_STIFF ? 1 : -1;
    x->more = x->more < 0 ? 0 : x->more > most ? most : x->more;
    if (x->more < SAL_STIFF_ENOUGH) return;
    if (x->steps++ == 0) {
        x->since   = stepper->t;
        x->element = sal_stiff_find(run);
    }
}

const char *sal_run_stiff(const sal_run *run, double *since, long *steps)
{
    const sal_stiffness *x = &run->stiff;

    *since = x->since;
    *steps = x->steps;
    if (x->steps == 0) return NULL;
    return x->element >= 0 ? run->model->tables->elements.at[x->element].name : "";
}
