/* cmd_view_absent.c - saltus view where libmicrohttpd was not there when this was built. */
#include "tools/view_help.h"

#include "tools/cli.h"

int command_view(int argc, char **argv)
{
    arguments a;
    session   s = { 0 };
    int       code;

    if (!read_arguments(argc, argv, ACCEPT_VIEW, view_help, &a, &code)) return code;
    fprintf(stderr, "saltus: this saltus was built without libmicrohttpd, which saltus view needs.\n"
                    "On Debian: apt-get install libmicrohttpd-dev, then build it again (cmake --fresh).\n"
                    "saltus report makes a page that needs no server.\n");
    session_close(&s, &a);
    return EXIT_RUN;
}
