/* registry.h - the element types a context knows, by section of the scene. */
#ifndef SAL_REGISTRY_H
#define SAL_REGISTRY_H

#include "engine/model/model.h"

enum { SAL_TYPES_MAX = 64 /* of one section */, SAL_PLUGINS_MAX = 64 };

typedef struct sal_registry {
    const sal_type *type[SAL_SECTIONS][SAL_TYPES_MAX];
    int             n[SAL_SECTIONS];
    void           *plugin[SAL_PLUGINS_MAX]; /* handles of shared objects */
    int             nplugin;
} sal_registry;

/* With these types, a list ended by NULL for each section. */
void            sal_registry_init(sal_registry *registry, const sal_type *const *const types[SAL_SECTIONS]);
const sal_type *sal_registry_find(const sal_registry *registry, sal_section section,
                                  const char *name);        /* NULL: unknown */
void            sal_plugins_unload(sal_registry *registry); /* plugin.c */
sal_registry   *sal_context_registry(sal_context *context);

#endif
