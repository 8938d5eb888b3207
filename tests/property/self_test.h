/* self_test.h - judges the judge. */
#ifndef PROPERTY_SELF_TEST_H
#define PROPERTY_SELF_TEST_H

#include "tests/property/options.h"

int self_test(const options *o); /* the exit status */

#endif
