/* model/ - what a mechanism consists of, as tables and programs without a number in them: the tables that a scene comes
 * down to, and a model, their equations in the shape in which they are solved. Immutable once made; knows nothing of
 * JSON, of the scene it came from, or of KLU.
 *
 * Slots of z (see ext.h), n = dimension * free points:
 *
 *     0 .. n-1   q, the coordinates of each free point, x and y, in the order of the scene
 *     n, n+1     the constants 0 and 1
 *     n+2        t
 *     n+3 ..     values: parameters first, then every number of the scene and what elements derived from them
 *
 * Nothing in a scene has a numeric value yet: a value is a program over slots before it in evaluation order. */
#ifndef SAL_MODEL_H
#define SAL_MODEL_H

#include "engine/expr/expr.h"
#include "engine/ext.h"
#include "engine/solve/solve.h"

typedef enum sal_section { SAL_BODIES, SAL_JOINTS, SAL_CONTACTS, SAL_SECTIONS } sal_section;

typedef struct sal_place { /* in the file, for messages after loading */
    const char *path;
    int         line, column;
} sal_place;

typedef struct sal_value {
    sal_program program;
    sal_slot    slot;
    sal_range   range;
    bool        timed;  /* depends on t */
    bool        memory; /* events set it */
    sal_place   place;
    const char *text; /* as written */
} sal_value;

typedef struct sal_parameter {
    const char *name;
    sal_slot    slot; /* SAL_NONE: a knot of a vector */
} sal_parameter;

/* A parameter that is a function of time: knots, which are parameters behind those that are single numbers, and in
 * slots the piece of it that holds now, c0 + s (c1 + s (c2 + s c3)), s = t - begin (motion/knots.c). */
typedef enum sal_knots_kind { SAL_KNOTS_STEPS, SAL_KNOTS_LINEAR, SAL_KNOTS_CUBIC } sal_knots_kind;

enum {
    SAL_PIECE_BEGIN,
    SAL_PIECE_END,
    SAL_PIECE_FACTORS,                       /* c0 .. c3 */
    SAL_PIECE_INDEX = SAL_PIECE_FACTORS + 4, /* which piece it is; -1: before the first */
    SAL_PIECE_SLOTS,
    SAL_KNOTS_MOST = 10000
};

typedef struct sal_vector {
    const char    *name;
    sal_knots_kind kind;
    double         from, to; /* [s] */
    int            first, n; /* its knots among the parameters */
    const double  *start;    /* [n] */
    sal_slot       window;   /* first of SAL_PIECE_SLOTS */
    sal_slot       now;      /* its value */
} sal_vector;

enum { SAL_AXES = 2 }; /* room for the axes of space; there are tables->dimension of them */

/* What a point is made of, a linear combination of two basic points i and j,
 *
 *     p = p_i + alpha (p_j - p_i) + beta R (p_j - p_i),       R (x, y) = (-y, x)
 *
 * which covers basic points (j = i, alpha = beta = 0) and markers fixed to a body. Coordinates go by their axis, or by
 * their names where the plane is written out. */
typedef struct sal_basis {
    union {
        sal_slot i[SAL_AXES];
        struct {
            sal_slot xi, yi;
        };
    };
    union {
        sal_slot j[SAL_AXES];
        struct {
            sal_slot xj, yj;
        };
    };
    sal_slot alpha, beta; /* both the slot of 0 for a basic point */
} sal_basis;

typedef enum sal_point_kind { SAL_FREE, SAL_FIXED, SAL_MARKER } sal_point_kind;

typedef struct sal_point_def {
    const char    *name;
    sal_point_kind kind;
    sal_point      point;              /* leads to its basis */
    sal_slot       at[SAL_AXES];       /* where the scene puts it; of a marker: in the body frame */
    sal_slot       velocity[SAL_AXES]; /* initial, SAL_NONE when not given; of free points */
    bool           dof[SAL_AXES];      /* x, y marked as independent */
    bool           broken;             /* had errors: keep quiet about what follows from them */
    int            body;               /* of a marker */
} sal_point_def;

typedef struct sal_element {
    const char *name;
    sal_section section;
    const char *type; /* its name */
    sal_place   place;
    sal_slot    alpha;     /* penalty factor of its rows, SAL_NONE: that of the scene */
    int         row, nrow; /* rows it emitted */
    bool        idle;      /* its rows do not hold when the run starts */
    bool        framed;    /* a body with a direction, ends[0] to ends[1] */
    sal_point   ends[2];
    sal_slot    turn;   /* three slots: its angle when turns were counted last, and its direction then */
    sal_slot    first;  /* its whole turns when the run starts [rad] */
    bool        broken; /* had errors, or is not emitted yet */
} sal_element;

/* One term c z_s (z_i - z_j)(z_k - z_l) of a row; z_s is constant. */
typedef struct sal_term {
    double   c;
    sal_slot s, i, j, k, l;
    int      row;
    bool     square; /* i = k and j = l: c z_s (z_i - z_j)^2 */
} sal_term;

/* Where rows depend on each other their multipliers are not determined, and the least are taken: of as few rows as
 * possible, those that share first, then those that share next, then all. */
typedef enum sal_sharing { SAL_SHARES_FIRST = 1, SAL_SHARES_NEXT, SAL_SHARES_LAST } sal_sharing;

typedef struct sal_row {
    const char *name; /* "bar1", "pin.x" */
    int         element;
    bool        idle;    /* does not hold when the run starts */
    sal_program formula; /* of a row that is no sum of terms: Phi or, with `rate`, Phidot */
    bool        rate;
    int         partner; /* row whose force may act along this one too, or along which this one's may; -1: none */
    sal_sharing sharing; /* where rows depend on each other */
} sal_row;

typedef struct sal_reaction { /* a force or torque in physical units that follows from multipliers */
    const char *name;         /* "rod.tension" */
    const char *unit;
    sal_program program;
} sal_reaction;

typedef struct sal_mass {
    sal_slot i, j, value; /* i == j: diagonal */
} sal_mass;

typedef struct sal_spring {
    sal_basis p, q;
    sal_slot  stiffness, length, damping;
    int       element; /* whose it is */
} sal_spring;

typedef struct sal_effort { /* a generalised force: does the power force * rate */
    sal_program rate;       /* a velocity, linear in ZD */
    sal_program force;
    int         element; /* whose it is */
} sal_effort;

typedef enum sal_touch_event {
    SAL_TOUCHES,
    SAL_RELEASES,
    SAL_SLIPS,
    SAL_STICKS,
    SAL_JAMS,
    SAL_ENDS, /* it comes to where there is no contact any more; its function says where there is: >= 0 */
    SAL_TOUCH_EVENTS
} sal_touch_event;

/* A unilateral contact: gap >= 0. Its rows are -gap = 0 and, where it has a tangent, -slip = 0, slip being the
 * tangential velocity: their multipliers are the normal force and the friction force along the tangent [N]. */
typedef struct sal_touch {
    const char *name;                    /* "floor", "floor.P2" */
    int         normal, tangent;         /* rows; tangent -1: nothing acts along it */
    int         event[SAL_TOUCH_EVENTS]; /* by sal_touch_event; -1: none */
    sal_slot    restitution, rest, mu_static, mu_kinetic;
    sal_slot    is_closed; /* 1: it is, 0: it is not; as decided last */
    sal_slot    on;        /* memory: 0 while events have it off; SAL_NONE: it always is on */
    bool        newton;    /* its restitution is Newton's: of velocities, not of impulses */
    bool        bonded;    /* while it is closed nothing slips, whatever the force */
    bool        closed;    /* it is when the run starts */
    int         follower;  /* whose contact it is, with changing parts of a line; -1: none */
} sal_touch;

/* A place where two sides can touch, and what expressions can read of it (scene/gaps.c). */
typedef enum sal_gap_quantity {
    SAL_READ_GAP,
    SAL_READ_SLIP,
    SAL_READ_NORMAL,
    SAL_READ_FRICTION,
    SAL_READ_CLOSED,
    SAL_READ_ACTIVE,
    SAL_GAP_QUANTITIES
} sal_gap_quantity;

typedef struct sal_gap {
    const char *name;                        /* "floor", "floor.P2" */
    sal_program program[SAL_GAP_QUANTITIES]; /* of slip n == 0: there is no tangent */
} sal_gap;

/* Something that can touch a polyline, and its contacts (ext.h: sal_follow). */
typedef struct sal_follower {
    sal_follow follow;
    int        line;  /* in `lines` */
    sal_slot   slots; /* first of SAL_PART_SLOTS for each contact */
    int        touch; /* first contact */
} sal_follower;

typedef struct sal_setter { /* velocity+ = value(-) */
    sal_program velocity;   /* linear in ZD */
    sal_program value;
} sal_setter;

typedef struct sal_event {
    const char     *name; /* "floor", "floor.P2" */
    int             element;
    sal_direction   direction;
    sal_program     when, guard; /* guard.n == 0: none */
    int             set, nset;   /* first of its setters, how many */
    bool            stop;
    bool            gap;   /* `when` is a distance that should not be negative */
    int             touch; /* of a contact, -1: none */
    sal_touch_event kind;  /* what it means to the contact */
    int             side;  /* of an event of the engine's own: its side, counted from 1; 0: it is one of the scene */
    const char     *undefined; /* why `when` may be no number, for the message; NULL: unknown */
} sal_event;

/* The side of zero, -1, 0 or 1, that an argument is on by which forces, costs or functions of time switch (sides.c). */
typedef struct sal_side {
    sal_slot slot;   /* in z */
    int      event;  /* whose function is the argument */
    bool     jumps;  /* what switches jumps there, not only its slope */
    int      vector; /* whose piece ends there, counted from 1: it is on one side only; 0: none */
} sal_side;

typedef enum sal_switch_kind { SAL_RELEASE, SAL_HOLD, SAL_RELEASE_AFTER } sal_switch_kind;

typedef struct sal_switch { /* rows that an event lets hold from then on, or no longer */
    int             event, element;
    sal_switch_kind kind;
} sal_switch;

typedef struct sal_memory { /* a number that events set */
    const char *name;
    sal_slot    slot;
} sal_memory;

typedef struct sal_note { /* memory+ = value(-) at an event */
    int         event;
    sal_slot    slot;
    sal_program value;
    bool        after; /* when the velocities have jumped */
} sal_note;

typedef struct sal_output { /* a named expression of the scene */
    const char *name;
    sal_program program;
} sal_output;

typedef struct sal_cost {
    const char *name;
    sal_program running, terminal; /* n == 0: none */
    bool        average;           /* what is running is divided by how long it took */
    sal_program peak;              /* whose largest value is added */
    sal_program value;             /* added at each of its sal_cost_times */
} sal_cost;

typedef struct sal_event_cost { /* added to a cost each time an event happens, */
    int         cost, event;
    int         occurrence; /* or, counted from 1, at this one alone; 0: each time */
    sal_program program;
} sal_event_cost;

typedef struct sal_cost_time { /* at which the value of a cost is added */
    int      cost;
    sal_slot time;
} sal_cost_time;

typedef struct sal_cycle_def {         /* of periodic motions: see studies/cycle.h */
    int              section;          /* event, -1: none given */
    sal_slot         period;           /* of what drives the motion, SAL_NONE: a section closes the cycle */
    const sal_point *role;             /* of each free point: the point that takes its role; NULL: all keep theirs */
    const int       *memory;           /* [memory] the same of memory */
    int              origin[SAL_AXES]; /* coordinate that is brought back to its place along the axis, -1: none */
    sal_place        origin_place, period_place;
} sal_cycle_def;

/* An item of the drawing: see saltus.h and the drawing part of ext.h. Numbers are slots, SAL_NONE where the kind has
 * none; programs are empty where it has none. */
typedef struct sal_drawn {
    sal_drawing_kind kind;
    int              element, body, reference; /* elements, -1: none */
    const sal_point *points;                   /* SAL_NONE: the place `centre` of the body's frame */
    const int       *named;                    /* [npoints] index in the tables' points, -1: it has no name */
    int              npoints;
    sal_slot         radius, height, angle, speed, low, high, centre[SAL_AXES];
    sal_program      vector[SAL_AXES]; /* a force, or the normal of a contact */
    sal_program      size;             /* a torque, the radius of a gear, the normal force of a contact... */
    sal_program      friction;         /* ...and its friction force, */
    bool             left;             /* to the left of the normal */
    int              touch;            /* contact whose forces these are, -1: none */
    sal_program      curve;            /* height over the variable */
    bool             curved;           /* by a profile: no straight line */
} sal_drawn;

typedef struct sal_simulation {
    sal_slot duration, rtol, atol, output, max_step, min_step; /* atol: SAL_NONE as rtol; max_step: SAL_NONE none */
    sal_slot alpha, xi, omega;
    int      form, stabilization, integrator; /* sal_form, sal_stabilization, sal_integrator */
} sal_simulation;

/* Everything that a scene comes down to: names, values and the flat tables that its elements emitted. The loader of a
 * scene fills it once; from then on nobody changes it, and scenes and models share it. */
typedef struct sal_tables {
    sal_context *context;
    sal_pool     pool;
    int          references; /* atomic operations only */
    const char  *file;
    const char  *name;

    int            dimension; /* of space: 2 */
    int            n;         /* coordinates */
    sal_slot       zero, one, time;
    sal_slot       gravity[SAL_AXES];
    sal_simulation simulation;
    sal_cycle_def  cycle;

    SAL_VEC(sal_value) values;         /* in evaluation order */
    SAL_VEC(bool) timed;               /* of each slot of z: is it a function of time (t and timed values, not q) */
    SAL_VEC(bool) kept;                /* of each slot of z: memory, or a value that depends on it */
    SAL_VEC(sal_parameter) parameters; /* single numbers first, in the slots behind t, */
    int scalars;                       /* so many of them */
    SAL_VEC(sal_vector) vectors;
    SAL_VEC(sal_basis) bases; /* of all points, those without a name as well; a sal_point leads here */
    SAL_VEC(sal_point_def) points;
    SAL_VEC(sal_element) elements; /* bodies, joints, contacts, in this order */
    SAL_VEC(sal_term) terms;
    SAL_VEC(sal_row) rows;
    SAL_VEC(sal_reaction) reactions;
    SAL_VEC(sal_mass) masses;
    SAL_VEC(sal_spring) springs;
    SAL_VEC(sal_effort) efforts;
    SAL_VEC(sal_program) energies; /* that efforts store */
    SAL_VEC(int) energy_elements;  /* whose these are */
    SAL_VEC(sal_touch) touches;
    SAL_VEC(sal_line) lines;
    SAL_VEC(sal_follower) followers;
    SAL_VEC(sal_gap) gaps; /* of these, and of contacts whose laws hold nothing */
    SAL_VEC(sal_memory) memory;
    SAL_VEC(sal_event) events; /* of the scene, then the engine's own */
    int        shown_events;   /* of the scene */
    sal_search search;         /* what the scene says of it */
    SAL_VEC(sal_side) sides;
    SAL_VEC(sal_setter) setters; /* of the events, in their order */
    SAL_VEC(sal_switch) switches;
    SAL_VEC(sal_note) notes;
    SAL_VEC(sal_output) outputs;
    SAL_VEC(sal_cost) costs;
    SAL_VEC(sal_event_cost) event_costs;
    SAL_VEC(sal_cost_time) cost_times;
    SAL_VEC(sal_drawn) drawing;

    sal_names parameter_names, vector_names, memory_names, point_names, element_names[SAL_SECTIONS], row_names,
        reaction_names, gap_names, event_names;
    sal_names other_names; /* "floor.A" of a contact that is called "floor": its rows and events are so called, too */
    SAL_VEC(int) other_elements; /* which elements these are */
} sal_tables;

/* One reference; NULL when out of memory. */
sal_tables *sal_tables_create(sal_context *context, const char *file);
sal_tables *sal_tables_retain(sal_tables *tables);
void        sal_tables_release(sal_tables **tables); /* frees them with the last reference */

/* What a point of theirs is made of, NULL: there is none; and whether it is a basic point. */
const sal_basis *sal_basis_of(const sal_tables *tables, sal_point point);
bool             sal_basis_is_basic(const sal_basis *basis);

const char          *sal_section_name(sal_section section);                        /* "bodies" */
const sal_point_def *sal_tables_point(const sal_tables *tables, const char *name); /* NULL: unknown */
const sal_element   *sal_tables_element(const sal_tables *tables, sal_section section, const char *name);

/* The parameter that has this slot; -1: none has. */
static inline int sal_parameter_at(const sal_tables *tables, sal_slot slot)
{
    const int index = slot - (tables->time + 1);

    return index >= 0 && index < tables->scalars ? index : -1;
}

/* Index of a name, or of what it is another name of; -1: there is none (tables.c). */
int sal_tables_find(const sal_tables *tables, const sal_names *names, const char *name);
int sal_tables_find_event(const sal_tables *tables, const char *name); /* of the scene */

/* sides.c: rewrites what switches to read sides, and adds an event for each; once everything else is in the tables. */
void sal_tables_find_sides(sal_tables *tables);

/* Every program of the tables, and what it is for (programs.c). A new table of programs is told there, and everybody
 * who
 * looks at all of them sees it. */
typedef enum sal_use {
    SAL_USE_VALUE,      /* a number of the scene */
    SAL_USE_ROW,        /* Phi or Phidot */
    SAL_USE_FORCE,      /* an effort, or the rate that it works along */
    SAL_USE_ENERGY,     /* that efforts store */
    SAL_USE_EVENT,      /* `when` or `guard` */
    SAL_USE_JUMP,       /* a velocity that an event sets */
    SAL_USE_SET,        /* what a velocity or memory is set to */
    SAL_USE_EVENT_COST, /* what an event costs */
    SAL_USE_RESULT,     /* outputs, reactions, costs */
    SAL_USE_DRAWING
} sal_use;

typedef struct sal_program_use {
    sal_use            use;
    int                index; /* of the value, row, effort, event, result or drawing */
    const char        *name;
    const sal_program *program; /* not empty */
} sal_program_use;

/* How something depends on slots: not at all; by conditions alone, so that no small change matters; by value
 * (dependence.c). level [nz] says the same of each slot; work is as long as the longest program. */
typedef enum sal_dependence { SAL_READS_NOT, SAL_READS_TO_DECIDE, SAL_READS } sal_dependence;
sal_dependence sal_program_dependence(const sal_program *p, const unsigned char *level, unsigned char *work);
/* Of the motion: forces, constraints, contacts, events and the velocities that they set; not the memory. */
sal_dependence sal_tables_dependence(const sal_tables *tables, const unsigned char *level, unsigned char *work);

typedef void (*sal_visit)(void *self, const sal_program_use *use);
void sal_tables_visit(const sal_tables *tables, sal_visit visit, void *self);
/* The same for those who change programs while the tables are being filled. */
void sal_tables_rewrite(sal_tables *tables, void (*change)(void *self, sal_use use, sal_program *program), void *self);

/* ---------------------------------------------------------------------------------------- model */

/* The equations in the shape in which they are solved.
 *
 * The Jacobian Phi_q is kept by rows: entry k of row r, jp[r] <= k < jp[r+1], stands in column jc[k]. Each term knows
 * where its four differences' slots land in that list; slots that are no coordinates land in one entry behind the end
 * that nobody
 * reads, so the loop over terms has no branch. */
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
    sal_tables *tables; /* retained */
    sal_pool    pool;
    int         n, m, nz;

    int             *jp, *jc; /* [m+1], [jp[m]] */
    sal_term_target *target;  /* [terms] */
    unsigned char   *axis;    /* [nz] of the coordinates of basic points: 0 x, 1 y, ... */
    sal_relation    *relation;
    int              nrelation;
    int             *relation_of;   /* [m] -1: made of terms */
    sal_rate        *effort;        /* [efforts] */
    sal_program     *effort_change; /* [efforts] of the force, along directions of z and zd that are read in place of
                                     * zdd and lambda; n == 0: too long */
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

/* The model of these tables, which it retains. SAL_ERR_SCENE: a formula is too long, the context has the error. */
sal_status sal_model_build(sal_tables *tables, sal_model **model);

/* d/dt along the motion, a rule for sal_program_differentiate; `self` is the tables. */
sal_leaf_derivative sal_rate_in_motion(const void *self, sal_source source, int slot);

/* An expression of the user's, compiled for a model. */
struct sal_probe {
    sal_pool         pool;
    const sal_model *model;
    sal_program      program;
};

#endif
