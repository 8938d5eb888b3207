/* adjoint_tape.c - what is kept of a run for the sweep back: of each step where it began and how long it was, of each
 * instant at which events happen the run as it was before. Between two instants the mode does not change: it is in the
 * moment of the later one. */
#include <string.h>

#include "engine/run/adjoint.h"

void sal_tape_init(sal_tape *tape, const sal_run *run)
{
    *tape = (sal_tape){ .width = (size_t)(SAL_STEP_Y + 2 * run->model->n), .moment = sal_run_moment_size(run) };
    sal_pool_init(&tape->pool, run->context);
}

void sal_tape_clear(sal_tape *tape)
{
    sal_pool_free(&tape->pool);
    memset(&tape->chunk, 0, sizeof tape->chunk);
    memset(&tape->instant, 0, sizeof tape->instant);
    tape->steps = 0;
    tape->bytes = 0;
}

static double *step_at(const sal_tape *tape, int k)
{
    return tape->chunk.at[k / SAL_TAPE_CHUNK] + (size_t)(k % SAL_TAPE_CHUNK) * tape->width;
}

const double *sal_tape_step(const sal_tape *tape, int k)
{
    return step_at(tape, k);
}

static sal_status add_step(sal_tape *tape, const sal_run *run)
{
    double *row;

    if (tape->steps % SAL_TAPE_CHUNK == 0) {
        double **chunk = SAL_PUSH(&tape->pool, &tape->chunk);
        if (!chunk) return SAL_ERR_MEMORY;
        *chunk = SAL_NEW(&tape->pool, double, SAL_TAPE_CHUNK * tape->width);
        if (!*chunk) return SAL_ERR_MEMORY;
        tape->bytes += SAL_TAPE_CHUNK * tape->width * sizeof **chunk;
    }
    row             = step_at(tape, tape->steps++);
    row[SAL_STEP_T] = run->stepper.t;
    row[SAL_STEP_H] = run->stepper.h;
    memcpy(row + SAL_STEP_Y, run->stepper.y0, sizeof *row * (size_t)(2 * run->model->n));
    return SAL_OK;
}

static sal_status add_instant(sal_tape *tape, const sal_run *run)
{
    sal_instant *at = SAL_PUSH(&tape->pool, &tape->instant);

    if (!at) return SAL_ERR_MEMORY;
    at->step   = tape->steps;
    at->moment = sal_pool_alloc(&tape->pool, tape->moment);
    if (!at->moment) return SAL_ERR_MEMORY;
    sal_run_keep_moment(run, at->moment, tape->moment);
    tape->bytes += tape->moment;
    return SAL_OK;
}

sal_status sal_tape_take(sal_tape *tape, const sal_run *run, bool event)
{
    sal_status status = SAL_OK;

    if (run->stepper.h > 0.0) status = add_step(tape, run);
    if (status == SAL_OK && !event && sal_run_is_pending(run)) /* after an event: due at its instant */
        status = add_instant(tape, run);
    return status;
}
