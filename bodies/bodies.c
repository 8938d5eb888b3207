/* bodies.c - the table of body types. A new type: its file, its line here and in CMakeLists.txt. */
#include "engine/ext.h"

extern const sal_type sal_body_point_mass, sal_body_bar, sal_body_rigid;

extern const sal_type *const sal_body_types[];
const sal_type *const        sal_body_types[] = { &sal_body_point_mass, &sal_body_bar, &sal_body_rigid, NULL };
