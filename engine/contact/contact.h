/* contact/ - unilateral contacts: impacts, and which contacts hold, stick and slide.
 *
 * A contact has a gap >= 0 and, with friction, a tangential velocity `slip`. Its rows -gap and -slip hold or not; that
 * is its state:
 *
 *     open      neither holds                                         it may close: the event `touch` on gap
 *     sliding   -gap holds; T = -+ mu_kinetic N along the tangent     it may open: N falls to 0; stick: slip is 0
 *     stuck     both hold                                             it may open; slip: |T| rises to mu_static N
 *
 * Who takes which state is decided on a small dense problem (coulomb.h) of the contacts that touch. It is formed with
 * the equations in which they are all open (problem.c); what it decides becomes the mode, and all numbers are those of
 * the equations in that mode. There is one problem for impulses (impact.c) and forces (settle.c).
 *
 * Stuck contacts whose tangents move alike (the feet of one body) are a group: one of their rows holds, and the force
 * of all is shared in proportion to mu_static N (portions in motion/). So a body begins to slide when the sum of what
 * its feet can hold is reached, and not a foot before the others. */
#ifndef SAL_CONTACT_H
#define SAL_CONTACT_H

#include "engine/contact/coulomb.h"
#include "engine/motion/motion.h"

/* Impulses may not be determined: each phase of an impact has its roles, and those with which they are. */
typedef enum sal_phase_roles {
    SAL_COMPRESSION,
    SAL_COMPRESSION_LEAST,
    SAL_EXPANSION,
    SAL_EXPANSION_LEAST,
    SAL_PHASE_ROLES
} sal_phase_roles;

typedef struct sal_stance {
    sal_role role;
    int      sign;
    bool     fixed;         /* in expansion: its normal impulse is what compression asks for, it does not hold */
    double   normal, along; /* impulses, as the problem has them */
} sal_stance;

typedef struct sal_touching { /* a contact at an event */
    bool     candidate;       /* it touches: its role is to be found */
    bool     closing;
    bool     slow;   /* it closes slower than `rest` */
    bool     kept;   /* it held and would leave an impact, but too slowly to matter */
    bool     out;    /* it has just released, and is not to hold */
    bool     broken; /* it slips for mu_kinetic */
    bool     fresh;  /* it is said to slip, but has no tangential velocity as yet */
    int      apart;  /* those with another number move like it now, and will not */
    bool     slips;  /* a pin that cannot hold: it touches without having landed, and has a tangential velocity */
    int      slides; /* the way it slips; 0: it may stick */
    double   bounce; /* restitution in this impact */
    double   goal;   /* gapdot after compression */
    sal_role role;   /* with `sign` and `fixed` as in sal_stance: those that are being tried */
    int      sign;   /* of slip while it slips, of friction while it leans */
    bool     fixed;
    sal_role before; /* its role in the mode before */
    int      before_sign;

    sal_stance stance[SAL_PHASE_ROLES];
} sal_touching;

/* What a phase of an impact is made of, and its derivatives along the event. */
typedef struct sal_phase {
    double *d;               /* [n] change of the velocities */
    double *impulse;         /* [m] */
    double *given;           /* [m] of them, what is known before: normal impulses of contacts that are fixed */
    double *change;          /* [m][p] of impulse */
    double *given_change;    /* [m][p] */
    double *velocity_change; /* [n][p] of d */
    double *solved, *first;  /* [m] impulses as solved; before friction is shared by them */
    bool    by_normals;      /* friction is shared so, where it is not determined */
    double *chosen;          /* [m] impulses to be taken instead, where they are a matter of choice */
    double *chosen_d;        /* [n] what these do: d, but where that is hardly determined */
    bool    chooses;
    bool    smooth; /* what K hardly sees is left out */
} sal_phase;

typedef struct sal_box {
    double low[2], high[2];
} sal_box;

typedef struct sal_reach { /* of a follower in a step: where its one or two points begin, and where they come */
    double  at[2][2];
    sal_box box[2];
} sal_reach;

typedef struct sal_line_tree sal_line_tree;

typedef struct sal_contacts {
    sal_touching *touching;       /* [touches] */
    int          *of_row;         /* [m] the contact of a row, -1: none */
    sal_row_mode  mode;           /* that is being made */
    const bool   *starts_closed;  /* [touches] as the run says */
    double       *impulse;        /* [m] of all rows at the event handled last */
    double       *impulse_change; /* [m][p] */
    double       *goal;           /* [m] Phidot after a phase */
    double       *goal_change;    /* [m][p] */
    sal_phase     compression, expansion;
    double       *rate;        /* [3][m] gapdot and slip before, after compression, after expansion */
    double       *rate_change; /* [3][m][p] */
    double        added;       /* energy that impacts of the event handled last have added, relative to what is
                                * prescribed [J]: Newton's law can */
    bool          shared;      /* impulses were a matter of choice at some event of the run */
    bool          vertices;    /* ...and the least were none that contacts can have: they are those of the problem */
    int           choice;      /* whose, of the event handled last (sal_sharing); 0: all are determined */
    const char   *closed;      /* name of a contact that an event closed although it would have rebounded; NULL: none */
    int           jam;   /* a contact for which friction leaves no forces: an impact without collision is due; -1 */
    double       *began; /* [touches] when an event last let it slip [s] */
    double       *slow;  /* [touches] when it last closed slower than `rest` [s] */
    sal_row_mode  before_calm;
    double        calm;    /* an acceleration: at this event all that is slower than `rest` is at rest; 0: it is not */
    bool         *jammed;  /* [touches] those among which there are no forces */
    bool         *scrapes; /* [touches] of these the ones that slip: what others have is rounding */
    double        gradual; /* the part that friction is taken to be larger by, where a jam has come on while it slid */

    int           *part;    /* [touches] of a line that a follower's contact is with */
    bool          *put;     /* [touches] it has been put to another part; whoever has seen that clears it */
    sal_line_tree *tree;    /* [lines] */
    int            crowded; /* follower that has had more parts within reach than contacts, -1: none */

    sal_pool    pool; /* of the problem: it grows with the number of contacts that touch at once */
    sal_coulomb problem;
    int        *list;  /* [problem.room] the contacts of its parties */
    double     *entry; /* Phi_q of all rows, whether they hold or not */
    double     *size;  /* [n] what motions are measured by, coordinate by coordinate */
} sal_contacts;

static inline const sal_touch *sal_touch_of(const sal_system *s, int contact)
{
    return &s->model->tables->touches.at[contact];
}

static inline int sal_touch_count(const sal_system *s)
{
    return s->model->tables->touches.n;
}

sal_status sal_contacts_init(sal_contacts *c, const sal_model *model, sal_pool *pool, int p);
void       sal_contacts_free(sal_contacts *c); /* the problem; the rest is the pool's */

/* watch.c: the sign of the tangential velocity of a contact that slides in the present mode, 0: it does not slide. */
int sal_contact_slides(const sal_system *s, int contact);
/* What expressions read as closed(...) follows the mode when a decision has been made; whether that changes any. */
bool sal_contacts_note_closed(sal_system *s);
/* What projection leaves of gaps follows the mode when a smooth piece of motion begins: that by which contacts were
 * open, or had sunk, when they closed, up to 100 times the zero of their events. */
void sal_contacts_keep_open(sal_system *s, const double *zero);
/* Contacts that events have off do not hold any more, without an impulse; whether any did. */
bool sal_contacts_let_go(sal_contacts *c, sal_system *s);
/* Whether the event is to be looked for in the present mode. */
bool sal_event_watched(const sal_system *s, int event);
/* Whether it is passed over at the state: by its guard, or a touch where there is no contact. */
bool sal_event_guarded(sal_system *s, int event);
/* The events whose functions add up to that of `event`: its own, and for the slip of a group those of all. The k-th of
 * them, -1: there are no more. */
int sal_event_part(const sal_contacts *c, const sal_system *s, int event, int k);
/* The numbers that laws of contacts read, each told to `visit`. */
void sal_contacts_slots(const sal_tables *tables, void (*visit)(void *self, sal_slot slot), void *self);
/* Where closed contacts are taken as constraints (equilibria): says which of them would pull or slip, and which open
 * ones have been passed through. `force`, `length`: what these are measured by. Empty: none. */
void sal_contacts_warn(sal_system *s, double force, double length, char *text, size_t room);

/* calm.c: a contact is about to close; whether what is slower than `rest` is at rest from then on, c->calm. */
void sal_contacts_note_closing(sal_contacts *c, sal_system *s, int contact);
/* What gaps of the contact are none at this event: those that so slow velocities have made. */
double sal_contact_low(const sal_contacts *c, const sal_system *s, int contact);

/* jam.c: whether a contact that slides is about to jam, at a state that is accelerated, `part` of what there is without
 * friction being left: c->jam. */
bool sal_contacts_jamming(sal_contacts *c, sal_system *s, double part);
/* What is left of it, along directions: in proportion to that, out [p]. The system is accelerated. */
void sal_contacts_jam_gradient(const sal_contacts *c, sal_system *s, sal_tangent *t, double *out);

/* together.c: whether the contacts of all groups of the present mode, which is accelerated, go on moving alike; those
 * that do not are marked. Factors and forces are to be made anew afterwards. */
bool sal_contacts_stay_together(sal_contacts *c, sal_system *s);
/* Whether row r is held by the rows that hold, with the factors there are and Phi_q of all rows in c->entry. */
bool sal_contacts_row_held(const sal_contacts *c, sal_system *s, int r);

/* follow.c: parts of lines that contacts are with. Lines as the values are now; slots of all parts written anew, with
 * their derivatives; the parts nearest at the start, false: too many touch at once (c->crowded). */
sal_status sal_followers_init(sal_contacts *c, const sal_model *model, sal_pool *pool);
sal_status sal_followers_set_lines(sal_contacts *c, sal_system *s);
void       sal_followers_refresh(const sal_contacts *c, sal_system *s, sal_tangent *t);
/* Transposed: the cotangents z [nz] of the slots of all parts go to the lines. */
void sal_followers_pull(const sal_contacts *c, const sal_system *s, double *z);
bool sal_followers_start(sal_contacts *c, sal_system *s, sal_tangent *t);
/* Puts open contacts of a follower to what is within its reach; false: more than it has contacts for. */
bool      sal_follower_take(sal_contacts *c, sal_system *s, sal_tangent *t, int follower, const sal_reach *reach);
sal_reach sal_follower_at(const sal_system *s, int follower); /* where it is */
void      sal_follower_place(const sal_system *s, sal_point point, double at[2]);
sal_box   sal_box_empty(void);
void      sal_box_add(sal_box *box, double x, double y);

/* settle.c: at the start, behind assembly: contacts that touch and would be pressed hold. */
sal_status sal_contacts_start(sal_contacts *c, sal_system *s, bool *any);
/* After an event: who holds, sticks and slides from now on. `fired`, `kind`: the contact whose event this is, -1: none;
 * what it was. `zero` [events]: what a gap may be away from 0. Where friction leaves no forces, c->jam is set and an
 * impact by sal_contacts_jam is due. */
sal_status sal_contacts_settle(sal_contacts *c, sal_system *s, int fired, sal_touch_event kind, const double *zero,
                               sal_tangent *t);

/* impact.c: impulses so that the rows that hold now are fulfilled, with what touches and closes. The tangent, if not
 * NULL, comes with derivatives along the event and leaves with such. */
sal_status sal_contacts_impact(sal_contacts *c, sal_system *s, int fired, const double *zero, sal_tangent *t);
/* An impact without collision: nothing closes, but friction leaves no forces. */
sal_status sal_contacts_jam(sal_contacts *c, sal_system *s, const double *zero, sal_tangent *t);

/* ------------------------------------------------------------------------------------------ between the files */

double sal_contact_gap(sal_system *s, int contact);
double sal_contact_gap_rate(const sal_system *s, int contact);
double sal_contact_slip(const sal_system *s, int contact);       /* 0: nothing acts along the tangent */
double sal_contact_gap_second(const sal_system *s, int contact); /* with the accelerations there are */
double sal_contact_slip_rate(const sal_system *s, int contact);
/* The speed that velocities are known in proportion to: the largest, or a little of what accelerations make. */
double sal_speed_told(sal_system *s);
/* Rebounds slower than this are none: `rest`, or what velocities and times can tell. */
double sal_contact_slowest(sal_system *s, int contact);
/* Whether it is open and gets away with a velocity: one beyond rounding, or one to rebound with that the event that is
 * being handled has given it, however slow. */
bool sal_contact_leaves(const sal_contacts *c, sal_system *s, int contact);
bool sal_contact_holds(const sal_system *s, int contact);
bool sal_contact_is_on(const sal_system *s, int contact);          /* false: events have it off */
bool sal_contact_guarded(sal_system *s, int contact);              /* its touches are passed over at the state */
bool sal_contact_touches(sal_system *s, int contact, double zero); /* its gap is 0, or not less than by drift */
bool sal_contact_has_friction(const sal_system *s, int contact);
/* The role that a contact has in the present mode. */
sal_role sal_contact_role(const sal_system *s, int contact);

/* settle.c: contacts that are open and touch, with no velocity that would get them away, become candidates; whether
 * there are more. */
bool sal_contacts_find_still(sal_contacts *c, sal_system *s, const double *zero);
/* impact.c: contacts that were found to hold although they have a velocity, too little to get away with, are stopped by
 * an impulse, without friction where they slip; the mode is as before. *any: whether there were such. */
sal_status sal_contacts_stop(sal_contacts *c, sal_system *s, sal_tangent *t, bool *any);
/* problem.c: W, b and parties of the candidates that are neither kept nor out. */
sal_status sal_contacts_form(sal_contacts *c, sal_system *s, bool impulses);
/* Row r of Phi_q times x [n], after it is formed. */
double sal_contacts_times_row(const sal_contacts *c, const sal_system *s, int row, const double *x);
/* What the motion of a row is measured by, after it is formed. */
double sal_contacts_size(const sal_contacts *c, const sal_system *s, int row);
/* Solves it; roles into touching. SAL_END: no solution. */
sal_status sal_contacts_decide(sal_contacts *c, sal_system *s);
/* Roles as they are in the present mode, and nothing else known; of an event that has nothing decided yet. */
void sal_contacts_begin(sal_contacts *c, sal_system *s);
/* Roles of the problem's parties into touching. */
void sal_contacts_take_roles(sal_contacts *c);
/* Rows of all contacts by their roles. */
void sal_contacts_set_roles(sal_contacts *c, sal_system *s);

#endif
