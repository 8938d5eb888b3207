/* columns.h - numbers of a run as columns, a number each for every frame, and their bytes for a page.
 *
 * A column that never changes is one number. Others are told as base + float: with the base in the middle of their
 * range, or 0 where that lies in it, so that zeros are exact. The error is at most 2^-24 of the range, wherever that
 * is. Columns asked for as doubles are exact, and all are where a reader at hand takes them (columns_keep_doubles). */
#ifndef SAL_TOOLS_COLUMNS_H
#define SAL_TOOLS_COLUMNS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct columns columns;

columns *columns_create(int count); /* NULL: out of memory */
void     columns_keep_doubles(columns *c);
void     columns_free(columns *c);

/* The numbers of the frame in the making; what is not set is as in the frame before, NaN in the first. */
void columns_set(columns *c, int column, double value);
void columns_shift(columns *c, int column, double by); /* the number set last */
bool columns_add_frame(columns *c);                    /* false: out of memory */
int  columns_frames(const columns *c);
long columns_numbers(const columns *c);                                      /* in all columns that change */
void columns_range(const columns *c, int column, double *low, double *high); /* extends them; what is finite counts */

/* How a column is told: a number, null for none, or { "at": bytes, "base": number }, { "at": bytes, "double": true }.
 * The bytes are given out in the order of calls. */
cJSON *columns_tell(columns *c, int column, bool exact);
void   columns_write(const columns *c, FILE *f);       /* the bytes of all that were told, as base64 */
void   columns_write_bytes(const columns *c, FILE *f); /* as they are */

#endif
