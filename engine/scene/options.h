/* options.h - words of the scene for the choices of a run, in the order of their enums in saltus.h. */
#ifndef SAL_OPTIONS_H
#define SAL_OPTIONS_H

#include "engine/saltus.h"

extern const char *const sal_form_words[];          /* sal_form */
extern const char *const sal_stabilization_words[]; /* sal_stabilization */
extern const char *const sal_integrator_words[];    /* sal_integrator */

typedef struct sal_scene_section {
    const char *key, *help;
} sal_scene_section;
extern const sal_scene_section sal_scene_sections[]; /* ended by a NULL key */

#endif
