/* view.h - the parts of `saltus view`: work on the text of a scene, its file, and the server that pages ask. */
#ifndef SAL_TOOLS_VIEW_H
#define SAL_TOOLS_VIEW_H

#include <stdio.h>

#include "tools/cli.h"

/* ------------------------------------------------------------------------------------------- work */

/* What can be done with a scene. */
#define VIEW_TASK_LIST(X)              \
    X(VIEW_RUN, "run")                 \
    X(VIEW_SENS, "sens")               \
    X(VIEW_CYCLE, "cycle")             \
    X(VIEW_EQUILIBRIUM, "equilibrium") \
    X(VIEW_MODES, "modes")

typedef enum view_task {
#define VIEW_TASK_ENUM(task, name) task,
    VIEW_TASK_LIST(VIEW_TASK_ENUM)
#undef VIEW_TASK_ENUM
        VIEW_TASKS
} view_task;

extern const char *const view_task_names[VIEW_TASKS];

typedef struct view_work {
    const arguments *a;       /* plug-ins, and the name of the scene */
    const char      *text;    /* of the scene */
    size_t           size;    /* [bytes] */
    view_task        task;    /* what is done with it */
    bool             report;  /* a page of its own in place of an answer */
    double           seconds; /* that it may take; then it is shown as far as it came */
    bool (*stop)(void *user); /* nobody waits for it any more */
    void *user;
} view_work;

/* Works, and writes the answer: what tools/page/README.md tells, or a report. Errors of the scene are an answer. False:
 * it was stopped, out of memory, or there is no report to be made of it. */
bool view_do(const view_work *w, FILE *answer);
/* The schema of scenes, with the types of plug-ins; false: out of memory. */
bool view_schema(const arguments *a, FILE *answer);

/* ------------------------------------------------------------------------------------------- file */

enum {
    VIEW_STAMP      = 32 /* room for the stamp of a file */,
    VIEW_MOST_BYTES = 16 << 20 /* of a scene, as the engine reads it */
};

/* The text of a file, to be freed, and a stamp that another text does not have. NULL: errno. */
char *view_read(const char *path, size_t *size, char stamp[VIEW_STAMP]);
/* Writes a text in place of a file that has the stamp, or whatever it has where that is NULL, and gives the new one: 0;
 * 1: the file has another stamp; -1: errno. All of it or nothing; a link stays a link, the mode of the file stays.
 * Where there is no file, one is made if the stamp is NULL. */
int view_write(const char *path, const char *text, size_t size, const char *expected, char stamp[VIEW_STAMP]);

/* ----------------------------------------------------------------------------------------- server */

typedef struct view_server view_server;

typedef struct view_opts {
    const arguments *a;
    int              port;    /* 0: any that is free */
    double           seconds; /* that a piece of work may take */
} view_opts;

/* Listens on the loopback address; NULL after a message on stderr. */
view_server *view_open(const view_opts *opts);
const char  *view_address(const view_server *server); /* with its key */
void         view_close(view_server *server);         /* what is being done is stopped */

#endif
