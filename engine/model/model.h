/* model.h - the scene's equations in the shape in which they are solved; private to the engine.
 *
 * The Jacobian Phi_q is kept by rows: entry k of row r, jp[r] <= k < jp[r+1], stands in column jc[k]. Each term knows
 * where its four differences' slots land in that list; slots that are no coordinates land in one entry behind the end
 * that nobody
 * reads, so the loop over terms has no branch. */
#ifndef SAL_MODEL_H
#define SAL_MODEL_H

#include "engine/solve/solve.h"
#include "engine/scene/scene.h"

typedef struct sal_term_target { /* entries of the Jacobian for the slots of a term */
    int i, j, k, l;
} sal_term_target;

typedef struct sal_timed { /* a value that is a function of time */
    int         value;     /* index in the scene */
    sal_slot    slot;
    sal_program program[3]; /* u, u', u'' */
} sal_timed;

/* A velocity given by a formula: linear in zd, with coefficients that depend on z. */
typedef struct sal_rate {
    sal_program value;   /* J(z) v + ... */
    sal_program turning; /* its change with z along a direction that is read in place of zdd: linear in zd as well */
} sal_rate;

/* A row given by a formula. */
typedef struct sal_relation {
    int         row;
    int         touch;  /* the contact whose tangent it is, -1: none */
    sal_program phi;    /* n == 0: only the rate is known */
    sal_rate    rate;   /* Phidot */
    sal_program second; /* Phiddot */
    sal_program bias;   /* Phiddot with q'' = 0: -C */
    int        *entry;  /* [leaves of rate.value] of the Jacobian; that behind the end for what is no coordinate */
} sal_relation;

/* The system that gives the velocities after an event: the motion's rows and below them one row per velocity that is
 * set or kept. Entry k of extra row r stands in column xc[k], xp[r] <= k < xp[r+1]. */
typedef struct sal_jump {
    sal_pattern  pattern;
    int          nset;  /* extra rows: the setters of the event, then... */
    int          nkeep; /* ...the coordinates whose velocities are kept */
    const int   *keep;
    int         *xp, *xc;
    sal_program *entry; /* of each entry in the rows of the setters: d(velocity)/d(v) */
} sal_jump;

struct sal_model {
    sal_scene *scene; /* retained */
    sal_pool   pool;
    int        n, m, nz;

    int             *jp, *jc; /* [m+1], [jp[m]] */
    sal_term_target *target;  /* [terms] */
    unsigned char   *axis;    /* [nz] of the coordinates of basic points: 0 x, 1 y */
    sal_relation    *relation;
    int              nrelation;
    int             *relation_of; /* [m] -1: made of terms */
    sal_rate        *effort;      /* [efforts] */
    sal_timed       *timed;
    int              ntimed;
    int             *dof; /* coordinates marked as independent */
    int              ndof;
    int              program_max; /* nodes of the longest program */

    sal_pattern motion; /* K */
    sal_pattern start;  /* K with one row per marked coordinate, for assembly */
    int        *start_p;
    sal_jump   *jump;   /* [events]; pattern.size 0 where nothing is set */
    int        *degree; /* [events] of the function as a polynomial in the coordinates, velocities and time; -1: none */
    sal_program       *event_rate; /* [events] d(when)/dt along the motion; n == 0: it reads forces or the energy */
    const char *const *coordinate; /* [n] names */
};

#endif
