/* derivatives.c - random parameters of a mechanism through sal_verify.
 *
 * Left out are numbers at which the motion has a kink, not a derivative: restitution 0 and 1, and coefficients of
 * friction that are equal, of which the engine takes the larger. */
#include <stdlib.h>
#include <string.h>

#include "tests/property/judge.h"

static const double TOLERANCE = 1e-5; /* of differences that have rounding and steps in them */

typedef struct count {
    verdict *v;
    double   worst;
} count;

static void on_item(void *user, const sal_verify_item *item)
{
    count *c = user;

    c->v->derivatives++;
    if (!item->known) c->v->unknown++;
    else if (!item->good) {
        c->v->wrong++;
        if (!(item->difference > c->worst)) return;
        c->worst = item->difference;
        snprintf(c->v->derivative, sizeof c->v->derivative, "%s wrt %s: %.9g, by differences %.9g", item->what,
                 item->wrt, item->exact, item->numeric);
    }
}

static int candidates(const mechanism *m, char name[][NAME])
{
    int n = 0;

    snprintf(name[n++], NAME, "g");
    for (int k = 0; k < m->nbodies; k++) snprintf(name[n++], NAME, "m_%s", m->bodies[k].name);
    for (int k = 0; k < m->ncontacts; k++) {
        const contact *c = &m->contacts[k];
        if (c->law != IMPACT) continue;
        if (c->restitution > 0.0 && c->restitution < 1.0) snprintf(name[n++], NAME, "e_%s", c->name);
        if (has_friction(c) && c->mu_static > c->mu_kinetic) snprintf(name[n++], NAME, "k_%s", c->name);
    }
    return n;
}

void check_derivatives(const mechanism *m, const limits *most, verdict *v)
{
    char         name[1 + BODIES + 2 * CONTACTS][NAME];
    const int    n     = candidates(m, name);
    dice         d     = { m->seed ^ UINT64_C(0x2545f4914f6cdd1d) };
    const int    first = dice_choice(&d, n), second = dice_choice(&d, n);
    const char  *wrt[2] = { name[first], name[second] };
    sal_run_opts opts   = sal_run_defaults();
    alarm_clock  alarm  = alarm_after(4.0 * most->seconds);
    count        c      = { v, 0.0 };
    loaded       it;
    int          bad;

    if (v->outcome != ENDED) return;
    opts.quiet    = true;
    opts.wrt      = wrt;
    opts.nwrt     = first == second ? 1 : 2;
    opts.duration = 0.5 * m->duration;
    opts.stop     = clock_over;
    opts.user     = &alarm;
    if (load_scene(m, &it) == SAL_OK) sal_verify(it.model, &opts, TOLERANCE, on_item, &c, &bad);
    unload(&it);
}
