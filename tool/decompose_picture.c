/* Pictures of convex pieces: colours for them, and one mesh per colour to draw. */
#include "tool/decompose.h"

#include "carom/extend.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t tints[] = {0xd9805f, 0x5f9ed1, 0x8fb255, 0xc9a83a, 0x9a7fc4, 0x4fb0a2,
                                 0xd987ac, 0xa8896a, 0x6f86b8, 0xb8c46a, 0xc96a6a, 0x7fbfd6};

enum
{
    COLOURS = sizeof tints / sizeof *tints
};

static carom_status out_of_memory(carom_context *context)
{
    return carom_context_fail(context, CAROM_OUT_OF_MEMORY, "out of memory for the picture of pieces");
}

carom_status decompose_prepare(carom_context *context, const carom_mesh *mesh, const carom_pieces *pieces, bool hulls,
                               decompose_mesh *out)
{
    carom_pieces_info info = carom_pieces_get_info(pieces);
    *out = (decompose_mesh){.mesh = mesh, .pieces = pieces, .piece_count = info.piece_count, .hulls = hulls};
    out->leaf = malloc(((size_t)info.piece_count + 1) * sizeof *out->leaf);
    if (!out->leaf)
        return out_of_memory(context);
    for (uint32_t i = 0; i < info.node_count; i++)
    {
        carom_pieces_node node;
        carom_status status = carom_pieces_get_node(pieces, i, &node);
        if (carom_failed(status))
            return status;
        if (node.child[0] == CAROM_NO_NODE)
            out->leaf[node.piece] = i;
    }
    return CAROM_OK;
}

void decompose_free(decompose_mesh *shown) { free(shown->leaf); }

/* The first colour, counted from the piece's own number, that none of its neighbours has. */
static unsigned char choose_colour(const decompose_mesh *shown, const uint32_t *owner, const unsigned char *colour,
                                   uint32_t piece)
{
    uint32_t count, used = 0;
    const uint32_t *triangles = carom_pieces_triangles(shown->pieces, piece, &count);
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t around[3];
        if (carom_failed(carom_mesh_neighbours(shown->mesh, triangles[i], around)))
            continue;
        for (int k = 0; k < 3; k++)
            if (around[k] != UINT32_MAX && owner[around[k]] < piece)
                used |= 1u << colour[owner[around[k]]];
    }
    uint32_t first = piece * 5 % COLOURS;
    for (uint32_t i = 0; i < COLOURS; i++)
        if (!(used >> (first + i) % COLOURS & 1))
            return (unsigned char)((first + i) % COLOURS);
    return (unsigned char)first;
}

static void choose_colours(const decompose_mesh *shown, uint32_t *owner, unsigned char *colour)
{
    uint32_t count;
    for (uint32_t piece = 0; piece < shown->piece_count; piece++)
    {
        const uint32_t *triangles = carom_pieces_triangles(shown->pieces, piece, &count);
        for (uint32_t i = 0; i < count; i++)
            owner[triangles[i]] = piece;
    }
    for (uint32_t piece = 0; piece < shown->piece_count; piece++)
        colour[piece] = choose_colour(shown, owner, colour, piece);
}

/* Adds the corners of what is shown of a piece; null: only count. */
static size_t add_corners(const decompose_mesh *shown, uint32_t piece, uint32_t *out)
{
    uint32_t count;
    const uint32_t *triangles = carom_pieces_triangles(shown->pieces, piece, &count);
    carom_pieces_node node;
    bool hull = shown->hulls && !carom_failed(carom_pieces_get_node(shown->pieces, shown->leaf[piece], &node));
    if (hull && out)
        memcpy(out, node.facets, 3 * (size_t)node.facet_count * sizeof *out);
    for (uint32_t i = 0; i < count && !hull && out; i++)
        memcpy(out + 3 * (size_t)i, carom_mesh_indices(shown->mesh) + 3 * (size_t)triangles[i], 3 * sizeof *out);
    return 3 * (size_t)(hull ? node.facet_count : count);
}

/* The mesh of all pieces of one colour. */
static carom_status make_mesh(carom_context *context, const decompose_mesh *shown, const unsigned char *colour,
                              unsigned char wanted, carom_mesh **out)
{
    size_t room = 0, filled = 0;
    for (uint32_t piece = 0; piece < shown->piece_count; piece++)
        room += colour[piece] == wanted ? add_corners(shown, piece, NULL) : 0;
    uint32_t *corners = malloc((room + 1) * sizeof *corners);
    if (!corners)
        return out_of_memory(context);
    for (uint32_t piece = 0; piece < shown->piece_count; piece++)
        filled += colour[piece] == wanted ? add_corners(shown, piece, corners + filled) : 0;
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)carom_mesh_vertices(shown->mesh);
    def.vertex_count = carom_mesh_get_info(shown->mesh).vertex_count;
    def.indices_u32 = corners, def.triangle_count = filled / 3;
    carom_status status = carom_mesh_create(context, &def, out);
    free(corners);
    return status;
}

static carom_status draw_colours(carom_context *context, const decompose_mesh *shown, const unsigned char *colour,
                                 const picture_def *def, const char *path)
{
    picture_part parts[COLOURS];
    carom_mesh *meshes[COLOURS] = {NULL};
    uint32_t count = 0;
    carom_status status = CAROM_OK;
    for (unsigned char i = 0; i < COLOURS && !carom_failed(status); i++)
    {
        status = make_mesh(context, shown, colour, i, &meshes[i]);
        if (!carom_failed(status) && carom_mesh_get_info(meshes[i]).triangle_count > 0)
            parts[count++] = (picture_part){.mesh = meshes[i], .pose = carom_pose_identity(), .tint = tints[i]};
    }
    if (!carom_failed(status))
        status = picture_write(context, def, parts, count, path);
    for (int i = 0; i < COLOURS; i++)
        carom_mesh_destroy(meshes[i]);
    return status;
}

carom_status decompose_draw(carom_context *context, const decompose_mesh *shown, const picture_def *def,
                            const char *path)
{
    size_t triangles = carom_mesh_get_info(shown->mesh).triangle_count;
    uint32_t *owner = malloc((triangles + 1) * sizeof *owner);
    unsigned char *colour = malloc((size_t)shown->piece_count + 1);
    carom_status status = CAROM_OK;
    if (!owner || !colour)
        status = out_of_memory(context);
    else
    {
        choose_colours(shown, owner, colour);
        status = draw_colours(context, shown, colour, def, path);
    }
    free(owner);
    free(colour);
    return status;
}
