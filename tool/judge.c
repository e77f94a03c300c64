/* Chooses the colour of meeting triangles. */
#include "tool/picture.h"

static carom_vec3 world_normal(const carom_placed *placed, uint32_t triangle)
{
    const uint32_t *index = carom_mesh_indices(placed->shape.mesh) + 3 * (size_t)triangle;
    carom_vec3 p[3];
    for (int i = 0; i < 3; i++)
        p[i] = carom_pose_apply(&placed->pose, carom_mesh_vertices(placed->shape.mesh)[index[i]]);
    carom_vec3 u = {p[1].x - p[0].x, p[1].y - p[0].y, p[1].z - p[0].z};
    carom_vec3 v = {p[2].x - p[0].x, p[2].y - p[0].y, p[2].z - p[0].z};
    return (carom_vec3){u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
}

picture_mark picture_judge(const carom_placed *a, const carom_placed *b, const carom_pair *pair)
{
    if (pair->meeting == CAROM_MEET_NONE)
        return PICTURE_PLAIN;
    if (!(pair->meeting & CAROM_MEET_CROSSING))
        return PICTURE_CONTACT;
    if (!(pair->meeting & CAROM_MEET_COPLANAR))
        return PICTURE_CLASH;
    carom_vec3 m = world_normal(a, pair->triangle_a), n = world_normal(b, pair->triangle_b);
    return m.x * n.x + m.y * n.y + m.z * n.z > 0 ? PICTURE_CLASH : PICTURE_CONTACT;
}

void picture_mark_pairs(const carom_placed *a, const carom_placed *b, const carom_pair *pairs, uint64_t count,
                        unsigned char *marks[2])
{
    for (uint64_t i = 0; i < count; i++)
    {
        unsigned char mark = (unsigned char)picture_judge(a, b, &pairs[i]);
        unsigned char *at[2] = {&marks[0][pairs[i].triangle_a], &marks[1][pairs[i].triangle_b]};
        for (int k = 0; k < 2; k++)
            *at[k] = *at[k] > mark ? *at[k] : mark;
    }
}
