/* cmd_check.c - saltus check: validates and assembles a scene and prints what it consists of. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/cli.h"

static const char help[] =
    "saltus check SCENE [options]\n"
    "\n"
    "Validates the scene, assembles the mechanism at t = 0 and prints its points, bodies, coordinates,\n"
    "constraints and degrees of freedom.\n"
    "\n"
    "  --set NAME=VALUE   give a parameter another value (a number or an expression of numbers); repeatable\n"
    "  --plugin FILE      with the types of a plug-in; repeatable\n"
    "  --json             print it as JSON\n";

static const char *dof_text(const sal_point_info *p)
{
    return p->dof[0] && p->dof[1] ? "dof" : p->dof[0] ? "dof x" : p->dof[1] ? "dof y" : "";
}

/* Coordinates that determine the others at the start. */
static void print_partition(const session *s)
{
    int *dof = malloc(sizeof *dof * (size_t)sal_model_get_info(s->model).coordinates), count;

    if (dof && sal_run_partition(s->run, dof, &count) == SAL_OK && count > 0) {
        printf("independent          ");
        for (int k = 0; k < count; k++) printf("%s%s", k ? ", " : "", sal_model_coordinate(s->model, dof[k]));
        printf("\n");
    }
    free(dof);
}

static void print_text(const session *s, int rank)
{
    const sal_model_info info = sal_model_get_info(s->model);
    sal_element_info     e;
    sal_point_info       p;
    const char          *section = "";

    printf("%s\n\npoints (%d)\n", info.name[0] ? info.name : "(no name)", info.points);
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
    if (rank < info.constraints) printf(" (%d of them independent here)", rank);
    printf("\ndegrees of freedom   %d\nevents               %d\nenergy               %.9g J\n", info.coordinates - rank,
           info.events, sal_run_energy(s->run));
    print_partition(s);
}

static void print_json(const session *s, int rank)
{
    const sal_model_info info = sal_model_get_info(s->model);
    cJSON               *root = cJSON_CreateObject(), *points = cJSON_AddObjectToObject(root, "points");
    cJSON               *elements = cJSON_AddArrayToObject(root, "elements"),
          *parameters             = cJSON_AddObjectToObject(root, "parameters");
    sal_element_info e;
    sal_point_info   p;
    char            *text;

    cJSON_AddStringToObject(root, "name", info.name);
    cJSON_AddNumberToObject(root, "coordinates", info.coordinates);
    cJSON_AddNumberToObject(root, "constraints", info.constraints);
    cJSON_AddNumberToObject(root, "rank", rank);
    cJSON_AddNumberToObject(root, "degrees_of_freedom", info.coordinates - rank);
    cJSON_AddNumberToObject(root, "events", info.events);
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
    text = cJSON_Print(root);
    if (text) puts(text);
    free(text);
    cJSON_Delete(root);
}

int command_check(int argc, char **argv)
{
    arguments a;
    session   s = { 0 };
    int       code, rank;

    if (!read_arguments(argc, argv, ACCEPT_SCENE, help, &a, &code)) return code;
    code = session_open(&s, &a);
    if (code == EXIT_SUCCESS) code = session_start(&s, &a);
    if (code == EXIT_SUCCESS && sal_run_rank(s.run, &rank) != SAL_OK) code = report("out of memory", SAL_ERR_MEMORY);
    if (code == EXIT_SUCCESS) (a.json ? print_json : print_text)(&s, rank);
    session_close(&s);
    return code;
}
