/* work.h - many scenes, in several processes: one that hangs or crashes is counted, and the rest goes on. */
#ifndef PROPERTY_WORK_H
#define PROPERTY_WORK_H

#include "tests/property/options.h"

/* Judges the seeds; verdicts in their order. False: the system has no more processes or memory. */
bool judge_all(const unsigned long long *seeds, int n, const options *o, verdict *verdicts);
/* All that is asked for, of one seed, here. */
void judge_seed(unsigned long long seed, const options *o, verdict *v);

#endif
