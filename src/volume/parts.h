/* What the files of this folder share with each other only. */
#ifndef VOLUME_PARTS_H
#define VOLUME_PARTS_H

#include "volume/volume.h"

/* What moving volumes rounds, of the sum of both diagonals and the translation: docs/exactness.md, section 17. */
#define VOLUME_MOVING_SLABS (4.75 * 0x1p-53)
#define VOLUME_MOVING_BOXES (2.75 * 0x1p-53)

/* Corner 0, 1, 2 of the i-th triangle of a cloud. */
static inline carom_vec3 cloud_corner(const volume_cloud *cloud, size_t i, int corner)
{
    size_t triangle = cloud->triangles ? cloud->triangles[i] : i;
    return vec3_sub(cloud->vertices[cloud->indices[3 * triangle + (size_t)corner]], cloud->origin);
}

/* Unlike fmax and fmin these are one instruction; nothing here is ever NaN. */
static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double smaller(double a, double b) { return a < b ? a : b; }

static inline double component(carom_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }
static inline carom_vec3 load3(const float *f) { return vec3((double)f[0], (double)f[1], (double)f[2]); }
/* Volatile, or gcc 12 takes two doubles through floats and back as a vector and drops the rounding on the way. */
static inline float rounded_to_float(double value)
{
    volatile float rounded = (float)value;
    return rounded;
}
static inline void store3(float *f, carom_vec3 v)
{
    f[0] = rounded_to_float(v.x), f[1] = rounded_to_float(v.y), f[2] = rounded_to_float(v.z);
}

/* A float not below the value, within two units in the last place; quicker than math_float_up. */
static inline float float_above(double value) { return (float)(value + fabs(value) * 0x1p-23 + 0x1p-126); }
static inline float float_below(double value) { return (float)(value - fabs(value) * 0x1p-23 - 0x1p-126); }

/* ---- slabs: AABB and k-DOP ---- */
uint32_t slab_count(carom_volume kind); /* 0: the kind has no slabs */
/* Component sums along the fixed directions; out has slab_count values. */
void slab_project(carom_volume kind, carom_vec3 v, double *out);
double slab_length(carom_volume kind, uint32_t slab); /* |direction|: 1, sqrt 2 or sqrt 3 */
void slab_fit(carom_volume kind, const volume_cloud *cloud, float *out);
void slab_merge(carom_volume kind, const float *a, const float *b, float *out);
void slab_measure(carom_volume kind, const float *volume, double *area, double *content);
void slab_frame_begin(volume_frame *frame);
void slab_move(const volume_frame *frame, const float *volume, float *out);
bool slab_apart(const volume_frame *frame, const float *still, const float *moved, double margin);
double slab_distance(const volume_frame *frame, const float *still, const float *moved);
bool slab_ray(carom_volume kind, const float *volume, const volume_ray *ray, double *entry_t);

/* ---- axes for oriented volumes ---- */
/* Orthonormal to double precision. */
void axes_fit(carom_obb_fit fit, const volume_cloud *cloud, carom_vec3 axis[3]);

/* ---- OBB ---- */
void obb_enclose(const volume_cloud *cloud, const carom_vec3 axis[3], float *out);
void obb_merge(const float *a, const float *b, float *out);

/* ---- sphere and RSS ---- */
void sphere_fit(const volume_cloud *cloud, float *out);
void sphere_measure(const volume_cloud *cloud, float *sphere); /* sets the radius */
void sphere_merge(const float *a, const float *b, float *out);
/* radii: one per corner that has to fit in with its ball, or null. */
void rss_enclose(const volume_cloud *cloud, const double *radii, const carom_vec3 axis[3], float *out);
void rss_measure(const volume_cloud *cloud, float *rss); /* sets the radius */
void rss_merge(const float *a, const float *b, float *out);

/* ---- OBB and RSS: centre, three axes, then two halves and a radius or three halves ---- */
enum
{
    ORIENTED_FLOATS = 15
};
/* The smallest of three volumes around the corners of a and b: along the axes of either, or their principal axes.
 * radii: as for rss_enclose; null: OBBs. */
void oriented_merge(const volume_cloud *corners, const double *radii, const float *a, const float *b, float *out);

/* ---- swept boxes ---- */
bool box_apart(const volume_frame *frame, const volume_box *still, const volume_box *moved, double margin);
double box_distance(const volume_frame *frame, const volume_box *still, const volume_box *moved);
bool box_ray(const volume_box *box, const volume_ray *ray, double *entry_t);

#endif
