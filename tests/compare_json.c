/* compare_json.c - are two results of the command the same? Compares what `saltus COMMAND SCENE --json` says with a
 * recording of it.
 *
 *     compare_json RECORDED FOUND [TOLERANCE]
 *
 * Prints each difference beyond the tolerance (1e-12 unless given) and the largest one of all; exit code 0: the same,
 * 1: not, 2: cannot tell.
 *
 * Structure, texts and true and false must be equal. Of numbers |a - b| <= tolerance * scale, where the scale is the
 * largest number of the same kind in either file: a number that is zero by symmetry is 1e-17 of noise beside others of
 * size 1, and must not be held against itself. The kind of a number is its place, except that
 *
 *     x(P), y(P) are one kind, whichever the point; so are vx(P), vy(P): final.q.L01 is all positions by L01
 *     what `multipliers`, `reactions` and `impulses` hold is one kind each: it comes from one solution
 *     energies are one kind, and at least 1 J: they are differences, with a zero at y = 0
 *     the numbers of a list are one kind: parts of an eigenvalue, components of a vector
 *
 * A derivative's scale is at least 1/100 of that of the same quantity by whichever parameter matters most, and every
 * scale is at least 1e-3: a parameter without effect leaves noise in all derivatives by it, a quantity that is zero in
 * all. What a command tells of its own work is no result: a better engine may take other steps. Counts may differ by a
 * factor of ten, residuals and error estimates may not grow tenfold unless they stay below 1e-10; time and file names
 * are not compared. Of what health calls the worst of a kind, which is the noise of some place, where it is nothing beside its
 * limit, only that is compared: it stays nothing. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

enum { PATH_SIZE = 512 };

typedef enum meaning { RESULT, COUNT, RESIDUAL, IGNORED } meaning;

static const struct {
    const char *key;
    meaning     meaning;
} no_results[] = {
    { "scene", IGNORED },     { "seconds", IGNORED },        { "steps", COUNT },
    { "rejected", COUNT },    { "evaluations", COUNT },      { "factorizations", COUNT },
    { "iterations", COUNT },  { "max_phi", RESIDUAL },       { "max_phidot", RESIDUAL },
    { "residual", RESIDUAL }, { "residual_rate", RESIDUAL }, { "energy_drift", RESIDUAL },
};

/* A kind of number, and the largest of it. */
typedef struct kind {
    char  *name;
    double largest;
} kind;

typedef struct comparison {
    double tolerance;
    kind  *kinds;
    size_t count, room;
    long   numbers, wrong;
    double largest; /* difference over scale */
    char   where[PATH_SIZE];
} comparison;

/* Where a walk is: the place as it is, and as a kind. */
typedef struct place {
    char path[PATH_SIZE], kind[PATH_SIZE];
    char key[64]; /* name of the innermost object or list */
} place;

/* They are at the top: a parameter or an output of a scene may have any of these names. */
static meaning meaning_of(const char *path)
{
    for (size_t k = 0; k < sizeof no_results / sizeof no_results[0]; k++) {
        if (!strcmp(no_results[k].key, path)) return no_results[k].meaning;
    }
    return RESULT;
}

static void append(char *text, const char *before, const char *name)
{
    const size_t used = strlen(text);

    snprintf(text + used, PATH_SIZE - used, "%s%s", used ? before : "", name);
}

static const char *kind_of_key(const char *parent, const char *key)
{
    const bool velocity = key[0] == 'v';
    const char axis     = key[velocity];

    if (!strcmp(parent, "multipliers") || !strcmp(parent, "reactions") || !strcmp(parent, "impulses")) return "*";
    if (!strncmp(key, "energy", 6)) return "energy";
    if ((axis == 'x' || axis == 'y') && key[velocity + 1] == '(') return velocity ? "v" : "q";
    return key;
}

static place member_of(const place *p, const char *key)
{
    place inner = *p;

    append(inner.path, ".", key);
    append(inner.kind, ".", kind_of_key(p->key, key));
    snprintf(inner.key, sizeof inner.key, "%s", key);
    return inner;
}

static place element_of(const place *p, const cJSON *element, int index)
{
    place inner = *p;
    char  number[32];

    snprintf(number, sizeof number, "[%d]", index);
    append(inner.path, "", number);
    if (!cJSON_IsNumber(element)) append(inner.kind, "", number);
    return inner;
}

static kind *find_kind(comparison *c, const char *name)
{
    kind *more;

    for (size_t k = 0; k < c->count; k++) {
        if (!strcmp(c->kinds[k].name, name)) return &c->kinds[k];
    }
    if (c->count == c->room) {
        c->room  = 2 * c->room + 64;
        more     = realloc(c->kinds, c->room * sizeof *more);
        c->kinds = more ? more : (fprintf(stderr, "out of memory\n"), exit(2), NULL);
    }
    c->kinds[c->count] = (kind){ .name = strdup(name) };
    return &c->kinds[c->count++];
}

/* Derivatives by each parameter are members of an object "gradient", or of a coordinate ("final" of the sensitivities):
 * the kind of all of them together has no parameter in its name. */
static bool all_parameters(const char *name, char *all)
{
    char *last, *before;

    snprintf(all, PATH_SIZE, "%s", name);
    last = strrchr(all, '.');
    if (!last) return false;
    *last  = '\0';
    before = strrchr(all, '.');
    return before && (!strcmp(before, ".gradient") || !strcmp(all, "final.q") || !strcmp(all, "final.v") ||
                      strstr(all, ".gradient."));
}

static void raise(comparison *c, const char *name, double value)
{
    kind *k = find_kind(c, name);

    if (fabs(value) > k->largest) k->largest = fabs(value);
}

static void gather(comparison *c, const place *p, const cJSON *item)
{
    char         all[PATH_SIZE];
    const cJSON *child;
    int          index = 0;

    if (cJSON_IsNumber(item)) {
        raise(c, p->kind, item->valuedouble);
        if (all_parameters(p->kind, all)) raise(c, all, item->valuedouble);
    }
    cJSON_ArrayForEach(child, item)
    {
        place inner = cJSON_IsObject(item) ? member_of(p, child->string) : element_of(p, child, index++);
        gather(c, &inner, child);
    }
}

static double scale_of(comparison *c, const char *name)
{
    char   all[PATH_SIZE];
    double scale = fmax(find_kind(c, name)->largest, 1e-3);

    if (all_parameters(name, all)) scale = fmax(scale, 0.01 * find_kind(c, all)->largest);
    if (!strcmp(name, "energy") || strstr(name, ".energy")) scale = fmax(scale, 1.0);
    return scale;
}

static void compare_numbers(comparison *c, const place *p, double recorded, double found)
{
    double difference;
    bool   good;

    switch (meaning_of(p->path)) {
    case RESULT:
        difference = fabs(found - recorded) / scale_of(c, p->kind);
        good       = difference <= c->tolerance;
        c->numbers++;
        if (difference > c->largest) {
            c->largest = difference;
            snprintf(c->where, sizeof c->where, "%s", p->path);
        }
        break;
    case COUNT: good = found <= 10.0 * recorded + 10.0 && recorded <= 10.0 * found + 10.0; break;
    case RESIDUAL: good = found <= fmax(10.0 * recorded, 1e-10); break;
    default: good = true; break;
    }
    if (good) return;
    printf("%s: %.17g, recorded %.17g\n", p->path, found, recorded);
    c->wrong++;
}

static void compare(comparison *c, const place *p, const cJSON *recorded, const cJSON *found);

/* Impulses that are exactly zero are not told; where they are noise, they are. */
static void compare_impulses(comparison *c, const place *p, const cJSON *recorded, const cJSON *found)
{
    const cJSON *child, *other;

    cJSON_ArrayForEach(child, recorded)
    {
        const place inner = member_of(p, child->string);
        other             = cJSON_GetObjectItemCaseSensitive(found, child->string);
        compare_numbers(c, &inner, child->valuedouble, other ? other->valuedouble : 0.0);
    }
    cJSON_ArrayForEach(child, found)
    {
        const place inner = member_of(p, child->string);
        if (!cJSON_GetObjectItemCaseSensitive(recorded, child->string))
            compare_numbers(c, &inner, 0.0, child->valuedouble);
    }
}

/* An item of health.worst is a thousandth of its limit, or less: where and when that is says rounding. */
static bool is_nothing(const cJSON *item)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(item, "value"),
                *limit = cJSON_GetObjectItemCaseSensitive(item, "limit");

    return cJSON_IsNumber(value) && cJSON_IsNumber(limit) && value->valuedouble <= 1e-3 * limit->valuedouble;
}

static void compare_children(comparison *c, const place *p, const cJSON *recorded, const cJSON *found)
{
    const cJSON *child, *other;
    int          index = 0;

    if (!strncmp(p->path, "health.worst.", 13) && is_nothing(recorded) && is_nothing(found)) return;
    if (!strcmp(p->key, "impulses")) {
        compare_impulses(c, p, recorded, found);
        return;
    }
    if (cJSON_IsArray(recorded) &&
        cJSON_GetArraySize(recorded) != cJSON_GetArraySize(found)) { /* objects may say more */
        printf("%s: %d items, recorded %d\n", p->path, cJSON_GetArraySize(found), cJSON_GetArraySize(recorded));
        c->wrong++;
        return;
    }
    cJSON_ArrayForEach(child, recorded)
    {
        const bool  member = cJSON_IsObject(recorded);
        const place inner  = member ? member_of(p, child->string) : element_of(p, child, index);
        other = member ? cJSON_GetObjectItemCaseSensitive(found, child->string) : cJSON_GetArrayItem(found, index);
        index++;
        compare(c, &inner, child, other);
    }
}

static void compare(comparison *c, const place *p, const cJSON *recorded, const cJSON *found)
{
    if (meaning_of(p->path) == IGNORED) return;
    if (!found || (found->type & 0xff) != (recorded->type & 0xff)) {
        printf("%s: %s\n", p->path, found ? "of another type than recorded" : "missing");
        c->wrong++;
        return;
    }
    if (cJSON_IsNumber(recorded)) compare_numbers(c, p, recorded->valuedouble, found->valuedouble);
    if (cJSON_IsString(recorded) && strcmp(recorded->valuestring, found->valuestring)) {
        printf("%s: \"%s\", recorded \"%s\"\n", p->path, found->valuestring, recorded->valuestring);
        c->wrong++;
    }
    if (cJSON_IsObject(recorded) || cJSON_IsArray(recorded)) compare_children(c, p, recorded, found);
}

static cJSON *load(const char *file)
{
    enum { ROOM = 1 << 22 };
    FILE  *f    = fopen(file, "rb");
    char  *text = calloc(1, ROOM);
    cJSON *root = NULL;

    if (f && text && fread(text, 1, ROOM, f) < ROOM) root = cJSON_Parse(text);
    if (f) fclose(f);
    free(text);
    if (!root) fprintf(stderr, "%s: cannot be read as JSON\n", file);
    return root;
}

int main(int argc, char **argv)
{
    comparison c        = { .tolerance = argc > 3 ? atof(argv[3]) : 1e-12 };
    cJSON     *recorded = argc > 2 ? load(argv[1]) : NULL, *found = argc > 2 ? load(argv[2]) : NULL;
    place      root     = { "", "", "" };
    bool       readable = recorded && found;

    if (argc < 3) fprintf(stderr, "compare_json RECORDED FOUND [TOLERANCE]\n");
    if (readable) {
        gather(&c, &root, recorded);
        gather(&c, &root, found);
        compare(&c, &root, recorded, found);
        printf("%ld numbers, %ld differences beyond %g; largest %.2g%s%s\n", c.numbers, c.wrong, c.tolerance, c.largest,
               c.where[0] ? " at " : "", c.where);
    }
    for (size_t k = 0; k < c.count; k++) free(c.kinds[k].name);
    free(c.kinds);
    cJSON_Delete(recorded);
    cJSON_Delete(found);
    return !readable ? 2 : c.wrong ? 1 : 0;
}
