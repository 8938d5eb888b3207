/* builder.h - one element while its type emits it; private to the engine. */
#ifndef SAL_BUILDER_H
#define SAL_BUILDER_H

#include "engine/scene/scene.h"

struct sal_builder {
    sal_scene      *scene;
    int             element;
    const cJSON    *node; /* of the element */
    const sal_type *type;
    int             event;                       /* that is being told of */
    int             change[SAL_CONTACT_CHANGES]; /* events of the contact at hand, -1: it cannot happen */
    bool            row_free;                    /* the row begun has a free coordinate */
    bool            failed;
    int             drawn;   /* items of the drawing before it */
    int             touched; /* contacts whose place has been drawn, and those before it */
};

sal_element *sal_builder_element(sal_builder *b);
/* What a point is made of that the type has handed over; NULL after an error. */
const sal_basis *sal_builder_basis(sal_builder *b, sal_point point);
/* Draws an element that has drawn nothing by the points it uses (build_drawing.c). */
void sal_builder_draw_used(sal_builder *b);
/* Compiles a formula of the type or of the scene; `key` names it in messages. False after an error. */
bool sal_builder_compile(sal_builder *b, sal_text text, const char *key, const sal_bind *binds, sal_program *program);
/* Reports an error of a formula: at its own place when the scene has it, else of the element. */
void sal_builder_formula_error(sal_builder *b, sal_text text, const char *format, ...) SAL_PRINTF(3, 4);
/* Whether the program is linear in velocities, at least one of them that of a coordinate, and reads nothing that
 * follows from forces; `affine`: something free of velocities may be added. */
bool sal_builder_is_velocity(sal_builder *b, const sal_program *program, bool affine);

/* switched.c: lets the event begun switch contacts, once all are known. */
typedef enum sal_switching_kind { SAL_OPENS, SAL_CLOSES, SAL_OPENS_AFTER } sal_switching_kind;
void sal_builder_switch(sal_builder *b, sal_texts contacts, sal_switching_kind kind);

#endif
