/* mechanism.h - a mechanism as plain numbers: what the generator makes, what transformations change, what is written as
 * a scene. Angles are unit vectors, limits of angles are relative to the start: all of it can be moved, turned, mirrored
 * and scaled without asking for a sine. */
#ifndef PROPERTY_MECHANISM_H
#define PROPERTY_MECHANISM_H

#include <stdio.h>

#include "tests/property/random.h"

enum { POINTS = 64, BODIES = 16, JOINTS = 48, CONTACTS = 32, AT_CONTACT = 8, CORNERS = 48, TOUCHES = 160, NAME = 32 };

/* Those on plain ground, which came first: seed modulo eight; from SECOND on seeds mean those after them. */
#define FAMILY_LIST(X)                                          \
    X(free, "bodies flying onto ground")                        \
    X(chain, "hanging chains that hit the floor")               \
    X(loop, "closed loops over ground")                         \
    X(leg, "bodies on legs")                                    \
    X(box, "boxes on points, stacked ones on edges")            \
    X(stop, "stops of angles and lengths")                      \
    X(discs, "piles of discs")                                  \
    X(slide, "what rests, slides and sticks on the ground")     \
    X(stairs, "outlines of bodies on polylines")                \
    X(terrain, "points and discs on polylines")                 \
    X(track, "chains and legs on polylines")                    \
    X(plank, "what meets edges of bodies and their ends")       \
    X(bounds, "contacts that end, by formulas, and on and off") \
    X(soft, "compliant contacts mixed with rigid ones")
#define FAMILY_ENUM(name, text) FAMILY_##name,
typedef enum family { FAMILY_LIST(FAMILY_ENUM) FAMILIES } family;
#undef FAMILY_ENUM

#define SECOND 1000000ull
family family_of(unsigned long long seed);

typedef struct point {
    char name[8];
    vec  at, velocity;
    bool fixed;
    bool moves;  /* `velocity` is said; else it follows */
    int  marker; /* of this body; -1: a point of its own */
    vec  local;  /* of a marker: in the body's frame */
} point;

typedef enum body_kind { POINT_MASS, BAR, RIGID } body_kind;

typedef struct body {
    char      name[8];
    body_kind kind;
    int       end[2]; /* points; one of a point mass */
    double    mass, inertia;
    vec       centre; /* of a rigid body, in its frame */
} body;

typedef enum joint_kind { SPRING, TORSION, REVOLUTE, ROD } joint_kind;

typedef struct joint {
    char       name[8];
    joint_kind kind;
    int        end[2];  /* points */
    int        body[2]; /* of torsion; the second may be -1: the world */
    double     stiffness, damping;
    double     length; /* of a spring: at rest */
    double     angle;  /* of torsion: at rest, less that at the start */
} joint;

typedef enum contact_kind { GROUND, EDGE, DISCS, ANGLE_STOP, LENGTH_STOP, LINE, CIRCLE } contact_kind;
typedef enum contact_law { IMPACT, STICK, SLIDE, COMPLIANT } contact_law;

typedef struct contact {
    char         name[8];
    contact_kind kind;
    contact_law  law;
    bool         newton; /* of IMPACT: of the self-test */
    double       restitution, mu_static, mu_kinetic, rest;
    int          n, point[AT_CONTACT]; /* what touches; of discs and length stops: the two ends */
    int          line[2];              /* of an edge */
    bool         ends;                 /* of an edge: it ends there */
    bool         outline;              /* of a line: the points go round a body, to either side */
    double       radius[2];            /* of discs; of a ground, a line or an edge: the first */
    int          turns[2];             /* bodies that discs turn with; -1: none */
    int          body[2];              /* of an angle stop; the second may be -1: the world */

    /* of a ground: a line through `origin` along `along`, free on its left; or, where wave is not 0, the curve
     *     y = origin.y + height sin(wave (x - origin.x)) */
    vec    origin, along;
    double height, wave;

    int ncorners; /* of a polyline, free on its left */
    vec corner[CORNERS];

    double circle; /* by a formula: round `origin`, inside of a circle of this radius, or outside where it is < 0 */

    double low, high; /* of a stop: an angle less that at the start, a distance; not a number: none */

    /* where and when there is a contact; not a number: everywhere, always */
    double from, to; /* `where`: along `along` from `origin` */
    double off, on;  /* events have it off from the one time to the other */

    double stiffness, exponent, damping, slip_speed; /* of COMPLIANT */
} contact;

typedef struct mechanism {
    unsigned long long seed;
    family             family;
    double             length, mass, time; /* typical ones: bars, bodies, sqrt(length/g) */
    vec                gravity;
    double             duration, rtol;
    bool    has_costs; /* three that are differentiated, written only then: integrals take part in step control */
    int     npoints, nbodies, njoints, ncontacts;
    point   points[POINTS];
    body    bodies[BODIES];
    joint   joints[JOINTS];
    contact contacts[CONTACTS];
} mechanism;

/* A pair that can touch, as the engine names it: of a contact its k-th point, or limit (0 low, 1 high); of a line the
 * point on one of the segments or corners, or the edge from it to the next point on a corner; a disc on an edge may also
 * be at one of its ends. */
typedef enum touch_part { WHOLE, ON_SEGMENT, ON_CORNER, WITH_EDGE, AT_START, AT_END } touch_part;
typedef struct touch {
    char       name[NAME];
    int        contact, k;
    touch_part part;
} touch;

extern const char *const family_names[FAMILIES];
extern const char *const family_texts[FAMILIES];

/* The scene of a seed. */
void generate(mechanism *m, unsigned long long seed);

/* As JSON. */
void write_scene(const mechanism *m, FILE *to);
/* The same in memory, to be freed; NULL: none left. */
char *scene_text(const mechanism *m, size_t *size);

int  touches_of(const mechanism *m, touch list[TOUCHES]);
bool has_friction(const contact *c);     /* along the tangent, by Coulomb */
bool has_limit(const contact *c, int k); /* of a stop */
bool is_rigid(const contact *c);         /* it has impulses, and rows of its own */
bool has_outputs(const contact *c);      /* its gaps are outputs of the scene */
bool is_bounded(const contact *c);       /* it is not everywhere, or not always */
/* Of a pair at the start: how far apart. */
double start_gap(const mechanism *m, const touch *t);

bool can_be_turned(const mechanism *m);  /* it has no wave */
bool can_be_written(const mechanism *m); /* every ground has a height at x = 0, no wave is turned */

/* Largest distance of points from their middle, and how far they are from the origin. */
double mechanism_size(const mechanism *m);
double mechanism_far(const mechanism *m);

#endif
