/* carom/tree.h: bounding volume trees over a mesh.
 *
 * A tree is built once, const afterwards, and may be shared between threads. The default is the fastest collision tree:
 * oriented boxes, eight children per node. The other volumes and builders are there for comparison, and for the cases
 * where they are faster. */
#ifndef CAROM_TREE_H
#define CAROM_TREE_H

#include "carom/mesh.h"

#ifdef __cplusplus
extern "C"
{
#endif

    typedef struct carom_tree carom_tree;

    typedef enum carom_volume
    {
        CAROM_VOLUME_OBB = 0,
        CAROM_VOLUME_AABB = 1,
        CAROM_VOLUME_KDOP6 = 2, /* fixed-direction hulls with 6, 14, 18, 26 half-spaces */
        CAROM_VOLUME_KDOP14 = 3,
        CAROM_VOLUME_KDOP18 = 4,
        CAROM_VOLUME_KDOP26 = 5,
        CAROM_VOLUME_SPHERE = 6,
        CAROM_VOLUME_RSS = 7, /* rectangle swept by a sphere */
        CAROM_VOLUME_COUNT = 8
    } carom_volume;

    typedef enum carom_builder
    {
        CAROM_BUILDER_SAH = 0,      /* top-down, binned surface area heuristic */
        CAROM_BUILDER_MEDIAN = 1,   /* top-down, half of the triangles on each side along the longest axis */
        CAROM_BUILDER_MEAN = 2,     /* top-down, split at the mean centroid along the largest spread */
        CAROM_BUILDER_VOLUME = 3,   /* top-down, smallest total volume of the two children (chapter, eq. 25.2) */
        CAROM_BUILDER_BALANCED = 4, /* top-down, smallest |n_left - n_right| + lambda n_cross; crossing triangles go to
                                       both children (thesis, eq. 4-1, 4-2) */
        CAROM_BUILDER_BOTTOM_UP = 5,
        CAROM_BUILDER_INSERTION = 6,
        CAROM_BUILDER_MORTON = 7,
        CAROM_BUILDER_COUNT = 8
    } carom_builder;

    typedef enum carom_obb_fit
    {
        CAROM_OBB_COVARIANCE = 0,    /* principal axes of the vertices */
        CAROM_OBB_AREA_WEIGHTED = 1, /* principal axes of the surface (grid paper, eq. 1-5) */
        CAROM_OBB_TIGHT = 2          /* principal axes of the surface, then a small search over rotations */
    } carom_obb_fit;

    typedef enum carom_layout
    {
        CAROM_LAYOUT_WIDE = 0,  /* eight children per node in SIMD lanes; OBB (collision) and AABB (rays) only */
        CAROM_LAYOUT_BINARY = 1 /* two children per node; every volume */
    } carom_layout;

    typedef enum carom_tree_preset
    {
        CAROM_TREE_FAST = 0,  /* wide OBB, quick to build */
        CAROM_TREE_TIGHT = 1, /* wide OBB, slower to build, fastest to query */
        CAROM_TREE_RAYS = 2   /* wide AABB */
    } carom_tree_preset;

    typedef struct carom_tree_def
    {
        carom_volume volume;
        carom_layout layout;
        carom_builder builder;
        carom_obb_fit obb_fit;
        uint32_t leaf_size; /* maximum number of triangles in a leaf; 0: suitable for the layout */
        /* CAROM_BUILDER_BALANCED */
        double balance_penalty; /* lambda */
        uint32_t depth_limit;   /* levels of splits below the root, up to 96; 0: grows with the number of triangles */
        bool keep_large_leaves; /* the thesis's stopping rules: a node that is too deep, or has a child nearly as large
                                   as itself, becomes a leaf of whatever size. Binary layout only. false: such a node is
                                   halved without duplicates until its leaves hold no more than leaf_size */
    } carom_tree_def;

    CAROM_API carom_tree_def carom_tree_def_default(void); /* CAROM_TREE_FAST */
    CAROM_API carom_tree_def carom_tree_def_preset(carom_tree_preset preset);

    /* The tree holds a reference to the mesh. def may be null for the default. Trees are reference-counted like meshes:
     * scenes and snapshots hold their own references. */
    CAROM_API carom_status carom_tree_create(carom_context *context, const carom_mesh *mesh, const carom_tree_def *def,
                                             carom_tree **out);
    CAROM_API void carom_tree_destroy(carom_tree *tree);
    CAROM_API const carom_tree *carom_tree_retain(const carom_tree *tree); /* returns its argument */
    CAROM_API const carom_mesh *carom_tree_mesh(const carom_tree *tree);

    /* A mesh owns its default trees, one for pairs and one for rays, which all queries, scenes and threads share. They
     * are built when first needed. This function builds one now (CAROM_TREE_RAYS: the one for rays; otherwise the one
     * for pairs) and does nothing if it exists already. May be called from several threads. */
    CAROM_API carom_status carom_mesh_prepare(const carom_mesh *mesh, carom_tree_preset preset);

    /* Fits the tree's volumes to a mesh with the same triangles but other positions; the structure stays the same.
     * Nothing else may use the tree meanwhile. Afterwards it is a tree of `deformed`. If most vertices have not moved,
     * only the volumes affected are recomputed. */
    CAROM_API carom_status carom_tree_refit(carom_tree *tree, const carom_mesh *deformed);

    typedef struct carom_tree_info
    {
        carom_tree_def def;
        uint32_t node_count;
        uint32_t leaf_count;
        uint32_t depth;
        uint64_t reference_count; /* triangles in all leaves; more than in the mesh if the builder duplicates some */
        size_t bytes;             /* of the tree without the mesh */
        double bytes_per_triangle;
        double area_cost;   /* sum of inner node areas / root area + leaf areas times triangles / root area */
        double volume_cost; /* the same with volumes */
        double build_ms;
    } carom_tree_info;

    CAROM_API carom_tree_info carom_tree_get_info(const carom_tree *tree);

    CAROM_API const char *carom_volume_name(carom_volume volume);    /* "obb", "kdop14", ...; null out of range */
    CAROM_API const char *carom_builder_name(carom_builder builder); /* "sah", "morton", ...; null out of range */

    /* ---- baked: a mesh and its tree as one relocatable block ---- */

    /* Writes both into one block of *size bytes from the context's allocator; free it with carom_baked_destroy. Equal
     * input gives equal bytes. */
    CAROM_API carom_status carom_bake(carom_context *context, const carom_tree *tree, void **out, size_t *size);
    CAROM_API void carom_baked_destroy(carom_context *context, void *block, size_t size);

    /* Copies and validates a block: any bytes whatsoever give either two usable objects or CAROM_BAD_DATA (or
     * CAROM_OUT_OF_MEMORY). The volumes are recomputed around the block's triangles, so even for a forged
     * block with a valid checksum, pairs, distances and rays are right for those triangles. The topology is not
     * recomputed: for a forged block, whether the mesh is closed, and relations that depend on that, may be wrong.
     * Destroy the tree first. */
    CAROM_API carom_status carom_unbake(carom_context *context, const void *block, size_t size, carom_mesh **mesh,
                                        carom_tree **tree);

    /* carom_tree_create with a cache: a folder of baked trees, keyed by a hash of the mesh's geometry and the def. If a
     * file is missing, damaged or of another version, the tree is built and then stored. A folder that can't be written
     * causes a warning in the log. Several processes may share a folder. */
    CAROM_API carom_status carom_tree_create_cached(carom_context *context, const carom_mesh *mesh,
                                                    const carom_tree_def *def, const char *folder, carom_tree **out);

    /* Removes files of such a cache, those used longest ago first, until the others have at most max_bytes together;
     * also what writing left behind when it was interrupted an hour ago or earlier. Other files stay, whatever their
     * names. CAROM_IO_ERROR if the folder can't be listed or a file can't be removed. */
    CAROM_API carom_status carom_tree_cache_trim(carom_context *context, const char *folder, uint64_t max_bytes);

#ifdef __cplusplus
}
#endif

#endif
