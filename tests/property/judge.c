/* judge.c - see judge.h.
 *
 *     forces      N >= 0, |T| <= mu_static N; where it slips T = -mu_kinetic N sgn(slip)
 *     positions   gap >= 0, and 0 where it is closed; lengths of bars and rods as at the start, pins together, their
 *                 rates zero
 *     compliant   N = k d^n (1 + 3/2 c d'), never negative; T = -mu N tanh(slip/slip_speed)
 *     energy      E never grows: at an event by rounding, between events by what integration leaves
 *     velocities  |v1 - v0| <= 4 h max |a| in a step; at an event they change only where there is an impulse
 *     impulses    P >= 0, |P_T| <= mu_static P
 *
 * (but for what `rest` takes away where it ends rebounds: speeds up to it, m rest^2) in comparison with
 *
 *     length   of the mechanism at the start             speed    typical one, and the fastest point so far
 *     force    sum of m g + m |a| over bodies, + |reactions|       energy   m g length + kinetic + springs
 *
 * What comes below a surface where its contact has ended, or while that is off, may be there until it has been above
 * again; what has come round the end of a line may be anywhere. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/property/judge.h"
#include "tests/property/places.h"

#define VIOLATION_NAME(name, text) #name,
#define VIOLATION_TEXT(name, text) text,
const char *const violation_names[VIOLATIONS] = { VIOLATION_LIST(VIOLATION_NAME) };
const char *const violation_texts[VIOLATIONS] = { VIOLATION_LIST(VIOLATION_TEXT) };

/* Parts of the sizes above that count as nothing. */
static const double FORCE_SMALL = 1e-7, LENGTH_SMALL = 1e-7, SPEED_SMALL = 1e-6, IMPULSE_SMALL = 1e-8,
                    IMPACT_ENERGY_SMALL = 1e-9, ENERGY_SMALL = 1e-5, DENSE_LENGTH_SMALL = 1e-6,
                    JAM_SMALL = 1e-6; /* what comes on gradually is taken to be there a little before */

enum { REACTIONS = 2 * TOUCHES + 2 * JOINTS + BODIES };

typedef struct watched { /* a pair that can touch: where its numbers are */
    const contact *law;
    const char    *name;
    bool           outside, behind;        /* it was where there is no contact; below the surface since then */
    bool           edge, unsure;           /* it was where that ends; below since then, and who knows from which side */
    int            touch, gap, rate, slip; /* touch of the model; outputs */
    int            normal, friction;       /* reactions; -1: none */
    int            row[2];                 /* constraints */
} watched;

typedef struct witness {
    const mechanism *m;
    const sal_model *model;
    verdict         *v;
    int              n, m_rows, ntouches;
    touch            names[TOUCHES];
    watched          at[TOUCHES];
    state            now;
    bool             looks;          /* at the state: outputs of the scene do not tell all */
    double           looked;         /* when gaps were last looked at */
    bool             lost[CONTACTS]; /* lines that something has come round the end of */
    int              x[POINTS];      /* coordinate of a free point; -1 */
    bool             torque[REACTIONS];
    double           length0[BODIES + JOINTS];
    double           length, speed, force, energy, weight, inertia;
    double           lowest; /* energy so far */
    double           rest;   /* speed that rebounds may be cut off at */
    bool             closed; /* by the event before: what is slower than that has been taken away, or will be */
    bool             started;
    alarm_clock     *alarm;
    double           event;              /* time of the last */
    double           t, a, *last, *mass; /* of the state seen last */
} witness;

/* What is elastic and pressed on may rebound ten thousand times: a run that goes on has this much more time. */
static const double SECONDS_PER_EVENT = 1e-3;

/* ----------------------------------------------------------------------------------------------- reporting */

static void violated(witness *w, violation which, const char *format, ...)
{
    verdict *v = w->v;
    va_list  arguments;

    if (v->first < 0) {
        v->first = (int)which;
        va_start(arguments, format);
        vsnprintf(v->violation, sizeof v->violation, format, arguments);
        va_end(arguments);
    }
    v->violated |= 1u << which;
}

/* -------------------------------------------------------------------------------------------------- loading */

sal_status load_scene(const mechanism *m, loaded *it)
{
    size_t     size = 0;
    char      *text = scene_text(m, &size), name[64];
    sal_status status;

    *it = (loaded){ 0 };
    if (!text) return SAL_ERR_MEMORY;
    snprintf(name, sizeof name, "seed %llu", m->seed);
    status = sal_context_create(NULL, &it->context);
    if (status == SAL_OK) status = sal_scene_parse(it->context, name, text, size, &it->scene);
    if (status == SAL_OK) status = sal_model_create(it->scene, &it->model);
    free(text);
    return status;
}

sal_status load(const mechanism *m, const sal_run_opts *opts, loaded *it)
{
    sal_status status = load_scene(m, it);

    if (status == SAL_OK) status = sal_run_create(it->model, opts, &it->run);
    return status;
}

void unload(loaded *it)
{
    sal_run_destroy(&it->run);
    sal_model_destroy(&it->model);
    sal_scene_destroy(&it->scene);
    sal_context_destroy(&it->context);
}

double processor_time(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

alarm_clock alarm_after(double seconds)
{
    return (alarm_clock){ processor_time() + seconds, false };
}

bool clock_over(void *alarm)
{
    alarm_clock *a = alarm;

    a->rang = a->rang || processor_time() > a->end;
    return a->rang;
}

/* -------------------------------------------------------------------------------------------------- look-up */

typedef const char *(*name_at)(const sal_model *model, int index);

static const char *reaction_name(const sal_model *model, int index)
{
    return sal_model_reaction(model, index, NULL);
}

static int find(const sal_model *model, name_at name, const char *format, ...)
{
    char        wanted[96];
    const char *found;
    va_list     arguments;

    va_start(arguments, format);
    vsnprintf(wanted, sizeof wanted, format, arguments);
    va_end(arguments);
    for (int k = 0; (found = name(model, k)); k++) {
        if (!strcmp(found, wanted)) return k;
    }
    return -1;
}

static void look_up(witness *w)
{
    const mechanism *m = w->m;

    w->ntouches = touches_of(m, w->names);
    for (int k = 0; k < w->ntouches; k++) {
        watched *t  = &w->at[k];
        t->law      = &m->contacts[w->names[k].contact];
        t->outside  = is_bounded(t->law) && is_rigid(t->law); /* it may begin behind an edge */
        t->name     = w->names[k].name;
        t->touch    = find(w->model, sal_model_touch, "%s", t->name);
        t->gap      = find(w->model, sal_model_output, "gap%d", k);
        t->rate     = find(w->model, sal_model_output, "rate%d", k);
        t->slip     = find(w->model, sal_model_output, "slip%d", k);
        t->normal   = find(w->model, reaction_name, "%s.normal", t->name);
        t->friction = find(w->model, reaction_name, "%s.friction", t->name);
        t->row[0]   = find(w->model, sal_model_constraint, "%s.n", t->name);
        t->row[1]   = find(w->model, sal_model_constraint, "%s.t", t->name);
        w->looks    = w->looks || !has_outputs(t->law) || is_bounded(t->law);
        if (t->normal < 0 || (has_outputs(t->law) && t->gap < 0) ||
            (is_rigid(t->law) && (t->touch < 0 || t->row[0] < 0)) ||
            (has_friction(t->law) && (t->friction < 0 || (is_rigid(t->law) && t->row[1] < 0)))) {
            fprintf(stderr, "seed %llu: the model does not know %s as the judge does\n", m->seed, t->name);
            exit(2);
        }
    }
    for (int k = 0; k < REACTIONS; k++) {
        const char *unit = "";
        w->torque[k]     = sal_model_reaction(w->model, k, &unit) && strcmp(unit, "N") != 0;
    }
    for (int k = 0; k < w->ntouches; k++) {
        if (w->at[k].law->kind == ANGLE_STOP) w->torque[w->at[k].normal] = true; /* though it is called a force */
    }
    for (int k = 0; k < m->npoints; k++)
        w->x[k] = m->points[k].marker >= 0 ? -1 : find(w->model, sal_model_coordinate, "x(%s)", m->points[k].name);
}

static vec point_at(const witness *w, const sal_run *run, int p, vec *velocity)
{
    double at[2], speed[2];

    sal_run_point(run, w->m->points[p].name, at, speed);
    *velocity = (vec){ speed[0], speed[1] };
    return (vec){ at[0], at[1] };
}

/* --------------------------------------------------------------------------------------------------- sizes */

static double kinetic(witness *w, const sal_run *run)
{
    const double *v   = sal_run_v(run);
    double        sum = 0.0;

    sal_run_mass(run, w->mass);
    for (int i = 0; i < w->n; i++) {
        for (int k = 0; k < w->n; k++) sum += 0.5 * v[i] * w->mass[i * w->n + k] * v[k];
    }
    return sum;
}

/* Sum over bodies of mass times the largest of x at its ends. */
static double weighed(const witness *w, const double *x)
{
    double sum = 0.0;

    for (int k = 0; k < w->m->nbodies; k++) {
        const body *b    = &w->m->bodies[k];
        double      most = 0.0;
        for (int i = 0; i < 2; i++) {
            const int c = w->x[b->end[i]];
            if (c >= 0) most = fmax(most, fabs(x[c]) + fabs(x[c + 1]));
        }
        sum += b->mass * most;
    }
    return sum;
}

static void measure(witness *w, const sal_run *run)
{
    const sal_model *model = w->model;
    const double    *v     = sal_run_v(run);

    for (int k = 0; k < w->n; k++) w->speed = fmax(w->speed, fabs(v[k]));
    w->energy = fmax(w->energy, w->weight * w->length + kinetic(w, run));
    w->force  = w->weight + weighed(w, sal_run_a(run));
    for (int k = 0; k < sal_model_get_info(model).reactions; k++)
        w->force += fabs(sal_run_reaction(run, k)) / (w->torque[k] ? w->length : 1.0);
}

static double stored(const witness *w, const sal_run *run)
{
    const sal_run_stats stats = sal_run_get_stats(run);
    double              sum   = 0.0;

    for (int k = 0; k < w->m->njoints; k++) {
        const joint *j = &w->m->joints[k];
        if (j->kind == TORSION) sum += 0.5 * j->stiffness * j->angle * j->angle;
        if (j->kind != SPRING) continue;
        const double l = vec_length(vec_minus(w->m->points[j->end[1]].at, w->m->points[j->end[0]].at)) - j->length;
        sum += 0.5 * j->stiffness * l * l;
    }
    return isfinite(stats.energy_start) ? sum : 0.0;
}

/* -------------------------------------------------------------------------------------------------- checks */

static void check_numbers(witness *w, const sal_run *run)
{
    const double *q = sal_run_q(run), *v = sal_run_v(run), *a = sal_run_a(run), *lambda = sal_run_lambda(run);
    bool          fine = isfinite(sal_run_energy(run));

    for (int k = 0; k < w->n; k++) fine = fine && isfinite(q[k]) && isfinite(v[k]) && isfinite(a[k]);
    for (int k = 0; k < w->m_rows; k++) fine = fine && isfinite(lambda[k]);
    if (!fine) violated(w, VIOLATION_number, "a number is not finite at t = %.9g s", sal_run_time(run));
}

static void look(witness *w, const sal_run *run)
{
    for (int p = 0; p < w->m->npoints && w->looks; p++) w->now.at[p] = point_at(w, run, p, &w->now.velocity[p]);
}

static double size_of(const witness *w, const watched *c)
{
    return c->law->kind == ANGLE_STOP ? 1.0 : w->length + 1e-6 * mechanism_far(w->m);
}

/* Where touch k may be: by the outputs of the scene, or by the state. */
static int find_places(const witness *w, const sal_run *run, int k, place list[PLACES])
{
    const watched *c = &w->at[k];

    if (!has_outputs(c->law)) return places_of(w->m, &w->names[k], &w->now, LENGTH_SMALL * size_of(w, c), list);
    list[0] = (place){ sal_run_output(run, c->gap), sal_run_output(run, c->rate), sal_run_output(run, c->slip) };
    return 1;
}

static void check_lines(witness *w, const sal_run *run, double part)
{
    for (int i = 0; i < w->m->ncontacts; i++) {
        const contact *c = &w->m->contacts[i];
        for (int k = 0; k < c->n && c->kind == LINE; k++) {
            const double size = w->length + 1e-6 * mechanism_far(w->m), gap = clearance(c, k, &w->now, &w->lost[i]);
            if (gap < -part * size && !w->lost[i])
                violated(w, VIOLATION_gap, "%s: %s is %.3g of %.3g m below it at t = %.9g s", c->name,
                         w->m->points[c->point[k]].name, -gap, size, sal_run_time(run));
        }
    }
}

/* Where a contact has ended what is below its surface may be there. A corner that slides off the end of an edge comes
 * below the other edge just where that ends. */
static void note_bounds(witness *w, const sal_run *run, watched *c, int k, double gap, double small)
{
    const double depth = is_bounded(c->law) ? depth_within(w->m, &w->names[k], &w->now, sal_run_time(run)) : HUGE_VAL;
    const bool   edge  = fabs(depth) < 10.0 * small;
    const bool   was_off =
        w->looked < c->law->on && sal_run_time(run) > c->law->off + 1e-9 * w->m->duration; /* for a moment, perhaps */

    if (gap >= -small) c->behind = c->unsure = false;
    else if (edge || c->edge) c->unsure = true;
    else if (depth < 0.0 || c->outside || was_off) c->behind = true;
    c->outside = depth < 0.0;
    c->edge    = edge;
}

static void check_gaps(witness *w, const sal_run *run, double part)
{
    place at[PLACES];

    look(w, run);
    check_lines(w, run, part);
    for (int k = 0; k < w->ntouches; k++) {
        watched *c = &w->at[k];
        if (c->law->kind == LINE || !find_places(w, run, k, at)) continue;
        const double gap = at[0].gap, size = size_of(w, c);
        note_bounds(w, run, c, k, gap, part * size);
        if (gap < -part * size && is_rigid(c->law) && !c->behind && !c->unsure)
            violated(w, VIOLATION_gap, "%s: gap %.3g of %.3g at t = %.9g s", c->name, gap, size, sal_run_time(run));
    }
    w->looked = sal_run_time(run);
}

/* What friction there should be for this slip, and may be where that is too small to be told: 0, less than the cone. */
static bool is_driven(const witness *w, const contact *c, double slip, double N, double T, double small)
{
    return fabs(slip) > SPEED_SMALL * w->speed && fabs(T + (slip > 0.0 ? 1.0 : -1.0) * c->mu_kinetic * N) > small;
}

static void check_closed(witness *w, const sal_run *run, const watched *c, const place *at, int n)
{
    const double t = sal_run_time(run), N = sal_run_reaction(run, c->normal),
                 small = FORCE_SMALL * w->force * (c->law->kind == ANGLE_STOP ? w->length : 1.0);
    double slip        = 0.0;
    bool   driven = true, touches = false;

    if (N < -small) violated(w, VIOLATION_pull, "%s: N = %.4g of %.4g N at t = %.9g s", c->name, N, w->force, t);
    for (int i = 0; i < n; i++) touches = touches || at[i].gap < LENGTH_SMALL * size_of(w, c);
    if (!touches)
        violated(w, VIOLATION_apart, "%s is closed, its gap is %.4g m at t = %.9g s", c->name, n ? at[0].gap : HUGE_VAL,
                 t);
    if (!has_friction(c->law)) return;
    const double T = sal_run_reaction(run, c->friction);
    for (int i = 0; i < n; i++) {
        if (i == 0 || driven) slip = at[i].slip;
        driven = driven && is_driven(w, c->law, at[i].slip, N, T, small);
    }
    if (fabs(T) > c->law->mu_static * N + small)
        violated(w, VIOLATION_cone, "%s: T = %.4g with N = %.4g, mu %.4g, slip %.3g at t = %.9g s", c->name, T, N,
                 c->law->mu_static, slip, t);
    else if (driven && n)
        violated(w, VIOLATION_drive, "%s: T = %.4g with N = %.4g, mu %.4g, slip %.3g at t = %.9g s", c->name, T, N,
                 c->law->mu_kinetic, slip, t);
}

/* Not at the instant of an event, when a contact may be on its end. */
static void check_soft(witness *w, const sal_run *run, int k, const place *at)
{
    const watched *c       = &w->at[k];
    const contact *l       = c->law;
    const bool     presses = at->gap < 0.0 && !c->outside && !c->behind;
    const double   N = sal_run_reaction(run, c->normal), T = sal_run_reaction(run, c->friction);
    const double   force =
        presses ? l->stiffness * pow(-at->gap, l->exponent) * fmax(0.0, 1.0 - 1.5 * l->damping * at->rate) : 0.0;
    const double friction = -l->mu_kinetic * force * tanh(at->slip / l->slip_speed);
    const double small    = FORCE_SMALL * w->force +
                         1e-9 * size_of(w, c) * l->stiffness * l->exponent * pow(fabs(at->gap), l->exponent - 1.0);

    if (sal_run_event(run).time == sal_run_time(run) || c->edge || c->unsure) return;
    if (fabs(N - force) > small || fabs(T - friction) > small)
        violated(w, VIOLATION_soft, "%s: N = %.4g, T = %.4g, not %.4g, %.4g; gap %.4g m at t = %.9g s", c->name, N, T,
                 force, friction, at->gap, sal_run_time(run));
}

static void check_forces(witness *w, const sal_run *run)
{
    place at[PLACES];

    for (int k = 0; k < w->ntouches; k++) {
        const watched *c     = &w->at[k];
        const bool     rigid = is_rigid(c->law);
        if (rigid && !sal_run_closed(run, c->touch)) continue;
        const int n = find_places(w, run, k, at);
        if (rigid) check_closed(w, run, c, at, n);
        else check_soft(w, run, k, at);
    }
}

static void check_distance(witness *w, const sal_run *run, const char *name, const int end[2], double length)
{
    vec          v[2];
    const vec    p = point_at(w, run, end[0], &v[0]), q = point_at(w, run, end[1], &v[1]), d = vec_minus(q, p);
    const double far = vec_length(p) + w->length, off = fabs(vec_length(d) - length);
    const double rate =
        length > 0.0 ? fabs(vec_dot(d, vec_minus(v[1], v[0]))) / length : vec_length(vec_minus(v[1], v[0]));

    if (off > LENGTH_SMALL * w->length + 1e-12 * far)
        violated(w, VIOLATION_rows, "%s: off by %.3g of %.3g m at t = %.9g s", name, off, length, sal_run_time(run));
    else if (rate > SPEED_SMALL * w->speed)
        violated(w, VIOLATION_rows, "%s: changes by %.3g of %.3g m/s at t = %.9g s", name, rate, w->speed,
                 sal_run_time(run));
}

static void check_rows(witness *w, const sal_run *run)
{
    const mechanism *m = w->m;

    for (int k = 0; k < m->nbodies; k++) {
        if (m->bodies[k].kind != POINT_MASS) check_distance(w, run, m->bodies[k].name, m->bodies[k].end, w->length0[k]);
    }
    for (int k = 0; k < m->njoints; k++) {
        const joint *j = &m->joints[k];
        if (j->kind == ROD || j->kind == REVOLUTE) check_distance(w, run, j->name, j->end, w->length0[BODIES + k]);
    }
}

static double largest(const double *x, int n)
{
    double most = 0.0;

    for (int k = 0; k < n; k++) most = fmax(most, fabs(x[k]));
    return most;
}

/* From the state seen last to the velocities v with accelerations a. */
static void check_step(witness *w, double t, const double *v, const double *a, double energy)
{
    const double most = fmax(w->a, largest(a, w->n)), hidden = w->closed ? w->rest : 0.0,
                 allowed = 4.0 * (t - w->t) * most + SPEED_SMALL * w->speed + hidden;

    for (int k = 0; k < w->n; k++) {
        if (fabs(v[k] - w->last[k]) > allowed)
            violated(w, VIOLATION_jump, "%s: its rate from %.6g to %.6g m/s in %.3g s until t = %.9g s",
                     sal_model_coordinate(w->model, k), w->last[k], v[k], t - w->t, t);
    }
    if (energy > w->lowest + ENERGY_SMALL * w->energy)
        violated(w, VIOLATION_energy, "energy from %.9g to %.9g of %.4g J until t = %.9g s", w->lowest, energy,
                 w->energy, t);
}

/* The sum of the normal impulses. */
static double impulses_of(const witness *w, const sal_event_info *e)
{
    double sum = 0.0;

    for (int k = 0; k < w->ntouches; k++) {
        if (is_rigid(w->at[k].law))
            sum += fabs(e->impulse[w->at[k].row[0]]) / (w->at[k].law->kind == ANGLE_STOP ? w->length : 1.0);
    }
    return sum;
}

static void check_impulses(witness *w, const sal_run *run, const sal_event_info *e)
{
    const double size = weighed(w, e->v_before) + weighed(w, sal_run_v(run)) + impulses_of(w, e);

    for (int k = 0; k < w->ntouches && !e->closed; k++) {
        const watched *c = &w->at[k];
        if (!is_rigid(c->law)) continue;
        const double P = e->impulse[c->row[0]], T = has_friction(c->law) ? fabs(e->impulse[c->row[1]]) : 0.0,
                     small = IMPULSE_SMALL * size * (c->law->kind == ANGLE_STOP ? w->length : 1.0);
        if (P < -small)
            violated(w, VIOLATION_impulse, "%s pulls with %.4g of %.4g N s at t = %.9g s", c->name, P, size, e->time);
        if (T > c->law->mu_static * P + fmax(small, JAM_SMALL * T))
            violated(w, VIOLATION_impulse, "%s: %.4g along and %.4g N s across at t = %.9g s", c->name, T, P, e->time);
    }
}

static void on_event(void *self, const sal_run *run)
{
    witness             *w = self;
    const sal_event_info e = sal_run_event(run);
    const double        *v = sal_run_v(run), after = sal_run_energy(run);
    double               jump = 0.0, size, hidden;

    w->v->events++;
    if (e.time > w->event) w->alarm->end += SECONDS_PER_EVENT;
    w->event = e.time;
    measure(w, run);
    if (w->started) check_step(w, e.time, e.v_before, e.a_before, e.energy_before);
    size   = w->energy + fabs(e.energy_before) * 1e-3;
    hidden = e.closed ? w->rest * (w->inertia * w->rest + impulses_of(w, &e)) : 0.0;
    if (after - e.energy_before > IMPACT_ENERGY_SMALL * size + hidden)
        violated(w, e.closed ? VIOLATION_closing : VIOLATION_impact, "%s: energy %.9g to %.9g of %.4g J at t = %.9g s",
                 e.name, e.energy_before, after, size, e.time);
    for (int k = 0; k < w->n; k++) jump = fmax(jump, fabs(v[k] - e.v_before[k]));
    if (jump > SPEED_SMALL * w->speed && largest(e.impulse, w->m_rows) == 0.0)
        violated(w, VIOLATION_jump, "%s: velocities jump by %.4g of %.4g m/s, no impulse, at t = %.9g s", e.name, jump,
                 w->speed, e.time);
    check_impulses(w, run, &e);
    w->lowest = after; /* what an event added has been said */
    w->closed = e.closed;
}

static void on_step(void *self, const sal_run *run)
{
    witness     *w = self;
    const double t = sal_run_time(run), energy = sal_run_energy(run);

    measure(w, run);
    check_numbers(w, run);
    check_gaps(w, run, LENGTH_SMALL);
    check_forces(w, run);
    check_rows(w, run);
    if (w->started && t > w->t && sal_run_event(run).time != t) {
        check_step(w, t, sal_run_v(run), sal_run_a(run), energy);
        w->closed = false;
    }
    w->lowest = fmin(w->lowest, energy);
    memcpy(w->last, sal_run_v(run), sizeof(double) * (size_t)w->n);
    w->t       = t;
    w->a       = largest(sal_run_a(run), w->n);
    w->started = true;
}

static void on_start(void *self, const sal_run *run)
{
    witness         *w = self;
    const mechanism *m = w->m;
    vec              v;

    for (int k = 0; k < m->nbodies; k++)
        w->length0[k] =
            vec_length(vec_minus(point_at(w, run, m->bodies[k].end[1], &v), point_at(w, run, m->bodies[k].end[0], &v)));
    for (int k = 0; k < m->njoints; k++) {
        const joint *j = &m->joints[k];
        if (j->kind == ROD || j->kind == REVOLUTE)
            w->length0[BODIES + k] =
                vec_length(vec_minus(point_at(w, run, j->end[1], &v), point_at(w, run, j->end[0], &v)));
        if (j->kind == REVOLUTE) w->length0[BODIES + k] = 0.0;
    }
    w->lowest = sal_run_energy(run);
    w->energy = stored(w, run);
    on_step(w, run);
}

/* Between steps: not as exact as at their ends. */
static void on_output(void *self, const sal_run *run)
{
    check_gaps(self, run, DENSE_LENGTH_SMALL);
}

/* -------------------------------------------------------------------------------------------------- the run */

static void conclude(verdict *v, sal_status status, const char *message, bool rang)
{
    v->status  = status;
    v->outcome = status == SAL_END                                       ? ENDED
                 : rang || status == SAL_STOPPED                         ? SLOW
                 : status == SAL_ERR_SCENE || status == SAL_ERR_ASSEMBLY ? REFUSED
                                                                         : FAILED;
    snprintf(v->error, sizeof v->error, "%s", status < 0 ? message : "");
    for (char *c = v->error; *c; c++) {
        if (*c == '\n') *c = c[1] ? ' ' : '\0';
    }
}

static void watch(const mechanism *m, loaded *it, verdict *v, alarm_clock *alarm)
{
    const sal_model_info info = sal_model_get_info(it->model);
    witness              w    = {
                        .m = m, .model = it->model, .v = v, .n = info.coordinates, .m_rows = info.constraints, .alarm = alarm
    };
    const sal_reader reader = { &w, on_start, on_output, on_event, on_step, NULL };
    sal_status       status;

    w.last   = calloc((size_t)w.n + 1, sizeof(double));
    w.mass   = calloc((size_t)(w.n * w.n) + 1, sizeof(double));
    w.length = mechanism_size(m);
    w.speed  = m->length / m->time;
    for (int k = 0; k < m->nbodies; k++) w.inertia += m->bodies[k].mass;
    for (int k = 0; k < m->ncontacts; k++)
        w.rest = fmax(w.rest, m->contacts[k].rest * (m->contacts[k].kind == ANGLE_STOP ? w.length : 1.0));
    w.weight = w.inertia * vec_length(m->gravity);
    if (!w.last || !w.mass) exit(2);
    look_up(&w);
    status   = sal_simulate(it->run, &reader, 1);
    v->steps = sal_run_get_stats(it->run).steps;
    conclude(v, status, sal_run_message(it->run), alarm->rang);
    free(w.last);
    free(w.mass);
}

void judge_as(const mechanism *scene, const mechanism *laws, const limits *most, verdict *v)
{
    sal_run_opts opts  = sal_run_defaults();
    const double begin = processor_time();
    alarm_clock  alarm = alarm_after(most->seconds);
    touch        list[TOUCHES];
    loaded       it;

    *v = (verdict){ .seed = scene->seed, .first = -1, .bodies = scene->nbodies, .touches = touches_of(scene, list) };
    opts.quiet              = true;
    opts.stop               = clock_over;
    opts.user               = &alarm;
    opts.max_wall           = 60.0 * most->seconds; /* others work on the machine as well */
    const sal_status status = load(scene, &opts, &it);
    if (status == SAL_OK) watch(laws, &it, v, &alarm);
    else conclude(v, status, it.context ? sal_message(it.context) : "", alarm.rang);
    unload(&it);
    v->time = processor_time() - begin;
}

void judge(const mechanism *m, const limits *most, verdict *v)
{
    judge_as(m, m, most, v);
}
