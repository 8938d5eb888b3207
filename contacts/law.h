/* law.h - what a contact does when it closes: laws, which every geometry of contact shares.
 *
 * A geometry (ground.c, edge.c, discs.c, stops) describes gaps; a law (impact.c: two, reset.c, stick.c, slide.c,
 * compliant.c) says what happens at them. A new law: its file, its line in laws.c and in CMakeLists.txt. */
#ifndef SAL_CONTACTS_LAW_H
#define SAL_CONTACTS_LAW_H

#include "engine/ext.h"

typedef struct law { /* what the scene says; read by LAW_FIELDS */
    int      kind;
    sal_slot restitution, rest, mu_static, mu_kinetic;
    sal_slot stiffness, damping, exponent, slip_speed;
    sal_text guard, where;
    bool     active; /* it is on at first */

    sal_actions on[SAL_CONTACT_CHANGES];
} law;

typedef struct gap { /* one place where two sides can touch */
    const char     *label;
    const char     *gap;  /* >= 0 */
    const char     *slip; /* tangential velocity; NULL: there is no tangent */
    const sal_bind *binds;
    bool            closed; /* it begins closed */
    bool            first;  /* of the element */

    const sal_point *point;    /* what touches; NULL: no point does */
    const char      *place[2]; /* its x and y, which `where` may read; NULL: it has none */

    /* for the drawing; normal[0] NULL: nothing is drawn */
    sal_slot    radius;    /* of a disc round the point */
    const char *normal[2]; /* unit vector, towards the point */
    bool        left;      /* `slip` is positive to the left of the normal, not to its right */

    const char *undefined; /* why the gap may be no number; NULL: unknown */
    const char *also;      /* what it would be labelled if there were several; NULL: nothing */
    const char *ends;      /* the contact is where this is >= 0; NULL: everywhere */
    bool        follows;   /* it is one of the follower added last */
    sal_slot    on;        /* 0 while events have it off; SAL_NONE: never. law_emit fills it in */
} gap;

/* That of point k, P in formulas, with `closed` the names of those that begin closed. */
gap law_point(const sal_points *points, sal_points closed, int k);
/* Whether a point is in the list of those that begin closed. */
bool law_closed(sal_points closed, const char *name);
/* Reports those that begin closed and are none of the points. */
void law_check_closed(sal_builder *b, sal_points closed, sal_points points);

typedef struct law_type {
    const char        *name;
    const char *const *uses; /* fields of LAW_FIELDS that it reads, ended by NULL */
    void (*emit)(sal_builder *b, const law *l, const gap *g);
} law_type;

extern const char *const law_words[];

/* A contact at the gap with no restitution and nothing along the tangent: what laws that hold begin with. */
sal_contact law_contact(sal_builder *b, const law *l, const gap *g);

/* Both lists in one; `out` has room for LAW_BINDS, and both fit. */
enum { LAW_BINDS = 32 };
void law_join(const sal_bind *one, const sal_bind *two, sal_bind out[LAW_BINDS]);

/* What laws that are no sal_contact read of where and when there is a contact: `ends` of the geometry and `inside`, the
 * scene's `where`, functions that are >= 0 there; `guard` as it is; `on`, 1 or 0. For as long as the gap is there. */
enum { LAW_PLACE_BINDS = 7 };
void law_place(const law *l, const gap *g, sal_bind out[LAW_PLACE_BINDS]);
bool law_is_bounded(const law *l, const gap *g); /* it is not everywhere, or not always */
/* The condition that there is a contact, in these names: text of its own, "1" where nothing bounds it. */
enum { LAW_TEXT = 96 };
void law_where(const law *l, const gap *g, char text[LAW_TEXT]);

/* Draws the gap with the forces on what touches, formulas; NULL: those of the contact added last. */
void law_draw(sal_builder *b, const gap *g, const char *push, const char *friction, const sal_bind *binds);

bool law_is_compliant(const law *l);
bool law_holds(const law *l); /* contacts with this law can stay closed */

/* Emits the law that the scene has chosen. */
void law_emit(sal_builder *b, const law *l, const gap *g);

#define LAW_FIELDS(type, member)                                                                                   \
    { "law",                                                                                                       \
      SAL_F_CHOICE,                                                                                                \
      offsetof(type, member.kind),                                                                                 \
      .standard = "impact",                                                                                        \
      .help     = "what a touch does",                                                                             \
      .words    = law_words },                                                                                        \
        { "restitution",                                                                                           \
          SAL_F_VALUE,                                                                                             \
          offsetof(type, member.restitution),                                                                      \
          NULL,                                                                                                    \
          "0",                                                                                                     \
          "normal impulse of expansion over compression (impact), normal speed after over before (newton, reset)", \
          SAL_FRACTION },                                                                                          \
        { "mu_kinetic",                                                                                            \
          SAL_F_VALUE,                                                                                             \
          offsetof(type, member.mu_kinetic),                                                                       \
          NULL,                                                                                                    \
          "",                                                                                                      \
          "friction coefficient of a contact that slides; as mu_static when absent, no friction without both",     \
          SAL_NOT_NEGATIVE },                                                                                      \
        { "mu_static",                                                                                             \
          SAL_F_VALUE,                                                                                             \
          offsetof(type, member.mu_static),                                                                        \
          NULL,                                                                                                    \
          "",                                                                                                      \
          "friction coefficient of a contact that sticks; as mu_kinetic when absent or less",                      \
          SAL_NOT_NEGATIVE },                                                                                      \
        { "rest",          SAL_F_VALUE, offsetof(type, member.rest),                                               \
          "m/s",           "1e-4",      "rebounds slower than this stay closed where the contact is pressed",      \
          SAL_NOT_NEGATIVE },                                                                                      \
        { "guard", SAL_F_FORMULA, offsetof(type, member.guard), .standard = "",                                    \
          .help = "touches are passed over where this is 0 (false); a contact that is closed stays so" },          \
        { "where", SAL_F_FORMULA, offsetof(type, member.where), .standard = "",                                    \
          .help = "where there is a contact, such as \"x > 0 and x < 2\": beyond, touches are passed over and a "  \
                  "closed contact opens; x and y are those of the point that touches" },                           \
        { "active", SAL_F_BOOL, offsetof(type, member.active), .standard = "true",                                 \
          .help = "whether the contact is on at first; false: there is none until an event closes it" },           \
        { "on", SAL_F_ON, offsetof(type, member.on), .standard = "",                                               \
          .help = "what happens besides, with 'touch', 'release', 'slip' or 'stick': as of an event, 'set' of "    \
                  "memory, 'release', 'hold', 'release_after', 'open', 'close', 'open_after', 'stop'; 'point' is " \
                  "the one that it happens to" },                                                                  \
        { "stiffness",    SAL_F_VALUE, offsetof(type, member.stiffness),                                           \
          "N/m^exponent", "",          "of compliant, which needs it: force per depth^exponent",                   \
          SAL_POSITIVE },                                                                                          \
        { "exponent", SAL_F_VALUE, offsetof(type, member.exponent), NULL, "1.5", "of compliant", SAL_POSITIVE },   \
        { "damping",                                                                                               \
          SAL_F_VALUE,                                                                                             \
          offsetof(type, member.damping),                                                                          \
          "s/m",                                                                                                   \
          "0",                                                                                                     \
          "of compliant: the force is (1 + 3/2 damping * speed of approach) times that at rest",                   \
          SAL_NOT_NEGATIVE },                                                                                      \
    {                                                                                                              \
        "slip_speed", SAL_F_VALUE, offsetof(type, member.slip_speed), "m/s", "1e-3",                               \
            "of compliant: friction rises with tanh(slip / slip_speed)", SAL_POSITIVE                              \
    }

#endif
