/* cmd_new.c - saltus new: the beginning of a joint of one's own, and a scene that tests it. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/cli.h"

static const char help[] =
    "saltus new joint NAME [--folder FOLDER]\n"
    "\n"
    "Writes NAME.c, a joint that works and waits to be changed, and test_NAME.json, a scene that uses it. Then:\n"
    "\n"
    "  cc -std=c17 -shared -fPIC NAME.c -o NAME.so       with -I to where saltus/ext.h is, or $(pkg-config --cflags "
    "saltus)\n"
    "  saltus verify test_NAME.json --plugin NAME.so     every derivative against differences\n"
    "  saltus run test_NAME.json --plugin NAME.so\n";

/* %s: the name, everywhere. */
static const char source[] =
    "/* %s.c - a joint of one's own: holds the points P and Q at a distance.\n"
    " *\n"
    " *     Phi = |q - p|^2 - L^2 = 0                     [m^2], one row\n"
    " *\n"
    " * Reaction: tension 2 L lambda [N], positive where it pulls P and Q together.\n"
    " *\n"
    " * Build: cc -std=c17 -shared -fPIC %s.c -o %s.so    (with -I to where saltus/ext.h is)\n"
    " * Use:   saltus run SCENE --plugin %s.so */\n"
    "#include <saltus/ext.h>\n"
    "\n"
    "/* What the scene says about one of them. A value is a place in the vector of all numbers: it may be a "
    "parameter,\n"
    " * a formula, a function of time. */\n"
    "typedef struct %s {\n"
    "    sal_point ends[2];\n"
    "    sal_slot  length;\n"
    "} %s;\n"
    "\n"
    "/* Keys in the scene: name, kind, where it goes, unit, what stands for an absent key (NULL: it must be given). "
    "*/\n"
    "static const sal_field fields[] = {\n"
    "    { \"points\", SAL_F_PAIR, offsetof(%s, ends), .help = \"the two ends\" },\n"
    "    { \"length\", SAL_F_VALUE, offsetof(%s, length), \"m\", \"1\", \"their distance\", SAL_POSITIVE, .timed = "
    "true "
    "},\n"
    "};\n"
    "\n"
    "/* Called once per element: emits rows, forces, reactions, and how it looks. No derivative is written here: the\n"
    " * engine has them all. */\n"
    "static void emit(const void *self, sal_builder *b)\n"
    "{\n"
    "    const %s *s = self;\n"
    "\n"
    "    sal_row_begin(b, \"\");                                                   /* Phi = */\n"
    "    sal_add_dot(b, 1.0, s->ends[0], s->ends[1], s->ends[0], s->ends[1]);    /* + (q - p).(q - p) */\n"
    "    sal_add_product(b, -1.0, s->length, s->length);                         /* - L L */\n"
    "\n"
    "    /* The same by a formula, for what is no sum of products:\n"
    "     *\n"
    "     *     sal_row_formula(b, \"\", sal_formula(\"distance(P, Q) - L\"),\n"
    "     *                     (sal_bind[]){ { \"P\", .point = &s->ends[0] }, { \"Q\", .point = &s->ends[1] },\n"
    "     *                                   { \"L\", s->length }, { 0 } }); */\n"
    "\n"
    "    sal_add_reaction(b, \"tension\", \"N\", \"2*L*f\",\n"
    "                     (sal_bind[]){ { \"L\", s->length }, { \"f\", .multiplier = sal_row_multiplier(b) }, { 0 } "
    "});\n"
    "\n"
    "    sal_draw_line(b, s->ends[0], s->ends[1]); /* how it looks, for viewers */\n"
    "}\n"
    "\n"
    "static const sal_type type = {\n"
    "    .name    = \"%s\",\n"
    "    .help    = \"holds two points at a distance\",\n"
    "    .size    = sizeof(%s),\n"
    "    .fields  = fields,\n"
    "    .nfields = SAL_COUNT(fields),\n"
    "    .rows    = true,\n"
    "    .emit    = emit,\n"
    "    .reactions = \"tension [N], positive where it pulls its points together\",\n"
    "};\n"
    "\n"
    "static const sal_type *const joints[] = { &type, NULL };\n"
    "\n"
    "SAL_API const sal_plugin sal_plugin_types = { SAL_EXT_VERSION, .joints = joints };\n";

static const char scene[] =
    "{\n"
    "  \"saltus\": 1,\n"
    "  \"name\": \"a mass on a %s\",\n"
    "  \"parameters\": { \"L\": 1.2, \"m\": 2 },\n"
    "  \"points\": {\n"
    "    \"O\": { \"at\": [0, 0], \"fixed\": true },\n"
    "    \"P\": { \"at\": [1, -0.5] }\n"
    "  },\n"
    "  \"bodies\": { \"ball\": { \"type\": \"point_mass\", \"point\": \"P\", \"mass\": \"m\" } },\n"
    "  \"joints\": { \"it\": { \"type\": \"%s\", \"points\": [\"O\", \"P\"], \"length\": \"L\" } },\n"
    "  \"simulation\": { \"duration\": 2 }\n"
    "}\n";

/* The text with every %s replaced; never over a file that exists. */
static bool write_new(const char *folder, const char *prefix, const char *name, const char *suffix, const char *text)
{
    char  path[4200];
    FILE *f;
    bool  good;

    snprintf(path, sizeof path, "%s/%s%s%s", folder, prefix, name, suffix);
    f = fopen(path, "wx");
    if (!f) {
        perror(path);
        return false;
    }
    for (const char *c = text; *c; c++) {
        if (c[0] == '%' && c[1] == 's') fputs(name, f), c++;
        else fputc(*c, f);
    }
    good = !ferror(f);
    good = fclose(f) == 0 && good;
    if (good) return printf("wrote %s\n", path), true;
    perror(path);
    unlink(path);
    return false;
}

/* A name that can stand in C and in a scene. */
static bool valid_name(const char *name)
{
    if (!isalpha((unsigned char)name[0]) || strlen(name) > 40) return false;
    for (const char *c = name; *c; c++) {
        if (!isalnum((unsigned char)*c) && *c != '_') return false;
    }
    return true;
}

static void no_text(void *user, const char *text)
{
    (void)user;
    (void)text;
}

/* Whether there is a type or a section of that name already. */
static bool is_taken(const char *name)
{
    sal_context *context;
    bool         taken;

    if (sal_context_create(NULL, &context) != SAL_OK) return false;
    taken = sal_describe(context, name, no_text, NULL) == SAL_OK;
    sal_context_destroy(&context);
    return taken;
}

int command_new(int argc, char **argv)
{
    const char *folder = ".", *name = argc > 2 ? argv[2] : NULL;

    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) return fputs(help, stdout), EXIT_SUCCESS;
    if (argc == 5 && !strcmp(argv[3], "--folder")) folder = argv[4];
    else if (argc != 3) return fputs(help, stderr), EXIT_USAGE;
    if (strcmp(argv[1], "joint") != 0) {
        return fprintf(stderr, "saltus: new: expected 'joint', found '%s'\n", argv[1]), EXIT_USAGE;
    }
    if (!valid_name(name)) {
        fprintf(stderr, "saltus: new: '%s' cannot be a name in C and in a scene; expected letters, digits and _\n",
                name);
        return EXIT_USAGE;
    }
    if (is_taken(name)) {
        fprintf(stderr, "saltus: new: there is a type '%s' already; choose another name\n", name);
        return EXIT_USAGE;
    }
    if (!write_new(folder, "", name, ".c", source) || !write_new(folder, "test_", name, ".json", scene))
        return EXIT_OUTPUT;
    printf("next: saltus new --help says how to build and verify it\n");
    return EXIT_SUCCESS;
}
