/* derivatives.c - two random parameters of a mechanism and an initial value through sal_verify.
 *
 * Left out are numbers at which the motion has a kink, not a derivative: restitution 0 and 1, and coefficients of
 * friction that are equal, of which the engine takes the larger. */
#include <stdlib.h>
#include <string.h>

#include "tests/property/judge.h"

static const double TOLERANCE = 1e-5; /* of differences that have rounding and steps in them */

/* Changes of times, positions and velocities, for a change of the parameter by all of itself, of their typical ones: what
 * is less is noise, of a mechanism at rest for example. */
static const double NOTHING = 1e-9;

enum { ASKED = 2 };

typedef struct candidate {
    char   name[NAME];
    double value;
} candidate;

typedef struct count {
    const mechanism *m;
    verdict         *v;
    const candidate *asked[ASKED];
    double           worst;
} count;

static bool is_noise(const count *c, const sal_verify_item *item)
{
    const candidate *p = c->asked[1] && !strcmp(item->wrt, c->asked[1]->name) ? c->asked[1] : c->asked[0];
    const double most = fabs(p->value) * fmax(fabs(item->exact), fabs(item->numeric)), l = c->m->length, t = c->m->time;

    if (!strncmp(item->what, "time", 4)) return most < NOTHING * t;
    if (item->what[0] == 'v') return most < NOTHING * l / t;
    if (item->what[0] == 'x' || item->what[0] == 'y') return most < NOTHING * l;
    return false;
}

static void on_item(void *user, const sal_verify_item *item)
{
    count *c = user;

    c->v->derivatives++;
    if (!item->known) c->v->unknown++;
    else if (!item->good && !is_noise(c, item)) {
        c->v->wrong++;
        if (!(item->difference > c->worst)) return;
        c->worst = item->difference;
        snprintf(c->v->derivative, sizeof c->v->derivative, "%s wrt %s: %.9g, by differences %.9g", item->what,
                 item->wrt, item->exact, item->numeric);
    }
}

static void add(candidate *list, int *n, const char *letter, const char *name, double value)
{
    candidate *it = &list[(*n)++];

    snprintf(it->name, sizeof it->name, "%s%s", letter, name);
    it->value = value;
}

/* Where a free point starts, or how fast: by typical lengths and speeds. */
static int add_starts(const mechanism *m, candidate *list)
{
    int n = 0;

    for (int k = 0; k < m->npoints; k++) {
        static const char *const parts[] = { "x", "y", "vx", "vy" };
        const point             *p       = &m->points[k];
        if (p->fixed || p->marker >= 0) continue;
        for (int i = 0; i < 4; i++) {
            candidate *it = &list[n++];
            snprintf(it->name, sizeof it->name, "initial(%s.%s)", p->name, parts[i]);
            it->value = i < 2 ? m->length : m->length / m->time;
        }
    }
    return n;
}

static int candidates(const mechanism *m, candidate *list)
{
    int n = 0;

    add(list, &n, "g", "", vec_length(m->gravity));
    for (int k = 0; k < m->nbodies; k++) add(list, &n, "m_", m->bodies[k].name, m->bodies[k].mass);
    for (int k = 0; k < m->ncontacts; k++) {
        const contact *c = &m->contacts[k];
        if (c->law == IMPACT && c->restitution > 0.0 && c->restitution < 1.0)
            add(list, &n, "e_", c->name, c->restitution);
        if (has_friction(c) && (c->mu_static > c->mu_kinetic || !is_rigid(c)))
            add(list, &n, "k_", c->name, c->mu_kinetic);
    }
    return n;
}

static void verify(count *c, const sal_model *model, const limits *most)
{
    alarm_clock  alarm = alarm_after(3.0 * most->seconds);
    sal_run_opts opts  = sal_run_defaults();
    const char  *wrt[ASKED];
    int          bad;

    opts.quiet    = true;
    opts.wrt      = wrt;
    opts.duration = 0.5 * c->m->duration;
    opts.stop     = clock_over;
    opts.user     = &alarm;
    for (; opts.nwrt < ASKED && c->asked[opts.nwrt]; opts.nwrt++) wrt[opts.nwrt] = c->asked[opts.nwrt]->name;
    sal_verify(model, &opts, TOLERANCE, on_item, c, &bad);
}

void check_derivatives(const mechanism *m, const limits *most, verdict *v)
{
    candidate list[1 + BODIES + 2 * CONTACTS], starts[4 * POINTS];
    const int n = candidates(m, list), nstarts = add_starts(m, starts);
    dice      d     = { m->seed ^ UINT64_C(0x2545f4914f6cdd1d) };
    const int first = dice_choice(&d, n), second = dice_choice(&d, n);
    count     c = { m, v, { &list[first], second != first ? &list[second] : NULL }, 0.0 };
    loaded    it;

    if (v->outcome != ENDED) return;
    if (load_scene(m, &it) == SAL_OK) {
        verify(&c, it.model, most);
        if (nstarts > 0) c.asked[0] = &starts[dice_choice(&d, nstarts)];
        c.asked[1] = NULL;
        if (nstarts > 0) verify(&c, it.model, most); /* by itself: what touches at the start may do so for it alone */
    }
    unload(&it);
}
