/* view_help.h - the help of saltus view, which is the same where it was built without a server. */
#ifndef SAL_TOOLS_VIEW_HELP_H
#define SAL_TOOLS_VIEW_HELP_H

static const char view_help[] =
    "saltus view SCENE [options]\n"
    "\n"
    "Shows the scene in the browser, live: a slider for every parameter runs it again while it moves, points are "
    "dragged\n"
    "to other places, the text of the scene is beside it with its errors marked where they are. Sensitivities, "
    "cycles,\n"
    "equilibria and modes are buttons. Saving writes the scene with its comments and layout as they are; when the "
    "file\n"
    "changes on disk the view follows.\n"
    "\n"
    "  --no-browser       print the address and open nothing; else xdg-open opens it, or the command in BROWSER\n"
    "  --port NUMBER      listen on this port; a free one when absent\n"
    "  --limit SECONDS    that a run may take before it is shown as far as it came; 20 when absent\n"
    "  --plugin FILE      with the types of a plug-in; repeatable\n"
    "\n"
    "Only this machine reaches it: it listens on 127.0.0.1, and the address has a random key that every request "
    "carries.\n"
    "Nothing is written but the scene, on save. Ctrl-C ends it.\n";

#endif
