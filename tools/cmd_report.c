/* cmd_report.c - saltus report: the motion of a scene as a page. */
#include <stdlib.h>
#include <string.h>

#include "tools/report.h"

static const char help[] =
    "saltus report SCENE [options]\n"
    "\n"
    "Simulates the scene with its derivatives and writes one HTML file that opens in any browser, without a network:\n"
    "the moving mechanism, its time line and events, what a change of parameters would do to it, plots, tables.\n"
    "\n"
    "  -o, --output FILE  write it there; '-' is stdout; NAME.html for NAME.json when absent\n"
    "  --wrt A,B,...      with derivatives with respect to these parameters, initial(P.x), ...; all parameters when\n"
    "                     absent; none: without\n"
    "  --differences H    plots places, velocities, outputs and costs (16 at first) with their derivatives, and over\n"
    "                     these central differences from runs at rho (1 +- H): what they make of events; 1e-3 shows "
    "it\n"
    "  --set NAME=VALUE   give a parameter another value: a number, or an expression of parameters; repeatable\n"
    "  --plugin FILE      with the types of a plug-in; repeatable\n"
    "  -q, --quiet        do not print the name of the file\n"
    "  --form, --integrator, --rtol, --duration, --strict   as for saltus run\n"
    "\n"
    "There is a frame at every output time of the scene and on both sides of every event. A run that fails, or that "
    "is\n"
    "interrupted, is shown as far as it came. Exit code 7: derivatives are not valid from some event on, and the page\n"
    "says so.\n";

static int choose_wrt(session *s, arguments *a)
{
    if (a->wrt_text && !strcmp(a->wrt_text, "none")) return EXIT_SUCCESS;
    if (!a->wrt_text && sal_model_get_info(s->model).parameters == 0) return EXIT_SUCCESS;
    return session_wrt(s, a);
}

static run_report *open_page(const session *s, const arguments *a, double step)
{
    return a->word[WORD_DIFFERENCES] ? report_open_compared(s, a->scene, &a->opts, step) : report_open(s, a->scene);
}

int command_report(int argc, char **argv)
{
    arguments   a;
    session     s    = { 0 };
    run_report *page = NULL;
    sal_reader  reader;
    sal_status  status;
    double      step = 0.0;
    char        path[4096];
    int         code;

    if (!read_arguments(argc, argv, ACCEPT_REPORT, help, &a, &code)) return code;
    code =
        read_between("--differences", a.word[WORD_DIFFERENCES], 1e-12, 0.5, &step) ? session_open(&s, &a) : EXIT_USAGE;
    if (code == EXIT_SUCCESS) code = choose_wrt(&s, &a);
    if (code == EXIT_SUCCESS) code = session_start(&s, &a);
    if (code == EXIT_SUCCESS && !(page = open_page(&s, &a, step))) code = EXIT_RUN;
    if (code != EXIT_SUCCESS) {
        session_close(&s, &a);
        return code;
    }
    catch_interrupts();
    result_path(&a, ".html", path, sizeof path);
    reader = report_reader(page);
    progress_begin(s.run);
    status = sal_simulate(s.run, &reader, 1);
    if (!report_close(page, path, status)) code = EXIT_OUTPUT;
    else if (!result_is_stdout(path)) print_path(path);
    stdout_written();
    if (status < 0) code = report(sal_run_message(s.run), status);
    else if (interrupted && status != SAL_END) code = EXIT_STOPPED;
    else if (code == EXIT_SUCCESS && a.opts.nwrt && sal_run_wrt_invalid(s.run)[0]) code = EXIT_MISMATCH;
    code = strict_code(&s, &a, code);
    session_close(&s, &a);
    return code;
}
