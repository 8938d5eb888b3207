/* search_absent.c - where NLopt was not there when this was built. */
#include "tools/optimize/problem.h"

const char *const *search_methods(void)
{
    static const char *const names[] = { "slsqp", "mma", "lbfgs", NULL };

    return names;
}

bool search_takes(const problem *p, int method)
{
    (void)p, (void)method;
    fprintf(stderr, "saltus: this saltus was built without NLopt, which saltus optimize needs.\n"
                    "On Debian: apt-get install libnlopt-dev, then build it again (cmake --fresh).\n");
    return false;
}

searched search_from(problem *p, int method, double *u)
{
    (void)p, (void)u;
    return (searched){ .why = "there is no method", .method = method };
}
