/* dynamics.h - one model with numbers: parameters, a state, and what follows from them; private to the engine.
 *
 * Index-1 form        K [a; lambda] = [F; C],                               K = [M Phi_q^T; Phi_q 0]
 * with Baumgarte      C - 2 xi omega Phidot - omega^2 Phi  in place of C
 * Penalty form        the same with -1/alpha in the lower right corner: eliminating lambda gives
 *                     (M + Phi_q^T alpha Phi_q) a = F - Phi_q^T alpha (-C + 2 xi omega Phidot + omega^2 Phi) and
 *                     lambda = alpha (Phiddot + 2 xi omega Phidot + omega^2 Phi), without ever forming the
 *                     product, which is denser and worse conditioned */
#ifndef SAL_DYNAMICS_H
#define SAL_DYNAMICS_H

#include "engine/rows.h"
#include "engine/watch.h"

/* Corners that let rows pass that depend on each other, see sal_kkt_regularize: where the multipliers do not matter;
 * and where they do. Their part that is not determined has errors of rounding / corner, the rest of corner^3. */
#define SAL_REGULAR 1e-14
#define SAL_LEAST   1e-9

/* Of the multipliers possible the least are taken: of none (they are determined), of friction, of contacts, of all. */
typedef enum sal_least { SAL_LEAST_NONE, SAL_LEAST_FRICTION, SAL_LEAST_CONTACT, SAL_LEAST_ALL } sal_least;

typedef struct sal_system {
    const sal_model *model;
    sal_rows         rows;     /* the mode: which of them hold */
    bool             prepared; /* K is that of the mode in set_on and set_sliding */
    bool            *set_on;
    signed char     *set_sliding;
    sal_least        least;   /* what rows that depend on each other ask for in the mode... */
    sal_least       *sharing; /* [m] ...and from where on each row takes part */
    double          *share;   /* [m] weight of a row among them, 0: 1; a larger one gets less */
    double          *soft;    /* [m] the corner for it */
    sal_form         form;
    bool             damped; /* 2 xi omega Phidot + omega^2 Phi is added: penalty, Baumgarte */
    double           xi, omega;
    bool             quiet; /* no warnings */
    const sal_watch *watch; /* what may end a search; NULL: nothing */

    double       *z, *zd, *zdd; /* [nz]; q, v, a in front */
    double       *lambda;       /* [m] */
    double        energy;       /* kept up to date only where a program asks for it */
    const double *source[SAL_SRC_COUNT];

    double  length;                     /* of the mechanism as it starts, see scale.h */
    double *size;                       /* [2 nz] workspace of scale.c */
    double *mass;                       /* [masses] */
    double *gravity, *force;            /* [nz] */
    double *entry;                      /* of Phi_q, and of the extra rows behind it */
    double *phi, *phidot, *c;           /* [m] */
    double *corner;                     /* [rows of the largest system] */
    bool   *every;                      /* [rows of the largest system] true */
    double *rhs;                        /* [size of the largest system] */
    double *value, *first;              /* [program_max] */
    double *saved;                      /* [3 n + m] a state to come back to */
    double *start_weight, *start_given; /* [n], [2 n] of assembly */
    bool   *held;                       /* [m] of assembly: the mode */
    double *target;                     /* [setters] velocities that an event sets */

    sal_kkt  motion, start;
    sal_kkt *jump; /* [events] */

    char message[1024]; /* why the last call failed */
} sal_system;

sal_status sal_system_init(sal_system *s, const sal_model *model, sal_pool *pool);
void       sal_system_free(sal_system *s);
sal_status sal_system_fail(sal_system *s, sal_status status, const char *format, ...) SAL_PRINTF(3, 4);

/* Numbers for every value of the scene; given[k] replaces parameter k where it is not NaN. */
sal_status sal_system_set_values(sal_system *s, const double *given);
/* Whether the functions of time are in their ranges at the state. */
sal_status sal_system_check_timed(sal_system *s);
/* After an event has set memory: the values that depend on it. */
sal_status sal_system_refresh(sal_system *s);
/* Which rows hold at the start of a run: those that the scene does not set aside. */
void sal_system_start_mode(sal_system *s);
/* After a change of the mode: prepares the equations of motion, and finds out whether rows depend on each other. */
void sal_system_set_mode(sal_system *s);
/* Factors K, with the rows in s->entry, for rows that may depend on each other; for sal_kkt_solve_exact. */
sal_status sal_system_factor_least(sal_system *s);
/* After sal_system_accelerate: where friction is not determined, shares it among the contacts that stick in proportion
 * to their normal forces, which is what lets them stick longest; accelerates again. Holds as long as the mode does. */
sal_status sal_system_share(sal_system *s);
/* The same for impulses, whose factors were made by sal_system_factor_least: factors anew. Whether it matters. */
bool sal_system_share_friction(sal_system *s, const double *lambda);
/* Formulation, and the scaling of its equations for states like this one. */
void sal_system_set_form(sal_system *s, sal_form form, sal_stabilization stabilization);

/* Moves to (t, q, v): fills z and zd and the functions of time. q or v NULL: as they are. */
void sal_system_move(sal_system *s, double t, const double *q, const double *v);
/* a and lambda at the state. SAL_ERR_SINGULAR, SAL_ERR_NUMBER: not there (sal_system_explain says why). */
sal_status sal_system_accelerate(sal_system *s);
/* Puts the Jacobian in s->entry into K, with what slides. */
void sal_system_set_rows(sal_system *s);
/* Solves with the factors made last, for `columns` right-hand sides. */
void sal_system_solve(sal_system *s, double *b, int columns);
/* Puts the reason of a failed solve at the state into the message; slow. */
sal_status sal_system_explain(sal_system *s, sal_status status, const sal_kkt *kkt);

/* Notes the angles of the bodies, so that angle() can count turns; `start`: from anew. A body must turn by less than
 * half a turn in between. */
void sal_system_count_turns(sal_system *s, bool start);

/* Largest |Phi| and |Phidot| at the state. */
void sal_system_residual(sal_system *s, double *phi, double *phidot);
/* Mass-orthogonal projection of the state: minimise |dq|_M subject to Phi(q + dq) = 0, then |dv|_M subject to Phidot
 * = 0. */
sal_status sal_system_project(sal_system *s);

double sal_system_energy(const sal_system *s);
double sal_system_value(sal_system *s, const sal_program *program); /* at the state; a and lambda as last computed */
typedef struct sal_tangent sal_tangent; /* tangent.h; NULL where nothing is to be differentiated */

/* Where a run may start from another place than the scene says: by coordinate, NaN: as the scene says. */
typedef struct sal_initial {
    const double *q, *v; /* [n] */
} sal_initial;

/* position.c: consistent q and v at t from the scene's, and Q and V; errors name the joint that stays open. */
sal_status sal_system_assemble(sal_system *s, double t, sal_initial initial, sal_tangent *tangent);
/* jump.c: the velocities that an event sets, from the state before it; then replaces v by that after the event. The
 * tangent comes with derivatives along the event, q' and v'- (theory:
 * Q- + v- tau', V- + a- tau') and leaves with q' and v'+. */
sal_status sal_system_jump_targets(sal_system *s, int event, sal_tangent *tangent);
sal_status sal_system_jump(sal_system *s, int event, sal_tangent *tangent);
void       sal_system_prepare_jumps(sal_system *s); /* at the start: an event allocates nothing later */

#endif
