/* cmd_types.c - saltus types: the reference of the scene format. */
#include <stdio.h>
#include <string.h>

#include "tools/cli.h"

static const char help[] = "saltus types            sections of a scene and all types\n"
                           "saltus types NAME       fields of a section or type: points, bar, spring, ...\n"
                           "saltus types --schema   the format as a JSON schema, for editors\n";

static void write_text(void *user, const char *text)
{
    fputs(text, user);
}

int command_types(int argc, char **argv)
{
    const char  *name = argc > 1 ? argv[1] : NULL;
    sal_context *context;
    sal_status   status;
    int          code = 0;

    if (argc > 2) return fputs(help, stderr), EXIT_USAGE;
    if (name && (!strcmp(name, "--help") || !strcmp(name, "-h"))) return fputs(help, stdout), 0;
    if (name && name[0] == '-' && strcmp(name, "--schema") != 0) {
        return fprintf(stderr, "saltus: unknown option '%s'; see --help\n", name), EXIT_USAGE;
    }
    status = sal_context_create(NULL, &context);
    if (status != SAL_OK) return report(sal_status_text(status), status);
    if (name && !strcmp(name, "--schema")) status = sal_describe_schema(context, write_text, stdout);
    else status = sal_describe(context, name, write_text, stdout);
    if (status != SAL_OK) code = report(sal_message(context), status);
    sal_context_destroy(&context);
    return code;
}
