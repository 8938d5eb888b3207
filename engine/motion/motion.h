/* motion/ - a model with numbers: accelerations and multipliers at a state, consistent starts, projection, jumps, and
 * the tangent of all of it; the transposed tangent of the accelerations. */
#ifndef SAL_MOTION_H
#define SAL_MOTION_H

#include "engine/equations/equations.h"

/* ------------------------------------------------------------------------------------------------------------ */

/* one model with numbers: parameters, a state, and what follows from them.
 *
 * Index-1 form        K [a; lambda] = [F; C],                               K = [M Phi_q^T; Phi_q 0]
 * with Baumgarte      C - 2 xi omega Phidot - omega^2 Phi  in place of C
 * Penalty form        the same with -1/alpha in the lower right corner: eliminating lambda gives
 *                     (M + Phi_q^T alpha Phi_q) a = F - Phi_q^T alpha (-C + 2 xi omega Phidot + omega^2 Phi) and
 *                     lambda = alpha (Phiddot + 2 xi omega Phidot + omega^2 Phi), without ever forming the
 *                     product, which is denser and worse conditioned */
typedef struct sal_tangent  sal_tangent; /* below; NULL where nothing is to be differentiated */
typedef struct sal_pullback sal_pullback;

typedef struct sal_system {
    const sal_model *model;
    sal_rows         rows;     /* in the mode: */
    sal_row_mode     mode;     /* changed by sal_system_set_mode only */
    bool             prepared; /* K is that of the mode in prepared_for */
    sal_row_mode     prepared_for;
    int              shares;   /* which rows share what is not determined in the mode (sal_sharing); 0: all is */
    bool             near;     /* K is almost singular at the state, its factors have a corner */
    bool             left_out; /* ...and so much so that forces are left out */
    bool             lined;    /* K has been almost singular since this was set back: links come into line */
    bool             bent;     /* the last projection has left rows open there, by its corner: the motion may turn */
    bool             plainly;  /* K gets no corner there, unless forces decide */
    double           usual;    /* the largest rcond of K when a mode began */
    double          *share;    /* [m] weight of a row among them, 0: 1; a larger one gets less */
    double          *soft;     /* [m] the corner for it */
    double           least;    /* ...of a row with weight 1 */
    double          *open;     /* [m] what a row was open by when its contact closed, and keeps; NaN: it has none */
    double          *about;  /* [m] what multipliers that are not determined are nearest to in the mode; 0: the least */
    double          *solved; /* [m] multipliers as solved, before forces of rows are shared out (portions.c) */
    sal_form         form;
    bool             damped; /* 2 xi omega Phidot + omega^2 Phi is added: penalty, Baumgarte */
    double           xi, omega;
    bool             sides_fixed; /* sides (model/sides.c) are those that a run has set; else they follow the state */
    double          *knot, *bend; /* [knots of all vectors] their values, and second derivatives of cubics */
    double          *bends;       /* [3][knots of the longest] workspace */
    double          *sides_kept;  /* [sides] while they follow it for once */
    bool             quiet;       /* no warnings */
    const sal_watch *watch;       /* what may end a search; NULL: nothing */

    double       *z, *zd, *zdd; /* [nz]; q, v, a in front */
    double       *lambda;       /* [m] */
    double        energy;       /* kept up to date only where a program asks for it */
    const double *source[SAL_SRC_COUNT];

    double       length;                     /* of the mechanism as it starts, see sal_scale */
    double      *mass;                       /* [masses] */
    double      *gravity, *force;            /* [nz] */
    double      *entry;                      /* of Phi_q, and of the extra rows behind it */
    double      *phi, *phidot;               /* [m] as last evaluated */
    double      *c;                          /* [m] C of Phi_q a = C */
    double      *row_square;                 /* [m] |row|^2 of Phi_q in assembly */
    double      *corner;                     /* [rows of the largest system] */
    double      *rhs;                        /* [size of the largest system] */
    double      *value, *first;              /* [program_max] */
    sal_arena    arena;                      /* workspace of one call */
    double      *start_weight, *start_given; /* [n], [2 n] of assembly */
    sal_row_mode every;                      /* all rows hold */
    sal_row_mode whole, part, independent; /* of assembly: the mode, that of the positions, without rows that depend */
    double      *target;                   /* [setters] velocities that an event sets */

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
/* The sides that arguments are on at the state; whether that changes any. For once, where what is fixed is not finite
 * beyond zero: lets them follow the state, and sets them back to what they were. */
bool sal_system_take_sides(sal_system *s);
void sal_system_let_sides(sal_system *s);
void sal_system_fix_sides(sal_system *s);
/* What earlier motions have left: pivots, and how regular K was. A run begun again has the same bits. */
void sal_system_forget(sal_system *s);
/* The one way to change the mode. */
void sal_system_set_mode(sal_system *s, const sal_row_mode *mode);
/* Before accelerations in a mode: prepares the equations of motion, and finds out whether rows depend on each other. */
void sal_system_prepare(sal_system *s);
/* Factors K, with the rows in s->entry, for rows that may depend on each other, with a corner of this size; for
 * sal_kkt_solve_exact. */
sal_status sal_system_factor_least(sal_system *s, double corner);
/* After sal_system_accelerate: where the rows that share first are not determined, shares it among them in proportion
 * to
 * the forces of their partners (friction to normal forces: that lets contacts stick longest); accelerates again. Holds
 * as long as the mode does. */
sal_status sal_system_share(sal_system *s);
/* The same for impulses, whose factors were made by sal_system_factor_least: factors anew. Whether it matters.
 * SAL_ERR_SINGULAR: it is not friction alone that is undetermined. */
sal_status sal_system_share_first(sal_system *s, const double *lambda, bool *matters);
/* Back to how rows share before that: factors anew. */
sal_status sal_system_unshare(sal_system *s);
/* After sal_system_prepare: of multipliers that are not, or hardly, determined those nearest to `about` [m] are taken,
 * as long as the mode holds. Accelerates. */
sal_status sal_system_choose_about(sal_system *s, const double *about);
/* Adds row r of Phi_q, in s->entry, to a dense row [n]; `acting`: that along which its force acts. */
void sal_system_add_row(const sal_system *s, int r, bool acting, double *a);
/* Fills in the forces of rows that only act: lambda_along = factor lambda_row. */
void sal_system_add_couplings(const sal_system *s, double *lambda);
/* portions.c: the forces of rows that share one, and what that means for other rows; lambda as solved, [m]. K is
 * that of the state, with s->entry. Its change Lambda [m][p] as solved, for lambda with portions; and cotangents of
 * lambda, back to those as solved (t: their own to factors). */
/* The force of the partner of a row, or of all of its group where it leads one; of column 0 of lambda [m][columns]. */
double sal_portions_load(const sal_system *s, const double *lambda, int columns, int r);
void   sal_portions_value(sal_system *s, double *lambda);
void   sal_portions_jvp(sal_tangent *t, sal_system *s, const double *lambda, double *Lambda);
void   sal_portions_vjp(sal_pullback *t, sal_system *s, double *lambda_bar);
/* Formulation, and the scaling of its equations for states like this one. */
void sal_system_set_form(sal_system *s, sal_form form, sal_stabilization stabilization);

/* Moves to (t, q, v): fills z and zd and the functions of time. q or v NULL: as they are. */
void sal_system_move(sal_system *s, double t, const double *q, const double *v);
/* a and lambda at the state. SAL_ERR_SINGULAR, SAL_ERR_NUMBER: not there (sal_system_explain says why). */
sal_status sal_system_accelerate(sal_system *s);
/* Puts the Jacobian in s->entry into K, with the couplings. */
void sal_system_set_rows(sal_system *s);
/* Solves with the factors made last, for `columns` right-hand sides. */
void sal_system_solve(sal_system *s, double *b, int columns);
/* The same of right-hand sides side by side, x [n][columns] and y [m][columns]. False: it has to be the other way. */
bool sal_system_solve_rows(sal_system *s, double *x, double *y, int columns);
void sal_system_solve_transposed(sal_system *s, double *b, int columns); /* the same with K^T */
/* Puts the reason of a failed solve at the state into the message; slow. */
sal_status sal_system_explain(sal_system *s, sal_status status, const sal_kkt *kkt);

/* Notes the angles of the bodies, so that angle() can count turns; `start`: from anew. A body must turn by less than
 * half a turn in between. */
void sal_system_count_turns(sal_system *s, bool start);
/* Chooses where the count starts, for what reads it: positions and time are those of the start, counted from anew. */
sal_status sal_system_start_turns(sal_system *s);

/* Largest |Phi| and |Phidot| at the state. */
void sal_system_residual(sal_system *s, double *phi, double *phidot);
/* Mass-orthogonal projection of the state: minimise |dq|_M subject to Phi(q + dq) = 0, then |dv|_M subject to Phidot
 * = 0. Or in the metric of an implicit step; NULL: of the masses. */
sal_status sal_system_project(sal_system *s, sal_shift *metric);
/* The factors that it works with, at the state. */
sal_status sal_system_factor_projected(sal_system *s, sal_shift *metric);

double sal_system_energy(const sal_system *s);
double sal_system_value(sal_system *s, const sal_program *program); /* at the state; a and lambda as last computed */

/* Where a run may start from another place than the scene says: by coordinate, NaN: as the scene says. */
typedef struct sal_initial {
    const double *q, *v; /* [n] */
} sal_initial;

/* assemble.c: consistent q and v at t from the scene's, and Q and V; errors name the joint that stays open. */
sal_status sal_system_assemble(sal_system *s, double t, sal_initial initial, sal_tangent *tangent);
/* jump.c: the velocities that an event sets, from the state before it; then replaces v by that after the event. The
 * tangent comes with derivatives along the event, q' and v'- (theory:
 * Q- + v- tau', V- + a- tau') and leaves with q' and v'+. */
sal_status sal_system_jump_targets(sal_system *s, int event, sal_tangent *tangent);
sal_status sal_system_jump(sal_system *s, int event, sal_tangent *tangent);
void       sal_system_prepare_jumps(sal_system *s); /* at the start: an event allocates nothing later */

/* ------------------------------------------------------------------------------------------------------------ */

/* how large the numbers of a mechanism are at a state.
 *
 * Whether a force, an impulse or a velocity is zero can only be told in comparison with others. A net is no measure: it
 * vanishes exactly where the question is asked (a contact lets go where the forces on it balance). So sizes are sums
 * over parts: |gravity| + sum |spring| + sum |effort| + ..., coordinate by coordinate. Nor is a part a measure of its
 * own
 * rounding errors where it is a difference itself, k (l - l0): the sum of what parts are made of, k times the
 * coordinates and l0, is kept beside it. */
typedef struct sal_scale {
    double length;       /* of the mechanism [m] */
    double speed;        /* the largest |v| [m/s] */
    double natural;      /* speed that its accelerations give it over its own length, sqrt(acceleration length) */
    double force;        /* the largest sum of the parts of a force, and a little of what they are differences of */
    double operands;     /* the largest sum of the numbers that such parts are differences of */
    double acceleration; /* the largest force by parts over its mass, and of the accelerations there are */
} sal_scale;

/* At the state that the system is in, with accelerations and multipliers as last computed. */
sal_scale sal_scale_at(sal_system *s);
/* The same of accelerations, coordinate by coordinate: size [nz], of which what lies behind q is nobody's. */
void sal_scale_accelerations(sal_system *s, double *size);
/* The value of a program there, and the sum of what it is made of: |value| + sum of |dr/dz z| over what it reads. */
double sal_scale_of(sal_system *s, const sal_program *program, double *value);
/* The same with coordinates as large as the mechanism at least, velocities as the largest: also at the origin. */
double sal_scale_around(sal_system *s, const sal_program *program, double *value);
/* The length alone, of the assembled mechanism: the box around its points. */
double sal_scale_length(const sal_system *s);

/* ------------------------------------------------------------------------------------------------------------ */

/* how a system changes with its parameters: the tangent linear model.
 *
 * For p parameters at once, all arrays slot by slot, [.][p]:  dz = dz/drho with Q = dq/drho in front, dzd with V,
 * dzdd with A. With the factors of K that the state has just been solved with,
 *
 *     K [A; Lambda] = [ d(F - M a - Phi_q^T lambda) ;
 *                       -d(Phiddot + 2 xi omega Phidot + omega^2 Phi - lambda/alpha) ]       with a, lambda held
 *
 * in both forms: the penalty form is the same system with D = -1/alpha (above). What is no coordinate has known
 * derivatives: values follow from their programs once, functions of time at every evaluation. */
typedef struct sal_wrt { /* what to differentiate with respect to, one of: */
    int      parameter;  /* index, or -1 */
    int      coordinate; /* an initial coordinate, or with `velocity` its initial velocity; or -1 */
    bool     velocity;
    sal_slot memory; /* of a memory, its value at the start; that of a coordinate (0): of none */
    sal_slot alone;  /* of a value that does not depend on memory or time: itself, not what is made of it; 0: of none */
} sal_wrt;

struct sal_tangent {
    int      p;
    sal_wrt *wrt;          /* [p] */
    double  *z, *zd, *zdd; /* [nz][p] */
    double  *lambda;       /* [m][p] */
    double  *mass;         /* [masses][p] */
    int     *changing;     /* entries of the mass matrix that change: with parameters, or next to a driven point */
    int      nchanging;
    bool    *inert;           /* [terms] terms of the rows that never change */
    double  *gravity, *force; /* [nz][p] */
    double  *row, *row2;      /* [m][p] */
    double  *none;            /* [nz][p] zero */
    double  *corner;          /* [m][p] of D */
    double  *xi, *omega;      /* [p] */
    double  *energy;          /* [p] workspace of sal_tangent_value */
    double  *number;          /* [p] for its callers */
    double  *target;          /* [setters][p] velocities that an event sets */
    double  *share;           /* [m][p] change of the weights by which rows share what is not determined, over them */
    double  *share_start;     /* [m][p] of those of the equilibration */
    bool    *only;            /* [m] workspace */
    double  *rhs;             /* [p][size of the largest system]: by columns, as KLU wants it */
};

sal_status     sal_tangent_init(sal_tangent *t, const sal_model *model, sal_pool *pool, const sal_wrt *wrt, int p);
sal_directions sal_tangent_directions(const sal_tangent *t);

/* After sal_system_set_values: derivatives of all values. SAL_ERR_NUMBER with a message when one does not exist. */
sal_status sal_tangent_set_values(sal_tangent *t, sal_system *s, const double *given);

/* knots.c: parameters that are functions of time. Their knots; the pieces that hold at t, of two that meet there the
 * later one; the piece of a vector that follows. */
void sal_knots_set(sal_system *s, const double *given);
void sal_knots_start(sal_system *s, double t);
void sal_knots_next(sal_system *s, int vector);
/* When the first of the pieces ends, and whose that is; -1: none does. */
double sal_knots_end(const sal_system *s, int *vector);
int    sal_knots_longest(const sal_tables *tables);
/* Piece i depends on the knots from i less this to i + 1 and this. */
enum { SAL_KNOTS_REACH = 40 }; /* of cubics, see knots.c: (2 - sqrt 3)^40 = 1e-23 */
int sal_knots_reach(const sal_vector *v);
/* The derivatives of the pieces' factors, into the rows of their slots. */
void sal_knots_rows(sal_tangent *t, sal_system *s);
/* 1 in the columns of a factor by itself (sal_wrt.alone); and transposed: what the factors of the pieces that hold have
 * collected goes to the knots, of_knot [knots] their places in gradient, -1: none; and is zero then. */
void sal_knots_alone(sal_tangent *t, const sal_system *s);
void sal_knots_pull(sal_pullback *t, sal_system *s, const int *of_knot, double *gradient);
/* Those of one vector by one knot, and the sum of their sizes; 0: the piece does not depend on it. Once prepared, for
 * the piece that holds. */
void   sal_knots_prepare(sal_system *s, int vector);
double sal_knots_change(sal_system *s, int vector, int knot, double factor[4]);
/* After sal_system_refresh: derivatives of the values that depend on memory. */
void sal_tangent_refresh(sal_tangent *t, sal_system *s);
/* A memory begins with a number of its own: only the direction of its initial value changes it. */
void sal_tangent_start_memory(sal_tangent *t, sal_slot memory);
/* After sal_system_set_form: those of its settings. */
void sal_tangent_set_form(sal_tangent *t, const sal_system *s);

/* After sal_system_move: takes over Q and V [n][p] (NULL: as they are) and moves the functions of time. A is zero
 * afterwards. */
void sal_tangent_move(sal_tangent *t, sal_system *s, const double *Q, const double *V);
/* After sal_system_accelerate at the same state: A in zdd, Lambda in lambda. */
void sal_tangent_accelerate(sal_tangent *t, sal_system *s);
/* Only the equations that these solve, with a and lambda held: into rhs. */
void sal_tangent_equations(sal_tangent *t, sal_system *s);
/* Adds -M_rho d, d a jump of the velocities, to force. */
void sal_tangent_add_mass_change(const sal_tangent *t, const sal_system *s, const double *jump, double *force);
/* Couplings with the forces or impulses `lambda`: the change of their factors is a force; and the change of the forces
 * that only act, into their rows of Lambda. */
void sal_tangent_add_couplings(sal_tangent *t, const sal_system *s, const double *lambda, double *force);
void sal_tangent_couplings(const sal_tangent *t, const sal_system *s, const double *lambda, double *Lambda);
/* chosen.c: of multipliers that are not determined, `lambda` as solved, what the change of the choice adds to their
 * change Lambda as solved, with the factors at hand. How its weights change: at the start, after sal_system_set_form;
 * those of the start again; where friction is shared by the normal forces in lambda, which change by Lambda. */
void sal_chosen_jvp(sal_tangent *t, sal_system *s, const double *lambda, double *Lambda);
void sal_chosen_vjp(sal_pullback *t, sal_system *s, const double *lambda_bar); /* transposed */
void sal_chosen_start(sal_tangent *t, sal_system *s);
void sal_chosen_by_start(sal_tangent *t, const sal_system *s);
void sal_chosen_by_normals(sal_tangent *t, const sal_system *s, const double *lambda, const double *Lambda);
/* Brings Q and V back to Phi_q Q + Phi_rho = 0 and its time derivative, with the factors of sal_system_project. */
void sal_tangent_project(sal_tangent *t, sal_system *s, sal_shift *metric);
/* Largest |Phi_q Q + Phi_rho| and |d(Phidot)/drho|. */
void sal_tangent_residual(sal_tangent *t, const sal_system *s, double *phi, double *phidot);

/* The motion itself as a direction: a tangent with one column, wrt nothing (SAL_ALONG_MOTION), gives d/dt of a program
 * at
 * the state. Accelerations and multipliers change along it by solving the differentiated equations, like any other
 * sensitivity: dz = zd, dzd = zdd, t' = 1. */
#define SAL_ALONG_MOTION ((sal_wrt){ .parameter = -1, .coordinate = -1 })
double sal_tangent_rate(sal_tangent *motion, sal_system *s, const sal_program *program);
/* The rates of accelerations and multipliers alone: into motion->zdd and motion->lambda. The system is accelerated. */
sal_status sal_tangent_move_along(sal_tangent *motion, sal_system *s);

/* d(program)/drho at the state, [p]; A and Lambda as last computed. */
void sal_tangent_value(sal_tangent *t, sal_system *s, const sal_program *program, double *out);
void sal_tangent_energy(sal_tangent *t, const sal_system *s, double *out);

/* Columns of a [rows][p] array into right-hand sides of length `size` from row `from` on, times `factor`; and back. */
void sal_tangent_to_rhs(const sal_tangent *t, const double *rows, int count, int size, int from, double factor);
void sal_tangent_from_rhs(const sal_tangent *t, double *rows, int count, int size, int from);

/* ------------------------------------------------------------------------------------------------------------ */

/* the transposed of the tangent: what all that a quantity depends on contributes to its derivative, at once.
 *
 * With cotangents of the accelerations and multipliers at a state, [a; lambda] = d(quantity)/d(a, lambda), one solve
 *
 *     K^T [x; y] = [a; lambda]
 *
 * and with x and y the vjp's of all sources give the cotangents of z, zd, zdd and the masses: as many numbers as there
 * are slots, whatever their number. For any direction, <(a, lambda), (A, Lambda)> = <cotangents, direction>. */
struct sal_pullback {
    double *z, *zd, *zdd; /* [nz] cotangents so far; q and v in front, zero for a */
    double *mass;         /* [masses] */
    double *share;        /* [m] of the weights by which rows share, over them; see sal_tangent */
    double *w;            /* [nz] workspace: forces */
    double *row;          /* [2 m] workspace */
    double *rhs;          /* [n + m] workspace */
};

sal_status     sal_pullback_init(sal_pullback *t, const sal_model *model, sal_pool *pool);
void           sal_pullback_clear(sal_pullback *t, const sal_model *model);
sal_cotangents sal_pullback_cotangents(const sal_pullback *t);
/* After sal_system_accelerate at the same state: adds what the cotangents a [n] and lambda [m] lead to. Functions of
 * time have handed theirs on to what they read, t among it, and have none afterwards. */
void sal_pullback_accelerate(sal_pullback *t, sal_system *s, const double *a, const double *lambda);
/* After sal_system_move and what follows there: the cotangent `weight` of a program's value. What it reads of
 * accelerations and multipliers is added to a [n] and lambda [m], for sal_pullback_accelerate at the same state. */
void sal_pullback_value(sal_pullback *t, sal_system *s, const sal_program *program, double weight, double *a,
                        double *lambda);
/* Functions of time hand theirs on, as above: where nothing is accelerated. */
void sal_pullback_timed(sal_pullback *t, sal_system *s);
/* The transposed of sal_tangent_project, with the factors of a projection (sal_system_factor_projected). */
void sal_pullback_project(sal_pullback *t, sal_system *s);
/* Values that depend on memory hand on to what they are made of, by memory as it is now, and have none afterwards. */
void sal_pullback_kept(sal_pullback *t, sal_system *s);
/* At the end, once: masses into their values, and values in reverse order into what they are made of. The slot of a
 * parameter then has the derivative with respect to it. `given` as in sal_system_set_values. */
void sal_pullback_values(sal_pullback *t, sal_system *s, const double *given);

/* ------------------------------------------------------------------------------------------------------------ */

/* what an implicit step needs to know of the equations of motion: how their right-hand sides change with q and v
 * (solve.h, sal_shift), by the tangent along a colour of coordinates at a time. */
typedef struct sal_implicit {
    sal_shift   shift;
    sal_tangent along; /* two columns for every colour, along q and along v; wrt nothing */
} sal_implicit;

sal_status sal_implicit_init(sal_implicit *x, const sal_model *model, sal_pool *pool);
void       sal_implicit_free(sal_implicit *x);
/* After sal_system_accelerate, at that state: of a stage, or of the beginning of the step (SAL_STAGES). */
void sal_implicit_linearize(sal_implicit *x, sal_system *s, int place);

/* ------------------------------------------------------------------------------------------------------------ */

/* independent and dependent coordinates.
 *
 *     Phi_q = [Phi_dep Phi_dof], Phi_dep regular:  x_dep = -Phi_dep^-1 (Phi_dof x_dof + rest) where Phi_q x + rest = 0
 *
 * Chosen by Gaussian elimination with complete pivoting of rows scaled to length 1: a pivot is the largest entry left
 * among the columns that are not preferred as independent, and among those only when nothing else is left. There are as
 * many as rows are independent (sal_rank_find); those without a pivot depend on the others. Dense: for the start, for
 * events and for information. */
typedef struct sal_partition {
    int      n, m;
    int      rank;                   /* dependent coordinates, independent rows */
    int     *dep, *dof;              /* [rank], [n - rank] coordinates */
    int     *row;                    /* [rank] rows that determine them */
    double  *lu;                     /* [rank * rank] factors of Phi_dep */
    int     *pivot;                  /* [rank] */
    double  *work;                   /* [m * n] */
    sal_rank held;                   /* the rows that hold */
    bool    *row_done, *column_done; /* [m], [n] */
    double   quality;                /* smallest over largest pivot: 0 is singular */
} sal_partition;

sal_status sal_partition_init(sal_partition *p, const sal_model *model, sal_pool *pool);
/* Chooses for the rows that hold, their Jacobian in s->entry and what does not hold zero there
 * (sal_rows_held_jacobian); preferred [n] may be NULL. */
void sal_partition_choose(sal_partition *p, const sal_system *s, const bool *preferred);
/* Replaces b [rank][columns], by rows in the order of `row`, by Phi_dep^-1 b in the order of `dep`. */
void sal_partition_solve(const sal_partition *p, double *b, int columns);

/* ------------------------------------------------------------------------------------------------------------ */

/* The rows that hold, with the entries in s->entry, one after the other: row [m][n] and which they are, index [m] or
 * NULL. How many. `acting`: the directions in which they act, normal forces along with the friction of what slides. */
int sal_structure_rows(const sal_system *s, bool acting, double *row, int *index);

/* Rows that depend on each other, singular configurations. */
typedef struct sal_dependent { /* a row that those before it determine: grad Phi_row = sum factor grad Phi_of */
    int     row;
    int    *of; /* [count] */
    double *factor;
    int     count;
    bool    here; /* only in this configuration */
} sal_dependent;

typedef struct sal_structure {
    int    rows; /* that hold */
    int    rank;
    double singular; /* smallest singular value over the largest, those that are zero left out; 1 without rows */
    sal_dependent *dependent;
    int            ndependent;
} sal_structure;

/* The rows that hold at the state that the system is in; everything is the pool's. SAL_OK or SAL_ERR_MEMORY. */
sal_status sal_structure_find(sal_system *s, sal_pool *pool, sal_structure *out);

/* Takes the rows out of a mode that those before them determine to within `almost` (of a row of length 1). SAL_OK,
 * SAL_ERR_MEMORY, or SAL_END: there are none, or the model is too large to look. */
sal_status sal_structure_drop(sal_system *s, double almost, sal_row_mode *mode);

/* Names the constraints that depend on each other, those that come and go left out: "rod1, rod2, pin.x", cut where
 * they are many.
 * Empty: there are none, or the model is too large to look. */
void sal_structure_name(sal_system *s, char *text, size_t room);
/* Marks rows [m] that almost depend on each other at the state; factors anew. False: K cannot be factored. */
bool sal_structure_find_lined(sal_system *s, bool *mark);
/* Rows that change by themselves at the state, Phi_t = Phidot - Phi_q v: those of drivers. */
void sal_structure_find_driven(sal_system *s, bool *mark);
void sal_structure_name_rows(const sal_model *model, const bool *mark, char *text, size_t room);

/* ------------------------------------------------------------------------------------------------------------ */

/* A state given as arrays, to be looked at while the system is elsewhere: nothing is changed but the caller's
 * workspace,
 * value and first [program_max], so that any number of threads can look. */
typedef struct sal_view {
    const sal_system  *system;  /* its model and masses */
    const sal_tangent *tangent; /* NULL: no derivatives */
    const double      *z, *zd, *zdd, *lambda;
    const double      *dz, *dzd, *dzdd, *dlambda; /* [.][p] */
} sal_view;

double sal_view_energy(const sal_view *view, double *value);
double sal_view_value(const sal_view *view, const sal_program *program, double *value);
/* Into out [p]; energy [p] is workspace. */
void sal_view_gradient(const sal_view *view, const sal_program *program, double *value, double *first, double *energy,
                       double *out);

#endif
