/* cmd_types.c - saltus types: the reference of the scene format. */
#include <stdio.h>
#include <string.h>

#include "tools/cli.h"

static const char help[] = "saltus types            sections of a scene and all types\n"
                           "saltus types NAME       fields of a section or type: points, bar, spring, ...\n"
                           "saltus types --schema   the format as a JSON schema, for editors\n"
                           "\n"
                           "  --plugin FILE         with the types of a plug-in, before the rest; repeatable\n";

static void write_text(void *user, const char *text)
{
    fputs(text, user);
}

int command_types(int argc, char **argv)
{
    const char *const *plugin = (const char *const *)argv;
    const char        *name;
    sal_context       *context;
    sal_status         status;
    int                code = 0, nplugin = 0;

    for (; argc > 2 && !strcmp(argv[1], "--plugin"); argc -= 2, argv += 2) nplugin++;
    name = argc > 1 ? argv[1] : NULL;
    if (argc > 2) return fputs(help, stderr), EXIT_USAGE;
    if (name && (!strcmp(name, "--help") || !strcmp(name, "-h"))) return fputs(help, stdout), 0;
    if (name && name[0] == '-' && strcmp(name, "--schema") != 0) {
        return fprintf(stderr, "saltus: unknown option '%s'; see --help\n", name), EXIT_USAGE;
    }
    status = sal_context_create(NULL, &context);
    if (status != SAL_OK) return report(sal_status_text(status), status);
    for (int k = 0; k < nplugin && status == SAL_OK; k++) status = sal_plugin_load(context, plugin[2 + 2 * k]);
    if (status != SAL_OK) code = EXIT_USAGE;
    else if (name && !strcmp(name, "--schema")) status = sal_describe_schema(context, write_text, stdout);
    else status = sal_describe(context, name, write_text, stdout);
    if (status != SAL_OK) code = report(sal_message(context), status);
    sal_context_destroy(&context);
    return code;
}
