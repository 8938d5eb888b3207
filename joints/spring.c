/* spring.c - spring and damper along the line between two points or markers P and Q.
 *
 *     tension f = k (l - l0) + c l',   l = |q - p|;   force +f e on P and -f e on Q,   e = (q - p)/l       [N]
 *
 * Its energy is 1/2 k (l - l0)^2. At l = 0 the line has no direction and the force is taken as zero. */
#include "engine/ext.h"

typedef struct spring {
    sal_point ends[2];
    sal_slot  stiffness, length, damping;
} spring;

static const sal_field fields[] = {
    { "points", SAL_F_PAIR, offsetof(spring, ends), .help = "the two ends" },
    { "stiffness", SAL_F_VALUE, offsetof(spring, stiffness), "N/m", "0", "force per elongation", SAL_NOT_NEGATIVE,
      true },
    { "length", SAL_F_VALUE, offsetof(spring, length), "m", "0", "natural length", SAL_NOT_NEGATIVE, true },
    { "damping", SAL_F_VALUE, offsetof(spring, damping), "N s/m", "0", "force per rate of elongation", SAL_NOT_NEGATIVE,
      true },
};

static void emit(const void *self, sal_builder *b)
{
    const spring *s = self;

    sal_add_spring(b, s->ends[0], s->ends[1], s->stiffness, s->length, s->damping);
}

const sal_type sal_joint_spring = {
    .name    = "spring",
    .help    = "spring and damper along the line between two points",
    .size    = sizeof(spring),
    .fields  = fields,
    .nfields = SAL_COUNT(fields),
    .emit    = emit,
};
