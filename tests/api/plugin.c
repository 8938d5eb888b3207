/* plugin.c - a plug-in with one joint: a spring that wants to have no length. */
#include <stddef.h>

#include <saltus/ext.h>

typedef struct elastic {
    sal_point ends[2];
    sal_slot  stiffness;
} elastic;

static const sal_field fields[] = {
    { "points", SAL_F_PAIR, offsetof(elastic, ends), .help = "the two ends" },
    { "stiffness", SAL_F_VALUE, offsetof(elastic, stiffness), "N/m", .help = "force per length",
      .range = SAL_POSITIVE },
};

static void emit(const void *self, sal_builder *b)
{
    const elastic *e    = self;
    const sal_slot zero = sal_derive(b, "0*k", (sal_bind[]){ { "k", e->stiffness }, { 0 } });

    sal_add_spring(b, e->ends[0], e->ends[1], e->stiffness, zero, zero);
    sal_draw_spring(b, e->ends[0], e->ends[1]);
}

static const sal_type type = { "elastic_band",    "a spring without a natural length",
                               sizeof(elastic),   fields,
                               SAL_COUNT(fields), .emit = emit };

static const sal_type *const joints[] = { &type, NULL };

SAL_API extern const sal_plugin sal_plugin_types;
const sal_plugin                sal_plugin_types = { SAL_EXT_VERSION, .joints = joints };
