/* find.c - finding events inside a step.
 *
 * On the dense output of a step an event function that is a polynomial in the coordinates, velocities and time (many
 * gaps are) is a polynomial in theta: sampled at enough nodes it is known exactly, and all its roots in the step are
 * isolated (roots.h). Functions that are no polynomials are replaced by polynomials of degree 14 on pieces short
 * enough to agree with them.
 *
 * The first root is then polished with true steps, so that the time is as exact as the integration, not as the
 * interpolant: h <- h - r/r' with the step from the same beginning made again, until h stands still.
 *
 * Roots known at the beginning of the step (arm.c) are divided out: p(theta) = theta s(theta), once or twice. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/run/events.h"
#include "engine/base/tolerance.h"
#include "engine/base/vector.h"

enum {
    DEGREE_HIGH  = 14,
    PIECES_DEPTH = 40,   /* halvings of a step */
    PIECES       = 2000, /* of all event functions in a step; beyond it the step must be shorter */
    BETWEEN      = 5,
    SAMPLES      = SAL_ROOTS_DEGREE + 1 + BETWEEN
};

/* Places between the nodes, where a fit is compared with the function. */
static const double between[BETWEEN] = { 0.031, 0.289, 0.544, 0.807, 0.957 };

sal_status sal_events_init(sal_run *run)
{
    const int count = run->model->tables->events.n, degree = run->stepper.ops->dense_degree;

    run->find.arming     = SAL_NEW(&run->pool, sal_arming, count);
    run->find.tolerance  = SAL_NEW(&run->pool, double, count);
    run->find.below      = SAL_NEW(&run->pool, double, count);
    run->find.risen      = SAL_NEW(&run->pool, bool, count);
    run->find.noise      = SAL_NEW(&run->pool, double, count);
    run->find.hop        = SAL_NEW(&run->pool, sal_hop, count);
    run->find.located    = SAL_NEW(&run->pool, double, count);
    run->find.candidates = SAL_NEW(&run->pool, sal_candidate, count + 1);
    run->find.handled    = SAL_NEW(&run->pool, bool, count);
    run->find.held       = SAL_NEW(&run->pool, bool, count);
    run->find.due        = SAL_NEW(&run->pool, sal_due, count);
    run->find.sample     = SAL_NEW(&run->pool, double, SAMPLES *(count + 1));
    run->find.places     = SAL_NEW(&run->pool, double, 4 * SAMPLES * run->model->tables->followers.n);
    run->y               = SAL_NEW(&run->pool, double, run->stepper.n);
    sal_fit_init(&run->find.fit[0], degree);
    sal_fit_init(&run->find.fit[1], DEGREE_HIGH);
    return run->pool.failed ? SAL_ERR_MEMORY : SAL_OK;
}

/* -------------------------------------------------------------------------------------- in a step */

/* Puts the system where the dense output is at theta. */
static sal_trial move_to(sal_run *run, double theta, bool forces)
{
    sal_stepper  *rk = &run->stepper;
    const int     n  = run->model->n;
    const double *y  = theta == 0.0 ? rk->y0 : theta == 1.0 ? rk->y1 : run->y; /* the ends exactly */

    run->find.ahead = theta * rk->h;
    if (y == run->y) sal_stepper_at(rk, theta, run->y);
    sal_system_move(&run->system, theta == 1.0 ? run->t1 : rk->t + theta * rk->h, y, y + n);
    return forces ? sal_run_trial(run, sal_system_accelerate(&run->system)) : SAL_TRIED;
}

sal_trial sal_events_move(sal_run *run, double theta)
{
    return move_to(run, theta, false);
}

/* A crossing in the right direction, or a touch from that side. */
static bool counts(sal_direction direction, const sal_root *root)
{
    return direction == SAL_BOTH ? root->before != 0 : direction == SAL_FALLING ? root->before > 0 : root->before < 0;
}

/* Whether the event function is, on the dense output, a polynomial of the same degree. */
static bool is_simple(const sal_run *run, int e)
{
    return !run->find.hop[e].on && (run->model->degree[e] == 0 || run->model->degree[e] == 1);
}

/* Where a coordinate of a follower comes in the step, on the dense output: within its Bernstein coefficients. */
static void bound_place(const sal_run *run, const double *sample, double *at, double *low, double *high)
{
    const sal_fit *fit = &run->find.fit[0];
    double         b[SAL_ROOTS_DEGREE + 1];

    sal_fit_coefficients(fit, sample, b);
    *at  = b[0];
    *low = *high = b[0];
    for (int k = 1; k <= fit->degree; k++) {
        *low  = fmin(*low, b[k]);
        *high = fmax(*high, b[k]);
    }
}

/* Contacts with the parts of lines that can be reached in the step. */
static sal_trial follow_lines(sal_run *run)
{
    const sal_tables *tables = run->model->tables;
    const sal_fit    *fit    = &run->find.fit[0];
    sal_trial         trial;

    for (int i = 0; i <= fit->degree && tables->followers.n; i++) {
        trial = move_to(run, fit->node[i], false);
        if (trial != SAL_TRIED) return trial;
        for (int f = 0; f < tables->followers.n; f++) {
            for (int k = 0; k <= tables->followers.at[f].follow.edge; k++) {
                double at[2], *sample = run->find.places + SAMPLES * (4 * f + 2 * k);
                sal_follower_place(&run->system, tables->followers.at[f].follow.points[k], at);
                sample[i]           = at[0];
                sample[SAMPLES + i] = at[1];
            }
        }
    }
    for (int f = 0; f < tables->followers.n; f++) {
        sal_reach reach = { 0 };
        for (int k = 0; k < 4; k++) {
            if (k / 2 <= tables->followers.at[f].follow.edge)
                bound_place(run, run->find.places + SAMPLES * (4 * f + k), &reach.at[k / 2][k % 2],
                            &reach.box[k / 2].low[k % 2], &reach.box[k / 2].high[k % 2]);
        }
        if (!sal_follower_take(&run->contacts, &run->system, run->p ? &run->tangent : NULL, f, &reach))
            return SAL_TRY_FINER;
    }
    return SAL_TRIED;
}

/* Values of the event function at the nodes of the fit, on [from, to]. */
static sal_trial sample_event(sal_run *run, int e, const sal_fit *fit, double from, double to, double *sample)
{
    sal_trial trial;

    for (int i = 0; i <= fit->degree; i++) {
        trial = move_to(run, from + (to - from) * fit->node[i], sal_events_need_forces(run, e));
        if (trial != SAL_TRIED) return trial;
        sample[i] = sal_events_value(run, e) + sal_events_shift(run, e);
        if (isfinite(sample[i])) continue;
        return sal_run_over(run, sal_events_not_finite(run, e, run->system.z[run->model->tables->time]));
    }
    return SAL_TRIED;
}

/* How far the polynomial is from the function at places between its nodes; 0 where it is one itself. */
static sal_trial measure_fit(sal_run *run, int e, const sal_fit *fit, const double *b, double from, double to,
                             double *off)
{
    sal_trial trial;

    *off = 0.0;
    for (int i = 0; i < BETWEEN && !is_simple(run, e); i++) {
        trial = move_to(run, from + (to - from) * between[i], sal_events_need_forces(run, e));
        if (trial != SAL_TRIED) return trial;
        *off = fmax(*off, fabs(sal_events_value(run, e) + sal_events_shift(run, e) -
                               sal_roots_value(b, fit->degree, between[i])));
    }
    return SAL_TRIED;
}

/* What is known of a polynomial whose coefficients are uncertain by `off`. */
typedef enum certainty { NO_ROOT, ONE_CROSSING, UNCERTAIN } certainty;

static certainty judge(const double *b, int degree, double off)
{
    int  changes = 0, last = 0;
    bool all = true;

    for (int k = 0; k <= degree; k++) {
        const int sign = b[k] > off ? 1 : b[k] < -off ? -1 : 0;
        all            = all && sign != 0;
        changes += sign && last && sign != last;
        if (sign) last = sign;
    }
    return changes == 1 ? ONE_CROSSING : changes == 0 && all ? NO_ROOT : UNCERTAIN;
}

/* Whether what the fit is off by is the function's own noise: it does not become less on ever shorter pieces, nor more,
 * as it does at a pole, and the samples go up and down, which they do neither at a kink nor at a jump. Forces that
 * almost depend on each other are such: where K is almost singular they are expected to be. */
static bool is_noise(const double *sample, int degree, double off, double before, int depth, bool expected)
{
    enum { SHORT = 20, FEW = 3, TURNS = 4 }; /* halvings: nothing oscillates so fast; turns of the samples, of 14 */
    double most = 0.0, last = 0.0;
    int    turns = 0;

    if (depth < (expected ? FEW : SHORT) || off <= 0.25 * before || off > 4.0 * before) return false;
    for (int k = 0; k < degree; k++) most = fmax(most, fabs(sample[k + 1] - sample[k]));
    for (int k = 0; k < degree; k++) {
        const double d = sample[k + 1] - sample[k];
        if (fabs(d) < 0.05 * most) continue;
        turns += d * last < 0.0;
        last = d;
    }
    return turns >= TURNS;
}

/* Whether so much noise is what forces of contacts have where K is almost singular. */
static bool expects_noise(sal_run *run, int e, double off)
{
    const sal_event *event = sal_events_at(run, e);

    return run->system.near && event->touch >= 0 && sal_events_reads_forces(&event->when) &&
           off <= SAL_NOISE_NEAR * sal_scale_at(&run->system).force;
}

/* Whether all samples are on one side of zero, and further from it than `noise`. */
static bool is_away(const double *sample, int degree, double noise)
{
    bool above = true, below = true;

    for (int k = 0; k <= degree; k++) {
        above = above && sample[k] > noise;
        below = below && sample[k] < -noise;
    }
    return above || below;
}

/* Whether the gap of a contact that was open is on zero at the beginning of the step and on its way down: the step
 * before has ended there, and it comes from above. What moves with what it touches has no such rate. */
static bool comes_down(sal_run *run, int e)
{
    const sal_event *event = sal_events_at(run, e);

    if (event->touch < 0 || event->kind != SAL_TOUCHES || run->find.arming[e] != SAL_ARMED) return false;
    if (move_to(run, 0.0, false) != SAL_TRIED) return false;
    return sal_events_rate(run, e) < -SAL_CONTACT_SMALL * sal_largest(run->system.zd, run->model->n);
}

/* Whether a function that left zero at the beginning of the step is still leaving it at `to`, where it is not yet
 * anything else: that is no root. */
static bool still_leaves(sal_run *run, int e, double to, int side)
{
    return move_to(run, to, sal_events_need_forces(run, e)) == SAL_TRIED && sal_events_rate(run, e) * side > 0.0;
}

/* The first root on [from, to] that counts: by a polynomial where that is good enough to tell, else on both halves.
 * It is good enough where it is certainly away from zero or certainly crosses once, or agrees with the function as
 * well as the function's own zero asks for; what is noise counts as zero, unless the function is further from zero
 * than that (near a pole, where it is large, noise is as well). Pieces that become too short call for a shorter step.
 * A root known at theta = 0 is divided out. `before`: what the fit was off by on the piece that this is a half of. */
static sal_trial search_piece(sal_run *run, int e, double from, double to, int depth, double before,
                              sal_candidate *found, bool *any)
{
    const sal_fit   *fit   = &run->find.fit[!is_simple(run, e)];
    const sal_arming known = from == 0.0 && sal_events_shift(run, e) == 0.0 ? run->find.arming[e] : SAL_ARMED;
    const double     half  = 0.5 * (from + to);
    double           sample[SAL_ROOTS_DEGREE + 1], b[SAL_ROOTS_DEGREE + 1], off, most = 0.0;
    sal_root         roots[SAL_ROOTS_MAX];
    int              degree = fit->degree, count;
    certainty        what;
    sal_trial        trial = sal_run_trial(run, sal_watch_ask(&run->watch));

    if (trial == SAL_TRIED && run->find.pieces-- <= 0) return SAL_TRY_FINER;
    if (trial == SAL_TRIED) trial = sample_event(run, e, fit, from, to, sample);
    if (trial != SAL_TRIED) return trial;
    sal_fit_coefficients(fit, sample, b);
    trial = measure_fit(run, e, fit, b, from, to, &off);
    if (trial != SAL_TRIED) return trial;
    for (int k = 0; k <= degree; k++) most = fmax(most, fabs(b[k]));
    off += fit->noise * most;
    const double fit_off = off;
    for (int k = 0; k < (int)known; k++) {
        off *= degree;
        sal_roots_deflate(b, degree--);
    }
    what = judge(b, degree, 3.0 * off);
    if ((what == ONE_CROSSING || known != SAL_ARMED) && fit_off > SAL_COARSE_FIT * most)
        what = UNCERTAIN; /* a coarse fit hides what oscillates around it */
    if (what == NO_ROOT) {
        if (from > 0.0 || !(b[0] < 0.0) || b[0] < -sal_events_margin(run, e) || !comes_down(run, e)) return SAL_TRIED;
        *found = (sal_candidate){ e, 0.0, 1, -1, 0.0 }; /* it came to zero in the step before, all near zero */
        *any   = true;
        return SAL_TRIED;
    }
    if (what == UNCERTAIN && is_noise(sample, fit->degree, fit_off, before, depth, expects_noise(run, e, fit_off))) {
        if (is_away(sample, fit->degree, 3.0 * off)) return SAL_TRIED;
        run->find.noise[e] = fmax(run->find.noise[e], 3.0 * off);
    }
    if (what == UNCERTAIN && off > sal_events_margin(run, e)) {
        if (depth == PIECES_DEPTH) { /* a jump; it matters only if it leads through zero */
            return sample[0] * sample[fit->degree] > 0.0 ? SAL_TRIED : SAL_TRY_FINER;
        }
        trial = search_piece(run, e, from, half, depth + 1, fit_off, found, any);
        return trial != SAL_TRIED || *any ? trial : search_piece(run, e, half, to, depth + 1, fit_off, found, any);
    }
    count = sal_roots_find(b, degree, sal_events_margin(run, e), roots);
    if (count > 0 && from == 0.0 && roots[0].before == 0 && roots[0].after < 0 && comes_down(run, e))
        roots[0].before = 1;
    for (int k = 0; k < count && !*any; k++) {
        if (!counts(sal_events_direction(run, e), &roots[k])) continue;
        if (known == SAL_LEAVING && roots[k].after == 0 && still_leaves(run, e, to, roots[k].before)) continue;
        *found = (sal_candidate){ e, from + (to - from) * roots[k].x, roots[k].before, roots[k].after,
                                  k ? from + (to - from) * roots[k - 1].x : from };
        *any   = true;
    }
    return SAL_TRIED;
}

/* Samples all events of a kind together, at the nodes of their fit and at the places between them: what costs most is
 * to move the system there, and for forces to solve it. */
static sal_trial sample_together(sal_run *run, bool simple)
{
    const sal_fit *fit    = &run->find.fit[!simple];
    const int      events = run->model->tables->events.n, places = fit->degree + 1 + (simple ? 0 : BETWEEN);
    bool           any = false, forces = false;
    sal_trial      trial;

    for (int e = 0; e < events; e++) {
        if (!sal_events_searched(run, e) || is_simple(run, e) != simple) continue;
        any    = true;
        forces = forces || sal_events_need_forces(run, e);
    }
    for (int i = 0; i < places && any; i++) {
        trial = move_to(run, i <= fit->degree ? fit->node[i] : between[i - fit->degree - 1], forces);
        if (trial != SAL_TRIED) return trial;
        for (int e = 0; e < events; e++) {
            if (sal_events_searched(run, e) && is_simple(run, e) == simple)
                run->find.sample[e * SAMPLES + i] = sal_events_value(run, e);
        }
    }
    return SAL_TRIED;
}

/* Whether the samples leave it possible that the event function comes to zero in the step. */
static bool comes_near(const sal_run *run, int e)
{
    const sal_fit *fit    = &run->find.fit[!is_simple(run, e)];
    const double  *sample = run->find.sample + e * SAMPLES;
    double         b[SAL_ROOTS_DEGREE + 1], most = 0.0, off = 0.0;

    if (run->find.arming[e] != SAL_ARMED) return true;
    sal_fit_coefficients(fit, sample, b);
    for (int k = 0; k <= fit->degree; k++) most = fmax(most, fabs(b[k]));
    for (int i = 0; i < BETWEEN && !is_simple(run, e); i++)
        off = fmax(off, fabs(sample[fit->degree + 1 + i] - sal_roots_value(b, fit->degree, between[i])));
    return !isfinite(most) || !isfinite(off) ||
           judge(b, fit->degree, sal_events_margin(run, e) + 3.0 * (off + fit->noise * most)) != NO_ROOT;
}

/* What has been found beyond zero may have been on this side in between, and come to zero before. */
static sal_trial search_before(sal_run *run, sal_candidate *found)
{
    const int      e      = found->event;
    const sal_fit *fit    = &run->find.fit[!is_simple(run, e)];
    const double  *sample = run->find.sample + e * SAMPLES;
    const double   sign   = copysign(1.0, sal_events_shift(run, e));
    double         from = 0.0, most = fabs(sal_events_shift(run, e));
    bool           any = false;
    sal_candidate  other;
    sal_trial      trial;

    for (int i = 0; i <= fit->degree && most > 0.0 && fit->node[i] < found->theta; i++) {
        if (!(sign * sample[i] > most)) continue;
        most = sign * sample[i];
        from = fit->node[i];
    }
    if (from == 0.0) return SAL_TRIED;
    run->find.risen[e] = true;
    trial              = search_piece(run, e, from, found->theta, 0, HUGE_VAL, &other, &any);
    if (trial == SAL_TRIED && any) *found = other;
    else run->find.risen[e] = false;
    return trial;
}

/* What has been found below zero because its gap tells no better is looked for by its rate, if that agrees with the gap
 * so far. */
static sal_trial search_by_rate(sal_run *run, sal_candidate *found)
{
    const int     e     = found->event;
    const double  below = run->find.below[e];
    bool          any   = false;
    sal_candidate other;
    sal_trial     trial = move_to(run, found->theta, true);

    if (trial != SAL_TRIED || !sal_hop_agrees(run, e)) return trial;
    run->find.below[e] = 50.0 * sal_events_margin(run, e);
    trial              = search_piece(run, e, 0.0, found->theta, 0, HUGE_VAL, &other, &any);
    if (trial == SAL_TRIED && any) {
        *found = other;
    } else {
        run->find.hop[e].on = false;
        run->find.below[e]  = below;
    }
    return trial;
}

/* Whether the argument of a switch is on zero and on neither side of it: it may leave either way. */
static bool is_undecided(const sal_run *run, int e)
{
    return sal_events_at(run, e)->side && sal_events_side(run, e) == 0.0 && sal_events_shift(run, e) != 0.0;
}

/* Where all that an argument is made of is zero at the beginning (a mass at rest in the origin), what it becomes in the
 * step says what counts as zero. */
static void measure_zero(sal_run *run, int e)
{
    const double *sample = run->find.sample + e * SAMPLES;
    double        most   = 0.0;

    if (!sal_events_at(run, e)->side || run->find.arming[e] != SAL_SLOW || run->find.below[e] != 0.0) return;
    for (int i = 0; i <= run->find.fit[!is_simple(run, e)].degree; i++) most = fmax(most, fabs(sample[i]));
    run->find.tolerance[e] = fmax(run->find.tolerance[e], SAL_ZERO * most);
    sal_events_begin_slowly(run, e, 0.0);
}

/* The candidates of the step, one per event. Most of the time no event function comes near zero. */
static sal_trial search_step(sal_run *run, sal_candidate *list, int *count)
{
    sal_trial trial = sample_together(run, true);

    *count           = 0;
    run->find.pieces = PIECES;
    if (trial == SAL_TRIED) trial = sample_together(run, false);
    for (int e = 0; e < run->model->tables->events.n && trial == SAL_TRIED; e++) {
        bool any           = false;
        run->find.risen[e] = false;
        if (!sal_events_searched(run, e) || !comes_near(run, e)) continue;
        measure_zero(run, e);
        trial = search_piece(run, e, 0.0, 1.0, 0, HUGE_VAL, &list[*count], &any);
        if (trial == SAL_TRIED && !any && is_undecided(run, e)) {
            run->find.below[e] = -run->find.below[e];
            trial              = search_piece(run, e, 0.0, 1.0, 0, HUGE_VAL, &list[*count], &any);
        }
        if (trial == SAL_TRIED && any && run->find.hop[e].follows && sal_events_shift(run, e) > 0.0)
            trial = search_by_rate(run, &list[*count]);
        if (trial == SAL_TRIED && any && !run->find.hop[e].on) trial = search_before(run, &list[*count]);
        *count += any;
    }
    return trial;
}

/* ----------------------------------------------------------------------------------------- polish */

/* Makes the step again with length h; the system is at its end afterwards. */
static sal_trial step_again(sal_run *run, double h)
{
    double error;

    run->t1         = run->stepper.t + h;
    run->find.ahead = h;
    return sal_stepper_attempt(&run->stepper, h, &error);
}

/* Where the function has its extremum: a touch. */
static sal_trial polish_touch(sal_run *run, int e, double longest, double *h, double *bend)
{
    sal_trial trial = step_again(run, *h);

    for (int i = 0; i < 4 && trial == SAL_TRIED; i++) {
        const double rate = sal_events_rate(run, e), next = *h - rate / (*bend = sal_events_curvature(run, e));
        if (!isfinite(next) || next <= 0.0 || next > longest || fabs(next - *h) < 1e-9 * *h) break;
        *h    = next;
        trial = step_again(run, *h);
    }
    return trial;
}

/* Newton's method in h; it ends where h stands still, or where rounding keeps the corrections from shrinking. */
static sal_trial polish_crossing(sal_run *run, int e, double longest, double *h)
{
    sal_trial trial = step_again(run, *h);
    double    last  = HUGE_VAL;

    for (int i = 0; i < 12 && trial == SAL_TRIED; i++) {
        const double r = sal_events_value(run, e) + sal_events_shift(run, e), rate = sal_events_rate(run, e);
        const double next = fmin(fmax(*h - r / rate, 0.0), longest), change = fabs(next - *h);
        if (!(change > 2.0 * DBL_EPSILON * fmax(run->find.hop[e].on ? 0.0 : fabs(run->t1), *h)) || change > 0.25 * last)
            break;
        last  = change;
        *h    = next;
        trial = step_again(run, *h);
    }
    return trial;
}

/* What the interpolant promised must hold for the true motion: the function is zero there and crosses in the right
 * direction, or touches. If not the interpolant is not good enough: a shorter step is called for. */
static sal_trial polish(sal_run *run, const sal_candidate *c, double longest)
{
    const double zero = sal_events_margin(run, c->event), shift = sal_events_shift(run, c->event);
    const double found = c->theta * longest;
    double       h = found, bend = 0.0, r, rate, slow, off;
    bool         crossing = c->before * c->after <= 0; /* or the end of the step lies on zero: its rate will tell */
    sal_trial    trial    = SAL_TRIED;

    if (!crossing) { /* it touches, or crosses twice so closely that the interpolant cannot tell */
        double depth;
        trial = polish_touch(run, c->event, longest, &h, &bend);
        if (trial != SAL_TRIED) return trial;
        depth = -c->before * sal_events_value(run, c->event);
        if (depth > 10.0 * zero && bend != 0.0) {
            crossing = true;
            h        = fmax(0.0, h - sqrt(2.0 * depth / fabs(bend)));
        }
    }
    if (crossing) trial = polish_crossing(run, c->event, longest, &h);
    if (trial == SAL_TRIED && run->find.arming[c->event] != SAL_ARMED && h < 0.25 * found) { /* to the known root */
        h     = found;
        trial = step_again(run, h);
    }
    if (trial != SAL_TRIED) return trial;
    if (h == longest) run->t1 = run->t_step;
    r    = sal_events_value(run, c->event);
    rate = sal_events_rate(run, c->event);
    slow = fmax(sal_events_slow(run, c->event, sal_events_curvature(run, c->event), 10.0),
                DBL_EPSILON * zero / run->t_end); /* nothing comes of it in the whole run */
    off  = sal_events_off_zero(run, c->event, r + shift);
    if (!(off <= (shift != 0.0 ? 10.0 : h == 0.0 ? 1.0 : 100.0) * zero)) { /* at the very beginning it would be known */
        /* in a step as short as steps can be the function is no better known than this */
        if (!crossing || longest > SAL_CRUMB * fabs(run->t1)) return SAL_TRY_FINER;
        run->find.noise[c->event] = fmax(run->find.noise[c->event], off);
    }
    if (fabs(rate) > slow && rate * c->before > 0.0) /* it turns back; in so short a step it has not crossed */
        return longest > SAL_CRUMB * fabs(run->t1) ? SAL_TRY_FINER : SAL_TRIED;
    run->find.pending = (sal_pending){ .event   = c->event,
                                       .rate    = rate,
                                       .value   = r,
                                       .grazing = c->before * c->after >= 0 && fabs(rate) <= slow,
                                       .steep   = fabs(rate) > slow };
    return SAL_TRIED;
}

/* Of several functions that cross at the end of the step the first in the scene is pending, the others are due. */
static void find_due(sal_run *run, const sal_candidate *list, int count)
{
    memset(run->find.due, 0, sizeof *run->find.due * (size_t)run->model->tables->events.n);
    for (int k = 0; k < count; k++) {
        const sal_candidate *c = &list[k];
        const double         r = sal_events_value(run, c->event), rate = sal_events_rate(run, c->event),
                     zero = sal_events_margin(run, c->event);
        if (c->before * c->after >= 0 || rate * c->after <= 0.0) continue;
        if (!(sal_events_off_zero(run, c->event, r) <= zero)) continue;
        if (fabs(rate) <= sal_events_slow(run, c->event, sal_events_curvature(run, c->event), 1.0))
            continue; /* it touches from the far side */
        run->find.due[c->event] = (sal_due){ .due = true, .rate = rate, .steep = true };
        if (c->event < run->find.pending.event)
            run->find.pending = (sal_pending){ .event = c->event, .rate = rate, .value = r, .steep = true };
    }
}

/* Whether the function of a candidate has crossed at the state. One that leaves zero may have begun a little beyond. */
static bool has_crossed(sal_run *run, const sal_candidate *c)
{
    const int    e = c->event;
    const double r =
        sal_events_value(run, e) - (run->find.arming[e] == SAL_LEAVING ? run->find.sample[e * SAMPLES] : 0.0);

    return c->after * r > 0.0 && sal_events_off_zero(run, e, r) > sal_events_margin(run, e);
}

/* The first event of the step, if there is one; the step ends there afterwards. */
static sal_trial find_first(sal_run *run)
{
    const int      events  = run->model->tables->events.n;
    const double   longest = run->stepper.h;
    sal_candidate *list    = run->find.candidates;
    int            count, first = 0;
    bool           forces = false;
    sal_trial      trial;

    for (int e = 0; e < events; e++)
        forces = forces || run->find.hop[e].follows || (sal_events_searched(run, e) && sal_events_need_forces(run, e));
    trial = sal_stepper_make_dense(&run->stepper);
    if (trial == SAL_TRIED) trial = follow_lines(run);
    if (trial == SAL_TRIED) trial = move_to(run, 0.0, forces);
    if (trial == SAL_TRIED) sal_hops_begin(run);
    if (trial == SAL_TRIED) sal_events_arm_parts(run);
    if (trial == SAL_TRIED) sal_events_update_zeros(run);
    if (trial == SAL_TRIED) trial = search_step(run, list, &count);
    if (trial != SAL_TRIED || count == 0) return trial;
    for (int k = 1; k < count; k++) {
        if (list[k].theta < list[first].theta) first = k;
    }
    trial = polish(run, &list[first], longest);
    for (int k = 0, tries = 0; k < count && trial == SAL_TRIED && tries < count;
         k++) { /* the interpolant may have had them in the wrong order */
        const sal_candidate *c = &list[k];
        const double         h = run->stepper.h;
        if (k == first || c->before * c->after >= 0) continue;
        if (run->t1 - run->stepper.t < c->since * longest) continue; /* it has been there before, on the way up */
        if (!has_crossed(run, c)) continue;
        tries++;
        trial = polish(run, c, longest);
        if (trial != SAL_TRIED) break;
        if (run->stepper.h < h) {
            first = k;
            k     = -1;
        } else trial = polish(run, &list[first], longest); /* it begins beyond zero, and crosses later all the same */
    }
    if (trial == SAL_TRIED) find_due(run, list, count);
    return trial;
}

sal_trial sal_events_find(sal_run *run)
{
    const int all = run->stepper.active;
    sal_trial trial;

    run->find.pending.event = -1;
    run->t_step             = run->t1;
    if (run->model->tables->events.n == 0) return SAL_TRIED;
    run->stepper.active = sal_run_state_size(run); /* sensitivities do not matter for finding events */
    trial               = find_first(run);
    run->stepper.active = all;
    if (trial == SAL_TRIED && run->find.pending.event >= 0 && run->p) { /* now with them, as far as the event */
        const double t1 = run->t1;
        trial           = step_again(run, run->stepper.h);
        run->t1         = t1;
    }
    return trial;
}
