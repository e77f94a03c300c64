/* carom/shape.h: the shape of a body, as a value, and its place in the world.
 *
 *   carom_placed a = {carom_shape_mesh(mesh), carom_pose_identity()};
 *   carom_placed b = {carom_shape_sphere(0.5), carom_pose_translation(1, 0, 0)};
 *
 * A shape is defined by points in the body's frame. The pose places these points in the world, rounded as carom_pose
 * says, and answers are exact for the shape that the placed points define. A mesh is a surface, and its triangles are
 * its elements. A primitive is a solid (all points within a radius of its core) with the single element 0. */
#ifndef CAROM_SHAPE_H
#define CAROM_SHAPE_H

#include "carom/mesh.h"
#include "carom/tree.h"

#ifdef __cplusplus
extern "C"
{
#endif

    typedef enum carom_shape_kind
    {
        CAROM_SHAPE_NONE = 0, /* a shape that was never set; refused everywhere */
        CAROM_SHAPE_MESH = 1,
        CAROM_SHAPE_SPHERE = 2,
        CAROM_SHAPE_CAPSULE = 3,
        CAROM_SHAPE_KIND_COUNT = 4
    } carom_shape_kind;

    CAROM_API const char *carom_shape_kind_name(carom_shape_kind kind); /* "mesh", ...; null out of range */

    /* All points within the radius of the centre. */
    typedef struct carom_sphere
    {
        carom_vec3 centre; /* body frame */
        double radius;     /* 0 .. 2^100; 0: a point */
    } carom_sphere;

    /* All points within the radius of the segment between two points. */
    typedef struct carom_capsule
    {
        carom_vec3 ends[2]; /* body frame; equal ends: a sphere */
        double radius;      /* 0 .. 2^100; 0: a segment */
    } carom_capsule;

    /* A small tagged union that may be copied freely. The objects it points to are the caller's; scenes and snapshots
     * hold their own references. */
    typedef struct carom_shape
    {
        carom_shape_kind kind;
        union
        {
            const carom_mesh *mesh;
            carom_sphere sphere;
            carom_capsule capsule;
            uint64_t reserved[8]; /* room for future kinds */
        };
        const carom_tree *tree; /* of the mesh; null: the mesh's own default tree, built when first needed */
    } carom_shape;

    CAROM_API carom_shape carom_shape_mesh(const carom_mesh *mesh);
    CAROM_API carom_shape carom_shape_tree(const carom_tree *tree); /* the tree's mesh, queried with this tree */
    CAROM_API carom_shape carom_shape_sphere(double radius);        /* around the body's origin */
    CAROM_API carom_shape carom_shape_capsule(carom_vec3 end_0, carom_vec3 end_1, double radius);

    /* A shape and its pose. A mesh must be of the same context as the query or scene it is passed to. Any two trees can
     * be combined, except that a tree for rays answers ray queries only. */
    typedef struct carom_placed
    {
        carom_shape shape;
        carom_pose pose;
    } carom_placed;

    /* The number of elements: the triangles of a mesh, 1 for a primitive. */
    CAROM_API uint32_t carom_shape_element_count(const carom_shape *shape);

#ifdef __cplusplus
}
#endif

#endif
