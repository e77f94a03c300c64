/* Relations of surfaces in one plane, made of the cells of a lattice: triangles of any size that overlap, are folded
 * back, repeated or turned over. As point sets they are what they cover, so the truth is two sets of cells. */
#include "query/world.h"

enum
{
    SIDE = 5,                /* squares along each side, each of two cells */
    CELLS = 2 * SIDE * SIDE, /* cell 2 i is the half of square i at its lower corner, 2 i + 1 the other half */
    MAX_TRIANGLES = 4 * CELLS
};

typedef struct sheet
{
    double corner[3 * MAX_TRIANGLES][3];
    uint32_t count;  /* triangles */
    uint64_t covers; /* cells, a bit each */
} sheet;

/* A triangle with two legs of a number of squares along the axes. */
typedef struct part
{
    int u, v, size;
    bool upper; /* the right angle is at the upper corner */
} part;

static uint64_t cells_of(const part *p)
{
    uint64_t cells = 0;
    for (int i = 0; i < p->size; i++)
        for (int k = 0; k < p->size; k++)
        {
            int square = (p->v + k) * SIDE + p->u + i, sum = p->upper ? 2 * p->size - 2 - i - k : i + k;
            bool near = sum < p->size, whole = sum < p->size - 1; /* the square of the angle has the sum 0 */
            if (near)
                cells |= (uint64_t)1 << (2 * square + p->upper);
            if (whole)
                cells |= (uint64_t)1 << (2 * square + !p->upper);
        }
    return cells;
}

static part random_part(check_random *random)
{
    int size = 1 + (int)(check_next(random) % 100 < 40 ? check_next(random) % SIDE : check_next(random) % 2);
    uint64_t room = (uint64_t)SIDE - (uint64_t)size + 1;
    return (part){(int)(check_next(random) % room), (int)(check_next(random) % room), size, check_next(random) % 2};
}

/* The plane's own axes in space, in whole numbers. */
typedef struct plane
{
    int u[3], v[3], origin[3];
} plane;

static void add_part(sheet *s, const plane *at, const part *p, check_random *random)
{
    int far = p->upper ? -p->size : p->size, u = p->upper ? p->u + p->size : p->u, v = p->upper ? p->v + p->size : p->v;
    const int corners[3][2] = {{u, v}, {u + far, v}, {u, v + far}};
    bool turned = check_next(random) % 2;
    int first = (int)(check_next(random) % 3);
    for (int i = 0; i < 3; i++)
    {
        const int *c = corners[(first + (turned ? 3 - i : i)) % 3];
        for (int k = 0; k < 3; k++)
            s->corner[3 * s->count + (uint32_t)i][k] = at->origin[k] + c[0] * at->u[k] + c[1] * at->v[k];
    }
    s->count++;
    s->covers |= cells_of(p);
}

static void make_sheet(sheet *s, const plane *at, check_random *random)
{
    s->count = 0, s->covers = 0;
    for (int parts = 1 + (int)(check_next(random) % 6); parts > 0; parts--)
    {
        part p = random_part(random);
        for (int times = check_next(random) % 4 ? 1 : 2; times > 0; times--)
            add_part(s, at, &p, random);
    }
}

/* Covers the same cells, or all but one of them and perhaps another one, with other triangles. */
static void make_similar(sheet *s, const plane *at, uint64_t covers, check_random *random)
{
    s->count = 0, s->covers = 0;
    if (check_next(random) % 2)
        covers ^= (uint64_t)1 << check_next(random) % CELLS;
    for (int attempt = 0; attempt < 60; attempt++)
    {
        part p = random_part(random);
        if ((cells_of(&p) & ~covers) == 0 && (cells_of(&p) & ~s->covers) != 0)
            add_part(s, at, &p, random);
    }
    for (int cell = 0; cell < CELLS; cell++)
        if ((covers & ~s->covers) >> cell & 1)
            add_part(s, at, &(part){cell / 2 % SIDE, cell / 2 / SIDE, 1, cell % 2}, random);
}

/* The lattice points of the cells: two cells that have a point in common have one of these. */
static uint64_t points_of(uint64_t covers)
{
    uint64_t points = 0;
    for (int cell = 0; cell < CELLS; cell++)
    {
        int square = cell / 2, at = square / SIDE * (SIDE + 1) + square % SIDE;
        if (covers >> cell & 1)
            points |= (uint64_t)1 << (cell % 2 ? at + SIDE + 2 : at) | (uint64_t)1 << (at + 1) |
                      (uint64_t)1 << (at + SIDE + 1);
    }
    return points;
}

static carom_relation truth_of(const sheet *a, const sheet *b)
{
    return !(points_of(a->covers) & points_of(b->covers)) ? CAROM_RELATION_APART
           : a->covers == b->covers                       ? CAROM_RELATION_EQUAL
                                                          : CAROM_RELATION_SURFACES_MEET;
}

static void surfaces_in_one_plane(void **state)
{
    (void)state;
    static const plane planes[] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 0}},
                                   {{0, 0, 1}, {1, 0, 0}, {0, 3, 0}},
                                   {{1, 0, -1}, {0, 1, -1}, {0, 0, 7}},
                                   {{2, 1, 0}, {-1, 3, 5}, {1, 2, 3}},
                                   {{0, 1, 1}, {0, -1, 1}, {0, 0, 0}}};
    world w = world_open();
    check_random random = {.state = 12};
    int seen[CAROM_RELATION_SURFACES_MEET + 1] = {0};
    static sheet a, b;
    for (int round = 0; round < 2000; round++)
    {
        const plane *at = &planes[check_next(&random) % 5];
        make_sheet(&a, at, &random);
        if (check_next(&random) % 3)
            make_similar(&b, at, a.covers, &random);
        else
            make_sheet(&b, at, &random);
        if (b.count == 0)
            continue;
        carom_mesh *meshes[2] = {world_mesh(&w, a.corner[0], 3 * (size_t)a.count, NULL, a.count),
                                 world_mesh(&w, b.corner[0], 3 * (size_t)b.count, NULL, b.count)};
        carom_relation expected = truth_of(&a, &b);
        for (int turn = 0; turn < 2; turn++)
        {
            carom_placed first = world_place(meshes[turn], 0, 0, 0), second = world_place(meshes[1 - turn], 0, 0, 0);
            carom_collide_options options = {.mode = CAROM_COLLIDE_COUNT, .relation = true};
            carom_report report;
            assert_int_equal(carom_collide(w.query, &first, &second, &options, &report), CAROM_OK);
            if (report.relation != expected)
                fail_msg("round %d, %u and %u triangles: %s instead of %s", round, a.count, b.count,
                         carom_relation_name(report.relation), carom_relation_name(expected));
        }
        seen[expected]++;
        carom_mesh_destroy(meshes[0]), carom_mesh_destroy(meshes[1]);
    }
    print_message("%d apart, %d equal, %d meet\n", seen[CAROM_RELATION_APART], seen[CAROM_RELATION_EQUAL],
                  seen[CAROM_RELATION_SURFACES_MEET]);
    assert_true(seen[CAROM_RELATION_APART] > 20 && seen[CAROM_RELATION_EQUAL] > 500);
    assert_true(seen[CAROM_RELATION_SURFACES_MEET] > 500);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(surfaces_in_one_plane)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
