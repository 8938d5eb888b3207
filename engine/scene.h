/* scene.h - a scene after loading: names, values and the flat tables that the elements emitted; private to the engine.
 *
 * Slots of z (see ext.h), n = 2 * free points:
 *
 *     0 .. n-1   q, x and y of each free point in the order of the scene
 *     n, n+1     the constants 0 and 1
 *     n+2        t
 *     n+3 ..     values: parameters first, then every number of the scene and what elements derived from them
 *
 * Nothing in a scene has a numeric value yet: a value is a program over slots before it in evaluation order. */
#ifndef SAL_SCENE_H
#define SAL_SCENE_H

#include "engine/expr.h"
#include "engine/json.h"
#include "engine/names.h"
#include "engine/registry.h"

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
    sal_slot    slot;
} sal_parameter;

typedef enum sal_point_kind { SAL_FREE, SAL_FIXED, SAL_MARKER } sal_point_kind;

typedef struct sal_point_def {
    const char    *name;
    sal_point_kind kind;
    sal_point      point;
    sal_slot       at[2];       /* where the scene puts it; of a marker: in the body frame */
    sal_slot       velocity[2]; /* initial, SAL_NONE when not given; of free points */
    bool           dof[2];      /* x, y marked as independent */
    bool           broken;      /* had errors: keep quiet about what follows from them */
    int            body;        /* of a marker */
} sal_point_def;

typedef struct sal_element {
    const char     *name;
    sal_section     section;
    const sal_type *type;
    const cJSON    *node;
    sal_place       place;
    sal_slot        alpha;     /* penalty factor of its rows, SAL_NONE: that of the scene */
    int             row, nrow; /* rows it emitted */
    bool            idle;      /* its rows do not hold when the run starts */
    bool            framed;    /* a body with a direction, ends[0] to ends[1] */
    sal_point       ends[2];
    sal_slot        turn;   /* three slots: its angle when turns were counted last, and its direction then */
    bool            broken; /* had errors, or is not emitted yet */
} sal_element;

/* One term c z_s (z_i - z_j)(z_k - z_l) of a row; z_s is constant. */
typedef struct sal_term {
    double   c;
    sal_slot s, i, j, k, l;
    int      row;
    bool     square; /* i = k and j = l: c z_s (z_i - z_j)^2 */
} sal_term;

typedef struct sal_row {
    const char *name; /* "bar1", "pin.x" */
    int         element;
    bool        idle;    /* does not hold when the run starts */
    sal_program formula; /* of a row that is no sum of terms: Phi or, with `rate`, Phidot */
    bool        rate;
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
    sal_point p, q;
    sal_slot  stiffness, length, damping;
} sal_spring;

typedef struct sal_effort { /* a generalised force: does the power force * rate */
    sal_program rate;       /* a velocity, linear in ZD */
    sal_program force;
} sal_effort;

/* A unilateral contact: gap >= 0. Its rows are -gap = 0 and, where it has a tangent, -slip = 0, slip being the
 * tangential velocity: their multipliers are the normal force and the friction force along the tangent [N]. */
typedef struct sal_touch {
    const char *name;            /* "floor", "floor.P2" */
    int         normal, tangent; /* rows; tangent -1: nothing acts along it */
    int         event[4];        /* by sal_touch_event; -1: none */
    sal_slot    restitution, rest, mu_static, mu_kinetic;
    bool        bonded; /* while it is closed nothing slips, whatever the force */
    bool        closed; /* it is when the run starts */
} sal_touch;

typedef enum sal_touch_event { SAL_TOUCHES, SAL_RELEASES, SAL_SLIPS, SAL_STICKS } sal_touch_event;

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
} sal_event;

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
} sal_note;

typedef struct sal_output { /* a named expression of the scene */
    const char *name;
    sal_program program;
} sal_output;

typedef struct sal_cost {
    const char *name;
    sal_program running, terminal; /* n == 0: none */
} sal_cost;

typedef struct sal_event_cost { /* added to a cost each time an event happens */
    int         cost, event;
    sal_program program;
} sal_event_cost;

typedef struct sal_cycle_def { /* of periodic motions: see cycle.h */
    int              section;  /* event, -1: none given */
    const sal_point *role;     /* [n/2] the point that takes the role of each free one; NULL: all keep theirs */
    int              origin;   /* x of the point that is brought back to its place, -1: none */
} sal_cycle_def;

typedef struct sal_simulation {
    sal_slot duration, rtol, atol, output, max_step, min_step; /* atol: SAL_NONE as rtol; max_step: SAL_NONE none */
    sal_slot alpha, xi, omega;
    int      form, stabilization, integrator; /* sal_form, sal_stabilization, sal_integrator */
} sal_simulation;

typedef struct sal_function { /* of one variable, written in the scene for a type's formulas */
    sal_text       text;
    const char    *variable;
    sal_program    program[2]; /* value and derivative, the variable being the leaf z[SAL_NONE]; empty after an error */
    sal_expr_error error;      /* empty when it has been reported: the text has a place in the file */
} sal_function;

enum { SAL_CUSTOM_ARGUMENTS = 24 }; /* of a type that a scene defines, at most */

struct sal_scene {
    sal_context *context;
    sal_pool     pool;
    int          references; /* the caller's, and one of each model; atomic operations only */
    const char  *file;
    const char  *name;
    sal_json     json;         /* freed once loaded */
    bool         failed;       /* an error was reported while loading */
    int          emitting;     /* element that its type is emitting, -1: none */
    bool         markers_lost; /* those of some body could not be read */

    int            n; /* coordinates */
    sal_slot       zero, one, time;
    sal_slot       gravity[2];
    sal_simulation simulation;
    sal_cycle_def  cycle;

    SAL_VEC(sal_value) values; /* in evaluation order */
    SAL_VEC(bool) timed;       /* of each slot of z: is it a function of time (t and timed values, not q) */
    SAL_VEC(bool) kept;        /* of each slot of z: memory, or a value that depends on it */
    SAL_VEC(sal_parameter) parameters;
    SAL_VEC(sal_point_def) points;
    SAL_VEC(const sal_type *) types; /* of joints, that the scene defines */
    SAL_VEC(sal_element) elements;   /* bodies, joints, contacts, in this order */
    SAL_VEC(sal_term) terms;
    SAL_VEC(sal_row) rows;
    SAL_VEC(sal_reaction) reactions;
    SAL_VEC(sal_mass) masses;
    SAL_VEC(sal_spring) springs;
    SAL_VEC(sal_effort) efforts;
    SAL_VEC(sal_program) energies; /* that efforts store */
    SAL_VEC(sal_touch) touches;
    SAL_VEC(sal_memory) memory;
    SAL_VEC(sal_event) events;
    SAL_VEC(sal_setter) setters; /* of the events, in their order */
    SAL_VEC(sal_switch) switches;
    SAL_VEC(sal_note) notes;
    SAL_VEC(sal_output) outputs;
    SAL_VEC(sal_cost) costs;
    SAL_VEC(sal_event_cost) event_costs;
    SAL_VEC(sal_function) functions; /* while loading */

    sal_names parameter_names, memory_names, point_names, element_names[SAL_SECTIONS], row_names, reaction_names;
};

/* Adds an error at a node of the scene (its value, or its key) or at a place in its file. */
void sal_scene_error(sal_scene *scene, const cJSON *node, const char *path, const char *format, ...) SAL_PRINTF(4, 5);
void sal_scene_key_error(sal_scene *scene, const cJSON *node, const char *path, const char *format, ...)
    SAL_PRINTF(4, 5);

sal_place sal_scene_place(const sal_scene *scene, const cJSON *node, const char *path);

sal_slot sal_scene_new_slot(sal_scene *scene);
/* A value from a program; gives its slot. */
sal_slot sal_scene_add_value(sal_scene *scene, const sal_program *program, sal_range range, const char *text,
                             sal_place place);
/* A value from a node: a number or an expression in parameters (and t where `timed`). SAL_NONE after an error. */
sal_slot sal_scene_value(sal_scene *scene, const cJSON *node, const char *path, sal_range range, bool timed);
/* A value from text of our own (defaults). */
sal_slot sal_scene_value_text(sal_scene *scene, const char *text, const char *path, sal_range range);

/* A formula, which may read every quantity; one of the scene (it has a place) reads those binds only that are offered.
 * False after an error. */
bool sal_scene_formula(sal_scene *scene, sal_text text, const char *path, const sal_bind *binds, sal_program *program);

/* A function of one variable, parameters and t for a type's formulas: compiled, and its error reported, the first time
 * that it is asked for. NULL when out of memory. */
const sal_function *sal_scene_function(sal_scene *scene, sal_text text, const char *variable);

/* Sections of the document: values.c, cycle_section.c. Errors are reported. */
void sal_scene_load_parameters(sal_scene *scene, const cJSON *object);
void sal_scene_load_memory(sal_scene *scene, const cJSON *object);
void sal_scene_load_cycle(sal_scene *scene, const cJSON *object);

const sal_point_def *sal_scene_point(const sal_scene *scene, const char *name); /* NULL: unknown */
const sal_element   *sal_scene_element(const sal_scene *scene, sal_section section, const char *name);

/* Whether a name may be unknown because of an error that has been reported, so that there is nothing to say about it:
 * the section of the document that might have it is no object; an element that had errors, "floor", might have it, be it
 * "floor" or "floor.normal"; of points: a body's markers could not be read. */
bool sal_scene_refused(const sal_scene *scene, const char *section);
bool sal_scene_lost(const sal_scene *scene, sal_section first, sal_section last, const char *name);
bool sal_scene_lost_point(const sal_scene *scene);

/* The same as a line of an error message: "unknown point 'P5'; did you mean 'P1'?" */
void sal_scene_unknown(sal_scene *scene, const cJSON *node, const char *path, const char *what, const char *name,
                       const sal_names *known);

void sal_scene_retain(sal_scene *scene);

/* quantities.c */
typedef struct sal_vocabulary {
    sal_scene      *scene;
    sal_pool       *pool;       /* for lists of names in error messages and the like */
    const sal_bind *binds;      /* may be NULL */
    bool            of_scene;   /* a text of the scene: it reads those binds only that are offered */
    bool            quantities; /* x(P), energy(), ... may be used; else parameters and t only */
    const char     *variable;   /* of a function: z[SAL_NONE], for the time being; or NULL */

    const struct sal_vocabulary *outer; /* that of the formula which uses `bind`, the text here being its `at` */
    const sal_bind              *bind;
} sal_vocabulary;
sal_resolver sal_vocabulary_resolver(sal_vocabulary *vocabulary);
/* Compiles a formula with these names, and reports its errors at its place (values.c). False after an error. */
bool sal_vocabulary_compile(sal_vocabulary *vocabulary, sal_text text, const char *path, sal_program *program);

/* d/dt along the motion, a rule for sal_program_differentiate; `self` is the scene. */
sal_leaf_derivative sal_rate_in_motion(const void *self, sal_source source, int slot);

/* elements.c: lets the element's type emit it. */
void sal_element_emit(sal_scene *scene, int element, const void *self);

#endif
