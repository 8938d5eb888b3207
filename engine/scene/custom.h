/* custom.h - types of joints that a scene defines; private to the engine. */
#ifndef SAL_CUSTOM_H
#define SAL_CUSTOM_H

#include "engine/scene/fields.h"

/* Reads the section "types" of a scene; errors are reported. */
void sal_custom_load(sal_scene *scene, const cJSON *object);

#endif
