/* registry.c - registering and finding element types. */
#include "engine/scene/registry.h"

#include <string.h>

void sal_registry_init(sal_registry *registry, const sal_type *const *const types[SAL_SECTIONS])
{
    for (int s = 0; s < SAL_SECTIONS; s++) {
        registry->n[s] = 0;
        for (const sal_type *const *type = types[s]; *type; type++) {
            registry->type[s][registry->n[s]++] = *type;
        }
    }
}

sal_registry *sal_context_registry(sal_context *context)
{
    return sal_context_more(context);
}

const sal_type *sal_registry_find(const sal_registry *registry, sal_section section, const char *name)
{
    for (int i = 0; i < registry->n[section]; i++) {
        if (!strcmp(registry->type[section][i]->name, name)) return registry->type[section][i];
    }
    return NULL;
}

static sal_status add_type(sal_context *context, sal_section section, const sal_type *type)
{
    sal_registry *r = sal_context_registry(context);

    if (!type || !type->name || !type->emit || (type->nfields && !type->fields)) {
        return sal_fail(context, SAL_ERR_ARGUMENT, "a type needs a name, its fields and emit");
    }
    if (sal_registry_find(r, section, type->name)) {
        return sal_fail(context, SAL_ERR_ARGUMENT, "%s already has a type '%s'", sal_section_name(section), type->name);
    }
    if (r->n[section] == SAL_TYPES_MAX) {
        return sal_fail(context, SAL_ERR_ARGUMENT, "%s has %d types; no more fit", sal_section_name(section),
                        SAL_TYPES_MAX);
    }
    r->type[section][r->n[section]++] = type;
    return SAL_OK;
}

sal_status sal_register_body(sal_context *context, const sal_type *type)
{
    return add_type(context, SAL_BODIES, type);
}

sal_status sal_register_joint(sal_context *context, const sal_type *type)
{
    return add_type(context, SAL_JOINTS, type);
}

sal_status sal_register_contact(sal_context *context, const sal_type *type)
{
    return add_type(context, SAL_CONTACTS, type);
}
