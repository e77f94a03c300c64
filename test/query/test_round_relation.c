/* Relations of spheres and capsules with meshes of boxes that overlap, contain or cancel each other, so that walls with
 * the solid on both sides run through them. The truth is known from unit cells: distances in integers. */
#include "query/world.h"

enum
{
    MAX_BOXES = 4,
    SIDE = 5,   /* boxes are in [0, SIDE]^3 */
    MARGIN = 6, /* empty cells around them */
    GRID = SIDE + 2 * MARGIN
};

/* A union of boxes, and along the axis of a capsule everything in halves. */
typedef struct scene
{
    int boxes, low[MAX_BOXES][3], high[MAX_BOXES][3], sign[MAX_BOXES];
    int core[2][3], radius; /* halves */
    int winding[GRID][GRID][GRID];
} scene;

static int pick(check_random *random, int count) { return (int)(check_next(random) % (uint64_t)count); }

static void make_scene(scene *s, check_random *random)
{
    memset(s->winding, 0, sizeof s->winding);
    s->boxes = 1 + pick(random, MAX_BOXES);
    for (int b = 0; b < s->boxes; b++)
    {
        for (int i = 0; i < 3; i++)
        {
            int first = pick(random, SIDE + 1), second = pick(random, SIDE);
            second += second >= first;
            s->low[b][i] = first < second ? first : second, s->high[b][i] = first < second ? second : first;
            if (b > 0 && pick(random, 3) == 0)
                s->low[b][i] = s->low[b - 1][i], s->high[b][i] = s->high[b - 1][i];
        }
        s->sign[b] = b > 0 && pick(random, 5) == 0 ? -1 : 1;
        for (int x = s->low[b][0]; x < s->high[b][0]; x++)
            for (int y = s->low[b][1]; y < s->high[b][1]; y++)
                for (int z = s->low[b][2]; z < s->high[b][2]; z++)
                    s->winding[x + MARGIN][y + MARGIN][z + MARGIN] += s->sign[b];
    }
    int axis = pick(random, 3), length = pick(random, 2) ? 0 : pick(random, 5);
    for (int i = 0; i < 3; i++)
        s->core[0][i] = pick(random, 2 * SIDE + 1), s->core[1][i] = s->core[0][i] + (i == axis ? length : 0);
    s->radius = pick(random, 6);
}

static carom_mesh *make_mesh(const world *w, const scene *s)
{
    double vertices[24 * MAX_BOXES];
    uint32_t indices[36 * MAX_BOXES];
    for (int b = 0; b < s->boxes; b++)
    {
        double low[3], high[3];
        for (int i = 0; i < 3; i++)
            low[i] = s->low[b][i], high[i] = s->high[b][i];
        world_box_vertices(low, high, vertices + 24 * b);
        for (int k = 0; k < 36; k++)
            indices[36 * b + k] = (uint32_t)(8 * b) + WORLD_BOX_INDICES[s->sign[b] > 0 ? k : 35 - k];
    }
    return world_mesh(w, vertices, 8 * (size_t)s->boxes, indices, 12 * (size_t)s->boxes);
}

/* Squared distance of the core from a box in halves, in quarters. */
static int gap_of(const scene *s, const int low[3], const int high[3])
{
    int sum = 0;
    for (int i = 0; i < 3; i++)
    {
        int below = low[i] - s->core[1][i], above = s->core[0][i] - high[i];
        int gap = below > 0 ? below : above > 0 ? above : 0;
        sum += gap * gap;
    }
    return sum;
}

/* How far a coordinate is from those of the core. */
static int beyond(const scene *s, int axis, int at)
{
    return at < s->core[0][axis] ? s->core[0][axis] - at : at > s->core[1][axis] ? at - s->core[1][axis] : 0;
}

typedef struct facts
{
    bool common, interior, outside_round, outside_mesh, filled;
} facts;

static facts facts_of(const scene *s)
{
    facts f = {.filled = s->radius > 0};
    int limit = s->radius * s->radius;
    for (int x = 0; x < GRID; x++)
        for (int y = 0; y < GRID; y++)
            for (int z = 0; z < GRID; z++)
            {
                int low[3] = {2 * (x - MARGIN), 2 * (y - MARGIN), 2 * (z - MARGIN)},
                    high[3] = {low[0] + 2, low[1] + 2, low[2] + 2}, gap = gap_of(s, low, high);
                bool full = s->winding[x][y][z] != 0;
                f.filled |= full, f.common |= full && gap <= limit, f.interior |= full && gap < limit;
                f.outside_round |= !full && gap < limit;
            }
    for (int b = 0; b < s->boxes; b++)
        for (int side = 0; side < 6; side++)
        {
            int low[3], high[3], farthest = 0;
            for (int i = 0; i < 3; i++)
            {
                low[i] = 2 * s->low[b][i], high[i] = 2 * s->high[b][i];
                int first = beyond(s, i, low[i]), second = beyond(s, i, high[i]),
                    away = first > second ? first : second;
                farthest += away * away;
            }
            *(side % 2 ? &low[side / 2] : &high[side / 2]) = side % 2 ? high[side / 2] : low[side / 2];
            f.common |= gap_of(s, low, high) <= limit, f.interior |= gap_of(s, low, high) < limit;
            f.outside_mesh |= farthest > limit;
        }
    return f;
}

/* Without a radius: points of the core in quarters, each of which stands for a piece of it. */
static facts facts_of_core(const scene *s)
{
    facts f = facts_of(s);
    f.interior = f.common = f.outside_round = false;
    int steps = 2 * (s->core[1][0] + s->core[1][1] + s->core[1][2] - s->core[0][0] - s->core[0][1] - s->core[0][2]);
    for (int step = 0; step <= steps; step++)
    {
        int p[3];
        for (int i = 0; i < 3; i++)
            p[i] = 2 * s->core[0][i] + (s->core[1][i] > s->core[0][i] ? step : 0);
        bool all = true, any = false;
        for (int corner = 0; corner < 8; corner++)
        {
            int at[3];
            for (int i = 0; i < 3; i++)
                at[i] = (p[i] + 4 * MARGIN) / 4 - (p[i] % 4 == 0 && (corner >> i & 1));
            bool full = s->winding[at[0]][at[1]][at[2]] != 0;
            all = all && full, any = any || full;
        }
        for (int b = 0; b < s->boxes; b++)
        {
            bool in = true, on = false;
            for (int i = 0; i < 3; i++)
            {
                in = in && p[i] >= 4 * s->low[b][i] && p[i] <= 4 * s->high[b][i];
                on = on || p[i] == 4 * s->low[b][i] || p[i] == 4 * s->high[b][i];
            }
            any = any || (in && on);
        }
        f.interior |= all, f.common |= any, f.outside_round |= !any;
    }
    return f;
}

static carom_relation relation_of(const facts *f)
{
    if (!f->common)
        return CAROM_RELATION_APART;
    if (!f->outside_round && !f->outside_mesh)
        return CAROM_RELATION_EQUAL;
    if (f->interior)
        return !f->outside_round  ? CAROM_RELATION_A_INSIDE_B
               : !f->outside_mesh ? CAROM_RELATION_B_INSIDE_A
                                  : CAROM_RELATION_OVERLAPPING;
    return f->filled ? CAROM_RELATION_TOUCHING : CAROM_RELATION_SURFACES_MEET;
}

static carom_vec3 half(const int p[3]) { return (carom_vec3){0.5 * p[0], 0.5 * p[1], 0.5 * p[2]}; }

static void boxes_with_walls_inside(void **state)
{
    (void)state;
    const char *scale = getenv("CAROM_TEST_SCALE");
    const long rounds = 3000 * (scale ? atol(scale) : 1);
    long counts[CAROM_RELATION_SURFACES_MEET + 1] = {0};
    world w = world_open();
    static scene s;
    for (long seed = 1; seed <= rounds; seed++)
    {
        check_random random = {(uint64_t)seed};
        make_scene(&s, &random);
        facts f = s.radius > 0 ? facts_of(&s) : facts_of_core(&s);
        carom_relation truth = relation_of(&f);
        carom_mesh *mesh = make_mesh(&w, &s);
        carom_placed a = {carom_shape_capsule(half(s.core[0]), half(s.core[1]), 0.5 * s.radius), carom_pose_identity()},
                     b = world_place(mesh, 0, 0, 0);
        carom_collide_options options = {.mode = (carom_collide_mode)pick(&random, 3), .relation = true};
        carom_report report;
        assert_int_equal(carom_collide(w.query, &a, &b, &options, &report), CAROM_OK);
        if (report.relation != truth)
            fail_msg("seed %ld: %s, but it is %s (radius %d / 2)", seed, carom_relation_name(report.relation),
                     carom_relation_name(truth), s.radius);
        counts[truth]++;
        carom_mesh_destroy(mesh);
    }
    for (int i = CAROM_RELATION_APART; i <= CAROM_RELATION_B_INSIDE_A; i++)
        assert_true(counts[i] > 0);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes_with_walls_inside)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
