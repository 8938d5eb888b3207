/* feedback.c - which memory is part of the state of a return map.
 *
 * What an event sets and the motion reads feeds back. Read by value, it is an unknown like a coordinate; read by
 * conditions alone (`if(stance > 0.5, ...)`, guards), a small change of it changes nothing: it must come back, but has
 * no derivative. What nothing in the motion reads, a counter for an output, is no part of the state; nor is what no
 * event sets, which is a constant. With reads(m) how the motion reads m by itself,
 *
 *     feedback(m) = max( reads(m), min(reading of m in what sets m', feedback(m')), feedback(whose role m takes) ) */
#include <string.h>

#include "engine/studies/cycle.h"

typedef struct reader {
    const sal_tables *tables;
    unsigned char    *level; /* [nz] how slots depend on the memory at hand */
    unsigned char    *work;  /* [program_max] */
} reader;

static sal_dependence stronger(sal_dependence a, sal_dependence b)
{
    return a > b ? a : b;
}

static sal_dependence weaker(sal_dependence a, sal_dependence b)
{
    return a < b ? a : b;
}

/* Levels of all slots: the values that depend on it, one after the other. */
static void spread(reader *r, const sal_model *model, sal_slot memory)
{
    memset(r->level, SAL_READS_NOT, (size_t)model->nz);
    r->level[memory] = SAL_READS;
    for (int k = 0; k < r->tables->values.n; k++) {
        const sal_value *v = &r->tables->values.at[k];
        if (!v->memory) r->level[v->slot] = (unsigned char)sal_program_dependence(&v->program, r->level, r->work);
    }
}

static int memory_at(const sal_tables *tables, sal_slot slot)
{
    for (int k = 0; k < tables->memory.n; k++) {
        if (tables->memory.at[k].slot == slot) return k;
    }
    return -1;
}

static int role_of(const sal_tables *tables, int memory)
{
    return tables->cycle.memory ? tables->cycle.memory[memory] : memory;
}

/* Whether anything changes it: an event, or that it takes the role of another. */
static bool changes(const sal_tables *tables, int memory)
{
    for (int k = 0; k < tables->notes.n; k++) {
        if (tables->notes.at[k].slot == tables->memory.at[memory].slot) return true;
    }
    return role_of(tables, memory) != memory;
}

/* feedback [memory], until nothing changes. direct: [memory], through [memory][notes] what sets memory. */
static void settle(const sal_tables *tables, const unsigned char *through, sal_dependence *feedback)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (int m = 0; m < tables->memory.n; m++) {
            sal_dependence now = feedback[m];
            for (int k = 0; k < tables->notes.n; k++) {
                const int to = memory_at(tables, tables->notes.at[k].slot);
                now          = stronger(now, weaker((sal_dependence)through[m * tables->notes.n + k], feedback[to]));
            }
            for (int k = 0; k < tables->memory.n; k++) {
                if (role_of(tables, k) == m) now = stronger(now, feedback[k]);
            }
            changed     = changed || now != feedback[m];
            feedback[m] = now;
        }
    }
}

sal_status sal_cycle_find_memory(sal_cycle *c)
{
    const sal_tables *tables   = c->model->tables;
    const int         count    = tables->memory.n;
    reader            r        = { .tables = tables,
                                   .level  = SAL_NEW(&c->pool, unsigned char, c->model->nz),
                                   .work   = SAL_NEW(&c->pool, unsigned char, c->model->program_max) };
    sal_dependence   *feedback = SAL_NEW(&c->pool, sal_dependence, count);
    unsigned char    *through  = SAL_NEW(&c->pool, unsigned char, (size_t)count *(size_t)tables->notes.n);

    c->memory = SAL_NEW(&c->pool, int, count);
    if (c->pool.failed) return SAL_ERR_MEMORY;
    for (int m = 0; m < count; m++) {
        spread(&r, c->model, tables->memory.at[m].slot);
        feedback[m] = sal_tables_dependence(tables, r.level, r.work);
        for (int k = 0; k < tables->notes.n; k++)
            through[m * tables->notes.n + k] =
                (unsigned char)sal_program_dependence(&tables->notes.at[k].value, r.level, r.work);
    }
    settle(tables, through, feedback);
    c->size = c->state = 2 * c->n;
    for (sal_dependence kind = SAL_READS; kind > SAL_READS_NOT; kind--) { /* unknowns first */
        for (int m = 0; m < count; m++) {
            if (feedback[m] != kind || !changes(tables, m)) continue;
            c->memory[c->state++ - 2 * c->n] = m;
            if (kind == SAL_READS) c->size++;
        }
    }
    return SAL_OK;
}
