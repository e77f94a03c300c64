/* Generalized winding numbers, with far groups of triangles replaced by dipoles (Barill, Dickson, Schmidt, Levin,
 * Jacobson, Fast winding numbers for soups and clouds, 2018).
 *
 * The triangles are sorted along a Morton curve. Eight of them in a row are a group, eight groups are a group of the
 * next level, and so on, so that the numbers of a group's members follow from its own. */
#include "query/winding.h"

enum
{
    GROUP_SIZE = 8,
    MAX_LEVELS = 11, /* 8^11 is more than 2^31 */
    AXIS_BITS = 10
};

/* A group farther away than this many of its radii counts as a dipole. test_winding measures the error. */
#define FAR_RADII 2.5

/* What a group looks like from afar. In the field's frame. */
typedef struct dipole
{
    carom_vec3 centre; /* mean of the triangles, weighted by area */
    carom_vec3 area;   /* sum of their area vectors */
    double radius;     /* of a ball around the centre that contains them */
} dipole;

typedef struct winding_level
{
    uint32_t first, count; /* in the field's groups */
} winding_level;

struct winding_field
{
    const carom_mesh *mesh;
    carom_vec3 middle; /* y = (x - middle) scale is the field's frame, in which the mesh is about as large as 1 */
    double scale;      /* a power of two */
    uint32_t *order;   /* triangles along the curve: number << 1 | turned over */
    dipole *groups;
    uint32_t group_count;
    uint32_t level_count; /* the last level has one group */
    winding_level levels[MAX_LEVELS];
};

/* ---- angles ---- */

/* The arctangent for 0 <= x <= 1, to 2e-8 of itself (Abramowitz and Stegun, 4.4.49). */
static double small_arctangent(double x)
{
    static const double factor[8] = {-0.3333314528, 0.1999355085, -0.1420889944, 0.1065626393,
                                     -0.0752896400, 0.0429096138, -0.0161657367, 0.0028662257};
    double square = x * x, sum = 0.0;
    for (int i = 7; i >= 0; i--)
        sum = (sum + factor[i]) * square;
    return x * (1.0 + sum);
}

/* The angle of (x, y) from the x axis, between 0 and pi; y > 0. */
static double angle_of(double x, double y)
{
    const double half_turn = 3.14159265358979323846;
    double width = fabs(x);
    double steep = width >= y ? small_arctangent(y / width) : 0.5 * half_turn - small_arctangent(width / y);
    return x >= 0.0 ? steep : half_turn - steep;
}

/* The solid angle of a triangle as seen from the origin: positive where it is clockwise (van Oosterom and Strackee,
 * 1983); 0 from its own plane. */
static double solid_angle(const carom_vec3 c[3])
{
    double volume = vec3_dot(c[0], vec3_cross(c[1], c[2]));
    if (volume == 0.0)
        return 0.0;
    double length[3] = {vec3_length(c[0]), vec3_length(c[1]), vec3_length(c[2])};
    double base = length[0] * length[1] * length[2] + vec3_dot(c[0], c[1]) * length[2] +
                  vec3_dot(c[1], c[2]) * length[0] + vec3_dot(c[2], c[0]) * length[1];
    double angle = 2.0 * angle_of(base, fabs(volume));
    return volume > 0.0 ? angle : -angle;
}

/* ---- triangles turned over ---- */

enum
{
    TURN_UNSEEN,
    TURN_KEPT,
    TURN_OVER
};

/* A walk over patches of triangles, from neighbour to neighbour. */
typedef struct turn_walk
{
    const carom_mesh *mesh;
    uint8_t *turns;  /* per triangle */
    uint32_t *patch; /* triangles of the current patch */
    uint32_t patch_count;
    double area[3];     /* per turn, of the patch */
    bool contradictory; /* the patch has one side only */
} turn_walk;

static uint32_t corner_of(const carom_mesh *mesh, uint32_t triangle, uint32_t corner)
{
    return mesh->merged[mesh->indices[3 * (size_t)triangle + corner % 3]];
}

/* Does the triangle have a side from start to end, in this direction? */
static bool has_side(const carom_mesh *mesh, uint32_t triangle, uint32_t start, uint32_t end)
{
    for (uint32_t i = 0; i < 3; i++)
        if (corner_of(mesh, triangle, i) == start && corner_of(mesh, triangle, i + 1) == end)
            return true;
    return false;
}

static void add_to_patch(turn_walk *walk, uint32_t triangle, uint8_t turn)
{
    carom_vec3 c[3];
    mesh_corners(walk->mesh, triangle, c);
    walk->turns[triangle] = turn;
    walk->area[turn] += vec3_length(vec3_cross(vec3_sub(c[1], c[0]), vec3_sub(c[2], c[0])));
    walk->patch[walk->patch_count++] = triangle;
}

static void visit_neighbours(turn_walk *walk, uint32_t triangle)
{
    const carom_mesh *mesh = walk->mesh;
    for (uint32_t side = 0; side < 3; side++)
    {
        uint32_t other = mesh->neighbours[3 * (size_t)triangle + side];
        if (other == MESH_NONE || other == triangle)
            continue;
        bool disagrees = has_side(mesh, other, corner_of(mesh, triangle, side), corner_of(mesh, triangle, side + 1));
        uint8_t turn = (walk->turns[triangle] == TURN_KEPT) != disagrees ? TURN_KEPT : TURN_OVER;
        if (walk->turns[other] == TURN_UNSEEN)
            add_to_patch(walk, other, turn);
        else
            walk->contradictory |= walk->turns[other] != turn;
    }
}

/* The larger part of each patch is right. */
static void find_turned(turn_walk *walk)
{
    for (uint32_t i = 0; i < walk->mesh->triangle_count; i++)
    {
        if (walk->turns[i] != TURN_UNSEEN)
            continue;
        walk->patch_count = 0;
        walk->area[TURN_KEPT] = walk->area[TURN_OVER] = 0.0;
        walk->contradictory = false;
        add_to_patch(walk, i, TURN_KEPT);
        for (uint32_t next = 0; next < walk->patch_count; next++)
            visit_neighbours(walk, walk->patch[next]);
        bool exchange = walk->area[TURN_OVER] > walk->area[TURN_KEPT];
        for (uint32_t k = 0; k < walk->patch_count && (exchange || walk->contradictory); k++)
        {
            uint8_t *turn = &walk->turns[walk->patch[k]];
            *turn = walk->contradictory || *turn == TURN_OVER ? TURN_KEPT : TURN_OVER;
        }
    }
}

/* ---- groups ---- */

static void choose_frame(winding_field *field)
{
    carom_aabb bounds = field->mesh->info.bounds;
    field->middle = vec3_scale(vec3_add(bounds.min, bounds.max), 0.5);
    carom_vec3 size = vec3_sub(bounds.max, bounds.min);
    double largest = fmax(size.x, fmax(size.y, size.z));
    int exponent = 0;
    if (largest > 0.0)
        frexp(largest, &exponent);
    field->scale = ldexp(1.0, exponent < -400 ? 400 : -exponent);
}

static void frame_corners(const winding_field *field, uint32_t triangle, carom_vec3 out[3])
{
    mesh_corners(field->mesh, triangle, out);
    for (int i = 0; i < 3; i++)
        out[i] = vec3_scale(vec3_sub(out[i], field->middle), field->scale);
}

/* 0000abcdefghij -> a00b00c00d00e00f00g00h00i00j */
static uint64_t spread_bits(uint64_t x)
{
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

static uint64_t curve_cell(double sum_of_corners)
{
    double place = (sum_of_corners / 3.0 + 0.5) * (1 << AXIS_BITS); /* the frame goes from -1/2 to 1/2 */
    return place <= 0.0 ? 0 : place >= (1 << AXIS_BITS) - 1 ? (1 << AXIS_BITS) - 1 : (uint64_t)place;
}

static void sort_along_curve(winding_field *field, const uint8_t *turns, uint64_t *keys)
{
    uint32_t count = field->mesh->triangle_count;
    for (uint32_t i = 0; i < count; i++)
    {
        carom_vec3 c[3];
        frame_corners(field, i, c);
        uint64_t code = spread_bits(curve_cell(c[0].x + c[1].x + c[2].x)) << 2 |
                        spread_bits(curve_cell(c[0].y + c[1].y + c[2].y)) << 1 |
                        spread_bits(curve_cell(c[0].z + c[1].z + c[2].z));
        keys[i] = code << 32 | i;
    }
    base_sort_u64(keys, keys + count, count);
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t triangle = (uint32_t)keys[i];
        field->order[i] = triangle << 1 | (turns[triangle] == TURN_OVER);
    }
}

/* The dipole of some triangles in a row. */
static dipole group_triangles(const winding_field *field, uint32_t first, uint32_t end)
{
    dipole group = {0};
    carom_vec3 c[3], weighted = {0}, plain = {0};
    double weight = 0.0;
    for (uint32_t i = first; i < end; i++)
    {
        frame_corners(field, field->order[i] >> 1, c);
        carom_vec3 sum = vec3_add(vec3_add(c[0], c[1]), c[2]);
        carom_vec3 area = vec3_scale(vec3_cross(vec3_sub(c[1], c[0]), vec3_sub(c[2], c[0])), 0.5);
        double size = vec3_length(area);
        group.area = field->order[i] & 1 ? vec3_sub(group.area, area) : vec3_add(group.area, area);
        weighted = vec3_add(weighted, vec3_scale(sum, size));
        plain = vec3_add(plain, sum);
        weight += size;
    }
    group.centre =
        weight > 0.0 ? vec3_scale(weighted, 1.0 / (3.0 * weight)) : vec3_scale(plain, 1.0 / (3.0 * (end - first)));
    double squared = 0.0;
    for (uint32_t i = first; i < end; i++)
    {
        frame_corners(field, field->order[i] >> 1, c);
        for (int k = 0; k < 3; k++)
        {
            carom_vec3 way = vec3_sub(c[k], group.centre);
            squared = fmax(squared, vec3_dot(way, way));
        }
    }
    group.radius = sqrt(squared);
    return group;
}

static void make_groups(winding_field *field)
{
    uint32_t triangles = field->mesh->triangle_count;
    uint64_t size = GROUP_SIZE; /* triangles in a group */
    for (uint32_t level = 0; level < field->level_count; level++, size *= GROUP_SIZE)
        for (uint32_t i = 0; i < field->levels[level].count; i++)
        {
            uint64_t end = (i + 1) * size;
            field->groups[field->levels[level].first + i] =
                group_triangles(field, (uint32_t)(i * size), end < triangles ? (uint32_t)end : triangles);
        }
}

static void count_groups(winding_field *field)
{
    uint32_t below = field->mesh->triangle_count;
    do
    {
        uint32_t count = below / GROUP_SIZE + (below % GROUP_SIZE != 0);
        field->levels[field->level_count++] = (winding_level){field->group_count, count};
        field->group_count += count;
        below = count;
    } while (below > 1);
}

/* ---- the field of a mesh ---- */

static void destroy_field(void *object)
{
    winding_field *field = object;
    carom_context *context = field->mesh->context;
    base_release(context, field->order, field->mesh->triangle_count, sizeof *field->order);
    base_release(context, field->groups, field->group_count, sizeof *field->groups);
    base_release(context, field, 1, sizeof *field);
}

static bool fill_field(winding_field *field)
{
    const carom_mesh *mesh = field->mesh;
    carom_context *context = mesh->context;
    size_t count = mesh->triangle_count;
    field->order = base_allocate(context, count, sizeof *field->order, BASE_CACHE_LINE);
    field->groups = base_allocate(context, field->group_count, sizeof *field->groups, BASE_CACHE_LINE);
    turn_walk walk = {.mesh = mesh,
                      .turns = base_allocate(context, count, sizeof *walk.turns, BASE_CACHE_LINE),
                      .patch = base_allocate(context, count, sizeof *walk.patch, BASE_CACHE_LINE)};
    uint64_t *keys = base_allocate(context, 2 * count, sizeof *keys, BASE_CACHE_LINE);
    bool enough = field->order && field->groups && walk.turns && walk.patch && keys;
    if (enough)
    {
        memset(walk.turns, TURN_UNSEEN, count);
        find_turned(&walk);
        sort_along_curve(field, walk.turns, keys);
        make_groups(field);
    }
    base_release(context, walk.turns, count, sizeof *walk.turns);
    base_release(context, walk.patch, count, sizeof *walk.patch);
    base_release(context, keys, 2 * count, sizeof *keys);
    return enough;
}

carom_status winding_field_of(const carom_mesh *mesh, const winding_field **out)
{
    *out = atomic_load_explicit(&mesh->slots[MESH_SLOT_WINDING].object, memory_order_acquire);
    if (*out)
        return CAROM_OK;
    winding_field *field = base_allocate(mesh->context, 1, sizeof *field, BASE_CACHE_LINE);
    bool enough = field != NULL;
    if (enough)
    {
        *field = (winding_field){.mesh = mesh};
        count_groups(field);
        choose_frame(field);
        enough = fill_field(field);
    }
    if (!enough)
    {
        if (field)
            destroy_field(field);
        return base_fail(mesh->context, CAROM_OUT_OF_MEMORY, "relation: no memory for winding numbers of %u triangles",
                         mesh->triangle_count);
    }
    *out = mesh_fill_slot(mesh, MESH_SLOT_WINDING, field, destroy_field);
    return CAROM_OK;
}

/* ---- of a point ---- */

static double add_triangles(const winding_field *field, uint32_t group, carom_vec3 point)
{
    uint64_t first = (uint64_t)group * GROUP_SIZE, end = first + GROUP_SIZE;
    double sum = 0.0;
    for (uint64_t i = first; i < end && i < field->mesh->triangle_count; i++)
    {
        carom_vec3 c[3];
        frame_corners(field, field->order[i] >> 1, c);
        for (int k = 0; k < 3; k++)
            c[k] = vec3_sub(c[k], point);
        double angle = solid_angle(c);
        sum += field->order[i] & 1 ? -angle : angle;
    }
    return sum;
}

double winding_number(const winding_field *field, carom_vec3 point, uint64_t *work)
{
    const double whole_sphere = 12.56637061435917295385;
    carom_vec3 own = vec3_scale(vec3_sub(point, field->middle), field->scale);
    uint32_t level = field->level_count - 1, group = 0;
    double sum = 0.0;
    while (level < field->level_count)
    {
        const dipole *here = &field->groups[field->levels[level].first + group];
        carom_vec3 way = vec3_sub(here->centre, own);
        double squared = vec3_dot(way, way), reach = FAR_RADII * here->radius;
        ++*work;
        if (squared > reach * reach)
            sum += vec3_dot(here->area, way) / (squared * sqrt(squared));
        else if (level == 0)
        {
            sum += add_triangles(field, group, own);
            *work += GROUP_SIZE;
        }
        else
        {
            level--, group *= GROUP_SIZE;
            continue;
        }
        for (group++; level < field->level_count && (group % GROUP_SIZE == 0 || group == field->levels[level].count);
             level++)
            group = (group - 1) / GROUP_SIZE + 1;
    }
    return sum / whole_sphere;
}
