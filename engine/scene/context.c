/* context.c - a context as the caller gets it: with the built-in types. The one file of the engine that knows which
 * folders
 * hold types of elements. */
#include "engine/scene/registry.h"

extern const sal_type *const sal_body_types[];    /* bodies/bodies.c; each list ends with NULL */
extern const sal_type *const sal_joint_types[];   /* joints/joints.c */
extern const sal_type *const sal_contact_types[]; /* contacts/contacts.c */

sal_status sal_context_create(const sal_context_opts *opts, sal_context **context)
{
    static const sal_type *const *const types[SAL_SECTIONS] = {
        [SAL_BODIES] = sal_body_types, [SAL_JOINTS] = sal_joint_types, [SAL_CONTACTS] = sal_contact_types
    };
    sal_status status = sal_context_init(opts, sizeof(sal_registry), context);

    if (status == SAL_OK) sal_registry_init(sal_context_registry(*context), types);
    return status;
}

void sal_context_destroy(sal_context **context)
{
    if (!*context) return;
    sal_plugins_unload(sal_context_registry(*context));
    sal_context_free(context);
}
