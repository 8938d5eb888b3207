/* contact.h - unilateral contacts: impacts, and which contacts hold, stick and slide; private to the engine.
 *
 * A contact has a gap >= 0 and, with friction, a tangential velocity `slip`. Its rows -gap and -slip hold or not; that
 * is its state:
 *
 *     open      neither holds                                         it may close: the event `touch` on gap
 *     sliding   -gap holds; T = -+ mu_kinetic N along the tangent     it may open: N falls to 0; stick: slip is 0
 *     stuck     both hold                                             it may open; slip: |T| rises to mu_static N
 *
 * Impacts. All contacts that close at one instant are solved together, with those that hold: with d = v+ - v-,
 *
 *     M d + Phi_q^T mu + sum (N + kappa T)^T P = 0,    Phidot(v+) = 0,    kappa = 0 or -+ mu_kinetic
 *     0 <= P  complementary to  gapdot+ + e gapdot- >= 0      (e = 0 for a contact that held before, by a force)
 *     slip+ = 0 while |P_T| <= mu_static P, else P_T = -+ mu_kinetic P against slip+
 *
 * Where that makes other contacts close that only touched, they are solved next, and so on. Where all that closes and
 * all that would leave does so slower than `rest`, nothing leaves: a block that rocks comes to rest.
 *
 * Forces. Of the contacts that touch with gapdot = 0 those hold whose N >= 0, and an open one must not accelerate into
 * the other side; one with slip = 0 sticks while the cone allows it.
 *
 * Both are solved by exchanging one contact's role at a time, the one that violates its conditions most. */
#ifndef SAL_CONTACT_H
#define SAL_CONTACT_H

#include "engine/contact/coulomb.h"
#include "engine/motion/motion.h"

typedef struct sal_touching { /* a contact at an event */
    bool     candidate;       /* it touches: its role is to be found */
    bool     closing;
    bool     slides;   /* it has a tangential velocity: it cannot stick */
    bool     fresh;    /* it begins to slide: its tangential velocity is zero as yet */
    bool     rebounds; /* it leaves the impact with a velocity */
    bool     slow;     /* it closes slower than `rest` */
    bool     expelled; /* it was in, and thrown out, while roles are exchanged */
    bool     kept;     /* it held and would leave, but too slowly to matter */
    sal_role role;
    double   sign; /* of slip while it slides */
} sal_touching;

typedef struct sal_contacts {
    sal_touching *touching;                     /* [touches] */
    sal_row_mode  mode;                         /* with the roles that are being tried */
    const bool   *starts_closed;                /* [touches] as the run says */
    double       *goal;                         /* [m] Phidot after an impact */
    double       *impulse;                      /* [m] of all rows at the event handled last */
    double       *goal_change, *impulse_change; /* [m][p] */
    bool          shared;                       /* friction impulses were a matter of choice at some event of the run */
    const char   *closed; /* name of a contact that an event closed although it would have rebounded; NULL: none */
} sal_contacts;

sal_status sal_contacts_init(sal_contacts *c, const sal_model *model, sal_pool *pool, int p);

/* The sign of the tangential velocity of a contact that slides in the present mode, 0: it does not slide. */
int sal_contact_slides(const sal_system *s, int contact);
/* Whether the event is to be looked for in the present mode. */
bool sal_event_watched(const sal_system *s, int event);

/* At the start, behind assembly: contacts that touch and would be pressed hold. */
sal_status sal_contacts_start(sal_contacts *c, sal_system *s, bool *any);
/* Impulses so that the rows that hold now are fulfilled, with what touches and closes (`fired`: the contact whose event
 * this is, -1: none). `zero` [events]: what a gap may be away from 0. The tangent, if not NULL, comes with derivatives
 * along the event and leaves with such. */
sal_status sal_contacts_impact(sal_contacts *c, sal_system *s, int fired, const double *zero, sal_tangent *t);
/* Afterwards: who holds, sticks and slides from now on. `fired`, `kind`: what made the event. */
sal_status sal_contacts_settle(sal_contacts *c, sal_system *s, int fired, sal_touch_event kind, const double *zero);

/* The numbers that laws of contacts read, each told to `visit`. */
void sal_contacts_slots(const sal_tables *tables, void (*visit)(void *self, sal_slot slot), void *self);
/* Where closed contacts are taken as constraints (equilibria): says which of them would pull or slip, and which open
 * ones
 * have been passed through. `force`, `length`: what these are measured by. Empty: none. */
void sal_contacts_warn(sal_system *s, double force, double length, char *text, size_t room);

#endif
