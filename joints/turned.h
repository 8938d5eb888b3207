/* turned.h - the direction of a body, turned back by an angle: what a joint compares with another direction.
 *
 * From ends[0] to ends[1] leads R(-angle) d, d from the first to the second point of the body. It is a marker with
 * alpha = cos(angle), beta = -sin(angle), so that rows with it are sums of terms. */
#ifndef SAL_TURNED_H
#define SAL_TURNED_H

#include "engine/ext.h"

static inline void turned(sal_builder *b, const char *body, sal_slot angle, sal_point ends[2])
{
    const sal_bind binds[] = { { "a", angle }, { 0 } };

    sal_body_ends(b, body, ends);
    ends[1] = (sal_point){ .xi    = ends[0].xi,
                           .yi    = ends[0].yi,
                           .xj    = ends[1].xi,
                           .yj    = ends[1].yi,
                           .alpha = sal_derive(b, "cos(a)", binds),
                           .beta  = sal_derive(b, "-sin(a)", binds) };
}

#endif
