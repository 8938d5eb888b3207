/* search.c - methods of NLopt, with the derivatives of the evaluations.
 *
 * A place where the evaluation fails (no assembly, no cycle) counts as much worse than the best one: methods shorten
 * their steps then. A search ends when the place is stationary, which is looked at after every evaluation. */
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

#include "tools/optimize/problem.h"

static const struct method {
    nlopt_algorithm algorithm;
    bool            inequalities, equalities;
} methods[] = { { NLOPT_LD_SLSQP, true, true }, { NLOPT_LD_MMA, true, false }, { NLOPT_LD_LBFGS, false, false } };

const char *const *search_methods(void)
{
    static const char *const names[] = { "slsqp", "mma", "lbfgs", NULL };

    return names;
}

bool search_takes(const problem *p, int method)
{
    for (int i = 0; i < p->m; i++) {
        if (p->constraint[i].is == EQUALS ? methods[method].equalities : methods[method].inequalities) continue;
        fprintf(stderr, "saltus: --method %s takes no %s; slsqp does\n", search_methods()[method],
                p->constraint[i].is == EQUALS ? "equality among the constraints" : "constraints");
        return false;
    }
    return true;
}

typedef struct searching {
    problem  *p;
    nlopt_opt opt;
    bool      stationary;
} searching;

typedef struct watched { /* a constraint */
    searching *s;
    int        index;
} watched;

static double objective(unsigned n, const double *u, double *gradient, void *user)
{
    searching *s    = user;
    problem   *p    = s->p;
    const bool good = problem_at(p, u);

    if (good && p->last.violation <= p->tolerance && p->last.off <= p->tolerance) s->stationary = true;
    if (s->stationary || p->stopped || p->no_memory || p->of_search >= p->most) nlopt_force_stop(s->opt);
    if (gradient) memcpy(gradient, p->last.gradient, n * sizeof *gradient);
    if (good) return p->last.f;
    return (p->best.good ? p->best.f : 0.0) + 1e3 * fmax(fabs(p->best.f), p->slope);
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

const char *search_from(problem *p, int method, double *u)
{
    searching    s = { .p = p };
    watched     *w = need_zeros((size_t)p->m + 1, sizeof *w);
    nlopt_result result;
    double       f;
    const char  *why;

    p->of_search = 0;
    s.opt        = nlopt_create(methods[method].algorithm, (unsigned)p->n);
    p->no_memory = p->no_memory || !s.opt;
    if (!s.opt) return free(w), "";
    result = nlopt_set_lower_bounds1(s.opt, 0.0);
    if (result > 0) result = nlopt_set_upper_bounds1(s.opt, 1.0);
    if (result > 0) result = nlopt_set_min_objective(s.opt, objective, &s);
    if (result > 0) result = nlopt_set_xtol_abs1(s.opt, 1e-14);
    for (int i = 0; i < p->m && result > 0; i++) {
        const double least = 0.1 * p->tolerance * p->constraint[i].scale;
        w[i]               = (watched){ &s, i };
        if (p->constraint[i].is == EQUALS) result = nlopt_add_equality_constraint(s.opt, subject, &w[i], least);
        else result = nlopt_add_inequality_constraint(s.opt, subject, &w[i], least);
    }
    if (result > 0) result = nlopt_optimize(s.opt, u, &f);
    p->no_memory = p->no_memory || result == NLOPT_OUT_OF_MEMORY;
    why          = reason(&s, result);
    nlopt_destroy(s.opt);
    free(w);
    return why;
}
