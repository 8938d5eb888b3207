/* context.h - what a context consists of; for the files of base/ only. */
#ifndef SAL_CONTEXT_H
#define SAL_CONTEXT_H

#include <pthread.h>

#include "engine/base/base.h"

enum { SAL_ERRORS_MAX = 100 };

struct sal_context {
    sal_context_opts opts;
    sal_diagnostic   error[SAL_ERRORS_MAX];
    int              nerror;
    int              dropped; /* errors beyond SAL_ERRORS_MAX */
    pthread_mutex_t  lock;    /* of the diagnostics: threads that share a model share its context */
    sal_pool         texts;   /* of the diagnostics */
    char            *message; /* all of them joined; in texts */
    _Alignas(max_align_t) unsigned char more[];
};

char *sal_pool_format_v(sal_pool *pool, const char *format, va_list args);

#endif
