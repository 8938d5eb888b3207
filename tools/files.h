/* files.h - files of results. One gets its name when it is complete: until then it is written beside it, under a name
 * that nobody knew before. Devices and pipes are written into. */
#ifndef SAL_TOOLS_FILES_H
#define SAL_TOOLS_FILES_H

#include "tools/cli.h"

typedef struct result_file {
    FILE *f;
    char  path[4200];
    char *part;  /* what it is called until it is complete; NULL: it is written in place */
    int   error; /* errno of the first write that failed */
} result_file;

/* "-", or the very file that stdout is: that. False after a message on stderr. */
bool result_open_file(result_file *r, const char *path);
bool result_open(result_file *r, const char *folder, const char *name); /* makes the folder, with its parents */
void result_check(result_file *r); /* notes why writing has failed, if it has: to be called now and then */
/* Ends what is written; `good`: it is complete. Harmless where none was opened; false after a message on stderr. */
bool result_close(result_file *r, bool good);
/* The same in two parts, for files that get their names together: all is written; the name. */
bool result_finish(result_file *r, bool good);
bool result_name(result_file *r, bool good);

/* Where a picture or a page goes: --output, else NAME and the suffix for a scene NAME.json, in the current folder. */
void result_path(const arguments *a, const char *suffix, char *path, size_t room);
bool result_is_stdout(const char *path);
/* Writes a picture of the scene there, and prints where; 0 or an exit code, message printed. `write` gets what it is of
 * and its title; it is false when there is no memory. */
int result_picture(const arguments *a, const session *s, const char *suffix,
                   bool (*write)(void *what, FILE *f, const char *title), void *what);

/* Removes what is not complete; for a command that is ended on its way, also by a signal. */
void results_discard(void);

#endif
