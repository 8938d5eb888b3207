/* json.c - the strict JSON scanner, the places of the nodes, duplicate keys, reading of the file.
 *
 * Rules:
 * - The scanner decides alone what is accepted. cJSON sees only text that passed, so NULL from it means out of memory.
 * - Places are byte offsets into the text; lines and columns are made from them only for a message. A line ends with
 *   \n, \r\n or a lone \r.
 * - A message says what was found and what was expected. Its path leads to the value being read; an error in a key or
 *   between two values has the path of the container. Keys stand in the path decoded, control characters as '?'.
 * - What is needed during the reading only is in a scratch pool, what stays is in the caller's.
 * - Recursion is bounded by SAL_JSON_MAX_DEPTH. */
#include "engine/scene/json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sal_json_place {
    int value;
    int key; /* the opening quote; as value when there is no key */
};

/* One open array or object, and which of its values is being read: key or index, the other is NONE. */
typedef struct frame {
    int key; /* offset of its opening quote */
    int index;
} frame;

enum {
    NONE        = -1,
    PATH_BYTES  = SAL_JSON_MAX_DEPTH * (SAL_JSON_MAX_KEY + 1) + 1, /* an index is always shorter than a longest key */
    WORD_SHOWN  = 24,                                              /* characters of an unknown word in a message */
    FOUND_BYTES = WORD_SHOWN + 8                                   /* with sign, quotes and dots */
};

typedef struct reader {
    sal_context *context;
    sal_json    *json;
    sal_pool     scratch;
    const char  *text; /* that of json */
    int          size;
    int          at; /* next byte to read */
    frame        frame[SAL_JSON_MAX_DEPTH];
    int          depth;
    int          nerror;
    int          most; /* members of the largest object */
    SAL_VEC(struct sal_json_place) place;
    const cJSON **member; /* most of them: the members of one object, for sorting */
    int          *first;  /* by number of a node: the number of the node that has the same key before it, or 0 */
} reader;

/* ------------------------------------------------------------------------------------------ places */

/* The length of the line end at `at`, 0 when there is none. The NUL behind the text is not one. */
static int line_end(const char *text, int at)
{
    if (text[at] == '\n') return 1;
    if (text[at] == '\r') return text[at + 1] == '\n' ? 2 : 1;
    return 0;
}

/* Makes the table of line beginnings: counts first, so that the table has its exact size. */
static bool index_lines(sal_pool *pool, sal_json *json)
{
    int count = 1, n;

    for (int at = 0; at < json->size; at += n ? n : 1) {
        n = line_end(json->text, at);
        if (n) count++;
    }
    json->line = SAL_NEW(pool, int, count);
    if (!json->line) return false;
    json->nline = 1; /* the first begins at 0 */
    for (int at = 0; at < json->size; at += n ? n : 1) {
        n = line_end(json->text, at);
        if (n) json->line[json->nline++] = at + n;
    }
    return true;
}

static void locate(const sal_json *json, int offset, int *line, int *column)
{
    int low = 0, high = json->nline;

    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (json->line[middle] <= offset) low = middle;
        else high = middle;
    }
    *line   = low + 1;
    *column = offset - json->line[low] + 1;
}

/* ----------------------------------------------------------------------------------------- strings */

static int hex_digit(int c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return NONE;
}

static int hex4(const char *digits)
{
    int code = 0;

    for (int i = 0; i < 4; i++) code = 16 * code + hex_digit(digits[i]);
    return code;
}

static bool is_high_surrogate(int code)
{
    return code >= 0xD800 && code < 0xDC00;
}

static bool is_low_surrogate(int code)
{
    return code >= 0xDC00 && code < 0xE000;
}

/* Bytes of a character in UTF-8. */
static int encoded_length(int code)
{
    return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

static int encode(int code, char *out)
{
    static const int lead[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
    int              n      = encoded_length(code);

    for (int i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    out[0] = (char)(lead[n] | code);
    return n;
}

/* Decodes one byte or one escape of a string that passed the scanner. Gives its length in the text; the bytes it stands
 * for go to `out`, their number to `n`. */
static int decode(const char *s, char out[4], int *n)
{
    static const char escape[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
    int               code;

    *n = 1;
    if (s[0] != '\\') {
        out[0] = s[0];
        return 1;
    }
    if (s[1] != 'u') {
        out[0] = meaning[strchr(escape, s[1]) - escape];
        return 2;
    }
    code = hex4(s + 2);
    if (!is_high_surrogate(code)) {
        *n = encode(code, out);
        return 6;
    }
    *n = encode(0x10000 + ((code - 0xD800) << 10) + (hex4(s + 8) - 0xDC00), out);
    return 12;
}

/* Writes the key whose opening quote is at `key`, without NUL. Gives its length, at most SAL_JSON_MAX_KEY. A message is
 * one line and must not steer a terminal, so control characters become '?'. */
static int write_key(const char *text, int key, char *out)
{
    const char *s      = text + key + 1;
    int         length = 0, n;

    while (*s != '"') {
        s += decode(s, out + length, &n);
        if ((unsigned char)out[length] < 0x20 || out[length] == 0x7F) out[length] = '?';
        length += n;
    }
    return length;
}

/* ---------------------------------------------------------------------------------------- messages */

static void write_path(const reader *r, char *path)
{
    char *p = path;

    for (int i = 0; i < r->depth; i++) {
        const frame *f = &r->frame[i];
        if (f->key != NONE) {
            char key[SAL_JSON_MAX_KEY + 4]; /* decode writes up to 4 bytes at a time */
            int  length = write_key(r->text, f->key, key);
            if (p > path) *p++ = '.';
            memcpy(p, key, (size_t)length);
            p += length;
        } else if (f->index != NONE) {
            p += sprintf(p, "[%d]", f->index);
        }
    }
    *p = '\0';
}

SAL_PRINTF(3, 4) static bool fail(reader *r, int at, const char *format, ...)
{
    char    path[PATH_BYTES];
    int     line, column;
    va_list args;

    write_path(r, path);
    locate(r->json, at, &line, &column);
    va_start(args, format);
    sal_add_error_v(r->context, r->json->file, line, column, path, format, args);
    va_end(args);
    r->nerror++;
    return false;
}

/* The byte at `at`, or NONE behind the end. */
static int byte_at(const reader *r, int at)
{
    return at < r->size ? (unsigned char)r->text[at] : NONE;
}

static int peek(const reader *r)
{
    return byte_at(r, r->at);
}

/* ctype depends on the locale. */
static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The length of the word at `at`, with a sign before it; 0 when there is none. */
static int word_length(const reader *r, int at)
{
    int c = byte_at(r, at), n = c == '-' || c == '+';

    if (!is_letter(byte_at(r, at + n))) return 0;
    while (is_letter(byte_at(r, at + n)) || is_digit(byte_at(r, at + n))) n++;
    return n;
}

/* Whether the word of n characters at `at` is `name`, in upper or lower case. */
static bool is_word(const reader *r, int at, int n, const char *name)
{
    if ((size_t)n != strlen(name)) return false;
    for (int i = 0; i < n; i++) {
        if ((r->text[at + i] | 0x20) != name[i]) return false;
    }
    return true;
}

static bool is_nonfinite(const reader *r, int at)
{
    int n = word_length(r, at);

    if (n > 0 && !is_letter(byte_at(r, at))) at++, n--;
    return is_word(r, at, n, "nan") || is_word(r, at, n, "inf") || is_word(r, at, n, "infinity");
}

static bool is_comment(const reader *r, int at)
{
    return byte_at(r, at) == '/' && (byte_at(r, at + 1) == '/' || byte_at(r, at + 1) == '*');
}

/* The length of the character at `at` in UTF-8; 0 when it is none: overlong, surrogate, beyond U+10FFFF, cut short. */
static int utf8_length(const reader *r, int at)
{
    int c = byte_at(r, at), second = byte_at(r, at + 1);
    int n = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;

    if ((c == 0xE0 && second < 0xA0) || (c == 0xED && second > 0x9F)) return 0;
    if ((c == 0xF0 && second < 0x90) || (c == 0xF4 && second > 0x8F)) return 0;
    for (int i = 1; i < n; i++) {
        if ((byte_at(r, at + i) & 0xC0) != 0x80) return 0;
    }
    return n;
}

/* What stands at `at`, as a message names it; in `out` or static. */
static const char *found(const reader *r, int at, char out[FOUND_BYTES])
{
    int c = byte_at(r, at), n = word_length(r, at);

    if (c == NONE) return "the end of the document";
    if (c == '\'') return "a single quote";
    if (is_comment(r, at)) return "a comment";
    if (n > WORD_SHOWN) {
        snprintf(out, FOUND_BYTES, "'%.*s...'", WORD_SHOWN, r->text + at);
        return out;
    }
    if (n == 0) n = utf8_length(r, at);
    if (n == 0 || c < 0x20 || c == 0x7F) snprintf(out, FOUND_BYTES, "the byte 0x%02X", (unsigned)c);
    else snprintf(out, FOUND_BYTES, "'%.*s'", n, r->text + at);
    return out;
}

/* "found ... where ... was expected" at the next byte; `hint` unless the byte itself calls for another. */
static bool unexpected(reader *r, const char *expected, const char *hint)
{
    char what[FOUND_BYTES];

    if (is_comment(r, r->at)) hint = "; JSON has no comments, but a key \"//\" may hold one";
    else if (peek(r) == '\'') hint = "; use double quotes";
    return fail(r, r->at, "found %s where %s was expected%s", found(r, r->at, what), expected, hint);
}

/* ----------------------------------------------------------------------------------------- scanner */

static void skip_space(reader *r)
{
    while (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\n' || peek(r) == '\r') r->at++;
}

/* Reads the four digits of the \u escape at `at`. */
static bool read_hex4(reader *r, int at, int *code)
{
    char what[FOUND_BYTES];

    for (int i = at + 2; i < at + 6; i++) {
        if (hex_digit(byte_at(r, i)) == NONE)
            return fail(r, i, "found %s where a hexadecimal digit of \\u was expected", found(r, i, what));
    }
    *code = hex4(r->text + at + 2);
    return true;
}

static bool read_unicode(reader *r, int *decoded)
{
    int at = r->at, code, low;

    if (!read_hex4(r, at, &code)) return false;
    if (code == 0) return fail(r, at, "found \\u0000 in a string, which cannot hold the character 0");
    if (is_low_surrogate(code))
        return fail(r, at, "found the low surrogate \\u%04X without a high surrogate before it", (unsigned)code);
    r->at    = at + 6;
    *decoded = encoded_length(code);
    if (!is_high_surrogate(code)) return true;
    if (byte_at(r, at + 6) == '\\' && byte_at(r, at + 7) == 'u') {
        if (!read_hex4(r, at + 6, &low)) return false;
        r->at    = at + 12;
        *decoded = 4;
        if (is_low_surrogate(low)) return true;
    }
    return fail(r, at, "found the high surrogate \\u%04X where a low surrogate was expected to follow", (unsigned)code);
}

/* Reads an escape; `decoded` gets the number of bytes it stands for. */
static bool read_escape(reader *r, int *decoded)
{
    int c = byte_at(r, r->at + 1);

    if (c == 'u') return read_unicode(r, decoded);
    r->at++;
    if (c <= 0 || !strchr("\"\\/bfnrt", c))
        return unexpected(r, "one of \" \\ / b f n r t u after '\\'", "; a backslash is written \\\\");
    r->at++;
    *decoded = 1;
    return true;
}

/* Reports the byte that a string cannot hold as it is. */
static bool refuse_in_string(reader *r)
{
    int c = peek(r);

    if (c == NONE) return unexpected(r, "the closing '\"' of a string", "");
    if (c == '\n' || c == '\r')
        return fail(r, r->at, "found the end of the line where the closing '\"' of a string was expected");
    if (c == '\0') return fail(r, r->at, "found the byte 0x00 in a string, which cannot hold the character 0");
    if (c == '\t') return fail(r, r->at, "found a tab in a string; it is written \\t");
    if (c < 0x20) return fail(r, r->at, "found a control character in a string; it is written \\u%04X", (unsigned)c);
    return fail(r, r->at, "found the byte 0x%02X, which is not valid UTF-8 here", (unsigned)c);
}

/* Reads a string; `length` gets the number of its bytes when decoded. */
static bool read_string(reader *r, int *length)
{
    *length = 0;
    r->at++;
    while (peek(r) != '"') {
        int n = peek(r) < 0x20 ? 0 : utf8_length(r, r->at);
        if (n == 0) return refuse_in_string(r);
        if (peek(r) != '\\') r->at += n;
        else if (!read_escape(r, &n)) return false;
        *length += n;
    }
    r->at++;
    return true;
}

static bool read_digits(reader *r)
{
    if (!is_digit(peek(r))) return unexpected(r, "a digit", "");
    while (is_digit(peek(r))) r->at++;
    return true;
}

static bool read_number(reader *r)
{
    int begin = r->at;

    if (peek(r) == '-') r->at++;
    if (peek(r) == '0' && is_digit(byte_at(r, r->at + 1)))
        return fail(r, begin, "found a number with a leading zero where a value was expected");
    if (!read_digits(r)) return false;
    if (peek(r) == '.') {
        r->at++;
        if (!read_digits(r)) return false;
    }
    if (peek(r) == 'e' || peek(r) == 'E') {
        r->at++;
        if (peek(r) == '+' || peek(r) == '-') r->at++;
        if (!read_digits(r)) return false;
    }
    if (r->at - begin <= SAL_JSON_MAX_NUMBER) return true;
    return fail(r, begin, "found a number of %d characters where at most %d were expected", r->at - begin,
                SAL_JSON_MAX_NUMBER);
}

static bool read_word(reader *r)
{
    static const char *const words[] = { "true", "false", "null" };
    size_t                   n       = (size_t)word_length(r, r->at);

    if (is_nonfinite(r, r->at)) return unexpected(r, "a value", "; JSON has no NaN and no infinity");
    for (int i = 0; i < SAL_COUNT(words); i++) {
        if (n == strlen(words[i]) && memcmp(r->text + r->at, words[i], n) == 0) {
            r->at += (int)n;
            return true;
        }
    }
    return unexpected(r, "a value", "; the words are true, false and null, a text stands in double quotes");
}

/* Enters the array or object that begins at the next byte. NULL when it is too deep. */
static frame *enter(reader *r)
{
    frame *f = &r->frame[r->depth];

    if (r->depth == SAL_JSON_MAX_DEPTH) {
        fail(r, r->at, "found arrays and objects nested deeper than %d levels", SAL_JSON_MAX_DEPTH);
        return NULL;
    }
    *f = (frame){ NONE, NONE };
    r->depth++;
    r->at++;
    skip_space(r);
    return f;
}

static bool leave(reader *r)
{
    r->depth--;
    r->at++;
    return true;
}

/* Reads the comma that must follow a value, behind which `close` would be one comma too many. */
static bool read_comma(reader *r, char close, const char *next)
{
    skip_space(r);
    if (peek(r) == close) return true;
    if (peek(r) != ',') return unexpected(r, close == ']' ? "',' or ']'" : "',' or '}'", "");
    r->at++;
    skip_space(r);
    return peek(r) != close || unexpected(r, next, "; remove the comma before it");
}

static bool read_value(reader *r, int key);

static bool read_array(reader *r)
{
    frame *f = enter(r);

    if (!f) return false;
    for (int i = 0; peek(r) != ']'; i++) {
        f->index = i;
        if (!read_value(r, NONE)) return false;
        f->index = NONE;
        if (!read_comma(r, ']', "a value")) return false;
    }
    return leave(r);
}

static bool read_member(reader *r, frame *f)
{
    int key = r->at, length;

    if (peek(r) != '"') {
        bool bare = word_length(r, key) > 0 || is_digit(peek(r));
        return unexpected(r, "a key", bare ? "; keys stand in double quotes" : "");
    }
    if (!read_string(r, &length)) return false;
    if (length > SAL_JSON_MAX_KEY)
        return fail(r, key, "found a key of %d bytes where at most %d were expected", length, SAL_JSON_MAX_KEY);
    f->key = key;
    skip_space(r);
    if (peek(r) != ':') return unexpected(r, "':'", "");
    r->at++;
    skip_space(r);
    if (!read_value(r, key)) return false;
    f->key = NONE;
    return true;
}

static bool read_object(reader *r)
{
    frame *f = enter(r);
    int    n = 0;

    if (!f) return false;
    for (; peek(r) != '}'; n++) {
        if (!read_member(r, f) || !read_comma(r, '}', "a key")) return false;
    }
    if (n > r->most) r->most = n;
    return leave(r);
}

/* Reads the value at the next byte; `key` is where its key begins, or NONE. */
static bool read_value(reader *r, int key)
{
    struct sal_json_place *place = SAL_PUSH(&r->scratch, &r->place);
    int                    c     = peek(r), length;

    if (!place) return false;
    place->value = r->at;
    place->key   = key == NONE ? r->at : key;
    if (c == '{') return read_object(r);
    if (c == '[') return read_array(r);
    if (c == '"') return read_string(r, &length);
    if (word_length(r, r->at) > 0) return read_word(r);
    if (c == '-' || is_digit(c)) return read_number(r);
    if (c == '+' || c == '.') return unexpected(r, "a value", "; a number begins with a digit or '-'");
    return unexpected(r, "a value", "");
}

static bool read_document(reader *r)
{
    if (r->size >= 3 && memcmp(r->text, "\xEF\xBB\xBF", 3) == 0)
        return fail(r, 0, "found a byte order mark where a value was expected; save the file as UTF-8 without one");
    if (r->size >= 2 && (memcmp(r->text, "\xFF\xFE", 2) == 0 || memcmp(r->text, "\xFE\xFF", 2) == 0))
        return fail(r, 0, "found the byte order mark of UTF-16 where a value was expected; save the file as UTF-8");
    skip_space(r);
    if (peek(r) == NONE) return fail(r, r->at, "found an empty document where a value was expected");
    if (!read_value(r, NONE)) return false;
    skip_space(r);
    return peek(r) == NONE || unexpected(r, "the end of the document", "");
}

/* -------------------------------------------------------------------------------------------- tree */

static void number_nodes(cJSON *node, int *next)
{
    node->valueint = (*next)++;
    for (cJSON *child = node->child; child; child = child->next) number_nodes(child, next);
}

static int compare_members(const void *left, const void *right)
{
    const cJSON *a = *(const cJSON *const *)left, *b = *(const cJSON *const *)right;
    int          order = strcmp(a->string, b->string);

    return order ? order : (a->valueint > b->valueint) - (a->valueint < b->valueint);
}

/* Notes in r->first which members of the object repeat a key. Sorts, since an object may have very many. */
static void mark_duplicates(reader *r, const cJSON *object)
{
    int n = 0, first = 0;

    for (const cJSON *child = object->child; child; child = child->next) {
        if (strcmp(child->string, "//") != 0) r->member[n++] = child;
    }
    if (n < 2) return;
    qsort(r->member, (size_t)n, sizeof *r->member, compare_members);
    for (int i = 1; i < n; i++) {
        if (strcmp(r->member[i]->string, r->member[first]->string) != 0) first = i;
        else r->first[r->member[i]->valueint] = r->member[first]->valueint;
    }
}

static void report_duplicate(reader *r, const cJSON *node)
{
    const struct sal_json_place *place = r->json->place;
    char                         key[SAL_JSON_MAX_KEY + 4];
    int                          line, column, length = write_key(r->text, place[node->valueint].key, key);

    locate(r->json, place[r->first[node->valueint]].key, &line, &column);
    fail(r, place[node->valueint].key, "duplicate key '%.*s'; first given at line %d", length, key, line);
}

/* Reports, in document order, what the scanner cannot see: duplicate keys, and numbers that are infinite once read. */
static void check_node(reader *r, const cJSON *node)
{
    int    at = r->json->place[node->valueint].value, i = 0;
    frame *f;

    if (cJSON_IsNumber(node) && !isfinite(node->valuedouble))
        fail(r, at, "the number %.*s is too large", (int)strspn(r->text + at, "+-.0123456789eE"), r->text + at);
    if (!node->child) return;
    if (cJSON_IsObject(node)) mark_duplicates(r, node);
    f = &r->frame[r->depth++];
    for (const cJSON *child = node->child; child; child = child->next, i++) {
        *f = (frame){ NONE, NONE };
        if (r->first[child->valueint]) report_duplicate(r, child);
        if (child->string) f->key = r->json->place[child->valueint].key;
        else f->index = i;
        check_node(r, child);
    }
    r->depth--;
}

/* Everything behind the scanner. */
static sal_status build(sal_pool *pool, reader *r)
{
    sal_json *json = r->json;
    int       next = 0;

    json->nplace = r->place.n;
    json->place  = SAL_NEW(pool, struct sal_json_place, json->nplace);
    r->member    = SAL_NEW(&r->scratch, const cJSON *, r->most);
    r->first     = SAL_NEW(&r->scratch, int, json->nplace);
    if (!json->place || !r->member || !r->first) return SAL_ERR_MEMORY;
    memcpy(json->place, r->place.at, sizeof *json->place * (size_t)json->nplace);
    json->root = cJSON_ParseWithLength(json->text, (size_t)json->size);
    if (!json->root) return SAL_ERR_MEMORY;
    number_nodes(json->root, &next);
    check_node(r, json->root);
    return r->nerror ? SAL_ERR_SCENE : SAL_OK;
}

/* ----------------------------------------------------------------------------------------- interface */

sal_status sal_json_parse(sal_pool *pool, const char *file, const char *text, size_t size, sal_json *json)
{
    reader     r      = { .context = pool->context, .json = json };
    sal_status status = SAL_ERR_MEMORY;

    *json = (sal_json){ 0 };
    if (size > SAL_JSON_MAX_BYTES) {
        sal_add_error(pool->context, file, 0, 0, "", "found %zu bytes where at most %d were expected", size,
                      SAL_JSON_MAX_BYTES);
        return SAL_ERR_SCENE;
    }
    sal_pool_init(&r.scratch, pool->context);
    json->file = sal_pool_copy(pool, file, strlen(file));
    json->text = sal_pool_copy(pool, size ? text : "", size);
    json->size = r.size = (int)size;
    r.text              = json->text;
    if (json->file && json->text && index_lines(pool, json)) {
        if (read_document(&r)) status = build(pool, &r);
        else if (!r.scratch.failed) status = SAL_ERR_SCENE;
    }
    sal_pool_free(&r.scratch);
    if (status != SAL_OK) sal_json_free(json);
    return status == SAL_ERR_MEMORY ? sal_out_of_memory(pool->context) : status;
}

/* Reads `stream` to its end in growing pieces: the size of what is not a plain file is not known before. SAL_ERR_FILE
 * with errno set, or with a size beyond the limit. */
static sal_status read_stream(sal_pool *scratch, FILE *stream, void **text, int *size)
{
    int    cap = 0;
    size_t room, got;

    *text = NULL;
    *size = 0;
    do {
        *text = sal_vec_grow(scratch, *text, *size, &cap, 1);
        if (*size == cap) return SAL_ERR_MEMORY;
        room = (size_t)(cap - *size);
        got  = fread((char *)*text + *size, 1, room, stream);
        if (ferror(stream)) return SAL_ERR_FILE;
        *size += (int)got;
    } while (got == room && *size <= SAL_JSON_MAX_BYTES);
    return *size > SAL_JSON_MAX_BYTES ? SAL_ERR_FILE : SAL_OK;
}

sal_status sal_json_load(sal_pool *pool, const char *file, sal_json *json)
{
    sal_status status = SAL_ERR_FILE;
    sal_pool   scratch;
    FILE      *stream;
    void      *text;
    int        size = 0, reason;

    *json = (sal_json){ 0 };
    sal_pool_init(&scratch, pool->context);
    stream = fopen(file, "rb");
    if (stream) status = read_stream(&scratch, stream, &text, &size);
    reason = errno; /* before fclose changes it */
    if (stream) fclose(stream);
    if (status == SAL_OK) {
        status = sal_json_parse(pool, file, text, (size_t)size, json);
    } else if (status == SAL_ERR_MEMORY) {
        sal_out_of_memory(pool->context);
    } else if (size > SAL_JSON_MAX_BYTES) {
        sal_add_error(pool->context, file, 0, 0, "", "the file is larger than %d bytes", SAL_JSON_MAX_BYTES);
    } else {
        sal_add_error(pool->context, file, 0, 0, "", "the file cannot be read: %s", strerror(reason));
    }
    sal_pool_free(&scratch);
    return status;
}

void sal_json_free(sal_json *json)
{
    cJSON_Delete(json->root);
    *json = (sal_json){ 0 };
}

void sal_json_value_at(const sal_json *json, const cJSON *node, int *line, int *column)
{
    locate(json, json->place[node->valueint].value, line, column);
}

void sal_json_key_at(const sal_json *json, const cJSON *node, int *line, int *column)
{
    locate(json, json->place[node->valueint].key, line, column);
}

void sal_json_string_at(const sal_json *json, const cJSON *node, int offset, int *line, int *column)
{
    int  at = json->place[node->valueint].value, n;
    char bytes[4];

    if (cJSON_IsString(node)) {
        at++;
        while (json->text[at] != '"') {
            int length = decode(json->text + at, bytes, &n);
            if (offset < n) break;
            offset -= n;
            at += length;
        }
    }
    locate(json, at, line, column);
}
