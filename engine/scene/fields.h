/* fields.h - reading JSON objects by field tables, and printing the tables; private to the engine. */
#ifndef SAL_FIELDS_H
#define SAL_FIELDS_H

#include "engine/scene/scene.h"

typedef struct sal_table {
    const sal_field *fields;
    int              n;
} sal_table;

#define SAL_TABLE(array) ((sal_table){ (array), SAL_COUNT(array) })

/* Reports every key of `object` that none of the tables knows. */
void sal_fields_check_keys(sal_scene *scene, const cJSON *object, const char *path, const sal_table *tables,
                           int ntables);

/* Fills `self` from `object` by the table, with defaults for absent keys; `element` owns markers (-1: none are
 * expected). False when there were errors; all of them have been reported. */
bool sal_fields_read(sal_scene *scene, const cJSON *object, const char *path, sal_table table, void *self, int element);

/* True when the node is an object; reports it otherwise. */
bool sal_expect_object(sal_scene *scene, const cJSON *node, const char *path);
/* True when the member's key may name a thing of the scene; reports it otherwise. */
bool sal_expect_name(sal_scene *scene, const cJSON *member, const char *path);

/* "a number", "text", ... for messages: what was found. */
const char *sal_found(const cJSON *node);

/* Tables of the parts of a scene that are not elements (scene.c). */
extern const sal_table sal_types_table; /* custom.c */
extern const sal_table sal_scene_table, sal_point_table, sal_cost_table, sal_simulation_table;
extern const sal_table sal_vector_table;   /* vectors.c */
extern const sal_table sal_cycle_table;    /* cycle_section.c */
extern const sal_table sal_optimize_table; /* optimize_section.c */
/* Fields that elements with rows have besides their own (scene.c). */
extern const sal_table sal_row_table;

#endif
