/* rest.h - what saltus equilibrium and saltus modes share. */
#ifndef SAL_TOOLS_REST_H
#define SAL_TOOLS_REST_H

#include <cjson/cJSON.h>

#include "tools/cli.h"

/* The equilibrium of the arguments' scene, found: 0 or an exit code, message printed. */
int         open_equilibrium(session *s, arguments *a, sal_equilibrium **e);
const char *stability_word(sal_equilibrium_info i);
cJSON      *gradient_of(const sal_equilibrium *e, const double *row); /* { parameter: number } */

#endif
