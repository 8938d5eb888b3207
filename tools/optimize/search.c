/* search.c - methods of NLopt, with the derivatives of the evaluations.
 *
 * A place where the evaluation fails (no assembly, no cycle) counts as much worse than the best one: methods shorten
 * their steps then. A search ends when the place is stationary, which is looked at after every evaluation.
 *
 * A method may end before: where a step went to a place at which a condition is flat, or where what it has learnt of
 * curvature misleads it. It is begun anew then, from the best place of the search and knowing nothing; where that gains
 * nothing, others that take all the conditions try; where these do not either, each with its variables kept near that
 * place, so that no step goes far. A place where the conditions do not hold is first brought to one where they do, as
 * far as can be (reach.c). The search ends when none gains. */
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

#include "tools/optimize/problem.h"

static const struct method {
    nlopt_algorithm algorithm;
    bool            inequalities, equalities;
} methods[METHODS] = { { NLOPT_LD_SLSQP, true, true },
                       { NLOPT_LD_MMA, true, false },
                       { NLOPT_LD_LBFGS, false, false } };

const char *const *search_methods(void)
{
    static const char *const names[METHODS + 1] = { "slsqp", "mma", "lbfgs", NULL };

    return names;
}

static bool takes(int method, const constraint *c)
{
    return c->is == EQUALS ? methods[method].equalities : methods[method].inequalities;
}

static bool takes_all(const problem *p, int method)
{
    for (int i = 0; i < p->m; i++) {
        if (!takes(method, &p->constraint[i])) return false;
    }
    return true;
}

bool search_takes(const problem *p, int method)
{
    for (int i = 0; i < p->m; i++) {
        if (takes(method, &p->constraint[i])) continue;
        fprintf(stderr, "saltus: --method %s takes no %s; slsqp does\n", search_methods()[method],
                p->constraint[i].is == EQUALS ? "equality among the constraints" : "constraints");
        return false;
    }
    return true;
}

typedef struct searching {
    problem  *p;
    nlopt_opt opt;
    long      until; /* so many evaluations: then others may try */
    bool      stationary;
} searching;

typedef struct watched { /* a constraint */
    searching *s;
    int        index;
} watched;

static bool is_over(const searching *s)
{
    const problem *p = s->p;

    return s->stationary || p->stopped || p->no_memory || p->of_search >= p->most;
}

static double objective(unsigned n, const double *u, double *gradient, void *user)
{
    searching *s    = user;
    problem   *p    = s->p;
    const bool good = problem_at(p, u);

    if (good && p->last.violation <= p->tolerance && p->last.off <= p->tolerance) s->stationary = true;
    if (is_over(s) || p->of_search >= s->until) nlopt_force_stop(s->opt);
    if (gradient) memcpy(gradient, p->last.gradient, n * sizeof *gradient);
    if (good) return p->last.f;
    return (p->here.good ? p->here.f : 0.0) + 1e3 * fmax(fabs(p->here.f), p->slope);
}

static double subject(unsigned n, const double *u, double *gradient, void *user)
{
    const watched *w    = user;
    problem       *p    = w->s->p;
    const bool     good = problem_at(p, u);

    if (gradient) memcpy(gradient, p->last.gradient + (size_t)(w->index + 1) * n, n * sizeof *gradient);
    return good ? constraint_excess(p, &p->last, w->index) : p->constraint[w->index].scale;
}

static const char *reason(const searching *s, nlopt_result result)
{
    if (s->stationary) return "stationary";
    if (s->p->stopped) return "interrupted";
    if (s->p->of_search >= s->p->most) return "no more evaluations are allowed";
    switch (result) {
    case NLOPT_FTOL_REACHED: return "nothing is gained any more";
    case NLOPT_XTOL_REACHED:
    case NLOPT_ROUNDOFF_LIMITED: return "steps are as short as can be";
    default: return "the method gave up";
    }
}

/* The variables no farther than near from the place u. */
static nlopt_result set_bounds(nlopt_opt opt, const double *u, double near)
{
    nlopt_result result = NLOPT_SUCCESS;

    for (int k = 0; k < (int)nlopt_get_dimension(opt) && result > 0; k++) {
        result = nlopt_set_lower_bound(opt, k, fmax(u[k] - near, 0.0));
        if (result > 0) result = nlopt_set_upper_bound(opt, k, fmin(u[k] + near, 1.0));
    }
    return result;
}

/* One method, from the place u; why it ended. */
static const char *run_method(searching *s, int method, double near, double *u)
{
    problem     *p = s->p;
    watched     *w = need_zeros((size_t)p->m + 1, sizeof *w);
    nlopt_result result;
    double       f;
    const char  *why;

    s->opt       = nlopt_create(methods[method].algorithm, (unsigned)p->n);
    p->no_memory = p->no_memory || !s->opt;
    if (!s->opt) return free(w), "";
    result = set_bounds(s->opt, u, near);
    if (result > 0) result = nlopt_set_min_objective(s->opt, objective, s);
    if (result > 0) result = nlopt_set_xtol_abs1(s->opt, 1e-14);
    for (int i = 0; i < p->m && result > 0; i++) {
        const double least = 0.1 * p->tolerance * p->constraint[i].scale;
        w[i]               = (watched){ s, i };
        if (p->constraint[i].is == EQUALS) result = nlopt_add_equality_constraint(s->opt, subject, &w[i], least);
        else result = nlopt_add_inequality_constraint(s->opt, subject, &w[i], least);
    }
    if (result > 0) result = nlopt_optimize(s->opt, u, &f);
    p->no_memory = p->no_memory || result == NLOPT_OUT_OF_MEMORY;
    why          = reason(s, result);
    nlopt_destroy(s->opt);
    free(w);
    return why;
}

/* Less of the conditions is left, or f is less, or the place is nearer to stationary, by more than rounding. */
static bool has_gained(const problem *p, const evaluation *before)
{
    const evaluation *now  = &p->here;
    const double      ours = fmax(now->violation, p->tolerance), its = fmax(before->violation, p->tolerance);

    if (ours != its) return ours < 0.99 * its;
    return now->f < before->f - p->tolerance * fmax(fabs(now->f), p->slope) || now->off < 0.5 * before->off;
}

/* The best place of this search, in parts of the ranges. */
static void take_best(const problem *p, double *u)
{
    for (int k = 0; k < p->n; k++) {
        const variable *v = &p->variable[k];
        u[k]              = (p->here.x[k] - v->low) / (v->high - v->low);
    }
}

/* Again, after a search that ended before it should. */
static bool gains_by(searching *s, int method, double near, double *u, searched *found)
{
    problem         *p      = s->p;
    const evaluation before = p->here; /* its numbers */

    s->until = p->of_search + p->most / 5;
    if (before.violation > p->tolerance) reach_conditions(p, u);
    found->why = run_method(s, method, near, u);
    found->tries[method]++;
    take_best(p, u);
    return has_gained(p, &before);
}

searched search_from(problem *p, int method, double *u)
{
    static const double near[] = { 1.0, 0.1, 0.01 }; /* parts of the ranges */
    const int           ways   = METHODS * (int)(sizeof near / sizeof *near);
    searching           s      = { .p = p, .until = p->most };
    searched            found  = { .method = method };

    p->of_search        = 0;
    found.tries[method] = 1;
    found.why           = run_method(&s, method, 1.0, u);
    take_best(p, u);
    for (int vain = 0; vain < ways && !is_over(&s); vain++) {
        const int tried = (method + vain) % METHODS;
        if (!takes_all(p, tried) || !gains_by(&s, tried, near[vain / METHODS], u, &found)) continue;
        found.method = tried;
        vain         = -1;
    }
    return found;
}
