/* shipped.h - the scenes that are shipped. */
#ifndef SAL_TESTS_SHIPPED_H
#define SAL_TESTS_SHIPPED_H

#include <dirent.h>
#include <string.h>

/* The name of the next one in their folder; NULL: there are no more. */
static inline const char *next_scene(DIR *folder)
{
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot && !strcmp(dot, ".json") && strcmp(entry->d_name, "saltus.schema.json") != 0) return entry->d_name;
    }
    return NULL;
}

#endif
