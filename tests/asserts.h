/* asserts.h - what all tests assert beside cmocka's own; and the headers that cmocka needs before it. */
#ifndef SAL_TESTS_ASSERTS_H
#define SAL_TESTS_ASSERTS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static inline void assert_near_at(double found, double expected, double tolerance, const char *what, const char *file,
                                  int line)
{
    if (fabs(found - expected) <= tolerance) return; /* false for NaN */
    print_error("%s: %.17g, expected %.17g within %g, off by %g\n", what, found, expected, tolerance, found - expected);
    _fail(file, line);
}
#define assert_near(found, expected, tolerance) \
    assert_near_at((found), (expected), (tolerance), #found, __FILE__, __LINE__)

static inline void assert_says_at(const char *message, const char *part, const char *file, int line)
{
    if (message && strstr(message, part)) return;
    print_error("'%s' not in '%s'\n", part, message ? message : "(null)");
    _fail(file, line);
}
#define assert_says(message, part) assert_says_at((message), (part), __FILE__, __LINE__)

#endif
