/* A real baked block with damage under a right checksum: refused, or two objects that answer like all pairs do.
 *
 * Input: which tree of which mesh, then patches of eight bytes: what to do, where, with which word. */
#include "fuzz/fuzz.h"

#include "support/placed.h"
#include "tree/baked.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    HEAD = 3, /* kind, shape, size */
    PATCH = 8
};

/* ---- the block ---- */

/* Up to 17 triangles over 64 vertices of a lattice or a curve: strips, soups, repeated corners. */
static carom_mesh *make_mesh(carom_context *context, uint8_t shape, uint8_t size)
{
    enum
    {
        VERTICES = 64,
        TRIANGLES = 18
    };
    double vertices[3 * VERTICES];
    uint32_t indices[3 * TRIANGLES], count = size % TRIANGLES;
    for (uint32_t i = 0; i < 3 * VERTICES; i++)
        vertices[i] = shape & 1 ? (double)((i * 7 + i / 3 * shape) % 5) : (double)(i * i % 97) * 0.125;
    for (uint32_t i = 0; i < 3 * count; i++)
        indices[i] = shape & 2 ? i / 3 + i % 3 : i * (5u + (shape >> 2)) % VERTICES;
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)vertices, def.vertex_count = VERTICES;
    def.indices_u32 = (const uint32_t *)indices, def.triangle_count = count;
    carom_mesh *mesh = NULL;
    demand(carom_mesh_create(context, &def, &mesh) == CAROM_OK);
    return mesh;
}

static carom_tree_def kind_of(uint8_t kind)
{
    carom_tree_def def = carom_tree_def_preset((carom_tree_preset)(kind % 3));
    def.builder = (carom_builder)(kind % CAROM_BUILDER_COUNT);
    if (kind & 0x80)
    {
        def.layout = CAROM_LAYOUT_BINARY;
        def.volume = (carom_volume)((kind >> 3) % CAROM_VOLUME_COUNT);
        def.leaf_size = 1 + kind % 3;
    }
    return def;
}

typedef struct block
{
    unsigned char *bytes;
    size_t size;
} block;

/* A copy with room for `extra` more bytes. */
static block make_block(carom_context *context, const uint8_t *head, size_t extra)
{
    carom_mesh *mesh = make_mesh(context, head[1], head[2]);
    carom_tree_def def = kind_of(head[0]);
    carom_tree *tree = NULL;
    void *baked = NULL;
    block out;
    demand(carom_tree_create(context, mesh, &def, &tree) == CAROM_OK);
    demand(carom_bake(context, tree, &baked, &out.size) == CAROM_OK);
    out.bytes = malloc(out.size + extra);
    demand(out.bytes != NULL);
    memcpy(out.bytes, baked, out.size);
    carom_baked_destroy(context, baked, out.size);
    carom_tree_destroy(tree);
    carom_mesh_destroy(mesh);
    return out;
}

/* ---- damage ---- */

static void apply(block *b, const uint8_t *patch)
{
    uint32_t where, word;
    memcpy(&word, patch + 4, sizeof word);
    where = (uint32_t)patch[1] | (uint32_t)patch[2] << 8 | (uint32_t)patch[3] << 16;
    size_t at = where % b->size, at_word = where % (b->size / 4) * 4, at_eight = where % (b->size / 8) * 8;
    uint32_t old;
    memcpy(&old, b->bytes + at_word, sizeof old);
    switch (patch[0] % 6)
    {
    case 0: b->bytes[at] ^= (unsigned char)word; return;
    case 1: old = word; break;
    case 2: old += word % 17 - 8; break;
    case 3: /* a word from elsewhere */ memcpy(&old, b->bytes + word % (b->size / 4) * 4, sizeof old); break;
    case 4: /* eight bytes more */
        memmove(b->bytes + at_eight + 8, b->bytes + at_eight, b->size - at_eight);
        b->size += 8;
        return;
    default: /* or fewer */
        if (b->size <= sizeof(baked_header) + 8)
            return;
        b->size -= 8;
        memmove(b->bytes + at_eight, b->bytes + at_eight + 8, b->size + 8 > at_eight + 8 ? b->size - at_eight : 0);
        return;
    }
    memcpy(b->bytes + at_word, &old, sizeof old);
}

/* What every block must say of itself is put right, so that the rest is looked at. */
static void seal(block *b)
{
    baked_header header;
    memcpy(&header, b->bytes, sizeof header);
    memcpy(header.magic, "carombak", sizeof header.magic);
    header.byte_order = BAKED_BYTE_ORDER, header.format = BAKED_FORMAT, header.size = b->size;
    memcpy(b->bytes, &header, sizeof header);
    header.checksum = baked_checksum(b->bytes, b->size);
    memcpy(b->bytes, &header, sizeof header);
}

/* ---- questions ---- */

static void check_pairs(carom_query *query, const carom_placed *a, const carom_placed *b)
{
    narrow_counts counts = {0};
    uint64_t pairs = 0;
    narrow_closest nearest;
    narrow_closest_begin(&nearest, INFINITY);
    for (uint32_t i = 0; i < a->shape.mesh->triangle_count; i++)
        for (uint32_t j = 0; j < b->shape.mesh->triangle_count; j++)
        {
            narrow_triangle s = placed_triangle(a, i), t = placed_triangle(b, j);
            pairs += narrow_meet(&s, &t, &counts) != CAROM_MEET_NONE;
            narrow_offer(&nearest, &s, &t, (carom_pair){i, j, 0}, &counts);
        }
    narrow_closest_settle(&nearest, &counts);
    carom_collide_options options = carom_collide_options_default();
    options.relation = options.contacts = true;
    carom_report report;
    demand(carom_collide(query, a, b, &options, &report) == CAROM_OK && report.pair_count == pairs);
    demand(carom_distance(query, a, b, NULL, &report) == CAROM_OK && report.distance == nearest.distance);
}

static void check_ray(carom_query *query, const carom_placed *placed)
{
    carom_ray ray = {{-1.0, 0.75, 1.25}, {1.0, 0.125, 0.0625}, INFINITY};
    carom_ray_report report;
    uint64_t hits = 0;
    narrow_counts counts = {0};
    for (uint32_t i = 0; i < placed->shape.mesh->triangle_count; i++)
    {
        narrow_triangle triangle = placed_triangle(placed, i);
        double t, uv[2];
        hits += narrow_ray_hit(&(narrow_ray){ray.origin, ray.direction}, &triangle, &t, uv, &counts);
    }
    demand(carom_ray_cast(query, placed, &ray, CAROM_RAY_ALL, &report) == CAROM_OK && report.hit_count == hits);
}

static void use(carom_context *context, const carom_mesh *mesh, carom_tree *tree)
{
    const double root_half = 0.70710678118654752440;
    carom_pose turned = {{root_half, -root_half, 0, root_half, root_half, 0, 0, 0, 1}, {0.5, 0.25, 0.125}};
    carom_query *query;
    demand(carom_query_create(context, &query) == CAROM_OK);
    carom_placed a = {pair_shape(tree), carom_pose_identity()}, b = {pair_shape(tree), turned};
    carom_placed target = {carom_shape_tree(tree), turned};
    check_pairs(query, &a, &b);
    check_ray(query, &target);
    demand(carom_tree_refit(tree, mesh) == CAROM_OK);
    check_pairs(query, &b, &a);
    carom_query_destroy(query);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    carom_context *context;
    if (size < HEAD || carom_context_create(NULL, &context) != CAROM_OK)
        return 0;
    size_t patches = (size - HEAD) / PATCH;
    block b = make_block(context, bytes, 8 * patches);
    for (size_t i = 0; i < patches; i++)
        apply(&b, bytes + HEAD + i * PATCH);
    seal(&b);
    carom_mesh *mesh = NULL;
    carom_tree *tree = NULL;
    carom_status status = carom_unbake(context, b.bytes, b.size, &mesh, &tree);
    demand(patches > 0 ? status == CAROM_OK || status == CAROM_BAD_DATA : status == CAROM_OK);
    demand((status == CAROM_OK) == (mesh && tree));
    if (status == CAROM_OK)
        use(context, mesh, tree);
    carom_tree_destroy(tree);
    carom_mesh_destroy(mesh);
    free(b.bytes);
    carom_context_destroy(context);
    return 0;
}
