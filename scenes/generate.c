/* The table of kinds, and how a def becomes a mesh. */
#include "scenes/generate.h"

#include "scenes/shapes.h"

#include <string.h>

typedef struct kind_row
{
    generate_info info;
    void (*add)(shape *shape, const generate_def *def);
} kind_row;

static const kind_row KINDS[GENERATE_KIND_COUNT] = {
    [GENERATE_BOX] = {{"box", "cube with subdivided faces", true, 12}, shapes_box},
    [GENERATE_UV_SPHERE] = {{"uv-sphere", "sphere of meridians and parallels", true, 6}, shapes_uv_sphere},
    [GENERATE_ICO_SPHERE] = {{"ico-sphere", "sphere of about equal triangles", true, 20}, shapes_ico_sphere},
    [GENERATE_TORUS] = {{"torus", "ring", true, 18}, shapes_torus},
    [GENERATE_TORUS_KNOT] = {{"torus-knot", "trefoil tube", true, 144}, shapes_torus_knot},
    [GENERATE_BLOB] = {{"blob", "sphere dented by noise", true, 20}, shapes_blob},
    [GENERATE_TETRAHEDRON] = {{"tetrahedron", "regular, with subdivided faces", true, 4}, shapes_tetrahedron},
    [GENERATE_CYLINDER] = {{"cylinder", "twice as long as wide", true, 12}, shapes_cylinder},
    [GENERATE_GEAR] = {{"gear", "spur gear with a bore", true, 192}, shapes_gear},
    [GENERATE_PIPE_NETWORK] = {{"pipe-network", "slanted, bent and branching pipes", true, 300}, shapes_pipe_network},
    [GENERATE_HAND] = {{"hand", "palm and five bent fingers", true, 180}, shapes_hand},
    [GENERATE_RUBBLE] = {{"rubble", "convex fragment of rock", true, 4}, shapes_rubble},
    [GENERATE_GALLERY] = {{"gallery", "winding mine tunnel with thick walls", true, 96}, shapes_gallery},
    [GENERATE_STRATUM] = {{"stratum", "undulating layer of rock", true, 12}, shapes_stratum},
    [GENERATE_TERRAIN] = {{"terrain", "open height field", false, 2}, shapes_terrain},
    [GENERATE_CLOTH] = {{"cloth", "open sheet with folds", false, 2}, shapes_cloth},
    [GENERATE_SIEVE] = {{"sieve", "plate with 2 to 5 holes, by the seed", true, 208}, shapes_sieve},
};

static bool is_known(generate_kind kind) { return (unsigned)kind < GENERATE_KIND_COUNT; }

const generate_info *generate_get_info(generate_kind kind) { return is_known(kind) ? &KINDS[kind].info : NULL; }

bool generate_find(const char *name, generate_kind *out)
{
    for (int kind = 0; name && kind < GENERATE_KIND_COUNT; kind++)
        if (strcmp(name, KINDS[kind].info.name) == 0)
            return *out = (generate_kind)kind, true;
    return false;
}

generate_def generate_def_default(generate_kind kind)
{
    return (generate_def){.kind = kind, .triangles = 1000, .seed = 1, .size = 1.0};
}

carom_status generate_mesh(carom_context *context, const generate_def *def, carom_mesh **out)
{
    if (out)
        *out = NULL;
    if (!context || !def || !out || !is_known(def->kind) || !(def->size > 0.0 && def->size <= 0x1p100))
        return CAROM_INVALID_ARGUMENT;
    const kind_row *row = &KINDS[def->kind];
    generate_def chosen = *def;
    if (chosen.triangles < row->info.min_triangles)
        chosen.triangles = row->info.min_triangles;
    shape made = shape_begin();
    row->add(&made, &chosen);
    shape_fill(&made, chosen.triangles);
    return shape_finish(&made, context, def->name ? def->name : row->info.name, out);
}
