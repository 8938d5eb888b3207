/* registry.h - the element types a context knows, by section of the scene. */
#ifndef SAL_REGISTRY_H
#define SAL_REGISTRY_H

#include "engine/context.h"
#include "engine/ext.h"

typedef enum sal_section { SAL_BODIES, SAL_JOINTS, SAL_CONTACTS, SAL_SECTIONS } sal_section;

enum { SAL_TYPES_MAX = 64 /* of one section */, SAL_PLUGINS_MAX = 64 };

typedef struct sal_registry {
    const sal_type *type[SAL_SECTIONS][SAL_TYPES_MAX];
    int             n[SAL_SECTIONS];
    void           *plugin[SAL_PLUGINS_MAX]; /* handles of shared objects */
    int             nplugin;
} sal_registry;

void            sal_registry_init(sal_registry *registry); /* with the built-in types */
const sal_type *sal_registry_find(const sal_registry *registry, sal_section section,
                                  const char *name);        /* NULL: unknown */
const char     *sal_section_name(sal_section section);      /* "bodies" */
void            sal_plugins_unload(sal_registry *registry); /* plugin.c */
sal_registry   *sal_context_registry(sal_context *context);

/* builtin.c, the one file of the engine that names the tables of types; each ends with NULL. */
extern const sal_type *const *const sal_builtin_types[SAL_SECTIONS];

#endif
