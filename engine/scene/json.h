/* json.h - strict reading of JSON with a line and a column for every node; private to the engine.
 *
 * cJSON builds the tree but keeps no positions and lets a good deal pass. So the text is first scanned by our own
 * reader, which accepts exactly RFC 8259 (valid UTF-8 without a byte order mark, no duplicate keys, finite numbers,
 * nothing behind the document) within bounds, and notes where each value and key begins, in document order. cJSON then
 * parses text that is known to be good, and its nodes, walked in the same order, get their number in that
 * list (kept in valueint, which nothing here reads otherwise). */
#ifndef SAL_JSON_H
#define SAL_JSON_H

#include <cjson/cJSON.h>
#include "engine/base/base.h"

enum {
    SAL_JSON_MAX_DEPTH  = 32,               /* nested arrays and objects */
    SAL_JSON_MAX_BYTES  = 16 * 1024 * 1024, /* of the file */
    SAL_JSON_MAX_KEY    = 256,              /* bytes of a key, decoded */
    SAL_JSON_MAX_NUMBER = 63 /* characters of a number: cJSON without the fix of CVE-2023-26819 cuts it there */
};

typedef struct sal_json {
    const char            *file; /* name for messages */
    const char            *text; /* a copy in the pool, NUL-terminated */
    int                    size; /* of text, without the NUL */
    cJSON                 *root; /* owned: freed by sal_json_free */
    struct sal_json_place *place;
    int                    nplace;
    int                   *line; /* offsets at which the lines begin */
    int                    nline;
} sal_json;

/* Parses `text`; `file` and `text` are copied into the pool. Errors go to the context's diagnostics (sal_add_error)
 * with file, line, column and, where known, the path; a syntax error ends the reading, all duplicate keys (and all
 * numbers too large for a double) are reported together. SAL_OK, SAL_ERR_SCENE, SAL_ERR_MEMORY; unless SAL_OK, `json`
 * is empty. The key "//" holds a comment and may be repeated. */
sal_status sal_json_parse(sal_pool *pool, const char *file, const char *text, size_t size, sal_json *json);
/* Reads the file, then parses it. Also SAL_ERR_FILE: missing, a directory, unreadable, too large. */
sal_status sal_json_load(sal_pool *pool, const char *file, sal_json *json);
void       sal_json_free(sal_json *json); /* the tree, not what is in the pool; also of an empty one */

/* Where a node's value begins, and where its key begins (the value's place when it has no key). 1-based, bytes. */
void sal_json_value_at(const sal_json *json, const cJSON *node, int *line, int *column);
void sal_json_key_at(const sal_json *json, const cJSON *node, int *line, int *column);
/* Where byte `offset` of a string node's decoded text stands in the file, escapes taken into account: the escape when
 * the byte comes from one, the closing quote when it is the text's end or beyond. */
void sal_json_string_at(const sal_json *json, const cJSON *node, int offset, int *line, int *column);

#endif
