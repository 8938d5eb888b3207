/* variants.h - the mechanisms that must move like a given one, and how their motion is brought back to it. */
#ifndef PROPERTY_VARIANTS_H
#define PROPERTY_VARIANTS_H

#include "tests/property/vary.h"

/* Name; relative error that it brings with it by rounding and by other steps; and the speed of a touch, of the typical
 * one, from which on differences are told apart: whether slower touches rebound or stay closed is decided by numbers
 * that depend on how well a gap is known, and one rebound more or less changes little. */
#define VARIANT_LIST(X)                                                                        \
    X(moved, 1e-10, 1e-2)  /* by 1e3 of its length */                                          \
    X(turned, 1e-10, 1e-2) /* other steps: components are what their errors are measured by */ \
    X(mirrored, 1e-10, 1e-2)                                                                   \
    X(reordered, 1e-10, 1e-2)                                                                  \
    X(reversed, 1e-10, 1e-2)                                                                   \
    X(units, 1e-10, 1e-2) /* millimetres and grams */                                          \
    X(far, 1e-8, 1e-1)    /* by 1e6 of its length: coordinates are known to 1e-10 of that length */
#define VARIANT_ENUM(name, error, slow) VARIANT_##name,
typedef enum variant { VARIANT_LIST(VARIANT_ENUM) VARIANTS } variant;
#undef VARIANT_ENUM

extern const char *const variant_names[VARIANTS];
extern const double      variant_error[VARIANTS], variant_slow[VARIANTS];

#define COMPARED_RTOL 1e-11 /* of the runs that are compared */

typedef struct mapping { /* p' = length (by + u p), p mirrored before where it is */
    vec    by, u;
    bool   mirrored;
    double length;
} mapping;

vec map_back(const mapping *f, vec p, bool velocity);

/* False: this mechanism has no such variant. */
bool make_variant(const mechanism *m, variant which, mechanism *out, mapping *f);
/* By name, in place, to be run as it is when compared; "same": unchanged. */
bool variant_named(mechanism *m, const char *name);

#endif
