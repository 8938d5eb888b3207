/* scene.h - a scene while it is being loaded: the document, and the tables (model.h) that it becomes. Nothing in a
 * scene
 * has a numeric value yet: a value is a program over slots before it in evaluation order. */
#ifndef SAL_SCENE_H
#define SAL_SCENE_H

#include "engine/scene/json.h"
#include "engine/model/model.h"
#include "engine/scene/registry.h"

typedef struct sal_function { /* of one variable, written in the scene for a type's formulas */
    sal_text       text;
    const char    *variable;
    sal_program    program[2]; /* value and derivative, the variable being the leaf z[SAL_NONE]; empty after an error */
    sal_expr_error error;      /* empty when it has been reported: the text has a place in the file */
} sal_function;

enum { SAL_CUSTOM_ARGUMENTS = 24 }; /* of a type that a scene defines, at most */

typedef struct sal_later { /* a quantity of a contact that was not there yet */
    const char      *name;
    sal_gap_quantity what;
    int              column;
    sal_text         text; /* where it stands */
    const char      *path;
    bool             told; /* its error has been reported */
} sal_later;

typedef struct sal_switching { /* a contact that an event turns on or off */
    int         event;
    sal_text    name; /* its own or that of its element */
    const char *path;
    bool        on, after;
} sal_switching;

struct sal_scene {
    sal_tables *tables; /* what it becomes; the scene itself lies in their pool */

    /* while loading */
    sal_json json;                   /* freed once loaded */
    bool     failed;                 /* an error was reported */
    int      emitting;               /* element that its type is emitting, -1: none */
    bool     markers_lost;           /* those of some body could not be read */
    SAL_VEC(const sal_type *) types; /* of joints, that the scene defines */
    SAL_VEC(sal_function) functions;
    SAL_VEC(sal_point) used; /* by the element that is being emitted */
    SAL_VEC(int) turned;     /* bodies whose angles or rates it reads */
    SAL_VEC(sal_later) later;
    bool      contacts_known; /* all of them are there */
    sal_names switched;       /* contacts and elements that events open or close */
    SAL_VEC(sal_switching) switchings;
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
/* A function of time, for a slot that is there already. */
void sal_scene_add_timed_at(sal_scene *scene, sal_slot slot, const sal_program *program, const char *text,
                            sal_place place);
/* A value from a node: a number or an expression in parameters (and t where `timed`). SAL_NONE after an error. */
sal_slot sal_scene_value(sal_scene *scene, const cJSON *node, const char *path, sal_range range, bool timed);
/* A value from text of our own (defaults). */
sal_slot sal_scene_value_text(sal_scene *scene, const char *text, const char *path, sal_range range);

/* A point with this basis; SAL_NONE when out of memory. */
sal_point sal_scene_new_point(sal_scene *scene, sal_basis basis);

/* A formula, which may read every quantity; one of the scene (it has a place) reads those binds only that are offered.
 * False after an error. */
bool sal_scene_formula(sal_scene *scene, sal_text text, const char *path, const sal_bind *binds, sal_program *program);

/* A function of one variable, parameters and t for a type's formulas: compiled, and its error reported, the first time
 * that it is asked for. NULL when out of memory. */
const sal_function *sal_scene_function(sal_scene *scene, sal_text text, const char *variable);

/* Sections of the document: values.c, costs.c, cycle_section.c, optimize_section.c. Errors are reported. */
void sal_scene_load_parameters(sal_scene *scene, const cJSON *object);
/* vectors.c: parameters that are functions of time: their names first, then what they are. */
bool sal_scene_is_vector(const cJSON *member);
void sal_scene_name_vector(sal_scene *scene, const cJSON *member);
void sal_scene_load_vector(sal_scene *scene, const cJSON *member, int index);
void sal_scene_check_ranges(sal_scene *scene, const cJSON *object); /* after them */
void sal_scene_load_memory(sal_scene *scene, const cJSON *object);
void sal_scene_load_costs(sal_scene *scene, const cJSON *object);
void sal_scene_load_cycle(sal_scene *scene, const cJSON *object);
void sal_scene_load_optimize(sal_scene *scene, const cJSON *object);

/* Whether a name may be unknown because of an error that has been reported, so that there is nothing to say about it:
 * the section of the document that might have it is no object; an element that had errors, "floor", might have it, be
 * it
 * "floor" or "floor.normal"; of points: a body's markers could not be read. */
/* (scene NULL: of a model, where there are no errors.) */
bool sal_scene_refused(const sal_scene *scene, const char *section);
bool sal_scene_lost(const sal_scene *scene, sal_section first, sal_section last, const char *name);
bool sal_scene_lost_point(const sal_scene *scene);

/* The same as a line of an error message: "unknown point 'P5'; did you mean 'P1'?" */
void sal_scene_unknown(sal_scene *scene, const cJSON *node, const char *path, const char *what, const char *name,
                       const sal_names *known);

/* build_drawing.c: notes that the element being emitted, if any, uses a point. */
void sal_scene_use_point(sal_scene *scene, sal_point point);
/* The same of the angle of a body, and of its ends. */
void sal_scene_use_angle(sal_scene *scene, const sal_element *body);

/* vocabulary.c: what names mean */
typedef struct sal_vocabulary {
    const sal_tables *tables;
    sal_scene        *scene;      /* that is being loaded; NULL: of a model, nothing is */
    sal_pool         *pool;       /* for lists of names in error messages and the like */
    const sal_bind   *binds;      /* may be NULL */
    bool              of_scene;   /* a text of the scene: it reads those binds only that are offered */
    bool              quantities; /* x(P), energy(), ... may be used; else parameters and t only */
    const char       *variable;   /* of a function: z[SAL_NONE], for the time being; or NULL */
    sal_text          text;       /* that is being compiled, */
    const char       *path;       /* and where it stands */

    const struct sal_vocabulary *outer; /* that of the formula which uses `bind`, the text here being its `at` */
    const sal_bind              *bind;
    const sal_bind              *unknown; /* the root whose formula this is part of, or NULL */
} sal_vocabulary;
sal_resolver sal_vocabulary_resolver(sal_vocabulary *vocabulary);
/* Compiles a formula with these names, and reports its errors at its place (values.c). False after an error. */
bool sal_vocabulary_compile(sal_vocabulary *vocabulary, sal_text text, const char *path, sal_program *program);

/* Reports an error of a formula at its place. */
void sal_scene_report(sal_scene *scene, sal_text text, const char *path, sal_expr_error error);

/* gaps.c: a quantity of a contact, gap(floor.A) and the like; once all contacts are there: those that were not. */
int  sal_vocabulary_gap(const sal_vocabulary *v, sal_expr *e, const char *word, const sal_expr_arg *arg);
void sal_scene_resolve_later(sal_scene *scene);

/* bounds.c: a program that says where something is, as a continuous function that is >= 0 there. SAL_ERR_SCENE: it
 * bounds no region. */
sal_status sal_bounds_function(sal_pool *pool, const sal_program *condition, sal_program *function);

/* switched.c: finds out which contacts events open and close, before these are loaded; what each event then does. */
void sal_scene_find_switched(sal_scene *scene, const cJSON *contacts);
void sal_scene_resolve_switched(sal_scene *scene);

/* build_rows.c: lets the element's type emit it. */
void sal_element_emit(sal_scene *scene, int element, const cJSON *node, const sal_type *type, const void *self);

#endif
