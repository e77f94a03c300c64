/* Signed tetrahedra, clipped pair by pair. */
#include "support/tetra.h"
#include "support/placed.h"

#include <math.h>
#include <stdlib.h>

typedef struct tetra
{
    carom_vec3 corner[4];
} tetra;

enum
{
    MAX_PIECES = 3 * 3 * 3 * 3 /* each of four planes leaves up to three of each */
};

static double six_volumes(const tetra *t)
{
    carom_vec3 a = vec3_sub(t->corner[1], t->corner[0]), b = vec3_sub(t->corner[2], t->corner[0]);
    return vec3_dot(vec3_cross(a, b), vec3_sub(t->corner[3], t->corner[0]));
}

/* ---- one plane ---- */

static carom_vec3 between(carom_vec3 p, carom_vec3 q, double at_p, double at_q)
{
    double share = at_p / (at_p - at_q);
    return vec3_add(p, vec3_scale(vec3_sub(q, p), share));
}

/* The prism between the triangles p and q. */
static int add_prism(const carom_vec3 p[3], const carom_vec3 q[3], tetra *out)
{
    out[0] = (tetra){{p[0], p[1], p[2], q[0]}};
    out[1] = (tetra){{p[1], p[2], q[0], q[1]}};
    out[2] = (tetra){{p[2], q[0], q[1], q[2]}};
    return 3;
}

/* What of a tetrahedron is where the height over a plane is positive, in up to three pieces. */
static int clip(const tetra *t, const double height[4], tetra *out)
{
    int above[4], below[4], above_count = 0, below_count = 0;
    for (int i = 0; i < 4; i++)
        if (height[i] > 0.0)
            above[above_count++] = i;
        else
            below[below_count++] = i;
    carom_vec3 cut[4];
    for (int i = 0, n = 0; i < above_count; i++)
        for (int k = 0; k < below_count && above_count < 4; k++)
            cut[n++] = between(t->corner[above[i]], t->corner[below[k]], height[above[i]], height[below[k]]);
    const carom_vec3 *c = t->corner;
    if (above_count == 0)
        return 0;
    if (above_count == 4)
        return out[0] = *t, 1;
    if (above_count == 1)
        return out[0] = (tetra){{c[above[0]], cut[0], cut[1], cut[2]}}, 1;
    if (above_count == 3)
        return add_prism((carom_vec3[3]){c[above[0]], c[above[1]], c[above[2]]}, cut, out);
    return add_prism((carom_vec3[3]){c[above[0]], cut[0], cut[1]}, (carom_vec3[3]){c[above[1]], cut[2], cut[3]}, out);
}

/* ---- two tetrahedra ---- */

static double common_volume(const tetra *a, const tetra *b)
{
    tetra pieces[2][MAX_PIECES] = {{*a}};
    int count = 1, current = 0;
    for (int face = 0; face < 4 && count > 0; face++)
    {
        carom_vec3 origin = b->corner[(face + 1) % 4];
        carom_vec3 u = vec3_sub(b->corner[(face + 2) % 4], origin), v = vec3_sub(b->corner[(face + 3) % 4], origin);
        carom_vec3 normal = vec3_cross(u, v);
        if (vec3_dot(normal, vec3_sub(b->corner[face], origin)) < 0.0)
            normal = vec3_scale(normal, -1.0);
        int next = 0;
        for (int i = 0; i < count; i++)
        {
            double height[4];
            for (int k = 0; k < 4; k++)
                height[k] = vec3_dot(normal, vec3_sub(pieces[current][i].corner[k], origin));
            next += clip(&pieces[current][i], height, &pieces[!current][next]);
        }
        count = next, current = !current;
    }
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += fabs(six_volumes(&pieces[current][i])) / 6.0;
    return sum;
}

/* ---- meshes ---- */

typedef struct signed_tetra
{
    tetra tetra;
    carom_vec3 low, high;
    int sign;
} signed_tetra;

/* A tetrahedron about as flat as rounding makes one has planes that may face anywhere, so clipping with it may leave
 * anything. It is left out: what it would add is less than its own volume. */
static int sign_of(const signed_tetra *t)
{
    carom_vec3 size = vec3_sub(t->high, t->low);
    double six = six_volumes(&t->tetra), longest = fmax(size.x, fmax(size.y, size.z));
    return fabs(six) <= 1e-13 * longest * longest * longest ? 0 : six > 0.0 ? 1 : -1;
}

static signed_tetra *decompose(const carom_placed *placed)
{
    uint32_t count = carom_mesh_get_info(placed->shape.mesh).triangle_count;
    signed_tetra *list = calloc(count, sizeof *list);
    carom_vec3 apex = {0};
    for (uint32_t i = 0; i < count; i++)
        apex = vec3_add(apex, vec3_scale(placed_triangle(placed, i).corner[0], 1.0 / count));
    for (uint32_t i = 0; i < count; i++)
    {
        narrow_triangle t = placed_triangle(placed, i);
        signed_tetra *out = &list[i];
        out->tetra = (tetra){{apex, t.corner[0], t.corner[1], t.corner[2]}};
        out->low = vec3_min(vec3_min(apex, t.corner[0]), vec3_min(t.corner[1], t.corner[2]));
        out->high = vec3_max(vec3_max(apex, t.corner[0]), vec3_max(t.corner[1], t.corner[2]));
        out->sign = sign_of(out);
    }
    return list;
}

static bool boxes_meet(const signed_tetra *a, const signed_tetra *b)
{
    return a->low.x < b->high.x && b->low.x < a->high.x && a->low.y < b->high.y && b->low.y < a->high.y &&
           a->low.z < b->high.z && b->low.z < a->high.z;
}

/* Neumaier's compensated sum. */
static void add_term(double *sum, double *rest, double term)
{
    double next = *sum + term;
    *rest += fabs(*sum) >= fabs(term) ? (*sum - next) + term : (term - next) + *sum;
    *sum = next;
}

tetra_volume tetra_intersection(const carom_placed *a, const carom_placed *b)
{
    uint32_t count_a = carom_mesh_get_info(a->shape.mesh).triangle_count;
    uint32_t count_b = carom_mesh_get_info(b->shape.mesh).triangle_count;
    signed_tetra *list_a = decompose(a), *list_b = decompose(b);
    double sum = 0.0, rest = 0.0, magnitude = 0.0;
    tetra_volume out = {0};
    for (uint32_t i = 0; i < count_a; i++)
        for (uint32_t k = 0; k < count_b; k++)
        {
            int sign = list_a[i].sign * list_b[k].sign;
            if (sign == 0 || !boxes_meet(&list_a[i], &list_b[k]))
                continue;
            double term = common_volume(&list_a[i].tetra, &list_b[k].tetra);
            add_term(&sum, &rest, sign * term);
            magnitude += term, out.terms++;
        }
    free(list_a), free(list_b);
    out.volume = sum + rest, out.error = 1e-13 * magnitude + 1e-300;
    return out;
}
