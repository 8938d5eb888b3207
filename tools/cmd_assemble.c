/* cmd_assemble.c - saltus assemble: the scene with the positions and velocities that a run starts from. */
#include <stdlib.h>

#include "tools/rewrite.h"

static const char help[] =
    "saltus assemble SCENE [options]\n"
    "\n"
    "Assembles the mechanism at t = 0 and prints the scene with the assembled positions and velocities as numbers, in\n"
    "place of `at` and `velocity` of the free points. Everything else stays as it is, byte for byte. Lengths, angles "
    "and\n"
    "phases that a type takes from the points as given become those of these numbers; whole turns are not written.\n"
    "\n"
    "  -o, --output FILE  write it there; the file gets its name when it is complete\n"
    "  --set NAME=VALUE   give a parameter another value, also in the scene written: a number, or an expression of\n"
    "                     parameters; repeatable\n"
    "  --plugin FILE      with the types of a plug-in; repeatable\n"
    "  --json             nothing changes: a scene is JSON\n";

int command_assemble(int argc, char **argv)
{
    arguments a;
    session   s = { 0 };
    int       code;

    if (!read_arguments(argc, argv, ACCEPT_ASSEMBLE, help, &a, &code)) return code;
    code = session_open(&s, &a);
    if (code == EXIT_SUCCESS) code = session_start(&s, &a);
    if (code == EXIT_SUCCESS)
        code = rewrite_scene(&a, &s, (scene_start){ .q = sal_run_q(s.run), .v = sal_run_v(s.run) }, a.output);
    session_close(&s, &a);
    return code;
}
