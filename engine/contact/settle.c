/* settle.c - forces: which of the contacts that touch hold, stick and slide from now on.
 *
 * Those with gapdot = 0 take part. What an event has just decided is not asked again, as the answer would be rounding:
 *
 *     release   N has fallen to zero: it is out, and gapdd = 0 as yet. Only if it would then be pressed on it is in.
 *     slip      |T| has risen to mu_s N: it slides against T. With mu_s = mu_k its slip has no rate as yet, so that the
 *               sign is known from T alone. Only if it would slip the other way it is asked whether it sticks.
 *     leave     it has come to where there is no contact: it is out, and nothing brings it back there.
 *     slides    |slip| > 0 tells the sign.
 *
 * Where contacts depend on each other the equations of motion take the least of the forces possible. If contacts cannot
 * have these, friction is given by the normal forces where it must be, and who is not needed carries nothing
 * (sal_coulomb_lean). What is to stay without a row of its own must be held by the rows of others; what is not sticks.
 *
 * Where contacts slide there may be no forces at all (Painleve): an impact without collision is due. */
#include <math.h>
#include <string.h>

#include "engine/base/tolerance.h"
#include "engine/base/vector.h"
#include "engine/contact/contact.h"

/* Accelerations and forces with the roles as they are. */
static sal_status accelerate(sal_contacts *c, sal_system *s)
{
    sal_status status;

    bool together = false;

    while (!together) { /* each time there are more groups, of fewer */
        sal_contacts_set_roles(c, s);
        sal_system_prepare(s);
        status = sal_system_accelerate(s);
        if (status != SAL_OK) return status;
        together    = !s->mode.portions || sal_contacts_stay_together(c, s);
        s->prepared = s->prepared && !s->mode.portions;
    }
    if (!s->prepared) {
        sal_system_prepare(s);
        status = sal_system_accelerate(s);
    }
    return status == SAL_OK ? sal_system_share(s) : status;
}

/* Of forces that contacts cannot have by more than `most`, one pulls, or holds by more friction than the part `well` of
 * what there is, the contact of the problem with the worst; -1: there are none. */
static int find_impossible(const sal_contacts *c, sal_system *s, double most, double well)
{
    int which = -1;

    for (int i = 0; i < c->problem.c; i++) {
        const sal_touch *t   = sal_touch_of(s, c->list[i]);
        const double     N   = s->lambda[t->normal];
        double           off = s->mode.held[t->normal] ? -N : 0.0;
        if (c->touching[c->list[i]].role == SAL_STUCK && !t->bonded)
            off = fmax(off, fabs(s->lambda[t->tangent]) - well * s->z[t->mu_static] * N);
        if (!(off > most)) continue;
        most  = off;
        which = i;
    }
    return which;
}

/* Whether forces are such. Of those that are not determined the least are taken, which may be such. Of others that
 * shows that they are hardly determined, where what slides makes K almost singular, and the problem has found some that
 * can be. */
static bool are_impossible(const sal_contacts *c, sal_system *s)
{
    const double small = (s->shares ? SAL_CONTACT_SMALL : SAL_CONTACT_OFF) * sal_scale_at(s).force;

    return find_impossible(c, s, small, s->shares ? SAL_STICKS_WELL : 1.0) >= 0;
}

/* Friction of contact i of the problem that is not used. */
static double spare(const sal_contacts *c, const sal_system *s, int i)
{
    return s->z[sal_touch_of(s, c->list[i])->mu_static] * c->problem.p[i] - fabs(c->problem.p[c->problem.c + i]);
}

/* Of the contacts with friction that have no row of their own and are held by no other the next one behind `last`,
 * those with most to spare first; -1: there are no more. */
static int find_unheld(const sal_contacts *c, sal_system *s, int last)
{
    int next = -1;

    for (int i = 0; i < c->problem.c; i++) {
        const sal_touch *t    = sal_touch_of(s, c->list[i]);
        const sal_role   role = c->touching[c->list[i]].role;
        if (role != SAL_LEANING && role != SAL_SMOOTH) continue;
        if (!sal_contact_has_friction(s, c->list[i]) || !(s->z[t->mu_static] > 0.0)) continue;
        if (last >= 0 && (spare(c, s, i) > spare(c, s, last) || (spare(c, s, i) == spare(c, s, last) && i <= last)))
            continue;
        if ((next >= 0 && !(spare(c, s, i) > spare(c, s, next))) || sal_contacts_row_held(c, s, t->tangent)) continue;
        next = i;
    }
    return next;
}

/* Forces that contacts can have, in place of those that they cannot. SAL_END: there are none. What is held by nothing
 * sticks, unless that is no way either: where it almost depends on others it may take any force. */
static sal_status lean(sal_contacts *c, sal_system *s)
{
    sal_status status = sal_coulomb_lean(&c->problem, s->watch);

    if (status == SAL_OK) sal_contacts_take_roles(c);
    if (status == SAL_OK) status = accelerate(c, s);
    for (int last = -1; status == SAL_OK && (last = find_unheld(c, s, last)) >= 0;) {
        sal_touching  *x  = &c->touching[c->list[last]];
        const sal_role as = x->role;
        x->role           = SAL_STUCK;
        status            = accelerate(c, s);
        if (status == SAL_OK && !are_impossible(c, s)) continue;
        x->role = as;
        status  = accelerate(c, s);
    }
    return status;
}

/* Forces nearest to `about` with the roles as they are. */
static sal_status accelerate_about(sal_contacts *c, sal_system *s, const double *about)
{
    sal_contacts_set_roles(c, s);
    s->prepared = false;
    sal_system_prepare(s);
    return sal_system_choose_about(s, about);
}

/* The contact of the problem gives way that cannot have its force: what would pull carries nothing, what would hold by
 * more friction than there is leans, or slips where no other holds it. */
static sal_status give_way(sal_contacts *c, sal_system *s, int i, const double *about)
{
    const sal_touch *t      = sal_touch_of(s, c->list[i]);
    sal_touching    *x      = &c->touching[c->list[i]];
    const bool       pushes = x->role == SAL_STUCK && s->lambda[t->normal] > 0.0;
    const int        sign   = t->tangent >= 0 && s->lambda[t->tangent] < 0.0 ? -1 : 1;
    sal_status       status;

    x->role = pushes ? SAL_LEANING : SAL_OUT;
    x->sign = sign;
    status  = accelerate_about(c, s, about);
    if (status != SAL_OK || !pushes || sal_contacts_row_held(c, s, t->tangent)) return status;
    x->role = SAL_SLIPPING;
    x->sign = -sign;
    return accelerate_about(c, s, about);
}

/* Forces as the problem has found them, within their cones where there are such: on the edge of one friction would be
 * about to slip, or not, by rounding. And those nearest to them from then on. What these nearest forces, which balance
 * better than those found, make impossible gives way. Each time there is one less. */
static sal_status hold_as_found(sal_contacts *c, sal_system *s)
{
    const size_t mark = sal_arena_mark(&s->arena), size = sizeof(double) * (size_t)(2 * c->problem.c);
    double      *about = sal_arena_take(&s->arena, s->model->m), *p = sal_arena_take(&s->arena, 2 * c->problem.c);
    const bool   leans = c->problem.leans;
    sal_status   status;

    memcpy(p, c->problem.p, size);
    status = sal_contacts_decide(c, s);
    if (leans && status == SAL_OK) memcpy(c->problem.p, p, size);
    memset(about, 0, sizeof *about * (size_t)s->model->m);
    for (int i = 0; i < c->problem.c && status == SAL_OK; i++) {
        const sal_touch *t = sal_touch_of(s, c->list[i]);
        sal_touching    *x = &c->touching[c->list[i]];
        x->apart           = i + 1;
        about[t->normal]   = c->problem.p[i];
        if (t->tangent >= 0) about[t->tangent] = c->problem.p[c->problem.c + i];
        if (sal_coulomb_unloaded(&c->problem, i)) x->role = SAL_OUT;
        else if (x->role == SAL_OUT) x->role = sal_contact_has_friction(s, c->list[i]) ? SAL_STUCK : SAL_SMOOTH;
    }
    if (status == SAL_OK) status = accelerate_about(c, s, about);
    for (int k = 0; k < 2 * c->problem.c && status == SAL_OK; k++) {
        const int i = find_impossible(c, s, SAL_CONTACT_OFF * sal_scale_at(s).force, 1.0);
        if (i < 0) break;
        status = give_way(c, s, i, about);
    }
    sal_arena_release(&s->arena, mark);
    return status;
}

/* What an event has decided and the motion does not confirm is asked again, freely; whether there is such. */
static bool take_back(sal_contacts *c, sal_system *s)
{
    bool any = false;

    for (int i = 0; i < c->problem.c; i++) {
        sal_touching *x   = &c->touching[c->list[i]];
        const double  way = x->slides * c->problem.motion[c->problem.c + i];
        if (!x->fresh || !(way < 0.0) || sal_coulomb_still(&c->problem, c->problem.c + i, way)) continue;
        x->slides = 0;
        x->fresh  = false;
        any       = true;
    }
    for (int k = 0; k < sal_touch_count(s); k++) {
        sal_touching *x = &c->touching[k];
        if (!x->out ||
            !(sal_contact_gap_second(s, k) < -SAL_CONTACT_OFF * sal_contacts_size(c, s, sal_touch_of(s, k)->normal)))
            continue;
        x->out    = false;
        x->before = SAL_OUT;
        any       = true;
    }
    return any;
}

bool sal_contacts_find_still(sal_contacts *c, sal_system *s, const double *zero)
{
    const double speed = sal_largest(s->zd, s->model->n);
    bool         any   = false;

    for (int k = 0; k < sal_touch_count(s); k++) {
        const double on    = zero[sal_touch_of(s, k)->event[SAL_TOUCHES]];
        const double still = fmax(SAL_CONTACT_SMALL * speed, 3.0 * sqrt(2.0 * on * fabs(sal_contact_gap_second(s, k))));
        sal_touching *x    = &c->touching[k];
        if (x->candidate || sal_contact_leaves(c, s, k) || fabs(sal_contact_gap_rate(s, k)) > still ||
            !sal_contact_touches(s, k, on))
            continue;
        x->candidate = any = true;
        x->slips           = sal_touch_of(s, k)->bonded && fabs(sal_contact_slip(s, k)) > SAL_CONTACT_SMALL * speed;
    }
    return any;
}

/* What was only said to slip may stick after all; whether there is such. */
static bool ask_fresh(sal_contacts *c)
{
    bool any = false;

    for (int i = 0; i < c->problem.c; i++) {
        sal_touching *x = &c->touching[c->list[i]];
        if (!x->fresh) continue;
        x->slides = 0;
        x->fresh  = false;
        any       = true;
    }
    return any;
}

/* The problem of impulses that goes with that of the forces: at rest along the normals, slips as they are. What slips
 * too slowly for an impact to tell is at rest. */
static sal_status form_jam(sal_contacts *c, sal_system *s)
{
    sal_coulomb *x     = &c->problem;
    const size_t mark  = sal_arena_mark(&s->arena);
    double      *ahead = sal_arena_take(&s->arena, 2 * x->c);
    sal_status   status;

    for (int r = 0; r < 2 * x->c; r++) ahead[r] = sal_coulomb_ahead(x, r);
    status = sal_contacts_form(c, s, true);
    for (int i = 0; i < x->c && status == SAL_OK; i++) {
        sal_party *y    = &x->party[i];
        const int  t    = x->c + i;
        const bool slow = fabs(x->b[t]) <= 2.0 * SAL_CONTACT_SMALL * x->size[t];
        if (slow) y->slides = c->touching[c->list[i]].slides = 0;
        if (slow || !y->slides) x->b[t] = 0.0;
        x->b[i]  = 0.0;
        x->b1[i] = ahead[i];
        x->b1[t] = ahead[t];
    }
    sal_arena_release(&s->arena, mark);
    return status;
}

/* No forces were found. Either an impact is due, c->jam, and until then there are none; or there are some after all.
 * SAL_END: neither. */
static sal_status jam(sal_contacts *c, sal_system *s)
{
    sal_coulomb *x = &c->problem;
    bool         impulsive;
    sal_status   status = form_jam(c, s);

    if (status == SAL_OK) status = sal_coulomb_jam(x, s->watch, &impulsive);
    if (status != SAL_OK) return status;
    if (!impulsive) {
        sal_contacts_take_roles(c);
        return SAL_OK;
    }
    memset(c->jammed, 0, sizeof *c->jammed * (size_t)sal_touch_count(s));
    for (int i = x->c - 1; i >= 0; i--) {
        sal_touching *y = &c->touching[c->list[i]];
        if (y->slides) c->jam = c->list[i];
        y->role                = SAL_OUT;
        c->jammed[c->list[i]]  = true;
        c->scrapes[c->list[i]] = y->slides;
    }
    return c->jam < 0 ? SAL_END : SAL_OK;
}

static sal_status no_forces(sal_system *s)
{
    return sal_system_fail(s, SAL_ERR_EVENTS, "no forces of the contacts at t = %.9g s agree with each other",
                           s->z[s->model->tables->time]);
}

/* Roles and forces of the candidates; with zero NULL no others are looked for. */
static sal_status decide(sal_contacts *c, sal_system *s, const double *zero)
{
    bool again = true;

    c->jam = -1;
    for (int i = 0; i < 10 + 4 * sal_touch_count(s) && again; i++) {
        sal_status status = sal_contacts_form(c, s, false);
        if (status == SAL_OK) status = sal_contacts_decide(c, s);
        if (status == SAL_END) status = jam(c, s);
        if (status == SAL_END && ask_fresh(c)) continue;
        if (status == SAL_END) return no_forces(s);
        if (status != SAL_OK) return status;
        status = accelerate(c, s);
        if (status == SAL_ERR_SINGULAR || (status == SAL_OK && c->jam < 0 && are_impossible(c, s))) {
            status = lean(c, s);
            if (status == SAL_STOPPED || status == SAL_ERR_LIMIT) return status;
            if (status != SAL_OK || are_impossible(c, s)) status = hold_as_found(c, s);
            if (status == SAL_END) return no_forces(s);
            if (status == SAL_STOPPED || status == SAL_ERR_LIMIT) return status;
        }
        if (status != SAL_OK) return sal_system_explain(s, status, &s->motion);
        if (c->jam >= 0) return SAL_OK;
        again = take_back(c, s);
        again = (zero && sal_contacts_find_still(c, s, zero)) || again;
    }
    return again ? no_forces(s) : SAL_OK;
}

/* Contact k begins to slip, against the friction T that it had. */
static void let_slip(sal_contacts *c, const sal_system *s, int k)
{
    sal_touching *x = &c->touching[k];

    x->slides = s->lambda[sal_touch_of(s, k)->tangent] < 0.0 ? 1 : -1;
    x->fresh = x->broken = true;
    c->began[k]          = s->z[s->model->tables->time];
}

/* What the event has decided of who was closed; forces are those just before it. */
static void take_event(sal_contacts *c, sal_system *s, int fired, sal_touch_event kind)
{
    if (fired < 0) return;
    if (kind == SAL_RELEASES) {
        c->touching[fired].out  = true;
        c->touching[fired].role = SAL_OUT;
    }
    if (kind == SAL_ENDS) { /* whatever presses it */
        c->touching[fired].candidate = false;
        c->touching[fired].role      = SAL_OUT;
    }
    if (kind != SAL_SLIPS) return;
    let_slip(c, s, fired);
    for (int i = 0; i < s->mode.portions; i++) { /* with all of its group */
        const sal_portion *p = &s->mode.portion[i];
        if (p->leader == sal_touch_of(s, fired)->tangent) let_slip(c, s, c->of_row[p->row]);
    }
}

/* Who slips, and which way: by velocity or, where there is none yet, as an event has said at this instant. A contact
 * that has come to stick has no slip, however fast it has passed zero, unless something struck at the same instant. */
static void find_slips(sal_contacts *c, sal_system *s, const double *zero, int sticks)
{
    const double speed = sal_largest(s->zd, s->model->n), t = s->z[s->model->tables->time];
    const bool   struck = sal_largest(c->impulse, s->model->m) > 0.0;

    for (int k = 0; k < sal_touch_count(s); k++) {
        sal_touching *x = &c->touching[k];
        if (!sal_contact_has_friction(s, k) || (k == sticks && !struck)) continue;
        const double slip = sal_contact_slip(s, k);
        if (fabs(slip) > fmax(SAL_CONTACT_SMALL * speed, 100.0 * zero[sal_touch_of(s, k)->event[SAL_STICKS]])) {
            x->slides = slip < 0.0 ? -1 : 1;
            x->fresh  = false;
        } else if (x->before == SAL_SLIPPING && c->began[k] == t) {
            x->slides = x->before_sign;
            x->fresh = x->broken = true;
        }
    }
}

sal_status sal_contacts_settle(sal_contacts *c, sal_system *s, int fired, sal_touch_event kind, const double *zero,
                               sal_tangent *t)
{
    enum { PASSES = 10 };
    bool       stopped = true;
    sal_status status  = SAL_OK;

    if (sal_touch_count(s) == 0) sal_system_prepare(s);
    for (int i = 0; i < PASSES && stopped && sal_touch_count(s) > 0 && status == SAL_OK; i++) {
        sal_contacts_begin(c, s);
        if (i == 0) take_event(c, s, fired, kind);
        find_slips(c, s, zero, kind == SAL_STICKS ? fired : -1);
        sal_contacts_find_still(c, s, zero);
        status  = decide(c, s, zero);
        stopped = false;
        if (status == SAL_OK) status = sal_contacts_stop(c, s, t, &stopped); /* and with other velocities again */
    }
    return status;
}

sal_status sal_contacts_start(sal_contacts *c, sal_system *s, bool *any)
{
    const sal_scale scale = sal_scale_at(s);
    const double    near = SAL_TOUCHING * scale.length, slow = SAL_TOUCHING * fmax(scale.speed, scale.natural);
    sal_status      status;

    *any         = false;
    c->problem.c = 0;
    c->jam       = -1;
    for (int k = 0; k < sal_touch_count(s); k++) {
        sal_touching *x       = &c->touching[k];
        const bool    touches = fabs(sal_contact_gap(s, k)) <= near && fabs(sal_contact_gap_rate(s, k)) <= slow;
        *x = (sal_touching){ .candidate = touches && (c->starts_closed[k] || !sal_contact_guarded(s, k)) };
        if (!x->candidate) continue;
        x->before = SAL_STUCK; /* in, if nothing speaks against it */
        *any      = true;
        if (fabs(sal_contact_slip(s, k)) <= slow) continue;
        if (sal_touch_of(s, k)->bonded) x->candidate = false; /* it slips and touches: an impact */
        else x->slides = sal_contact_slip(s, k) < 0.0 ? -1 : 1;
    }
    if (!*any) return SAL_OK;
    status = decide(c, s, NULL);
    *any   = false;
    for (int k = 0; k < sal_touch_count(s); k++) {
        *any = *any || sal_contact_holds(s, k);
        if (c->starts_closed[k] && !sal_contact_holds(s, k) && !s->quiet && c->jam < 0)
            sal_log(s->model->tables->context, "%s: it is said to begin closed, but it would have to pull; it opens",
                    sal_touch_of(s, k)->name);
    }
    return status;
}
