/* options.h - the command line of `property`. */
#ifndef PROPERTY_OPTIONS_H
#define PROPERTY_OPTIONS_H

#include "tests/property/judge.h"

typedef enum task { JUDGE, PRINT, SHRINK, SELF_TEST } task;

typedef struct options {
    task               task;
    unsigned long long seed;
    int                count, jobs, max_failures;
    int                family; /* -1: all */
    bool               equivalent, verify, adjoint, one_by_one;
    limits             limits;
    const char        *variant; /* of what is printed; NULL: as generated */
} options;

/* 0; or the exit status to end with, after a message or the help. */
int read_options(int argc, char **argv, options *o);

#endif
