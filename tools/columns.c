/* columns.c - columns of numbers that grow frame by frame, and base64 of them, little-endian. */
#include "tools/columns.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct series {
    double *x;    /* NULL: all are as the first */
    double  now;  /* of the frame in the making */
    double  base; /* that it was told with */
} series;

typedef struct told {
    int  column;
    bool exact;
} told;

struct columns {
    series *at;
    int     count, frames, room; /* of frames */
    told   *order;
    int     ntold;
    long    bytes;
    bool    doubles; /* all are exact */
};

columns *columns_create(int count)
{
    columns *c = calloc(1, sizeof *c);

    if (!c) return NULL;
    c->count = count;
    c->at    = calloc((size_t)count + 1, sizeof *c->at);
    c->order = calloc((size_t)count + 1, sizeof *c->order);
    if (!c->at || !c->order) return columns_free(c), NULL;
    for (int k = 0; k < count; k++) c->at[k].now = c->at[k].base = NAN;
    return c;
}

void columns_keep_doubles(columns *c)
{
    c->doubles = true;
}

void columns_free(columns *c)
{
    if (!c) return;
    for (int k = 0; c->at && k < c->count; k++) free(c->at[k].x);
    free(c->at);
    free(c->order);
    free(c);
}

void columns_set(columns *c, int column, double value)
{
    c->at[column].now = value;
}

void columns_shift(columns *c, int column, double by)
{
    c->at[column].now += by;
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* The first number of a column that has not changed yet is kept as its base. */
static bool add(columns *c, series *k)
{
    if (c->frames == 0) k->base = k->now;
    if (!k->x && same(k->now, k->base)) return true;
    if (!k->x) {
        k->x = malloc((size_t)c->room * sizeof *k->x);
        if (!k->x) return false;
        for (int i = 0; i < c->frames; i++) k->x[i] = k->base;
    }
    k->x[c->frames] = k->now;
    return true;
}

static bool make_room(columns *c)
{
    const int room = 2 * c->room + 64;

    for (int k = 0; k < c->count; k++) {
        double *more = c->at[k].x ? realloc(c->at[k].x, (size_t)room * sizeof *more) : NULL;
        if (c->at[k].x && !more) return false;
        c->at[k].x = more;
    }
    c->room = room;
    return true;
}

bool columns_add_frame(columns *c)
{
    if (c->frames == c->room && !make_room(c)) return false;
    for (int k = 0; k < c->count; k++) {
        if (!add(c, &c->at[k])) return false;
    }
    c->frames++;
    return true;
}

int columns_frames(const columns *c)
{
    return c->frames;
}

long columns_numbers(const columns *c)
{
    long changing = 0;

    for (int k = 0; k < c->count; k++) changing += c->at[k].x != NULL;
    return changing * c->frames;
}

void columns_range(const columns *c, int column, double *low, double *high)
{
    const double *x = c->at[column].x;

    for (int k = 0; k < (x ? c->frames : 1); k++) {
        const double value = x ? x[k] : c->at[column].base;
        if (!isfinite(value)) continue;
        *low  = fmin(*low, value);
        *high = fmax(*high, value);
    }
}

cJSON *columns_tell(columns *c, int column, bool exact)
{
    cJSON *object;
    double low = INFINITY, high = -INFINITY;

    if (!c->at[column].x) {
        const double value = c->at[column].base;
        return isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
    }
    exact  = exact || c->doubles;
    object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "at", (double)c->bytes);
    if (exact) {
        cJSON_AddBoolToObject(object, "double", true);
    } else {
        columns_range(c, column, &low, &high);
        c->at[column].base = low > 0.0 || high < 0.0 ? 0.5 * low + 0.5 * high : 0.0;
        cJSON_AddNumberToObject(object, "base", c->at[column].base);
    }
    c->order[c->ntold++] = (told){ column, exact };
    c->bytes += (long)c->frames * (long)(exact ? sizeof(double) : sizeof(float));
    return object;
}

/* ------------------------------------------------------------------------------------------ base64 */

typedef struct encoder {
    FILE         *f;
    unsigned char pending[3];
    int           n;
} encoder;

static void flush_pending(encoder *e)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint32_t    bits     = (uint32_t)e->pending[0] << 16 | (uint32_t)e->pending[1] << 8 | e->pending[2];

    if (e->n == 0) return;
    fputc(digits[bits >> 18], e->f);
    fputc(digits[bits >> 12 & 63], e->f);
    fputc(e->n > 1 ? digits[bits >> 6 & 63] : '=', e->f);
    fputc(e->n > 2 ? digits[bits & 63] : '=', e->f);
    memset(e->pending, 0, sizeof e->pending);
    e->n = 0;
}

static void put_bits(encoder *e, uint64_t bits, int bytes)
{
    for (int k = 0; k < bytes; k++) { /* the least first */
        e->pending[e->n++] = (unsigned char)(bits >> 8 * k & 0xff);
        if (e->n == 3) flush_pending(e);
    }
}

static uint64_t bits_of(double value, bool exact)
{
    const float small = (float)value;
    uint64_t    bits  = 0;
    uint32_t    half  = 0;

    if (exact) memcpy(&bits, &value, sizeof bits);
    else memcpy(&half, &small, sizeof half);
    return exact ? bits : half;
}

static double number_told(const columns *c, const told *t, int frame)
{
    const series *from = &c->at[t->column];

    return t->exact ? from->x[frame] : from->x[frame] - from->base;
}

void columns_write(const columns *c, FILE *f)
{
    encoder e = { .f = f };

    for (int k = 0; k < c->ntold; k++) {
        const told *t = &c->order[k];
        for (int i = 0; i < c->frames; i++) put_bits(&e, bits_of(number_told(c, t, i), t->exact), t->exact ? 8 : 4);
    }
    flush_pending(&e);
}

void columns_write_bytes(const columns *c, FILE *f)
{
    for (int k = 0; k < c->ntold; k++) {
        const told  *t     = &c->order[k];
        const size_t bytes = t->exact ? 8 : 4;
        for (int i = 0; i < c->frames; i++) {
            const uint64_t bits = bits_of(number_told(c, t, i), t->exact);
            unsigned char  byte[8];
            for (size_t b = 0; b < bytes; b++) byte[b] = (unsigned char)(bits >> 8 * b & 0xff);
            fwrite(byte, 1, bytes, f);
        }
    }
}
