/* newton.c - the search for a periodic motion.
 *
 *     (I - P_g) dg = P(g) - g             the step of Newton's method, halved while the residual grows or no image is
 *                                         had; where that gets nowhere the motion is followed a while first
 *
 * in units of the sizes of positions, velocities and memory, by singular values (cycle.c). From a cycle that is known
 * for other parameters rho0 the first guess is g0 + dg/drho (rho - rho0); where that does not lead to a cycle the
 * parameters go there step by step, each step half as long as one that fails. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/studies/cycle.h"
#include "engine/base/vector.h"

enum { HALVINGS = 12 };

/* Newton's method gets nowhere after so many steps that hardly help; then the motion is followed so often, or until it
 * comes back as near as SAL_SETTLED. */
enum { SLOW_MAX = 4, SETTLE_MAX = 60 };

/* From known parameters to others: at most so many cycles on the way. */
enum { WAY_MAX = 60 };

enum { OPENINGS = 10 }; /* periods after which the pairs that touch should be those of the cycle */

static const double FAR       = 0.5; /* longest step of Newton's method, of the sizes of positions and velocities */
static const double WAY_LEAST = 1.0 / 1024.0; /* shortest step of parameters, of the way */

double sal_cycle_distance(const sal_cycle *c, const double *x, const double *y)
{
    double most = 0.0;

    for (int k = 0; k < c->state; k++) most = fmax(most, fabs(x[k] - y[k]) / c->scale[k]);
    return most;
}

double sal_cycle_residual(const sal_cycle *c, const sal_image *m)
{
    return sal_cycle_distance(c, m->end, m->g);
}

void sal_cycle_matrix(const sal_cycle *c, const sal_image *m, double *matrix, int size)
{
    for (int i = 0; i < c->size; i++) {
        for (int j = 0; j < c->size; j++)
            matrix[j * size + i] = (i == j) - SAL_ROW(m->dend, i, c->w)[j] * c->scale[j] / c->scale[i];
    }
}

void sal_cycle_accept(sal_cycle *c)
{
    const sal_run_stats stats = sal_run_get_stats(c->run);

    c->typical   = c->now.period / c->opts.steps;
    c->run_steps = stats.steps + stats.rejected;
}

void sal_cycle_swap(sal_cycle *c)
{
    const sal_image last = c->now;

    c->now   = c->trial;
    c->trial = last;
    sal_cycle_accept(c);
}

/* The size of a memory: of its numbers, and of what it is set to when the state changes by its own size. */
static double size_of_memory(const sal_cycle *c, int k)
{
    double size = fmax(fabs(c->now.g[k]), fabs(c->now.end[k]));

    for (int j = 0; j < 2 * c->n && k < c->size; j++)
        size = fmax(size, fabs(SAL_ROW(c->now.dend, k, c->w)[j]) * c->scale[j]);
    return size > 0.0 ? size : 1.0;
}

/* Sizes of positions and of velocities, for all alike; positions may all be zero but for rounding, and velocities where
 * a motion that a clock drives turns back. */
static void measure(sal_cycle *c)
{
    const double period = c->now.period / c->opts.steps;
    double       size = 0.0, speed = 0.0;

    for (int k = 0; k < c->n; k++) {
        size  = fmax(size, fmax(fabs(c->now.start[k]), fabs(c->now.end[k])));
        speed = fmax(speed, fmax(fabs(c->now.start[c->n + k]), fabs(c->now.end[c->n + k])));
    }
    if (c->section < 0) speed = fmax(speed, size / period);
    size = fmax(size, speed * period);
    for (int k = 0; k < c->n; k++) {
        c->scale[k]        = size > 0.0 ? size : 1.0;
        c->scale[c->n + k] = speed > 0.0 ? speed : 1.0;
    }
    for (int k = 2 * c->n; k < c->state; k++) c->scale[k] = size_of_memory(c, k);
}

/* dg into c->rhs, scaled. */
static sal_status newton_direction(sal_cycle *c)
{
    const int size = c->size;
    int       rank;

    sal_cycle_matrix(c, &c->now, c->matrix, size);
    for (int k = 0; k < size; k++) c->rhs[k] = (c->now.end[k] - c->now.g[k]) / c->scale[k];
    return sal_dense_solve(&c->dense, size, c->matrix, 1, c->rhs, SAL_CYCLE_NEUTRAL, &rank);
}

/* Whether the map does not depend on a number of the state: memory that is set before it is read, or only decides. */
static bool has_no_influence(const sal_cycle *c, int k)
{
    if (k < 2 * c->n) return false;
    for (int i = 0; i < c->size && k < c->size; i++) {
        if (SAL_ROW(c->now.dend, i, c->w)[k] != 0.0) return false;
    }
    return true;
}

/* The part `length` of the step, in c->rhs. What has no influence is where the map takes it, and goes with the rest. */
static void take_part(sal_cycle *c, double length)
{
    for (int k = 0; k < c->state; k++) {
        const double full = k < c->size ? c->rhs[k] * c->scale[k] : 0.0, off = c->now.end[k] - c->now.g[k];
        if (!has_no_influence(c, k)) c->trial.g[k] = c->now.g[k] + length * full;
        else c->trial.g[k] = c->now.end[k] + (k < c->size ? length * (full - off) : 0.0);
    }
}

/* A part of the direction that makes the residual smaller: SAL_OK, SAL_ERR_CYCLE: there is none. */
static sal_status newton_step(sal_cycle *c)
{
    const double now    = sal_cycle_residual(c, &c->now);
    sal_status   status = newton_direction(c);
    double       length, most = 0.0;

    for (int k = 0; k < c->size; k++) most = has_no_influence(c, k) ? most : fmax(most, fabs(c->rhs[k]));
    length = fmin(1.0, FAR / most); /* farther away the motion is another one */
    for (int i = 0; i < HALVINGS && status == SAL_OK; i++, length *= 0.5) {
        take_part(c, length);
        status = sal_cycle_image(c, &c->trial);
        if (sal_cycle_fatal(status)) return status;
        if (status == SAL_OK && c->trial.period > SAL_SHORT_PERIOD * c->now.period &&
            sal_cycle_residual(c, &c->trial) < (1.0 - 1e-3 * length) * now) {
            sal_cycle_swap(c);
            return SAL_OK;
        }
        if (status == SAL_OK) c->why[0] = '\0';
        status = SAL_OK;
    }
    return SAL_ERR_CYCLE;
}

/* Newton's method from the image at hand: SAL_OK, SAL_ERR_CYCLE: it gets nowhere. */
static sal_status newton(sal_cycle *c)
{
    int slow = 0;

    for (int i = 0; sal_cycle_residual(c, &c->now) > c->opts.tolerance; i++, c->iterations++) {
        const double last = sal_cycle_residual(c, &c->now);
        sal_status   status;
        if (i == c->opts.iterations) return SAL_ERR_CYCLE;
        status = newton_step(c);
        if (sal_cycle_fatal(status)) return status;
        if (status != SAL_OK) return last <= 100.0 * c->opts.tolerance ? SAL_OK : status; /* as rounding allows */
        slow = sal_cycle_residual(c, &c->now) > 0.8 * last ? slow + 1 : 0;
        if (slow == SLOW_MAX) return SAL_ERR_CYCLE;
    }
    return SAL_OK;
}

/* The motion itself, from the first guess: a stable cycle is where it leads to. Where it ends, or goes on and on, the
 * start on the way that came back nearest is taken. */
static sal_status settle(sal_cycle *c)
{
    const size_t size   = sizeof(double) * (size_t)c->state;
    double       best   = HUGE_VAL;
    sal_status   status = SAL_OK;

    memcpy(c->trial.g, c->guess, size);
    for (int i = 0; i < SETTLE_MAX && best > SAL_SETTLED; i++) {
        status = sal_cycle_image(c, &c->trial);
        if (sal_cycle_fatal(status) || (status != SAL_OK && i == 0)) return status;
        if (status != SAL_OK) { /* so far it went well */
            snprintf(c->ends, sizeof c->ends, "; followed from the start it ends after %d: %.300s", i, c->why);
            break;
        }
        sal_cycle_swap(c);
        if (sal_cycle_residual(c, &c->now) < best) {
            best = sal_cycle_residual(c, &c->now);
            memcpy(c->guess, c->now.g, size);
        }
        memcpy(c->trial.g, c->now.end, size);
    }
    if (best < sal_cycle_residual(c, &c->now)) {
        memcpy(c->trial.g, c->guess, size);
        status = sal_cycle_image(c, &c->trial);
        if (status != SAL_OK) return status;
        sal_cycle_swap(c);
    }
    measure(c);
    return SAL_OK;
}

/* What of the state differs most after the map. */
static int worst(const sal_cycle *c)
{
    int    which = 0;
    double most  = -1.0;

    for (int k = 0; k < c->state; k++) {
        const double off = fabs(c->now.end[k] - c->now.g[k]) / c->scale[k];
        if (off > most) most = off, which = k;
    }
    return which;
}

static const char *remedy(const sal_cycle *c, int k)
{
    const sal_cycle_def *def   = &c->model->tables->cycle;
    bool                 keeps = def->memory && c->state > 2 * c->n;

    for (int i = 0; i < c->model->tables->memory.n; i++) keeps = keeps && def->memory[i] == i;
    if (keeps) return "points exchange their roles and memory does not: perhaps 'exchange' should name it too";
    if (k >= c->size)
        return "what is read by conditions alone must come back as it is: with more steps, or another start";
    return "a start nearer to the cycle is needed";
}

/* Why there is none, or why none was found. */
static sal_status give_up(sal_cycle *c)
{
    const int   k = worst(c);
    const char *name =
        k < 2 * c->n ? sal_model_coordinate(c->model, k % c->n) : sal_model_memory(c->model, c->memory[k - 2 * c->n]);
    char most[200], beyond[600] = "";

    if (c->why[0]) snprintf(beyond, sizeof beyond, ", and beyond: %.500s", c->why);
    if (k >= 2 * c->n)
        snprintf(most, sizeof most, "the memory '%s', which goes from %.9g to %.9g", name, c->now.g[k], c->now.end[k]);
    else snprintf(most, sizeof most, "%s%s", k < c->n ? "" : "v", name);
    return sal_cycle_because(
        c, SAL_ERR_CYCLE,
        "no cycle was found from this start: after %d iterations the state after %s still differs by %.3g "
        "of its size, most in %s%s%s; %s",
        c->iterations, sal_cycle_closes(c), sal_cycle_residual(c, &c->now), most, beyond, c->ends, remedy(c, k));
}

/* A memory that grows by the same from step to step, whatever the start: then there is no cycle. */
static sal_status refuse_growth(sal_cycle *c)
{
    for (int k = 2 * c->n; k < c->size; k++) {
        const double grows = c->now.end[k] - c->now.g[k];
        double       most  = 0.0;
        for (int j = 0; j < c->size; j++)
            most = fmax(most, fabs((j == k) - SAL_ROW(c->now.dend, k, c->w)[j]) * c->scale[j] / c->scale[k]);
        if (most > SAL_CYCLE_NEUTRAL || !(fabs(grows) > c->opts.tolerance * c->scale[k])) continue;
        return sal_cycle_because(
            c, SAL_ERR_CYCLE,
            "there is no cycle: the memory '%s' changes by %.9g with every return, whatever the start, "
            "and the motion depends on it",
            sal_model_memory(c->model, c->memory[k - 2 * c->n]), grows);
    }
    return SAL_OK;
}

sal_status sal_cycle_check(sal_cycle *c, const sal_image *m)
{
    const double gap  = sal_cycle_distance(c, m->start, m->g),
                 most = sal_run_get_opts(c->run).form == SAL_PENALTY ? SAL_START_FITS_PENALTY : SAL_START_FITS;

    if (c->section >= 0 && !(m->period > SAL_NO_PERIOD * c->first)) {
        return sal_cycle_because(c, SAL_ERR_CYCLE, "the motion comes to rest: the period has shrunk to %.3g s",
                                 m->period);
    }
    if (gap <= most) return SAL_OK;
    return sal_cycle_because(
        c, SAL_ERR_CYCLE,
        "the state after %s does not fit the constraints of the start: assembly moves it by "
        "%.3g of its size; look at 'exchange', of points and memory, and 'origin' of the scene's cycle",
        sal_cycle_closes(c), gap);
}

/* The first guess may lie anywhere, just before the section too; one step on, a start lies behind it. That is taken
 * where it is nearer to a cycle. */
static sal_status first_image(sal_cycle *c)
{
    const bool fresh  = c->typical == 0.0;
    sal_status status = sal_cycle_image(c, &c->now);

    for (int i = 0; i < OPENINGS && c->opened; i++) { /* where it leads to, others may touch */
        memcpy(c->closed, c->carried, sizeof *c->closed * (size_t)c->pairs);
        memcpy(c->now.g, c->at, sizeof(double) * (size_t)c->state);
        status = sal_cycle_image(c, &c->now);
    }
    if (status != SAL_OK) return status;
    c->first = c->now.period;
    measure(c);
    if (fresh && sal_cycle_residual(c, &c->now) > c->opts.tolerance) {
        memcpy(c->trial.g, c->now.end, sizeof(double) * (size_t)c->state);
        status = sal_cycle_image(c, &c->trial);
        if (sal_cycle_fatal(status)) return status;
        if (status == SAL_OK && sal_cycle_residual(c, &c->trial) < sal_cycle_residual(c, &c->now)) {
            sal_cycle_swap(c);
            c->first = c->now.period;
            measure(c);
        }
    }
    sal_cycle_accept(c);
    memcpy(c->guess, c->now.g, sizeof(double) * (size_t)c->state);
    return refuse_growth(c);
}

void sal_cycle_guess_home(sal_cycle *c)
{
    if (c->guessed) return;
    memcpy(c->now.g, sal_run_q(c->home), sizeof(double) * (size_t)c->n);
    memcpy(c->now.g + c->n, sal_run_v(c->home), sizeof(double) * (size_t)c->n);
    for (int k = 2 * c->n; k < c->state; k++) c->now.g[k] = sal_run_memory(c->home, c->memory[k - 2 * c->n]);
    for (int k = 0; k < c->pairs; k++) c->closed[k] = sal_run_closed(c->home, k);
    c->guessed = true;
}

/* What is moved back although the motion notices may be why there is no cycle. */
static sal_status blame_symmetry(sal_cycle *c, sal_status status)
{
    char because[sizeof c->why];

    memcpy(because, c->why, sizeof because);
    if (sal_cycle_check_symmetry(c) == SAL_ERR_SCENE) return SAL_ERR_SCENE;
    memcpy(c->why, because, sizeof because);
    return status;
}

/* From the guess in now.g: Newton's method, and where it gets nowhere and `patient` the motion itself first. */
static sal_status search(sal_cycle *c, bool patient)
{
    sal_status status;

    c->iterations = 0;
    c->why[0] = c->ends[0] = '\0';
    status                 = first_image(c);
    if (status != SAL_OK) return status;
    status = newton(c);
    if (status == SAL_ERR_CYCLE && patient) {
        status = settle(c);
        if (status == SAL_OK) status = newton(c);
    }
    if (sal_cycle_fatal(status)) return status;
    status = status == SAL_OK ? sal_cycle_check(c, &c->now) : give_up(c);
    if (status != SAL_OK && patient) status = blame_symmetry(c, status);
    return status;
}

/* ---------------------------------------------------------------------------- from a known cycle */

/* Sets the parameters of all runs; the home of the origin moves with them. */
static sal_status use_parameters(sal_cycle *c, const double *given)
{
    const size_t size   = sizeof *given * (size_t)c->model->tables->parameters.n;
    sal_run     *runs[] = { c->home, c->run, c->plain };
    sal_status   status;

    for (int k = 0; k < SAL_COUNT(runs); k++) {
        if (runs[k]) memcpy(runs[k]->given, given, size);
    }
    status = sal_run_restart(c->home);
    return status == SAL_OK ? SAL_OK : sal_cycle_because(c, status, "%s", sal_run_message(c->home));
}

/* now.g = g0 + dg/drho (rho - rho0), as far as there are derivatives. */
static void predict(sal_cycle *c)
{
    const sal_known *k = &c->known;

    memcpy(c->now.g, k->g, sizeof *k->g * (size_t)c->state);
    memcpy(c->closed, k->closed, sizeof *k->closed * (size_t)c->pairs);
    for (int j = 0; j < c->p; j++) {
        const int    i    = sal_names_find(&c->model->tables->parameter_names, c->wrt[j]);
        const double step = sal_run_parameter(c->home, i) - k->value[i];
        if (isnan(c->home->given[i])) continue; /* it follows others, which have columns of their own */
        for (int s = 0; s < c->size && step != 0.0; s++) {
            if (isfinite(k->dg[s * c->p + j])) c->now.g[s] += k->dg[s * c->p + j] * step;
        }
    }
}

/* From the known cycle to the parameters `target` (NaN: by its expression), step by step. */
static sal_status go_to(sal_cycle *c, const double *target)
{
    const int count = c->model->tables->parameters.n;
    double    done = 0.0, part = 1.0, *from = c->way, *now = c->way + count;

    memcpy(from, c->known.value, sizeof *from * (size_t)count);
    for (int i = 0; i < WAY_MAX && part >= WAY_LEAST; i++) {
        const double next = fmin(1.0, done + part);
        sal_status   status;
        for (int k = 0; k < count; k++)
            now[k] = next == 1.0 || isnan(target[k]) ? target[k] : from[k] + next * (target[k] - from[k]);
        status = use_parameters(c, now);
        if (status == SAL_OK) {
            predict(c);
            status = search(c, false);
        }
        if (status == SAL_OK) status = sal_cycle_finish(c);
        if (sal_cycle_fatal(status)) return status;
        if (status != SAL_OK) {
            part *= 0.5;
            continue;
        }
        done = next;
        part *= 2.0;
        if (done == 1.0) return SAL_OK;
    }
    return SAL_ERR_CYCLE;
}

/* From the cycle of the scene's own parameters to those that have been set. */
static sal_status come_from_home(sal_cycle *c, const double *target)
{
    const int  count  = c->model->tables->parameters.n;
    double    *own    = c->way;
    bool       others = false;
    sal_status status;

    for (int k = 0; k < count; k++) {
        others = others || !isnan(target[k]);
        own[k] = NAN;
    }
    if (!others) return SAL_ERR_CYCLE;
    c->guessed = false;
    c->typical = 0.0;
    status     = use_parameters(c, own);
    if (status == SAL_OK) {
        sal_cycle_guess_home(c);
        status = search(c, true);
    }
    if (status == SAL_OK) status = sal_cycle_finish(c);
    if (status != SAL_OK) return status;
    return go_to(c, target);
}

/* All ways to a cycle, the nearest first; what the last of them says is why there is none. */
static sal_status find(sal_cycle *c, const double *target)
{
    const bool known  = c->known.found && !c->set;
    sal_status status = SAL_ERR_CYCLE;
    char       because[sizeof c->why];

    if (known) {
        predict(c);
        status = search(c, false);
        if (status != SAL_OK && !sal_cycle_fatal(status)) status = go_to(c, target);
        if (status == SAL_OK || sal_cycle_fatal(status)) return status;
        status = use_parameters(c, target);
        if (status != SAL_OK) return status;
        memcpy(c->now.g, c->known.g, sizeof(double) * (size_t)c->state);
        memcpy(c->closed, c->known.closed, sizeof *c->closed * (size_t)c->pairs);
    }
    status = search(c, true);
    if (status == SAL_OK || status == SAL_ERR_SCENE || sal_cycle_fatal(status) || known || c->set) return status;
    memcpy(because, c->why, sizeof because);
    if (come_from_home(c, target) == SAL_OK) return SAL_OK;
    memcpy(c->why, because, sizeof because);
    use_parameters(c, target);
    return status;
}

sal_status sal_cycle_find(sal_cycle *c)
{
    double    *target = c->target;
    sal_status status;

    sal_cycle_guess_home(c);
    memcpy(target, c->home->given, sizeof *target * (size_t)c->model->tables->parameters.n);
    status = find(c, target);
    c->set = false;
    if (status == SAL_OK) status = sal_cycle_check_symmetry(c);
    if (status == SAL_OK) status = sal_cycle_finish(c);
    if (status == SAL_OK || status == SAL_STOPPED) return status;
    if (!c->known.found) { /* where this has led to is no guess for the next time */
        c->guessed = false;
        c->typical = 0.0;
    }
    return status == SAL_ERR_MEMORY ? sal_out_of_memory(c->context) : sal_fail(c->context, status, "%s", c->why);
}
