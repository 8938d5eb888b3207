/* builtin.c - the one file of the engine that knows which folders hold element types. */
#include "engine/registry.h"

extern const sal_type *const sal_body_types[];    /* bodies/bodies.c */
extern const sal_type *const sal_joint_types[];   /* joints/joints.c */
extern const sal_type *const sal_contact_types[]; /* contacts/contacts.c */

const sal_type *const *const sal_builtin_types[SAL_SECTIONS] = {
    [SAL_BODIES]   = sal_body_types,
    [SAL_JOINTS]   = sal_joint_types,
    [SAL_CONTACTS] = sal_contact_types,
};
