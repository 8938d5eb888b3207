/* ext.h - for authors of element types: bodies, joints, force elements, contacts.
 *
 * A type is one static const sal_type: its name in the scene, its fields, and a function that describes one element
 * to the engine, once, before anything moves. The element emits what it consists of (constraint rows, masses,
 * springs, events); the engine evaluates, differentiates and solves. No type writes a derivative.
 *
 * Everything an element refers to is a place in one vector
 *
 *     z = [ q | 0 | 1 | t | values ]        values: every number of the scene, constant or a function of time
 *
 * so that a row reads the same whether an end is free, fixed or driven, and whether a length is a number, a
 * parameter or a formula. A point is known by a handle only: it may be a basic point, whose coordinates are in z, or a
 * marker, fixed to a body and made of the body's basic points. What it is made of, and of how many axes space has, is
 * the engine's matter. */
#ifndef SAL_EXT_H
#define SAL_EXT_H

#include <stddef.h>

#include "saltus.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SAL_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

typedef int sal_slot; /* a place in z */
#define SAL_NONE (-1) /* of an optional value or point that was not given */

typedef struct sal_point {
    int index; /* SAL_NONE: of an optional point that was not given */
} sal_point;

typedef struct sal_points { /* a list of points */
    const sal_point   *at;
    const char *const *name;
    int                n;
} sal_points;

typedef struct sal_line { /* corners of a polyline; the free side is on the left of the way */
    const sal_slot *x, *y;
    int             n;
} sal_line;

typedef struct sal_text { /* an expression as written, with its place for error messages; NULL: not given */
    const char *text;
    const void *place;
} sal_text;

typedef struct sal_texts { /* "key": "expression" pairs */
    const sal_text *key, *value;
    int             n;
} sal_texts;

typedef struct sal_elements { /* bodies and joints that have constraints */
    const int *at;
    int        n;
} sal_elements;

/* ---------------------------------------------------------------------------------------- fields */

typedef enum sal_kind {                 /* JSON                              C member */
                        SAL_F_VALUE,    /* number or "expression"            sal_slot */
                        SAL_F_VECTOR,   /* [x, y] of values                  sal_slot[2] */
                        SAL_F_POINT,    /* name of a point or marker         sal_point */
                        SAL_F_PAIR,     /* two names                         sal_point[2] */
                        SAL_F_ENDS,     /* two names of points, no markers   sal_point[2] */
                        SAL_F_POINTS,   /* one name or more                  sal_points */
                        SAL_F_BOOL,     /* true or false                     bool */
                        SAL_F_CHOICE,   /* one of the words                  int: its index */
                        SAL_F_AXES,     /* true, false, "x" or "y"           bool[2] */
                        SAL_F_TEXT,     /* any text                          const char * */
                        SAL_F_FORMULA,  /* number or "expression"            sal_text */
                        SAL_F_FORMULAS, /* { "expression": "expression" }    sal_texts */
                        SAL_F_TEXTS,    /* ["expression", ...]               sal_texts: values */
                        SAL_F_MARKERS,  /* { "name": [x, y] }                (the engine keeps them) */
                        SAL_F_BODY,     /* name of a body with a direction   const char * */
                        SAL_F_HOLDERS,  /* names of bodies and joints        sal_elements */
                        SAL_F_CONTACTS, /* names of contacts                 sal_texts: values */
                        SAL_F_NAMES,    /* { "name": "name" }                sal_texts */
                        SAL_F_LINE,     /* [[x, y], [x, y], ...]             sal_line */
                        SAL_F_BY_AXIS,  /* name, or { "x": name, "y": name } sal_text[2] */
                        SAL_F_ON,       /* { "touch": { ... }, ... }         sal_actions[SAL_CONTACT_CHANGES] */
                        SAL_F_RANGES,   /* { "name": [low, high] }           (sections read them themselves) */
                        SAL_F_BOUNDS    /* { "expression": [sign, number] }  (the same) */
} sal_kind;

typedef enum sal_range { SAL_ANY, SAL_POSITIVE, SAL_NOT_NEGATIVE, SAL_FRACTION /* 0 to 1 */ } sal_range;

typedef struct sal_field {
    const char        *key;
    sal_kind           kind;
    size_t             offset;   /* of the member in the type's struct */
    const char        *unit;     /* "kg", NULL when it has none */
    const char        *standard; /* what an absent key means: a value's expression, a word, "true"; "": nothing
                                    (SAL_NONE, NULL), and the help text says what follows; NULL: required */
    const char        *help;     /* one sentence without a full stop */
    sal_range          range;    /* of values; checked with numbers when a run starts */
    bool               timed;    /* a value may depend on t */
    const char *const *words;    /* of a choice, ended by NULL */
} sal_field;

/* ----------------------------------------------------------------------------------------- types */

typedef struct sal_builder sal_builder; /* of one element */

typedef struct sal_type {
    const char      *name; /* in the scene: "type": "bar" */
    const char      *help; /* one sentence without a full stop */
    size_t           size; /* of the struct that the fields fill */
    const sal_field *fields;
    int              nfields;
    bool             rows;                          /* emits constraint rows: gets the common field "alpha" */
    void (*emit)(const void *self, sal_builder *b); /* called once; errors are sticky in b */
    const char *reactions; /* the labels of sal_add_reaction, with units and what is positive, as text; NULL: none */
} sal_type;

/* Makes a type known to the context before scenes are loaded; `type` must outlive it. A name taken is
 * SAL_ERR_ARGUMENT. */
SAL_API sal_status sal_register_body(sal_context *context, const sal_type *type);
SAL_API sal_status sal_register_joint(sal_context *context, const sal_type *type);
SAL_API sal_status sal_register_contact(sal_context *context, const sal_type *type);

/* -------------------------------------------------------------------------------------- plug-ins */

/* A shared object with types of one's own defines
 *
 *     SAL_API const sal_plugin sal_plugin_types = { SAL_EXT_VERSION, .joints = list };      list ends with NULL
 *
 * and is loaded with sal_plugin_load (saltus.h) or `saltus ... --plugin FILE`. It need not be linked to anything. */
#define SAL_EXT_VERSION 4 /* of everything in this file; changes when a plug-in must be built again */

typedef struct sal_plugin {
    int                    version;
    const sal_type *const *bodies; /* NULL: none */
    const sal_type *const *joints;
    const sal_type *const *contacts;
} sal_plugin;

/* ---------------------------------------------------------------------------------------- values */

/* Names in a formula of a type: a value, a point or a body of the element, a formula, or a function of one variable,
 * written in the scene, at some place. End the list with { 0 }.
 *
 *     { "m", s->mass }                                                                         the value
 *     { "hdot", s->height, .rate = true }                                                      its rate of change
 *     { "f", .multiplier = sal_row_multiplier(b) }                                             lambda of a row
 *     { "P", .point = &s->point }                                                              for x(P) and the like
 *     { "B", .body = s->body }                                                                 for angle(B), rate(B)
 *     { "T", .formula = s->torque }                                                            what the scene says
 *     { "l", .formula = sal_formula("distance(P, Q)") }                                        a part of formulas
 *     { "ldot", .formula = sal_formula("distance(P, Q)"), .rate = true }                       its rate of change, a
 *                                                                                              velocity
 *     { "f", .formula = s->profile, .variable = "x", .at = "x(P)" }                            f(x) at x = x(P)
 *     { "slope", .formula = s->profile, .variable = "x", .at = "x(P)", .derivative = true }    df/dx there
 *     { "inside", .formula = l->where, .bounds = true }                                        >= 0 where that is true
 *     { "u", .formula = sal_formula("u - x(P) - r*slope"), .from = "x(P) - r", .to = "x(P) + r" }
 *                                                                                              where that, of u itself,
 *                                                                                              rises through 0 between
 *                                                                                              these; NaN: it does not
 *                                                                                              rise all the way
 *
 * The function's text may read its variable, parameters and t, which the derivative holds fixed; the variable hides a
 * parameter of its name. `at` is a formula of the type and reads the same binds, but not what it is the place of; so is
 * a `formula` that the type has written itself.
 *
 * A text of the scene reads the scene's names, wherever it is compiled: a type's names hide nothing of the scene. Of
 * the
 * binds it reads those only that are `offered`, which the help text of its field tells:
 *
 *     { "length", .formula = sal_formula("distance(P, Q)"), .offered = true }                  of a spring's `force` */
typedef struct sal_bind {
    const char      *name;
    sal_slot         slot;
    const sal_point *point;
    const char      *body; /* a name of the scene */
    bool             rate;
    int              multiplier;
    sal_text         formula;
    const char      *variable; /* NULL unless the name is that of a function */
    const char      *at;
    const char      *from, *to; /* of a root: the formula is <= 0 at the one and >= 0 at the other */
    bool             derivative;
    bool             offered; /* to texts of the scene as well */
    bool             bounds;  /* the formula says where something is: comparisons become a continuous function, >= 0
                                 there. With `offered`: it is so to such texts only */
} sal_bind;

/* A value computed from others: sal_derive(b, "m/3", (sal_bind[]){ { "m", s->mass }, { 0 } }). */
SAL_API sal_slot sal_derive(sal_builder *b, const char *formula, const sal_bind *binds);

/* What must hold between values, whatever the parameters: the formula is in the range. `text` says it in messages,
 * which tell the place of the key: sal_require(b, "max", "b - a", binds, SAL_NOT_NEGATIVE, "max - min"). */
SAL_API void sal_require(sal_builder *b, const char *key, const char *formula, const sal_bind *binds, sal_range range,
                         const char *text);

/* A length, an angle or the like with the points where the scene puts them ("at"): what an absent key `key` means. An
 * error where that depends on t. */
SAL_API sal_slot sal_given(sal_builder *b, const char *key, const char *formula, const sal_bind *binds);

/* The two points that a body's angle is the direction of, from the first to the second. */
SAL_API void sal_body_ends(const sal_builder *b, const char *body, sal_point ends[2]);

/* The same with the direction turned back by an angle, which must not depend on t: from ends[0] to ends[1] leads
 * R(-angle) d, d the direction of the body. What joints compare with the direction of another body, by a row of terms.
 */
SAL_API void sal_body_ends_turned(sal_builder *b, const char *body, sal_slot angle, sal_point ends[2]);

/* Bodies only: the body's frame has its origin in ends[0] and its x-axis towards ends[1]; markers and angle() refer
 * to it. Gives the length of the frame: `length`, or the distance of the ends as given in the scene when it is
 * SAL_NONE. */
SAL_API sal_slot sal_body_frame(sal_builder *b, const sal_point ends[2], sal_slot length);

/* Whether the point can move by itself: one of its coordinates is free. */
SAL_API bool sal_point_is_free(const sal_builder *b, sal_point p);
SAL_API bool sal_point_is_basic(const sal_builder *b, sal_point p); /* or a marker */
/* Whether two points keep their distance: they are of one body, or fixed, or a row holds it. */
SAL_API bool sal_points_are_rigid(const sal_builder *b, sal_point p, sal_point q);
SAL_API int  sal_dimension(const sal_builder *b); /* axes of space: 2, x and y */

SAL_API const sal_type *sal_builder_type(const sal_builder *b); /* of the element */
/* Whether the scene gives the field, or its default holds. */
SAL_API bool sal_field_given(const sal_builder *b, const char *key);

/* ------------------------------------------------------------------------------------------ rows */

/* A row is a sum of terms, Phi = 0. Begin it with a label ("" when the element has one row, else "x", "angle", ...). */
SAL_API void sal_row_begin(sal_builder *b, const char *label);
SAL_API void sal_add_value(sal_builder *b, double c, sal_slot s);               /* + c z_s */
SAL_API void sal_add_product(sal_builder *b, double c, sal_slot s, sal_slot r); /* + c z_s z_r */
SAL_API void sal_add_along(sal_builder *b, double c, int axis, sal_point p,
                           sal_point q); /* + c (q - p)_axis, axis 0: x, 1: y */
SAL_API void sal_add_dot(sal_builder *b, double c, sal_point p, sal_point q, sal_point r,
                         sal_point s); /* + c (q-p).(s-r) */
SAL_API void sal_add_cross(sal_builder *b, double c, sal_point p, sal_point q, sal_point r,
                           sal_point s); /* + c (q-p)x(s-r) */

/* A row that is no such sum: Phi itself by a formula of coordinates, values and t, or only its rate, a velocity. */
SAL_API void sal_row_formula(sal_builder *b, const char *label, sal_text phi, const sal_bind *binds);
SAL_API void sal_row_rate(sal_builder *b, const char *label, sal_text rate, const sal_bind *binds);

/* Whether a text of the scene, or of the type, is a function of places, values and t that can change, or a velocity:
 * linear in velocities. Reports it otherwise, at the place of the text or of its field `key`. */
SAL_API bool sal_expect_place(sal_builder *b, sal_text text, const char *key, const sal_bind *binds);
SAL_API bool sal_expect_velocity(sal_builder *b, sal_text text, const char *key, const sal_bind *binds);

/* Rows and forces written in the scene: of the binds they read what is offered. Rows are named row1, row2, ... where
 * there are several. */
SAL_API void sal_emit_formulas(sal_builder *b, sal_texts rows, sal_texts rates, sal_texts forces,
                               const sal_bind *binds);

/* The multiplier of the row begun last, for a bind; it counts from 1. */
SAL_API int sal_row_multiplier(const sal_builder *b);

/* What the element exerts, in physical units: a column of the output, and reaction(name.label) in expressions. */
SAL_API void sal_add_reaction(sal_builder *b, const char *label, const char *unit, const char *formula,
                              const sal_bind *binds);

/* ----------------------------------------------------------------------------- masses and forces */

/* Kinetic energy + value v_p.v_q of two basic points, or + 1/2 value |v_p|^2 where q is p: a block of M with the same
 * number on each axis, and its mirror image. Gravity follows from it. */
SAL_API void sal_add_mass(sal_builder *b, sal_point p, sal_point q, sal_slot value);
/* Kinetic energy + value v_p x v_q = value (v_px v_qy - v_py v_qx): of a planar body whose centre of mass is beside the
 * line of its points. Bodies in space have enough basic points not to need it. */
SAL_API void sal_add_mass_turned(sal_builder *b, sal_point p, sal_point q, sal_slot value);

/* Tension stiffness (l - length) + damping l' along the line from p to q, l = |q - p|. */
SAL_API void sal_add_spring(sal_builder *b, sal_point p, sal_point q, sal_slot stiffness, sal_slot length,
                            sal_slot damping);

/* A force by formulas: it does the power force * rate, where rate is a velocity, such as vx(P) or rate(B). */
SAL_API void sal_add_force(sal_builder *b, sal_text rate, sal_text force, const sal_bind *binds);

/* What such forces store [J], a formula of positions, values and t: it counts in energy(), and does nothing else. */
SAL_API void sal_add_energy(sal_builder *b, const char *formula, const sal_bind *binds);

/* ---------------------------------------------------------------------------------------- events */

typedef enum sal_direction { SAL_FALLING, SAL_RISING, SAL_BOTH } sal_direction;

/* An event: `when` crosses zero in the given direction. Begin, then say what it does. Formulas of the type read the
 * binds first, then the scene's names; those of the scene (sal_text of a field) read the scene's names, and what is
 * offered, and report errors at their own place. */
SAL_API void sal_event_begin(sal_builder *b, const char *label, sal_direction direction);
SAL_API void sal_event_when(sal_builder *b, sal_text when, const sal_bind *binds);
SAL_API void sal_event_guard(sal_builder *b, sal_text guard, const sal_bind *binds); /* acts only where this is not 0 */
SAL_API void sal_event_set(sal_builder *b, sal_text velocity, sal_text value,
                           const sal_bind *binds); /* velocity+ = value- */
SAL_API void sal_event_stop(sal_builder *b);       /* the run ends there */
/* All that an event may do, as scenes say it: the fields, and saying it of the event begun. */
typedef struct sal_actions {
    bool         given;
    sal_texts    set;
    sal_elements release, hold, release_after; /* constraints that end, begin, end after the velocities have jumped */
    sal_texts    open, close, open_after; /* contacts by name: off, on again, off after the velocities have jumped */
    bool         stop;
} sal_actions;
#define SAL_ACTION_FIELDS(type, member)                                                                              \
    { "set", SAL_F_FORMULAS, offsetof(type, member.set), .standard = "",                                             \
      .help = "velocities after the event, such as \"vy(P)\": \"-0.5*vy(P)\", and memory, from what was before" },   \
        { "release", SAL_F_HOLDERS, offsetof(type, member.release), .standard = "",                                  \
          .help = "joints and bodies whose constraints end" },                                                       \
        { "hold", SAL_F_HOLDERS, offsetof(type, member.hold), .standard = "",                                        \
          .help = "joints and bodies whose constraints begin, with the impulses that takes" },                       \
        { "release_after", SAL_F_HOLDERS, offsetof(type, member.release_after), .standard = "",                      \
          .help = "joints and bodies whose constraints end when the impulses have acted" },                          \
        { "open", SAL_F_CONTACTS, offsetof(type, member.open), .standard = "",                                       \
          .help = "contacts that are off from then on: they open without an impulse, and touches are passed over" }, \
        { "close", SAL_F_CONTACTS, offsetof(type, member.close), .standard = "",                                     \
          .help = "contacts that are on again: where they touch and approach that is an impact" },                   \
        { "open_after", SAL_F_CONTACTS, offsetof(type, member.open_after), .standard = "",                           \
          .help = "contacts that are off when the impulses have acted" },                                            \
    {                                                                                                                \
        "stop", SAL_F_BOOL, offsetof(type, member.stop), .standard = "false", .help = "whether the run ends there"   \
    }
SAL_API void sal_event_act(sal_builder *b, const sal_actions *actions, const sal_bind *binds);

SAL_API void     sal_event_gap(sal_builder *b); /* `when` is a gap: a start below zero is worth a warning */
SAL_API sal_text sal_formula(const char *text); /* a type's own formula */

/* -------------------------------------------------------------------------------------- contacts */

/* A polyline may have thousands of segments and corners, of which few are near at a time: a follower is something that
 * can touch them, with as many contacts as it can have at once. Which part of the line each of these contacts is with
 * is the run's matter; numbers of that part are in SAL_PART_SLOTS slots of its own:
 *
 *     segment    x, y of its beginning, its direction (a unit vector), from and to: the ends of the contact along it
 *     corner     x, y, the direction of the segment before it, that of the segment behind it
 *
 * Gives the first slot of the first contact. The contacts are added right behind, in order, with `follows` set. */
enum { SAL_PART_SLOTS = 6 };
typedef enum sal_part { SAL_SEGMENTS, SAL_CORNERS } sal_part;
typedef struct sal_follow {
    sal_line  line;
    sal_part  part;
    sal_point points[2]; /* a point, or both ends of a straight edge of a body */
    bool      edge;
    sal_slot  radius; /* of a disc round the point, SAL_NONE: none */
    int       contacts;
} sal_follow;
SAL_API sal_slot  sal_add_follower(sal_builder *b, const sal_follow *follow);
SAL_API sal_point sal_line_corner(sal_builder *b, sal_line line, int k); /* as a fixed point, for the drawing */

/* A unilateral contact: gap >= 0, and what happens where it closes. A touch is an impact with restitution; where that
 * leaves the contact closed (restitution 0, or rebounds slower than `rest` that would come back) it holds until its
 * force would have to pull. Along the tangent, where there is a velocity `slip` of one side against the other, acts
 * Coulomb friction with mu_static and mu_kinetic, or with `bonded` whatever it takes to prevent slipping.
 * Its rows are label.n and label.t: their multipliers are the normal force and the friction force on what `slip` is
 * the velocity of [N]. */
typedef struct sal_contact {
    sal_text        gap;      /* [m], or rad: what it is measured in */
    sal_text        slip;     /* text NULL: nothing acts along the tangent */
    sal_text        guard;    /* text NULL: none. Where it is 0 touches are passed over */
    sal_text        ends;     /* of the geometry: the contact is where this is >= 0; text NULL: everywhere. Beyond it
                              touches are passed over, and what is closed opens there (label.leave) */
    sal_text        where;    /* the same by the scene: a function, or comparisons joined by and, or, not */
    const char     *place[2]; /* x and y of what touches, which `where` may read; NULL: it has none */
    const sal_bind *binds;
    sal_slot        restitution, rest;
    sal_slot        mu_static, mu_kinetic; /* SAL_NONE: no friction */
    bool            bonded;
    bool            closed;    /* it begins closed: its gap is a constraint of the start */
    bool            follows;   /* it is one of the follower added last */
    sal_slot        on;        /* of sal_contact_switch, SAL_NONE: it always is */
    bool            newton;    /* its restitution is Newton's: of velocities. Else Poisson's, of impulses */
    const char     *undefined; /* why its gap may be no number, for the message; NULL: unknown */
} sal_contact;
SAL_API void sal_add_contact(sal_builder *b, const char *label, const sal_contact *contact);

/* The number of a contact, before it is added, that is 1 while it is on and 0 while events have it off: memory, which
 * expressions read as active(name.label). `also` as in sal_also_named, NULL: none; `active`: it is on at first.
 * SAL_NONE: nothing in the scene ever switches it. */
SAL_API sal_slot sal_contact_switch(sal_builder *b, const char *label, const char *also, bool active);

/* A number of the element's own that events set, `standard` at first: memory called "word(name.label)". */
SAL_API sal_slot sal_add_memory(sal_builder *b, const char *word, const char *label, const char *standard);
SAL_API void     sal_event_note(sal_builder *b, sal_slot memory, const char *value, const sal_bind *binds);

/* What can happen to a contact, each an event of its own: those of the contact added last, or events begun for one that
 * is no sal_contact and said to be such. What is said of an event next is said of this one. False: it cannot happen. */
typedef enum sal_contact_change {
    SAL_ON_TOUCH,
    SAL_ON_RELEASE,
    SAL_ON_SLIP,
    SAL_ON_STICK,
    SAL_CONTACT_CHANGES
} sal_contact_change;
SAL_API void                     sal_event_is(sal_builder *b, sal_contact_change change); /* the event begun */
SAL_API bool                     sal_event_of_contact(sal_builder *b, sal_contact_change change);
SAL_API extern const char *const sal_contact_changes[SAL_CONTACT_CHANGES + 1]; /* "touch", ...; NULL at the end */

/* What expressions can read of a contact that is no sal_contact: gap(name.label) and so on, by formulas. Text NULL:
 * there is no slip, the forces are none, it is never closed. */
typedef struct sal_gap_formulas {
    sal_text        gap, slip, normal, friction, closed;
    sal_text        active; /* text NULL: it always is */
    const sal_bind *binds;
} sal_gap_formulas;
SAL_API void sal_add_gap(sal_builder *b, const char *label, const sal_gap_formulas *formulas);

/* What an element names without a label is also known by this one, so that names need not change with the number of
 * things: "floor" as "floor.A". */
SAL_API void sal_also_named(sal_builder *b, const char *label);

/* --------------------------------------------------------------------------------------- drawing */

/* How an element looks: items for those who draw mechanisms (saltus.h: sal_model_drawing), which change no number.
 * Points are places, bodies give angles, values and formulas give sizes; symbols are the viewer's matter. `body` and
 * `reference` are names of bodies; NULL: it does not turn, or is measured from the world. A joint that draws nothing is
 * a line where it uses two points; anything else that draws nothing is marked at the points it uses. */
SAL_API void sal_draw_points(sal_builder *b, const sal_point *points, int n); /* marks, nothing between them */
SAL_API void sal_draw_line(sal_builder *b, sal_point p, sal_point q);
SAL_API void sal_draw_rope(sal_builder *b, const sal_point *points, int n); /* from the first to the last */

/* Of a body, after sal_body_frame: a bar between its ends, or the hull of these and its markers; its centre of mass in
 * the body frame, y SAL_NONE: on the axis. */
SAL_API void sal_draw_body(sal_builder *b);
SAL_API void sal_draw_centre(sal_builder *b, sal_slot x, sal_slot y);
SAL_API void sal_draw_mass(sal_builder *b, sal_point p); /* in a point */

SAL_API void sal_draw_disc(sal_builder *b, sal_point centre, sal_slot radius, const char *body);
SAL_API void sal_draw_gear(sal_builder *b, sal_point centre, const char *radius, const sal_bind *binds,
                           const char *body); /* its pitch circle; the radius is a formula */
/* The pitch line of a rack through p: along the line, two points, or where that is NULL inclined by the angle. */
SAL_API void sal_draw_rack(sal_builder *b, sal_point p, const sal_point *line, sal_slot angle);

SAL_API void sal_draw_spring(sal_builder *b, sal_point p, sal_point q);
SAL_API void sal_draw_damper(sal_builder *b, sal_point p, sal_point q);
SAL_API void sal_draw_torsion(sal_builder *b, const char *body, const char *reference);

SAL_API void sal_draw_pin(sal_builder *b, sal_point p, sal_point q); /* that holds p and q together */
SAL_API void sal_draw_weld(sal_builder *b, sal_point p, sal_point q);
SAL_API void sal_draw_slider(sal_builder *b, sal_point p, const sal_point line[2],
                             const char *body); /* p on the line; body NULL: a pin in a slot */
/* Limits of a distance or of an angle; SAL_NONE: none. Both the same: it is held. */
SAL_API void sal_draw_limit(sal_builder *b, sal_point p, sal_point q, sal_slot low, sal_slot high);
SAL_API void sal_draw_angle(sal_builder *b, const char *body, const char *reference, sal_slot low, sal_slot high);

/* A force at a point, its components along the world's axes by formulas [N]; a torque on a body [N m]. */
SAL_API void sal_draw_force(sal_builder *b, sal_point p, const char *x, const char *y, const sal_bind *binds);
SAL_API void sal_draw_torque(sal_builder *b, const char *body, const char *reference, const char *torque,
                             const sal_bind *binds);

/* A motor: what the formulas of the element read follows a function of time. The angle of a body, or of two against
 * each other: it turns; a coordinate or a distance: it moves the points. Nothing where they read neither. */
SAL_API void sal_draw_motor(sal_builder *b);

/* Ground, solid below: y = height + x tan(angle), or height + profile(x), a function that the scene has written;
 * moving along itself with a speed. Any may be SAL_NONE, or its text NULL. */
SAL_API void sal_draw_ground(sal_builder *b, sal_slot height, sal_slot angle, sal_text profile, sal_slot speed);
SAL_API void sal_draw_curve(sal_builder *b, sal_point p, sal_text profile); /* p stays on y = profile(x) */
SAL_API void sal_draw_edge(sal_builder *b, sal_point p, sal_point q);       /* a straight surface, solid on the right */

/* A place where something can touch: p, or a disc round it, on a surface with the normal n, a unit vector towards p.
 * The force along n and that along the surface, to the right of n (to its left where `left` is set), are formulas;
 * where they are NULL it is the force of the contact that the element has added last, if any. */
typedef struct sal_contact_drawing {
    sal_point       point;
    sal_slot        radius; /* SAL_NONE: of a point */
    const char     *normal[2];
    const char     *push, *friction; /* [N] */
    bool            left;
    const sal_bind *binds;
} sal_contact_drawing;
SAL_API void sal_draw_contact(sal_builder *b, const sal_contact_drawing *contact);

/* ---------------------------------------------------------------------------------------- errors */

/* Reports an error of the element at the place of its field `key` ("" or NULL: of the element itself). */
SAL_API void sal_element_error(sal_builder *b, const char *key, const char *format, ...);

#ifdef __cplusplus
}
#endif

#endif
