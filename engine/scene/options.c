/* options.c - words of the scene for the choices of a run. */
#include "engine/scene/options.h"

#include <stddef.h>

const char *const sal_form_words[] = {
    [SAL_INDEX1] = "index1", [SAL_PENALTY] = "penalty", [SAL_INDEX3] = "index3", NULL
};
const char *const sal_integrator_words[] = {
    [SAL_RK8] = "rk8", [SAL_RK5] = "rk5", [SAL_RADAU] = "radau", [SAL_AUTO] = "auto", NULL
};
const char *const sal_stabilization_words[] = {
    [SAL_PROJECTION] = "projection", [SAL_BAUMGARTE] = "baumgarte", [SAL_NO_STABILIZATION] = "none", NULL
};
