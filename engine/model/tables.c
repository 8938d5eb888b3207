/* tables.c - the tables that a scene comes down to: their life, and finding things by name. */
#include <stdio.h>
#include <string.h>

#include "engine/model/model.h"

sal_tables *sal_tables_create(sal_context *context, const char *file)
{
    sal_pool    pool;
    sal_tables *t;

    sal_pool_init(&pool, context);
    t = SAL_NEW(&pool, sal_tables, 1);
    if (!t) return NULL;
    t->context    = context;
    t->pool       = pool;
    t->references = 1;
    t->dimension  = 2;
    t->cycle      = (sal_cycle_def){ .section = -1, .period = SAL_NONE, .origin = { -1, -1 } };
    t->file       = sal_pool_copy(&t->pool, file, strlen(file));
    if (!t->file) sal_tables_release(&t);
    return t;
}

sal_tables *sal_tables_retain(sal_tables *tables)
{
    __atomic_add_fetch(&tables->references, 1, __ATOMIC_RELAXED);
    return tables;
}

void sal_tables_release(sal_tables **tables)
{
    sal_tables *t = *tables;

    *tables = NULL;
    if (!t || __atomic_sub_fetch(&t->references, 1, __ATOMIC_ACQ_REL) > 0) return;
    sal_pool pool = t->pool; /* the tables themselves lie in it */
    sal_pool_free(&pool);
}

const sal_basis *sal_basis_of(const sal_tables *tables, sal_point point)
{
    return point.index >= 0 && point.index < tables->bases.n ? &tables->bases.at[point.index] : NULL;
}

bool sal_basis_is_basic(const sal_basis *basis)
{
    return basis->i[0] == basis->j[0];
}

const char *sal_section_name(sal_section section)
{
    static const char *const name[SAL_SECTIONS] = { "bodies", "joints", "contacts" };

    return name[section];
}

const sal_point_def *sal_tables_point(const sal_tables *tables, const char *name)
{
    int k = sal_names_find(&tables->point_names, name);

    return k < 0 || k >= tables->points.n ? NULL : &tables->points.at[k]; /* out of memory: a name without its point */
}

const sal_element *sal_tables_element(const sal_tables *tables, sal_section section, const char *name)
{
    for (int k = 0, seen = 0, number = sal_names_find(&tables->element_names[section], name);
         k < tables->elements.n && number >= 0; k++) {
        if (tables->elements.at[k].section == section && seen++ == number) return &tables->elements.at[k];
    }
    return NULL;
}

int sal_tables_find(const sal_tables *tables, const sal_names *names, const char *name)
{
    char  longer[SAL_NAME_PARTS * (SAL_NAME_MAX + 1)], other[sizeof longer];
    char *dot;
    int   found = sal_names_find(names, name), k;

    if (found >= 0 || strlen(name) >= sizeof longer || !(dot = strchr(name, '.'))) return found;
    strcpy(longer, name); /* "floor.A.normal": "floor.A" is "floor" */
    dot = strchr(longer + (dot - name) + 1, '.');
    if (dot) *dot = '\0';
    k = sal_names_find(&tables->other_names, longer);
    if (k < 0) return -1;
    snprintf(other, sizeof other, "%s%s%s", tables->elements.at[tables->other_elements.at[k]].name, dot ? "." : "",
             dot ? dot + 1 : "");
    return sal_names_find(names, other);
}

int sal_tables_find_event(const sal_tables *tables, const char *name)
{
    const int k = sal_tables_find(tables, &tables->event_names, name);

    for (int e = 0; e < tables->events.n && k >= 0; e++) {
        if (!strcmp(tables->events.at[e].name, tables->event_names.list.at[k])) return e;
    }
    return -1;
}
