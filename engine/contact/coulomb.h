/* coulomb.h - the contact problem in numbers: which contacts hold, stick and slide; private to contact/.
 *
 * Of c contacts that touch, N_i the normal and T_i the tangential direction, n_i >= 0 and f_i the forces (or impulses)
 * along them, p = (n, f). Without contacts the motion would be b; with the inverse mass that they feel (Delassus),
 *
 *     W = G K^-1 G^T,   G = [N; T]                   symmetric, >= 0, singular where contacts depend on each other
 *     (gapdd, slipd)  = b + W p                      forces: b of the free accelerations
 *     (gapd+, slip+)  = b + W p                      impulses: b of the velocities before
 *
 *     normal          n >= least,  gap motion >= goal,  one of them an equality
 *     slides          f = -+ mu_k n, against the slip that there is (forces only)
 *     may stick       |f| <= mu n; f = -mu n where the slip would grow, +mu n where it would fall
 *     pinned          slip motion = 0 with whatever f that takes, as long as n > 0
 *
 * Stewart and Trinkle's linear complementarity problem, f = f+ - f-, c the size of the slip that is left,
 *
 *     z = (n - least, f+, f-, c) >= 0   _|_   w = (gap motion - goal, slip motion + c, -slip motion + c,
 *                                                  mu n - f+ - f-) >= 0
 *
 * z.M z = p.W p + sum mu n c >= 0: copositive. Impulses on fixed surfaces, and forces where nothing slides, always have
 * a solution; sliding contacts may have none (Painleve). mu is mu_s, and mu_k for those that are found to slip: their
 * problem is then solved again, at most c times.
 *
 * Of many contacts most depend on others: a body of a hundred points stands on two. So only those are asked whose
 * normals are independent, W_NN = L L^T by pivots, and after that those that the solution would pass through: what
 * carries nothing and is not passed through is solved.
 *
 * What matters of the solution is who holds, sticks and slides. Numbers and derivatives come from the equations of
 * motion with these rows. */
#ifndef SAL_COULOMB_H
#define SAL_COULOMB_H

#include "engine/solve/solve.h"

/* SAL_SMOOTH: in, without friction; SAL_LEANING: nothing slips, but its friction is a part of mu_s n: of forces that
 * are not determined the ones that are as far from slipping as can be (sal_coulomb_lean). */
typedef enum sal_role { SAL_OUT, SAL_SMOOTH, SAL_STUCK, SAL_SLIPPING, SAL_LEANING } sal_role;

typedef struct sal_party { /* a contact of the problem */
    bool     tangent;      /* there is friction, or a pin */
    bool     pinned;
    int      slides; /* sign of the slip that it has and goes on with; 0: it may stick */
    bool     broken; /* it slips for mu_k; also found */
    bool     inside; /* it is in where the solution leaves that open: neither a force nor a motion */
    double   mu_static, mu_kinetic;
    double   least, goal;
    sal_role role; /* found */
    int      sign; /* of the slip, where it slips; of the friction, where it leans */
} sal_party;

typedef struct sal_coulomb {
    int        c, room;
    sal_party *party;   /* [c] */
    double    *W;       /* [2 c][2 c] normals first, then tangents */
    double    *b, *b1;  /* [2 c] b + eps b1 */
    double    *yields;  /* [2 c] what of the diagonal of W is no motion of others: rows that give way */
    double    *size;    /* [2 c] of what b is the sum of: what motions are measured by */
    double    *p;       /* [2 c] found */
    double    *motion;  /* [2 c] found */
    double    *full;    /* [2 c] size, and that of W p */
    double    *reduced; /* [2 c][2 c + 2] W, b, b1 with pins held */
    double    *scale;   /* [2 c] */
    double    *column;  /* [2 c] */
    int       *first;   /* [c] variable n_i of the complementarity problem, -1: it is left out */
    bool      *asked;   /* [c] it takes part in the complementarity problem; what does not carries nothing */
    double    *left;    /* [c] of W_NN, what those that are asked leave */
    double    *factor;  /* [c][c] */
    int       *held;    /* [c] pins, in the order in which they were eliminated */
    int       *slides;  /* [c] of the parties, while they are asked for impulses */
    bool      *loose;   /* [c] a pin that would have to pull: without a tangent */
    double     lean;    /* part of mu_s that friction may reach where nothing slips */
    bool       leans;   /* p is such: found by sal_coulomb_lean */
    sal_lcp    lcp;
} sal_coulomb;

sal_status sal_coulomb_init(sal_coulomb *x, sal_pool *pool, int room);
/* Roles, p and motion. SAL_END: there is no solution; SAL_STOPPED, SAL_ERR_LIMIT by the watch. */
sal_status sal_coulomb_solve(sal_coulomb *x, const sal_watch *watch);
/* After it is solved, where the forces of the contacts that are in are not determined: roles with which they are, of no
 * more contacts than needed, friction no nearer to slipping than it must be (`lean` is that part). The motion is the
 * same. */
sal_status sal_coulomb_lean(sal_coulomb *x, const sal_watch *watch);
/* The same for impulses, b the velocities there are and b1 the accelerations that follow: where the forces that go with
 * contacts that slide end on a ray. *impulsive: there are impulses, and roles are theirs; otherwise they are those of
 * forces that agree after all. Contacts that slide are said to in `slides`, which does not bind impulses. */
sal_status sal_coulomb_jam(sal_coulomb *x, const sal_watch *watch, bool *impulsive);
/* b of row r, nothing where it is next to nothing of what it is made of: what b1 is to be. */
double sal_coulomb_ahead(const sal_coulomb *x, int r);
/* The role of contact i with which the forces that were found are determined, and its sign. */
sal_role sal_coulomb_least_role(const sal_coulomb *x, int i, int *sign);
/* Whether motion r (normals first), the force of contact i are zero but for rounding. */
bool sal_coulomb_still(const sal_coulomb *x, int r, double motion);
bool sal_coulomb_unloaded(const sal_coulomb *x, int i);

#endif
