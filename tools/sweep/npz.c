/* npz.c - zip archives of .npy files, uncompressed, little-endian; see APPNOTE.TXT of PKWARE and numpy.lib.format.
 *
 * Every member is built in memory first: its size and checksum stand before it. Dates are 1980-01-01, so that the same
 * arrays are the same bytes. */
#include "tools/sweep/npz.h"

#include <stdlib.h>
#include <string.h>

typedef struct bytes {
    unsigned char *at;
    size_t         n, room;
    bool           failed;
} bytes;

struct npz {
    FILE    *f;
    bytes    member, directory; /* the member in the making; the central directory so far */
    uint64_t offset;            /* of the next member */
    long     members;
    bool     failed;
};

uint32_t crc32_of(uint32_t before, const void *data, size_t count)
{
    const unsigned char *c   = data;
    uint32_t             crc = ~before;

    for (size_t k = 0; k < count; k++) {
        static const uint32_t half[16] = { /* of 4 bits: small, and fast enough beside the disk */
                                           0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                           0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                           0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c
        };
        crc ^= c[k];
        crc = crc >> 4 ^ half[crc & 15u];
        crc = crc >> 4 ^ half[crc & 15u];
    }
    return ~crc;
}

static void put(bytes *b, const void *data, size_t n)
{
    if (b->n + n > b->room && !b->failed) {
        const size_t   room = 2 * (b->n + n) + 64;
        unsigned char *more = realloc(b->at, room);
        b->failed           = !more;
        if (more) b->at = more, b->room = room;
    }
    if (b->failed) return;
    memcpy(b->at + b->n, data, n);
    b->n += n;
}

/* The least byte first. */
static void put_number(bytes *b, uint64_t number, int size)
{
    unsigned char c[8];

    for (int k = 0; k < size; k++) c[k] = (unsigned char)(number >> 8 * k & 0xff);
    put(b, c, (size_t)size);
}

npz *npz_open(FILE *f)
{
    npz *z = calloc(1, sizeof *z);

    if (z) z->f = f;
    return z;
}

/* What a local header and the central directory both tell of the member at hand. */
static void put_entry(bytes *b, const npz *z, uint32_t crc, size_t name)
{
    put_number(b, 20, 2);    /* version 2.0 is needed */
    put_number(b, 0x800, 2); /* names are UTF-8 */
    put_number(b, 0, 2);     /* stored */
    put_number(b, 0, 2);     /* 00:00 */
    put_number(b, 0x21, 2);  /* 1980-01-01 */
    put_number(b, crc, 4);
    put_number(b, z->member.n, 4);
    put_number(b, z->member.n, 4);
    put_number(b, name, 2);
    put_number(b, 0, 2); /* no extra field */
}

/* The member at hand goes into the file. */
static bool end_member(npz *z, const char *name)
{
    const size_t   length = strlen(name) + 4;
    const uint32_t crc    = crc32_of(0, z->member.at, z->member.n);
    bytes          header = { 0 };

    put_number(&header, 0x04034b50, 4);
    put_entry(&header, z, crc, length);
    put(&header, name, length - 4);
    put(&header, ".npy", 4);
    put_number(&z->directory, 0x02014b50, 4);
    put_number(&z->directory, 0x0314, 2); /* made by version 2.0 on Unix */
    put_entry(&z->directory, z, crc, length);
    put_number(&z->directory, 0, 2); /* no comment, disk 0, no attributes of ours */
    put_number(&z->directory, 0, 2);
    put_number(&z->directory, 0, 2);
    put_number(&z->directory, (uint64_t)0100644 << 16, 4); /* a file that all may read */
    put_number(&z->directory, z->offset, 4);
    put(&z->directory, name, length - 4);
    put(&z->directory, ".npy", 4);
    z->offset += header.n + z->member.n;
    z->members++;
    z->failed = z->failed || header.failed || z->member.failed || z->directory.failed ||
                z->offset + z->directory.n > UINT32_MAX || z->members > UINT16_MAX;
    if (!z->failed) {
        fwrite(header.at, 1, header.n, z->f);
        fwrite(z->member.at, 1, z->member.n, z->f);
    }
    free(header.at);
    return !z->failed;
}

/* Magic, version 1.0, and a dictionary that ends at a multiple of 64 bytes. */
static void begin_member(npz *z, const char *type, long n)
{
    char   text[128];
    size_t length =
        (size_t)snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%ld,), }", type, n);

    while ((10 + length + 1) % 64) text[length++] = ' ';
    text[length++] = '\n';
    z->member.n    = 0;
    put(&z->member, "\x93NUMPY\x01\x00", 8);
    put_number(&z->member, length, 2);
    put(&z->member, text, length);
}

bool npz_doubles(npz *z, const char *name, const double *x, long n, long stride)
{
    begin_member(z, "<f8", n);
    for (long k = 0; k < n; k++) {
        uint64_t bits;
        memcpy(&bits, &x[k * stride], sizeof bits);
        put_number(&z->member, bits, 8);
    }
    return end_member(z, name);
}

bool npz_longs(npz *z, const char *name, const int64_t *x, long n)
{
    begin_member(z, "<i8", n);
    for (long k = 0; k < n; k++) put_number(&z->member, (uint64_t)x[k], 8);
    return end_member(z, name);
}

/* The next character of a text in UTF-8; '?' for what is none. */
static uint32_t next_character(const unsigned char **c)
{
    const unsigned first = *(*c)++, more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    uint32_t       point = first < 0x80 ? first : first & (0x3fu >> more);

    if (first >= 0x80 && first < 0xc0) return '?';
    for (unsigned k = 0; k < more; k++) {
        if ((**c & 0xc0) != 0x80) return '?';
        point = point << 6 | (*(*c)++ & 0x3fu);
    }
    return point <= 0x10ffff ? point : '?';
}

static long characters(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    long                 n = 0;

    while (c && *c) next_character(&c), n++;
    return n;
}

bool npz_texts(npz *z, const char *name, const char *const *text, long n)
{
    long longest = 1;
    char type[32];

    for (long k = 0; k < n; k++) {
        const long length = characters(text[k]);
        if (length > longest) longest = length;
    }
    snprintf(type, sizeof type, "<U%ld", longest);
    begin_member(z, type, n);
    for (long k = 0; k < n; k++) {
        const unsigned char *c    = (const unsigned char *)text[k];
        long                 used = 0;
        for (; c && *c; used++) put_number(&z->member, next_character(&c), 4);
        for (; used < longest; used++) put_number(&z->member, 0, 4);
    }
    return end_member(z, name);
}

bool npz_close(npz *z)
{
    const uint64_t size = z->directory.n;
    bool           good;

    put_number(&z->directory, 0x06054b50, 4);
    put_number(&z->directory, 0, 2); /* one disk */
    put_number(&z->directory, 0, 2);
    put_number(&z->directory, (uint64_t)z->members, 2);
    put_number(&z->directory, (uint64_t)z->members, 2);
    put_number(&z->directory, size, 4);
    put_number(&z->directory, z->offset, 4);
    put_number(&z->directory, 0, 2); /* no comment */
    good = !z->failed && !z->directory.failed && fwrite(z->directory.at, 1, z->directory.n, z->f) == z->directory.n;
    free(z->member.at);
    free(z->directory.at);
    free(z);
    return good;
}
