/* spread_threads.c - saltus: one process, which does everything. */
#include "tools/sweep/spread.h"

void spread_begin(int *argc, char ***argv)
{
    (void)argc, (void)argv;
}

bool spread_helps(void)
{
    return false;
}

int spread_help(const sal_sweep *s, const plan *p, const char *identity, int code)
{
    (void)s, (void)p, (void)identity;
    return code;
}

sal_status spread_cases(const sal_sweep *s, table *t, progress *p)
{
    return cases_by_threads(s, t, p);
}

void spread_end(void)
{
}
