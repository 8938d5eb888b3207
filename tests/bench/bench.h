/* bench.h - what benchmarks share: clocks, scenes as text. */
#ifndef SAL_BENCH_H
#define SAL_BENCH_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engine/saltus.h"

static inline double bench_seconds_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double bench_seconds(void)
{
    return bench_seconds_of(CLOCK_MONOTONIC);
}

/* How long a run takes from its start to its end; NAN: it does not get there. */
static inline double bench_time(sal_run *run)
{
    const double start = bench_seconds();
    sal_status   status;

    sal_run_restart(run);
    do status = sal_run_step(run);
    while (status == SAL_OK || status == SAL_EVENT);
    return status == SAL_END ? bench_seconds() - start : NAN;
}

/* The argument, a positive number; or what there is without one. */
static inline int bench_count(int argc, char **argv, int index, int otherwise)
{
    return argc > index && atoi(argv[index]) > 0 ? atoi(argv[index]) : otherwise;
}

typedef struct bench_text {
    char  *at;
    size_t used, room;
} bench_text;

__attribute__((format(printf, 2, 3))) static inline void bench_put(bench_text *t, const char *format, ...)
{
    va_list args;

    if (t->used + 4096 > t->room) {
        t->room = 2 * t->room + 8192;
        t->at   = realloc(t->at, t->room);
        if (!t->at) exit(1);
    }
    va_start(args, format);
    t->used += (size_t)vsnprintf(t->at + t->used, t->room - t->used, format, args);
    va_end(args);
}

/* The model of the scene that the text is, which is empty then. */
static inline bool bench_model(sal_context *context, const char *name, bench_text *t, sal_model **model)
{
    sal_scene *scene = NULL;
    const bool good =
        sal_scene_parse(context, name, t->at, t->used, &scene) == SAL_OK && sal_model_create(scene, model) == SAL_OK;

    sal_scene_destroy(&scene);
    t->used = 0;
    return good;
}

/* Two bars with a torque at the elbow, by that many knots u[0], u[1]...; costs effort and height. */
static inline void bench_put_acrobot(bench_text *t, int knots, const char *kind)
{
    bench_put(t,
              "{ \"saltus\": 1, \"parameters\": {"
              "\"u\": { \"knots\": %d, \"to\": 6, \"start\": 0.5, \"kind\": \"%s\" } }, \"points\": {"
              "\"O\": { \"at\": [0, 0], \"fixed\": true }, \"E\": { \"at\": [0, -1] }, \"T\": { \"at\": [0, -2] } },"
              "\"bodies\": { \"upper\": { \"type\": \"bar\", \"points\": [\"O\", \"E\"], \"mass\": 1 },"
              "\"lower\": { \"type\": \"bar\", \"points\": [\"E\", \"T\"], \"mass\": 1 } },"
              "\"joints\": { \"elbow\": { \"type\": \"torque\", \"body\": \"lower\", \"reference\": \"upper\","
              "\"torque\": \"u(t)\" } }, \"costs\": { \"z\": { \"running\": \"u(t)^2\", \"terminal\": \"y(T)\" } },"
              "\"simulation\": { \"duration\": 6, \"rtol\": 1e-8 } }",
              knots, kind);
}

#endif
