/* variants.c - see variants.h. */
#include <string.h>

#include "tests/property/variants.h"

#define VARIANT_NAME(name, error, slow)  #name,
#define VARIANT_ERROR(name, error, slow) error,
#define VARIANT_SLOW(name, error, slow)  slow,
const char *const variant_names[VARIANTS] = { VARIANT_LIST(VARIANT_NAME) };
const double      variant_error[VARIANTS] = { VARIANT_LIST(VARIANT_ERROR) };
const double      variant_slow[VARIANTS]  = { VARIANT_LIST(VARIANT_SLOW) };

vec map_back(const mapping *f, vec p, bool velocity)
{
    p = vec_times(1.0 / f->length, p);
    if (!velocity) p = vec_minus(p, f->by);
    p = vec_turn((vec){ f->u.x, -f->u.y }, p);
    if (f->mirrored) p.x = -p.x;
    return p;
}

/* By an angle for which every ground has a height at x = 0; a wave has none. */
static bool turn_somehow(mechanism *m, dice *d, vec *u)
{
    const mechanism was = *m;

    for (int k = 0; k < 100; k++) {
        *u = dice_direction(d, 1.0);
        *m = was;
        turn(m, *u);
        if (can_be_written(m) && fabs(u->y) > 0.1) return true;
    }
    return false;
}

bool make_variant(const mechanism *m, variant which, mechanism *out, mapping *f)
{
    dice d = { m->seed ^ UINT64_C(0x5851f42d4c957f2d) };

    *out = *m;
    *f   = (mapping){ .u = { 1.0, 0.0 }, .length = 1.0 };
    switch (which) {
    case VARIANT_moved:
    case VARIANT_far:
        f->by = vec_times((which == VARIANT_far ? 1e6 : 1e3) * m->length, (vec){ 0.6, 0.8 });
        move(out, f->by);
        return true;
    case VARIANT_turned: return turn_somehow(out, &d, &f->u);
    case VARIANT_mirrored: mirror(out); return f->mirrored = true;
    case VARIANT_reordered: reorder(out, &d); return true;
    case VARIANT_reversed: reverse(out, &d); return true;
    case VARIANT_units: scale(out, f->length = 1e3, 1e3); return true;
    default: return false;
    }
}

bool variant_named(mechanism *m, const char *name)
{
    mechanism was;
    mapping   f;

    m->rtol = COMPARED_RTOL;
    was     = *m;
    if (!strcmp(name, "same")) return true;
    for (int k = 0; k < VARIANTS; k++) {
        if (!strcmp(name, variant_names[k])) return make_variant(&was, (variant)k, m, &f);
    }
    return false;
}
