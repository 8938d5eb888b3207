/* calm.c - contacts that close slower than `rest`, again and again.
 *
 * In a pile what closes slowly lets others go even more slowly, and makes others slip; these come back, have to stick
 * again, and so on: each time a little slower, by a factor that comes near to one with the number of contacts. A
 * rebound as fast as `rest` is in the air for 2 rest/a, a being what accelerates it. A contact that has closed slower
 * than that, and less than that time after the last time, has not been away. All that is no faster than `rest` at
 * contacts that touch is at rest then, where `rest` is little for the mechanism:
 *
 *     |gapdot| <= rest,   gap <= rest^2 / (2 a),      |slip| <= rest
 *
 * the gap being one that a rebound of `rest` could have made: these velocities are taken away by one impulse of the
 * event, the least in the metric of the masses, so that kinetic energy becomes less. Who holds and sticks is decided
 * from there, with all of them at rest. As with a single contact whose rebounds are slower than `rest`, places and
 * derivatives are off by the order of `rest` from those of all the small motions. */
#include <math.h>
#include <string.h>

#include "engine/base/tolerance.h"
#include "engine/base/vector.h"
#include "engine/contact/impact.h"

enum { CALMED_MOST = 3 }; /* times `rest` that a coordinate may lose */

void sal_contacts_note_closing(sal_contacts *c, sal_system *s, int contact)
{
    const double rest = s->z[sal_touch_of(s, contact)->rest], t = s->z[s->model->tables->time];

    c->calm = 0.0;
    if (s->form == SAL_PENALTY || !(-sal_contact_gap_rate(s, contact) < rest)) return; /* there nothing stands still */
    const sal_scale scale = sal_scale_at(s);
    if (scale.acceleration * (t - c->slow[contact]) < 2.0 * rest && rest <= SAL_CALM * scale.natural)
        c->calm = scale.acceleration;
    c->slow[contact] = t;
}

double sal_contact_low(const sal_contacts *c, const sal_system *s, int contact)
{
    const double rest = s->z[sal_touch_of(s, contact)->rest];

    return c->calm > 0.0 ? 0.5 * rest * rest / c->calm : 0.0;
}

/* What touches and is no faster than `rest` has the role of a contact at rest. Gives the largest `rest` of them, and a
 * name. */
static double find_slow(sal_contacts *c, sal_system *s, const double *zero, const char **name)
{
    double slow = 0.0;

    sal_contacts_begin(c, s);
    for (int k = 0; k < sal_touch_count(s); k++) {
        const sal_touch *touch = sal_touch_of(s, k);
        sal_touching    *x     = &c->touching[k];
        const double     rest  = s->z[touch->rest];
        if (!sal_contact_is_on(s, k) || (!x->candidate && fabs(sal_contact_gap_rate(s, k)) > rest)) continue;
        if (!x->candidate && !sal_contact_touches(s, k, zero[touch->event[SAL_TOUCHES]])) continue;
        x->candidate = true;
        x->role      = touch->tangent >= 0 && fabs(sal_contact_slip(s, k)) <= rest ? SAL_STUCK : SAL_SMOOTH;
        slow         = fmax(slow, rest);
        *name        = touch->name;
    }
    return slow;
}

/* All of it at once. Where that would take more than there is of it, or cannot be told, motion goes on as it was. */
sal_status sal_contacts_calm(sal_contacts *c, sal_system *s, const double *zero, sal_tangent *t)
{
    const int    n = s->model->n, m = s->model->m;
    const size_t rows = sizeof(double) * (size_t)m;
    double      *P    = c->compression.impulse, slow;
    const char  *name = NULL;
    sal_status   status;

    memset(c->goal, 0, rows);
    memset(c->compression.given, 0, rows);
    if (t) memset(c->goal_change, 0, rows * (size_t)t->p);
    if (t) memset(c->compression.given_change, 0, rows * (size_t)t->p);
    sal_mode_copy(&c->before_calm, &s->mode);
    slow   = find_slow(c, s, zero, &name);
    status = sal_phase_solve_smoothly(c, s, &c->compression);
    if (status == SAL_ERR_SINGULAR || (status == SAL_OK && sal_largest(c->compression.d, n) > CALMED_MOST * slow)) {
        s->message[0] = '\0';
        sal_system_set_mode(s, &c->before_calm);
        return SAL_OK;
    }
    for (int k = 0; k < n && status == SAL_OK; k++) s->zd[k] += c->compression.d[k];
    if (t && status == SAL_OK) sal_phase_differentiate(c, s, &c->compression, t);
    for (int r = 0; r < m && status == SAL_OK; r++) c->impulse[r] += P[r];
    for (int k = 0; t && status == SAL_OK && k < m * t->p; k++) c->impulse_change[k] += c->compression.change[k];
    c->closed = name;
    return status;
}
