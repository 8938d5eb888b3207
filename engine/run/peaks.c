/* peaks.c - the largest value of an expression in a run, J = max g(t, z, zd, zdd, lambda): where, and how it changes.
 *
 *     dJ = dg               inside, at fixed time: there g' = 0, and that the place moves does not matter
 *     dJ = dg + g' tau'     before or after an event, and at an end that moves
 *     dJ = dg- + g'- tau'   at a corner of g, where g'- > 0 > g'+ (of min(a, b), -abs(a)):
 *                           tau' = (dg- - dg+)/(g'+ - g'-)
 *
 * In each step g is replaced by polynomials on pieces of it, as event functions are (find.c). No value is larger than
 * the largest Bernstein coefficient and what the fit is off by, which is estimated at places between its nodes: pieces
 * that cannot reach what is known are left out, the others halved until the fit tells their crests. Each is polished on
 * the rate g' along the motion, which is exact (the tangent with the motion as its direction). States are those of the
 * dense output. */
#include <float.h>
#include <math.h>

#include "engine/base/tolerance.h"
#include "engine/base/vector.h"
#include "engine/run/run.h"

enum { DEEPEST = 30, PIECES = 20000, BETWEEN = 3 };

/* Places between the nodes, where a fit is compared with the function. */
static const double between[BETWEEN] = { 0.0497, 0.547, 0.913 };

typedef struct search {
    sal_run           *run;
    const char        *name; /* of the cost */
    const sal_program *g;
    bool               forces; /* g reads them */
    double             spread; /* of g in the step */
    int                pieces; /* that may still be looked at */
    double             best;   /* the largest value so far, and where in the step, theta; -1: it was before */
    double             theta;
    double             width; /* not 0: at theta + width is the other side of a corner of g */
} search;

static bool reads_forces(const sal_program *g)
{
    return (g->reads & (1u << SAL_SRC_ZDD | 1u << SAL_SRC_LAMBDA)) != 0;
}

/* Puts the system where the dense output is at theta. */
static sal_trial go_to(const search *s, double theta)
{
    sal_run      *run = s->run;
    sal_stepper  *rk  = &run->stepper;
    const double *y   = theta == 0.0 ? rk->y0 : theta == 1.0 ? rk->y1 : run->y;

    if (y == run->y) sal_stepper_at(rk, theta, run->y);
    sal_system_move(&run->system, theta == 1.0 ? run->t1 : rk->t + theta * rk->h, y, y + run->model->n);
    return s->forces ? sal_run_trial(run, sal_system_accelerate(&run->system)) : SAL_TRIED;
}

static sal_trial value_at(const search *s, double theta, double *value)
{
    sal_trial trial = go_to(s, theta);

    if (trial == SAL_TRIED) *value = sal_system_value(&s->run->system, s->g);
    return trial == SAL_TRIED && !isfinite(*value) ? SAL_TRY_NUMBER : trial;
}

/* g' along the motion; NaN: there is none. */
static double rate_at(const search *s, double theta)
{
    search with_forces = *s; /* rates of velocities are accelerations */

    with_forces.forces = true;
    return go_to(&with_forces, theta) == SAL_TRIED ? sal_tangent_rate(&s->run->motion, &s->run->system, s->g) : NAN;
}

static sal_trial offer(search *s, double theta, double value, double width)
{
    if (!(value > s->best)) return SAL_TRIED;
    s->best  = value;
    s->theta = theta;
    s->width = width;
    return SAL_TRIED;
}

/* The crest near theta: where g' is zero, by the secant method. */
static sal_trial polish(search *s, double theta, double step)
{
    double before = theta, rate = rate_at(s, theta), next = fmin(fmax(theta + step, 0.0), 1.0), value;

    if (next == theta) next = fmin(fmax(theta - step, 0.0), 1.0);
    for (int i = 0; i < 20 && isfinite(rate); i++) {
        const double other = rate_at(s, next), slope = (other - rate) / (next - before);
        if (!isfinite(slope) || slope == 0.0) break;
        before = next;
        rate   = other;
        next   = fmin(fmax(before - rate / slope, 0.0), 1.0);
        if (fabs(next - before) <= 4.0 * DBL_EPSILON) break;
    }
    if (next <= 0.0 || next >= 1.0) return SAL_TRIED; /* the ends are looked at by themselves */
    const sal_trial trial = value_at(s, next, &value);
    return trial == SAL_TRIED ? offer(s, next, value, 0.0) : trial;
}

/* All local maxima of the polynomial that may be larger than what is known. */
static sal_trial crests(search *s, const double *b, int degree, double from, double to, double off)
{
    double    slope[SAL_ROOTS_DEGREE + 1], most = 0.0;
    sal_root  roots[SAL_ROOTS_MAX];
    sal_trial trial = SAL_TRIED;
    int       count;

    for (int k = 0; k < degree; k++) {
        slope[k] = degree * (b[k + 1] - b[k]);
        most     = fmax(most, fabs(slope[k]));
    }
    count = sal_roots_find(slope, degree - 1, 1e-14 * most, roots);
    for (int k = 0; k < count && trial == SAL_TRIED; k++) {
        if (roots[k].before < 0 || roots[k].after > 0) continue;
        if (sal_roots_value(b, degree, roots[k].x) + off > s->best)
            trial = polish(s, from + (to - from) * roots[k].x, 1e-3 * (to - from));
    }
    return trial;
}

static sal_trial look(search *s, double from, double to, int depth)
{
    const sal_fit *fit = &s->run->find.fit[0];
    double         sample[SAL_ROOTS_DEGREE + 1], b[SAL_ROOTS_DEGREE + 1], off = 0.0, most = 0.0, least, largest, value;
    sal_trial      trial = SAL_TRIED;

    for (int i = 0; i <= fit->degree && trial == SAL_TRIED; i++)
        trial = value_at(s, from + (to - from) * fit->node[i], &sample[i]);
    if (trial != SAL_TRIED) return trial;
    sal_fit_coefficients(fit, sample, b);
    for (int i = 0; i < BETWEEN; i++) {
        trial = value_at(s, from + (to - from) * between[i], &value);
        if (trial != SAL_TRIED) return trial;
        off = fmax(off, fabs(value - sal_roots_value(b, fit->degree, between[i])));
    }
    least = largest = b[0];
    for (int k = 0; k <= fit->degree; k++) {
        most    = fmax(most, fabs(b[k]));
        least   = fmin(least, b[k]);
        largest = fmax(largest, b[k]);
    }
    if (depth == 0) s->spread = largest - least;
    off = 3.0 * (off + fit->noise * most);
    if (largest + off <= s->best) return SAL_TRIED;
    if (depth == DEEPEST) /* a corner, or a jump */
        return sample[0] > sample[fit->degree] ? offer(s, from, sample[0], to - from)
                                               : offer(s, to, sample[fit->degree], from - to);
    if (off <= 1e-6 * (largest - least) || off <= 1e-12 * most) return crests(s, b, fit->degree, from, to, off);
    if (s->pieces-- <= 0)
        return sal_run_over(s->run,
                            sal_run_fail(s->run, SAL_ERR_STEP,
                                         "what the peak of %s is of changes too fast to be followed at t = %.9g "
                                         "s; max_step can be smaller",
                                         s->name, s->run->stepper.t));
    trial = look(s, from, 0.5 * (from + to), depth + 1);
    return trial == SAL_TRIED ? look(s, 0.5 * (from + to), to, depth + 1) : trial;
}

/* ----------------------------------------------------------------------------------- what was found */

static double *change_of(sal_run *run, int cost)
{
    return run->instants.peak_change + (size_t)cost * (size_t)run->p;
}

/* At fixed time at theta of the step, into `change`; and the rate there. */
static sal_trial differentiate(const search *s, double theta, double *change, double *rate)
{
    sal_run        *run   = s->run;
    const sal_trial trial = sal_run_stand(run, theta);

    if (trial != SAL_TRIED) return trial;
    sal_tangent_value(&run->tangent, &run->system, s->g, change);
    if (rate) *rate = sal_tangent_rate(&run->motion, &run->system, s->g);
    return SAL_TRIED;
}

/* At a corner, from both of its sides; at a jump there is no derivative. */
static sal_trial differentiate_corner(const search *s, double *change)
{
    const double from = s->theta, to = s->theta + s->width;
    double      *other = s->run->tangent.number, rate = NAN, its = NAN, value = NAN;
    sal_trial    trial;

    trial = value_at(s, to, &value);
    if (trial == SAL_TRIED) trial = differentiate(s, to, other, &its);
    for (int c = 0; c < s->run->p && trial == SAL_TRIED; c++) s->run->due_tau[c] = other[c];
    if (trial == SAL_TRIED) trial = differentiate(s, from, change, &rate);
    if (trial != SAL_TRIED) return trial;
    const bool jumps = fabs(value - s->best) > 1e-3 * s->spread, turns = rate * its < 0.0;
    for (int c = 0; c < s->run->p; c++) {
        if (jumps) change[c] = NAN;
        else if (turns) change[c] += rate * (change[c] - s->run->due_tau[c]) / (its - rate);
    }
    return SAL_TRIED;
}

/* The peak that the step has; its derivatives are at fixed time, and at the end of the step its rate is kept. */
static sal_trial take(const search *s, int cost)
{
    sal_run       *run  = s->run;
    sal_cost_peak *peak = &run->instants.peak[cost];
    double        *rate = &run->instants.rate[cost];
    sal_trial      trial;

    *peak = (sal_cost_peak){ s->best, run->t1, SAL_PEAK_INSIDE };
    if (s->theta != 1.0) peak->time = run->stepper.t + s->theta * run->stepper.h;
    *rate                      = 0.0;
    run->instants.corner[cost] = s->width != 0.0;
    if (!run->p) return SAL_TRIED;
    trial = s->width != 0.0 ? differentiate_corner(s, change_of(run, cost))
                            : differentiate(s, s->theta, change_of(run, cost), s->theta == 1.0 ? rate : NULL);
    return trial;
}

static sal_status not_finite(sal_run *run, int cost)
{
    return sal_run_fail(run, SAL_ERR_NUMBER, "the peak of %s is not finite at t = %.9g s",
                        run->model->tables->costs.at[cost].name, run->system.z[run->model->tables->time]);
}

sal_status sal_peaks_step(sal_run *run)
{
    const sal_tables *tables = run->model->tables;
    sal_trial         trial  = SAL_TRIED;

    for (int k = 0; k < tables->costs.n && trial == SAL_TRIED; k++) {
        search s = { .run    = run,
                     .g      = &tables->costs.at[k].peak,
                     .pieces = PIECES,
                     .theta  = -1.0,
                     .name   = tables->costs.at[k].name };
        double end;
        if (!s.g->n) continue;
        s.forces            = reads_forces(s.g);
        s.best              = run->instants.peak[k].value;
        const int all       = run->stepper.active;
        run->stepper.active = sal_run_state_size(run);
        trial               = sal_stepper_make_dense(&run->stepper);
        if (trial == SAL_TRIED) trial = value_at(&s, 1.0, &end);
        if (trial == SAL_TRIED) offer(&s, 1.0, end, 0.0);
        if (trial == SAL_TRIED) trial = look(&s, 0.0, 1.0, 0);
        run->stepper.active = all;
        if (trial == SAL_TRIED && s.theta >= 0.0) trial = take(&s, k);
        if (trial == SAL_TRY_NUMBER) return not_finite(run, k);
    }
    return trial == SAL_TRIED ? SAL_OK : trial == SAL_TRY_OVER ? run->failure : SAL_ERR_SINGULAR;
}

double sal_peaks_speed(const sal_run *run, int cost)
{
    const sal_cost_peak *peak = &run->instants.peak[cost];

    if (!run->model->tables->costs.at[cost].peak.n || peak->time != run->t1 || peak->place != SAL_PEAK_INSIDE)
        return 0.0;
    return run->instants.rate[cost];
}

void sal_peaks_event(sal_run *run, const double *tau)
{
    for (int k = 0; k < run->model->tables->costs.n; k++) {
        sal_cost_peak *peak = &run->instants.peak[k];
        const double   rate = sal_peaks_speed(run, k);
        if (!run->model->tables->costs.at[k].peak.n || peak->time != run->t1 || peak->place != SAL_PEAK_INSIDE)
            continue;
        peak->place = SAL_PEAK_BEFORE_EVENT;
        for (int c = 0; c < run->p; c++) change_of(run, k)[c] += rate * tau[c];
    }
}

sal_status sal_peaks_begin(sal_run *run, sal_peak_place place, const double *tau)
{
    const sal_tables *tables = run->model->tables;
    bool              moved  = false;

    for (int k = 0; k < tables->costs.n; k++) {
        const sal_program *g    = &tables->costs.at[k].peak;
        sal_cost_peak     *peak = &run->instants.peak[k];
        double             value, rate = 0.0;
        if (!g->n) continue;
        value = sal_system_value(&run->system, g);
        if (!isfinite(value)) return not_finite(run, k);
        if (!(value > peak->value)) continue;
        *peak = (sal_cost_peak){ .value = value, .time = run->t1, .place = place };
        if (!run->p) continue;
        sal_tangent_value(&run->tangent, &run->system, g, change_of(run, k));
        if (tau) rate = sal_tangent_rate(&run->motion, &run->system, g);
        for (int c = 0; c < run->p && tau; c++) change_of(run, k)[c] += rate * tau[c];
        moved = true;
    }
    if (moved) sal_run_restore_end(run);
    return SAL_OK;
}
