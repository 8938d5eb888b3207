/* cmd_check.c - saltus check: validates and assembles a scene and prints what it consists of. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/output.h"

static const char help[] =
    "saltus check SCENE [options]\n"
    "\n"
    "Validates the scene, assembles the mechanism at t = 0 and prints its points, bodies, coordinates,\n"
    "constraints and degrees of freedom; constraints that depend on others, whether the configuration is close\n"
    "to a singular one, and points and parameters that nothing uses.\n"
    "\n"
    "  --set NAME=VALUE   give a parameter another value: a number, or an expression of parameters; repeatable\n"
    "  --plugin FILE      with the types of a plug-in; repeatable\n"
    "  -q, --quiet        print no summary; errors and warnings only\n"
    "  --json             print it as JSON\n";

static const char *dof_text(const sal_point_info *p)
{
    return p->dof[0] && p->dof[1] ? "dof" : p->dof[0] ? "dof x" : p->dof[1] ? "dof y" : "";
}

/* Coordinates that determine the others at the start; false: out of memory. */
static bool print_partition(const session *s)
{
    int *dof = need_zeros((size_t)sal_model_get_info(s->model).coordinates, sizeof *dof), count = 0;

    const sal_status status = sal_run_partition(s->run, dof, &count);

    if (status == SAL_OK && count > 0) {
        printf("independent          ");
        for (int k = 0; k < count; k++) printf("%s%s", k ? ", " : "", sal_model_coordinate(s->model, dof[k]));
        printf("\n");
    }
    free(dof);
    return status != SAL_ERR_MEMORY;
}

/* "rod2 depends on rod1, pin.x" */
static void print_dependencies(const session *s, const sal_analysis *a)
{
    sal_dependency d;

    for (int k = 0; sal_analysis_dependency(a, k, &d); k++) {
        printf("%-21s%s ", k ? "" : "redundant", sal_model_constraint(s->model, d.row));
        printf(d.count ? "depends on " : "restricts nothing");
        for (int i = 0; i < d.count; i++) printf("%s%s", i ? ", " : "", sal_model_constraint(s->model, d.others[i]));
        printf(d.here ? " in this configuration: it is singular\n" : "\n");
    }
}

static void print_names(const char *head, const sal_analysis *a,
                        const char *(*name)(const sal_analysis *analysis, int index))
{
    for (int k = 0; name(a, k); k++) printf("%s%s", k ? ", " : head, name(a, k));
    if (name(a, 0)) printf("\n");
}

static int print_text(const session *s, const sal_analysis *a)
{
    const sal_analysis_info found = sal_analysis_get_info(a);
    const sal_model_info    info  = sal_model_get_info(s->model);
    sal_element_info        e;
    sal_point_info          p;
    const char             *section = "";

    print_title(s, "(no name)");
    printf("\npoints (%d)\n", info.points);
    for (int k = 0; sal_model_point(s->model, k, &p); k++) {
        double at[2];
        sal_run_point(s->run, p.name, at, NULL);
        printf("  %-14s %-7s %14.9g %14.9g  %s%s%s\n", p.name, p.kind, at[0], at[1], dof_text(&p), p.body ? "of " : "",
               p.body ? p.body : "");
    }
    for (int k = 0; sal_model_element(s->model, k, &e); k++) {
        if (e.section != section) printf("\n%s\n", section = e.section);
        printf("  %-14s %-12s", e.name, e.type);
        if (e.constraints) printf(" %d constraint%s", e.constraints, e.constraints == 1 ? "" : "s");
        printf("\n");
    }
    if (info.parameters) printf("\nparameters\n");
    for (int k = 0; k < info.parameters; k++)
        printf("  %-14s %.15g\n", sal_model_parameter(s->model, k), sal_run_parameter(s->run, k));
    printf("\ncoordinates          %d\nconstraints          %d", info.coordinates, info.constraints);
    if (found.constraints < info.constraints) printf(" (%d of them hold at the start)", found.constraints);
    printf("\nrank                 %d\ndegrees of freedom   %d\nevents               %d\nenergy               %.9g J\n",
           found.rank, found.freedom, info.events, sal_run_energy(s->run));
    if (!print_partition(s)) return report(sal_message(s->context), SAL_ERR_MEMORY);
    print_dependencies(s, a);
    if (found.near_singular) printf("singular             close to a singular configuration: %.3g\n", found.singular);
    print_names("unused points        ", a, sal_analysis_unused_point);
    print_names("unused parameters    ", a, sal_analysis_unused_parameter);
    return EXIT_SUCCESS;
}

static void add_names(cJSON *root, const char *key, const sal_analysis *a,
                      const char *(*name)(const sal_analysis *analysis, int index))
{
    cJSON *list = cJSON_AddArrayToObject(root, key);

    for (int k = 0; name(a, k); k++) cJSON_AddItemToArray(list, cJSON_CreateString(name(a, k)));
}

static void add_analysis(cJSON *root, const session *s, const sal_analysis *a)
{
    const sal_analysis_info found = sal_analysis_get_info(a);
    cJSON                  *list;
    sal_dependency          d;

    cJSON_AddNumberToObject(root, "holding", found.constraints);
    cJSON_AddNumberToObject(root, "rank", found.rank);
    cJSON_AddNumberToObject(root, "degrees_of_freedom", found.freedom);
    cJSON_AddNumberToObject(root, "singular_value", found.singular);
    cJSON_AddBoolToObject(root, "near_singular", found.near_singular);
    list = cJSON_AddArrayToObject(root, "redundant");
    for (int k = 0; sal_analysis_dependency(a, k, &d); k++) {
        cJSON *item = cJSON_CreateObject(), *on;
        cJSON_AddStringToObject(item, "constraint", sal_model_constraint(s->model, d.row));
        on = cJSON_AddObjectToObject(item, "depends_on");
        for (int i = 0; i < d.count; i++)
            cJSON_AddNumberToObject(on, sal_model_constraint(s->model, d.others[i]), d.factor[i]);
        cJSON_AddBoolToObject(item, "only_here", d.here);
        cJSON_AddItemToArray(list, item);
    }
    add_names(root, "unused_points", a, sal_analysis_unused_point);
    add_names(root, "unused_parameters", a, sal_analysis_unused_parameter);
}

static void tell_json(const session *s, const arguments *args, const sal_analysis *a)
{
    const sal_model_info info = sal_model_get_info(s->model);
    cJSON               *root = cJSON_CreateObject(), *points = cJSON_AddObjectToObject(root, "points");
    cJSON               *elements = cJSON_AddArrayToObject(root, "elements"),
          *parameters             = cJSON_AddObjectToObject(root, "parameters");
    sal_element_info e;
    sal_point_info   p;

    cJSON_AddNumberToObject(root, "coordinates", info.coordinates);
    cJSON_AddNumberToObject(root, "constraints", info.constraints);
    cJSON_AddNumberToObject(root, "events", info.events);
    add_analysis(root, s, a);
    for (int k = 0; sal_model_point(s->model, k, &p); k++) {
        double at[2];
        cJSON *item = cJSON_AddObjectToObject(points, p.name);
        sal_run_point(s->run, p.name, at, NULL);
        cJSON_AddStringToObject(item, "kind", p.kind);
        cJSON_AddItemToObject(item, "at", cJSON_CreateDoubleArray(at, 2));
    }
    for (int k = 0; sal_model_element(s->model, k, &e); k++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "section", e.section);
        cJSON_AddStringToObject(item, "name", e.name);
        cJSON_AddStringToObject(item, "type", e.type);
        cJSON_AddNumberToObject(item, "constraints", e.constraints);
        cJSON_AddItemToArray(elements, item);
    }
    for (int k = 0; k < info.parameters; k++) {
        cJSON_AddNumberToObject(parameters, sal_model_parameter(s->model, k), sal_run_parameter(s->run, k));
    }
    print_json_result("check", s, args, "done", root);
    cJSON_Delete(root);
}

int command_check(int argc, char **argv)
{
    arguments     a;
    session       s        = { 0 };
    sal_analysis *analysis = NULL;
    int           code;

    if (!read_arguments(argc, argv, ACCEPT_SCENE, help, &a, &code)) return code;
    code = session_open(&s, &a);
    if (code == EXIT_SUCCESS) code = session_start(&s, &a);
    if (code == EXIT_SUCCESS && sal_analysis_create(s.run, &analysis) != SAL_OK)
        code = report("out of memory", SAL_ERR_MEMORY);
    if (code == EXIT_SUCCESS && a.json) tell_json(&s, &a, analysis);
    else if (code == EXIT_SUCCESS) code = print_text(&s, analysis);
    sal_analysis_destroy(&analysis);
    session_close(&s, &a);
    return code;
}
