/* report.h - what was found: a table by families, and what fails, by kinds. */
#ifndef PROPERTY_REPORT_H
#define PROPERTY_REPORT_H

#include "tests/property/options.h"

bool fails(const verdict *v);
/* In a word or a line, without numbers: failures of one kind have the same. "": none. */
void kind_of(const verdict *v, char text[128]);
/* Returns how many fail. */
int  report(const verdict *v, int n, const options *o);
void report_one(const verdict *v);

#endif
