/* shipped.h - the scenes that are shipped. */
#ifndef SAL_TESTS_SHIPPED_H
#define SAL_TESTS_SHIPPED_H

#include <dirent.h>

#include "tests/support.h"

typedef struct shipped {
    int  n;
    char name[128][64];
} shipped;

static inline shipped scenes_in(const char *path)
{
    shipped list   = { 0 };
    DIR    *folder = opendir(path);

    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".json") != 0 || !strcmp(entry->d_name, "saltus.schema.json")) continue;
        assert_true(list.n < SAL_COUNT(list.name) && strlen(entry->d_name) < sizeof list.name[0]);
        strcpy(list.name[list.n++], entry->d_name);
    }
    closedir(folder);
    return list;
}

static inline shipped shipped_scenes(void)
{
    return scenes_in(SAL_SCENES_DIR);
}

#endif
