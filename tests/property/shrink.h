/* shrink.h - leaves out parts of a mechanism as long as it fails in the same way. */
#ifndef PROPERTY_SHRINK_H
#define PROPERTY_SHRINK_H

#include "tests/property/options.h"

/* Prints the scene that is left, and on the other stream what happens in it; the exit status. */
int shrink_seed(const options *o);

#endif
