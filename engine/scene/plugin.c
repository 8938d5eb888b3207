/* plugin.c - element types from shared objects.
 *
 * A plug-in is a shared object with one symbol, sal_plugin_types (ext.h). It is loaded whole or not at all: everything
 * is checked before its first type is registered. It stays loaded as long as the context. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "engine/scene/registry.h"

static const char SYMBOL[] = "sal_plugin_types";

/* Types of the plug-in in a section, ended by NULL; NULL: none. */
static const sal_type *const *types_of(const sal_plugin *plugin, sal_section section)
{
    return section == SAL_BODIES ? plugin->bodies : section == SAL_JOINTS ? plugin->joints : plugin->contacts;
}

static sal_status check_types(sal_context *context, const char *file, const sal_plugin *plugin)
{
    const sal_registry *registry = sal_context_registry(context);
    int                 count    = 0;

    for (sal_section s = SAL_BODIES; s < SAL_SECTIONS; s++) {
        const sal_type *const *list = types_of(plugin, s);
        for (int k = 0; list && list[k]; k++, count++) {
            const char *name = list[k]->name;
            if (!name || !list[k]->emit || (list[k]->nfields && !list[k]->fields)) {
                return sal_fail(context, SAL_ERR_ARGUMENT, "%s: a type needs a name, its fields and emit", file);
            }
            bool taken = sal_registry_find(registry, s, name) != NULL;
            for (int j = 0; j < k; j++) taken = taken || !strcmp(list[j]->name, name);
            if (taken) {
                return sal_fail(context, SAL_ERR_ARGUMENT, "%s: %s already has a type '%s'", file, sal_section_name(s),
                                name);
            }
            if (registry->n[s] + k >= SAL_TYPES_MAX) {
                return sal_fail(context, SAL_ERR_ARGUMENT, "%s: %s has %d types; no more fit", file,
                                sal_section_name(s), SAL_TYPES_MAX);
            }
        }
    }
    if (count == 0) return sal_fail(context, SAL_ERR_ARGUMENT, "%s: the plug-in has no types", file);
    return SAL_OK;
}

static sal_status check_plugin(sal_context *context, const char *file, const sal_plugin *plugin)
{
    if (!plugin) {
        return sal_fail(context, SAL_ERR_ARGUMENT, "%s is not a plug-in of Saltus: it has no symbol '%s'", file,
                        SYMBOL);
    }
    if (plugin->version != SAL_EXT_VERSION) {
        return sal_fail(context, SAL_ERR_ARGUMENT,
                        "%s was built for version %d of the interface for types, this is version %d; build it again",
                        file, plugin->version, SAL_EXT_VERSION);
    }
    return check_types(context, file, plugin);
}

sal_status sal_plugin_load(sal_context *context, const char *file)
{
    sal_registry     *registry = sal_context_registry(context);
    char              path[4096];
    void             *handle;
    const sal_plugin *plugin;
    sal_status        status;

    if (registry->nplugin == SAL_PLUGINS_MAX)
        return sal_fail(context, SAL_ERR_ARGUMENT, "%s: more than %d plug-ins", file, SAL_PLUGINS_MAX);
    /* without a slash the system would look for it elsewhere */
    if ((size_t)snprintf(path, sizeof path, "%s%s", strchr(file, '/') ? "" : "./", file) >= sizeof path)
        return sal_fail(context, SAL_ERR_ARGUMENT, "the name of the plug-in is too long");
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return sal_fail(context, SAL_ERR_FILE, "the plug-in cannot be loaded: %s", dlerror());
    plugin = dlsym(handle, SYMBOL);
    status = check_plugin(context, file, plugin);
    if (status != SAL_OK) {
        dlclose(handle);
        return status;
    }
    registry->plugin[registry->nplugin++] = handle;
    for (sal_section s = SAL_BODIES; s < SAL_SECTIONS; s++) {
        const sal_type *const *list = types_of(plugin, s);
        for (int k = 0; list && list[k]; k++) registry->type[s][registry->n[s]++] = list[k];
    }
    return SAL_OK;
}

void sal_plugins_unload(sal_registry *registry)
{
    while (registry->nplugin > 0) dlclose(registry->plugin[--registry->nplugin]);
}
