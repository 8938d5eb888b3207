/* rewrite.h - a scene's own text with other positions and velocities. */
#ifndef SAL_TOOLS_REWRITE_H
#define SAL_TOOLS_REWRITE_H

#include "tools/cli.h"

/* What a scene begins with. */
typedef struct scene_start {
    const double *q, *v;  /* [n]; NULL: as the scene says */
    const double *memory; /* see sal_model_memory; NULL: as the scene says */
    double        t;      /* when it is: formulas that read t go on from there */
} scene_start;

/* Writes the scene of `a` to a file, or to stdout where the path is NULL: with q and v as `at` and `velocity` of the
 * free points and the values of --set as parameters, everything else byte for byte as it is. The file gets its name
 * when it is complete. 0 or an exit code, message printed. */
int rewrite_scene(const arguments *a, const session *s, scene_start start, const char *path);
/* The scene that goes on where the run is. It is tried first: where it would not begin with the same accelerations and
 * the same contacts closed it cannot say all of that state, and is not written. */
int rewrite_final(const arguments *a, const session *s, const char *path);

#endif
