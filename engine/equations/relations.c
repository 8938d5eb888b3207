/* relations.c - rows and forces given by formulas; equations in relations.h. */
#include "engine/equations/equations.h"

#include <math.h>
#include <string.h>

/* What the programs read; lambda and energy never. */
typedef struct sources {
    const double *of[SAL_SRC_COUNT];
} sources;

static sources reading(const double *z, const double *zd, const double *zdd)
{
    return (sources){ { [SAL_SRC_Z] = z, [SAL_SRC_ZD] = zd, [SAL_SRC_ZDD] = zdd } };
}

static double evaluate(const sal_rows *rows, const sal_program *p, const sources *from)
{
    return sal_program_value(p, from->of, rows->value);
}

/* Adds d(program)/d(leaves) along the directions to out [p]. */
static void add_chain(const sal_rows *rows, const sal_program *p, const sources *from, sal_directions d, double *out)
{
    const double *const along[] = { [SAL_SRC_Z] = d.dz, [SAL_SRC_ZD] = d.dzd, [SAL_SRC_ZDD] = d.dzdd };

    evaluate(rows, p, from);
    sal_program_gradient(p, rows->value, rows->first);
    for (int k = 0; k < p->nleaf; k++) {
        const sal_node *leaf  = &p->node[p->leaf[k]];
        const double    slope = rows->first[p->leaf[k]], *row = along[leaf->a] + (size_t)leaf->b * (size_t)d.p;
        for (int c = 0; c < d.p && slope != 0.0; c++) {
            if (row[c] != 0.0) out[c] += slope * row[c]; /* a slope may be infinite where nothing moves along it */
        }
    }
}

/* Adds factor (J^T)' of a rate to the coordinates' rows of force: the direction stands where the program reads zdd. */
static void add_turning(const sal_rows *rows, const sal_rate *rate, const double *z, double factor, sal_directions d,
                        double *force)
{
    const sal_program *p    = &rate->turning;
    const sources      from = reading(z, z, rows->direction); /* linear in zd: any number will do there */

    for (int c = 0; c < d.p && factor != 0.0; c++) {
        bool moves = false;
        for (int k = 0; k < p->nleaf; k++) {
            const sal_node *leaf = &p->node[p->leaf[k]];
            if (leaf->a != SAL_SRC_ZDD) continue;
            rows->direction[leaf->b] = d.dz[(size_t)leaf->b * (size_t)d.p + (size_t)c];
            moves                    = moves || rows->direction[leaf->b] != 0.0;
        }
        if (!moves) continue;
        evaluate(rows, p, &from);
        sal_program_gradient(p, rows->value, rows->first);
        for (int k = 0; k < p->nleaf; k++) {
            const sal_node *leaf = &p->node[p->leaf[k]];
            if (leaf->a == SAL_SRC_ZD && leaf->b < rows->model->n)
                force[(size_t)leaf->b * (size_t)d.p + (size_t)c] += factor * rows->first[p->leaf[k]];
        }
    }
}

/* ------------------------------------------------------------------------------------------ rows */

void sal_relations_residual(const sal_rows *rows, const double *z, const double *zd, double *phi, double *phidot)
{
    const sources from = reading(z, zd, NULL);

    for (int k = 0; k < rows->model->nrelation; k++) {
        const sal_relation *r = &rows->model->relation[k];
        if (!rows->mode->held[r->row]) continue;
        if (r->phi.n) phi[r->row] = evaluate(rows, &r->phi, &from);
        if (zd) phidot[r->row] = evaluate(rows, &r->rate.value, &from);
    }
}

void sal_relations_jacobian(const sal_rows *rows, const double *z, double *entry)
{
    const sources from = reading(z, z, NULL); /* linear in zd: any number will do there */

    for (int k = 0; k < rows->model->nrelation; k++) {
        const sal_relation *r = &rows->model->relation[k];
        const sal_program  *p = &r->rate.value;
        if (!rows->mode->held[r->row] && !rows->mode->acts[r->row]) continue;
        evaluate(rows, p, &from);
        sal_program_gradient(p, rows->value, rows->first);
        for (int i = 0; i < p->nleaf; i++) entry[r->entry[i]] += rows->first[p->leaf[i]];
    }
}

void sal_relations_motion(const sal_rows *rows, const double *z, const double *zd, const double *zdd, double *entry,
                          double *c)
{
    const sources from = reading(z, zd, zdd);

    sal_relations_jacobian(rows, z, entry);
    for (int k = 0; k < rows->model->nrelation; k++) {
        const sal_relation *r = &rows->model->relation[k];
        if (rows->mode->held[r->row]) c[r->row] = -evaluate(rows, &r->bias, &from);
    }
}

double sal_rows_second(const sal_rows *rows, int row, const double *z, const double *zd, const double *zdd)
{
    const sources from = reading(z, zd, zdd);

    return evaluate(rows, &rows->model->relation[rows->model->relation_of[row]].second, &from);
}

double sal_rows_rate(const sal_rows *rows, int row, const double *z, const double *zd)
{
    const sources from = reading(z, zd, NULL);

    return evaluate(rows, &rows->model->relation[rows->model->relation_of[row]].rate.value, &from);
}

/* -------------------------------------------------------------------------------------- tangents */

#define ROW(array, index) ((array) + (size_t)(index) * (size_t)d.p)

void sal_relations_tangent_residual(const sal_rows *rows, const double *z, const double *zd, sal_directions d,
                                    double *dphi, double *dphidot)
{
    const sources from = reading(z, zd, NULL);

    for (int k = 0; k < rows->model->nrelation; k++) {
        const sal_relation *r = &rows->model->relation[k];
        if (!rows->mode->held[r->row]) continue;
        if (r->phi.n) add_chain(rows, &r->phi, &from, d, ROW(dphi, r->row));
        if (zd) add_chain(rows, &r->rate.value, &from, d, ROW(dphidot, r->row));
    }
}

void sal_relations_tangent_force(const sal_rows *rows, const double *z, const double *lambda, sal_directions d,
                                 double *force)
{
    for (int k = 0; k < rows->model->nrelation; k++) {
        const sal_relation *r = &rows->model->relation[k];
        add_turning(rows, &r->rate, z, -lambda[r->row], d, force);
    }
}

void sal_relations_tangent_motion(const sal_rows *rows, const double *z, const double *zd, const double *zdd,
                                  const double *lambda, sal_directions d, double *dphidd, double *force)
{
    const sources from = reading(z, zd, zdd);

    for (int k = 0; k < rows->model->nrelation; k++) {
        const sal_relation *r = &rows->model->relation[k];
        if (rows->mode->held[r->row]) add_chain(rows, &r->second, &from, d, ROW(dphidd, r->row));
    }
    sal_relations_tangent_force(rows, z, lambda, d, force);
}

/* --------------------------------------------------------------------------------------- efforts */

void sal_efforts(const sal_rows *rows, const double *z, const double *zd, double *force)
{
    const sources from = reading(z, zd, NULL);

    for (int k = 0; k < rows->model->tables->efforts.n; k++) {
        const sal_program *p = &rows->model->effort[k].value;
        const double       f = evaluate(rows, &rows->model->tables->efforts.at[k].force, &from);
        evaluate(rows, p, &from);
        sal_program_gradient(p, rows->value, rows->first);
        for (int i = 0; i < p->nleaf; i++) {
            const sal_node *leaf = &p->node[p->leaf[i]];
            if (leaf->a == SAL_SRC_ZD && leaf->b < rows->model->n) force[leaf->b] += rows->first[p->leaf[i]] * f;
        }
    }
}

void sal_efforts_sizes(const sal_rows *rows, const double *z, const double *zd, double *part, double *operand)
{
    const sources from = reading(z, zd, NULL);

    for (int k = 0; k < rows->model->tables->efforts.n; k++) {
        const sal_program *p  = &rows->model->tables->efforts.at[k].force;
        const double       f  = fabs(evaluate(rows, p, &from));
        double             of = f;

        sal_program_gradient(p, rows->value, rows->first);
        for (int i = 0; i < p->nleaf; i++) {
            const sal_node *leaf = &p->node[p->leaf[i]];
            const double    x    = rows->first[p->leaf[i]] * from.of[leaf->a][leaf->b];
            if (isfinite(x)) of += fabs(x);
        }
        p = &rows->model->effort[k].value;
        evaluate(rows, p, &from);
        sal_program_gradient(p, rows->value, rows->first);
        for (int i = 0; i < p->nleaf; i++) {
            const sal_node *leaf = &p->node[p->leaf[i]];
            if (leaf->a != SAL_SRC_ZD || leaf->b >= rows->model->n) continue;
            part[leaf->b] += fabs(rows->first[p->leaf[i]]) * f;
            operand[leaf->b] += fabs(rows->first[p->leaf[i]]) * of;
        }
    }
}

void sal_efforts_tangent(const sal_rows *rows, const double *z, const double *zd, sal_directions d, double *change,
                         double *force)
{
    const sources from = reading(z, zd, NULL);

    for (int k = 0; k < rows->model->tables->efforts.n; k++) {
        const sal_rate    *rate = &rows->model->effort[k];
        const sal_program *p    = &rate->value;
        const double       f    = evaluate(rows, &rows->model->tables->efforts.at[k].force, &from);

        add_turning(rows, rate, z, f, d, force);
        memset(change, 0, sizeof *change * (size_t)d.p);
        add_chain(rows, &rows->model->tables->efforts.at[k].force, &from, d, change);
        evaluate(rows, p, &from);
        sal_program_gradient(p, rows->value, rows->first);
        for (int i = 0; i < p->nleaf; i++) {
            const sal_node *leaf = &p->node[p->leaf[i]];
            if (leaf->a != SAL_SRC_ZD || leaf->b >= rows->model->n) continue;
            for (int c = 0; c < d.p; c++) ROW(force, leaf->b)[c] += rows->first[p->leaf[i]] * change[c];
        }
    }
}
