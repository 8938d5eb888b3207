/* build.h - a program under construction; for build.c, which makes its nodes, and parse.c, which reads text. */
#ifndef SAL_BUILD_H
#define SAL_BUILD_H

#include "engine/expr/expr.h"

struct sal_expr {
    sal_pool *pool;
    SAL_VEC(sal_node) node;
    int           *table; /* open addressing: 1 + node, 0 when empty */
    unsigned       ntable;
    int            column; /* where the text is being read, for errors that have no place of their own */
    bool           failed;
    sal_expr_error error;
};

#endif
