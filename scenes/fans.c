/* Fans of triangles: cones and what resembles them. */
#include "scenes/fans.h"

#include <math.h>
#include <stdlib.h>

typedef struct fans_list
{
    carom_vec3 *points;
    uint32_t *corners; /* 3 per triangle */
    uint32_t point_count, count;
} fans_list;

static uint32_t add_point(fans_list *list, double x, double y, double z)
{
    list->points[list->point_count] = (carom_vec3){x, y, z};
    return list->point_count++;
}

static void add(fans_list *list, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *out = list->corners + 3 * (size_t)list->count++;
    out[0] = a, out[1] = b, out[2] = c;
}

/* A triangle apart from the others. */
static void add_needle(fans_list *list)
{
    uint32_t first = add_point(list, 0.5, 0.1, -1);
    add_point(list, 0.5, 0.1, 1), add_point(list, 0.55, 0.12, 1);
    add(list, first, first + 1, first + 2);
}

/* ---- rims ---- */

typedef struct fans_rim
{
    uint32_t first, count;
} fans_rim;

static double random_height(uint32_t i)
{
    uint64_t mixed = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return (double)((mixed ^ mixed >> 29) % 1024) / 1024;
}

static double height_at(fans_kind kind, uint32_t i, uint32_t count)
{
    switch (kind)
    {
    case FANS_WAVY:
    case FANS_WAVY_BICONE:
    case FANS_WAVY_TWICE: return i % 2 ? 0.125 : 0;
    case FANS_RANDOM: return random_height(i);
    case FANS_SADDLE: return cos(4 * 3.14159265358979323846 * i / count);
    default: return 0;
    }
}

static fans_rim add_rim(fans_list *list, fans_kind kind, uint32_t count, double radius, double height)
{
    fans_rim rim = {list->point_count, count};
    for (uint32_t i = 0; i < count; i++)
    {
        double angle = 2 * 3.14159265358979323846 * i / count, r = kind == FANS_STAR && i % 2 ? 0.75 * radius : radius;
        add_point(list, r * cos(angle), r * sin(angle), height + height_at(kind, i, count));
    }
    return rim;
}

static uint32_t rim_point(const fans_rim *rim, uint32_t i) { return rim->first + i % rim->count; }

static void add_fan(fans_list *list, const fans_rim *rim, uint32_t apex, bool down)
{
    for (uint32_t i = 0; i < rim->count; i++)
        add(list, apex, rim_point(rim, down ? i + 1 : i), rim_point(rim, down ? i : i + 1));
}

/* ---- kinds ---- */

static void add_closed_cone(fans_list *list, uint32_t count)
{
    fans_rim rim = add_rim(list, FANS_CLOSED_CONE, count / 2, 1, 0);
    add_fan(list, &rim, add_point(list, 0, 0, 1), false);
    for (uint32_t i = 1; i + 1 < rim.count; i++)
        add(list, rim_point(&rim, 0), rim_point(&rim, i + 1), rim_point(&rim, i));
}

static void add_collar(fans_list *list, uint32_t count)
{
    fans_rim rim = add_rim(list, FANS_COLLAR, count / 3, 1, 0), wide = add_rim(list, FANS_COLLAR, count / 3, 2, 0.5);
    add_fan(list, &rim, add_point(list, 0, 0, 1), false);
    for (uint32_t i = 0; i < rim.count; i++)
    {
        add(list, rim_point(&rim, i), rim_point(&wide, i), rim_point(&wide, i + 1));
        add(list, rim_point(&rim, i), rim_point(&wide, i + 1), rim_point(&rim, i + 1));
    }
}

static void add_tuft(fans_list *list, uint32_t count)
{
    fans_rim rim = add_rim(list, FANS_TUFT, count / 2, 1, 0);
    uint32_t apex = add_point(list, 0, 0, 1);
    for (uint32_t i = 0; i + 1 < rim.count; i += 2)
    {
        carom_vec3 a = list->points[rim_point(&rim, i)], b = list->points[rim_point(&rim, i + 1)];
        double drop = 0.5 * hypot(b.x - a.x, b.y - a.y);
        uint32_t base[4] = {rim_point(&rim, i), add_point(list, 0.5 * (a.x + b.x), 0.5 * (a.y + b.y), -drop),
                            rim_point(&rim, i + 1), add_point(list, 0.5 * (a.x + b.x), 0.5 * (a.y + b.y), drop)};
        for (int k = 0; k < 4; k++)
            add(list, apex, base[k], base[(k + 1) % 4]);
    }
}

static void add_book(fans_list *list, uint32_t count, bool bent)
{
    uint32_t pages = bent ? count / 2 : count, low = add_point(list, 0, 0, 0), high = add_point(list, 0, 0, 1);
    for (uint32_t i = 0; i < pages; i++)
    {
        double angle = 2 * 3.14159265358979323846 * i / pages, further = angle - 0.5 / pages;
        uint32_t edge = add_point(list, cos(angle), sin(angle), 0.5);
        add(list, low, edge, high);
        if (bent)
            add(list, high, edge, add_point(list, 1.5 * cos(further), 1.5 * sin(further), 1.5));
    }
}

static void add_kind(fans_list *list, fans_kind kind, uint32_t count)
{
    switch (kind)
    {
    case FANS_CLOSED_CONE: add_closed_cone(list, count); return;
    case FANS_COLLAR: add_collar(list, count); return;
    case FANS_TUFT: add_tuft(list, count); return;
    case FANS_BOOK:
    case FANS_BENT_BOOK: add_book(list, count, kind == FANS_BENT_BOOK); return;
    default: break;
    }
    bool twice = kind == FANS_BICONE || kind == FANS_WAVY_BICONE || kind == FANS_WAVY_TWICE;
    bool flat = kind == FANS_FLAT || kind == FANS_FLAT_PIERCED;
    fans_rim rim = add_rim(list, kind, (twice ? count / 2 : count) / 2 * 2, 1, 0);
    uint32_t apex = add_point(list, 0, 0, flat || kind == FANS_SADDLE ? 0 : 1);
    add_fan(list, &rim, apex, false);
    if (twice)
        add_fan(list, &rim, kind == FANS_WAVY_TWICE ? apex : add_point(list, 0, 0, -1), kind != FANS_WAVY_TWICE);
    if (kind == FANS_FLAT_PIERCED || kind == FANS_CONE_PIERCED)
        add_needle(list);
}

const char *fans_name(fans_kind kind)
{
    static const char *const names[FANS_COUNT] = {
        "cone",   "closed cone", "bicone", "wavy fan", "wavy bicone",       "doubled fan",
        "star",   "random fan",  "saddle", "flat fan", "flat fan, pierced", "cone, pierced",
        "collar", "tuft",        "book",   "bent book"};
    return kind < FANS_COUNT ? names[kind] : "?";
}

carom_status fans_make(carom_context *context, fans_kind kind, uint32_t triangles, carom_mesh **out)
{
    uint32_t count = triangles < 16 ? 16 : triangles;
    fans_list list = {.points = malloc((2 * (size_t)count + 16) * sizeof *list.points),
                      .corners = malloc(3 * ((size_t)count + 16) * sizeof *list.corners)};
    carom_status status = CAROM_OUT_OF_MEMORY;
    *out = NULL;
    if (list.points && list.corners)
    {
        add_kind(&list, kind, count);
        carom_mesh_def def = carom_mesh_def_default();
        def.vertices_f64 = &list.points[0].x, def.vertex_count = list.point_count, def.indices_u32 = list.corners;
        def.triangle_count = list.count, def.name = fans_name(kind);
        status = carom_mesh_create(context, &def, out);
    }
    free(list.points);
    free(list.corners);
    return status;
}
