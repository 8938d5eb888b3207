/* equivalent.c - whether the variants of a mechanism move like it, until chaos takes over.
 *
 * Chaos is measured, not guessed. The mechanism runs again with every number that its motion depends on (masses,
 * gravity, stiffness, restitution, friction, velocities; heights of the ground where nothing touches at first) changed
 * by part d of itself, at d = 1e-10 and twice at 1e-7. Largest so far of
 *
 *     amplification(t) = |change of positions / length, of velocities / speed, of event times / time| / d
 *
 * is what a relative error made anywhere on the way can grow to by t: the changes act at all times, not at the start
 * only. Where one of these runs has another sequence of events the motion is decided by less than 1e-7: the comparison
 * ends there (the horizon), and where the tolerance
 *
 *     100 amplification(t) e,     e: relative error that the variant brings with it (variants.h)
 *
 * exceeds 1e-4. Before that a variant has to have events at the same instants and the same positions and velocities,
 * all within the tolerance. What happens at one instant counts once: which of several contacts an event is named after,
 * and whether a contact that lands sticks at once or by an event, depends on the order of the scene and on rounding.
 * Touches that graze change nothing and are not counted. Where a run ends with an error the others must, too. */
#include <stdlib.h>
#include <string.h>

#include "tests/property/judge.h"
#include "tests/property/variants.h"

enum { SAMPLES = 64, EVENTS = 4096, CHANGED = 3 };

static const double CHANGE[CHANGED] = { 1e-10, 1e-7, 1e-7 }, FACTOR = 100.0, TOO_MUCH = 1e-4;
static const double INSTANT = 1e-7; /* of the duration */

typedef struct happened { /* at one instant */
    char     name[NAME];  /* of the first */
    double   time;
    unsigned kinds; /* bit by bit */
    double   speed; /* of the slowest touch */
} happened;

typedef struct history {
    const mechanism *base; /* whose points are looked at */
    mapping          f;
    double           instant;
    int              samples, nevents;
    vec              at[SAMPLES + 2][POINTS], velocity[SAMPLES + 2][POINTS];
    happened         events[EVENTS];
    sal_status       status;
    bool             slow;
} history;

/* ------------------------------------------------------------------------------------------------ recording */

static void on_output(void *self, const sal_run *run)
{
    history *h = self;

    if (h->samples > SAMPLES) return;
    for (int k = 0; k < h->base->npoints; k++) {
        double at[2], v[2];
        sal_run_point(run, h->base->points[k].name, at, v);
        h->at[h->samples][k]       = map_back(&h->f, (vec){ at[0], at[1] }, false);
        h->velocity[h->samples][k] = map_back(&h->f, (vec){ v[0], v[1] }, true);
    }
    h->samples++;
}

static unsigned kind_of_event(const char *name)
{
    static const char *const ends[] = { ".release", ".slip", ".stick" };

    if (strstr(name, ".leave") || !strncmp(name, "on_", 3) || !strncmp(name, "off_", 4)) return 2u; /* lets go */
    for (unsigned k = 0; k < 3; k++) {
        const size_t n = strlen(ends[k]), all = strlen(name);
        if (all > n && !strcmp(name + all - n, ends[k])) return 2u << k;
    }
    return 1u;
}

static void add_event(history *h, const char *name, double time, unsigned kind, double speed)
{
    happened *last = h->nevents > 0 ? &h->events[h->nevents - 1] : NULL;

    if (last && time - last->time <= h->instant && kind < 16u) {
        last->kinds |= kind;
        last->speed = fmin(last->speed, speed);
    } else if (h->nevents < EVENTS) {
        happened *next = &h->events[h->nevents++];
        next->time     = time;
        next->kinds    = kind;
        next->speed    = speed;
        snprintf(next->name, sizeof next->name, "%s", name);
    }
}

/* Of a touch: what angles turn at, as a speed. */
static double speed_of(const history *h, const sal_event_info *e)
{
    const size_t n = strcspn(e->name, ".");

    for (int k = 0; k < h->base->ncontacts; k++) {
        const contact *c = &h->base->contacts[k];
        if (strlen(c->name) == n && !strncmp(c->name, e->name, n) && c->kind == ANGLE_STOP)
            return fabs(e->rate) * h->base->length;
    }
    return fabs(e->rate);
}

static void on_event(void *self, const sal_run *run)
{
    const sal_event_info e = sal_run_event(run);

    const unsigned kind = kind_of_event(e.name);

    if (!e.grazing) add_event(self, e.name, e.time, kind, kind == 1u ? speed_of(self, &e) : HUGE_VAL);
}

static history *record(const mechanism *base, const mechanism *m, const mapping *f, const limits *most)
{
    history         *h      = calloc(1, sizeof *h);
    sal_run_opts     opts   = sal_run_defaults();
    alarm_clock      alarm  = alarm_after(most->seconds);
    const sal_reader reader = { h, NULL, on_output, on_event, NULL, NULL };
    loaded           it;

    if (!h) exit(2);
    h->base    = base;
    h->f       = *f;
    h->instant = INSTANT * m->duration;
    opts.quiet = true;
    opts.stop  = clock_over;
    opts.user  = &alarm;
    h->status  = load(m, &opts, &it);
    if (h->status == SAL_OK) h->status = sal_simulate(it.run, &reader, 1);
    h->slow = alarm.rang;
    add_event(h, sal_status_name(h->status), it.run && h->status != SAL_END ? sal_run_time(it.run) : m->duration,
              16u + (unsigned)abs((int)h->status), HUGE_VAL);
    unload(&it);
    return h;
}

/* ------------------------------------------------------------------------------------------------- comparing */

typedef struct comparison {
    const mechanism *m;
    history         *base;
    double           speed, horizon;
    double           grown[SAMPLES + 2]; /* amplification up to a sample */
    double           shifted[EVENTS];    /* of the time of an event, and up to it */
} comparison;

static double sample_time(const comparison *c, int s)
{
    return c->m->duration * s / SAMPLES;
}

static int events_before(const history *h, double t)
{
    int n = 0;

    for (int k = 0; k < h->nevents; k++) n += h->events[k].time < t;
    return n;
}

/* Largest difference at a sample, relative; velocities only where both are between the same events. */
static double apart(const comparison *c, const history *h, int s)
{
    const double t    = sample_time(c, s);
    const bool   both = events_before(c->base, t) == events_before(h, t);
    double       most = 0.0;

    for (int k = 0; k < c->m->npoints; k++) {
        most = fmax(most, vec_length(vec_minus(h->at[s][k], c->base->at[s][k])) / c->m->length);
        if (both) most = fmax(most, vec_length(vec_minus(h->velocity[s][k], c->base->velocity[s][k])) / c->speed);
    }
    return isfinite(most) ? most : HUGE_VAL;
}

static void learn_from(comparison *c, const history *h, double change)
{
    int k = 0;

    for (; k < c->base->nevents && k < h->nevents; k++) {
        const happened *a = &c->base->events[k], *b = &h->events[k];
        if (a->kinds != b->kinds) {
            c->horizon = fmin(c->horizon, fmin(a->time, b->time));
            break;
        }
        c->shifted[k] = fmax(c->shifted[k], fabs(a->time - b->time) / c->m->time / change);
    }
    if (k == c->base->nevents && h->nevents > k) c->horizon = fmin(c->horizon, h->events[k].time);
    if (k == h->nevents && c->base->nevents > k) c->horizon = fmin(c->horizon, c->base->events[k].time);
    for (int s = 0; s < c->base->samples && s < h->samples; s++)
        c->grown[s] = fmax(c->grown[s], apart(c, h, s) / change);
}

/* The largest so far, of samples and events together. */
static void accumulate(comparison *c)
{
    double most = 1.0;
    int    e    = 0;

    for (int s = 0; s <= SAMPLES; s++) {
        for (; e < c->base->nevents && c->base->events[e].time <= sample_time(c, s); e++)
            c->shifted[e] = most = fmax(most, c->shifted[e]);
        c->grown[s] = most = fmax(most, c->grown[s]);
    }
    for (; e < c->base->nevents; e++) c->shifted[e] = most;
}

/* Where the tolerance says nothing any more. */
static double horizon_of(const comparison *c, variant which)
{
    const double error = variant_error[which];
    double       end   = c->horizon;

    for (int s = 0; s <= SAMPLES; s++) {
        if (FACTOR * c->grown[s] * error > TOO_MUCH) return fmin(end, sample_time(c, s > 0 ? s - 1 : 0));
    }
    return end;
}

static bool ends_run(const happened *e)
{
    return e->kinds >= 16u;
}

/* When the variant differs for the first time, before the horizon, and how; HUGE_VAL: it does not. */
static double differs(const comparison *c, const history *h, variant which, char *text, size_t room)
{
    const double error = variant_error[which], end = horizon_of(c, which), near = INSTANT * c->m->duration;

    for (int k = 0; k < c->base->nevents || k < h->nevents; k++) {
        const happened *a  = k < c->base->nevents ? &c->base->events[k] : NULL,
                       *b  = k < h->nevents ? &h->events[k] : NULL;
        const double t     = fmin(a ? a->time : HUGE_VAL, b ? b->time : HUGE_VAL);
        const double slack = FACTOR * error * c->m->time * (k < c->base->nevents ? c->shifted[k] : 1.0) + near;
        if (t > end - slack) break;
        if (!a || !b || ends_run(a) != ends_run(b) || (ends_run(a) && a->kinds != b->kinds) ||
            fabs(a->time - b->time) > slack) {
            snprintf(text, room, "%s at t = %.12g s, not %s at %.12g s; %.2g s may be", b ? b->name : "nothing",
                     b ? b->time : 0.0, a ? a->name : "nothing", a ? a->time : 0.0, slack);
            return t;
        }
    }
    for (int s = 0; s < c->base->samples && s < h->samples && sample_time(c, s) < end; s++) {
        if (apart(c, h, s) <= FACTOR * error * c->grown[s]) continue;
        snprintf(text, room, "apart by %.3g at t = %.9g s; %.2g may be", apart(c, h, s), sample_time(c, s),
                 FACTOR * error * c->grown[s]);
        return sample_time(c, s);
    }
    return HUGE_VAL;
}

/* When rebounds have become so slow that they may end otherwise. */
static double slow_from(const comparison *c, variant which)
{
    for (int k = 0; k < c->base->nevents; k++) {
        if (c->base->events[k].speed < variant_slow[which] * c->m->length / c->m->time) return c->base->events[k].time;
    }
    return HUGE_VAL;
}

static double fastest(const history *h, double least)
{
    for (int s = 0; s < h->samples; s++) {
        for (int k = 0; k < h->base->npoints; k++) least = fmax(least, vec_length(h->velocity[s][k]));
    }
    return least;
}

static void compare_variants(comparison *c, const mechanism *m, const limits *most, double spoilt, verdict *v)
{
    dice d = { m->seed };

    for (int k = 0; k < VARIANTS; k++) {
        mechanism other;
        mapping   f;
        char      text[160];
        if (!(most->variants >> k & 1) || !make_variant(m, (variant)k, &other, &f)) continue;
        if (spoilt > 0.0) perturb(&other, &d, spoilt);
        history     *h    = record(m, &other, &f, most);
        const double t    = h->slow ? HUGE_VAL : differs(c, h, (variant)k, text, sizeof text);
        const bool   late = t >= slow_from(c, (variant)k) && t < HUGE_VAL;
        if (t < HUGE_VAL && ((!late && !v->broken) || !(v->broken | v->rebounds)))
            snprintf(v->equivalence, sizeof v->equivalence, "%s%s: %s", variant_names[k],
                     late ? " after slow rebounds" : "", text);
        if (late) v->rebounds |= 1u << k;
        else if (t < HUGE_VAL) v->broken |= 1u << k;
        free(h);
    }
}

void check_equivalents(const mechanism *m, const limits *most, double spoilt, verdict *v)
{
    const mapping same  = { .u = { 1.0, 0.0 }, .length = 1.0 };
    comparison   *c     = calloc(1, sizeof *c);
    dice          d     = { m->seed ^ UINT64_C(0x9e6c63d0876a9a47) };
    mechanism     tight = *m;

    if (!c) exit(2);
    tight.rtol = COMPARED_RTOL;
    *c         = (comparison){ .m = &tight, .horizon = m->duration };
    c->base    = record(&tight, &tight, &same, most);
    c->speed   = fastest(c->base, m->length / m->time);
    for (int k = 0; k < CHANGED && !c->base->slow; k++) {
        mechanism other = tight;
        perturb(&other, &d, CHANGE[k]);
        history *h = record(&tight, &other, &same, most);
        learn_from(c, h, CHANGE[k]);
        free(h);
    }
    accumulate(c);
    v->horizon  = c->base->slow ? 0.0 : horizon_of(c, VARIANT_turned) / m->duration;
    v->compared = v->horizon > 0.0;
    if (v->compared) compare_variants(c, &tight, most, spoilt, v);
    free(c->base);
    free(c);
}
