/* identity.c - what makes a sweep the one it is, as lines of text: where two differ, the line says in what. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tools/memory_text.h"
#include "tools/sweep/npz.h"
#include "tools/sweep/table.h"

/* The name of a file without its folders, its size and its checksum. */
static bool print_file(FILE *out, const char *what, const char *path)
{
    const char *slash = strrchr(path, '/');
    FILE       *f     = fopen(path, "rb");
    char        piece[4096];
    uint32_t    crc  = 0;
    size_t      size = 0, n;

    while (f && (n = fread(piece, 1, sizeof piece, f)) > 0) {
        crc = crc32_of(crc, piece, n);
        size += n;
    }
    if (!f || ferror(f)) {
        fprintf(stderr, "saltus: cannot read '%s': %s\n", path, strerror(errno));
        if (f) fclose(f);
        return false;
    }
    fclose(f);
    fprintf(out, "%s: %s, %zu bytes, checksum %08x\n", what, slash ? slash + 1 : path, size, (unsigned)crc);
    return true;
}

static void print_options(FILE *out, const arguments *a)
{
    const sal_run_opts *o = &a->opts;

    fprintf(out, "set:");
    for (int k = 0; k < o->nset; k++) fprintf(out, " %s=%.17g", o->set[k].parameter, o->set[k].value);
    fprintf(out,
            "\noptions: study %s, form %d, integrator %d, rtol %.17g, duration %.17g, limit %s, section %s, steps %d\n",
            a->word[WORD_STUDY] ? a->word[WORD_STUDY] : "run", o->form, o->integrator, o->rtol, o->duration,
            a->word[WORD_LIMIT] ? a->word[WORD_LIMIT] : "none", a->section ? a->section : "the scene's", a->steps);
}

/* That of the scene; one from stdin is the text that was read. */
static bool print_scene(FILE *out, const arguments *a, const session *s)
{
    if (!s->text) return print_file(out, "scene", a->scene);
    fprintf(out, "scene: stdin, %zu bytes, checksum %08x\n", s->size, (unsigned)crc32_of(0, s->text, s->size));
    return true;
}

char *sweep_identity(const arguments *a, const session *from, const plan *p, const sal_sweep *s)
{
    memory_text m   = { 0 };
    FILE       *out = memory_open(&m);
    bool        good;

    if (!out) return report("saltus: out of memory", SAL_ERR_MEMORY), NULL;
    fprintf(out, "saltus: %s\n", sal_version());
    good = print_scene(out, a, from);
    for (int k = 0; k < a->nplugin && good; k++) good = print_file(out, "plug-in", a->plugin[k]);
    print_options(out, a);
    fprintf(out, "over:");
    for (int k = 0; k < p->n; k++) fprintf(out, " %s", p->axis[k].name);
    fprintf(out, "\ncases: %ld\nvalues: checksum %08x\ncolumns:", p->cases,
            (unsigned)crc32_of(0, p->values, (size_t)p->cases * (size_t)p->n * sizeof *p->values));
    for (int k = 0; k < sal_sweep_column_count(s); k++) fprintf(out, " [%s]", sal_sweep_column(s, k));
    fprintf(out, "\n");
    if (memory_close(&m, out) && good) return m.text;
    if (good) report("saltus: out of memory", SAL_ERR_MEMORY); /* else it has been said what is wrong */
    free(m.text);
    return NULL;
}
