/* scale.c - sizes by sums of parts; see motion.h. */
#include "engine/motion/motion.h"

#include <math.h>
#include <string.h>

#include "engine/equations/equations.h"
#include "engine/base/tolerance.h"

/* Widens the range [low, high] of each axis by a point. */
static void widen(const sal_system *s, const sal_basis *p, double low[SAL_AXES], double high[SAL_AXES])
{
    const double alpha = s->z[p->alpha], beta = s->z[p->beta];
    const double dx = s->z[p->xj] - s->z[p->xi], dy = s->z[p->yj] - s->z[p->yi];
    const double at[2] = { s->z[p->xi] + alpha * dx - beta * dy, s->z[p->yi] + alpha * dy + beta * dx };

    for (int k = 0; k < 2; k++) {
        low[k]  = fmin(low[k], at[k]);
        high[k] = fmax(high[k], at[k]);
    }
}

double sal_scale_length(const sal_system *s)
{
    const sal_tables *tables = s->model->tables;
    double            low[2] = { HUGE_VAL, HUGE_VAL }, high[2] = { -HUGE_VAL, -HUGE_VAL }, box = 0.0, far = 0.0;

    for (int k = 0; k < tables->points.n; k++) widen(s, sal_basis_of(tables, tables->points.at[k].point), low, high);
    for (int k = 0; k < 2 && tables->points.n; k++) {
        box = fmax(box, high[k] - low[k]);
        far = fmax(far, fmax(fabs(low[k]), fabs(high[k])));
    }
    return box > 0.0 ? box : far > 0.0 ? far : 1.0; /* a single point at the origin has no length: any unit will do */
}

/* Adds |Phi_q,r lambda_r| of the rows that hold or act. */
static void add_rows(const sal_system *s, double *size)
{
    const sal_model *model = s->model;

    for (int r = 0; r < model->m; r++) {
        for (int k = model->jp[r]; k < model->jp[r + 1]; k++) size[model->jc[k]] += fabs(s->entry[k] * s->lambda[r]);
    }
}

/* The parts of the forces [nz], and what they are differences of. */
static void add_parts(sal_system *s, double *part, double *operand)
{
    for (int k = 0; k < s->model->nz; k++) part[k] = operand[k] = fabs(s->gravity[k]);
    sal_springs_sizes(s->model, s->z, s->zd, part, operand);
    sal_efforts_sizes(&s->rows, s->z, s->zd, part, operand);
    sal_rows_jacobian(&s->rows, s->z, s->entry);
    add_rows(s, part);
}

void sal_scale_accelerations(sal_system *s, double *size)
{
    const size_t mark    = sal_arena_mark(&s->arena);
    double      *operand = sal_arena_take(&s->arena, s->model->nz);

    add_parts(s, size, operand);
    for (int k = 0; k < s->model->n; k++) {
        const double S = s->motion.scale[k]; /* M_kk^-1/2 */
        size[k]        = fmax(fabs(s->zdd[k]), (size[k] + SAL_OPERAND * operand[k]) * S * S);
    }
    sal_arena_release(&s->arena, mark);
}

sal_scale sal_scale_at(sal_system *s)
{
    const sal_model *model = s->model;
    const int        n     = model->n;
    const size_t     mark  = sal_arena_mark(&s->arena);
    double          *part = sal_arena_take(&s->arena, model->nz), *operand = sal_arena_take(&s->arena, model->nz);
    sal_scale        scale = { .length = s->length };

    add_parts(s, part, operand);
    for (int k = 0; k < n; k++) {
        const double S = s->motion.scale[k], force = part[k] + SAL_OPERAND * operand[k]; /* S = M_kk^-1/2 */
        scale.speed        = fmax(scale.speed, fabs(s->zd[k]));
        scale.force        = fmax(scale.force, force);
        scale.operands     = fmax(scale.operands, operand[k]);
        scale.acceleration = fmax(scale.acceleration, fmax(fabs(s->zdd[k]), force * S * S));
    }
    scale.natural = sqrt(scale.acceleration * scale.length);
    sal_arena_release(&s->arena, mark);
    return scale;
}

double sal_scale_around(sal_system *s, const sal_program *program, double *value)
{
    double sum = sal_scale_of(s, program, value), speed = 0.0;

    for (int k = 0; k < s->model->n; k++) speed = fmax(speed, fabs(s->zd[k]));
    for (int k = 0; k < program->nleaf; k++) {
        const sal_node *leaf  = &program->node[program->leaf[k]];
        const double    slope = fabs(s->first[program->leaf[k]]);
        if (leaf->b >= s->model->n) continue;
        if (leaf->a == SAL_SRC_Z) sum += slope * s->length;
        if (leaf->a == SAL_SRC_ZD) sum += slope * speed;
    }
    return sum;
}

double sal_scale_of(sal_system *s, const sal_program *program, double *value)
{
    double sum;

    *value = sal_system_value(s, program);
    sum    = fabs(*value);
    sal_program_gradient(program, s->value, s->first);
    for (int k = 0; k < program->nleaf; k++) {
        const sal_node *leaf = &program->node[program->leaf[k]];
        sum += fabs(s->first[program->leaf[k]] * s->source[leaf->a][leaf->b]);
    }
    return sum;
}
