/* A triangle and a grown hull: do they meet?
 *
 * Let g be a triangle outside the patch and C' the grown hull. Both are convex, so g and C' meet
 *   - in no point, if they share no vertex: then g misses every part that the step adds;
 *   - in their only shared vertex w, if g meets each part in w at most;
 *   - in the edge between two shared vertices, iff a plane that supports C' has both, and g's third corner in front: C'
 *     has no other point of g near the middle of the edge then, and by convexity none at all.
 * With three shared vertices g is part of C', which is refused. */
#include "convex/probe_parts.h"

/* ---- planes for points ---- */

static probe_face make_face(const convex_surface *surface, const uint32_t corner[3])
{
    carom_vec3 base = surface_point(surface, corner[0]), u = vec3_sub(surface_point(surface, corner[1]), base),
               v = vec3_sub(surface_point(surface, corner[2]), base);
    carom_vec3 s = vec3(fabs(u.x), fabs(u.y), fabs(u.z)), t = vec3(fabs(v.x), fabs(v.y), fabs(v.z));
    return (probe_face){.corner = {corner[0], corner[1], corner[2]},
                        .base = base,
                        .normal = vec3_cross(u, v),
                        .magnitude = vec3(s.y * t.z + s.z * t.y, s.z * t.x + s.x * t.z, s.x * t.y + s.y * t.x)};
}

bool probe_prepare_faces(convex_probe *probe)
{
    const convex_shell *shell = probe->shell;
    probe->new_faces.count = 0;
    if (!base_array_reserve(probe->surface->context, &probe->new_faces, shell->fresh.count - probe->from.fresh))
        return false;
    for (size_t i = probe->from.fresh; !shell->flat && i < shell->fresh.count; i++)
    {
        const shell_facet *facet = &shell->facets.items[shell->fresh.items[i]];
        if (!facet->gone)
            probe->new_faces.items[probe->new_faces.count++] = make_face(probe->surface, facet->corner);
    }
    return true;
}

/* ---- one triangle ---- */

/* A triangle outside the patch. */
typedef struct outsider
{
    uint32_t corner[3]; /* shared ones first */
    int shared;
    bool level; /* in the plane of the seed, being of the same flat face */
    narrow_triangle triangle;
} outsider;

static void describe(const convex_probe *probe, uint32_t triangle, outsider *out)
{
    const convex_surface *surface = probe->surface;
    uint32_t corner[3];
    surface_corners(surface, triangle, corner);
    bool same_component = surface->mesh->component[triangle] == surface->mesh->component[probe->seed];
    int last = 2;
    out->shared = 0, out->level = surface->face[triangle] == surface->face[probe->seed];
    for (int i = 0; i < 3; i++)
    {
        bool shared = same_component && surface->member[corner[i]] == probe->seed;
        out->corner[shared ? out->shared++ : last--] = corner[i];
    }
    for (int i = 0; i < 3; i++)
        out->triangle.corner[i] = surface_point(surface, out->corner[i]);
}

/* surface_side for a face and a corner. */
static int face_side(const convex_probe *probe, const probe_face *face, const outsider *g, int corner)
{
    carom_vec3 p = vec3_sub(g->triangle.corner[corner], face->base), size = vec3(fabs(p.x), fabs(p.y), fabs(p.z));
    double bound = EXACT_RELATIVE_3D * vec3_dot(face->magnitude, size) + EXACT_ABSOLUTE_3D;
    int sign = exact_filter_sign(vec3_dot(face->normal, p), bound);
    return BASE_LIKELY(sign != 0) ? sign : surface_side(probe->surface, face->corner, g->corner[corner]);
}

/* Is it, apart from its first corner if that is shared, in front of a plane that has no shared corner in front? */
static bool is_in_front(const convex_probe *probe, const outsider *g, const probe_face *face)
{
    for (int i = g->shared; i < 3; i++)
        if (face_side(probe, face, g, i) <= 0)
            return false;
    const uint32_t *plane = face->corner;
    return g->shared == 0 || plane[0] == g->corner[0] || plane[1] == g->corner[0] || plane[2] == g->corner[0] ||
           face_side(probe, face, g, 0) >= 0;
}

/* Of a flat hull: is it, apart from a shared corner, on one side of the plane? */
static bool is_beside_plane(const convex_probe *probe, const outsider *g)
{
    int sum = 0;
    for (int i = g->shared; i < 3; i++)
        sum += surface_side(probe->surface, probe->shell->plane, g->corner[i]);
    return sum == 3 - g->shared || sum == g->shared - 3;
}

static bool new_facet_parts(const convex_probe *probe, const outsider *g)
{
    for (size_t i = 0; i < probe->new_faces.count; i++)
        if (is_in_front(probe, g, &probe->new_faces.items[i]))
            return true;
    return false;
}

/* Does the triangle meet the face of a part in a point that is not the shared one? */
static bool meets_face(const convex_probe *probe, const outsider *g, const uint32_t face[3])
{
    narrow_counts counts = {0};
    const convex_surface *surface = probe->surface;
    narrow_triangle f = {
        {surface_point(surface, face[0]), surface_point(surface, face[1]), surface_point(surface, face[2])}};
    if (!narrow_touches(&g->triangle, &f, &counts))
        return false;
    carom_vec3 w = g->triangle.corner[0], points[6];
    narrow_triangle shared = {{w, w, w}};
    return g->shared == 0 || !narrow_touches(&shared, &f, &counts) ||
           narrow_contact(&g->triangle, &f, points, &counts) != 1;
}

/* Are the part's corners, apart from a shared one, strictly on one side of the triangle's own plane? */
static bool is_off_own_plane(const convex_probe *probe, const outsider *g, const shell_part *part)
{
    int sign = 0;
    for (int i = 0; i < (is_flat(part) ? 3 : 4); i++)
    {
        if (g->shared == 1 && part->corner[i] == g->corner[0])
            continue;
        int side = surface_side(probe->surface, g->corner, part->corner[i]);
        if (side == 0 || side == -sign)
            return false;
        sign = side;
    }
    return true;
}

/* A triangle has two faces, a solid part four. */
static const probe_face *faces_of(const convex_probe *probe, size_t number)
{
    probe_faces *faces = &probe->part_faces.items[number];
    if (faces->made)
        return faces->face;
    const shell_part *part = &probe->shell->parts.items[probe->from.parts + number];
    const uint32_t *c = part->corner;
    const uint32_t corner[4][3] = {
        {c[0], c[2], c[1]}, {c[0], c[1], is_flat(part) ? c[2] : c[3]}, {c[1], c[2], c[3]}, {c[2], c[0], c[3]}};
    for (int i = 0; i < (is_flat(part) ? 2 : 4); i++)
        faces->face[i] = make_face(probe->surface, corner[i]);
    faces->made = true;
    return faces->face;
}

/* Of three points on a line: is the middle one between the others? */
static bool is_between(const convex_surface *surface, uint32_t one, uint32_t middle, uint32_t other)
{
    carom_vec3 a = surface_point(surface, one), b = surface_point(surface, middle), c = surface_point(surface, other);
    if (a.x != b.x)
        return (a.x < b.x) == (b.x < c.x) && b.x != c.x;
    if (a.y != b.y)
        return (a.y < b.y) == (b.y < c.y) && b.y != c.y;
    return (a.z < b.z) == (b.z < c.z) && b.z != c.z;
}

/* Is a point beyond a side of a triangle in the same plane? The shared vertex may be on the side's line and, if the
 * side ends there, points behind that end may, too. sign: of the triangle's turn. */
static bool is_beyond_side(const convex_shell *shell, const uint32_t side[2], int sign, uint32_t shared, uint32_t point)
{
    int turn = sign * shell_turn(shell, side[0], side[1], point);
    if (turn != 0 || point == shared)
        return turn <= 0;
    return (side[0] == shared && is_between(shell->surface, side[1], shared, point)) ||
           (side[1] == shared && is_between(shell->surface, side[0], shared, point));
}

static bool side_parts(const convex_shell *shell, const uint32_t triangle[3], const uint32_t other[3], uint32_t shared)
{
    int sign = shell_turn(shell, triangle[0], triangle[1], triangle[2]);
    for (int i = 0; i < 3; i++)
    {
        const uint32_t side[2] = {triangle[i], triangle[(i + 1) % 3]};
        if (is_beyond_side(shell, side, sign, shared, other[0]) &&
            is_beyond_side(shell, side, sign, shared, other[1]) && is_beyond_side(shell, side, sign, shared, other[2]))
            return true;
    }
    return false;
}

/* Both in one plane: they are apart, or have just a corner in common, if a side of one of them says so. */
static bool meets_level_part(const convex_probe *probe, const outsider *g, const shell_part *part)
{
    uint32_t shared = g->shared > 0 ? g->corner[0] : CONVEX_NONE;
    return !side_parts(probe->shell, part->corner, g->corner, shared) &&
           !side_parts(probe->shell, g->corner, part->corner, shared);
}

static bool meets_flat_part(const convex_probe *probe, const outsider *g, size_t number)
{
    const shell_part *part = &probe->shell->parts.items[probe->from.parts + number];
    if (probe->shell->flat && g->level)
        return meets_level_part(probe, g, part);
    const probe_face *face = faces_of(probe, number);
    bool beside = !probe->shell->flat && (is_in_front(probe, g, &face[0]) || is_in_front(probe, g, &face[1]));
    return !beside && !is_off_own_plane(probe, g, part) && meets_face(probe, g, part->corner);
}

typedef enum corner_answer
{
    CORNER_ALONE,
    CORNER_WITH_MORE,
    CORNER_UNCLEAR
} corner_answer;

/* A face of the part and the triangle, as cones at w = g's first corner: do they share a ray? With s the sides of the
 * triangle's corners c, d of the face w, a, b, and t those of a and b of the triangle's plane, the planes meet along
 * s(d) c - s(c) d = t(a) b - t(b) a, taken with the determinants themselves: in both cones, or both turned round. */
static corner_answer shares_ray(const convex_probe *probe, const outsider *g, const probe_face *face,
                                const int sides[2])
{
    int at = face->corner[0] == g->corner[0] ? 0 : face->corner[1] == g->corner[0] ? 1 : 2;
    int a = surface_side(probe->surface, g->corner, face->corner[(at + 1) % 3]);
    int b = surface_side(probe->surface, g->corner, face->corner[(at + 2) % 3]);
    if ((sides[0] == 0 && sides[1] == 0) || (a == 0 && b == 0))
        return CORNER_UNCLEAR; /* in one plane, or degenerate */
    bool straight = sides[0] <= 0 && sides[1] >= 0 && b <= 0 && a >= 0;
    bool turned = sides[1] <= 0 && sides[0] >= 0 && a <= 0 && b >= 0;
    return straight || turned ? CORNER_WITH_MORE : CORNER_ALONE;
}

/* Does the triangle meet a solid part, which has its first corner, in that only? Near the corner both are cones, and
 * what these share the others do, too. */
static corner_answer meets_in_corner(const convex_probe *probe, const outsider *g, const probe_face face[4])
{
    bool inside[2] = {true, true};
    for (int i = 0; i < 4; i++)
    {
        const uint32_t *corner = face[i].corner;
        if (corner[0] != g->corner[0] && corner[1] != g->corner[0] && corner[2] != g->corner[0])
            continue;
        const int sides[2] = {face_side(probe, &face[i], g, 1), face_side(probe, &face[i], g, 2)};
        corner_answer answer = shares_ray(probe, g, &face[i], sides);
        if (answer != CORNER_ALONE)
            return answer;
        inside[0] = inside[0] && sides[0] <= 0, inside[1] = inside[1] && sides[1] <= 0;
    }
    return inside[0] || inside[1] ? CORNER_WITH_MORE : CORNER_ALONE;
}

static bool meets_solid_part(const convex_probe *probe, const outsider *g, size_t number)
{
    const shell_part *part = &probe->shell->parts.items[probe->from.parts + number];
    const probe_face *face = faces_of(probe, number);
    for (int i = 0; i < 4; i++)
        if (is_in_front(probe, g, &face[i]))
            return false;
    if (is_off_own_plane(probe, g, part))
        return false;
    const uint32_t *c = part->corner, first = g->corner[0];
    if (g->shared == 1 && (c[0] == first || c[1] == first || c[2] == first || c[3] == first))
    {
        corner_answer answer = meets_in_corner(probe, g, face);
        if (answer != CORNER_UNCLEAR)
            return answer == CORNER_WITH_MORE;
    }
    for (int i = g->shared; i < 3; i++)
    {
        bool inside = true;
        for (int k = 0; k < 4 && inside; k++)
            inside = face_side(probe, &face[k], g, i) <= 0;
        if (inside)
            return true;
    }
    for (int i = 0; i < 4; i++)
        if (meets_face(probe, g, face[i].corner))
            return true;
    return false;
}

/* Is this degenerate triangle a segment between two shared vertices? Its ends are not between the other two corners;
 * equal corners are. */
static bool is_shared_segment(const outsider *g)
{
    if (g->shared == 3)
        return true;
    if (g->shared < 2)
        return false;
    carom_vec3 p = g->triangle.corner[2], q = g->triangle.corner[0], r = g->triangle.corner[1];
    carom_vec3 low = vec3_min(q, r), high = vec3_max(q, r);
    return vec3_equal(vec3_min(low, p), low) && vec3_equal(vec3_max(high, p), high);
}

static bool meets(const convex_probe *probe, uint32_t triangle, outsider *g)
{
    convex_shell *shell = probe->shell;
    describe(probe, triangle, g);
    carom_aabb box = box_of(&g->triangle);
    if (!boxes_meet(&probe->box, &box) ||
        (probe->surface->traits[triangle] & SURFACE_DEGENERATE && is_shared_segment(g)))
        return false;
    if (g->shared >= 2)
        return g->shared == 3 || !shell_parts_from(shell, g->corner, g->corner[2]);
    if (shell->flat ? !g->level && is_beside_plane(probe, g) : new_facet_parts(probe, g))
        return false;
    for (size_t i = 0; i < probe->part_boxes.count; i++)
    {
        const shell_part *part = &shell->parts.items[probe->from.parts + i];
        if (!boxes_meet(&probe->part_boxes.items[i], &box))
            continue;
        if (is_flat(part) ? meets_flat_part(probe, g, i) : meets_solid_part(probe, g, i))
            return true;
    }
    return false;
}

/* Could a triangle that the hull meets be a part of the patch? It would have to be on the hull. */
static bool could_join(const convex_probe *probe, uint32_t triangle, const outsider *g)
{
    const convex_surface *surface = probe->surface;
    uint32_t corner[3];
    if (surface->mesh->component[triangle] != surface->mesh->component[probe->seed] ||
        surface->piece[triangle] != CONVEX_NONE || surface->traits[triangle] & SURFACE_DEGENERATE)
        return false;
    surface_corners(surface, triangle, corner);
    return g->shared == 0 || shell_supports(probe->shell, corner, g->corner, g->shared);
}

probe_meeting probe_meet(const convex_probe *probe, uint32_t triangle)
{
    outsider g;
    if (!meets(probe, triangle, &g))
        return PROBE_APART;
    return could_join(probe, triangle, &g) ? PROBE_MAY_JOIN : PROBE_IN_THE_WAY;
}
