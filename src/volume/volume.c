/* Dispatches to the kinds of volume. */
#include "volume/parts.h"

uint32_t volume_floats(carom_volume kind)
{
    switch (kind)
    {
    case CAROM_VOLUME_OBB:
    case CAROM_VOLUME_RSS: return 15;
    case CAROM_VOLUME_SPHERE: return 4;
    default: return 2 * slab_count(kind);
    }
}

void volume_fit(carom_volume kind, carom_obb_fit obb_fit, const volume_cloud *cloud, float *out)
{
    carom_vec3 axis[3];
    switch (kind)
    {
    case CAROM_VOLUME_OBB: axes_fit(obb_fit, cloud, axis), obb_enclose(cloud, axis, out); break;
    case CAROM_VOLUME_RSS: axes_fit(obb_fit, cloud, axis), rss_enclose(cloud, NULL, axis, out); break;
    case CAROM_VOLUME_SPHERE: sphere_fit(cloud, out); break;
    default: slab_fit(kind, cloud, out); break;
    }
}

volume_range volume_found(carom_volume kind)
{
    switch (kind)
    {
    case CAROM_VOLUME_OBB: return (volume_range){3, 9};
    case CAROM_VOLUME_RSS: return (volume_range){0, 14};
    case CAROM_VOLUME_SPHERE: return (volume_range){0, 3};
    default: return (volume_range){0, 0};
    }
}

/* Orthonormal axes, each rounded to float: dot products are off by less than 2 sqrt 3 2^-25. */
static bool axes_valid(const float *axes)
{
    const double tolerance = 0x1p-23;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            if (!(fabs(vec3_dot(load3(axes + 3 * i), load3(axes + 3 * j)) - (i == j ? 1.0 : 0.0)) <= tolerance))
                return false;
    return true;
}

static bool within(const float *values, int count, float low, float high)
{
    for (int i = 0; i < count; i++)
        if (!(values[i] >= low && values[i] <= high))
            return false;
    return true;
}

bool volume_found_valid(carom_volume kind, const float *found)
{
    const float far = 0x1p103f; /* coordinates of at most 2^100, around the middle of all */
    switch (kind)
    {
    case CAROM_VOLUME_OBB: return axes_valid(found);
    case CAROM_VOLUME_RSS: return within(found, 3, -far, far) && axes_valid(found + 3) && within(found + 12, 2, 0, far);
    case CAROM_VOLUME_SPHERE: return within(found, 3, -far, far);
    default: return true;
    }
}

void volume_enclose(carom_volume kind, const volume_cloud *cloud, const float *found, float *out)
{
    volume_range range = volume_found(kind);
    memcpy(out + range.first, found, range.count * sizeof *out);
    switch (kind)
    {
    case CAROM_VOLUME_OBB:
    {
        carom_vec3 axis[3] = {load3(out + 3), load3(out + 6), load3(out + 9)};
        obb_enclose(cloud, axis, out);
        break;
    }
    case CAROM_VOLUME_RSS: rss_measure(cloud, out); break;
    case CAROM_VOLUME_SPHERE: sphere_measure(cloud, out); break;
    default: slab_fit(kind, cloud, out); break;
    }
}

void volume_merge(carom_volume kind, const float *a, const float *b, float *out)
{
    switch (kind)
    {
    case CAROM_VOLUME_OBB: obb_merge(a, b, out); break;
    case CAROM_VOLUME_RSS: rss_merge(a, b, out); break;
    case CAROM_VOLUME_SPHERE: sphere_merge(a, b, out); break;
    default: slab_merge(kind, a, b, out); break;
    }
}

/* ---- measure ---- */

static const double PI = 3.14159265358979323846;

static void measure(carom_volume kind, const float *v, double *area, double *content)
{
    switch (kind)
    {
    case CAROM_VOLUME_OBB:
    {
        double x = 2.0 * (double)v[12], y = 2.0 * (double)v[13], z = 2.0 * (double)v[14];
        *area = 2.0 * (x * y + y * z + z * x);
        *content = x * y * z;
        break;
    }
    case CAROM_VOLUME_RSS:
    {
        double x = 2.0 * (double)v[12], y = 2.0 * (double)v[13], r = (double)v[14];
        *area = 2.0 * x * y + 2.0 * PI * r * (x + y) + 4.0 * PI * r * r;
        *content = 2.0 * r * x * y + PI * r * r * (x + y) + 4.0 / 3.0 * PI * r * r * r;
        break;
    }
    case CAROM_VOLUME_SPHERE:
    {
        double r = (double)v[3];
        *area = 4.0 * PI * r * r;
        *content = 4.0 / 3.0 * PI * r * r * r;
        break;
    }
    default: slab_measure(kind, v, area, content); break;
    }
}

double volume_area(carom_volume kind, const float *volume)
{
    double area, content;
    measure(kind, volume, &area, &content);
    return area;
}

double volume_content(carom_volume kind, const float *volume)
{
    double area, content;
    measure(kind, volume, &area, &content);
    return content;
}

double volume_size(carom_volume kind, const float *v)
{
    switch (kind)
    {
    case CAROM_VOLUME_OBB: return (double)v[12] + (double)v[13] + (double)v[14];
    case CAROM_VOLUME_RSS: return (double)v[12] + (double)v[13] + 3.0 * (double)v[14];
    case CAROM_VOLUME_SPHERE: return 2.0 * (double)v[3];
    default:
    {
        uint32_t count = slab_count(kind);
        return 0.5 * (((double)v[count] - (double)v[0]) + ((double)v[count + 1] - (double)v[1]) +
                      ((double)v[count + 2] - (double)v[2]));
    }
    }
}

/* ---- swept boxes ---- */

static void slabs_to_box(const float *v, uint32_t count, volume_box *out)
{
    double low[3], high[3], middle[3];
    for (int i = 0; i < 3; i++)
    {
        low[i] = (double)v[i], high[i] = (double)v[count + (uint32_t)i];
        middle[i] = 0.5 * (low[i] + high[i]);
        out->half[i] = larger(high[i] - middle[i], middle[i] - low[i]) * (1.0 + 0x1p-50);
    }
    out->centre = vec3(middle[0], middle[1], middle[2]);
    out->axis[0] = vec3(1, 0, 0), out->axis[1] = vec3(0, 1, 0), out->axis[2] = vec3(0, 0, 1);
    out->radius = 0.0;
}

void volume_to_box(carom_volume kind, const float *v, volume_box *out)
{
    if (slab_count(kind) > 0)
    {
        slabs_to_box(v, slab_count(kind), out);
        return;
    }
    out->centre = load3(v);
    bool ball = kind == CAROM_VOLUME_SPHERE, rss = kind == CAROM_VOLUME_RSS;
    for (int i = 0; i < 3; i++)
    {
        out->axis[i] = ball ? vec3(i == 0, i == 1, i == 2) : load3(v + 3 + 3 * i);
        out->half[i] = ball || (rss && i == 2) ? 0.0 : (double)v[12 + i];
    }
    out->radius = ball ? (double)v[3] : rss ? (double)v[14] : 0.0;
}

/* ---- pairs ---- */

static bool is_identity(const double r[9])
{
    return r[0] == 1 && r[1] == 0 && r[2] == 0 && r[3] == 0 && r[4] == 1 && r[5] == 0 && r[6] == 0 && r[7] == 0 &&
           r[8] == 1;
}

static bool has_float_axes(carom_volume kind) { return kind == CAROM_VOLUME_OBB || kind == CAROM_VOLUME_RSS; }

void volume_frame_begin(volume_frame *frame, carom_volume still, carom_volume moved, const math_relative *relative,
                        double reach)
{
    frame->still = still, frame->moved = moved;
    frame->relative = *relative;
    /* Axes in float are oblique, and the rotation's defect makes the moved ones so. `error` counts the defect for what
     * the mesh extends, but boxes in float are larger than a mesh of less than 2^-149. */
    bool floats = has_float_axes(still) || has_float_axes(moved);
    frame->oblique = floats ? 0x1p-24 : 0.0;
    frame->defect = math_rotation_defect(relative->rotation);
    frame->parallel = (floats ? 4.75 * 0x1p-24 : 0x1p-51) + 3.0 * frame->defect;
    frame->translation = is_identity(relative->rotation);
    /* AABBs are tested as the oriented boxes they become; k-DOPs get new bounds. */
    frame->slabs = still == moved && slab_count(still) > 0 && still != CAROM_VOLUME_AABB;
    if (still == CAROM_VOLUME_AABB && moved == CAROM_VOLUME_AABB && frame->translation)
        frame->slabs = true;
    /* Both bodies are off by `error` per coordinate, 2 sqrt 3 along a direction. */
    frame->slack = 4.0 * relative->error + (frame->slabs ? VOLUME_MOVING_SLABS : VOLUME_MOVING_BOXES) * reach;
    if (frame->slabs)
        slab_frame_begin(frame);
}

void volume_move_box(const volume_frame *frame, const volume_box *box, volume_box *out)
{
    const double *r = frame->relative.rotation;
    carom_pose pose = {.translation = frame->relative.translation};
    memcpy(pose.rotation, r, sizeof pose.rotation);
    *out = *box;
    out->centre = pose_apply(&pose, box->centre);
    for (int i = 0; i < 3; i++)
    {
        carom_vec3 u = box->axis[i];
        out->axis[i] = vec3(r[0] * u.x + r[1] * u.y + r[2] * u.z, r[3] * u.x + r[4] * u.y + r[5] * u.z,
                            r[6] * u.x + r[7] * u.y + r[8] * u.z);
    }
}

void volume_move(const volume_frame *frame, const float *volume, volume_moved *out)
{
    if (frame->slabs)
    {
        slab_move(frame, volume, out->slabs);
        return;
    }
    volume_box box;
    volume_to_box(frame->moved, volume, &box);
    volume_move_box(frame, &box, &out->box);
}

bool volume_boxes_apart(const volume_frame *frame, const volume_box *still, const volume_box *moved, double margin)
{
    return box_apart(frame, still, moved, margin);
}

double volume_boxes_distance(const volume_frame *frame, const volume_box *still, const volume_box *moved)
{
    return box_distance(frame, still, moved);
}

bool volume_apart(const volume_frame *frame, const float *still, const volume_moved *moved, double margin)
{
    if (frame->slabs)
        return slab_apart(frame, still, moved->slabs, margin);
    volume_box box;
    volume_to_box(frame->still, still, &box);
    return box_apart(frame, &box, &moved->box, margin);
}

double volume_distance(const volume_frame *frame, const float *still, const volume_moved *moved)
{
    if (frame->slabs)
        return slab_distance(frame, still, moved->slabs);
    volume_box box;
    volume_to_box(frame->still, still, &box);
    return box_distance(frame, &box, &moved->box);
}

/* ---- rays ---- */

bool volume_ray_hits(carom_volume kind, const float *volume, const volume_ray *ray, double *entry_t)
{
    if (slab_count(kind) > 0)
        return slab_ray(kind, volume, ray, entry_t);
    volume_box box;
    volume_to_box(kind, volume, &box);
    return box_ray(&box, ray, entry_t);
}
