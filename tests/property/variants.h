/* variants.h - the mechanisms that must move like a given one, and how their motion is brought back to it. */
#ifndef PROPERTY_VARIANTS_H
#define PROPERTY_VARIANTS_H

#include "tests/property/vary.h"

#define VARIANT_LIST(X)                                                                            \
    X(moved, 1e-8)   /* by 1e6 of its length: its coordinates are known to 1e-10 of that length */ \
    X(turned, 1e-10) /* other steps: components are what their errors are measured by */           \
    X(mirrored, 1e-10)                                                                             \
    X(reordered, 1e-10)                                                                            \
    X(reversed, 1e-10)                                                                             \
    X(units, 1e-10) /* millimetres and grams */
#define VARIANT_ENUM(name, error) VARIANT_##name,
typedef enum variant { VARIANT_LIST(VARIANT_ENUM) VARIANTS } variant;
#undef VARIANT_ENUM

extern const char *const variant_names[VARIANTS];
extern const double      variant_error[VARIANTS]; /* what rounding and steps may make of it, relative */

typedef struct mapping { /* p' = length (by + u p), p mirrored before where it is */
    vec    by, u;
    bool   mirrored;
    double length;
} mapping;

vec map_back(const mapping *f, vec p, bool velocity);

/* False: this mechanism has no such variant. */
bool make_variant(const mechanism *m, variant which, mechanism *out, mapping *f);
/* By name, in place. */
bool variant_named(mechanism *m, const char *name);

#endif
