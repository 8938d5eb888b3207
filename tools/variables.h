/* variables.h - what a search changes: parameters and initial values by name, with ranges. */
#ifndef SAL_TOOLS_VARIABLES_H
#define SAL_TOOLS_VARIABLES_H

#include <stdint.h>

#include "tools/cli.h"

typedef struct variable {
    char  *name;             /* its own copy */
    double low, high, start; /* where there is no range: -inf, inf */
    int    knots;            /* > 0: the first of so many of a function of time, which follow each other; -1: another */
} variable;

typedef struct variables {
    variable *at;
    int       n, more; /* that there will be, at least */
} variables;

/* From --over, each NAME=LOW:HIGH or NAME=LOW:HIGH:START; false after a message, then too with something to free. It
 * starts at the value of the scene, initial values in the middle. `other`, where there is one: a name that is none of
 * the scene's and starts at 0; then ranges may be left out. The session is open. */
bool variables_read(variables *v, const arguments *a, const session *s, const char *other);
void variables_free(variables *v);
/* Where searches start, [places][n], as parts of the ranges (0 where there is none): the first at the start, others
 * spread over them. NULL: out of memory. */
double *variables_places(const variables *v, int places, uint64_t seed);
bool    variables_can_start(const variables *v, int places); /* false after a message: too many for that */
bool    variable_is_initial(const variable *v);              /* initial(P.x) and the like, which are no parameters */

#endif
