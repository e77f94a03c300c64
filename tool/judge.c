/* Chooses the colour of meeting triangles. */
#include "tool/picture.h"
#include "tool/verdict.h"

#include <string.h>

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

/* The mark for a pair of bodies that clash. Faces in one plane are in contact if they face each other, and clash if
 * they face the same way: then the bodies behind them overlap. */
static picture_mark judge_pair(const carom_placed *a, const carom_placed *b, const carom_pair *pair)
{
    if (!(pair->meeting & CAROM_MEET_CROSSING))
        return PICTURE_CONTACT;
    if (!(pair->meeting & CAROM_MEET_COPLANAR))
        return PICTURE_CLASH;
    carom_vec3 m = world_normal(a, pair->triangle_a), n = world_normal(b, pair->triangle_b);
    return m.x * n.x + m.y * n.y + m.z * n.z > 0 ? PICTURE_CLASH : PICTURE_CONTACT;
}

static void mark_whole(const carom_placed *placed, unsigned char *marks)
{
    memset(marks, PICTURE_CLASH, carom_shape_element_count(&placed->shape));
}

void picture_mark_report(const carom_placed *a, const carom_placed *b, const carom_report *report,
                         unsigned char *marks[2])
{
    bool clash = tool_judge(report) == TOOL_CLASH, equal = report->relation == CAROM_RELATION_EQUAL;
    for (uint64_t i = 0; i < report->pairs_listed; i++)
    {
        const carom_pair *pair = &report->pairs[i];
        unsigned char mark = (unsigned char)(clash ? judge_pair(a, b, pair) : PICTURE_CONTACT);
        unsigned char *at[2] = {&marks[0][pair->triangle_a], &marks[1][pair->triangle_b]};
        for (int k = 0; k < 2; k++)
            *at[k] = *at[k] > mark ? *at[k] : mark;
    }
    if (equal || report->relation == CAROM_RELATION_A_INSIDE_B || report->a_probably_inside_b)
        mark_whole(a, marks[0]);
    if (equal || report->relation == CAROM_RELATION_B_INSIDE_A || report->b_probably_inside_a)
        mark_whole(b, marks[1]);
}
