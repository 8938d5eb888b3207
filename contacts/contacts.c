/* contacts.c - the table of contacts and events. A new type: its file, its line here and in CMakeLists.txt. */
#include "engine/ext.h"

extern const sal_type sal_contact_event, sal_contact_ground, sal_contact_edge, sal_contact_discs,
    sal_contact_angle_stop, sal_contact_length_stop, sal_contact_formula;

extern const sal_type *const sal_contact_types[];
const sal_type *const        sal_contact_types[] = {
           &sal_contact_event,      &sal_contact_ground,      &sal_contact_edge,    &sal_contact_discs,
           &sal_contact_angle_stop, &sal_contact_length_stop, &sal_contact_formula, NULL,
};
