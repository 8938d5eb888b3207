/* test_json.c - what the JSON reader accepts and refuses, with which message at which place.
 *
 * Every message is pinned with line, column and path: they are what a user corrects a scene by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/scene/json.h"
#include "tests/counting.h"

/* --------------------------------------------------------------------------------------- fixture */

typedef struct fixture {
    memory       memory;
    sal_context *context;
    sal_pool     pool;
    sal_json     json;
    sal_status   status;
} fixture;

static void begin(fixture *f)
{
    sal_context_opts opts;

    memset(f, 0, sizeof *f);
    f->memory.fail = -1;
    opts           = sal_context_defaults();
    opts.allocate  = count_allocate;
    opts.release   = count_release;
    opts.user      = &f->memory;
    assert_int_equal(sal_context_create(&opts, &f->context), SAL_OK);
    sal_pool_init(&f->pool, f->context);
}

static void end(fixture *f)
{
    sal_json_free(&f->json);
    sal_pool_free(&f->pool);
    sal_context_destroy(&f->context);
    assert_int_equal(f->memory.live, 0);
}

/* The text goes through a block of its exact size, so that a read behind it is seen by the sanitizer. */
static void parse_bytes(fixture *f, const char *text, size_t size)
{
    char *exact = malloc(size ? size : 1);

    assert_non_null(exact);
    memcpy(exact, text, size);
    f->status = sal_json_parse(&f->pool, "t.json", exact, size, &f->json);
    free(exact);
}

static void parse(fixture *f, const char *text)
{
    begin(f);
    parse_bytes(f, text, strlen(text));
}

static void check_error(const fixture *f, int index, int line, int column, const char *path, const char *text)
{
    const sal_diagnostic *d = sal_error(f->context, index);

    assert_non_null(d);
    assert_string_equal(d->text, text);
    assert_string_equal(d->file, "t.json");
    assert_string_equal(d->path, path);
    assert_int_equal(d->line, line);
    assert_int_equal(d->column, column);
}

static void check_refused_bytes(const char *input, size_t size, int line, int column, const char *path,
                                const char *text)
{
    fixture f;

    begin(&f);
    parse_bytes(&f, input, size);
    if (f.status != SAL_ERR_SCENE || sal_error_count(f.context) != 1) print_error("input: %s\n", input);
    assert_int_equal(f.status, SAL_ERR_SCENE);
    assert_int_equal(sal_error_count(f.context), 1);
    check_error(&f, 0, line, column, path, text);
    assert_null(f.json.root);
    end(&f);
}

typedef struct refusal {
    const char *input;
    int         line, column;
    const char *path, *text;
} refusal;

static void check_refusals(const refusal *list, int count)
{
    for (int i = 0; i < count; i++) {
        const refusal *c = &list[i];
        check_refused_bytes(c->input, strlen(c->input), c->line, c->column, c->path, c->text);
    }
}

static void check_accepted(const char *input)
{
    fixture f;

    parse(&f, input);
    if (f.status != SAL_OK) print_error("input: %s\n%s", input, sal_message(f.context));
    assert_int_equal(f.status, SAL_OK);
    assert_int_equal(sal_error_count(f.context), 0);
    assert_non_null(f.json.root);
    end(&f);
}

/* -------------------------------------------------------------------------------------- accepted */

static void test_accepted(void **state)
{
    static const char *const inputs[] = {
        "{}",
        "[]",
        " \t\r\n[ ] \n",
        "true",
        "false",
        "null",
        "0",
        "-0",
        "-0.0e-0",
        "1E+5",
        "123.25e10",
        "1e-999",
        "4.9e-324",
        "1.7976931348623157e308",
        "\"\"",
        "\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\ude00\"",
        "\"\x7f \xC2\x80 \xE0\xA0\x80 \xED\x9F\xBF \xEE\x80\x80 \xF0\x90\x80\x80 \xF4\x8F\xBF\xBF\"",
        "{\"\":1}",
        "{\"a\":{\"a\":{\"a\":[{\"a\":1},{\"a\":1}]}}}",
        "{\"//\":\"one\",\"a\":1,\"//\":\"two\",\"\\/\\/\":\"three\"}",
        "{\"a\":1,\"A\":2,\"a \":3,\"aa\":4}",
        "[1,\"x\",true,null,{},[]]",
        "[0.12345678901234567890123456789012345678901234567890123456789e0]", /* 63 characters */
    };

    (void)state;
    for (int i = 0; i < SAL_COUNT(inputs); i++) check_accepted(inputs[i]);
}

static void test_values(void **state)
{
    fixture f;
    cJSON  *root;

    (void)state;
    parse(&f, "{\"n\": -1.5e3, \"s\": \"a\\u00e9\\ud83d\\ude00\", \"t\": true, \"z\": null, \"l\": [1, 2, 3]}");
    assert_int_equal(f.status, SAL_OK);
    root = f.json.root;
    assert_true(cJSON_GetObjectItem(root, "n")->valuedouble == -1500.0);
    assert_string_equal(cJSON_GetObjectItem(root, "s")->valuestring, "a\xC3\xA9\xF0\x9F\x98\x80");
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(root, "t")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(root, "z")));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(root, "l")), 3);
    assert_int_equal(f.json.nplace, 9);
    assert_string_equal(f.json.file, "t.json");
    end(&f);
}

/* --------------------------------------------------------------------------------------- refused */

static void test_structure(void **state)
{
    static const refusal list[] = {
        { "", 1, 1, "", "found an empty document where a value was expected" },
        { " \n ", 2, 2, "", "found an empty document where a value was expected" },
        { "{", 1, 2, "", "found the end of the document where a key was expected" },
        { "[", 1, 2, "[0]", "found the end of the document where a value was expected" },
        { "[1", 1, 3, "", "found the end of the document where ',' or ']' was expected" },
        { "[1,", 1, 4, "[1]", "found the end of the document where a value was expected" },
        { "{\"a\"", 1, 5, "a", "found the end of the document where ':' was expected" },
        { "{\"a\":", 1, 6, "a", "found the end of the document where a value was expected" },
        { "{\"a\":1", 1, 7, "", "found the end of the document where ',' or '}' was expected" },
        { "{\"a\":1,", 1, 8, "", "found the end of the document where a key was expected" },
        { "{\"a\":}", 1, 6, "a", "found '}' where a value was expected" },
        { "{\"a\" 1}", 1, 6, "a", "found '1' where ':' was expected" },
        { "{\"a\"=1}", 1, 5, "a", "found '=' where ':' was expected" },
        { "{\"a\":1 \"b\":2}", 1, 8, "", "found '\"' where ',' or '}' was expected" },
        { "{\"a\":1]", 1, 7, "", "found ']' where ',' or '}' was expected" },
        { "[1}", 1, 3, "", "found '}' where ',' or ']' was expected" },
        { "[1 2]", 1, 4, "", "found '2' where ',' or ']' was expected" },
        { "[1 x]", 1, 4, "", "found 'x' where ',' or ']' was expected" },
        { "[,1]", 1, 2, "[0]", "found ',' where a value was expected" },
        { "[1,,2]", 1, 4, "[1]", "found ',' where a value was expected" },
        { "[1,2,]", 1, 6, "", "found ']' where a value was expected; remove the comma before it" },
        { "{\"a\":1, }", 1, 9, "", "found '}' where a key was expected; remove the comma before it" },
        { "{,}", 1, 2, "", "found ',' where a key was expected" },
        { "{mass:1}", 1, 2, "", "found 'mass' where a key was expected; keys stand in double quotes" },
        { "{12:1}", 1, 2, "", "found '1' where a key was expected; keys stand in double quotes" },
        { "{[]:1}", 1, 2, "", "found '[' where a key was expected" },
        { "{'a':1}", 1, 2, "", "found a single quote where a key was expected; use double quotes" },
        { "{\"a\":'b'}", 1, 6, "a", "found a single quote where a value was expected; use double quotes" },
        { "{} x", 1, 4, "", "found 'x' where the end of the document was expected" },
        { "{}\n{}", 2, 1, "", "found '{' where the end of the document was expected" },
        { "}", 1, 1, "", "found '}' where a value was expected" },
        { "\x01", 1, 1, "", "found the byte 0x01 where a value was expected" },
        { "[\xFF]", 1, 2, "[0]", "found the byte 0xFF where a value was expected" },
        { "[1\xC2\xA0]", 1, 3, "", "found '\xC2\xA0' where ',' or ']' was expected" },
        { "\xEF\xBB\xBF{}", 1, 1, "",
          "found a byte order mark where a value was expected; save the file as UTF-8 without one" },
        { "\xFF\xFE{", 1, 1, "",
          "found the byte order mark of UTF-16 where a value was expected; save the file as UTF-8" },
        { "\xFE\xFF", 1, 1, "",
          "found the byte order mark of UTF-16 where a value was expected; save the file as UTF-8" },
    };

    (void)state;
    check_refusals(list, SAL_COUNT(list));
    check_refused_bytes("{}\0", 3, 1, 3, "", "found the byte 0x00 where the end of the document was expected");
}

static void test_comments(void **state)
{
#define HINT "; JSON has no comments, but a key \"//\" may hold one"
    static const refusal list[] = {
        { "// c\n{}", 1, 1, "", "found a comment where a value was expected" HINT },
        { "{ /* c */ }", 1, 3, "", "found a comment where a key was expected" HINT },
        { "{\"a\" // c\n:1}", 1, 6, "a", "found a comment where ':' was expected" HINT },
        { "{\"a\": // c\n1}", 1, 7, "a", "found a comment where a value was expected" HINT },
        { "{\"a\": 1 // c\n}", 1, 9, "", "found a comment where ',' or '}' was expected" HINT },
        { "{\"a\": 1, // c\n\"b\": 2}", 1, 10, "", "found a comment where a key was expected" HINT },
        { "{}\n// c", 2, 1, "", "found a comment where the end of the document was expected" HINT },
        { "[/]", 1, 2, "[0]", "found '/' where a value was expected" },
        { "# c", 1, 1, "", "found '#' where a value was expected" },
    };
#undef HINT

    (void)state;
    check_refusals(list, SAL_COUNT(list));
}

static void test_numbers(void **state)
{
#define START  "; a number begins with a digit or '-'"
#define FINITE "; JSON has no NaN and no infinity"
#define WORDS  "; the words are true, false and null, a text stands in double quotes"
    static const refusal list[] = {
        { "[01]", 1, 2, "[0]", "found a number with a leading zero where a value was expected" },
        { "[-00.5]", 1, 2, "[0]", "found a number with a leading zero where a value was expected" },
        { "[+1]", 1, 2, "[0]", "found '+' where a value was expected" START },
        { "[.5]", 1, 2, "[0]", "found '.' where a value was expected" START },
        { "[1.]", 1, 4, "[0]", "found ']' where a digit was expected" },
        { "[1.e5]", 1, 4, "[0]", "found 'e5' where a digit was expected" },
        { "[1.5e]", 1, 6, "[0]", "found ']' where a digit was expected" },
        { "[1e+]", 1, 5, "[0]", "found ']' where a digit was expected" },
        { "1e", 1, 3, "", "found the end of the document where a digit was expected" },
        { "[-]", 1, 3, "[0]", "found ']' where a digit was expected" },
        { "[--1]", 1, 3, "[0]", "found '-' where a digit was expected" },
        { "[-.5]", 1, 3, "[0]", "found '.' where a digit was expected" },
        { "[0x10]", 1, 3, "", "found 'x10' where ',' or ']' was expected" },
        { "[1.2.3]", 1, 5, "", "found '.' where ',' or ']' was expected" },
        { "[1,5.]", 1, 6, "[1]", "found ']' where a digit was expected" },
        { "[NaN]", 1, 2, "[0]", "found 'NaN' where a value was expected" FINITE },
        { "[nan]", 1, 2, "[0]", "found 'nan' where a value was expected" FINITE },
        { "[-nan]", 1, 2, "[0]", "found '-nan' where a value was expected" FINITE },
        { "{\"a\":Infinity}", 1, 6, "a", "found 'Infinity' where a value was expected" FINITE },
        { "{\"a\":-Infinity}", 1, 6, "a", "found '-Infinity' where a value was expected" FINITE },
        { "{\"a\":+inf}", 1, 6, "a", "found '+inf' where a value was expected" FINITE },
        { "[True]", 1, 2, "[0]", "found 'True' where a value was expected" WORDS },
        { "[truex]", 1, 2, "[0]", "found 'truex' where a value was expected" WORDS },
        { "[nul]", 1, 2, "[0]", "found 'nul' where a value was expected" WORDS },
        { "[-x]", 1, 2, "[0]", "found '-x' where a value was expected" WORDS },
        { "abcdefghijklmnopqrstuvwxyz", 1, 1, "",
          "found 'abcdefghijklmnopqrstuvwx...' where a value was expected" WORDS },
        { "{\"a\": 1e999}", 1, 7, "a", "the number 1e999 is too large" },
        { "[0, [-2.5E+400 ]]", 1, 6, "[1][0]", "the number -2.5E+400 is too large" },
        { "1e309", 1, 1, "", "the number 1e309 is too large" },
        { "[0.123456789012345678901234567890123456789012345678901234567890e0]", 1, 2, "[0]",
          "found a number of 64 characters where at most 63 were expected" },
    };
#undef START
#undef FINITE
#undef WORDS

    (void)state;
    check_refusals(list, SAL_COUNT(list));
}

static void test_strings(void **state)
{
#define CLOSING " where the closing '\"' of a string was expected"
#define ESCAPE  " where one of \" \\ / b f n r t u after '\\' was expected; a backslash is written \\\\"
#define DIGIT   " where a hexadecimal digit of \\u was expected"
#define LOW     " where a low surrogate was expected to follow"
    static const refusal list[] = {
        { "\"abc", 1, 5, "", "found the end of the document" CLOSING },
        { "\"abc\\", 1, 6, "", "found the end of the document" ESCAPE },
        { "[\"abc\n\"]", 1, 6, "[0]", "found the end of the line" CLOSING },
        { "[\"abc\r\n\"]", 1, 6, "[0]", "found the end of the line" CLOSING },
        { "[\"a\tc\"]", 1, 4, "[0]", "found a tab in a string; it is written \\t" },
        { "[\"\x1f\"]", 1, 3, "[0]", "found a control character in a string; it is written \\u001F" },
        { "{\"k\": \"a\\q\"}", 1, 10, "k", "found 'q'" ESCAPE },
        { "{\"k\": \"a\\x41\"}", 1, 10, "k", "found 'x41'" ESCAPE },
        { "{\"k\\q\": 1}", 1, 5, "", "found 'q'" ESCAPE },
        { "\"\\'\"", 1, 3, "",
          "found a single quote where one of \" \\ / b f n r t u after '\\' was expected; use double quotes" },
        { "\"\\u12g4\"", 1, 6, "", "found 'g4'" DIGIT },
        { "\"\\u12\"", 1, 6, "", "found '\"'" DIGIT },
        { "\"\\u", 1, 4, "", "found the end of the document" DIGIT },
        { "\"a\\u0000\"", 1, 3, "", "found \\u0000 in a string, which cannot hold the character 0" },
        { "\"a\\ud800\"", 1, 3, "", "found the high surrogate \\uD800" LOW },
        { "\"a\\udbff\\n\"", 1, 3, "", "found the high surrogate \\uDBFF" LOW },
        { "\"a\\ud800\\u0041\"", 1, 3, "", "found the high surrogate \\uD800" LOW },
        { "\"a\\ud800\\ud800\"", 1, 3, "", "found the high surrogate \\uD800" LOW },
        { "\"a\\ud800\\uz\"", 1, 11, "", "found 'z'" DIGIT },
        { "\"a\\udc00\"", 1, 3, "", "found the low surrogate \\uDC00 without a high surrogate before it" },
    };
#undef CLOSING
#undef ESCAPE
#undef DIGIT
#undef LOW

    (void)state;
    check_refusals(list, SAL_COUNT(list));
    check_refused_bytes("\"a\0b\"", 5, 1, 3, "", "found the byte 0x00 in a string, which cannot hold the character 0");
    check_refused_bytes("\"\\\0\"", 4, 1, 3, "",
                        "found the byte 0x00 where one of \" \\ / b f n r t u after '\\' was expected; a backslash is "
                        "written \\\\");
}

static void test_utf8(void **state)
{
    static const char *const bad[] = {
        "\x80",             /* continuation alone */
        "\xC0\xAF",         /* overlong */
        "\xC1\xBF",         /* overlong */
        "\xC3\x28",         /* second byte wrong */
        "\xE0\x9F\xBF",     /* overlong */
        "\xE2\x82",         /* cut short */
        "\xED\xA0\x80",     /* surrogate */
        "\xF0\x8F\xBF\xBF", /* overlong */
        "\xF4\x90\x80\x80", /* beyond U+10FFFF */
        "\xF5\x80\x80\x80",
        "\xFF",
    };
    char input[32], text[64];

    (void)state;
    for (int i = 0; i < SAL_COUNT(bad); i++) {
        snprintf(input, sizeof input, "{\"k\": \"ab%s\"}", bad[i]);
        snprintf(text, sizeof text, "found the byte 0x%02X, which is not valid UTF-8 here", (unsigned char)bad[i][0]);
        check_refused_bytes(input, strlen(input), 1, 10, "k", text);
        snprintf(input, sizeof input, "\"%s", bad[i]);
        check_refused_bytes(input, strlen(input), 1, 2, "", text);
        snprintf(input, sizeof input, "{\"%s\":0}", bad[i]);
        check_refused_bytes(input, strlen(input), 1, 3, "", text);
    }
}

static void test_paths(void **state)
{
    static const refusal list[] = {
        { "{\"bodies\": {\"bar1\": {\"mass\": }}}", 1, 30, "bodies.bar1.mass", "found '}' where a value was expected" },
        { "{\"bodies\": {\"bar1\": {\"points\": [[0, 0], x]}}}", 1, 41, "bodies.bar1.points[1]",
          "found 'x' where a value was expected; the words are true, false and null, a text stands in double quotes" },
        { "{\"bodies\": {\"bar1\": {\"points\": [[0, 0], [1, ]]}}}", 1, 45, "bodies.bar1.points[1]",
          "found ']' where a value was expected; remove the comma before it" },
        { "{\"a\": {\"b\": 1}, \"c\": [{\"d\": 1 2}]}", 1, 31, "c[0]", "found '2' where ',' or '}' was expected" },
        { "[[[1, 2], [3, !]]]", 1, 15, "[0][1][1]", "found '!' where a value was expected" },
        { "{\"\\u00e9\\n\\\"\": !}", 1, 16, "\xC3\xA9?\"", "found '!' where a value was expected" },
        { "{\"\": {\"\": !}}", 1, 11, "", "found '!' where a value was expected" },
        { "{\n  \"a\": 1,\r\n  \"b\": 2,\r  \"c\": !\n}", 4, 8, "c", "found '!' where a value was expected" },
        { "\r\r\n\n\n\r!", 6, 1, "", "found '!' where a value was expected" },
        { "[\"\xC3\xA9\", !]", 1, 8, "[1]", "found '!' where a value was expected" }, /* columns are bytes */
    };

    (void)state;
    check_refusals(list, SAL_COUNT(list));
}

static void test_limits(void **state)
{
    enum { DEPTH = SAL_JSON_MAX_DEPTH, KEY = SAL_JSON_MAX_KEY };
    fixture f;
    char    text[4 * KEY * DEPTH], path[4 * KEY * DEPTH], key[KEY + 2], *t = text, *p = path;
    char   *big;

    (void)state;
    /* depth */
    memset(text, '[', DEPTH + 1);
    memset(text + DEPTH, ']', DEPTH);
    check_accepted((text[2 * DEPTH] = '\0', text));
    for (int i = 0; i < DEPTH; i++) p += sprintf(p, "[0]");
    memset(text, '[', DEPTH + 1);
    text[DEPTH + 1] = '\0';
    check_refused_bytes(text, DEPTH + 1, 1, DEPTH + 1, path, "found arrays and objects nested deeper than 32 levels");

    /* length of a key, and the longest path there can be */
    memset(key, 'k', KEY + 1);
    key[KEY + 1] = '\0';
    sprintf(text, "{\n \"%s\":1}", key);
    check_refused_bytes(text, strlen(text), 2, 2, "", "found a key of 257 bytes where at most 256 were expected");
    key[KEY] = '\0';
    p        = path;
    for (int i = 0; i < DEPTH; i++) {
        t += sprintf(t, "{\"%s\":\n", key);
        p += sprintf(p, "%s%s", i ? "." : "", key);
    }
    strcpy(t, "{");
    check_refused_bytes(text, strlen(text), DEPTH + 1, 1, path,
                        "found arrays and objects nested deeper than 32 levels");

    /* length is counted decoded: 64 characters of 4 bytes each, then one byte more */
    t = text + sprintf(text, "{\"");
    for (int i = 0; i < KEY / 4; i++) t += sprintf(t, "\\ud83d\\ude00");
    strcpy(t, "\":1}");
    check_accepted(text);
    strcpy(t, "x\":1}");
    check_refused_bytes(text, strlen(text), 1, 2, "", "found a key of 257 bytes where at most 256 were expected");

    /* size: refused before a byte of it is read */
    begin(&f);
    big = malloc(1);
    assert_int_equal(sal_json_parse(&f.pool, "t.json", big, (size_t)SAL_JSON_MAX_BYTES + 1, &f.json), SAL_ERR_SCENE);
    check_error(&f, 0, 0, 0, "", "found 16777217 bytes where at most 16777216 were expected");
    free(big);
    end(&f);
}

static void test_duplicates(void **state)
{
    fixture f;

    (void)state;
    parse(&f, "{\n"
              "  \"z\": {\"mass\": 1,\n"
              "        \"mass\": 2},\n"
              "  \"list\": [0, {\"b\": 1, \"a\": 2, \"//\": 0, \"//\": 0,\n"
              "             \"a\": 3, \"b\": 1e999, \"b\": 5, \"\\u0061\": 6}],\n"
              "  \"z\": 0, \"tab\\t\": 0,\n"
              "  \"tab\\u0009\": 0\n"
              "}\n");
    assert_int_equal(f.status, SAL_ERR_SCENE);
    assert_null(f.json.root);
    assert_int_equal(sal_error_count(f.context), 8);
    check_error(&f, 0, 3, 9, "z", "duplicate key 'mass'; first given at line 2");
    check_error(&f, 1, 5, 14, "list[1]", "duplicate key 'a'; first given at line 4");
    check_error(&f, 2, 5, 22, "list[1]", "duplicate key 'b'; first given at line 4");
    check_error(&f, 3, 5, 27, "list[1].b", "the number 1e999 is too large");
    check_error(&f, 4, 5, 34, "list[1]", "duplicate key 'b'; first given at line 4");
    check_error(&f, 5, 5, 42, "list[1]", "duplicate key 'a'; first given at line 4");
    check_error(&f, 6, 6, 3, "", "duplicate key 'z'; first given at line 2");
    check_error(&f, 7, 7, 3, "", "duplicate key 'tab?'; first given at line 6");
    end(&f);

    /* a syntax error hides them: the reading ended there */
    check_refused_bytes("{\"a\":1,\"a\":2,}", 14, 1, 14, "",
                        "found '}' where a key was expected; remove the comma before it");
}

/* ---------------------------------------------------------------------------------------- places */

static void check_value_at(const fixture *f, const cJSON *node, int line, int column)
{
    int l, c;

    assert_non_null(node);
    sal_json_value_at(&f->json, node, &l, &c);
    assert_int_equal(l, line);
    assert_int_equal(c, column);
}

static void check_key_at(const fixture *f, const cJSON *node, int line, int column)
{
    int l, c;

    assert_non_null(node);
    sal_json_key_at(&f->json, node, &l, &c);
    assert_int_equal(l, line);
    assert_int_equal(c, column);
}

static void check_string_at(const fixture *f, const cJSON *node, int offset, int line, int column)
{
    int l, c;

    sal_json_string_at(&f->json, node, offset, &l, &c);
    assert_int_equal(l, line);
    assert_int_equal(c, column);
}

static void test_places(void **state)
{
    fixture f;
    cJSON  *root, *bar, *points;

    (void)state;
    parse(&f, "\n"
              "{ \"bodies\": {\r\n"
              "    \"bar1\" : { \"mass\": 2.5,\r"
              "      \"points\": [[0, 1],\n"
              "\t[2,\n"
              "3]], \"name\"\n"
              ":\n"
              "\"x\" } },\n"
              "  \"\\u00e9\": \"\xC3\xA9\", \"end\": null }");
    assert_int_equal(f.status, SAL_OK);
    root   = f.json.root;
    bar    = cJSON_GetObjectItem(cJSON_GetObjectItem(root, "bodies"), "bar1");
    points = cJSON_GetObjectItem(bar, "points");
    check_value_at(&f, root, 2, 1);
    check_key_at(&f, root, 2, 1);
    check_key_at(&f, cJSON_GetObjectItem(root, "bodies"), 2, 3);
    check_value_at(&f, cJSON_GetObjectItem(root, "bodies"), 2, 13);
    check_key_at(&f, bar, 3, 5);
    check_value_at(&f, bar, 3, 14);
    check_key_at(&f, cJSON_GetObjectItem(bar, "mass"), 3, 16);
    check_value_at(&f, cJSON_GetObjectItem(bar, "mass"), 3, 24);
    check_key_at(&f, points, 4, 7);
    check_value_at(&f, points, 4, 17);
    check_value_at(&f, cJSON_GetArrayItem(points, 0), 4, 18);
    check_value_at(&f, cJSON_GetArrayItem(points, 1), 5, 2);
    check_key_at(&f, cJSON_GetArrayItem(points, 1), 5, 2);
    check_value_at(&f, cJSON_GetArrayItem(cJSON_GetArrayItem(points, 0), 1), 4, 22);
    check_value_at(&f, cJSON_GetArrayItem(cJSON_GetArrayItem(points, 1), 1), 6, 1);
    check_key_at(&f, cJSON_GetObjectItem(bar, "name"), 6, 6);
    check_value_at(&f, cJSON_GetObjectItem(bar, "name"), 8, 1);
    check_key_at(&f, cJSON_GetObjectItem(root, "\xC3\xA9"), 9, 3);
    check_value_at(&f, cJSON_GetObjectItem(root, "\xC3\xA9"), 9, 13);
    check_key_at(&f, cJSON_GetObjectItem(root, "end"), 9, 19);
    check_value_at(&f, cJSON_GetObjectItem(root, "end"), 9, 26);
    end(&f);
}

static void test_string_at(void **state)
{
    /* decoded: a \n b e-acute(2) c e-acute(2) \ smiley(4) d smiley(4) e: 19 bytes, then the end */
    static const int column[] = { 5, 6, 8, 9, 9, 15, 16, 17, 18, 20, 20, 20, 20, 32, 33, 34, 35, 36, 37, 38 };
    fixture          f;
    const cJSON     *node;

    (void)state;
    parse(&f, "[\n{}, [], 5,\n   \"a\\nb\\u00e9c\xC3\xA9\\\\\\ud83d\\uDE00d\xF0\x9F\x98\x80"
              "e\", \"\"]");
    assert_int_equal(f.status, SAL_OK);
    node = cJSON_GetArrayItem(f.json.root, 3);
    assert_int_equal(strlen(node->valuestring), 19);
    for (int i = 0; i < SAL_COUNT(column); i++) check_string_at(&f, node, i, 3, column[i]);
    check_string_at(&f, node, 1000, 3, 38); /* the closing quote */
    check_string_at(&f, node, -1, 3, 5);
    check_string_at(&f, cJSON_GetArrayItem(f.json.root, 4), 0, 3, 42);
    check_string_at(&f, cJSON_GetArrayItem(f.json.root, 2), 3, 2, 9); /* not a string: its value */
    end(&f);
}

/* ----------------------------------------------------------------------------------------- large */

static void test_many_keys(void **state)
{
    enum { COUNT = 100000 };
    fixture f;
    char   *text = malloc(COUNT * 24 + 64), *t = text;
    clock_t start;

    (void)state;
    assert_non_null(text);
    t += sprintf(t, "{\n");
    for (int i = 0; i < COUNT; i++) t += sprintf(t, "\"key%d\": %d,\n", (int)((i * 7919LL) % COUNT), i);
    sprintf(t, "\"last\": [1, 2]}");
    start = clock();
    parse(&f, text);
    assert_int_equal(f.status, SAL_OK);
    assert_int_equal(f.json.nplace, COUNT + 4);
    check_key_at(&f, f.json.root->child->prev, COUNT + 2, 1); /* prev of the first is the last */
    check_value_at(&f, f.json.root->child->prev->child->next, COUNT + 2, 13);
    end(&f);
    sprintf(t, "\"key7919\": 0, \"key0\": 1}");
    parse(&f, text);
    assert_int_equal(f.status, SAL_ERR_SCENE);
    assert_int_equal(sal_error_count(f.context), 2);
    check_error(&f, 0, COUNT + 2, 1, "", "duplicate key 'key7919'; first given at line 3");
    check_error(&f, 1, COUNT + 2, 15, "", "duplicate key 'key0'; first given at line 2");
    end(&f);
    assert_true(clock() - start < 10 * CLOCKS_PER_SEC); /* comparing all pairs takes minutes */
    free(text);
}

static void test_same_keys(void **state)
{
    enum { COUNT = 100000 };
    fixture f;
    char   *text = malloc(COUNT * 8 + 8), *t = text;

    (void)state;
    assert_non_null(text);
    t += sprintf(t, "{");
    for (int i = 0; i < COUNT; i++) t += sprintf(t, "%s\"a\":0", i ? "," : "");
    strcpy(t, "}");
    parse(&f, text);
    assert_int_equal(f.status, SAL_ERR_SCENE);
    check_error(&f, 99, 1, 602, "", "duplicate key 'a'; first given at line 1");
    end(&f);
    free(text);
}

static void test_large(void **state)
{
    enum { COUNT = 1000000 };
    fixture f;
    char   *text = malloc(2 * COUNT + 8), *t = text;

    (void)state;
    assert_non_null(text);
    *t++ = '[';
    for (int i = 0; i < COUNT; i++) *t++ = '7', *t++ = ',';
    strcpy(t - 1, "]");
    parse(&f, text);
    assert_int_equal(f.status, SAL_OK);
    assert_int_equal(f.json.nplace, COUNT + 1);
    check_value_at(&f, f.json.root->child->prev, 1, 2 * COUNT);
    end(&f);

    memset(text, 's', 2 * COUNT);
    text[0] = text[2 * COUNT - 1] = '"';
    text[2 * COUNT]               = '\0';
    parse(&f, text);
    assert_int_equal(f.status, SAL_OK);
    check_string_at(&f, f.json.root, 2 * COUNT - 3, 1, 2 * COUNT - 1);
    end(&f);
    free(text);
}

/* ------------------------------------------------------------------------------------------ file */

static void write_file(const char *name, const char *text, size_t size)
{
    FILE *stream = fopen(name, "wb");

    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

static void check_file_error(const char *name, const char *text)
{
    fixture f;

    begin(&f);
    assert_int_equal(sal_json_load(&f.pool, name, &f.json), SAL_ERR_FILE);
    assert_int_equal(sal_error_count(f.context), 1);
    assert_string_equal(sal_error(f.context, 0)->file, name);
    assert_string_equal(sal_error(f.context, 0)->text, text);
    assert_int_equal(sal_error(f.context, 0)->line, 0);
    assert_null(f.json.root);
    end(&f);
}

static void test_load(void **state)
{
    static const char name[] = "test_json.tmp";
    fixture           f;
    char             *text;

    (void)state;
    write_file(name, "{\"a\":\n[1, 2]}", 13);
    begin(&f);
    assert_int_equal(sal_json_load(&f.pool, name, &f.json), SAL_OK);
    assert_string_equal(f.json.file, name);
    check_value_at(&f, cJSON_GetObjectItem(f.json.root, "a"), 2, 1);
    end(&f);

    write_file(name, "", 0);
    begin(&f);
    assert_int_equal(sal_json_load(&f.pool, name, &f.json), SAL_ERR_SCENE);
    assert_string_equal(sal_message(f.context),
                        "test_json.tmp:1:1: found an empty document where a value was expected\n");
    end(&f);

    text = calloc(1, (size_t)SAL_JSON_MAX_BYTES + 1);
    assert_non_null(text);
    memset(text, ' ', (size_t)SAL_JSON_MAX_BYTES + 1);
    text[0] = '0';
    write_file(name, text, SAL_JSON_MAX_BYTES);
    begin(&f);
    assert_int_equal(sal_json_load(&f.pool, name, &f.json), SAL_OK);
    end(&f);
    write_file(name, text, (size_t)SAL_JSON_MAX_BYTES + 1);
    check_file_error(name, "the file is larger than 16777216 bytes");
    free(text);
    remove(name);
    check_file_error(name, "the file cannot be read: No such file or directory");
    check_file_error(".", "the file cannot be read: Is a directory");
}

/* ---------------------------------------------------------------------------------------- memory */

/* Long enough that the list of places grows past one block of a pool. */
static char *long_document(int count)
{
    char *text = malloc((size_t)count * 32 + 64), *t = text;

    assert_non_null(text);
    t += sprintf(t, "{");
    for (int i = 0; i < count; i++) t += sprintf(t, "\"k%d\": [%d, \"s\"],\n", i, i);
    sprintf(t, "\"k\": {}}");
    return text;
}

/* Parses with allocation `fail` failing; gives whether it came to that. */
static bool parse_short_of_memory(const char *text, int fail, bool once, bool from_file)
{
    fixture f;
    bool    reached;

    begin(&f);
    f.memory.next = 0;
    f.memory.fail = fail;
    f.memory.once = once;
    if (from_file) f.status = sal_json_load(&f.pool, text, &f.json);
    else parse_bytes(&f, text, strlen(text));
    reached = f.memory.next > fail;
    assert_int_equal(f.status, reached ? SAL_ERR_MEMORY : SAL_OK);
    if (reached) {
        assert_null(f.json.root);
        assert_int_equal(sal_error_count(f.context), 1);
        assert_string_equal(sal_error(f.context, 0)->text, "out of memory");
    }
    end(&f);
    return reached;
}

static void test_memory(void **state)
{
    static const char name[] = "test_json_memory.tmp";
    char             *text   = long_document(2000);
    int               n      = 0;

    (void)state;
    write_file(name, text, strlen(text));
    while (parse_short_of_memory(text, n, false, false) | parse_short_of_memory(text, n, true, false)) n++;
    assert_true(n >= 6);
    n = 0;
    while (parse_short_of_memory(name, n, false, true) | parse_short_of_memory(name, n, true, true)) n++;
    assert_true(n >= 8);
    remove(name);
    free(text);
}

/* cJSON takes its memory from malloc, past the context; its hooks are global, hence the counter. */
static int tree_left;

static void *tree_allocate(size_t size)
{
    return tree_left-- > 0 ? malloc(size) : NULL;
}

static void test_memory_of_tree(void **state)
{
    cJSON_Hooks hooks = { .malloc_fn = tree_allocate, .free_fn = free };
    fixture     f;
    int         n = 0;

    (void)state;
    cJSON_InitHooks(&hooks);
    do {
        tree_left = n++;
        parse(&f, "{\"a\": [1, \"s\"], \"b\": null}");
        assert_true(f.status == SAL_OK || f.status == SAL_ERR_MEMORY);
        assert_true((f.status == SAL_OK) == (f.json.root != NULL));
        assert_int_equal(sal_error_count(f.context), f.status == SAL_OK ? 0 : 1);
        end(&f);
    } while (f.status != SAL_OK);
    cJSON_InitHooks(NULL);
    assert_true(n >= 9); /* five nodes, two keys, one string; some cJSON also copies the number */
}

/* A message that cannot be stored is no reason to accept the text. */
static void test_memory_of_message(void **state)
{
    static const char *const inputs[] = { "{\"a\":1,\"a\":2}", "[1,]", "[1e999]" };

    (void)state;
    for (int i = 0; i < SAL_COUNT(inputs); i++) {
        for (int n = 0; n < 8; n++) {
            fixture f;
            begin(&f);
            f.memory.next = 0;
            f.memory.fail = n;
            parse_bytes(&f, inputs[i], strlen(inputs[i]));
            assert_true(f.status == SAL_ERR_MEMORY || f.status == SAL_ERR_SCENE);
            assert_int_equal(sal_error_count(f.context), 1);
            end(&f);
        }
    }
}

/* -------------------------------------------------------------------------------------- mutations */

static uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static size_t mutate(char *text, size_t size, uint32_t *seed)
{
    static const char marks[] = "{}[]\",:\\/0123456789eE+-.tfnu \n\r\t'\x80\xC3\xED\xF0\xFF";
    size_t            at      = next_random(seed) % size;

    switch (next_random(seed) % 5) {
    case 0: text[at] = (char)next_random(seed); break;
    case 1: text[at] = marks[next_random(seed) % sizeof marks]; break; /* the NUL too */
    case 2: memmove(text + at, text + at + 1, --size - at); break;
    case 3:
        memmove(text + at + 1, text + at, size++ - at);
        text[at] = marks[next_random(seed) % sizeof marks];
        break;
    default: text[at] = text[next_random(seed) % size]; break;
    }
    return size;
}

static int visit(const fixture *f, const cJSON *node)
{
    int line, column, count = 1;

    sal_json_key_at(&f->json, node, &line, &column);
    assert_true(line >= 1 && column >= 1);
    sal_json_string_at(&f->json, node, 3, &line, &column);
    assert_true(line >= 1 && column >= 1);
    for (const cJSON *child = node->child; child; child = child->next) count += visit(f, child);
    return count;
}

static void test_mutations(void **state)
{
    static const char valid[] =
        "{\r\n  \"//\": \"a \xC3\xA9 comment\",\n  \"bodies\": {\"bar1\": {\"mass\": 2.5e-1, \"points\": "
        "[[0, 0], [1, -0.5]]}},\n  \"s\": \"a\\n\\u00e9\\ud83d\\ude00\", \"t\": [true, false, "
        "null, 1E+5]\n}";
    uint32_t seed = 20240229;
    int      good = 0;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        char    text[sizeof valid + 8];
        size_t  size = sizeof valid - 1;
        fixture f;

        memcpy(text, valid, sizeof valid);
        for (uint32_t n = 1 + next_random(&seed) % 4; n > 0; n--) size = mutate(text, size, &seed);
        begin(&f);
        parse_bytes(&f, text, size);
        /* SAL_ERR_MEMORY would mean that cJSON refused what the scanner accepted */
        assert_true(f.status == SAL_OK || f.status == SAL_ERR_SCENE);
        assert_true((f.status == SAL_OK) == (sal_error_count(f.context) == 0));
        if (f.status == SAL_OK) {
            assert_int_equal(visit(&f, f.json.root), f.json.nplace);
            good++;
        }
        end(&f);
    }
    assert_in_range(good, 1000, 19000); /* both outcomes are met */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_structure),
        cmocka_unit_test(test_comments),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_string_at),
        cmocka_unit_test(test_many_keys),
        cmocka_unit_test(test_same_keys),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_of_tree),
        cmocka_unit_test(test_memory_of_message),
        cmocka_unit_test(test_mutations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
