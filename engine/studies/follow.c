/* follow.c - a cycle while a parameter changes: pseudo-arclength continuation, and where multipliers cross the unit
 * circle.
 *
 * Unknowns are u = (g, mu), g in units of the sizes of positions and velocities, mu in units of the range, with the
 * inner product <u, u'> = g.g'/size + mu mu'. From a cycle u0 with the tangent t, Newton's method from u0 + s t,
 *
 *     | I - P_g  -P_mu | | dg  |   | P(g, mu) - g     |
 *     |    t_g    t_mu | | dmu | = | s - <t, u - u0>  |       or mu = end where that would pass an end of the range
 *
 * The border keeps the system regular at folds, where I - P_g is singular; t itself solves it with the right-hand side
 * (0, 1). Between two points a bifurcation shows as a change of sign of a product over the multipliers, which is smooth
 * whatever they do,
 *
 *     prod (1 - m_i)   through 1       prod (1 + m_i)   through -1       prod_{i<j} (1 - m_i m_j)   a complex pair
 *
 * (or a real pair m, 1/m, which is none), a fold as one of t_mu, and is located by regula falsi along the chord. Zeros
 * by structure are factors 1; multipliers that are 1 because cycles come in families are left out. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "engine/studies/cycle.h"

enum { CORRECTIONS = 10, LOCATIONS = 60 };

/* What changes its sign at bifurcations: products over the multipliers, and which way the parameter goes. */
enum { THROUGH_PLUS, THROUGH_MINUS, PAIR, MULTIPLIERS, TURN = MULTIPLIERS, TESTS };

static const double STRAIGHT = 0.97; /* least cosine between neighbouring tangents */

typedef struct place { /* on the branch */
    double *g, *t;     /* [state], [size + 1] scaled tangent */
    double  mu, test[TESTS];
} place;

typedef struct follower {
    sal_cycle      *c;
    const char     *name;
    sal_follow_opts opts;
    int             column;  /* of the parameter among all w */
    int             neutral; /* multipliers that are 1 along the branch */
    double          range;   /* unit of mu */
    bool            silent;
    int             number;
    place           a, b; /* where the step begins and ends */
    place           between;
    double         *row, *line; /* [size + 1] border; chord */
    double         *g;          /* [state] */
} follower;

/* -------------------------------------------------------------------------------------- the border */

static double dot(const follower *f, const double *x, const double *y)
{
    const int size = f->c->size;
    double    sum  = 0.0;

    for (int k = 0; k < size; k++) sum += x[k] * y[k];
    return sum / size + x[size] * y[size];
}

/* The bordered matrix at an image, with f->row below. */
static void bordered(const follower *f, const sal_image *m)
{
    const sal_cycle *c    = f->c;
    const int        size = c->size, all = size + 1;

    sal_cycle_matrix(c, m, c->matrix, all);
    for (int i = 0; i < size; i++) {
        c->matrix[size * all + i] = -m->dend[i * c->w + f->column] * f->range / c->scale[i];
        c->matrix[i * all + size] = f->row[i] / size;
    }
    c->matrix[size * all + size] = f->row[size];
}

static sal_status solve(const follower *f)
{
    int rank;

    return sal_dense_solve(&f->c->dense, f->c->size + 1, f->c->matrix, 1, f->c->rhs, SAL_CYCLE_NEUTRAL, &rank);
}

/* Newton's method from (c->trial.g, mu) to the cycle with <row, u - u0> = length; the image becomes c->now. */
static sal_status correct(follower *f, const place *from, double length, double *mu)
{
    sal_cycle *c    = f->c;
    const int  size = c->size;
    double     last = HUGE_VAL;

    for (c->iterations = 0; c->iterations <= CORRECTIONS; c->iterations++) {
        double     residual, off;
        sal_status status = sal_cycle_set_parameter(c, f->name, *mu);
        if (status == SAL_OK) status = sal_cycle_image(c, &c->trial);
        if (status != SAL_OK) return status;
        for (int k = 0; k < size; k++) f->line[k] = (c->trial.g[k] - from->g[k]) / c->scale[k];
        f->line[size] = (*mu - from->mu) / f->range;
        off           = length - dot(f, f->row, f->line);
        residual      = sal_cycle_residual(c, &c->trial);
        if (fabs(off) <= SAL_ARC_OFF &&
            (residual <= c->opts.tolerance || (residual <= 100.0 * c->opts.tolerance && residual > 0.5 * last))) {
            status = sal_cycle_check(c, &c->trial);
            if (status == SAL_OK) sal_cycle_swap(c);
            return status;
        }
        if (residual > 2.0 * last) break;
        last = residual;
        bordered(f, &c->trial);
        for (int k = 0; k < size; k++) c->rhs[k] = (c->trial.end[k] - c->trial.g[k]) / c->scale[k];
        c->rhs[size] = off;
        if (solve(f) != SAL_OK) break;
        for (int k = 0; k < size; k++) c->trial.g[k] += c->rhs[k] * c->scale[k];
        for (int k = size; k < c->state; k++) c->trial.g[k] = c->trial.end[k];
        *mu += c->rhs[size] * f->range;
    }
    sal_cycle_because(c, SAL_ERR_CYCLE, "Newton's method does not converge");
    return SAL_ERR_CYCLE;
}

/* ----------------------------------------------------------------------------------------- places */

/* The tangent at the cycle at hand, in the direction of `along`. */
static sal_status find_tangent(follower *f, const double *along, double *t)
{
    sal_cycle *c    = f->c;
    const int  size = c->size;
    double     length;

    memcpy(f->row, along, sizeof(double) * (size_t)(size + 1));
    bordered(f, &c->now);
    memset(c->rhs, 0, sizeof(double) * (size_t)size);
    c->rhs[size] = 1.0;
    if (solve(f) != SAL_OK) return sal_fail(c->context, SAL_ERR_NUMBER, "the tangent of the branch is not finite");
    length = sqrt(dot(f, c->rhs, c->rhs));
    for (int k = 0; k <= size; k++) t[k] = c->rhs[k] / length;
    return SAL_OK;
}

/* Notes the cycle at hand: multipliers and derivatives, with as many neutral ones as all of the branch has, the tangent
 * and what tells bifurcations. `along`: which way the tangent goes. */
static sal_status note(follower *f, place *p, double mu, const double *along)
{
    sal_cycle            *c                    = f->c;
    const double complex *m                    = c->mu;
    double complex        product[MULTIPLIERS] = { 1.0, 1.0, 1.0 };
    sal_status            status               = sal_cycle_finish(c);

    if (status != SAL_OK) return status;
    sal_cycle_select(c, f->neutral);
    for (int i = 0; i < c->relevant; i++) {
        product[THROUGH_PLUS] *= 1.0 - m[i];
        product[THROUGH_MINUS] *= 1.0 + m[i];
        for (int j = 0; j < i; j++) product[PAIR] *= 1.0 - m[i] * m[j];
    }
    p->mu = mu;
    memcpy(p->g, c->now.g, sizeof(double) * (size_t)c->state);
    status = find_tangent(f, along, p->t);
    for (int k = 0; k < MULTIPLIERS; k++) p->test[k] = creal(product[k]);
    p->test[TURN] = p->t[c->size];
    return status;
}

static void tell(const follower *f, double mu, sal_bifurcation kind)
{
    const sal_cycle_point point = { .number = f->number, .parameter = mu, .kind = kind };

    if (f->opts.report && !f->silent) f->opts.report(f->opts.user, &point);
}

/* ----------------------------------------------------------------------------------- bifurcations */

/* The cycle at a part of the chord from a to b becomes f->between. */
static sal_status on_chord(follower *f, double part)
{
    sal_cycle   *c    = f->c;
    const int    size = c->size;
    const double span = f->b.mu - f->a.mu;
    double       length, mu = f->a.mu + part * span;
    sal_status   status;

    memcpy(c->trial.g, f->a.g, sizeof(double) * (size_t)c->state);
    for (int k = 0; k < size; k++) {
        f->row[k]     = (f->b.g[k] - f->a.g[k]) / c->scale[k];
        c->trial.g[k] = f->a.g[k] + part * (f->b.g[k] - f->a.g[k]);
    }
    f->row[size] = span / f->range;
    length       = sqrt(dot(f, f->row, f->row));
    for (int k = 0; k <= size; k++) f->row[k] /= length;
    status = correct(f, &f->a, part * length, &mu);
    return status == SAL_OK ? note(f, &f->between, mu, f->a.t) : status;
}

/* A pair on the unit circle that is complex. */
static bool pair_on_circle(const sal_cycle *c)
{
    for (int k = 0; k < c->relevant; k++) {
        if (fabs(cimag(c->mu[k])) > SAL_COMPLEX && fabs(cabs(c->mu[k]) - 1.0) < SAL_ON_CIRCLE) return true;
    }
    return false;
}

/* Between a and b one of the tests changes its sign: where? Regula falsi, the end that stays counted half. */
static sal_status locate(follower *f, int which)
{
    static const sal_bifurcation kinds[TESTS] = { SAL_CROSS, SAL_FLIP, SAL_TORUS, SAL_FOLD };
    double                       from = 0.0, to = 1.0, at_from = f->a.test[which], at_to = f->b.test[which], part = 0.0;

    for (int i = 0, kept = 0; i < LOCATIONS && to - from > SAL_LOCATED; i++) {
        const double last = part;
        double       test;
        sal_status   status;
        part   = from + (to - from) * at_from / (at_from - at_to);
        status = on_chord(f, part);
        if (status != SAL_OK) return sal_cycle_fatal(status) ? status : SAL_OK; /* the branch goes on */
        test = f->between.test[which];
        if (fabs(test) <= SAL_TEST_ZERO || fabs(part - last) <= SAL_LOCATED) break;
        if (test * at_to > 0.0) {
            to    = part;
            at_to = test;
            if (kept == -1) at_from *= 0.5;
            kept = -1;
        } else {
            from    = part;
            at_from = test;
            if (kept == 1) at_to *= 0.5;
            kept = 1;
        }
    }
    if (which != PAIR || pair_on_circle(f->c)) tell(f, f->between.mu, kinds[which]);
    return SAL_OK;
}

static bool changes(const follower *f, int which)
{
    return f->a.test[which] * f->b.test[which] < 0.0;
}

/* All of the step from a to b; the cycle is at b again afterwards. At a fold a multiplier passes 1 as well. */
static sal_status find_bifurcations(follower *f)
{
    sal_cycle *c      = f->c;
    sal_status status = SAL_OK;
    bool       moved  = false;

    for (int k = 0; k < TESTS && status == SAL_OK && !f->silent; k++) {
        if (!changes(f, k) || (k == THROUGH_PLUS && changes(f, TURN))) continue;
        status = locate(f, k);
        moved  = true;
    }
    if (status != SAL_OK || !moved) return status;
    memcpy(c->trial.g, f->b.g, sizeof(double) * (size_t)c->state);
    status = sal_cycle_set_parameter(c, f->name, f->b.mu);
    if (status == SAL_OK) status = sal_cycle_image(c, &c->trial);
    if (status != SAL_OK) return status;
    sal_cycle_swap(c);
    return note(f, &f->b, f->b.mu, f->a.t);
}

/* --------------------------------------------------------------------------------------- the walk */

/* One step of length s from a to b; *last: at an end of the range. SAL_ERR_CYCLE and others: too long. */
static sal_status try_step(follower *f, double s, double from, double to, bool *last)
{
    sal_cycle   *c    = f->c;
    const int    size = c->size;
    const double way = f->a.t[size] * f->range, ahead = f->a.mu + s * way;
    const double end = (way > 0.0) == (to > from) ? to : from;
    double       mu = ahead, length = s;
    sal_status   status;

    *last = (ahead - end) * way >= 0.0;
    if (*last) {
        memset(f->row, 0, sizeof(double) * (size_t)size);
        f->row[size] = 1.0;
        s            = (end - f->a.mu) / way;
        length       = (end - f->a.mu) / f->range;
        mu           = end;
    } else {
        memcpy(f->row, f->a.t, sizeof(double) * (size_t)(size + 1));
    }
    memcpy(c->trial.g, f->a.g, sizeof(double) * (size_t)c->state);
    for (int k = 0; k < size; k++) c->trial.g[k] += s * f->a.t[k] * c->scale[k];
    status = correct(f, &f->a, length, &mu);
    if (status == SAL_OK) status = note(f, &f->b, *last ? end : mu, f->a.t);
    if (status == SAL_OK && dot(f, f->a.t, f->b.t) < STRAIGHT)
        status = sal_cycle_because(c, SAL_ERR_CYCLE, "the branch turns too sharply");
    return status;
}

static sal_status branch_ends(follower *f)
{
    return sal_fail(f->c->context, SAL_ERR_CYCLE, "the cycle cannot be followed beyond %s = %.9g: %s", f->name, f->a.mu,
                    f->c->why);
}

/* From the cycle at hand, at `from`, to `to` or back to `from` around a fold. */
static sal_status walk(follower *f, double from, double to)
{
    sal_cycle *c    = f->c;
    const int  size = c->size;
    double     s    = f->opts.step;
    bool       last = false;
    sal_status status;

    f->number = 0;
    f->range  = fabs(to - from);
    memset(f->line, 0, sizeof(double) * (size_t)size);
    f->line[size] = to > from ? 1.0 : -1.0;
    f->neutral    = c->neutral;
    memcpy(f->b.t, f->line, sizeof(double) * (size_t)(size + 1));
    status = note(f, &f->a, from, f->b.t);
    if (status == SAL_OK) tell(f, from, SAL_NO_BIFURCATION);
    while (status == SAL_OK && !last) {
        if (++f->number >= f->opts.points)
            return sal_fail(c->context, SAL_ERR_CYCLE, "after %d points %s is at %.9g; more points are needed",
                            f->number, f->name, f->a.mu);
        while ((status = try_step(f, s, from, to, &last)) != SAL_OK) {
            if (sal_cycle_fatal(status)) return status;
            s *= 0.5;
            if (s < f->opts.min_step) return branch_ends(f);
        }
        if (c->iterations <= 3) s = fmin(1.5 * s, f->opts.max_step);
        status = find_bifurcations(f);
        if (status == SAL_OK) {
            const place swap = f->a;
            tell(f, f->b.mu, SAL_NO_BIFURCATION);
            f->a = f->b;
            f->b = swap;
        }
    }
    return status;
}

/* The cycle at `from`: as good a guess as for the parameter's own value, or from the cycle there. */
static sal_status reach(follower *f, double own)
{
    sal_cycle   *c       = f->c;
    const bool   guessed = c->guessed;
    const size_t size    = sizeof(double) * (size_t)c->state;
    sal_status   status;

    memcpy(f->g, c->now.g, size);
    status = sal_cycle_set(c, f->name, f->opts.from);
    if (status == SAL_OK) status = sal_cycle_find(c);
    if (status == SAL_OK || sal_cycle_fatal(status) || own == f->opts.from) return status;
    c->guessed     = guessed;
    c->typical     = 0.0;
    c->known.found = false;
    memcpy(c->now.g, f->g, size);
    status = sal_cycle_set(c, f->name, own);
    if (status == SAL_OK) status = sal_cycle_find(c);
    f->silent = true;
    if (status == SAL_OK) status = walk(f, own, f->opts.from);
    if (status == SAL_OK && f->a.mu != f->opts.from)
        status =
            sal_fail(c->context, SAL_ERR_CYCLE, "the cycle at %s = %.9g does not lead to %.9g: the branch turns back",
                     f->name, own, f->opts.from);
    f->silent = false;
    return status;
}

sal_follow_opts sal_follow_defaults(void)
{
    return (sal_follow_opts){
        .size = sizeof(sal_follow_opts), .points = 500, .step = 0.02, .max_step = 0.1, .min_step = 1e-6
    };
}

static sal_status prepare(follower *f, sal_pool *pool)
{
    const int size     = f->c->size;
    place    *places[] = { &f->a, &f->b, &f->between };

    for (int k = 0; k < SAL_COUNT(places); k++) {
        places[k]->g = SAL_NEW(pool, double, f->c->state);
        places[k]->t = SAL_NEW(pool, double, size + 1);
    }
    f->g    = SAL_NEW(pool, double, f->c->state);
    f->row  = SAL_NEW(pool, double, size + 1);
    f->line = SAL_NEW(pool, double, size + 1);
    return pool->failed ? sal_out_of_memory(f->c->context) : SAL_OK;
}

sal_status sal_cycle_follow(sal_cycle *c, const char *parameter, const sal_follow_opts *given)
{
    static const size_t    known[] = { sizeof(sal_follow_opts), 0 };
    follower               f       = { .c = c, .name = parameter, .opts = sal_follow_defaults(), .column = -1 };
    const sal_follow_opts *opts    = &f.opts;
    sal_pool               pool;
    double                 own;
    sal_status             status = sal_opts_read(c->context, "follow", known, given, &f.opts);

    if (status != SAL_OK) return status;
    for (int k = 0; k < c->p; k++) {
        if (!strcmp(c->wrt[k], parameter)) f.column = c->size + k;
    }
    if (f.column < 0)
        return sal_fail(c->context, SAL_ERR_ARGUMENT,
                        "'%s' is not among what the cycle is differentiated with respect to", parameter);
    if (!isfinite(opts->from) || !isfinite(opts->to) || opts->from == opts->to)
        return sal_fail(c->context, SAL_ERR_ARGUMENT, "%s: expected a range, found %g to %g", parameter, opts->from,
                        opts->to);
    if (opts->points < 1 || !(opts->step > 0.0) || !(opts->max_step > 0.0) || !(opts->min_step > 0.0))
        return sal_fail(c->context, SAL_ERR_ARGUMENT, "expected points and steps > 0");
    own = sal_run_parameter(c->home, sal_names_find(&c->model->tables->parameter_names, parameter));
    sal_pool_init(&pool, c->context);
    status = prepare(&f, &pool);
    if (status == SAL_OK) status = reach(&f, own);
    if (status == SAL_OK) status = walk(&f, opts->from, opts->to);
    sal_pool_free(&pool);
    if (status == SAL_ERR_MEMORY) return sal_out_of_memory(c->context);
    return status;
}
