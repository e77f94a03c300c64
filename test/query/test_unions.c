/* Relations of unions of boxes: each body is one mesh of several closed boxes that overlap, touch or contain each
 * other, so that it winds more than once around some points and has walls inside. As a point set it is the union, which
 * unit cubes make up: these are the truth. Affine maps of whole numbers, which change no relation, give the walls any
 * direction, and far from the origin nearly no point where they meet is a double. */
#include "query/world.h"

enum
{
    SIDE = 5,
    CUBES = SIDE * SIDE * SIDE,
    POINTS = (SIDE + 1) * (SIDE + 1) * (SIDE + 1),
    MAX_BOXES = 8
};

typedef struct union_body
{
    int box[MAX_BOXES][2][3]; /* lowest and highest corner */
    int count;
    bool cube[CUBES], point[POINTS];
} union_body;

static void add_box(union_body *body, int box[2][3])
{
    if (body->count == MAX_BOXES)
        return;
    memcpy(body->box[body->count++], box, sizeof body->box[0]);
    for (int x = box[0][0]; x <= box[1][0]; x++)
        for (int y = box[0][1]; y <= box[1][1]; y++)
            for (int z = box[0][2]; z <= box[1][2]; z++)
            {
                body->point[(x * (SIDE + 1) + y) * (SIDE + 1) + z] = true;
                if (x < box[1][0] && y < box[1][1] && z < box[1][2])
                    body->cube[(x * SIDE + y) * SIDE + z] = true;
            }
}

static void random_box(check_random *random, int box[2][3])
{
    for (int k = 0; k < 3; k++)
    {
        box[0][k] = (int)(check_next(random) % SIDE);
        box[1][k] = box[0][k] + 1 + (int)(check_next(random) % (uint64_t)(SIDE - box[0][k]));
    }
}

static void make_body(check_random *random, union_body *out)
{
    int box[2][3];
    *out = (union_body){0};
    for (int boxes = 1 + (int)(check_next(random) % 3); boxes > 0; boxes--)
    {
        random_box(random, box);
        add_box(out, box);
    }
}

/* Each box of the other as it is, or as two that may overlap; and perhaps another box. */
static void make_similar(check_random *random, const union_body *other, union_body *out)
{
    *out = (union_body){0};
    for (int i = 0; i < other->count; i++)
    {
        int axis = (int)(check_next(random) % 3), low = other->box[i][0][axis], high = other->box[i][1][axis];
        int first[2][3], second[2][3];
        memcpy(first, other->box[i], sizeof first), memcpy(second, other->box[i], sizeof second);
        if (high - low > 1 && check_next(random) % 2)
        {
            first[1][axis] = low + 1 + (int)(check_next(random) % (uint64_t)(high - low - 1));
            second[0][axis] = low + 1 + (int)(check_next(random) % (uint64_t)(first[1][axis] - low));
            second[0][axis] = second[0][axis] < high ? second[0][axis] : high - 1;
            add_box(out, first);
        }
        add_box(out, second);
    }
    int more[2][3];
    random_box(random, more);
    if (check_next(random) % 2)
        add_box(out, more);
}

static carom_relation truth_of(const union_body *a, const union_body *b)
{
    bool common = false, interior = false, a_outside = false, b_outside = false;
    for (int i = 0; i < POINTS; i++)
        common |= a->point[i] && b->point[i];
    for (int i = 0; i < CUBES; i++)
    {
        interior |= a->cube[i] && b->cube[i];
        a_outside |= a->cube[i] && !b->cube[i], b_outside |= b->cube[i] && !a->cube[i];
    }
    return !common      ? CAROM_RELATION_APART
           : !interior  ? CAROM_RELATION_TOUCHING
           : !a_outside ? (b_outside ? CAROM_RELATION_A_INSIDE_B : CAROM_RELATION_EQUAL)
           : !b_outside ? CAROM_RELATION_B_INSIDE_A
                        : CAROM_RELATION_OVERLAPPING;
}

typedef struct affine
{
    int linear[3][3];
    double to[3];
} affine;

static affine random_affine(check_random *random)
{
    static const double far[] = {0.0, 0.0, 0x1p30, 0x1p50, -0x1p51};
    affine map = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0}};
    for (int k = 0; k < 3; k++)
        map.to[k] = far[check_next(random) % 5];
    for (int times = (int)(check_next(random) % 4); times > 0; times--) /* add one row to another */
    {
        int row = (int)(check_next(random) % 3), other = (row + 1 + (int)(check_next(random) % 2)) % 3;
        int factor = (int)(check_next(random) % 5) - 2;
        for (int k = 0; k < 3; k++)
            map.linear[row][k] += factor * map.linear[other][k];
    }
    return map;
}

/* Quadrilaterals of a box are divided along either diagonal. */
static carom_mesh *make_mesh(const world *w, const union_body *body, const affine *map, check_random *random)
{
    double vertices[MAX_BOXES * 24];
    uint32_t indices[MAX_BOXES * 36];
    for (int i = 0; i < body->count; i++)
    {
        double low[3], high[3], plain[24];
        for (int k = 0; k < 3; k++)
            low[k] = body->box[i][0][k], high[k] = body->box[i][1][k];
        world_box_vertices(low, high, plain);
        for (int c = 0; c < 8; c++)
            for (int k = 0; k < 3; k++)
                vertices[24 * i + 3 * c + k] =
                    map->to[k] + (map->linear[k][0] * plain[3 * c] + map->linear[k][1] * plain[3 * c + 1] +
                                  map->linear[k][2] * plain[3 * c + 2]);
        for (int face = 0; face < 6; face++)
        {
            static const uint32_t corners[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                                   {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
            const uint32_t turn = check_next(random) % 2;
            static const uint32_t parts[6] = {0, 1, 2, 0, 2, 3};
            for (int k = 0; k < 6; k++)
                indices[36 * i + 6 * face + k] = 8 * (uint32_t)i + corners[face][(parts[k] + turn) % 4];
        }
    }
    return world_mesh(w, vertices, 8 * (size_t)body->count, indices, 12 * (size_t)body->count);
}

static carom_relation check_pair(const world *w, int round)
{
    check_random random = {.state = 1000 + (uint64_t)round};
    union_body a, b;
    make_body(&random, &a);
    if (check_next(&random) % 2)
        make_similar(&random, &a, &b);
    else
        make_body(&random, &b);
    affine map = random_affine(&random);
    carom_mesh *mesh_a = make_mesh(w, &a, &map, &random), *mesh_b = make_mesh(w, &b, &map, &random);
    assert_true(carom_mesh_get_info(mesh_a).closed && carom_mesh_get_info(mesh_a).oriented);
    carom_placed placed_a = world_place(mesh_a, 0, 0, 0), placed_b = world_place(mesh_b, 0, 0, 0);
    carom_collide_options options = {.mode = (carom_collide_mode)(round % 3), .relation = true};
    carom_report report;
    assert_int_equal(carom_collide(w->query, &placed_a, &placed_b, &options, &report), CAROM_OK);
    carom_relation truth = truth_of(&a, &b);
    if (report.relation != truth)
        fail_msg("round %d, %d and %d boxes: %s instead of %s", round, a.count, b.count,
                 carom_relation_name(report.relation), carom_relation_name(truth));
    carom_mesh_destroy(mesh_a), carom_mesh_destroy(mesh_b);
    return truth;
}

static void unions_are_related_as_their_cubes(void **state)
{
    (void)state;
    world w = world_open();
    int seen[CAROM_RELATION_SURFACES_MEET + 1] = {0};
    for (int round = 0; round < 300; round++)
        seen[check_pair(&w, round)]++;
    for (int i = CAROM_RELATION_APART; i <= CAROM_RELATION_EQUAL; i++)
    {
        print_message("%s: %d\n", carom_relation_name((carom_relation)i), seen[i]);
        assert_true(seen[i] > 0);
    }
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(unions_are_related_as_their_cubes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
