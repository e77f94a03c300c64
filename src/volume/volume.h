/* volume: bounding volumes as a few floats each, rounded outwards. Fit, merge, tests under a relative pose, rays.
 *
 * Every test is conservative: it accounts for the rounding of the stored floats, of its own arithmetic, and for the
 * placement error that the relative pose carries. Coordinates up to 2^100, and down to nothing.
 *
 *   AABB, k-DOP   low[k/2], high[k/2] along fixed directions (AABB: x, y, z)
 *   OBB           centre[3], axes[9] (axis after axis), half[3]     { centre + sum x_i axis_i, |x_i| <= half_i }
 *   RSS           centre[3], axes[9], half[2], radius               the rectangle of the first two axes, swept
 *   sphere        centre[3], radius */
#ifndef VOLUME_VOLUME_H
#define VOLUME_VOLUME_H

#include "carom/tree.h"
#include "math/math.h"

enum
{
    VOLUME_FLOATS_MAX = 26,
    VOLUME_SLABS_MAX = 13
};

/* Triangles to enclose: indices[3 t ..] for t in triangles (null: 0 .. count - 1). Coordinates are taken relative to
 * `origin`, so that bodies far from their own origin do not lose their shape to the floats. */
typedef struct volume_cloud
{
    const carom_vec3 *vertices;
    const uint32_t *indices;
    const uint32_t *triangles;
    size_t count;
    carom_vec3 origin;
} volume_cloud;

uint32_t volume_floats(carom_volume kind);

/* Encloses the triangles (at least one); obb_fit chooses the axes of OBB and RSS. The floats contain the doubles
 * v - origin as rounded. */
void volume_fit(carom_volume kind, carom_obb_fit obb_fit, const volume_cloud *cloud, float *out);

/* Points, each counted as often as its weight says. */
typedef struct volume_points
{
    const carom_vec3 *points;
    const uint32_t *weights; /* null: 1 each */
    uint32_t count;
} volume_points;

/* Eigenvectors of the points' covariance, orthonormal; the axes of the world if all are one point. The points have a
 * positive weight together. */
void volume_principal_axes(const volume_points *cloud, carom_vec3 axis[3]);

/* Floats of a volume that volume_fit searches for: the axes of a box, the rectangle of an RSS, the centre of a sphere.
 * The others follow from these and the triangles. */
typedef struct volume_range
{
    uint32_t first, count;
} volume_range;
volume_range volume_found(carom_volume kind);

/* Could a fit have found these? Then volume_enclose turns them into a volume that encloses any triangles. */
bool volume_found_valid(carom_volume kind, const float *found);

/* Encloses the triangles without a search: volume_fit's own result, given what it had found. */
void volume_enclose(carom_volume kind, const volume_cloud *cloud, const float *found, float *out);

/* Encloses two volumes. Exact hulls for AABB and k-DOP (theorem 3 of the FDH paper), looser for the others.
 * out may be a or b. */
void volume_merge(carom_volume kind, const float *a, const float *b, float *out);

double volume_area(carom_volume kind, const float *volume);
double volume_content(carom_volume kind, const float *volume); /* the volume of the volume */
double volume_size(carom_volume kind, const float *volume);    /* a length to compare any two kinds by */

/* A box swept by a sphere: the common form of every kind; k-DOPs only loosely. */
typedef struct volume_box
{
    carom_vec3 centre;
    carom_vec3 axis[3]; /* orthonormal but for float rounding */
    double half[3];
    double radius;
} volume_box;
void volume_to_box(carom_volume kind, const float *volume, volume_box *out);

/* ---- pairs under a relative pose ---- */

/* One direction of a rotated k-DOP from the slabs that it had: upper bounds of its support (LP duality: whenever
 * R^T d = sum of w_i d_i with w_i >= 0, the support along d is at most the same sum of the d_i's). */
typedef struct volume_lift
{
    uint8_t side[3]; /* half-spaces: slab index, + VOLUME_SLABS_MAX for the low side */
    double weight[3];
} volume_lift;

enum
{
    VOLUME_LIFTS = 8
};

/* What all tests of one query share. `still` volumes stay in their frame, `moved` ones are brought into it. */
typedef struct volume_frame
{
    carom_volume still, moved;
    math_relative relative; /* moved into still */
    double slack;           /* absolute: placement, and the arithmetic of moving */
    double oblique, defect; /* of axes: the unit of their rounding to float, or 0; the rotation's defect */
    double parallel;        /* by how much more than 1 the squared cosines of an axis may add up to */
    bool slabs;             /* both are k-DOPs of one kind */
    bool translation;       /* the rotation is exactly the identity */
    uint32_t lift_count[VOLUME_SLABS_MAX];
    volume_lift lift[VOLUME_SLABS_MAX][VOLUME_LIFTS];
} volume_frame;

/* reach: largest |coordinate| and coordinate difference that can come up, for the rounding of the tests. */
void volume_frame_begin(volume_frame *frame, carom_volume still, carom_volume moved, const math_relative *relative,
                        double reach);

typedef union volume_moved
{
    float slabs[VOLUME_FLOATS_MAX];
    volume_box box;
} volume_moved;
void volume_move(const volume_frame *frame, const float *volume, volume_moved *out);

/* Certainly farther apart than `margin` >= 0? */
bool volume_apart(const volume_frame *frame, const float *still, const volume_moved *moved, double margin);

/* Never more than the distance of what the two enclose. */
double volume_distance(const volume_frame *frame, const float *still, const volume_moved *moved);

/* The same for boxes that the caller keeps, in a frame that was begun for OBBs. */
void volume_move_box(const volume_frame *frame, const volume_box *box, volume_box *out);
bool volume_boxes_apart(const volume_frame *frame, const volume_box *still, const volume_box *moved, double margin);
double volume_boxes_distance(const volume_frame *frame, const volume_box *still, const volume_box *moved);

/* ---- rays ---- */

typedef struct volume_ray
{
    carom_vec3 origin, direction; /* in the volumes' frame */
    double low_t, high_t;         /* may be infinite */
    double slack;                 /* how far the ray may be off while it is near the volumes */
} volume_ray;

/* False if it certainly misses within [low_t, high_t]; else *entry_t is not after the first common point. */
bool volume_ray_hits(carom_volume kind, const float *volume, const volume_ray *ray, double *entry_t);

#endif
