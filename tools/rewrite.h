/* rewrite.h - a scene's own text with other positions and velocities. */
#ifndef SAL_TOOLS_REWRITE_H
#define SAL_TOOLS_REWRITE_H

#include "tools/cli.h"

/* Writes the scene of `a` to a file, or to stdout when `output` is NULL: with q and v [n] as `at` and `velocity` of the
 * free points and the values of --set as parameters, everything else byte for byte as it is. The file gets its name
 * when it is complete. 0 or an exit code, message printed. */
int rewrite_scene(const arguments *a, const sal_model *model, const double *q, const double *v, const char *path);

#endif
